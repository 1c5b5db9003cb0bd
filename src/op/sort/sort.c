// SPDX-License-Identifier: MIT
/// weft_sort, weft_argsort, weft_sort_by_key.
#include "map/cast.h"
#include "op/sort/axis_rows.h"

/* ---- operands and results ---- */

/// Makes operand k contiguous and aligned to its element's size.
static weft_status plain_operand(weft__call *c, int k) {
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  const weft_array *x = c->array[c->results + k];
  return weft__sort_is_plain(x) ? WEFT_OK : weft__call_copy(c, c->results + k, x, x->dtype);
}

/// Makes result k contiguous and aligned. It may share the elements of operand `from` (-1: of no operand) if the caller
/// passed the same elements.
static weft_status plain_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape, int from) {
  const weft_operand *result = &c->result[k];
  const weft_array *x = from < 0 ? NULL : c->array[c->results + from];
  weft_array *given = x && result->kind == WEFT_OPERAND_RESULT && result->as.result ? *result->as.result : NULL;
  /* other operands are not checked: a caller with several operands checks them (is_clear) */
  if (given && given->dtype == dtype && weft__sort_is_plain(given) && weft__arrays_same(given, x))
    return weft__call_result(c, k, dtype, shape);
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, k, dtype, shape));
  return weft__sort_is_plain(c->array[k]) ? WEFT_OK : weft__call_temporary(c, k, dtype, shape);
}

weft_status weft__axis_rows_open(weft__axis_rows *a, weft__call *c, int axis) {
  *a = (weft__axis_rows){.call = c, .shape = weft__call_shape(c, 0)};
  if (axis == WEFT__EVERY_AXIS) {
    a->shape = WEFT_SHAPE(c->array[c->results]->size);
    axis = 0;
  }
  WEFT__TRY_RETURN(weft__axis_resolve(&axis, a->shape.ndim));
  const weft__axis_split split = weft__split_at_axis(a->shape, axis);
  a->axis = axis;
  a->length = (uint64_t)split.length;
  a->rows = (uint64_t)(split.outer * split.inner);
  a->is_moved = split.inner > 1 && split.length > 1;
  if (!a->is_moved) {
    WEFT__TRY_RETURN(plain_operand(c, 0));
    a->from = c->array[c->results];
    return WEFT_OK;
  }
  const weft_array view = weft__array_turned(c->array[c->results], axis, false);
  WEFT__TRY_RETURN(weft__cast(&a->moved, &view, view.dtype, c->site));
  a->from = a->moved;
  return WEFT_OK;
}

void weft__axis_rows_close(weft__axis_rows *a) {
  weft_array_release(&a->moved);
}

weft_status weft__axis_rows_result(weft_array **rows, weft_array **temporary, weft__axis_rows *a, int k, bool numbers,
                                   int64_t length) {
  const weft_dtype dtype = numbers ? WEFT_I64 : a->from->dtype;
  weft__call *c = a->call;
  weft_shape shape = a->shape, moved = a->shape;
  shape.dim[a->axis] = length;
  if (a->is_moved) {
    WEFT__TRY_RETURN(weft__call_result(c, k, dtype, shape));
    for (int d = a->axis; d < shape.ndim - 1; d++) moved.dim[d] = shape.dim[d + 1];
    moved.dim[shape.ndim - 1] = length;
    WEFT__TRY_RETURN(weft__array_create(temporary, c->context, dtype, moved, c->site));
  } else {
    WEFT__TRY_RETURN(plain_result(c, k, dtype, shape, numbers ? -1 : 0));
  }
  *rows = a->is_moved ? *temporary : c->array[k];
  return WEFT_OK;
}

weft_status weft__axis_rows_deliver(const weft_array *temporary, const weft__axis_rows *a, int k) {
  if (!temporary) return WEFT_OK;
  const weft_array view = weft__array_turned(temporary, a->axis, true);
  return weft__cast_into(a->call->array[k], &view, view.dtype, a->call->site);
}

