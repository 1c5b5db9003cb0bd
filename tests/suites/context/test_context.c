// SPDX-License-Identifier: MIT
/// Contexts: creation, sharing, closing, and reports of leaks.
#include <CL/cl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* ---- making ---- */

START_TEST(create_and_close)
{
  harness_context_open();
  ok(weft_context_wait(ctx));
  harness_context_close();
}
END_TEST

START_TEST(create_without_params_uses_the_threads_device)
{
  weft_device_info info;
  ok(weft_device_use(device.index));
  ok(weft_context_create(&ctx));
  ok(weft_context_get_device(&info, ctx));
  ck_assert_int_eq(info.index, device.index);
  harness_context_close();
}
END_TEST

START_TEST(device_is_the_one_asked_for)
{
  weft_device_info info, listed;
  char number[16];
  snprintf(number, sizeof number, "%d", device.index);
  weft_context_params params = {.device = number};
  ok((weft_context_create)(&ctx, &params));
  ok(weft_context_get_device(&info, ctx));
  ok(weft_device_get(&listed, device.index));
  ck_assert_int_eq(info.index, device.index);
  ck_assert_str_eq(info.name, listed.name);
  ck_assert_uint_eq(info.max_block_threads, listed.max_block_threads);
  ck_assert_uint_eq(info.memory_size_bytes, listed.memory_size_bytes);
  harness_context_close();
}
END_TEST

START_TEST(create_errors)
{
  weft_context *const poison = harness_garbage();
  weft_context *context = poison;
  weft_context_params params = {.device = "no such device 93b1"};
  expect_error(weft_context_create((weft_context **)NULL), WEFT_ERROR_ARGUMENT, "weft_context_create", "@out", "NULL");
  expect_error((weft_context_create)(&context, &params), WEFT_ERROR_NO_DEVICE, "weft_context_create",
               "no such device 93b1", device.name);
  ck_assert_ptr_null(context); /* "*out is set to NULL on failure" */
  params = (weft_context_params){.device = device.selector, .wait = (weft_wait_policy)99};
  expect_error((weft_context_create)(&context, &params), WEFT_ERROR_ARGUMENT, "wait", "99");
  params.wait = (weft_wait_policy)-1;
  expect_error((weft_context_create)(&context, &params), WEFT_ERROR_ARGUMENT, "wait", "-1");
  ck_assert_ptr_null(context);
}
END_TEST

START_TEST(version_of_the_headers_is_checked)
{
  const int wrong[] = {0, -1, WEFT_VERSION_NUMBER + 1000, WEFT_VERSION_NUMBER + 1000000, INT32_MAX};
  weft_context_params params = {.device = device.selector};
  weft_context *context = NULL;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft__context_create_at(&context, &params, wrong[i]), WEFT_ERROR_VERSION, "weft_context_create",
                 WEFT_VERSION_STRING);
    ck_assert_ptr_null(context);
    expect_error(weft__context_default_at(&context, wrong[i], WEFT_SITE), WEFT_ERROR_VERSION, "weft_context_default",
                 WEFT_VERSION_STRING);
    ck_assert_ptr_null(context);
    harness_count(2);
  }
}
END_TEST

START_TEST(every_wait_policy_waits)
{
  for (int wait = WEFT_WAIT_AUTO; wait <= WEFT_WAIT_SLEEP; wait++) {
    weft_context_params params = {.device = device.selector, .wait = (weft_wait_policy)wait};
    weft_array *x = NULL;
    int32_t data[1000] = {0};
    ok((weft_context_create)(&ctx, &params));
    ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(1000), wait + 5));
    ok(weft_context_wait(ctx));
    ok(weft_to_host(data, sizeof data, x));
    for (int i = 0; i < 1000; i++) ck_assert_int_eq(data[i], wait + 5);
    weft_array_release(&x);
    harness_context_close();
    harness_count(1);
  }
}
END_TEST

/* ---- references ---- */

START_TEST(release_of_nothing)
{
  weft_context *none = NULL;
  weft_context_release(NULL);
  weft_context_release(&none);
  ck_assert_ptr_null(none);
  ck_assert_ptr_null(weft_context_retain(NULL));
}
END_TEST

