// SPDX-License-Identifier: MIT
/// Waits for queues, and makes queues wait for each other.
#include "base/clock.h"
#include "core/core.h"

const char *weft__event_settle(weft__cl_event event, int *code) {
  uint64_t start = weft__now_ns();
  for (;;) {
    int state;
    *code = weft__driver->event_state(&state, event);
    if (*code) return "clGetEventInfo";
    if (state <= 0) {
      *code = state; /* below zero: the error code of the work */
      return "the wait's event";
    }
    uint64_t waited = weft__now_ns() - start;
    if (waited > WEFT__POLL_NS) weft__nap(waited);
  }
}

const char *weft__queue_mark(weft__command_kind kind, weft__cl_queue queue, weft__cl_event *event, int *code) {
  weft__command marker = {.kind = kind, .queue = queue, .event = event};
  if ((*code = weft__driver->enqueue(&marker))) return weft__command_call(&marker);
  if ((*code = weft__driver->flush(queue))) weft__release(*event);
  return "clFlush";
}

static const char *wait_sleeping(weft__cl_queue queue, int *code) {
  weft__cl_event event;
  const char *call = weft__queue_mark(WEFT__COMMAND_BARRIER, queue, &event, code);
  if (*code) return call;
  call = weft__event_settle(event, code);
  weft__release(event);
  return call;
}

/// Raises a counter to `number`, unless it is already there or above.
static void raise_to(_Atomic(uint64_t) *counter, uint64_t number) {
  uint64_t known = atomic_load(counter);
  while (known < number && !atomic_compare_exchange_weak(counter, &known, number)) {
  }
}

void weft__slot_done(weft__core *core, int slot, uint64_t number) {
  raise_to(&core->slot[slot].completed, number);
}

/// `issued` was read before the wait, while the slot owned the queue: later commands may belong to a later stream.
static weft_status wait_for(weft__core *core, int slot, weft__cl_queue queue, uint64_t issued) {
  const char *call = "clFinish";
  int code;
  if (core->sleeps)
    call = wait_sleeping(queue, &code);
  else
    code = weft__driver->finish(queue);
  if (code) return weft__core_failed(core, code, call, true);
  raise_to(&core->slot[slot].completed, issued); /* another thread may have waited for later work */
  weft__profile_harvest(&core->profile, slot);
  return WEFT_OK;
}

weft_status weft__slot_wait(weft__core *core, int slot) {
  weft__slot *s = &core->slot[slot];
  return wait_for(core, slot, s->queue, atomic_load(&s->issued));
}

weft__covered weft__slot_covers(weft__core *core, int slot) {
  uint64_t own = atomic_load(&core->slot[slot].issued);
  return (weft__covered){slot, own, slot == 0 ? own : atomic_load(&core->slot[slot].after)};
}

weft_status weft__slot_borrow(weft__cl_queue *queue, uint64_t *issued, weft__core *core, int slot) {
  weft__slot *s = &core->slot[slot];
  pthread_mutex_lock(&core->lock);
  *queue = s->queue;
  *issued = atomic_load(&s->issued);
  int code = *queue ? weft__retain(*queue) : 0;
  pthread_mutex_unlock(&core->lock);
  return code ? weft__core_failed(core, code, "clRetainCommandQueue", false) : WEFT_OK;
}

weft_status weft__core_wait(weft__core *core) {
  const uint64_t retired = core->device->quirks.late_release ? weft__retired_so_far(&core->retired) : 0;
  weft_status rc = weft__slot_wait(core, 0);
  for (int s = 1; s < atomic_load(&core->slots) && rc == WEFT_OK; s++) {
    weft__cl_queue queue;
    uint64_t issued;
    if ((rc = weft__slot_borrow(&queue, &issued, core, s)) || !queue) continue;
    rc = wait_for(core, s, queue, issued);
    weft__release(queue);
  }
  if (rc == WEFT_OK && retired > 0) weft__retired_release(&core->retired, retired);
  return rc;
}