/* ---- sort, argsort ---- */

static const char *const x_name[] = {"x"};

static weft_status sort_along(weft__call *c, weft_axes axes, bool descending, bool numbers);

/// Sorts the rows of `few`, which x repeats along other axes, and repeats the result. A row that repeats one element is
/// sorted.
static weft_status sort_few(weft__call *c, const weft_array *few, weft_axes axes, bool descending, bool numbers) {
  weft_array *once = NULL;
  const weft_operand x = WEFT_OPERAND(few), out = WEFT_OPERAND(&once);
  const weft_shape shape = weft__call_shape(c, 0);
  weft_status rc;
  weft__call inner;
  weft__call_open(&inner, NULL, 1, &out, 1, &x, x_name, c->site);
  WEFT__TRY(weft__call_close(&inner, sort_along(&inner, axes, descending, numbers)));
  WEFT__TRY(weft__call_result(c, 0, once->dtype, shape));
  const weft_array all = weft__array_broadcast(once, shape);
  rc = weft__cast_into(c->array[0], &all, c->array[0]->dtype, c->site);
done:
  weft_array_release(&once);
  return rc;
}

/// Whether x repeats rows along other axes than the sorted one, which then are `few`. Positions in a row that repeats
/// one element differ.
static bool repeats_rows(weft_array *few, const weft_array *x, int axis, bool numbers) {
  bool kept[WEFT_MAX_NDIM] = {false};
  if (axis == WEFT__EVERY_AXIS || axis < -x->ndim || axis >= x->ndim) return false;
  kept[axis < 0 ? axis + x->ndim : axis] = numbers;
  return weft__array_without_copies(few, x, kept);
}

