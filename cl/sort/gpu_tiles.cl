// SPDX-License-Identifier: MIT
// Rows of a few tiles, sorted in one launch, for GPUs. The first blocks sort a tile each, in local memory, into
// scratch. The others place the sorted elements, one per thread: an element's place in the row is the sum of its places
// in all tiles, found by binary search. Neighbours search along nearly the same paths, so that most loads are shared.
//
// A placing block waits for the tiles of its row. Blocks are numbered by tickets and tiles come first, so that a block
// waits only for blocks that have started (lookback.clh).
//
// With SORT_UNIQUE there is one row, whose places are in scratch too (a single tile is there already). Further blocks
// wait for it and keep the elements that differ from the one before; each reads how many the blocks before it keep.
//
// Define before including: SORT_KEY_BYTES, SORT_KIND, SORT_VALUE_BYTES (0; 4 or 8: values, or with
// weft__sort_args.flags the elements' numbers, of 4 bytes in scratch), SORT_UNIQUE (1: no values), WEFT_BLOCK,
// SORT_ITEMS (elements per thread of a tile; a power of 2). The state is described in exchange.clh and has a word for
// each tile, with SORT_UNIQUE for each block.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DSORT_VALUE_BYTES=0 -DWEFT_BLOCK=256 -DSORT_ITEMS=16 -DWEFT_DEVICE_SCOPE
// lint: -DSORT_KEY_BYTES=16 -DSORT_KIND=2 -DSORT_VALUE_BYTES=8 -DWEFT_BLOCK=256 -DSORT_ITEMS=4 -DWEFT_DEVICE_SCOPE
// lint: -DSORT_KEY_BYTES=1 -DSORT_KIND=0 -DSORT_VALUE_BYTES=4 -DWEFT_BLOCK=256 -DSORT_ITEMS=1 -DWEFT_DEVICE_SCOPE
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DSORT_VALUE_BYTES=0 -DSORT_UNIQUE=1 -DWEFT_BLOCK=256 -DSORT_ITEMS=4 -DWEFT_DEVICE_SCOPE
#define EXCHANGE_T uint
#define EXCHANGE_WORDS 1
#include "exchange.clh"
#include "sort/tile.clh"

#if SORT_UNIQUE
#define VALUE_PARAMETERS , __global uchar *value_to, __global uchar *value_spare
#elif SORT_VALUE_BYTES
#define VALUE_PARAMETERS , __global const uchar *value_from, __global uchar *value_to, __global uchar *value_spare
#else
#define VALUE_PARAMETERS
#endif

// Searches that a thread makes at once, whose loads overlap.
#ifdef WEFT_PTX
#define SEARCHES 8
#else
#define SEARCHES 1
#endif

// Elements of a tile of the row.
static inline uint length_of(const weft__sort_args *job, uint tile) {
  return min((uint)job->length - tile * SORT_TILE, (uint)SORT_TILE);
}

// The number of elements of the row that come before element `own` of sorted tile `tile`, whose order is `mine`.
static inline uint place_of(__global const sort_key *sorted, sort_order mine, uint tile, uint own,
                            const weft__sort_args *job) {
  const uint tiles = (uint)job->tiles, self = tile * SORT_TILE + own;
  uint place = own;
  for (uint first = 0; first < tiles; first += SEARCHES) {
    uint before[SEARCHES];
    SORT_UNROLL
    for (uint s = 0; s < SEARCHES; s++) before[s] = 0;
    for (uint step = SORT_TILE; step > 0; step /= 2) {
      SORT_UNROLL
      for (uint s = 0; s < SEARCHES; s++) {
        const uint other = first + s, probe = before[s] + step;
        const uint length = other < tiles && other != tile ? length_of(job, other) : 0;
        const uint at = probe <= length ? other * SORT_TILE + probe - 1 : self;
        const sort_order found = sort_order_of(sorted[at], job->flip, job->flip_top);
        /* equal elements keep their order: earlier tiles come first */
        const bool is_before = other < tile ? !sort_less(mine, found) : sort_less(found, mine);
        if (probe <= length && is_before) before[s] = probe;
      }
    }
    SORT_UNROLL
    for (uint s = 0; s < SEARCHES; s++) place += before[s];
  }
  return place;
}

