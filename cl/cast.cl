// SPDX-License-Identifier: MIT
// Converts elements from one dtype to another, any strides on both sides. One program for each pair.
//
// FROM_TYPE, TO_TYPE: the OpenCL type of a component ("float" for f32 and c64, "half" for f16, "uchar" for bool).
// FROM_COMPLEX, TO_COMPLEX, FROM_HALF, TO_HALF, TO_BOOL: 1 where it is so. HALF_VIA: the widest float the device has, through which
// halves are rounded once.
// lint: -DFROM_TYPE=int -DTO_TYPE=float
// lint: -DFROM_TYPE=half -DFROM_HALF=1 -DTO_TYPE=uchar -DTO_BOOL=1
// lint: -DFROM_TYPE=double -DFROM_COMPLEX=1 -DTO_TYPE=half -DTO_HALF=1 -DHALF_VIA=double -DWEFT_FP64=1
// lint: -DFROM_TYPE=ulong -DTO_TYPE=float -DTO_COMPLEX=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#include "shared.h"
#include "strided.clh"

#ifndef HALF_VIA
#define HALF_VIA float
#endif

__kernel void weft_cast(__global uchar *to, __global const uchar *from, weft__strided layout) {
  ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= (ulong)layout.size) return;
  long to_place, from_place;
  weft_places_of(i, &layout, &to_place, &from_place);

  __global const FROM_TYPE *source = (__global const FROM_TYPE *)(from + from_place);
  __global TO_TYPE *target = (__global TO_TYPE *)(to + to_place);
#if FROM_HALF
  float re = vload_half(0, source);
#else
  FROM_TYPE re = source[0];
#endif

#if TO_BOOL && FROM_COMPLEX
  target[0] = (re != 0 || source[1] != 0);
#elif TO_BOOL
  target[0] = (re != 0);
#elif TO_HALF
  vstore_half_rte((HALF_VIA)re, 0, target);
#else
  target[0] = (TO_TYPE)re;
#endif

#if TO_COMPLEX && FROM_COMPLEX
  target[1] = (TO_TYPE)source[1];
#elif TO_COMPLEX
  target[1] = 0;
#endif
}
