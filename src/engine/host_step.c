// SPDX-License-Identifier: MIT
#include "engine/host_step.h"

#include <stdlib.h>
#include <string.h>

#include "array/strides.h"
#include "base/clock.h"
#include "mem/at_once.h"
#include "mem/recorder.h"

/// A range of a storage that the step uses: one for each storage, around all uses of it.
typedef struct span {
  weft__storage *storage;
  int64_t begin, end; /* bytes */
  bool reads, writes, restores;
  char *host; /* where the range begins: mapped, in place, or staged; NULL: not there yet */
  weft__reach reach;
  char *kept; /* its old content, for `restores` */
} span;

typedef struct step {
  const weft__host_work *work;
  weft__core *core;
  weft__pinned_blocks *pinned;
  int slot;
  bool is_shared; /* the function works in the storages' own memory */
  weft__pinned_spare staging;
  int spans;
  span span[WEFT__HOST_USES];
  int span_of[WEFT__HOST_USES]; /* by use */
  int64_t at[WEFT__HOST_USES];  /* by use, bytes in the storage */
  weft__host_found found;
} step;

static uint64_t bytes_of(const span *s) {
  return (uint64_t)(s->end - s->begin);
}

/// The use as a range of a storage.
static weft__host_use range_of(const weft__host_use *use) {
  const weft_array *x = use->array;
  weft__host_use range = *use;
  if (!x) return range;
  range.array = NULL;
  range.storage = x->storage;
  range.at_bytes = x->offset_bytes;
  weft__array_extent(&range.begin_bytes, &range.end_bytes, x);
  range.has_gaps = range.end_bytes - range.begin_bytes > weft_array_size_bytes(x);
  return range;
}

static void add_use(step *s, int k) {
  const weft__host_use use = range_of(&s->work->use[k]);
  int at = 0;
  while (at < s->spans && s->span[at].storage != use.storage) at++;
  span *p = &s->span[at];
  if (at == s->spans) {
    p->storage = use.storage; /* member by member: to zero all takes longer than a short row */
    p->begin = use.begin_bytes;
    p->end = use.end_bytes;
    p->host = p->kept = NULL;
    p->reads = p->writes = p->restores = false;
    s->spans++;
  } else {
    /* bytes between the two ranges must keep their content */
    p->reads = true;
    if (use.begin_bytes < p->begin) p->begin = use.begin_bytes;
    if (use.end_bytes > p->end) p->end = use.end_bytes;
  }
  p->reads |= use.reads || (use.writes && use.has_gaps);
  p->writes |= use.writes;
  p->restores |= use.restores;
  s->at[k] = use.at_bytes;
  s->span_of[k] = at;
}

static void begin(step *s, const weft__host_work *work) {
  s->work = work;
  s->core = &work->context->core;
  s->pinned = &work->context->pinned;
  s->slot = weft__slot_now(s->core);
  s->staging = (weft__pinned_spare){0};
  s->spans = 0;
  s->found = (weft__host_found){0};
  s->is_shared = weft__host_reaches(s->core);
  for (int k = 0; k < work->uses; k++) add_use(s, k);
}

/* ---- the host's memory ---- */

static weft_status map(step *s, span *p) {
  p->reach = (weft__reach){.storage = p->storage,
                           .offset_bytes = (uint64_t)p->begin,
                           .size_bytes = bytes_of(p),
                           .reads = p->reads || p->restores,
                           .writes = p->writes};
  WEFT__TRY_RETURN(weft__reach_open(&p->reach, s->slot));
  p->host = p->reach.host;
  return WEFT_OK;
}

/// The bytes of a range in the pinned block, so that each range begins at an aligned place.
static uint64_t staged_bytes(const span *s) {
  enum { ALIGN_BYTES = 256 };
  return weft_ceil_div(bytes_of(s), ALIGN_BYTES) * ALIGN_BYTES;
}

