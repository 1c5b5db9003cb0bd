// SPDX-License-Identifier: MIT
/// Running sums whose grouping depends on the elements' positions alone: blocks of four, of these blocks of four, ...
///
/// A level writes the running sums of each block of four elements, adds up the blocks in this way too, and adds to each
/// block what stands before it. Across ranks the blocks are leaves (dist/dist_fold.h), whose sums every rank collects.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"
#include "dist/dist_fold.h"

enum { BLOCK = 4 };

/// How elements are combined.
typedef struct scan_op {
  const char *function;
  const char *text;     /* the running results of four elements */
  weft_pad_mode behind; /* what may stand behind the last row without a change of results before it */
  double neutral;       /* WEFT_PAD_CONSTANT: this */
  weft_ufunc_id combine;
  bool is_wide; /* floats are combined in f64, narrow integers in wide ones */
} scan_op;

typedef struct scan {
  const scan_op *op;
  const char *site;
} scan;

/// Rows with further ones behind them, until their number is a multiple of `unit`; with no rows, none.
static weft_status pad(weft_array **out, const weft_array *x, int64_t unit, const scan *s) {
  weft_shape before = weft_array_shape(x), after;
  const int64_t missing = (unit - before.dim[0] % unit) % unit;
  for (int d = 0; d < before.ndim; d++) before.dim[d] = 0;
  after = before;
  after.dim[0] = missing;
  if (missing == 0) return weft__copy_at(out, x, &(weft_copy_params){.site = s->site});
  weft_pad_params params = {.mode = s->op->behind, .site = s->site};
  if (params.mode == WEFT_PAD_CONSTANT) params.value = WEFT_SCALAR(s->op->neutral);
  return weft__pad_at(weft__operand_result(out), weft__operand_const_array(x), before, after, &params);
}

/// x, of blocks by 4 by others, becomes the running sums of each block; the last ones are its sum.
static weft_status scan_blocks(weft_array *x, const scan *s) {
  static const char *const result_names[BLOCK] = {"s0", "s1", "s2", "s3"}, *const names[BLOCK] = {"a", "b", "c", "d"};
  weft_array *column[BLOCK] = {NULL};
  weft_operand list[2 * BLOCK];
  weft_status rc;
  for (int k = 0; k < BLOCK; k++) {
    WEFT__TRY(weft__pick_at(&column[k], x, weft__axes_int(1), k, s->site));
    list[k] = weft__operand_named(result_names[k], weft__operand_result(&column[k]));
    list[BLOCK + k] = weft__operand_named(names[k], weft__operand_array(column[k]));
  }
  rc = weft__eval_all_at(weft_array_context(x), s->op->text, 2 * BLOCK, list, s->site);
done:
  for (int k = 0; k < BLOCK; k++) weft_array_release(&column[k]);
  return rc;
}

/// Combines what stands before with each element, in place.
static weft_status combine(weft_array **later, const weft_array *before, const scan *s) {
  const weft_operand list[] = {weft__operand_result(later), weft__operand_const_array(before),
                               weft__operand_array(*later)};
  return weft__ufunc_apply_at(s->op->combine, 3, list, s->site);
}

/// Adds to all blocks but the first what `sums` has for the block before.
static weft_status add_before(weft_array *blocks, const weft_array *sums, const scan *s) {
  const int64_t count = weft_array_length(blocks, 0);
  const weft_slice_params at = {.site = s->site};
  weft_array *later = NULL, *before = NULL, *column = NULL;
  weft_status rc;
  WEFT__TRY(weft__slice_at(&later, blocks, weft__axes_int(0), 1, count, &at));
  WEFT__TRY(weft__slice_at(&before, sums, weft__axes_int(0), 0, count - 1, &at));
  WEFT__TRY(weft__expand_at(&column, before, weft__axes_int(1), s->site));
  rc = combine(&later, column, s);
done:
  weft_release(&later, &before, &column);
  return rc;
}

/// x, of rows by others, becomes its running sums along the rows.
static weft_status scan_rows(weft_array **out, const weft_array *x, const scan *s) {
  const int64_t n = weft_array_length(x, 0), others = n ? weft_array_size(x) / n : 0;
  const weft_slice_params at = {.site = s->site};
  weft_array *padded = NULL, *blocks = NULL, *sums = NULL, *scanned = NULL, *part = NULL;
  weft_status rc;
  if (n <= 1 || others == 0) return weft__copy_at(out, x, &(weft_copy_params){.site = s->site});
  WEFT__TRY(pad(&padded, x, BLOCK, s));
  WEFT__TRY(weft__reshape_at(&blocks, padded, WEFT_SHAPE((n + BLOCK - 1) / BLOCK, BLOCK, others), s->site));
  WEFT__TRY(scan_blocks(blocks, s));
  if (weft_array_length(blocks, 0) > 1) {
    WEFT__TRY(weft__pick_at(&sums, blocks, weft__axes_int(1), BLOCK - 1, s->site));
    WEFT__TRY(scan_rows(&scanned, sums, s));
    WEFT__TRY(add_before(blocks, scanned, s));
  }
  WEFT__TRY(weft__slice_at(&part, padded, weft__axes_int(0), 0, n, &at));
  rc = weft__copy_at(out, part, &(weft_copy_params){.site = s->site});
done:
  weft_release(&padded, &blocks, &sums, &scanned, &part);
  return rc;
}

