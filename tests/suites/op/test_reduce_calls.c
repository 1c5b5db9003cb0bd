// SPDX-License-Identifier: MIT
/// Guarantees of weft/reduce.h: results, empty arrays, norms, inner products, formulas, accuracy, and errors.
#include <stdio.h>

#include "reference.h"
#include "views.h"

static double number(weft_array **x) {
  ck_assert_int_eq(weft_array_size(*x), 1);
  uint64_t bits[2] = {0, 0};
  ok(weft_to_host(bits, weft_dtype_size_bytes(weft_array_dtype(*x)), *x));
  double value = (double)reference_get(weft_array_dtype(*x), bits).re;
  weft_array_release(x);
  return value;
}

/// Element k of an array of f32 with one axis.
static double number_at(const weft_array *x, int64_t k) {
  weft_array *one = NULL;
  ok(weft_slice(&one, x, 0, k, k + 1));
  float value;
  ok(weft_to_host(&value, sizeof value, one));
  weft_array_release(&one);
  return (double)value;
}

static weft_array *floats(const float *data, int64_t n) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(n), data));
  return x;
}

START_TEST(results)
{
  const float data[] = {1, 2, 3, 4, 5, 6};
  weft_array *x = NULL, *out = NULL, *kept;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(2, 3), data));
  ok(weft_sum(&out, x, 0));
  check_elements(out, (const float[]){5, 7, 9}, 3, "columns");
  kept = out;
  ok(weft_max(&out, x, 0)); /* into a given array */
  ck_assert_ptr_eq(out, kept);
  check_elements(out, (const float[]){4, 5, 6}, 3, "columns");
  weft_array_release(&out);
  ok(weft_min(&out, x, weft_keepdims(-1)));
  ck_assert(weft_array_ndim(out) == 2 && weft_array_length(out, 0) == 2 && weft_array_length(out, 1) == 1);
  check_elements(out, (const float[]){1, 4}, 2, "rows");
  weft_array_release(&out);
  ok(weft_empty(&out, ctx, WEFT_I16, WEFT_SHAPE(2))); /* cast to another dtype of the same kind */
  ok(weft_argmax(&out, x, 1));
  check_elements(out, (const int16_t[]){2, 2}, 2, "where");
  weft_array_release(&out);
  int64_t where = -1;
  ok(weft_argmin(WEFT_HOST_OUT(&where, WEFT_I64, WEFT_SHAPE_0D), x, WEFT_ALL_AXES));
  ck_assert_int_eq(where, 0);
  float host = 0;
  ok(weft_prod(WEFT_HOST_OUT(&host, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(2, 3)),
               WEFT_ALL_AXES));
  ck_assert(host == 720);
  ok(weft_sum(&out, 5, WEFT_ALL_AXES)); /* a scalar has no axes */
  ck_assert(weft_array_dtype(out) == WEFT_I64 && weft_array_ndim(out) == 0);
  ck_assert(number(&out) == 5);
  /* the result is its operand */
  weft_array *row = NULL;
  ok(weft_pick(&row, x, 0, 1));
  ok(weft_sum(&row, x, 0));
  check_elements(x, (const float[]){1, 2, 3, 5, 7, 9}, 6, "over the operand");
  weft_array_release(&row);
  /* no axes: the elements themselves */
  ok(weft_sum(&out, x, weft__axes(0, NULL)));
  check_elements(out, (const float[]){1, 2, 3, 5, 7, 9}, 6, "no axes");
  weft_array_release(&out);
  weft_array_release(&x);
}
END_TEST

