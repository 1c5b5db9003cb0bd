// SPDX-License-Identifier: MIT
#include "engine/cuda_step.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "mem/recorder.h"

_Static_assert(WEFT__LIBRARY_CUDA_END - WEFT__LIBRARY_CUBLAS == WEFT__CUDA_LIBRARIES, "cuda/cuda.h has their handles");

static weft__library library_of(const weft__cuda_work *work) {
  return work->engine->binding->library;
}

bool weft__cuda_engine_is_there(const weft__cuda_engine *engine, const weft_context *context) {
  return context->pool.takes_slabs && weft__engine_find(engine->binding);
}

static bool are_seen(const weft__cuda_work *work) {
  for (int k = 0; k < work->uses; k++)
    if (!work->use[k].storage->cuda_address) return false;
  return true;
}

/// The library's handle; NULL: it could not be made. Made at the first call. With cuda->stepping held, in the device's
/// CUDA context.
static void *handle_of(const weft__cuda_work *work, weft__cuda *cuda, weft__cuda_stream stream) {
  const weft__cuda_engine *engine = work->engine;
  weft__cuda_handle *handle = &cuda->handle[library_of(work) - WEFT__LIBRARY_CUBLAS];
  if (handle->was_tried) return handle->object;
  handle->was_tried = true;
  handle->destroy = engine->destroy;
  const int code = engine->create(&handle->object, stream);
  if (!code) return handle->object;
  handle->object = NULL;
  weft__log(WEFT_LOG_WARNING, "%s could not be started (%d) and is not used in this context",
            weft__engine_library(library_of(work)), code);
  return NULL;
}

/* ---- the work, with cuda->stepping held ---- */

/// Finds the workspaces' sizes. False: the library refuses the step.
static bool measure(weft__cuda_call *call, const weft__cuda_work *work, weft__cuda *cuda) {
  if (weft__cuda_enter(cuda)) return false;
  call->handle = handle_of(work, cuda, call->stream);
  const int code = call->handle && work->measure ? work->measure(call, work->user) : 0;
  weft__cuda_leave();
  if (code) weft__engine_failed(library_of(work), work->what, code);
  return call->handle && !code;
}

static weft_status enqueue(weft__cuda_call *call, const weft__cuda_work *work, int slot) {
  weft__core *core = &work->context->core;
  WEFT__TRY_RETURN(weft__cuda_after(core, call->stream, slot));
  WEFT__TRY_RETURN(weft__cuda_enter(core->cuda));
  const int code = work->run(call, work->user);
  /* the library may read the host's workspace until the work is done */
  const bool waits = code || call->host_bytes || work->waits;
  const int waited = waits ? weft__cuda_api.stream_wait(call->stream) : 0;
  weft__cuda_leave();
  if (waited) return weft__cuda_fail(waited, "cuStreamSynchronize");
  if (code)
    return weft__fail(WEFT_ERROR_DRIVER, NULL, "%s failed in %s with status %d", weft__engine_library(library_of(work)),
                      work->what, code);
  return waits ? WEFT_OK : weft__after_cuda(core, slot, call->stream);
}

/// Profile and trace want to know how long it took: then the host waits before and after, as with WEFT_SYNC=1.
static weft_status record(const weft__cuda_work *work, weft__cuda_stream stream, int slot, uint64_t start_ns) {
  weft__core *core = &work->context->core;
  WEFT__TRY_RETURN(weft__cuda_enter(core->cuda));
  const int code = weft__cuda_api.stream_wait(stream);
  weft__cuda_leave();
  if (code) return weft__cuda_fail(code, "cuStreamSynchronize");
  const uint64_t end_ns = weft__now_ns();
  const char *library = weft__engine_library(library_of(work));
  weft__profiled profiled = {
      .kind = WEFT_PROFILE_HOST, .name = work->what, .kernel = library, .site = work->site, .bytes_are_most = true};
  for (int k = 0; k < work->uses; k++) profiled.bytes += work->use[k].storage->size_bytes;
  if (weft__profiling(&core->profile)) weft__profile_add_host(&core->profile, &profiled, slot, start_ns, end_ns);
  if (weft__tracing())
    weft__trace_step(WEFT__STEP_LAUNCH, end_ns - start_ns, 0, "%s ran on %s (%s)", work->what,
                     weft__engine_name(library_of(work)), library);
  return WEFT_OK;
}

/// Enqueues the work behind that on the arrays, and the slot's later work behind it.
static weft_status submit(weft__cuda_call *call, const weft__cuda_work *work, weft__storage *workspace) {
  weft__core *core = &work->context->core;
  const int slot = weft__slot_now(core);
  const bool is_timed = weft__profiling(&core->profile) || weft__tracing() || core->sync;
  WEFT__TRY_RETURN(weft__slot_pace(core, slot));
  for (int k = 0; k < work->uses; k++)
    WEFT__TRY_RETURN(weft__storage_order(work->use[k].storage, slot, work->use[k].writes));
  if (workspace) WEFT__TRY_RETURN(weft__storage_order(workspace, slot, true));
  if (is_timed) WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  const uint64_t start_ns = weft__now_ns();
  const weft_status rc = enqueue(call, work, slot);
  const uint64_t number = weft__slot_issue(core, slot);
  for (int k = 0; k < work->uses; k++) weft__storage_mark(work->use[k].storage, slot, work->use[k].writes, number);
  if (workspace) weft__storage_mark(workspace, slot, true, number);
  if (rc == WEFT_OK && is_timed) return record(work, call->stream, slot, start_ns);
  return rc;
}

static weft_status step(bool *is_done, const weft__cuda_work *work) {
  weft__cuda *cuda = work->context->core.cuda;
  weft__cuda_call call = {0};
  weft__storage *workspace = NULL;
  weft_status rc;
  WEFT__TRY(weft__cuda_own_stream(&call.stream, &work->context->core));
  for (int k = 0; k < work->uses; k++)
    call.data[k] = (void *)(uintptr_t)(work->use[k].storage->cuda_address + (uint64_t)work->use[k].offset_bytes);
  if (!measure(&call, work, cuda)) goto done;
  if (call.device_bytes) {
    rc = weft__storage_create(&workspace, &work->context->pool, call.device_bytes, work->site);
    /* the next engine may need less */
    if (weft__without_memory(&rc) || rc || !workspace->cuda_address) goto done;
    call.device_work = (void *)(uintptr_t)workspace->cuda_address;
  }
  if (call.host_bytes && !(call.host_work = weft__new(call.host_bytes))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(submit(&call, work, workspace));
  *is_done = true;
done:
  weft__storage_release(workspace);
  free(call.host_work);
  return rc;
}

weft_status weft__cuda_step(bool *is_done, const weft__cuda_work *work) {
  *is_done = false;
  if (!are_seen(work)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__recorder_refuse(&work->context->core,
                                         "a library of CUDA computes it (WEFT_ENGINE=own: Weft's kernels do)"));
  weft__cuda *cuda = work->context->core.cuda;
  pthread_mutex_lock(&cuda->stepping);
  const weft_status rc = step(is_done, work);
  pthread_mutex_unlock(&cuda->stepping);
  return weft__while(rc, "running %s on %s", work->what, weft__engine_library(library_of(work)));
}
