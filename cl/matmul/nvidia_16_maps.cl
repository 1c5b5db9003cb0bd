// SPDX-License-Identifier: MIT
// A product of f16 or of bf16 matrices by the warp group instructions and the tensor copies of NVIDIA GPUs of compute
// capability 9.0. Two warp groups multiply, each 64 rows of a tile of 128 x TILE_N; one work-item of a third group
// orders the copies. A work-group computes several tiles: the copies for the next one run while this one is stored. The
// text in front defines the macros of matmul/nvidia.clh and
//   TILE_N             64, 128 or 256
//   TYPE_16            "f16" or "bf16"
//   A_ALONG, B_ALONG   1: neighbours in memory are neighbours along k; 0: along rows of a, columns of b
// Lines of neighbours begin at multiples of 16 bytes, a positive number of bytes apart. There is one product.
// own[2]: the offset of 256 bytes of `maps` for each work-group, and 128 more; own[3]: work-groups.
// lint: -DWEFT_LINT=1
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=256 -DSTAGES=4 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=256 -DSTAGES=4 -DA_ALONG=0 -DB_ALONG=1
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=64 -DSTAGES=8 -DA_ALONG=1 -DB_ALONG=0
// ptxas: 384 -DPTXAS_16 -DTYPE_16="bf16" -DTILE_M=128 -DTILE_N=128 -DSTAGES=6 -DA_ALONG=1 -DB_ALONG=0
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#define T_ELEMENT_BYTES 2
#include "matmul/nvidia.clh"

#ifdef cl_nv_pragma_unroll
#include "matmul/stage_16.clh"
#include "matmul/tensor_map.clh"

// Orders the copies of an operand to a stage: lines from `line` on, steps of k from `step` on.
#define COPY_ALONG(to, map, tile, line, step, full) T_COPY(to, map, step, line, full);
#define COPY_ACROSS(to, map, tile, line, step, full)           \
  _Pragma("unroll") for (uint p = 0; p < (tile) / 64; p++)    \
    T_COPY((to) + p * PANEL_BYTES, map, (line) + p * 64, step, full);
// Its map: of lines along k, or of steps of k.
#define DESCRIBE_ALONG(at, from, tile, lines, line_stride, step_stride) \
  t_describe(at, from, (uint)args.k, (uint)(lines), (ulong)(line_stride) * 2, tile)
#define DESCRIBE_ACROSS(at, from, tile, lines, line_stride, step_stride) \
  t_describe(at, from, (uint)(lines), (uint)args.k, (ulong)(step_stride) * 2, STAGE_K)
#if A_ALONG
#define COPY_A COPY_ALONG
#define DESCRIBE_A DESCRIBE_ALONG
#else
#define COPY_A COPY_ACROSS
#define DESCRIBE_A DESCRIBE_ACROSS
#endif
#if B_ALONG
#define COPY_B COPY_ALONG
#define DESCRIBE_B DESCRIBE_ALONG
#else
#define COPY_B COPY_ACROSS
#define DESCRIBE_B DESCRIBE_ACROSS
#endif

// A warp's sums go through local memory, 64 columns at a time, so that a work-item stores neighbours. Pieces of 8
// columns are permuted, which spreads the rows of a store over the banks.
#define BUFFER_N 64
#define BUFFER_BYTES (16 * BUFFER_N * 4)
#define IN_BUFFER(row, column) ((row) * BUFFER_N + (((column) / 8) ^ ((row) & 7)) * 8 + (column) % 8)

#define FOR_TILES for (uint tile_at = (uint)get_group_id(0); tile_at < tiles; tile_at += (uint)args.own[3])

