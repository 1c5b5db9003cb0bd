// SPDX-License-Identifier: MIT
/// Reductions in chunks of operands that kernels cannot take directly: variables that broadcast, views, axes that are
/// not adjacent. Results are bit-identical to the whole call, and need less memory.
#include <stdio.h>

#include "chunks.h"

/* Each layout of each formula is a program, which PoCL takes 0.2 s to build: nearly all tests share one formula. */
#define SQUARES "(x - y) * (x - y) + c"

enum { MOST = 20000 };
static double a[MOST], b[MOST], whole[MOST], cut[MOST];

static void setup(void) {
  harness_context_open();
  setenv("WEFT_CHUNK", "off", 1);
}

static void set_elements(void *data, weft_dtype dtype, int64_t count, int64_t factor, double scale, double shift) {
  for (int64_t i = 0; i < count; i++)
    element_set(dtype, (char *)data + i * (int64_t)weft_dtype_size_bytes(dtype),
                (double)((i * factor) % 1009) * scale - shift, 0);
}

/// Runs the call whole and in chunks of 4096 bytes.
static void both(const char *text, weft_operand how, weft_axes axes, weft_operand x, weft_operand y, const char *what) {
  weft_array *expected = NULL, *got = NULL;
  uint64_t before = launches_so_far();
  ok(weft_reduce(&expected, ctx, text, axes, x, y, WEFT_NAMED("c", 3), how));
  uint64_t launches = launches_so_far() - before;
  cut_to("4096");
  ok(weft_reduce(&got, ctx, text, axes, x, y, WEFT_NAMED("c", 3), how));
  expect_cut(launches + 1);
  size_t size = (size_t)weft_array_size(expected) * weft_dtype_size_bytes(weft_array_dtype(expected));
  ck_assert_uint_eq(size, (size_t)weft_array_size(got) * weft_dtype_size_bytes(weft_array_dtype(got)));
  ok(weft_to_host(whole, size, expected));
  ok(weft_to_host(cut, size, got));
  same_bits(cut, whole, size, what);
  weft_array_release(&expected);
  weft_array_release(&got);
}

/* ---- any shapes ---- */

static weft_shape random_shape(harness_random *random, char *what, size_t room) {
  static const int64_t longest[] = {9000, 150, 50};
  weft_shape shape = {.ndim = (int)harness_between(random, 1, 3)};
  int64_t most = longest[shape.ndim - 1], count;
  do {
    count = 1;
    for (int d = 0; d < shape.ndim; d++) count *= shape.dim[d] = harness_between(random, 1, most);
  } while (count < 3000 || count > MOST);
  size_t at = 0;
  for (int d = 0; d < shape.ndim; d++)
    at += (size_t)snprintf(what + at, room - at, "%s%d", d ? "," : "[", (int)shape.dim[d]);
  snprintf(what + at, room - at, "]");
  return shape;
}

/// The shape with some repeated axes, and without some of the first axes.
static weft_shape repeated(harness_random *random, weft_shape shape) {
  weft_shape less = shape;
  int drop = harness_between(random, 0, 2) == 0 ? (int)harness_between(random, 0, shape.ndim - 1) : 0;
  less.ndim -= drop;
  for (int d = 0; d < less.ndim; d++) less.dim[d] = harness_between(random, 0, 1) ? 1 : shape.dim[d + drop];
  return less;
}

/// An array of this shape with the elements of `data`, in some order: contiguous, every second element of a longer
/// array, or transposed.
static weft_array *random_array(harness_random *random, weft_dtype dtype, weft_shape shape, const void *data) {
  weft_array *base = NULL, *view = NULL;
  weft_shape turned = shape, order = shape;
  int last = shape.ndim - 1;
  switch (shape.ndim < 3 ? harness_between(random, 0, 2) : 0) { /* fewer layouts */
    case 0:
      ok(weft_from_host(&view, ctx, dtype, shape, data));
      return view;
    case 1:
      turned.dim[last] *= 2;
      ok(weft_zeros(&base, ctx, dtype, turned));
      ok(weft_slice(&view, base, last, 1, turned.dim[last], .step = 2));
      ok(weft_from_host(&view, ctx, dtype, shape, data));
      break;
    default:
      for (int d = 0; d <= last; d++) {
        turned.dim[d] = shape.dim[last - d];
        order.dim[d] = last - d;
      }
      ok(weft_from_host(&base, ctx, dtype, turned, data));
      ok(weft_transpose(&view, base, as_axes(order)));
  }
  weft_array_release(&base);
  return view;
}

