// SPDX-License-Identifier: MIT
#include "dist/dist_fold.h"
#include "dist/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAN = 8, TEXT_BYTES = 420 };
/* Elements of a leaf, about: a leaf's fragment moves to another rank where ranks meet. */
#define LEAF_ELEMENTS ((int64_t)1 << 16)
/* What every rank gets of a sum: the results of this number of leaves at most. */
#define MOST_LEAVES 2048
/* Rows of at least this length may be divided by columns; with more than these ranks they are, as the leaves' results
   are many. */
enum { WIDE_ELEMENTS = 4096, FEW_RANKS = 8 };

/// Appends the combination of the variables from `first` on, in halves.
static int write_tree(char *text, int used, weft__dist_fold_op op, const char *cast, int first, int count) {
#define ADD(...) used += snprintf(text + used, (size_t)(TEXT_BYTES - used), __VA_ARGS__)
  if (count == 1) {
    ADD("%s(v%d)", cast, first);
    return used;
  }
  const int half = (count + 1) / 2;
  ADD(op.call ? "%s(" : "(", op.call);
  used = write_tree(text, used, op, cast, first, half);
  ADD("%s", op.call ? ", " : op.operator_);
  used = write_tree(text, used, op, cast, first + half, count - half);
  ADD(")");
#undef ADD
  return used;
}

/// to = the combination of `count` arrays of its shape.
static weft_status fold_list(weft_array *to, weft_array *const *part, int count, weft__dist_fold_op op,
                             const char *site) {
  static const char *const names[FAN] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"};
  const weft_dtype result = weft_array_dtype(to);
  char text[TEXT_BYTES];
  weft_operand operand[FAN];
  int used = result == op.dtype ? 0 : snprintf(text, sizeof text, "%s(", weft_dtype_name(result));
  const bool is_cast = used > 0;
  used = write_tree(text, used, op, weft_dtype_name(op.dtype), 0, count);
  if (is_cast) snprintf(text + used, sizeof text - (size_t)used, ")");
  for (int k = 0; k < count; k++) operand[k] = weft__operand_named(names[k], weft__operand_array(part[k]));
  return weft__eval_at(weft__operand_result(&to), weft_array_context(to), text, count, operand, site);
}

/// One level.
typedef struct level {
  const weft_array *x;
  weft_array *to;
  int axis;
  weft__dist_fold_op op;
  int64_t h; /* elements of `to` along the axis */
  const char *site;
} level;

/// to[.. from + i ..] = the combination of x[.. k h + from + i ..] for k below `count`, for i below `length`.
static weft_status fold_part(const level *l, int64_t from, int64_t length, int count) {
  weft_array *part[FAN] = {NULL}, *into = NULL;
  weft_status rc = WEFT_OK;
  const weft_slice_params at = {.site = l->site};
  if (length == 0) return WEFT_OK;
  for (int k = 0; k < count; k++)
    WEFT__TRY(weft__slice_at(&part[k], l->x, weft__axes_int(l->axis), k * l->h + from, k * l->h + from + length, &at));
  WEFT__TRY(weft__slice_at(&into, l->to, weft__axes_int(l->axis), from, from + length, &at));
  rc = fold_list(into, part, count, l->op, l->site);
done:
  for (int k = 0; k < count; k++) weft_array_release(&part[k]);
  weft_array_release(&into);
  return rc;
}

static weft_dtype result_of(weft__dist_fold_op op) {
  return op.result ? op.result : op.dtype;
}

/// weft__dist_fold to another dtype.
static weft_status fold_to(weft_array **out, const weft_array *x, int axis, weft__dist_fold_op op, weft_dtype result,
                           const char *site) {
  weft_array *run = NULL, *next = NULL;
  weft_status rc;
  if (weft_array_length(x, axis) == 1) return weft__cast_at(out, x, result, site);
  while (weft_array_length(run ? run : x, axis) > 1) {
    const weft_array *from = run ? run : x;
    const int64_t m = weft_array_length(from, axis), h = (m + FAN - 1) / FAN;
    const int count = (int)((m + h - 1) / h);
    const int64_t full = m - (count - 1) * h; /* elements with `count` summands; the others have one less */
    weft_shape shape = weft_array_shape(from);
    shape.dim[axis] = h;
    WEFT__TRY(weft__empty_at(&next, weft_array_context(x), h == 1 ? result : op.dtype, shape, site));
    const level l = {from, next, axis, op, h, site};
    WEFT__TRY(fold_part(&l, 0, full, count));
    WEFT__TRY(fold_part(&l, full, h - full, count - 1));
    weft_array_release(&run);
    run = next;
    next = NULL;
  }
  *out = run;
  run = NULL;
  rc = WEFT_OK;
done:
  weft_release(&run, &next);
  return rc;
}

