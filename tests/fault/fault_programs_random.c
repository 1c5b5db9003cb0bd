// SPDX-License-Identifier: MIT
// The programs about random numbers: a failed call leaves the generator and the results unchanged.
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { N = 8 };

/// Whether a generator's state equals `before`.
static bool same_place(const weft_rng *rng, const weft_rng_state *before) {
  weft_rng_state now;
  return weft_rng_get_state(&now, rng) == WEFT_OK && memcmp(&now, before, sizeof now) == 0;
}

/// A draw; a failed draw must leave the generator unchanged.
#define DRAW(call)                                          \
  do {                                                      \
    weft_rng_state before_;                                 \
    TRY(weft_rng_get_state(&before_, rng));                 \
    weft_status drawn_ = (call);                            \
    if (drawn_ != WEFT_OK) KEPT(same_place(rng, &before_)); \
    TRY(drawn_);                                            \
  } while (0)

/// Generators, and each distribution.
int program_random_draws(int argc, char **argv) {
  int status = 0;
  float host[N], again[N];
  weft_rng_state state;
  weft_context *context = NULL;
  weft_rng *rng = NULL, *child = NULL;
  weft_array *x = NULL, *y = NULL, *given = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&rng, weft_rng_create(&rng, .seed = 1, .context = context));
  MAKE(&child, weft_rng_split(&child, rng));
  TRY(weft_rng_skip(child, 3));
  TRY(weft_rng_jump(child));
  TRY(weft_rng_get_state(&state, rng));
  DRAW(weft_uniform(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  TRY(weft_to_host(host, sizeof host, x));
  TRY(weft_rng_set_state(rng, &state));
  DRAW(weft_uniform(WEFT_HOST_OUT(again, WEFT_F32, WEFT_SHAPE(N)), rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  KEPT(memcmp(host, again, sizeof host) == 0);
  DRAW(weft_normal(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  DRAW(weft_exponential(&x, rng, WEFT_F32, WEFT_SHAPE(N), 1));
  DRAW(weft_gamma(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2, 1));
  DRAW(weft_random_bits(&y, rng, WEFT_U32, WEFT_SHAPE(N)));
  DRAW(weft_integers(&y, rng, WEFT_U32, WEFT_SHAPE(N), 0, 6));
  DRAW(weft_poisson(&y, rng, WEFT_U32, WEFT_SHAPE(N), 3));
  DRAW(weft_bernoulli(&given, rng, WEFT_BOOL, WEFT_SHAPE(N), 0.5));
  FAILS(WEFT_ERROR_DTYPE, weft_uniform(&given, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&given);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_rng_release(&child);
  weft_rng_retain(rng);
  weft_rng *once = rng;
  weft_rng_release(&once);
  weft_rng_release(&rng);
  weft_context_release(&context);
  return status;
}

/// Distributions made of other ones.
int program_random_forms(int argc, char **argv) {
  int status = 0;
  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_device_info device;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&rng, weft_rng_create(&rng, .seed = 1, .context = context));
  DRAW(weft_lognormal(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  DRAW(weft_laplace(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  DRAW(weft_logistic(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  DRAW(weft_gumbel(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  DRAW(weft_weibull(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2));
  DRAW(weft_pareto(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2));
  DRAW(weft_rayleigh(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2));
  DRAW(weft_triangular(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1, 2));
  DRAW(weft_chisquare(&x, rng, WEFT_F32, WEFT_SHAPE(N), 3));
  DRAW(weft_beta(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2, 3));
  DRAW(weft_f_ratio(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2, 3));
  DRAW(weft_standard_t(&x, rng, WEFT_F32, WEFT_SHAPE(N), 2));
  DRAW(weft_vonmises(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 2));
  DRAW(weft_truncated_normal(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  DRAW(weft_binomial(&y, rng, WEFT_I32, WEFT_SHAPE(N), 9, 0.5));
  TRY(weft_context_get_device(&device, context));
  if (device.has_fp64) {
    DRAW(weft_geometric(&y, rng, WEFT_I32, WEFT_SHAPE(N), 0.5));
    DRAW(weft_negative_binomial(&y, rng, WEFT_I32, WEFT_SHAPE(N), 2, 0.5));
  }
  FAILS(WEFT_ERROR_ARGUMENT, weft_beta(&x, rng, WEFT_F32, WEFT_SHAPE(N), 0, 1));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&y);
  weft_array_release(&x);
  weft_rng_release(&rng);
  weft_context_release(&context);
  return status;
}

/// Distributions of rows, which need scratch and other functions, and Sobol points.
int program_random_rows(int argc, char **argv) {
  int status = 0;
  static const float mean[2] = {1, 2}, covariance[4] = {2, 0.5f, 0.5f, 1};
  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x = NULL, *points = NULL, *more = NULL, *counts = NULL;
  weft_device_info device;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&rng, weft_rng_create(&rng, .seed = 1, .context = context));
  DRAW(weft_multivariate_normal(&x, rng, WEFT_F32, WEFT_SHAPE(N), WEFT_HOST(mean, WEFT_F32, WEFT_SHAPE(2)),
                                WEFT_HOST(covariance, WEFT_F32, WEFT_SHAPE(2, 2))));
  DRAW(weft_dirichlet(&x, rng, WEFT_F32, WEFT_SHAPE(N), WEFT_HOST(mean, WEFT_F32, WEFT_SHAPE(2))));
  DRAW(weft_sobol(&points, rng, WEFT_F32, N, 2));
  DRAW(weft_sobol(&more, rng, WEFT_F32, N, 6));
  TRY(weft_context_get_device(&device, context));
  if (device.has_fp64)
    DRAW(weft_multinomial(&counts, rng, WEFT_I32, WEFT_SHAPE(N), 5, WEFT_HOST(mean, WEFT_F32, WEFT_SHAPE(2))));
  FAILS(WEFT_ERROR_ARGUMENT, weft_sobol(&points, rng, WEFT_F32, N, 5716));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&counts);
  weft_array_release(&more);
  weft_array_release(&points);
  weft_array_release(&x);
  weft_rng_release(&rng);
  weft_context_release(&context);
  return status;
}

/// Permutations and samples, which need scratch.
int program_permutations(int argc, char **argv) {
  int status = 0;
  int64_t order[N];
  int32_t rows[N];
  bool seen[N] = {false};
  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x = NULL, *weights = NULL, *some = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&rng, weft_rng_create(&rng, .seed = 1, .context = context));
  DRAW(weft_permutation(WEFT_HOST_OUT(order, WEFT_I64, WEFT_SHAPE(N)), rng, N));
  for (int i = 0; i < N; i++) {
    KEPT(order[i] >= 0 && order[i] < N && !seen[order[i]]);
    seen[order[i]] = true;
  }
  MAKE(&x, weft_arange(&x, context, WEFT_I32, 0, N, 1));
  DRAW(weft_shuffle(&x, rng, x));
  TRY(weft_to_host(rows, sizeof rows, x));
  MAKE(&weights, weft_ones(&weights, context, WEFT_F32, WEFT_SHAPE(N)));
  DRAW(weft_choice(&some, rng, x, 3, .unique = true));
  weft_device_info device;
  TRY(weft_context_get_device(&device, context));
  if (device.has_fp64) DRAW(weft_choice(&some, rng, x, 3, .weights = weights));
  FAILS(WEFT_ERROR_ARGUMENT, weft_choice(&some, rng, x, N + 1, .unique = true));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&some);
  weft_array_release(&weights);
  weft_array_release(&x);
  weft_rng_release(&rng);
  weft_context_release(&context);
  return status;
}
