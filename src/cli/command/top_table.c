// SPDX-License-Identifier: MIT
/// `weft top` for people: boxes like nvidia-smi's.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command/top.h"

enum { MIDDLE = 22, RIGHT = 22, ROOM = 32, LINE = 512 };

/// The output text and the widths of this table.
typedef struct paper {
  weft__text *text;
  int inner; /* width between the borders */
  int left;  /* width of the first of the three cells */
} paper;

/* ---- lines ---- */

/// Adds exactly `width` characters of UTF-8: cut, or filled with blanks. Names of programs are what these chose.
static void add_cell(weft__text *text, const char *name, int width) {
  weft__text cell = {0};
  weft__text_add(&cell, "%s", name);
  weft__text_clean(&cell, false);
  const char *string = weft__text_chars(&cell);
  int count = 0;
  size_t end = 0;
  while (string[end]) {
    bool begins = ((unsigned char)string[end] & 0xC0) != 0x80;
    if (begins && count == width) break;
    count += begins;
    end++;
  }
  weft__text_add_bytes(text, string, end);
  weft__text_fill(text, ' ', (size_t)(width - count));
  weft__text_free(&cell);
}

static void add_line(const paper *p, const char *string) {
  weft__text_add(p->text, "|");
  add_cell(p->text, string, p->inner);
  weft__text_add(p->text, "|\n");
}

/// Adds a line with a text at its right end.
static void add_line_with(const paper *p, const char *left, const char *right) {
  weft__text_add(p->text, "|");
  add_cell(p->text, left, p->inner - (int)strlen(right));
  weft__text_add(p->text, "%s|\n", right);
}

static void add_cells(const paper *p, const char *left, const char *middle, const char *right) {
  weft__text_add(p->text, "|");
  add_cell(p->text, left, p->left);
  weft__text_add(p->text, "|");
  add_cell(p->text, middle, MIDDLE);
  weft__text_add(p->text, "|");
  add_cell(p->text, right, RIGHT);
  weft__text_add(p->text, "|\n");
}

/// Adds a line of `stroke` with `edge` at its ends and, if `cells`, with `joint` where the three cells meet.
static void add_rule(const paper *p, char edge, char stroke, char joint, bool cells) {
  weft__text_fill(p->text, edge, 1);
  weft__text_fill(p->text, stroke, (size_t)p->left);
  weft__text_fill(p->text, cells ? joint : stroke, 1);
  weft__text_fill(p->text, stroke, MIDDLE);
  weft__text_fill(p->text, cells ? joint : stroke, 1);
  weft__text_fill(p->text, stroke, RIGHT);
  weft__text_fill(p->text, edge, 1);
  weft__text_add(p->text, "\n");
}

/* ---- values ---- */

/// A number with its unit; "N/A" if it is unknown.
static const char *figure(char room[ROOM], int64_t value, const char *before, const char *unit) {
  if (value < 0)
    snprintf(room, ROOM, "N/A");
  else
    snprintf(room, ROOM, "%s%" PRId64 "%s", before, value, unit);
  return room;
}

static const char *mebibytes(char room[ROOM], int64_t size_bytes) {
  return figure(room, size_bytes < 0 ? -1 : size_bytes >> 20, "", "MiB");
}

static const char *ecc_of(char room[ROOM], const weft_monitor_reading *r) {
  if (r->ecc_mode == 0) return "Off";
  if (r->ecc_mode == 1 && r->ecc_errors < 0) return "On";
  return figure(room, r->ecc_mode == 1 ? r->ecc_errors : -1, "", "");
}

static const char *compute_mode_of(const weft_monitor_reading *r) {
  static const char *const names[] = {"Default", "E. Process", "Prohibited"};
  return r->compute_mode < 0 ? "N/A" : names[r->compute_mode];
}

static const char *type_of(unsigned type) {
  static const char *const names[] = {"", "C", "G", "C+G"};
  return type & WEFT_PROCESS_DRIVER ? "D" : names[type & 3];
}

static const char *driver_of(const weft_monitor_reading *r) {
  return r->driver_version[0] ? r->driver_version : r->device.driver_version;
}

/* ---- devices ---- */

