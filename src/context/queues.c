// SPDX-License-Identifier: MIT
#include "context/queues.h"

void weft__queues_init(weft__queues *queues) {
  pthread_mutex_init(&queues->lock, NULL);
  queues->count = 0;
}

void weft__queues_destroy(weft__queues *queues) {
  pthread_mutex_destroy(&queues->lock);
}

static int take_idle(weft__queues *queues) {
  pthread_mutex_lock(&queues->lock);
  int slot = queues->count > 0 ? queues->slot[--queues->count] : -1;
  pthread_mutex_unlock(&queues->lock);
  return slot;
}

weft_status weft__queues_take(int *slot, int count, weft__queues *queues, weft__core *core) {
  int own = weft__slot_now(core), taken = 0;
  weft_status rc = WEFT_OK;
  for (; taken < count && !core->untracked; taken++)
    if ((slot[taken] = take_idle(queues)) < 0) WEFT__TRY(weft__slot_open(core, &slot[taken]));
  if (taken == count) return WEFT_OK;
done:
  weft__queues_give(slot, taken, queues, core);
  for (int k = 0; k < count; k++) slot[k] = own;
  /* streams use all slots: nothing overlaps, which is not an error */
  return rc == WEFT_ERROR_UNSUPPORTED ? WEFT_OK : rc;
}

void weft__queues_give(const int *slot, int count, weft__queues *queues, weft__core *core) {
  for (int k = 0; k < count; k++) {
    if (slot[k] == weft__slot_now(core)) continue;
    pthread_mutex_lock(&queues->lock);
    bool keeps = queues->count < WEFT__IDLE_QUEUES;
    if (keeps) queues->slot[queues->count++] = slot[k];
    pthread_mutex_unlock(&queues->lock);
    if (!keeps) weft__slot_close(core, slot[k]);
  }
}

bool weft__queues_close(weft__queues *queues, weft__core *core) {
  bool any = false;
  for (int slot; (slot = take_idle(queues)) >= 0; any = true) weft__slot_close(core, slot);
  return any;
}
