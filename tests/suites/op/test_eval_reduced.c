// SPDX-License-Identifier: MIT
/// Reduced values inside of expressions: the bits of the calls, shapes and dtypes, values that are computed once,
/// operands and results of all kinds, recordings, and errors.
#include <stdio.h>

#include "views.h"

enum { ROWS = 6, COLUMNS = 37 };

/// Numbers of both signs, without order.
static weft_array *rows_of(weft_dtype dtype) {
  weft_array *flat = NULL, *x = NULL, *cast = NULL;
  ok(weft_arange(&flat, ctx, WEFT_I32, 0, ROWS * COLUMNS, 1));
  ok(weft_eval(&x, ctx, "x * 7919 % 41 - 20", WEFT_NAMED("x", flat)));
  weft_array_release(&flat);
  ok(weft_reshape(&flat, x, WEFT_SHAPE(ROWS, COLUMNS)));
  ok(weft_cast(&cast, flat, dtype));
  weft_release(&flat, &x);
  return cast;
}

/// Asserts that both have the same dtype, shape and bits; releases both.
static void check_same(weft_array **got, weft_array **wanted, const char *text) {
  ck_assert_msg(*got && *wanted, "%s: no result", text);
  const weft_shape a = weft_array_shape(*got), b = weft_array_shape(*wanted);
  ck_assert_msg(weft_array_dtype(*got) == weft_array_dtype(*wanted), "%s: %s for %s", text,
                weft_dtype_name(weft_array_dtype(*got)), weft_dtype_name(weft_array_dtype(*wanted)));
  ck_assert_msg(a.ndim == b.ndim && memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof a.dim[0]) == 0, "%s: shape", text);
  const size_t bytes = (size_t)weft_array_size_bytes(*wanted);
  char *x = malloc(bytes + 1), *y = malloc(bytes + 1);
  ok(weft_to_host(x, bytes, *got));
  ok(weft_to_host(y, bytes, *wanted));
  ck_assert_msg(memcmp(x, y, bytes) == 0, "%s: other bits", text);
  free(x);
  free(y);
  weft_release(got, wanted);
  harness_count(1);
}

/* ---- against the calls ---- */

static const char *const names[WEFT_REDUCE_COUNT] = {
    "",        "sum",           "prod",   "min",       "max",       "argmin",  "argmax", "any",
    "all",     "count_nonzero", "mean",   "var",       "std",       "norm",    "ptp",    "nansum",
    "nanprod", "nanmin",        "nanmax", "nanargmin", "nanargmax", "nanmean", "nanvar", "nanstd",
};

static bool has_result(weft_dtype dtype, int id) {
  const bool is_float = id == WEFT_REDUCE_MEAN || id == WEFT_REDUCE_VAR || id == WEFT_REDUCE_STD ||
                        id == WEFT_REDUCE_NORM || id >= WEFT_REDUCE_NANMEAN;
  const char kind = weft_dtype_kind(dtype);
  if (kind == 'b' && id == WEFT_REDUCE_PTP) return false;
  return device.has_fp64 || !is_float || kind == 'f' || kind == 'c';
}

/// Each `step`th reduction of an array, or of a formula of it.
static void check_reductions(weft_dtype dtype, int first, int step, const char *formula) {
  char text[80];
  weft_array *x = rows_of(dtype), *got = NULL, *wanted = NULL;
  for (int id = first; id < WEFT_REDUCE_COUNT; id += step) {
    snprintf(text, sizeof text, "%s(%s, axis=-1)", names[id], formula);
    if (!has_result(dtype, id)) continue;
    ok(weft_eval(&got, ctx, text, WEFT_VAR(x)));
    if (strcmp(formula, "x") == 0)
      ok(weft__reduce_apply_at((weft_reduction_id)id, WEFT_OPERAND(&wanted), WEFT_OPERAND(x),
                               weft_keepdims(WEFT__AXES(-1)), 0, WEFT_SITE));
    else
      ok(weft_reduce(&wanted, ctx, formula, weft_keepdims(-1), WEFT_VAR(x),
                     WEFT_REDUCTION(.op = (weft_reduction_id)id)));
    check_same(&got, &wanted, text);
  }
  weft_release(&x);
}

