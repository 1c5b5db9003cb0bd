// SPDX-License-Identifier: MIT
/// The driver's side of a context: its cl_context and queues, whether it still works, and what it has done. Part of
/// weft_context.
#ifndef WEFT_CORE_CORE_H
#define WEFT_CORE_CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <weft/context.h>

#include "base/clock.h"
#include "base/launch_log.h"
#include "base/ledger.h"
#include "base/trace.h"
#include "core/counters.h"
#include "core/deferred.h"
#include "core/device.h"
#include "core/profile.h"

/// Streams of one context that exist at the same time, its own (slot 0) included: what fits a 64-bit set.
#define WEFT__MAX_STREAMS 64

/// The commands that are done once all commands issued so far on a slot are. Taken before a wait, for
/// weft__deferred_report after it.
typedef struct weft__covered {
  int slot;
  uint64_t own;   /* commands of `slot` */
  uint64_t first; /* commands of slot 0 */
} weft__covered;

/// A point in a slot's work: a marker after all commands enqueued so far. Zeroed: none.
typedef struct weft__point {
  weft__cl_event event;
  weft__covered covered; /* the commands done once the marker is */
} weft__point;

/// How far the host runs ahead of a slot: core/pace.c.
typedef struct weft__pace {
  pthread_mutex_t lock; /* of mark, stride and seen_ns */
  weft__point mark;     /* the newest one */
  uint64_t stride;      /* commands from one mark to the next */
  uint64_t seen_ns;     /* when the previous mark was found done; 0: no previous mark */
} weft__pace;

/// A queue. The counters never go back, also when a slot is used again by a later stream, so that "was command n of
/// slot s done?" always has an answer.
typedef struct weft__slot {
  weft__cl_queue queue;        /* NULL: no stream has it */
  _Atomic(uint64_t) issued;    /* commands enqueued */
  _Atomic(uint64_t) completed; /* commands known to be done */
  _Atomic(uint64_t) after;     /* commands of slot 0 that its work waits for */
  _Atomic(uint64_t) due;       /* weft__pace_check is called once `issued` reaches it */
  weft__pace pace;
} weft__slot;

struct weft__timeline;

typedef struct weft__core {
  weft__device *device;
  weft__cl_context cl;
  weft__slot slot[WEFT__MAX_STREAMS];
  _Atomic(int) slots;        /* those from this one on were never used */
  bool sleeps;               /* waits poll and sleep, see weft__slot_wait */
  bool profiling;            /* as the context's maker asked: timers can be made */
  bool records_times;        /* the queues do: for timers, or for the profile, see weft__core_record_times */
  bool adopted;              /* the queue of slot 0 is somebody else's */
  bool untracked;            /* streams do not wait for each other: weft_context_params' tracking_off */
  bool sync;                 /* WEFT_SYNC=1: wait after each launch */
  uint64_t ahead_limit_ns;   /* UINT64_MAX: none */
  bool ahead_is_default;     /* the user set no limit */
  atomic_bool ahead_is_free; /* no slot has a limit from now on */
  struct weft__guard *guard; /* src/mem's, of guard mode; NULL: not in that mode */
  unsigned fork_generation;
  atomic_bool closed;
  atomic_bool ended; /* the process is at its end: core/at_exit.h */
  atomic_bool lost;
  pthread_mutex_t lock; /* of slots being opened and closed, and lost_reason */
  weft__text lost_reason;
  int lost_code; /* the OpenCL code of the first cause */
  weft__ledger ledger;
  weft__launch_log launch_log;
  _Atomic(uint64_t) to_device_bytes, to_host_bytes;
  weft__counters usage;
  weft__deferred deferred;
  _Atomic(struct weft__timeline *) timeline; /* of mem/timeline.c; NULL: none was ever begun */
  weft__profile profile;
  bool finishes;                   /* its work is waited for at the process's end */
  struct weft__core *next_watched; /* of core/at_exit.c, as the next */
  void (*last_words)(struct weft__core *core);
} weft__core;

/// The slot that this thread's calls in a context go to (weft_stream_use): 0, or that of the stream it uses.
typedef struct weft__thread_stream {
  const weft__core *core; /* NULL: every context's own */
  int slot;
  void *stream; /* retained for this thread; src/context's */
} weft__thread_stream;
extern _Thread_local weft__thread_stream weft__thread_uses;

static inline int weft__slot_now(const weft__core *core) {
  return weft__thread_uses.core == core ? weft__thread_uses.slot : 0;
}
/// Sends this thread's calls to `slot`, which the caller holds, until it assigns what this returns to
/// weft__thread_uses.
static inline weft__thread_stream weft__slot_use(const weft__core *core, int slot) {
  const weft__thread_stream before = weft__thread_uses;
  weft__thread_uses = (weft__thread_stream){core, slot, before.stream};
  return before;
}

/// Makes context and queue on `device`. On failure there is nothing to close.
weft_status weft__core_open(weft__core *core, weft__device *device, const weft_context_params *params);
/// The same around a foreign context and queue, which are retained.
weft_status weft__core_adopt(weft__core *core, weft__cl_context context, weft__cl_queue queue,
                             const weft_context_params *params);
/// Releases queues and context; what is on them must be done. The structure itself is destroyed by weft__core_destroy.
void weft__core_close(weft__core *core);
void weft__core_destroy(weft__core *core);

