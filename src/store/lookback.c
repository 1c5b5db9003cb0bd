// SPDX-License-Identifier: MIT
#include "store/lookback.h"

#include "cl/shared.h"
#include "mem/lifetime.h"
#include "mem/recorder.h"
#include "store/kernel_set.h"

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

/// Makes new memory, zeroed: no launch has epoch 0.
static weft_status renew(weft__lookback *lookback, weft__store *store, uint64_t words) {
  weft__storage *storage = NULL;
  uint64_t room = LEAST_WORDS;
  weft_status rc;
  while (room < words) room *= 2;
  const weft__fill_run zeros = {.end = COUNTER_BYTES + room * sizeof(uint64_t)};
  WEFT__TRY(weft__storage_create(&storage, store->pool, zeros.end, NULL));
  weft__ledger_remove(&store->core->ledger, &storage->entry); /* made by the library, so it is no leak of the user's */
  WEFT__TRY(weft__run_fill(store, storage, &zeros, NULL));
  weft__lookback_close(lookback);
  lookback->storage = storage;
  lookback->words = room;
  lookback->epoch = 1;
  lookback->ticket = 0;
  storage = NULL;
done:
  if (storage) weft__storage_release(storage);
  return weft__while(rc, "making the scratch memory of communicating blocks");
}

/// As in cl/lookback.clh: with PTX an extra block serves the others. On CPUs a block is one thread and always takes a
/// ticket.
uint64_t weft__lookback_tickets(const weft__store *store, uint64_t tiles) {
  if (store->is_cpu) return tiles;
  return tiles > 1 ? tiles + store->core->device->has_ptx : 0;
}

weft_status weft__lookback_begin(weft__lookback **out, weft__lookback_use *use, weft__store *store, uint64_t words) {
  /* a recording has its own, which its first command zeroes: a replay meets the epochs as the recorded calls did */
  weft__recorder *recorder = weft__recorder_of(store->core);
  weft__lookback *lookback = recorder ? recorder->lookback : &store->lookback[weft__slot_now(store->core)];
  weft_status rc = WEFT_OK;
  pthread_mutex_lock(&lookback->lock);
  if (!lookback->storage || lookback->words < words || lookback->epoch >> WEFT__EPOCH_BITS)
    rc = renew(lookback, store, words);
  if (rc) {
    pthread_mutex_unlock(&lookback->lock);
    return rc;
  }
  *out = lookback;
  *use = (weft__lookback_use){lookback->ticket, lookback->epoch++};
  return WEFT_OK;
}

void weft__lookback_end(weft__lookback *lookback, uint64_t tickets, weft_status rc) {
  lookback->ticket += (uint32_t)tickets;
  if (rc) weft__lookback_close(lookback);
  pthread_mutex_unlock(&lookback->lock);
}
