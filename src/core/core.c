// SPDX-License-Identifier: MIT
#include "core/core.h"

#include "base/clock.h"
#include "base/environment.h"
#include "base/fork.h"
#include "base/log.h"
#include "ocl/codes.h"

_Thread_local weft__thread_stream weft__thread_uses;

/// Settings that the parameters leave to the environment.
static weft_status read_environment(weft__core *core, const weft_context_params *params) {
  bool is_unlimited = false, is_untracked;
  if (!params->ahead_limit_ns) WEFT__TRY_RETURN(weft__environment_off(&is_unlimited, WEFT__ENV_AHEAD));
  WEFT__TRY_RETURN(weft__environment_off(&is_untracked, WEFT__ENV_TRACKING));
  WEFT__TRY_RETURN(weft__environment_elements(&core->launches_few));
  core->ahead_limit_ns = is_unlimited ? UINT64_MAX : params->ahead_limit_ns;
  core->ahead_is_default = core->ahead_limit_ns == 0;
  core->untracked = params->tracking_off || is_untracked;
  core->records_times = params->profiling || weft__environment_flag(WEFT__ENV_PROFILE);
  core->sync = weft__environment_flag(WEFT__ENV_SYNC);
  return WEFT_OK;
}

static void begin(weft__core *core, weft__device *device, const weft_context_params *params) {
  core->device = device;
  core->sleeps = params->wait == WEFT_WAIT_SLEEP || (params->wait == WEFT_WAIT_AUTO && device->quirks.wait_burns_core);
  core->profiling = params->profiling;
  core->fork_generation = weft__fork_generation();
  atomic_init(&core->slots, 1);
  pthread_mutex_init(&core->lock, NULL);
  weft__pace_init(core);
  weft__ledger_init(&core->ledger);
  weft__counters_init(&core->usage, &device->info);
  weft__deferred_init(&core->deferred);
  weft__retired_init(&core->retired);
  weft__profile_init(&core->profile);
}

static weft_status open_queue(weft__core *core, weft__cl_queue *queue, bool records_times) {
  int code = weft__driver->queue_create(queue, core->cl, core->device->id, records_times);
  return code ? weft__core_failed(core, code, "clCreateCommandQueue", false) : WEFT_OK;
}

weft_status weft__core_open(weft__core *core, weft__device *device, const weft_context_params *params) {
  WEFT__TRY_RETURN(read_environment(core, params));
  begin(core, device, params);
  int code = weft__driver->context_create(&core->cl, device->platform, device->id);
  weft_status rc =
      code ? weft__cl_fail(code, "clCreateContext") : open_queue(core, &core->slot[0].queue, core->records_times);
  if (rc == WEFT_OK) {
    weft__pace_begin(core, 0);
    return WEFT_OK;
  }
  weft__while(rc, "opening device %d, %s", device->info.index, device->info.name);
  weft__core_close(core);
  weft__core_destroy(core);
  return rc;
}

weft_status weft__core_adopt(weft__core *core, weft__cl_context context, weft__cl_queue queue,
                             const weft_context_params *params) {
  weft__queue_info info;
  weft__device *device;
  WEFT__TRY_RETURN(read_environment(core, params));
  int code = weft__driver->queue_info(&info, queue);
  if (code) return weft__while(weft__cl_fail(code, "clGetCommandQueueInfo"), "looking at the queue to adopt");
  if (info.context != context)
    return weft__fail(WEFT_ERROR_CONTEXT, "cl_queue", "`cl_queue` does not belong to `cl_context`");
  if (info.out_of_order)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "cl_queue",
                      "`cl_queue` is out-of-order; Weft relies on commands running in order");
  WEFT__TRY_RETURN(weft__device_of_id(&device, info.device));

  weft_context_params own = *params;
  own.profiling = info.records_times;
  if ((code = weft__retain(context))) return weft__cl_fail(code, "clRetainContext");
  if ((code = weft__retain(queue))) {
    weft__release(context);
    return weft__cl_fail(code, "clRetainCommandQueue");
  }
  begin(core, device, &own);
  core->records_times = own.profiling;
  core->adopted = true;
  core->cl = context;
  core->slot[0].queue = queue;
  weft__pace_begin(core, 0);
  weft__pace_lend(core);
  return WEFT_OK;
}

void weft__core_close(weft__core *core) {
  weft__profile_close(&core->profile);
  weft__deferred_close(&core->deferred);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++)
    if (core->slot[s].queue) {
      weft__pace_end(core, s);
      weft__slot_copied(core, s, NULL, 0);
      weft__release(core->slot[s].queue);
      core->slot[s].queue = NULL;
    }
  weft__point_release(&core->gate);
  weft__retired_release(&core->retired, UINT64_MAX);
  weft__release(core->cl);
  core->cl = NULL;
}

void weft__core_destroy(weft__core *core) {
  weft__profile_destroy(&core->profile);
  weft__deferred_destroy(&core->deferred);
  weft__retired_destroy(&core->retired);
  weft__ledger_destroy(&core->ledger);
  weft__text_free(&core->lost_reason);
  weft__pace_destroy(core);
  pthread_mutex_destroy(&core->lock);
}

bool weft__core_is_of_this_process(const weft__core *core) {
  return core->fork_generation == weft__fork_generation();
}

