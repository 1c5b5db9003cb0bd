// SPDX-License-Identifier: MIT
// CPUs: rows divided by the element of one rank: lesser elements, equal ones, greater ones, all in their order; or the
// `taken` least or greatest elements of each row, in their order but that those equal to the last one are behind the
// others. Zeros are equal, and so are NaNs.
//
// weft_divide_rows does it for some rows in each work-item. A long row is cut into chunks, a work-item each:
// weft_divide_bounds finds two keys in a sample, between which the rank's key nearly always is (as in
// sort/nth_rows.clh); weft_divide_gather counts the elements below them and copies those between them;
// weft_divide_find finds the key among these, or else in the row; weft_divide_chunks moves the elements. Where both
// keys are one, most elements are equal to it: they are only counted.
//
// Define before including: SORT_KEY_BYTES (4 8), SORT_KIND (0 1); DIVIDE_LONG, 1: the kernels of a long row; and
// DIVIDE_GIVES: 0 elements, 1 positions (i64), 2 both, of the elements that are taken, 3 (long rows) the rank's element
// alone, of which nothing but the order is known: a zero is +0. Rows have at most 2^31 - 1 elements.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DDIVIDE_LONG=0 -DDIVIDE_GIVES=0 -DWEFT_CPU=1
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=0 -DDIVIDE_LONG=1 -DDIVIDE_GIVES=1 -DWEFT_CPU=1
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DDIVIDE_LONG=1 -DDIVIDE_GIVES=2 -DWEFT_CPU=1
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DDIVIDE_LONG=1 -DDIVIDE_GIVES=3 -DWEFT_CPU=1
#define NTH_LONG 1
#define NTH_PAIRS 0
#include "sort/args.h"
#include "sort/nth_rows.clh"

// Elements as numbers, for vectors.
#define NUMBERS(x) ((__global const nth_staged *)(x))
#define BLOCK 1024  // elements that are divided in the work-item's own memory

typedef struct {
  ulong least, most, key;
} divide_found;
typedef struct {
  uint below, inside;  // of the bounds
  uint lesser, equal;  // of the key
} divide_counts;
#define FOUND ((__global divide_found *)state)
#define COUNTS ((__global divide_counts *)(state + WEFT__DIVIDE_FOUND))
#define CHUNK                                \
  const uint chunk = (uint)get_global_id(0); \
  const uint begin = min(chunk * (uint)a.share, (uint)a.length), end = min(begin + (uint)a.share, (uint)a.length);

static inline nth_key divide_key_at(const weft__divide_args *a, __global const sort_key *x, uint i) {
  return nth_key_of(x[i], a->flip_top);
}

// The elements less than the key, and equal to it.
static inline uint2 divide_count(const weft__divide_args *a, __global const sort_key *x, uint n, nth_key key) {
  const uint whole = n - n % NTH_WIDE;
  nth_mask lesser = 0, equal = 0;
  for (uint i = 0; i < whole; i += NTH_WIDE) {
    const nth_wide keys = nth_keys_of(NTH_LOAD(x + i), a->flip_top);
    lesser -= keys < (nth_wide)(key);
    equal -= keys == (nth_wide)(key);
  }
  uint2 sum = (uint2)(nth_count_of(lesser), nth_count_of(equal));
  for (uint i = whole; i < n; i++) {
    const nth_key one = divide_key_at(a, x, i);
    sum += (uint2)(one < key, one == key);
  }
  return sum;
}

// ---- moving ----

#if DIVIDE_GIVES < 2
#if SORT_KEY_BYTES == 4
#define EACH_LANE (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#else
#define EACH_LANE (ulong8)(0, 1, 2, 3, 4, 5, 6, 7)
#endif
#if DIVIDE_GIVES == 0
typedef nth_staged divide_result;
#define DIVIDE_TO ((__global divide_result *)(to + a->to))
#define DIVIDE_ONE(x, i) NUMBERS(x)[i]
#define DIVIDE_VECTOR(x, i) LOAD_VECTOR(NUMBERS(x) + (i))
#else
typedef ulong divide_result;
#define DIVIDE_TO ((__global divide_result *)(numbers + a->numbers))
#define DIVIDE_ONE(x, i) (i)
#define DIVIDE_VECTOR(x, i) ((i) + EACH_LANE)
#endif

