// SPDX-License-Identifier: MIT
/// Timing: the number of calls, the measured times, and IPython's format.
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "harness.h"

#define MU "\xc2\xb5"
#define PM "\xc2\xb1"

static double clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void check(const weft_timing *t) {
  ck_assert(t->best_ns > 0 && t->best_ns <= t->mean_ns * (1 + 1e-12) && t->mean_ns <= t->worst_ns * (1 + 1e-12));
  ck_assert(fabs(t->total_ns - t->mean_ns * t->runs * (double)t->loops) <= 1e-9 * t->total_ns);
  ck_assert(t->deviation_ns >= 0 && t->deviation_ns <= t->worst_ns - t->best_ns + 1e-9 * t->worst_ns);
  ck_assert(t->first_call_ns > 0 && t->build_ns >= 0 && t->build_ns <= t->first_call_ns);
  harness_count(1);
}

/* ---- the number of calls ---- */

typedef struct calls {
  uint64_t count, fail_at;
  long nap_ns;
} calls;

static weft_status call(void *argument) {
  calls *c = argument;
  c->count++;
  if (c->nap_ns) nanosleep(&(struct timespec){.tv_nsec = c->nap_ns}, NULL);
  return c->count == c->fail_at ? WEFT_ERROR_FILE : WEFT_OK;
}

START_TEST(runs_and_loops_as_asked)
{
  static const weft_timeit_params params[] = {
      {1, 1, NULL}, {1, 1000, NULL}, {3, 5, NULL}, {7, 2, NULL}, {100, 1, NULL}};
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    calls c = {0};
    weft_timing t;
    memset(&t, 0xa5, sizeof t);
    ok((weft_timeit)(&t, ctx, call, &c, &params[i]));
    ck_assert_int_eq(t.runs, params[i].runs);
    ck_assert_uint_eq(t.loops, params[i].loops);
    ck_assert_uint_eq(c.count, 1 + (uint64_t)params[i].runs * params[i].loops);
    if (t.runs == 1) ck_assert(t.deviation_ns == 0 && t.best_ns == t.worst_ns && t.mean_ns == t.best_ns);
    ck_assert(t.build_ns == 0);
    check(&t);
  }
}
END_TEST

START_TEST(loops_are_chosen)
{
  calls c = {.nap_ns = 30000000};
  weft_timing t;
  ok(weft_timeit(&t, ctx, call, &c, .runs = 2));
  ck_assert_uint_eq(t.loops, 10); /* the first power of ten that takes 0.2 s */
  ck_assert_uint_eq(c.count, 1 + 1 + 10 + 2 * 10);
  ck_assert(t.mean_ns >= 30e6 && t.best_ns * (double)t.loops >= 0.2e9);
  check(&t);
}
END_TEST

START_TEST(seven_runs_by_default)
{
  calls c = {.nap_ns = 200100000};
  weft_timing t;
  ok(weft_timeit(&t, ctx, call, &c));
  ck_assert_int_eq(t.runs, 7);
  ck_assert_uint_eq(t.loops, 1);
  ck_assert_uint_eq(c.count, 1 + 1 + 7);
  check(&t);
}
END_TEST

START_TEST(a_failure_ends_it)
{
  for (uint64_t at = 1; at <= 12; at++) {
    calls c = {.fail_at = at};
    weft_timing t, before;
    memset(&t, 0xa5, sizeof t);
    before = t;
    ck_assert_int_eq(weft_timeit(&t, ctx, call, &c, .runs = 3, .loops = 4), WEFT_ERROR_FILE);
    ck_assert_uint_eq(c.count, at);
    ck_assert_mem_eq(&t, &before, sizeof t);
  }
}
END_TEST

static weft_status wrong(void *argument) {
  weft_array *x = NULL;
  return weft_reshape(&x, argument, WEFT_SHAPE(7, 7));
}

