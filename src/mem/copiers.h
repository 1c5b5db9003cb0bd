// SPDX-License-Identifier: MIT
/// Threads that copy memory: one thread copies slower than a bus transfers (6 to 10 GB/s against 55 on the H200's
/// host). The threads are kept, because starting one takes as long as copying a megabyte. They sleep when there is
/// nothing to copy.
///
/// One transfer at a time posts jobs (mem/ring.c holds a lock meanwhile). Jobs are done in the order of their posting.
#ifndef WEFT_MEM_COPIERS_H
#define WEFT_MEM_COPIERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define WEFT__COPIERS 8    /* more threads gain nothing: PERFORMANCE in mem/ring.h */
#define WEFT__COPY_JOBS 32 /* jobs at a time: one per block of the ring */

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
  int threads; /* may be 0: the waiting thread copies then */
  atomic_bool ends;
  atomic_size_t posted, taken; /* numbers of jobs so far */
  weft__copy_job job[WEFT__COPY_JOBS];
} weft__copiers;

/// Starts half as many threads as there are processors, at most WEFT__COPIERS, or as many of them as the system allows.
void weft__copiers_start(weft__copiers *copiers);
/// Ends the threads. All posted jobs must be done, and no more may be posted.
void weft__copiers_stop(weft__copiers *copiers);

/// Posts a copy and returns its number. At most WEFT__COPY_JOBS later copies may be posted before this one was waited
/// for.
size_t weft__copiers_post(weft__copiers *copiers, void *to, const void *from, size_t size_bytes);
bool weft__copiers_is_done(const weft__copiers *copiers, size_t number);
/// Waits until the job is done.
void weft__copiers_wait(weft__copiers *copiers, size_t number);

#endif
