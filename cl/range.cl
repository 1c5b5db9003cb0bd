// SPDX-License-Identifier: MIT
// start + i * step into a contiguous array: arange and linspace. One element may be given outright: NumPy keeps arange's second value and
// linspace's last one as they were computed on the host.
//
// REAL: the type to compute in (long for integer dtypes, else float or double). WIDE: 1 for double. T, T_NARROW: an element, as
// element.clh says. IN_PARTS: 1 for start + i / parts * step, if step / parts underflows in REAL.
// lint: -DREAL=long -DT=short
// lint: -DREAL=float -DT=ushort -DT_NARROW=f16
// lint: -DREAL=double -DWIDE=1 -DT=ushort -DT_NARROW=bf16 -DWEFT_FP64=1
// lint: -DREAL=double -DWIDE=1 -DT=double -DWEFT_FP64=1 -DIN_PARTS=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "element.clh"

#if IN_PARTS
#define PARTS_PARAMETER , REAL parts
#define NUMBER(i) ((REAL)(i) / parts)
#else
#define PARTS_PARAMETER
#define NUMBER(i) ((REAL)(i))
#endif

__kernel void weft_range(__global T *to, ulong offset, ulong size, REAL start, REAL step, ulong given,
                         REAL given_value PARTS_PARAMETER) {
  ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= size) return;
  REAL value = i == given ? given_value : start + NUMBER(i) * step;
#if WIDE
  to[offset + i] = T_STORE_WIDE(value);
#else
  to[offset + i] = T_STORE(value);
#endif
}
