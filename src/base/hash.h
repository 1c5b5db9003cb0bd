// SPDX-License-Identifier: MIT
/// A hash of bytes that takes eight at a time, because tables use it on performance-critical paths.
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t weft__hash_word(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 32;
}

/// The hash of `size` bytes. `seed` is 0, or an earlier hash that it extends. Low and high bits are equally good.
static inline uint64_t weft__hash(const void *bytes, size_t size, uint64_t seed) {
  const unsigned char *at = bytes; /* may be NULL, if `size` is 0 */
  size_t left = size;
  uint64_t h = seed ^ size, word = 0;
  for (; left >= 8; left -= 8, at += 8) {
    memcpy(&word, at, 8);
    h = weft__hash_word(h, word);
  }
  for (word = 0; left > 0; left--) word = word << 8 | *at++;
  return size % 8 ? weft__hash_word(h, word) : h;
}

#endif
