// SPDX-License-Identifier: MIT
// Finds the positions of values in an ordered array, or whether they are in it. The text in front defines the macros of
// search/result.clh and
//   WEFT_BLOCK     threads in a block
//   WEFT_U         values that a thread searches for at once: the reads of one search wait for each other, the reads of
//                  different searches do not
//   WEFT_PIVOTS    capacity for pivots, every stride-th element of the ordered array, in local memory, where the search
//                  begins
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=3 -DSEARCH_IN=1
#ifdef WEFT_LINT
#include "search/lint.clh"
#endif
#include "search/result.clh"

// Searches for WEFT_U values at once. With pivots `count` may reach beyond the end of the array.
#define SEARCH(count)                                                           \
  for (ulong left = (count); left > 0;) {                                       \
    const ulong part = (left + 1) / 2;                                          \
    _Pragma("unroll") for (uint u = 0; u < WEFT_U; u++) {                       \
      const ulong at = place[u] + part - 1;                                     \
      place[u] += at < a.m && IS_BEFORE(KEY(ordered[at]), value[u]) ? part : 0; \
    }                                                                           \
    left -= part;                                                               \
  }

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1))) void weft_search(const weft__search_args a,
                                                                                  __global uchar *y,
                                                                                  __global const uchar *ordered_from,
                                                                                  __global const uchar *values_from) {
  __global PLACE *to = (__global PLACE *)(y + a.offset[0]);
  __global const T *ordered = (__global const T *)(ordered_from + a.offset[1]),
                   *values = (__global const T *)(values_from + a.offset[2]);
  const ulong begin = (ulong)get_group_id(0) * (WEFT_BLOCK * WEFT_U) + get_local_id(0), end = a.n, apart = WEFT_BLOCK;
  const ulong step = (ulong)get_num_groups(0) * (WEFT_BLOCK * WEFT_U);
  __local T pivots[WEFT_PIVOTS];
  for (uint k = (uint)get_local_id(0); k < a.pivots; k += WEFT_BLOCK) pivots[k] = ordered[(k + 1) * a.stride - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (ulong i = begin; i < end; i += step) {
    weft_key value[WEFT_U];
    ulong place[WEFT_U];
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) {
      value[u] = KEY(values[min(i + u * apart, (ulong)a.n - 1)]);
      place[u] = 0;
    }
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
    } else {
      SEARCH(a.m)
    }
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++)
      if (i + u * apart < end) to[i + u * apart] = weft_answer(place[u], value[u], ordered, a.m, a.is_inverted);
  }
}
