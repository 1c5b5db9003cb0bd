// SPDX-License-Identifier: MIT
// Distributions by rejection: an element has WEFT_OWN words of the stream for its first try, and for each further one as many from a counter
// that no other element has, so that it does not depend on how many tries others need. In front of it, besides random/stream.clh:
//   WEFT_GAMMA  1 for gamma, 0 for Poisson
//   WEFT_T      the type of an element, as stored
//   WEFT_LONG   1 to compute gamma in double (Poisson always is)
//   WEFT_ITEM   elements that a work-item makes, one after the other; on GPUs 1
// lint: -DWEFT_GAMMA=1 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DWEFT_T=float -DWEFT_ITEM=1
// lint: -DWEFT_GAMMA=1 -DWEFT_WIDE=1 -DWEFT_LONG=1 -DWEFT_T=double -DWEFT_ITEM=64 -DWEFT_FP64=1
// lint: -DWEFT_GAMMA=1 -DWEFT_WIDE=1 -DWEFT_LONG=0 -DWEFT_T=ushort -DWEFT_HALF=1 -DWEFT_ITEM=64
// lint: -DWEFT_GAMMA=0 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DWEFT_T=long -DWEFT_ITEM=1 -DWEFT_FP64=1
#include "random/stream.clh"
#include "math/half.clh"

#define WEFT_OWN 8
#define WEFT_SINGLE(k) as_float(draw->single[k])
#define WEFT_REAL(k) as_double(draw->real[k])

// The words of an element's try; `position` is a multiple of WEFT_OWN.
static inline void weft_own_words(__private uint *word, const __private weft__draw *draw, ulong position, uint try_number) {
  for (uint k = 0; k < WEFT_OWN / WEFT_WORDS; k++) {
    if (try_number == 0)
      weft_words(word + k * WEFT_WORDS, &draw->stream, position / WEFT_WORDS + k);
    else
      weft_words_again(word + k * WEFT_WORDS, &draw->stream, position, try_number * (WEFT_OWN / WEFT_WORDS) + k);
  }
}

#if WEFT_GAMMA
// With d = k - 1/3 and c = 1 / sqrt(9 d): d * (1 + c * x)^3 of a normal x, where a uniform u says so. For k below 1, k + 1 is taken, and
// what comes is multiplied by a uniform number to the power of 1 / k. Parameters: d, c, theta, 1 / k (0 where k is 1 or more).
// Method: G. Marsaglia, W. Tsang, "A simple method for generating gamma variables" (2000).
#if WEFT_LONG
static inline double weft_gamma_of(const __private weft__draw *draw, ulong position) {
  uint word[WEFT_OWN];
  const double d = WEFT_REAL(0), c = WEFT_REAL(1);
  double boost = 1.0;
  for (uint k = 0;; k++) {
    weft_own_words(word, draw, position, k);
    if (k == 0 && WEFT_REAL(3) > 0)
      boost = exp(WEFT_REAL(3) * log(((double)(weft_long_of(word[6], word[7]) >> 11) + 0.5) * 0x1p-53));
    const double radius = sqrt(-2.0 * log(((double)(weft_long_of(word[0], word[1]) >> 11) + 0.5) * 0x1p-53));
    const double x = radius * cospi((double)(weft_long_of(word[2], word[3]) >> 11) * 0x1p-52), root = fma(c, x, 1.0);
    const double v = root * root * root, u = ((double)(weft_long_of(word[4], word[5]) >> 11) + 0.5) * 0x1p-53;
    if (root > 0 && log(u) < 0.5 * x * x + d * ((1.0 - v) + log(v))) return WEFT_REAL(2) * boost * d * v;
  }
}
#else
// exp(-x) for x >= 0; below 2^-126 it is 0.
static inline float weft_exp_minus_f32(float x) {
  if (!(x < 87.0f)) return 0.0f;
  const int n = (int)(x * 0x1.715476p+0f + 0.5f);
  const float r = fma((float)n, 0x1.7f7d1cp-20f, fma((float)n, 0x1.62e400p-1f, -x)); // log(2) in two parts
  float p = fma(0x1.6ab980p-10f, r, 0x1.126d0cp-7f);
  p = fma(p, r, 0x1.55589ap-5f);
  p = fma(p, r, 0x1.55540ap-3f);
  p = fma(p, r, 0x1.fffffap-2f);
  p = fma(p, r, 1.0f);
  p = fma(p, r, 1.0f);
  return p * as_float((uint)(127 - n) << 23);
}
static inline float weft_gamma_of(const __private weft__draw *draw, ulong position) {
  uint word[WEFT_OWN];
  const float d = WEFT_SINGLE(0), c = WEFT_SINGLE(1);
  float boost = 1.0f;
  for (uint k = 0;; k++) {
    weft_own_words(word, draw, position, k);
    if (k == 0 && WEFT_SINGLE(3) > 0) boost = weft_exp_minus_f32(WEFT_SINGLE(3) * weft_neglog_f32(word[3]));
    const float x = weft_normal2_f32(word[0], word[1]).x, root = fma(c, x, 1.0f), v = root * root * root;
    if (root > 0 && -weft_neglog_f32(word[2]) < fma(0.5f * x, x, d * ((1.0f - v) + weft_log_scaled_f32(v, 0, 1.0f))))
      return WEFT_SINGLE(2) * (boost * (d * v));
  }
}
#endif
#if WEFT_HALF
#define WEFT_VALUE(position) weft_to_f16_from_f32(weft_gamma_of(&draw, position))
#else
#define WEFT_VALUE(position) weft_gamma_of(&draw, position)
#endif

#else
// k - lambda - k * log(k / lambda), with what is left of log(k!) behind Stirling's formula: log of lambda^k e^-lambda / k!.
static inline double weft_log_poisson(double k, double lambda, double log_lambda) {
  if (k < 10) {
    double log_factorial = 0;
    for (double j = 2; j <= k; j++) log_factorial += log(j);
    return k * log_lambda - lambda - log_factorial;
  }
  const double inverse = 1 / k, square = inverse * inverse;
  const double rest = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680))));
  const double x = (lambda - k) / k;
  return k * (log1p(x) - x) - 0.5 * log(6.283185307179586477 * k) - rest;
}
// Parameters: lambda, its log, a, b, log of 1 / alpha, v_r.
// Method: PTRS of W. Hoermann, "The transformed rejection method for generating Poisson random variables" (1993), for lambda >= 10.
static inline long weft_poisson_of(const __private weft__draw *draw, ulong position) {
  uint word[WEFT_OWN];
  const double lambda = WEFT_REAL(0), a = WEFT_REAL(2), b = WEFT_REAL(3);
  for (uint t = 0;; t++) {
    weft_own_words(word, draw, position, t);
    const double u = ((double)(weft_long_of(word[0], word[1]) >> 11) + 0.5) * 0x1p-53 - 0.5;
    const double v = ((double)(weft_long_of(word[2], word[3]) >> 11) + 0.5) * 0x1p-53;
    const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= WEFT_REAL(5)) return (long)k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (log(v) + WEFT_REAL(4) - log(a / (us * us) + b) <= weft_log_poisson(k, lambda, WEFT_REAL(1))) return (long)k;
  }
}
#define WEFT_VALUE(position) weft_poisson_of(&draw, position)
#endif

__kernel void weft_draw_by_rejection(const weft__draw draw, __global uchar *restrict out) {
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)draw.n);
  __global WEFT_T *to = (__global WEFT_T *)(out + draw.offset);
  for (; i < end; i++) to[i] = (WEFT_T)WEFT_VALUE(draw.base + i * WEFT_OWN);
}
