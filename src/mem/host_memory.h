// SPDX-License-Identifier: MIT
/// Memory that host and device share: the caller's memory as a storage, and a storage mapped for the host.
#ifndef WEFT_MEM_HOST_MEMORY_H
#define WEFT_MEM_HOST_MEMORY_H

#include "mem/pool.h"

/// Makes a storage of the memory `host` on a CPU device, without copying. The memory must live until the storage is
/// released and the work on it is done. `read_only` as in the structure; then `host` is not written. Errors:
/// HOST_MEMORY, DRIVER, MEMORY.
weft_status weft__storage_wrap(weft__storage **out, weft__pool *pool, void *host, uint64_t size_bytes,
                               const char *read_only, const char *site);
/// Waits until the results that the slot's work stored are in the storage's `host`. Errors as weft__transfer_to_host.
weft_status weft__storage_sync(weft__storage *storage, int slot);

/// A range of a storage at the host, of a device of which weft__host_reaches is true.
typedef struct weft__reach {
  weft__storage *storage;
  uint64_t offset_bytes, size_bytes;
  bool reads, writes;
  char *host; /* set by weft__reach_open; NULL: not open */
  bool is_mapped;
} weft__reach;
/// Sets reach->host. The work on the storage must be done: weft__storage_order and weft__slot_wait. Maps the range,
/// unless the driver keeps buffers where they were mapped before. Errors: DRIVER, LOST.
weft_status weft__reach_open(weft__reach *reach, int slot);
/// Orders later work after the host's. Does nothing if the range is not open.
weft_status weft__reach_close(weft__reach *reach, int slot);

/// Waits for the work on the storage and maps a range of it. Only one map at a time. With `write` alone the old content
/// is lost. Errors: ARGUMENT (already mapped), DRIVER, LOST, and INDEX of an earlier launch; after an error it is not
/// mapped.
weft_status weft__storage_map(void **data, weft__storage *storage, int slot, uint64_t offset_bytes, uint64_t size_bytes,
                              bool read, bool write);
/// Ends the map without blocking. Errors: ARGUMENT (not mapped), DRIVER.
weft_status weft__storage_unmap(weft__storage *storage, int slot);

#endif
