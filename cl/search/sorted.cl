// SPDX-License-Identifier: MIT
// Tests whether an array is in order. The host sets the result to 1; any thread that finds two neighbours out of order
// writes 0. The text in front defines the macros of search/order.clh and WEFT_BLOCK, the threads in a block.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=3
#ifdef WEFT_LINT
#include "search/lint.clh"
#endif
#include "search/order.clh"

// Whether a and b, adjacent in the array, are out of order.
static inline uint weft_is_wrong(T a, T b, uint is_falling, uint is_strict) {
  const weft_key first = KEY(is_falling ? b : a), second = KEY(is_falling ? a : b);
  return (uint)(is_strict ? !weft_is_less(first, second) : weft_is_less(second, first));
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_is_sorted(const weft__search_args a, __global uchar *y, __global const uchar *from) {
  __global const T *x = (__global const T *)(from + a.offset[1]);
  const ulong pairs = a.n - 1;
  uint is_wrong = 0;
  const ulong step = (ulong)get_num_groups(0) * WEFT_BLOCK;
#pragma unroll 8
  for (ulong i = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0); i < pairs; i += step)
    is_wrong |= weft_is_wrong(x[i], x[i + 1], a.is_falling, a.is_strict);
  if (is_wrong) y[a.offset[0]] = 0;
}
