// SPDX-License-Identifier: MIT
/// Division by a number that all threads share, as a multiplication (Granlund and Montgomery 1994).
#ifndef WEFT_BASE_DIVISOR_H
#define WEFT_BASE_DIVISOR_H

#include <stdint.h>

/// n / d is mul_hi(n, multiplier) >> shift for 32-bit n under 2^31. Both fields are 0
/// for d = 1, whose multiplier would need 33 bits, and for d from 2^31 on, where kernels count in 64 bits and divide.
typedef struct weft__divisor {
  uint32_t multiplier, shift;
} weft__divisor;

static inline weft__divisor weft__divisor_of(uint64_t d) {
  uint32_t s = 0;
  if (d < 2 || d >> 31) return (weft__divisor){0, 0};
  while ((UINT64_C(1) << s) < d) s++;
  /* 31 bits for n and s bits for d: the error of the rounded-up quotient stays under one */
  return (weft__divisor){(uint32_t)(((UINT64_C(1) << (31 + s)) + d - 1) / d), s - 1};
}

/// n / d is mul_hi(2 * n, multiplier) >> shift for n and d under 2^63, d at least 1.
typedef struct weft__wide_divisor {
  uint64_t multiplier, shift;
} weft__wide_divisor;

static inline weft__wide_divisor weft__wide_divisor_of(uint64_t d) {
  __extension__ typedef unsigned __int128 wide;
  uint32_t s = 0;
  while ((UINT64_C(1) << s) < d) s++;
  /* 63 bits for n and s bits for d, as above; 2^(63 + s) / d is under 2^64 */
  return (weft__wide_divisor){(uint64_t)((((wide)1 << (63 + s)) + d - 1) / d), s};
}

#endif
