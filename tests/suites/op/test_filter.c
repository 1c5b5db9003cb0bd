// SPDX-License-Identifier: MIT
/// weft/filter.h: errors and their texts, results in place and in views, long lines, windows beyond the array.
/// scipy.ndimage judges the values (tests/judge/primitives/filter.py).
#include <math.h>

#include "samples.h"

enum { ROWS = 37, COLUMNS = 1300, N = ROWS * COLUMNS };

static float wave(int64_t r, int64_t c) {
  return (float)((r * 31 + c * 17) % 101 - 50);
}

static weft_array *image(void) {
  static float data[N];
  weft_array *x = NULL;
  for (int k = 0; k < N; k++) data[k] = wave(k / COLUMNS, k % COLUMNS);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), data));
  return x;
}

static int64_t clamped(int64_t i, int64_t n) {
  return i < 0 ? 0 : i < n ? i : n - 1;
}

START_TEST(wrong_filters)
{
  weft_array *x = image(), *c = NULL, *y = NULL, *other = NULL;
  const float w[] = {1, 2, 3};
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  ok(weft_zeros(&other, ctx, WEFT_F32, WEFT_SHAPE(3, 3)));
  expect_error(weft_gaussian_filter(&y, x, -1, 0), WEFT_ERROR_ARGUMENT, "`sigma` has -1; expected 0 or more", "@sigma");
  expect_error(weft_gaussian_filter(&y, x, NAN, 0), WEFT_ERROR_ARGUMENT, "`sigma` has nan");
  expect_error(weft_gaussian_filter(&y, x, 1e10, 0), WEFT_ERROR_ARGUMENT, "2^31 elements or more");
  expect_error(weft_gaussian_filter(&y, x, WEFT_HOST(w, WEFT_F32, WEFT_SHAPE(3)), WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT,
               "`sigma` has 3 elements, for 2 axes");
  expect_error(weft_gaussian_filter(&y, x, 1, 0, .order = WEFT_SHAPE(9)), WEFT_ERROR_ARGUMENT, "`order` has 9",
               "@order");
  expect_error(weft_gaussian_filter(&y, x, 1, 0, .truncate = -1), WEFT_ERROR_ARGUMENT, "`truncate` is -1", "@truncate");
  expect_error(weft_gaussian_laplace(&y, x, 1, 0, .order = WEFT_SHAPE(1)), WEFT_ERROR_ARGUMENT, "order 2", "@order");
  expect_error(weft_uniform_filter(&y, x, WEFT_SHAPE(0), 0), WEFT_ERROR_ARGUMENT, "`size` has 0; expected 1", "@size");
  expect_error(weft_uniform_filter(&y, x, WEFT_SHAPE(3, 3, 3), WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT,
               "`size` has 3 numbers, for 2 axes");
  expect_error(weft_uniform_filter(&y, x, WEFT_SHAPE(3), 0, .origin = WEFT_SHAPE(2)), WEFT_ERROR_ARGUMENT,
               "`origin` is 2; expected -1 to 1 for a window of 3 elements", "@origin");
  expect_error(weft_uniform_filter(&y, x, WEFT_SHAPE(3), 0, .mode = (weft_border_mode)6), WEFT_ERROR_ARGUMENT,
               "`mode` is 6, which is no weft_border_mode", "@mode");
  expect_error(weft_uniform_filter(&y, x, WEFT_SHAPE(3), 0, .value = WEFT_SCALAR(1)), WEFT_ERROR_ARGUMENT,
               ".mode = WEFT_BORDER_CONSTANT", "@value");
  expect_error(weft_uniform_filter(&y, x, WEFT_SHAPE(3), 2), WEFT_ERROR_AXIS, "axis");
  expect_error(weft_uniform_filter(&y, c, WEFT_SHAPE(3), 0), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers",
               "@x");
  expect_error(weft_correlate1d(&y, x, other, 0), WEFT_ERROR_SHAPE, "`weights` is f32[3,3]; expected 1 axis",
               "@weights");
  expect_error(weft_correlate_nd(&y, x, other, 0), WEFT_ERROR_SHAPE, "`weights` is f32[3,3]; expected 1 axis");
  expect_error(weft_convolve1d(&y, x, other, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "2 axes were given");
  expect_error(weft_sobel(&y, x, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_laplace_filter(&y, x, 0, .origin = WEFT_SHAPE(1)), WEFT_ERROR_ARGUMENT, "this filter has none",
               "@origin");
  expect_error(weft_uniform_filter(&other, x, WEFT_SHAPE(3), 0), WEFT_ERROR_SHAPE, "[3,3]");
  ck_assert(y == NULL);
  weft_release(&x, &c, &other);
}
END_TEST

START_TEST(wrong_orders)
{
  weft_array *x = image(), *zeros = NULL, *y = NULL;
  ok(weft_zeros(&zeros, ctx, WEFT_BOOL, WEFT_SHAPE(3, 3)));
  expect_error(weft_rank_filter(&y, x, 9, WEFT_SHAPE(3), WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT,
               "`rank` is 9, in a window of 9 elements", "@rank");
  expect_error(weft_percentile_filter(&y, x, 101, WEFT_SHAPE(3), WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT,
               "`percentile` is 101; expected -100 to 100", "@percentile");
  expect_error(weft_median_filter(&y, x, WEFT_SHAPE(1 << 20), WEFT_ALL_AXES), WEFT_ERROR_ARGUMENT,
               "2^31 elements or more", "@size");
  expect_error(weft_minimum_filter(&y, x, WEFT_SHAPE_0D, 0), WEFT_ERROR_ARGUMENT, "`size` has no numbers", "@size");
  expect_error(weft_minimum_filter(&y, x, WEFT_SHAPE(3), WEFT_ALL_AXES, .footprint = zeros), WEFT_ERROR_ARGUMENT,
               "a size and a footprint were given", "@size");
  expect_error(weft_minimum_filter(&y, x, WEFT_SHAPE_0D, WEFT_ALL_AXES, .footprint = zeros), WEFT_ERROR_SHAPE,
               "`footprint` has no nonzero element", "@footprint");
  expect_error(weft_grey_erosion(&y, x, WEFT_SHAPE_0D, 0, .footprint = zeros), WEFT_ERROR_SHAPE,
               "`footprint` is bool[3,3]; expected 1 axis", "@footprint");
  expect_error(weft_binary_erosion(&y, x, .iterations = -1), WEFT_ERROR_ARGUMENT, "`iterations` is -1", "@iterations");
  expect_error(weft_binary_dilation(&y, x, .structure = zeros), WEFT_ERROR_SHAPE, "`structure` has no nonzero element",
               "@structure");
  ck_assert(y == NULL);
  weft_release(&x, &zeros);
}
END_TEST

/* Whole numbers: the sums are exact. Both axes have several tiles and chunks, and borders. */
START_TEST(long_lines)
{
  static float found[N];
  const float w[] = {1, -2, 3, 5};
  weft_array *x = image(), *y = NULL;
  for (int axis = 0; axis < 2; axis++) {
    ok(weft_correlate1d(&y, x, WEFT_HOST(w, WEFT_F32, WEFT_SHAPE(4)), axis, .mode = WEFT_BORDER_EDGE));
    ok(weft_to_host(found, sizeof found, y));
    for (int64_t r = 0; r < ROWS; r++)
      for (int64_t c = 0; c < COLUMNS; c++) {
        float sum = 0;
        for (int64_t k = 0; k < 4; k++)
          sum += w[k] * (axis ? wave(r, clamped(c + k - 2, COLUMNS)) : wave(clamped(r + k - 2, ROWS), c));
        ck_assert_float_eq(found[r * COLUMNS + c], sum);
      }
  }
  weft_release(&x, &y);
}
END_TEST

START_TEST(in_place_and_in_views)
{
  static float found[N], wanted[N];
  weft_array *x = image(), *y = NULL, *turned = NULL, *part = NULL, *room = NULL;
  ok(weft_maximum_filter(&y, x, WEFT_SHAPE(3, 5), WEFT_ALL_AXES));
  ok(weft_to_host(wanted, sizeof wanted, y));
  for (int k = 0; k < N; k++) {
    float most = -INFINITY;
    for (int64_t r = k / COLUMNS - 1; r <= k / COLUMNS + 1; r++)
      for (int64_t c = k % COLUMNS - 2; c <= k % COLUMNS + 2; c++)
        most = fmaxf(most, wave(clamped(r, ROWS), clamped(c, COLUMNS))); /* the maximum of reflected elements too */
    if (k / COLUMNS > 0 && k / COLUMNS < ROWS - 1 && k % COLUMNS > 1 && k % COLUMNS < COLUMNS - 2)
      ck_assert_float_eq(wanted[k], most);
  }
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_zeros(&room, ctx, WEFT_F32, WEFT_SHAPE(COLUMNS + 2, ROWS)));
  ok(weft_slice(&part, room, 0, 1, COLUMNS + 1));
  ok(weft_maximum_filter(&part, turned, WEFT_SHAPE(5, 3), WEFT_ALL_AXES));
  ok(weft_to_host(found, sizeof found, part));
  for (int k = 0; k < N; k++) ck_assert_float_eq(found[k % COLUMNS * ROWS + k / COLUMNS], wanted[k]);
  ok(weft_maximum_filter(&x, x, WEFT_SHAPE(3, 5), WEFT_AXES(0, 1)));
  ok(weft_to_host(found, sizeof found, x));
  for (int k = 0; k < N; k++) ck_assert_float_eq(found[k], wanted[k]);
  weft_release(&x, &y, &turned, &part, &room);
}
END_TEST

/// A filter of two axes has the bits of one after the other, in any size and mode.
START_TEST(two_axes_are_one_after_the_other)
{
  weft_device_info info;
  ok(weft_device_get(&info, device.index));
  const int64_t large = 64 * (int64_t)info.compute_units + 2; /* GPUs: with large tiles */
  const int64_t shapes[][3] = {{1, 1, 7}, {3, 41, 70}, {1, large, 64}, {2, 9, 33}, {20, 2, 3}};
  static const int64_t windows[][2] = {{5, 2}, {3, 9}};
  harness_random random = harness_random_start(0);
  for (size_t c = 0; c < 5; c++) { /* the modes */
    const int64_t *shape = shapes[c], *window = windows[c % 2];
    const weft_border_mode mode = (weft_border_mode)(WEFT_BORDER_DEFAULT + 1 + (int)c);
    const weft_scalar value = mode == WEFT_BORDER_CONSTANT ? WEFT_SCALAR(3) : (weft_scalar){0};
    const weft_dtype dtype = c % 2 ? WEFT_U8 : WEFT_F32;
    const int64_t n = shape[0] * shape[1] * shape[2];
    const size_t bytes = (size_t)n * weft_dtype_size_bytes(dtype);
    weft_array *raw = NULL, *x = NULL, *y[3] = {NULL};
    float *host = malloc((size_t)n * sizeof *host);
    uint8_t *found[2] = {malloc(bytes), malloc(bytes)};
    for (int64_t i = 0; i < n; i++) host[i] = (float)harness_between(&random, 0, 25500) / 100;
    ok(weft_from_host(&raw, ctx, WEFT_F32, WEFT_SHAPE(shape[0], shape[1], shape[2]), host));
    ok(weft_cast(&x, raw, dtype));
    for (int kind = 0; kind < 3; kind++) {
      const int64_t origin[] = {window[0] / 2 - 1, -(window[1] / 2)};
      const float sigma[] = {0.6f, 1.3f};
      if (kind == 0) {
        ok(weft_uniform_filter(&y[0], x, WEFT_SHAPE(window[0], window[1]), WEFT_AXES(1, 2), .mode = mode,
                               .value = value, .origin = WEFT_SHAPE(origin[0], origin[1])));
        ok(weft_uniform_filter(&y[1], x, WEFT_SHAPE(window[0]), 1, .mode = mode, .value = value,
                               .origin = WEFT_SHAPE(origin[0])));
        ok(weft_uniform_filter(&y[2], y[1], WEFT_SHAPE(window[1]), 2, .mode = mode, .value = value,
                               .origin = WEFT_SHAPE(origin[1])));
      } else if (kind == 1) { /* the last axis first */
        ok(weft_minimum_filter(&y[0], x, WEFT_SHAPE(window[1], window[0]), WEFT_AXES(2, 1), .mode = mode,
                               .value = value));
        ok(weft_minimum_filter(&y[1], x, WEFT_SHAPE(window[1]), 2, .mode = mode, .value = value));
        ok(weft_minimum_filter(&y[2], y[1], WEFT_SHAPE(window[0]), 1, .mode = mode, .value = value));
      } else {
        ok(weft_gaussian_filter(&y[0], x, WEFT_HOST(sigma, WEFT_F32, WEFT_SHAPE(2)), WEFT_AXES(1, 2), .mode = mode,
                                .value = value));
        ok(weft_gaussian_filter(&y[1], x, sigma[0], 1, .mode = mode, .value = value));
        ok(weft_gaussian_filter(&y[2], y[1], sigma[1], 2, .mode = mode, .value = value));
      }
      ok(weft_to_host(found[0], bytes, y[0]));
      ok(weft_to_host(found[1], bytes, y[2]));
      ck_assert_msg(memcmp(found[0], found[1], bytes) == 0, "case %zu, filter %d: other bits", c, kind);
      weft_release(&y[0], &y[1], &y[2]);
    }
    weft_release(&raw, &x);
    free(host);
    free(found[0]);
    free(found[1]);
    harness_count(1);
  }
}
END_TEST

START_TEST(windows_beyond_the_array)
{
  const float data[] = {4, 1, 3};
  const uint8_t dots[] = {0, 0, 0, 1, 0, 0, 0};
  float found[3];
  bool grown[7];
  weft_array *x = NULL, *y = NULL, *none = NULL, *b = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3), data));
  ok(weft_uniform_filter(&y, x, WEFT_SHAPE(12), 0)); /* 2 periods of the reflected array */
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < 3; k++) ck_assert_float_eq_tol(found[k], 8.0f / 3, 1e-6f);
  ok(weft_median_filter(&y, x, WEFT_SHAPE(3), 0, .mode = WEFT_BORDER_CONSTANT, .value = WEFT_SCALAR(9)));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert(found[0] == 4 && found[1] == 3 && found[2] == 3);
  ok(weft_from_host(&b, ctx, WEFT_U8, WEFT_SHAPE(7), dots));
  ok(weft_binary_dilation(WEFT_HOST_OUT(grown, WEFT_BOOL, WEFT_SHAPE(7)), b, .iterations = 2));
  for (int k = 0; k < 7; k++) ck_assert(grown[k] == (k >= 1 && k <= 5));
  ok(weft_empty(&none, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  weft_array_release(&y);
  ok(weft_gaussian_filter(&y, none, 1, WEFT_ALL_AXES));
  ck_assert(weft_array_size(y) == 0);
  weft_release(&x, &y, &b, &none);
}
END_TEST

/// The place in an axis of n elements that fills place t; -1: a constant does.
static int64_t inside(int64_t t, int64_t n, weft_border_mode border) {
  const bool reflects = border == WEFT_BORDER_REFLECT, wraps = border == WEFT_BORDER_WRAP;
  const int64_t period = wraps || n == 1 ? n : reflects ? 2 * (n - 1) : 2 * n;
  if (t >= 0 && t < n) return t;
  if (border == WEFT_BORDER_EDGE || border == WEFT_BORDER_CONSTANT)
    return border == WEFT_BORDER_CONSTANT ? -1 : t < 0 ? 0 : n - 1;
  t = (t % period + period) % period;
  return t < n ? t : period - t - !reflects;
}

/// Weights at places that are several lengths of the array outside.
START_TEST(weights_beyond_the_array)
{
  static const weft_border_mode borders[] = {WEFT_BORDER_EDGE, WEFT_BORDER_REFLECT, WEFT_BORDER_SYMMETRIC,
                                             WEFT_BORDER_WRAP, WEFT_BORDER_CONSTANT};
  enum { TAPS = 40, MOST = 12 };
  const weft_border_mode border = borders[_i];
  double data[MOST], weights[TAPS], found[MOST];
  for (int k = 0; k < MOST; k++) data[k] = k * k % 7 - 2;
  for (int k = 0; k < TAPS; k++) weights[k] = k % 5 - 1;
  for (int n = 1; n <= MOST; n++)
    for (int taps = 1; taps <= TAPS; taps += 3) {
      weft_array *x = NULL, *y = NULL;
      ok(weft_from_host(&x, ctx, WEFT_F64, WEFT_SHAPE(n), data));
      ok(weft_correlate_nd(&y, x, WEFT_HOST(weights, WEFT_F64, WEFT_SHAPE(taps)), 0, .mode = border));
      ok(weft_to_host(found, sizeof *found * (size_t)n, y));
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < taps; k++) {
          const int64_t at = inside(i + k - taps / 2, n, border);
          sum += at < 0 ? 0 : weights[k] * data[at];
        }
        ck_assert_msg(found[i] == sum, "border %d, %d elements, %d weights: element %d is %g, not %g", (int)border, n,
                      taps, i, found[i], sum);
      }
      weft_release(&x, &y);
    }
}
END_TEST

enum { BOX_PLANES = 2, BOX_ROWS = 10, BOX_COLUMNS = 35, BOX_AREA = BOX_PLANES * BOX_ROWS * BOX_COLUMNS };

/// What a window of 2 x 3 x 2 elements makes of element i.
static float sum_in_box(const float *x, const float window[2][3][2], int i, bool turned, weft_border_mode border,
                        float fill) {
  float sum = 0;
  for (int t = 0; t < 12; t++) {
    const int in = t / 6, down = t / 2 % 3, right = t % 2;
    const int64_t plane = inside(i / (BOX_ROWS * BOX_COLUMNS) + in - !turned, BOX_PLANES, border);
    const int64_t row = inside(i / BOX_COLUMNS % BOX_ROWS + down - 1, BOX_ROWS, border);
    const int64_t column = inside(i % BOX_COLUMNS + right - !turned, BOX_COLUMNS, border);
    const float weight = turned ? window[1 - in][2 - down][1 - right] : window[in][down][right];
    const bool is_outside = plane < 0 || row < 0 || column < 0;
    sum += weight * (is_outside ? fill : x[(plane * BOX_ROWS + row) * BOX_COLUMNS + column]);
  }
  return sum;
}

/// Boxes, whose elements GPUs load once for several windows, at all borders. Whole numbers: sums are exact.
START_TEST(boxes_at_borders)
{
  const float window[2][3][2] = {{{1, 2}, {3, 5}, {7, 11}}, {{13, 17}, {19, 23}, {29, 31}}};
  const weft_border_mode borders[] = {WEFT_BORDER_EDGE, WEFT_BORDER_WRAP, WEFT_BORDER_REFLECT, WEFT_BORDER_SYMMETRIC,
                                      WEFT_BORDER_CONSTANT};
  weft_array *x = NULL, *y = NULL, *w = NULL;
  float host[BOX_AREA], found[BOX_AREA];
  for (int i = 0; i < BOX_AREA; i++) host[i] = (float)((int64_t)i * 7919 % 101);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(BOX_PLANES, BOX_ROWS, BOX_COLUMNS), host));
  ok(weft_from_host(&w, ctx, WEFT_F32, WEFT_SHAPE(2, 3, 2), window));
  for (size_t k = 0; k < 2 * sizeof borders / sizeof *borders; k++) {
    const bool turned = k % 2;
    const weft_border_mode border = borders[k / 2];
    const weft_scalar value = border == WEFT_BORDER_CONSTANT ? WEFT_SCALAR(3) : (weft_scalar){0};
    if (turned)
      ok(weft_convolve_nd(&y, x, w, WEFT_ALL_AXES, .mode = border, .value = value));
    else
      ok(weft_correlate_nd(&y, x, w, WEFT_ALL_AXES, .mode = border, .value = value));
    ok(weft_to_host(found, sizeof found, y));
    for (int i = 0; i < BOX_AREA; i++) {
      const float sum = sum_in_box(host, window, i, turned, border, 3);
      if (found[i] != sum)
        ck_abort_msg("border %d, turned %d: element %d is %g, not %g", border, turned, i, (double)found[i],
                     (double)sum);
    }
  }
  weft_release(&x, &y, &w);
}
END_TEST

