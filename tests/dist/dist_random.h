// SPDX-License-Identifier: MIT
/// The distributions that dist_suite compares with one device.
#ifndef WEFT_TESTS_DIST_RANDOM_H
#define WEFT_TESTS_DIST_RANDOM_H

#include "dist_support.h"

/* `...`: the shape and the parameters */
#define DISTRIBUTION(name, distribution, ...)                                                             \
  static weft_status dist_##name(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype, \
                                 weft_shape shape) {                                                      \
    return weft_dist_##distribution(out, grid, rng, dtype, __VA_ARGS__);                                  \
  }                                                                                                       \
  static weft_status plain_##name(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape) {  \
    return weft_##distribution(out, rng, dtype, __VA_ARGS__);                                             \
  }
DISTRIBUTION(uniform, uniform, shape, -1, 2)
DISTRIBUTION(normal, normal, shape, 1, 2)
DISTRIBUTION(integers, integers, shape, -5, 100)
DISTRIBUTION(long_integers, integers, shape, 5, (int64_t)3 << 40)
DISTRIBUTION(random_bits, random_bits, shape)
DISTRIBUTION(exponential, exponential, shape, 2)
DISTRIBUTION(bernoulli, bernoulli, shape, 0.3)
DISTRIBUTION(gamma, gamma, shape, 2.5, 1.5)
DISTRIBUTION(small_gamma, gamma, shape, 0.2, 1)
DISTRIBUTION(poisson, poisson, shape, 3)
DISTRIBUTION(large_poisson, poisson, shape, 50)
#undef DISTRIBUTION

/* by weft_dist_draw; `...`: the parameters */
#define DRAWN(name, ...)                                                                                            \
  static weft_status plain_##name(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape) {            \
    return weft_##name(out, rng, dtype, shape, __VA_ARGS__);                                                        \
  }                                                                                                                 \
  static weft_status call_##name(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape, void *user) { \
    (void)user;                                                                                                     \
    return plain_##name(out, rng, dtype, shape);                                                                    \
  }                                                                                                                 \
  static weft_status dist_##name(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,           \
                                 weft_shape shape) {                                                                \
    return weft_dist_draw(out, grid, rng, dtype, shape, call_##name, NULL);                                         \
  }
DRAWN(laplace, 1, 2)
DRAWN(beta, 2, 3)
DRAWN(binomial, 20, 0.3)
#undef DRAWN

static const struct {
  const char *name;
  weft_status (*dist)(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype, weft_shape shape);
  weft_status (*plain)(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape);
  weft_dtype dtypes[2];
} distributions[] = {
    {"uniform", dist_uniform, plain_uniform, {WEFT_F32, WEFT_F64}},
    {"normal", dist_normal, plain_normal, {WEFT_F32, WEFT_F64}},
    {"integers", dist_integers, plain_integers, {WEFT_I32, WEFT_I8}},
    {"long integers", dist_long_integers, plain_long_integers, {WEFT_I64, WEFT_U64}},
    {"random_bits", dist_random_bits, plain_random_bits, {WEFT_U32, WEFT_U64}},
    {"exponential", dist_exponential, plain_exponential, {WEFT_F32, WEFT_F64}},
    {"bernoulli", dist_bernoulli, plain_bernoulli, {WEFT_BOOL, WEFT_DTYPE_NONE}},
    {"gamma", dist_gamma, plain_gamma, {WEFT_F32, WEFT_F64}},
    {"gamma of a small shape", dist_small_gamma, plain_small_gamma, {WEFT_F64, WEFT_F32}},
    {"poisson", dist_poisson, plain_poisson, {WEFT_I32, WEFT_DTYPE_NONE}},
    {"poisson of a large mean", dist_large_poisson, plain_large_poisson, {WEFT_I64, WEFT_U16}},
    {"laplace", dist_laplace, plain_laplace, {WEFT_F32, WEFT_F64}},
    {"beta", dist_beta, plain_beta, {WEFT_F64, WEFT_F32}},
    {"binomial", dist_binomial, plain_binomial, {WEFT_I32, WEFT_DTYPE_NONE}},
};
enum { DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

#endif
