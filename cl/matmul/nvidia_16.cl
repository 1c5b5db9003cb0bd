// SPDX-License-Identifier: MIT
// Products of f16 and of bf16 matrices on NVIDIA GPUs: matrix instructions of 16 x 8 x 16 elements, which add in f32.
// A warp computes WARP_M x WARP_N elements. Fragments of the next step are loaded while this one is computed. The
// text in front defines the macros of matmul/nvidia.clh and
//   TILE_K             32 or 64
//   WARP_M, WARP_N     elements of a warp's tile, multiples of 16
//   TYPE_16            "f16" or "bf16"
//   A_ALONG, B_ALONG   1: neighbours in memory are neighbours along k; 0: along rows of a, columns of b
// Lines of neighbours begin at multiples of 16 bytes.
// lint: -DWEFT_LINT=1
// ptxas: 256 -DPTXAS_16 -DTYPE_16="f16" -DTILE_M=128 -DTILE_N=256 -DTILE_K=32 -DWARP_M=64 -DWARP_N=64 -DSTAGES=3 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 256 -DPTXAS_16 -DTYPE_16="f16" -DTILE_M=128 -DTILE_N=256 -DTILE_K=32 -DWARP_M=64 -DWARP_N=64 -DSTAGES=3 -DA_ALONG=0 -DB_ALONG=1
// ptxas: 256 -DPTXAS_16 -DTYPE_16="f16" -DTILE_M=128 -DTILE_N=128 -DTILE_K=32 -DWARP_M=64 -DWARP_N=32 -DSTAGES=4 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 256 -DPTXAS_16 -DTYPE_16="f16" -DTILE_M=128 -DTILE_N=128 -DTILE_K=32 -DWARP_M=64 -DWARP_N=32 -DSTAGES=4 -DA_ALONG=0 -DB_ALONG=1
// ptxas: 128 -DPTXAS_16 -DTYPE_16="f16" -DTILE_M=64 -DTILE_N=64 -DTILE_K=32 -DWARP_M=32 -DWARP_N=32 -DSTAGES=4 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 128 -DPTXAS_16 -DTYPE_16="f16" -DTILE_M=64 -DTILE_N=64 -DTILE_K=32 -DWARP_M=32 -DWARP_N=32 -DSTAGES=4 -DA_ALONG=0 -DB_ALONG=1
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/nvidia.clh"

#define THREADS (TILE_M / WARP_M * (TILE_N / WARP_N) * 32)
#define TILES_M (WARP_M / 16)
#define TILES_N (WARP_N / 8)
#define STEPS (TILE_K / 16)
#define A_STAGE (TILE_M * TILE_K * 2)
#define B_STAGE (TILE_N * TILE_K * 2)

#ifdef cl_nv_pragma_unroll

// In local memory a stage's tile is rows of 16-byte pieces: a row for each line along k (along), or for each step of
// k (across). Pieces are permuted so that the 8 rows of an 8 x 8 matrix are in different banks.
#if TILE_K == 64
#define PERMUTED_ALONG(piece, row) ((piece) ^ ((row) & 7))
#else
#define PERMUTED_ALONG(piece, row) ((piece) ^ ((row) >> 1 & 3))
#endif
#define PERMUTED_ACROSS(piece, row) ((piece) ^ ((row) & 7))

// The copies of an operand to a stage at `to`. `lines`: rows of `a` or columns of `b` from the tile's first on;
// `stride` is the distance of rows in memory.
#define COPY_ALONG(to, tile, from, stride, lines) \
  _Pragma("unroll") for (uint i = 0; i < tile * TILE_K / 8 / THREADS; i++) { \
    const uint e = id + i * THREADS, row = e / (TILE_K / 8), piece = e % (TILE_K / 8); \
    const int bytes = (int)row < lines ? min(max(left - (int)piece * 8, 0), 8) * 2 : 0; \
    N_COPY_16(to + (row * (TILE_K / 8) + PERMUTED_ALONG(piece, row)) * 16, from + (row * stride + piece * 8), bytes); \
  }
#define COPY_ACROSS(to, tile, from, stride, lines)                                                                 \
  _Pragma("unroll") for (uint i = 0; i < tile * TILE_K / 8 / THREADS; i++) {                                      \
    const uint e = id + i * THREADS, row = e / (tile / 8), piece = e % (tile / 8);                                \
    const int bytes = (int)row < left ? min(max(lines - (int)piece * 8, 0), 8) * 2 : 0;                           \
    N_COPY_16(to + (row * (tile / 8) + PERMUTED_ACROSS(piece, row)) * 16, from + (row * stride + piece * 8), bytes); \
  }

#define LOAD_MATRICES(to, at)                                                                                  \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                                \
               : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3])                                   \
               : "r"(at)                                                                                      \
               : "memory")
#define LOAD_TURNED(to, at)                                                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"                          \
               : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3])                                   \
               : "r"(at)                                                                                      \
               : "memory")

// Four 8 x 8 matrices: of the fragment of `a` at rows 0, 8, 0, 8 and steps 0, 0, 8, 8; of two fragments of `b` at
// steps 0, 8, 0, 8 and columns 0, 0, 8, 8. A work-item names a row of one.
#if A_ALONG
#define COPY_A(to) COPY_ALONG(to, TILE_M, from_a, args.a_row, rows)
#define NEXT_A from_a += TILE_K
#define LOAD_A(to, stage, step, i)                                                                            \
  LOAD_MATRICES(to, a_local + (stage) * A_STAGE + ((warp_m + i * 16 + lane % 16) * (TILE_K / 8) +             \
                                                  PERMUTED_ALONG((step) * 2 + lane / 16, lane % 16)) * 16)
