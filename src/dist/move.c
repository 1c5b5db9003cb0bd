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
  WEFT__TRY_RETURN(weft__dist_rendezvous(grid, call, rc));
  if (p->by->needs_cuda) {
    WEFT__TRY_RETURN(weft__dist_all_most(grid, &p->is_unseen));
    if (p->is_unseen && !p->by->cuts) {
      WEFT__TRY_RETURN(p->by->end(p, WEFT_OK));
      p->by = weft__dist_transport_host();
      WEFT__TRY_RETURN(weft__dist_rendezvous(grid, call, p->by->begin(p)));
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

/* Where less than one row of FEW moves, a rank's own rows are one ordinary copy: the exchange would copy them in
   parts, by few work-groups, which is for ranks that wait for the link. */
enum { FEW = 8 };

static bool moves_little(const weft_dist *grid, const int64_t *from, const int64_t *to) {
  int64_t moved = from[grid->ranks];
  for (int r = 0; r < grid->ranks; r++)
    moved -= clamp(to[r + 1], from[r], from[r + 1]) - clamp(to[r], from[r], from[r + 1]);
  return grid->transport->takes_views && moved < from[grid->ranks] / FEW;
}

/// Rows that move: of both sides an array, its bytes' places, and views of them, if the rank's own rows are copied.
typedef struct move {
  weft_array *got, **view; /* view: of 2 ranks; NULL: the exchange moves all */
  int64_t *at;             /* of 2 (ranks + 1) */
} move;

static weft_status copy_own(const weft_dist *grid, const weft_array *rows, const move *m) {
  const int64_t *at = m->at + grid->rank, *to_at = at + grid->ranks + 1;
  weft_array *from = NULL, *to = NULL;
  weft_status rc = WEFT_OK;
  if (at[1] == at[0]) return WEFT_OK;
  WEFT__TRY(weft__dist_part_of(&from, rows, at[0], at[1]));
  WEFT__TRY(weft__dist_part_of(&to, m->got, to_at[0], to_at[1]));
  rc = weft_copy(&to, from);
done:
  weft_release(&from, &to);
  return rc;
}

/// Views of the other ranks' bytes; at[] has these alone from then on.
static weft_status cut_views(weft_array **view, int64_t *at, const weft_dist *grid, const weft_array *x) {
  int64_t first = 0, end = 0;
  for (int r = 0; r < grid->ranks; r++) {
    const int64_t stop = at[r + 1];
    if (r != grid->rank && stop > first) {
      WEFT__TRY_RETURN(weft__dist_part_of(&view[r], x, first, stop));
      end += stop - first;
    }
    first = stop;
    at[r + 1] = end;
  }
  return WEFT_OK;
}

static weft_status prepare_move(move *m, const weft_dist *grid, const weft_array *rows, const int64_t *from,
                                const int64_t *to, const char *site) {
  const size_t ranks = (size_t)grid->ranks;
  weft_shape part = weft_array_shape(rows);
  const int64_t row_bytes = weft__dist_row_bytes(weft_array_dtype(rows), part);
  if (!(m->at = weft__dist_new(2 * (ranks + 1), sizeof *m->at))) return WEFT_ERROR_HOST_MEMORY;
  places(m->at, grid, from, to, row_bytes);
  places(m->at + ranks + 1, grid, to, from, row_bytes);
  part.dim[0] = to[grid->rank + 1] - to[grid->rank];
  WEFT__TRY_RETURN(weft__empty_at(&m->got, grid->context, weft_array_dtype(rows), part, site));
  if (!moves_little(grid, from, to)) return WEFT_OK;
  if (!(m->view = weft__dist_new(2 * ranks, sizeof(weft_array *)))) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY_RETURN(copy_own(grid, rows, m));
  WEFT__TRY_RETURN(cut_views(m->view, m->at, grid, rows));
  return cut_views(m->view + ranks, m->at + ranks + 1, grid, m->got);
}

weft_status weft__dist_move(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                            const int64_t *from, const int64_t *to, weft_status rc) {
  move m = {0};
  if (!rc) rc = prepare_move(&m, grid, rows, from, to, call->site);
  WEFT__TRY(weft__dist_trade(
      grid, call, &(weft__dist_side){.array = (weft_array *)rows, .at = m.at, .view = m.view},
      &(weft__dist_side){
          .array = m.got, .at = m.at ? m.at + grid->ranks + 1 : NULL, .view = m.view ? m.view + grid->ranks : NULL},
      rc));
  *out = m.got;
  m.got = NULL;
done:
  for (int k = 0; m.view && k < 2 * grid->ranks; k++) weft_array_release(&m.view[k]);
  free(m.view);
  free(m.at);
  weft_array_release(&m.got);
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
