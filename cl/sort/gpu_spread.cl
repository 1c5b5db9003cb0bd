// SPDX-License-Identifier: MIT
// The first two passes over uniform keys without values (uniform.clh), for GPUs. Equal keys are the same bits,
// so no pass keeps an order: a tile takes the next places of each bin. It is first ordered by bins in local memory, so
// that writes form runs.
//
// Define before including: as for uniform.clh; WEFT_BLOCK, at least 256; SORT_ITEMS.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DSORT_SECOND=8 -DWEFT_BLOCK=512 -DSORT_ITEMS=24
#include "sort/rank.clh"
#include "sort/uniform.clh"

#define AT(k) ((k) * WEFT_BLOCK + id)

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_spread(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to,
                 __global uchar *key_spare, __global uchar *state) {
  WEFT_WARP_STATE
  __local uint staged[SORT_TILE], counts[SORT_BINS], place[SORT_BINS], sums[WEFT_WARPS], bin_of_tile[1];
  __global uint *uniform = UNIFORM(job, state);
  const uint id = (uint)get_local_id(0), tile = (uint)get_group_id(0);
  const bool is_second = job.digit == 1, is_chosen = uniform_is_chosen(uniform);
#ifdef WEFT_PTX
  if (!is_chosen) return;
#endif
  if (id < SORT_BINS) counts[id] = 0;
  const uniform_range range = uniform_range_of(uniform, tile, is_second, bin_of_tile, &job);
  const uniform_line line = uniform_line_of(uniform, &job);
  const sort_way way = uniform_way_of(is_second, &job);
  // elements head .. left - 1 of the tile are the range's: tiles begin at lines of memory
  const ulong begin = range.begin / 32 * 32 + (ulong)range.tile * SORT_TILE;
  const uint left = is_chosen && begin < range.end ? (uint)min(range.end - begin, (ulong)SORT_TILE) : 0;
  const uint head = range.tile == 0 ? min((uint)(range.begin % 32), left) : 0;
  const bool is_full = left == SORT_TILE && head == 0;
  __global const uint *x = (__global const uint *)(way.first ? key_from + job.key_from
                                                   : way.from_spare ? key_spare + job.key_spare : key_to + job.key_to);
  x += begin;
  uint key[SORT_ITEMS], rank[(SORT_ITEMS + 1) / 2] = {0}; // ranks: two to a word
#define IS_HERE(k) (is_full || (AT(k) >= head && AT(k) < left))
  if (is_full) {
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[AT(k)];
  } else if (left > head) {
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[clamp(AT(k), head, left - 1)];
  }
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (IS_HERE(k)) rank[k / 2] |= atomic_inc(counts + uniform_digit(key[k], line, is_second)) << k % 2 * 16;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint count = 0, next = 0;
  if (id < SORT_BINS) {
    count = counts[id];
    __global uint *cursor = uniform + (is_second ? UNIFORM_PART_NEXT + (range.bin << SORT_SECOND) : UNIFORM_NEXT);
    if (count) next = atomic_add(cursor + id, count);
  }
  const uint first = sort_scan(count, sums WEFT_WARP_ARGUMENTS);
  if (id < SORT_BINS) counts[id] = first;
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (IS_HERE(k))
      staged[counts[uniform_digit(key[k], line, is_second)] + (rank[k / 2] >> k % 2 * 16 & 0xffff)] = key[k];
  if (id < SORT_BINS) place[id] = next - first;
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uint *y = (__global uint *)(way.to_spare ? key_spare + job.key_spare : key_to + job.key_to);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (is_full || AT(k) < left - head) {
      const uint q = staged[AT(k)];
      y[place[uniform_digit(q, line, is_second)] + AT(k)] = q;
    }
}
