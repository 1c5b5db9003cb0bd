// SPDX-License-Identifier: MIT
// Products of f32 or of c64 matrices with fused multiply-adds, on NVIDIA GPUs. A warp computes WARP_M x WARP_N
// elements, a work-item blocks of PIECE x PIECE of them: 4 x 4 of f32, 2 x 2 of c64. Both operands are in local memory
// with k as the slow axis. Fragments of the next step are loaded while this one is computed. The text in front defines
// the macros of matmul/nvidia.clh and
//   WARP_M, WARP_N   elements of a warp's tile
//   LANES_M          work-items of a warp along m; 32 / LANES_M are along n
//   A_WIDE, B_WIDE   1: the rows of `a` (columns of `b`) are neighbours in memory, PIECE can be copied at once
//   EVEN             1: m, n and k are multiples of the tile's
// Without A_WIDE or B_WIDE single elements are copied, from any strides.
// lint: -DWEFT_LINT=1
// ptxas: 256 blocks=2 -DTILE_M=128 -DTILE_N=128 -DTILE_K=16 -DWARP_M=64 -DWARP_N=32 -DLANES_M=8 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=1 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 256 blocks=2 -DTILE_M=128 -DTILE_N=128 -DTILE_K=16 -DWARP_M=64 -DWARP_N=32 -DLANES_M=8 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=0 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 256 blocks=2 -DTILE_M=128 -DTILE_N=128 -DTILE_K=16 -DWARP_M=64 -DWARP_N=32 -DLANES_M=8 -DSTAGES=3 -DA_WIDE=1 -DB_WIDE=0 -DEVEN=0 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=3 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=64 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=1 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=3 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=64 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=0 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=3 -DTILE_M=64 -DTILE_N=128 -DTILE_K=16 -DWARP_M=32 -DWARP_N=64 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=1 -DB_WIDE=0 -DEVEN=0 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=4 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=1 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=4 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=0 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=4 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=1 -DB_WIDE=0 -DEVEN=0 -DM_CHUNK=4 -DM_RAW=uint4
// ptxas: 128 blocks=3 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DLANES_M=4 -DSTAGES=4 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=1 -DM_CHUNK=2 -DM_RAW=uint4 -DPTXAS_C64
// ptxas: 128 blocks=3 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DLANES_M=4 -DSTAGES=4 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=0 -DM_CHUNK=2 -DM_RAW=uint4 -DPTXAS_C64
// ptxas: 128 blocks=3 -DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWARP_M=32 -DWARP_N=32 -DLANES_M=4 -DSTAGES=4 -DA_WIDE=1 -DB_WIDE=0 -DEVEN=0 -DM_CHUNK=2 -DM_RAW=uint4 -DPTXAS_C64
// ptxas: 128 blocks=4 -DTILE_M=64 -DTILE_N=32 -DTILE_K=16 -DWARP_M=32 -DWARP_N=16 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=1 -DM_CHUNK=2 -DM_RAW=uint4 -DPTXAS_C64
// ptxas: 128 blocks=4 spills=8 -DTILE_M=64 -DTILE_N=32 -DTILE_K=16 -DWARP_M=32 -DWARP_N=16 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=0 -DB_WIDE=1 -DEVEN=0 -DM_CHUNK=2 -DM_RAW=uint4 -DPTXAS_C64
// ptxas: 128 blocks=4 -DTILE_M=64 -DTILE_N=32 -DTILE_K=16 -DWARP_M=32 -DWARP_N=16 -DLANES_M=4 -DSTAGES=3 -DA_WIDE=1 -DB_WIDE=0 -DEVEN=0 -DM_CHUNK=2 -DM_RAW=uint4 -DPTXAS_C64
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/nvidia.clh"

#define PIECE (M_COMPLEX ? 2 : 4) // elements in 16 bytes
#define SIZE (16 / PIECE)         // bytes of an element
#define THREADS (TILE_M / WARP_M * (TILE_N / WARP_N) * 32)
#define LANES_N (32 / LANES_M)
#define BLOCKS_M (WARP_M / (LANES_M * PIECE))
#define BLOCKS_N (WARP_N / (LANES_N * PIECE))
// a row of 16 more bytes: copies of single elements along k then go to different banks
#define A_PITCH (TILE_M + PIECE)
#define B_PITCH (TILE_N + (B_WIDE ? 0 : PIECE))
#define A_STAGE (TILE_K * A_PITCH * SIZE)
#define B_STAGE (TILE_K * B_PITCH * SIZE)

