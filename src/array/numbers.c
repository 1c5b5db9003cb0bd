// SPDX-License-Identifier: MIT
#include "array/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Whether the float at `bytes` has an exponent of ones: NaN or infinity in every format of IEEE 754 and in bf16.
static bool is_special(weft_dtype dtype, const unsigned char *bytes) {
  uint16_t half;
  float single;
  double whole;
  switch (dtype) {
    case WEFT_F16:
      memcpy(&half, bytes, sizeof half);
      return (half & 0x7c00u) == 0x7c00u;
    case WEFT_BF16:
      memcpy(&half, bytes, sizeof half);
      return (half & 0x7f80u) == 0x7f80u;
    case WEFT_F32:
      memcpy(&single, bytes, sizeof single);
      return !isfinite(single);
    case WEFT_F64:
      memcpy(&whole, bytes, sizeof whole);
      return !isfinite(whole);
    default:
      return false;
  }
}

int64_t weft__count_special(int64_t *first, weft_dtype dtype, const void *data, int64_t count) {
  const bool is_complex = weft_dtype_kind(dtype) == 'c';
  const weft_dtype part = is_complex ? weft__real_dtype(dtype) : dtype;
  const size_t size = weft_dtype_size_bytes(dtype), part_size = weft_dtype_size_bytes(part);
  const unsigned char *at = data;
  int64_t special = 0;
  *first = -1;
  for (int64_t k = 0; k < count && weft_dtype_kind(part) == 'f'; k++, at += size) {
    if (!is_special(part, at) && !(is_complex && is_special(part, at + part_size))) continue;
    if (special++ == 0) *first = k;
  }
  return special;
}

weft_status weft__array_count_special(int64_t *count, int64_t *first, const weft_array *x, const char *site) {
  const char kind = weft_dtype_kind(x->dtype);
  *count = 0;
  *first = -1;
  if ((kind != 'f' && kind != 'c') || x->size == 0) return WEFT_OK;
  void *data = weft__new((size_t)weft_array_size_bytes(x));
  if (!data) return WEFT_ERROR_HOST_MEMORY;
  const weft_status rc = weft__array_read(data, x, true, site);
  if (rc == WEFT_OK) *count = weft__count_special(first, x->dtype, data, x->size);
  free(data);
  return rc;
}

weft_status weft__fail_special(const char *name, int64_t count, int64_t all, int64_t first) {
  return weft__fail(WEFT_ERROR_NUMBERS, name,
                    "`%s` has %" PRId64 " of %" PRId64
                    " elements that are NaN or infinite, the first of them number %" PRId64
                    ", and all numbers given to the call were finite",
                    name, count, all, first);
}
