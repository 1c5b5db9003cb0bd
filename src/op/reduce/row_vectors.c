// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else instructions' constants are not known in the one-file form without optimization */
#endif
#include "op/reduce/row_vectors.h"
#include "op/reduce/tuning.h"

#ifdef WEFT__WIDEST_TARGET
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define SUMS 8  /* vectors of 8 accumulators: the 64 lanes of cl/reduce/cpu.cl */
#define PAIRS 4 /* and of compensated sums */

/* ---- sums of floats ---- */

#define UNROLL _Pragma("GCC unroll 16")

/// The lanes of vector k that take some of `elements`, which are fewer than all lanes.
static inline __mmask8 some_lanes(size_t k, size_t elements) {
  return (__mmask8)(((UINT64_C(1) << elements) - 1) >> (8 * k));
}

/// The sum of all lanes, of which the farthest are added first, as in the kernel.
WEFT__WIDEST_TARGET static inline double fold_sums(__m512d *sum) {
  UNROLL for (size_t k = 0; k < 4; k++) sum[k] = _mm512_add_pd(sum[k], sum[k + 4]);
  UNROLL for (size_t k = 0; k < 2; k++) sum[k] = _mm512_add_pd(sum[k], sum[k + 2]);
  const __m512d eight = _mm512_add_pd(sum[0], sum[1]);
  const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/// `second`: the number of the array that w is of. `next`: of the accumulators a and the elements v and w; `some`: of
/// `lanes` only. Products of floats are exact in doubles, so that a fused multiplication gives the same bits.
#define SUM_LOOP(NAME, second, next, some)                                                           \
  WEFT__WIDEST_TARGET void NAME(void *to, const void *const from[2], size_t n) {                     \
    const float *x = from[0], *y = from[second];                                                     \
    __m512d sum[SUMS];                                                                               \
    size_t m = 0;                                                                                    \
    UNROLL for (size_t k = 0; k < SUMS; k++) sum[k] = _mm512_set1_pd(-0.0);                          \
    for (; m + 8 * SUMS <= n; m += 8 * SUMS) {                                                       \
      UNROLL for (size_t k = 0; k < SUMS; k++) {                                                     \
        const __m512d a = sum[k], v = _mm512_cvtps_pd(_mm256_loadu_ps(x + m + 8 * k));               \
        const __m512d w = second ? _mm512_cvtps_pd(_mm256_loadu_ps(y + m + 8 * k)) : v;              \
        sum[k] = (next);                                                                             \
        (void)w;                                                                                     \
      }                                                                                              \
    }                                                                                                \
    if (m < n) {                                                                                     \
      UNROLL for (size_t k = 0; k < SUMS; k++) {                                                     \
        const __mmask8 lanes = some_lanes(k, n - m);                                                 \
        const __m512d a = sum[k], v = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, x + m + 8 * k));  \
        const __m512d w = second ? _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, y + m + 8 * k)) : v; \
        sum[k] = (some);                                                                             \
        (void)w;                                                                                     \
      }                                                                                              \
    }                                                                                                \
    *(double *)to = fold_sums(sum);                                                                  \
  }
SUM_LOOP(weft__row_sum_f32, 0, _mm512_add_pd(a, v), _mm512_mask_add_pd(a, lanes, a, v))
SUM_LOOP(weft__row_squares_f32, 0, _mm512_fmadd_pd(v, v, a), _mm512_mask3_fmadd_pd(v, v, a, lanes))
SUM_LOOP(weft__row_dot_f32, 1, _mm512_fmadd_pd(v, w, a), _mm512_mask3_fmadd_pd(v, w, a, lanes))

/* ---- sums of doubles with their rounding errors ---- */

/// The rounding error of t, the sum of a and b: it is exact, as in two-sum, which has an operation more because it does
/// not know the smaller one.
WEFT__WIDEST_TARGET static inline __m512d error_of(__m512d t, __m512d a, __m512d b) {
  const __m512d greater = _mm512_range_pd(a, b, 7), smaller = _mm512_range_pd(a, b, 6); /* in magnitude */
  return _mm512_sub_pd(smaller, _mm512_sub_pd(t, greater));
}