START_TEST(references_are_counted)
{
  weft_context *second;
  harness_context_open();
  second = weft_context_retain(ctx);
  ck_assert_ptr_eq(second, ctx);
  weft_context_release(&ctx);
  ck_assert_ptr_null(ctx);
  ok(weft_context_wait(second));
  weft_context_release(&second);
  ck_assert_ptr_null(second);
}
END_TEST

START_TEST(arrays_hold_their_context)
{
  weft_array *x = NULL;
  weft_stream *stream = NULL;
  float data[3] = {0};
  harness_context_open();
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_stream_create(&stream, ctx));
  weft_context_release(&ctx); /* before its array and stream */
  ok(weft_to_host(data, sizeof data, x));
  ck_assert_float_eq(data[2], 1.0f);
  ok(weft_context_wait(weft_array_context(x)));
  weft_array_release(&x);
  ok(weft_stream_wait(stream));
  weft_stream_release(&stream);
}
END_TEST

START_TEST(default_is_shared)
{
  weft_context *a = NULL, *b = NULL;
  weft_array *x = NULL;
  ok(weft_device_use(device.index));
  ok(weft_context_default(&a));
  ok(weft_context_default(&b));
  ck_assert_ptr_nonnull(a);
  ck_assert_ptr_eq(a, b);
  ok(weft_zeros(&x, NULL, WEFT_F32, WEFT_SHAPE(3)));
  ck_assert_ptr_eq(weft_array_context(x), a);
  weft_array_release(&x);
  weft_context_release(&b);
  ok(weft_context_wait(a));
  weft_context_release(&a);
  expect_error(weft_context_default((weft_context **)NULL), WEFT_ERROR_ARGUMENT, "weft_context_default", "@out",
               "NULL");
}
END_TEST

static void *default_in_thread(void *out) {
  weft_context *context = NULL;
  if (weft_device_use(device.index) == WEFT_OK && weft_context_default(&context) == WEFT_OK)
    *(weft_context **)out = context;
  return NULL;
}

START_TEST(default_is_shared_by_threads)
{
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  weft_context *seen[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, default_in_thread, &seen[i]), 0);
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  ck_assert_ptr_nonnull(seen[0]);
  for (int i = 1; i < THREADS; i++) ck_assert_ptr_eq(seen[i], seen[0]);
  for (int i = 0; i < THREADS; i++) weft_context_release(&seen[i]);
}
END_TEST

/* ---- handles ---- */

