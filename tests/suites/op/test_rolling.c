// SPDX-License-Identifier: MIT
/// weft/rolling.h and weft_sliding_window: errors and their texts, elements outside of a window, views that cannot be
/// written. NumPy judges the values (tests/judge/primitives/statistics.py).
#include <math.h>
#include <stdlib.h>

#include "samples.h"

enum { N = 1000, WINDOW = 7 };

START_TEST(elements_outside)
{
  weft_array *x = NULL, *y = NULL, *one = NULL;
  float host[N];
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_slice(&one, x, 0, 500, 501));
  ok(weft_fill(one, WEFT_SCALAR(1e30f))); /* a running sum would lose the ones behind it */
  ok(weft_rolling(&y, x, WINDOW, 0));
  ok(weft_to_host(host, (N - WINDOW + 1) * sizeof *host, y));
  for (int i = 0; i <= N - WINDOW; i++)
    ck_assert_msg(i + WINDOW <= 500 || i > 500 ? host[i] == WINDOW : host[i] >= 1e30f, "%d: %g", i, (double)host[i]);
  ok(weft_fill(one, WEFT_SCALAR(NAN)));
  ok(weft_rolling(&y, x, WINDOW, 0, .op = WEFT_REDUCE_STD)); /* in the array that is there */
  ok(weft_to_host(host, (N - WINDOW + 1) * sizeof *host, y));
  for (int i = 0; i <= N - WINDOW; i++)
    ck_assert_msg(i + WINDOW <= 500 || i > 500 ? host[i] == 0 : isnan(host[i]), "%d: %g", i, (double)host[i]);
  weft_release(&x, &y, &one);
}
END_TEST

START_TEST(windows_without_nan)
{
  const float host[6] = {1, NAN, 3, NAN, NAN, 6};
  weft_array *x = NULL, *y = NULL;
  float sum[5], least[4], mean[6];
  double of_integers[4];
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(6), host));
  ok(weft_rolling(WEFT_HOST_OUT(sum, WEFT_F32, WEFT_SHAPE(5)), x, 2, 0, .op = WEFT_REDUCE_NANSUM));
  ck_assert(sum[0] == 1 && sum[1] == 3 && sum[2] == 3 && sum[3] == 0 && sum[4] == 6);
  ok(weft_rolling(WEFT_HOST_OUT(sum, WEFT_F32, WEFT_SHAPE(5)), x, 2, 0, .op = WEFT_REDUCE_NANSUM, .min_count = 1));
  ck_assert(sum[0] == 1 && sum[2] == 3 && isnan(sum[3]) && sum[4] == 6);
  ok(weft_rolling(WEFT_HOST_OUT(least, WEFT_F32, WEFT_SHAPE(4)), x, 3, 0, .op = WEFT_REDUCE_NANMIN, .min_count = 2));
  ck_assert(least[0] == 1 && isnan(least[1]) && isnan(least[2]) && isnan(least[3]));
  ok(weft_rolling(&y, x, 2, 0, .op = WEFT_REDUCE_NANVAR, .ddof = 1)); /* as weft_nanvar of too few elements */
  ok(weft_to_host(sum, sizeof sum, y));
  for (int i = 0; i < 5; i++) ck_assert(isnan(sum[i]));
  weft_array_release(&y);

  ok(weft_pad(&y, x, WEFT_SHAPE(2), WEFT_SHAPE(0), .value = WEFT_SCALAR(NAN))); /* pandas' rolling(3, min_periods=1) */
  ok(weft_rolling(WEFT_HOST_OUT(mean, WEFT_F32, WEFT_SHAPE(6)), y, 3, 0, .op = WEFT_REDUCE_NANMEAN));
  ck_assert(mean[0] == 1 && mean[1] == 1 && mean[2] == 2 && mean[3] == 3 && mean[4] == 3 && mean[5] == 6);
  weft_array_release(&y);

  ok(weft_arange(&y, ctx, WEFT_I32, 0, 6, 1)); /* no integer is NaN */
  if (device.has_fp64) {
    ok(weft_rolling(WEFT_HOST_OUT(of_integers, WEFT_F64, WEFT_SHAPE(4)), y, 3, 0, .op = WEFT_REDUCE_NANMEAN,
                    .min_count = 3));
    for (int i = 0; i < 4; i++) ck_assert(of_integers[i] == i + 1);
  }
  weft_release(&x, &y);

  /* of complex numbers a NaN has two parts, as weft_nanmean's */
  const weft_c64 pairs[3] = {{1, 2}, {NAN, 3}, {4, NAN}};
  weft_c64 means[2];
  ok(weft_rolling(WEFT_HOST_OUT(means, WEFT_C64, WEFT_SHAPE(2)), WEFT_HOST(pairs, WEFT_C64, WEFT_SHAPE(3)), 2, 0,
                  .op = WEFT_REDUCE_NANMEAN));
  ck_assert(means[0].re == 1 && means[0].im == 2 && isnan(means[1].re) && isnan(means[1].im));
}
END_TEST

