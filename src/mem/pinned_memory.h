// SPDX-License-Identifier: MIT
/// Pinned host memory that users asked for: the bus carries it at its full rate, and a copy needs nobody to wait for
/// it. Copies know such memory by its address.
#ifndef WEFT_MEM_PINNED_MEMORY_H
#define WEFT_MEM_PINNED_MEMORY_H

#include "core/core.h"

typedef struct weft__pinned {
  struct weft__pinned *next;
  weft__cl_mem mem;
  char *data; /* mapped as long as the block is there */
  uint64_t size_bytes;
  weft__ledger_entry entry;
} weft__pinned;

/// A context's blocks.
typedef struct weft__pinned_blocks {
  pthread_mutex_t lock;
  _Atomic(weft__pinned *) first; /* read without the lock only to see that there is none */
  weft__cl_queue queue; /* maps and unmaps; any other would first wait for the work on it. NULL: not needed so far */
} weft__pinned_blocks;

void weft__pinned_init(weft__pinned_blocks *blocks);
/// Gives all back to the driver, also those that are still in use; they are out of the ledger already.
void weft__pinned_close(weft__pinned_blocks *blocks);
void weft__pinned_destroy(weft__pinned_blocks *blocks);

/// Errors: MEMORY (the system pins no more), HOST_MEMORY, DRIVER.
weft_status weft__pinned_create(void **data, weft__pinned_blocks *blocks, weft__core *core, uint64_t size_bytes,
                                const char *site);
/// False if no block begins there. Copies with it must be done.
bool weft__pinned_release(weft__pinned_blocks *blocks, weft__core *core, const void *data);
/// Whether all of it lies in one block.
bool weft__pinned_holds(weft__pinned_blocks *blocks, const void *data, uint64_t size_bytes);

/// A buffer in pinned memory, mapped at *data for good. A code of the driver.
int weft__pinned_map(weft__cl_mem *mem, void **data, weft__pinned_blocks *blocks, weft__core *core,
                     uint64_t size_bytes);
void weft__pinned_unmap(weft__pinned_blocks *blocks, weft__cl_mem mem, void *data);

#endif
