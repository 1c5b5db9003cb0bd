// SPDX-License-Identifier: MIT
#include "base/fork.h"

#include <pthread.h>

atomic_uint weft__forks;

static void in_child(void) {
  atomic_fetch_add(&weft__forks, 1);
}

/// At the library's start, so that a look at the number costs no call.
__attribute__((constructor)) static void install(void) {
  pthread_atfork(NULL, NULL, in_child);
}
