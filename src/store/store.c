// SPDX-License-Identifier: MIT
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/held.h"
#include "disk/folder.h"
#include "kernel/cached.h"
#include "mem/lifetime.h"
#include "store/kernel_set.h"

bool weft__has_device_scope(const weft__core *core) {
  const weft__device *device = core->device;
  /* one-pass kernels group floats by the device's number of blocks, or read partial sums in an order of their own */
  if (core->reproducible) return false;
  return device->quirks.device_scope && !device->quirks.no_device_scope && device->info.has_int64_atomics;
}

/// PoCL compiles a form of each kernel for its binary, which can take as long as the program before: a program must not
/// seem to hang at its end. What is left is kept by a later run.
#define LONGEST_KEEP_NS 500000000u

/* ---- entries ---- */

static uint64_t hash_of(const weft__key *key) {
  uint64_t head = (uint64_t)key->kind << 8 ^ (uintptr_t)key->file * 3 ^ (uintptr_t)key->owner * 5;
  for (int k = 0; k < key->kernels; k++) head = head * 7 + (uintptr_t)key->kernel[k];
  return weft__hash(key->bytes, key->size, weft__hash_word(0, head));
}

static bool is_equal(const weft__key *a, const weft__key *b) {
  bool equal = a->kind == b->kind && a->kernels == b->kernels && a->file == b->file && a->owner == b->owner &&
               a->size == b->size;
  for (int k = 0; equal && k < a->kernels; k++) equal = a->kernel[k] == b->kernel[k];
  return equal && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static weft__entry *find(const weft__store *store, const weft__key *key, uint64_t hash) {
  weft__entry *entry = atomic_load_explicit(&store->bucket[hash % WEFT__STORE_BUCKETS], memory_order_acquire);
  while (entry && (entry->hash != hash || !is_equal(&entry->key, key))) entry = entry->next;
  return entry;
}

void *weft__store_find(const weft__store *store, const weft__key *key) {
  return find(store, key, hash_of(key));
}

void *weft__entry_new(size_t size_bytes, const weft__key *key) {
  const size_t names_bytes = (size_t)key->kernels * sizeof key->kernel[0];
  weft__entry *entry = weft__new(size_bytes + names_bytes + key->size);
  if (!entry) return NULL;
  unsigned char *names = (unsigned char *)entry + size_bytes, *bytes = names + names_bytes;
  if (names_bytes) memcpy(names, key->kernel, names_bytes);
  if (key->size) memcpy(bytes, key->bytes, key->size);
  entry->hash = hash_of(key);
  entry->key = *key;
  entry->key.kernel = (const char *const *)(void *)names;
  entry->key.bytes = bytes;
  if (key->kind == WEFT__KIND_USER_UFUNC) weft__hold_again(key->owner);
  return entry;
}

static bool has_kernels(const weft__entry *entry) {
  return entry->key.kind == WEFT__KIND_KERNELS || entry->key.kind == WEFT__KIND_MAP_KERNEL;
}

static void close_kernels(weft__entry *entry) {
  weft__kernel_set *set = (weft__kernel_set *)entry;
  for (int k = 0; has_kernels(entry) && k < entry->key.kernels; k++) weft__kernel_close(&set->kernel[k]);
}

static void close_program(const weft__store *store, weft__entry *entry) {
  if (entry->key.kind == WEFT__KIND_PROGRAM)
    weft__program_close(&((weft__stored_program *)entry)->program, store->core);
}

static void close_tables(weft__entry *entry) {
  weft__stored_tables *tables = (weft__stored_tables *)entry;
  if (entry->key.kind != WEFT__KIND_TABLES) return;
  while (tables->storages > 0) weft__storage_release(tables->storage[--tables->storages]);
}

static void destroy(weft__entry *entry) {
  weft__kernel_set *set = (weft__kernel_set *)entry;
  for (int k = 0; has_kernels(entry) && k < entry->key.kernels; k++) weft__kernel_destroy(&set->kernel[k]);
  if (entry->key.kind == WEFT__KIND_USER_UFUNC) weft__let_go(entry->key.owner);
  free(entry);
}

void weft__entry_free(const weft__store *store, void *entry) {
  if (!entry) return;
  close_tables(entry);
  close_kernels(entry);
  close_program(store, entry);
  destroy(entry);
}

void *weft__store_add(weft__store *store, void *made) {
  weft__entry *entry = made;
  _Atomic(weft__entry *) *bucket = &store->bucket[entry->hash % WEFT__STORE_BUCKETS];
  pthread_mutex_lock(&store->lock);
  weft__entry *other = find(store, &entry->key, entry->hash);
  if (!other) {
    entry->next = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, entry, memory_order_release);
  }
  pthread_mutex_unlock(&store->lock);
  if (!other) return entry;
  weft__entry_free(store, entry);
  return other;
}

