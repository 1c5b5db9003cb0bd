// SPDX-License-Identifier: MIT
/// The pool: whole buffers kept for reuse, in size classes of which there are four to a power of two, so that at most a quarter is lost
/// to rounding.
///
/// Reuse needs no waiting on the slot that used the buffer last; on another slot the storage's own order takes care of it.
#ifndef WEFT_MEM_POOL_H
#define WEFT_MEM_POOL_H

#include <weft/memory.h>

#include "core/core.h"
#include "mem/guard.h"

#define WEFT__POOL_CLASSES 224

struct weft__storage;

typedef struct weft__pool {
  weft__core *core;
  pthread_mutex_t lock;
  bool off;             /* every buffer has its exact size and none is kept */
  uint64_t limit_bytes; /* 0: none was set */
  uint64_t active_bytes, held_bytes, peak_active_bytes, peak_managed_bytes;
  uint64_t allocations, hits;
  struct weft__storage *idle[WEFT__POOL_CLASSES]; /* the last one released first */
  weft__guard guard;                              /* of guard mode, in which the pool is off */
} weft__pool;

/// The capacity of the class that serves `size_bytes`, and its number.
uint64_t weft__pool_class(uint64_t size_bytes, int *number);

void weft__pool_init(weft__pool *pool, weft__core *core, const weft_context_params *params);
void weft__pool_destroy(weft__pool *pool);
/// Releases all idle buffers; returns how many bytes that were.
uint64_t weft__pool_trim(weft__pool *pool);
void weft__pool_stats(weft__pool *pool, weft_memory_stats *stats);
void weft__pool_set_limit(weft__pool *pool, uint64_t limit_bytes);

/// For storages: a buffer of at least `size_bytes` into `storage` (mem, capacity, order of use).
weft_status weft__pool_take(weft__pool *pool, struct weft__storage **storage, uint64_t size_bytes);
/// The way back: keeps it, or releases the buffer and the structure.
void weft__pool_give(weft__pool *pool, struct weft__storage *storage);
/// Counts a buffer that is closed under its handles.
void weft__pool_forget(weft__pool *pool, const struct weft__storage *storage);

#endif
