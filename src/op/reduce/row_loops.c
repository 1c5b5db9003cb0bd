// SPDX-License-Identifier: MIT
/// Loops over rows on the host: what cl/reduce/cpu.cl does in C. Sums of floats have the kernel's accumulators and
/// combine them in its order: the same bits.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else it does not keep the lanes in registers: minima take twice as long */
#endif
#include "op/reduce/row_loops.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "op/reduce/row_vectors.h"
#include "op/reduce/tuning.h"

#define LANES WEFT__ROW_LANES

/* ---- loops ---- */

/// Asks for the elements some lines ahead of the next ones of two arrays or one: processors ask for too few.
static inline void ask_ahead(const void *x, const void *y, size_t bytes) {
  for (size_t at = WEFT__ROW_AHEAD_BYTES; at < WEFT__ROW_AHEAD_BYTES + bytes; at += 64) {
    __builtin_prefetch((const char *)x + at);
    if (y != x) __builtin_prefetch((const char *)y + at);
  }
}

/// The lane l takes the elements m of both arrays.
#define TAKE(T, A, l, m, next)  \
  {                             \
    const T v = x[m], w = y[m]; \
    const A a = lane[l];        \
    lane[l] = (next);           \
    (void)w;                    \
  }

/// Combines `apart` lanes with the next ones. The number is known, so that this is done in vectors too.
#define FOLD(A, both, apart)                    \
  for (size_t l = 0; l < (apart); l++) {        \
    const A a = lane[l], b = lane[l + (apart)]; \
    lane[l] = (both);                           \
  }
#define FOLD_ALL(A, both) \
  FOLD(A, both, 32) FOLD(A, both, 16) FOLD(A, both, 8) FOLD(A, both, 4) FOLD(A, both, 2) FOLD(A, both, 1)

/// A: the accumulator; `next`: of the accumulator a and the elements v and w; `both`: of the accumulators a and b.
#define LANE_LOOP(...) LANE_LOOP_OF(TARGET, __VA_ARGS__)
#define LANE_LOOP_OF(TARGET, name, A, neutral, next, both)                                      \
  TARGET static void NAME(name)(void *to, const void *const from[2], size_t n, size_t stride) { \
    const T *x = from[0], *y = from[1];                                                         \
    A lane[LANES];                                                                              \
    size_t m = 0, at = 0;                                                                       \
    for (size_t l = 0; l < LANES; l++) lane[l] = (neutral);                                     \
    for (; stride && m < n; m++) TAKE(T, A, 0, m *stride, next)                                 \
    for (; m + LANES <= n; m += LANES) {                                                        \
      if (n * sizeof(T) > WEFT__ROW_AHEAD_LEAST) ask_ahead(x + m, y + m, sizeof(T) * LANES);    \
      for (size_t l = 0; l < LANES; l++) TAKE(T, A, l, m + l, next)                             \
    }                                                                                           \
    for (; m < n; m++, at++) TAKE(T, A, at, m, next)                                            \
    if (!stride) FOLD_ALL(A, both)                                                              \
    *(A *)to = lane[0];                                                                         \
  }

/// The sum of one lane with its rounding errors, by two-sum (Knuth), takes the elements m of both arrays.
#define TAKE_PAIR(l, m, term)                                                            \
  {                                                                                      \
    const double v = x[m], w = y[m], added = (term), t = sum[l] + added, z = t - sum[l]; \
    rest[l] += (sum[l] - (t - z)) + (added - z);                                         \
    sum[l] = t;                                                                          \
    (void)w;                                                                             \
  }
#define FOLD_PAIRS(apart)                                                      \
  for (size_t l = 0; l < (apart); l++) {                                       \
    const double added = sum[l + (apart)], t = sum[l] + added, z = t - sum[l]; \
    rest[l] += (sum[l] - (t - z)) + (added - z);                               \
    sum[l] = t;                                                                \
    rest[l] += rest[l + (apart)];                                              \
  }

/// A sum of doubles with its rounding errors, and its value.
#define PAIR_LOOP(name, term)                                                                    \
  TARGET static void NAME(name)(void *to, const void *const from[2], size_t n, size_t stride) {  \
    const double *x = from[0], *y = from[1];                                                     \
    double sum[LANES / 2], rest[LANES / 2];                                                      \
    size_t m = 0, at = 0;                                                                        \
    for (size_t l = 0; l < LANES / 2; l++) sum[l] = -0.0, rest[l] = 0;                           \
    for (; stride && m < n; m++) TAKE_PAIR(0, m *stride, term)                                   \
    for (; m + LANES / 2 <= n; m += LANES / 2) {                                                 \
      if (n * sizeof *x > WEFT__ROW_AHEAD_LEAST) ask_ahead(x + m, y + m, sizeof *x * LANES / 2); \
      for (size_t l = 0; l < LANES / 2; l++) TAKE_PAIR(l, m + l, term)                           \
    }                                                                                            \
    for (; m < n; m++, at++) TAKE_PAIR(at, m, term)                                              \
    FOLD_PAIRS(16)                                                                               \
    FOLD_PAIRS(8)                                                                                \
    FOLD_PAIRS(4)                                                                                \
    FOLD_PAIRS(2) FOLD_PAIRS(1)((double *)to)[0] = sum[0], ((double *)to)[1] = rest[0];          \
  }

#ifdef WEFT__WIDEST_TARGET
/// A loop of op/reduce/row_vectors.h, and for one accumulator the one of narrower vectors.
#define VECTOR_LOOP(name, bits, loop) VECTOR_LOOP_OF(name, bits, loop)
#define VECTOR_LOOP_OF(name, bits, loop)                                                        \
  TARGET static void NAME(name)(void *to, const void *const from[2], size_t n, size_t stride) { \
    if (stride)                                                                                 \
      name##_F##bits##_wide(to, from, n, stride);                                               \
    else                                                                                        \
      loop;                                                                                     \
  }