START_TEST(wrong_handles)
{
  weft_context *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  weft_device_info info;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *what = wrong[i] ? "context" : "NULL";
    expect_error(weft_context_wait(wrong[i]), WEFT_ERROR_HANDLE, "weft_context_wait", "@context", what);
    expect_error(weft_context_get_device(&info, wrong[i]), WEFT_ERROR_HANDLE, "weft_context_get_device", "@context",
                 what);
    if (wrong[i]) expect_error(weft_context_close(&wrong[i]), WEFT_ERROR_HANDLE, "weft_context_close", "context");
    harness_count(3);
  }
  ok(weft_context_close(&wrong[0])); /* like release, it accepts NULL: one exit for all paths */
  weft_status rc = weft_context_close(NULL);
  ck_assert(rc == WEFT_OK || rc == WEFT_ERROR_ARGUMENT);
  harness_context_open();
  expect_error(weft_context_get_device(NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_context_get_device", "@info", "NULL");
  harness_context_close();
}
END_TEST

START_TEST(a_handle_of_another_kind)
{
  weft_array *x = NULL;
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  expect_error(weft_context_wait((weft_context *)x), WEFT_ERROR_HANDLE, "weft_context_wait", "array");
  ck_assert_int_eq(weft_array_ndim((weft_array *)ctx), 0);
  ck_assert_int_eq(weft_array_dtype((weft_array *)ctx), WEFT_DTYPE_NONE);
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

START_TEST(a_released_handle)
{
  if (HARNESS_SANITIZED) return; /* the sanitizer reports the read first */
  harness_context_open();
  weft_context *stale = ctx;
  harness_context_close();
  expect_error(weft_context_wait(stale), WEFT_ERROR_HANDLE, "weft_context_wait");
}
END_TEST

/* ---- closing ---- */

/* Makes one array; returns the line that its site names. */
static int forget_array(weft_array **x) {
  ok(weft_zeros(x, ctx, WEFT_F64 * device.has_fp64 + WEFT_F32 * !device.has_fp64, WEFT_SHAPE(100)));
  return __LINE__ - 1;
}

START_TEST(close_names_the_line_that_forgot)
{
  weft_array *x = NULL;
  char site[64], bytes[32];
  harness_context_open();
  int line = forget_array(&x);
  snprintf(site, sizeof site, "test_context.c:%d", line);
  snprintf(bytes, sizeof bytes, "%" PRId64, weft_array_size_bytes(x));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", site);
  ck_assert_ptr_null(ctx);
  /* the handle stays valid, but its memory is gone */
  float data[200];
  expect_error(weft_to_host(data, (size_t)weft_array_size_bytes(x), x), WEFT_ERROR_CLOSED, "weft_to_host", "closed");
  expect_error(weft_fill(x, 1), WEFT_ERROR_CLOSED, "weft_fill", "closed");
  weft_array_release(&x);
  ck_assert_ptr_null(x);
}
END_TEST

START_TEST(close_counts_what_is_alive_by_line)
{
  weft_array *x[5] = {0}, *view = NULL;
  weft_stream *stream = NULL;
  char array_site[64], stream_site[64];
  harness_context_open();
  int line = __LINE__ + 1;
  for (int i = 0; i < 5; i++) ok(weft_empty(&x[i], ctx, WEFT_U8, WEFT_SHAPE(10)));
  ok(weft_stream_create(&stream, ctx));
  snprintf(array_site, sizeof array_site, "test_context.c:%d", line);
  snprintf(stream_site, sizeof stream_site, "test_context.c:%d", line + 1);
  weft_array_release(&x[0]);
  ok(weft_slice(&view, x[1], 0, 2, 4));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", array_site, stream_site, "4");
  for (int i = 0; i < 5; i++) weft_array_release(&x[i]);
  expect_error(weft_stream_wait(stream), WEFT_ERROR_CLOSED, "weft_stream_wait");
  weft_stream_release(&stream);
  weft_array *again = NULL;
  expect_error(weft_copy(&again, view), WEFT_ERROR_CLOSED, "weft_copy");
  ck_assert_ptr_null(again);
  weft_array_release(&view);
}
END_TEST

START_TEST(other_references_see_it_closed)
{
  weft_array *x = NULL;
  weft_device_info info;
  harness_context_open();
  weft_context *second = weft_context_retain(ctx);
  ok(weft_context_close(&ctx)); /* a reference to the context itself is no leak */
  expect_error(weft_context_wait(second), WEFT_ERROR_CLOSED, "weft_context_wait", "closed");
  expect_error(weft_zeros(&x, second, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_CLOSED, "weft_", "closed");
  weft_status rc = weft_context_get_device(&info, second);
  ck_assert(rc == WEFT_OK || rc == WEFT_ERROR_CLOSED);
  weft_context *third = weft_context_retain(second);
  /* this close also drops the reference */
  expect_error(weft_context_close(&third), WEFT_ERROR_CLOSED, "weft_context_close", "closed");
  ck_assert_ptr_null(third);
  weft_context_release(&second);
}
END_TEST

START_TEST(close_waits_for_work)
{
  weft_array *x = NULL;
  cl_event behind = NULL;
  cl_int state = CL_QUEUED;
  harness_context_open();
  for (int i = 0; i < 20; i++) ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(1 << 22), i));
  ck_assert_int_eq(clEnqueueMarkerWithWaitList(weft_context_cl_queue(ctx), 0, NULL, &behind), CL_SUCCESS);
  weft_array_release(&x);
  harness_context_close();
  ck_assert_int_eq(clGetEventInfo(behind, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
  ck_assert_int_eq(state, CL_COMPLETE);
  ck_assert_int_eq(clReleaseEvent(behind), CL_SUCCESS);
}
END_TEST

START_TEST(many_contexts_one_after_another_and_at_once)
{
  enum { COUNT = 4 };
  weft_context *contexts[COUNT] = {0};
  weft_context_params params = {.device = device.selector};
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < COUNT; i++) ok((weft_context_create)(&contexts[i], &params));
    for (int i = 0; i < COUNT; i++) {
      for (int k = 0; k < i; k++) ck_assert_ptr_ne(contexts[i], contexts[k]);
    }
    for (int i = 0; i < COUNT; i++) ok(weft_context_close(&contexts[(i * 3 + 1) % COUNT]));
    harness_count(COUNT);
  }
}
END_TEST

START_TEST(objects_of_two_contexts_do_not_mix)
{
  weft_array *x = NULL, *y = NULL;
  weft_context *other = NULL;
  weft_context_params params = {.device = device.selector};
  harness_context_open();
  ok((weft_context_create)(&other, &params));
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_zeros(&y, other, WEFT_F32, WEFT_SHAPE(3)));
  expect_error(weft_add(&y, x, 1), WEFT_ERROR_CONTEXT, "weft_add", "context");
  expect_error(weft_full(&x, other, WEFT_F32, WEFT_SHAPE(3), 1), WEFT_ERROR_CONTEXT, "context");
  weft_array_release(&x);
  weft_array_release(&y);
  ok(weft_context_close(&other));
  harness_context_close();
}
END_TEST

