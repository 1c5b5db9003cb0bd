// SPDX-License-Identifier: MIT
// The kernels that every context builds when it is created. They move bytes and know no dtype, so few are enough.
// lint: -DWEFT_CPU=1
// lint:
#include "weft/prelude.clh"
#include "shared.h"
#include "strided.clh"

// Fills a run of bytes. Blocks of 16 bytes wholly inside the run are stored whole; the two at its ends byte by byte.
#if WEFT_CPU
// A work-item stores FILL_BLOCKS blocks, four at once.
#define FILL_BLOCKS 4096

static inline void weft_fill_bytes(__global uchar *to, ulong begin, ulong end, const weft__fill_run run) {
  for (ulong at = begin; at < end; at++) to[at] = (uchar)(run.pattern[at / 8 % 2] >> (at % 8 * 8));
}

__kernel void weft_fill(__global uchar *to, weft__fill_run run) {
  const ulong first = run.begin / 16 * 16 + (ulong)get_global_id(0) * (FILL_BLOCKS * 16);
  const ulong begin = max(first, (ulong)run.begin), end = min(first + FILL_BLOCKS * 16, (ulong)run.end);
  const ulong2 block = (ulong2)(run.pattern[0], run.pattern[1]);
  const ulong8 pattern = (ulong8)(block, block, block, block);
#ifdef __x86_64__ // whose memset does not read what it overwrites
  if (run.pattern[0] == 0 && run.pattern[1] == 0) {
    if (begin < end) __builtin_memset(to + begin, 0, end - begin);
    return;
  }
#endif
  ulong at = min((begin + 15) / 16 * 16, end);
  weft_fill_bytes(to, begin, at, run);
  for (; at + 64 <= end; at += 64) vstore8(pattern, 0, (__global ulong *)(to + at));
  weft_fill_bytes(to, at, end, run);
}
#else
// The number of 16-byte blocks that one thread stores, a block's width apart so that a warp stores whole lines.
#define FILL_UNROLL 4

__kernel void weft_fill(__global uchar *to, weft__fill_run run) {
  ulong first = run.begin / 16 + (ulong)blockIdx.x * (blockDim.x * FILL_UNROLL) + threadIdx.x;
#pragma unroll 1
  for (uint u = 0; u < FILL_UNROLL; u++) {
    ulong begin = (first + u * blockDim.x) * 16;
    if (begin >= run.begin && begin + 16 <= run.end) {
      *(__global ulong2 *)(to + begin) = (ulong2)(run.pattern[0], run.pattern[1]);
    } else if (begin < run.end && begin + 16 > run.begin) {
#pragma unroll 1
      for (uint b = 0; b < 16; b++)
        if (begin + b >= run.begin && begin + b < run.end) to[begin + b] = (uchar)(run.pattern[b / 8] >> (b % 8 * 8));
    }
  }
}
#endif

// Copies elements of 1 to 16 bytes with any strides on both sides, or stores one value in all of them. A c128 array may
// start at any multiple of 8 bytes.
__kernel void weft_copy_strided(__global uchar *to, __global const uchar *from, weft__strided layout) {
  ulong i = (ulong)blockIdx.x * blockDim.x + threadIdx.x;
  long to_place, from_place;
  if (i >= (ulong)layout.size) return;
  weft_places_of(i, &layout, &to_place, &from_place);
  to += to_place;
  from += from_place;
  const bool fills = layout.fills;
  switch (layout.element_bytes) {
    case 1: *to = fills ? (uchar)layout.value[0] : *from; break;
    case 2: *(__global ushort *)to = fills ? (ushort)layout.value[0] : *(__global const ushort *)from; break;
    case 4: *(__global uint *)to = fills ? (uint)layout.value[0] : *(__global const uint *)from; break;
    case 16: /* the first half is stored below */
      ((__global ulong *)to)[1] = fills ? layout.value[1] : ((__global const ulong *)from)[1];
    default: *(__global ulong *)to = fills ? layout.value[0] : *(__global const ulong *)from;
  }
}

// The layout of weft_thread_record: 24 uints, then 4 ulongs.
void weft_store3(__global uint *to, uint x, uint y, uint z) {
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

__kernel void weft_introspect(__global ulong *records, weft__record_window window) {
  ulong block = weft_block_id(), thread = weft_thread_id();
  if (block < window.first_block || block - window.first_block >= window.block_count) return;
  if (thread < window.first_thread || thread - window.first_thread >= window.thread_count) return;
  __global ulong *record =
      records + ((block - window.first_block) * window.thread_count + (thread - window.first_thread)) * 16;
  __global uint *ids = (__global uint *)record;
  weft_store3(ids, threadIdx.x, threadIdx.y, threadIdx.z);
  weft_store3(ids + 3, blockIdx.x, blockIdx.y, blockIdx.z);
  weft_store3(ids + 6, blockDim.x, blockDim.y, blockDim.z);
  weft_store3(ids + 9, gridDim.x, gridDim.y, gridDim.z);
  weft_store3(ids + 12, (uint)get_local_id(0), (uint)get_local_id(1), (uint)get_local_id(2));
  weft_store3(ids + 15, (uint)get_group_id(0), (uint)get_group_id(1), (uint)get_group_id(2));
  weft_store3(ids + 18, (uint)get_local_size(0), (uint)get_local_size(1), (uint)get_local_size(2));
  weft_store3(ids + 21, (uint)get_num_groups(0), (uint)get_num_groups(1), (uint)get_num_groups(2));
  record[12] = get_global_id(0);
  record[13] = get_global_id(1);
  record[14] = get_global_id(2);
  record[15] = weft_global_id();
}
