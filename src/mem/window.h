// SPDX-License-Identifier: MIT
/// A context's window: memory that other contexts import, through which arrays travel that CUDA did not make. It is
/// made at the first such copy, and kept until the pool is trimmed or the context closed.
#ifndef WEFT_MEM_WINDOW_H
#define WEFT_MEM_WINDOW_H

#include <pthread.h>

#include "cuda/cuda.h"

typedef struct weft__window {
  pthread_mutex_t lock;     /* held during a copy */
  weft__cuda_memory memory; /* mem is NULL: not made */
} weft__window;

void weft__window_init(weft__window *window);
/// The memory must have been released.
void weft__window_destroy(weft__window *window);
/// Releases the memory, unless a copy uses it. Returns the number of bytes released.
uint64_t weft__window_trim(weft__window *window, weft__core *core);
/// The bytes that it holds; 0 also while a copy uses it.
uint64_t weft__window_size_bytes(weft__window *window);

#endif
