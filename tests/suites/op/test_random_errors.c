// SPDX-License-Identifier: MIT
/// Refused random calls and their errors; afterwards generator and results are unchanged.
#include "harness.h"

static weft_rng *rng;
static weft_array *out;

static void setup(void) {
  harness_context_open();
  rng = NULL;
  out = NULL;
  ok(weft_rng_create(&rng, .seed = 1, .context = ctx));
}

static void teardown(void) {
  weft_rng_state state;
  ck_assert_ptr_null(out);
  ok(weft_rng_get_state(&state, rng));
  ck_assert_uint_eq(state.position, 0);
  weft_rng_release(&rng);
  harness_context_close();
}

START_TEST(generators)
{
  weft_rng *none = NULL;
  weft_rng_state state;
  expect_error(weft_rng_create((weft_rng **)NULL), WEFT_ERROR_ARGUMENT, "weft_rng_create: `out` is NULL", "@out");
  expect_error(weft_rng_create(&rng), WEFT_ERROR_ARGUMENT, "`*out` is not NULL", "@out");
  expect_error(weft_rng_create(&none, .generator = (weft_generator)7), WEFT_ERROR_ARGUMENT,
               "`generator` is 7; expected WEFT_PHILOX4X32 or WEFT_PHILOX4X64");
  expect_error(weft_rng_create(&none, .context = harness_garbage()), WEFT_ERROR_HANDLE, "context");
  expect_error(weft_rng_split(&none, NULL), WEFT_ERROR_HANDLE, "`rng` is NULL; expected a weft_rng", "@rng");
  expect_error(weft_rng_split(&none, harness_garbage()), WEFT_ERROR_HANDLE, "`rng` is not a live weft_rng");
  expect_error(weft_rng_skip(NULL, 1), WEFT_ERROR_HANDLE, "@rng");
  expect_error(weft_rng_jump(harness_zeroed()), WEFT_ERROR_HANDLE, "@rng");
  expect_error(weft_rng_get_state(NULL, rng), WEFT_ERROR_ARGUMENT, "@state");
  expect_error(weft_rng_get_state(&state, NULL), WEFT_ERROR_HANDLE, "@rng");
  expect_error(weft_rng_set_state(rng, NULL), WEFT_ERROR_ARGUMENT, "@state");
  ck_assert_ptr_null(none);
  ok(weft_rng_get_state(&state, rng));
  const weft_rng_state good = state;
#define REFUSED(member, value)                                                                                    \
  do {                                                                                                            \
    state = good;                                                                                                 \
    state.member = (value);                                                                                       \
    expect_error(weft_rng_set_state(rng, &state), WEFT_ERROR_ARGUMENT, "`state` is not a saved generator: its `", \
                 "@state");                                                                                       \
  } while (0)
  REFUSED(version, 0);
  REFUSED(generator, 2);
  REFUSED(key[1], 1);
  REFUSED(jumps, UINT64_C(1) << 32);
  REFUSED(position, UINT64_MAX);
  REFUSED(spare, 3);
  REFUSED(spare, 1);
  REFUSED(has_kept, 1);
  REFUSED(kept, 1);
  REFUSED(reserved, 1);
  ok(weft_rng_set_state(rng, &good));
  weft_rng *child = NULL;
  state = good;
  state.jumps = UINT32_MAX;
  ok(weft_rng_split(&child, rng));
  ok(weft_rng_set_state(child, &state));
  expect_error(weft_rng_jump(child), WEFT_ERROR_OVERFLOW, "no further stream to jump to", "@rng");
  weft_rng_release(&child);
  weft_rng_release(&child);
  weft_rng_release(NULL);
  ck_assert_ptr_null(weft_rng_retain(NULL));
  harness_count(23);
}
END_TEST

