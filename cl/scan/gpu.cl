// SPDX-License-Identifier: MIT
// Scans of one run of elements, whole or in segments, for GPUs. The text in front defines the macros of scan/common.clh
// and
//   WEFT_BLOCK, SCAN_VPT        threads in a block, and chunks per thread
//   SCAN_E                      elements in a chunk: 16 bytes of results; SCAN_RAW_IN, SCAN_RAW_OUT: `raw` of chunk.clh
//   SCAN_ALIGNED                0: chunks are not aligned to their size
//   SCAN_LAYOUT                 1: a thread has SCAN_VPT adjacent chunks, brought to it through local memory, and a
//                               warp does one scan for all of them; 0: a thread has chunks a warp's width apart, and a
//                               warp does one scan for each (not with segments)
// A block processes one tile, a power of two of elements. Elements and tiles are numbered in logical order: from the
// end where SCAN_REVERSE is 1. The last tile in memory may be partial.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DSCAN_LOOKBACK=1
// lint: -DWEFT_LINT=1 -DSCAN_LOOKBACK=1 -DSCAN_LAYOUT=0
// lint: -DWEFT_LINT=1 -DSCAN_LAYOUT=0 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
// lint: -DWEFT_LINT=1 -DSCAN_LOOKBACK=1 -DSCAN_FLAGS=1 -DSCAN_ROWS=1
// lint: -DWEFT_LINT=1 -DSCAN_FLAGS=1 -DSCAN_ROWS=1 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
#ifdef WEFT_LINT
#include "scan/lint.clh"
#endif
#include "chunk.clh"
#include "scan/common.clh"

#if SCAN_LOOKBACK
#define LOOKBACK_T SCAN_T
#define LOOKBACK_WORDS SCAN_WORDS
#define LOOKBACK_COMBINE(a, b) scan_combine(a, b)
#define LOOKBACK_NEUTRAL SCAN_NEUTRAL
#include "lookback.clh"
#endif
#define WARP_T SCAN_T
#define WARP_WORDS SCAN_WORDS
#include "warp_value.clh"

#define SEGMENTED (SCAN_FLAGS || SCAN_ROWS)
// Totals published early combine elements out of order, so the operation must be commutative: built-in operations are.
#define TELLS_EARLY (SCAN_LOOKBACK && !SCAN_LAYOUT && SCAN_COMMUTES)
#define ITEMS (SCAN_VPT * SCAN_E)
#define CHUNKS (WEFT_BLOCK * SCAN_VPT)
#define TILE (WEFT_BLOCK * ITEMS)

typedef WEFT_PACK(SCAN_IN, SCAN_E, SCAN_RAW_IN) scan_chunk_in;
typedef WEFT_PACK(SCAN_OUT, SCAN_E, SCAN_RAW_OUT) scan_chunk_out;

// Chunk number `physical` of the tile that begins at `from`.
static inline void scan_get(scan_chunk_in *a, __global const SCAN_IN *from, uint physical) {
#if SCAN_ALIGNED
  WEFT_SPLIT(SCAN_RAW_IN, a->word, ((__global const SCAN_RAW_IN *)from)[physical])
#else
  for (uint e = 0; e < SCAN_E; e++) a->e[e] = from[physical * SCAN_E + e];
#endif
}
static inline void scan_put(__global SCAN_OUT *to, uint physical, scan_chunk_out b) {
#if SCAN_ALIGNED
  ((__global SCAN_RAW_OUT *)to)[physical] = WEFT_WHOLE(SCAN_RAW_OUT, b.word);
#else
  for (uint e = 0; e < SCAN_E; e++) to[physical * SCAN_E + e] = b.e[e];
#endif
}

#if SCAN_REVERSE
#define OF_CHUNK(e) (SCAN_E - 1 - (e))
#define CHUNK_AT(q) (CHUNKS - 1 - (q))
#define ELEMENT_AT(i) (TILE - 1 - (i))
#else
#define OF_CHUNK(e) (e)
#define CHUNK_AT(q) (q)
#define ELEMENT_AT(i) (i)
#endif

