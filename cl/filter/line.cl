// SPDX-License-Identifier: MIT
// A filter with a window along one axis of a contiguous array (weft__line_args). The text in front has the macros of
// number.clh and
//   TAPS    the elements of the window if they are known when the kernel is built, else 0
//   TILE    GPUs: the elements of a tile beyond LANES * WEFT__FILTER_EACH, if lines are read by way of local memory;
//           otherwise 0
//   LANES   GPUs: work-items beside each other in a line
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0 -DREAL=float -DOP=0 -DTAPS=9 -DTILE=16 -DLANES=64
// lint: -DT=uchar -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=1 -DTAPS=0 -DTILE=0 -DLANES=1
// lint: -DT=int -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=2 -DTAPS=0 -DTILE=0 -DLANES=1 -DWEFT_CPU
#pragma OPENCL FP_CONTRACT OFF
#include "filter/number.clh"
#include "rearrange/args.h"
#include "rearrange/border.clh"

#define CHUNK WEFT__FILTER_CHUNK
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

#ifdef WEFT_CPU
static inline void filter_inside(__global T *restrict y, __global const T *restrict x, long count, long inner,
                                 const weft__line_args a, __global const REAL *restrict weight) {
  const long taps = (long)a.taps;
  filter_number sum[CHUNK];
  for (long i = 0; i < count; i++) sum[i] = FILTER_FIRST(WEIGHT(0), FILTER_LOAD(x[i]));
  for (long k = 1; k < taps; k++) {
    const REAL w = WEIGHT(k);
    x += inner;
    for (long i = 0; i < count; i++) sum[i] = FILTER_NEXT(sum[i], w, FILTER_LOAD(x[i]));
  }
  for (long i = 0; i < count; i++) y[i] = filter_store(sum[i], a.taps);
}

// Elements begin to end of a line, one by one.
static inline void filter_slowly(__global T *y, __global const T *x, long begin, long end, const weft__line_args a,
                                 __global const REAL *weight) {
  const long taps = (long)a.taps, inner = (long)a.inner;
  for (long e = begin; e < end; e++) {
    long at = e - (long)a.before * inner;
    filter_number sum = FILTER_FIRST(WEIGHT(0), FILTER_LOAD(filter_outside(x, at, &a)));
    for (long k = 1; k < taps; k++)
      sum = FILTER_NEXT(sum, WEIGHT(k), FILTER_LOAD(filter_outside(x, at + k * inner, &a)));
    y[e] = filter_store(sum, a.taps);
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void weft_filter_line(const weft__line_args a, __global uchar *to, __global const uchar *from,
                      __global const uchar *weights) {
  __global const REAL *weight = (__global const REAL *)(weights + a.weights);
  const long before = (long)a.before, after = (long)a.taps - 1 - before, inner = (long)a.inner;
  const long elements = (long)a.length * inner;
  const ulong first = (ulong)get_global_id(0) * a.share, last = min(first + a.share, (ulong)(a.outer * a.parts));
  for (ulong part = first; part < last; part++) {
    const ulong row = part / a.parts;
    const long begin = (long)(part - row * a.parts) * CHUNK, end = min(begin + CHUNK, elements);
    const long lower = clamp(before * inner, begin, end);
    const long upper = clamp(((long)a.length - after) * inner, lower, end);
    __global const T *x = (__global const T *)(from + a.from) + (long)row * elements;
    __global T *y = (__global T *)(to + a.to) + (long)row * elements;
    filter_slowly(y, x, begin, lower, a, weight);
    if (upper > lower) filter_inside(y + lower, x + (lower - before * inner), upper - lower, inner, a, weight);
    filter_slowly(y, x, upper, end, a, weight);
  }
}
#elif TILE > 0
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
