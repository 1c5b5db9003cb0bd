// SPDX-License-Identifier: MIT
/// CUDA makes memory in granules of 2 MiB, each with an open file until it is released. So a slab has many small
/// pieces, or one large one:
///
/// - It has whole granules, as few as waste at most an eighth of them (SMALLEST_PART).
/// - If its class has many pieces already, it has an eighth of their number more, up to LARGEST_BYTES. So the number of
///   slabs, and of open files, grows slowly with the number of arrays, and an eighth of them at most is unused.
///
/// The pool's bound (pool.c) holds for the pieces. Slabs exceed it where pieces of a class are free and arrays of other
/// sizes take memory: by at most what the arrays of that class once took. No slab is kept without a piece that is in
/// use or held by the pool.
#include "mem/slabs.h"

#include <stdlib.h>

#include "mem/storage.h"

#define SMALLEST_PART 8
#define LARGEST_BYTES ((uint64_t)64 << 20)
#define NONE UINT32_MAX

void weft__slabs_init(weft__slabs *slabs, weft__core *core) {
  slabs->core = core;
  pthread_mutex_init(&slabs->lock, NULL);
}

void weft__slabs_destroy(weft__slabs *slabs) {
  pthread_mutex_destroy(&slabs->lock);
}

uint64_t weft__slabs_size_bytes(weft__slabs *slabs) {
  pthread_mutex_lock(&slabs->lock);
  const uint64_t size_bytes = slabs->size_bytes;
  pthread_mutex_unlock(&slabs->lock);
  return size_bytes;
}

/* ---- the slabs of a class; with the lock held ---- */

static void unlink_slab(weft__slab *slab) {
  *(slab->previous ? &slab->previous->next : &slab->class->first) = slab->next;
  *(slab->next ? &slab->next->previous : &slab->class->last) = slab->previous;
  slab->next = slab->previous = NULL;
}

static void link_slab(weft__slab *slab, bool first) {
  weft__slab_class *class = slab->class;
  if (first) {
    slab->next = class->first;
    *(class->first ? &class->first->previous : &class->last) = slab;
    class->first = slab;
  } else {
    slab->previous = class->last;
    *(class->last ? &class->last->next : &class->first) = slab;
    class->last = slab;
  }
}

/// The pieces of the class's next slab.
static uint64_t count_pieces(const weft__slab_class *class, uint64_t piece_bytes, uint64_t granule_bytes) {
  uint64_t size_bytes = 0, pieces;
  do {
    size_bytes += granule_bytes;
    pieces = size_bytes / piece_bytes;
  } while (!pieces || size_bytes - pieces * piece_bytes > size_bytes / SMALLEST_PART);
  const uint64_t more = class->pieces / SMALLEST_PART, most = LARGEST_BYTES / piece_bytes;
  const uint64_t grown = more < most ? more : most;
  return grown > pieces ? grown : pieces;
}

static weft__cuda_failure make_slab(weft__slab **out, weft__slabs *slabs, weft__slab_class *class,
                                    uint64_t piece_bytes) {
  const uint64_t granule_bytes = slabs->core->cuda->granule_bytes;
  const uint64_t pieces = class ? count_pieces(class, piece_bytes, granule_bytes) : 1;
  const size_t slab_bytes = sizeof(weft__slab) + pieces * sizeof(weft__piece);
  weft__slab *slab = calloc(1, slab_bytes);
  if (!slab) return (weft__cuda_failure){.code = (int)slab_bytes};
  const weft__cuda_failure failure = weft__cuda_memory_make(&slab->memory, slabs->core, pieces * piece_bytes);
  if (failure.code) {
    free(slab);
    return failure;
  }
  slab->class = class;
  slab->piece_bytes = piece_bytes;
  slab->pieces = (uint32_t)pieces;
  for (uint32_t p = 0; p < slab->pieces; p++) slab->piece[p].next_free = p + 1 < slab->pieces ? p + 1 : NONE;
  slabs->size_bytes += slab->memory.size_bytes;
  if (class) {
    class->pieces += slab->pieces;
    link_slab(slab, true);
  }
  *out = slab;
  return failure;
}

