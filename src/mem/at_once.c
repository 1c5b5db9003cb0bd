// SPDX-License-Identifier: MIT
#include "mem/at_once.h"

#include "mem/host_memory.h"
#include "mem/recorder.h"

/* PoCL 3.1 on two cores, additions of f32 by the calling thread and launched: 100 000 elements 9.1 and 10.7 us, 200 000
   elements 20 and 24, 300 000 elements 36 and 36. On more cores a launch gains more; not measured. */
#define FEW_UNITS 4
#define FEW_UNITS_BYTES (3 << 20)

size_t weft__at_once_bytes(const weft__core *core) {
  return core->device->info.compute_units <= FEW_UNITS ? FEW_UNITS_BYTES : WEFT__AT_ONCE_BYTES;
}

/// Whether work in this context may leave the device's queue out.
static bool may_skip_queue(const weft__core *core) {
  const weft__quirks *quirks = &core->device->quirks;
  return !core->launches_few && !atomic_load_explicit(&core->is_lent, memory_order_relaxed) && quirks->wraps_in_place &&
         weft__host_reaches(core) && !core->untracked && !core->adopted && !weft__is_observed(core) &&
         !weft__recorder_of(core);
}

/// Finds where the driver keeps the storage: this takes as long as several launches, and would wait for commands in the
/// queue. The queue is empty again behind it, so that the next storages can be found too.
static weft_status find(char **place, weft__core *core, weft__storage *storage, int slot) {
  weft__reach reach = {.storage = storage, .size_bytes = storage->size_bytes, .reads = true};
  WEFT__TRY_RETURN(weft__reach_open(&reach, slot));
  WEFT__TRY_RETURN(weft__reach_close(&reach, slot));
  *place = atomic_load_explicit(&storage->in_place, memory_order_relaxed);
  return weft__slot_wait(core, slot);
}

weft_status weft__at_once(bool *may, char **place, weft__core *core, int uses, const weft__use *use) {
  *may = false;
  if (!may_skip_queue(core)) return WEFT_OK;
  bool are_done = true, are_known = true;
  for (int k = 0; k < uses; k++) {
    if (use[k].storage->is_public || use[k].storage->mapped || use[k].storage->size_bytes == 0) return WEFT_OK;
    are_done = are_done && weft__storage_is_done(use[k].storage, use[k].writes);
  }
  const int slot = weft__slot_now(core);
  const bool is_idle = atomic_load(&core->slot[slot].completed) == atomic_load(&core->slot[slot].issued);
  for (int k = 0; k < uses; k++) {
    weft__storage *storage = use[k].storage;
    place[k] = atomic_load_explicit(&storage->in_place, memory_order_relaxed);
    if (place[k]) continue;
    const bool was_wanted = atomic_exchange_explicit(&storage->is_wanted, true, memory_order_relaxed);
    if (was_wanted && are_done && is_idle) WEFT__TRY_RETURN(find(&place[k], core, storage, slot));
    are_known = are_known && place[k];
  }
  *may = are_done && are_known;
  return WEFT_OK;
}

weft_status weft__at_once_waiting(bool *may, char **place, weft__core *core, int uses, const weft__use *use) {
  WEFT__TRY_RETURN(weft__at_once(may, place, core, uses, use));
  if (*may || !may_skip_queue(core)) return WEFT_OK;
  const int slot = weft__slot_now(core);
  for (int k = 0; k < uses; k++)
    if (use[k].storage->is_public || use[k].storage->mapped) return WEFT_OK;
  for (int k = 0; k < uses; k++) WEFT__TRY_RETURN(weft__storage_order(use[k].storage, slot, use[k].writes));
  WEFT__TRY_RETURN(weft__slot_wait(core, slot));
  return weft__at_once(may, place, core, uses, use);
}

bool weft__goes_backward(void) {
  static _Thread_local bool was_backward;
  was_backward = !was_backward;
  return was_backward;
}
