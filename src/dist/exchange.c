// SPDX-License-Identifier: MIT
/// Bytes of host memory, or of memory that MPI reaches, from every rank to every rank; and small collective calls.
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

/* MPI counts in ints. */
#define PIECE_BYTES ((int64_t)1 << 30)
#define TAG 1

static int pieces(int64_t size_bytes) {
  return (int)((size_bytes + PIECE_BYTES - 1) / PIECE_BYTES);
}

/// Begins to send, or to receive, `size_bytes` to or from rank r.
static int post(weft__dist_passage *p, bool sends, char *data, int64_t size_bytes, int r) {
  int code = 0;
  for (int64_t at = 0; at < size_bytes && !code; at += PIECE_BYTES) {
    const int bytes = (int)(size_bytes - at < PIECE_BYTES ? size_bytes - at : PIECE_BYTES);
    code = sends ? MPI_Isend(data + at, bytes, MPI_BYTE, r, TAG, p->grid->comm, &p->request[p->count])
                 : MPI_Irecv(data + at, bytes, MPI_BYTE, r, TAG, p->grid->comm, &p->request[p->count]);
    if (!code) p->count++;
  }
  return code;
}

weft_status weft__dist_exchange_start(weft__dist_passage *p) {
  const weft_dist *grid = p->grid;
  size_t room = 1;
  int64_t first, stop;
  int code = 0;
  for (int r = 0; r < grid->ranks; r++) {
    weft__dist_span(&first, &stop, grid, &p->from, r);
    room += (size_t)pieces(stop - first) + (size_t)pieces(p->to.at[r + 1] - p->to.at[r]);
  }
  if (!(p->request = weft__dist_new(room, sizeof *p->request))) return WEFT_ERROR_HOST_MEMORY;
  for (int k = 1; k < grid->ranks && !code; k++) { /* each rank begins with its neighbour, not all with rank 0 */
    const int to = (grid->rank + k) % grid->ranks, from = (grid->rank + grid->ranks - k) % grid->ranks;
    code = post(p, false, (char *)p->recv.data + p->to.at[from], p->to.at[from + 1] - p->to.at[from], from);
    weft__dist_span(&first, &stop, grid, &p->from, to);
    if (!code) code = post(p, true, (char *)p->send.data + first, stop - first, to);
  }
  return code ? weft__dist_failed(p->grid, code, "MPI_Isend or MPI_Irecv") : WEFT_OK;
}

weft_status weft__dist_exchange_finish(weft__dist_passage *p) {
  WEFT__TRY_RETURN(weft__dist_wait(p->grid, p->count, p->request));
  free(p->request);
  return WEFT_OK;
}

/* ---- small numbers ---- */

/// Memory of the grid for a call of MPI. It is no caller's: when the call has failed MPI may still use it, and it stays
/// with the lost grid.
static weft_status reserve(weft_dist *grid, size_t size_bytes) {
  const size_t usual_bytes = 256 * ((size_t)grid->ranks + 1);
  WEFT__TRY_RETURN(weft__dist_check_grid(grid)); /* a lost grid's memory is in use */
  if (grid->room_bytes >= size_bytes) return WEFT_OK;
  free(grid->room);
  grid->room_bytes = size_bytes > usual_bytes ? size_bytes : usual_bytes;
  grid->room = weft__dist_new(grid->room_bytes, 1);
  if (grid->room) return WEFT_OK;
  grid->room_bytes = 0;
  return weft__dist_lose(grid, WEFT_ERROR_HOST_MEMORY); /* the others are in the call already */
}

static weft_status wait_for(weft_dist *grid, MPI_Request *request, int code, const char *call) {
  const weft_status rc = code ? weft__dist_failed(grid, code, call) : weft__dist_wait(grid, 1, request);
  return rc ? weft__dist_lose(grid, rc) : WEFT_OK;
}

weft_status weft__dist_gather(weft_dist *grid, void *all, const void *own, size_t size_bytes) {
  const int bytes = (int)size_bytes;
  MPI_Request request;
  WEFT__TRY_RETURN(reserve(grid, size_bytes * ((size_t)grid->ranks + 1)));
  char *rows = grid->room + size_bytes;
  memcpy(grid->room, own, size_bytes);
  const int code = MPI_Iallgather(grid->room, bytes, MPI_BYTE, rows, bytes, MPI_BYTE, grid->comm, &request);
  WEFT__TRY_RETURN(wait_for(grid, &request, code, "MPI_Iallgather"));
  memcpy(all, rows, size_bytes * (size_t)grid->ranks);
  return WEFT_OK;
}

weft_status weft__dist_all_bytes(weft_dist *grid, void *all, const int64_t *at, const void *own) {
  MPI_Request request;
  WEFT__TRY_RETURN(reserve(grid, 2 * (size_t)grid->ranks * sizeof(int)));
  int *counts = (int *)(void *)grid->room, *places = counts + grid->ranks;
  for (int r = 0; r < grid->ranks; r++) {
    places[r] = (int)at[r];
    counts[r] = (int)(at[r + 1] - at[r]);
  }
  const int code =
      MPI_Iallgatherv(own, counts[grid->rank], MPI_BYTE, all, counts, places, MPI_BYTE, grid->comm, &request);
  return wait_for(grid, &request, code, "MPI_Iallgatherv");
}

/// Of numbers of 64 bits.
static weft_status reduce(weft_dist *grid, void *out, const void *own, size_t count, MPI_Datatype type, MPI_Op op) {
  const size_t size_bytes = count * sizeof(int64_t);
  MPI_Request request;
  WEFT__TRY_RETURN(reserve(grid, 2 * size_bytes));
  char *result = grid->room + size_bytes;
  memcpy(grid->room, own, size_bytes);
  const int code = MPI_Iallreduce(grid->room, result, (int)count, type, op, grid->comm, &request);
  WEFT__TRY_RETURN(wait_for(grid, &request, code, "MPI_Iallreduce"));
  memcpy(out, result, size_bytes);
  return WEFT_OK;
}

weft_status weft__dist_all_sums(weft_dist *grid, int64_t *sums, const int64_t *own, int64_t count) {
  return reduce(grid, sums, own, (size_t)count, MPI_INT64_T, MPI_SUM);
}

weft_status weft__dist_all_most(weft_dist *grid, int64_t *number) {
  return reduce(grid, number, number, 1, MPI_INT64_T, MPI_MAX);
}

weft_status weft__dist_all_greatest(weft_dist *grid, uint64_t *words, int count) {
  return reduce(grid, words, words, (size_t)count, MPI_UINT64_T, MPI_MAX);
}

weft_status weft__dist_broadcast(weft_dist *grid, void *bytes, int size_bytes, int root) {
  MPI_Request request;
  WEFT__TRY_RETURN(reserve(grid, (size_t)size_bytes));
  memcpy(grid->room, bytes, (size_t)size_bytes);
  const int code = MPI_Ibcast(grid->room, size_bytes, MPI_BYTE, root, grid->comm, &request);
  WEFT__TRY_RETURN(wait_for(grid, &request, code, "MPI_Ibcast"));
  memcpy(bytes, grid->room, (size_t)size_bytes);
  return WEFT_OK;
}
