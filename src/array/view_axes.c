// SPDX-License-Identifier: MIT
/// Views with axes reordered, reversed, removed or added.
#include "array/view.h"

#include <inttypes.h>

/* ---- order ---- */

static void swap(weft_array *v, int a, int b) {
  int64_t length = v->shape[a], stride = v->stride_bytes[a];
  v->shape[a] = v->shape[b];
  v->stride_bytes[a] = v->stride_bytes[b];
  v->shape[b] = length;
  v->stride_bytes[b] = stride;
}

void weft__view_permute(weft_array *v, const weft_array *x, const int from[WEFT_MAX_NDIM]) {
  for (int d = 0; d < x->ndim; d++) {
    v->shape[d] = x->shape[from[d]];
    v->stride_bytes[d] = x->stride_bytes[from[d]];
  }
}

weft_status weft__transpose_at(weft_array **out, const weft_array *x, weft_axes axes, const char *site) {
  int from[WEFT_MAX_NDIM], count;
  WEFT__BEGIN_VIEW("weft_transpose");
  WEFT__TRY(weft__view_axes(from, &count, axes, x->ndim, "axes"));
  if (count != x->ndim)
    WEFT__TRY(weft__fail(WEFT_ERROR_AXIS, "axes", "%d of the array's %d axes given; expected all", count, x->ndim));
  if (axes.count == WEFT__EVERY_AXIS)
    for (int d = 0; d < x->ndim; d++) from[d] = x->ndim - 1 - d;
  WEFT__TRY(weft__array_view(out, x, site));
  weft__view_permute(*out, x, from);
done:
  return weft__leave(rc);
}

weft_status weft__moveaxis_at(weft_array **out, const weft_array *x, weft_axes source, weft_axes destination,
                              const char *site) {
  int moved[WEFT_MAX_NDIM], to[WEFT_MAX_NDIM], from[WEFT_MAX_NDIM], count, places, next = 0;
  bool is_moved[WEFT_MAX_NDIM] = {false};
  WEFT__BEGIN_VIEW("weft_moveaxis");
  WEFT__TRY(weft__view_axes(moved, &count, source, x->ndim, "source"));
  WEFT__TRY(weft__view_axes(to, &places, destination, x->ndim, "destination"));
  if (count != places)
    WEFT__TRY(weft__fail(WEFT_ERROR_AXIS, "destination", "`source` has %d ax%s, `destination` %d", count,
                         count == 1 ? "is" : "es", places));
  for (int d = 0; d < x->ndim; d++) from[d] = -1;
  for (int k = 0; k < count; k++) {
    from[to[k]] = moved[k];
    is_moved[moved[k]] = true;
  }
  for (int d = 0; d < x->ndim; d++) {
    if (is_moved[d]) continue;
    while (from[next] >= 0) next++;
    from[next] = d;
  }
  WEFT__TRY(weft__array_view(out, x, site));
  weft__view_permute(*out, x, from);
done:
  return weft__leave(rc);
}

weft_status weft__swapaxes_at(weft_array **out, const weft_array *x, weft_axes axis1, weft_axes axis2,
                              const char *site) {
  int a, b;
  WEFT__BEGIN_VIEW("weft_swapaxes");
  WEFT__TRY(weft__only_axis(&a, axis1, x->ndim, "axis1"));
  WEFT__TRY(weft__only_axis(&b, axis2, x->ndim, "axis2"));
  WEFT__TRY(weft__array_view(out, x, site));
  swap(*out, a, b);
done:
  return weft__leave(rc);
}

/* ---- planes ---- */

static weft_status two_axes(int axis[WEFT_MAX_NDIM], weft_axes axes, int ndim) {
  int count;
  WEFT__TRY_RETURN(weft__view_axes(axis, &count, axes, ndim, "axes"));
  return count == 2 ? WEFT_OK
                    : weft__fail(WEFT_ERROR_AXIS, "axes", "%d ax%s given; expected two", count,
                                 count == 1 ? "is was" : "es were");
}

