// SPDX-License-Identifier: MIT
/// weft/regions.h: errors, long winding regions, counts and indices in given arrays. scipy.ndimage judges the rest
/// (tests/judge/primitives/filter.py).
#include <math.h>

#include "samples.h"

enum { SIDE = 61, N = SIDE * SIDE };

START_TEST(wrong_regions)
{
  weft_array *x = NULL, *s = NULL, *y = NULL, *c = NULL;
  ok(weft_ones(&x, ctx, WEFT_U8, WEFT_SHAPE(3, 4)));
  ok(weft_ones(&s, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  expect_error(weft_label(&y, x, .structure = s), WEFT_ERROR_SHAPE, "other than length 3 along each", "@structure");
  expect_error(weft_label(&y, c), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers", "@x");
  expect_error(weft_distance_transform(&y, x, .sampling = s), WEFT_ERROR_SHAPE, "with 2 numbers", "@sampling");
  expect_error(weft_distance_transform(&s, x), WEFT_ERROR_SHAPE, "[3,4]");
  expect_error(weft_label(&y, 1), WEFT_ERROR_SHAPE, "weft_label", "`x` has no axes", "@x");
  expect_error(weft_distance_transform(&y, 1.0f), WEFT_ERROR_SHAPE, "`x` has no axes", "@x");
  ck_assert(y == NULL);
  weft_release(&x, &s, &c);
}
END_TEST

/* Every second row is a wall with one gap, on alternate sides: one region winds through the array. */
START_TEST(one_winding_region)
{
  static uint8_t open[N];
  static int32_t found[N];
  int64_t regions;
  weft_array *x = NULL, *y = NULL, *count = NULL;
  for (int k = 0; k < N; k++) open[k] = k / SIDE % 2 == 0 || k % SIDE == (k / SIDE % 4 == 1 ? SIDE - 1 : 0);
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(SIDE, SIDE), open));
  ok(weft_zeros(&count, ctx, WEFT_I64, WEFT_SHAPE_0D));
  ok(weft_label(&y, x, .count = &count));
  ok(weft_to_host(&regions, sizeof regions, count));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert_int_eq(regions, 1);
  for (int k = 0; k < N; k++) ck_assert_int_eq(found[k], open[k]);
  weft_release(&x, &y, &count);
}
END_TEST

START_TEST(distances_and_indices)
{
  static uint8_t far_from[N];
  static float found[N];
  static int32_t where[2][N];
  weft_array *x = NULL, *y = NULL, *indices = NULL;
  for (int k = 0; k < N; k++) far_from[k] = k != 5 * SIDE + 7;
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(SIDE, SIDE), far_from));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(SIDE, SIDE)));
  ok(weft_distance_transform(&y, x, .indices = &indices));
  ok(weft_to_host(found, sizeof found, y));
  ok(weft_to_host(where, sizeof where, indices));
  for (int k = 0; k < N; k++) {
    ck_assert_float_eq_tol(found[k], hypotf((float)(k / SIDE - 5), (float)(k % SIDE - 7)), 1e-5f);
    ck_assert(where[0][k] == 5 && where[1][k] == 7);
  }
  ok(weft_fill(x, 1));
  ok(weft_distance_transform(&y, x));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < N; k++) ck_assert(isinf(found[k]));
  weft_release(&x, &y, &indices);
}
END_TEST

START_TEST(nothing)
{
  int64_t regions = 7;
  weft_array *x = NULL, *y = NULL, *count = NULL, *indices = NULL;
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(3, 0)));
  ok(weft_label(&y, x, .count = &count));
  ok(weft_to_host(&regions, sizeof regions, count));
  ck_assert_int_eq(regions, 0);
  weft_release(&y);
  ok(weft_distance_transform(&y, x, .indices = &indices));
  ck_assert_int_eq(weft_array_shape(y).dim[0], 3);
  ck_assert(weft_array_ndim(indices) == 3 && weft_array_shape(indices).dim[0] == 2 && weft_array_size(indices) == 0);
  weft_release(&x, &y, &count, &indices);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "regions");
  tcase_add_test(all, wrong_regions);
  tcase_add_test(all, nothing);
  tcase_add_test(all, one_winding_region);
  tcase_add_test(all, distances_and_indices);
}

int main(void) {
  const harness_suite suite = {.name = "regions", .add = add};
  return harness_main(&suite);
}
