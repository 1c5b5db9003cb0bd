// SPDX-License-Identifier: MIT
/// Views of weft/rearrange.h: arrays split and turned without a copy.
#include <weft/rearrange.h>

#include <inttypes.h>

#include "array/array.h"
#include "call/axes.h"

/* ---- parts ---- */

static weft_status begin_split(int *axis, weft_array **outs, const weft_array *x, int64_t parts) {
  WEFT__TRY_RETURN(weft__array_check(x, "x"));
  WEFT__TRY_RETURN(weft__axis_resolve(axis, x->ndim));
  for (int64_t k = 0; k < parts; k++)
    if (outs[k]) return weft__fail(WEFT_ERROR_ARGUMENT, "outs", "outs[%" PRId64 "] " WEFT__NOT_NULL, k);
  return WEFT_OK;
}

/// One part more; on failure those before it go.
static weft_status add_part(weft_array **outs, int64_t k, const weft_array *x, int axis, int64_t start, int64_t stop, const char *site) {
  weft_status rc = weft__slice_at(&outs[k], x, axis, start, stop, 1, site);
  for (int64_t i = 0; i < k && rc; i++) weft_array_release(&outs[i]);
  return rc;
}

static weft_status split(weft_array **outs, const weft_array *x, int64_t sections, int axis, bool is_even, const char *site) {
  if (sections < 1) return weft__fail(WEFT_ERROR_ARGUMENT, "sections", "`sections` is %" PRId64 "; expected 1 or more", sections);
  WEFT__TRY_RETURN(begin_split(&axis, outs, x, sections));
  int64_t length = x->shape[axis], each = length / sections, more = length % sections, start = 0;
  if (is_even && more)
    return weft__fail(WEFT_ERROR_SHAPE, "sections",
                      "axis %d has %" PRId64 " elements, which do not make %" PRId64
                      " equal parts; weft_array_split makes nearly equal ones",
                      axis, length, sections);
  for (int64_t k = 0; k < sections; k++) {
    int64_t stop = start + each + (k < more);
    WEFT__TRY_RETURN(add_part(outs, k, x, axis, start, stop, site));
    start = stop;
  }
  return WEFT_OK;
}

weft_status weft__split_into_at(weft_array **outs, const weft_array *x, int64_t sections, int axis, const char *site) {
  weft__enter("weft_split", site);
  WEFT__NEED(outs);
  return weft__leave(split(outs, x, sections, axis, true, site));
}

weft_status weft__array_split_at(weft_array **outs, const weft_array *x, int64_t sections, int axis, const char *site) {
  weft__enter("weft_array_split", site);
  WEFT__NEED(outs);
  return weft__leave(split(outs, x, sections, axis, false, site));
}

weft_status weft__split_at_at(weft_array **outs, const weft_array *x, const int64_t *positions, int64_t count, int axis, const char *site) {
  weft_status rc;
  weft__enter("weft_split_at", site);
  WEFT__NEED(outs);
  if (count < 0) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 0 or more", count));
  if (count > 0) WEFT__NEED(positions);
  WEFT__TRY(begin_split(&axis, outs, x, count + 1));
  for (int64_t k = 0; k <= count; k++)
    WEFT__TRY(add_part(outs, k, x, axis, k > 0 ? positions[k - 1] : 0, k < count ? positions[k] : WEFT_END, site));
done:
  return weft__leave(rc);
}

/* ---- axes exchanged ---- */

#define BEGIN_VIEW(function)   \
  weft_status rc;              \
  weft__enter(function, site); \
  WEFT__NEED_NULL_RESULT(out); \
  WEFT__TRY(weft__array_check(x, "x"))

static weft_status resolve(int *axis, const weft_array *x, const char *argument) {
  int d = weft__axis(*axis, x->ndim);
  if (d < 0 && x->ndim == 0) return weft__fail(WEFT_ERROR_AXIS, argument, "`%s` is %d; the array has no axes", argument, *axis);
  if (d < 0) return weft__fail(WEFT_ERROR_AXIS, argument, "`%s` is %d; expected %d to %d", argument, *axis, -x->ndim, x->ndim - 1);
  *axis = d;
  return WEFT_OK;
}

static weft_status resolve_two(int *axis1, int *axis2, const weft_array *x) {
  WEFT__TRY_RETURN(resolve(axis1, x, "axis1"));
  WEFT__TRY_RETURN(resolve(axis2, x, "axis2"));
  if (*axis1 != *axis2) return WEFT_OK;
  return weft__fail(WEFT_ERROR_AXIS, "axis2", "`axis1` and `axis2` are both axis %d", *axis1);
}

static void swap(weft_array *v, int a, int b) {
  int64_t length = v->shape[a], stride = v->stride_bytes[a];
  v->shape[a] = v->shape[b];
  v->stride_bytes[a] = v->stride_bytes[b];
  v->shape[b] = length;
  v->stride_bytes[b] = stride;
}

static void flip(weft_array *v, int d) {
  if (v->size == 0) return;
  v->offset_bytes += (v->shape[d] - 1) * v->stride_bytes[d];
  v->stride_bytes[d] = -v->stride_bytes[d];
}

weft_status weft__moveaxis_at(weft_array **out, const weft_array *x, int source, int destination, const char *site) {
  BEGIN_VIEW("weft_moveaxis");
  WEFT__TRY(resolve(&source, x, "source"));
  WEFT__TRY(resolve(&destination, x, "destination"));
  WEFT__TRY(weft__array_view(out, x, site));
  for (int d = source; d < destination; d++) swap(*out, d, d + 1);
  for (int d = source; d > destination; d--) swap(*out, d, d - 1);
done:
  return weft__leave(rc);
}

