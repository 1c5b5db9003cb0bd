// SPDX-License-Identifier: MIT
/// An exchange in pieces, of runs of bytes or of blocks with strides, each of which passes through a slot of memory: of
/// the receiving GPU (its window, into which the sender writes: a link carries more both ways by writes than by reads),
/// of the host and shared by both ranks, or pinned memory of each rank, which MPI copies. While one piece is copied the
/// next one is on its way, and both directions run at the same time.
///
/// A piece goes through phases, in each of which it follows the piece before it:
///
///     to the host's memory    0 copy into a slot   1 copied: send the slot, or its number   2 sent, and received
///     from the host's memory  0 receive            1 received: copy out of the slot         2 copied: tell   3 told
///     to a window             0 learn the slot     1 learned: copy into it                  2 copied: tell   3 told
///     from a window           0 send its number    1 told: copy out of the slot             2 copied
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

enum { SENDING, RECEIVING, STREAMS };
enum { SLOTS = 4, PHASES = 4, TAG_PIECE = 2, TAG_COPIED = 3, TAG_SLOT = 4, TAG_WRITTEN = 5 };

/* Smaller pieces cost more in calls than they save. */
#define LEAST_PIECE ((int64_t)4 << 20)
enum { PIECES = 8 };

/* Pieces for other windows that are enqueued at once. NVIDIA's driver reports finished commands in the order in
   which they were enqueued, whatever their queues: with four pieces ahead of it a copy out of a slot counts as done
   only when all four are, and meanwhile nothing is sent for want of slots. For the same reason what stays on this rank
   is copied in parts of some pieces. */
enum { AHEAD = 2, OWN_PIECES = 2 };

/* What goes through the host's memory although there are windows: GPUs copy to and from it beside kernels, while a copy
   to a window waits until all work-groups of the kernels before it have started. */
enum { SMALL_SHARE = 1024, BESIDE_SHARE = 16 }; /* of a piece; BESIDE: if the program's kernels run meanwhile */
/* In the host's memory all ranks' pieces have to fit in the processor's cache: two GPUs that copy both ways at once
   reach 45 GB/s each with 32 MiB of pieces in all, and 30 to 33, the memory's rate, with more (docs/performance.md,
   "Two GPUs"). PACK_SHARE: views are packed on the device in larger parts, as a kernel a piece costs too many calls. */
enum { HOST_SHARE = 16, HOST_RANKS = 2, MOST_HOST_SHARE = 64, PACK_SHARE = 2 };

struct weft__dist_ring {
  int64_t piece_bytes, host_piece_bytes; /* of windows, and of the host's memory: the same on all ranks */
  weft_stream *stream[STREAMS];
  /* each SLOTS pieces */
  weft_array *mine;     /* the window, for receiving; NULL without windows */
  weft_array **windows; /* of the other ranks */
  char **shared;        /* shared[r]: rank r's for sending; NULL: r is on another host. NULL without shared memory */
  char *pinned[2];      /* for MPI: for sending, where shared memory does not serve, and for receiving */
};

typedef struct piece {
  int peer, slot; /* slot: of the receiver's window, or of the sender's memory of the host */
  bool by_window;
  int64_t first, stop;
  int64_t part_first, part_stop; /* through the host's memory: of the part that is packed with it */
  weft_event *copied;
  MPI_Request request[2];
} piece;

/// One direction of an exchange.
typedef struct weft__dist_lane {
  weft__dist_passage *passage;
  bool sends;
  int distance;           /* of the peer of the next piece */
  int64_t at;             /* of its bytes, those that were cut into pieces */
  int64_t passed[PHASES]; /* pieces that are through each phase */
  piece piece[SLOTS];     /* piece k is in place k % SLOTS */
  weft_array **window;    /* with windows, as arrays of the passage's dtype: per rank */
  weft_array *pack;       /* of views; one of its own for each lane: the pool would give both the same one by turns */
  weft_event *own_copied; /* of what stays on this rank, by the lane that sends: as `at` */
  int64_t own_at;
} lane;

/* ---- memory ---- */

static int64_t bytes_of(const struct weft__dist_ring *ring) {
  return SLOTS * ring->piece_bytes;
}

static int64_t host_bytes_of(const struct weft__dist_ring *ring) {
  return SLOTS * ring->host_piece_bytes;
}

