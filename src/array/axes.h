// SPDX-License-Identifier: MIT
/// Which axes of an array a call works along, and the shape of what is left.
#ifndef WEFT_ARRAY_AXES_H
#define WEFT_ARRAY_AXES_H

#include <weft/axes.h>

#include "array/strides.h"

/// The axes in the given order, counted from 0; an axis may be repeated. Errors: AXIS, naming "axes".
weft_status weft__axes_list(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim);
/// along[d] for each axis d of an array with `ndim`. Errors: AXIS (out of range, or given twice), naming "axes".
weft_status weft__axes_resolve(bool along[WEFT_MAX_NDIM], weft_axes axes, int ndim);
/// `shape` without these axes, or with length 1 there.
weft_shape weft__axes_reduced(weft_shape shape, const bool along[WEFT_MAX_NDIM], bool keepdims);
/// The axis of a call that works along one: its number as given, or WEFT__EVERY_AXIS. Errors: AXIS (several, or
/// weft_keepdims).
weft_status weft__one_axis(int *axis, weft_axes axes);
/// The same of a call that cannot work along all of them; 0 to ndim - 1. `argument` is what an axis out of range is
/// called.
weft_status weft__only_axis(int *axis, weft_axes axes, int ndim, const char *argument);
/// Axes of a view, in the given order: each once, and nothing of them to be kept. Errors: AXIS, naming `argument`.
weft_status weft__view_axes(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim, const char *argument);
/// One axis, counted from the end where negative: *axis becomes 0 to ndim - 1. Errors: AXIS, naming "axis".
weft_status weft__axis_resolve(int *axis, int ndim);

#endif