START_TEST(every_reduction)
{
  check_reductions(WEFT_F32, 1, 1, "x");
  check_reductions(WEFT_I16, 1, 9, "x"); /* sum, mean, nanargmin */
  check_reductions(WEFT_U8, 2, 9, "x");
  check_reductions(WEFT_BOOL, 3, 9, "x");
  check_reductions(WEFT_F16, 1, 9, "x");
  check_reductions(WEFT_C64, 3, 9, "x");
  check_reductions(WEFT_F32, 1, 6, "x * 0.5 + 1");
}
END_TEST

/// Axes of three, of views and of arguments that broadcast.
START_TEST(axes)
{
  static const struct {
    const char *text;
    int count, axis[3];
  } cases[] = {{"sum(x, axis=0)", 1, {0}},          {"sum(x, axis=-2)", 1, {-2}},
               {"sum(x, axis=(0, 2))", 2, {0, 2}},  {"sum(x, axis=(-1,))", 1, {-1}},
               {"sum(x, axis=(1))", 1, {1}},        {"sum(x, axis=(2, 0, 1))", 3, {0, 1, 2}},
               {"sum(x, axis=())", 0, {0}},         {"sum(x)", 3, {0, 1, 2}},
               {"sum(x, axis=None)", 3, {0, 1, 2}}, {"sum(x, keepdims=True, axis=1)", 1, {1}}};
  weft_array *flat = NULL, *x = NULL, *turned = NULL, *got = NULL, *wanted = NULL;
  ok(weft_arange(&flat, ctx, WEFT_I32, 0, 60, 1));
  ok(weft_reshape(&x, flat, WEFT_SHAPE(3, 4, 5)));
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int view = 0; view < 2; view++) {
      const weft_axes along = weft_keepdims(weft__axes(cases[k].count, cases[k].axis));
      ok(weft_eval(&got, ctx, cases[k].text, WEFT_NAMED("x", view ? turned : x)));
      ok(weft_sum(&wanted, view ? turned : x, along));
      check_same(&got, &wanted, cases[k].text);
    }
  weft_release(&flat, &x, &turned);
}
END_TEST

