// SPDX-License-Identifier: MIT
#include "base/listeners.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/launch_log.h"
#include "base/trace.h"

#define RANGE_BUCKETS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the listeners */
static weft__call_listener *listeners;
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static weft__range *ranges[RANGE_BUCKETS];
static atomic_uint generation; /* odd: at least one listener is registered */

typedef struct thread_calls {
  uint64_t call_ns;    /* when the outermost call began; 0: the call is not reported */
  unsigned generation; /* at the beginning of the call: a call that began before the first listener has no time */
  int depth;           /* of ranges */
  const weft__range *range;
  uint64_t range_ns[WEFT__RANGES_DEPTH]; /* when each began; 0: no listener was registered, and the range has no node */
  uint32_t number;
} thread_calls;

static _Thread_local thread_calls mine;

static void watch(bool on) {
  if (on == (atomic_load(&generation) & 1)) return;
  atomic_fetch_add(&generation, 1);
  if (on)
    atomic_fetch_or(&weft__watch, WEFT__WATCH_CALLS);
  else
    atomic_fetch_and(&weft__watch, ~WEFT__WATCH_CALLS);
}

/// Another thread may have held the locks, and the listeners belong to the parent.
static void in_child(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_init(&ranges_lock, NULL);
  listeners = NULL;
  watch(false);
}

static void install(void) {
  pthread_atfork(NULL, NULL, in_child);
}

void weft__calls_listen(weft__call_listener *listener) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  pthread_mutex_lock(&lock);
  listener->next = listeners;
  listeners = listener;
  watch(true);
  pthread_mutex_unlock(&lock);
}

void weft__calls_ignore(weft__call_listener *listener) {
  pthread_mutex_lock(&lock);
  weft__call_listener **at = &listeners;
  while (*at && *at != listener) at = &(*at)->next;
  if (*at) *at = listener->next;
  if (!listeners) watch(false);
  pthread_mutex_unlock(&lock);
}

static void tell(const weft__call_event *event) {
  pthread_mutex_lock(&lock);
  for (weft__call_listener *l = listeners; l; l = l->next) l->tell(l, event);
  pthread_mutex_unlock(&lock);
}

/// A small number for this thread, from 1 on, constant while the thread lives.
static uint32_t thread_number(void) {
  static atomic_uint last;
  if (!mine.number) mine.number = atomic_fetch_add(&last, 1) + 1;
  return mine.number;
}

static void call_begins(void) {
  if (weft__tracing()) weft__trace_enter();
  mine.generation = atomic_load(&generation);
  mine.call_ns = weft__now_ns();
}

void weft__calls_hide(void) {
  mine.call_ns = 0;
}

static void call_ends(const char *function, const char *site, weft_status status) {
  if (weft__tracing()) weft__trace_leave(status ? weft_status_name(status) : NULL);
  unsigned now = atomic_load(&generation);
  if (!mine.call_ns || mine.generation != now || !(now & 1)) return;
  const weft__call_event event = {function, site, NULL, mine.call_ns, weft__now_ns(), thread_number()};
  mine.call_ns = 0;
  tell(&event);
}

const weft__call_watcher weft__watcher = {call_begins, call_ends};

/* ---- ranges ---- */

const weft__range *weft__range_now(void) {
  return mine.range;
}

static const weft__range *find(const weft__range *parent, const char *name) {
  const void *key[] = {parent, name};
  weft__range **first = &ranges[weft__hash(key, sizeof key, 0) % RANGE_BUCKETS];
  pthread_mutex_lock(&ranges_lock);
  weft__range *range = *first;
  while (range && (range->parent != parent || range->name != name)) range = range->next;
  if (!range && (range = weft__new(sizeof *range))) {
    *range = (weft__range){parent, name, parent ? parent->depth + 1 : 0, *first};
    *first = range;
  }
  pthread_mutex_unlock(&ranges_lock);
  return range;
}

weft_status weft__range_push(const char *name) {
  if (mine.depth >= WEFT__RANGES_DEPTH)
    return weft__fail(WEFT_ERROR_ARGUMENT, "name", "range `%s` would be number %d within each other; %d is the most",
                      name, mine.depth + 1, WEFT__RANGES_DEPTH);
  uint64_t start_ns = 0;
  if (atomic_load_explicit(&weft__watch, memory_order_relaxed) & WEFT__WATCH_CALLS) {
    if (!(name = weft__intern(name))) return WEFT_ERROR_HOST_MEMORY;
    const weft__range *range = find(mine.range, name);
    if (!range) return WEFT_ERROR_HOST_MEMORY;
    mine.range = range;
    start_ns = weft__now_ns();
  }
  mine.range_ns[mine.depth++] = start_ns;
  return WEFT_OK;
}

weft_status weft__range_pop(void) {
  if (mine.depth == 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, NULL, "this thread is in no range: there were as many pops as pushes");
  uint64_t start_ns = mine.range_ns[--mine.depth];
  if (!start_ns) return WEFT_OK;
  const weft__call_event event = {NULL, NULL, mine.range, start_ns, weft__now_ns(), thread_number()};
  mine.range = mine.range->parent;
  tell(&event);
  return WEFT_OK;
}
