// SPDX-License-Identifier: MIT
/// FNV-1a.
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Of `size` bytes; to go on from an earlier hash pass it as `seed`, else 0.
static inline uint64_t weft__hash(const void *bytes, size_t size, uint64_t seed) {
  const unsigned char *key = bytes;
  uint64_t h = seed ^ UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) h = (h ^ key[i]) * UINT64_C(1099511628211);
  return h;
}

#endif
