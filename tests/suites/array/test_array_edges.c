// SPDX-License-Identifier: MIT
/// Arrays at the edges: sizes around a block and a tile, odd offsets, overlaps, the extreme values of each dtype,
/// sequences, 2^32 elements.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "views.h"

static const int64_t SIZES[] = {0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 100003};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };
/* one dtype for each element size, and bool */
static const weft_dtype BY_SIZE[] = {WEFT_BOOL, WEFT_U8,  WEFT_I16, WEFT_F16, WEFT_U32,
                                     WEFT_F32,  WEFT_I64, WEFT_C64, WEFT_C128};
enum { BY_SIZE_COUNT = sizeof BY_SIZE / sizeof *BY_SIZE };

START_TEST(sizes_go_there_and_back)
{
  harness_random random = harness_random_start(1);
  for (int d = 0; d < BY_SIZE_COUNT; d++) {
    if (!harness_has_dtype(BY_SIZE[d])) continue;
    size_t size = weft_dtype_size_bytes(BY_SIZE[d]);
    for (int i = 0; i < SIZE_COUNT; i++) {
      weft_array *x = NULL, *y = NULL;
      char what[64];
      unsigned char *data = malloc((size_t)SIZES[i] * size + 1);
      snprintf(what, sizeof what, "%s[%" PRId64 "]", weft_dtype_name(BY_SIZE[d]), SIZES[i]);
      elements_random(&random, BY_SIZE[d], data, SIZES[i]);
      ok(weft_from_host(&x, ctx, BY_SIZE[d], WEFT_SHAPE(SIZES[i]), data));
      check_elements(x, data, SIZES[i], what);
      ok(weft_copy(&y, x));
      check_elements(y, data, SIZES[i], what);
      ok(weft_fill(x, 1));
      check_elements(y, data, SIZES[i], what); /* the copy is independent */
      ok(weft_cast(&x, y, BY_SIZE[d]));
      check_elements(x, data, SIZES[i], what);
      weft_array_release(&x);
      weft_array_release(&y);
      free(data);
      harness_count(1);
    }
  }
}
END_TEST

START_TEST(fills_stop_at_the_end)
{
  harness_random random = harness_random_start(2);
  for (int d = 0; d < BY_SIZE_COUNT; d++) {
    if (!harness_has_dtype(BY_SIZE[d])) continue;
    size_t size = weft_dtype_size_bytes(BY_SIZE[d]);
    for (int i = 0; i < SIZE_COUNT - 1; i++) {
      for (int64_t offset = 0; offset < 9; offset += 1 + offset / 2) { /* 0 1 2 4 7: aligned and unaligned */
        int64_t total = SIZES[i] + 9;
        weft_array *x = NULL, *view = NULL;
        unsigned char *data = malloc((size_t)total * size), one[16];
        elements_random(&random, BY_SIZE[d], data, total);
        ok(weft_from_host(&x, ctx, BY_SIZE[d], WEFT_SHAPE(total), data));
        ok(weft_slice(&view, x, 0, offset, offset + SIZES[i]));
        ok(weft_fill(view, 1));
        element_set(BY_SIZE[d], one, 1, 0);
        for (int64_t k = 0; k < SIZES[i]; k++) memcpy(data + (size_t)(offset + k) * size, one, size);
        check_elements(x, data, total, weft_dtype_name(BY_SIZE[d]));
        weft_array_release(&view);
        weft_array_release(&x);
        free(data);
        harness_count(1);
      }
    }
  }
}
END_TEST

