// SPDX-License-Identifier: MIT
/// Streams and timers.
#include <weft/stream.h>

#include <stdlib.h>

#include "context/objects.h"
#include "ocl/codes.h"

static weft_status check(const weft_stream *stream) {
  weft_status rc = weft__handle_check(stream, WEFT__MAGIC_STREAM, "weft_stream", "stream");
  return rc ? rc : weft__core_check(&stream->context->core);
}

weft_status weft__stream_slot(int *slot, const weft_stream *stream, const weft_context *context) {
  *slot = weft__slot_now(&context->core);
  if (!stream) return WEFT_OK;
  weft_status rc = weft__handle_check(stream, WEFT__MAGIC_STREAM, "weft_stream", "stream");
  if (rc) return rc;
  if (stream->context != context) return weft__fail(WEFT_ERROR_CONTEXT, "stream", "`stream` belongs to another context");
  *slot = stream->slot;
  return WEFT_OK;
}

/// A slot for a stream. What is kept for the next call in chunks goes before the user gets none.
static weft_status open_slot(int *slot, weft_context *context) {
  weft_status rc = weft__slot_open(&context->core, slot);
  if (rc == WEFT_ERROR_UNSUPPORTED && weft__queues_close(&context->queues, &context->core)) rc = weft__slot_open(&context->core, slot);
  return rc;
}

weft_status weft_stream_create_at(weft_stream **out, weft_context *context, const char *site) {
  weft_stream *stream = NULL;
  weft__enter("weft_stream_create", site);
  WEFT__NEED_NULL_RESULT(out);
  weft_status rc = weft__context_check(context);
  if (rc == WEFT_OK && !(stream = weft__new(sizeof *stream))) rc = WEFT_ERROR_HOST_MEMORY;
  if (rc == WEFT_OK) rc = open_slot(&stream->slot, context);
  if (rc) {
    free(stream);
    return weft__leave(rc);
  }
  stream->magic = WEFT__MAGIC_STREAM;
  atomic_init(&stream->references, 1);
  stream->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &stream->entry, WEFT__LEDGER_STREAM, stream, 0, site);
  *out = stream;
  return weft__leave(WEFT_OK);
}

weft_stream *weft_stream_retain(weft_stream *stream) {
  if (weft__handle_is(stream, WEFT__MAGIC_STREAM)) atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
  return stream;
}

void weft__stream_close(weft_stream *stream) {
  weft__slot_close(&stream->context->core, stream->slot);
}

void weft_stream_release(weft_stream **stream) {
  if (!stream) return;
  weft_stream *s = *stream;
  *stream = NULL;
  if (!weft__handle_is(s, WEFT__MAGIC_STREAM) || !weft__core_is_of_this_process(&s->context->core) ||
      atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) > 1)
    return;
  weft__ledger_remove(&s->context->core.ledger, &s->entry);
  /* a closed context has taken the slot already, and may not be asked */
  if (!atomic_load(&s->context->core.closed)) weft__stream_close(s);
  weft_context_release(&s->context);
  s->magic = WEFT__MAGIC_DEAD;
  free(s);
}

weft_status weft_stream_wait(weft_stream *stream) {
  weft__enter("weft_stream_wait", NULL);
  weft_status rc = check(stream);
  if (rc) return weft__leave(rc);
  weft__core *core = &stream->context->core;
  const weft__covered covered = weft__slot_covers(core, stream->slot);
  rc = weft__slot_wait(core, stream->slot);
  if (rc == WEFT_OK) rc = weft__deferred_report(core, &covered);
  return weft__leave(rc);
}

static pthread_key_t used_key; /* for its destructor: a thread that ends lets the stream go that it used */
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
  weft_status rc = stream ? check(stream) : WEFT_OK;
  pthread_once(&used_once, make_used_key);
  if (rc == WEFT_OK && (!has_used_key || pthread_setspecific(used_key, stream))) rc = weft__fail_host_memory(sizeof(void *));
  if (rc) return weft__leave(rc);
  weft_stream *before = weft__thread_uses.stream;
  weft__thread_uses = (weft__thread_stream){0};
  if (stream) weft__thread_uses = (weft__thread_stream){&stream->context->core, stream->slot, weft_stream_retain(stream)};
  weft_stream_release(&before);
  return weft__leave(WEFT_OK);
}

