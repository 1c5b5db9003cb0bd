// SPDX-License-Identifier: MIT
/// A product of two matrices on one thread of the host, in vectors of the processor. Many products, each on one of two
/// threads: 16 of 256 x 256 f32 take 3.4 ms of processor time, by OpenBLAS's threads, which share each product, 4.3.
#ifndef WEFT_OP_MATMUL_MATRIX_LOOPS_H
#define WEFT_OP_MATMUL_MATRIX_LOOPS_H

#include <weft/dtype.h>

/// out[m, n] = a[m, k] b[k, n]. The elements of a row are neighbours; out_row, a_row and b_row: from a row to the next.
typedef struct weft__matrix_product {
  void *out;
  const void *a, *b;
  int64_t m, n, k;
  int64_t out_row, a_row, b_row;
  void *room; /* WEFT__MATRIX_LOOP_BYTES, at a multiple of 64 */
} weft__matrix_product;

enum { WEFT__MATRIX_LOOP_BYTES = 64 << 10 };

typedef void weft__matrix_loop(const weft__matrix_product *product);

/// The loop of a dtype; NULL: the dtype is neither f32 nor f64, or the processor has no fused multiplications.
weft__matrix_loop *weft__matrix_loop_of(weft_dtype dtype);

#endif
