// SPDX-License-Identifier: MIT
/// Elements at other places on the host: transform_host.c finds the places, transform_places.h the elements there of
/// splines along each axis and their weights, window_loops.h adds elements.
#ifndef WEFT_OP_FILTER_TRANSFORM_HOST_H
#define WEFT_OP_FILTER_TRANSFORM_HOST_H

#include "dtype/dtype.h"
#include "op/filter/tuning.h"

/// An axis of the source.
typedef struct weft__spline_line {
  int64_t n, stride, margin;
  int32_t border, taps; /* WEFT__BORDER_*; 1, 2, 4: elements of a spline */
} weft__spline_line;

/// The elements along an axis for places that follow each other, and their weights: float or double, as sums.
typedef struct weft__spline_axis {
  double weight[4 * WEFT__TRANSFORM_CHUNK];
  int32_t at[4][WEFT__TRANSFORM_CHUNK], is_inside[WEFT__TRANSFORM_CHUNK], taps, outside;
  bool is_one;                               /* there is one, for all places */
  uint8_t is_outside[WEFT__TRANSFORM_CHUNK]; /* if `outside`, the number of these, is not 0 */
} weft__spline_axis;

/// The loops for sums of one dtype, of at most WEFT__TRANSFORM_CHUNK elements.
typedef struct weft__spline_loops {
  /// The places before + slope * (first + k) + offset.
  void (*walk)(double *place, const double step[4], int64_t count);
  /// Of each place.
  void (*find)(weft__spline_axis *axis, const double *place, int64_t count, const weft__spline_line *line);
  /// Weights of some axes times the weights of another one's tap, and places plus its places. is_one, axis->is_one: one
  /// is for all.
  void (*join)(void *weight, int32_t *where, const void *weights, const int32_t *places, bool is_one,
               const weft__spline_axis *axis, int tap, int64_t count);
  /// To `from`, the sums so far, adds `weight` (is_row: one is for all) times the weights along the last axis times
  /// elements, which follow each other tap by tap.
  void (*add)(void *sum, const void *from, const void *weight, bool is_row, const weft__spline_axis *last,
              const void *elements, int64_t count);
} weft__spline_loops;

#endif