START_TEST(a_forked_child_is_told)
{
  weft_array *x = NULL;
  int wait_status = 0;
  harness_context_open();
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  pid_t child = fork();
  if (child == 0) {
    float data[3];
    weft_array *y = NULL;
    alarm(20);
    if (weft_to_host(data, sizeof data, x) != WEFT_ERROR_FORKED) _exit(2);
    if (!strstr(weft_error_last()->message, "fork")) _exit(3);
    if (weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(3)) != WEFT_ERROR_FORKED) _exit(4);
    if (weft_context_wait(ctx) != WEFT_ERROR_FORKED) _exit(5);
    /* functions that only read also take locks, which another thread may have held at the fork */
    weft_memory_stats stats;
    weft_usage usage;
    weft_snapshot *snapshot = NULL;
    char *text = NULL;
    if (weft_memory_get(&stats, ctx) != WEFT_ERROR_FORKED) _exit(6);
    if (weft_memory_report(&text, ctx) != WEFT_ERROR_FORKED) _exit(7);
    if (weft_snapshot_create(&snapshot, ctx) != WEFT_ERROR_FORKED) _exit(8);
    if (weft_usage_get(&usage, ctx) != WEFT_ERROR_FORKED) _exit(9);
    if (weft_memory_timeline_stop(ctx) != WEFT_ERROR_FORKED) _exit(10);
    if (weft_memory_timeline_write(ctx, "never.json") != WEFT_ERROR_FORKED) _exit(11);
    if (weft_is_pinned(ctx, data, sizeof data)) _exit(12);
    weft_array_release(&x);
    weft_context_release(&ctx);
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, &wait_status, 0), child);
  ck_assert_msg(WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0, "wait status 0x%x", (unsigned)wait_status);
  float data[3] = {0};
  ok(weft_to_host(data, sizeof data, x)); /* the parent continues */
  ck_assert_float_eq(data[0], 1.0f);
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

typedef enum ending {
  BY_DEFAULT,
  BY_MAIN,
  BEHIND_A_THREAD,
  BY_A_THREAD,
  BESIDE_A_BUSY_THREAD,
  WITH_AN_EARLY_HANDLER,
  ENDINGS
} ending;

/// The state of a process that is about to end.
static struct {
  int64_t *data, n;
  uint64_t number;
  ending how;
  weft_context *context;
} last;

