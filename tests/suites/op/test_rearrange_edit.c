// SPDX-License-Identifier: MIT
/// Elements added to arrays and taken from them, arrays joined by name, indices of triangles: errors and their texts,
/// results over operands, many positions. NumPy judges the values (tests/judge/primitives/rearrange.py).
#include "samples.h"

static weft_array *counted(weft_dtype dtype, int64_t n) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, dtype, WEFT_SCALAR(0), WEFT_SCALAR(n), WEFT_SCALAR(1)));
  return x;
}

START_TEST(inserts_and_deletes)
{
  enum { N = 5000, MANY = 700 };
  static int32_t found[N + MANY];
  int64_t *places = calloc(MANY, sizeof *places), next = 0;
  weft_array *x = counted(WEFT_I32, N), *back = NULL, *y = NULL;
  for (int k = 0; k < MANY; k++) places[k] = (int64_t)k * 4999 % N;
  ok(weft_insert(&y, x, WEFT_HOST(places, WEFT_I64, WEFT_SHAPE(MANY)), -7, 0));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < N + MANY; k++) ck_assert(found[k] == -7 || found[k] == next++);
  ck_assert_int_eq(next, N);
  weft_array_release(&y);
  ok(weft_delete(&y, x, WEFT_HOST(places, WEFT_I64, WEFT_SHAPE(MANY)), 0));
  ck_assert_int_eq(weft_array_size(y), N - MANY);
  weft_array_release(&y);
  ok(weft_slice(&back, x, 0, 1, N));
  ok(weft_insert(&x, back, 0, 41, 0)); /* the result is the array whose part is read */
  ok(weft_to_host(found, N * sizeof *found, x));
  ck_assert(found[0] == 41 && found[1] == 1 && found[N - 1] == N - 1);
  free(places);
  weft_release(&x, &back);
}
END_TEST

/// As numpy.insert(x, 1, [7, 8, 9], axis=1) has it, also where the position is an array without axes.
START_TEST(slices_at_one_position)
{
  static const int32_t slices[] = {7, 8, 9}, expected[] = {0, 7, 1, 2, 8, 3, 4, 9, 5};
  const int64_t one = 1;
  int32_t found[9];
  weft_array *x = counted(WEFT_I32, 6), *table = NULL, *y = NULL, *z = NULL;
  ok(weft_reshape(&table, x, WEFT_SHAPE(3, 2)));
  ok(weft_insert(&y, table, 1, WEFT_HOST(slices, WEFT_I32, WEFT_SHAPE(1, 3)), 1));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert_mem_eq(found, expected, sizeof found);
  ok(weft_insert(&z, table, WEFT_HOST(&one, WEFT_I64, WEFT_SHAPE_0D), WEFT_HOST(slices, WEFT_I32, WEFT_SHAPE(3)), 1));
  ok(weft_to_host(found, sizeof found, z));
  ck_assert_mem_eq(found, expected, sizeof found);
  weft_release(&x, &table, &y, &z);
}
END_TEST

START_TEST(wrong_edits)
{
  weft_array *x = counted(WEFT_I32, 6), *table = NULL, *f = counted(WEFT_F32, 3), *y = NULL;
  ok(weft_reshape(&table, x, WEFT_SHAPE(2, 3)));
  expect_error(weft_insert(&y, x, 7, 0, 0), WEFT_ERROR_INDEX, "index 7 is out of range for axis 0 of 6 elements",
               "@indices");
  expect_error(weft_insert(&y, x, f, 0, 0), WEFT_ERROR_DTYPE, "`indices` is f32; expected integers");
  expect_error(weft_insert(&y, x, table, 0, 0), WEFT_ERROR_SHAPE, "`indices` has 2 axes; expected one, or none");
  expect_error(weft_insert(&y, x, 0, f, 0), WEFT_ERROR_DTYPE, "`values` is f32, which is not cast to i32", "@values");
  expect_error(weft_insert(&y, table, 1, x, 0), WEFT_ERROR_SHAPE, "do not broadcast to the inserted elements");
  expect_error(weft_delete(&y, x, -7, 0), WEFT_ERROR_INDEX, "index -7 is out of range");
  expect_error(weft_append(&y, table, x, 0), WEFT_ERROR_SHAPE, "different numbers of axes");
  expect_error(weft_trim_zeros(&y, table), WEFT_ERROR_SHAPE, "`x` has 2 axes; expected 1", "@x");
  expect_error(weft_trim_zeros(&x, f), WEFT_ERROR_ARGUMENT, "is not NULL");
  expect_error(weft_resize(&y, x, WEFT_SHAPE(-2)), WEFT_ERROR_SHAPE, "@shape");
  ck_assert_ptr_null(y);
  weft_release(&x, &table, &f);
}
END_TEST

