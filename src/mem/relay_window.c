// SPDX-License-Identifier: MIT
/// Copies over memory that two contexts have imported (weft__relay_by_window).
#include "base/log.h"
#include "cuda/abroad.h"
#include "mem/pool.h"
#include "mem/relay.h"
#include "mem/submit.h"

/* Importing memory takes longer than smaller copies take through the host. */
#define LEAST_BYTES ((uint64_t)1 << 20)
/* Pieces of a copy between arrays that CUDA did not make: the source writes one into the target's window while the
   target copies the one before it. A write to another GPU is faster than a read (349 and 331 GB/s, two H200), and few
   pieces are better than many: 1 GiB between two H100 took 3.08 ms in pieces of at most 248 MiB, 3.16 of 128, 3.31 of
   64. The source is done before the target copies the last piece, so each of the last pieces is a quarter of the one
   before it. */
#define PLACES 2
#define GROWTH 4
#define LARGEST_PIECE_BYTES ((uint64_t)248 << 20) /* two of them are fewer bytes than the quirk small_imports allows */
#define LAST_PIECE_BYTES ((uint64_t)8 << 20)

/// Makes the window at least as large. The caller holds its lock.
static weft__cuda_failure make_window(weft__window *window, weft__pool *pool, uint64_t size_bytes) {
  weft__cuda_failure failure = {0};
  if (window->memory.size_bytes >= size_bytes) return failure;
  if (window->memory.mem) weft__cuda_memory_free(&window->memory, pool->core);
  failure = weft__cuda_memory_make(&window->memory, pool->core, size_bytes);
  if (!weft__cuda_is_out_of_memory(&failure) || weft__pool_trim(pool) == 0) return failure;
  return weft__cuda_memory_make(&window->memory, pool->core, size_bytes);
}

/* ---- copies ---- */

/// Copies between a storage and another context's memory as the storage's context sees it.
static weft_status copy_abroad(weft__storage *storage, uint64_t at, int slot, weft__cl_mem abroad, uint64_t there,
                               uint64_t size_bytes, bool writes_abroad) {
  weft__command copy = {.kind = WEFT__COMMAND_COPY,
                        .mem = writes_abroad ? abroad : storage->mem,
                        .from = writes_abroad ? storage->mem : abroad,
                        .offset_bytes = writes_abroad ? there : at,
                        .from_offset_bytes = writes_abroad ? at : there,
                        .size_bytes = size_bytes};
  return weft__submit(&(weft__submission){.core = storage->core,
                                          .slot = slot,
                                          .command = &copy,
                                          .uses = 1,
                                          .use = &(weft__use){storage, !writes_abroad},
                                          .bytes = 2 * size_bytes});
}

/// Waits for the work on a storage of one context, so that another context may use its bytes.
static weft_status settle(weft__storage *storage, int slot, bool writes) {
  weft__core *core = storage->core;
  WEFT__TRY_RETURN(weft__storage_order(storage, slot, writes));
  const weft__covered covered = weft__slot_covers(core, slot);
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  return weft__deferred_report(core, &covered);
}

typedef weft_status side(const weft__relay *relay, weft_status rc);

/// CUDA made one of the arrays: a single copy, in the context of the other one.
static weft_status copy_direct(const weft__relay *r, bool from_is_shared) {
  weft__cl_mem abroad = NULL;
  weft__storage *here = from_is_shared ? r->to : r->from, *there = from_is_shared ? r->from : r->to;
  const int here_slot = from_is_shared ? r->to_slot : r->from_slot;
  const int there_slot = from_is_shared ? r->from_slot : r->to_slot;
  const uint64_t at = from_is_shared ? r->to_offset_bytes : r->from_offset_bytes;
  const uint64_t in_slab =
      there->cuda_address - there->slab->memory.address + (from_is_shared ? r->from_offset_bytes : r->to_offset_bytes);
  weft_status rc;
  side *of_here = from_is_shared ? weft__relay_writing : weft__relay_reading;
  side *of_there = from_is_shared ? weft__relay_reading : weft__relay_writing;
  const weft__cuda_failure failure = weft__abroad_get(&abroad, here->core, &there->slab->memory, there->core);
  if (failure.code) WEFT__TRY(of_here(r, weft__cuda_failed(here->core, &failure)));
  WEFT__TRY(of_there(r, settle(there, there_slot, !from_is_shared)));
  WEFT__TRY(of_here(r, copy_abroad(here, at, here_slot, abroad, in_slab, r->size_bytes, !from_is_shared)));
  rc = of_here(r, settle(here, here_slot, true));
done:
  weft__release(abroad);
  return rc;
}

/// A copy in pieces. Piece k uses place k % PLACES of the target's window.
typedef struct passage {
  const weft__relay *relay;
  weft__cl_mem window, abroad; /* in the target's context; in the source's */
  uint64_t piece_bytes, pieces;
  weft__point arrived[PLACES], left[PLACES];
} passage;

/// The number of bytes from piece `piece`, counted from the end of the copy, to the end.
static uint64_t bytes_from(uint64_t piece, uint64_t size_bytes) {
  uint64_t bytes = 0;
  for (uint64_t k = 0, most = LAST_PIECE_BYTES; k <= piece && bytes < size_bytes; k++) {
    bytes += most;
    most = most < LARGEST_PIECE_BYTES / GROWTH ? most * GROWTH : LARGEST_PIECE_BYTES;
  }
  return bytes < size_bytes ? bytes : size_bytes;
}

