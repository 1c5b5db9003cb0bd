// SPDX-License-Identifier: MIT
/// weft_tril_indices, weft_triu_indices, weft_diag_indices and weft_indices: a place follows from an element's number.
#include <inttypes.h>
#include <stdio.h>
#include <weft/eval.h>
#include <weft/rearrange.h>

#include "array/array.h"
#include "array/view.h"
#include "base/checked.h"
#include "call/call.h"
#include "map/cast.h"
#include "op/create/range.h"
#include "op/rearrange/triangle.h"
#include "op/rearrange/tuning.h"

static int64_t within(int64_t x, int64_t most) {
  return x < 0 ? 0 : x > most ? most : x;
}

/// The triangle whose row 0 has `column` elements, if they are within the matrix.
static weft__index_triangle lower(int64_t rows, int64_t columns, int64_t column) {
  weft__index_triangle t = {.rows = rows, .columns = columns, .empty = within(-column, rows)};
  t.first = within(column + t.empty, columns);
  t.steep = within(columns - t.first, rows - t.empty);
  /* half of a product of which one factor is even */
  t.before = t.steep % 2 ? t.steep * (t.first + (t.steep - 1) / 2) : t.steep / 2 * (2 * t.first + t.steep - 1);
  t.total = t.before + (rows - t.empty - t.steep) * columns;
  return t;
}

/// The most elements and columns for which numbers of 32 bits are enough.
#define SHORT_ELEMENTS (1 << 29)
#define SHORT_COLUMNS (1 << 18)

#define NEWTON "r = r + (s - (r * (r + b) >> 1)) // (r + first); r = r - 1 if r * (r + b) >> 1 > s else r; "

/// One kernel writes both results. Element j of the steep rows is in the row r of them with r (r + b) / 2 <= j, b = 2
/// first - 1: a root, taken a little too small, so that the row may be the one before. Of many elements it may be
/// farther away where f64 is missing: a step of Newton's method with integers, and a row too far is mended.
static weft_status write_indices(const weft__triangle_task *task) {
  const weft__index_triangle *t = task->triangle;
  const bool is_upper = task->part == WEFT__INDEX_UPPER;
  weft_context *context = task->rows->context;
  const bool is_short = t->total <= SHORT_ELEMENTS && t->columns <= SHORT_COLUMNS && t->rows <= SHORT_ELEMENTS;
  const bool has_full = t->total > t->before, is_coarse = !is_short && !context->core.device->info.has_fp64;
  const char *whole = is_short ? "i32" : "i64", *real = is_short || is_coarse ? "f32" : "f64";
  weft_array *rows = task->rows, *columns = task->columns;
  char text[800];
  snprintf(text, sizeof text,
           "j = %s%s(i); s = %s; x = %s(b); r = %s((sqrt(x * x + 8 * %s(s)) - x) / 2 - 0.25); %s"
           "v = j - (r * (r + b) >> 1); n = r + first; is_next = v >= n; u = empty + r + is_next; "
           "v = v - n if is_next else v; %s rows = i64(%su); columns = i64(%sv)",
           is_upper ? "last - " : "", whole, has_full ? "j if j < before else 0" : "j", real, whole, real,
           is_coarse ? NEWTON : "",
           has_full ? "k = j - before; u = u if k < 0 else full + k // wide; v = v if k < 0 else k % wide;" : "",
           is_upper ? "bottom - " : "", is_upper ? "right - " : "");
  weft_operand variables[11] = {WEFT_NAMED("rows", &rows), WEFT_NAMED("columns", &columns)};
  int count = 2;
#define ADD(name, value) variables[count++] = is_short ? WEFT_NAMED(name, (int32_t)(value)) : WEFT_NAMED(name, value)
  ADD("b", 2 * t->first - 1);
  ADD("first", t->first);
  ADD("empty", t->empty);
  if (is_upper) {
    ADD("last", t->total - 1);
    ADD("bottom", t->rows - 1);
    ADD("right", t->columns - 1);
  }
  if (has_full) {
    ADD("before", t->before);
    ADD("full", t->empty + t->steep);
    ADD("wide", t->columns);
  }
#undef ADD
  return weft__eval_all_at(context, text, count, variables, task->site);
}