/// Elements of a window so far from its middle that the kernel's arguments cannot have their places.
START_TEST(distant_elements_of_a_window)
{
  static float found[N];
  static uint8_t window[2 * 129 + 1];
  weft_array *x = image(), *y = NULL, *footprint = NULL;
  for (int64_t far = 127; far <= 129; far++) {
    memset(window, 0, sizeof window);
    window[0] = window[far] = window[2 * far] = 1;
    ok(weft_from_host(&footprint, ctx, WEFT_BOOL, WEFT_SHAPE(1, 2 * far + 1), window));
    ok(weft_maximum_filter(&y, x, WEFT_SHAPE_0D, WEFT_ALL_AXES, .mode = WEFT_BORDER_EDGE, .footprint = footprint));
    weft_array_release(&footprint);
    ok(weft_to_host(found, sizeof found, y));
    for (int k = 0; k < N; k++) {
      const int64_t r = k / COLUMNS, c = k % COLUMNS;
      const float left = wave(r, clamped(c - far, COLUMNS)), right = wave(r, clamped(c + far, COLUMNS));
      const float most = fmaxf(wave(r, c), fmaxf(left, right));
      if (found[k] != most) ck_abort_msg("%d apart: element %d is %g", (int)far, k, (double)found[k]);
    }
  }
  weft_release(&x, &y);
}
END_TEST

