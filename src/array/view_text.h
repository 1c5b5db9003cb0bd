// SPDX-License-Identifier: MIT
/// NumPy's basic indexing as text: "1:3, ::2, -1, ..., newaxis".
#ifndef WEFT_ARRAY_VIEW_TEXT_H
#define WEFT_ARRAY_VIEW_TEXT_H

#include <weft/array.h>

/// Where the elements of an array are.
typedef struct weft__view_form {
  int ndim;
  int64_t length[WEFT_MAX_NDIM];
  int64_t stride_bytes[WEFT_MAX_NDIM];
  int64_t offset_bytes;
} weft__view_form;

/// The part of *form that `text` names takes its place. Errors: EXPRESSION, INDEX, SHAPE; on failure *form is as it
/// was.
weft_status weft__view_text(weft__view_form *form, int64_t element_bytes, const char *text);

/// An axis cut down to start:stop:step as NumPy does it. WEFT_END leaves start or stop out; `step` is not 0.
void weft__view_slice(weft__view_form *form, int axis, int64_t start, int64_t stop, int64_t step);

#endif
