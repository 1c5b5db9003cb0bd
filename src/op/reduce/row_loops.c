// SPDX-License-Identifier: MIT
/// Loops over rows on the host: what cl/reduce/cpu.cl does in C. Sums of floats have the kernel's accumulators and
/// combine them in its order: the same bits.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else it does not keep the lanes in registers: minima take twice as long */
#endif
#include "op/reduce/row_loops.h"

#include <math.h>

#include "base/wide.h"
#include "op/reduce/row_vectors.h"
#include "op/reduce/tuning.h"

#define LANES WEFT__ROW_LANES
#define SIDE 16 /* elements of the rest at once */

/* ---- loops ---- */

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
#define LANE_LOOP(TARGET, NAME, T, A, neutral, next, both)                                \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const T *x = from[0], *y = from[1];                                                   \
    A lane[LANES];                                                                        \
    size_t m = 0, at = 0;                                                                 \
    for (size_t l = 0; l < LANES; l++) lane[l] = (neutral);                               \
    for (; stride && m < n; m++) TAKE(T, A, 0, m *stride, next)                           \
    for (; m + LANES <= n; m += LANES)                                                    \
      for (size_t l = 0; l < LANES; l++) TAKE(T, A, l, m + l, next)                       \
    for (; m + SIDE <= n; m += SIDE, at += SIDE)                                          \
      for (size_t l = 0; l < SIDE; l++) TAKE(T, A, at + l, m + l, next)                   \
    for (; m < n; m++, at++) TAKE(T, A, at, m, next)                                      \
    if (!stride) FOLD_ALL(A, both)                                                        \
    *(A *)to = lane[0];                                                                   \
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
#define PAIR_LOOP(TARGET, NAME, term)                                                     \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const double *x = from[0], *y = from[1];                                              \
    double sum[LANES / 2], rest[LANES / 2];                                               \
    size_t m = 0, at = 0;                                                                 \
    for (size_t l = 0; l < LANES / 2; l++) sum[l] = -0.0, rest[l] = 0;                    \
    for (; stride && m < n; m++) TAKE_PAIR(0, m *stride, term)                            \
    for (; m + LANES / 2 <= n; m += LANES / 2)                                            \
      for (size_t l = 0; l < LANES / 2; l++) TAKE_PAIR(l, m + l, term)                    \
    for (; m + SIDE / 2 <= n; m += SIDE / 2, at += SIDE / 2)                              \
      for (size_t l = 0; l < SIDE / 2; l++) TAKE_PAIR(at + l, m + l, term)                \
    for (; m < n; m++, at++) TAKE_PAIR(at, m, term)                                       \
    FOLD_PAIRS(16)                                                                        \
    FOLD_PAIRS(8)                                                                         \
    FOLD_PAIRS(4)                                                                         \
    FOLD_PAIRS(2) FOLD_PAIRS(1)((double *)to)[0] = sum[0], ((double *)to)[1] = rest[0];   \
  }

/// any and all end with the first block that decides.
#define TRUTH_LOOP(TARGET, NAME, T, decides)                                                   \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) {      \
    const T *x = from[0];                                                                      \
    const size_t step = stride ? stride : 1;                                                   \
    uint8_t is_decided = 0;                                                                    \
    size_t m = 0;                                                                              \
    for (; step == 1 && m + 1024 <= n && !is_decided; m += 1024)                               \
      for (size_t l = 0; l < 1024; l++) is_decided |= (uint8_t)((x[m + l] != 0) == (decides)); \
    for (; m < n && !is_decided; m++) is_decided = (x[m * step] != 0) == (decides);            \
    *(uint8_t *)to = is_decided ? (decides) : !(decides);                                      \
  }

/// Whether all elements of both arrays are equal, up to the first block that has others. U: an integer as wide as T.
#define EQUAL_LOOP(TARGET, NAME, T, U)                                                    \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const T *x = from[0], *y = from[1];                                                   \
    U differ = 0;                                                                         \
    size_t m = 0;                                                                         \
    (void)stride;                                                                         \
    for (; m + 1024 <= n && !differ; m += 1024)                                           \
      for (size_t l = 0; l < 1024; l++) differ |= x[m + l] != y[m + l];                   \
    for (; m < n && !differ; m++) differ = x[m] != y[m];                                  \
    *(uint8_t *)to = !differ;                                                             \
  }