// Waits until the blocks from `first` on, before `end`, have written their words.
WEFT_INLINE void sort_await(__global uchar *state, uint first, uint end, uint tag) {
  const uint id = (uint)get_local_id(0);
  for (uint block = first + id; block < end; block += WEFT_BLOCK) {
    uint unused;
    while ((weft_exchange_read(state, block, &unused) ^ tag) > 3u) {
    }
  }
  if (first + id < end) weft_fence_device();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// Tells that everything is written that this block has to write. All threads; `tells`: false: it does not tell.
WEFT_INLINE void sort_tell(__global uchar *state, uint block, bool tells, uint tag) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tells && get_local_id(0) == 0) {
    weft_fence_device();
    weft_exchange_write(state, block, 0, tag | EXCHANGE_WHOLE);
  }
}

#if SORT_UNIQUE
#define SORT_ORDER_OF_NAN (SORT_KEY_BYTES == 2 ? (sort_order)0xffff : ~(sort_order)0) /* ascending */

static inline bool sort_is_first(__global const sort_key *sorted, uint i, const weft__sort_args *job) {
  if (i == 0) return true;
  const sort_order mine = sort_order_of(sorted[i], job->flip, job->flip_top);
  if (sort_less(sort_order_of(sorted[i - 1], job->flip, job->flip_top), mine)) return true;
#if SORT_KIND == 1
  return (job->flags & WEFT__SORT_DISTINCT_NAN) && mine == SORT_ORDER_OF_NAN;
#else
  return false;
#endif
}

// Keeps the first of equal elements among the WEFT__SORT_KEPT of each thread; block `keeper` of those that keep is
// block `first` + `keeper` of all. The blocks that sort come here without elements where they must reach the barriers.
WEFT_INLINE void keep_firsts(__global const sort_key *sorted, uint first, uint keeper, uint length,
                             const weft__sort_args *job, __global uchar *state, __global uchar *value_to,
                             __global uchar *value_spare, __local uint *sums,
                             __local uint *before WEFT_WARP_PARAMETERS) {
  const uint id = (uint)get_local_id(0), tag = job->lookback.epoch << 2;
  const uint begin = (keeper * WEFT_BLOCK + id) * WEFT__SORT_KEPT;
  uint is_first = 0, earlier = 0;
#pragma unroll
  for (uint k = 0; k < WEFT__SORT_KEPT; k++)
    if (begin + k < length) is_first |= (uint)sort_is_first(sorted, begin + k, job) << k;
  const uint count = popcount(is_first);
  uint to = sort_scan(count, sums WEFT_WARP_ARGUMENTS);
  if (id == 0) *before = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (length && id == WEFT_BLOCK - 1) weft_exchange_write(state, first + keeper, to + count, tag | EXCHANGE_WHOLE);
  if (length && id < keeper) {
    while ((weft_exchange_read(state, first + id, &earlier) ^ tag) > 3u) {
    }
    atomic_add(before, earlier);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  to += *before;
  __global sort_key *values = (__global sort_key *)(value_to + job->value_to);
#pragma unroll
  for (uint k = 0; k < WEFT__SORT_KEPT; k++)
    if (is_first >> k & 1u) values[to++] = sorted[begin + k];
  if (id == WEFT_BLOCK - 1 && length && (keeper + 1) * WEFT_BLOCK * WEFT__SORT_KEPT >= length)
    *(__global long *)(value_spare + job->value_spare) = to;
}
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_tiles(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to,
                __global uchar *key_spare, __global uchar *state VALUE_PARAMETERS) {
  SORT_TILE_STATE
  __local uint ticket[1];
  const uint id = (uint)get_local_id(0), row_tiles = (uint)job.tiles, tiles = (uint)job.rows * row_tiles;
  const uint tag = job.lookback.epoch << 2;
  if (id == 0) ticket[0] = weft_exchange_ticket(state, job.lookback.first_ticket);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint number_of_block = ticket[0];
  const bool sorts = number_of_block < tiles;
  __global sort_key *spare = (__global sort_key *)(key_spare + job.key_spare);
#if SORT_VALUE_BYTES
  __global sort_value *spare_value = (__global sort_value *)(value_spare + job.value_spare);
  const bool is_number = (job.flags & WEFT__SORT_NUMBERS) != 0;
#endif

#ifdef WEFT_PTX
  if (sorts)
#endif
  { /* without PTX, placing blocks reach the barriers of one digit, of a tile without elements (warp.clh) */
    const uint sorter = sorts ? number_of_block : 0, row = sorter / row_tiles, tile = sorter - row * row_tiles;
    const uint length = sorts ? length_of(&job, tile) : 0, last = sorts ? length - 1 : 0;
    const ulong begin = row * job.length + (sorts ? tile * SORT_TILE : 0);
    __global const sort_key *x = (__global const sort_key *)(key_from + job.key_from) + begin;
    sort_key key[SORT_ITEMS];
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[min(sort_position(k), last)];
#if SORT_VALUE_BYTES
    ushort number[SORT_ITEMS];
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) number[k] = (ushort)sort_position(k);
#endif
    sort_tile_run(key NUMBER_ARGUMENT, length, sorts ? 0 : SORT_KEY_BYTES - 1, &job, room, counts,
                  sums WEFT_WARP_ARGUMENTS);
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++)
      if (sort_position(k) < length) spare[begin + sort_position(k)] = key[k];
#if SORT_VALUE_BYTES
    __global const sort_value *v = (__global const sort_value *)(value_from + job.value_from) + begin;
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++)
      if (sort_position(k) < length)
        spare_value[begin + sort_position(k)] = is_number ? (sort_value)(tile * SORT_TILE + number[k]) : v[number[k]];
