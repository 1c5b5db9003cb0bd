// SPDX-License-Identifier: MIT
#include "core/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/launch_log.h"
#include "base/trace.h"

#define PENDING_SOON 4096   /* from this many pending events on, an enqueue also reads events */
#define PENDING_MOST 65536u /* at this many, an enqueue waits for the oldest */
#define NO_ROW UINT32_MAX

const char *weft__profile_kind_name(weft_profile_kind kind) {
  static const char *const name[] = {"kernel", "copy in", "copy back", "copy", "fill", "call", "range", "host"};
  return name[kind];
}

/* ---- rows and records ---- */

/// Makes room for one more item in an array that grows by doubling. False if the host has no memory; that is not
/// recorded, because a profile that lacks a record is better than a call that fails.
static bool make_room(void **items, size_t count, size_t *capacity, size_t size_bytes) {
  if (count < *capacity) return true;
  size_t wanted = *capacity ? 2 * *capacity : 128;
  void *larger = realloc(*items, wanted * size_bytes);
  if (!larger) return false;
  *items = larger;
  *capacity = wanted;
  return true;
}

static bool make_room_for_row(weft__profile *p) {
  return make_room((void **)&p->row, p->rows, &p->rows_capacity, sizeof *p->row);
}

static uint64_t hash_text(const char *text, uint64_t seed) {
  return weft__hash(text, strlen(text) + 1, seed);
}

/// The row's number; NO_ROW if the host has no memory.
static uint32_t find_row(weft__profile *p, const weft_profile_row *sums) {
  const int64_t key[] = {sums->kind, sums->parent};
  uint64_t hash = hash_text(sums->name, weft__hash(key, sizeof key, 0));
  hash = hash_text(sums->way, hash_text(sums->site, hash_text(sums->kernel, hash)));
  uint32_t *bucket = &p->bucket[(hash ^ hash >> 32) % WEFT__PROFILE_BUCKETS];
  for (uint32_t i = *bucket; i; i = p->row[i - 1].next) {
    const weft_profile_row *row = &p->row[i - 1].sums;
    if (row->kind == sums->kind && row->parent == sums->parent && strcmp(row->name, sums->name) == 0 &&
        strcmp(row->site, sums->site) == 0 && strcmp(row->kernel, sums->kernel) == 0 &&
        strcmp(row->way, sums->way) == 0)
      return i - 1;
  }
  if (!make_room_for_row(p)) return NO_ROW;
  weft__profile_row row = {.sums = *sums, .next = *bucket};
  /* copies, because the caller's strings may be unloaded with its library */
  if (!(row.sums.name = weft__intern(sums->name)) || !(row.sums.kernel = weft__intern(sums->kernel)) ||
      !(row.sums.way = weft__intern(sums->way)) || !(row.sums.site = weft__intern(sums->site)))
    return NO_ROW;
  p->row[p->rows] = row;
  *bucket = ++p->rows;
  return p->rows - 1;
}

/// The row of a range; -1 for no range.
static int64_t find_range(weft__profile *p, const weft__range *range) {
  if (!range) return -1;
  uint32_t row = find_row(p, &(weft_profile_row){.kind = WEFT_PROFILE_RANGE,
                                                 .name = range->name,
                                                 .kernel = "",
                                                 .way = "",
                                                 .site = "",
                                                 .parent = find_range(p, range->parent)});
  return row == NO_ROW ? -1 : (int64_t)row;
}

static bool add_chunk(weft__profile *p) {
  weft__profile_chunk *chunk = malloc(sizeof *chunk);
  if (!chunk) return false;
  chunk->next = NULL;
  chunk->count = 0;
  if (p->last)
    p->last->next = chunk;
  else
    p->first = chunk;
  p->last = chunk;
  return true;
}

static void keep(weft__profile *p, const weft__profile_record *record) {
  bool has_room = p->kept < p->limit;
  if (has_room && (!p->last || p->last->count == WEFT__PROFILE_CHUNK)) has_room = add_chunk(p);
  if (has_room) p->last->record[p->last->count++] = *record;
  if (has_room) p->kept++;
  if (!has_room) p->dropped++;
}

/// A weft__call_listener's function (base/listeners.h): a call or a range of a thread has ended.
static void tell(weft__call_listener *listener, const weft__call_event *event) {
  weft__profile *p = (weft__profile *)((char *)listener - offsetof(weft__profile, listener));
  pthread_mutex_lock(&p->lock);
  int64_t row = find_range(p, event->range);
  if (!event->range)
    row = find_row(p, &(weft_profile_row){.kind = WEFT_PROFILE_CALL,
                                          .name = event->function,
                                          .kernel = "",
                                          .way = "",
                                          .site = event->site,
                                          .parent = -1});
  if (row >= 0 && row != NO_ROW) {
    p->row[row].sums.calls++;
    p->row[row].sums.host_ns += event->end_ns - event->start_ns;
    keep(p, &(weft__profile_record){event->start_ns, event->end_ns, 0, (uint32_t)row, event->thread});
  }
  pthread_mutex_unlock(&p->lock);
}

