// SPDX-License-Identifier: MIT
/// Calls over host memory in chunks: bit-identical to the whole call for any shapes, also with arrays on the device,
/// under a budget smaller than the data.
#include <stdio.h>

#include "chunks.h"

enum { ROWS = 37, COLUMNS = 301, N = ROWS * COLUMNS };
static double a[N], b[N], cut[N + 1], whole[N + 1];

static void setup(void) {
  harness_context_open();
  setenv("WEFT_CHUNK", "off", 1);
  fill(a, sizeof a, 1);
  fill(b, sizeof b, 2);
  memset(cut, 0x55, sizeof cut);
  memset(whole, 0x55, sizeof whole);
}

/* ---- shapes and dtypes ---- */

START_TEST(sizes_of_elements_and_arrays)
{
  static const int64_t sizes[] = {513, 4096, 4097, N};
  static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_F16, WEFT_F32, WEFT_I64, WEFT_C128}; /* 1 to 16 bytes */
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    weft_dtype dtype = dtypes[d];
    if (!harness_has_dtype(dtype)) continue;
    size_t element = weft_dtype_size_bytes(dtype);
    if (dtype == WEFT_BOOL)
      for (size_t i = 0; i < sizeof a; i++) ((unsigned char *)a)[i] &= 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      int64_t n = sizes[s] * (int64_t)element <= (int64_t)sizeof a ? sizes[s] : (int64_t)(sizeof a / element);
      size_t size = (size_t)n * element;
      const weft_host x = WEFT_HOST(a, dtype, WEFT_SHAPE(n));
      ok(weft_eval(WEFT_HOST_OUT(whole, dtype, WEFT_SHAPE(n)), ctx, "x * x", WEFT_VAR(x)));
      cut_to("4096");
      ok(weft_eval(WEFT_HOST_OUT(cut, dtype, WEFT_SHAPE(n)), ctx, "x * x", WEFT_VAR(x)));
      expect_cut(2 * size / 4096 > 1 ? 2 * size / 4096 : 0); /* the calling thread computes few elements */
      same_bits(cut, whole, sizeof cut < size + 8 ? size : size + 8, weft_dtype_name(dtype));
    }
    fill(a, sizeof a, 1);
  }
}
END_TEST

START_TEST(broadcasting)
{
  static const struct {
    weft_shape x, y, z;
  } cases[] = {
      {{2, {ROWS, COLUMNS}}, {1, {COLUMNS}}, {2, {ROWS, 1}}},
      {{2, {ROWS, 1}}, {2, {ROWS, COLUMNS}}, {0, {0}}},
      {{1, {COLUMNS}}, {2, {ROWS, 1}}, {1, {1}}}, /* no operand has the full shape */
      {{3, {7, 11, 13}}, {3, {7, 1, 13}}, {3, {1, 11, 1}}},
      {{4, {5, 1, 4, 40}}, {4, {1, 3, 1, 40}}, {2, {4, 1}}},
      {{2, {2, 5000}}, {1, {5000}}, {2, {2, 1}}}, /* a row, and the repeated operand, exceed a chunk */
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const weft_operand x = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, cases[k].x)),
                       y = WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, cases[k].y)),
                       z = WEFT_NAMED("z", WEFT_HOST((float *)b + 100, WEFT_F32, cases[k].z));
    weft_array *made = NULL, *parts = NULL;
    /* `i` and `n` too belong to the whole call */
    ok(weft_eval(&made, ctx, "x * y + z - f32(i) * 0.25 + f32(n)", x, y, z));
    const weft_shape shape = weft_array_shape(made);
    size_t size = (size_t)weft_array_size(made) * sizeof(float);
    ok(weft_to_host(whole, size, made));
    cut_to("4096");
    ok(weft_eval(WEFT_HOST_OUT(cut, WEFT_F32, shape), ctx, "x * y + z - f32(i) * 0.25 + f32(n)", x, y, z));
    expect_cut(2);
    same_bits(cut, whole, size, "to host memory");
    memset(cut, 0x55, sizeof cut);
    cut_to("1000");
    ok(weft_eval(&parts, ctx, "x * y + z - f32(i) * 0.25 + f32(n)", x, y, z));
    expect_cut(1);
    ok(weft_to_host(cut, size, parts));
    same_bits(cut, whole, size, "to an array");
    weft_array_release(&made);
    weft_array_release(&parts);
  }
}
END_TEST

