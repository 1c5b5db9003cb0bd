// SPDX-License-Identifier: MIT
// Products of matrices of any dtypes and strides: a work-group computes a tile of one product, through tiles of both
// operands in local memory. Each work-item adds up TILE_R x TILE_C elements, in the order of k. The text in front
// defines the macros of matmul/store.clh and
//   TILE_M, TILE_N, TILE_K   elements of a tile
//   TILE_R, TILE_C           rows and columns of a work-item: it takes every (TILE_M / TILE_R)-th row, and chunks of
//                            M_CHUNK columns
//   TILE_GROUP               rows of tiles that run close in time, whose operands then stay in the cache
// own[0], own[1]: tiles along m and n; own[2], own[3]: 1 if neighbours in a column of a, and in a row of b, are nearer
// in memory than the others.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DLINT_COMPLEX
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"

#define ROWS_APART (TILE_M / TILE_R)    // work-items along m
#define COLUMNS_APART (TILE_N / TILE_C) // along n
#define THREADS (ROWS_APART * COLUMNS_APART)
#define CHUNKS (TILE_C / M_CHUNK)

/// The tile of a work-group: its product, row and column of tiles. Groups behind the last tile have product `batches`.
static inline void tile_of(const weft__matmul_args args, ulong *batch, ulong *tile_row, ulong *tile_column) {
  const ulong group = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  const ulong tiles_m = args.own[0], tiles_n = args.own[1], tiles = tiles_m * tiles_n;
  const ulong at = group / tiles, tile = group - at * tiles;
  const ulong stripe = tile / (TILE_GROUP * tiles_n), first = stripe * TILE_GROUP;
  const ulong rows = min((ulong)TILE_GROUP, tiles_m - first), in_stripe = tile - first * tiles_n;
  *batch = min(at, (ulong)args.batches);
  *tile_row = first + in_stripe % rows;
  *tile_column = in_stripe / rows;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void weft_matmul_tile(M_PARAMETERS) {
  __local M_ACC a_tile[TILE_K][TILE_M + 1], b_tile[TILE_K][TILE_N + 1];
  M_ACC sum[TILE_R][TILE_C];
  M_BEGIN
  const uint id = (uint)get_local_id(0), item_row = id / COLUMNS_APART, item_column = id % COLUMNS_APART;
  ulong batch, tile_row, tile_column;
  tile_of(args, &batch, &tile_row, &tile_column);
  weft_matmul_place place = weft_matmul_place_of(args, batch);
  if (batch == args.batches) place.k = 0;
  const ulong first_row = tile_row * TILE_M, first_column = tile_column * TILE_N;
  __global const M_A *from_a = (__global const M_A *)a + place.a;
  __global const M_B *from_b = (__global const M_B *)b + place.b;
  for (uint r = 0; r < TILE_R; r++)
    for (uint c = 0; c < TILE_C; c++) sum[r][c] = M_ZERO;

  for (ulong done = 0; done < place.k; done += TILE_K) {
    for (uint i = id; i < TILE_M * TILE_K; i += THREADS) {
      const uint r = args.own[2] ? i % TILE_M : i / TILE_K, step = args.own[2] ? i / TILE_M : i % TILE_K;
      const ulong row = first_row + r, at = done + step;
      M_ACC element = M_ZERO;
      if (row < args.m && at < place.k) {
        const M_A stored = from_a[(long)row * args.a_row + (long)at * args.a_column];
        element = M_LOAD_A(stored);
      }
      a_tile[step][r] = element;
    }
    for (uint i = id; i < TILE_N * TILE_K; i += THREADS) {
      const uint c = args.own[3] ? i % TILE_N : i / TILE_K, step = args.own[3] ? i / TILE_N : i % TILE_K;
      const ulong column = first_column + c, at = done + step;
      M_ACC element = M_ZERO;
      if (column < args.n && at < place.k) {
        const M_B stored = from_b[(long)at * args.b_row + (long)column * args.b_column];
        element = M_LOAD_B(stored);
      }
      b_tile[step][c] = element;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < TILE_K; step++) {
      M_ACC x[TILE_R], y[TILE_C];
#pragma unroll
      for (uint r = 0; r < TILE_R; r++) x[r] = a_tile[step][item_row + r * ROWS_APART];
#pragma unroll
      for (uint c = 0; c < TILE_C; c++)
        y[c] = b_tile[step][(c / M_CHUNK * COLUMNS_APART + item_column) * M_CHUNK + c % M_CHUNK];
#pragma unroll
      for (uint r = 0; r < TILE_R; r++)
#pragma unroll
        for (uint c = 0; c < TILE_C; c++) sum[r][c] = M_FMA(x[r], y[c], sum[r][c]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (batch == args.batches) return;
  for (uint r = 0; r < TILE_R; r++) {
    const ulong row = first_row + item_row + r * ROWS_APART;
    for (uint chunk = 0; chunk < CHUNKS; chunk++) {
      const ulong column = first_column + (chunk * COLUMNS_APART + item_column) * M_CHUNK;
      // M_CHUNK divides n: a chunk's columns all exist or none does
      if (row < args.m && column < args.n)
        weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, &sum[r][chunk * M_CHUNK]);
    }
  }
}
