// SPDX-License-Identifier: MIT
// Writes start + i * step into a contiguous array: arange and linspace. One element may have an explicit value,
// computed on the host: as in NumPy, arange's second element and linspace's last one.
//
// WHOLE: 1 to compute in long, for integer dtypes; WIDE: 1 to compute in double; else in float. T, T_NARROW: see
// element.clh. IN_PARTS: 1 for start + i / parts * step, if step / parts underflows.
// lint: -DWHOLE=1 -DT=short
// lint: -DT=ushort -DT_NARROW=f16
// lint: -DWIDE=1 -DT=ushort -DT_NARROW=bf16 -DWEFT_FP64=1
// lint: -DWIDE=1 -DT=double -DWEFT_FP64=1 -DIN_PARTS=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "create/args.h"
#include "element.clh"

#if WHOLE
#define REAL long
#define REAL_OF(word) ((long)(word))
#elif WIDE
#define REAL double
#define REAL_OF(word) as_double(word)
#else
#define REAL float
#define REAL_OF(word) as_float((uint)(word))
#endif

#if IN_PARTS
#define NUMBER(i) ((REAL)(i) / REAL_OF(a.parts))
#else
#define NUMBER(i) ((REAL)(i))
#endif

__kernel void weft_range(__global uchar *buffer, const weft__range_args a) {
  ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  __global T *to = (__global T *)(buffer + a.offset);
  if (i >= a.size) return;
  REAL value = i == a.given ? REAL_OF(a.given_value) : REAL_OF(a.start) + NUMBER(i) * REAL_OF(a.step);
#if WIDE
  to[i] = T_STORE_WIDE(value);
#else
  to[i] = T_STORE(value);
#endif
}
