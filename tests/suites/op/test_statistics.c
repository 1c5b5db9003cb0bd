// SPDX-License-Identifier: MIT
/// weft/statistics.h: errors and their texts, results in place and in host memory, quantiles of long rows. NumPy judges
/// the values (tests/judge/primitives/statistics.py).
#include <math.h>

#include "samples.h"

static weft_array *counted(weft_dtype dtype, int64_t n) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, dtype, WEFT_SCALAR(0), WEFT_SCALAR(n), WEFT_SCALAR(1)));
  return x;
}

static double number(const weft_array *x) {
  weft_array *wide = NULL;
  double value;
  ok(weft_cast(&wide, x, WEFT_F64));
  ok(weft_to_host(&value, sizeof value, wide));
  weft_array_release(&wide);
  return value;
}

START_TEST(wrong_quantiles)
{
  weft_array *x = counted(WEFT_F32, 12), *c = NULL, *none = NULL, *y = NULL;
  const float q[] = {0.5f, 1.5f};
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  ok(weft_empty(&none, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  expect_error(weft_quantile(&y, x, -0.25, 0), WEFT_ERROR_ARGUMENT, "`q` has -0.25; expected 0 to 1", "@q");
  expect_error(weft_quantile(&y, x, NAN, 0), WEFT_ERROR_ARGUMENT, "`q` has nan", "@q");
  expect_error(weft_quantile(&y, x, WEFT_HOST(q, WEFT_F32, WEFT_SHAPE(2)), 0), WEFT_ERROR_ARGUMENT, "`q` has 1.5");
  expect_error(weft_percentile(&y, x, 100.5, 0), WEFT_ERROR_ARGUMENT, "`q` has 100.5; expected 0 to 100");
  expect_error(weft_nanquantile(&y, x, 0.5, 0, .method = (weft_quantile_method)13), WEFT_ERROR_ARGUMENT,
               "`method` is 13", "@method");
  expect_error(weft_quantile(&y, x, 0.5, 1), WEFT_ERROR_AXIS, "axis");
  expect_error(weft_median(&y, c, 0), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers", "@x");
  expect_error(weft_quantile(&y, x, c, 0), WEFT_ERROR_DTYPE, "`q` is c64");
  expect_error(weft_quantile(&y, none, 0.5, 1), WEFT_ERROR_SHAPE, "no elements along the axes", "@x");
  expect_error(weft_quantile(&c, x, 0.5, 0), WEFT_ERROR_SHAPE, "[3]");
  ck_assert(y == NULL);
  weft_release(&x, &c, &none);
}
END_TEST

START_TEST(results_of_quantiles)
{
  weft_array *x = counted(WEFT_F32, 5), *i = counted(WEFT_I32, 4), *y = NULL;
  float host[2];
  const float q[] = {25, 100};
  ok(weft_percentile(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2)), x, WEFT_HOST(q, WEFT_F32, WEFT_SHAPE(2)), 0));
  ck_assert(host[0] == 1 && host[1] == 4);
  ok(weft_quantile(&y, i, 0.5, WEFT_ALL_AXES, .method = WEFT_QUANTILE_HIGHER));
  ck_assert(weft_array_dtype(y) == WEFT_I32 && number(y) == 2);
  weft_array_release(&y);
  ok(weft_slice(&y, x, 0, 0, 1)); /* the result is part of the operand */
  ok(weft_median(&y, x, weft_keepdims(0)));
  ck_assert(number(y) == 2);
  weft_release(&x, &i, &y);
}
END_TEST

START_TEST(quantiles_of_long_rows)
{
  enum { N = 200001 };
  weft_array *x = counted(WEFT_F32, N), *shuffled = NULL, *y = NULL, *last = NULL;
  weft_rng *rng = NULL;
  ok(weft_rng_create(&rng, .seed = 1, .context = ctx));
  ok(weft_shuffle(&shuffled, rng, x));
  ok(weft_median(&y, shuffled, 0));
  ck_assert(number(y) == (N - 1) / 2);
  weft_array_release(&y);
  ok(weft_slice(&last, shuffled, 0, N - 1, N));
  ok(weft_fill(last, WEFT_SCALAR(NAN)));
  ok(weft_median(&y, shuffled, 0));
  ck_assert(isnan(number(y)));
  weft_array_release(&y);
  ok(weft_nanquantile(&y, shuffled, 0, 0));
  ck_assert(number(y) == 0 || number(y) == 1); /* 0 may have been the last one */
  weft_array_release(&y);
  ok(weft_fill(shuffled, WEFT_SCALAR(NAN)));
  ok(weft_nanmedian(&y, shuffled, 0));
  ck_assert(isnan(number(y)));
  weft_release(&x, &shuffled, &y, &last, &rng);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "statistics");
  tcase_add_test(all, wrong_quantiles);
  tcase_add_test(all, results_of_quantiles);
  tcase_add_test(all, quantiles_of_long_rows);
}

int main(void) {
  const harness_suite suite = {.name = "statistics", .add = add};
  return harness_main(&suite);
}
