// SPDX-License-Identifier: MIT
/// Waiting for queues, and queues waiting for each other.
#include <time.h>

#include "base/clock.h"
#include "core/core.h"
#include "ocl/codes.h"

/* Measured on an H200 with driver 580.159: barrier, flush and polling cost what clFinish costs (9.5 against 9.6 us for an empty kernel,
   32.7 against 32.7 for one of 27 us); a nap of 50 us takes 105. */
#define SPIN_NS 100000u
#define SHORTEST_NAP_NS 50000u
#define LONGEST_NAP_NS 1000000u

static void nap(uint64_t waited_ns) {
  uint64_t nap_ns = waited_ns / 16;
  if (nap_ns < SHORTEST_NAP_NS) nap_ns = SHORTEST_NAP_NS;
  if (nap_ns > LONGEST_NAP_NS) nap_ns = LONGEST_NAP_NS;
  nanosleep(&(struct timespec){.tv_nsec = (long)nap_ns}, NULL);
}

const char *weft__event_settle(cl_event event, cl_int *code) {
  uint64_t start = weft__now_ns();
  for (;;) {
    cl_int state = CL_COMPLETE;
    *code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (*code != CL_SUCCESS) return "clGetEventInfo";
    if (state <= CL_COMPLETE) {
      *code = state; /* below zero: the code with which the work ended */
      return "the wait's event";
    }
    uint64_t waited = weft__now_ns() - start;
    if (waited > SPIN_NS) nap(waited);
  }
}

static const char *wait_sleeping(cl_command_queue queue, cl_int *code) {
  cl_event event = NULL;
  *code = clEnqueueBarrierWithWaitList(queue, 0, NULL, &event);
  if (*code != CL_SUCCESS) return "clEnqueueBarrierWithWaitList";
  const char *call = "clFlush";
  *code = clFlush(queue);
  if (*code == CL_SUCCESS) call = weft__event_settle(event, code);
  clReleaseEvent(event);
  return call;
}

/// Sets a counter to `number`, unless it is there already.
static void raise_to(_Atomic(uint64_t) *counter, uint64_t number) {
  uint64_t known = atomic_load(counter);
  while (known < number && !atomic_compare_exchange_weak(counter, &known, number)) {
  }
}

void weft__slot_done(weft__core *core, int slot, uint64_t number) {
  raise_to(&core->slot[slot].completed, number);
}

/// `issued` was read while the queue was the slot's, and before the wait: later commands may be a later stream's.
static weft_status wait_for(weft__core *core, int slot, cl_command_queue queue, uint64_t issued) {
  weft__slot *s = &core->slot[slot];
  const char *call = "clFinish";
  cl_int code = CL_SUCCESS;
  if (core->sleeps)
    call = wait_sleeping(queue, &code);
  else
    code = clFinish(queue);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, call, true);
  raise_to(&s->completed, issued); /* another thread may have waited for later work meanwhile */
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

weft_status weft__slot_clock(weft__core *core, int slot, uint64_t *time_ns) {
  weft_status rc = weft__slot_wait(core, slot);
  if (rc == WEFT_OK) *time_ns = weft__now_ns();
  return rc;
}

/// The slot's queue, for a thread that does not hold the slot's stream and so must keep the queue itself: another one may release the
/// stream meanwhile. NULL if no stream has the slot; then everything on it is done. *issued: the commands on it so far.
static weft_status borrow_queue(cl_command_queue *queue, uint64_t *issued, weft__core *core, int slot) {
  weft__slot *s = &core->slot[slot];
  pthread_mutex_lock(&core->lock);
  *queue = s->queue;
  *issued = atomic_load(&s->issued);
  cl_int code = *queue ? clRetainCommandQueue(*queue) : CL_SUCCESS;
  pthread_mutex_unlock(&core->lock);
  return code == CL_SUCCESS ? WEFT_OK : weft__core_failed(core, code, "clRetainCommandQueue", false);
}

weft_status weft__core_wait(weft__core *core) {
  weft_status rc = weft__slot_wait(core, 0);
  for (int s = 1; s < atomic_load(&core->slots) && rc == WEFT_OK; s++) {
    cl_command_queue queue;
    uint64_t issued;
    if ((rc = borrow_queue(&queue, &issued, core, s)) || !queue) continue;
    rc = wait_for(core, s, queue, issued);
    clReleaseCommandQueue(queue);
  }
  return rc;
}

/// Whether the queue's work so far is done by then; also where it failed.
static bool done_by(weft__core *core, int slot, cl_command_queue queue, uint64_t issued, uint64_t until_ns) {
  cl_event event = NULL;
  cl_int state = CL_QUEUED;
  if (clEnqueueMarkerWithWaitList(queue, 0, NULL, &event) != CL_SUCCESS) return true;
  bool fine = clFlush(queue) == CL_SUCCESS;
  for (uint64_t start = weft__now_ns(), now = start; fine && state > CL_COMPLETE && now < until_ns; now = weft__now_ns()) {
    if (now - start > SPIN_NS) nap(now - start);
    fine = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == CL_SUCCESS;
  }
  clReleaseEvent(event);
  if (fine && state == CL_COMPLETE) {
    raise_to(&core->slot[slot].completed, issued);
    weft__profile_harvest(&core->profile, slot);
  }
  return !fine || state <= CL_COMPLETE;
}