void weft__stream_unuse(const weft_context *context) {
  if (weft__thread_uses.core != &context->core) return;
  weft_stream *used = weft__thread_uses.stream;
  pthread_setspecific(used_key, NULL); /* to NULL it needs no memory */
  let_go(used);
}

weft_stream *weft_stream_used(void) {
  return weft__thread_uses.stream;
}

/* ---- timers ---- */

static weft_status check_timer(const weft_timer *timer) {
  weft_status rc = weft__handle_check(timer, WEFT__MAGIC_TIMER, "weft_timer", "timer");
  return rc ? rc : weft__core_check(&timer->context->core);
}

weft_status weft_timer_create_at(weft_timer **out, weft_context *context, const char *site) {
  weft_timer *timer = NULL;
  weft__enter("weft_timer_create", site);
  WEFT__NEED_NULL_RESULT(out);
  weft_status rc = weft__context_check(context);
  if (rc == WEFT_OK && !context->core.profiling)
    rc = weft__fail(WEFT_ERROR_UNSUPPORTED, "context", "the context records no device times; create it with .profiling = true");
  if (rc == WEFT_OK && !(timer = weft__new(sizeof *timer))) rc = WEFT_ERROR_HOST_MEMORY;
  if (rc) return weft__leave(rc);
  timer->magic = WEFT__MAGIC_TIMER;
  timer->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &timer->entry, WEFT__LEDGER_TIMER, timer, 0, site);
  *out = timer;
  return weft__leave(WEFT_OK);
}

void weft__timer_close(weft_timer *timer) {
  weft__release(timer->start);
  weft__release(timer->stop);
  timer->start = timer->stop = NULL;
}

void weft_timer_release(weft_timer **timer) {
  if (!timer) return;
  weft_timer *t = *timer;
  *timer = NULL;
  if (!weft__handle_is(t, WEFT__MAGIC_TIMER) || !weft__core_is_of_this_process(&t->context->core)) return;
  weft__ledger_remove(&t->context->core.ledger, &t->entry);
  weft__timer_close(t);
  weft_stream_release(&t->stream);
  weft_context_release(&t->context);
  t->magic = WEFT__MAGIC_DEAD;
  free(t);
}

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
  weft_status rc = check_timer(timer);
  if (rc == WEFT_OK) rc = weft__stream_slot(&slot, stream, timer->context);
  if (rc) return weft__leave(rc);
  if (slot && !stream) stream = weft__thread_uses.stream;
  weft__timer_close(timer);
  weft_stream_release(&timer->stream);
  timer->stream = weft_stream_retain(stream);
  return weft__leave(mark(timer, &timer->start));
}

weft_status weft_timer_stop(weft_timer *timer) {
  weft__enter("weft_timer_stop", NULL);
  weft_status rc = check_timer(timer);
  if (rc == WEFT_OK && (!timer->start || timer->stop))
    rc = weft__fail(WEFT_ERROR_ARGUMENT, "timer", "`timer` was not started%s", timer->stop ? " again after its stop" : "");
  if (rc) return weft__leave(rc);
  return weft__leave(mark(timer, &timer->stop));
}

weft_status weft_timer_read(uint64_t *time_ns, weft_timer *timer) {
  uint64_t before, begin, end, after;
  weft__enter("weft_timer_read", NULL);
  WEFT__NEED(time_ns);
  weft_status rc = check_timer(timer);
  if (rc == WEFT_OK && !timer->stop) rc = weft__fail(WEFT_ERROR_ARGUMENT, "timer", "`timer` was not stopped");
  if (rc == WEFT_OK) rc = weft__slot_wait(&timer->context->core, timer->stream ? timer->stream->slot : 0);
  if (rc) return weft__leave(rc);
  int code = weft__driver->event_times(&before, &begin, timer->start);
  if (!code) code = weft__driver->event_times(&end, &after, timer->stop);
  if (code) return weft__leave(weft__core_failed(&timer->context->core, code, "clGetEventProfilingInfo", true));
  *time_ns = end > begin ? end - begin : 0;
  return weft__leave(WEFT_OK);
}
