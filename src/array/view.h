// SPDX-License-Identifier: MIT
/// Functions shared by the implementation of weft/view.h.
#ifndef WEFT_ARRAY_VIEW_H
#define WEFT_ARRAY_VIEW_H

#include "array/axes.h"
#include "array/view_text.h"

/// Begins a view function: enters it and checks the result and the source.
#define WEFT__BEGIN_VIEW(function) \
  weft_status rc;                  \
  weft__enter(function, site);     \
  WEFT__NEED_NULL_RESULT(out);     \
  WEFT__TRY(weft__array_check(x, "x"))

/// Removes this axis; the caller sets `size`.
void weft__view_remove_axis(weft_array *v, int axis);
/// Reverses the elements along `axis`.
void weft__view_flip_axis(weft_array *v, int axis);
/// Makes x's axis from[d] axis d.
void weft__view_permute(weft_array *v, const weft_array *x, const int from[WEFT_MAX_NDIM]);
/// Adds axes of length 1, up to `ndim`, where weft_atleast_3d has them.
void weft__view_at_least(weft_array *v, int ndim);
/// Sets `size` from the lengths.
void weft__view_count(weft_array *v);

#endif
