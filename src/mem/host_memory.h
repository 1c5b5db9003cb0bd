// SPDX-License-Identifier: MIT
/// Memory that host and device both reach: the caller's as a storage, and a storage mapped for the host.
#ifndef WEFT_MEM_HOST_MEMORY_H
#define WEFT_MEM_HOST_MEMORY_H

#include "mem/storage.h"

/// A storage that is `host`, on a CPU device: no bytes are moved. The memory must live until the storage is released
/// and the work on it done. `read_only` as in the structure; then `host` is not written. Errors: HOST_MEMORY, DRIVER,
/// MEMORY.
weft_status weft__storage_wrap(weft__storage **out, weft__pool *pool, void *host, uint64_t size_bytes,
                               const char *read_only, const char *site);
/// Waits until `host` has what the slot's work wrote to the storage around it. Errors as weft__transfer_to_host.
weft_status weft__storage_sync(weft__storage *storage, int slot);

/// Waits for the work on the storage and maps a range of it. One map at a time. `write` alone: what was there is lost.
/// Errors: ARGUMENT (it is mapped), DRIVER, LOST, and INDEX of an earlier launch; then it is not mapped.
weft_status weft__storage_map(void **data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                              bool read, bool write);
/// Ends it. Does not block. Errors: ARGUMENT (it is not mapped), DRIVER.
weft_status weft__storage_unmap(weft__storage *storage, int slot);
/// The same where there may be none, for a storage that is given back.
void weft__storage_end_map(weft__storage *storage);
/// Records that a command wants what the host has mapped.
weft_status weft__mapped_refuse(const weft__storage *storage);

#endif
