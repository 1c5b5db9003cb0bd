// SPDX-License-Identifier: MIT
// Products of matrices with vectors (n is 1), which are as fast as the matrices are read. The text in front defines
// the macros of matmul/store.clh and
//   V_ALONG_K          1: chunks of `a` lie along k, and the work-items of a team divide a row among them; 0: chunks
//                      lie along m, and the teams divide k among them
//   V_ITEMS            work-items of a team
//   V_TEAMS            teams of a work-group
//   V_ROWS             chunks that a work-item reads at a time: of different rows (V_ALONG_K) or steps of k
//   A_CHUNK, A_RAW     elements of a chunk of a, and the vector type of as many
//   B_CHUNK, B_RAW     V_ALONG_K: elements of a chunk of b, A_CHUNK or 1
// own[0]: work-groups of a product.
// lint: -DWEFT_LINT=1 -DV_ALONG_K=1
// lint: -DWEFT_LINT=1 -DV_ALONG_K=0
#ifdef WEFT_LINT
#define V_ITEMS 8
#define V_TEAMS 8
#define V_ROWS 2
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"

typedef WEFT_PACK(M_A, A_CHUNK, A_RAW) a_chunk;
typedef WEFT_PACK(M_B, B_CHUNK, B_RAW) b_chunk;

#if V_ALONG_K

__kernel __attribute__((reqd_work_group_size(V_ITEMS * V_TEAMS, 1, 1)))
void weft_matmul_vector(M_PARAMETERS) {
  __local M_ACC shared[V_TEAMS][V_ROWS][V_ITEMS];
  M_ACC sum[V_ROWS];
  M_BEGIN
  const uint team = (uint)get_local_id(0) / V_ITEMS, item = (uint)get_local_id(0) % V_ITEMS;
  const ulong group = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  const ulong batch = args.own[0] == 1 ? group : group / args.own[0];
  const bool is_there = batch < args.batches;
  const weft_matmul_place place = weft_matmul_place_of(args, is_there ? batch : 0);
  const ulong row = ((group - batch * args.own[0]) * V_TEAMS + team) * V_ROWS;
  __global const M_A *from = (__global const M_A *)a + place.a;
  __global const M_B *vector = (__global const M_B *)b + place.b;
  const ulong k = is_there ? place.k : 0;
#pragma unroll
  for (uint r = 0; r < V_ROWS; r++) sum[r] = M_ZERO;
#pragma unroll 2
  for (ulong at = (ulong)item * A_CHUNK; at < k; at += V_ITEMS * A_CHUNK) {
    a_chunk x[V_ROWS];
    b_chunk y[A_CHUNK / B_CHUNK];
#pragma unroll
    for (uint r = 0; r < V_ROWS; r++) {
      // rows behind the last one read the last one, and their sums are not stored
      const ulong line = min(row + r, (ulong)args.m - 1);
      const long place_of = (long)line * args.a_row + (long)at * (A_CHUNK > 1 ? 1 : args.a_column);
      WEFT_SPLIT(A_RAW, x[r].word, *(__global const A_RAW *)(from + place_of))
    }
#pragma unroll
    for (uint c = 0; c < A_CHUNK / B_CHUNK; c++)
      WEFT_SPLIT(B_RAW, y[c].word,
                 *(__global const B_RAW *)(vector + (long)(at + c * B_CHUNK) * (B_CHUNK > 1 ? 1 : args.b_row)))
#pragma unroll
    for (uint e = 0; e < A_CHUNK; e++) {
      const M_ACC factor = M_LOAD_B(y[e / B_CHUNK].e[e % B_CHUNK]);
#pragma unroll
      for (uint r = 0; r < V_ROWS; r++) sum[r] = M_FMA(M_LOAD_A(x[r].e[e]), factor, sum[r]);
    }
  }
#pragma unroll
  for (uint r = 0; r < V_ROWS; r++) shared[team][r][item] = sum[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint apart = V_ITEMS / 2; apart > 0; apart /= 2) {
    // each row's pairs, spread over the team
    for (uint i = item; i < apart * V_ROWS; i += V_ITEMS) {
      const uint r = i / apart, at = i % apart;
      shared[team][r][at] = M_ADD(shared[team][r][at], shared[team][r][at + apart]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint r = item; r < V_ROWS; r += V_ITEMS)
    if (is_there && row + r < args.m) weft_matmul_store(M_ARGUMENTS, place, row + r, 0, shared[team][r][0]);
}

#else

__kernel __attribute__((reqd_work_group_size(V_ITEMS * V_TEAMS, 1, 1)))
void weft_matmul_vector(M_PARAMETERS) {
  __local M_ACC shared[V_TEAMS][V_ITEMS * A_CHUNK];
  M_ACC sum[A_CHUNK];
  M_BEGIN
  const uint team = (uint)get_local_id(0) / V_ITEMS, item = (uint)get_local_id(0) % V_ITEMS;
  const ulong group = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  const ulong batch = args.own[0] == 1 ? group : group / args.own[0];
  const bool is_there = batch < args.batches;
  const weft_matmul_place place = weft_matmul_place_of(args, is_there ? batch : 0);
  const ulong first = (group - batch * args.own[0]) * (V_ITEMS * A_CHUNK), row = first + item * A_CHUNK;
  // chunks behind the last row read the first ones, and their sums are not stored
  __global const M_A *from =
      (__global const M_A *)a + place.a + (row < args.m ? (long)row * (A_CHUNK > 1 ? 1 : args.a_row) : 0);
  __global const M_B *vector = (__global const M_B *)b + place.b;
  const ulong k = is_there ? place.k : 0;
#pragma unroll
  for (uint e = 0; e < A_CHUNK; e++) sum[e] = M_ZERO;
  for (ulong at = team; at < k; at += V_TEAMS * V_ROWS) {
    a_chunk x[V_ROWS];
    M_ACC factor[V_ROWS];
#pragma unroll
    for (uint r = 0; r < V_ROWS; r++) {
      const ulong step = at + r * V_TEAMS;
      const bool is_in = step < k;
      const M_B stored = vector[(long)(is_in ? step : at) * args.b_row];
      factor[r] = M_LOAD_B(stored);
      WEFT_SPLIT(A_RAW, x[r].word, *(__global const A_RAW *)(from + (long)(is_in ? step : at) * args.a_column))
    }
#pragma unroll
    for (uint r = 0; r < V_ROWS; r++)
      if (at + r * V_TEAMS < k) {
#pragma unroll
        for (uint e = 0; e < A_CHUNK; e++) sum[e] = M_FMA(M_LOAD_A(x[r].e[e]), factor[r], sum[e]);
      }
  }
#pragma unroll
  for (uint e = 0; e < A_CHUNK; e++) shared[team][item * A_CHUNK + e] = sum[e];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint apart = V_TEAMS / 2; apart > 0; apart /= 2) {
    if (team < apart) {
#pragma unroll
      for (uint e = 0; e < A_CHUNK; e++)
        shared[team][item * A_CHUNK + e] =
            M_ADD(shared[team][item * A_CHUNK + e], shared[team + apart][item * A_CHUNK + e]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint r = (uint)get_local_id(0); r < V_ITEMS * A_CHUNK; r += V_ITEMS * V_TEAMS)
    if (is_there && first + r < args.m) weft_matmul_store(M_ARGUMENTS, place, first + r, 0, shared[0][r]);
}

#endif
