// SPDX-License-Identifier: MIT
/// The distributions that are transforms of uniform, normal and gamma numbers, and counts. The distribution function of
/// each number must be uniform: Kolmogorov-Smirnov, moments and serial correlation, with fixed seeds (as random_stats).
/// All are the same in parts, and on every device: recorded hashes.
#include <float.h>
#include <stdio.h>

#include "goodness.h"

/* ---- distribution functions ---- */

/// The regularised incomplete beta function by its continued fraction (NIST Digital Library of Mathematical Functions,
/// 8.17.22).
static double beta_below(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_below(b, a, 1 - x);
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 2000; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-14) break;
  }
  return exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) * h / a;
}

static double below_lognormal(double x, const double *p) {
  return x > 0 ? below_normal(log(x), p) : 0;
}
static double below_laplace(double x, const double *p) {
  const double z = (x - p[0]) / p[1];
  return z < 0 ? 0.5 * exp(z) : 1 - 0.5 * exp(-z);
}
static double below_logistic(double x, const double *p) {
  return 1 / (1 + exp((p[0] - x) / p[1]));
}
static double below_gumbel(double x, const double *p) {
  return exp(-exp((p[0] - x) / p[1]));
}
static double below_weibull(double x, const double *p) {
  return -expm1(-pow(x, p[0]));
}
static double below_pareto(double x, const double *p) {
  return -expm1(-p[0] * log1p(x));
}
static double below_rayleigh(double x, const double *p) {
  return -expm1(-x * x / (2 * p[0] * p[0]));
}
static double below_triangular(double x, const double *p) {
  const double left = x - p[0], right = p[2] - x, whole_width = p[2] - p[0];
  return x < p[1] ? left * left / (whole_width * (p[1] - p[0])) : 1 - right * right / (whole_width * (p[2] - p[1]));
}
static double below_chisquare(double x, const double *p) {
  return gamma_below(p[0] / 2, x / 2);
}
static double below_beta(double x, const double *p) {
  return beta_below(p[0], p[1], x);
}
static double below_f(double x, const double *p) {
  return beta_below(p[0] / 2, p[1] / 2, p[0] * x / (p[0] * x + p[1]));
}
static double below_t(double x, const double *p) {
  const double tail = 0.5 * beta_below(p[0] / 2, 0.5, p[0] / (p[0] + x * x));
  return x < 0 ? tail : 1 - tail;
}
/// By Simpson's rule, from the table of a parameter's integrals.
static double below_vonmises(double x, const double *p) {
  enum { STEPS = 2000 };
  static double sum[STEPS + 1], mu, kappa = -1;
  const double pi = acos(-1), step = 2 * pi / STEPS;
#define DENSITY(t) exp(p[1] * (cos((t)-p[0]) - 1))
  if (mu != p[0] || kappa != p[1]) {
    for (int k = 0; k < STEPS; k++) {
      const double t = -pi + k * step;
      sum[k + 1] = sum[k] + step / 6 * (DENSITY(t) + 4 * DENSITY(t + step / 2) + DENSITY(t + step));
    }
    mu = p[0];
    kappa = p[1];
  }
  const int k = (int)fmax(0, fmin((x + pi) / step, STEPS - 1));
  const double t = -pi + k * step, rest = x - t;
  return (sum[k] + rest / 6 * (DENSITY(t) + 4 * DENSITY(t + rest / 2) + DENSITY(t + rest))) / sum[STEPS];
}
/// Parameters: mean, deviation, low, high. On the side of the nearer tail, where the difference keeps its digits.
static double below_truncated(double x, const double *p) {
  double low = (p[2] - p[0]) / p[1], at = (x - p[0]) / p[1], high = (p[3] - p[0]) / p[1];
  const double root = sqrt(0.5);
  if (low + high < 0) return (erfc(-at * root) - erfc(-low * root)) / (erfc(-high * root) - erfc(-low * root));
  return (erfc(low * root) - erfc(at * root)) / (erfc(low * root) - erfc(high * root));
}

/* ---- the table ---- */

typedef weft_status draw_function(weft_host_out out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                  const double *p);
#define DRAWS(name, ...)                                                                               \
  static weft_status draw_##name(weft_host_out out, weft_rng *rng, weft_dtype dtype, weft_shape shape, \
                                 const double *p) {                                                    \
    return weft_##name(out, rng, dtype, shape, __VA_ARGS__);                                           \
  }
