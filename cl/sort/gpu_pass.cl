// SPDX-License-Identifier: MIT
// A sort by digits of 8 bits, the least significant first, with one pass over the elements per digit, for GPUs
// (onesweep, Adinets and Merrill 2022). The position of an element is the number of elements with lesser digits, known
// from a histogram made before the first pass, plus the number of earlier elements with an equal digit. The latter are
// counted in the element's own tile and, by decoupled look-back, in the tiles before it, which may still be running. A
// tile is first sorted in local memory, so that writes form runs.
//
// Define before including: SORT_KEY_BYTES, SORT_KIND, SORT_VALUE_BYTES (0 4 8), SORT_WIDE (rows of 2^31 elements and
// more), WEFT_BLOCK, SORT_ITEMS (elements per thread), SORT_LOOKBACK (blocks can exchange values). The state: ticket
// counters of the passes; for each row a ticket counter of the histogram, then a mask (masks_at); for each row and
// digit 256 counts (bins_at); two areas of 256 words per tile (status_at), used alternately so that each pass clears
// the other one for the next pass. All but the second area begins as zero.
//
// SORT_UNIFORM: the pass sorts uniform keys by the two digits of uniform.clh, the most significant first, with
// SORT_SECOND; the second pass sorts each bin on its own. Nothing alternates: each pass has an area of zeros.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DSORT_VALUE_BYTES=0 -DSORT_WIDE=0 -DWEFT_BLOCK=256 -DSORT_ITEMS=24 -DSORT_LOOKBACK=1 -DWEFT_DEVICE_SCOPE
// lint: -DSORT_KEY_BYTES=16 -DSORT_KIND=2 -DSORT_VALUE_BYTES=8 -DSORT_WIDE=1 -DWEFT_BLOCK=256 -DSORT_ITEMS=6 -DSORT_LOOKBACK=1 -DWEFT_DEVICE_SCOPE
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DSORT_VALUE_BYTES=4 -DSORT_WIDE=0 -DWEFT_BLOCK=256 -DSORT_ITEMS=24 -DSORT_LOOKBACK=1 -DSORT_UNIFORM=1 -DSORT_SECOND=8 -DWEFT_DEVICE_SCOPE
// lint: -DSORT_KEY_BYTES=1 -DSORT_KIND=0 -DSORT_VALUE_BYTES=4 -DSORT_WIDE=0 -DSORT_LOOKBACK=0 -DWEFT_BLOCK=256 -DSORT_ITEMS=16
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DSORT_VALUE_BYTES=4 -DSORT_WIDE=1 -DSORT_LOOKBACK=0 -DWEFT_BLOCK=256 -DSORT_ITEMS=16
#include "chunk.clh"
#include "sort/args.h"
#include "sort/key.clh"
#include "sort/rank.clh"
#include "sort/uniform.clh"

#define DIGITS SORT_KEY_BYTES

static inline uint part_of(uint digit) {
  return digit / 4;
}
static inline uint digit_of(sort_key k, uint digit, uint flip) {
  return (sort_part(k, part_of(digit)) >> digit % 4 * 8 & 255) ^ flip;
}
static inline uint flip_of(const weft__sort_args *job, uint digit) {
  return sort_flip(part_of(digit), job->flip, job->flip_top) >> digit % 4 * 8 & 255;
}

// Counts of elements. A status word is nothing yet (0), the count of this tile, with PARTIAL, or the count of all tiles
// up to this one and of lesser digits, with INCLUSIVE and without PARTIAL, whose bit such a count may need.
#if SORT_WIDE
typedef ulong sort_size;
#define PARTIAL (1ul << 62)
#define INCLUSIVE (1ul << 63)
#define LOAD_DEVICE weft_load_device_u64
#define STORE_DEVICE weft_store_device_u64
#else
typedef uint sort_size;
#define PARTIAL (1u << 30)
#define INCLUSIVE (1u << 31)
#define LOAD_DEVICE weft_load_device_u32
#define STORE_DEVICE weft_store_device_u32
#endif
#define COUNT_OF(word) ((word) & ((word) & INCLUSIVE ? INCLUSIVE - 1 : PARTIAL - 1))

