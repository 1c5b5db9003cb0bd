// SPDX-License-Identifier: MIT
/// The profile as a table or JSON.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile_read.h"
#include "report/report.h"

/// Bytes per nanosecond (= GB/s); 0 if bytes or time are unknown.
static double rate_of(const weft_profile_row *row) {
  return row->device_ns ? (double)row->bytes / (double)row->device_ns : 0;
}

static bool crosses(weft_profile_kind kind) {
  return kind == WEFT_PROFILE_COPY_IN || kind == WEFT_PROFILE_COPY_BACK;
}

/* ---- the table ---- */

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int by_time(const void *a, const void *b) {
  const weft_profile_row *x = *(const weft_profile_row *const *)a, *y = *(const weft_profile_row *const *)b;
  if (x->device_ns != y->device_ns) return x->device_ns > y->device_ns ? -1 : 1;
  if (x->host_ns != y->host_ns) return x->host_ns > y->host_ns ? -1 : 1;
  return 0;
}

typedef struct table {
  weft__text *text;
  const weft__profile_copy *copy;
  const weft_profile_row **row; /* the rows of one section */
  size_t rows;
  size_t name_width, site_width;
} table;

/// Appends "sort", with the kernel if it has another name and the way if there is one: "sort (sort_tiles, sort:tiles)".
static size_t add_name(weft__text *text, const weft_profile_row *row) {
  const bool both = row->kernel[0] && strcmp(row->kernel, row->name) != 0;
  size_t before = text->length;
  weft__text_add(text, "%s", row->name);
  if (both || row->way[0])
    weft__text_add(text, " (%s%s%s)", both ? row->kernel : "", both && row->way[0] ? ", " : "", row->way);
  return text->length - before;
}

static size_t name_length(const weft_profile_row *row) {
  weft__text name = {0};
  const size_t length = add_name(&name, row);
  weft__text_free(&name);
  return length;
}

/// Selects the rows for which `belongs` is true, sorted, and sets the widths.
static void choose(table *t, bool (*belongs)(weft_profile_kind), const char *first, const char *second) {
  t->rows = 0;
  t->name_width = strlen(first);
  t->site_width = strlen(second);
  for (uint32_t i = 0; i < t->copy->rows; i++) {
    const weft_profile_row *row = &t->copy->row[i];
    if (!belongs(row->kind) || row->calls == 0) continue;
    t->row[t->rows++] = row;
    if (name_length(row) > t->name_width) t->name_width = name_length(row);
    if (strlen(row->site) > t->site_width) t->site_width = strlen(row->site);
  }
  if (t->rows) qsort(t->row, t->rows, sizeof *t->row, by_time);
}

static void add_columns(const table *t, const weft_profile_row *row) {
  size_t length = add_name(t->text, row);
  weft__text_fill(t->text, ' ', t->name_width - length);
  weft__text_add(t->text, "  %-*s  %8" PRIu64, (int)t->site_width, row->site[0] ? row->site : "-", row->calls);
}

/// Appends a rate: "<20.6" if possibly not all of the bytes were used.
static void add_rate(weft__text *text, const weft_profile_row *row, double rate, int decimals, const char *unit,
                     int width) {
  char number[64] = "-";
  if (rate > 0) snprintf(number, sizeof number, "%s%.*f%s", row->bytes_are_most ? "<" : "", decimals, rate, unit);
  weft__text_add(text, "  %*s", width, number);
}

