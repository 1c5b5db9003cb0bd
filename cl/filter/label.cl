// SPDX-License-Identifier: MIT
// Connected regions (weft__label_args). Each element of a region links to an earlier one of the region, the first one
// to itself; the background has -1. AXES: the array's axes. ITEM: elements of a work-item, in order; 1 on GPUs.
// lint: -DAXES=2 -DITEM=1
// lint: -DAXES=3 -DITEM=1024
#include "filter/regions_args.h"

// A link, which other blocks change at the same time: a volatile access is never torn on NVIDIA and on CPUs; elsewhere
// only atomic functions promise it.
#if defined(cl_nv_pragma_unroll) || ITEM > 1
#define LOAD(link) (*(link))
#define STORE(link, i) (*(link) = (i))
#else
#define LOAD(link) atomic_add((link), 0)
#define STORE(link, i) atomic_xchg((link), (i))
#endif

// The first element that is reached from i. Others may shorten the way at the same time.
static inline int label_first(volatile __global int *link, int i) {
  int next = LOAD(&link[i]);
  while (next != i) {
    i = next;
    next = LOAD(&link[i]);
  }
  return i;
}

#define FEW 13 // neighbours in front in three axes

#define BEGIN ((ulong)get_global_id(0) * ITEM)
#define END min(BEGIN + ITEM, (ulong)a.n)

__kernel void weft_label_begin(const weft__label_args a, __global uchar *links, __global const uchar *from) {
  __global int *restrict link = (__global int *)(links + a.links);
  __global const uchar *restrict x = from + a.from;
  for (ulong i = BEGIN; i < END; i++) link[i] = x[i] ? (int)i : -1;
}

// Links the regions of two elements. Result: the first element of both.
static inline int label_unite(volatile __global int *link, int one, int other) {
  one = label_first(link, one);
  other = label_first(link, other);
  while (one != other) {
    const int early = min(one, other), late = max(one, other);
    const int old = atomic_min(&link[late], early);
    if (old == late) return early;  // it was the first one of its region
    one = label_first(link, early);
    other = label_first(link, old);
  }
  return one;
}

// Links the regions of an element and of its neighbours in front.
__kernel void weft_label_join(const weft__label_args a, __global uchar *links, __global const uchar *tables) {
  volatile __global int *link = (volatile __global int *)(links + a.links);
  __global const long *table = (__global const long *)(tables + a.table);
  long p[AXES];
  ulong rest = BEGIN;
  for (int d = AXES - 1; d >= 0; d--) {
    const ulong above = rest / (ulong)a.shape[d];
    p[d] = (long)(rest - above * (ulong)a.shape[d]);
    rest = above;
  }
#if ITEM > 1
  long apart[FEW]; // from an element to its neighbours, which an element inside has all
  const ulong few = a.neighbours <= FEW ? a.neighbours : 0;
  for (ulong k = 0; k < few; k++) {
    apart[k] = 0;
    for (int d = 0; d < AXES; d++) apart[k] = apart[k] * a.shape[d] + table[k * AXES + d];
  }
#endif
  for (ulong i = BEGIN; i < END; i++) {
    if (LOAD(&link[i]) >= 0) {
      int first = (int)i;
      ulong k = 0;
#if ITEM > 1
      bool all_inside = true;
      for (int d = 0; d < AXES; d++) all_inside = all_inside && p[d] > 0 && p[d] < a.shape[d] - 1;
      for (; k < few && all_inside; k++) {
        const long at = (long)i + apart[k];
        if (LOAD(&link[at]) >= 0) first = label_unite(link, first, (int)at);
      }
#endif
      for (; k < a.neighbours; k++) {
        long at = 0;
        bool is_inside = true;
        for (int d = 0; d < AXES; d++) {
          const long t = p[d] + table[k * AXES + d];
          is_inside = is_inside && t >= 0 && t < a.shape[d];
          at = at * a.shape[d] + t;
        }
        if (is_inside && LOAD(&link[at]) >= 0) first = label_unite(link, first, (int)at);
      }
      // shortens the way of later elements; a link to a first element is never overwritten
      if (ITEM > 1 && first != (int)i) STORE(&link[i], first);
    }
    for (int d = AXES - 1; d >= 0 && ++p[d] == a.shape[d]; d--) p[d] = 0;
  }
}

// Links each element to its region's first one, and counts these: 1 for a first element, else 0.
__kernel void weft_label_flatten(const weft__label_args a, __global uchar *links, __global uchar *numbers) {
  volatile __global int *link = (volatile __global int *)(links + a.links);
  __global int *number = (__global int *)(numbers + a.numbers);
  for (ulong i = BEGIN; i < END; i++) {
    /* without branches for the background, which would be mispredicted */
    const int begun = LOAD(&link[i]), is_outside = begun >> 31;
    int at = (begun & ~is_outside) | ((int)i & is_outside), next = (LOAD(&link[at]) & ~is_outside) | (at & is_outside);
    if (next != at) at = label_first(link, next);
    const int first = at | is_outside;
    STORE(&link[i], first);
    number[i] = first == (int)i;
  }
}

// numbers: how many first elements there are up to each element.
__kernel void weft_label_store(const weft__label_args a, __global uchar *to, __global const uchar *links,
                               __global const uchar *numbers) {
  __global const int *restrict link = (__global const int *)(links + a.links);
  __global const int *restrict number = (__global const int *)(numbers + a.numbers);
  __global int *restrict label = (__global int *)(to + a.to);
  for (ulong i = BEGIN; i < END; i++) {
    const int first = link[i], value = number[max(first, 0)]; /* a branch would be mispredicted */
    label[i] = first < 0 ? 0 : value;
  }
}
