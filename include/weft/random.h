// SPDX-License-Identifier: MIT
/// Random numbers that depend on the seed and the position in the stream only: identical on every device, and whether
/// they are drawn at once or in parts. Counter-based: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
/// (2011).
///
///     weft_rng *rng = NULL;
///     rc = weft_rng_create(&rng, .seed = 1);
///     rc = weft_uniform(&x, rng, WEFT_F32, WEFT_SHAPE(1000, 1000), 0, 1);    a new array
///     rc = weft_normal(&x, rng, WEFT_F32, WEFT_SHAPE(1000, 1000), 0, 1);     the same array, overwritten
///
/// Kernels of your own include "weft/random.clh" (in cl/weft/), with the generator and the f32 distributions as
/// functions.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- the stream, and how draws use it ----
   A generator is a key and a position in a stream of 32-bit words. WEFT_PHILOX4X32, the default: word i is word i % 4
   of Philox4x32-10 of the counter (i / 4, 0, 0) (64, 32 and 32 bits) and the key `seed`. WEFT_PHILOX4X64 is NumPy's
   Philox: NumPy's SeedSequence makes the key from the seed, the counter begins at 1, and each 64-bit output is two
   words, low half first.

   A draw gives each element a fixed number of words, in order from the position on: n elements drawn at once equal two
   draws of k and n - k elements. Elements of two words begin at an even word, of eight or sixteen words at a multiple
   of 8. Skipped words are discarded; WEFT_PHILOX4X64 alone keeps a skipped half for the next one-word element, as NumPy
   does.

   Results are bit-identical on every device, except numbers that need a square root or a quotient (normal and gamma
   numbers, and what is made of them) of dtypes other than f64 on devices that do not round these correctly in f32. With
   WEFT_PHILOX4X64, weft_random_bits and weft_uniform give the numbers of NumPy's Generator(Philox(seed)) (random_raw;
   random, also in float32; uniform). Other distributions use other methods than NumPy, so that their numbers differ.

   dtype WEFT_DTYPE_NONE is the dtype of a given result, else the distribution's default: f32, bool for Bernoulli, i64
   for integers and counts. Numbers drawn in `dtype` are cast to a given result's dtype. A draw without a given array
   runs in the generator's context, else in the thread's default context.

   Errors of all draws: WEFT_ERROR_ARGUMENT (a parameter out of range), WEFT_ERROR_OVERFLOW (the stream's 2^64 words are
   used up; a parameter does not fit f32 in a draw of f32 or narrower floats). A failed draw leaves the generator
   unchanged. For several threads split a generator. */

/* ---- generators ---- */

/// A generator: a stream of random words, and a position in it.
typedef struct weft_rng weft_rng;

/// The kinds of generators.
typedef enum weft_generator {
  WEFT_PHILOX4X32 = 0,
  WEFT_PHILOX4X64, /* NumPy's; several times slower on GPUs */
} weft_generator;

/// Options of weft_rng_create.
typedef struct weft_rng_params {
  uint64_t seed; /* any number; different seeds give independent streams */
  weft_generator generator;
  weft_context *context; /* where new arrays are made; NULL: the thread's default context */
  const char *site;      /* set by the macro */
} weft_rng_params;

/// Makes a generator; it holds .context. *out must be NULL. Makes no OpenCL call.
WEFT_API WEFT_NODISCARD weft_status weft_rng_create(weft_rng **out, const weft_rng_params *params);
/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_rng *weft_rng_retain(weft_rng *rng);
/// Drops a reference and sets *rng to NULL. NULL is allowed.
WEFT_API void weft_rng_release(weft_rng **rng);