/// Whether the queue's work so far is done, or has failed, by until_ns.
static bool done_by(weft__core *core, int slot, weft__cl_queue queue, uint64_t issued, uint64_t until_ns) {
  weft__cl_event event;
  int state = 1, code;
  weft__queue_mark(WEFT__COMMAND_MARKER, queue, &event, &code);
  if (code) return true;
  for (uint64_t start = weft__now_ns(), now = start; !code && state > 0 && now < until_ns; now = weft__now_ns()) {
    if (now - start > WEFT__POLL_NS) weft__nap(now - start);
    code = weft__driver->event_state(&state, event);
  }
  weft__release(event);
  if (!code && state == 0) {
    raise_to(&core->slot[slot].completed, issued);
    weft__profile_harvest(&core->profile, slot);
  }
  return code || state <= 0;
}

bool weft__core_wait_until(weft__core *core, uint64_t until_ns) {
  bool done = true;
  for (int s = 0; s < atomic_load(&core->slots) && done; s++) {
    weft__cl_queue queue;
    uint64_t issued;
    if (weft__slot_borrow(&queue, &issued, core, s) || !queue) continue;
    /* commands that other code enqueues on an adopted or lent queue are not counted */
    if (s == 0 || atomic_load(&core->slot[s].completed) < issued) done = done_by(core, s, queue, issued, until_ns);
    weft__release(queue);
  }
  return done;
}

/// Makes later commands on `later` wait for the event.
static weft_status wait_on_queue(weft__core *core, weft__cl_queue later, weft__cl_event event) {
  weft__command barrier = {.kind = WEFT__COMMAND_BARRIER, .queue = later, .after = event};
  int code = weft__driver->enqueue(&barrier);
  return code ? weft__core_failed(core, code, weft__command_call(&barrier), false) : WEFT_OK;
}

/// Makes later commands on `later` wait for the commands on `earlier`.
static weft_status chain(weft__core *core, weft__cl_queue later, weft__cl_queue earlier) {
  weft__cl_event event;
  int code;
  const char *call = weft__queue_mark(WEFT__COMMAND_MARKER, earlier, &event, &code);
  if (code) return weft__core_failed(core, code, call, false);
  weft_status rc = wait_on_queue(core, later, event);
  weft__release(event);
  return rc;
}

weft_status weft__slot_after(weft__core *core, int slot, int other, uint64_t number) {
  if (slot == other || atomic_load(&core->slot[other].completed) >= number) return WEFT_OK;
  if (other == 0 && atomic_load(&core->slot[slot].after) >= number) return WEFT_OK; /* it waits for them already */
  weft__cl_queue queue;
  uint64_t issued;
  weft_status rc = weft__slot_borrow(&queue, &issued, core, other);
  if (rc || !queue) return rc;
  WEFT__TRY(chain(core, core->slot[slot].queue, queue));
  if (other == 0) raise_to(&core->slot[slot].after, issued);
  weft__slot_issue(core, slot); /* so that a wait for this slot also sleeps for the other one */
done:
  weft__release(queue);
  return weft__while(rc, "making one stream wait for another");
}

/* ---- points ---- */

void weft__slot_copied(weft__core *core, int slot, weft__cl_event copied, uint64_t number) {
  weft__slot *s = &core->slot[slot];
  pthread_mutex_lock(&core->lock);
  weft__cl_event before = s->copied;
  s->copied = copied;
  s->copied_number = number;
  pthread_mutex_unlock(&core->lock);
  weft__release(before);
}

/// The event of the slot's command `number`, retained, if it is a copy whose event is kept; else NULL. On a queue that
/// was lent, commands of other code may follow it.
static weft__cl_event event_of_copy(weft__core *core, int slot, uint64_t number) {
  weft__slot *s = &core->slot[slot];
  if (atomic_load(&core->is_lent)) return NULL;
  pthread_mutex_lock(&core->lock);
  weft__cl_event event = s->copied_number == number && s->copied && !weft__retain(s->copied) ? s->copied : NULL;
  pthread_mutex_unlock(&core->lock);
  return event;
}

weft_status weft__point_set(weft__point *point, weft__core *core, int slot) {
  int code;
  const char *call = "clFlush";
  const weft__covered covered = weft__slot_covers(core, slot);
  weft__cl_event event = event_of_copy(core, slot, covered.own);
  if (!event)
    call = weft__queue_mark(WEFT__COMMAND_MARKER, core->slot[slot].queue, &event, &code);
  else if ((code = weft__driver->flush(core->slot[slot].queue)))
    weft__release(event);
  if (code) return weft__core_failed(core, code, call, false);
  *point = (weft__point){event, covered};
  return WEFT_OK;
}