START_TEST(copies_between_odd_offsets)
{
  harness_random random = harness_random_start(3);
  for (int d = 0; d < BY_SIZE_COUNT; d++) {
    if (!harness_has_dtype(BY_SIZE[d])) continue;
    size_t size = weft_dtype_size_bytes(BY_SIZE[d]);
    for (int round = 0; round < 20; round++) {
      int64_t n = harness_between(&random, 0, 600), from = harness_between(&random, 0, 20),
              to = harness_between(&random, 0, 20);
      int64_t total = n + 20;
      weft_array *x = NULL, *y = NULL, *source = NULL, *target = NULL;
      unsigned char *in = malloc((size_t)total * size), *out = malloc((size_t)total * size);
      elements_random(&random, BY_SIZE[d], in, total);
      elements_random(&random, BY_SIZE[d], out, total);
      ok(weft_from_host(&x, ctx, BY_SIZE[d], WEFT_SHAPE(total), in));
      ok(weft_from_host(&y, ctx, BY_SIZE[d], WEFT_SHAPE(total), out));
      ok(weft_slice(&source, x, 0, from, from + n));
      ok(weft_slice(&target, y, 0, to, to + n));
      ok(weft_copy(&target, source));
      memcpy(out + (size_t)to * size, in + (size_t)from * size, (size_t)n * size);
      check_elements(y, out, total, weft_dtype_name(BY_SIZE[d]));
      check_elements(x, in, total, weft_dtype_name(BY_SIZE[d]));
      ok(weft_from_host(&source, ctx, BY_SIZE[d], WEFT_SHAPE(n), out)); /* a transfer into the middle */
      memcpy(in + (size_t)from * size, out, (size_t)n * size);
      check_elements(x, in, total, weft_dtype_name(BY_SIZE[d]));
      weft_array_release(&source);
      weft_array_release(&target);
      weft_array_release(&x);
      weft_array_release(&y);
      free(in);
      free(out);
      harness_count(1);
    }
  }
}
END_TEST

/* x[1:] = x[:-1], x[:-1] = x[1:], x[:] = x[::-1], x[::2] = x[::-2] and so on, as if x had been read first. */
START_TEST(overlapping_copies)
{
  const struct {
    int64_t to_start, to_stop, to_step, from_start, from_stop, from_step;
  } cases[] = {
      {1, WEFT_END, 1, 0, -1, 1},
      {0, -1, 1, 1, WEFT_END, 1},
      {0, WEFT_END, 1, WEFT_END, WEFT_END, -1},
      {WEFT_END, WEFT_END, -1, 0, WEFT_END, 1},
      {0, WEFT_END, 2, WEFT_END, WEFT_END, -2},
      {100, WEFT_END, 1, 0, -100, 1},
      {0, WEFT_END, 1, 0, WEFT_END, 1},
      {1, -1, 2, 0, -2, 2},
      {0, -2, 2, 1, -1, 2},
  };
  harness_random random = harness_random_start(4);
  const int64_t n = 5000;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_array *x = NULL, *to = NULL, *from = NULL;
    uint32_t *data = malloc((size_t)n * 4), *expected = malloc((size_t)n * 4);
    model base = model_base(WEFT_SHAPE(n));
    model to_model = model_slice(&base, 0, cases[i].to_start, cases[i].to_stop, cases[i].to_step);
    model from_model = model_slice(&base, 0, cases[i].from_start, cases[i].from_stop, cases[i].from_step);
    elements_random(&random, WEFT_U32, data, n);
    memcpy(expected, data, (size_t)n * 4);
    ck_assert_int_eq(to_model.count, from_model.count);
    for (int64_t k = 0; k < to_model.count; k++) expected[to_model.index[k]] = data[from_model.index[k]];
    ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(n), data));
    ok(weft_slice(&to, x, 0, cases[i].to_start, cases[i].to_stop, .step = cases[i].to_step));
    ok(weft_slice(&from, x, 0, cases[i].from_start, cases[i].from_stop, .step = cases[i].from_step));
    ok(weft_copy(&to, from));
    check_elements(x, expected, n, "overlap");
    weft_array_release(&to);
    weft_array_release(&from);
    weft_array_release(&x);
    model_free(&base);
    model_free(&to_model);
    model_free(&from_model);
    free(data);
    free(expected);
    harness_count(1);
  }
}
END_TEST

START_TEST(transpose_in_place)
{
  enum { N = 67 };
  static int32_t data[N][N], expected[N][N];
  weft_array *x = NULL, *xt = NULL;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) data[i][k] = i * 1000 + k, expected[k][i] = data[i][k];
  }
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(N, N), data));
  ok(weft_transpose(&xt, x, WEFT_ALL_AXES));
  ok(weft_copy(&x, xt));
  check_elements(x, expected, N * N, "transpose in place");
  weft_array_release(&xt);
  weft_array_release(&x);
}
END_TEST

