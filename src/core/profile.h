// SPDX-License-Identifier: MIT
/// The profile's recorder: a context's commands with their device times, and the process's calls, summed in rows and
/// kept one by one up to a limit. Part of weft__core, whose weft__slot_enqueue tells it of the commands. Off, that
/// costs a relaxed load and a branch. May be called from any thread.
#ifndef WEFT_CORE_PROFILE_H
#define WEFT_CORE_PROFILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <weft/profile.h>

#include "base/listeners.h"
#include "core/profile_clock.h"
#include "ocl/driver.h"

/// What the profile shall know of a command.
typedef struct weft__profiled {
  weft_profile_kind kind;
  const char *name;   /* a literal or interned; NULL: "copy in" and its like, by the kind */
  const char *kernel; /* literals or interned, in the row beside the name: the kernel, or how the command was done;
                         NULL: nothing */
  const char *site;   /* NULL: that of the public call of this thread */
  uint64_t bytes;
  bool bytes_are_most;
} weft__profiled;

typedef struct weft__profile_row {
  weft_profile_row sums; /* its strings are interned */
  uint32_t next;         /* with the same hash; 0: none, else the index + 1 */
} weft__profile_row;

/// Times of the device's clock for commands, else of the host's.
typedef struct weft__profile_record {
  uint64_t start_ns, end_ns, bytes;
  uint32_t row, track;
} weft__profile_record;

typedef struct weft__profile_pending {
  weft__cl_event event;
  uint32_t row;
  int64_t range; /* the innermost; -1: none */
  int slot;
  uint64_t bytes;
  uint64_t start_ns; /* of the enqueue, on the host */
} weft__profile_pending;

#define WEFT__PROFILE_BUCKETS 256
#define WEFT__PROFILE_CHUNK 4096

typedef struct weft__profile_chunk {
  struct weft__profile_chunk *next;
  size_t count;
  weft__profile_record record[WEFT__PROFILE_CHUNK];
} weft__profile_chunk;

typedef struct weft__profile {
  atomic_bool on;
  pthread_mutex_t lock; /* of all that follows */
  int starts;           /* not stopped yet */
  bool frozen;          /* the process ends: no call of OpenCL any more */
  weft__call_listener listener;
  uint32_t bucket[WEFT__PROFILE_BUCKETS]; /* index + 1 of a row */
  weft__profile_row *row;
  uint32_t rows;
  size_t rows_capacity;
  weft__profile_pending *pending;
  size_t pendings, pendings_capacity;
  weft__profile_chunk *first, *last;
  uint64_t kept, dropped, limit;
  uint64_t unread;
  uint64_t start_ns;     /* of the first start that is not stopped */
  uint64_t collected_ns; /* until then */
  weft__profile_clock clock;
} weft__profile;

void weft__profile_init(weft__profile *profile);
/// Reads what can be read, and gives up the driver's events: before the queues go.
void weft__profile_close(weft__profile *profile);
void weft__profile_destroy(weft__profile *profile);

/// Collects from here on; `limit` records are kept one by one. Errors: HOST_MEMORY.
weft_status weft__profile_on(weft__profile *profile, uint64_t limit);
/// Does not any more, after as many as there were of the other. True if this was the last.
bool weft__profile_off(weft__profile *profile);
int weft__profile_starts(weft__profile *profile);
void weft__profile_forget(weft__profile *profile);
/// The process ends: nothing is collected any more, and no call of OpenCL is made for it.
void weft__profile_freeze(weft__profile *profile);

static inline bool weft__profiling(const weft__profile *profile) {
  return atomic_load_explicit(&profile->on, memory_order_relaxed);
}

/// Of a command that was enqueued on `slot` since start_ns. Takes the reference of its event.
void weft__profile_add(weft__profile *profile, const weft__profiled *command, int slot, weft__cl_event event,
                       uint64_t start_ns);

/// Reads the times of commands of a slot (-1: of all) that are done, so that their events can go.
void weft__profile_read_events(weft__profile *profile, int slot);
/// The same after a wait, when somebody profiles.
static inline void weft__profile_harvest(weft__profile *profile, int slot) {
  if (weft__profiling(profile)) weft__profile_read_events(profile, slot);
}

/// All of it at one moment. The arrays are to be freed; NULL where there is nothing, or it was not asked for.
typedef struct weft__profile_copy {
  weft_profile_row *row;
  uint32_t rows;
  weft_profile_event *event; /* on the host's clock */
  uint64_t events;
  weft_profile_totals totals; /* copy_bytes_per_second is not its own */
} weft__profile_copy;
/// Errors: HOST_MEMORY, and then there is nothing to free.
weft_status weft__profile_take_copy(weft__profile_copy *copy, weft__profile *profile);
void weft__profile_free_copy(weft__profile_copy *copy);

/// "copy in"; "kernel".
const char *weft__profile_kind_name(weft_profile_kind kind);

#endif
