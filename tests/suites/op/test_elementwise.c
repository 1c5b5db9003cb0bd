// SPDX-License-Identifier: MIT
/// weft/elementwise.h: errors and their texts, host memory, C scalars, bf16; ufuncs beside rare arguments. NumPy judges
/// the values (tests/judge/primitives/elementwise.py).
#include "samples.h"

static weft_array *three(float a, float b, float c) {
  const float data[] = {a, b, c};
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3), data));
  return x;
}

START_TEST(close_and_equal)
{
  weft_array *x = three(1, NAN, INFINITY), *y = three(1.000001f, NAN, INFINITY), *two = NULL;
  const float host[] = {1, 0, INFINITY};
  bool found[3], all = true;
  ok(weft_isclose(WEFT_HOST_OUT(found, WEFT_BOOL, WEFT_SHAPE(3)), x, y));
  ck_assert(found[0] && !found[1] && found[2]);
  ok(weft_isclose(WEFT_HOST_OUT(found, WEFT_BOOL, WEFT_SHAPE(3)), x, y, .rtol = 1e-7, .atol = -1, .equal_nan = true));
  ck_assert(!found[0] && found[1] && found[2]);
  ok(weft_allclose(&all, x, y));
  ck_assert(!all);
  ok(weft_allclose(&all, x, y, .equal_nan = true));
  ck_assert(all);
  ok(weft_array_equal(&all, x, x));
  ck_assert(!all);
  ok(weft_array_equal(&all, x, x, .equal_nan = true));
  ck_assert(all);
  ok(weft_array_equal(&all, WEFT_HOST(host, WEFT_F32, WEFT_SHAPE(3)), WEFT_HOST(host, WEFT_F32, WEFT_SHAPE(3))));
  ck_assert(all);
  ok(weft_zeros(&two, ctx, WEFT_I8, WEFT_SHAPE(2)));
  ok(weft_array_equal(&all, x, two));
  ck_assert(!all);
  ok(weft_array_equiv(&all, two, 0));
  ck_assert(all);
  expect_error(weft_allclose(NULL, x, y), WEFT_ERROR_ARGUMENT, "`is_close` is NULL");
  expect_error(weft_isclose(&two, x, two), WEFT_ERROR_SHAPE, "`a` is f32[3], `b` is i8[2]");
  expect_error(weft_array_equiv(&all, 1, 1), WEFT_ERROR_ARGUMENT, "no variable has a shape");
  weft_release(&x, &y, &two);
}
END_TEST

/// One element differs, from the first one to the last, of arrays around the blocks that are compared at once.
START_TEST(equal_up_to_one)
{
  enum { MOST = 2500 };
  static const int sizes[] = {1, 31, 1023, 1024, 1025, MOST};
  static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_U8, WEFT_I16, WEFT_U32, WEFT_I64, WEFT_F32, WEFT_F64, WEFT_C64};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && harness_has_dtype(dtypes[d]); s++) {
      const int64_t n = sizes[s], places[] = {-1, 0, n / 2, n - 1};
      for (int k = 0; k < 4; k++) {
        weft_array *x = NULL, *y = NULL, *one = NULL, *from = NULL;
        /* from the second element on: not aligned to vectors */
        ok(weft_zeros(&from, ctx, dtypes[d], WEFT_SHAPE(n + 1)));
        ok(weft_slice(&x, from, 0, 1, n + 1));
        ok(weft_full(&y, ctx, dtypes[d], WEFT_SHAPE(n), dtypes[d] == WEFT_F32 || dtypes[d] == WEFT_F64 ? -0.0 : 0.0));
        if (k > 0) ok(weft_slice(&one, y, 0, places[k], places[k] + 1));
        if (k > 0) ok(weft_fill(one, 1));
        for (int turn = 0; turn < 3; turn++) { /* launched, then by the calling thread */
          bool equal = k > 0, itself = false;
          ok(weft_array_equal(&equal, x, y));
          ok(weft_array_equiv(&itself, y, y));
          ck_assert_msg(equal == (k == 0) && itself, "%s, %d elements, case %d", weft_dtype_name(dtypes[d]), (int)n, k);
        }
        weft_release(&x, &y, &one, &from);
      }
    }
}
END_TEST

