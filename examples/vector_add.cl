// SPDX-License-Identifier: MIT
#include "weft/prelude.clh"

kernel void add_vectors_gpu(global const float *vec_a, global const float *vec_b, global float *result, ulong size) {
  ulong idx = threadIdx.x + (ulong)blockIdx.x * blockDim.x;
  if (idx < size) { // the last block may reach past the end of the arrays
    result[idx] = vec_a[idx] + vec_b[idx];
  }
}
