// SPDX-License-Identifier: MIT
/// Reductions: other axes first, each rank for itself, then the split axis.
#include <string.h>

#include "dist/array.h"
#include "dist/fold.h"

typedef struct reduction {
  weft_reduction_id id;
  const char *function, *site;
  const weft_dist_array *x;
  bool reduces[WEFT_MAX_NDIM], keepdims;
  bool crosses;           /* the split axis is among them */
  int64_t elements;       /* per result */
  weft_dtype work, dtype; /* of the sums on the way, of the result */
} reduction;

static const char *function_of(weft_reduction_id id) {
  switch (id) {
    case WEFT_REDUCE_SUM:
      return "weft_dist_sum";
    case WEFT_REDUCE_PROD:
      return "weft_dist_prod";
    case WEFT_REDUCE_MAX:
      return "weft_dist_max";
    case WEFT_REDUCE_MIN:
      return "weft_dist_min";
    case WEFT_REDUCE_MEAN:
      return "weft_dist_mean";
    case WEFT_REDUCE_ARGMAX:
      return "weft_dist_argmax";
    default:
      return "weft_dist_argmin";
  }
}

static bool is_index(weft_reduction_id id) {
  return id == WEFT_REDUCE_ARGMAX || id == WEFT_REDUCE_ARGMIN;
}

static bool is_extremum(weft_reduction_id id) {
  return id == WEFT_REDUCE_MAX || id == WEFT_REDUCE_MIN || is_index(id);
}

static weft__dist_fold_op op_of(weft_reduction_id id) {
  if (id == WEFT_REDUCE_PROD) return (weft__dist_fold_op){.operator_ = " * "};
  if (is_extremum(id))
    return (weft__dist_fold_op){.call = id == WEFT_REDUCE_MAX || id == WEFT_REDUCE_ARGMAX ? "maximum" : "minimum"};
  return (weft__dist_fold_op){.operator_ = " + "};
}

/// NumPy's dtypes; narrow numbers are summed in wide ones.
static void choose_dtypes(reduction *r) {
  const weft_dtype x = weft_array_dtype(r->x->local);
  const char kind = weft_dtype_kind(x);
  const bool is_float = kind == 'f' || kind == 'c';
  r->dtype = x;
  r->work = kind == 'c' ? WEFT_C128 : WEFT_F64;
  if (is_extremum(r->id)) {
    r->work = x;
  } else if (!is_float) {
    r->dtype = r->id == WEFT_REDUCE_MEAN ? WEFT_F64 : kind == 'u' ? WEFT_U64 : WEFT_I64;
    r->work = r->dtype == WEFT_F64 ? WEFT_F64 : r->dtype;
  }
}

static weft_status read_axes(reduction *r, weft_axes axes) {
  const weft_shape shape = r->x->shape;
  r->keepdims = axes.keepdims;
  r->elements = 1;
  for (int d = 0; d < shape.ndim; d++) r->reduces[d] = axes.count == WEFT__EVERY_AXIS;
  for (int k = 0; axes.count != WEFT__EVERY_AXIS && k < axes.count; k++) {
    const int axis = axes.axis[k] < 0 ? axes.axis[k] + shape.ndim : axes.axis[k];
    if (axis < 0 || axis >= shape.ndim)
      return weft__dist_fail(WEFT_ERROR_AXIS, "axes", "axis %d; the array has %d axes", axes.axis[k], shape.ndim);
    if (r->reduces[axis]) return weft__dist_fail(WEFT_ERROR_AXIS, "axes", "axis %d is named twice", axes.axis[k]);
    r->reduces[axis] = true;
  }
  if (is_index(r->id) && axes.count != 1 && axes.count != WEFT__EVERY_AXIS)
    return weft__dist_fail(WEFT_ERROR_AXIS, "axis", "%d axes; expected one, or WEFT_ALL_AXES", axes.count);
  for (int d = 0; d < shape.ndim; d++)
    if (r->reduces[d]) r->elements *= shape.dim[d];
  r->crosses = r->x->axis != WEFT_DIST_WHOLE && r->reduces[r->x->axis];
  if (r->elements == 0 && is_extremum(r->id))
    return weft__dist_fail(WEFT_ERROR_SHAPE, "x", "no elements along the axes, so there is no extremum");
  return WEFT_OK;
}

