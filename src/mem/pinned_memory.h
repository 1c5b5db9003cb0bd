// SPDX-License-Identifier: MIT
/// Pinned host memory that users requested: the bus transfers it at its full rate, and copies need not block. Copies
/// recognise such memory by its address.
#ifndef WEFT_MEM_PINNED_MEMORY_H
#define WEFT_MEM_PINNED_MEMORY_H

#include "core/core.h"

typedef struct weft__pinned {
  struct weft__pinned *next;
  weft__cl_mem mem;
  char *data; /* mapped during the block's lifetime */
  uint64_t size_bytes;
  bool is_foreign; /* the memory is the program's */
  weft__ledger_entry entry;
} weft__pinned;

/// A pinned block of Weft's own, for one step after the other. All zero: none.
typedef struct weft__pinned_spare {
  weft__cl_mem mem;
  char *data; /* mapped during the block's lifetime */
  uint64_t size_bytes;
} weft__pinned_spare;

/// The pinned blocks of a context.
typedef struct weft__pinned_blocks {
  pthread_mutex_t lock;
  _Atomic(weft__pinned *) first; /* read without the lock only to test for NULL */
  weft__cl_queue queue;    /* for map and unmap; another queue would wait for its work first. NULL: not needed yet */
  weft__pinned_spare idle; /* kept for the next step: to pin a block takes 0.4 ms for each MiB (H200, driver 580.159) */
} weft__pinned_blocks;

void weft__pinned_init(weft__pinned_blocks *blocks);
/// Releases all blocks, including those in use. They must be out of the ledger already.
void weft__pinned_close(weft__pinned_blocks *blocks);
void weft__pinned_destroy(weft__pinned_blocks *blocks);

/// Makes a pinned block, around `host` if that is not NULL. Errors: MEMORY (the system pins no more), HOST_MEMORY,
/// DRIVER.
weft_status weft__pinned_create(void **data, weft__pinned_blocks *blocks, weft__core *core, void *host,
                                uint64_t size_bytes, const char *site);
/// Releases the block at `data`; copies with it must be done. Returns false if no block begins there.
bool weft__pinned_release(weft__pinned_blocks *blocks, weft__core *core, const void *data);
/// Whether the whole range lies in one block.
bool weft__pinned_holds(weft__pinned_blocks *blocks, const void *data, uint64_t size_bytes);

/// Takes a block of at least this size. Errors: MEMORY, DRIVER.
weft_status weft__pinned_spare_take(weft__pinned_spare *staging, weft__pinned_blocks *blocks, weft__core *core,
                                    uint64_t size_bytes);
/// Gives it back; copies with it must be done. Accepts none.
void weft__pinned_spare_give(weft__pinned_spare *staging, weft__pinned_blocks *blocks);
/// Releases the block that is kept, if there is one.
void weft__pinned_spare_drop(weft__pinned_blocks *blocks);

/// Makes a buffer in pinned memory, mapped at *data during its lifetime. `host`: memory to pin; NULL: new memory.
/// Returns a driver code.
int weft__pinned_map(weft__cl_mem *mem, void **data, weft__pinned_blocks *blocks, weft__core *core, void *host,
                     uint64_t size_bytes);
void weft__pinned_unmap(weft__pinned_blocks *blocks, weft__cl_mem mem, void *data);

#endif
