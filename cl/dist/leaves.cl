// SPDX-License-Identifier: MIT
// Totals of leaves and running totals in them, for libweft-mpi (src/dist/dist_leaves.h). A leaf is a run of `leaf`
// elements of one array; the last one may be shorter. A block works on a leaf. How elements are grouped depends on
// their places in the leaf alone: CPUs, where one work-item does a block's work, group them as GPUs do.
//   IN, OUT, T       types of elements as read, as written, and as combined; TO_T and TO_OUT convert
//   DIST_OP          0: sums, 1: products, 2: greatest, 3: least elements
//   DIST_COMPLEX     1: the types are vectors of two; DIST_WHOLE 1: they are integers
//   DIST_CPU         1: one work-item does a block's work
//   WARP_WORDS       words of 4 bytes of T; IN_E, OUT_E: elements in a chunk, IN_RAW, OUT_RAW: `raw` of chunk.clh
// lint: -DIN=float -DOUT=float -DT=double -DTO_T=convert_double -DTO_OUT=convert_float -DDIST_OP=0 -DWARP_WORDS=2
// lint: -DIN=float -DOUT=float -DT=double -DTO_T=convert_double -DTO_OUT=convert_float -DDIST_OP=0 -DDIST_CPU=1
// lint: -DIN=int -DOUT=int -DT=int -DTO_T=convert_int -DTO_OUT=convert_int -DDIST_OP=2 -DDIST_WHOLE=1 -DWARP_WORDS=1
// lint: -DLINT_COMPLEX=1
#ifdef LINT_COMPLEX
#define IN float2
#define OUT float2
#define T double2
#define TO_T convert_double2
#define TO_OUT convert_float2
#define DIST_OP 1
#define DIST_COMPLEX 1
#define WARP_WORDS 4
#define IN_E 2
#define OUT_E 2
#define IN_RAW ulong2
#define OUT_RAW ulong2
#elif !defined(IN_E)
#define IN_E 4
#define OUT_E 4
#define IN_RAW uint4
#define OUT_RAW uint4
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define BLOCK 256
#define EACH 8 // adjacent elements of a thread in a tile
#define TILE (BLOCK * EACH)
#define GROUP 32 // threads whose totals are combined at distances of 1, 2, 4, 8 and 16: a warp
#define GROUPS (BLOCK / GROUP)
#define FLIGHT 8 // loads in flight per thread

#if !DIST_CPU
#define WEFT_BLOCK BLOCK
#define WARP_T T
#include "chunk.clh"
#include "warp_value.clh"
#endif

enum { BEFORE_NONE, BEFORE_LATER, BEFORE_ALL }; // LATER: all leaves but the first

static inline T combine(T a, T b) {
#if DIST_OP == 0
  return a + b;
#elif DIST_OP == 1 && DIST_COMPLEX
  return (T)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
#elif DIST_OP == 1
  return a * b;
#elif DIST_COMPLEX
  // by the real part, then by the imaginary one; a NaN wins
  if (a.x != a.x || a.y != a.y) return a;
  if (b.x != b.x || b.y != b.y) return b;
#if DIST_OP == 2
  return a.x > b.x || (a.x == b.x && a.y >= b.y) ? a : b;
#else
  return a.x < b.x || (a.x == b.x && a.y <= b.y) ? a : b;
#endif
#elif DIST_WHOLE
  return DIST_OP == 2 ? max(a, b) : min(a, b);
#elif DIST_OP == 2
  return a >= b || a != a ? a : b;
#else
  return a <= b || a != a ? a : b;
#endif
}

// Leaves of n elements, behind `skip` others. The totals of at most BLOCK runs of elements that are BLOCK apart are
// combined in halves.
#if DIST_CPU
__kernel void weft_leaf_totals(__global uchar *y, __global const uchar *x, ulong skip, ulong n,
                               ulong leaf) {
  T sums[BLOCK];
  const ulong first = get_group_id(0) * leaf, count = min(leaf, n - first);
  const uint threads = (uint)min(count, (ulong)BLOCK);
  __global const IN *from = (__global const IN *)x + skip + first;
  for (uint id = 0; id < threads; id++) sums[id] = TO_T(from[id]);
  ulong at = BLOCK;
  for (; at + BLOCK <= count; at += BLOCK)
    for (uint id = 0; id < BLOCK; id++) sums[id] = combine(sums[id], TO_T(from[at + id]));
  for (uint id = 0; at + id < count; id++) sums[id] = combine(sums[id], TO_T(from[at + id]));
  for (uint d = BLOCK / 2; d > 0; d /= 2)
    for (uint id = 0; id < d && id + d < threads; id++) sums[id] = combine(sums[id], sums[id + d]);
  ((__global OUT *)y)[get_group_id(0)] = TO_OUT(sums[0]);
}
#else
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_leaf_totals(__global uchar *y, __global const uchar *x, ulong skip, ulong n, ulong leaf) {
  __local T sums[BLOCK];
  const uint id = (uint)get_local_id(0);
  const ulong first = get_group_id(0) * leaf, count = min(leaf, n - first);
  const uint threads = (uint)min(count, (ulong)BLOCK);
  __global const IN *from = (__global const IN *)x + skip + first;
  if (id < threads) {
    T sum = TO_T(from[id]);
    ulong at = id + BLOCK;
    for (; at + (FLIGHT - 1) * BLOCK < count; at += FLIGHT * BLOCK) {
      IN v[FLIGHT];
#pragma unroll
      for (uint u = 0; u < FLIGHT; u++) v[u] = from[at + u * BLOCK];
#pragma unroll
      for (uint u = 0; u < FLIGHT; u++) sum = combine(sum, TO_T(v[u]));
    }
    for (; at < count; at += BLOCK) sum = combine(sum, TO_T(from[at]));
    sums[id] = sum;
  }
  for (uint d = BLOCK / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < d && id + d < threads) sums[id] = combine(sums[id], sums[id + d]);
  }
  if (id == 0) ((__global OUT *)y)[get_group_id(0)] = TO_OUT(sums[0]);
}
#endif

