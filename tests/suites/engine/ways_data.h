// SPDX-License-Identifier: MIT
/// The elements of the cases of test_ways.c.
#ifndef WAYS_DATA_H
#define WAYS_DATA_H

#include <stdint.h>

#include "harness.h"

enum { MOST_RESULTS = 17 }; /* of a case */

/// Whether floats are thirds: sums round, and show in which order a loop adds.
static bool has_fractions;

/// The numbers of `wide` in the dtype.
static void make_elements(weft_array **x, const weft_array *wide, weft_dtype dtype) {
  const char kind = weft_dtype_kind(dtype);
  ok(weft_cast(x, wide, dtype));
  if (has_fractions && (kind == 'f' || kind == 'c')) ok(weft_multiply(x, *x, 1.0f / 3));
}

#endif
