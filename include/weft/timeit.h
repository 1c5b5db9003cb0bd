// SPDX-License-Identifier: MIT
/// Timing a call as IPython's %timeit does, with the device waited for and the kernels' build kept apart.
///
///     weft_status add(void *argument) {
///       weft_array **x = argument;
///       return weft_add(&x[0], x[1], x[2]);
///     }
///
///     rc = weft_timeit(&timing, context, add, x);
///     rc = weft_timeit_text(&text, &timing);  519 µs ± 2.2 µs per loop (mean ± std. dev. of 7 runs, 1000 loops each)
///
/// And as Python's timeit.timeit(function, number=1000), which gives the seconds of all calls together:
///
///     rc = weft_timeit(&timing, context, add, x, .runs = 1, .loops = 1000);
///     printf("%g\n", timing.total_ns * 1e-9);
#ifndef WEFT_TIMEIT_H
#define WEFT_TIMEIT_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// What is timed: called again and again, it must do the same each time, and release what it makes. A status that is
/// not WEFT_OK ends the timing and is what weft_timeit answers.
typedef weft_status weft_timeit_function(void *argument);

/// Options of weft_timeit.
typedef struct weft_timeit_params {
  int runs;       /* 0: 7 */
  uint64_t loops; /* calls in a run; 0: chosen so that a run takes 0.2 s or more: the first power of ten, up to 10^9 */
  const char *site; /* set by the macro */
} weft_timeit_params;

/// Times of one call are those of a run divided by its loops.
typedef struct weft_timing {
  int runs;
  uint64_t loops;
  double mean_ns;
  double deviation_ns; /* standard deviation of the runs: divided by their number, as IPython does, not by one less */
  double best_ns, worst_ns;
  double total_ns;      /* all calls of all runs */
  double first_call_ns; /* the call before the runs, which may build kernels and take memory from the driver */
  double build_ns; /* of that, building kernels; some drivers finish that at a kernel's first launch, which is not in it
                      */
} weft_timing;

/// Calls `function` once apart, then `loops` times in each of `runs` runs. A run ends when the device has finished: one
/// wait for all its calls, which is inside the clock, as the calls may return before their work is done. Where `loops`
/// is 0, calls for choosing it come before the runs. `context` NULL: the default one. On failure *timing is as it was.
/// Errors: the function's; WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE; as weft_context_wait. Method: IPython's %timeit and
/// TimeitResult (IPython/core/magics/execution.py). Thread: any, if `function` is fine there.
WEFT_API WEFT_NODISCARD weft_status weft_timeit(weft_timing *timing, weft_context *context,
                                                weft_timeit_function *function, void *argument,
                                                const weft_timeit_params *params);

/// The line that IPython prints: "519 µs ± 2.2 µs per loop (mean ± std. dev. of 7 runs, 1000 loops each)". Three
/// digits; s, ms, µs or ns, from a minute on "1min 5s"; "10,000 loops"; UTF-8. Free *text with weft_free. Errors:
/// WEFT_ERROR_ARGUMENT, WEFT_ERROR_HOST_MEMORY.
/// Thread: any.
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
