// SPDX-License-Identifier: MIT
/* Elements read by indices: rows of all lengths, every dtype of indices, operands that overlap, several arrays at once.
   NumPy judges the rest (tests/judge/primitives/index.py). */
#include "selection.h"

START_TEST(along_repeats_axes_of_length_1)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 6, 1));
  weft_array *table = NULL, *row = NULL;
  ok(weft_reshape(&table, x, WEFT_SHAPE(2, 3)));
  ok(weft_take_along_axis(&y, table, WEFT_HOST(((const int32_t[]){2, 0}), WEFT_I32, WEFT_SHAPE(1, 2)), 1));
  check_elements(y, (const int32_t[]){2, 0, 5, 3}, 4, "indices repeated");
  weft_array_release(&y);
  ok(weft_reshape(&row, x, WEFT_SHAPE(1, 6)));
  ok(weft_take_along_axis(&y, row, WEFT_HOST(((const int32_t[]){5, 0, 1}), WEFT_I32, WEFT_SHAPE(3, 1)), -1));
  check_elements(y, (const int32_t[]){5, 0, 1}, 3, "x repeated");
  ok(weft_put_along_axis(table, WEFT_HOST(((const int32_t[]){1}), WEFT_I32, WEFT_SHAPE(1, 1)), -7, 1));
  check_elements(table, (const int32_t[]){0, -7, 2, 3, -7, 5}, 6, "put, indices repeated");
  weft_array_release(&y);
  weft_array_release(&row);
  weft_array_release(&table);
  weft_array_release(&x);
}
END_TEST

/* All lengths of contiguous runs behind the axis: they determine the unit of the copy. */
START_TEST(rows_of_all_lengths)
{
  static unsigned char data[6 * 67];
  static picks p;
  harness_random random = harness_random_start(7);
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)harness_bits(&random);
  for (int64_t run = 1; run <= 67; run += run < 18 ? 1 : 7) {
    weft_array *x = NULL, *y = NULL, *part = NULL;
    unsigned char expected[9 * 67];
    ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(6, run), data));
    picks_make(&p, WEFT_SHAPE(9), 6, WEFT_INDEX_ERROR, &random);
    weft_array *indices = picks_upload(&p);
    for (int k = 0; k < 9; k++) memcpy(expected + k * run, data + picks_resolve(p.value[k], 6, 0) * run, (size_t)run);
    ok(weft_take(&y, x, indices, 0));
    check_elements(y, expected, 9 * run, "whole rows");
    weft_array_release(&y);
    if (run > 2) { /* also not from the beginning */
      for (int k = 0; k < 9; k++)
        memcpy(expected + k * (run - 2), data + picks_resolve(p.value[k], 6, 0) * run + 1, (size_t)run - 2);
      ok(weft_slice(&part, x, 1, 1, run - 1));
      ok(weft_take(&y, part, indices, 0));
      check_elements(y, expected, 9 * (run - 2), "parts of rows");
    }
    weft_array_release(&y);
    weft_array_release(&part);
    weft_array_release(&indices);
    weft_array_release(&x);
    harness_count(2);
  }
}
END_TEST

/* Long rows of more than a GPU's cache holds, which are moved column by column; the last column is not a whole one. */
START_TEST(long_rows)
{
  enum { ROWS = 1024, LENGTH = 16420 };
  static const int64_t index[] = {ROWS - 1, 0, 513, -2, 513};
  weft_array *x = NULL, *y = NULL, *row = NULL, *taken = NULL;
  ok(weft_arange(&row, ctx, WEFT_I32, 0, ROWS * LENGTH, 1));
  ok(weft_reshape(&x, row, WEFT_SHAPE(ROWS, LENGTH)));
  ok(weft_take(&y, x, WEFT_HOST(index, WEFT_I64, WEFT_SHAPE(5)), 0));
  weft_array_release(&row);
  for (int k = 0; k < 5; k++) {
    bool is_same = false;
    ok(weft_slice(&row, x, 0, index[k], index[k] == ROWS - 1 ? WEFT_END : index[k] + 1));
    ok(weft_slice(&taken, y, 0, k, k + 1));
    ok(weft_array_equal(&is_same, row, taken));
    ck_assert_msg(is_same, "row %d", k);
    weft_release(&row, &taken);
  }
  weft_release(&x, &y);
  harness_count(5);
}
END_TEST