weft_status weft__dist_fold(weft_array **out, const weft_array *x, int axis, weft__dist_fold_op op, const char *site) {
  return fold_to(out, x, axis, op, op.dtype, site);
}

/* ---- across ranks ---- */

int64_t weft__dist_leaf(weft_shape shape, int axis, int64_t most) {
  int64_t others = 1, leaf = 16;
  for (int d = 0; d < shape.ndim; d++)
    if (d != axis && shape.dim[d] > 0)
      others = others > LEAF_ELEMENTS / shape.dim[d] ? LEAF_ELEMENTS : others * shape.dim[d];
  while (leaf * 4 * others <= LEAF_ELEMENTS) leaf *= 4;
  while (shape.dim[axis] / leaf > most) leaf *= 4;
  return leaf;
}

int64_t *weft__dist_leaf_shares(const weft_dist *grid, int64_t n, int64_t leaf) {
  int64_t *first = weft__dist_shares(grid, n);
  for (int r = 1; r < grid->ranks && first; r++) { /* a leaf belongs to the rank that has its first row */
    first[r] = (first[r] + leaf - 1) / leaf * leaf;
    if (first[r] > n) first[r] = n;
  }
  return first;
}

bool weft__dist_is_aligned(const weft_dist *grid, int64_t n, int64_t leaf) {
  for (int r = 1; r < grid->ranks; r++) {
    const int64_t first = weft__dist_first(grid, n, r);
    if (first % leaf != 0 && first != n) return false;
  }
  return true;
}

/// Of one element to a row: blocks of LEAF_ELEMENTS first, then the blocks of each leaf. Leaves begin with row `first`.
static weft_status fold_elements(weft_array **out, weft_dist *grid, const weft_array *rows, int64_t first, int64_t leaf,
                                 weft__dist_fold_op op, weft_dtype result, const char *site) {
  const int64_t n = weft_array_length(rows, 0) - first, block = leaf < LEAF_ELEMENTS ? leaf : LEAF_ELEMENTS;
  weft__dist_leaf_kind kind = {op.combine, op.dtype, leaf > block ? op.dtype : result};
  weft_array *blocks = NULL, *totals = NULL;
  weft_shape shape = weft_array_shape(rows);
  weft_status rc;
  WEFT__TRY(weft__dist_leaf_totals(&blocks, grid, rows, first, n, block, kind, site));
  const int64_t count = weft_array_size(blocks);
  kind.result = result;
  if (leaf > block)
    WEFT__TRY(weft__dist_leaf_totals(&totals, grid, blocks, 0, count, leaf / block, kind, site));
  else
    totals = weft_array_retain(blocks);
  shape.dim[0] = weft_array_size(totals);
  rc = weft__reshape_at(out, totals, shape, site);
done:
  weft_release(&blocks, &totals);
  return rc;
}