static weft__dist_call call_of(const reduction *r) {
  weft__dist_call call = weft__dist_call_of(r->function, r->site, r->x);
  for (int d = 0; d < r->x->shape.ndim; d++) call.numbers[1] |= (int64_t)r->reduces[d] << d;
  call.numbers[2] = r->keepdims;
  return call;
}

/// The extrema or sums, with all axes kept. A fold of no elements is not asked for.
static weft_status fold_axes(weft_array **out, const reduction *r) {
  const weft_dist_array *x = r->x;
  const weft__dist_fold_op op = op_of(r->id);
  weft_array *now = weft_array_retain(x->local), *next = NULL, *rows = NULL;
  weft_shape shape = x->shape;
  weft_status rc = WEFT_OK;
  for (int d = shape.ndim - 1; d >= 0 && rc == WEFT_OK; d--) {
    if (!r->reduces[d] || d == x->axis) continue;
    shape.dim[d] = 1;
    rc = weft__dist_fold(&next, now, d, op, r->work, r->site);
    weft_array_release(&now);
    now = next;
    next = NULL;
  }
  if (r->crosses) {
    const weft__dist_call call = call_of(r);
    if (rc == WEFT_OK) rc = weft__dist_axis_first(&rows, now, x->axis, r->site);
    if (rc) { /* the others learn it */
      rc = weft__dist_meet(x->grid, &call, rc);
    } else if ((rc = weft__dist_fold_split(&next, x->grid, &call, rows, shape, x->axis, op, r->work)) == WEFT_OK) {
      weft_array_release(&now);
      rc = weft__dist_axis_back(&now, next, x->axis, r->site);
    }
  }
  if (rc == WEFT_OK) {
    *out = now;
    now = NULL;
  }
  weft_release(&now, &next, &rows);
  return rc;
}

/* ---- indices of extrema ---- */

/// The row-major numbers of this rank's elements within the reduced axes, i64, broadcast by expressions.
static weft_status number_elements(weft_array **out, const reduction *r) {
  const weft_dist_array *x = r->x;
  const weft_shape part = weft_array_shape(x->local);
  int64_t stride = 1;
  weft_status rc = WEFT_OK;
  weft_array *sum = NULL;
  for (int d = part.ndim - 1; d >= 0 && rc == WEFT_OK; d--) {
    if (!r->reduces[d]) continue;
    const int64_t first = d == x->axis ? x->first : 0;
    weft_shape along = WEFT_SHAPE_0D;
    weft_array *numbers = NULL, *turned = NULL, *next = NULL;
    along.ndim = part.ndim;
    for (int k = 0; k < part.ndim; k++) along.dim[k] = k == d ? part.dim[d] : 1;
    rc = weft__arange_at(&numbers, x->grid->context, WEFT_I64, WEFT_SCALAR(first * stride),
                         WEFT_SCALAR((first + part.dim[d]) * stride), WEFT_SCALAR(stride), r->site);
    if (rc == WEFT_OK) rc = weft__reshape_at(&turned, numbers, along, r->site);
    if (rc == WEFT_OK && sum) rc = weft_add(&next, sum, turned);
    if (!sum) {
      sum = turned;
      turned = NULL;
    } else {
      weft_array_release(&sum);
      sum = next;
    }
    weft_release(&numbers, &turned);
    stride *= x->shape.dim[d];
  }
  *out = sum;
  return rc;
}

