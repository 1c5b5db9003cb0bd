// SPDX-License-Identifier: MIT
/// Queues beside the streams' own, for calls that move data and compute at the same time. A chunk goes up, is computed
/// and comes down on one queue, in order; chunks on several queues overlap. They are slots of the context
/// (core/core.h), kept for the next call.
#ifndef WEFT_CONTEXT_QUEUES_H
#define WEFT_CONTEXT_QUEUES_H

#include "core/core.h"

#define WEFT__MAX_QUEUES 3
#define WEFT__IDLE_QUEUES (2 * WEFT__MAX_QUEUES)

/// Those of a context that no call uses. They are closed with it.
typedef struct weft__queues {
  pthread_mutex_t lock;
  int count;
  int slot[WEFT__IDLE_QUEUES];
} weft__queues;

void weft__queues_init(weft__queues *queues);
void weft__queues_destroy(weft__queues *queues);

/// `count` slots for this call alone. Where streams do not wait for each other (tracking off), or there are no more
/// slots, they are all the one that the thread uses. Errors: DRIVER.
weft_status weft__queues_take(int *slot, int count, weft__queues *queues, weft__core *core);
/// The way back; what is under way on them goes on.
void weft__queues_give(const int *slot, int count, weft__queues *queues, weft__core *core);
/// Closes those that nobody uses, so that streams can have their slots. False where there were none.
bool weft__queues_close(weft__queues *queues, weft__core *core);

#endif
