// SPDX-License-Identifier: MIT
/// Reductions: other axes first, each rank for itself, then the split axis.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dist/dist_array.h"
#include "dist/dist_fold.h"
#include "dist/dist_kernels.h"
#include "expr/reduction_table.h"
#include "extremum_source.h"

typedef struct reduction {
  weft_reduction_id id;
  const char *function, *site;
  const weft_dist_array *x;
  bool reduces[WEFT_MAX_NDIM], keepdims;
  bool crosses;           /* the split axis is among them */
  int64_t elements;       /* per result */
  weft_dtype work, dtype; /* of the sums on the way, of the result */
} reduction;

#define NAME(ID, name, ...) [WEFT_REDUCE_##ID] = "weft_dist_" #name,
static const char *const function[WEFT_REDUCE_COUNT] = {WEFT__REDUCTIONS(NAME) WEFT__REDUCTION_FORMS(NAME)};

const char *weft__dist_reduction_function(weft_reduction_id id) {
  return function[id];
}

static bool is_index(weft_reduction_id id) {
  return weft__reduction_row(id)->rule == WEFT__RESULT_COUNT;
}

static bool wants_greatest(weft_reduction_id id) {
  return weft__reduction_row(id)->op == WEFT_SCAN_MAX;
}

static bool is_extremum(weft_reduction_id id) {
  return wants_greatest(id) || weft__reduction_row(id)->op == WEFT_SCAN_MIN;
}

/// NumPy's dtypes; narrow numbers are summed in wide ones.
static void choose_dtypes(reduction *r) {
  const weft_dtype x = weft_array_dtype(r->x->local);
  const char kind = weft_dtype_kind(x);
  r->dtype = weft__reduction_dtype(r->id, x);
  r->work = is_extremum(r->id) ? x : kind == 'c' ? WEFT_C128 : kind == 'f' ? WEFT_F64 : r->dtype;
}

