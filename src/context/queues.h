// SPDX-License-Identifier: MIT
/// Queues besides the queues of streams, for calls that transfer and compute at the same time. A chunk is
/// uploaded, computed and downloaded on one queue, in order; chunks on several queues overlap. The queues are slots of
/// the context (core/core.h), kept for the next call.
#ifndef WEFT_CONTEXT_QUEUES_H
#define WEFT_CONTEXT_QUEUES_H

#include "core/core.h"

#define WEFT__MAX_QUEUES 3
#define WEFT__IDLE_QUEUES (2 * WEFT__MAX_QUEUES)

/// The queues of a context that no call uses. They are closed with it.
typedef struct weft__queues {
  pthread_mutex_t lock;
  int count;
  int slot[WEFT__IDLE_QUEUES];
} weft__queues;

void weft__queues_init(weft__queues *queues);
void weft__queues_destroy(weft__queues *queues);

/// Takes `count` slots for this call alone. If streams do not wait for each other (tracking off), or no slots are left,
/// all of them are the slot that this thread uses. Errors: DRIVER.
weft_status weft__queues_take(int *slot, int count, weft__queues *queues, weft__core *core);
/// Gives the slots back; their work continues.
void weft__queues_give(const int *slot, int count, weft__queues *queues, weft__core *core);
/// Closes the unused queues, so that streams can have their slots. False if there was none.
bool weft__queues_close(weft__queues *queues, weft__core *core);

#endif
