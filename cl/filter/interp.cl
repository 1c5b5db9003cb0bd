// SPDX-License-Identifier: MIT
// A piecewise linear function through points in ascending order (weft__interp_args). The text in front has the macros
// of cl/element.clh, for all arrays.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24
#pragma OPENCL FP_CONTRACT OFF
#include "element.clh"
#include "filter/transform_args.h"

__kernel void weft_interp(const weft__interp_args a, __global uchar *to, __global const uchar *xs,
                          __global const uchar *xps, __global const uchar *fps) {
  const ulong i = get_global_id(0);
  if (i >= a.n) return;
  __global const T *xp = (__global const T *)(xps + a.xp), *fp = (__global const T *)(fps + a.fp);
  const T_NUMBER x = T_LOAD(((__global const T *)(xs + a.x))[i]);
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
  } else if (low == 0 || low == a.points) {
    value = T_LOAD(fp[low == 0 ? 0 : low - 1]);
  } else {
    const T_NUMBER x0 = T_LOAD(xp[low - 1]), x1 = T_LOAD(xp[low]), f0 = T_LOAD(fp[low - 1]), f1 = T_LOAD(fp[low]);
    const T_NUMBER slope = (f1 - f0) / (x1 - x0);
    value = slope * (x - x0) + f0;
    if (x == x0) value = f0;
    if (isnan(value)) {  // as NumPy: from the other end, then of equal values
      value = slope * (x - x1) + f1;
      if (isnan(value) && f0 == f1) value = f0;
    }
  }
  ((__global T *)(to + a.to))[i] = T_STORE(value);
}
