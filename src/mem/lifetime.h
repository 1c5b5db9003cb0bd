// SPDX-License-Identifier: MIT
/// Making and releasing storages (mem/storage.h).
#ifndef WEFT_MEM_LIFETIME_H
#define WEFT_MEM_LIFETIME_H

#include "mem/pool.h"

/// Makes a storage of at least `size_bytes` with one reference, from the pool or the driver. Its content is
/// indeterminate.
/// Errors: MEMORY, BUDGET (both name the holders of memory), HOST_MEMORY, DRIVER, LOST.
weft_status weft__storage_create(weft__storage **out, weft__pool *pool, uint64_t size_bytes, const char *site);
/// As weft__storage_create, in memory that CUDA sees, also in a context whose arrays are not made there. Too large for
/// that: storage->cuda_address is 0. Further errors: as weft__cuda_open.
weft_status weft__storage_create_shared(weft__storage **out, weft__pool *pool, uint64_t size_bytes, const char *site);
/// As weft__storage_create, and adds the ledger entry of the array that takes the reference. On failure neither is in
/// the ledger.
weft_status weft__storage_create_for(weft__storage **out, weft__pool *pool, uint64_t size_bytes,
                                     weft__ledger_entry *array_entry, void *array, const char *site);
/// Makes a storage of a new image, of which `size_bytes` are counted. Errors: as weft__storage_create.
weft_status weft__storage_create_image(weft__storage **out, weft__pool *pool, const weft__image_form *form,
                                       uint64_t size_bytes, const char *site);
/// Makes a storage of a foreign buffer or image and retains it. `read_only` as in the structure.
weft_status weft__storage_adopt(weft__storage **out, weft__pool *pool, weft__cl_mem mem, uint64_t size_bytes,
                                const char *read_only, const char *site);
void weft__storage_retain(weft__storage *storage);
/// Releases a reference. The last release waits for the context's work if there is a lender, who may reuse the memory
/// at once. Otherwise it does not block.
void weft__storage_release(weft__storage *storage);
/// As weft__storage_release, and removes the ledger entry of the array that held the reference.
void weft__storage_release_of(weft__storage *storage, weft__ledger_entry *array_entry);
/// Releases the buffer while handles still hold the storage: its context is being closed. The storage must be out of
/// the ledger already.
void weft__storage_close(weft__storage *storage);

#endif
