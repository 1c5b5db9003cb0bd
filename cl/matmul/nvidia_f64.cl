// SPDX-License-Identifier: MIT
// Products of f64 matrices on NVIDIA GPUs: matrix instructions of 16 x 8 x 8 elements. A warp computes WARP_M x
// WARP_N elements. In local memory `a` has k as its fast axis, `b` n. The text in front defines the macros of
// matmul/nvidia.clh and
//   TILE_K           8 or 16
//   WARP_M, WARP_N   elements of a warp's tile, multiples of 16
//   A_WIDE, B_WIDE   1: 2 elements can be copied at once, neighbours along k (of a) or n (of b)
//   A_LINES          without A_WIDE: neighbours along m are closer in memory than along k
//   B_LINES          without B_WIDE: neighbours along n are closer than along k
// lint: -DWEFT_LINT=1
// ptxas: 128 blocks=2 -DPTXAS_64 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=64 -DSTAGES=3 -DA_WIDE=1 -DB_WIDE=1 -DA_LINES=1 -DB_LINES=0
// ptxas: 128 blocks=2 -DPTXAS_64 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=64 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=0 -DA_LINES=1 -DB_LINES=0
// ptxas: 256 blocks=1 -DPTXAS_64 -DTILE_M=128 -DTILE_N=128 -DTILE_K=16 -DWARP_M=64 -DWARP_N=32 -DSTAGES=4 -DA_WIDE=1 -DB_WIDE=1 -DA_LINES=1 -DB_LINES=0
// ptxas: 256 blocks=1 -DPTXAS_64 -DTILE_M=128 -DTILE_N=128 -DTILE_K=16 -DWARP_M=64 -DWARP_N=32 -DSTAGES=4 -DA_WIDE=0 -DB_WIDE=0 -DA_LINES=1 -DB_LINES=0
// ptxas: 256 blocks=1 -DPTXAS_64 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DSTAGES=4 -DA_WIDE=1 -DB_WIDE=1 -DA_LINES=1 -DB_LINES=0
// ptxas: 256 blocks=1 -DPTXAS_64 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DSTAGES=4 -DA_WIDE=0 -DB_WIDE=0 -DA_LINES=1 -DB_LINES=0
// ptxas: 128 blocks=2 -DPTXAS_64 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DSTAGES=3 -DA_WIDE=1 -DB_WIDE=1 -DA_LINES=1 -DB_LINES=0
// ptxas: 128 blocks=2 -DPTXAS_64 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=0 -DA_LINES=1 -DB_LINES=0
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/nvidia.clh"

#define THREADS (TILE_M / WARP_M * (TILE_N / WARP_N) * 32)
#define STEPS (TILE_K / 8)
// work-items that load at once then read different banks
#define A_PITCH (TILE_K == 8 ? 8 : TILE_K + 8)
#define B_PITCH (TILE_N + 2)
#define A_STAGE (TILE_M * A_PITCH * 8)
#define B_STAGE (TILE_K * B_PITCH * 8)

#ifdef cl_nv_pragma_unroll
#include "matmul/multiply_f64.clh"

// The copies of an operand to a stage.
#if A_WIDE
#define COPY_A(stage)                                                                                             \
  _Pragma("unroll") for (int i = 0; i < TILE_M * TILE_K / 2 / THREADS; i++) {                                    \
    const int line = (int)(id / (TILE_K / 2)) + i * (THREADS / (TILE_K / 2)), step = (int)(id % (TILE_K / 2)) * 2; \
    N_COPY_16(a_local + (stage) * A_STAGE + (line * A_PITCH + step) * 8, from_a + (line * args.a_row + step),     \
              line < rows ? min(max(left - step, 0), 2) * 8 : 0);                                                 \
  }
#else
#define COPY_A(stage)                                                                                              \
  _Pragma("unroll 2") for (int i = 0; i < TILE_M * TILE_K / THREADS; i++) {                                         \
    const int e = (int)id + i * THREADS, line = A_LINES ? e % TILE_M : e / TILE_K;                                 \
    const int step = A_LINES ? e / TILE_M : e % TILE_K;                                                            \
    N_COPY_8(a_local + (stage) * A_STAGE + (line * A_PITCH + step) * 8,                                            \
             from_a + (line * args.a_row + step * args.a_column), line < rows && step < left ? 8 : 0);             \
  }
#endif
#if B_WIDE
#define COPY_B(stage)                                                                                             \
  _Pragma("unroll") for (int i = 0; i < TILE_N * TILE_K / 2 / THREADS; i++) {                                    \
    const int step = (int)(id / (TILE_N / 2)) + i * (THREADS / (TILE_N / 2)), line = (int)(id % (TILE_N / 2)) * 2; \
    N_COPY_16(b_local + (stage) * B_STAGE + (step * B_PITCH + line) * 8, from_b + (step * args.b_row + line),     \
              step < left ? min(max(columns - line, 0), 2) * 8 : 0);                                              \
  }
