// SPDX-License-Identifier: MIT
/// Reductions in chunks of what the kernels cannot take as it is: variables that broadcast, views, axes that do not follow each other. The bits
/// of the whole call, and less memory.
#include <stdio.h>

#include "chunks.h"

enum { MOST = 20000 };
static double a[MOST], b[MOST], whole[MOST], cut[MOST];

static void setup(void) {
  harness_context_open();
  setenv("WEFT_CHUNK", "off", 1);
}

static void set_elements(void *data, weft_dtype dtype, int64_t count, int64_t factor, double scale, double shift) {
  for (int64_t i = 0; i < count; i++)
    element_set(dtype, (char *)data + i * (int64_t)weft_dtype_size_bytes(dtype), (double)((i * factor) % 1009) * scale - shift, 0);
}

/// The call whole and in chunks of 4096 bytes.
static void both(const char *text, const weft_reduction *how, weft_axes axes, weft_operand x, weft_operand y, bool is_near,
                 const char *what) {
  weft_array *expected = NULL, *got = NULL;
  uint64_t before = launches_so_far();
  ok(weft_reduce(&expected, ctx, text, how, axes, x, y, WEFT_NAMED("c", 3)));
  uint64_t launches = launches_so_far() - before;
  cut_to("4096");
  ok(weft_reduce(&got, ctx, text, how, axes, x, y, WEFT_NAMED("c", 3)));
  expect_cut(launches + 1);
  size_t size = (size_t)weft_array_size(expected) * weft_dtype_size_bytes(weft_array_dtype(expected));
  ck_assert_uint_eq(size, (size_t)weft_array_size(got) * weft_dtype_size_bytes(weft_array_dtype(got)));
  ok(weft_to_host(whole, size, expected));
  ok(weft_to_host(cut, size, got));
  for (size_t i = 0; i < size / sizeof *cut && is_near; i++)
    if (harness_near(cut[i], whole[i], 8, true)) cut[i] = whole[i];
  same_bits(cut, whole, size, what);
  weft_array_release(&expected);
  weft_array_release(&got);
}

/* ---- any shapes ---- */

static weft_shape random_shape(harness_random *random, char *what, size_t room) {
  static const int64_t longest[] = {9000, 130, 30, 13, 9};
  weft_shape shape = {.ndim = (int)harness_between(random, 1, 5)};
  int64_t most = longest[shape.ndim - 1], count;
  do {
    count = 1;
    for (int d = 0; d < shape.ndim; d++) count *= shape.dim[d] = harness_between(random, 1, most);
  } while (count < 3000 || count > MOST);
  size_t at = 0;
  for (int d = 0; d < shape.ndim; d++) at += (size_t)snprintf(what + at, room - at, "%s%d", d ? "," : "[", (int)shape.dim[d]);
  snprintf(what + at, room - at, "]");
  return shape;
}

/// The shape with some axes that are repeated, and without some of the first ones.
static weft_shape repeated(harness_random *random, weft_shape shape) {
  weft_shape less = shape;
  int drop = harness_between(random, 0, 2) == 0 ? (int)harness_between(random, 0, shape.ndim - 1) : 0;
  less.ndim -= drop;
  for (int d = 0; d < less.ndim; d++) less.dim[d] = harness_between(random, 0, 1) ? 1 : shape.dim[d + drop];
  return less;
}

/// An array of this shape whose elements are those of `data` in some order or other: contiguous, every second of a longer one, or transposed.
static weft_array *random_array(harness_random *random, weft_dtype dtype, weft_shape shape, const void *data) {
  weft_array *base = NULL, *view = NULL;
  weft_shape turned = shape, order = shape;
  int last = shape.ndim - 1;
  switch (harness_between(random, 0, 2)) {
    case 0:
      ok(weft_from_host(&view, ctx, dtype, shape, data));
      return view;
    case 1:
      turned.dim[last] *= 2;
      ok(weft_zeros(&base, ctx, dtype, turned));
      ok(weft_slice(&view, base, last, 1, turned.dim[last], 2));
      ok(weft_from_host(&view, ctx, dtype, shape, data));
      break;
    default:
      for (int d = 0; d <= last; d++) {
        turned.dim[d] = shape.dim[last - d];
        order.dim[d] = last - d;
      }
      ok(weft_from_host(&base, ctx, dtype, turned, data));
      ok(weft_transpose(&view, base, order));
  }
  weft_array_release(&base);
  return view;
}

