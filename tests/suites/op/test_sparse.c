// SPDX-License-Identifier: MIT
/// Sparse matrices against plain C. Elements are small whole numbers, so that sums in every float dtype are exact and
/// each result has one right value, whatever the order of the additions.
#include <stdio.h>

#include "views.h"

/// A random matrix of i64 numbers, dense and as elements.
typedef struct matrix {
  int64_t m, n, count;
  int64_t *row, *column, *value; /* elements; some lie at one place */
  int64_t *dense;
  weft_csr *csr;
} matrix;

/// `one_row`: two elements in three are in one row.
static matrix matrix_make(weft_dtype dtype, int64_t m, int64_t n, int64_t count, bool one_row, harness_random *random) {
  matrix a = {.m = m, .n = n, .count = count};
  weft_array *wide = NULL, *values = NULL;
  a.row = malloc(((size_t)count + 1) * 8);
  a.column = malloc(((size_t)count + 1) * 8);
  a.value = malloc(((size_t)count + 1) * 8);
  a.dense = calloc((size_t)(m * n) + 1, 8);
  for (int64_t k = 0; k < count; k++) {
    a.row[k] = one_row && k % 3 ? m / 2 : harness_between(random, 0, (int)m - 1);
    a.column[k] = harness_between(random, 0, (int)n - 1);
    a.value[k] = harness_between(random, -3, 3);
    if (dtype == WEFT_BOOL || weft_dtype_kind(dtype) == 'u') a.value[k] = a.value[k] > 0;
    int64_t *place = &a.dense[a.row[k] * n + a.column[k]];
    *place = dtype == WEFT_BOOL ? *place | a.value[k] : *place + a.value[k];
  }
  ok(weft_from_host(&wide, ctx, WEFT_I64, WEFT_SHAPE(count), a.value));
  ok(weft_cast(&values, wide, dtype));
  ok(weft_csr_from_coo(&a.csr, NULL, WEFT_HOST(a.row, WEFT_I64, WEFT_SHAPE(count)),
                       WEFT_HOST(a.column, WEFT_I64, WEFT_SHAPE(count)), values, WEFT_SHAPE(m, n)));
  weft_release(&wide, &values);
  return a;
}

static void matrix_free(matrix *a) {
  free(a->row);
  free(a->column);
  free(a->value);
  free(a->dense);
  weft_csr_release(&a->csr);
}

/// Asserts that x, whose elements are whole, has these.
static void assert_whole(const weft_array *x, const int64_t *expected, int64_t count, const char *what) {
  int64_t *got = malloc(((size_t)count + 1) * 8);
  weft_array *wide = NULL;
  ck_assert_int_eq(weft_array_size(x), count);
  const char kind = weft_dtype_kind(weft_array_dtype(x));
  if (kind == 'c' || kind == 'f') {
    weft_array *real = NULL;
    ok(weft_real(&real, x));
    ok(weft_cast(&wide, real, WEFT_I64));
    weft_array_release(&real);
  } else {
    ok(weft_cast(&wide, x, WEFT_I64));
  }
  ok(weft_to_host(got, (size_t)count * 8, wide));
  for (int64_t i = 0; i < count; i++)
    ck_assert_msg(got[i] == expected[i], "%s: element %" PRId64 " is %" PRId64 ", expected %" PRId64, what, i, got[i],
                  expected[i]);
  free(got);
  weft_array_release(&wide);
  harness_count(count);
}

/// Asserts that a @ x is right for a vector (columns 0) or a matrix x.
static void check_product(const matrix *a, weft_dtype dtype, int64_t columns, harness_random *random) {
  const int64_t width = columns ? columns : 1;
  int64_t *x = malloc(((size_t)(a->n * width) + 1) * 8), *y = calloc((size_t)(a->m * width) + 1, 8);
  weft_array *wide = NULL, *vector = NULL, *product = NULL;
  char what[100];
  for (int64_t i = 0; i < a->n * width; i++) {
    x[i] = harness_between(random, -2, 2);
    if (dtype == WEFT_BOOL || weft_dtype_kind(dtype) == 'u') x[i] = x[i] > 0;
  }
  for (int64_t i = 0; i < a->m; i++)
    for (int64_t k = 0; k < a->n; k++)
      for (int64_t j = 0; a->dense[i * a->n + k] && j < width; j++)
        y[i * width + j] += a->dense[i * a->n + k] * x[k * width + j];
  for (int64_t i = 0; dtype == WEFT_BOOL && i < a->m * width; i++) y[i] = y[i] != 0;
  for (int64_t i = 0; dtype == WEFT_I8 && i < a->m * width; i++) y[i] = (int8_t)y[i];
  for (int64_t i = 0; dtype == WEFT_U8 && i < a->m * width; i++) y[i] = (uint8_t)y[i];
  ok(weft_from_host(&wide, ctx, WEFT_I64, columns ? WEFT_SHAPE(a->n, columns) : WEFT_SHAPE(a->n), x));
  ok(weft_cast(&vector, wide, dtype));
  ok(weft_csr_matmul(&product, a->csr, vector));
  ck_assert_int_eq(weft_array_dtype(product), dtype);
  ck_assert_int_eq(weft_array_ndim(product), columns ? 2 : 1);
  snprintf(what, sizeof what, "%s %" PRId64 "x%" PRId64 " of %" PRId64 ", %" PRId64 " columns", weft_dtype_name(dtype),
           a->m, a->n, a->count, columns);
  assert_whole(product, y, a->m * width, what);
  free(x);
  free(y);
  weft_release(&wide, &vector, &product);
}

