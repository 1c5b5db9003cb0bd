// SPDX-License-Identifier: MIT
/// Rows that move between ranks, and an array's bytes as MPI sees them.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

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
  WEFT__TRY_RETURN(weft_pinned_alloc(&bytes->pinned, grid->context, size_bytes));
  bytes->data = bytes->pinned;
  return writes ? WEFT_OK : weft_to_host(bytes->data, size_bytes, x);
}

weft_status weft__dist_bytes_end(weft__dist_bytes *bytes, weft_status rc) {
  if (bytes->is_mapped) {
    const weft_status unmapped = weft_unmap(bytes->array);
    if (!rc) rc = unmapped;
  }
  if (bytes->pinned && bytes->writes && rc == WEFT_OK) {
    weft_shape shape = weft_array_shape(bytes->array);
    rc = weft_from_host(&bytes->array, weft_array_context(bytes->array), weft_array_dtype(bytes->array), shape,
                        bytes->data);
  }
  weft_pinned_free(&bytes->pinned);
  *bytes = (weft__dist_bytes){0};
  return rc;
}

static weft_status begin_both(weft__dist_bytes *send, weft__dist_bytes *recv, const weft_dist *grid, weft_array *from,
                              weft_array *to) {
  WEFT__TRY_RETURN(weft__dist_bytes_begin(send, grid, from, false));
  return weft__dist_bytes_begin(recv, grid, to, true);
}

weft_status weft__dist_trade(weft_dist *grid, const weft__dist_call *call, const weft__dist_side *from,
                             const weft__dist_side *to, weft_status rc) {
  weft__dist_bytes send = {0}, recv = {0};
  if (!rc) rc = begin_both(&send, &recv, grid, from->array, to->array);
  rc = weft__dist_meet(grid, call, rc);
  if (!rc) rc = weft__dist_exchange(grid, send.data, from->at, recv.data, to->at);
  rc = weft__dist_bytes_end(&recv, rc);
  return weft__dist_bytes_end(&send, rc);
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

static int64_t bytes_of_row(weft_dtype dtype, weft_shape shape) {
  int64_t bytes = (int64_t)weft_dtype_size_bytes(dtype);
  for (int d = 1; d < shape.ndim; d++) bytes *= shape.dim[d];
  return bytes;
}

/// An array for the rows that this rank gets, and the bytes' places on both sides: `at`, of 2 (ranks + 1).
static weft_status prepare_move(weft_array **got, int64_t *at, const weft_dist *grid, const weft_array *rows,
                                const int64_t *from, const int64_t *to, const char *site) {
  const weft_dtype dtype = weft_array_dtype(rows);
  weft_shape part = weft_array_shape(rows);
  const int64_t row_bytes = bytes_of_row(dtype, part);
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
  WEFT__TRY(weft__dist_trade(grid, call, &(weft__dist_side){(weft_array *)rows, at},
                             &(weft__dist_side){got, at + grid->ranks + 1}, rc));
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

weft_status weft__dist_collect(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                               weft_status rc) {
  const weft_shape own = weft_array_shape(rows);
  weft_shape shape = own;
  int64_t *numbers = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *numbers);
  weft__dist_bytes send = {0}, recv = {0};
  weft_array *all = NULL;
  if (!rc && !numbers) rc = WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_meet(grid, call, rc));
  int64_t *count = numbers, *recv_at = numbers + grid->ranks + 1;
  WEFT__TRY(weft__dist_all_numbers(grid, count, &own.dim[0], 1));
  const int64_t row_bytes = bytes_of_row(weft_array_dtype(rows), own);
  shape.dim[0] = 0;
  for (int r = 0; r < grid->ranks; r++) {
    shape.dim[0] += count[r];
    recv_at[r + 1] = recv_at[r] + count[r] * row_bytes;
  }
  rc = weft__empty_at(&all, grid->context, weft_array_dtype(rows), shape, call->site);
  if (!rc) rc = begin_both(&send, &recv, grid, (weft_array *)rows, all);
  WEFT__TRY(weft__dist_meet(grid, call, rc));
  rc = weft__dist_all_bytes(grid, send.data, own.dim[0] * row_bytes, recv.data, recv_at);
done:
  rc = weft__dist_bytes_end(&recv, rc);
  rc = weft__dist_bytes_end(&send, rc);
  free(numbers);
  if (rc == WEFT_OK) {
    *out = all;
    all = NULL;
  }
  weft_array_release(&all);
  return rc;
}
