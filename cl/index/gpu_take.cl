// SPDX-License-Identifier: MIT
// Elements by their indices, for GPUs. Needs the macros of index/place.clh, and:
//   WEFT_UNIT    the type that is moved at once: uchar, ushort, uint, ulong, uint4
//   WEFT_BLOCK   threads per block
//   WEFT_ITEMS   units per thread, a block's width apart: their loads do not wait for each other
//   WEFT_COLUMNS not 0: the first WEFT_COLUMNS units of all rows are moved first, then the next ones, and so on: the
//                device's cache keeps them for further indices that name the same row
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_ALONG=0 -DWEFT_SIMPLE=1 -DWEFT_WIDE=0 -DWEFT_UNIT=uint
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_ALONG=0 -DWEFT_SIMPLE=0 -DWEFT_WIDE=0 -DWEFT_UNIT=uint4 -DWEFT_COLUMNS=128
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=2 -DWEFT_ALONG=0 -DWEFT_SIMPLE=0 -DWEFT_WIDE=1 -DWEFT_UNIT=uint4
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=long -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=1 -DWEFT_ALONG=1 -DWEFT_SIMPLE=0 -DWEFT_WIDE=0 -DWEFT_UNIT=ulong
#ifdef WEFT_LINT
#define WEFT_BLOCK 256
#define WEFT_ITEMS 4
#endif
#include "index/place.clh"

// The unit in place `at` of the order in which they are moved; args->total: none.
static inline ulong weft_unit_at(const weft__index_args *args, ulong at) {
#if WEFT_COLUMNS
  const uint piece = (uint)at / WEFT_COLUMNS, column = weft_divide(piece, args->rows_multiplier, args->rows_shift);
  const ulong row = piece - column * (args->outer * args->count);
  const ulong in_row = column * WEFT_COLUMNS + (uint)at % WEFT_COLUMNS;
  return in_row < args->run ? row * args->run + in_row : args->total;
#else
  return at;
#endif
}

static inline bool weft_has(const weft__index_args *args, bool whole, ulong unit) {
  return whole || unit < args->total;
}

// Moves the units of one thread. `whole`: all of them exist; it is a constant in both calls, so the compiler drops the
// checks.
static inline void weft_take_items(const weft__index_args *args, bool whole, __global WEFT_UNIT *restrict to,
                                   __global const WEFT_UNIT *restrict from, __global const WEFT_INDEX *restrict indices,
                                   __global weft__deferred_record *records) {
  const ulong first = (ulong)get_group_id(0) * (WEFT_BLOCK * WEFT_ITEMS) + get_local_id(0);
  ulong unit[WEFT_ITEMS];
  weft_origin origin[WEFT_ITEMS];
  WEFT_INDEX index[WEFT_ITEMS];
  WEFT_UNIT value[WEFT_ITEMS];
  bool bad[WEFT_ITEMS], any = false;
#pragma unroll
  for (uint u = 0; u < WEFT_ITEMS; u++) {
    unit[u] = weft_unit_at(args, first + u * WEFT_BLOCK);
    if (weft_has(args, whole, unit[u])) {
      origin[u] = weft_origin_of(args, unit[u]);
      index[u] = indices[origin[u].index];
    }
  }
#pragma unroll
  for (uint u = 0; u < WEFT_ITEMS; u++) {
    bad[u] = false;
    if (weft_has(args, whole, unit[u])) {
      const long j = weft_resolve(index[u], args->length, &bad[u]);
      value[u] = from[origin[u].base + j * args->axis_stride];
    }
  }
#pragma unroll
  for (uint u = 0; u < WEFT_ITEMS; u++) {
    if (weft_has(args, whole, unit[u])) to[unit[u]] = bad[u] ? (WEFT_UNIT)(0) : value[u];
    any |= bad[u];
  }
  if (any) {
    uint u = 0;
    while (!bad[u]) u++;
    const ulong at = weft_unit_at(args, first + u * WEFT_BLOCK), position = weft_origin_of(args, at).index;
    weft_report(records, args->record, args->epoch, position, (ulong)indices[position]);
  }
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_take(const weft__index_args args, __global uchar *restrict to, __global const uchar *restrict from,
               __global const uchar *restrict indices, __global weft__deferred_record *records) {
  __global WEFT_UNIT *target = (__global WEFT_UNIT *)(to + args.dense_offset);
  __global const WEFT_UNIT *source = (__global const WEFT_UNIT *)(from + args.indexed_offset);
  __global const WEFT_INDEX *given = (__global const WEFT_INDEX *)(indices + args.index_offset);
  if (get_group_id(0) < args.full)
    weft_take_items(&args, true, target, source, given, records);
  else
    weft_take_items(&args, false, target, source, given, records);
}
