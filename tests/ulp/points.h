// SPDX-License-Identifier: MIT
#ifndef ULP_POINTS_H
#define ULP_POINTS_H

#include "functions.h"

/// A dtype's format: value = m * 2^e with 1 <= |m| < 2 of `digits` bits, and e from min_exponent to max_exponent.
typedef struct ulp_format {
  int digits, min_exponent, max_exponent;
  weft_dtype dtype;
} ulp_format;

ulp_format ulp_format_of(weft_dtype dtype);

/// Element `i` of an array of the format.
double ulp_read(const ulp_format *format, const void *array, size_t i);

/// Fills `count` elements of each argument: random bits, the function's ranges, all magnitudes, and its difficult
/// points. The same `seed` gives the same points.
void ulp_points(const ulp_function *function, const ulp_format *format, uint64_t seed, size_t count,
                void *const *arguments);

#endif