#else
#define COPY_A(to) COPY_ACROSS(to, TILE_M, from_a, args.a_column, rows)
#define NEXT_A from_a += TILE_K * args.a_column
#define LOAD_A(to, stage, step, i)                                                                               \
  LOAD_TURNED(to, a_local + (stage) * A_STAGE + (((step) * 16 + lane % 8 + lane / 16 * 8) * (TILE_M / 8) +       \
                                                PERMUTED_ACROSS(warp_m / 8 + i * 2 + lane / 8 % 2, lane)) * 16)
#endif
#if B_ALONG
#define COPY_B(to) COPY_ALONG(to, TILE_N, from_b, args.b_column, columns)
#define NEXT_B from_b += TILE_K
#define LOAD_B(to, stage, step, j)                                                                               \
  LOAD_MATRICES(to, b_local + (stage) * B_STAGE + ((warp_n + j * 16 + lane % 8 + lane / 16 * 8) * (TILE_K / 8) + \
                                                   PERMUTED_ALONG((step) * 2 + lane / 8 % 2, \
                                                                  lane % 8 + lane / 16 * 8)) * 16)
#else
#define COPY_B(to) COPY_ACROSS(to, TILE_N, from_b, args.b_row, columns)
#define NEXT_B from_b += TILE_K * args.b_row
#define LOAD_B(to, stage, step, j)                                                                        \
  LOAD_TURNED(to, b_local + (stage) * B_STAGE + (((step) * 16 + lane % 16) * (TILE_N / 8) +               \
                                                PERMUTED_ACROSS(warp_n / 8 + j * 2 + lane / 16, lane)) * 16)
#endif

// Copies the next tiles along k to a stage.
#define FETCH(stage)                   \
  {                                    \
    COPY_A(a_local + (stage) * A_STAGE) \
    COPY_B(b_local + (stage) * B_STAGE) \
    NEXT_A;                            \
    NEXT_B;                            \
    left -= TILE_K;                    \
  }
// Loads the fragments of a step of a stage.
#define LOAD(to, stage, step)                                                           \
  {                                                                                     \
    _Pragma("unroll") for (uint i = 0; i < TILES_M; i++) LOAD_A(x[to][i], stage, step, i); \
    _Pragma("unroll") for (uint j = 0; j < TILES_N / 2; j++) LOAD_B(y[to][j], stage, step, j); \
  }

#define MULTIPLY(sum, x, y0, y1)                                                                                     \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." TYPE_16 "." TYPE_16                                                   \
      ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                                   \
      : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3])                                               \
      : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "r"(y0), "r"(y1))

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void weft_matmul_16(M_PARAMETERS) {
  __local uint4 tiles[STAGES * (A_STAGE + B_STAGE) / 16];
  float sum[TILES_M][TILES_N][4];
  uint x[2][TILES_M][4], y[2][TILES_N / 2][4];
  M_BEGIN
  const n_tile tile = n_tile_of(args);
  const weft_matmul_place place = weft_matmul_place_of(args, tile.batch);
  const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
  const uint a_local = (uint)(size_t)tiles, b_local = a_local + STAGES * A_STAGE;
  const uint warp_m = warp / (TILE_N / WARP_N) * WARP_M, warp_n = warp % (TILE_N / WARP_N) * WARP_N;
  __global const ushort *from_a = (__global const ushort *)a + (place.a + (long)tile.row * args.a_row);
  __global const ushort *from_b = (__global const ushort *)b + (place.b + (long)tile.column * args.b_column);
  const int rows = (int)min(args.m - tile.row, (ulong)TILE_M), columns = (int)min(args.n - tile.column, (ulong)TILE_N);
  int left = (int)place.k;
  const uint steps = ((uint)left + TILE_K - 1) / TILE_K;
#pragma unroll
  for (uint i = 0; i < TILES_M * TILES_N * 4; i++) sum[i / 4 / TILES_N][i / 4 % TILES_N][i % 4] = 0;

#pragma unroll
  for (uint s = 0; s < STAGES - 1; s++) {
    if (left > 0) FETCH(s)
    N_COMMIT;
  }
  N_WAIT(STAGES - 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint stage = 0, next = STAGES - 1;
  LOAD(0, 0, 0)
  for (uint s = 0; s < steps; s++) {
#pragma unroll
    for (uint step = 0; step < STEPS; step++) {
      if (step == STEPS - 1) { // the next stage has arrived; all work-items have read this one
        N_WAIT(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
      }
      LOAD((step + 1) % 2, stage, (step + 1) % STEPS)
      if (step == 0) {
        if (left > 0) FETCH(next)
        N_COMMIT;
        next = next + 1 == STAGES ? 0 : next + 1;
      }
#pragma unroll
      for (uint i = 0; i < TILES_M; i++)
#pragma unroll
        for (uint c = 0; c < TILES_N; c++) {
          const uint j = i % 2 ? TILES_N - 1 - c : c; // keeps a fragment of b in use
          MULTIPLY(sum[i][j], x[step % 2][i], y[step % 2][j / 2][j % 2 * 2], y[step % 2][j / 2][j % 2 * 2 + 1]);
        }
    }
  }

#pragma unroll
  for (uint i = 0; i < TILES_M * 2; i++) {
    const uint row = tile.row + warp_m + i * 8 + lane / 4;
#pragma unroll
    for (uint j = 0; j < TILES_N * 2; j += M_CHUNK) {
      const uint column = tile.column + warp_n + j / 2 * 8 + lane % 4 * 2 + j % 2;
      // M_CHUNK divides n: a chunk's columns all exist or none does
      if (row < args.m && column < args.n)
        weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, &sum[i / 2][j / 2][i % 2 * 2 + j % 2]);
    }
  }
}

#endif
