// SPDX-License-Identifier: MIT
// Counting on GPUs. Needs the macros of histogram/bin.clh, and:
//   WEFT_BLOCK    threads per block
//   WEFT_U        16-byte chunks that a thread loads before it counts the first
//   WEFT_E        elements per chunk
//   LOCAL_WORDS   counters of a block in local memory; 0: counters are in global memory
//   LOCAL_EDGES   edges that fit in local memory; 0: edges are read from global memory
//   WIDE_COUNTS   1: a count may reach 2^32
//   RANGES        1: a.chunks ranges of LOCAL_WORDS bins, each counted by blocks of its own, which read all elements
//   BYTES         elements are bytes: their 256 values are counted, and assigned to bins at the end
//   TICKETS       blocks can wait for each other: the first ones to start clear the counts, and the others wait before
//                 they add; the state is described in exchange.clh. 0: another launch clears the counts
//
// Each warp, or a few warps together, has a table of its own in local memory, so that few atomics collide. A few blocks
// take one tile after the other, so that adding up their tables costs little. Integer additions make the same sum in
// any order.
// lint: -DWEFT_LINT=1 -DBIN_EVEN=1 -DWEFT_FP64=1
// lint: -DWEFT_LINT=1 -DBIN_SEARCH=1
// lint: -DWEFT_LINT=1 -DBIN_DIRECT=1 -DWIDE_COUNTS=1
// lint: -DWEFT_LINT=1 -DBIN_EVEN=1 -DWEFT_FP64=1 -DRANGES=1
// lint: -DWEFT_LINT=1 -DBIN_DIRECT=1 -DTICKETS=1 -DWEFT_DEVICE_SCOPE
#ifdef WEFT_LINT
#include "histogram/lint.clh"
#endif
#include "histogram/loads.clh"
#if TICKETS
#define EXCHANGE_T uint
#define EXCHANGE_WORDS 1
#include "exchange.clh"
#define STATE_PARAMETER , __global uchar *state
#else
#include "warp.clh"
#define STATE_PARAMETER
#endif
#include "histogram/bin.clh"

#ifdef WEFT_PTX
#define UNROLL _Pragma("unroll")
#else
#define UNROLL /* emulated warps have barriers: unrolled, these take very long to compile */
#endif

#if RANGES
#define IN_RANGE(bin) ((bin)-first < LOCAL_WORDS)
#define ADD_ONE(bin) \
  if (IN_RANGE(bin)) atomic_inc(mine + ((bin)-first))
#define TABLE_PARAMETER __local uint *mine, uint first
#define TABLE_PASSED mine, first
#define TABLE_ARGUMENT own_table, first
#elif LOCAL_WORDS
#define ADD_ONE(bin) atomic_inc(mine + (bin))
#define TABLE_PARAMETER __local uint *mine
#define TABLE_PASSED mine
#define TABLE_ARGUMENT own_table
#else
#define ADD_ONE(bin) weft_add_count(mine, (bin), 1)
#define TABLE_PARAMETER volatile __global uint *mine
#define TABLE_PASSED mine
#define TABLE_ARGUMENT counts
#endif

#if LOCAL_WORDS /* emulated warps would take local memory from the counters */
#define CHUNK_ARGUMENTS
#else
#define CHUNK_ARGUMENTS WEFT_WARP_ARGUMENTS
#endif

// Edges from the formula, computed once per block: values on an edge are common.
#define KEEPS_EDGES (BIN_EVEN && !BIN_TABLE && !BYTES && LOCAL_EDGES)
#if BIN_SEARCH && LOCAL_EDGES
#define NEAR_PARAMETER , __local const VALUE *edges
#define NEAR_ARGUMENT , near_edges
// Does the search of weft_bin in local memory.
static inline uint weft_near_bin(VALUE x, const weft__histogram_args *a NEAR_PARAMETER) {
  uint first = 0, count = a->used;
  if (!(x >= edges[0] && x <= edges[a->bins])) return NO_BIN;
  while (count > 1) {
    const uint half_count = count / 2;
    if (edges[first + half_count] <= x) first += half_count;
    count -= half_count;
  }
  return first;
}
#elif KEEPS_EDGES
#define NEAR_PARAMETER , __local const weft_edge *kept_edges
#define NEAR_ARGUMENT , kept_edges
#define weft_near_bin weft_bin
#else
#define NEAR_PARAMETER EDGES_PARAMETER
#define NEAR_ARGUMENT EDGES_ARGUMENT
#define weft_near_bin weft_bin
#endif
#if BIN_TABLE || BIN_SEARCH
#define NEAR_PASSED , edges
#else
#define NEAR_PASSED
#endif

