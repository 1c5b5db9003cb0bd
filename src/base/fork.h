// SPDX-License-Identifier: MIT
/// OpenCL drivers do not survive fork(): objects made before it cannot be used after it.
#ifndef WEFT_BASE_FORK_H
#define WEFT_BASE_FORK_H

#include <stdatomic.h>

extern atomic_uint weft__forks;

/// The number of forks between the process that loaded Weft and this one. Objects store it and compare it later.
static inline unsigned weft__fork_generation(void) {
  return atomic_load_explicit(&weft__forks, memory_order_relaxed);
}

#endif