/// Of memory that ranks share: the pieces, and behind them room for small collections.
static int64_t shared_bytes_of(const weft_dist *grid) {
  return host_bytes_of(grid->ring) + 2 * weft__dist_mail_bytes(grid);
}

bool weft__dist_ring_hands(const weft_dist *grid) {
  return grid->ring && grid->ring->mine;
}

char *weft__dist_ring_mail(const weft_dist *grid, int r) {
  const struct weft__dist_ring *ring = grid->ring;
  const bool all_share = ring && ring->shared && grid->host_ranks == grid->ranks;
  return all_share ? ring->shared[r] + host_bytes_of(ring) : NULL;
}

/// What a rank makes alone.
static weft_status make_memory(struct weft__dist_ring *ring, const weft_dist *grid, weft__dist_slots slots) {
  const bool meets_mpi = slots == WEFT__DIST_PINNED || (slots == WEFT__DIST_SHARED && grid->host_ranks < grid->ranks);
  const bool needs[2] = {slots == WEFT__DIST_PINNED, meets_mpi}; /* shared memory serves for sending to all */
  weft_array *ordinary = NULL;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < STREAMS; k++) WEFT__TRY(weft_stream_create(&ring->stream[k], grid->context));
  for (int k = 0; k < 2; k++) {
    if (needs[k]) WEFT__TRY(weft_pinned_alloc(&ring->pinned[k], grid->context, (size_t)host_bytes_of(ring)));
  }
  if (slots == WEFT__DIST_WINDOWS) {
    ring->windows = weft__dist_new((size_t)grid->ranks, sizeof *ring->windows);
    WEFT__TRY(ring->windows ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
    WEFT__TRY(weft_empty(&ordinary, grid->context, WEFT_U8, WEFT_SHAPE(bytes_of(ring))));
    WEFT__TRY(weft_cuda_share(&ring->mine, ordinary));
  }
  if (slots != WEFT__DIST_PINNED) {
    ring->shared = weft__dist_new((size_t)grid->ranks, sizeof *ring->shared);
    rc = ring->shared ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  }
done:
  weft_array_release(&ordinary);
  return rc;
}

/// Windows serve without memory of the host too.
static bool open_both(struct weft__dist_ring *ring, weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  char no_memory[WEFT__DIST_WHY_BYTES] = "";
  if (!weft__dist_windows_open(ring->windows, grid, ring->mine, why)) return false;
  if (!weft__dist_shared_open(ring->shared, grid, shared_bytes_of(grid), no_memory)) {
    weft__dist_shared_close(ring->shared, grid, shared_bytes_of(grid));
    free(ring->shared);
    ring->shared = NULL;
    if (no_memory[0]) weft_log_write(WEFT_LOG_INFO, no_memory);
  }
  return true;
}

/// Bytes of a piece in the host's memory. Collective.
static weft_status choose_host_piece(struct weft__dist_ring *ring, weft_dist *grid, weft__dist_slots slots) {
  int64_t ranks = grid->host_ranks, share;
  WEFT__TRY_RETURN(weft__dist_all_most(grid, &ranks));
  share = slots == WEFT__DIST_WINDOWS ? HOST_SHARE : HOST_SHARE * ((ranks + HOST_RANKS - 1) / HOST_RANKS);
  if (share > MOST_HOST_SHARE) share = MOST_HOST_SHARE;
  if (ring) ring->host_piece_bytes = grid->piece_bytes / share / 16 * 16; /* whole elements */
  return WEFT_OK;
}

bool weft__dist_ring_open(weft_dist *grid, weft__dist_slots slots, char why[WEFT__DIST_WHY_BYTES]) {
  struct weft__dist_ring *ring = weft__dist_new(1, sizeof *ring);
  weft_status rc = ring ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  grid->ring = ring;
  if (ring) ring->piece_bytes = grid->piece_bytes;
  const weft_status chosen = choose_host_piece(ring, grid, slots);
  if (!rc) rc = chosen;
  if (!rc) rc = make_memory(ring, grid, slots);
  if (rc) snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", weft_error_last()->message);
  int64_t refused = rc != WEFT_OK;
  if (slots == WEFT__DIST_PINNED) return !refused;
  if (weft__dist_all_most(grid, &refused)) refused = 1;
  if (!refused && slots == WEFT__DIST_WINDOWS) return open_both(ring, grid, why);
  if (!refused) return weft__dist_shared_open(ring->shared, grid, shared_bytes_of(grid), why);
  if (!rc) snprintf(why, WEFT__DIST_WHY_BYTES, "another rank has none");
  return false;
}

