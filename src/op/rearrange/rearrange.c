// SPDX-License-Identifier: MIT
/// Roll, repeat, tile, pad, tril and similar functions: each describes the result's axes as parts of the source's.
#include <weft/rearrange.h>
#include <weft/ufunc.h>

#include <inttypes.h>

#include "array/axes.h"
#include "base/checked.h"
#include "call/call.h"
#include "dtype/scalar.h"
#include "map/cast.h"
#include "op/rearrange/arrange.h"

#define FAR (INT64_C(1) << 60) /* beyond all diagonals; may be doubled without overflow */

static const char *const operand_names[] = {"x"};

/// A call with one operand and one result.
typedef struct arranging {
  weft_operand out, operand;
  weft__call call;
  weft__arrangement arrangement;
} arranging;

/// Opens the call and gathers the operand for weft__arrange_run; copies it first if this is faster.
static weft_status begin(arranging *t, const char *what, weft_context *context, weft_operand out, weft_operand x,
                         const char *site) {
  t->out = out;
  t->operand = x;
  t->arrangement = (weft__arrangement){.what = what};
  weft__call_open(&t->call, context, 1, &t->out, 1, &t->operand, operand_names, site);
  WEFT__TRY_RETURN(weft__call_operands(&t->call));
  if (weft__call_is_scalar(&t->call, 0)) return weft__call_contiguous_operand(&t->call, 0, WEFT_DTYPE_NONE);
  if (!weft__arrange_wants_copy(t->call.array[1])) return WEFT_OK;
  return weft__call_contiguous_operand(&t->call, 0, WEFT_DTYPE_NONE);
}

static weft_status run(arranging *t, weft_shape shape) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, c->array[1]->dtype, shape));
  return weft__arrange_run(c->array[0], c->array[1], &t->arrangement, c->site);
}

static weft_status end(arranging *t, weft_status rc) {
  return weft__leave(weft__call_close(&t->call, rc));
}

static void add_itself(arranging *t, int d) {
  const weft_array *x = t->call.array[1];
  weft__arrangement_add(&t->arrangement, x->shape[d], x->shape[d], 0, x->stride_bytes[d], WEFT__BORDER_NONE);
}

static weft_status too_long(const char *argument, int axis) {
  return weft__fail(WEFT_ERROR_OVERFLOW, argument, "axis %d of the result would have more than 2^63-1 elements", axis);
}

/* ---- roll ---- */

static void add_rolled(arranging *t, int64_t length, int64_t stride_bytes, int64_t shift) {
  int64_t back = length > 0 ? shift % length : 0;
  if (back < 0) back += length;
  weft__arrangement_add(&t->arrangement, length, length, back ? length - back : 0, stride_bytes, WEFT__BORDER_WRAP);
}

/// Rolls all elements as one axis.
static weft_status roll_flat(arranging *t, const weft_shape *shifts) {
  WEFT__TRY_RETURN(weft__call_contiguous_operand(&t->call, 0, WEFT_DTYPE_NONE));
  const weft_array *from = t->call.array[1];
  int64_t shift = 0;
  for (int k = 0; k < shifts->ndim && from->size > 0; k++) shift = (shift + shifts->dim[k] % from->size) % from->size;
  add_rolled(t, from->size, (int64_t)weft_dtype_size_bytes(from->dtype), shift);
  return run(t, weft__array_shape(from));
}

static weft_status roll_axes(arranging *t, const weft_shape *shifts, weft_axes axes) {
  int axis[WEFT_MAX_NDIM], count;
  int64_t shift[WEFT_MAX_NDIM] = {0};
  const weft_array *from = t->call.array[1];
  WEFT__TRY_RETURN(weft__axes_list(axis, &count, axes, from->ndim));
  if (shifts->ndim != count && shifts->ndim != 1 && count != 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "shift", "`shift` has %d number%s, for %d ax%cs", shifts->ndim,
                      shifts->ndim == 1 ? "" : "s", count, count == 1 ? 'i' : 'e');
  /* a single shift serves all axes; a single axis is rolled by all shifts */
  for (int k = 0; k < (count == 1 ? shifts->ndim : count); k++) {
    int d = axis[count == 1 ? 0 : k];
    if (from->shape[d] > 0)
      shift[d] = (shift[d] + shifts->dim[shifts->ndim == 1 ? 0 : k] % from->shape[d]) % from->shape[d];
  }
  for (int d = 0; d < from->ndim; d++) add_rolled(t, from->shape[d], from->stride_bytes[d], shift[d]);
  return run(t, weft__array_shape(from));
}