// Moves the elements begin to end - 1, the lesser, equal and greater ones each to its place.
static inline void divide_move(const weft__divide_args *a, __global const sort_key *x, uint begin, uint end,
                               nth_key key, uint lesser, uint equal, uint greater, __global divide_result *to) {
  nth_staged staged[3][BLOCK + NTH_WIDE];
  uint place[3] = {lesser, equal, greater};
  for (uint b = begin; b < end; b += BLOCK) {
    const uint last = min(b + BLOCK, end);
    uint count[3] = {0, 0, 0}, i = b;
#if COMPRESSES
    for (; i + LANES <= last; i += LANES) {
      const lane_vector keys = nth_keys_of(NTH_LOAD(x + i), a->flip_top), v = DIVIDE_VECTOR(x, i);
      const uint low = LESS(keys, (lane_vector)(key)), high = LESS((lane_vector)(key), keys),
                 same = ALL_LANES & ~(low | high);
      STORE_VECTOR(COMPRESSED(v, low), staged[0] + count[0]);
      STORE_VECTOR(COMPRESSED(v, high), staged[2] + count[2]);
      if (same) STORE_VECTOR(COMPRESSED(v, same), staged[1] + count[1]);
      count[0] += popcount(low);
      count[1] += popcount(same);
      count[2] += popcount(high);
    }
#endif
    for (; i < last; i++) {
      const nth_key one = divide_key_at(a, x, i);
      const uint which = (one >= key) + (one > key);
      staged[which][count[which]++] = DIVIDE_ONE(x, i);
    }
#pragma unroll
    for (uint k = 0; k < 3; k++) {
      for (uint j = 0; j < count[k]; j++) to[place[k] + j] = staged[k][j];
      place[k] += count[k];
    }
  }
}

#elif DIVIDE_GIVES == 2

// Takes an element if it is beyond the key, or equal to it and there is room.
static inline void divide_take_one(const weft__divide_args *a, __global const sort_key *x, uint i, nth_key key,
                                   uint *beyond, uint *equal, __global sort_key *values, __global ulong *numbers) {
  const nth_key one = divide_key_at(a, x, i);
  if (a->greatest ? one < key : one > key) return;
  const uint place = one == key ? (*equal)++ : (*beyond)++;
  if (place >= a->taken) return;
  values[place] = x[i];
  numbers[place] = i;
}

static inline void divide_take(const weft__divide_args *a, __global const sort_key *x, uint begin, uint end,
                               nth_key key, uint beyond, uint equal, __global sort_key *values,
                               __global ulong *numbers) {
  uint i = begin;
#if COMPRESSES
  const lane_vector bound = key;
  for (; i + LANES <= end; i += LANES) {
    const lane_vector keys = nth_keys_of(NTH_LOAD(x + i), a->flip_top);
    uint wanted = ALL_LANES & ~(a->greatest ? LESS(keys, bound) : LESS(bound, keys));
    for (; wanted; wanted &= wanted - 1)
      divide_take_one(a, x, i + popcount((wanted & -wanted) - 1), key, &beyond, &equal, values, numbers);
  }
#endif
  for (; i < end; i++) divide_take_one(a, x, i, key, &beyond, &equal, values, numbers);
}
#endif

#if DIVIDE_GIVES < 3
// Gives the elements begin to end - 1 of a row, of which `all` are less than the key and equal to it in the row, and
// `before` in it before begin.
static inline void divide_give(const weft__divide_args *a, ulong row, __global const sort_key *x, uint begin, uint end,
                               nth_key key, uint2 all, uint2 before, __global uchar *to, __global uchar *numbers) {
#if DIVIDE_GIVES < 2
  divide_move(a, x, begin, end, key, before.x, all.x + before.y, all.x + all.y + begin - before.x - before.y,
              DIVIDE_TO + row * a->length);
#else
  const uint greater = (uint)a->length - all.x - all.y;
  divide_take(a, x, begin, end, key, a->greatest ? begin - before.x - before.y : before.x,
              (a->greatest ? greater : all.x) + before.y, (__global sort_key *)(to + a->to) + row * a->taken,
              (__global ulong *)(numbers + a->numbers) + row * a->taken);
#endif
}
#endif

#if !DIVIDE_LONG

__kernel void weft_divide_rows(const weft__divide_args a, __global const uchar *from, __global uchar *to,
                               __global uchar *numbers) {
  NTH_STATE
  for (ulong row = NTH_FIRST(a.rows, a.share); row < NTH_END(a.rows, a.share); row++) {
    __global const sort_key *x = (__global const sort_key *)(from + a.from) + row * a.length;
    const uint n = (uint)a.length;
    nth_open(&r, x, n, a.flip_top, false);
    const nth_key key = nth_search_to(NTH_DONE, &r, (uint)a.rank, false, false).low;
    divide_give(&a, row, x, 0, n, key, divide_count(&a, x, n, key), (uint2)(0), to, numbers);
  }
}

