// SPDX-License-Identifier: MIT
/// The basic distributions of random numbers: chi-square, Kolmogorov-Smirnov, moments and serial correlation, with
/// fixed seeds, so that results are reproducible. The p-values are printed and must not be extreme: a correct generator
/// falls below LEAST once in several thousand tests, and the seeds are chosen such that it does not.
#include <float.h>
#include <stdio.h>

#include "goodness.h"

/* ---- tests ---- */

START_TEST(uniform)
{
  for (int generator = 0; generator < 2; generator++) {
    weft_rng *rng = make_rng(11 + (uint64_t)generator, (weft_generator)generator);
    const double range[] = {0, 1}, other[] = {-2, 5};
    DRAW_SINGLE(weft_uniform, 0, 1);
    take_single();
    for (int i = 0; i < N; i++) ck_assert(value[i] >= 0 && value[i] < 1);
    moments("uniform f32", 0.5, 1.0 / 12, 1.0 / 80);
    judge("uniform f32, KS", ks(below_uniform, range));
    if (harness_has_dtype(WEFT_F64)) {
      DRAW_VALUE(weft_uniform, -2, 5);
      moments("uniform f64", 1.5, 49.0 / 12, 2401.0 / 80);
      judge("uniform f64, KS", ks(below_uniform, other));
    }
    weft_rng_release(&rng);
  }
}
END_TEST