weft_status weft__swapaxes_at(weft_array **out, const weft_array *x, int axis1, int axis2, const char *site) {
  BEGIN_VIEW("weft_swapaxes");
  WEFT__TRY(resolve(&axis1, x, "axis1"));
  WEFT__TRY(resolve(&axis2, x, "axis2"));
  WEFT__TRY(weft__array_view(out, x, site));
  swap(*out, axis1, axis2);
done:
  return weft__leave(rc);
}

weft_status weft__rot90_at(weft_array **out, const weft_array *x, int64_t k, int axis1, int axis2, const char *site) {
  BEGIN_VIEW("weft_rot90");
  WEFT__TRY(resolve_two(&axis1, &axis2, x));
  WEFT__TRY(weft__array_view(out, x, site));
  int turns = (int)(k % 4 + 4) % 4;
  /* a quarter turn: each line along axis2 from its end, then the axes change places */
  if (turns == 1 || turns == 2) flip(*out, axis2);
  if (turns == 2 || turns == 3) flip(*out, axis1);
  if (turns % 2) swap(*out, axis1, axis2);
done:
  return weft__leave(rc);
}

weft_status weft__diagonal_at(weft_array **out, const weft_array *x, int64_t k, int axis1, int axis2, const char *site) {
  BEGIN_VIEW("weft_diagonal");
  WEFT__TRY(resolve_two(&axis1, &axis2, x));
  WEFT__TRY(weft__array_view(out, x, site));
  weft_array *v = *out;
  int64_t rows = v->shape[axis1], columns = v->shape[axis2], stride = v->stride_bytes[axis1] + v->stride_bytes[axis2];
  int64_t down = k < 0 ? (k < -rows ? rows : -k) : 0, right = k > 0 ? (k > columns ? columns : k) : 0;
  int64_t length = rows - down < columns - right ? rows - down : columns - right;
  if (v->size > 0 && length > 0) v->offset_bytes += down * v->stride_bytes[axis1] + right * v->stride_bytes[axis2];
  int n = 0;
  for (int d = 0; d < v->ndim; d++) {
    if (d == axis1 || d == axis2) continue;
    v->shape[n] = v->shape[d];
    v->stride_bytes[n++] = v->stride_bytes[d];
  }
  v->shape[n] = length;
  v->stride_bytes[n++] = stride;
  v->ndim = n;
  v->size = 1;
  for (int d = 0; d < n; d++) v->size *= v->shape[d];
done:
  return weft__leave(rc);
}

/* ---- grids ---- */

/// The grid's axis along which array k of `count` varies.
static int grid_axis(int k, int count, weft_indexing indexing) {
  return indexing == WEFT_INDEXING_XY && count > 1 && k < 2 ? 1 - k : k;
}

static weft_status grid_shape(weft_shape *shape, weft_array **outs, weft_array *const *arrays, int count, weft_indexing indexing) {
  if (count < 1 || count > WEFT_MAX_NDIM)
    return weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %d; expected 1 to %d", count, WEFT_MAX_NDIM);
  if (indexing != WEFT_INDEXING_XY && indexing != WEFT_INDEXING_IJ)
    return weft__fail(WEFT_ERROR_ARGUMENT, "indexing", "`indexing` is %d, which is no weft_indexing", (int)indexing);
  shape->ndim = count;
  for (int k = 0; k < count; k++) {
    WEFT__TRY_RETURN(weft__array_check(arrays[k], "arrays"));
    if (arrays[k]->ndim > 1)
      return weft__fail(WEFT_ERROR_SHAPE, "arrays", "arrays[%d] has %d axes; expected 1, or none", k, arrays[k]->ndim);
    if (outs[k]) return weft__fail(WEFT_ERROR_ARGUMENT, "outs", "outs[%d] " WEFT__NOT_NULL, k);
    shape->dim[grid_axis(k, count, indexing)] = arrays[k]->size;
  }
  return WEFT_OK;
}

/// `v`, of one axis or none, as an array of `shape` that varies along axis `at` only.
static void stretch(weft_array *v, const weft_shape *shape, int64_t size, int at) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(v->dtype), stride = v->ndim ? v->stride_bytes[0] : element;
  v->ndim = shape->ndim;
  v->size = size;
  for (int d = 0; d < shape->ndim; d++) {
    v->shape[d] = shape->dim[d];
    v->stride_bytes[d] = d == at ? stride : shape->dim[d] == 1 ? element : 0;
  }
}

weft_status weft__meshgrid_at(weft_array **outs, weft_array *const *arrays, int count, weft_indexing indexing, const char *site) {
  weft_shape shape = {0};
  int64_t size;
  int made = 0;
  weft_status rc;
  weft__enter("weft_meshgrid", site);
  WEFT__NEED(outs);
  WEFT__NEED(arrays);
  WEFT__TRY(grid_shape(&shape, outs, arrays, count, indexing));
  WEFT__TRY(weft__shape_check(&size, shape, WEFT_C128, "arrays"));
  for (; made < count; made++) {
    WEFT__TRY(weft__array_view(&outs[made], arrays[made], site));
    stretch(outs[made], &shape, size, grid_axis(made, count, indexing));
  }
done:
  for (int k = 0; k < made && rc; k++) weft_array_release(&outs[k]);
  return weft__leave(rc);
}