START_TEST(draws)
{
  const weft_shape shape = WEFT_SHAPE(4);
  float host[4];
  expect_error(weft_uniform(&out, NULL, WEFT_F32, shape, 0, 1), WEFT_ERROR_HANDLE, "weft_uniform: `rng` is NULL",
               "@rng");
  expect_error(weft_uniform(&out, rng, WEFT_I32, shape, 0, 1), WEFT_ERROR_DTYPE,
               "`dtype` is i32; expected f16, bf16, f32 or f64", "@dtype");
  expect_error(weft_uniform(&out, rng, (weft_dtype)99, shape, 0, 1), WEFT_ERROR_DTYPE, "99, which is no weft_dtype",
               "@dtype");
  expect_error(weft_uniform(&out, rng, WEFT_F32, shape, NAN, 1), WEFT_ERROR_ARGUMENT,
               "`low` is nan; expected a finite number", "@low");
  expect_error(weft_uniform(&out, rng, WEFT_F32, shape, 0, INFINITY), WEFT_ERROR_ARGUMENT, "@high");
  expect_error(weft_uniform(&out, rng, WEFT_F32, shape, -3e38, 3e38), WEFT_ERROR_OVERFLOW, "is over the greatest f32",
               "@high");
  expect_error(weft_uniform(&out, rng, WEFT_F32, WEFT_SHAPE(-1), 0, 1), WEFT_ERROR_SHAPE, "-1");
  expect_error(weft_uniform(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(3)), rng, WEFT_F32, shape, 0, 1), WEFT_ERROR_SHAPE,
               "@out");
  expect_error(weft_uniform((weft_array **)NULL, rng, WEFT_F32, shape, 0, 1), WEFT_ERROR_ARGUMENT, "@out");
  expect_error(weft_uniform(WEFT_OPERAND(3.0), rng, WEFT_F32, shape, 0, 1), WEFT_ERROR_ARGUMENT,
               "no place for a result", "@out");
  expect_error(weft_normal(&out, rng, WEFT_F32, shape, INFINITY, 1), WEFT_ERROR_ARGUMENT, "@mean");
  expect_error(weft_normal(&out, rng, WEFT_F32, shape, 0, -1), WEFT_ERROR_ARGUMENT,
               "`deviation` is -1; expected a finite number of 0 or more");
  expect_error(weft_exponential(&out, rng, WEFT_F32, shape, -1), WEFT_ERROR_ARGUMENT, "@scale");
  expect_error(weft_gamma(&out, rng, WEFT_F32, shape, 0, 1), WEFT_ERROR_ARGUMENT,
               "`k` is 0; expected a finite number above 0", "@k");
  expect_error(weft_gamma(&out, rng, WEFT_F32, shape, 1, NAN), WEFT_ERROR_ARGUMENT, "@theta");
  expect_error(weft_poisson(&out, rng, WEFT_F32, shape, 1), WEFT_ERROR_DTYPE, "expected an integer dtype", "@dtype");
  expect_error(weft_poisson(&out, rng, WEFT_I64, shape, -1), WEFT_ERROR_ARGUMENT, "@lambda");
  expect_error(weft_poisson(&out, rng, WEFT_I64, shape, 1e16), WEFT_ERROR_ARGUMENT, "2^50", "@lambda");
  expect_error(weft_poisson(&out, rng, WEFT_I8, shape, 60), WEFT_ERROR_OVERFLOW, "i8 cannot hold", "@dtype");
  expect_error(weft_bernoulli(&out, rng, WEFT_F32, shape, 0.5), WEFT_ERROR_DTYPE, "expected bool", "@dtype");
  expect_error(weft_bernoulli(&out, rng, WEFT_BOOL, shape, 1.5), WEFT_ERROR_ARGUMENT,
               "`p` is 1.5; expected a number from 0 to 1", "@p");
  expect_error(weft_bernoulli(&out, rng, WEFT_BOOL, shape, NAN), WEFT_ERROR_ARGUMENT, "@p");
  expect_error(weft_random_bits(&out, rng, WEFT_U8, shape), WEFT_ERROR_DTYPE, "expected u32 or u64", "@dtype");
  expect_error(weft_integers(&out, rng, WEFT_I32, shape, 0.5, 3), WEFT_ERROR_DTYPE, "`low` is f64; expected an integer",
               "@low");
  expect_error(weft_integers(&out, rng, WEFT_I32, shape, 3, 3), WEFT_ERROR_ARGUMENT, "`high` is not above `low`",
               "@high");
  expect_error(weft_integers(&out, rng, WEFT_U8, shape, 0, 257), WEFT_ERROR_OVERFLOW, "u8 cannot hold all", "@high");
  expect_error(weft_integers(&out, rng, WEFT_U8, shape, -1, 5), WEFT_ERROR_OVERFLOW, "@low");
  expect_error(weft_integers(&out, rng, WEFT_I64, shape, 0, UINT64_MAX), WEFT_ERROR_OVERFLOW, "@high");
  expect_error(weft_integers(&out, rng, WEFT_F32, shape, 0, 5), WEFT_ERROR_DTYPE, "@dtype");
  harness_count(29);
}
END_TEST

