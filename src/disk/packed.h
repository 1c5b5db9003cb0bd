// SPDX-License-Identifier: MIT
/// Programs that were linked into the process (weft_cache_add), and the counters of the cache.
#ifndef WEFT_DISK_PACKED_H
#define WEFT_DISK_PACKED_H

#include "disk/entry.h"

typedef enum weft__cache_count {
  WEFT__COUNT_HIT = 0,
  WEFT__COUNT_PACKED_HIT,
  WEFT__COUNT_MISS,
  WEFT__COUNT_REFUSED,
  WEFT__COUNT_STORED,
  WEFT__COUNTS
} weft__cache_count;

void weft__packed_count(weft__cache_count what);
uint64_t weft__packed_counted(weft__cache_count what);

/// Adds a program for the rest of the process; its bytes must stay. False: no memory.
bool weft__packed_add(const weft__entry_parts *parts);

/// Whether any program was added.
bool weft__packed_any(void);
/// Finds the added program of a key.
bool weft__packed_find(weft__entry_parts *parts, const char *key, size_t key_bytes);

#endif