/// Copies the ranges to one pinned block, without waiting.
static weft_status stage(step *s) {
  uint64_t whole_bytes = 0;
  for (int k = 0; k < s->spans; k++) whole_bytes += staged_bytes(&s->span[k]);
  WEFT__TRY_RETURN(weft__pinned_spare_take(&s->staging, s->pinned, s->core, whole_bytes));
  char *at = s->staging.data;
  for (int k = 0; k < s->spans; k++) {
    span *p = &s->span[k];
    p->host = at;
    at += staged_bytes(p);
    if (p->reads)
      WEFT__TRY_RETURN(weft__transfer_read_async(p->host, p->storage, s->slot, (uint64_t)p->begin, bytes_of(p)));
  }
  return WEFT_OK;
}

static weft_status keep(span *p) {
  if (!(p->kept = weft__new(bytes_of(p)))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(p->kept, p->host, bytes_of(p));
  return WEFT_OK;
}

/// Brings the arrays to the host: the device's work on them is done when this returns.
static weft_status open_spans(step *s) {
  for (int k = 0; k < s->spans; k++)
    WEFT__TRY_RETURN(weft__storage_order(s->span[k].storage, s->slot, s->span[k].writes));
  if (s->is_shared) {
    /* this wait may sleep, which the driver's map does not */
    WEFT__TRY_RETURN(weft__slot_wait(s->core, s->slot));
    for (int k = 0; k < s->spans; k++) WEFT__TRY_RETURN(map(s, &s->span[k]));
    for (int k = 0; k < s->spans; k++)
      if (s->span[k].restores) WEFT__TRY_RETURN(keep(&s->span[k]));
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(stage(s));
  return weft__slot_wait(s->core, s->slot);
}

/// Gives the memory back. `is_done`: the function succeeded, and what it wrote counts.
static weft_status close_spans(step *s, bool is_done) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < s->spans; k++) {
    span *p = &s->span[k];
    if (!p->host) continue;
    weft_status one = WEFT_OK;
    if (s->is_shared) {
      if (p->kept && !is_done) memcpy(p->host, p->kept, bytes_of(p));
      one = weft__reach_close(&p->reach, s->slot);
    } else if (is_done && p->writes && rc == WEFT_OK) {
      one = weft__transfer_write_async(p->storage, s->slot, (uint64_t)p->begin, bytes_of(p), p->host);
    }
    if (rc == WEFT_OK) rc = one;
    free(p->kept);
  }
  /* copies use the staging block, also after a failure */
  if (s->staging.mem) {
    weft_status waited = weft__slot_wait(s->core, s->slot);
    if (rc == WEFT_OK) rc = waited;
  }
  weft__pinned_spare_give(&s->staging, s->pinned);
  return rc;
}

/* ---- the function ---- */

static void record(const step *s, uint64_t start_ns, uint64_t end_ns) {
  const weft__host_work *w = s->work;
  weft__profiled profiled = {.kind = WEFT_PROFILE_HOST,
                             .name = w->what,
                             .kernel = weft__engine_library(w->function->library),
                             .site = w->site};
  for (int k = 0; k < s->spans; k++)
    profiled.bytes += bytes_of(&s->span[k]) * (unsigned)(s->span[k].reads + s->span[k].writes);
  if (weft__profiling(&s->core->profile))
    weft__profile_add_host(&s->core->profile, &profiled, s->slot, start_ns, end_ns);
  if (weft__tracing())
    weft__trace_step(WEFT__STEP_LAUNCH, end_ns - start_ns, 0, "%s ran on %s (%s)", w->what,
                     weft__engine_name(w->function->library), profiled.kernel);
}

static int call(step *s) {
  void *data[WEFT__HOST_USES + 1];
  for (int k = 0; k < s->work->uses; k++) {
    const span *p = &s->span[s->span_of[k]];
    data[k] = p->host + (s->at[k] - p->begin);
  }
  data[s->work->uses] = s->work->answer ? s->work->answer : &s->found;
  const bool is_recorded = weft__profiling(&s->core->profile) || weft__tracing();
  const uint64_t start_ns = is_recorded ? weft__now_ns() : 0;
  const int code = s->work->function->run(data, s->work->task);
  const bool is_answer = code == WEFT__HOST_REFUSED && s->work->function->library == WEFT__LIBRARY_NONE;
  if (code && !is_answer)
    weft__engine_failed(s->work->function->library, s->work->what, code);
  else if (is_recorded && !code)
    record(s, start_ns, weft__now_ns());
  return code;
}