/// A parameter that fits a double but not f32, in which f32 and f16 are computed: the kernel would receive an infinity.
START_TEST(narrowed_parameters)
{
  const weft_shape shape = WEFT_SHAPE(5);
  for (int is_half = 0; is_half < 2; is_half++) {
    const weft_dtype dtype = is_half ? WEFT_F16 : WEFT_F32;
    expect_error(weft_gamma(&out, rng, dtype, shape, 1e300, 1), WEFT_ERROR_OVERFLOW,
                 "`k` is 1e+300, beyond the range of f32", "@k");
    expect_error(weft_gamma(&out, rng, dtype, shape, 1, 1e39), WEFT_ERROR_OVERFLOW, "draw in f64", "@theta");
    expect_error(weft_gamma(&out, rng, dtype, shape, 4e38, 1e-300), WEFT_ERROR_OVERFLOW, "@k");
    expect_error(weft_normal(&out, rng, dtype, shape, -1e300, 1), WEFT_ERROR_OVERFLOW, "`mean` is -1e+300", "@mean");
    expect_error(weft_normal(&out, rng, dtype, shape, 0, 1e39), WEFT_ERROR_OVERFLOW, "@deviation");
    expect_error(weft_exponential(&out, rng, dtype, shape, 1e39), WEFT_ERROR_OVERFLOW,
                 is_half ? "f16 is computed" : "f32 is computed");
    expect_error(weft_uniform(&out, rng, dtype, shape, 1e300, 1e300), WEFT_ERROR_OVERFLOW, "@low");
    expect_error(weft_uniform(&out, rng, dtype, shape, 0, -1e39), WEFT_ERROR_OVERFLOW, "@high");
    expect_error(weft_gamma(&out, rng, dtype, shape, NAN, 1), WEFT_ERROR_ARGUMENT, "`k` is nan", "@k");
    expect_error(weft_gamma(&out, rng, dtype, shape, INFINITY, 1), WEFT_ERROR_ARGUMENT, "`k` is inf", "@k");
    expect_error(weft_gamma(&out, rng, dtype, shape, -1, 1), WEFT_ERROR_ARGUMENT, "`k` is -1", "@k");
    expect_error(weft_normal(&out, rng, dtype, shape, 0, NAN), WEFT_ERROR_ARGUMENT, "@deviation");
    expect_error(weft_exponential(&out, rng, dtype, shape, NAN), WEFT_ERROR_ARGUMENT, "@scale");
  }
  expect_error(weft_poisson(&out, rng, WEFT_I64, shape, NAN), WEFT_ERROR_ARGUMENT, "@lambda");
  expect_error(weft_poisson(&out, rng, WEFT_I64, shape, INFINITY), WEFT_ERROR_ARGUMENT, "@lambda");
  harness_count(28);
}
END_TEST

