// SPDX-License-Identifier: MIT
/// WEFT_ASSERT in kernels: the next wait or read names the condition, the line, the thread and the block; launches do
/// not pass the parameters of WEFT_ASSERTS.
#include <stdio.h>

#include "harness.h"

static const char SOURCE[] =
    "#include \"weft/prelude.clh\"\n"
    "static float checked(float v, WEFT_ASSERTS) {\n"
    "  WEFT_ASSERT(v >= 0); // of a function\n"
    "  return v * 2;\n"
    "}\n"
    "kernel void twice(global float *y, global const float *x, uint n, WEFT_ASSERTS) {\n"
    "  ulong i = weft_global_id();\n"
    "  WEFT_ASSERT((i < n) && x[i] != 99.0f);\n"
    "  if (i < n) y[i] = checked(x[i], weft_asserts);\n"
    "}\n"
    "kernel void long_condition(global int *y, WEFT_ASSERTS) {\n"
    "  y[0] = 1;\n"
    "  WEFT_ASSERT(y[0] == 2 &&\n"
    "              y[0] == 3);\n"
    "}\n";

static weft_kernel *twice;
static weft_array *x, *y;

/// twice of 24 numbers, of which one may be `value`.
static void open_with(int at, float value) {
  float in[24];
  for (int i = 0; i < 24; i++) in[i] = (float)i;
  if (at >= 0) in[at] = value;
  ok(weft_kernel_create(&twice, ctx, .source = SOURCE, .name = "twice", .source_name = "twice.cl"));
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(24), in));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(24)));
}
static void close_all(void) {
  ok(weft_context_wait(ctx)); /* every failure was reported once */
  weft_release(&twice, &x, &y);
}

START_TEST(conditions_that_hold)
{
  float out[24];
  open_with(-1, 0);
  for (int k = 0; k < 300; k++) ok(weft_launch(twice, WEFT_DIM3(6), WEFT_DIM3(4), y, x, 24)); /* more than records */
  ok(weft_to_host(out, sizeof out, y));
  for (int i = 0; i < 24; i++) ck_assert(out[i] == 2.0f * (float)i);
  close_all();
}
END_TEST

START_TEST(the_first_thread_is_named)
{
  char site[80];
  open_with(17, 99);
  ok(weft_launch(twice, WEFT_DIM3(2, 1, 2), WEFT_DIM3(3, 2), y, x, 24));
  snprintf(site, sizeof site, "test_assert.c:%d", __LINE__ - 1);
  expect_error(weft_context_wait(ctx), WEFT_ERROR_ASSERT, "weft_launch", site, "kernel `twice`",
               "`WEFT_ASSERT((i < n) && x[i] != 99.0f)`", "twice.cl:8", "thread (2,1,0) of block (0,0,1)");
  /* threads 20 to 23, and the first of them is kept */
  ok(weft_launch(twice, WEFT_DIM3(6), WEFT_DIM3(4), y, x, 17));
  float out[24];
  expect_error(weft_to_host(out, sizeof out, y), WEFT_ERROR_ASSERT, "thread (1,0,0) of block (4,0,0)");
  close_all();
}
END_TEST

START_TEST(in_a_function)
{
  open_with(3, -7);
  ok(weft_launch(twice, WEFT_DIM3(6), WEFT_DIM3(4), y, x, 24));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_ASSERT, "`WEFT_ASSERT(v >= 0)`", "twice.cl:3",
               "thread (3,0,0) of block (0,0,0)");
  close_all();
}
END_TEST

START_TEST(of_several_launches_the_first)
{
  weft_stream *stream = NULL;
  weft_kernel *other = NULL;
  weft_array *number = NULL;
  open_with(5, 99);
  ok(weft_stream_create(&stream, ctx));
  ok(weft_zeros(&number, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_kernel_create(&other, ctx, .source = SOURCE, .name = "long_condition", .source_name = "twice.cl"));
  ok(weft_launch_on(other, stream, WEFT_DIM3(1), WEFT_DIM3(1), number));
  ok(weft_launch(twice, WEFT_DIM3(6), WEFT_DIM3(4), y, x, 24));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_ASSERT, "`WEFT_ASSERT(y[0] == 2 && ...`", "`long_condition`",
               "twice.cl:1");
  weft_release(&stream, &other, &number);
  close_all();
}
END_TEST

START_TEST(arguments)
{
  weft_kernel_info info;
  open_with(-1, 0);
  ok(weft_kernel_get(&info, twice));
  ck_assert_int_eq(info.argument_count, 3);
  expect_error(weft_launch(twice, WEFT_DIM3(1), WEFT_DIM3(1), y, x), WEFT_ERROR_KERNEL_ARGUMENT, "takes 3 arguments",
               "2 are given");
  expect_error(weft_launch(twice, WEFT_DIM3(1), WEFT_DIM3(1), y, x, 24, y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "takes 3 arguments", "5 are given");
  close_all();
}
END_TEST

START_TEST(without_assertions)
{
  const char *const defines[] = {"WEFT_NDEBUG", NULL};
  open_with(2, 99);
  weft_kernel_release(&twice);
  ok(weft_kernel_create(&twice, ctx, .source = SOURCE, .name = "twice", .defines = defines));
  ok(weft_launch(twice, WEFT_DIM3(6), WEFT_DIM3(4), y, x, 24));
  close_all();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "assert");
  tcase_add_test(tc, conditions_that_hold);
  tcase_add_test(tc, the_first_thread_is_named);
  tcase_add_test(tc, in_a_function);
  tcase_add_test(tc, of_several_launches_the_first);
  tcase_add_test(tc, arguments);
  tcase_add_test(tc, without_assertions);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "assert", .add = add});
}