// ---- the histogram of all digits ----

#if SORT_LOOKBACK

#if SORT_WIDE
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define ADD_GLOBAL(at, n) atom_add((volatile __global ulong *)(at), (ulong)(n))
#else
#define ADD_GLOBAL(at, n) atomic_add((volatile __global uint *)(at), (uint)(n))
#endif

// 8-bit counters, four digits to a word (digits that differ in their two highest bits). Each lane has its own column of
// counters, so that lanes conflict in no bank or word, whatever the data. With many digits, two or four lanes share a
// column. The columns are added up in registers before a counter can overflow.
#define COUNT_BLOCK WEFT__SORT_COUNT_BLOCK
#define COLUMNS WEFT__SORT_COLUMNS(DIGITS)
#define PER_LOAD (16 / SORT_KEY_BYTES)
#define LOADS WEFT__SORT_LOADS(DIGITS)
#define ROWS (DIGITS * 64)
#define MY_ROWS ((ROWS + COUNT_BLOCK - 1) / COUNT_BLOCK)
#define CHUNK WEFT__SORT_CHUNK(DIGITS)

#if PER_LOAD == 2
#define RAW ulong2
#else
#define RAW uint4
#endif
typedef WEFT_PACK(sort_key, PER_LOAD, RAW) sort_load;

WEFT_INLINE void count_key(sort_key k, __local uint *columns) {
  const uint lane = (uint)get_local_id(0) % COLUMNS;
  SORT_UNROLL
  for (uint d = 0; d < DIGITS; d++) {
    const uint digit = sort_part(k, part_of(d)) >> d % 4 * 8;
    atomic_add(columns + d * (64 * COLUMNS) + (digit & 63) * COLUMNS + lane, 1u << (digit >> 3 & 24));
  }
}

