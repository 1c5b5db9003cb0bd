// SPDX-License-Identifier: MIT
#include "core/deferred.h"

#include <inttypes.h>
#include <stdio.h>

#include "cl/shared.h"
#include "core/core.h"

void weft__deferred_init(weft__deferred *deferred) {
  pthread_mutex_init(&deferred->lock, NULL);
}

void weft__deferred_close(weft__deferred *deferred) {
  weft__release(deferred->records);
  deferred->records = NULL;
}

void weft__deferred_destroy(weft__deferred *deferred) {
  pthread_mutex_destroy(&deferred->lock);
}

static weft_status make_records(weft__core *core) {
  weft__deferred_record zeros[WEFT__DEFERRED_RECORDS] = {{0}}; /* no launch has epoch 0 */
  const weft__buffer_params params = {.kind = WEFT__BUFFER_COPIED, .size_bytes = sizeof zeros, .host = zeros};
  int code = weft__driver->buffer_create(&core->deferred.records, core->cl, &params);
  return code ? weft__while(weft__core_failed(core, code, "clCreateBuffer", false),
                            "making room for what kernels report")
              : WEFT_OK;
}

static uint64_t two_words(const uint32_t *low) {
  return (uint64_t)low[1] << 32 | low[0];
}

static bool is_done(const weft__core *core, const weft__deferred_entry *entry, const weft__covered *covered) {
  if (entry->slot == covered->slot && entry->number <= covered->own) return true;
  if (entry->slot == 0 && entry->number <= covered->first) return true;
  return entry->number <= atomic_load((_Atomic(uint64_t) *)&core->slot[entry->slot].completed);
}

/// Reads the records of the launches that are done. Of several failures, keeps the one that was launched first.
static weft_status collect(weft__core *core, const weft__covered *covered) {
  weft__deferred *d = &core->deferred;
  weft__deferred_record records[WEFT__DEFERRED_RECORDS];
  bool done[WEFT__DEFERRED_RECORDS], any = false;
  for (int i = 0; i < WEFT__DEFERRED_RECORDS; i++) {
    done[i] = d->entry[i].state == WEFT__DEFERRED_PENDING && is_done(core, &d->entry[i], covered);
    any |= done[i];
  }
  if (!any) return WEFT_OK;
  const weft__profiled profiled = {.kind = WEFT_PROFILE_COPY_BACK, .name = "index checks", .bytes = sizeof records};
  weft__command read = {
      .kind = WEFT__COMMAND_READ, .mem = d->records, .size_bytes = sizeof records, .host = records, .blocking = true};
  int code = weft__slot_enqueue(core, covered->slot, &read, &profiled);
  if (code)
    return weft__while(weft__core_failed(core, code, weft__command_call(&read), true), "reading what kernels reported");
  for (int i = 0; i < WEFT__DEFERRED_RECORDS; i++) {
    weft__deferred_entry *entry = &d->entry[i];
    if (!done[i]) continue;
    entry->state = WEFT__DEFERRED_FREE;
    atomic_fetch_sub(&d->pending, 1);
    const bool is_bad = entry->is_found || records[i].epoch == entry->epoch;
    if (!is_bad || (d->failed && d->failed_order < entry->order)) continue;
    if (!d->failed) atomic_fetch_add(&d->pending, 1);
    d->failed = true;
    d->failed_order = entry->order;
    d->failure = entry->check;
    d->position = entry->is_found ? entry->position : two_words(records[i].position);
    d->index = entry->is_found ? entry->index : two_words(records[i].index);
  }
  return WEFT_OK;
}

static weft__deferred_entry *find_free(weft__deferred *d) {
  for (int i = 0; i < WEFT__DEFERRED_RECORDS; i++)
    if (d->entry[i].state == WEFT__DEFERRED_FREE) return &d->entry[i];
  return NULL;
}