bool weft__core_wait_until(weft__core *core, uint64_t until_ns) {
  bool done = true;
  for (int s = 0; s < atomic_load(&core->slots) && done; s++) {
    cl_command_queue queue;
    uint64_t issued;
    if (borrow_queue(&queue, &issued, core, s) || !queue) continue;
    /* others enqueue on a queue that was adopted or lent, which nobody counts */
    if (s == 0 || atomic_load(&core->slot[s].completed) < issued) done = done_by(core, s, queue, issued, until_ns);
    clReleaseCommandQueue(queue);
  }
  return done;
}

/// Makes what is enqueued on `later` from now on wait for what is on `earlier`.
static weft_status chain(weft__core *core, cl_command_queue later, cl_command_queue earlier) {
  cl_event event = NULL;
  const char *call = "clEnqueueMarkerWithWaitList";
  cl_int code = clEnqueueMarkerWithWaitList(earlier, 0, NULL, &event);
  if (code == CL_SUCCESS) {
    /* without the flush the two queues may wait for each other for good */
    call = "clFlush";
    code = clFlush(earlier);
  }
  if (code == CL_SUCCESS) {
    call = "clEnqueueBarrierWithWaitList";
    code = clEnqueueBarrierWithWaitList(later, 1, &event, NULL);
  }
  if (event) clReleaseEvent(event);
  return code == CL_SUCCESS ? WEFT_OK : weft__core_failed(core, code, call, false);
}

weft_status weft__slot_after(weft__core *core, int slot, int other, uint64_t number) {
  if (slot == other || atomic_load(&core->slot[other].completed) >= number) return WEFT_OK;
  cl_command_queue queue;
  uint64_t issued;
  weft_status rc = borrow_queue(&queue, &issued, core, other);
  if (rc || !queue) return rc;
  rc = chain(core, core->slot[slot].queue, queue);
  if (rc == WEFT_OK && other == 0) raise_to(&core->slot[slot].after, issued);
  if (rc == WEFT_OK) weft__slot_issue(core, slot); /* so that a wait for the slot sleeps through the other's work too */
  clReleaseCommandQueue(queue);
  return weft__while(rc, "making one stream wait for another");
}

/* ---- points ---- */

weft_status weft__point_set(weft__point *point, weft__core *core, int slot) {
  cl_event event = NULL;
  cl_command_queue queue = core->slot[slot].queue;
  const weft__covered covered = weft__slot_covers(core, slot);
  const char *call = "clEnqueueMarkerWithWaitList";
  cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, call, false);
  /* without the flush nobody who polls the event, or waits for it on another queue, would see it done */
  if ((code = clFlush(queue)) != CL_SUCCESS) {
    clReleaseEvent(event);
    return weft__core_failed(core, code, "clFlush", false);
  }
  *point = (weft__point){event, covered};
  return WEFT_OK;
}

void weft__point_release(weft__point *point) {
  if (point->event) clReleaseEvent(point->event);
  point->event = NULL;
}

weft_status weft__point_wait(weft__core *core, const weft__point *point) {
  const char *call = "clWaitForEvents";
  cl_int code = CL_SUCCESS;
  if (core->sleeps)
    call = weft__event_settle(point->event, &code);
  else
    code = clWaitForEvents(1, &point->event);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, call, true);
  weft__slot_done(core, point->covered.slot, point->covered.own);
  weft__profile_harvest(&core->profile, point->covered.slot);
  return WEFT_OK;
}

weft_status weft__point_is_done(bool *done, weft__core *core, const weft__point *point) {
  cl_int state = CL_COMPLETE;
  cl_int code = clGetEventInfo(point->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clGetEventInfo", true);
  if (state < CL_COMPLETE) return weft__core_failed(core, state, "the event", true);
  *done = state == CL_COMPLETE;
  if (*done) weft__slot_done(core, point->covered.slot, point->covered.own);
  return WEFT_OK;
}

weft_status weft__slot_after_point(weft__core *core, int slot, const weft__point *point) {
  const weft__covered *covered = &point->covered;
  /* not even where all that was counted is done: the marker also stands for what others enqueued on a lent queue */
  if (slot == covered->slot) return WEFT_OK;
  cl_int code = clEnqueueBarrierWithWaitList(core->slot[slot].queue, 1, &point->event, NULL);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clEnqueueBarrierWithWaitList", false);
  raise_to(&core->slot[slot].after, covered->first);
  weft__slot_issue(core, slot); /* so that a wait for the slot sleeps through what the event waits for too */
  return WEFT_OK;
}

weft_status weft__queue_after_slot(weft__core *core, cl_command_queue queue, int slot) {
  if (queue == core->slot[slot].queue) return WEFT_OK;
  return weft__while(chain(core, queue, core->slot[slot].queue), "making a foreign queue wait for Weft's");
}