/// Makes a generator of rng's kind and context whose stream is independent of rng's and of earlier splits: Philox
/// computes its key from rng's key and the number of splits so far. rng's position has no effect. *out must be NULL.
/// Not NumPy's spawn.
WEFT_API WEFT_NODISCARD weft_status weft_rng_split(weft_rng **out, weft_rng *rng);
/// Skips `words` words, as if that many u32 had been drawn. WEFT_ERROR_OVERFLOW: beyond the stream's 2^64 words.
WEFT_API WEFT_NODISCARD weft_status weft_rng_skip(weft_rng *rng, uint64_t words);
/// Moves to another stream of the same key, at the same position; the rest of a begun counter is skipped. Adds 1 to the
/// counter's third word (WEFT_PHILOX4X64: NumPy's Philox.jumped). WEFT_ERROR_OVERFLOW: after 2^32 - 1 jumps of
/// WEFT_PHILOX4X32 (of a generator made by weft_rng_split 2^31 or more).
WEFT_API WEFT_NODISCARD weft_status weft_rng_jump(weft_rng *rng);

/// The full state of a generator: plain numbers that may be written to a file and read on another machine of the same
/// byte order. 64 bytes.
typedef struct weft_rng_state {
  uint32_t version;   /* 1 */
  uint32_t generator; /* weft_generator */
  uint64_t key[2];
  uint64_t jumps;
  uint64_t position; /* words drawn or skipped */
  uint64_t splits;
  uint32_t spare;          /* half of a pair of normals is left over: 1: of f32 or narrower, 2: of f64 */
  uint32_t has_kept, kept; /* WEFT_PHILOX4X64: a skipped word, kept for the next one-word element */
  uint32_t reserved;
} weft_rng_state;

/// Returns the present state.
WEFT_API WEFT_NODISCARD weft_status weft_rng_get_state(weft_rng_state *state, const weft_rng *rng);
/// Makes `rng`, of either kind, continue from a state. WEFT_ERROR_ARGUMENT: no state of a generator.
WEFT_API WEFT_NODISCARD weft_status weft_rng_set_state(weft_rng *rng, const weft_rng_state *state);

/* ---- distributions: weft_...(out, rng, dtype, shape, parameters...) ---- */

/// The stream's words: u32 (one word per element) or u64 (two, low half first).
WEFT_API WEFT_NODISCARD weft_status weft_random_bits(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape);

/// low + (high - low) * u with u in [0, 1), computed in the dtype and rounded after each operation. low and high are
/// finite, in either order; rounding may give `high`, as in NumPy. u is a multiple of 2^-24 for f32 (the upper bits of
/// one word), of 2^-53 for f64 (two words), and for narrow floats of the spacing just below 1 (2^-11 for f16; one word,
/// computed in f32). WEFT_ERROR_OVERFLOW: high - low exceeds the dtype.
WEFT_API WEFT_NODISCARD weft_status weft_uniform(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double low, double high);

/// Normal numbers; deviation >= 0. One word per element, f64 two. A pair of 32-bit or 64-bit words at an even place
/// (f64: at a multiple of 4 words) gives two elements; one left over is used by the next draw, if that is normal too.
/// f32 reaches 6.7 deviations. Method: Box and Muller (1958).
WEFT_API WEFT_NODISCARD weft_status weft_normal(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                double mean, double deviation);

/// Exponential numbers of mean `scale` >= 0: -scale * log(u) with u in (0, 1), never 0 or 1 before rounding. One word
/// per element, f64 two.
WEFT_API WEFT_NODISCARD weft_status weft_exponential(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double scale);