START_TEST(windows_of_integers)
{
  weft_array *x = NULL, *y = NULL;
  int64_t sums[4];
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 6, 1));
  ok(weft_rolling(WEFT_HOST_OUT(sums, WEFT_I64, WEFT_SHAPE(4)), x, 3, 0));
  for (int i = 0; i < 4; i++) ck_assert(sums[i] == 3 * i + 3);
  const int64_t large[] = {INT64_MAX, INT64_MAX, 3, INT64_MIN, INT64_MIN, -1};
  ok(weft_rolling(WEFT_HOST_OUT(sums, WEFT_I64, WEFT_SHAPE(4)), WEFT_HOST(large, WEFT_I64, WEFT_SHAPE(6)), 3, 0));
  ck_assert(sums[0] == 1 && sums[1] == 2 && sums[2] == 3 && sums[3] == -1);
  ok(weft_rolling(WEFT_HOST_OUT(sums, WEFT_I64, WEFT_SHAPE(4)), WEFT_HOST(large, WEFT_I64, WEFT_SHAPE(6)), 3, 0,
                  .op = WEFT_REDUCE_PROD));
  ck_assert(sums[0] == 3 && sums[1] == INT64_MIN && sums[2] == 0 && sums[3] == 0);
  ok(weft_rolling(&y, x, 6, 0, .op = WEFT_REDUCE_PTP));
  ck_assert(weft_array_size(y) == 1 && weft_array_dtype(y) == WEFT_I32);
  weft_release(&x, &y);
}
END_TEST

/// The windows of rows against reductions of the view of all windows; the numbers are small, so that sums are exact.
static void check_windows(weft_dtype dtype, int64_t window, weft_reduction_id op) {
  weft_array *numbers = NULL, *x = NULL, *view = NULL, *y = NULL, *expected = NULL;
  bool is_equal = false;
  ok(weft_arange(&numbers, ctx, WEFT_I32, 0, 3 * 2503, 1));
  ok(weft_eval(&expected, ctx, "n * 7919 % 101", WEFT_NAMED("n", numbers)));
  ok(weft_cast(&view, expected, dtype));
  ok(weft_reshape(&x, view, WEFT_SHAPE(3, 2503)));
  weft_release(&view, &expected);
  ok(weft_rolling(&y, x, window, 1, .op = op));
  ok(weft_sliding_window(&view, x, WEFT_SHAPE(window), 1));
  ok(weft_reduce(&expected, ctx, "v", -1, WEFT_REDUCTION(.op = op), WEFT_NAMED("v", view)));
  ok(weft_array_equal(&is_equal, y, expected));
  ck_assert_msg(is_equal, "%s, window %d, reduction %d", weft_dtype_name(dtype), (int)window, (int)op);
  weft_release(&numbers, &x, &view, &y, &expected);
  harness_count(1);
}

