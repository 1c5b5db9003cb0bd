// SPDX-License-Identifier: MIT
// The unique elements of a sorted array: flags for the first element of each value, then the results from these. The
// text in front defines the macros of search/order.clh. A work-item has one element.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=3
#ifdef WEFT_LINT
#include "search/lint.clh"
#endif
#include "search/order.clh"

#define WANTS_FIRST 1u
#define WANTS_INVERSE 2u
#define WANTS_COUNTS 4u

__kernel void weft_unique_flags(const weft__search_args args, __global uchar *flags, __global const uchar *from) {
  __global const T *x = (__global const T *)(from + args.offset[0]);
  const ulong i = get_global_id(0);
  if (i < args.n) {
    flags[i] = i == 0 || !weft_is_same(KEY(x[i - (i > 0)]), KEY(x[i]));
  }
}

// places[i] is the number of first elements up to i. Unwanted results are not written.
__kernel void weft_unique_scatter(const weft__search_args args, __global uchar *values_to, __global uchar *first_to,
                         __global long *starts,
                        __global uchar *inverse_to, __global const uchar *from, __global const uchar *flags,
                                       __global const long *places,
                        __global const long *order) {
  __global T *values = (__global T *)(values_to + args.offset[0]);
  __global long *first = (__global long *)(first_to + args.offset[1]),
                *inverse = (__global long *)(inverse_to + args.offset[2]);
  __global const T *x = (__global const T *)(from + args.offset[3]);
  const ulong i = get_global_id(0);
  if (i < args.n) {
    const long place = places[i] - 1;
    if (flags[i]) {
      values[place] = x[i];
      if (args.wants & WANTS_FIRST) first[place] = order[i];
      if (args.wants & WANTS_COUNTS) starts[place] = (long)i;
    }
    if (args.wants & WANTS_INVERSE) inverse[order[i]] = place;
  }
}

// args.m is the number of unique elements.
__kernel void weft_unique_counts(const weft__search_args args, __global uchar *counts_to, __global const long *starts) {
  __global long *counts = (__global long *)(counts_to + args.offset[0]);
  const ulong i = get_global_id(0);
  if (i < args.m) {
    const ulong next = i + 1 < args.m ? (ulong)starts[i + 1] : args.n;
    counts[i] = (long)next - starts[i];
  }
}
