// SPDX-License-Identifier: MIT
// The coefficients of the cubic spline through the elements of lines, in place: a recursion from the front and one from
// the back. A work-item computes LINES lines, on CPUs several side by side, so that an addition need not wait for the
// one before. REAL is the elements' type.
// lint: -DREAL=float -DLINES=1
// lint: -DREAL=double -DWEFT_FP64=1 -DLINES=16
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

// `lines` lines, each begins `apart` elements behind the one before.
static inline __attribute__((always_inline)) void spline_lines(__global REAL *first, long apart, uint lines, long inner,
                                                               long n, int border) {
  REAL value[LINES];
  for (long i = 0; i < n; i++)
    for (uint l = 0; l < lines; l++) first[l * apart + i * inner] *= 6;
  for (uint l = 0; l < lines; l++) first[l * apart] = value[l] = spline_first(first + l * apart, inner, n, border);
  for (long i = 1; i < n; i++)
    for (uint l = 0; l < lines; l++) {
      __global REAL *c = first + (l * apart + i * inner);
      *c = value[l] = *c + POLE * value[l];
    }
  for (uint l = 0; l < lines; l++)
    first[l * apart + (n - 1) * inner] = value[l] = spline_last(first + l * apart, inner, n, border);
  for (long i = n - 2; i >= 0; i--)
    for (uint l = 0; l < lines; l++) {
      __global REAL *c = first + (l * apart + i * inner);
      *c = value[l] = POLE * (value[l] - *c);
    }
}

__kernel void weft_spline(const weft__spline_args a, __global uchar *to) {
  const ulong group = get_global_id(0), groups = (a.inner + LINES - 1) / LINES;
  const bool is_row = a.inner == 1; // lines are then one behind the other
  const ulong row = is_row ? group * LINES : group / groups;
  if (row >= a.outer) return;
  const ulong column = is_row ? 0 : group % groups * LINES;
  const uint lines = (uint)min(is_row ? a.outer - row : a.inner - column, (ulong)LINES);
  const long n = (long)a.length, inner = (long)a.inner;
  __global REAL *first = (__global REAL *)(to + a.to) + (row * a.length * a.inner + column);
  if (lines < LINES)
    spline_lines(first, is_row ? n : 1, lines, inner, n, a.border);
  else if (is_row)
    spline_lines(first, n, LINES, 1, n, a.border);
  else
    spline_lines(first, 1, LINES, inner, n, a.border);
}