START_TEST(rounded_and_replaced)
{
  weft_array *x = three(0.125f, NAN, -INFINITY), *y = NULL, *narrow = NULL, *flags = NULL;
  float found[3];
  ok(weft_around(&y, x, .decimals = 2));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert(found[0] == 0.12f && isnan(found[1]) && found[2] == -INFINITY);
  ok(weft_around(WEFT_HOST_OUT(found, WEFT_F32, WEFT_SHAPE_0D), 2.5f)); /* of one number */
  ck_assert(found[0] == 2);
  ok(weft_nan_to_num(&x, x, .nan = WEFT_SCALAR(-1)));
  ok(weft_to_host(found, sizeof found, x));
  ck_assert(found[0] == 0.125f && found[1] == -1 && found[2] == -3.40282346638528859811704183484516925440e+38f);
  ok(weft_full(&narrow, ctx, WEFT_BF16, WEFT_SHAPE(3), WEFT_SCALAR(INFINITY)));
  ok(weft_nan_to_num(&narrow, narrow));
  ok(weft_cast(&x, narrow, WEFT_F32));
  ok(weft_to_host(found, sizeof found, x));
  ck_assert(found[0] == ldexpf(255, 120)); /* the greatest bf16 */
  ok(weft_ones(&flags, ctx, WEFT_BOOL, WEFT_SHAPE(3)));
  expect_error(weft_around(&y, flags), WEFT_ERROR_DTYPE, "`x` is bool", "@x");
  const weft_c64 i = {0, 1};
  expect_error(weft_nan_to_num(&y, y, .neginf = WEFT_SCALAR(i)), WEFT_ERROR_DTYPE, "`neginf` is c64; expected a real");
  weft_release(&x, &y, &narrow, &flags);
}
END_TEST

START_TEST(chosen)
{
  weft_array *x = three(-2, 0.5f, 3), *low = NULL, *high = NULL, *y = NULL, *k = NULL;
  const int32_t numbers[] = {1, 0, 5};
  float found[3];
  ok(weft_less(&low, x, 0));
  ok(weft_greater(&high, x, 1));
  ok(weft_where_first(&y, low, 0, high, 1, x));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert(found[0] == 0 && found[1] == 0.5f && found[2] == 1);
  ok(weft_from_host(&k, ctx, WEFT_I32, WEFT_SHAPE(3), numbers));
  ok(weft_choose(&y, k, x, 7, WEFT_INDEXING(.mode = WEFT_INDEX_WRAP)));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert(found[0] == 7 && found[1] == 0.5f && found[2] == 7);
  ok(weft_choose(&y, k, x, 7));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "weft_choose: index 5 at position 2 of `indices` is out of range for 2 elements");
  expect_error(weft_where_first(&y, low, x), WEFT_ERROR_ARGUMENT, "2 operands given; expected pairs");
  expect_error(weft_where_first(&y, low, x, x, x, 0), WEFT_ERROR_DTYPE, "condition `c1` is f32; expected bool", "@c1");
  expect_error(weft_choose(&y, k, WEFT_INDEXING(.mode = WEFT_INDEX_WRAP)), WEFT_ERROR_ARGUMENT, "0 choices given");
  weft_release(&x, &low, &high, &y, &k);
}
END_TEST

/// A function with a form for common arguments has the same bits in its other form, beside rare arguments and at the
/// ends of a run. The second half of x is the first one backwards, without the rare arguments.
START_TEST(neighbours_change_no_bits)
{
  static const int ids[] = {WEFT_UFUNC_SINC, WEFT_UFUNC_LGAMMA, WEFT_UFUNC_POW};
  static const float rare[] = {INFINITY, NAN, 1e30f, -1e-42f, 3e5f};
  enum { LENGTH = 80001 };
  static float number[LENGTH], got[LENGTH];
  harness_random random = harness_random_start(9);
  weft_array *x = NULL, *y = NULL;
  for (int i = 0; i < LENGTH; i++) {
    const int mirrored = LENGTH - 1 - i;
    number[i] = i <= mirrored ? (float)harness_between(&random, 1, 1 << 20) * 0x1p-16f : number[mirrored];
  }
  for (int i = 0; i < LENGTH / 2; i += 7) number[i] = rare[i / 7 % 5];
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(LENGTH), number));
  for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
    const weft_operand operands[] = {WEFT_OPERAND(&y), WEFT_OPERAND(x), WEFT_OPERAND(x)};
    ok(weft_ufunc_apply((weft_ufunc_id)ids[k], ids[k] == WEFT_UFUNC_POW ? 3 : 2, operands));
    ok(weft_to_host(got, sizeof got, y));
    for (int i = 0; i < LENGTH / 2; i++) {
      const int mirrored = LENGTH - 1 - i;
      if (number[i] == number[mirrored])
        ck_assert_msg(got[i] == got[mirrored], "%s of %a: %a and %a", weft_ufunc_name((weft_ufunc_id)ids[k]),
                      (double)number[i], (double)got[i], (double)got[mirrored]);
    }
    weft_array_release(&y);
    harness_count(1);
  }
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "elementwise");
  tcase_add_test(all, close_and_equal);
  tcase_add_test(all, equal_up_to_one);
  tcase_add_test(all, rounded_and_replaced);
  tcase_add_test(all, chosen);
  tcase_add_test(all, neighbours_change_no_bits);
}

int main(void) {
  const harness_suite suite = {.name = "elementwise", .add = add};
  return harness_main(&suite);
}