/// Adds the sums of other lanes.
WEFT__WIDEST_TARGET static inline void add_pairs(__m512d *sum, __m512d *rest, __m512d sum2, __m512d rest2) {
  const __m512d t = _mm512_add_pd(*sum, sum2);
  *rest = _mm512_add_pd(_mm512_add_pd(*rest, error_of(t, *sum, sum2)), rest2);
  *sum = t;
}

/// Two arrays of 10^5 doubles nearly fill a second-level cache of 2 MiB: 14.4 us, without the prefetches 15.5.
#define PAIR_LOOP(NAME, second, term)                                                                       \
  WEFT__WIDEST_TARGET void NAME(void *to, const void *const from[2], size_t n) {                            \
    const double *x = from[0], *y = from[second];                                                           \
    __m512d sum[PAIRS], rest[PAIRS];                                                                        \
    size_t m = 0;                                                                                           \
    UNROLL for (size_t k = 0; k < PAIRS; k++) sum[k] = _mm512_set1_pd(-0.0), rest[k] = _mm512_setzero_pd(); \
    for (; m + 8 * PAIRS <= n; m += 8 * PAIRS) {                                                            \
      UNROLL for (size_t k = 0; k < PAIRS; k++) {                                                           \
        _mm_prefetch((const char *)(x + m + 8 * k) + WEFT__ROW_AHEAD_BYTES, _MM_HINT_T0);                   \
        if (second) _mm_prefetch((const char *)(y + m + 8 * k) + WEFT__ROW_AHEAD_BYTES, _MM_HINT_T0);       \
        const __m512d v = _mm512_loadu_pd(x + m + 8 * k), w = second ? _mm512_loadu_pd(y + m + 8 * k) : v;  \
        const __m512d added = (term), t = _mm512_add_pd(sum[k], added);                                     \
        rest[k] = _mm512_add_pd(rest[k], error_of(t, sum[k], added));                                       \
        sum[k] = t;                                                                                         \
        (void)w;                                                                                            \
      }                                                                                                     \
    }                                                                                                       \
    if (m < n) {                                                                                            \
      UNROLL for (size_t k = 0; k < PAIRS; k++) {                                                           \
        const __mmask8 lanes = some_lanes(k, n - m);                                                        \
        const __m512d v = _mm512_maskz_loadu_pd(lanes, x + m + 8 * k);                                      \
        const __m512d w = second ? _mm512_maskz_loadu_pd(lanes, y + m + 8 * k) : v;                         \
        const __m512d added = (term), t = _mm512_mask_add_pd(sum[k], lanes, sum[k], added);                 \
        rest[k] = _mm512_mask_add_pd(rest[k], lanes, rest[k], error_of(t, sum[k], added));                  \
        sum[k] = t;                                                                                         \
        (void)w;                                                                                            \
      }                                                                                                     \
    }                                                                                                       \
    UNROLL for (size_t k = 0; k < 2; k++) add_pairs(&sum[k], &rest[k], sum[k + 2], rest[k + 2]);            \
    add_pairs(sum, rest, sum[1], rest[1]);                                                                  \
    add_pairs(sum, rest, _mm512_shuffle_f64x2(*sum, *sum, 0x4e), _mm512_shuffle_f64x2(*rest, *rest, 0x4e)); \
    add_pairs(sum, rest, _mm512_permutex_pd(*sum, 0x4e), _mm512_permutex_pd(*rest, 0x4e));                  \
    add_pairs(sum, rest, _mm512_permute_pd(*sum, 0x55), _mm512_permute_pd(*rest, 0x55));                    \
    ((double *)to)[0] = _mm512_cvtsd_f64(*sum), ((double *)to)[1] = _mm512_cvtsd_f64(*rest);                \
  }
PAIR_LOOP(weft__row_sum_f64, 0, v)
PAIR_LOOP(weft__row_squares_f64, 0, _mm512_mul_pd(v, v))
PAIR_LOOP(weft__row_dot_f64, 1, _mm512_mul_pd(v, w))