static weft_status sort_along(weft__call *c, weft_axes axes, bool descending, bool numbers) {
  weft_status rc;
  int axis;
  weft_array few;
  weft__axis_rows a = {0};
  weft_array *rows = NULL, *temporary = NULL;
  WEFT__TRY(weft__one_axis(&axis, axes));
  WEFT__TRY(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  if (repeats_rows(&few, c->array[1], axis, numbers)) return sort_few(c, &few, axes, descending, numbers);
  if (numbers && c->array[1]->ndim == 0 && (axis == 0 || axis == -1)) axis = WEFT__EVERY_AXIS; /* NumPy's exception */
  WEFT__TRY(weft__axis_rows_open(&a, c, axis));
  WEFT__TRY(weft__axis_rows_result(&rows, &temporary, &a, 0, numbers, (int64_t)a.length));
  const weft__sort sort = {.context = c->context,
                           .what = numbers ? "argsort" : "sort",
                           .site = c->site,
                           .rows = a.rows,
                           .length = a.length,
                           .descending = descending,
                           .key_from = a.from,
                           .key_to = numbers ? NULL : rows,
                           .value_to = numbers ? rows : NULL};
  WEFT__TRY(weft__sort_run(&sort));
  rc = weft__axis_rows_deliver(temporary, &a, 0);
done:
  weft_array_release(&temporary);
  weft__axis_rows_close(&a);
  return rc;
}

static weft_status sort_call(const weft_operand *out, const weft_operand *x, weft_axes axis,
                             const weft_sort_params *params, bool numbers) {
  const weft_sort_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter(numbers ? "weft_argsort" : "weft_sort", p.site);
  weft__call_open(&c, NULL, 1, out, 1, x, x_name, p.site);
  return weft__leave(weft__call_close(&c, sort_along(&c, axis, p.descending, numbers)));
}

weft_status weft__sort_at(weft_operand out, weft_operand x, weft_axes axis, const weft_sort_params *params) {
  return sort_call(&out, &x, axis, params, false);
}

weft_status weft__argsort_at(weft_operand out, weft_operand x, weft_axes axis, const weft_sort_params *params) {
  return sort_call(&out, &x, axis, params, true);
}

/* ---- by key ---- */

static weft_status check_pairs(const weft__call *c) {
  weft_shape keys = weft__call_shape(c, 0), values = weft__call_shape(c, 1);
  if (keys.ndim == 1 && values.ndim >= 1 && values.dim[0] == keys.dim[0]) return WEFT_OK;
  if (keys.ndim != 1) return weft__call_fail_shapes(c, 1, 0, "expected keys of one axis");
  return weft__call_fail_shapes(c, 0, 1, "expected values with the keys' length along their first axis");
}

/// Whether array k of the call may be written while the operands are read. Elements of operand `self` may be shared.
static bool is_clear(const weft__call *c, int k, int self) {
  for (int i = 0; i < c->inputs; i++)
    if (i != self && weft__arrays_overlap(c->array[k], c->array[c->results + i])) return false;
  return true;
}

/// Makes result k in place of operand k, or in memory that overlaps no operand.
static weft_status pair_result(weft__call *c, int k) {
  const weft_array *from = c->array[c->results + k];
  const weft_dtype dtype = from->dtype;
  WEFT__TRY_RETURN(plain_result(c, k, dtype, weft__array_shape(from), k));
  return is_clear(c, k, k) ? WEFT_OK : weft__call_temporary(c, k, dtype, weft__array_shape(from));
}

/// Sorts the keys together with their positions, then gathers the values by position.
static weft_status sort_and_gather(weft__call *c, weft__sort *sort, const weft_array *values, weft_array *to) {
  weft_status rc;
  weft_array *numbers = NULL, *copy = NULL;
  WEFT__TRY(weft__array_create(&numbers, c->context, WEFT_I64, WEFT_SHAPE((int64_t)sort->length), c->site));
  if (weft__arrays_overlap(values, to)) WEFT__TRY(weft__cast(&copy, values, values->dtype, c->site));
  sort->value_from = NULL;
  sort->value_to = numbers;
  WEFT__TRY(weft__sort_run(sort));
  rc = weft__gather_rows(to, copy ? copy : values, numbers, weft__split_at_axis(weft__array_shape(values), 0),
                         sort->what, c->site);
done:
  weft_array_release(&numbers);
  weft_array_release(&copy);
  return rc;
}

static weft_status sort_pairs(weft__call *c, bool descending) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(check_pairs(c));
  for (int k = 0; k < 2; k++) WEFT__TRY_RETURN(plain_operand(c, k));
  for (int k = 0; k < 2; k++) WEFT__TRY_RETURN(pair_result(c, k));
  const weft_array *values = c->array[3];
  weft__sort sort = {.context = c->context,
                     .what = "sort_by_key",
                     .site = c->site,
                     .rows = 1,
                     .length = (uint64_t)c->array[2]->size,
                     .descending = descending,
                     .key_from = c->array[2],
                     .key_to = c->array[0],
                     .value_from = c->array[3],
                     .value_to = c->array[1]};
  size_t bytes = weft_dtype_size_bytes(values->dtype);
  if (values->ndim > 1 || (bytes != 4 && bytes != 8)) return sort_and_gather(c, &sort, values, c->array[1]);
  return weft__sort_run(&sort);
}

weft_status weft__sort_by_key_at(weft_operand keys_out, weft_operand values_out, weft_operand keys, weft_operand values,
                                 const weft_sort_params *params) {
  static const char *const result_names[] = {"keys_out", "values_out"}, *const names[] = {"keys", "values"};
  const weft_operand results[] = {keys_out, values_out}, operands[] = {keys, values};
  const weft_sort_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_sort_by_key", p.site);
  weft__call_open(&c, NULL, 2, results, 2, operands, names, p.site);
  c.result_name = result_names;
  return weft__leave(weft__call_close(&c, sort_pairs(&c, p.descending)));
}