START_TEST(short_windows)
{
  const weft_reduction_id ops[] = {WEFT_REDUCE_SUM, WEFT_REDUCE_MIN, WEFT_REDUCE_MAX};
  for (int k = 0; k < 3; k++) {
    check_windows(WEFT_F32, 2, ops[k]);
    check_windows(WEFT_F32, 16, ops[k]);
    check_windows(WEFT_F32, 128, ops[k]);
  }
  check_windows(WEFT_F32, 32, WEFT_REDUCE_MEAN); /* a power of two: exact */
  check_windows(WEFT_I16, 17, WEFT_REDUCE_SUM);
  if (device.has_fp64) check_windows(WEFT_U8, 33, WEFT_REDUCE_MEAN);
}
END_TEST

/// Windows along the middle axis of elements that begin behind others. The numbers are small, so that sums are exact.
static void check_slabs(int outer, int length, int inner, int window) {
  const int64_t size = (int64_t)outer * length * inner, results = (int64_t)outer * (length - window + 1) * inner;
  float *host = malloc((size_t)(size + 1) * sizeof *host), *sum = malloc((size_t)results * sizeof *sum),
        *most = malloc((size_t)results * sizeof *most);
  weft_array *all = NULL, *part = NULL, *x = NULL, *y = NULL;
  ck_assert(host && sum && most);
  for (int64_t i = 0; i <= size; i++) host[i] = (float)(i * 7919 % 101);
  ok(weft_from_host(&all, ctx, WEFT_F32, WEFT_SHAPE(size + 1), host));
  ok(weft_slice(&part, all, 0, 1, size + 1));
  ok(weft_reshape(&x, part, WEFT_SHAPE(outer, length, inner)));
  ok(weft_rolling(&y, x, window, 1));
  ok(weft_to_host(sum, (size_t)results * sizeof *sum, y));
  ok(weft_rolling(&y, x, window, 1, .op = WEFT_REDUCE_MAX));
  ok(weft_to_host(most, (size_t)results * sizeof *most, y));
  for (int64_t i = 0; i < results; i++) {
    const int64_t slab = i / ((length - window + 1) * inner), first = i + slab * (window - 1) * inner + 1;
    float added = 0, greatest = 0;
    for (int k = 0; k < window; k++) {
      added += host[first + k * inner];
      greatest = fmaxf(greatest, host[first + k * inner]);
    }
    ck_assert_msg(sum[i] == added && most[i] == greatest, "%d x %d x %d, window %d, %d: %g, %g", outer, length, inner,
                  window, (int)i, (double)sum[i], (double)most[i]);
  }
  weft_release(&all, &part, &x, &y);
  free(host);
  free(sum);
  free(most);
  harness_count(1);
}

/// Tiles of a CPU (cl/statistics/rolling.cl) that hold several slabs, one, parts of one and strips of these.
START_TEST(windows_of_slabs)
{
  const int slab[][3] = {{7, 300, 1}, {301, 5, 3}, {2, 2000, 1}, {2, 700, 3}, {2, 200, 9}, {2, 211, 45}};
  const int window[] = {2, 3, 5, 64, 97, 98, 200, 511, 512, 513, 2000};
  for (size_t s = 0; s < sizeof slab / sizeof *slab; s++)
    for (size_t w = 0; w < sizeof window / sizeof *window && window[w] <= slab[s][1]; w++)
      check_slabs(slab[s][0], slab[s][1], slab[s][2], window[w]);
}
END_TEST

