// SPDX-License-Identifier: MIT
/// Functions that make several views: the parts of a split array, grids.
#include "array/view.h"

#include <inttypes.h>

#include "array/strides.h"

/* ---- parts ---- */

static weft_status begin_split(int *axis, weft_array **outs, const weft_array *x, int64_t parts, weft_axes axes) {
  WEFT__TRY_RETURN(weft__array_check(x, "x"));
  WEFT__TRY_RETURN(weft__only_axis(axis, axes, x->ndim, "axis"));
  for (int64_t k = 0; k < parts; k++)
    if (outs[k]) return weft__fail(WEFT_ERROR_ARGUMENT, "outs", "outs[%" PRId64 "] " WEFT__NOT_NULL, k);
  return WEFT_OK;
}

/// Adds one part; on failure releases the parts before it.
static weft_status add_part(weft_array **outs, int64_t k, const weft_array *x, int axis, int64_t start, int64_t stop,
                            const char *site) {
  weft_status rc = weft__slice_at(&outs[k], x, weft__axes_int(axis), start, stop, &(weft_slice_params){.site = site});
  for (int64_t i = 0; i < k && rc; i++) weft_array_release(&outs[i]);
  return rc;
}

static weft_status split(weft_array **outs, const weft_array *x, int64_t sections, weft_axes axes, bool is_even,
                         const char *site) {
  int axis;
  if (sections < 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "sections", "`sections` is %" PRId64 "; expected 1 or more", sections);
  WEFT__TRY_RETURN(begin_split(&axis, outs, x, sections, axes));
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

weft_status weft__split_at(weft_array **outs, const weft_array *x, int64_t sections, weft_axes axis, const char *site) {
  weft__enter("weft_split", site);
  WEFT__NEED(outs);
  return weft__leave(split(outs, x, sections, axis, true, site));
}

weft_status weft__array_split_at(weft_array **outs, const weft_array *x, int64_t sections, weft_axes axis,
                                 const char *site) {
  weft__enter("weft_array_split", site);
  WEFT__NEED(outs);
  return weft__leave(split(outs, x, sections, axis, false, site));
}

weft_status weft__split_at_at(weft_array **outs, const weft_array *x, const int64_t *positions, int64_t count,
                              weft_axes axes, const char *site) {
  weft_status rc;
  int axis;
  weft__enter("weft_split_at", site);
  WEFT__NEED(outs);
  if (count < 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 0 or more", count));
  if (count > 0) WEFT__NEED(positions);
  WEFT__TRY(begin_split(&axis, outs, x, count + 1, axes));
  for (int64_t k = 0; k <= count; k++)
    WEFT__TRY(add_part(outs, k, x, axis, k > 0 ? positions[k - 1] : 0, k < count ? positions[k] : WEFT_END, site));
done:
  return weft__leave(rc);
}

/* ---- broadcast ---- */

static weft_status common_shape(weft_shape *shape, weft_array **outs, weft_array *const *arrays, int count) {
  *shape = WEFT_SHAPE_0D;
  for (int k = 0; k < count; k++) {
    int axis;
    WEFT__TRY_RETURN(weft__while(weft__array_check(arrays[k], "arrays"), "looking at arrays[%d]", k));
    if (outs[k]) return weft__fail(WEFT_ERROR_ARGUMENT, "outs", "outs[%d] " WEFT__NOT_NULL, k);
    if (!weft__broadcast_shapes(shape, weft__array_shape(arrays[k]), &axis))
      return weft__fail(WEFT_ERROR_SHAPE, "arrays",
                        "arrays[%d] does not broadcast with those before it: axis %d differs", k, axis);
  }
  return WEFT_OK;
}

weft_status weft__broadcast_arrays_at(weft_array **outs, weft_array *const *arrays, int count, const char *site) {
  weft_shape shape;
  int made = 0;
  weft_status rc;
  weft__enter("weft_broadcast_arrays", site);
  WEFT__NEED(outs);
  WEFT__NEED(arrays);
  if (count < 1) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %d; expected 1 or more", count));
  WEFT__TRY(common_shape(&shape, outs, arrays, count));
  for (; made < count; made++) WEFT__TRY(weft__broadcast_at(&outs[made], arrays[made], shape, site));
done:
  for (int k = 0; k < made && rc; k++) weft_array_release(&outs[k]);
  return weft__leave(rc);
}

/* ---- grids ---- */

/// The grid's axis along which array k of `count` varies.
static int grid_axis(int k, int count, weft_indexing indexing) {
  return indexing == WEFT_INDEXING_XY && count > 1 && k < 2 ? 1 - k : k;
}

static weft_status grid_shape(weft_shape *shape, weft_array **outs, weft_array *const *arrays, int count,
                              weft_indexing indexing) {
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

/// Makes `v`, which has at most one axis, an array of `shape` that varies only along axis `at`; `sparse`: of length 1
/// in the other axes.
static void stretch(weft_array *v, const weft_shape *shape, bool sparse, int at) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(v->dtype), stride = v->ndim ? v->stride_bytes[0] : element;
  v->ndim = shape->ndim;
  for (int d = 0; d < shape->ndim; d++) {
    v->shape[d] = d != at && sparse ? 1 : shape->dim[d];
    v->stride_bytes[d] = d == at ? stride : v->shape[d] == 1 ? element : 0;
  }
  weft__view_count(v);
}

weft_status weft__meshgrid_at(weft_array **outs, weft_array *const *arrays, int count,
                              const weft_meshgrid_params *params) {
  const weft_meshgrid_params p = WEFT__PARAMS(params);
  weft_shape shape = {0};
  int64_t size;
  int made = 0;
  weft_status rc;
  weft__enter("weft_meshgrid", p.site);
  WEFT__NEED(outs);
  WEFT__NEED(arrays);
  WEFT__TRY(grid_shape(&shape, outs, arrays, count, p.indexing));
  if (!p.sparse) WEFT__TRY(weft__shape_check(&size, shape, WEFT_C128, "arrays"));
  for (; made < count; made++) {
    WEFT__TRY(weft__array_view(&outs[made], arrays[made], p.site));
    stretch(outs[made], &shape, p.sparse, grid_axis(made, count, p.indexing));
  }
done:
  for (int k = 0; k < made && rc; k++) weft_array_release(&outs[k]);
  return weft__leave(rc);
}
