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
   draws of k and n - k elements. Elements of two words begin at an even word, gamma and Poisson at a multiple of 8.
   Skipped words are discarded; WEFT_PHILOX4X64 alone keeps a skipped half for the next one-word element, as NumPy does.

   Results are bit-identical on every device, except normal and gamma numbers of dtypes other than f64 on devices that
   do not round f32 square roots correctly. With WEFT_PHILOX4X64, weft_random_bits and weft_uniform give the numbers of
   NumPy's Generator(Philox(seed)) (random_raw; random, also in float32; uniform). Other distributions use other methods
   than NumPy, so that their numbers differ.

   dtype WEFT_DTYPE_NONE is the dtype of a given result, else the distribution's default: f32, bool for Bernoulli, i64
   for integers and Poisson. Numbers drawn in `dtype` are cast to a given result's dtype. A draw without a given array
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

/// Poisson numbers of mean `lambda`, 0 <= lambda <= 2^50, in an integer dtype that holds lambda plus 12 deviations
/// (WEFT_ERROR_OVERFLOW). Below 10: inversion of a table, two words per element. From 10 on: Hoermann's PTRS (1993) in
/// f64 (WEFT_ERROR_UNSUPPORTED without fp64), eight words, and retries as for gamma.
WEFT_API WEFT_NODISCARD weft_status weft_poisson(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double lambda);

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
#define weft_permutation(out, rng, ...)                                    \
  weft__permutation_at(WEFT__RESULT(out), (rng), WEFT__FIRST(__VA_ARGS__), \
                       WEFT__OPTIONS(weft_permutation_params, __VA_ARGS__))
#define weft_shuffle(out, rng, x) weft__shuffle_at(WEFT__RESULT(out), (rng), WEFT__OPERAND(x), WEFT_SITE)
#define weft_choice(out, rng, x, ...)                                                   \
  weft__choice_at(WEFT__RESULT(out), (rng), WEFT__OPERAND(x), WEFT__FIRST(__VA_ARGS__), \
                  WEFT__OPTIONS(weft_choice_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
