// SPDX-License-Identifier: MIT
/// Reference reductions in plain C, in long double and 64-bit integers.
#ifndef WEFT_TESTS_REFERENCE_H
#define WEFT_TESTS_REFERENCE_H

#include "harness.h"

/// The dtype of NumPy's result.
weft_dtype reference_dtype(weft_reduction_id id, weft_dtype dtype);
/// Fills in elements that suit reduction `id`: moderate numbers with ties, occasionally NaN, infinities and -0.
void reference_fill(harness_random *random, weft_dtype dtype, void *elements, int64_t count, weft_reduction_id id);
/// NULL if `got` is the reduction of `count` elements, otherwise the difference. `parameter` as in
/// weft__reduce_apply_at.
const char *reference_check(weft_reduction_id id, weft_dtype dtype, double parameter, const void *elements,
                            int64_t count, const void *got);

/// An element as a number.
typedef struct reference_number {
  long double re, im;
  int64_t i; /* integers, exact; unsigned ones as their bits */
} reference_number;
reference_number reference_get(weft_dtype dtype, const void *element);

#endif
