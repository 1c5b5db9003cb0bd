// SPDX-License-Identifier: MIT
/// weft/interpolate.h: errors and their texts, results in place, shapes, exact values. NumPy and scipy.ndimage judge
/// the rest (tests/judge/primitives/filter.py).
#include <float.h>
#include <math.h>

#include "samples.h"

enum { ROWS = 3, COLUMNS = 4, N = ROWS * COLUMNS };

static weft_array *grid(void) {
  float data[N];
  weft_array *x = NULL;
  for (int k = 0; k < N; k++) data[k] = (float)(k * k % 17);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), data));
  return x;
}

START_TEST(wrong_transforms)
{
  weft_array *x = grid(), *y = NULL, *c = NULL, *m = NULL;
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  ok(weft_ones(&m, ctx, WEFT_F32, WEFT_SHAPE(3, 3)));
  expect_error(weft_zoom(&y, x, 0), WEFT_ERROR_ARGUMENT, "`zoom` has 0; expected a positive number", "@zoom");
  expect_error(weft_shift(&y, x, NAN), WEFT_ERROR_ARGUMENT, "`shift` has nan; expected finite numbers", "@shift");
  expect_error(weft_shift(&y, x, 1, .order = (weft_spline)4), WEFT_ERROR_ARGUMENT, "`order` is 4", "@order");
  expect_error(weft_shift(&y, x, 1, .mode = (weft_border_mode)9), WEFT_ERROR_ARGUMENT, "`mode` is 9", "@mode");
  expect_error(weft_zoom(&y, x, 2, .shape = WEFT_SHAPE(3, 3)), WEFT_ERROR_ARGUMENT,
               "only weft_affine_transform takes it", "@shape");
  expect_error(weft_map_coordinates(&y, m, m, .keeps_shape = true), WEFT_ERROR_ARGUMENT, "only weft_rotate takes it",
               "@keeps_shape");
  expect_error(weft_affine_transform(&y, x, m), WEFT_ERROR_SHAPE, "a matrix of 2 rows and 2 or 3 columns", "@matrix");
  expect_error(weft_map_coordinates(&y, x, m), WEFT_ERROR_SHAPE, "other than 2 entries", "@coordinates");
  expect_error(weft_rotate(&y, x, 30, 0), WEFT_ERROR_AXIS, "expected two", "@axes");
  expect_error(weft_rotate(&y, x, INFINITY, WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT, "`degrees` is inf", "@degrees");
  expect_error(weft_zoom(&y, c, 2), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers", "@x");
  expect_error(weft_interp(&y, x, c, c), WEFT_ERROR_DTYPE, "`xp` is c64; expected real numbers", "@xp");
  expect_error(weft_interp(&y, x, m, m), WEFT_ERROR_SHAPE, "expected one axis each, of one length", "@fp");
  ck_assert(y == NULL);
  weft_release(&x, &c, &m);
}
END_TEST

START_TEST(exact_transforms)
{
  float found[N], data[N];
  weft_array *x = grid(), *y = NULL;
  ok(weft_to_host(data, sizeof data, x));
  ok(weft_rotate(&y, x, 90, WEFT_AXES(0, 1), .order = WEFT_SPLINE_LINEAR));
  ck_assert(weft_array_shape(y).dim[0] == COLUMNS && weft_array_shape(y).dim[1] == ROWS);
  ok(weft_to_host(found, sizeof found, y));
  for (int r = 0; r < COLUMNS; r++)
    for (int c = 0; c < ROWS; c++) ck_assert_float_eq(found[r * ROWS + c], data[c * COLUMNS + COLUMNS - 1 - r]);
  const float down[] = {1, 0};
  ok(weft_shift(&x, x, WEFT_HOST(down, WEFT_F32, WEFT_SHAPE(2)), .order = WEFT_SPLINE_NEAREST,
                .mode = WEFT_BORDER_WRAP)); /* in place */
  ok(weft_to_host(found, sizeof found, x));
  for (int k = 0; k < N; k++) ck_assert_float_eq(found[k], data[(k + N - COLUMNS) % N]);
  weft_release(&x, &y);
}
END_TEST

/// Along a row of the result the places along the last axis are equal.
START_TEST(right_angles)
{
  weft_array *x = NULL, *y = NULL, *turned = NULL, *found = NULL;
  bool is_same;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 70 * 90, 1));
  ok(weft_reshape(&y, x, WEFT_SHAPE(70, 90)));
  ok(weft_rot90(&turned, y, 1, WEFT_AXES(0, 1)));
  ok(weft_rotate(&found, y, 90, WEFT_AXES(1, 0), .order = WEFT_SPLINE_LINEAR));
  ok(weft_array_equal(&is_same, found, turned));
  ck_assert(is_same);
  weft_release(&x, &y, &turned, &found);
}
END_TEST