START_TEST(nothing_to_reduce)
{
  weft_array *x = NULL, *out = NULL;
  ok(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  ok(weft_sum(&out, x, 1));
  check_elements(out, (const float[]){0, 0, 0}, 3, "sums of nothing");
  ok(weft_prod(&out, x, 1));
  check_elements(out, (const float[]){1, 1, 1}, 3, "products of nothing");
  weft_array_release(&out);
  ok(weft_mean(&out, x, WEFT_ALL_AXES));
  ck_assert(isnan(number(&out)));
  ok(weft_std(&out, x, WEFT_ALL_AXES));
  ck_assert(isnan(number(&out)));
  ok(weft_all(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 1);
  ok(weft_any(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 0);
  ok(weft_count_nonzero(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 0);
  ok(weft_max(&out, x, 0)); /* the empty result needs no elements */
  ck_assert(weft_array_size(out) == 0 && weft_array_ndim(out) == 1);
  weft_array_release(&out);
  expect_error(weft_max(&out, x, 1), WEFT_ERROR_SHAPE, "@x", "no elements", "max", "[3,0]");
  expect_error(weft_argmin(&out, x, WEFT_ALL_AXES), WEFT_ERROR_SHAPE, "@x", "no elements", "argmin");
  ck_assert_ptr_null(out);
  /* also if the result has no elements, as in NumPy */
  weft_array *none = NULL;
  static const weft_reduction_id best[] = {WEFT_REDUCE_MIN,       WEFT_REDUCE_MAX,      WEFT_REDUCE_NANMIN,
                                           WEFT_REDUCE_NANMAX,    WEFT_REDUCE_ARGMIN,   WEFT_REDUCE_ARGMAX,
                                           WEFT_REDUCE_NANARGMIN, WEFT_REDUCE_NANARGMAX};
  ok(weft_empty(&none, ctx, WEFT_F32, WEFT_SHAPE(0, 0)));
  for (int k = 0; k < 8; k++)
    expect_error(weft__reduce_apply_at(best[k], WEFT_OPERAND(&out), WEFT_OPERAND(none), WEFT_AXES(1), 0, WEFT_SITE),
                 WEFT_ERROR_SHAPE, "@x", "along the axes given", "[0,0]");
  weft_array_release(&none);
  ok(weft_reduce(&out, ctx, "x", WEFT_ALL_AXES, WEFT_VAR(x),
                 WEFT_REDUCTION(.combine = "a * b", .neutral = WEFT_SCALAR(7))));
  ck_assert(number(&out) == 7);
  ok(weft_dot(&out, WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(0)), WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(0))));
  ck_assert(number(&out) == 0);
  weft_array_release(&x);
}
END_TEST

/// One element decides, wherever it is: any and all may end with it, and must not end before.
START_TEST(one_decides)
{
  static const int64_t places[] = {0, 31, 4095, 4096, 40000, 99999};
  weft_array *x = NULL, *rows = NULL, *out = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(100000)));
  ok(weft_any(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 0);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const int64_t place = places[i], row = place / 10000;
    ok(weft_put(x, place, NAN)); /* not zero */
    ok(weft_any(&out, x, WEFT_ALL_AXES));
    ck_assert(number(&out) == 1);
    ok(weft_equal(&rows, x, 0));
    ok(weft_all(&out, rows, WEFT_ALL_AXES));
    ck_assert(number(&out) == 0);
    weft_array_release(&rows);
    ok(weft_reshape(&rows, x, WEFT_SHAPE(10, 10000)));
    ok(weft_any(&out, rows, 1));
    bool found[10], wanted[10] = {false};
    wanted[row] = true;
    ok(weft_to_host(found, sizeof found, out));
    ck_assert_mem_eq(found, wanted, sizeof found);
    weft_release(&rows, &out);
    ok(weft_put(x, place, 0.0f));
  }
  weft_array_release(&x);
}
END_TEST

/// The result is the first NaN, which argmax finds too, in any layout and with any split into lanes and blocks.
START_TEST(first_complex_not_a_number)
{
  static weft_c64 x[6000], plain[6000];
  weft_array *a = NULL, *shaped = NULL, *turned = NULL;
  for (int i = 0; i < 6000; i++) {
    const bool is_nan = i == 300 || i == 301 || i == 555 || i % 1000 == 700;
    x[i] = (weft_c64){is_nan && i % 2 ? NAN : (float)i, is_nan && i % 2 == 0 ? NAN : 1};
  }
  for (int first = 0; first < 6000; first += 303) {
    const int64_t n = (6000 - first) / 6 * 6;
    ok(weft_from_host(&a, ctx, WEFT_C64, WEFT_SHAPE(n), x + first));
    ok(weft_reshape(&shaped, a, WEFT_SHAPE(2, n / 6, 3)));
    ok(weft_transpose(&turned, shaped, WEFT_AXES(2, 0, 1)));
    for (int is_turned = 0; is_turned < 2; is_turned++) {
      const weft_array *given = is_turned ? turned : shaped;
      weft_c64 got;
      int64_t at = -1;
      ok(weft_max(WEFT_HOST_OUT(&got, WEFT_C64, WEFT_SHAPE_0D), given, WEFT_ALL_AXES));
      ok(weft_argmax(WEFT_HOST_OUT(&at, WEFT_I64, WEFT_SHAPE_0D), given, WEFT_ALL_AXES));
      ok(weft_to_host(plain, sizeof *plain * (size_t)n, given));
      ck_assert(at >= 0 && at < n);
      ck_assert_msg(isnan(got.re) == isnan(plain[at].re) && isnan(got.im) == isnan(plain[at].im),
                    "from %d: %g%+gi, the first is %g%+gi", first, (double)got.re, (double)got.im, (double)plain[at].re,
                    (double)plain[at].im);
    }
    weft_array_release(&turned);
    weft_array_release(&shaped);
    weft_array_release(&a);
    harness_count(2);
  }
}
END_TEST

