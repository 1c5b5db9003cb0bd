// SPDX-License-Identifier: MIT
/// A product of a sparse matrix in progress, and the ways to compute it (ways.c).
#ifndef WEFT_OP_SPARSE_SPARSE_PRODUCT_H
#define WEFT_OP_SPARSE_SPARSE_PRODUCT_H

#include "op/sparse/csr.h"

/// The ways' task is a pointer to one. Its result has elements.
typedef struct weft__sparse_product {
  weft__call call; /* the result, of any real or complex dtype, and x: contiguous, of the product's dtype */
  const weft_csr *matrix;
  weft__matmul_task task; /* `a` is the matrix's elements */
  bool has_columns;       /* x has two axes */
  weft__csr_tiling tiling;
  int64_t tiles;
  weft_array *first, *parts; /* the first rows of tiles; sums of parts of rows: cl/sparse/common.clh */
} weft__sparse_product;

WEFT__WAY_FUNCTION(csr_matmul, host);
WEFT__WAY_FUNCTIONS(csr_matmul, cusparse);
WEFT__WAY_FUNCTION(csr_matmul, kernels);
extern const weft__ways weft__csr_matmul_ways;
extern const weft__host_function weft__host_csr_product;

#endif
