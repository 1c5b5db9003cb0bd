// SPDX-License-Identifier: MIT
/// Streams, waits, statistics, reports, and deliberate mistakes.
#include <string.h>

#include "soak.h"

void use_stream(worker *w) {
  int64_t k = draw_below(w, SIDES + 1);
  is_ok(w, weft_stream_use(k < SIDES ? w->side[k] : NULL), "weft_stream_use");
}

void renew_stream(worker *w) {
  weft_stream **side = &w->side[draw_below(w, SIDES)];
  weft_stream_release(side);
  if (draw_below(w, 2)) is_ok(w, weft_stream_use(NULL), "weft_stream_use");
  is_ok(w, weft_stream_create(side, all.context), "weft_stream_create");
}

void renew_pinned(worker *w) {
  lane *l = &w->lane[draw_below(w, LANES)];
  settle_lane(w, l);
  weft_event_release(&l->event);
  weft_pinned_free(&l->data);
  if (is_ok(w, weft_pinned_alloc(&l->data, all.context, LANE_BYTES), "weft_pinned_alloc") &&
      !weft_is_pinned(all.context, (char *)l->data + 1, LANE_BYTES - 1))
    fail(w, "weft_is_pinned", "says no of a pinned block");
}

void wait(worker *w) {
  weft_status rc;
  if (draw_below(w, 4) == 0)
    CALL(w, rc, weft_context_wait(all.context));
  else if (draw_below(w, 8) == 0)
    CALL(w, rc, weft_memory_check(all.context));
  else
    CALL(w, rc, weft_stream_wait(w->side[draw_below(w, SIDES)]));
  is_ok(w, rc, "a wait");
}

void tag(worker *w) {
  static const char *const tags[] = {"weights", "input", "scratch", NULL};
  const char *name = tags[draw_below(w, 4)];
  slot *s = full_slot(w);
  if (s && draw_below(w, 2))
    is_ok(w, weft_array_set_tag(s->x, name), "weft_array_set_tag");
  else
    is_ok(w, weft_memory_tag(name), "weft_memory_tag");
}

/* ---- the ledger ---- */

void figures(worker *w) {
  weft_memory_stats s;
  if (!is_ok(w, weft_memory_get(&s, all.context), "weft_memory_get")) return;
  if (s.managed_bytes > all.limit_bytes || s.peak_managed_bytes > all.limit_bytes)
    fail(w, "managed_bytes", "are over the limit");
  if (s.active_bytes + s.held_bytes != s.managed_bytes) fail(w, "managed_bytes", "are not those active and held");
  if (s.requested_bytes > s.active_bytes || s.pool_hits > s.allocations)
    fail(w, "the figures of the memory", "make no sense");
}

void snapshots(worker *w) {
  weft_snapshot *before = NULL, *after = NULL;
  weft_snapshot_change *changes = NULL;
  size_t count = 0;
  char *text = NULL;
  if (is_ok(w, weft_snapshot_create(&before, all.context), "weft_snapshot_create")) {
    for (int k = 0; k < 5; k++) make_empty(w);
    if (is_ok(w, weft_snapshot_create(&after, all.context), "weft_snapshot_create")) {
      is_ok(w, weft_snapshot_get_changes(&changes, &count, before, after), "weft_snapshot_get_changes");
      is_ok(w, weft_snapshot_compare(&text, before, after, .format = WEFT_REPORT_JSON), "weft_snapshot_compare");
    }
  }
  weft_free(text);
  weft_free(changes);
  weft_snapshot_release(&before);
  weft_snapshot_release(&after);
}

void report(worker *w) {
  char *text = NULL;
  weft_report_format format = draw_below(w, 2) ? WEFT_REPORT_JSON : WEFT_REPORT_TABLE;
  if (is_ok(w, weft_memory_report(&text, all.context, .format = format), "weft_memory_report") && strlen(text) < 20)
    fail(w, "weft_memory_report", "says nothing");
  weft_free(text);
  if (draw_below(w, 8) == 0) is_ok(w, weft_memory_timeline_start(all.context, 1000), "weft_memory_timeline_start");
  if (draw_below(w, 8) == 0) is_ok(w, weft_memory_timeline_stop(all.context), "weft_memory_timeline_stop");
}

void trim(worker *w) {
  weft_status rc;
  if (draw_below(w, 2)) {
    is_made(w, weft_memory_reserve(all.context, (uint64_t)(1 + draw_below(w, 4 << 20))), "weft_memory_reserve");
    return;
  }
  CALL(w, rc, weft_memory_trim(all.context));
  is_ok(w, rc, "weft_memory_trim");
}

/* ---- mistakes ---- */

