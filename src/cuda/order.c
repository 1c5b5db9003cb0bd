// SPDX-License-Identifier: MIT
/// The order between CUDA's streams and a context's queues, without a wait of the host.
///
/// A CUDA stream waits for a queue through a word in shared memory: the queue writes a rising number, the stream waits
/// until the word has reached it. A queue waits for a CUDA stream through a user event: a host function of the stream
/// tells a thread, and the thread completes the event. The host function itself must not complete it: on NVIDIA
/// 580.159 work behind an event that CUDA's own thread completes starts 256 us later, behind one completed by another
/// thread 18 us later. A kernel that polls a word would take 27 us for both ways, but halves the rate of the work it
/// waits for: the device gives half of its time to the polling context.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "cuda/cuda.h"

/* The thread first polls, because a sleeping thread takes as long to wake as the two drivers take for their part. */
#define SPIN_NS 200000u
/* While it sleeps, it asks this often whether CUDA's context is still alive: a destroyed one never runs its host
   functions. */
#define LOOK_NS 100000000u

/* Contexts of CUDA in which streams may wait for Weft without blocking the host. */
#define MOST_CONTEXTS 16

enum { GREATER_OR_EQUAL = 0, DISABLE_TIMING = 2, NON_BLOCKING = 1, GIVEN_UP = -1 };

/// Work of a CUDA stream that a queue waits for.
typedef struct awaited {
  struct awaited *next;
  struct weft__cuda_order *order;
  weft__cl_event event;     /* the queue waits for it */
  weft__cuda_event reached; /* CUDA's event at the same point */
  bool is_done;             /* its host function has run; guarded by the order's lock */
} awaited;

/// Memory that is unmapped once no work is awaited.
typedef struct leftover {
  struct leftover *next;
  weft__cuda_memory memory;
} leftover;

typedef struct weft__cuda_order {
  weft__core *core;
  weft__cuda_memory words; /* a word for each slot */
  pthread_mutex_t writing; /* guards `number`. A queue may be full until CUDA's work is done, so a thread that
                                         enqueues must not hold `lock` */
  uint32_t number[WEFT__MAX_STREAMS]; /* the last one that the slot was asked to write */
  pthread_mutex_t lock;               /* guards what follows */
  pthread_cond_t changed;
  pthread_t thread;
  bool has_thread, ends;
  awaited *first;
  leftover *unused;
  weft__cuda_context waiting[MOST_CONTEXTS]; /* contexts with streams that wait for words; NULL: no more */
} weft__cuda_order;

/* ---- the thread that completes events ---- */

/// Takes the works that are done, or whose CUDA context is gone, out of the list. With the lock held.
static awaited *take_done(weft__cuda_order *order, bool asks_cuda) {
  awaited *done = NULL;
  for (awaited **place = &order->first; *place;) {
    awaited *a = *place;
    int code = asks_cuda && !a->is_done ? weft__cuda_api.event_query(a->reached) : WEFT__CUDA_NOT_READY;
    if (!a->is_done && (code == WEFT__CUDA_NOT_READY || code == 0)) {
      place = &a->next;
      continue;
    }
    *place = a->next;
    a->next = done;
    done = a;
  }
  return done;
}

static void complete(awaited *a) {
  while (a) {
    awaited *next = a->next;
    if (!a->is_done)
      weft__log(WEFT_LOG_ERROR, "a CUDA context was destroyed with work that Weft's work waits for, which fails now");
    weft__driver->event_complete(a->event, a->is_done ? 0 : GIVEN_UP);
    weft__release(a->event);
    weft__cuda_api.event_destroy(a->reached);
    /* CUDA may still call the host function of a work that was given up */
    if (a->is_done) free(a);
    a = next;
  }
}

static void unmap_all(leftover *l, weft__cuda *cuda) {
  while (l) {
    leftover *next = l->next;
    weft__cuda_memory_unmap(&l->memory, cuda);
    free(l);
    l = next;
  }
}