START_TEST(every_dtype)
{
  harness_random random = harness_random_start(1);
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    const weft_dtype dtype = (weft_dtype)d;
    matrix a = matrix_make(dtype, 20, 60, dtype == WEFT_BF16 ? 40 : 900, false, &random);
    check_product(&a, dtype, 0, &random);
    check_product(&a, dtype, 4, &random);
    matrix_free(&a);
  }
}
END_TEST

START_TEST(shapes)
{
  static const int64_t shape[][3] = {{1, 1, 0},   {1, 1, 1},     {9, 9, 0},       {5000, 3, 10},    {3, 5000, 10},
                                     {447, 2, 1}, {448, 2, 448}, {1, 3000, 6000}, {700, 700, 9000}, {2, 20000, 30000}};
  static const int64_t columns[] = {0, 1, 3, 8, 36, 130};
  harness_random random = harness_random_start(2);
  for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
    for (int one_row = 0; one_row < 2; one_row++) {
      matrix a = matrix_make(WEFT_I32, shape[s][0], shape[s][1], shape[s][2], one_row, &random);
      check_product(&a, WEFT_I32, 0, &random);
      check_product(&a, WEFT_I32, columns[(s + (size_t)one_row) % 6], &random);
      matrix_free(&a);
    }
  matrix a = matrix_make(WEFT_I32, 50, 70, 600, false, &random);
  for (size_t k = 0; k < 6; k++) check_product(&a, WEFT_I32, columns[k], &random);
  matrix_free(&a);
}
END_TEST

/// A row of many tiles, whose parts a work-group adds together.
START_TEST(long_row)
{
  harness_random random = harness_random_start(3);
  matrix a = matrix_make(WEFT_I32, 3, 40000, 120000, true, &random);
  check_product(&a, WEFT_I32, 0, &random);
  check_product(&a, WEFT_I32, 2, &random);
  matrix_free(&a);
}
END_TEST

START_TEST(no_elements)
{
  weft_csr *a = NULL, *turned = NULL;
  weft_array *x = NULL, *y = NULL, *dense = NULL, *rows = NULL, *values = NULL;
  static const int64_t shape[][2] = {{0, 0}, {0, 4}, {4, 0}, {4, 3}}, zeros[12] = {0};
  for (int s = 0; s < 4; s++) {
    ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(shape[s][0], shape[s][1])));
    ok(weft_csr_from_dense(&a, NULL, x));
    weft_array_release(&x);
    ok(weft_csr_transpose(&turned, a));
    ok(weft_csr_to_dense(&dense, turned));
    assert_whole(dense, zeros, shape[s][0] * shape[s][1], "dense");
    ok(weft_csr_to_coo(&rows, NULL, &values, a));
    ck_assert_int_eq(weft_array_size(rows), 0);
    for (int columns = 0; columns < 3; columns++) {
      ok(weft_ones(&x, ctx, WEFT_F32, columns ? WEFT_SHAPE(shape[s][1], columns - 1) : WEFT_SHAPE(shape[s][1])));
      ok(weft_csr_matmul(&y, a, x));
      assert_whole(y, zeros, shape[s][0] * (columns ? columns - 1 : 1), "product");
      weft_release(&x, &y);
    }
    weft_release(&a, &turned, &dense, &rows, &values);
  }
}
END_TEST

