// SPDX-License-Identifier: MIT
/// Expressions: indices along axes, many variables, and new numbers, for which no kernel is built.
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { A = 3, B = 5, C = 7, N = A * B * C };

static int builds;
static void count_builds(void *user, weft_log_level level, const char *message) {
  (void)level, (void)user;
  builds += strncmp(message, "built ", 6) == 0;
}

static weft_array *numbered(weft_dtype dtype, weft_shape shape) {
  weft_array *flat = NULL, *x = NULL;
  int64_t size = 1;
  for (int d = 0; d < shape.ndim; d++) size *= shape.dim[d];
  ok(weft_arange(&flat, ctx, dtype, 0, size, 1));
  ok(weft_reshape(&x, flat, shape));
  weft_release(&flat);
  return x;
}

static void take(void *data, size_t bytes, weft_array **x) {
  ck_assert_uint_eq(weft_array_size_bytes(*x), bytes);
  ok(weft_to_host(data, bytes, *x));
  weft_array_release(x);
}

/* ---- indices along axes ---- */

/// Contiguous, transposed and broadcast variables. The indices count in the result.
START_TEST(indices)
{
  int64_t got[N];
  weft_array *x = numbered(WEFT_I32, WEFT_SHAPE(A, B, C)), *turned_from = numbered(WEFT_I32, WEFT_SHAPE(C, B, A));
  weft_array *turned = NULL, *row = numbered(WEFT_I32, WEFT_SHAPE(C)), *y = NULL, *s = NULL;
  ok(weft_transpose(&turned, turned_from, WEFT_ALL_AXES));
  ok(weft_eval(&y, ctx, "x * 1000 + i0 * 100 + i1 * 10 + i2", WEFT_VAR(x)));
  take(got, sizeof got, &y);
  for (int k = 0; k < N; k++) ck_assert_int_eq(got[k], k * 1000 + k / (B * C) * 100 + k / C % B * 10 + k % C);
  ok(weft_eval(&y, ctx, "s = i2\n i0 + i1 + 0 * turned + 0 * row", WEFT_VAR(&s), WEFT_VAR(turned), WEFT_VAR(row)));
  take(got, sizeof got, &y);
  for (int k = 0; k < N; k++) ck_assert_int_eq(got[k], k / (B * C) + k / C % B);
  take(got, sizeof got, &s);
  for (int k = 0; k < N; k++) ck_assert_int_eq(got[k], k % C);
  /* a name that is given takes precedence */
  ok(weft_eval(&y, ctx, "i0 * 2 + i", WEFT_NAMED("i0", row)));
  take(got, C * sizeof got[0], &y);
  for (int k = 0; k < C; k++) ck_assert_int_eq(got[k], 3 * k);
  weft_release(&row, &turned, &turned_from, &x);
}
END_TEST

/// The fewest and the longest axes, and lengths that are powers of two: the division is exact for each.
START_TEST(lengths)
{
  static const int64_t shapes[][2] = {{1, 1}, {1, 4099}, {4099, 1}, {64, 64}, {3, 1365}, {1021, 4}};
  weft_array *y = NULL;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    static int64_t got[4099];
    const int64_t rows = shapes[s][0], columns = shapes[s][1];
    ok(weft_empty(&y, ctx, WEFT_I64, WEFT_SHAPE(rows, columns)));
    ok(weft_eval(&y, ctx, "i0 * 10000 + i1"));
    take(got, (size_t)(rows * columns) * sizeof got[0], &y);
    for (int64_t k = 0; k < rows * columns; k++) ck_assert_int_eq(got[k], k / columns * 10000 + k % columns);
  }
  ok(weft_empty(&y, ctx, WEFT_I64, WEFT_SHAPE(0, 3)));
  ok(weft_eval(&y, ctx, "i0 + i1"));
  weft_release(&y);
}
END_TEST

START_TEST(indices_of_others)
{
  int64_t sums[B], chosen[N];
  int64_t *wanted = chosen;
  weft_array *x = numbered(WEFT_I64, WEFT_SHAPE(A, B, C)), *y = NULL;
  ok(weft_reduce(&y, ctx, "x * i0 + i2", WEFT_AXES(0, 2), WEFT_VAR(x)));
  take(sums, sizeof sums, &y);
  for (int b = 0; b < B; b++) {
    int64_t sum = 0;
    for (int a = 0; a < A; a++)
      for (int c = 0; c < C; c++) sum += ((a * B + b) * C + c) * a + c;
    ck_assert_int_eq(sums[b], sum);
  }
  ok(weft_select(&y, ctx, "i1 == i2 and x > 10", WEFT_VAR(x)));
  const size_t count = (size_t)weft_array_size(y);
  take(chosen, count * sizeof chosen[0], &y);
  for (int k = 11; k < N; k++)
    if (k / C % B == k % C) ck_assert_int_eq(*wanted++, k);
  ck_assert_ptr_eq(wanted, chosen + count);
  weft_release(&x);
}
END_TEST