weft_status weft__dist_fold_leaves(weft_array **out, weft_dist *grid, const weft_array *rows, int64_t leaf,
                                   weft__dist_fold_op op, const char *site) {
  const int64_t n = weft_array_length(rows, 0), whole = n / leaf;
  const weft_shape shape = weft_array_shape(rows);
  weft_array *part = NULL, *leaves = NULL, *folded = NULL, *flat[2] = {NULL}, *last = NULL, *rest = NULL;
  const weft_slice_params at = {.site = site};
  weft_shape one = shape;
  weft_status rc;
  int parts = 0;
  if (weft_array_size(rows) == n) return fold_elements(out, grid, rows, 0, leaf, op, op.dtype, site);
  one.dim[0] = whole;
  WEFT__TRY(weft__slice_at(&part, rows, weft__axes_int(0), 0, whole * leaf, &at));
  /* two axes: leaves and rows of a leaf; the other axes as one */
  int64_t others = 1;
  for (int d = 1; d < shape.ndim; d++) others *= shape.dim[d];
  WEFT__TRY(weft__reshape_at(&leaves, part, WEFT_SHAPE(whole, leaf, others), site));
  if (whole > 0 && others > 0) {
    WEFT__TRY(weft__dist_fold(&folded, leaves, 1, op, site));
    WEFT__TRY(weft__reshape_at(&flat[parts], folded, one, site));
    parts++;
  }
  if (n > whole * leaf && others > 0) {
    WEFT__TRY(weft__slice_at(&rest, rows, weft__axes_int(0), whole * leaf, n, &at));
    WEFT__TRY(weft__dist_fold(&last, rest, 0, op, site));
    flat[parts++] = last;
    last = NULL;
  }
  if (parts == 0) {
    one.dim[0] = (n + leaf - 1) / leaf;
    rc = weft__empty_at(out, weft_array_context(rows), op.dtype, one, site);
  } else {
    rc = weft__concatenate_at(weft__operand_result(out), flat, parts, weft__axes_int(0), site);
  }
done:
  weft_release(&part, &leaves, &folded, &flat[0], &flat[1], &last, &rest);
  return rc;
}

/// Folds rows to one.
static weft_status fold_all(weft_array **out, weft_dist *grid, const weft_array *rows, weft__dist_fold_op op,
                            const char *site) {
  weft_array *run = weft_array_retain((weft_array *)rows), *next = NULL;
  weft_status rc = WEFT_OK;
  if (weft_array_size(rows) != weft_array_length(rows, 0)) {
    rc = fold_to(out, rows, 0, op, result_of(op), site);
    goto done;
  }
  while (weft_array_length(run, 0) > 1) {
    const bool is_last = weft_array_length(run, 0) <= LEAF_ELEMENTS;
    WEFT__TRY(fold_elements(&next, grid, run, 0, LEAF_ELEMENTS, op, is_last ? result_of(op) : op.dtype, site));
    weft_array_release(&run);
    run = next;
    next = NULL;
  }
  *out = run;
  run = NULL;
done:
  weft_array_release(&run);
  return rc;
}

/// Whether each rank should fold some columns of all rows, rather than all columns of its rows.
static bool folds_columns(const weft_dist *grid, weft_shape shape, int axis, int64_t leaf) {
  int64_t others = 1;
  for (int d = 0; d < shape.ndim; d++) others *= d == axis ? 1 : shape.dim[d];
  const bool few = shape.dim[axis] / leaf < grid->ranks || grid->ranks > FEW_RANKS;
  return grid->ranks > 1 && shape.dim[axis] > 0 && others >= WIDE_ELEMENTS && others >= 2 * grid->ranks && few;
}

/// The fold of all rows of this rank's columns.
static weft_status fold_own_columns(weft_array **out, weft_dist *grid, const weft_array *columns, int64_t leaf,
                                    weft__dist_fold_op op, const char *site) {
  weft_array *leaves = NULL, *folded = NULL;
  weft_status rc;
  if (weft_array_length(columns, 0) > leaf) WEFT__TRY(weft__dist_fold_leaves(&leaves, grid, columns, leaf, op, site));
  WEFT__TRY(fold_to(&folded, leaves ? leaves : columns, 0, op, result_of(op), site));
  rc = weft__reshape_at(out, folded, WEFT_SHAPE(weft_array_size(folded)), site);
done:
  weft_release(&leaves, &folded);
  return rc;
}

