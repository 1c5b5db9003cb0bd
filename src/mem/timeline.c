// SPDX-License-Identifier: MIT
#include "mem/timeline.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

#define DEFAULT_LIMIT 1000000
#define MEMORY_TRACK 1

struct weft__timeline {
  pthread_mutex_t lock;
  bool is_on;
  weft__events events;
  weft__event last;    /* the figures at the recording's end or the last write */
  uint64_t last_life;  /* number of the last life; numbers continue over recordings */
  uint64_t first_life; /* the first life of this recording */
  uint64_t open;       /* lives without a recorded end, for which room is kept */
  uint64_t time_ns;    /* of the event being recorded */
};

typedef struct weft__timeline weft__timeline;

static const weft__event_form begin_form = {
    .phase = WEFT__EVENT_BEGIN,
    .category = "memory",
    .argument = {{"bytes", WEFT__EVENT_NUMBER}, {"site", WEFT__EVENT_TEXT}, {"tag", WEFT__EVENT_TEXT}},
};
static const weft__event_form end_form = {.phase = WEFT__EVENT_END, .category = "memory"};
static const weft__event_form counter_form = {
    .phase = WEFT__EVENT_COUNTER,
    .category = "memory",
    .argument = {{"active memory", WEFT__EVENT_NUMBER}, {"managed memory", WEFT__EVENT_NUMBER}},
};

/* ---- events, under the lock ---- */

/// Whether `now` events and `later` more events fit, besides an end and a counter for each open life. Otherwise the
/// `now` events are counted as dropped.
static bool has_room(weft__timeline *t, uint64_t now, uint64_t later) {
  if (t->events.count + now + later + 2 * t->open <= t->events.limit) return true;
  t->events.dropped += now;
  return false;
}

static weft__event counter_now(weft__pool *pool, uint64_t time_ns) {
  weft_memory_stats stats;
  weft__pool_stats(pool, &stats);
  weft__event event = {.form = &counter_form, .name = "bytes", .time_ns = time_ns, .track = MEMORY_TRACK};
  event.argument[0].number = stats.active_bytes;
  event.argument[1].number = stats.managed_bytes;
  return event;
}

static void record_begin(weft__timeline *t, weft__storage *storage) {
  storage->life = 0;
  if (!has_room(t, 2, 2)) return; /* each with its counter */
  weft__event event = {.form = &begin_form,
                       .name = storage->entry.site,
                       .time_ns = t->time_ns,
                       .of.id = t->last_life + 1,
                       .track = MEMORY_TRACK};
  event.argument[0].number = storage->size_bytes;
  event.argument[1].text = storage->entry.site;
  event.argument[2].text = storage->entry.tag;
  if (!weft__events_add(&t->events, &event)) return;
  storage->life = ++t->last_life;
  t->open++;
}

static void record_counter(weft__timeline *t, weft__pool *pool) {
  const weft__event event = counter_now(pool, t->time_ns);
  weft__events_add(&t->events, &event);
}

/* ---- recording ---- */

void weft__timeline_made(weft__timeline *t, weft__storage *storage) {
  pthread_mutex_lock(&t->lock);
  /* a recording that began meanwhile found the storage in the ledger */
  if (t->is_on && storage->life < t->first_life) {
    t->time_ns = weft__now_ns();
    record_begin(t, storage);
    if (storage->life) record_counter(t, storage->pool);
  }
  pthread_mutex_unlock(&t->lock);
}

void weft__timeline_gone(weft__timeline *t, weft__pool *pool, weft__timeline_life life) {
  pthread_mutex_lock(&t->lock);
  if (t->is_on) {
    t->time_ns = weft__now_ns();
    if (life.life >= t->first_life) {
      const weft__event event = {
          .form = &end_form, .name = life.site, .time_ns = t->time_ns, .of.id = life.life, .track = MEMORY_TRACK};
      t->open--;
      weft__events_add(&t->events, &event);
      record_counter(t, pool);
    } else if (has_room(t, 1, 0)) {
      record_counter(t, pool);
    }
  }
  pthread_mutex_unlock(&t->lock);
}

static void found_alive(void *timeline, void *storage) {
  record_begin(timeline, storage);
}

weft_status weft__timeline_begin(weft__pool *pool, uint64_t limit) {
  weft__core *core = pool->core;
  weft__timeline *t = weft__timeline_of(core), *none = NULL;
  if (!t) {
    t = weft__new(sizeof *t);
    if (!t) return WEFT_ERROR_HOST_MEMORY;
    pthread_mutex_init(&t->lock, NULL);
    if (!atomic_compare_exchange_strong(&core->timeline, &none, t)) {
      /* another thread was first */
      pthread_mutex_destroy(&t->lock);
      free(t);
      t = none;
    }
  }
  pthread_mutex_lock(&t->lock);
  weft__events_free(&t->events);
  weft__events_init(&t->events, limit ? limit : DEFAULT_LIMIT);
  t->is_on = true;
  t->open = 0;
  t->first_life = t->last_life + 1;
  t->time_ns = weft__now_ns();
  weft__ledger_each(&core->ledger, WEFT__LEDGER_STORAGE, found_alive, t);
  if (has_room(t, 1, 0)) record_counter(t, pool);
  weft_status rc = WEFT_OK;
  if (t->events.no_memory) {
    /* later events are dropped and counted; here the error can be reported */
    t->is_on = false;
    rc = weft__fail_host_memory(sizeof(weft__event));
  }
  pthread_mutex_unlock(&t->lock);
  return rc;
}

void weft__timeline_end(weft__pool *pool) {
  weft__timeline *t = weft__timeline_of(pool->core);
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  if (t->is_on) t->last = counter_now(pool, weft__now_ns());
  t->is_on = false;
  pthread_mutex_unlock(&t->lock);
}

void weft__timeline_free(weft__core *core) {
  weft__timeline *t = weft__timeline_of(core);
  if (!t) return;
  weft__events_free(&t->events);
  pthread_mutex_destroy(&t->lock);
  free(t);
  atomic_store(&core->timeline, NULL);
}

weft_status weft__timeline_write(weft__pool *pool, const char *file) {
  weft__timeline *t = weft__timeline_of(pool->core);
  if (!t)
    return weft__fail(WEFT_ERROR_ARGUMENT, "context",
                      "`context` has no timeline: nothing was recorded; weft_memory_timeline_start begins one");
  weft__text process = {0};
  weft__text_add(&process, "Weft on %s", pool->core->device->info.name);
  if (process.failed) {
    weft__text_free(&process);
    return weft__fail_host_memory(64);
  }
  const weft__events_track tracks[] = {{MEMORY_TRACK, "memory"}};
  pthread_mutex_lock(&t->lock);
  /* a last point at the current time */
  if (t->is_on) t->last = counter_now(pool, weft__now_ns());
  weft__events end = {.limit = 1};
  const weft__events *const lists[] = {&t->events, &end};
  weft_status rc;
  WEFT__TRY(weft__events_add(&end, &t->last) ? WEFT_OK : weft__fail_host_memory(sizeof t->last));
  WEFT__TRY(weft__events_write(file, weft__text_chars(&process), tracks, 1, lists, 2));
done:
  weft__events_free(&end);
  pthread_mutex_unlock(&t->lock);
  weft__text_free(&process);
  return rc;
}
