// SPDX-License-Identifier: MIT
/// Sparse matrices made of elements in order, or not, and transposed. Elements are small whole numbers. And other
/// libraries' arrays, which GPUs copy and check.
#include <stdio.h>

#include "harness.h"

enum { ROWS = 700, COLUMNS = 300, ALL = ROWS * COLUMNS };

static void assert_dense(const weft_csr *matrix, const uint8_t *expected, const char *what) {
  weft_array *dense = NULL, *real = NULL, *bytes = NULL;
  uint8_t *got = malloc(ALL);
  ok(weft_csr_to_dense(&dense, matrix));
  ok(weft_real(&real, dense));
  ok(weft_cast(&bytes, real, WEFT_U8));
  ok(weft_to_host(got, ALL, bytes));
  for (int k = 0; k < ALL; k++)
    ck_assert_msg(got[k] == expected[k], "%s: element %d is %d, expected %d", what, k, got[k], expected[k]);
  harness_count(ALL);
  free(got);
  weft_release(&dense, &real, &bytes);
}

START_TEST(turned)
{
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_I16, WEFT_F32, WEFT_I32, WEFT_F64, WEFT_C128};
  uint8_t *dense = calloc(ALL, 1), *transposed = calloc(ALL, 1);
  weft_array *bytes = NULL;
  harness_random random = harness_random_start(1);
  for (int k = 0; k < 20000; k++) /* of row 5 all, of 6 to 9 none */
    dense[harness_between(&random, 10, ROWS - 1) * COLUMNS + harness_between(&random, 0, COLUMNS - 1)] =
        (uint8_t)harness_between(&random, 1, 100);
  for (int k = 5 * COLUMNS; k < 6 * COLUMNS; k++) dense[k] = 7;
  for (int k = 0; k < ALL; k++) transposed[k % COLUMNS * ROWS + k / COLUMNS] = dense[k];
  ok(weft_from_host(&bytes, ctx, WEFT_U8, WEFT_SHAPE(ROWS, COLUMNS), dense));
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    if (!harness_has_dtype(dtypes[d])) continue;
    weft_array *x = NULL, *row = NULL, *wide = NULL, *column = NULL, *value = NULL;
    weft_csr *first = NULL, *again = NULL, *other = NULL, *back = NULL;
    ok(weft_cast(&x, bytes, dtypes[d]));
    ok(weft_csr_from_dense(&first, NULL, x));
    ok(weft_csr_to_coo(&row, &column, &value, first));
    ok(weft_cast(&wide, row, WEFT_I64));
    for (int turn = 0; turn < 2; turn++) {
      ok(weft_csr_from_coo(&again, NULL, turn % 2 ? wide : row, column, value, WEFT_SHAPE(ROWS, COLUMNS)));
      ok(weft_csr_transpose(&other, again));
      /* columns in the place of rows: elements not in order */
      ok(weft_csr_from_coo(&back, NULL, column, row, value, WEFT_SHAPE(COLUMNS, ROWS)));
      assert_dense(again, dense, "in order");
      assert_dense(other, transposed, "transposed");
      assert_dense(back, transposed, "not in order");
      weft_release(&again, &other, &back);
    }
    weft_release(&x, &row, &wide, &column, &value, &first);
  }
  weft_array_release(&bytes);
  free(dense);
  free(transposed);
}
END_TEST

/// Elements that are not in order, or outside of the matrix, with long indices too.
START_TEST(not_in_order)
{
  enum { WRONG = 4 };
  static const int64_t rows[] = {0, 0, 2, 1}, columns[] = {1, 1, 0, 5}, ascending[] = {-1, 0, 1, 2};
  static const weft_dtype dtypes[] = {WEFT_I32, WEFT_I64};
  const int64_t wide = INT64_C(1) << 32;
  for (int d = 0; d < 4; d++) {
    weft_array *row = NULL, *column = NULL, *below = NULL, *ones = NULL, *long_row = NULL, *long_column = NULL;
    weft_csr *summed = NULL, *none = NULL;
    weft_csr_info info;
    ok(weft_from_host(&long_row, ctx, WEFT_I64, WEFT_SHAPE(WRONG), rows));
    ok(weft_from_host(&long_column, ctx, WEFT_I64, WEFT_SHAPE(WRONG), columns));
    ok(weft_cast(&row, long_row, dtypes[d % 2]));
    ok(weft_cast(&column, long_column, dtypes[d / 2]));
    weft_array_release(&long_row);
    ok(weft_from_host(&long_row, ctx, WEFT_I64, WEFT_SHAPE(WRONG), ascending));
    ok(weft_cast(&below, long_row, dtypes[d % 2]));
    ok(weft_ones(&ones, ctx, WEFT_F32, WEFT_SHAPE(WRONG)));
    for (int turn = 0; turn < 3; turn++) {
      ok(weft_csr_from_coo(&summed, NULL, row, column, ones, WEFT_SHAPE(3, turn < 2 ? 6 : wide)));
      ok(weft_csr_get(&info, summed));
      ck_assert_int_eq(info.count, 3);
      expect_error(weft_csr_from_coo(&none, NULL, row, column, ones, WEFT_SHAPE(2, 6)), WEFT_ERROR_INDEX,
                   "index 2 at position 2 of `rows`");
      expect_error(weft_csr_from_coo(&none, NULL, row, column, ones, WEFT_SHAPE(3, 5)), WEFT_ERROR_INDEX,
                   "index 5 at position 3 of `columns`");
      expect_error(weft_csr_from_coo(&none, NULL, below, column, ones, WEFT_SHAPE(3, 6)), WEFT_ERROR_INDEX,
                   "index -1 at position 0 of `rows`");
      weft_csr_release(&summed);
    }
    weft_release(&row, &column, &below, &ones, &long_row, &long_column);
  }
}
END_TEST

