// SPDX-License-Identifier: MIT
/// Events: points of a stream, as the user's objects.
#include <weft/event.h>

#include <stdlib.h>

#include "context/objects.h"

static weft_status check(const weft_event *event, const char *argument) {
  WEFT__TRY_RETURN(weft__handle_check(event, WEFT__MAGIC_EVENT, argument));
  return weft__core_check(&event->context->core);
}

static weft_status make(weft_event **out, weft_context *context, const char *site) {
  weft_event *event = weft__new(sizeof *event);
  if (!event) return WEFT_ERROR_HOST_MEMORY;
  weft__object_begin(&event->object, WEFT__MAGIC_EVENT, context->object.generation);
  event->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &event->entry, WEFT__LEDGER_EVENT, event, 0, site);
  *out = event;
  return WEFT_OK;
}

weft_status weft__event_record_at(weft_event **event, weft_context *context, weft_stream *stream, const char *site) {
  weft_status rc;
  weft__point point = {0};
  int slot;
  weft__enter("weft_event_record", site);
  WEFT__NEED(event);
  WEFT__TRY(weft__context_check(context));
  if (*event) WEFT__TRY(check(*event, "*event"));
  if (*event && (*event)->context != context)
    WEFT__TRY(weft__fail(WEFT_ERROR_CONTEXT, "event", "`*event` belongs to another context"));
  WEFT__TRY(weft__stream_slot(&slot, stream, context));
  WEFT__TRY(weft__point_set(&point, &context->core, slot));
  if (!*event) WEFT__TRY(make(event, context, site));
  weft_event *e = *event;
  weft_stream *before = e->stream;
  weft__point_release(&e->point);
  e->point = point;
  point = (weft__point){0};
  /* deferred records of the work (core/deferred.h) are read through the stream */
  e->stream = weft_stream_retain(slot && !stream ? weft__thread_uses.stream : stream);
  weft_stream_release(&before);
done:
  weft__point_release(&point);
  return weft__leave(rc);
}

void weft__event_close(weft_event *event) {
  weft__point_release(&event->point);
}

static void destroy(weft_event *e) {
  weft__ledger_remove(&e->context->core.ledger, &e->entry);
  weft__event_close(e);
  weft_stream_release(&e->stream);
  weft_context_release(&e->context);
  weft__object_free(&e->object);
}

WEFT__DEFINE_COUNTED(weft_event, WEFT__MAGIC_EVENT, destroy)

weft_status weft_event_wait(weft_event *event) {
  weft__enter("weft_event_wait", NULL);
  weft_status rc;
  WEFT__TRY(check(event, "event"));
  weft__core *core = &event->context->core;
  WEFT__TRY(weft__point_wait(core, &event->point));
  rc = weft__deferred_report(core, &event->point.covered);
done:
  return weft__leave(rc);
}

weft_status weft_event_is_done(bool *done, weft_event *event) {
  weft__enter("weft_event_is_done", NULL);
  WEFT__NEED(done);
  weft_status rc;
  WEFT__TRY(check(event, "event"));
  rc = weft__point_is_done(done, &event->context->core, &event->point);
done:
  return weft__leave(rc);
}

weft_status weft_stream_after(weft_stream *stream, weft_event *event) {
  int slot;
  weft__enter("weft_stream_after", NULL);
  weft_status rc;
  WEFT__TRY(check(event, "event"));
  WEFT__TRY(weft__stream_slot(&slot, stream, event->context));
  rc = weft__slot_after_point(&event->context->core, slot, &event->point);
done:
  return weft__leave(rc);
}
