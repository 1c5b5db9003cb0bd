// SPDX-License-Identifier: MIT
/// An array that is split along another axis: each rank sends a block of its rows to each other rank. A transport that
/// copies with the device reads and writes the blocks where they lie; for the others they are packed and unpacked.
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

/* ---- packed ---- */

/// The columns of this rank's rows that rank `r` gets, as one run.
static weft_status pack_block(weft_array **out, const weft_dist_array *x, int axis, int r, const char *site) {
  const int64_t n = x->shape.dim[axis];
  weft_array *columns = NULL, *rows = NULL;
  weft_status rc;
  WEFT__TRY(weft__slice_at(&columns, x->local, weft__axes_int(axis), weft__dist_first(x->grid, n, r),
                           weft__dist_first(x->grid, n, r + 1), &(weft_slice_params){.site = site}));
  WEFT__TRY(weft__dist_turn(&rows, columns, x->axis, 0, site));
  rc = weft__ravel_at(out, rows, site);
done:
  weft_release(&columns, &rows);
  return rc;
}

/// A block for each rank, one after the other.
static weft_status pack_columns(weft_array **out, const weft_dist_array *x, int axis, const char *site) {
  const int ranks = x->grid->ranks;
  weft_array **part = weft__dist_new((size_t)ranks, sizeof *part);
  weft_status rc;
  if (!part) return WEFT_ERROR_HOST_MEMORY;
  for (int r = 0; r < ranks; r++) WEFT__TRY(pack_block(&part[r], x, axis, r, site));
  rc = weft__concatenate_at(weft__operand_result(out), part, ranks, weft__axes_int(0), site);
done:
  for (int r = 0; r < ranks; r++) weft_array_release(&part[r]);
  free(part);
  return rc;
}

/// Where the block of each rank begins, in bytes: `own` rows or columns of this rank by the other's share of n.
static void place_blocks(int64_t *at, const weft_dist *grid, int64_t own_bytes, int64_t n) {
  at[0] = 0;
  for (int r = 0; r < grid->ranks; r++)
    at[r + 1] = at[r] + own_bytes * (weft__dist_first(grid, n, r + 1) - weft__dist_first(grid, n, r));
}

/// What goes out, packed, and the array for what comes: all rows of this rank's new columns, the old split axis first.
static weft_status prepare_swap(weft_array **packed, weft_array **got, int64_t *at, const weft_dist_array *x, int axis,
                                const char *site) {
  const weft_dist *grid = x->grid;
  const weft_dtype dtype = weft_array_dtype(x->local);
  int64_t first, others = (int64_t)weft_dtype_size_bytes(dtype);
  weft_shape part, moved;
  weft__dist_part(&first, &part, grid, x->shape, axis);
  moved = part;
  memmove(moved.dim + 1, moved.dim, (size_t)x->axis * sizeof moved.dim[0]);
  moved.dim[0] = part.dim[x->axis];
  for (int d = 0; d < part.ndim; d++) others *= d == axis || d == x->axis ? 1 : part.dim[d];
  place_blocks(at, grid, x->count * others, x->shape.dim[axis]);
  place_blocks(at + grid->ranks + 1, grid, part.dim[axis] * others, x->shape.dim[x->axis]);
  WEFT__TRY_RETURN(pack_columns(packed, x, axis, site));
  return weft__empty_at(got, grid->context, dtype, moved, site);
}

static weft_status swap_packed(weft_dist_array **out, const weft_dist_array *x, int axis, const char *site) {
  weft_dist *grid = x->grid;
  weft__dist_call call = weft__dist_call_of("weft_dist_resplit", site, x);
  weft_array *packed = NULL, *got = NULL, *mine = NULL;
  int64_t *at = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *at);
  weft_status rc = at ? prepare_swap(&packed, &got, at, x, axis, site) : WEFT_ERROR_HOST_MEMORY;
  call.numbers[1] = axis;
  WEFT__TRY(weft__dist_trade(grid, &call, &(weft__dist_side){.array = packed, .at = at},
                             &(weft__dist_side){.array = got, .at = at + grid->ranks + 1}, rc));
  rc = weft__dist_turn(&mine, got, 0, x->axis, site);
  rc = weft__dist_finish(out, grid, &call, x->shape, axis, &mine, rc);
done:
  free(at);
  weft_release(&packed, &got, &mine);
  return rc;
}

/* ---- in place ---- */

/// Blocks of rows and columns that a transport copies out of x, and into the result, as they lie there.
typedef struct blocks {
  weft_array **from, **to; /* per rank; NULL: no elements */
  int64_t *at;
} blocks;

static weft_status take_block(weft_array **out, const weft_array *x, int axis, int64_t first, int64_t stop,
                              const char *site) {
  weft_array *view = NULL;
  WEFT__TRY_RETURN(weft__slice_at(&view, x, weft__axes_int(axis), first, stop, &(weft_slice_params){.site = site}));
  if (weft_array_size(view) > 0)
    *out = view;
  else
    weft_array_release(&view);
  return WEFT_OK;
}

