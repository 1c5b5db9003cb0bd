// SPDX-License-Identifier: MIT
// Elements of given ranks, without sorting: weft_nth_count counts a digit of the elements that agree with the digits
// found so far for a rank, and weft_nth_plan finds the rank's next digit from the counts. Ranks that agree in their
// digits share counts. Where blocks see what others wrote, the last block that counts does what weft_nth_plan does.
//
// Define before including: SORT_KEY_BYTES (1 2 4 8) and SORT_KIND (0 1) of sort/key.clh; RANKS, the most ranks;
// WEFT_BLOCK, the threads in a block. The state: for each rank its digits so far and the rank among the elements with
// these digits, 64 bits each; the number of blocks that have counted; then counts[rank][bin]. All are zeros at first.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DRANKS=4 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DRANKS=4 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=1 -DSORT_KIND=0 -DRANKS=4 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DRANKS=4 -DWEFT_BLOCK=256 -DWEFT_DEVICE_SCOPE
#include "warp.clh"
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

#define SUMS (WEFT_BLOCK / 16)
#ifdef WEFT_DEVICE_SCOPE
#define LAST_BLOCK_PLANS 1
#define LOAD_COUNT(place) weft_load_device_u32(place)
#else
#define LAST_BLOCK_PLANS 0
#define LOAD_COUNT(place) (*(place))
#endif
// Elements that a thread loads at once.
#ifdef WEFT_PTX
#define BATCH 4
#define NTH_UNROLL _Pragma("unroll")
#else
#define BATCH 1
#define NTH_UNROLL
#endif

#define TABLE_OF(state) ((__global uint *)((state) + 2 * RANKS + 1))

static inline uint count_of(__global uint *table, uint leader, uint bin) {
  return LOAD_COUNT(table + leader * BINS + bin);
}

// Finds the next digit of each rank, and clears the counts for the next pass. All threads of a block; it writes nothing
// unless `is_last`.
WEFT_INLINE void plan(const weft__nth_args *a, __global ulong *state, __global uchar *to, bool is_last,
                     __local uint *sums, __local uint *groups, __local ulong *next) {
  __global uint *table = TABLE_OF(state);
  const uint t = (uint)get_local_id(0), own = BINS / WEFT_BLOCK;
  for (uint r = 0; r < a->ranks; r++) {
    const uint leader = a->digit == 0 || !is_last ? 0 : leader_of(state, r);
    uint sum = 0, before = 0;
    for (uint bin = t * own; bin < (t + 1) * own; bin++) sum += count_of(table, leader, bin);
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = t & ~15u; k < t; k++) before += sums[k];
    if ((t & 15) == 15) groups[t >> 4] = before + sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < t >> 4; k++) before += groups[k];
    uint left = (uint)(a->digit == 0 ? a->rank[r] : state[RANKS + r]);
    if (left >= before && left - before < sum) {
      uint bin = t * own;
      left -= before;
      for (; bin + 1 < (t + 1) * own; bin++) {
        const uint count = count_of(table, leader, bin);
        if (left < count) break;
        left -= count;
      }
      next[r] = (a->digit == 0 ? 0 : state[r]) | (ulong)bin << shift_of(a->digit);
      next[RANKS + r] = left;
      if (is_last && shift_of(a->digit) == 0)
        ((__global sort_key *)(to + a->to))[r] = nth_element_of((nth_key)next[r], a->flip_top);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (!is_last) return;
  for (uint k = t; k < RANKS * BINS; k += WEFT_BLOCK) table[k] = 0;
  for (uint r = t; r < a->ranks; r += WEFT_BLOCK) {
    state[r] = next[r];
    state[RANKS + r] = next[RANKS + r];
  }
  if (t == 0) state[2 * RANKS] = 0;
}

#define PLAN_STATE                            \
  __local uint sums[WEFT_BLOCK], groups[SUMS]; \
  __local ulong next[2 * RANKS];

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_nth_count(const weft__nth_args a, __global const uchar *from, __global ulong *state, __global uchar *to) {
  __global const sort_key *x = (__global const sort_key *)(from + a.from);
  __global uint *table = TABLE_OF(state);
  const uint shift = shift_before(a.digit);
  nth_key found[RANKS];
  uint leader[RANKS], leaders = 0;
  for (uint r = 0; r < a.ranks; r++)
    if (a.digit == 0 ? r == 0 : leader_of(state, r) == r) {
      found[leaders] = a.digit == 0 ? 0 : (nth_key)(state[r] >> shift);
      leader[leaders++] = r;
    }
#if LAST_BLOCK_PLANS
  PLAN_STATE
  __local uint is_last[1];
#endif
  __local uint counts[RANKS * BINS];
  const ulong begin = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0), end = a.length,
              step = (ulong)get_num_groups(0) * WEFT_BLOCK;
#define COUNTS_OF(l) (counts + (l)*BINS)
  for (uint k = (uint)get_local_id(0); k < leaders * BINS; k += WEFT_BLOCK) counts[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (ulong i = begin; i < end; i += BATCH * step) {
    sort_key one[BATCH];
    NTH_UNROLL
    for (uint b = 0; b < BATCH; b++) one[b] = x[min(i + b * step, end - 1)];
    NTH_UNROLL
    for (uint b = 0; b < BATCH; b++) {
      if (i + b * step >= end) continue;
      const nth_key key = KEY_OF(one[b]);
      if (a.digit == 0)
        atomic_inc(COUNTS_OF(0) + bin_of(key, 0));
      else
        NTH_UNROLL
        for (uint l = 0; l < RANKS; l++)
          if (l < leaders && key >> shift == found[l]) atomic_inc(COUNTS_OF(l) + bin_of(key, a.digit));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint l = 0; l < leaders; l++)
    for (uint bin = (uint)get_local_id(0); bin < BINS; bin += WEFT_BLOCK) {
      const uint count = counts[l * BINS + bin];
      if (count) atomic_add((volatile __global uint *)table + leader[l] * BINS + bin, count);
    }
#if LAST_BLOCK_PLANS
  weft_fence_device();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    is_last[0] = atomic_inc((volatile __global uint *)(state + 2 * RANKS)) == (uint)get_num_groups(0) - 1;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WEFT_PTX
  if (!is_last[0]) return;
#endif
  weft_fence_device();
  plan(&a, state, to, is_last[0], sums, groups, next);
#endif
}

// One block, behind weft_nth_count.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_nth_plan(const weft__nth_args a, __global ulong *state, __global uchar *to) {
  PLAN_STATE
  plan(&a, state, to, true, sums, groups, next);
}
