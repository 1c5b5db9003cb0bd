// SPDX-License-Identifier: MIT
/// The store of a context: its programs, Weft's own kernels, and the plans of functions over arrays. Each is built on
/// first use and kept until the context ends. Threads find entries without a lock.
#ifndef WEFT_STORE_STORE_H
#define WEFT_STORE_STORE_H

#include "kernel/kernel.h"
#include "mem/pool.h"
#include "store/lookback.h"

/// The kind of an entry. Keys of different kinds are never equal.
typedef enum weft__key_kind {
  WEFT__KIND_KERNELS = 0, /* kernels of one file of cl/; `owner`: another source of their text, or NULL */
  WEFT__KIND_MAP_KERNEL,  /* a kernel of the plan `owner`, by weft__map_key */
  WEFT__KIND_PROGRAM,     /* by its options and its whole text */
  WEFT__KIND_PLAN,        /* by the structure of its formula */
  /* These kinds find the plan of a function and its operands' dtypes: */
  WEFT__KIND_UFUNC,      /* of a row of the table */
  WEFT__KIND_USER_UFUNC, /* of the user's text `owner`, which the entry holds (base/held.h) */
  WEFT__KIND_TEXT,       /* a text that must live as long as the context: the key's bytes (weft__store_text) */
  WEFT__KIND_CAST,
  WEFT__KIND_EVAL,
  WEFT__KIND_REDUCE,
  WEFT__KIND_SELECT,
  WEFT__KIND_MATMUL,
  WEFT__KIND_PART,   /* of the plan `owner`, whose formula has reduced values: by the node (op/ufunc/reduced.c) */
  WEFT__KIND_TABLES, /* weft__stored_tables at the head of a plan; `owner` says of what */
} weft__key_kind;

/// The identity of an entry. `file`, `kernel` and `owner` are compared by address: two literals with equal text make
/// two entries. The owner must live as long as the context.
typedef struct weft__key {
  weft__key_kind kind;
  int kernels;               /* names in `kernel` */
  const char *file;          /* in cl/: "scan/gpu.cl" */
  const char *const *kernel; /* names of the kernels to open; NULL as a name: the file's only kernel */
  const void *owner;         /* the object that the entry belongs to, depending on the kind */
  const void *bytes;         /* the rest: WEFT__KEY_BYTES, or text */
  size_t size;
} weft__key;

/// The members `bytes` and `size` for a struct of bytes. A struct of wider members could have padding, whose bytes are
/// indeterminate.
#define WEFT__KEY_BYTES(type, pointer) .bytes = (const type *){pointer}, .size = sizeof(type) + WEFT__HAS_PADDING(type)
#define WEFT__HAS_PADDING(type)                                     \
  (0 * sizeof(struct {                                              \
     _Static_assert(_Alignof(type) == 1, "a key is made of bytes"); \
     char c;                                                        \
   }))

/// The head of every entry.
typedef struct weft__entry {
  struct weft__entry *next; /* in its bucket */
  uint64_t hash;
  weft__key key; /* its bytes are behind the entry */
} weft__entry;

#define WEFT__STORED_STORAGES 64

/// The head of an entry that owns constant tables on the device. They are released when the store closes.
typedef struct weft__stored_tables {
  weft__entry entry;
  int storages;
  struct weft__storage *storage[WEFT__STORED_STORAGES];
} weft__stored_tables;

typedef enum weft__own_kernel {
  WEFT__OWN_FILL = 0,
  WEFT__OWN_COPY_STRIDED,
  WEFT__OWN_INTROSPECT,
  WEFT__OWN_KERNELS,
} weft__own_kernel;

#define WEFT__STORE_BUCKETS 1024

typedef struct weft__store {
  weft__core *core;
  weft__pool *pool;
  bool has_loops;    /* computes by loops of the host: on CPUs, unless quirks override it */
  bool is_cpu;       /* uses the CPU texts of cl/: with `has_loops`, unless the context is reproducible */
  char options[128]; /* of all kernels of cl/ */
  weft__kernel *own[WEFT__OWN_KERNELS]; /* of core.cl, built when the store opens; NULL: the driver runs no kernels */
  pthread_mutex_t lock;                 /* of weft__store_add */
  _Atomic(weft__entry *) bucket[WEFT__STORE_BUCKETS];
  _Atomic(int) numbered; /* number of function entries whose launches pass the formula's numbers (map/plan.c) */
  weft__lookback lookback[WEFT__MAX_STREAMS];
} weft__store;

/// Builds core.cl. After a failure there is nothing to close. Errors: DRIVER, BUILD, HOST_MEMORY.
weft_status weft__store_open(weft__store *store, weft__core *core, weft__pool *pool);
/// Keeps in the cache on disk what is kept at a context's end: all in a folder that the user named, else for half a
/// second.
void weft__store_keep(weft__store *store);
/// Releases the driver's objects.
void weft__store_close(weft__store *store);
void weft__store_destroy(weft__store *store);

/// Gets a kernel of core.cl. Errors: UNSUPPORTED (the driver runs no kernels).
static inline weft_status weft__own_kernel_get(weft__kernel **kernel, const weft__store *store,
                                               weft__own_kernel which) {
  *kernel = store->own[which];
  return *kernel ? WEFT_OK : weft__no_kernels();
}

/// The entry of this key; NULL if the store does not have it.
void *weft__store_find(const weft__store *store, const weft__key *key);
/// Makes a zeroed entry of `size_bytes` (a multiple of 8) that begins with a weft__entry, and copies the key's bytes.
/// Returns NULL with HOST_MEMORY recorded on failure.
void *weft__entry_new(size_t size_bytes, const weft__key *key);
/// Frees an entry that is not in the store.
void weft__entry_free(const weft__store *store, void *entry);
/// Adds the entry. If another thread has added this key first, frees it. Returns the stored entry.
void *weft__store_add(weft__store *store, void *entry);
/// The context's copy of a text. NULL if the host has no memory (recorded).
const char *weft__store_text(weft__store *store, const char *text);
/// Iterates over all entries: returns the entry after `entry`, the first for NULL, and NULL after the last.
static inline const weft__entry *weft__store_next(const weft__store *store, const weft__entry *entry) {
  if (entry && entry->next) return entry->next;
  for (uint64_t b = entry ? entry->hash % WEFT__STORE_BUCKETS + 1 : 0; b < WEFT__STORE_BUCKETS; b++)
    if ((entry = atomic_load_explicit(&store->bucket[b], memory_order_acquire))) return entry;
  return NULL;
}

/// Whether blocks of a launch can communicate: the device has device-scope loads and stores (PTX on NVIDIA) or 64-bit
/// atomics, and started blocks make progress. Otherwise single-pass kernels must not be used.
bool weft__has_device_scope(const weft__core *core);

#endif