__kernel __attribute__((reqd_work_group_size(384, 1, 1)))
void weft_matmul_16_maps(M_PARAMETERS, __global uchar *maps) {
  __local uint4 memory[(512 + 1024 + STAGES * (A_STAGE + B_STAGE) + 8 * BUFFER_BYTES) / 16];
  M_BEGIN
  const uint id = (uint)get_local_id(0), group = id / 128, stages = ((uint)args.k + STAGE_K - 1) / STAGE_K;
  const uint tiles = (uint)args.own[0] * (uint)args.own[1];
  const uint a_local = ((uint)(size_t)memory + 512 + 1023) & ~1023u, b_local = a_local + STAGES * A_STAGE;
  const uint made = a_local - 2 * T_MAP_BYTES, full = a_local - 512, empty = full + 64; // a barrier for each stage
  if (id == 0) {
    for (uint s = 0; s < STAGES; s++) {
      B_INIT(full + s * 8, 1);
      B_INIT(empty + s * 8, 2);
    }
    B_PUBLISH;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint stage = 0;
  if (group == 2) {
    W_REGISTERS_LESS(40);
    if (id < 288) {
      __global uchar *a_map = maps + ((args.own[2] + T_MAP_BYTES - 1) & ~(ulong)(T_MAP_BYTES - 1)) +
                              (ulong)get_group_id(0) * (2 * T_MAP_BYTES);
      __global uchar *b_map = a_map + T_MAP_BYTES;
      T_CLEAR(made, id % 32)
      if (id == 256) {
        DESCRIBE_A(made, a, TILE_M, args.m, args.a_row, args.a_column);
        DESCRIBE_B(made + T_MAP_BYTES, b, TILE_N, args.n, args.b_column, args.b_row);
      }
      T_WARP_SYNC;
      T_PUBLISH(a_map, made);
      T_PUBLISH(b_map, made + T_MAP_BYTES);
      if (id == 256) {
        uint parity = 1;
        FOR_TILES {
          const n_tile tile = n_tile_at(args, tile_at);
          for (uint s = 0; s < stages; s++) {
            B_WAIT(empty + stage * 8, parity);
            B_EXPECT(full + stage * 8, A_STAGE + B_STAGE);
            COPY_A(a_local + stage * A_STAGE, a_map, TILE_M, tile.row, s * STAGE_K, full + stage * 8)
            COPY_B(b_local + stage * B_STAGE, b_map, TILE_N, tile.column, s * STAGE_K, full + stage * 8)
            if (++stage == STAGES) stage = 0, parity ^= 1;
          }
        }
      }
    }
  } else {
    W_REGISTERS_MORE(232);
    const uint lane = id % 32;
    __local float *buffer = (__local float *)memory +
                            (b_local + STAGES * B_STAGE + id / 32 * BUFFER_BYTES - (uint)(size_t)memory) / 4;
    const weft_matmul_place place = weft_matmul_place_of(args, 0);
    uint parity = 0;
    FOR_TILES {
      const n_tile tile = n_tile_at(args, tile_at);
      float sum[TILE_N / 2];
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
      if (id % 128 == 0) B_ARRIVE(empty + (stage == 0 ? STAGES - 1 : stage - 1) * 8);
#pragma unroll
      for (uint c = 0; c < TILE_N / BUFFER_N; c++) {
        T_WARP_SYNC;
#pragma unroll
        for (uint i = 0; i < BUFFER_N / 2; i += 2) {
          const uint row = lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2;
          *(__local float2 *)(buffer + IN_BUFFER(row, column)) =
              (float2)(sum[c * (BUFFER_N / 2) + i], sum[c * (BUFFER_N / 2) + i + 1]);
        }
        T_WARP_SYNC;
#pragma unroll 1
        for (uint i = lane; i < 16 * BUFFER_N / M_CHUNK; i += 32) {
          const uint in_row = i / (BUFFER_N / M_CHUNK), in_column = i % (BUFFER_N / M_CHUNK) * M_CHUNK;
          const uint row = tile.row + id / 32 * 16 + in_row, column = tile.column + c * BUFFER_N + in_column;
          float v[M_CHUNK];
#if M_CHUNK % 4 == 0
#pragma unroll
          for (uint e = 0; e < M_CHUNK; e += 4) {
            const float4 four = *(__local const float4 *)(buffer + IN_BUFFER(in_row, in_column) + e);
            v[e] = four.x, v[e + 1] = four.y, v[e + 2] = four.z, v[e + 3] = four.w;
          }
#else
#pragma unroll
          for (uint e = 0; e < M_CHUNK; e++) v[e] = buffer[IN_BUFFER(in_row, in_column) + e];
#endif
          // M_CHUNK divides n: a chunk's columns all exist or none does
          if (row < args.m && column < args.n) weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, v);
        }
      }
    }
  }
}

#endif
