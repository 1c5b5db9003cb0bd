// SPDX-License-Identifier: MIT
// Products of f16 and of bf16 matrices by the warp group instructions of NVIDIA GPUs of compute capability 9.0. Two
// warp groups multiply, each 64 rows of a tile of 128 x TILE_N; a third one copies. The text in front defines the
// macros of matmul/nvidia.clh and
//   TILE_N             64, 128 or 256
//   TYPE_16            "f16" or "bf16"
//   A_ALONG, B_ALONG   1: neighbours in memory are neighbours along k; 0: along rows of a, columns of b
// Lines of neighbours begin at multiples of 16 bytes; 256 lines lie within 2^31 elements.
// lint: -DWEFT_LINT=1
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=256 -DSTAGES=4 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=256 -DSTAGES=4 -DA_ALONG=0 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=256 -DSTAGES=4 -DA_ALONG=1 -DB_ALONG=1
// ptxas: 384 spills=16 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=256 -DSTAGES=4 -DA_ALONG=0 -DB_ALONG=1
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=64 -DSTAGES=8 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=128 -DSTAGES=6 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=128 -DSTAGES=6 -DA_ALONG=0 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=128 -DSTAGES=6 -DA_ALONG=1 -DB_ALONG=1
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=128 -DSTAGES=6 -DA_ALONG=0 -DB_ALONG=1
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/nvidia.clh"

#ifdef cl_nv_pragma_unroll
#include "matmul/stage_16.clh"

#define LAG 1 // stages whose copies are on their way behind the one that is awaited

// A work-item of the third group copies a piece of 16 bytes of every 16th row. `from` is the address of its piece in
// the first row, `hop` the distance of 16 rows; `lines` counts from the tile's first, `left` the steps of k.
#define COPY_ALONG(to, tile, from, hop, lines)                                          \
  {                                                                                     \
    const int bytes = min(max(left - (int)piece * 8, 0), 8) * 2;                        \
    _Pragma("unroll") for (int i = 0; i < tile / 16; i++)                              \
      N_COPY_16(to + i * 16 * ROW_BYTES, from + i * hop, (int)row + i * 16 < lines ? bytes : 0); \
  }
#define COPY_ACROSS(to, tile, from, hop, lines)                                                                \
  _Pragma("unroll") for (int p = 0; p < tile / 64; p++) {                                                     \
    const int bytes = min(max(lines - p * 64 - (int)piece * 8, 0), 8) * 2;                                     \
    _Pragma("unroll") for (int i = 0; i < STAGE_K / 16; i++)                                                  \
      N_COPY_16(to + p * PANEL_BYTES + i * 16 * ROW_BYTES, from + p * 64 + i * hop, \
                (int)row + i * 16 < left ? bytes : 0); \
  }
#if A_ALONG
#define COPY_A COPY_ALONG
#define A_ROW args.a_row
#define A_NEXT STAGE_K
#else
#define COPY_A COPY_ACROSS
#define A_ROW args.a_column
#define A_NEXT STAGE_K * args.a_column
#endif
#if B_ALONG
#define COPY_B COPY_ALONG
#define B_ROW args.b_column
#define B_NEXT STAGE_K
#else
#define COPY_B COPY_ACROSS
#define B_ROW args.b_row
#define B_NEXT STAGE_K * args.b_row
#endif

__kernel __attribute__((reqd_work_group_size(384, 1, 1)))
void weft_matmul_16_groups(M_PARAMETERS) {
  __local uint4 memory[W_STAGES_BYTES / 16];
  M_BEGIN
  const n_tile tile = n_tile_of(args);
  const weft_matmul_place place = weft_matmul_place_of(args, tile.batch);
  const uint id = (uint)get_local_id(0), group = id / 128, stages = ((uint)place.k + STAGE_K - 1) / STAGE_K;
  W_STAGES_BEGIN(memory, 128)
  uint stage = 0;
  if (group == 2) {
    W_REGISTERS_LESS(40);
    const uint row = id % 128 / 8, piece = id % 8;
    const int rows = (int)min(args.m - tile.row, (ulong)TILE_M);
    const int columns = (int)min(args.n - tile.column, (ulong)TILE_N);
    const int a_hop = 16 * (int)A_ROW, b_hop = 16 * (int)B_ROW;
    __global const ushort *from_a =
        (__global const ushort *)a + (place.a + (long)tile.row * args.a_row + (long)row * A_ROW + piece * 8);
    __global const ushort *from_b =
        (__global const ushort *)b + (place.b + (long)tile.column * args.b_column + (long)row * B_ROW + piece * 8);
    const uint at = row * ROW_BYTES + W_PERMUTED(piece, row, ROW_BYTES) * 16;
    int left = (int)place.k;
    uint parity = 1, arrived = 0;
    for (uint s = 0; s < stages + LAG; s++) {
      if (s < stages) {
        B_WAIT(empty + stage * 8, parity);
        COPY_A(a_local + stage * A_STAGE + at, TILE_M, from_a, a_hop, rows)
        COPY_B(b_local + stage * B_STAGE + at, TILE_N, from_b, b_hop, columns)
        from_a += A_NEXT;
        from_b += B_NEXT;
        left -= STAGE_K;
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
      N_COMMIT;
      if (s >= LAG) {
        N_WAIT(LAG);
        W_COPIED;
        B_ARRIVE(full + arrived * 8);
        if (++arrived == STAGES) arrived = 0;
      }
    }
  } else {
    W_REGISTERS_MORE(232);
    float sum[TILE_N / 2];
    uint parity = 0;
#pragma unroll
    for (uint i = 0; i < TILE_N / 2; i++) sum[i] = 0;
    for (uint s = 0; s < stages; s++) {
      B_WAIT(full + stage * 8, parity);
      const ulong a_stage = MATRIX_A(a_local + stage * A_STAGE + group * 64 * ROW_BYTES);
      const ulong b_stage = MATRIX_B(b_local + stage * B_STAGE);
      W_BEGIN;
#pragma unroll
      for (uint k = 0; k < STAGE_K / 16; k++) MULTIPLY(sum, a_stage + k * A_STEP, b_stage + k * B_STEP);
      W_COMMIT;
      W_WAIT(1);
      if (s > 0 && id % 128 == 0) B_ARRIVE(empty + (stage == 0 ? STAGES - 1 : stage - 1) * 8);
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    W_WAIT(0);
#pragma unroll
    for (uint i = 0; i < TILE_N / 2; i++) W_READY(sum[i]);
#pragma unroll
    for (uint r = 0; r < 2; r++) {
      const uint row = tile.row + id / 32 * 16 + id % 32 / 4 + r * 8;
#pragma unroll
      for (uint j = 0; j < TILE_N / 4; j += M_CHUNK) {
        const uint column = tile.column + j / 2 * 8 + id % 4 * 2 + j % 2;
        // M_CHUNK divides n: a chunk's columns all exist or none does
        if (row < args.m && column < args.n)
          weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, &sum[j / 2 * 4 + j % 2 + r * 2]);
      }
    }
  }
}

#endif