/// The least number of an element that is the extremum, over the ranks.
static weft_status find_extrema(weft_array **out, const reduction *r, const weft_array *extrema) {
  const weft_dist_array *x = r->x;
  weft_axes axes = weft__axes(0, NULL);
  weft_array *numbers = NULL, *own = NULL, *stacked = NULL, *all = NULL, *least = NULL;
  const char *text = weft_dtype_kind(weft_array_dtype(x->local)) == 'f'
                         ? "where((x == m) | (x != x), i, 9223372036854775807)"
                         : "where(x == m, i, 9223372036854775807)";
  weft_status rc = number_elements(&numbers, r);
  for (int d = 0; d < x->shape.ndim; d++)
    if (r->reduces[d]) axes.axis[axes.count++] = d;
  axes.keepdims = true;
  weft_shape shape = weft_array_shape(extrema);
  if (rc == WEFT_OK && weft_array_size(x->local) > 0) {
    const weft_operand list[] = {weft__operand_named("x", weft__operand_array(x->local)),
                                 weft__operand_named("m", weft__operand_const_array(extrema)),
                                 weft__operand_named("i", weft__operand_array(numbers)),
                                 WEFT_REDUCTION(.op = WEFT_REDUCE_MIN)};
    rc = weft__reduce_at(weft__operand_result(&own), x->grid->context, text, axes, 4, list, r->site);
  } else if (rc == WEFT_OK) {
    rc = weft__full_at(&own, x->grid->context, WEFT_I64, shape, WEFT_SCALAR(INT64_MAX), r->site);
  }
  if (!r->crosses) {
    *out = own;
    own = NULL;
  } else {
    weft__dist_call call = call_of(r);
    if (rc == WEFT_OK) rc = weft__expand_at(&stacked, own, weft__axes_int(0), r->site);
    if (rc)
      rc = weft__dist_meet(x->grid, &call, rc);
    else
      rc = weft__dist_collect(&all, x->grid, &call, stacked, rc);
    if (rc == WEFT_OK) rc = weft_min(out, all, 0);
  }
  weft_release(&numbers, &own, &stacked, &all, &least);
  return rc;
}

/* ---- the call ---- */

/// Of no elements: 0 or 1; the mean is NaN.
static weft_status fill_empty(weft_array **out, const reduction *r) {
  weft_shape shape = r->x->shape;
  int64_t first;
  if (!r->crosses) weft__dist_part(&first, &shape, r->x->grid, shape, r->x->axis);
  for (int d = 0; d < shape.ndim; d++)
    if (r->reduces[d]) shape.dim[d] = 1;
  return weft__full_at(out, r->x->grid->context, r->work, shape, WEFT_SCALAR(r->id == WEFT_REDUCE_PROD ? 1 : 0),
                       r->site);
}

/// Divides sums by the number of elements, casts, removes the reduced axes.
static weft_status finish(weft_dist_array **out, weft_array *sums, const reduction *r) {
  weft_array *values = NULL, *cast = NULL, *squeezed = NULL;
  weft_axes axes = weft__axes(0, NULL);
  weft_shape shape = r->x->shape;
  int axis = r->crosses ? WEFT_DIST_WHOLE : r->x->axis;
  weft_status rc = WEFT_OK;
  for (int d = shape.ndim - 1; d >= 0; d--) {
    if (!r->reduces[d]) continue;
    axes.axis[axes.count++] = d;
    shape.dim[d] = 1;
    if (r->keepdims) continue;
    memmove(shape.dim + d, shape.dim + d + 1, (size_t)(shape.ndim - d - 1) * sizeof shape.dim[0]);
    shape.ndim--;
    axis -= axis != WEFT_DIST_WHOLE && d < axis;
  }
  if (r->id == WEFT_REDUCE_MEAN)
    DIST_TRY(weft_divide(&values, sums, (double)r->elements));
  else
    values = weft_array_retain(sums);
  DIST_TRY(weft__cast_at(&cast, values, is_index(r->id) ? WEFT_I64 : r->dtype, r->site));
  if (r->keepdims)
    squeezed = weft_array_retain(cast);
  else
    DIST_TRY(weft__squeeze_at(&squeezed, cast, axes, r->site));
  rc = weft__dist_wrap(out, r->x->grid, shape, axis, squeezed);
  squeezed = NULL;
done:
  weft_release(&values, &cast, &squeezed);
  return rc;
}

weft_status weft__dist_reduce_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                 const char *site) {
  reduction r = {.id = id, .function = function_of(id), .site = site, .x = x};
  weft_array *values = NULL, *indices = NULL;
  weft_status rc;
  weft_error_enter(r.function, site);
  DIST_TRY(weft__dist_check_out(out, out ? *out : NULL));
  DIST_TRY(weft__dist_check(x, "x"));
  DIST_TRY(read_axes(&r, axes));
  choose_dtypes(&r);
  DIST_TRY(r.elements ? fold_axes(&values, &r) : fill_empty(&values, &r));
  if (is_index(id)) DIST_TRY(find_extrema(&indices, &r, values));
  rc = finish(out, indices ? indices : values, &r);
done:
  weft_release(&values, &indices);
  return weft_error_leave(rc);
}
