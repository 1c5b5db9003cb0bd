// SPDX-License-Identifier: MIT
/// Copies between host and device, and between storages. They are submissions (mem/submit.h), ordered with the other
/// work on the storage.
#ifndef WEFT_MEM_TRANSFER_H
#define WEFT_MEM_TRANSFER_H

#include "mem/storage.h"

/// `data` may be changed on return. The bytes may reach the device later, in the order of the slot's work.
weft_status weft__transfer_to_device(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                                     const void *data);
/// Blocks until earlier work and the copy are done, and reports failures of earlier work.
weft_status weft__transfer_to_host(void *data, weft__storage *storage, int slot, uint64_t offset_bytes,
                                   uint64_t size_bytes);
/// Do not block: `data` must not be changed (write) or read (read) until the slot was waited for.
weft_status weft__transfer_write_async(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                                       const void *data);
weft_status weft__transfer_read_async(void *data, weft__storage *storage, int slot, uint64_t offset_bytes,
                                      uint64_t size_bytes);
/// Copies without blocking. The two ranges must not overlap.
weft_status weft__transfer_copy(weft__storage *to, uint64_t to_offset_bytes, weft__storage *from,
                                uint64_t from_offset_bytes, int slot, uint64_t size_bytes);

/// Whether the driver takes the rectangle (quirk rect_whole_rows).
bool weft__transfer_takes_rect(const weft__storage *storage, const weft__rect *rect);
/// Block as weft__transfer_to_device and weft__transfer_to_host do. Bytes between the rows are not touched on either
/// side.
weft_status weft__transfer_rect_to_device(weft__storage *storage, int slot, const weft__rect *rect, const void *data);
weft_status weft__transfer_rect_to_host(void *data, weft__storage *storage, int slot, const weft__rect *rect);

#endif
