// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "engine/shares.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>
#include "engine/tuning.h"

/// A task that threads share, while its caller waits for it.
typedef struct job {
  struct job *next; /* in the list of jobs that may have shares which nobody has taken */
  void *(*function)(void *share);
  weft__share part[WEFT__MOST_SHARES];
  int shares;
  atomic_int taken;
  atomic_int users; /* threads of the pool that compute shares; changes under the lock */
  bool is_listed;
} job;

/// The pool, made at its first use. `lock` guards the rest; without it `listed` may be read.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_wanted = PTHREAD_COND_INITIALIZER, is_done = PTHREAD_COND_INITIALIZER;
static job *jobs;
static atomic_int listed; /* jobs */
static int threads, asleep;
static pthread_t thread[WEFT__MOST_SHARES];
static bool ends;

/// Computes shares until all are taken.
static void compute(job *j) {
  for (int k = atomic_fetch_add(&j->taken, 1); k < j->shares; k = atomic_fetch_add(&j->taken, 1))
    j->function(&j->part[k]);
}

/// The caller has the lock.
static void list(job *j) {
  j->next = jobs;
  jobs = j;
  j->is_listed = true;
  atomic_fetch_add(&listed, 1);
}

static void unlist(job *j) {
  job **at = &jobs;
  if (!j->is_listed) return;
  while (*at != j) at = &(*at)->next;
  *at = j->next;
  j->is_listed = false;
  atomic_fetch_sub(&listed, 1);
}

/// Gives the processor to others until there is work, for a while. The caller has the lock, and has it again.
static void look_for_work(void) {
  pthread_mutex_unlock(&lock);
  for (int tries = 0; tries < WEFT__MOST_YIELDS && atomic_load_explicit(&listed, memory_order_relaxed) == 0; tries++)
    sched_yield();
  pthread_mutex_lock(&lock);
}

static void *work(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!ends) {
    job *j = jobs;
    if (j) {
      atomic_fetch_add(&j->users, 1);
      pthread_mutex_unlock(&lock);
      compute(j);
      pthread_mutex_lock(&lock);
      unlist(j);
      if (atomic_fetch_sub(&j->users, 1) == 1) pthread_cond_broadcast(&is_done);
      continue;
    }
    look_for_work();
    if (jobs || ends) continue;
    asleep++;
    pthread_cond_wait(&is_wanted, &lock);
    asleep--;
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/// A forked process has no threads of the pool.
static void in_child(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&is_wanted, NULL);
  pthread_cond_init(&is_done, NULL);
  jobs = NULL;
  threads = asleep = 0;
  atomic_store(&listed, 0);
}

/// The code of the threads may be unloaded behind this.
__attribute__((destructor)) static void end_threads(void) {
  pthread_mutex_lock(&lock);
  const int count = threads;
  threads = 0;
  ends = true;
  pthread_cond_broadcast(&is_wanted);
  pthread_mutex_unlock(&lock);
  for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
}

/// Adds threads up to `wanted`, but with the caller no more than there are processors, or as many as the system allows.
/// They take no signals, and run on all processors of the process, also if the caller is bound to some of them.
static void grow(int wanted) {
  static bool is_registered;
  static int most = -1;
  if (most < 0) most = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
  if (wanted > most) wanted = most;
  if (threads >= wanted) return;
  if (!is_registered) is_registered = pthread_atfork(NULL, NULL, in_child) == 0;
  if (!is_registered) return;
  sigset_t all, before;
  cpu_set_t processors;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  if (sched_getaffinity(getpid(), sizeof processors, &processors) == 0)
    pthread_attr_setaffinity_np(&attributes, sizeof processors, &processors);
  while (threads < wanted && pthread_create(&thread[threads], &attributes, work, NULL) == 0) threads++;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void weft__run_shares(int shares, void *(*function)(void *share), const void *all) {
  if (shares == 1) {
    function(&(weft__share){all, 0});
    return;
  }
  job j = {.function = function, .shares = shares};
  for (int k = 0; k < shares; k++) j.part[k] = (weft__share){all, (size_t)k};
  pthread_mutex_lock(&lock);
  grow(shares - 1);
  list(&j);
  const int wanted = asleep < shares - 1 ? asleep : shares - 1;
  pthread_mutex_unlock(&lock); /* which those that are woken take */
  for (int k = 0; k < wanted; k++) pthread_cond_signal(&is_wanted);
  compute(&j);
  for (int tries = 0; tries < WEFT__MOST_YIELDS && atomic_load(&j.users); tries++) sched_yield();
  pthread_mutex_lock(&lock);
  unlist(&j);
  while (atomic_load(&j.users)) pthread_cond_wait(&is_done, &lock);
  pthread_mutex_unlock(&lock);
}