const char *weft__store_text(weft__store *store, const char *text) {
  const weft__key key = {.kind = WEFT__KIND_TEXT, .bytes = text, .size = strlen(text) + 1};
  weft__entry *entry = weft__store_find(store, &key);
  if (!entry && (entry = weft__entry_new(sizeof *entry, &key))) entry = weft__store_add(store, entry);
  return entry ? entry->key.bytes : NULL;
}

/* ---- the store of a context ---- */

static weft_status open_own(weft__store *store) {
  static const char *const names[WEFT__OWN_KERNELS] = {"weft_fill", "weft_copy_strided", "weft_introspect"};
  const weft__kernel_source source = {.name = "core.cl",
                                      .key = {.file = "core.cl", .kernel = names, .kernels = WEFT__OWN_KERNELS}};
  return weft__kernels_get(store->own, store, &source);
}

weft_status weft__store_open(weft__store *store, weft__core *core, weft__pool *pool) {
  const weft__device *device = core->device;
  store->core = core;
  store->pool = pool;
  store->has_loops =
      !device->quirks.gpu_kernels && (device->info.type == WEFT_DEVICE_TYPE_CPU || device->quirks.cpu_kernels);
  store->is_cpu = store->has_loops && !core->reproducible;
  /* -w: a compiler's warning would reach the program's stderr through PoCL, and no one who reads it could act on it */
  snprintf(store->options, sizeof store->options, "-w %s%s%s%s", store->is_cpu ? "-DWEFT_CPU=1 " : "",
           device->info.has_fp64 ? "-DWEFT_FP64=1 " : "", core->reproducible ? "-DWEFT_REPRODUCIBLE=1 " : "",
           device->divides_rounded ? "-cl-fp32-correctly-rounded-divide-sqrt" : "");
  pthread_mutex_init(&store->lock, NULL);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_init(&store->lookback[s]);
  weft_status rc = weft__driver->runs_kernels ? open_own(store) : WEFT_OK;
  if (rc) {
    weft__store_close(store);
    weft__store_destroy(store);
  }
  return rc;
}

void weft__store_keep(weft__store *store) {
  const uint64_t until_ns = weft__disk_is_named() ? UINT64_MAX : weft__now_ns() + LONGEST_KEEP_NS;
  const weft__entry *entry;
  for (entry = NULL; (entry = weft__store_next(store, entry)) && weft__now_ns() < until_ns;)
    if (entry->key.kind == WEFT__KIND_PROGRAM)
      weft__cached_keep(&((weft__stored_program *)entry)->program, store->core, true);
}

void weft__store_close(weft__store *store) {
  const weft__entry *entry;
  weft__store_keep(store);
  for (entry = NULL; (entry = weft__store_next(store, entry));) close_tables((weft__entry *)entry);
  for (entry = NULL; (entry = weft__store_next(store, entry));) close_kernels((weft__entry *)entry);
  for (entry = NULL; (entry = weft__store_next(store, entry));) close_program(store, (weft__entry *)entry);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_close(&store->lookback[s]);
}

void weft__store_destroy(weft__store *store) {
  for (int b = 0; b < WEFT__STORE_BUCKETS; b++)
    for (weft__entry *entry = atomic_load(&store->bucket[b]), *next; entry; entry = next) {
      next = entry->next;
      destroy(entry);
    }
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_destroy(&store->lookback[s]);
  pthread_mutex_destroy(&store->lock);
}
