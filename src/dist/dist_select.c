// SPDX-License-Identifier: MIT
/// Selected rows, distinct elements, and rows by their index in the whole array.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

/* ---- by a mask ---- */

weft_status weft__dist_compress_at(weft_dist_array **out, const weft_dist_array *mask, const weft_dist_array *x,
                                   const char *site) {
  weft_array *rows = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_compress", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_rows(mask, "mask", 1));
  WEFT__TRY(weft__dist_check_rows(x, "x", 0));
  if (mask->grid != x->grid || mask->shape.dim[0] != x->shape.dim[0])
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_SHAPE, "mask", "`mask` has %lld elements and `x` %lld rows%s",
                              (long long)mask->shape.dim[0], (long long)x->shape.dim[0],
                              mask->grid == x->grid ? "" : ", and they are of different grids"));
  const weft__dist_call call = weft__dist_call_of("weft_dist_compress", site, x);
  rc = weft__compress_at(weft__operand_result(&rows), weft__operand_array(mask->local), weft__operand_array(x->local),
                         weft__axes_int(0), &(weft_compress_params){.site = site});
  rc = weft__dist_join(out, x->grid, &call, rows, x->shape, 0, rc);
done:
  weft_array_release(&rows);
  return weft__dist_leave(rc);
}

/* ---- distinct elements ---- */

/// The last element of the ranks before this one, if any: an array of one element, or none.
static weft_status element_before(weft_array **before, const weft_dist_array *sorted, const weft__dist_call *call) {
  weft_dist *grid = sorted->grid;
  const weft_slice_params at = {.site = call->site};
  const int64_t n = sorted->count;
  weft_array *last = NULL, *all = NULL;
  int64_t earlier = 0;
  weft_status rc = weft__slice_at(&last, sorted->local, weft__axes_int(0), n > 0 ? n - 1 : 0, n, &at);
  WEFT__TRY(weft__dist_collect(&all, grid, call, last, rc));
  for (int r = 0; r < grid->rank; r++)
    earlier += weft__dist_first(grid, sorted->shape.dim[0], r + 1) > weft__dist_first(grid, sorted->shape.dim[0], r);
  rc = weft__slice_at(before, all, weft__axes_int(0), earlier > 0 ? earlier - 1 : 0, earlier, &at);
done:
  weft_release(&last, &all);
  return rc;
}

/// The distinct elements of a sorted array that no rank before this one has.
static weft_status distinct_local(weft_array **rows, const weft_dist_array *sorted, const weft_array *before,
                                  const char *site) {
  weft_array *const parts[] = {(weft_array *)before, sorted->local};
  weft_array *joined = NULL, *distinct = NULL, *own = NULL;
  const int64_t skipped = weft_array_size(before);
  weft_status rc;
  WEFT__TRY(weft__concatenate_at(weft__operand_result(&joined), parts, 2, weft__axes_int(0), site));
  WEFT__TRY(weft_unique(&distinct, joined));
  WEFT__TRY(weft__slice_at(&own, distinct, weft__axes_int(0), skipped, weft_array_size(distinct),
                           &(weft_slice_params){.site = site}));
  rc = weft__copy_at(rows, own, &(weft_copy_params){.site = site});
done:
  weft_release(&joined, &distinct, &own);
  return rc;
}

weft_status weft__dist_unique_at(weft_dist_array **out, const weft_dist_array *x, const char *site) {
  weft_dist_array *sorted = NULL;
  weft_array *before = NULL, *rows = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_unique", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_rows(x, "x", 1));
  const weft__dist_call call = weft__dist_call_of("weft_dist_unique", site, x);
  WEFT__TRY(weft__dist_sort_at(&sorted, x, weft__axes_int(0), site));
  rc = element_before(&before, sorted, &call);
  if (!rc) rc = distinct_local(&rows, sorted, before, site);
  rc = weft__dist_join(out, x->grid, &call, rows, x->shape, 0, rc);
done:
  weft_dist_array_release(&sorted);
  weft_release(&before, &rows);
  return weft__dist_leave(rc);
}

/* ---- by index ---- */

/// Requests for rows: sorted by the rank that has them.
typedef struct requests {
  weft_dist *grid;
  const weft_dist_array *x;
  weft__dist_call call;
  weft_array *order, *sorted; /* places of the requests; their indices */
  int64_t *at, *came_at;      /* of the requests to, and from, each rank */
} requests;

/// The order of the indices by owner, and how many go to each rank.
static weft_status sort_requests(requests *q, const weft_array *indices, const char *site) {
  const weft_dist *grid = q->grid;
  const int64_t n = q->x->shape.dim[0];
  int64_t *bounds = weft__dist_shares(grid, n);
  weft_array *wide = NULL, *positive = NULL, *edges = NULL, *cuts = NULL;
  weft_status rc;
  if (!bounds) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__cast_at(&wide, indices, WEFT_I64, site));
  WEFT__TRY(weft_eval(&positive, grid->context, "where(i < 0, i + n, i)", WEFT_NAMED("i", wide), WEFT_NAMED("n", n)));
  WEFT__TRY(weft_argsort(&q->order, positive, 0));
  WEFT__TRY(weft_take(&q->sorted, positive, q->order, 0));
  WEFT__TRY(weft__from_host_at(&edges, grid->context, WEFT_I64, WEFT_SHAPE(grid->ranks + 1), bounds, site));
  WEFT__TRY(weft_searchsorted(&cuts, q->sorted, edges));
  WEFT__TRY(weft_to_host(q->at, ((size_t)grid->ranks + 1) * sizeof *q->at, cuts));
  const int64_t count = weft_array_size(indices);
  if (q->at[0] != 0 || q->at[grid->ranks] != count)
    rc = weft__dist_fail(WEFT_ERROR_INDEX, "indices", "%lld of %lld indices are out of range for axis 0 of %lld rows",
                         (long long)(q->at[0] + count - q->at[grid->ranks]), (long long)count, (long long)n);
