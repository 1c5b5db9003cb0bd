// SPDX-License-Identifier: MIT
/// The trace of a call's steps on stderr, and a context's counts and advice.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "harness.h"

enum { N = 5000, BYTES = N * 4 };

static float a[N], b[N], sum[N];

static void fill_host(void) {
  for (int i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = 2.0f * (float)i;
    sum[i] = -1;
  }
}

static weft_status add_host(void) {
  return weft_add(WEFT_HOST_OUT(sum, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N)),
                  WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(N)));
}

/* ---- the output on stderr ---- */

static int count_lines(const char *lines) {
  int count = 0;
  for (; *lines; lines++) count += *lines == '\n';
  return count;
}

/// The lines must match these patterns, in which * stands for anything; NULL ends them. Each line begins with "weft:
/// FUNCTION (...test_trace.c:N): ".
static bool matches(const char *pattern, const char *line, size_t length) {
  if (!*pattern) return length == 0;
  if (*pattern == '*') {
    for (size_t skip = 0; skip <= length; skip++)
      if (matches(pattern + 1, line + skip, length - skip)) return true;
    return false;
  }
  return length > 0 && *pattern == *line && matches(pattern + 1, line + 1, length - 1);
}

static void expect_lines(const char *lines, const char *function, const char *const *patterns) {
  char pattern[256];
  const char *line = lines;
  for (int k = 0; patterns[k]; k++, harness_count(1)) {
    size_t length = strcspn(line, "\n");
    ck_assert_msg(line[length] == '\n', "no line like `%s` in\n%s", patterns[k], lines);
    snprintf(pattern, sizeof pattern, "weft: %s (*test_trace.c:*): %s", function, patterns[k]);
    ck_assert_msg(matches(pattern, line, length), "line %d is not like `%s`:\n%s", k + 1, pattern, lines);
    line += length + 1;
  }
  ck_assert_msg(*line == 0, "more lines than expected:\n%s", lines);
}

#define expect_trace(function, ...) \
  expect_lines(harness_caught_text(), (function), (const char *const[]){__VA_ARGS__, NULL})

START_TEST(six_steps_of_a_call_with_host_memory)
{
  weft_context *context = NULL; /* the context of a call on host memory alone */
  ok(weft_device_use(device.index));
  ok(weft_context_default(&context));
  fill_host();
  weft_trace(true);
  harness_catch_stderr();
  ok(add_host());
  expect_trace("weft_add", "2 allocate   20000 bytes for `a`: * *s", "3 copy in    20000 bytes of `a`: * *s, *.* GB/s",
               "2 allocate   20000 bytes for `b`: * *s", "3 copy in    20000 bytes of `b`: * *s, *.* GB/s",
               "2 allocate   20000 bytes for `out`: * *s", "1 compile    add for f32, f32: * *s",
               "4 launch     weft_map_add, * block* thread*: * *s", "5 copy back  20000 bytes of `out`: * *s, *.* GB/s",
               "6 return     after * *s");
  for (int i = 0; i < N; i++) ck_assert(sum[i] == 3.0f * (float)i);
  /* the second call compiles nothing, and the pool has the memory */
  harness_catch_stderr();
  ok(add_host());
  weft_trace(false);
  expect_trace("weft_add", "2 allocate   20000 bytes for `a`, from the pool: * *s", "3 copy in    *", "2 allocate *",
               "3 copy in    *", "2 allocate *", "4 launch     *", "5 copy back  *", "6 return     *");
  harness_catch_stderr();
  ok(add_host());
  ck_assert_str_eq(harness_caught_text(), "");
  ok(weft_context_close(&context));
}
END_TEST

