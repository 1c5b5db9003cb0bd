// SPDX-License-Identifier: MIT
// Products of few elements and many steps of k, as fast as the operands are read: a work-item has all elements of its
// steps, and the work-group adds them up. The text in front defines the macros of matmul/store.clh and
//   N_ROWS, N_COLUMNS  m and n
//   N_BLOCK            work-items of a group, which computes one product
// lint: -DWEFT_LINT=1
#ifdef WEFT_LINT
#define N_ROWS 3
#define N_COLUMNS 8
#define N_BLOCK 128
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"

#define N_LANES (N_BLOCK / 8) // work-items that add up a column's sums: 8 columns at most

__kernel __attribute__((reqd_work_group_size(N_BLOCK, 1, 1)))
void weft_matmul_narrow(M_PARAMETERS) {
  __local M_ACC shared[N_COLUMNS][N_BLOCK];
  M_ACC sum[N_ROWS][N_COLUMNS];
  M_BEGIN
  const uint item = (uint)get_local_id(0);
  const ulong batch = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  const bool is_there = batch < args.batches;
  const weft_matmul_place place = weft_matmul_place_of(args, is_there ? batch : 0);
  __global const M_A *left = (__global const M_A *)a + place.a;
  __global const M_B *right = (__global const M_B *)b + place.b;
  const ulong k = is_there ? place.k : 0;
#pragma unroll
  for (uint r = 0; r < N_ROWS; r++)
#pragma unroll
    for (uint c = 0; c < N_COLUMNS; c++) sum[r][c] = M_ZERO;
  for (ulong at = item; at < k; at += N_BLOCK) {
    M_ACC x[N_ROWS], y[N_COLUMNS];
#pragma unroll
    for (uint r = 0; r < N_ROWS; r++) {
      const M_A stored = left[(long)r * args.a_row + (long)at * args.a_column];
      x[r] = M_LOAD_A(stored);
    }
#pragma unroll
    for (uint c = 0; c < N_COLUMNS; c++) {
      const M_B stored = right[(long)at * args.b_row + (long)c * args.b_column];
      y[c] = M_LOAD_B(stored);
    }
#pragma unroll
    for (uint r = 0; r < N_ROWS; r++)
#pragma unroll
      for (uint c = 0; c < N_COLUMNS; c++) sum[r][c] = M_FMA(x[r], y[c], sum[r][c]);
  }
  // a row at a time, which keeps the local memory small: the group's sums of a column are its line of `shared`
  const uint column = item / N_LANES, lane = item % N_LANES;
#pragma unroll
  for (uint r = 0; r < N_ROWS; r++) {
#pragma unroll
    for (uint c = 0; c < N_COLUMNS; c++) shared[c][item] = sum[r][c];
    barrier(CLK_LOCAL_MEM_FENCE);
    M_ACC all = M_ZERO;
    if (column < N_COLUMNS)
      for (uint i = lane; i < N_BLOCK; i += N_LANES) all = M_ADD(all, shared[column][i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column < N_COLUMNS) shared[column][lane] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && column < N_COLUMNS && is_there) {
      for (uint i = 1; i < N_LANES; i++) all = M_ADD(all, shared[column][i]);
      weft_matmul_store(M_ARGUMENTS, place, r, column, all);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