START_TEST(named_joins)
{
  weft_array *row = counted(WEFT_I32, 3), *wide = counted(WEFT_I64, 3), *y = NULL;
  weft_array *const parts[] = {row, wide};
  int64_t found[6];
  ok(weft_column_stack(&y, parts, 2)); /* dtypes promote */
  ck_assert_int_eq(weft_array_dtype(y), WEFT_I64);
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < 6; k++) ck_assert_int_eq(found[k], k / 2);
  weft_array_release(&y);
  ok(weft_vstack(WEFT_HOST_OUT(found, WEFT_I64, WEFT_SHAPE(2, 3)), parts, 2));
  for (int k = 0; k < 6; k++) ck_assert_int_eq(found[k], k % 3);
  expect_error(weft_hstack(&y, parts, 0), WEFT_ERROR_ARGUMENT, "weft_hstack: `count` is 0");
  expect_error(weft_dstack(&y, NULL, 1), WEFT_ERROR_ARGUMENT, "`arrays` is NULL");
  weft_release(&row, &wide);
}
END_TEST

enum { BELOW, ABOVE, ON };

static bool has_place(int part, int64_t row, int64_t column, int64_t k) {
  return part == ON ? column - row == k : part == ABOVE ? column - row >= k : column - row <= k;
}

/// Matrices of any form, with the diagonal anywhere: empty rows, steep ones, and rows of all columns.
START_TEST(indices_of_every_triangle)
{
  static const int64_t shapes[][2] = {{1, 1}, {4, 4}, {5, 3}, {3, 7}, {300, 40}};
  static int64_t found[2][12000];
  weft_array *rows = NULL, *columns = NULL;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int64_t k = -6; k <= 8; k += s == 4 ? 7 : 1)
      for (int part = BELOW; part <= ON; part++) {
        const int64_t count = shapes[s][0], wide = shapes[s][1];
        int64_t n = 0;
        ok(part == ABOVE   ? weft_triu_indices(&rows, &columns, ctx, count, .columns = wide, .k = k)
           : part == BELOW ? weft_tril_indices(&rows, &columns, ctx, count, .columns = wide, .k = k)
                           : weft_diag_indices(&rows, &columns, ctx, count, .columns = wide, .k = k));
        ok(weft_to_host(found[0], sizeof *found[0] * (size_t)weft_array_size(rows), rows));
        ok(weft_to_host(found[1], sizeof *found[1] * (size_t)weft_array_size(columns), columns));
        for (int64_t r = 0; r < count; r++)
          for (int64_t c = 0; c < wide; c++)
            if (has_place(part, r, c, k)) {
              ck_assert_msg(n < weft_array_size(rows) && found[0][n] == r && found[1][n] == c,
                            "%lld x %lld, k = %lld, part %d: element %lld is not [%lld, %lld]", (long long)count,
                            (long long)wide, (long long)k, part, (long long)n, (long long)r, (long long)c);
              n++;
            }
        ck_assert_int_eq(n, weft_array_size(rows));
        weft_release(&rows, &columns);
        harness_count(1);
      }
}
END_TEST

