// SPDX-License-Identifier: MIT
/// Values k and half - k of a row are made together, of the same two: with a = x[k], b = conj(x[half - k]), s = a + b
/// and d = a - b they are f s + u d and conj(f s - u d). To complex numbers f is 1/2, and u -i/2 times the root of
/// value k; to real ones f is 1, and u i times the root's conjugate.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "op/fft/halves.h"

#include "base/wide.h"

typedef struct complex_f32 {
  float part[2];
} complex_f32;
typedef struct complex_f64 {
  double part[2];
} complex_f64;

/// `count` pairs from k on. `ur`, `ui`: the real and the imaginary parts of u.
typedef void pair_loop(void *to, const void *from, size_t half, size_t k, size_t count, const void *ur, const void *ui,
                       double f);
/// Two values backwards are moved as wholes, so that each loop becomes vector code.
#define PAIR_LOOP(TARGET, NAME, T, COMPLEX)                                                                  \
  TARGET static void NAME(void *to, const void *from, size_t half, size_t k, size_t count, const void *u_re, \
                          const void *u_im, double f) {                                                      \
    const T *restrict ur = u_re, *restrict ui = u_im, factor = (T)f;                                         \
    const COMPLEX *restrict x = from, *low = x + k;                                                          \
    COMPLEX *restrict y = to, *to_low = y + k, high[WEFT__MOST_ROOTS];                                       \
    for (size_t j = 0; j < count; j++) high[j] = x[half - k - j];                                            \
    for (size_t j = 0; j < count; j++) {                                                                     \
      const T ar = low[j].part[0], ai = low[j].part[1], br = high[j].part[0], bi = -high[j].part[1];         \
      const T sr = factor * (ar + br), si = factor * (ai + bi), dr = ar - br, di = ai - bi;                  \
      const T tr = ur[j] * dr - ui[j] * di, ti = ur[j] * di + ui[j] * dr;                                    \
      to_low[j].part[0] = sr + tr;                                                                           \
      to_low[j].part[1] = si + ti;                                                                           \
      high[j].part[0] = sr - tr;                                                                             \
      high[j].part[1] = ti - si;                                                                             \
    }                                                                                                        \
    for (size_t j = 0; j < count; j++) y[half - k - j] = high[j];                                            \
  }
WEFT__EACH(PAIR_LOOP, pairs_f32, float, complex_f32)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize") /* GCC 12 would fuse products with AVX-512: vfmaddsub */
#endif
WEFT__EACH(PAIR_LOOP, pairs_f64, double, complex_f64)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/// Value 0, and to complex numbers value `half`.
typedef void edge_loop(void *to, const void *from, size_t half, bool to_real, double scale);
#define EDGE_LOOP(NAME, T, COMPLEX)                                                            \
  static void NAME(void *to, const void *from, size_t half, bool to_real, double scale) {      \
    const COMPLEX *x = from;                                                                   \
    COMPLEX *y = to;                                                                           \
    const T a = x[0].part[0], b = to_real ? x[half].part[0] : x[0].part[1], factor = (T)scale; \
    y[0] = (COMPLEX){{factor * (a + b), to_real ? factor * (a - b) : 0}};                      \
    if (!to_real) y[half] = (COMPLEX){{factor * (a - b), 0}};                                  \
  }
EDGE_LOOP(edge_f32, float, complex_f32)
EDGE_LOOP(edge_f64, double, complex_f64)

void weft__halves_begin(weft__halves *h, size_t length, bool is_f64, bool to_real, double scale) {
  h->length = length;
  h->is_f64 = is_f64;
  h->to_real = to_real;
  h->scale = scale;
  weft__roots_begin(&h->roots, length, length / 4 + 1);
}

size_t weft__halves_blocks(const weft__halves *h) {
  return h->length / 4 / (size_t)h->roots.block + 1;
}

/// u of the roots from `first` on, in one of two types.
typedef union factors {
  float f32[2][WEFT__MOST_ROOTS];
  double f64[2][WEFT__MOST_ROOTS];
} factors;

static void write_factors(factors *u, const weft__halves *h, uint64_t first) {
  const double factor[2] = {0, -(h->to_real ? h->scale : h->scale / 2)};
  const int count = h->roots.block;
  if (h->is_f64)
    weft__roots_block(u->f64[0], u->f64[1], true, &h->roots, first, count, factor);
  else
    weft__roots_block(u->f32[0], u->f32[1], false, &h->roots, first, count, factor);
  for (int k = 0; k < count && h->to_real && h->is_f64; k++) u->f64[1][k] = -u->f64[1][k];
  for (int k = 0; k < count && h->to_real && !h->is_f64; k++) u->f32[1][k] = -u->f32[1][k];
}

void weft__halves_run(const weft__halves *h, void *to, const void *from, size_t rows, size_t first, size_t last) {
  static pair_loop *const pairs[2][3] = {WEFT__ALL(pairs_f32), WEFT__ALL(pairs_f64)};
  static edge_loop *const edge[2] = {edge_f32, edge_f64};
  const size_t half = h->length / 2, block = (size_t)h->roots.block, element = h->is_f64 ? 16 : 8;
  const size_t from_row = (half + h->to_real) * element, to_row = (half + !h->to_real) * element;
  const double f = h->to_real ? h->scale : h->scale / 2;
  factors u;
  for (size_t b = first; b < last; b++) {
    /* value 0 is no pair; the last pair may be one value, which is computed twice */
    const size_t begin = b ? b * block : 1, skipped = begin - b * block;
    const size_t end = half / 2 + 1 < (b + 1) * block ? half / 2 + 1 : (b + 1) * block;
    const void *const ur = h->is_f64 ? (const void *)(u.f64[0] + skipped) : u.f32[0] + skipped;
    const void *const ui = h->is_f64 ? (const void *)(u.f64[1] + skipped) : u.f32[1] + skipped;
    write_factors(&u, h, b * block);
    for (size_t r = 0; r < rows; r++) {
      char *const y = (char *)to + r * to_row;
      const char *const x = (const char *)from + r * from_row;
      if (b == 0) edge[h->is_f64](y, x, half, h->to_real, h->scale);
      if (begin < end) pairs[h->is_f64][WEFT__WIDTH](y, x, half, begin, end - begin, ur, ui, f);
    }
  }
}