START_TEST(splines_pass_through_the_elements)
{
  float found[N], data[N];
  weft_array *x = grid(), *y = NULL;
  ok(weft_to_host(data, sizeof data, x));
  for (int mode = WEFT_BORDER_EDGE; mode <= WEFT_BORDER_CONSTANT; mode++) {
    const float places[2][N] = {{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}};
    ok(weft_map_coordinates(&y, x, WEFT_HOST(places, WEFT_F32, WEFT_SHAPE(2, N)), .mode = (weft_border_mode)mode));
    ok(weft_to_host(found, sizeof found, y));
    for (int k = 0; k < N; k++) ck_assert_float_eq_tol(found[k], data[k], 1e-4f);
  }
  weft_release(&x, &y);
}
END_TEST

/// Far outside of the array, where the end of the margin matters. The values are SciPy 1.17's.
START_TEST(splines_of_the_last_element)
{
  const double data[] = {900, 0, 0, 1}, places[][7] = {{-11.5, -10.5, -2.25, 1.5, 9.5, 14.5, 20}};
  const double wanted[] = {899.9999504571481, 900.000173399982,   906.2748189555178, -90.53333339266547,
                           0.997634231130081, 1.0000035022485123, 0.9999976651676585};
  double found[7];
  weft_array *x = NULL, *y = NULL;
  if (!device.has_fp64) return;
  ok(weft_from_host(&x, ctx, WEFT_F64, WEFT_SHAPE(4), data));
  ok(weft_map_coordinates(&y, x, WEFT_HOST(places, WEFT_F64, WEFT_SHAPE(1, 7)), .mode = WEFT_BORDER_EDGE));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < 7; k++) ck_assert_double_eq_tol(found[k], wanted[k], 1e-11);
  weft_release(&x, &y);
}
END_TEST

/// Lines that GPUs compute in parts: a shift by whole elements gives the elements back, by each border.
START_TEST(splines_of_long_lines)
{
  static const int64_t shapes[][2] = {{5, 2400}, {330, 20}, {66, 70}};
  const int64_t rows = shapes[_i][0], columns = shapes[_i][1], n = rows * columns;
  static float found[5 * 2400], data[5 * 2400];
  weft_array *x = NULL, *y = NULL;
  ck_assert_int_le(n, 5 * 2400);
  for (int64_t k = 0; k < n; k++) data[k] = (float)(k * k % 97) / 8;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(rows, columns), data));
  for (int mode = WEFT_BORDER_EDGE; mode <= WEFT_BORDER_CONSTANT; mode++) {
    ok(weft_shift(&y, x, -1, .mode = (weft_border_mode)mode));
    ok(weft_to_host(found, (size_t)n * sizeof *found, y));
    const bool wraps = mode == WEFT_BORDER_WRAP;
    for (int64_t r = 0; r < (wraps ? rows : rows - 1); r++)
      for (int64_t c = 0; c < (wraps ? columns : columns - 1); c++)
        ck_assert_float_eq_tol(found[r * columns + c], data[(r + 1) % rows * columns + (c + 1) % columns], 1e-4f);
  }
  weft_release(&x, &y);
}
END_TEST

START_TEST(linear_functions)
{
  const float xp[] = {0, 1, 4}, fp[] = {3, 5, -1}, x[] = {-1, 0, 0.5f, 1, 3, 4, 9};
  const float wanted[] = {3, 3, 4, 5, 1, -1, -1};
  float found[7];
  ok(weft_interp(WEFT_HOST_OUT(found, WEFT_F32, WEFT_SHAPE(7)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(7)),
                 WEFT_HOST(xp, WEFT_F32, WEFT_SHAPE(3)), WEFT_HOST(fp, WEFT_F32, WEFT_SHAPE(3))));
  for (int k = 0; k < 7; k++) ck_assert_float_eq(found[k], wanted[k]);
}
END_TEST

