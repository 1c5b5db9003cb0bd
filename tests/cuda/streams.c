// SPDX-License-Identifier: MIT
/// Streams and events. Each stream has a thread that does its operations one after the other, some time after they were
/// enqueued.
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin.h"

typedef struct CUevent_st {
  context owner;
  bool is_recorded;
  uint64_t number; /* its place in the stream */
  struct CUstream_st *stream;
} * event;

typedef enum kind { COPY, SET, WAIT_VALUE, WRITE_VALUE, WAIT_EVENT, MARK } kind;

typedef struct operation {
  struct operation *next;
  kind kind;
  uint64_t to, from;
  size_t size_bytes;
  uint32_t value;
  struct CUstream_st *other; /* WAIT_EVENT: done once this stream has done `number` */
  uint64_t number;
} operation;

typedef struct CUstream_st {
  struct CUstream_st *next; /* all ever made */
  context owner;
  pthread_t thread;
  bool is_alive, ends;
  operation *first, *last;
  uint64_t enqueued, done;
} * stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static stream all;
static atomic_uint slow_us;
static atomic_bool is_held;

void weft_test_cuda_slow(unsigned microseconds) {
  atomic_store(&slow_us, microseconds);
}

void weft_test_cuda_hold(bool holds) {
  atomic_store(&is_held, holds);
}

/* ---- the thread ---- */

/// Waits for another part of the program. False: the stream's context was destroyed.
static bool is_let_go(stream s, const operation *o) {
  if (o->kind == WAIT_EVENT) {
    pthread_mutex_lock(&lock);
    while (s->is_alive && o->other->done < o->number) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
  }
  if (o->kind == WAIT_VALUE) {
    _Atomic(uint32_t) *word = (_Atomic(uint32_t) *)(uintptr_t)o->to;
    while (s->is_alive && (int32_t)(atomic_load(word) - o->value) < 0) usleep(20);
  }
  return s->is_alive;
}

static void run(stream s, const operation *o) {
  const unsigned pause_us = atomic_load(&slow_us);
  if (pause_us) usleep(pause_us);
  while (s->is_alive && atomic_load(&is_held)) usleep(20);
  if (!is_let_go(s, o)) return;
  if (o->kind == COPY) memmove((void *)(uintptr_t)o->to, (void *)(uintptr_t)o->from, o->size_bytes);
  if (o->kind == SET)
    for (size_t i = 0; i < o->size_bytes / sizeof o->value; i++) ((uint32_t *)(uintptr_t)o->to)[i] = o->value;
  if (o->kind == WRITE_VALUE) atomic_store((_Atomic(uint32_t) *)(uintptr_t)o->to, o->value);
}

