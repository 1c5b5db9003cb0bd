// SPDX-License-Identifier: MIT
// The coefficients of the cubic spline through the elements of lines, in place: a recursion from the front and one from
// the back. A work-item computes a line. REAL is the elements' type.
// lint: -DREAL=float
// lint: -DREAL=double -DWEFT_FP64=1 -DWEFT_CPU
#include "filter/spline.clh"

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