/* Nothing to mirror: every element outside is the only one. */
START_TEST(axes_of_one_element)
{
  const float data[] = {4, 7}, wide[] = {1, 1, 1};
  float found[2];
  for (int mode = WEFT_BORDER_DEFAULT; mode < WEFT_BORDER_CONSTANT; mode++) {
    weft_array *x = NULL, *y = NULL;
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(1, 2), data));
    ok(weft_uniform_filter(&y, x, WEFT_SHAPE(5), 0, .mode = (weft_border_mode)mode));
    ok(weft_to_host(found, sizeof found, y));
    ck_assert(found[0] == 4 && found[1] == 7);
    ok(weft_correlate_nd(&y, x, WEFT_HOST(wide, WEFT_F32, WEFT_SHAPE(3, 1)), WEFT_AXES(0, 1),
                         .mode = (weft_border_mode)mode));
    ok(weft_to_host(found, sizeof found, y));
    ck_assert(found[0] == 12 && found[1] == 21);
    weft_release(&x, &y);
  }
}
END_TEST

/// Elements in order with NaN, infinities and zeros of both signs: NaN comes last, as the windows' elements are sorted.
START_TEST(orders_with_nan)
{
  enum { COUNT = 9 };
  const float data[COUNT] = {NAN, -INFINITY, 0, 3, -0.0f, INFINITY, -NAN, -2, 1};
  const float wanted[COUNT] = {-INFINITY, -2, 0, 0, 1, 3, INFINITY, NAN, NAN};
  float found[COUNT];
  weft_array *x = NULL, *y = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 3), data));
  for (int rank = 0; rank < COUNT; rank += 2) {
    ok(weft_rank_filter(&y, x, rank, WEFT_SHAPE(3), WEFT_ALL_AXES, .mode = WEFT_BORDER_WRAP)); /* of all */
    ok(weft_to_host(found, sizeof found, y));
    for (int k = 0; k < COUNT; k++) ck_assert(found[k] == wanted[rank] || (isnan(found[k]) && isnan(wanted[rank])));
  }
  weft_release(&x, &y);
}
END_TEST