/// A NaN and an infinity belong to the windows with them, and to no other.
START_TEST(windows_with_nan)
{
  weft_array *x = NULL, *y = NULL, *one = NULL;
  float host[N];
  const weft_reduction_id ops[] = {WEFT_REDUCE_SUM, WEFT_REDUCE_PROD, WEFT_REDUCE_MEAN, WEFT_REDUCE_MIN,
                                   WEFT_REDUCE_MAX};
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_slice(&one, x, 0, 300, 301));
  ok(weft_fill(one, WEFT_SCALAR(NAN)));
  weft_array_release(&one);
  ok(weft_slice(&one, x, 0, 600, 601));
  ok(weft_fill(one, WEFT_SCALAR(INFINITY)));
  for (int k = 0; k < 5; k++) {
    const bool is_least = ops[k] == WEFT_REDUCE_MIN;
    ok(weft_rolling(&y, x, WINDOW, 0, .op = ops[k]));
    ok(weft_to_host(host, (N - WINDOW + 1) * sizeof *host, y));
    for (int i = 0; i <= N - WINDOW; i++) {
      const bool has_nan = i + WINDOW > 300 && i <= 300, has_infinity = i + WINDOW > 600 && i <= 600;
      const float plain = ops[k] == WEFT_REDUCE_SUM ? WINDOW : 1;
      ck_assert_msg(has_nan                     ? isnan(host[i])
                    : has_infinity && !is_least ? isinf(host[i])
                                                : host[i] == plain,
                    "reduction %d, %d: %g", (int)ops[k], i, (double)host[i]);
    }
  }
  weft_release(&x, &y, &one);
}
END_TEST

START_TEST(view_of_windows)
{
  weft_array *x = NULL, *v = NULL, *sums = NULL;
  float host[4];
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 6, 1));
  ok(weft_sliding_window(&v, x, WEFT_SHAPE(3), 0));
  ck_assert(weft_array_ndim(v) == 2 && weft_array_shape(v).dim[0] == 4 && weft_array_shape(v).dim[1] == 3);
  ok(weft_sum(&sums, v, 1));
  ok(weft_to_host(host, sizeof host, sums));
  for (int i = 0; i < 4; i++) ck_assert(host[i] == (float)(3 * i + 3));
  expect_error(weft_fill(v, WEFT_SCALAR(1)), WEFT_ERROR_LAYOUT, "a view of windows, which share elements");
  weft_release(&v, &sums);
  expect_error(weft_sliding_window(&v, x, WEFT_SHAPE(7), 0), WEFT_ERROR_SHAPE, "length 7; expected 1 to 6", "@window");
  expect_error(weft_sliding_window(&v, x, WEFT_SHAPE(2, 2), 0), WEFT_ERROR_SHAPE, "2 lengths, `axes` 1 axes");
  expect_error(weft_rolling(&v, x, 7, 0), WEFT_ERROR_ARGUMENT, "`window` is 7; expected 1 to 6", "@window");
  expect_error(weft_rolling(&v, x, 0, 0), WEFT_ERROR_ARGUMENT, "`window` is 0");
  expect_error(weft_rolling(&v, x, 2, 0, .op = WEFT_REDUCE_ARGMAX), WEFT_ERROR_ARGUMENT, "`op` is 6", "@op");
  expect_error(weft_rolling(&v, x, 2, 0, .op = WEFT_REDUCE_NANARGMAX), WEFT_ERROR_ARGUMENT, "`op` is 20", "@op");
  expect_error(weft_rolling(&v, x, 2, 0, .op = WEFT_REDUCE_NANSUM, .min_count = 3), WEFT_ERROR_ARGUMENT,
               "`min_count` is 3; expected 0 to 2, the elements of a window", "@min_count");
  expect_error(weft_rolling(&v, x, 2, 0, .ddof = 1), WEFT_ERROR_ARGUMENT, "`ddof` is 1, but `op` is no variance",
               "@ddof");
  expect_error(weft_rolling(&v, x, 2, 0, .min_count = 1), WEFT_ERROR_ARGUMENT, "expected a nan form", "@min_count");
  expect_error(weft_rolling(&v, x, 2, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "expected one axis");
  ck_assert(v == NULL);
  weft_array_release(&x);
}
END_TEST

