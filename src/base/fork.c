// SPDX-License-Identifier: MIT
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void) {
  atomic_fetch_add(&generation, 1);
}

static void install(void) {
  pthread_atfork(NULL, NULL, in_child);
}

unsigned weft__fork_generation(void) {
  pthread_once(&once, install);
  return atomic_load_explicit(&generation, memory_order_relaxed);
}
