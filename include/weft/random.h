// SPDX-License-Identifier: MIT
/// Random numbers: a counter-based generator, so that the same seed gives the same numbers on every device, whatever
/// the grid, and whether they are drawn at once or in parts.
///
///     weft_rng *rng = NULL;
///     weft_array *x = NULL;
///     rc = weft_rng_create(&rng, .seed = 1);
///     rc = weft_uniform(&x, rng, WEFT_F32, WEFT_SHAPE(1000, 1000), 0, 1);    a new array
///     rc = weft_normal(&x, rng, WEFT_F32, WEFT_SHAPE(1000, 1000), 0, 1);     the same one, filled again
///
/// A generator is a key and a position in a stream of 32-bit words. Word i of the stream of WEFT_PHILOX4X32, the
/// default, is word i % 4 of Philox4x32-10 of the counter (i / 4, 0, 0) (64, 32 and 32 bits) and the key `seed`. That
/// of WEFT_PHILOX4X64 is NumPy's Philox: the key is made of the seed by NumPy's SeedSequence, the counter begins at 1,
/// and the words are the halves of its 64-bit ones, low half first.
///
/// Draws: an element takes as many words as its distribution says, in order, from the position on; so n elements drawn
/// at once are those of two draws of k and n - k. Elements of two words begin at an even word, and gamma and Poisson at
/// a multiple of 8; what is passed over is lost, but that WEFT_PHILOX4X64 keeps a half passed over for the next element
/// of one word, as NumPy does. All results are the same bits on every device, but for normals and gamma other than of
/// f64 where a device does not round f32 square roots correctly: what is not exact is made of operations that OpenCL
/// defines to the bit. With WEFT_PHILOX4X64, weft_random_bits and weft_uniform give what NumPy's
/// Generator(Philox(seed)) does (random, random with float32, uniform; of the bit generator random_raw). Other
/// distributions are not NumPy's methods, and so not its numbers.
///
/// Results: *out NULL makes a contiguous array of `dtype`; else it must have exactly `shape`, may have any strides, and
/// what is drawn in `dtype` is cast to its dtype where NumPy calls that same-kind. WEFT_HOST_OUT is fine. dtype
/// WEFT_DTYPE_NONE is that of *out, or the distribution's own: f32, bool for Bernoulli, i64 for integers and Poisson.
/// Context: that of *out or of the operand, else the generator's, else the thread's default one. Blocking: does not
/// wait, but for a result in host memory, and while a kernel is built, the first time it is used in a context.
/// Errors of all draws: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT (a parameter out of its range), WEFT_ERROR_DTYPE,
/// WEFT_ERROR_SHAPE, WEFT_ERROR_UNSUPPORTED (f64 without fp64), WEFT_ERROR_OVERFLOW (the stream's 2^64 words are used
/// up, or a parameter of a draw of f32 or narrower floats does not fit f32), WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY,
/// WEFT_ERROR_CONTEXT, WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. After a failure
/// generator and results are as they were.
/// Thread: any; a generator belongs to one thread at a time, as an array does. For several threads split it. Kernels of
/// one's own include "weft/random.clh" (in cl/weft/), which has the generator and the f32 distributions as functions.
/// Method: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- generators ---- */

typedef struct weft_rng weft_rng;

typedef enum weft_generator {
  WEFT_PHILOX4X32 = 0,
  WEFT_PHILOX4X64, /* NumPy's; several times slower on GPUs */
} weft_generator;

/// Options of weft_rng_create.
typedef struct weft_rng_params {
  uint64_t seed; /* any number; different ones give independent streams */
  weft_generator generator;
  weft_context *context; /* where new arrays are made; NULL: the thread's default context */
  const char *site;      /* set by the macro */
} weft_rng_params;

/// Makes a generator; it holds .context. *out must be NULL. Makes no OpenCL call. Errors: WEFT_ERROR_ARGUMENT,
/// WEFT_ERROR_HANDLE (of the context), WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_rng_create(weft_rng **out, const weft_rng_params *params);
/// Adds a reference and returns its argument. NULL is fine. Thread: any.
WEFT_API weft_rng *weft_rng_retain(weft_rng *rng);
/// Drops a reference and sets *rng to NULL. NULL is fine. Thread: any.
WEFT_API void weft_rng_release(weft_rng **rng);

