// SPDX-License-Identifier: MIT
/// Bytes from every rank to every rank.
#include <stdlib.h>
#include <string.h>

#include "dist/grid.h"

/* MPI counts in ints. */
#define PIECE_BYTES ((int64_t)1 << 30)
#define TAG 1

static int pieces(int64_t size_bytes) {
  return (int)((size_bytes + PIECE_BYTES - 1) / PIECE_BYTES);
}

typedef struct posting {
  MPI_Request *request;
  int count;
} posting;

/// Begins to send, or to receive, `size_bytes` to or from rank r.
static int post(posting *p, const weft_dist *grid, bool sends, char *data, int64_t size_bytes, int r) {
  int code = 0;
  for (int64_t at = 0; at < size_bytes && !code; at += PIECE_BYTES) {
    const int bytes = (int)(size_bytes - at < PIECE_BYTES ? size_bytes - at : PIECE_BYTES);
    code = sends ? MPI_Isend(data + at, bytes, MPI_BYTE, r, TAG, grid->comm, &p->request[p->count])
                 : MPI_Irecv(data + at, bytes, MPI_BYTE, r, TAG, grid->comm, &p->request[p->count]);
    if (!code) p->count++;
  }
  return code;
}

weft_status weft__dist_exchange(weft_dist *grid, const void *send, const int64_t *send_at, void *recv,
                                const int64_t *recv_at) {
  posting p = {0};
  size_t room = 1;
  int code = 0;
  for (int r = 0; r < grid->ranks; r++)
    room += (size_t)pieces(send_at[r + 1] - send_at[r]) + (size_t)pieces(recv_at[r + 1] - recv_at[r]);
  if (!(p.request = weft__dist_new(room, sizeof *p.request))) return WEFT_ERROR_HOST_MEMORY;
  for (int k = 1; k < grid->ranks && !code; k++) { /* each rank begins with its neighbour, not all with rank 0 */
    const int to = (grid->rank + k) % grid->ranks, from = (grid->rank + grid->ranks - k) % grid->ranks;
    code = post(&p, grid, false, (char *)recv + recv_at[from], recv_at[from + 1] - recv_at[from], from);
    if (!code) code = post(&p, grid, true, (char *)send + send_at[to], send_at[to + 1] - send_at[to], to);
  }
  const int64_t own_bytes = send_at[grid->rank + 1] - send_at[grid->rank];
  if (own_bytes > 0)
    memcpy((char *)recv + recv_at[grid->rank], (const char *)send + send_at[grid->rank], (size_t)own_bytes);
  const weft_status rc =
      code ? weft__dist_failed(code, "MPI_Isend or MPI_Irecv") : weft__dist_wait(grid, p.count, p.request);
  free(p.request);
  return rc;
}

/// Each rank in turn sends its bytes to all, in pieces that MPI can count.
weft_status weft__dist_all_bytes(weft_dist *grid, const void *send, int64_t size_bytes, void *recv,
                                 const int64_t *recv_at) {
  if (size_bytes > 0) memcpy((char *)recv + recv_at[grid->rank], send, (size_t)size_bytes);
  for (int r = 0; r < grid->ranks; r++)
    for (int64_t at = recv_at[r]; at < recv_at[r + 1]; at += PIECE_BYTES) {
      const int64_t left = recv_at[r + 1] - at;
      MPI_Request request;
      const int code = MPI_Ibcast((char *)recv + at, (int)(left < PIECE_BYTES ? left : PIECE_BYTES), MPI_BYTE, r,
                                  grid->comm, &request);
      if (code) return weft__dist_failed(code, "MPI_Ibcast");
      WEFT__TRY_RETURN(weft__dist_wait(grid, 1, &request));
    }
  return WEFT_OK;
}

weft_status weft__dist_all_numbers(weft_dist *grid, int64_t *all, const int64_t *own, int count) {
  MPI_Request request;
  const int code = MPI_Iallgather(own, count, MPI_INT64_T, all, count, MPI_INT64_T, grid->comm, &request);
  return code ? weft__dist_failed(code, "MPI_Iallgather") : weft__dist_wait(grid, 1, &request);
}
