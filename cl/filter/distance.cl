// SPDX-License-Identifier: MIT
// Euclidean distances to the nearest zero, along one axis after the other (weft__distance_args), by many
// work-items for a line, which is divided into parts of a.part elements.
//
// Along the first axis a part's first and last zeros are found, then each element's nearest zero. Along a later axis
// each i takes the least step * (i - k)^2 + f(k). The k of a lower i is not greater than the k of a higher one, so the
// k of every part's ends bound the search between them; and it ends where step * (i - k)^2 alone is greater.
// The text in front defines REAL, the type of distances.
// lint: -DREAL=float
// lint: -DREAL=double -DWEFT_FP64=1
#include "filter/regions_args.h"

#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define STEP_OF(bits) as_double(bits)
#else
#define STEP_OF(bits) as_float((uint)(bits))
#endif
#pragma OPENCL FP_CONTRACT OFF

// Sums of places along an axis may reach 2^31: lengths are up to 2^31 - 1.
#define PARTS(a) (((int)(a).length - 1) / (int)(a).part + 1)
#define PART_END(a, begin) ((begin) + (int)min((ulong)(a).part, (a).length - (ulong)(begin)))

// The first and the last zero of each part, or -1. A work-item for each part.
__kernel void weft_distance_ends(const weft__distance_args a, __global const uchar *from, __global uchar *ends) {
  const ulong id = get_global_id(0);
  const int inner = (int)a.inner, parts = PARTS(a), part = (int)(id / a.inner), column = (int)(id % a.inner);
  if (id >= (ulong)parts * a.inner) return;
  const int begin = part * (int)a.part, end = PART_END(a, begin);
  __global const uchar *x = from + a.from + column;
  __global int *first = (__global int *)(ends + a.stack) + column, *last = first + parts * inner;
  int low = begin, high = end - 1;
  while (low < end && x[low * inner]) low++;
  while (high > low && x[high * inner]) high--;
  first[part * inner] = low < end ? low : -1;
  last[part * inner] = low < end ? high : -1;
}

// The squared distance to the nearest zero in the line, and that zero. A work-item for each part.
__kernel void weft_distance_zeros(const weft__distance_args a, __global uchar *to, __global const uchar *from,
                                  __global uchar *nearest_to, __global const uchar *ends) {
  const ulong id = get_global_id(0);
  const int inner = (int)a.inner, parts = PARTS(a), part = (int)(id / a.inner), column = (int)(id % a.inner);
  if (id >= (ulong)parts * a.inner) return;
  const int begin = part * (int)a.part, end = PART_END(a, begin);
  const REAL step = STEP_OF(a.step);
  __global const uchar *x = from + a.from + column;
  __global const int *first = (__global const int *)(ends + a.stack) + column, *last = first + parts * inner;
  __global REAL *y = (__global REAL *)(to + a.to) + column;
  __global int *near_to = (__global int *)(nearest_to + a.nearest_to) + column;
  int before = -1, behind = -1;
  for (int p = part - 1; p >= 0 && before < 0; p--) before = last[p * inner];
  for (int p = part + 1; p < parts && behind < 0; p++) behind = first[p * inner];
  for (int i = end - 1; i >= begin; i--) {
    if (!x[i * inner]) behind = i;
    near_to[i * inner] = behind;
  }
  for (int i = begin; i < end; i++) {
    if (!x[i * inner]) before = i;
    behind = near_to[i * inner];
    const int is_behind = before < 0 || (behind >= 0 && behind - i < i - before), zero = is_behind ? behind : before;
    const REAL square = zero < 0 ? (REAL)INFINITY : step * (REAL)(i - zero) * (REAL)(i - zero);
    y[i * inner] = a.is_last ? sqrt(square) : square;
    near_to[i * inner] = zero < 0 ? -1 : column + zero * inner;
  }
}

// The k from `low` to `high` of the least *least = step * (i - k)^2 + f(k); -1: all f(k) are infinite.
static inline int distance_search(REAL *least, __global const REAL *f, int inner, int i, int low, int high, REAL step) {
  const int front = i - low, behind = high - i, most = max(front, behind);
  int found = -1, apart = max(max(-front, -behind), 0);
  REAL square = step * (REAL)apart * (REAL)apart;
  *least = INFINITY;
  while (square < *least && apart <= most) {
    if (apart <= front && apart >= -behind) {
      const REAL sum = square + f[(i - apart) * inner];
      if (sum < *least) *least = sum, found = i - apart;
    }
    if (apart <= behind && apart >= -front) {
      const REAL sum = square + f[(i + apart) * inner];
      if (sum < *least) *least = sum, found = i + apart;
    }
    apart++;
    square = step * (REAL)apart * (REAL)apart;
  }
  return found;
}

// Of a line of one element there is one.
#define ANCHORS(a) ((a).length < 2 ? 1 : ((int)(a).length - 2) / (int)(a).part + 2)

// The k of every a.part-th element, and of the last. A work-item for each.
__kernel void weft_distance_anchors(const weft__distance_args a, __global const uchar *from, __global uchar *anchors) {
  const ulong id = get_global_id(0), all = (ulong)ANCHORS(a) * a.inner, row = id / all, rest = id % all;
  if (row >= a.outer) return;
  const int n = (int)a.length, i = (int)min(rest / a.inner * a.part, a.length - 1);
  __global const REAL *f = (__global const REAL *)(from + a.from) + row * a.length * a.inner + rest % a.inner;
  REAL least;
  ((__global int *)(anchors + a.stack))[id] = distance_search(&least, f, (int)a.inner, i, 0, n - 1, STEP_OF(a.step));
}

// Squared distances, or with a.is_last distances, and with a.is_kept the nearest zeros. A work-item for each element.
__kernel void weft_distance_between(const weft__distance_args a, __global uchar *to, __global const uchar *from,
                                    __global uchar *nearest_to, __global const uchar *nearest_from,
                                    __global const uchar *anchors) {
  const ulong id = get_global_id(0), all = a.length * a.inner, row = id / all, rest = id % all;
  if (row >= a.outer) return;
  const int inner = (int)a.inner, i = (int)(rest / a.inner), column = (int)(rest % a.inner), part = i / (int)a.part;
  const int place = (int)(row * all) + column;
  __global const REAL *f = (__global const REAL *)(from + a.from) + place;
  __global const int *bound = (__global const int *)(anchors + a.stack) + (int)row * ANCHORS(a) * inner + column;
  const int one = bound[part * inner], other = bound[min(part + 1, ANCHORS(a) - 1) * inner];
  REAL least = INFINITY;
  /* rounding may exchange two k that are equally near */
  const int k = one < 0 ? -1 : distance_search(&least, f, inner, i, min(one, other), max(one, other), STEP_OF(a.step));
  ((__global REAL *)(to + a.to))[id] = a.is_last ? sqrt(least) : least;
  if (a.is_kept)
    ((__global int *)(nearest_to + a.nearest_to))[id] =
        k < 0 ? -1 : ((__global const int *)(nearest_from + a.nearest_from))[place + k * inner];
}

// The index of the nearest zeros along one axis.
__kernel void weft_distance_index(const weft__nearest_args a, __global uchar *to, __global const uchar *from) {
  const ulong i = get_global_id(0);
  if (i >= a.n) return;
  const int nearest = ((__global const int *)(from + a.from))[i];
  ((__global int *)(to + a.to))[i] = nearest < 0 ? -1 : (int)((ulong)nearest / a.inner % a.length);
}