START_TEST(shapes)
{
  const weft_shape shape = WEFT_SHAPE(4);
  const float two[2] = {1, 2};
  expect_error(weft_lognormal(&out, rng, WEFT_F32, shape, 0, -1), WEFT_ERROR_ARGUMENT,
               "weft_lognormal: `sigma` is -1; expected a finite number of 0 or more", "@sigma");
  expect_error(weft_laplace(&out, rng, WEFT_F32, shape, NAN, 1), WEFT_ERROR_ARGUMENT, "`loc` is nan", "@loc");
  expect_error(weft_logistic(&out, rng, WEFT_F32, shape, 0, -2), WEFT_ERROR_ARGUMENT, "weft_logistic", "@scale");
  expect_error(weft_gumbel(&out, rng, WEFT_F32, shape, 0, 1e39), WEFT_ERROR_OVERFLOW, "draw in f64", "@scale");
  expect_error(weft_weibull(&out, rng, WEFT_F32, shape, 0), WEFT_ERROR_ARGUMENT, "above 0", "@a");
  expect_error(weft_pareto(&out, rng, WEFT_I32, shape, 1), WEFT_ERROR_DTYPE, "`dtype` is i32", "@dtype");
  expect_error(weft_rayleigh(&out, NULL, WEFT_F32, shape, 1), WEFT_ERROR_HANDLE, "@rng");
  expect_error(weft_triangular(&out, rng, WEFT_F32, shape, 0, 2, 1), WEFT_ERROR_ARGUMENT,
               "are 0, 2 and 1; expected `left` <= `mode` <= `right`", "@mode");
  expect_error(weft_triangular(&out, rng, WEFT_F32, shape, 1, 1, 1), WEFT_ERROR_ARGUMENT, "@mode");
  expect_error(weft_triangular(&out, rng, WEFT_F32, shape, -3e38, 0, 3e38), WEFT_ERROR_OVERFLOW, "@right");
  expect_error(weft_chisquare(&out, rng, WEFT_F32, shape, -1), WEFT_ERROR_ARGUMENT, "@df");
  expect_error(weft_beta(&out, rng, WEFT_F32, shape, 1, 0), WEFT_ERROR_ARGUMENT, "`b` is 0", "@b");
  expect_error(weft_f_ratio(&out, rng, WEFT_F32, shape, 0, 1), WEFT_ERROR_ARGUMENT, "@dfnum");
  expect_error(weft_standard_t(&out, rng, WEFT_F32, shape, 0), WEFT_ERROR_ARGUMENT, "@df");
  expect_error(weft_vonmises(&out, rng, WEFT_F32, shape, 0, -1), WEFT_ERROR_ARGUMENT, "@kappa");
  expect_error(weft_vonmises(&out, rng, WEFT_F32, shape, INFINITY, 1), WEFT_ERROR_ARGUMENT, "@mu");
  expect_error(weft_truncated_normal(&out, rng, WEFT_F32, shape, 1, 1), WEFT_ERROR_ARGUMENT,
               "`low` is 1, `high` is 1; expected a greater `high`", "@high");
  expect_error(weft_truncated_normal(&out, rng, WEFT_F32, shape, NAN, 1), WEFT_ERROR_ARGUMENT, "@high");
  expect_error(weft_truncated_normal(&out, rng, WEFT_F32, shape, 0, 1, .deviation = -1), WEFT_ERROR_ARGUMENT,
               "@deviation");
  expect_error(weft_truncated_normal(&out, rng, WEFT_F32, shape, 1e30, 2e30, .deviation = 1e-10), WEFT_ERROR_OVERFLOW,
               "@low");
  expect_error(weft_binomial(&out, rng, WEFT_I64, shape, -1, 0.5), WEFT_ERROR_ARGUMENT, "`n` is -1", "@n");
  expect_error(weft_binomial(&out, rng, WEFT_I8, shape, 200, 0.5), WEFT_ERROR_OVERFLOW, "i8 cannot hold `n`, 200");
  expect_error(weft_binomial(&out, rng, WEFT_I64, shape, 5, 1.1), WEFT_ERROR_ARGUMENT, "from 0 to 1", "@p");
  expect_error(weft_geometric(&out, rng, WEFT_I64, shape, 0), WEFT_ERROR_ARGUMENT, "above 0 and up to 1", "@p");
  expect_error(weft_geometric(&out, rng, WEFT_I8, shape, 0.01), WEFT_ERROR_OVERFLOW, "i8 cannot hold all geometric");
  expect_error(weft_negative_binomial(&out, rng, WEFT_I64, shape, 0, 0.5), WEFT_ERROR_ARGUMENT, "@n");
  expect_error(weft_negative_binomial(&out, rng, WEFT_I64, shape, 1e15, 0.1), WEFT_ERROR_OVERFLOW, "2^50", "@p");
  expect_error(weft_dirichlet(&out, rng, WEFT_F32, shape, 3.0), WEFT_ERROR_SHAPE, "`alpha` has 0 axes; expected one");
  expect_error(
      weft_dirichlet(&out, rng, WEFT_F32, WEFT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1), WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2))),
      WEFT_ERROR_SHAPE, "expected at most 7", "@shape");
  expect_error(weft_multinomial(&out, rng, WEFT_F32, shape, 3, WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2))),
               WEFT_ERROR_DTYPE, "@dtype");
  expect_error(weft_multinomial(&out, rng, WEFT_I32, shape, -3, WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2))),
               WEFT_ERROR_ARGUMENT, "@n");
  expect_error(weft_multivariate_normal(&out, rng, WEFT_F32, shape, WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2)),
                                        WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2, 1))),
               WEFT_ERROR_SHAPE, "expected a `covariance` of [2, 2]");
  const float indefinite[4] = {1, 2, 2, 1};
  expect_error(weft_multivariate_normal(&out, rng, WEFT_F32, shape, WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2)),
                                        WEFT_HOST(indefinite, WEFT_F32, WEFT_SHAPE(2, 2))),
               WEFT_ERROR_SINGULAR, "not positive definite");
  harness_count(33);
}
END_TEST

