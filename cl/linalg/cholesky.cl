// SPDX-License-Identifier: MIT
// The Cholesky factorization of a diagonal block, args.n <= LA_SIDE, one group for each matrix.
// Column by column, each column followed by the update of all later ones.
//   x: the block; info: i32, contiguous, at y.offset
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#include "linalg/block.clh"

#if WEFT_BLOCK == 1

__kernel void weft_cholesky_block(const weft__block_args args, __global uchar *memory, __global uchar *infos) {
  NUM a[LA_SIDE * LA_SIDE];
  int failed = 0;
  const uint n = (uint)args.n;
  const ulong batch = get_group_id(0);
  __global NUM *x = part_of(memory, args.x, batch);
  __global int *info = (__global int *)(infos + args.y.offset) + batch;
  for (uint i = 0; i < n; i++)
    for (uint j = 0; j <= i; j++) a[i * LA_SIDE + j] = x[(long)i * args.x.row + (long)j * args.x.column];
  for (uint k = 0; k < n; k++) {
    const REAL pivot = real_of(a[k * LA_SIDE + k]), root = sqrt(pivot), inverse = 1 / root;
    if (!(pivot > 0) && !failed) failed = (int)k + 1;
    a[k * LA_SIDE + k] = of_real(root);
    for (uint i = k + 1; i < n; i++) a[i * LA_SIDE + k] = a[i * LA_SIDE + k] * inverse;
    for (uint i = k + 1; i < n; i++) {
      const NUM l = a[i * LA_SIDE + k];
      for (uint j = k + 1; j <= i; j++)
        a[i * LA_SIDE + j] = mul_add(-l, conj_of(a[j * LA_SIDE + k]), a[i * LA_SIDE + j]);
    }
  }
  for (uint i = 0; i < n; i++)
    for (uint j = 0; j <= i; j++) x[(long)i * args.x.row + (long)j * args.x.column] = a[i * LA_SIDE + j];
  if (failed && *info == 0) *info = (int)args.first + failed;
}

#else

#define ACROSS (LA_SIDE < 16 ? 8 : 16) // threads in a row of threads
#define OWN (LA_SIDE / ACROSS)         // rows, and columns, of a thread: every ACROSS-th

// The elements stay in registers; each column in turn goes through local memory.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_block(const weft__block_args args, __global uchar *memory, __global uchar *infos) {
  __local NUM columns[2][LA_SIDE];
  const uint thread = (uint)get_local_id(0), n = (uint)args.n, across = thread % ACROSS, down = thread / ACROSS;
  const ulong batch = get_group_id(0);
  __global NUM *x = part_of(memory, args.x, batch);
  __global int *info = (__global int *)(infos + args.y.offset) + batch;
  int failed = 0;
  NUM a[OWN][OWN];
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS;
      a[p][q] = i < n && j <= i ? x[(long)i * args.x.row + (long)j * args.x.column] : of_real(0);
    }
  for (uint k = 0; k < n; k++) {
    __local NUM *column = columns[k % 2];
#pragma unroll
    for (uint p = 0; p < OWN; p++)
#pragma unroll
      for (uint q = 0; q < OWN; q++)
        if (down < ACROSS && across + q * ACROSS == k) column[down + p * ACROSS] = a[p][q];
    barrier(CLK_LOCAL_MEM_FENCE);
    const REAL pivot = real_of(column[k]), root = sqrt(pivot), inverse = 1 / root;
    if (!(pivot > 0) && !failed) failed = (int)k + 1;
    NUM left[OWN], right[OWN];
#pragma unroll
    for (uint p = 0; p < OWN; p++) {
      left[p] = column[min(down + p * ACROSS, (uint)LA_SIDE - 1)] * inverse;
      right[p] = conj_of(column[across + p * ACROSS] * inverse);
    }
#pragma unroll
    for (uint p = 0; p < OWN; p++)
#pragma unroll
      for (uint q = 0; q < OWN; q++) {
        const uint i = down + p * ACROSS, j = across + q * ACROSS;
        if (j == k) a[p][q] = i == k ? of_real(root) : left[p];
        if (j > k) a[p][q] = mul_add(-left[p], right[q], a[p][q]);
      }
  }
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS;
      if (i < n && j <= i) x[(long)i * args.x.row + (long)j * args.x.column] = a[p][q];
    }
  if (thread == 0 && failed && *info == 0) *info = (int)args.first + failed;
}

#endif