START_TEST(only_the_steps_there_are)
{
  weft_array *x = NULL, *y = NULL;
  float host[N];
  fill_host();
  weft_trace(true);
  harness_catch_stderr();
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), a));
  expect_trace("weft_from_host", "2 allocate   20000 bytes for `out`: *", "3 copy in    20000 bytes of `data`: *GB/s",
               "6 return     after *");
  harness_catch_stderr();
  ok(weft_multiply(&y, x, 2.0f));
  expect_trace("weft_multiply", "2 allocate   20000 bytes for `out`*", "1 compile    multiply for f32, scalar: *",
               "4 launch *", "6 return *");
  harness_catch_stderr();
  ok(weft_multiply(&y, x, 2.0f));
  expect_trace("weft_multiply", "4 launch     weft_map_multiply, *", "6 return     after *");
  harness_catch_stderr();
  ok(weft_to_host(host, sizeof host, y));
  expect_trace("weft_to_host", "5 copy back  20000 bytes: *GB/s", "6 return     after *");
  harness_catch_stderr();
  ok(weft_copy(&y, x));
  expect_trace("weft_copy", "4 launch     a copy of 20000 bytes on the device: *", "6 return     after *");
  /* calls that do nothing on the device print nothing */
  harness_catch_stderr();
  weft_array *view = NULL;
  ok(weft_slice(&view, x, 0, 0, 10));
  weft_array_release(&view);
  expect_error(weft_reshape(&view, x, WEFT_SHAPE(7, 7)), WEFT_ERROR_SHAPE, "weft_reshape");
  ck_assert_str_eq(harness_caught_text(), "");
  weft_trace(false);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

START_TEST(a_kernel_of_the_users)
{
  weft_array *x = NULL;
  weft_kernel *kernel = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(64)));
  weft_trace(true);
  harness_catch_stderr();
  ok(weft_kernel_create(&kernel, ctx, .source = "kernel void mark(global int *x) { x[get_global_id(0)] = 1; }\n"));
  expect_trace("weft_kernel_create", "1 compile    kernel.cl: * *s", "6 return     after *");
  harness_catch_stderr();
  ok(weft_launch(kernel, WEFT_DIM3(4), WEFT_DIM3(16), x));
  expect_trace("weft_launch", "4 launch     mark, 4 blocks of 16 threads: *", "6 return     after *");
  harness_catch_stderr();
  ok(weft_launch(kernel, WEFT_DIM3(2, 2), WEFT_DIM3(4, 1, 4), x));
  expect_trace("weft_launch", "4 launch     mark, 2 x 2 x 1 blocks of 4 x 1 x 4 threads: *", "6 return     after *");
  weft_trace(false);
  weft_kernel_release(&kernel);
  weft_array_release(&x);
}
END_TEST

START_TEST(a_failure_says_which)
{
  weft_array *small = NULL;
  fill_host();
  ok(weft_zeros(&small, ctx, WEFT_F32, WEFT_SHAPE(10)));
  weft_trace(true);
  harness_catch_stderr();
  weft_status rc = weft_add(&small, WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N)), 1);
  weft_trace(false);
  ck_assert_int_eq(rc, WEFT_ERROR_SHAPE);
  const char *lines = harness_caught_text();
  ck_assert_msg(strstr(lines, "6 return     WEFT_ERROR_SHAPE after "), "%s", lines);
  weft_array_release(&small);
}
END_TEST

/// The environment is read once per process, so this needs a process that has not called Weft yet; with CK_FORK=no it
/// has.
static bool is_fresh_process(void) {
  const char *fork = getenv("CK_FORK");
  return !fork || strcmp(fork, "no") != 0;
}

START_TEST(the_environment_asks)
{
  static const struct {
    const char *value;
    bool traces;
  } wishes[] = {{"1", true}, {"yes", true}, {"0", false}, {"", false}, {NULL, false}};
  if (!is_fresh_process()) return;
  if (wishes[_i].value)
    setenv("WEFT_TRACE", wishes[_i].value, 1);
  else
    unsetenv("WEFT_TRACE");
  harness_catch_stderr();
  harness_context_open();
  const char *lines = harness_caught_text();
  ck_assert_msg((strstr(lines, ": 1 compile    core.cl: ") != NULL) == wishes[_i].traces, "%s", lines);
  if (!wishes[_i].traces) ck_assert_str_eq(lines, "");
  /* the call takes precedence over the environment, and later changes of the environment have no effect */
  setenv("WEFT_TRACE", "1", 1);
  weft_trace(false);
  weft_array *x = NULL;
  harness_catch_stderr();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ck_assert_str_eq(harness_caught_text(), "");
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

static void *trace_some(void *user) {
  weft_array *x = NULL;
  (void)user;
  for (int i = 0; i < 20; i++) {
    if (weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), a)) return "failed";
    if (weft_fill(x, i)) return "failed";
    weft_array_release(&x);
  }
  return NULL;
}

