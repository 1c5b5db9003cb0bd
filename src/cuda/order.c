// SPDX-License-Identifier: MIT
/// The order between CUDA's streams and a context's queues, without a wait of the host.
///
/// A CUDA stream waits for a queue through a word in shared memory: the queue writes a rising number, the stream waits
/// until the word has reached it. A queue waits for a CUDA stream through a user event: the stream writes a word in
/// the host's memory, which a thread polls, and the thread completes the event. On NVIDIA 580.159 work behind an event
/// that a host function of CUDA's completes starts 256 us later, behind one completed by another thread 18 us later. A
/// kernel that polls a word would take 27 us for both ways, but halves the rate of the work it waits for: the device
/// gives half of its time to the polling context.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "cuda/cuda.h"

/* It asks this often whether CUDA's contexts are still alive: a destroyed one never writes its words. */
#define LOOK_NS 100000000u

/* Contexts of CUDA in which streams may wait for Weft without blocking the host. */
#define MOST_CONTEXTS 16
/* Works of CUDA that may be awaited at the same time. For more the host waits. */
#define MOST_AWAITED 256

enum { GREATER_OR_EQUAL = 0, DISABLE_TIMING = 2, NON_BLOCKING = 1, PORTABLE = 1, GIVEN_UP = -1 };
enum { FIRST_CAPTURE = 900, LAST_CAPTURE = 909 };

/// Work of a CUDA stream that a queue waits for.
typedef struct awaited {
  weft__cl_event event;     /* the queue waits for it; NULL: the place is free */
  weft__cuda_event reached; /* CUDA's event at the same point */
  bool is_watched;          /* CUDA has been asked to write the word */
  bool is_gone;             /* its CUDA context was destroyed */
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
  int count;                       /* of awaited works */
  awaited awaited[MOST_AWAITED];   /* their places */
  _Atomic(uint32_t) *word_of_cuda; /* a word for each, in the host's memory: 1 once the work is done */
  leftover *unused;
  weft__cuda_context waiting[MOST_CONTEXTS]; /* contexts with streams that wait for words; NULL: no more */
} weft__cuda_order;

/* ---- the thread that completes events ---- */

/// Whether a status of cuEventQuery means that the event's context was destroyed or has failed. CUDA refuses the
/// question (FIRST_CAPTURE to LAST_CAPTURE) while another thread records a graph.
static bool is_lost(int code) {
  return code && code != WEFT__CUDA_NOT_READY && !(code >= FIRST_CAPTURE && code <= LAST_CAPTURE);
}

/// Takes the works that are done, or whose CUDA context is gone, and frees their places. Returns their number. With the
/// lock held.
static int take_done(awaited done[MOST_AWAITED], weft__cuda_order *order, bool asks_cuda) {
  int count = 0;
  for (int k = 0; k < MOST_AWAITED && order->count; k++) {
    awaited *a = &order->awaited[k];
    if (!a->is_watched) continue;
    if (!atomic_load_explicit(&order->word_of_cuda[k], memory_order_acquire)) {
      a->is_gone = asks_cuda && is_lost(weft__cuda_api.event_query(a->reached));
      if (!a->is_gone) continue;
    }
    done[count++] = *a;
    *a = (awaited){0};
    order->count--;
  }
  return count;
}

static void complete(const awaited *a) {
  if (a->is_gone)
    weft__log(WEFT_LOG_ERROR,
              "a CUDA context was destroyed, or failed, with work that Weft's work waits for, which fails now");
  weft__driver->event_complete(a->event, a->is_gone ? GIVEN_UP : 0);
  weft__release(a->event);
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
  leftover *unused = order->count ? NULL : order->unused;
  if (unused) order->unused = NULL;
  return unused;
}

bool weft__cuda_unmap_later(weft__core *core, const weft__cuda_memory *memory) {
  weft__cuda_order *order = core->cuda->order;
  leftover *l = order ? malloc(sizeof *l) : NULL;
  if (!l) return false;
  pthread_mutex_lock(&order->lock);
  const bool waits = order->count > 0;
  if (waits) {
    *l = (leftover){order->unused, *memory};
    order->unused = l;
  }
  pthread_mutex_unlock(&order->lock);
  if (!waits) free(l);
  return waits;
}

/// Lets other threads run: shortly, and longer if the work has been awaited for long.
static void pause_after(uint64_t waited_ns) {
  if (waited_ns < WEFT__POLL_NS)
    sched_yield();
  else
    weft__nap(waited_ns);
}