START_TEST(forms)
{
  harness_random random = harness_random_start(4);
  static const weft_dtype dtypes[] = {WEFT_I16, WEFT_F32, WEFT_C64};
  for (int d = 0; d < 3; d++) {
    matrix a = matrix_make(dtypes[d], 33, 47, 900, d == 1, &random);
    weft_array *dense = NULL, *rows = NULL, *columns = NULL, *values = NULL, *part[3] = {NULL}, *turned_dense = NULL,
               *turned_view = NULL;
    weft_csr *turned = NULL, *again = NULL;
    weft_csr_info info;
    ok(weft_csr_to_dense(&dense, a.csr));
    assert_whole(dense, a.dense, 33 * 47, "to_dense");
    ok(weft_csr_transpose(&turned, a.csr));
    ok(weft_csr_to_dense(&turned_dense, turned));
    ok(weft_transpose(&turned_view, turned_dense, WEFT_ALL_AXES));
    assert_whole(turned_view, a.dense, 33 * 47, "transpose");
    ok(weft_csr_to_coo(&rows, &columns, &values, turned));
    ok(weft_csr_get(&info, turned));
    ck_assert_int_eq(info.rows, 47);
    ck_assert_int_eq(info.columns, 33);
    ck_assert_int_eq(info.count, weft_array_size(rows));
    ck_assert_int_eq(info.dtype, dtypes[d]);
    ck_assert_int_eq(info.index_dtype, WEFT_I32);
    ck_assert(weft_array_dtype(rows) == WEFT_I32 && weft_array_dtype(columns) == WEFT_I32);
    ok(weft_csr_from_coo(&again, NULL, columns, rows, values, WEFT_SHAPE(33, 47)));
    ok(weft_csr_to_dense(&dense, again));
    assert_whole(dense, a.dense, 33 * 47, "to_coo");
    weft_csr_release(&again);
    weft_array *whole[3] = {NULL}, *const given[] = {rows, columns, values}; /* results that begin at odd places */
    for (int k = 0; k < 3; k++) {
      ok(weft_empty(&whole[k], ctx, weft_array_dtype(given[k]), WEFT_SHAPE(info.count + 1)));
      ok(weft_slice(&part[k], whole[k], 0, 1, WEFT_END));
    }
    ok(weft_csr_to_coo(&part[0], &part[1], &part[2], turned));
    for (int k = 0; k < 3; k++) {
      bool is_equal = false;
      ok(weft_array_equal(&is_equal, part[k], given[k]));
      ck_assert(is_equal);
    }
    weft_release(&part[0], &part[1], &part[2], &whole[0], &whole[1], &whole[2]);
    ok(weft_csr_parts(&part[0], &part[1], &part[2], a.csr));
    ok(weft_csr_create(&again, NULL, part[0], part[1], part[2], WEFT_SHAPE(33, 47)));
    ok(weft_csr_to_dense(&dense, again));
    assert_whole(dense, a.dense, 33 * 47, "parts");
    weft_csr_release(&again);
    ok(weft_csr_from_dense(&again, NULL, turned_view)); /* a view */
    ok(weft_csr_to_dense(&dense, again));
    assert_whole(dense, a.dense, 33 * 47, "from_dense");
    weft_release(&dense, &rows, &columns, &values, &part[0], &part[1], &part[2], &turned_dense, &turned_view, &turned,
                 &again);
    matrix_free(&a);
  }
}
END_TEST

/// Rows out of order and with an element given twice; 0 stays an element.
START_TEST(unsorted_rows)
{
  static const int32_t indptr[] = {0, 3, 3, 5}, indices[] = {2, 0, 2, 1, 0};
  static const float data[] = {1, 2, 4, 0, 5};
  static const int64_t expected[] = {2, 0, 5, 0, 0, 0, 5, 0, 0};
  weft_csr *a = NULL;
  weft_csr_info info;
  weft_array *dense = NULL;
  ok(weft_csr_create(&a, NULL, WEFT_HOST(indptr, WEFT_I32, WEFT_SHAPE(4)), WEFT_HOST(indices, WEFT_I32, WEFT_SHAPE(5)),
                     WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(5)), WEFT_SHAPE(3, 3)));
  ok(weft_csr_get(&info, a));
  ck_assert_int_eq(info.count, 4);
  ok(weft_csr_to_dense(&dense, a));
  assert_whole(dense, expected, 9, "dense");
  weft_release(&a, &dense);
}
END_TEST

/// Large shapes have i64 indices.
START_TEST(wide_indices)
{
  static const int64_t row[] = {2, 0}, column[] = {INT64_C(1) << 40, 7};
  static const float value[] = {3, 4};
  weft_csr *a = NULL;
  weft_csr_info info;
  weft_array *indices = NULL, *rows = NULL, *columns = NULL;
  static const int64_t expected_rows[] = {0, 2}, expected_columns[] = {7, INT64_C(1) << 40};
  ok(weft_csr_from_coo(&a, NULL, WEFT_HOST(row, WEFT_I64, WEFT_SHAPE(2)), WEFT_HOST(column, WEFT_I64, WEFT_SHAPE(2)),
                       WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(3, INT64_C(1) << 41)));
  ok(weft_csr_get(&info, a));
  ck_assert_int_eq(info.index_dtype, WEFT_I64);
  ok(weft_csr_parts(NULL, &indices, NULL, a));
  ck_assert_int_eq(weft_array_dtype(indices), WEFT_I64);
  ok(weft_csr_to_coo(&rows, &columns, NULL, a));
  ck_assert_int_eq(weft_array_dtype(rows), WEFT_I64);
  assert_whole(rows, expected_rows, 2, "rows");
  assert_whole(columns, expected_columns, 2, "columns");
  expect_error(
      weft_csr_from_coo(&a, NULL, WEFT_HOST(row, WEFT_I64, WEFT_SHAPE(2)), WEFT_HOST(column, WEFT_I64, WEFT_SHAPE(2)),
                        WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(3, 9)),
      WEFT_ERROR_ARGUMENT, "is not NULL");
  weft_release(&a, &indices, &rows, &columns);
}
END_TEST

