// SPDX-License-Identifier: MIT
/// Shapes, grids and ceil_div: the inline functions and macros of shape.h. No device is used.
#include "harness.h"

START_TEST(ceil_div)
{
  const struct {
    uint64_t n, divisor, result;
  } cases[] = {
      {0, 1, 0},
      {0, 256, 0},
      {1, 256, 1},
      {255, 256, 1},
      {256, 256, 1},
      {257, 256, 2},
      {10000, 32, 313},
      {5, 0, 0},
      {0, 0, 0},
      {UINT64_MAX, 1, UINT64_MAX},
      {UINT64_MAX, 2, UINT64_C(1) << 63},
      {UINT64_MAX, UINT64_MAX, 1},
      {UINT64_MAX - 1, UINT64_MAX, 1},
      {1, UINT64_MAX, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_uint_eq(weft_ceil_div(cases[i].n, cases[i].divisor), cases[i].result);
    harness_count(1);
  }
}
END_TEST

START_TEST(ceil_div_random)
{
  harness_random random = harness_random_start(1);
  for (int i = 0; i < 10000; i++) {
    uint64_t n = harness_bits(&random) >> harness_between(&random, 0, 63);
    uint64_t d = (harness_bits(&random) >> harness_between(&random, 0, 63)) | 1;
    uint64_t q = weft_ceil_div(n, d);
    if (n == 0) {
      ck_assert_uint_eq(q, 0);
    } else { /* q is the least number with q * d >= n */
      ck_assert_uint_ge(q, 1);
      ck_assert_uint_lt((q - 1) * d, n);
      ck_assert_uint_le(n - (q - 1) * d, d);
    }
    harness_count(1);
  }
}
END_TEST

START_TEST(dim3_fills_with_ones)
{
  weft_dim3 one = WEFT_DIM3(7), two = WEFT_DIM3(7, 8), three = WEFT_DIM3(7, 8, 9);
  weft_dim3 big = WEFT_DIM3(UINT64_C(1) << 50), from_int = WEFT_DIM3((int)3, (short)2);
  ck_assert(one.x == 7 && one.y == 1 && one.z == 1);
  ck_assert(two.x == 7 && two.y == 8 && two.z == 1);
  ck_assert(three.x == 7 && three.y == 8 && three.z == 9);
  ck_assert(big.x == UINT64_C(1) << 50 && big.y == 1 && big.z == 1);
  ck_assert(from_int.x == 3 && from_int.y == 2 && from_int.z == 1);
}
END_TEST

START_TEST(shapes)
{
  weft_shape none = WEFT_SHAPE_0D, one = WEFT_SHAPE(5), two = WEFT_SHAPE(3, 4),
             eight = WEFT_SHAPE(1, 2, 3, 4, 5, 6, 7, 8);
  ck_assert_int_eq(none.ndim, 0);
  ck_assert_int_eq(one.ndim, 1);
  ck_assert_int_eq(one.dim[0], 5);
  ck_assert_int_eq(two.ndim, 2);
  ck_assert_int_eq(two.dim[0], 3);
  ck_assert_int_eq(two.dim[1], 4);
  ck_assert_int_eq(two.dim[2], 0);
  ck_assert_int_eq(eight.ndim, WEFT_MAX_NDIM);
  for (int i = 0; i < 8; i++) ck_assert_int_eq(eight.dim[i], i + 1);
}
END_TEST

START_TEST(a_shape_of_nine_says_so)
{
  weft_shape nine = WEFT_SHAPE(1, 2, 3, 4, 5, 6, 7, 8, 9);
  ck_assert_int_eq(nine.ndim, 9);
  ck_assert_int_eq(nine.dim[7], 8);
}
END_TEST

START_TEST(lengths_are_64_bit)
{
  int64_t n = INT64_C(1) << 40;
  uint32_t m = 4000000000u;
  weft_shape shape = WEFT_SHAPE(n, m, -1);
  ck_assert_int_eq(shape.dim[0], n);
  ck_assert_int_eq(shape.dim[1], 4000000000);
  ck_assert_int_eq(shape.dim[2], -1);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "shape");
  tcase_add_test(tc, ceil_div);
  tcase_add_test(tc, ceil_div_random);
  tcase_add_test(tc, dim3_fills_with_ones);
  tcase_add_test(tc, shapes);
  tcase_add_test(tc, a_shape_of_nine_says_so);
  tcase_add_test(tc, lengths_are_64_bit);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "shape", .add = add, .host_only = true});
}
