// SPDX-License-Identifier: MIT
// Selection for GPUs. The text in front defines the macros of select/common.clh and
//   WEFT_BLOCK, SELECT_VPT   threads in a block, and chunks of 16 bytes of x per thread, a warp's width apart
//   SELECT_RAW               `raw` of chunk.clh; SELECT_RAW_MASK: `raw` for a chunk's mask bytes
//   SELECT_ALIGNED           0: chunks are not aligned to their size
//   SELECT_COUNT, SELECT_COUNT_WORDS   the type of counts and its words: uint, 1; from 2^32 elements on ulong, 2
// A tile's kept elements are compacted in local memory, then stored as one run.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DSELECT_LOOKBACK=1
// lint: -DWEFT_LINT=1 -DSELECT_LOOKBACK=1 -DSELECT_MASK=1
// lint: -DWEFT_LINT=1 -DSELECT_LOOKBACK=1 -DSELECT_WHAT=1
// lint: -DWEFT_LINT=1 -DSELECT_MASK=1 -DSELECT_WHAT=2
#ifdef WEFT_LINT
#include "select/lint.clh"
#endif
#include "chunk.clh"
#include "select/common.clh"

#if SELECT_LOOKBACK
#define LOOKBACK_T SELECT_COUNT
#define LOOKBACK_WORDS SELECT_COUNT_WORDS
#define LOOKBACK_COMBINE(a, b) ((a) + (b))
#define LOOKBACK_NEUTRAL 0
#include "lookback.clh"
#else
#include "warp.clh"
#endif

#define ELEMENTS (16 / SELECT_SIZE) /* in a chunk */
#define ITEMS (SELECT_VPT * ELEMENTS)
#define TILE (WEFT_BLOCK * ITEMS)

// Several chunks are counted at once, in fields of one word: the count of a warp is at most 32 * ELEMENTS.
#define FIELD_BITS (ELEMENTS <= 4 ? 8 : 16)
#define FIELDS (32 / FIELD_BITS)
#define FIELD_WORDS ((SELECT_VPT + FIELDS - 1) / FIELDS)
#define FIELD(words, k) ((words)[(k) / FIELDS] >> ((k) % FIELDS * FIELD_BITS) & ((1u << FIELD_BITS) - 1))

typedef WEFT_PACK(SELECT_X, ELEMENTS, SELECT_RAW) select_chunk;

static inline void select_get(select_chunk *a, __global const SELECT_X *from, uint chunk) {
#if SELECT_ALIGNED
  WEFT_SPLIT(SELECT_RAW, a->word, ((__global const SELECT_RAW *)from)[chunk])
#else
  for (uint e = 0; e < ELEMENTS; e++) a->e[e] = from[chunk * ELEMENTS + e];
#endif
}

#if SELECT_MASK
// A mask of the kept elements of a chunk.
static inline uint select_mask(__global const uchar *mask, uint chunk) {
  WEFT_PACK(uchar, ELEMENTS, SELECT_RAW_MASK) m;
#if SELECT_ALIGNED
  WEFT_SPLIT(SELECT_RAW_MASK, m.word, ((__global const SELECT_RAW_MASK *)mask)[chunk])
#else
  for (uint e = 0; e < ELEMENTS; e++) m.e[e] = mask[chunk * ELEMENTS + e];
#endif
  uint keep = 0;
#pragma unroll
  for (uint e = 0; e < ELEMENTS; e++) keep |= (m.e[e] ? 1u : 0u) << e;
  return keep;
}
#endif

#if SELECT_LOOKBACK
#define SELECT_KERNEL weft_select
#define SELECT_PASS 0
#include "select/tile.clh"
#else
#define SELECT_KERNEL weft_select_counts
#define SELECT_PASS 1
#include "select/tile.clh"
#define SELECT_KERNEL weft_select
#define SELECT_PASS 2
#include "select/tile.clh"

// Runs between passes 1 and 2: replaces each tile's count by the count before the tile, and appends the total. One
// block; each thread has a run of tiles.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_select_spine(const weft__select_args args, __global ulong *counts) {
  __local ulong totals[WEFT_BLOCK];
  const uint lid = (uint)get_local_id(0);
  const ulong run = (args.tiles + WEFT_BLOCK - 1) / WEFT_BLOCK;
  const ulong begin = min(lid * run, args.tiles), end = min(begin + run, args.tiles);
  ulong total = 0;
  for (ulong t = begin; t < end; t++) total += counts[t];
  totals[lid] = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong before = 0;
  for (uint i = 0; i < lid; i++) before += totals[i];
  for (ulong t = begin; t < end; t++) {
    const ulong count = counts[t];
    counts[t] = before;
    before += count;
  }
  if (lid == WEFT_BLOCK - 1) counts[args.tiles] = before;
}
#endif
