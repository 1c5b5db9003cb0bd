// SPDX-License-Identifier: MIT
/// weft/statistics.h: errors and their texts, results in place and in host memory, quantiles of long rows, averages,
/// covariances and integrals. NumPy judges
/// the values (tests/judge/primitives/statistics.py).
#include <float.h>
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

START_TEST(weighted_quantiles)
{
  const double nan = (double)NAN;
  double host[3];
  const double x[] = {3, nan, 1, 2}, w[] = {1, 5, -3, 2}, q[] = {0, 0.5, 1}, none[4] = {0};
  weft_array *a = NULL, *b = NULL, *zero = NULL, *y = NULL, *short_one = NULL;
  ok(weft_from_host(&a, ctx, WEFT_F64, WEFT_SHAPE(4), x));
  ok(weft_from_host(&b, ctx, WEFT_F64, WEFT_SHAPE(4), w));
  ok(weft_from_host(&zero, ctx, WEFT_F64, WEFT_SHAPE(4), none));
  ok(weft_slice(&short_one, b, 0, 0, 3));
  /* in order 1, 2, 3 with weights -3, which counts as 0, 2, 1: an element of weight 0 is not even the quantile of 0 */
  ok(weft_nanquantile(WEFT_HOST_OUT(host, WEFT_F64, WEFT_SHAPE(3)), a, WEFT_HOST(q, WEFT_F64, WEFT_SHAPE(3)), 0,
                      .method = WEFT_QUANTILE_INVERTED_CDF, .weights = b));
  ck_assert(host[0] == 2 && host[1] == 2 && host[2] == 3);
  ok(weft_quantile(&y, a, 0.5, 0, .method = WEFT_QUANTILE_INVERTED_CDF, .weights = b));
  ck_assert(isnan(number(y)));
  ok(weft_nanquantile(&y, a, 0.5, 0, .method = WEFT_QUANTILE_INVERTED_CDF, .weights = zero));
  ck_assert(isnan(number(y)));
  expect_error(weft_quantile(&y, a, 0.5, 0, .weights = b), WEFT_ERROR_ARGUMENT,
               "with `weights` only WEFT_QUANTILE_INVERTED_CDF is defined", "@method");
  expect_error(weft_quantile(&y, a, 0.5, 0, .method = WEFT_QUANTILE_INVERTED_CDF, .weights = short_one),
               WEFT_ERROR_SHAPE, "expected weights of x's shape");
  weft_release(&a, &b, &zero, &y, &short_one);
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

START_TEST(averages)
{
  weft_array *x = counted(WEFT_F32, 6), *table = NULL, *w = counted(WEFT_I32, 3), *y = NULL, *total = NULL,
             *long_w = NULL;
  float host[2];
  ok(weft_reshape(&table, x, WEFT_SHAPE(2, 3)));
  ok(weft_average(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2)), table, 1));
  ck_assert(host[0] == 1 && host[1] == 4);
  ok(weft_average(&y, table, 1, .weights = w, .sum_of_weights = &total)); /* (0 * 0 + 1 * 1 + 2 * 2) / 3 */
  ck_assert(weft_array_dtype(y) == WEFT_F64 && weft_array_dtype(total) == WEFT_F64);
  double sums[2], means[2];
  ok(weft_to_host(sums, sizeof sums, total));
  ok(weft_to_host(means, sizeof means, y));
  ck_assert(sums[0] == 3 && sums[1] == 3 && fabs(means[0] - 5.0 / 3) < 1e-15 && fabs(means[1] - 14.0 / 3) < 1e-15);
  weft_release(&y, &total);
  ok(weft_average(&y, 3.5f, WEFT_ALL_AXES));
  ck_assert(number(y) == 3.5);
  weft_array_release(&y);
  ok(weft_zeros(&long_w, ctx, WEFT_F32, WEFT_SHAPE(4)));
  expect_error(weft_average(&y, table, 1, .weights = long_w), WEFT_ERROR_SHAPE, "`weights` is f32[4]", "@weights");
  expect_error(weft_average(&y, table, 0, .weights = w), WEFT_ERROR_SHAPE, "expected weights of x's shape", "@weights");
  expect_error(weft_average(&y, table, WEFT_ALL_AXES, .weights = w), WEFT_ERROR_SHAPE, "i32[3]");
  ck_assert(y == NULL && total == NULL);
  weft_release(&x, &table, &w, &long_w);
}
END_TEST

