// SPDX-License-Identifier: MIT
/// Reductions of one row of floats without gaps in vectors of 64 bytes, for processors with AVX-512: loops of
/// op/reduce/row_loops.c that compilers make of more instructions. The same results.
#ifndef WEFT_OP_REDUCE_ROW_VECTORS_H
#define WEFT_OP_REDUCE_ROW_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wide.h"
#include "op/reduce/tuning.h"

#ifdef WEFT__WIDEST_TARGET
#include <immintrin.h>

#define SUMS 8  /* vectors of 8 accumulators: the 64 lanes of cl/reduce/cpu.cl */
#define PAIRS 4 /* and of compensated sums */

/* ---- sums of floats ---- */

#define UNROLL _Pragma("GCC unroll 16")
#define WEFT__ROW_VECTORS WEFT__WIDEST_TARGET static inline __attribute__((always_inline))

/// The lanes of vector k that take some of `elements`, which are fewer than all lanes.
WEFT__ROW_VECTORS __mmask8 weft__row_some_lanes(size_t k, size_t elements) {
  return (__mmask8)(((UINT64_C(1) << elements) - 1) >> (8 * k));
}

/// The sum of all lanes, of which the farthest are added first, as in the kernel.
WEFT__ROW_VECTORS double weft__row_fold_sums(__m512d *sum) {
  UNROLL for (size_t k = 0; k < 4; k++) sum[k] = _mm512_add_pd(sum[k], sum[k + 4]);
  UNROLL for (size_t k = 0; k < 2; k++) sum[k] = _mm512_add_pd(sum[k], sum[k + 2]);
  const __m512d eight = _mm512_add_pd(sum[0], sum[1]);
  const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/// The sum of a row, or if it `multiplies` of its squares, and if it is `of_two` of its products with the other one.
/// Products of floats are exact in doubles, so that a fused multiplication gives the same bits.
WEFT__ROW_VECTORS void weft__row_sums_f32(void *to, const void *const from[2], size_t n, bool multiplies, bool of_two) {
  const float *x = from[0], *y = from[of_two];
  __m512d sum[SUMS];
  size_t m = 0;
  UNROLL for (size_t k = 0; k < SUMS; k++) sum[k] = _mm512_set1_pd(-0.0);
  for (; m + 8 * SUMS <= n; m += 8 * SUMS) {
    UNROLL for (size_t k = 0; k < SUMS; k++) {
      const __m512d v = _mm512_cvtps_pd(_mm256_loadu_ps(x + m + 8 * k));
      const __m512d w = of_two ? _mm512_cvtps_pd(_mm256_loadu_ps(y + m + 8 * k)) : v;
      sum[k] = multiplies ? _mm512_fmadd_pd(v, w, sum[k]) : _mm512_add_pd(sum[k], v);
    }
  }
  if (m < n) {
    UNROLL for (size_t k = 0; k < SUMS; k++) {
      const __mmask8 lanes = weft__row_some_lanes(k, n - m);
      const __m512d v = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, x + m + 8 * k));
      const __m512d w = of_two ? _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, y + m + 8 * k)) : v;
      sum[k] = multiplies ? _mm512_mask3_fmadd_pd(v, w, sum[k], lanes) : _mm512_mask_add_pd(sum[k], lanes, sum[k], v);
    }
  }
  *(double *)to = weft__row_fold_sums(sum);
}

/* ---- sums of doubles with their rounding errors ---- */

/// The rounding error of t, the sum of a and b: it is exact, as in two-sum, which has an operation more because it does
/// not know the smaller one.
WEFT__ROW_VECTORS __m512d weft__row_error_of(__m512d t, __m512d a, __m512d b) {
  const __m512d greater = _mm512_range_pd(a, b, 7), smaller = _mm512_range_pd(a, b, 6); /* in magnitude */
  return _mm512_sub_pd(smaller, _mm512_sub_pd(t, greater));
}

/// Adds the sums of other lanes.
WEFT__ROW_VECTORS void weft__row_add_pairs(__m512d *sum, __m512d *rest, __m512d sum2, __m512d rest2) {
  const __m512d t = _mm512_add_pd(*sum, sum2);
  *rest = _mm512_add_pd(_mm512_add_pd(*rest, weft__row_error_of(t, *sum, sum2)), rest2);
  *sum = t;
}

