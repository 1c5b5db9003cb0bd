// SPDX-License-Identifier: MIT
// Draws a fixed number of words per element, for CPUs. Needs the macros of random/draw.clh, and:
//   WEFT_ITEM  counters per work-item, a multiple of STEP
// Elements are made of staged words (random/stage.clh) by a plain loop that the compiler vectorizes.
// lint: -DWEFT_DRAW=1 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=2 -DWEFT_WIDE=1 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=2 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=double -DWEFT_BYTES=8 -DWEFT_ITEM=4096 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=5 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=ulong -DWEFT_BYTES=8 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=7 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_BYTES=4 -DWEFT_ITEM=4096
// lint: -DWEFT_DRAW=13 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=double -DWEFT_BYTES=8 -DWEFT_ITEM=4096 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=15 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=long -DWEFT_BYTES=8 -DWEFT_ITEM=4096 -DWEFT_FP64=1
#include "random/draw.clh"
#include "random/stage.clh"

#define STEP_ELEMENTS (STEP * WEFT_EACH)

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
