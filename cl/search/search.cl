// SPDX-License-Identifier: MIT
// Finds the positions of values in an ordered array, or whether they are in it. The text in front defines the macros of
// search/result.clh and
//   WEFT_BLOCK     threads in a block; 1: a CPU, where each work-item has a run of values
//   WEFT_U         values that a thread searches for at once: the reads of one search wait for each other, the reads of
//                  different searches do not
//   WEFT_PIVOTS    capacity for pivots, every stride-th element of the ordered array, in local memory, where the search
//                  begins; 0: no pivots
//   SEARCH_OFFSET  integers on CPUs, with SEARCH_IN: the unsigned type of distances between them. If the array's least
//                  and greatest are less than a.stride apart, a table has a bit for each integer between them.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=3 -DSEARCH_IN=1
// lint: -DWEFT_LINT=1 -DSEARCH_IN=1 -DWEFT_BLOCK=1
// lint: -DWEFT_LINT=2 -DSEARCH_IN=1 -DWEFT_BLOCK=1 -DSEARCH_OFFSET=uint
#ifdef WEFT_LINT
#include "search/lint.clh"
#endif
#include "search/result.clh"

// Searches for WEFT_U values at once. With pivots `count` may reach beyond the end of the array. Without, on CPUs, the
// step has no branch, which could not be predicted, and the compiler gathers elements for several values at once.
#if WEFT_PIVOTS
#define FOR_EACH _Pragma("unroll") for (uint u = 0; u < WEFT_U; u++)
#define FORWARD(at) at < a.m && IS_BEFORE(KEY(ordered[at]), value[u])
#else
#define FOR_EACH for (uint u = 0; u < WEFT_U; u++)
#define FORWARD(at) IS_BEFORE(KEY(ordered[at]), value[u])
#endif
#define SEARCH(count)                                \
  for (ulong left = (count); left > 0;) {            \
    const ulong part = (left + 1) / 2;               \
    FOR_EACH {                                       \
      const ulong at = place[u] + part - 1;          \
      place[u] += FORWARD(at) ? part : 0;            \
    }                                                \
    left -= part;                                    \
  }

#ifdef SEARCH_OFFSET
#define TABLE_PARAMETER , __global const uint *table

/// The number of bits in the table; 0: the integers are too far apart for one.
static inline SEARCH_OFFSET weft_table_bits(__global const T *ordered, const weft__search_args *a) {
  const SEARCH_OFFSET apart = (SEARCH_OFFSET)ordered[a->m - 1] - (SEARCH_OFFSET)ordered[0];
  return apart < a->stride ? apart + 1 : 0;
}

// Makes the table: each work-item a range of its words.
__kernel void weft_search_table(const weft__search_args a, __global uint *table, __global const uchar *ordered_from) {
  __global const T *ordered = (__global const T *)(ordered_from + a.offset[1]);
  const SEARCH_OFFSET bits = weft_table_bits(ordered, &a), least = (SEARCH_OFFSET)ordered[0];
  const ulong words = ((ulong)bits + 31) / 32, share = (words + get_num_groups(0) - 1) / get_num_groups(0);
  const ulong begin = get_group_id(0) * share, end = min(begin + share, words);
  if (begin >= end) return;
  for (ulong w = begin; w < end; w++) table[w] = 0;
  ulong place = 0;
  for (ulong left = a.m; left > 0;) { // the first element whose bit is in this range
    const ulong part = (left + 1) / 2;
    place += (SEARCH_OFFSET)ordered[place + part - 1] - least < begin * 32 ? part : 0;
    left -= part;
  }
  for (; place < a.m; place++) {
    const ulong bit = (SEARCH_OFFSET)ordered[place] - least;
    if (bit >= end * 32) break;
    table[bit / 32] |= 1u << bit % 32;
  }
}
#else
#define TABLE_PARAMETER
#endif

