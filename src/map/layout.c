// SPDX-License-Identifier: MIT
#include "map/layout.h"

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

static void lay_out(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array, bool any_order, const bool *along) {
  int64_t length[WEFT_MAX_NDIM], stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM];
  bool kind[WEFT_MAX_NDIM];
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
    kind[n] = along && along[d];
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
    if (l->ndim > 0 && kind[order[i - 1]] == kind[d] && continues(l, l->ndim - 1, length, stride, d)) {
      l->length[l->ndim - 1] *= length[d];
      for (int k = 0; k < arrays; k++) l->stride[k][l->ndim - 1] = stride[k][d];
      continue;
    }
    l->length[l->ndim] = length[d];
    for (int k = 0; k < arrays; k++) l->stride[k][l->ndim] = stride[k][d];
    l->ndim++;
  }
}

void weft__layout_of(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array, bool any_order) {
  lay_out(l, shape, arrays, array, any_order, NULL);
}

void weft__layout_along(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array, const bool *along) {
  lay_out(l, shape, arrays, array, false, along);
}

/* Whether two arrays share a byte: are there whole numbers x, 0 <= x <= last for each axis of both, for which sum(stride * x) lies in a range?
   The search goes from the longest stride down; what the shorter ones can still add bounds the choice, so that it is short for arrays that
   come of slices and transposes. It is the problem of numpy.shares_memory. */

#define MOST_STEPS 2000 /* of the search; then they are taken to overlap */

typedef struct term {
  int64_t stride, last;
  int64_t rest; /* the most that this and the shorter ones add up to */
} term;

/// The axes of both, the longest stride first, equal ones added up. Returns how many.
static int gather_terms(term *terms, const weft_array *const array[2]) {
  int n = 0;
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < array[k]->ndim; d++) {
      int64_t stride = llabs(array[k]->stride_bytes[d]), last = array[k]->shape[d] - 1;
      if (stride == 0 || last == 0) continue;
      int at = n;
      while (at > 0 && terms[at - 1].stride <= stride) at--;
      if (at < n && terms[at].stride == stride) {
        terms[at].last += last;
        continue;
      }
      for (int i = n++; i > at; i--) terms[i] = terms[i - 1];
      terms[at] = (term){.stride = stride, .last = last};
    }
  for (int i = n - 1; i >= 0; i--) terms[i].rest = terms[i].stride * terms[i].last + (i + 1 < n ? terms[i + 1].rest : 0);
  return n;
}

static bool reaches(const term *terms, int n, int64_t low, int64_t high, int *steps) {
  if (low <= 0 && high >= 0) return true;
  if (n == 0 || high < 0 || low > terms[0].rest) return false;
  if (++*steps > MOST_STEPS) return true;
  int64_t stride = terms[0].stride, below = n > 1 ? terms[1].rest : 0;
  int64_t first = low > below ? (low - below + stride - 1) / stride : 0, last = high / stride;
  if (last > terms[0].last) last = terms[0].last;
  for (int64_t x = last; x >= first; x--)
    if (reaches(terms + 1, n - 1, low - x * stride, high - x * stride, steps)) return true;
  return false;
}

bool weft__arrays_overlap(const weft_array *a, const weft_array *b) {
  int64_t a_begin, a_end, b_begin, b_end, apart;
  if (!weft__arrays_neighbours(a, b, &apart) || a->size == 0 || b->size == 0) return false;
  weft__array_extent(a, &a_begin, &a_end);
  weft__array_extent(b, &b_begin, &b_end);
  b_begin += apart;
  b_end += apart;
  if (a_begin >= b_end || b_begin >= a_end) return false;
  /* with a's axes counted from its end, where b's element is behind a's is a sum of positive terms */
  term terms[2 * WEFT_MAX_NDIM];
  int n = gather_terms(terms, (const weft_array *const[]){a, b}), steps = 0;
  int64_t a_size = (int64_t)weft_dtype_size_bytes(a->dtype), b_size = (int64_t)weft_dtype_size_bytes(b->dtype);
  int64_t away = a_end - a_size - b_begin;
  return reaches(terms, n, away - (b_size - 1), away + a_size - 1, &steps);
}

bool weft__arrays_same(const weft_array *a, const weft_array *b) {
  int64_t apart;
  if (!weft__arrays_neighbours(a, b, &apart) || a->offset_bytes != apart + b->offset_bytes || a->ndim != b->ndim ||
      weft_dtype_size_bytes(a->dtype) != weft_dtype_size_bytes(b->dtype))
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->stride_bytes[d] != b->stride_bytes[d])) return false;
  return true;
}
