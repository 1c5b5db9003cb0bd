// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* pthread_getattr_np */
#include "core/at_exit.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"

/// A kernel that never ends must not keep the process from ending.
#define LONGEST_WAIT_NS 10000000000u
#define COMPILERS_STACK_BYTES (4u << 20) /* LLVM uses hundreds of KiB */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static weft__core *watched;         /* a list */
static atomic_uint fork_generation; /* of the process that owns the list; read before the lock is taken */
static void (*_Atomic last_call)(void);
static bool has_handler, gave_up; /* gave_up: the last thread that ended has waited long enough */
static atomic_bool is_over, fails;
static _Thread_local bool holds_lock;

_Thread_local bool weft__at_exit_thread_known;

/// glibc's function to register the destructor of a thread-local variable; other C libraries may lack it.
extern int __cxa_thread_atexit_impl(void (*destructor)(void *object), void *object, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

/// False if the lock must not be taken. In a forked child the thread that holds it may be missing, and the parent's
/// contexts belong to the parent. In a signal handler, this thread itself may hold it.
static bool take_lock(void) {
  if (holds_lock || weft__fork_generation() != atomic_load(&fork_generation)) return false;
  holds_lock = true;
  pthread_mutex_lock(&lock);
  return true;
}

static void give_lock(void) {
  pthread_mutex_unlock(&lock);
  holds_lock = false;
}

/// False if the wait took too long. The caller has the lock.
static bool finish(void) {
  bool done = true;
  uint64_t until_ns = weft__now_ns() + LONGEST_WAIT_NS;
  /* a signal handler that interrupted a call ends the process: the driver's locks may be held */
  if (weft__is_inside()) return true;
  for (weft__core *core = watched; core && done; core = core->next_watched)
    if (core->finishes && !atomic_load(&core->lost)) done = weft__core_wait_until(core, until_ns);
  return done;
}

/// Keeps the kernels of all contexts in the cache, for which a driver may compile. The caller has the lock.
static void *keep_all(void *unused) {
  holds_lock = true;
  weft__at_exit_thread_known = true;
  for (weft__core *core = watched; core && !gave_up; core = core->next_watched)
    if (!atomic_load(&core->lost)) core->keep(core);
  return unused;
}

/// Whether this thread's stack may be too small for a compiler.
static bool has_small_stack(void) {
  pthread_attr_t attributes;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  if (pthread_attr_getstacksize(&attributes, &bytes) != 0) bytes = 0;
  pthread_attr_destroy(&attributes);
  return bytes < COMPILERS_STACK_BYTES;
}

/// keep_all, in a thread of its own if this one's stack is small. Without such a thread nothing is kept.
static void keep_safely(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  if (!has_small_stack()) {
    keep_all(NULL);
    return;
  }
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, COMPILERS_STACK_BYTES);
  if (pthread_create(&thread, &attributes, keep_all, NULL) == 0) pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

/// While a driver's threads compile a kernel, they may register objects that exit() destroys. These are registered
/// after our handlers, so they are destroyed before our handlers run. Destructors of thread-local variables run
/// earlier, on the thread that calls exit(). If another thread calls exit(), this thread's work is done once this
/// thread has ended.
static void thread_ends(void *unused) {
  (void)unused;
  if (!take_lock()) return;
  gave_up = !finish();
  /* here, because in handlers of exit() a driver may be unable to compile */
  if (watched && !gave_up && !weft__is_inside()) keep_safely();
  give_lock();
}

/// Called from an exit() handler. With glibc a nested exit() runs the remaining handlers, flushes files and sets the
/// status. C leaves that undefined, so elsewhere handlers registered before ours do not run.
_Noreturn static void end_failing(void) {
#ifdef __GLIBC__
  exit(WEFT__AT_EXIT_STATUS);
#else
  fflush(NULL);
  _Exit(WEFT__AT_EXIT_STATUS);
#endif
}

static void at_exit(void) {
  if (!take_lock()) return;
  atomic_store(&is_over, true);
  /* so that threads stop waiting for each other */
  for (weft__core *core = watched; core; core = core->next_watched) atomic_store(&core->ended, true);
  if (!gave_up) finish();
  for (weft__core *core = watched; core; core = core->next_watched) core->last_words(core);
  void (*last)(void) = atomic_load(&last_call);
  if (last) last();
  give_lock();
  if (atomic_load(&fails)) end_failing();
}

void weft__at_exit_note_thread(void) {
  weft__at_exit_thread_known = true;
  if (__cxa_thread_atexit_impl) __cxa_thread_atexit_impl(thread_ends, NULL, &__dso_handle);
}

/// If another thread of the parent held the lock during the fork, the child has no thread to release it.
static void in_child(void) {
  if (!holds_lock) pthread_mutex_init(&lock, NULL);
}

/// The caller has the lock.
static void be_ready(void) {
  if (!has_handler) {
    has_handler = atexit(at_exit) == 0;
    pthread_atfork(NULL, NULL, in_child);
  }
  if (atomic_load(&fork_generation) != weft__fork_generation()) { /* the list is the parent's */
    watched = NULL;
    atomic_store(&fails, false);
  }
  atomic_store(&fork_generation, weft__fork_generation());
}

void weft__at_exit_watch(weft__core *core, bool finishes, void (*keep)(weft__core *core),
                         void (*last_words)(weft__core *core)) {
  core->finishes = finishes || core->device->quirks.finish_at_exit;
  if (core->finishes && !weft__at_exit_thread_known) weft__at_exit_note_thread();
  holds_lock = true;
  pthread_mutex_lock(&lock);
  be_ready();
  core->keep = keep;
  core->last_words = last_words;
  core->next_watched = watched;
  watched = core;
  give_lock();
}

void weft__at_exit_call(void (*last)(void)) {
  /* the usual case, without the lock: another thread that is ending may hold it for long */
  if (atomic_load(&last_call) == last && atomic_load(&fork_generation) == weft__fork_generation()) return;
  holds_lock = true;
  pthread_mutex_lock(&lock);
  be_ready();
  atomic_store(&last_call, last);
  give_lock();
}

void weft__at_exit_fail(void) {
  atomic_store(&fails, true);
}

void weft__at_exit_forget(weft__core *core) {
  if (!take_lock()) return;
  weft__core **at = &watched;
  while (*at && *at != core) at = &(*at)->next_watched;
  if (*at) *at = core->next_watched;
  give_lock();
}

bool weft__at_exit_is_over(void) {
  return atomic_load_explicit(&is_over, memory_order_relaxed);
}
