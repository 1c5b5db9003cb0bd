// SPDX-License-Identifier: MIT
#include "mem/ring.h"

#include "base/log.h"
#include "mem/pinned_memory.h"
#include "ocl/codes.h"

/// One transfer. Its pieces have at most a block's size and use successive blocks of the ring.
typedef struct passage {
  weft__ring *ring;
  weft__core *core;
  int slot;
  const weft__command *command;
  uint64_t piece_bytes, pieces;
  size_t job[WEFT__RING_SLOTS]; /* by block */
} passage;

void weft__ring_init(weft__ring *ring) {
  pthread_mutex_init(&ring->lock, NULL);
}

void weft__ring_destroy(weft__ring *ring) {
  pthread_mutex_destroy(&ring->lock);
}

static int open_ring(weft__ring *ring, weft__pinned_blocks *blocks, weft__core *core) {
  void *pinned;
  int code = weft__pinned_map(&ring->mem, &pinned, blocks, core, NULL, WEFT__RING_BYTES);
  if (code) return code;
  ring->pinned = pinned;
  weft__copiers_start(&ring->copiers);
  return 0;
}

void weft__ring_close(weft__ring *ring, weft__pinned_blocks *blocks) {
  if (!ring->mem) return;
  weft__copiers_stop(&ring->copiers);
  for (int b = 0; b < WEFT__RING_SLOTS; b++) weft__release(ring->event[b]);
  weft__pinned_unmap(blocks, ring->mem, ring->pinned);
  ring->mem = NULL;
}

bool weft__ring_wants(const weft__core *core, bool writes, uint64_t size_bytes) {
  uint64_t least_bytes = writes ? WEFT__RING_LEAST_WRITE_BYTES : WEFT__RING_LEAST_READ_BYTES;
  if (core->device->info.type == WEFT_DEVICE_TYPE_CPU) least_bytes = WEFT__RING_LEAST_TEST_BYTES;
  return core->device->quirks.stages_slowly && size_bytes >= least_bytes;
}

bool weft__ring_serves(weft__ring *ring, weft__pinned_blocks *blocks, weft__core *core) {
  int code = 0;
  pthread_mutex_lock(&ring->lock);
  if (!ring->mem && !ring->failed) code = open_ring(ring, blocks, core);
  if (code) ring->failed = true;
  bool serves = ring->mem != NULL;
  pthread_mutex_unlock(&ring->lock);
  /* without the lock: the log's receiver may copy something */
  if (code)
    weft__log(WEFT_LOG_WARNING,
              "%zu bytes of pinned memory could not be allocated (%s): copies from and to the host use the driver's "
              "slower path",
              WEFT__RING_BYTES, weft__cl_code_name(code));
  return serves;
}

/* ---- pieces ---- */

static void begin(passage *p, weft__ring *ring, weft__core *core, int slot, const weft__command *command) {
  const uint64_t size_bytes = command->size_bytes;
  *p = (passage){.ring = ring, .core = core, .slot = slot, .command = command, .piece_bytes = WEFT__RING_BLOCK_BYTES};
  /* a short transfer gets smaller pieces, so that all threads have work */
  while (p->piece_bytes > WEFT__RING_BLOCK_BYTES / 8 && size_bytes / p->piece_bytes < 2 * WEFT__COPIERS)
    p->piece_bytes /= 2;
  p->pieces = (size_bytes + p->piece_bytes - 1) / p->piece_bytes;
}

static size_t block_of(const passage *p, uint64_t piece) {
  return (size_t)((p->ring->next + piece) % WEFT__RING_SLOTS);
}

static char *memory_of(const passage *p, uint64_t piece) {
  return p->ring->pinned + block_of(p, piece) * WEFT__RING_BLOCK_BYTES;
}

static size_t bytes_of(const passage *p, uint64_t piece) {
  uint64_t left = p->command->size_bytes - piece * p->piece_bytes;
  return (size_t)(left < p->piece_bytes ? left : p->piece_bytes);
}

static weft__cl_event *event_of(passage *p, uint64_t piece) {
  return &p->ring->event[block_of(p, piece)];
}

static size_t *job_of(passage *p, uint64_t piece) {
  return &p->job[block_of(p, piece)];
}

/// Whether the block of an earlier piece is free, without waiting.
static bool has_crossed(passage *p, uint64_t piece) {
  weft__cl_event event = *event_of(p, piece);
  int state;
  return !event || (!weft__driver->event_state(&state, event) && state == 0);
}

weft_status weft__copy_settle(weft__cl_event *event, weft__core *core) {
  int code;
  if (!*event) return WEFT_OK;
  const char *call = weft__event_settle(*event, &code);
  weft__release(*event);
  *event = NULL;
  return code ? weft__core_failed(core, code, call, true) : WEFT_OK;
}