static void *run(void *of) {
  weft__cuda_order *order = of;
  uint64_t since_ns = weft__now_ns(), looked_ns = since_ns;
  pthread_mutex_lock(&order->lock);
  while (order->count || !order->ends) {
    awaited done[MOST_AWAITED];
    if (!order->count && !order->unused) {
      pthread_cond_wait(&order->changed, &order->lock);
      since_ns = looked_ns = weft__now_ns();
      continue;
    }
    const uint64_t now_ns = weft__now_ns();
    const bool looks = now_ns - looked_ns > LOOK_NS;
    if (looks) looked_ns = now_ns;
    const int count = take_done(done, order, looks);
    leftover *unused = take_unused(order);
    pthread_mutex_unlock(&order->lock);
    for (int k = 0; k < count; k++) complete(&done[k]);
    /* CUDA may hold this call back until queues go on that wait for the events above */
    for (int k = 0; k < count; k++) weft__cuda_api.event_destroy(done[k].reached);
    unmap_all(unused, order->core->cuda);
    if (count)
      since_ns = weft__now_ns();
    else
      pause_after(now_ns - since_ns);
    pthread_mutex_lock(&order->lock);
  }
  pthread_mutex_unlock(&order->lock);
  return NULL;
}

/* ---- begin and end ---- */

/// Frees the memory, after the thread has ended.
static void free_order(weft__cuda_order *order) {
  weft__core *core = order->core;
  weft__cuda_memory_free(&order->words, core);
  if (order->word_of_cuda && weft__cuda_enter(core->cuda) == WEFT_OK) {
    weft__cuda_api.host_free((void *)order->word_of_cuda);
    weft__cuda_leave();
  }
  pthread_cond_destroy(&order->changed);
  pthread_mutex_destroy(&order->lock);
  pthread_mutex_destroy(&order->writing);
  free(order);
}

static weft_status allocate_words(weft__cuda_order *order) {
  weft__core *core = order->core;
  void *host = NULL;
  const weft__cuda_failure failure = weft__cuda_memory_make(&order->words, core, WEFT__MAX_STREAMS * sizeof(uint32_t));
  if (failure.code) return weft__cuda_failed(core, &failure);
  weft__command clear = {.kind = WEFT__COMMAND_FILL, .mem = order->words.mem, .size_bytes = order->words.size_bytes};
  int code = weft__slot_enqueue(core, 0, &clear, NULL);
  if (code) return weft__core_failed(core, code, weft__command_call(&clear), false);
  weft__slot_issue(core, 0);
  WEFT__TRY_RETURN(weft__slot_wait(core, 0)); /* other slots write their words without a further order */
  WEFT__TRY_RETURN(weft__cuda_enter(core->cuda));
  code = weft__cuda_api.host_allocate(&host, MOST_AWAITED * sizeof *order->word_of_cuda, PORTABLE);
  weft__cuda_leave();
  order->word_of_cuda = host;
  return code ? weft__cuda_fail(code, "cuMemHostAlloc") : WEFT_OK;
}

static weft_status make(weft__cuda_order **out, weft__core *core) {
  weft__cuda_order *order = weft__new(sizeof *order);
  if (!order) return WEFT_ERROR_HOST_MEMORY;
  order->core = core;
  pthread_cond_init(&order->changed, NULL);
  pthread_mutex_init(&order->lock, NULL);
  pthread_mutex_init(&order->writing, NULL);
  const weft_status rc = allocate_words(order);
  if (rc)
    free_order(order);
  else
    *out = order;
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
      const int code = weft__cuda_api.push(order->waiting[k]);
      if (code == WEFT__CUDA_INVALID_CONTEXT || code == WEFT__CUDA_CONTEXT_IS_DESTROYED) continue; /* and its streams */
      if (code || weft__cuda_api.synchronize()) is_still = false;
      if (!code) weft__cuda_leave();
    }
    unmap_all(order->unused, cuda);
    if (!is_still) order->words.handle = 0; /* CUDA keeps it */
    free_order(order);
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