/// Two arrays of 10^5 doubles nearly fill a second-level cache of 2 MiB: 14.4 us, without the prefetches 15.5.
WEFT__ROW_VECTORS void weft__row_sums_f64(void *to, const void *const from[2], size_t n, bool multiplies, bool of_two) {
  const double *x = from[0], *y = from[of_two];
  __m512d sum[PAIRS], rest[PAIRS];
  size_t m = 0;
  UNROLL for (size_t k = 0; k < PAIRS; k++) sum[k] = _mm512_set1_pd(-0.0), rest[k] = _mm512_setzero_pd();
  for (; m + 8 * PAIRS <= n; m += 8 * PAIRS) {
    UNROLL for (size_t k = 0; k < PAIRS; k++) {
      _mm_prefetch((const char *)(x + m + 8 * k) + WEFT__ROW_AHEAD_BYTES, _MM_HINT_T0);
      if (of_two) _mm_prefetch((const char *)(y + m + 8 * k) + WEFT__ROW_AHEAD_BYTES, _MM_HINT_T0);
      const __m512d v = _mm512_loadu_pd(x + m + 8 * k), w = of_two ? _mm512_loadu_pd(y + m + 8 * k) : v;
      const __m512d added = multiplies ? _mm512_mul_pd(v, w) : v, t = _mm512_add_pd(sum[k], added);
      rest[k] = _mm512_add_pd(rest[k], weft__row_error_of(t, sum[k], added));
      sum[k] = t;
    }
  }
  if (m < n) {
    UNROLL for (size_t k = 0; k < PAIRS; k++) {
      const __mmask8 lanes = weft__row_some_lanes(k, n - m);
      const __m512d v = _mm512_maskz_loadu_pd(lanes, x + m + 8 * k);
      const __m512d w = of_two ? _mm512_maskz_loadu_pd(lanes, y + m + 8 * k) : v;
      const __m512d added = multiplies ? _mm512_mul_pd(v, w) : v, t = _mm512_mask_add_pd(sum[k], lanes, sum[k], added);
      rest[k] = _mm512_mask_add_pd(rest[k], lanes, rest[k], weft__row_error_of(t, sum[k], added));
      sum[k] = t;
    }
  }
  UNROLL for (size_t k = 0; k < 2; k++) weft__row_add_pairs(&sum[k], &rest[k], sum[k + 2], rest[k + 2]);
  weft__row_add_pairs(sum, rest, sum[1], rest[1]);
  weft__row_add_pairs(sum, rest, _mm512_shuffle_f64x2(*sum, *sum, 0x4e), _mm512_shuffle_f64x2(*rest, *rest, 0x4e));
  weft__row_add_pairs(sum, rest, _mm512_permutex_pd(*sum, 0x4e), _mm512_permutex_pd(*rest, 0x4e));
  weft__row_add_pairs(sum, rest, _mm512_permute_pd(*sum, 0x55), _mm512_permute_pd(*rest, 0x55));
  ((double *)to)[0] = _mm512_cvtsd_f64(*sum), ((double *)to)[1] = _mm512_cvtsd_f64(*rest);
}

/* ---- places ---- */

/// The lanes of a vector for the first elements.
WEFT__ROW_VECTORS __mmask16 weft__row_first_lanes(size_t elements) {
  return elements < 16 ? (__mmask16)((1 << elements) - 1) : UINT16_MAX;
}

/// The number of the first lane of four vectors, of which there is one.
WEFT__ROW_VECTORS size_t weft__row_first_of(const __mmask16 lanes[4]) {
  const uint64_t low = lanes[0] | (uint64_t)lanes[1] << 16, high = lanes[2] | (uint64_t)lanes[3] << 16;
  return (size_t)__builtin_ctzll(low | high << 32);
}

/// The place of the first of the elements from `begin` on that is equal to the best, or of the first NaN; there is one.
WEFT__ROW_VECTORS int64_t weft__row_find(const float *x, size_t begin, size_t n, float best, bool is_nan) {
  const __m512 wanted = _mm512_set1_ps(best);
  size_t m = begin;
  for (; !is_nan && m + 64 <= n; m += 64) {
    __mmask16 equal[4];
    for (int k = 0; k < 4; k++) equal[k] = _mm512_cmp_ps_mask(_mm512_loadu_ps(x + m + 16 * k), wanted, _CMP_EQ_OQ);
    if (equal[0] | equal[1] | equal[2] | equal[3]) return (int64_t)(m + weft__row_first_of(equal));
  }
  for (;; m += 16) {
    const __mmask16 lanes = weft__row_first_lanes(n - m);
    const __m512 v = _mm512_maskz_loadu_ps(lanes, x + m);
    const __mmask16 found =
        is_nan ? _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) : _mm512_mask_cmp_ps_mask(lanes, v, wanted, _CMP_EQ_OQ);
    if (found) return (int64_t)(m + (size_t)__builtin_ctz(found));
  }
}

WEFT__ROW_VECTORS __m512 weft__row_best(__m512 a, __m512 b, bool greatest) {
  return greatest ? _mm512_max_ps(a, b) : _mm512_min_ps(a, b);
}

/// The place of the first of the best, or of the first NaN. A block's best number is found first, and whether it has a
/// NaN: of a NaN the instruction's result may be either.
WEFT__ROW_VECTORS void weft__row_place_f32(void *to, const void *const from[2], size_t n, bool greatest) {
  const float *x = from[0];
  float best = x[0];
  size_t place = 0;
  __mmask16 nans = 0;
  for (size_t m = 0, end; m < n && !nans; m = end) {
    const size_t begin = m;
    __m512 a[4], v[4];
    end = n - begin < WEFT__ROW_WHERE_BLOCK ? n : begin + WEFT__ROW_WHERE_BLOCK;
    for (int k = 0; k < 4; k++) a[k] = _mm512_set1_ps(x[begin]);
    for (; m + 64 <= end; m += 64) {
      for (int k = 0; k < 4; k++) v[k] = _mm512_loadu_ps(x + m + 16 * k);
      for (int k = 0; k < 4; k++) a[k] = weft__row_best(v[k], a[k], greatest);
      for (int k = 0; k < 4; k += 2) nans |= _mm512_cmp_ps_mask(v[k], v[k + 1], _CMP_UNORD_Q);
    }
    for (; m < end; m += 16) {
      *v = _mm512_mask_loadu_ps(*a, weft__row_first_lanes(end - m), x + m);
      *a = weft__row_best(*v, *a, greatest);
      nans |= _mm512_cmp_ps_mask(*v, *v, _CMP_UNORD_Q);
    }
    for (int k = 1; k < 4; k++) *a = weft__row_best(a[k], *a, greatest);
    const float of_block = greatest ? _mm512_reduce_max_ps(*a) : _mm512_reduce_min_ps(*a);
    if ((greatest ? of_block > best : of_block < best) || nans) best = of_block, place = begin;
  }
  *(int64_t *)to = weft__row_find(x, place, n, best, nans != 0);
}
#undef UNROLL
#undef SUMS
#undef PAIRS
#endif

#endif
