// SPDX-License-Identifier: MIT
/// Rows of the neighbours on either side.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

typedef struct halo {
  const weft_dist_array *x;
  weft__dist_call call;
  int64_t width, n;
  weft_dist_border border;
  int before, after; /* the neighbours; -1: none */
} halo;

static int64_t rows_of(const halo *h, int r) {
  return weft__dist_first(h->x->grid, h->n, r + 1) - weft__dist_first(h->x->grid, h->n, r);
}

/// The next rank that has rows, in one direction; -1: the array ends there.
static int neighbour(const halo *h, int step) {
  const weft_dist *grid = h->x->grid;
  for (int k = 1; k <= grid->ranks; k++) {
    int r = grid->rank + k * step;
    if (h->border == WEFT_DIST_WRAP) r = ((r % grid->ranks) + grid->ranks) % grid->ranks;
    if (r < 0 || r >= grid->ranks) return -1;
    if (rows_of(h, r) > 0) return r;
  }
  return -1;
}

static weft_status prepare(halo *h, const weft_dist_halo_params *params) {
  const weft_dist_array *x = h->x;
  const weft_dist *grid = x->grid;
  h->width = params->width ? params->width : 1;
  h->border = params->border;
  if (x->axis == WEFT_DIST_WHOLE)
    return weft__dist_fail(WEFT_ERROR_LAYOUT, "x",
                           "`x` is whole on every rank and has no neighbours; weft_pad extends it");
  h->n = x->shape.dim[x->axis];
  if (h->width < 0) return weft__dist_fail(WEFT_ERROR_ARGUMENT, "width", "`.width` is %lld", (long long)h->width);
  if ((unsigned)h->border > WEFT_DIST_EDGE)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "border", "`.border` is %d; expected WEFT_DIST_ZERO, _WRAP or _EDGE",
                           (int)h->border);
  for (int r = 0; r < grid->ranks; r++)
    if (rows_of(h, r) > 0 && rows_of(h, r) < h->width)
      return weft__dist_fail(WEFT_ERROR_SHAPE, "width",
                             "`.width` is %lld and rank %d has %lld rows; expected at most as many as a rank has",
                             (long long)h->width, r, (long long)rows_of(h, r));
  h->before = x->count ? neighbour(h, -1) : -1;
  h->after = x->count ? neighbour(h, 1) : -1;
  return WEFT_OK;
}

static void one_peer(int64_t *at, const weft_dist *grid, int peer, int64_t bytes) {
  for (int r = 0; r <= grid->ranks; r++) at[r] = peer >= 0 && r > peer ? bytes : 0;
}

/// Sends `edge` to one neighbour and gets `rows` from the other.
static weft_status shift(const halo *h, weft_array *edge, int to, weft_array *rows, int from, weft_status rc) {
  weft_dist *grid = h->x->grid;
  int64_t *at = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *at), *recv_at = at + grid->ranks + 1;
  if (!rc && !at) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc) one_peer(at, grid, to, weft_array_size_bytes(edge));
  if (!rc) one_peer(recv_at, grid, from, weft_array_size_bytes(rows));
  rc = weft__dist_trade(grid, &h->call, &(weft__dist_side){.array = edge, .at = at},
                        &(weft__dist_side){.array = rows, .at = recv_at}, rc);
  free(at);
  return rc;
}

/// What stands beyond the array's end: zeros, or the edge row over and over.
static weft_status fill_border(weft_array *rows, const halo *h, int64_t edge_row) {
  weft_array *edge = NULL, *all = NULL;
  weft_status rc;
  if (h->border == WEFT_DIST_ZERO) return weft_fill(rows, WEFT_SCALAR(0));
  WEFT__TRY(weft__slice_at(&edge, h->x->local, weft__axes_int(h->x->axis), edge_row, edge_row + 1,
                           &(weft_slice_params){.site = h->call.site}));
  WEFT__TRY(weft__broadcast_at(&all, edge, weft_array_shape(rows), h->call.site));
  rc = weft__copy_at(&rows, all, &(weft_copy_params){.site = h->call.site});
done:
  weft_release(&edge, &all);
  return rc;
}

/// One side of the result.
typedef struct side {
  int64_t place;      /* where its rows stand in the result */
  int from, to;       /* the neighbour whose rows these are, the one that gets this rank's edge; -1: none */
  int64_t edge_first; /* of this rank's edge */
  int64_t edge_row;   /* what WEFT_DIST_EDGE repeats */
} side;

