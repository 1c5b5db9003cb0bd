// SPDX-License-Identifier: MIT
/// Norms of numbers whose squares are no floats: weft_norm (weft/reduce.h) and weft_matrix_norm (weft/linalg.h).
#include <stdlib.h>

#include "reference.h"

/// The array of `count` numbers in the device's widest floats, or complex numbers.
static weft_array *widest(const double *host, weft_shape shape, bool is_complex) {
  const size_t count = (size_t)(shape.dim[0] * shape.dim[1]) * (is_complex ? 2 : 1);
  weft_array *x = NULL;
  if (device.has_fp64) {
    ok(weft_from_host(&x, ctx, is_complex ? WEFT_C128 : WEFT_F64, shape, host));
    return x;
  }
  float *narrow = malloc(count * sizeof *narrow);
  for (size_t k = 0; k < count; k++) narrow[k] = (float)host[k];
  ok(weft_from_host(&x, ctx, is_complex ? WEFT_C64 : WEFT_F32, shape, narrow));
  free(narrow);
  return x;
}

/// A matrix whose elements are 3 and 4 times `scale` in turns; of complex ones the real, then the imaginary part.
static weft_array *threes_and_fours(double scale, int64_t rows, int64_t columns, bool is_complex) {
  const size_t count = (size_t)(rows * columns);
  double *host = calloc(count, 2 * sizeof *host);
  for (size_t k = 0; k < count; k++) host[is_complex ? 2 * k + k % 2 : k] = (k % 2 ? 4 : 3) * scale;
  weft_array *x = widest(host, WEFT_SHAPE(rows, columns), is_complex);
  free(host);
  return x;
}

static void check_norms(weft_array **y, double expected, const char *what, double scale) {
  const weft_dtype dtype = weft_array_dtype(*y);
  char all[8 * 4096];
  const int64_t count = weft_array_size(*y);
  ck_assert(count <= 4096);
  ok(weft_to_host(all, (size_t)weft_array_size_bytes(*y), *y));
  for (int64_t k = 0; k < count; k++) {
    const double got = (double)reference_get(dtype, all + (size_t)k * weft_dtype_size_bytes(dtype)).re;
    ck_assert_msg(fabs(got / expected - 1) < (device.has_fp64 ? 1e-14 : 1e-6),
                  "%s of %g: norm %d is %.17g, expected %.17g", what, scale, (int)k, got, expected);
  }
  weft_array_release(y);
}

/// Squares above the greatest number and below the least.
START_TEST(norms_of_extreme_numbers)
{
  static const int64_t shapes[][2] = {{1, 2}, {6, 8}, {1000, 40}, {40, 1000}, {2, 300000}, {300000, 2}};
  const double far[] = {1e200, 1e-200, 1e300, 1e-300, 1e160, 1e-160, 1}, near[] = {1e30, 1e-30, 1e34, 1e-34, 1};
  const double *scales = device.has_fp64 ? far : near;
  weft_array *y = NULL;
  for (size_t k = 0; k < 2 * sizeof shapes / sizeof *shapes; k++)
    for (int s = 0; s < (device.has_fp64 ? 7 : 5); s++) {
      const int64_t rows = shapes[k / 2][0], columns = shapes[k / 2][1];
      const double scale = scales[s];
      weft_array *x = threes_and_fours(scale, rows, columns, k % 2), *steps = NULL;
      ok(weft_norm(&y, x, WEFT_ALL_AXES));
      check_norms(&y, scale * 5 * sqrt((double)(rows * columns) / 2), "all", scale);
      if (rows <= 4096) {
        ok(weft_norm(&y, x, 1));
        check_norms(&y, scale * 5 * sqrt((double)columns / 2), "rows", scale);
      }
      ok(weft_matrix_norm(&y, x, WEFT_AXES(0, 1)));
      check_norms(&y, scale * 5 * sqrt((double)(rows * columns) / 2), "a matrix", scale);
      ok(weft_slice(&steps, x, 1, 0, WEFT_END, .step = 2));
      if (columns <= 4096) {
        ok(weft_norm(&y, steps, 0));
        check_norms(&y, scale * 3 * sqrt((double)rows), "columns", scale);
      }
      weft_release(&x, &steps);
    }
}
END_TEST

START_TEST(norms_of_mixed_numbers)
{
  const double most = device.has_fp64 ? 1e200 : 1e30, least = 1 / most;
  const double rows[][4] = {{most, 1, least, 0},
                            {least, 0, 0, 0},
                            {1, least, 0, 0},
                            {0, 0, 0, 0},
                            {(double)INFINITY, most, 0, 1},
                            {(double)NAN, most, least, 1},
                            {3 * least, 4 * least, 0, -0.0},
                            {-3 * most, 0, 4 * most, 1}};
  const double expected[] = {most, least, 1, 0, (double)INFINITY, (double)NAN, 5 * least, 5 * most};
  weft_array *x = widest(rows[0], WEFT_SHAPE(8, 4), false), *y = NULL;
  char all[8 * sizeof(double)];
  for (int turned = 0; turned < 2; turned++) {
    weft_array *columns = NULL, *straight = NULL;
    ok(weft_transpose(&columns, x, WEFT_AXES(1, 0)));
    ok(weft_copy(&straight, columns));
    ok(weft_norm(&y, turned ? straight : x, turned ? 0 : 1));
    const weft_dtype dtype = weft_array_dtype(y);
    ok(weft_to_host(all, (size_t)weft_array_size_bytes(y), y));
    for (int k = 0; k < 8; k++) {
      const double got = (double)reference_get(dtype, all + (size_t)k * weft_dtype_size_bytes(dtype)).re;
      ck_assert_msg(isnan(expected[k]) ? isnan(got) : got == expected[k] || fabs(got / expected[k] - 1) < 1e-6,
                    "row %d is %g, expected %g", k, got, expected[k]);
    }
    weft_release(&y, &columns, &straight);
  }
  weft_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "norms");
  tcase_add_test(tc, norms_of_extreme_numbers);
  tcase_add_test(tc, norms_of_mixed_numbers);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "norms", .add = add});
}
