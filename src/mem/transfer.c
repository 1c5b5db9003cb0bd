// SPDX-License-Identifier: MIT
#include "mem/transfer.h"

#include <inttypes.h>

#include "base/clock.h"
#include "mem/pinned_memory.h"
#include "mem/ring.h"

void weft__transfer_tell(weft__step step, uint64_t start_ns, uint64_t size_bytes) {
  const char *what = weft__trace_subject();
  if (start_ns)
    weft__trace_step(step, weft__now_ns() - start_ns, size_bytes, "%" PRIu64 " bytes%s%s", size_bytes, what[0] ? " of " : "", what);
}

/// Whether the copy goes through the pinned ring: not what is small, is pinned itself, or crosses no bus.
static bool is_staged(const weft__storage *storage, bool writes, uint64_t size_bytes, const void *data) {
  weft__pool *pool = storage->pool;
  /* pinned memory before the ring, which another transfer may have */
  return weft__ring_wants(pool->core, writes, size_bytes) && !weft__pinned_holds(pool->pinned, data, size_bytes) &&
         weft__ring_serves(pool->ring, pool->pinned, pool->core);
}

weft_status weft__transfer_to_device(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes, const void *data) {
  weft__core *core = storage->pool->core;
  uint64_t start_ns, end_ns = 0;
  if (size_bytes == 0) return WEFT_OK;
  weft_status rc = weft__storage_order(storage, slot, true);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  if (is_staged(storage, true, size_bytes, data)) {
    rc = weft__ring_write(storage->pool->ring, core, slot, storage->mem, offset_bytes, size_bytes, data);
  } else {
    weft__profiled command;
    cl_event *event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY_IN, NULL, NULL, slot, size_bytes);
    cl_int code = clEnqueueWriteBuffer(core->slot[slot].queue, storage->mem, CL_TRUE, offset_bytes, size_bytes, data, 0, NULL, event);
    weft__profile_done(&core->profile, &command);
    if (code != CL_SUCCESS) rc = weft__core_failed(core, code, "clEnqueueWriteBuffer", true);
  }
  weft__storage_mark(storage, slot, true, weft__slot_issue(core, slot)); /* a copy that failed midway has written some */
  if (rc) return rc;
  atomic_fetch_add_explicit(&core->to_device_bytes, size_bytes, memory_order_relaxed);
  if (start_ns) rc = weft__slot_settle(core, slot, &end_ns);
  weft__transfer_tell(WEFT__STEP_COPY_IN, start_ns, size_bytes);
  return rc;
}

weft_status weft__transfer_to_host(void *data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes) {
  weft__core *core = storage->pool->core;
  weft_status rc = WEFT_OK;
  uint64_t start_ns;
  if (size_bytes == 0) return WEFT_OK;
  rc = weft__storage_order(storage, slot, false);
  const weft__covered covered = weft__slot_covers(core, slot);
  /* the driver's blocking read spins like its waits: sleep through the work before it */
  if (rc == WEFT_OK && core->sleeps && atomic_load(&core->slot[slot].completed) < atomic_load(&core->slot[slot].issued))
    rc = weft__slot_wait(core, slot);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  if (is_staged(storage, false, size_bytes, data)) {
    rc = weft__ring_read(storage->pool->ring, core, slot, storage->mem, offset_bytes, size_bytes, data);
  } else {
    weft__profiled command;
    cl_event *event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY_BACK, NULL, NULL, slot, size_bytes);
    cl_int code = clEnqueueReadBuffer(core->slot[slot].queue, storage->mem, CL_TRUE, offset_bytes, size_bytes, data, 0, NULL, event);
    weft__profile_done(&core->profile, &command);
    if (code != CL_SUCCESS) rc = weft__core_failed(core, code, "clEnqueueReadBuffer", true);
  }
  if (rc) return rc;
  uint64_t number = weft__slot_issue(core, slot);
  weft__storage_mark(storage, slot, false, number);
  weft__slot_done(core, slot, covered.own); /* the queue is in order */
  if (covered.own + 1 == number) weft__slot_done(core, slot, number);
  atomic_fetch_add_explicit(&core->to_host_bytes, size_bytes, memory_order_relaxed);
  weft__transfer_tell(WEFT__STEP_COPY_BACK, start_ns, size_bytes);
  return weft__deferred_report(core, &covered);
}

weft_status weft__transfer_copy(weft__storage *to, uint64_t to_offset_bytes, weft__storage *from, uint64_t from_offset_bytes, int slot,
                                uint64_t size_bytes) {
  weft__core *core = to->pool->core;
  uint64_t start_ns, end_ns;
  if (size_bytes == 0) return WEFT_OK;
  weft_status rc = weft__slot_pace(core, slot);
  if (rc == WEFT_OK) rc = weft__storage_order(from, slot, false);
  if (rc == WEFT_OK) rc = weft__storage_order(to, slot, true);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  weft__profiled command;
  cl_event *event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY, NULL, NULL, slot, 2 * size_bytes);
  cl_int code =
      clEnqueueCopyBuffer(core->slot[slot].queue, from->mem, to->mem, from_offset_bytes, to_offset_bytes, size_bytes, 0, NULL, event);
  weft__profile_done(&core->profile, &command);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueCopyBuffer", false);
  uint64_t number = weft__slot_issue(core, slot);
  weft__storage_mark(from, slot, false, number);
  weft__storage_mark(to, slot, true, number);
  if (!start_ns) return WEFT_OK;
  rc = weft__slot_settle(core, slot, &end_ns);
  if (end_ns > start_ns)
    weft__trace_step(WEFT__STEP_LAUNCH, end_ns - start_ns, size_bytes, "a copy of %" PRIu64 " bytes on the device", size_bytes);
  return rc;
}
