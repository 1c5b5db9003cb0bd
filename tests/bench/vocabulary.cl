// SPDX-License-Identifier: MIT
// The kernels that vocabulary.py times: sums and running sums of blocks and warps, and atomic functions. This text is
// OpenCL C with weft/cuda.clh, and CUDA C behind the first lines of vocabulary.cu. `rounds` repeats the work in
// registers, so that a kernel measures the functions and not the memory.
#ifndef __CUDACC__
#include "weft/cuda.clh"
#define BLOCK 256
#define KERNEL kernel
#define GLOBAL global
#endif

KERNEL void stream_sum(GLOBAL float *out, GLOBAL const float *in, ulong n, uint rounds) {
  WEFT_BLOCK_ROOM(BLOCK);
  float sum = 0;
  WEFT_GRID_STRIDE(i, n) sum += in[i];
  sum = weft_block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(&out[0], sum);
}

KERNEL void block_sums(GLOBAL float *out, GLOBAL const float *in, ulong n, uint rounds) {
  WEFT_BLOCK_ROOM(BLOCK);
  const ulong i = cuda_grid(1);
  float v = in[i];
  // each thread keeps a value of its own: nvcc leaves out the shuffles of values that are equal in a warp
  for (uint r = 0; r < rounds; r++) v = v * 0.5f + weft_block_sum(v) * 0.001953125f;
  out[i] = v;
}

KERNEL void block_maxima(GLOBAL float *out, GLOBAL const float *in, ulong n, uint rounds) {
  WEFT_BLOCK_ROOM(BLOCK);
  const ulong i = cuda_grid(1);
  float v = in[i];
  for (uint r = 0; r < rounds; r++) v = v * 0.5f + weft_block_max(v);
  out[i] = v;
}

KERNEL void block_scans(GLOBAL float *out, GLOBAL const float *in, ulong n, uint rounds) {
  WEFT_BLOCK_ROOM(BLOCK);
  const ulong i = cuda_grid(1);
  float v = in[i];
  for (uint r = 0; r < rounds; r++) v = weft_block_scan(v) * 0.00390625f;
  out[i] = v;
}

KERNEL void shuffles(GLOBAL float *out, GLOBAL const float *in, ulong n, uint rounds) {
  WEFT_BLOCK_ROOM(BLOCK);
  const ulong i = cuda_grid(1);
  float v = in[i];
  for (uint r = 0; r < rounds; r++) {
    v += __shfl_xor_sync(0xffffffff, v, 1);
    v = v * 0.5f + __shfl_down_sync(0xffffffff, v, 3);
    v = v * 0.5f + __shfl_up_sync(0xffffffff, v, 2, 8) + __popc(__ballot_sync(0xffffffff, v > 1));
  }
  out[i] = v;
}

// A word for each thread in an order without neighbours; or one word for all.
#define ATOMIC_KERNEL(name, T, call)                                                          \
  KERNEL void name(GLOBAL T *out, GLOBAL const float *in, ulong n, uint rounds) {            \
    const uint words = 1u << 20;                                                              \
    for (uint r = 0; r < rounds; r++) {                                                       \
      const uint i = ((uint)cuda_grid(1) * 2654435761u + r * 40503u) & (words - 1);           \
      call;                                                                                   \
    }                                                                                         \
  }
ATOMIC_KERNEL(add_f32, float, atomicAdd(&out[i], 1.0f))
ATOMIC_KERNEL(add_f64, double, atomicAdd(&out[i], 1.0))
ATOMIC_KERNEL(add_u32, uint, atomicAdd(&out[i], 1u))
ATOMIC_KERNEL(add_u64, ulong, atomicAdd(&out[i], (ulong)1))
ATOMIC_KERNEL(max_i32, int, atomicMax(&out[i], (int)r))
ATOMIC_KERNEL(cas_u32, uint, atomicCAS(&out[i], r, r + 1))
ATOMIC_KERNEL(add_f32_one_word, float, atomicAdd(&out[0], 1.0f))
ATOMIC_KERNEL(add_u32_one_word, uint, atomicAdd(&out[0], 1u))

KERNEL void shared_histogram(GLOBAL uint *out, GLOBAL const float *in, ulong n, uint rounds) {
  __shared__ uint bins[BLOCK];
  bins[threadIdx.x] = 0;
  __syncthreads();
  WEFT_GRID_STRIDE(i, n) atomicAdd(&bins[(uint)in[i] & 255u], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

KERNEL void shared_weights(GLOBAL float *out, GLOBAL const float *in, ulong n, uint rounds) {
  __shared__ float bins[BLOCK];
  bins[threadIdx.x] = 0;
  __syncthreads();
  WEFT_GRID_STRIDE(i, n) atomicAdd(&bins[(uint)in[i] & 255u], in[i]);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