/* ---- with arrays on the device ---- */

START_TEST(arrays_of_the_device_among_them)
{
  const weft_shape shape = WEFT_SHAPE(ROWS, COLUMNS);
  weft_array *x = NULL, *turned = NULL, *out = NULL, *expected = NULL, *row = NULL;
  const weft_host h = WEFT_HOST(a, WEFT_F32, shape);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS, ROWS), b));
  ok(weft_transpose(&turned, x, WEFT_AXES(1, 0)));
  ok(weft_from_host(&row, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS), b));
  ok(weft_eval(&expected, ctx, "h - t * r", WEFT_VAR(h), WEFT_NAMED("t", turned), WEFT_NAMED("r", row)));
  ok(weft_to_host(whole, N * sizeof(float), expected));
  cut_to("4096");
  ok(weft_eval(&out, ctx, "h - t * r", WEFT_VAR(h), WEFT_NAMED("t", turned), WEFT_NAMED("r", row)));
  expect_cut(8);
  ok(weft_to_host(cut, N * sizeof(float), out));
  same_bits(cut, whole, N * sizeof(float), "a transposed array and a row");
  cut_to("4096");
  ok(weft_eval(WEFT_HOST_OUT(cut, WEFT_F32, shape), ctx, "h - t * r", WEFT_VAR(h), WEFT_NAMED("t", turned),
               WEFT_NAMED("r", row)));
  expect_cut(8);
  same_bits(cut, whole, N * sizeof(float), "to host memory");

  /* a result that overlaps an operand in another layout is computed in a temporary */
  weft_array *square = NULL, *flipped = NULL, *again = NULL;
  const weft_host s = WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(90, 90));
  ok(weft_from_host(&square, ctx, WEFT_F32, WEFT_SHAPE(90, 90), b));
  ok(weft_transpose(&flipped, square, WEFT_AXES(1, 0)));
  ok(weft_add(&again, flipped, s));
  ok(weft_to_host(whole, 8100 * sizeof(float), again));
  cut_to("4096");
  ok(weft_add(&square, flipped, s));
  expect_cut(8);
  ok(weft_to_host(cut, 8100 * sizeof(float), square));
  same_bits(cut, whole, 8100 * sizeof(float), "its own transpose");
  /* every second element of a longer array, and a read-only array */
  weft_array *longer = NULL, *second = NULL;
  ok(weft_zeros(&longer, ctx, WEFT_F32, WEFT_SHAPE(16200)));
  ok(weft_slice(&second, longer, 0, 0, 16200, .step = 2));
  cut_to("4096");
  ok(weft_multiply(&second, WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(8100)), 2));
  expect_cut(8);
  ok(weft_to_host(cut, 16200 * sizeof(float), longer));
  int right = 0;
  for (int i = 0; i < 8100; i++)
    right += ((float *)cut)[2 * i] == 2 * ((float *)a)[i] && ((float *)cut)[2 * i + 1] == 0;
  ck_assert_int_eq(right, 8100);
  weft_array_release(&second);
  weft_array_release(&longer);
  weft_array_release(&again);
  weft_array_release(&flipped);
  weft_array_release(&square);
  weft_array_release(&row);
  weft_array_release(&expected);
  weft_array_release(&out);
  weft_array_release(&turned);
  weft_array_release(&x);
}
END_TEST