START_TEST(any_shapes)
{
  const struct {
    const char *text;
    weft_dtype x, y;
    weft_reduction how;
    bool is_near, one_axis, needs_fp64;
  } formulas[] = {
      {"(x - y) * (x - y) + c", WEFT_F32, WEFT_F32, {.op = WEFT_REDUCE_SUM}, false, false, false},
      {"x * y - f32(i % 97) * c + f32(n)", WEFT_F32, WEFT_F32, {.op = WEFT_REDUCE_ARGMAX}, false, true, false},
      {"x - y * c", WEFT_I32, WEFT_I16, {.op = WEFT_REDUCE_SUM, .dtype = WEFT_I64}, false, false, false},
      {"x * y + c", WEFT_F32, WEFT_F32, {.combine = "max(a, b)", .neutral = WEFT_SCALAR(-1e30)}, false, false, false},
      {"x + y - c", WEFT_F64, WEFT_F32, {.op = WEFT_REDUCE_VAR}, true, false, true},
  };
  harness_random random = harness_random_start(31);
  for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++) {
    if (formulas[f].needs_fp64 && !device.has_fp64) continue;
    set_elements(a, formulas[f].x, MOST, 7919, 1.0 / 16, 20);
    set_elements(b, formulas[f].y, MOST, 6113, 1.0 / 8, 50);
    for (int round = 0; round < 12; round++) {
      char what[200], axis_text[40] = "";
      const weft_shape shape = random_shape(&random, what, 80);
      const weft_shape more = harness_between(&random, 0, 3) ? repeated(&random, shape) : shape;
      weft_axes axes = WEFT_ALL_AXES;
      weft_array *array = NULL;
      if (harness_between(&random, 0, 3)) {
        int some[WEFT_MAX_NDIM], count = 0;
        for (int d = 0; d < shape.ndim; d++)
          if (formulas[f].one_axis ? d == (round + shape.ndim) % shape.ndim : harness_between(&random, 0, 1)) some[count++] = d;
        if (count == 0) some[count++] = shape.ndim - 1;
        axes = weft__axes(count, some);
        for (int d = 0; d < count; d++) snprintf(axis_text + 2 * d, sizeof axis_text - 2 * (size_t)d, " %d", some[d]);
      }
      weft_operand x = WEFT_NAMED("x", WEFT_HOST(a, formulas[f].x, shape)), y = WEFT_NAMED("y", WEFT_HOST(b, formulas[f].y, more));
      if (harness_between(&random, 0, 1)) {
        array = random_array(&random, formulas[f].y, more, b);
        y = WEFT_NAMED("y", array);
      }
      size_t at = strlen(what);
      snprintf(what + at, sizeof what - at, ", %d axes of y, which is %s, along%s: %s", more.ndim, array ? "an array" : "host memory",
               axis_text[0] ? axis_text : " all", formulas[f].text);
      both(formulas[f].text, &formulas[f].how, axes, x, y, formulas[f].is_near, what);
      weft_array_release(&array);
    }
  }
}
END_TEST

/* ---- what it is for ---- */

