// SPDX-License-Identifier: MIT
// Elements divided by splitters, each part in the order of its elements, in one pass, for libweft-mpi
// (src/dist/dist_divide.c): part c has the keys from splitter c - 1 on, below splitter c, and goes to rank c.
// A block puts a tile in order in local memory and learns, by decoupled look-back (Merrill and Garland 2016), how many
// elements of each part are in the tiles before; so it writes long runs, which other ranks' memory needs: a packet of a
// link has up to 128 bytes.
//   SORT_KEY_BYTES (4 8), SORT_KIND     see sort/key.clh
//   BLOCK, EACH                         threads; adjacent elements of a thread
//   RANKS                               parts, at most 8
//   EACH_WINDOWS                        windows of another rank, at most 16 of all
// The state, all 0: a ticket, from word 8 on the parts' sizes when all is done, from word 32 on RANKS words per tile.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DBLOCK=256 -DEACH=32 -DRANKS=2 -DEACH_WINDOWS=5
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DBLOCK=256 -DEACH=16 -DRANKS=7 -DEACH_WINDOWS=2
#define WEFT_BLOCK BLOCK
#define WEFT_DEVICE_SCOPE 1 // windows are NVIDIA's; of the CPUs that stand in for them in tests too
#define SORT_VALUE_BYTES 0
#include "warp.clh"
#include "sort/key.clh"

#define TILE (BLOCK * EACH)
#define PADDED(e) ((e) + (e) / EACH) // threads that read adjacent elements meet in no bank of local memory
#define LINE (128 / SORT_KEY_BYTES)

// Counts of the parts, 16 bits each.
#define WORDS ((RANKS + 3) / 4)
#define COUNT_OF(words, c) ((uint)((WORDS > 1 && (c) > 3 ? (words)[WORDS - 1] : (words)[0]) >> (c) % 4 * 16) & 0xffff)
WEFT_INLINE void add(ulong *words, uint c, uint n) { // without an index that would keep the words out of registers
  const ulong count = (ulong)n << c % 4 * 16;
  if (WORDS > 1 && c > 3)
    words[WORDS - 1] += count;
  else
    words[0] += count;
}

// A status word: nothing yet, or the count of a tile, or the count of all tiles up to this one.
#define PARTIAL (1u << 30)
#define INCLUSIVE (1u << 31)
#define READS 4
#define VALUE_OF(word) ((word) & ((word) & INCLUSIVE ? INCLUSIVE - 1 : PARTIAL - 1))

#define WINDOWS(type) type w0, type w1, type w2, type w3, type w4, type w5, type w6, type w7, type w8, type w9, \
  type w10, type w11, type w12, type w13, type w14, type w15

static inline uint part_of(sort_key k, const sort_order *splitter, uint flip, uint flip_top) {
  const sort_order order = sort_order_of(k, flip, flip_top);
  uint c = 0;
#pragma unroll
  for (uint s = 0; s + 1 < RANKS; s++) c += !sort_less(order, splitter[s]);
  return c;
}

// Replaces the thread's counts by the counts of the threads before it.
WEFT_INLINE void add_up(ulong *count, ulong *total, __local ulong *sums WEFT_WARP_PARAMETERS) {
  const uint id = (uint)get_local_id(0), lane = id & 31;
#pragma unroll
  for (uint w = 0; w < WORDS; w++) {
    ulong all = count[w];
    for (uint d = 1; d < 32; d *= 2) {
      const ulong older = weft_up_u64(all, d);
      if (lane >= d) all += older;
    }
    if (lane == 31) sums[w * WEFT_WARPS + (id >> 5)] = all;
    count[w] = all - count[w];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint w = 0; w < WORDS; w++) {
    total[w] = 0;
    for (uint k = 0; k < WEFT_WARPS; k++) {
      const ulong sum = sums[w * WEFT_WARPS + k];
      if (k < id >> 5) count[w] += sum;
      total[w] += sum;
    }
  }
}

// The elements of a part in the `tile` tiles before; `status`: the part's word of this tile. A few words are read at a
// time, which takes no longer than one.
static inline uint look_back(volatile __global uint *status, uint tile) {
  uint before = 0;
  while (tile > 0) {
    uint found[READS], used = 0;
    bool is_last = false;
#pragma unroll
    for (uint k = 0; k < READS; k++) found[k] = k < tile ? weft_load_device_u32(status - (k + 1) * RANKS) : 0;
#pragma unroll
    for (uint k = 0; k < READS; k++)
      if (used == k && found[k] && !is_last) {
        before += VALUE_OF(found[k]);
        is_last = (found[k] & INCLUSIVE) != 0;
        used++;
      }
    if (is_last) break;
    status -= used * RANKS;
    tile -= used;
  }
  return before;
}

