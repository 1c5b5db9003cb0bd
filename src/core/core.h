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
#include "core/retired.h"

/// Streams of one context that exist at the same time, including its default stream (slot 0). Sets of slots are 64-bit
/// words.
#define WEFT__MAX_STREAMS 64
#define WEFT__EVERY_SLOT (-1)

/// The commands that are done once all commands issued so far on a slot are done. Read it before a wait, and pass it to
/// weft__deferred_report after the wait.
typedef struct weft__covered {
  int slot;
  uint64_t own;   /* commands of `slot` */
  uint64_t first; /* commands of slot 0 */
} weft__covered;

/// A point in a slot's work: a marker after all commands enqueued so far. All zero: no point.
typedef struct weft__point {
  weft__cl_event event;
  weft__covered covered; /* the commands done once the marker is */
} weft__point;

/// Limits how far the host runs ahead of a slot: core/pace.c.
typedef struct weft__pace {
  pthread_mutex_t lock; /* guards mark, stride and seen_ns */
  weft__point mark;     /* the newest mark */
  uint64_t stride;      /* commands from one mark to the next */
  uint64_t seen_ns;     /* when the previous mark was found done; 0: no previous mark */
} weft__pace;

/// A queue. The counters never decrease, not even when a later stream reuses the slot, so whether command n of slot s
/// is done can always be determined.
typedef struct weft__slot {
  weft__cl_queue queue;        /* NULL: no stream uses the slot */
  _Atomic(uint64_t) issued;    /* commands enqueued */
  _Atomic(uint64_t) completed; /* commands known to be done */
  _Atomic(uint64_t) after;     /* the slot's work waits for these commands of slot 0 */
  _Atomic(uint64_t) due;       /* weft__pace_check is called once `issued` reaches it */
  weft__pace pace;
  weft__cl_event copied;  /* of the last copy that did not wait; NULL: none */
  uint64_t copied_number; /* the commands up to it are done once `copied` is */
} weft__slot;

struct weft__timeline;

typedef struct weft__core {
  weft__device *device;
  weft__cl_context cl;
  weft__slot slot[WEFT__MAX_STREAMS];
  _Atomic(int) slots;        /* slots from this number on were never used */
  weft__point gate;          /* of slot 0, for queues opened from now on: weft__after_event; guarded by `lock` */
  bool sleeps;               /* waits poll and sleep, see weft__slot_wait */
  bool profiling;            /* the context was made with profiling: timers can be made */
  bool records_times;        /* the queues record times, for timers or the profile: weft__core_record_times */
  bool adopted;              /* the queue of slot 0 was made by other code */
  bool untracked;            /* streams do not wait for each other: tracking_off of weft_context_params */
  bool launches_few;         /* no work is done by the calling thread at once: mem/at_once.h */
  atomic_bool is_lent;       /* other code can use a queue: it has commands that are not counted */
  bool sync;                 /* WEFT_SYNC=1: wait after each launch */
  uint64_t ahead_limit_ns;   /* UINT64_MAX: no limit */
  bool ahead_is_default;     /* the user set no limit */
  atomic_bool ahead_is_free; /* no slot has a limit from now on */
  struct weft__guard *guard; /* guard mode's state, owned by src/mem; NULL: guard mode is off */
  bool reproducible;         /* floats have the same bits on every device: core/reproducible.h */
  bool checks_numbers;       /* the check mode for numbers: array/numbers.h */
  struct weft__cuda *cuda;   /* CUDA's side, owned by src/cuda; NULL: not opened */
  unsigned fork_generation;
  atomic_bool closed;
  atomic_bool ended; /* the process is ending: core/at_exit.h */
  atomic_bool lost;
  pthread_mutex_t lock; /* guards the opening and closing of slots, and lost_reason */
  weft__text lost_reason;
  int lost_code; /* the OpenCL code of the first cause */
  weft__ledger ledger;
  weft__launch_log launch_log;
  _Atomic(uint64_t) to_device_bytes, to_host_bytes;
  weft__counters usage;
  weft__deferred deferred;
  weft__retired retired;
  _Atomic(struct weft__timeline *) timeline; /* of mem/timeline.c; NULL: no timeline was ever begun */
  weft__profile profile;
  bool finishes;                   /* the process's end waits for its work */
  struct weft__core *next_watched; /* next_watched, keep and last_words belong to core/at_exit.c */
  void (*keep)(struct weft__core *core);
  void (*last_words)(struct weft__core *core);
} weft__core;

/// Whether someone watches each command of the context: guard mode, WEFT_SYNC, a trace or a profile.
static inline bool weft__is_observed(const weft__core *core) {
  return core->guard || core->sync || weft__tracing() || weft__profiling(&core->profile);
}

