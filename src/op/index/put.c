// SPDX-License-Identifier: MIT
/// weft_put, weft_put_along_axis, the weft_scatter functions, weft_assign, weft_place, weft_putmask,
/// weft_fill_diagonal: x changes in place.
#include <inttypes.h>
#include <weft/select.h>

#include "array/axes.h"
#include "expr/overload.h"
#include "map/cast.h"
#include "op/index/gather.h"
#include "op/index/tuning.h"

static const char *const names[] = {"indices", "values"};

/// How the functions differ.
typedef struct form {
  const char *what;
  weft__scatter operation;
  bool along;
  bool repeats; /* fewer values than indices are repeated; if false, values are broadcast */
} form;

/// Copies operand k if it shares memory with x, which is written while the operand is read.
static weft_status set_apart(weft__call *c, int k, const weft_array *x) {
  if (!weft__arrays_overlap(c->array[k], x)) return WEFT_OK;
  return weft__call_copy(c, k, c->array[k], c->array[k]->dtype);
}

static weft_status values_operand(weft__call *c, weft_dtype dtype) {
  const weft_dtype given = weft__call_dtype(c, 1);
  const char *name = weft__call_operand_name(c, 1);
  if (!weft__call_is_scalar(c, 1) && !weft__casts_same_kind(given, dtype))
    return weft__fail(WEFT_ERROR_DTYPE, name,
                      "`%s` is %s, which is not cast to %s, the dtype of `x`, implicitly; use weft_cast", name,
                      weft_dtype_name(given), weft_dtype_name(dtype));
  return weft__call_contiguous_operand(c, 1, dtype);
}

