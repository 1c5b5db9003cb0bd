// SPDX-License-Identifier: MIT
#include "mem/storage.h"

/// Records the error that a command needs memory the host has mapped.
static weft_status refuse_mapped(const weft__storage *storage) {
  return weft__fail(WEFT_ERROR_ARGUMENT, NULL, "memory made at %s is mapped for the host%s; weft_unmap it first",
                    storage->entry.site, storage->mapped_for_write ? " to write" : ", and would be written");
}

void weft__storage_end_map(weft__storage *storage) {
  weft__core *core = storage->core;
  if (!storage->mapped) return;
  int slot = weft__slot_now(core);
  if (!core->slot[slot].queue) slot = 0; /* a context that is being closed has only its default queue */
  /* the next call reports a failure of the driver */
  weft__slot_enqueue(core, slot,
                     &(weft__command){.kind = WEFT__COMMAND_UNMAP, .mem = storage->mem, .host = storage->mapped}, NULL);
  storage->mapped = NULL;
  weft__storage_mark(storage, slot, true, weft__slot_issue(core, slot));
}

weft_status weft__storage_wait_for_others(weft__storage *storage, int slot, bool writes) {
  weft__core *core = storage->core;
  if (storage->mapped && (writes || storage->mapped_for_write)) return refuse_mapped(storage);
  if (core->untracked) return WEFT_OK;
  uint64_t writer = atomic_load_explicit(&storage->writer, memory_order_relaxed);
  if ((int)(writer % WEFT__MAX_STREAMS) != slot)
    WEFT__TRY_RETURN(weft__slot_after(core, slot, (int)(writer % WEFT__MAX_STREAMS), writer / WEFT__MAX_STREAMS));
  if (!writes) return WEFT_OK;
  uint64_t others = atomic_load_explicit(&storage->readers, memory_order_relaxed) & ~((uint64_t)1 << slot);
  for (int s = 0; others; s++, others >>= 1)
    if (others & 1) WEFT__TRY_RETURN(weft__slot_after(core, slot, s, atomic_load(&core->slot[s].issued)));
  return WEFT_OK;
}

bool weft__storage_is_free(const weft__storage *storage, int slot) {
  weft__slot *slots = storage->core->slot;
  uint64_t writer = atomic_load_explicit(&storage->writer, memory_order_relaxed);
  int wrote = (int)(writer % WEFT__MAX_STREAMS);
  if (wrote != slot && atomic_load(&slots[wrote].completed) < writer / WEFT__MAX_STREAMS) return false;
  uint64_t others = atomic_load_explicit(&storage->readers, memory_order_relaxed) & ~((uint64_t)1 << slot);
  for (int s = 0; others; s++, others >>= 1)
    if ((others & 1) && atomic_load(&slots[s].completed) < atomic_load(&slots[s].issued)) return false;
  return true;
}

bool weft__storage_is_done(const weft__storage *storage, bool writes) {
  const weft__slot *slots = storage->core->slot;
  const uint64_t writer = atomic_load_explicit(&storage->writer, memory_order_relaxed);
  if (atomic_load(&slots[writer % WEFT__MAX_STREAMS].completed) < writer / WEFT__MAX_STREAMS) return false;
  uint64_t readers = writes ? atomic_load_explicit(&storage->readers, memory_order_relaxed) : 0;
  for (int s = 0; readers; s++, readers >>= 1)
    if ((readers & 1) && atomic_load(&slots[s].completed) < atomic_load(&slots[s].issued)) return false;
  return true;
}
