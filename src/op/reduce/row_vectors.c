// SPDX-License-Identifier: MIT
#include "op/reduce/row_vectors.h"

#ifdef WEFT__WIDEST_TARGET
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define SUMS 8     /* vectors of 8 accumulators: the 64 lanes of cl/reduce/cpu.cl */
#define BLOCK 4096 /* elements of which the best is found before its place is */

/* ---- sums of products ---- */

/// The sum of all lanes, of which the farthest are added first, as in the kernel.
WEFT__WIDEST_TARGET static inline double fold_sums(__m512d *sum) {
  for (int apart = SUMS / 2; apart > 0; apart /= 2)
    for (int k = 0; k < apart; k++) sum[k] = _mm512_add_pd(sum[k], sum[k + apart]);
  const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(*sum), _mm512_extractf64x4_pd(*sum, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/// Products of floats are exact in doubles, so that a fused multiplication gives the same bits. `second`: the second
/// factors of the elements m.
#define FUSED_LOOP(NAME, second)                                                                    \
  WEFT__WIDEST_TARGET void NAME(void *to, const void *const from[2], size_t n) {                    \
    const float *x = from[0], *y = from[1];                                                         \
    __m512d sum[SUMS];                                                                              \
    size_t m = 0, at = 0;                                                                           \
    for (int k = 0; k < SUMS; k++) sum[k] = _mm512_set1_pd(-0.0);                                   \
    for (; m + 8 * SUMS <= n; m += 8 * SUMS)                                                        \
      for (int k = 0; k < SUMS; k++) {                                                              \
        const __m512d v = _mm512_cvtps_pd(_mm256_loadu_ps(x + m + 8 * k));                          \
        sum[k] = _mm512_fmadd_pd(v, second(y + m + 8 * k), sum[k]);                                 \
      }                                                                                             \
    if (m < n) {                                                                                    \
      double lane[8 * SUMS];                                                                        \
      for (int k = 0; k < SUMS; k++) _mm512_storeu_pd(lane + 8 * k, sum[k]);                        \
      for (; m + 8 <= n; m += 8, at += 8) {                                                         \
        const __m512d v = _mm512_cvtps_pd(_mm256_loadu_ps(x + m));                                  \
        _mm512_storeu_pd(lane + at, _mm512_fmadd_pd(v, second(y + m), _mm512_loadu_pd(lane + at))); \
      }                                                                                             \
      for (; m < n; m++, at++) lane[at] += (double)x[m] * (double)y[m];                             \
      for (int k = 0; k < SUMS; k++) sum[k] = _mm512_loadu_pd(lane + 8 * k);                        \
    }                                                                                               \
    *(double *)to = fold_sums(sum);                                                                 \
  }
#define OF_OTHER(y) _mm512_cvtps_pd(_mm256_loadu_ps(y))
#define OF_SAME(y) v
FUSED_LOOP(weft__row_dot_f32, OF_OTHER)
FUSED_LOOP(weft__row_squares_f32, OF_SAME)

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
      end = n - begin < BLOCK ? n : begin + BLOCK;                                               \
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
