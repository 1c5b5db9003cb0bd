// SPDX-License-Identifier: MIT
/// Random numbers over MPI's ranks; weft/dist.h includes this header.
///
///     rc = weft_dist_normal(&x, grid, rng, WEFT_F32, WEFT_SHAPE(n, 3), 0, 1);       the numbers of one device
///     rc = weft_dist_choice(&rows, rng, x, 1000, .weights = w);
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_DIST_RANDOM_H
#define WEFT_DIST_RANDOM_H

#include <weft/dist.h>

WEFT_BEGIN_DECLS

/* ---- random numbers ----
   The numbers that one device draws with the same generator: element i of the whole array gets what it gets in
   weft_uniform and its like (weft/random.h, with the parameters). All ranks pass generators in the same state, which
   move on by the whole array. */

/// The words of the stream, u32 or u64.
WEFT_API WEFT_NODISCARD weft_status weft_dist_random_bits(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                          weft_dtype dtype, weft_shape shape);

/// Uniform, normal, exponential, Bernoulli's, gamma and Poisson's numbers, and uniform integers below `high`.
WEFT_API WEFT_NODISCARD weft_status weft_dist_uniform(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                      weft_dtype dtype, weft_shape shape, double low, double high);
WEFT_API WEFT_NODISCARD weft_status weft_dist_normal(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                     weft_dtype dtype, weft_shape shape, double mean, double deviation);
WEFT_API WEFT_NODISCARD weft_status weft_dist_integers(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                       weft_dtype dtype, weft_shape shape, int64_t low, int64_t high);
WEFT_API WEFT_NODISCARD weft_status weft_dist_exponential(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                          weft_dtype dtype, weft_shape shape, double scale);
WEFT_API WEFT_NODISCARD weft_status weft_dist_bernoulli(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                        weft_dtype dtype, weft_shape shape, double p);
WEFT_API WEFT_NODISCARD weft_status weft_dist_gamma(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                    weft_dtype dtype, weft_shape shape, double k, double theta);
WEFT_API WEFT_NODISCARD weft_status weft_dist_poisson(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                      weft_dtype dtype, weft_shape shape, double lambda);

/// A draw from a distribution of weft/random.h with a number for each element: weft_beta(out, rng, dtype, shape, 2, 3).
typedef weft_status weft_dist_draw_call(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                        void *user);
/// Numbers of any such distribution. `draw` makes the call, more than once, for parts of the array. Ranks' calls and
/// what `user` points to are not compared: they must be equal.
WEFT_API WEFT_NODISCARD weft_status weft_dist_draw(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                   weft_dtype dtype, weft_shape shape, weft_dist_draw_call *draw,
                                                   void *user);

/// The numbers 0 to n - 1 in the random order of weft_permutation, i64. A rank computes its own part alone.
WEFT_API WEFT_NODISCARD weft_status weft_dist_permutation(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                          int64_t n);
/// The rows of x, which is split along axis 0 (WEFT_ERROR_LAYOUT), in the random order of weft_shuffle.
WEFT_API WEFT_NODISCARD weft_status weft_dist_shuffle(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x);
/// Options of weft_dist_choice.
typedef struct weft_dist_choice_params {
  bool unique;                    /* no row twice */
  const weft_dist_array *weights; /* as in weft_choice; each rank holds all of them for a while */
  const char *site;               /* set by the macro */
} weft_dist_choice_params;
/// The `count` random rows of x, which is split along axis 0 (WEFT_ERROR_LAYOUT), that weft_choice takes. Errors as
/// there.
WEFT_API WEFT_NODISCARD weft_status weft_dist_choice(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x,
                                                     int64_t count, const weft_dist_choice_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__dist_uniform_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                          weft_dtype dtype, weft_shape shape, double low, double high,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_normal_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                         weft_dtype dtype, weft_shape shape, double mean,
                                                         double deviation, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_integers_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                           weft_dtype dtype, weft_shape shape, int64_t low,
                                                           int64_t high, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_random_bits_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                              weft_dtype dtype, weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_exponential_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                              weft_dtype dtype, weft_shape shape, double scale,
                                                              const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_bernoulli_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                            weft_dtype dtype, weft_shape shape, double p,
                                                            const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_gamma_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                        weft_dtype dtype, weft_shape shape, double k, double theta,
                                                        const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_poisson_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                          weft_dtype dtype, weft_shape shape, double lambda,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_draw_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                       weft_dtype dtype, weft_shape shape, weft_dist_draw_call *draw,
                                                       void *user, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_permutation_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng,
                                                              int64_t n, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_shuffle_at(weft_dist_array **out, weft_rng *rng,
                                                          const weft_dist_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_choice_at(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x,
                                                         int64_t count, const weft_dist_choice_params *params);

WEFT_END_DECLS

#define weft_dist_uniform(out, grid, rng, dtype, shape, low, high) \
  weft__dist_uniform_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (low), (high), WEFT_SITE)
#define weft_dist_normal(out, grid, rng, dtype, shape, mean, deviation) \
  weft__dist_normal_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (mean), (deviation), WEFT_SITE)
#define weft_dist_integers(out, grid, rng, dtype, shape, low, high) \
  weft__dist_integers_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (low), (high), WEFT_SITE)
#define weft_dist_random_bits(out, grid, rng, dtype, shape) \
  weft__dist_random_bits_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), WEFT_SITE)
#define weft_dist_exponential(out, grid, rng, dtype, shape, scale) \
  weft__dist_exponential_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (scale), WEFT_SITE)
#define weft_dist_bernoulli(out, grid, rng, dtype, shape, p) \
  weft__dist_bernoulli_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (p), WEFT_SITE)
#define weft_dist_gamma(out, grid, rng, dtype, shape, k, theta) \
  weft__dist_gamma_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (k), (theta), WEFT_SITE)
#define weft_dist_poisson(out, grid, rng, dtype, shape, lambda) \
  weft__dist_poisson_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (lambda), WEFT_SITE)
#define weft_dist_draw(out, grid, rng, dtype, shape, draw, user) \
  weft__dist_draw_at(WEFT__DIST_PLACE(out), (grid), (rng), (dtype), (shape), (draw), (user), WEFT_SITE)
#define weft_dist_permutation(out, grid, rng, n) \
  weft__dist_permutation_at(WEFT__DIST_PLACE(out), (grid), (rng), (n), WEFT_SITE)
#define weft_dist_shuffle(out, rng, x) weft__dist_shuffle_at(WEFT__DIST_PLACE(out), (rng), (x), WEFT_SITE)
#define weft_dist_choice(out, rng, x, ...)                                          \
  weft__dist_choice_at(WEFT__DIST_PLACE(out), (rng), (x), WEFT__FIRST(__VA_ARGS__), \
                       WEFT__OPTIONS(weft_dist_choice_params, __VA_ARGS__))

#endif
