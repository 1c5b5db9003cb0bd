// SPDX-License-Identifier: MIT
// A filter with a window of any shape (weft__window_args) over a contiguous array. The text in front has the macros of
// number.clh and
//   AXES    the array's axes
//   COUNT   the elements of the window if they are few: RANK then has a network, and on GPUs loops are unrolled; else 0
//   PLACES  GPUs, COUNT > 0: the arguments have the elements' places, and no table is read
//   HEIGHT  GPUs, COUNT > 0, not RANK: the window is a box; its elements along the axis before the last one;
//           otherwise 0. WIDTH: its elements along the last axis. UP, LEFT: 1 where they come in falling order
//   NETWORK RANK, COUNT > 0: a list of X(i, j), each of which puts the lesser one of v[i] and v[j] first
//   MIDDLE  RANK, COUNT > 0: the number of the wanted element afterwards
// For RANK without a network also what cl/sort/key.clh needs.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0 -DREAL=float -DOP=0 -DAXES=2 -DCOUNT=0
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0 -DREAL=float -DOP=0 -DAXES=2 -DCOUNT=9 -DPLACES=1 -DHEIGHT=3 -DWIDTH=3 -DUP=1 -DLEFT=1
// lint: -DT=int -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=2 -DAXES=1 -DCOUNT=0
// lint: -DT=int -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=4 -DAXES=1 -DCOUNT=0 -DSORT_KEY_BYTES=4 -DSORT_KIND=0
// lint: -DT=int -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=4 -DAXES=2 -DCOUNT=2 -DPLACES=1 -DNETWORK=X(0,1) -DMIDDLE=0
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0 -DREAL=float -DOP=4 -DAXES=2 -DCOUNT=2 -DNETWORK=X(0,1) -DMIDDLE=0
#pragma OPENCL FP_CONTRACT OFF
#include "filter/number.clh"
#include "rearrange/args.h"
#include "rearrange/border.clh"

#define LAST (AXES - 1)
#if COUNT > 0
#define LINEAR(k) (a->linear[k]) // constants' memory, as all k are known
#define TAPS COUNT
#else
#define LINEAR(k) (table[(k) * (AXES + 1)])
#define TAPS ((long)a->taps)
#endif
#if PLACES
#define PLACE(k, d) ((long)a->place[(k) * AXES + (d)])
#else
#define PLACE(k, d) (table[(k) * (AXES + 1) + 1 + (d)])
#endif
#if OP == WEFT__FILTER_SUM
#define WEIGHT(k) (weight[k])
#else
#define WEIGHT(k) ((void)weight, (REAL)0)  // without weights
#endif

// Element k of the window around the element at p, which may be near a border.
static inline T window_outside(__global const T *x, const long *p, long k, __global const long *table,
                               const weft__window_args *a) {
  long at = 0;
  for (int d = 0; d < AXES; d++) {
    const long t = weft_inside(p[d] + PLACE(k, d), a->shape[d], a->border);
    if (t < 0) return filter_fill(a->fill);
    at = at * a->shape[d] + t;
  }
  return x[at];
}

// Whether the window around the elements at p is inside, along all axes but the last.
static inline bool window_row_inside(const long *p, const weft__window_args *a) {
  bool is_inside = true;
  for (int d = 0; d < LAST; d++) is_inside = is_inside && p[d] >= a->near[d] && p[d] < a->shape[d] - a->past[d];
  return is_inside;
}

#define TAP(k) (is_inside ? here[LINEAR(k)] : window_outside(x, p, k, table, a))
#if OP == WEFT__FILTER_RANK && COUNT > 0
// Elements as numbers whose order a minimum and a maximum keep: floats by their bits as integers, NaN last.
#if T_FLOAT && T_DIGITS > 24
#define ORDERED long
#define ORDERED_OF(x) (isnan(x) ? LONG_MAX : ORDERED_BITS(as_long(x)))
#define ORDERED_NUMBER(x) as_double(ORDERED_BITS(x))
#define ORDERED_BITS(x) ((x) ^ ((x) >> 63 & LONG_MAX))
#elif T_FLOAT
#define ORDERED int
#define ORDERED_OF(x) (isnan(x) ? INT_MAX : ORDERED_BITS(as_int(x)))
#define ORDERED_NUMBER(x) as_float(ORDERED_BITS(x))
#define ORDERED_BITS(x) ((x) ^ ((x) >> 31 & INT_MAX))
#else
#define ORDERED T_NUMBER
#define ORDERED_OF(x) (x)
#define ORDERED_NUMBER(x) (x)
#endif
static inline ORDERED window_ordered(T x) {
  const T_NUMBER number = T_LOAD(x);
  return ORDERED_OF(number);
}
// Puts the lesser one of two elements first.
#define X(i, j)                                 \
  {                                             \
    const ORDERED first = v[i], second = v[j];  \
    v[i] = min(first, second);                  \
    v[j] = max(first, second);                  \
  }
