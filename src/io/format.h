// SPDX-License-Identifier: MIT
/// Arrays in host memory as text, in NumPy 2's form. Knows nothing of devices.
#ifndef WEFT_IO_FORMAT_H
#define WEFT_IO_FORMAT_H

#include <weft/print.h>

#include "base/text.h"

/// What is printed. Where `shape` is summarised, only the edge items are read: `data` need not hold the rest
/// (element [i, j] is read at data + i * strides[0] + j * strides[1]).
typedef struct weft__host_array {
  weft_dtype dtype;
  int ndim;
  const int64_t *shape;
  const int64_t *stride_bytes;
  const void *data;
  bool edges_only; /* of a summarised array: `data` has just the shown items of each axis, side by side */
} weft__host_array;

/// True where str() of an array of this shape is summarised: more elements than the threshold.
bool weft__format_is_summarised(int ndim, const int64_t *shape, const weft_print_params *params);

/// How many items at each end of an axis a summary shows.
int64_t weft__format_edge_items(const weft_print_params *params);

/// Appends the text of str(numpy_array) to `text` (no newline at the end). `params` may be NULL. Fails only when memory
/// runs out (text->failed).
void weft__format_array(weft__text *text, const weft__host_array *array, const weft_print_params *params);

#endif
