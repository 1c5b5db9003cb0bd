// SPDX-License-Identifier: MIT
/// The memory report: the pool's figures and the ledger, as a table or JSON.
#include <weft/memory.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "context/context.h"
#include "context/leaks.h"
#include "report/report.h"

static void add_figure(weft__text *text, const char *name, uint64_t size_bytes) {
  weft__text_add(text, "%-10s ", name);
  weft__text_add_size(text, size_bytes);
  weft__text_add(text, "\n");
}

/// The rows of a ledger.
typedef struct section {
  weft__ledger_row *rows;
  size_t count;
} section;

static bool sum_up(section *s, weft__ledger *ledger) {
  return weft__ledger_sum(ledger, (weft__ledger_kind)0, (weft__ledger_kind)(WEFT__LEDGER_KINDS - 1), &s->rows,
                          &s->count);
}

static void add_rows(weft__text *text, const weft__ledger_row *rows, size_t n) {
  size_t width = strlen("made at"), tags = 0;
  for (size_t i = 0; i < n; i++) {
    if (strlen(rows[i].site) > width) width = strlen(rows[i].site);
    if (rows[i].tag && strlen(rows[i].tag) > tags) tags = strlen(rows[i].tag);
  }
  /* the column is printed only if tags are used */
  if (tags && tags < strlen("tag")) tags = strlen("tag");
  weft__text_add(text, "\n%-*s  %-8s ", (int)width, "made at", "what");
  if (tags) weft__text_add(text, " %-*s ", (int)tags, "tag");
  weft__text_add(text, "%8s  %s\n", "alive", "memory");
  for (size_t i = 0; i < n; i++) {
    weft__text_add(text, "%-*s  %-8s ", (int)width, rows[i].site, weft__ledger_kind_name(rows[i].kind));
    if (tags) weft__text_add(text, " %-*s ", (int)tags, rows[i].tag ? rows[i].tag : "");
    weft__text_add(text, "%8" PRIu64 "  ", rows[i].count);
    /* the memory of arrays and images is listed in the rows of their storages */
    if (rows[i].size_bytes && rows[i].kind != WEFT__LEDGER_ARRAY && rows[i].kind != WEFT__LEDGER_IMAGE)
      weft__text_add_size(text, rows[i].size_bytes);
    else
      weft__text_add(text, "-");
    weft__text_add(text, "\n");
  }
}

static void add_table(weft__text *text, const weft_memory_stats *s, const section *own, const section *others,
                      const char *device) {
  weft__text_add(text, "memory of %s\n", device);
  add_figure(text, "active", s->active_bytes);
  add_figure(text, "requested", s->requested_bytes);
  add_figure(text, "held", s->held_bytes);
  add_figure(text, "reserved", s->reserved_bytes);
  add_figure(text, "managed", s->managed_bytes);
  add_figure(text, "peak", s->peak_managed_bytes);
  add_figure(text, "limit", s->limit_bytes);
  weft__text_add(text, "%-10s %" PRIu64 ", %" PRIu64 " of them from the pool\n", "asked for", s->allocations,
                 s->pool_hits);
  weft__text_add(text, "%-10s %" PRIu64 " buffers made, %" PRIu64 " given back\n", "driver", s->driver_allocations,
                 s->driver_releases);
  add_figure(text, "to device", s->to_device_bytes);
  add_figure(text, "to host", s->to_host_bytes);
  if (own->count)
    add_rows(text, own->rows, own->count);
  else
    weft__text_add(text, "nothing is alive\n");
  if (others->count) {
    weft__text_add(text, "\nof the process, without a context\n");
    add_rows(text, others->rows, others->count);
  }
}

static void add_json_rows(weft__text *text, const char *name, const section *s) {
  weft__text_add(text, ", \"%s\": [", name);
  for (size_t i = 0; i < s->count; i++) {
    const weft__ledger_row *row = &s->rows[i];
    weft__text_add(text, "%s{\"site\": ", i ? ", " : "");
    weft__text_add_json(text, row->site);
    if (row->tag) {
      weft__text_add(text, ", \"tag\": ");
      weft__text_add_json(text, row->tag);
    }
    weft__text_add(text, ", \"kind\": \"%s\", \"count\": %" PRIu64 ", \"size_bytes\": %" PRIu64 "}",
                   weft__ledger_kind_name(row->kind), row->count, row->size_bytes);
  }
  weft__text_add(text, "]");
}

static void add_json(weft__text *text, const weft_memory_stats *s, const section *own, const section *others,
                     const char *device) {
  weft__text_add(text, "{\"device\": ");
  weft__text_add_json(text, device);
#define FIGURE(name) weft__text_add(text, ", \"" #name "\": %" PRIu64, s->name)
  FIGURE(active_bytes);
  FIGURE(held_bytes);
  FIGURE(managed_bytes);
  FIGURE(peak_active_bytes);
  FIGURE(peak_managed_bytes);
  FIGURE(limit_bytes);
  FIGURE(device_bytes);
  FIGURE(arrays);
  FIGURE(allocations);
  FIGURE(pool_hits);
  FIGURE(to_device_bytes);
  FIGURE(to_host_bytes);
  FIGURE(launches);
  FIGURE(requested_bytes);
  FIGURE(peak_requested_bytes);
  FIGURE(reserved_bytes);
  FIGURE(driver_allocations);
  FIGURE(driver_releases);
#undef FIGURE
  add_json_rows(text, "alive", own);
  add_json_rows(text, "alive_in_no_context", others);
  weft__text_add(text, "}\n");
}

weft_status weft__memory_report_at(char **text, const weft_context *context, const weft_report_params *params) {
  weft_memory_stats stats;
  section own = {0}, others = {0};
  weft__text out = {0};
  weft_status rc;
  const weft_report_params p = WEFT__PARAMS(params);
  weft__enter("weft_memory_report", p.site);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(weft__context_check_readable(context));
  WEFT__TRY(weft__report_format_check(p.format));
  weft_context *c = (weft_context *)context;
  weft__pool_stats(&c->pool, &stats);
  if (!sum_up(&own, &c->core.ledger) || !sum_up(&others, weft__leaks_ledger()))
    WEFT__TRY(weft__fail_host_memory(sizeof *own.rows));
  (p.format == WEFT_REPORT_JSON ? add_json : add_table)(&out, &stats, &own, &others, c->core.device->info.name);
  if (!(*text = weft__text_take(&out))) rc = weft__fail_host_memory(1);
done:
  free(own.rows);
  free(others.rows);
  return weft__leave(rc);
}
