// SPDX-License-Identifier: MIT
/// Quicksort of numbers in vectors of 64 bytes on the host: an instruction of AVX-512 moves the lesser numbers of a
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

#endif
