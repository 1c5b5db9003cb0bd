// SPDX-License-Identifier: MIT
// A piecewise linear function through points in ascending order (weft__interp_args). The text in front has the macros
// of cl/element.clh, for all arrays.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24
#pragma OPENCL FP_CONTRACT OFF
#include "element.clh"
#include "filter/transform_args.h"

#if T_DIGITS == 53
#define NUMBER_OF(word) as_double(word)
#else
#define NUMBER_OF(word) as_float((uint)(word))
#endif

// As numpy.remainder by a positive number.
static inline T_NUMBER interp_within(T_NUMBER x, T_NUMBER period) {
  const T_NUMBER rest = fmod(x, period);
  return rest < 0 ? rest + period : rest;
}

__kernel void weft_interp(const weft__interp_args a, __global uchar *to, __global const uchar *xs,
                          __global const uchar *xps, __global const uchar *fps) {
  const ulong i = get_global_id(0);
  if (i >= a.n) return;
  __global const T *xp = (__global const T *)(xps + a.xp), *fp = (__global const T *)(fps + a.fp);
  const T_NUMBER period = NUMBER_OF(a.period), given = T_LOAD(((__global const T *)(xs + a.x))[i]);
  const T_NUMBER x = a.has_period ? interp_within(given, period) : given;
  ulong low = 0, high = a.points;  // points [0, low) are at most x, points from `high` on above
  while (low < high) {
    const ulong middle = low + (high - low) / 2;
    if (T_LOAD(xp[middle]) <= x)
      low = middle + 1;
    else
      high = middle;
  }
  T_NUMBER value;
  if (isnan(x)) {
    value = x;
  } else if (!a.has_period && low == 0) {
    value = a.has_left ? NUMBER_OF(a.left) : T_LOAD(fp[0]);
  } else if (!a.has_period && low == a.points) {
    const bool is_beyond = T_LOAD(xp[low - 1]) < x;
    value = a.has_right && is_beyond ? NUMBER_OF(a.right) : T_LOAD(fp[low - 1]);
  } else {
    const ulong before = low == 0 ? a.points - 1 : low - 1, behind = low == a.points ? 0 : low;
    const T_NUMBER x0 = T_LOAD(xp[before]) - (low == 0 ? period : 0), f0 = T_LOAD(fp[before]);
    const T_NUMBER x1 = T_LOAD(xp[behind]) + (low == a.points ? period : 0), f1 = T_LOAD(fp[behind]);
    const T_NUMBER rise = f1 - f0, run = x1 - x0, slope = rise / run;
    value = slope * (x - x0) + f0;
    if ((isinf(rise) || isinf(run)) && isfinite(f0) && isfinite(f1) && isfinite(x0) && isfinite(x1)) {
      const T_NUMBER part = (x / 2 - x0 / 2) / (x1 / 2 - x0 / 2);  // the differences overflow
      value = f0 * (1 - part) + f1 * part;
    }
    if (x == x0) value = f0;
    if (isnan(value)) {  // as NumPy: from the other end, then of equal values
      value = slope * (x - x1) + f1;
      if (isnan(value) && f0 == f1) value = f0;
    }
  }
  ((__global T *)(to + a.to))[i] = T_STORE(value);
}