// This rank's part goes to `own`, from element own_at on; another rank's to its windows, EACH_WINDOWS from number
// EACH_WINDOWS * (its number among the others) on, each of `window` elements from byte offsets[number] of its memory
// on. Of no part more than `room` elements are written. `sorted`: `samples` elements in order, with the splitters at
// equal distances.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_divide(__global uchar *own, __global const uchar *x, __global uint *state, __global const uchar *sorted,
                 __global const long *offsets, ulong n, ulong own_at, ulong room, ulong window, uint tiles, uint rank,
                 uint samples, uint flip, uint flip_top, WINDOWS(__global uchar *)) {
  WEFT_WARP_STATE
  __local sort_key staged[TILE + BLOCK];
  __local ulong sums[WORDS * WEFT_WARPS];
  __local uint start[RANKS], ticket[1];
  const uint id = (uint)get_local_id(0);
  sort_order splitter[RANKS];
  sort_key v[EACH];
  if (id == 0) ticket[0] = atomic_inc(state);
#pragma unroll
  for (uint s = 0; s + 1 < RANKS; s++) {
    const uint at = (uint)((ulong)samples * (s + 1) / RANKS);
    splitter[s] = sort_order_of(((__global const sort_key *)sorted)[at], flip, flip_top);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint tile = ticket[0];
  const ulong begin = (ulong)tile * TILE;
  const uint m = (uint)min(n - begin, (ulong)TILE);
  __global const sort_key *from = (__global const sort_key *)x + begin;
#pragma unroll
  for (uint k = 0; k < EACH; k++) v[k] = from[min(k * BLOCK + id, m - 1)];
#pragma unroll
  for (uint k = 0; k < EACH; k++) staged[PADDED(k * BLOCK + id)] = v[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong place[WORDS] = {0}, total[WORDS];
#pragma unroll
  for (uint k = 0; k < EACH; k++) {
    const uint c = part_of(staged[id * (EACH + 1) + k], splitter, flip, flip_top);
    if (id * EACH + k < m) add(place, c, 1);
  }
  add_up(place, total, sums WEFT_WARP_ARGUMENTS);
  volatile __global uint *status = state + 32 + (ulong)tile * RANKS + id;
  const uint mine = id < RANKS ? COUNT_OF(total, id) : 0;
  if (id < RANKS) weft_store_device_u32(status, mine | (tile == 0 ? INCLUSIVE : PARTIAL));
  // read again: kept, they and their parts would take the registers of other blocks
#pragma unroll
  for (uint k = 0; k < EACH; k++) v[k] = staged[id * (EACH + 1) + k];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint first = 0;
#pragma unroll
  for (uint c = 0; c < RANKS; c++) {
    add(place, c, first);
    first += COUNT_OF(total, c);
  }
#pragma unroll
  for (uint k = 0; k < EACH; k++) {
    const uint c = part_of(v[k], splitter, flip, flip_top);
    if (id * EACH + k < m) {
      staged[COUNT_OF(place, c)] = v[k];
      add(place, c, 1);
    }
  }
  if (id < RANKS) {
    const uint before = look_back(status, tile);
    if (tile > 0) weft_store_device_u32(status, (before + mine) | INCLUSIVE);
    if (tile == tiles - 1) state[8 + id] = before + mine;
    start[id] = before;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  first = 0;
  for (uint c = 0; c < RANKS; c++) {
    const uint count = COUNT_OF(total, c), at = start[c], ahead = at % LINE; // a warp writes whole lines
    const bool is_own = c == rank;
    const ulong number = is_own ? 0 : min(at / window, (ulong)(EACH_WINDOWS - 1)), base = number * window;
    __global uchar *to[2];
#pragma unroll
    for (uint k = 0; k < 2; k++) {
      const uint j = (c < rank ? c : c - 1) * EACH_WINDOWS + (uint)number + k;
      to[k] = j == 0 ? w0 : j == 1 ? w1 : j == 2 ? w2 : j == 3 ? w3 : j == 4 ? w4 : j == 5 ? w5 : j == 6 ? w6
            : j == 7 ? w7 : j == 8 ? w8 : j == 9 ? w9 : j == 10 ? w10 : j == 11 ? w11 : j == 12 ? w12 : j == 13 ? w13
            : j == 14 ? w14 : w15;
      if (!is_own) to[k] += offsets[min(j, 15u)];
    }
    __global sort_key *near = is_own ? (__global sort_key *)own + own_at : (__global sort_key *)to[0];
    __global sort_key *far = (__global sort_key *)to[1];
    const ulong edge = is_own ? room : base + window;
    for (uint i = id; i < count + ahead; i += BLOCK) {
      const ulong p = (ulong)at + i - ahead;
      if (i >= ahead && p < room) *(p < edge ? near + (p - base) : far + (p - edge)) = staged[first + i - ahead];
    }
    first += count;
  }
}
