// SPDX-License-Identifier: MIT
/// Stockham's algorithm: pass after pass from one half of the room to the other. The loops have no fused
/// multiplications, so their results have the same bits on every processor.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the values of a butterfly are not kept in registers */
#endif
#include "op/fft/lanes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/wide.h"
#include "op/fft/roots.h"

enum { MOST_RADIX = 13, MOST_LENGTH = 1 << 16 };

#define LANES(T) ((ptrdiff_t)(WEFT__LANES_BYTES / sizeof(T)))

/* ---- butterflies: transforms of the values xr[k] + i xi[k] ---- */

#define UNROLL _Pragma("GCC unroll 16")
#define SUM_AND_DIFFERENCE(a, b)                         \
  {                                                      \
    const vector re = xr[a] - xr[b], im = xi[a] - xi[b]; \
    xr[a] += xr[b], xi[a] += xi[b];                      \
    xr[b] = re, xi[b] = im;                              \
  }
#define EXCHANGE(a, b)                   \
  {                                      \
    const vector re = xr[a], im = xi[a]; \
    xr[a] = xr[b], xi[a] = xi[b];        \
    xr[b] = re, xi[b] = im;              \
  }
/// Times -i; times the roots 1 and 3 of 8.
#define QUARTER(a)           \
  {                          \
    const vector re = xr[a]; \
    xr[a] = xi[a];           \
    xi[a] = -re;             \
  }
#define EIGHTH(a)                     \
  {                                   \
    const vector re = xr[a];          \
    xr[a] = (re + xi[a]) * half_root; \
    xi[a] = (xi[a] - re) * half_root; \
  }
#define THREE_EIGHTHS(a)               \
  {                                    \
    const vector re = xr[a];           \
    xr[a] = (xi[a] - re) * half_root;  \
    xi[a] = (-xi[a] - re) * half_root; \
  }

#define TWO SUM_AND_DIFFERENCE(0, 1)
#define FOUR_AT(a, b, c, d) \
  SUM_AND_DIFFERENCE(a, c)  \
  SUM_AND_DIFFERENCE(b, d)  \
  QUARTER(d)                \
  SUM_AND_DIFFERENCE(a, b)  \
  SUM_AND_DIFFERENCE(c, d)
#define FOUR          \
  FOUR_AT(0, 1, 2, 3) \
  EXCHANGE(1, 2)
#define EIGHT                                    \
  const T half_root = (T)0.70710678118654752440; \
  SUM_AND_DIFFERENCE(0, 4)                       \
  SUM_AND_DIFFERENCE(1, 5)                       \
  SUM_AND_DIFFERENCE(2, 6)                       \
  SUM_AND_DIFFERENCE(3, 7)                       \
  EIGHTH(5)                                      \
  QUARTER(6)                                     \
  THREE_EIGHTHS(7)                               \
  FOUR_AT(0, 1, 2, 3)                            \
  FOUR_AT(4, 5, 6, 7)                            \
  EXCHANGE(1, 4)                                 \
  EXCHANGE(3, 6)
/* ---- passes ---- */

/// R butterflies' values are `done` * `rest` values apart in `from`, and `done` in `to`. `roots`: R - 1 for each of
/// `rest`, then the cosines and sines of the radix.
typedef void pass_loop(void *to, const void *from, ptrdiff_t rest, ptrdiff_t done, const void *roots);

/// Of one dtype and one width of vectors, by radix.
typedef pass_loop *const passes_by_radix[MOST_RADIX + 1];

#define LOOPS "op/fft/lane_types.h"
#define WIDER_ALONE
#include "base/each_width.h"
#ifdef WEFT__WIDEST_TARGET
static const passes_by_radix *const passes_of[] = {passes_wide, passes_widest};
#define HAS_LOOPS WEFT__IS_WIDE
#define WIDEST (WEFT__WIDTH == 2)
#else
static const passes_by_radix *const passes_of[] = {passes};
#define HAS_LOOPS 1
#define WIDEST 0
#endif

/* ---- rows to lanes and back ---- */

typedef void move_loop(void *to, const void *from, size_t n, size_t apart, size_t rows, bool exchanged, double scale);

#define LOAD_VALUE(count)                               \
  for (size_t l = 0; l < (count); l++) {                \
    y[value * k + re + l] = x[2 * (k * apart + l)];     \
    y[value * k + im + l] = x[2 * (k * apart + l) + 1]; \
  }
#define STORE_VALUE(count)                                       \
  for (size_t l = 0; l < (count); l++) {                         \
    y[2 * (k * apart + l)] = x[value * k + re + l] * factor;     \
    y[2 * (k * apart + l) + 1] = x[value * k + im + l] * factor; \
  }
/// Real and imaginary parts change places before and after an inverse transform.
#define MOVE_LOOP(TARGET, NAME, T, MOVE)                                                                   \
  TARGET static void NAME(void *to, const void *from, size_t n, size_t apart, size_t rows, bool exchanged, \
                          double scale) {                                                                  \
    const T *restrict x = from, factor = (T)scale;                                                         \
    T *restrict y = to;                                                                                    \
    const size_t value = 2 * (size_t)LANES(T), re = exchanged ? value / 2 : 0, im = value / 2 - re;        \
    (void)factor;                                                                                          \
    if (rows == (size_t)LANES(T))                                                                          \
      for (size_t k = 0; k < n; k++) MOVE((size_t)LANES(T))                                                \
    else                                                                                                   \
      for (size_t k = 0; k < n; k++) MOVE(rows)                                                            \
  }