START_TEST(bits)
{
  /* each bit of a word; pairs of bytes, within words and across words */
  static uint32_t word[N];
  weft_rng *rng = make_rng(21, WEFT_PHILOX4X32);
  ok(weft_random_bits(WEFT_HOST_OUT(word, WEFT_U32, WEFT_SHAPE(N)), rng, WEFT_U32, WEFT_SHAPE(N)));
  double chi_square = 0;
  for (int b = 0; b < 32; b++) {
    double ones = 0;
    for (int i = 0; i < N; i++) ones += word[i] >> b & 1;
    chi_square += (ones - N / 2.0) * (ones - N / 2.0) / (N / 4.0);
  }
  judge("bits, each of 32", chi_square_p(chi_square, 32));
  for (int apart = 0; apart <= 5; apart++) {
    static int count[65536];
    char text[40];
    memset(count, 0, sizeof count);
    chi_square = 0;
    for (int i = 0; i + apart < N; i++) count[(word[i] & 0xff) << 8 | word[i + apart] >> 24]++;
    const double expected = (N - apart) / 65536.0;
    for (int k = 0; k < 65536; k++) chi_square += (count[k] - expected) * (count[k] - expected) / expected;
    snprintf(text, sizeof text, "bits, bytes of words %d apart", apart);
    judge(text, chi_square_p(chi_square, 65535));
  }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(streams_are_independent)
{
  /* one number from each of many streams: consecutive seeds, and children of one generator */
  for (int children = 0; children < 2; children++) {
    weft_rng *parent = make_rng(77, WEFT_PHILOX4X32);
    double chi_square = 0;
    int count[256] = {0};
    for (int k = 0; k < 400; k++) {
      weft_rng *rng = NULL;
      uint32_t two[16];
      if (children)
        ok(weft_rng_split(&rng, parent));
      else
        rng = make_rng((uint64_t)k, WEFT_PHILOX4X32);
      ok(weft_random_bits(WEFT_HOST_OUT(two, WEFT_U32, WEFT_SHAPE(16)), rng, WEFT_U32, WEFT_SHAPE(16)));
      for (int i = 0; i < 16; i++) count[two[i] >> 24]++;
      weft_rng_release(&rng);
    }
    for (int k = 0; k < 256; k++) chi_square += (count[k] - 25.0) * (count[k] - 25.0) / 25.0;
    judge(children ? "first words of 400 children" : "first words of seeds 0 to 399", chi_square_p(chi_square, 255));
    weft_rng_release(&parent);
  }
}
END_TEST

START_TEST(normal)
{
  const double standard[] = {0, 1}, other[] = {-3, 2.5};
  for (int generator = 0; generator < 2; generator++) {
    weft_rng *rng = make_rng(31 + (uint64_t)generator, (weft_generator)generator);
    DRAW_SINGLE(weft_normal, 0, 1);
    take_single();
    moments("normal f32", 0, 1, 3);
    double third = 0, squares = 0;
    for (int i = 0; i < N; i++) third += value[i] * value[i] * value[i];
    judge("normal f32, third moment", erfc(fabs(third / sqrt(15.0 * N)) / sqrt(2)));
    /* the squares of a pair's two numbers are independent too */
    for (int i = 0; i < N; i += 2) squares += (value[i] * value[i] - 1) * (value[i + 1] * value[i + 1] - 1);
    judge("normal f32, squares of pairs", erfc(fabs(squares / sqrt(4.0 * N / 2)) / sqrt(2)));
    judge("normal f32, KS", ks(below_normal, standard));
    if (harness_has_dtype(WEFT_F64)) {
      DRAW_VALUE(weft_normal, -3, 2.5);
      moments("normal f64", -3, 6.25, 3 * 6.25 * 6.25);
      judge("normal f64, KS", ks(below_normal, other));
    }
    weft_rng_release(&rng);
  }
}
END_TEST

START_TEST(functions_are_exact)
{
  /* normals and exponentials against the C library's functions of their words */
  enum { EXACT = 20000 };
  static uint32_t word[EXACT];
  static float normal_got[EXACT], exponential_got[EXACT];
  double worst = 0, worst_log = 0;
  weft_rng *rng = make_rng(41, WEFT_PHILOX4X32);
  ok(weft_random_bits(WEFT_HOST_OUT(word, WEFT_U32, WEFT_SHAPE(EXACT)), rng, WEFT_U32, WEFT_SHAPE(EXACT)));
  weft_rng_release(&rng);
  rng = make_rng(41, WEFT_PHILOX4X32);
  ok(weft_normal(WEFT_HOST_OUT(normal_got, WEFT_F32, WEFT_SHAPE(EXACT)), rng, WEFT_F32, WEFT_SHAPE(EXACT), 0, 1));
  weft_rng_release(&rng);
  rng = make_rng(41, WEFT_PHILOX4X32);
  ok(weft_exponential(WEFT_HOST_OUT(exponential_got, WEFT_F32, WEFT_SHAPE(EXACT)), rng, WEFT_F32, WEFT_SHAPE(EXACT),
                      1));
  for (int i = 0; i < EXACT; i++) {
    const float rounded = fmaf((float)word[i], 0x1.fffffep-1f, 0.5f);
    const double exact = -log((double)rounded * 0x1p-32);
    worst_log = fmax(worst_log, fabs((double)exponential_got[i] - exact) / (ldexp(1, ilogb(exact)) * 0x1p-23));
    if (i % 2) continue;
    const double angle = (double)(float)(int32_t)(word[i + 1] << 2) * 0x1p-33 * acos(-1), radius = sqrt(2 * exact);
    double x = radius * cos(angle), y = radius * sin(angle);
    if (word[i + 1] >> 31) x = -x, y = -y;
    const bool swap = word[i + 1] >> 30 & 1;
    const double error =
        fmax(fabs((double)normal_got[i] - (swap ? y : x)), fabs((double)normal_got[i + 1] - (swap ? x : y)));
    worst = fmax(worst, error / (ldexp(1, ilogb(radius)) * 0x1p-23));
  }
  printf("  exponential within %.2f ULP, normal within %.2f ULP of its radius\n", worst_log, worst);
  ck_assert(worst_log < 2.5 && worst < 2.5);
  weft_rng_release(&rng);
  harness_count(2 * EXACT);
}
END_TEST

START_TEST(exponential)
{
  const double mean[] = {2.5};
  weft_rng *rng = make_rng(51, WEFT_PHILOX4X32);
  DRAW_SINGLE(weft_exponential, 2.5);
  take_single();
  moments("exponential f32", 2.5, 6.25, 9 * 39.0625);
  judge("exponential f32, KS", ks(below_exponential, mean));
  if (harness_has_dtype(WEFT_F64)) {
    DRAW_VALUE(weft_exponential, 2.5);
    moments("exponential f64", 2.5, 6.25, 9 * 39.0625);
    judge("exponential f64, KS", ks(below_exponential, mean));
  }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(gamma_numbers)
{
  static const double shapes[] = {0.05, 0.5, 1, 2.5, 100, 1e5};
  char text[60];
  weft_rng *rng = make_rng(61, WEFT_PHILOX4X32);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int is_f64 = 0; is_f64 < 2; is_f64++) {
      const double a = shapes[k], parameter[] = {a, 3};
      if (is_f64 && !harness_has_dtype(WEFT_F64)) continue;
      if (is_f64)
        DRAW_VALUE(weft_gamma, a, 3);
      else
        DRAW_SINGLE(weft_gamma, a, 3);
      if (!is_f64) take_single();
      snprintf(text, sizeof text, "gamma(%g) %s", a, is_f64 ? "f64" : "f32");
      moments(text, 3 * a, 9 * a, 81 * (3 * a * a + 6 * a));
      /* f32's smallest number is 1e-38: one in fifty of gamma(0.05) is below it */
      if (a < 0.1 && !is_f64) continue;
      snprintf(text, sizeof text, "gamma(%g) %s, KS", a, is_f64 ? "f64" : "f32");
      judge(text, ks(below_gamma, parameter));
    }
  weft_rng_release(&rng);
}
END_TEST

static double poisson_probability(double k, double lambda) {
  return exp(k * log(lambda) - lambda - lgamma(k + 1));
}
static double equal_probability(double k, double kinds) {
  (void)k;
  return 1 / kinds;
}

START_TEST(poisson)
{
  static const double means[] = {0.1, 1, 4, 9.99, 10, 30, 250, 1e4};
  char text[60];
  weft_rng *rng = make_rng(71, WEFT_PHILOX4X32);
  DRAW_WHOLE(weft_poisson, 0);
  for (int i = 0; i < N; i++) ck_assert_int_eq(whole[i], 0);
  for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
    const double mean = means[k];
    if (mean >= 10 && !harness_has_dtype(WEFT_F64)) continue;
    DRAW_WHOLE(weft_poisson, mean);
    const double low = fmax(0, floor(mean - 6 * sqrt(mean)));
    snprintf(text, sizeof text, "poisson(%g)", mean);
    judge(text, counts_p((int64_t)low, (int)(mean + 6 * sqrt(mean) + 10 - low), poisson_probability, mean));
    for (int i = 0; i < N; i++) value[i] = (double)whole[i];
    moments(text, mean, mean, mean * (1 + 3 * mean));
  }
  if (harness_has_dtype(WEFT_F64)) { /* no precision is lost with a large mean */
    const double mean = 1e12;
    DRAW_WHOLE(weft_poisson, mean);
    for (int i = 0; i < N; i++) value[i] = (double)whole[i] - mean;
    moments("poisson(1e12)", 0, mean, 3 * mean * mean);
    const double parameter[] = {0, 1e6};
    judge("poisson(1e12), KS", ks(below_normal, parameter));
  }
  weft_rng_release(&rng);
}
END_TEST