void weft__dist_ring_close(weft_dist *grid) {
  struct weft__dist_ring *ring = grid->ring;
  if (!ring) return;
  for (int k = 0; k < STREAMS; k++) weft_stream_release(&ring->stream[k]);
  for (int k = 0; k < 2; k++) weft_pinned_free(&ring->pinned[k]);
  if (ring->shared) weft__dist_shared_close(ring->shared, grid, shared_bytes_of(grid));
  free(ring->shared);
  weft_array_release(&ring->mine);
  for (int r = 0; ring->windows && r < grid->ranks; r++) weft_array_release(&ring->windows[r]);
  free(ring->windows);
  free(ring);
  grid->ring = NULL;
}

/* ---- pieces ---- */

static const weft__dist_side *side_of(const lane *l) {
  return l->sends ? &l->passage->from : &l->passage->to;
}

/// A view is cut along its longest axis: the bytes at one index of it.
static int64_t slab_of(int *axis, const weft_array *view) {
  const weft_shape shape = weft_array_shape(view);
  *axis = 0;
  for (int d = 1; d < shape.ndim; d++)
    if (shape.dim[d] > shape.dim[*axis]) *axis = d;
  return weft_array_size_bytes(view) / shape.dim[*axis];
}

/// Bytes of the pieces of a span: some pieces at least, so that the phases overlap.
static int64_t piece_of(int64_t most, int64_t span) {
  int64_t bytes = most;
  while (bytes / 2 >= LEAST_PIECE && bytes > span / PIECES) bytes /= 2;
  return bytes / 16 * 16; /* whole elements */
}

/// Whether a span passes through the receiver's window: both ranks say the same.
static bool is_by_window(const lane *l, int peer, int64_t span) {
  const struct weft__dist_ring *ring = l->passage->grid->ring;
  const int64_t small = ring->piece_bytes / (l->passage->is_beside ? BESIDE_SHARE : SMALL_SHARE);
  if (l->passage->to.take) return true;
  return ring->mine && !(ring->shared && ring->shared[peer] && span <= small);
}

/// Cuts the next piece. Peers come in the order of their distance, so that rank r sends to r + k when r + k receives
/// from r.
static bool next_piece(piece *next, lane *l) {
  const weft_dist *grid = l->passage->grid;
  for (; l->distance < grid->ranks; l->distance++, l->at = 0) {
    int64_t first, stop;
    const int peer = (grid->rank + (l->sends ? l->distance : grid->ranks - l->distance)) % grid->ranks;
    int axis;
    weft__dist_span(&first, &stop, grid, side_of(l), peer);
    const bool by_window = is_by_window(l, peer, stop - first);
    const int64_t host = piece_of(grid->ring->host_piece_bytes, stop - first);
    int64_t most = by_window ? piece_of(grid->ring->piece_bytes, stop - first) : host;
    if (side_of(l)->view && stop > first) {
      const int64_t slab = slab_of(&axis, side_of(l)->view[peer]);
      if (!by_window) most = grid->ring->piece_bytes / PACK_SHARE;
      most = slab < most ? most / slab * slab : slab;
      stop -= first;
      first = 0;
    }
    next->part_first = first + l->at / most * most;
    first += l->at;
    if (first >= stop) continue;
    if (stop - next->part_first > most) stop = next->part_first + most;
    next->part_stop = stop;
    if (!by_window && stop - first > host) stop = first + host;
    l->at += stop - first;
    next->peer = peer;
    next->by_window = by_window;
    next->first = first;
    next->stop = stop;
    return true;
  }
  return false;
}

/// Whether MPI copies the piece: not where the receiver sees the sender's slot.
static bool is_sent(const lane *l, const piece *c) {
  const struct weft__dist_ring *ring = l->passage->grid->ring;
  return !c->by_window && !(ring->shared && ring->shared[c->peer]);
}