START_TEST(all_is_repeated)
{
  enum { LENGTH = 1000 };
  const weft_shape column = WEFT_SHAPE(LENGTH, 1);
  const weft_operand x = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, column)),
                     y = WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, column)),
                     z = WEFT_NAMED("z", WEFT_HOST((float *)b + LENGTH, WEFT_F32, column));
  weft_array *d = NULL, *made = NULL, *parts = NULL;
  ok(weft_ones(&d, ctx, WEFT_F32, WEFT_SHAPE(LENGTH, 4)));
  ok(weft_eval(&made, ctx, "x * y + z + d", x, y, z, WEFT_NAMED("d", d)));
  ok(weft_to_host(whole, LENGTH * 4 * sizeof(float), made));
  cut_to("10000"); /* each is copied to the device whole; together they exceed a chunk */
  ok(weft_eval(&parts, ctx, "x * y + z + d", x, y, z, WEFT_NAMED("d", d)));
  expect_cut(1);
  ok(weft_to_host(cut, LENGTH * 4 * sizeof(float), parts));
  same_bits(cut, whole, LENGTH * 4 * sizeof(float), "columns and an array of the device");
  weft_array_release(&d);
  weft_array_release(&made);
  weft_array_release(&parts);
}
END_TEST

START_TEST(several_results)
{
  const weft_shape shape = WEFT_SHAPE(ROWS, COLUMNS);
  const weft_host x = WEFT_HOST(a, WEFT_F32, shape), y = WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(COLUMNS));
  static float s[N], d[N];
  static const char text[] = "s = x + y; d = s * y; q = x - f32(i)";
  weft_array *q = NULL, *got = NULL;
  ok(weft_eval_all(ctx, text, WEFT_NAMED("s", WEFT_HOST_OUT(whole, WEFT_F32, shape)),
                   WEFT_NAMED("d", WEFT_HOST_OUT((float *)whole + N, WEFT_F32, shape)), WEFT_NAMED("q", &q),
                   WEFT_VAR(x), WEFT_VAR(y)));
  cut_to("5000");
  ok(weft_eval_all(ctx, text, WEFT_NAMED("s", WEFT_HOST_OUT(s, WEFT_F32, shape)), WEFT_NAMED("q", &got),
                   WEFT_NAMED("d", WEFT_HOST_OUT(d, WEFT_F32, shape)), WEFT_VAR(x), WEFT_VAR(y)));
  expect_cut(8);
  same_bits(s, whole, sizeof s, "s");
  same_bits(d, (float *)whole + N, sizeof d, "d");
  ok(weft_to_host(whole, sizeof s, q));
  ok(weft_to_host(s, sizeof s, got));
  same_bits(s, whole, sizeof s, "q");
  weft_array_release(&q);
  weft_array_release(&got);
}
END_TEST

/* ---- memory that is both operand and result ---- */

START_TEST(in_place)
{
  static float x[N], expected[N];
  weft_array *three = NULL;
  ok(weft_full(&three, ctx, WEFT_F32, WEFT_SHAPE_0D, 3));
  fill(x, sizeof x, 7);
  for (int i = 0; i < N; i++) expected[i] = x[i] * 3;
  cut_to("4096");
  ok(weft_multiply(WEFT_HOST_OUT(x, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(N)), three));
  expect_cut(8);
  same_bits(x, expected, sizeof x, "the same memory");
  /* shifted by one: as if all had been read first */
  for (int i = 0; i < N - 1; i++) expected[i + 1] = x[i] * 3;
  expected[0] = x[0];
  uint64_t before = launches_so_far();
  setenv("WEFT_CHUNK", "4096", 1);
  ok(weft_multiply(WEFT_HOST_OUT(x + 1, WEFT_F32, WEFT_SHAPE(N - 1)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(N - 1)),
                   three));
  ck_assert_uint_eq(launches_so_far() - before, 1);
  same_bits(x, expected, sizeof x, "memory moved by one");
  ok(weft_memory_trim(ctx));
  ok(weft_memory_set_limit(ctx, 50000));
  expect_error(weft_multiply(WEFT_HOST_OUT(x + 1, WEFT_F32, WEFT_SHAPE(N - 1)),
                             WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(N - 1)), three),
               WEFT_ERROR_BUDGET, "memory limit",
               "while working on the whole call at once: a result in host memory shares part of an operand's memory");
  weft_array_release(&three);
}
END_TEST