static void add_heading(const paper *p, const weft_monitor_reading *r) {
  static const char prefix[] = "OpenCL ";
  const char *version = r->device.opencl_version;
  char line[LINE];
  if (strncmp(version, prefix, strlen(prefix)) == 0) version += strlen(prefix);
  snprintf(line, sizeof line, " weft %-16s Driver Version: %-14s OpenCL Version: %.*s", weft_version(), driver_of(r),
           (int)strcspn(version, " "), version);
  add_rule(p, '+', '-', '-', false);
  add_line(p, line);
  add_rule(p, '|', '-', '+', true);
  add_cells(p, "  NR  Name", " Bus-Id", " Volatile Uncorr. ECC");
  add_cells(p, " Fan  Temp  Perf  Pwr:Usage/Cap", "         Memory-Usage", "     Util  Compute M.");
  add_rule(p, '|', '=', '+', true);
}

static void add_device(const paper *p, const weft_monitor_reading *r) {
  char left[LINE], middle[LINE], right[LINE], a[ROOM], b[ROOM], c[ROOM], d[ROOM], e[ROOM];
  snprintf(left, sizeof left, " %3d  %s", r->device.index, r->device.name);
  snprintf(middle, sizeof middle, " %s", r->device.pci_bus_id[0] ? r->device.pci_bus_id : "N/A");
  snprintf(right, sizeof right, "%21s", ecc_of(a, r));
  add_cells(p, left, middle, right);
  snprintf(left, sizeof left, " %-4s %4s  %4s %6s /%5s", figure(a, r->fan_percent, "", "%"),
           figure(b, r->temperature_c, "", "C"), figure(c, r->performance_state, "P", ""),
           figure(d, r->power_w < 0 ? -1 : (int64_t)(r->power_w + 0.5), "", "W"),
           figure(e, r->power_cap_w < 0 ? -1 : (int64_t)(r->power_cap_w + 0.5), "", "W"));
  snprintf(middle, sizeof middle, "%9s / %9s", mebibytes(a, r->memory_used_bytes), mebibytes(b, r->memory_total_bytes));
  snprintf(right, sizeof right, "%8s%13s", figure(a, r->utilisation_percent, "", "%"), compute_mode_of(r));
  add_cells(p, left, middle, right);
  add_rule(p, '+', '-', '+', true);
}

static void add_devices(const paper *p, const top_view *view) {
  for (int i = 0; i < view->reading_count; i++) {
    const weft_monitor_reading *r = &view->readings[i], *before = i ? r - 1 : NULL;
    if (!before || strcmp(driver_of(before), driver_of(r)) != 0 ||
        strcmp(before->device.opencl_version, r->device.opencl_version) != 0) {
      if (before) weft__text_add(p->text, "\n");
      add_heading(p, r);
    }
    add_device(p, r);
  }
}

/* ---- processes ---- */

static void add_process(const paper *p, int device, const weft_monitor_process *process) {
  char line[LINE], pid[ROOM], memory[ROOM], end[LINE];
  if (process->pid < 0)
    snprintf(pid, sizeof pid, "unknown");
  else
    snprintf(pid, sizeof pid, "%" PRId64, process->pid);
  snprintf(line, sizeof line, " %3d %10s %6s   %s", device, pid, type_of(process->type),
           process->name[0] ? process->name : "unknown");
  snprintf(end, sizeof end, " %10s ", process->memory_bytes < 0 ? "unknown" : mebibytes(memory, process->memory_bytes));
  add_line_with(p, line, end);
}

