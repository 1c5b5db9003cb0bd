// SPDX-License-Identifier: MIT
// Several indices to one flat index: each launch adds an axis, flat = flat * length + index; -1 if an index is out of
// range. A thread makes one element. Needs the macros of index/place.clh.
// lint: -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0
// lint: -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=2
#define WEFT_ALONG 0
#define WEFT_SIMPLE 1
#define WEFT_WIDE 1
#include "index/place.clh"

__kernel void weft_flat(const weft__index_flat_args args, __global long *restrict to,
                        __global const uchar *restrict indices, __global weft__deferred_record *records) {
  __global long *restrict flat = to + args.flat_offset;
  const ulong at = (ulong)get_global_id(0);
  if (at >= args.total) return;
  const WEFT_INDEX index = ((__global const WEFT_INDEX *)(indices + args.index_offset))[at];
  bool bad = false;
  const long j = weft_resolve(index, args.length, &bad), before = args.is_first ? 0 : flat[at];
  flat[at] = bad || before < 0 ? -1 : before * args.length + j;
  if (bad) weft_report(records, args.record, args.epoch, at, (ulong)index);
}