/// Rows as two axes: the rows, and all others as one. Cast to the sum's dtype.
static weft_status flatten(weft_array **out, const weft_array *rows, weft_dtype work, const char *site) {
  const int64_t n = weft_array_length(rows, 0);
  weft_array *cast = NULL;
  int64_t others = 1;
  for (int d = 1; d < weft_array_ndim(rows); d++) others *= weft_array_length(rows, d);
  weft_status rc;
  WEFT__TRY(weft__cast_at(&cast, rows, work, site));
  rc = weft__reshape_at(out, cast, WEFT_SHAPE(n, others), site);
done:
  weft_array_release(&cast);
  return rc;
}

/// The running sums of leaves, each for itself, and the sum of each leaf.
static weft_status scan_leaves(weft_array **scanned, weft_array **sums, const weft_array *rows, int64_t leaf,
                               const scan *s) {
  const int64_t n = weft_array_length(rows, 0), others = weft_array_length(rows, 1);
  const int64_t leaves = (n + leaf - 1) / leaf;
  weft_array *padded = NULL, *blocks = NULL, *turned = NULL, *run = NULL, *back = NULL, *last = NULL;
  weft_status rc;
  WEFT__TRY(pad(&padded, rows, leaf, s));
  /* the leaves side by side, so that one scan of `leaf` rows does them all */
  WEFT__TRY(weft__reshape_at(&blocks, padded, WEFT_SHAPE(leaves, leaf, others), s->site));
  WEFT__TRY(weft__dist_turn(&turned, blocks, 1, 0, s->site));
  weft_array_release(&blocks);
  WEFT__TRY(weft__reshape_at(&blocks, turned, WEFT_SHAPE(leaf, leaves * others), s->site));
  WEFT__TRY(scan_rows(&run, blocks, s));
  weft_array_release(&turned);
  WEFT__TRY(weft__reshape_at(&turned, run, WEFT_SHAPE(leaf, leaves, others), s->site));
  WEFT__TRY(weft__pick_at(&last, turned, weft__axes_int(0), leaf - 1, s->site));
  WEFT__TRY(weft__copy_at(sums, last, &(weft_copy_params){.site = s->site}));
  rc = weft__dist_turn(scanned, turned, 0, 1, s->site);
done:
  weft_release(&padded, &blocks, &turned, &run, &back, &last);
  return rc;
}

/// Of rows that begin and end with leaves. `out`: leaves x rows of a leaf x others, with what stands before each leaf.
static weft_status scan_aligned(weft_array **out, weft_dist *grid, const weft__dist_call *call, const scan *s,
                                const weft_array *aligned, int64_t first_leaf, int64_t leaf, weft_status rc) {
  weft_array *scanned = NULL, *sums = NULL, *all = NULL, *whole = NULL, *before = NULL, *column = NULL;
  const weft_slice_params at = {.site = call->site};
  if (!rc) rc = scan_leaves(&scanned, &sums, aligned, leaf, s);
  WEFT__TRY(weft__dist_collect(&all, grid, call, sums, rc));
  const int64_t leaves = weft_array_length(scanned, 0), skipped = first_leaf == 0 ? 1 : 0;
  if (leaves > skipped) {
    weft_array *later = NULL;
    WEFT__TRY(scan_rows(&whole, all, s));
    WEFT__TRY(
        weft__slice_at(&before, whole, weft__axes_int(0), first_leaf - 1 + skipped, first_leaf - 1 + leaves, &at));
    WEFT__TRY(weft__expand_at(&column, before, weft__axes_int(1), call->site));
    WEFT__TRY(weft__slice_at(&later, scanned, weft__axes_int(0), skipped, leaves, &at));
    rc = combine(&later, column, s);
    weft_array_release(&later);
    if (rc) goto done;
  }
  *out = scanned;
  scanned = NULL;
  rc = WEFT_OK;
done:
  weft_release(&scanned, &sums, &all, &whole, &before, &column);
  return rc;
}