done:
  free(bounds);
  weft_release(&wide, &positive, &edges, &cuts);
  return rc;
}

/// Every rank learns how many requests come to it.
static weft_status count_requests(requests *q) {
  const int ranks = q->grid->ranks;
  int64_t *own = weft__dist_new((size_t)ranks, sizeof *own);
  int64_t *all = weft__dist_new((size_t)ranks * (size_t)ranks, sizeof *all);
  weft_status rc = own && all ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_meet(q->grid, &q->call, rc));
  for (int r = 0; r < ranks; r++) own[r] = q->at[r + 1] - q->at[r];
  WEFT__TRY(weft__dist_all_numbers(q->grid, all, own, ranks));
  for (int r = 0; r < ranks; r++)
    q->came_at[r + 1] = q->came_at[r] + all[(size_t)r * (size_t)ranks + (size_t)q->grid->rank];
done:
  free(own);
  free(all);
  return rc;
}

static void in_bytes(int64_t *bytes, const int64_t *rows, int ranks, int64_t row_bytes) {
  for (int r = 0; r <= ranks; r++) bytes[r] = rows[r] * row_bytes;
}

/// Sends rows by the places `from` and gets an array of as many rows as `to` says.
static weft_status trade_rows(weft_array **out, const requests *q, weft_array *rows, const int64_t *from,
                              const int64_t *to, weft_status rc) {
  const int ranks = q->grid->ranks;
  int64_t *at = weft__dist_new(2 * ((size_t)ranks + 1), sizeof *at), *to_at = at + ranks + 1;
  weft_array *got = NULL;
  weft_shape shape = weft_array_shape(rows);
  if (!rc && !at) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc) {
    int64_t row_bytes = (int64_t)weft_dtype_size_bytes(weft_array_dtype(rows));
    for (int d = 1; d < shape.ndim; d++) row_bytes *= shape.dim[d];
    in_bytes(at, from, ranks, row_bytes);
    in_bytes(to_at, to, ranks, row_bytes);
    shape.dim[0] = to[ranks];
    rc = weft__empty_at(&got, q->grid->context, weft_array_dtype(rows), shape, q->call.site);
  }
  WEFT__TRY(weft__dist_trade(q->grid, &q->call, &(weft__dist_side){.array = rows, .at = at},
                             &(weft__dist_side){.array = got, .at = to_at}, rc));
  *out = got;
  got = NULL;
done:
  free(at);
  weft_array_release(&got);
  return rc;
}

/// The rows that others asked this rank for.
static weft_status take_asked(weft_array **rows, const requests *q, const weft_array *asked) {
  weft_array *places = NULL;
  weft_status rc;
  WEFT__TRY(weft_subtract(&places, asked, q->x->first));
  rc = weft_take(rows, q->x->local, places, 0);
done:
  weft_array_release(&places);
  return rc;
}

/// Rows in the order of the sorted requests, put into the order of the requests.
static weft_status restore(weft_array **out, const requests *q, const weft_array *rows) {
  weft_array *made = NULL;
  weft_status rc;
  WEFT__TRY(weft__empty_at(&made, q->grid->context, weft_array_dtype(rows), weft_array_shape(rows), q->call.site));
  WEFT__TRY(weft_scatter(made, q->order, rows, 0));
  *out = made;
  made = NULL;
done:
  weft_array_release(&made);
  return rc;
}

weft_status weft__dist_take_at(weft_dist_array **out, const weft_dist_array *x, const weft_dist_array *indices,
                               const char *site) {
  weft_array *asked = NULL, *rows = NULL, *came = NULL, *mine = NULL;
  requests q = {.x = x};
  int64_t *places = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_take", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_rows(x, "x", 0));
  WEFT__TRY(weft__dist_check_rows(indices, "indices", 1));
  if (x->grid != indices->grid)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_CONTEXT, "indices", "`indices` is of another grid than `x`"));
  q.grid = x->grid;
  q.call = weft__dist_call_of("weft_dist_take", site, x);
  q.call.numbers[1] = indices->shape.dim[0];
  places = weft__dist_new(2 * ((size_t)q.grid->ranks + 1), sizeof *places);
  q.at = places;
  q.came_at = places ? places + q.grid->ranks + 1 : NULL;
  rc = places ? sort_requests(&q, indices->local, site) : WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_meet(q.grid, &q.call, rc));
  WEFT__TRY(count_requests(&q));
  WEFT__TRY(trade_rows(&asked, &q, q.sorted, q.at, q.came_at, WEFT_OK));
  rc = take_asked(&rows, &q, asked);
  WEFT__TRY(trade_rows(&came, &q, rows, q.came_at, q.at, rc));
  rc = restore(&mine, &q, came);
  weft_shape shape = x->shape;
  shape.dim[0] = indices->shape.dim[0];
  rc = weft__dist_finish(out, q.grid, &q.call, shape, 0, &mine, rc);
done:
  free(places);
  weft_release(&asked, &rows, &came, &mine, &q.order, &q.sorted);
  return weft__dist_leave(rc);
}
