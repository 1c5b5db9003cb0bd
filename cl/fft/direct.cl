// SPDX-License-Identifier: MIT
// Direct convolution of two contiguous arrays of one axis, of which v is the shorter. A work-item computes `share`
// elements, and adds in the order of v.
//
// T: the elements' type; integers are unsigned, so that they wrap around. PAIRS: 1 for complex numbers, pairs of T.
// REPAIRS: elements of `to` that are finite stay, on a CPU in blocks.
// lint: -DT=uchar -DPAIRS=0 -DREPAIRS=0
// lint: -DT=float -DPAIRS=1 -DREPAIRS=1
// lint: -DT=double -DPAIRS=0 -DREPAIRS=1 -DWEFT_FP64=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "fft/args.h"

#if !REPAIRS
#define STAYS(i) 0
#elif PAIRS
#define STAYS(i) (isfinite(to[2 * (i)]) && isfinite(to[2 * (i) + 1]))
#else
#define STAYS(i) isfinite(to[i])
#endif

// Stores the element i.
static inline void weft_convolve_one(const weft__convolve_args c, __global const T *a, __global const T *v,
                                     __global T *to, ulong i) {
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

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define LANES JOIN(T, 16)
#define BLOCK 64 // elements that a CPU's work-item computes in the lanes of vectors, if v lies within a for all of them

__kernel void weft_convolve(const weft__convolve_args c, __global const uchar *a_buffer, __global const uchar *v_buffer,
                            __global uchar *to_buffer) {
  __global const T *a = (__global const T *)(a_buffer + c.a_offset);
  __global const T *v = (__global const T *)(v_buffer + c.v_offset);
  __global T *to = (__global T *)(to_buffer + c.to_offset);
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * c.share;
  const ulong end = min(i + c.share, (ulong)c.to_length);
#if defined(WEFT_CPU) && !PAIRS
  while (i + BLOCK <= end) {
    const ulong at = i + c.start;
#if REPAIRS
    int stays = 1;
    for (uint e = 0; e < BLOCK; e++) stays &= STAYS(i + e);
    if (stays) {
      i += BLOCK;
      continue;
    }
#endif
    if (at + 1 < c.v_length || at + BLOCK > c.a_length) {
      for (uint e = 0; e < BLOCK; e++) weft_convolve_one(c, a, v, to, i + e);
    } else {
      LANES sum[BLOCK / 16];
#pragma unroll
      for (uint k = 0; k < BLOCK / 16; k++) sum[k] = 0;
      for (ulong j = 0; j < c.v_length; j++) {
#pragma unroll
        for (uint k = 0; k < BLOCK / 16; k++) sum[k] += vload16(k, a + (at - j)) * (LANES)v[j];
      }
#pragma unroll
      for (uint k = 0; k < BLOCK / 16; k++) vstore16(sum[k], k, to + i);
    }
    i += BLOCK;
  }
#endif
  for (; i < end; i++)
    if (!STAYS(i)) weft_convolve_one(c, a, v, to, i);
}