/// A diagonal, from the element behind `empty` rows and `first` columns on.
static weft__index_triangle diagonal(int64_t rows, int64_t columns, int64_t k) {
  weft__index_triangle t = {.rows = rows, .columns = columns, .empty = within(-k, rows), .first = within(k, columns)};
  t.total = rows - t.empty < columns - t.first ? rows - t.empty : columns - t.first;
  return t;
}

weft_status weft__triangle_formula_run(bool *is_done, const void *task) {
  const weft__triangle_task *t = task;
  weft_array *rows = t->rows, *columns = t->columns;
  *is_done = true;
  if (t->part != WEFT__INDEX_DIAGONAL) return write_indices(t);
  const weft_operand variables[] = {WEFT_NAMED("rows", &rows), WEFT_NAMED("columns", &columns),
                                    WEFT_NAMED("empty", t->triangle->empty), WEFT_NAMED("first", t->triangle->first)};
  return weft__eval_all_at(rows->context, "rows = i + empty; columns = i + first", 4, variables, t->site);
}

static weft_status run(weft__call *c, const weft__index_triangle *t, weft__index_part of) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__dtype_check(WEFT_I64, c->context));
  for (int k = 0; k < 2; k++)
    WEFT__TRY_RETURN(of == WEFT__INDEX_DIAGONAL ? weft__call_contiguous_result(c, k, WEFT_I64, WEFT_SHAPE(t->total))
                                                : weft__call_result(c, k, WEFT_I64, WEFT_SHAPE(t->total)));
  if (t->total == 0) return WEFT_OK;
  const weft__triangle_task task = {c->array[0], c->array[1], t, of, c->site};
  return weft__ways_run(&weft__triangle_ways, c->context, &task);
}

static weft_status indices(const char *function, weft_operand rows_out, weft_operand columns_out, weft_context *context,
                           int64_t count, const weft_eye_params *params, weft__index_part of) {
  const weft_eye_params p = WEFT__PARAMS(params);
  const int64_t columns = p.columns ? p.columns : count;
  static const char *const names[] = {"rows", "columns"};
  const weft_operand results[] = {rows_out, columns_out};
  int64_t elements, limit;
  weft__call c;
  weft_status rc;
  weft__enter(function, p.site);
  if (count < 0 || columns < 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, count < 0 ? "count" : "columns", "`%s` is %" PRId64 "; expected 0 or more",
                         count < 0 ? "count" : "columns", count < 0 ? count : columns));
  if (!weft__multiply_i64(&elements, count, columns) || elements > INT64_MAX / 8)
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "count", "%" PRId64 " x %" PRId64 " indices would exceed 2^63-1 bytes",
                         count, columns));
  limit = count + columns; /* beyond it a diagonal is outside the matrix */
  const int64_t k = p.k < -limit ? -limit : p.k > limit ? limit : p.k;
  /* from the end, the columns from column r + k of row r on are those below the diagonal columns - rows - k */
  const weft__index_triangle t = of == WEFT__INDEX_DIAGONAL
                                     ? diagonal(count, columns, k)
                                     : lower(count, columns, of == WEFT__INDEX_UPPER ? columns - count - k + 1 : k + 1);
  weft__call_open(&c, context, 2, results, 0, NULL, NULL, p.site);
  c.result_name = names;
  rc = weft__call_close(&c, run(&c, &t, of));
done:
  return weft__leave(rc);
}

weft_status weft__tril_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_tril_indices", rows, columns, context, count, params, WEFT__INDEX_LOWER);
}

weft_status weft__triu_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_triu_indices", rows, columns, context, count, params, WEFT__INDEX_UPPER);
}