START_TEST(indices_of_every_integer_dtype)
{
  static const weft_dtype dtypes[] = {WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  static picks p;
  harness_random random = harness_random_start(8);
  weft_array *x = NULL, *step = NULL, *strided_indices = NULL, *y = NULL;
  uint32_t data[300], expected[100];
  for (uint32_t i = 0; i < 300; i++) data[i] = i * 2654435761u;
  ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(300), data));
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    bool is_signed = weft_dtype_kind(dtypes[d]) == 'i', small = weft_dtype_size_bytes(dtypes[d]) == 1;
    p.dtype = dtypes[d];
    p.shape = WEFT_SHAPE(200);
    p.count = 200;
    for (int k = 0; k < 200; k++)
      picks_store(&p, k, harness_between(&random, is_signed ? (small ? -128 : -300) : 0, small ? 127 : 299));
    step = picks_upload(&p);
    ok(weft_slice(&strided_indices, step, 0, 1, WEFT_END, .step = 2)); /* every second index */
    for (int k = 0; k < 100; k++) expected[k] = data[picks_resolve(p.value[2 * k + 1], 300, 0)];
    ok(weft_take(&y, x, strided_indices, 0));
    check_elements(y, expected, 100, weft_dtype_name(p.dtype));
    weft_array_release(&y);
    weft_array_release(&strided_indices);
    weft_array_release(&step);
    harness_count(1);
  }
  ok(weft_take(&y, x, -3, 0)); /* a C integer */
  ck_assert_int_eq(weft_array_ndim(y), 0);
  check_elements(y, &data[297], 1, "a number");
  weft_array_release(&y);
  const uint64_t huge[] = {UINT64_MAX, UINT64_C(1) << 63, 299};
  const uint32_t clipped[] = {data[299], data[299], data[299]},
                 wrapped[] = {data[UINT64_MAX % 300], data[(UINT64_C(1) << 63) % 300], data[299]};
  ok(weft_take(&y, x, WEFT_HOST(huge, WEFT_U64, WEFT_SHAPE(3)), 0, .mode = WEFT_INDEX_CLIP));
  check_elements(y, clipped, 3, "u64 beyond i64, clipped");
  ok(weft_take(&y, x, WEFT_HOST(huge, WEFT_U64, WEFT_SHAPE(3)), 0, .mode = WEFT_INDEX_WRAP));
  check_elements(y, wrapped, 3, "u64 beyond i64, wrapped");
  weft_array_release(&y);
  ok(weft_take(&y, x, huge[0], 0, .mode = WEFT_INDEX_CLIP)); /* as in an array */
  check_elements(y, clipped, 1, "a number beyond i64");
  ok(weft_take(&y, x, huge[0], 0));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "index 18446744073709551615 at position 0 of `indices`");
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

START_TEST(results_over_their_operands)
{
  weft_array *x = NULL, *half = NULL, *indices = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 9, -1, -1));
  ok(weft_slice(&half, x, 0, 5, 10));
  ok(weft_take(&half, x, WEFT_HOST(((const int32_t[]){9, 8, 7, 6, 5}), WEFT_I32, WEFT_SHAPE(5)), 0));
  check_elements(x, (const int32_t[]){9, 8, 7, 6, 5, 0, 1, 2, 3, 4}, 10, "into a part of x");
  ok(weft_take(&x, x, x, 0)); /* x is array, indices and result */
  check_elements(x, (const int32_t[]){4, 3, 2, 1, 0, 9, 8, 7, 6, 5}, 10, "x[x]");
  ok(weft_put(x, x, x));
  check_elements(x, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, "x[x] = x");
  ok(weft_slice(&indices, x, 0, 0, 5));
  ok(weft_scatter_add(x, indices, half, 0));
  check_elements(x, (const int32_t[]){5, 7, 9, 11, 13, 5, 6, 7, 8, 9}, 10, "values and indices in x");
  weft_array_release(&indices);
  weft_array_release(&half);
  weft_array_release(&x);
}
END_TEST