weft_status weft__roll_at(weft_operand out, weft_operand x, weft_shape shift, weft_axes axes, const char *site) {
  arranging t;
  int one;
  weft_status rc;
  weft__enter("weft_roll", site);
  WEFT__TRY(begin(&t, "roll", NULL, out, x, site));
  if (axes.keepdims) WEFT__TRY(weft__one_axis(&one, axes)); /* reports an error: there is nothing to keep */
  bool flat = axes.count == WEFT__EVERY_AXIS || (axes.count == 1 && axes.axis[0] == WEFT__EVERY_AXIS);
  rc = flat ? roll_flat(&t, &shift) : roll_axes(&t, &shift, axes);
done:
  return end(&t, rc);
}

/* ---- repeat and tile ---- */

static weft_status repeat(arranging *t, int64_t count, int axis) {
  bool flat = axis == WEFT__EVERY_AXIS;
  const weft_array *from = t->call.array[1];
  if (!flat) WEFT__TRY_RETURN(weft__axis_resolve(&axis, from->ndim));
  if (count < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "counts", "`counts` is %" PRId64 "; expected 0 or more", count);
  weft_shape shape = weft__array_shape(from);
  if (flat) shape = weft__shape(1, &from->size);
  if (flat) axis = from->ndim - 1;
  int at = flat ? 0 : axis;
  if (!weft__multiply_i64(&shape.dim[at], shape.dim[at], count)) return too_long("counts", at);
  for (int d = 0; d < from->ndim; d++) {
    add_itself(t, d);
    if (d == axis) weft__arrangement_add(&t->arrangement, count, count, 0, 0, WEFT__BORDER_NONE);
  }
  if (from->ndim == 0) weft__arrangement_add(&t->arrangement, count, count, 0, 0, WEFT__BORDER_NONE);
  return run(t, shape);
}

weft_status weft__repeat_at(weft_operand out, weft_operand x, weft_operand counts, weft_axes axes, const char *site) {
  arranging t = {0}; /* closing an unopened call does nothing */
  uint64_t count[2];
  int axis;
  weft_status rc;
  weft__enter("weft_repeat", site);
  WEFT__TRY(weft__one_axis(&axis, axes));
  if (counts.kind != WEFT_OPERAND_SCALAR || !weft__is_whole(counts.as.scalar.dtype)) {
    rc = weft__repeat_each(&out, &x, &counts, axis, site);
    goto done;
  }
  WEFT__TRY(begin(&t, "repeat", NULL, out, x, site));
  WEFT__TRY(weft__element_bytes(count, WEFT_I64, counts.as.scalar, "counts"));
  rc = repeat(&t, (int64_t)count[0], axis);
done:
  return end(&t, rc);
}

weft_status weft__tile_at(weft_operand out, weft_operand x, weft_shape reps, const char *site) {
  arranging t;
  weft_status rc;
  weft__enter("weft_tile", site);
  WEFT__TRY(begin(&t, "tile", NULL, out, x, site));
  if (reps.ndim < 0 || reps.ndim > WEFT_MAX_NDIM)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "reps", "`reps` has %d axes; expected 0 to %d", reps.ndim, WEFT_MAX_NDIM));
  for (int d = 0; d < reps.ndim; d++)
    if (reps.dim[d] < 0)
      WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "reps", "`reps` has %" PRId64 " for axis %d; expected 0 or more",
                           reps.dim[d], d));
  const weft_array *from = t.call.array[1];
  weft_shape shape = {.ndim = from->ndim > reps.ndim ? from->ndim : reps.ndim};
  for (int d = 0; d < shape.ndim; d++) {
    int own = d - (shape.ndim - from->ndim), rep = d - (shape.ndim - reps.ndim);
    int64_t length = own >= 0 ? from->shape[own] : 1, count = rep >= 0 ? reps.dim[rep] : 1;
    if (!weft__multiply_i64(&shape.dim[d], length, count)) WEFT__TRY(too_long("reps", d));
    weft__arrangement_add(&t.arrangement, count, count, 0, 0, WEFT__BORDER_NONE);
    if (own >= 0) add_itself(&t, own);
  }
  rc = run(&t, shape);
done:
  return end(&t, rc);
}

weft_status weft__resize_at(weft_operand out, weft_operand x, weft_shape shape, const char *site) {
  arranging t;
  int64_t size;
  weft_status rc;
  weft__enter("weft_resize", site);
  WEFT__TRY(begin(&t, "resize", NULL, out, x, site));
  WEFT__TRY(weft__shape_check(&size, shape, t.call.array[1]->dtype, "shape"));
  WEFT__TRY(weft__call_contiguous_operand(&t.call, 0, WEFT_DTYPE_NONE));
  const weft_array *from = t.call.array[1];
  weft__arrangement_add(&t.arrangement, size, from->size, 0, (int64_t)weft_dtype_size_bytes(from->dtype),
                        from->size > 0 ? WEFT__BORDER_WRAP : WEFT__BORDER_CONSTANT);
  rc = run(&t, shape);
done:
  return end(&t, rc);
}

