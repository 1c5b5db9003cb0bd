// SPDX-License-Identifier: MIT
/// weft_take and weft_take_along_axis, and the checks that they share with the writing functions.
#include <inttypes.h>

#include "array/axes.h"
#include "op/index/gather.h"

weft_status weft__index_check_mode(weft_index_mode mode) {
  if ((unsigned)mode <= WEFT_INDEX_WRAP) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "mode",
                    "`mode` is %d; expected WEFT_INDEX_ERROR, WEFT_INDEX_CLIP or WEFT_INDEX_WRAP", (int)mode);
}

weft_status weft__index_check_length(int64_t indices, int64_t length, const char *argument) {
  if (length > 0 || indices == 0) return WEFT_OK;
  return weft__fail(WEFT_ERROR_INDEX, argument,
                    "`%s` has no elements along the axis, and there %s %" PRId64 " %s into it", argument,
                    indices == 1 ? "is" : "are", indices, indices == 1 ? "index" : "indices");
}

weft_status weft__index_operand(weft__call *c, int k) {
  weft_dtype dtype = weft__call_dtype(c, k);
  char kind = weft_dtype_kind(dtype);
  const char *name = weft__call_operand_name(c, k);
  if (kind == 'b') return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is bool: a mask; expected integers", name);
  if (kind != 'i' && kind != 'u')
    return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected integers", name, weft_dtype_name(dtype));
  if (weft__call_is_scalar(c, k)) {
    const weft_scalar index = c->operand[k].as.scalar;
    if (index.dtype == WEFT_U64 && index.value.u > INT64_MAX) dtype = WEFT_U64; /* out of range, as in an array */
  }
  return weft__call_contiguous_operand(c, k, weft_dtype_size_bytes(dtype) < 4 ? WEFT_I32 : dtype);
}

weft_status weft__index_shape(weft_shape *shape, weft_shape x, weft_shape indices, int axis) {
  *shape = (weft_shape){0};
  if (axis == WEFT__EVERY_AXIS) {
    *shape = indices;
    return WEFT_OK;
  }
  if (x.ndim - 1 + indices.ndim > WEFT_MAX_NDIM)
    return weft__fail(WEFT_ERROR_SHAPE, "indices",
                      "the result has %d axes, %d of `x` and %d of `indices`; expected up to %d",
                      x.ndim - 1 + indices.ndim, x.ndim - 1, indices.ndim, WEFT_MAX_NDIM);
  for (int d = 0; d < axis; d++) shape->dim[shape->ndim++] = x.dim[d];
  for (int d = 0; d < indices.ndim; d++) shape->dim[shape->ndim++] = indices.dim[d];
  for (int d = axis + 1; d < x.ndim; d++) shape->dim[shape->ndim++] = x.dim[d];
  return WEFT_OK;
}

static const char *const names[] = {"x", "indices"};

/// Checks the operands and copies them to the device; *axis counts from 0.
static weft_status begin(weft__call *c, int *axis, weft_axes axes, weft_index_mode mode) {
  WEFT__TRY_RETURN(weft__index_check_mode(mode));
  WEFT__TRY_RETURN(weft__one_axis(axis, axes));
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  if (*axis != WEFT__EVERY_AXIS) WEFT__TRY_RETURN(weft__axis_resolve(axis, c->array[1]->ndim));
  return weft__index_operand(c, 1);
}

static weft__indexing indexing_of(const weft__call *c, int axis, bool along, weft_index_mode mode, const char *what) {
  return (weft__indexing){.context = c->context,
                          .what = what,
                          .site = c->site,
                          .indexed = c->array[1],
                          .dense = c->array[0],
                          .indices = c->array[2],
                          .axis = axis,
                          .along = along,
                          .mode = mode};
}

weft_status weft__take_at(weft_operand out, weft_operand x, weft_operand indices, weft_axes axes,
                          const weft_index_params *params) {
  const weft_index_params p = WEFT__PARAMS(params);
  weft__call c;
  int axis;
  weft_shape shape;
  const weft_operand operands[] = {x, indices};
  weft__enter("weft_take", p.site);
  weft__call_open(&c, NULL, 1, &out, 2, operands, names, p.site);
  weft_status rc;
  WEFT__TRY(begin(&c, &axis, axes, p.mode));
  const weft_array *from = c.array[1];
  WEFT__TRY(weft__index_shape(&shape, weft__array_shape(from), weft__array_shape(c.array[2]), axis));
  WEFT__TRY(weft__index_check_length(c.array[2]->size, axis == WEFT__EVERY_AXIS ? from->size : from->shape[axis], "x"));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, from->dtype, shape));
  const weft__indexing indexing = indexing_of(&c, axis, false, p.mode, "take");
  WEFT__TRY(weft__index_take(&indexing));
done:
  return weft__leave(weft__call_close(&c, rc));
}

/// Broadcasts x and the indices to each other in all axes except `axis`. *shape: the shape of the result.
static weft_status broadcast_along(weft__call *c, int axis, weft_shape *shape) {
  weft_shape x = weft__array_shape(c->array[1]), indices = weft__array_shape(c->array[2]);
  if (x.ndim != indices.ndim)
    return weft__fail(WEFT_ERROR_SHAPE, "indices", "`indices` has %d axes, `x` has %d; expected as many", indices.ndim,
                      x.ndim);
  *shape = indices;
  weft_shape wide_x = x;
  for (int d = 0; d < x.ndim; d++) {
    if (d == axis || x.dim[d] == indices.dim[d]) continue;
    if (x.dim[d] != 1 && indices.dim[d] != 1)
      return weft__fail(WEFT_ERROR_SHAPE, "indices", "`indices` has length %" PRId64 " in axis %d, `x` has %" PRId64,
                        indices.dim[d], d, x.dim[d]);
    shape->dim[d] = wide_x.dim[d] = indices.dim[d] == 1 ? x.dim[d] : indices.dim[d];
  }
  WEFT__TRY_RETURN(weft__call_broadcast(c, 1, wide_x));
  return weft__call_broadcast(c, 2, *shape);
}

weft_status weft__take_along_axis_at(weft_operand out, weft_operand x, weft_operand indices, weft_axes axes,
                                     const weft_index_params *params) {
  const weft_index_params p = WEFT__PARAMS(params);
  weft__call c;
  int axis;
  weft_shape shape;
  const weft_operand operands[] = {x, indices};
  weft__enter("weft_take_along_axis", p.site);
  weft__call_open(&c, NULL, 1, &out, 2, operands, names, p.site);
  weft_status rc;
  WEFT__TRY(begin(&c, &axis, axes, p.mode));
  if (axis == WEFT__EVERY_AXIS)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_AXIS, "axis", "`axis` is WEFT_ALL_AXES; expected one axis (for all axes use weft_take)"));
  WEFT__TRY(broadcast_along(&c, axis, &shape));
  WEFT__TRY(weft__index_check_length(c.array[2]->size, c.array[1]->shape[axis], "x"));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, c.array[1]->dtype, shape));
  const weft__indexing indexing = indexing_of(&c, axis, true, p.mode, "take_along_axis");
  WEFT__TRY(weft__index_take(&indexing));
done:
  return weft__leave(weft__call_close(&c, rc));
}
