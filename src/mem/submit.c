// SPDX-License-Identifier: MIT
#include "mem/submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mem/pinned_memory.h"
#include "mem/pool.h"
#include "mem/recorder.h"
#include "mem/ring.h"
#include "ocl/codes.h"

static const weft_profile_kind profile_kind[] = {
    [WEFT__COMMAND_LAUNCH] = WEFT_PROFILE_KERNEL,
    [WEFT__COMMAND_READ] = WEFT_PROFILE_COPY_BACK,
    [WEFT__COMMAND_WRITE] = WEFT_PROFILE_COPY_IN,
    [WEFT__COMMAND_READ_RECT] = WEFT_PROFILE_COPY_BACK,
    [WEFT__COMMAND_WRITE_RECT] = WEFT_PROFILE_COPY_IN,
    [WEFT__COMMAND_COPY] = WEFT_PROFILE_COPY,
    [WEFT__COMMAND_FILL] = WEFT_PROFILE_FILL,
    [WEFT__COMMAND_MAP] = WEFT_PROFILE_COPY_BACK,
    [WEFT__COMMAND_UNMAP] = WEFT_PROFILE_COPY_IN,
    [WEFT__COMMAND_COPY_TO_IMAGE] = WEFT_PROFILE_COPY,
    [WEFT__COMMAND_COPY_FROM_IMAGE] = WEFT_PROFILE_COPY,
};

static bool is_launch(const weft__submission *s) {
  return s->command->kind == WEFT__COMMAND_LAUNCH;
}

/// Whether the host has the bytes when the command returns.
static bool brings(const weft__submission *s) {
  return s->command->blocking &&
         (s->command->kind == WEFT__COMMAND_READ || s->command->kind == WEFT__COMMAND_READ_RECT);
}

/// Whether it is a copy between host and device that does not wait.
static bool is_copy_beside(const weft__submission *s) {
  const weft__command *c = s->command;
  return !c->blocking && !c->event && (c->kind == WEFT__COMMAND_READ || c->kind == WEFT__COMMAND_WRITE);
}

/// Whether the slot's work is done when the command returns: queues are in order. A blocking write may return as soon
/// as the host's bytes are copied, as Intel's does; PoCL (wraps_in_place) waits until the queue is empty.
static bool settles(const weft__submission *s) {
  const weft__command_kind kind = s->command->kind;
  if (brings(s)) return true;
  return s->command->blocking && !s->carrier && weft__host_reaches(s->core) && s->core->device->quirks.wraps_in_place &&
         (kind == WEFT__COMMAND_WRITE || kind == WEFT__COMMAND_WRITE_RECT);
}

static weft_status order(const weft__submission *s) {
  if (s->is_ordered) return WEFT_OK;
  if (!s->command->blocking) WEFT__TRY_RETURN(weft__slot_pace(s->core, s->slot));
  for (int k = 0; k < s->uses; k++) WEFT__TRY_RETURN(weft__storage_order(s->use[k].storage, s->slot, s->use[k].writes));
  return WEFT_OK;
}

/// Whether the copy goes through the pinned ring. Small copies, copies of pinned memory and copies that cross no bus do
/// not.
static bool is_staged(const weft__submission *s) {
  const weft__command *c = s->command;
  if (!c->blocking || (c->kind != WEFT__COMMAND_READ && c->kind != WEFT__COMMAND_WRITE)) return false;
  weft__pool *pool = s->use->storage->pool;
  /* pinned memory is checked first: another transfer may hold the ring */
  return weft__ring_wants(s->core, c->kind == WEFT__COMMAND_WRITE, c->size_bytes) &&
         !weft__pinned_holds(pool->pinned, c->host, c->size_bytes) &&
         weft__ring_serves(pool->ring, pool->pinned, s->core);
}

static int enqueue(weft__submission *s) {
  if (!weft__profiling(&s->core->profile) || !(s->bytes || is_launch(s)))
    return weft__slot_enqueue(s->core, s->slot, s->command, NULL);
  weft__profiled profiled = {.kind = profile_kind[s->command->kind],
                             .name = s->what ? s->what : s->kernel,
                             .kernel = s->kernel,
                             .site = s->site,
                             .bytes = s->bytes,
                             .bytes_are_most = s->bytes == 0};
  for (int k = 0; k < s->uses && s->bytes == 0; k++) profiled.bytes += s->use[k].storage->size_bytes;
  return weft__slot_enqueue(s->core, s->slot, s->command, &profiled);
}

/// Reports that the driver refused the command with `code`.
static weft_status refused(const weft__submission *s, int code) {
  const char *call = weft__command_call(s->command);
  if (!is_launch(s)) return weft__core_failed(s->core, code, call, s->command->blocking);
  /* a device that died over earlier work returns this code too; then the wait reports the error */
  if (code == WEFT__CL_OUT_OF_RESOURCES) WEFT__TRY_RETURN(weft__slot_wait(s->core, s->slot));
  const weft_dim3 block = s->command->block;
  const char *name = weft__cl_code_name(code);
  if (code == WEFT__CL_OUT_OF_RESOURCES || code == WEFT__CL_INVALID_WORK_GROUP_SIZE)
    return weft__fail_code(WEFT_ERROR_LAUNCH_LIMIT, code, name,
                           "%sthe driver has no room for a block of %" PRIu64
                           " threads of this kernel (%s): fewer threads, or less local memory, may do",
                           s->prefix, block.x * block.y * block.z, name);
  return weft__while(weft__core_failed(s->core, code, call, false), "launching %s", s->kernel);
}