/* ---- several arrays ---- */

START_TEST(several_arrays)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I32, WEFT_U8,  WEFT_U32, WEFT_C64,
                                      WEFT_F32, WEFT_F32, WEFT_U32, WEFT_I32};
  enum { COUNT = 9, N = 50 };
  static picks p;
  harness_random random = harness_random_start(10);
  weft_array *x[COUNT] = {NULL}, *y[COUNT] = {NULL}, *z[COUNT] = {NULL}, *base = NULL;
  unsigned char data[COUNT][N * 8], expected[40 * 8];
  picks_make(&p, WEFT_SHAPE(4, 10), N, 0, &random);
  for (int k = 0; k < 40; k++) picks_store(&p, k, (k * 7 + 3) % N); /* each index once */
  weft_array *indices = picks_upload(&p);
  for (int j = 0; j < COUNT; j++) {
    elements_random(&random, dtypes[j], data[j], N);
    ok(weft_from_host(&x[j], ctx, dtypes[j], WEFT_SHAPE(N), data[j]));
  }
  /* one array with gaps */
  weft_array_release(&x[5]);
  ok(weft_zeros(&base, ctx, WEFT_F32, WEFT_SHAPE(N, 3)));
  ok(weft_pick(&x[5], base, 1, 1));
  ok(weft_from_host(&x[5], ctx, WEFT_F32, WEFT_SHAPE(N), data[5]));
  ok(weft_empty(&y[2], ctx, WEFT_U8, WEFT_SHAPE(4, 10)));
  ok(weft_take_many(y, (const weft_array *const *)x, COUNT, indices));
  for (int j = 0; j < COUNT; j++) {
    size_t size = weft_dtype_size_bytes(dtypes[j]);
    for (int k = 0; k < 40; k++) memcpy(expected + (size_t)k * size, data[j] + (size_t)p.value[k] * size, size);
    check_elements(y[j], expected, 40, weft_dtype_name(dtypes[j]));
    ok(weft_zeros(&z[j], ctx, dtypes[j], WEFT_SHAPE(5, N / 5)));
  }
  for (int fixed = 0; fixed < 2; fixed++) {
    ok(weft_put_many(z, (const weft_array *const *)y, COUNT, indices, .deterministic = fixed));
    for (int j = 0; j < COUNT; j++) {
      size_t size = weft_dtype_size_bytes(dtypes[j]);
      unsigned char put[N * 8] = {0};
      for (int k = 0; k < 40; k++) memcpy(put + (size_t)p.value[k] * size, data[j] + (size_t)p.value[k] * size, size);
      check_elements(z[j], put, N, weft_dtype_name(dtypes[j]));
      ok(weft_fill(z[j], 0));
    }
  }
  harness_count(2 * COUNT);
  weft_array_release(&base);
  weft_array_release(&indices);
  for (int j = 0; j < COUNT; j++) {
    weft_array_release(&x[j]);
    weft_array_release(&y[j]);
    weft_array_release(&z[j]);
  }
}
END_TEST

/* ---- parts ---- */

START_TEST(reductions_over_a_part)
{
  weft_array *x = NULL, *table = NULL, *y = NULL, *k = NULL;
  int64_t sum;
  int32_t least, most;
  ok(weft_arange(&x, ctx, WEFT_I32, 10, -2, -1)); /* 10 9 ... -1 */
  ok(weft_reshape(&table, x, WEFT_SHAPE(3, 4)));
  ok(weft_from_host(&k, ctx, WEFT_U16, WEFT_SHAPE(2, 2), ((const uint16_t[]){1, 3, 11, 3})));
  ok(weft_subset_sum(WEFT_HOST_OUT(&sum, WEFT_I64, WEFT_SHAPE_0D), table, k));
  ok(weft_subset_min(WEFT_HOST_OUT(&least, WEFT_I32, WEFT_SHAPE_0D), table, k));
  ok(weft_subset_max(WEFT_HOST_OUT(&most, WEFT_I32, WEFT_SHAPE_0D), table, k));
  ck_assert(sum == 9 + 7 - 1 + 7 && least == -1 && most == 9);
  ok(weft_subset_dot(&y, table, x, k));
  check_elements(y, (const int32_t[]){81 + 49 + 1 + 49}, 1, "dot");
  weft_array_release(&y);
  ok(weft_subset_sum(&y, x, 12));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "weft_subset_sum: index 12 at position 0 of `indices` is out of range for 12 elements");
  weft_array_release(&y);
  weft_array_release(&k);
  weft_array_release(&table);
  weft_array_release(&x);
}
END_TEST

