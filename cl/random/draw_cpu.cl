// SPDX-License-Identifier: MIT
// Draws a fixed number of words per element, for CPUs. Needs the macros of random/draw.clh, and:
//   WEFT_ITEM  counters per work-item, a multiple of STEP
// Words are made for 16 counters at a time, each in a 64-bit lane, since CPUs have a vector product for these. Elements
// are made of the words by a plain loop that the compiler vectorizes.
// lint: -DWEFT_DRAW=1 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=2 -DWEFT_WIDE=1 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=2 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=double -DWEFT_BYTES=8 -DWEFT_ITEM=4096 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=5 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=ulong -DWEFT_BYTES=8 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=7 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=13 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=double -DWEFT_BYTES=8 -DWEFT_ITEM=4096 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=15 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=long -DWEFT_BYTES=8 -DWEFT_ITEM=4096 -DWEFT_FP64=1
#include "random/draw.clh"

// Counters per step: their words and elements fit the first-level cache.
#define STEP 64
#define STEP_WORDS (STEP * WEFT_WORDS)
#define STEP_ELEMENTS (STEP * WEFT_EACH)

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define VECTORS _Pragma("clang loop vectorize_width(16)")
#else
#define VECTORS
#endif

typedef union {
  uint word[STEP_WORDS];
  ulong whole[STEP_WORDS / 2];
  ulong16 lanes[STEP_WORDS / 32];
} weft_stage;

#if WEFT_WIDE
WEFT__INLINE void weft_fill_stage(__private weft_stage *stage, const __private weft__stream_at *at, ulong counter) {
  for (uint k = 0; k < STEP; k++) weft_words(stage->word + k * WEFT_WORDS, at, counter + k);
}
#else
#define LOW(x) ((x)&0xfffffffful)
WEFT__INLINE void weft_fill_stage(__private weft_stage *stage, const __private weft__stream_at *at, ulong counter) {
  const ulong16 ramp = (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (uint k = 0; k < STEP / 16; k++) {
    // the upper half of each lane is not used
    const ulong16 number = ramp + (counter + k * 16);
    ulong16 x = number, y = number >> 32, z = at->space, w = 0;
#pragma unroll
    for (uint r = 0; r < 10; r++) {
      const ulong16 p = LOW(x) * (ulong)WEFT_PHILOX32_M0, q = LOW(z) * (ulong)WEFT_PHILOX32_M1;
      x = (q >> 32) ^ y ^ (ulong)at->key[2 * r];
      y = q;
      z = (p >> 32) ^ w ^ (ulong)at->key[2 * r + 1];
      w = p;
    }
    const ulong16 a = LOW(x) | y << 32, b = LOW(z) | w << 32;
    stage->lanes[2 * k] = (ulong16)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6,
                                    a.s7, b.s7);
    stage->lanes[2 * k + 1] = (ulong16)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se,
                                        b.se, a.sf, b.sf);
  }
}
#endif

#if WEFT_LONG
#define RAW(j) stage->whole[j]
#else
#define RAW(j) stage->word[j]
#endif

// Makes the elements of the staged words.
WEFT__INLINE void weft_make(__private T *e, const __private weft_stage *stage, const __private weft__draw_args *draw,
                             ulong counter) {
#if WEFT_PAIRS
  VECTORS
  for (uint j = 0; j < STEP_ELEMENTS / 2; j++) weft_pair_of(draw, RAW(2 * j), RAW(2 * j + 1), e + 2 * j, e + 2 * j + 1);
#else
  int rare = 0;
  VECTORS
  for (uint j = 0; j < STEP_ELEMENTS; j++) e[j] = weft_of(draw, RAW(j), 0, &rare);
  if (rare)
    for (uint j = 0; j < STEP_ELEMENTS; j++) e[j] = weft_of_slow(draw, RAW(j), counter * WEFT_WORDS + j * WEFT_TAKES);
#endif
}

__kernel void weft_draw(const weft__draw_args draw, __global uchar *restrict out) {
  const ulong item = get_group_id(0);
  const ulong begin = draw.first + item * WEFT_ITEM, last = (draw.base + (draw.n - 1) * WEFT_TAKES) / WEFT_WORDS;
  __global T *restrict to = (__global T *)(out + draw.offset);
  for (ulong counter = begin; counter < begin + WEFT_ITEM && counter <= last; counter += STEP) {
    weft_stage stage __attribute__((aligned(128)));
    T e[STEP_ELEMENTS] __attribute__((aligned(128)));
    weft_fill_stage(&stage, &draw.stream, counter);
    weft_make(e, &stage, &draw, counter);
    // the number of e[0] among the elements; negative if the draw begins inside the step
    const long i = ((long)(counter * WEFT_WORDS) - (long)draw.base) / WEFT_TAKES;
    if (i >= 0 && (ulong)i + STEP_ELEMENTS <= draw.n) {
      for (uint j = 0; j < STEP_ELEMENTS; j++) to[i + j] = e[j];
    } else {
      for (uint j = 0; j < STEP_ELEMENTS; j++)
        if (i + (long)j >= 0 && (ulong)(i + (long)j) < draw.n) to[i + j] = e[j];
    }
  }
#if !WEFT_PAIRS && !WEFT_LONG
  if (item == 0 && draw.has_kept) to[0] = weft_of_slow(&draw, draw.kept, draw.base);
#endif
}