/// Formulas against the calls that they stand for.
START_TEST(formulas)
{
  weft_array *x = rows_of(WEFT_F32), *y = NULL, *most = NULL, *powers = NULL, *sum = NULL, *got = NULL, *wanted = NULL;
  ok(weft_max(&most, x, weft_keepdims(-1)));
  ok(weft_eval(&powers, ctx, "exp(x - most)", WEFT_VAR(x), WEFT_VAR(most)));
  ok(weft_sum(&sum, powers, weft_keepdims(-1)));
  const char *text = "exp(x - max(x, axis=-1)) / sum(exp(x - max(x, axis=-1)), axis=-1)";
  ok(weft_eval(&got, ctx, text, WEFT_VAR(x)));
  ok(weft_divide(&wanted, powers, sum));
  check_same(&got, &wanted, text);
  /* with names */
  text = "e = exp(x - max(x, axis=-1)); e / sum(e, axis=-1)";
  ok(weft_eval(&got, ctx, text, WEFT_VAR(x)));
  ok(weft_divide(&wanted, powers, sum));
  check_same(&got, &wanted, text);
  weft_release(&most, &sum);
  /* along columns, of a row that broadcasts, and of all */
  ok(weft_slice(&y, x, 0, 1, 2));
  ok(weft_mean(&most, x, weft_keepdims(0)));
  ok(weft_reduce(&sum, ctx, "x * y", weft_keepdims(WEFT_ALL_AXES), WEFT_VAR(x), WEFT_VAR(y)));
  text = "(x - mean(x, axis=0)) * sum(x * y) + max(2, x)";
  ok(weft_eval(&got, ctx, text, WEFT_VAR(x), WEFT_VAR(y)));
  ok(weft_eval(&wanted, ctx, "(x - most) * sum + max(2, x)", WEFT_VAR(x), WEFT_VAR(most), WEFT_VAR(sum)));
  check_same(&got, &wanted, text);
  /* weft_reduce of values that need reduced ones, also with a combination of one's own */
  text = "(x - mean(x, axis=0)) ** 2";
  ok(weft_reduce(&got, ctx, text, 1, WEFT_VAR(x)));
  ok(weft_reduce(&wanted, ctx, "(x - most) ** 2", 1, WEFT_VAR(x), WEFT_VAR(most)));
  check_same(&got, &wanted, text);
  ok(weft_reduce(&got, ctx, text, 1, WEFT_VAR(x),
                 WEFT_REDUCTION(.combine = "fmax(a, b)", .neutral = WEFT_SCALAR(0.0))));
  ok(weft_reduce(&wanted, ctx, text, 1, WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  check_same(&got, &wanted, text);
  weft_release(&x, &y, &most, &powers, &sum);
}
END_TEST

/// i, n and i0 count in the argument's shape. Scalars, and arguments without a shape.
START_TEST(places)
{
  int64_t got[ROWS], sum = 0;
  float one[1];
  weft_array *x = rows_of(WEFT_I32), *y = NULL;
  ok(weft_eval(&y, ctx, "sum(0 * x + i1, axis=1) * k + sum(i0 + 0 * x) + n", WEFT_VAR(x), WEFT_NAMED("k", 2)));
  ck_assert_int_eq(weft_array_size(y), ROWS);
  ok(weft_to_host(got, sizeof got, y));
  for (int c = 0; c < COLUMNS; c++) sum += c;
  for (int r = 0; r < ROWS; r++) ck_assert_int_eq(got[r], 2 * sum + COLUMNS * 15 + ROWS);
  weft_array_release(&y);
  ok(weft_eval(WEFT_HOST_OUT(one, WEFT_F32, WEFT_SHAPE_0D), ctx, "sum(k) + max(1.5)", WEFT_NAMED("k", 2.25f)));
  ck_assert(one[0] == 3.75f);
  weft_array_release(&x);
}
END_TEST

/// Lengths of 0, arrays without axes.
START_TEST(nothing)
{
  weft_array *x = NULL, *y = NULL, *wanted = NULL, *zero = NULL;
  ok(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  ok(weft_eval(&y, ctx, "sum(x, axis=0) + prod(x, axis=0)", WEFT_VAR(x)));
  ok(weft_ones(&wanted, ctx, WEFT_F32, WEFT_SHAPE(1, 3)));
  check_same(&y, &wanted, "sum and product of nothing");
  ok(weft_eval(&y, ctx, "x - max(x, axis=1)", WEFT_VAR(x))); /* no rows: none is empty */
  ck_assert(weft_array_size(y) == 0 && weft_array_length(y, 1) == 3);
  weft_array_release(&y);
  expect_error(weft_eval(&y, ctx, "x - max(x, axis=0)", WEFT_VAR(x)), WEFT_ERROR_SHAPE, "no elements to take the max",
               "while computing `max(...)` of the expression");
  ok(weft_full(&zero, ctx, WEFT_F32, WEFT_SHAPE_0D, 2.5f));
  ok(weft_eval(&y, ctx, "z * max(z)", WEFT_NAMED("z", zero)));
  ok(weft_full(&wanted, ctx, WEFT_F32, WEFT_SHAPE_0D, 6.25f));
  check_same(&y, &wanted, "no axes");
  weft_release(&x, &zero);
}
END_TEST

/* ---- once ---- */

/// The kernels and steps of the host that the expression takes.
static uint64_t works_of(const char *text, weft_array **y, weft_array *x) {
  weft_profile_row *rows = NULL;
  uint64_t count = 0, works = 0;
  ok(weft_profile_clear(ctx));
  ok(weft_profile_start(ctx));
  ok(weft_eval(y, ctx, text, WEFT_VAR(x)));
  ok(weft_profile_stop(ctx));
  ok(weft_profile_get(&rows, &count, NULL, ctx));
  for (uint64_t k = 0; k < count; k++)
    if (rows[k].kind == WEFT_PROFILE_KERNEL || rows[k].kind == WEFT_PROFILE_HOST) works += rows[k].calls;
  weft_free(rows);
  return works;
}

/// Equal values are reduced once, values that no result needs not at all.
START_TEST(once)
{
  static const struct {
    const char *text;
    uint64_t works, in_rows; /* where rows are computed in one launch */
  } cases[] = {{"x - max(x, axis=-1)", 2, 1},
               {"max(x * 2 + 1, axis=-1) - x + max(x * 2 + 1, axis=-1)", 2, 1},
               {"max(x * 2 + 1, axis=-1) - x + max(x * 2 + 1.5, axis=-1)", 3, 1},
               {"max(x, axis=1) - x + max(x, axis=-1)", 3, 1},
               {"exp(x - max(x, axis=-1)) / sum(exp(x - max(x, axis=-1)), axis=-1)", 3, 1},
               {"x + prod(x - max(x), axis=0) ", 3, 3},
               {"s = sum(x); t = prod(x * 3); x - s", 2, 2},
               {"(x - min(x, axis=1)) / (max(x, axis=1) - min(x, axis=1))", 3, 1}};
  weft_array *x = rows_of(WEFT_F32), *y = NULL;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ok(weft_eval(&y, ctx, cases[k].text, WEFT_VAR(x)));
    const uint64_t made = works_of(cases[k].text, &y, x),
                   wanted = harness_takes_gpu_kernels() ? cases[k].in_rows : cases[k].works;
    ck_assert_msg(made == wanted, "%s: %llu works, expected %llu", cases[k].text, (unsigned long long)made,
                  (unsigned long long)wanted);
  }
  /* other numbers, the same kernels */
  weft_usage first, second;
  ok(weft_eval(&y, ctx, "x - 2.5 * max(x * 0.5 + 1.5, axis=1)", WEFT_VAR(x)));
  ok(weft_usage_get(&first, ctx));
  ok(weft_eval(&y, ctx, "x - 3.5 * max(x * 0.75 + 4.5, axis=1)", WEFT_VAR(x)));
  ok(weft_usage_get(&second, ctx));
  ck_assert_uint_eq(first.builds, second.builds);
  weft_array *most = NULL, *wanted = NULL;
  ok(weft_reduce(&most, ctx, "x * 0.75 + 4.5", weft_keepdims(1), WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  ok(weft_eval(&wanted, ctx, "x - 3.5 * m", WEFT_VAR(x), WEFT_NAMED("m", most)));
  check_same(&y, &wanted, "other numbers");
  weft_release(&x, &most);
}
END_TEST

/// Reduced values that the next reduction's kernel reads: in rows, long rows, columns and all, with the bits of a
/// reduction of the values.
START_TEST(beside)
{
  static const struct {
    weft_dtype dtype;
    int64_t shape[3];
    const char *text, *values;
    int axis; /* 9: all */
    const char *name;
    weft_reduction_id id;
  } cases[] = {
      {WEFT_F32, {1, 6, 37}, "x - max(x, axis=2)", "x - m", 2, "sum", WEFT_REDUCE_SUM},
      {WEFT_F32, {1, 3, 3000}, "x - max(x, axis=2)", "x - m", 2, "sum", WEFT_REDUCE_SUM},
      {WEFT_F32, {1, 2, 3000}, "x * max(x, axis=2)", "x * m", 2, "var", WEFT_REDUCE_VAR},
      {WEFT_F32, {3, 50, 8}, "x * max(x, axis=1)", "x * m", 1, "sum", WEFT_REDUCE_SUM},
      {WEFT_I16, {3, 50, 7}, "x % (1 + max(x, axis=1))", "x % (1 + m)", 1, "argmax", WEFT_REDUCE_ARGMAX},
      {WEFT_I32, {4, 5, 600}, "x * max(x, axis=(0, 1))", "x * m", 0, "max", WEFT_REDUCE_MAX},
      {WEFT_I32, {2, 30, 30}, "x - max(x)", "x - m", 9, "sum", WEFT_REDUCE_SUM},
      {WEFT_C64, {1, 6, 37}, "x - max(x, axis=2)", "x - m", 2, "sum", WEFT_REDUCE_SUM},
      {WEFT_F16, {1, 40, 20}, "x < max(x, axis=1)", "x < m", 1, "all", WEFT_REDUCE_ALL},
  };
  static const int inner[][3] = {{2}, {2}, {2}, {1}, {1}, {0, 1}, {0, 1, 2}, {2}, {1}};
  static const int inner_count[] = {1, 1, 1, 1, 1, 2, 3, 1, 1};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[80];
    weft_array *flat = NULL, *x = NULL, *m = NULL, *values = NULL, *got = NULL, *wanted = NULL;
    const int64_t *n = cases[k].shape;
    const weft_axes along = cases[k].axis == 9 ? WEFT_ALL_AXES : weft__axes_int(cases[k].axis);
    ok(weft_arange(&flat, ctx, WEFT_I32, 0, n[0] * n[1] * n[2], 1));
    ok(weft_eval(&flat, ctx, "x * 7919 % 41 - 20", WEFT_NAMED("x", flat)));
    ok(weft_cast(&values, flat, cases[k].dtype));
    ok(weft_reshape(&x, values, WEFT_SHAPE(n[0], n[1], n[2])));
    weft_array_release(&values);
    ok(weft_max(&m, x, weft_keepdims(weft__axes(inner_count[k], inner[k]))));
    ok(weft_eval(&values, ctx, cases[k].values, WEFT_VAR(x), WEFT_VAR(m)));
    ok(weft__reduce_apply_at(cases[k].id, WEFT_OPERAND(&wanted), WEFT_OPERAND(values), weft_keepdims(along), 0,
                             WEFT_SITE));
    if (cases[k].axis == 9)
      snprintf(text, sizeof text, "%s(%s)", cases[k].name, cases[k].text);
    else
      snprintf(text, sizeof text, "%s(%s, axis=%d)", cases[k].name, cases[k].text, cases[k].axis);
    ok(weft_eval(&got, ctx, text, WEFT_VAR(x)));
    check_same(&got, &wanted, text);
    weft_release(&flat, &x, &m, &values);
  }
}
END_TEST

/* ---- operands and results ---- */

/// Host memory, in one piece and in chunks; results in place, over an operand, several at once.
START_TEST(hosts)
{
  enum { N = 1 << 12 };
  static float data[N], low[N], out[N];
  float sum = 0;
  for (int k = 0; k < N; k++) sum += data[k] = (float)(k % 7);
  for (int k = 0; k < N; k++) low[k] = data[k] - sum;
  for (int chunks = 0; chunks < 2; chunks++) {
    setenv("WEFT_CHUNK", chunks ? "4096" : "off", 1);
    memset(out, 0, sizeof out);
    ok(weft_eval(WEFT_HOST_OUT(out, WEFT_F32, WEFT_SHAPE(N)), ctx, "x - sum(x)",
                 WEFT_NAMED("x", WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N)))));
    ck_assert(memcmp(out, low, sizeof out) == 0);
  }
  weft_array *x = NULL, *s = NULL, *y = NULL;
  ok(weft_eval(&x, ctx, "x - sum(x)", WEFT_NAMED("x", WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N))))); /* chunks */
  unsetenv("WEFT_CHUNK");
  check_elements(x, low, N, "from chunks");
  ok(weft_eval(&y, ctx, "x * 1 + sum(x) * 0", WEFT_NAMED("x", WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N)))));
  ok(weft_eval(&y, ctx, "y - sum(y)", WEFT_VAR(y))); /* into its operand */
  check_elements(y, low, N, "in place");
  ok(weft_eval_all(ctx, "s = sum(y) + 0 * y; y = y + max(y)", WEFT_VAR(&s), WEFT_VAR(&y), WEFT_VAR(y)));
  const float most = 6 - sum;
  for (int k = 0; k < N; k++) out[k] = low[k] + most;
  check_elements(y, out, N, "several results");
  ck_assert_int_eq(weft_array_size(s), N);
  weft_release(&x, &s, &y);
}
END_TEST

