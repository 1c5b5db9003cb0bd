// SPDX-License-Identifier: MIT
// Gravity among all bodies: position and mass in, acceleration out; and each body's energy.
#include "weft/prelude.clh"

#define TILE 64

// A block's threads bring 64 bodies at a time into local memory and use each of them 64 times.
kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void accelerate(global float4 *acceleration, global const float4 *position,
                                                                         float softening2, uint n) {
  local float4 tile[TILE];
  uint i = blockIdx.x * TILE + threadIdx.x;
  float4 me = i < n ? position[i] : (float4)(0);
  float4 sum = (float4)(0);
  for (uint first = 0; first < n; first += TILE) {
    uint j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? position[j] : (float4)(0);  // w is the mass: 0 pulls nobody
    __syncthreads();
    for (uint k = 0; k < TILE; k++) {
      float4 d = tile[k] - me;
      float r2 = d.x * d.x + d.y * d.y + d.z * d.z + softening2;
      float f = tile[k].w * rsqrt(r2) / r2;
      sum.x += f * d.x;
      sum.y += f * d.y;
      sum.z += f * d.z;
    }
    __syncthreads();
  }
  if (i < n) acceleration[i] = sum;
}

// Kinetic energy, and half of the potential energy of all its pairs.
kernel void energy(global float *each, global const float4 *position, global const float4 *velocity, float softening2, uint n) {
  uint i = (uint)weft_global_id();
  if (i >= n) return;
  float4 me = position[i], v = velocity[i];
  float potential = 0;
  for (uint j = 0; j < n; j++) {
    float4 d = position[j] - me;
    if (j != i) potential -= position[j].w * rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + softening2);
  }
  each[i] = 0.5f * me.w * (v.x * v.x + v.y * v.y + v.z * v.z + potential);
}