/// fftconvolve with a small operand, which GPUs add up as a filter; whole numbers are exact up to rounding.
START_TEST(small_operands_of_fftconvolve)
{
  enum { A = 12, B = 40, C = 3, D = 2 };
  float a[A][B], v[C][D], found[A + C - 1][B + D - 1];
  weft_array *x = NULL, *w = NULL, *y = NULL;
  for (int k = 0; k < A * B; k++) a[k / B][k % B] = (float)(k * 7 % 23 - 11);
  for (int k = 0; k < C * D; k++) v[k / D][k % D] = (float)(k + 1);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(A, B), a));
  ok(weft_from_host(&w, ctx, WEFT_F32, WEFT_SHAPE(C, D), v));
  for (weft_convolve_mode mode = WEFT_CONVOLVE_FULL; mode <= WEFT_CONVOLVE_VALID; mode++) {
    const int lost_rows = mode == WEFT_CONVOLVE_FULL ? 0 : mode == WEFT_CONVOLVE_SAME ? C - 1 : 2 * (C - 1);
    const int lost_columns = mode == WEFT_CONVOLVE_FULL ? 0 : mode == WEFT_CONVOLVE_SAME ? D - 1 : 2 * (D - 1);
    const int rows = A + C - 1 - lost_rows, columns = B + D - 1 - lost_columns;
    ok(weft_fftconvolve(&y, x, w, WEFT_ALL_AXES, .mode = mode));
    ck_assert(weft_array_shape(y).dim[0] == rows && weft_array_shape(y).dim[1] == columns);
    ok(weft_to_host(found, (size_t)(rows * columns) * sizeof(float), y));
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) {
        float sum = 0;
        for (int k = 0; k < C * D; k++) {
          const int i = r + lost_rows / 2 - k / D, j = c + lost_columns / 2 - k % D;
          if (i >= 0 && i < A && j >= 0 && j < B) sum += a[i][j] * v[k / D][k % D];
        }
        ck_assert_float_eq_tol((&found[0][0])[r * columns + c], sum, 2e-4f);
      }
    weft_array_release(&y);
  }
  weft_release(&x, &w);
}
END_TEST

