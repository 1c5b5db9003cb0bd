// SPDX-License-Identifier: MIT
// Products of f32 and of 8-bit integer matrices by the tensor cores of NVIDIA GPUs of compute capability 9.0. The
// operands are first copied into panels (matmul/panels.h). Two warp groups multiply, each 64 rows of a tile of 128 x
// TILE_N; one work-item of a third group orders the copies. The text in front defines the macros of matmul/nvidia.clh
// and
//   PLANES      1: elements are rounded to tf32. 2: an element is the sum of two tf32, and three products of these are
//               added; the fourth, of the small parts, is below f32's precision
//   TYPES_8     of 8-bit integers, with 1 plane: the types of a and b, "s8.u8"
//   TILE_N      64, 128 or 256
//   ROW_BYTES   bytes along k of a line in a stage: 128, 64 or 32
// Tensor cores add without rounding to nearest: with two planes they add only over one stage, into sums that begin at
// 0, and f32 additions add these.
// lint: -DWEFT_LINT=1
// ptxas: 384 -DTILE_M=128 -DTILE_N=256 -DPLANES=1 -DROW_BYTES=128 -DSTAGES=4 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTILE_M=128 -DTILE_N=128 -DPLANES=1 -DROW_BYTES=128 -DSTAGES=6 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTILE_M=128 -DTILE_N=256 -DPLANES=2 -DROW_BYTES=64 -DSTAGES=4 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTILE_M=128 -DTILE_N=128 -DPLANES=2 -DROW_BYTES=64 -DSTAGES=6 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTYPES_8="s8.u8" -DTILE_M=128 -DTILE_N=256 -DPLANES=1 -DROW_BYTES=128 -DSTAGES=4 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTYPES_8="s8.u8" -DTILE_M=128 -DTILE_N=128 -DPLANES=1 -DROW_BYTES=128 -DSTAGES=6 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTILE_M=128 -DTILE_N=64 -DPLANES=1 -DROW_BYTES=128 -DSTAGES=8 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTILE_M=128 -DTILE_N=64 -DPLANES=2 -DROW_BYTES=64 -DSTAGES=8 -DM_CHUNK=2 -DM_RAW=uint2
// ptxas: 384 -DTYPES_8="s8.u8" -DTILE_M=128 -DTILE_N=64 -DPLANES=1 -DROW_BYTES=128 -DSTAGES=8 -DM_CHUNK=2 -DM_RAW=uint2
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/nvidia.clh"
#include "matmul/panels.h"

#ifdef TYPES_8
#define PIECE 16 // elements of 16 bytes
#define PACKED uchar
#define W_CLASS "+r"
#else
#define PIECE 4
#define PACKED float
#endif
#define BLOCK_K (ROW_BYTES / 16 * PIECE)            // elements along k of a block
#define PLANE_BYTES (WEFT__PANEL_LINES * ROW_BYTES) // of a block
#define BLOCK_BYTES (PLANES * PLANE_BYTES)
#define A_STAGE BLOCK_BYTES
#define B_PANELS ((TILE_N + WEFT__PANEL_LINES - 1) / WEFT__PANEL_LINES) // of a tile, which may need half of one
#define B_LINES (TILE_N / B_PANELS)                                      // of a panel
#define B_PLANE_BYTES (B_LINES * ROW_BYTES)
#define B_STAGE (TILE_N * ROW_BYTES * PLANES)
#define PACK_THREADS 256

#ifdef cl_nv_pragma_unroll
#include "matmul/wgmma.clh"

// ---- panels ----

static inline bool is_finite(float x) {
  return (as_uint(x) & 0x7f800000) != 0x7f800000;
}

/// Rounded to nearest tf32; if that were infinite for a finite x, rounded towards zero.
static inline float tf32(float x) {
  const float up = as_float(as_uint(x) + 0x1000);
  return is_finite(x) ? as_float(as_uint(is_finite(up) ? up : x) & 0xffffe000) : x + x;
}

#define PACK_LINE (WEFT__PANEL_LINES + 1)
#define PACK_FUNCTION pack_a
#define PACK_TYPE M_A
#define PACK_LOAD(x) (PACKED)M_LOAD_A(x)
#include "matmul/pack.clh"
#undef PACK_FUNCTION
#undef PACK_TYPE
#undef PACK_LOAD
#define PACK_FUNCTION pack_b
#define PACK_TYPE M_B
#define PACK_LOAD(x) (PACKED)M_LOAD_B(x)
#include "matmul/pack.clh"

__kernel __attribute__((reqd_work_group_size(PACK_THREADS, 1, 1)))
void weft_matmul_pack(const weft__pack_args args, __global uchar *restrict panels, __global const uchar *restrict a,
                      __global const uchar *restrict b) {
  __local PACKED tile[BLOCK_K][PACK_LINE];
  const uint group = (uint)get_group_id(0), a_groups = (uint)args.a_groups;
  if (group < a_groups)
    pack_a(args.a, group, tile, panels, a);
  else
    pack_b(args.b, group - a_groups, tile, panels, b);
}

// ---- the product ----

#ifdef TYPES_8
#define INSTRUCTION(n) "m64n" #n "k32.s32." TYPES_8
#define SIGNS ""
#else
#define INSTRUCTION(n) "m64n" #n "k8.f32.tf32.tf32"
#define SIGNS ", 1, 1"
#endif
#if TILE_N == 64
#define SUM_N 64
#define MULTIPLY(sum, a, b, adds) W_MULTIPLY_64(sum, a, b, adds, INSTRUCTION(64), SIGNS)
#elif TILE_N == 128 || PLANES == 2 // two planes need registers for the sums of a stage, too
#define SUM_N 128
#define MULTIPLY(sum, a, b, adds) W_MULTIPLY_128(sum, a, b, adds, INSTRUCTION(128), SIGNS)
#else
#define SUM_N 256
#define MULTIPLY(sum, a, b, adds) W_MULTIPLY_256(sum, a, b, adds, INSTRUCTION(256), SIGNS)
#endif
#define PARTS (TILE_N / SUM_N)