/// Rows of elements that span blocks of GPUs: some long ones, or more empty ones than a block keeps.
START_TEST(rows_of_many_elements)
{
  enum { COUNT = 20001, MOST_ROWS = 30000 };
  static const int64_t kinds[][2] = {{3, 1}, {900, 1}, {MOST_ROWS, 3}}; /* rows, and which of them have elements */
  static int64_t start[MOST_ROWS + 1], column[COUNT];
  static int32_t found[COUNT];
  static float value[COUNT];
  for (int64_t i = 0; i < COUNT; i++) column[i] = i;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const int64_t rows = kinds[k][0], every = kinds[k][1];
    weft_csr *a = NULL;
    weft_array *all = NULL, *part = NULL;
    for (int64_t r = 0; r <= rows; r++) start[r] = weft_ceil_div(r, every) * COUNT / weft_ceil_div(rows, every);
    ok(weft_csr_create(&a, ctx, WEFT_HOST(start, WEFT_I64, WEFT_SHAPE(rows + 1)),
                       WEFT_HOST(column, WEFT_I64, WEFT_SHAPE(COUNT)), WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(COUNT)),
                       WEFT_SHAPE(rows, COUNT)));
    ok(weft_empty(&all, ctx, WEFT_I32, WEFT_SHAPE(COUNT + 1)));
    ok(weft_slice(&part, all, 0, (int64_t)k % 2, COUNT + (int64_t)k % 2));
    ok(weft_csr_to_coo(&part, NULL, NULL, a));
    ok(weft_to_host(found, COUNT * sizeof *found, part));
    for (int64_t r = 0; r < rows; r++)
      for (int64_t i = start[r]; i < start[r + 1]; i++) ck_assert_int_eq(found[i], r);
    weft_release(&a, &all, &part);
  }
}
END_TEST

START_TEST(results)
{
  static const float value[] = {1, 2, 3, 4};
  harness_random random = harness_random_start(5);
  matrix a = matrix_make(WEFT_F32, 4, 4, 0, false, &random);
  weft_csr_release(&a.csr);
  weft_array *diagonal = NULL, *x = NULL, *y = NULL, *stepped = NULL, *base = NULL;
  float host[4];
  ok(weft_eye(&diagonal, ctx, WEFT_F32, 4));
  ok(weft_csr_from_dense(&a.csr, NULL, diagonal));
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4), value));
  ok(weft_copy(&y, x));
  ok(weft_csr_matmul(&y, a.csr, x, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(-1))); /* 2 x - x */
  ok(weft_to_host(host, sizeof host, y));
  for (int i = 0; i < 4; i++) ck_assert_float_eq(host[i], value[i]);
  ok(weft_csr_matmul(&x, a.csr, x, .accumulate = WEFT_SCALAR(1))); /* in place: x + x */
  ok(weft_to_host(host, sizeof host, x));
  for (int i = 0; i < 4; i++) ck_assert_float_eq(host[i], 2 * value[i]);
  ok(weft_full(&base, ctx, WEFT_F32, WEFT_SHAPE(9), 7));
  ok(weft_slice(&stepped, base, 0, 1, WEFT_END, .step = 2));
  ok(weft_csr_matmul(&stepped, a.csr, stepped, .scale = WEFT_SCALAR(0.5)));
  ok(weft_csr_matmul(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(4)), a.csr, stepped, .accumulate = WEFT_SCALAR(1)));
  for (int i = 0; i < 4; i++) ck_assert_float_eq(host[i], 2 * value[i] + 3.5f);
  weft_release(&diagonal, &x, &y, &stepped, &base);
  matrix_free(&a);
}
END_TEST

