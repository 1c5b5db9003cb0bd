// SPDX-License-Identifier: MIT
#include "op/layout.h"

#include <stdlib.h>

bool weft__broadcast_shapes(weft_shape *shape, weft_shape more, int *axis) {
  if (more.ndim > shape->ndim) {
    int shift = more.ndim - shape->ndim;
    for (int d = more.ndim - 1; d >= 0; d--) shape->dim[d] = d >= shift ? shape->dim[d - shift] : 1;
    shape->ndim = more.ndim;
  }
  int shift = shape->ndim - more.ndim;
  for (int d = 0; d < more.ndim; d++) {
    int64_t *length = &shape->dim[d + shift];
    if (more.dim[d] == *length || more.dim[d] == 1) continue;
    if (*length != 1) {
      *axis = d + shift;
      return false;
    }
    *length = more.dim[d];
  }
  return true;
}

/// Whether axis d of the layout goes on where axis d - 1 ends, in all arrays.
static bool continues(const weft__layout *l, int before, const int64_t *length, int64_t stride[][WEFT_MAX_NDIM], int d) {
  for (int k = 0; k < l->arrays; k++)
    if (l->stride[k][before] != stride[k][d] * length[d]) return false;
  return true;
}

/// Axes by the first array's strides, the longest first: one whose elements lie in another order than row-major then is a run too.
static void sort_axes(int order[], int ndim, int64_t stride[][WEFT_MAX_NDIM], int arrays) {
  for (int i = 1; i < ndim; i++)
    for (int j = i; j > 0; j--) {
      int a = order[j - 1], b = order[j], later = 0;
      for (int k = 0; k < arrays && later == 0; k++) {
        int64_t x = llabs(stride[k][a]), y = llabs(stride[k][b]);
        if (x != y) later = x < y ? 1 : -1;
      }
      if (later <= 0) break;
      order[j - 1] = b;
      order[j] = a;
    }
}

void weft__layout_of(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array, bool any_order) {
  int64_t length[WEFT_MAX_NDIM], stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM];
  int n = 0, order[WEFT_MAX_NDIM];
  l->arrays = arrays;
  l->size = 1;
  l->ndim = 0;
  for (int k = 0; k < arrays; k++) l->offset[k] = array[k]->offset_bytes;
  for (int d = 0; d < shape.ndim; d++) {
    l->size *= shape.dim[d];
    if (shape.dim[d] == 1) continue;
    order[n] = n;
    length[n] = shape.dim[d];
    for (int k = 0; k < arrays; k++) {
      const weft_array *x = array[k];
      int own = d - (shape.ndim - x->ndim);
      stride[k][n] = own < 0 || x->shape[own] == 1 ? 0 : x->stride_bytes[own];
    }
    n++;
  }
  if (any_order && n > 1) sort_axes(order, n, stride, arrays);
  for (int i = 0; i < n; i++) {
    int d = order[i];
    if (l->ndim > 0 && continues(l, l->ndim - 1, length, stride, d)) {
      l->length[l->ndim - 1] *= length[d];
      for (int k = 0; k < arrays; k++) l->stride[k][l->ndim - 1] = stride[k][d];
      continue;
    }
    l->length[l->ndim] = length[d];
    for (int k = 0; k < arrays; k++) l->stride[k][l->ndim] = stride[k][d];
    l->ndim++;
  }
}

bool weft__arrays_overlap(const weft_array *a, const weft_array *b) {
  int64_t a_begin, a_end, b_begin, b_end;
  if (a->storage->mem != b->storage->mem) return false;
  weft__array_extent(a, &a_begin, &a_end);
  weft__array_extent(b, &b_begin, &b_end);
  return a_begin < b_end && b_begin < a_end;
}

bool weft__arrays_same(const weft_array *a, const weft_array *b) {
  if (a->storage->mem != b->storage->mem || a->offset_bytes != b->offset_bytes || a->ndim != b->ndim ||
      weft_dtype_size_bytes(a->dtype) != weft_dtype_size_bytes(b->dtype))
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->stride_bytes[d] != b->stride_bytes[d])) return false;
  return true;
}