/// The piece in the host's memory.
static char *slot_of(const lane *l, const piece *c) {
  const weft_dist *grid = l->passage->grid;
  const struct weft__dist_ring *ring = grid->ring;
  char *slots = ring->pinned[!l->sends];
  if (ring->shared && (l->sends || ring->shared[c->peer])) slots = ring->shared[l->sends ? grid->rank : c->peer];
  return slots + c->slot * ring->host_piece_bytes;
}

/// Bytes `first` to `stop` - 1 of a side's array, or of its view for a rank.
static weft_status part_of_side(weft_array **out, const weft__dist_side *side, int peer, int64_t first, int64_t stop) {
  int axis;
  if (!side->view) return weft__dist_part_of(out, side->array, first, stop);
  const int64_t slab = slab_of(&axis, side->view[peer]);
  return weft_slice(out, side->view[peer], axis, first / slab, stop / slab);
}

/// Copies a piece between the array and a window, on the stream in use.
static weft_status copy_by_window(const lane *l, const piece *c) {
  weft_dist *grid = l->passage->grid;
  const weft__dist_side *side = side_of(l);
  const int64_t place = c->slot * grid->ring->piece_bytes;
  weft_array *whole = l->window[l->sends ? c->peer : grid->rank], *part = NULL, *window = NULL, *flat = NULL;
  bool is_pushed = false;
  weft_status rc;
  WEFT__TRY(part_of_side(&part, side, c->peer, c->first, c->stop));
  WEFT__TRY(weft__dist_part_of(&flat, whole, place, place + c->stop - c->first));
  if (!l->sends && side->take) {
    rc = side->take(side->taker, flat, c->first, c->stop);
    goto done;
  }
  WEFT__TRY(l->sends ? weft__dist_copy_piece(&is_pushed, grid, whole, flat, side->array, part)
                     : weft__dist_copy_piece(&is_pushed, grid, side->array, part, whole, flat));
  if (is_pushed) goto done;
  WEFT__TRY(weft_reshape(&window, flat, weft_array_shape(part)));
  rc = l->sends ? weft_copy(&window, part) : weft_copy(&part, window);
done:
  weft_release(&part, &window, &flat);
  return rc;
}

/// Makes a stream the one in use. *used: the one before, to which go_back returns.
static weft_status go_to(weft_stream **used, weft_stream *stream) {
  *used = weft_stream_retain(weft_stream_used());
  const weft_status rc = weft_stream_use(stream);
  if (rc) weft_stream_release(used);
  return rc;
}

/// Returns `rc`, or its own failure.
static weft_status go_back(weft_stream **used, weft_status rc) {
  const weft_status back = weft_stream_use(*used);
  weft_stream_release(used);
  return rc ? rc : back;
}

/// The lane's pack as an array like `part`.
static weft_status pack_like(weft_array **out, lane *l, const weft_array *part) {
  const int64_t n = weft_array_size(part);
  weft_array *flat = NULL;
  weft_status rc;
  if (l->pack && weft_array_size(l->pack) < n) weft_array_release(&l->pack);
  if (!l->pack)
    WEFT__TRY_RETURN(weft_empty(&l->pack, l->passage->grid->context, weft_array_dtype(part), WEFT_SHAPE(n)));
  WEFT__TRY(weft_slice(&flat, l->pack, 0, 0, n));
  rc = weft_reshape(out, flat, weft_array_shape(part));
done:
  weft_array_release(&flat);
  return rc;
}

/// Copies a piece between the array and the host's memory, on `stream`, which is in use. A part without gaps is copied
/// where it lies; else the first piece packs it, or the last one unpacks it.
static weft_status copy_by_host(lane *l, const piece *c, weft_stream *stream) {
  const size_t size_bytes = (size_t)(c->stop - c->first);
  weft_array *part = NULL, *pack = NULL, *bytes = NULL;
  weft_status rc;
  WEFT__TRY(part_of_side(&part, side_of(l), c->peer, c->part_first, c->part_stop));
  const bool is_packed = !weft_array_is_contiguous(part);
  if (is_packed) WEFT__TRY(pack_like(&pack, l, part));
  if (is_packed && l->sends && c->first == c->part_first) WEFT__TRY(weft_copy(&pack, part));
  WEFT__TRY(weft__dist_part_of(&bytes, is_packed ? pack : part, c->first - c->part_first, c->stop - c->part_first));
  rc = l->sends ? weft_read_async(slot_of(l, c), size_bytes, bytes, stream)
                : weft_write_async(bytes, slot_of(l, c), size_bytes, stream);
  if (!rc && is_packed && !l->sends && c->stop == c->part_stop) rc = weft_copy(&part, pack);
done:
  weft_release(&part, &pack, &bytes);
  return rc;
}

