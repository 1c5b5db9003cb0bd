// SPDX-License-Identifier: MIT
/// weft_stencil: results in the place of operands, in views and on the host, outputs of several names, errors.
/// Borders and dtypes are judged by NumPy (tests/judge/primitives/stencil.py).
#include "harness.h"

enum { ROWS = 5, COLUMNS = 7, N = ROWS * COLUMNS };

static weft_array *grid(void) {
  float data[N];
  weft_array *x = NULL;
  for (int k = 0; k < N; k++) data[k] = (float)(k * k % 23);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), data));
  return x;
}

/// x[-1, 2] * 10 + x with EDGE, of grid().
static void check_shifted(const float *found) {
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) {
      const int from = (r > 0 ? r - 1 : 0) * COLUMNS + (c + 2 < COLUMNS ? c + 2 : COLUMNS - 1), own = r * COLUMNS + c;
      ck_assert_float_eq(found[own], (float)(from * from % 23 * 10 + own * own % 23));
    }
}

static const char *const shifted = "x[-1, 2] * 10 + x";
#define EDGE WEFT_STENCIL(.mode = WEFT_PAD_EDGE)

START_TEST(in_place_and_on_the_host)
{
  float found[N];
  weft_array *x = grid();
  ok(weft_stencil(WEFT_HOST_OUT(found, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS)), ctx, shifted, WEFT_VAR(x), EDGE));
  check_shifted(found);
  ok(weft_stencil(&x, ctx, shifted, EDGE, WEFT_VAR(x)));
  ok(weft_to_host(found, sizeof found, x));
  check_shifted(found);
  weft_release(&x);
}
END_TEST

START_TEST(overlapping_views)
{
  float found[N];
  weft_array *room = NULL, *x = NULL, *y = NULL, *source = grid();
  ok(weft_empty(&room, ctx, WEFT_F32, WEFT_SHAPE(ROWS + 1, COLUMNS)));
  ok(weft_slice(&x, room, 0, 0, ROWS));
  ok(weft_slice(&y, room, 0, 1, ROWS + 1));
  ok(weft_copy(&x, source));
  ok(weft_stencil(&y, ctx, shifted, WEFT_VAR(x), EDGE));
  ok(weft_to_host(found, sizeof found, y));
  check_shifted(found);
  weft_release(&source, &y, &x, &room);
}
END_TEST

START_TEST(transposed_views)
{
  float found[N];
  weft_array *x = grid(), *turned = NULL, *y = NULL, *back = NULL;
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_stencil(&y, ctx, "x[2, -1] * 10 + x", WEFT_NAMED("x", turned), EDGE));
  ok(weft_transpose(&back, y, WEFT_ALL_AXES));
  ok(weft_to_host(found, sizeof found, back));
  check_shifted(found);
  weft_release(&back, &y, &turned, &x);
}
END_TEST

START_TEST(indices_and_several_results)
{
  int64_t rows[N], sums[N];
  weft_array *x = grid(), *s = NULL, *y = NULL;
  ok(weft_stencil(&y, ctx, "s = i0 * 100 + i1; t = x[0, 1] * 0\n i64(t) + i0", WEFT_VAR(&s), WEFT_VAR(x)));
  ok(weft_to_host(rows, sizeof rows, y));
  ok(weft_to_host(sums, sizeof sums, s));
  for (int k = 0; k < N; k++) {
    ck_assert_int_eq(rows[k], k / COLUMNS);
    ck_assert_int_eq(sums[k], k / COLUMNS * 100 + k % COLUMNS);
  }
  weft_release(&y, &s, &x);
}
END_TEST

START_TEST(value_and_broadcast)
{
  int32_t found[4];
  static const int32_t data[4] = {1, 2, 3, 4};
  weft_array *x = NULL, *y = NULL, *one = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(4), data));
  ok(weft_from_host(&one, ctx, WEFT_I32, WEFT_SHAPE(1), data + 3));
  ok(weft_stencil(&y, ctx, "x[3] * one", WEFT_VAR(x), WEFT_VAR(one), WEFT_STENCIL(.value = WEFT_SCALAR(-7))));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < 4; k++) ck_assert_int_eq(found[k], k ? -28 : 16);
  weft_release(&y);
  expect_error(weft_stencil(&y, ctx, "x * one[1]", WEFT_VAR(x), WEFT_VAR(one)), WEFT_ERROR_SHAPE,
               "weft_stencil: `one` is i32[1] and is read at an offset; expected the result's shape, i32[4]");
  expect_error(weft_stencil(&y, ctx, "x[1]", WEFT_VAR(x), WEFT_STENCIL(.mode = WEFT_PAD_WRAP, .value = WEFT_SCALAR(1))),
               WEFT_ERROR_ARGUMENT, "weft_stencil: a value and a mode were given");
  weft_release(&one, &x);
}
END_TEST

