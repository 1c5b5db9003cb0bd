// SPDX-License-Identifier: MIT
// Elements spread over bins by some of their bits, in no order, for libweft-mpi (src/dist/dist_spread.c). A block keeps
// up to 31 elements of each bin in local memory, so that it writes whole lines of 128 bytes: also into another rank's
// memory, where a packet of a link has up to 128 bytes. A bin has a room of `lines` lines, and behind them of `tails`
// elements for what the blocks have left in the end. What does not fit is counted, but not written.
//   BLOCK, EACH      threads; elements of a thread in a tile
//   BINS             a power of two
//   RANKS            at most 8
//   EACH_WINDOWS     windows of another rank, at most 16 of all
//   SECOND           0: of this rank's elements into all ranks' rooms; 1: what came, of each bin into further bins
// The counts of the rooms: numbers of lines of all rooms, then numbers of the elements behind them.
// lint: -DBLOCK=1024 -DEACH=16 -DBINS=512 -DRANKS=2 -DEACH_WINDOWS=5 -DSECOND=0
// lint: -DBLOCK=1024 -DEACH=16 -DBINS=512 -DRANKS=8 -DEACH_WINDOWS=2 -DSECOND=1
#define WEFT_BLOCK BLOCK
#define SORT_ITEMS EACH
#include "sort/rank.clh"

#define TILE SORT_TILE
#define LINE 32
#define TOGETHER 2 // bins of which a warp writes lines at a time
#define MINE ((BINS + BLOCK - 1) / BLOCK) // adjacent bins of a thread
#define BIN_OF(v) ((v) >> shift & (BINS - 1))

#define WINDOWS(type) type w0, type w1, type w2, type w3, type w4, type w5, type w6, type w7, type w8, type w9, \
  type w10, type w11, type w12, type w13, type w14, type w15
#define WINDOW(j)                                                                                               \
  ((j) == 0 ? w0 : (j) == 1 ? w1 : (j) == 2 ? w2 : (j) == 3 ? w3 : (j) == 4 ? w4 : (j) == 5 ? w5 : (j) == 6 ? w6 \
   : (j) == 7 ? w7 : (j) == 8 ? w8 : (j) == 9 ? w9 : (j) == 10 ? w10 : (j) == 11 ? w11 : (j) == 12 ? w12         \
   : (j) == 13 ? w13 : (j) == 14 ? w14 : w15)

// What a block knows of its bins.
typedef struct {
  __local uint *staged, *left; // a tile's elements in the order of their bins; LINE places of each bin
  __local uint *count, *start; // of the tile's elements
  __local uint *held, *at;     // elements in `left`; the line to write next
  __local ulong *room;         // addresses
} block_bins;
#define BINS_STATE                                                 \
  WEFT_WARP_STATE                                                  \
  __local uint staged[TILE], left[BINS * LINE], sums[WEFT_WARPS];  \
  __local uint count[BINS], start[BINS + 1], held[BINS], at[BINS]; \
  __local ulong room[BINS];                                        \
  const block_bins bins = {staged, left, count, start, held, at, room};

WEFT_INLINE void load_tile(uint *v, __global const uint *from, uint m) {
  const uint id = (uint)get_local_id(0);
  if (m == TILE) {
    SORT_UNROLL
    for (uint k = 0; k < EACH; k++) v[k] = from[k * BLOCK + id];
  } else if (m > 0) {
    SORT_UNROLL
    for (uint k = 0; k < EACH; k++) v[k] = from[min(k * BLOCK + id, m - 1)];
  }
}

// Puts a tile's `m` elements in the order of their bins, and finds lines for those bins that then have whole ones. The
// counts are 0 before and after.
WEFT_INLINE void order_tile(const uint *v, uint m, uint shift, volatile __global uint *lines_used, block_bins b,
                            __local uint *sums WEFT_WARP_PARAMETERS) {
  const uint id = (uint)get_local_id(0);
  uint rank[(EACH + 1) / 2] = {0}, sum = 0; // two to a word
  SORT_UNROLL
  for (uint k = 0; k < EACH; k++)
    if (k * BLOCK + id < m) rank[k / 2] |= atomic_inc(b.count + BIN_OF(v[k])) << k % 2 * 16;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint c = id * MINE; c < min((id + 1) * MINE, (uint)BINS); c++) sum += b.count[c];
  uint begin = sort_scan(sum, sums WEFT_WARP_ARGUMENTS);
  for (uint c = id * MINE; c < min((id + 1) * MINE, (uint)BINS); c++) {
    const uint n = b.count[c], whole = (b.held[c] + n) / LINE;
    b.count[c] = 0;
    b.start[c] = begin;
    if (whole > 0) b.at[c] = atomic_add(lines_used + c, whole);
    begin += n;
    if (c == BINS - 1) b.start[BINS] = begin;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < EACH; k++)
    if (k * BLOCK + id < m) b.staged[b.start[BIN_OF(v[k])] + (rank[k / 2] >> k % 2 * 16 & 0xffff)] = v[k];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Element i of a bin: of `left`, then of the tile's.