static weft__dist_fold_op op_of(const reduction *r) {
  static const weft__dist_fold_op ops[] = {[WEFT_SCAN_SUM] = {.combine = WEFT__DIST_SUM, .operator_ = " + "},
                                           [WEFT_SCAN_PROD] = {.combine = WEFT__DIST_PROD, .operator_ = " * "},
                                           [WEFT_SCAN_MAX] = {.combine = WEFT__DIST_MAX, .call = "maximum"},
                                           [WEFT_SCAN_MIN] = {.combine = WEFT__DIST_MIN, .call = "minimum"}};
  weft__dist_fold_op op = ops[weft__reduction_row(r->id)->op];
  op.dtype = r->work;
  op.result = r->id == WEFT_REDUCE_MEAN || is_index(r->id) ? WEFT_DTYPE_NONE : r->dtype;
  return op;
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

/// Along the axes that are not split, which get the length 1.
static weft_status fold_local(weft_array **out, weft_shape *shape, const reduction *r) {
  const weft__dist_fold_op op = op_of(r);
  weft_array *now = weft_array_retain(r->x->local), *next = NULL;
  weft_status rc = WEFT_OK;
  for (int d = shape->ndim - 1; d >= 0; d--) {
    if (!r->reduces[d] || d == r->x->axis) continue;
    shape->dim[d] = 1;
    WEFT__TRY(weft__dist_fold(&next, now, d, op, r->site));
    weft_array_release(&now);
    now = next;
    next = NULL;
  }
  *out = now;
  now = NULL;
done:
  weft_array_release(&now);
  return rc;
}

/// The extrema or sums, with all axes kept. A fold of no elements is not asked for.
static weft_status fold_axes(weft_array **out, const reduction *r) {
  const weft_dist_array *x = r->x;
  const weft__dist_call call = call_of(r);
  weft_array *local = NULL, *rows = NULL, *all = NULL;
  weft_shape shape = x->shape;
  weft_status rc = fold_local(&local, &shape, r);
  if (!r->crosses) {
    *out = local;
    return rc;
  }
  if (!rc) rc = weft__dist_turn(&rows, local, x->axis, 0, r->site);
  WEFT__TRY(weft__dist_fold_split(&all, x->grid, &call, rows, shape, x->axis, op_of(r), rc));
  rc = weft__dist_turn(out, all, 0, x->axis, r->site);
done:
  weft_release(&local, &rows, &all);
  return rc;
}

/* ---- indices of extrema ---- */

/// start, start + step, ... along axis d of this rank's part, which the other axes repeat.
static weft_status number_axis(weft_array **out, const reduction *r, int d, int64_t step) {
  const weft_dist_array *x = r->x;
  const int64_t first = d == x->axis ? x->first : 0, count = weft_array_length(x->local, d);
  weft_shape along = weft_array_shape(x->local);
  weft_array *numbers = NULL;
  weft_status rc;
  for (int k = 0; k < along.ndim; k++) along.dim[k] = k == d ? count : 1;
  WEFT__TRY(weft__arange_at(&numbers, x->grid->context, WEFT_I64, WEFT_SCALAR(first * step),
                            WEFT_SCALAR((first + count) * step), WEFT_SCALAR(step), r->site));
  rc = weft__reshape_at(out, numbers, along, r->site);
done:
  weft_array_release(&numbers);
  return rc;
}

/// The row-major numbers of this rank's elements within the reduced axes, i64.
static weft_status number_elements(weft_array **out, const reduction *r) {
  int64_t step = 1;
  weft_array *sum = NULL, *axis = NULL, *next = NULL;
  weft_status rc = WEFT_OK;
  for (int d = r->x->shape.ndim - 1; d >= 0; d--) {
    if (!r->reduces[d]) continue;
    WEFT__TRY(number_axis(&axis, r, d, step));
    if (sum) WEFT__TRY(weft_add(&next, sum, axis));
    weft_array_release(&sum);
    sum = next ? next : weft_array_retain(axis);
    next = NULL;
    weft_array_release(&axis);
    step *= r->x->shape.dim[d];
  }
  *out = sum;
  sum = NULL;
done:
  weft_release(&sum, &axis, &next);
  return rc;
}

/* No element: greater than every index. */
#define NOWHERE "9223372036854775807"

/// The least number of this rank's elements that are the extremum; the greatest i64 if it has none.
static weft_status find_local(weft_array **own, const reduction *r, const weft_array *extrema) {
  static const char text[] = "where(x == m, i, " NOWHERE ")";
  static const char float_text[] = "where((x == m) | (x != x), i, " NOWHERE ")";
  const weft_dist_array *x = r->x;
  const bool is_float = weft_dtype_kind(weft_array_dtype(x->local)) == 'f' && !weft__skips_nan(r->id);
  weft_axes axes = weft__axes(0, NULL);
  weft_array *numbers = NULL;
  weft_status rc;
  if (weft_array_size(x->local) == 0)
    return weft__full_at(own, x->grid->context, WEFT_I64, weft_array_shape(extrema), WEFT_SCALAR(INT64_MAX), r->site);
  for (int d = 0; d < x->shape.ndim; d++)
    if (r->reduces[d]) axes.axis[axes.count++] = d;
  axes.keepdims = true;
  WEFT__TRY(number_elements(&numbers, r));
  const weft_operand list[] = {weft__operand_named("x", weft__operand_array(x->local)),
                               weft__operand_named("m", weft__operand_const_array(extrema)),
                               weft__operand_named("i", weft__operand_array(numbers)),
                               WEFT_REDUCTION(.op = WEFT_REDUCE_MIN)};
  rc = weft__reduce_at(weft__operand_result(own), x->grid->context, is_float ? float_text : text, axes, 4, list,
                       r->site);
done:
  weft_array_release(&numbers);
  return rc;
}

static weft_status find_extrema(weft_array **out, const reduction *r, const weft_array *extrema, weft_status rc) {
  const weft__dist_call call = call_of(r);
  weft_array *own = NULL, *stacked = NULL, *all = NULL;
  if (!rc) rc = find_local(&own, r, extrema);
  if (!r->crosses) {
    *out = own;
    return rc;
  }
  if (!rc) rc = weft__expand_at(&stacked, own, weft__axes_int(0), r->site);
  WEFT__TRY(weft__dist_collect(&all, r->x->grid, &call, stacked, rc));
  rc = weft_min(out, all, 0);
done:
  weft_release(&own, &stacked, &all);
  return rc;
}

/* ---- of the whole array, whose parts are runs of it ---- */

static bool is_flat(const reduction *r) {
  const weft_dtype dtype = weft_array_dtype(r->x->local);
  bool is_whole = is_index(r->id) && !weft__skips_nan(r->id) && r->x->axis == 0;
  for (int d = 0; d < r->x->shape.ndim; d++) is_whole = is_whole && r->reduces[d];
  return is_whole && r->elements > 0 && weft_dtype_kind(dtype) != 'c' && weft__dist_type_of(dtype);
}

static weft_status get_kernel(const weft__dist_kernel **kernel, const reduction *r, const char *name) {
  enum { MACROS = WEFT__DIST_KEY_MACROS + 3 };
  static const char *const raw[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
  weft_dist *grid = r->x->grid;
  const weft_dtype dtype = weft_array_dtype(r->x->local);
  const size_t size = weft_dtype_size_bytes(dtype);
  const bool is_least = !wants_greatest(r->id);
  char text[MACROS][WEFT__DIST_MACRO_BYTES];
  const char *defines[MACROS + 1] = {NULL};
  if ((*kernel = weft__dist_kernel_find(grid, name, (uint64_t)dtype * 2 + is_least))) return WEFT_OK;
  weft__dist_key_macros(text, dtype);
  snprintf(text[WEFT__DIST_KEY_MACROS], sizeof text[0], "RAW=%s", raw[size]);
  snprintf(text[WEFT__DIST_KEY_MACROS + 1], sizeof text[0], "TO_KEY=%s", size == 8 ? "as_uint2" : "");
  snprintf(text[WEFT__DIST_KEY_MACROS + 2], sizeof text[0], "LEAST=%d", is_least);
  for (int k = 0; k < MACROS; k++) defines[k] = text[k];
  return weft__dist_kernel_add(kernel, grid, (uint64_t)dtype * 2 + is_least,
                               &(weft_kernel_params){.source = extremum_source,
                                                     .name = name,
                                                     .defines = defines,
                                                     .source_name = "dist/extremum.cl",
                                                     .site = r->site});
}

/// This rank's first extremum and its index in the whole array, in one row; of no elements no row.
static weft_status find_own(weft_array **record, const reduction *r) {
  const weft_dist_array *x = r->x;
  const int64_t n = weft_array_size(x->local), before = x->first * (r->elements / x->shape.dim[0]);
  const weft__dist_kernel *kernel;
  weft_array *flat = NULL, *place = NULL;
  weft_status rc;
  WEFT__TRY(weft__empty_at(record, x->grid->context, WEFT_U64, WEFT_SHAPE(n > 0, 2), r->site));
  if (n == 0) goto done;
  WEFT__TRY(weft__reshape_at(&flat, x->local, WEFT_SHAPE(n), r->site));
  WEFT__TRY(wants_greatest(r->id) ? weft_argmax(&place, flat, 0) : weft_argmin(&place, flat, 0));
  WEFT__TRY(get_kernel(&kernel, r, "weft_extremum_own"));
  rc = weft_launch(kernel->kernel, WEFT_DIM3(1), kernel->block, *record, (const weft_array *)flat,
                   (const weft_array *)place, (uint64_t)before);
done:
  weft_release(&flat, &place);
  return rc;
}

/// The least index of the ranks' extrema that are the extremum.
static weft_status find_flat(weft_array **out, const reduction *r) {
  const weft__dist_call call = call_of(r);
  const weft__dist_kernel *kernel;
  weft_array *own = NULL, *all = NULL, *best = NULL;
  weft_shape ones = r->x->shape;
  weft_status rc = find_own(&own, r);
  WEFT__TRY(weft__dist_collect(&all, r->x->grid, &call, own, rc));
  for (int d = 0; d < ones.ndim; d++) ones.dim[d] = 1;
  WEFT__TRY(weft__empty_at(&best, r->x->grid->context, WEFT_I64, ones, r->site));
  WEFT__TRY(get_kernel(&kernel, r, "weft_extremum_best"));
  WEFT__TRY(weft_launch(kernel->kernel, WEFT_DIM3(1), kernel->block, best, (const weft_array *)all,
                        (uint32_t)weft_array_length(all, 0), weft__dist_key_flip(weft_array_dtype(r->x->local))));
  *out = best;
  best = NULL;
done:
  weft_release(&own, &all, &best);
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

/// The whole result's shape and split.
static weft_shape shape_of_result(int *axis, const reduction *r) {
  weft_shape shape = r->x->shape;
  *axis = r->crosses ? WEFT_DIST_WHOLE : r->x->axis;
  for (int d = shape.ndim - 1; d >= 0; d--) {
    if (!r->reduces[d]) continue;
    shape.dim[d] = 1;
    if (r->keepdims) continue;
    memmove(shape.dim + d, shape.dim + d + 1, (size_t)(shape.ndim - d - 1) * sizeof shape.dim[0]);
    shape.ndim--;
    *axis -= *axis != WEFT_DIST_WHOLE && d < *axis;
  }
  return shape;
}

/// Divides sums by the number of elements, casts, removes the reduced axes.
static weft_status finish_local(weft_array **out, weft_array *sums, const reduction *r) {
  weft_array *values = NULL, *cast = NULL;
  weft_axes axes = weft__axes(0, NULL);
  weft_status rc;
  for (int d = 0; d < r->x->shape.ndim; d++)
    if (r->reduces[d]) axes.axis[axes.count++] = d;
  if (r->id == WEFT_REDUCE_MEAN)
    WEFT__TRY(weft_divide(&values, sums, (double)r->elements));
  else
    values = weft_array_retain(sums);
  if (axes.count > 0 && weft_array_dtype(values) == r->dtype) /* without axes it is the array of the program */
    cast = weft_array_retain(values);
  else
    WEFT__TRY(weft__cast_at(&cast, values, r->dtype, r->site));
  if (r->keepdims) {
    *out = cast;
    cast = NULL;
  } else {
    rc = weft__squeeze_at(out, cast, axes, r->site);
  }
done:
  weft_release(&values, &cast);
  return rc;
}

/// The indices of the extrema of the numbers; -1 where all elements are NaN.
static weft_status find_numbers(weft_array **out, const reduction *r) {
  const double filling = weft__reduction_neutral(r->id);
  const weft_operand list[] = {WEFT_DIST_NAMED("x", r->x), WEFT_NAMED("f", filling)};
  reduction filled = *r;
  weft_dist_array *numbers = NULL;
  weft_array *extrema = NULL, *indices = NULL;
  weft_status rc;
  WEFT__TRY(weft__dist_eval_at(&numbers, r->x->grid, "where(x != x, f, x)", 2, list, r->site));
  filled.x = numbers;
  rc = fold_axes(&extrema, &filled);
  rc = find_extrema(&indices, r, extrema, rc);
  if (!rc) rc = weft_eval(out, r->x->grid->context, "where(i == " NOWHERE ", -1, i)", WEFT_NAMED("i", indices));
done:
  weft_dist_array_release(&numbers);
  weft_release(&extrema, &indices);
  return rc;
}

/// A failure on one rank alone goes on to the next meeting, in fold_axes, find_extrema or at the end.
static weft_status reduce(weft_dist_array **out, const reduction *r) {
  const weft__dist_call call = call_of(r);
  weft_array *values = NULL, *indices = NULL, *result = NULL;
  int axis;
  const weft_shape shape = shape_of_result(&axis, r);
  weft_status rc;
  if (is_flat(r)) {
    rc = find_flat(&indices, r);
  } else if (weft__skips_nan(r->id)) {
    rc = find_numbers(&indices, r);
  } else {
    rc = r->elements ? fold_axes(&values, r) : fill_empty(&values, r);
    if (is_index(r->id)) rc = find_extrema(&indices, r, values, rc);
  }
  if (!rc) rc = finish_local(&result, indices ? indices : values, r);
  rc = weft__dist_finish(out, r->x->grid, &call, shape, axis, &result, rc);
  weft_release(&values, &indices, &result);
  return rc;
}

weft_status weft__dist_reduce_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                 const char *site) {
  reduction r = {.id = id, .function = function[id], .site = site, .x = x};
  weft_status rc;
  weft__dist_enter(r.function, site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  const char kind = weft_dtype_kind(weft_array_dtype(x->local));
  if (weft__skips_nan(id) && kind == 'c') WEFT__TRY(weft__dist_check_real(x));
  if (weft__skips_nan(id) && kind != 'f') r.id = weft__reduction_row(id)->plain;
  WEFT__TRY(read_axes(&r, axes));
  choose_dtypes(&r);
  rc = reduce(out, &r);
done:
  return weft__dist_leave(rc);
}