/* ---- commands ---- */

/// The caller holds the lock.
static void add_times(weft__profile *p, const weft__profile_pending *c, uint64_t start_ns, uint64_t end_ns) {
  uint64_t time_ns = end_ns - start_ns, transfer_ns = 0;
  weft_profile_row *sums = &p->row[c->row].sums;
  if (sums->calls == sums->unread || time_ns < sums->min_device_ns) sums->min_device_ns = time_ns;
  if (time_ns > sums->max_device_ns) sums->max_device_ns = time_ns;
  sums->calls++;
  if (sums->kind == WEFT_PROFILE_COPY_IN || sums->kind == WEFT_PROFILE_COPY_BACK) transfer_ns = time_ns;
  sums->device_ns += time_ns;
  sums->transfer_ns += transfer_ns;
  sums->bytes += c->bytes;
  for (int64_t range = c->range; range >= 0; range = p->row[range].sums.parent) {
    p->row[range].sums.device_ns += time_ns;
    p->row[range].sums.transfer_ns += transfer_ns;
    p->row[range].sums.bytes += c->bytes;
  }
  keep(p, &(weft__profile_record){start_ns, end_ns, c->bytes, c->row, (uint32_t)c->slot});
}

static void add_unread(weft__profile *p, uint32_t row) {
  p->row[row].sums.calls++;
  p->row[row].sums.unread++;
  p->unread++;
}

/// False if the command is not done yet. Otherwise adds its times, or counts it as unread, and releases its event.
static bool read_event(weft__profile *p, weft__profile_pending *c) {
  int state;
  uint64_t start = 0, end = 0;
  int code = weft__driver->event_state(&state, c->event);
  if (!code && state > 0) return false;
  uint64_t now = weft__now_ns();
  if (!code) code = state; /* below zero: the command failed and has no times */
  if (!code) code = weft__driver->event_times(&start, &end, c->event);
  weft__release(c->event);
  if (!code && end >= start) {
    weft__clock_note(&p->clock, start, end, c->start_ns, now);
    add_times(p, c, start, end);
  } else {
    add_unread(p, c->row);
  }
  return true;
}

/// The caller holds the lock. `give_up`: commands that are not done count as unread.
static void read_events(weft__profile *p, int slot, bool give_up) {
  uint64_t busy = 0; /* slots with a command that is not done: later commands of these slots are not done either */
  size_t left = 0;
  for (size_t i = 0; i < p->pendings; i++) {
    weft__profile_pending *c = &p->pending[i];
    bool skip = (slot >= 0 && c->slot != slot) || busy >> c->slot & 1;
    if (!skip && read_event(p, c)) continue;
    busy |= (uint64_t)!skip << c->slot;
    if (give_up) {
      weft__release(c->event);
      add_unread(p, c->row);
    } else {
      p->pending[left++] = *c;
    }
  }
  p->pendings = left;
}

/// The row of a command; NO_ROW if the host has no memory.
static uint32_t row_of(weft__profile *p, const weft__profiled *c) {
  char way[WEFT__WAY_CHARS];
  return find_row(p, &(weft_profile_row){.kind = c->kind,
                                         .name = c->name ? c->name : weft__profile_kind_name(c->kind),
                                         .kernel = c->kernel ? c->kernel : "",
                                         .way = weft__trace_way_text(way),
                                         .site = c->site ? c->site : weft__site(),
                                         .parent = -1});
}

void weft__profile_add_host(weft__profile *p, const weft__profiled *c, int slot, uint64_t start_ns, uint64_t end_ns) {
  pthread_mutex_lock(&p->lock);
  const weft__profile_pending work = {
      .row = row_of(p, c), .range = find_range(p, weft__range_now()), .slot = slot, .bytes = c->bytes};
  if (work.row == NO_ROW) {
    p->unread++;
  } else {
    p->row[work.row].sums.host_ns += end_ns - start_ns;
    add_times(p, &work, start_ns, end_ns);
  }
  pthread_mutex_unlock(&p->lock);
}