static void add_commands(table *t) {
  double copy_rate = (double)t->copy->totals.copy_bytes_per_second / 1e9;
  uint64_t all_ns = 0;
  choose(t, weft__profile_is_command, "on the device", "asked for at");
  if (t->rows == 0) {
    weft__text_add(t->text, "nothing ran on the device\n");
    return;
  }
  bool any_most = false;
  for (size_t i = 0; i < t->rows; i++) {
    all_ns += t->row[i]->device_ns;
    any_most |= t->row[i]->bytes_are_most;
  }
  weft__text_add(t->text, "\n%-*s  %-*s  %8s  %10s  %6s  %10s  %8s  %7s  %9s\n", (int)t->name_width, "on the device",
                 (int)t->site_width, "asked for at", "times", "total ms", "share", "mean us", "GB/s", "of copy",
                 "host us");
  for (size_t i = 0; i < t->rows; i++) {
    const weft_profile_row *row = t->row[i];
    uint64_t timed = row->calls - row->unread;
    double rate = rate_of(row);
    add_columns(t, row);
    weft__text_add(t->text, "  %10.3f  %5.1f%%  %10.2f", (double)row->device_ns * 1e-6, percent(row->device_ns, all_ns),
                   timed ? (double)row->device_ns * 1e-3 / (double)timed : 0);
    add_rate(t->text, row, rate, rate < 10 ? 2 : 1, "", 8);
    /* a copy over the bus is not compared with the device's memory */
    add_rate(t->text, row, copy_rate > 0 && !crosses(row->kind) ? 100 * rate / copy_rate : 0, 0, "%", 7);
    weft__text_add(t->text, "  %9.2f\n", (double)row->host_ns * 1e-3 / (double)row->calls);
  }
  if (any_most) weft__text_add(t->text, "<: at most; as if all bytes of the buffers were used\n");
}

static bool is_call(weft_profile_kind kind) {
  return kind == WEFT_PROFILE_CALL;
}

static void add_calls(table *t) {
  choose(t, is_call, "calls of Weft", "from");
  if (t->rows == 0) return;
  weft__text_add(t->text, "\n%-*s  %-*s  %8s  %10s  %10s\n", (int)t->name_width, "calls of Weft", (int)t->site_width,
                 "from", "times", "total ms", "mean us");
  for (size_t i = 0; i < t->rows; i++) {
    add_columns(t, t->row[i]);
    weft__text_add(t->text, "  %10.3f  %10.2f\n", (double)t->row[i]->host_ns * 1e-6,
                   (double)t->row[i]->host_ns * 1e-3 / (double)t->row[i]->calls);
  }
}

static int depth_of(const weft__profile_copy *copy, const weft_profile_row *row) {
  int depth = 0;
  for (; row->parent >= 0; row = &copy->row[row->parent]) depth++;
  return depth;
}

/// Appends the ranges inside `parent`, each followed by the ranges inside it.
static void add_ranges_of(const table *t, int64_t parent, int depth) {
  for (uint32_t i = 0; i < t->copy->rows; i++) {
    const weft_profile_row *row = &t->copy->row[i];
    if (row->kind != WEFT_PROFILE_RANGE || row->parent != parent) continue;
    weft__text_fill(t->text, ' ', 2 * (size_t)depth);
    weft__text_add(t->text, "%-*s  %8" PRIu64 "  %10.3f  %10.3f  %10.3f  %8.1f\n", (int)t->name_width - 2 * depth,
                   row->name, row->calls, (double)row->host_ns * 1e-6, (double)row->device_ns * 1e-6,
                   (double)row->transfer_ns * 1e-6, (double)row->bytes * 1e-6);
    add_ranges_of(t, (int64_t)i, depth + 1);
  }
}

static void add_ranges(table *t) {
  bool any = false;
  t->name_width = strlen("range");
  for (uint32_t i = 0; i < t->copy->rows; i++) {
    const weft_profile_row *row = &t->copy->row[i];
    if (row->kind != WEFT_PROFILE_RANGE) continue;
    size_t width = strlen(row->name) + 2 * (size_t)depth_of(t->copy, row);
    if (width > t->name_width) t->name_width = width;
    any = true;
  }
  if (!any) return;
  weft__text_add(t->text, "\n%-*s  %8s  %10s  %10s  %10s  %8s\n", (int)t->name_width, "range", "times", "host ms",
                 "device ms", "copies ms", "MB");
  add_ranges_of(t, -1, 0);
}