/// Two products of one matrix have the same bits.
START_TEST(same_bits)
{
  enum { N = 3000, COUNT = 60000 };
  weft_rng *rng = NULL;
  weft_array *rows = NULL, *columns = NULL, *values = NULL, *x = NULL, *y = NULL;
  weft_csr *a = NULL;
  float *first = malloc(N * sizeof *first), *second = malloc(N * sizeof *second);
  ok(weft_rng_create(&rng, .seed = 7, .context = ctx));
  ok(weft_integers(&rows, rng, WEFT_I32, WEFT_SHAPE(COUNT), 0, 40));
  ok(weft_integers(&columns, rng, WEFT_I32, WEFT_SHAPE(COUNT), 0, N));
  ok(weft_normal(&values, rng, WEFT_F32, WEFT_SHAPE(COUNT), 0, 1));
  ok(weft_normal(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  ok(weft_csr_from_coo(&a, NULL, rows, columns, values, WEFT_SHAPE(N, N)));
  ok(weft_csr_matmul(&y, a, x));
  ok(weft_to_host(first, N * sizeof *first, y));
  for (int turn = 0; turn < 5; turn++) {
    weft_csr_release(&a);
    ok(weft_csr_from_coo(&a, NULL, rows, columns, values, WEFT_SHAPE(N, N)));
    ok(weft_csr_matmul(&y, a, x));
    ok(weft_to_host(second, N * sizeof *second, y));
    ck_assert_mem_eq(first, second, N * sizeof *first);
  }
  free(first);
  free(second);
  weft_release(&rng, &rows, &columns, &values, &x, &y, &a);
}
END_TEST

/// Elements may change, the places may not; handles keep the arrays alive, and scopes do not take them.
START_TEST(ownership)
{
  static const int64_t twos[] = {2, 0, 0, 2};
  weft_array *eye = NULL, *indptr = NULL, *indices = NULL, *data = NULL, *dense = NULL;
  weft_csr *a = NULL, *same;
  weft_scope scope;
  ok(weft_eye(&eye, ctx, WEFT_F32, 2));
  ok(weft_scope_begin(&scope));
  ok(weft_csr_from_dense(&a, NULL, eye));
  ok(weft_scope_end(&scope));
  same = weft_csr_retain(a);
  weft_csr_release(&same);
  ok(weft_csr_parts(&indptr, &indices, &data, a));
  expect_error(weft_fill(indices, 0), WEFT_ERROR_READ_ONLY, "sparse matrix");
  expect_error(weft_fill(indptr, 0), WEFT_ERROR_READ_ONLY, "sparse matrix");
  ok(weft_fill(data, 2));
  ok(weft_csr_to_dense(&dense, a));
  assert_whole(dense, twos, 4, "changed");
  weft_csr_release(&a);
  ck_assert_int_eq(weft_array_size(data), 2);
  weft_release(&eye, &indptr, &indices, &data, &dense);
}
END_TEST

/* ---- errors ---- */

static weft_status coo(const void *row, const void *column, weft_dtype index, int64_t count, weft_shape shape) {
  static const float value[4] = {1, 2, 3, 4};
  weft_csr *a = NULL;
  const weft_status rc =
      weft_csr_from_coo(&a, NULL, WEFT_HOST(row, index, WEFT_SHAPE(count)), WEFT_HOST(column, index, WEFT_SHAPE(count)),
                        WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(count)), shape);
  ck_assert(rc != WEFT_OK || a);
  weft_csr_release(&a);
  return rc;
}

START_TEST(bad_elements)
{
  static const int32_t row[] = {0, 1, 5, -1}, column[] = {0, 3, 0, 0};
  static const uint64_t huge[] = {0, UINT64_MAX};
  static const float value[] = {1, 2};
  weft_csr *a = NULL;
  expect_error(coo(row, column, WEFT_I32, 4, WEFT_SHAPE(5, 4)), WEFT_ERROR_INDEX,
               "index 5 at position 2 of `rows` is out of range for 5 rows", "@rows");
  expect_error(coo(row + 3, column, WEFT_I32, 1, WEFT_SHAPE(5, 4)), WEFT_ERROR_INDEX, "index -1 at position 0");
  expect_error(coo(row, column, WEFT_I32, 2, WEFT_SHAPE(5, 3)), WEFT_ERROR_INDEX,
               "index 3 at position 1 of `columns` is out of range for 3 columns", "@columns");
  expect_error(coo(huge, huge, WEFT_U64, 2, WEFT_SHAPE(5, 3)), WEFT_ERROR_INDEX, "index 18446744073709551615");
  expect_error(coo(row, column, WEFT_I32, 1, WEFT_SHAPE(0, 3)), WEFT_ERROR_INDEX, "for 0 rows");
  expect_error(coo(row, column, WEFT_I32, 1, WEFT_SHAPE(3)), WEFT_ERROR_SHAPE, "`shape` has 1 axis; expected 2",
               "@shape");
  expect_error(coo(row, column, WEFT_I32, 1, WEFT_SHAPE(3, -1)), WEFT_ERROR_SHAPE, "length -1 in axis 1", "@shape");
  expect_error(coo(row, column, WEFT_I32, 1, WEFT_SHAPE(INT64_C(1) << 40, INT64_C(1) << 40)), WEFT_ERROR_OVERFLOW,
               "`shape` has 1099511627776 rows of 1099511627776 elements; expected less than 2^63", "@shape");
  expect_error(coo(row, column, WEFT_I32, 1, WEFT_SHAPE(INT64_MAX, 1)), WEFT_ERROR_OVERFLOW, "rows", "@shape");
  expect_error(coo(row, column, WEFT_I32, 1, WEFT_SHAPE(1, INT64_MAX)), WEFT_ERROR_OVERFLOW,
               "`shape` has 1 rows of 9223372036854775807 elements; expected less than 2^63 - 1", "@shape");
  expect_error(coo(value, column, WEFT_F32, 2, WEFT_SHAPE(3, 3)), WEFT_ERROR_DTYPE, "`rows` is f32; expected integers");
  expect_error(
      weft_csr_from_coo(&a, NULL, WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(2)), WEFT_HOST(column, WEFT_I32, WEFT_SHAPE(1)),
                        WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(3, 3)),
      WEFT_ERROR_SHAPE, "`columns` has 1 elements; expected 2", "@columns");
  expect_error(weft_csr_from_coo(&a, NULL, 3, WEFT_HOST(column, WEFT_I32, WEFT_SHAPE(1)),
                                 WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(1)), WEFT_SHAPE(3, 3)),
               WEFT_ERROR_SHAPE, "`rows` has no axes; expected one");
  expect_error(weft_csr_from_dense(&a, NULL, WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2))), WEFT_ERROR_SHAPE,
               "`x` has 1 axis; expected 2");
  expect_error(weft_csr_from_dense((weft_csr **)NULL, NULL, WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(1, 2))),
               WEFT_ERROR_ARGUMENT, "`out`");
  ck_assert_ptr_null(a);
}
END_TEST