DRAWS(lognormal, p[0], p[1])
DRAWS(laplace, p[0], p[1])
DRAWS(logistic, p[0], p[1])
DRAWS(gumbel, p[0], p[1])
DRAWS(weibull, p[0])
DRAWS(pareto, p[0])
DRAWS(rayleigh, p[0])
DRAWS(triangular, p[0], p[1], p[2])
DRAWS(chisquare, p[0])
DRAWS(beta, p[0], p[1])
DRAWS(f_ratio, p[0], p[1])
DRAWS(standard_t, p[0])
DRAWS(vonmises, p[0], p[1])
DRAWS(truncated_normal, p[2], p[3], .mean = p[0], .deviation = p[1])

/// A distribution with several parameters, which share a kernel. `words`: of an f32 element. A last parameter of
/// `f64_only` is not tried in f32, where numbers below the smallest float would be counted as equal.
typedef struct shape_row {
  const char *name;
  draw_function *draw;
  double (*below)(double x, const double *p);
  int words;
  double parameter[5][4];
  bool f64_only[5];
  uint32_t hash[2]; /* of f64, f32; 0: f32 depends on the device's square roots and quotients */
} shape_row;

static const shape_row rows[] = {
    {"lognormal", draw_lognormal, below_lognormal, 1, {{0, 1}, {2, 0.25}}, {0}, {0x8a6b21c8, 0}},
    {"laplace", draw_laplace, below_laplace, 1, {{0, 1}, {-3, 0.5}}, {0}, {0x18783309, 0x6fa0f0cc}},
    {"logistic", draw_logistic, below_logistic, 1, {{0, 1}, {5, 2}}, {0}, {0x9459f0bc, 0x96c9ab45}},
    {"gumbel", draw_gumbel, below_gumbel, 1, {{0, 1}, {-1, 3}}, {0}, {0x36cca602, 0x77a3e47}},
    {"weibull", draw_weibull, below_weibull, 1, {{0.5}, {1}, {5}}, {0}, {0x39bc0665, 0x69972811}},
    {"pareto", draw_pareto, below_pareto, 1, {{0.7}, {3}, {50}}, {0}, {0x65a830c, 0xab0cedb}},
    {"rayleigh", draw_rayleigh, below_rayleigh, 1, {{1}, {20}}, {0}, {0xd80bbd47, 0}},
    {"triangular", draw_triangular, below_triangular, 1, {{0, 0.25, 1}, {-5, -5, 2}, {1, 4, 4}}, {0}, {0x2325d562, 0}},
    {"chisquare", draw_chisquare, below_chisquare, 8, {{1}, {7}}, {0}, {0x7a7bcdfa, 0}},
    {"beta",
     draw_beta,
     below_beta,
     16,
     {{2, 3}, {0.5, 0.5}, {100, 1}, {1, 4000}, {0.02, 1.5}},
     {false, false, false, false, true},
     {0x2131ed58, 0}},
    {"f_ratio", draw_f_ratio, below_f, 16, {{5, 8}, {1, 1}, {200, 3}}, {0}, {0xe2755b3f, 0}},
    {"standard_t", draw_standard_t, below_t, 16, {{5}, {1}, {0.5}, {300}}, {0}, {0x12bd2c9e, 0}},
    {"vonmises",
     draw_vonmises,
     below_vonmises,
     8,
     {{0, 1}, {0, 0}, {1.5, 20}, {-3, 0.3}, {3, 2}},
     {0},
     {0x1ad2348c, 0}},
    {"truncated_normal",
     draw_truncated_normal,
     below_truncated,
     8,
     {{0, 1, -2, 3}, {1, 2, 1.5, 2}, {0, 1, 4, INFINITY}, {5, 2, -INFINITY, -3}, {0, 1, -1e-3, 2}},
     {0},
     {0x9b0278fb, 0}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/// Parameter k of a row, or NULL.
static const double *parameter_of(const shape_row *r, int k) {
  const bool is_none = r->parameter[k][0] == 0 && r->parameter[k][1] == 0 && r->parameter[k][2] == 0;
  return k < 5 && (k == 0 || !is_none || (r->below == below_vonmises && k == 1)) ? r->parameter[k] : NULL;
}

static uint32_t hash_of(const void *data, size_t size) {
  const uint8_t *byte = data;
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t k = 0; k < size; k++) hash = (hash ^ byte[k]) * 16777619u;
  return hash;
}

START_TEST(as_distributed)
{
  const shape_row *r = &rows[_i];
  const double unit[] = {0, 1};
  char text[80];
  weft_rng *rng = make_rng(301 + (uint64_t)_i, WEFT_PHILOX4X32);
  for (int is_f32 = 0; is_f32 < 2; is_f32++)
    for (int k = 0; k < 5; k++) {
      const double *p = parameter_of(r, k);
      if (!p || (is_f32 && r->f64_only[k])) continue;
      if (!is_f32 && !harness_has_dtype(WEFT_F64)) continue;
      const weft_host_out out =
          is_f32 ? WEFT_HOST_OUT(single, WEFT_F32, WEFT_SHAPE(N)) : WEFT_HOST_OUT(value, WEFT_F64, WEFT_SHAPE(N));
      ok(r->draw(out, rng, is_f32 ? WEFT_F32 : WEFT_F64, WEFT_SHAPE(N), p));
      if (is_f32) take_single();
      for (int i = 0; i < N; i++) value[i] = r->below(value[i], p);
      snprintf(text, sizeof text, "%s(%g, %g) %s", r->name, p[0], p[1], is_f32 ? "f32" : "f64");
      moments(text, 0.5, 1.0 / 12, 1.0 / 80);
      judge(text, ks(below_uniform, unit));
    }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(same_everywhere)
{
  /* a draw, and the same in two parts, from an odd position; every device has this hash */
  enum { COUNT = 700, FIRST = 333 };
  static double wide[COUNT], wide_part[COUNT];
  static float narrow[COUNT], narrow_part[COUNT];
  const shape_row *r = &rows[_i];
  const double *p = r->parameter[1];
  for (int is_f32 = 0; is_f32 < 2; is_f32++) {
    const weft_dtype dtype = is_f32 ? WEFT_F32 : WEFT_F64;
    if (!harness_has_dtype(dtype)) continue;
    void *all = is_f32 ? (void *)narrow : wide, *part = is_f32 ? (void *)narrow_part : wide_part;
    char *rest = (char *)part + FIRST * weft_dtype_size_bytes(dtype);
    weft_rng *a = make_rng(5, WEFT_PHILOX4X32), *b = make_rng(5, WEFT_PHILOX4X32);
    weft_rng_state one, two;
    ok(weft_rng_skip(a, 3));
    ok(weft_rng_skip(b, 3));
    ok(r->draw(WEFT_HOST_OUT(all, dtype, WEFT_SHAPE(COUNT)), a, dtype, WEFT_SHAPE(COUNT), p));
    ok(r->draw(WEFT_HOST_OUT(part, dtype, WEFT_SHAPE(FIRST)), b, dtype, WEFT_SHAPE(FIRST), p));
    ok(r->draw(WEFT_HOST_OUT(rest, dtype, WEFT_SHAPE(COUNT - FIRST)), b, dtype, WEFT_SHAPE(COUNT - FIRST), p));
    ck_assert_mem_eq(all, part, COUNT * weft_dtype_size_bytes(dtype));
    ok(weft_rng_get_state(&one, a));
    ok(weft_rng_get_state(&two, b));
    ck_assert_uint_eq(one.position, two.position);
    if (r->words >= 8) ck_assert_uint_eq(one.position, 8 + COUNT * (uint64_t)r->words);
    const uint32_t hash = hash_of(all, COUNT * weft_dtype_size_bytes(dtype));
    if (r->hash[is_f32])
      ck_assert_msg(hash == r->hash[is_f32], "%s %s: hash %#x", r->name, is_f32 ? "f32" : "f64", hash);
    weft_rng_release(&a);
    weft_rng_release(&b);
    harness_count(2);
  }
}
END_TEST

/* ---- counts ---- */

static double other; /* the second parameter */

static double binomial_probability(double k, double n) {
  if (k < 0 || k > n) return 0;
  return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(other) + (n - k) * log1p(-other));
}
static double geometric_probability(double k, double p) {
  return k < 1 ? 0 : p * exp((k - 1) * log1p(-p));
}
static double negative_probability(double k, double n) {
  return exp(lgamma(k + n) - lgamma(n) - lgamma(k + 1) + n * log(other) + k * log1p(-other));
}

static void judge_counts(const char *text, double mean, double variance, double fourth,
                         double (*probability)(double k, double parameter), double parameter) {
  const double low = fmax(0, floor(mean - 7 * sqrt(variance)));
  judge(text, counts_p((int64_t)low, (int)(2 * (mean - low) + 30 * sqrt(variance) + 20), probability, parameter));
  for (int i = 0; i < N; i++) value[i] = (double)whole[i];
  moments(text, mean, variance, fourth);
}

START_TEST(binomial)
{
  static const double cases[][2] = {{1, 0.3},  {10, 0.5},   {40, 0.9},   {1000, 0.002}, {20, 0.5},
                                    {30, 0.4}, {100, 0.85}, {1e6, 3e-4}, {1e5, 0.5}};
  char text[60];
  weft_rng *rng = make_rng(401, WEFT_PHILOX4X32);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double n = cases[k][0], p = cases[k][1], v = n * p * (1 - p);
    if (n * fmin(p, 1 - p) >= 10 && !harness_has_dtype(WEFT_F64)) continue;
    other = p;
    DRAW_WHOLE(weft_binomial, (int64_t)n, p);
    for (int i = 0; i < N; i++) ck_assert(whole[i] >= 0 && (double)whole[i] <= n);
    snprintf(text, sizeof text, "binomial(%g, %g)", n, p);
    judge_counts(text, n * p, v, v * (1 + 3 * v * (n - 2) / n), binomial_probability, n);
  }
  for (int k = 0; k < 2; k++) {
    DRAW_WHOLE(weft_binomial, 77, k);
    for (int i = 0; i < N; i++) ck_assert_int_eq(whole[i], 77 * k);
  }
  if (harness_has_dtype(WEFT_F64)) { /* no precision is lost with many trials */
    const double n = 0x1p50, p = 0.25, v = n * p * (1 - p), unit[] = {0, sqrt(v)};
    DRAW_WHOLE(weft_binomial, INT64_C(1) << 50, p);
    for (int i = 0; i < N; i++) value[i] = (double)whole[i] - n * p;
    moments("binomial(2^50)", 0, v, 3 * v * v);
    judge("binomial(2^50), KS", ks(below_normal, unit));
  }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(geometric)
{
  static const double cases[] = {0.9, 0.5, 0.1, 1e-3};
  char text[60];
  if (!harness_has_dtype(WEFT_F64)) return;
  weft_rng *rng = make_rng(411, WEFT_PHILOX4X32);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double p = cases[k], v = (1 - p) / (p * p);
    DRAW_WHOLE(weft_geometric, p);
    snprintf(text, sizeof text, "geometric(%g)", p);
    judge_counts(text, 1 / p, v, v * v * (9 + p * p / (1 - p)), geometric_probability, p);
  }
  DRAW_WHOLE(weft_geometric, 1);
  for (int i = 0; i < N; i++) ck_assert_int_eq(whole[i], 1);
  weft_rng_release(&rng);
}
END_TEST