/// Deviations beside elements of any size, and of elements far from zero, against two passes.
START_TEST(deviations_beside_large_elements)
{
  enum { LENGTH = 400 };
  const double large[] = {9.54e8, 1.3e17, -1e30, 1e8};
  static const int windows[] = {2, 3, 7, 50, 399};
  static double x[LENGTH], got[LENGTH];
  for (int k = 0; k < 4 && device.has_fp64; k++) {
    for (int i = 0; i < LENGTH; i++) x[i] = (k == 3 ? large[k] : 0) + i * 7919 % 101 / 64.0;
    for (int i = 5; k < 3 && i < LENGTH; i += 90) x[i] = large[k];
    for (int w = 0; w < 5; w++)
      for (int skips = 0; skips < 2; skips++) {
        const int window = windows[w], results = LENGTH - window + 1;
        ok(weft_rolling(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(results)), WEFT_HOST(x, WEFT_F64, WEFT_SHAPE(LENGTH)),
                        window, 0, .op = skips ? WEFT_REDUCE_NANVAR : WEFT_REDUCE_VAR, .ddof = 1));
        for (int i = 0; i < results; i++) {
          double mean = 0, squares = 0;
          for (int j = 0; j < window; j++) mean += (x[i + j] - x[i]) / window;
          for (int j = 0; j < window; j++) squares += (x[i + j] - x[i] - mean) * (x[i + j] - x[i] - mean);
          const double expected = squares / (window - 1);
          ck_assert_msg(fabs(got[i] - expected) <= 1e-12 * expected, "large %g, window %d, %d: %.17g, expected %.17g",
                        large[k], window, i, got[i], expected);
        }
      }
  }
}
END_TEST

/// Variances around 1e8 that skip NaNs, also at both ends of the blocks, against two passes.
START_TEST(deviations_beside_nan)
{
  enum { LENGTH = 400 };
  static const int windows[] = {3, 7, 50, 133};
  static double x[LENGTH], got[LENGTH];
  for (int w = 0; w < 4 && device.has_fp64; w++) {
    const int window = windows[w], results = LENGTH - window + 1;
    for (int i = 0; i < LENGTH; i++)
      x[i] = i % window == 0 || i % window == window - 1 || i % 11 == 0 ? NAN : 1e8 + i * 7919 % 101 / 64.0;
    ok(weft_rolling(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(results)), WEFT_HOST(x, WEFT_F64, WEFT_SHAPE(LENGTH)),
                    window, 0, .op = WEFT_REDUCE_NANVAR));
    for (int i = 0; i < results; i++) {
      double sum = 0, squares = 0;
      int n = 0;
      for (int j = i; j < i + window; j++)
        if (!isnan(x[j])) sum += x[j] - 1e8, n++;
      for (int j = i; j < i + window; j++)
        if (!isnan(x[j])) squares += (x[j] - 1e8 - sum / n) * (x[j] - 1e8 - sum / n);
      if (n == 0)
        ck_assert(isnan(got[i]));
      else
        ck_assert_msg(fabs(got[i] - squares / n) <= 1e-12 * squares / n, "window %d, %d: %.17g, expected %.17g", window,
                      i, got[i], squares / n);
    }
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "rolling");
  tcase_add_test(all, elements_outside);
  tcase_add_test(all, windows_without_nan);
  tcase_add_test(all, windows_of_integers);
  tcase_add_test(all, short_windows);
  tcase_add_test(all, windows_of_slabs);
  tcase_add_test(all, windows_with_nan);
  tcase_add_test(all, view_of_windows);
  tcase_add_test(all, deviations_beside_large_elements);
  tcase_add_test(all, deviations_beside_nan);
}

int main(void) {
  const harness_suite suite = {.name = "rolling", .add = add};
  return harness_main(&suite);
}