weft_status weft__rot90_at(weft_array **out, const weft_array *x, int64_t k, weft_axes axes, const char *site) {
  int axis[WEFT_MAX_NDIM];
  WEFT__BEGIN_VIEW("weft_rot90");
  WEFT__TRY(two_axes(axis, axes, x->ndim));
  WEFT__TRY(weft__array_view(out, x, site));
  int turns = (int)(k % 4 + 4) % 4;
  /* a quarter turn: reverse the second axis, then swap the axes */
  if (turns == 1 || turns == 2) weft__view_flip_axis(*out, axis[1]);
  if (turns == 2 || turns == 3) weft__view_flip_axis(*out, axis[0]);
  if (turns % 2) swap(*out, axis[0], axis[1]);
done:
  return weft__leave(rc);
}

weft_status weft__diagonal_at(weft_array **out, const weft_array *x, weft_axes axes,
                              const weft_diagonal_params *params) {
  const weft_diagonal_params p = WEFT__PARAMS(params);
  const char *site = p.site;
  const int64_t k = p.k;
  int axis[WEFT_MAX_NDIM];
  WEFT__BEGIN_VIEW("weft_diagonal");
  WEFT__TRY(two_axes(axis, axes, x->ndim));
  WEFT__TRY(weft__array_view(out, x, site));
  weft_array *v = *out;
  int64_t rows = v->shape[axis[0]], columns = v->shape[axis[1]],
          stride = v->stride_bytes[axis[0]] + v->stride_bytes[axis[1]];
  int64_t down = k < 0 ? (k < -rows ? rows : -k) : 0, right = k > 0 ? (k > columns ? columns : k) : 0;
  int64_t length = rows - down < columns - right ? rows - down : columns - right;
  if (v->size > 0 && length > 0) v->offset_bytes += down * v->stride_bytes[axis[0]] + right * v->stride_bytes[axis[1]];
  weft__view_remove_axis(v, axis[0] > axis[1] ? axis[0] : axis[1]);
  weft__view_remove_axis(v, axis[0] > axis[1] ? axis[1] : axis[0]);
  v->shape[v->ndim] = length;
  v->stride_bytes[v->ndim++] = stride;
  weft__view_count(v);
done:
  return weft__leave(rc);
}

void weft__view_flip_axis(weft_array *v, int axis) {
  if (v->size == 0) return;
  v->offset_bytes += (v->shape[axis] - 1) * v->stride_bytes[axis];
  v->stride_bytes[axis] = -v->stride_bytes[axis];
}

weft_status weft__flip_at(weft_array **out, const weft_array *x, weft_axes axes, const char *site) {
  int axis[WEFT_MAX_NDIM], count;
  WEFT__BEGIN_VIEW("weft_flip");
  WEFT__TRY(weft__view_axes(axis, &count, axes, x->ndim, "axes"));
  WEFT__TRY(weft__array_view(out, x, site));
  for (int k = 0; k < count; k++) weft__view_flip_axis(*out, axis[k]);
done:
  return weft__leave(rc);
}

/* ---- removed and added axes ---- */

void weft__view_remove_axis(weft_array *v, int axis) {
  v->ndim--;
  for (int d = axis; d < v->ndim; d++) {
    v->shape[d] = v->shape[d + 1];
    v->stride_bytes[d] = v->stride_bytes[d + 1];
  }
}

weft_status weft__squeeze_at(weft_array **out, const weft_array *x, weft_axes axes, const char *site) {
  int axis[WEFT_MAX_NDIM], count;
  bool all = axes.count == WEFT__EVERY_AXIS, goes[WEFT_MAX_NDIM] = {false};
  WEFT__BEGIN_VIEW("weft_squeeze");
  /* NumPy accepts axis 0 and -1 of an array without axes */
  if (x->ndim == 0 && axes.count == 1 && (axes.axis[0] == 0 || axes.axis[0] == -1)) axes.count = 0;
  WEFT__TRY(weft__view_axes(axis, &count, axes, x->ndim, "axes"));
  for (int k = 0; k < count; k++) {
    goes[axis[k]] = x->shape[axis[k]] == 1;
    if (!goes[axis[k]] && !all)
      WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "axes",
                           "axis %d has length %" PRId64 "; only axes of length 1 can be removed", axis[k],
                           x->shape[axis[k]]));
  }
  WEFT__TRY(weft__array_view(out, x, site));
  for (int d = x->ndim - 1; d >= 0; d--)
    if (goes[d]) weft__view_remove_axis(*out, d);