#ifdef cl_nv_pragma_unroll

// The copies of an operand to a stage: of PIECE lines at once (wide), or of single elements, neighbours along k. A line
// is a row of `a` or a column of `b`. `hop` is the distance of a work-item's copies in memory; it fits 31 bits in
// bytes.
#define WIDE_LINE(tile) (id % (tile / PIECE) * PIECE)
#define WIDE_STEP(tile) (id / (tile / PIECE))
#define WIDE_COPIES(tile) (TILE_K * tile / PIECE / THREADS)
#define WIDE_HOP(tile, line, step) (int)(THREADS / (tile / PIECE)) * (int)(step)
#define WIDE_EDGE(tile, lines) min(max((int)(lines) - (int)WIDE_LINE(tile), 0), PIECE) * SIZE
#if EVEN
#define COPY_16(to, from, bytes) N_COPY_WHOLE_16(to, from)
#else
#define COPY_16 N_COPY_16
#endif
#if EVEN && M_COMPLEX
#define COPY_ELEMENT(to, from, bytes) N_COPY_WHOLE_8(to, from)
#elif EVEN
#define COPY_ELEMENT(to, from, bytes) N_COPY_WHOLE_4(to, from)
#elif M_COMPLEX
#define COPY_ELEMENT N_COPY_8
#else
#define COPY_ELEMENT N_COPY_4
#endif
#define COPY_WIDE(to, pitch, tile, from, hop, edge)                              \
  _Pragma("unroll") for (uint i = 0; i < WIDE_COPIES(tile); i++)                \
    COPY_16((to) + i * (THREADS / (tile / PIECE)) * pitch * SIZE, from + (int)i * hop, \
            WIDE_STEP(tile) + i * (THREADS / (tile / PIECE)) < left ? edge : 0);