START_TEST(negative_binomial)
{
  static const double cases[][2] = {{1, 0.5}, {0.3, 0.1}, {5.5, 0.9}, {40, 0.2}};
  char text[60];
  if (!harness_has_dtype(WEFT_F64)) return;
  weft_rng *rng = make_rng(421, WEFT_PHILOX4X32);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double n = cases[k][0], p = cases[k][1], v = n * (1 - p) / (p * p);
    other = p;
    DRAW_WHOLE(weft_negative_binomial, n, p);
    snprintf(text, sizeof text, "negative binomial(%g, %g)", n, p);
    judge_counts(text, n * (1 - p) / p, v, v * v * (3 + 6 / n + p * p / (n * (1 - p))), negative_probability, n);
  }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(counts_everywhere)
{
  /* as same_everywhere, for counts: by a table and by rejection, in narrow dtypes */
  enum { COUNT = 500, FIRST = 201 };
  static int32_t all[5][COUNT], part[5][COUNT];
  static const uint32_t hash[5] = {0xfff9435a, 0xcf165212, 0xec5f4a60, 0x74cae858, 0xbdaedaf4};
  if (!harness_has_dtype(WEFT_F64)) return;
  for (int is_part = 0; is_part < 2; is_part++) {
    weft_rng *rng = make_rng(6, WEFT_PHILOX4X64);
    for (int k = 0; k < 5; k++)
      for (int at = 0; at < COUNT; at += FIRST) {
        const int64_t n = !is_part ? COUNT : at == 0 ? FIRST : COUNT - FIRST;
        const weft_host_out out = WEFT_HOST_OUT(is_part ? part[k] + at : all[k], WEFT_I32, WEFT_SHAPE(n));
        if (k == 0) ok(weft_binomial(out, rng, WEFT_I32, WEFT_SHAPE(n), 12, 0.7));
        if (k == 1) ok(weft_binomial(out, rng, WEFT_I32, WEFT_SHAPE(n), 1000, 0.7));
        if (k == 2) ok(weft_geometric(out, rng, WEFT_I32, WEFT_SHAPE(n), 0.01));
        if (k == 3) ok(weft_negative_binomial(out, rng, WEFT_I32, WEFT_SHAPE(n), 2, 0.1));
        if (k == 4) ok(weft_poisson(out, rng, WEFT_I32, WEFT_SHAPE(n), 50));
        if (!is_part || at) break;
      }
    weft_rng_release(&rng);
  }
  for (int k = 0; k < 5; k++) {
    ck_assert_mem_eq(all[k], part[k], sizeof all[k]);
    const uint32_t found = hash_of(all[k], sizeof all[k]);
    ck_assert_msg(found == hash[k], "counts %d: hash %#x", k, found);
  }
  harness_count(5);
}
END_TEST

