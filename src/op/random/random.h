// SPDX-License-Identifier: MIT
/// Generators internally, and draws from them.
#ifndef WEFT_OP_RANDOM_RANDOM_H
#define WEFT_OP_RANDOM_RANDOM_H

#include <stdatomic.h>
#include <weft/random.h>

#include "call/call.h"

#include "cl/random/args.h"

struct weft_rng {
  weft__object object;
  weft_context *context; /* retained; NULL: the default context */
  weft_rng_state state;
  weft__ledger_entry entry;
};

/// Checks that the generator is live. Errors: HANDLE.
weft_status weft__rng_check(const weft_rng *rng);
/// Checks the generator of a call that was opened without a context. If no operand or result is an array, the call runs
/// in the generator's context. `after` is the state to draw from. weft__rng_close follows, also after a failure.
/// Errors: HANDLE.
weft_status weft__rng_begin(weft_rng_state *after, weft__call *c, const weft_rng *rng);

/// Closes a call that draws (weft__call_close). If the call succeeded, the generator's state becomes `after`.
weft_status weft__rng_close(weft_rng *rng, const weft_rng_state *after, weft__call *c, weft_status rc);
/// The dtype of an existing result, else WEFT_DTYPE_NONE.
weft_dtype weft__given_dtype(const weft_operand *out);

/// How many words of the stream an element takes.
typedef enum weft__takes {
  WEFT__TAKES_WORD = 0,
  WEFT__TAKES_LONG,
  WEFT__TAKES_PAIR,      /* one word each; two elements are computed from two words */
  WEFT__TAKES_LONG_PAIR, /* two words each; two elements are computed from four words */
  WEFT__TAKES_EIGHT,
  WEFT__TAKES_SIXTEEN,
} weft__takes;

/// Position of a draw's words.
typedef struct weft__rng_words {
  uint64_t base; /* position of element 0's first word */
  uint32_t kept;
  bool has_kept; /* element 0 uses the word `kept` instead */
} weft__rng_words;

/// Takes the words of n elements and advances `state`. Errors: OVERFLOW.
weft_status weft__rng_take(weft__rng_words *words, weft_rng_state *state, weft__takes takes, uint64_t n);
/// 32-bit word `position` of a stream.
uint32_t weft__rng_word(const weft_rng_state *state, uint64_t position);
/// Fills in the kernels' copy of a stream.
void weft__rng_stream(weft__stream_at *stream, const weft_rng_state *state);

typedef struct weft__distribution {
  const char *name; /* string literal: "uniform" */
  int kind;         /* WEFT__DRAW_UNIFORM ... */
  weft_dtype dtype;
  bool is_long;                  /* an element takes two words; by rejection: computed in f64 */
  uint64_t low, size, threshold; /* as in weft__draw_args */
  int parameters;
  double parameter[8]; /* passed both as doubles and, rounded, as floats */
  const uint64_t *table;
} weft__distribution;

/// Fills a contiguous array of the distribution's dtype from `state`, which advances.
weft_status weft__draw_into(weft_array *x, weft_rng_state *state, const weft__distribution *d, const char *site);

/// A draw that a caller asks for.
typedef struct weft__drawing {
  const char *function; /* "weft_uniform" */
  weft_operand *out;
  weft_rng *rng;
  weft_dtype dtype;
  weft_shape shape;
  const char *site;
} weft__drawing;

/// What a parameter may be, besides finite.
typedef enum weft__draw_bound { WEFT__ANY = 0, WEFT__FROM_0, WEFT__ABOVE_0 } weft__draw_bound;
typedef struct weft__draw_parameter {
  const char *name;
  double value;
  weft__draw_bound bound;
} weft__draw_parameter;

/// Finds the dtype of floats: w->dtype if given, else the result's if that is a float, else f32; and whether they are
/// computed in f64. Errors: DTYPE.
weft_status weft__choose_float(weft__distribution *d, const weft__drawing *w);
/// Checks the generator too. Errors: HANDLE, DTYPE.
weft_status weft__draw_float(weft__distribution *d, const weft__drawing *w);
/// Finds the dtype of integers, by default i64. Errors: HANDLE, DTYPE.
weft_status weft__draw_integer(weft_dtype *dtype, const weft__drawing *w);
/// Checks that parameters are finite and in their bounds, and fit the type in which `d` is computed. Errors: ARGUMENT,
/// OVERFLOW.
weft_status weft__draw_check(const weft__distribution *d, const weft__draw_parameter *parameter, int count);
/// Checks a probability. Errors: ARGUMENT.
weft_status weft__draw_probability(double p, bool allows_0);
/// Checks a number of trials, the greatest number that is drawn. Errors: ARGUMENT, OVERFLOW.
weft_status weft__draw_trials(weft_dtype dtype, int64_t n);
/// A whole call: weft__draw_into the caller's result.
weft_status weft__draw_result(const weft__drawing *w, const weft__distribution *d);
/// A whole call of floats with these parameters, which are all that the distribution needs.
weft_status weft__draw_floats(const weft__drawing *w, weft__distribution *d, int count,
                              const weft__draw_parameter *parameter);

/// What the kernels need of a gamma distribution of shape k: d, c and 1 / k (cl/random/gamma.clh).
void weft__gamma_parameters(double to[3], double k);

/// `size` integers (1 to 2^64) starting at `low`, in an integer dtype.
__extension__ typedef __int128 weft__wide;
weft__distribution weft__integers_of(weft_dtype dtype, weft__wide low, weft__wide size);
/// The least and the greatest number of an integer dtype.
void weft__integer_limits(weft__wide *least, weft__wide *most, weft_dtype dtype);

#endif