WEFT__EACH(MOVE_LOOP, load_lanes_f32, float, LOAD_VALUE)
WEFT__EACH(MOVE_LOOP, load_lanes_f64, double, LOAD_VALUE)
WEFT__EACH(MOVE_LOOP, store_lanes_f32, float, STORE_VALUE)
WEFT__EACH(MOVE_LOOP, store_lanes_f64, double, STORE_VALUE)

/* ---- transforms ---- */

/// The radix of the next pass of a transform of n values; 0: none.
static int radix_of(uint64_t n) {
  static const int odd[] = {13, 11, 7, 5, 3};
  for (int k = 0; k < 5; k++)
    if (n % (uint64_t)odd[k] == 0) return odd[k];
  if (n % 8 == 0 && n != 16) return 8;
  return n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 0;
}

bool weft__lanes_fit(uint64_t length) {
  if (!HAS_LOOPS || length < 2 || length > MOST_LENGTH) return false;
  while (radix_of(length)) length /= (uint64_t)radix_of(length);
  return length == 1;
}

/// Stores the factors of a pass. `all`: the roots of the whole length.
static void write_roots(void *to, const weft__lanes *t, const double *all, uint64_t rest, uint64_t done, int radix) {
  double *wide = to;
  float *narrow = to;
  double root[2];
  uint64_t at = 0;
  for (uint64_t p = 0; p < rest; p++)
    for (int k = 1; k < radix; k++)
      for (int part = 0; part < 2; part++, at++) {
        const double value = all[(uint64_t)part * t->length + (uint64_t)k * p * done];
        if (t->is_f64)
          wide[at] = value;
        else
          narrow[at] = (float)value;
      }
  for (int part = 0; part < 2; part++)
    for (int k = 0; k < radix; k++, at++) {
      weft__root(&root[0], &root[1], (uint64_t)radix, (uint64_t)k);
      const double value = part ? -root[1] : root[0];
      if (t->is_f64)
        wide[at] = value;
      else
        narrow[at] = (float)value;
    }
}

bool weft__lanes_begin(weft__lanes *t, uint64_t length, bool is_f64, bool inverse) {
  const size_t element = is_f64 ? sizeof(double) : sizeof(float);
  const double one[] = {1, 0};
  weft__roots roots;
  *t = (weft__lanes){.length = (size_t)length, .is_f64 = is_f64, .inverse = inverse};
  double *all = weft__new(2 * t->length * sizeof *all);
  /* a pass has less than rest * radix roots and 2 * radix numbers for its butterflies */
  char *at = t->memory = weft__new((4 * t->length + 2 * MOST_RADIX * WEFT__LANES_PASSES) * element);
  if (!all || !at) {
    free(all);
    free(at);
    return false;
  }
  weft__roots_begin(&roots, length, length);
  for (uint64_t k = 0; k < length; k += (uint64_t)roots.block) {
    const int count = length - k < (uint64_t)roots.block ? (int)(length - k) : roots.block;
    weft__roots_block(all + k, all + length + k, true, &roots, k, count, one);
  }
  for (uint64_t rest = length, done = 1; rest > 1;) {
    const int radix = radix_of(rest);
    rest /= (uint64_t)radix;
    write_roots(at, t, all, rest, done, radix);
    t->radix[t->passes] = radix;
    t->roots[t->passes++] = at;
    at += (2 * (size_t)(radix - 1) * rest + 2 * (size_t)radix) * element;
    done *= (uint64_t)radix;
  }
  free(all);
  return true;
}

size_t weft__lanes_room_bytes(const weft__lanes *t) {
  return 2 * t->length * 2 * WEFT__LANES_BYTES;
}

void weft__lanes_run(const weft__lanes *t, void *room, void *to, const void *from, size_t apart, size_t rows,
                     double scale) {
  static move_loop *const load[2][3] = {WEFT__ALL(load_lanes_f32), WEFT__ALL(load_lanes_f64)};
  static move_loop *const store[2][3] = {WEFT__ALL(store_lanes_f32), WEFT__ALL(store_lanes_f64)};
  char *here = room, *there = here + t->length * 2 * WEFT__LANES_BYTES;
  ptrdiff_t rest = (ptrdiff_t)t->length, done = 1;
  load[t->is_f64][WEFT__WIDTH](here, from, t->length, apart, rows, t->inverse, 1);
  for (int k = 0; k < t->passes; k++) {
    char *const was = here;
    rest /= t->radix[k];
    passes_of[WIDEST][t->is_f64][t->radix[k]](there, here, rest, done, t->roots[k]);
    done *= t->radix[k];
    here = there;
    there = was;
  }
  store[t->is_f64][WEFT__WIDTH](to, here, t->length, apart, rows, t->inverse, scale);
}
