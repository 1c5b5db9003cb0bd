// SPDX-License-Identifier: MIT
// How many of n random points of the unit square lie in the quarter of a circle. Point j has words 2 j and 2 j + 1 of the seed's stream as its
// coordinates, so that the count is the same whatever the grid.
#include "weft/prelude.clh"
#include "weft/random.clh"

// x and y are multiples of 2^-24 below 1, here times 2^24; fma and the product are defined to the bit.
uint is_inside(uint first, uint second) {
  float x = (float)(first >> 8), y = (float)(second >> 8);
  return fma(x, x, y * y) <= 0x1p48f;
}

// Integers are added: in whatever order, the sum is the same. Blocks share SLOTS counters, so that they seldom meet at one.
kernel void count_inside(global uint *counts, ulong seed, ulong n) {
  local uint block_count;
  ulong threads = (ulong)gridDim.x * blockDim.x, number = weft_global_id();
  uint count = 0, rounds = (uint)(n / 2 / threads);
  if (threadIdx.x == 0) block_count = 0;
  __syncthreads();
  for (uint r = 0; r < rounds; r++) {  // two points for each four words
    uint4 word = weft_random4(number, seed);
    count += is_inside(word.x, word.y) + is_inside(word.z, word.w);
    number += threads;
  }
  if (2 * number < n) {
    uint4 word = weft_random4(number, seed);
    count += is_inside(word.x, word.y);
    if (2 * number + 1 < n) count += is_inside(word.z, word.w);
  }
  atomic_add(&block_count, count);
  __syncthreads();
  if (threadIdx.x == 0) atomic_add(&counts[blockIdx.x % SLOTS], block_count);
}
