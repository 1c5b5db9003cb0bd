// SPDX-License-Identifier: MIT
#include "mem/window.h"

void weft__window_init(weft__window *window) {
  pthread_mutex_init(&window->lock, NULL);
}

void weft__window_destroy(weft__window *window) {
  pthread_mutex_destroy(&window->lock);
}

uint64_t weft__window_trim(weft__window *window, weft__core *core) {
  if (pthread_mutex_trylock(&window->lock)) return 0;
  const uint64_t size_bytes = window->memory.size_bytes;
  if (window->memory.mem) weft__cuda_memory_free(&window->memory, core);
  pthread_mutex_unlock(&window->lock);
  return size_bytes;
}

uint64_t weft__window_size_bytes(weft__window *window) {
  if (pthread_mutex_trylock(&window->lock)) return 0;
  const uint64_t size_bytes = window->memory.size_bytes;
  pthread_mutex_unlock(&window->lock);
  return size_bytes;
}
