// SPDX-License-Identifier: MIT
// Scans by a thread for each column of outer x length x inner elements; on CPUs inner may be 1. The text in front
// defines the macros of scan/common.clh and WEFT_BLOCK.
//
// Where there are too few columns to occupy the device, the rows are split into args.chunks chunks of args.rows: first
// the chunks' sums, then the sum before each chunk, then the scan.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
// lint: -DWEFT_LINT=1 -DSCAN_FLAGS=1 -DSCAN_ROWS=0
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_FLAGS=1 -DSCAN_ROWS=0 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
#ifdef WEFT_LINT
#include "scan/lint.clh"
#endif
#include "scan/common.clh"

#define PLACE(r) ((SCAN_REVERSE ? args.length - 1 - (r) : (r)) * args.inner)
#define TO ((__global SCAN_OUT *)(y + args.y))
#define FROM ((__global const SCAN_IN *)(x + args.x))

#define UNROLL 8

// SCAN_REVERSE: a segment begins at its end.
#if SCAN_FLAGS
#define FLAGS , __global const uchar *flags
#define IS_FIRST(r) \
  (SCAN_REVERSE ? (r) > 0 && flags[args.flags + at + PLACE((r) - 1)] : flags[args.flags + at + PLACE(r)] != 0)
#else
#define FLAGS
#define IS_FIRST(r) false
#endif

#define COLUMN_OF_THREAD                                                                                        \
  const ulong block = get_group_id(0), chunk = block / args.blocks;                                             \
  const ulong column = block % args.blocks * WEFT_BLOCK + get_local_id(0), begin = chunk * args.rows;           \
  if (column >= args.columns) return;                                                                           \
  const ulong end = min(begin + args.rows, args.length);                                                        \
  const ulong at = column / args.inner * args.length * args.inner + column % args.inner;

// Where a segment begins in the chunk, the sum is of the elements from the last one on.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_columns_sums(const weft__scan_columns_args args, __global const uchar *x FLAGS, __global uchar *state) {
  COLUMN_OF_THREAD
  __global const SCAN_IN *from = FROM + at;
  SCAN_T total = SCAN_NEUTRAL;
  uchar ended = 0;
  ulong r = begin;
  for (; !SCAN_FLAGS && r + UNROLL <= end; r += UNROLL) {
    SCAN_IN v[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) v[u] = from[PLACE(r + u)];
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) total = scan_combine(total, SCAN_LOAD(v[u]));
  }
  for (; r < end; r++) {
    const SCAN_T value = SCAN_LOAD(from[PLACE(r)]);
    const bool is_first = IS_FIRST(r);
    total = is_first ? value : scan_combine(total, value);
    ended |= is_first;
  }
  ((__global SCAN_T *)state)[chunk * args.columns + column] = total;
  if (SCAN_FLAGS) state[args.chunks * args.columns * sizeof(SCAN_T) + chunk * args.columns + column] = ended;
}

// Replaces each chunk's sum by the sum before the chunk.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_columns_spine(const weft__scan_columns_args args, __global uchar *state) {
  const ulong column = get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  if (column >= args.columns) return;
  __global SCAN_T *sums = (__global SCAN_T *)state + column;
  __global const uchar *ended = state + args.chunks * args.columns * sizeof(SCAN_T) + column;
  SCAN_T total = SCAN_NEUTRAL;
  for (ulong c = 0; c < args.chunks; c++) {
    const SCAN_T sum = sums[c * args.columns];
    sums[c * args.columns] = total;
    total = SCAN_FLAGS && ended[c * args.columns] ? sum : scan_combine(total, sum);
  }
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_columns(const weft__scan_columns_args args, __global uchar *y, __global const uchar *x FLAGS,
                       __global const uchar *state) {
  COLUMN_OF_THREAD
  __global const SCAN_IN *from = FROM + at;
  __global SCAN_OUT *to = TO + at;
  const SCAN_T neutral = SCAN_NEUTRAL;
  SCAN_T total = neutral;
  if (args.chunks > 1) total = ((__global const SCAN_T *)state)[chunk * args.columns + column];
  ulong r = begin;
  for (; !SCAN_FLAGS && r + UNROLL <= end; r += UNROLL) {
    SCAN_IN v[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) v[u] = from[PLACE(r + u)];
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) {
      const SCAN_T previous = total;
      total = scan_combine(previous, SCAN_LOAD(v[u]));
      to[PLACE(r + u)] = SCAN_EXCLUSIVE ? SCAN_STORE(SCAN_SHOWN(previous)) : SCAN_STORE(total);
    }
  }
  for (; r < end; r++) {
    const SCAN_T value = SCAN_LOAD(from[PLACE(r)]);
    const bool is_first = IS_FIRST(r);
    const SCAN_T previous = is_first ? neutral : total;
    total = is_first ? value : scan_combine(total, value);
    to[PLACE(r)] = SCAN_EXCLUSIVE ? SCAN_STORE(SCAN_SHOWN(previous)) : SCAN_STORE(total);
  }
}
