// SPDX-License-Identifier: MIT
/// weft_add against plain C for arrays in any layout. There is one dtype for each element size, and all sums are exact.
#ifndef WEFT_TESTS_SUMS_H
#define WEFT_TESTS_SUMS_H

#include "harness.h"

/// A view and its contiguous base.
typedef struct placed {
  weft_array *base, *view;
} placed;

#define SUM_SIZES 5
/// u8, u16, u32, u64 (they wrap around) and c128 (whole numbers).
extern const weft_dtype SUM_DTYPES[SUM_SIZES];

/// Makes an array of `count` random elements; the view covers all of it.
placed placed_make(weft_dtype dtype, int64_t count, harness_random *random);
/// Another view of the same base; release both.
placed placed_share(const placed *p);
/// Each replaces the view by a view of it.
void placed_slice(placed *p, int axis, int64_t start, int64_t stop, int64_t step);
void placed_reshape(placed *p, weft_shape shape);
void placed_transpose(placed *p, weft_axes axes);
void placed_flip(placed *p, weft_axes axis);
void placed_broadcast(placed *p, weft_shape shape);
void placed_release(placed *p);

/// Checks weft_add(&out, a, b): out's whole base must hold the expected elements, as if a and b had been read first,
/// and bases other than out's must be unchanged. The dtypes are from SUM_DTYPES; c128 is not mixed with others. If
/// `scalar` is not 0, b is ignored and the call is weft_add(&out, a, scalar). Counts a case.
void sum_check(const placed *out, const placed *a, const placed *b, int scalar, const char *what);

#endif
