// SPDX-License-Identifier: MIT
/// Rows of the neighbours on either side.
#include <stdlib.h>
#include <string.h>

#include "dist/array.h"

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
static weft_status shift(const halo *h, weft_array *edge, int to, weft_array *rows, int from) {
  weft_dist *grid = h->x->grid;
  int64_t *at = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *at), *recv_at = at + grid->ranks + 1;
  weft__dist_bytes send = {0}, recv = {0};
  weft_status rc = at ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  if (rc == WEFT_OK) rc = weft__dist_bytes_begin(&send, grid, edge, false);
  if (rc == WEFT_OK) rc = weft__dist_bytes_begin(&recv, grid, rows, true);
  if ((rc = weft__dist_meet(grid, &h->call, rc)) == WEFT_OK) {
    one_peer(at, grid, to, weft_array_size_bytes(edge));
    one_peer(recv_at, grid, from, weft_array_size_bytes(rows));
    rc = weft__dist_exchange(grid, send.data, at, recv.data, recv_at);
  }
  rc = weft__dist_bytes_end(&recv, rc);
  rc = weft__dist_bytes_end(&send, rc);
  free(at);
  return rc;
}

/// What stands beyond the array's end: zeros, or the edge row over and over.
static weft_status fill_border(weft_array *rows, const halo *h, int64_t edge_row) {
  weft_array *edge = NULL, *all = NULL;
  weft_status rc;
  if (h->border == WEFT_DIST_ZERO) return weft_fill(rows, WEFT_SCALAR(0));
  DIST_TRY(weft__slice_at(&edge, h->x->local, weft__axes_int(h->x->axis), edge_row, edge_row + 1,
                          &(weft_slice_params){.site = h->call.site}));
  DIST_TRY(weft__broadcast_at(&all, edge, weft_array_shape(rows), h->call.site));
  rc = weft__copy_at(&rows, all, &(weft_copy_params){.site = h->call.site});
done:
  weft_release(&edge, &all);
  return rc;
}

/// One side: `place` is where its rows stand in the result, `edge` this rank's rows for the other side's neighbour.
static weft_status fill_side(weft_array *out, const halo *h, int64_t place, int from, int64_t edge_first, int to,
                             int64_t edge_row) {
  const weft_dist_array *x = h->x;
  const weft_slice_params at = {.site = h->call.site};
  const bool has_rows = x->count > 0;
  weft_array *edge = NULL, *edge_rows = NULL, *target = NULL, *came = NULL;
  weft_shape shape = weft_array_shape(x->local);
  shape.dim[x->axis] = from >= 0 ? h->width : 0;
  weft_status rc = weft__slice_at(&edge, x->local, weft__axes_int(x->axis), edge_first,
                                  to >= 0 && has_rows ? edge_first + h->width : edge_first, &at);
  if (rc == WEFT_OK) rc = weft__copy_at(&edge_rows, edge, &(weft_copy_params){.site = at.site});
  if (rc == WEFT_OK) rc = weft__empty_at(&came, x->grid->context, weft_array_dtype(x->local), shape, at.site);
  if (rc)
    rc = weft__dist_meet(x->grid, &h->call, rc);
  else
    rc = shift(h, edge_rows, to, came, from);
  if (rc == WEFT_OK && has_rows) {
    rc = weft__slice_at(&target, out, weft__axes_int(x->axis), place, place + h->width, &at);
    if (rc == WEFT_OK)
      rc = from >= 0 ? weft__copy_at(&target, came, &(weft_copy_params){.site = at.site})
                     : fill_border(target, h, edge_row);
  }
  weft_release(&edge, &edge_rows, &target, &came);
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
  rc = weft__slice_at(&inside, *made, weft__axes_int(x->axis), h->width, h->width + x->count,
                      &(weft_slice_params){.site = h->call.site});
  if (rc == WEFT_OK) rc = weft__copy_at(&inside, x->local, &(weft_copy_params){.site = h->call.site});
  weft_array_release(&inside);
  return rc;
}

weft_status weft__dist_halo_at(weft_array **out, const weft_dist_array *x, const weft_dist_halo_params *params) {
  const weft_dist_halo_params options = params ? *params : (weft_dist_halo_params){0};
  halo h = {.x = x};
  weft_array *made = NULL;
  weft_status rc;
  weft_error_enter("weft_dist_halo", options.site);
  if (!out) DIST_TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is NULL"));
  DIST_TRY(weft__dist_check(x, "x"));
  h.call = weft__dist_call_of("weft_dist_halo", options.site, x);
  h.call.numbers[1] = options.width;
  h.call.numbers[2] = options.border;
  rc = prepare(&h, &options);
  if (rc == WEFT_OK) rc = make_result(&made, &h, *out);
  DIST_TRY(weft__dist_meet(x->grid, &h.call, rc));
  DIST_TRY(fill_side(made, &h, 0, h.before, x->count - h.width, h.after, 0));
  DIST_TRY(fill_side(made, &h, h.width + x->count, h.after, 0, h.before, x->count - 1));
  if (!*out) {
    *out = made;
    made = NULL;
  }
done:
  weft_array_release(&made);
  return weft_error_leave(rc);
}
