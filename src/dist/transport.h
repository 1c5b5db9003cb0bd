// SPDX-License-Identifier: MIT
/// The ways in which the bytes of arrays travel between ranks.
#ifndef WEFT_DIST_TRANSPORT_H
#define WEFT_DIST_TRANSPORT_H

#include "dist/dist_array.h"

/// An exchange: every rank sends a part of one array to each rank, and receives parts of another array.
typedef struct weft__dist_passage {
  weft_dist *grid;
  weft__dist_side from, to;
  const struct weft__dist_transport *by; /* set at the begin */
  bool is_started;
  weft__dist_bytes send, recv; /* for MPI; not of every transport */
  MPI_Request *request;        /* `count` messages under way */
  int count;
  int *numbers;                  /* counts and places that MPI reads meanwhile */
  struct weft__dist_lane *lanes; /* of an exchange in pieces */
} weft__dist_passage;

enum { WEFT__DIST_WHY_BYTES = 200 };

/// A row of the table. All ranks of a grid use the same one.
typedef struct weft__dist_transport {
  const char *name; /* in WEFT_DIST_TRANSPORT */
  const char *what; /* in weft_dist_info */
  bool takes_views; /* its sides may have views of any strides */
  /// Prepares the grid for it. False: this rank cannot use it; then `why` says why. Collective.
  bool (*open)(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]);
  /// What can fail on one rank alone, before the ranks meet.
  weft_status (*begin)(weft__dist_passage *p);
  /// Starts the exchange, and waits for it. In between the arrays must not be used.
  weft_status (*start)(weft__dist_passage *p);
  weft_status (*finish)(weft__dist_passage *p);
  /// After `begin` has failed too. Returns `rc`, or its own failure.
  weft_status (*end)(weft__dist_passage *p, weft_status rc);
} weft__dist_transport;

/// Chooses the grid's transport: the first of the table that all ranks can use, or the one that WEFT_DIST_TRANSPORT
/// names, or one after it. Collective. Errors: WEFT_ERROR_ARGUMENT (no such name), WEFT_ERROR_DIST.
weft_status weft__dist_transport_choose(weft_dist *grid);

/// The bytes from *first to *stop - 1 of a side's array that rank r gets or gives.
static inline void weft__dist_span(int64_t *first, int64_t *stop, const weft_dist *grid, const weft__dist_side *side,
                                   int r) {
  *first = side->to_all ? 0 : side->at[r];
  *stop = side->to_all ? side->at[grid->ranks] : side->at[r + 1];
}

/// The transport of an exchange: the grid's, or the host's memory for few bytes that go to all ranks.
const weft__dist_transport *weft__dist_transport_of(const weft__dist_passage *p);

/// A view of bytes `first` to `stop` - 1 of a contiguous array, with one axis.
weft_status weft__dist_part_of(weft_array **out, const weft_array *x, int64_t first, int64_t stop);
/// The two halves of weft__dist_trade. `p` has its grid and sides. The second one is also called if the first one
/// failed; `rc`: this rank's status so far.
weft_status weft__dist_trade_begin(weft__dist_passage *p, const weft__dist_call *call, weft_status rc);
weft_status weft__dist_trade_end(weft__dist_passage *p, weft_status rc);

/// Sends and receives between p->send.data and p->recv.data, except this rank's own part: starts, and waits.
weft_status weft__dist_exchange_start(weft__dist_passage *p);
weft_status weft__dist_exchange_finish(weft__dist_passage *p);

/* ---- in pieces: pieces.c ---- */

struct weft__dist_ring;

/// Memory for the pieces. With `has_windows` the ranks see each other's.
bool weft__dist_ring_open(weft_dist *grid, bool has_windows, char why[WEFT__DIST_WHY_BYTES]);
void weft__dist_ring_close(weft_dist *grid);
weft_status weft__dist_ring_start(weft__dist_passage *p);
weft_status weft__dist_ring_finish(weft__dist_passage *p);

/* ---- windows: windows.c ---- */

/// Each rank's `mine` as an array of bytes of this rank's context: windows[r], to be released; NULL for the own rank.
/// Collective. False: a rank of another host, or memory that cannot be shared.
bool weft__dist_windows_open(weft_array **windows, weft_dist *grid, const weft_array *mine,
                             char why[WEFT__DIST_WHY_BYTES]);

/* ---- NCCL: nccl.c ---- */

/// Collective. False: no library, no memory that CUDA sees, or NCCL refuses the ranks.
bool weft__dist_nccl_open(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]);
void weft__dist_nccl_close(weft_dist *grid);
weft_status weft__dist_nccl_start(weft__dist_passage *p);
weft_status weft__dist_nccl_finish(weft__dist_passage *p);

#endif
