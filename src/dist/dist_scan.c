// SPDX-License-Identifier: MIT
/// Running sums whose grouping depends on the elements' positions alone: totals of leaves, running totals of these, and
/// the running totals in each leaf with what stands before it. Each element is read twice and written once; the
/// elements need be moved only where a rank's share does not begin with a leaf. Every rank collects the leaves' totals.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"
#include "dist/dist_fold.h"

/* Leaves of totals: rows of one element, and of several, in which a work-item does a column. */
enum { LONG_LEAF = 65536, SHORT_LEAF = 256 };
/* Rows up to this many elements are leaves as they are. */
#define MOST_ROW ((int64_t)1 << 20)

/// How elements are combined.
typedef struct scan_op {
  const char *function;
  weft__dist_combine combine;
  const char *call, *operator_; /* as in weft__dist_fold_op */
  bool is_wide;                 /* floats are combined in f64, narrow integers in wide ones */
} scan_op;

typedef struct scan {
  weft_dist *grid;
  const scan_op *op;
  weft_dtype work, result;
  const char *site;
} scan;

/// Rows as two axes: the rows, and all others as one.
static weft_status flatten(weft_array **out, const weft_array *rows, const char *site) {
  const int64_t n = weft_array_length(rows, 0);
  int64_t others = 1;
  for (int d = 1; d < weft_array_ndim(rows); d++) others *= weft_array_length(rows, d);
  return weft__reshape_at(out, rows, WEFT_SHAPE(n, others), site);
}

/// The total of each leaf of rows by others.
static weft_status leaf_totals(weft_array **out, const weft_array *rows, int64_t leaf, const scan *s) {
  const weft__dist_fold_op op = {s->work, s->op->call, s->op->operator_, s->op->combine, WEFT_DTYPE_NONE};
  return weft__dist_fold_leaves(out, s->grid, rows, leaf, op, s->site);
}

/// What stands before `leaves` leaves from number `first` on. `running`: of all leaves, these included. Nothing stands
/// before leaf 0, which gets any value.
static weft_status before_leaves(weft_array **out, const weft_array *running, int64_t first, int64_t leaves,
                                 const scan *s) {
  const weft_slice_params at = {.site = s->site};
  weft_array *part[2] = {NULL};
  weft_status rc;
  if (first > 0) return weft__slice_at(out, running, weft__axes_int(0), first - 1, first - 1 + leaves, &at);
  WEFT__TRY(weft__slice_at(&part[0], running, weft__axes_int(0), 0, 1, &at));
  WEFT__TRY(weft__slice_at(&part[1], running, weft__axes_int(0), 0, leaves - 1, &at));
  rc = weft__concatenate_at(weft__operand_result(out), part, 2, weft__axes_int(0), s->site);
done:
  weft_release(&part[0], &part[1]);
  return rc;
}

/// The running totals of rows by others along the rows, in the dtype `result`.
static weft_status scan_rows(weft_array **out, const weft_array *rows, int64_t leaf, weft_dtype result, const scan *s) {
  const int64_t n = weft_array_length(rows, 0), leaves = (n + leaf - 1) / leaf;
  const weft__dist_leaf_kind kind = {s->op->combine, s->work, result};
  weft_array *totals = NULL, *running = NULL, *before = NULL;
  weft_status rc;
  if (leaves <= 1) return weft__dist_leaf_scan(out, s->grid, rows, NULL, WEFT__DIST_BEFORE_NONE, leaf, kind, s->site);
  WEFT__TRY(leaf_totals(&totals, rows, leaf, s));
  WEFT__TRY(scan_rows(&running, totals, weft_array_length(rows, 1) == 1 ? LONG_LEAF : SHORT_LEAF, s->work, s));
  WEFT__TRY(before_leaves(&before, running, 0, leaves, s));
  rc = weft__dist_leaf_scan(out, s->grid, rows, before, WEFT__DIST_BEFORE_LATER, leaf, kind, s->site);
done:
  weft_release(&totals, &running, &before);
  return rc;
}

/// Of rows that begin and end with leaves.
static weft_status scan_aligned(weft_array **out, weft_dist *grid, const weft__dist_call *call, const scan *s,
                                const weft_array *aligned, int64_t first_leaf, int64_t leaf, weft_status rc) {
  weft_array *totals = NULL, *all = NULL, *running = NULL, *before = NULL;
  const int64_t leaves = rc ? 0 : (weft_array_length(aligned, 0) + leaf - 1) / leaf;
  if (!rc) rc = leaf_totals(&totals, aligned, leaf, s);
  WEFT__TRY(weft__dist_collect(&all, grid, call, totals, rc));
  if (leaves == 0) {
    rc = weft__empty_at(out, grid->context, s->result, weft_array_shape(aligned), s->site);
    goto done;
  }
  WEFT__TRY(scan_rows(&running, all, weft_array_length(all, 1) == 1 ? LONG_LEAF : SHORT_LEAF, s->work, s));
  WEFT__TRY(before_leaves(&before, running, first_leaf, leaves, s));
  rc = weft__dist_leaf_scan(out, s->grid, aligned, before,
                            first_leaf > 0 ? WEFT__DIST_BEFORE_ALL : WEFT__DIST_BEFORE_LATER, leaf,
                            (weft__dist_leaf_kind){s->op->combine, s->work, s->result}, s->site);
done:
  weft_release(&totals, &all, &running, &before);
  return rc;
}

