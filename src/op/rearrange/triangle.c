// SPDX-License-Identifier: MIT
/// weft_tril_indices, weft_triu_indices, weft_diag_indices and weft_indices: a place follows from an element's number.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <inttypes.h>
#include <stdio.h>
#include <weft/eval.h>
#include <weft/rearrange.h>

#include "array/array.h"
#include "array/view.h"
#include "base/checked.h"
#include "base/wide.h"
#include "call/call.h"
#include "map/cast.h"
#include "mem/at_once.h"
#include "op/create/range.h"

typedef enum part { LOWER, UPPER, DIAGONAL } part;

/// A lower triangle: empty rows, `steep` rows of `first`, first + 1 ... elements, and rows of all columns. An upper one
/// is a lower one whose elements, rows and columns are numbered from the end.
typedef struct triangle {
  int64_t rows, columns;
  int64_t empty, steep, first;
  int64_t before; /* elements in the steep rows */
  int64_t total;
} triangle;

static int64_t within(int64_t x, int64_t most) {
  return x < 0 ? 0 : x > most ? most : x;
}

/// The triangle whose row 0 has `column` elements, if they are within the matrix.
static triangle lower(int64_t rows, int64_t columns, int64_t column) {
  triangle t = {.rows = rows, .columns = columns, .empty = within(-column, rows)};
  t.first = within(column + t.empty, columns);
  t.steep = within(columns - t.first, rows - t.empty);
  /* half of a product of which one factor is even */
  t.before = t.steep % 2 ? t.steep * (t.first + (t.steep - 1) / 2) : t.steep / 2 * (2 * t.first + t.steep - 1);
  t.total = t.before + (rows - t.empty - t.steep) * columns;
  return t;
}

/// Writes the rows and columns of a row's elements.
typedef void write_row(int64_t *restrict rows, int64_t *restrict columns, int64_t row, int64_t first, int64_t count);

#define ROW_LOOP(TARGET, NAME, T)                                                                             \
  TARGET static void NAME(T *restrict rows, T *restrict columns, int64_t row, int64_t first, int64_t count) { \
    for (int64_t k = 0; k < count; k++) rows[k] = row;                                                        \
    for (int64_t k = 0; k < count; k++) columns[k] = first + k;                                               \
  }
WEFT__EACH(ROW_LOOP, one_row, int64_t)

static void write_all(int64_t *rows, int64_t *columns, const triangle *t, bool is_upper) {
  static write_row *const loop[3] = WEFT__ALL(one_row);
  write_row *const write_one = loop[WEFT__WIDTH];
  /* without the empty rows, which may be many more than the elements */
  const int64_t begin = is_upper ? 0 : t->empty, end = is_upper ? t->rows - t->empty : t->rows;
  for (int64_t row = begin; row < end; row++) {
    const int64_t u = is_upper ? end - 1 - row : row - begin, count = u < t->steep ? t->first + u : t->columns;
    write_one(rows, columns, row, is_upper ? t->columns - count : 0, count);
    rows += count;
    columns += count;
  }
}

/// The calling thread stores faster than several compute the roots of write_indices.
#define ROOTS_COST 4

static weft_status write_at_once(bool *is_done, const weft__call *c, const triangle *t, bool is_upper) {
  weft_array *const out[] = {c->array[0], c->array[1]};
  const weft__use use[] = {{out[0]->storage, true}, {out[1]->storage, true}};
  char *place[2];
  *is_done = false;
  for (int k = 0; k < 2; k++)
    if (out[k]->dtype != WEFT_I64 || !weft__is_contiguous(out[k]) || out[k]->offset_bytes % 8) return WEFT_OK;
  if ((uint64_t)t->total * 16 > ROOTS_COST * weft__at_once_bytes(&c->context->core)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &c->context->core, 2, use));
  if (*is_done)
    write_all((int64_t *)(void *)(place[0] + out[0]->offset_bytes),
              (int64_t *)(void *)(place[1] + out[1]->offset_bytes), t, is_upper);
  return WEFT_OK;
}

/// The most elements and columns for which numbers of 32 bits are enough.
#define SHORT_ELEMENTS (1 << 29)
#define SHORT_COLUMNS (1 << 18)

#define NEWTON "r = r + (s - (r * (r + b) >> 1)) // (r + first); r = r - 1 if r * (r + b) >> 1 > s else r; "

/// One kernel writes both results. Element j of the steep rows is in the row r of them with r (r + b) / 2 <= j, b = 2
/// first - 1: a root, taken a little too small, so that the row may be the one before. Of many elements it may be
/// farther away where f64 is missing: a step of Newton's method with integers, and a row too far is mended.
static weft_status write_indices(const weft__call *c, const triangle *t, bool is_upper) {
  bool is_done;
  WEFT__TRY_RETURN(write_at_once(&is_done, c, t, is_upper));
  if (is_done) return WEFT_OK;
  const bool is_short = t->total <= SHORT_ELEMENTS && t->columns <= SHORT_COLUMNS && t->rows <= SHORT_ELEMENTS;
  const bool has_full = t->total > t->before, is_coarse = !is_short && !c->context->core.device->info.has_fp64;
  const char *whole = is_short ? "i32" : "i64", *real = is_short || is_coarse ? "f32" : "f64";
  weft_array *rows = c->array[0], *columns = c->array[1];
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
  return weft__eval_all_at(c->context, text, count, variables, c->site);
}