/// Launches a new kernel, in no program cache, that is still being compiled or run when this returns.
static void enqueue_last_work(void) {
  weft_array *x = NULL;
  weft_kernel *fill = NULL;
  char source[300];
  const weft_context_params params = {.device = device.selector};
  snprintf(source, sizeof source,
           "kernel void fill(global long *x, long n) { long i = (long)get_global_id(0); if (i < n) x[i] = i + "
           "(long)(%" PRIu64 "ul >> 1); }\n",
           last.number);
  ok(weft_device_use(device.index));
  ok(last.how == BY_DEFAULT ? weft_context_default(&last.context) : (weft_context_create)(&last.context, &params));
  if (strstr(device.platform, "Portable Computing Language"))
    ok(weft_wrap_host(&x, last.context, WEFT_I64, WEFT_SHAPE(last.n), last.data));
  else
    ok(weft_empty(&x, last.context, WEFT_I64, WEFT_SHAPE(last.n)));
  ok(weft_kernel_create(&fill, last.context, .source = source, .name = "fill"));
  ok(weft_launch(fill, WEFT_DIM3(weft_ceil_div((uint64_t)last.n, 64)), WEFT_DIM3(64), x, last.n));
}

static void *work_in_a_thread(void *unused) {
  enqueue_last_work();
  if (last.how == BY_A_THREAD) exit(0);
  return unused;
}

/// Keeps calling until a call reports that the process is ending.
static void *stay_busy(void *unused) {
  weft_array *x = NULL;
  while (weft_zeros(&x, last.context, WEFT_F32, WEFT_SHAPE(1000)) == WEFT_OK) weft_array_release(&x);
  if (weft_error_last()->status != WEFT_ERROR_CLOSED) _exit(2);
  return unused;
}

/// Runs after Weft's handler and after the driver has shut down.
static void early_handler(void) {
  weft_array *x = NULL;
  weft_context *context = NULL;
  if (weft_zeros(&x, last.context, WEFT_F32, WEFT_SHAPE(3)) != WEFT_ERROR_CLOSED) _exit(3);
  if (!strstr(weft_error_last()->message, "the process is ending")) _exit(4);
  if (weft_context_create(&context) != WEFT_ERROR_CLOSED) _exit(5);
}