/// Lognormal numbers: exp of weft_normal(mean, sigma).
WEFT_API WEFT_NODISCARD weft_status weft_lognormal(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   double mean, double sigma);
/// Laplace (two-sided exponential) numbers: loc plus or minus an exponential number of mean `scale` >= 0. One word per
/// element, f64 two, as for the next six.
WEFT_API WEFT_NODISCARD weft_status weft_laplace(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double loc, double scale);
/// Logistic numbers: loc + scale * log(u / (1 - u)), scale >= 0. f32 reaches 22.9 scales on both sides.
WEFT_API WEFT_NODISCARD weft_status weft_logistic(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  double loc, double scale);
/// Gumbel numbers (of greatest values): loc - scale * log(-log(u)), scale >= 0. f32 reaches loc + 16.6 scales.
WEFT_API WEFT_NODISCARD weft_status weft_gumbel(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                double loc, double scale);
/// Weibull numbers of scale 1: (-log(u))^(1 / a), a > 0.
WEFT_API WEFT_NODISCARD weft_status weft_weibull(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double a);
/// Pareto numbers as NumPy's, which begin at 0 (Lomax): u^(-1 / a) - 1, a > 0.
WEFT_API WEFT_NODISCARD weft_status weft_pareto(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                double a);
/// Rayleigh numbers: scale * sqrt(-2 log(u)), scale >= 0.
WEFT_API WEFT_NODISCARD weft_status weft_rayleigh(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  double scale);
/// Numbers from `left` to `right`, of a density that rises to `mode` and falls; left <= mode <= right, left < right.
WEFT_API WEFT_NODISCARD weft_status weft_triangular(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                    double left, double mode, double right);

/// true with probability p, 0 <= p <= 1: if one word is below p * 2^32 (rounded to the nearest integer). The dtype is
/// bool.
WEFT_API WEFT_NODISCARD weft_status weft_bernoulli(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   double p);

/// Uniform integers from `low` up to, but without, `high` (C integers), in any integer dtype. One word per element if
/// high - low is at most 2^32, else two; a retry (with probability below (high - low) / 2^32 or 2^64) takes words that
/// no other element uses. WEFT_ERROR_OVERFLOW: the dtype cannot hold low or high - 1. WEFT_ERROR_ARGUMENT: high <= low.
/// Method: Lemire (2019).
WEFT_API WEFT_NODISCARD weft_status weft_integers(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  weft_scalar low, weft_scalar high);

/// Gamma numbers of shape parameter k > 0 and scale theta >= 0 (mean k * theta), any float dtype. Eight words per
/// element; retries take words that no other element uses. Method: Marsaglia and Tsang (2000).
WEFT_API WEFT_NODISCARD weft_status weft_gamma(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                               double k, double theta);

/// Chi-square numbers of df > 0 degrees of freedom: weft_gamma(df / 2, 2).
WEFT_API WEFT_NODISCARD weft_status weft_chisquare(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   double df);
/// Beta numbers x / (x + y) of gamma numbers x and y of shape parameters a, b > 0. Sixteen words per element.
WEFT_API WEFT_NODISCARD weft_status weft_beta(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                              double a, double b);
/// NumPy's f: the ratio of two chi-square numbers, each divided by its degrees of freedom, dfnum and dfden, above 0.
/// Sixteen words per element.
WEFT_API WEFT_NODISCARD weft_status weft_f_ratio(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double dfnum, double dfden);
/// Student's t with df > 0 degrees of freedom: a normal number, divided by the root of a chi-square number per degree.
/// Sixteen words per element.
WEFT_API WEFT_NODISCARD weft_status weft_standard_t(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                    double df);
/// Angles from -pi to pi around the mean mu, concentrated by kappa >= 0 (0: uniform). Eight words per element, and
/// retries as for gamma. Method: Best and Fisher (1979).
WEFT_API WEFT_NODISCARD weft_status weft_vonmises(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  double mu, double kappa);

/// Options of weft_truncated_normal.
typedef struct weft_truncated_normal_params {
  double mean;
  double deviation; /* above 0; 0: 1 */
  const char *site; /* set by the macro */
} weft_truncated_normal_params;

/// Normal numbers from `low` to `high`, low < high; either may be infinite. Both may be far in a tail. Eight words per
/// element, and retries as for gamma. Method: Robert (1995). WEFT_ERROR_OVERFLOW: a bound is too many deviations away.
WEFT_API WEFT_NODISCARD weft_status weft_truncated_normal(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                          weft_shape shape, double low, double high,
                                                          const weft_truncated_normal_params *params);

