// SPDX-License-Identifier: MIT
// Merging two ordered arrays (merge path: Green, McColl and Bader 2012). The first d elements of the result are the
// first i of a and the first d - i of b. A binary search along the diagonal finds i, so that any part of the result can
// be made alone. Among equal elements, elements of a come first. The text in front defines the macros of
// search/order.clh and
//   WEFT_BLOCK   threads in a block
//   WEFT_ITEMS   elements per thread; odd, to avoid bank conflicts in local memory
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=3
#ifdef WEFT_LINT
#include "search/lint.clh"
#endif
#include "search/order.clh"

#define TILE (WEFT_BLOCK * WEFT_ITEMS)

// The number of a's elements among the first `diagonal` elements of the result.
static inline ulong weft_path(__global const T *a, ulong n, __global const T *b, ulong m, ulong diagonal) {
  ulong low = max(diagonal, m) - m, high = min(diagonal, n);
  while (low < high) {
    const ulong middle = low + (high - low) / 2;
    if (weft_is_less(KEY(b[diagonal - 1 - middle]), KEY(a[middle])))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Finds where each tile begins in a.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_merge_divide(const weft__search_args args, __global ulong *places, __global const uchar *a_from,
                       __global const uchar *b_from) {
  __global const T *a = (__global const T *)(a_from + args.offset[1]),
                   *b = (__global const T *)(b_from + args.offset[2]);
  const ulong tile = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0), diagonal = tile * TILE;
  if (diagonal < args.n + args.m) places[tile] = weft_path(a, args.n, b, args.m, diagonal);
}

// `places` is read if args.is_divided.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_merge(const weft__search_args args, __global uchar *y, __global const uchar *a_from,
                __global const uchar *b_from,
                __global const ulong *places) {
  __local T keys[TILE];
  __local ulong ends[2];
  __global T *to = (__global T *)(y + args.offset[0]);
  __global const T *a = (__global const T *)(a_from + args.offset[1]),
                   *b = (__global const T *)(b_from + args.offset[2]);
  const ulong n = args.n, m = args.m, block = get_group_id(0), begin = block * TILE, end = min(begin + TILE, n + m);
  const uint thread = (uint)get_local_id(0), count = (uint)(end - begin);
  if (thread < 2) {
    const ulong diagonal = thread ? end : begin;
    ends[thread] = diagonal == n + m ? n : args.is_divided ? places[block + thread] : weft_path(a, n, b, m, diagonal);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  /* Tiles of arrays out of order can end before they begin: the limits keep all reads within a and b. */
  const ulong left_a = n - ends[0], left_b = m - (begin - ends[0]), least = max((ulong)count, left_b) - left_b;
  const uint from_a = (uint)clamp(max(ends[1], ends[0]) - ends[0], least, min((ulong)count, left_a)),
             from_b = count - from_a;
  a += ends[0];
  b += begin - ends[0];
  for (uint k = thread; k < count; k += WEFT_BLOCK) keys[k] = k < from_a ? a[k] : b[k - from_a];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint diagonal = min(thread * WEFT_ITEMS, count);
  uint low = max(diagonal, from_b) - from_b, high = min(diagonal, from_a);
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (weft_is_less(KEY(keys[from_a + diagonal - 1 - middle]), KEY(keys[middle])))
      high = middle;
    else
      low = middle + 1;
  }
  uint i = low, j = from_a + diagonal - low;
  T own[WEFT_ITEMS], x = keys[min(i, count - 1)], z = keys[min(j, count - 1)];
#pragma unroll
  for (uint k = 0; k < WEFT_ITEMS; k++) {
    const uint is_b = j < count && (i >= from_a || weft_is_less(KEY(z), KEY(x)));
    own[k] = is_b ? z : x;
    i += 1 - is_b, j += is_b;
    const T next = keys[min(is_b ? j : i, count - 1)]; /* no branch (docs/drivers.md, PoCL 5 and 6) */
    z = is_b ? next : z;
    x = is_b ? x : next;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint k = 0; k < WEFT_ITEMS; k++)
    if (diagonal + k < count) keys[diagonal + k] = own[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = thread; k < count; k += WEFT_BLOCK) to[begin + k] = keys[k];
}