/// A diagonal, from the element behind `empty` rows and `first` columns on.
static triangle diagonal(int64_t rows, int64_t columns, int64_t k) {
  triangle t = {.rows = rows, .columns = columns, .empty = within(-k, rows), .first = within(k, columns)};
  t.total = rows - t.empty < columns - t.first ? rows - t.empty : columns - t.first;
  return t;
}

static weft_status write_diagonal(const weft__call *c, const triangle *t) {
  weft_array *rows = c->array[0], *columns = c->array[1];
  if (c->context->store.is_cpu) { /* by the calling thread, if they are few */
    WEFT__TRY_RETURN(weft__count_up(rows, t->empty, c->site));
    return weft__count_up(columns, t->first, c->site);
  }
  const weft_operand variables[] = {WEFT_NAMED("rows", &rows), WEFT_NAMED("columns", &columns),
                                    WEFT_NAMED("empty", t->empty), WEFT_NAMED("first", t->first)};
  return weft__eval_all_at(c->context, "rows = i + empty; columns = i + first", 4, variables, c->site);
}

static weft_status run(weft__call *c, const triangle *t, part of) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__dtype_check(WEFT_I64, c->context));
  for (int k = 0; k < 2; k++)
    WEFT__TRY_RETURN(of == DIAGONAL ? weft__call_contiguous_result(c, k, WEFT_I64, WEFT_SHAPE(t->total))
                                    : weft__call_result(c, k, WEFT_I64, WEFT_SHAPE(t->total)));
  if (t->total == 0) return WEFT_OK;
  return of == DIAGONAL ? write_diagonal(c, t) : write_indices(c, t, of == UPPER);
}

static weft_status indices(const char *function, weft_operand rows_out, weft_operand columns_out, weft_context *context,
                           int64_t count, const weft_eye_params *params, part of) {
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
  const triangle t = of == DIAGONAL ? diagonal(count, columns, k)
                                    : lower(count, columns, of == UPPER ? columns - count - k + 1 : k + 1);
  weft__call_open(&c, context, 2, results, 0, NULL, NULL, p.site);
  c.result_name = names;
  rc = weft__call_close(&c, run(&c, &t, of));
done:
  return weft__leave(rc);
}

weft_status weft__tril_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_tril_indices", rows, columns, context, count, params, LOWER);
}

weft_status weft__triu_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_triu_indices", rows, columns, context, count, params, UPPER);
}

weft_status weft__diag_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_diag_indices", rows, columns, context, count, params, DIAGONAL);
}

/* ---- all elements ---- */

/// Writes "f32(i1 if i0 == 0 else i2)": first the indices along the next axis, then along the one after it.
static void write_text(weft__text *text, weft_dtype dtype, int axes) {
  weft__text_add(text, "%s(", weft_dtype_name(dtype));
  for (int d = 1; d < axes; d++) weft__text_add(text, "i%d if i0 == %d else ", d, d - 1);
  weft__text_add(text, "i%d)", axes);
}

#define MOST_COMPUTED (1 << 24) /* on GPUs, where fewer elements take less time than two launches for each axis */

/// Copies the indices along each axis to their place: on CPUs twice as fast as a formula of every element's indices, on
/// GPUs 1.6 times for 2^27 elements.
static weft_status copy_all(weft_array *out, weft_dtype dtype, const char *site) {
  weft_array *row = NULL;
  weft_status rc = WEFT_OK;
  for (int d = 1; d < out->ndim; d++) {
    weft_array plane = weft__array_part(out, 0, d - 1, 1);
    weft_shape shape = weft__array_shape(&plane), along = shape;
    for (int k = 0; k < along.ndim; k++)
      if (k != d) along.dim[k] = 1;
    WEFT__TRY(weft__array_create(&row, out->context, WEFT_I64, WEFT_SHAPE(shape.dim[d]), site));
    WEFT__TRY(weft__count_up(row, 0, site));
    weft__set_contiguous(row, along);
    const weft_array view = weft__array_broadcast(row, shape);
    WEFT__TRY(weft__cast_into(&plane, &view, dtype, site));
    weft_array_release(&row);
  }
done:
  weft_array_release(&row);
  return rc;
}

static weft_status run_all(weft__call *c, weft_dtype dtype, weft_shape shape) {
  weft__text text = {0};
  weft_status rc;
  int64_t size;
  WEFT__TRY(weft__call_check(c));
  WEFT__TRY(weft__dtype_check(dtype, c->context));
  WEFT__TRY(weft__shape_check(&size, shape, dtype, "shape"));
  WEFT__TRY(weft__call_result(c, 0, dtype, shape));
  if (size == 0) goto done;
  if (c->array[0]->dtype == dtype && (c->context->store.is_cpu || size >= MOST_COMPUTED)) {
    rc = copy_all(c->array[0], dtype, c->site);
    goto done;
  }
  write_text(&text, dtype, shape.ndim - 1);
  rc = text.failed ? weft__fail_host_memory(text.length)
                   : weft__eval_at(WEFT_OPERAND(&c->array[0]), c->context, weft__text_chars(&text), 0, NULL, c->site);
done:
  weft__text_free(&text);
  return rc;
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
