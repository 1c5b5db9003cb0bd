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
  bool is_beside;                        /* the program may have kernels run beside the exchange */
  bool is_started;
  weft__dist_bytes send, recv; /* for MPI; not of every transport */
  MPI_Request *request;        /* `count` messages under way */
  int count;
  struct weft__dist_lane *lanes; /* of an exchange in pieces */
  int64_t is_unseen;             /* some array is not in CUDA's memory: at the begin of this rank, then of any rank */
} weft__dist_passage;

enum { WEFT__DIST_WHY_BYTES = 200 };

/// A row of the table. All ranks of a grid use the same one.
typedef struct weft__dist_transport {
  const char *name; /* in WEFT_DIST_TRANSPORT */
  const char *what; /* in weft_dist_info */
  bool takes_views; /* its sides may have views of any strides */
  bool has_windows; /* kernels of a rank can write into another one's memory */
  /* Only of arrays in CUDA's memory. If some rank has another one, all ranks know it at the start: it cuts them into
     pieces, or the host's memory serves. */
  bool needs_cuda, cuts;
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

/// The last resort, the host's memory.
const weft__dist_transport *weft__dist_transport_host(void);

/// Where CUDA sees both arrays, or p->is_unseen.
weft_status weft__dist_find_pointers(weft__dist_passage *p);
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

/// Where the pieces are between two ranks.
typedef enum weft__dist_slots {
  WEFT__DIST_WINDOWS, /* in the GPUs' memory; each rank sees the others' */
  WEFT__DIST_SHARED,  /* in memory that the ranks of a host share; between hosts as the next */
  WEFT__DIST_PINNED,  /* in memory of each rank; MPI copies from one to the other */
} weft__dist_slots;

/// Memory for the pieces. Collective.
bool weft__dist_ring_open(weft_dist *grid, weft__dist_slots slots, char why[WEFT__DIST_WHY_BYTES]);
void weft__dist_ring_close(weft_dist *grid);
/// What is collected by the host's memory (collect.c): of more bytes the transport is faster.
static inline int64_t weft__dist_mail_bytes(const weft_dist *grid) {
  return grid->piece_bytes / 64;
}
/// Rank r's room for two collections of that size, in memory that all ranks share; NULL: not all do.
char *weft__dist_ring_mail(const weft_dist *grid, int r);
/// Whether an exchange can hand what comes to a function (`take` of weft__dist_side).
bool weft__dist_ring_hands(const weft_dist *grid);
weft_status weft__dist_ring_start(weft__dist_passage *p);
weft_status weft__dist_ring_finish(weft__dist_passage *p);

/// Copies `from`, a part of the contiguous array `from_whole`, to `part` of `whole`, of which one may be another GPU's
/// window, on the stream in use. *is_pushed = false: the parts have no form that the kernel can copy.
weft_status weft__dist_copy_piece(bool *is_pushed, weft_dist *grid, weft_array *whole, const weft_array *part,
                                  const weft_array *from_whole, const weft_array *from);

/* ---- memory of several processes: handles.c, shared.c, windows.c ---- */

/// Every rank sends a file descriptor of its own to the other ranks of its host. handles[r]: rank r's, whose file
/// descriptor is the caller's, or .file = -1: the own rank, another host, not received. Collective; all ranks get
/// the same. False: some rank has none (own->file is negative), or no Unix socket.
bool weft__dist_handles_trade(weft_cuda_handle *handles, weft_dist *grid, const weft_cuda_handle *own,
                              char why[WEFT__DIST_WHY_BYTES]);
void weft__dist_handles_close(weft_cuda_handle *handles, const weft_dist *grid);

/// Memory of `size_bytes` on each rank that the ranks of its host share, at first zeros: of[r] is rank r's as this rank
/// sees it; NULL: r is on another host. Collective; all ranks get the same. False: `of` may have some to unmap.
bool weft__dist_shared_map(char **of, weft_dist *grid, int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]);
/// Not collective: what other ranks have mapped stays theirs.
void weft__dist_shared_unmap(char **of, const weft_dist *grid, int64_t size_bytes);
/// weft__dist_shared_map of memory that is pinned where the driver does it.
bool weft__dist_shared_open(char **of, weft_dist *grid, int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]);
void weft__dist_shared_close(char **of, const weft_dist *grid, int64_t size_bytes);

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