START_TEST(no_elements)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  ok(weft_stencil(&y, ctx, "x[1, 1]", WEFT_VAR(x), EDGE));
  ck_assert_int_eq(weft_array_size(y), 0);
  weft_release(&y, &x);
}
END_TEST

START_TEST(a_long_row)
{
  enum { LONG = 100003 };
  static int32_t data[LONG], found[LONG];
  weft_array *x = NULL, *y = NULL;
  for (int k = 0; k < LONG; k++) data[k] = 3 * k;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(LONG), data));
  ok(weft_stencil(&y, ctx, "x[-9001] + x[40000]", WEFT_VAR(x), WEFT_STENCIL(.mode = WEFT_PAD_WRAP)));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < LONG; k++) ck_assert_int_eq(found[k], data[(k + LONG - 9001) % LONG] + data[(k + 40000) % LONG]);
  weft_release(&y, &x);
}
END_TEST

/// Rows that GPUs compute by twos, from even and from odd columns on.
START_TEST(wide_rows)
{
  enum { HIGH = 9, WIDE = 1030 };
  static uint8_t data[HIGH][WIDE], found[HIGH][WIDE];
  static const int begins[] = {0, 1}, ends[] = {WIDE, WIDE - 1};
  weft_array *all = NULL;
  for (int r = 0; r < HIGH; r++)
    for (int c = 0; c < WIDE; c++) data[r][c] = (uint8_t)(r * 31 + c * c % 251);
  ok(weft_from_host(&all, ctx, WEFT_U8, WEFT_SHAPE(HIGH, WIDE), data));
  for (int k = 0; k < 4; k++) {
    const int begin = begins[k % 2], wide = ends[k / 2] - begin;
    weft_array *x = NULL, *y = NULL;
    ok(weft_slice(&x, all, 1, begin, begin + wide));
    ok(weft_stencil(&y, ctx, "x[-1, 0] + 2 * x[1, 1] + 3 * x[0, -1] + 5 * x[0, 2] + 7 * x", WEFT_VAR(x),
                    WEFT_STENCIL(.mode = WEFT_PAD_WRAP)));
    ok(weft_to_host(found, (size_t)(HIGH * wide), y));
#define AT(row, column) data[((row) + HIGH) % HIGH][begin + ((column) + wide) % wide]
    for (int r = 0; r < HIGH; r++)
      for (int c = 0; c < wide; c++) {
        const int sum = AT(r - 1, c) + 2 * AT(r + 1, c + 1) + 3 * AT(r, c - 1) + 5 * AT(r, c + 2) + 7 * AT(r, c);
        ck_assert_int_eq((&found[0][0])[r * wide + c], (uint8_t)sum);
      }
#undef AT
    weft_release(&y, &x);
  }
  weft_release(&all);
}
END_TEST

START_TEST(refused)
{
  weft_array *x = grid(), *y = NULL;
  expect_error(weft_stencil(&x, ctx, "2 * k", WEFT_NAMED("k", 3)), WEFT_ERROR_SHAPE,
               "weft_stencil: no variable has axes; expected an array with at least one");
  expect_error(weft_eval(&y, ctx, "x[-1, 0]", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
               "weft_eval: expr:1:2: an expression is about one element; weft_stencil reads its neighbours x[-1, 0]");
  expect_error(weft_stencil(&y, ctx, "x * i2", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
               "weft_stencil: expr:1:5: `i2` is the index along axis 2; the arrays have 2 axes");
  expect_error(weft_eval(&y, ctx, "x", WEFT_VAR(x), EDGE), WEFT_ERROR_ARGUMENT, "weft_eval: ");
  expect_error(weft_stencil(&y, ctx, "t = x\nt[0, 1]", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
               "weft_stencil: expr:2:2: only an array among the variables has neighbours");
  expect_error(weft_stencil(&y, ctx, "x[0, 1 + 1]", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION,
               "weft_stencil: expr:1:8: expected `,` or `]`, found `+`");
  ck_assert_ptr_null(y);
  weft_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "stencil");
  tcase_add_test(tc, in_place_and_on_the_host);
  tcase_add_test(tc, overlapping_views);
  tcase_add_test(tc, transposed_views);
  tcase_add_test(tc, indices_and_several_results);
  tcase_add_test(tc, value_and_broadcast);
  tcase_add_test(tc, no_elements);
  tcase_add_test(tc, a_long_row);
  tcase_add_test(tc, wide_rows);
  tcase_add_test(tc, refused);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "stencil", .add = add});
}
