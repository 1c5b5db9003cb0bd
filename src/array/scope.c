// SPDX-License-Identifier: MIT
/// Scopes: a stack of rings per thread. One lock serves all scopes, because any thread may release an array in another
/// thread's scope. The lock is held for a few stores; arrays are freed without it.
#include "array/scope.h"

#include <pthread.h>
#include <stdlib.h>

#include "array/array.h"
#include "base/log.h"

struct weft__scope {
  weft__scope_entry head; /* of the ring */
  weft__scope *outer;
  uint64_t id;
  const char *site;
};

_Thread_local weft__scope *weft__scope_now;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(uint64_t) last_id;
static pthread_key_t thread_key; /* its destructor runs if a thread ends with open scopes */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static weft_array *array_of(weft__scope_entry *entry) {
  return (weft_array *)((char *)entry - offsetof(weft_array, in_scope));
}

/* ---- rings, under the lock ---- */

static void link_entry(weft__scope *scope, weft__scope_entry *entry) {
  entry->previous = scope->head.previous;
  entry->next = &scope->head;
  scope->head.previous->next = entry;
  scope->head.previous = entry;
  atomic_store_explicit(&entry->scope, scope, memory_order_release);
}

/// Afterwards another thread that drops the last reference may free the array.
static void unlink_entry(weft__scope_entry *entry) {
  entry->previous->next = entry->next;
  entry->next->previous = entry->previous;
  atomic_store_explicit(&entry->scope, NULL, memory_order_release);
}

void weft__scope_enter(weft_array *x) {
  pthread_mutex_lock(&lock);
  link_entry(weft__scope_now, &x->in_scope);
  pthread_mutex_unlock(&lock);
}

void weft__scope_leave(weft_array *x) {
  if (!atomic_load_explicit(&x->in_scope.scope, memory_order_acquire)) return;
  pthread_mutex_lock(&lock);
  if (atomic_load_explicit(&x->in_scope.scope, memory_order_relaxed)) unlink_entry(&x->in_scope);
  pthread_mutex_unlock(&lock);
}

/// Drops the scope's reference to one of its arrays. True: it was the last one. If the count is 0 already, another
/// thread is releasing the array and waits for the lock to unlink it.
static bool drop(weft_array *x) {
  uint64_t references = atomic_load_explicit(&x->object.references, memory_order_relaxed);
  /* a forked child does not touch arrays made before the fork */
  if (!weft__object_is_of_this_process(&x->object)) return false;
  while (references > 0 && !atomic_compare_exchange_weak_explicit(&x->object.references, &references, references - 1,
                                                                  memory_order_acq_rel, memory_order_relaxed)) {
  }
  return references == 1;
}

/* ---- the thread's stack ---- */

static void before_fork(void) {
  pthread_mutex_lock(&lock);
}

static void after_fork(void) {
  pthread_mutex_unlock(&lock);
}

/// Removes the innermost scope from the thread's stack. `release`: also drops the references it owns; otherwise its
/// arrays stay alive, in no scope.
static void pop(weft__scope **innermost, bool release) {
  weft__scope *scope = *innermost;
  *innermost = scope->outer;
  pthread_mutex_lock(&lock);
  /* the oldest is freed last, so the pool reuses it first: each round of a loop gets its buffers in one order */
  weft__scope_entry *first_dead = NULL, *last_dead = NULL;
  while (scope->head.previous != &scope->head) {
    weft__scope_entry *entry = scope->head.previous;
    bool dead = release && drop(array_of(entry));
    unlink_entry(entry);
    if (!dead) continue;
    entry->next = NULL;
    if (last_dead)
      last_dead->next = entry;
    else
      first_dead = entry;
    last_dead = entry;
  }
  pthread_mutex_unlock(&lock);
  while (first_dead) {
    weft__scope_entry *next = first_dead->next;
    weft__array_free(array_of(first_dead));
    first_dead = next;
  }
  free(scope);
}

static void end_thread(void *stack) {
  weft__scope **innermost = stack;
  while (*innermost) {
    weft__log(WEFT_LOG_WARNING, "a thread ended with the scope begun at %s open: its arrays stay alive, in no scope",
              (*innermost)->site);
    pop(innermost, false);
  }
}

static void install(void) {
  pthread_key_create(&thread_key, end_thread);
  pthread_atfork(before_fork, after_fork, after_fork);
}

/* ---- the calls ---- */

weft_status weft__scope_begin_at(weft_scope *scope, const char *site) {
  weft__enter("weft_scope_begin", site);
  WEFT__NEED(scope);
  scope->id = 0;
  weft__scope *made = weft__new(sizeof *made);
  if (!made) return weft__leave(WEFT_ERROR_HOST_MEMORY);
  pthread_once(&once, install);
  pthread_setspecific(thread_key, &weft__scope_now);
  made->head.previous = made->head.next = &made->head;
  made->outer = weft__scope_now;
  made->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
  made->site = site ? site : "unknown";
  scope->id = made->id;
  weft__scope_now = made;
  return weft__leave(WEFT_OK);
}

weft_status weft_scope_end(weft_scope *scope) {
  weft__enter("weft_scope_end", NULL);
  WEFT__NEED(scope);
  const weft__scope *found = weft__scope_now;
  while (found && found->id != scope->id) found = found->outer;
  if (!found)
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "scope", "`scope` is not open in this thread: %s",
                                  scope->id ? "it was never begun, or by another thread, or ended with one around it"
                                            : "it was ended before, or never begun"));
  while (weft__scope_now != found) {
    weft__log(WEFT_LOG_WARNING, "the scope begun at %s was never ended; it ends with the one around it, begun at %s",
              weft__scope_now->site, found->site);
    pop(&weft__scope_now, true);
  }
  pop(&weft__scope_now, true);
  scope->id = 0;
  return weft__leave(WEFT_OK);
}

weft_status weft_scope_keep(weft_array *x) {
  weft__scope *scope = weft__scope_now;
  weft_status rc;
  weft__enter("weft_scope_keep", NULL);
  WEFT__TRY(weft__handle_check(x, WEFT__MAGIC_ARRAY, "x"));
  if (!scope) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, NULL, "no scope is open in this thread"));
  pthread_mutex_lock(&lock);
  if (atomic_load_explicit(&x->in_scope.scope, memory_order_relaxed) == scope) {
    unlink_entry(&x->in_scope);
    if (scope->outer) link_entry(scope->outer, &x->in_scope);
  }
  pthread_mutex_unlock(&lock);
done:
  return weft__leave(rc);
}