/// False in a child that was forked after the context was made. There even a release must not touch it: drivers hang,
/// and locks may be held by threads that the child does not have. What the child has of it goes when the child ends.
bool weft__core_is_of_this_process(const weft__core *core);

/// Where work must be waited for at the process's end, a thread that uses it is noted once: see core/at_exit.c.
extern _Thread_local bool weft__at_exit_thread_known;
void weft__at_exit_note_thread(void);

/// Whether the context can still be used; records CLOSED, FORKED or LOST (with its first cause). A few loads when all
/// is well.
weft_status weft__core_check(weft__core *core);

/// Records the failure of `call` on a queue. Where the code means that the device's context is gone, marks it lost: the
/// message names the last launches. `at_wait`: the call waits or copies, and so reports earlier work.
weft_status weft__core_failed(weft__core *core, int code, const char *call, bool at_wait);

/// Replaces the queues by ones that record device times, or by plain ones. Waits for all work; nobody else may be in
/// the context. Errors: UNSUPPORTED (an adopted queue that does not), DRIVER, LOST; then all is as it was.
weft_status weft__core_record_times(weft__core *core, bool on);

weft_status weft__slot_open(weft__core *core, int *slot);
/// Waits for the slot's work, then frees it. A device that died over it marks the context lost.
void weft__slot_close(weft__core *core, int slot);

/// Counts a command that was enqueued on the slot and returns its number. Inline: it is on every launch's way.
static inline uint64_t weft__slot_issue(weft__core *core, int slot) {
  return atomic_fetch_add_explicit(&core->slot[slot].issued, 1, memory_order_relaxed) + 1;
}

/// Enqueues a command on the slot's queue, and tells the profile of it (`profiled` NULL: does not). Where
/// command->event is set the event is the caller's, else nobody's. Neither orders nor counts the command: that is
/// mem/submit.h's. A code of the driver.
int weft__slot_enqueue(weft__core *core, int slot, weft__command *command, const weft__profiled *profiled);

/// Waits if the host is too far ahead of the slot's work. Call it before enqueuing a command that is not waited for.
weft_status weft__pace_check(weft__core *core, int slot);
static inline weft_status weft__slot_pace(weft__core *core, int slot) {
  const weft__slot *s = &core->slot[slot];
  bool is_due =
      atomic_load_explicit(&s->issued, memory_order_relaxed) >= atomic_load_explicit(&s->due, memory_order_relaxed);
  return is_due ? weft__pace_check(core, slot) : WEFT_OK;
}
/// For all slots: before the first is opened, after the last is closed.
void weft__pace_init(weft__core *core);
void weft__pace_destroy(weft__core *core);
/// After the slot's queue was opened; before it is closed.
void weft__pace_begin(weft__core *core, int slot);
void weft__pace_end(weft__core *core, int slot);
/// Other code can now use one of the queues. Its commands, and through arrays those of other slots, may depend on
/// events unknown to Weft: the context has no default limit from now on.
void weft__pace_lend(weft__core *core);

/// Notes that the commands up to `number` are known to be done.
void weft__slot_done(weft__core *core, int slot, uint64_t number);

/// Waits until everything on the slot is done. Where the driver's wait burns a core it polls a barrier's event instead:
/// at first without pause, so that short waits are as short as the driver's, then with naps that grow with the time
/// waited.
weft_status weft__slot_wait(weft__core *core, int slot);
weft_status weft__core_wait(weft__core *core);
/// Waits until all that was enqueued so far is done or has failed; false where that is not so by then.
bool weft__core_wait_until(weft__core *core, uint64_t until_ns);
weft__covered weft__slot_covers(weft__core *core, int slot);
/// Before and after a step that the trace shows: waits, so that the time is the step's own, and reads the clock. When
/// nobody traces *time_ns is 0, and nothing is waited for.
static inline weft_status weft__slot_settle(weft__core *core, int slot, uint64_t *time_ns) {
  *time_ns = 0;
  if (!weft__tracing()) return WEFT_OK;
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  *time_ns = weft__now_ns();
  return WEFT_OK;
}

/// Marks the slot's work so far. Does not block. On failure there is nothing to release.
weft_status weft__point_set(weft__point *point, weft__core *core, int slot);
void weft__point_release(weft__point *point);
/// Waits for the marker as weft__slot_wait does. What kernels reported is not asked for (weft__deferred_report with
/// point->covered).
weft_status weft__point_wait(weft__core *core, const weft__point *point);
weft_status weft__point_is_done(bool *done, weft__core *core, const weft__point *point);
/// Makes later work on `slot` wait for the marker. Does not block.
weft_status weft__slot_after_point(weft__core *core, int slot, const weft__point *point);
/// Waits for an event of a queue that was flushed, polling at first and then with naps. *code becomes the failure of
/// the work before it, or
/// 0. Returns the name of the call that has the code. Keeps the event.
const char *weft__event_settle(weft__cl_event event, int *code);

/// Makes later work on `slot` wait for command `number` of slot `other`, unless that is known to be done. Does not
/// block.
weft_status weft__slot_after(weft__core *core, int slot, int other, uint64_t number);
/// Makes later work on a foreign queue of the same cl_context wait for what is on `slot`, which the caller holds. Does
/// not block.
weft_status weft__queue_after_slot(weft__core *core, weft__cl_queue queue, int slot);

#endif
