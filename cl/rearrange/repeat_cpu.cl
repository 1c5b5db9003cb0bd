// SPDX-License-Identifier: MIT
// Elements along an axis, each repeated its own number of times (weft__repeat_args), for CPUs. A work-item makes
// `chunks` words, one element after the other. Needs WEFT_SIZE, as in arrange_gpu.cl.
// lint: -DWEFT_SIZE=4
#define WEFT_WIDE 1
#include "rearrange/chunk.clh"
#include "rearrange/repeat.clh"

__kernel void weft_repeat_counts(const weft__repeat_args a, __global uchar *restrict buffer,
                                 __global const uchar *restrict from,
                          __global const uchar *restrict places) {
  __global const long *ends = (__global const long *)(places + a.ends_offset);
  __global weft_word *to = (__global weft_word *)(buffer + a.to_offset);
  __global const weft_word *source = (__global const weft_word *)(from + a.from_offset);
  const ulong begin = (ulong)get_global_id(0) * a.chunks, end = min(begin + a.chunks, (ulong)a.number);
  if (begin >= end) return;
  const ulong rest = begin / (ulong)a.inner;
  long word = (long)(begin - rest * (ulong)a.inner), outer = (long)(rest / (ulong)a.total),
       along = (long)(rest - (ulong)outer * (ulong)a.total);
  long k = weft_source(ends, 0, a.count - 1, along);
  for (ulong i = begin; i < end;) {
    __global const weft_word *run = source + (outer * a.count + k) * a.inner;
    if (a.inner == 1) {
      /* all copies of this element */
      const long count = min(ends[k] - along, (long)(end - i));
      const weft_word one = *run;
      for (long j = 0; j < count; j++) to[i + (ulong)j] = one;
      i += (ulong)count;
      along += count;
    } else {
      const long count = min(a.inner - word, (long)(end - i));
      for (long j = 0; j < count; j++) to[i + (ulong)j] = run[word + j];
      i += (ulong)count;
      word = 0;
      along++;
    }
    if (along == a.total) {
      along = 0;
      k = 0;
      outer++;
    }
    while (k < a.count - 1 && along >= ends[k]) k++;
  }
}