/// The place of the first of the best, or of the first NaN. A block's best number is found first, and whether it has a
/// NaN. `better`: than a the number v; `after`: than a the number b.
#define PLACE_LOOP(TARGET, NAME, T, better, after)                                                         \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) {                  \
    const T *x = from[0], *y = x;                                                                          \
    const size_t step = stride ? stride : 1;                                                               \
    T best = x[0];                                                                                         \
    size_t place = 0;                                                                                      \
    bool has_nan = false;                                                                                  \
    for (size_t m = 1; step > 1 && m < n && best == best; m++) {                                           \
      const T v = x[m * step], a = best;                                                                   \
      if ((better) || v != v) best = v, place = m;                                                         \
    }                                                                                                      \
    for (size_t m = 0; step == 1 && m < n && !has_nan;) {                                                  \
      const size_t begin = m, end = n - begin < WEFT__ROW_WHERE_BLOCK ? n : begin + WEFT__ROW_WHERE_BLOCK; \
      T lane[LANES];                                                                                       \
      uint32_t nans[LANES], is_nan = 0;                                                                    \
      for (size_t l = 0; l < LANES; l++) lane[l] = x[begin], nans[l] = 0;                                  \
      for (; m + LANES <= end; m += LANES)                                                                 \
        for (size_t l = 0; l < LANES; l++) {                                                               \
          TAKE(T, T, l, m + l, (better) ? v : a)                                                           \
          nans[l] |= x[m + l] != x[m + l];                                                                 \
        }                                                                                                  \
      for (; m < end; m++) {                                                                               \
        TAKE(T, T, 0, m, (better) ? v : a)                                                                 \
        is_nan |= x[m] != x[m];                                                                            \
      }                                                                                                    \
      for (size_t l = 0; l < LANES; l++) is_nan |= nans[l];                                                \
      FOLD_ALL(T, (after) ? b : a)                                                                         \
      const T v = lane[0], a = best;                                                                       \
      has_nan = is_nan;                                                                                    \
      if ((better) || has_nan) best = v, place = begin;                                                    \
    }                                                                                                      \
    for (; step == 1 && !has_nan && place + LANES <= n; place += LANES) {                                  \
      int32_t first = LANES;                                                                               \
      for (int32_t l = 0; l < LANES; l++) {                                                                \
        const int32_t at = x[place + (size_t)l] == best ? l : LANES;                                       \
        first = at < first ? at : first;                                                                   \
      }                                                                                                    \
      place += (size_t)(first < LANES ? first : 0);                                                        \
      if (first < LANES) break;                                                                            \
    }                                                                                                      \
    while (step == 1 && (has_nan ? x[place] == x[place] : x[place] != best)) place++;                      \
    *(int64_t *)to = (int64_t)place;                                                                       \
  }