/// Poisson numbers of mean `lambda`, 0 <= lambda <= 2^50, in an integer dtype that holds lambda plus 12 deviations
/// (WEFT_ERROR_OVERFLOW). Below 10: inversion of a table, two words per element. From 10 on: Hoermann's PTRS (1993) in
/// f64 (WEFT_ERROR_UNSUPPORTED without fp64), eight words, and retries as for gamma.
WEFT_API WEFT_NODISCARD weft_status weft_poisson(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double lambda);

/// The number of successes in n trials, 0 <= n <= 2^50, of probability p each. If n p or n (1 - p) is below 10:
/// inversion of a table, two words per element. Else Hoermann's BTRS (1993) in f64, as for Poisson.
WEFT_API WEFT_NODISCARD weft_status weft_binomial(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  int64_t n, double p);
/// The number of trials to the first success, 1 or more, 0 < p <= 1, by inversion in f64; two words per element.
/// WEFT_ERROR_OVERFLOW: the dtype does not hold all such numbers. WEFT_ERROR_UNSUPPORTED: no fp64.
WEFT_API WEFT_NODISCARD weft_status weft_geometric(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   double p);
/// The number of failures before n > 0 successes, 0 < p <= 1: Poisson numbers whose means are gamma numbers, in f64;
/// sixteen words per element. WEFT_ERROR_OVERFLOW: the dtype, or 2^50, does not hold all such numbers.
WEFT_API WEFT_NODISCARD weft_status weft_negative_binomial(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                           weft_shape shape, double n, double p);

/* ---- rows of numbers: the result has the axes of `shape`, then one of columns ---- */

/// Dirichlet numbers: a gamma number for each element of alpha[columns], divided by the row's sum. An alpha that is not
/// above 0 gives 0; NaN if there is no other. Eight words per element, and retries as for gamma.
WEFT_API WEFT_NODISCARD weft_status weft_dirichlet(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   const weft_array *alpha);
/// How often each column was drawn in n trials, 0 <= n <= 2^50, by weight: weights[columns] of any sum; below 0 and NaN
/// count as 0 (all 0: the first column has all trials). Binomial numbers of the trials left, in f64; eight words
/// per element.
WEFT_API WEFT_NODISCARD weft_status weft_multinomial(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, int64_t n, const weft_array *weights);
/// Normal rows of mean[k] and covariance[k, k] (positive definite, WEFT_ERROR_SINGULAR; its lower triangle is read):
/// mean + z L^T with L of weft_cholesky and z of weft_normal. Computed in f64 or f32. Devices round the product
/// differently.
WEFT_API WEFT_NODISCARD weft_status weft_multivariate_normal(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                             weft_shape shape, const weft_array *mean,
                                                             const weft_array *covariance);

/* ---- points that cover a cube evenly ---- */

/// Options of weft_sobol.
typedef struct weft_sobol_params {
  int64_t first;         /* the number of the first point */
  weft_context *context; /* as for new arrays, if there is neither a generator nor a given result */
  const char *site;      /* set by the macro */
} weft_sobol_params;

/// Points of a Sobol sequence in the unit cube: float[points, dimensions], multiples of 2^-32 (f32: 2^-24), up to 2^32
/// points, in SciPy's order and with its numbers (qmc.Sobol; Joe and Kuo 2008). Up to 5715 dimensions, of polynomials
/// up to degree 16, whose numbers take 100 KiB of the library; SciPy's 21201 would take 480. With `rng`, which may be
/// NULL, each dimension's bits are shifted by exclusive or with a word of it. Best with 2^k points.
/// WEFT_ERROR_ARGUMENT: more dimensions or points.
WEFT_API WEFT_NODISCARD weft_status weft_sobol(weft_array **out, weft_rng *rng, weft_dtype dtype, int64_t points,
                                               int64_t dimensions, const weft_sobol_params *params);

