// SPDX-License-Identifier: MIT
// The coefficients of the cubic spline through the elements of lines, in place: a recursion from the front and one from
// the back, with the pole sqrt(3) - 2 (Unser 1999). A work-item computes a line. REAL is the elements' type.
// lint: -DREAL=float
// lint: -DREAL=double -DWEFT_FP64=1 -DWEFT_CPU
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "filter/transform_args.h"
#include "rearrange/args.h"

#define POLE ((REAL)-0.26794919243112270647)
#define FAR 48 /* the pole to this power is below the precision of f64 */
#define C(i) c[(i) * inner]

// The sum that the recursion from the front begins with: of all elements in front, by the border.
static inline REAL spline_first(__global const REAL *c, long inner, long n, int border) {
  const REAL end = n <= FAR ? pown(POLE, (int)n) : 0;  // the pole to the power of n
  REAL power = POLE, sum = C(0);
  const long near = min(n, (long)FAR);
  if (border == WEFT__BORDER_WRAP) {
    for (long i = 1; i < near; i++, power *= POLE) sum += power * C(n - i);
    return sum / (1 - end);
  }
  if (border == WEFT__BORDER_SYMMETRIC) {
    sum += end * C(n - 1);
    for (long i = 1; i < near; i++, power *= POLE) sum += power * (C(i) + end * C(n - 1 - i));
    return sum * POLE / (1 - end * end) + C(0);
  }
  const REAL last = end / POLE;
  sum += last * C(n - 1);
  for (long i = 1; i < min(n - 1, (long)FAR); i++, power *= POLE) sum += power * (C(i) + last * C(n - 1 - i));
  return sum / (1 - last * last);
}

// What the recursion from the back begins with.
static inline REAL spline_last(__global const REAL *c, long inner, long n, int border) {
  if (border == WEFT__BORDER_SYMMETRIC) return C(n - 1) * POLE / (POLE - 1);
  if (border != WEFT__BORDER_WRAP) return (POLE * C(n - 2) + C(n - 1)) * POLE / (POLE * POLE - 1);
  const REAL end = n <= FAR ? pown(POLE, (int)n) : 0;
  REAL power = POLE, sum = C(n - 1);
  for (long i = 0; i < min(n - 1, (long)FAR); i++, power *= POLE) sum += power * C(i);
  return sum * POLE / (end - 1);
}

__kernel void weft_spline(const weft__spline_args a, __global uchar *to) {
  const ulong line = get_global_id(0);
  if (line >= a.outer * a.inner) return;
  const ulong row = line / a.inner;
  const long n = (long)a.length, inner = (long)a.inner;
  __global REAL *c = (__global REAL *)(to + a.to) + (row * a.length * a.inner + (line - row * a.inner));
  for (long i = 0; i < n; i++) C(i) *= 6;
  REAL value = spline_first(c, inner, n, a.border);
  C(0) = value;
  for (long i = 1; i < n; i++) C(i) = value = C(i) + POLE * value;
  value = spline_last(c, inner, n, a.border);
  C(n - 1) = value;
  for (long i = n - 2; i >= 0; i--) C(i) = value = POLE * (value - C(i));
}
