// SPDX-License-Identifier: MIT
/// weft/group.h: errors and their texts, results in place and in host memory, groups of no elements. NumPy judges the
/// values (tests/judge/primitives/group.py).
#include <math.h>

#include "samples.h"

static void expect_i64(const weft_array *x, int n, const int64_t *wanted) {
  int64_t host[8];
  ck_assert_int_eq(weft_array_size(x), n);
  ok(weft_to_host(host, (size_t)n * sizeof *host, x));
  for (int k = 0; k < n; k++) ck_assert_int_eq(host[k], wanted[k]);
}

static weft_array *of(weft_dtype dtype, int64_t n, const void *data) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(n), data));
  return x;
}

START_TEST(groups_of_two_keys)
{
  const int32_t first[] = {2, 1, 2, 1, 2};
  const float second[] = {0.5f, NAN, 0.5f, NAN, -1};
  weft_array *keys[] = {of(WEFT_I32, 5, first), of(WEFT_F32, 5, second)}, *groups[2] = {NULL}, *order = NULL,
             *offsets = NULL, *inverse = NULL, *counts = NULL, *index = NULL;
  ok(weft_group_by(groups, keys, 2, .order = &order, .offsets = &offsets, .inverse = &inverse, .counts = &counts,
                   .index = &index));
  expect_i64(order, 5, (const int64_t[]){1, 3, 4, 0, 2});
  expect_i64(offsets, 4, (const int64_t[]){0, 2, 3, 5});
  expect_i64(inverse, 5, (const int64_t[]){2, 0, 2, 0, 1});
  expect_i64(counts, 3, (const int64_t[]){2, 1, 2});
  expect_i64(index, 3, (const int64_t[]){1, 4, 0});
  float host[3];
  ok(weft_to_host(host, sizeof host, groups[1]));
  ck_assert(isnan(host[0]) && host[1] == -1 && host[2] == 0.5f);
  weft_release(&groups[0], &groups[1], &order, &offsets, &inverse, &counts, &index);
  ok(weft_lexsort(&order, keys, 2, 0)); /* by the second key, then by the first */
  expect_i64(order, 5, (const int64_t[]){4, 0, 2, 1, 3});
  weft_array_release(&order);
  ok(weft_group_by(NULL, keys, 1, .counts = &counts, .sorted = true)); /* runs */
  ck_assert(weft_array_size(counts) == 5);
  weft_release(&keys[0], &keys[1], &counts);
}
END_TEST

START_TEST(values_of_keys)
{
  const int32_t names[] = {7, 3, 7, 7, 3};
  const float numbers[] = {1, 10, 2, 6, 30};
  weft_array *keys = of(WEFT_I32, 5, names), *x = of(WEFT_F32, 5, numbers), *out = NULL, *counts = NULL;
  float host[2];
  ok(weft_reduce_by_key(&out, WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2)), keys, x, .counts = &counts));
  ck_assert(host[0] == 40 && host[1] == 9);
  expect_i64(counts, 2, (const int64_t[]){2, 3});
  weft_release(&out, &counts);
  ok(weft_reduce_by_key(NULL, &out, keys, x, .op = WEFT_REDUCE_VAR, .ddof = 1));
  ok(weft_to_host(host, sizeof host, out));
  ck_assert(host[0] == 200 && host[1] == 7);
  weft_release(&keys, &x, &out);
}
END_TEST

START_TEST(segments_of_rows)
{
  const int64_t cuts[] = {0, 2, 2, 3};
  weft_array *x = NULL, *table = NULL, *offsets = of(WEFT_I64, 4, cuts), *y = NULL;
  float host[6];
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 6, 1));
  ok(weft_reshape(&table, x, WEFT_SHAPE(3, 2)));
  ok(weft_reduce_segments(&y, table, offsets, .op = WEFT_REDUCE_MAX));
  ok(weft_to_host(host, sizeof host, y));
  ck_assert(host[0] == 2 && host[1] == 3 && isnan(host[2]) && isnan(host[3]) && host[4] == 4 && host[5] == 5);
  ok(weft_reduce_segments(&y, table, offsets)); /* into an array that is there; of no rows the sum is 0 */
  ok(weft_to_host(host, sizeof host, y));
  ck_assert(host[0] == 2 && host[1] == 4 && host[2] == 0 && host[3] == 0 && host[4] == 4 && host[5] == 5);
  weft_release(&x, &table, &offsets, &y);
}
END_TEST

