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
/* of a tile of two vectors; the most vectors of a tile: 16 registers of 32 bytes are all that AVX2 has */
#define PAIR_ROWS (BYTES == 32 ? 6 : 8)
#define VECTORS (BYTES == 32 ? 2 : 4)
#define FUSED
#define T float
#define NAME(name) WIDTH(name##_f32)
#define LOOPS "op/matmul/matrix_loop.h"
#include "base/each_width.h"
#define FUSED
#define T double
#define NAME(name) WIDTH(name##_f64)
#define LOOPS "op/matmul/matrix_loop.h"
#include "base/each_width.h"

weft__matrix_loop *weft__matrix_loop_of(weft_dtype dtype) {
  static weft__matrix_loop *const of_f32[] = WEFT__ALL_FUSED(product_f32);
  static weft__matrix_loop *const of_f64[] = WEFT__ALL_FUSED(product_f64);
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[WEFT__WIDTH];
}