START_TEST(squares_around_a_mean)
{
  enum { ROWS = 61, COLUMNS = 97 };
  static const weft_shape means[] = {{1, {COLUMNS}}, {2, {ROWS, 1}}, {2, {1, COLUMNS}}, {2, {1, 1}}};
  set_elements(a, WEFT_F32, ROWS * COLUMNS, 7919, 1.0 / 16, 20);
  set_elements(b, WEFT_F32, ROWS * COLUMNS, 6113, 1.0 / 8, 50);
  const float *x = (const float *)a, *mu = (const float *)b;
  const weft_host h = WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS));
  for (size_t k = 0; k < sizeof means / sizeof *means; k++)
    for (int axis = 0; axis < 2; axis++) {
      weft_array *m = NULL, *out = NULL;
      float got[COLUMNS];
      int kept = axis ? ROWS : COLUMNS;
      if (axis) ok(weft_from_host(&m, ctx, WEFT_F32, means[k], mu));
      const weft_operand y = m ? WEFT_NAMED("mu", m) : WEFT_NAMED("mu", WEFT_HOST(mu, WEFT_F32, means[k]));
      cut_to("4096");
      ok(weft_reduce(&out, ctx, "(h - mu) ** 2", NULL, WEFT_AXIS(axis), WEFT_VAR(h), y));
      expect_cut(8);
      ok(weft_to_host(got, (size_t)kept * sizeof *got, out));
      for (int i = 0; i < kept; i++) {
        double sum = 0;
        for (int j = 0; j < ROWS + COLUMNS - kept; j++) {
          int row = axis ? i : j, column = axis ? j : i;
          double far = (double)x[row * COLUMNS + column] - (double)mu[k == 3 ? 0 : k == 1 ? row : column];
          sum += far * far;
        }
        ck_assert_msg(got[i] == (float)sum, "mean %zu, axis %d: %.9g at %d, not %.9g", k, axis, (double)got[i], i, sum);
      }
      weft_array_release(&out);
      weft_array_release(&m);
    }
  /* into the mean itself, which is read until the end */
  weft_array *m = NULL, *expected = NULL;
  ok(weft_from_host(&m, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS), mu));
  ok(weft_reduce(&expected, ctx, "h - m", NULL, WEFT_AXIS(0), WEFT_VAR(h), WEFT_VAR(m)));
  cut_to("4096");
  ok(weft_reduce(&m, ctx, "h - m", NULL, WEFT_AXIS(0), WEFT_VAR(h), WEFT_VAR(m)));
  expect_cut(8);
  ok(weft_to_host(whole, COLUMNS * sizeof(float), expected));
  ok(weft_to_host(cut, COLUMNS * sizeof(float), m));
  same_bits(cut, whole, COLUMNS * sizeof(float), "into an operand");
  weft_array_release(&expected);
  weft_array_release(&m);
}
END_TEST

START_TEST(vectors_that_are_views)
{
  enum { N = 5000 };
  weft_array *x = NULL, *second = NULL, *back = NULL;
  int64_t got, sum = 0;
  set_elements(a, WEFT_I32, 2 * N, 7919, 1, 300);
  set_elements(b, WEFT_I32, N, 6113, 1, 200);
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2 * N), a));
  ok(weft_slice(&second, x, 0, 0, 2 * N, 2));
  ok(weft_flip(&back, second, 0));
  for (int i = 0; i < N; i++) sum += (int64_t)((int32_t *)a)[2 * (N - 1 - i)] * ((int32_t *)b)[i];
  cut_to("4096");
  ok(weft_dot(WEFT_HOST_OUT(&got, WEFT_I64, WEFT_SHAPE_0D), back, WEFT_HOST(b, WEFT_I32, WEFT_SHAPE(N))));
  expect_cut(8);
  ck_assert_int_eq(got, sum);
  weft_array_release(&back);
  weft_array_release(&second);
  weft_array_release(&x);
}
END_TEST

START_TEST(eight_axes)
{
  const weft_shape shape = WEFT_SHAPE(6, 5, 1, 4, 3, 2, 5, 3), more = WEFT_SHAPE(6, 1, 1, 4, 1, 2, 1, 3);
  set_elements(a, WEFT_F32, MOST, 7919, 1.0 / 16, 20);
  set_elements(b, WEFT_F32, MOST, 6113, 1.0 / 8, 50);
  const weft_operand x = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, shape)), y = WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, more));
  both("(x - y) * (x - y) + c", NULL, WEFT_AXES(0, 3, 5, 7), x, y, false, "axes that take turns");
  both("(x - y) * (x - y) + c", NULL, WEFT_AXES(1, 2, 4, 6), x, y, false, "the others");
}
END_TEST

/* ---- less memory ---- */

