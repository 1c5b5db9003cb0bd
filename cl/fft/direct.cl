// SPDX-License-Identifier: MIT
// Direct convolution of two contiguous arrays of one axis, of which v is the shorter. A work-item computes one element,
// and adds in the order of v.
//
// T: the elements' type; integers are unsigned, so that they wrap around. PAIRS: 1 for complex numbers, pairs of T.
// lint: -DT=uchar -DPAIRS=0
// lint: -DT=float -DPAIRS=1
// lint: -DT=double -DPAIRS=0 -DWEFT_FP64=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "fft/args.h"

__kernel void weft_convolve(const weft__convolve_args c, __global const uchar *a_buffer, __global const uchar *v_buffer,
                            __global uchar *to_buffer) {
  const ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  __global const T *a = (__global const T *)(a_buffer + c.a_offset);
  __global const T *v = (__global const T *)(v_buffer + c.v_offset);
  __global T *to = (__global T *)(to_buffer + c.to_offset);
  if (i >= c.to_length) return;
  const ulong at = i + c.start; // of v[0] in a
  const ulong first = at >= c.a_length ? at - c.a_length + 1 : 0;
  const ulong end = at < c.v_length ? at + 1 : c.v_length;
#if PAIRS
  T real = 0, imaginary = 0;
  for (ulong j = first; j < end; j++) {
    const T ar = a[2 * (at - j)], ai = a[2 * (at - j) + 1], vr = v[2 * j], vi = v[2 * j + 1];
    real += ar * vr - ai * vi;
    imaginary += ar * vi + ai * vr;
  }
  to[2 * i] = real;
  to[2 * i + 1] = imaginary;
#else
  T sum = 0;
  for (ulong j = first; j < end; j++) sum += a[at - j] * v[j];
  to[i] = sum;
#endif
}