/* ---- orders and samples ---- */

/// Options of weft_permutation: a part of the order, places `first` to `first + count` - 1.
typedef struct weft_permutation_params {
  int64_t first;
  int64_t count;    /* 0: all from `first` on */
  const char *site; /* set by the macro */
} weft_permutation_params;

/// The numbers 0 to n - 1 in random order, i64[n], or a part of this order; the generator moves on by the whole.
/// WEFT_ERROR_OVERFLOW: the dtype of a given result cannot hold n - 1. Up to n = 1024 every order is as likely: the
/// numbers are sorted by random keys of two words. Beyond that a keyed network (24 words) gives one of 2^768 orders
/// without a sort: Luby and Rackoff (1988), 12 rounds, with cycle walking.
WEFT_API WEFT_NODISCARD weft_status weft_permutation(weft_array **out, weft_rng *rng, int64_t n,
                                                     const weft_permutation_params *params);

/// The rows of x (along axis 0) in random order: x[weft_permutation(length)]. x needs an axis (WEFT_ERROR_SHAPE). *out
/// may be x, for a shuffle in place.
WEFT_API WEFT_NODISCARD weft_status weft_shuffle(weft_array **out, weft_rng *rng, const weft_array *x);

/// Options of weft_choice.
typedef struct weft_choice_params {
  bool unique;               /* no row twice */
  const weft_array *weights; /* one for each row, real and finite, of any sum; below 0 and NaN count as 0; needs fp64 */
  const char *site;          /* set by the macro */
} weft_choice_params;