START_TEST(wrong_groups)
{
  weft_array *x = NULL, *table = NULL, *few = NULL, *y = NULL, *offsets = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 6, 1));
  ok(weft_arange(&few, ctx, WEFT_F32, 0, 5, 1));
  ok(weft_zeros(&offsets, ctx, WEFT_I64, WEFT_SHAPE(0)));
  ok(weft_reshape(&table, x, WEFT_SHAPE(3, 2)));
  weft_array *const mixed[] = {x, few}, *const tables[] = {table};
  expect_error(weft_lexsort(&y, mixed, 2, 0), WEFT_ERROR_SHAPE, "different shapes", "@keys");
  expect_error(weft_lexsort(&y, mixed, 0, 0), WEFT_ERROR_ARGUMENT, "`count` is 0; expected 1 to 32 keys", "@count");
  expect_error(weft_lexsort(&y, NULL, 1, 0), WEFT_ERROR_ARGUMENT, "`keys` is NULL");
  expect_error(weft_lexsort(&y, mixed, 1, 1), WEFT_ERROR_AXIS, "axis");
  expect_error(weft_group_by(NULL, mixed, 2, .counts = &y), WEFT_ERROR_SHAPE, "different lengths", "@keys");
  expect_error(weft_group_by(NULL, tables, 1, .counts = &y), WEFT_ERROR_SHAPE, "keys[0] has 2 axes; expected 1");
  expect_error(weft_reduce_by_key(NULL, &y, x, few), WEFT_ERROR_SHAPE, "a row of values for each key", "@values");
  expect_error(weft_reduce_by_key(NULL, &y, x, 1.0f), WEFT_ERROR_SHAPE, "`values` has no axes");
  expect_error(weft_reduce_by_key(NULL, &y, table, x), WEFT_ERROR_SHAPE, "`keys` has 2 axes; expected 1");
  expect_error(weft_reduce_by_key(NULL, &y, x, x, .op = WEFT_REDUCE_NORM), WEFT_ERROR_ARGUMENT, "`op` is 13", "@op");
  expect_error(weft_reduce_by_key(NULL, &y, x, x, .op = WEFT_REDUCE_MEAN, .ddof = 1), WEFT_ERROR_ARGUMENT,
               "`ddof` is 1, but `op` is no variance", "@ddof");
  expect_error(weft_reduce_segments(&y, x, few), WEFT_ERROR_DTYPE, "`offsets` is f32; expected i64", "@offsets");
  expect_error(weft_reduce_segments(&y, x, offsets), WEFT_ERROR_SHAPE, "`offsets` has no elements");
  ck_assert(y == NULL);
  weft_release(&x, &table, &few, &offsets);
}
END_TEST

/// Variances of values around 1e8, of segments and of keys, in one axis and in rows, against two passes.
START_TEST(variances_far_from_zero)
{
  enum { ROWS = 6000, COLUMNS = 2, SEGMENTS = 4 };
  static const int64_t cuts[SEGMENTS + 1] = {0, 7, 1000, 1001, ROWS};
  static double x[ROWS * COLUMNS], got[SEGMENTS * COLUMNS];
  static int64_t key[ROWS];
  if (!device.has_fp64) return;
  for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = 1e8 + i * 7919 % 1009 / 512.0;
  for (int s = 0; s < SEGMENTS; s++)
    for (int64_t i = cuts[s]; i < cuts[s + 1]; i++) key[i] = s;
  weft_array *offsets = of(WEFT_I64, SEGMENTS + 1, cuts), *keys = of(WEFT_I64, ROWS, key);
  for (int columns = 1; columns <= COLUMNS; columns++)
    for (int skips = 0; skips < 2; skips++)
      for (int by_key = 0; by_key < 2; by_key++) {
        weft_array *values = NULL, *y = NULL;
        const weft_reduction_id op = skips ? WEFT_REDUCE_NANVAR : WEFT_REDUCE_VAR;
        x[0] = x[1] = skips ? NAN : 1e8;
        ok(weft_from_host(&values, ctx, WEFT_F64, columns == 1 ? WEFT_SHAPE(ROWS) : WEFT_SHAPE(ROWS, COLUMNS), x));
        if (by_key)
          ok(weft_reduce_by_key(NULL, &y, keys, values, .op = op));
        else
          ok(weft_reduce_segments(&y, values, offsets, .op = op));
        ok(weft_to_host(got, (size_t)(SEGMENTS * columns) * sizeof *got, y));
        for (int s = 0; s < SEGMENTS; s++)
          for (int c = 0; c < columns; c++) {
            double sum = 0, squares = 0;
            int64_t n = 0;
            for (int64_t i = cuts[s]; i < cuts[s + 1]; i++)
              if (!isnan(x[i * columns + c])) sum += x[i * columns + c] - 1e8, n++;
            for (int64_t i = cuts[s]; i < cuts[s + 1]; i++) {
              const double away = x[i * columns + c] - 1e8 - sum / (double)n;
              if (!isnan(away)) squares += away * away;
            }
            const double expected = squares / (double)n, is = got[s * columns + c];
            ck_assert_msg(fabs(is - expected) <= 1e-12 * expected, "segment %d of %d columns: %.17g, expected %.17g", s,
                          columns, is, expected);
          }
        weft_release(&values, &y);
      }
  weft_release(&offsets, &keys);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "group");
  tcase_add_test(all, groups_of_two_keys);
  tcase_add_test(all, values_of_keys);
  tcase_add_test(all, segments_of_rows);
  tcase_add_test(all, variances_far_from_zero);
  tcase_add_test(all, wrong_groups);
}

int main(void) {
  const harness_suite suite = {.name = "group", .add = add};
  return harness_main(&suite);
}
