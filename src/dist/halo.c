// SPDX-License-Identifier: MIT
/// Rows of the neighbours on either side.
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

enum { MAGIC = 0x48616c6f, RELEASED = 0x48616c7e };

/// A halo exchange under way.
struct weft_dist_exchange {
  uint32_t magic;
  weft_dist *grid; /* retained */
  weft__dist_call call;
  weft_array *local, *wide; /* retained: this rank's rows; the result */
  int axis;
  int64_t width, n, count;
  weft_dist_border border;
  bool edges_only;   /* the result is without this rank's rows */
  int before, after; /* the neighbours; -1: none */
  /* Both arrays have one axis, and first what the neighbour of the lower rank gives or gets. Where both neighbours are
     the same rank, this rank's first rows come first. */
  weft_array *sent, *got;
  int64_t *sent_at, *got_at;
  weft__dist_passage passage;
};

typedef weft_dist_exchange halo;

static int64_t rows_of(const halo *h, int r) {
  return weft__dist_first(h->grid, h->n, r + 1) - weft__dist_first(h->grid, h->n, r);
}

/// The next rank that has rows, in one direction; -1: the array ends there.
static int neighbour(const halo *h, int step) {
  const weft_dist *grid = h->grid;
  for (int k = 1; k <= grid->ranks; k++) {
    int r = grid->rank + k * step;
    if (h->border == WEFT_DIST_WRAP) r = ((r % grid->ranks) + grid->ranks) % grid->ranks;
    if (r < 0 || r >= grid->ranks) return -1;
    if (rows_of(h, r) > 0) return r;
  }
  return -1;
}

