// SPDX-License-Identifier: MIT
/// Cases of filters over neighbours and of regions, for test_ways.c.
#include "ways_data.h"

/* ---- windows ---- */

/// A matrix of whole numbers: means are of exact sums.
typedef struct filtering {
  weft_dtype dtype;
  int rows, columns;
  weft_border_mode mode;
} filtering;

static const filtering filtered[] = {
    {WEFT_F32, 40, 70, WEFT_BORDER_SYMMETRIC},  {WEFT_F32, 3, 90000, WEFT_BORDER_EDGE},
    {WEFT_U8, 300, 7, WEFT_BORDER_CONSTANT},    {WEFT_F16, 1, 1300, WEFT_BORDER_WRAP},
    {WEFT_I64, 33, 20, WEFT_BORDER_REFLECT},    {WEFT_F64, 2, 50, WEFT_BORDER_SYMMETRIC},
    {WEFT_BOOL, 30, 100, WEFT_BORDER_CONSTANT}, {WEFT_I16, 1, 1, WEFT_BORDER_REFLECT},
};

/// *x NULL: the device lacks the dtype.
static void make_filtered(weft_array **x, weft_array **weights, int number) {
  static const float weight[] = {-1, 2, 0.5f, -0.25f, 3, 1, -2, 0.5f, 1};
  const filtering *f = &filtered[number];
  weft_array *wide = NULL;
  *x = *weights = NULL;
  if (!harness_has_dtype(f->dtype)) return;
  int32_t *data = malloc((size_t)(f->rows * f->columns) * sizeof *data);
  for (int i = 0; i < f->rows * f->columns; i++) data[i] = (int32_t)((i * INT64_C(7919) + i / 13) % 101);
  ok(weft_from_host(&wide, ctx, WEFT_I32, WEFT_SHAPE(f->rows, f->columns), data));
  make_elements(x, wide, f->dtype);
  ok(weft_from_host(weights, ctx, WEFT_F32, WEFT_SHAPE(3, 3), weight));
  free(data);
  weft_array_release(&wide);
}

static void filter_lines(weft_array **y, int number) {
  const weft_border_mode mode = filtered[number].mode;
  weft_array *x, *weights, *line = NULL;
  make_filtered(&x, &weights, number);
  if (!x) return;
  ok(weft_ravel(&line, weights));
  ok(weft_convolve1d(&y[0], x, line, 0, .mode = mode, .origin = WEFT_SHAPE(-2)));
  ok(weft_correlate1d(&y[1], x, line, 1, .mode = mode));
  ok(weft_uniform_filter(&y[2], x, WEFT_SHAPE(5, 4), WEFT_ALL_AXES, .mode = mode));
  ok(weft_minimum_filter(&y[3], x, WEFT_SHAPE(3, 2), WEFT_ALL_AXES, .mode = mode));
  ok(weft_maximum_filter(&y[4], x, WEFT_SHAPE(40), WEFT_AXES(1), .mode = mode));
  ok(weft_uniform_filter(&y[5], x, WEFT_SHAPE(200), WEFT_AXES(1), .mode = mode));
  weft_release(&x, &weights, &line);
}

static void filter_shapes(weft_array **y, int number) {
  static const uint8_t kept[] = {0, 1, 0, 1, 1, 0};
  const weft_border_mode mode = filtered[number].mode;
  weft_array *x, *weights, *footprint = NULL;
  make_filtered(&x, &weights, number);
  if (!x) return;
  ok(weft_from_host(&footprint, ctx, WEFT_BOOL, WEFT_SHAPE(2, 3), kept));
  ok(weft_correlate_nd(&y[0], x, weights, WEFT_ALL_AXES, .mode = mode));
  ok(weft_median_filter(&y[1], x, WEFT_SHAPE(3), WEFT_ALL_AXES, .mode = mode));
  ok(weft_minimum_filter(&y[2], x, WEFT_SHAPE_0D, WEFT_ALL_AXES, .footprint = footprint, .mode = mode));
  ok(weft_percentile_filter(&y[3], x, 80, WEFT_SHAPE_0D, WEFT_ALL_AXES, .footprint = footprint, .mode = mode));
  ok(weft_rank_filter(&y[4], x, 20, WEFT_SHAPE(60), WEFT_AXES(1), .mode = mode));
  if (filtered[number].columns < 100) ok(weft_rank_filter(&y[5], x, 20, WEFT_SHAPE(1100), WEFT_AXES(1), .mode = mode));
  weft_release(&x, &weights, &footprint);
}

static void roll_windows(weft_array **y, int number) {
  weft_array *x, *weights;
  make_filtered(&x, &weights, number);
  if (x && filtered[number].columns > 4) {
    ok(weft_rolling(&y[0], x, 4, 1));
    ok(weft_rolling(&y[1], x, 5, 1, .op = WEFT_REDUCE_MAX));
    ok(weft_rolling(&y[2], x, 3, 1, .op = WEFT_REDUCE_VAR));
  }
  weft_release(&x, &weights);
}

/* ---- splines ---- */

static void move_all(weft_array **y, int number) {
  weft_array *x, *weights;
  make_filtered(&x, &weights, number);
  if (!x || weft_dtype_kind(filtered[number].dtype) != 'f') goto done; /* integers show how numbers round */
  ok(weft_shift(&y[0], x, 1.25, .mode = filtered[number].mode));
  ok(weft_zoom(&y[1], x, 1.5, .mode = filtered[number].mode));
done:
  weft_release(&x, &weights);
}

