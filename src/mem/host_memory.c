// SPDX-License-Identifier: MIT
#include "mem/host_memory.h"

#include "base/clock.h"
#include "mem/transfer.h"
#include "ocl/codes.h"

weft_status weft__storage_wrap(weft__storage **out, weft__pool *pool, void *host, uint64_t size_bytes, const char *read_only,
                               const char *site) {
  cl_int code;
  cl_mem_flags flags = CL_MEM_USE_HOST_PTR | (read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE);
  cl_mem mem = clCreateBuffer(pool->core->cl, flags, size_bytes, host, &code);
  if (code != CL_SUCCESS) return weft__core_failed(pool->core, code, "clCreateBuffer", false);
  weft_status rc = weft__storage_adopt(out, pool, mem, size_bytes, read_only, site);
  clReleaseMemObject(mem); /* the storage has a reference of its own */
  if (rc == WEFT_OK) (*out)->host = host;
  return rc;
}

weft_status weft__storage_sync(weft__storage *storage, int slot) {
  weft__core *core = storage->pool->core;
  weft_status rc = weft__storage_order(storage, slot, false);
  const weft__covered covered = weft__slot_covers(core, slot);
  if (rc == WEFT_OK) rc = weft__slot_wait(core, slot);
  if (rc) return rc;
  if (!core->device->quirks.wraps_in_place) {
    /* OpenCL lets a driver keep a copy, which a map brings to the host */
    cl_command_queue queue = core->slot[slot].queue;
    cl_int code;
    void *mapped = clEnqueueMapBuffer(queue, storage->mem, CL_TRUE, CL_MAP_READ, 0, (size_t)storage->size_bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueMapBuffer", true);
    code = clEnqueueUnmapMemObject(queue, storage->mem, mapped, 0, NULL, NULL);
    if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueUnmapMemObject", false);
  }
  return weft__deferred_report(core, &covered);
}

weft_status weft__mapped_refuse(const weft__storage *storage) {
  return weft__fail(WEFT_ERROR_ARGUMENT, NULL, "memory made at %s is mapped for the host%s; weft_unmap it first", storage->entry.site,
                    storage->mapped_for_write ? " to write" : ", and would be written");
}

/// On such devices a map is no copy.
static bool shares_memory(const weft__core *core) {
  return core->device->info.type == WEFT_DEVICE_TYPE_CPU;
}

weft_status weft__storage_map(void **data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes, bool read,
                              bool write) {
  weft__core *core = storage->pool->core;
  uint64_t start_ns;
  cl_int code;
  if (storage->mapped) return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x`, or another view of its memory, is mapped already");
  weft_status rc = weft__storage_order(storage, slot, write);
  const weft__covered covered = weft__slot_covers(core, slot);
  /* what the work before it has to say is said while nothing is mapped; and its wait may sleep, which the driver's map does not */
  if (rc == WEFT_OK) rc = weft__slot_wait(core, slot);
  if (rc == WEFT_OK) rc = weft__deferred_report(core, &covered);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  cl_map_flags flags = !read ? CL_MAP_WRITE_INVALIDATE_REGION : write ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
  weft__profiled command = {0};
  cl_event *event = NULL;
  if (read && !shares_memory(core))
    event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY_BACK, NULL, NULL, slot, size_bytes);
  void *mapped = clEnqueueMapBuffer(core->slot[slot].queue, storage->mem, CL_TRUE, flags, offset_bytes, size_bytes, 0, NULL, event, &code);
  if (event) weft__profile_done(&core->profile, &command);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueMapBuffer", true);
  storage->mapped = *data = mapped;
  storage->mapped_for_write = write;
  storage->mapped_bytes = size_bytes;
  weft__storage_mark(storage, slot, write, weft__slot_issue(core, slot));
  if (read && !shares_memory(core)) {
    atomic_fetch_add_explicit(&core->to_host_bytes, size_bytes, memory_order_relaxed);
    weft__transfer_tell(WEFT__STEP_COPY_BACK, start_ns, size_bytes);
  }
  return WEFT_OK;
}

weft_status weft__storage_unmap(weft__storage *storage, int slot) {
  weft__core *core = storage->pool->core;
  uint64_t start_ns;
  if (!storage->mapped) return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is not mapped");
  weft_status rc = weft__slot_settle(core, slot, &start_ns);
  if (rc) return rc;
  weft__profiled command = {0};
  cl_event *event = NULL;
  if (storage->mapped_for_write && !shares_memory(core))
    event = weft__profile_event(&core->profile, &command, WEFT_PROFILE_COPY_IN, NULL, NULL, slot, storage->mapped_bytes);
  cl_int code = clEnqueueUnmapMemObject(core->slot[slot].queue, storage->mem, storage->mapped, 0, NULL, event);
  if (event) weft__profile_done(&core->profile, &command);
  storage->mapped = NULL;
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueUnmapMemObject", false);
  weft__storage_mark(storage, slot, storage->mapped_for_write, weft__slot_issue(core, slot));
  if (!storage->mapped_for_write || shares_memory(core)) return WEFT_OK;
  atomic_fetch_add_explicit(&core->to_device_bytes, storage->mapped_bytes, memory_order_relaxed);
  if (start_ns && (rc = weft__slot_wait(core, slot)) == WEFT_OK) weft__transfer_tell(WEFT__STEP_COPY_IN, start_ns, storage->mapped_bytes);
  return rc;
}

void weft__storage_end_map(weft__storage *storage) {
  weft__core *core = storage->pool->core;
  if (!storage->mapped) return;
  int slot = weft__slot_now(core);
  if (!core->slot[slot].queue) slot = 0; /* a context that is being closed has only its own */
  /* a driver that cannot says so at the next call */
  clEnqueueUnmapMemObject(core->slot[slot].queue, storage->mem, storage->mapped, 0, NULL, NULL);
  storage->mapped = NULL;
  weft__storage_mark(storage, slot, true, weft__slot_issue(core, slot));
}
