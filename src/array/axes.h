// SPDX-License-Identifier: MIT
/// The axes that a call works along, and the shape of its result.
#ifndef WEFT_ARRAY_AXES_H
#define WEFT_ARRAY_AXES_H

#include <weft/axes.h>

#include "array/strides.h"

/// The axes in the given order, counted from 0; an axis may be repeated. Errors: AXIS, naming "axes".
weft_status weft__axes_list(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim);
/// Sets along[d] for each axis d of an array with `ndim`. Errors: AXIS (out of range, or given twice), naming "axes".
weft_status weft__axes_resolve(bool along[WEFT_MAX_NDIM], weft_axes axes, int ndim);
/// `shape` without these axes, or with length 1 for each of them.
weft_shape weft__axes_reduced(weft_shape shape, const bool along[WEFT_MAX_NDIM], bool keepdims);
/// The axis of a call that works along one: its number as given, or WEFT__EVERY_AXIS. Errors: AXIS (several, or
/// weft_keepdims).
weft_status weft__one_axis(int *axis, weft_axes axes);
/// The axis, as 0 to ndim - 1, of a call that works along one and cannot work along all of them. `argument` is the name
/// that errors give the axis.
weft_status weft__only_axis(int *axis, weft_axes axes, int ndim, const char *argument);
/// The axes of a view, in the given order: each once, and without weft_keepdims. Errors: AXIS, naming `argument`.
weft_status weft__view_axes(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim, const char *argument);
/// Converts one axis to 0 to ndim - 1; a negative one counts from the end. Errors: AXIS, naming "axis".
weft_status weft__axis_resolve(int *axis, int ndim);

#endif