_Noreturn static void end_with_work(void) {
  pthread_t thread;
  if (last.how == WITH_AN_EARLY_HANDLER) ck_assert_int_eq(atexit(early_handler), 0);
  if (last.how == BEHIND_A_THREAD || last.how == BY_A_THREAD) {
    ck_assert_int_eq(pthread_create(&thread, NULL, work_in_a_thread, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
  } else {
    enqueue_last_work();
  }
  if (last.how == BESIDE_A_BUSY_THREAD) /* no thread will join it */
    ck_assert(pthread_create(&thread, NULL, stay_busy, NULL) == 0 && pthread_detach(thread) == 0);
  exit(0);
}

/* A thread's end may take seconds. Others create and release functions meanwhile, also forked children, which lack that
   thread. */
static void *end_with_work_before_it(void *user) {
  weft_array **x = user;
  return weft_add(x, *x, *x) ? "weft_add failed" : NULL;
}

static bool makes_a_function(void) {
  weft_ufunc *u = NULL;
  if (weft_ufunc_create(&u, .signatures = "f32(f32 x)", .expression = "x + 1")) return false;
  weft_ufunc_release(&u);
  return true;
}

START_TEST(nobody_waits_for_a_thread_that_ends)
{
  pthread_t thread;
  cl_int code;
  int wait_status = 0;
  weft_array *x = NULL;
  harness_context_open();
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ck_assert(makes_a_function());
  cl_event gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(weft_context_cl_queue(ctx), 1, &gate, NULL), CL_SUCCESS);
  ck_assert_int_eq(pthread_create(&thread, NULL, end_with_work_before_it, &x), 0);
  /* the thread is ending, for up to 10 s if the driver needs that */
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  ck_assert(makes_a_function());
  clock_gettime(CLOCK_MONOTONIC, &end);
  ck_assert_msg(end.tv_sec - start.tv_sec < 5, "%d s", (int)(end.tv_sec - start.tv_sec));
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(makes_a_function() ? 0 : 2);
  }
  ck_assert_int_eq(waitpid(child, &wait_status, 0), child);
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ck_assert_int_eq(clReleaseEvent(gate), CL_SUCCESS);
  void *why = NULL;
  pthread_join(thread, &why);
  ck_assert_msg(why == NULL, "%s", (const char *)why);
  ck_assert_msg(WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0, "wait status 0x%x", (unsigned)wait_status);
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

START_TEST(a_process_may_end_with_work_under_way)
{
  enum { N = 100000 };
  harness_random random = harness_random_start(31);
  last.data = harness_shared(N * sizeof *last.data);
  last.n = N;
  for (int i = 0; i < ENDINGS; i++) {
    int wait_status = 0;
    last.number = harness_bits(&random);
    last.how = (ending)i;
    memset(last.data, 0, N * sizeof *last.data);
    pid_t child = fork(); /* before the first call of OpenCL */
    if (child == 0) {
      alarm(60);
      end_with_work();
    }
    ck_assert_int_eq(waitpid(child, &wait_status, 0), child);
    ck_assert_msg(WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0, "ending %d: wait status 0x%x", i,
                  (unsigned)wait_status);
    /* on drivers that must be waited for, the work is done */
    if (strstr(device.platform, "Portable Computing Language"))
      for (int64_t k = 0; k < N; k++) ck_assert_int_eq(last.data[k], k + (int64_t)(last.number >> 1));
    harness_count(1);
  }
}
END_TEST

/* ---- the log ---- */

typedef struct heard {
  int count;
  weft_log_level highest;
  char text[2000];
} heard;

static void hear(void *user, weft_log_level level, const char *message) {
  heard *h = user;
  size_t used = strlen(h->text);
  h->count++;
  if (level > h->highest) h->highest = level;
  snprintf(h->text + used, sizeof h->text - used, "%s\n", message);
}

START_TEST(the_log_says_what_was_forgotten)
{
  weft_array *x = NULL;
  char site[64];
  for (int level = WEFT_LOG_NONE; level <= WEFT_LOG_DEBUG; level++) {
    heard h = {0};
    weft_kernel *kernel = NULL;
    weft_log_set((weft_log_level)level, hear, &h);
    harness_context_open();
    ok(weft_kernel_create(&kernel, ctx, .source = "kernel void k() {}\n"));
    weft_kernel_release(&kernel);
    snprintf(site, sizeof site, "test_context.c:%d", forget_array(&x));
    ck_assert_int_eq(weft_context_close(&ctx), WEFT_ERROR_LEAK);
    weft_array_release(&x);
    ck_assert_msg((int)h.highest <= level, "level %d at %d: %s", (int)h.highest, level, h.text);
    ck_assert_msg((h.count > 0) == (level >= WEFT_LOG_WARNING), "level %d: %s", level, h.text);
    if (level >= WEFT_LOG_WARNING)
      ck_assert_msg(strstr(h.text, site) != NULL, "level %d: no %s in %s", level, site, h.text);
    harness_count(1);
  }
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "create");
  tcase_add_test(tc, create_and_close);
  tcase_add_test(tc, create_without_params_uses_the_threads_device);
  tcase_add_test(tc, device_is_the_one_asked_for);
  tcase_add_test(tc, create_errors);
  tcase_add_test(tc, version_of_the_headers_is_checked);
  tcase_add_test(tc, every_wait_policy_waits);
  tc = harness_case(suite, "references");
  tcase_add_test(tc, release_of_nothing);
  tcase_add_test(tc, references_are_counted);
  tcase_add_test(tc, arrays_hold_their_context);
  tcase_add_test(tc, default_is_shared);
  tcase_add_test(tc, default_is_shared_by_threads);
  tc = harness_case(suite, "handles");
  tcase_add_test(tc, wrong_handles);
  tcase_add_test(tc, a_handle_of_another_kind);
  tcase_add_test(tc, a_released_handle);
  tc = harness_case(suite, "close");
  tcase_add_test(tc, close_names_the_line_that_forgot);
  tcase_add_test(tc, close_counts_what_is_alive_by_line);
  tcase_add_test(tc, other_references_see_it_closed);
  tcase_add_test(tc, close_waits_for_work);
  tcase_add_test(tc, many_contexts_one_after_another_and_at_once);
  tcase_add_test(tc, objects_of_two_contexts_do_not_mix);
  tcase_add_test(tc, a_forked_child_is_told);
  tcase_add_test(tc, nobody_waits_for_a_thread_that_ends);
  tcase_add_test(tc, a_process_may_end_with_work_under_way);
  tcase_add_test(tc, the_log_says_what_was_forgotten);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "context", .add = add});
}
