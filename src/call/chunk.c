// SPDX-License-Identifier: MIT
#include "call/chunk.h"

#include "base/checked.h"
#include "base/environment.h"
#include "mem/pinned_memory.h"
#include "mem/recorder.h"

/* Calls over more host memory than this are cut into chunks on devices with memory of their own. */
#define THRESHOLD_BYTES (UINT64_C(64) << 20)
/* Chunks of pinned memory are short: the bus is busy from the first to the last, and only the first upload and the last
   download overlap nothing (H200, 512 MiB each way: 32 MiB 11.3 ms, 64 MiB 11.5 to 12.0, 256 MiB 13.4, the bus alone in
   both directions at once 10.7). Pageable memory passes through the ring (mem/ring.h), which starts again with each
   chunk (64 MiB reach 0.7 of the plain copies' rate, 256 MiB 0.97). */
#define PINNED_CHUNK_BYTES (UINT64_C(32) << 20)
#define PAGEABLE_CHUNK_BYTES (UINT64_C(256) << 20)
#define LEAST_BYTES 4096u /* smaller chunks consist of launch overhead only */

/* ---- whether to chunk, and the chunk's size ---- */

static uint64_t room_of(weft_context *context) {
  weft_memory_stats stats;
  weft__pool_stats(&context->pool, &stats);
  return stats.limit_bytes > stats.active_bytes ? stats.limit_bytes - stats.active_bytes : 0;
}

static bool is_host(const weft_operand *o) {
  return o->kind == WEFT_OPERAND_HOST || o->kind == WEFT_OPERAND_HOST_RESULT;
}

bool weft__uses_host_memory(const weft__call *c) {
  bool uses = false;
  for (int k = 0; k < c->results; k++) uses = uses || is_host(&c->result[k]);
  for (int k = 0; k < c->inputs; k++) uses = uses || is_host(&c->operand[k]);
  return uses;
}

/// The call's host memory. *copied_bytes: the part that takes device memory if the call is not chunked. Sizes of
/// unchecked shapes may be wrong; such shapes are refused later.
static uint64_t host_bytes_of(const weft__call *c, uint64_t *copied_bytes, bool *is_pinned) {
  uint64_t sum = 0;
  *copied_bytes = 0;
  *is_pinned = true;
  for (int k = -c->results; k < c->inputs; k++) {
    const weft_operand *o = k < 0 ? &c->result[k + c->results] : &c->operand[k];
    if (!is_host(o)) continue;
    const weft_host_out *out = &o->as.host_result;
    const weft_host host = k < 0 ? WEFT_HOST(out->data, out->dtype, out->shape) : o->as.host;
    uint64_t bytes = weft__shape_bytes(host.shape, host.dtype);
    sum += bytes;
    *is_pinned = *is_pinned && weft__pinned_holds(c->context->pool.pinned, host.data, bytes);
    if (bytes && !weft__call_wraps(c, host.data, host.dtype, bytes)) *copied_bytes += bytes;
  }
  return sum;
}

weft_status weft__chunk_bytes(uint64_t *chunk_bytes, const weft__call *c, uint64_t result_bytes, uint64_t own_bytes) {
  bool is_pinned;
  uint64_t copied_bytes, host_bytes = host_bytes_of(c, &copied_bytes, &is_pinned), wanted, all;
  *chunk_bytes = 0;
  if (host_bytes < LEAST_BYTES) return WEFT_OK;
  WEFT__TRY_RETURN(weft__environment_size(&wanted, WEFT__ENV_CHUNK, 0));
  if (wanted == UINT64_MAX) return WEFT_OK;
  if (wanted) {
    if (host_bytes > wanted) *chunk_bytes = wanted;
    return WEFT_OK;
  }
  /* on a CPU nothing overlaps: the same cores copy and compute */
  bool is_large = c->context->core.device->info.type != WEFT_DEVICE_TYPE_CPU && copied_bytes > THRESHOLD_BYTES;
  bool fits = (copied_bytes | own_bytes) == 0 || (weft__add_u64(&all, copied_bytes, result_bytes) &&
                                                  weft__add_u64(&all, all, own_bytes) && all <= room_of(c->context));
  if (is_large || !fits) *chunk_bytes = is_pinned ? PINNED_CHUNK_BYTES : PAGEABLE_CHUNK_BYTES;
  return WEFT_OK;
}

uint64_t weft__chunk_that_fits(uint64_t chunk_bytes, weft_context *context) {
  uint64_t most = room_of(context) / (WEFT__MAX_QUEUES + 1); /* one more for the rounding of the pool's size classes */
  if (chunk_bytes > most) chunk_bytes = most;
  return chunk_bytes < LEAST_BYTES ? LEAST_BYTES : chunk_bytes;
}

