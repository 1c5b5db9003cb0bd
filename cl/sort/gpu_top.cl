// SPDX-License-Identifier: MIT
// The first elements of rows in sorted order, without sorting the rows: a block finds the first ones of a part of a
// row, and a further launch the row's among these. An element's place decides among equal keys, so no two are equal.
//
// Each thread finds the first of its own elements. The one with rank count - 1 among these is a bound: at least
// `count` elements are up to it, and all others but few come after it. A second read of the part, from a cache, holds
// the elements up to the bound in local memory, where each finds its rank by counting those before it. If too many are
// held (rows in which few threads have all first elements), they are reduced to the first ones on the way.
//
// Define before including: SORT_KEY_BYTES (1 2 4 8), SORT_KIND (0 1), WEFT_BLOCK.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=0 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=2 -DSORT_KIND=1 -DSORT_INFINITY=0x7c00 -DWEFT_BLOCK=256
#include "sort/args.h"
#include "sort/key.clh"
#include "warp.clh"

#define HELD 1024                  // elements held in local memory
#define OWN (HELD / WEFT_BLOCK)    // of them by a thread
#define NARROW (2 * WEFT_BLOCK)    // elements that are read at a time when many are up to the bound
#define LAST ((sort_order)0 - 1)

// Loads that are under way at once.
#ifdef WEFT_PTX
#define BATCH 8
#define UNROLL _Pragma("unroll")
#else
#define BATCH 1
#define UNROLL
#endif

typedef struct {
  sort_order key;
  uint at; // its place in the part
} top_element;

static inline bool is_before(top_element a, top_element b) {
  return a.key < b.key || (a.key == b.key && a.at < b.at);
}

static inline top_element element_of(sort_key k, uint at, const weft__top_args *a) {
  top_element e;
  e.key = sort_order_of(k, a->flip, a->flip_top);
  e.at = at;
  return e;
}

// The first of the elements that this thread reads.
WEFT_INLINE void find_first(top_element *first, __global const sort_key *x, uint n, const weft__top_args *a) {
  first->key = LAST;
  first->at = ~0u;
  for (uint i = (uint)get_local_id(0); i < n; i += BATCH * WEFT_BLOCK) {
    sort_key key[BATCH];
    UNROLL
    for (uint k = 0; k < BATCH; k++) key[k] = x[min(i + k * WEFT_BLOCK, n - 1)];
    UNROLL
    for (uint k = 0; k < BATCH; k++) {
      const top_element e = element_of(key[k], i + k * WEFT_BLOCK, a);
      if (e.at < n && is_before(e, *first)) *first = e;
    }
  }
}

// Holds the elements from .. end - 1 up to the bound; counts them also when there is no room.
WEFT_INLINE void hold(__local sort_order *keys, __local uint *places, __local uint *count,
                      __global const sort_key *x, uint from, uint end, top_element bound, const weft__top_args *a) {
  for (uint i = from + (uint)get_local_id(0); i < end; i += BATCH * WEFT_BLOCK) {
    sort_key key[BATCH];
    UNROLL
    for (uint k = 0; k < BATCH; k++) key[k] = x[min(i + k * WEFT_BLOCK, end - 1)];
    UNROLL
    for (uint k = 0; k < BATCH; k++) {
      const top_element e = element_of(key[k], i + k * WEFT_BLOCK, a);
      if (e.at < end && !is_before(bound, e)) {
        const uint to = atomic_inc(count);
        if (to < HELD) {
          keys[to] = e.key;
          places[to] = e.at;
        }
      }
    }
  }
}

// How many of the elements 0 .. count - 1 are before e.
WEFT_INLINE uint rank_of(top_element e, __local const sort_order *keys, __local const uint *places, uint count) {
  uint rank = 0;
  for (uint j = 0; j < count; j++) {
    top_element other;
    other.key = keys[j];
    other.at = places[j];
    rank += is_before(other, e);
  }
  return rank;
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_top(const weft__top_args a, __global const uchar *from, __global uchar *to,
              __global const uchar *from_numbers, __global uchar *to_numbers) {
  __local sort_order keys[HELD];
  __local uint places[HELD], count[1];
  const uint lane = (uint)get_local_id(0), wanted = a.count;
  const ulong row = get_group_id(0) / a.parts, part = get_group_id(0) % a.parts;
  const ulong begin = part * a.length / a.parts;
  const uint n = (uint)((part + 1) * a.length / a.parts - begin);
  __global const sort_key *x = (__global const sort_key *)(from + a.from) + row * a.length + begin;
  top_element bound, own[OWN];
  uint rank[OWN];

  find_first(&bound, x, n, &a);
  keys[lane] = bound.key;
  places[lane] = bound.at;
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_bound = rank_of(bound, keys, places, WEFT_BLOCK) == wanted - 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_bound) {
    keys[0] = bound.key;
    places[0] = bound.at;
  }
  if (lane == 0) *count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  bound.key = keys[0];
  bound.at = places[0];
  barrier(CLK_LOCAL_MEM_FENCE);

  uint next = 0, width = n, kept = 0;
  while (next < n) {
    const uint end = next + min(width, n - next);
    hold(keys, places, count, x, next, end, bound, &a);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint held = *count;
    const bool is_over = held > HELD; // then these elements are read again, few at a time
    const bool reduces = !is_over && (end == n || held > HELD - NARROW);
    for (uint k = 0; k < OWN; k++) {
      rank[k] = HELD;
      if (reduces && lane + k * WEFT_BLOCK < held) {
        own[k].key = keys[lane + k * WEFT_BLOCK];
        own[k].at = places[lane + k * WEFT_BLOCK];
        rank[k] = rank_of(own[k], keys, places, held);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < OWN; k++)
      if (rank[k] < wanted) {
        keys[rank[k]] = own[k].key;
        places[rank[k]] = own[k].at;
      }
    kept = is_over ? kept : reduces ? min(held, wanted) : held;
    if (lane == 0) *count = kept;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (reduces && held >= wanted) {
      bound.key = keys[wanted - 1];
      bound.at = places[wanted - 1];
    }
    next = is_over ? next : end;
    width = is_over ? NARROW : width;
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (lane < wanted) {
    const ulong at = (ulong)get_group_id(0) * wanted + lane;
    const uint place = min(places[lane], n - 1);
    ((__global sort_key *)(to + a.to))[at] = x[place];
    ((__global long *)(to_numbers + a.to_numbers))[at] =
        a.has_numbers ? ((__global const long *)(from_numbers + a.from_numbers))[row * a.length + begin + place]
                      : (long)(begin + place);
  }
}
