// SPDX-License-Identifier: MIT
/// The profile's recorder. It sums a context's commands, with their device times, and the process's calls in rows, and
/// keeps single records up to a limit. Part of weft__core: weft__slot_enqueue reports the commands to it. When off, it
/// costs a relaxed load and a branch. May be called from any thread.
#ifndef WEFT_CORE_PROFILE_H
#define WEFT_CORE_PROFILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <weft/profile.h>

#include "base/listeners.h"
#include "core/profile_clock.h"
#include "ocl/driver.h"

/// What the profile records of a command.
typedef struct weft__profiled {
  weft_profile_kind kind;
  const char *name;   /* a literal or interned; NULL: a name of the kind, such as "copy in" */
  const char *kernel; /* a literal or interned, beside the name in the row: the kernel, or how the command was done;
                         NULL: empty */
  const char *site;   /* NULL: the call site of this thread's public call */
  uint64_t bytes;
  bool bytes_are_most;
} weft__profiled;

typedef struct weft__profile_row {
  weft_profile_row sums; /* its strings are interned */
  uint32_t next;         /* index + 1 of the next row with this hash; 0: none */
} weft__profile_row;

/// Times are on the device's clock for commands, on the host's for calls and ranges.
typedef struct weft__profile_record {
  uint64_t start_ns, end_ns, bytes;
  uint32_t row, track;
} weft__profile_record;

typedef struct weft__profile_pending {
  weft__cl_event event;
  uint32_t row;
  int64_t range; /* row of the innermost range; -1: none */
  int slot;
  uint64_t bytes;
  uint64_t start_ns; /* when it was enqueued, on the host's clock */
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
  pthread_mutex_t lock; /* guards all fields below */
  int starts;           /* starts without a stop so far */
  bool frozen;          /* the process is ending: OpenCL must not be called */
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
  uint64_t start_ns;     /* time of the first start that has no stop yet */
  uint64_t collected_ns; /* time collected before that start */
  weft__profile_clock clock;
} weft__profile;

void weft__profile_init(weft__profile *profile);
/// Reads the events that can be read and releases all of them. Call it before the queues are released.
void weft__profile_close(weft__profile *profile);
void weft__profile_destroy(weft__profile *profile);

/// Starts collecting; keeps `limit` single records. Errors: HOST_MEMORY.
weft_status weft__profile_on(weft__profile *profile, uint64_t limit);
/// Stops collecting after as many calls as weft__profile_on had. True if this was the last.
bool weft__profile_off(weft__profile *profile);
int weft__profile_starts(weft__profile *profile);
void weft__profile_forget(weft__profile *profile);
/// The process is ending: stops collecting, and makes no more OpenCL calls.
void weft__profile_freeze(weft__profile *profile);

static inline bool weft__profiling(const weft__profile *profile) {
  return atomic_load_explicit(&profile->on, memory_order_relaxed);
}

/// Records a command that was enqueued on `slot` at start_ns. Takes the reference to its event.
void weft__profile_add(weft__profile *profile, const weft__profiled *command, int slot, weft__cl_event event,
                       uint64_t start_ns);

/// Records work on the host from start_ns to end_ns, in the order of the slot's commands.
void weft__profile_add_host(weft__profile *profile, const weft__profiled *work, int slot, uint64_t start_ns,
                            uint64_t end_ns);

/// Reads the times of the finished commands of a slot (-1: of all slots) and releases their events.
void weft__profile_read_events(weft__profile *profile, int slot);
/// weft__profile_read_events if the profile is on. Called after a wait.
static inline void weft__profile_harvest(weft__profile *profile, int slot) {
  if (weft__profiling(profile)) weft__profile_read_events(profile, slot);
}

/// A consistent copy of the profile. The caller frees the arrays; they are NULL if empty or not asked for.
typedef struct weft__profile_copy {
  weft_profile_row *row;
  uint32_t rows;
  weft_profile_event *event; /* times on the host's clock */
  uint64_t events;
  weft_profile_totals totals; /* copy_bytes_per_second is set elsewhere */
} weft__profile_copy;
/// Errors: HOST_MEMORY; then there is nothing to free.
weft_status weft__profile_take_copy(weft__profile_copy *copy, weft__profile *profile);
void weft__profile_free_copy(weft__profile_copy *copy);

/// "copy in"; "kernel".
const char *weft__profile_kind_name(weft_profile_kind kind);

#endif