/// The slot that receives this thread's calls in a context: the slot of the stream chosen by weft_stream_use, else 0.
typedef struct weft__thread_stream {
  const weft__core *core; /* NULL: each context's default stream */
  int slot;
  void *stream; /* a stream of src/context, retained for this thread */
} weft__thread_stream;
extern _Thread_local weft__thread_stream weft__thread_uses;

static inline int weft__slot_now(const weft__core *core) {
  return weft__thread_uses.core == core ? weft__thread_uses.slot : 0;
}
/// Sends this thread's calls to `slot` until the caller assigns the returned value to weft__thread_uses. The caller
/// must hold `slot`.
static inline weft__thread_stream weft__slot_use(const weft__core *core, int slot) {
  const weft__thread_stream before = weft__thread_uses;
  weft__thread_uses = (weft__thread_stream){core, slot, before.stream};
  return before;
}

/// Makes a context and a queue on `device`. On failure there is nothing to close.
weft_status weft__core_open(weft__core *core, weft__device *device, const weft_context_params *params);
/// Makes a core from a foreign context and queue, which it retains.
weft_status weft__core_adopt(weft__core *core, weft__cl_context context, weft__cl_queue queue,
                             const weft_context_params *params);
/// Releases queues and context; their work must be done. weft__core_destroy destroys the structure itself.
void weft__core_close(weft__core *core);
void weft__core_destroy(weft__core *core);

/// False in a child that was forked after the context was made. The child must not even release the context: drivers
/// hang, and locks may be held by threads that the child does not have. The child's copy is freed when the child ends.
bool weft__core_is_of_this_process(const weft__core *core);

/// If the process's end must wait for the context's work, each thread that uses the context is noted once:
/// core/at_exit.c.
extern _Thread_local bool weft__at_exit_thread_known;
void weft__at_exit_note_thread(void);

/// Whether the context can still be used; records CLOSED, FORKED or LOST (with its first cause). Costs a few loads if
/// it can.
weft_status weft__core_check(weft__core *core);

/// Records the failure of `call` on a queue. If the code means that the device's context is gone, marks the context
/// lost; the message then names the last launches. `at_wait`: the call waits or copies, and so reports earlier work.
weft_status weft__core_failed(weft__core *core, int code, const char *call, bool at_wait);

/// Replaces the queues by queues that record device times, or by plain ones. Waits for all work; no other thread may
/// use the context. Errors: UNSUPPORTED (an adopted queue that does not record times), DRIVER, LOST; on an error
/// nothing changes.
weft_status weft__core_record_times(weft__core *core, bool on);

weft_status weft__slot_open(weft__core *core, int *slot);
/// Waits for the slot's work, then frees the slot. If the device fails during the work, the context becomes lost.
void weft__slot_close(weft__core *core, int slot);

/// Counts a command that was enqueued on the slot and returns its number. Inline because every launch calls it.
static inline uint64_t weft__slot_issue(weft__core *core, int slot) {
  return atomic_fetch_add_explicit(&core->slot[slot].issued, 1, memory_order_relaxed) + 1;
}

/// Enqueues a command on the slot's queue and reports it to the profile (`profiled` NULL: does not report it). If
/// command->event is set, the caller owns the event; otherwise no event is made for the caller. mem/submit.h orders and
/// counts commands, this function does neither. Returns the driver's code.
int weft__slot_enqueue(weft__core *core, int slot, weft__command *command, const weft__profiled *profiled);

/// Waits if the host is too far ahead of the slot's work. Call it before enqueuing a command without waiting for it.
weft_status weft__pace_check(weft__core *core, int slot);
static inline weft_status weft__slot_pace(weft__core *core, int slot) {
  const weft__slot *s = &core->slot[slot];
  bool is_due =
      atomic_load_explicit(&s->issued, memory_order_relaxed) >= atomic_load_explicit(&s->due, memory_order_relaxed);
  return is_due ? weft__pace_check(core, slot) : WEFT_OK;
}
/// For all slots: call init before the first slot is opened, destroy after the last is closed.
void weft__pace_init(weft__core *core);
void weft__pace_destroy(weft__core *core);
/// Call begin after the slot's queue was opened, end before it is closed.
void weft__pace_begin(weft__core *core, int slot);
void weft__pace_end(weft__core *core, int slot);
/// Other code can now use one of the queues. Its commands, and through arrays the commands of other slots, may
/// depend on events unknown to Weft: the context has no default limit from now on.
void weft__pace_lend(weft__core *core);