static weft_status prepare(halo *h, const weft_dist_array *x, const weft_dist_halo_params *params) {
  const weft_dist *grid = h->grid;
  h->width = params->width ? params->width : 1;
  h->border = params->border;
  h->edges_only = params->edges_only;
  if (x->axis == WEFT_DIST_WHOLE)
    return weft__dist_fail(WEFT_ERROR_LAYOUT, "x",
                           "`x` is whole on every rank and has no neighbours; weft_pad extends it");
  h->n = x->shape.dim[x->axis];
  h->axis = x->axis;
  h->count = x->count;
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

/// A view of `count` rows from `first` on.
static weft_status rows_in(weft_array **out, const weft_array *x, const halo *h, int64_t first, int64_t count) {
  return weft__slice_at(out, x, weft__axes_int(h->axis), first, first + count,
                        &(weft_slice_params){.site = h->call.site});
}

/* ---- the rows that travel ---- */

static weft_shape shape_of_edge(const halo *h) {
  weft_shape shape = weft_array_shape(h->local);
  shape.dim[h->axis] = h->width;
  return shape;
}

/// Where the rows of one neighbour stand in `sent`, and in `got`: 0 or 1.
static int place_of(const halo *h, bool is_before, bool is_got) {
  if (h->before == h->after) return is_before == is_got;
  if (h->before < 0 || h->after < 0) return 0;
  return is_before ? h->before > h->after : h->after > h->before;
}

/// A view of one neighbour's rows in `sent` or `got`.
static weft_status edge_in(weft_array **out, const halo *h, bool is_before, bool is_got) {
  const weft_shape shape = shape_of_edge(h);
  int64_t size = 1;
  weft_array *flat = NULL;
  weft_status rc;
  for (int d = 0; d < shape.ndim; d++) size *= shape.dim[d];
  const int64_t first = place_of(h, is_before, is_got) * size;
  WEFT__TRY(weft_slice(&flat, is_got ? h->got : h->sent, 0, first, first + size));
  rc = weft__reshape_at(out, flat, shape, h->call.site);
done:
  weft_array_release(&flat);
  return rc;
}

/// Packs the edge for one neighbour.
static weft_status pack_edge(halo *h, bool is_before) {
  weft_array *rows = NULL, *edge = NULL;
  weft_status rc;
  if ((is_before ? h->before : h->after) < 0) return WEFT_OK;
  WEFT__TRY(rows_in(&rows, h->local, h, is_before ? 0 : h->count - h->width, h->width));
  WEFT__TRY(edge_in(&edge, h, is_before, false));
  rc = weft__copy_at(&edge, rows, &(weft_copy_params){.site = h->call.site});
done:
  weft_release(&rows, &edge);
  return rc;
}

static weft_status pack(halo *h) {
  const weft_shape shape = shape_of_edge(h);
  const weft_dtype dtype = weft_array_dtype(h->local);
  int64_t size = 1;
  for (int d = 0; d < shape.ndim; d++) size *= shape.dim[d];
  const int64_t bytes = size * (int64_t)weft_dtype_size_bytes(dtype);
  const int64_t edges = (h->before >= 0) + (h->after >= 0);
  const size_t places = (size_t)h->grid->ranks + 1;
  if (!(h->sent_at = weft__dist_new(places, sizeof *h->sent_at))) return WEFT_ERROR_HOST_MEMORY;
  if (!(h->got_at = weft__dist_new(places, sizeof *h->got_at))) return WEFT_ERROR_HOST_MEMORY;
  for (int r = 0; r < h->grid->ranks; r++)
    h->sent_at[r + 1] = h->got_at[r + 1] = h->sent_at[r] + bytes * ((r == h->before) + (r == h->after));
  WEFT__TRY_RETURN(weft__empty_at(&h->sent, h->grid->context, dtype, WEFT_SHAPE(edges * size), h->call.site));
  WEFT__TRY_RETURN(weft__empty_at(&h->got, h->grid->context, dtype, WEFT_SHAPE(edges * size), h->call.site));
  WEFT__TRY_RETURN(pack_edge(h, true));
  return pack_edge(h, false);
}

/// What stands beyond the array's end: zeros, or the edge row over and over.
static weft_status fill_border(weft_array *rows, const halo *h, int64_t edge_row) {
  weft_array *edge = NULL, *all = NULL;
  weft_status rc;
  if (h->border == WEFT_DIST_ZERO) return weft_fill(rows, WEFT_SCALAR(0));
  WEFT__TRY(rows_in(&edge, h->local, h, edge_row, 1));
  WEFT__TRY(weft__broadcast_at(&all, edge, weft_array_shape(rows), h->call.site));
  rc = weft__copy_at(&rows, all, &(weft_copy_params){.site = h->call.site});
done:
  weft_release(&edge, &all);
  return rc;
}

/// The rows before this rank's, or behind them, in the result: at the beginning of an exchange those that do not
/// travel, at its end those that came.
static weft_status fill_side(const halo *h, bool is_before, bool is_end) {
  const bool has_neighbour = (is_before ? h->before : h->after) >= 0;
  weft_array *target = NULL, *edge = NULL;
  weft_status rc;
  if (has_neighbour != is_end || h->count == 0) return WEFT_OK;
  WEFT__TRY(rows_in(&target, h->wide, h, is_before ? 0 : h->width + (h->edges_only ? 0 : h->count), h->width));
  if (is_end) {
    WEFT__TRY(edge_in(&edge, h, is_before, true));
    rc = weft__copy_at(&target, edge, &(weft_copy_params){.site = h->call.site});
  } else {
    rc = fill_border(target, h, is_before ? 0 : h->count - 1);
  }
done:
  weft_release(&target, &edge);
  return rc;
}

/// The result, whose inside is a copy of this rank's rows, unless it has none.
static weft_status make_result(halo *h, weft_array *given) {
  weft_shape shape = weft_array_shape(h->local);
  weft_array *inside = NULL;
  shape.dim[h->axis] = h->count ? (h->edges_only ? 0 : h->count) + 2 * h->width : 0;
  const weft_shape have = given ? weft_array_shape(given) : shape;
  weft_status rc = WEFT_OK;
  if (have.ndim != shape.ndim || memcmp(have.dim, shape.dim, sizeof have.dim[0] * (size_t)shape.ndim) != 0)
    return weft__dist_fail(WEFT_ERROR_SHAPE, "out", "`out` has %lld rows along axis %d; expected %lld",
                           (long long)(have.ndim == shape.ndim ? have.dim[h->axis] : 0), h->axis,
                           (long long)shape.dim[h->axis]);
  if (given)
    h->wide = weft_array_retain(given);
  else
    rc = weft__empty_at(&h->wide, h->grid->context, weft_array_dtype(h->local), shape, h->call.site);
  if (rc || !h->count || h->edges_only) return rc;
  WEFT__TRY(rows_in(&inside, h->wide, h, h->width, h->count));
  rc = weft__copy_at(&inside, h->local, &(weft_copy_params){.site = h->call.site});
done:
  weft_array_release(&inside);
  return rc;
}

/* ---- the calls ---- */

static void free_exchange(halo *h) {
  weft_release(&h->local, &h->wide, &h->sent, &h->got);
  free(h->sent_at);
  free(h->got_at);
  weft_dist_release(&h->grid);
  h->magic = RELEASED;
  free(h);
}

static weft_status begin(halo *h, const weft_dist_array *x, weft_array *given, const weft_dist_halo_params *params) {
  weft_status rc = prepare(h, x, params);
  if (!rc) rc = make_result(h, given);
  if (!rc) rc = fill_side(h, true, false);
  if (!rc) rc = fill_side(h, false, false);
  if (!rc) rc = pack(h);
  h->passage = (weft__dist_passage){.grid = h->grid,
                                    .from = {.array = h->sent, .at = h->sent_at},
                                    .to = {.array = h->got, .at = h->got_at},
                                    .is_beside = true};
  return weft__dist_trade_begin(&h->passage, &h->call, rc);
}

/// The second half of an exchange; `rc`: this rank's status so far.
static weft_status end(halo *h, weft_status rc) {
  WEFT__TRY_RETURN(weft__dist_trade_end(&h->passage, rc));
  rc = fill_side(h, true, true);
  if (!rc) rc = fill_side(h, false, true);
  return weft__dist_rendezvous(h->grid, &h->call, rc);
}

static weft_status new_exchange(halo **made, const weft_dist_array *x, const weft_dist_halo_params *params,
                                const char *function) {
  WEFT__TRY_RETURN(weft__dist_check(x, "x"));
  halo *h = weft__dist_new(1, sizeof *h);
  if (!h) return WEFT_ERROR_HOST_MEMORY;
  h->magic = MAGIC;
  h->grid = weft__dist_retain(x->grid);
  h->local = weft_array_retain(x->local);
  h->call = weft__dist_call_of(function, params->site, x);
  h->call.numbers[1] = params->width;
  h->call.numbers[2] = params->border | (int64_t)params->edges_only << 32;
  *made = h;
  return WEFT_OK;
}

weft_status weft__dist_halo_at(weft_array **out, const weft_dist_array *x, const weft_dist_halo_params *params) {
  const weft_dist_halo_params options = params ? *params : (weft_dist_halo_params){0};
  halo *h = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_halo", options.site);
  if (!out) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is NULL"));
  WEFT__TRY(new_exchange(&h, x, &options, "weft_dist_halo"));
  WEFT__TRY(end(h, begin(h, x, *out, &options)));
  if (!*out) *out = weft_array_retain(h->wide);
done:
  if (h) free_exchange(h);
  return weft__dist_leave(rc);
}

weft_status weft__dist_halo_begin_at(weft_dist_exchange **exchange, weft_array **out, const weft_dist_array *x,
                                     const weft_dist_halo_params *params) {
  const weft_dist_halo_params options = params ? *params : (weft_dist_halo_params){0};
  halo *h = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_halo_begin", options.site);
  WEFT__TRY(weft__dist_check_out(exchange, exchange ? *exchange : NULL));
  if (!out) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is NULL"));
  WEFT__TRY(new_exchange(&h, x, &options, "weft_dist_halo_begin"));
  rc = begin(h, x, *out, &options);
  if (rc) WEFT__TRY(weft__dist_trade_end(&h->passage, rc));
  if (!*out) *out = weft_array_retain(h->wide);
  *exchange = h;
  h = NULL;
done:
  if (h) free_exchange(h);
  return weft__dist_leave(rc);
}

weft_status weft__dist_halo_end_at(weft_dist_exchange **exchange, const char *site) {
  weft_status rc;
  weft__dist_enter("weft_dist_halo_end", site);
  if (!exchange || !*exchange)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_HANDLE, "exchange",
                              "`exchange` is %s; expected what weft_dist_halo_begin made",
                              exchange ? "the address of a NULL handle" : "NULL"));
  halo *h = *exchange;
  if (h->magic != MAGIC)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_HANDLE, "exchange", "`exchange` is not an exchange under way"));
  h->call.function = "weft_dist_halo_end";
  h->call.site = site;
  rc = end(h, WEFT_OK);
  *exchange = NULL;
  free_exchange(h);
done:
  return weft__dist_leave(rc);
}
