// SPDX-License-Identifier: MIT
// Products of matrices of any dtypes and strides: a team of work-items computes a tile of one product, through tiles of
// both operands in local memory; a work-group has one team or several, each with a product of its own. Each work-item
// adds up TILE_R x TILE_C elements, in the order of k. While a tile is multiplied, the next one is already on its way
// from global memory. The text in front defines the macros of matmul/store.clh and
//   TILE_M, TILE_N, TILE_K   elements of a tile
//   TILE_R, TILE_C           rows and columns of a work-item, multiples of TILE_V unless this is 1
//   TILE_V, TILE_RAW         accumulators in 16 bytes, and the vector type of as many (chunk.clh)
//   TILE_TEAMS               teams of a work-group
//   TILE_UNROLL              steps of k that the compiler unrolls
//   TILE_BUFFERS             1 or 2 tiles of each operand in local memory: with 1 there is a second barrier per tile
//   A_MODE, B_MODE           how an operand is read: TILE_ELEMENTS, or in chunks TILE_ALONG_K or TILE_ACROSS_K
//   A_CHUNK, B_CHUNK         elements of a chunk, 1 for TILE_ELEMENTS
//   A_RAW, B_RAW             the vector types of chunks
// own[0], own[1]: tiles along m and n; own[2], own[3]: 1 if neighbours in a column of a, and in a row of b, are nearer
// in memory than the others (for TILE_ELEMENTS).
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DLINT_COMPLEX
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"
#include "of_thread.clh"

#define TILE_ELEMENTS 0
#define TILE_ALONG_K 1
#define TILE_ACROSS_K 2

#define ROWS_APART (TILE_M / TILE_R)    // work-items of a team along m
#define COLUMNS_APART (TILE_N / TILE_C) // along n
#define TEAM (ROWS_APART * COLUMNS_APART)
#define A_PITCH (TILE_M + TILE_V) // elements between the tile's steps of k
#define B_PITCH (TILE_N + TILE_V)
#define A_LINES TILE_M
#define B_LINES TILE_N

/// The tile of a work-group: its first product, row and column of tiles. Groups behind the last tile have a product of
/// `batches` or more.
static inline void tile_of(const weft__matmul_args args, ulong *batch, ulong *tile_row, ulong *tile_column) {
  const ulong group = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  const ulong tiles_m = args.own[0], tiles_n = args.own[1], tiles = tiles_m * tiles_n;
  const ulong at = tiles == 1 ? group : group / tiles, tile = group - at * tiles;
  *batch = at * TILE_TEAMS;
  *tile_row = *tile_column = 0;
  if (tiles > 1) {
    const ulong stripe = tile / (M_STRIPE * tiles_n), first = stripe * M_STRIPE;
    const ulong rows = min((ulong)M_STRIPE, tiles_m - first), in_stripe = tile - first * tiles_n;
    *tile_row = first + in_stripe % rows;
    *tile_column = in_stripe / rows;
  }
}

// ---- one operand's tile ----
// `line` is a row of a or a column of b. Operand X is A or B.

typedef WEFT_PACK(M_A, A_CHUNK, A_RAW) a_chunk;
typedef WEFT_PACK(M_B, B_CHUNK, B_RAW) b_chunk;
typedef WEFT_PACK(M_ACC, TILE_V, TILE_RAW) part; // as tiles are stored

#define CHUNKS(X) (X##_LINES * TILE_K / X##_CHUNK)
#define HELD(X) ((CHUNKS(X) + TEAM - 1) / TEAM) // chunks of a work-item