/// .border_value holds for both stages of an opening and a closing, as in SciPy.
START_TEST(border_of_openings)
{
  const bool x[5] = {true, true, false, true, false}, opened[5] = {true, true, false, false, true},
             closed[5] = {true, true, true, true, true}, outside[5] = {false, true, true, true, false};
  bool got[5];
  ok(weft_binary_opening(WEFT_HOST_OUT(got, WEFT_BOOL, WEFT_SHAPE(5)), WEFT_HOST(x, WEFT_BOOL, WEFT_SHAPE(5)),
                         .border_value = true));
  ck_assert_mem_eq(got, opened, sizeof got);
  ok(weft_binary_closing(WEFT_HOST_OUT(got, WEFT_BOOL, WEFT_SHAPE(5)), WEFT_HOST(x, WEFT_BOOL, WEFT_SHAPE(5)),
                         .border_value = true));
  ck_assert_mem_eq(got, closed, sizeof got);
  ok(weft_binary_closing(WEFT_HOST_OUT(got, WEFT_BOOL, WEFT_SHAPE(5)), WEFT_HOST(x, WEFT_BOOL, WEFT_SHAPE(5))));
  ck_assert_mem_eq(got, outside, sizeof got);
}
END_TEST

enum { LONG_ROWS = 2, LONG_COLUMNS = (1 << 16) + 3, LONG = LONG_ROWS * LONG_COLUMNS };