#define SINGLE_LINE(tile) (id / TILE_K)
#define SINGLE_STEP(tile) (id % TILE_K)
#define SINGLE_COPIES(tile) (TILE_K * tile / THREADS)
#define SINGLE_HOP(tile, line, step) (int)(THREADS / TILE_K) * (int)(line)
#define SINGLE_EDGE(tile, lines) (int)(lines) - (int)SINGLE_LINE(tile)
#define COPY_SINGLE(to, pitch, tile, from, hop, edge)                             \
  const int edge##_now = SINGLE_STEP(tile) < left ? edge : 0;                    \
  _Pragma("unroll") for (uint i = 0; i < SINGLE_COPIES(tile); i++)               \
    COPY_ELEMENT((to) + i * (THREADS / TILE_K) * SIZE, from + (int)i * hop, \
                 (int)(i * (THREADS / TILE_K)) < edge##_now ? SIZE : 0);
#if A_WIDE
#define A_OF(what) WIDE_##what
#define COPY_A COPY_WIDE
#else
#define A_OF(what) SINGLE_##what
#define COPY_A COPY_SINGLE
#endif
#if B_WIDE
#define B_OF(what) WIDE_##what
#define COPY_B COPY_WIDE
#else
#define B_OF(what) SINGLE_##what
#define COPY_B COPY_SINGLE
#endif

// Copies the next tiles along k to a stage.
#define FETCH(stage)                                                               \
  {                                                                                \
    COPY_A(to_a + (stage) * A_STAGE, A_PITCH, TILE_M, from_a, a_hop, a_edge)        \
    COPY_B(to_b + (stage) * B_STAGE, B_PITCH, TILE_N, from_b, b_hop, b_edge)        \
    from_a += a_next;                                                              \
    from_b += b_next;                                                              \
    left -= min(left, (uint)TILE_K);                                               \
  }

// Loads the fragments of a step of a stage.
#define LOAD(to, stage, step)                                                                            \
  {                                                                                                      \
    _Pragma("unroll") for (uint i = 0; i < BLOCKS_M; i++)                                               \
      x[to][i] = a_lane[(stage) * (A_STAGE / 16) + (int)((step) * (A_PITCH / PIECE) + i * LANES_M)];      \
    _Pragma("unroll") for (uint j = 0; j < BLOCKS_N; j++)                                               \
      y[to][j] = b_lane[(stage) * (B_STAGE / 16) + (int)((step) * (B_PITCH / PIECE) + j * LANES_N)];      \
  }

// Float i of vectors of 4.
#define PART(v, i) \
  ((i) % 4 == 0 ? (v)[(i) / 4].x : (i) % 4 == 1 ? (v)[(i) / 4].y : (i) % 4 == 2 ? (v)[(i) / 4].z : (v)[(i) / 4].w)

// Adds the products of x0 and x1 and the floats of fragment y to the sums of rows r and r + 1. There and back along
// the rows: each instruction shares a factor with the one before it, which is then not read from the registers again.
// One statement, because the compiler needs half the time for it that it needs for calls of fma.
#define FMA(sum, row, column) "fma.rn.f32 %" #sum ", %" #row ", %" #column ", %" #sum "; "
#if M_COMPLEX
#define SUM(row, c) (*((c) % 2 ? &sum[row][(c) / 2].im : &sum[row][(c) / 2].re))
#else
#define SUM(row, c) sum[row][c]
#endif
#define SUMS(row, c) "+f"(SUM(row, c)), "+f"(SUM(row, (c) + 1)), "+f"(SUM(row, (c) + 2)), "+f"(SUM(row, (c) + 3))
#define COLUMNS(v) "f"((v).x), "f"((v).y), "f"((v).z), "f"((v).w)
#if BLOCKS_N == 2
#define MULTIPLY_ROWS(r, x0, x1, y)                                                      \
  asm(FMA(0, 16, 18) FMA(1, 16, 19) FMA(2, 16, 20) FMA(3, 16, 21)                        \
      FMA(4, 16, 22) FMA(5, 16, 23) FMA(6, 16, 24) FMA(7, 16, 25)                        \
      FMA(15, 17, 25) FMA(14, 17, 24) FMA(13, 17, 23) FMA(12, 17, 22)                    \
      FMA(11, 17, 21) FMA(10, 17, 20) FMA(9, 17, 19) FMA(8, 17, 18)                      \
      : SUMS(r, 0), SUMS(r, 4), SUMS((r) + 1, 0), SUMS((r) + 1, 4)                       \
      : "f"(x0), "f"(x1), COLUMNS((y)[0]), COLUMNS((y)[1]));
#else
#define MULTIPLY_ROWS(r, x0, x1, y)                                     \
  asm(FMA(0, 8, 10) FMA(1, 8, 11) FMA(2, 8, 12) FMA(3, 8, 13)           \
      FMA(7, 9, 13) FMA(6, 9, 12) FMA(5, 9, 11) FMA(4, 9, 10)           \
      : SUMS(r, 0), SUMS((r) + 1, 0)                                    \
      : "f"(x0), "f"(x1), COLUMNS((y)[0]));
#endif

// Adds the products of a step's fragments to the sums.
#define EACH_ROW _Pragma("unroll") for (uint r = 0; r < BLOCKS_M * PIECE; r += 2)
#if M_COMPLEX
// The real parts of p multiply q, then the imaginary parts i q: the sums have the bits of M_FMA. The negative numbers
// are operands of the instructions, not numbers in registers.
#define MULTIPLY(p, q)                                                           \
  {                                                                              \
    float4 turned[BLOCKS_N];                                                     \
    _Pragma("unroll") for (uint j = 0; j < BLOCKS_N; j++)                       \
      turned[j] = (float4)(-(q)[j].y, (q)[j].x, -(q)[j].w, (q)[j].z);            \
    EACH_ROW MULTIPLY_ROWS(r, PART(p, 2 * r), PART(p, 2 * r + 2), q)             \
    EACH_ROW MULTIPLY_ROWS(r, PART(p, 2 * r + 1), PART(p, 2 * r + 3), turned)    \
  }
#else
#define MULTIPLY(p, q) EACH_ROW MULTIPLY_ROWS(r, PART(p, r), PART(p, r + 1), q)
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void weft_matmul_f32(M_PARAMETERS) {
  __local float4 tiles[STAGES * (A_STAGE + B_STAGE) / 16];
  M_ACC sum[BLOCKS_M * PIECE][BLOCKS_N * PIECE];
  float4 x[2][BLOCKS_M], y[2][BLOCKS_N];
  M_BEGIN
  const n_tile tile = n_tile_of(args);
  const weft_matmul_place place = weft_matmul_place_of(args, tile.batch);
  const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
  const uint to_a = (uint)(size_t)tiles + (A_OF(STEP)(TILE_M) * A_PITCH + A_OF(LINE)(TILE_M)) * SIZE;
  const uint to_b =
      (uint)(size_t)tiles + STAGES * A_STAGE + (B_OF(STEP)(TILE_N) * B_PITCH + B_OF(LINE)(TILE_N)) * SIZE;
  // neighbouring work-items share rows, and every second one columns: a warp's 16-byte loads then need two accesses
  // to local memory each, not four
#if LANES_M == 8
  const uint lane_m = (lane >> 1 & 1) | lane >> 3 << 1, lane_n = (lane & 1) | (lane >> 1 & 2);
#else
  const uint lane_m = (lane >> 1 & 1) | (lane >> 2 & 2), lane_n = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
#endif
  const uint in_m = warp / (TILE_N / WARP_N) * WARP_M + lane_m * PIECE;
  const uint in_n = warp % (TILE_N / WARP_N) * WARP_N + lane_n * PIECE;
  __local const float4 *a_lane = tiles + in_m / PIECE, *b_lane = tiles + STAGES * A_STAGE / 16 + in_n / PIECE;
  __global const M_A *from_a = (__global const M_A *)a + place.a +
                               (long)(tile.row + A_OF(LINE)(TILE_M)) * args.a_row +
                               (long)A_OF(STEP)(TILE_M) * args.a_column;
  __global const M_B *from_b = (__global const M_B *)b + place.b +
                               (long)(tile.column + B_OF(LINE)(TILE_N)) * args.b_column +
                               (long)B_OF(STEP)(TILE_N) * args.b_row;
  const int a_hop = A_OF(HOP)(TILE_M, args.a_row, args.a_column), a_next = TILE_K * (int)args.a_column;
  const int b_hop = B_OF(HOP)(TILE_N, args.b_column, args.b_row), b_next = TILE_K * (int)args.b_row;
  const int a_edge = A_OF(EDGE)(TILE_M, min(args.m - tile.row, (ulong)TILE_M));
  const int b_edge = B_OF(EDGE)(TILE_N, min(args.n - tile.column, (ulong)TILE_N));
  uint left = (uint)place.k;
  const uint steps = (left + TILE_K - 1) / TILE_K;
#pragma unroll
  for (uint i = 0; i < BLOCKS_M * PIECE; i++)
#pragma unroll
    for (uint j = 0; j < BLOCKS_N * PIECE; j++) sum[i][j] = M_ZERO;

#pragma unroll
  for (uint s = 0; s < STAGES - 1; s++) {
    if (left) FETCH(s)
    N_COMMIT;
  }
  N_WAIT(STAGES - 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  int stage = 0, next = STAGES - 1; // signed: an index that cannot wrap keeps constants in addresses
  LOAD(0, 0, 0)
  for (uint s = 0; s < steps; s++) {
#pragma unroll
    for (uint step = 0; step < TILE_K; step++) {
      if (step == TILE_K - 1) { // the next stage has arrived; all work-items have read this one
        N_WAIT(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
      }
      LOAD((step + 1) % 2, stage, (step + 1) % TILE_K)
      if (step == 0) {
        if (left) FETCH(next)
        N_COMMIT;
        next = next + 1 == STAGES ? 0 : next + 1;
      }
      MULTIPLY(x[step % 2], y[step % 2])
    }
  }

#pragma unroll
  for (uint i = 0; i < BLOCKS_M * PIECE; i++) {
    const uint row = tile.row + in_m + i / PIECE * LANES_M * PIECE + i % PIECE;
#pragma unroll
    for (uint j = 0; j < BLOCKS_N * PIECE; j += M_CHUNK) {
      const uint column = tile.column + in_n + j / PIECE * LANES_N * PIECE + j % PIECE;
      // M_CHUNK divides n: a chunk's columns all exist or none does
      if (EVEN || (row < args.m && column < args.n))
        weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, &sum[i][j]);
    }
  }
}

#endif