/// A result's dtype is cast as any result; a shape that does not fit is an error.
START_TEST(given)
{
  weft_array *x = rows_of(WEFT_I32), *y = NULL, *z = NULL;
  ok(weft_empty(&y, ctx, WEFT_I16, WEFT_SHAPE(ROWS, 1)));
  ok(weft_empty(&z, ctx, WEFT_I16, WEFT_SHAPE(ROWS, 1)));
  ok(weft_eval(&y, ctx, "max(x, axis=1) - min(x, axis=1)", WEFT_VAR(x)));
  ok(weft_ptp(&z, x, weft_keepdims(1)));
  check_same(&y, &z, "i16");
  ok(weft_empty(&y, ctx, WEFT_I32, WEFT_SHAPE(ROWS, 1)));
  expect_error(weft_eval(&y, ctx, "x - min(x, axis=1)", WEFT_VAR(x)), WEFT_ERROR_SHAPE, "@out");
  weft_release(&x, &y);
}
END_TEST

START_TEST(recorded)
{
  weft_array *x = rows_of(WEFT_F32), *y = NULL, *wanted = NULL;
  weft_recording *recording = NULL;
  const char *text = "x / (1 + sum(x * x, axis=-1)) + max(x)";
  ok(weft_record_begin(ctx));
  ok(weft_eval(&y, ctx, text, WEFT_VAR(x)));
  ok(weft_record_end(&recording));
  ok(weft_multiply(&x, x, 1.5f));
  ok(weft_replay(recording));
  ok(weft_eval(&wanted, ctx, text, WEFT_VAR(x)));
  check_same(&y, &wanted, text);
  weft_release(&recording, &x);
}
END_TEST

