// SPDX-License-Identifier: MIT
// Distributions by rejection. An element has WEFT_OWN words of the stream for its first try. Each further try takes as
// many words from a counter that no other element has, so that an element does not depend on the tries of the others.
// Needs the macros of random/stream.clh, and:
//   WEFT_GAMMA   1 for gamma, 0 for Poisson
//   T, T_NARROW  an element, as in element.clh
//   WEFT_LONG    1: gamma is computed in double (Poisson always is)
//   WEFT_ITEM    elements that a work-item makes in order; 1 on GPUs
// lint: -DWEFT_GAMMA=1 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_ITEM=1
// lint: -DWEFT_GAMMA=1 -DWEFT_WIDE=1 -DWEFT_LONG=1 -DT=double -DWEFT_ITEM=64 -DWEFT_FP64=1
// lint: -DWEFT_GAMMA=1 -DWEFT_WIDE=1 -DWEFT_LONG=0 -DT=ushort -DT_NARROW=f16 -DWEFT_ITEM=64
// lint: -DWEFT_GAMMA=0 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=long -DWEFT_ITEM=1 -DWEFT_FP64=1
#include "random/stream.clh"
#include "element.clh"

#define WEFT_OWN 8
#define WEFT_SINGLE(k) as_float(draw->single[k])
#define WEFT_REAL(k) as_double(draw->real[k])

// The words of one try of an element; `position` is a multiple of WEFT_OWN.
static inline void weft_own_words(__private uint *word, const __private weft__draw_args *draw, ulong position,
                                  uint try_number) {
  for (uint k = 0; k < WEFT_OWN / WEFT_WORDS; k++) {
    if (try_number == 0)
      weft_words(word + k * WEFT_WORDS, &draw->stream, position / WEFT_WORDS + k);
    else
      weft_words_again(word + k * WEFT_WORDS, &draw->stream, position, try_number * (WEFT_OWN / WEFT_WORDS) + k);
  }
}