/// Axes on both sides of one that is kept: short and long runs of it, whole chunks and not, few results and many.
START_TEST(around_kept_axes)
{
  static const int64_t shapes[][3] = {{3, 5, 40}, {700, 3, 32}, {50, 22, 64}, {6, 3, 1500}, {7, 9, 1026}, {90, 4, 5}};
  static float data[70401];
  weft_array *all = NULL, *flat = NULL, *x = NULL, *sum = NULL, *variance = NULL;
  for (int i = 0; i < 70401; i++) data[i] = (float)(i * 37 % 101 - 50 + i % 3);
  ok(weft_from_host(&all, ctx, WEFT_F32, WEFT_SHAPE(70401), data));
  for (size_t i = 0; i < 2 * (sizeof shapes / sizeof *shapes); i++) {
    const int64_t *n = shapes[i / 2], first = (int64_t)(i % 2);
    ok(weft_slice(&flat, all, 0, first, first + n[0] * n[1] * n[2]));
    ok(weft_reshape(&x, flat, WEFT_SHAPE(n[0], n[1], n[2])));
    ok(weft_sum(&sum, x, WEFT_AXES(0, 2)));
    ok(weft_var(&variance, x, WEFT_AXES(0, 2)));
    for (int64_t k = 0; k < n[1]; k++) {
      double total = 0, squares = 0;
      for (int64_t a = 0; a < n[0]; a++)
        for (int64_t c = 0; c < n[2]; c++) {
          const double v = (double)data[first + (a * n[1] + k) * n[2] + c];
          total += v;
          squares += v * v;
        }
      const double count = (double)(n[0] * n[2]), mean = total / count, expected = squares / count - mean * mean;
      const double got[] = {number_at(sum, k), number_at(variance, k)};
      ck_assert_msg(got[0] == total, "case %zu, %lld: %g, expected %g", i, (long long)k, got[0], total);
      ck_assert_msg(fabs(got[1] - expected) < 1e-5 * expected, "case %zu, %lld: %g, expected %g", i, (long long)k,
                    got[1], expected);
    }
    weft_release(&variance, &sum, &x, &flat);
    harness_count(2);
  }
  weft_array_release(&all);
}
END_TEST

/// Columns that CPUs divide among work-items by columns, by rows and by both, with a last part that is smaller.
START_TEST(columns)
{
  static const int64_t shapes[][2] = {{390, 256}, {5, 300}, {20, 1025}, {1030, 4100}, {7400, 600}};
  const int64_t rows = shapes[_i][0], width = shapes[_i][1];
  static int64_t sums[4100], places[4100];
  weft_array *flat = NULL, *x = NULL, *sum = NULL, *last = NULL;
  ok(weft_arange(&flat, ctx, WEFT_I32, 0, rows * width, 1));
  ok(weft_reshape(&x, flat, WEFT_SHAPE(rows, width)));
  ok(weft_sum(&sum, x, 0));
  ok(weft_argmax(&last, x, 0));
  ok(weft_to_host(sums, (size_t)width * sizeof *sums, sum));
  ok(weft_to_host(places, (size_t)width * sizeof *places, last));
  for (int64_t c = 0; c < width; c++) {
    ck_assert_int_eq(sums[c], width * (rows * (rows - 1) / 2) + rows * c);
    ck_assert_int_eq(places[c], rows - 1);
  }
  weft_release(&last, &sum, &x, &flat);
}
END_TEST

