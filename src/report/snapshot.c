// SPDX-License-Identifier: MIT
/// Snapshots of a context's ledger, and the differences between two of them.
#include <weft/memory.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "context/context.h"
#include "context/leaks.h"
#include "report/report.h"

struct weft_snapshot {
  weft__object object;
  weft__ledger_row *sums;  /* in weft__ledger_compare's order, to be merged with another snapshot's */
  weft_snapshot_row *rows; /* the rows for the user, the largest first */
  size_t count;
  weft__ledger_entry entry;
};

static int by_place(const void *a, const void *b) {
  return weft__ledger_compare(a, b);
}

static weft_snapshot_row public_row(const weft__ledger_row *row) {
  return (weft_snapshot_row){weft__ledger_kind_name(row->kind), row->site, row->tag, row->count, row->size_bytes};
}

static void destroy(weft_snapshot *snapshot) {
  if (!snapshot) return;
  weft__ledger_remove(weft__leaks_ledger(), &snapshot->entry);
  free(snapshot->sums);
  free(snapshot->rows);
  weft__object_free(&snapshot->object);
}

weft_status weft__snapshot_create_at(weft_snapshot **out, const weft_context *context, const char *site) {
  weft_snapshot *s = NULL;
  weft_status rc;
  weft__enter("weft_snapshot_create", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_check_readable(context));
  if (!(s = weft__new(sizeof *s))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  weft__object_begin(&s->object, WEFT__MAGIC_SNAPSHOT, WEFT__ANY_PROCESS);
  weft__ledger *ledger = (weft__ledger *)&context->core.ledger;
  if (!weft__ledger_sum(ledger, (weft__ledger_kind)0, (weft__ledger_kind)(WEFT__LEDGER_KINDS - 1), &s->sums, &s->count))
    WEFT__TRY(weft__fail_host_memory(sizeof *s->sums));
  if (s->count && !(s->rows = weft__new(s->count * sizeof *s->rows))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  for (size_t i = 0; i < s->count; i++) s->rows[i] = public_row(&s->sums[i]);
  if (s->count) qsort(s->sums, s->count, sizeof *s->sums, by_place);
  const uint64_t size_bytes = s->count * (sizeof *s->sums + sizeof *s->rows);
  weft__ledger_add(weft__leaks_ledger(), &s->entry, WEFT__LEDGER_SNAPSHOT, s, size_bytes, site);
  *out = s;
done:
  if (rc) destroy(s);
  return weft__leave(rc);
}

WEFT__DEFINE_RELEASE(weft_snapshot, WEFT__MAGIC_SNAPSHOT, destroy)

const weft_snapshot_row *weft_snapshot_rows(size_t *count, const weft_snapshot *snapshot) {
  bool is_one = weft__handle_is(snapshot, WEFT__MAGIC_SNAPSHOT);
  if (count) *count = is_one ? snapshot->count : 0;
  return is_one ? snapshot->rows : NULL;
}

/* ---- comparison ---- */

static uint64_t distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

/// Orders by change in bytes, then in number, the largest first; then by place.
static int by_change(const void *a, const void *b) {
  const weft_snapshot_change *x = a, *y = b;
  uint64_t x_bytes = distance(x->before_bytes, x->after_bytes), y_bytes = distance(y->before_bytes, y->after_bytes);
  if (x_bytes != y_bytes) return x_bytes > y_bytes ? -1 : 1;
  uint64_t x_count = distance(x->before_count, x->after_count), y_count = distance(y->before_count, y->after_count);
  if (x_count != y_count) return x_count > y_count ? -1 : 1;
  int order = strcmp(x->site, y->site);
  if (order == 0) order = strcmp(x->kind, y->kind);
  return order ? order : strcmp(x->tag ? x->tag : "", y->tag ? y->tag : "");
}

/// Merges the two sorted lists. *changes is NULL if nothing changed.
static weft_status find_changes(weft_snapshot_change **changes, size_t *count, const weft_snapshot *before,
                                const weft_snapshot *after) {
  size_t b = 0, a = 0, most = before->count + after->count;
  *changes = NULL;
  *count = 0;
  if (most == 0) return WEFT_OK;
  weft_snapshot_change *found = weft__new(most * sizeof *found);
  if (!found) return WEFT_ERROR_HOST_MEMORY;
  while (b < before->count || a < after->count) {
    int order = b == before->count  ? 1
                : a == after->count ? -1
                                    : weft__ledger_compare(&before->sums[b], &after->sums[a]);
    const weft__ledger_row *was = order <= 0 ? &before->sums[b++] : NULL, *is = order >= 0 ? &after->sums[a++] : NULL;
    const weft__ledger_row *any = was ? was : is;
    const weft_snapshot_change change = {.kind = weft__ledger_kind_name(any->kind),
                                         .site = any->site,
                                         .tag = any->tag,
                                         .before_count = was ? was->count : 0,
                                         .after_count = is ? is->count : 0,
                                         .before_bytes = was ? was->size_bytes : 0,
                                         .after_bytes = is ? is->size_bytes : 0};
    if (change.before_count != change.after_count || change.before_bytes != change.after_bytes)
      found[(*count)++] = change;
  }
  if (*count == 0) {
    free(found);
    return WEFT_OK;
  }
  qsort(found, *count, sizeof *found, by_change);
  *changes = found;
  return WEFT_OK;
}

static weft_status check_pair(const weft_snapshot *before, const weft_snapshot *after) {
  WEFT__TRY_RETURN(weft__handle_check(before, WEFT__MAGIC_SNAPSHOT, "before"));
  return weft__handle_check(after, WEFT__MAGIC_SNAPSHOT, "after");
}

weft_status weft_snapshot_get_changes(weft_snapshot_change **changes, size_t *count, const weft_snapshot *before,
                                      const weft_snapshot *after) {
  weft_status rc;
  weft__enter("weft_snapshot_get_changes", NULL);
  WEFT__NEED(changes);
  WEFT__NEED(count);
  *changes = NULL;
  *count = 0;
  WEFT__TRY(check_pair(before, after));
  rc = find_changes(changes, count, before, after);
done:
  return weft__leave(rc);
}

static const char *word_of(const weft_snapshot_change *change) {
  if (change->before_count == 0) return "new";
  if (change->after_count == 0) return "gone";
  if (change->before_bytes != change->after_bytes)
    return change->before_bytes < change->after_bytes ? "grown" : "shrunk";
  return change->before_count < change->after_count ? "grown" : "shrunk";
}

static char sign_of(uint64_t before, uint64_t after) {
  return after < before ? '-' : '+';
}

static void add_table(weft__text *text, const weft_snapshot_change *changes, size_t n) {
  size_t width = strlen("made at"), tags = 0;
  if (n == 0) {
    weft__text_add(text, "nothing changed\n");
    return;
  }
  for (size_t i = 0; i < n; i++) {
    if (strlen(changes[i].site) > width) width = strlen(changes[i].site);
    if (changes[i].tag && strlen(changes[i].tag) > tags) tags = strlen(changes[i].tag);
  }
  if (tags && tags < strlen("tag")) tags = strlen("tag");
  weft__text_add(text, "%-6s  %-*s  %-8s ", "", (int)width, "made at", "what");
  if (tags) weft__text_add(text, " %-*s ", (int)tags, "tag");
  weft__text_add(text, "%8s %8s  %s\n", "alive", "change", "memory");
  for (size_t i = 0; i < n; i++) {
    const weft_snapshot_change *c = &changes[i];
    weft__text_add(text, "%-6s  %-*s  %-8s ", word_of(c), (int)width, c->site, c->kind);
    if (tags) weft__text_add(text, " %-*s ", (int)tags, c->tag ? c->tag : "");
    weft__text_add(text, "%8" PRIu64 " %7c%" PRIu64 "  ", c->after_count, sign_of(c->before_count, c->after_count),
                   distance(c->before_count, c->after_count));
    /* an array's memory is listed in its storage's row */
    if (c->before_bytes == c->after_bytes || strcmp(c->kind, weft__ledger_kind_name(WEFT__LEDGER_ARRAY)) == 0) {
      weft__text_add(text, "-\n");
      continue;
    }
    weft__text_add(text, "%c", sign_of(c->before_bytes, c->after_bytes));
    weft__text_add_size(text, distance(c->before_bytes, c->after_bytes));
    weft__text_add(text, "\n");
  }
}

static void add_json(weft__text *text, const weft_snapshot_change *changes, size_t n) {
  weft__text_add(text, "{\"changes\": [");
  for (size_t i = 0; i < n; i++) {
    const weft_snapshot_change *c = &changes[i];
    weft__text_add(text, "%s{\"change\": \"%s\", \"site\": ", i ? ", " : "", word_of(c));
    weft__text_add_json(text, c->site);
    weft__text_add(text, ", \"kind\": \"%s\", \"tag\": ", c->kind);
    if (c->tag)
      weft__text_add_json(text, c->tag);
    else
      weft__text_add(text, "null");
    weft__text_add(text,
                   ", \"before_count\": %" PRIu64 ", \"after_count\": %" PRIu64 ", \"before_bytes\": %" PRIu64
                   ", \"after_bytes\": %" PRIu64 "}",
                   c->before_count, c->after_count, c->before_bytes, c->after_bytes);
  }
  weft__text_add(text, "]}\n");
}

weft_status weft__snapshot_compare_at(char **text, const weft_snapshot *before, const weft_snapshot *after,
                                      const weft_report_params *params) {
  weft_snapshot_change *changes = NULL;
  weft__text out = {0};
  size_t n;
  weft_status rc;
  const weft_report_params p = WEFT__PARAMS(params);
  weft__enter("weft_snapshot_compare", p.site);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(check_pair(before, after));
  WEFT__TRY(weft__report_format_check(p.format));
  WEFT__TRY(find_changes(&changes, &n, before, after));
  (p.format == WEFT_REPORT_JSON ? add_json : add_table)(&out, changes, n);
  if (!(*text = weft__text_take(&out))) rc = weft__fail_host_memory(1);
done:
  free(changes);
  return weft__leave(rc);
}