#else
#define COPY_B(stage)                                                                                              \
  _Pragma("unroll 2") for (int i = 0; i < TILE_N * TILE_K / THREADS; i++) {                                         \
    const int e = (int)id + i * THREADS, line = B_LINES ? e % TILE_N : e / TILE_K;                                 \
    const int step = B_LINES ? e / TILE_N : e % TILE_K;                                                            \
    N_COPY_8(b_local + (stage) * B_STAGE + (step * B_PITCH + line) * 8,                                            \
             from_b + (line * args.b_column + step * args.b_row), line < columns && step < left ? 8 : 0);          \
  }
#endif
#define FETCH(stage)                   \
  {                                    \
    COPY_A(stage)                      \
    COPY_B(stage)                      \
    from_a += TILE_K * args.a_column;  \
    from_b += TILE_K * args.b_row;     \
    left -= TILE_K;                    \
  }

// Loads the fragments of a step: multiply_f64.clh.
#define LOAD(to, stage, step)                                                                                     \
  {                                                                                                               \
    _Pragma("unroll") for (int i = 0; i < TILES_M; i++) {                                                        \
      const double2 v = a_lane[(stage) * (A_STAGE / 16) + (i * 8 * A_PITCH + (step) * 8) / 2];                    \
      x[to][i][0] = v.x;                                                                                          \
      x[to][i][1] = v.y;                                                                                          \
    }                                                                                                             \
    _Pragma("unroll") for (int j = 0; j < TILES_N * 2; j++) {                                                    \
      const double2 v = b_lane[(stage) * (B_STAGE / 16) + (((step) * 8 + j % 2) * B_PITCH + j / 2 * 16) / 2];     \
      y[to][j / 2][j % 2 * 2] = v.x;                                                                              \
      y[to][j / 2][j % 2 * 2 + 1] = v.y;                                                                          \
    }                                                                                                             \
  }
#define NEXT(stage) stage = stage + 1 == STAGES ? 0 : stage + 1;

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void weft_matmul_f64(M_PARAMETERS) {
  __local double2 tiles[STAGES * (A_STAGE + B_STAGE) / 16];
  double sum[TILES_M][TILES_N][4], x[2][TILES_M][2], y[2][TILES_N][4];
  M_BEGIN
  const n_tile tile = n_tile_of(args);
  const weft_matmul_place place = weft_matmul_place_of(args, tile.batch);
  const uint id = (uint)get_local_id(0), warp = id / 32, g = id % 32 / 4, t = id % 4;
  const uint a_local = (uint)(size_t)tiles, b_local = a_local + STAGES * A_STAGE;
  const uint warp_m = warp / (TILE_N / WARP_N) * WARP_M, warp_n = warp % (TILE_N / WARP_N) * WARP_N;
  __local const double2 *a_lane = tiles + ((warp_m + g) * A_PITCH / 2 + t);
  __local const double2 *b_lane = tiles + (STAGES * A_STAGE / 16 + t * B_PITCH + warp_n / 2 + g);
  __global const double *from_a = (__global const double *)a + (place.a + (long)tile.row * args.a_row);
  __global const double *from_b = (__global const double *)b + (place.b + (long)tile.column * args.b_column);
  const int rows = (int)min(args.m - tile.row, (ulong)TILE_M), columns = (int)min(args.n - tile.column, (ulong)TILE_N);
  int left = (int)place.k;
  const uint steps = ((uint)left + TILE_K - 1) / TILE_K;
#pragma unroll
  for (uint i = 0; i < TILES_M * TILES_N * 4; i++) sum[i / 4 / TILES_N][i / 4 % TILES_N][i % 4] = 0;

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    if (left > 0) FETCH(s)
    N_COMMIT;
  }
  N_WAIT(STAGES - 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  int stage = 0, next = STAGES - 1; // signed: an index that cannot wrap keeps constants in addresses
  LOAD(0, 0, 0)
  for (uint s = 0; s < steps; s++) {
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
      if (step == 0) { // all work-items have read the stage before this one
        if (left > 0) FETCH(next)
        N_COMMIT;
        NEXT(next)
      }
      if (STEPS == 1) MULTIPLY_ALL(0)
      if (step == STEPS - 1) { // the next stage has arrived; all work-items have read this one
        N_WAIT(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        NEXT(stage)
      }
      LOAD((step + 1) % STEPS, stage, (step + 1) % STEPS)
      if (STEPS == 2) MULTIPLY_ALL(step)
    }
  }

#pragma unroll
  for (int i = 0; i < TILES_M * 2; i++) {
    const uint row = tile.row + warp_m + i / 2 * 8 + t * 2 + i % 2;
#pragma unroll
    for (int j = 0; j < TILES_N * 2; j += M_CHUNK) {
      const uint column = tile.column + warp_n + j / 2 * 16 + g * 2 + j % 2;
      double v[M_CHUNK];
#pragma unroll
      for (int e = 0; e < M_CHUNK; e++) v[e] = sum[i / 2][j / 2][i % 2 + (j + e) % 2 * 2];
      // M_CHUNK divides n: a chunk's columns all exist or none does
      if (row < args.m && column < args.n) weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, v);
    }
  }
}

#endif
