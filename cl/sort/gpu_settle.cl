// SPDX-License-Identifier: MIT
// The last pass over uniform keys (uniform.clh), for GPUs: a block sorts one part in local memory. The elements
// go to buckets, about one to each, in the order of the keys; then threads sort eight neighbours each, in turn with the
// eight from four further on, until the elements of the largest bucket are in order too. If a bucket has many elements,
// the part is sorted by exchanges instead.
//
// Define before including: as for uniform.clh; SORT_VALUE_BYTES (0 4), WEFT_BLOCK, SORT_ITEMS.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DSORT_VALUE_BYTES=0 -DSORT_SECOND=8 -DWEFT_BLOCK=512 -DSORT_ITEMS=12
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DSORT_VALUE_BYTES=4 -DSORT_SECOND=8 -DWEFT_BLOCK=512 -DSORT_ITEMS=20
#include "sort/rank.clh"
#include "sort/uniform.clh"

#define MINE 8 // buckets of a thread
#define BUCKETS (WEFT_BLOCK * MINE)
#define MOST_MATES 32 // elements of a bucket
#define AT(k) ((k) * WEFT_BLOCK + id)
// Where an element is staged: so that threads load eight neighbours each without conflicts.
#define ROOM(i) ((i) + (i) / 32 * 4)

// With values an element is staged as its distance from the least key of the part and its number there, which decides
// between equal keys.
#define NUMBER_BITS (SORT_TILE <= 2048 ? 11 : SORT_TILE <= 8192 ? 13 : 14)
#if SORT_VALUE_BYTES
#if NUMBER_BITS > 8 + SORT_SECOND
#error "a distance and a number do not fit 32 bits"
#endif
#define STAGED(key, number) ((((key) ^ line.flip) - least) << NUMBER_BITS | (number))
#define KEY(word) (((word) >> NUMBER_BITS) + least ^ line.flip)
#define VALUE_PARAMETERS , __global const uchar *value_from, __global uchar *value_to, __global uchar *value_spare
#else
#define STAGED(key, number) ((key) ^ line.flip)
#define KEY(word) ((word) ^ line.flip)
#define VALUE_PARAMETERS
#endif
#define BUCKET(key) ((uint)((uniform_place(key, line) & 0xffffffffu) * BUCKETS >> 32))

#define IN_ORDER(a, b)            \
  {                               \
    const uint least = min(a, b); \
    b = max(a, b);                \
    a = least;                    \
  }

// Sorts eight neighbours, by a network of 19 comparisons, from `first` on and then in each further eighth window of a
// thread. Behind the elements are greatest ones.
WEFT_INLINE void sort_windows(__local uint *staged, uint first, uint length) {
  for (uint i = first + (uint)get_local_id(0) * 8; i < length; i += WEFT_BLOCK * 8) {
    __local uint4 *low = (__local uint4 *)(staged + ROOM(i)), *high = (__local uint4 *)(staged + ROOM(i + 4));
    uint4 a = *low, b = *high;
    IN_ORDER(a.x, a.z) IN_ORDER(a.y, a.w) IN_ORDER(b.x, b.z) IN_ORDER(b.y, b.w)
    IN_ORDER(a.x, b.x) IN_ORDER(a.y, b.y) IN_ORDER(a.z, b.z) IN_ORDER(a.w, b.w)
    IN_ORDER(a.x, a.y) IN_ORDER(a.z, a.w) IN_ORDER(b.x, b.y) IN_ORDER(b.z, b.w)
    IN_ORDER(a.z, b.x) IN_ORDER(a.w, b.y)
    IN_ORDER(a.y, b.x) IN_ORDER(a.w, b.z)
    IN_ORDER(a.y, a.z) IN_ORDER(a.w, b.x) IN_ORDER(b.y, b.z)
    *low = a;
    *high = b;
  }
}

static inline void put_in_order(__local uint *staged, uint low, uint high, uint length) {
  if (high < length) {
    const uint a = staged[ROOM(low)], b = staged[ROOM(high)];
    staged[ROOM(low)] = min(a, b);
    staged[ROOM(high)] = max(a, b);
  }
}