#define ELEMENT(i) ((i) < old[g] ? b.left[c * LINE + (i)] : b.staged[begin[g] + (i) - old[g]])

// Writes the whole lines of each bin; the rest stays. A warp has a few bins at a time, whose loads do not wait for each
// other.
WEFT_INLINE void write_lines(uint lines, block_bins b) {
  const uint id = (uint)get_local_id(0), lane = id & 31;
  for (uint first = 0; first < BINS; first += TOGETHER * WEFT_WARPS) {
    uint begin[TOGETHER], old[TOGETHER], all[TOGETHER], line[TOGETHER], rest[TOGETHER];
    SORT_UNROLL
    for (uint g = 0; g < TOGETHER; g++) {
      const uint c = first + g * WEFT_WARPS + (id >> 5);
      begin[g] = old[g] = all[g] = line[g] = rest[g] = 0;
      if (c < BINS) {
        begin[g] = b.start[c];
        old[g] = b.held[c];
        all[g] = b.start[c + 1] - begin[g] + old[g];
        line[g] = b.at[c];
      }
    }
    SORT_UNROLL
    for (uint g = 0; g < TOGETHER; g++) {
      const uint c = first + g * WEFT_WARPS + (id >> 5), whole = all[g] / LINE, last = whole * LINE + lane;
      if (last < all[g]) rest[g] = ELEMENT(last);
      if (whole > 0) {
        __global uint *to = (__global uint *)b.room[c] + (ulong)line[g] * LINE + lane;
        if (line[g] < lines) to[0] = ELEMENT(lane);
        for (uint k = 1; k < whole; k++)
          if (line[g] + k < lines) to[k * LINE] = b.staged[begin[g] + k * LINE + lane - old[g]];
      }
    }
    WEFT_SYNC_WARP();
    SORT_UNROLL
    for (uint g = 0; g < TOGETHER; g++) {
      const uint c = first + g * WEFT_WARPS + (id >> 5), n = all[g] % LINE;
      if (lane < n) b.left[c * LINE + lane] = rest[g];
      if (c < BINS && lane == 0) b.held[c] = n;
    }
  }
}

// Writes what is left of each bin.
WEFT_INLINE void write_tails(uint lines, uint tails, volatile __global uint *tails_used, block_bins b) {
  const uint id = (uint)get_local_id(0), lane = id & 31;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint c = id; c < BINS; c += BLOCK)
    if (b.held[c] > 0) b.at[c] = atomic_add(tails_used + c, b.held[c]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint c = id >> 5; c < BINS; c += WEFT_WARPS) {
    const uint place = b.at[c] + lane;
    if (lane < b.held[c] && place < tails)
      ((__global uint *)b.room[c])[(ulong)lines * LINE + place] = b.left[c * LINE + lane];
  }
}

#if !SECOND