weft_status weft__deferred_begin(weft__deferred_use *use, weft__core *core, const weft__deferred_check *check) {
  weft__deferred *d = &core->deferred;
  weft_status rc = WEFT_OK;
  pthread_mutex_lock(&d->lock);
  if (!d->records) WEFT__TRY(make_records(core));
  weft__deferred_entry *entry = find_free(d);
  if (!entry) {
    const weft__covered all = weft__slot_covers(core, 0);
    WEFT__TRY(weft__core_wait(core));
    WEFT__TRY(collect(core, &all));
    entry = find_free(d);
  }
  if (!entry)
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, NULL,
                         "more than %d threads launch kernels that check indices at the same time",
                         WEFT__DEFERRED_RECORDS));
  if (++d->epoch == 0) d->epoch = 1;
  entry->state = WEFT__DEFERRED_TAKEN;
  entry->epoch = d->epoch;
  entry->order = d->order++;
  entry->check = *check;
  entry->is_found = false;
  *use = (weft__deferred_use){d->records, (uint32_t)(entry - d->entry), d->epoch};
done:
  pthread_mutex_unlock(&d->lock);
  return rc;
}

void weft__deferred_end(weft__core *core, const weft__deferred_use *use, int slot, weft_status rc) {
  weft__deferred *d = &core->deferred;
  weft__deferred_entry *entry = &d->entry[use->record];
  pthread_mutex_lock(&d->lock);
  entry->state = rc ? WEFT__DEFERRED_FREE : WEFT__DEFERRED_PENDING;
  entry->slot = slot;
  entry->number = atomic_load(&core->slot[entry->slot].issued);
  if (rc == WEFT_OK) atomic_fetch_add(&d->pending, 1);
  pthread_mutex_unlock(&d->lock);
}

weft_status weft__deferred_found(weft__core *core, const weft__deferred_check *check, int slot, uint64_t position,
                                 uint64_t index) {
  weft__deferred_use use;
  WEFT__TRY_RETURN(weft__deferred_begin(&use, core, check));
  weft__deferred_entry *entry = &core->deferred.entry[use.record];
  entry->position = position; /* no other thread looks at an entry that is taken */
  entry->index = index;
  entry->is_found = true;
  weft__slot_issue(core, slot); /* a number of its own: waits for what was enqueued before do not report it */
  weft__deferred_end(core, &use, slot, WEFT_OK);
  return WEFT_OK;
}

static weft_status tell_index(const weft__deferred_check *check, uint64_t position, uint64_t index) {
  char number[32], where[64];
  snprintf(number, sizeof number, check->is_unsigned ? "%" PRIu64 : "%" PRId64, index);
  if (check->axis == WEFT__DEFERRED_FLAT)
    snprintf(where, sizeof where, "%" PRId64 " element%s", check->length, check->length == 1 ? "" : "s");
  else
    snprintf(where, sizeof where, "axis %d of %" PRId64 " element%s", check->axis, check->length,
             check->length == 1 ? "" : "s");
  return weft__fail_earlier(check->function, check->site, WEFT_ERROR_INDEX, check->argument,
                            "index %s at position %" PRIu64 " of `%s` is out of range for %s; at %s", number, position,
                            check->argument, where, check->site);
}

weft_status weft__deferred_report(weft__core *core, const weft__covered *covered) {
  weft__deferred *d = &core->deferred;
  weft__profile_harvest(&core->profile, covered->slot);
  if (atomic_load_explicit(&d->pending, memory_order_relaxed) == 0) return WEFT_OK;
  pthread_mutex_lock(&d->lock);
  weft_status rc = collect(core, covered);
  bool failed = rc == WEFT_OK && d->failed;
  const weft__deferred_check check = d->failure;
  uint64_t position = d->position, index = d->index;
  if (failed) {
    d->failed = false;
    atomic_fetch_sub(&d->pending, 1);
  }
  pthread_mutex_unlock(&d->lock);
  return failed ? (check.tell ? check.tell : tell_index)(&check, position, index) : rc;
}