// A bitonic sort whose comparisons all put the lesser element first, so that any length is possible.
WEFT_INLINE void sort_by_exchanges(__local uint *staged, uint length) {
  const uint id = (uint)get_local_id(0);
  for (uint size = 2; size < 2 * length; size *= 2) {
    for (uint i = id; 2 * i < length + size; i += WEFT_BLOCK) {
      const uint o = i % (size / 2), first = (i - o) * 2;
      put_in_order(staged, first + o, first + size - 1 - o, length);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = size / 4; step > 0; step /= 2) {
      for (uint i = id; 2 * i < length + size; i += WEFT_BLOCK) {
        const uint o = i % step, first = (i - o) * 2 + o;
        put_in_order(staged, first, first + step, length);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_settle(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to,
                 __global uchar *key_spare, __global uchar *state VALUE_PARAMETERS) {
  WEFT_WARP_STATE
  __local uint4 fours[BUCKETS / 4], staged_fours[ROOM(SORT_TILE + 16) / 4]; // counts of the buckets; elements
  __local uint sums[WEFT_WARPS], most_mates[1];
  __local uint *counts = (__local uint *)fours, *staged = (__local uint *)staged_fours;
  __global const uint *uniform = UNIFORM(job, state);
  const uint id = (uint)get_local_id(0), part = (uint)get_group_id(0);
  const bool is_chosen = uniform_is_chosen(uniform), is_here = (job.flags & WEFT__SORT_IN_PLACE) != 0;
#ifdef WEFT_PTX
  if (!is_chosen) return;
#endif
  const uniform_line line = uniform_line_of(uniform, &job);
  const uint begin = uniform[UNIFORM_PART_FIRST + part];
  const uint length = is_chosen ? uniform[UNIFORM_PART_FIRST + part + 1] - begin : 0;
  __global uint *y = (__global uint *)(key_to + job.key_to) + begin;
  __global const uint *x = is_here ? y : (__global const uint *)(key_spare + job.key_spare) + begin;
  uint key[SORT_ITEMS], slot[(SORT_ITEMS + 1) / 2] = {0}; // slots: two to a word
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (AT(k) < length) key[k] = x[AT(k)];
#if SORT_VALUE_BYTES
  __local uint values[SORT_TILE];
  const ulong first = is_chosen ? (((ulong)part << 32) + line.scale - 1) / line.scale : 0;
  __global const uint *v = (__global const uint *)(is_here ? value_to + job.value_to : value_spare + job.value_spare);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (AT(k) < length) values[AT(k)] = v[begin + AT(k)];
  const uint least = line.low + (uint)first;
#endif
  for (uint i = id; i < BUCKETS; i += WEFT_BLOCK) counts[i] = 0;
  if (id == 0) most_mates[0] = 5;
  if (id < 8) staged[ROOM(length + id)] = ~0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (AT(k) < length) slot[k / 2] |= atomic_inc(counts + BUCKET(key[k])) << k % 2 * 16;
  barrier(CLK_LOCAL_MEM_FENCE);

  // where the buckets begin
  __local uint4 *mine = fours + id * (MINE / 4);
  uint4 count[MINE / 4];
  uint sum = 0, most = 0;
  SORT_UNROLL
  for (uint k = 0; k < MINE / 4; k++) {
    const uint4 c = mine[k];
    most = max(most, max(max(c.x, c.y), max(c.z, c.w)));
    count[k] = (uint4)(sum, sum + c.x, sum + c.x + c.y, sum + c.x + c.y + c.z);
    sum += c.x + c.y + c.z + c.w;
  }
  if (most > 5) atomic_max(most_mates, most); // few threads
  const uint before = sort_scan(sum, sums WEFT_WARP_ARGUMENTS);
  SORT_UNROLL
  for (uint k = 0; k < MINE / 4; k++) mine[k] = count[k] + before;
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (AT(k) < length)
    {
      const uint to = counts[BUCKET(key[k])] + (slot[k / 2] >> k % 2 * 16 & 0xffff);
      staged[ROOM(to)] = STAGED(key[k], AT(k));
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  // A bucket of m elements is in at most (m + 6) / 4 adjacent fours. These are sorted after as many rounds, each of
  // which sorts every second pair of adjacent ones.
  const uint mates = most_mates[0], rounds = mates > MOST_MATES ? 0 : (mates + 6) / 4;
  for (uint k = 0; k < rounds; k++) {
    sort_windows(staged, k % 2 * 4, length);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#ifdef WEFT_PTX
  if (rounds == 0)
#endif
    sort_by_exchanges(staged, rounds == 0 ? length : 0);

  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (AT(k) < length) {
      const uint q = staged[ROOM(AT(k))];
#if SORT_VALUE_BYTES
      const uint value = values[q & ((1u << NUMBER_BITS) - 1)];
      if (job.flags & WEFT__SORT_WIDEN)
        ((__global long *)(value_to + job.value_to))[begin + AT(k)] = (long)value;
      else
        ((__global uint *)(value_to + job.value_to))[begin + AT(k)] = value;
      if ((job.flags & WEFT__SORT_NO_KEYS) == 0)
#endif
        y[AT(k)] = KEY(q);
    }
}