#define LINE_OF(X, i, nearer)                                                       \
  (X##_MODE == TILE_ALONG_K    ? (i) / (TILE_K / X##_CHUNK)                          \
   : X##_MODE == TILE_ACROSS_K ? (i) % (X##_LINES / X##_CHUNK) * X##_CHUNK           \
                               : ((nearer) ? (i) % X##_LINES : (i) / TILE_K))
#define STEP_OF(X, i, nearer)                                                        \
  (X##_MODE == TILE_ALONG_K    ? (i) % (TILE_K / X##_CHUNK) * X##_CHUNK               \
   : X##_MODE == TILE_ACROSS_K ? (i) / (X##_LINES / X##_CHUNK)                        \
                               : ((nearer) ? (i) / X##_LINES : (i) % TILE_K))

/// Reads a work-item's chunks of a tile, which begins at step `done` of k. There are zeros outside of the matrix.
#define FETCH(X, held, from, type, first, lines, line_stride, step_stride, nearer)                              \
  _Pragma("unroll") for (uint h = 0; h < HELD(X); h++) {                                                      \
    const uint i = item + h * TEAM;                                                                             \
    const ulong line = (first) + LINE_OF(X, i, nearer), step = done + STEP_OF(X, i, nearer);                    \
    const bool is_in = (CHUNKS(X) % TEAM == 0 || i < CHUNKS(X)) && line < (lines) && step < place.k;            \
    WEFT_SPLIT(X##_RAW, held[h].word, (X##_RAW)(0))                                                             \
    if (is_in)                                                                                                  \
      WEFT_SPLIT(X##_RAW, held[h].word,                                                                         \
                 *(__global const X##_RAW *)((from) + (long)line * (line_stride) + (long)step * (step_stride))) \
  }

/// Stores the chunks as accumulators in a tile: `tile` is at its first step of k.
#define KEEP(X, held, tile, nearer)                                                             \
  _Pragma("unroll") for (uint h = 0; h < HELD(X); h++) {                                      \
    const uint i = item + h * TEAM;                                                             \
    const uint line = LINE_OF(X, i, nearer), step = STEP_OF(X, i, nearer);                      \
    if (CHUNKS(X) % TEAM == 0 || i < CHUNKS(X)) {                                               \
      if (X##_MODE == TILE_ACROSS_K && X##_CHUNK % TILE_V == 0) {                               \
        _Pragma("unroll") for (uint e = 0; e < X##_CHUNK; e += TILE_V) {                      \
          part p;                                                                               \
          _Pragma("unroll") for (uint v = 0; v < TILE_V; v++)                                 \
            p.e[v] = M_LOAD_##X(held[h].e[(e + v) % X##_CHUNK]);                                \
          (tile)[(step * X##_PITCH + line + e) / TILE_V] = WEFT_WHOLE(TILE_RAW, p.word);        \
        }                                                                                       \
      } else {                                                                                  \
        _Pragma("unroll") for (uint e = 0; e < X##_CHUNK; e++)                                \
          ((__local M_ACC *)(tile))[X##_MODE == TILE_ALONG_K ? (step + e) * X##_PITCH + line    \
                                                             : step * X##_PITCH + line + e] =  \
              M_LOAD_##X(held[h].e[e]);                                                         \
      }                                                                                         \
    }                                                                                           \
  }

#define FETCH_BOTH                                                                                                 \
  FETCH(A, held_a, from_a, M_A, first_row, args.m, args.a_row, args.a_column, args.own[2])                         \
  FETCH(B, held_b, from_b, M_B, first_column, args.n, args.b_column, args.b_row, args.own[3])
#define KEEP_BOTH(buffer)                                  \
  KEEP(A, held_a, a_tile[team][buffer], args.own[2])       \
  KEEP(B, held_b, b_tile[team][buffer], args.own[3])

__kernel __attribute__((reqd_work_group_size(TEAM * TILE_TEAMS, 1, 1)))
void weft_matmul_tile(M_PARAMETERS) {
  __local TILE_RAW a_tile[TILE_TEAMS][TILE_BUFFERS][TILE_K * A_PITCH / TILE_V];
  __local TILE_RAW b_tile[TILE_TEAMS][TILE_BUFFERS][TILE_K * B_PITCH / TILE_V];
  M_ACC sum[TILE_R][TILE_C];
  WEFT_OF_THREAD a_chunk held_a[HELD(A)];
  WEFT_OF_THREAD b_chunk held_b[HELD(B)];
  M_BEGIN
  const uint team = (uint)get_local_id(0) / TEAM, item = (uint)get_local_id(0) % TEAM;
  const uint item_row = item / COLUMNS_APART, item_column = item % COLUMNS_APART;
  ulong batch, tile_row, tile_column;
  tile_of(args, &batch, &tile_row, &tile_column);
  batch += team;
  const bool is_there = batch < args.batches;
  weft_matmul_place place = weft_matmul_place_of(args, is_there ? batch : 0);
  if (!is_there) place.k = 0;
  const ulong first_row = tile_row * TILE_M, first_column = tile_column * TILE_N;
  __global const M_A *from_a = (__global const M_A *)a + place.a;
  __global const M_B *from_b = (__global const M_B *)b + place.b;
  ulong done = 0;
  uint buffer = 0;
#pragma unroll
  for (uint r = 0; r < TILE_R; r++)
#pragma unroll
    for (uint c = 0; c < TILE_C; c++) sum[r][c] = M_ZERO;

  FETCH_BOTH
  KEEP_BOTH(0)
  barrier(CLK_LOCAL_MEM_FENCE);
  // all teams count to args.k, since all work-items meet at the barriers
  for (ulong before = 0; before < args.k; before += TILE_K) {
    const bool goes_on = before + TILE_K < args.k;
    done = before + TILE_K;
    if (goes_on) {
      FETCH_BOTH
    }
#pragma unroll TILE_UNROLL
    for (uint step = 0; step < TILE_K; step++) {
      part x[TILE_R / TILE_V], y[TILE_C / TILE_V];
#pragma unroll
      for (uint r = 0; r < TILE_R / TILE_V; r++)
        WEFT_SPLIT(TILE_RAW, x[r].word,
                   a_tile[team][buffer][step * (A_PITCH / TILE_V) + item_row + r * ROWS_APART])
#pragma unroll
      for (uint c = 0; c < TILE_C / TILE_V; c++)
        WEFT_SPLIT(TILE_RAW, y[c].word,
                   b_tile[team][buffer][step * (B_PITCH / TILE_V) + item_column + c * COLUMNS_APART])
#pragma unroll
      for (uint r = 0; r < TILE_R; r++)
#pragma unroll
        for (uint c = 0; c < TILE_C; c++)
          sum[r][c] = M_FMA(x[r / TILE_V].e[r % TILE_V], y[c / TILE_V].e[c % TILE_V], sum[r][c]);
    }
#if TILE_BUFFERS == 1
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    buffer ^= 1;
#endif
    if (goes_on) {
      KEEP_BOTH(buffer)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (!is_there) return;
#pragma unroll
  for (uint r = 0; r < TILE_R; r++) {
    const ulong row = first_row + (item_row + r / TILE_V * ROWS_APART) * TILE_V + r % TILE_V;
#pragma unroll
    for (uint c = 0; c < TILE_C; c += M_CHUNK) {
      const ulong column = first_column + (item_column + c / TILE_V * COLUMNS_APART) * TILE_V + c % TILE_V;
      // M_CHUNK divides n and TILE_V: a chunk's columns all exist or none does
      if (row < args.m && column < args.n)
        weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, &sum[r][c]);
    }
  }
}
