// SPDX-License-Identifier: MIT
// Selection for CPUs. A work-item reads its tile of SELECT_TILE elements twice: to count the kept ones and, when the
// count before the tile is known, to write them. The text in front defines the macros of select/common.clh.
//
// Writing has no branches: each element is stored at the place of the next kept one, until the last kept one is stored.
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSELECT_LOOKBACK=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSELECT_LOOKBACK=1 -DSELECT_MASK=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSELECT_LOOKBACK=1 -DSELECT_WHAT=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSELECT_MASK=1 -DSELECT_WHAT=2
#ifdef WEFT_LINT
#include "select/lint.clh"
#endif
#include "select/common.clh"

#if SELECT_LOOKBACK
#define WEFT_BLOCK 32 /* warp.clh needs it; here each work-item works alone */
#define LOOKBACK_T SELECT_COUNT
#define LOOKBACK_WORDS SELECT_COUNT_WORDS
#define LOOKBACK_COMBINE(a, b) ((a) + (b))
#define LOOKBACK_NEUTRAL 0
#include "lookback.clh"
#endif

#if SELECT_MASK
#define MASK_PARAMETER , __global const uchar *mask
#define KEEPS __global const uchar *keep = mask + args.mask + base;
#define FIND_KEPT
#else
#define MASK_PARAMETER
#define KEEPS uchar keep[SELECT_TILE];
#define FIND_KEPT                                                                 \
  __global const SELECT_X *from = (__global const SELECT_X *)(x + args.x) + base; \
  if (left == SELECT_TILE) {                                                      \
    for (uint i = 0; i < SELECT_TILE; i++) keep[i] = SELECT_TEST(from[i]);        \
  } else {                                                                        \
    for (uint i = 0; i < left; i++) keep[i] = SELECT_TEST(from[i]);               \
  }
#endif

#define TILE_OF(number)                                                          \
  const ulong tile = number, base = tile * SELECT_TILE;                          \
  const uint left = (uint)min(args.n - base, (ulong)SELECT_TILE);                \
  KEEPS                                                                          \
  FIND_KEPT                                                                      \
  uint kept = 0;                                                                 \
  for (uint i = 0; i < left; i++) kept += keep[i] != 0;

#if SELECT_WHAT == 1
#define WRITE                                                                                  \
  __global long *to = (__global long *)(out + args.out);                                       \
  const ulong end = before + kept;                                                             \
  if (args.ndim == 0) {                                                                        \
    for (ulong i = 0, k = before; k < end; k += keep[i] != 0, i++) to[k] = (long)(base + i);   \
  } else {                                                                                     \
    for (ulong i = 0, k = before; k < end; i++)                                                \
      if (keep[i]) select_number(to, args, k++, base + i);                                     \
  }
#elif SELECT_WHAT == 2
#define WRITE                                                                                      \
  __global SELECT_X *to = (__global SELECT_X *)(out + args.out);                                   \
  __global const SELECT_X *values = (__global const SELECT_X *)(x + args.x) + base;                \
  ulong k = before, r = ((__global const ulong *)state)[args.tiles] + base - before;               \
  for (uint i = 0; i < left; i++) {                                                                \
    const bool is = keep[i] != 0;                                                                  \
    to[is ? k : r] = values[i];                                                                    \
    k += is;                                                                                       \
    r += !is;                                                                                      \
  }
#else
#define WRITE                                                                             \
  __global SELECT_X *to = (__global SELECT_X *)(out + args.out) + before;                 \
  __global const SELECT_X *values = (__global const SELECT_X *)(x + args.x) + base;       \
  for (uint i = 0, k = 0; k < kept; k += keep[i] != 0, i++) to[k] = values[i];
#endif

#if SELECT_LOOKBACK

__kernel void weft_select(const weft__select_args args, __global uchar *out, __global uchar *count,
                          __global const uchar *x MASK_PARAMETER,
                          __global uchar *state) {
  TILE_OF(weft_exchange_ticket(state, args.lookback.first_ticket))
  weft_lookback_tell(state, (uint)tile, args.lookback.epoch, kept, false);
  const ulong before = weft_lookback_ask(state, (uint)args.tiles, (uint)tile, args.lookback.epoch, kept, false);
  WRITE
  if (args.counts && tile == args.tiles - 1) *(__global long *)(count + args.count) = (long)(before + kept);
}

#else

__kernel void weft_select_counts(const weft__select_args args, __global const uchar *x MASK_PARAMETER,
                                 __global uchar *state) {
  TILE_OF(get_group_id(0))
  ((__global ulong *)state)[tile] = kept;
}

__kernel void weft_select_spine(const weft__select_args args, __global ulong *counts) {
  ulong before = 0;
  for (ulong t = 0; t < args.tiles; t++) {
    const ulong count = counts[t];
    counts[t] = before;
    before += count;
  }
  counts[args.tiles] = before;
}

__kernel void weft_select(const weft__select_args args, __global uchar *out, __global uchar *count,
                          __global const uchar *x MASK_PARAMETER,
                          __global uchar *state) {
  TILE_OF(get_group_id(0))
  const ulong before = ((__global const ulong *)state)[tile];
  WRITE
  if (args.counts && tile == args.tiles - 1) *(__global long *)(count + args.count) = (long)(before + kept);
}

#endif