/// Running totals of rows by others in the shape of the result.
static weft_status shape_result(weft_array **out, const weft_array *sums, const weft_dist_array *x, int axis,
                                const char *site) {
  weft_array *shaped = NULL;
  weft_shape shape = weft_array_shape(x->local);
  const int64_t length = shape.dim[axis];
  weft_status rc;
  memmove(shape.dim + 1, shape.dim, (size_t)axis * sizeof shape.dim[0]);
  shape.dim[0] = length;
  WEFT__TRY(weft__reshape_at(&shaped, sums, shape, site));
  rc = weft__dist_turn(out, shaped, 0, axis, site);
done:
  weft_array_release(&shaped);
  return rc;
}

static weft_status scan_split(weft_array **out, const weft_dist_array *x, const weft__dist_call *call, const scan *s) {
  weft_dist *grid = x->grid;
  const int64_t n = x->shape.dim[x->axis], leaf = weft__dist_leaf(x->shape, x->axis, INT64_MAX);
  const bool is_aligned = weft__dist_is_aligned(grid, n, leaf);
  int64_t *shares = weft__dist_shares(grid, n), *aligned_shares = weft__dist_leaf_shares(grid, n, leaf);
  weft_array *rows = NULL, *flat = NULL, *aligned = NULL, *scanned = NULL, *moved = NULL;
  weft_status rc =
      shares && aligned_shares ? weft__dist_turn(&rows, x->local, x->axis, 0, call->site) : WEFT_ERROR_HOST_MEMORY;
  if (!rc) rc = flatten(&flat, rows, call->site);
  if (!is_aligned)
    WEFT__TRY(weft__dist_move(&aligned, grid, call, flat, shares, aligned_shares, rc));
  else if (!rc)
    aligned = weft_array_retain(flat);
  const int64_t first = rc ? 0 : aligned_shares[grid->rank];
  rc = scan_aligned(&scanned, grid, call, s, aligned, first / leaf, leaf, rc);
  if (!is_aligned) WEFT__TRY(weft__dist_move(&moved, grid, call, scanned, aligned_shares, shares, rc));
  if (!rc) rc = shape_result(out, moved ? moved : scanned, x, x->axis, call->site);
done:
  free(shares);
  free(aligned_shares);
  weft_release(&rows, &flat, &aligned, &scanned, &moved);
  return rc;
}

/// Along an axis that is not split.
static weft_status scan_local(weft_array **out, const weft_dist_array *x, int axis, const scan *s) {
  const int64_t n = x->shape.dim[axis];
  weft_array *rows = NULL, *flat = NULL, *scanned = NULL;
  weft_status rc;
  if (axis == x->shape.ndim - 1 && n > 0 && n <= MOST_ROW) { /* each row is a leaf */
    WEFT__TRY(weft__reshape_at(&flat, x->local, WEFT_SHAPE(weft_array_size(x->local), 1), s->site));
    WEFT__TRY(weft__dist_leaf_scan(&scanned, s->grid, flat, NULL, WEFT__DIST_BEFORE_NONE, n,
                                   (weft__dist_leaf_kind){s->op->combine, s->work, s->result}, s->site));
    rc = weft__reshape_at(out, scanned, weft_array_shape(x->local), s->site);
  } else {
    WEFT__TRY(weft__dist_turn(&rows, x->local, axis, 0, s->site));
    WEFT__TRY(flatten(&flat, rows, s->site));
    WEFT__TRY(scan_rows(&scanned, flat, weft__dist_leaf(x->shape, axis, INT64_MAX), s->result, s));
    rc = shape_result(out, scanned, x, axis, s->site);
  }
done:
  weft_release(&rows, &flat, &scanned);
  return rc;
}

/* ---- exclusive scans ---- */

/// What stands before the first row, in the shape of `row`, one row along the axis.
static weft_status neutral_row(weft_array **out, const weft_array *row, int axis, const scan *s) {
  const weft_scan_params exclusive = {.exclusive = true, .site = s->site};
  switch (s->op->combine) {
    case WEFT__DIST_SUM:
      return (weft_cumsum)(out, row, weft__axes_int(axis), &exclusive);
    case WEFT__DIST_PROD:
      return (weft_cumprod)(out, row, weft__axes_int(axis), &exclusive);
    case WEFT__DIST_MAX:
      return (weft_cummax)(out, row, weft__axes_int(axis), &exclusive);
    default:
      return (weft_cummin)(out, row, weft__axes_int(axis), &exclusive);
  }
}