/// A new generator whose stream is independent of rng's and of those split off before: its key is made by Philox of
/// rng's key and of how often rng was split. It has rng's kind and context, and does not depend on how far rng is. *out
/// must be NULL. Not NumPy's spawn.
WEFT_API WEFT_NODISCARD weft_status weft_rng_split(weft_rng **out, weft_rng *rng);
/// Passes over `words` words: as if that many u32 had been drawn. WEFT_ERROR_OVERFLOW beyond the stream's 2^64th word.
WEFT_API WEFT_NODISCARD weft_status weft_rng_skip(weft_rng *rng, uint64_t words);
/// To another stream of the same key, as far along as this one, begun counters passed over: adds 1 to the counter's
/// third word (64-bit counter words: NumPy's Philox.jumped). WEFT_ERROR_OVERFLOW after 2^32 - 1 jumps of
/// WEFT_PHILOX4X32.
WEFT_API WEFT_NODISCARD weft_status weft_rng_jump(weft_rng *rng);

/// All that a generator is: plain numbers, which may be written to a file and read on another machine of the same byte
/// order. 64 bytes.
typedef struct weft_rng_state {
  uint32_t version;   /* 1 */
  uint32_t generator; /* weft_generator */
  uint64_t key[2];
  uint64_t jumps;
  uint64_t position; /* words drawn or passed over */
  uint64_t splits;
  uint32_t spare;          /* half of a pair of normals is left: 1 of f32 or narrower, 2 of f64 */
  uint32_t has_kept, kept; /* WEFT_PHILOX4X64: a word passed over, for the next element of one word */
  uint32_t reserved;
} weft_rng_state;

/// The present state. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT.
WEFT_API WEFT_NODISCARD weft_status weft_rng_get_state(weft_rng_state *state, const weft_rng *rng);
/// Makes `rng`, of whatever kind, go on from that state. WEFT_ERROR_ARGUMENT where it is no state.
WEFT_API WEFT_NODISCARD weft_status weft_rng_set_state(weft_rng *rng, const weft_rng_state *state);

/* ---- distributions: weft_...(out, rng, dtype, shape, parameters...) ---- */

/// The words themselves: u32 (one word) or u64 (two, low half first).
WEFT_API WEFT_NODISCARD weft_status weft_random_bits(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape);

/// low + (high - low) * u with u in [0, 1), computed in the dtype and rounded after each operation; low and high are
/// finite, in either order, and rounding may give `high` itself, as in NumPy. u is a multiple of 2^-24 for f32 (the
/// upper bits of one word), of 2^-53 for f64 (of two words), of the least place below 1 for narrow floats (2^-11 for
/// f16; of one word, then computed in f32).
WEFT_API WEFT_NODISCARD weft_status weft_uniform(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double low, double high);

/// Normal numbers; deviation >= 0. f64 (two words each) and others (one): two elements are made of a pair of 32-bit or
/// 64-bit words at an even place (f64: at a multiple of 4 words), and one that is left is the next draw's if that is of
/// normals too. f32 reaches to 6.7 deviations. Method: Box and Muller.
WEFT_API WEFT_NODISCARD weft_status weft_normal(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                double mean, double deviation);

/// Exponentially distributed with mean `scale` >= 0: -scale * log(u) with u in (0, 1), never 0 or 1 before rounding.
/// f64: two words; others: one.
WEFT_API WEFT_NODISCARD weft_status weft_exponential(weft_array **out, weft_rng *rng, weft_dtype dtype,
                                                     weft_shape shape, double scale);

/// true with probability p, 0 <= p <= 1: one word, below p * 2^32 (rounded to the nearest integer). dtype bool.
WEFT_API WEFT_NODISCARD weft_status weft_bernoulli(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                   double p);