static void add_processes(const paper *p, const top_view *view) {
  bool any = false, driver = false;
  char line[LINE];
  weft__text_add(p->text, "\n");
  add_rule(p, '+', '-', '-', false);
  add_line(p, " Processes:");
  add_line_with(p, "  NR        PID   Type   Process name", "     Memory ");
  add_rule(p, '|', '=', '=', false);
  for (int i = 0; i < view->reading_count; i++) {
    const weft_monitor_reading *r = &view->readings[i];
    for (int j = 0; j < r->process_count; j++) {
      any = true;
      driver = driver || (r->processes[j].type & WEFT_PROCESS_DRIVER);
      add_process(p, r->device.index, &r->processes[j]);
    }
    line[0] = 0;
    if (r->process_count < 0)
      snprintf(line, sizeof line, " %3d    unknown: the system does not report which processes use this device",
               r->device.index);
    else if (r->hidden_processes > 0)
      snprintf(line, sizeof line, " %3d    unknown: the system hides what %d other process%s", r->device.index,
               r->hidden_processes, r->hidden_processes == 1 ? " uses" : "es use");
    any = any || line[0];
    if (line[0]) add_line(p, line);
  }
  if (!any) add_line(p, "  No running processes found");
  if (driver) add_line(p, "  D: has the device's OpenCL driver loaded; its memory is its total");
  add_rule(p, '+', '-', '-', false);
}

/* ---- Weft programs ---- */

static void add_program(const paper *p, const top_view *view, const weft_monitor_program *program) {
  char line[LINE], end[LINE], number[ROOM], a[ROOM], b[ROOM], c[ROOM];
  int device = top_device_of(view, program);
  if (device < 0)
    snprintf(number, sizeof number, "?");
  else
    snprintf(number, sizeof number, "%d", device);
  snprintf(line, sizeof line, " %3s %10" PRId64 "   %s", number, program->pid,
           program->name[0] ? program->name : "unknown");
  snprintf(end, sizeof end, " %10s %10s %10s %9" PRIu64 " ", mebibytes(a, (int64_t)program->active_bytes),
           mebibytes(b, (int64_t)program->held_bytes), mebibytes(c, (int64_t)program->peak_active_bytes),
           program->launches);
  add_line_with(p, line, end);
  for (int i = 0; i < program->site_count; i++) {
    const weft_monitor_site *site = &program->sites[i];
    weft__text size = {0};
    weft__text_add_size(&size, site->size_bytes);
    snprintf(end, sizeof end, " %s in %" PRIu64 " storage%s ", weft__text_chars(&size), site->storages,
             site->storages == 1 ? "" : "s");
    weft__text_free(&size);
    /* the end of a long path is more specific than its beginning */
    const char *place = site->site;
    int room = p->inner - 18 - (int)strlen(end), length = (int)strlen(place);
    bool cut = length > room;
    while (cut && (length > room - 3 || ((unsigned char)*place & 0xC0) == 0x80)) place++, length--;
    snprintf(line, sizeof line, "%18s%s%s", "", cut ? "..." : "", place);
    add_line_with(p, line, end);
  }
  if (program->kernel_programs == 0) return;
  weft__text size = {0};
  weft__text_add_size(&size, program->kernel_bytes);
  snprintf(end, sizeof end, " %s in %" PRIu64 " program%s ", weft__text_chars(&size), program->kernel_programs,
           program->kernel_programs == 1 ? "" : "s");
  weft__text_free(&size);
  snprintf(line, sizeof line, "%18skernels' texts, on the host", "");
  add_line_with(p, line, end);
}

static void add_programs(const paper *p, const top_view *view) {
  weft__text_add(p->text, "\n");
  add_rule(p, '+', '-', '-', false);
  add_line(p, " Weft programs:");
  add_line_with(p, "  NR        PID   Name", "       Live       Held       Peak  Launches ");
  add_rule(p, '|', '=', '=', false);
  for (int i = 0; i < view->program_count; i++) add_program(p, view, &view->programs[i]);
  if (view->program_count == 0) add_line(p, "  None found; those that run with WEFT_TOP=1 are shown here");
  add_rule(p, '+', '-', '-', false);
}

void top_write_table(weft__text *text, const top_view *view, int width) {
  char date[64];
  struct tm parts;
  if (width < TOP_WIDTH) width = TOP_WIDTH;
  const paper p = {.text = text, .inner = width - 2, .left = width - MIDDLE - RIGHT - 4};
  strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime_r(&view->time, &parts));
  weft__text_add(text, "%s\n", date);
  add_devices(&p, view);
  add_processes(&p, view);
  add_programs(&p, view);
  for (int i = 0; i < view->advice_count; i++) {
    if (i == 0) weft__text_add(text, "\n");
    top_add_advice(text, &view->advice[i]);
    weft__text_add(text, "\n");
  }
}