START_TEST(no_such_axis)
{
  weft_array *x = numbered(WEFT_F32, WEFT_SHAPE(B, C)), *turned = NULL, *y = NULL;
  expect_error(weft_eval(&y, ctx, "x + i2", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
               "weft_eval: `i2` is the index along axis 2; the elements have 2 axes", "@text");
  expect_error(weft_reduce(&y, ctx, "x + i2", WEFT_ALL_AXES, WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
               "weft_reduce: `i2` is the index along axis 2; the elements have 2 axes");
  expect_error(weft_eval(&y, ctx, "x + i9", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION, "expr:1:5: `i9` is not known");
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  expect_error(weft_matmul(&y, x, turned, .epilogue = WEFT_EPILOGUE("value + i0")), WEFT_ERROR_EXPRESSION,
               "an epilogue has no `i` and no `n`");
  ck_assert_ptr_null(y);
  weft_release(&turned, &x);
}
END_TEST

/* ---- many variables, many numbers ---- */

/// "v0 * 1 + v1 * 2 + ..." of `count` variables.
static void write_sum(char *text, size_t room, int count) {
  size_t at = 0;
  for (int k = 0; k < count; k++) at += (size_t)snprintf(text + at, room - at, "%sv%d * %d", k ? " + " : "", k, k + 1);
}

START_TEST(many_variables)
{
  enum { MOST = 64, ROWS = 6, COLUMNS = 5 };
  char text[2000], name[MOST][8];
  weft_operand operand[MOST];
  weft_array *array[MOST], *whole = NULL, *y = NULL;
  int64_t got[ROWS * COLUMNS], expected[ROWS * COLUMNS] = {0}, total = 0;
  /* views of one array: every second column, shifted rows; the last variable is a number */
  whole = numbered(WEFT_I64, WEFT_SHAPE(MOST + ROWS, 2 * COLUMNS));
  for (int v = 0; v < MOST; v++) {
    snprintf(name[v], sizeof name[v], "v%d", v);
    array[v] = NULL;
    snprintf(text, sizeof text, "%d:%d, ::2", v, v + ROWS);
    ok(weft_view(&array[v], whole, text));
    operand[v] = WEFT_NAMED(name[v], array[v]);
    if (v == MOST - 1) operand[v] = WEFT_NAMED(name[v], 7);
    for (int k = 0; k < ROWS * COLUMNS; k++)
      expected[k] += (v == MOST - 1 ? 7 : (v + k / COLUMNS) * 2 * COLUMNS + k % COLUMNS * 2) * (v + 1);
  }
  write_sum(text, sizeof text, MOST);
  ok((weft_eval)(&y, ctx, text, MOST, operand));
  take(got, sizeof got, &y);
  for (int k = 0; k < ROWS * COLUMNS; k++) ck_assert_int_eq(got[k], expected[k]);
  for (int k = 0; k < ROWS * COLUMNS; k++) total += expected[k];
  ok((weft_reduce)(&y, ctx, text, WEFT_ALL_AXES, MOST, operand));
  take(got, sizeof got[0], &y);
  ck_assert_int_eq(got[0], total);
  for (int v = 0; v < MOST; v++) weft_array_release(&array[v]);
  weft_release(&whole);
}
END_TEST

/// 64 C scalars and as many numbers are arguments: other numbers in the text build nothing, stencils included.
START_TEST(new_numbers)
{
  enum { MOST = 50 };
  char text[4000], name[MOST][8];
  weft_operand operand[MOST + 1];
  weft_array *x = numbered(WEFT_F32, WEFT_SHAPE(4)), *y = NULL;
  float got[4];
  int first[2] = {0, 0};
  operand[MOST] = WEFT_NAMED("x", x);
  for (int v = 0; v < MOST; v++) {
    snprintf(name[v], sizeof name[v], "v%d", v);
    operand[v] = WEFT_NAMED(name[v], (float)v);
  }
  weft_log_set(WEFT_LOG_DEBUG, count_builds, NULL);
  for (int round = 0; round < 3; round++) {
    builds = 0;
    write_sum(text, sizeof text, MOST);
    snprintf(text + strlen(text), sizeof text - strlen(text), " + x * %d.5", round);
    ok((weft_eval)(&y, ctx, text, MOST + 1, operand));
    take(got, sizeof got, &y);
    for (int k = 0; k < 4; k++) ck_assert_float_eq(got[k], 41650.0f + (float)k * ((float)round + 0.5f));
    first[0] += builds;
    builds = 0;
    snprintf(text, sizeof text, "x[1] * %d.25 - %d", round, round);
    ok(weft_stencil(&y, ctx, text, WEFT_VAR(x)));
    take(got, sizeof got, &y);
    for (int k = 0; k < 4; k++)
      ck_assert_float_eq(got[k], (k < 3 ? (float)(k + 1) : 0) * ((float)round + 0.25f) - (float)round);
    first[1] += builds;
  }
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_int_le(first[0], 1);
  ck_assert_int_le(first[1], 1);
  weft_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "wide");
  tcase_add_test(tc, indices);
  tcase_add_test(tc, lengths);
  tcase_add_test(tc, indices_of_others);
  tcase_add_test(tc, no_such_axis);
  tcase_add_test(tc, many_variables);
  tcase_add_test(tc, new_numbers);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "eval_wide", .add = add});
}