/// A slab whose first free piece can be used now: a context without tracking does not wait for work of other streams.
static weft__slab *slab_with_room(const weft__slabs *slabs, const weft__slab_class *class, weft__storage *storage) {
  weft__slab *slab = class ? class->first : NULL;
  if (!slab || slab->first_free == NONE) return NULL;
  atomic_store(&storage->writer, slab->piece[slab->first_free].writer);
  atomic_store(&storage->readers, slab->piece[slab->first_free].readers);
  return !slabs->core->untracked || weft__storage_is_free(storage, weft__slot_now(slabs->core)) ? slab : NULL;
}

/* ---- taking and giving ---- */

static weft__cuda_failure take_piece(weft__storage *storage, weft__slab *slab, const weft__slab_request *request) {
  const uint32_t number = slab->first_free;
  const weft__piece *piece = &slab->piece[number];
  const uint64_t offset_bytes = number * slab->piece_bytes + request->zone_bytes;
  weft__cuda_failure failure = {.call = "clRetainMemObject"};
  if (request->zone_bytes && (failure.code = weft__retain(slab->memory.mem))) return failure;
  if (request->zone_bytes) storage->whole = slab->memory.mem;
  failure.call = "clCreateSubBuffer";
  failure.code =
      weft__driver->sub_buffer_create(&storage->mem, slab->memory.mem, false, offset_bytes, request->size_bytes);
  if (failure.code) {
    weft__release(storage->whole);
    storage->whole = NULL;
    return failure;
  }
  storage->slab = slab;
  storage->piece = number;
  storage->cuda_address = slab->memory.address + offset_bytes;
  atomic_store(&storage->writer, piece->writer);
  atomic_store(&storage->readers, piece->readers);
  slab->used++;
  slab->first_free = piece->next_free;
  if (slab->class && slab->first_free == NONE) {
    unlink_slab(slab);
    link_slab(slab, false);
  }
  return failure;
}

/// Takes a slab without used pieces out. The caller frees it.
static void forget_slab(weft__slabs *slabs, weft__slab *slab) {
  slabs->size_bytes -= slab->memory.size_bytes;
  if (!slab->class) return;
  slab->class->pieces -= slab->pieces;
  unlink_slab(slab);
}

static void free_slab(weft__slabs *slabs, weft__slab *slab) {
  if (!slab) return;
  weft__cuda_memory_free(&slab->memory, slabs->core);
  free(slab);
}

weft__cuda_failure weft__slabs_take(weft__slabs *slabs, weft__storage *storage, const weft__slab_request *request) {
  weft__cuda_failure failure = {0};
  const uint64_t align = slabs->core->device->info.address_align_bytes;
  const uint64_t piece_bytes = weft_ceil_div(request->size_bytes + 2 * request->zone_bytes, align) * align;
  weft__slab *unused = NULL;
  pthread_mutex_lock(&slabs->lock);
  weft__slab_class *class = request->class < 0 ? NULL : &slabs->class[request->class];
  weft__slab *slab = slab_with_room(slabs, class, storage);
  if (!slab) failure = make_slab(&slab, slabs, class, piece_bytes);
  if (!failure.code) failure = take_piece(storage, slab, request);
  if (slab && slab->used == 0) forget_slab(slabs, unused = slab);
  pthread_mutex_unlock(&slabs->lock);
  free_slab(slabs, unused);
  return failure;
}

void weft__slabs_give(weft__slabs *slabs, weft__storage *storage) {
  weft__slab *slab = storage->slab, *unused = NULL;
  pthread_mutex_lock(&slabs->lock);
  slab->piece[storage->piece] =
      (weft__piece){atomic_load(&storage->writer), atomic_load(&storage->readers), slab->first_free};
  slab->first_free = storage->piece;
  if (slab->class) {
    unlink_slab(slab);
    link_slab(slab, true);
  }
  if (--slab->used == 0) forget_slab(slabs, unused = slab);
  pthread_mutex_unlock(&slabs->lock);
  storage->slab = NULL;
  storage->cuda_address = 0;
  free_slab(slabs, unused);
}