#endif
    sort_tell(state, number_of_block, sorts, tag);
  }
#ifdef WEFT_PTX
  if (sorts) return;
#endif

  const uint share = (uint)job.share, placers = (uint)job.rows * share;
  const bool places = !sorts && number_of_block < tiles + placers;
  const uint placer = places ? number_of_block - tiles : 0, row = placer / max(share, 1u);
  const uint i = places ? (placer - row * share) * WEFT_BLOCK + id : (uint)job.length;
  sort_await(state, row * row_tiles, places ? (row + 1) * row_tiles : 0, tag);
  if (i < job.length) {
    const ulong begin = row * job.length;
    __global const sort_key *sorted = spare + begin;
    const sort_key key = sorted[i];
    const uint tile = i / SORT_TILE;
    const uint place =
        place_of(sorted, sort_order_of(key, job.flip, job.flip_top), tile, i - tile * SORT_TILE, &job);
    if ((job.flags & WEFT__SORT_NO_KEYS) == 0) ((__global sort_key *)(key_to + job.key_to) + begin)[place] = key;
#if SORT_VALUE_BYTES
    const sort_value value = spare_value[begin + i];
    if (is_number)
      ((__global long *)(value_to + job.value_to) + begin)[place] = (long)value;
    else
      ((__global sort_value *)(value_to + job.value_to) + begin)[place] = value;
#endif
  }
#if SORT_UNIQUE
  sort_tell(state, number_of_block, places, tag);
#ifdef WEFT_PTX
  if (places) return;
#endif
  const bool keeps = number_of_block >= tiles + placers;
  sort_await(state, share ? tiles : 0, keeps ? tiles + placers : 0, tag);
  keep_firsts(share ? (__global const sort_key *)(key_to + job.key_to) : spare, tiles + placers,
              keeps ? number_of_block - tiles - placers : 0, keeps ? (uint)job.length : 0, &job, state, value_to,
              value_spare, sums, ticket WEFT_WARP_ARGUMENTS);
#endif
}