/* ---- several lists of indices ---- */

/// Elements of a matrix that is a view with strides, for each dtype's size.
static void check_pairs(weft_dtype dtype, const int64_t *row, const int64_t *column, int64_t count) {
  weft_array *x = NULL, *matrix = NULL, *turned = NULL, *rows = NULL, *columns = NULL, *y = NULL, *found = NULL;
  int32_t *expected = malloc((size_t)count * sizeof *expected);
  ok(weft_arange(&x, ctx, dtype, 0, 126, 1));
  ok(weft_reshape(&matrix, x, WEFT_SHAPE(9, 14)));
  ok(weft_transpose(&turned, matrix, WEFT_ALL_AXES));
  ok(weft_from_host(&rows, ctx, WEFT_I64, WEFT_SHAPE(count), row));
  ok(weft_from_host(&columns, ctx, WEFT_I64, WEFT_SHAPE(count), column));
  ok(weft_at(&y, turned, columns, rows));
  ok(weft_cast(&found, y, WEFT_I32));
  for (int64_t i = 0; i < count; i++)
    expected[i] = (int32_t)((row[i] < 0 ? row[i] + 9 : row[i]) * 14 + (column[i] < 0 ? column[i] + 14 : column[i]));
  check_elements(found, expected, count, weft_dtype_name(dtype));
  free(expected);
  weft_release(&x, &matrix, &turned, &rows, &columns, &y, &found);
}

START_TEST(elements_of_a_matrix)
{
  enum { COUNT = 2500 };
  int64_t row[COUNT], column[COUNT];
  weft_array *x = NULL, *y = NULL;
  harness_random random = harness_random_start(21);
  for (int i = 0; i < COUNT; i++) {
    row[i] = harness_between(&random, -9, 8);
    column[i] = harness_between(&random, -14, 13);
  }
  check_pairs(WEFT_U8, row, column, COUNT);
  check_pairs(WEFT_F32, row, column, COUNT);
  check_pairs(WEFT_I64, row, column, 7);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(9, 14)));
  row[2000] = 9;
  column[1000] = -15;
  ok(weft_at(&y, x, WEFT_HOST(row, WEFT_I64, WEFT_SHAPE(COUNT)), 3));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "weft_at: index 9 at position 2000 of `indices` is out of range for axis 0 of 9");
  ok(weft_at(&y, x, 3, WEFT_HOST(column, WEFT_I64, WEFT_SHAPE(COUNT))));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "weft_at: index -15 at position 1000 of `indices` is out of range for axis 1 of 14");
  weft_release(&x, &y);
}
END_TEST