/* ---- rows ---- */

START_TEST(dirichlet)
{
  enum { K = 4, M = N / K };
  static const double alpha[K] = {0.4, 1, 3, 0};
  const double sum = 4.4;
  weft_rng *rng = make_rng(431, WEFT_PHILOX4X32);
  for (int is_f64 = 0; is_f64 < 2; is_f64++) {
    const weft_dtype dtype = is_f64 ? WEFT_F64 : WEFT_F32;
    static double row[N];
    if (!harness_has_dtype(dtype)) continue;
    const weft_host_out out =
        is_f64 ? WEFT_HOST_OUT(row, WEFT_F64, WEFT_SHAPE(M, K)) : WEFT_HOST_OUT(single, WEFT_F32, WEFT_SHAPE(M, K));
    ok(weft_dirichlet(out, rng, dtype, WEFT_SHAPE(M), WEFT_HOST(alpha, WEFT_F64, WEFT_SHAPE(K))));
    for (int i = 0; !is_f64 && i < N; i++) row[i] = (double)single[i];
    for (int i = 0; i < M; i++) {
      ck_assert(fabs(row[K * i] + row[K * i + 1] + row[K * i + 2] - 1) < (is_f64 ? 1e-15 : 4e-7));
      ck_assert(row[K * i + 3] == 0);
    }
    /* each column is a beta number */
    for (int j = 0; j < 3; j++) {
      char text[60];
      const double a = alpha[j], mean = a / sum, p[] = {a, sum - a};
      double total = 0, chi_square = 0;
      for (int i = 0; i < M; i++) total += row[K * i + j] - mean;
      const double variance = mean * (1 - mean) / (sum + 1);
      snprintf(text, sizeof text, "dirichlet %s, column %d, mean", is_f64 ? "f64" : "f32", j);
      judge(text, erfc(fabs(total / sqrt(M * variance)) / sqrt(2)));
      int count[20] = {0};
      for (int i = 0; i < M; i++) count[(int)fmin(19, 20 * below_beta(row[K * i + j], p))]++;
      for (int c = 0; c < 20; c++) chi_square += (count[c] - M / 20.0) * (count[c] - M / 20.0) / (M / 20.0);
      snprintf(text, sizeof text, "dirichlet %s, column %d", is_f64 ? "f64" : "f32", j);
      judge(text, chi_square_p(chi_square, 19));
    }
  }
  /* tiny parameters: all gamma numbers would be 0, but one column has all of the row */
  const float tiny[2] = {1e-5f, 1e-5f};
  float pair[200];
  ok(weft_dirichlet(WEFT_HOST_OUT(pair, WEFT_F32, WEFT_SHAPE(10, 10, 2)), rng, WEFT_F32, WEFT_SHAPE(10, 10),
                    WEFT_HOST(tiny, WEFT_F32, WEFT_SHAPE(2))));
  int first = 0;
  for (int i = 0; i < 100; i++) {
    ck_assert(fabs((double)pair[2 * i] + (double)pair[2 * i + 1] - 1) < 1e-6);
    first += pair[2 * i] > 0.5f;
  }
  ck_assert(first > 25 && first < 75);
  weft_rng_release(&rng);
}
END_TEST

