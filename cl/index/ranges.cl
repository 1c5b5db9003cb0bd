// SPDX-License-Identifier: MIT
// Values put or combined where indices say, in the order of the indices. Each work-item has a range of places of its
// own, and reads all indices to find the ones in its range. Needs the macros of index/place.clh and index/combine.clh,
// and:
//   WEFT_RAW   1: T is moved at once, and never computed with
// args.full is the length of a range. Places are counted as in an array without gaps.
// lint: -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_ALONG=0 -DWEFT_SIMPLE=1 -DT=float -DT_FLOAT=1 -DWEFT_OPERATION=1
// lint: -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=2 -DWEFT_ALONG=0 -DWEFT_SIMPLE=0 -DT=uint4 -DWEFT_RAW=1 -DWEFT_OPERATION=0
// lint: -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_ALONG=1 -DWEFT_SIMPLE=0 -DT=ushort -DT_NARROW=bf16 -DT_FLOAT=1 -DWEFT_OPERATION=2
#define WEFT_WIDE 1
#include "index/place.clh"
#if WEFT_RAW
#define weft_combine(old, value) (value)
#else
#include "index/combine.clh"
#endif

__kernel void weft_scatter_ranges(const weft__index_args args, __global uchar *restrict to,
                                  __global const uchar *restrict from, __global const uchar *restrict indices,
                                  __global weft__deferred_record *records) {
  __global T *target = (__global T *)(to + args.indexed_offset);
  __global const T *values = (__global const T *)(from + args.dense_offset);
  __global const WEFT_INDEX *given = (__global const WEFT_INDEX *)(indices + args.index_offset);
  const ulong slab = (ulong)args.length * args.run, begin = (ulong)get_global_id(0) * args.full;
  const ulong end = min(begin + args.full, args.outer * slab);
  const ulong there = args.values;
  const bool repeats = there < args.total;
  bool bad = false;
  ulong bad_position = 0, bad_index = 0;
  if (begin >= end) return;
#if WEFT_SIMPLE
  for (ulong k = 0; k < args.count; k++) {
    bool out_of_range = false;
    const ulong j = (ulong)weft_resolve(given[k], args.length, &out_of_range);
    if (out_of_range && !bad) {
      bad = true;
      bad_position = k;
      bad_index = (ulong)given[k];
    }
    if (out_of_range || j - begin >= end - begin) continue;
    __global T *at = target + (long)j * args.axis_stride;
    *at = weft_combine(*at, values[repeats ? k % there : k]);
  }
#else
  for (ulong o = begin / slab; o * slab < end; o++) {
    /* the part of this slab in the work-item's range: numbers from `low` to before `high` */
    const ulong low = max(begin, o * slab) - o * slab, high = min(end - o * slab, slab);
    for (ulong k = 0; k < args.count; k++) {
      const ulong row = (o * args.count + k) * args.run;
#if WEFT_ALONG
      for (ulong i = 0; i < args.run; i++) {
        bool out_of_range = false;
        const ulong at = row + i;
        const ulong j = (ulong)weft_resolve(given[at], args.length, &out_of_range);
        const ulong place = j * args.run + i;
        if (out_of_range) {
          if (!bad) {
            bad_position = at;
            bad_index = (ulong)given[at];
          }
          bad = true;
        } else if (place >= low && place < high) {
          __global T *to_place = target + ((long)o * args.outer_stride + (long)j * args.axis_stride + (long)i);
          *to_place = weft_combine(*to_place, values[repeats ? at % there : at]);
        }
      }
#else
      bool out_of_range = false;
      const ulong j = (ulong)weft_resolve(given[k], args.length, &out_of_range);
      const ulong first = j * args.run;
      if (out_of_range) {
        if (!bad) {
          bad_position = k;
          bad_index = (ulong)given[k];
        }
        bad = true;
      } else if (first < high && first + args.run > low) {
        __global T *to_row = target + ((long)o * args.outer_stride + (long)j * args.axis_stride);
        const ulong last = min(args.run, high - first);
        if (repeats)
          for (ulong i = max(first, low) - first; i < last; i++)
            to_row[i] = weft_combine(to_row[i], values[(row + i) % there]);
        else
          for (ulong i = max(first, low) - first; i < last; i++) to_row[i] = weft_combine(to_row[i], values[row + i]);
      }
#endif
    }
  }
#endif
  if (bad) weft_report(records, args.record, args.epoch, bad_position, bad_index);
}
