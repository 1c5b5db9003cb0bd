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

// On CPUs 16 numbers are made in the lanes of vectors, for which products of 64 bits are best.
#if WEFT_ITEM > 1
typedef ulong16 weft_wide;
typedef ulong16 weft_half; // below 2^32
#define WEFT_HALF(x) ((x) & 0xffffffff)
#ifdef __AVX512F__
#define TOGETHER 4
#else
#define TOGETHER 1 // more would not fit the registers
#endif
#else
typedef ulong weft_wide;
typedef uint weft_half;
#define WEFT_HALF(x) ((uint)(x))
#define TOGETHER 1
#endif

// The function of a round, of 32 bits and two keys. Both halves of the products are used, as in Philox. LLVM multiplies
// vectors by the faster instruction where it sees that the factors are below 2^32.
static inline weft_half weft_mix(weft_half x, uint key, uint more) {
  const weft_wide p = (weft_wide)WEFT_HALF(x ^ key) * (weft_wide)WEFT_PHILOX32_M0;
  const weft_half y = WEFT_HALF(p >> 32 ^ p ^ more);
  const weft_wide q = (weft_wide)y * WEFT_PHILOX32_M1;
  return WEFT_HALF(q >> 32 ^ q);
}

// A network of 12 rounds permutes numbers of `left` + `right` bits. A round waits for the one before: on CPUs several
// vectors take each round together.
static inline void weft_network(__private weft_wide *value, const __private weft__shuffle_args *a) {
  const uint left_mask = (uint)((1ul << a->left) - 1), right_mask = (uint)((1ul << a->right) - 1);
  weft_half l[TOGETHER], r[TOGETHER];
#pragma unroll
  for (uint v = 0; v < TOGETHER; v++) {
    l[v] = WEFT_HALF(value[v] >> a->right);
    r[v] = WEFT_HALF(value[v]) & right_mask;
  }
#pragma unroll
  for (uint k = 0; k < 24; k += 4) {
#pragma unroll
    for (uint v = 0; v < TOGETHER; v++) l[v] ^= weft_mix(r[v], a->key[k], a->key[k + 1]) & left_mask;
#pragma unroll
    for (uint v = 0; v < TOGETHER; v++) r[v] ^= weft_mix(l[v], a->key[k + 2], a->key[k + 3]) & right_mask;
  }
#pragma unroll
  for (uint v = 0; v < TOGETHER; v++) value[v] = (weft_wide)l[v] << a->right | r[v];
}

// Element first + i of a permutation of n numbers: the network is applied until the result is below n. This ends: the
// cycle returns to i, which is below n.
#if WEFT_ITEM > 1
#define LANES 256

// Results that are not below n yet move to the first lanes, and the next numbers to those behind.
__kernel void weft_permute(const weft__shuffle_args a, __global uchar *restrict out) {
  ulong i;
  union {
    ulong one[LANES];
    ulong16 all[LANES / 16];
  } value;
  uint place[LANES], waiting = 0, next = 0;
  const uint count = (uint)(weft_items(a.count, &i) - i);
  __global long *to = (__global long *)(out + a.offset) + i;
  while (waiting || next < count) {
    const uint joining = min(LANES - waiting, count - next), lanes = waiting + joining;
    for (uint k = waiting; k < lanes; k++) {
      value.one[k] = a.first + i + next;
      place[k] = next++;
    }
    const uint vectors = (lanes + 16 * TOGETHER - 1) / (16 * TOGETHER) * TOGETHER;
    for (uint k = lanes; k < 16 * vectors; k++) value.one[k] = 0;
    for (uint k = 0; k < vectors; k += TOGETHER) weft_network(value.all + k, &a);
    waiting = 0;
    for (uint k = 0; k < lanes; k++) {
      const ulong made = value.one[k];
      to[place[k]] = (long)made; // stored again if it is not below n
      value.one[waiting] = made;
      place[waiting] = place[k];
      waiting += made >= a.n;
    }
  }
}
#else
__kernel void weft_permute(const weft__shuffle_args a, __global uchar *restrict out) {
  ulong i;
  const ulong end = weft_items(a.count, &i);
  __global long *to = (__global long *)(out + a.offset);
  for (; i < end; i++) {
    ulong value = a.first + i;
    do weft_network(&value, &a);
    while (value >= a.n);
    to[i] = (long)value;
  }
}
#endif

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