START_TEST(an_error_names_the_call_itself)
{
  weft_array *x = NULL;
  weft_timing t;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(10)));
  expect_error(weft_timeit(&t, ctx, wrong, x), WEFT_ERROR_SHAPE, "weft_reshape: ");
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_arguments)
{
  calls c = {0};
  weft_timing t;
  char *text = NULL;
  expect_error(weft_timeit(NULL, ctx, call, &c), WEFT_ERROR_ARGUMENT, "weft_timeit: ", "@timing");
  expect_error(weft_timeit(&t, ctx, NULL, &c), WEFT_ERROR_ARGUMENT, "weft_timeit: ", "@function");
  expect_error(weft_timeit(&t, ctx, call, &c, .runs = -2), WEFT_ERROR_ARGUMENT, "@runs", "`.runs` is -2");
  expect_error(weft_timeit(&t, harness_garbage(), call, &c), WEFT_ERROR_HANDLE, "weft_timeit: ", "@context");
  ck_assert_uint_eq(c.count, 0);
  expect_error(weft_timeit_text(NULL, &t), WEFT_ERROR_ARGUMENT, "@text");
  expect_error(weft_timeit_text(&text, NULL), WEFT_ERROR_ARGUMENT, "@timing");
}
END_TEST

START_TEST(the_default_context)
{
  calls c = {0};
  weft_timing t;
  weft_context *context = NULL;
  ok(weft_device_use(device.index));
  ok(weft_timeit(&t, NULL, call, &c, .runs = 2, .loops = 3));
  ck_assert_uint_eq(c.count, 7);
  ok(weft_context_default(&context));
  ok(weft_context_close(&context));
}
END_TEST

/* ---- the measured times ---- */

typedef struct work {
  weft_kernel *kernel;
  weft_array *x;
  int steps;
} work;

static weft_status launch(void *argument) {
  work *w = argument;
  return weft_launch(w->kernel, WEFT_DIM3(1), WEFT_DIM3(1), w->x, w->steps);
}

static const char busy_source[] =
    "kernel void busy(global float *x, int steps) {\n"
    "  float y = x[0];\n"
    "  for (int i = 0; i < steps; i++) y = y * 0.999f + 1.0f;\n"
    "  x[0] = y;\n"
    "}\n";

START_TEST(the_device_is_waited_for)
{
  work w = {.steps = 1 << 20};
  weft_timing t;
  double least = INFINITY;
  ok(weft_zeros(&w.x, ctx, WEFT_F32, WEFT_SHAPE(1)));
  ok(weft_kernel_create(&w.kernel, ctx, .source = busy_source));
  for (int i = 0; i < 5; i++) {
    double start = clock_ns();
    ok(launch(&w));
    ok(weft_context_wait(ctx));
    double time = clock_ns() - start;
    if (i > 0 && time < least) least = time;
  }
  ok(weft_timeit(&t, ctx, launch, &w, .runs = 3, .loops = 5));
  ck_assert_msg(t.best_ns > 0.3 * least, "one launch and wait %.0f ns, in a run of five %.0f ns each", least,
                t.best_ns);
  check(&t);
  weft_kernel_release(&w.kernel);
  weft_array_release(&w.x);
}
END_TEST

static weft_status build_and_launch(void *argument) {
  work *w = argument;
  weft_status rc = WEFT_OK;
  if (!w->kernel) rc = weft_kernel_create(&w->kernel, weft_array_context(w->x), .source = busy_source);
  return rc ? rc : launch(w);
}

START_TEST(the_build_is_kept_apart)
{
  work w = {.steps = 1};
  weft_timing t;
  weft_kernel_info info;
  ok(weft_zeros(&w.x, ctx, WEFT_F32, WEFT_SHAPE(1)));
  ok(weft_timeit(&t, ctx, build_and_launch, &w, .runs = 2, .loops = 2));
  ok(weft_kernel_get(&info, w.kernel));
  ck_assert(t.build_ns == (double)info.build_time_ns && t.build_ns > 0);
  check(&t);
  ok(weft_timeit(&t, ctx, build_and_launch, &w, .runs = 2, .loops = 2));
  ck_assert(t.build_ns == 0);
  check(&t);
  weft_kernel_release(&w.kernel);
  weft_array_release(&w.x);
}
END_TEST