/// The element at place t of a line of n elements, which may be far outside.
static int far_element(const int16_t *line, int64_t t, int64_t n, weft_border_mode border) {
  const int64_t once = (t % n + n) % n, twice = (t % (2 * n) + 2 * n) % (2 * n);
  const int64_t period = 2 * (n - 1), mirror = (t % period + period) % period;
  if (t >= 0 && t < n) return line[t];
  return border == WEFT_BORDER_WRAP        ? line[once]
         : border == WEFT_BORDER_SYMMETRIC ? line[twice < n ? twice : 2 * n - 1 - twice]
         : border == WEFT_BORDER_REFLECT   ? line[mirror < n ? mirror : period - mirror]
         : border == WEFT_BORDER_EDGE      ? line[t < 0 ? 0 : n - 1]
                                           : 9;
}

/// The sums of windows and their greatest elements: from one window to the next, and by a queue of the elements that
/// may become the greatest.
static void slide(int64_t *sum, int *most, const int16_t *line, int64_t n, int64_t size, weft_border_mode border) {
  int64_t *queue = malloc((size_t)(n + size) * sizeof *queue), first = 0, last = 0, total = 0;
  ck_assert_ptr_nonnull(queue);
  for (int64_t t = -(size / 2); t < n + (size - 1) / 2; t++) {
    const int64_t i = t - (size - 1) / 2;
    const int value = far_element(line, t, n, border);
    total += value - (i > 0 ? far_element(line, i - 1 - size / 2, n, border) : 0);
    while (last > first && far_element(line, queue[last - 1], n, border) <= value) last--;
    queue[last++] = t;
    if (queue[first] < i - size / 2) first++;
    if (i < 0) continue;
    sum[i] = total;
    most[i] = far_element(line, queue[first], n, border);
  }
  free(queue);
}

