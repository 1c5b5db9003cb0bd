// SPDX-License-Identifier: MIT
/// The memory of a context that shares it with CUDA: slabs that CUDA made and OpenCL imported, cut into equal pieces.
/// slabs.c explains how much a slab wastes.
#ifndef WEFT_MEM_SLABS_H
#define WEFT_MEM_SLABS_H

#include "cuda/cuda.h"

#define WEFT__POOL_CLASSES 441 /* of sizes, see pool.h */

struct weft__storage;

/// A free piece's place in the order of work: its next user waits for its last one.
typedef struct weft__piece {
  uint64_t writer, readers; /* as in weft__storage */
  uint32_t next_free;       /* the next free piece of its slab */
} weft__piece;

typedef struct weft__slab {
  struct weft__slab *next, *previous; /* in its class */
  struct weft__slab_class *class;     /* NULL: a slab for a single buffer */
  weft__cuda_memory memory;
  uint64_t piece_bytes;
  uint32_t pieces, used;
  uint32_t first_free;
  weft__piece piece[];
} weft__slab;

/// The slabs of one of the pool's size classes; those with free pieces come first.
typedef struct weft__slab_class {
  uint64_t pieces; /* of all its slabs */
  weft__slab *first, *last;
} weft__slab_class;

typedef struct weft__slabs {
  pthread_mutex_t lock;
  weft__core *core;
  uint64_t size_bytes; /* of all slabs */
  weft__slab_class class[WEFT__POOL_CLASSES];
} weft__slabs;

/// What weft__slabs_take is to take.
typedef struct weft__slab_request {
  uint64_t size_bytes;
  int class;           /* the size class of size_bytes; -1: a slab for this buffer alone */
  uint64_t zone_bytes; /* guard mode: more bytes on each side, in storage->whole; then `class` is -1 */
} weft__slab_request;

void weft__slabs_init(weft__slabs *slabs, weft__core *core);
/// All pieces must have been given back.
void weft__slabs_destroy(weft__slabs *slabs);
uint64_t weft__slabs_size_bytes(weft__slabs *slabs);
/// Takes a piece for a storage's buffer: mem, whole, slab, piece, the CUDA address, and the order of use. core->cuda
/// must be open.
weft__cuda_failure weft__slabs_take(weft__slabs *slabs, struct weft__storage *storage,
                                    const weft__slab_request *request);
/// Gives the storage's piece back; its buffers must be released. A slab whose pieces are all free is released.
void weft__slabs_give(weft__slabs *slabs, struct weft__storage *storage);

#endif