/* ---- places ---- */

/// The lanes of a vector for the first elements.
static inline __mmask16 first_lanes(size_t elements) {
  return elements < 16 ? (__mmask16)((1 << elements) - 1) : UINT16_MAX;
}

/// The number of the first lane of four vectors, of which there is one.
static inline size_t first_of(const __mmask16 lanes[4]) {
  const uint64_t low = lanes[0] | (uint64_t)lanes[1] << 16, high = lanes[2] | (uint64_t)lanes[3] << 16;
  return (size_t)__builtin_ctzll(low | high << 32);
}

/// The place of the first of the elements from `begin` on that is equal to the best, or of the first NaN; there is one.
WEFT__WIDEST_TARGET static inline int64_t find(const float *x, size_t begin, size_t n, float best, bool is_nan) {
  const __m512 wanted = _mm512_set1_ps(best);
  size_t m = begin;
  for (; !is_nan && m + 64 <= n; m += 64) {
    __mmask16 equal[4];
    for (int k = 0; k < 4; k++) equal[k] = _mm512_cmp_ps_mask(_mm512_loadu_ps(x + m + 16 * k), wanted, _CMP_EQ_OQ);
    if (equal[0] | equal[1] | equal[2] | equal[3]) return (int64_t)(m + first_of(equal));
  }
  for (;; m += 16) {
    const __mmask16 lanes = first_lanes(n - m);
    const __m512 v = _mm512_maskz_loadu_ps(lanes, x + m);
    const __mmask16 found =
        is_nan ? _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) : _mm512_mask_cmp_ps_mask(lanes, v, wanted, _CMP_EQ_OQ);
    if (found) return (int64_t)(m + (size_t)__builtin_ctz(found));
  }
}

/// A block's best number is found first, and whether it has a NaN: of a NaN the instruction's result may be either.
#define PLACE_LOOP(NAME, which, is_better)                                                       \
  WEFT__WIDEST_TARGET void NAME(void *to, const void *const from[2], size_t n) {                 \
    const float *x = from[0];                                                                    \
    float best = x[0];                                                                           \
    size_t place = 0;                                                                            \
    __mmask16 nans = 0;                                                                          \
    for (size_t m = 0, end; m < n && !nans; m = end) {                                           \
      const size_t begin = m;                                                                    \
      __m512 a[4], v[4];                                                                         \
      end = n - begin < WEFT__ROW_WHERE_BLOCK ? n : begin + WEFT__ROW_WHERE_BLOCK;               \
      for (int k = 0; k < 4; k++) a[k] = _mm512_set1_ps(x[begin]);                               \
      for (; m + 64 <= end; m += 64) {                                                           \
        for (int k = 0; k < 4; k++) v[k] = _mm512_loadu_ps(x + m + 16 * k);                      \
        for (int k = 0; k < 4; k++) a[k] = _mm512_##which##_ps(v[k], a[k]);                      \
        for (int k = 0; k < 4; k += 2) nans |= _mm512_cmp_ps_mask(v[k], v[k + 1], _CMP_UNORD_Q); \
      }                                                                                          \
      for (; m < end; m += 16) {                                                                 \
        *v = _mm512_mask_loadu_ps(*a, first_lanes(end - m), x + m);                              \
        *a = _mm512_##which##_ps(*v, *a);                                                        \
        nans |= _mm512_cmp_ps_mask(*v, *v, _CMP_UNORD_Q);                                        \
      }                                                                                          \
      for (int k = 1; k < 4; k++) *a = _mm512_##which##_ps(a[k], *a);                            \
      const float of_block = _mm512_reduce_##which##_ps(*a);                                     \
      if (of_block is_better best || nans) best = of_block, place = begin;                       \
    }                                                                                            \
    *(int64_t *)to = find(x, place, n, best, nans != 0);                                         \
  }
PLACE_LOOP(weft__row_argmin_f32, min, <)
PLACE_LOOP(weft__row_argmax_f32, max, >)

#endif
