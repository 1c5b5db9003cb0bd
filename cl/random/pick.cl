// SPDX-License-Identifier: MIT
// Permutations. Needs the macros of random/stream.clh, and:
//   WEFT_ITEM  elements that a work-item makes in order; 1 on GPUs
// lint: -DWEFT_WIDE=0 -DWEFT_ITEM=1
// lint: -DWEFT_WIDE=1 -DWEFT_ITEM=4096
#include "random/stream.clh"

// The items of this work-item: from *i to before the returned number.
static inline ulong weft_items(ulong count, __private ulong *i) {
  *i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  return min(*i + WEFT_ITEM, count);
}

// The function of a round, of 32 bits and two keys. Both halves of the products are used, as in Philox.
static inline uint weft_mix(uint x, uint key, uint more) {
  const ulong p = (ulong)WEFT_PHILOX32_M0 * (x ^ key);
  const uint y = (uint)(p >> 32) ^ (uint)p ^ more;
  const ulong q = (ulong)WEFT_PHILOX32_M1 * y;
  return (uint)(q >> 32) ^ (uint)q;
}

// Element first + i of a permutation of n numbers. A network of 12 rounds permutes numbers of `left` + `right` bits. It
// is applied until the result is below n. This ends: the cycle returns to i, which is below n.
__kernel void weft_permute(const weft__shuffle_args a, __global uchar *restrict out) {
  ulong i;
  const ulong end = weft_items(a.count, &i);
  const uint left_mask = (uint)((1ul << a.left) - 1), right_mask = (uint)((1ul << a.right) - 1);
  __global long *to = (__global long *)(out + a.offset);
  for (; i < end; i++) {
    ulong value = a.first + i;
    do {
      uint l = (uint)(value >> a.right), r = (uint)value & right_mask;
#pragma unroll
      for (uint k = 0; k < 24; k += 4) {
        l ^= weft_mix(r, a.key[k], a.key[k + 1]) & left_mask;
        r ^= weft_mix(l, a.key[k + 2], a.key[k + 3]) & right_mask;
      }
      value = (ulong)l << a.right | r;
    } while (value >= a.n);
    to[i] = (long)value;
  }
}

// For few numbers: i goes to the rank of its key among all keys, so that every order is equally likely.
__kernel void weft_permute_few(const weft__shuffle_args a, __global const ulong *restrict key,
                               __global uchar *restrict out) {
  ulong i;
  const ulong end = weft_items(a.n, &i);
  __global long *to = (__global long *)(out + a.offset);
  for (; i < end; i++) {
    const ulong own = key[i];
    ulong place = 0;
    for (ulong j = 0; j < a.n; j++) place += (ulong)(key[j] < own || (key[j] == own && j < i));
    if (place - a.first < a.count) to[place - a.first] = (long)i; // before `first`: beyond all counts
  }
}
