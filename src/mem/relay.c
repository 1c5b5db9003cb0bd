// SPDX-License-Identifier: MIT
#include "mem/relay.h"

#include <stdlib.h>

#include "mem/host_memory.h"
#include "mem/ring.h"
#include "mem/submit.h"
#include "mem/transfer.h"

static weft__core *core_of(const weft__storage *storage) {
  return storage->core;
}

weft_status weft__relay_reading(const weft__relay *r, weft_status rc) {
  const weft_device_info *device = &core_of(r->from)->device->info;
  return weft__while(rc, "reading it from the context of device %d (%s)", device->index, device->name);
}

weft_status weft__relay_writing(const weft__relay *r, weft_status rc) {
  const weft_device_info *device = &core_of(r->to)->device->info;
  return weft__while(rc, "writing it to the context of device %d (%s)", device->index, device->name);
}

/* ---- on one device ---- */

weft_status weft__relay_within(const weft__relay *r) {
  weft__core *to = core_of(r->to), *from = core_of(r->from);
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__storage_order(r->from, r->from_slot, false)));
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__queue_after_slot(from, to->slot[r->to_slot].queue, r->from_slot)));
  WEFT__TRY_RETURN(weft__relay_writing(
      r, weft__submit(&(weft__submission){.core = to,
                                          .slot = r->to_slot,
                                          .command = &(weft__command){.kind = WEFT__COMMAND_COPY,
                                                                      .mem = r->to->mem,
                                                                      .from = r->from->mem,
                                                                      .offset_bytes = r->to_offset_bytes,
                                                                      .from_offset_bytes = r->from_offset_bytes,
                                                                      .size_bytes = r->size_bytes},
                                          .uses = 1,
                                          .use = &(weft__use){r->to, true},
                                          .bytes = 2 * r->size_bytes})));
  /* the source is ordered by its own context's slots: that slot now waits for the copy */
  weft_status rc = weft__queue_after_slot(to, from->slot[r->from_slot].queue, r->to_slot);
  if (rc) weft__slot_wait(to, r->to_slot);
  weft__storage_mark(r->from, r->from_slot, false, weft__slot_issue(from, r->from_slot));
  return weft__relay_reading(r, rc);
}

/* ---- in the host's memory ---- */

static weft_status write_from(const weft__relay *r) {
  weft__core *from = core_of(r->from);
  weft__reach reach = {
      .storage = r->from, .offset_bytes = r->from_offset_bytes, .size_bytes = r->size_bytes, .reads = true};
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__storage_order(r->from, r->from_slot, false)));
  const weft__covered covered = weft__slot_covers(from, r->from_slot);
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__slot_wait(from, r->from_slot)));
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__deferred_report(from, &covered)));
  WEFT__TRY_RETURN(weft__relay_reading(r, weft__reach_open(&reach, r->from_slot)));
  weft_status rc = weft__relay_writing(
      r, weft__transfer_to_device(r->to, r->to_slot, r->to_offset_bytes, r->size_bytes, reach.host));
  weft_status closed = weft__relay_reading(r, weft__reach_close(&reach, r->from_slot));
  return rc ? rc : closed;
}

static weft_status read_into(const weft__relay *r) {
  weft__reach reach = {
      .storage = r->to, .offset_bytes = r->to_offset_bytes, .size_bytes = r->size_bytes, .writes = true};
  WEFT__TRY_RETURN(weft__relay_writing(r, weft__storage_order(r->to, r->to_slot, true)));
  WEFT__TRY_RETURN(weft__relay_writing(r, weft__slot_wait(core_of(r->to), r->to_slot)));
  WEFT__TRY_RETURN(weft__relay_writing(r, weft__reach_open(&reach, r->to_slot)));
  weft_status rc = weft__relay_reading(
      r, weft__transfer_to_host(reach.host, r->from, r->from_slot, r->from_offset_bytes, r->size_bytes));
  weft_status closed = weft__relay_writing(r, weft__reach_close(&reach, r->to_slot));
  return rc ? rc : closed;
}

weft_status weft__relay_in_place(const weft__relay *r) {
  return weft__host_reaches(core_of(r->from)) ? write_from(r) : read_into(r);
}

/* ---- through the host's memory, by a blocking call each ---- */

/// Up to this size the driver's blocking calls are faster than events.
#define HOP_MOST_BYTES ((uint64_t)256 << 10)
/// The part of a large copy, if the system pins no memory.
#define HOP_BYTES ((uint64_t)8 << 20)

static weft_status hop(const weft__relay *r) {
  weft_status rc = WEFT_OK;
  const uint64_t most_bytes = r->size_bytes < HOP_BYTES ? r->size_bytes : HOP_BYTES;
  char *data = weft__new(most_bytes);
  if (!data) return WEFT_ERROR_HOST_MEMORY;
  for (uint64_t at = 0; at < r->size_bytes; at += most_bytes) {
    const uint64_t bytes = r->size_bytes - at < most_bytes ? r->size_bytes - at : most_bytes;
    WEFT__TRY(
        weft__relay_reading(r, weft__transfer_to_host(data, r->from, r->from_slot, r->from_offset_bytes + at, bytes)));
    WEFT__TRY(
        weft__relay_writing(r, weft__transfer_to_device(r->to, r->to_slot, r->to_offset_bytes + at, bytes, data)));
  }
done:
  free(data);
  return rc;
}

/* ---- through the pinned ring ---- */

#define LARGEST_PIECE_BYTES (4 * WEFT__RING_BLOCK_BYTES)
#define SMALLEST_PIECE_BYTES (WEFT__RING_BLOCK_BYTES / 8)
#define MOST_PLACES 32