#if SEGMENTED
// A mask of the thread's elements that begin a segment.
static inline uint scan_starts(const weft__scan_args args, ulong base, uint left, ulong phase,
                               __global const uchar *flags) {
  const uint first = (uint)get_local_id(0) * ITEMS;
  uint starts = 0;
#if SCAN_ROWS
  const uint row = (uint)min(args.row, 0x7ffffffful);
  ulong at = phase + first; // of the thread's first element in its row, if it were one row
  at = args.row > 0x7ffffffful ? (at >= args.row ? at - args.row : at) : (ulong)((uint)at % row);
  uint until = (uint)min(at ? args.row - at : 0ul, 0x7ffffffful);
#pragma unroll
  for (uint j = 0; j < ITEMS; j++) {
    if (until == 0) {
      starts |= 1u << j;
      until = row;
    }
    until--;
  }
#endif
#if SCAN_FLAGS
  __global const uchar *from = flags + args.flags + base;
#if SCAN_ALIGNED && ITEMS % 4 == 0
  if (left == TILE) {
    __global const uint *words = (__global const uint *)(from + (SCAN_REVERSE ? TILE - ITEMS - first : first));
#pragma unroll
    for (uint q = 0; q < ITEMS / 4; q++) {
      const uint word = words[SCAN_REVERSE ? ITEMS / 4 - 1 - q : q];
      for (uint e = 0; e < 4; e++)
        starts |= (uint)((word >> (SCAN_REVERSE ? 24 - 8 * e : 8 * e) & 255u) != 0) << (4 * q + e);
    }
    return starts;
  }
#endif
  // no branches: of a number that these decide, PoCL 5.0 sometimes keeps one value for all threads of a block
  for (uint j = 0; j < ITEMS; j++) {
    const uint at_element = ELEMENT_AT(first + j);
    starts |= (uint)((from[min(at_element, left - 1)] != 0) & (at_element < left)) << j;
  }
#endif
  return starts;
}
#endif

#if SCAN_LOOKBACK
#define SCAN_KERNEL weft_scan
#define SCAN_PASS 0
#include "scan/tile.clh"
#else
#define SCAN_KERNEL weft_scan_sums
#define SCAN_PASS 1
#include "scan/tile.clh"
#define SCAN_KERNEL weft_scan
#define SCAN_PASS 2
#include "scan/tile.clh"

// Runs between passes 1 and 2: replaces each tile's sum by the sum before the tile. One block; each thread has a run of
// tiles.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scan_spine(const weft__scan_args args, __global uchar *state) {
  __local SCAN_T totals[WEFT_BLOCK];
  __local uint ends[WEFT_BLOCK];
  __global SCAN_T *sums = (__global SCAN_T *)state;
  __global const uchar *ended = state + args.tiles * sizeof(SCAN_T);
  const uint lid = (uint)get_local_id(0);
  const ulong run = (args.tiles + WEFT_BLOCK - 1) / WEFT_BLOCK;
  const ulong begin = min(lid * run, args.tiles), end = min(begin + run, args.tiles);
  SCAN_T total = SCAN_NEUTRAL;
  uint has = 0;
  for (ulong t = begin; t < end; t++) {
    const uint is = SEGMENTED ? ended[t] : 0;
    total = is ? sums[t] : scan_combine(total, sums[t]);
    has |= is;
  }
  totals[lid] = total;
  ends[lid] = has;
  barrier(CLK_LOCAL_MEM_FENCE);
  total = SCAN_NEUTRAL;
  for (uint i = 0; i < lid; i++) total = ends[i] ? totals[i] : scan_combine(total, totals[i]);
  for (ulong t = begin; t < end; t++) {
    const SCAN_T sum = sums[t];
    sums[t] = total;
    total = SEGMENTED && ended[t] ? sum : scan_combine(total, sum);
  }
}
#endif
