// SPDX-License-Identifier: MIT
#include "mem/transfer.h"

#include <string.h>

#include "mem/at_once.h"
#include "mem/submit.h"

/// Whether the host may do a copy of few bytes itself, and where they are. A read must report what earlier launches
/// found, and waits for them if they check.
static weft_status reach(bool *may, char **place, weft__core *core, int uses, const weft__use *use, uint64_t bytes,
                         bool reads) {
  *may = bytes <= weft__at_once_bytes(core) / 2 &&
         !(reads && atomic_load_explicit(&core->deferred.pending, memory_order_relaxed));
  return *may ? weft__at_once(may, place, core, uses, use) : WEFT_OK;
}

static weft_status submit(weft__storage *storage, int slot, weft__command command, bool writes, uint64_t bytes) {
  command.mem = storage->mem;
  if (bytes == 0) return WEFT_OK;
  return weft__submit(&(weft__submission){.core = storage->core,
                                          .slot = slot,
                                          .command = &command,
                                          .uses = 1,
                                          .use = &(weft__use){storage, writes},
                                          .bytes = bytes});
}

/// Copies a range from `data`, or to it.
static weft_status move(weft__storage *storage, int slot, bool writes, bool blocking, uint64_t offset_bytes,
                        uint64_t size_bytes, void *data) {
  weft__core *core = storage->core;
  char *place;
  bool may;
  if (size_bytes == 0) return WEFT_OK;
  WEFT__TRY_RETURN(reach(&may, &place, core, 1, &(weft__use){storage, writes}, size_bytes, !writes));
  if (may) {
    memcpy(writes ? place + offset_bytes : data, writes ? data : place + offset_bytes, size_bytes);
    atomic_fetch_add_explicit(writes ? &core->to_device_bytes : &core->to_host_bytes, size_bytes, memory_order_relaxed);
    return WEFT_OK;
  }
  const weft__command command = {.kind = writes ? WEFT__COMMAND_WRITE : WEFT__COMMAND_READ,
                                 .blocking = blocking,
                                 .offset_bytes = offset_bytes,
                                 .size_bytes = size_bytes,
                                 .host = data};
  return submit(storage, slot, command, writes, size_bytes);
}

weft_status weft__transfer_to_device(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                                     const void *data) {
  return move(storage, slot, true, true, offset_bytes, size_bytes, (void *)data);
}

weft_status weft__transfer_to_host(void *data, weft__storage *storage, int slot, uint64_t offset_bytes,
                                   uint64_t size_bytes) {
  return move(storage, slot, false, true, offset_bytes, size_bytes, data);
}

weft_status weft__transfer_write_async(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                                       const void *data) {
  return move(storage, slot, true, false, offset_bytes, size_bytes, (void *)data);
}

weft_status weft__transfer_read_async(void *data, weft__storage *storage, int slot, uint64_t offset_bytes,
                                      uint64_t size_bytes) {
  return move(storage, slot, false, false, offset_bytes, size_bytes, data);
}

weft_status weft__transfer_copy(weft__storage *to, uint64_t to_offset_bytes, weft__storage *from,
                                uint64_t from_offset_bytes, int slot, uint64_t size_bytes) {
  const weft__use use[] = {{from, false}, {to, true}};
  char *place[2];
  bool may;
  if (size_bytes == 0) return WEFT_OK;
  WEFT__TRY_RETURN(reach(&may, place, to->core, 2, use, size_bytes, false));
  if (may) {
    memmove(place[1] + to_offset_bytes, place[0] + from_offset_bytes, size_bytes);
    return WEFT_OK;
  }
  return weft__submit(&(weft__submission){.core = to->core,
                                          .slot = slot,
                                          .command = &(weft__command){.kind = WEFT__COMMAND_COPY,
                                                                      .mem = to->mem,
                                                                      .from = from->mem,
                                                                      .offset_bytes = to_offset_bytes,
                                                                      .from_offset_bytes = from_offset_bytes,
                                                                      .size_bytes = size_bytes},
                                          .uses = 2,
                                          .use = use,
                                          .bytes = 2 * size_bytes});
}

bool weft__transfer_takes_rect(const weft__storage *storage, const weft__rect *rect) {
  if (!storage->core->device->quirks.rect_whole_rows) return true;
  /* the pool's buffers may be used up to their capacity; guarded and foreign buffers only up to the array's size */
  uint64_t bytes = storage->guarded || storage->adopted ? storage->size_bytes : storage->capacity_bytes;
  uint64_t first_row = rect->offset_bytes - rect->offset_bytes % rect->row_pitch;
  return first_row + (rect->slices - 1) * rect->slice_pitch + rect->rows * rect->row_pitch <= bytes;
}

static weft_status move_rect(weft__storage *storage, int slot, weft__command_kind kind, const weft__rect *rect,
                             const void *data) {
  const weft__command command = {.kind = kind, .blocking = true, .rect = rect, .host = (void *)data};
  return submit(storage, slot, command, kind == WEFT__COMMAND_WRITE_RECT, rect->row_bytes * rect->rows * rect->slices);
}

weft_status weft__transfer_rect_to_device(weft__storage *storage, int slot, const weft__rect *rect, const void *data) {
  return move_rect(storage, slot, WEFT__COMMAND_WRITE_RECT, rect, data);
}

weft_status weft__transfer_rect_to_host(void *data, weft__storage *storage, int slot, const weft__rect *rect) {
  return move_rect(storage, slot, WEFT__COMMAND_READ_RECT, rect, data);
}