START_TEST(signs_and_not_a_number)
{
  weft_array *x = floats((const float[]){-0.0f, -0.0f}, 2), *out = NULL;
  ok(weft_sum(&out, x, WEFT_ALL_AXES));
  ck_assert(signbit(number(&out)));
  weft_array_release(&x);
  x = floats((const float[]){NAN, 2, -INFINITY, NAN}, 4);
  ok(weft_max(&out, x, WEFT_ALL_AXES));
  ck_assert(isnan(number(&out)));
  ok(weft_argmax(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 0);
  ok(weft_nanargmax(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 1);
  ok(weft_nanargmin(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 2);
  ok(weft_nanmax(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 2);
  ok(weft_nanmin(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == -INFINITY);
  weft_array_release(&x);
  x = floats((const float[]){NAN, NAN, NAN}, 3);
  ok(weft_nanmin(&out, x, WEFT_ALL_AXES));
  ck_assert(isnan(number(&out)));
  ok(weft_nanargmin(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == -1);
  ok(weft_nansum(&out, x, WEFT_ALL_AXES));
  ck_assert(1 / number(&out) == INFINITY); /* 0, not -0 */
  ok(weft_nanprod(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 1);
  ok(weft_nanmean(&out, x, WEFT_ALL_AXES));
  ck_assert(isnan(number(&out)));
  ok(weft_nanvar(&out, x, WEFT_ALL_AXES));
  ck_assert(isnan(number(&out)));
  ok(weft_nanstd(&out, x, WEFT_ALL_AXES, .ddof = 1));
  ck_assert(isnan(number(&out)));
  weft_array_release(&x);
  x = floats((const float[]){5}, 1); /* zero degrees of freedom */
  ok(weft_var(&out, x, WEFT_ALL_AXES, .ddof = 1));
  ck_assert(isnan(number(&out)));
  weft_array_release(&x);
}
END_TEST

START_TEST(norms)
{
  weft_array *x = floats((const float[]){3, -4, 0, 0}, 4), *out = NULL;
  ok(weft_norm(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 5);
  ok(weft_norm(&out, x, 0, .order = 1));
  ck_assert(number(&out) == 7);
  ok(weft_norm(&out, x, 0, .order = INFINITY));
  ck_assert(number(&out) == 4);
  ok(weft_norm(&out, x, 0, .order = -INFINITY));
  ck_assert(number(&out) == 0);
  ok(weft_norm(&out, x, 0, .order = 0));
  ck_assert(number(&out) == 5);
  ok(weft_count_nonzero(&out, x, 0));
  ck_assert(weft_array_dtype(out) == WEFT_I64);
  ck_assert(number(&out) == 2);
  expect_error(weft_norm(&out, x, WEFT_ALL_AXES, .order = 3), WEFT_ERROR_ARGUMENT, "@order", "3", "INFINITY");
  weft_array_release(&x);
  const weft_c64 z[] = {{3, 4}, {0, -12}};
  ok(weft_from_host(&x, ctx, WEFT_C64, WEFT_SHAPE(2), z));
  ok(weft_norm(&out, x, WEFT_ALL_AXES));
  ck_assert(number(&out) == 13);
  ok(weft_norm(&out, x, WEFT_ALL_AXES, .order = 1));
  ck_assert(number(&out) == 17);
  ok(weft_norm(&out, x, WEFT_ALL_AXES, .order = INFINITY));
  ck_assert(number(&out) == 12);
  weft_array_release(&x);
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2), ((const int32_t[]){-6, 8})));
  if (device.has_fp64) {
    ok(weft_norm(&out, x, WEFT_ALL_AXES));
    ck_assert(weft_array_dtype(out) == WEFT_F64);
    ck_assert(number(&out) == 10);
    ok(weft_norm(&out, x, WEFT_ALL_AXES, .order = INFINITY));
    ck_assert(number(&out) == 8);
    ok(weft_norm(&out, x, WEFT_ALL_AXES, .order = 1));
    ck_assert(number(&out) == 14);
  } else {
    expect_error(weft_norm(&out, x, WEFT_ALL_AXES), WEFT_ERROR_UNSUPPORTED, "@x", "i32", "f64");
    expect_error(weft_mean(&out, x, WEFT_ALL_AXES), WEFT_ERROR_UNSUPPORTED, "@x", "mean", "fp64");
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(inner_products)
{
  static const weft_dtype kinds[][2] = {{WEFT_F32, WEFT_F32},   {WEFT_F64, WEFT_F64}, {WEFT_I8, WEFT_I8},
                                        {WEFT_C64, WEFT_C64},   {WEFT_F16, WEFT_F16}, {WEFT_I32, WEFT_F32},
                                        {WEFT_BOOL, WEFT_BOOL}, {WEFT_C64, WEFT_F32}};
  harness_random random = harness_random_start(7);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const weft_dtype *of = kinds[k];
    if (!harness_has_dtype(of[0]) || (!device.has_fp64 && of[0] == WEFT_I32)) continue;
    for (int conjugate = 0; conjugate < (of[0] == WEFT_C64 ? 2 : 1); conjugate++) {
      int64_t n = harness_between(&random, 1, 70400);
      unsigned char *a = malloc((size_t)n * 16), *b = malloc((size_t)n * 16);
      long double re = 0, im = 0, magnitude = 0;
      int64_t whole = 0;
      bool both = false;
      for (int64_t i = 0; i < n; i++) {
        void *p = a + (size_t)i * weft_dtype_size_bytes(of[0]), *q = b + (size_t)i * weft_dtype_size_bytes(of[1]);
        element_set(of[0], p, (double)harness_between(&random, 0, of[0] == WEFT_BOOL ? 1 : 100),
                    (double)harness_between(&random, -50, 50));
        element_set(of[1], q,
                    (double)harness_between(&random, 0, of[1] == WEFT_BOOL ? 1 : 100) / (of[1] == WEFT_F16 ? 4096 : 1),
                    (double)harness_between(&random, -50, 50));
        reference_number x = reference_get(of[0], p), y = reference_get(of[1], q);
        if (conjugate) x.im = -x.im;
        re += x.re * y.re - x.im * y.im;
        im += x.re * y.im + x.im * y.re;
        magnitude += fabsl(x.re * y.re) + fabsl(x.im * y.im) + fabsl(x.re * y.im) + fabsl(x.im * y.re);
        whole += x.i * y.i;
        both = both || (x.re != 0 && y.re != 0);
      }
      weft_array *x = NULL, *y = NULL, *out = NULL, *back = NULL;
      ok(weft_from_host(&x, ctx, of[0], WEFT_SHAPE(n), a));
      ok(weft_from_host(&y, ctx, of[1], WEFT_SHAPE(n), b));
      if (conjugate)
        ok(weft_vdot(&out, x, y));
      else
        ok(weft_dot(&out, x, y));
      unsigned char bytes[16] = {0};
      weft_dtype to = weft_array_dtype(out);
      ok(weft_to_host(bytes, weft_dtype_size_bytes(to), out));
      reference_number got = reference_get(to, bytes);
      if (to == WEFT_BOOL) {
        ck_assert_int_eq(got.i, both);
      } else if (to == WEFT_I8) {
        ck_assert_int_eq(got.i, (int8_t)whole);
      } else {
        long double bound = magnitude * (to == WEFT_F16 ? 0x1p-11L : to == WEFT_F64 ? 0x1p-52L : 0x1p-22L) + 1e-6L;
        ck_assert_msg(fabsl(got.re - re) <= bound && (weft_dtype_kind(to) != 'c' || fabsl(got.im - im) <= bound),
                      "%s: %Lg %Lg, expected %Lg %Lg", weft_dtype_name(to), got.re, got.im, re, im);
      }
      weft_array_release(&out);
      if (of[0] == WEFT_F32) { /* a view is copied */
        ok(weft_flip(&back, x, 0));
        ok(weft_dot(&out, back, y));
      }
      weft_array_release(&out);
      weft_array_release(&back);
      weft_array_release(&x);
      weft_array_release(&y);
      free(a);
      free(b);
      harness_count(1);
    }
  }
}
END_TEST

START_TEST(formulas)
{
  enum { ROWS = 37, COLUMNS = 53, N = ROWS * COLUMNS };
  float x_data[N], y_data[N], row_data[COLUMNS];
  int64_t inside = 0;
  double plus = 0;
  harness_random random = harness_random_start(11);
  for (int i = 0; i < N; i++) {
    x_data[i] = (float)harness_between(&random, -1000, 1000) / 800;
    y_data[i] = (float)harness_between(&random, -1000, 1000) / 800;
    inside += x_data[i] * x_data[i] + y_data[i] * y_data[i] <= 1;
  }
  for (int i = 0; i < COLUMNS; i++) row_data[i] = (float)i;
  for (int i = 0; i < N; i++) plus += (double)(x_data[i] + row_data[i % COLUMNS]);
  weft_array *x = NULL, *y = NULL, *row = NULL, *out = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), x_data));
  ok(weft_from_host(&y, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), y_data));
  ok(weft_from_host(&row, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS), row_data));
  ok(weft_reduce(&out, ctx, "x*x + y*y <= 1", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y)));
  ck_assert_int_eq(weft_array_dtype(out), WEFT_I64);
  ck_assert(number(&out) == (double)inside);
  float radius = 1;
  ok(weft_reduce(&out, NULL, "x*x + y*y <= r*r", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y), WEFT_NAMED("r", radius),
                 WEFT_REDUCTION(.op = WEFT_REDUCE_COUNT_NONZERO)));
  ck_assert(number(&out) == (double)inside);
  /* one axis, with a user-defined combination */
  float greatest[ROWS], lowest[COLUMNS];
  for (int r = 0; r < ROWS; r++) {
    greatest[r] = -INFINITY;
    for (int c = 0; c < COLUMNS; c++) greatest[r] = fmaxf(greatest[r], x_data[r * COLUMNS + c] * 2);
  }
  ok(weft_reduce(&out, ctx, "x * 2", 1, WEFT_VAR(x),
                 WEFT_REDUCTION(.combine = "fmax(a, b)", .neutral = WEFT_SCALAR(-INFINITY))));
  check_elements(out, greatest, ROWS, "the user's maximum");
  weft_array_release(&out);
  for (int c = 0; c < COLUMNS; c++) {
    lowest[c] = INFINITY;
    for (int r = 0; r < ROWS; r++) lowest[c] = fminf(lowest[c], x_data[r * COLUMNS + c] - y_data[r * COLUMNS + c]);
  }
  ok(weft_reduce(&out, ctx, "x - y", 0, WEFT_VAR(x), WEFT_VAR(y), WEFT_REDUCTION(.op = WEFT_REDUCE_MIN)));
  check_elements(out, lowest, COLUMNS, "columns");
  weft_array_release(&out);
  /* broadcast: through a temporary */
  ok(weft_reduce(&out, ctx, "x + row", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(row)));
  ck_assert(fabs(number(&out) - plus) < 1e-2);
  /* indices */
  ok(weft_reduce(&out, ctx, "i + 0 * i64(x)", WEFT_ALL_AXES, WEFT_VAR(x)));
  ck_assert(number(&out) == (double)N * (N - 1) / 2);
  ok(weft_reduce(&out, ctx, "where(x > 10, n, i)", WEFT_AXES(0, 1), WEFT_VAR(x),
                 WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  ck_assert(number(&out) == N - 1);
  /* numeric constants of both texts, in the first and in the final kernels */
  weft_array *many = NULL;
  ok(weft_arange(&many, ctx, WEFT_F32, 0, 1 << 20, 1));
  ok(weft_reduce(&out, ctx, "many * 3", WEFT_ALL_AXES, WEFT_VAR(many),
                 WEFT_REDUCTION(.combine = "where(a * 5 > b * 5, a, b)", .neutral = WEFT_SCALAR(-1))));
  ck_assert(number(&out) == 3.0 * ((1 << 20) - 1));
  weft_array_release(&many);
  /* small integers keep their dtype in a combination, and wrap around */
  weft_array *bytes = NULL;
  ok(weft_full(&bytes, ctx, WEFT_U8, WEFT_SHAPE(301), 3));
  ok(weft_reduce(&out, ctx, "bytes", WEFT_ALL_AXES, WEFT_VAR(bytes),
                 WEFT_REDUCTION(.combine = "a + b", .neutral = WEFT_SCALAR(0))));
  ck_assert_int_eq(weft_array_dtype(out), WEFT_U8);
  ck_assert(number(&out) == (uint8_t)(301 * 3));
  ok(weft_reduce(&out, ctx, "bytes", WEFT_ALL_AXES, WEFT_VAR(bytes),
                 WEFT_REDUCTION(.combine = "a + b", .neutral = WEFT_SCALAR(0), .dtype = WEFT_I32)));
  ck_assert_int_eq(weft_array_dtype(out), WEFT_I32);
  ck_assert(number(&out) == 301 * 3);
  weft_array_release(&bytes);
  weft_array *halves = NULL;
  ok(weft_full(&halves, ctx, WEFT_F16, WEFT_SHAPE(4, 1000, 2), 0.25));
  ok(weft_reduce(&out, ctx, "halves", WEFT_AXES(0, 2), WEFT_VAR(halves),
                 WEFT_REDUCTION(.combine = "a + b", .neutral = WEFT_SCALAR(0))));
  ck_assert(weft_array_dtype(out) == WEFT_F16 && weft_array_size(out) == 1000);
  weft_array_release(&out);
  weft_array_release(&halves);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&row);
}
END_TEST