/// Records that the commands up to `number` are known to be done.
void weft__slot_done(weft__core *core, int slot, uint64_t number);

/// Enqueues a marker or barrier after all commands of a queue so far, and flushes the queue. Without the flush, a
/// thread that polls the event, or another queue that waits for it, would never see it done. Returns the name of the
/// call that *code is from.
const char *weft__queue_mark(weft__command_kind kind, weft__cl_queue queue, weft__cl_event *event, int *code);
/// Waits until everything on the slot is done. If the driver's wait would keep a core busy, it polls a barrier's event
/// instead: at first without a pause, so that short waits are as short as the driver's, then with naps that grow with
/// the time waited.
weft_status weft__slot_wait(weft__core *core, int slot);
weft_status weft__core_wait(weft__core *core);
/// Releases a kernel, of which launches may be under way; NULL is allowed. Does not block. With the quirk late_release
/// the kernel is kept until its launches are done.
void weft__core_retire(weft__core *core, weft__cl_kernel kernel);
/// Waits until all work enqueued so far is done or has failed; false if that takes longer than until_ns.
bool weft__core_wait_until(weft__core *core, uint64_t until_ns);
weft__covered weft__slot_covers(weft__core *core, int slot);
/// Call it before and after a step that the trace shows. It waits, so that the measured time is the step's own, and
/// reads the clock. Without a trace *time_ns is 0, and it does not wait.
static inline weft_status weft__slot_settle(weft__core *core, int slot, uint64_t *time_ns) {
  *time_ns = 0;
  if (!weft__tracing()) return WEFT_OK;
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  *time_ns = weft__now_ns();
  return WEFT_OK;
}

/// Keeps the event of a copy between host and device that does not wait; takes it over. Once it is done, so are the
/// commands up to `number`. A marker behind the copy would be done later: NVIDIA's driver runs it on the engine of the
/// kernels, behind all work-groups of other streams' kernels that have not started (measured with driver 580.159: 22 us
/// for the copy's own event, 6.5 ms for the marker, while a kernel of 6.5 ms ran).
void weft__slot_copied(weft__core *core, int slot, weft__cl_event copied, uint64_t number);

/// Marks the slot's work so far. Does not block. On failure there is nothing to release.
weft_status weft__point_set(weft__point *point, weft__core *core, int slot);
void weft__point_release(weft__point *point);
/// Waits for the marker as weft__slot_wait does. Does not collect errors reported by kernels: call
/// weft__deferred_report with point->covered.
weft_status weft__point_wait(weft__core *core, const weft__point *point);
weft_status weft__point_is_done(bool *done, weft__core *core, const weft__point *point);
/// Makes later work on `slot` wait for the marker. Does not block.
weft_status weft__slot_after_point(weft__core *core, int slot, const weft__point *point);
/// Waits for an event of a flushed queue, first polling, then with naps. *code becomes the failure of the work before
/// the event, or 0. Returns the name of the call that *code is from. Keeps the event.
const char *weft__event_settle(weft__cl_event event, int *code);

/// Makes later work on `slot` wait for command `number` of slot `other`, unless that command is known to be done. Does
/// not block.
weft_status weft__slot_after(weft__core *core, int slot, int other, uint64_t number);
/// Makes later work on the slot, or on WEFT__EVERY_SLOT and on queues opened later, wait for an event that other code
/// completes. Does not block.
weft_status weft__after_event(weft__core *core, int slot, weft__cl_event event);
/// Makes a new queue wait for the events of weft__after_event for every slot so far. Does not block.
weft_status weft__slot_after_gate(weft__core *core, int slot);
/// Retains the slot's queue, for a thread that does not hold the slot's stream: another thread may release the stream
/// meanwhile. NULL if no stream uses the slot; then all its work is done. *issued: the commands on the slot so far.
weft_status weft__slot_borrow(weft__cl_queue *queue, uint64_t *issued, weft__core *core, int slot);
/// Makes later work on a foreign queue of the same cl_context wait for the work on `slot`, which the caller holds. Does
/// not block.
weft_status weft__queue_after_slot(weft__core *core, weft__cl_queue queue, int slot);

/// Whether the device works in the host's memory, so that mapping copies nothing.
static inline bool weft__shares_memory(const weft__core *core) {
  return core->device->info.type == WEFT_DEVICE_TYPE_CPU;
}
/// Whether the host can work in the device's own memory. (stages_slowly: a CPU that is tested as a device with memory
/// of its own.)
static inline bool weft__host_reaches(const weft__core *core) {
  return weft__shares_memory(core) && !core->device->quirks.stages_slowly;
}

#endif
