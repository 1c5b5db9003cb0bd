// SPDX-License-Identifier: MIT
// Counting of many elements in more bins than a block has counters for, on GPUs. Needs the macros of histogram/bin.clh,
// and:
//   WEFT_BLOCK    threads per block, a multiple of 32 and at least PARTS
//   WEFT_U        16-byte chunks that a thread has of a tile
//   WEFT_E        elements per chunk
//   WIDE_COUNTS   1: a count may reach 2^32
//   PARTS         parts at most, of at most PART_BINS bins, which a block counts in local memory
// weft_histogram_split sorts the elements of each tile by part, in the tile's place in memory, and keeps 16 bits of
// each: its bin's number in the part. weft_histogram_parts counts: a part has as many blocks as its number of elements
// asks for, and each of them takes the part's elements from some of the tiles.
// `memory` has each part's number of elements, then for each tile where its parts begin and where the last one ends,
// and at a.chunk the elements.
// lint: -DWEFT_LINT=1 -DBIN_EVEN=1 -DWEFT_FP64=1
// lint: -DWEFT_LINT=1 -DBIN_SEARCH=1
// lint: -DWEFT_LINT=1 -DBIN_DIRECT=1 -DWIDE_COUNTS=1
#ifdef WEFT_LINT
#include "histogram/lint.clh"
#endif
#include "histogram/loads.clh"
#include "warp.clh"
#include "histogram/bin.clh"

#define TILE (WEFT_BLOCK * WEFT_U * WEFT_E)
#define TABLES 4 // counters of a tile's parts: few threads add to the same one
#define ELEMENTS (WEFT_U * WEFT_E)

/// A part has 1 << weft_part_bits(a.bins) bins.
static inline uint weft_part_bits(uint bins) {
  return 32 - clz((bins - 1) / PARTS);
}

