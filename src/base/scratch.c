// SPDX-License-Identifier: MIT
#include "base/scratch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { LINE = 64, BLOCK_BYTES = 256 << 10 };

/// What a thread has: one block, and its part that is in use. Memory for which it has no room is allocated apart.
typedef struct scratch {
  char *block;
  size_t used;
} scratch;

static _Thread_local scratch mine;
static pthread_key_t key; /* its destructor frees a thread's block when the thread ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_block(void *memory) {
  scratch *s = memory;
  free(s->block);
  *s = (scratch){0};
}

static bool has_key;

static void make_key(void) {
  has_key = pthread_key_create(&key, free_block) == 0;
}

/// The library may be unloaded before its threads end: they must not call into it.
__attribute__((destructor)) static void end_key(void) {
  free_block(&mine);
  if (has_key) pthread_key_delete(key);
}

static bool open_block(scratch *s) {
  pthread_once(&once, make_key);
  s->block = aligned_alloc(LINE, BLOCK_BYTES);
  if (!s->block) {
    weft__fail_host_memory(BLOCK_BYTES);
    return false;
  }
  if (has_key) pthread_setspecific(key, s);
  return true;
}

void *weft__scratch_begin(size_t size_bytes) {
  scratch *s = &mine;
  const size_t size = (size_bytes + LINE - 1) & ~(size_t)(LINE - 1);
  if (!s->block && !open_block(s)) return NULL;
  if (size > BLOCK_BYTES - s->used) {
    void *memory = size < size_bytes ? NULL : aligned_alloc(LINE, size);
    if (!memory) weft__fail_host_memory(size_bytes);
    return memory;
  }
  char *memory = s->block + s->used;
  s->used += size;
  return memory;
}

void *weft__scratch_begin_zeroed(size_t size_bytes) {
  void *memory = weft__scratch_begin(size_bytes);
  if (memory) memset(memory, 0, size_bytes);
  return memory;
}

void weft__scratch_end(void *memory) {
  scratch *s = &mine;
  const uintptr_t place = (uintptr_t)memory - (uintptr_t)s->block;
  if (s->block && place < BLOCK_BYTES)
    s->used = place;
  else
    free(memory);
}