/* ---- pad ---- */

static weft_status check_border(const weft_shape *border, int ndim, const char *name) {
  if (border->ndim != ndim && border->ndim != 1)
    return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d numbers; `x` has %d ax%cs, and one number is for all", name,
                      border->ndim, ndim, ndim == 1 ? 'i' : 'e');
  for (int d = 0; d < border->ndim; d++)
    if (border->dim[d] < 0)
      return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %" PRId64 " for axis %d; expected 0 or more", name,
                        border->dim[d], d);
  return WEFT_OK;
}

static weft_status pad(arranging *t, const weft_shape *before, const weft_shape *after, int border) {
  const weft_array *x = t->call.array[1];
  weft_shape shape = {.ndim = x->ndim};
  WEFT__TRY_RETURN(check_border(before, x->ndim, "before"));
  WEFT__TRY_RETURN(check_border(after, x->ndim, "after"));
  for (int d = 0; d < x->ndim; d++) {
    uint64_t front = (uint64_t)before->dim[before->ndim == 1 ? 0 : d],
             back = (uint64_t)after->dim[after->ndim == 1 ? 0 : d];
    uint64_t length = (uint64_t)x->shape[d] + front; /* no wraparound: both numbers are under 2^63 */
    if (length > INT64_MAX || length + back > INT64_MAX) return too_long(length > INT64_MAX ? "before" : "after", d);
    shape.dim[d] = (int64_t)(length + back);
    if (x->shape[d] == 0 && front + back > 0 && border != WEFT__BORDER_CONSTANT)
      return weft__fail(WEFT_ERROR_SHAPE, "x", "axis %d has no elements to make a border of; expected `.value`", d);
    weft__arrangement_add(&t->arrangement, shape.dim[d], x->shape[d], -(int64_t)front, x->stride_bytes[d], border);
  }
  return run(t, shape);
}

weft_status weft__pad_at(weft_operand out, weft_operand x, weft_shape before, weft_shape after,
                         const weft_pad_params *params) {
  static const int borders[] = {WEFT__BORDER_CONSTANT, WEFT__BORDER_EDGE, WEFT__BORDER_REFLECT, WEFT__BORDER_SYMMETRIC,
                                WEFT__BORDER_WRAP};
  const weft_pad_params p = WEFT__PARAMS(params);
  arranging t;
  weft__enter("weft_pad", p.site);
  if ((int)p.mode < 0 || (int)p.mode > WEFT_PAD_WRAP)
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "mode", "`mode` is %d, which is no weft_pad_mode", (int)p.mode));
  if (p.value.dtype && p.mode)
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "value", "a value and a mode were given; expected one of them"));
  if (!p.value.dtype && p.value.value.u)
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "value", "`value` has no dtype; expected WEFT_SCALAR(7)"));
  weft_status rc;
  WEFT__TRY(begin(&t, "pad", NULL, out, x, p.site));
  if (p.value.dtype) WEFT__TRY(weft__element_bytes(t.arrangement.fill, t.call.array[1]->dtype, p.value, "value"));
  rc = pad(&t, &before, &after, borders[p.mode]);
done:
  return end(&t, rc);
}

/* ---- matrices ---- */

/// Bytes from one column to the next; a single column counts as contiguous.
static int64_t column_stride(const weft_array *x) {
  int last = x->ndim - 1;
  return x->shape[last] == 1 ? (int64_t)weft_dtype_size_bytes(x->dtype) : x->stride_bytes[last];
}

/// Copies 16-byte elements whose columns are not adjacent: the kernel finds columns from the numbers of 8-byte words.
static weft_status join_halves(arranging *t) {
  const weft_array *x = t->call.array[1];
  if (weft_dtype_size_bytes(x->dtype) != 16 || column_stride(x) == 16) return WEFT_OK;
  return weft__call_contiguous_operand(&t->call, 0, WEFT_DTYPE_NONE);
}

static int64_t near(int64_t k) {
  return k < -FAR ? -FAR : k > FAR ? FAR : k;
}

static weft_status triangle(const char *function, const char *what, weft_operand out, weft_operand x, int64_t lower,
                            int64_t upper, const char *site) {
  arranging t;
  weft_status rc;
  weft__enter(function, site);
  WEFT__TRY(begin(&t, what, NULL, out, x, site));
  if (t.call.array[1]->ndim < 1)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no axes; expected 1 (each row of a square) or more"));
  WEFT__TRY(join_halves(&t));
  const weft_array *from = t.call.array[1];
  weft_shape shape = weft__array_shape(from);
  int last = from->ndim - 1;
  if (last == 0) {
    shape = WEFT_SHAPE(shape.dim[0], shape.dim[0]);
    weft__arrangement_add(&t.arrangement, shape.dim[0], shape.dim[0], 0, 0, WEFT__BORDER_NONE);
  }
  for (int d = 0; d < last; d++) add_itself(&t, d);
  weft__arrangement_add(&t.arrangement, from->shape[last], from->shape[last], 0, column_stride(from),
                        WEFT__BORDER_NONE);
  t.arrangement.band = true;
  t.arrangement.lower = lower;
  t.arrangement.upper = upper;
  rc = run(&t, shape);
done:
  return end(&t, rc);
}

