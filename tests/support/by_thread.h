// SPDX-License-Identifier: MIT
/// Shared by the suites of what the calling thread computes itself.
#ifndef WEFT_TESTS_BY_THREAD_H
#define WEFT_TESTS_BY_THREAD_H

#include "harness.h"

enum { BY_THREAD_MOST = 263000 };

typedef struct operands {
  char a[BY_THREAD_MOST * 8], b[BY_THREAD_MOST * 8], c[BY_THREAD_MOST * 8];
} operands;

/// Whether the device's small calls are computed by the thread.
bool has_twins(void);
/// Bytes of one loop that the thread reads and writes, at most.
size_t most_bytes(void);
/// The launches of `ctx` so far.
uint64_t launches(void);
/// Random bits; of floats also numbers from -4 to 4, infinities, NaN, zeros and denormals.
void fill(void *elements, weft_dtype dtype, int n, harness_random *random);
/// Asserts that elements have the same bits; of a NaN any.
void check_same(const char *got, const char *wanted, weft_dtype dtype, int64_t n, const char *what);

#endif
