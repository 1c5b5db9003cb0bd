// SPDX-License-Identifier: MIT
// The least and the greatest element, and the position of the first element that cannot be a bin's number: a negative
// integer, or a NaN. Each block writes three words. The host combines these, since it waits for them anyway. Needs the
// macros of histogram/bin.clh, and WEFT_BLOCK, threads per block.
// lint: -DWEFT_LINT=1 -DBIN_DIRECT=1
#ifdef WEFT_LINT
#include "histogram/lint.clh"
#endif
#include "histogram/bin.clh"

#if VALUE_FLOAT
#define IS_BAD(x) ((x) != (x))
#else
#define IS_BAD(x) ((x) < 0)
#endif

typedef union {
  VALUE value;
  ulong bits;
} weft_word;

static inline ulong weft_word_of(VALUE x) {
  weft_word word;
  word.bits = 0;
  word.value = x;
  return word.bits;
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_histogram_extent(const weft__histogram_args a, __global ulong *partial, __global const uchar *from) {
  const ulong block = get_group_id(0);
  __global const T *x = (__global const T *)(from + a.x_offset);
  VALUE least = weft_value(x[0]), most = least;
  ulong bad = 0xffffffffffffffffUL;
  __local VALUE leasts[WEFT_BLOCK], mosts[WEFT_BLOCK];
  __local ulong bads[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong step = (ulong)get_num_groups(0) * WEFT_BLOCK;
  ulong i = block * WEFT_BLOCK + thread;
  for (; i + 3 * step < a.n; i += 4 * step) {
    VALUE v[4]; // all loads are in flight before the first comparison
#pragma unroll
    for (uint k = 0; k < 4; k++) v[k] = weft_value(x[i + k * step]);
#pragma unroll
    for (uint k = 0; k < 4; k++) {
      least = v[k] < least ? v[k] : least;
      most = v[k] > most ? v[k] : most;
      if (IS_BAD(v[k])) bad = min(bad, i + k * step);
    }
  }
  for (; i < a.n; i += step) {
    const VALUE v = weft_value(x[i]);
    least = v < least ? v : least;
    most = v > most ? v : most;
    if (IS_BAD(v)) bad = min(bad, i);
  }
  leasts[thread] = least;
  mosts[thread] = most;
  bads[thread] = bad;
  for (uint d = WEFT_BLOCK / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < d) {
      leasts[thread] = leasts[thread + d] < leasts[thread] ? leasts[thread + d] : leasts[thread];
      mosts[thread] = mosts[thread + d] > mosts[thread] ? mosts[thread + d] : mosts[thread];
      bads[thread] = min(bads[thread + d], bads[thread]);
    }
  }
  if (thread == 0) {
    partial[block * 3] = weft_word_of(leasts[0]);
    partial[block * 3 + 1] = weft_word_of(mosts[0]);
    partial[block * 3 + 2] = bads[0];
  }
}