/// Copies a piece between the array and its slot, on the lane's stream.
static weft_status copy_piece(lane *l, piece *c) {
  const weft_dist *grid = l->passage->grid;
  weft_stream *stream = grid->ring->stream[l->sends ? SENDING : RECEIVING], *used;
  WEFT__TRY_RETURN(go_to(&used, stream));
  WEFT__TRY_RETURN(go_back(&used, c->by_window ? copy_by_window(l, c) : copy_by_host(l, c, stream)));
  return weft_event_record(&c->copied, grid->context, stream);
}

static weft_status mpi_code(const lane *l, int code) {
  return code ? weft__dist_failed(l->passage->grid, code, "MPI_Isend or MPI_Irecv") : WEFT_OK;
}

static weft_status is_passed(bool *done, const lane *l, piece *c) {
  int flag = 0;
  MPI_Status status[2];
  int code = MPI_Testall(2, c->request, &flag, status);
  if (code == MPI_ERR_IN_STATUS) {
    const int first = status[0].MPI_ERROR;
    code = first != MPI_SUCCESS && first != MPI_ERR_PENDING ? first : status[1].MPI_ERROR;
  }
  *done = flag;
  return mpi_code(l, code);
}

static int tag_of_begin(const piece *c) {
  return c->by_window ? TAG_SLOT : TAG_PIECE;
}

static int tag_of_end(const piece *c) {
  return c->by_window ? TAG_WRITTEN : TAG_COPIED;
}

static weft_status is_copied(bool *done, piece *c) {
  WEFT__TRY_RETURN(weft_event_is_done(done, c->copied));
  return *done ? weft_event_wait(c->copied) : WEFT_OK; /* which reports a failure of the work before it */
}

/// Learns the slot that the other rank chose, or gets the piece itself.
static weft_status receive_slot(const lane *l, piece *c, int64_t k) {
  const MPI_Comm comm = l->passage->grid->comm;
  const int tag = tag_of_begin(c);
  if (!is_sent(l, c)) return mpi_code(l, MPI_Irecv(&c->slot, 1, MPI_INT, c->peer, tag, comm, &c->request[0]));
  c->slot = (int)(k % SLOTS);
  return mpi_code(l, MPI_Irecv(slot_of(l, c), (int)(c->stop - c->first), MPI_BYTE, c->peer, tag, comm, &c->request[0]));
}

/// Tells the other rank the slot that was chosen here, and waits for it to have copied; or sends the piece itself.
static weft_status send_slot(const lane *l, piece *c) {
  const MPI_Comm comm = l->passage->grid->comm;
  const int tag = tag_of_begin(c);
  if (is_sent(l, c))
    return mpi_code(l,
                    MPI_Isend(slot_of(l, c), (int)(c->stop - c->first), MPI_BYTE, c->peer, tag, comm, &c->request[0]));
  WEFT__TRY_RETURN(mpi_code(l, MPI_Isend(&c->slot, 1, MPI_INT, c->peer, tag, comm, &c->request[0])));
  return mpi_code(l, MPI_Irecv(NULL, 0, MPI_INT, c->peer, tag_of_end(c), comm, &c->request[1]));
}

/// The phases of the rank that chooses the slot. It copies into it first, or, of its window, out of it last.
static weft_status offer_phase(bool *done, lane *l, piece *c, int64_t k, int phase) {
  if (phase == 0) {
    c->slot = (int)(k % SLOTS);
    return c->by_window ? send_slot(l, c) : copy_piece(l, c);
  }
  if (phase == 1) {
    WEFT__TRY_RETURN(c->by_window ? is_passed(done, l, c) : is_copied(done, c));
    if (!*done) return WEFT_OK;
    return c->by_window ? copy_piece(l, c) : send_slot(l, c);
  }
  if (phase == 2) return c->by_window ? is_copied(done, c) : is_passed(done, l, c);
  return WEFT_OK;
}