/// More elements than the calling thread writes.
START_TEST(indices_of_a_large_triangle)
{
  enum { COUNT = 1500, WIDE = 1400 };
  for (int part = BELOW; part <= ABOVE; part++) {
    weft_array *rows = NULL, *columns = NULL;
    ok(part == ABOVE ? weft_triu_indices(&rows, &columns, ctx, COUNT, .columns = WIDE, .k = -9)
                     : weft_tril_indices(&rows, &columns, ctx, COUNT, .columns = WIDE, .k = -9));
    const size_t size_bytes = (size_t)weft_array_size(rows) * sizeof(int64_t);
    int64_t *row = malloc(size_bytes), *column = malloc(size_bytes), n = 0;
    ck_assert(row && column);
    ok(weft_to_host(row, size_bytes, rows));
    ok(weft_to_host(column, size_bytes, columns));
    for (int64_t r = 0; r < COUNT; r++)
      for (int64_t c = 0; c < WIDE; c++)
        if (has_place(part, r, c, -9)) {
          ck_assert(n < weft_array_size(rows) && row[n] == r && column[n] == c);
          n++;
        }
    ck_assert_int_eq(n, weft_array_size(rows));
    free(row);
    free(column);
    weft_release(&rows, &columns);
    harness_count(1);
  }
}
END_TEST

/// Three elements of 2^50 rows, also by the calling thread: from the second time on.
START_TEST(indices_of_few_rows_of_many)
{
  const int64_t count = INT64_C(1) << 50;
  for (int is_upper = 0; is_upper < 2; is_upper++) {
    weft_array *rows = NULL, *columns = NULL;
    int64_t found[2][3];
    for (int turn = 0; turn < 3; turn++) {
      ok(is_upper ? weft_triu_indices(&rows, &columns, ctx, count, .columns = 1, .k = -2)
                  : weft_tril_indices(&rows, &columns, ctx, count, .columns = 1, .k = 3 - count));
      ok(weft_to_host(found[0], sizeof found[0], rows));
      ok(weft_to_host(found[1], sizeof found[1], columns));
      for (int k = 0; k < 3; k++) ck_assert(found[0][k] == (is_upper ? k : count - 3 + k) && found[1][k] == 0);
    }
    weft_release(&rows, &columns);
    harness_count(1);
  }
}
END_TEST

