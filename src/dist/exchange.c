// SPDX-License-Identifier: MIT
/// Bytes of host memory, or of memory that MPI reaches, from every rank to every rank.
#include <stdlib.h>

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

weft_status weft__dist_all_numbers(weft_dist *grid, int64_t *all, const int64_t *own, int count) {
  MPI_Request request;
  const int code = MPI_Iallgather(own, count, MPI_INT64_T, all, count, MPI_INT64_T, grid->comm, &request);
  return code ? weft__dist_failed(grid, code, "MPI_Iallgather") : weft__dist_wait(grid, 1, &request);
}

weft_status weft__dist_all_bytes(weft_dist *grid, void *all, const int64_t *at, const void *own, int *numbers) {
  int *counts = numbers, *places = numbers + grid->ranks;
  MPI_Request request;
  for (int r = 0; r < grid->ranks; r++) {
    places[r] = (int)at[r];
    counts[r] = (int)(at[r + 1] - at[r]);
  }
  const int code =
      MPI_Iallgatherv(own, counts[grid->rank], MPI_BYTE, all, counts, places, MPI_BYTE, grid->comm, &request);
  return code ? weft__dist_failed(grid, code, "MPI_Iallgatherv") : weft__dist_wait(grid, 1, &request);
}

weft_status weft__dist_all_sums(weft_dist *grid, int64_t *sums, const int64_t *own, int64_t count) {
  MPI_Request request;
  const int code = MPI_Iallreduce(own, sums, (int)count, MPI_INT64_T, MPI_SUM, grid->comm, &request);
  return code ? weft__dist_failed(grid, code, "MPI_Iallreduce") : weft__dist_wait(grid, 1, &request);
}

weft_status weft__dist_all_most(weft_dist *grid, int64_t *number) {
  const int64_t own = *number;
  MPI_Request request;
  const int code = MPI_Iallreduce(&own, number, 1, MPI_INT64_T, MPI_MAX, grid->comm, &request);
  return code ? weft__dist_failed(grid, code, "MPI_Iallreduce") : weft__dist_wait(grid, 1, &request);
}

weft_status weft__dist_broadcast(weft_dist *grid, void *bytes, int size_bytes, int root) {
  MPI_Request request;
  const int code = MPI_Ibcast(bytes, size_bytes, MPI_BYTE, root, grid->comm, &request);
  return code ? weft__dist_failed(grid, code, "MPI_Ibcast") : weft__dist_wait(grid, 1, &request);
}