static void set_both(weft_dtype x, weft_dtype y) {
  set_elements(a, x, MOST, 7919, 1.0 / 16, 20);
  set_elements(b, y, MOST, 6113, 1.0 / 8, 50);
}

START_TEST(any_shapes)
{
  harness_random random = harness_random_start(31);
  set_both(WEFT_F32, WEFT_F32);
  for (int round = 0; round < 30; round++) {
    char what[200];
    const weft_shape shape = random_shape(&random, what, 80);
    const weft_shape more = harness_between(&random, 0, 3) ? repeated(&random, shape) : shape;
    weft_axes axes = WEFT_ALL_AXES;
    weft_array *array = NULL;
    size_t at = strlen(what);
    if (harness_between(&random, 0, 3)) {
      int some[WEFT_MAX_NDIM], count = 0;
      for (int d = 0; d < shape.ndim; d++)
        if (harness_between(&random, 0, 1)) some[count++] = d;
      if (count == 0) some[count++] = 0;
      axes = weft__axes(count, some);
      for (int d = 0; d < count; d++)
        at += (size_t)snprintf(what + at, sizeof what - at, "%s%d", d ? ", " : " along ", some[d]);
    }
    const weft_operand x = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, shape));
    weft_operand y = WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, more));
    if (harness_between(&random, 0, 1)) {
      array = random_array(&random, WEFT_F32, more, b);
      y = WEFT_NAMED("y", array);
    }
    at += (size_t)snprintf(what + at, sizeof what - at, ", y %s", array ? "an array" : "host memory");
    for (int d = 0; d < more.ndim; d++) at += (size_t)snprintf(what + at, sizeof what - at, " %d", (int)more.dim[d]);
    both(SQUARES, WEFT_REDUCTION(.op = WEFT_REDUCE_SUM), axes, x, y, what);
    weft_array_release(&array);
  }
}
END_TEST

START_TEST(numbers_casts_and_combinations)
{
  enum { ROWS = 60, COLUMNS = 90 };
  const weft_shape shape = WEFT_SHAPE(ROWS, COLUMNS), row = WEFT_SHAPE(COLUMNS);
  const weft_operand last = WEFT_REDUCTION(.op = WEFT_REDUCE_ARGMAX),
                     wide = WEFT_REDUCTION(.op = WEFT_REDUCE_SUM, .dtype = WEFT_I64),
                     combined = WEFT_REDUCTION(.combine = "max(a, b)", .neutral = WEFT_SCALAR(-1e30));
  set_both(WEFT_F32, WEFT_F32);
  const weft_operand x = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, shape)),
                     y = WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, row));
  static const char numbers[] = "x * y - f32(i % 97) * c + f32(n)";
  both(numbers, last, WEFT_AXES(0), x, y, "numbers along rows");
  both(numbers, last, WEFT_AXES(1), x, y, "numbers along columns");
  both(numbers, last, WEFT_ALL_AXES, x, y, "numbers of all");
  both(SQUARES, combined, WEFT_AXES(0), x, y, "a combination");
  both(SQUARES, combined, WEFT_ALL_AXES, x, y, "a combination of all");
  set_both(WEFT_I32, WEFT_I32);
  both("x - y * c", wide, WEFT_AXES(0), WEFT_NAMED("x", WEFT_HOST(a, WEFT_I32, shape)),
       WEFT_NAMED("y", WEFT_HOST(b, WEFT_I32, row)), "values that are cast");
}
END_TEST

/* ---- typical use ---- */