START_TEST(pinned_memory)
{
  weft_memory_stats stats;
  float *x = NULL, *y = NULL;
  weft_array *made = NULL;
  ok(weft_pinned_alloc(&x, ctx, N * sizeof *x));
  ok(weft_pinned_alloc(&y, ctx, N * sizeof *y));
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) x[i] = (float)(i + round);
    const weft_host h = WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(N));
    cut_to("4096");
    ok(weft_eval(WEFT_HOST_OUT(y, WEFT_F32, WEFT_SHAPE(N)), ctx, "h * 2 + f32(i)", WEFT_VAR(h)));
    ok(weft_eval(&made, ctx, "h * 2 + f32(i)", WEFT_VAR(h)));
    expect_cut(20);
    for (int i = 0; i < N; i++) x[i] = -1; /* the caller's again */
    int right = 0;
    ok(weft_to_host(whole, N * sizeof *y, made));
    for (int i = 0; i < N; i++) right += y[i] == (float)(3 * i + 2 * round);
    ck_assert_int_eq(right, N);
    same_bits(whole, y, N * sizeof *y, "to an array");
    /* in place, and a sum */
    cut_to("4096");
    ok(weft_eval(WEFT_HOST_OUT(y, WEFT_F32, WEFT_SHAPE(N)), ctx, "y - y + 1",
                 WEFT_NAMED("y", WEFT_HOST(y, WEFT_F32, WEFT_SHAPE(N)))));
    float sum = 0;
    ok(weft_reduce(WEFT_HOST_OUT(&sum, WEFT_F32, WEFT_SHAPE_0D), ctx, "y", WEFT_ALL_AXES,
                   WEFT_NAMED("y", WEFT_HOST(y, WEFT_F32, WEFT_SHAPE(N)))));
    expect_cut(20);
    ck_assert(sum == N);
  }
  weft_array_release(&made);
  weft_pinned_free(&x);
  weft_pinned_free(&y);
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_eq(stats.arrays, 0);
}
END_TEST

/* ---- more than the budget ---- */

START_TEST(host_memory_of_eight_times_the_budget)
{
  enum { MANY = 4 << 20 };
  float *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
  weft_memory_stats stats;
  ck_assert(x && y);
  setenv("WEFT_CHUNK", "8M", 1); /* a CPU device uses host memory in place: it makes chunks only on request */
  for (int i = 0; i < MANY; i++) x[i] = (float)(i & 0xffff);
  ok(weft_memory_set_limit(ctx, 4 << 20));
  ok(weft_eval(WEFT_HOST_OUT(y, WEFT_F32, WEFT_SHAPE(MANY)), ctx, "x * 2 + 1",
               WEFT_NAMED("x", WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(MANY)))));
  int right = 0;
  for (int i = 0; i < MANY; i++) right += y[i] == x[i] * 2 + 1;
  ck_assert_int_eq(right, MANY);
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_le(stats.peak_managed_bytes, 4 << 20);
  ck_assert_uint_eq(stats.arrays, 0);
  ck_assert_uint_eq(stats.to_device_bytes, MANY * sizeof *x);
  ck_assert_uint_eq(stats.to_host_bytes, MANY * sizeof *y);
  weft_usage usage;
  ok(weft_usage_get(&usage, ctx));
  ck_assert_uint_eq(usage.copies_in, 1);
  ck_assert_uint_eq(usage.copies_in_bytes, MANY * sizeof *x);
  ck_assert_uint_eq(usage.copies_back, 1);
  ck_assert_uint_eq(usage.copies_back_bytes, MANY * sizeof *y);
  /* a result on the device must still fit */
  weft_array *made = NULL;
  expect_error(weft_eval(&made, ctx, "x * 2 + 1", WEFT_NAMED("x", WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(MANY)))),
               WEFT_ERROR_BUDGET, "16.0 MiB asked", "memory limit");
  ck_assert_ptr_null(made);
  free(x);
  free(y);
}
END_TEST