/// sum[p] becomes the sum of sum[0] to sum[p]; for all threads of a block.
WEFT_INLINE void weft_sum_parts(__local uint *sum, uint thread) {
  for (uint d = 1; d < PARTS; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint before = thread >= d && thread < PARTS ? sum[thread - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < PARTS) sum[thread] += before;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// Sets rank[j] to the number of the block's earlier elements of the same part and the same counters, for all threads
/// of a block. Where 32 threads' chunks have one part, as in sorted data, one addition does for all of them.
WEFT_INLINE void weft_rank(uint *rank, const uint *bin, uint bits, __local uint *own WEFT_WARP_PARAMETERS) {
#pragma unroll
  for (uint u = 0; u < WEFT_U; u++) {
    const uint part = weft_lane_u32(bin[u * WEFT_E] >> bits, 0);
    uint is_same = part < PARTS, before = 0;
#pragma unroll
    for (uint e = 0; e < WEFT_E; e++) is_same &= bin[u * WEFT_E + e] >> bits == part;
    is_same = weft_ballot(is_same) == 0xffffffffu;
    if (is_same && weft_lane_id() == 0) before = atomic_add(own + part, 32 * WEFT_E);
    before = weft_lane_u32(before, 0) + weft_lane_id() * WEFT_E;
#pragma unroll
    for (uint e = 0; e < WEFT_E; e++) {
      rank[u * WEFT_E + e] = before + e;
      if (!is_same && bin[u * WEFT_E + e] != NO_BIN)
        rank[u * WEFT_E + e] = atomic_inc(own + (bin[u * WEFT_E + e] >> bits));
    }
  }
}

/// The last block adds what is before the first tile and behind the last one to the counts.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_histogram_split(const weft__histogram_args a, __global uchar *y, __global uchar *memory,
                          __global const uchar *from EDGES_PARAMETER) {
  __local uint4 sorted[TILE / 8];
  __local uint table[TABLES * PARTS], sum[PARTS];
  WEFT_WARP_STATE
  const uint thread = (uint)get_local_id(0), bits = weft_part_bits(a.bins);
  const ulong tile = get_group_id(0);
  const bool is_tile = tile < a.tiles;
  __global const T *x = (__global const T *)(from + a.x_offset);
  __local uint *own = table + thread * TABLES / WEFT_BLOCK * PARTS;
  uint bin[ELEMENTS], rank[ELEMENTS], all = 0;
#if BIN_TABLE || BIN_SEARCH
  edges = (__global const VALUE *)((__global const uchar *)edges + a.edges_offset);
#endif
  for (uint i = thread; i < TABLES * PARTS; i += WEFT_BLOCK) table[i] = 0;
#pragma unroll
  for (uint j = 0; j < ELEMENTS; j++) bin[j] = NO_BIN;
  if (is_tile) {
    __global const RAW *chunks = (__global const RAW *)(x + a.head) + tile * (WEFT_U * WEFT_BLOCK);
    weft_chunk chunk[WEFT_U];
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) WEFT_SPLIT(RAW, chunk[u].word, chunks[u * WEFT_BLOCK + thread])
#pragma unroll
    for (uint j = 0; j < ELEMENTS; j++)
      bin[j] = weft_bin(weft_value(chunk[j / WEFT_E].e[j % WEFT_E]), &a EDGES_ARGUMENT);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  weft_rank(rank, bin, bits, own WEFT_WARP_ARGUMENTS);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread < PARTS) {
#pragma unroll
    for (uint k = 0; k < TABLES; k++) {
      const uint here = table[k * PARTS + thread];
      table[k * PARTS + thread] = all;
      all += here;
    }
    sum[thread] = all;
  }
  weft_sum_parts(sum, thread);
  if (thread < PARTS && is_tile) {
    __global uint *totals = (__global uint *)memory, *first = totals + PARTS + tile * (PARTS + 1);
    const uint begin = sum[thread] - all;
    first[thread] = begin;
    if (thread == PARTS - 1) first[PARTS] = begin + all;
    if (all) atomic_add(totals + thread, all);
#pragma unroll
    for (uint k = 0; k < TABLES; k++) table[k * PARTS + thread] += begin;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint mask = (1u << bits) - 1;
#pragma unroll
  for (uint j = 0; j < ELEMENTS; j++)
    if (bin[j] != NO_BIN) ((__local ushort *)sorted)[own[bin[j] >> bits] + rank[j]] = (ushort)(bin[j] & mask);
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uint4 *to = (__global uint4 *)(memory + a.chunk) + tile * (TILE / 8);
  for (uint i = thread; i < TILE / 8 && is_tile; i += WEFT_BLOCK) to[i] = sorted[i];
  volatile __global uint *counts = (volatile __global uint *)(y + a.counts_offset);
  const ulong done = a.tiles * TILE, left = is_tile ? 0 : a.n - done;
  for (ulong i = thread; i < left; i += WEFT_BLOCK) {
    const uint one = weft_bin(weft_value(x[i < a.head ? i : i + done]), &a EDGES_ARGUMENT);
    if (one != NO_BIN) weft_add_count(counts, one, 1);
  }
}

#define AT_ONCE 4 // loads of a thread before it counts

/// The blocks of a part are neighbours. Each 32 threads of a block take one tile after the other.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_histogram_parts(const weft__histogram_args a, __global uchar *y, __global const uchar *memory) {
  __local uint counter[PART_BINS], sum[PARTS], found[3];
  const uint thread = (uint)get_local_id(0), block = (uint)get_group_id(0), lane = thread % 32;
  const uint bits = weft_part_bits(a.bins), size = 1u << bits;
  __global const uint *totals = (__global const uint *)memory;
  uint blocks = 0;
  for (uint i = thread; i < size; i += WEFT_BLOCK) counter[i] = 0;
  if (thread < PARTS) sum[thread] = blocks = (totals[thread] + a.share - 1) / a.share;
  if (thread == 0) found[0] = PARTS; // shares are rounded up: there are a few blocks more than needed
  weft_sum_parts(sum, thread);
  if (thread < PARTS && block < sum[thread] && block >= sum[thread] - blocks) {
    found[0] = thread;
    found[1] = block - (sum[thread] - blocks);
    found[2] = blocks;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint part = found[0];
  const ulong tiles = part < PARTS ? a.tiles : 0, step = (ulong)found[2] * (WEFT_BLOCK / 32);
  for (ulong tile = found[1] * (WEFT_BLOCK / 32) + thread / 32; tile < tiles; tile += step) {
    __global const uint *first = totals + PARTS + tile * (PARTS + 1) + part;
    __global const ushort *bin = (__global const ushort *)(memory + a.chunk) + tile * TILE;
    const uint end = first[1];
    for (uint i = first[0] + lane; i < end; i += 32 * AT_ONCE) {
      ushort at[AT_ONCE];
#pragma unroll
      for (uint k = 0; k < AT_ONCE; k++) at[k] = bin[min(i + 32 * k, end - 1)];
#pragma unroll
      for (uint k = 0; k < AT_ONCE; k++)
        if (i + 32 * k < end) atomic_inc(counter + at[k]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  volatile __global uint *counts = (volatile __global uint *)(y + a.counts_offset);
  for (uint i = thread; i < size && part < PARTS; i += WEFT_BLOCK)
    if (counter[i]) weft_add_count(counts, (part << bits) + i, counter[i]);
}
