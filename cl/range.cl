// SPDX-License-Identifier: MIT
// start + i * step into a contiguous array: arange and linspace. One element may be given outright: NumPy keeps arange's second value and
// linspace's last one as they were computed on the host.
//
// REAL: the type to compute in (long for integer dtypes, else float or double). TO_TYPE: the type of an element. TO_HALF: 1 for f16.
// IN_PARTS: 1 for start + i / parts * step, if step / parts underflows in REAL.
// lint: -DREAL=long -DTO_TYPE=short
// lint: -DREAL=float -DTO_TYPE=half -DTO_HALF=1
// lint: -DREAL=double -DTO_TYPE=double -DWEFT_FP64=1 -DIN_PARTS=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#if IN_PARTS
#define PARTS_PARAMETER , REAL parts
#define NUMBER(i) ((REAL)(i) / parts)
#else
#define PARTS_PARAMETER
#define NUMBER(i) ((REAL)(i))
#endif

__kernel void weft_range(__global TO_TYPE *to, ulong offset, ulong size, REAL start, REAL step, ulong given,
                         REAL given_value PARTS_PARAMETER) {
  ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= size) return;
  REAL value = i == given ? given_value : start + NUMBER(i) * step;
#if TO_HALF
  vstore_half_rte(value, offset + i, to);
#else
  to[offset + i] = (TO_TYPE)value;
#endif
}
