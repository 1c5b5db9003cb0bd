// SPDX-License-Identifier: MIT
/// The loops of row_loops.c for one dtype (op/reduce/each_dtype.h) and one width of vectors.
#define IS_NAN(v) ((v) != (v))

LANE_LOOP(min, T, MOST, v < a || IS_NAN(v) ? v : a, b < a || IS_NAN(b) ? b : a)
LANE_LOOP(max, T, LEAST, v > a || IS_NAN(v) ? v : a, b > a || IS_NAN(b) ? b : a)
#if !SIGNED
LANE_LOOP(count, uint64_t, 0, a + (v != 0), a + b)
#endif
#if !FLOAT_BITS
LANE_LOOP(prod, uint64_t, 1, a *(uint64_t)v, a *b)
LANE_LOOP(sum, uint64_t, 0, a + (uint64_t)v, a + b)
LANE_LOOP(dot, uint64_t, 0, a + (uint64_t)v * (uint64_t)w, a + b)
#else
LANE_LOOP(prod, double, 1, a *(double)v, a *b)
/// v, or 1 in the place of NaN, by a mask: of a choice GCC makes one between a and a * v, and no vector code.
INLINE double NAME(or_one)(T v) {
#if FLOAT_BITS == 32
  uint32_t bits, other;
  const uint32_t mask = -(uint32_t)(v == v);
#else
  uint64_t bits, other;
  const uint64_t mask = -(uint64_t)(v == v);
#endif
  const T one = 1;
  memcpy(&bits, &v, sizeof v);
  memcpy(&other, &one, sizeof one);
  bits = (bits & mask) | (other & ~mask);
  memcpy(&v, &bits, sizeof v);
  return (double)v;
}
LANE_LOOP(nanprod, double, 1, a *NAME(or_one)(v), a *b)
LANE_LOOP(numbers, uint64_t, 0, a + (v == v), a + b)
LANE_LOOP(least_size, T, INFINITY, SIZE(v) < a || v != v ? SIZE(v) : a, b < a || b != b ? b : a)
LANE_LOOP(most_size, T, -INFINITY, SIZE(v) > a || v != v ? SIZE(v) : a, b > a || b != b ? b : a)
LANE_LOOP(nanmin, T, NAN, v < a || a != a ? v : a, b < a || a != a ? b : a)
LANE_LOOP(nanmax, T, NAN, v > a || a != a ? v : a, b > a || a != a ? b : a)
#if FLOAT_BITS == 32
#define SUM_LOOP(name, term) LANE_LOOP(name, double, -0.0, a + (term), a + b)
#define VECTOR_SUMS weft__row_sums_f32
#else
#define SUM_LOOP(name, term) PAIR_LOOP(name, term)
#define VECTOR_SUMS weft__row_sums_f64
#endif
SUM_LOOP(magnitudes, fabs((double)v))
SUM_LOOP(nansum, (v == v ? (double)v : 0)) /* 0, not -0: a sum of no numbers is 0 */
#if BYTES == 64
VECTOR_LOOP(sum, FLOAT_BITS, VECTOR_SUMS(to, from, n, false, false))
VECTOR_LOOP(squares, FLOAT_BITS, VECTOR_SUMS(to, from, n, true, false))
VECTOR_LOOP(dot, FLOAT_BITS, VECTOR_SUMS(to, from, n, true, true))
#else
SUM_LOOP(sum, (double)v)
#if BYTES == 32 && FLOAT_BITS == 32
/* products of floats are exact in doubles: fused multiplications give the same bits */
LANE_LOOP_OF(WEFT__FUSED("avx2"), squares, double, -0.0, __builtin_fma((double)v, (double)v, a), a + b)
LANE_LOOP_OF(WEFT__FUSED("avx2"), dot, double, -0.0, __builtin_fma((double)v, (double)w, a), a + b)
#else
SUM_LOOP(squares, (double)v *(double)v)
SUM_LOOP(dot, (double)v *(double)w)
#endif
#endif
#undef SUM_LOOP
#undef VECTOR_SUMS
#endif

