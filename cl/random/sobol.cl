// SPDX-License-Identifier: MIT
// Sobol points. Point i is the exclusive or of the direction numbers of the one bits of i's Gray code. Needs:
//   T, T_NARROW, T_DIGITS  an element, as in element.clh
//   WEFT_LONG              1: f64
//   WEFT_ITEM              points that a work-item makes in order; 1 on GPUs
// lint: -DT=float -DWEFT_LONG=0 -DWEFT_ITEM=1
// lint: -DT=double -DWEFT_LONG=1 -DWEFT_ITEM=64 -DWEFT_FP64=1
// lint: -DT=ushort -DT_NARROW=f16 -DT_DIGITS=11 -DWEFT_LONG=0 -DWEFT_ITEM=1
#include "element.clh"
#include "random/args.h"

// bits / 2^32, rounded down
static inline T weft_part(uint bits) {
#if WEFT_LONG
  return (double)bits * 0x1p-32;
#elif defined(T_NARROW)
  return T_STORE((float)(bits >> (32 - T_DIGITS)) * (1.0f / (1 << T_DIGITS)));
#else
  return (float)(bits >> 8) * 0x1p-24f;
#endif
}

__kernel void weft_sobol(const weft__sobol_args a, __global uchar *restrict out) {
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)a.n);
  __global T *to = (__global T *)(out + a.offset);
  for (; i < end; i++) {
    const ulong number = a.first + i;
    uint bits[WEFT__SOBOL_GROUP];
    for (uint d = 0; d < WEFT__SOBOL_GROUP; d++) bits[d] = a.shift[d];
    for (uint code = (uint)(number ^ number >> 1), k = 0; code; code >>= 1, k++)
      for (uint d = 0; d < WEFT__SOBOL_GROUP; d++) bits[d] ^= code & 1 ? a.direction[d][k] : 0;
    for (uint d = 0; d < a.group; d++) to[i * a.columns + d] = weft_part(bits[d]);
  }
}