/// Checks that operand k broadcasts to `shape`, the shape of the written elements.
static weft_status check_broadcast(const weft__call *c, int k, weft_shape shape) {
  const weft_array *x = c->array[k];
  const char *name = weft__call_operand_name(c, k);
  weft_shape both = shape;
  int axis;
  bool fits = x->ndim <= shape.ndim && weft__broadcast_shapes(&both, weft__array_shape(x), &axis);
  if (fits && weft__same_shape(both, shape)) return WEFT_OK;
  weft__text text = {0};
  weft__text_add(&text, "`%s` is ", name);
  weft__add_shape(&text, x->dtype, weft__array_shape(x));
  weft__text_add(&text, ", the written elements are ");
  weft__add_shape(&text, c->array[1]->dtype, shape);
  weft__fail(WEFT_ERROR_SHAPE, name, "%s: `%s` does not broadcast to these", weft__text_chars(&text), name);
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

/// Broadcasts the values to `shape`; a single value stays one element, which the kernels repeat.
static weft_status broadcast_values(weft__call *c, weft_shape shape) {
  WEFT__TRY_RETURN(check_broadcast(c, 1, shape));
  return c->array[1]->size == 1 ? WEFT_OK : weft__call_broadcast(c, 1, shape);
}

/// The shape written along an axis: x's, with the indices' length in this axis. Indices of length 1 in another axis are
/// repeated.
static weft_status shape_along(weft__call *c, const weft_array *x, int axis, weft_shape *shape) {
  const weft_array *indices = c->array[0];
  if (x->ndim != indices->ndim)
    return weft__fail(WEFT_ERROR_SHAPE, "indices", "`indices` has %d axes, `x` has %d; expected as many", indices->ndim,
                      x->ndim);
  *shape = weft__array_shape(x);
  shape->dim[axis] = indices->shape[axis];
  for (int d = 0; d < x->ndim; d++) {
    if (indices->shape[d] != shape->dim[d] && indices->shape[d] != 1)
      return weft__fail(WEFT_ERROR_SHAPE, "indices", "`indices` has length %" PRId64 " in axis %d, `x` has %" PRId64,
                        indices->shape[d], d, x->shape[d]);
  }
  return weft__call_broadcast(c, 0, *shape);
}

static weft_status scatter(weft__call *c, const form *f, weft_array *x, weft_axes axes, const weft_index_params *p) {
  int axis;
  weft_shape shape = WEFT_SHAPE_0D;
  WEFT__TRY_RETURN(weft__index_check_mode(p->mode));
  WEFT__TRY_RETURN(weft__one_axis(&axis, axes));
  WEFT__TRY_RETURN(weft__call_operands(c));
  bool flat = axis == WEFT__EVERY_AXIS;
  if (!flat) WEFT__TRY_RETURN(weft__axis_resolve(&axis, x->ndim));
  if (f->along && flat)
    return weft__fail(WEFT_ERROR_AXIS, "axis",
                      "`axis` is WEFT_ALL_AXES; expected one axis (for all axes use weft_put)");
  if (f->operation > WEFT__SCATTER_ADD && weft_dtype_kind(x->dtype) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; complex numbers have no order", weft_dtype_name(x->dtype));
  WEFT__TRY_RETURN(weft__index_operand(c, 0));
  WEFT__TRY_RETURN(values_operand(c, x->dtype));
  WEFT__TRY_RETURN(set_apart(c, 0, x));
  WEFT__TRY_RETURN(set_apart(c, 1, x));
  const weft_array *indices = c->array[0];
  WEFT__TRY_RETURN(weft__index_check_length(indices->size, flat ? x->size : x->shape[axis], "x"));
  if (f->repeats && c->array[1]->size == 0) return WEFT_OK; /* as in NumPy, the indices are not checked */
  if (f->along)
    WEFT__TRY_RETURN(shape_along(c, x, axis, &shape));
  else
    WEFT__TRY_RETURN(weft__index_shape(&shape, weft__array_shape(x), weft__array_shape(indices), axis));
  if (!f->repeats) WEFT__TRY_RETURN(broadcast_values(c, shape));
  const weft__indexing indexing = {.context = c->context,
                                   .what = f->what,
                                   .site = c->site,
                                   .indexed = x,
                                   .dense = c->array[1],
                                   .indices = c->array[0],
                                   .axis = axis,
                                   .along = f->along,
                                   .mode = p->mode,
                                   .deterministic = p->deterministic};
  bool is_or = x->dtype == WEFT_BOOL && f->operation == WEFT__SCATTER_ADD;
  return weft__index_scatter(&indexing, is_or ? WEFT__SCATTER_OR : f->operation);
}

static weft_status run(const char *function, const form *f, weft_array *x, weft_operand indices, weft_operand values,
                       weft_axes axes, const weft_index_params *params) {
  const weft_index_params p = WEFT__PARAMS(params);
  weft__call c;
  const weft_operand operands[] = {indices, values};
  weft__enter(function, p.site);
  weft_status rc;
  WEFT__TRY(weft__array_check_writable(x, "x"));
  weft__call_open(&c, x->context, 0, NULL, 2, operands, names, p.site);
  rc = weft__call_close(&c, scatter(&c, f, x, axes, &p));
done:
  return weft__leave(rc);
}

weft_status weft__put_at(weft_array *x, weft_operand indices, weft_operand values, const weft_index_params *params) {
  static const form f = {.what = "put", .repeats = true};
  return run("weft_put", &f, x, indices, values, WEFT_ALL_AXES, params);
}

weft_status weft__put_along_axis_at(weft_array *x, weft_operand indices, weft_operand values, weft_axes axis,
                                    const weft_index_params *params) {
  static const form f = {.what = "put_along_axis", .along = true};
  return run("weft_put_along_axis", &f, x, indices, values, axis, params);
}

#define SCATTER(name, op)                                                                                 \
  weft_status weft__##name##_at(weft_array *x, weft_operand indices, weft_operand values, weft_axes axis, \
                                const weft_index_params *params) {                                        \
    static const form f = {.what = #name, .operation = op};                                               \
    return run("weft_" #name, &f, x, indices, values, axis, params);                                      \
  }
SCATTER(scatter, WEFT__SCATTER_PUT)
SCATTER(scatter_add, WEFT__SCATTER_ADD)
SCATTER(scatter_min, WEFT__SCATTER_MIN)
SCATTER(scatter_max, WEFT__SCATTER_MAX)

static weft_status assign(weft__call *c, weft_array *x) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_dtype(c, 0) != WEFT_BOOL)
    return weft__fail(WEFT_ERROR_DTYPE, "mask", "`mask` is %s; expected bool", weft_dtype_name(weft__call_dtype(c, 0)));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_BOOL));
  WEFT__TRY_RETURN(values_operand(c, x->dtype));
  for (int k = 0; k < 2; k++) WEFT__TRY_RETURN(check_broadcast(c, k, weft__array_shape(x)));
  const weft_operand operands[] = {WEFT_OPERAND(&x), WEFT_OPERAND(c->array[0]), WEFT_OPERAND(c->array[1]),
                                   WEFT_OPERAND(x)};
  return weft__ufunc_apply_at(WEFT_UFUNC_WHERE, 4, operands, c->site);
}