/// Integers from `low` up to but without `high` (C integers), each as likely as any other, in any integer dtype that
/// holds them. One word where high - low is at most 2^32, else two; an element that must try again (with probability
/// below (high - low) / 2^32 or 2^64) takes words that no other element has. WEFT_ERROR_OVERFLOW where the dtype does
/// not hold low or high - 1. Method: Lemire (2019).
WEFT_API WEFT_NODISCARD weft_status weft_integers(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                  weft_scalar low, weft_scalar high);

/// Gamma numbers of shape parameter k > 0 and scale theta >= 0 (mean k * theta), of any float dtype. Eight words for an
/// element; further tries take words that no other element has. Method: Marsaglia and Tsang (2000).
WEFT_API WEFT_NODISCARD weft_status weft_gamma(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                               double k, double theta);

/// Poisson numbers of mean `lambda`, 0 <= lambda <= 2^50, in an integer dtype that holds lambda and 12 deviations more
/// (WEFT_ERROR_OVERFLOW). Below 10 by inversion of a table, two words; from 10 on computed in f64
/// (WEFT_ERROR_UNSUPPORTED without fp64), eight words, and further tries as for gamma. Method: Hoermann's PTRS (1993).
WEFT_API WEFT_NODISCARD weft_status weft_poisson(weft_array **out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                                 double lambda);

/* ---- orders and samples ---- */

/// The numbers 0 to n - 1 in random order: i64[n] (or what is given; WEFT_ERROR_OVERFLOW where its dtype does not hold
/// n - 1). Up to 1024 of them every order is equally likely: each number has a key of two words, and they are put in
/// the keys' order. More of them go through a keyed network (24 words), which gives one of 2^768 orders without a sort.
/// Method: Luby and Rackoff (1988), with 12 rounds, and walks along its cycles.
WEFT_API WEFT_NODISCARD weft_status weft_permutation(weft_array **out, weft_rng *rng, int64_t n);

/// The rows of x (its elements along axis 0) in random order: x[weft_permutation(length)]. x has at least one axis.
/// *out may be x: its rows are exchanged then.
WEFT_API WEFT_NODISCARD weft_status weft_shuffle(weft_array **out, weft_rng *rng, const weft_array *x);

/// Options of weft_choice.
typedef struct weft_choice_params {
  bool unique;               /* no row twice: count is at most x's length then */
  const weft_array *weights; /* one for each row, any real dtype, finite; what is below 0 or NaN counts as 0; they need
                                not add up to 1. NULL: all alike. Needs fp64. */
  const char *site;          /* set by the macro */
} weft_choice_params;

/// `count` rows of x, chosen at random: the result has x's shape with `count` in the place of its length. Without
/// options rows may come more than once, all alike, chosen as by weft_integers; with .unique as by weft_permutation. By
/// .weights: two words for each choice, from sums in f64; with .unique two words for each row of x, as NumPy's p: each
/// choice by weight among the rows that are left; where no row with a weight is left, rows without one follow. x must
/// have rows unless count is 0. Method: sums in runs of 256 and a search; with .unique the race of Efraimidis and
/// Spirakis (2006).
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
WEFT_API WEFT_NODISCARD weft_status weft__permutation_at(weft_operand out, weft_rng *rng, int64_t n, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__shuffle_at(weft_operand out, weft_rng *rng, weft_operand x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__choice_at(weft_operand out, weft_rng *rng, weft_operand x, int64_t count,
                                                    const weft_choice_params *params);

#define weft_rng_create(...) weft__rng_create_at(WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_rng_params, __VA_ARGS__))
#define weft_rng_split(out, rng) weft__rng_split_at((out), (rng), WEFT_SITE)
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
#define weft_permutation(out, rng, n) weft__permutation_at(WEFT__RESULT(out), (rng), (n), WEFT_SITE)
#define weft_shuffle(out, rng, x) weft__shuffle_at(WEFT__RESULT(out), (rng), WEFT__OPERAND(x), WEFT_SITE)
#define weft_choice(out, rng, x, ...)                                                   \
  weft__choice_at(WEFT__RESULT(out), (rng), WEFT__OPERAND(x), WEFT__FIRST(__VA_ARGS__), \
                  WEFT__OPTIONS(weft_choice_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