/// The covariance of variables i and j, of `n` numbers each.
static double covariance_of(const float *x, int i, int j, int n) {
  double mean_i = 0, mean_j = 0, sum = 0;
  for (int k = 0; k < n; k++) mean_i += (double)x[i * n + k] / n, mean_j += (double)x[j * n + k] / n;
  for (int k = 0; k < n; k++) sum += ((double)x[i * n + k] - mean_i) * ((double)x[j * n + k] - mean_j);
  return sum / (n - 1);
}

START_TEST(covariances_of_many)
{
  enum { VARIABLES = 7, N = 5003 };
  weft_array *x = NULL, *y = NULL;
  float *host = malloc(VARIABLES * N * sizeof *host);
  double found[VARIABLES * VARIABLES];
  ck_assert_ptr_nonnull(host);
  for (int i = 0; i < VARIABLES * N; i++) host[i] = (float)((i * 7919) % 1013) + (float)(i / N * (i % N) % 17);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(VARIABLES, N), host));
  ok(weft_cov(&y, x));
  ok(weft_to_host(found, sizeof found, y));
  for (int i = 0; i < VARIABLES; i++)
    for (int j = 0; j < VARIABLES; j++) {
      const double expected = covariance_of(host, i, j, N), got = found[i * VARIABLES + j];
      ck_assert_msg(fabs(got - expected) <= 1e-8 * fabs(expected) + 1e-6, "%d, %d: %g, not %g", i, j, got, expected);
    }
  free(host);
  weft_release(&x, &y);
}
END_TEST

/// Element (i, j) of x, f32 or f64.
static double element_of(const void *x, bool is_double, int64_t at) {
  return is_double ? ((const double *)x)[at] : (double)((const float *)x)[at];
}

/// Covariances of `variables` rows of n numbers, as a step of the host computes them on CPUs: rows, or columns of the
/// transposed array, and from places that are no multiples of a vector.
static void check_few(int variables, int n, bool is_double, bool columns) {
  const weft_dtype dtype = is_double ? WEFT_F64 : WEFT_F32;
  const int64_t apart = columns ? variables : n + 3;
  weft_array *all = NULL, *part = NULL, *y = NULL, *r = NULL;
  double *host = calloc((size_t)(columns ? n : variables) * (size_t)apart + 1, sizeof *host), found[33 * 33],
         ratio[33 * 33];
  float *narrow = (float *)host;
  ck_assert_ptr_nonnull(host);
  for (int64_t k = 0; k < (int64_t)(columns ? n : variables) * apart; k++) {
    const double value = (double)((k * 7919) % 1013) + 3 * (double)(k % 17) + 1000;
    if (is_double)
      host[k] = value;
    else
      narrow[k] = (float)value;
  }
  ok(weft_from_host(&all, ctx, dtype, WEFT_SHAPE(columns ? n : variables, apart), host));
  ok(weft_slice(&part, all, 1, columns ? 0 : 1, columns ? variables : n + 1));
  ok(weft_cov(&y, part, .columns = columns, .bias = n == 1));
  ok(weft_corrcoef(&r, part, .columns = columns));
  ok(weft_to_host(found, sizeof *found * (size_t)(variables * variables), y));
  ok(weft_to_host(ratio, sizeof *ratio * (size_t)(variables * variables), r));
  for (int i = 0; i < variables; i++)
    for (int j = 0; j < variables; j++) {
      double mean[2] = {0}, sum[3] = {0};
#define AT(v, k) element_of(host, is_double, columns ? (int64_t)(k)*apart + (v) : (int64_t)(v)*apart + 1 + (k))
      for (int k = 0; k < n; k++) mean[0] += AT(i, k) / n, mean[1] += AT(j, k) / n;
      for (int k = 0; k < n; k++) {
        const double a = AT(i, k) - mean[0], b = AT(j, k) - mean[1];
        sum[0] += a * b, sum[1] += a * a, sum[2] += b * b;
      }
#undef AT
      const double expected = sum[0] / (n == 1 ? 1 : n - 1), got = found[i * variables + j];
      ck_assert_msg(fabs(got - expected) <= 1e-9 * fabs(expected) + 1e-6, "%d of %d, %d: %g, not %g", i, variables, j,
                    got, expected);
      if (n > 2) ck_assert(fabs(ratio[i * variables + j] - sum[0] / sqrt(sum[1]) / sqrt(sum[2])) < 1e-9);
      if (n == 1) ck_assert(isnan(ratio[i * variables + j]));
    }
  free(host);
  weft_release(&all, &part, &y, &r);
}

