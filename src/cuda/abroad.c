// SPDX-License-Identifier: MIT
#include "cuda/abroad.h"

#include <pthread.h>

enum { KEPT = 16 };

typedef struct kept {
  const weft__core *owner, *to; /* NULL: a free entry */
  uint64_t handle;              /* CUDA's, of the owner's memory */
  uint64_t used;                /* the number of its last use */
  weft__cl_mem mem;             /* in `to` */
} kept;

/* of the process: either context of an entry may be closed first */
static struct {
  pthread_mutex_t lock;
  uint64_t uses;
  kept entry[KEPT];
} imports = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void drop(kept *entry) {
  weft__release(entry->mem);
  *entry = (kept){0};
}

/// The entry of the memory, or the one to replace.
static kept *find(bool *is_there, const weft__core *to, uint64_t handle, const weft__core *owner) {
  kept *oldest = &imports.entry[0];
  for (int k = 0; k < KEPT; k++) {
    kept *e = &imports.entry[k];
    *is_there = e->owner == owner && e->to == to && e->handle == handle;
    if (*is_there) return e;
    if (e->used < oldest->used) oldest = e;
  }
  return oldest;
}

weft__cuda_failure weft__abroad_get(weft__cl_mem *mem, const weft__core *to, const weft__cuda_memory *memory,
                                    const weft__core *owner) {
  weft__cuda_failure failure = {0};
  bool is_there;
  pthread_mutex_lock(&imports.lock);
  kept *e = find(&is_there, to, memory->handle, owner);
  if (!is_there) {
    if (e->owner) drop(e);
    failure = weft__cuda_memory_for(mem, to, memory, owner);
    if (failure.code == 0) *e = (kept){.owner = owner, .to = to, .handle = memory->handle, .mem = *mem};
  }
  if (failure.code == 0) {
    *mem = e->mem;
    e->used = ++imports.uses;
    failure = (weft__cuda_failure){.code = weft__retain(e->mem), .call = "clRetainMemObject"};
    if (failure.code) *mem = NULL;
  }
  pthread_mutex_unlock(&imports.lock);
  return failure;
}

void weft__abroad_drop(const weft__cuda_memory *memory, const weft__core *owner) {
  pthread_mutex_lock(&imports.lock);
  for (int k = 0; k < KEPT; k++)
    if (imports.entry[k].owner == owner && imports.entry[k].handle == memory->handle) drop(&imports.entry[k]);
  pthread_mutex_unlock(&imports.lock);
}

void weft__abroad_leave(const weft__core *core) {
  pthread_mutex_lock(&imports.lock);
  for (int k = 0; k < KEPT; k++)
    if (imports.entry[k].owner && (imports.entry[k].owner == core || imports.entry[k].to == core))
      drop(&imports.entry[k]);
  pthread_mutex_unlock(&imports.lock);
}