static inline void weft_count_one(T x, const weft__histogram_args *a, TABLE_PARAMETER NEAR_PARAMETER) {
#if BYTES
  ADD_ONE((uchar)x);
#else
  const uint bin = weft_near_bin(weft_value(x), a NEAR_PASSED);
  if (bin != NO_BIN) ADD_ONE(bin);
#endif
}

#if LOCAL_WORDS
// Where threads of a warp have the same bin, the hardware combines their additions of one: data of few values takes no
// longer.
WEFT_INLINE void weft_count_chunk(weft_chunk chunk, const weft__histogram_args *a,
                                  TABLE_PARAMETER NEAR_PARAMETER) {
#if BIN_EVEN && !BYTES
  weft_guess g[WEFT_E];
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++) {
    const VALUE x = weft_value(chunk.e[j]);
    g[j] = weft_guess_bin(x, a);
#if KEEPS_EDGES
    // done for all elements, which is faster than a branch
    g[j].bin = g[j].edge - ((weft_edge)x < kept_edges[min(g[j].edge, (uint)a->bins)]);
#else
#if RANGES
    g[j].near = g[j].near && g[j].edge - first <= LOCAL_WORDS;
#endif
    if (g[j].near) g[j].bin = g[j].edge - IS_BELOW(x, g[j].edge);
#endif
  }
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++) {
    if (g[j].is_in) ADD_ONE(g[j].bin);
  }
#else
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++) weft_count_one(chunk.e[j], a, TABLE_PASSED NEAR_PASSED);
#endif
}
#else
// Called by all threads of the block. Additions in global memory are expensive: a warp whose elements are all in one
// bin adds once, and so does a thread.
WEFT_INLINE void weft_count_chunk(weft_chunk chunk, const weft__histogram_args *a,
                                  TABLE_PARAMETER NEAR_PARAMETER WEFT_WARP_PARAMETERS) {
  uint bin[WEFT_E];
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++) bin[j] = weft_near_bin(weft_value(chunk.e[j]), a NEAR_PASSED);
  const uint first = weft_lane_u32(bin[0], 0);
  uint is_same = 1;
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++) is_same &= bin[j] == first;
  if (weft_ballot(is_same) == 0xffffffffu) {
    if (weft_lane_id() == 0 && first != NO_BIN) weft_add_count(mine, first, 32 * WEFT_E);
    return;
  }
  uint is_run = 1;
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++) is_run &= bin[j] == bin[0];
  if (is_run) {
    if (bin[0] != NO_BIN) weft_add_count(mine, bin[0], WEFT_E);
    return;
  }
#pragma unroll
  for (uint j = 0; j < WEFT_E; j++)
    if (bin[j] != NO_BIN) weft_add_count(mine, bin[j], 1);
}
#endif

