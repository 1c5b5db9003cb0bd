// SPDX-License-Identifier: MIT
#include "op/matmul/layout.h"

#include <stdlib.h>

/* ---- shapes ---- */

static weft_shape batch_of(weft_shape shape) {
  shape.ndim = shape.ndim > 2 ? shape.ndim - 2 : 0;
  return shape;
}

weft_status weft__matmul_shapes_of(weft__matmul_shapes *s, const weft__call *c) {
  const weft_shape a = weft__call_shape(c, 0), b = weft__call_shape(c, 1);
  int axis;
  for (int k = 0; k < 2; k++)
    if ((k ? b : a).ndim == 0)
      return weft__fail(
          WEFT_ERROR_SHAPE, k ? "b" : "a",
          "`%s` has no axes; expected a vector, a matrix or a stack of matrices (weft_multiply multiplies "
          "with a number)",
          k ? "b" : "a");
  *s = (weft__matmul_shapes){.has_m = a.ndim > 1, .has_n = b.ndim > 1, .k = a.dim[a.ndim - 1]};
  s->m = s->has_m ? a.dim[a.ndim - 2] : 1;
  s->n = s->has_n ? b.dim[b.ndim - 1] : 1;
  const int64_t b_k = b.dim[s->has_n ? b.ndim - 2 : 0];
  if (s->k != b_k)
    return weft__call_fail_shapes(c, 0, 1,
                                  "the last axis of `a` has length %lld, axis %d of `b` %lld; they must be equal",
                                  (long long)s->k, s->has_n ? b.ndim - 2 : 0, (long long)b_k);
  s->batch = batch_of(a);
  if (!weft__broadcast_shapes(&s->batch, batch_of(b), &axis))
    return weft__call_fail_shapes(c, 0, 1, "the axes before the last two do not broadcast");
  s->result = s->batch;
  if (s->has_m) s->result.dim[s->result.ndim++] = s->m;
  if (s->has_n) s->result.dim[s->result.ndim++] = s->n;
  return WEFT_OK;
}

/* ---- matrices ---- */

bool weft__matmul_is_aligned(const weft_array *x) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  bool is_aligned = x->offset_bytes % size == 0;
  for (int d = 0; d < x->ndim; d++) is_aligned = is_aligned && (x->shape[d] < 2 || x->stride_bytes[d] % size == 0);
  return is_aligned;
}

/// A matrix of x, whose axes are: batch axes, which broadcast to the `batch_axes` of the task; a row axis if has_row;
/// and a column axis if has_column.
static weft__matmul_matrix matrix_of(const weft_array *x, int batch_axes, bool has_row, bool has_column) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  const int own = x->ndim - has_row - has_column, added = batch_axes - own;
  weft__matmul_matrix matrix = {.storage = x->storage, .dtype = x->dtype, .offset_bytes = x->offset_bytes};
  int64_t stride[WEFT_MAX_NDIM];
  for (int d = 0; d < x->ndim; d++) stride[d] = x->shape[d] == 1 ? 0 : x->stride_bytes[d] / size;
  for (int d = 0; d < own; d++) matrix.batch[added + d] = stride[d];
  if (has_row) matrix.row = stride[own];
  if (has_column) matrix.column = stride[own + has_row];
  return matrix;
}

/* ---- the normal layout ---- */

#define MATRICES (3 + WEFT__MATMUL_SIDES)

/// All matrices of a task: a, b, out, sides.
static int list_matrices(weft__matmul_matrix *list[MATRICES], weft__matmul_task *t) {
  list[0] = &t->a;
  list[1] = &t->b;
  list[2] = &t->out;
  for (int s = 0; s < t->sides; s++) list[3 + s] = &t->side[s];
  return 3 + t->sides;
}