START_TEST(given_results)
{
  weft_array *x = NULL, *row = NULL, *wide = NULL;
  int32_t host[4], expected[4] = {9, 9, 9, 9};
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(4), 9));
  expect_error(weft_uniform(&x, rng, WEFT_F32, WEFT_SHAPE(4), 0, 1), WEFT_ERROR_DTYPE, "is not cast to i32", "@out");
  expect_error(weft_integers(&x, rng, WEFT_I32, WEFT_SHAPE(5), 0, 3), WEFT_ERROR_SHAPE,
               "`out` is i32[4], the result is i32[5]", "@out");
  ok(weft_to_host(host, sizeof host, x));
  ck_assert_mem_eq(host, expected, sizeof host);
  ok(weft_slice(&row, x, 0, 0, 1));
  ok(weft_broadcast(&wide, row, WEFT_SHAPE(4)));
  expect_error(weft_integers(&wide, rng, WEFT_I32, WEFT_SHAPE(4), 0, 3), WEFT_ERROR_LAYOUT, "@out");
  weft_array_release(&wide);
  weft_array_release(&row);
  weft_array_release(&x);
  harness_count(3);
}
END_TEST

START_TEST(picks)
{
  weft_array *x = NULL, *empty = NULL, *weights = NULL, *zero = NULL;
  int8_t small[200];
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 10, 1));
  ok(weft_zeros(&empty, ctx, WEFT_I32, WEFT_SHAPE(0)));
  ok(weft_ones(&weights, ctx, WEFT_F32, WEFT_SHAPE(9)));
  ok(weft_zeros(&zero, ctx, WEFT_I32, WEFT_SHAPE_0D));
  expect_error(weft_permutation(&out, rng, -1), WEFT_ERROR_ARGUMENT, "`n` is -1; expected 0 or more", "@n");
  expect_error(weft_permutation(&out, rng, 10, .first = 10), WEFT_ERROR_ARGUMENT, "`.first` is 10; expected 0 to 9",
               "@first");
  expect_error(weft_permutation(&out, rng, 10, .first = 8, .count = 3), WEFT_ERROR_ARGUMENT, "`.count` is 3", "@count");
  expect_error(weft_permutation(WEFT_HOST_OUT(small, WEFT_I8, WEFT_SHAPE(200)), rng, 200), WEFT_ERROR_OVERFLOW,
               "i8 does not hold 199");
  expect_error(weft_shuffle(&out, rng, zero), WEFT_ERROR_SHAPE, "`x` has no axes", "@x");
  expect_error(weft_shuffle(&out, rng, 5), WEFT_ERROR_SHAPE, "@x");
  expect_error(weft_shuffle(&out, rng, (weft_array *)NULL), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_choice(&out, rng, x, -1), WEFT_ERROR_ARGUMENT, "`count` is -1", "@count");
  expect_error(weft_choice(&out, rng, empty, 3), WEFT_ERROR_SHAPE, "`x` has no rows to choose 3 from", "@x");
  expect_error(weft_choice(&out, rng, x, 11, .unique = true), WEFT_ERROR_ARGUMENT, "only 10 rows", "@count");
  expect_error(weft_choice(&out, rng, x, 3, .weights = weights), WEFT_ERROR_SHAPE, "1 axes and 9 elements", "10 rows");
  weft_array_release(&zero);
  weft_array_release(&weights);
  weft_array_release(&empty);
  weft_array_release(&x);
  harness_count(9);
}
END_TEST

START_TEST(without_fp64)
{
  weft_array *x = NULL, *weights = NULL;
  if (device.has_fp64) return;
  expect_error(weft_uniform(&out, rng, WEFT_F64, WEFT_SHAPE(3), 0, 1), WEFT_ERROR_UNSUPPORTED, "f64");
  expect_error(weft_poisson(&out, rng, WEFT_I32, WEFT_SHAPE(3), 20), WEFT_ERROR_UNSUPPORTED, "f64");
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 10, 1));
  ok(weft_ones(&weights, ctx, WEFT_F32, WEFT_SHAPE(10)));
  expect_error(weft_choice(&out, rng, x, 3, .weights = weights), WEFT_ERROR_UNSUPPORTED, "f64");
  weft_array_release(&weights);
  weft_array_release(&x);
  harness_count(3);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = tcase_create("errors");
  suite_add_tcase(suite, c);
  tcase_set_timeout(c, 120);
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, generators);
  tcase_add_test(c, draws);
  tcase_add_test(c, narrowed_parameters);
  tcase_add_test(c, shapes);
  tcase_add_test(c, given_results);
  tcase_add_test(c, picks);
  tcase_add_test(c, without_fp64);
}

int main(void) {
  static const harness_suite suite = {.name = "random_errors", .add = add};
  return harness_main(&suite);
}
