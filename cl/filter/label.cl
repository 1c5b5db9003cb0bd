// SPDX-License-Identifier: MIT
// Connected regions (weft__label_args). Each element of a region links to an earlier one of the region, the first one
// to itself; the background has -1. AXES: the array's axes.
// lint: -DAXES=2
#include "filter/regions_args.h"

// A link, which other blocks change at the same time: a volatile access is never torn on NVIDIA; elsewhere only atomic
// functions promise it.
#ifdef cl_nv_pragma_unroll
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

__kernel void weft_label_begin(const weft__label_args a, __global uchar *links, __global const uchar *from) {
  const ulong i = get_global_id(0);
  if (i < a.n) ((__global int *)(links + a.links))[i] = (from + a.from)[i] ? (int)i : -1;
}

// Links the regions of an element and of its neighbours in front.
__kernel void weft_label_join(const weft__label_args a, __global uchar *links, __global const uchar *tables) {
  const ulong i = get_global_id(0);
  volatile __global int *link = (volatile __global int *)(links + a.links);
  __global const long *table = (__global const long *)(tables + a.table);
  if (i >= a.n || LOAD(&link[i]) < 0) return;
  long p[AXES];
  ulong rest = i;
  for (int d = AXES - 1; d >= 0; d--) {
    const ulong above = rest / (ulong)a.shape[d];
    p[d] = (long)(rest - above * (ulong)a.shape[d]);
    rest = above;
  }
  for (ulong k = 0; k < a.neighbours; k++) {
    long at = 0;
    bool is_inside = true;
    for (int d = 0; d < AXES; d++) {
      const long t = p[d] + table[k * AXES + d];
      is_inside = is_inside && t >= 0 && t < a.shape[d];
      at = at * a.shape[d] + t;
    }
    if (!is_inside || LOAD(&link[at]) < 0) continue;
    int one = label_first(link, (int)i), other = label_first(link, (int)at);
    while (one != other) {
      const int early = min(one, other), late = max(one, other);
      const int old = atomic_min(&link[late], early);
      if (old == late) break;  // it was the first one of its region
      one = label_first(link, early);
      other = label_first(link, old);
    }
  }
}

// Links each element to its region's first one, and counts these: 1 for a first element, else 0.
__kernel void weft_label_flatten(const weft__label_args a, __global uchar *links, __global uchar *numbers) {
  const ulong i = get_global_id(0);
  volatile __global int *link = (volatile __global int *)(links + a.links);
  if (i >= a.n) return;
  const int first = LOAD(&link[i]) < 0 ? -1 : label_first(link, (int)i);
  STORE(&link[i], first);
  ((__global int *)(numbers + a.numbers))[i] = first == (int)i;
}

// numbers: how many first elements there are up to each element.
__kernel void weft_label_store(const weft__label_args a, __global uchar *to, __global const uchar *links,
                               __global const uchar *numbers) {
  const ulong i = get_global_id(0);
  if (i >= a.n) return;
  const int first = ((__global const int *)(links + a.links))[i];
  ((__global int *)(to + a.to))[i] = first < 0 ? 0 : ((__global const int *)(numbers + a.numbers))[first];
}
