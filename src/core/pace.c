// SPDX-License-Identifier: MIT
/// Limits how far the host runs ahead of the device. Launches do not wait, so in a second a loop can enqueue minutes of
/// work, and the program could not end before all of it is done. Therefore each slot gets a mark (an event) after every
/// `stride` commands; setting a mark waits for the previous one, so at most two strides are queued. The stride adapts
/// so that one takes half of the limit: it starts short, doubles while its time is below a quarter of the limit, and
/// shrinks at once when it is too long. The cost per launch is negligible: a mark comes about twice per limit, or every
/// LONGEST_STRIDE commands (an event costs NVIDIA's driver as much as two launches).
///
/// The wait always ends, because all commands that a slot depends on were enqueued and flushed earlier. A queue that
/// other code can use lacks this guarantee: its commands may depend on an event that this thread sets later, and the
/// context's other queues may wait for its arrays. A context with such a queue has a limit only if the user set one.
#include "base/clock.h"
#include "core/core.h"

#define DEFAULT_LIMIT_NS 500000000u

/// Two of the longest strides are 1024 commands: NVIDIA's queue blocks at some 1000 launches of any length.
enum { FIRST_STRIDE = 8, LONGEST_STRIDE = 512 };

void weft__pace_init(weft__core *core) {
  if (core->ahead_is_default) core->ahead_limit_ns = DEFAULT_LIMIT_NS;
  atomic_init(&core->ahead_is_free, core->ahead_limit_ns == UINT64_MAX);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) {
    pthread_mutex_init(&core->slot[s].pace.lock, NULL);
    atomic_init(&core->slot[s].due, UINT64_MAX);
  }
}

void weft__pace_destroy(weft__core *core) {
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) pthread_mutex_destroy(&core->slot[s].pace.lock);
}

void weft__pace_begin(weft__core *core, int slot) {
  weft__slot *s = &core->slot[slot];
  s->pace.stride = FIRST_STRIDE;
  s->pace.seen_ns = 0;
  atomic_store(&s->due, atomic_load(&core->ahead_is_free) ? UINT64_MAX : atomic_load(&s->issued) + FIRST_STRIDE);
}

void weft__pace_end(weft__core *core, int slot) {
  weft__point_release(&core->slot[slot].pace.mark);
  atomic_store(&core->slot[slot].due, UINT64_MAX);
}

void weft__pace_lend(weft__core *core) {
  atomic_store(&core->is_lent, true);
  if (core->ahead_is_default) atomic_store(&core->ahead_is_free, true);
}

/// Adapts the stride to the time of the last one. `took_ns` is an upper bound of the device's time, because it may
/// include time of the host.
static void adapt(weft__pace *p, uint64_t took_ns, uint64_t limit_ns) {
  uint64_t goal_ns = limit_ns / 2;
  if (took_ns > goal_ns) {
    double stride = (double)p->stride * (double)goal_ns / (double)took_ns;
    p->stride = stride < 1 ? 1 : (uint64_t)stride;
  } else if (took_ns < goal_ns / 2 && p->stride < LONGEST_STRIDE) {
    p->stride *= 2;
  }
  if (p->stride > LONGEST_STRIDE) p->stride = LONGEST_STRIDE;
}

static weft_status set_mark(weft__core *core, int slot) {
  weft__pace *p = &core->slot[slot].pace;
  weft__point before = p->mark;
  WEFT__TRY_RETURN(weft__point_set(&p->mark, core, slot));
  weft_status rc = before.event ? weft__point_wait(core, &before) : WEFT_OK;
  weft__point_release(&before);
  WEFT__TRY_RETURN(rc);
  uint64_t now_ns = weft__now_ns();
  if (p->seen_ns) adapt(p, now_ns - p->seen_ns, core->ahead_limit_ns);
  p->seen_ns = now_ns;
  atomic_store(&core->slot[slot].due, p->mark.covered.own + p->stride);
  return WEFT_OK;
}

weft_status weft__pace_check(weft__core *core, int slot) {
  weft__slot *s = &core->slot[slot];
  weft__pace *p = &s->pace;
  weft_status rc = WEFT_OK;
  if (atomic_load(&core->ahead_is_free)) {
    atomic_store(&s->due, UINT64_MAX);
    return WEFT_OK;
  }
  pthread_mutex_lock(&p->lock); /* a second thread waits here too: it is just as far ahead */
  uint64_t completed = atomic_load(&s->completed), issued = atomic_load(&s->issued);
  if (issued < atomic_load(&s->due)) goto done;
  if (issued < completed + p->stride)
    atomic_store(&s->due, completed + p->stride); /* the program itself waited since the last mark */
  else
    rc = set_mark(core, slot);
done:
  pthread_mutex_unlock(&p->lock);
  return weft__while(rc, "limiting how far the host runs ahead of the device");
}
