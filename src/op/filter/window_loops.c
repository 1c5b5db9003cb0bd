// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else loops over few lanes are no vector code */
#endif
#include <math.h>

#include "base/float_bits.h"
#include "base/wide.h"
#include "op/filter/window_host.h"

enum { FEW_BYTES = 32 }; /* as WEFT__RANK_BYTES, of short runs */

/* ---- floats in order, as integers ---- */

static inline int32_t order_f32(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x != x ? INT32_MAX : bits ^ (bits >> 31 & INT32_MAX);
}
static inline float number_f32(int32_t order) {
  return weft__f32_of_bits((uint32_t)(order ^ (order >> 31 & INT32_MAX)));
}
static inline int64_t order_f64(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x != x ? INT64_MAX : bits ^ (bits >> 63 & INT64_MAX);
}
static inline double number_f64(int64_t order) {
  return weft__f64_of_bits((uint64_t)(order ^ (order >> 63 & INT64_MAX)));
}

/// `least` for NaN.
static inline double limited(double x, double least, double most) {
  const double above = x > least ? x : least;
  return above < most ? above : most;
}

#define TARGET
#define WIDTH(name) name
#include "op/filter/window_types.h"
#ifdef WEFT__WIDEST_TARGET
#define TARGET WEFT__WIDE_TARGET
#define WIDTH(name) name##_wide
#include "op/filter/window_types.h"
#define TARGET WEFT__WIDEST_TARGET
#define WIDTH(name) name##_widest
#include "op/filter/window_types.h"
#endif

weft__window_loop *weft__window_loop_of(weft_dtype dtype) {
  static weft__window_loop *const *const loops[3] = WEFT__ALL(window_loops);
  return loops[WEFT__WIDTH][dtype];
}