#if !SIGNED
/// any and all end with the first block that decides.
INLINE void NAME(truth)(void *to, const T *x, size_t n, size_t stride, const bool decides) {
  const size_t step = stride ? stride : 1;
  uint8_t is_decided = 0;
  size_t m = 0;
  for (; step == 1 && m + 1024 <= n && !is_decided; m += 1024)
    for (size_t l = 0; l < 1024; l++) is_decided |= (uint8_t)((x[m + l] != 0) == decides);
  for (; step == 1 && m + 64 <= n && !is_decided; m += 64)
    for (size_t l = 0; l < 64; l++) is_decided |= (uint8_t)((x[m + l] != 0) == decides);
  for (; m < n && !is_decided; m++) is_decided = (x[m * step] != 0) == decides;
  *(uint8_t *)to = is_decided ? decides : !decides;
}
TARGET static void NAME(any)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(truth)(to, from[0], n, stride, true);
}
TARGET static void NAME(all)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(truth)(to, from[0], n, stride, false);
}

/// Whether all elements of both arrays are equal, up to the first block that has others.
TARGET static void NAME(equal)(void *to, const void *const from[2], size_t n, size_t stride) {
  const T *x = from[0], *y = from[1];
  TRUTH differ = 0;
  size_t m = 0;
  (void)stride;
  for (; m + 1024 <= n && !differ; m += 1024)
    for (size_t l = 0; l < 1024; l++) differ |= x[m + l] != y[m + l];
  for (; m + 64 <= n && !differ; m += 64)
    for (size_t l = 0; l < 64; l++) differ |= x[m + l] != y[m + l];
  for (; m < n && !differ; m++) differ = x[m] != y[m];
  *(uint8_t *)to = !differ;
}
#endif

/* ---- places ---- */

#define IS_BETTER(v, a) (greatest ? (v) > (a) : (v) < (a))
/// The place of the first element from `place` on that is equal to the best, or of the first NaN; there is one.
INLINE size_t NAME(find_best)(const T *x, size_t n, size_t place, T best, bool has_nan) {
  for (; !has_nan && place + LANES <= n; place += LANES) {
    int32_t first = LANES;
    for (int32_t l = 0; l < LANES; l++) {
      const int32_t at = x[place + (size_t)l] == best ? l : LANES;
      first = at < first ? at : first;
    }
    if (first < LANES) return place + (size_t)first;
  }
  while (has_nan ? !IS_NAN(x[place]) : x[place] != best) place++;
  return place;
}

#if FLOAT_BITS == 32 && BYTES == 64
VECTOR_LOOP(argmin, FLOAT_BITS, weft__row_place_f32(to, from, n, false))
VECTOR_LOOP(argmax, FLOAT_BITS, weft__row_place_f32(to, from, n, true))
#else
/// The place of the first of the best, or of the first NaN. A block's best number is found first, and whether it has a
/// NaN.
INLINE void NAME(place)(void *to, const T *x, size_t n, size_t stride, const bool greatest) {
  const T *y = x;
  const size_t step = stride ? stride : 1;
  T best = x[0];
  size_t place = 0;
  bool has_nan = false;
  for (size_t m = 1; step > 1 && m < n && !IS_NAN(best); m++) {
    const T v = x[m * step];
    if (IS_BETTER(v, best) || IS_NAN(v)) best = v, place = m;
  }
  for (size_t m = 0; step == 1 && m < n && !has_nan;) {
    const size_t begin = m, end = n - begin < WEFT__ROW_WHERE_BLOCK ? n : begin + WEFT__ROW_WHERE_BLOCK;
    T lane[LANES];
    uint32_t nans[LANES], is_nan = 0;
    for (size_t l = 0; l < LANES; l++) lane[l] = x[begin], nans[l] = 0;
    for (; m + LANES <= end; m += LANES)
      for (size_t l = 0; l < LANES; l++) {
        TAKE(T, T, l, m + l, IS_BETTER(v, a) ? v : a)
        nans[l] |= IS_NAN(x[m + l]);
      }
    for (; m < end; m++) {
      TAKE(T, T, 0, m, IS_BETTER(v, a) ? v : a)
      is_nan |= IS_NAN(x[m]);
    }
    for (size_t l = 0; l < LANES; l++) is_nan |= nans[l];
    FOLD_ALL(T, IS_BETTER(b, a) ? b : a)
    has_nan = is_nan;
    if (IS_BETTER(lane[0], best) || has_nan) best = lane[0], place = begin;
  }
  if (step == 1) place = NAME(find_best)(x, n, place, best, has_nan);
  *(int64_t *)to = (int64_t)place;
}
TARGET static void NAME(argmin)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(place)(to, from[0], n, stride, false);
}
TARGET static void NAME(argmax)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(place)(to, from[0], n, stride, true);
}
#endif

