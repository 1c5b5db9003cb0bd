// SPDX-License-Identifier: MIT
/// Triangular solves of few right-hand sides on one thread: 256 x 256 f32 by 4 take 43 us in OpenBLAS's strsm.
#ifndef WEFT_OP_LINALG_TRIANGULAR_LOOPS_H
#define WEFT_OP_LINALG_TRIANGULAR_LOOPS_H

#include <stdbool.h>
#include <weft/dtype.h>

/// T X = B: row-major t[n, n], of which the other triangle is not read, and x[n, columns], B before and X after.
typedef struct weft__triangular_task {
  void *x;
  const void *t;
  int64_t n, columns;
  bool is_upper, is_unit;
  void *room; /* WEFT__TRIANGULAR_ROOM * n elements */
} weft__triangular_task;

enum { WEFT__TRIANGULAR_ROOM = 4 };

typedef void weft__triangular_loop(const weft__triangular_task *task);

/// The loop of a dtype; NULL: the dtype is neither f32 nor f64, or the processor has no fused multiplications.
weft__triangular_loop *weft__triangular_loop_of(weft_dtype dtype);

#endif