/* ---- values ---- */

#define EXTREMES(dtype, type, ...)                                \
  do {                                                            \
    const type values[] = {__VA_ARGS__};                          \
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) { \
      weft_array *x = NULL;                                       \
      type all[3] = {values[v], values[v], values[v]};            \
      ok(weft_full(&x, ctx, dtype, WEFT_SHAPE(3), values[v]));    \
      check_elements(x, all, 3, #dtype);                          \
      ok(weft_zeros_like(&x, x));                                 \
      ok(weft_fill(x, values[v]));                                \
      check_elements(x, all, 3, #dtype);                          \
      weft_array_release(&x);                                     \
      harness_count(1);                                           \
    }                                                             \
  } while (0)

START_TEST(extreme_values)
{
  EXTREMES(WEFT_BOOL, bool, false, true);
  EXTREMES(WEFT_I8, int8_t, INT8_MIN, -1, 0, INT8_MAX);
  EXTREMES(WEFT_I16, int16_t, INT16_MIN, -1, INT16_MAX);
  EXTREMES(WEFT_I32, int32_t, INT32_MIN, -1, INT32_MAX);
  EXTREMES(WEFT_I64, int64_t, INT64_MIN, INT64_MIN + 1, -1, (INT64_C(1) << 53) + 1, INT64_MAX);
  EXTREMES(WEFT_U8, uint8_t, 0, 128, UINT8_MAX);
  EXTREMES(WEFT_U16, uint16_t, 0, 32768, UINT16_MAX);
  EXTREMES(WEFT_U32, uint32_t, 0, UINT32_C(1) << 31, UINT32_MAX);
  EXTREMES(WEFT_U64, uint64_t, 0, UINT64_C(1) << 63, (UINT64_C(1) << 53) + 1, UINT64_MAX);
  EXTREMES(WEFT_F16, weft_f16, {0x0000}, {0x8000}, {0x0001}, {0x7bff}, {0x7c00}, {0xfc00}, {0x3555});
  EXTREMES(WEFT_F32, float, 0.0f, -0.0f, FLT_MIN, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, 0.1f);
  EXTREMES(WEFT_C64, weft_c64, {1.0f, -0.0f}, {INFINITY, FLT_MAX}, {-0.0f, 0.1f});
  if (!device.has_fp64) return;
  EXTREMES(WEFT_F64, double, 0.0, -0.0, DBL_MIN, 0x1p-1074, DBL_MAX, INFINITY, -INFINITY, 0.1);
  EXTREMES(WEFT_C128, weft_c128, {1.0, -0.0}, {DBL_MAX, -INFINITY}, {0.1, 1.0 / 3.0});
}
END_TEST

START_TEST(nan_stays_nan)
{
  weft_array *x = NULL;
  float f[2] = {0};
  weft_f16 h[2] = {{0}};
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(2), NAN));
  ok(weft_to_host(f, sizeof f, x));
  ck_assert(isnan(f[0]) && isnan(f[1]));
  weft_array_release(&x);
  ok(weft_full(&x, ctx, WEFT_F16, WEFT_SHAPE(2), NAN));
  ok(weft_to_host(h, sizeof h, x));
  ck_assert(isnan(weft_f16_to_double(h[1])));
  weft_array_release(&x);
  if (device.has_fp64) {
    double d[2] = {0};
    ok(weft_full(&x, ctx, WEFT_F64, WEFT_SHAPE(2), NAN));
    ok(weft_to_host(d, sizeof d, x));
    ck_assert(isnan(d[1]));
    weft_array_release(&x);
  }
}
END_TEST