/// `count` random rows of x: x's shape with length `count` along axis 0. By default rows may repeat and are equally
/// likely, drawn as by weft_integers; with .unique as by weft_permutation. .weights: two words per choice and sums in
/// f64. .weights with .unique: two words per row of x; each choice is by weight among the rows left, as NumPy's p
/// (Efraimidis and Spirakis, 2006), rows without weight last. WEFT_ERROR_SHAPE: no rows (count > 0), weights not one
/// per row. WEFT_ERROR_ARGUMENT: more unique rows than x has.
WEFT_API WEFT_NODISCARD weft_status weft_choice(weft_array **out, weft_rng *rng, const weft_array *x, int64_t count,
                                                const weft_choice_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__rng_create_at(weft_rng **out, const weft_rng_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__rng_split_at(weft_rng **out, weft_rng *rng, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__random_bits_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                         weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__uniform_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double low, double high, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                    double mean, double deviation, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__exponential_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                         weft_shape shape, double scale, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__bernoulli_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                       weft_shape shape, double p, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__integers_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                      weft_shape shape, weft_scalar low, weft_scalar high,
                                                      const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__gamma_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   double k, double theta, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__poisson_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double lambda, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__lognormal_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                       weft_shape shape, double mean, double sigma, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__laplace_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double loc, double scale, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__logistic_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                      weft_shape shape, double loc, double scale, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__gumbel_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                    double loc, double scale, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__weibull_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double a, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__pareto_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                    double a, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__rayleigh_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                      weft_shape shape, double scale, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__triangular_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                        weft_shape shape, double left, double mode, double right,
                                                        const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__chisquare_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                       weft_shape shape, double df, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__beta_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  double a, double b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__f_ratio_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double dfnum, double dfden, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__standard_t_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                        weft_shape shape, double df, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__vonmises_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                      weft_shape shape, double mu, double kappa, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__truncated_normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                              weft_shape shape, double low, double high,
                                                              const weft_truncated_normal_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__binomial_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                      weft_shape shape, int64_t n, double p, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__geometric_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                       weft_shape shape, double p, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__negative_binomial_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                               weft_shape shape, double n, double p, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dirichlet_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                       weft_shape shape, weft_operand alpha, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__multinomial_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                         weft_shape shape, int64_t n, weft_operand weights,
                                                         const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__multivariate_normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype,
                                                                 weft_shape shape, weft_operand mean,
                                                                 weft_operand covariance, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__sobol_at(weft_operand out, weft_rng *rng, weft_dtype dtype, int64_t points,
                                                   int64_t dimensions, const weft_sobol_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__permutation_at(weft_operand out, weft_rng *rng, int64_t n,
                                                         const weft_permutation_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__shuffle_at(weft_operand out, weft_rng *rng, weft_operand x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__choice_at(weft_operand out, weft_rng *rng, weft_operand x, int64_t count,
                                                    const weft_choice_params *params);

#define weft_rng_create(...) \
  weft__rng_create_at(WEFT__PLACE(weft_rng, WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_rng_params, __VA_ARGS__))
#define weft_rng_split(out, rng) weft__rng_split_at(WEFT__PLACE(weft_rng, out), (rng), WEFT_SITE)
#define weft_random_bits(out, rng, dtype, shape) \
  weft__random_bits_at(WEFT__RESULT(out), (rng), (dtype), (shape), WEFT_SITE)
#define weft_uniform(out, rng, dtype, shape, low, high) \
  weft__uniform_at(WEFT__RESULT(out), (rng), (dtype), (shape), (low), (high), WEFT_SITE)
#define weft_normal(out, rng, dtype, shape, mean, deviation) \
  weft__normal_at(WEFT__RESULT(out), (rng), (dtype), (shape), (mean), (deviation), WEFT_SITE)
#define weft_exponential(out, rng, dtype, shape, scale) \
  weft__exponential_at(WEFT__RESULT(out), (rng), (dtype), (shape), (scale), WEFT_SITE)
#define weft_bernoulli(out, rng, dtype, shape, p) \
  weft__bernoulli_at(WEFT__RESULT(out), (rng), (dtype), (shape), (p), WEFT_SITE)
#define weft_integers(out, rng, dtype, shape, low, high) \
  weft__integers_at(WEFT__RESULT(out), (rng), (dtype), (shape), WEFT_SCALAR(low), WEFT_SCALAR(high), WEFT_SITE)
#define weft_gamma(out, rng, dtype, shape, k, theta) \
  weft__gamma_at(WEFT__RESULT(out), (rng), (dtype), (shape), (k), (theta), WEFT_SITE)
#define weft_poisson(out, rng, dtype, shape, lambda) \
  weft__poisson_at(WEFT__RESULT(out), (rng), (dtype), (shape), (lambda), WEFT_SITE)
#define weft_lognormal(out, rng, dtype, shape, mean, sigma) \
  weft__lognormal_at(WEFT__RESULT(out), (rng), (dtype), (shape), (mean), (sigma), WEFT_SITE)
#define weft_laplace(out, rng, dtype, shape, loc, scale) \
  weft__laplace_at(WEFT__RESULT(out), (rng), (dtype), (shape), (loc), (scale), WEFT_SITE)
#define weft_logistic(out, rng, dtype, shape, loc, scale) \
  weft__logistic_at(WEFT__RESULT(out), (rng), (dtype), (shape), (loc), (scale), WEFT_SITE)
#define weft_gumbel(out, rng, dtype, shape, loc, scale) \
  weft__gumbel_at(WEFT__RESULT(out), (rng), (dtype), (shape), (loc), (scale), WEFT_SITE)
#define weft_weibull(out, rng, dtype, shape, a) \
  weft__weibull_at(WEFT__RESULT(out), (rng), (dtype), (shape), (a), WEFT_SITE)
#define weft_pareto(out, rng, dtype, shape, a) \
  weft__pareto_at(WEFT__RESULT(out), (rng), (dtype), (shape), (a), WEFT_SITE)
#define weft_rayleigh(out, rng, dtype, shape, scale) \
  weft__rayleigh_at(WEFT__RESULT(out), (rng), (dtype), (shape), (scale), WEFT_SITE)
#define weft_triangular(out, rng, dtype, shape, left, mode, right) \
  weft__triangular_at(WEFT__RESULT(out), (rng), (dtype), (shape), (left), (mode), (right), WEFT_SITE)
#define weft_chisquare(out, rng, dtype, shape, df) \
  weft__chisquare_at(WEFT__RESULT(out), (rng), (dtype), (shape), (df), WEFT_SITE)
#define weft_beta(out, rng, dtype, shape, a, b) \
  weft__beta_at(WEFT__RESULT(out), (rng), (dtype), (shape), (a), (b), WEFT_SITE)
#define weft_f_ratio(out, rng, dtype, shape, dfnum, dfden) \
  weft__f_ratio_at(WEFT__RESULT(out), (rng), (dtype), (shape), (dfnum), (dfden), WEFT_SITE)
#define weft_standard_t(out, rng, dtype, shape, df) \
  weft__standard_t_at(WEFT__RESULT(out), (rng), (dtype), (shape), (df), WEFT_SITE)
#define weft_vonmises(out, rng, dtype, shape, mu, kappa) \
  weft__vonmises_at(WEFT__RESULT(out), (rng), (dtype), (shape), (mu), (kappa), WEFT_SITE)
#define weft_truncated_normal(out, rng, dtype, shape, low, ...)                                          \
  weft__truncated_normal_at(WEFT__RESULT(out), (rng), (dtype), (shape), (low), WEFT__FIRST(__VA_ARGS__), \
                            WEFT__OPTIONS(weft_truncated_normal_params, __VA_ARGS__))
#define weft_binomial(out, rng, dtype, shape, n, p) \
  weft__binomial_at(WEFT__RESULT(out), (rng), (dtype), (shape), (n), (p), WEFT_SITE)
#define weft_geometric(out, rng, dtype, shape, p) \
  weft__geometric_at(WEFT__RESULT(out), (rng), (dtype), (shape), (p), WEFT_SITE)
#define weft_negative_binomial(out, rng, dtype, shape, n, p) \
  weft__negative_binomial_at(WEFT__RESULT(out), (rng), (dtype), (shape), (n), (p), WEFT_SITE)
#define weft_dirichlet(out, rng, dtype, shape, alpha) \
  weft__dirichlet_at(WEFT__RESULT(out), (rng), (dtype), (shape), WEFT__OPERAND(alpha), WEFT_SITE)
#define weft_multinomial(out, rng, dtype, shape, n, weights) \
  weft__multinomial_at(WEFT__RESULT(out), (rng), (dtype), (shape), (n), WEFT__OPERAND(weights), WEFT_SITE)
#define weft_multivariate_normal(out, rng, dtype, shape, mean, covariance)                      \
  weft__multivariate_normal_at(WEFT__RESULT(out), (rng), (dtype), (shape), WEFT__OPERAND(mean), \
                               WEFT__OPERAND(covariance), WEFT_SITE)
#define weft_sobol(out, rng, dtype, points, ...)                                        \
  weft__sobol_at(WEFT__RESULT(out), (rng), (dtype), (points), WEFT__FIRST(__VA_ARGS__), \
                 WEFT__OPTIONS(weft_sobol_params, __VA_ARGS__))
#define weft_permutation(out, rng, ...)                                    \
  weft__permutation_at(WEFT__RESULT(out), (rng), WEFT__FIRST(__VA_ARGS__), \
                       WEFT__OPTIONS(weft_permutation_params, __VA_ARGS__))
#define weft_shuffle(out, rng, x) weft__shuffle_at(WEFT__RESULT(out), (rng), WEFT__OPERAND(x), WEFT_SITE)
#define weft_choice(out, rng, x, ...)                                                   \
  weft__choice_at(WEFT__RESULT(out), (rng), WEFT__OPERAND(x), WEFT__FIRST(__VA_ARGS__), \
                  WEFT__OPTIONS(weft_choice_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
