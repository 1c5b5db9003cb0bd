// SPDX-License-Identifier: MIT
/// weft/polynomial.h; windows and powers of weft/fft.h and weft/create.h; places of weft/index.h: errors and their
/// texts, results in place. NumPy judges the values (tests/judge/primitives/polynomial.py, create.py, index.py).
#include "samples.h"

static weft_array *counted(weft_dtype dtype, int64_t n) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, dtype, WEFT_SCALAR(0), WEFT_SCALAR(n), WEFT_SCALAR(1)));
  return x;
}

START_TEST(polynomials)
{
  const float p[] = {1, -2, 3};
  float found[4];
  weft_array *x = counted(WEFT_F32, 4), *square = NULL, *table = NULL, *y = NULL, *fit = NULL;
  ok(weft_polyval(&square, WEFT_HOST(p, WEFT_F32, WEFT_SHAPE(3)), x)); /* x ** 2 - 2 * x + 3 */
  ok(weft_to_host(found, sizeof found, square));
  ck_assert(found[0] == 3 && found[1] == 2 && found[2] == 3 && found[3] == 6);
  ok(weft_polyval(WEFT_HOST_OUT(found, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(p, WEFT_F32, WEFT_SHAPE(3)), 3));
  ck_assert(found[0] == 6);
  ok(weft_polyfit(&fit, x, square, 2));
  ok(weft_to_host(found, 3 * sizeof *found, fit));
  for (int k = 0; k < 3; k++) ck_assert(fabsf(found[k] - p[k]) < 1e-4f);
  ok(weft_reshape(&table, x, WEFT_SHAPE(2, 2)));
  expect_error(weft_polyval(&y, table, x), WEFT_ERROR_SHAPE, "`p` has 2 axes; expected 1", "@p");
  expect_error(weft_vander(&y, x, .columns = -1), WEFT_ERROR_SHAPE, "`columns` is -1; expected 0 or more", "@columns");
  expect_error(weft_polyfit(&y, x, table, 1), WEFT_ERROR_SHAPE, "expected one `y`");
  expect_error(weft_polyfit(&y, x, x, 1001), WEFT_ERROR_ARGUMENT, "`degree` is 1001; expected 0 to 1000", "@degree");
  weft_release(&x, &square, &table, &fit);
}
END_TEST

/// Powers of unsigned numbers are u64, also where one kernel writes the few columns.
START_TEST(powers_of_unsigned_numbers)
{
  const uint32_t from[] = {3, 70000};
  const uint64_t expected[] = {9, 3, 1, 4900000000, 70000, 1};
  uint64_t got[6];
  weft_array *x = NULL, *y = NULL;
  ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(2), from));
  ok(weft_vander(&y, x, .columns = 3));
  ck_assert(weft_array_dtype(y) == WEFT_U64);
  ok(weft_to_host(got, sizeof got, y));
  for (int k = 0; k < 6; k++) ck_assert_uint_eq(got[k], expected[k]);
  weft_release(&x, &y);
}
END_TEST

/// A long Kaiser window is computed by halves; an odd one has a weight in the middle.
START_TEST(window_of_two_halves)
{
  enum { MOST = 70001 };
  static double all[MOST], part[MOST];
  weft_array *w = NULL;
  if (!device.has_fp64) return;
  for (int64_t n = MOST - 1; n <= MOST; n++) {
    ok(weft_kaiser(&w, ctx, WEFT_F64, n, 14));
    ok(weft_to_host(all, (size_t)n * sizeof *all, w));
    weft_array_release(&w);
    for (int64_t k = 0; k < n; k++) ck_assert(all[k] == all[n - 1 - k]);
    for (int64_t k = 1; k < n / 2; k++) ck_assert(all[k] > all[k - 1]);
    ck_assert(fabs(all[0] * 129418.56270064856 - 1) < 1e-13); /* I0(14) */
    ck_assert(n % 2 == 0 || all[n / 2] == 1);
  }
  /* every tenth weight is one of a short window, which is computed at once */
  ok(weft_kaiser(&w, ctx, WEFT_F64, MOST / 10 + 1, 14));
  ok(weft_to_host(part, (MOST / 10 + 1) * sizeof *part, w));
  for (int64_t k = 0; k <= MOST / 10; k++) ck_assert(fabs(part[k] - all[10 * k]) < 1e-12);
  weft_array_release(&w);
}
END_TEST

START_TEST(made_on_the_host)
{
  weft_array *w = NULL, *y = NULL;
  float found[3];
  ok(weft_bartlett(&w, ctx, WEFT_F32, 3));
  ok(weft_hanning(&w, ctx, WEFT_F32, 3)); /* into the array */
  ok(weft_to_host(found, sizeof found, w));
  ck_assert(found[0] == 0 && found[1] == 1 && found[2] == 0);
  expect_error(weft_hamming(&y, ctx, WEFT_F32, -1), WEFT_ERROR_ARGUMENT, "`n` is -1; expected 0 or more", "@n");
  expect_error(weft_blackman(&y, ctx, WEFT_I32, 3), WEFT_ERROR_DTYPE, "`dtype` is i32; expected f32 or f64");
  expect_error(weft_kaiser(&y, ctx, WEFT_F32, 3, 701), WEFT_ERROR_ARGUMENT, "`beta` is 701; expected 0 to 700",
               "@beta");
  ok(weft_geomspace(&w, ctx, WEFT_F32, -1, -100, 3));
  ok(weft_to_host(found, sizeof found, w));
  ck_assert(found[0] == -1 && fabsf(found[1] + 10) < 1e-5f && found[2] == -100);
  ok(weft_linspace(&w, ctx, WEFT_F32, 0, 3, 3, .exclude_stop = true));
  ok(weft_to_host(found, sizeof found, w));
  ck_assert(found[0] == 0 && found[1] == 1 && found[2] == 2);
  ok(weft_logspace(&w, ctx, WEFT_F32, 0, 2, 3, .base = 2));
  ok(weft_to_host(found, sizeof found, w));
  ck_assert(found[0] == 1 && found[1] == 2 && found[2] == 4);
  expect_error(weft_geomspace(&y, ctx, WEFT_F32, -1, 1, 3), WEFT_ERROR_ARGUMENT, "expected finite numbers of one sign");
  weft_release(&w);
}
END_TEST