/// The numbers of a matrix's elements, in each mode, for lists of each type that kernels read.
START_TEST(numbers_in_a_matrix)
{
  enum { COUNT = 1100, ROWS = 9, COLUMNS = 14 };
  static const weft_index_mode modes[] = {WEFT_INDEX_ERROR, WEFT_INDEX_CLIP, WEFT_INDEX_WRAP};
  static const weft_dtype dtypes[] = {WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  static const int64_t length[] = {ROWS, COLUMNS};
  int64_t list[2][COUNT], number[COUNT], got[COUNT];
  harness_random random = harness_random_start(23);
  weft_array *none = NULL;
  expect_error(weft_ravel_multi_index(&none, WEFT_SHAPE(5, 0), 0, 0), WEFT_ERROR_INDEX,
               "`shape` has no elements along the axis, and there is 1 index into it", "@shape");
  for (int c = 0; c < 12; c++) {
    const weft_index_mode mode = modes[c / 4];
    const bool is_signed = dtypes[c % 4] == WEFT_I32 || dtypes[c % 4] == WEFT_I64;
    weft_array *wide = NULL, *lists[2] = {NULL}, *numbers = NULL;
    for (int d = 0; d < 2; d++) {
      for (int i = 0; i < COUNT; i++) {
        const int64_t n = length[d], beyond = mode == WEFT_INDEX_ERROR ? 0 : 3 * n;
        const int64_t k = list[d][i] = harness_between(&random, is_signed ? -n - beyond : 0, n - 1 + beyond);
        const int64_t place = mode == WEFT_INDEX_CLIP ? (k < 0 ? 0 : k < n ? k : n - 1) : (k + 4 * n) % n;
        number[i] = d == 0 ? place : number[i] * n + place;
      }
      ok(weft_from_host(&wide, ctx, WEFT_I64, WEFT_SHAPE(COUNT), list[d]));
      ok(weft_cast(&lists[d], wide, dtypes[c % 4]));
    }
    ok(weft_ravel_multi_index(&numbers, WEFT_SHAPE(ROWS, COLUMNS), lists[0], lists[1], WEFT_INDEXING(.mode = mode)));
    ok(weft_to_host(got, sizeof got, numbers));
    for (int i = 0; i < COUNT; i++)
      ck_assert_msg(got[i] == number[i], "mode %d, %s, element %d: [%d, %d] is %d", (int)mode,
                    weft_dtype_name(dtypes[c % 4]), i, (int)list[0][i], (int)list[1][i], (int)got[i]);
    if (mode == WEFT_INDEX_ERROR) { /* of both lists, the first one's is said */
      ok(weft_ravel_multi_index(&numbers, WEFT_SHAPE(1, 1), lists[1], lists[0]));
      expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "is out of range for axis 0 of 1");
    }
    weft_release(&wide, &lists[0], &lists[1], &numbers);
    harness_count(1);
  }
}
END_TEST

START_TEST(each_axis_has_its_list)
{
  weft_array *x = NULL, *cube = NULL, *turned = NULL, *rows = NULL, *columns = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 24, 1));
  ok(weft_reshape(&cube, x, WEFT_SHAPE(2, 3, 4)));
  ok(weft_from_host(&rows, ctx, WEFT_I64, WEFT_SHAPE(2, 1), ((const int64_t[]){1, -2})));
  ok(weft_from_host(&columns, ctx, WEFT_U16, WEFT_SHAPE(2), ((const uint16_t[]){2, 0})));
  ok(weft_at(&y, cube, rows, columns)); /* [2, 2, 4] */
  ck_assert(weft_array_ndim(y) == 3 && weft_array_length(y, 2) == 4);
  check_elements(y, (const int32_t[]){20, 21, 22, 23, 12, 13, 14, 15, 8, 9, 10, 11, 0, 1, 2, 3}, 16, "two lists");
  weft_array_release(&y);
  ok(weft_at(&y, cube, rows, columns, WEFT_HOST(((const int32_t[]){3, -4}), WEFT_I32, WEFT_SHAPE(2))));
  check_elements(y, (const int32_t[]){23, 12, 11, 0}, 4, "three lists");
  weft_array_release(&y);
  ok(weft_at(&y, cube, 1, 2, -1)); /* C integers: one element */
  ck_assert_int_eq(weft_array_ndim(y), 0);
  check_elements(y, (const int32_t[]){23}, 1, "numbers");
  weft_array_release(&y);
  ok(weft_transpose(&turned, cube, WEFT_AXES(2, 0, 1))); /* its first axes do not merge */
  ok(weft_at(&y, turned, columns, 1));
  check_elements(y, (const int32_t[]){14, 18, 22, 12, 16, 20}, 6, "a view");
  weft_array_release(&y);
  ok(weft_at(&y, cube, 9, columns, WEFT_INDEXING(.mode = WEFT_INDEX_CLIP)));
  check_elements(y, (const int32_t[]){20, 21, 22, 23, 12, 13, 14, 15}, 8, "clip");
  ok(weft_at(&y, cube, columns, -1, WEFT_INDEXING(.mode = WEFT_INDEX_WRAP)));
  check_elements(y, (const int32_t[]){8, 9, 10, 11, 8, 9, 10, 11}, 8, "wrap");
  ok(weft_at(&y, cube, columns, 1));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "weft_at: index 2 at position 0 of `indices` is out of range for axis 0 of 2");
  check_elements(y, (const int32_t[]){0, 0, 0, 0, 4, 5, 6, 7}, 8, "out of range");
  expect_error(weft_at(&y, cube, columns, 1.5), WEFT_ERROR_DTYPE, "`indices[1]` is f64; expected integers");
  expect_error(weft_at(&y, x, columns, 1), WEFT_ERROR_SHAPE, "`x` has 1 axes; there are indices for 2", "@x");
  expect_error(weft_at(&y, cube, columns, WEFT_HOST(((const int32_t[]){0, 0, 0}), WEFT_I32, WEFT_SHAPE(3))),
               WEFT_ERROR_SHAPE, "`indices[1]` does not broadcast with the indices before it");
  expect_error(weft_at(&y, cube, WEFT_INDEXING(.mode = WEFT_INDEX_CLIP)), WEFT_ERROR_ARGUMENT, "0 lists of indices");
  weft_array_release(&y);
  weft_array_release(&columns);
  weft_array_release(&rows);
  weft_array_release(&turned);
  weft_array_release(&cube);
  weft_array_release(&x);
}
END_TEST