/* Sums of many uniform random numbers are within 2 ULP of exact ones in long double, and bit-identical when repeated.
   */
START_TEST(accuracy)
{
  enum { N = 1 << 22 };
  harness_random random = harness_random_start(13);
  float *x = malloc(N * sizeof *x);
  double *y = malloc(N * sizeof *y);
  long double xs = 0, ys = 0, lost = 0;
  for (int i = 0; i < N; i++) {
    x[i] = (float)(harness_bits(&random) >> 40) / 16777216.0f;
    y[i] = (double)(harness_bits(&random) >> 11) / 9007199254740992.0;
    xs += x[i];
    long double t = ys + y[i]; /* y < ys soon, so the lost part is exact */
    lost += y[i] - (t - ys);
    ys = t;
  }
  weft_array *a = NULL, *out = NULL, *again = NULL;
  float f[2];
  ok(weft_from_host(&a, ctx, WEFT_F32, WEFT_SHAPE(N), x));
  ok(weft_sum(&out, a, WEFT_ALL_AXES));
  ok(weft_sum(&again, a, WEFT_ALL_AXES));
  ok(weft_to_host(&f[0], sizeof *f, out));
  ok(weft_to_host(&f[1], sizeof *f, again));
  ck_assert(memcmp(&f[0], &f[1], sizeof *f) == 0);
  ck_assert_msg(harness_near(f[0], (double)xs, 1, false), "%.9g, expected %.12Lg", (double)f[0], xs);
  weft_array_release(&again);
  weft_array_release(&out);
  ok(weft_var(&out, a, WEFT_ALL_AXES));
  ok(weft_to_host(f, sizeof *f, out));
  long double squares = 0;
  for (int i = 0; i < N; i++) squares += (x[i] - xs / N) * (x[i] - xs / N);
  ck_assert_msg(harness_near(f[0], (double)(squares / N), device.has_fp64 ? 1 : 16, false), "%.9g, expected %.12Lg",
                (double)f[0], squares / N);
  weft_array_release(&out);
  weft_array_release(&a);
  if (device.has_fp64) {
    double d;
    ok(weft_from_host(&a, ctx, WEFT_F64, WEFT_SHAPE(N), y));
    ok(weft_sum(&out, a, WEFT_ALL_AXES));
    ok(weft_to_host(&d, sizeof d, out));
    ck_assert_msg(harness_near(d, (double)(ys + lost), 1, true), "%.17g, expected %.20Lg", d, ys + lost);
    weft_array_release(&out);
    weft_array_release(&a);
  }
  free(x);
  free(y);
}
END_TEST

