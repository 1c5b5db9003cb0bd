// SPDX-License-Identifier: MIT
// Elements put where indices say, for GPUs. Needs the macros of index/place.clh, and WEFT_UNIT and WEFT_BLOCK as in
// gpu_take.cl.
//
// If several indices are equal, any of their values may be stored last. weft_mark and weft_scatter_last instead store
// the value of the last index, as a loop would. For each place weft_mark finds the highest number (plus one) of an
// index that names it, and weft_scatter_last stores only the values of this index.
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_ALONG=0 -DWEFT_SIMPLE=1 -DWEFT_WIDE=0 -DWEFT_UNIT=uint
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=2 -DWEFT_ALONG=0 -DWEFT_SIMPLE=0 -DWEFT_WIDE=1 -DWEFT_UNIT=uint4
// lint: -DWEFT_LINT=1 -DWEFT_INDEX=long -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=1 -DWEFT_ALONG=1 -DWEFT_SIMPLE=0 -DWEFT_WIDE=0 -DWEFT_UNIT=ulong
#ifdef WEFT_LINT
#define WEFT_BLOCK 256
#endif
#include "index/place.clh"

static inline ulong weft_unit(void) {
  return (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
}

static inline WEFT_UNIT weft_value_of(const weft__index_args *args, __global const uchar *values, ulong unit) {
  return ((__global const WEFT_UNIT *)(values + args->dense_offset))[unit < args->values ? unit : unit % args->values];
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scatter(const weft__index_args args, __global uchar *restrict to, __global const uchar *restrict values,
                  __global const uchar *restrict indices, __global weft__deferred_record *records) {
  const ulong unit = weft_unit();
  if (unit >= args.total) return;
  const weft_origin origin = weft_origin_of(&args, unit);
  const WEFT_INDEX index = ((__global const WEFT_INDEX *)(indices + args.index_offset))[origin.index];
  const WEFT_UNIT value =
        weft_value_of(&args, values, unit);
  bool bad = false;
  const long j = weft_resolve(index, args.length, &bad);
  if (bad)
    weft_report(records, args.record, args.epoch, origin.index, (ulong)index);
  else
    ((__global WEFT_UNIT *)(to + args.indexed_offset))[origin.base + j * args.axis_stride] = value;
}

#if WEFT_ALONG
// Each element has a winner of its own: the number along the axis of the index that stores it, plus one.
static inline ulong weft_winner_place(const weft__index_args *args, ulong unit, long j, uint *number) {
  const ulong row = unit / args->run, o = row / args->count;
  *number = (uint)(row - o * args->count) + 1;
  return (o * (ulong)args->length + (ulong)j) * args->run + (unit - row * args->run);
}
#endif

// One thread per index.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_mark(const weft__index_args args, __global const uchar *restrict indices, __global uchar *restrict winners,
               __global weft__deferred_record *records) {
  const ulong at = weft_unit();
  if (at >= (WEFT_ALONG ? args.total : args.count)) return;
  const WEFT_INDEX index = ((__global const WEFT_INDEX *)(indices + args.index_offset))[at];
  bool bad = false;
  const long j = weft_resolve(index, args.length, &bad);
  if (bad) {
    weft_report(records, args.record, args.epoch, at, (ulong)index);
    return;
  }
#if WEFT_ALONG
  uint number;
  const ulong place = weft_winner_place(&args, at, j, &number);
#else
  const ulong place = (ulong)j;
  const uint number = (uint)at + 1;
#endif
  atomic_max((volatile __global uint *)(winners + args.winner_offset) + place, number);
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scatter_last(const weft__index_args args, __global uchar *restrict to, __global const uchar *restrict values,
                       __global const uchar *restrict indices, __global const uchar *restrict winners) {
  const ulong unit = weft_unit();
  if (unit >= args.total) return;
  const weft_origin origin = weft_origin_of(&args, unit);
  bool bad = false;
  const long j = weft_resolve(((__global const WEFT_INDEX *)(indices + args.index_offset))[origin.index], args.length,
                              &bad);
  if (bad) return;
#if WEFT_ALONG
  uint number;
  const ulong place = weft_winner_place(&args, unit, j, &number);
#else
  const ulong place = (ulong)j;
  const uint number = (uint)origin.index + 1;
#endif
  if (((__global const uint *)(winners + args.winner_offset))[place] == number)
    ((__global WEFT_UNIT *)(to + args.indexed_offset))[origin.base + j * args.axis_stride] =
        weft_value_of(&args, values, unit);
}
