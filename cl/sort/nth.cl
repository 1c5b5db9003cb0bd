// SPDX-License-Identifier: MIT
// Elements of given ranks, without sorting: weft_nth_count counts a digit of the elements that agree with the digits
// found so far for a rank, and weft_nth_plan finds the rank's next digit from the counts. Ranks that agree in their
// digits share counts.
//
// Define before including: SORT_KEY_BYTES (1 2 4 8) and SORT_KIND (0 1) of sort/key.clh; RANKS, the most ranks;
// WEFT_BLOCK, the threads in a block; 1: a CPU, where each work-item has a run of elements and counts of its own. The
// state: for each rank its digits so far and the rank among the elements with these digits, 64 bits each; then
// counts[table][rank][bin], zeros at first.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DRANKS=4 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DRANKS=4 -DWEFT_BLOCK=1
// lint: -DSORT_KEY_BYTES=1 -DSORT_KIND=0 -DRANKS=4 -DWEFT_BLOCK=256
#include "sort/args.h"
#include "sort/nth_key.clh"

#define BINS WEFT__NTH_BINS
#define BITS NTH_KEY_BITS
#define KEY_OF(k) nth_key_of((k), a.flip_top)

// The bits below the digit, and below the digits found before it.
static inline uint shift_of(uint digit) {
  return BITS > 11 * (digit + 1) ? BITS - 11 * (digit + 1) : 0;
}
static inline uint shift_before(uint digit) {
  return BITS - 11 * digit;
}
static inline uint bin_of(nth_key key, uint digit) {
  return (uint)(key >> shift_of(digit)) & ((1u << (shift_before(digit) - shift_of(digit))) - 1);
}

// The first rank with the same digits so far as rank r.
static inline uint leader_of(__global const ulong *found, uint r) {
  uint leader = 0;
  while (found[leader] != found[r]) leader++;
  return leader;
}

#if WEFT_BLOCK == 1
#define COUNTS __global uint *
#define COUNT(place) (*(place))++
#else
#define COUNTS __local uint *
#define COUNT(place) atomic_inc(place)
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_nth_count(const weft__nth_args a, __global const uchar *from, __global ulong *state) {
  __global const sort_key *x = (__global const sort_key *)(from + a.from);
  __global uint *table = (__global uint *)(state + 2 * RANKS);
  const uint shift = shift_before(a.digit);
  nth_key found[RANKS];
  uint leader[RANKS], leaders = 0;
  for (uint r = 0; r < a.ranks; r++)
    if (a.digit == 0 ? r == 0 : leader_of(state, r) == r) {
      found[leaders] = (nth_key)state[r];
      leader[leaders++] = r;
    }
#if WEFT_BLOCK == 1
  const ulong begin = (ulong)get_group_id(0) * a.share, end = min(begin + a.share, (ulong)a.length), step = 1;
  COUNTS counts = table + (ulong)get_group_id(0) * (RANKS * BINS);
#else
  __local uint counts[RANKS * BINS];
  const ulong begin = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0), end = a.length,
              step = (ulong)get_num_groups(0) * WEFT_BLOCK;
  for (uint k = (uint)get_local_id(0); k < a.ranks * BINS; k += WEFT_BLOCK) counts[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (a.digit == 0) {
    for (ulong i = begin; i < end; i += step) COUNT(counts + bin_of(KEY_OF(x[i]), 0));
  } else if (leaders == 1) {
    const nth_key only = found[0] >> shift;
    COUNTS to = counts + leader[0] * BINS;
    for (ulong i = begin; i < end; i += step) {
      const nth_key key = KEY_OF(x[i]);
      if (key >> shift == only) COUNT(to + bin_of(key, a.digit));
    }
  } else {
    for (ulong i = begin; i < end; i += step) {
      const nth_key key = KEY_OF(x[i]);
      for (uint l = 0; l < leaders; l++)
        if (key >> shift == found[l] >> shift) COUNT(counts + leader[l] * BINS + bin_of(key, a.digit));
    }
  }
#if WEFT_BLOCK > 1
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = (uint)get_local_id(0); k < a.ranks * BINS; k += WEFT_BLOCK)
    if (counts[k]) atomic_add(table + k, counts[k]);
#endif
}

// One block. Clears the counts for the next pass.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_nth_plan(const weft__nth_args a, __global ulong *state, __global uchar *to) {
  __global uint *table = (__global uint *)(state + 2 * RANKS);
  __local ulong sums[WEFT_BLOCK], next[2 * RANKS];
  const uint t = (uint)get_local_id(0), own = BINS / WEFT_BLOCK;
  for (uint r = 0; r < a.ranks; r++) {
    const uint leader = a.digit == 0 ? 0 : leader_of(state, r);
    ulong sum = 0;
    for (uint bin = t * own; bin < (t + 1) * own; bin++)
      for (uint k = 0; k < a.tables; k++) sum += table[(k * RANKS + leader) * BINS + bin];
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
      ulong left = a.digit == 0 ? a.rank[r] : state[RANKS + r];
      uint part = 0, bin;
      while (part + 1 < WEFT_BLOCK && left >= sums[part]) left -= sums[part++];
      for (bin = part * own; bin + 1 < (part + 1) * own; bin++) {
        ulong count = 0;
        for (uint k = 0; k < a.tables; k++) count += table[(k * RANKS + leader) * BINS + bin];
        if (left < count) break;
        left -= count;
      }
      next[r] = (a.digit == 0 ? 0 : state[r]) | (ulong)bin << shift_of(a.digit);
      next[RANKS + r] = left;
      if (shift_of(a.digit) == 0)
        ((__global sort_key *)(to + a.to))[r] = nth_element_of((nth_key)next[r], a.flip_top);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint k = t; k < a.tables * RANKS * BINS; k += WEFT_BLOCK) table[k] = 0;
  for (uint r = t; r < a.ranks; r += WEFT_BLOCK) {
    state[r] = next[r];
    state[RANKS + r] = next[RANKS + r];
  }
}