weft_status weft__tril_at(weft_operand out, weft_operand x, const weft_matrix_params *params) {
  const weft_matrix_params p = WEFT__PARAMS(params);
  return triangle("weft_tril", "tril", out, x, -FAR, near(p.k), p.site);
}

weft_status weft__triu_at(weft_operand out, weft_operand x, const weft_matrix_params *params) {
  const weft_matrix_params p = WEFT__PARAMS(params);
  return triangle("weft_triu", "triu", out, x, near(p.k), FAR, p.site);
}

/// A matrix of rows x columns with x along diagonal k; `first` is the column of the diagonal's first element.
static weft_status diagonal_matrix(arranging *t, int64_t rows, int64_t columns, int64_t k, int64_t first) {
  WEFT__TRY_RETURN(join_halves(t));
  const weft_array *x = t->call.array[1];
  weft__arrangement_add(&t->arrangement, rows, rows, 0, 0, WEFT__BORDER_NONE);
  weft__arrangement_add(&t->arrangement, columns, x->shape[0], -first, column_stride(x), WEFT__BORDER_CONSTANT);
  t->arrangement.band = true;
  t->arrangement.lower = t->arrangement.upper = k;
  return run(t, weft__shape(2, (const int64_t[]){rows, columns}));
}

weft_status weft__diag_at(weft_operand out, weft_operand x, const weft_matrix_params *params) {
  const weft_matrix_params p = WEFT__PARAMS(params);
  const int64_t k = p.k;
  arranging t;
  weft_status rc;
  weft__enter("weft_diag", p.site);
  WEFT__TRY(begin(&t, "diag", NULL, out, x, p.site));
  if (t.call.array[1]->ndim != 1)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "x",
                         "`x` has %d axes; expected 1 (the diagonal of a matrix is weft_diagonal)",
                         t.call.array[1]->ndim));
  if (k < -FAR || k > FAR) WEFT__TRY(too_long("k", 0));
  int64_t side = t.call.array[1]->size + (k < 0 ? -k : k);
  rc = diagonal_matrix(&t, side, side, k, k > 0 ? k : 0);
done:
  return end(&t, rc);
}

/// Writes ones where lower <= column - row <= upper, and zeros elsewhere.
static weft_status write_ones(weft__call *c, weft_dtype dtype, weft_shape shape, weft__arrangement *a) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, shape));
  WEFT__TRY_RETURN(weft__element_bytes(a->kept, dtype, WEFT_SCALAR(1), "dtype"));
  weft__arrangement_add(a, shape.dim[0], shape.dim[0], 0, 0, WEFT__BORDER_NONE);
  weft__arrangement_add(a, shape.dim[1], shape.dim[1], 0, (int64_t)weft_dtype_size_bytes(dtype), WEFT__BORDER_NONE);
  return weft__arrange_run(c->array[0], NULL, a, c->site);
}

/// A matrix with ones on diagonal .k and, with `is_lower`, below it.
static weft_status ones(const char *function, bool is_lower, weft_operand out, weft_context *context, weft_dtype dtype,
                        int64_t rows, const weft_eye_params *params) {
  const weft_eye_params p = WEFT__PARAMS(params);
  const int64_t columns = p.columns ? p.columns : rows, k = near(p.k);
  weft__arrangement a = {.what = is_lower ? "tri" : "eye", .band = true, .lower = is_lower ? -FAR : k, .upper = k};
  weft__call c;
  weft_status rc;
  weft__enter(function, p.site);
  if (rows < 0 || columns < 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, rows < 0 ? "rows" : "columns", "`%s` is %" PRId64 "; expected 0 or more",
                         rows < 0 ? "rows" : "columns", rows < 0 ? rows : columns));
  weft__call_open(&c, context, 1, &out, 0, NULL, NULL, p.site);
  rc = weft__call_close(&c, write_ones(&c, dtype, WEFT_SHAPE(rows, columns), &a));
done:
  return weft__leave(rc);
}

weft_status weft__eye_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t rows,
                         const weft_eye_params *params) {
  return ones("weft_eye", false, out, context, dtype, rows, params);
}

weft_status weft__tri_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t rows,
                         const weft_eye_params *params) {
  return ones("weft_tri", true, out, context, dtype, rows, params);
}