/* A scalar of one type is converted to an array's dtype as in C. */
START_TEST(scalars_are_converted)
{
  const weft_c64 z = {3.5f, 9.0f};
  const struct {
    weft_scalar value;
    weft_dtype dtype;
    double expected;
  } cases[] = {
      {WEFT_SCALAR(3.99), WEFT_I32, 3},
      {WEFT_SCALAR(-3.99), WEFT_I32, -3},
      {WEFT_SCALAR(-0.5), WEFT_U8, 0},
      {WEFT_SCALAR(255.9), WEFT_U8, 255},
      {WEFT_SCALAR(127.9), WEFT_I8, 127},
      {WEFT_SCALAR(-128.9), WEFT_I8, -128},
      {WEFT_SCALAR(2), WEFT_BOOL, 1},
      {WEFT_SCALAR(0.25), WEFT_BOOL, 1},
      {WEFT_SCALAR(0), WEFT_BOOL, 0},
      {WEFT_SCALAR(NAN), WEFT_BOOL, 1},
      {WEFT_SCALAR(-7), WEFT_F32, -7},
      {WEFT_SCALAR(16777217), WEFT_F32, 16777216},
      {WEFT_SCALAR(0.1), WEFT_F32, 0.1f},
      {WEFT_SCALAR(1e300), WEFT_F32, INFINITY},
      {WEFT_SCALAR(70000), WEFT_F16, INFINITY},
      {WEFT_SCALAR(2049), WEFT_F16, 2048},
      {WEFT_SCALAR(z), WEFT_F32, 3.5},
      {WEFT_SCALAR(z), WEFT_I16, 3},
      {WEFT_SCALAR(7u), WEFT_I8, 7},
      {WEFT_SCALAR(true), WEFT_I64, 1},
      {WEFT_SCALAR(5), WEFT_C64, 5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_array *x = NULL;
    unsigned char element[16];
    element_set(cases[i].dtype, element, cases[i].expected, 0);
    ok(weft__full_at(&x, ctx, cases[i].dtype, WEFT_SHAPE_0D, cases[i].value, WEFT_SITE));
    check_elements(x, element, 1, weft_dtype_name(cases[i].dtype));
    weft_array_release(&x);
    harness_count(1);
  }
}
END_TEST

START_TEST(scalars_that_do_not_fit)
{
  const struct {
    weft_scalar value;
    weft_dtype dtype;
    const char *text;
  } cases[] = {
      {WEFT_SCALAR(256), WEFT_U8, "256"},
      {WEFT_SCALAR(-1), WEFT_U8, "-1"},
      {WEFT_SCALAR(128), WEFT_I8, "128"},
      {WEFT_SCALAR(-129), WEFT_I8, "-129"},
      {WEFT_SCALAR(65536), WEFT_U16, "65536"},
      {WEFT_SCALAR(40000), WEFT_I16, "40000"},
      {WEFT_SCALAR(4294967296), WEFT_U32, "4294967296"},
      {WEFT_SCALAR(2147483648u), WEFT_I32, "2147483648"},
      {WEFT_SCALAR(UINT64_MAX), WEFT_I64, "18446744073709551615"},
      {WEFT_SCALAR(-1), WEFT_U64, "-1"},
      {WEFT_SCALAR(256.0), WEFT_U8, "256"},
      {WEFT_SCALAR(-1.0), WEFT_U8, "-1"},
      {WEFT_SCALAR(0x1p63), WEFT_I64, "9"},
      {WEFT_SCALAR(0x1p64), WEFT_U64, "1"},
      {WEFT_SCALAR(NAN), WEFT_I32, "nan"},
      {WEFT_SCALAR(INFINITY), WEFT_I64, "inf"},
      {WEFT_SCALAR(-INFINITY), WEFT_U8, "-inf"},
      {WEFT_SCALAR(1e10f), WEFT_I32, "1"},
  };
  weft_array *y = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_array *x = NULL;
    const char *dtype = weft_dtype_name(cases[i].dtype);
    expect_error(weft__full_at(&x, ctx, cases[i].dtype, WEFT_SHAPE(3), cases[i].value, WEFT_SITE), WEFT_ERROR_OVERFLOW,
                 "weft_full", dtype, cases[i].text, "@value");
    ck_assert_ptr_null(x);
    ok(weft_ones(&y, ctx, cases[i].dtype, WEFT_SHAPE_0D));
    expect_error(weft__fill_at(y, cases[i].value, WEFT_SITE), WEFT_ERROR_OVERFLOW, "weft_fill", dtype, cases[i].text,
                 "@value");
    unsigned char one[16];
    element_set(cases[i].dtype, one, 1, 0);
    check_elements(y, one, 1, dtype);
    weft_array_release(&y);
    harness_count(2);
  }
}
END_TEST

