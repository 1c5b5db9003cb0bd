// SPDX-License-Identifier: MIT
/// A storage: one buffer on the device, shared by the arrays that view it, or one image. It records the work that must
/// be ordered. (mem/lifetime.h makes and releases storages.)
#ifndef WEFT_MEM_STORAGE_H
#define WEFT_MEM_STORAGE_H

#include "core/core.h"

struct weft__guarded;
struct weft__pool;
struct weft__slab;

/// The lender of adopted memory: `give_back` is called once when the memory is no longer used, on the thread that
/// releases the last reference.
typedef struct weft__lender {
  void (*give_back)(void *user); /* NULL: no lender */
  void *user;
} weft__lender;

/// A storage's links in the lists of the pool's idle buffers.
typedef struct weft__idle {
  struct weft__storage *class_newer, *class_older; /* in its size class, by time of release */
  struct weft__storage *newer, *older;             /* in the list of all */
} weft__idle;

typedef struct weft__storage {
  _Atomic(uint64_t) references;
  weft__core *core;
  struct weft__pool *pool;
  weft__cl_mem mem;         /* NULL after its context was closed */
  weft__cl_mem whole;       /* guard mode: the buffer of which mem is a sub-buffer */
  struct weft__slab *slab;  /* the slab of which mem is a part; NULL: none */
  uint32_t piece;           /* in the slab */
  uint64_t cuda_address;    /* where CUDA sees mem; 0: it does not */
  struct weft__guarded *guarded; /* guard mode; NULL: not guarded */
  uint64_t size_bytes;      /* requested by the array */
  uint64_t capacity_bytes;  /* size of the buffer */
  bool adopted;             /* a foreign buffer: never kept by the pool; is_public too */
  bool is_image;            /* the pool does not keep it, guard mode has no zones around it */
  const char *read_only;    /* reason why it may not be written, a literal; NULL: writable */
  char *host;               /* the caller's memory that the buffer wraps (mem/host_memory.h); NULL: none */
  _Atomic(char *) in_place; /* where a CPU's driver keeps it, once a host step has found out; NULL: unknown */
  bool is_public;           /* other code has its buffer, and may use it through another storage */
  _Atomic(bool) is_wanted;  /* in_place would have been of use (mem/at_once.c) */
  void *mapped;             /* the address of its host map (mem/host_memory.h); NULL: not mapped */
  bool mapped_for_write;
  uint64_t mapped_bytes;
  weft__lender lender;       /* called when the memory is no longer used */
  _Atomic(uint64_t) writer;  /* the last command that wrote it: number * WEFT__MAX_STREAMS + slot */
  _Atomic(uint64_t) readers; /* the slots that have read it since, one bit each */
  weft__ledger_entry entry;
  uint64_t reservation; /* the pool's reservation that its buffer belongs to; 0: none */
  weft__idle idle;
  uint64_t life; /* its number in the timeline; 0: not recorded */
} weft__storage;

/// The use of a storage by a command.
typedef struct weft__use {
  weft__storage *storage;
  bool writes; /* true if it reads and writes */
} weft__use;

/// Ends a map, if there is one, of a storage that is being released.
void weft__storage_end_map(weft__storage *storage);

/// weft__storage_order where other slots may have work on the storage, or the host has mapped it.
weft_status weft__storage_wait_for_others(weft__storage *storage, int slot, bool writes);
/// Called before a command on `slot` that reads or writes the storage: makes the slot wait for other slots' work on it.
/// Errors: ARGUMENT (a host map conflicts with the command), DRIVER, LOST.
static inline weft_status weft__storage_order(weft__storage *used, int slot, bool writes) {
  const uint64_t writer = atomic_load_explicit(&used->writer, memory_order_relaxed);
  const uint64_t readers = writes ? atomic_load_explicit(&used->readers, memory_order_relaxed) : 0;
  const bool is_slots_own = writer % WEFT__MAX_STREAMS == (uint64_t)slot && !(readers & ~((uint64_t)1 << slot));
  return is_slots_own && !used->mapped ? WEFT_OK : weft__storage_wait_for_others(used, slot, writes);
}
/// Whether a command on `slot` that writes the storage would wait for no other slot. Makes no driver call.
bool weft__storage_is_free(const weft__storage *storage, int slot);
/// Whether two storages may be one memory: other code's memory may be adopted more than once.
static inline bool weft__storages_may_share(const weft__storage *a, const weft__storage *b) {
  return a == b || (a->is_public && b->is_public && (a->adopted || b->adopted));
}
/// Whether all work on the storage is known to be done, without `writes` the work that wrote it. Makes no driver call.
bool weft__storage_is_done(const weft__storage *storage, bool writes);
/// Records that a command was enqueued as number `command` (weft__slot_issue). For a command that reads and writes the
/// storage it is called for both, in any order.
static inline void weft__storage_mark(weft__storage *used, int slot, bool writes, uint64_t command) {
  const uint64_t writer = command * WEFT__MAX_STREAMS + (uint64_t)slot, bit = (uint64_t)1 << slot;
  if (writes) {
    atomic_store_explicit(&used->writer, writer, memory_order_relaxed);
    atomic_store_explicit(&used->readers, 0, memory_order_relaxed);
  } else if (!(atomic_load_explicit(&used->readers, memory_order_relaxed) & bit) &&
             atomic_load_explicit(&used->writer, memory_order_relaxed) != writer) {
    /* threads that read one array concurrently: only the first read on a slot pays for the atomic write */
    atomic_fetch_or_explicit(&used->readers, bit, memory_order_relaxed);
  }
}

#endif