START_TEST(mistakes)
{
  weft_array *x = NULL, *y = NULL, *out = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(2, 3, 4)));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(5)));
  expect_error(weft_sum(&out, x, 3), WEFT_ERROR_AXIS, "weft_sum", "@axes", "3");
  expect_error(weft_sum(&out, x, WEFT_AXES(1, -2)), WEFT_ERROR_AXIS, "@axes", "twice");
  expect_error(weft_argmax(&out, x, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "weft_argmax", "@axes", "one, or all");
  expect_error(weft_sum(&out, (weft_array *)NULL, WEFT_ALL_AXES), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_reduce(&out, ctx, "x", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX),
                           WEFT_REDUCTION(.ddof = 1)),
               WEFT_ERROR_ARGUMENT, "WEFT_REDUCTION is given twice", "@reduction");
  expect_error(weft_reduce(&out, ctx, "1", WEFT_ALL_AXES, WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)), WEFT_ERROR_ARGUMENT,
               "0 variables", "@variable_count");
  expect_error(weft_eval(&out, ctx, "x", WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)), WEFT_ERROR_ARGUMENT,
               "argument 2");
  expect_error(weft_add(&out, x, WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)), WEFT_ERROR_ARGUMENT, "is not a valid operand");
  expect_error(weft_sum((weft_array **)NULL, x, WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT, "@out");
  expect_error(weft_reduce(&out, ctx, "x", 0, WEFT_VAR(x), WEFT_REDUCTION(.ddof = 1)), WEFT_ERROR_ARGUMENT,
               "`ddof` is 1, but `op` is no variance", "@reduction");
  expect_error(weft_reduce(&out, ctx, "x", 0, WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_VAR, .order = 3)),
               WEFT_ERROR_ARGUMENT, "`order` is 3, but `op` is not WEFT_REDUCE_NORM");
  expect_error(weft_reduce(&out, ctx, "x", 0, WEFT_VAR(x), WEFT_REDUCTION(.neutral = WEFT_SCALAR(1))),
               WEFT_ERROR_ARGUMENT, "`neutral` is given without `combine`");
  expect_error(weft_var(&out, x, WEFT_ALL_AXES, .ddof = NAN), WEFT_ERROR_ARGUMENT, "@ddof");
  expect_error(weft_dot(&out, x, y), WEFT_ERROR_SHAPE, "weft_dot", "@a", "3 axes", "inner product");
  expect_error(weft_dot(&out, y, 2), WEFT_ERROR_SHAPE, "@b", "number");
  expect_error(weft_vdot(&out, y, WEFT_HOST("1234567", WEFT_U8, WEFT_SHAPE(7))), WEFT_ERROR_SHAPE, "weft_vdot", "@b",
               "5", "7");
  expect_error(weft_sum(&y, x, WEFT_ALL_AXES), WEFT_ERROR_SHAPE, "@out", "f32[5]", "f32[]");
  weft_array *whole = NULL;
  ok(weft_zeros(&whole, ctx, WEFT_I32, WEFT_SHAPE_0D));
  expect_error(weft_sum(&whole, x, WEFT_ALL_AXES), WEFT_ERROR_DTYPE, "@out", "f32", "i32");
  weft_array_release(&whole);
  expect_error(
      weft__reduce_apply_at((weft_reduction_id)99, WEFT_OPERAND(&out), WEFT_OPERAND(x), WEFT_ALL_AXES, 0, NULL),
      WEFT_ERROR_ARGUMENT, "@id", "99");
  expect_error(weft_reduce(&out, ctx, NULL, WEFT_ALL_AXES, WEFT_VAR(x)), WEFT_ERROR_ARGUMENT, "@text");
  expect_error(weft_reduce(&out, ctx, "x +", WEFT_ALL_AXES, WEFT_VAR(x)), WEFT_ERROR_EXPRESSION, "weft_reduce",
               "expr:1:4");
  expect_error(weft_reduce(&out, ctx, "x", WEFT_ALL_AXES, WEFT_VAR(x),
                           WEFT_REDUCTION(.combine = "a + c", .neutral = WEFT_SCALAR(0))),
               WEFT_ERROR_EXPRESSION, "`c`", "combination `a + c`");
  expect_error(weft_reduce(&out, ctx, "x", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_REDUCTION(.combine = "a + b")),
               WEFT_ERROR_ARGUMENT, "@reduction", "neutral");
  expect_error(weft_reduce(&out, ctx, "x", WEFT_ALL_AXES, WEFT_VAR(x),
                           WEFT_REDUCTION(.op = WEFT_REDUCE_SUM, .combine = "a + b", .neutral = WEFT_SCALAR(0))),
               WEFT_ERROR_ARGUMENT, "@reduction", "both");
  expect_error(weft_reduce(&out, ctx, "x", WEFT_ALL_AXES, x), WEFT_ERROR_ARGUMENT, "WEFT_VAR");
  expect_error(weft_reduce(&out, ctx, "k", WEFT_ALL_AXES, WEFT_NAMED("k", 2)), WEFT_ERROR_ARGUMENT,
               "no variable has a shape");
  expect_error(weft_reduce(&out, ctx, "x + y", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y)), WEFT_ERROR_SHAPE, "@y",
               "axis 2");
  expect_error(weft_reduce(&out, ctx, "x", WEFT_AXES(0, 1), WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_ARGMAX)),
               WEFT_ERROR_AXIS, "@axes");
  ck_assert_ptr_null(out);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "calls");
  tcase_add_test(tc, results);
  tcase_add_test(tc, nothing_to_reduce);
  tcase_add_test(tc, one_decides);
  tcase_add_test(tc, first_complex_not_a_number);
  tcase_add_test(tc, around_kept_axes);
  tcase_add_loop_test(tc, columns, 0, 5);
  tcase_add_test(tc, signs_and_not_a_number);
  tcase_add_test(tc, norms);
  tcase_add_test(tc, inner_products);
  tcase_add_test(tc, formulas);
  tcase_add_test(tc, accuracy);
  tcase_add_test(tc, mistakes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "reduce_calls", .add = add});
}
