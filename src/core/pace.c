// SPDX-License-Identifier: MIT
/// How far the host runs ahead of the device. Launches do not wait, so a loop may enqueue in a second what takes the device minutes, and who
/// then wants it to end waits for all of that. Therefore a mark is set after every `stride` commands of a slot, and before the next stride
/// the mark before that one is waited for: at most two strides lie between host and device. A stride is what took half of the limit the last
/// times: it begins short, doubles while its time is short, and shrinks at once where it is long. So commands of any length get a mark about
/// twice in the limit's time, short ones every LONGEST_STRIDE, which no launch feels (an event costs NVIDIA's driver as much as two launches).
///
/// What a slot's commands wait for was enqueued and flushed before, so that the wait ends. Of a queue that others can enqueue on that is not
/// known (an event of theirs may be set by this very thread, later), nor of the context's other queues, whose commands may wait for arrays of
/// that one: once there is such a queue the context has a limit only where the user asks for it.
#include "base/clock.h"
#include "core/core.h"
#include "ocl/call.h"

#define DEFAULT_LIMIT_NS 500000000u

/// NVIDIA's queue blocks at some 1000 launches, whatever they are.
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
  if (core->ahead_is_default) atomic_store(&core->ahead_is_free, true);
}

/// A stride took `took_ns`, by the host or by the device: so long at most for the device.
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
  weft_status rc = weft__point_set(&p->mark, core, slot);
  if (rc) return rc;
  if (before.event) rc = weft__point_wait(core, &before);
  weft__point_release(&before);
  if (rc) return rc;
  uint64_t now_ns = weft__now_ns();
  if (p->seen_ns) adapt(p, now_ns - p->seen_ns, core->ahead_limit_ns);
  p->seen_ns = now_ns;
  atomic_store(&core->slot[slot].due, p->mark.covered.own + p->stride);
  return WEFT_OK;
}

weft_status weft__pace_look(weft__core *core, int slot) {
  weft__slot *s = &core->slot[slot];
  weft__pace *p = &s->pace;
  weft_status rc = WEFT_OK;
  if (atomic_load(&core->ahead_is_free)) {
    atomic_store(&s->due, UINT64_MAX);
    return WEFT_OK;
  }
  pthread_mutex_lock(&p->lock); /* a thread that comes while another one waits is as far ahead */
  uint64_t completed = atomic_load(&s->completed), issued = atomic_load(&s->issued);
  if (issued < atomic_load(&s->due)) goto done;
  if (issued < completed + p->stride)
    atomic_store(&s->due, completed + p->stride); /* the program waits by itself */
  else
    rc = set_mark(core, slot);
done:
  pthread_mutex_unlock(&p->lock);
  return weft__while(rc, "looking how far the host is ahead of the device");
}