START_TEST(covariances_of_few)
{
  static const int sizes[][2] = {{1, 1},   {1, 9},   {2, 2},    {3, 7},    {4, 8},    {5, 255},
                                 {8, 256}, {9, 257}, {31, 300}, {32, 513}, {33, 130}, {2, 140001}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int way = 0; way < 4; way++) check_few(sizes[k][0], sizes[k][1], way & 1, way & 2);
}
END_TEST

/// Equal numbers have the variance 0; NaN and infinities reach their own variables only.
START_TEST(covariances_of_odd_numbers)
{
  float x[4][20], y[16], *given = y;
  weft_array *rows = NULL, *out = NULL;
  for (int k = 0; k < 20; k++) x[0][k] = 0.1f, x[1][k] = x[2][k] = x[3][k] = (float)(k * k % 7);
  x[2][3] = NAN;
  x[3][5] = INFINITY;
  ok(weft_from_host(&rows, ctx, WEFT_F32, WEFT_SHAPE(4, 20), x));
  ok(weft_zeros(&out, ctx, WEFT_F32, WEFT_SHAPE(4, 4)));
  ok(weft_cov(&out, rows, .dtype = WEFT_F32)); /* a result of the caller */
  ok(weft_cov(WEFT_HOST_OUT(given, WEFT_F32, WEFT_SHAPE(4, 4)), rows, .dtype = WEFT_F32));
  for (int pass = 0; pass < 2; pass++) {
    ck_assert(y[0] == 0 && y[1] == 0 && y[4] == 0 && y[5] > 1);
    for (int k = 0; k < 4; k++) ck_assert(isnan(y[4 * k + 2]) && isnan(y[8 + k]) && isnan(y[12 + k]));
    ok(weft_to_host(y, sizeof y, out));
  }
  expect_error(weft_cov(&rows, rows), WEFT_ERROR_SHAPE, "@out");
  weft_release(&rows, &out);
}
END_TEST

