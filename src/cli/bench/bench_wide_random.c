// SPDX-License-Identifier: MIT
/// Rows of `weft bench wide`: random numbers.
#include "cli/bench/bench_wide.h"

// clang-format off
#define ROWS(X) \
  X(random_bits, weft_random_bits(&w->y, w->rng, WEFT_U32, WEFT_SHAPE(w->n))) \
  X(uniform, weft_uniform(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(uniform_f64, weft_uniform(&w->y, w->rng, WEFT_F64, WEFT_SHAPE(w->n), 0, 1)) \
  X(normal, weft_normal(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(normal_f64, weft_normal(&w->y, w->rng, WEFT_F64, WEFT_SHAPE(w->n), 0, 1)) \
  X(exponential, weft_exponential(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 1)) \
  X(lognormal, weft_lognormal(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(laplace, weft_laplace(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(logistic, weft_logistic(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(gumbel, weft_gumbel(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(weibull, weft_weibull(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 1.5)) \
  X(pareto, weft_pareto(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 3)) \
  X(rayleigh, weft_rayleigh(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 1)) \
  X(triangular, weft_triangular(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 0.3, 1)) \
  X(bernoulli, weft_bernoulli(&w->y, w->rng, WEFT_BOOL, WEFT_SHAPE(w->n), 0.3)) \
  X(integers, weft_integers(&w->y, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0, 1000)) \
  X(integers_i32, weft_integers(&w->y, w->rng, WEFT_I32, WEFT_SHAPE(w->n), 0, 1000)) \
  X(gamma, weft_gamma(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 2, 1)) \
  X(chisquare, weft_chisquare(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 3)) \
  X(beta, weft_beta(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 2, 3)) \
  X(f_ratio, weft_f_ratio(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 3, 10)) \
  X(standard_t, weft_standard_t(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 5)) \
  X(vonmises, weft_vonmises(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(truncated_normal, weft_truncated_normal(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n), -1, 2)) \
  X(poisson, weft_poisson(&w->y, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 4)) \
  X(binomial, weft_binomial(&w->y, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 100, 0.3)) \
  X(geometric, weft_geometric(&w->y, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0.3)) \
  X(negative_binomial, weft_negative_binomial(&w->y, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 5, 0.5)) \
  X(dirichlet, weft_dirichlet(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n / 4), w->weights)) \
  X(multinomial, weft_multinomial(&w->y, w->rng, WEFT_I32, WEFT_SHAPE(w->n / 4), 20, w->weights)) \
  X(multivariate_normal, weft_multivariate_normal(&w->y, w->rng, WEFT_F32, WEFT_SHAPE(w->n / 2), \
    w->mean, w->covariance)) \
  X(sobol, weft_sobol(&w->y, NULL, WEFT_F32, w->n / 4, 4, .context = w->context)) \
  X(sobol_64, weft_sobol(&w->y, NULL, WEFT_F32, w->n / 64, 64, .context = w->context)) \
  X(permutation, weft_permutation(&w->y, w->rng, w->n)) \
  X(shuffle, weft_shuffle(&w->y, w->rng, w->a)) \
  X(choice, weft_choice(&w->y, w->rng, w->a, w->n)) \
  X(choice_unique, weft_choice(&w->y, w->rng, w->a, w->n / 2, .unique = true))
// clang-format on

WIDE_TABLE(wide_random)
