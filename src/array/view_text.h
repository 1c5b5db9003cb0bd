// SPDX-License-Identifier: MIT
/// NumPy's basic indexing as text: "1:3, ::2, -1, ..., newaxis".
#ifndef WEFT_ARRAY_VIEW_TEXT_H
#define WEFT_ARRAY_VIEW_TEXT_H

#include <weft/array.h>

/// The positions of an array's elements.
typedef struct weft__view_form {
  int ndim;
  int64_t length[WEFT_MAX_NDIM];
  int64_t stride_bytes[WEFT_MAX_NDIM];
  int64_t offset_bytes;
} weft__view_form;

/// Replaces *form by the part of it that `text` selects. Errors: EXPRESSION, INDEX, SHAPE; on failure *form is
/// unchanged.
weft_status weft__view_text(weft__view_form *form, int64_t element_bytes, const char *text);

/// Cuts an axis to start:stop:step as NumPy does. WEFT_END omits start or stop; `step` must not be 0.
void weft__view_slice(weft__view_form *form, int axis, int64_t start, int64_t stop, int64_t step);

#endif
