// SPDX-License-Identifier: MIT
// Two filters with windows along the last two axes of a contiguous array, one after the other in local memory
// (weft__plane_args). The text in front has the macros of number.clh and
//   DOWN, ACROSS   elements of the windows along the last axis but one and along the last
//   DOWN_FIRST     1: the first filter is the one along the last axis but one
//   HEIGHT, WIDTH  elements of a work-group
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0 -DREAL=float -DOP=0 -DDOWN=5 -DACROSS=3 -DDOWN_FIRST=1 -DHEIGHT=8 -DWIDTH=32
// lint: -DT=uchar -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=2 -DDOWN=5 -DACROSS=3 -DDOWN_FIRST=0 -DHEIGHT=8 -DWIDTH=32
#pragma OPENCL FP_CONTRACT OFF
#include "filter/number.clh"
#include "rearrange/args.h"
#include "rearrange/border.clh"

#define TILE_HEIGHT (HEIGHT + DOWN - 1)
#define TILE_WIDTH (WIDTH + ACROSS - 1)
#if DOWN_FIRST
#define MIDDLE_HEIGHT HEIGHT
#define MIDDLE_WIDTH TILE_WIDTH
#define FIRST_TAPS DOWN
#define FIRST_STEP TILE_WIDTH
#define NEXT_TAPS ACROSS
#define NEXT_STEP 1
#else
#define MIDDLE_HEIGHT TILE_HEIGHT
#define MIDDLE_WIDTH WIDTH
#define FIRST_TAPS ACROSS
#define FIRST_STEP 1
#define NEXT_TAPS DOWN
#define NEXT_STEP WIDTH
#endif
#if OP == WEFT__FILTER_SUM
#define WEIGHT(k, taps, n) (weight[a.is_reversed[n] ? (taps) - 1 - (k) : (k)])
#else
#define WEIGHT(k, taps, n) ((void)weight, (REAL)0)  // without weights
#endif

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_filter_plane(const weft__plane_args a, __global uchar *restrict to, __global const uchar *restrict from,
                       __global const uchar *restrict weights, __global const uchar *restrict next_weights) {
  __local T tile[TILE_HEIGHT * TILE_WIDTH], middle[MIDDLE_HEIGHT * MIDDLE_WIDTH];
  const int thread = (int)get_local_id(0), rows = (int)a.rows, columns = (int)a.columns;
  const uint group = (uint)get_group_id(0), band = group / a.across, plane = band / a.down;
  const int top = (int)(band - plane * a.down) * HEIGHT, left = (int)(group - band * a.across) * WIDTH;
  const int above = top - (int)a.before[0], before = left - (int)a.before[1];
  __global const T *x = (__global const T *)(from + a.from) + (ulong)plane * (a.rows * a.columns);
  __global T *y = (__global T *)(to + a.to) + (ulong)plane * (a.rows * a.columns);
  const bool inside = above >= 0 && above + TILE_HEIGHT <= rows && before >= 0 && before + TILE_WIDTH <= columns;
  if (inside) {
    x += (long)above * columns + before;
#pragma unroll 4
    for (int e = thread; e < TILE_HEIGHT * TILE_WIDTH; e += 256)
      tile[e] = x[(long)(e / TILE_WIDTH) * columns + e % TILE_WIDTH];
  } else {
    for (int e = thread; e < TILE_HEIGHT * TILE_WIDTH; e += 256) {
      const long i = weft_inside(above + e / TILE_WIDTH, rows, a.border);
      const long j = weft_inside(before + e % TILE_WIDTH, columns, a.border);
      tile[e] = i < 0 || j < 0 ? filter_fill(a.fill) : x[i * columns + j];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __global const REAL *weight = (__global const REAL *)(weights + a.weights[0]);
  for (int e = thread; e < MIDDLE_HEIGHT * MIDDLE_WIDTH; e += 256) {
    const int i = e / MIDDLE_WIDTH, j = e % MIDDLE_WIDTH, at = i * TILE_WIDTH + j;
    filter_number sum = FILTER_FIRST(WEIGHT(0, FIRST_TAPS, 0), FILTER_LOAD(tile[at]));
#pragma unroll
    for (int k = 1; k < FIRST_TAPS; k++)
      sum = FILTER_NEXT(sum, WEIGHT(k, FIRST_TAPS, 0), FILTER_LOAD(tile[at + k * FIRST_STEP]));
    const int place = DOWN_FIRST ? before + j : above + i;
    /* the second filter has the same constant outside of the array as the first */
    const bool is_filled = a.border == WEFT__BORDER_CONSTANT && (place < 0 || place >= (DOWN_FIRST ? columns : rows));
    middle[e] = is_filled ? filter_fill(a.fill) : filter_store(sum, FIRST_TAPS);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  weight = (__global const REAL *)(next_weights + a.weights[1]);
  for (int e = thread; e < HEIGHT * WIDTH; e += 256) {
    const int i = e / WIDTH, j = e % WIDTH, at = i * MIDDLE_WIDTH + j;
    filter_number sum = FILTER_FIRST(WEIGHT(0, NEXT_TAPS, 1), FILTER_LOAD(middle[at]));
#pragma unroll
    for (int k = 1; k < NEXT_TAPS; k++)
      sum = FILTER_NEXT(sum, WEIGHT(k, NEXT_TAPS, 1), FILTER_LOAD(middle[at + k * NEXT_STEP]));
    if (top + i < rows && left + j < columns) y[(long)(top + i) * columns + left + j] = filter_store(sum, NEXT_TAPS);
  }
}
