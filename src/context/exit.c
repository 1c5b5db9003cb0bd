// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE /* syscall */
#include "context/exit.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "context/leaks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static weft_context *watched; /* a list */
static bool has_handler, main_has_destructor;

/// glibc's way to register the destructor of a thread's variable; another C library may have none.
extern int __cxa_thread_atexit_impl(void (*destructor)(void *object), void *object, void *library) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

/// A driver's threads may make, while they compile a kernel, what is registered to be taken down at exit(): later than any handler of ours,
/// so taken down before it runs. The destructors of the main thread run before all of that.
static void finish(void *unused) {
  (void)unused;
  /* a forked child ends without the thread that may hold the lock; what its parent made is its parent's to end */
  if (pthread_mutex_trylock(&lock) != 0) return;
  for (weft_context *c = watched; c; c = c->next_watched) {
    bool is_needed = c->core.device->quirks.finish_at_exit || c->profile_wish; /* a profile shall have the times of all commands */
    if (is_needed && weft__core_is_of_this_process(&c->core) && !atomic_load(&c->core.lost)) weft__core_wait(&c->core);
  }
  pthread_mutex_unlock(&lock);
}

/// What the main thread has waited for is done. Behind the wait the driver is asked nothing any more.
static void at_exit(void) {
  finish(NULL);
  if (pthread_mutex_trylock(&lock) != 0) return;
  for (weft_context *c = watched; c; c = c->next_watched) {
    if (!weft__core_is_of_this_process(&c->core)) continue;
    weft__profile_at_exit(c);
    weft__leaks_at_exit(c);
  }
  pthread_mutex_unlock(&lock);
}

void weft__exit_watch(weft_context *context) {
  bool is_main = syscall(SYS_gettid) == getpid();
  pthread_mutex_lock(&lock);
  if (!has_handler) has_handler = atexit(at_exit) == 0;
  if (is_main && !main_has_destructor && __cxa_thread_atexit_impl)
    main_has_destructor = __cxa_thread_atexit_impl(finish, NULL, &__dso_handle) == 0;
  context->next_watched = watched;
  watched = context;
  pthread_mutex_unlock(&lock);
}

void weft__exit_forget(weft_context *context) {
  pthread_mutex_lock(&lock);
  weft_context **at = &watched;
  while (*at && *at != context) at = &(*at)->next_watched;
  if (*at) *at = context->next_watched;
  pthread_mutex_unlock(&lock);
}
