// SPDX-License-Identifier: MIT
/// A wait for the whole context releases the kernels that were retired before it. For programs that never wait so,
/// kernels are released in batches: a marker in each queue follows a batch, and later calls look whether the markers
/// are done. So no release waits for the device. A lost context keeps its kernels until it is closed.
#include "core/retired.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"

void weft__retired_init(weft__retired *r) {
  *r = (weft__retired){0};
  pthread_mutex_init(&r->lock, NULL);
}

void weft__retired_destroy(weft__retired *r) {
  free(r->kernel);
  free(r->mark);
  pthread_mutex_destroy(&r->lock);
}

uint64_t weft__retired_so_far(weft__retired *r) {
  pthread_mutex_lock(&r->lock);
  const uint64_t number = r->released + (uint64_t)r->count;
  pthread_mutex_unlock(&r->lock);
  return number;
}

/* ---- with the lock held ---- */

static void drop_marks(weft__retired *r) {
  while (r->marks > 0) weft__release(r->mark[--r->marks]);
  r->marked = 0;
}

static void release_first(weft__retired *r, int count) {
  for (int k = 0; k < count; k++) weft__release(r->kernel[k]);
  r->released += (uint64_t)count;
  r->count -= count;
  if (r->count > 0) memmove(r->kernel, r->kernel + count, (size_t)r->count * sizeof *r->kernel);
  r->marked -= count;
  if (r->marked <= 0) drop_marks(r);
}

/// Whether the work before all marks is done, or has failed.
static bool are_done(weft__retired *r) {
  for (; r->marks > 0; weft__release(r->mark[--r->marks])) {
    int state;
    if (!weft__driver->event_state(&state, r->mark[r->marks - 1]) && state > 0) return false;
  }
  return true;
}

/// Puts a marker behind the work of each queue.
static weft_status mark_all(weft__core *core) {
  weft__retired *r = &core->retired;
  for (int s = 0; s < atomic_load(&core->slots); s++) {
    weft__cl_queue queue;
    uint64_t issued;
    int code;
    WEFT__TRY_RETURN(weft__slot_borrow(&queue, &issued, core, s));
    if (!queue) continue;
    const char *call = weft__queue_mark(WEFT__COMMAND_MARKER, queue, &r->mark[r->marks], &code);
    weft__release(queue);
    if (code) return weft__core_failed(core, code, call, false);
    r->marks++;
  }
  r->marked = r->count;
  return WEFT_OK;
}

/// Releases the batch that is marked if its launches are done, and marks the next one.
static void advance(weft__core *core) {
  weft__retired *r = &core->retired;
  if (r->marked > 0 && !are_done(r)) return;
  if (r->marked > 0) release_first(r, r->marked);
  if (r->count < WEFT__RETIRED_BATCH) return;
  weft__quiet_begin(); /* the next call tries again */
  if (mark_all(core)) drop_marks(r);
  weft__quiet_end();
}

static bool make_room(weft__retired *r) {
  if (!r->mark && !(r->mark = malloc(WEFT__MAX_STREAMS * sizeof *r->mark))) return false;
  if (r->count < r->room) return true;
  const int room = r->room ? 2 * r->room : WEFT__RETIRED_BATCH;
  weft__cl_kernel *kernel = realloc(r->kernel, (size_t)room * sizeof *kernel);
  if (!kernel) return false;
  r->kernel = kernel;
  r->room = room;
  return true;
}

/* ---- a kernel is retired ---- */

static bool keep(weft__core *core, weft__cl_kernel kernel) {
  weft__retired *r = &core->retired;
  pthread_mutex_lock(&r->lock);
  const bool has_room = make_room(r);
  if (has_room) {
    r->kernel[r->count++] = kernel;
    if (!atomic_load(&core->lost)) advance(core);
  }
  pthread_mutex_unlock(&r->lock);
  return has_room;
}

void weft__core_retire(weft__core *core, weft__cl_kernel kernel) {
  if (!kernel) return;
  if (core->device->quirks.late_release && !atomic_load(&core->closed)) {
    if (keep(core, kernel)) return;
    weft__quiet_begin();
    weft__core_wait(core); /* there is no memory to keep it */
    weft__quiet_end();
  }
  weft__release(kernel);
}

void weft__retired_release(weft__retired *r, uint64_t until) {
  pthread_mutex_lock(&r->lock);
  if (until > r->released) {
    const uint64_t count = until - r->released;
    release_first(r, count < (uint64_t)r->count ? (int)count : r->count);
  }
  pthread_mutex_unlock(&r->lock);
}