/* ---- arrays of other libraries ---- */

static void assert_numbers(const weft_array *x, const int64_t *expected, int64_t count, const char *what) {
  int64_t *got = malloc((size_t)count * sizeof *got);
  weft_array *wide = NULL;
  ck_assert_int_eq(weft_array_size(x), count);
  ok(weft_cast(&wide, x, WEFT_I64));
  ok(weft_to_host(got, (size_t)count * sizeof *got, wide));
  for (int64_t i = 0; i < count; i++)
    ck_assert_msg(got[i] == expected[i], "%s: element %" PRId64 " is %" PRId64 ", expected %" PRId64, what, i, got[i],
                  expected[i]);
  free(got);
  weft_array_release(&wide);
  harness_count(count);
}

/// Makes *a of COUNT elements of a dtype's indices, which begin at element `shift` of their arrays.
static weft_status given_arrays(weft_csr **a, weft_dtype dtype, int64_t shift, const int64_t *start, int64_t rows,
                                const int64_t *column, int64_t count) {
  weft_array *wide = NULL, *starts = NULL, *places = NULL, *ones = NULL, *part[3] = {NULL};
  ok(weft_from_host(&wide, ctx, WEFT_I64, WEFT_SHAPE(count + 1), column));
  ok(weft_cast(&places, wide, dtype));
  weft_array_release(&wide);
  ok(weft_from_host(&wide, ctx, WEFT_I64, WEFT_SHAPE(rows + 2), start));
  ok(weft_cast(&starts, wide, dtype));
  ok(weft_full(&ones, ctx, WEFT_F32, WEFT_SHAPE(count + 1), 1.0f));
  ok(weft_slice(&part[0], starts, 0, shift, rows + 1 + shift));
  ok(weft_slice(&part[1], places, 0, shift, count + shift));
  ok(weft_slice(&part[2], ones, 0, shift, count + shift));
  const weft_status rc = weft_csr_create(a, ctx, part[0], part[1], part[2], WEFT_SHAPE(rows, 2 * count));
  weft_release(&wide, &starts, &places, &ones, &part[0], &part[1], &part[2]);
  return rc;
}

/// Arrays of other libraries that span blocks of GPUs, aligned or not, with more rows than elements or fewer: copied,
/// found wrong at any place, and multiplied by tiles.
START_TEST(blocks_of_given_arrays)
{
  enum { COUNT = 9001, MOST_ROWS = 20000 };
  static const weft_dtype dtypes[] = {WEFT_I32, WEFT_I64, WEFT_U32};
  static const int64_t kinds[] = {3, 700, MOST_ROWS}, places[] = {0, 1, 4, 4095, 4096, 8191, 8192, COUNT - 1};
  static int64_t start[MOST_ROWS + 3], column[COUNT + 2], lengths[MOST_ROWS];
  const int k = _i;
  const int64_t rows = kinds[k], shift = k % 2;
  const int64_t *const starts = start + 1 - shift, *const columns = column + 1 - shift;
  for (int64_t r = 0; r <= rows; r++) start[r + 1] = r * COUNT / rows;
  for (int64_t r = 0; r < rows; r++) {
    lengths[r] = start[r + 2] - start[r + 1];
    for (int64_t i = 0; i < lengths[r]; i++) column[start[r + 1] + i + 1] = 2 * i;
  }
  weft_csr *a = NULL;
  weft_csr_info info;
  weft_array *part[3] = {NULL}, *ones = NULL, *sums = NULL;
  ok(given_arrays(&a, dtypes[k], shift, starts, rows, columns, COUNT));
  ok(weft_csr_parts(&part[0], &part[1], &part[2], a));
  assert_numbers(part[0], start + 1, rows + 1, "indptr");
  assert_numbers(part[1], column + 1, COUNT, "indices");
  ok(weft_full(&ones, ctx, WEFT_F32, WEFT_SHAPE(2 * COUNT), 1.0f));
  ok(weft_csr_matmul(&sums, a, ones));
  assert_numbers(sums, lengths, rows, "lengths");
  weft_release(&a, &part[0], &part[1], &part[2], &ones, &sums);
  for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
    int64_t *const at = &column[places[p] + 1], before = *at;
    char text[60];
    *at = 2 * COUNT;
    snprintf(text, sizeof text, "index %d at position %" PRId64 " of `indices`", 2 * COUNT, places[p]);
    expect_error(given_arrays(&a, dtypes[k], shift, starts, rows, columns, COUNT), WEFT_ERROR_INDEX, text);
    *at = before;
    if (before == 0) continue; /* begins a row */
    *at = at[-1];
    ok(given_arrays(&a, dtypes[k], shift, starts, rows, columns, COUNT));
    ok(weft_csr_get(&info, a));
    ck_assert_int_eq(info.count, COUNT - 1);
    weft_csr_release(&a);
    *at = before;
  }
}
END_TEST

