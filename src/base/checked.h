// SPDX-License-Identifier: MIT
/// Arithmetic with overflow checks.
#ifndef WEFT_BASE_CHECKED_H
#define WEFT_BASE_CHECKED_H

#include <weft/api.h>

/// False if the exact result does not fit; *result is then unspecified.
static inline bool weft__multiply_u64(uint64_t *result, uint64_t a, uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) return false;
  *result = a * b;
  return true;
}

static inline bool weft__add_u64(uint64_t *result, uint64_t a, uint64_t b) {
  *result = a + b;
  return *result >= a;
}

/// a and b must not be negative.
static inline bool weft__multiply_i64(int64_t *result, int64_t a, int64_t b) {
  if (b != 0 && a > INT64_MAX / b) return false;
  *result = a * b;
  return true;
}

static inline bool weft__add_i64(int64_t *result, int64_t a, int64_t b) {
  if (b >= 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
  *result = a + b;
  return true;
}

#endif