/// Points and values whose differences overflow.
START_TEST(linear_functions_between_extremes)
{
  const float ends[] = {-FLT_MAX, FLT_MAX}, few[] = {0, 1}, x[] = {-3e38f, 0, 1e38f}, part[] = {0.25f, 0.5f, 1};
  float found[3];
#define HOST(of, n) WEFT_HOST(of, WEFT_F32, WEFT_SHAPE(n))
#define FOUND WEFT_HOST_OUT(found, WEFT_F32, WEFT_SHAPE(3))
  ok(weft_interp(FOUND, HOST(x, 3), HOST(ends, 2), HOST(ends, 2)));
  for (int k = 0; k < 3; k++) ck_assert(fabsf(found[k] - x[k]) <= 1e-5f * FLT_MAX);
  ok(weft_interp(FOUND, HOST(x, 3), HOST(ends, 2), HOST(few, 2)));
  for (int k = 0; k < 3; k++) ck_assert(fabsf(found[k] - (x[k] / FLT_MAX / 2 + 0.5f)) <= 1e-5f);
  ok(weft_interp(FOUND, HOST(part, 3), HOST(few, 2), HOST(ends, 2)));
  for (int k = 0; k < 3; k++) ck_assert(fabsf(found[k] - (2 * part[k] - 1) * FLT_MAX) <= 1e-5f * FLT_MAX);
#undef HOST
#undef FOUND
}
END_TEST

START_TEST(linear_functions_with_ends)
{
  const float xp[] = {1, 2, 4}, fp[] = {3, 5, -1}, x[] = {0, 1, 3, 4, 5, NAN};
  const float wanted[] = {-7, 3, 2, -1, 0, NAN};
  float found[6];
  weft_array *a = NULL, *points = NULL, *values = NULL, *y = NULL;
  ok(weft_from_host(&a, ctx, WEFT_F32, WEFT_SHAPE(6), x));
  ok(weft_from_host(&points, ctx, WEFT_F32, WEFT_SHAPE(3), xp));
  ok(weft_from_host(&values, ctx, WEFT_F32, WEFT_SHAPE(3), fp));
  ok(weft_interp(&y, a, points, values, .left = WEFT_SCALAR(-7), .right = WEFT_SCALAR(0)));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < 5; k++) ck_assert_float_eq(found[k], wanted[k]);
  ck_assert(isnan(found[5]));
  expect_error(weft_interp(&y, a, points, values, .period = (double)NAN), WEFT_ERROR_ARGUMENT,
               "`period` is nan; expected a finite number", "@period");
  expect_error(weft_interp(&y, a, points, values, .right = (weft_scalar){.dtype = WEFT_C64}), WEFT_ERROR_DTYPE,
               "`left` or `right` is complex", "@right");
  weft_release(&a, &points, &values, &y);
}
END_TEST

START_TEST(periodic_functions)
{
  /* in order within 0 to 4: (1, 3), (2, 5), (3, 9); .left does not count */
  const float xp[] = {2, 7, -3}, fp[] = {5, 9, 3}, x[] = {1, 1.5f, 0, 3.5f, -4, 1000};
  const float wanted[] = {3, 4, 6, 7.5f, 6, 6};
  float found[6];
  for (int sign = -1; sign <= 1; sign += 2) {
    ok(weft_interp(WEFT_HOST_OUT(found, WEFT_F32, WEFT_SHAPE(6)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(6)),
                   WEFT_HOST(xp, WEFT_F32, WEFT_SHAPE(3)), WEFT_HOST(fp, WEFT_F32, WEFT_SHAPE(3)), .period = 4 * sign,
                   .left = WEFT_SCALAR(99)));
    for (int k = 0; k < 6; k++) ck_assert_float_eq(found[k], wanted[k]);
  }
}
END_TEST

START_TEST(zoom_without_elements)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  ok(weft_zoom(&y, x, 2));
  const weft_shape shape = weft_array_shape(y);
  ck_assert(shape.ndim == 2 && shape.dim[0] == 0 && shape.dim[1] == 6);
  weft_array_release(&y);
  expect_error(weft_shift(&y, x, 1), WEFT_ERROR_SHAPE, "expected axes and elements", "@x");
  weft_release(&x, &y);
}
END_TEST

/// Any zoom of ones is ones: the last place is the last element. Places far outside are inside the border.
START_TEST(ends_and_far_places)
{
  for (int n = 100; n <= 180; n++) {
    weft_array *x = NULL, *y = NULL;
    float least = 0;
    ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(n)));
    ok(weft_zoom(&y, x, 0.125, .order = WEFT_SPLINE_LINEAR));
    ok(weft_min(WEFT_HOST_OUT(&least, WEFT_F32, WEFT_SHAPE_0D), y, WEFT_ALL_AXES));
    ck_assert_msg(least == 1, "%d: %g", n, (double)least);
    weft_release(&x, &y);
  }
  const float x[4] = {1, 2, 3, 4}, at[5] = {1e30f, -1e30f, INFINITY, -INFINITY, NAN};
  float got[5];
  ok(weft_map_coordinates(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(5)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(4)),
                          WEFT_HOST(at, WEFT_F32, WEFT_SHAPE(1, 5)), .order = WEFT_SPLINE_LINEAR,
                          .mode = WEFT_BORDER_EDGE));
  ck_assert(got[0] == 4 && got[1] == 1 && got[2] == 4 && got[3] == 1 && isnan(got[4]));
  ok(weft_map_coordinates(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(5)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(4)),
                          WEFT_HOST(at, WEFT_F32, WEFT_SHAPE(1, 5)), .order = WEFT_SPLINE_LINEAR,
                          .mode = WEFT_BORDER_WRAP));
  ck_assert(got[0] == 1 && got[1] == 1 && isnan(got[2]) && isnan(got[3]) && isnan(got[4]));
}
END_TEST

