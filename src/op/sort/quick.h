// SPDX-License-Identifier: MIT
/// Quicksort of numbers in vectors of 64 bytes on the host: a permutation of AVX-512 moves the lesser numbers of a
/// vector to its beginning. After B. Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512" (2017).
#ifndef WEFT_OP_SORT_QUICK_H
#define WEFT_OP_SORT_QUICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Unsigned numbers of 4 or 8 bytes, and the keys that they are to become once they are in order.
typedef struct weft__quick {
  void *x;
  bool is_wide;  /* 8 bytes */
  bool is_float; /* keys are floats of as many bytes */
  uint64_t flip; /* the bits to invert first */
} weft__quick;

/// Whether the processor has the instructions. Call nothing else where it has not.
bool weft__quick_is_there(void);
/// Puts the lesser numbers of x[first] to x[end - 1], at least 512, before the others, and returns where these begin:
/// `first` if one of the least numbers was the bound.
size_t weft__quick_divide(const weft__quick *quick, size_t first, size_t end);
/// Sorts x[first] to x[end - 1], and makes keys of them.
void weft__quick_sort(const weft__quick *quick, size_t first, size_t end);
/// The number of this rank, 0 the least one, among x[0] to x[n - 1], whose order changes.
uint64_t weft__quick_select(const weft__quick *quick, size_t n, size_t rank);
/// Appends the numbers of n that are from bound[0] to bound[1] to `to`, whose numbers *inside counts, and returns how
/// many are less. Writes up to 64 bytes beyond them.
size_t weft__quick_between(char *to, size_t *inside, const weft__quick *numbers, size_t n, const uint64_t bound[2]);
/// Appends n elements of the numbers' size, in their order, to one of three arrays, whose ends move: where a number is
/// less than the bound to the first one, where it is equal to the second one.
void weft__quick_move(const weft__quick *numbers, size_t n, char *to[3], const char *elements, uint64_t bound);

#endif