START_TEST(squares_around_a_mean)
{
  enum { ROWS = 61, COLUMNS = 97 };
  static const weft_shape means[] = {{1, {COLUMNS}}, {2, {ROWS, 1}}, {2, {1, COLUMNS}}, {2, {1, 1}}};
  set_both(WEFT_F32, WEFT_F32);
  const float *x = (const float *)a, *mu = (const float *)b;
  const weft_operand h = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS))), c = WEFT_NAMED("c", 0);
  for (size_t k = 0; k < sizeof means / sizeof *means; k++)
    for (int axis = 0; axis < 2; axis++) {
      weft_array *m = NULL, *out = NULL;
      float got[COLUMNS];
      int kept = axis ? ROWS : COLUMNS;
      if (axis) ok(weft_from_host(&m, ctx, WEFT_F32, means[k], mu));
      const weft_operand y = m ? WEFT_NAMED("y", m) : WEFT_NAMED("y", WEFT_HOST(mu, WEFT_F32, means[k]));
      cut_to("4096");
      ok(weft_reduce(&out, ctx, SQUARES, axis, h, y, c));
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
  /* the result overwrites the mean, which is read until the end */
  weft_array *m = NULL, *expected = NULL;
  ok(weft_from_host(&m, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS), mu));
  ok(weft_reduce(&expected, ctx, SQUARES, WEFT_AXES(0), h, WEFT_NAMED("y", m), c));
  cut_to("4096");
  ok(weft_reduce(&m, ctx, SQUARES, WEFT_AXES(0), h, WEFT_NAMED("y", m), c));
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
  float got;
  double sum = 0;
  set_elements(a, WEFT_F32, 2 * N, 7919, 1, 300);
  set_elements(b, WEFT_F32, N, 6113, 1, 200);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(2 * N), a));
  ok(weft_slice(&second, x, 0, 0, 2 * N, .step = 2));
  ok(weft_flip(&back, second, 0));
  for (int i = 0; i < N; i++) sum += (double)((float *)a)[2 * (N - 1 - i)] * ((float *)b)[i];
  cut_to("4096");
  ok(weft_dot(WEFT_HOST_OUT(&got, WEFT_F32, WEFT_SHAPE_0D), back, WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(N))));
  expect_cut(8);
  ck_assert(got == (float)sum);
  weft_array_release(&back);
  weft_array_release(&second);
  weft_array_release(&x);
}
END_TEST

START_TEST(axes_that_take_turns)
{
  const weft_shape turns = WEFT_SHAPE(6, 20, 5, 13), eight = WEFT_SHAPE(60, 1, 1, 1, 1, 1, 1, 90), row = WEFT_SHAPE(90);
  set_both(WEFT_F32, WEFT_F32);
  const weft_operand all = WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, turns)),
                     same = WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, turns));
  both(SQUARES, WEFT_REDUCTION(.op = WEFT_REDUCE_SUM), WEFT_AXES(0, 2), all, same, "the first one reduced");
  both(SQUARES, WEFT_REDUCTION(.op = WEFT_REDUCE_SUM), WEFT_AXES(1, 3), all, same, "the first one kept");
  both(SQUARES, WEFT_REDUCTION(.op = WEFT_REDUCE_SUM), WEFT_AXES(0, 2), all,
       WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(13))), "and y repeated");
  /* the largest number of axes */
  both(SQUARES, WEFT_REDUCTION(.op = WEFT_REDUCE_SUM), WEFT_AXES(0), WEFT_NAMED("x", WEFT_HOST(a, WEFT_F32, eight)),
       WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, row)), "eight axes");
}
END_TEST

/* ---- less memory ---- */