START_TEST(integers_and_bernoulli)
{
  static const int sizes[] = {2, 3, 7, 10, 100, 1000};
  static uint8_t flag[N];
  char text[60];
  weft_rng *rng = make_rng(81, WEFT_PHILOX4X32);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    DRAW_WHOLE(weft_integers, -5, sizes[k] - 5);
    snprintf(text, sizeof text, "integers, %d of them", sizes[k]);
    judge(text, counts_p(-5, sizes[k], equal_probability, sizes[k]));
  }
  /* sizes for which many words are retried: the thirds of the range are equally likely */
  const int64_t great[] = {INT64_C(3) << 30, INT64_C(0x80000001), INT64_C(3) << 61, INT64_MAX / 2 + 2};
  for (int k = 0; k < 4; k++) {
    DRAW_WHOLE(weft_integers, 0, great[k]);
    for (int i = 0; i < N; i++) {
      ck_assert(whole[i] >= 0 && whole[i] < great[k]);
      whole[i] = (int64_t)((double)whole[i] / (double)great[k] * 30);
    }
    snprintf(text, sizeof text, "integers below %" PRId64, great[k]);
    judge(text, counts_p(0, 30, equal_probability, 30));
  }
  for (int k = 0; k <= 4; k++) {
    const double p = k / 4.0;
    ok(weft_bernoulli(WEFT_HOST_OUT(flag, WEFT_BOOL, WEFT_SHAPE(N)), rng, WEFT_BOOL, WEFT_SHAPE(N), p));
    double ones = 0;
    for (int i = 0; i < N; i++) ones += flag[i];
    snprintf(text, sizeof text, "bernoulli(%g)", p);
    if (k == 0 || k == 4)
      ck_assert(ones == p * N);
    else
      judge(text, erfc(fabs(ones - p * N) / sqrt(N * p * (1 - p)) / sqrt(2)));
  }
  weft_rng_release(&rng);
}
END_TEST

