// SPDX-License-Identifier: MIT
/// Memory that kernels whose blocks talk to each other keep between launches, so that it need not be cleared before
/// each: a ticket counter that only grows, and status words that carry the number of the launch they belong to (its
/// epoch). The kernels' side is cl/lookback.clh.
///
/// Each stream has its own, so that work on several overlaps. From weft__lookback_begin to _end a lock is held, so that
/// tickets are handed out in the order of the launches.
#ifndef WEFT_STORE_LOOKBACK_H
#define WEFT_STORE_LOOKBACK_H

#include "cl/shared.h"
#include "mem/storage.h"

/// Bits of a status word that hold the epoch.
#define WEFT__EPOCH_BITS 28

struct weft__store;

typedef struct weft__lookback {
  pthread_mutex_t lock;
  weft__storage *storage; /* NULL: nothing used it yet. 256 bytes of counters, then 64-bit words */
  uint64_t words;
  uint32_t epoch, ticket; /* of the next launch */
} weft__lookback;

void weft__lookback_init(weft__lookback *lookback);
void weft__lookback_close(weft__lookback *lookback);
void weft__lookback_destroy(weft__lookback *lookback);

/// The number of blocks that take a ticket in a launch over `tiles`. 0: one block, without a ticket.
uint64_t weft__lookback_tickets(const struct weft__store *store, uint64_t tiles);
/// The memory of this thread's stream, locked: at least `words` status words, none of which carries the epoch in *use.
/// Its storage is to be passed to the kernel as a buffer it writes. On failure nothing is locked.
weft_status weft__lookback_begin(weft__lookback **lookback, weft__lookback_use *use, struct weft__store *store,
                                 uint64_t words);
/// Gives the lock back. `tickets`: how many blocks took one; 0 where the launch failed.
void weft__lookback_end(weft__lookback *lookback, uint64_t tickets);

#endif