#if WEFT_GAMMA
// With d = k - 1/3 and c = 1 / sqrt(9 d), an element is d * (1 + c * x)^3 for a normal x that a uniform u accepts. For
// k below 1, k + 1 is used, and the element is multiplied by a uniform number to the power of 1 / k. Parameters: d, c,
// theta, 1 / k (0 if k is 1 or more). Method: G. Marsaglia, W. Tsang, "A simple method for generating gamma variables"
// (2000).
#if WEFT_LONG
// exp(-x) for x >= 0; below 2^-1022 it is 0.
static inline double weft_exp_minus_f64(double x) {
  if (!(x < 708.0)) return 0.0;
  const int n = (int)(x * 0x1.71547652b82fep+0 + 0.5);
  // log(2) in two parts
  const double r = fma((double)n, 0x1.ef35793c76730p-45, fma((double)n, 0x1.62e42fefa3800p-1, -x));
  double p = fma(0x1.af389ecfc4b9cp-26, r, 0x1.28917c89a43a7p-22);
  p = fma(p, r, 0x1.71de0db2f6b19p-19);
  p = fma(p, r, 0x1.a019b9149a41cp-16);
  p = fma(p, r, 0x1.a01a01a7c2efep-13);
  p = fma(p, r, 0x1.6c16c17889ef1p-10);
  p = fma(p, r, 0x1.11111111109b5p-7);
  p = fma(p, r, 0x1.5555555553d68p-5);
  p = fma(p, r, 0x1.5555555555556p-3);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  return p * as_double((ulong)(1023 - n) << 52);
}
static inline double weft_gamma_of(const __private weft__draw_args *draw, ulong position) {
  uint word[WEFT_OWN];
  const double d = WEFT_REAL(0), c = WEFT_REAL(1);
  double boost = 1.0;
  for (uint k = 0; k < WEFT_TRIES; k++) {
    weft_own_words(word, draw, position, k);
    if (k == 0 && WEFT_REAL(3) > 0)
      boost = weft_exp_minus_f64(WEFT_REAL(3) * weft_neglog_f64(weft_long_of(word[6], word[7])));
    const double x = weft_normal2_f64(weft_long_of(word[0], word[1]), weft_long_of(word[2], word[3])).x;
    const double root = fma(c, x, 1.0), v = root * root * root;
    if (root > 0 &&
        -weft_neglog_f64(weft_long_of(word[4], word[5])) < fma(0.5 * x, x,
                                                               d * ((1.0 - v) + weft_log_scaled_f64(v, 0, 1.0))))
      return WEFT_REAL(2) * (boost * (d * v));
  }
  return WEFT_REAL(2) * (boost * d);
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
static inline float weft_gamma_of(const __private weft__draw_args *draw, ulong position) {
  uint word[WEFT_OWN];
  const float d = WEFT_SINGLE(0), c = WEFT_SINGLE(1);
  float boost = 1.0f;
  for (uint k = 0; k < WEFT_TRIES; k++) {
    weft_own_words(word, draw, position, k);
    if (k == 0 && WEFT_SINGLE(3) > 0) boost = weft_exp_minus_f32(WEFT_SINGLE(3) * weft_neglog_f32(word[3]));
    const float x = weft_normal2_f32(word[0], word[1]).x, root = fma(c, x, 1.0f), v = root * root * root;
    if (root > 0 && -weft_neglog_f32(word[2]) < fma(0.5f * x, x, d * ((1.0f - v) + weft_log_scaled_f32(v, 0, 1.0f))))
      return WEFT_SINGLE(2) * (boost * (d * v));
  }
  return WEFT_SINGLE(2) * (boost * d);
}
#endif
#define WEFT_VALUE(position) T_STORE(weft_gamma_of(&draw, position))

#else
// The log of lambda^k e^-lambda / k!. With x = lambda / k - 1 and Stirling's formula for k!, this is k * (log(1 + x) -
// x) plus small terms. The difference is computed without cancellation for small x.
static inline double weft_log_poisson(double k, double lambda, double log_lambda) {
  if (k < 10) {
    double factorial = 1;
    for (double j = 2; j <= k; j++) factorial *= j;
    return k * log_lambda - lambda - weft_log_scaled_f64(factorial, 0, 1.0);
  }
  const double inverse = 1 / k, square = inverse * inverse;
  const double rest = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680))));
  const double x = (lambda - k) / k, s = x / (2 + x);
  const double difference = fabs(x) < 0.25 ? s * (weft_log_series_f64(s * s) - x) : weft_log_scaled_f64(1 + x, 0,
                                                                                                        1.0) - x;
  return k * difference - 0.5 * weft_log_scaled_f64(6.283185307179586477 * k, 0, 1.0) - rest;
}
// Parameters: lambda, its log, a, b, log of 1 / alpha, v_r. Method: PTRS of W. Hoermann, "The transformed rejection
// method for generating Poisson random variables" (1993), for lambda >= 10.
static inline long weft_poisson_of(const __private weft__draw_args *draw, ulong position) {
  uint word[WEFT_OWN];
  const double lambda = WEFT_REAL(0), a = WEFT_REAL(2), b = WEFT_REAL(3);
  for (uint t = 0; t < WEFT_TRIES; t++) {
    weft_own_words(word, draw, position, t);
    const double u = ((double)(weft_long_of(word[0], word[1]) >> 11) + 0.5) * 0x1p-53 - 0.5;
    const double v = ((double)(weft_long_of(word[2], word[3]) >> 11) + 0.5) * 0x1p-53;
    const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= WEFT_REAL(5)) return (long)k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double bound = weft_log_scaled_f64(v, 0, 1.0) + WEFT_REAL(4) - weft_log_scaled_f64(a / (us * us) + b, 0, 1.0);
    if (bound <= weft_log_poisson(k, lambda, WEFT_REAL(1))) return (long)k;
  }
  return (long)lambda;
}
#define WEFT_VALUE(position) weft_poisson_of(&draw, position)
#endif

__kernel void weft_draw_by_rejection(const weft__draw_args draw, __global uchar *restrict out) {
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)draw.n);
  __global T *to = (__global T *)(out + draw.offset);
  for (; i < end; i++) to[i] = (T)WEFT_VALUE(draw.base + i * WEFT_OWN);
}
