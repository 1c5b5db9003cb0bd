// SPDX-License-Identifier: MIT
/// weft/normalize.h against the formulas in double: rows that the kernels read once and rows that they do not, along
/// the last axes and others, special values, errors.
#include <math.h>
#include <stdlib.h>

#include "samples.h"

enum { SOFTMAX, LOG_SOFTMAX, LOGSUMEXP, STANDARDIZE, FUNCTIONS };

static weft_status apply(int function, weft_array **y, const weft_array *x, weft_axes axes) {
  switch (function) {
    case SOFTMAX:
      return weft_softmax(y, x, axes);
    case LOG_SOFTMAX:
      return weft_log_softmax(y, x, axes);
    case LOGSUMEXP:
      return weft_logsumexp(y, x, axes);
    default:
      return weft_standardize(y, x, axes, .ddof = 1, .epsilon = 0.5);
  }
}

/* The results of a row whose elements are `step` apart; of LOGSUMEXP one. */
static void reference(int function, double *y, const double *x, int64_t length, int64_t step) {
  double most = -INFINITY, sum = 0, mean = 0, squares = 0;
  for (int64_t i = 0; i < length; i++) {
    most = fmax(most, x[i * step]);
    mean += x[i * step] / (double)length;
  }
  for (int64_t i = 0; i < length; i++) {
    sum += exp(x[i * step] - most);
    squares += (x[i * step] - mean) * (x[i * step] - mean);
  }
  for (int64_t i = 0; i < (function == LOGSUMEXP ? 1 : length); i++) {
    const double distance = x[i * step] - most;
    y[i * step] = function == SOFTMAX       ? exp(distance) / sum
                  : function == LOG_SOFTMAX ? distance - log(sum)
                  : function == LOGSUMEXP   ? most + log(sum)
                                            : (x[i * step] - mean) / sqrt(squares / (double)(length - 1) + 0.5);
  }
}

/* x as doubles on the host. */
static double *numbers(const weft_array *x) {
  const size_t size = (size_t)weft_array_size(x);
  double *data = malloc(size * sizeof *data);
  if (weft_array_dtype(x) == WEFT_F64) {
    ok(weft_to_host(data, size * sizeof *data, x));
    return data;
  }
  weft_array *single = NULL;
  float *narrow = malloc(size * sizeof *narrow);
  ok(weft_cast(&single, x, WEFT_F32));
  ok(weft_to_host(narrow, size * sizeof *narrow, single));
  for (size_t i = 0; i < size; i++) data[i] = narrow[i];
  free(narrow);
  weft_array_release(&single);
  return data;
}

static double tolerance(weft_dtype dtype) {
  return dtype == WEFT_F16 ? 0x1p-9 : dtype == WEFT_BF16 ? 0x1p-6 : dtype == WEFT_F32 ? 0x1p-18 : 0x1p-46;
}

/* Compares y with the reference along the middle one of outer x length x inner elements. */
static void compare(int function, const weft_array *y, const weft_array *x, int64_t outer, int64_t length,
                    int64_t inner) {
  double *in = numbers(x), *got = numbers(y), *expected = calloc((size_t)weft_array_size(x), sizeof *expected);
  const int64_t results = function == LOGSUMEXP ? 1 : length;
  const double bound = tolerance(weft_array_dtype(y));
  for (int64_t o = 0; o < outer; o++)
    for (int64_t c = 0; c < inner; c++) {
      const int64_t begin = o * length * inner + c;
      reference(function, expected + begin, in + begin, length, inner);
      for (int64_t i = 0; i < results; i++) {
        const double e = expected[begin + i * inner], g = got[(o * results + i) * inner + c];
        ck_assert_msg(fabs(g - e) <= bound * fmax(fabs(e), function == SOFTMAX ? 0x1p-12 : 1),
                      "function %d, %s, length %lld: row %lld, element %lld: %.9g, expected %.9g", function,
                      weft_dtype_name(weft_array_dtype(x)), (long long)length, (long long)(o * inner + c), (long long)i,
                      g, e);
      }
    }
  harness_count(outer * inner);
  free(in);
  free(got);
  free(expected);
}

static weft_array *drawn(weft_dtype dtype, weft_shape shape) {
  weft_array *wide = NULL, *x = NULL;
  weft_rng *rng = NULL;
  ok(weft_rng_create(&rng, .context = ctx, .seed = 5));
  ok(weft_normal(&wide, rng, WEFT_F32, shape, 1, 5));
  ok(weft_cast(&x, wide, dtype));
  weft_rng_release(&rng);
  weft_array_release(&wide);
  return x;
}