/// Takes the memory that nobody uses any more. With the lock held.
static leftover *take_unused(weft__cuda_order *order) {
  leftover *unused = order->first ? NULL : order->unused;
  if (unused) order->unused = NULL;
  return unused;
}

bool weft__cuda_unmap_later(weft__core *core, const weft__cuda_memory *memory) {
  weft__cuda_order *order = core->cuda->order;
  leftover *l = order ? malloc(sizeof *l) : NULL;
  if (!l) return false;
  pthread_mutex_lock(&order->lock);
  const bool waits = order->first != NULL;
  if (waits) {
    *l = (leftover){order->unused, *memory};
    order->unused = l;
  }
  pthread_mutex_unlock(&order->lock);
  if (!waits) free(l);
  return waits;
}

static void *run(void *of) {
  weft__cuda_order *order = of;
  uint64_t busy_ns = weft__now_ns();
  pthread_mutex_lock(&order->lock);
  while (order->first || !order->ends) {
    awaited *done = take_done(order, false);
    if (!done && order->first && weft__now_ns() - busy_ns < SPIN_NS) {
      pthread_mutex_unlock(&order->lock);
      sched_yield();
      pthread_mutex_lock(&order->lock);
      continue;
    }
    if (!done) {
      struct timespec until;
      clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_nsec += LOOK_NS;
      until.tv_sec += until.tv_nsec / 1000000000;
      until.tv_nsec %= 1000000000;
      const bool was_empty = !order->first;
      const int woken = was_empty ? pthread_cond_wait(&order->changed, &order->lock)
                                  : pthread_cond_timedwait(&order->changed, &order->lock, &until);
      if (was_empty) busy_ns = weft__now_ns();
      done = take_done(order, woken == ETIMEDOUT);
    }
    leftover *unused = take_unused(order);
    pthread_mutex_unlock(&order->lock);
    complete(done);
    unmap_all(unused, order->core->cuda);
    pthread_mutex_lock(&order->lock);
  }
  pthread_mutex_unlock(&order->lock);
  return NULL;
}

/// A host function of CUDA: must not call CUDA.
static void reached(void *user) {
  awaited *a = user;
  weft__cuda_order *order = a->order;
  pthread_mutex_lock(&order->lock);
  a->is_done = true;
  pthread_cond_signal(&order->changed);
  pthread_mutex_unlock(&order->lock);
}

/* ---- begin and end ---- */

static weft_status make(weft__cuda_order **out, weft__core *core) {
  weft_status rc = WEFT_OK;
  weft__cuda_order *order = weft__new(sizeof *order);
  if (!order) return WEFT_ERROR_HOST_MEMORY;
  const weft__cuda_failure failure = weft__cuda_memory_make(&order->words, core, WEFT__MAX_STREAMS * sizeof(uint32_t));
  if (failure.code) WEFT__TRY(weft__cuda_failed(core, &failure));
  weft__command clear = {.kind = WEFT__COMMAND_FILL, .mem = order->words.mem, .size_bytes = order->words.size_bytes};
  const int code = weft__slot_enqueue(core, 0, &clear, NULL);
  if (code) WEFT__TRY(weft__core_failed(core, code, weft__command_call(&clear), false));
  weft__slot_issue(core, 0);
  WEFT__TRY(weft__slot_wait(core, 0)); /* other slots write their words without a further order */
  order->core = core;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&order->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&order->lock, NULL);
  pthread_mutex_init(&order->writing, NULL);
  *out = order;
  return WEFT_OK;
done:
  weft__cuda_memory_free(&order->words, core);
  free(order);
  return rc;
}

static weft_status begin(weft__cuda_order **order, weft__core *core) {
  weft__cuda *cuda = core->cuda;
  pthread_mutex_lock(&cuda->lock);
  weft_status rc = cuda->order ? WEFT_OK : make(&cuda->order, core);
  *order = cuda->order;
  pthread_mutex_unlock(&cuda->lock);
  return rc;
}

