// SPDX-License-Identifier: MIT
// Counts the random points of the unit square that lie in the quarter circle, out of n. The coordinates of point j are
// words 2 j and 2 j + 1 of the seed's stream, so the count does not depend on the grid.
#include "weft/prelude.clh"
#include "weft/random.clh"

#define UNROLL 4

// Words as coordinates in a square of side 2^32, rounded to floats. OpenCL defines the conversion, the product and fma
// exactly.
uint is_inside(uint first, uint second) {
  float x = (float)first, y = (float)second;
  return fma(x, x, y * y) <= 0x1p64f;
}

// An integer sum does not depend on the order of its terms. Blocks share SLOTS counters, so that they seldom compete
// for one.
kernel void count_inside(global uint *counts, ulong seed, ulong n) {
  local uint block_count;
  ulong threads = (ulong)gridDim.x * blockDim.x, number = weft_global_id();
  uint count = 0, rounds = (uint)(n / 2 / threads / UNROLL);
  if (threadIdx.x == 0) block_count = 0;
  __syncthreads();
  for (uint r = 0; r < rounds; r++) {
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) {  // two points from four words
      uint4 word = weft_random4(number, seed);
      count += is_inside(word.x, word.y) + is_inside(word.z, word.w);
      number += threads;
    }
  }
  for (; 2 * number < n; number += threads) {
    uint4 word = weft_random4(number, seed);
    count += is_inside(word.x, word.y);
    if (2 * number + 1 < n) count += is_inside(word.z, word.w);
  }
  atomic_add(&block_count, count);
  __syncthreads();
  if (threadIdx.x == 0) atomic_add(&counts[blockIdx.x % SLOTS], block_count);
}