#else

#define ROW __global const sort_key *x = (__global const sort_key *)(from + a.from);

__kernel void weft_divide_bounds(const weft__divide_args a, __global const uchar *from, __global ulong *state) {
  ROW NTH_STATE nth_open(&r, x, (uint)a.length, a.flip_top, false);
  const nth_range range = nth_search_to(NTH_STAGE, &r, (uint)a.rank, false, false).range;
  FOUND->least = range.least;
  FOUND->most = range.most;
}

// The elements of a chunk that are between the bounds.
#define BETWEEN(chunk) ((__global nth_staged *)spare + (ulong)(chunk) * (a.share + WEFT__DIVIDE_SLACK))

__kernel void weft_divide_gather(const weft__divide_args a, __global const uchar *from, __global uchar *spare,
                                 __global ulong *state) {
  ROW CHUNK __global nth_staged *to = BETWEEN(chunk);
  const nth_key least = (nth_key)FOUND->least, span = (nth_key)FOUND->most - least;
  divide_counts counts = {0, 0, 0, 0};
  uint i = begin;
  if (span == 0) {
    const uint2 sum = divide_count(&a, x + begin, end - begin, least);
    counts.below = sum.x;
    counts.inside = sum.y;
    i = end;
  }
#if COMPRESSES
  nth_mask below = 0;
  for (; i + LANES <= end; i += LANES) {
    const lane_vector v = LOAD_VECTOR(NUMBERS(x + i)), keys = nth_keys_of(v, a.flip_top);
    const uint inside = ALL_LANES & ~LESS((lane_vector)(span), keys - least);
    below -= keys < (lane_vector)(least);
    STORE_VECTOR(COMPRESSED(v, inside), to + counts.inside);
    counts.inside += popcount(inside);
  }
  counts.below += nth_count_of(below);
#endif
  for (; i < end; i++) {
    const nth_key one = divide_key_at(&a, x, i);
    to[counts.inside] = NUMBERS(x)[i];
    counts.inside += one - least <= span;
    counts.below += one < least;
  }
  COUNTS[chunk] = counts;
}

__kernel void weft_divide_find(const weft__divide_args a, __global const uchar *from, __global uchar *spare,
                               __global ulong *state, __global uchar *result) {
  ROW NTH_STATE __global nth_staged *to = BETWEEN(0);
  __global const sort_key *list = (__global const sort_key *)to;
  uint below = 0, inside = 0, rank = (uint)a.rank;
  const bool is_single = FOUND->least == FOUND->most;
  for (uint c = 0; c < a.chunks; c++) {
    for (uint i = 0; i < COUNTS[c].inside && !is_single; i++) to[inside + i] = BETWEEN(c)[i];
    below += COUNTS[c].below;
    inside += COUNTS[c].inside;
  }
  const bool is_between = rank >= below && rank - below < inside;
  nth_key key = (nth_key)FOUND->least;
  if (!is_between || !is_single) {
    if (is_between)
      nth_open(&r, list, inside, a.flip_top, false);
    else
      nth_open(&r, x, (uint)a.length, a.flip_top, false);
    key = nth_search_to(NTH_DONE, &r, is_between ? rank - below : rank, false, false).low;
  }
#if DIVIDE_GIVES == 3
  *(__global sort_key *)(result + a.to) = nth_element_of(key, a.flip_top);
#else
  FOUND->key = key;
  for (uint c = 0; c < a.chunks; c++) {
    const uint begin = min(c * (uint)a.share, (uint)a.length), end = min(begin + (uint)a.share, (uint)a.length);
    const uint2 sum = is_between && is_single ? (uint2)(0, COUNTS[c].inside)
        : is_between ? divide_count(&a, list, COUNTS[c].inside, key) : divide_count(&a, x + begin, end - begin, key);
    COUNTS[c].lesser = (is_between ? COUNTS[c].below : 0) + sum.x;
    COUNTS[c].equal = sum.y;
    list += COUNTS[c].inside;
  }
#endif
}

#if DIVIDE_GIVES < 3
__kernel void weft_divide_chunks(const weft__divide_args a, __global const uchar *from, __global ulong *state,
                                 __global uchar *to, __global uchar *numbers) {
  ROW CHUNK uint2 all = 0, before = 0;
  for (uint c = 0; c < a.chunks; c++) {
    const uint2 some = (uint2)(COUNTS[c].lesser, COUNTS[c].equal);
    all += some;
    before += c < chunk ? some : (uint2)(0);
  }
  divide_give(&a, 0, x, begin, end, (nth_key)FOUND->key, all, before, to, numbers);
}
#endif

#endif
