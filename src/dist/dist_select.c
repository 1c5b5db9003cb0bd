// SPDX-License-Identifier: MIT
/// Selected rows, distinct elements, and rows by their index in the whole array.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

/// One axis of x, and an array of one axis with what concerns its rows.
static weft_status check_pair(int *axis, const weft_dist_array *x, const weft_dist_array *other, const char *name,
                              const weft_dist_axis_params *options) {
  *axis = options->axis;
  WEFT__TRY_RETURN(weft__dist_check(other, name));
  WEFT__TRY_RETURN(weft__dist_check(x, "x"));
  WEFT__TRY_RETURN(weft__dist_check_axis(axis, x->shape, false));
  if (*axis == x->axis) WEFT__TRY_RETURN(weft__dist_check_rows(other, name, 1));
  if (other->shape.ndim != 1)
    return weft__dist_fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected one", name, other->shape.ndim);
  if (x->grid != other->grid)
    return weft__dist_fail(WEFT_ERROR_CONTEXT, name, "`%s` is of another grid than `x`", name);
  return WEFT_OK;
}

/* ---- by a mask ---- */

weft_status weft__dist_compress_at(weft_dist_array **out, const weft_dist_array *mask, const weft_dist_array *x,
                                   const weft_dist_axis_params *params) {
  const weft_dist_axis_params options = params ? *params : (weft_dist_axis_params){0};
  const char *site = options.site;
  weft_dist_array *all = NULL;
  weft_array *rows = NULL, *turned = NULL;
  int axis;
  weft_status rc;
  weft__dist_enter("weft_dist_compress", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(check_pair(&axis, x, mask, "mask", &options));
  if (mask->shape.dim[0] != x->shape.dim[axis])
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_SHAPE, "mask", "`mask` has %lld elements and `x` %lld rows along axis %d",
                              (long long)mask->shape.dim[0], (long long)x->shape.dim[axis], axis));
  weft__dist_call call = weft__dist_call_of("weft_dist_compress", site, x);
  call.numbers[1] = axis;
  if (axis != x->axis) WEFT__TRY(weft__dist_resplit_at(&all, mask, WEFT_DIST_WHOLE, site));
  rc = weft__compress_at(weft__operand_result(&rows), weft__operand_array((all ? all : mask)->local),
                         weft__operand_array(x->local), weft__axes_int(axis), &(weft_compress_params){.site = site});
  if (axis == x->axis) {
    if (!rc) rc = weft__dist_turn(&turned, rows, axis, 0, site);
    rc = weft__dist_join(out, x->grid, &call, turned, x->shape, axis, rc);
  } else {
    weft_shape shape = x->shape;
    if (!rc) shape.dim[axis] = weft_array_length(rows, axis);
    rc = weft__dist_finish(out, x->grid, &call, shape, x->axis, &rows, rc);
  }
done:
  weft_dist_array_release(&all);
  weft_release(&rows, &turned);
  return weft__dist_leave(rc);
}

/* ---- distinct elements ---- */

/// Writes to mask[first], ... whether an element differs from the one before it. All NaN are the same.
static weft_status mark_distinct(weft_array *mask, int64_t first, const weft_array *x, const weft_array *before,
                                 const char *site) {
  const weft_operand list[] = {weft__operand_named("x", weft__operand_const_array(x)),
                               weft__operand_named("b", weft__operand_const_array(before))};
  weft_array *part = NULL;
  weft_status rc;
  WEFT__TRY(weft__slice_at(&part, mask, weft__axes_int(0), first, first + weft_array_size(x),
                           &(weft_slice_params){.site = site}));
  rc = weft__eval_at(weft__operand_result(&part), weft_array_context(mask), "(x != b) & ((x == x) | (b == b))", 2, list,
                     site);
done:
  weft_array_release(&part);
  return rc;
}

/// The first element differs from the one before it, or none is before it.
static weft_status mark_first(weft_array *mask, const weft_array *sorted, const weft_array *before, const char *site) {
  const weft_slice_params at = {.site = site};
  weft_array *first = NULL, *mark = NULL;
  weft_status rc;
  WEFT__TRY(weft__slice_at(&first, sorted, weft__axes_int(0), 0, 1, &at));
  if (weft_array_size(before) > 0) {
    rc = mark_distinct(mask, 0, first, before, site);
  } else {
    WEFT__TRY(weft__slice_at(&mark, mask, weft__axes_int(0), 0, 1, &at));
    rc = weft__fill_at(mark, WEFT_SCALAR(true), site);
  }
done:
  weft_release(&first, &mark);
  return rc;
}

/// The distinct elements of a sorted array that no rank before this one has. `before`: the last element before it, or
/// none. The result begins an array of the sorted one's size: the pool has that memory from the sort, while two more
/// arrays of the count's size would go beyond the pool's bound, and be made again in every call.
static weft_status distinct_local(weft_array **rows, const weft_array *sorted, const weft_array *before,
                                  const char *site) {
  const weft_slice_params at = {.site = site};
  const int64_t n = weft_array_size(sorted);
  weft_array *mask = NULL, *others = NULL, *earlier = NULL, *room = NULL, *counted = NULL;
  int64_t count = 0;
  weft_status rc;
  WEFT__TRY(weft__empty_at(&mask, weft_array_context(sorted), WEFT_BOOL, WEFT_SHAPE(n), site));
  if (n > 0) WEFT__TRY(mark_first(mask, sorted, before, site));
  if (n > 1) {
    WEFT__TRY(weft__slice_at(&others, sorted, weft__axes_int(0), 1, n, &at));
    WEFT__TRY(weft__slice_at(&earlier, sorted, weft__axes_int(0), 0, n - 1, &at));
    WEFT__TRY(mark_distinct(mask, 1, others, earlier, site));
  }
  WEFT__TRY(weft__compress_at(weft__operand_result(&room), weft__operand_array(mask), weft__operand_const_array(sorted),
                              WEFT_ALL_AXES, &(weft_compress_params){.count = &counted, .site = site}));
  WEFT__TRY(weft_to_host(&count, sizeof count, counted));
  rc = weft__slice_at(rows, room, weft__axes_int(0), 0, count, &at);
done:
  weft_release(&mask, &others, &earlier, &room, &counted);
  return rc;
}

