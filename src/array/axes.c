// SPDX-License-Identifier: MIT
#include "array/axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void weft__add_shape(weft__text *text, weft_dtype dtype, weft_shape shape) {
  weft__text_add(text, "%s[", weft_dtype_name(dtype));
  for (int d = 0; d < shape.ndim && d < WEFT_MAX_NDIM; d++)
    weft__text_add(text, "%s%" PRId64, d ? "," : "", shape.dim[d]);
  weft__text_add(text, "]");
}

int weft__axis(int axis, int ndim) {
  if (axis < 0) axis += ndim;
  return axis >= 0 && axis < ndim ? axis : -1;
}

/// The argument in front of a message of a call with two arguments for axes, for example "`axes_b`: ".
typedef struct prefix {
  char text[24];
} prefix;

static prefix prefix_of(const char *argument) {
  prefix p = {""};
  if (strcmp(argument, "axis") != 0 && strcmp(argument, "axes") != 0)
    snprintf(p.text, sizeof p.text, "`%s`: ", argument);
  return p;
}

static weft_status resolve(int *axis, int ndim, const char *argument) {
  int d = weft__axis(*axis, ndim);
  const prefix before = prefix_of(argument);
  if (d < 0 && ndim == 0)
    return weft__fail(WEFT_ERROR_AXIS, argument, "%saxis %d was asked for; the array has no axes", before.text, *axis);
  if (d < 0)
    return weft__fail(WEFT_ERROR_AXIS, argument, "%saxis %d was asked for; the array has %d ax%s, so expected %d to %d",
                      before.text, *axis, ndim, ndim == 1 ? "is" : "es", -ndim, ndim - 1);
  *axis = d;
  return WEFT_OK;
}

static weft_status list_axes(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim, const char *argument) {
  bool all = axes.count == WEFT__EVERY_AXIS;
  if (!all && (axes.count < 0 || axes.count > WEFT_MAX_NDIM))
    return weft__fail(WEFT_ERROR_AXIS, argument, "%d axes were given; expected 0 to %d, or WEFT_ALL_AXES", axes.count,
                      WEFT_MAX_NDIM);
  *count = all ? ndim : axes.count;
  for (int k = 0; k < *count; k++) {
    axis[k] = all ? k : axes.axis[k];
    WEFT__TRY_RETURN(resolve(&axis[k], ndim, argument));
  }
  return WEFT_OK;
}

weft_status weft__axes_list(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim) {
  return list_axes(axis, count, axes, ndim, "axes");
}

weft_status weft__view_axes(int axis[WEFT_MAX_NDIM], int *count, weft_axes axes, int ndim, const char *argument) {
  if (axes.keepdims)
    return weft__fail(WEFT_ERROR_AXIS, argument, "%sweft_keepdims was given; it is for reductions",
                      prefix_of(argument).text);
  WEFT__TRY_RETURN(list_axes(axis, count, axes, ndim, argument));
  for (int k = 0; k < *count; k++)
    for (int i = 0; i < k; i++)
      if (axis[i] == axis[k])
        return weft__fail(WEFT_ERROR_AXIS, argument, "%saxis %d is given twice", prefix_of(argument).text, axis[k]);
  return WEFT_OK;
}

weft_status weft__axes_resolve(bool along[WEFT_MAX_NDIM], weft_axes axes, int ndim) {
  int axis[WEFT_MAX_NDIM], count = 0;
  WEFT__TRY_RETURN(weft__axes_list(axis, &count, axes, ndim));
  for (int d = 0; d < WEFT_MAX_NDIM; d++) along[d] = false;
  for (int k = 0; k < count; k++) {
    if (along[axis[k]]) return weft__fail(WEFT_ERROR_AXIS, "axes", "axis %d is given twice", axis[k]);
    along[axis[k]] = true;
  }
  return WEFT_OK;
}

weft_shape weft__axes_reduced(weft_shape shape, const bool along[WEFT_MAX_NDIM], bool keepdims) {
  weft_shape left = {0};
  for (int d = 0; d < shape.ndim; d++)
    if (!along[d] || keepdims) left.dim[left.ndim++] = along[d] ? 1 : shape.dim[d];
  return left;
}

weft_status weft__one_axis(int *axis, weft_axes axes) {
  if (axes.keepdims) return weft__fail(WEFT_ERROR_AXIS, "axis", "weft_keepdims was given; this call keeps every axis");
  if (axes.count != 1 && axes.count != WEFT__EVERY_AXIS)
    return weft__fail(WEFT_ERROR_AXIS, "axis", "%d axes were given; expected one", axes.count);
  *axis = axes.count == 1 ? axes.axis[0] : WEFT__EVERY_AXIS;
  return WEFT_OK;
}

weft_status weft__axis_resolve(int *axis, int ndim) {
  return resolve(axis, ndim, "axis");
}

weft_status weft__only_axis(int *axis, weft_axes axes, int ndim, const char *argument) {
  WEFT__TRY_RETURN(weft__one_axis(axis, axes));
  if (*axis == WEFT__EVERY_AXIS && axes.count != 1)
    return weft__fail(WEFT_ERROR_AXIS, argument, "WEFT_ALL_AXES was given; expected one axis");
  return resolve(axis, ndim, argument);
}