/* ---- sequences ---- */

/// As in NumPy, the first two elements must fit and later ones wrap around.
START_TEST(arange_beyond_the_dtype)
{
  const struct {
    int64_t start, stop, step, count;
    uint8_t expected[5];
  } cases[] = {{254, 258, 1, 4, {254, 255, 0, 1}},
               {3, -2, -1, 5, {3, 2, 1, 0, 255}},
               {0, 300, 300, 1, {0}},
               {300, 300, 1, 0, {0}},
               {-1, -5, 1, 0, {0}},
               {5, -6, -5, 3, {5, 0, 251}}};
  weft_array *x = NULL;
  for (int i = 0; i < 6; i++) {
    ok(weft_arange(&x, ctx, WEFT_U8, cases[i].start, cases[i].stop, cases[i].step));
    check_elements(x, cases[i].expected, cases[i].count, "arange u8");
    weft_array_release(&x);
    ok(weft_arange(&x, ctx, WEFT_U8, (double)cases[i].start, (double)cases[i].stop, (double)cases[i].step));
    check_elements(x, cases[i].expected, cases[i].count, "arange u8 of doubles");
    weft_array_release(&x);
    harness_count(2);
  }
}
END_TEST

/// Where a step underflows a double, i is divided first, as in NumPy.
/// Ends whose difference overflows.
START_TEST(linspace_between_extremes)
{
  const weft_dtype dtypes[] = {WEFT_F64, WEFT_F32, WEFT_F16};
  const double most[] = {DBL_MAX, (double)FLT_MAX, 65504};
  for (int k = 0; k < 3; k++) {
    weft_array *x = NULL, *y = NULL;
    double found[5];
    if (!harness_has_dtype(WEFT_F64)) continue;
    ok(weft_linspace(&x, ctx, dtypes[k], -most[k], most[k], 5));
    ok(weft_cast(&y, x, WEFT_F64));
    ok(weft_to_host(found, sizeof found, y));
    for (int i = 0; i < 5; i++) ck_assert(fabs(found[i] - (i / 2.0 - 1) * most[k]) <= most[k] * 1e-7);
    weft_release(&x, &y);
    ok(weft_linspace(&x, ctx, dtypes[k], most[k], -most[k], 4, .exclude_stop = true));
    ok(weft_cast(&y, x, WEFT_F64));
    ok(weft_to_host(found, 4 * sizeof *found, y));
    for (int i = 0; i < 4; i++) ck_assert(fabs(found[i] - (1 - i / 2.0) * most[k]) <= most[k] * 1e-7);
    weft_release(&x, &y);
  }
}
END_TEST

START_TEST(linspace_of_denormal_numbers)
{
  const double tiny = 0x1p-1074;
  const double expected[] = {0, 0, tiny, tiny, tiny, 2 * tiny, 2 * tiny};
  weft_array *x = NULL;
  double got[7];
  if (!device.has_fp64) return;
  ok(weft_linspace(&x, ctx, WEFT_F64, 0, 1e-323, 7));
  ok(weft_to_host(got, sizeof got, x));
  for (int k = 0; k < 7; k++) ck_assert_msg(got[k] == expected[k], "element %d is %g, not %g", k, got[k], expected[k]);
  weft_array_release(&x);
  harness_count(7);
}
END_TEST

