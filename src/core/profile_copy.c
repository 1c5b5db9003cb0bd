// SPDX-License-Identifier: MIT
/// Copies the collected profile for its readers.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "core/profile.h"

/// Whether the kind's records are not work in the order of a stream.
static bool is_call(weft_profile_kind kind) {
  return kind == WEFT_PROFILE_CALL || kind == WEFT_PROFILE_RANGE;
}

static int by_start(const void *a, const void *b) {
  const weft_profile_event *x = a, *y = b;
  return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/// The time during which at least one command ran. `events` are sorted.
static uint64_t busy_ns(const weft__profile_copy *copy) {
  uint64_t busy = 0, until = 0;
  for (uint64_t i = 0; i < copy->events; i++) {
    const weft_profile_event *e = &copy->event[i];
    if (is_call(copy->row[e->row].kind)) continue;
    uint64_t from = e->start_ns > until ? e->start_ns : until;
    if (e->end_ns > from) busy += e->end_ns - from;
    if (e->end_ns > until) until = e->end_ns;
  }
  return busy;
}

static void copy_events(weft__profile_copy *copy, const weft__profile *p, const weft__clock_map *map) {
  for (const weft__profile_chunk *chunk = p->first; chunk; chunk = chunk->next)
    for (size_t i = 0; i < chunk->count; i++) {
      const weft__profile_record *r = &chunk->record[i];
      weft_profile_kind kind = copy->row[r->row].kind;
      bool moves = !is_call(kind) && kind != WEFT_PROFILE_HOST; /* its time is on the device's clock */
      uint64_t start_ns = moves ? weft__clock_to_host(map, r->start_ns) : r->start_ns;
      copy->event[copy->events++] =
          (weft_profile_event){start_ns, start_ns + (r->end_ns - r->start_ns), r->bytes, r->row, r->track};
    }
}

static weft_status copy_all(weft__profile_copy *copy, const weft__profile *p) {
  weft__clock_map *map = weft__new(sizeof *map);
  if (!map) return WEFT_ERROR_HOST_MEMORY;
  weft__clock_settle(map, &p->clock);
  if ((p->rows && !(copy->row = weft__new(p->rows * sizeof *copy->row))) ||
      (p->kept && !(copy->event = weft__new(p->kept * sizeof *copy->event)))) {
    free(map);
    weft__profile_free_copy(copy);
    return WEFT_ERROR_HOST_MEMORY;
  }
  weft_profile_totals *t = &copy->totals;
  t->collected_ns = p->collected_ns + (p->starts ? weft__now_ns() - p->start_ns : 0);
  t->events_kept = p->kept;
  t->events_dropped = p->dropped;
  t->unread = p->unread + p->pendings;
  copy->rows = p->rows;
  for (uint32_t i = 0; i < p->rows; i++) copy->row[i] = p->row[i].sums;
  for (size_t i = 0; i < p->pendings; i++) {
    copy->row[p->pending[i].row].calls++;
    copy->row[p->pending[i].row].unread++;
  }
  copy_events(copy, p, map);
  free(map);
  return WEFT_OK;
}

weft_status weft__profile_take_copy(weft__profile_copy *copy, weft__profile *p) {
  *copy = (weft__profile_copy){0};
  pthread_mutex_lock(&p->lock);
  weft_status rc = copy_all(copy, p);
  pthread_mutex_unlock(&p->lock);
  WEFT__TRY_RETURN(rc);
  if (copy->events) qsort(copy->event, copy->events, sizeof *copy->event, by_start);
  for (uint32_t i = 0; i < copy->rows; i++) {
    const weft_profile_row *row = &copy->row[i];
    if (row->kind == WEFT_PROFILE_CALL) copy->totals.call_ns += row->host_ns;
    if (row->kind == WEFT_PROFILE_KERNEL) copy->totals.kernel_ns += row->device_ns;
    if (row->kind == WEFT_PROFILE_COPY_IN) {
      copy->totals.to_device_bytes += row->bytes;
      copy->totals.to_device_ns += row->device_ns;
    }
    if (row->kind == WEFT_PROFILE_COPY_BACK) {
      copy->totals.to_host_bytes += row->bytes;
      copy->totals.to_host_ns += row->device_ns;
    }
  }
  copy->totals.device_busy_ns = busy_ns(copy);
  return WEFT_OK;
}

void weft__profile_free_copy(weft__profile_copy *copy) {
  free(copy->row);
  free(copy->event);
  *copy = (weft__profile_copy){0};
}
