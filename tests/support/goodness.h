// SPDX-License-Identifier: MIT
/// Goodness of random numbers: chi-square, Kolmogorov-Smirnov, moments and serial correlation of N draws.
#ifndef WEFT_TESTS_GOODNESS_H
#define WEFT_TESTS_GOODNESS_H

#include "harness.h"

enum { N = 200000 };
extern float single[N];
extern double value[N];
extern int64_t whole[N];

weft_rng *make_rng(uint64_t seed, weft_generator generator);
/// Draws into `single`, `value` or `whole` from `rng`.
#define DRAW_SINGLE(draw, ...) \
  ok(draw(WEFT_HOST_OUT(single, WEFT_F32, WEFT_SHAPE(N)), rng, WEFT_F32, WEFT_SHAPE(N), __VA_ARGS__))
#define DRAW_VALUE(draw, ...) \
  ok(draw(WEFT_HOST_OUT(value, WEFT_F64, WEFT_SHAPE(N)), rng, WEFT_F64, WEFT_SHAPE(N), __VA_ARGS__))
#define DRAW_WHOLE(draw, ...) \
  ok(draw(WEFT_HOST_OUT(whole, WEFT_I64, WEFT_SHAPE(N)), rng, WEFT_I64, WEFT_SHAPE(N), __VA_ARGS__))
/// Copies `single` to `value`.
void take_single(void);

/// Prints a p-value, and fails if it is extreme.
void judge(const char *what, double p);
/// Kolmogorov's p for `value`, which is sorted.
double ks(double (*below)(double x, const double *parameter), const double *parameter);
/// Judges the distances of mean and variance of `value` from their expected values, in their deviations, and the
/// correlation of neighbours. Two-sided p.
void moments(const char *what, double mean, double variance, double fourth);
/// Compares counts of `whole` from `low` on with probabilities; neighbouring cells are merged until 10 are expected.
double counts_p(int64_t low, int kinds, double (*probability)(double k, double parameter), double parameter);

/// The probability of a chi-square of at least this value.
double chi_square_p(double chi_square, double freedom);
/// The regularised lower incomplete gamma function: its series, or one minus its continued fraction.
double gamma_below(double k, double x);
double below_uniform(double x, const double *range);
double below_normal(double x, const double *mean_and_deviation);
double below_exponential(double x, const double *mean);
double below_gamma(double x, const double *k_and_theta);

#endif