/// The phases of the other rank.
static weft_status take_phase(bool *done, lane *l, piece *c, int64_t k, int phase) {
  if (phase == 0) return receive_slot(l, c, k);
  if (phase == 1) {
    WEFT__TRY_RETURN(is_passed(done, l, c));
    return *done ? copy_piece(l, c) : WEFT_OK;
  }
  if (phase == 2) {
    WEFT__TRY_RETURN(is_copied(done, c));
    if (!*done || is_sent(l, c)) return WEFT_OK;
    return mpi_code(l, MPI_Isend(NULL, 0, MPI_INT, c->peer, tag_of_end(c), l->passage->grid->comm, &c->request[0]));
  }
  return is_passed(done, l, c);
}

/// Whether a piece must not be enqueued yet.
static bool is_held(const lane *l, const piece *c, int64_t k, int phase) {
  return phase == 1 && l->sends && c->by_window && k - l->passed[2] >= AHEAD;
}

/// Brings pieces further, each at most one phase. *moved: one was.
static weft_status advance(bool *moved, lane *l) {
  for (int phase = PHASES - 1; phase >= 0; phase--) {
    const int64_t k = l->passed[phase];
    piece *c = &l->piece[k % SLOTS];
    bool done = true;
    if (is_held(l, c, k, phase)) continue;
    if (phase > 0 ? k == l->passed[phase - 1] : k == l->passed[PHASES - 1] + SLOTS || !next_piece(c, l)) continue;
    WEFT__TRY_RETURN(l->sends != c->by_window ? offer_phase(&done, l, c, k, phase) : take_phase(&done, l, c, k, phase));
    l->passed[phase] += done;
    *moved |= done;
  }
  return WEFT_OK;
}

/* ---- what stays on this rank ---- */

static weft_status copy_own(const weft__dist_passage *p, weft_array *to, weft_array *from) {
  bool is_pushed = false;
  if (p->grid->ring->mine)
    WEFT__TRY_RETURN(weft__dist_copy_piece(&is_pushed, p->grid, p->to.array, to, p->from.array, from));
  return is_pushed ? WEFT_OK : weft_copy(&to, from);
}

/// Copies the next part of what stays on this rank if the last part is copied: all of it at once would fill the device
/// and hold up the pieces. Uses the receiving stream, which writes the same array: two streams would wait for each
/// other.
static weft_status advance_own(bool *moved, bool *ended, lane *l) {
  const weft__dist_passage *p = l->passage;
  const weft_dist *grid = p->grid;
  const int r = grid->rank;
  weft_stream *stream = grid->ring->stream[RECEIVING], *used;
  weft_array *from = NULL, *to = NULL;
  int64_t first, stop;
  weft_status rc = WEFT_OK;
  bool is_done = true;
  int axis;
  weft__dist_span(&first, &stop, grid, &p->from, r);
  if (p->from.view && !p->from.view[r]) stop = first;
  if (l->own_copied) WEFT__TRY(weft_event_is_done(&is_done, l->own_copied));
  *ended = l->own_at == stop - first;
  if (*ended || !is_done) goto done;
  int64_t size = grid->ring->piece_bytes * OWN_PIECES;
  if (p->from.view) {
    const int64_t slab = slab_of(&axis, p->from.view[r]);
    size = slab < size ? size / slab * slab : slab;
    first = 0;
    stop = weft_array_size_bytes(p->from.view[r]);
  }
  if (size > stop - first - l->own_at) size = stop - first - l->own_at;
  const int64_t came = (p->from.view ? 0 : p->to.at[r]) + l->own_at;
  WEFT__TRY(part_of_side(&from, &p->from, r, first + l->own_at, first + l->own_at + size));
  WEFT__TRY(part_of_side(&to, &p->to, r, came, came + size));
  WEFT__TRY(go_to(&used, stream));
  WEFT__TRY(go_back(&used, copy_own(p, to, from)));
  l->own_at += size;
  *moved = true;
  rc = weft_event_record(&l->own_copied, grid->context, stream);
done:
  weft_release(&from, &to);
  return rc;
}

/* ---- the exchange ---- */

