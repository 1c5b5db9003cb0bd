// SPDX-License-Identifier: MIT
/// Roots of unity on the host: products of few that cosines and sines give, in doubles, with an error of 3e-16 at most.
#ifndef WEFT_OP_FFT_ROOTS_H
#define WEFT_OP_FFT_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { WEFT__MOST_ROOTS = 256 };

/// The first `block` roots exp(-2 pi i k / n).
typedef struct weft__roots {
  uint64_t n;
  int block;
  double re[WEFT__MOST_ROOTS], im[WEFT__MOST_ROOTS];
} weft__roots;

/// For `count` roots in all.
void weft__roots_begin(weft__roots *r, uint64_t n, uint64_t count);
/// Stores the real and the imaginary parts of up to r->block roots from k = first on, times factor[0] + factor[1] i, as
/// floats or doubles.
void weft__roots_block(void *re, void *im, bool is_f64, const weft__roots *r, uint64_t first, int count,
                       const double factor[2]);

#endif