// Rank r's bins are cuts[r] to cuts[r + 1] - 1; their rooms are in `own`, or `per_window` of them in each of the
// windows to rank r, from byte offsets[window] on. Elements become their distance from the key `low`; behind the counts
// is 1 if one is greater than `span`.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_spread(__global uchar *own, __global const uchar *x, __global uint *counts, __global const uint *cuts,
                 __global const long *offsets, ulong n, uint rank, uint per_window, uint lines, uint tails, uint shift,
                 uint flip, uint low, uint span, WINDOWS(__global uchar *)) {
  BINS_STATE
  const uint id = (uint)get_local_id(0);
  const ulong step = (ulong)get_num_groups(0) * TILE, room_bytes = (lines * LINE + tails) * 4ul;
  ulong begin = (ulong)get_group_id(0) * TILE;
  uint m = begin < n ? (uint)min(n - begin, (ulong)TILE) : 0, v[EACH];
  bool is_outside = false;
  for (uint c = id; c < BINS; c += BLOCK) {
    uint r = 0;
    while (r + 1 < RANKS && c >= cuts[r + 1]) r++;
    const uint j = c - cuts[r], w = (r < rank ? r : r - 1) * EACH_WINDOWS + j / per_window;
    __global uchar *to = own + j * room_bytes;
    if (r != rank) to = WINDOW(w) + offsets[min(w, 15u)] + j % per_window * room_bytes;
    room[c] = (ulong)to;
    held[c] = count[c] = 0;
  }
  load_tile(v, (__global const uint *)x + begin, m);
  barrier(CLK_LOCAL_MEM_FENCE);
  while (m > 0) {
    SORT_UNROLL
    for (uint k = 0; k < EACH; k++) {
      v[k] = (v[k] ^ flip) - low;
      is_outside |= v[k] > span;
      v[k] = min(v[k], span); // the bins beyond have no rooms
    }
    order_tile(v, m, shift, counts, bins, sums WEFT_WARP_ARGUMENTS);
    begin += step;
    m = begin < n ? (uint)min(n - begin, (ulong)TILE) : 0;
    load_tile(v, (__global const uint *)x + begin, m); // arrives while lines are written
    write_lines(lines, bins);
  }
  write_tails(lines, tails, counts + BINS, bins);
  if (is_outside) counts[2 * BINS] = 1;
}

#else

// `units` blocks for each of this rank's `rooms` bins, of which the first is number `first`; the elements are in `own`
// and, of other ranks, in this rank's windows. `came`: the counts of each rank's came_bins rooms. A tile is in one run:
// the lines, or the elements behind them, from one rank. to_lines, to_tails: of the rooms in `to`.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_spread(__global uchar *to, __global const uchar *own, __global const uint *came, __global uint *counts,
                 __global const long *offsets, uint rank, uint first, uint rooms, uint came_bins, uint units,
                 uint per_window, uint lines, uint tails, uint to_lines, uint to_tails, uint shift,
                 WINDOWS(__global const uchar *)) {
  BINS_STATE
  __local ulong run[2 * RANKS];
  __local uint run_size[2 * RANKS], run_end[2 * RANKS]; // elements; number of the next run's first tile
  const uint id = (uint)get_local_id(0), j = (uint)get_group_id(0) / units;
  const ulong room_bytes = (lines * LINE + tails) * 4ul, to_bytes = (to_lines * LINE + to_tails) * 4ul;
  __global uint *lines_used = counts + (ulong)j * BINS, *tails_used = counts + ((ulong)rooms + j) * BINS;
  uint tile = (uint)get_group_id(0) % units, m = 0, v[EACH];
  for (uint c = id; c < BINS; c += BLOCK) {
    room[c] = (ulong)(to + ((ulong)j * BINS + c) * to_bytes);
    held[c] = count[c] = 0;
  }
  if (id == 0) {
    uint tiles = 0;
    for (uint r = 0; r < RANKS; r++) {
      const uint w = (r < rank ? r : r - 1) * EACH_WINDOWS + j / per_window;
      __global const uchar *from = own + j * room_bytes;
      if (r != rank) from = WINDOW(w) + offsets[min(w, 15u)] + j % per_window * room_bytes;
      for (uint t = 0; t < 2; t++) {
        const uint size = came[(2 * r + t) * came_bins + first + j] * (t == 0 ? LINE : 1);
        tiles += (size + TILE - 1) / TILE;
        run[2 * r + t] = (ulong)(from + t * lines * (LINE * 4ul));
        run_size[2 * r + t] = size;
        run_end[2 * r + t] = tiles;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint k = 0; // the tile's run
#define LOAD()                                                                                   \
  while (k < 2 * RANKS && tile >= run_end[k]) k++;                                               \
  m = 0;                                                                                         \
  if (k < 2 * RANKS) {                                                                           \
    const uint before = (tile - (k > 0 ? run_end[k - 1] : 0)) * TILE;                            \
    m = min(run_size[k] - before, (uint)TILE);                                                   \
    load_tile(v, (__global const uint *)run[k] + before, m);                                     \
  }
  LOAD()
  while (m > 0) {
    order_tile(v, m, shift, lines_used, bins, sums WEFT_WARP_ARGUMENTS);
    tile += units;
    LOAD() // arrives while lines are written
    write_lines(to_lines, bins);
  }
  write_tails(to_lines, to_tails, tails_used, bins);
}

#endif