weft_status weft__assign_at(weft_array *x, weft_operand mask, weft_operand value, const char *site) {
  static const char *const assign_names[] = {"mask", "value"};
  const weft_operand operands[] = {mask, value};
  weft__call c;
  weft__enter("weft_assign", site);
  weft_status rc;
  WEFT__TRY(weft__array_check_writable(x, "x"));
  weft__call_open(&c, x->context, 0, NULL, 2, operands, assign_names, site);
  rc = weft__call_close(&c, assign(&c, x));
done:
  return weft__leave(rc);
}

/* ---- by a mask, one value after the other ---- */

/// x[first ...] as `rows` rows of `length` elements; x is contiguous.
static weft_array rows_of(const weft_array *x, int64_t first, int64_t rows, int64_t length) {
  weft_array part = weft__array_borrow(x);
  part.offset_bytes += first * (int64_t)weft_dtype_size_bytes(x->dtype);
  weft__set_contiguous(&part, WEFT_SHAPE(rows, length));
  part.size = rows * length;
  return part;
}

/// x = values where the mask is true, from element `first` on, with the values over and over along each row.
static weft_status put_rows(weft_array *x, const weft_array *mask, const weft_array *values, int64_t first,
                            int64_t rows, int64_t length, const char *site) {
  weft_array to = rows_of(x, first, rows, length), which = rows_of(mask, first, rows, length),
             row = rows_of(values, 0, 1, values->size == 1 ? 1 : length), *out = &to;
  if (to.size == 0) return WEFT_OK;
  const weft_operand operands[] = {WEFT_OPERAND(&out), WEFT_OPERAND(&which), WEFT_OPERAND(&row), WEFT_OPERAND(&to)};
  return weft__ufunc_apply_at(WEFT_UFUNC_WHERE, 4, operands, site);
}

/// x.flat[i] = values[i modulo their number] where the mask is true: x as rows as long as the values. All are
/// contiguous.
static weft_status put_everywhere(weft_array *x, const weft_array *mask, const weft_array *values, const char *site) {
  weft_array *repeated = NULL;
  weft_status rc;
  int64_t length = values->size;
  if (length == 1) length = x->size;
  if (length < WEFT__INDEX_REPEATED && length < x->size) {
    const weft_array one = rows_of(values, 0, 1, length),
                     all = weft__array_broadcast(&one, WEFT_SHAPE(weft_ceil_div(WEFT__INDEX_REPEATED, length), length));
    WEFT__TRY(weft__cast(&repeated, &all, all.dtype, site));
    length = all.size;
  }
  const weft_array *given = repeated ? repeated : values;
  const int64_t rows = x->size / length;
  WEFT__TRY(put_rows(x, mask, given, 0, rows, length, site));
  rc = put_rows(x, mask, given, rows * length, 1, x->size - rows * length, site);
done:
  weft_array_release(&repeated);
  return rc;
}

/// x.flat[numbers of the true elements] = values, over and over (`in_turn`), or values.flat[the same numbers].
static weft_status place(weft__call *c, weft_array *x, bool in_turn) {
  const weft_index_params wrap = {.mode = WEFT_INDEX_WRAP, .site = c->site};
  weft_array *numbers = NULL, *taken = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_dtype(c, 0) != WEFT_BOOL)
    return weft__fail(WEFT_ERROR_DTYPE, "mask", "`mask` is %s; expected bool", weft_dtype_name(weft__call_dtype(c, 0)));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_BOOL));
  if (c->array[0]->size != x->size)
    return weft__fail(WEFT_ERROR_SHAPE, "mask",
                      "`mask` has %" PRId64 " elements, `x` has %" PRId64 "; expected as many", c->array[0]->size,
                      x->size);
  WEFT__TRY_RETURN(values_operand(c, x->dtype));
  WEFT__TRY_RETURN(set_apart(c, 0, x));
  WEFT__TRY_RETURN(set_apart(c, 1, x));
  if (x->size == 0) return WEFT_OK;
  if (c->array[1]->size == 0) return weft__fail(WEFT_ERROR_SHAPE, "values", "`values` has no elements");
  if (!in_turn && weft__is_contiguous(x)) return put_everywhere(x, c->array[0], c->array[1], c->site);
  WEFT__TRY(weft__flatnonzero_at(WEFT_OPERAND(&numbers), WEFT_OPERAND(c->array[0]), c->site));
  if (!in_turn && c->array[1]->size > 1)
    WEFT__TRY(
        weft__take_at(WEFT_OPERAND(&taken), WEFT_OPERAND(c->array[1]), WEFT_OPERAND(numbers), WEFT_ALL_AXES, &wrap));
  rc = weft__put_at(x, WEFT_OPERAND(numbers), WEFT_OPERAND(taken ? taken : c->array[1]), &wrap);