void weft__cuda_order_end(weft__core *core) {
  weft__cuda *cuda = core->cuda;
  weft__cuda_order *order = cuda->order;
  if (order && order->has_thread) {
    pthread_mutex_lock(&order->lock);
    order->ends = true;
    pthread_cond_signal(&order->changed);
    pthread_mutex_unlock(&order->lock);
    pthread_join(order->thread, NULL);
  }
  if (order) {
    /* streams may not have reached the words that they wait for */
    bool is_still = true;
    for (int k = 0; k < MOST_CONTEXTS && order->waiting[k]; k++) {
      if (weft__cuda_api.push(order->waiting[k])) continue; /* destroyed, with its streams */
      if (weft__cuda_api.synchronize()) is_still = false;
      weft__cuda_leave();
    }
    unmap_all(order->unused, cuda);
    if (!is_still) order->words.handle = 0; /* CUDA keeps it */
    weft__cuda_memory_free(&order->words, core);
    pthread_cond_destroy(&order->changed);
    pthread_mutex_destroy(&order->lock);
    pthread_mutex_destroy(&order->writing);
    free(order);
  }
  if (cuda->stream && weft__cuda_enter(cuda) == WEFT_OK) {
    weft__cuda_api.stream_destroy(cuda->stream);
    weft__cuda_leave();
  }
}

weft_status weft__cuda_own_stream(weft__cuda_stream *stream, weft__core *core) {
  weft__cuda *cuda = core->cuda;
  weft_status rc = WEFT_OK;
  pthread_mutex_lock(&cuda->lock);
  if (!cuda->stream && (rc = weft__cuda_enter(cuda)) == WEFT_OK) {
    const int code = weft__cuda_api.stream_create(&cuda->stream, NON_BLOCKING);
    weft__cuda_leave();
    if (code) {
      cuda->stream = NULL;
      rc = weft__cuda_fail(code, "cuStreamCreate");
    }
  }
  *stream = cuda->stream;
  pthread_mutex_unlock(&cuda->lock);
  return rc;
}

/* ---- a CUDA stream waits for a queue ---- */

/// Enqueues the writing of a slot's next number on its queue. Two threads that use one slot must write in the order of
/// their numbers: a word that falls would be waited for for ever.
static weft_status write_number(uint32_t *number, weft__cuda_order *order, int slot, weft__cl_queue queue) {
  pthread_mutex_lock(&order->writing);
  *number = order->number[slot] + 1;
  weft__command write = {.kind = WEFT__COMMAND_FILL,
                         .queue = queue,
                         .word = *number,
                         .mem = order->words.mem,
                         .offset_bytes = (uint64_t)slot * sizeof *number,
                         .size_bytes = sizeof *number};
  const char *call = weft__command_call(&write);
  int code = weft__driver->enqueue(&write);
  if (!code) {
    order->number[slot] = *number;
    weft__slot_issue(order->core, slot);
    code = weft__driver->flush(queue);
    call = "clFlush";
  }
  pthread_mutex_unlock(&order->writing);
  return code ? weft__core_failed(order->core, code, call, false) : WEFT_OK;
}

/// Notes the stream's context. False: there are too many.
static bool note_context(weft__cuda_order *order, weft__cuda_context context) {
  int k = 0;
  pthread_mutex_lock(&order->lock);
  while (k < MOST_CONTEXTS && order->waiting[k] && order->waiting[k] != context) k++;
  if (k < MOST_CONTEXTS) order->waiting[k] = context;
  pthread_mutex_unlock(&order->lock);
  return k < MOST_CONTEXTS;
}

static weft_status wait_for_queue(weft__cuda_order *order, weft__cuda_stream stream, int slot, weft__cl_queue queue) {
  weft__core *core = order->core;
  uint32_t number;
  weft__cuda_context context;
  WEFT__TRY_RETURN(weft__cuda_context_of(&context, core->cuda, stream));
  if (!note_context(order, context)) return weft__core_wait(core);
  WEFT__TRY_RETURN(write_number(&number, order, slot, queue));
  WEFT__TRY_RETURN(weft__cuda_enter_stream(core->cuda, stream));
  const uint64_t word = order->words.address + (uint64_t)slot * sizeof number;
  const int code = weft__cuda_api.stream_wait_value(stream, word, number, GREATER_OR_EQUAL);
  weft__cuda_leave();
  /* a device without this function: the host waits instead */
  return code ? weft__core_wait(core) : WEFT_OK;
}

