// SPDX-License-Identifier: MIT
/// weft/differences.h: errors and their texts, results over operands. NumPy judges the values
/// (tests/judge/primitives/rearrange.py).
#include "samples.h"

static weft_array *counted(weft_dtype dtype, int64_t n) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, dtype, WEFT_SCALAR(0), WEFT_SCALAR(n), WEFT_SCALAR(1)));
  return x;
}

START_TEST(ends_of_differences)
{
  weft_array *x = counted(WEFT_I32, 4), *zero = NULL, *two = NULL, *y = NULL, *f = counted(WEFT_F32, 2);
  int32_t found[6];
  ok(weft_full(&zero, ctx, WEFT_I32, WEFT_SHAPE_0D, WEFT_SCALAR(-9)));
  ok(weft_ones(&two, ctx, WEFT_I8, WEFT_SHAPE(2, 1)));
  ok(weft_diff(&y, x, 0, .prepend = zero));
  ok(weft_to_host(found, 4 * sizeof *found, y));
  ck_assert(found[0] == 9 && found[1] == 1 && found[3] == 1);
  ok(weft_ediff1d(WEFT_HOST_OUT(found, WEFT_I32, WEFT_SHAPE(6)), x, .to_begin = zero, .to_end = two));
  ck_assert(found[0] == -9 && found[1] == 1 && found[3] == 1 && found[4] == 1 && found[5] == 1);
  expect_error(weft_diff(&y, x, 0, .append = two), WEFT_ERROR_SHAPE, "different numbers of axes",
               "while joining `prepend`, `x` and `append`");
  expect_error(weft_ediff1d(&y, x, .to_end = f), WEFT_ERROR_DTYPE, "`to_end` is f32, which is not cast to i32",
               "@to_end");
  weft_release(&x, &zero, &two, &y, &f);
}
END_TEST

START_TEST(gradients)
{
  weft_array *x = counted(WEFT_F32, 5), *places = counted(WEFT_F32, 4), *flags = NULL, *y = NULL;
  float found[5];
  ok(weft_square(&x, x));
  ok(weft_gradient(&x, x, 0, .spacing = 2, .edge_order = 2)); /* in place */
  ok(weft_to_host(found, sizeof found, x));
  for (int k = 0; k < 5; k++) ck_assert(found[k] == (float)k);
  expect_error(weft_gradient(&y, x, 0, .coordinates = places), WEFT_ERROR_SHAPE, "expected one axis of 5",
               "@coordinates");
  ok(weft_ones(&flags, ctx, WEFT_BOOL, WEFT_SHAPE(5)));
  expect_error(weft_gradient(&y, x, 0, .coordinates = flags), WEFT_ERROR_DTYPE,
               "`coordinates` is bool; expected integers or floats", "@coordinates");
  expect_error(weft_gradient(&y, x, 0, .edge_order = 3), WEFT_ERROR_ARGUMENT, "`edge_order` is 3; expected 1 or 2");
  expect_error(weft_gradient(&y, x, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "axis");
  weft_release(&x, &places, &flags);
}
END_TEST

/// Places in every integer dtype, falling ones too: their distances do not wrap around.
START_TEST(gradients_at_integers)
{
  const float heights[] = {0, 1, 4, 9, 16}, falling[] = {8, 6, 4, 2, 0};
  const weft_dtype dtypes[] = {WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    weft_array *x = NULL, *places = NULL, *whole = NULL, *y = NULL;
    float found[5];
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(5), heights));
    ok(weft_from_host(&places, ctx, WEFT_F32, WEFT_SHAPE(5), falling));
    ok(weft_cast(&whole, places, dtypes[k]));
    ok(weft_gradient(&y, x, 0, .coordinates = whole));
    ok(weft_to_host(found, sizeof found, y));
    ck_assert(found[0] == -0.5F && found[1] == -1 && found[2] == -2 && found[3] == -3 && found[4] == -3.5F);
    weft_release(&x, &places, &whole, &y);
  }
}
END_TEST

START_TEST(phases)
{
  weft_array *x = NULL, *y = NULL, *c = NULL;
  const float turns[] = {0, 3, 6, 2, 5, 1}; /* by 3 each, modulo 7 */
  float found[6];
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(6), turns));
  ok(weft_unwrap(&x, x, -1, .period = 7));
  ok(weft_to_host(found, sizeof found, x));
  for (int k = 0; k < 6; k++) ck_assert(found[k] == 3 * (float)k);
  ok(weft_zeros(&c, ctx, WEFT_C64, WEFT_SHAPE(2)));
  expect_error(weft_unwrap(&y, c, 0), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers", "@x");
  expect_error(weft_unwrap(&y, x, 0, .period = -1), WEFT_ERROR_ARGUMENT, "`period` is -1; expected a positive number");
  weft_release(&x, &c);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "differences");
  tcase_add_test(all, ends_of_differences);
  tcase_add_test(all, gradients);
  tcase_add_test(all, gradients_at_integers);
  tcase_add_test(all, phases);
}

int main(void) {
  const harness_suite suite = {.name = "differences", .add = add};
  return harness_main(&suite);
}
