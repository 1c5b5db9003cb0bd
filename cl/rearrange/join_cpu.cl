// SPDX-License-Identifier: MIT
// Arrays joined side by side, many per launch (weft__join_args), for CPUs. A work-item copies `chunks` words, run by
// run. Needs WEFT_SIZE and WEFT_SOURCES(X), as in join_gpu.cl.
// lint: -DWEFT_SIZE=4 -DWEFT_SOURCES(X)=X(0)X(1)
#define WEFT_WIDE 1
#include "rearrange/chunk.clh"

#define WEFT_SHORT 16 // up to this many words per piece on average, a row of a piece has no loop of its own
#define PARAMETER(k) , __global const uchar *restrict x##k
#define CHOOSE(n) \
  if (k == n) from = x##n;

__kernel void weft_join(const weft__join_args a, __global uchar *restrict to WEFT_SOURCES(PARAMETER)) {
  const ulong begin = (ulong)get_global_id(0) * a.chunks, end = min(begin + a.chunks, (ulong)a.number);
  long row = (long)(begin / (ulong)a.width), p = (long)(begin - (ulong)row * (ulong)a.width);
  int k = 0;
  for (ulong i = begin; i < end;) {
    const long rows = p == 0 && a.width <= a.pieces * WEFT_SHORT ? (long)((end - i) / (ulong)a.width) : 0;
    if (rows > 0) {
      /* short rows: one piece at a time, for as many rows as possible */
      for (k = 0; k < a.pieces; k++) {
        const long width = a.first[k + 1] - a.first[k];
        __global const uchar *from = x0;
        WEFT_SOURCES(CHOOSE)
        __global const weft_word *restrict run = (__global const weft_word *)(from + a.from_offset[k]) + row * width;
        __global weft_word *restrict put = (__global weft_word *)(to + a.to_offset) + (row * a.pitch + a.first[k]);
        if (width == 1)
          for (long r = 0; r < rows; r++) put[r * a.pitch] = run[r];
        else
          for (long r = 0; r < rows; r++)
            for (long j = 0; j < width; j++) put[r * a.pitch + j] = run[r * width + j];
      }
      k = 0;
      row += rows;
      i += (ulong)(rows * a.width);
      continue;
    }
    while (p >= a.first[k + 1]) k++;
    const long width = a.first[k + 1] - a.first[k], count = min(a.first[k + 1] - p, (long)(end - i));
    __global const uchar *from = x0;
    WEFT_SOURCES(CHOOSE)
    __global const weft_word *run =
        (__global const weft_word *)(from + a.from_offset[k]) + (row * width + (p - a.first[k]));
    __global weft_word *put = (__global weft_word *)(to + a.to_offset) + (row * a.pitch + p);
    for (long j = 0; j < count; j++) put[j] = run[j];
    i += (ulong)count;
    p += count;
    if (p == a.width) {
      p = 0;
      k = 0;
      row++;
    }
  }
}
