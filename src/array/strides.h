// SPDX-License-Identifier: MIT
/// Shapes and strides: broadcasting, merging axes into runs, overlap, and an array as outer x length x inner elements.
#ifndef WEFT_ARRAY_STRIDES_H
#define WEFT_ARRAY_STRIDES_H

#include <weft/ufunc.h>

#include "array/array.h"

/// Results first, then the inputs that are arrays.
#define WEFT__MAX_ARRAYS WEFT_MAX_OPERANDS

/// The positions of the elements of arrays that are walked together.
typedef struct weft__layout {
  int arrays;
  int64_t size; /* elements */
  int ndim;     /* of the merged axes, outermost first; 0 if size is 1 */
  int64_t length[WEFT_MAX_NDIM];
  int64_t stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM]; /* bytes; 0 where the array is broadcast */
  int64_t offset[WEFT__MAX_ARRAYS];                /* bytes */
} weft__layout;

static inline bool weft__same_shape(weft_shape a, weft_shape b) {
  bool same = a.ndim == b.ndim;
  for (int d = 0; d < a.ndim && same; d++) same = a.dim[d] == b.dim[d];
  return same;
}
/// Whether x has this shape. Makes no shape of x, because every launch calls it.
static inline bool weft__has_shape(const weft_array *x, const weft_shape *shape) {
  bool same = x->ndim == shape->ndim;
  for (int d = 0; same && d < x->ndim; d++) same = x->shape[d] == shape->dim[d];
  return same;
}

/// Broadcasts one more shape onto *shape as NumPy does. False if they do not match: *axis is the axis of the longer one
/// in which they differ.
bool weft__broadcast_shapes(weft_shape *shape, weft_shape more, int *axis);

/// x broadcast to `shape`, as a temporary copy: see weft__array_borrow.
weft_array weft__array_broadcast(const weft_array *x, weft_shape shape);
/// *few: x with one element along the axes along which all are equal, as after broadcasting, except the `kept` ones.
/// Returns whether there are any.
bool weft__array_without_copies(weft_array *few, const weft_array *x, const bool kept[WEFT_MAX_NDIM]);

/// Adds an inner axis to a layout and drops axes of length 1. The axis is merged with the axis before it if it
/// continues it in all arrays and `apart` is not set. `stride` has one number for each array. Uses only `arrays`,
/// `ndim`, `length` and `stride` of the layout.
static inline void weft__layout_add(weft__layout *l, int64_t length, const int64_t *stride, bool apart) {
  int last = l->ndim - 1;
  bool merges = last >= 0 && !apart;
  if (length == 1) return;
  for (int k = 0; k < l->arrays && merges; k++) merges = l->stride[k][last] == stride[k] * length;
  if (!merges) l->length[last = l->ndim++] = 1;
  l->length[last] *= length;
  for (int k = 0; k < l->arrays; k++) l->stride[k][last] = stride[k];
}
/// The arrays' elements in row-major order of `shape`, to which each array broadcasts. `any_order`: the order of the
/// elements does not matter, so axes may be reordered, which makes runs of transposed arrays.
void weft__layout_of(weft__layout *layout, weft_shape shape, int arrays, const weft_array *const *array,
                     bool any_order);
/// The arrays' elements in row-major order. An axis in `along` is not merged with one that is not in it. NULL: none is.
void weft__layout_along(weft__layout *layout, weft_shape shape, int arrays, const weft_array *const *array,
                        const bool *along);
/// Merges axes begin to end - 1 of x into one. False if they are not one run.
bool weft__merge_axes(const weft_array *x, int begin, int end, int64_t *length, int64_t *stride_bytes);

/// An array as `outer` times `length` times `inner` elements; `length` covers one axis or several.
typedef struct weft__axis_split {
  int64_t outer, length, inner;
} weft__axis_split;
weft__axis_split weft__split_at_axis(weft_shape shape, int axis);

/// weft__axis_split with strides. weft__split_strided: the inner elements are contiguous, and inner_stride is not set.
typedef struct weft__strided_split {
  int64_t outer, length, inner, outer_stride, length_stride, inner_stride;
} weft__strided_split;
/// Splits x at `axis`, or as one axis of all elements with WEFT__EVERY_AXIS. Strides are in bytes. False if x's strides
/// do not allow it.
bool weft__split_strided(weft__strided_split *split, const weft_array *x, int axis);
/// Splits x at the axes in `along`, which become one axis. `in_order`: its elements stay in row-major order. Strides
/// are in elements, of any sign. False if they do not allow it.
bool weft__split_along(weft__strided_split *split, const weft_array *x, const bool *along, bool in_order);

/// The first byte that x uses and the first byte beyond, relative to the storage; equal for an array without elements.
void weft__array_extent(int64_t *begin, int64_t *end, const weft_array *x);
/// Whether the arrays share memory (rarely also true of arrays that do not, if an exact check takes too long).
/// weft__arrays_same: whether they have the same elements in the same order.
bool weft__arrays_overlap(const weft_array *a, const weft_array *b);
bool weft__arrays_same(const weft_array *a, const weft_array *b);
/// Whether two pieces of host memory share a byte.
static inline bool weft__bytes_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
  return (const char *)a < (const char *)b + b_bytes && (const char *)b < (const char *)a + a_bytes;
}

#endif
