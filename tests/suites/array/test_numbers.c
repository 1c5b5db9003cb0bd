// SPDX-License-Identifier: MIT
/// The check mode for numbers: the call that makes NaN or infinity of finite numbers fails, and names its result.
#include <math.h>
#include <string.h>

#include "harness.h"

static weft_context *strict;

static void open_strict(void) {
  ok(weft_context_create(&strict, .device = device.selector, .numbers = true));
}

static void close_strict(void) {
  ok(weft_context_close(&strict));
}

static weft_array *from(weft_dtype dtype, int64_t count, const void *data) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, strict, dtype, WEFT_SHAPE(count), data));
  return x;
}

START_TEST(functions)
{
  const float data[] = {1, 0, 4, -1}, most[] = {3e38f, 3e38f};
  const int32_t whole[] = {1, 0, 2};
  weft_array *x = from(WEFT_F32, 4, data), *large = from(WEFT_F32, 2, most), *i = from(WEFT_I32, 3, whole), *y = NULL;
  ok(weft_exp(&y, x));
  weft_release(&y);
  expect_error(weft_log(&y, x), WEFT_ERROR_NUMBERS,
               "weft_log: `out` has 2 of 4 elements that are NaN or infinite, the first of them number 1", "@out");
  ck_assert_ptr_null(y);
  ck_assert_ptr_nonnull(strstr(weft_error_last()->site, "test_numbers.c:"));
  expect_error(weft_eval(&y, strict, "1 / x", WEFT_VAR(x)), WEFT_ERROR_NUMBERS, "`out` has 1 of 4", "number 1");
  expect_error(weft_sum(&y, large, 0), WEFT_ERROR_NUMBERS, "weft_sum: `out` has 1 of 1");
  expect_error(weft_divide(&y, i, 0), WEFT_ERROR_NUMBERS, "weft_divide: `out` has 3 of 3");
  ok(weft_floor_divide(&y, i, 0)); /* integers have no NaN */
  weft_release(&y);
  ok(weft_sqrt(&y, large));
  weft_release(&y, &i, &large, &x);
  harness_count(6);
}
END_TEST

/// Operands that are not finite already, in arrays, numbers and host memory, excuse the result.
START_TEST(not_the_first)
{
  const float data[] = {1, NAN, INFINITY}, plain[] = {1, 0, 4};
  float host[3];
  weft_array *x = from(WEFT_F32, 3, data), *finite = from(WEFT_F32, 3, plain), *y = NULL;
  ok(weft_log(&y, x));
  weft_release(&y);
  ok(weft_multiply(&y, finite, (double)INFINITY));
  weft_release(&y);
  ok(weft_add(&y, finite, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(3))));
  weft_release(&y);
  expect_error(weft_divide(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(3)), finite, finite), WEFT_ERROR_NUMBERS,
               "weft_divide: `out` has 1 of 3");
  /* in place: the numbers before the call count */
  expect_error(weft_log(&finite, finite), WEFT_ERROR_NUMBERS, "`out` has 1 of 3");
  weft_release(&finite, &x);
}
END_TEST

START_TEST(dtypes)
{
  static const weft_dtype all[] = {WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    weft_array *x = NULL, *y = NULL;
    if (!harness_has_dtype(all[k])) continue;
    ok(weft_ones(&x, strict, all[k], WEFT_SHAPE(3)));
    ok(weft_add(&y, x, x));
    expect_error(weft_divide(&y, x, 0), WEFT_ERROR_NUMBERS, "`out` has 3 of 3", "number 0");
    weft_release(&x, &y);
    harness_count(1);
  }
}
END_TEST

START_TEST(kernels)
{
  weft_kernel *divide = NULL;
  weft_array *y = NULL, *x = NULL;
  ok(weft_kernel_create(&divide, strict,
                        .source = "kernel void divide(global float *y, global const float *x, float a) {\n"
                                  "  y[get_global_id(0)] = a / x[get_global_id(0)];\n}\n"));
  ok(weft_zeros(&y, strict, WEFT_F32, WEFT_SHAPE(8)));
  ok(weft_arange(&x, strict, WEFT_F32, 1, 9, 1));
  ok(weft_launch(divide, WEFT_DIM3(1), WEFT_DIM3(8), y, x, 2.0f));
  ok(weft_launch(divide, WEFT_DIM3(1), WEFT_DIM3(8), y, x, (float)NAN)); /* it was given one */
  ok(weft_zeros(&y, strict, WEFT_F32, WEFT_SHAPE(8)));
  ok(weft_arange(&x, strict, WEFT_F32, 0, 8, 1));
  expect_error(weft_launch(divide, WEFT_DIM3(1), WEFT_DIM3(8), y, x, 2.0f), WEFT_ERROR_NUMBERS,
               "weft_launch: `y` has 1 of 8 elements", "running divide", "@y");
  weft_release(&x, &y, &divide);
}
END_TEST

START_TEST(by_the_environment)
{
  weft_context *named = NULL;
  weft_array *x = NULL, *y = NULL;
  setenv("WEFT_CHECKS", "numbers", 1);
  ok(weft_context_create(&named, .device = device.selector));
  setenv("WEFT_CHECKS", "", 1);
  ok(weft_zeros(&x, named, WEFT_F32, WEFT_SHAPE(2)));
  expect_error(weft_log(&y, x), WEFT_ERROR_NUMBERS, "`out` has 2 of 2");
  weft_release(&x);
  ok(weft_context_close(&named));
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "numbers");
  tcase_add_checked_fixture(tc, open_strict, close_strict);
  tcase_add_test(tc, functions);
  tcase_add_test(tc, not_the_first);
  tcase_add_test(tc, dtypes);
  tcase_add_test(tc, kernels);
  tcase_add_test(tc, by_the_environment);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "numbers", .add = add});
}