START_TEST(indices_of_all_elements)
{
  static const int64_t expected[12] = {0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2};
  int64_t found[12];
  int8_t small[48];
  weft_array *y = NULL;
  ok(weft_indices(&y, ctx, WEFT_I64, WEFT_SHAPE(2, 3)));
  ck_assert(weft_array_ndim(y) == 3 && weft_array_length(y, 0) == 2 && weft_array_length(y, 2) == 3);
  ok(weft_to_host(found, sizeof found, y));
  ck_assert_mem_eq(found, expected, sizeof expected);
  weft_array_release(&y);
  ok(weft_indices(WEFT_HOST_OUT(small, WEFT_I8, WEFT_SHAPE(3, 4, 2, 2)), ctx, WEFT_I8, WEFT_SHAPE(4, 2, 2)));
  for (int i = 0; i < 48; i++) {
    const int at = i % 16;
    ck_assert_int_eq(small[i], i < 16 ? at / 4 : i < 32 ? at / 2 % 2 : at % 2);
  }
  ok(weft_indices(&y, ctx, WEFT_F32, WEFT_SHAPE_0D));
  ck_assert(weft_array_size(y) == 0 && weft_array_ndim(y) == 1);
  weft_array_release(&y);
  ok(weft_indices(&y, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  ck_assert(weft_array_size(y) == 0 && weft_array_ndim(y) == 3);
  expect_error(weft_indices(&y, ctx, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_SHAPE, "@out");
  weft_array_release(&y);
  expect_error(weft_indices(&y, ctx, WEFT_F32, WEFT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)), WEFT_ERROR_SHAPE,
               "`shape` has 8 axes; expected 0 to 7", "@shape");
  expect_error(weft_indices(&y, ctx, WEFT_F32, WEFT_SHAPE(-2)), WEFT_ERROR_SHAPE, "-2", "@shape");
  harness_count(2);
}
END_TEST

START_TEST(indices_of_triangles)
{
  weft_array *rows = NULL, *columns = NULL, *x = NULL, *y = NULL;
  int32_t found[6];
  ok(weft_arange(&x, ctx, WEFT_I32, WEFT_SCALAR(0), WEFT_SCALAR(9), WEFT_SCALAR(1)));
  ok(weft_reshape(&y, x, WEFT_SHAPE(3, 3)));
  ok(weft_triu_indices(&rows, &columns, ctx, 3));
  ok(weft_at(WEFT_HOST_OUT(found, WEFT_I32, WEFT_SHAPE(6)), y, rows, columns));
  ck_assert(found[0] == 0 && found[2] == 2 && found[3] == 4 && found[5] == 8);
  weft_release(&rows, &columns);
  ok(weft_diag_indices(&rows, &columns, ctx, 3));
  ok(weft_at(WEFT_HOST_OUT(found, WEFT_I32, WEFT_SHAPE(3)), y, rows, columns));
  ck_assert(found[0] == 0 && found[1] == 4 && found[2] == 8);
  expect_error(weft_diag_indices(&rows, &columns, ctx, 4), WEFT_ERROR_SHAPE, "@rows");
  expect_error(weft_diag_indices(&rows, &columns, ctx, 4, .columns = -2), WEFT_ERROR_SHAPE,
               "`columns` is -2; expected 0 or more", "@columns");
  weft_release(&rows, &columns);
  ok(weft_tril_indices(&rows, &columns, ctx, 4, .k = -100)); /* of nothing */
  ck_assert(weft_array_size(rows) == 0 && weft_array_size(columns) == 0);
  expect_error(weft_tril_indices(&rows, &columns, ctx, -1), WEFT_ERROR_SHAPE, "`count` is -1; expected 0 or more",
               "@count");
  expect_error(weft_tril_indices(&rows, &columns, ctx, INT64_MAX), WEFT_ERROR_OVERFLOW, "would exceed 2^63-1 bytes");
  expect_error(weft_tri(&y, ctx, WEFT_F32, 3), WEFT_ERROR_DTYPE, "f32");
  weft_release(&rows, &columns, &x, &y);
}
END_TEST

START_TEST(parts_of_complex_numbers)
{
  weft_array *x = NULL, *part = NULL, *f = counted(WEFT_F32, 2), *none = NULL;
  weft_c64 found[2];
  ok(weft_zeros(&x, ctx, WEFT_C64, WEFT_SHAPE(2)));
  ok(weft_view_imag(&part, x));
  ok(weft_copy(&part, f));
  ok(weft_to_host(found, sizeof found, x));
  ck_assert(found[0].im == 0 && found[1].im == 1 && found[1].re == 0);
  expect_error(weft_view_imag(&none, f), WEFT_ERROR_DTYPE, "`x` is f32, which has no imaginary part", "@x");
  weft_release(&x, &part, &f);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "edits");
  tcase_add_test(all, inserts_and_deletes);
  tcase_add_test(all, slices_at_one_position);
  tcase_add_test(all, wrong_edits);
  tcase_add_test(all, named_joins);
  tcase_add_test(all, indices_of_every_triangle);
  tcase_add_test(all, indices_of_a_large_triangle);
  tcase_add_test(all, indices_of_few_rows_of_many);
  tcase_add_test(all, indices_of_triangles);
  tcase_add_test(all, indices_of_all_elements);
  tcase_add_test(all, parts_of_complex_numbers);
}

int main(void) {
  const harness_suite suite = {.name = "rearrange_edit", .add = add};
  return harness_main(&suite);
}