/// An array whose elements at other places are asked for. Its cubic splines are short: on GPUs long ones have other
/// coefficients.
static const struct {
  weft_dtype dtype;
  int axes, side[4];
  weft_spline order;
  weft_border_mode mode;
} placed[] = {
    {WEFT_F32, 2, {40, 700}, WEFT_SPLINE_LINEAR, WEFT_BORDER_CONSTANT},
    {WEFT_F32, 1, {1100}, WEFT_SPLINE_NEAREST, WEFT_BORDER_EDGE},
    {WEFT_F64, 2, {33, 50}, WEFT_SPLINE_LINEAR, WEFT_BORDER_REFLECT},
    {WEFT_U8, 2, {60, 70}, WEFT_SPLINE_LINEAR, WEFT_BORDER_SYMMETRIC},
    {WEFT_F16, 3, {5, 9, 20}, WEFT_SPLINE_LINEAR, WEFT_BORDER_WRAP},
    {WEFT_BF16, 1, {1}, WEFT_SPLINE_LINEAR, WEFT_BORDER_REFLECT},
    {WEFT_I32, 3, {3, 1, 130}, WEFT_SPLINE_NEAREST, WEFT_BORDER_CONSTANT},
    {WEFT_F32, 2, {35, 30}, WEFT_SPLINE_CUBIC, WEFT_BORDER_EDGE},
    {WEFT_I64, 4, {3, 4, 5, 6}, WEFT_SPLINE_CUBIC, WEFT_BORDER_CONSTANT},
    {WEFT_BOOL, 2, {2, 90}, WEFT_SPLINE_LINEAR, WEFT_BORDER_EDGE},
};

/// All bits: the ways add in one order. Places that are no number, far ones, and the last elements'.
static void move_everywhere(weft_array **y, int number) {
  enum { PLACES = 700 };
  static const float special[] = {NAN, INFINITY, -INFINITY, 3e15f, -1e17f, -0.0f, -0.5f};
  const int axes = placed[number].axes, *side = placed[number].side;
  const weft_spline order = placed[number].order;
  const weft_border_mode mode = placed[number].mode;
  weft_shape shape = {.ndim = axes};
  int size = 1;
  for (int d = 0; d < axes; size *= side[d++]) shape.dim[d] = side[d];
  int32_t *data = malloc((size_t)size * sizeof *data);
  float *place = malloc((size_t)(axes * PLACES) * sizeof *place);
  weft_array *wide = NULL, *x = NULL, *places = NULL;
  for (int i = 0; i < size; i++) data[i] = (int32_t)((i * INT64_C(7919) + i / 13) % 101);
  for (int i = 0; i < axes * PLACES; i++) place[i] = (float)(i * 7919 % 1009) / 900 * (float)side[i / PLACES] - 2;
  for (int d = 0; d < axes; d++) place[d * PLACES] = (float)(side[d] - 1);
  memcpy(place + 9, special, sizeof special);
  if (harness_has_dtype(placed[number].dtype)) {
    ok(weft_from_host(&wide, ctx, WEFT_I32, shape, data));
    ok(weft_from_host(&places, ctx, WEFT_F32, WEFT_SHAPE(axes, PLACES), place));
    make_elements(&x, wide, placed[number].dtype);
    ok(weft_map_coordinates(&y[0], x, places, .order = order, .mode = mode));
    ok(weft_zoom(&y[1], x, 0.5, .order = order, .mode = mode));
    ok(weft_zoom(&y[2], x, 1.7, .order = order, .mode = mode));
    ok(weft_shift(&y[3], x, -1.3, .order = order, .mode = mode));
    if (axes > 1) {
      ok(weft_rotate(&y[4], x, 30, WEFT_AXES(0, axes - 1), .order = order, .mode = mode, .keeps_shape = true));
      ok(weft_rotate(&y[5], x, 90, WEFT_AXES(0, 1), .order = order, .mode = mode));
    }
  }
  free(data);
  free(place);
  weft_release(&wide, &x, &places);
}

/* ---- regions ---- */

static const int grids[][3] = {{1, 1, 1}, {1, 1, 500}, {40, 50, 1}, {9, 20, 33}, {1, 300, 70}, {3, 1, 129}};

static void label_all(weft_array **y, int number) {
  const int *side = grids[number], n = side[0] * side[1] * side[2];
  uint8_t all[27];
  uint8_t *data = malloc((size_t)n);
  weft_array *x = NULL, *structure = NULL;
  for (int i = 0; i < n; i++) data[i] = i * 7919 % 101 % 5 > 1;
  memset(all, 1, sizeof all);
  ok(weft_from_host(&x, ctx, WEFT_BOOL, WEFT_SHAPE(side[0], side[1], side[2]), data));
  ok(weft_from_host(&structure, ctx, WEFT_BOOL, WEFT_SHAPE(3, 3, 3), all));
  ok(weft_label(&y[0], x, .count = &y[1]));
  ok(weft_label(&y[2], x, .structure = structure, .count = &y[3]));
  free(data);
  weft_release(&x, &structure);
}

static void find_distances(weft_array **y, int number) {
  const int *side = grids[number], n = side[0] * side[1] * side[2];
  uint8_t *data = malloc((size_t)n);
  weft_array *x = NULL;
  for (int i = 0; i < n; i++) data[i] = i * 7919 % 101 > 3;
  ok(weft_from_host(&x, ctx, WEFT_BOOL, WEFT_SHAPE(side[0], side[1], side[2]), data));
  ok(weft_distance_transform(&y[0], x));
  free(data);
  weft_array_release(&x);
}