static const int64_t lengths[] = {2, 31, 32, 33, 257, 1000, 8192, 8193};

START_TEST(rows_of_any_length)
{
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    weft_array *x = drawn(WEFT_F32, WEFT_SHAPE(5, lengths[k])), *y = NULL;
    ok(apply(_i, &y, x, WEFT__AXES(-1)));
    ck_assert_int_eq(weft_array_ndim(y), _i == LOGSUMEXP ? 1 : 2);
    compare(_i, y, x, 5, lengths[k], 1);
    weft_release(&x, &y);
  }
}
END_TEST

/// Rows of whole chunks that begin at any element: the same bits as of aligned ones.
START_TEST(rows_at_any_offset)
{
  enum { ROWS = 3, LENGTH = 264, N = ROWS * LENGTH };
  weft_array *all = drawn(WEFT_F32, WEFT_SHAPE(N + 3)), *x = NULL, *copy = NULL, *y = NULL, *expected = NULL;
  float got[N], same[N];
  for (int64_t first = 1; first <= 3; first++) {
    ok(weft_slice(&x, all, 0, first, first + N));
    ok(weft_copy(&copy, x));
    ok(weft_reshape(&y, x, WEFT_SHAPE(ROWS, LENGTH)));
    ok(weft_reshape(&expected, copy, WEFT_SHAPE(ROWS, LENGTH)));
    weft_release(&x, &copy);
    x = y, copy = expected, y = expected = NULL;
    ok(apply(_i, &y, x, WEFT__AXES(-1)));
    ok(apply(_i, &expected, copy, WEFT__AXES(-1)));
    const size_t bytes = (size_t)weft_array_size(y) * sizeof *got;
    ok(weft_to_host(got, bytes, y));
    ok(weft_to_host(same, bytes, expected));
    ck_assert_mem_eq(got, same, bytes);
    weft_release(&x, &copy, &y, &expected);
  }
  weft_array_release(&all);
}
END_TEST

START_TEST(dtypes)
{
  static const weft_dtype given[] = {WEFT_F16, WEFT_BF16, WEFT_F64, WEFT_I8};
  const weft_dtype dtype = given[_i / FUNCTIONS];
  const int function = _i % FUNCTIONS;
  if (!device.has_fp64 && (dtype == WEFT_F64 || dtype == WEFT_I8)) return;
  weft_array *x = drawn(dtype, WEFT_SHAPE(3, 100)), *y = NULL, *z = NULL;
  ok(apply(function, &y, x, WEFT__AXES(1)));
  ck_assert_int_eq(weft_array_dtype(y), dtype == WEFT_I8 ? WEFT_F64 : dtype);
  compare(function, y, x, 3, 100, 1);
  ok(apply(function, &z, x, WEFT__AXES(0)));
  compare(function, z, x, 1, 3, 100);
  weft_release(&x, &y, &z);
}
END_TEST

START_TEST(axes)
{
  weft_array *x = drawn(WEFT_F32, WEFT_SHAPE(4, 6, 10)), *view = NULL, *turned = NULL, *y = NULL;
  ok(apply(_i, &y, x, WEFT__AXES(WEFT_AXES(1, -1))));
  compare(_i, y, x, 4, 60, 1);
  weft_array_release(&y);
  ok(apply(_i, &y, x, weft_keepdims(1)));
  ck_assert_int_eq(weft_array_ndim(y), 3);
  compare(_i, y, x, 4, 6, 10);
  weft_array_release(&y);
  ok(apply(_i, &y, x, WEFT_ALL_AXES));
  compare(_i, y, x, 1, 240, 1);
  weft_array_release(&y);
  ok(weft_view(&view, x, "::2, 1:5, ::-1"));
  ok(apply(_i, &y, view, WEFT__AXES(2)));
  compare(_i, y, view, 8, 10, 1);
  weft_array_release(&y);
  ok(weft_swapaxes(&turned, x, 0, 2));
  ok(apply(_i, &y, turned, WEFT__AXES(-1)));
  compare(_i, y, turned, 60, 4, 1);
  weft_release(&x, &view, &turned, &y);
}
END_TEST

