// SPDX-License-Identifier: MIT
#include "store/lookback.h"

#include "array/array.h"
#include "map/plan.h"

#define COUNTER_BYTES 256
#define LEAST_WORDS 4096

void weft__lookback_init(weft__lookback *lookback) {
  pthread_mutex_init(&lookback->lock, NULL);
}

void weft__lookback_close(weft__lookback *lookback) {
  weft__storage *storage = lookback->storage;
  lookback->storage = NULL;
  if (storage) weft__storage_release(storage);
}

void weft__lookback_destroy(weft__lookback *lookback) {
  pthread_mutex_destroy(&lookback->lock);
}

/// New memory, all zero: epoch 0 is no launch's.
static weft_status renew(weft__lookback *lookback, weft_context *context, uint64_t words) {
  weft_array *bytes = NULL;
  uint64_t room = LEAST_WORDS;
  while (room < words) room *= 2;
  const weft_shape shape = WEFT_SHAPE((int64_t)(COUNTER_BYTES + room * sizeof(uint64_t)));
  weft_status rc = weft__array_create(&bytes, context, WEFT_U8, shape, NULL);
  if (rc == WEFT_OK) rc = weft_fill_at(bytes, WEFT_SCALAR(0), NULL);
  if (rc == WEFT_OK) {
    weft__lookback_close(lookback);
    weft__storage_retain(bytes->storage);
    weft__ledger_remove(&context->core.ledger, &bytes->storage->entry); /* the user has not made it and cannot forget it */
    lookback->storage = bytes->storage;
    lookback->words = room;
    lookback->epoch = 1;
    lookback->ticket = 0;
  }
  weft_array_release(&bytes);
  return rc;
}

/// cl/lookback.clh: with PTX an extra block serves the others. On CPUs a block is one thread and always takes a ticket.
uint64_t weft__lookback_tickets(const weft_context *context, uint64_t tiles, bool is_cpu) {
  if (is_cpu) return tiles;
  return tiles > 1 ? tiles + context->core.device->has_ptx : 0;
}

weft_status weft__lookback_begin(weft__storage **storage, weft__lookback_use *use, weft_context *context, uint64_t words) {
  weft__plans *plans;
  weft_status rc = weft__plans_of(&plans, context);
  if (rc) return rc;
  weft__lookback *lookback = &plans->lookback[weft__slot_now(&context->core)];
  pthread_mutex_lock(&lookback->lock);
  if (!lookback->storage || lookback->words < words || lookback->epoch >> WEFT__EPOCH_BITS) rc = renew(lookback, context, words);
  if (rc) {
    pthread_mutex_unlock(&lookback->lock);
    return weft__while(rc, "making the memory in which blocks meet");
  }
  *storage = lookback->storage;
  *use = (weft__lookback_use){lookback->ticket, lookback->epoch++};
  return WEFT_OK;
}

void weft__lookback_end(weft_context *context, uint32_t tickets) {
  weft__plans *plans;
  if (weft__plans_of(&plans, context) != WEFT_OK) return; /* they were there in begin */
  weft__lookback *lookback = &plans->lookback[weft__slot_now(&context->core)];
  lookback->ticket += tickets;
  pthread_mutex_unlock(&lookback->lock);
}
