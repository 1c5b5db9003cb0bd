// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "op/fft/roots.h"

#include <math.h>

#include "base/wide.h"

void weft__root(double *re, double *im, uint64_t n, uint64_t k) {
  const uint64_t eighth = 8 * k / n, rest = 8 * k - eighth * n, quarter = (eighth + 1) / 2;
  const bool is_before = eighth % 2; /* the angle is counted from the axis behind it */
  const double angle = 3.14159265358979323846 / 4 / (double)n * (double)(is_before ? n - rest : rest);
  const double x = cos(angle), y = is_before ? -sin(angle) : sin(angle);
  const double along = quarter % 2 ? -y : x, across = quarter % 2 ? x : y;
  *re = quarter / 2 % 2 ? -along : along;
  *im = quarter / 2 % 2 ? across : -across;
}

void weft__roots_begin(weft__roots *r, uint64_t n, uint64_t count) {
  r->n = n;
  r->block = 16;
  while (r->block < WEFT__MOST_ROOTS && (uint64_t)r->block * (uint64_t)r->block < count) r->block *= 2;
  for (int k = 0; k < r->block; k++) weft__root(&r->re[k], &r->im[k], n, (uint64_t)k);
}

typedef void product_loop(void *re, void *im, const double *roots_re, const double *roots_im, double re_factor,
                          double im_factor, int count);
#define PRODUCT_LOOP(TARGET, NAME, T)                                                                             \
  TARGET static void NAME(void *to_re, void *to_im, const double *restrict a, const double *restrict b, double c, \
                          double d, int count) {                                                                  \
    T *restrict re = to_re, *restrict im = to_im;                                                                 \
    for (int k = 0; k < count; k++) {                                                                             \
      re[k] = (T)(a[k] * c - b[k] * d);                                                                           \
      im[k] = (T)(a[k] * d + b[k] * c);                                                                           \
    }                                                                                                             \
  }
WEFT__EACH(PRODUCT_LOOP, roots_f32, float)
WEFT__EACH(PRODUCT_LOOP, roots_f64, double)

void weft__roots_block(void *re, void *im, bool is_f64, const weft__roots *r, uint64_t first, int count,
                       const double factor[2]) {
  static product_loop *const loops[2][3] = {WEFT__ALL(roots_f32), WEFT__ALL(roots_f64)};
  double c, d;
  weft__root(&c, &d, r->n, first);
  loops[is_f64][WEFT__WIDTH](re, im, r->re, r->im, c * factor[0] - d * factor[1], c * factor[1] + d * factor[0], count);
}
