// SPDX-License-Identifier: MIT
/// Guard mode (WEFT_CHECKS=1): every storage's buffer lies between two zones of known bytes, which are looked at after
/// each launch, and memory that was given back is filled with known bytes and kept aside for a while, so that late
/// writes are seen.
///
///     whole:  | front zone ... spare, header (cl/weft/checks.h), ... | the storage's mem, of exactly its size | back
///             zone |
///
/// Without the mode weft__core.guard is NULL and nothing here is called. Everything goes through the context's own
/// queue, blocking: in guard mode each launch waits for itself, one at a time.
#ifndef WEFT_MEM_GUARD_H
#define WEFT_MEM_GUARD_H

#include <weft/context.h>

#include "core/core.h"
#include "mem/guard_report.h"

struct weft__storage;
struct weft__pool;

/// A storage's guard.
typedef struct weft__guarded {
  struct weft__guarded *previous, *next; /* in the ring of the live ones, or of those set aside; NULL: in none */
  struct weft__storage *storage;
  uint64_t zone_bytes;
  uint32_t serial;
  bool is_aside;
  bool is_damaged;        /* what was found and told could not be repaired so far */
  uint64_t element_bytes; /* 0: not known */
  char what[48];          /* "f32[1000]" */
} weft__guarded;

typedef struct weft__guard {
  pthread_mutex_t lock;
  weft__core *core;
  weft__guarded live, aside; /* rings; of those set aside the oldest is first */
  _Atomic(uint64_t) aside_bytes, aside_requested_bytes;
  int aside_count;
  uint32_t serial;
  uint64_t checked;      /* launches when all were looked at last */
  weft__text remembered; /* what was found where it could not be told */
  int failed;            /* a look at a release that failed: its code */
} weft__guard;

/// Sets core->guard where `params` or the environment ask for it.
void weft__guard_init(weft__guard *guard, weft__core *core, const weft_context_params *params);
void weft__guard_destroy(weft__guard *guard);

/// Makes the storage's whole and mem, for `size_bytes`.
int weft__guard_make(weft__core *core, struct weft__storage *storage, uint64_t size_bytes);
/// Fills memory and zones, and looks after the storage from now on. Errors: HOST_MEMORY, DRIVER.
weft_status weft__guard_begin(struct weft__storage *storage);
/// What the storage is, for messages: "f32[1000]".
void weft__guard_name(struct weft__storage *storage, uint64_t element_bytes, const char *what);
/// Looks after the storage no more. Its buffers are the caller's to release.
void weft__guard_end(struct weft__storage *storage);

/// The last use of a guarded storage is over: looks at its zones, and takes it over to keep it aside. False: it is the
/// caller's to give back.
bool weft__guard_put_aside(struct weft__storage *storage);
/// Gives back to the pool what is aside.
void weft__guard_trim(weft__guard *guard);

/// The buffer to make sub-buffers of a storage from (they cannot be made from sub-buffers), and where the storage
/// begins in it.
weft__cl_mem weft__guard_whole(const struct weft__storage *storage, uint64_t *begin);

/// With the lock: looks at a storage's zones, and repairs them. A storage without zones has nothing to find.
weft_status weft__guard_check_storage(weft__overrun *overrun, struct weft__storage *storage);
/// Looks at all, also at what is aside. Everything enqueued is done. Errors: BOUNDS, which names what was found and the
/// launches since the last time.
weft_status weft__guard_check(weft__guard *guard);

#endif