static void add_table(weft__text *text, const weft__profile_copy *copy, const char *device) {
  const weft_profile_totals *s = &copy->totals;
  table t = {.text = text, .copy = copy, .row = weft__new((copy->rows + 1) * sizeof *t.row)};
  if (!t.row) {
    text->failed = true;
    return;
  }
  weft__text_add(text, "profile of %s\n", device);
  weft__text_add(text, "collected %.3f ms; the device worked for %.3f ms of it (%.0f%%), calls of Weft took %.3f ms\n",
                 (double)s->collected_ns * 1e-6, (double)s->device_busy_ns * 1e-6,
                 percent(s->device_busy_ns, s->collected_ns), (double)s->call_ns * 1e-6);
  weft__text_add(text, "kernels took %.3f ms; copied to the device ", (double)s->kernel_ns * 1e-6);
  weft__text_add_size(text, s->to_device_bytes);
  weft__text_add(text, " in %.3f ms, to the host ", (double)s->to_device_ns * 1e-6);
  weft__text_add_size(text, s->to_host_bytes);
  weft__text_add(text, " in %.3f ms", (double)s->to_host_ns * 1e-6);
  if (s->copy_bytes_per_second)
    weft__text_add(text, "; a plain copy on the device reaches %.1f GB/s\n", (double)s->copy_bytes_per_second * 1e-9);
  else
    weft__text_add(text, "; the rate of a plain copy on the device could not be measured\n");
  if (s->unread)
    weft__text_add(text, "the times of %" PRIu64 " command%s could not be read; they are counted without a time\n",
                   s->unread, s->unread == 1 ? "" : "s");
  if (s->events_dropped)
    weft__text_add(text,
                   "%" PRIu64 " events were dropped, over the limit: the device's work and the trace file lack them\n",
                   s->events_dropped);
  add_commands(&t);
  add_ranges(&t);
  add_calls(&t);
  free(t.row);
}

/* ---- JSON ---- */

static void add_json(weft__text *text, const weft__profile_copy *copy, const char *device) {
  const weft_profile_totals *s = &copy->totals;
  weft__text_add(text, "{\"device\": ");
  weft__text_add_json(text, device);
#define FIGURE(of, name) weft__text_add(text, ", \"" #name "\": %" PRIu64, (of)->name)
  FIGURE(s, collected_ns);
  FIGURE(s, device_busy_ns);
  FIGURE(s, call_ns);
  FIGURE(s, to_device_bytes);
  FIGURE(s, to_host_bytes);
  FIGURE(s, kernel_ns);
  FIGURE(s, to_device_ns);
  FIGURE(s, to_host_ns);
  FIGURE(s, copy_bytes_per_second);
  FIGURE(s, events_kept);
  FIGURE(s, events_dropped);
  FIGURE(s, unread);
  weft__text_add(text, ", \"rows\": [");
  for (uint32_t i = 0; i < copy->rows; i++) {
    const weft_profile_row *row = &copy->row[i];
    weft__text_add(text, "%s\n{\"kind\": \"%s\", \"name\": ", i ? "," : "", weft__profile_kind_name(row->kind));
    weft__text_add_json(text, row->name);
    weft__text_add(text, ", \"kernel\": ");
    weft__text_add_json(text, row->kernel);
    weft__text_add(text, ", \"way\": ");
    weft__text_add_json(text, row->way);
    weft__text_add(text, ", \"site\": ");
    weft__text_add_json(text, row->site);
    weft__text_add(text, ", \"parent\": %" PRId64, row->parent);
    FIGURE(row, calls);
    FIGURE(row, unread);
    FIGURE(row, device_ns);
    FIGURE(row, transfer_ns);
    FIGURE(row, min_device_ns);
    FIGURE(row, max_device_ns);
    FIGURE(row, bytes);
    weft__text_add(text, ", \"bytes_are_most\": %s", row->bytes_are_most ? "true" : "false");
    FIGURE(row, host_ns);
    weft__text_add(text, "}");
  }
#undef FIGURE
  weft__text_add(text, "]}\n");
}

weft_status weft__profile_report_at(char **text, weft_context *context, const weft_report_params *params) {
  weft__profile_copy copy = {0};
  weft__text out = {0};
  weft_status rc;
  const weft_report_params p = WEFT__PARAMS(params);
  weft__enter("weft_profile_report", p.site);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(weft__handle_check(context, WEFT__MAGIC_CONTEXT, "context"));
  WEFT__TRY(weft__report_format_check(p.format));
  WEFT__TRY(weft__profile_gather(&copy, context, true));
  (p.format == WEFT_REPORT_JSON ? add_json : add_table)(&out, &copy, context->core.device->info.name);
  if (!(*text = weft__text_take(&out))) rc = weft__fail_host_memory(1);
done:
  weft__profile_free_copy(&copy);
  return weft__leave(rc);
}