static weft_status scan_split(weft_array **out, const weft_dist_array *x, weft_dtype work, const weft__dist_call *call,
                              const scan *s) {
  weft_dist *grid = x->grid;
  const int64_t n = x->shape.dim[x->axis], leaf = weft__dist_leaf(x->shape, x->axis);
  const bool is_aligned = weft__dist_is_aligned(grid, n, leaf);
  int64_t *shares = weft__dist_shares(grid, n), *aligned_shares = weft__dist_leaf_shares(grid, n, leaf);
  weft_array *rows = NULL, *flat = NULL, *aligned = NULL, *scanned = NULL, *part = NULL, *two = NULL;
  weft_status rc =
      shares && aligned_shares ? weft__dist_turn(&rows, x->local, x->axis, 0, call->site) : WEFT_ERROR_HOST_MEMORY;
  if (!rc) rc = flatten(&flat, rows, work, call->site);
  if (!is_aligned)
    WEFT__TRY(weft__dist_move(&aligned, grid, call, flat, shares, aligned_shares, rc));
  else if (!rc)
    aligned = weft_array_retain(flat);
  const int64_t first = rc ? 0 : aligned_shares[grid->rank], own = rc ? 0 : aligned_shares[grid->rank + 1] - first;
  rc = scan_aligned(&scanned, grid, call, s, aligned, first / leaf, leaf, rc);
  const int64_t others = weft_array_length(flat, 1), padded = weft_array_length(scanned, 0) * leaf;
  if (!rc) rc = weft__reshape_at(&two, scanned, WEFT_SHAPE(padded, others), call->site);
  if (!rc) rc = weft__slice_at(&part, two, weft__axes_int(0), 0, own, &(weft_slice_params){.site = call->site});
  if (!is_aligned)
    WEFT__TRY(weft__dist_move(out, grid, call, part, aligned_shares, shares, rc));
  else if (!rc)
    *out = weft_array_retain(part);
done:
  free(shares);
  free(aligned_shares);
  weft_release(&rows, &flat, &aligned, &scanned, &part, &two);
  return rc;
}

/// Along an axis that is not split.
static weft_status scan_local(weft_array **out, const weft_dist_array *x, int axis, weft_dtype work, const scan *s) {
  weft_array *rows = NULL, *flat = NULL;
  weft_status rc;
  WEFT__TRY(weft__dist_turn(&rows, x->local, axis, 0, s->site));
  WEFT__TRY(flatten(&flat, rows, work, s->site));
  rc = scan_rows(out, flat, s);
done:
  weft_release(&rows, &flat);
  return rc;
}

/// Sums of rows by others, in the shape and dtype of the result.
static weft_status finish_local(weft_array **out, const weft_array *sums, const weft_dist_array *x, int axis,
                                weft_dtype result, const char *site) {
  weft_array *shaped = NULL, *back = NULL;
  weft_shape shape = weft_array_shape(x->local);
  const int64_t length = shape.dim[axis];
  weft_status rc;
  memmove(shape.dim + 1, shape.dim, (size_t)axis * sizeof shape.dim[0]);
  shape.dim[0] = length;
  WEFT__TRY(weft__reshape_at(&shaped, sums, shape, site));
  WEFT__TRY(weft__dist_turn(&back, shaped, 0, axis, site));
  rc = weft__cast_at(out, back, result, site);
done:
  weft_release(&shaped, &back);
  return rc;
}

static weft_status run_scan(weft_dist_array **out, const weft_dist_array *x, weft_axes axes, const scan_op *op,
                            const char *site) {
  const scan s = {op, site};
  weft_array *sums = NULL, *local = NULL;
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
  weft__dist_call call = weft__dist_call_of(op->function, site, x);
  call.numbers[1] = axis;
  rc = axis == x->axis ? scan_split(&sums, x, work, &call, &s) : scan_local(&sums, x, axis, work, &s);
  if (!rc) rc = finish_local(&local, sums, x, axis, result, site);
  rc = weft__dist_finish(out, x->grid, &call, x->shape, x->axis, &local, rc);
done:
  weft_release(&sums, &local);
  return weft__dist_leave(rc);
}

weft_status weft__dist_cumsum_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis, const char *site) {
  static const scan_op op = {"weft_dist_cumsum", "s0 = a; s1 = a + b; s2 = a + b + c; s3 = a + b + c + d",
                             WEFT_PAD_CONSTANT,  0,
                             WEFT_UFUNC_ADD,     true};
  return run_scan(out, x, axis, &op, site);
}

weft_status weft__dist_cumprod_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis, const char *site) {
  static const scan_op op = {"weft_dist_cumprod", "s0 = a; s1 = a * b; s2 = a * b * c; s3 = a * b * c * d",
                             WEFT_PAD_CONSTANT,   1,
                             WEFT_UFUNC_MULTIPLY, true};
  return run_scan(out, x, axis, &op, site);
}

weft_status weft__dist_cummax_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis, const char *site) {
  static const scan_op op = {
      "weft_dist_cummax",
      "s0 = a; s1 = maximum(a, b); s2 = maximum(maximum(a, b), c); s3 = maximum(maximum(a, b), maximum(c, d))",
      WEFT_PAD_EDGE,
      0,
      WEFT_UFUNC_MAXIMUM,
      false};
  return run_scan(out, x, axis, &op, site);
}

weft_status weft__dist_cummin_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis, const char *site) {
  static const scan_op op = {
      "weft_dist_cummin",
      "s0 = a; s1 = minimum(a, b); s2 = minimum(minimum(a, b), c); s3 = minimum(minimum(a, b), minimum(c, d))",
      WEFT_PAD_EDGE,
      0,
      WEFT_UFUNC_MINIMUM,
      false};
  return run_scan(out, x, axis, &op, site);
}