/// Windows so long that each is joined from running sums and extremes, at all borders; some are longer than the lines.
START_TEST(long_windows)
{
  static int16_t data[LONG], mean[LONG], greatest[LONG];
  static float real[LONG];
  static int64_t sum[LONG_COLUMNS];
  static int most[LONG_COLUMNS];
  const weft_border_mode borders[] = {WEFT_BORDER_EDGE, WEFT_BORDER_WRAP, WEFT_BORDER_REFLECT, WEFT_BORDER_SYMMETRIC,
                                      WEFT_BORDER_CONSTANT};
  const int64_t sizes[] = {130, 1100, 4 * LONG_COLUMNS + 1};
  weft_array *x = NULL, *f = NULL, *y = NULL, *z = NULL, *g = NULL;
  for (int64_t i = 0; i < LONG; i++) data[i] = (int16_t)(i * 7919 % 2003 - 1000);
  ok(weft_from_host(&x, ctx, WEFT_I16, WEFT_SHAPE(LONG_ROWS, LONG_COLUMNS), data));
  ok(weft_cast(&f, x, WEFT_F32));
  for (size_t k = 0; k < 3 * sizeof borders / sizeof *borders; k++) {
    const weft_border_mode border = borders[k / 3];
    const int64_t size = sizes[k % 3];
    if (!device.has_fp64 && size > LONG_COLUMNS) continue; /* sums of f32 have larger errors, and take minutes */
    const weft_scalar value = border == WEFT_BORDER_CONSTANT ? WEFT_SCALAR(9) : (weft_scalar){0};
    ok(weft_uniform_filter(&y, x, WEFT_SHAPE(size), 1, .mode = border, .value = value));
    ok(weft_maximum_filter(&z, x, WEFT_SHAPE(size), 1, .mode = border, .value = value));
    ok(weft_uniform_filter(&g, f, WEFT_SHAPE(size), 1, .mode = border, .value = value));
    ok(weft_to_host(mean, sizeof mean, y));
    ok(weft_to_host(greatest, sizeof greatest, z));
    ok(weft_to_host(real, sizeof real, g));
    for (int r = 0; r < LONG_ROWS; r++) {
      slide(sum, most, data + r * LONG_COLUMNS, LONG_COLUMNS, size, border);
      for (int i = 0; i < LONG_COLUMNS; i++) {
        const int at = r * LONG_COLUMNS + i;
        const double exact = (double)sum[i] / (double)size;
        if (mean[at] != (int16_t)exact || greatest[at] != most[i] || fabs((double)real[at] - exact) > 1e-4)
          ck_abort_msg("border %d, window %d, element %d: %d, %g and %d for %g and %d", border, (int)size, at, mean[at],
                       (double)real[at], greatest[at], exact, most[i]);
      }
    }
  }
  weft_release(&x, &f, &y, &z, &g);
}
END_TEST

