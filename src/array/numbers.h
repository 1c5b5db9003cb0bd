// SPDX-License-Identifier: MIT
/// The check mode for numbers (WEFT_CHECKS=numbers): a call that makes NaN or infinity of finite numbers fails. Every
/// call over whole arrays and every launch of a user's kernel looks at its operands before, and at its results after
/// the work, by copies to the host.
#ifndef WEFT_ARRAY_NUMBERS_H
#define WEFT_ARRAY_NUMBERS_H

#include <math.h>

#include "array/array.h"

/// Counts elements that are NaN or infinite; *first is the number of the first of them. Other dtypes than floats and
/// complex numbers have none.
int64_t weft__count_special(int64_t *first, weft_dtype dtype, const void *data, int64_t count);
static inline bool weft__is_special(weft_scalar s) {
  int64_t first;
  return (weft_dtype_kind(s.dtype) == 'f' && !isfinite(s.value.f)) ||
         (weft_dtype_kind(s.dtype) == 'c' && weft__count_special(&first, WEFT_C128, s.value.c, 1));
}
/// As weft__count_special, for an array, which is copied to the host. Errors: HOST_MEMORY, DRIVER.
weft_status weft__array_count_special(int64_t *count, int64_t *first, const weft_array *x, const char *site);
/// Records that a call made special numbers of finite ones. Returns WEFT_ERROR_NUMBERS.
weft_status weft__fail_special(const char *name, int64_t count, int64_t all, int64_t first);

#endif
