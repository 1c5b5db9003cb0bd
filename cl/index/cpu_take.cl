// SPDX-License-Identifier: MIT
// Elements by their indices, for CPUs. Needs the macros of index/place.clh, and WEFT_UNIT, the type that is moved at
// once. A work-item moves args.full units in order.
// lint: -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_ALONG=0 -DWEFT_SIMPLE=1 -DWEFT_WIDE=1 -DWEFT_UNIT=uint
// lint: -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=2 -DWEFT_ALONG=0 -DWEFT_SIMPLE=0 -DWEFT_WIDE=1 -DWEFT_UNIT=uint4
// lint: -DWEFT_INDEX=long -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=1 -DWEFT_ALONG=1 -DWEFT_SIMPLE=0 -DWEFT_WIDE=1 -DWEFT_UNIT=ulong
#include "index/place.clh"

__kernel void weft_take(const weft__index_args args, __global uchar *restrict to, __global const uchar *restrict from,
                        __global const uchar *restrict indices, __global weft__deferred_record *records) {
  __global WEFT_UNIT *target = (__global WEFT_UNIT *)(to + args.dense_offset);
  __global const WEFT_UNIT *source = (__global const WEFT_UNIT *)(from + args.indexed_offset);
  __global const WEFT_INDEX *given = (__global const WEFT_INDEX *)(indices + args.index_offset);
  ulong unit = (ulong)get_global_id(0) * args.full;
  const ulong end = min(unit + args.full, (ulong)args.total);
  const long length = args.length;
  bool bad = false;
  ulong bad_position = 0, bad_index = 0;
#if WEFT_SIMPLE
  const long stride = args.axis_stride;
  for (; unit < end; unit++) {
    bool out_of_range = false;
    const long j = weft_resolve(given[unit], length, &out_of_range);
    WEFT_UNIT value = source[j * stride];
    if (out_of_range) {
      value = (WEFT_UNIT)(0);
      if (!bad) {
        bad_position = unit;
        bad_index = (ulong)given[unit];
      }
      bad = true;
    }
    target[unit] = value;
  }
#else
  /* along the last axis: row by row, without divisions for each element */
  while (unit < end && args.run == 1) {
    const ulong o = unit / args.count, units = min((o + 1) * args.count, end) - unit;
    const ulong at = WEFT_ALONG ? unit : unit - o * args.count;
    __global const WEFT_UNIT *begin = source + (long)o * args.outer_stride;
    for (ulong i = 0; i < units; i++) {
      bool out_of_range = false;
      const long j = weft_resolve(given[at + i], length, &out_of_range);
      WEFT_UNIT value = begin[j * args.axis_stride];
      if (out_of_range) {
        value = (WEFT_UNIT)(0);
        if (!bad || at + i < bad_position) {
          bad_position = at + i;
          bad_index = (ulong)given[at + i];
        }
        bad = true;
      }
      target[unit + i] = value;
    }
    unit += units;
  }
  while (unit < end) {
    /* up to the end of a run */
    const ulong row = unit / args.run, in_run = unit - row * args.run, o = row / args.count;
    const ulong units = min(args.run - in_run, end - unit);
    const long base = (long)o * args.outer_stride + (long)in_run;
#if WEFT_ALONG
    for (ulong i = 0; i < units; i++) {
      bool out_of_range = false;
      const long j = weft_resolve(given[unit + i], length, &out_of_range);
      WEFT_UNIT value = source[base + (long)i + j * args.axis_stride];
      if (out_of_range) {
        value = (WEFT_UNIT)(0);
        if (!bad) {
          bad_position = unit + i;
          bad_index = (ulong)given[unit + i];
        }
        bad = true;
      }
      target[unit + i] = value;
    }
#else
    const ulong at = row - o * args.count;
    bool out_of_range = false;
    const long j = weft_resolve(given[at], length, &out_of_range);
    __global const WEFT_UNIT *begin = source + (base + j * args.axis_stride);
    if (out_of_range) {
      for (ulong i = 0; i < units; i++) target[unit + i] = (WEFT_UNIT)(0);
      if (!bad || at < bad_position) {
        bad_position = at;
        bad_index = (ulong)given[at];
      }
      bad = true;
    } else {
      for (ulong i = 0; i < units; i++) target[unit + i] = begin[i];
    }
#endif
    unit += units;
  }
#endif
  if (bad) weft_report(records, args.record, args.epoch, bad_position, bad_index);
}
