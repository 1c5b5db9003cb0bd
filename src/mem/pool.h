// SPDX-License-Identifier: MIT
/// The pool: whole buffers kept for reuse, in size classes of which there are eight to a power of two, so that at most
/// an eighth is lost to rounding; and how much it may keep (pool.c has the argument).
///
/// Reuse needs no waiting on the slot that used the buffer last; on another slot the storage's own order takes care of
/// it.
#ifndef WEFT_MEM_POOL_H
#define WEFT_MEM_POOL_H

#include <weft/memory.h>

#include "core/core.h"
#include "mem/guard.h"

#define WEFT__POOL_CLASSES 441

struct weft__storage;
struct weft__ring;
struct weft__pinned_blocks;

typedef struct weft__pool {
  weft__core *core;
  struct weft__ring *ring; /* of the context, for copies */
  struct weft__pinned_blocks *pinned;
  pthread_mutex_t lock;
  bool off;             /* every buffer has its exact size and none is kept */
  uint64_t limit_bytes; /* 0: none was set */
  uint64_t floor_bytes; /* so much may always be held, lest small programs ask the driver again and again */
  uint64_t active_bytes, held_bytes, making_bytes; /* capacities: in arrays, idle, and of buffers that a thread is
                                                      asking the driver for */
  uint64_t requested_bytes;                        /* what the arrays alive asked for */
  uint64_t due_bytes, making_due_bytes; /* the same with the least that an array counts; and of those being made */
  uint64_t reserved_bytes, making_reserved_bytes; /* capacities of the buffers made by weft__pool_reserve, and of those
                                                     on their way */
  uint64_t reservation;                           /* which reserved_bytes are of now: one more after each trim */
  uint64_t peak_active_bytes, peak_managed_bytes, peak_requested_bytes, peak_due_bytes;
  uint64_t allocations, hits, driver_allocations, driver_releases;
  uint64_t made_again; /* buffers of classes of which the bound made one go before */
  bool was_let_go[WEFT__POOL_CLASSES];
  struct weft__storage *idle[WEFT__POOL_CLASSES]; /* by the class of their capacity, the last one released first */
  struct weft__storage *newest, *oldest; /* all idle ones that are not reserved, in the order of their release */
  weft__guard guard;                     /* of guard mode, in which the pool is off */
} weft__pool;

/// Errors: ARGUMENT (WEFT_MEMORY_LIMIT cannot be read). Then there is nothing to destroy.
weft_status weft__pool_init(weft__pool *pool, weft__core *core, const weft_context_params *params);
void weft__pool_destroy(weft__pool *pool);
/// Releases all idle buffers, and ends what was reserved; returns how many bytes that were.
uint64_t weft__pool_trim(weft__pool *pool);
void weft__pool_stats(weft__pool *pool, weft_memory_stats *stats);
void weft__pool_set_limit(weft__pool *pool, uint64_t limit_bytes);

/// For storages: a buffer of at least `size_bytes` into `storage` (mem, size, capacity, order of use).
weft_status weft__pool_take(weft__pool *pool, struct weft__storage **storage, uint64_t size_bytes);
/// The way back: keeps it, or releases the buffer and the structure.
void weft__pool_give(weft__pool *pool, struct weft__storage *storage);
/// Releases the buffer alone: it is closed under its handles.
void weft__pool_close(weft__pool *pool, struct weft__storage *storage);
/// Makes an idle buffer for an array of `size_bytes`, which stays until the next trim.
weft_status weft__pool_reserve(weft__pool *pool, uint64_t size_bytes);

#endif
