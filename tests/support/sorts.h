// SPDX-License-Identifier: MIT
/// The plain-C reference for sorting, and elements that are difficult to sort.
#ifndef WEFT_TESTS_SORTS_H
#define WEFT_TESTS_SORTS_H

#include "views.h"

/// NumPy's order of two elements: negative, 0 (equal: NaNs among themselves, zeros of either sign) or positive.
int sorts_compare(weft_dtype dtype, const void *a, const void *b);
/// The order of a row's n elements, `step` elements apart; stable, also descending.
void sorts_order(int64_t *order, weft_dtype dtype, const void *row, int64_t n, int64_t step, bool descending);

typedef enum sorts_fill {
  SORTS_RANDOM,
  SORTS_FEW,     /* many equal elements */
  SORTS_SPECIAL, /* NaNs of either sign, zeros, infinities; extremes of integers */
  SORTS_NARROW,  /* only low digits differ */
  SORTS_EQUAL,
  SORTS_RISING, /* in order already, or nearly */
  SORTS_FILLS,
  SORTS_RUNS = SORTS_FILLS, /* each 256 in order, so that the least of all are at a few places of these: for topk */
} sorts_fill;

void sorts_elements(harness_random *random, weft_dtype dtype, void *elements, int64_t n, sorts_fill fill);

#endif