/// Indices are checked on the queue of the thread's stream.
START_TEST(on_a_stream)
{
  weft_stream *stream = NULL;
  weft_array *line = NULL, *x = NULL, *list = NULL, *y = NULL;
  int32_t got[8];
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  ok(weft_arange(&line, ctx, WEFT_I32, 0, 64, 1));
  ok(weft_reshape(&x, line, WEFT_SHAPE(8, 8)));
  ok(weft_arange(&list, ctx, WEFT_I64, 7, -1, -1));
  ok(weft_take(&y, line, list, 0));
  ok(weft_to_host(got, sizeof got, y));
  for (int k = 0; k < 8; k++) ck_assert_int_eq(got[k], 7 - k);
  ok(weft_at(&y, x, list, list));
  ok(weft_to_host(got, sizeof got, y));
  for (int k = 0; k < 8; k++) ck_assert_int_eq(got[k], 9 * (7 - k));
  ok(weft_scatter(y, list, 5, 0));
  ok(weft_to_host(got, sizeof got, y));
  for (int k = 0; k < 8; k++) ck_assert_int_eq(got[k], 5);
  ck_assert_int_eq(weft_take(&y, y, line, 0) ? 1 : weft_stream_wait(stream) != WEFT_OK, 1);
  ok(weft_stream_use(NULL));
  weft_release(&line, &x, &list, &y);
  weft_stream_release(&stream);
}
END_TEST

START_TEST(axes_are_said_as_everywhere)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  ok(weft_take(&y, x, 1, WEFT_AXES(1)));
  ck_assert(weft_array_ndim(y) == 1 && weft_array_length(y, 0) == 3);
  weft_array_release(&y);
  /* x is not a list of indices */
  ok((weft_take)(&y, x, x, WEFT_ALL_AXES, NULL) == WEFT_ERROR_DTYPE ? WEFT_OK : WEFT_ERROR_DTYPE);
  expect_error(weft_take(&y, x, 1, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_take(&y, x, 1, weft_keepdims(0)), WEFT_ERROR_AXIS, "weft_keepdims was given", "@axis");
  expect_error(weft_scatter(x, 1, 1, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "take");
  tcase_add_test(tc, along_repeats_axes_of_length_1);
  tcase_add_test(tc, rows_of_all_lengths);
  tcase_add_test(tc, long_rows);
  tcase_add_test(tc, indices_of_every_integer_dtype);
  tcase_add_test(tc, results_over_their_operands);
  tcase_add_test(tc, several_arrays);
  tcase_add_test(tc, reductions_over_a_part);
  tcase_add_test(tc, each_axis_has_its_list);
  tcase_add_test(tc, elements_of_a_matrix);
  tcase_add_test(tc, numbers_in_a_matrix);
  tcase_add_test(tc, axes_are_said_as_everywhere);
  tcase_add_test(tc, on_a_stream);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "index", .add = add});
}