#if FLOAT_BITS
/// The place of the first of the best numbers; -1: there are only NaNs. The best of each block is found first, and its
/// place in the best block.
INLINE void NAME(number_place)(void *to, const T *x, size_t n, size_t stride, const bool greatest) {
  const size_t step = stride ? stride : 1;
  T a = (T)NAN, b = a;
  size_t place = 0;
  for (size_t m = 0, count; m < n; m += count) {
    const void *const block[] = {x + m * step, x + m * step};
    count = n - m < WEFT__ROW_WHERE_BLOCK ? n - m : WEFT__ROW_WHERE_BLOCK;
    (greatest ? NAME(nanmax) : NAME(nanmin))(&b, block, count, stride);
    if (IS_BETTER(b, a) || (a != a && b == b)) a = b, place = m;
  }
  if (step == 1 && a == a)
    place = NAME(find_best)(x, n, place, a, false);
  else
    while (place < n && x[place * step] != a) place++;
  *(int64_t *)to = place < n ? (int64_t)place : -1;
}
TARGET static void NAME(nanargmin)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(number_place)(to, from[0], n, stride, false);
}
TARGET static void NAME(nanargmax)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(number_place)(to, from[0], n, stride, true);
}
#endif
#undef IS_BETTER

#include "op/reduce/row_variance.h"

static weft__row_loop *const NAME(row_loops)[WEFT__ROW_LOOPS] = {
#if !SIGNED
    [WEFT__ROW_ANY] = NAME(any),
    [WEFT__ROW_ALL] = NAME(all),
    [WEFT__ROW_COUNT] = NAME(count),
    [WEFT__ROW_EQUAL] = NAME(equal),
#endif
    [WEFT__ROW_MIN] = NAME(min),
    [WEFT__ROW_MAX] = NAME(max),
    [WEFT__ROW_ARGMIN] = NAME(argmin),
    [WEFT__ROW_ARGMAX] = NAME(argmax),
    [WEFT__ROW_SUM] = NAME(sum),
    [WEFT__ROW_DOT] = NAME(dot),
    [WEFT__ROW_PROD] = NAME(prod),
    [WEFT__ROW_VARIANCE] = NAME(variance),
#if FLOAT_BITS
    [WEFT__ROW_NANMIN] = NAME(nanmin),
    [WEFT__ROW_NANMAX] = NAME(nanmax),
    [WEFT__ROW_SQUARES] = NAME(squares),
    [WEFT__ROW_MAGNITUDES] = NAME(magnitudes),
    [WEFT__ROW_LEAST_SIZE] = NAME(least_size),
    [WEFT__ROW_MOST_SIZE] = NAME(most_size),
    [WEFT__ROW_NUMBERS] = NAME(numbers),
    [WEFT__ROW_NANSUM] = NAME(nansum),
    [WEFT__ROW_NANPROD] = NAME(nanprod),
    [WEFT__ROW_NANARGMIN] = NAME(nanargmin),
    [WEFT__ROW_NANARGMAX] = NAME(nanargmax),
    [WEFT__ROW_NANVARIANCE] = NAME(nanvariance),
#endif
};
#undef IS_NAN
#undef T
#undef NAME