/// The extremes of valid parameters: every draw ends, with a value of the distribution.
START_TEST(extreme_parameters)
{
  float f[1000];
  double d[1000];
  const weft_shape shape = WEFT_SHAPE(1000);
  weft_rng *rng = make_rng(83, WEFT_PHILOX4X32);
  static const double least[] = {DBL_TRUE_MIN, DBL_MIN, 0x1p-1000, FLT_TRUE_MIN};
  for (int k = 0; k < 4; k++) {
    ok(weft_gamma(WEFT_HOST_OUT(f, WEFT_F32, shape), rng, WEFT_F32, shape, least[k], 1));
    for (int i = 0; i < 1000; i++) ck_assert(f[i] == 0);
    if (!harness_has_dtype(WEFT_F64)) continue;
    ok(weft_gamma(WEFT_HOST_OUT(d, WEFT_F64, shape), rng, WEFT_F64, shape, least[k], 1));
    for (int i = 0; i < 1000; i++) ck_assert(d[i] == 0);
  }
  /* the deviation, sqrt(k), is below f32's resolution at k */
  static const double great[] = {1e12, 1e15, 1e20, 1e30, FLT_MAX};
  for (int k = 0; k < 5; k++) {
    ok(weft_gamma(WEFT_HOST_OUT(f, WEFT_F32, shape), rng, WEFT_F32, shape, great[k], 0.5));
    for (int i = 0; i < 1000; i++) ck_assert(fabs((double)f[i] / great[k] - 0.5) < 1e-5);
  }
  if (harness_has_dtype(WEFT_F64)) {
    ok(weft_gamma(WEFT_HOST_OUT(d, WEFT_F64, shape), rng, WEFT_F64, shape, DBL_MAX, 0.5));
    for (int i = 0; i < 1000; i++) ck_assert(fabs(d[i] / DBL_MAX - 0.5) < 1e-12);
    ok(weft_poisson(WEFT_HOST_OUT(whole, WEFT_I64, shape), rng, WEFT_I64, shape, 0x1p50));
    for (int i = 0; i < 1000; i++) ck_assert(fabs((double)whole[i] - 0x1p50) < 8 * 0x1p25);
  }
  ok(weft_poisson(WEFT_HOST_OUT(whole, WEFT_I64, shape), rng, WEFT_I64, shape, DBL_TRUE_MIN));
  for (int i = 0; i < 1000; i++) ck_assert(whole[i] == 0);
  ok(weft_normal(WEFT_HOST_OUT(f, WEFT_F32, shape), rng, WEFT_F32, shape, 1, DBL_TRUE_MIN));
  for (int i = 0; i < 1000; i++) ck_assert(f[i] == 1);
  ok(weft_exponential(WEFT_HOST_OUT(f, WEFT_F32, shape), rng, WEFT_F32, shape, DBL_TRUE_MIN));
  for (int i = 0; i < 1000; i++) ck_assert(f[i] == 0);
  harness_count(17 * 1000);
  weft_rng_release(&rng);
}
END_TEST

START_TEST(parts_by_rejection)
{
  /* gamma and Poisson numbers depend neither on the retries of other elements nor on the parts of a draw; f16 is f32
     rounded */
  float whole_draw[1000], part[1000];
  weft_f16 half[1000];
  for (int generator = 0; generator < 2; generator++) {
    weft_rng *a = make_rng(91, (weft_generator)generator), *b = make_rng(91, (weft_generator)generator),
             *c = make_rng(91, (weft_generator)generator);
    ok(weft_rng_skip(a, 3));
    ok(weft_rng_skip(b, 3));
    ok(weft_gamma(WEFT_HOST_OUT(whole_draw, WEFT_F32, WEFT_SHAPE(1000)), a, WEFT_F32, WEFT_SHAPE(1000), 0.7, 2));
    ok(weft_gamma(WEFT_HOST_OUT(part, WEFT_F32, WEFT_SHAPE(337)), b, WEFT_F32, WEFT_SHAPE(337), 0.7, 2));
    ok(weft_gamma(WEFT_HOST_OUT(part + 337, WEFT_F32, WEFT_SHAPE(663)), b, WEFT_F32, WEFT_SHAPE(663), 0.7, 2));
    ck_assert_mem_eq(whole_draw, part, sizeof part);
    ok(weft_rng_skip(c, 8));
    ok(weft_gamma(WEFT_HOST_OUT(half, WEFT_F16, WEFT_SHAPE(1000)), c, WEFT_F16, WEFT_SHAPE(1000), 0.7, 2));
    for (int i = 0; i < 1000; i++) ck_assert_uint_eq(half[i].bits, weft_f16_from_double((double)whole_draw[i]).bits);
    weft_rng_release(&a);
    weft_rng_release(&b);
    weft_rng_release(&c);
    harness_count(2000);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "distributions");
  tcase_add_test(c, uniform);
  tcase_add_test(c, bits);
  tcase_add_test(c, streams_are_independent);
  tcase_add_test(c, normal);
  tcase_add_test(c, functions_are_exact);
  tcase_add_test(c, exponential);
  tcase_add_test(c, gamma_numbers);
  tcase_add_test(c, poisson);
  tcase_add_test(c, integers_and_bernoulli);
  tcase_add_test(c, extreme_parameters);
  tcase_add_test(c, parts_by_rejection);
}

int main(void) {
  static const harness_suite suite = {.name = "random_stats", .add = add};
  return harness_main(&suite);
}