/* Rows with NaN and infinities, along the last axis and, in a column, by reductions. */
START_TEST(special_values)
{
  const float rows[4][3] = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 1, 2}, {NAN, 1, 2}, {1000, 999, -1000}};
  weft_array *x = NULL, *turned = NULL, *y = NULL;
  float got[4][3], sums[4];
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4, 3), rows));
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  for (int along = 0; along < 2; along++) {
    ok(weft_logsumexp(&y, along ? turned : x, along ? 0 : -1));
    ok(weft_to_host(sums, sizeof sums, y));
    ck_assert(sums[0] == -INFINITY && sums[1] == INFINITY && isnan(sums[2]));
    ck_assert_float_eq_tol(sums[3], 1000.3133f, 1e-3f);
    weft_array_release(&y);
  }
  ok(weft_softmax(&y, x, -1));
  ok(weft_to_host(got, sizeof got, y));
  for (int row = 0; row < 3; row++) ck_assert(isnan(got[row][0]) && isnan(got[row][2]));
  ck_assert(got[3][2] == 0 && fabsf(got[3][0] - 0.7310586f) < 1e-6f);
  ok(weft_log_softmax(&y, x, -1));
  ok(weft_to_host(got, sizeof got, y));
  ck_assert(isnan(got[1][0]) && got[1][1] == -INFINITY && got[3][2] < -2000);
  weft_release(&x, &turned, &y);
}
END_TEST

START_TEST(results_and_errors)
{
  weft_array *x = drawn(WEFT_F32, WEFT_SHAPE(3, 40)), *y = NULL, *c = NULL, *none = NULL, *same = NULL;
  double *expected, *got;
  float host[3];
  ok(weft_softmax(&y, x, 1));
  expected = numbers(y);
  ok(weft_copy(&same, x));
  ok(weft_softmax(&same, same, 1)); /* in place */
  got = numbers(same);
  for (int i = 0; i < 120; i++) ck_assert_double_eq(got[i], expected[i]);
  ok(weft_logsumexp(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(3)), x, 1));
  ck_assert(isfinite(host[0]) && isfinite(host[2]));
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  ok(weft_empty(&none, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  weft_array_release(&y);
  expect_error(weft_softmax(&y, c, 0), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers", "@x");
  expect_error(weft_softmax(&y, x, 2), WEFT_ERROR_AXIS, "axis");
  expect_error(weft_logsumexp(&y, none, 1), WEFT_ERROR_SHAPE, "the rows of `x` have no elements", "@x");
  expect_error(weft_softmax(&c, x, 0), WEFT_ERROR_SHAPE, "[3]");
  ck_assert(y == NULL);
  ok(weft_softmax(&y, none, 1));
  ck_assert_int_eq(weft_array_size(y), 0);
  free(expected);
  free(got);
  weft_release(&x, &y, &c, &none, &same);
}
END_TEST

/// Rows of equal elements are NaN, of any length and along each axis: their mean is exactly the element.
START_TEST(equal_elements)
{
  const weft_dtype dtype[] = {WEFT_F32, WEFT_F64, WEFT_F16};
  for (int d = 0; d < 3; d++)
    for (int64_t n = 3; n < 40000 && (dtype[d] != WEFT_F64 || device.has_fp64); n = n * 5 / 2)
      for (int axis = 0; axis < 2; axis++) {
        weft_array *x = NULL, *y = NULL, *is_nan = NULL;
        bool all = false;
        ok(weft_full(&x, ctx, dtype[d], axis ? WEFT_SHAPE(3, n) : WEFT_SHAPE(n, 3), 1.81));
        ok(weft_standardize(&y, x, axis));
        ok(weft_isnan(&is_nan, y));
        ok(weft_all(WEFT_HOST_OUT(&all, WEFT_BOOL, WEFT_SHAPE_0D), is_nan, WEFT_ALL_AXES));
        ck_assert_msg(all, "%s, %lld elements along axis %d", weft_dtype_name(dtype[d]), (long long)n, axis);
        weft_release(&x, &y, &is_nan);
      }
}
END_TEST

static void add(Suite *s) {
  TCase *c = harness_context_case(s, "normalize");
  tcase_add_loop_test(c, rows_of_any_length, 0, FUNCTIONS);
  tcase_add_loop_test(c, rows_at_any_offset, 0, FUNCTIONS);
  tcase_add_loop_test(c, dtypes, 0, 4 * FUNCTIONS);
  tcase_add_loop_test(c, axes, 0, FUNCTIONS);
  tcase_add_test(c, special_values);
  tcase_add_test(c, results_and_errors);
  tcase_add_test(c, equal_elements);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "normalize", .add = add});
}
