// SPDX-License-Identifier: MIT
// A product of f64 matrices by the matrix instructions and the tensor copies of NVIDIA GPUs of compute capability 9.0.
// Eight warps multiply, each 32 x 32 elements of a tile of 64 x 128; one work-item of a ninth warp orders the copies. A
// work-group computes several tiles: the copies for the next one run while this one is stored. Warps wait for stages,
// not for each other. The text in front defines the macros of matmul/nvidia.clh. Neighbours of `a` are neighbours along
// k, neighbours of `b` along n; lines begin at multiples of 16 bytes, a positive number of bytes apart. There is one
// product.
// own[2]: the offset of 256 bytes of `maps` for each work-group, and 128 more; own[3]: work-groups.
// lint: -DWEFT_LINT=1
// ptxas: 288 -DPTXAS_64 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DSTAGES=8
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#define T_ELEMENT_BYTES 8
#include "matmul/nvidia.clh"

#ifdef cl_nv_pragma_unroll
#include "matmul/multiply_f64.clh"
#include "matmul/tensor_map.clh"
#include "matmul/wgmma.clh"

#define WARPS (TILE_M / WARP_M * (TILE_N / WARP_N))
// A stage's tiles are rows of 128 bytes, whose 16-byte pieces are permuted (W_PERMUTED): a row for each row of `a`, and
// for each panel of 16 columns of `b` a row for each step of k.
#define A_STAGE (TILE_M * 128)
#define B_STAGE (TILE_N * 128)
#define PANEL_BYTES (TILE_K * 128)

// Loads the fragments of a step, which is one of two: multiply_f64.clh. Row n of a block of 8 rows of `a` is row
// IN_BLOCK(n) in memory; work-items that load at once then read different banks.
#define IN_BLOCK(n) ((n) / 2 + (n) % 2 * 4)
#define LOAD(to, stage, step)                                                                                  \
  {                                                                                                            \
    _Pragma("unroll") for (int i = 0; i < TILES_M; i++) {                                                     \
      const double2 v = a_tiles[(stage) * (A_STAGE / 16) + i * 64 + (int)(a_piece ^ (step) * 4)];              \
      x[to][i][0] = v.x;                                                                                       \
      x[to][i][1] = v.y;                                                                                       \
    }                                                                                                          \
    _Pragma("unroll") for (int j = 0; j < TILES_N * 2; j++) {                                                 \
      const double2 v = b_tiles[(stage) * (B_STAGE / 16) + (step) * 64 + j / 2 * (PANEL_BYTES / 16) +          \
                                (int)(j % 2 ? b_odd : b_even)];                                                \
      y[to][j / 2][j % 2 * 2] = v.x;                                                                           \
      y[to][j / 2][j % 2 * 2 + 1] = v.y;                                                                       \
    }                                                                                                          \
  }
#define FOR_TILES for (uint tile_at = (uint)get_group_id(0); tile_at < tiles; tile_at += (uint)args.own[3])

__kernel __attribute__((reqd_work_group_size(WARPS * 32 + 32, 1, 1)))
void weft_matmul_f64_maps(M_PARAMETERS, __global uchar *maps) {
  __local uint4 memory[(512 + 1024 + STAGES * (A_STAGE + B_STAGE)) / 16];
  M_BEGIN
  const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
  const uint stages = ((uint)args.k + TILE_K - 1) / TILE_K, tiles = (uint)args.own[0] * (uint)args.own[1];
  const uint a_local = ((uint)(size_t)memory + 512 + 1023) & ~1023u, b_local = a_local + STAGES * A_STAGE;
  const uint made = a_local - 2 * T_MAP_BYTES, full = a_local - 512, empty = full + 64; // a barrier for each stage
  if (id == 0) {
    for (uint s = 0; s < STAGES; s++) {
      B_INIT(full + s * 8, 1);
      B_INIT(empty + s * 8, WARPS);
    }
    B_PUBLISH;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint stage = 0;
  if (warp == WARPS) {
    __global uchar *a_map = maps + ((args.own[2] + T_MAP_BYTES - 1) & ~(ulong)(T_MAP_BYTES - 1)) +
                            (ulong)get_group_id(0) * (2 * T_MAP_BYTES);
    __global uchar *b_map = a_map + T_MAP_BYTES;
    T_CLEAR(made, lane)
    if (lane == 0) {
      t_describe(made, a, (uint)args.k, (uint)args.m, (ulong)args.a_row * 8, TILE_M);
      t_describe(made + T_MAP_BYTES, b, (uint)args.n, (uint)args.k, (ulong)args.b_row * 8, TILE_K);
    }
    T_WARP_SYNC;
    T_PUBLISH(a_map, made);
    T_PUBLISH(b_map, made + T_MAP_BYTES);
    if (lane == 0) {
      uint parity = 1;
      FOR_TILES {
        const n_tile tile = n_tile_at(args, tile_at);
        for (uint s = 0; s < stages; s++) {
          B_WAIT(empty + stage * 8, parity);
          B_EXPECT(full + stage * 8, A_STAGE + B_STAGE);
          T_COPY(a_local + stage * A_STAGE, a_map, s * TILE_K, tile.row, full + stage * 8);
#pragma unroll
          for (uint p = 0; p < TILE_N / 16; p++)
            T_COPY(b_local + stage * B_STAGE + p * PANEL_BYTES, b_map, tile.column + p * 16, s * TILE_K,
                   full + stage * 8);
          if (++stage == STAGES) stage = 0, parity ^= 1;
        }
      }
    }
  } else {
    double sum[TILES_M][TILES_N][4], x[2][TILES_M][2], y[2][TILES_N][4];
    const uint g = lane / 4, t = lane % 4, warp_m = warp / (TILE_N / WARP_N) * WARP_M;
    const uint warp_n = warp % (TILE_N / WARP_N) * WARP_N, row_in = IN_BLOCK(g);
    __local const double2 *a_tiles =
        (__local const double2 *)memory + (a_local - (uint)(size_t)memory) / 16 + (warp_m + row_in) * 8;
    __local const double2 *b_tiles =
        (__local const double2 *)memory + (b_local - (uint)(size_t)memory) / 16 + warp_n / 16 * (PANEL_BYTES / 16);
    const uint a_piece = W_PERMUTED(t, row_in, 128);
    const uint b_even = 2 * t * 8 + W_PERMUTED(g, 2 * t, 128), b_odd = (2 * t + 1) * 8 + W_PERMUTED(g, 2 * t + 1, 128);
    const weft_matmul_place place = weft_matmul_place_of(args, 0);
    uint parity = 0;
    FOR_TILES {
      const n_tile tile = n_tile_at(args, tile_at);
#pragma unroll
      for (uint i = 0; i < TILES_M * TILES_N * 4; i++) sum[i / 4 / TILES_N][i / 4 % TILES_N][i % 4] = 0;
      B_WAIT(full + stage * 8, parity);
      LOAD(0, (int)stage, 0)
      for (uint s = 0; s < stages; s++) {
        LOAD(1, (int)stage, 1)
        MULTIPLY_ALL(0)
        T_WARP_SYNC;
        if (lane == 0) B_ARRIVE(empty + stage * 8);
        if (++stage == STAGES) stage = 0, parity ^= 1;
        if (s + 1 < stages) {
          B_WAIT(full + stage * 8, parity);
          LOAD(0, (int)stage, 0)
        }
        MULTIPLY_ALL(1)
      }
#pragma unroll
      for (int i = 0; i < TILES_M * 2; i++) {
        const uint row = tile.row + warp_m + i / 2 * 8 + IN_BLOCK(t * 2 + i % 2);
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
  }
}

#endif
