// SPDX-License-Identifier: MIT
// Sobol points of few dimensions. Point i is the exclusive or of the direction numbers of the one bits of the Gray code
// of i. Needs:
//   T, T_NARROW, T_DIGITS  an element, as in element.clh
//   WEFT_LONG              1: f64
//   WEFT_ITEM              points that a work-item makes in order; 1 on GPUs
// lint: -DT=float -DWEFT_LONG=0 -DWEFT_ITEM=1
// lint: -DT=double -DWEFT_LONG=1 -DWEFT_ITEM=64 -DWEFT_FP64=1
// lint: -DT=ushort -DT_NARROW=f16 -DT_DIGITS=11 -DWEFT_LONG=0 -DWEFT_ITEM=1
#include "random/sobol.clh"

// The direction numbers of the one bits of `code`, added to bits[].
static inline void weft_add_directions(__private uint *bits, const __private weft__sobol_args *a, uint code) {
  for (uint k = 0; code; code >>= 1, k++)
    for (uint d = 0; d < WEFT__SOBOL_GROUP; d++) bits[d] ^= code & 1 ? a->direction[d][k] : 0;
}

__kernel void weft_sobol(const weft__sobol_args a, __global uchar *restrict out) {
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)a.n);
  __global T *to = (__global T *)(out + a.offset);
  uint bits[WEFT__SOBOL_GROUP];
#if WEFT_ITEM > 1
// Points whose numbers differ in the last bits alone differ by the directions of these bits' Gray code.
#define TOGETHER 64
  uint last[TOGETHER][WEFT__SOBOL_GROUP];
  if (i >= end) return;
  for (uint j = 0; j < TOGETHER; j++) {
    for (uint d = 0; d < WEFT__SOBOL_GROUP; d++) last[j][d] = 0;
    weft_add_directions(last[j], &a, j ^ j >> 1);
  }
  while (i < end) {
    const ulong number = a.first + i, before = number - number % TOGETHER;
    const uint first = (uint)(number % TOGETHER), behind = (uint)min((ulong)TOGETHER, first + (end - i));
    for (uint d = 0; d < WEFT__SOBOL_GROUP; d++) bits[d] = a.shift[d];
    weft_add_directions(bits, &a, (uint)(before ^ before >> 1));
    for (uint j = first; j < behind; j++, i++)
      for (uint d = 0; d < a.group; d++) to[i * a.columns + d] = weft_part(bits[d] ^ last[j][d]);
  }
#else
  for (; i < end; i++) {
    const ulong number = a.first + i;
    for (uint d = 0; d < WEFT__SOBOL_GROUP; d++) bits[d] = a.shift[d];
    weft_add_directions(bits, &a, (uint)(number ^ number >> 1));
    for (uint d = 0; d < a.group; d++) to[i * a.columns + d] = weft_part(bits[d]);
  }
#endif
}
