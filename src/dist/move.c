// SPDX-License-Identifier: MIT
/// Rows that move between ranks, and an array's bytes as MPI sees them.
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

/* ---- bytes ---- */

weft_status weft__dist_bytes_begin(weft__dist_bytes *bytes, const weft_dist *grid, weft_array *x, bool writes) {
  const size_t size_bytes = (size_t)weft_array_size_bytes(x);
  *bytes = (weft__dist_bytes){.array = x, .writes = writes};
  if (size_bytes == 0) return WEFT_OK;
  if (grid->is_cpu) {
    const weft_status rc = weft_map(&bytes->data, x, writes ? WEFT_MAP_WRITE : WEFT_MAP_READ);
    bytes->is_mapped = rc == WEFT_OK;
    return rc;
  }
  bytes->data = bytes->copy = weft__dist_new(size_bytes, 1);
  if (!bytes->copy) return WEFT_ERROR_HOST_MEMORY;
  return writes ? WEFT_OK : weft_to_host(bytes->data, size_bytes, x);
}

weft_status weft__dist_bytes_end(weft__dist_bytes *bytes, weft_status rc) {
  if (bytes->is_mapped) {
    const weft_status unmapped = weft_unmap(bytes->array);
    if (!rc) rc = unmapped;
  }
  if (bytes->copy && bytes->writes && rc == WEFT_OK)
    rc = weft_from_host(&bytes->array, weft_array_context(bytes->array), weft_array_dtype(bytes->array),
                        weft_array_shape(bytes->array), bytes->data);
  free(bytes->copy);
  *bytes = (weft__dist_bytes){0};
  return rc;
}

weft_status weft__dist_part_of(weft_array **out, const weft_array *x, int64_t first, int64_t stop) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(weft_array_dtype(x));
  weft_array *flat = NULL;
  weft_status rc;
  WEFT__TRY(weft_reshape(&flat, x, WEFT_SHAPE(weft_array_size(x))));
  rc = weft_slice(out, flat, 0, first / element, stop / element);
done:
  weft_array_release(&flat);
  return rc;
}

weft_status weft__dist_trade_begin(weft__dist_passage *p, const weft__dist_call *call, weft_status rc) {
  weft_dist *grid = p->grid;
  if (!rc && grid->is_trading)
    rc = weft__dist_fail(WEFT_ERROR_ARGUMENT, "grid",
                         "a halo exchange is under way; end it with weft_dist_halo_end before arrays are exchanged");
  p->by = grid->transport;
  if (!rc) rc = p->by->begin(p);
  WEFT__TRY_RETURN(weft__dist_meet(grid, call, rc));
  if (p->by->needs_cuda) {
    WEFT__TRY_RETURN(weft__dist_all_most(grid, &p->is_unseen));
    if (p->is_unseen && !p->by->cuts) {
      WEFT__TRY_RETURN(p->by->end(p, WEFT_OK));
      p->by = weft__dist_transport_host();
      WEFT__TRY_RETURN(weft__dist_meet(grid, call, p->by->begin(p)));
    }
  }
  grid->is_trading = p->is_started = true;
  return p->by->start(p);
}

weft_status weft__dist_trade_end(weft__dist_passage *p, weft_status rc) {
  weft_dist *grid = p->grid;
  if (!p->is_started) return p->by->end(p, rc);
  if (!rc) rc = p->by->finish(p);
  grid->is_trading = false;
  if (!rc) return p->by->end(p, WEFT_OK);
  /* Messages are under way, and MPI may still read and write the memory: the arrays stay. */
  weft_array_retain(p->from.array);
  weft_array_retain(p->to.array);
  return weft__dist_lose(grid, rc);
}

weft_status weft__dist_trade(weft_dist *grid, const weft__dist_call *call, const weft__dist_side *from,
                             const weft__dist_side *to, weft_status rc) {
  weft__dist_passage p = {.grid = grid, .from = *from, .to = *to};
  return weft__dist_trade_end(&p, weft__dist_trade_begin(&p, call, rc));
}

/* ---- axes ---- */

