// SPDX-License-Identifier: MIT
/// Shared by the suites about calls in chunks.
#ifndef WEFT_TESTS_CHUNKS_H
#define WEFT_TESTS_CHUNKS_H

#include "views.h"

/* ---- calls in chunks, and the whole calls to compare with ---- */

static inline uint64_t launches_so_far(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.launches;
}

static uint64_t launches_before;

/// Runs the following calls in chunks of `bytes` bytes, until expect_cut.
static inline void cut_to(const char *bytes) {
  launches_before = launches_so_far();
  setenv("WEFT_CHUNK", bytes, 1);
}

static inline void expect_cut(uint64_t least) {
  uint64_t launches = launches_so_far() - launches_before;
  setenv("WEFT_CHUNK", "off", 1);
  ck_assert_msg(launches >= least, "%llu launches, not %llu", (unsigned long long)launches, (unsigned long long)least);
  harness_count(1);
}

static inline void fill(void *data, size_t size_bytes, uint64_t salt) {
  harness_random random = harness_random_start(salt);
  for (size_t i = 0; i + 8 <= size_bytes; i += 8) {
    uint64_t bits = harness_bits(&random) & UINT64_C(0x3f7f3f7f3f7f3f7f); /* no NaN as f32 and f64 */
    memcpy((char *)data + i, &bits, 8);
  }
}

static inline void same_bits(const void *got, const void *expected, size_t size_bytes, const char *what) {
  const unsigned char *a = got, *b = expected;
  size_t i = 0;
  while (i < size_bytes && a[i] == b[i]) i++; /* no assertion per element: each writes to a file */
  ck_assert_msg(i == size_bytes, "%s: byte %zu of %zu differs", what, i, size_bytes);
}

#endif
