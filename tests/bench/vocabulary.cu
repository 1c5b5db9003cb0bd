// SPDX-License-Identifier: MIT
// Times the kernels of vocabulary.cl as CUDA C, compiled by nvcc: a line "name us" for each. Sums over blocks are
// written as in CUDA's own samples: shuffles inside a warp, then the warps' results through shared memory.
#include <cuda_runtime.h>

#include "vocabulary.h"

#define BLOCK VOCABULARY_BLOCK
#define ulong unsigned long long
#define uint unsigned
#define KERNEL extern "C" __global__
#define GLOBAL
#define WEFT_BLOCK_ROOM(threads)
#define cuda_grid(axes) ((ulong)blockIdx.x * blockDim.x + threadIdx.x)
#define WEFT_GRID_STRIDE(i, n) for (ulong i = cuda_grid(1); i < (n); i += (ulong)gridDim.x * blockDim.x)

template <typename Combine>
static __device__ __forceinline__ float block_combine(float v, Combine combine) {
  __shared__ float part[BLOCK / 32];
  for (int d = 16; d > 0; d /= 2) v = combine(v, __shfl_xor_sync(0xffffffff, v, d));
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
#pragma unroll
  for (int w = 1; w < BLOCK / 32; w++) v = combine(v, part[w]);
  __syncthreads();
  return v;
}
static __device__ __forceinline__ float weft_block_sum(float v) {
  return block_combine(v, [](float a, float b) { return a + b; });
}
static __device__ __forceinline__ float weft_block_max(float v) {
  return block_combine(v, [](float a, float b) { return fmaxf(a, b); });
}
static __device__ __forceinline__ float weft_block_scan(float v) {
  __shared__ float part[BLOCK / 32];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (unsigned d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v = before + v;
  }
  if (lane == 31) part[warp] = v;
  __syncthreads();
  float before = 0;
  for (unsigned w = 0; w < warp; w++) before += part[w];
  __syncthreads();
  return before + v;
}

#include "vocabulary.cl"

static void *out;
static float *in;
static uint64_t n, most;

#define CHECK(call)                                              \
  do {                                                           \
    const cudaError_t rc = (call);                               \
    if (rc != cudaSuccess) {                                     \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(rc)); \
      exit(1);                                                   \
    }                                                            \
  } while (0)

static const void *function_of(int row) {
#define OF(name) (const void *)name
  static const void *const functions[] = {
      OF(stream_sum), OF(block_sums), OF(block_maxima), OF(block_scans),      OF(shuffles),
      OF(add_f32),    OF(add_f64),    OF(add_u32),      OF(add_u64),          OF(max_i32),
      OF(cas_u32),    OF(add_f32_one_word), OF(add_u32_one_word), OF(shared_histogram), OF(shared_weights)};
  return functions[row];
}
static void launch(const vocabulary_row *row) {
  const uint64_t blocks = row->blocks < most ? row->blocks : most;
  unsigned rounds = row->rounds;
  ulong count = n;
  void *arguments[] = {&out, &in, &count, &rounds};
  const void *function = function_of((int)(row - vocabulary_rows));
  CHECK(cudaLaunchKernel(function, dim3((unsigned)blocks), dim3(BLOCK), arguments, 0, 0));
}
static void wait_for_all(void) {
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
  vocabulary_arguments(argc, argv, &n, &most);
  float *host = (float *)malloc(n * sizeof *host);
  if (!host) return EXIT_FAILURE;
  for (uint64_t i = 0; i < n; i++) host[i] = vocabulary_input(i);
  CHECK(cudaMalloc((void **)&in, n * sizeof *in));
  CHECK(cudaMalloc(&out, VOCABULARY_WORDS * 8));
  CHECK(cudaMemcpy(in, host, n * sizeof *in, cudaMemcpyHostToDevice));
  free(host);
  for (int k = 0; k < VOCABULARY_ROWS; k++) {
    CHECK(cudaMemset(out, 0, VOCABULARY_WORDS * 8));
    vocabulary_time(&vocabulary_rows[k], launch, wait_for_all);
  }
  return EXIT_SUCCESS;
}
