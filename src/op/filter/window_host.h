// SPDX-License-Identifier: MIT
/// Windows and splines on the host: window_host.c and transform_host.c find their elements, window_loops.c has the
/// loops over these.
#ifndef WEFT_OP_FILTER_WINDOW_HOST_H
#define WEFT_OP_FILTER_WINDOW_HOST_H

#include "base/float_bits.h"
#include "op/filter/filter.h"
#include "op/filter/transform_host.h"
#include "op/filter/tuning.h"

/// What a loop makes of the windows of elements that follow each other.
typedef struct weft__windows {
  int32_t op; /* WEFT__FILTER_* */
  int64_t taps;
  const void *const *tap;         /* of each element of the window: the first result's */
  const void *weight;             /* SUM and MEAN: of weft__filter_sum_dtype; 1 for means */
  const weft__window_order *rank; /* RANK */
  void *scratch;                  /* RANK: WEFT__RANK_BYTES for each element of the window, on a line of the cache */
} weft__windows;

/// The loops for elements of a dtype.
typedef struct weft__element_loops {
  /// Writes `count` elements, at most WEFT__WINDOW_CHUNK.
  void (*window)(void *to, const weft__windows *w, int64_t count);
  /// At most WEFT__TRANSFORM_CHUNK elements at where[k] + at[k], in the dtype of sums; of a row where[0] is for all.
  void (*take)(void *to, const void *from, const int32_t *where, const int32_t *at, bool is_row, int64_t count);
  /// Writes elements from sums, or where it is outside (NULL: nowhere) the element `fill`.
  void (*show)(void *to, const void *sum, const uint8_t *is_outside, uint64_t fill, int64_t count);
  weft__spline_loops spline;
} weft__element_loops;
const weft__element_loops *weft__element_loops_of(weft_dtype dtype);

/* ---- for the loops: floats in order, as integers ---- */

static inline int32_t weft__window_order_f32(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x != x ? INT32_MAX : bits ^ (bits >> 31 & INT32_MAX);
}
static inline float weft__window_number_f32(int32_t order) {
  return weft__f32_of_bits((uint32_t)(order ^ (order >> 31 & INT32_MAX)));
}
static inline int64_t weft__window_order_f64(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x != x ? INT64_MAX : bits ^ (bits >> 63 & INT64_MAX);
}
static inline double weft__window_number_f64(int64_t order) {
  return weft__f64_of_bits((uint64_t)(order ^ (order >> 63 & INT64_MAX)));
}

/// `least` for NaN.
static inline double weft__window_limited(double x, double least, double most) {
  const double above = x > least ? x : least;
  return above < most ? above : most;
}

#endif