/// GPUs divide the columns among more work-groups than a grid's second axis has.
START_TEST(many_columns)
{
  enum { N = 2097153 };
  const float ones[] = {1, 1};
  const int32_t starts[] = {0, 1, 2}, columns[] = {1, 0}; /* the rows change places */
  bool same;
  weft_csr *a = NULL;
  weft_array *row = NULL, *x = NULL, *y = NULL, *back = NULL;
  ok(weft_csr_create(&a, ctx, WEFT_HOST(starts, WEFT_I32, WEFT_SHAPE(3)), WEFT_HOST(columns, WEFT_I32, WEFT_SHAPE(2)),
                     WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(2, 2)));
  ok(weft_arange(&row, ctx, WEFT_F32, 0, 2 * N, 1));
  ok(weft_reshape(&x, row, WEFT_SHAPE(2, N)));
  ok(weft_csr_matmul(&y, a, x));
  ok(weft_flip(&back, y, 0));
  ok(weft_array_equal(&same, back, x));
  ck_assert(same);
  weft_release(&a, &row, &x, &y, &back);
}
END_TEST

static void find_failure(void *user, weft_log_level level, const char *message) {
  (void)level;
  *(bool *)user |= strstr(message, "its result is not used") != NULL;
}

/// Elements of equal places in a falling order are added up, and no failure is logged.
START_TEST(falling_duplicates)
{
  enum { COUNT = 4200, LINES = 7, SIDES = 5 };
  static int32_t row[COUNT], column[COUNT];
  static float value[COUNT];
  bool is_said = false;
  float dense[LINES * SIDES];
  weft_csr *a = NULL;
  weft_array *x = NULL;
  for (int i = 0; i < COUNT; i++) {
    const int place = LINES * SIDES - 1 - i * LINES * SIDES / COUNT;
    row[i] = place / SIDES, column[i] = place % SIDES, value[i] = 1;
  }
  weft_log_set(WEFT_LOG_WARNING, find_failure, &is_said);
  ok(weft_csr_from_coo(&a, ctx, WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(COUNT)),
                       WEFT_HOST(column, WEFT_I32, WEFT_SHAPE(COUNT)), WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(COUNT)),
                       WEFT_SHAPE(LINES, SIDES)));
  weft_log_set(WEFT_LOG_WARNING, NULL, NULL);
  ck_assert(!is_said);
  weft_csr_info info;
  ok(weft_csr_get(&info, a));
  ck_assert_int_eq(info.count, LINES * SIDES);
  ok(weft_csr_to_dense(&x, a));
  ok(weft_to_host(dense, sizeof dense, x));
  for (int k = 0; k < LINES * SIDES; k++) ck_assert_float_eq(dense[k], COUNT / (LINES * SIDES));
  weft_release(&a, &x);
}
END_TEST

/// A replay could not know that other arrays are wrong.
START_TEST(recorded)
{
  static const int32_t row[] = {0, 1};
  weft_array *at = NULL, *value = NULL;
  weft_recording *recording = NULL;
  weft_csr *a = NULL;
  ok(weft_from_host(&at, ctx, WEFT_I32, WEFT_SHAPE(2), row));
  ok(weft_ones(&value, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_record_begin(ctx));
  expect_error(weft_csr_from_coo(&a, NULL, at, at, value, WEFT_SHAPE(2, 2)), WEFT_ERROR_UNSUPPORTED,
               "weft_csr_from_coo", "cannot be recorded");
  expect_error(weft_record_end(&recording), WEFT_ERROR_UNSUPPORTED, "cannot be recorded");
  weft_release(&at, &value);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "sparse_build");
  tcase_add_test(c, turned);
  tcase_add_test(c, not_in_order);
  tcase_add_test(c, falling_duplicates);
  tcase_add_test(c, recorded);
  if (harness_takes_gpu_kernels()) tcase_add_test(c, many_columns);
  if (harness_takes_gpu_kernels()) tcase_add_loop_test(c, blocks_of_given_arrays, 0, 3);
}

int main(void) {
  const harness_suite suite = {.name = "sparse_build", .add = add};
  return harness_main(&suite);
}
