// SPDX-License-Identifier: MIT
/// Streams and timers.
#include <weft/stream.h>

#include <stdlib.h>

#include "context/objects.h"

static weft_status check(const weft_stream *stream) {
  WEFT__TRY_RETURN(weft__handle_check(stream, WEFT__MAGIC_STREAM, "stream"));
  return weft__core_check(&stream->context->core);
}

weft_status weft__stream_slot(int *slot, const weft_stream *stream, const weft_context *context) {
  *slot = weft__slot_now(&context->core);
  if (!stream) return WEFT_OK;
  WEFT__TRY_RETURN(weft__handle_check(stream, WEFT__MAGIC_STREAM, "stream"));
  if (stream->context != context)
    return weft__fail(WEFT_ERROR_CONTEXT, "stream", "`stream` belongs to another context");
  *slot = stream->slot;
  return WEFT_OK;
}

/// Opens a slot for a stream. If all are taken, queues kept for calls in chunks are closed to free one.
static weft_status open_slot(int *slot, weft_context *context) {
  weft_status rc = weft__slot_open(&context->core, slot);
  if (rc == WEFT_ERROR_UNSUPPORTED && weft__queues_close(&context->queues, &context->core))
    rc = weft__slot_open(&context->core, slot);
  return rc;
}

weft_status weft__stream_create_at(weft_stream **out, weft_context *context, const char *site) {
  weft_status rc;
  weft_stream *stream = NULL;
  weft__enter("weft_stream_create", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_check(context));
  WEFT__TRY((stream = weft__new(sizeof *stream)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(open_slot(&stream->slot, context));
  weft__object_begin(&stream->object, WEFT__MAGIC_STREAM, context->object.generation);
  stream->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &stream->entry, WEFT__LEDGER_STREAM, stream, 0, site);
  *out = stream;
  stream = NULL;
done:
  free(stream);
  return weft__leave(rc);
}

void weft__stream_close(weft_stream *stream) {
  weft__slot_close(&stream->context->core, stream->slot);
}

static void destroy(weft_stream *s) {
  weft__ledger_remove(&s->context->core.ledger, &s->entry);
  /* a closed context has released the slot already, and must not be used */
  if (!atomic_load(&s->context->core.closed)) weft__stream_close(s);
  weft_context_release(&s->context);
  weft__object_free(&s->object);
}

WEFT__DEFINE_COUNTED(weft_stream, WEFT__MAGIC_STREAM, destroy)

weft_status weft_stream_wait(weft_stream *stream) {
  weft__enter("weft_stream_wait", NULL);
  weft_status rc;
  WEFT__TRY(check(stream));
  weft__core *core = &stream->context->core;
  const weft__covered covered = weft__slot_covers(core, stream->slot);
  WEFT__TRY(weft__slot_wait(core, stream->slot));
  rc = weft__deferred_report(core, &covered);
done:
  return weft__leave(rc);
}

static pthread_key_t used_key; /* its destructor releases the stream that an ending thread used */
static pthread_once_t used_once = PTHREAD_ONCE_INIT;
static bool has_used_key;

static void let_go(void *stream) {
  weft_stream *used = stream;
  weft__thread_uses = (weft__thread_stream){0};
  weft_stream_release(&used);
}

static void make_used_key(void) {
  has_used_key = pthread_key_create(&used_key, let_go) == 0;
}

weft_status weft_stream_use(weft_stream *stream) {
  weft__enter("weft_stream_use", NULL);
  weft_status rc = WEFT_OK;
  pthread_once(&used_once, make_used_key);
  if (stream) WEFT__TRY(check(stream));
  if (!has_used_key || pthread_setspecific(used_key, stream)) WEFT__TRY(weft__fail_host_memory(sizeof(void *)));
  weft_stream *before = weft__thread_uses.stream;
  weft__thread_uses = (weft__thread_stream){0};
  if (stream)
    weft__thread_uses = (weft__thread_stream){&stream->context->core, stream->slot, weft_stream_retain(stream)};
  weft_stream_release(&before);
done:
  return weft__leave(rc);
}

void weft__stream_unuse(const weft_context *context) {
  if (weft__thread_uses.core != &context->core) return;
  weft_stream *used = weft__thread_uses.stream;
  pthread_setspecific(used_key, NULL); /* setting NULL needs no memory */
  let_go(used);
}

weft_stream *weft_stream_used(void) {
  return weft__thread_uses.stream;
}

/* ---- timers ---- */

static weft_status check_timer(const weft_timer *timer) {
  WEFT__TRY_RETURN(weft__handle_check(timer, WEFT__MAGIC_TIMER, "timer"));
  return weft__core_check(&timer->context->core);
}

weft_status weft__timer_create_at(weft_timer **out, weft_context *context, const char *site) {
  weft_status rc;
  weft_timer *timer;
  weft__enter("weft_timer_create", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_check(context));
  if (!context->core.profiling)
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                         "the context records no device times; create it with .profiling = true"));
  WEFT__TRY((timer = weft__new(sizeof *timer)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  weft__object_begin(&timer->object, WEFT__MAGIC_TIMER, context->object.generation);
  timer->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &timer->entry, WEFT__LEDGER_TIMER, timer, 0, site);
  *out = timer;
done:
  return weft__leave(rc);
}

