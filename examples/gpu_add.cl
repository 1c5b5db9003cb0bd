// SPDX-License-Identifier: MIT
#include "weft/prelude.clh"

kernel void gpu_add(global const float *a, global float *b, ulong data_length) {
  ulong idx = threadIdx.x + (ulong)blockIdx.x * blockDim.x;
  if (idx < data_length) {
    b[idx] += a[idx];
  }
}