/// Places too far for an integer of 64 bits are those that they are by the border's period, of every order.
START_TEST(far_places_of_every_border)
{
  enum { LENGTH = 5, PLACES = 8 };
  static const double far[PLACES] = {0x1p53 + 2, 0x1p60, -0x1p60, 1e19, -1e19, 1e30, -1e30, 1e300};
  static const weft_border_mode modes[] = {WEFT_BORDER_EDGE, WEFT_BORDER_REFLECT, WEFT_BORDER_SYMMETRIC,
                                           WEFT_BORDER_WRAP};
  static const double period[] = {0, 2 * (LENGTH - 1), 2 * LENGTH, LENGTH}, strange[] = {INFINITY, -INFINITY, NAN};
  const double x[LENGTH] = {3, 1, 4, 1.5, 9};
  if (!device.has_fp64) return;
  for (int m = 0; m < 4; m++)
    for (int order = WEFT_SPLINE_NEAREST; order <= WEFT_SPLINE_CUBIC; order++) {
      double near[PLACES], got[PLACES], expected[PLACES];
      for (int k = 0; k < PLACES; k++) near[k] = m ? fmod(far[k], period[m]) : far[k] > 0 ? 1e6 : -1e6;
      const weft_transform_params p = {.order = (weft_spline)order, .mode = modes[m]};
      const weft_host places[] = {WEFT_HOST(far, WEFT_F64, WEFT_SHAPE(1, PLACES)),
                                  WEFT_HOST(near, WEFT_F64, WEFT_SHAPE(1, PLACES))};
      double *const to[] = {got, expected};
      for (int k = 0; k < 2; k++)
        ok(weft_map_coordinates(WEFT_HOST_OUT(to[k], WEFT_F64, WEFT_SHAPE(PLACES)),
                                WEFT_HOST(x, WEFT_F64, WEFT_SHAPE(LENGTH)), places[k], .order = p.order,
                                .mode = p.mode));
      for (int k = 0; k < PLACES; k++)
        ck_assert_msg(fabs(got[k] - expected[k]) <= 1e-9, "border %d, order %d, %g: %g, expected %g", m, order, far[k],
                      got[k], expected[k]);
      ok(weft_map_coordinates(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(3)), WEFT_HOST(x, WEFT_F64, WEFT_SHAPE(LENGTH)),
                              WEFT_HOST(strange, WEFT_F64, WEFT_SHAPE(1, 3)), .order = p.order, .mode = p.mode));
      for (int k = 0; k < 3; k++)
        ck_assert_msg(m || k == 2 ? isnan(got[k]) : isfinite(got[k]), "border %d, order %d, %g: %g", m, order,
                      strange[k], got[k]);
      for (int k = 1; k < 3; k++) { /* all places of a shift are equal then */
        ok(weft_shift(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(LENGTH)), WEFT_HOST(x, WEFT_F64, WEFT_SHAPE(LENGTH)),
                      -far[k], .order = p.order, .mode = p.mode));
        for (int i = 0; i < LENGTH; i++)
          ck_assert_msg(fabs(got[i] - expected[k]) <= 1e-9, "border %d, order %d, shift by %g: %g, expected %g", m,
                        order, -far[k], got[i], expected[k]);
      }
    }
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "interpolate");
  tcase_add_test(all, ends_and_far_places);
  tcase_add_test(all, far_places_of_every_border);
  tcase_add_test(all, wrong_transforms);
  tcase_add_test(all, exact_transforms);
  tcase_add_test(all, right_angles);
  tcase_add_test(all, splines_pass_through_the_elements);
  tcase_add_test(all, splines_of_the_last_element);
  tcase_add_loop_test(all, splines_of_long_lines, 0, 3);
  tcase_add_test(all, linear_functions);
  tcase_add_test(all, linear_functions_between_extremes);
  tcase_add_test(all, linear_functions_with_ends);
  tcase_add_test(all, periodic_functions);
  tcase_add_test(all, zoom_without_elements);
}

int main(void) {
  const harness_suite suite = {.name = "interpolate", .add = add};
  return harness_main(&suite);
}
