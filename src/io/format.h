// SPDX-License-Identifier: MIT
/// Arrays in host memory as text, in NumPy 2's format. Independent of devices.
#ifndef WEFT_IO_FORMAT_H
#define WEFT_IO_FORMAT_H

#include <weft/print.h>

#include "base/text.h"

/// The array to be printed. If `shape` is summarised, only the edge items are read: `data` need not hold the others
/// (element [i, j] is read at data + i * strides[0] + j * strides[1]).
typedef struct weft__host_array {
  weft_dtype dtype;
  int ndim;
  const int64_t *shape;
  const int64_t *stride_bytes;
  const void *data;
  bool edges_only; /* of a summarised array: `data` holds only the shown items of each axis, packed */
} weft__host_array;

/// Whether str() of an array of this shape is summarised: it has more elements than the threshold.
bool weft__format_is_summarised(int ndim, const int64_t *shape, const weft_print_params *params);

/// The number of items that a summary shows at each end of an axis.
int64_t weft__format_edge_items(const weft_print_params *params);

/// Appends the text of str(numpy_array) to `text`, without a newline at the end. `params` may be NULL. Fails only if
/// memory runs out (text->failed).
void weft__format_array(weft__text *text, const weft__host_array *array, const weft_print_params *params);

/// As weft__format_array, the text of repr(numpy_array).
void weft__format_repr(weft__text *text, const weft__host_array *array, const weft_print_params *params);

#endif
