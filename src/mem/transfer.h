// SPDX-License-Identifier: MIT
/// Bytes between host and device, and between storages. Ordered with the other work on the storage.
#ifndef WEFT_MEM_TRANSFER_H
#define WEFT_MEM_TRANSFER_H

#include "mem/storage.h"

/// `data` may be changed on return; the bytes may still be on their way to the device, in the order of the slot's work.
weft_status weft__transfer_to_device(weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes, const void *data);
/// Blocking: waits for the work before it, whose failure is reported here. WEFT_ERROR_INDEX is an earlier launch's (core/deferred.h): the bytes
/// are there all the same.
weft_status weft__transfer_to_host(void *data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes);
/// Does not block. The two ranges must not overlap.
weft_status weft__transfer_copy(weft__storage *to, uint64_t to_offset_bytes, weft__storage *from, uint64_t from_offset_bytes, int slot,
                                uint64_t size_bytes);

#endif