weft_status weft__core_check(weft__core *core) {
  if (atomic_load_explicit(&core->closed, memory_order_relaxed))
    return weft__fail(WEFT_ERROR_CLOSED, NULL, "its context was closed");
  if (atomic_load_explicit(&core->ended, memory_order_relaxed))
    return weft__fail(WEFT_ERROR_CLOSED, NULL,
                      "the process is ending and its driver may be gone; handlers of atexit() that use Weft must be "
                      "registered after the "
                      "context is made");
  if (core->finishes && !weft__at_exit_thread_known) weft__at_exit_note_thread();
  if (!weft__core_is_of_this_process(core))
    return weft__fail(WEFT_ERROR_FORKED, NULL,
                      "its context was made before fork(); OpenCL cannot be used on both sides");
  if (atomic_load_explicit(&core->lost, memory_order_acquire)) {
    pthread_mutex_lock(&core->lock);
    weft__fail_code(WEFT_ERROR_LOST, core->lost_code, weft__cl_code_name(core->lost_code),
                    "the context is lost since: %s", weft__text_chars(&core->lost_reason));
    pthread_mutex_unlock(&core->lock);
    return WEFT_ERROR_LOST;
  }
  return WEFT_OK;
}

weft_status weft__core_failed(weft__core *core, int code, const char *call, bool at_wait) {
  /* out of resources: at an enqueue the command needs too much local memory; at a wait the context is lost */
  if (!weft__cl_is_fatal(code) || (!at_wait && code == WEFT__CL_OUT_OF_RESOURCES)) return weft__cl_fail(code, call);
  weft__text reason = {0};
  weft__text_add(&reason, "%s returned %s (%d); ", call, weft__cl_code_name(code), code);
  weft__launch_log_describe(&core->launch_log, &reason);
  weft__fail_code(WEFT_ERROR_LOST, code, weft__cl_code_name(code), "the device failed and the context is lost: %s",
                  weft__text_chars(&reason));
  weft__log(WEFT_LOG_ERROR, "context lost: %s", weft__text_chars(&reason));
  pthread_mutex_lock(&core->lock);
  if (!atomic_load(&core->lost)) {
    core->lost_reason = reason;
    core->lost_code = code;
    reason = (weft__text){0};
    atomic_store_explicit(&core->lost, true, memory_order_release);
  }
  pthread_mutex_unlock(&core->lock);
  weft__text_free(&reason);
  return WEFT_ERROR_LOST;
}

weft_status weft__core_record_times(weft__core *core, bool on) {
  weft__cl_queue queue[WEFT__MAX_STREAMS] = {NULL};
  if (core->records_times == on) return WEFT_OK;
  if (core->adopted)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                      "the context's queue was adopted and records no times; make it with CL_QUEUE_PROFILING_ENABLE");
  weft_status rc;
  WEFT__TRY(weft__core_wait(core));
  for (int s = 0; s < WEFT__MAX_STREAMS; s++)
    if (core->slot[s].queue) WEFT__TRY(open_queue(core, &queue[s], on));
  pthread_mutex_lock(&core->lock);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) {
    weft__cl_queue before = core->slot[s].queue;
    if (!queue[s]) continue;
    core->slot[s].queue = queue[s];
    queue[s] = before;
  }
  core->records_times = on;
  pthread_mutex_unlock(&core->lock);
done:
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__release(queue[s]);
  return weft__while(rc, "making queues that record %s", on ? "device times" : "no times");
}

weft_status weft__slot_open(weft__core *core, int *slot) {
  weft__cl_queue queue;
  WEFT__TRY_RETURN(open_queue(core, &queue, core->records_times));
  pthread_mutex_lock(&core->lock);
  int s = 0;
  while (s < WEFT__MAX_STREAMS && core->slot[s].queue) s++;
  if (s < WEFT__MAX_STREAMS) {
    weft__pace_begin(core, s);
    core->slot[s].queue = queue;
  }
  if (s < WEFT__MAX_STREAMS && s >= atomic_load(&core->slots)) atomic_store(&core->slots, s + 1);
  pthread_mutex_unlock(&core->lock);
  *slot = s;
  if (s < WEFT__MAX_STREAMS) {
    const weft_status rc = weft__slot_after_gate(core, s);
    if (rc) weft__slot_close(core, s);
    return rc;
  }
  weft__release(queue);
  return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL,
                    "a context can have %d streams besides its default one, and all are in use", WEFT__MAX_STREAMS - 1);
}

void weft__slot_close(weft__core *core, int slot) {
  if (!core->slot[slot].queue) return;
  weft__slot_wait(core, slot); /* if the device has failed, this marks the context lost, and the next call reports it */
  weft__pace_end(core, slot);
  weft__slot_copied(core, slot, NULL, 0);
  pthread_mutex_lock(&core->lock);
  weft__cl_queue queue = core->slot[slot].queue;
  core->slot[slot].queue = NULL;
  atomic_store(&core->slot[slot].completed, atomic_load(&core->slot[slot].issued));
  pthread_mutex_unlock(&core->lock);
  weft__release(queue);
}

int weft__slot_enqueue(weft__core *core, int slot, weft__command *command, const weft__profiled *profiled) {
  weft__cl_event event;
  command->queue = core->slot[slot].queue;
  if (!profiled || !weft__profiling(&core->profile)) return weft__driver->enqueue(command);
  bool is_shared = command->event != NULL;
  if (!is_shared) command->event = &event;
  uint64_t start_ns = weft__now_ns();
  int code = weft__driver->enqueue(command);
  if (!code && (!is_shared || !weft__retain(*command->event)))
    weft__profile_add(&core->profile, profiled, slot, *command->event, start_ns);
  if (!is_shared) command->event = NULL;
  return code;
}