// Adds the columns to the thread's sums and clears them. sums[m][f]: of word m * COUNT_BLOCK + local id, digit bits f.
WEFT_INLINE void sum_columns(__local uint *columns, uint sums[MY_ROWS][4]) {
  const uint id = (uint)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint m = 0; m < MY_ROWS; m++) {
    const uint row = m * COUNT_BLOCK + id;
    if (row < ROWS) {
      uint even = 0, odd = 0;
      SORT_UNROLL
      for (uint c = 0; c < COLUMNS; c++) {
        const uint at = row * COLUMNS + (c + id) % COLUMNS, word = columns[at];
        even += word & 0x00ff00ffu;
        odd += word >> 8 & 0x00ff00ffu;
        columns[at] = 0;
      }
      sums[m][0] += even & 0xffff;
      sums[m][1] += odd & 0xffff;
      sums[m][2] += even >> 16;
      sums[m][3] += odd >> 16;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Turns the row's counts into the number of elements with smaller digits, and sets in the mask the digits by which the
// passes must sort. Writes nothing unless this block is the row's last one.
WEFT_INLINE void finish_row(__global sort_size *bins, __global uint *mask, const weft__sort_args *job, bool is_last,
                            bool is_sorted, __local uint *needed, __local sort_size *pairs) {
  const uint id = (uint)get_local_id(0);
  if (id == 0) *needed = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 0; d < DIGITS; d++) {
    volatile __global sort_size *at = bins + d * SORT_BINS + 2 * id;
    const sort_size low = LOAD_DEVICE(at), high = LOAD_DEVICE(at + 1);
    sort_size sum = low + high;
    if ((low > 0 && low < job->length) || (high > 0 && high < job->length)) atomic_or(needed, 1u << d);
    pairs[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < COUNT_BLOCK; step *= 2) {
      const sort_size older = id >= step ? pairs[id - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += older;
      pairs[id] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (is_last) {
      at[0] = sum - low - high;
      at[1] = sum - high;
    }
  }
  if (is_last && id == 0)
    *mask = is_sorted ? 0 : sort_mask(*needed, DIGITS, (job->flags & WEFT__SORT_IN_PLACE) != 0);
}

// One block for each `share` chunks of a row; tiles: blocks of a row. The row's last block also counts the elements
// that do not fill a chunk, its first block those before the first multiple of 16 bytes.
__kernel __attribute__((reqd_work_group_size(COUNT_BLOCK, 1, 1)))
void sort_histogram(const weft__sort_args job, __global const uchar *keys, __global uchar *state) {
  __local uint columns[ROWS * COLUMNS];
  __local sort_size pairs[COUNT_BLOCK];
  __local uint needed, is_last[1];
  const uint id = (uint)get_local_id(0);
  const ulong row = get_group_id(0) / job.tiles, block = get_group_id(0) - row * job.tiles;
  __global const sort_key *x = (__global const sort_key *)(keys + job.key_from) + row * job.length;
  __global sort_size *bins = (__global sort_size *)(state + job.bins_at) + row * (DIGITS * SORT_BINS);
  const ulong head = min((ulong)((0 - (ulong)x) % 16 / SORT_KEY_BYTES), (ulong)job.length),
              chunks = (job.length - head) / CHUNK;
  const bool is_sorted = job.uniform_at && uniform_is_chosen(UNIFORM(job, state));
#ifdef WEFT_PTX
  if (is_sorted) return; // with a mask of 0
#endif
  uint sums[MY_ROWS][4];
  SORT_UNROLL
  for (uint m = 0; m < MY_ROWS; m++) sums[m][0] = sums[m][1] = sums[m][2] = sums[m][3] = 0;
  for (uint i = id; i < ROWS * COLUMNS; i += COUNT_BLOCK) columns[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong end = min((block + 1) * job.share, chunks);
  ulong chunk = block * job.share;
  do { /* one more round for the elements outside the chunks */
    if (chunk < end) {
      __global const RAW *from = (__global const RAW *)(x + head + chunk * CHUNK) + id;
      sort_load load[LOADS];
      SORT_UNROLL
      for (uint l = 0; l < LOADS; l++) WEFT_SPLIT(RAW, load[l].word, from[l * COUNT_BLOCK])
      SORT_UNROLL
      for (uint l = 0; l < LOADS; l++)
        SORT_UNROLL
        for (uint e = 0; e < PER_LOAD; e++) count_key(load[l].e[e], columns);
    } else {
      if (block == 0 && id < head) count_key(x[id], columns);
      if (block == job.tiles - 1)
        for (ulong i = head + chunks * CHUNK + id; i < job.length; i += COUNT_BLOCK) count_key(x[i], columns);
    }
    sum_columns(columns, sums);
  } while (chunk++ < end);
  SORT_UNROLL
  for (uint m = 0; m < MY_ROWS; m++) {
    const uint word = m * COUNT_BLOCK + id, d = word / 64;
    if (word < ROWS) {
      const uint flip = flip_of(&job, d);
  SORT_UNROLL
      for (uint f = 0; f < 4; f++)
        if (sums[m][f]) ADD_GLOBAL(bins + d * SORT_BINS + ((f * 64 + word % 64) ^ flip), sums[m][f]);
    }
  }
  weft_fence_device();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (id == 0)
    is_last[0] = atomic_inc((volatile __global uint *)(state + WEFT__SORT_COUNTERS) + row) == (uint)job.tiles - 1;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WEFT_PTX
  if (!is_last[0]) return;
#endif
  weft_fence_device();
  finish_row(bins, (__global uint *)(state + job.masks_at) + row, &job, is_last[0], is_sorted, &needed,
             pairs);
}

#else

// ---- without look-back: a launch of its own counts the tiles, another adds the counts up ----

// Counts the digits of each tile: counts[row][digit][tile], one group per row and tile.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_tally(const weft__sort_args job, __global const uchar *from, __global uchar *to, __global uchar *spare,
                __global uchar *state) {
  __local uint counts[SORT_BINS];
  const uint id = (uint)get_local_id(0), flip = flip_of(&job, job.digit);
  const ulong row = get_group_id(0) / job.tiles, tile = get_group_id(0) - row * job.tiles;
  const sort_way way = sort_way_of((1u << DIGITS) - 1u, job.digit);
  __global const uchar *source =
      way.first ? from + job.key_from : way.from_spare ? spare + job.key_spare : to + job.key_to;
  __global const sort_key *x = (__global const sort_key *)source + row * job.length;
  __global sort_size *totals = (__global sort_size *)(state + job.status_at) + row * job.tiles * SORT_BINS;
  if (id < SORT_BINS) counts[id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < SORT_ITEMS; k++) {
    const ulong i = tile * SORT_TILE + sort_position(k);
    if (i < job.length) atomic_inc(counts + digit_of(x[i], job.digit, flip));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < SORT_BINS) totals[id * job.tiles + tile] = counts[id];
}

// Replaces each count of a digit by the count of the tiles before, and adds the total to the bins. One group per row
// and digit (256 digits).
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_totals(const weft__sort_args job, __global uchar *state) {
  __local sort_size sums[WEFT_BLOCK];
  const uint id = (uint)get_local_id(0);
  __global sort_size *counts = (__global sort_size *)(state + job.status_at) + get_group_id(0) * job.tiles;
  sort_size before = 0;
  ulong first = 0;
  do {
    const sort_size count = first + id < job.tiles ? counts[first + id] : 0;
    sort_size sum = count;
    sums[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < WEFT_BLOCK; step *= 2) {
      const sort_size older = id >= step ? sums[id - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += older;
      sums[id] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (first + id < job.tiles) counts[first + id] = before + sum - count;
    before += sums[WEFT_BLOCK - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    first += WEFT_BLOCK;
  } while (first < job.tiles);
  if (id == 0) ((__global sort_size *)(state + job.bins_at))[get_group_id(0)] = before;
}

#endif

// ---- one pass ----

#if SORT_VALUE_BYTES > SORT_KEY_BYTES
#define STAGED_BYTES SORT_VALUE_BYTES
#else
#define STAGED_BYTES SORT_KEY_BYTES
#endif

#if SORT_VALUE_BYTES
#define VALUE_PARAMETERS , __global const uchar *value_from, __global uchar *value_to, __global uchar *value_spare
#else
#define VALUE_PARAMETERS
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_pass(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to,
               __global uchar *key_spare,
               __global uchar *state VALUE_PARAMETERS) {
  WEFT_WARP_STATE
  __local ulong2 staged[SORT_TILE * STAGED_BYTES / 16];
  __local uint counts[WEFT_WARPS * SORT_BINS];
  __local sort_size place[SORT_BINS];
  __local uint sums[WEFT_WARPS];
  const uint id = (uint)get_local_id(0);
  ulong all_tiles = get_group_id(0);
#if SORT_UNIFORM
  __global const uint *uniform = UNIFORM(job, state);
  const uint counter = UNIFORM_TICKETS + job.digit;
#ifdef WEFT_PTX
  if (!uniform_is_chosen(uniform)) return;
#endif
#elif SORT_LOOKBACK
  const uint counter = job.digit;
#ifdef WEFT_PTX
  if (job.rows == 1 && (*(__global const uint *)(state + job.masks_at) & 1u << job.digit) == 0) return;
#endif
#endif
#if SORT_LOOKBACK
  __local uint ticket[1];
  if (id == 0) ticket[0] = atomic_inc((volatile __global uint *)state + counter);
#endif
  sort_clear(counts);
  barrier(CLK_LOCAL_MEM_FENCE);
#if SORT_UNIFORM
  all_tiles = ticket[0];
  const bool is_second = job.digit == 1;
  __local uint bin_of_tile[1];
  const uniform_range range = uniform_range_of(uniform, (uint)all_tiles, is_second, bin_of_tile, &job);
  const ulong row = 0, tile = range.tile, row_begin = range.begin, row_end = range.end;
  const bool is_needed = uniform_is_chosen(uniform) && row_begin + tile * SORT_TILE < row_end;
#ifdef WEFT_PTX
  if (!is_needed) return;
#endif
  const uniform_line line = uniform_line_of(uniform, &job);
  const sort_way way = uniform_way_of(is_second, &job);
#define PASS_DIGIT(key) uniform_digit(key, line, is_second)
#else
#if SORT_LOOKBACK
  all_tiles = ticket[0];
  const ulong row = job.rows > 1 ? all_tiles / job.tiles : 0, tile = all_tiles - row * job.tiles;
  const uint mask = ((__global const uint *)(state + job.masks_at))[row];
#else
  const ulong row = job.rows > 1 ? all_tiles / job.tiles : 0, tile = all_tiles - row * job.tiles;
  const uint mask = (1u << DIGITS) - 1u;
#endif
#ifdef WEFT_PTX
  if ((mask & 1u << job.digit) == 0) return;
  const bool is_needed = true;
#else
  // if not, the block reaches the barriers but writes nothing: warp.clh
  const bool is_needed = (mask & 1u << job.digit) != 0;
#endif
  const sort_way way = sort_way_of(mask, job.digit);
  const uint flip = flip_of(&job, job.digit);
  const ulong row_begin = row * job.length, row_end = row_begin + job.length;
#define PASS_DIGIT(key) digit_of(key, job.digit, flip)
#endif
  const ulong begin = is_needed ? row_begin + tile * SORT_TILE : 0;
  /* elements in this tile */
  const uint left = is_needed ? (uint)min((ulong)(row_end - begin), (ulong)SORT_TILE) : 0;
  const uint last = is_needed ? left - 1 : 0;
  __global const uchar *source =
      way.first ? key_from + job.key_from : way.from_spare ? key_spare + job.key_spare : key_to + job.key_to;
  __global const sort_key *x = (__global const sort_key *)source + begin;
  // Places beyond the last element count as elements with the greatest digit.
  sort_key key[SORT_ITEMS];
  const bool is_full = left == SORT_TILE;
  if (is_full) {
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[sort_position(k)];
  } else {
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[min(sort_position(k), last)];
  }
  // recomputed at each use, to save registers
#define DIGIT(k) (is_full || sort_position(k) < left ? PASS_DIGIT(key[k]) : SORT_BINS - 1)
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) atomic_inc(counts + (id >> 5) * SORT_BINS + DIGIT(k));
  const uint total = sort_total(counts);
  sort_size before = 0;
  __global sort_size *status = (__global sort_size *)(state + job.status_at);
#if SORT_LOOKBACK
  const sort_size mine = id == SORT_BINS - 1 ? total - (SORT_TILE - left) : total;
#if SORT_UNIFORM
  status += (is_second ? job.tiles + all_tiles : all_tiles) * SORT_BINS;
  if (is_needed && id < SORT_BINS) {
    if (tile == 0 && !is_second)
      before = uniform[UNIFORM_FIRST + id];
    else if (tile == 0 && id < 1u << SORT_SECOND)
      before = uniform[UNIFORM_PART_FIRST + (range.bin << SORT_SECOND) + id];
    STORE_DEVICE(status + id, (before + mine) | (tile == 0 ? INCLUSIVE : PARTIAL));
  }
#else
  const uint turn = popcount(mask & ((1u << job.digit) - 1u)) & 1;
  const ulong area = job.rows * job.tiles * SORT_BINS;
  __global sort_size *other = status + (turn ? 0 : area) + all_tiles * SORT_BINS;
  status += (turn ? area : 0) + all_tiles * SORT_BINS;
  if (is_needed && id < SORT_BINS) {
    if (tile == 0)
      before = ((__global const sort_size *)(state + job.bins_at))[(row * DIGITS + job.digit) * SORT_BINS + id];
    STORE_DEVICE(status + id, (before + mine) | (tile == 0 ? INCLUSIVE : PARTIAL));
    other[id] = 0;
  }
#endif
#endif
  const uint first = sort_begin(total, counts, sums WEFT_WARP_ARGUMENTS);
  __local sort_key *staged_keys = (__local sort_key *)staged;
  const uint mates = sort_mates();
#if SORT_VALUE_BYTES
  uint rank[(SORT_ITEMS + 1) / 2] = {0}; // positions in the sorted tile, two to a word
#define RANK(k) (rank[(k) / 2] >> (k) % 2 * 16 & 0xffff)
#endif
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) {
    const uint to = sort_place(DIGIT(k), mates, counts WEFT_WARP_ARGUMENTS);
    staged_keys[to] = key[k];
#if SORT_VALUE_BYTES
    rank[k / 2] |= to << k % 2 * 16;
#endif
  }

#if SORT_VALUE_BYTES
  // Loaded this early, they arrive during the look-back.
  sort_value value[SORT_ITEMS];
  if (way.first && (job.flags & WEFT__SORT_NUMBERS)) {
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) value[k] = (sort_value)(tile * SORT_TILE + sort_position(k));
  } else {
    // in the result's memory, each row has the space of its final values
    const bool is_result = !way.first && !way.from_spare;
    __global const uchar *from = way.first   ? value_from + job.value_from
                                 : is_result ? value_to + job.value_to
                                             : value_spare + job.value_spare;
    if (is_result && (job.flags & WEFT__SORT_WIDEN)) from += row * job.length * (8 - SORT_VALUE_BYTES);
    __global const sort_value *v = (__global const sort_value *)from + begin;
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) value[k] = v[min(sort_position(k), last)];
  }
#endif

#if SORT_LOOKBACK
  if (is_needed && id < SORT_BINS) {
    if (tile > 0) {
      // two tiles at a time: two loads take no longer than one
      volatile __global sort_size *at = status + id - SORT_BINS;
      bool goes_on = true;
      for (ulong ahead = tile; goes_on;) {
        sort_size found = LOAD_DEVICE(at), next = 0;
        if (ahead > 1) next = LOAD_DEVICE(at - SORT_BINS);
        if (found == 0) continue;
        before += COUNT_OF(found);
        at -= SORT_BINS;
        ahead--;
        if (found & INCLUSIVE) break;
        if (next == 0) continue;
        before += COUNT_OF(next);
        at -= SORT_BINS;
        ahead--;
        goes_on = (next & INCLUSIVE) == 0;
      }
      STORE_DEVICE(status + id, (before + mine) | INCLUSIVE);
    }
    place[id] = before - first;
  }
#else
  // the positions need the totals of all digits of this row, added up here
  {
    __global const sort_size *bins = (__global const sort_size *)(state + job.bins_at) + row * SORT_BINS;
    if (id < SORT_BINS) {
      for (uint d = 0; d < id; d++) before += bins[d];
      place[id] = before + status[(row * SORT_BINS + id) * job.tiles + tile] - first;
    }
  }
#endif

  __global sort_key *y =
      (__global sort_key *)(way.to_spare ? key_spare + job.key_spare : key_to + job.key_to) + row * job.length;
  const bool writes_keys = !(way.last && (job.flags & WEFT__SORT_NO_KEYS));
  barrier(CLK_LOCAL_MEM_FENCE);
#if SORT_VALUE_BYTES
  uint digit[(SORT_ITEMS + 3) / 4] = {0}; // digits of the written elements, four to a word
#define WRITTEN(k) (digit[(k) / 4] >> (k) % 4 * 8 & 0xff)
#endif
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) {
    const uint i = k * WEFT_BLOCK + id;
    const sort_key q = staged_keys[i];
    const uint d = PASS_DIGIT(q);
#if SORT_VALUE_BYTES
    digit[k / 4] |= d << k % 4 * 8;
#endif
    if (writes_keys && (is_full || i < left)) y[(sort_size)(place[d] + i)] = q;
  }

#if SORT_VALUE_BYTES
  __local sort_value *staged_values = (__local sort_value *)staged;
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) staged_values[RANK(k)] = value[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uchar *to = way.to_spare ? value_spare + job.value_spare : value_to + job.value_to;
  if (way.last && (job.flags & WEFT__SORT_WIDEN)) {
    __global long *w = (__global long *)to + row * job.length;
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) {
      const uint i = k * WEFT_BLOCK + id;
      if (is_full || i < left) w[(sort_size)(place[WRITTEN(k)] + i)] = (long)staged_values[i];
    }
  } else {
    if (!way.to_spare && (job.flags & WEFT__SORT_WIDEN)) to += row * job.length * (8 - SORT_VALUE_BYTES);
    __global sort_value *w = (__global sort_value *)to + row * job.length;
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) {
      const uint i = k * WEFT_BLOCK + id;
      if (is_full || i < left) w[(sort_size)(place[WRITTEN(k)] + i)] = staged_values[i];
    }
  }
#endif
}