/* ---- reductions ---- */

/// The reduction whole and in chunks, bit-identical: sums of f32 are rounded once, in f64. Variances in f64 may differ
/// in the last digits.
static void both(weft_reduction_id id, weft_host x, weft_axes axes, double parameter, uint64_t least) {
  weft_array *expected = NULL, *got = NULL;
  char what[100];
  const weft_operand how = WEFT_REDUCTION(.op = id, .ddof = parameter, .order = parameter);
  ok(weft_reduce(&expected, ctx, "x", axes, WEFT_VAR(x), how)); /* as a formula, to pass the context */
  cut_to("4096");
  ok(weft_reduce(&got, ctx, "x", axes, WEFT_VAR(x), how));
  expect_cut(least);
  size_t size = (size_t)weft_array_size(expected) * weft_dtype_size_bytes(weft_array_dtype(expected));
  ok(weft_to_host(whole, size, expected));
  ok(weft_to_host(cut, size, got));
  if (id == WEFT_REDUCE_VAR && harness_near(cut[0], whole[0], 8, true)) cut[0] = whole[0];
  snprintf(what, sizeof what, "reduction %d of %s", (int)id, weft_dtype_name(x.dtype));
  same_bits(cut, whole, size, what);
  weft_array_release(&expected);
  weft_array_release(&got);
}

START_TEST(what_is_gathered_goes_on)
{
  static float x[N];
  static int32_t k[N];
  fill(x, sizeof x, 11);
  for (int i = 0; i < N; i++) {
    x[i] = (float)((i * 7919) % 1009) / 64 - 3;
    k[i] = (i * 7919) % 100003 * 2 - 50001;
  }
  static const weft_reduction_id of_floats[] = {WEFT_REDUCE_SUM, WEFT_REDUCE_ARGMAX, WEFT_REDUCE_NANMEAN,
                                                WEFT_REDUCE_NANSTD},
                                 of_whole[] = {WEFT_REDUCE_ALL, WEFT_REDUCE_VAR};
  for (size_t r = 0; r < sizeof of_floats / sizeof *of_floats; r++)
    if (device.has_fp64 || of_floats[r] != WEFT_REDUCE_NANSTD)
      both(of_floats[r], WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(N)), WEFT_ALL_AXES, 0, 10);
  for (size_t r = 0; r < sizeof of_whole / sizeof *of_whole; r++)
    if (device.has_fp64 || of_whole[r] != WEFT_REDUCE_VAR)
      both(of_whole[r], WEFT_HOST(k, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS)), WEFT_ALL_AXES, 0, 10);
}
END_TEST