/// Makes the result as well.
static weft_status find_blocks(blocks *b, weft_array **made, const weft_dist_array *x, int axis, const char *site) {
  const weft_dist *grid = x->grid;
  const size_t ranks = (size_t)grid->ranks;
  const weft_dtype dtype = weft_array_dtype(x->local);
  int64_t first, others = (int64_t)weft_dtype_size_bytes(dtype);
  weft_shape part;
  b->from = weft__dist_new(ranks, sizeof(weft_array *));
  b->to = weft__dist_new(ranks, sizeof(weft_array *));
  b->at = weft__dist_new(2 * (ranks + 1), sizeof *b->at);
  if (!b->from || !b->to || !b->at) return WEFT_ERROR_HOST_MEMORY;
  weft__dist_part(&first, &part, grid, x->shape, axis);
  for (int d = 0; d < part.ndim; d++) others *= d == axis || d == x->axis ? 1 : part.dim[d];
  place_blocks(b->at, grid, x->count * others, x->shape.dim[axis]);
  place_blocks(b->at + ranks + 1, grid, part.dim[axis] * others, x->shape.dim[x->axis]);
  WEFT__TRY_RETURN(weft__empty_at(made, grid->context, dtype, part, site));
  for (int r = 0; r < grid->ranks; r++) {
    const int64_t columns = x->shape.dim[axis], rows = x->shape.dim[x->axis];
    WEFT__TRY_RETURN(take_block(&b->from[r], x->local, axis, weft__dist_first(grid, columns, r),
                                weft__dist_first(grid, columns, r + 1), site));
    WEFT__TRY_RETURN(take_block(&b->to[r], *made, x->axis, weft__dist_first(grid, rows, r),
                                weft__dist_first(grid, rows, r + 1), site));
  }
  return WEFT_OK;
}

static void free_blocks(blocks *b, int ranks) {
  for (int r = 0; r < ranks; r++) {
    if (b->from) weft_array_release(&b->from[r]);
    if (b->to) weft_array_release(&b->to[r]);
  }
  free(b->from);
  free(b->to);
  free(b->at);
}

static weft_status swap_in_place(weft_dist_array **out, const weft_dist_array *x, int axis, const char *site) {
  weft_dist *grid = x->grid;
  weft__dist_call call = weft__dist_call_of("weft_dist_resplit", site, x);
  blocks b = {0};
  weft_array *made = NULL;
  weft_status rc = find_blocks(&b, &made, x, axis, site);
  call.numbers[1] = axis;
  WEFT__TRY(weft__dist_trade(
      grid, &call, &(weft__dist_side){.array = x->local, .at = b.at, .view = b.from},
      &(weft__dist_side){.array = made, .at = b.at ? b.at + grid->ranks + 1 : NULL, .view = b.to}, rc));
  rc = weft__dist_finish(out, grid, &call, x->shape, axis, &made, rc);
done:
  free_blocks(&b, grid->ranks);
  weft_array_release(&made);
  return rc;
}

/// Whether pieces of the largest block can be cut along one axis: the same on all ranks.
static bool can_cut(const weft_dist_array *x, int axis) {
  const weft_dist *grid = x->grid;
  int64_t bytes = (int64_t)weft_dtype_size_bytes(weft_array_dtype(x->local)), longest = 1;
  for (int d = 0; d < x->shape.ndim; d++) {
    const int64_t n = x->shape.dim[d], length = d == axis || d == x->axis ? n / grid->ranks + 1 : n;
    if (length > longest) longest = length;
    if (length > 0 && bytes > INT64_MAX / length) return false;
    bytes *= length;
  }
  return bytes / longest <= grid->piece_bytes;
}

weft_status weft__dist_swap(weft_dist_array **out, const weft_dist_array *x, int axis, const char *site) {
  const bool is_cut = x->grid->transport->takes_views && can_cut(x, axis);
  return is_cut ? swap_in_place(out, x, axis, site) : swap_packed(out, x, axis, site);
}

/* ---- whole, and the call ---- */

/// From every rank, to every rank, or both: nothing, all rows, or a part of what is there.
static weft_status change_whole(weft_dist_array **out, const weft_dist_array *x, int axis, const char *site) {
  weft_dist *grid = x->grid;
  weft__dist_call call = weft__dist_call_of("weft_dist_resplit", site, x);
  weft_array *rows = NULL, *all = NULL, *mine = NULL, *part = NULL;
  weft_status rc;
  call.numbers[1] = axis;
  if (axis == WEFT_DIST_WHOLE && x->axis != WEFT_DIST_WHOLE) {
    rc = weft__dist_turn(&rows, x->local, x->axis, 0, site);
    WEFT__TRY(weft__dist_collect(&all, grid, &call, rows, rc));
    rc = weft__dist_turn(&mine, all, 0, x->axis, site);
  } else {
    weft_shape shape;
    int64_t first;
    weft__dist_part(&first, &shape, grid, x->shape, axis);
    if (axis == x->axis || axis == WEFT_DIST_WHOLE)
      rc = weft__copy_at(&mine, x->local, &(weft_copy_params){.site = site});
    else if ((rc = weft__slice_at(&part, x->local, weft__axes_int(axis), first, first + shape.dim[axis],
                                  &(weft_slice_params){.site = site})) == WEFT_OK)
      rc = weft__copy_at(&mine, part, &(weft_copy_params){.site = site});
  }
  rc = weft__dist_finish(out, grid, &call, x->shape, axis, &mine, rc);
done:
  weft_release(&rows, &all, &mine, &part);
  return rc;
}

weft_status weft__dist_resplit_at(weft_dist_array **out, const weft_dist_array *x, int axis, const char *site) {
  weft_status rc;
  weft__dist_enter("weft_dist_resplit", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(weft__dist_check_axis(&axis, x->shape, true));
  if (x->axis == WEFT_DIST_WHOLE || axis == WEFT_DIST_WHOLE || axis == x->axis)
    rc = change_whole(out, x, axis, site);
  else
    rc = weft__dist_swap(out, x, axis, site);
done:
  return weft__dist_leave(rc);
}