weft_status weft__diag_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_diag_indices", rows, columns, context, count, params, WEFT__INDEX_DIAGONAL);
}

/* ---- all elements ---- */

/// Writes "f32(i1 if i0 == 0 else i2)": first the indices along the next axis, then along the one after it.
static void write_text(weft__text *text, weft_dtype dtype, int axes) {
  weft__text_add(text, "%s(", weft_dtype_name(dtype));
  for (int d = 1; d < axes; d++) weft__text_add(text, "i%d if i0 == %d else ", d, d - 1);
  weft__text_add(text, "i%d)", axes);
}

bool weft__indices_copies_fits(const void *task) {
  const weft__indices_task *t = task;
  return t->out->dtype == t->dtype;
}

bool weft__indices_large_fits(const void *task) {
  const weft__indices_task *t = task;
  return weft__indices_copies_fits(t) && t->out->size >= WEFT__INDICES_MOST_COMPUTED;
}

/// Copies the indices along each axis to their place: on CPUs twice as fast as a formula of every element's indices, on
/// GPUs 1.6 times for 2^27 elements.
weft_status weft__indices_copies_run(bool *is_done, const void *task) {
  const weft__indices_task *t = task;
  weft_array *row = NULL, *out = t->out;
  weft_status rc = WEFT_OK;
  *is_done = true;
  for (int d = 1; d < out->ndim; d++) {
    weft_array plane = weft__array_part(out, 0, d - 1, 1);
    weft_shape shape = weft__array_shape(&plane), along = shape;
    for (int k = 0; k < along.ndim; k++)
      if (k != d) along.dim[k] = 1;
    WEFT__TRY(weft__array_create(&row, out->context, WEFT_I64, WEFT_SHAPE(shape.dim[d]), t->site));
    WEFT__TRY(weft__count_up(row, 0, t->site));
    weft__set_contiguous(row, along);
    const weft_array view = weft__array_broadcast(row, shape);
    WEFT__TRY(weft__cast_into(&plane, &view, t->dtype, t->site));
    weft_array_release(&row);
  }
done:
  weft_array_release(&row);
  return rc;
}

weft_status weft__indices_formula_run(bool *is_done, const void *task) {
  const weft__indices_task *t = task;
  weft_array *out = t->out;
  weft__text text = {0};
  *is_done = true;
  write_text(&text, t->dtype, out->ndim - 1);
  const weft_status rc =
      text.failed ? weft__fail_host_memory(text.length)
                  : weft__eval_at(WEFT_OPERAND(&out), out->context, weft__text_chars(&text), 0, NULL, t->site);
  weft__text_free(&text);
  return rc;
}

static weft_status run_all(weft__call *c, weft_dtype dtype, weft_shape shape) {
  int64_t size;
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  WEFT__TRY_RETURN(weft__call_result(c, 0, dtype, shape));
  const weft__indices_task task = {c->array[0], dtype, c->site};
  return size == 0 ? WEFT_OK : weft__ways_run(&weft__indices_ways, c->context, &task);
}

weft_status weft__indices_at(weft_operand out, weft_context *context, weft_dtype dtype, weft_shape shape,
                             const char *site) {
  weft_shape all = {.ndim = shape.ndim + 1, .dim = {shape.ndim}};
  weft__call c;
  weft_status rc;
  weft__enter("weft_indices", site);
  if (shape.ndim < 0 || shape.ndim >= WEFT_MAX_NDIM)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has %d axes; expected 0 to %d", shape.ndim, WEFT_MAX_NDIM - 1));
  memcpy(all.dim + 1, shape.dim, (size_t)shape.ndim * sizeof shape.dim[0]);
  weft__call_open(&c, context, 1, &out, 0, NULL, NULL, site);
  rc = weft__call_close(&c, run_all(&c, dtype, all));
done:
  return weft__leave(rc);
}