/// The windows as arrays of the side's dtype, so that parts of both can be copied.
static weft_status open_lane(lane *l, weft__dist_passage *p, bool sends) {
  const weft_dist *grid = p->grid;
  const struct weft__dist_ring *ring = grid->ring;
  *l = (lane){.passage = p, .sends = sends, .distance = 1};
  for (int k = 0; k < SLOTS; k++) l->piece[k].request[0] = l->piece[k].request[1] = MPI_REQUEST_NULL;
  if (!ring->mine) return WEFT_OK;
  if (!(l->window = weft__dist_new((size_t)grid->ranks, sizeof *l->window))) return WEFT_ERROR_HOST_MEMORY;
  const weft_dtype dtype = weft_array_dtype(side_of(l)->array);
  for (int r = 0; r < grid->ranks; r++) {
    if (sends == (r == grid->rank)) continue;
    size_t offset;
    struct _cl_mem *mem = weft_array_cl_mem(sends ? ring->windows[r] : ring->mine, &offset);
    const int64_t size = bytes_of(ring) / (int64_t)weft_dtype_size_bytes(dtype);
    WEFT__TRY_RETURN(weft_array_adopt(&l->window[r], grid->context, mem, offset, dtype, WEFT_SHAPE(size)));
  }
  return WEFT_OK;
}

static void close_lane(lane *l) {
  for (int k = 0; k < SLOTS; k++) weft_event_release(&l->piece[k].copied);
  weft_event_release(&l->own_copied);
  weft_array_release(&l->pack);
  for (int r = 0; l->window && r < l->passage->grid->ranks; r++) weft_array_release(&l->window[r]);
  free(l->window);
}

static weft_status advance_all(bool *moved, bool *own_ended, lane *lanes) {
  *moved = false;
  WEFT__TRY_RETURN(advance(moved, &lanes[0]));
  WEFT__TRY_RETURN(advance(moved, &lanes[1]));
  return advance_own(moved, own_ended, &lanes[0]);
}

/// Writes an element of the array that receives: it belongs to the receiving stream from now on. Else what comes would
/// wait for all work that the program starts meanwhile, because that stream may have read the array's memory before.
static weft_status take_over(const weft__dist_passage *p) {
  const struct weft__dist_ring *ring = p->grid->ring;
  const size_t size_bytes = weft_dtype_size_bytes(weft_array_dtype(p->to.array));
  weft_array *element = NULL;
  weft_status rc = WEFT_OK;
  if (weft_array_size(p->to.array) == 0) return WEFT_OK;
  WEFT__TRY(weft__dist_part_of(&element, p->to.array, 0, (int64_t)size_bytes));
  const char *any = ring->shared ? ring->shared[p->grid->rank] : ring->pinned[1];
  if (any) rc = weft_write_async(element, any, size_bytes, ring->stream[RECEIVING]);
done:
  weft_array_release(&element);
  return rc;
}

weft_status weft__dist_ring_start(weft__dist_passage *p) {
  bool moved, ended;
  if (p->is_beside) WEFT__TRY_RETURN(take_over(p));
  if (!(p->lanes = weft__dist_new(2, sizeof *p->lanes))) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY_RETURN(open_lane(&p->lanes[0], p, true));
  WEFT__TRY_RETURN(open_lane(&p->lanes[1], p, false));
  return advance_all(&moved, &ended, p->lanes);
}

/// After a failure MPI may still use the pieces: all that the exchange has stays.
weft_status weft__dist_ring_finish(weft__dist_passage *p) {
  double since_s = weft__dist_now_s();
  for (bool moved, ended = false; !ended;) {
    WEFT__TRY_RETURN(advance_all(&moved, &ended, p->lanes));
    if (moved) {
      since_s = weft__dist_now_s();
      ended = false;
      continue;
    }
    for (int k = 0; k < 2; k++)
      ended &= p->lanes[k].distance == p->grid->ranks && p->lanes[k].passed[0] == p->lanes[k].passed[PHASES - 1];
    if (!ended) WEFT__TRY_RETURN(weft__dist_pause(p->grid, since_s));
  }
  close_lane(&p->lanes[0]);
  close_lane(&p->lanes[1]);
  free(p->lanes);
  return WEFT_OK;
}
