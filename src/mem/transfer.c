// SPDX-License-Identifier: MIT
#include "mem/transfer.h"

#include "mem/submit.h"

static weft_status move(weft__storage *storage, int slot, weft__command command, uint64_t bytes) {
  const bool writes = command.kind == WEFT__COMMAND_WRITE || command.kind == WEFT__COMMAND_WRITE_RECT;
  command.mem = storage->mem;
  if (bytes == 0) return WEFT_OK;
  return weft__submit(&(weft__submission){.core = storage->pool->core,
                                          .slot = slot,
                                          .command = &command,
                                          .uses = 1,
                                          .use = &(weft__use){storage, writes},
                                          .bytes = bytes});
}

/// Makes a command for a range of a storage.
static weft__command range(weft__command_kind kind, bool blocking, uint64_t offset_bytes, uint64_t size_bytes,
                           const void *data) {
  return (weft__command){
      .kind = kind, .blocking = blocking, .offset_bytes = offset_bytes, .size_bytes = size_bytes, .host = (void *)data};
}

weft_status weft__transfer_to_device(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                                     const void *data) {
  return move(storage, slot, range(WEFT__COMMAND_WRITE, true, offset_bytes, size_bytes, data), size_bytes);
}

weft_status weft__transfer_to_host(void *data, weft__storage *storage, int slot, uint64_t offset_bytes,
                                   uint64_t size_bytes) {
  return move(storage, slot, range(WEFT__COMMAND_READ, true, offset_bytes, size_bytes, data), size_bytes);
}

weft_status weft__transfer_write_async(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                                       const void *data) {
  return move(storage, slot, range(WEFT__COMMAND_WRITE, false, offset_bytes, size_bytes, data), size_bytes);
}

weft_status weft__transfer_read_async(void *data, weft__storage *storage, int slot, uint64_t offset_bytes,
                                      uint64_t size_bytes) {
  return move(storage, slot, range(WEFT__COMMAND_READ, false, offset_bytes, size_bytes, data), size_bytes);
}

weft_status weft__transfer_copy(weft__storage *to, uint64_t to_offset_bytes, weft__storage *from,
                                uint64_t from_offset_bytes, int slot, uint64_t size_bytes) {
  const weft__use use[] = {{from, false}, {to, true}};
  if (size_bytes == 0) return WEFT_OK;
  return weft__submit(&(weft__submission){.core = to->pool->core,
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
  if (!storage->pool->core->device->quirks.rect_whole_rows) return true;
  /* the pool's buffers may be used up to their capacity; guarded and foreign buffers only up to the array's size */
  uint64_t bytes = storage->guarded || storage->adopted ? storage->size_bytes : storage->capacity_bytes;
  uint64_t first_row = rect->offset_bytes - rect->offset_bytes % rect->row_pitch;
  return first_row + (rect->slices - 1) * rect->slice_pitch + rect->rows * rect->row_pitch <= bytes;
}

static weft_status move_rect(weft__storage *storage, int slot, weft__command_kind kind, const weft__rect *rect,
                             const void *data) {
  const weft__command command = {.kind = kind, .blocking = true, .rect = rect, .host = (void *)data};
  return move(storage, slot, command, rect->row_bytes * rect->rows * rect->slices);
}

weft_status weft__transfer_rect_to_device(weft__storage *storage, int slot, const weft__rect *rect, const void *data) {
  return move_rect(storage, slot, WEFT__COMMAND_WRITE_RECT, rect, data);
}

weft_status weft__transfer_rect_to_host(void *data, weft__storage *storage, int slot, const weft__rect *rect) {
  return move_rect(storage, slot, WEFT__COMMAND_READ_RECT, rect, data);
}