weft_status weft__cuda_after_core(weft__core *core, weft__cuda_stream stream) {
  weft__cuda_order *order;
  weft_status rc;
  WEFT__TRY(begin(&order, core));
  for (int s = 0; s < atomic_load(&core->slots) && rc == WEFT_OK; s++) {
    weft__cl_queue queue;
    uint64_t issued;
    WEFT__TRY(weft__slot_borrow(&queue, &issued, core, s));
    /* a lent queue may have commands of other code, which are not counted */
    const bool is_done = atomic_load(&core->slot[s].completed) >= issued && !atomic_load(&core->ahead_is_free);
    if (queue && !is_done) rc = wait_for_queue(order, stream, s, queue);
    weft__release(queue);
  }
done:
  return weft__while(rc, "making a CUDA stream wait for Weft's work");
}

/* ---- a queue waits for a CUDA stream ---- */

static weft_status begin_thread(weft__cuda_order *order) {
  pthread_mutex_lock(&order->lock);
  const int code = order->has_thread ? 0 : pthread_create(&order->thread, NULL, run, order);
  if (!code) order->has_thread = true;
  pthread_mutex_unlock(&order->lock);
  return code ? weft__fail(WEFT_ERROR_HOST_MEMORY, NULL, "a thread cannot be started (code %d)", code) : WEFT_OK;
}

/// Puts the host function and CUDA's event behind the stream's work. The current CUDA context is the stream's.
static int watch(awaited *a, weft__cuda_stream stream) {
  weft__cuda_order *order = a->order;
  int code = weft__cuda_api.event_create(&a->reached, DISABLE_TIMING);
  if (code) return code;
  code = weft__cuda_api.event_record(a->reached, stream);
  if (!code) code = weft__cuda_api.host_function(stream, reached, a);
  if (code) {
    weft__cuda_api.event_destroy(a->reached);
    return code;
  }
  pthread_mutex_lock(&order->lock);
  a->next = order->first;
  order->first = a;
  pthread_cond_signal(&order->changed);
  pthread_mutex_unlock(&order->lock);
  return 0;
}

/// After a failure: the host waits, so that no memory is released while CUDA's work uses it.
static void wait_on_host(weft__core *core, weft__cuda_stream stream) {
  if (weft__cuda_enter_stream(core->cuda, stream)) return;
  weft__cuda_api.stream_wait(stream);
  weft__cuda_leave();
}

weft_status weft__core_after_cuda(weft__core *core, weft__cuda_stream stream) {
  weft__cuda_order *order;
  awaited *a = NULL;
  weft__cl_event event = NULL;
  bool is_inside = false;
  weft_status rc;
  WEFT__TRY(begin(&order, core));
  WEFT__TRY(begin_thread(order));
  if (!(a = weft__new(sizeof *a))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  a->order = order;
  WEFT__TRY(weft__cuda_enter_stream(core->cuda, stream));
  is_inside = true;
  int code = weft__driver->event_create(&event, core->cl);
  if (code) WEFT__TRY(weft__core_failed(core, code, "clCreateUserEvent", false));
  code = weft__retain(event);
  if (code) WEFT__TRY(weft__core_failed(core, code, "clRetainEvent", false));
  a->event = event;
  if ((code = watch(a, stream))) {
    weft__release(a->event);
    WEFT__CUDA_TRY(stream_wait, stream);
    goto done;
  }
  a = NULL;              /* the thread's from here on */
  weft__pace_lend(core); /* the host must not wait for work that CUDA holds back */
  WEFT__TRY(weft__core_after_event(core, event));
done:
  if (is_inside) weft__cuda_leave();
  if (rc) wait_on_host(core, stream);
  weft__release(event);
  free(a);
  return weft__while(rc, "making Weft's work wait for a CUDA stream");
}
