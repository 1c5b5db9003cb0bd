// SPDX-License-Identifier: MIT
// Bluestein's algorithm: a transform of any length n as a convolution of a longer, good length with the chirp
// exp(-pi i j^2 / n); and a Hermitian sequence written out. A work-item computes one value of the result.
// lint: -DINVERSE=0
// lint: -DINVERSE=1 -DWIDE=1 -DWEFT_FP64=1
#include "fft/complex.clh"

inline PAIR weft_chirp(ulong j, ulong length) {
  // j^2 modulo 2 n: j < n < 2^31
  return weft_unit(j * j % (2 * length), 2 * length);
}

#define BEGIN                                                                                    \
  const ulong thread = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);             \
  __global const REAL *from = (__global const REAL *)(from_buffer + a.from_offset);              \
  __global REAL *to = (__global REAL *)(to_buffer + a.to_offset);                                \
  if (thread >= a.threads) return;                                                               \
  const ulong j = thread / a.inner % a.to_length;                                                \
  const ulong source = (thread / a.inner / a.to_length * a.from_length) * a.inner + thread % a.inner;

// The values times the chirp, followed by zeros.
__kernel void weft_fft_chirp_in(const weft__fft_step_args a, __global const uchar *from_buffer,
                                __global uchar *to_buffer) {
  BEGIN
  PAIR value = (PAIR)(0, 0);
  if (j < a.length) value = weft_times(LOAD(from, source + j * a.inner), weft_chirp(j, a.length));
  STORE(to, thread, value);
}

// The conjugate chirp, around position 0 of the good length.
__kernel void weft_fft_chirp(const weft__fft_step_args a, __global uchar *to_buffer) {
  const ulong j = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  __global REAL *to = (__global REAL *)(to_buffer + a.to_offset);
  if (j >= a.threads) return;
  const ulong distance = j < a.length ? j : a.to_length - j;
  PAIR value = (PAIR)(0, 0);
  if (distance < a.length) value = weft_chirp(distance, a.length);
  value.y = -value.y;
  STORE(to, j, value);
}

// Multiplies by the transformed chirp, from_length values.
__kernel void weft_fft_multiply(const weft__fft_step_args a, __global const uchar *from_buffer,
                                __global uchar *to_buffer) {
  BEGIN
  STORE(to, thread, weft_times(LOAD(to, thread), LOAD(from, j)));
  (void)source;
}

__kernel void weft_fft_chirp_out(const weft__fft_step_args a, __global const uchar *from_buffer,
                                 __global uchar *to_buffer) {
  BEGIN
  STORE(to, thread, weft_times(LOAD(from, source + j * a.inner), weft_chirp(j, a.length)) * REAL_OF(a.scale));
}

// All values of a Hermitian sequence, conjugated, from its first half. Imaginary parts that must be zero are not used.
__kernel void weft_fft_hermitian(const weft__fft_step_args a, __global const uchar *from_buffer,
                                 __global uchar *to_buffer) {
  BEGIN
  const bool is_mirrored = j >= a.from_length;
  PAIR value = LOAD(from, source + (is_mirrored ? a.to_length - j : j) * a.inner);
  if (!is_mirrored) value.y = -value.y;
  if (j == 0 || 2 * j == a.to_length) value.y = 0;
  STORE(to, thread, value);
}