#if TICKETS
// The number of this block among those that have started. The first ones clear the counts. Several do nothing else: a
// block may only wait for blocks that started before it.
WEFT_INLINE uint weft_begin(const weft__histogram_args *a, __global uchar *y, __global uchar *state,
                            __local uint *ticket) {
  const uint thread = (uint)get_local_id(0);
  if (thread == 0) *ticket = a->clears ? weft_exchange_ticket(state, a->lookback.first_ticket) : (uint)get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint block = *ticket;
  const bool clears = block < a->clears;
  if (clears) {
    __global ulong *counts = (__global ulong *)(y + a->counts_offset);
    const uint all = a->bins + 2 * a->measures;
    for (uint i = block * WEFT_BLOCK + thread; i < all; i += a->clears * WEFT_BLOCK) counts[i] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (clears && thread == 0) {
    weft_fence_device();
    weft_exchange_write(state, block, 0, a->lookback.epoch << 2 | EXCHANGE_WHOLE);
  }
  return block;
}
#endif

// All threads of the block may add to the counts after it.
#if TICKETS
#define AWAIT_CLEARED()                                                                             \
  if (thread < a.clears) {                                                                          \
    uint unused;                                                                                    \
    while ((weft_exchange_read(state, thread, &unused) ^ a.lookback.epoch << 2) > 3u) {             \
    }                                                                                               \
    weft_fence_device();                                                                            \
  }                                                                                                 \
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#else
#define AWAIT_CLEARED() barrier(CLK_LOCAL_MEM_FENCE);
#endif

#if LOCAL_WORDS
// Adds the block's tables to the counts, or stores them. `found`: two zeros, for blocks that measure.
WEFT_INLINE void weft_deliver(const weft__histogram_args *a, volatile __global uint *counts, __local const uint *table,
                              uint first, __local uint *found EDGES_PARAMETER) {
  const uint thread = (uint)get_local_id(0);
  uint last = 0, all = 0;
#if BYTES
  for (uint i = thread; i < 256; i += WEFT_BLOCK) {
    const uint bin = weft_bin(weft_value((T)(uchar)i), a EDGES_ARGUMENT);
#else
  for (uint i = thread; i < min(a->bins - first, (uint)LOCAL_WORDS); i += WEFT_BLOCK) {
    const uint bin = first + i;
#endif
    uint sum = 0;
    for (uint k = 0; k < a->copies; k++) sum += table[k * a->stride + i];
    if (!a->adds)
      ((volatile __global ulong *)counts)[bin] = sum;
    else if (sum && bin != NO_BIN)
      weft_add_count(counts, bin, sum);
    if (sum && bin != NO_BIN) {
      last = max(last, bin + 1);
      all += sum;
    }
  }
  if (a->measures) {
    atomic_max(found, last);
    atomic_add(found + 1, all);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (a->measures && thread == 0) {
    volatile __global uint *words = counts + (ulong)a->bins * 2;
    atomic_max(words, found[0]);
    atomic_add(words + 2, found[1]);
  }
}
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_histogram(const weft__histogram_args a, __global uchar *y, __global const uchar *from EDGES_PARAMETER
                    STATE_PARAMETER) {
  const uint thread = (uint)get_local_id(0);
#if RANGES
  const ulong blocks = get_num_groups(0) / a.chunks, block = get_group_id(0) / a.chunks;
  const uint first = (uint)(get_group_id(0) % a.chunks) * LOCAL_WORDS;
#else
  ulong blocks = get_num_groups(0);
  const uint first = 0;
#if TICKETS
  __local uint ticket[1];
  ulong block = weft_begin(&a, y, state, ticket);
#if !LOCAL_WORDS
  if (block < a.clears) return;
  block -= a.clears;
  blocks -= a.clears;
#endif
#else
  const ulong block = get_group_id(0);
#endif
#endif
  volatile __global uint *counts = (volatile __global uint *)(y + a.counts_offset);
  __global const T *x = (__global const T *)(from + a.x_offset);
  __global const RAW *chunks = (__global const RAW *)(x + a.head);
#if !LOCAL_WORDS
  WEFT_WARP_STATE
#else
  __local uint table[LOCAL_WORDS], found[2];
  if (thread < 2) found[thread] = 0;
  for (uint i = thread; i < a.stride * a.copies; i += WEFT_BLOCK) table[i] = 0;
  __local uint *own_table = table + thread / 32 % a.copies * a.stride;
#endif
#if BIN_TABLE || BIN_SEARCH
  edges = (__global const VALUE *)((__global const uchar *)edges + a.edges_offset);
#endif
#if BIN_SEARCH && LOCAL_EDGES
  __local VALUE near_edges[LOCAL_EDGES];
  for (uint i = thread; i <= a.bins; i += WEFT_BLOCK) near_edges[i] = edges[i];
#endif
#if KEEPS_EDGES
  __local weft_edge kept_edges[LOCAL_EDGES];
  for (uint i = thread; i <= a.bins; i += WEFT_BLOCK)
    kept_edges[i] = i >= a.used ? (weft_edge)INFINITY : weft_edge_at(i, &a);
#endif
#if LOCAL_WORDS
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (ulong tile = block; tile < a.tiles; tile += blocks) {
    weft_chunk chunk[WEFT_U];
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) WEFT_SPLIT(RAW, chunk[u].word, chunks[(tile * WEFT_U + u) * WEFT_BLOCK + thread])
#if !LOCAL_WORDS
    if (tile == block) { AWAIT_CLEARED() }
#endif
    UNROLL
    for (uint u = 0; u < WEFT_U; u++) weft_count_chunk(chunk[u], &a, TABLE_ARGUMENT NEAR_ARGUMENT CHUNK_ARGUMENTS);
  }
#if !LOCAL_WORDS
  if (block >= a.tiles) { AWAIT_CLEARED() }
#endif
  if (block == blocks - 1) { /* the head, and the elements after the last whole tile */
    const ulong done = a.tiles * (WEFT_BLOCK * WEFT_U * WEFT_E), left = a.n - done;
    for (ulong i = thread; i < left; i += WEFT_BLOCK)
      weft_count_one(x[i < a.head ? i : i + done], &a, TABLE_ARGUMENT NEAR_ARGUMENT);
  }
#if LOCAL_WORDS
  AWAIT_CLEARED()
  weft_deliver(&a, counts, table, first, found EDGES_ARGUMENT);
#endif
}
