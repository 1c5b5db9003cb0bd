// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the lanes are not kept in registers */
#endif
#include "op/matmul/vector_loops.h"

#include "base/wide.h"

#define VECTOR_BYTES 64
#define ROWS 8    /* whose sums are added up side by side */
#define COLUMNS 8 /* vectors of sums of a transposed matrix */

#if defined(WEFT__WIDEST_TARGET)
#define TARGET WEFT__FUSED("avx2")
#define WIDTH(name) name##_wide
#include "op/matmul/vector_types.h"
#define TARGET WEFT__WIDEST_FUSED_TARGET
#define WIDTH(name) name##_widest
#include "op/matmul/vector_types.h"
#elif WEFT__HAS_FUSED
#define TARGET
#define WIDTH(name) name
#include "op/matmul/vector_types.h"
#endif

weft__vector_loop *weft__vector_loop_of(weft_dtype dtype, bool is_transposed) {
  static weft__vector_loop *const of_f32[][3] = {WEFT__ALL_FUSED(rows_f32), WEFT__ALL_FUSED(columns_f32)};
  static weft__vector_loop *const of_f64[][3] = {WEFT__ALL_FUSED(rows_f64), WEFT__ALL_FUSED(columns_f64)};
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[is_transposed][WEFT__WIDTH];
}