START_TEST(multinomial)
{
  enum { K = 5, M = N / K };
  static const double weight[K] = {2, 0, 1, 5, 0};
  static const int64_t trials[] = {0, 7, 900};
  if (!harness_has_dtype(WEFT_F64)) return;
  weft_rng *rng = make_rng(441, WEFT_PHILOX4X32);
  for (int t = 0; t < 3; t++) {
    const double n = (double)trials[t];
    ok(weft_multinomial(WEFT_HOST_OUT(whole, WEFT_I64, WEFT_SHAPE(M, K)), rng, WEFT_I64, WEFT_SHAPE(M), trials[t],
                        WEFT_HOST(weight, WEFT_F64, WEFT_SHAPE(K))));
    double mean[K] = {0}, square[K] = {0}, product = 0;
    for (int i = 0; i < M; i++) {
      int64_t sum = 0;
      for (int j = 0; j < K; j++) {
        const int64_t x = whole[K * i + j];
        const double away = (double)x - n * weight[j] / 8;
        ck_assert(x >= 0 && (weight[j] > 0 || x == 0));
        sum += x;
        mean[j] += away;
        square[j] += away * away;
      }
      ck_assert_int_eq(sum, trials[t]);
      product += ((double)whole[K * i] - n / 4) * ((double)whole[K * i + 3] - n * 5 / 8);
    }
    for (int j = 0; j < K && t > 0; j++) {
      char text[60];
      const double p = weight[j] / 8, v = n * p * (1 - p), fourth = v * (1 + 3 * v * (n - 2) / n);
      if (p == 0) continue;
      snprintf(text, sizeof text, "multinomial of %g, column %d, mean", n, j);
      judge(text, erfc(fabs(mean[j] / sqrt(M * v)) / sqrt(2)));
      snprintf(text, sizeof text, "multinomial of %g, column %d, variance", n, j);
      judge(text, erfc(fabs((square[j] - M * v) / sqrt(M * (fourth - v * v))) / sqrt(2)));
    }
    /* the covariance of two columns is -n p q */
    if (t > 0) ck_assert(fabs(product / M / n + 0.25 * 0.625) < 0.01);
  }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(multivariate_normal)
{
  enum { K = 3, M = 50000 };
  static const double mean[K] = {1, -2, 10}, covariance[K][K] = {{4, 1, 0.5}, {1, 2, -0.3}, {0.5, -0.3, 1}};
  static float row[M][K];
  weft_rng *rng = make_rng(451, WEFT_PHILOX4X32), *again = make_rng(451, WEFT_PHILOX4X32);
  ok(weft_multivariate_normal(WEFT_HOST_OUT(row, WEFT_F32, WEFT_SHAPE(M / 100, 100, K)), rng, WEFT_F32,
                              WEFT_SHAPE(M / 100, 100), WEFT_HOST(mean, WEFT_F64, WEFT_SHAPE(K)),
                              WEFT_HOST(covariance, WEFT_F64, WEFT_SHAPE(K, K))));
  for (int a = 0; a < K; a++) {
    char text[60];
    double total = 0;
    for (int i = 0; i < M; i++) total += (double)row[i][a] - mean[a];
    snprintf(text, sizeof text, "multivariate normal, mean %d", a);
    judge(text, erfc(fabs(total / sqrt(M * covariance[a][a])) / sqrt(2)));
    for (int b = 0; b <= a; b++) {
      double product = 0;
      const double c = covariance[a][b], variance = covariance[a][a] * covariance[b][b] + c * c;
      for (int i = 0; i < M; i++) product += ((double)row[i][a] - mean[a]) * ((double)row[i][b] - mean[b]) - c;
      snprintf(text, sizeof text, "multivariate normal, covariance %d %d", a, b);
      judge(text, erfc(fabs(product / sqrt(M * variance)) / sqrt(2)));
    }
  }
  /* the first column is mean + 2 z of weft_normal's numbers */
  static float normal[M][K];
  ok(weft_normal(WEFT_HOST_OUT(normal, WEFT_F32, WEFT_SHAPE(M, K)), again, WEFT_F32, WEFT_SHAPE(M, K), 0, 1));
  for (int i = 0; i < M; i++) ck_assert(fabs((double)(row[i][0] - 1 - 2 * normal[i][0])) < 1e-5);
  weft_rng_release(&rng);
  weft_rng_release(&again);
  harness_count(M);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "shapes");
  tcase_add_loop_test(c, as_distributed, 0, ROWS);
  tcase_add_loop_test(c, same_everywhere, 0, ROWS);
  tcase_add_test(c, binomial);
  tcase_add_test(c, geometric);
  tcase_add_test(c, negative_binomial);
  tcase_add_test(c, counts_everywhere);
  tcase_add_test(c, dirichlet);
  tcase_add_test(c, multinomial);
  tcase_add_test(c, multivariate_normal);
}

int main(void) {
  static const harness_suite suite = {.name = "random_shapes", .add = add};
  return harness_main(&suite);
}