START_TEST(lines_of_threads_stay_whole)
{
  pthread_t thread[4];
  void *failed[4];
  weft_trace(true);
  harness_catch_stderr();
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, trace_some, NULL), 0);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_join(thread[i], &failed[i]), 0);
  const char *lines = harness_caught_text();
  weft_trace(false);
  for (int i = 0; i < 4; i++) ck_assert_ptr_null(failed[i]);
  ck_assert_int_eq(count_lines(lines), 4 * 20 * 5);
  for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
    ck_assert_msg(matches("weft: weft_f*test_trace.c:*): * *", line, strcspn(line, "\n")), "%.100s", line);
    ck_assert_msg(!strstr(line + 1, "weft: ") || strstr(line + 1, "weft: ") > strchr(line, '\n'), "%.200s", line);
  }
}
END_TEST

/* ---- counts ---- */

static weft_usage usage(void) {
  weft_usage u;
  weft_memory_stats stats;
  memset(&u, 0xa5, sizeof u);
  ok(weft_usage_get(&u, ctx));
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_eq(u.launches, stats.launches);
  ck_assert_uint_le(u.small_launches, u.launches);
  ck_assert((u.full_threads == 0) != (u.full_blocks == 0));
  harness_count(1);
  return u;
}

START_TEST(a_new_context_has_built_its_own)
{
  weft_device_info info;
  weft_usage u = usage();
  ok(weft_context_get_device(&info, ctx));
  ck_assert_uint_eq(u.builds, 1);
  ck_assert_uint_gt(u.build_time_ns, 0);
  ck_assert_uint_eq(u.small_launches + u.copies_in + u.copies_in_bytes + u.copies_back + u.copies_back_bytes, 0);
  ck_assert_uint_eq(u.full_blocks, info.type == WEFT_DEVICE_TYPE_CPU ? info.compute_units : 0);
  ck_assert_uint_eq(u.full_threads,
                    info.type == WEFT_DEVICE_TYPE_CPU ? 0 : info.compute_units * info.max_block_threads);
}
END_TEST

START_TEST(copies_that_nobody_wrote_are_counted)
{
  weft_array *x = NULL, *y = NULL;
  float host[N];
  fill_host();
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), a)); /* gives a call with host memory this context */
  weft_usage before = usage();
  ok(weft_add(&y, x, WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(N))));
  weft_usage after = usage();
  ck_assert_uint_eq(after.copies_in - before.copies_in, 1);
  ck_assert_uint_eq(after.copies_in_bytes - before.copies_in_bytes, BYTES);
  ck_assert_uint_eq(after.copies_back, 0);
  ok(weft_multiply(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(N)), x, y));
  after = usage();
  ck_assert_uint_eq(after.copies_in, 1);
  ck_assert_uint_eq(after.copies_back, 1);
  ck_assert_uint_eq(after.copies_back_bytes, BYTES);
  /* explicit copies are not counted, nor are copies of empty arrays */
  ok(weft_to_host(host, sizeof host, y));
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), b));
  ok(weft_add(&y, x, y));
  weft_array_release(&y);
  weft_array *none = NULL;
  ok(weft_zeros(&none, ctx, WEFT_F32, WEFT_SHAPE(0)));
  ok(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(0)), none, WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(0))));
  weft_usage last = usage();
  ck_assert_uint_eq(last.copies_in, 1);
  ck_assert_uint_eq(last.copies_back, 1);
  weft_array_release(&none);
  weft_array_release(&x);
}
END_TEST

START_TEST(builds_and_launches_are_counted)
{
  static const char source[] = "kernel void k(global float *x) { x[0] = 1; }\n";
  weft_kernel *kernel = NULL, *again = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_kernel_info info;
  weft_usage before = usage();
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  ok(weft_kernel_create(&again, ctx, .source = source));
  ok(weft_kernel_get(&info, kernel));
  weft_usage after = usage();
  ck_assert_uint_eq(after.builds - before.builds, 1);
  ck_assert_uint_eq(after.build_time_ns - before.build_time_ns, info.build_time_ns);
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  before = usage();
  for (int i = 0; i < 3; i++) ok(weft_sqrt(&y, x));
  after = usage();
  ck_assert_uint_eq(after.builds - before.builds, 1);
  ck_assert_uint_eq(after.launches - before.launches, 3);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_kernel_release(&kernel);
  weft_kernel_release(&again);
}
END_TEST