void weft__point_release(weft__point *point) {
  weft__release(point->event);
  point->event = NULL;
}

weft_status weft__point_wait(weft__core *core, const weft__point *point) {
  const char *call = "clWaitForEvents";
  int code;
  if (core->sleeps)
    call = weft__event_settle(point->event, &code);
  else
    code = weft__driver->event_wait(point->event);
  if (code) return weft__core_failed(core, code, call, true);
  weft__slot_done(core, point->covered.slot, point->covered.own);
  weft__profile_harvest(&core->profile, point->covered.slot);
  return WEFT_OK;
}

weft_status weft__point_is_done(bool *done, weft__core *core, const weft__point *point) {
  int state, code = weft__driver->event_state(&state, point->event);
  if (code) return weft__core_failed(core, code, "clGetEventInfo", true);
  if (state < 0) return weft__core_failed(core, state, "the event", true);
  *done = state == 0;
  if (*done) weft__slot_done(core, point->covered.slot, point->covered.own);
  return WEFT_OK;
}

static weft_status slot_after_event(weft__core *core, int slot, weft__cl_event event) {
  weft__cl_queue queue;
  uint64_t issued;
  weft_status rc = weft__slot_borrow(&queue, &issued, core, slot);
  if (rc || !queue) return rc;
  rc = wait_on_queue(core, queue, event);
  weft__slot_issue(core, slot); /* so that a wait for this slot also sleeps until the event */
  weft__release(queue);
  return rc;
}

/// Queues opened from now on wait for the work of slot 0 so far, not for what follows it.
static weft_status set_gate(weft__core *core) {
  weft__point gate;
  WEFT__TRY_RETURN(weft__point_set(&gate, core, 0));
  pthread_mutex_lock(&core->lock);
  weft__point older = core->gate;
  if (!older.event || older.covered.own < gate.covered.own)
    core->gate = gate;
  else
    older = gate; /* another thread's covers this one */
  pthread_mutex_unlock(&core->lock);
  weft__point_release(&older);
  return WEFT_OK;
}

weft_status weft__slot_after_gate(weft__core *core, int slot) {
  pthread_mutex_lock(&core->lock);
  weft__point gate = core->gate;
  if (atomic_load(&core->slot[0].completed) >= gate.covered.own) gate.event = NULL;
  const int code = gate.event ? weft__retain(gate.event) : 0;
  pthread_mutex_unlock(&core->lock);
  if (code) return weft__core_failed(core, code, "clRetainEvent", false);
  if (!gate.event) return WEFT_OK;
  const weft_status rc = weft__slot_after_point(core, slot, &gate);
  weft__point_release(&gate);
  return rc;
}

weft_status weft__after_event(weft__core *core, int slot, weft__cl_event event) {
  if (slot != WEFT__EVERY_SLOT) return slot_after_event(core, slot, event);
  WEFT__TRY_RETURN(slot_after_event(core, 0, event));
  /* before the others are looked for: a queue opened meanwhile is found below, or waits at the gate */
  WEFT__TRY_RETURN(set_gate(core));
  for (int s = 1; s < atomic_load(&core->slots); s++) WEFT__TRY_RETURN(slot_after_event(core, s, event));
  return WEFT_OK;
}

weft_status weft__slot_after_point(weft__core *core, int slot, const weft__point *point) {
  const weft__covered *covered = &point->covered;
  /* needed even if all counted commands are done: a lent queue may have uncounted commands of other code */
  if (slot == covered->slot) return WEFT_OK;
  WEFT__TRY_RETURN(wait_on_queue(core, core->slot[slot].queue, point->event));
  raise_to(&core->slot[slot].after, covered->first);
  weft__slot_issue(core, slot); /* so that a wait for this slot also sleeps until the event */
  return WEFT_OK;
}

weft_status weft__queue_after_slot(weft__core *core, weft__cl_queue queue, int slot) {
  if (queue == core->slot[slot].queue) return WEFT_OK;
  return weft__while(chain(core, queue, core->slot[slot].queue), "making a foreign queue wait for Weft's");
}
