// SPDX-License-Identifier: MIT
/// Memory for kernels whose blocks communicate. It is kept between launches, so that it need not be cleared before
/// each: a ticket counter that only grows, and status words tagged with the number of their launch (its epoch).
/// cl/lookback.clh is the kernels' side.
///
/// Each stream has its own memory, so that work on several streams overlaps. A lock is held from weft__lookback_begin
/// to _end, so that tickets are issued in the order of the launches.
#ifndef WEFT_STORE_LOOKBACK_H
#define WEFT_STORE_LOOKBACK_H

#include "cl/shared.h"
#include "mem/storage.h"

/// The number of bits of a status word that hold the epoch.
#define WEFT__EPOCH_BITS 28

struct weft__store;

typedef struct weft__lookback {
  pthread_mutex_t lock;
  weft__storage *storage; /* NULL: not used yet. 256 bytes of counters, then 64-bit words */
  uint64_t words;
  uint32_t epoch, ticket; /* of the next launch */
} weft__lookback;

void weft__lookback_init(weft__lookback *lookback);
void weft__lookback_close(weft__lookback *lookback);
void weft__lookback_destroy(weft__lookback *lookback);

/// The number of blocks that take a ticket in a launch over `tiles`. 0: one block, without a ticket.
uint64_t weft__lookback_tickets(const struct weft__store *store, uint64_t tiles);
/// Locks the memory of this thread's stream. It has at least `words` status words, none tagged with the epoch in *use.
/// The kernel must get its storage as a buffer it writes. After a failure nothing is locked.
weft_status weft__lookback_begin(weft__lookback **lookback, weft__lookback_use *use, struct weft__store *store,
                                 uint64_t words);
/// Releases the lock. `tickets`: the number of blocks that take one. `rc`: the launch's status. After a failure the
/// memory is replaced: it is not known whether the blocks have taken their tickets.
void weft__lookback_end(weft__lookback *lookback, uint64_t tickets, weft_status rc);

#endif
