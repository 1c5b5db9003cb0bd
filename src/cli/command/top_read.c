// SPDX-License-Identifier: MIT
/// Reads the data of `weft top`, and finds processes that seem to have finished their work.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/top.h"

/// After this long without work a program seems finished; sooner if its parent is gone.
#define IDLE_NS INT64_C(60000000000)
#define ORPHAN_IDLE_NS INT64_C(10000000000)

/* ---- devices and programs ---- */

int top_device_of(const top_view *view, const weft_monitor_program *program) {
  for (int i = 0; i < view->reading_count; i++) {
    const weft_device_info *device = &view->readings[i].device;
    bool by_bus = device->pci_bus_id[0] && program->pci_bus_id[0];
    if (strcmp(device->name, program->device) != 0) continue;
    if (by_bus ? strcmp(device->pci_bus_id, program->pci_bus_id) == 0 &&
                     (view->readings[i].device.type == WEFT_DEVICE_TYPE_GPU || device->index == program->device_index)
               : device->index == program->device_index)
      return device->index;
  }
  return -1;
}

static const weft_monitor_reading *reading_of(const top_view *view, int index) {
  for (int i = 0; i < view->reading_count; i++)
    if (view->readings[i].device.index == index) return &view->readings[i];
  return NULL;
}

/// Removes this process, which only reads.
static void drop_self(weft_monitor_reading *reading) {
  int kept = 0;
  for (int i = 0; i < reading->process_count; i++)
    if (reading->processes[i].pid != getpid()) reading->processes[kept++] = reading->processes[i];
  if (reading->process_count > 0) reading->process_count = kept;
}

/* ---- processes that seem finished ---- */

static const weft_monitor_process *find_process(const weft_monitor_reading *reading, int64_t pid) {
  for (int i = 0; reading && i < reading->process_count; i++)
    if (reading->processes[i].pid == pid) return &reading->processes[i];
  return NULL;
}

/// A program's contexts are adjacent: `from` to `to`, exclusive. It is as idle as its context used last.
static void judge_program(top_view *view, int from, int to) {
  const weft_monitor_program *p = &view->programs[from];
  top_advice advice = {.pid = p->pid, .name = p->name, .idle_ns = p->idle_ns, .is_orphan = p->is_orphan};
  for (int i = from; i < to; i++, p++) {
    const weft_monitor_reading *reading = reading_of(view, top_device_of(view, p));
    const weft_monitor_process *process = find_process(reading, p->pid);
    bool counted = reading && strcmp(reading->source, "NVML") == 0;
    int64_t managed = (int64_t)(p->active_bytes + p->held_bytes);
    /* the driver's count includes its own memory, which is freed with the process too */
    advice.memory_bytes += counted && process && process->memory_bytes > managed ? process->memory_bytes : managed;
    if (p->idle_ns < advice.idle_ns) advice.idle_ns = p->idle_ns;
    if (counted && reading->utilisation_percent > 0) advice.device_is_busy = true;
  }
  if (advice.memory_bytes == 0 || advice.idle_ns < (advice.is_orphan ? ORPHAN_IDLE_NS : IDLE_NS)) return;
  view->advice[view->advice_count++] = advice;
}

static bool is_program(const top_view *view, int64_t pid) {
  for (int i = 0; i < view->program_count; i++)
    if (view->programs[i].pid == pid) return true;
  return false;
}

static void judge(top_view *view) {
  for (int from = 0, to; from < view->program_count; from = to) {
    for (to = from + 1; to < view->program_count && view->programs[to].pid == view->programs[from].pid;) to++;
    judge_program(view, from, to);
  }
  for (int i = 0; i < view->reading_count; i++) {
    const weft_monitor_reading *r = &view->readings[i];
    for (int j = 0; j < r->process_count; j++) {
      const weft_monitor_process *p = &r->processes[j];
      /* on a CPU device every program that has loaded a driver is listed, so its memory does not mean leftover work */
      if (!(p->type & WEFT_PROCESS_COMPUTE) || p->pid < 0 || !p->is_orphan || p->memory_bytes == 0 ||
          is_program(view, p->pid))
        continue;
      view->advice[view->advice_count++] = (top_advice){.pid = p->pid,
                                                        .name = p->name,
                                                        .memory_bytes = p->memory_bytes,
                                                        .idle_ns = -1,
                                                        .is_orphan = true,
                                                        .device_is_busy = r->utilisation_percent > 0};
    }
  }
}

static void add_time(weft__text *text, int64_t time_ns) {
  int64_t seconds = time_ns / 1000000000;
  if (seconds < 120)
    weft__text_add(text, "%" PRId64 " s", seconds);
  else if (seconds < 7200)
    weft__text_add(text, "%" PRId64 " min", seconds / 60);
  else
    weft__text_add(text, "%" PRId64 " h", seconds / 3600);
}

void top_add_advice(weft__text *text, const top_advice *a) {
  char shown[WEFT__SHOWN_BYTES];
  weft__text_add(text, "process %" PRId64 " (%s) holds ", a->pid,
                 a->name[0] ? weft__text_shown(shown, a->name) : "unknown");
  if (a->memory_bytes >= 0)
    weft__text_add_size(text, (uint64_t)a->memory_bytes);
  else
    weft__text_add(text, "memory");
  if (a->idle_ns >= 0) {
    weft__text_add(text, a->device_is_busy ? " and has enqueued nothing for " : " and has done nothing for ");
    add_time(text, a->idle_ns);
  }
  if (a->is_orphan) weft__text_add(text, " and the process that started it has ended");
  if (a->device_is_busy)
    weft__text_add(text, "; the device is busy, perhaps with its work: if not, `kill %" PRId64 "` ends it", a->pid);
  else if (a->idle_ns < 0)
    weft__text_add(text, ": if its task is done, `kill %" PRId64 "` ends it", a->pid);
  else
    weft__text_add(text, ": `kill %" PRId64 "` ends it", a->pid);
}

/* ---- reading ---- */

weft_status top_read(top_view *view, int first, int last) {
  size_t most = 0;
  *view = (top_view){.time = time(NULL)};
  weft_status rc = weft_monitor_get_programs(&view->programs, &view->program_count);
  if (rc) goto fail;
  view->readings = calloc((size_t)last - (size_t)first + 1, sizeof *view->readings);
  if (!view->readings) goto no_memory;
  for (int i = first; i <= last; i++) {
    weft_monitor_reading *reading = &view->readings[view->reading_count];
    if ((rc = weft_monitor_get(reading, i))) goto fail;
    view->reading_count++;
    drop_self(reading);
    if (reading->process_count > 0) most += (size_t)reading->process_count;
  }
  view->advice = calloc(most + (size_t)view->program_count + 1, sizeof *view->advice);
  if (!view->advice) goto no_memory;
  judge(view);
  return WEFT_OK;
no_memory:
  rc = WEFT_ERROR_HOST_MEMORY;
fail:
  top_free(view);
  return rc;
}

void top_free(top_view *view) {
  for (int i = 0; i < view->reading_count; i++) weft_monitor_free(&view->readings[i]);
  free(view->readings);
  weft_free(view->programs);
  free(view->advice);
  *view = (top_view){0};
}
