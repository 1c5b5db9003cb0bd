// SPDX-License-Identifier: MIT
/// Transfers that the host does not wait for, and those of boxes.
#include "mem/transfer.h"

#include "ocl/codes.h"

/// A command was enqueued: counts and marks it. When tracing, waits for it and tells.
static weft_status enqueued(weft__storage *storage, int slot, bool writes, uint64_t size_bytes, uint64_t start_ns) {
  weft__core *core = storage->pool->core;
  weft_status rc = WEFT_OK;
  weft__storage_mark(storage, slot, writes, weft__slot_issue(core, slot));
  atomic_fetch_add_explicit(writes ? &core->to_device_bytes : &core->to_host_bytes, size_bytes, memory_order_relaxed);
  if (start_ns && (rc = weft__slot_wait(core, slot)) == WEFT_OK)
    weft__transfer_tell(writes ? WEFT__STEP_COPY_IN : WEFT__STEP_COPY_BACK, start_ns, size_bytes);
  return rc;
}

static weft_status enqueue(weft__storage *storage, int slot, bool writes, uint64_t offset_bytes, uint64_t size_bytes, void *data) {
  weft__core *core = storage->pool->core;
  cl_command_queue queue = core->slot[slot].queue;
  uint64_t start_ns;
  if (size_bytes == 0) return WEFT_OK;
  weft_status rc = weft__slot_pace(core, slot);
  if (rc == WEFT_OK) rc = weft__storage_order(storage, slot, writes);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  weft__profiled command;
  const weft_profile_kind kind = writes ? WEFT_PROFILE_COPY_IN : WEFT_PROFILE_COPY_BACK;
  cl_event *event = weft__profile_event(&core->profile, &command, kind, NULL, NULL, slot, size_bytes);
  cl_int code = writes ? clEnqueueWriteBuffer(queue, storage->mem, CL_FALSE, offset_bytes, size_bytes, data, 0, NULL, event)
                       : clEnqueueReadBuffer(queue, storage->mem, CL_FALSE, offset_bytes, size_bytes, data, 0, NULL, event);
  weft__profile_done(&core->profile, &command);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, writes ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", false);
  return enqueued(storage, slot, writes, size_bytes, start_ns);
}

weft_status weft__transfer_write_async(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes, const void *data) {
  return enqueue(storage, slot, true, offset_bytes, size_bytes, (void *)data);
}

weft_status weft__transfer_read_async(void *data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes) {
  return enqueue(storage, slot, false, offset_bytes, size_bytes, data);
}

/* ---- boxes ---- */

/// Where the box begins, as OpenCL says it: in bytes, rows and slices.
static void find_origin(size_t origin[3], const weft__rect *box) {
  uint64_t offset = box->offset_bytes;
  origin[2] = box->slices > 1 ? offset / box->slice_pitch : 0;
  offset -= origin[2] * box->slice_pitch;
  origin[1] = offset / box->row_pitch;
  origin[0] = offset % box->row_pitch;
}

bool weft__transfer_takes_rect(const weft__storage *storage, const weft__rect *box) {
  if (!storage->pool->core->device->quirks.rect_whole_rows) return true;
  /* what a buffer of the pool has beyond the array counts, in guard mode and of foreign buffers only what is the array's */
  uint64_t bytes = storage->guarded || storage->adopted ? storage->size_bytes : storage->capacity_bytes;
  size_t origin[3];
  find_origin(origin, box);
  return (origin[2] + box->slices - 1) * box->slice_pitch + (origin[1] + box->rows) * box->row_pitch <= bytes;
}

weft_status weft__transfer_rect_to_device(weft__storage *storage, int slot, const weft__rect *box, const void *data) {
  weft__core *core = storage->pool->core;
  const size_t region[3] = {box->row_bytes, box->rows, box->slices}, host_origin[3] = {0};
  const uint64_t size_bytes = box->row_bytes * box->rows * box->slices;
  size_t origin[3];
  uint64_t start_ns;
  weft_status rc = weft__storage_order(storage, slot, true);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  find_origin(origin, box);
  weft__profiled command;
  cl_event *event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY_IN, NULL, NULL, slot, size_bytes);
  cl_int code = clEnqueueWriteBufferRect(core->slot[slot].queue, storage->mem, CL_TRUE, origin, host_origin, region, box->row_pitch,
                                         box->slice_pitch, box->host_row_pitch, box->host_slice_pitch, data, 0, NULL, event);
  weft__profile_done(&core->profile, &command);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueWriteBufferRect", true);
  return enqueued(storage, slot, true, size_bytes, start_ns);
}

weft_status weft__transfer_rect_to_host(void *data, weft__storage *storage, int slot, const weft__rect *box) {
  weft__core *core = storage->pool->core;
  const size_t region[3] = {box->row_bytes, box->rows, box->slices}, host_origin[3] = {0};
  const uint64_t size_bytes = box->row_bytes * box->rows * box->slices;
  size_t origin[3];
  uint64_t start_ns;
  weft_status rc = weft__storage_order(storage, slot, false);
  const weft__covered covered = weft__slot_covers(core, slot);
  /* the driver's blocking read spins like its waits: sleep through the work before it */
  if (rc == WEFT_OK && core->sleeps && atomic_load(&core->slot[slot].completed) < atomic_load(&core->slot[slot].issued))
    rc = weft__slot_wait(core, slot);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  find_origin(origin, box);
  weft__profiled command;
  cl_event *event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY_BACK, NULL, NULL, slot, size_bytes);
  cl_int code = clEnqueueReadBufferRect(core->slot[slot].queue, storage->mem, CL_TRUE, origin, host_origin, region, box->row_pitch,
                                        box->slice_pitch, box->host_row_pitch, box->host_slice_pitch, data, 0, NULL, event);
  weft__profile_done(&core->profile, &command);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueReadBufferRect", true);
  rc = enqueued(storage, slot, false, size_bytes, start_ns);
  return rc ? rc : weft__deferred_report(core, &covered);
}