/// The pieces of one copy. Piece k uses place k % places of the ring's memory.
typedef struct passage {
  const weft__relay *relay;
  weft__ring *ring;
  weft__core *ring_core;
  char *memory;
  uint64_t piece_bytes, pieces, places;
  weft__cl_event arrives[MOST_PLACES], leaves[MOST_PLACES]; /* by place */
} passage;

static void cut(passage *p) {
  /* the first piece's read and the last one's write overlap nothing: small copies get small pieces */
  p->piece_bytes = LARGEST_PIECE_BYTES;
  while (p->piece_bytes > SMALLEST_PIECE_BYTES && p->relay->size_bytes / p->piece_bytes < 8) p->piece_bytes /= 2;
  p->pieces = weft_ceil_div(p->relay->size_bytes, p->piece_bytes);
  p->places = WEFT__RING_BYTES / p->piece_bytes;
  if (p->places > MOST_PLACES) p->places = MOST_PLACES;
}

static weft__command piece_of(passage *p, uint64_t piece, bool writes) {
  const weft__relay *r = p->relay;
  const uint64_t at = piece * p->piece_bytes, left = r->size_bytes - at, place = piece % p->places;
  return (weft__command){.kind = writes ? WEFT__COMMAND_WRITE : WEFT__COMMAND_READ,
                         .event = writes ? &p->leaves[place] : &p->arrives[place],
                         .mem = writes ? r->to->mem : r->from->mem,
                         .offset_bytes = (writes ? r->to_offset_bytes : r->from_offset_bytes) + at,
                         .size_bytes = left < p->piece_bytes ? left : p->piece_bytes,
                         .host = p->memory + place * p->piece_bytes};
}

/// Whether the place of an earlier piece is free, without waiting.
static bool has_left(const passage *p, uint64_t piece) {
  weft__cl_event event = p->leaves[piece % p->places];
  int state;
  return !event || (!weft__driver->event_state(&state, event) && state == 0);
}

static weft_status settle_write(passage *p, uint64_t piece) {
  return weft__relay_writing(p->relay, weft__copy_settle(&p->leaves[piece % p->places], core_of(p->relay->to)));
}

static weft_status carry_pieces(passage *p) {
  const weft__relay *r = p->relay;
  weft__core *to = core_of(r->to), *from = core_of(r->from);
  weft_status rc = WEFT_OK;
  uint64_t asked = 0, sent = 0; /* pieces requested from the source; pieces whose write is enqueued */
  for (; sent < p->pieces; sent++) {
    /* read ahead into all free places; wait for a place only if no piece is on its way here */
    while (asked < p->pieces && asked < sent + p->places && (asked == sent || has_left(p, asked))) {
      WEFT__TRY(settle_write(p, asked));
      weft__command read = piece_of(p, asked, false);
      WEFT__TRY(weft__copy_piece(from, r->from_slot, &read));
      asked++;
    }
    WEFT__TRY(weft__copy_settle(&p->arrives[sent % p->places], from));
    weft__command write = piece_of(p, sent, true);
    WEFT__TRY(weft__relay_writing(r, weft__copy_piece(to, r->to_slot, &write)));
  }
done:
  /* the ring's memory must be at rest, also after a failure: rc keeps the first error */
  for (uint64_t k = 0; k < p->places; k++) {
    weft_status arrived = weft__copy_settle(&p->arrives[k], from), left = settle_write(p, k);
    if (rc == WEFT_OK) rc = arrived ? arrived : left;
  }
  return rc;
}

/// Stands in for the source's read: moves all bytes.
static weft_status carry_through(weft__submission *read) {
  passage *p = read->user;
  WEFT__TRY_RETURN(weft__ring_lend(&p->memory, p->ring, p->ring_core));
  weft_status rc = carry_pieces(p);
  weft__ring_return(p->ring);
  return weft__while(rc, "copying through pinned memory");
}

/// Stands in for the target's write. The read inside it orders, counts and reports the source's side.
static weft_status carry_read(weft__submission *write) {
  passage *p = write->user;
  const weft__relay *r = p->relay;
  return weft__relay_reading(
      r, weft__submit(&(weft__submission){
             .core = core_of(r->from),
             .slot = r->from_slot,
             .command = &(weft__command){.kind = WEFT__COMMAND_READ, .blocking = true, .size_bytes = r->size_bytes},
             .uses = 1,
             .use = &(weft__use){r->from, false},
             .carrier = carry_through,
             .user = p,
             .bytes = r->size_bytes}));
}

/// Finds a ring that works: the source's, else the target's.
static bool find_ring(passage *p) {
  for (int k = 0; k < 2; k++) {
    weft__pool *pool = k ? p->relay->to->pool : p->relay->from->pool;
    p->ring = pool->ring;
    p->ring_core = pool->core;
    if (weft__ring_serves(pool->ring, pool->pinned, pool->core)) return true;
  }
  return false;
}

weft_status weft__relay_through_ring(const weft__relay *r) {
  passage p = {.relay = r};
  if (r->size_bytes <= HOP_MOST_BYTES || !find_ring(&p)) return hop(r);
  cut(&p);
  WEFT__TRY_RETURN(weft__relay_writing(r, weft__storage_order(r->to, r->to_slot, true)));
  return weft__submit(&(weft__submission){
      .core = core_of(r->to),
      .slot = r->to_slot,
      .command = &(weft__command){.kind = WEFT__COMMAND_WRITE, .blocking = true, .size_bytes = r->size_bytes},
      .uses = 1,
      .use = &(weft__use){r->to, true},
      .carrier = carry_read,
      .user = &p,
      .bytes = r->size_bytes});
}
