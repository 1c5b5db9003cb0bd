// SPDX-License-Identifier: MIT
/// Shared by the bfloat16 suites: all bfloat16 values, arrays from and to the host, and the bfloat16 nearest to a
/// number.
#ifndef WEFT_TESTS_BFLOATS_H
#define WEFT_TESTS_BFLOATS_H

#include "views.h"

enum { ALL = 65536 };

static uint16_t every[ALL];

static inline void fill_every(void) {
  for (int i = 0; i < ALL; i++) every[i] = (uint16_t)i;
}

static inline bool is_nan(uint16_t bits) {
  return (bits & 0x7fff) > 0x7f80;
}

static inline weft_array *from(weft_dtype dtype, int64_t count, const void *data) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(count), data));
  return x;
}

static inline weft_array *all_of_them(void) {
  fill_every();
  return from(WEFT_BF16, ALL, every);
}

/// Reads the elements of an array, which must be of `dtype`, and releases it.
static inline void take(void *data, weft_dtype dtype, int64_t count, weft_array **x) {
  ck_assert_str_eq(weft_dtype_name(weft_array_dtype(*x)), weft_dtype_name(dtype));
  ck_assert_int_eq(weft_array_size(*x), count);
  ok(weft_to_host(data, (size_t)weft_array_size_bytes(*x), *x));
  weft_array_release(x);
  harness_count(count);
}

static inline weft_bf16 nearest(double x) {
  return (weft_bf16){element_bf16((long double)x)};
}

#endif