static weft_status carry(weft__submission *s) {
  if (s->carrier) return s->carrier(s);
  if (is_staged(s)) return weft__ring_carry(s->use->storage->pool->ring, s->core, s->slot, s->command);
  bool again = false;
  int code = enqueue(s);
  if (code && s->uses) WEFT__TRY_RETURN(weft__pool_trim_for(&again, s->use->storage->pool, code));
  if (again) code = enqueue(s);
  return code ? refused(s, code) : WEFT_OK;
}

static void mark(const weft__submission *s, uint64_t number) {
  for (int k = 0; k < s->uses; k++) weft__storage_mark(s->use[k].storage, s->slot, s->use[k].writes, number);
}

static void count(const weft__submission *s) {
  const weft_profile_kind kind = profile_kind[s->command->kind];
  if (kind == WEFT_PROFILE_COPY_IN)
    atomic_fetch_add_explicit(&s->core->to_device_bytes, s->bytes, memory_order_relaxed);
  if (kind == WEFT_PROFILE_COPY_BACK)
    atomic_fetch_add_explicit(&s->core->to_host_bytes, s->bytes, memory_order_relaxed);
}

static void trace_launch(const weft__submission *s, uint64_t time_ns) {
  char shape[128];
  const weft_dim3 grid = s->command->grid, block = s->command->block;
  if (grid.y * grid.z * block.y * block.z == 1)
    snprintf(shape, sizeof shape, "%" PRIu64 " block%s of %" PRIu64 " thread%s", grid.x, grid.x == 1 ? "" : "s",
             block.x, block.x == 1 ? "" : "s");
  else
    snprintf(shape, sizeof shape,
             "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " blocks of %" PRIu64 " x %" PRIu64 " x %" PRIu64 " threads",
             grid.x, grid.y, grid.z, block.x, block.y, block.z);
  weft__trace_step(WEFT__STEP_LAUNCH, time_ns, 0, "%s, %s", s->kernel, shape);
}

/// Waits for the command that began at start_ns, and adds it to the trace.
static weft_status trace(const weft__submission *s, uint64_t start_ns) {
  uint64_t end_ns;
  weft_status rc = weft__slot_settle(s->core, s->slot, &end_ns);
  if (is_launch(s)) weft__while(rc, "waiting for %s, to time it for the trace", s->kernel);
  if (end_ns <= start_ns) return rc;
  const uint64_t time_ns = end_ns - start_ns, copied_bytes = s->command->size_bytes;
  const char *what = weft__trace_subject();
  const weft_profile_kind kind = profile_kind[s->command->kind];
  if (is_launch(s))
    trace_launch(s, time_ns);
  else if (kind == WEFT_PROFILE_COPY)
    weft__trace_step(WEFT__STEP_LAUNCH, time_ns, copied_bytes, "a copy of %" PRIu64 " bytes on the device",
                     copied_bytes);
  else
    weft__trace_step(kind == WEFT_PROFILE_COPY_IN ? WEFT__STEP_COPY_IN : WEFT__STEP_COPY_BACK, time_ns, s->bytes,
                     "%" PRIu64 " bytes%s%s", s->bytes, what[0] ? " of " : "", what);
  return rc;
}

weft_status weft__submit(weft__submission *s) {
  weft__core *core = s->core;
  uint64_t start_ns;
  weft__covered covered = {0};
  weft__recorder *recorder = weft__recorder_of(core);
  WEFT__TRY_RETURN(order(s));
  if (recorder) WEFT__TRY_RETURN(recorder->note(recorder, s));
  if (!is_launch(s)) covered = weft__slot_covers(core, s->slot);
  if (brings(s)) {
    /* the driver's blocking read spins like its waits: sleep until the earlier work is done */
    if (core->sleeps && atomic_load(&core->slot[s->slot].completed) < covered.own)
      WEFT__TRY_RETURN(weft__slot_wait(core, s->slot));
  }
  WEFT__TRY_RETURN(weft__slot_settle(core, s->slot, &start_ns));
  if (is_launch(s)) weft__launch_log_add(&core->launch_log, s->kernel, s->site);
  weft__cl_event copied = NULL;
  if (is_copy_beside(s)) s->command->event = &copied;
  weft_status rc = carry(s);
  if (copied) s->command->event = NULL;
  if (rc && recorder) recorder->spoil(recorder, "a command of it failed");
  if (rc && !s->command->blocking) return rc;
  const uint64_t number = weft__slot_issue(core, s->slot);
  mark(s, number); /* a copy that failed midway has written some bytes */
  /* what is done once this command is: another thread's that took a number meanwhile may be enqueued behind it */
  const uint64_t reached = number == covered.own + 1 ? number : covered.own;
  if (copied) weft__slot_copied(core, s->slot, copied, reached);
  if (rc) return rc;
  count(s);
  if (settles(s)) weft__slot_done(core, s->slot, reached);
  if (start_ns && (s->bytes || is_launch(s))) WEFT__TRY_RETURN(trace(s, start_ns));
  if (core->sync && is_launch(s))
    return weft__while(weft__slot_wait(core, s->slot), "waiting for %s, as WEFT_SYNC=1 asks", s->kernel);
  return brings(s) ? weft__deferred_report(core, &covered) : WEFT_OK;
}