/// Each rank gets all rows of some columns, folds them, and all collect the results: 2 (p - 1) / p of the rows' bytes.
static weft_status fold_columns(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                                int64_t n, int64_t leaf, weft__dist_fold_op op, weft_status rc) {
  weft_dist_array *split = NULL, *turned = NULL;
  weft_array *flat = NULL, *own = NULL, *all = NULL;
  weft_shape shape = rc ? WEFT_SHAPE(0) : weft_array_shape(rows);
  int64_t others = 1;
  for (int d = 1; d < shape.ndim; d++) others *= shape.dim[d];
  if (!rc) rc = weft__reshape_at(&flat, rows, WEFT_SHAPE(shape.dim[0], others), call->site);
  if (!rc) rc = weft__dist_wrap(&split, grid, WEFT_SHAPE(n, others), 0, weft_array_retain(flat));
  WEFT__TRY(weft__dist_rendezvous(grid, call, rc));
  WEFT__TRY(weft__dist_swap(&turned, split, 1, call->site));
  rc = fold_own_columns(&own, grid, turned->local, leaf, op, call->site);
  weft_dist_array_release(&turned);
  WEFT__TRY(weft__dist_collect(&all, grid, call, own, rc));
  shape.dim[0] = 1;
  rc = weft__reshape_at(out, all, shape, call->site);
done:
  weft_dist_array_release(&split);
  weft_dist_array_release(&turned);
  weft_release(&flat, &own, &all);
  return rc;
}

/// Two ranks with a row each.
typedef struct pair {
  const weft_array *own;
  weft_array *sums; /* both have one axis */
  int rank;
  weft__dist_fold_op op;
  const char *site;
} pair;

/// Combines a part of the other rank's row with this rank's, in the order of the ranks.
static weft_status take_other(void *taker, weft_array *came, int64_t first, int64_t stop) {
  const pair *p = taker;
  const int64_t size = (int64_t)weft_dtype_size_bytes(weft_array_dtype(p->own));
  const weft_slice_params at = {.site = p->site};
  weft_array *own = NULL, *sums = NULL;
  weft_status rc;
  WEFT__TRY(weft__slice_at(&own, p->own, weft__axes_int(0), first / size, stop / size, &at));
  WEFT__TRY(weft__slice_at(&sums, p->sums, weft__axes_int(0), first / size, stop / size, &at));
  rc = fold_list(sums, p->rank == 0 ? (weft_array *[]){own, came} : (weft_array *[]){came, own}, 2, p->op, p->site);
done:
  weft_release(&own, &sums);
  return rc;
}

/// Each rank gets the other's row, and combines its parts as they come: as many bytes as by columns, without the second
/// exchange.
static weft_status fold_pair(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                             weft__dist_fold_op op, weft_status rc) {
  weft_array *own = NULL, *sums = NULL;
  const weft_shape shape = rc ? WEFT_SHAPE(0) : weft_array_shape(rows);
  const int64_t size = rc ? 0 : weft_array_size(rows);
  if (!rc) rc = weft__reshape_at(&own, rows, WEFT_SHAPE(size), call->site);
  if (!rc) rc = weft__empty_at(&sums, grid->context, result_of(op), WEFT_SHAPE(size), call->site);
  const int64_t bytes = rc ? 0 : weft_array_size_bytes(rows), at[] = {0, grid->rank == 0 ? 0 : bytes, bytes};
  pair p = {own, sums, grid->rank, op, call->site};
  WEFT__TRY(weft__dist_trade(grid, call, &(weft__dist_side){.array = own, .at = at},
                             &(weft__dist_side){.array = own, .at = at, .take = take_other, .taker = &p}, rc));
  rc = weft__reshape_at(out, sums, shape, call->site);
done:
  weft_release(&own, &sums);
  return rc;
}

/// Rows of each rank before the first leaf that begins there, and rows that complete its last leaf: as first rows.
static void find_heads(int64_t *heads, int64_t *tails, const weft_dist *grid, const int64_t *from, const int64_t *to) {
  for (int r = 0; r < grid->ranks; r++) {
    const int64_t stop = to[r] < from[r + 1] ? to[r] : from[r + 1], behind = to[r] > from[r + 1] ? to[r] : from[r + 1];
    heads[r + 1] = heads[r] + stop - from[r];
    tails[r + 1] = tails[r] + (to[r + 1] > behind ? to[r + 1] - behind : 0);
  }
}

