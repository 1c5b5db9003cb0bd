// SPDX-License-Identifier: MIT
#include "mem/host_memory.h"

#include "mem/lifetime.h"
#include "mem/recorder.h"
#include "mem/submit.h"

weft_status weft__storage_wrap(weft__storage **out, weft__pool *pool, void *host, uint64_t size_bytes,
                               const char *read_only, const char *site) {
  weft__cl_mem mem;
  const weft__buffer_params params = {
      .kind = WEFT__BUFFER_AROUND, .read_only = read_only != NULL, .size_bytes = size_bytes, .host = host};
  int code = weft__driver->buffer_create(&mem, pool->core->cl, &params);
  if (code) return weft__core_failed(pool->core, code, "clCreateBuffer", false);
  weft_status rc = weft__storage_adopt(out, pool, mem, size_bytes, read_only, site);
  weft__release(mem); /* the storage holds its own reference */
  if (rc == WEFT_OK) (*out)->host = host;
  return rc;
}

weft_status weft__storage_sync(weft__storage *storage, int slot) {
  weft__core *core = storage->core;
  WEFT__TRY_RETURN(weft__storage_order(storage, slot, false));
  const weft__covered covered = weft__slot_covers(core, slot);
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  if (!core->device->quirks.wraps_in_place) {
    /* OpenCL allows a driver to keep a copy; mapping brings it to the host */
    weft__command command = {.kind = WEFT__COMMAND_MAP,
                             .blocking = true,
                             .read = true,
                             .mem = storage->mem,
                             .size_bytes = storage->size_bytes};
    int code = weft__slot_enqueue(core, slot, &command, NULL);
    if (code) return weft__core_failed(core, code, weft__command_call(&command), true);
    command = (weft__command){.kind = WEFT__COMMAND_UNMAP, .mem = storage->mem, .host = command.host};
    code = weft__slot_enqueue(core, slot, &command, NULL);
    if (code) return weft__core_failed(core, code, weft__command_call(&command), false);
  }
  return weft__deferred_report(core, &covered);
}

weft_status weft__reach_open(weft__reach *reach, int slot) {
  weft__core *core = reach->storage->core;
  WEFT__TRY_RETURN(weft__recorder_refuse(core, "the host uses the memory"));
  const bool stays = core->device->quirks.wraps_in_place;
  char *in_place = atomic_load_explicit(&reach->storage->in_place, memory_order_relaxed);
  if (stays && in_place) { /* a map and its end take 20 us */
    reach->host = in_place + reach->offset_bytes;
    return WEFT_OK;
  }
  weft__command command = {.kind = WEFT__COMMAND_MAP,
                           .blocking = true,
                           .read = reach->reads,
                           .write = reach->writes,
                           .mem = reach->storage->mem,
                           .offset_bytes = reach->offset_bytes,
                           .size_bytes = reach->size_bytes};
  WEFT__TRY_RETURN(weft__submit(&(weft__submission){.core = core,
                                                    .slot = slot,
                                                    .command = &command,
                                                    .uses = 1,
                                                    .use = &(weft__use){reach->storage, reach->writes},
                                                    .is_ordered = true}));
  reach->host = command.host;
  reach->is_mapped = true;
  if (stays) atomic_store_explicit(&reach->storage->in_place, reach->host - reach->offset_bytes, memory_order_relaxed);
  return WEFT_OK;
}

weft_status weft__reach_close(weft__reach *reach, int slot) {
  weft__command command = {.kind = WEFT__COMMAND_UNMAP, .mem = reach->storage->mem, .host = reach->host};
  const bool was_mapped = reach->host && reach->is_mapped;
  reach->host = NULL;
  if (!was_mapped) return WEFT_OK;
  return weft__submit(&(weft__submission){.core = reach->storage->core,
                                          .slot = slot,
                                          .command = &command,
                                          .uses = 1,
                                          .use = &(weft__use){reach->storage, reach->writes},
                                          .is_ordered = true});
}

weft_status weft__storage_map(void **data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                              bool read, bool write) {
  weft__core *core = storage->core;
  if (storage->mapped)
    return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x`, or another view of its memory, is mapped already");
  WEFT__TRY_RETURN(weft__storage_order(storage, slot, write));
  const weft__covered covered = weft__slot_covers(core, slot);
  /* report errors of earlier work before anything is mapped; and this wait may sleep, which the driver's map does
     not */
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  WEFT__TRY_RETURN(weft__deferred_report(core, &covered));
  weft__command map = {.kind = WEFT__COMMAND_MAP,
                       .blocking = true,
                       .read = read,
                       .write = write,
                       .mem = storage->mem,
                       .offset_bytes = offset_bytes,
                       .size_bytes = size_bytes};
  WEFT__TRY_RETURN(weft__submit(&(weft__submission){.core = core,
                                                    .slot = slot,
                                                    .command = &map,
                                                    .uses = 1,
                                                    .use = &(weft__use){storage, write},
                                                    .is_ordered = true,
                                                    .bytes = read && !weft__shares_memory(core) ? size_bytes : 0}));
  storage->mapped = *data = map.host;
  storage->mapped_for_write = write;
  storage->mapped_bytes = size_bytes;
  return WEFT_OK;
}

weft_status weft__storage_unmap(weft__storage *storage, int slot) {
  weft__core *core = storage->core;
  if (!storage->mapped) return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is not mapped");
  weft__submission unmap = {
      .core = core,
      .slot = slot,
      .command = &(weft__command){.kind = WEFT__COMMAND_UNMAP, .mem = storage->mem, .host = storage->mapped},
      .uses = 1,
      .use = &(weft__use){storage, storage->mapped_for_write},
      .is_ordered = true,
      .bytes = storage->mapped_for_write && !weft__shares_memory(core) ? storage->mapped_bytes : 0};
  storage->mapped = NULL;
  return weft__submit(&unmap);
}
