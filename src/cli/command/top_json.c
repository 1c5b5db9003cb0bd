// SPDX-License-Identifier: MIT
/// `weft top --json`.
#include <inttypes.h>

#include "cli/command/top.h"

static void add_string(weft__text *text, const char *key, const char *value) {
  weft__text_add(text, ", \"%s\": ", key);
  if (value[0])
    weft__text_add_json(text, value);
  else
    weft__text_add(text, "null");
}

static void add_number(weft__text *text, const char *key, int64_t value) {
  if (value < 0)
    weft__text_add(text, ", \"%s\": null", key);
  else
    weft__text_add(text, ", \"%s\": %" PRId64, key, value);
}

static void add_bool(weft__text *text, const char *key, bool value) {
  weft__text_add(text, ", \"%s\": %s", key, value ? "true" : "false");
}

/// Writes the decimals itself, because a locale may have another decimal point.
static void add_watts(weft__text *text, const char *key, double value) {
  int64_t thousandths = value < 0 ? -1 : (int64_t)(value * 1000 + 0.5);
  if (thousandths < 0)
    weft__text_add(text, ", \"%s\": null", key);
  else
    weft__text_add(text, ", \"%s\": %" PRId64 ".%03" PRId64, key, thousandths / 1000, thousandths % 1000);
}

static void add_process(weft__text *text, const weft_monitor_process *p) {
  weft__text_add(text, "{\"compute\": %s", p->type & WEFT_PROCESS_COMPUTE ? "true" : "false");
  add_bool(text, "graphics", p->type & WEFT_PROCESS_GRAPHICS);
  add_bool(text, "driver", p->type & WEFT_PROCESS_DRIVER);
  add_number(text, "pid", p->pid);
  add_string(text, "name", p->name);
  add_number(text, "memory_bytes", p->memory_bytes);
  add_bool(text, "orphan", p->is_orphan);
  weft__text_add(text, "}");
}

static void add_device(weft__text *text, const weft_monitor_reading *r) {
  static const char *const modes[] = {"default", "exclusive", "prohibited"};
  weft__text_add(text, "{\"number\": %d", r->device.index);
  add_string(text, "name", r->device.name);
  add_string(text, "type", weft_device_type_name(r->device.type));
  add_string(text, "pci_bus_id", r->device.pci_bus_id);
  add_string(text, "source", r->source);
  add_string(text, "driver", r->driver_version[0] ? r->driver_version : r->device.driver_version);
  add_string(text, "opencl", r->device.opencl_version);
  add_number(text, "fan_percent", r->fan_percent);
  add_number(text, "temperature_c", r->temperature_c);
  add_number(text, "performance_state", r->performance_state);
  add_watts(text, "power_w", r->power_w);
  add_watts(text, "power_cap_w", r->power_cap_w);
  add_number(text, "memory_used_bytes", r->memory_used_bytes);
  add_number(text, "memory_total_bytes", r->memory_total_bytes);
  add_number(text, "utilisation_percent", r->utilisation_percent);
  if (r->ecc_mode < 0)
    weft__text_add(text, ", \"ecc\": null");
  else
    add_bool(text, "ecc", r->ecc_mode);
  add_number(text, "ecc_errors", r->ecc_errors);
  add_string(text, "compute_mode", r->compute_mode < 0 ? "" : modes[r->compute_mode]);
  add_number(text, "hidden_processes", r->hidden_processes);
  weft__text_add(text, ", \"processes\": ");
  if (r->process_count < 0) {
    weft__text_add(text, "null}");
    return;
  }
  weft__text_add(text, "[");
  for (int i = 0; i < r->process_count; i++) {
    if (i) weft__text_add(text, ", ");
    add_process(text, &r->processes[i]);
  }
  weft__text_add(text, "]}");
}

static void add_program(weft__text *text, const top_view *view, const weft_monitor_program *p) {
  weft__text_add(text, "{\"pid\": %" PRId64 ", \"context\": %d", p->pid, p->context);
  add_number(text, "number", top_device_of(view, p));
  add_string(text, "name", p->name);
  add_string(text, "device", p->device);
  add_string(text, "pci_bus_id", p->pci_bus_id);
  add_number(text, "active_bytes", (int64_t)p->active_bytes);
  add_number(text, "held_bytes", (int64_t)p->held_bytes);
  add_number(text, "peak_active_bytes", (int64_t)p->peak_active_bytes);
  add_number(text, "kernel_programs", (int64_t)p->kernel_programs);
  add_number(text, "kernel_bytes", (int64_t)p->kernel_bytes);
  add_number(text, "launches", (int64_t)p->launches);
  add_number(text, "started_ns", p->started_ns);
  add_number(text, "idle_ns", p->idle_ns);
  add_bool(text, "orphan", p->is_orphan);
  weft__text_add(text, ", \"sites\": [");
  for (int i = 0; i < p->site_count; i++) {
    weft__text_add(text, "%s{\"site\": ", i ? ", " : "");
    weft__text_add_json(text, p->sites[i].site);
    weft__text_add(text, ", \"storages\": %" PRIu64 ", \"size_bytes\": %" PRIu64 "}", p->sites[i].storages,
                   p->sites[i].size_bytes);
  }
  weft__text_add(text, "]}");
}

static void add_advice(weft__text *text, const top_advice *a) {
  weft__text says = {0};
  top_add_advice(&says, a);
  weft__text_add(text, "{\"pid\": %" PRId64, a->pid);
  add_string(text, "name", a->name);
  add_number(text, "memory_bytes", a->memory_bytes);
  add_number(text, "idle_ns", a->idle_ns);
  add_bool(text, "orphan", a->is_orphan);
  add_bool(text, "device_is_busy", a->device_is_busy);
  add_string(text, "text", weft__text_chars(&says));
  weft__text_add(text, "}");
  if (says.failed) text->failed = true;
  weft__text_free(&says);
}

void top_write_json(weft__text *text, const top_view *view) {
  char date[64];
  struct tm parts;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&view->time, &parts));
  weft__text_add(text, "{\"time\": \"%s\", \"weft\": \"%s\", \"devices\": [", date, weft_version());
  for (int i = 0; i < view->reading_count; i++) {
    if (i) weft__text_add(text, ", ");
    add_device(text, &view->readings[i]);
  }
  weft__text_add(text, "], \"programs\": [");
  for (int i = 0; i < view->program_count; i++) {
    if (i) weft__text_add(text, ", ");
    add_program(text, view, &view->programs[i]);
  }
  weft__text_add(text, "], \"advice\": [");
  for (int i = 0; i < view->advice_count; i++) {
    if (i) weft__text_add(text, ", ");
    add_advice(text, &view->advice[i]);
  }
  weft__text_add(text, "]}\n");
}