weft_status weft__dist_turn(weft_array **out, const weft_array *x, int from, int to, const char *site) {
  weft_array *turned = NULL;
  weft_status rc;
  WEFT__TRY(weft__moveaxis_at(&turned, x, weft__axes_int(from), weft__axes_int(to), site));
  if (!weft_array_is_contiguous(turned)) {
    rc = weft__copy_at(out, turned, &(weft_copy_params){.site = site});
  } else {
    *out = turned;
    turned = NULL;
  }
done:
  weft_array_release(&turned);
  return rc;
}

/* ---- rows ---- */

int64_t *weft__dist_shares(const weft_dist *grid, int64_t n) {
  int64_t *first = weft__dist_new((size_t)grid->ranks + 1, sizeof *first);
  for (int r = 0; r <= grid->ranks && first; r++) first[r] = weft__dist_first(grid, n, r);
  return first;
}

static int64_t clamp(int64_t row, int64_t least, int64_t most) {
  return row < least ? least : row > most ? most : row;
}

/// Byte offsets, in this rank's rows from[rank] on, of the rows that belong to each rank in `to`.
static void places(int64_t *at, const weft_dist *grid, const int64_t *from, const int64_t *to, int64_t row_bytes) {
  const int64_t least = from[grid->rank], most = from[grid->rank + 1];
  for (int r = 0; r <= grid->ranks; r++) at[r] = (clamp(to[r], least, most) - least) * row_bytes;
}

int64_t weft__dist_row_bytes(weft_dtype dtype, weft_shape shape) {
  int64_t bytes = (int64_t)weft_dtype_size_bytes(dtype);
  for (int d = 1; d < shape.ndim; d++) bytes *= shape.dim[d];
  return bytes;
}

/// An array for the rows that this rank gets, and the bytes' places on both sides: `at`, of 2 (ranks + 1).
static weft_status prepare_move(weft_array **got, int64_t *at, const weft_dist *grid, const weft_array *rows,
                                const int64_t *from, const int64_t *to, const char *site) {
  const weft_dtype dtype = weft_array_dtype(rows);
  weft_shape part = weft_array_shape(rows);
  const int64_t row_bytes = weft__dist_row_bytes(dtype, part);
  places(at, grid, from, to, row_bytes);
  places(at + grid->ranks + 1, grid, to, from, row_bytes);
  part.dim[0] = to[grid->rank + 1] - to[grid->rank];
  return weft__empty_at(got, grid->context, dtype, part, site);
}

weft_status weft__dist_move(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                            const int64_t *from, const int64_t *to, weft_status rc) {
  weft_array *got = NULL;
  int64_t *at = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *at);
  if (!rc) rc = at ? prepare_move(&got, at, grid, rows, from, to, call->site) : WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_trade(grid, call, &(weft__dist_side){.array = (weft_array *)rows, .at = at},
                             &(weft__dist_side){.array = got, .at = at + grid->ranks + 1}, rc));
  *out = got;
  got = NULL;
done:
  free(at);
  weft_array_release(&got);
  return rc;
}

weft_status weft__dist_move_to_shares(weft_array **out, weft_dist *grid, const weft__dist_call *call,
                                      const weft_array *rows, const int64_t *from, weft_status rc) {
  int64_t *to = rc ? NULL : weft__dist_shares(grid, from[grid->ranks]);
  if (!rc && !to) rc = WEFT_ERROR_HOST_MEMORY;
  rc = weft__dist_move(out, grid, call, rows, from, to, rc);
  free(to);
  return rc;
}

weft_status weft__dist_row_before(weft_array **before, weft_dist *grid, const weft__dist_call *call,
                                  const weft_array *rows, int64_t n, weft_status rc) {
  const weft_slice_params at = {.site = call->site};
  const int64_t own = rc ? 0 : weft_array_length(rows, 0);
  weft_array *last = NULL, *all = NULL;
  int64_t earlier = 0;
  if (!rc) rc = weft__slice_at(&last, rows, weft__axes_int(0), own > 0 ? own - 1 : 0, own, &at);
  WEFT__TRY(weft__dist_collect(&all, grid, call, last, rc));
  for (int r = 0; r < grid->rank; r++) earlier += weft__dist_first(grid, n, r + 1) > weft__dist_first(grid, n, r);
  rc = weft__slice_at(before, all, weft__axes_int(0), earlier > 0 ? earlier - 1 : 0, earlier, &at);
done:
  weft_release(&last, &all);
  return rc;
}
