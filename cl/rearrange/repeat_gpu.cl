// SPDX-License-Identifier: MIT
// Elements along an axis, each repeated its own number of times (weft__repeat_args), for GPUs. A thread stores 16
// aligned bytes of the result. All elements of a block lie between the elements of its first and its last word, so
// threads search only there. Needs WEFT_SIZE, WEFT_WIDE and WEFT_BLOCK, as in arrange_gpu.cl.
// lint: -DWEFT_SIZE=4 -DWEFT_WIDE=0 -DWEFT_BLOCK=256
// lint: -DWEFT_SIZE=8 -DWEFT_WIDE=1 -DWEFT_BLOCK=256
#include "rearrange/chunk.clh"
#include "rearrange/repeat.clh"

// Word i of the result: indices in front of the axis and along it, and the number of the word within the element.
typedef struct {
  weft_number outer, along, word;
} weft_place;

static inline weft_place weft_locate(const weft__repeat_args *a, weft_number i) {
  weft_place p;
  const weft_number inner = (weft_number)a->inner, total = (weft_number)a->total, rest = i / inner;
  p.word = i - rest * inner;
  p.outer = rest / total;
  p.along = rest - p.outer * total;
  return p;
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1))) void weft_repeat_counts(
    const weft__repeat_args a, __global uchar *restrict to, __global const uchar *restrict from,
    __global const uchar *restrict places) {
  __local long bound[2];
  __global const long *ends = (__global const long *)(places + a.ends_offset);
  const uint thread = (uint)get_local_id(0);
  const ulong block_first = (ulong)get_group_id(0) * WEFT_BLOCK;
  const long block_begin = max((long)(block_first * WEFT_E) - a.skew, 0L);
  const long block_end = min((long)((block_first + WEFT_BLOCK) * WEFT_E) - a.skew, (long)a.number);
  if (thread < 2) {
    const weft_place p = weft_locate(&a, (weft_number)(thread ? block_end - 1 : block_begin));
    bound[thread] = weft_source(ends, 0, a.count - 1, (long)p.along);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong chunk = block_first + thread;
  if (chunk >= a.chunks) return;
  const long first = (long)(chunk * WEFT_E) - a.skew;
  const long begin = max(first, 0L), end = min(first + WEFT_E, (long)a.number);
  /* a block that passes the end of the axis has elements from anywhere along it */
  const bool is_apart =
      weft_locate(&a, (weft_number)block_begin).outer == weft_locate(&a, (weft_number)(block_end - 1)).outer;
  const long low = is_apart ? bound[0] : 0, high = is_apart ? bound[1] : a.count - 1;
  weft_place p = weft_locate(&a, (weft_number)begin);
  long k = weft_source(ends, low, high, (long)p.along);
  to += a.to_offset + begin * WEFT_SIZE;
  long place = a.from_offset + (((long)p.outer * a.count + k) * a.inner + (long)p.word) * WEFT_SIZE;
  const bool is_whole = end - begin == WEFT_E;
  if (is_whole && (long)p.word + WEFT_E <= a.inner && weft_can_load16(from, a.from_end, place)) {
    *(__global uint4 *)to = weft_load16(from + place);
    return;
  }
  weft_pair pair = {0, 0};
#pragma unroll 1
  for (long i = begin; i < end; i++, to += WEFT_SIZE) {
    const weft_word word = *(__global const weft_word *)(from + place);
    if (is_whole)
      weft_push(&pair, word);
    else
      *(__global weft_word *)to = word;
    place += WEFT_SIZE;
    if (++p.word < (weft_number)a.inner) continue;
    p.word = 0;
    if (++p.along == (weft_number)a.total) {
      p.along = 0;
      p.outer++;
      k = 0;
    }
    /* most often the same element again, or the next one */
    if ((long)p.along >= ends[k] && (long)p.along >= ends[++k])
      k = weft_source(ends, k + 1, a.count - 1, (long)p.along);
    place = a.from_offset + ((long)p.outer * a.count + k) * a.inner * WEFT_SIZE;
  }
  if (is_whole) *(__global uint4 *)(to - 16) = weft_whole(pair);
}
