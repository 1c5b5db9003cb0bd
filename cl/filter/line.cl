// SPDX-License-Identifier: MIT
// A filter with a window along one axis of a contiguous array (weft__line_args). The text in front has the macros of
// number.clh and
//   TAPS    the elements of the window if they are known when the kernel is built, else 0
//   TILE    the elements of a tile beyond LANES * WEFT__FILTER_EACH, if lines are read by way of local memory;
//           otherwise 0
//   LANES   work-items beside each other in a line
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0 -DREAL=float -DOP=0 -DTAPS=9 -DTILE=16 -DLANES=64
// lint: -DT=uchar -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=1 -DTAPS=0 -DTILE=0 -DLANES=1
// lint: -DT=int -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=2 -DTAPS=0 -DTILE=0 -DLANES=1
#pragma OPENCL FP_CONTRACT OFF
#include "filter/number.clh"
#include "rearrange/args.h"
#include "rearrange/border.clh"

#define EACH WEFT__FILTER_EACH
#define STEP WEFT__FILTER_STEP
#if OP == WEFT__FILTER_SUM
#define WEIGHT(k) (weight[a.is_reversed ? taps - 1 - (k) : (k)])
#else
#define WEIGHT(k) ((void)weight, (REAL)0)  // without weights
#endif
#if TAPS > 0
#define UNROLL_TAPS _Pragma("unroll")
#else
#define UNROLL_TAPS _Pragma("unroll 1")
#endif

// Element e of a line, counted in elements; e may be in front of the line or behind it.
static inline T filter_outside(__global const T *line, long e, const weft__line_args *a) {
  const long inner = (long)a->inner;
  long p = e / inner, c = e - p * inner;
  if (c < 0) p--, c += inner;
  p = weft_inside(p, (long)a->length, a->border);
  return p < 0 ? filter_fill(a->fill) : line[p * inner + c];
}

#if TILE > 0
#define WIDTH (LANES * EACH + TILE)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_filter_line(const weft__line_args a, __global uchar *restrict to, __global const uchar *restrict from,
                      __global const uchar *restrict weights) {
  __local T tile[256 / LANES][WIDTH];
  __global const REAL *weight = (__global const REAL *)(weights + a.weights);
#if TAPS > 0
  const long taps = TAPS;
#else
  const long taps = (long)a.taps;
#endif
  const int local_id = (int)get_local_id(0), lane = local_id % LANES, beside = local_id / LANES, inner = (int)a.inner;
  const ulong group = get_group_id(0), rows = group / a.parts;
  const long begin = (long)(group - rows * a.parts) * (LANES * EACH), elements = (long)(a.length * a.inner);
  const ulong row = rows * (256 / LANES) + beside;
  __global const T *x = (__global const T *)(from + a.from) + (long)row * elements;
  __global T *y = (__global T *)(to + a.to) + (long)row * elements;
  const int width = (int)(min(elements - begin, (long)(LANES * EACH)) + (taps - 1) * inner);
  const long shift = begin - (long)a.before * inner;
  for (int e = lane; e < width && row < a.outer; e += LANES) {
    const long at = shift + e;
    tile[beside][e] = at >= 0 && at < elements ? x[at] : filter_outside(x, at, &a);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int v = 0; v < EACH; v++) {
    const int i = lane + v * LANES;
    if (row >= a.outer || begin + i >= elements) continue;
    filter_number sum = FILTER_FIRST(WEIGHT(0), FILTER_LOAD(tile[beside][i]));
    UNROLL_TAPS for (int k = 1; k < taps; k++)
      sum = FILTER_NEXT(sum, WEIGHT(k), FILTER_LOAD(tile[beside][i + k * inner]));
    y[begin + i] = filter_store(sum, (ulong)taps);
  }
}
#else
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_filter_line(const weft__line_args a, __global uchar *restrict to, __global const uchar *restrict from,
                      __global const uchar *restrict weights) {
  __global const REAL *weight = (__global const REAL *)(weights + a.weights);
#if TAPS > 0
  const long taps = TAPS;
#else
  const long taps = (long)a.taps;
#endif
  const ulong i = get_global_id(0), total = a.outer * a.parts * a.inner;
  if (i >= total) return;
  ulong rest, row;
  if (total < 0x80000000u) {
    rest = (uint)i / (uint)a.inner;
    row = (uint)rest / (uint)a.parts;
  } else {
    rest = i / a.inner;
    row = rest / a.parts;
  }
  const long inner = (long)a.inner, elements = (long)a.length * inner;
  const long first = (long)(rest - row * a.parts) * STEP, begin = first - (long)a.before;
  const long place = (long)row * elements + (long)(i - rest * a.inner);
  __global const T *x = (__global const T *)(from + a.from) + place;
  __global T *y = (__global T *)(to + a.to) + place;
  filter_number sum[STEP];
  if (begin >= 0 && begin + STEP + taps - 1 <= (long)a.length) {
    x += begin * inner;
    UNROLL_TAPS for (int t = 0; t < STEP + taps - 1; t++) {
      const filter_number value = FILTER_LOAD(x[t * inner]);
      _Pragma("unroll") for (int s = 0; s < STEP; s++) {
        const int k = t - s;
        if (k == 0) sum[s] = FILTER_FIRST(WEIGHT(0), value);
        if (k > 0 && k < taps) sum[s] = FILTER_NEXT(sum[s], WEIGHT(k), value);
      }
    }
  } else {
    _Pragma("unroll 1") for (long t = 0; t < STEP + taps - 1; t++) {
      const long p = weft_inside(begin + t, (long)a.length, a.border);
      const filter_number value = FILTER_LOAD(p < 0 ? filter_fill(a.fill) : x[p * inner]);
      _Pragma("unroll") for (int s = 0; s < STEP; s++) {
        const long k = t - s;
        if (k == 0) sum[s] = FILTER_FIRST(WEIGHT(0), value);
        if (k > 0 && k < taps) sum[s] = FILTER_NEXT(sum[s], WEIGHT(k), value);
      }
    }
  }
  y += first * inner;
  _Pragma("unroll") for (int s = 0; s < STEP; s++)
    if (first + s < (long)a.length) y[s * inner] = filter_store(sum[s], (ulong)taps);
}
#endif