weft_status weft__dist_unique_at(weft_dist_array **out, const weft_dist_array *x, const char *site) {
  weft_dist_array *sorted = NULL;
  weft_array *before = NULL, *rows = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_unique", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_rows(x, "x", 1));
  WEFT__TRY(weft__dist_check_real(x));
  const weft__dist_call call = weft__dist_call_of("weft_dist_unique", site, x);
  WEFT__TRY(weft__dist_sort_at(&sorted, x, weft__axes_int(0), &(weft_sort_params){.site = site}));
  rc = weft__dist_row_before(&before, x->grid, &call, sorted->local, x->shape.dim[0], WEFT_OK);
  if (!rc) rc = distinct_local(&rows, sorted->local, before, site);
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
  const weft_array *rows; /* this rank's, with the split axis first */
  weft__dist_call call;
  weft_array *order, *sorted; /* places of the requests; their indices */
  int64_t *at, *came_at;      /* of the requests to, and from, each rank */
} requests;

/// The order of the indices by owner, and how many go to each rank.
static weft_status sort_requests(requests *q, const weft_array *indices, const char *site) {
  const weft_dist *grid = q->grid;
  const int64_t n = q->x->shape.dim[q->x->axis];
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
    rc =
        weft__dist_fail(WEFT_ERROR_INDEX, "indices", "%lld of %lld indices are out of range for axis %d of %lld rows",
                        (long long)(q->at[0] + count - q->at[grid->ranks]), (long long)count, q->x->axis, (long long)n);
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
  WEFT__TRY(weft__dist_rendezvous(q->grid, &q->call, rc));
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
  rc = weft_take(rows, q->rows, places, 0);
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

/// Rows of x, which is split along axis 0, into `mine`.
static weft_status take_split(weft_array **mine, requests *q, const weft_array *indices, weft_status rc) {
  weft_array *asked = NULL, *rows = NULL, *came = NULL;
  const size_t places = (size_t)q->grid->ranks + 1;
  if (!(q->at = weft__dist_new(2 * places, sizeof *q->at))) rc = WEFT_ERROR_HOST_MEMORY;
  q->came_at = q->at ? q->at + places : NULL;
  if (!rc) rc = sort_requests(q, indices, q->call.site);
  WEFT__TRY(weft__dist_rendezvous(q->grid, &q->call, rc));
  WEFT__TRY(count_requests(q));
  WEFT__TRY(trade_rows(&asked, q, q->sorted, q->at, q->came_at, WEFT_OK));
  rc = take_asked(&rows, q, asked);
  WEFT__TRY(trade_rows(&came, q, rows, q->came_at, q->at, rc));
  rc = restore(mine, q, came);
done:
  free(q->at);
  weft_release(&asked, &rows, &came, &q->order, &q->sorted);
  return rc;
}

/// Along the split axis.
static weft_status take_across(weft_array **out, const weft_dist_array *x, const weft_dist_array *indices,
                               const weft__dist_call *call) {
  weft_array *rows = NULL, *mine = NULL;
  requests q = {.grid = x->grid, .x = x, .call = *call};
  weft_status rc = weft__dist_turn(&rows, x->local, x->axis, 0, call->site);
  q.rows = rows;
  rc = take_split(&mine, &q, indices->local, rc);
  if (!rc) rc = weft__dist_turn(out, mine, 0, x->axis, call->site);
  weft_release(&rows, &mine);
  return rc;
}

/// Along another axis: each rank for itself, with all indices.
static weft_status take_along(weft_array **out, const weft_dist_array *x, int axis, const weft_dist_array *indices,
                              const char *site) {
  weft_dist_array *all = NULL;
  weft_status rc;
  WEFT__TRY(weft__dist_resplit_at(&all, indices, WEFT_DIST_WHOLE, site));
  rc = weft__take_at(weft__operand_result(out), weft__operand_array(x->local), weft__operand_array(all->local),
                     weft__axes_int(axis), &(weft_index_params){.site = site});
  if (!rc) rc = weft_context_wait(x->grid->context); /* reports an index that is out of range */
done:
  weft_dist_array_release(&all);
  return rc;
}

weft_status weft__dist_take_at(weft_dist_array **out, const weft_dist_array *x, const weft_dist_array *indices,
                               const weft_dist_axis_params *params) {
  const weft_dist_axis_params options = params ? *params : (weft_dist_axis_params){0};
  weft_array *mine = NULL;
  int axis;
  weft_status rc;
  weft__dist_enter("weft_dist_take", options.site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(check_pair(&axis, x, indices, "indices", &options));
  weft__dist_call call = weft__dist_call_of("weft_dist_take", options.site, x);
  call.numbers[1] = indices->shape.dim[0];
  call.numbers[2] = axis;
  rc = axis == x->axis ? take_across(&mine, x, indices, &call) : take_along(&mine, x, axis, indices, options.site);
  weft_shape shape = x->shape;
  shape.dim[axis] = indices->shape.dim[0];
  rc = weft__dist_finish(out, x->grid, &call, shape, x->axis, &mine, rc);
done:
  weft_array_release(&mine);
  return weft__dist_leave(rc);
}