START_TEST(axes_that_are_kept_and_reduced)
{
  static const weft_reduction_id ids[] = {WEFT_REDUCE_SUM, WEFT_REDUCE_ARGMAX};
  static float k[N];
  for (int i = 0; i < N; i++) k[i] = (float)((i * 7919) % 1009);
  for (size_t r = 0; r < sizeof ids / sizeof *ids; r++) {
    const weft_host x = WEFT_HOST(k, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS)),
                    long_rows = WEFT_HOST(k, WEFT_F32, WEFT_SHAPE(3, N / 3)),
                    cube = WEFT_HOST(k, WEFT_F32, WEFT_SHAPE(3, 9, 13, 31)),
                    thin = WEFT_HOST(k, WEFT_F32, WEFT_SHAPE(1, 5000, 1, 2));
    both(ids[r], x, WEFT_AXES(0), 0, 3);
    both(ids[r], x, WEFT_AXES(1), 0, 3);
    both(ids[r], long_rows, WEFT_AXES(1), 0, 6);
    both(ids[r], long_rows, WEFT_AXES(0), 0, 2);
    both(ids[r], cube, WEFT_AXES(1), 0, 3);
    both(ids[r], cube, weft_keepdims(WEFT_AXES(2)), 0, 3);
    both(ids[r], thin, WEFT_AXES(1), 0, 3);
    both(ids[r], thin, WEFT_AXES(0), 0, 3);
    if (ids[r] == WEFT_REDUCE_ARGMAX) continue;
    both(ids[r], cube, WEFT_AXES(0, 2), 0, 3); /* transposed for the kernel, chunk by chunk */
    both(ids[r], cube, WEFT_AXES(1, 3), 0, 3);
    both(ids[r], cube, WEFT_AXES(0, 1), 0, 3);
  }
}
END_TEST

START_TEST(first_of_equal_ones_and_nans)
{
  static float x[N];
  weft_array *at = NULL;
  const weft_host h = WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(N));
  int64_t got;
  for (int i = 0; i < N; i++) x[i] = -1;
  x[3000] = x[3001] = x[9000] = 5;
  cut_to("4096");
  ok(weft_reduce(&at, ctx, "h", WEFT_ALL_AXES, WEFT_VAR(h), WEFT_REDUCTION(.op = WEFT_REDUCE_ARGMAX)));
  expect_cut(10);
  ok(weft_to_host(&got, sizeof got, at));
  ck_assert_int_eq(got, 3000);
  x[7000] = x[7001] = NAN;
  cut_to("4096");
  ok(weft_reduce(&at, ctx, "h", WEFT_ALL_AXES, WEFT_VAR(h), WEFT_REDUCTION(.op = WEFT_REDUCE_ARGMAX)));
  expect_cut(10);
  ok(weft_to_host(&got, sizeof got, at));
  ck_assert_int_eq(got, 7000);
  weft_array_release(&at);
}
END_TEST

