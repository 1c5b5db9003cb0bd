// SPDX-License-Identifier: MIT
// The coefficients of the cubic spline through the elements of lines, for GPUs: a work-group computes a part of LANES
// neighbouring lines in local memory, and a work-item some elements of one. Each of the two recursions starts WARM
// elements before them with 0: what that leaves out is, times the pole to this power, less than rounding leaves out.
//
// REAL     the elements' type
// LANES    lines of a work-group; neighbours in memory if more than one
// PARTS    work-items of a line
// STEP     elements of a work-item
// lint: -DREAL=float -DLANES=32 -DPARTS=8 -DSTEP=37 -DWARM=20
// lint: -DREAL=double -DWEFT_FP64=1 -DLANES=1 -DPARTS=256 -DSTEP=9 -DWARM=36
#include "filter/spline.clh"
#include "of_thread.clh"

// Elements of the first recursion. The last WARM are for the second one; in the last tile they are results, too.
#define TILE (PARTS * STEP)
#define ITEM(i) tile[((int)((i)-base) + WARM) * LANES + lane]

// What the recursion from the back begins with; `last` and `before` are the last two elements after the first one.
static inline REAL spline_back(__global const REAL *c, long inner, long n, int border, REAL last, REAL before) {
  if (border == WEFT__BORDER_SYMMETRIC) return last * POLE / (POLE - 1);
  if (border != WEFT__BORDER_WRAP) return (POLE * before + last) * POLE / (POLE * POLE - 1);
  const REAL end = n <= FAR ? pown(POLE, (int)n) : 0;
  REAL power = POLE, sum = last, value = 6 * spline_first(c, inner, n, border);
  for (long i = 0; i < min(n - 1, (long)FAR); i++, power *= POLE) {
    sum += power * value;
    value = 6 * C(i + 1) + POLE * value;
  }
  return sum * POLE / (end - 1);
}

__kernel __attribute__((reqd_work_group_size(LANES *PARTS, 1, 1))) void weft_spline_tiles(
    const weft__spline_args a, __global uchar *restrict to, __global const uchar *restrict from) {
  __local REAL tile[(TILE + WARM) * LANES];
  const long n = (long)a.length, inner = (long)a.inner;
  const uint tiles = (uint)a.tiles, across = (uint)((a.inner + LANES - 1) / LANES);
  const uint group = (uint)get_group_id(0), above = group / across, part = above % tiles;
  const long column = (long)(group % across) * LANES, base = (long)part * (TILE - WARM);
  const int item = (int)get_local_id(0), lane = item % LANES;
  const bool is_there = column + lane < inner;
  const ulong place = above / tiles * a.length * a.inner + (ulong)column + lane;
  __global const REAL *c = (__global const REAL *)(from + a.from) + place;
  __global REAL *y = (__global REAL *)(to + a.to) + place;
  for (long i = max(base - WARM, 0L) + item / LANES; i < min(base + TILE, n) && is_there; i += PARTS)
    ITEM(i) = 6 * C(i);
  const long begin = base + item / LANES * STEP, end = min(begin + STEP, n), past = min(base + TILE, n);
  WEFT_OF_THREAD REAL value = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // before the elements of the work-item, in reach of other work-items: nothing is stored
  if (begin < n && is_there) {
    if (begin <= WARM) value = 6 * spline_first(c, inner, n, a.border);
    for (long i = max(begin - WARM, 1L); i < begin; i++) value = ITEM(i) + POLE * value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_there)
    for (long i = begin; i < end; i++) ITEM(i) = value = i ? ITEM(i) + POLE * value : value;
  barrier(CLK_LOCAL_MEM_FENCE);
  WEFT_OF_THREAD long next = min(end + WARM, past);
  value = 0;
  if (begin < n && is_there) {
    if (next == n) value = spline_back(c, inner, n, a.border, ITEM(n - 1), ITEM(n - 2));
    if (next == n && end < n) next--;
    for (long i = next - 1; i >= end; i--) value = POLE * (value - ITEM(i));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_there)
    for (long i = end - 1; i >= begin; i--) ITEM(i) = value = i == n - 1 ? value : POLE * (value - ITEM(i));
  barrier(CLK_LOCAL_MEM_FENCE);
  const long stop = part + 1 == tiles ? n : base + TILE - WARM;
  for (long i = base + item / LANES; i < stop && is_there; i += PARTS) y[i * inner] = ITEM(i);
}