START_TEST(under_a_budget)
{
  enum { ROWS = 700, COLUMNS = 1500, MANY = ROWS * COLUMNS, LIMIT = 1 << 20 };
  int32_t *x = malloc(MANY * sizeof *x), *row = (int32_t *)a, *column = (int32_t *)b;
  weft_memory_stats stats;
  int64_t got[COLUMNS], all = 0, sum = 0;
  ck_assert(x != NULL);
  for (int i = 0; i < MANY; i++) x[i] = (i * 31) % 1013 - 500;
  set_elements(row, WEFT_I32, COLUMNS, 7919, 1, 300);
  set_elements(column, WEFT_I32, ROWS, 6113, 1, 200);
  const weft_host h = WEFT_HOST(x, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS)), r = WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(COLUMNS)),
                  c = WEFT_HOST(column, WEFT_I32, WEFT_SHAPE(ROWS, 1));
  ok(weft_memory_set_limit(ctx, LIMIT));
  const weft_host_out sums = WEFT_HOST_OUT(got, WEFT_I64, WEFT_SHAPE(COLUMNS)), one = WEFT_HOST_OUT(&all, WEFT_I64, WEFT_SHAPE_0D);
  expect_error(weft_reduce(sums, ctx, "h * c - r", NULL, WEFT_AXIS(0), WEFT_VAR(h), WEFT_VAR(r), WEFT_VAR(c)), WEFT_ERROR_BUDGET,
               "memory limit");
  setenv("WEFT_CHUNK", "2M", 1);
  ok(weft_reduce(sums, ctx, "h * c - r", NULL, WEFT_AXIS(0), WEFT_VAR(h), WEFT_VAR(r), WEFT_VAR(c)));
  for (int i = 0; i < COLUMNS; i++) {
    int64_t expected = 0;
    for (int k = 0; k < ROWS; k++) expected += (int64_t)x[k * COLUMNS + i] * column[k] - row[i];
    ck_assert_int_eq(got[i], expected);
  }
  /* two vectors whose product has no room; nothing says that it shall be cut */
  unsetenv("WEFT_CHUNK");
  ok(weft_reduce(one, ctx, "r * c", NULL, WEFT_ALL_AXES, WEFT_VAR(r), WEFT_VAR(c)));
  for (int i = 0; i < MANY; i++) sum += (int64_t)row[i % COLUMNS] * column[i / COLUMNS];
  ck_assert_int_eq(all, sum);
  setenv("WEFT_CHUNK", "off", 1);
  expect_error(weft_reduce(one, ctx, "r * c", NULL, WEFT_ALL_AXES, WEFT_VAR(r), WEFT_VAR(c)), WEFT_ERROR_BUDGET, "4.0 MiB asked");
  ok(weft_memory_get_stats(&stats, ctx));
  ck_assert_uint_le(stats.peak_managed_bytes, LIMIT);
  ck_assert_uint_eq(stats.arrays, 0);
  free(x);
}
END_TEST

START_TEST(pinned_memory)
{
  enum { ROWS = 40, COLUMNS = 200, N = ROWS * COLUMNS };
  int32_t *x = NULL;
  int64_t got, sum;
  set_elements(b, WEFT_I32, COLUMNS, 6113, 1, 200);
  const weft_host r = WEFT_HOST(b, WEFT_I32, WEFT_SHAPE(COLUMNS));
  ok(weft_pinned_alloc(&x, ctx, N * sizeof *x));
  for (int round = 0; round < 3; round++) {
    sum = 0;
    for (int i = 0; i < N; i++) {
      x[i] = i + round;
      sum += (int64_t)x[i] * ((int32_t *)b)[i % COLUMNS];
    }
    cut_to("4096");
    weft_array *out = NULL;
    ok(weft_reduce(&out, ctx, "h * r", NULL, WEFT_ALL_AXES, WEFT_NAMED("h", WEFT_HOST(x, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS))),
                   WEFT_VAR(r)));
    for (int i = 0; i < N; i++) x[i] = -1; /* theirs again */
    expect_cut(16);
    ok(weft_to_host(&got, sizeof got, out));
    ck_assert_int_eq(got, sum);
    weft_array_release(&out);
  }
  weft_pinned_free(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "values");
  tcase_add_checked_fixture(tc, setup, harness_context_close);
  tcase_add_test(tc, any_shapes);
  tcase_add_test(tc, squares_around_a_mean);
  tcase_add_test(tc, vectors_that_are_views);
  tcase_add_test(tc, eight_axes);
  tcase_add_test(tc, under_a_budget);
  tcase_add_test(tc, pinned_memory);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "chunk_reduce", .add = add});
}
