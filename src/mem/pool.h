// SPDX-License-Identifier: MIT
/// The pool keeps whole buffers for reuse. It has eight size classes per power of two, so that rounding wastes at most
/// an eighth. pool.c explains how much it may keep.
///
/// Reuse on the slot that used a buffer last needs no wait. On another slot the storage's order makes the slot wait.
#ifndef WEFT_MEM_POOL_H
#define WEFT_MEM_POOL_H

#include <weft/memory.h>

#include "core/core.h"
#include "mem/guard.h"
#include "mem/slabs.h"
#include "mem/storage.h"
#include "mem/window.h"

struct weft__ring;
struct weft__pinned_blocks;

typedef struct weft__pool {
  weft__core *core;
  struct weft__ring *ring; /* the context's, for copies */
  struct weft__pinned_blocks *pinned;
  pthread_mutex_t lock;
  bool takes_slabs;     /* buffers are shared with CUDA */
  bool off;             /* every buffer has its exact size and none is kept */
  uint64_t limit_bytes; /* 0: no limit */
  uint64_t floor_bytes; /* may always be held, so that small programs do not call the driver repeatedly */
  uint64_t active_bytes, held_bytes, making_bytes; /* capacities: in arrays, idle, and being made */
  uint64_t requested_bytes;                        /* requested by live arrays */
  uint64_t due_bytes, making_due_bytes;            /* with each array's minimum: live, and being made */
  uint64_t reserved_bytes, making_reserved_bytes;  /* capacities of reserved buffers, and being made */
  uint64_t reservation;                            /* number of the current reservation; each trim starts a new one */
  uint64_t peak_active_bytes, peak_managed_bytes, peak_requested_bytes, peak_due_bytes;
  uint64_t allocations, hits, driver_allocations, driver_releases;
  uint64_t made_again; /* buffers made again in classes from which the bound evicted one */
  bool was_let_go[WEFT__POOL_CLASSES];
  weft__storage *idle[WEFT__POOL_CLASSES]; /* by class of capacity, the last released first */
  weft__storage *newest, *oldest;          /* all idle buffers that are not reserved, in the order of their release */
  weft__guard guard;                     /* of guard mode, in which the pool is off */
  weft__slabs slabs;                     /* memory shared with CUDA */
  weft__window window;                   /* of copies to other GPUs */
} weft__pool;

/// Errors: ARGUMENT (WEFT_MEMORY_LIMIT cannot be parsed); then there is nothing to destroy.
weft_status weft__pool_init(weft__pool *pool, weft__core *core, const weft_context_params *params);
void weft__pool_destroy(weft__pool *pool);
/// Releases all idle buffers and the window, and ends reservations. Returns the number of bytes released.
uint64_t weft__pool_trim(weft__pool *pool);
/// After a command failed with a driver's code: if device memory ran out and the pool holds idle memory, releases and
/// waits for it. Then *again is true, and the command may be tried once more. Errors: of the wait.
weft_status weft__pool_trim_for(bool *again, weft__pool *pool, int code);
void weft__pool_stats(weft__pool *pool, weft_memory_stats *stats);
void weft__pool_set_limit(weft__pool *pool, uint64_t limit_bytes);

/// For storages: takes a buffer of at least `size_bytes` into `storage` (mem, size, capacity, order of use).
/// `is_shared`: CUDA sees it, if it is not too large for that; needs pool->core->cuda.
weft_status weft__pool_take(weft__pool *pool, weft__storage **storage, uint64_t size_bytes, bool is_shared);
/// As weft__pool_take, makes a new image.
weft_status weft__pool_take_image(weft__pool *pool, weft__storage **storage, const weft__image_form *form,
                                  uint64_t size_bytes);
/// Returns a storage: keeps it, or releases the buffer and the structure.
void weft__pool_give(weft__pool *pool, weft__storage *storage);
/// Returns a list of storages that is linked by idle.older.
void weft__pool_give_all(weft__pool *pool, weft__storage *list);
/// Releases only the buffer, while handles still hold the storage: its context is being closed.
void weft__pool_close(weft__pool *pool, weft__storage *storage);
/// Makes an idle buffer for an array of `size_bytes`, which is kept until the next trim.
weft_status weft__pool_reserve(weft__pool *pool, uint64_t size_bytes);

#endif
