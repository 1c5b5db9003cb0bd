// SPDX-License-Identifier: MIT
/// Guard mode (WEFT_CHECKS=1): every storage's buffer lies between two zones of known bytes, which are checked after
/// each launch. Released memory gets a fill pattern and is set aside for a while, so that late writes are found.
///
///     whole:  | front zone ... spare, header (cl/weft/checks.h), ... | the storage's mem, of exactly its size | back
///             zone |
///
/// Without guard mode weft__core.guard is NULL and no function of this file is called. All commands use the context's
/// default queue and block: in guard mode launches run one at a time, each waiting for its end.
#ifndef WEFT_MEM_GUARD_H
#define WEFT_MEM_GUARD_H

#include <weft/context.h>

#include "core/core.h"
#include "mem/guard_report.h"

struct weft__storage;
struct weft__pool;

/// The guard of a storage.
typedef struct weft__guarded {
  struct weft__guarded *previous, *next; /* in the ring of live or of set-aside storages; NULL: in no ring */
  struct weft__storage *storage;
  uint64_t zone_bytes;
  uint32_t serial;
  bool is_aside;
  bool is_damaged;        /* zones with a reported overrun that could not be repaired yet */
  uint64_t element_bytes; /* 0: unknown */
  char what[48];          /* "f32[1000]" */
} weft__guarded;

typedef struct weft__guard {
  pthread_mutex_t lock;
  weft__core *core;
  weft__guarded live, aside; /* rings; the oldest storage set aside is first */
  _Atomic(uint64_t) aside_bytes, aside_requested_bytes;
  int aside_count;
  uint32_t serial;
  uint64_t checked;      /* number of launches at the last check of all storages */
  weft__text remembered; /* the first overrun found outside of a call, reported by the next wait */
  int failed;            /* code of a check that failed during a release */
} weft__guard;

/// Sets core->guard if `params` or the environment request guard mode.
void weft__guard_init(weft__guard *guard, weft__core *core, const weft_context_params *params);
void weft__guard_destroy(weft__guard *guard);

/// The bytes of a zone.
uint64_t weft__guard_zone_bytes(const weft__core *core);
/// Makes the storage's whole and mem for `size_bytes`. Returns a driver code.
int weft__guard_make(weft__core *core, struct weft__storage *storage, uint64_t size_bytes);
/// Fills memory and zones and starts to guard the storage. Errors: HOST_MEMORY, DRIVER.
weft_status weft__guard_begin(struct weft__storage *storage);
/// Sets the storage's description for messages: "f32[1000]".
void weft__guard_name(struct weft__storage *storage, uint64_t element_bytes, const char *what);
/// Stops guarding the storage. The caller releases its buffers.
void weft__guard_end(struct weft__storage *storage);

/// Checks the zones of a guarded storage after its last use and takes it over to set it aside. Returns false if the
/// caller must return it to the pool. *given_back: a list, linked by idle.older, of storages that were aside before,
/// which the caller returns too.
bool weft__guard_put_aside(struct weft__storage **given_back, struct weft__storage *storage);
/// Takes all set-aside storages, as such a list.
struct weft__storage *weft__guard_trim(weft__guard *guard);

/// The buffer from which sub-buffers of a storage are made (a sub-buffer cannot have sub-buffers). *begin: the
/// storage's offset in it.
weft__cl_mem weft__guard_whole(const struct weft__storage *storage, uint64_t *begin);

/// Checks a storage's zones and repairs them, with the lock held. A storage without zones passes.
weft_status weft__guard_check_storage(weft__overrun *overrun, struct weft__storage *storage);
/// Checks all storages, including those set aside. All enqueued work must be done. Errors: BOUNDS, which names the
/// overruns and the launches since the last check.
weft_status weft__guard_check(weft__guard *guard);

#endif
