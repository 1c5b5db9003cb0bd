// SPDX-License-Identifier: MIT
/// Threads that compute the shares of a task on the host: one pool of the process, which stays.
///
///     static void *add_share(void *user) {
///       const weft__share *part = user;
///       const sums *s = part->all;
///       ... the part number part->number of all ...
///       return NULL;
///     }
///
///     weft__run_shares(threads, add_share, &s);
#ifndef WEFT_ENGINE_SHARES_H
#define WEFT_ENGINE_SHARES_H

#include <stddef.h>
#include <stdint.h>

enum { WEFT__MOST_SHARES = 64 };

/// What a thread does of a task.
typedef struct weft__share {
  const void *all;
  size_t number;
} weft__share;

/// As many shares as the work pays for: 1 to `most`, or to WEFT__MOST_SHARES.
static inline int weft__shares_of(uint64_t paid, uint64_t most) {
  if (most > WEFT__MOST_SHARES) most = WEFT__MOST_SHARES;
  if (most > paid) most = paid;
  return most > 1 ? (int)most : 1;
}

/// Calls the function for each of 1 to WEFT__MOST_SHARES shares, in this thread and the pool's threads, and waits. A
/// thread may compute several shares one after the other: a share must not wait for one that has not begun.
void weft__run_shares(int shares, void *(*function)(void *share), const void *all);

#endif
