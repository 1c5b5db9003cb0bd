// SPDX-License-Identifier: MIT
// Gravity among all bodies. Coordinates are rows of n numbers, x then y then z; n is a multiple of 8, and padding
// bodies have no mass. A thread takes one body and processes eight others at a time: vectors on a CPU, eight
// independent sums on a GPU.
#include "weft/prelude.clh"

float sum8(float8 v) {
  float4 four = v.lo + v.hi;
  return (four.x + four.y) + (four.z + four.w);
}

kernel void accelerate(global float *a, global const float *x, global const float *mass, float softening2, ulong n) {
  ulong i = weft_global_id();
  if (i >= n) return;
  float8 ax = 0, ay = 0, az = 0;
  for (ulong j = 0; j < n / 8; j++) {
    float8 dx = vload8(j, x) - x[i], dy = vload8(j, x + n) - x[n + i], dz = vload8(j, x + 2 * n) - x[2 * n + i];
    float8 inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening2);
    float8 pull = vload8(j, mass) * inverse * inverse * inverse;
    ax += pull * dx;
    ay += pull * dy;
    az += pull * dz;
  }
  a[i] = sum8(ax);
  a[n + i] = sum8(ay);
  a[2 * n + i] = sum8(az);
}

// Each body's kinetic energy plus half of the potential energy of its pairs.
kernel void energy(global float *each, global const float *x, global const float *v, global const float *mass,
                   float softening2, ulong n) {
  ulong i = weft_global_id();
  if (i >= n) return;
  float8 potential = 0;
  for (ulong j = 0; j < n / 8; j++) {
    float8 dx = vload8(j, x) - x[i], dy = vload8(j, x + n) - x[n + i], dz = vload8(j, x + 2 * n) - x[2 * n + i];
    potential -= vload8(j, mass) * rsqrt(dx * dx + dy * dy + dz * dz + softening2);
  }
  float others = sum8(potential) + mass[i] * rsqrt(softening2);  // removes the body's own term
  each[i] = 0.5f * mass[i] * (v[i] * v[i] + v[n + i] * v[n + i] + v[2 * n + i] * v[2 * n + i] + others);
}
