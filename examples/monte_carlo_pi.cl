// SPDX-License-Identifier: MIT
// How many of n random points of the unit square lie in the quarter of a circle. Point j has words 2 j and 2 j + 1 of
// the seed's stream as its coordinates, so that the count is the same whatever the grid.
#include "weft/prelude.clh"
#include "weft/random.clh"

#define UNROLL 4

// Words as coordinates, in a square of 2^32: the nearest floats. They, the product and fma are defined to the bit.
uint is_inside(uint first, uint second) {
  float x = (float)first, y = (float)second;
  return fma(x, x, y * y) <= 0x1p64f;
}

// Integers are added: in whatever order, the sum is the same. Blocks share SLOTS counters, so that they seldom meet at
// one.
kernel void count_inside(global uint *counts, ulong seed, ulong n) {
  local uint block_count;
  ulong threads = (ulong)gridDim.x * blockDim.x, number = weft_global_id();
  uint count = 0, rounds = (uint)(n / 2 / threads / UNROLL);
  if (threadIdx.x == 0) block_count = 0;
  __syncthreads();
  for (uint r = 0; r < rounds; r++) {
#pragma unroll
    for (uint u = 0; u < UNROLL; u++) {  // two points of four words
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