#if WEFT_BLOCK == 1
// The places of values in order, each found from the one before by doubled steps; returns the number of the first value
// that is out of order, or `end`.
static inline ulong weft_search_in_order(__global PLACE *to, __global const T *ordered, __global const T *values,
                                         ulong begin, ulong end, const weft__search_args *a) {
  ulong place = 0, i = begin;
  weft_key last;
  for (; i < end; i++) {
    const weft_key value = KEY(values[i]);
    if (i > begin && weft_is_less(value, last)) break;
    ulong step = i > begin || !a->m ? 1 : a->m;
    while (place + step <= a->m && IS_BEFORE(KEY(ordered[place + step - 1]), value)) {
      place += step;
      step *= 2;
    }
    for (ulong left = min(step - 1, (ulong)a->m - place); left > 0;) {
      const ulong part = (left + 1) / 2;
      place += IS_BEFORE(KEY(ordered[place + part - 1]), value) ? part : 0;
      left -= part;
    }
    to[i] = weft_answer(place, value, ordered, a->m, a->is_inverted);
    last = value;
  }
  return i;
}
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_search(const weft__search_args a, __global uchar *y, __global const uchar *ordered_from,
                 __global const uchar *values_from TABLE_PARAMETER) {
  __global PLACE *to = (__global PLACE *)(y + a.offset[0]);
  __global const T *ordered = (__global const T *)(ordered_from + a.offset[1]),
                   *values = (__global const T *)(values_from + a.offset[2]);
#if WEFT_BLOCK == 1
  const ulong begin = (ulong)get_group_id(0) * a.chunk, end = min(begin + a.chunk, (ulong)a.n), step = WEFT_U,
              apart = 1;
#else
  const ulong begin = (ulong)get_group_id(0) * (WEFT_BLOCK * WEFT_U) + get_local_id(0), end = a.n, apart = WEFT_BLOCK;
  const ulong step = (ulong)get_num_groups(0) * (WEFT_BLOCK * WEFT_U);
#endif
#ifdef SEARCH_OFFSET
  const SEARCH_OFFSET bits = weft_table_bits(ordered, &a), least = (SEARCH_OFFSET)ordered[0];
  if (bits) {
    for (ulong i = begin; i < end; i++) {
      const SEARCH_OFFSET bit = (SEARCH_OFFSET)values[i] - least, at = min(bit, bits - 1);
      to[i] = (uchar)((table[at / 32] >> at % 32 & (bit < bits)) ^ a.is_inverted);
    }
    return;
  }
#endif
#if WEFT_PIVOTS
  __local T pivots[WEFT_PIVOTS];
  for (uint k = (uint)get_local_id(0); k < a.pivots; k += WEFT_BLOCK) pivots[k] = ordered[(k + 1) * a.stride - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if WEFT_BLOCK == 1
  const ulong start = weft_search_in_order(to, ordered, values, begin, end, &a);
#else
  const ulong start = begin;
#endif
  for (ulong i = start; i < end; i += step) {
    weft_key value[WEFT_U];
    ulong place[WEFT_U];
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) {
      value[u] = KEY(values[min(i + u * apart, (ulong)a.n - 1)]);
      place[u] = 0;
    }
#if WEFT_PIVOTS
    if (a.stride) {
      for (uint left = a.pivots; left > 0;) {
        const uint part = (left + 1) / 2;
#pragma unroll
        for (uint u = 0; u < WEFT_U; u++) {
          const uint at = (uint)place[u] + part - 1;
          if (at < a.pivots && IS_BEFORE(KEY(pivots[at]), value[u])) place[u] += part;
        }
        left -= part;
      }
#pragma unroll
      for (uint u = 0; u < WEFT_U; u++) place[u] *= a.stride;
      SEARCH(a.stride - 1)
    } else
#endif
    {
      SEARCH(a.m)
    }
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++)
      if (i + u * apart < end) to[i + u * apart] = weft_answer(place[u], value[u], ordered, a.m, a.is_inverted);
  }
}