void weft__profile_add(weft__profile *p, const weft__profiled *c, int slot, weft__cl_event event, uint64_t start_ns) {
  uint64_t time_ns = weft__now_ns() - start_ns;
  bool kept = false;
  pthread_mutex_lock(&p->lock);
  if (p->pendings >= PENDING_SOON && p->pendings % 1024 == 0) read_events(p, -1, false);
  if (p->pendings >= PENDING_MOST) {
    /* a failure is handled when its event is read; this thread must only see errors of its own call */
    weft__driver->event_wait(p->pending[0].event);
    read_events(p, -1, false);
  }
  uint32_t row = row_of(p, c);
  if (row != NO_ROW && make_room((void **)&p->pending, p->pendings, &p->pendings_capacity, sizeof *p->pending)) {
    p->pending[p->pendings++] = (weft__profile_pending){.event = event,
                                                        .row = row,
                                                        .range = find_range(p, weft__range_now()),
                                                        .slot = slot,
                                                        .bytes = c->bytes,
                                                        .start_ns = start_ns};
    p->row[row].sums.host_ns += time_ns;
    p->row[row].sums.bytes_are_most |= c->bytes_are_most;
    kept = true;
  }
  if (!kept) p->unread++;
  pthread_mutex_unlock(&p->lock);
  if (!kept) weft__release(event);
}

void weft__profile_read_events(weft__profile *p, int slot) {
  pthread_mutex_lock(&p->lock);
  if (!p->frozen) read_events(p, slot, false);
  pthread_mutex_unlock(&p->lock);
}

/* ---- on and off ---- */

void weft__profile_init(weft__profile *p) {
  pthread_mutex_init(&p->lock, NULL);
  p->listener.tell = tell;
}

/// The caller holds the lock.
static void forget(weft__profile *p) {
  for (weft__profile_chunk *chunk = p->first ? p->first->next : NULL; chunk;) {
    weft__profile_chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  p->last = p->first;
  if (p->first) {
    p->first->next = NULL;
    p->first->count = 0;
  }
  p->kept = p->dropped = p->unread = p->collected_ns = 0;
  p->rows = 0;
  memset(p->bucket, 0, sizeof p->bucket);
  if (p->starts) p->start_ns = weft__now_ns();
}

void weft__profile_forget(weft__profile *p) {
  pthread_mutex_lock(&p->lock);
  read_events(p, -1, true); /* the rows that the events belong to are freed next */
  forget(p);
  pthread_mutex_unlock(&p->lock);
}

/// Allocates the first rows, records and pending events, so that a small program cannot run out of memory for them
/// later. The caller holds the lock.
static bool prepare(weft__profile *p) {
  return make_room_for_row(p) &&
         make_room((void **)&p->pending, p->pendings, &p->pendings_capacity, sizeof *p->pending) &&
         (p->first || add_chunk(p));
}

weft_status weft__profile_on(weft__profile *p, uint64_t limit) {
  pthread_mutex_lock(&p->lock);
  bool prepared = prepare(p), first = prepared && p->starts++ == 0;
  if (prepared) p->limit = limit;
  if (first) p->start_ns = weft__now_ns();
  pthread_mutex_unlock(&p->lock);
  if (!prepared) return weft__fail_host_memory(sizeof(weft__profile_chunk));
  if (!first) return WEFT_OK;
  weft__calls_listen(&p->listener);
  atomic_store(&p->on, true);
  return WEFT_OK;
}

bool weft__profile_off(weft__profile *p) {
  pthread_mutex_lock(&p->lock);
  bool last = p->starts > 0 && --p->starts == 0;
  if (last) p->collected_ns += weft__now_ns() - p->start_ns;
  pthread_mutex_unlock(&p->lock);
  if (!last) return false;
  atomic_store(&p->on, false);
  weft__calls_ignore(&p->listener); /* waits for a call of the listener, which takes the lock */
  return true;
}

int weft__profile_starts(weft__profile *p) {
  pthread_mutex_lock(&p->lock);
  int starts = p->starts;
  pthread_mutex_unlock(&p->lock);
  return starts;
}

void weft__profile_freeze(weft__profile *p) {
  atomic_store(&p->on, false);
  weft__calls_ignore(&p->listener);
  pthread_mutex_lock(&p->lock);
  p->frozen = true;
  pthread_mutex_unlock(&p->lock);
}

void weft__profile_close(weft__profile *p) {
  pthread_mutex_lock(&p->lock);
  bool was_on = p->starts > 0;
  if (was_on) p->collected_ns += weft__now_ns() - p->start_ns;
  p->starts = 0;
  read_events(p, -1, true);
  pthread_mutex_unlock(&p->lock);
  atomic_store(&p->on, false);
  if (was_on) weft__calls_ignore(&p->listener);
}

void weft__profile_destroy(weft__profile *p) {
  forget(p);
  free(p->first);
  free(p->row);
  free(p->pending);
  pthread_mutex_destroy(&p->lock);
}
