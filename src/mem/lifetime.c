// SPDX-License-Identifier: MIT
#include "mem/lifetime.h"

#include <stdlib.h>

#include "mem/recorder.h"
#include "mem/timeline.h"
#include "ocl/codes.h"

/// `array_entry`: the entry of the array made with the storage; NULL: no array.
static void begin(weft__storage *storage, weft__pool *pool, uint64_t size_bytes, weft__ledger_entry *array_entry,
                  void *array, const char *site) {
  weft__ledger *ledger = &pool->core->ledger;
  atomic_init(&storage->references, 1);
  storage->core = pool->core;
  storage->pool = pool;
  storage->size_bytes = size_bytes;
  storage->read_only = NULL;
  storage->lender = (weft__lender){0};
  storage->life = 0;
  storage->entry.foreign = storage->adopted;
  if (array_entry)
    weft__ledger_add_array(ledger, &storage->entry, storage, array_entry, array, size_bytes, site);
  else
    weft__ledger_add(ledger, &storage->entry, WEFT__LEDGER_STORAGE, storage, size_bytes, site);
  struct weft__timeline *timeline = weft__timeline_of(pool->core);
  if (timeline) weft__timeline_made(timeline, storage);
}

weft_status weft__storage_create_image(weft__storage **out, weft__pool *pool, const weft__image_form *form,
                                       uint64_t size_bytes, const char *site) {
  WEFT__TRY_RETURN(weft__pool_take_image(pool, out, form, size_bytes));
  begin(*out, pool, size_bytes, NULL, NULL, site);
  return WEFT_OK;
}

static weft_status create(weft__storage **out, weft__pool *pool, uint64_t size_bytes, bool is_shared,
                          weft__ledger_entry *array_entry, void *array, const char *site) {
  weft__storage *storage;
  weft__recorder *recorder = weft__recorder_of(pool->core);
  if (recorder && is_shared == pool->takes_slabs && (storage = recorder->reuse(recorder, size_bytes))) {
    if (array_entry) weft__ledger_add(&pool->core->ledger, array_entry, WEFT__LEDGER_ARRAY, array, size_bytes, site);
    *out = storage;
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(weft__pool_take(pool, &storage, size_bytes, is_shared));
  begin(storage, pool, size_bytes, array_entry, array, site);
  weft_status rc = pool->core->guard ? weft__guard_begin(storage) : WEFT_OK;
  if (rc == WEFT_OK && recorder) rc = recorder->keep(recorder, storage);
  if (rc == WEFT_OK)
    *out = storage;
  else if (array_entry)
    weft__storage_release_of(storage, array_entry);
  else
    weft__storage_release(storage);
  return rc;
}

weft_status weft__storage_create_for(weft__storage **out, weft__pool *pool, uint64_t size_bytes,
                                     weft__ledger_entry *array_entry, void *array, const char *site) {
  return create(out, pool, size_bytes, pool->takes_slabs, array_entry, array, site);
}

weft_status weft__storage_create(weft__storage **out, weft__pool *pool, uint64_t size_bytes, const char *site) {
  return create(out, pool, size_bytes, pool->takes_slabs, NULL, NULL, site);
}

weft_status weft__storage_create_shared(weft__storage **out, weft__pool *pool, uint64_t size_bytes, const char *site) {
  WEFT__TRY_RETURN(weft__cuda_open(pool->core));
  return create(out, pool, size_bytes, true, NULL, NULL, site);
}

weft_status weft__storage_adopt(weft__storage **out, weft__pool *pool, weft__cl_mem mem, uint64_t size_bytes,
                                const char *read_only, const char *site) {
  weft__storage *storage = weft__new(sizeof *storage);
  if (!storage) return WEFT_ERROR_HOST_MEMORY;
  int code = weft__retain(mem);
  if (code) {
    free(storage);
    return weft__cl_fail(code, "clRetainMemObject");
  }
  storage->mem = mem;
  storage->adopted = storage->is_public = true;
  begin(storage, pool, size_bytes, NULL, NULL, site);
  storage->read_only = read_only;
  *out = storage;
  return WEFT_OK;
}

void weft__storage_retain(weft__storage *storage) {
  atomic_fetch_add_explicit(&storage->references, 1, memory_order_relaxed);
}

/// Ends a storage whose last reference was released and whose entry is out of the ledger.
static void end(weft__storage *storage) {
  weft__pool *pool = storage->pool;
  weft__lender lender = storage->lender;
  weft__storage_end_map(storage);
  const weft__timeline_life life = weft__timeline_life_of(storage);
  /* an error of a device that died marks the context lost, and the next call reports it */
  if (lender.give_back && !atomic_load(&pool->core->lost)) weft__core_wait(pool->core);
  weft__storage *given_back = NULL;
  const bool is_aside = storage->guarded && weft__guard_put_aside(&given_back, storage);
  weft__pool_give_all(pool, given_back);
  if (is_aside) {
    /* the guard owns it */
  } else if (storage->mem && !storage->adopted) {
    weft__pool_give(pool, storage);
  } else {
    weft__release(storage->mem);
    free(storage);
  }
  struct weft__timeline *timeline = weft__timeline_of(pool->core);
  if (timeline) weft__timeline_gone(timeline, pool, life);
  if (lender.give_back) lender.give_back(lender.user);
}

static bool drop(weft__storage *storage) {
  return atomic_fetch_sub_explicit(&storage->references, 1, memory_order_acq_rel) == 1;
}

void weft__storage_release(weft__storage *storage) {
  if (!storage || !drop(storage)) return;
  weft__ledger_remove(&storage->core->ledger, &storage->entry);
  end(storage);
}

void weft__storage_release_of(weft__storage *storage, weft__ledger_entry *array_entry) {
  weft__ledger *ledger = &storage->core->ledger;
  if (drop(storage)) {
    weft__ledger_remove_array(ledger, &storage->entry, array_entry);
    end(storage);
  } else {
    weft__ledger_remove(ledger, array_entry);
  }
}

void weft__storage_close(weft__storage *storage) {
  weft__storage_end_map(storage);
  if (storage->adopted) {
    weft__release(storage->mem);
    storage->mem = NULL;
  } else {
    weft__pool_close(storage->pool, storage);
  }
  struct weft__timeline *timeline = weft__timeline_of(storage->core);
  if (timeline) weft__timeline_gone(timeline, storage->pool, weft__timeline_life_of(storage));
  storage->life = 0;
  weft__lender lender = storage->lender;
  storage->lender = (weft__lender){0};
  if (lender.give_back) lender.give_back(lender.user);
}