/// Folds the leaves that begin with row `first`. The last one goes on in `tail`, if that has rows.
static weft_status fold_with_tail(weft_array **out, weft_dist *grid, const weft_array *rows, int64_t first,
                                  const weft_array *tail, int64_t leaf, weft__dist_fold_op op, const char *site) {
  const int64_t n = weft_array_length(rows, 0), whole = (n - first) / leaf * leaf;
  const weft_slice_params at = {.site = site};
  const bool has_tail = weft_array_length(tail, 0) > 0;
  weft_array *inner = NULL, *rest = NULL, *last = NULL, *part[2] = {NULL}, *end[2] = {NULL};
  weft_status rc;
  WEFT__TRY(weft__slice_at(&inner, rows, weft__axes_int(0), 0, has_tail ? first + whole : n, &at));
  if (weft_array_size(rows) == n) {
    WEFT__TRY(fold_elements(&part[0], grid, inner, first, leaf, op, op.dtype, site));
  } else {
    WEFT__TRY(weft__slice_at(&rest, inner, weft__axes_int(0), first, weft_array_length(inner, 0), &at));
    WEFT__TRY(weft__dist_fold_leaves(&part[0], grid, rest, leaf, op, site));
  }
  if (!has_tail) {
    *out = weft_array_retain(part[0]);
    goto done;
  }
  WEFT__TRY(weft__slice_at(&end[0], rows, weft__axes_int(0), first + whole, n, &at));
  end[1] = weft_array_retain((weft_array *)tail);
  WEFT__TRY(weft__concatenate_at(weft__operand_result(&last), end, 2, weft__axes_int(0), site));
  WEFT__TRY(weft__dist_fold_leaves(&part[1], grid, last, leaf, op, site));
  rc = weft__concatenate_at(weft__operand_result(out), part, 2, weft__axes_int(0), site);
done:
  weft_release(&inner, &rest, &last, &part[0], &part[1], &end[0], &end[1]);
  return rc;
}

/// Folds this rank's leaves; the rows before them complete a leaf of another rank, and move there.
static weft_status fold_own_leaves(weft_array **out, weft_dist *grid, const weft__dist_call *call,
                                   const weft_array *rows, int64_t n, int64_t leaf, weft__dist_fold_op op,
                                   weft_status rc) {
  const size_t places = (size_t)grid->ranks + 1;
  int64_t *from = weft__dist_shares(grid, n), *to = weft__dist_leaf_shares(grid, n, leaf);
  int64_t *heads = weft__dist_new(places, sizeof *heads), *tails = weft__dist_new(places, sizeof *tails);
  weft_array *head = NULL, *tail = NULL;
  int64_t first = 0;
  if (!rc && !(from && to && heads && tails)) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc) {
    find_heads(heads, tails, grid, from, to);
    first = heads[grid->rank + 1] - heads[grid->rank];
    rc = weft__slice_at(&head, rows, weft__axes_int(0), 0, first, &(weft_slice_params){.site = call->site});
  }
  WEFT__TRY(weft__dist_move(&tail, grid, call, head, heads, tails, rc));
  rc = fold_with_tail(out, grid, rows, first, tail, leaf, op, call->site);
done:
  free(from);
  free(to);
  free(heads);
  free(tails);
  weft_release(&head, &tail);
  return rc;
}

weft_status weft__dist_fold_split(weft_array **out, weft_dist *grid, const weft__dist_call *call,
                                  const weft_array *rows, weft_shape shape, int axis, weft__dist_fold_op op,
                                  weft_status rc) {
  const int64_t n = shape.dim[axis], leaf = weft__dist_leaf(shape, axis, MOST_LEAVES);
  if (folds_columns(grid, shape, axis, leaf)) {
    if (grid->ranks == 2 && n == 2 && weft__dist_ring_hands(grid)) return fold_pair(out, grid, call, rows, op, rc);
    return fold_columns(out, grid, call, rows, n, leaf, op, rc);
  }
  weft_array *own = NULL, *all = NULL;
  if (!weft__dist_is_aligned(grid, n, leaf))
    rc = fold_own_leaves(&own, grid, call, rows, n, leaf, op, rc);
  else if (!rc)
    rc = weft__dist_fold_leaves(&own, grid, rows, leaf, op, call->site);
  WEFT__TRY(weft__dist_collect(&all, grid, call, own, rc));
  rc = fold_all(out, grid, all, op, call->site);
done:
  weft_release(&own, &all);
  return rc;
}