/* ---- IPython's format ---- */

typedef struct form {
  int runs;
  uint64_t loops;
  double mean_ns, deviation_ns;
  const char *text;
} form;

/// The document's lines; then IPython 8.12's lines for these numbers.
static const form forms[] = {
    {7, 1, 1.57e6, 220e3, "1.57 ms " PM " 220 " MU "s per loop (mean " PM " std. dev. of 7 runs, 1 loop each)"},
    {7, 1000, 608e3, 1390,
     "608 " MU "s " PM " 1.39 " MU "s per loop (mean " PM " std. dev. of 7 runs, 1000 loops each)"},
    {7, 1000, 519e3, 2200,
     "519 " MU "s " PM " 2.2 " MU "s per loop (mean " PM " std. dev. of 7 runs, 1000 loops each)"},
    {7, 1000, 519e3, 6800,
     "519 " MU "s " PM " 6.8 " MU "s per loop (mean " PM " std. dev. of 7 runs, 1000 loops each)"},
    {1, 1, 0, 999.4, "0 ns " PM " 999 ns per loop (mean " PM " std. dev. of 1 run, 1 loop each)"},
    {2, 10, 0.1, 1000, "0.1 ns " PM " 1 " MU "s per loop (mean " PM " std. dev. of 2 runs, 10 loops each)"},
    {7, 100, 0.42, 1, "0.42 ns " PM " 1 ns per loop (mean " PM " std. dev. of 7 runs, 100 loops each)"},
    {3, 10000, 1, 123456, "1 ns " PM " 123 " MU "s per loop (mean " PM " std. dev. of 3 runs, 10,000 loops each)"},
    {1, 100000, 9.994, 1234500, "9.99 ns " PM " 1.23 ms per loop (mean " PM " std. dev. of 1 run, 100,000 loops each)"},
    {2, 1000000, 9.996, 9.994, "10 ns " PM " 9.99 ns per loop (mean " PM " std. dev. of 2 runs, 1,000,000 loops each)"},
    {7, 1000000000, 12.34, 0.42,
     "12.3 ns " PM " 0.42 ns per loop (mean " PM " std. dev. of 7 runs, 1,000,000,000 loops each)"},
    {3, 123456, 999.4, 0.42, "999 ns " PM " 0.42 ns per loop (mean " PM " std. dev. of 3 runs, 123,456 loops each)"},
    {1, 1, 999.6, 0, "1e+03 ns " PM " 0 ns per loop (mean " PM " std. dev. of 1 run, 1 loop each)"},
    {2, 10, 1000, 123456, "1 " MU "s " PM " 123 " MU "s per loop (mean " PM " std. dev. of 2 runs, 10 loops each)"},
    {7, 100, 1000.01, 100000000, "1 " MU "s " PM " 100 ms per loop (mean " PM " std. dev. of 7 runs, 100 loops each)"},
    {3, 10000, 9999, 1000, "10 " MU "s " PM " 1 " MU "s per loop (mean " PM " std. dev. of 3 runs, 10,000 loops each)"},
    {1, 100000, 123456, 0.1, "123 " MU "s " PM " 0.1 ns per loop (mean " PM " std. dev. of 1 run, 100,000 loops each)"},
    {2, 1000000, 999500, 999.4,
     "1e+03 " MU "s " PM " 999 ns per loop (mean " PM " std. dev. of 2 runs, 1,000,000 loops each)"},
    {7, 1000000000, 1000000, 15800000,
     "1 ms " PM " 15.8 ms per loop (mean " PM " std. dev. of 7 runs, 1,000,000,000 loops each)"},
    {3, 123456, 1234500, 100000000,
     "1.23 ms " PM " 100 ms per loop (mean " PM " std. dev. of 3 runs, 123,456 loops each)"},
    {1, 1, 15800000, 9999, "15.8 ms " PM " 10 " MU "s per loop (mean " PM " std. dev. of 1 run, 1 loop each)"},
    {2, 10, 100000000, 999.6, "100 ms " PM " 1e+03 ns per loop (mean " PM " std. dev. of 2 runs, 10 loops each)"},
    {7, 100, 999900000, 9.996, "1e+03 ms " PM " 10 ns per loop (mean " PM " std. dev. of 7 runs, 100 loops each)"},
    {3, 10000, 1e+09, 1, "1 s " PM " 1 ns per loop (mean " PM " std. dev. of 3 runs, 10,000 loops each)"},
    {1, 100000, 9.995e+09, 999.6,
     "9.99 s " PM " 1e+03 ns per loop (mean " PM " std. dev. of 1 run, 100,000 loops each)"},
    {2, 1000000, 5.994e+10, 12.34,
     "59.9 s " PM " 12.3 ns per loop (mean " PM " std. dev. of 2 runs, 1,000,000 loops each)"},
    {7, 1000000000, 5.996e+10, 0,
     "60 s " PM " 0 ns per loop (mean " PM " std. dev. of 7 runs, 1,000,000,000 loops each)"},
    {3, 123456, 6e+10, 999.6, "1min " PM " 1e+03 ns per loop (mean " PM " std. dev. of 3 runs, 123,456 loops each)"},
    {1, 1, 6.12e+10, 999.6, "1min 1s " PM " 1e+03 ns per loop (mean " PM " std. dev. of 1 run, 1 loop each)"},
    {2, 10, 6.59e+10, 12.34, "1min 5s " PM " 12.3 ns per loop (mean " PM " std. dev. of 2 runs, 10 loops each)"},
    {7, 100, 3.6e+12, 9.996, "1h " PM " 10 ns per loop (mean " PM " std. dev. of 7 runs, 100 loops each)"},
    {3, 10000, 3.661e+12, 1000,
     "1h 1min 1s " PM " 1 " MU "s per loop (mean " PM " std. dev. of 3 runs, 10,000 loops each)"},
    {1, 100000, 3.7255e+12, 1000,
     "1h 2min 5s " PM " 1 " MU "s per loop (mean " PM " std. dev. of 1 run, 100,000 loops each)"},
    {2, 1000000, 8.64e+13, 9999,
     "1d " PM " 10 " MU "s per loop (mean " PM " std. dev. of 2 runs, 1,000,000 loops each)"},
    {7, 1000000000, 9.00619e+13, 9e+11,
     "1d 1h 1min 1s " PM " 15min per loop (mean " PM " std. dev. of 7 runs, 1,000,000,000 loops each)"},
    {3, 123456, 1.19999e+11, 1e+09,
     "1min 59s " PM " 1 s per loop (mean " PM " std. dev. of 3 runs, 123,456 loops each)"},
};

START_TEST(text_is_ipythons)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const form *f = &forms[i];
    const weft_timing t = {.runs = f->runs, .loops = f->loops, .mean_ns = f->mean_ns, .deviation_ns = f->deviation_ns};
    char *text = NULL;
    ok(weft_timeit_text(&text, &t));
    ck_assert_str_eq(text, f->text);
    weft_free(text);
    harness_count(1);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "calls");
  tcase_add_test(tc, runs_and_loops_as_asked);
  tcase_add_test(tc, loops_are_chosen);
  tcase_add_test(tc, seven_runs_by_default);
  tcase_add_test(tc, a_failure_ends_it);
  tcase_add_test(tc, an_error_names_the_call_itself);
  tcase_add_test(tc, wrong_arguments);
  tc = harness_case(suite, "default");
  tcase_add_test(tc, the_default_context);
  tc = harness_context_case(suite, "times");
  tcase_add_test(tc, the_device_is_waited_for);
  tcase_add_test(tc, the_build_is_kept_apart);
  tc = harness_case(suite, "text");
  tcase_add_test(tc, text_is_ipythons);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "timeit", .add = add});
}
