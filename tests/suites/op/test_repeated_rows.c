// SPDX-License-Identifier: MIT
/// Functions of rows that a broadcast view repeats (weft/scan.h, weft/sort.h, weft/statistics.h): the elements of the
/// same call on a copy, without a copy of the view where the result is small.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define A 3
#define B 5
#define C 7

/// The function `which` of x along an axis. False: there is no such function.
static bool call(weft_array **y, int which, const weft_array *x, int axis) {
  switch (which) {
    case 0:
      ok(weft_cumsum(y, x, axis));
      return true;
    case 1:
      ok(weft_cummax(y, x, axis, .reverse = true));
      return true;
    case 2:
      ok(weft_scan(y, x, axis, .combine = "a + b", .neutral = WEFT_SCALAR(0), .exclusive = true));
      return true;
    case 3:
      ok(weft_cumprod(y, x, axis, .dtype = WEFT_F32));
      return true;
    case 4:
      ok(weft_sort(y, x, axis));
      return true;
    case 5:
      ok(weft_sort(y, x, axis, .descending = true));
      return true;
    case 6:
      ok(weft_argsort(y, x, axis));
      return true;
    case 7:
      ok(weft_argsort(y, x, axis, .descending = true));
      return true;
    case 8:
      ok(weft_median(y, x, axis));
      return true;
    case 9:
      ok(weft_nanmedian(y, x, weft_keepdims(axis)));
      return true;
    case 10:
      ok(weft_quantile(y, x, 0.25, axis));
      return true;
    case 11:
      ok(weft_percentile(y, x, 30, WEFT_AXES(axis, (axis + 1) % 3), .method = WEFT_QUANTILE_LOWER));
      return true;
    default:
      return false;
  }
}

/// NaNs are equal: which bits they have depends on the operation that made or moved them.
static bool is_same(const void *a, const void *b, weft_dtype dtype, size_t bytes) {
  const float *x = a, *y = b;
  if (dtype != WEFT_F32) return memcmp(a, b, bytes) == 0;
  for (size_t k = 0; k < bytes / sizeof *x; k++)
    if (memcmp(&x[k], &y[k], sizeof *x) != 0 && !(isnan(x[k]) && isnan(y[k]))) return false;
  return true;
}

static void check_same_elements(const weft_array *got, const weft_array *wanted, int which, int axis) {
  const size_t bytes = (size_t)weft_array_size_bytes(wanted);
  ck_assert_int_eq(weft_array_dtype(got), weft_array_dtype(wanted));
  ck_assert_int_eq(weft_array_ndim(got), weft_array_ndim(wanted));
  for (int d = 0; d < weft_array_ndim(got); d++)
    ck_assert_int_eq(weft_array_length(got, d), weft_array_length(wanted, d));
  char *a = malloc(bytes), *b = malloc(bytes);
  ok(weft_to_host(a, bytes, got));
  ok(weft_to_host(b, bytes, wanted));
  ck_assert_msg(is_same(a, b, weft_array_dtype(wanted), bytes), "function %d along axis %d differs from that of a copy",
                which, axis);
  free(a);
  free(b);
}

/// Element (i, j, k) of the views is one of these, whatever the index of an axis of length 1 is.
START_TEST(views_and_copies)
{
  static const int64_t given[][3] = {{1, B, C}, {A, 1, C}, {A, B, 1}, {1, 1, C},
                                     {1, B, 1}, {A, 1, 1}, {1, 1, 1}, {A, B, C}};
  float host[A * B * C];
  for (int k = 0; k < A * B * C; k++) host[k] = k % 11 == 5 ? NAN : (float)(k * 37 % 23) - 9;
  for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
    weft_array *few = NULL, *view = NULL, *copy = NULL;
    ok(weft_from_host(&few, ctx, WEFT_F32, WEFT_SHAPE(given[g][0], given[g][1], given[g][2]), host));
    ok(weft_broadcast(&view, few, WEFT_SHAPE(A, B, C)));
    ok(weft_copy(&copy, view));
    for (int axis = 0; axis < 3; axis++) {
      weft_array *got = NULL, *wanted = NULL;
      for (int which = 0; call(&got, which, view, axis); which++) {
        ck_assert(call(&wanted, which, copy, axis));
        check_same_elements(got, wanted, which, axis);
        weft_release(&got, &wanted);
      }
    }
    weft_release(&few, &view, &copy);
  }
}
END_TEST

/// A result that the caller gives, and one that is the view's own memory.
START_TEST(given_results)
{
  float host[C] = {3, 1, 2, 7, 5, 6, 4}, got[A * C];
  weft_array *x = NULL, *view = NULL, *y = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(C), host));
  ok(weft_broadcast(&view, x, WEFT_SHAPE(A, C)));
  ok(weft_empty(&y, ctx, WEFT_F64, WEFT_SHAPE(A, C)));
  if (device.has_fp64) {
    ok(weft_sort(&y, view, 1));
    ok(weft_cumsum(&y, view, -1));
  }
  weft_release(&y);
  ok(weft_sort(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(A, C)), view, 1));
  for (int k = 0; k < A * C; k++) ck_assert(got[k] == (float)(k % C + 1));
  ok(weft_median(&x, view, 0)); /* each column repeats one element */
  ok(weft_to_host(got, sizeof host, x));
  ck_assert(memcmp(got, host, sizeof host) == 0);
  expect_error(weft_sort(&x, view, 1), WEFT_ERROR_SHAPE, "weft_sort", "@out");
  expect_error(weft_cumsum(&x, view, 1), WEFT_ERROR_SHAPE, "weft_cumsum", "@out");
  expect_error(weft_sort(&y, view, 2), WEFT_ERROR_AXIS, "weft_sort", "@axis");
  expect_error(weft_quantile(&y, view, 1.5, 1), WEFT_ERROR_ARGUMENT, "weft_quantile", "@q");
  weft_release(&x, &view);
}
END_TEST

/// A copy of the view would have 2^42 elements.
START_TEST(small_results_of_large_views)
{
  const int64_t many = INT64_C(1) << 20, rows = INT64_C(1) << 21;
  weft_array *x = NULL, *view = NULL, *y = NULL;
  float first = 0;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, (double)many, 1));
  ok(weft_broadcast(&view, x, WEFT_SHAPE(rows, many)));
  ok(weft_median(&y, view, 0));
  ck_assert_int_eq(weft_array_size(y), many);
  weft_release(&y);
  ok(weft_quantile(&y, view, 1, 1));
  ck_assert_int_eq(weft_array_size(y), rows);
  weft_array *one = NULL;
  ok(weft_slice(&one, y, 0, rows - 1, rows));
  ok(weft_to_host(&first, sizeof first, one));
  ck_assert(first == (float)(many - 1));
  weft_release(&one, &y, &view, &x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "repeated_rows");
  tcase_add_test(tc, views_and_copies);
  tcase_add_test(tc, given_results);
  tcase_add_test(tc, small_results_of_large_views);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "repeated_rows", .add = add});
}