static inline T window_of(__global const T *x, __global const T *here, const long *p, bool is_inside,
                          __global const long *table, __global const REAL *weight, const weft__window_args *a) {
  ORDERED v[COUNT];
  if (is_inside) {
    _Pragma("unroll") for (int k = 0; k < COUNT; k++) v[k] = window_ordered(here[LINEAR(k)]);
  } else {
    T edge[COUNT]; // of its own: v stays in registers, as all of its indices are constants
    _Pragma("unroll 1") for (int k = 0; k < COUNT; k++) edge[k] = window_outside(x, p, k, table, a);
    _Pragma("unroll") for (int k = 0; k < COUNT; k++) v[k] = window_ordered(edge[k]);
  }
  NETWORK
  return T_STORE(ORDERED_NUMBER(v[MIDDLE]));
}
#elif OP == WEFT__FILTER_RANK
#include "sort/key.clh"
static inline sort_order window_key(T x, const weft__window_args *a) {
  return sort_order_of(*(__private const sort_key *)&x, 0, a->flip_top);
}
// Finds the wanted element's key bit by bit: the greatest key that at most `rank` elements are below.
static inline T window_of(__global const T *x, __global const T *here, const long *p, bool is_inside,
                          __global const long *table, __global const REAL *weight, const weft__window_args *a) {
  const long taps = (long)a->taps;
  sort_order key = 0;
  for (int bit = 8 * SORT_KEY_BYTES - 1; bit >= 0; bit--) {
    const sort_order candidate = key | (sort_order)1 << bit;
    ulong below = 0;
    for (long k = 0; k < taps; k++) below += window_key(TAP(k), a) < candidate;
    if (below <= a->rank) key = candidate;
  }
  for (long k = 0; k < taps; k++) {
    const T value = TAP(k);
    if (window_key(value, a) == key) return value;
  }
  return TAP(0);
}
#else
static inline T window_of(__global const T *x, __global const T *here, const long *p, bool is_inside,
                          __global const long *table, __global const REAL *weight, const weft__window_args *a) {
  filter_number sum;
  if (is_inside) {
    sum = FILTER_FIRST(WEIGHT(0), FILTER_LOAD(here[LINEAR(0)]));
#if COUNT > 0
    _Pragma("unroll")
#endif
    for (long k = 1; k < TAPS; k++) sum = FILTER_NEXT(sum, WEIGHT(k), FILTER_LOAD(here[LINEAR(k)]));
  } else {
    sum = FILTER_FIRST(WEIGHT(0), FILTER_LOAD(window_outside(x, p, 0, table, a)));
    _Pragma("unroll 1") for (long k = 1; k < TAPS; k++)
      sum = FILTER_NEXT(sum, WEIGHT(k), FILTER_LOAD(window_outside(x, p, k, table, a)));
  }
  return filter_store(sum, a->taps);
}
#endif

// The indices along all axes but the last of row `row`.
static inline void window_row(long *p, ulong row, const weft__window_args *a) {
  for (int d = LAST - 1; d >= 0; d--) {
    const ulong length = (ulong)a->shape[d];
    const ulong above = row < 0x80000000u && length < 0x80000000u ? (uint)row / (uint)length : row / length;
    p[d] = (long)(row - above * length);
    row = above;
  }
}

#if HEIGHT > 0
#define EACH WEFT__WINDOW_EACH
#define AREA (HEIGHT * WIDTH)

// As weft_inside, for -n < t < 2 n - 1 and without branches.
static inline long weft_inside_once(long t, long n, int border) {
  const bool wraps = border == WEFT__BORDER_WRAP, reflects = border == WEFT__BORDER_REFLECT;
  const bool mirrors = reflects || border == WEFT__BORDER_SYMMETRIC, holds = border == WEFT__BORDER_EDGE;
  const long below = wraps ? n : reflects || holds ? 0 : -1;
  const long above = wraps ? -n : reflects ? 2 * n - 2 : mirrors ? 2 * n - 1 : holds ? n - 1 : -1;
  const long turned = wraps ? t : mirrors ? -t : 0;
  return t < 0 ? turned + below : t >= n ? turned + above : t;
}

// The offsets in x of the rows and columns of a box around the elements at p; -1 where the border is a constant. The
// box reaches less than an axis' length beyond the array.
static inline void window_places(long *line, long *column, const long *p, int box, __global const long *table,
                                 const weft__window_args *a) {
  const long rows = a->shape[LAST - 1], length = a->shape[LAST], last = rows - 1 + a->past[LAST - 1];
  long plane = 0;
  for (int d = 0; d < LAST - 1; d++) {
    const long t = weft_inside_once(p[d] + PLACE(box * AREA, d), a->shape[d], a->border);
    plane = plane < 0 || t < 0 ? -1 : plane * a->shape[d] + t;
  }
#pragma unroll
  for (int r = 0; r < HEIGHT + EACH - 1; r++) {
    /* of windows below the array nothing is stored */
    const long t = min(p[LAST - 1] + PLACE(box * AREA, LAST - 1) + (UP ? EACH - 1 - r : r), last);
    const long row = weft_inside_once(t, rows, a->border);
    line[r] = plane < 0 || row < 0 ? -1 : (plane * rows + row) * length;
  }
#pragma unroll
  for (int w = 0; w < WIDTH; w++)
    column[w] = weft_inside_once(p[LAST] + PLACE(box * AREA, LAST) + (LEFT ? -w : w), length, a->border);
}