/// This rank's edge for its neighbour, and memory for what comes.
static weft_status prepare_side(weft_array **edge_rows, weft_array **came, const halo *h, const side *s) {
  const weft_dist_array *x = h->x;
  const int64_t stop = s->to >= 0 && x->count > 0 ? s->edge_first + h->width : s->edge_first;
  weft_array *edge = NULL;
  weft_shape shape = weft_array_shape(x->local);
  weft_status rc;
  shape.dim[x->axis] = s->from >= 0 ? h->width : 0;
  WEFT__TRY(weft__slice_at(&edge, x->local, weft__axes_int(x->axis), s->edge_first, stop,
                           &(weft_slice_params){.site = h->call.site}));
  WEFT__TRY(weft__copy_at(edge_rows, edge, &(weft_copy_params){.site = h->call.site}));
  rc = weft__empty_at(came, x->grid->context, weft_array_dtype(x->local), shape, h->call.site);
done:
  weft_array_release(&edge);
  return rc;
}

static weft_status fill_side(weft_array *out, const halo *h, const side *s, weft_status rc) {
  weft_array *edge_rows = NULL, *target = NULL, *came = NULL;
  if (!rc) rc = prepare_side(&edge_rows, &came, h, s);
  WEFT__TRY(shift(h, edge_rows, s->to, came, s->from, rc));
  if (h->x->count == 0) goto done;
  WEFT__TRY(weft__slice_at(&target, out, weft__axes_int(h->x->axis), s->place, s->place + h->width,
                           &(weft_slice_params){.site = h->call.site}));
  rc = s->from >= 0 ? weft__copy_at(&target, came, &(weft_copy_params){.site = h->call.site})
                    : fill_border(target, h, s->edge_row);
done:
  weft_release(&edge_rows, &target, &came);
  return rc;
}

static weft_status make_result(weft_array **made, const halo *h, weft_array *given) {
  const weft_dist_array *x = h->x;
  weft_shape shape = weft_array_shape(x->local);
  weft_array *inside = NULL;
  shape.dim[x->axis] += x->count ? 2 * h->width : 0;
  const weft_shape have = given ? weft_array_shape(given) : shape;
  weft_status rc = WEFT_OK;
  if (have.ndim != shape.ndim || memcmp(have.dim, shape.dim, sizeof have.dim[0] * (size_t)shape.ndim) != 0)
    return weft__dist_fail(WEFT_ERROR_SHAPE, "out", "`out` has %lld rows along axis %d; expected %lld",
                           (long long)(have.ndim == shape.ndim ? have.dim[x->axis] : 0), x->axis,
                           (long long)shape.dim[x->axis]);
  if (given)
    *made = weft_array_retain(given);
  else
    rc = weft__empty_at(made, x->grid->context, weft_array_dtype(x->local), shape, h->call.site);
  if (rc || !x->count) return rc;
  WEFT__TRY(weft__slice_at(&inside, *made, weft__axes_int(x->axis), h->width, h->width + x->count,
                           &(weft_slice_params){.site = h->call.site}));
  rc = weft__copy_at(&inside, x->local, &(weft_copy_params){.site = h->call.site});
done:
  weft_array_release(&inside);
  return rc;
}

weft_status weft__dist_halo_at(weft_array **out, const weft_dist_array *x, const weft_dist_halo_params *params) {
  const weft_dist_halo_params options = params ? *params : (weft_dist_halo_params){0};
  halo h = {.x = x};
  weft_array *made = NULL;
  weft_status rc;
  weft_error_enter("weft_dist_halo", options.site);
  if (!out) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is NULL"));
  WEFT__TRY(weft__dist_check(x, "x"));
  h.call = weft__dist_call_of("weft_dist_halo", options.site, x);
  h.call.numbers[1] = options.width;
  h.call.numbers[2] = options.border;
  rc = prepare(&h, &options);
  if (!rc) rc = make_result(&made, &h, *out);
  WEFT__TRY(weft__dist_meet(x->grid, &h.call, rc));
  const side before = {0, h.before, h.after, x->count - h.width, 0};
  const side after = {h.width + x->count, h.after, h.before, 0, x->count - 1};
  rc = fill_side(made, &h, &before, rc);
  rc = fill_side(made, &h, &after, rc);
  WEFT__TRY(weft__dist_meet(x->grid, &h.call, rc));
  if (!*out) {
    *out = made;
    made = NULL;
  }
done:
  weft_array_release(&made);
  return weft_error_leave(rc);
}
