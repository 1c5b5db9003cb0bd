// SPDX-License-Identifier: MIT
/// The timeline of storages: when each was made and released, by which line, and the memory in use. Off by default.
#ifndef WEFT_MEM_TIMELINE_H
#define WEFT_MEM_TIMELINE_H

#include "base/traceevents.h"
#include "mem/pool.h"

/// Starts a new recording, which begins with the live storages. `limit`: the most events to keep; 0: a million.
weft_status weft__timeline_begin(weft__pool *pool, uint64_t limit);
/// Stops recording. The recorded events are kept.
void weft__timeline_end(weft__pool *pool);
/// Frees the timeline of a core that is being destroyed.
void weft__timeline_free(weft__core *core);
/// Writes the recorded events, up to now if recording. Errors: ARGUMENT (nothing was ever recorded), FILE, HOST_MEMORY.
weft_status weft__timeline_write(weft__pool *pool, const char *file);

/// For storages, which check first whether a timeline exists.
static inline struct weft__timeline *weft__timeline_of(weft__core *core) {
  return atomic_load_explicit(&core->timeline, memory_order_acquire);
}
/// Records a storage that was made and is in the ledger.
void weft__timeline_made(struct weft__timeline *timeline, weft__storage *storage);

/// The data of a released storage that the timeline needs.
typedef struct weft__timeline_life {
  uint64_t life; /* its number in the timeline */
  const char *site;
} weft__timeline_life;
static inline weft__timeline_life weft__timeline_life_of(const weft__storage *storage) {
  return (weft__timeline_life){storage->life, storage->entry.site};
}
/// Records the end of a storage that is out of the ledger and whose memory was released.
void weft__timeline_gone(struct weft__timeline *timeline, weft__pool *pool, weft__timeline_life life);

#endif