START_TEST(dots_and_formulas)
{
  weft_array *x = NULL, *expected = NULL, *got = NULL;
  const weft_host h = WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N));
  const weft_operand how[] = {WEFT_REDUCTION(.op = WEFT_REDUCE_SUM),
                              WEFT_REDUCTION(.combine = "max(a, b)", .neutral = WEFT_SCALAR(-1e30))};
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), b));
  /* an array on the device and a host vector; `i` and `n` belong to the whole call */
  static const char text[] = "h * f32(i - n) + x";
  for (int round = 0; round < 3; round++) {
    for (int in_chunks = 0; in_chunks < 2; in_chunks++) {
      weft_array **out = in_chunks ? &got : &expected;
      if (in_chunks) cut_to("4096");
      if (round == 2)
        ok(weft_dot(out, h, x));
      else
        ok(weft_reduce(out, ctx, text, WEFT_ALL_AXES, WEFT_VAR(h), WEFT_VAR(x), how[round]));
      if (in_chunks) expect_cut(10);
    }
    float values[2];
    ok(weft_to_host(&values[0], sizeof(float), got));
    ok(weft_to_host(&values[1], sizeof(float), expected));
    ck_assert_msg(harness_near(values[0], values[1], round == 1 ? 0 : 1, false), "round %d: %.9g and %.9g", round,
                  (double)values[0], (double)values[1]);
    weft_array_release(&got);
    weft_array_release(&expected);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(reductions_under_a_budget)
{
  enum { MANY = 4 << 20 };
  float *x = malloc(MANY * sizeof *x);
  weft_memory_stats stats;
  ck_assert(x != NULL);
  setenv("WEFT_CHUNK", "8M", 1); /* a CPU device uses host memory in place: it makes chunks only on request */
  for (int i = 0; i < MANY; i++) x[i] = (float)(i % 1000);
  ok(weft_memory_set_limit(ctx, 2 << 20));
  double sum = 0;
  for (int i = 0; i < MANY; i++) sum += x[i];
  float low = 0;
  const weft_host flat = WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(MANY)),
                  square = WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(2048, 2048));
  ok(weft_reduce(WEFT_HOST_OUT(&low, WEFT_F32, WEFT_SHAPE_0D), ctx, "x", WEFT_ALL_AXES, WEFT_NAMED("x", flat)));
  ck_assert(low == (float)sum);
  ok(weft_reduce(WEFT_HOST_OUT(&low, WEFT_F32, WEFT_SHAPE_0D), ctx, "x", WEFT_ALL_AXES, WEFT_NAMED("x", square),
                 WEFT_REDUCTION(.op = WEFT_REDUCE_NANMEAN)));
  ck_assert(low == (float)(sum / MANY));
  for (int axis = 0; axis < 2; axis++) {
    float sums[2048];
    ok(weft_reduce(WEFT_HOST_OUT(sums, WEFT_F32, WEFT_SHAPE(2048)), ctx, "x", axis, WEFT_NAMED("x", square)));
    for (int i = 0; i < 2048; i += 97) {
      double expected = 0;
      for (int k = 0; k < 2048; k++) expected += axis ? x[i * 2048 + k] : x[k * 2048 + i];
      ck_assert(sums[i] == (float)expected);
    }
  }
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_le(stats.peak_managed_bytes, 2 << 20);
  ck_assert_uint_eq(stats.arrays, 0);
  free(x);
}
END_TEST

START_TEST(without_being_told)
{
  const weft_host x = WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(2 * N)); /* less than a CPU device uses in place */
  unsetenv("WEFT_CHUNK");
  ok(weft_eval(WEFT_HOST_OUT(whole, WEFT_F32, WEFT_SHAPE(2 * N)), ctx, "x * x", WEFT_VAR(x)));
  ok(weft_memory_trim(ctx));
  ok(weft_memory_set_limit(ctx, 64 << 10));
  ok(weft_eval(WEFT_HOST_OUT(cut, WEFT_F32, WEFT_SHAPE(2 * N)), ctx, "x * x", WEFT_VAR(x)));
  same_bits(cut, whole, 2 * N * sizeof(float), "under a budget");
}
END_TEST

/* ---- errors, and the environment ---- */