/// Ranks in windows of more elements than a network orders, which slide along rows and columns; and two elements of
/// bytes with three axes, of which PoCL 3.1 lost most.
START_TEST(ranks_of_many)
{
  enum { R = 40, C = 97 };
  static uint8_t data[R * C], found[R * C];
  const int sizes[][2] = {{9, 7}, {1, 75}, {75, 1}, {36, 36}, {1, 2}};
  weft_array *x = NULL, *y = NULL;
  for (int i = 0; i < R * C; i++) data[i] = (uint8_t)(i * 7919 % 251);
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(1, R, C), data));
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int height = sizes[k][0], width = sizes[k][1], taps = height * width, rank = taps / 3;
    ok(weft_rank_filter(&y, x, rank, WEFT_SHAPE(height, width), WEFT_AXES(1, 2)));
    ok(weft_to_host(found, sizeof found, y));
    for (int i = 0; i < R * C; i++) {
      int count[256] = {0}, below = 0, value = 0;
      for (int t = 0; t < taps; t++) {
        const int64_t r = inside(i / C + t / width - height / 2, R, WEFT_BORDER_SYMMETRIC);
        const int64_t c = inside(i % C + t % width - width / 2, C, WEFT_BORDER_SYMMETRIC);
        count[data[r * C + c]]++;
      }
      while (below + count[value] <= rank) below += count[value++];
      if (found[i] != value) ck_abort_msg("%d x %d: element %d is %d, not %d", height, width, i, found[i], value);
    }
  }
  weft_release(&x, &y);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "filter");
  tcase_add_test(all, border_of_openings);
  tcase_add_test(all, long_windows);
  tcase_add_test(all, ranks_of_many);
  tcase_add_test(all, wrong_filters);
  tcase_add_test(all, wrong_orders);
  tcase_add_test(all, long_lines);
  tcase_add_test(all, in_place_and_in_views);
  tcase_add_test(all, two_axes_are_one_after_the_other);
  tcase_add_test(all, windows_beyond_the_array);
  if (harness_has_dtype(WEFT_F64)) tcase_add_loop_test(all, weights_beyond_the_array, 0, 5);
  tcase_add_test(all, boxes_at_borders);
  tcase_add_test(all, distant_elements_of_a_window);
  tcase_add_test(all, axes_of_one_element);
  tcase_add_test(all, orders_with_nan);
  tcase_add_test(all, small_operands_of_fftconvolve);
}

int main(void) {
  const harness_suite suite = {.name = "filter", .add = add};
  return harness_main(&suite);
}