/// The last running total of the ranks before this one, if the axis is split and there is one: one row or none.
static weft_status total_before(weft_array **before, const weft_dist_array *x, const weft__dist_call *call,
                                const weft_array *scanned, weft_status rc) {
  weft_array *rows = NULL, *row = NULL;
  if (!rc) rc = weft__dist_turn(&rows, scanned, x->axis, 0, call->site);
  WEFT__TRY(weft__dist_row_before(&row, x->grid, call, rows, x->shape.dim[x->axis], rc));
  rc = weft__dist_turn(before, row, 0, x->axis, call->site);
done:
  weft_release(&rows, &row);
  return rc;
}

/// Moves running totals by one row: element i gets what stands before it.
static weft_status shift(weft_array **out, const weft_dist_array *x, int axis, const weft__dist_call *call,
                         const scan *s, weft_array *scanned, weft_status rc) {
  const weft_slice_params at = {.site = s->site};
  const int64_t n = weft_array_length(x->local, axis);
  weft_array *part[2] = {NULL}, *first = NULL;
  if (axis == x->axis) WEFT__TRY(total_before(&part[0], x, call, scanned, rc));
  WEFT__TRY(rc);
  if (n == 0) {
    *out = weft_array_retain(scanned);
    goto done;
  }
  if (!part[0] || weft_array_length(part[0], axis) == 0) {
    weft_array_release(&part[0]);
    WEFT__TRY(weft__slice_at(&first, scanned, weft__axes_int(axis), 0, 1, &at));
    WEFT__TRY(neutral_row(&part[0], first, axis, s));
  }
  WEFT__TRY(weft__slice_at(&part[1], scanned, weft__axes_int(axis), 0, n - 1, &at));
  rc = weft__concatenate_at(weft__operand_result(out), part, 2, weft__axes_int(axis), s->site);
done:
  weft_release(&part[0], &part[1], &first);
  return rc;
}

/* ---- the calls ---- */

static weft_status run_scan(weft_dist_array **out, const weft_dist_array *x, weft_axes axes, const scan_op *op,
                            const weft_dist_scan_params *params) {
  const weft_dist_scan_params options = params ? *params : (weft_dist_scan_params){0};
  const char *site = options.site;
  weft_array *local = NULL, *shifted = NULL;
  int axis;
  weft_status rc;
  weft__dist_enter(op->function, site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(weft__dist_one_axis(&axis, axes, x->shape));
  if (axis == WEFT_DIST_WHOLE && x->shape.ndim == 1) axis = 0;
  if (axis == WEFT_DIST_WHOLE)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_AXIS, "axis",
                              "`axis` is WEFT_ALL_AXES and the array has %d axes; expected one", x->shape.ndim));
  const weft_dtype dtype = weft_array_dtype(x->local);
  const char kind = weft_dtype_kind(dtype);
  const bool keeps = kind == 'f' || kind == 'c' || !op->is_wide;
  const weft_dtype result = keeps ? dtype : kind == 'u' ? WEFT_U64 : WEFT_I64;
  const weft_dtype work = !op->is_wide ? dtype : kind == 'f' ? WEFT_F64 : kind == 'c' ? WEFT_C128 : result;
  const scan s = {x->grid, op, work, result, site};
  weft__dist_call call = weft__dist_call_of(op->function, site, x);
  call.numbers[1] = axis;
  call.numbers[2] = options.exclusive;
  rc = axis == x->axis ? scan_split(&local, x, &call, &s) : scan_local(&local, x, axis, &s);
  if (options.exclusive) rc = shift(&shifted, x, axis, &call, &s, local, rc);
  rc = weft__dist_finish(out, x->grid, &call, x->shape, x->axis, options.exclusive ? &shifted : &local, rc);
done:
  weft_release(&local, &shifted);
  return weft__dist_leave(rc);
}

weft_status weft__dist_cumsum_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                 const weft_dist_scan_params *params) {
  static const scan_op op = {"weft_dist_cumsum", WEFT__DIST_SUM, NULL, " + ", true};
  return run_scan(out, x, axis, &op, params);
}

weft_status weft__dist_cumprod_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                  const weft_dist_scan_params *params) {
  static const scan_op op = {"weft_dist_cumprod", WEFT__DIST_PROD, NULL, " * ", true};
  return run_scan(out, x, axis, &op, params);
}

weft_status weft__dist_cummax_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                 const weft_dist_scan_params *params) {
  static const scan_op op = {"weft_dist_cummax", WEFT__DIST_MAX, "maximum", NULL, false};
  return run_scan(out, x, axis, &op, params);
}

weft_status weft__dist_cummin_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                 const weft_dist_scan_params *params) {
  static const scan_op op = {"weft_dist_cummin", WEFT__DIST_MIN, "minimum", NULL, false};
  return run_scan(out, x, axis, &op, params);
}