done:
  weft_array_release(&numbers);
  weft_array_release(&taken);
  return rc;
}

static weft_status place_by(const char *function, weft_array *x, weft_operand mask, weft_operand values, bool in_turn,
                            const char *site) {
  static const char *const place_names[] = {"mask", "values"};
  const weft_operand operands[] = {mask, values};
  weft__call c;
  weft_status rc;
  weft__enter(function, site);
  WEFT__TRY(weft__array_check_writable(x, "x"));
  weft__call_open(&c, x->context, 0, NULL, 2, operands, place_names, site);
  rc = weft__call_close(&c, place(&c, x, in_turn));
done:
  return weft__leave(rc);
}

weft_status weft__place_at(weft_array *x, weft_operand mask, weft_operand values, const char *site) {
  return place_by("weft_place", x, mask, values, true, site);
}

weft_status weft__putmask_at(weft_array *x, weft_operand mask, weft_operand values, const char *site) {
  return place_by("weft_putmask", x, mask, values, false, site);
}

/* ---- the diagonal ---- */

/// Elements [i, i, ...] of a part of x that begins at row `row`, as a view with one axis.
static weft_array diagonal_of(const weft_array *x, int64_t row, int64_t length) {
  weft_array v = weft__array_borrow(x);
  int64_t stride = 0;
  for (int d = 0; d < x->ndim; d++) stride += x->stride_bytes[d];
  v.ndim = 1;
  v.shape[0] = v.size = length;
  v.stride_bytes[0] = stride;
  if (length > 0) v.offset_bytes += row * x->stride_bytes[0];
  return v;
}

static weft_status fill_diagonal(weft__call *c, weft_array *x, bool wrap) {
  int64_t length = x->ndim ? x->shape[0] : 0;
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (x->ndim < 2)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has %d ax%cs; expected two or more", x->ndim,
                      x->ndim == 1 ? 'i' : 'e');
  for (int d = 1; d < x->ndim; d++) {
    if (x->ndim > 2 && x->shape[d] != length)
      return weft__fail(WEFT_ERROR_SHAPE, "x", "axes 0 and %d of `x` have different lengths; expected one length", d);
    if (x->shape[d] < length) length = x->shape[d];
  }
  if (wrap && !weft__call_is_scalar(c, 0) && c->array[0]->size != 1)
    return weft__fail(WEFT_ERROR_SHAPE, "value", "`value` has %" PRId64 " elements; expected one, with `.wrap`",
                      c->array[0]->size);
  const int64_t rows = x->shape[0], step = x->shape[1] + 1;
  for (int64_t row = 0; row < rows && (row == 0 || (wrap && x->ndim == 2)); row += step) {
    weft_array part = diagonal_of(x, row, rows - row < length ? rows - row : length);
    if (weft__call_is_scalar(c, 0)) {
      WEFT__TRY_RETURN(weft__fill(&part, c->operand[0].as.scalar, c->site));
      continue;
    }
    WEFT__TRY_RETURN(weft__assign_at(&part, WEFT_OPERAND((bool)true), c->operand[0], c->site));
  }
  return WEFT_OK;
}

weft_status weft__fill_diagonal_at(weft_array *x, weft_operand value, const weft_fill_diagonal_params *params) {
  static const char *const value_name[] = {"value"};
  const weft_fill_diagonal_params p = WEFT__PARAMS(params);
  weft__call c;
  weft_status rc;
  weft__enter("weft_fill_diagonal", p.site);
  WEFT__TRY(weft__array_check_writable(x, "x"));
  weft__call_open(&c, x->context, 0, NULL, 1, &value, value_name, p.site);
  rc = weft__call_close(&c, fill_diagonal(&c, x, p.wrap));
done:
  return weft__leave(rc);
}