START_TEST(errors)
{
  weft_array *y = NULL, *one = NULL;
  const weft_host x = WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N));
  ok(weft_full(&one, ctx, WEFT_F32, WEFT_SHAPE_0D, 1));
  static const char *const bad[] = {"many", "-5", "8Q", "0", "8M ", "1e4", "99999999999999999999", "20000000T", "K"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    setenv("WEFT_CHUNK", bad[k], 1);
    expect_error(weft_add(&y, x, one), WEFT_ERROR_ARGUMENT, "@WEFT_CHUNK", "weft_add: WEFT_CHUNK is", bad[k],
                 "expected bytes (65536), with K, M, G or T behind them (8M), or off");
    ck_assert_ptr_null(y);
  }
  static const char *const good[] = {"16G", "1K", "2M", "1T", "4096", ""};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    setenv("WEFT_CHUNK", good[k], 1);
    ok(weft_add(&y, x, one));
    weft_array_release(&y);
  }
  /* calls refused whole are refused in chunks too */
  setenv("WEFT_CHUNK", "4096", 1);
  expect_error(weft_add(WEFT_HOST_OUT(cut, WEFT_F32, WEFT_SHAPE(N - 1)), x, one), WEFT_ERROR_SHAPE, "@out",
               "they differ in axis 0");
  expect_error(weft_add(WEFT_HOST_OUT(NULL, WEFT_F32, WEFT_SHAPE(N)), x, one), WEFT_ERROR_ARGUMENT, "@out",
               "`out` is host memory at NULL");
  expect_error(weft_add(WEFT_HOST_OUT(cut, WEFT_I32, WEFT_SHAPE(N)), x, one), WEFT_ERROR_DTYPE, "@out",
               "use weft_cast");
  expect_error(weft_add(WEFT_HOST_OUT(cut, WEFT_F32, WEFT_SHAPE(-1)), x, one), WEFT_ERROR_SHAPE, "@out");
  expect_error(weft_eval_all(ctx, "s = x; d = x", WEFT_NAMED("s", WEFT_HOST_OUT(cut, WEFT_F32, WEFT_SHAPE(N))),
                             WEFT_NAMED("d", WEFT_HOST_OUT((float *)cut + 1, WEFT_F32, WEFT_SHAPE(N))), WEFT_VAR(x)),
               WEFT_ERROR_LAYOUT, "share memory: two results cannot");
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(4)));
  expect_error(weft_add(&y, x, one), WEFT_ERROR_SHAPE, "@out");
  weft_array_release(&y);
  /* empty arrays */
  ok(weft_add(WEFT_HOST_OUT(NULL, WEFT_F32, WEFT_SHAPE(0, N)), WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(0, N)), one));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(0, 1)));
  ok(weft_add(WEFT_HOST_OUT(NULL, WEFT_F32, WEFT_SHAPE(0, N)), x, y));
  weft_array_release(&y);
  weft_array_release(&one);
}
END_TEST

START_TEST(lanes_make_room_for_streams)
{
  enum { STREAMS = 63, COUNT = 1 << 14 };
  static float data[COUNT], out[COUNT];
  weft_stream *stream[STREAMS] = {NULL}, *more = NULL;
  for (int round = 0; round < 2; round++) { /* with queues, and without free slots for queues */
    cut_to("8192");
    ok(weft_eval(WEFT_HOST_OUT(out, WEFT_F32, WEFT_SHAPE(COUNT)), ctx, "x + n",
                 WEFT_NAMED("x", WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(COUNT))), WEFT_NAMED("n", 1 + round)));
    expect_cut(8);
    for (int i = 0; i < COUNT; i++) ck_assert(out[i] == (float)(1 + round));
    for (int i = 0; i < STREAMS && round == 0; i++) ok(weft_stream_create(&stream[i], ctx));
  }
  expect_error(weft_stream_create(&more, ctx), WEFT_ERROR_UNSUPPORTED, "weft_stream_create", "63 streams");
  for (int i = 0; i < STREAMS; i++) weft_stream_release(&stream[i]);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "elements");
  tcase_add_checked_fixture(tc, setup, harness_context_close);
  tcase_add_test(tc, sizes_of_elements_and_arrays);
  tcase_add_test(tc, broadcasting);
  tcase_add_test(tc, arrays_of_the_device_among_them);
  tcase_add_test(tc, all_is_repeated);
  tcase_add_test(tc, several_results);
  tcase_add_test(tc, in_place);
  tcase_add_test(tc, pinned_memory);
  tcase_add_test(tc, host_memory_of_eight_times_the_budget);
  tcase_add_test(tc, without_being_told);
  tcase_add_test(tc, errors);
  tc = harness_case(suite, "reductions");
  tcase_add_checked_fixture(tc, setup, harness_context_close);
  tcase_add_test(tc, what_is_gathered_goes_on);
  tcase_add_test(tc, axes_that_are_kept_and_reduced);
  tcase_add_test(tc, first_of_equal_ones_and_nans);
  tcase_add_test(tc, dots_and_formulas);
  tcase_add_test(tc, reductions_under_a_budget);
  tcase_add_test(tc, lanes_make_room_for_streams);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "chunk", .add = add});
}