/* ---- errors ---- */

START_TEST(refused)
{
  weft_array *x = rows_of(WEFT_F32), *y = NULL, *row = NULL;
  ok(weft_ones(&row, ctx, WEFT_F32, WEFT_SHAPE(5)));
  expect_error(weft_eval(&y, ctx, "x - max(x, axis=2)", WEFT_VAR(x)), WEFT_ERROR_AXIS,
               "weft_eval: axis 2 was asked for; the array has 2 axes, so expected -2 to 1",
               "while computing `max(...)` of the expression");
  expect_error(weft_eval(&y, ctx, "x - max(x, axis=99999999999)", WEFT_VAR(x)), WEFT_ERROR_AXIS, "axis 2147483647");
  expect_error(weft_eval(&y, ctx, "x - max(x, axis=(0, -2))", WEFT_VAR(x)), WEFT_ERROR_AXIS, "axis 0 is given twice");
  expect_error(weft_eval(&y, ctx, "argmax(x + f32(argmin(x, axis=(0, 1))), axis=())", WEFT_VAR(x)), WEFT_ERROR_AXIS,
               "0 axes were given; argmax works along one, or all");
  expect_error(weft_eval(&y, ctx, "ptp(x > 1)", WEFT_VAR(x)), WEFT_ERROR_DTYPE, "bool, which cannot be subtracted");
  expect_error(weft_eval(&y, ctx, "x - row", WEFT_VAR(x), WEFT_VAR(row)), WEFT_ERROR_SHAPE, "`row`");
  expect_error(weft_eval(&y, ctx, "sum(x - row)", WEFT_VAR(x), WEFT_VAR(row)), WEFT_ERROR_SHAPE, "`row`");
  expect_error(weft_eval(&y, ctx, "sum(x, axis=0) - row", WEFT_VAR(x), WEFT_VAR(row)), WEFT_ERROR_SHAPE, "`sum`",
               "`row`");
  expect_error(weft_reduce(&y, ctx, "x - max(x, axis=3)", WEFT_ALL_AXES, WEFT_VAR(x)), WEFT_ERROR_AXIS, "axis 3");
  /* texts about one element */
  static const char before[] =
      "`sum` reduces a whole array, this expression works on one element: call weft_sum before";
  expect_error(weft_stencil(&y, ctx, "x[0, 1] - sum(x)", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION, "expr:1:11: ", before);
  expect_error(weft_select(&y, ctx, "x > sum(x)", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION, "expr:1:5: ", before);
  expect_error(weft_matmul(&y, row, row, .epilogue = WEFT_EPILOGUE("value + sum(value)")), WEFT_ERROR_EXPRESSION,
               before);
  expect_error(
      weft_reduce(&y, ctx, "x", 0, WEFT_VAR(x), WEFT_REDUCTION(.combine = "a + sum(b)", .neutral = WEFT_SCALAR(0.0))),
      WEFT_ERROR_EXPRESSION, before);
  ck_assert_ptr_null(y);
  ok(weft_eval(&y, ctx, "x - max(x)", WEFT_VAR(x))); /* the context still works */
  weft_release(&x, &y, &row);
}
END_TEST

/// As many reduced values as operands fit, and one more.
START_TEST(many)
{
  char text[2048];
  weft_array *x = rows_of(WEFT_I32), *y = NULL, *wanted = NULL, *sum = NULL;
  for (int count = 60; count < 80; count += 15) {
    size_t at = 0;
    for (int k = 0; k < count; k++)
      at += (size_t)snprintf(text + at, sizeof text - at, "%smax(x - %d)", k ? " + " : "", k);
    if (count > 70) {
      expect_error(weft_eval(&y, ctx, text, WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
                   "more than 69 variables and reduced values");
      break;
    }
    ok(weft_eval(&y, ctx, text, WEFT_VAR(x)));
    ok(weft_max(&sum, x, weft_keepdims(WEFT_ALL_AXES)));
    ok(weft_eval(&wanted, ctx, "x * count - count * (count - 1) // 2", WEFT_NAMED("x", sum),
                 WEFT_NAMED("count", count)));
    check_same(&y, &wanted, "many");
  }
  weft_release(&x, &sum);
}
END_TEST

/* ---- rows in one launch ---- */

static weft_array *numbers_of(weft_dtype dtype, weft_shape shape) {
  weft_array *flat = NULL, *x = NULL, *cast = NULL, *shaped = NULL;
  int64_t size = 1;
  for (int d = 0; d < shape.ndim; d++) size *= shape.dim[d];
  ok(weft_arange(&flat, ctx, WEFT_I32, 0, size, 1));
  ok(weft_eval(&x, ctx, "f32(x * 7919 % 1009 - 504) * 0.37", WEFT_NAMED("x", flat)));
  ok(weft_cast(&cast, x, dtype));
  ok(weft_reshape(&shaped, cast, shape));
  weft_release(&flat, &x, &cast);
  return shaped;
}

/// A view of a copy whose rows are further apart: of such arrays rows are not computed in one launch.
static weft_array *spread(const weft_array *x) {
  weft_array *wide = NULL, *view = NULL;
  const int last = weft_array_ndim(x) - 1;
  weft_shape shape = weft_array_shape(x);
  shape.dim[last] += 5;
  ok(weft_zeros(&wide, ctx, weft_array_dtype(x), shape));
  ok(weft_slice(&view, wide, last, 0, shape.dim[last] - 5));
  ok(weft_copy(&view, x));
  weft_array_release(&wide);
  return view;
}

/// Rows of each division, in one launch and in parts: the same bits.
START_TEST(whole_rows)
{
  static const struct {
    const char *text;
    weft_dtype dtype;
    weft_shape shape;
    bool is_whole;
  } cases[] = {
      {"e = exp(x - max(x, axis=-1)); e / sum(e, axis=-1)", WEFT_F32, {2, {37, 64}}, true},
      {"(x - mean(x, axis=-1)) / sqrt(var(x, axis=-1) + k)", WEFT_F32, {2, {3, 2000}}, true},
      {"x / std(x, axis=-1, ddof=1) + k", WEFT_F64, {2, {2, 2600}}, true},
      {"x - max(x * k, axis=-1)", WEFT_F16, {2, {7, 48}}, true},
      {"x * sum(abs(x), axis=(-1, 1)) + k", WEFT_F64, {3, {4, 3, 111}}, true},
      {"(x - min(x)) / ptp(x) + k", WEFT_F32, {2, {1, 512}}, true},
      {"x * any(x > 3, axis=-1) + prod(x, axis=-1) * 3 - i32(k)", WEFT_I32, {2, {300, 5}}, true},
      {"x - max(x, axis=-1) + k", WEFT_F32, {2, {2, 9000}}, false},    /* too long */
      {"x - nanmax(x, axis=-1) + k", WEFT_F32, {2, {2, 1502}}, false}, /* ends within a chunk */
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    if (!harness_has_dtype(cases[c].dtype)) continue;
    weft_array *x = numbers_of(cases[c].dtype, cases[c].shape), *apart = spread(x), *got = NULL, *wanted = NULL;
    const int count = strchr(cases[c].text, 'k') ? 2 : 1;
    const weft_operand of_x[] = {WEFT_NAMED("x", x), WEFT_NAMED("k", 0.75f)};
    const weft_operand of_view[] = {WEFT_NAMED("x", apart), of_x[1]};
    ok((weft_eval)(&got, ctx, cases[c].text, count, of_x));
    weft_array_release(&got);
    const uint64_t before = harness_launches();
    ok((weft_eval)(&got, ctx, cases[c].text, count, of_x));
    if (harness_takes_gpu_kernels() && cases[c].is_whole) ck_assert_uint_eq(harness_launches() - before, 1);
    if (harness_takes_gpu_kernels() && !cases[c].is_whole) ck_assert_uint_gt(harness_launches() - before, 1);
    ok((weft_eval)(&wanted, ctx, cases[c].text, count, of_view));
    check_same(&got, &wanted, cases[c].text);
    weft_release(&x, &apart);
  }
}
END_TEST

/// Several arrays; the result in the place of an operand, in another dtype, and in a view.
START_TEST(whole_results)
{
  static const char text[] = "x * y - sum(x * y, axis=-1)";
  weft_array *x = numbers_of(WEFT_F32, WEFT_SHAPE(9, 24)), *y = NULL, *wanted = NULL, *wide = NULL, *got = NULL;
  weft_array *apart = spread(x);
  const weft_dtype other = device.has_fp64 ? WEFT_F64 : WEFT_F16;
  ok(weft_eval(&y, ctx, "cos(x)", WEFT_VAR(x)));
  ok(weft_eval(&wanted, ctx, text, WEFT_NAMED("x", apart), WEFT_VAR(y)));
  ok(weft_cast(&wide, wanted, other));
  ok(weft_zeros(&got, ctx, other, WEFT_SHAPE(9, 24)));
  ok(weft_eval(&got, ctx, text, WEFT_VAR(x), WEFT_VAR(y)));
  check_same(&got, &wide, "a result of another dtype");
  got = spread(x);
  ok(weft_eval(&got, ctx, text, WEFT_VAR(x), WEFT_VAR(y)));
  ok(weft_copy(&wide, wanted));
  check_same(&got, &wide, "a view as a result");
  ok(weft_eval(&x, ctx, text, WEFT_VAR(x), WEFT_VAR(y)));
  check_same(&x, &wanted, "in place");
  weft_release(&y, &apart);
}
END_TEST

/// Arrays with an element for each row, for each place in a row, and one, as for a layer of a network.
START_TEST(whole_beside)
{
  static const struct {
    const char *text;
    uint64_t launches;
  } cases[] = {{"(x - mean(x, axis=-1)) / sqrt(var(x, axis=-1) + one) * scale + shift", 1},
               {"x * row - max(x * row, axis=-1) + one", 1},
               {"x - sum(x * scale, axis=-1) + row + shift * one", 3}};
  weft_array *x = numbers_of(WEFT_F32, WEFT_SHAPE(6, 5, 28)), *apart = spread(x), *row = NULL, *scale = NULL,
             *shift = NULL, *one = NULL, *got = NULL, *wanted = NULL;
  ok(weft_max(&row, x, weft_keepdims(-1)));
  scale = numbers_of(WEFT_F32, WEFT_SHAPE(28));
  /* a dtype of 4 bytes, as x has, which is read in the same chunks; i32 and f32 are added in f64 */
  shift = numbers_of(device.has_fp64 ? WEFT_I32 : WEFT_F32, WEFT_SHAPE(1, 28));
  ok(weft_full(&one, ctx, WEFT_F32, WEFT_SHAPE_0D, 0.5f));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const weft_array *const arrays[] = {x, row, scale, shift, one};
    static const char *const name[] = {"x", "row", "scale", "shift", "one"};
    weft_operand variables[5];
    int count = 0;
    for (int i = 0; i < 5; i++)
      if (strstr(cases[k].text, name[i])) variables[count++] = WEFT_NAMED(name[i], arrays[i]);
    ok((weft_eval)(&got, ctx, cases[k].text, count, variables));
    weft_array_release(&got);
    const uint64_t before = harness_launches();
    ok((weft_eval)(&got, ctx, cases[k].text, count, variables));
    if (harness_takes_gpu_kernels()) ck_assert_uint_eq(harness_launches() - before, cases[k].launches);
    variables[0] = WEFT_NAMED("x", apart);
    ok((weft_eval)(&wanted, ctx, cases[k].text, count, variables));
    if (!device.has_fp64) { /* sums of f32 are grouped as the layout has it */
      bool close = false;
      ok(weft_allclose(&close, got, wanted, .rtol = 1e-5, .atol = 1e-5));
      ck_assert_msg(close, "%s: other values", cases[k].text);
      weft_release(&got, &wanted);
      continue;
    }
    check_same(&got, &wanted, cases[k].text);
  }
  weft_release(&x, &apart, &row, &scale, &shift, &one);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "values");
  tcase_add_test(tc, every_reduction);
  tcase_add_test(tc, axes);
  tcase_add_test(tc, formulas);
  tcase_add_test(tc, places);
  tcase_add_test(tc, nothing);
  tcase_add_test(tc, once);
  tcase_add_test(tc, beside);
  tc = harness_context_case(suite, "rows");
  tcase_add_test(tc, whole_rows);
  tcase_add_test(tc, whole_results);
  tcase_add_test(tc, whole_beside);
  tc = harness_context_case(suite, "calls");
  tcase_add_test(tc, hosts);
  tcase_add_test(tc, given);
  tcase_add_test(tc, recorded);
  tcase_add_test(tc, refused);
  tcase_add_test(tc, many);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "eval_reduced", .add = add});
}
