// SPDX-License-Identifier: MIT
// The element of a rank in windows of many elements (weft__slide_args). A work-item sorts all elements that the windows
// of a part of a row reach, and has a bit for each, in their order: whether it is in the window. A step clears the bits
// of the elements that leave and sets the bits of the elements that come. The wanted one moves by as many set bits. The
// text in front has the macros of number.clh, what cl/sort/key.clh needs, and
//   AXES    the array's axes
//   BLOCK   work-items of a work-group
// lint: -DT=int -DT_FLOAT=0 -DT_BOOL=0 -DREAL=float -DOP=4 -DAXES=2 -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DBLOCK=64
// lint: -DT=double -DT_FLOAT=1 -DT_DIGITS=53 -DT_BOOL=0 -DREAL=double -DOP=4 -DAXES=1 -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DBLOCK=1 -DWEFT_CPU
#pragma OPENCL FP_CONTRACT OFF
#include "filter/number.clh"
#include "rearrange/args.h"
#include "rearrange/border.clh"
#include "sort/key.clh"

#define LAST (AXES - 1)
#define DIGIT 256

// Loads the elements of the list, and their keys; returns the bits in which keys differ.
static inline sort_order slide_load(__global T *element, __global sort_order *key, __global const T *x, const long *p,
                                    __global const long *table, const weft__slide_args *a) {
  sort_order differ = 0;
  const long length = a->shape[LAST];
  for (ulong line = 0; line < a->lines; line++, table += AXES + 2) {
    bool is_outside = false;
    __global const T *from = x;
    for (int d = 0; d < LAST; d++) {
      const long t = weft_inside(p[d] + table[d], a->shape[d], a->border);
      is_outside = is_outside || t < 0;
      from += t * a->stride[d];
    }
    const long begin = p[LAST] + table[LAST], count = table[LAST + 2];
    for (long i = 0; i < count; i++) {
      const long t = weft_inside(begin + i, length, a->border), at = table[LAST + 1] + i;
      const T value = is_outside || t < 0 ? filter_fill(a->fill) : from[t * a->stride[LAST]];
      element[at] = value;
      key[at] = sort_order_of(*(__private const sort_key *)&value, 0, a->flip_top);
      differ |= key[at] ^ key[0];
    }
  }
  return differ;
}

// Sorts the numbers of the elements by their keys, digit by digit. *order and *spare change places with each.
static inline void slide_sort(__global uint **order, __global uint **spare, __global const sort_order *key, uint n,
                              sort_order differ) {
  for (uint i = 0; i < n; i++) (*order)[i] = i;
  for (int shift = 0; shift < 8 * SORT_KEY_BYTES; shift += 8) {
    if ((differ >> shift) % DIGIT == 0) continue;
    uint begin[DIGIT] = {0}, sum = 0;
    for (uint i = 0; i < n; i++) begin[(key[i] >> shift) % DIGIT]++;
    for (int k = 0; k < DIGIT; k++) {
      const uint count = begin[k];
      begin[k] = sum;
      sum += count;
    }
    __global uint *from = *order, *to = *spare;
    for (uint i = 0; i < n; i++) to[begin[(key[from[i]] >> shift) % DIGIT]++] = from[i];
    *order = to;
    *spare = from;
  }
}

// The set bit behind `at`, or at `at` itself; there is one.
static inline uint slide_next(__global const ulong *bits, uint at) {
  ulong word = bits[at / 64] >> at % 64 << at % 64;
  for (at /= 64; !word;) word = bits[++at];
  return at * 64 + 63 - (uint)clz(word & -word);
}
// The set bit in front of `at`, or at `at` itself; there is one.
static inline uint slide_last(__global const ulong *bits, uint at) {
  ulong word = bits[at / 64] << (63 - at % 64) >> (63 - at % 64);
  for (at /= 64; !word;) word = bits[--at];
  return at * 64 + 63 - (uint)clz(word);
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void weft_filter_slide(const weft__slide_args a,
                                                                                   __global uchar *to,
                                                                                   __global const uchar *from,
                                                                                   __global const uchar *tables,
                                                                                   __global uchar *scratch) {
  const uint n = (uint)a.reach, rank = (uint)a.rank;
  const ulong total = a.rows * a.parts, first = get_global_id(0) * a.share, last = min(first + a.share, total);
  __global const long *table = (__global const long *)(tables + a.table), *window = table + a.lines * (AXES + 2);
  __global const long *leaves = window + a.taps, *comes = leaves + a.steps;
  __global sort_order *key = (__global sort_order *)(scratch + a.scratch + get_global_id(0) * a.pitch);
  __global ulong *bits = (__global ulong *)(key + (n + 1) / 2 * 2);
  __global uint *order = (__global uint *)(bits + (n + 63) / 64), *place = order + n;
  __global T *element = (__global T *)(place + n);
  for (ulong part = first; part < last; part++) {
    const ulong row = part / a.parts;
    long p[AXES], at = 0;
    ulong rest = row;
    for (int d = LAST - 1; d >= 0; d--) {
      const ulong above = rest / (ulong)a.shape[d];
      p[d] = (long)(rest - above * (ulong)a.shape[d]);
      at += p[d] * a.stride[d];
      rest = above;
    }
    p[LAST] = (long)((part - row * a.parts) * a.length);
    const long count = min((long)a.length, a.shape[LAST] - p[LAST]);
    __global T *y = (__global T *)(to + a.to) + (at + p[LAST] * a.stride[LAST]);

    const sort_order differ = slide_load(element, key, (__global const T *)(from + a.from), p, table, &a);
    slide_sort(&order, &place, key, n, differ);
    for (uint i = 0; i < n; i++) place[order[i]] = i;
    for (uint i = 0; i < (n + 63) / 64; i++) bits[i] = 0;
    for (ulong k = 0; k < a.taps; k++) bits[place[window[k]] / 64] |= 1UL << place[window[k]] % 64;
    uint wanted = slide_next(bits, 0), below = 0; // the latter: elements of the window in front of the wanted one
    for (; below < rank; below++) wanted = slide_next(bits, wanted + 1);
    y[0] = element[order[wanted]];
    for (long i = 1; i < count; i++) {
      for (ulong k = 0; k < a.steps; k++) {
        const uint leaving = place[leaves[k] + i - 1], coming = place[comes[k] + i];
        bits[leaving / 64] &= ~(1UL << leaving % 64);
        bits[coming / 64] |= 1UL << coming % 64;
        below += (uint)(coming < wanted) - (uint)(leaving < wanted);
      }
      if (below <= rank) wanted = slide_next(bits, wanted);
      for (; below < rank; below++) wanted = slide_next(bits, wanted + 1);
      for (; below > rank; below--) wanted = slide_last(bits, wanted - 1);
      y[i * a.stride[LAST]] = element[order[wanted]];
    }
  }
}
