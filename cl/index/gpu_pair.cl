// SPDX-License-Identifier: MIT
// Elements of a matrix by an index along either axis, for GPUs (weft__index_pair_args). Needs the macros of
// index/place.clh, and WEFT_UNIT, WEFT_BLOCK and WEFT_ITEMS as in index/gpu_take.cl; a unit is an element. WEFT_NUMBERS
// 1: the elements' numbers in place of them, -1 where an index is out of range; `from` is not read.
// lint: -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_UNIT=uint -DWEFT_BLOCK=256 -DWEFT_ITEMS=4 -DWEFT_NUMBERS=0
// lint: -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=2 -DWEFT_UNIT=uchar -DWEFT_BLOCK=256 -DWEFT_ITEMS=4 -DWEFT_NUMBERS=0
// lint: -DWEFT_INDEX=long -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_UNIT=long -DWEFT_BLOCK=256 -DWEFT_ITEMS=4 -DWEFT_NUMBERS=1
#define WEFT_ALONG 1
#define WEFT_SIMPLE 1
#define WEFT_WIDE 1
#include "index/place.clh"

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_pair(const weft__index_pair_args args, __global uchar *restrict to, __global const uchar *restrict from,
               __global const uchar *restrict rows, __global const uchar *restrict columns,
               __global weft__deferred_record *records) {
  __global WEFT_UNIT *target = (__global WEFT_UNIT *)(to + args.dense_offset);
  __global const WEFT_UNIT *source = (__global const WEFT_UNIT *)(from + args.indexed_offset);
  __global const WEFT_INDEX *row = (__global const WEFT_INDEX *)(rows + args.index_offset[0]);
  __global const WEFT_INDEX *column = (__global const WEFT_INDEX *)(columns + args.index_offset[1]);
  const ulong first = (ulong)get_group_id(0) * (WEFT_BLOCK * WEFT_ITEMS) + get_local_id(0);
  WEFT_INDEX r[WEFT_ITEMS], c[WEFT_ITEMS];
  WEFT_UNIT value[WEFT_ITEMS];
#pragma unroll
  for (uint u = 0; u < WEFT_ITEMS; u++) {
    const ulong at = min(first + u * WEFT_BLOCK, (ulong)args.total - 1); // the last one again behind the end
    r[u] = row[at];
    c[u] = column[at];
  }
  bool any = false;
#pragma unroll
  for (uint u = 0; u < WEFT_ITEMS; u++) {
    bool bad_row = false, bad_column = false;
    const long i = weft_resolve(r[u], args.length[0], &bad_row), j = weft_resolve(c[u], args.length[1], &bad_column);
    const long place = i * args.stride[0] + j * args.stride[1];
    value[u] = WEFT_NUMBERS ? (WEFT_UNIT)place : source[place];
    if (bad_row || bad_column) value[u] = WEFT_NUMBERS ? -1 : 0;
    any |= bad_row || bad_column;
  }
#pragma unroll
  for (uint u = 0; u < WEFT_ITEMS; u++)
    if (first + u * WEFT_BLOCK < args.total) target[first + u * WEFT_BLOCK] = value[u];
  if (any) {
    for (uint u = 0; u < WEFT_ITEMS; u++) {
      const ulong at = first + u * WEFT_BLOCK;
      bool bad = false;
      if (at >= args.total) break;
      weft_resolve(row[at], args.length[0], &bad);
      if (bad) weft_report(records, args.record[0], args.epoch[0], at, (ulong)row[at]);
      bad = false;
      weft_resolve(column[at], args.length[1], &bad);
      if (bad) weft_report(records, args.record[1], args.epoch[1], at, (ulong)column[at]);
    }
  }
}