static weft_status arrays(const int32_t *indptr, int64_t rows, const int32_t *indices, int64_t count) {
  static const float value[4] = {1, 2, 3, 4};
  weft_csr *a = NULL;
  const weft_status rc = weft_csr_create(&a, NULL, WEFT_HOST(indptr, WEFT_I32, WEFT_SHAPE(rows)),
                                         WEFT_HOST(indices, WEFT_I32, WEFT_SHAPE(count)),
                                         WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(count)), WEFT_SHAPE(3, 3));
  weft_csr_release(&a);
  return rc;
}

START_TEST(bad_arrays)
{
  static const int32_t columns[] = {0, 1, 2, 3};
  static const int64_t wraps[] = {0, (INT64_C(1) << 32) + 1, 2};
  static const float value[] = {1, 2, 3};
  weft_csr *none = NULL;
  static const int32_t good[] = {0, 1, 1, 3}, one[] = {1, 1, 1, 3}, falls[] = {0, 2, 1, 3}, ends[] = {0, 1, 1, 2};
  ok(arrays(good, 4, columns, 3));
  expect_error(arrays(good, 3, columns, 3), WEFT_ERROR_SHAPE, "`indptr` has 3 elements; expected 4", "@indptr");
  expect_error(arrays(one, 4, columns, 3), WEFT_ERROR_INDEX, "`indptr` begins with 1; expected 0");
  expect_error(arrays(ends, 4, columns, 3), WEFT_ERROR_INDEX, "`indptr` ends with 2; expected 3");
  expect_error(arrays(falls, 4, columns, 3), WEFT_ERROR_INDEX, "falls from 2 to 1 at position 1", "@indptr");
  expect_error(
      weft_csr_create(&none, NULL, WEFT_HOST(good, WEFT_I32, WEFT_SHAPE(4)), WEFT_HOST(wraps, WEFT_I64, WEFT_SHAPE(3)),
                      WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(3)), WEFT_SHAPE(3, 3)),
      WEFT_ERROR_INDEX, "index 4294967297 at position 1 of `indices`");
  expect_error(arrays(good, 4, columns + 1, 3), WEFT_ERROR_INDEX, "index 3 at position 2 of `indices`", "3 columns");
}
END_TEST

static uint64_t launches(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.launches;
}

/// Whether the calling thread may make small matrices.
static bool has_thread(void) {
  const char *quirks = getenv("WEFT_QUIRKS"), *way = getenv("WEFT_WAY"), *checks = getenv("WEFT_CHECKS");
  return strstr(device.platform, "Portable Computing Language") && device.type == WEFT_DEVICE_TYPE_CPU && !checks &&
         !quirks && !(way && strstr(way, "elements:commands"));
}