static void *serve(void *of) {
  stream s = of;
  pthread_mutex_lock(&lock);
  for (;;) {
    operation *o = s->first;
    if (!o && s->ends) break;
    if (!o) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    s->first = o->next;
    pthread_mutex_unlock(&lock);
    if (s->is_alive) run(s, o);
    free(o);
    pthread_mutex_lock(&lock);
    s->done++;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* ---- streams ---- */

static stream make_stream(context owner) {
  stream s = calloc(1, sizeof *s);
  if (!s) abort();
  s->owner = owner;
  s->is_alive = true;
  s->next = all;
  all = s;
  if (pthread_create(&s->thread, NULL, serve, s)) abort();
  return s;
}

/// With the lock held, which it releases meanwhile.
static void end_stream(stream s) {
  s->ends = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(s->thread, NULL);
  pthread_mutex_lock(&lock);
  s->is_alive = false;
}

void standin_end_streams(context of) {
  pthread_mutex_lock(&lock);
  for (stream s = all; s; s = s->next)
    if (s->owner == of && s->is_alive) {
      s->is_alive = false; /* its operations are not done any more */
      end_stream(s);
    }
  pthread_mutex_unlock(&lock);
}

/// The stream behind a handle: the values up to 2 are the current context's default stream, made at its first use. With
/// the lock held.
static int resolve(stream *s) {
  if ((uintptr_t)*s > 2) {
    stream known = all;
    while (known && known != *s) known = known->next;
    return !known ? INVALID_HANDLE : known->is_alive ? OK : CONTEXT_IS_DESTROYED;
  }
  context current;
  const int code = standin_current(&current);
  if (code) return code;
  if (!current->default_stream) current->default_stream = make_stream(current);
  *s = current->default_stream;
  return OK;
}

static int enqueue(stream s, const operation *what) {
  pthread_mutex_lock(&lock);
  const int code = resolve(&s);
  if (!code) {
    operation *o = malloc(sizeof *o);
    if (!o) abort();
    *o = *what;
    o->next = NULL;
    *(s->first ? &s->last->next : &s->first) = o;
    s->last = o;
    s->enqueued++;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int cuStreamCreate(stream *out, unsigned flags) {
  BEGIN;
  context current;
  const int code = flags > 1 ? INVALID_VALUE : standin_current(&current);
  if (code) return code;
  pthread_mutex_lock(&lock);
  *out = make_stream(current);
  pthread_mutex_unlock(&lock);
  standin_count(1);
  return OK;
}

int cuStreamDestroy_v2(stream s) {
  BEGIN_RELEASE;
  pthread_mutex_lock(&lock);
  const int code = (uintptr_t)s <= 2 ? INVALID_HANDLE : resolve(&s);
  if (!code) end_stream(s);
  pthread_mutex_unlock(&lock);
  if (!code || code == CONTEXT_IS_DESTROYED) standin_count(-1);
  END_RELEASE(code);
}

int cuStreamGetCtx(stream s, context *of) {
  BEGIN;
  pthread_mutex_lock(&lock);
  const int code = resolve(&s);
  if (!code) *of = s->owner;
  pthread_mutex_unlock(&lock);
  return code;
}

int cuStreamSynchronize(stream s) {
  BEGIN;
  pthread_mutex_lock(&lock);
  const int code = resolve(&s);
  if (!code) {
    const uint64_t until = s->enqueued;
    while (s->done < until) pthread_cond_wait(&changed, &lock);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int cuCtxSynchronize(void) {
  BEGIN;
  context current;
  const int code = standin_current(&current);
  if (code) return code;
  pthread_mutex_lock(&lock);
  for (stream s = all; s; s = s->next) {
    const uint64_t until = s->enqueued;
    while (s->owner == current && s->is_alive && s->done < until) pthread_cond_wait(&changed, &lock);
  }
  pthread_mutex_unlock(&lock);
  return OK;
}

int cuStreamQuery(stream s) {
  BEGIN;
  pthread_mutex_lock(&lock);
  int code = resolve(&s);
  if (!code && s->done < s->enqueued) code = NOT_READY;
  pthread_mutex_unlock(&lock);
  return code;
}

int cuStreamWaitValue32_v2(stream s, uint64_t address, uint32_t value, unsigned flags) {
  BEGIN;
  return flags ? NOT_SUPPORTED : enqueue(s, &(operation){.kind = WAIT_VALUE, .to = address, .value = value});
}

int cuStreamWriteValue32_v2(stream s, uint64_t address, uint32_t value, unsigned flags) {
  BEGIN;
  return flags ? NOT_SUPPORTED : enqueue(s, &(operation){.kind = WRITE_VALUE, .to = address, .value = value});
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size_bytes, stream s) {
  BEGIN;
  return enqueue(s, &(operation){.kind = COPY, .to = to, .from = from, .size_bytes = size_bytes});
}

int cuMemsetD32Async(uint64_t to, uint32_t value, size_t count, stream s) {
  BEGIN;
  return enqueue(s, &(operation){.kind = SET, .to = to, .value = value, .size_bytes = count * sizeof value});
}

/// Copies to and from the host block, behind the default stream's work.
static int copy_now(uint64_t to, uint64_t from, size_t size_bytes) {
  const int code = enqueue(NULL, &(operation){.kind = COPY, .to = to, .from = from, .size_bytes = size_bytes});
  return code ? code : cuStreamSynchronize(NULL);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size_bytes) {
  BEGIN;
  return copy_now((uint64_t)(uintptr_t)to, from, size_bytes);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size_bytes) {
  BEGIN;
  return copy_now(to, (uint64_t)(uintptr_t)from, size_bytes);
}

/* ---- events ---- */

int cuEventCreate(event *out, unsigned flags) {
  BEGIN;
  (void)flags;
  context current;
  const int code = standin_current(&current);
  if (code) return code;
  event made = calloc(1, sizeof *made);
  if (!made) abort();
  made->owner = current;
  *out = made;
  standin_count(1);
  return OK;
}

int cuEventDestroy_v2(event of) {
  BEGIN_RELEASE;
  free(of);
  standin_count(-1);
  END_RELEASE(OK);
}

int cuEventRecord(event of, stream s) {
  BEGIN;
  int code = enqueue(s, &(operation){.kind = MARK});
  if (code) return code;
  pthread_mutex_lock(&lock);
  code = resolve(&s);
  if (!code && s->owner != of->owner) code = INVALID_HANDLE;
  if (!code) {
    of->is_recorded = true;
    of->number = s->enqueued;
    of->stream = s;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int cuEventQuery(event of) {
  BEGIN;
  pthread_mutex_lock(&lock);
  const int code = !of->owner->is_alive                               ? CONTEXT_IS_DESTROYED
                   : of->is_recorded && of->stream->done < of->number ? NOT_READY
                                                                      : OK;
  pthread_mutex_unlock(&lock);
  return code;
}

int cuStreamWaitEvent(stream s, event of, unsigned flags) {
  BEGIN;
  if (flags) return INVALID_VALUE;
  if (!of->is_recorded) return OK;
  return enqueue(s, &(operation){.kind = WAIT_EVENT, .other = of->stream, .number = of->number});
}