static void remove_axis(weft__matmul_task *t, int axis) {
  weft__matmul_matrix *list[MATRICES];
  const int count = list_matrices(list, t);
  t->axes--;
  for (int d = axis; d < t->axes; d++) {
    t->length[d] = t->length[d + 1];
    for (int k = 0; k < count; k++) list[k]->batch[d] = list[k]->batch[d + 1];
  }
}

/// Merges the batch axis with the one behind it, if they are one run in all matrices.
static bool merge_axis(weft__matmul_task *t, int axis) {
  weft__matmul_matrix *list[MATRICES];
  const int count = list_matrices(list, t);
  if (axis + 1 == t->axes) return false;
  for (int k = 0; k < count; k++)
    if (list[k]->batch[axis] != list[k]->batch[axis + 1] * t->length[axis + 1]) return false;
  t->length[axis + 1] *= t->length[axis];
  remove_axis(t, axis);
  return true;
}

/// Makes a batch axis that `b` does not have a part of m: then one larger product computes all of it. With `columns`,
/// an axis that `a` does not have, of n.
static bool fold_axis(weft__matmul_task *t, int axis, bool columns) {
  weft__matmul_matrix *list[MATRICES];
  const int count = list_matrices(list, t);
  int64_t *length = columns ? &t->n : &t->m;
  if ((columns ? &t->a : &t->b)->batch[axis]) return false;
  for (int k = 0; k < count; k++)
    if (k != (columns ? 0 : 1) && *length > 1 &&
        list[k]->batch[axis] != (columns ? list[k]->column : list[k]->row) * *length)
      return false;
  for (int k = 0; k < count && *length == 1; k++)
    if (k != (columns ? 0 : 1)) *(columns ? &list[k]->column : &list[k]->row) = list[k]->batch[axis];
  *length *= t->length[axis];
  remove_axis(t, axis);
  return true;
}

static bool simplify_axis(weft__matmul_task *t, int axis) {
  if (t->length[axis] == 1) {
    remove_axis(t, axis);
    return true;
  }
  return merge_axis(t, axis) || fold_axis(t, axis, false) || fold_axis(t, axis, true);
}

static void transpose(weft__matmul_matrix *x) {
  const int64_t row = x->row;
  x->row = x->column;
  x->column = row;
}

/// out = a @ b as its transpose: out^T = b^T @ a^T.
static void exchange(weft__matmul_task *t) {
  const weft__matmul_matrix a = t->a;
  const int64_t m = t->m;
  t->a = t->b;
  t->b = a;
  t->m = t->n;
  t->n = m;
  transpose(&t->a);
  transpose(&t->b);
  transpose(&t->out);
  for (int s = 0; s < t->sides; s++) transpose(&t->side[s]);
}

void weft__matmul_layout(weft__matmul_task *t, const weft__matmul_shapes *s, weft_array *const *side,
                         const weft_array *a, const weft_array *b, const weft_array *out) {
  const int axes = s->batch.ndim;
  t->m = s->m;
  t->n = s->n;
  t->k = s->k;
  t->axes = axes;
  t->batches = 1;
  for (int d = 0; d < axes; d++) t->length[d] = s->batch.dim[d];
  t->a = matrix_of(a, axes, s->has_m, true);
  t->b = matrix_of(b, axes, true, s->has_n);
  t->out = matrix_of(out, axes, s->has_m, s->has_n);
  for (int k = 0; k < t->sides; k++) {
    const weft_array view = weft__array_broadcast(side[k], s->result);
    t->side[k] = matrix_of(&view, axes, s->has_m, s->has_n);
  }
  for (int d = t->axes - 1; d >= 0; d--)
    if (d < t->axes && simplify_axis(t, d)) d = t->axes; /* begins anew: one step may allow another */
  for (int d = 0; d < t->axes; d++) t->batches *= t->length[d];
  const bool is_turned = llabs(t->out.column) > llabs(t->out.row);
  if (t->m == 1 ? t->n > 1 : t->n > 1 && is_turned) exchange(t);
}
