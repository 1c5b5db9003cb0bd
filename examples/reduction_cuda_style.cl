// SPDX-License-Identifier: MIT
// Four ways to add up an array, written with CUDA's words. BLOCK is the number of threads in a block.
#include "weft/cuda.clh"

// Every thread adds its number to the same word. The additions run one after the other.
kernel void one_word(global uint *total, global const uint *__restrict__ x, ulong n) {
  const ulong i = cuda_grid(1);
  if (i < n) atomicAdd(total, x[i]);
}

// The threads of a block meet in shared memory: half of them add, then a quarter, ... One addition to `total` is left
// for each block.
kernel void shared_tree(global uint *total, global const uint *__restrict__ x, ulong n) {
  __shared__ uint part[BLOCK];
  uint sum = 0;
  WEFT_GRID_STRIDE(i, n) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (uint half_way = BLOCK / 2; half_way > 0; half_way /= 2) {
    if (threadIdx.x < half_way) part[threadIdx.x] += part[threadIdx.x + half_way];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

// The threads of a warp read each other's registers. All threads of the block take part in the second round too, as
// warps are emulated on other devices than NVIDIA's.
__device__ uint sum_of_warp(uint v, WEFT_ROOM) {
  for (uint d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}
kernel void shuffles(global uint *total, global const uint *__restrict__ x, ulong n) {
  WEFT_BLOCK_ROOM(BLOCK);
  __shared__ uint part[BLOCK / 32];
  uint sum = 0;
  WEFT_GRID_STRIDE(i, n) sum += x[i];
  sum = sum_of_warp(sum, weft_room);
  if (cuda_laneid() == 0) part[threadIdx.x / warpSize] = sum;
  __syncthreads();
  sum = sum_of_warp(threadIdx.x < BLOCK / 32 ? part[threadIdx.x] : 0, weft_room);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

// The sum of the block by a function of Weft.
kernel void block_sum(global uint *total, global const uint *__restrict__ x, ulong n) {
  WEFT_BLOCK_ROOM(BLOCK);
  uint sum = 0;
  WEFT_GRID_STRIDE(i, n) sum += x[i];
  sum = weft_block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}