/// Waits until the bus has transferred the content of the piece's block.
static weft_status settle(passage *p, uint64_t piece) {
  return weft__copy_settle(event_of(p, piece), p->core);
}

weft_status weft__copy_piece(weft__core *core, int slot, weft__command *command) {
  const weft__profiled profiled = {
      .kind = command->kind == WEFT__COMMAND_WRITE ? WEFT_PROFILE_COPY_IN : WEFT_PROFILE_COPY_BACK,
      .kernel = "pinned ring",
      .bytes = command->size_bytes};
  int code = weft__slot_enqueue(core, slot, command, &profiled);
  if (code) return weft__core_failed(core, code, weft__command_call(command), false);
  code = weft__driver->flush(command->queue);
  return code ? weft__core_failed(core, code, "clFlush", false) : WEFT_OK;
}

static weft_status enqueue(passage *p, uint64_t piece) {
  weft__command command = {.kind = p->command->kind,
                           .event = event_of(p, piece),
                           .mem = p->command->mem,
                           .offset_bytes = p->command->offset_bytes + piece * p->piece_bytes,
                           .size_bytes = bytes_of(p, piece),
                           .host = memory_of(p, piece)};
  return weft__copy_piece(p->core, p->slot, &command);
}

/* ---- the two directions ---- */

static weft_status write_pieces(passage *p) {
  const char *data = p->command->host;
  weft__copiers *copiers = &p->ring->copiers;
  uint64_t filled = 0; /* pieces whose block is filled or being filled */
  weft_status rc = WEFT_OK;
  uint64_t sent = 0;
  for (; sent < p->pieces; sent++) {
    /* fill as many blocks ahead as there are; wait for a block only if none is ready to be sent */
    while (filled < p->pieces && filled < sent + WEFT__RING_SLOTS && (filled == sent || has_crossed(p, filled))) {
      WEFT__TRY(settle(p, filled));
      *job_of(p, filled) =
          weft__copiers_post(copiers, memory_of(p, filled), data + filled * p->piece_bytes, bytes_of(p, filled));
      filled++;
    }
    weft__copiers_wait(copiers, *job_of(p, sent));
    WEFT__TRY(enqueue(p, sent));
  }
done:
  for (; sent < filled; sent++) weft__copiers_wait(copiers, *job_of(p, sent)); /* their jobs read `data` */
  return rc;
}

static weft_status read_pieces(passage *p) {
  char *data = p->command->host;
  weft__copiers *copiers = &p->ring->copiers;
  uint64_t asked = 0, emptied = 0; /* pieces requested from the device; pieces that arrived or are being copied out */
  weft_status rc = WEFT_OK;
  for (; emptied < p->pieces; emptied++) {
    while (asked < p->pieces && asked < emptied + WEFT__RING_SLOTS) {
      /* the block's previous piece must be copied out; wait for it only if no other piece is pending */
      if (asked >= WEFT__RING_SLOTS) {
        if (asked > emptied && !weft__copiers_is_done(copiers, *job_of(p, asked))) break;
        weft__copiers_wait(copiers, *job_of(p, asked));
      }
      WEFT__TRY(settle(p, asked)); /* an earlier write may use the block */
      WEFT__TRY(enqueue(p, asked));
      asked++;
    }
    WEFT__TRY(settle(p, emptied));
    *job_of(p, emptied) =
        weft__copiers_post(copiers, data + emptied * p->piece_bytes, memory_of(p, emptied), bytes_of(p, emptied));
  }
done:
  for (uint64_t first = emptied > WEFT__RING_SLOTS ? emptied - WEFT__RING_SLOTS : 0; first < emptied; first++)
    weft__copiers_wait(copiers, *job_of(p, first));
  for (; emptied < asked; emptied++) settle(p, emptied); /* after a failure: rc keeps the first error */
  return rc;
}

weft_status weft__ring_carry(weft__ring *ring, weft__core *core, int slot, const weft__command *command) {
  passage p;
  pthread_mutex_lock(&ring->lock);
  begin(&p, ring, core, slot, command);
  weft_status rc = command->kind == WEFT__COMMAND_WRITE ? write_pieces(&p) : read_pieces(&p);
  ring->next = (unsigned)block_of(&p, p.pieces);
  pthread_mutex_unlock(&ring->lock);
  return weft__while(rc, "copying through pinned memory");
}

/* ---- lent to a relay ---- */

weft_status weft__ring_lend(char **memory, weft__ring *ring, weft__core *core) {
  weft_status rc = WEFT_OK;
  pthread_mutex_lock(&ring->lock);
  for (int b = 0; b < WEFT__RING_SLOTS && rc == WEFT_OK; b++) rc = weft__copy_settle(&ring->event[b], core);
  *memory = ring->pinned;
  if (rc) pthread_mutex_unlock(&ring->lock);
  return rc;
}

void weft__ring_return(weft__ring *ring) {
  pthread_mutex_unlock(&ring->lock);
}