START_TEST(small_launches_are_counted)
{
  weft_kernel *kernel = NULL;
  weft_array *x = NULL, *y = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4))); /* Weft's own fills do not count */
  ok(weft_kernel_create(&kernel, ctx, .source = "kernel void none(global float *x) { if (!x) x[0] = 1; }\n"));
  weft_usage u = usage();
  ck_assert_uint_eq(u.small_launches, 0);
  uint64_t block = u.full_blocks ? 4 : 1, full = u.full_blocks ? u.full_blocks : u.full_threads;
  ok(weft_launch(kernel, WEFT_DIM3(full), WEFT_DIM3(block), x));
  ck_assert_uint_eq(usage().small_launches, 0);
  if (full > 1) {
    ok(weft_launch(kernel, WEFT_DIM3(full - 1), WEFT_DIM3(block), x));
    ck_assert_uint_eq(usage().small_launches, 1);
    ok(weft_add(&y, x, x));
    ok(weft_add(&y, x, x));
    ck_assert_uint_eq(usage().small_launches, 3);
  }
  weft_array_release(&y);
  weft_array_release(&x);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(wrong_arguments)
{
  weft_usage u;
  expect_error(weft_usage_get(NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_usage_get", "@usage");
  expect_error(weft_usage_get(&u, NULL), WEFT_ERROR_HANDLE, "weft_usage_get", "@context");
  expect_error(weft_usage_get(&u, harness_garbage()), WEFT_ERROR_HANDLE, "weft_usage_get", "@context");
}
END_TEST

/* ---- advice ---- */

typedef struct advice {
  int count;
  char text[8][1024];
} advice;

static void take_advice(void *user, weft_log_level level, const char *message) {
  advice *all = user;
  if (level != WEFT_LOG_WARNING || all->count == 8) return;
  snprintf(all->text[all->count++], sizeof all->text[0], "%s", message);
}

START_TEST(the_first_of_each_kind_is_advised)
{
  advice all = {0};
  weft_array *x = NULL, *y = NULL;
  weft_usage u = usage();
  float host[4] = {0};
  fill_host();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4)));
  ok(weft_add(&y, x, x)); /* without a log it is lost, and is not repeated */
  weft_log_set(WEFT_LOG_WARNING, take_advice, &all);
  for (int i = 0; i < 3; i++) {
    ok(weft_add(&y, x, WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(4))));
    ok(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(4)), x, y));
  }
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_int_eq(all.count, 2);
  ck_assert_msg(strstr(all.text[0], "weft_add (") && strstr(all.text[0], "test_trace.c:") &&
                    strstr(all.text[0], "16 bytes of `b`") && strstr(all.text[0], "weft_from_host"),
                "%s", all.text[0]);
  ck_assert_msg(strstr(all.text[1], "weft_add (") && strstr(all.text[1], "16 bytes of `out` back"), "%s", all.text[1]);
  weft_array_release(&y);
  weft_array_release(&x);
  /* another context gives its advice anew */
  harness_context_close();
  harness_context_open();
  memset(&all, 0, sizeof all);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4)));
  weft_log_set(WEFT_LOG_WARNING, take_advice, &all);
  for (int i = 0; i < 3; i++) ok(weft_add(&y, x, x));
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  if (u.full_blocks != 1) {
    ck_assert_int_eq(all.count, 1);
    ck_assert_msg(strstr(all.text[0], "weft_add (") && strstr(all.text[0], "test_trace.c:") &&
                      strstr(all.text[0], "launches add with "),
                  "%s", all.text[0]);
  }
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "trace");
  tcase_add_test(tc, only_the_steps_there_are);
  tcase_add_test(tc, a_kernel_of_the_users);
  tcase_add_test(tc, a_failure_says_which);
  tcase_add_test(tc, lines_of_threads_stay_whole);
  tc = harness_case(suite, "default");
  tcase_add_test(tc, six_steps_of_a_call_with_host_memory);
  tcase_add_loop_test(tc, the_environment_asks, 0, 5);
  tc = harness_context_case(suite, "usage");
  tcase_add_test(tc, a_new_context_has_built_its_own);
  tcase_add_test(tc, copies_that_nobody_wrote_are_counted);
  tcase_add_test(tc, builds_and_launches_are_counted);
  tcase_add_test(tc, small_launches_are_counted);
  tcase_add_test(tc, wrong_arguments);
  tc = harness_context_case(suite, "advice");
  tcase_add_test(tc, the_first_of_each_kind_is_advised);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "trace", .add = add});
}
