// SPDX-License-Identifier: MIT
#include "mem/storage.h"

#include <stdlib.h>

#include "mem/host.h"
#include "mem/timeline.h"
#include "ocl/call.h"

static void begin(weft__storage *storage, weft__pool *pool, uint64_t size_bytes, const char *site) {
  atomic_init(&storage->references, 1);
  storage->pool = pool;
  storage->size_bytes = size_bytes;
  storage->read_only = NULL;
  storage->lender = (weft__lender){0};
  storage->life = 0;
  storage->entry.foreign = storage->adopted;
  weft__ledger_add(&pool->core->ledger, &storage->entry, WEFT__LEDGER_STORAGE, storage, size_bytes, site);
  struct weft__timeline *timeline = weft__timeline_of(pool->core);
  if (timeline) weft__timeline_made(timeline, storage);
}

weft_status weft__storage_create(weft__storage **out, weft__pool *pool, uint64_t size_bytes, const char *site) {
  weft__storage *storage;
  weft_status rc = weft__pool_take(pool, &storage, size_bytes);
  if (rc) return rc;
  begin(storage, pool, size_bytes, site);
  if (pool->core->guard) rc = weft__guard_begin(storage);
  if (rc)
    weft__storage_release(storage);
  else
    *out = storage;
  return rc;
}

weft_status weft__storage_adopt(weft__storage **out, weft__pool *pool, cl_mem mem, uint64_t size_bytes, const char *read_only,
                                const char *site) {
  weft__storage *storage = weft__new(sizeof *storage);
  if (!storage) return WEFT_ERROR_HOST_MEMORY;
  cl_int code = clRetainMemObject(mem);
  if (code != CL_SUCCESS) {
    free(storage);
    return weft__cl_fail(code, "clRetainMemObject");
  }
  storage->mem = mem;
  storage->adopted = true;
  begin(storage, pool, size_bytes, site);
  storage->read_only = read_only;
  *out = storage;
  return WEFT_OK;
}

void weft__storage_retain(weft__storage *storage) {
  atomic_fetch_add_explicit(&storage->references, 1, memory_order_relaxed);
}

void weft__storage_release(weft__storage *storage) {
  if (!storage || atomic_fetch_sub_explicit(&storage->references, 1, memory_order_acq_rel) > 1) return;
  weft__pool *pool = storage->pool;
  weft__lender lender = storage->lender;
  weft__ledger_remove(&pool->core->ledger, &storage->entry);
  weft__storage_end_map(storage);
  const weft__timeline_life life = weft__timeline_life_of(storage);
  /* a device that died marks the context lost, which the next call says */
  if (lender.give_back && !atomic_load(&pool->core->lost)) weft__core_wait(pool->core);
  if (storage->guarded && weft__guard_put_aside(storage)) {
    /* it is the guard's now, or gone already */
  } else if (storage->mem && !storage->adopted) {
    weft__pool_give(pool, storage);
  } else {
    if (storage->mem) clReleaseMemObject(storage->mem);
    free(storage);
  }
  struct weft__timeline *timeline = weft__timeline_of(pool->core);
  if (timeline) weft__timeline_gone(timeline, pool, life);
  if (lender.give_back) lender.give_back(lender.user);
}

void weft__storage_free_memory(weft__storage *storage) {
  if (storage->guarded) weft__guard_end(storage);
  if (storage->mem) clReleaseMemObject(storage->mem);
  if (storage->whole) clReleaseMemObject(storage->whole);
  storage->mem = storage->whole = NULL;
}

void weft__storage_close(weft__storage *storage) {
  weft__storage_end_map(storage);
  if (storage->adopted) {
    clReleaseMemObject(storage->mem);
    storage->mem = NULL;
  } else {
    weft__pool_close(storage->pool, storage);
  }
  struct weft__timeline *timeline = weft__timeline_of(storage->pool->core);
  if (timeline) weft__timeline_gone(timeline, storage->pool, weft__timeline_life_of(storage));
  storage->life = 0;
  weft__lender lender = storage->lender;
  storage->lender = (weft__lender){0};
  if (lender.give_back) lender.give_back(lender.user);
}

weft_status weft__storage_order(weft__storage *storage, int slot, bool writes) {
  weft__core *core = storage->pool->core;
  if (storage->mapped && (writes || storage->mapped_for_write)) return weft__mapped_refuse(storage);
  if (core->untracked) return WEFT_OK;
  uint64_t writer = atomic_load_explicit(&storage->writer, memory_order_relaxed);
  weft_status rc = WEFT_OK;
  if ((int)(writer % WEFT__MAX_STREAMS) != slot)
    rc = weft__slot_after(core, slot, (int)(writer % WEFT__MAX_STREAMS), writer / WEFT__MAX_STREAMS);
  if (!writes) return rc;
  uint64_t others = atomic_load_explicit(&storage->readers, memory_order_relaxed) & ~((uint64_t)1 << slot);
  for (int s = 0; others && rc == WEFT_OK; s++, others >>= 1)
    if (others & 1) rc = weft__slot_after(core, slot, s, atomic_load(&core->slot[s].issued));
  return rc;
}

bool weft__storage_is_free(const weft__storage *storage, int slot) {
  weft__slot *slots = storage->pool->core->slot;
  uint64_t writer = atomic_load_explicit(&storage->writer, memory_order_relaxed);
  int wrote = (int)(writer % WEFT__MAX_STREAMS);
  if (wrote != slot && atomic_load(&slots[wrote].completed) < writer / WEFT__MAX_STREAMS) return false;
  uint64_t others = atomic_load_explicit(&storage->readers, memory_order_relaxed) & ~((uint64_t)1 << slot);
  for (int s = 0; others; s++, others >>= 1)
    if ((others & 1) && atomic_load(&slots[s].completed) < atomic_load(&slots[s].issued)) return false;
  return true;
}

void weft__storage_mark(weft__storage *storage, int slot, bool writes, uint64_t number) {
  if (writes) {
    atomic_store_explicit(&storage->writer, number * WEFT__MAX_STREAMS + (uint64_t)slot, memory_order_relaxed);
    atomic_store_explicit(&storage->readers, 0, memory_order_relaxed);
  } else {
    uint64_t bit = (uint64_t)1 << slot;
    /* several threads may read one array: only the first of them on a slot pays for the write */
    if (!(atomic_load_explicit(&storage->readers, memory_order_relaxed) & bit))
      atomic_fetch_or_explicit(&storage->readers, bit, memory_order_relaxed);
  }
}
