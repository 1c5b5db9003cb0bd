// SPDX-License-Identifier: MIT
// Draws a fixed number of words per element, for GPUs. Needs the macros of random/draw.clh, and:
//   WEFT_BLOCK     threads per block
//   WEFT_U         chunks per thread, a block's width apart
//   WEFT_COUNTERS  counters per chunk: their elements are a multiple of 16 bytes
//   WEFT_SHIFTED   1: chunks do not begin with a counter's first element, and each needs one more counter, which on
//                  NVIDIA the next thread of the warp has made
// The first `head` elements bring the result to a multiple of 16 bytes. The first `blocks` blocks make whole chunks,
// each with one or more 16-byte stores. Further blocks make the other elements, one per thread.
// lint: -DWEFT_DRAW=1 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_COUNTERS=1 -DWEFT_SHIFTED=0 -DWEFT_BLOCK=256 -DWEFT_U=2
// lint: -DWEFT_DRAW=2 -DWEFT_WIDE=1 -DWEFT_LONG=0 -DT=ushort -DT_NARROW=f16 -DT_DIGITS=11 -DWEFT_BYTES=2 -DWEFT_COUNTERS=1 -DWEFT_SHIFTED=1 -DWEFT_BLOCK=256 -DWEFT_U=2
// lint: -DWEFT_DRAW=2 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=double -DWEFT_BYTES=8 -DWEFT_COUNTERS=1 -DWEFT_SHIFTED=1 -DWEFT_BLOCK=256 -DWEFT_U=2 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=5 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=char -DWEFT_BYTES=1 -DWEFT_COUNTERS=4 -DWEFT_SHIFTED=0 -DWEFT_BLOCK=256 -DWEFT_U=2
// lint: -DWEFT_DRAW=6 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=long -DWEFT_BYTES=8 -DWEFT_COUNTERS=1 -DWEFT_SHIFTED=0 -DWEFT_BLOCK=256 -DWEFT_U=2
// lint: -DWEFT_DRAW=14 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=ushort -DT_NARROW=f16 -DWEFT_BYTES=2 -DWEFT_COUNTERS=2 -DWEFT_SHIFTED=0 -DWEFT_BLOCK=256 -DWEFT_U=2
#include "chunk.clh"
#include "warp.clh"
#include "random/draw.clh"

#define CHUNK (WEFT_COUNTERS * WEFT_EACH)
#define RAWS (CHUNK * WEFT_BYTES / 16)

typedef union __attribute__((aligned(16))) {
  T e[CHUNK];
  uint word[RAWS * 4];
} weft_pack;

#if WEFT_SHIFTED && defined(WEFT_PTX)
#define WARP_T T
#define WARP_WORDS ((WEFT_BYTES + 3) / 4)
#include "warp_value.clh"

// The elements of the counter that follows the warp's chunks: lane u has those behind its threads' chunks number u.
WEFT__INLINE void weft_behind(__private T *e, const __private weft__draw_args *draw, ulong first) {
  const ulong last = (first | 31) + weft_lane_id() % WEFT_U * WEFT_BLOCK;
  weft_elements(e, draw, draw->first + (last + 1) * WEFT_COUNTERS);
}
#define BEHIND_PARAMETERS , const __private T *behind, uint u
#define BEHIND_ARGUMENTS , behind, u
#else
#define BEHIND_PARAMETERS
#define BEHIND_ARGUMENTS
#endif

WEFT__INLINE void weft_chunk(__private T *e, const __private weft__draw_args *draw, ulong counter BEHIND_PARAMETERS) {
#if WEFT_SHIFTED
  // the elements of one more counter, moved down by `shift` places, one bit of `shift` at a time
  T more[CHUNK + WEFT_EACH];
#ifdef WEFT_PTX
#pragma unroll
  for (uint k = 0; k < WEFT_COUNTERS; k++) weft_elements(more + k * WEFT_EACH, draw, counter + k);
#pragma unroll
  for (uint j = 0; j < WEFT_EACH; j++) {
    const T next = weft_lane_value(more[j], (weft_lane_id() + 1) % 32), last = weft_lane_value(behind[j], u);
    more[CHUNK + j] = weft_lane_id() == 31 ? last : next;
  }
#else
#pragma unroll
  for (uint k = 0; k <= WEFT_COUNTERS; k++) weft_elements(more + k * WEFT_EACH, draw, counter + k);
#endif
#pragma unroll
  for (uint step = WEFT_EACH / 2; step > 0; step /= 2) {
    const bool moves = (draw->shift & step) != 0;
#pragma unroll
    for (uint j = 0; j + step < CHUNK + WEFT_EACH; j++) more[j] = moves ? more[j + step] : more[j];
  }
#pragma unroll
  for (uint j = 0; j < CHUNK; j++) e[j] = more[j];
#else
#pragma unroll
  for (uint k = 0; k < WEFT_COUNTERS; k++) weft_elements(e + k * WEFT_EACH, draw, counter + k);
#endif
}

// Stores a thread's chunk, number `chunk`. Of two stores of 16 bytes, neighbouring threads exchange one, so that each
// store of a warp fills whole sectors of 32 bytes of the cache.
WEFT__INLINE void weft_store_chunk(__global uint4 *to, ulong chunk, const __private weft_pack *pack) {
#if RAWS == 2 && defined(WEFT_PTX)
  const bool is_odd = (get_local_id(0) & 1) != 0;
  uint kept[4], other[4];
#pragma unroll
  for (uint j = 0; j < 4; j++) {
    kept[j] = is_odd ? pack->word[4 + j] : pack->word[j];
    other[j] = weft_xor_u32(is_odd ? pack->word[j] : pack->word[4 + j], 1);
  }
  __global uint4 *pair = to + (chunk & ~1ul) * 2 + is_odd;
  pair[0] = (uint4)(is_odd ? other[0] : kept[0], is_odd ? other[1] : kept[1], is_odd ? other[2] : kept[2],
                    is_odd ? other[3] : kept[3]);
  pair[2] = (uint4)(is_odd ? kept[0] : other[0], is_odd ? kept[1] : other[1], is_odd ? kept[2] : other[2],
                    is_odd ? kept[3] : other[3]);
#else
#pragma unroll
  for (uint k = 0; k < RAWS; k++) to[chunk * RAWS + k] = WEFT_WHOLE(uint4, pack->word + 4 * k);
#endif
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_draw(const weft__draw_args draw, __global uchar *restrict out) {
  const ulong block = get_group_id(0);
  out += draw.offset;
  if (block < draw.blocks) {
    const ulong first = block * (WEFT_BLOCK * WEFT_U) + get_local_id(0);
    __global uint4 *to = (__global uint4 *)(out + draw.head * WEFT_BYTES);
#if WEFT_SHIFTED && defined(WEFT_PTX)
    T behind[WEFT_EACH];
    weft_behind(behind, &draw, first);
#endif
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) {
      weft_pack pack;
      const ulong chunk = first + u * WEFT_BLOCK;
      weft_chunk(pack.e, &draw, draw.first + chunk * WEFT_COUNTERS BEHIND_ARGUMENTS);
      weft_store_chunk(to, chunk, &pack);
    }
  } else {
    ulong i = (block - draw.blocks) * WEFT_BLOCK + get_local_id(0);
    if (i >= draw.head) i += draw.blocks * (WEFT_BLOCK * WEFT_U * CHUNK);
    if (i < draw.n) ((__global T *)out)[i] = weft_element(&draw, i);
  }
}