/// A matrix is made of its arrays several times, so that the calling thread checks and copies them where it can: right
/// ones, with both dtypes of indptr, and wrong ones, whose errors are found by the device.
START_TEST(few_elements)
{
  enum { ROWS = 700, COLUMNS = 300, COUNT = 20000 };
  int64_t starts[] = {0, 150, 100, 0}, columns[] = {1, 2, COLUMNS, 3};
  harness_random random = harness_random_start(9);
  matrix a = matrix_make(WEFT_F32, ROWS, COLUMNS, COUNT, false, &random);
  weft_array *part[3] = {NULL}, *wide = NULL, *falls = NULL, *rises = NULL, *outside = NULL, *dense = NULL, *few = NULL;
  weft_csr *again = NULL, *none = NULL;
  ok(weft_csr_parts(&part[0], &part[1], &part[2], a.csr));
  ok(weft_cast(&wide, part[0], WEFT_I64));
  starts[3] = weft_array_size(part[1]);
  ok(weft_from_host(&falls, ctx, WEFT_I64, WEFT_SHAPE(4), starts));
  ok(weft_arange(&rises, ctx, WEFT_I32, 0, 5, 1));
  ok(weft_from_host(&dense, ctx, WEFT_I64, WEFT_SHAPE(4), columns));
  ok(weft_cast(&outside, dense, WEFT_I32));
  weft_array_release(&dense);
  ok(weft_ones(&few, ctx, WEFT_F32, WEFT_SHAPE(4)));
  for (int turn = 0; turn < 6; turn++) {
    ok(weft_context_wait(ctx));
    const uint64_t before = launches();
    ok(weft_csr_create(&again, NULL, turn % 2 ? wide : part[0], part[1], part[2], WEFT_SHAPE(ROWS, COLUMNS)));
    if (turn > 3 && has_thread()) ck_assert_uint_eq(launches(), before);
    ok(weft_csr_to_dense(&dense, again));
    assert_whole(dense, a.dense, ROWS * COLUMNS, "dense");
    matrix made = a;
    made.csr = again;
    check_product(&made, WEFT_F32, 0, &random);
    ok(weft_context_wait(ctx));
    expect_error(weft_csr_create(&none, NULL, rises, outside, few, WEFT_SHAPE(4, COLUMNS)), WEFT_ERROR_INDEX,
                 "index 300 at position 2 of `indices`");
    expect_error(weft_csr_create(&none, NULL, falls, part[1], part[2], WEFT_SHAPE(3, COLUMNS)), WEFT_ERROR_INDEX,
                 "`indptr` falls from 150 to 100 at position 1");
    weft_release(&again);
  }
  weft_release(&part[0], &part[1], &part[2], &wide, &falls, &rises, &outside, &dense, &few);
  matrix_free(&a);
}
END_TEST

START_TEST(bad_calls)
{
  harness_random random = harness_random_start(6);
  matrix a = matrix_make(WEFT_F32, 3, 4, 6, false, &random);
  weft_array *x = NULL, *y = NULL, *small = NULL, *part = NULL;
  weft_csr_info info;
  weft_csr *none = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_ones(&small, ctx, WEFT_I32, WEFT_SHAPE(3)));
  expect_error(weft_csr_matmul(&y, a.csr, x), WEFT_ERROR_SHAPE, "3 rows and 4 columns, `x` is f32[3]",
               "a vector of 4 elements", "@x");
  expect_error(weft_csr_matmul(&y, a.csr, 2.0f), WEFT_ERROR_SHAPE, "@x");
  expect_error(weft_csr_matmul(&y, none, x), WEFT_ERROR_HANDLE, "`matrix` is NULL; expected a weft_csr", "@matrix");
  expect_error(weft_csr_matmul(&y, (weft_csr *)x, x), WEFT_ERROR_HANDLE, "`matrix` is a weft_array", "@matrix");
  expect_error(weft_csr_matmul(&y, harness_garbage(), x), WEFT_ERROR_HANDLE, "@matrix");
  expect_error(weft_csr_get(&info, harness_zeroed()), WEFT_ERROR_HANDLE, "@matrix");
  expect_error(weft_csr_get(NULL, a.csr), WEFT_ERROR_ARGUMENT, "@info");
  weft_array_release(&x);
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(4)));
  expect_error(weft_csr_matmul(&y, a.csr, x, .accumulate = WEFT_SCALAR(1)), WEFT_ERROR_ARGUMENT, "new array", "@out");
  ok(weft_zeros(&y, ctx, WEFT_C64, WEFT_SHAPE(3)));
  expect_error(weft_csr_matmul(&y, a.csr, x, .accumulate = WEFT_SCALAR(1)), WEFT_ERROR_DTYPE, "`out` is c64",
               "product's dtype", "@out");
  weft_array_release(&y);
  const weft_scalar bare = {{2}, WEFT_DTYPE_NONE}; /* what `.accumulate = 2` is */
  expect_error(weft_csr_matmul(&y, a.csr, x, .accumulate = bare), WEFT_ERROR_ARGUMENT, "expected WEFT_SCALAR(2)",
               "@accumulate");
  expect_error(weft_csr_matmul(&y, a.csr, x, .scale = WEFT_SCALAR(((weft_c64){0, 1}))), WEFT_ERROR_DTYPE, "@scale");
  expect_error(weft_csr_matmul(&small, a.csr, x), WEFT_ERROR_DTYPE, "i32");
  expect_error(weft_csr_matmul(&x, a.csr, x), WEFT_ERROR_SHAPE, "[4]");
  ok(weft_csr_parts(&part, NULL, NULL, a.csr));
  expect_error(weft_csr_parts(&part, NULL, NULL, a.csr), WEFT_ERROR_ARGUMENT, "`*indptr` is not NULL", "@indptr");
  weft_array_release(&part);
  expect_error(weft_csr_parts(&part, NULL, &part, a.csr), WEFT_ERROR_ARGUMENT,
               "`indptr` and `data` are the same handle", "@data");
  expect_error(weft_csr_transpose(&a.csr, a.csr), WEFT_ERROR_ARGUMENT, "not NULL");
  expect_error(weft_csr_to_dense(&x, a.csr), WEFT_ERROR_SHAPE, "[3,4]");
  expect_error(weft_csr_to_dense(&y, none), WEFT_ERROR_HANDLE, "@matrix");
  expect_error(weft_csr_to_coo(&y, NULL, NULL, none), WEFT_ERROR_HANDLE, "@matrix");
  ck_assert_ptr_null(y);
  weft_release(&x, &y, &small, &part);
  matrix_free(&a);
}
END_TEST

