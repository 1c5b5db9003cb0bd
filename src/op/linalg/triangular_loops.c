// SPDX-License-Identifier: MIT
/// Blocks of rows: first the products with all solutions before the block, in vectors along a row, then the block's own
/// triangle, a row after the other. The solutions are also kept as rows, which the vectors are read from.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the lanes are not kept in registers */
#endif
#include "op/linalg/triangular_loops.h"

#include <stddef.h>

#include "base/wide.h"

#define VECTOR_BYTES 64
#define BLOCK 16 /* rows, a multiple of the lanes */
#define RIGHTS WEFT__TRIANGULAR_ROOM

#define T float
#define FUSED __builtin_fmaf
#define NAME(name) WIDTH(name##_f32)
#define LOOPS "op/linalg/triangular_loop.h"
#include "base/each_width.h"
#define T double
#define FUSED __builtin_fma
#define NAME(name) WIDTH(name##_f64)
#define LOOPS "op/linalg/triangular_loop.h"
#include "base/each_width.h"

weft__triangular_loop *weft__triangular_loop_of(weft_dtype dtype) {
  static weft__triangular_loop *const of_f32[] = WEFT__ALL_FUSED(solve_f32);
  static weft__triangular_loop *const of_f64[] = WEFT__ALL_FUSED(solve_f64);
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[WEFT__WIDTH];
}