START_TEST(arange_of_integers)
{
  const struct {
    int64_t start, stop, step, count;
  } cases[] = {
      {0, 10, 1, 10},
      {10, 0, -3, 4},
      {0, 10, 3, 4},
      {0, 9, 3, 3},
      {5, 5, 1, 0},
      {5, 0, 1, 0},
      {0, 5, -1, 0},
      {-100, 100, 7, 29},
      {0, 4097, 1, 4097},
      {INT64_MAX - 10, INT64_MAX, 3, 4},
      {INT64_MIN, INT64_MIN + 5, 2, 3},
      {INT64_MIN, INT64_MAX, INT64_MAX, 3},
      {INT64_MAX, INT64_MIN, INT64_MIN, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_array *x = NULL;
    static int64_t expected[5000];
    for (int64_t k = 0; k < cases[i].count; k++)
      expected[k] = (int64_t)((uint64_t)cases[i].start + (uint64_t)k * (uint64_t)cases[i].step);
    ok(weft_arange(&x, ctx, WEFT_I64, cases[i].start, cases[i].stop, cases[i].step));
    ck_assert_int_eq(weft_array_ndim(x), 1);
    check_elements(x, expected, cases[i].count, "arange i64");
    weft_array_release(&x);
    harness_count(1);
  }
  weft_array *x = NULL;
  const uint64_t top[3] = {UINT64_MAX - 5, UINT64_MAX - 3, UINT64_MAX - 1};
  ok(weft_arange(&x, ctx, WEFT_U64, UINT64_MAX - 5, UINT64_MAX, 2));
  check_elements(x, top, 3, "arange u64");
  weft_array_release(&x);
}
END_TEST

START_TEST(arange_of_floats)
{
  weft_array *x = NULL;
  float f[1000];
  for (int i = 0; i < 1000; i++) f[i] = (float)i * 0.1f; /* rounded once, as in NumPy */
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 100, 0.1));
  check_elements(x, f, 1000, "arange(0, 100, 0.1) f32");
  weft_array_release(&x);
  ok(weft_arange(&x, ctx, WEFT_F32, 1, 1.3, 0.1)); /* four elements, as in NumPy */
  ck_assert_int_eq(weft_array_size(x), 4);
  weft_array_release(&x);
  const float down[5] = {2.0f, 1.5f, 1.0f, 0.5f, 0.0f};
  ok(weft_arange(&x, ctx, WEFT_F32, 2.0f, -0.25f, -0.5f));
  check_elements(x, down, 5, "arange(2, -0.25, -0.5) f32");
  weft_array_release(&x);
  weft_f16 h[20], step = weft_f16_from_double(0.1);
  for (int i = 0; i < 20; i++) h[i] = weft_f16_from_double((double)((float)i * (float)weft_f16_to_double(step)));
  ok(weft_arange(&x, ctx, WEFT_F16, 0, 2, 0.1));
  check_elements(x, h, 20, "arange(0, 2, 0.1) f16");
  weft_array_release(&x);
  if (device.has_fp64) {
    double d[1000];
    for (int i = 0; i < 1000; i++) d[i] = i * 0.1;
    ok(weft_arange(&x, ctx, WEFT_F64, 0, 100, 0.1));
    check_elements(x, d, 1000, "arange(0, 100, 0.1) f64");
    weft_array_release(&x);
  }
}
END_TEST

