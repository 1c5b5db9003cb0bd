// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the lanes are not kept in registers */
#endif
#include "op/matmul/vector_loops.h"

#include "base/wide.h"

#define VECTOR_BYTES 64
#define ROWS 8    /* whose sums are added up side by side */
#define COLUMNS 8 /* vectors of sums of a transposed matrix */

#define T float
#define FUSED __builtin_fmaf
#define NAME(name) WIDTH(name##_f32)
#define LOOPS "op/matmul/vector_loop.h"
#include "base/each_width.h"
#define T double
#define FUSED __builtin_fma
#define NAME(name) WIDTH(name##_f64)
#define LOOPS "op/matmul/vector_loop.h"
#include "base/each_width.h"

weft__vector_loop *weft__vector_loop_of(weft_dtype dtype, bool is_transposed) {
  static weft__vector_loop *const of_f32[][3] = {WEFT__ALL_FUSED(rows_f32), WEFT__ALL_FUSED(columns_f32)};
  static weft__vector_loop *const of_f64[][3] = {WEFT__ALL_FUSED(rows_f64), WEFT__ALL_FUSED(columns_f64)};
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[is_transposed][WEFT__WIDTH];
}
