// SPDX-License-Identifier: MIT
/// Times calls, and writes the result in IPython's format.
#include <weft/timeit.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "context/context.h"

#define DEFAULT_RUNS 7
#define RUN_NS 200000000u /* the least time of a run if the loops are chosen */
#define MOST_LOOPS 1000000000u

/// Measures `loops` calls and the wait for the work they enqueue. Must be called outside of weft__enter: the function's
/// calls are the user's own, and an error must name them.
static weft_status time_calls(uint64_t *time_ns, weft_context *context, weft_timeit_function *function, void *argument,
                              uint64_t loops) {
  uint64_t start = weft__now_ns();
  for (uint64_t i = 0; i < loops; i++) WEFT__TRY_RETURN(function(argument));
  WEFT__TRY_RETURN(weft_context_wait(context));
  *time_ns = weft__now_ns() - start;
  return WEFT_OK;
}

/// Chooses the loops as IPython does: 1, 10, 100, ... until a run is long enough to be measured.
static weft_status choose_loops(uint64_t *loops, weft_context *context, weft_timeit_function *function,
                                void *argument) {
  uint64_t time_ns = 0;
  for (*loops = 1;; *loops *= 10) {
    WEFT__TRY_RETURN(time_calls(&time_ns, context, function, argument, *loops));
    if (time_ns >= RUN_NS || *loops >= MOST_LOOPS) return WEFT_OK;
  }
}

static void sum_up(weft_timing *t, const double *run_ns) {
  t->best_ns = t->worst_ns = run_ns[0] / (double)t->loops;
  for (int r = 0; r < t->runs; r++) {
    double one = run_ns[r] / (double)t->loops;
    t->total_ns += run_ns[r];
    t->mean_ns += one / t->runs;
    if (one < t->best_ns) t->best_ns = one;
    if (one > t->worst_ns) t->worst_ns = one;
  }
  for (int r = 0; r < t->runs; r++) {
    double off = run_ns[r] / (double)t->loops - t->mean_ns;
    t->deviation_ns += off * off / t->runs;
  }
  t->deviation_ns = sqrt(t->deviation_ns);
}

static weft_status prepare(weft_timing *timing, weft_context **context, weft_timeit_function *function,
                           const weft_timeit_params *params) {
  weft_status rc;
  weft__enter("weft_timeit", params->site);
  WEFT__NEED(timing);
  WEFT__NEED(function);
  if (params->runs < 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "runs", "`.runs` is %d; expected 0 (for %d) or more", params->runs,
                         DEFAULT_RUNS));
  WEFT__TRY(weft__context_resolve(context, *context));
  rc = weft__core_wait(&(*context)->core);
done:
  return weft__leave(rc);
}

static weft_status allocate_runs(double **run_ns, int runs, const char *site) {
  weft__enter("weft_timeit", site);
  *run_ns = weft__new((size_t)runs * sizeof **run_ns);
  return weft__leave(*run_ns ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
}

weft_status weft__timeit_at(weft_timing *timing, weft_context *context, weft_timeit_function *function, void *argument,
                            const weft_timeit_params *params) {
  const weft_timeit_params p = WEFT__PARAMS(params);
  weft_timing t = {.runs = p.runs ? p.runs : DEFAULT_RUNS, .loops = p.loops};
  double *run_ns = NULL;
  uint64_t time_ns, built_ns = 0;
  weft_status rc;
  WEFT__TRY_RETURN(prepare(timing, &context, function, &p));
  WEFT__TRY_RETURN(allocate_runs(&run_ns, t.runs, p.site));
  weft_context_retain(context); /* the function may release the context */
  built_ns = atomic_load(&context->core.usage.build_time_ns);
  WEFT__TRY(time_calls(&time_ns, context, function, argument, 1));
  t.first_call_ns = (double)time_ns;
  t.build_ns = (double)(atomic_load(&context->core.usage.build_time_ns) - built_ns);
  if (t.loops == 0) WEFT__TRY(choose_loops(&t.loops, context, function, argument));
  for (int r = 0; r < t.runs; r++) {
    WEFT__TRY(time_calls(&time_ns, context, function, argument, t.loops));
    run_ns[r] = (double)time_ns;
  }
  sum_up(&t, run_ns);
  *timing = t;
done:
  free(run_ns);
  weft_context_release(&context);
  return rc;
}

/* ---- IPython's format ---- */

/// Appends a time of a minute or more: "1min 5s", "2h 3min". The last part is truncated, not rounded.
static void add_long(weft__text *text, double seconds) {
  static const struct {
    const char *suffix;
    double length;
  } parts[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
  bool any = false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && (seconds >= 1 || !any); i++) {
    double value = floor(seconds / parts[i].length);
    if (value < 1) continue;
    seconds = fmod(seconds, parts[i].length);
    weft__text_add(text, "%s%.0f%s", any ? " " : "", value, parts[i].suffix);
    any = true;
  }
}

static void add_time(weft__text *text, double ns) {
  static const char *const units[] = {"s", "ms", "\xc2\xb5s", "ns"};
  static const double scale[] = {1, 1e3, 1e6, 1e9};
  double seconds = ns / 1e9;
  char number[64];
  if (seconds >= 60 && isfinite(seconds)) {
    add_long(text, seconds);
    return;
  }
  int order = 3;
  if (seconds > 0 && seconds < 60) {
    order = (int)-floor(floor(log10(seconds)) / 3);
    if (order > 3) order = 3;
  }
  snprintf(number, sizeof number, "%.3g", seconds * scale[order]);
  for (char *p = number; *p; p++)
    if (*p == ',') *p = '.'; /* some locales use a comma */
  weft__text_add(text, "%s %s", number, units[order]);
}

/// Appends 10000 as "10,000". 1000 stays "1000": IPython 8 writes "1,000", but earlier versions and the pages one
/// compares with write "1000".
static void add_loops(weft__text *text, uint64_t n) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
  for (int i = 0; i < length; i++)
    weft__text_add(text, "%s%c", i && length > 4 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

weft_status weft_timeit_text(char **text, const weft_timing *timing) {
  static const char pm[] = "\xc2\xb1";
  weft__text line = {0};
  weft_status rc = WEFT_OK;
  weft__enter("weft_timeit_text", NULL);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__NEED(timing);
  add_time(&line, timing->mean_ns);
  weft__text_add(&line, " %s ", pm);
  add_time(&line, timing->deviation_ns);
  weft__text_add(&line, " per loop (mean %s std. dev. of %d run%s, ", pm, timing->runs, timing->runs == 1 ? "" : "s");
  add_loops(&line, timing->loops);
  weft__text_add(&line, " loop%s each)", timing->loops == 1 ? "" : "s");
  if (!(*text = weft__text_take(&line))) rc = weft__fail_host_memory(1);
  return weft__leave(rc);
}
