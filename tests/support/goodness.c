// SPDX-License-Identifier: MIT
#include "goodness.h"

#include <stdio.h>

#define LEAST 1e-3

float single[N];
double value[N];
int64_t whole[N];

weft_rng *make_rng(uint64_t seed, weft_generator generator) {
  weft_rng *rng = NULL;
  ok(weft_rng_create(&rng, .seed = seed, .generator = generator, .context = ctx));
  return rng;
}

void judge(const char *what, double p) {
  printf("  %-44s p = %.4f\n", what, p);
  ck_assert_msg(p > LEAST && p < 1 - LEAST / 100, "%s: p = %g", what, p);
  harness_count(1);
}

/* ---- distribution functions ---- */

double gamma_below(double k, double x) {
  if (x <= 0) return 0;
  const double front = exp(k * log(x) - x - lgamma(k));
  if (x < k + 1) {
    double term = 1 / k, sum = term;
    for (double j = k + 1; term > sum * 1e-15; j++) sum += term *= x / j;
    return front * sum;
  }
  double b = x + 1 - k, c = 1e300, d = 1 / b, h = d;
  for (int j = 1; j < 10000; j++) {
    const double a = -j * (j - k);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-14) break;
  }
  return 1 - front * h;
}

double chi_square_p(double chi_square, double freedom) {
  return 1 - gamma_below(freedom / 2, chi_square / 2);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double ks(double (*below)(double x, const double *parameter), const double *parameter) {
  double greatest = 0, p = 0;
  qsort(value, N, sizeof *value, by_value);
  for (int i = 0; i < N; i++) {
    const double f = below(value[i], parameter);
    greatest = fmax(greatest, fmax(f - (double)i / N, (double)(i + 1) / N - f));
  }
  const double root = sqrt(N), x = (root + 0.12 + 0.11 / root) * greatest;
  for (int j = 1; j < 100; j++) p += (j % 2 ? 2 : -2) * exp(-2 * (double)j * j * x * x);
  return p;
}

double below_uniform(double x, const double *p) {
  return (x - p[0]) / (p[1] - p[0]);
}
double below_normal(double x, const double *p) {
  return 0.5 * erfc((p[0] - x) / p[1] / sqrt(2));
}
double below_exponential(double x, const double *p) {
  return -expm1(-x / p[0]);
}
double below_gamma(double x, const double *p) {
  return gamma_below(p[0], x / p[1]);
}

void moments(const char *what, double mean, double variance, double fourth) {
  char text[80];
  double sum = 0, squares = 0, serial = 0;
  for (int i = 0; i < N; i++) sum += value[i] - mean;
  for (int i = 0; i < N; i++) squares += (value[i] - mean) * (value[i] - mean) - variance;
  for (int i = 0; i + 1 < N; i++) serial += (value[i] - mean) * (value[i + 1] - mean);
  snprintf(text, sizeof text, "%s, mean", what);
  judge(text, erfc(fabs(sum / sqrt(N * variance)) / sqrt(2)));
  snprintf(text, sizeof text, "%s, variance", what);
  judge(text, erfc(fabs(squares / sqrt(N * (fourth - variance * variance))) / sqrt(2)));
  snprintf(text, sizeof text, "%s, neighbours", what);
  judge(text, erfc(fabs(serial / sqrt((N - 1) * variance * variance)) / sqrt(2)));
}

void take_single(void) {
  for (int i = 0; i < N; i++) value[i] = (double)single[i];
}

double counts_p(int64_t low, int kinds, double (*probability)(double k, double parameter), double parameter) {
  double chi_square = 0, expected = 0, got = 0, all_expected = 0, all_got = 0;
  int freedom = -1;
  int *count = calloc((size_t)kinds, sizeof *count);
  ck_assert_ptr_nonnull(count);
  for (int i = 0; i < N; i++)
    if (whole[i] >= low && whole[i] < low + kinds) count[whole[i] - low]++;
  for (int k = 0; k < kinds; k++) {
    expected += N * probability((double)(low + k), parameter);
    got += count[k];
    if (expected < 10) continue;
    chi_square += (got - expected) * (got - expected) / expected;
    all_expected += expected;
    all_got += got;
    expected = got = 0;
    freedom++;
  }
  if (N - all_expected > 5) {
    chi_square += (N - all_got - (N - all_expected)) * (N - all_got - (N - all_expected)) / (N - all_expected);
    freedom++;
  }
  free(count);
  return freedom > 0 ? chi_square_p(chi_square, freedom) : 0.5;
}