/// A plane of a times a plane of b, over a stage.
#define MULTIPLY_PLANES(sum, a_plane, b_plane, adds)                          \
  _Pragma("unroll") for (uint k = 0; k < ROW_BYTES / 32; k++)                \
    MULTIPLY(sum, a_stage + (a_plane) * (PLANE_BYTES / 16) + k * 2,           \
             b_stage + part * (BLOCK_BYTES / 16) + (b_plane) * (B_PLANE_BYTES / 16) + k * 2, (adds) || k > 0);

__kernel __attribute__((reqd_work_group_size(384, 1, 1)))
void weft_matmul_panels(M_PARAMETERS) {
  __local uint4 memory[W_STAGES_BYTES / 16];
  M_BEGIN
  const n_tile tile = n_tile_of(args);
  const weft_matmul_place place = weft_matmul_place_of(args, tile.batch); // a, b: in bytes
  const uint id = (uint)get_local_id(0), group = id / 128, blocks = (uint)args.own[2];
  W_STAGES_BEGIN(memory, 1)
  uint stage = 0;
  if (group == 2) {
    W_REGISTERS_LESS(40);
    if (id == 256) {
      __global const uchar *from_a = a + place.a + (ulong)(tile.row / WEFT__PANEL_LINES) * blocks * BLOCK_BYTES;
      __global const uchar *from_b = b + place.b + (ulong)(tile.column / WEFT__PANEL_LINES) * blocks * BLOCK_BYTES +
                                   tile.column % WEFT__PANEL_LINES * ROW_BYTES;
      uint parity = 1;
      for (uint s = 0; s < blocks; s++) {
        B_WAIT(empty + stage * 8, parity);
        B_EXPECT(full + stage * 8, A_STAGE + B_STAGE);
        B_COPY(a_local + stage * A_STAGE, from_a, BLOCK_BYTES, full + stage * 8);
#if B_LINES == WEFT__PANEL_LINES
#pragma unroll
        for (uint p = 0; p < B_PANELS; p++)
          B_COPY(b_local + stage * B_STAGE + p * BLOCK_BYTES, from_b + (ulong)p * blocks * BLOCK_BYTES, BLOCK_BYTES,
                 full + stage * 8);
#else
#pragma unroll
        for (uint p = 0; p < PLANES; p++)
          B_COPY(b_local + stage * B_STAGE + p * B_PLANE_BYTES, from_b + p * PLANE_BYTES, B_PLANE_BYTES,
                 full + stage * 8);
#endif
        from_a += BLOCK_BYTES;
        from_b += BLOCK_BYTES;
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
  } else {
    W_REGISTERS_MORE(232);
    M_ACC sum[PARTS][SUM_N / 2];
    uint parity = 0;
#pragma unroll
    for (uint i = 0; i < TILE_N / 2; i++) sum[i / (SUM_N / 2)][i % (SUM_N / 2)] = 0;
    for (uint s = 0; s < blocks; s++) {
      B_WAIT(full + stage * 8, parity);
      const ulong a_stage = W_MATRIX(a_local + stage * A_STAGE + group * 64 * ROW_BYTES, ROW_BYTES);
      const ulong b_stage = W_MATRIX(b_local + stage * B_STAGE, ROW_BYTES);
#if PLANES == 2
#pragma unroll
      for (uint part = 0; part < PARTS; part++) {
        float stage_sum[SUM_N / 2];
        W_BEGIN;
        MULTIPLY_PLANES(stage_sum, 1, 0, 0)
        MULTIPLY_PLANES(stage_sum, 0, 1, 1)
        MULTIPLY_PLANES(stage_sum, 0, 0, 1)
        W_COMMIT;
        W_WAIT(0);
#pragma unroll
        for (uint i = 0; i < SUM_N / 2; i++) {
          W_READY(stage_sum[i]);
          sum[part][i] += stage_sum[i];
        }
      }
      if (id % 128 == 0) B_ARRIVE(empty + stage * 8);
#else
      const uint part = 0;
      W_BEGIN;
      MULTIPLY_PLANES(sum[0], 0, 0, 1)
      W_COMMIT;
      W_WAIT(1);
      if (s > 0 && id % 128 == 0) B_ARRIVE(empty + (stage == 0 ? STAGES - 1 : stage - 1) * 8);
#endif
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    W_WAIT(0);
#pragma unroll
    for (uint i = 0; i < TILE_N / 2; i++) W_READY(sum[i / (SUM_N / 2)][i % (SUM_N / 2)]);
#pragma unroll
    for (uint r = 0; r < 2; r++) {
      const uint row = tile.row + id / 32 * 16 + id % 32 / 4 + r * 8;
#pragma unroll
      for (uint j = 0; j < TILE_N / 4; j += M_CHUNK) {
        const uint column = tile.column + j / 2 * 8 + id % 4 * 2 + j % 2, i = j / 2 * 4 + j % 2 + r * 2;
        // M_CHUNK divides n: a chunk's columns all exist or none does
        if (row < args.m && column < args.n)
          weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, &sum[i / (SUM_N / 2)][i % (SUM_N / 2)]);
      }
    }
  }
}

#endif
