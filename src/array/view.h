// SPDX-License-Identifier: MIT
/// What the functions of weft/view.h share.
#ifndef WEFT_ARRAY_VIEW_H
#define WEFT_ARRAY_VIEW_H

#include "array/axes.h"
#include "array/view_text.h"

/// Every view function: enter, check the result and the source, then do its own part.
#define WEFT__BEGIN_VIEW(function) \
  weft_status rc;                  \
  weft__enter(function, site);     \
  WEFT__NEED_NULL_RESULT(out);     \
  WEFT__TRY(weft__array_check(x, "x"))

/// Without this axis; `size` is the caller's to set.
void weft__view_remove_axis(weft_array *v, int axis);
/// The elements along `axis` from the other end.
void weft__view_flip_axis(weft_array *v, int axis);
/// Axis d becomes x's axis from[d].
void weft__view_permute(weft_array *v, const weft_array *x, const int from[WEFT_MAX_NDIM]);
/// Sets `size` from the lengths.
void weft__view_count(weft_array *v);

#endif