#endif

/// Combines the variances of two sets of elements (Chan, Golub and LeVeque, 1979), as cl/reduce/ops.clh.
void weft__row_join_variances(weft__row_variance *a, const weft__row_variance *b) {
  const uint64_t n = a->n + b->n;
  const double share = (double)b->n / (double)(n ? n : 1), weight = (double)a->n * share;
  if (a->n == 0) a->origin = b->origin;
  const double away = (b->origin - a->origin) + (b->mean - a->mean);
  a->squares += b->squares + away * (away * weight);
  a->mean += away * share;
  a->n = n;
}

void weft__row_vary(weft__row_variance *a, double v, bool is_shifted) {
  if (a->n++ == 0 && is_shifted) a->origin = v;
  const double re = v - a->origin, away = re - a->mean;
  a->mean += away / (double)a->n;
  a->squares += away * (re - a->mean);
}

#define SIZE(v) _Generic((v), float : fabsf, double : fabs)(v)
#define INLINE TARGET static inline __attribute__((always_inline))
#define DTYPE_LOOPS "op/reduce/row_dtype.h"
#define LOOPS "op/reduce/each_dtype.h"
#include "base/each_width.h"

/* ---- which loop ---- */

/// By the dtype of the elements, WEFT__WIDTH and the loop's number. Truth values have the loops of u8.
#define OF(D, ...) [WEFT_##D] = WEFT__ALL(row_loops_##D),
static weft__row_loop *const *const row_loops[WEFT_DTYPE_COUNT][3] = {[WEFT_BOOL] = WEFT__ALL(row_loops_U8),
                                                                      WEFT__ROW_INTEGERS(OF) OF(F32, ) OF(F64, )};

/// What a sum adds up.
static int sum_of(const weft__reduce_what *what, weft_dtype dtype) {
  const bool whole = weft__is_whole(dtype),
             is_product = what->source == WEFT__SOURCE_PRODUCT || what->source == WEFT__SOURCE_CONJUGATE_PRODUCT;
  const bool is_whole_mean = what->finish == WEFT__FINISH_MEAN && what->cell == WEFT_I64;
  if (what->term == WEFT__TERM_NOT_ZERO) return WEFT__ROW_COUNT;
  if (whole && ((what->cell != WEFT_U64 && !is_whole_mean) || what->term)) return WEFT__ROW_LOOPS;
  if (!whole && (what->cell != WEFT_F64 || what->pair != (dtype == WEFT_F64))) return WEFT__ROW_LOOPS;
  if (what->term == WEFT__TERM_MAGNITUDE) return WEFT__ROW_MAGNITUDES;
  if (what->skip_nan && !whole) return WEFT__ROW_NANSUM;
  return is_product ? WEFT__ROW_DOT : what->term == WEFT__TERM_SQUARE ? WEFT__ROW_SQUARES : WEFT__ROW_SUM;
}

int weft__row_loop_id(const weft__reduce_what *what, weft_dtype dtype) {
  const bool skips = what->skip_nan && !weft__is_whole(dtype);
  if (what->two || what->source == WEFT__SOURCE_BOTH || weft__is_narrow(dtype) || weft_dtype_kind(dtype) == 'c')
    return WEFT__ROW_LOOPS;
  switch (what->gather) {
    case WEFT__GATHER_ANY:
      return WEFT__ROW_ANY;
    case WEFT__GATHER_ALL:
      return what->source == WEFT__SOURCE_EQUAL ? WEFT__ROW_EQUAL : WEFT__ROW_ALL;
    case WEFT__GATHER_BEST:
      if (what->magnitude) return what->greatest ? WEFT__ROW_MOST_SIZE : WEFT__ROW_LEAST_SIZE;
      return (what->greatest ? WEFT__ROW_MAX : WEFT__ROW_MIN) + (skips ? WEFT__ROW_NANMIN - WEFT__ROW_MIN : 0);
    case WEFT__GATHER_WHERE:
      return (what->greatest ? WEFT__ROW_ARGMAX : WEFT__ROW_ARGMIN) +
             (skips ? WEFT__ROW_NANARGMIN - WEFT__ROW_ARGMIN : 0);
    case WEFT__GATHER_RANGE:
      return WEFT__ROW_MIN; /* and MAX */
    case WEFT__GATHER_SUM:
      return sum_of(what, dtype);
    case WEFT__GATHER_PROD:
      return what->cell == WEFT_F32 ? WEFT__ROW_LOOPS : skips ? WEFT__ROW_NANPROD : WEFT__ROW_PROD;
    case WEFT__GATHER_VARIANCE:
      return skips ? WEFT__ROW_NANVARIANCE : WEFT__ROW_VARIANCE;
    default:
      return WEFT__ROW_LOOPS;
  }
}

weft__row_loop *weft__row_loop_find(int id, weft_dtype dtype) {
  const bool is_fused = dtype == WEFT_F32 && (id == WEFT__ROW_SQUARES || id == WEFT__ROW_DOT);
  weft__row_loop *const *const loops =
      row_loops[weft__row_loop_dtype(id, dtype)][is_fused && !WEFT__HAS_FUSED ? 0 : WEFT__WIDTH];
  return id == WEFT__ROW_LOOPS || !loops || (id == WEFT__ROW_DOT && dtype == WEFT_BOOL) ? NULL : loops[id];
}