// What stands before a thread: the leaf's elements before the tile, `carry`, if it has some; the groups before; the
// threads of its group before it. Totals are combined in this order; nothing is combined with a neutral element.
#define ADD(sum, is_met, value) \
  { \
    sum = is_met ? combine(sum, value) : (value); \
    is_met = true; \
  }

// A leaf's place, and what stands before it.
#define LEAF                                                                            \
  const ulong number = get_group_id(0), first = number * leaf, count = min(leaf, n - first); \
  __global const IN *leaf_from = (__global const IN *)x + first;                        \
  __global OUT *leaf_to = (__global OUT *)y + first;                                    \
  bool has = before_is == BEFORE_ALL || (number > 0 && before_is == BEFORE_LATER);      \
  T carry = has ? ((__global const T *)before)[number] : TO_T(leaf_from[0]);

// y: in each leaf the running totals, with before[leaf] in front of the leaves that before_is names.
#if DIST_CPU
__kernel void weft_leaf_scan(__global uchar *y, __global const uchar *x, __global const uchar *before, ulong n,
                             ulong leaf, uint before_is) {
  T v[TILE], sums[BLOCK];
  LEAF
  for (ulong tile = 0; tile < count; tile += TILE) {
    const uint left = (uint)min(count - tile, (ulong)TILE);
    __global const IN *from = leaf_from + tile;
    __global OUT *to = leaf_to + tile;
    for (uint i = 0; i < left; i++) v[i] = TO_T(from[i]);
    for (uint i = left; i < TILE; i++) v[i] = v[0];
    for (uint id = 0; id < BLOCK; id++) {
      for (uint j = 1; j < EACH; j++) v[id * EACH + j] = combine(v[id * EACH + j - 1], v[id * EACH + j]);
      sums[id] = v[id * EACH + EACH - 1];
    }
    for (uint group = 0; group < BLOCK; group += GROUP) {
      for (uint d = 1; d < GROUP; d *= 2)
        for (uint id = GROUP - 1; id >= d; id--) sums[group + id] = combine(sums[group + id - d], sums[group + id]);
      for (uint id = group; id < group + GROUP && id * EACH < left; id++) {
        T front = carry;
        bool is_met = has;
        if (id > group) ADD(front, is_met, sums[id - 1])
        for (uint i = id * EACH; i < min((id + 1) * EACH, left); i++)
          to[i] = is_met ? TO_OUT(combine(front, v[i])) : TO_OUT(v[i]);
      }
      ADD(carry, has, sums[group + GROUP - 1])
    }
  }
}
#else
#define IN_CHUNKS (EACH / IN_E) // of a thread
#define OUT_CHUNKS (EACH / OUT_E)
#define ROOM(i, chunks) ((i) + (i) / (chunks)) // of a chunk; no bank conflicts
#define OF_ELEMENT(i, e, chunks) (ROOM((i) / (e), chunks) * (e) + (i) % (e))
typedef WEFT_PACK(IN, IN_E, IN_RAW) in_chunk;
typedef WEFT_PACK(OUT, OUT_E, OUT_RAW) out_chunk;

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_leaf_scan(__global uchar *y, __global const uchar *x, __global const uchar *before, ulong n, ulong leaf,
                    uint before_is) {
  WEFT_WARP_STATE
  __local union {
    IN_RAW in[GROUP * (IN_CHUNKS + 1)];
    OUT_RAW out[GROUP * (OUT_CHUNKS + 1)];
  } staged[GROUPS]; // of each warp
  __local T totals[2][GROUPS]; // of this tile and of the one before, which slower warps still read
  const uint id = (uint)get_local_id(0), lane = id % GROUP, warp = id / GROUP, warp_first = warp * (GROUP * EACH);
  LEAF
  __local IN_RAW *in = staged[warp].in;
  __local OUT_RAW *out = staged[warp].out;
  const bool has_chunks = leaf % EACH == 0; // else leaves do not begin at a chunk's place
  IN_RAW ahead[IN_CHUNKS]; // the next tile, on its way while this one is computed
  if (has_chunks && count >= TILE) {
    __global const IN_RAW *from = (__global const IN_RAW *)(leaf_from + warp_first);
#pragma unroll
    for (uint k = 0; k < IN_CHUNKS; k++) ahead[k] = from[k * GROUP + lane];
  }
  for (ulong tile = 0; tile < count; tile += TILE) {
    const uint left = (uint)min(count - tile, (ulong)TILE), parity = (uint)(tile / TILE) % 2;
    const bool is_whole = has_chunks && left == TILE;
    if (is_whole) {
#pragma unroll
      for (uint k = 0; k < IN_CHUNKS; k++) in[ROOM(k * GROUP + lane, IN_CHUNKS)] = ahead[k];
      if (count - tile >= 2 * TILE) {
        __global const IN_RAW *from = (__global const IN_RAW *)(leaf_from + tile + TILE + warp_first);
#pragma unroll
        for (uint k = 0; k < IN_CHUNKS; k++) ahead[k] = from[k * GROUP + lane];
      }
    } else {
      for (uint i = lane; i < GROUP * EACH; i += GROUP) {
        const uint at = warp_first + i < left ? warp_first + i : 0;
        ((__local IN *)in)[OF_ELEMENT(i, IN_E, IN_CHUNKS)] = leaf_from[tile + at];
      }
    }
    WEFT_SYNC_WARP();
    T v[EACH];
#pragma unroll
    for (uint k = 0; k < IN_CHUNKS; k++) {
      in_chunk c;
      WEFT_SPLIT(IN_RAW, c.word, in[lane * (IN_CHUNKS + 1) + k])
#pragma unroll
      for (uint e = 0; e < IN_E; e++) v[k * IN_E + e] = TO_T(c.e[e]);
    }
#pragma unroll
    for (uint j = 1; j < EACH; j++) v[j] = combine(v[j - 1], v[j]);
    T sum = v[EACH - 1];
#pragma unroll
    for (uint d = 1; d < GROUP; d *= 2) {
      const T older = weft_up_value(sum, d WEFT_WARP_ARGUMENTS);
      if (lane >= d) sum = combine(older, sum);
    }
    const T older = weft_up_value(sum, 1 WEFT_WARP_ARGUMENTS);
    if (lane == GROUP - 1) totals[parity][warp] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    T front = carry;
    bool is_met = has;
#pragma unroll
    for (uint g = 0; g < GROUPS; g++) {
      const T total = totals[parity][g];
      if (g == warp) {
        front = carry;
        is_met = has;
      }
      ADD(carry, has, total)
    }
    if (lane > 0) ADD(front, is_met, older)
#pragma unroll
    for (uint k = 0; k < OUT_CHUNKS; k++) {
      out_chunk c;
#pragma unroll
      for (uint e = 0; e < OUT_E; e++)
        c.e[e] = is_met ? TO_OUT(combine(front, v[k * OUT_E + e])) : TO_OUT(v[k * OUT_E + e]);
      out[lane * (OUT_CHUNKS + 1) + k] = WEFT_WHOLE(OUT_RAW, c.word);
    }
    WEFT_SYNC_WARP();
    __global OUT *to = leaf_to + tile + warp_first;
    if (is_whole) {
#pragma unroll
      for (uint k = 0; k < OUT_CHUNKS; k++)
        ((__global OUT_RAW *)to)[k * GROUP + lane] = out[ROOM(k * GROUP + lane, OUT_CHUNKS)];
    } else {
      for (uint i = lane; i < GROUP * EACH && warp_first + i < left; i += GROUP)
        to[i] = ((__local const OUT *)out)[OF_ELEMENT(i, OUT_E, OUT_CHUNKS)];
    }
    WEFT_SYNC_WARP();
  }
}
#endif

// As weft_leaf_scan of rows of `others` elements, each column for itself: before[leaf * others + column]. A work-item
// has a column of a leaf.
__kernel void weft_leaf_scan_columns(__global uchar *y, __global const uchar *x, __global const uchar *before, ulong n,
                                     ulong others, ulong leaf, uint before_is) {
  const ulong id = get_global_id(0), number = id / others, first = number * leaf;
  if (first >= n) return;
  const ulong last = min(first + leaf, n), column = id - number * others;
  __global const IN *from = (__global const IN *)x + column;
  __global OUT *to = (__global OUT *)y + column;
  T total = TO_T(from[first * others]);
  if (before_is == BEFORE_ALL || (number > 0 && before_is == BEFORE_LATER))
    total = combine(((__global const T *)before)[id], total);
  to[first * others] = TO_OUT(total);
  for (ulong row = first + 1; row < last; row++) {
    total = combine(total, TO_T(from[row * others]));
    to[row * others] = TO_OUT(total);
  }
}
