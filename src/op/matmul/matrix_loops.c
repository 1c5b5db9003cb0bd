// SPDX-License-Identifier: MIT
/// Tiles of the result are added up in registers, in the order of k, and of a longer k than WEFT__MATMUL_LOOP_STEPS in
/// blocks, whose sums are added in order. Columns of `b` are read where they are; they are copied first if they end
/// within a vector, which zeros then fill, or if rows are pages apart.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast") /* else the sums are not kept in registers; fused multiplications */
#endif
#include "op/matmul/matrix_loops.h"
#include "op/matmul/tuning.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/wide.h"

#ifdef __clang__
#define FUSES _Pragma("clang fp contract(fast)")
#else
#define FUSES
#endif
#define UNROLL _Pragma("GCC unroll 16")

enum {
  MOST_ROWS = 8,
  WIDE_ROWS = 6, /* of a tile of four vectors: 24 of 32 registers are sums */
};
#if defined(WEFT__WIDEST_TARGET)
#define WIDTH(name) name##_wide
#define TARGET WEFT__FUSED("avx2")
#define BYTES 32
#define PAIR_ROWS 6
#define VECTORS 2
#define T float
#define NAME(name) WIDTH(name##_f32)
#include "op/matmul/matrix_loop.h"
#define T double
#define NAME(name) WIDTH(name##_f64)
#include "op/matmul/matrix_loop.h"
#undef WIDTH
#undef TARGET
#undef BYTES
#undef PAIR_ROWS
#undef VECTORS
#define WIDTH(name) name##_widest
#define TARGET WEFT__WIDEST_FUSED_TARGET
#define BYTES 64
#define PAIR_ROWS 8
#define VECTORS 4
#define T float
#define NAME(name) WIDTH(name##_f32)
#include "op/matmul/matrix_loop.h"
#define T double
#define NAME(name) WIDTH(name##_f64)
#include "op/matmul/matrix_loop.h"
#elif WEFT__HAS_FUSED
#define WIDTH(name) name
#define TARGET
#define BYTES 16
#define PAIR_ROWS 8
#define VECTORS 4
#define T float
#define NAME(name) WIDTH(name##_f32)
#include "op/matmul/matrix_loop.h"
#define T double
#define NAME(name) WIDTH(name##_f64)
#include "op/matmul/matrix_loop.h"
#endif

weft__matrix_loop *weft__matrix_loop_of(weft_dtype dtype) {
  static weft__matrix_loop *const of_f32[] = WEFT__ALL_FUSED(product_f32);
  static weft__matrix_loop *const of_f64[] = WEFT__ALL_FUSED(product_f64);
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[WEFT__WIDTH];
}