/* ---- queues ---- */

/// Makes the queues wait for the thread's own one if it may have commands of other code, which arrays do not record.
static weft_status follow_own(const weft__chunking *chunking) {
  weft__core *core = chunking->core;
  weft__point point;
  weft_status rc = WEFT_OK;
  if (!atomic_load(&core->is_lent)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__point_set(&point, core, weft__slot_now(core)));
  for (int k = 0; k < WEFT__MAX_QUEUES && rc == WEFT_OK; k++)
    rc = weft__slot_after_point(core, chunking->slot[k], &point);
  weft__point_release(&point);
  return rc;
}

weft_status weft__chunking_begin(weft__chunking *chunking, weft_context *context) {
  WEFT__TRY_RETURN(weft__recorder_refuse(&context->core, "its host memory is used in chunks"));
  chunking->queues = &context->queues;
  chunking->core = &context->core;
  WEFT__TRY_RETURN(weft__queues_take(chunking->slot, WEFT__MAX_QUEUES, chunking->queues, chunking->core));
  const weft_status rc = follow_own(chunking);
  return rc ? weft__chunking_end(chunking, rc, false) : WEFT_OK;
}

int weft__chunking_enter(weft__chunking *chunking, uint64_t number) {
  int queue = (int)(number % WEFT__MAX_QUEUES);
  chunking->before = weft__slot_use(chunking->core, chunking->slot[queue]);
  return queue;
}

void weft__chunking_leave(weft__chunking *chunking) {
  weft__thread_uses = chunking->before;
}

weft_status weft__chunking_end(weft__chunking *chunking, weft_status rc, bool waits) {
  weft__core *core = chunking->core;
  for (int k = 0; k < WEFT__MAX_QUEUES; k++) {
    const weft__covered covered = weft__slot_covers(core, chunking->slot[k]);
    const bool has_failed = rc != WEFT_OK;
    if (has_failed) weft__quiet_begin(); /* the first failure is reported */
    /* if not the host, the thread's own queue waits: events and other code's commands on it come after the call */
    weft_status ended = waits ? weft__slot_wait(core, chunking->slot[k])
                              : weft__slot_after(core, weft__slot_now(core), chunking->slot[k], covered.own);
    if (waits && ended == WEFT_OK && rc == WEFT_OK) ended = weft__deferred_report(core, &covered);
    if (rc == WEFT_OK) rc = ended;
    if (has_failed) weft__quiet_end();
  }
  weft__queues_give(chunking->slot, WEFT__MAX_QUEUES, chunking->queues, core);
  return rc;
}

/* ---- moving ---- */

weft_status weft__staging_open(weft__staging *staging, const weft__call *c, const weft_array *like, int64_t elements) {
  uint64_t data_bytes = (uint64_t)like->size * weft_dtype_size_bytes(like->dtype);
  staging->is_pinned = weft__pinned_holds(c->context->pool.pinned, staging->data, data_bytes);
  weft__call_about(staging->name);
  for (int k = 0; k < WEFT__MAX_QUEUES; k++)
    WEFT__TRY_RETURN(weft__array_create(&staging->array[k], c->context, like->dtype, WEFT_SHAPE(elements), c->site));
  return WEFT_OK;
}

void weft__staging_close(weft__staging *staging) {
  for (int k = 0; k < WEFT__MAX_QUEUES; k++) weft_array_release(&staging->array[k]);
}

/// The array of a queue, cut to the size of a part.
static weft_array part_of(const weft__staging *staging, int queue, uint64_t size_bytes) {
  weft_array part = weft__array_borrow(staging->array[queue]);
  weft__set_contiguous(&part, WEFT_SHAPE((int64_t)(size_bytes / weft_dtype_size_bytes(part.dtype))));
  return part;
}

weft_status weft__staging_to_device(weft__staging *staging, int queue, uint64_t offset_bytes, uint64_t size_bytes) {
  if (staging->offset_bytes[queue] == offset_bytes && staging->size_bytes[queue] == size_bytes) return WEFT_OK;
  weft_array part = part_of(staging, queue, size_bytes);
  weft__call_about(staging->name);
  staging->offset_bytes[queue] = offset_bytes;
  staging->size_bytes[queue] = 0;
  WEFT__TRY_RETURN(weft__array_write(&part, staging->data + offset_bytes, !staging->is_pinned, NULL));
  staging->size_bytes[queue] = size_bytes;
  return WEFT_OK;
}

weft_status weft__staging_to_host(weft__staging *staging, int queue, uint64_t offset_bytes, uint64_t size_bytes) {
  const weft_array part = part_of(staging, queue, size_bytes);
  weft__call_about(staging->name);
  return weft__array_read(staging->data + offset_bytes, &part, !staging->is_pinned, NULL);
}
