// SPDX-License-Identifier: MIT
/// Roots of unity on the host, in doubles: products of two that cosines and sines give. Errors: at most 3.5e-16.
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

/// exp(-2 pi i k / n), by an angle of at most an eighth of the circle: an error of the angle is a part of it.
void weft__root(double *re, double *im, uint64_t n, uint64_t k);
/// For `count` roots in all.
void weft__roots_begin(weft__roots *r, uint64_t n, uint64_t count);
/// Stores the real and the imaginary parts of up to r->block roots from k = first on, times factor[0] + factor[1] i, as
/// floats or doubles.
void weft__roots_block(void *re, void *im, bool is_f64, const weft__roots *r, uint64_t first, int count,
                       const double factor[2]);

#endif
