// SPDX-License-Identifier: MIT
/// Along which axes a function works: a small struct passed by value.
///
///     rc = weft_sum(&total, x, WEFT_ALL_AXES);
///     rc = weft_sum(&rows, x, WEFT_AXIS(-1));
///     rc = weft_mean(&plane, x, weft_keepdims(WEFT_AXES(0, 2)));
#ifndef WEFT_AXES_H
#define WEFT_AXES_H

#include <weft/array.h>

WEFT_BEGIN_DECLS

/// Axes are counted from 0, negative ones from the end. Each may be named once (WEFT_ERROR_AXIS).
typedef struct weft_axes {
  int count;     /* WEFT_EVERY_AXIS: all of them, whatever the number */
  bool keepdims; /* the axes stay in the result, with length 1 */
  int axis[WEFT_MAX_NDIM];
} weft_axes;

static inline weft_axes weft__axes(int count, const int *axis) {
  weft_axes a;
  int i;
  a.count = count;
  a.keepdims = false;
  for (i = 0; i < WEFT_MAX_NDIM; i++) a.axis[i] = i < count ? axis[i] : 0;
  return a;
}
/// The same axes, kept in the result with length 1, so that it broadcasts against what it was made of.
static inline weft_axes weft_keepdims(weft_axes axes) {
  axes.keepdims = true;
  return axes;
}

WEFT_END_DECLS

#define WEFT_ALL_AXES weft__axes(WEFT_EVERY_AXIS, NULL)
#ifdef __cplusplus
template <typename... Axes>
inline weft_axes weft__axes_of(Axes... axes) {
  const int axis[] = {static_cast<int>(axes)..., 0};
  return weft__axes(static_cast<int>(sizeof...(axes)), axis);
}
#define WEFT_AXES(...) weft__axes_of(__VA_ARGS__)
#else
/// WEFT_AXES(0, 2): up to WEFT_MAX_NDIM of them.
#define WEFT_AXES(...) weft__axes((int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)), (const int[]){__VA_ARGS__})
#endif
#define WEFT_AXIS(axis) WEFT_AXES(axis)

#endif