START_TEST(places)
{
  weft_array *x = counted(WEFT_I32, 6), *mask = NULL, *rows[2] = {NULL}, *numbers = NULL, *table = NULL, *y = NULL;
  const int32_t values[] = {7, 8}, some[] = {4, 11};
  int32_t found[6];
  ok(weft_greater(&mask, x, 2));
  ok(weft_place(x, mask, WEFT_HOST(values, WEFT_I32, WEFT_SHAPE(2))));
  ok(weft_to_host(found, sizeof found, x));
  ck_assert(found[2] == 2 && found[3] == 7 && found[4] == 8 && found[5] == 7);
  ok(weft_putmask(x, mask, WEFT_HOST(values, WEFT_I32, WEFT_SHAPE(2))));
  ok(weft_reshape(&table, x, WEFT_SHAPE(3, 2)));
  ok(weft_fill_diagonal(table, -1, .wrap = true));
  ok(weft_to_host(found, sizeof found, x));
  ck_assert(found[0] == -1 && found[3] == -1 && found[4] == 7 && found[5] == 8);
  ok(weft_unravel_index(rows, WEFT_HOST(some, WEFT_I32, WEFT_SHAPE(2)), WEFT_SHAPE(3, 4)));
  ok(weft_ravel_multi_index(&numbers, WEFT_SHAPE(3, 4), rows[0], rows[1]));
  ok(weft_cast(&y, numbers, WEFT_I32));
  ok(weft_to_host(found, 2 * sizeof *found, y));
  ck_assert(found[0] == 4 && found[1] == 11);
  expect_error(weft_fill_diagonal(x, 1), WEFT_ERROR_SHAPE, "`x` has 1 axis; expected two or more", "@x");
  expect_error(weft_fill_diagonal(table, table, .wrap = true), WEFT_ERROR_SHAPE,
               "`value` has 6 elements; expected one");
  expect_error(weft_place(table, x, 1), WEFT_ERROR_DTYPE, "`mask` is i32; expected bool", "@mask");
  expect_error(weft_ravel_multi_index(&y, WEFT_SHAPE(3, 4), 1), WEFT_ERROR_ARGUMENT, "1 list of indices; expected 2");
  expect_error(weft_unravel_index(rows, 1, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT, "outs[0] is not NULL");
  weft_release(&x, &mask, &rows[0], &rows[1], &numbers, &table, &y);
}
END_TEST

/// putmask with `count` values over n elements, of which every third one changes.
static void check_putmask(int64_t n, int64_t count) {
  weft_array *x = NULL, *values = NULL, *mask = NULL;
  int32_t *found = malloc((size_t)n * sizeof *found);
  ck_assert_ptr_nonnull(found);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, n, 1));
  ok(weft_eval(&mask, ctx, "x % 3 == 0", WEFT_VAR(x)));
  ok(weft_arange(&values, ctx, WEFT_I32, -count, 0, 1));
  ok(weft_putmask(x, mask, values));
  ok(weft_to_host(found, (size_t)n * sizeof *found, x));
  for (int64_t i = 0; i < n; i++)
    if (found[i] != (i % 3 ? i : i % count - count)) ck_abort_msg("%" PRId64 " values: element %" PRId64, count, i);
  free(found);
  weft_release(&x, &values, &mask);
  harness_count(1);
}

START_TEST(masks)
{
  const int64_t counts[] = {1, 7, 4096, 5000, 10007, 20000};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) check_putmask(10007, counts[k]);
}
END_TEST

/// A mask that begins an element before x in the same memory is read before x changes: all of x becomes false.
START_TEST(mask_in_the_same_memory)
{
  enum { N = 10000 };
  weft_array *base = NULL, *mask = NULL, *x = NULL, *values = NULL;
  uint8_t found[N + 1];
  ok(weft_ones(&base, ctx, WEFT_BOOL, WEFT_SHAPE(N + 1)));
  ok(weft_slice(&mask, base, 0, 0, N));
  ok(weft_slice(&x, base, 0, 1, N + 1));
  ok(weft_zeros(&values, ctx, WEFT_BOOL, WEFT_SHAPE(3)));
  ok(weft_putmask(x, mask, values));
  ok(weft_to_host(found, sizeof found, base));
  for (int i = 0; i <= N; i++)
    if (found[i] != (i == 0)) ck_abort_msg("element %d is %d", i, found[i]);
  weft_release(&base, &mask, &x, &values);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "polynomial");
  tcase_add_test(all, polynomials);
  tcase_add_test(all, powers_of_unsigned_numbers);
  tcase_add_test(all, window_of_two_halves);
  tcase_add_test(all, made_on_the_host);
  tcase_add_test(all, places);
  tcase_add_test(all, masks);
  tcase_add_test(all, mask_in_the_same_memory);
}

int main(void) {
  const harness_suite suite = {.name = "polynomial", .add = add};
  return harness_main(&suite);
}
