// SPDX-License-Identifier: MIT
/// A hash of bytes, eight at a time: tables use it on paths where a byte at a time would be felt.
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Of `size` bytes; to go on from an earlier hash pass it as `seed`, else 0. The low bits are as good as the high ones.
static inline uint64_t weft__hash(const void *bytes, size_t size, uint64_t seed) {
  const unsigned char *at = bytes;
  uint64_t h = seed ^ size;
  for (; size > 0; at += 8) {
    uint64_t word = 0;
    const size_t part = size < 8 ? size : 8;
    memcpy(&word, at, part);
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    size -= part;
  }
  return h;
}

#endif