START_TEST(under_a_budget)
{
  enum { ROWS = 700, COLUMNS = 1500, MANY = ROWS * COLUMNS, LIMIT = 1 << 20 };
  float *data = malloc(MANY * sizeof *data), *row = (float *)b, got[COLUMNS], expected[COLUMNS], all = 0;
  weft_memory_stats stats;
  double sum = 0;
  ck_assert(data != NULL);
  set_both(WEFT_F32, WEFT_F32);
  for (int i = 0; i < MANY; i++) data[i] = (float)((i * 31) % 1013 - 500);
  const weft_operand x = WEFT_NAMED("x", WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS))), c = WEFT_NAMED("c", 0),
                     y = WEFT_NAMED("y", WEFT_HOST(row, WEFT_F32, WEFT_SHAPE(COLUMNS))),
                     tall = WEFT_NAMED("x", WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(ROWS, 1)));
  ok(weft_memory_set_limit(ctx, LIMIT));
  const weft_host_out sums = WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(COLUMNS)),
                      one = WEFT_HOST_OUT(&all, WEFT_F32, WEFT_SHAPE_0D);
  expect_error(weft_reduce(sums, ctx, SQUARES, WEFT_AXES(0), x, y, c), WEFT_ERROR_BUDGET, "4.0 MiB asked",
               "memory limit");
  setenv("WEFT_CHUNK", "2M", 1);
  ok(weft_reduce(sums, ctx, SQUARES, WEFT_AXES(0), x, y, c));
  for (int i = 0; i < COLUMNS; i++) {
    double total = 0;
    for (int k = 0; k < ROWS; k++) {
      float far = data[k * COLUMNS + i] - row[i];
      total += far * far;
    }
    expected[i] = (float)total;
    ck_assert(got[i] == expected[i]);
  }
  /* the differences of two vectors do not fit: chunks are used automatically */
  expect_error((setenv("WEFT_CHUNK", "off", 1), weft_reduce(one, ctx, SQUARES, WEFT_ALL_AXES, tall, y, c)),
               WEFT_ERROR_BUDGET, "4.0 MiB asked");
  unsetenv("WEFT_CHUNK");
  ok(weft_reduce(one, ctx, SQUARES, WEFT_ALL_AXES, tall, y, c));
  for (int i = 0; i < MANY; i++) {
    float far = data[i / COLUMNS] - row[i % COLUMNS];
    sum += far * far;
  }
  ck_assert_msg(all == (float)sum, "%.9g, not %.9g", (double)all, sum);
  /* chunks are also used if a CPU device reads the host memory in place but the values do not fit */
  weft_array *array = NULL, *made = NULL;
  ok(weft_from_host(&array, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS), row));
  ok(weft_reduce(&made, ctx, SQUARES, WEFT_AXES(0), x, WEFT_NAMED("y", array), c));
  ok(weft_to_host(got, sizeof got, made));
  weft_array_release(&made);
  for (int i = 0; i < COLUMNS; i++) ck_assert(got[i] == expected[i]);
  weft_array_release(&array);
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_le(stats.peak_managed_bytes, LIMIT);
  ck_assert_uint_eq(stats.arrays, 0);
  free(data);
}
END_TEST

START_TEST(pinned_memory)
{
  enum { ROWS = 40, COLUMNS = 200, N = ROWS * COLUMNS };
  float *x = NULL;
  set_both(WEFT_F32, WEFT_F32);
  ok(weft_pinned_alloc(&x, ctx, N * sizeof *x));
  for (int round = 0; round < 3; round++) {
    weft_array *out = NULL;
    double sum = 0;
    float got;
    for (int i = 0; i < N; i++) {
      x[i] = (float)(i % 300 + round);
      sum += (x[i] - ((float *)b)[i % COLUMNS]) * (x[i] - ((float *)b)[i % COLUMNS]);
    }
    cut_to("4096");
    ok(weft_reduce(&out, ctx, SQUARES, WEFT_ALL_AXES,
                   WEFT_NAMED("x", WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS))),
                   WEFT_NAMED("y", WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(COLUMNS))), WEFT_NAMED("c", 0)));
    for (int i = 0; i < N; i++) x[i] = -1; /* the caller's again */
    expect_cut(16);
    ok(weft_to_host(&got, sizeof got, out));
    ck_assert(got == (float)sum);
    weft_array_release(&out);
  }
  weft_pinned_free(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "values");
  tcase_add_checked_fixture(tc, setup, harness_context_close);
  tcase_add_test(tc, any_shapes);
  tcase_add_test(tc, numbers_casts_and_combinations);
  tcase_add_test(tc, squares_around_a_mean);
  tcase_add_test(tc, vectors_that_are_views);
  tcase_add_test(tc, axes_that_take_turns);
  tcase_add_test(tc, under_a_budget);
  tcase_add_test(tc, pinned_memory);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "chunk_reduce", .add = add});
}
