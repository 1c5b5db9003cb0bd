// SPDX-License-Identifier: MIT
// One pass of Stockham's transform: RADIX values that are length / RADIX apart become values of transforms that are
// RADIX times as long. A work-item computes RADIX values. The arrays must not overlap.
//
// COSINES, SINES: lists of the cosines and sines of 2 pi k / RADIX; the sines have the sign of the exponent. The rest:
// see fft/complex.clh.
// lint: -DRADIX=4 -DINVERSE=0 -DCOSINES=1,0,-1,0 -DSINES=0,-1,0,1
// lint: -DRADIX=2 -DINVERSE=1 -DWIDE=1 -DWEFT_FP64=1 -DCOSINES=1,-1 -DSINES=0,0
#include "fft/complex.clh"

__constant REAL cosines[RADIX] = {COSINES};
__constant REAL sines[RADIX] = {SINES};

__kernel void weft_fft_pass(const weft__fft_pass_args a, __global const uchar *from_buffer, __global uchar *to_buffer) {
  const ulong thread = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  __global const REAL *from = (__global const REAL *)(from_buffer + a.from_offset);
  __global REAL *to = (__global REAL *)(to_buffer + a.to_offset);
  if (thread >= a.threads) return;
  const ulong column = thread % a.inner, row = thread / a.inner, part = a.length / RADIX;
  const ulong p = row % part, start = row / part * a.length, k = p % a.done;
  const ulong read = (start + p) * a.inner + column;
  const ulong write = (start + (p - k) * RADIX + k) * a.inner + column;
  PAIR x[RADIX];
  x[0] = LOAD(from, read);
  for (int q = 1; q < RADIX; q++)
    x[q] = weft_times(LOAD(from, read + (ulong)q * part * a.inner), weft_unit((ulong)q * k, RADIX * a.done));
  for (int value = 0; value < RADIX; value++) {
    PAIR sum = x[0];
    for (int q = 1; q < RADIX; q++) {
      const int turn = value * q % RADIX;
      PAIR root;
      root.x = cosines[turn];
      root.y = sines[turn];
      sum += weft_times(x[q], root);
    }
    STORE(to, write + (ulong)value * a.done * a.inner, sum * REAL_OF(a.scale));
  }
}
