// SPDX-License-Identifier: MIT
#include "mem/copiers.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define SPIN_NS 50000u /* an idle thread polls this long before it sleeps: waking it takes as long */

/// Does the next job. Returns false if no job is pending.
static bool copy_next(weft__copiers *c) {
  size_t number = atomic_load(&c->taken);
  do {
    if (number == atomic_load(&c->posted)) return false;
  } while (!atomic_compare_exchange_weak(&c->taken, &number, number + 1));
  weft__copy_job *job = &c->job[number % WEFT__COPY_JOBS];
  memcpy(job->to, job->from, job->size_bytes);
  atomic_store_explicit(&job->done, true, memory_order_release);
  return true;
}

static bool is_idle(weft__copiers *c) {
  return atomic_load(&c->taken) == atomic_load(&c->posted);
}

static void *copy_and_sleep(void *argument) {
  weft__copiers *c = argument;
  while (!atomic_load(&c->ends)) {
    if (copy_next(c)) continue;
    uint64_t start = weft__now_ns();
    while (is_idle(c) && !atomic_load(&c->ends) && weft__now_ns() - start < SPIN_NS) {
    }
    if (!is_idle(c)) continue;
    pthread_mutex_lock(&c->lock);
    while (is_idle(c) && !atomic_load(&c->ends)) pthread_cond_wait(&c->wake, &c->lock);
    pthread_mutex_unlock(&c->lock);
  }
  return NULL;
}

void weft__copiers_start(weft__copiers *c) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long wanted = processors > 1 ? processors / 2 : 0;
  if (wanted > WEFT__COPIERS) wanted = WEFT__COPIERS;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->wake, NULL);
  atomic_init(&c->ends, false);
  atomic_init(&c->posted, 0);
  atomic_init(&c->taken, 0);
  for (c->threads = 0; c->threads < wanted; c->threads++)
    if (pthread_create(&c->thread[c->threads], NULL, copy_and_sleep, c)) break;
}

void weft__copiers_stop(weft__copiers *c) {
  pthread_mutex_lock(&c->lock);
  atomic_store(&c->ends, true);
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->lock);
  for (int t = 0; t < c->threads; t++) pthread_join(c->thread[t], NULL);
  pthread_cond_destroy(&c->wake);
  pthread_mutex_destroy(&c->lock);
}

size_t weft__copiers_post(weft__copiers *c, void *to, const void *from, size_t size_bytes) {
  size_t number = atomic_load(&c->posted);
  weft__copy_job *job = &c->job[number % WEFT__COPY_JOBS];
  job->to = to;
  job->from = from;
  job->size_bytes = size_bytes;
  atomic_store(&job->done, false);
  /* posted under the lock, so that a thread about to sleep does not miss it */
  pthread_mutex_lock(&c->lock);
  atomic_store(&c->posted, number + 1);
  pthread_cond_signal(&c->wake);
  pthread_mutex_unlock(&c->lock);
  return number;
}

bool weft__copiers_is_done(const weft__copiers *c, size_t number) {
  return atomic_load_explicit((atomic_bool *)&c->job[number % WEFT__COPY_JOBS].done, memory_order_acquire);
}

void weft__copiers_wait(weft__copiers *c, size_t number) {
  /* with copy threads the caller only waits: while it copied, it could not enqueue the blocks that become ready */
  while (!weft__copiers_is_done(c, number) && c->threads == 0 && copy_next(c)) {
  }
  while (!weft__copiers_is_done(c, number)) sched_yield();
}