static uint64_t piece_at(const passage *p, uint64_t piece, uint64_t *size_bytes) {
  const uint64_t all = p->relay->size_bytes, from_end = p->pieces - 1 - piece, to_end = bytes_from(from_end, all);
  *size_bytes = to_end - (from_end ? bytes_from(from_end - 1, all) : 0);
  return all - to_end;
}

static void cut(passage *p) {
  const uint64_t size_bytes = p->relay->size_bytes;
  while (bytes_from(p->pieces, size_bytes) < size_bytes) p->pieces++;
  p->pieces++;
  for (uint64_t piece = 0; piece < p->pieces; piece++) {
    uint64_t bytes;
    piece_at(p, piece, &bytes);
    if (p->piece_bytes < bytes) p->piece_bytes = bytes;
  }
}

/// Enqueues the source's copy of a piece into its place, which the target must have left.
static weft_status send(passage *p, uint64_t piece) {
  const weft__relay *r = p->relay;
  weft__core *to = r->to->core, *from = r->from->core;
  const uint64_t place = piece % PLACES;
  uint64_t size_bytes;
  const uint64_t at = piece_at(p, piece, &size_bytes);
  if (p->left[place].event) WEFT__TRY_RETURN(weft__relay_writing(r, weft__point_wait(to, &p->left[place])));
  weft__point_release(&p->left[place]);
  WEFT__TRY_RETURN(weft__relay_reading(r, copy_abroad(r->from, r->from_offset_bytes + at, r->from_slot, p->abroad,
                                                      place * p->piece_bytes, size_bytes, true)));
  return weft__relay_reading(r, weft__point_set(&p->arrived[place], from, r->from_slot));
}

/// Enqueues the target's copy of a piece, once it is in its place.
static weft_status receive(passage *p, uint64_t piece) {
  const weft__relay *r = p->relay;
  weft__core *to = r->to->core, *from = r->from->core;
  const uint64_t place = piece % PLACES;
  uint64_t size_bytes;
  const uint64_t at = piece_at(p, piece, &size_bytes);
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__point_wait(from, &p->arrived[place])));
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__deferred_report(from, &p->arrived[place].covered)));
  weft__point_release(&p->arrived[place]);
  WEFT__TRY_RETURN(weft__relay_writing(r, copy_abroad(r->to, r->to_offset_bytes + at, r->to_slot, p->window,
                                                      place * p->piece_bytes, size_bytes, false)));
  return weft__relay_writing(r, weft__point_set(&p->left[place], to, r->to_slot));
}

/// Whether the target has left the place of a piece, without waiting.
static weft_status has_left(bool *is_free, const passage *p, uint64_t piece) {
  const weft__point *left = &p->left[piece % PLACES];
  *is_free = !left->event;
  if (*is_free) return WEFT_OK;
  return weft__relay_writing(p->relay, weft__point_is_done(is_free, p->relay->to->core, left));
}

static weft_status copy_pieces(passage *p) {
  const weft__relay *r = p->relay;
  weft_status rc = WEFT_OK;
  uint64_t sent = 0;
  for (uint64_t received = 0; received < p->pieces; received++) {
    bool is_free = true;
    /* the source goes ahead into all free places; it waits for one only if nothing is on its way */
    while (sent < p->pieces && sent < received + PLACES) {
      if (sent > received) WEFT__TRY(has_left(&is_free, p, sent));
      if (!is_free) break;
      WEFT__TRY(send(p, sent));
      sent++;
    }
    WEFT__TRY(receive(p, received));
  }
done:
  for (int k = 0; k < PLACES; k++) {
    weft__point_release(&p->arrived[k]);
    weft__point_release(&p->left[k]);
  }
  /* the next copy uses the same window */
  const weft_status ended = weft__relay_writing(r, weft__slot_wait(r->to->core, r->to_slot));
  const weft_status read = weft__relay_reading(r, weft__slot_wait(r->from->core, r->from_slot));
  return rc ? rc : ended ? ended : read;
}

static weft_status copy_by_window(const weft__relay *r) {
  weft__pool *pool = r->to->pool;
  weft__core *from = r->from->core;
  weft__window *window = &pool->window;
  passage p = {.relay = r};
  weft_status rc = WEFT_OK;
  cut(&p);
  pthread_mutex_lock(&window->lock);
  weft__cuda_failure failure = make_window(window, pool, PLACES * p.piece_bytes);
  if (weft__cuda_is_out_of_memory(&failure)) {
    pthread_mutex_unlock(&window->lock);
    weft__log(WEFT_LOG_INFO, "%s (%s): no memory for a window between the GPUs, the copy goes through the host",
              weft__function(), weft__site());
    return weft__relay_through_ring(r);
  }
  if (failure.code) WEFT__TRY(weft__relay_writing(r, weft__cuda_failed(pool->core, &failure)));
  p.window = window->memory.mem;
  failure = weft__abroad_get(&p.abroad, from, &window->memory, pool->core);
  if (failure.code) WEFT__TRY(weft__relay_reading(r, weft__cuda_failed(from, &failure)));
  rc = copy_pieces(&p);
done:
  weft__release(p.abroad);
  pthread_mutex_unlock(&window->lock);
  return rc;
}

weft_status weft__relay_by_window(const weft__relay *r) {
  if (r->size_bytes < LEAST_BYTES) return weft__relay_through_ring(r);
  if (r->from->slab) return copy_direct(r, true);
  if (r->to->slab) return copy_direct(r, false);
  return copy_by_window(r);
}