/// Host memory becomes a matrix of the given context; arrays must be of this context.
START_TEST(contexts)
{
  static const int32_t row[] = {0, 1}, indptr[] = {0, 1, 2};
  static const float value[] = {1, 1};
  weft_context *other = NULL;
  weft_array *x = NULL, *y = NULL, *here = NULL;
  weft_csr *a = NULL, *b = NULL, *c = NULL, *none = NULL;
  ok(weft_context_create(&other, .device = device.selector));
  ok(weft_ones(&x, other, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_ones(&here, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_csr_from_coo(&a, other, WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(2)), WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(2)),
                       WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(2, 2)));
  ok(weft_csr_create(&b, other, WEFT_HOST(indptr, WEFT_I32, WEFT_SHAPE(3)), WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(2)),
                     WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(2, 2)));
  ok(weft_csr_from_dense(&c, other, WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(1, 2))));
  ok(weft_csr_matmul(&y, a, x));
  ok(weft_csr_matmul(&y, b, x, .accumulate = WEFT_SCALAR(1)));
  expect_error(weft_csr_matmul(&y, c, here), WEFT_ERROR_CONTEXT, "`x` belongs to another context than `matrix`", "@x");
  expect_error(weft_csr_to_coo(NULL, NULL, &here, c), WEFT_ERROR_CONTEXT, "`values` belongs", "`matrix`", "@values");
  expect_error(weft_csr_from_dense(&none, other, here), WEFT_ERROR_CONTEXT,
               "`x` belongs to another context than `context`", "@x");
  expect_error(weft_csr_create(&none, NULL, x, x, here, WEFT_SHAPE(1, 2)), WEFT_ERROR_CONTEXT,
               "`data` belongs to another context than `indptr`", "@data");
  ck_assert_ptr_null(none);
  weft_release(&a, &b, &c, &x, &y, &here);
  ok(weft_context_close(&other));
}
END_TEST

/// A matrix that is not released is reported with its line.
START_TEST(leak)
{
  weft_context *other = NULL;
  weft_array *eye = NULL;
  weft_csr *a = NULL;
  ok(weft_context_create(&other, .device = device.selector));
  ok(weft_eye(&eye, other, WEFT_F32, 2));
  ok(weft_csr_from_dense(&a, NULL, eye));
  weft_array_release(&eye);
  expect_error(weft_context_close(&other), WEFT_ERROR_LEAK, "1 CSR object made at", "test_sparse.c");
  weft_csr_release(&a);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "sparse");
  tcase_add_test(c, every_dtype);
  tcase_add_test(c, shapes);
  tcase_add_test(c, long_row);
  tcase_add_test(c, no_elements);
  tcase_add_test(c, forms);
  tcase_add_test(c, unsorted_rows);
  tcase_add_test(c, wide_indices);
  tcase_add_test(c, rows_of_many_elements);
  tcase_add_test(c, results);
  tcase_add_test(c, same_bits);
  tcase_add_test(c, ownership);
  tcase_add_test(c, bad_elements);
  tcase_add_test(c, bad_arrays);
  tcase_add_test(c, few_elements);
  tcase_add_test(c, bad_calls);
  tcase_add_test(c, contexts);
  tcase_add_test(c, leak);
}

int main(void) {
  const harness_suite suite = {.name = "sparse", .add = add};
  return harness_main(&suite);
}