void mistake(worker *w) {
  static uint64_t garbage[128];
  weft_array *x = NULL, *y = NULL, *z = NULL, *no_array = (weft_array *)garbage;
  weft_event *event = NULL;
  weft_scope scope = {.id = 977};
  weft_status rc;
  slot *s = full_slot(w);
  switch (draw_below(w, 20)) {
    case 0: /* more than any buffer, where Weft relies on the driver's refusal */
      rc = weft_empty(&x, all.context, WEFT_U8, WEFT_SHAPE(INT64_C(1) << 60));
      expect(w, rc, rc == WEFT_ERROR_MEMORY ? WEFT_ERROR_MEMORY : WEFT_ERROR_BUDGET, "2^60 bytes");
      break;
    case 1:
      expect(w, weft_empty(&x, all.context, WEFT_I32, WEFT_SHAPE(INT64_C(1) << 62)), WEFT_ERROR_OVERFLOW, "2^64 bytes");
      break;
    case 2:
      expect(w, weft_empty(&x, all.context, WEFT_U8, WEFT_SHAPE((int64_t)all.limit_bytes + 1)), WEFT_ERROR_BUDGET,
             "a byte over the limit");
      break;
    case 3:
      expect(w, weft_empty(&x, all.context, WEFT_U8, WEFT_SHAPE(-1)), WEFT_ERROR_SHAPE, "a length of -1");
      break;
    case 4:
      expect(w, weft_from_host(&x, all.context, WEFT_U8, WEFT_SHAPE(3), NULL), WEFT_ERROR_ARGUMENT,
             "data that is NULL");
      break;
    case 5:
      expect(w, weft_fill(NULL, 1), WEFT_ERROR_HANDLE, "weft_fill of NULL");
      break;
    case 6:
      expect(w, weft_fill(no_array, 1), WEFT_ERROR_HANDLE, "weft_fill of no array");
      break;
    case 7:
      expect(w, weft_slice(&x, no_array, 0, 0, 1), WEFT_ERROR_HANDLE, "weft_slice of no array");
      break;
    case 8:
      expect(w, weft_scope_end(&scope), WEFT_ERROR_ARGUMENT, "weft_scope_end of no scope");
      break;
    case 9:
      expect(w, weft_event_wait(NULL), WEFT_ERROR_HANDLE, "weft_event_wait of NULL");
      break;
    case 10:
      expect(w, weft_event_record(&event, all.context, all.foreign), WEFT_ERROR_CONTEXT, "another context's stream");
      if (event) fail(w, "weft_event_record", "made an event on failure");
      break;
    case 11:
      if (is_made(w, weft_empty(&x, all.context, WEFT_I32, WEFT_SHAPE(3)), "weft_empty") &&
          is_made(w, weft_empty(&y, all.context, WEFT_I32, WEFT_SHAPE(5)), "weft_empty"))
        expect(w, weft_add(&z, x, y), WEFT_ERROR_SHAPE, "weft_add of 3 and 5 elements");
      break;
    default:
      if (!s) return;
      switch (draw_below(w, 9)) {
        case 0:
          expect(w, weft_pick(&x, s->x, 9, 0), WEFT_ERROR_AXIS, "axis 9");
          break;
        case 1:
          expect(w, weft_slice(&x, s->x, 8, 0, 1), WEFT_ERROR_AXIS, "axis 8");
          break;
        case 2:
          expect(w, weft_reshape(&x, s->x, WEFT_SHAPE(weft_array_size(s->x) + 1)), WEFT_ERROR_SHAPE,
                 "one element more");
          break;
        case 3:
          expect(w, weft_to_host(w->scratch, (size_t)weft_array_size_bytes(s->x) + 1, s->x), WEFT_ERROR_SHAPE,
                 "room for a byte more");
          break;
        case 4:
          expect(w, weft_unmap(s->x), WEFT_ERROR_ARGUMENT, "weft_unmap of what is not mapped");
          break;
        case 5:
          expect(w, weft_scope_keep(s->x), WEFT_ERROR_ARGUMENT, "weft_scope_keep without a scope");
          break;
        case 6:
          x = weft_array_retain(s->x);
          expect(w, weft_slice(&x, s->x, 0, 0, 1), WEFT_ERROR_ARGUMENT, "a view into a handle in use");
          if (x != s->x) fail(w, "a view that failed", "changed its *out");
          break;
        case 7:
          if (weft_array_size(s->x) && !weft_array_is_read_only(s->x))
            expect(w, weft_write_async(s->x, w->scratch, (size_t)weft_array_size_bytes(s->x), all.foreign),
                   WEFT_ERROR_CONTEXT, "weft_write_async on another context's stream");
          break;
        default:
          if (weft_array_ndim(s->x) && weft_array_length(s->x, 0))
            expect(w, weft_pick(&x, s->x, 0, weft_array_length(s->x, 0)), WEFT_ERROR_INDEX,
                   "the index behind the last one");
          break;
      }
  }
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&z);
}

/// An index out of range, which any thread's next wait may report.
void late_mistake(worker *w) {
  slot *s = full_slot(w);
  if (!s || weft_array_dtype(s->x) != WEFT_I32 || weft_array_ndim(s->x) != 1 || weft_array_size(s->x) == 0) return;
  int64_t n = weft_array_size(s->x), indices[3] = {0, n, n - 1};
  weft_array *x = weft_array_retain(s->x), *y = NULL;
  int32_t got[3] = {-1, -1, -1};
  bool known = s->of->known;
  int value = s->of->value;
  weft_status rc;
  atomic_fetch_add(&all.planted, 1);
  CALL(w, rc, weft_take(&y, x, WEFT_HOST(indices, WEFT_I64, WEFT_SHAPE(3)), 0));
  if (is_made(w, rc, "weft_take")) {
    CALL(w, rc, weft_to_host(got, sizeof got, y));
    if (is_ok(w, rc, "weft_to_host behind an index out of range") && known &&
        (got[0] != value || got[1] != 0 || got[2] != value))
      fail(w, "weft_take with an index out of range", "gives wrong elements");
  }
  weft_array_release(&y);
  weft_array_release(&x);
}
