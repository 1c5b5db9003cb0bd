// SPDX-License-Identifier: MIT
/// Timing a call as IPython's %timeit does, with a wait for the device, and apart from the kernels' build.
///
///     weft_status add(void *argument) {
///       weft_array **x = argument;
///       return weft_add(&x[0], x[1], x[2]);
///     }
///
///     rc = weft_timeit(&timing, context, add, x);
///     rc = weft_timeit_text(&text, &timing);  519 µs ± 2.2 µs per loop (mean ± std. dev. of 7 runs, 1000 loops each)
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_TIMEIT_H
#define WEFT_TIMEIT_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// The function to be timed. It must do the same work in each call, and release the objects it makes. A status other
/// than WEFT_OK ends the timing; weft_timeit returns it.
typedef weft_status weft_timeit_function(void *argument);

/// Options of weft_timeit.
typedef struct weft_timeit_params {
  int runs;         /* 0: 7 */
  uint64_t loops;   /* calls in a run; 0: the first power of ten, up to 10^9, with which a run takes 0.2 s or more */
  const char *site; /* set by the macro */
} weft_timeit_params;

/// The result. The time of one call is the time of its run divided by the loops.
typedef struct weft_timing {
  int runs;
  uint64_t loops;
  double mean_ns;
  double deviation_ns; /* standard deviation of the runs, with divisor `runs`, as IPython's */
  double best_ns, worst_ns;
  double total_ns;      /* all calls of all runs */
  double first_call_ns; /* of the call before the runs, which may build kernels and make memory */
  double build_ns;      /* the part of first_call_ns that built kernels, without what drivers do at first launches */
} weft_timing;

/// Calls `function` once, then `loops` times in each of `runs` runs (with `loops` 0 further calls choose it first).
/// Each run includes one wait for the device, as calls may return before their work is done. .runs = 1, .loops = 1000
/// is Python's timeit.timeit(function, number=1000). `context` may be NULL: the default one. Errors: the function's,
/// and as weft_context_wait; on failure *timing is unchanged. Method: IPython's %timeit
/// (IPython/core/magics/execution.py).
WEFT_API WEFT_NODISCARD weft_status weft_timeit(weft_timing *timing, weft_context *context,
                                                weft_timeit_function *function, void *argument,
                                                const weft_timeit_params *params);

/// Writes the line that IPython prints: "519 µs ± 2.2 µs per loop (mean ± std. dev. of 7 runs, 1000 loops each)". Three
/// digits; s, ms, µs or ns, from a minute on "1min 5s"; "10,000 loops"; UTF-8. Free *text with weft_free.
WEFT_API WEFT_NODISCARD weft_status weft_timeit_text(char **text, const weft_timing *timing);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__timeit_at(weft_timing *timing, weft_context *context,
                                                    weft_timeit_function *function, void *argument,
                                                    const weft_timeit_params *params);

#define weft_timeit(timing, context, function, ...)                          \
  weft__timeit_at((timing), (context), (function), WEFT__FIRST(__VA_ARGS__), \
                  WEFT__OPTIONS(weft_timeit_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
