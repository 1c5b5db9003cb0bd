// SPDX-License-Identifier: MIT
/// Copies over memory that two contexts have imported (weft__relay_by_window).
#include "mem/relay.h"
#include "mem/submit.h"
#include "mem/transfer.h"

/* Importing memory takes longer than smaller copies take through the host. */
#define LEAST_BYTES ((uint64_t)1 << 20)
/* Pieces of a copy between arrays that CUDA did not make: large enough for the rate, and two fit a window. */
#define PIECE_BYTES ((uint64_t)32 << 20)

/// Memory that is a storage in one context and imported in the other.
typedef struct window {
  weft__storage *storage; /* in its own context */
  weft__cl_mem abroad;    /* its buffer in the other context */
  uint64_t offset_bytes;  /* of the storage's first byte in `abroad` */
} window;

static weft_status open_window(window *w, weft__storage *storage, weft__core *other) {
  weft__core *owner = storage->pool->core;
  const weft__slab *slab = storage->slab;
  const weft__cuda_failure failure = weft__cuda_memory_for(&w->abroad, other, &slab->memory, owner);
  w->storage = storage;
  w->offset_bytes = storage->cuda_address - slab->memory.address;
  return failure.code ? weft__cuda_failed(other, &failure) : WEFT_OK;
}

/// Copies between a storage and the window as its context sees it.
static weft_status copy_abroad(weft__storage *storage, uint64_t at, int slot, const window *w, uint64_t in_window,
                               uint64_t size_bytes, bool into_window) {
  const weft__command command = {.kind = WEFT__COMMAND_COPY,
                                 .mem = into_window ? w->abroad : storage->mem,
                                 .from = into_window ? storage->mem : w->abroad,
                                 .offset_bytes = into_window ? w->offset_bytes + in_window : at,
                                 .from_offset_bytes = into_window ? at : w->offset_bytes + in_window,
                                 .size_bytes = size_bytes};
  weft__command copy = command;
  return weft__submit(&(weft__submission){.core = storage->pool->core,
                                          .slot = slot,
                                          .command = &copy,
                                          .uses = 1,
                                          .use = &(weft__use){storage, !into_window},
                                          .bytes = 2 * size_bytes});
}

/// Waits for the work on a storage of one context, so that another context may use its bytes.
static weft_status settle(weft__storage *storage, int slot, bool writes) {
  weft__core *core = storage->pool->core;
  WEFT__TRY_RETURN(weft__storage_order(storage, slot, writes));
  const weft__covered covered = weft__slot_covers(core, slot);
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  return weft__deferred_report(core, &covered);
}

typedef weft_status side(const weft__relay *relay, weft_status rc);

/// One of the arrays is the window: a single copy.
static weft_status copy_direct(const weft__relay *r, bool from_is_window) {
  window w = {0};
  weft__storage *here = from_is_window ? r->to : r->from, *there = from_is_window ? r->from : r->to;
  const int here_slot = from_is_window ? r->to_slot : r->from_slot;
  const int there_slot = from_is_window ? r->from_slot : r->to_slot;
  const uint64_t at = from_is_window ? r->to_offset_bytes : r->from_offset_bytes;
  const uint64_t in_window = from_is_window ? r->from_offset_bytes : r->to_offset_bytes;
  weft_status rc;
  side *of_here = from_is_window ? weft__relay_writing : weft__relay_reading;
  side *of_there = from_is_window ? weft__relay_reading : weft__relay_writing;
  WEFT__TRY(of_here(r, open_window(&w, there, here->pool->core)));
  WEFT__TRY(of_there(r, settle(there, there_slot, !from_is_window)));
  WEFT__TRY(of_here(r, copy_abroad(here, at, here_slot, &w, in_window, r->size_bytes, !from_is_window)));
  rc = of_here(r, settle(here, here_slot, true));
done:
  weft__release(w.abroad);
  return rc;
}

/// Two places of a window: the target copies piece k out of one while the source copies piece k + 1 into the other.
static weft_status copy_pieces(const weft__relay *r, const window *w) {
  weft__core *to = r->to->pool->core, *from = r->from->pool->core;
  weft__point arrived[2] = {{0}}, left[2] = {{0}};
  const uint64_t pieces = weft_ceil_div(r->size_bytes, PIECE_BYTES);
  weft_status rc = WEFT_OK;
  for (uint64_t k = 0; k <= pieces; k++) {
    const int place = (int)(k % 2);
    const uint64_t at = k * PIECE_BYTES, rest = k < pieces ? r->size_bytes - at : 0;
    if (rest) {
      if (left[place].event) WEFT__TRY(weft__relay_writing(r, weft__point_wait(to, &left[place])));
      weft__point_release(&left[place]);
      WEFT__TRY(weft__relay_reading(
          r, weft__transfer_copy(w->storage, (uint64_t)place * PIECE_BYTES, r->from, r->from_offset_bytes + at,
                                 r->from_slot, rest < PIECE_BYTES ? rest : PIECE_BYTES)));
      WEFT__TRY(weft__relay_reading(r, weft__point_set(&arrived[place], from, r->from_slot)));
    }
    if (!k) continue;
    const int last = !place;
    const uint64_t before = (k - 1) * PIECE_BYTES, part = r->size_bytes - before;
    WEFT__TRY(weft__relay_reading(r, weft__point_wait(from, &arrived[last])));
    WEFT__TRY(weft__relay_reading(r, weft__deferred_report(from, &arrived[last].covered)));
    weft__point_release(&arrived[last]);
    WEFT__TRY(weft__relay_writing(
        r, copy_abroad(r->to, r->to_offset_bytes + before, r->to_slot, w, (uint64_t)last * PIECE_BYTES,
                       part < PIECE_BYTES ? part : PIECE_BYTES, false)));
    WEFT__TRY(weft__relay_writing(r, weft__point_set(&left[last], to, r->to_slot)));
  }
done:
  for (int k = 0; k < 2; k++) {
    weft__point_release(&arrived[k]);
    weft__point_release(&left[k]);
  }
  /* the window is released next */
  const weft_status ended = weft__slot_wait(to, r->to_slot), read = weft__slot_wait(from, r->from_slot);
  return rc ? rc : ended ? ended : read;
}

static weft_status copy_by_pieces(const weft__relay *r) {
  weft__storage *storage = NULL;
  window w = {0};
  weft_status rc;
  WEFT__TRY(
      weft__relay_reading(r, weft__storage_create_shared(&storage, r->from->pool, 2 * PIECE_BYTES, weft__site())));
  WEFT__TRY(weft__relay_writing(r, open_window(&w, storage, r->to->pool->core)));
  rc = copy_pieces(r, &w);
done:
  weft__release(w.abroad);
  weft__storage_release(storage);
  return rc;
}

weft_status weft__relay_by_window(const weft__relay *r) {
  if (r->size_bytes < LEAST_BYTES) return weft__relay_through_ring(r);
  if (r->from->slab) return copy_direct(r, true);
  if (r->to->slab) return copy_direct(r, false);
  return copy_by_pieces(r);
}