/// Makes the stream wait for one slot.
static weft_status after_slot(weft__cuda_order *order, weft__cuda_stream stream, int slot) {
  weft__core *core = order->core;
  weft__cl_queue queue;
  uint64_t issued;
  WEFT__TRY_RETURN(weft__slot_borrow(&queue, &issued, core, slot));
  /* a lent queue may have commands of other code, which are not counted */
  const bool is_done = atomic_load(&core->slot[slot].completed) >= issued && !atomic_load(&core->ahead_is_free);
  const weft_status rc = queue && !is_done ? wait_for_queue(order, stream, slot, queue) : WEFT_OK;
  weft__release(queue);
  return rc;
}

weft_status weft__cuda_after(weft__core *core, weft__cuda_stream stream, int slot) {
  weft__cuda_order *order;
  weft_status rc;
  const bool is_every = slot == WEFT__EVERY_SLOT;
  WEFT__TRY(begin(&order, core));
  if (!is_every) WEFT__TRY(after_slot(order, stream, slot));
  for (int s = 0; is_every && s < atomic_load(&core->slots); s++) WEFT__TRY(after_slot(order, stream, s));
  rc = WEFT_OK;
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

/// Takes a free place. NULL: all are taken.
static awaited *take_place(weft__cuda_order *order, weft__cl_event event) {
  awaited *place = NULL;
  pthread_mutex_lock(&order->lock);
  for (int k = 0; k < MOST_AWAITED && !place; k++)
    if (!order->awaited[k].event) place = &order->awaited[k];
  if (place) {
    *place = (awaited){.event = event};
    atomic_store_explicit(&order->word_of_cuda[place - order->awaited], 0, memory_order_relaxed);
  }
  pthread_mutex_unlock(&order->lock);
  return place;
}

/// Puts the writing of the word and CUDA's event behind the stream's work. The current CUDA context is the stream's.
static int watch(weft__cuda_order *order, awaited *a, weft__cuda_stream stream) {
  const uint64_t word = (uint64_t)(uintptr_t)&order->word_of_cuda[a - order->awaited];
  weft__cuda_event reached;
  int code = weft__cuda_api.event_create(&reached, DISABLE_TIMING);
  if (code) return code;
  code = weft__cuda_api.event_record(reached, stream);
  if (!code) code = weft__cuda_api.stream_write_value(stream, word, 1, 0);
  if (code) {
    weft__cuda_api.event_destroy(reached);
    return code;
  }
  pthread_mutex_lock(&order->lock);
  a->reached = reached;
  a->is_watched = true;
  order->count++;
  pthread_cond_signal(&order->changed);
  pthread_mutex_unlock(&order->lock);
  return 0;
}

static void leave_place(weft__cuda_order *order, awaited *a) {
  pthread_mutex_lock(&order->lock);
  *a = (awaited){0};
  pthread_mutex_unlock(&order->lock);
}

/// After a failure: the host waits, so that no memory is released while CUDA's work uses it.
static void wait_on_host(weft__core *core, weft__cuda_stream stream) {
  if (weft__cuda_enter_stream(core->cuda, stream)) return;
  weft__cuda_api.stream_wait(stream);
  weft__cuda_leave();
}

weft_status weft__after_cuda(weft__core *core, int slot, weft__cuda_stream stream) {
  weft__cuda_order *order;
  awaited *a;
  weft__cl_event event = NULL;
  bool is_inside = false;
  weft_status rc;
  WEFT__TRY(begin(&order, core));
  WEFT__TRY(begin_thread(order));
  WEFT__TRY(weft__cuda_enter_stream(core->cuda, stream));
  is_inside = true;
  int code = weft__driver->event_create(&event, core->cl);
  if (code) WEFT__TRY(weft__core_failed(core, code, "clCreateUserEvent", false));
  if (!(a = take_place(order, event))) {
    WEFT__CUDA_TRY(stream_wait, stream);
    goto done;
  }
  /* the thread may complete and release the event at once: it has a reference of its own */
  code = weft__retain(event);
  if (code) {
    leave_place(order, a);
    WEFT__TRY(weft__core_failed(core, code, "clRetainEvent", false));
  }
  if (watch(order, a, stream)) {
    leave_place(order, a);
    weft__release(event);
    WEFT__CUDA_TRY(stream_wait, stream);
    goto done;
  }
  if (slot == WEFT__EVERY_SLOT) weft__pace_lend(core); /* the host must not wait for work that CUDA holds back */
  WEFT__TRY(weft__after_event(core, slot, event));
done:
  if (is_inside) weft__cuda_leave();
  if (rc) wait_on_host(core, stream);
  weft__release(event);
  return weft__while(rc, "making Weft's work wait for a CUDA stream");
}
