// SPDX-License-Identifier: MIT
/// Threads that copy memory: one thread alone copies slower than a bus carries (6 to 10 GB/s against 55 on the H200's
/// host). They stand ready, as starting one takes as long as copying a megabyte, and sleep when nothing is to be
/// copied.
///
/// One transfer at a time posts jobs (mem/ring.c holds a lock meanwhile); jobs are taken in the order in which they
/// were posted.
#ifndef WEFT_MEM_COPIERS_H
#define WEFT_MEM_COPIERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define WEFT__COPIERS 8    /* more bring nothing: PERFORMANCE in mem/ring.h */
#define WEFT__COPY_JOBS 32 /* that exist at the same time: one for each slot of the ring */

typedef struct weft__copy_job {
  char *to;
  const char *from;
  size_t size_bytes;
  atomic_bool done;
} weft__copy_job;

typedef struct weft__copiers {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  pthread_t thread[WEFT__COPIERS];
  int threads; /* may be 0: then who waits copies */
  atomic_bool ends;
  atomic_size_t posted, taken; /* numbers of jobs so far */
  weft__copy_job job[WEFT__COPY_JOBS];
} weft__copiers;

/// Starts the threads: half as many as there are processors, WEFT__COPIERS at most. Those that the system refuses are
/// not there.
void weft__copiers_start(weft__copiers *copiers);
/// Ends them. Nothing may be posted any more; what was posted is done.
void weft__copiers_stop(weft__copiers *copiers);

/// Posts a copy and returns its number. WEFT__COPY_JOBS later ones at most may be posted before this one was waited
/// for.
size_t weft__copiers_post(weft__copiers *copiers, void *to, const void *from, size_t size_bytes);
bool weft__copiers_is_done(const weft__copiers *copiers, size_t number);
/// Returns when the job is done.
void weft__copiers_wait(weft__copiers *copiers, size_t number);

#endif