START_TEST(linspace)
{
  const struct {
    double start, stop;
    int64_t count;
  } cases[] = {{0, 1, 5},      {0, 1, 0},  {3, 7, 1},           {3, 7, 2},  {-1, 1, 257},
               {1, 0.1, 1000}, {5, 5, 10}, {1e30, -1e30, 4097}, {0, 0.1, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double start = cases[i].start, stop = cases[i].stop;
    int64_t n = cases[i].count;
    weft_array *x = NULL;
    static float f[5000];
    ok(weft_linspace(&x, ctx, WEFT_F32, start, stop, n));
    ck_assert_int_eq(weft_array_size(x), n);
    ok(weft_to_host(f, (size_t)n * sizeof *f, x));
    weft_array_release(&x);
    for (int64_t k = 0; k < n; k++) {
      double expected = n == 1 ? start : start + (double)k * ((stop - start) / (double)(n - 1));
      bool good = device.has_fp64 ? harness_near(f[k], expected, 1, false)
                                  : fabs(f[k] - expected) <= 4e-7 * (fabs(start) + fabs(stop));
      ck_assert_msg(good, "linspace(%g, %g, %d)[%d] is %g, not %g", start, stop, (int)n, (int)k, (double)f[k],
                    expected);
    }
    if (n > 0) ck_assert(harness_same_double(f[0], (float)start));
    if (n > 1) ck_assert(harness_same_double(f[n - 1], (float)stop));
    if (device.has_fp64 && n > 1) {
      static double d[5000];
      ok(weft_linspace(&x, ctx, WEFT_F64, start, stop, n));
      ok(weft_to_host(d, (size_t)n * sizeof *d, x));
      weft_array_release(&x);
      ck_assert(harness_same_double(d[n - 1], stop));
      for (int64_t k = 0; k < n; k++) {
        double expected = start + (double)k * ((stop - start) / (double)(n - 1));
        ck_assert_msg(fabs(d[k] - expected) <= 4.5e-16 * (fabs(start) + fabs(stop)),
                      "f64 linspace [%d]: %.17g, not %.17g", (int)k, d[k], expected);
      }
    }
    harness_count(1);
  }
}
END_TEST

/* ---- shapes ---- */

START_TEST(eight_axes_and_axes_of_length_zero)
{
  const weft_shape shapes[] = {
      WEFT_SHAPE_0D,       WEFT_SHAPE(0), WEFT_SHAPE(0, 5),       WEFT_SHAPE(5, 0),
      WEFT_SHAPE(3, 0, 4), WEFT_SHAPE(1), WEFT_SHAPE(1, 1, 1, 1), WEFT_SHAPE(2, 1, 2, 1, 2, 1, 2, 1),
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    weft_array *x = NULL, *y = NULL;
    int64_t n = shape_count(shapes[i]);
    float ones[64];
    for (int k = 0; k < 64; k++) ones[k] = 1;
    ok(weft_ones(&x, ctx, WEFT_F32, shapes[i]));
    ck_assert_int_eq(weft_array_size(x), n);
    ck_assert_int_eq(weft_array_ndim(x), shapes[i].ndim);
    ck_assert(weft_array_is_contiguous(x));
    check_elements(x, ones, n, "ones");
    ok(weft_copy(&y, x));
    check_elements(y, ones, n, "copy");
    weft_array_release(&x);
    weft_array_release(&y);
    ok(weft_from_host(&x, ctx, WEFT_F32, shapes[i], n ? ones : NULL)); /* nothing is read, so NULL is valid */
    check_elements(x, ones, n, "from_host");
    if (n == 0) ok(weft_to_host(NULL, 0, x));
    weft_array_release(&x);
    harness_count(1);
  }
}
END_TEST

START_TEST(over_two_to_the_32_elements)
{
  const int64_t n = (INT64_C(1) << 32) + 4099;
  weft_array *x = NULL, *y = NULL, *end = NULL;
  unsigned char data[8200];
  if (!harness_large("over_two_to_the_32_elements", 24)) return;
  ok(weft_full(&x, ctx, WEFT_U8, WEFT_SHAPE(n), 7));
  ok(weft_slice(&end, x, 0, -4100, WEFT_END));
  ok(weft_fill(end, 9));
  weft_array_release(&end);
  ok(weft_copy(&y, x));
  weft_array_release(&x);
  ok(weft_slice(&end, y, 0, -8200, WEFT_END));
  ok(weft_to_host(data, sizeof data, end));
  for (int i = 0; i < 8200; i++) ck_assert_int_eq(data[i], i < 4100 ? 7 : 9);
  weft_array_release(&end);
  ok(weft_slice(&end, y, 0, WEFT_END, WEFT_END, .step = -1)); /* backwards: 64-bit indices in the general kernel */
  ok(weft_copy(&x, end));
  weft_array_release(&end);
  ok(weft_slice(&end, x, 0, 0, 8200));
  ok(weft_to_host(data, sizeof data, end));
  for (int i = 0; i < 8200; i++) ck_assert_int_eq(data[i], i < 4100 ? 9 : 7);
  weft_array_release(&end);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/// As with elementwise functions, a given result may have another dtype of the same kind or of a later kind, and any
/// strides.
START_TEST(given_results_are_cast)
{
  enum { COUNT = 5 };
  const int32_t from_host[COUNT] = {0, -1, 2, 16777217, 4};
  const float range[COUNT] = {0, 1, 2, 3, 4}, halves[COUNT] = {0, 0.25f, 0.5f, 0.75f, 1},
              threes[COUNT] = {3, 3, 3, 3, 3}, ones[COUNT] = {1, 1, 1, 1, 1}, zeros[COUNT] = {0},
              twos[COUNT] = {2, 2, 2, 2, 2}, back[COUNT] = {4, 3, 2, 1, 0}, moved[COUNT] = {0, -1, 2, 16777216, 4};
  for (int step = 1; step <= 2; step++) {
    weft_array *all = NULL, *y = NULL, *x = NULL;
    const weft_shape shape = WEFT_SHAPE(COUNT);
    ok(weft_ones(&all, ctx, WEFT_F32, WEFT_SHAPE(step * COUNT)));
    ok(weft_slice(&y, all, 0, 0, WEFT_END, .step = step));
    ok(weft_arange(&y, ctx, WEFT_I32, 0, COUNT, 1));
    check_elements(y, range, COUNT, "arange");
    ok(weft_linspace(&y, NULL, WEFT_F16, 0, 1, COUNT));
    check_elements(y, halves, COUNT, "linspace");
    ok(weft_full(&y, ctx, WEFT_U8, shape, 3));
    check_elements(y, threes, COUNT, "full");
    ok(weft_zeros(&y, ctx, WEFT_BOOL, shape));
    check_elements(y, zeros, COUNT, "zeros");
    ok(weft_from_host(&y, ctx, WEFT_I32, shape, from_host));
    check_elements(y, moved, COUNT, "from_host");
    ok(weft_arange(&x, ctx, WEFT_I32, 0, COUNT, 1));
    ok(weft_ones_like(&y, x));
    check_elements(y, ones, COUNT, "ones_like");
    ok(weft_copy(&y, x));
    check_elements(y, range, COUNT, "copy");
    ok(weft_full(&y, ctx, WEFT_F32, shape, 2.75));
    ok(weft_cast(&y, y, WEFT_I16)); /* through an integer, in place */
    check_elements(y, twos, COUNT, "cast");
    ok(weft_take_many(&y, (const weft_array *const[]){x}, 1,
                      WEFT_HOST(((const int64_t[]){4, 3, 2, 1, 0}), WEFT_I64, shape)));
    check_elements(y, back, COUNT, "take_many");
    expect_error(weft_arange(&x, ctx, WEFT_F32, 0, COUNT, 1), WEFT_ERROR_DTYPE,
                 "the result is f32, which is not cast to i32", "@out");
    weft_array_release(&x);
    weft_array_release(&y);
    weft_array_release(&all);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "sizes");
  tcase_add_test(tc, sizes_go_there_and_back);
  tcase_add_test(tc, fills_stop_at_the_end);
  tcase_add_test(tc, copies_between_odd_offsets);
  tcase_add_test(tc, overlapping_copies);
  tcase_add_test(tc, transpose_in_place);
  tcase_add_test(tc, eight_axes_and_axes_of_length_zero);
  tcase_add_test(tc, over_two_to_the_32_elements);
  tc = harness_context_case(suite, "values");
  tcase_add_test(tc, extreme_values);
  tcase_add_test(tc, nan_stays_nan);
  tcase_add_test(tc, scalars_are_converted);
  tcase_add_test(tc, scalars_that_do_not_fit);
  tc = harness_context_case(suite, "sequences");
  tcase_add_test(tc, arange_of_integers);
  tcase_add_test(tc, arange_beyond_the_dtype);
  tcase_add_test(tc, linspace_between_extremes);
  tcase_add_test(tc, linspace_of_denormal_numbers);
  tcase_add_test(tc, arange_of_floats);
  tcase_add_test(tc, linspace);
  tcase_add_test(tc, given_results_are_cast);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "array_edges", .add = add});
}