done:
  return weft__leave(rc);
}

weft_status weft__expand_at(weft_array **out, const weft_array *x, weft_axes axes, const char *site) {
  int axis[WEFT_MAX_NDIM], count;
  bool is_new[WEFT_MAX_NDIM] = {false};
  WEFT__BEGIN_VIEW("weft_expand");
  if (axes.count == WEFT__EVERY_AXIS)
    WEFT__TRY(weft__fail(WEFT_ERROR_AXIS, "axes", "WEFT_ALL_AXES was given; expected the numbers of the new axes"));
  if (axes.count > 0 && axes.count <= WEFT_MAX_NDIM && x->ndim + axes.count > WEFT_MAX_NDIM)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "axes", "the array has %d axes, with %d more they would be more than %d",
                         x->ndim, axes.count, WEFT_MAX_NDIM));
  WEFT__TRY(weft__view_axes(axis, &count, axes, x->ndim + axes.count, "axes"));
  for (int k = 0; k < count; k++) is_new[axis[k]] = true;
  WEFT__TRY(weft__array_view(out, x, site));
  weft_array *v = *out;
  v->ndim += count;
  for (int d = 0, from = 0; d < v->ndim; d++) {
    v->shape[d] = is_new[d] ? 1 : x->shape[from];
    v->stride_bytes[d] = is_new[d] ? (int64_t)weft_dtype_size_bytes(v->dtype) : x->stride_bytes[from];
    from += !is_new[d];
  }
done:
  return weft__leave(rc);
}

static void insert_axis(weft_array *v, int at) {
  for (int d = v->ndim++; d > at; d--) {
    v->shape[d] = v->shape[d - 1];
    v->stride_bytes[d] = v->stride_bytes[d - 1];
  }
  v->shape[at] = 1;
  v->stride_bytes[at] = (int64_t)weft_dtype_size_bytes(v->dtype);
}

void weft__view_at_least(weft_array *v, int ndim) {
  if (v->ndim == 0 && ndim > 0) insert_axis(v, 0);
  if (v->ndim == 1 && ndim > 1) insert_axis(v, 0);
  if (v->ndim == 2 && ndim > 2) insert_axis(v, 2);
}

weft_status weft__atleast_at(weft_array **out, const weft_array *x, int ndim, const char *site) {
  static const char *const names[] = {"weft_atleast_1d", "weft_atleast_2d", "weft_atleast_3d"};
  WEFT__BEGIN_VIEW(names[ndim - 1]);
  WEFT__TRY(weft__array_view(out, x, site));
  weft__view_at_least(*out, ndim);
done:
  return weft__leave(rc);
}

/* ---- windows ---- */

weft_status weft__sliding_window_at(weft_array **out, const weft_array *x, weft_shape window, weft_axes axes,
                                    const char *site) {
  int axis[WEFT_MAX_NDIM], count;
  WEFT__BEGIN_VIEW("weft_sliding_window");
  WEFT__TRY(weft__view_axes(axis, &count, axes, x->ndim, "axes"));
  if (window.ndim != count || x->ndim + count > WEFT_MAX_NDIM)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "window",
                         "`window` has %d lengths, `axes` %d axes; expected as many, and at most %d axes of the result",
                         window.ndim, count, WEFT_MAX_NDIM));
  for (int k = 0; k < count; k++)
    if (window.dim[k] < 1 || window.dim[k] > x->shape[axis[k]])
      WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "window",
                           "`window` has length %" PRId64 "; expected 1 to %" PRId64 ", the length of axis %d",
                           window.dim[k], x->shape[axis[k]], axis[k]));
  WEFT__TRY(weft__array_view(out, x, site));
  weft_array *v = *out;
  for (int k = 0; k < count; k++) {
    v->shape[axis[k]] -= window.dim[k] - 1;
    v->shape[v->ndim] = window.dim[k];
    v->stride_bytes[v->ndim++] = v->stride_bytes[axis[k]];
  }
  weft__view_count(v);
done:
  return weft__leave(rc);
}
