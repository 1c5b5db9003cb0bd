// SPDX-License-Identifier: MIT
// Values put or combined where indices say, in the order of the indices. Each work-item has a range of places of its
// own, and reads all indices to find the ones in its range. Used on CPUs, where reading an index costs little beside a
// store that misses the cache, and on GPUs if the order must be kept. Needs the macros of index/place.clh and
// index/combine.clh, and:
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

// Indices that are sifted before values are stored. On CPUs many, without a branch, which could not be predicted.
#if WEFT_CPU
#define TOGETHER 256
#define COMPRESS_BYTES 8
#include "compress.clh"
#else
#define TOGETHER 1
#endif

#if COMPRESSES && WEFT_SIMPLE && WEFT_MODE != 2
#define SIFTS_VECTORS 1
// Several times weft_resolve; an index out of range, or skipped, is not less than the length.
static inline lane_vector weft_resolve_lanes(__global const WEFT_INDEX *from, long length) {
#if WEFT_INDEX_SIGNED
  const long8 j = convert_long8(vload8(0, from));
#if WEFT_MODE == 0
  return as_ulong8(j + ((j < 0) & length));
#elif WEFT_MODE == 1
  return as_ulong8(clamp(j, 0l, length - 1));
#else
  return as_ulong8(j);
#endif
#elif WEFT_MODE == 1
  return min(convert_ulong8(vload8(0, from)), (ulong)length - 1);
#else
  return convert_ulong8(vload8(0, from));
#endif
}
#else
#define SIFTS_VECTORS 0
#define LANES 0
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
  for (ulong first = 0; first < args.count; first += TOGETHER) {
    const uint some = (uint)min((ulong)TOGETHER, args.count - first);
    ulong number[TOGETHER + LANES], place[TOGETHER + LANES];
    uint found = 0, s = 0;
#if SIFTS_VECTORS
    for (; s + LANES <= some; s += LANES) {
      const lane_vector j = weft_resolve_lanes(given + first + s, args.length);
      const uint mine = LESS(j - begin, (lane_vector)(end - begin));
      STORE_VECTOR(COMPRESSED(j, mine), place + found);
      STORE_VECTOR(COMPRESSED(s + (lane_vector)(0, 1, 2, 3, 4, 5, 6, 7), mine), number + found);
      found += popcount(mine);
      const uint out = ALL_LANES & ~LESS(j, (lane_vector)(ulong)args.length);
      if (WEFT_MODE == 0 && out && !bad) {
        bad = true;
        bad_position = first + s + popcount((out & -out) - 1);
        bad_index = (ulong)given[bad_position];
      }
    }
#endif
    for (; s < some; s++) {
      bool out_of_range = false;
      const ulong j = (ulong)weft_resolve(given[first + s], args.length, &out_of_range);
      if (out_of_range && !bad) {
        bad = true;
        bad_position = first + s;
        bad_index = (ulong)given[first + s];
      }
      number[found] = s;
      place[found] = j;
      found += !out_of_range & (j - begin < end - begin);
    }
    for (uint f = 0; f < found; f++) {
      const ulong k = first + number[f];
      __global T *at = target + (long)place[f] * args.axis_stride;
      *at = weft_combine(*at, values[repeats ? k % there : k]);
    }
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
