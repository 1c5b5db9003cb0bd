// SPDX-License-Identifier: MIT
// Bodies that attract each other; float4 is a place and a mass. TILE is the number of threads of a block, and of the
// bodies that a block reads into local memory at a time. Each thread then reads them there, not in global memory.
#include "weft/prelude.clh"

// Computes each body's acceleration and, as the fourth number, its potential.
kernel void pull(global float4 *result, global const float4 *bodies, float softening2, uint n) {
  local float4 tile[TILE];
  const uint i = blockIdx.x * TILE + threadIdx.x, t = threadIdx.x;
  const float4 here = bodies[min(i, n - 1)];  // a thread without a body works for its tile
  float4 sum = 0;
  for (uint first = 0; first < n; first += TILE) {
    tile[t] = first + t < n ? bodies[first + t] : (float4)(0.0f);
    __syncthreads();  // the tile is full
    for (uint j = 0; j < TILE; j++) {
      const float4 there = tile[j];
      const float4 d = there - here;
      const float inverse = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + softening2);
      sum.xyz += there.w * inverse * inverse * inverse * d.xyz;
      sum.w -= there.w * inverse;
    }
    __syncthreads();  // every thread has read it
  }
  sum.w += here.w * rsqrt(softening2);  // without the body itself
  if (i < n) result[i] = sum;
}