/// Runs the function in the storages' memory without commands, where that is known and nothing looks on.
static weft_status run_at_once(bool *is_done, int *code, step *s) {
  weft__use use[WEFT__HOST_USES]; /* not zeroed: it is large */
  use[0] = (weft__use){NULL, false};
  char *place[WEFT__HOST_USES];
  *is_done = false;
  for (int k = 0; k < s->spans; k++) {
    if (s->span[k].restores) return WEFT_OK;
    use[k] = (weft__use){s->span[k].storage, s->span[k].writes};
  }
  WEFT__TRY_RETURN(weft__at_once_waiting(is_done, place, s->core, s->spans, use));
  if (!*is_done) return WEFT_OK;
  for (int k = 0; k < s->spans; k++) s->span[k].host = place[k] + s->span[k].begin;
  *code = call(s);
  return WEFT_OK;
}

static weft_status run(int *code, step *s) {
  weft_status rc = WEFT_OK;
  bool is_done;
  WEFT__TRY_RETURN(run_at_once(&is_done, code, s));
  if (is_done) return WEFT_OK;
  WEFT__TRY(open_spans(s));
  *code = call(s);
  is_done = *code == 0;
done:;
  const weft_status closed = close_spans(s, is_done);
  return rc ? rc : closed;
}

/// Keeps what the function found out of range until the next wait.
static weft_status report(const step *s) {
  weft__deferred_check check = *s->work->check;
  check.axis = s->found.axis;
  check.length = s->found.length;
  check.is_unsigned = s->found.is_unsigned;
  return weft__deferred_found(s->core, &check, s->slot, s->found.position, s->found.index);
}

weft_status weft__host_failed(int code, const weft__host_work *work) {
  const weft__host_function *f = work->function;
  if (f->explain) return f->explain(code, work->task, work->what);
  if (code == WEFT__HOST_NO_MEMORY)
    return weft__fail(WEFT_ERROR_HOST_MEMORY, NULL, "no memory for the workspace of %s", work->what);
  return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "%s failed in %s (%d)", weft__engine_library(f->library), work->what,
                    code);
}

weft_status weft__host_note(const weft__host_work *work) {
  weft__recorder *recorder = weft__recorder_of(&work->context->core);
  weft__host_use range[WEFT__HOST_USES];
  weft__host_work noted = *work;
  if (!recorder) return WEFT_OK;
  for (int k = 0; k < work->uses; k++) range[k] = range_of(&work->use[k]);
  noted.use = range;
  return recorder->note_host(recorder, &noted);
}

weft_status weft__host_step(int *code, const weft__host_work *work) {
  step s;
  *code = 0;
  if (work->answer) WEFT__TRY_RETURN(weft__recorder_refuse(&work->context->core, "the host reads arrays"));
  begin(&s, work);
  /* the copies of staged ranges are part of the step */
  weft__recorder *recorder = weft__recorder_of(s.core), *paused = recorder ? weft__recorder_pause() : NULL;
  weft_status rc = run(code, &s);
  if (recorder) weft__recorder_now = paused;
  if (recorder && rc) recorder->spoil(recorder, "a step of the host failed");
  if (recorder && rc == WEFT_OK && *code == 0) rc = weft__host_note(work);
  if (rc == WEFT_OK && s.found.is_found && work->check) rc = report(&s);
  if (rc == WEFT_OK) return WEFT_OK;
  return weft__while(rc, "running %s on %s", work->what, weft__engine_library(work->function->library));
}

weft_status weft__host_run(weft_context *context, const weft__host_function *function, const void *task, int uses,
                           const weft__host_use *use, const char *what, const char *site) {
  const weft__host_work work = {
      .context = context, .uses = uses, .use = use, .function = function, .task = task, .what = what, .site = site};
  int code;
  WEFT__TRY_RETURN(weft__host_step(&code, &work));
  return code ? weft__host_failed(code, &work) : WEFT_OK;
}
