// SPDX-License-Identifier: MIT
/// The shapes of a product, and the normal layout of its task.
#ifndef WEFT_OP_MATMUL_LAYOUT_H
#define WEFT_OP_MATMUL_LAYOUT_H

#include "op/matmul/matmul.h"

/// The shapes of a product of two operands.
typedef struct weft__matmul_shapes {
  int64_t m, n, k;
  bool has_m, has_n;        /* the result has these axes */
  weft_shape batch, result; /* result: batch, m, n */
} weft__matmul_shapes;

/// Errors: SHAPE.
weft_status weft__matmul_shapes_of(weft__matmul_shapes *shapes, const weft__call *c);

/// Sets the shape and the matrices of a task from arrays, which are aligned: a, b, the result, and the epilogue's
/// arrays, which broadcast to the result's shape. The layout is normal then.
void weft__matmul_layout(weft__matmul_task *task, const weft__matmul_shapes *shapes, weft_array *const *side,
                         const weft_array *a, const weft_array *b, const weft_array *out);

#endif
