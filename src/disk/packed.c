// SPDX-License-Identifier: MIT
#include "disk/packed.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct packed {
  struct packed *next;
  weft__entry_parts parts;
} packed;

static _Atomic(packed *) first; /* only ever grows, so that it is read without a lock */
static _Atomic(uint64_t) counted[WEFT__COUNTS];

void weft__packed_count(weft__cache_count what) {
  atomic_fetch_add_explicit(&counted[what], 1, memory_order_relaxed);
}

bool weft__packed_any(void) {
  return atomic_load_explicit(&first, memory_order_relaxed) != NULL;
}

bool weft__packed_find(weft__entry_parts *parts, const char *key, size_t key_bytes) {
  for (const packed *p = atomic_load(&first); p; p = p->next) {
    if (p->parts.key.size != key_bytes || memcmp(p->parts.key.bytes, key, key_bytes) != 0) continue;
    *parts = p->parts;
    return true;
  }
  return false;
}

bool weft__packed_add(const weft__entry_parts *parts) {
  packed *added = malloc(sizeof *added);
  if (!added) return false;
  added->parts = *parts;
  added->next = atomic_load(&first);
  while (!atomic_compare_exchange_weak(&first, &added->next, added)) {
  }
  return true;
}

uint64_t weft__packed_counted(weft__cache_count what) {
  return atomic_load_explicit(&counted[what], memory_order_relaxed);
}
