// SPDX-License-Identifier: MIT
// Scans along an axis that is not the last. The text in front defines the macros of scan/common.clh; for GPUs also
// WEFT_BLOCK, for CPUs SCAN_STRIP.
//
// The array is outer x length x inner. A GPU thread scans one column, a CPU work-item SCAN_STRIP adjacent columns, row
// by row. Where there are too few columns to occupy the device, the rows are split into args.chunks chunks of
// args.rows: first the chunks' sums, then the sum before each chunk, then the scan.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
#ifdef WEFT_LINT
#include "scan/lint.clh"
#endif
#include "scan/common.clh"

#define PLACE(r) ((SCAN_REVERSE ? args.length - 1 - (r) : (r)) * args.inner)
#define TO ((__global SCAN_OUT *)(y + args.y))
#define FROM ((__global const SCAN_IN *)(x + args.x))

#if WEFT_CPU

#define STRIP_OF_BLOCK                                                                       \
  const ulong id = get_group_id(0), strips = args.columns / args.inner * args.blocks;        \
  const ulong chunk = id / strips, outer = id % strips / args.blocks;                        \
  const ulong first = id % args.blocks * SCAN_STRIP, begin = chunk * args.rows;              \
  const uint width = (uint)min(args.inner - first, (ulong)SCAN_STRIP);                       \
  const ulong end = min(begin + args.rows, args.length), at = outer * args.length * args.inner + first;

__kernel void weft_scan_columns_sums(const weft__scan_columns_args args, __global const uchar *x,
                                     __global uchar *state) {
  STRIP_OF_BLOCK
  __global SCAN_T *sums = (__global SCAN_T *)state + chunk * args.columns + outer * args.inner + first;
  SCAN_T total[SCAN_STRIP];
  for (uint j = 0; j < SCAN_STRIP; j++) total[j] = SCAN_NEUTRAL;
  for (ulong r = begin; r < end; r++) {
    __global const SCAN_IN *from = FROM + at + PLACE(r);
    if (width == SCAN_STRIP) {
      for (uint j = 0; j < SCAN_STRIP; j++) total[j] = scan_combine(total[j], SCAN_LOAD(from[j]));
    } else {
      for (uint j = 0; j < width; j++) total[j] = scan_combine(total[j], SCAN_LOAD(from[j]));
    }
  }
  for (uint j = 0; j < width; j++) sums[j] = total[j];
}

#define ROW(width)                                               \
  for (uint j = 0; j < width; j++) {                             \
    const SCAN_T previous = total[j];                            \
    total[j] = scan_combine(previous, SCAN_LOAD(from[j]));       \
    to[j] = SCAN_EXCLUSIVE ? SCAN_STORE(SCAN_SHOWN(previous)) : SCAN_STORE(total[j]); \
  }

__kernel void weft_scan_columns(const weft__scan_columns_args args, __global uchar *y, __global const uchar *x,
                                __global const uchar *state) {
  STRIP_OF_BLOCK
  __global const SCAN_T *sums = (__global const SCAN_T *)state + outer * args.inner + first;
  SCAN_T total[SCAN_STRIP];
  for (uint j = 0; j < SCAN_STRIP; j++) total[j] = SCAN_NEUTRAL;
  for (ulong c = 0; c < chunk; c++)
    for (uint j = 0; j < width; j++) total[j] = scan_combine(total[j], sums[c * args.columns + j]);
  for (ulong r = begin; r < end; r++) {
    __global const SCAN_IN *from = FROM + at + PLACE(r);
    __global SCAN_OUT *to = TO + at + PLACE(r);
    if (width == SCAN_STRIP) {
      ROW(SCAN_STRIP)
    } else {
      ROW(width)
    }
  }
}

#else

#define UNROLL 8

#define COLUMN_OF_THREAD                                                                                        \
  const ulong block = get_group_id(0), chunk = block / args.blocks;                                             \
  const ulong column = block % args.blocks * WEFT_BLOCK + get_local_id(0), begin = chunk * args.rows;           \
  if (column >= args.columns) return;                                                                           \
  const ulong end = min(begin + args.rows, args.length);                                                        \
  const ulong at = column / args.inner * args.length * args.inner + column % args.inner;

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_columns_sums(const weft__scan_columns_args args, __global const uchar *x, __global uchar *state) {
  COLUMN_OF_THREAD
  __global const SCAN_IN *from = FROM + at;
  SCAN_T total = SCAN_NEUTRAL;
  ulong r = begin;
  for (; r + UNROLL <= end; r += UNROLL) {
    SCAN_IN v[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) v[u] = from[PLACE(r + u)];
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) total = scan_combine(total, SCAN_LOAD(v[u]));
  }
  for (; r < end; r++) total = scan_combine(total, SCAN_LOAD(from[PLACE(r)]));
  ((__global SCAN_T *)state)[chunk * args.columns + column] = total;
}

// Replaces each chunk's sum by the sum before the chunk.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_columns_spine(const weft__scan_columns_args args, __global uchar *state) {
  const ulong column = get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  if (column >= args.columns) return;
  __global SCAN_T *sums = (__global SCAN_T *)state + column;
  SCAN_T total = SCAN_NEUTRAL;
  for (ulong c = 0; c < args.chunks; c++) {
    const SCAN_T sum = sums[c * args.columns];
    sums[c * args.columns] = total;
    total = scan_combine(total, sum);
  }
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_columns(const weft__scan_columns_args args, __global uchar *y, __global const uchar *x,
                       __global const uchar *state) {
  COLUMN_OF_THREAD
  __global const SCAN_IN *from = FROM + at;
  __global SCAN_OUT *to = TO + at;
  SCAN_T total = SCAN_NEUTRAL;
  if (args.chunks > 1) total = ((__global const SCAN_T *)state)[chunk * args.columns + column];
  ulong r = begin;
  for (; r + UNROLL <= end; r += UNROLL) {
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
    const SCAN_T previous = total;
    total = scan_combine(previous, SCAN_LOAD(from[PLACE(r)]));
    to[PLACE(r)] = SCAN_EXCLUSIVE ? SCAN_STORE(SCAN_SHOWN(previous)) : SCAN_STORE(total);
  }
}

#endif
