// SPDX-License-Identifier: MIT
/// Launches of one kernel that repeat arguments of earlier ones, or nearly so: each sees its own.
#include "views.h"

static weft_kernel *build(const char *source) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  return kernel;
}

START_TEST(some_change_and_some_stay)
{
  weft_kernel *put = build("kernel void put(global int *y, int v, int at) { y[at] += v; }\n");
  weft_array *x = NULL, *y = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(4)));
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(4)));
  const int calls[][2] = {{1, 0}, {1, 0}, {2, 0}, {2, 3}, {1, 3}, {1, 3}};
  for (int k = 0; k < 6; k++) {
    ok(weft_launch(put, WEFT_DIM3(1), WEFT_DIM3(1), x, calls[k][0], calls[k][1]));
    ok(weft_launch(put, WEFT_DIM3(1), WEFT_DIM3(1), k % 2 ? x : y, calls[k][0], calls[k][1]));
  }
  check_elements(x, ((const int32_t[]){5, 0, 0, 7}), 4, "x, in each launch");
  check_elements(y, ((const int32_t[]){3, 0, 0, 1}), 4, "y, in every second one");
  weft_release(&x, &y);
  weft_kernel_release(&put);
}
END_TEST

/// The driver may give a new buffer the handle of one that is gone.
START_TEST(a_buffer_after_another)
{
  weft_kernel *fill = build("kernel void fill(global int *y, int v) { y[get_global_id(0)] = v; }\n");
  weft_device_info info;
  static int32_t got[4096];
  ok(weft_context_get_device(&info, ctx));
  const int half = info.address_align_bytes < 4 ? 1 : (int)info.address_align_bytes / 4;
  ck_assert_int_le(half, 2048);
  for (int round = 0; round < 20; round++) {
    const int first = round % 3 ? 0 : half;
    weft_array *y = NULL, *part = NULL;
    ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(2 * half)));
    ok(weft_slice(&part, y, 0, half, 2 * half));
    ok(weft_launch(fill, WEFT_DIM3(half), WEFT_DIM3(1), first ? part : y, 7));
    ok(weft_to_host(got, 8 * (size_t)half, y));
    for (int i = 0; i < 2 * half; i++) ck_assert_int_eq(got[i], i >= first && i < first + half ? 7 : 0);
    weft_release(&y, &part);
    ok(weft_memory_trim(ctx));
    harness_count(1);
  }
  weft_kernel_release(&fill);
}
END_TEST

/// Where the driver does not report parameters, an integer is set in the width that fits.
START_TEST(integers_of_other_widths)
{
  weft_kernel *wide = build("kernel void wide(global long *y, long v, int at) { y[at] = v; }\n");
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(4)));
  ok(weft_launch(wide, WEFT_DIM3(1), WEFT_DIM3(1), y, INT64_C(4294967295), 0));
  ok(weft_launch(wide, WEFT_DIM3(1), WEFT_DIM3(1), y, -1, INT64_C(1)));
  ok(weft_launch(wide, WEFT_DIM3(1), WEFT_DIM3(1), y, 4294967295u, 2));
  ok(weft_launch(wide, WEFT_DIM3(1), WEFT_DIM3(1), y, (short)-1, (char)3));
  check_elements(y, ((const int64_t[]){4294967295, -1, 4294967295, -1}), 4, "from integers of 1 to 8 bytes");
  weft_array_release(&y);
  weft_kernel_release(&wide);
}
END_TEST

/// A recording keeps integers whose width the driver does not report with all their bits.
START_TEST(integers_of_a_recording)
{
  weft_kernel *kernel =
      build("kernel void k(global long *y, long v, int at, char step) { y[at] += v; y[at + step] -= v; }\n");
  weft_array *y = NULL;
  weft_recording *recording = NULL;
  ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(4)));
  ok(weft_record_begin(ctx));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 7, 3, -1));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, -5, INT64_C(1), -1));
  ok(weft_record_end(&recording));
  for (int turn = 0; turn < 2; turn++) ok(weft_replay(recording));
  check_elements(y, ((const int64_t[]){15, -15, -21, 21}), 4, "after the launches and two replays");
  weft_recording_release(&recording);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

/// The launch does not use the value that the kernel has.
START_TEST(a_scalar_of_no_dtype)
{
  weft_kernel *kernel = build("kernel void put(global int *y, int v) { y[0] += v; }\n");
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
  weft_arg arguments[] = {WEFT_ARG(WEFT_DIM3(1)), WEFT_ARG(y), WEFT_ARG(3)};
  ok(weft__launch_at(kernel, WEFT_DIM3(1), 3, arguments, WEFT_SITE));
  const int dtypes[] = {WEFT_DTYPE_NONE, WEFT_DTYPE_COUNT, -1};
  for (int k = 0; k < 3; k++) {
    arguments[2].as.scalar.dtype = (weft_dtype)dtypes[k];
    expect_error(weft__launch_at(kernel, WEFT_DIM3(1), 3, arguments, WEFT_SITE), WEFT_ERROR_KERNEL_ARGUMENT,
                 "weft_launch", "argument 1");
  }
  check_elements(y, ((const int32_t[]){3}), 1, "from the one launch");
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

typedef struct large {
  int32_t v[40];
} large;

START_TEST(structs_and_local_memory)
{
  weft_kernel *kernel = build(
      "typedef struct { int v[40]; } large;\n"
      "kernel void k(global int *y, large all, local int *room, int last) {\n"
      "  room[last] = all.v[last];\n"
      "  y[last] = room[last] + all.v[0];\n"
      "}\n");
  weft_array *y = NULL;
  large all = {{1}};
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(40)));
  for (int last = 1; last < 40; last += 19) {
    all.v[last] = 10 * last;
    for (int twice = 0; twice < 2; twice++)
      ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, WEFT_STRUCT(all), WEFT_LOCAL(4 * (size_t)(last + 1)),
                     last));
    expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, WEFT_STRUCT(all), WEFT_LOCAL(4), WEFT_STRUCT(all)),
                 WEFT_ERROR_KERNEL_ARGUMENT, "argument 3");
  }
  int32_t got[40];
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 40; i++) ck_assert_int_eq(got[i], i % 19 == 1 ? 10 * i + 1 : 0);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "arguments");
  tcase_add_test(tc, some_change_and_some_stay);
  tcase_add_test(tc, a_buffer_after_another);
  tcase_add_test(tc, integers_of_other_widths);
  tcase_add_test(tc, integers_of_a_recording);
  tcase_add_test(tc, a_scalar_of_no_dtype);
  tcase_add_test(tc, structs_and_local_memory);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "launch_again", .add = add});
}