// The elements of windows below each other are mostly the same: a work-item loads each once for all of its windows,
// of which there are `count`, around the elements at p and below. Every sum has its terms in the order of the window's
// elements. `inside`: all windows are; it is a constant in both calls. `here`: the element at p.
static inline __attribute__((always_inline)) void window_box(__global T *y, int count, __global const T *x,
                                                             __global const T *here, bool inside, const long *p,
                                                             __global const long *table, __global const REAL *weight,
                                                             const weft__window_args *a) {
  const long length = a->shape[LAST];
  const T fill = filter_fill(a->fill);
  filter_number sum[EACH];
#pragma unroll
  for (int box = 0; box < COUNT / AREA; box++) {
    long line[HEIGHT + EACH - 1], column[WIDTH];
    __global const T *first = here + LINEAR(box * AREA);
    if (!inside) window_places(line, column, p, box, table, a);
#pragma unroll
    for (int t = 0; t < HEIGHT + EACH - 1; t++)
#pragma unroll
      for (int w = 0; w < WIDTH; w++) {
        T tap;
        if (inside) {
          tap = first[(UP ? EACH - 1 - t : t) * length + (LEFT ? -w : w)];
        } else {
          tap = x[max(line[t] + column[w], 0l)];
          if (line[t] < 0 || column[w] < 0) tap = fill;
        }
        const filter_number value = FILTER_LOAD(tap);
#pragma unroll
        for (int s = 0; s < EACH; s++) {
          const int h = t - (UP ? EACH - 1 - s : s), k = box * AREA + h * WIDTH + w;
          if (h < 0 || h >= HEIGHT) continue;
          sum[s] = k == 0 ? FILTER_FIRST(WEIGHT(0), value) : FILTER_NEXT(sum[s], WEIGHT(k), value);
        }
      }
  }
#pragma unroll
  for (int s = 0; s < EACH; s++)
    if (s < count) y[s * length] = filter_store(sum[s], COUNT);
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_filter_window(const weft__window_args a, __global uchar *restrict to, __global const uchar *restrict from,
                        __global const uchar *restrict tables, __global const uchar *restrict weights) {
  const ulong i = get_global_id(0), length = (ulong)a.shape[LAST], bands = a.parts;
  if (i >= a.n) return;
  __global const T *x = (__global const T *)(from + a.from);
  __global T *y = (__global T *)(to + a.to);
  __global const long *table = (__global const long *)(tables + a.table);
  __global const REAL *weight = (__global const REAL *)(weights + a.weights);
  const ulong band = a.n < 0x80000000u ? (uint)i / (uint)length : i / length;
  const ulong plane = max(band, bands) < 0x80000000u ? (uint)band / (uint)bands : band / bands;
  const long rows = a.shape[LAST - 1], begin = (long)(band - plane * bands) * EACH;
  const int count = (int)min((long)EACH, rows - begin);
  const ulong row = plane * (ulong)rows + (ulong)begin;
  long p[AXES];
  p[LAST] = (long)(i - band * length);
  window_row(p, row, &a);
  const ulong place = row * length + (ulong)p[LAST];
  const bool is_inside = window_row_inside(p, &a) && begin + EACH <= rows - a.past[LAST - 1] &&
                         p[LAST] >= a.near[LAST] && p[LAST] < (long)length - a.past[LAST];
  bool is_near = true;
  for (int d = 0; d < AXES; d++) is_near = is_near && a.near[d] < a.shape[d] && a.past[d] < a.shape[d];
  if (is_inside) {
    window_box(y + place, EACH, x, x + place, true, p, table, weight, &a);
  } else if (is_near) {
    window_box(y + place, count, x, x + place, false, p, table, weight, &a);
  } else {
    for (int r = 0; r < count; r++) {
      p[LAST - 1] = begin + r;
      const ulong at = place + (ulong)r * length;
      y[at] = window_of(x, x + at, p, false, table, weight, &a);
    }
  }
}
#else
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_filter_window(const weft__window_args a, __global uchar *restrict to, __global const uchar *restrict from,
                        __global const uchar *restrict tables, __global const uchar *restrict weights) {
  const ulong i = get_global_id(0), length = (ulong)a.shape[LAST];
  if (i >= a.n) return;
  __global const T *x = (__global const T *)(from + a.from);
  __global const long *table = (__global const long *)(tables + a.table);
  __global const REAL *weight = (__global const REAL *)(weights + a.weights);
  const ulong row = a.n < 0x80000000u ? (uint)i / (uint)length : i / length;
  long p[AXES];
  p[LAST] = (long)(i - row * length);
  window_row(p, row, &a);
  const bool is_inside =
      window_row_inside(p, &a) && p[LAST] >= a.near[LAST] && p[LAST] < (long)length - a.past[LAST];
  ((__global T *)(to + a.to))[i] = window_of(x, x + i, p, is_inside, table, weight, &a);
}
#endif
