// SPDX-License-Identifier: MIT
/// Storages over time: when each was made and released, by which line, and how much memory that came to. Off until it
/// is asked for.
#ifndef WEFT_MEM_TIMELINE_H
#define WEFT_MEM_TIMELINE_H

#include "base/traceevents.h"
#include "mem/storage.h"

/// Begins anew, with what is alive now. `limit`: how many events are kept at most; 0: a million.
weft_status weft__timeline_begin(weft__pool *pool, uint64_t limit);
/// No more events; those recorded stay.
void weft__timeline_end(weft__pool *pool);
/// Of a core that is destroyed.
void weft__timeline_free(weft__core *core);
/// Writes what was recorded, up to now where it is still being recorded. Errors: ARGUMENT where nothing ever was, FILE,
/// HOST_MEMORY.
weft_status weft__timeline_write(weft__pool *pool, const char *file);

/// For storages, which look first whether there is a timeline at all.
static inline struct weft__timeline *weft__timeline_of(weft__core *core) {
  return atomic_load_explicit(&core->timeline, memory_order_acquire);
}
/// A storage was made, and is in the ledger.
void weft__timeline_made(struct weft__timeline *timeline, weft__storage *storage);

/// What is needed of a storage that is gone.
typedef struct weft__timeline_life {
  uint64_t life; /* its number in the timeline */
  const char *site;
} weft__timeline_life;
static inline weft__timeline_life weft__timeline_life_of(const weft__storage *storage) {
  return (weft__timeline_life){storage->life, storage->entry.site};
}
/// A storage that lived so is out of the ledger, and its memory was given back.
void weft__timeline_gone(struct weft__timeline *timeline, weft__pool *pool, weft__timeline_life life);

#endif