START_TEST(covariances)
{
  weft_array *x = counted(WEFT_F32, 6), *table = NULL, *cube = NULL, *y = NULL, *wrong = NULL, *c = NULL;
  ok(weft_reshape(&table, x, WEFT_SHAPE(2, 3)));
  ok(weft_reshape(&cube, x, WEFT_SHAPE(1, 2, 3)));
  ok(weft_cov(&y, table));
  double host[4];
  ok(weft_to_host(host, sizeof host, y));
  for (int k = 0; k < 4; k++) ck_assert(host[k] == 1);
  weft_array_release(&y);
  ok(weft_cov(&y, x, .bias = true, .dtype = WEFT_F32)); /* one variable: a number */
  ck_assert(weft_array_ndim(y) == 0 && weft_array_dtype(y) == WEFT_F32 && fabs(number(y) - 35.0 / 12) < 1e-6);
  weft_array_release(&y);
  ok(weft_corrcoef(&y, table, .columns = true));
  ck_assert(weft_array_shape(y).dim[0] == 3);
  weft_array_release(&y);
  ok(weft_ones(&wrong, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  expect_error(weft_cov(&y, cube), WEFT_ERROR_SHAPE, "`x` has 3 axes; expected 1 or 2", "@x");
  expect_error(weft_cov(&y, table, .y = x), WEFT_ERROR_SHAPE, "different numbers of observations", "@y");
  expect_error(weft_cov(&y, table, .fweights = wrong), WEFT_ERROR_DTYPE,
               "`fweights` is f32; expected an integer dtype");
  expect_error(weft_cov(&y, table, .aweights = c), WEFT_ERROR_DTYPE, "`aweights` is c64; expected a real dtype");
  expect_error(weft_cov(&y, x, .aweights = wrong), WEFT_ERROR_SHAPE, "expected 6 weights along one axis", "@aweights");
  expect_error(weft_cov(&y, x, .dtype = WEFT_I32), WEFT_ERROR_DTYPE, "`dtype` is i32; expected f32, f64, c64 or c128");
  expect_error(weft_corrcoef(&y, c, .dtype = WEFT_F32), WEFT_ERROR_DTYPE, "an operand is complex");
  ck_assert(y == NULL);
  weft_release(&x, &table, &cube, &wrong, &c);
}
END_TEST

START_TEST(integrals)
{
  weft_array *y = counted(WEFT_F32, 5), *places = NULL, *few = counted(WEFT_F32, 3), *out = NULL, *none = NULL;
  ok(weft_trapezoid(&out, y, 0, .dx = 0.5));
  ck_assert(number(out) == 4);
  weft_array_release(&out);
  ok(weft_multiply(&places, y, y));
  ok(weft_trapezoid(&out, y, -1, .x = places)); /* 0.5 * 1 + 1.5 * 3 + 2.5 * 5 + 3.5 * 7 */
  ck_assert(number(out) == 42);
  weft_array_release(&out);
  float host[5];
  ok(weft_cumulative_trapezoid(&y, y, 0, .initial = true)); /* in place */
  ok(weft_to_host(host, sizeof host, y));
  ck_assert(host[0] == 0 && host[1] == 0.5f && host[4] == 8);
  ok(weft_empty(&none, ctx, WEFT_F32, WEFT_SHAPE(0)));
  ok(weft_trapezoid(&out, none, 0));
  ck_assert(number(out) == 0);
  weft_array_release(&out);
  expect_error(weft_cumulative_trapezoid(&out, none, 0), WEFT_ERROR_SHAPE, "no elements along axis 0", "@y");
  expect_error(weft_trapezoid(&out, y, 0, .x = y, .dx = 2), WEFT_ERROR_ARGUMENT, "`x` and `dx` are given", "@dx");
  expect_error(weft_trapezoid(&out, y, 0, .initial = true), WEFT_ERROR_ARGUMENT, "only weft_cumulative_trapezoid",
               "@initial");
  expect_error(weft_trapezoid(&out, y, 0, .x = few), WEFT_ERROR_SHAPE, "expected an x for each element", "@x");
  expect_error(weft_trapezoid(&out, y, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "expected one axis");
  weft_release(&y, &places, &few, &none);
}
END_TEST

/// Between a number and an infinity lies that infinity, at any q and by every method that divides.
START_TEST(quantiles_beside_infinities)
{
  static const double q[] = {0, 0.125, 0.25, 0.5, 0.625, 0.75, 0.99, 1};
  const float up[] = {1, INFINITY}, down[] = {1, -INFINITY}, both[] = {INFINITY, -INFINITY};
  float got[8];
  for (int k = 0; k < 8; k++) {
    ok(weft_quantile(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(up, WEFT_F32, WEFT_SHAPE(2)), q[k], 0));
    ck_assert_msg(k ? got[0] == INFINITY : got[0] == 1, "%g of 1 and inf: %g", q[k], (double)got[0]);
    ok(weft_quantile(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(down, WEFT_F32, WEFT_SHAPE(2)), q[k], 0));
    ck_assert_msg(k < 7 ? got[0] == -INFINITY : got[0] == 1, "%g of -inf and 1: %g", q[k], (double)got[0]);
    ok(weft_nanquantile(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(both, WEFT_F32, WEFT_SHAPE(2)), q[k],
                        0));
    ck_assert_msg(k == 0   ? got[0] == -INFINITY
                  : k == 7 ? got[0] == INFINITY
                           : isnan(got[0]),
                  "%g of -inf and inf: %g", q[k], (double)got[0]);
  }
  ok(weft_median(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(up, WEFT_F32, WEFT_SHAPE(2)), 0));
  ck_assert(got[0] == INFINITY);
}
END_TEST

/// Numbers whose difference overflows.
START_TEST(quantiles_between_extremes)
{
  static const double q[] = {0, 0.25, 0.5, 0.75, 1};
  const float ends[] = {-FLT_MAX, FLT_MAX};
  const double wide[] = {-DBL_MAX, DBL_MAX};
  for (int k = 0; k < 5; k++) {
    float got = 0;
    double got_wide = 0;
    ok(weft_quantile(WEFT_HOST_OUT(&got, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(ends, WEFT_F32, WEFT_SHAPE(2)), q[k], 0));
    ck_assert_msg(fabs((double)got - (2 * q[k] - 1) * (double)FLT_MAX) <= 1e-6 * (double)FLT_MAX, "%g: %g", q[k],
                  (double)got);
    if (!harness_has_dtype(WEFT_F64)) continue;
    ok(weft_quantile(WEFT_HOST_OUT(&got_wide, WEFT_F64, WEFT_SHAPE_0D), WEFT_HOST(wide, WEFT_F64, WEFT_SHAPE(2)), q[k],
                     0));
    ck_assert_msg(fabs(got_wide - (2 * q[k] - 1) * DBL_MAX) <= 1e-15 * DBL_MAX, "%g: %g", q[k], got_wide);
  }
}
END_TEST

/* ---- variances far from zero ---- */

/// The variance of n elements with a step, by two passes around one of them; NaNs are skipped.
static double variance_of(const double *x, int64_t n, int64_t step) {
  double sum = 0, squares = 0, from = NAN;
  int64_t numbers = 0;
  for (int64_t i = 0; i < n; i++) {
    if (isnan(x[i * step])) continue;
    if (isnan(from)) from = x[i * step];
    sum += x[i * step] - from;
    numbers++;
  }
  const double mean = sum / (double)numbers;
  for (int64_t i = 0; i < n; i++)
    if (!isnan(x[i * step])) squares += (x[i * step] - from - mean) * (x[i * step] - from - mean);
  return squares / (double)numbers;
}

/// Numbers around 1e8, with `gaps` every 41st, from the first on, NaN.
static double *far_numbers(int64_t n, bool gaps) {
  double *x = malloc((size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) x[i] = gaps && i % 41 == 0 ? NAN : 1e8 + (double)(i * 7919 % 1009) / 512 + i % 3;
  return x;
}

static void expect_near(double got, double expected, const char *what, int64_t at) {
  ck_assert_msg(fabs(got - expected) <= 1e-12 * expected, "%s, %lld: %.17g, expected %.17g", what, (long long)at, got,
                expected);
}

START_TEST(variances_far_from_zero)
{
  static const int64_t shape[][2] = {{1, 37}, {1, 1000}, {1, 100003}, {700, 37}, {37, 700}, {3, 20001}, {20001, 3}};
  typedef weft_status call(weft_array * *out, const weft_array *x, weft_axes axes, const weft_var_params *params);
  static call *const calls[] = {weft_var, weft_std, weft_nanvar, weft_nanstd};
  if (!device.has_fp64) return;
  for (int s = 0; s < 7; s++)
    for (int k = 0; k < 4; k++) {
      const int64_t rows = shape[s][0], columns = shape[s][1];
      double *x = far_numbers(rows * columns, k >= 2), *got = malloc((size_t)(rows + columns) * sizeof *got);
      weft_array *given = NULL, *y = NULL;
      ok(weft_from_host(&given, ctx, WEFT_F64, WEFT_SHAPE(rows, columns), x));
      for (int axis = rows == 1; axis < 2; axis++) {
        const int64_t results = axis ? rows : columns;
        ok(calls[k](&y, given, weft__axes(1, &axis), NULL));
        ok(weft_to_host(got, (size_t)results * sizeof *got, y));
        for (int64_t i = 0; i < results; i++) {
          const double v = axis ? variance_of(x + i * columns, columns, 1) : variance_of(x + i, rows, columns);
          expect_near(k % 2 ? got[i] * got[i] : got[i], v, k < 2 ? "plain" : "nan form", i);
        }
        weft_array_release(&y);
      }
      weft_array_release(&given);
      free(x);
      free(got);
    }
}
END_TEST

START_TEST(covariances_far_from_zero)
{
  enum { VARIABLES = 3, OBSERVATIONS = 5000 };
  if (!device.has_fp64) return;
  double *x = far_numbers(VARIABLES * OBSERVATIONS, false), got[VARIABLES * VARIABLES];
  weft_array *given = NULL, *ones = NULL;
  ok(weft_from_host(&given, ctx, WEFT_F64, WEFT_SHAPE(VARIABLES, OBSERVATIONS), x));
  ok(weft_ones(&ones, ctx, WEFT_F64, WEFT_SHAPE(OBSERVATIONS)));
  for (int weighted = 0; weighted < 2; weighted++) {
    ok(weft_cov(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(VARIABLES, VARIABLES)), given, .bias = true,
                .aweights = weighted ? ones : NULL));
    for (int v = 0; v < VARIABLES; v++)
      expect_near(got[v * VARIABLES + v], variance_of(x + v * OBSERVATIONS, OBSERVATIONS, 1), "cov", v);
  }
  weft_release(&given, &ones);
  free(x);
}
END_TEST

START_TEST(medians_of_columns)
{
  enum { ROWS = 1201, COLUMNS = 5 };
  static float from[ROWS][COLUMNS];
  float got[COLUMNS];
  weft_array *x = NULL, *part = NULL;
  for (int i = 0; i < ROWS; i++)
    for (int c = 0; c < COLUMNS; c++) from[i][c] = (float)(i * 7 % ROWS + c);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), from));
  ok(weft_median(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(COLUMNS)), x, 0));
  for (int c = 0; c < COLUMNS; c++) ck_assert(got[c] == (float)(ROWS / 2 + c));
  ok(weft_slice(&part, x, 0, ROWS - 1, WEFT_END, .step = -1));
  ok(weft_quantile(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(COLUMNS)), part, 1, 0)); /* backwards */
  for (int c = 0; c < COLUMNS; c++) ck_assert(got[c] == (float)(ROWS - 1 + c));
  weft_release(&x, &part);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "statistics");
  tcase_add_test(all, quantiles_between_extremes);
  tcase_add_test(all, variances_far_from_zero);
  tcase_add_test(all, quantiles_beside_infinities);
  tcase_add_test(all, covariances_far_from_zero);
  tcase_add_test(all, wrong_quantiles);
  tcase_add_test(all, results_of_quantiles);
  tcase_add_test(all, weighted_quantiles);
  tcase_add_test(all, quantiles_of_long_rows);
  tcase_add_test(all, averages);
  tcase_add_test(all, covariances);
  tcase_add_test(all, covariances_of_many);
  tcase_add_test(all, covariances_of_few);
  tcase_add_test(all, covariances_of_odd_numbers);
  tcase_add_test(all, integrals);
  tcase_add_test(all, medians_of_columns);
}

int main(void) {
  const harness_suite suite = {.name = "statistics", .add = add};
  return harness_main(&suite);
}
