// SPDX-License-Identifier: MIT
/// Where the elements of a call's arrays are: broadcast together, axes merged, and which kind of kernel reaches them best.
#ifndef WEFT_MAP_LAYOUT_H
#define WEFT_MAP_LAYOUT_H

#include <weft/ufunc.h>

#include "array/array.h"

/// Results first, then the inputs that are arrays.
#define WEFT__MAX_ARRAYS WEFT_MAX_OPERANDS

typedef struct weft__layout {
  int arrays;
  int64_t size; /* elements */
  int ndim;     /* of the merged axes, outermost first; 0 where size is 1 */
  int64_t length[WEFT_MAX_NDIM];
  int64_t stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM]; /* bytes; 0 where the array repeats */
  int64_t offset[WEFT__MAX_ARRAYS];                /* bytes */
} weft__layout;

/// NumPy's broadcasting of one more shape onto *shape. False where they do not fit: *axis is the axis of the longer one in which they
/// differ.
bool weft__broadcast_shapes(weft_shape *shape, weft_shape more, int *axis);

/// The arrays' elements in row-major order of `shape`, to which each broadcasts. `any_order`: the elements' numbers do not matter, so axes
/// may be taken in another order, which makes runs of transposed arrays.
void weft__layout_of(weft__layout *layout, weft_shape shape, int arrays, const weft_array *const *array, bool any_order);
/// The same in order, where axes that `along` says different things of stay apart. NULL: none do.
void weft__layout_along(weft__layout *layout, weft_shape shape, int arrays, const weft_array *const *array, const bool *along);

/// Whether the two share memory (rarely said of two that do not, where finding out takes long), and whether they are the same elements in
/// the same order.
bool weft__arrays_overlap(const weft_array *a, const weft_array *b);
bool weft__arrays_same(const weft_array *a, const weft_array *b);

#endif