void weft__timer_close(weft_timer *timer) {
  weft__release(timer->start);
  weft__release(timer->stop);
  timer->start = timer->stop = NULL;
}

static void destroy_timer(weft_timer *t) {
  weft__ledger_remove(&t->context->core.ledger, &t->entry);
  weft__timer_close(t);
  weft_stream_release(&t->stream);
  weft_context_release(&t->context);
  weft__object_free(&t->object);
}

WEFT__DEFINE_RELEASE(weft_timer, WEFT__MAGIC_TIMER, destroy_timer)

static weft_status mark(weft_timer *timer, weft__cl_event *event) {
  weft__core *core = &timer->context->core;
  int slot = timer->stream ? timer->stream->slot : 0;
  weft__command marker = {.kind = WEFT__COMMAND_MARKER, .event = event};
  int code = weft__slot_enqueue(core, slot, &marker, NULL);
  return code ? weft__core_failed(core, code, weft__command_call(&marker), false) : WEFT_OK;
}

weft_status weft_timer_start(weft_timer *timer, weft_stream *stream) {
  int slot;
  weft__enter("weft_timer_start", NULL);
  weft_status rc;
  WEFT__TRY(check_timer(timer));
  WEFT__TRY(weft__stream_slot(&slot, stream, timer->context));
  if (slot && !stream) stream = weft__thread_uses.stream;
  weft__timer_close(timer);
  weft_stream_release(&timer->stream);
  timer->stream = weft_stream_retain(stream);
  rc = mark(timer, &timer->start);
done:
  return weft__leave(rc);
}

weft_status weft_timer_stop(weft_timer *timer) {
  weft__enter("weft_timer_stop", NULL);
  weft_status rc;
  WEFT__TRY(check_timer(timer));
  if (!timer->start || timer->stop)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "timer", "`timer` was not started%s",
                         timer->stop ? " again after its stop" : ""));
  rc = mark(timer, &timer->stop);
done:
  return weft__leave(rc);
}

weft_status weft_timer_get(uint64_t *time_ns, weft_timer *timer) {
  uint64_t before, begin = 0, end = 0, after;
  weft__enter("weft_timer_get", NULL);
  WEFT__NEED(time_ns);
  weft_status rc;
  WEFT__TRY(check_timer(timer));
  if (!timer->stop) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "timer", "`timer` was not stopped"));
  WEFT__TRY(weft__slot_wait(&timer->context->core, timer->stream ? timer->stream->slot : 0));
  int code = weft__driver->event_times(&before, &begin, timer->start);
  if (!code) code = weft__driver->event_times(&end, &after, timer->stop);
  if (code) WEFT__TRY(weft__core_failed(&timer->context->core, code, "clGetEventProfilingInfo", true));
  *time_ns = end > begin ? end - begin : 0;
done:
  return weft__leave(rc);
}