#define LEAST(D, T, least, most)                                                               \
  WEFT__EACH(LANE_LOOP, min_##D, T, T, most, v < a || v != v ? v : a, b < a || b != b ? b : a) \
  WEFT__EACH(LANE_LOOP, max_##D, T, T, least, v > a || v != v ? v : a, b > a || b != b ? b : a)
#define PLACES(LOOPS, D, T)                      \
  LOOPS(PLACE_LOOP, argmin_##D, T, v < a, b < a) \
  LOOPS(PLACE_LOOP, argmax_##D, T, v > a, b > a)
#define OF_ALL(D, T, least, most)       \
  WEFT__EACH(TRUTH_LOOP, any_##D, T, 1) \
  WEFT__EACH(TRUTH_LOOP, all_##D, T, 0) \
  LEAST(D, T, least, most) WEFT__EACH(LANE_LOOP, count_##D, T, uint64_t, 0, a + (v != 0), a + b)
#define OF_WHOLE(D, T, least, most) \
  OF_ALL(D, T, least, most)         \
  WEFT__EACH(LANE_LOOP, prod_##D, T, uint64_t, 1, a *(uint64_t)v, a *b)
#define OF_INTEGERS(D, T, least, most)                                   \
  OF_WHOLE(D, T, least, most)                                            \
  WEFT__EACH(LANE_LOOP, sum_##D, T, uint64_t, 0, a + (uint64_t)v, a + b) \
  WEFT__EACH(LANE_LOOP, dot_##D, T, uint64_t, 0, a + (uint64_t)v * (uint64_t)w, a + b)

#ifdef WEFT__WIDEST_TARGET
/// A loop of op/reduce/row_vectors.h, and for one accumulator the one of narrower vectors.
#define VECTORS(name, loop)                                                                 \
  static void name##_widest(void *to, const void *const from[2], size_t n, size_t stride) { \
    if (stride)                                                                             \
      name##_wide(to, from, n, stride);                                                     \
    else                                                                                    \
      loop(to, from, n);                                                                    \
  }
#endif

#define FLOATS(X) X(F32, float, -INFINITY, INFINITY) X(F64, double, -INFINITY, INFINITY)
WEFT__ROW_INTEGERS(OF_INTEGERS)
#define SIZE(v) _Generic((v), float : fabsf, double : fabs)(v)
#define OF_FLOATS(D, T, least, most)                                                                                  \
  OF_ALL(D, T, least, most)                                                                                           \
  WEFT__EACH(LANE_LOOP, prod_##D, T, double, 1, a *(double)v, a *b)                                                   \
  WEFT__EACH(LANE_LOOP, nanprod_##D, T, double, 1, a *(v == v ? (double)v : 1), a *b)                                 \
  WEFT__EACH(LANE_LOOP, numbers_##D, T, uint64_t, 0, a + (v == v), a + b)                                             \
  WEFT__EACH(LANE_LOOP, least_size_##D, T, T, INFINITY, SIZE(v) < a || v != v ? SIZE(v) : a, b < a || b != b ? b : a) \
  WEFT__EACH(LANE_LOOP, most_size_##D, T, T, -INFINITY, SIZE(v) > a || v != v ? SIZE(v) : a, b > a || b != b ? b : a) \
  WEFT__EACH(LANE_LOOP, nanmin_##D, T, T, NAN, v < a || a != a ? v : a, b < a || a != a ? b : a)                      \
  WEFT__EACH(LANE_LOOP, nanmax_##D, T, T, NAN, v > a || a != a ? v : a, b > a || a != a ? b : a)
FLOATS(OF_FLOATS)
OF_WHOLE(BOOL, uint8_t, 0, 1)
#define EACH_PLACES(D, T, least, most) PLACES(WEFT__EACH, D, T)
WEFT__ROW_INTEGERS(EACH_PLACES)
EACH_PLACES(BOOL, uint8_t, , )
EACH_PLACES(F64, double, , )
#ifdef WEFT__WIDEST_TARGET
PLACES(WEFT__BOTH, F32, float)
VECTORS(argmin_F32, weft__row_argmin_f32)
VECTORS(argmax_F32, weft__row_argmax_f32)
#else
EACH_PLACES(F32, float, , )
#endif
WEFT__EACH(LANE_LOOP, magnitudes_F32, float, double, -0.0, a + fabs((double)v), a + b)
WEFT__EACH(PAIR_LOOP, magnitudes_F64, fabs(v))
/* 0, not -0: a sum of no numbers is 0 */
WEFT__EACH(LANE_LOOP, nansum_F32, float, double, -0.0, a + (v == v ? (double)v : 0), a + b)
WEFT__EACH(PAIR_LOOP, nansum_F64, (v == v ? v : 0))
WEFT__EACH(LANE_LOOP, sum_BOOL, uint8_t, uint64_t, 0, a + v, a + b)
/* products of floats are exact in doubles: fused multiplications give the same bits */
#ifdef WEFT__WIDEST_TARGET
#define FUSED_SUM(name, plain, fused)                        \
  LANE_LOOP(, name, float, double, -0.0, a + (plain), a + b) \
  LANE_LOOP(WEFT__FUSED("avx2"), name##_wide, float, double, -0.0, fused, a + b)
#else
#define FUSED_SUM(name, plain, fused) WEFT__EACH(LANE_LOOP, name, float, double, -0.0, a + (plain), a + b)
#endif
FUSED_SUM(squares_F32, (double)v *(double)v, __builtin_fma((double)v, (double)v, a))
FUSED_SUM(dot_F32, (double)v *(double)w, __builtin_fma((double)v, (double)w, a))
#define FLOAT_SUMS(LOOPS)                                              \
  LOOPS(LANE_LOOP, sum_F32, float, double, -0.0, a + (double)v, a + b) \
  LOOPS(PAIR_LOOP, sum_F64, v) LOOPS(PAIR_LOOP, squares_F64, v *v) LOOPS(PAIR_LOOP, dot_F64, v *w)
#ifdef WEFT__WIDEST_TARGET
FLOAT_SUMS(WEFT__BOTH)
VECTORS(sum_F32, weft__row_sum_f32)
VECTORS(squares_F32, weft__row_squares_f32)
VECTORS(dot_F32, weft__row_dot_f32)
VECTORS(sum_F64, weft__row_sum_f64)
VECTORS(squares_F64, weft__row_squares_f64)
VECTORS(dot_F64, weft__row_dot_f64)
#else
FLOAT_SUMS(WEFT__EACH)
#endif

#define WHOLE_EQUAL(D, T, least, most) WEFT__EACH(EQUAL_LOOP, equal_##D, T, T)
WEFT__ROW_INTEGERS(WHOLE_EQUAL)
WHOLE_EQUAL(BOOL, uint8_t, , )
WEFT__EACH(EQUAL_LOOP, equal_F32, float, uint32_t)
WEFT__EACH(EQUAL_LOOP, equal_F64, double, uint64_t)

/* ---- variances ---- */

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

#define NAME_OF(a, b) NAME_OF_2(a, b)
#define NAME_OF_2(a, b) a##_##b
#define HAS_NANS
#define IS_SHIFTED false
#define T float
#define D F32
#include "op/reduce/row_variance_widths.h"
#undef IS_SHIFTED
#define IS_SHIFTED true
#define T double
#define D F64
#include "op/reduce/row_variance_widths.h"
#undef HAS_NANS
#define T int8_t
#define D I8
#include "op/reduce/row_variance_widths.h"
#define T uint8_t
#define D U8
#include "op/reduce/row_variance_widths.h"
#define T int16_t
#define D I16
#include "op/reduce/row_variance_widths.h"
#define T uint16_t
#define D U16
#include "op/reduce/row_variance_widths.h"
#define T int32_t
#define D I32
#include "op/reduce/row_variance_widths.h"
#define T uint32_t
#define D U32
#include "op/reduce/row_variance_widths.h"
#define T int64_t
#define D I64
#include "op/reduce/row_variance_widths.h"
#define T uint64_t
#define D U64
#include "op/reduce/row_variance_widths.h"
#define T uint8_t
#define D BOOL
#include "op/reduce/row_variance_widths.h"

/* ---- without NaNs ---- */

/// The place of the first of the best numbers; -1: there are only NaNs. The best of each block is found first, and its
/// place in the best block. `better`: than a the number b.
#define NAN_PLACE_LOOP(TARGET, NAME, T, BEST, better)                                     \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const size_t step = stride ? stride : 1;                                              \
    const T *x = from[0];                                                                 \
    T a = (T)NAN, b = a;                                                                  \
    size_t place = 0;                                                                     \
    for (size_t m = 0, count; m < n; m += count) {                                        \
      count = n - m < WEFT__ROW_WHERE_BLOCK ? n - m : WEFT__ROW_WHERE_BLOCK;              \
      BEST(&b, (const void *const[]){x + m * step, x + m * step}, count, stride);         \
      if ((better) || (a != a && b == b)) a = b, place = m;                               \
    }                                                                                     \
    while (place < n && x[place * step] != a) place++;                                    \
    *(int64_t *)to = place < n ? (int64_t)place : -1;                                     \
  }
#define OF_NUMBERS(D, T, ...)                                     \
  WEFT__EACH(NAN_PLACE_LOOP, nanargmin_##D, T, nanmin_##D, b < a) \
  WEFT__EACH(NAN_PLACE_LOOP, nanargmax_##D, T, nanmax_##D, b > a)
FLOATS(OF_NUMBERS)

/* ---- which loop ---- */

#define ROW(ID, name, D) [WEFT__ROW_##ID][WEFT_##D] = WEFT__ALL(name##_##D),
#define ROWS_OF_ALL(D, T, least, most) \
  ROW(ANY, any, D)                     \
  ROW(EQUAL, equal, D)                 \
  ROW(ALL, all, D)                     \
  ROW(PROD, prod, D)                   \
  ROW(VARIANCE, variance, D)           \
  ROW(MIN, min, D) ROW(MAX, max, D) ROW(ARGMIN, argmin, D) ROW(ARGMAX, argmax, D) ROW(COUNT, count, D) ROW(SUM, sum, D)
#define ROWS_OF_PRODUCTS(D, T, least, most) ROW(DOT, dot, D)
#define ROWS_OF_FLOATS(D, T, least, most) \
  ROW(DOT, dot, D)                        \
  ROW(MAGNITUDES, magnitudes, D)          \
  ROW(SQUARES, squares, D)                \
  ROW(LEAST_SIZE, least_size, D)          \
  ROW(MOST_SIZE, most_size, D)            \
  ROW(NUMBERS, numbers, D)                \
  ROW(NANSUM, nansum, D)                  \
  ROW(NANPROD, nanprod, D)                \
  ROW(NANARGMIN, nanargmin, D)            \
  ROW(NANARGMAX, nanargmax, D)            \
  ROW(NANVARIANCE, nanvariance, D) ROW(NANMIN, nanmin, D) ROW(NANMAX, nanmax, D)
/// By the dtype of the elements, and WEFT__WIDTH.
static weft__row_loop *const row_loops[WEFT__ROW_LOOPS][WEFT_DTYPE_COUNT][3] = {WEFT__ROW_INTEGERS(ROWS_OF_ALL) FLOATS(
    ROWS_OF_ALL) ROWS_OF_ALL(BOOL, , , ) WEFT__ROW_INTEGERS(ROWS_OF_PRODUCTS) FLOATS(ROWS_OF_FLOATS)};

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
  if (id == WEFT__ROW_LOOPS) return NULL;
  return row_loops[id][dtype][is_fused && !WEFT__HAS_FUSED ? 0 : WEFT__WIDTH];
}
