// SPDX-License-Identifier: MIT
/// The profile's dependence on queues (replaced, adopted, closed), streams, threads and overlap; WEFT_PROFILE.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: OpenCL 1.2 is the floor */
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "profiles.h"

enum { N = 1 << 16 };

static float host[N];

/* ---- queues ---- */

static bool records_times(cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  ck_assert_int_eq(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL), CL_SUCCESS);
  return (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
}

START_TEST(queues_record_times_while_it_is_on)
{
  weft_stream *stream = NULL, *later = NULL;
  weft_timer *timer = NULL;
  weft_array *y = NULL;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_stream_use(stream));
  ck_assert(!records_times(weft_context_cl_queue(ctx)) && !records_times(weft_stream_cl_queue(stream)));
  ok(weft_add(&y, y, 1));
  ok(weft_profile_start(ctx));
  ok(weft_stream_create(&later, ctx));
  ck_assert(records_times(weft_context_cl_queue(ctx)) && records_times(weft_stream_cl_queue(stream)));
  ck_assert(records_times(weft_stream_cl_queue(later)));
  expect_error(weft_timer_create(&timer, ctx), WEFT_ERROR_UNSUPPORTED, "profiling"); /* a temporary queue */
  ok(weft_add(&y, y, 1));
  ok(weft_stream_use(NULL));
  ok(weft_add(&y, y, 1));
  ok(weft_profile_stop(ctx));
  ck_assert(!records_times(weft_context_cl_queue(ctx)) && !records_times(weft_stream_cl_queue(stream)));
  ok(weft_stream_use(later));
  ok(weft_add(&y, y, 1));
  ok(weft_stream_use(NULL));
  ok(weft_to_host(host, sizeof host, y));
  for (int i = 0; i < N; i++) ck_assert_float_eq(host[i], 4);
  weft_array_release(&y);
  weft_stream_release(&later);
  weft_stream_release(&stream);
}
END_TEST

START_TEST(a_context_made_for_times_keeps_its_queue)
{
  ok(weft_context_create(&ctx, .device = device.selector, .profiling = true));
  cl_command_queue queue = weft_context_cl_queue(ctx);
  weft_timer *timer = NULL;
  weft_array *y = NULL;
  uint64_t time_ns = 0;
  ok(weft_timer_create(&timer, ctx));
  ok(weft_timer_start(timer, NULL));
  ok(weft_profile_start(ctx));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ck_assert_ptr_eq(weft_context_cl_queue(ctx), queue);
  ok(weft_profile_stop(ctx));
  ck_assert_ptr_eq(weft_context_cl_queue(ctx), queue);
  ok(weft_timer_stop(timer));
  ok(weft_timer_get(&time_ns, timer));
  weft_timer_release(&timer);
  weft_array_release(&y);
  harness_context_close();
}
END_TEST

START_TEST(an_adopted_queue_must_record_times)
{
  cl_int code = 0;
  harness_context_open();
  cl_device_id id = weft_context_cl_device(ctx);
  harness_context_close();
  cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  for (int times = 0; times < 2; times++) {
    cl_command_queue queue = clCreateCommandQueue(context, id, times ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    ok(weft_context_adopt(&ctx, context, queue));
    if (times) {
      weft_array *y = NULL;
      ok(weft_profile_start(ctx));
      ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
      collect();
      ck_assert(has_row(WEFT_PROFILE_KERNEL));
      weft_array_release(&y);
      ok(weft_profile_stop(ctx));
      ck_assert_ptr_eq(weft_context_cl_queue(ctx), queue);
    } else {
      expect_error(weft_profile_start(ctx), WEFT_ERROR_UNSUPPORTED, "weft_profile_start", "@context", "adopted",
                   "CL_QUEUE_PROFILING_ENABLE");
    }
    harness_context_close();
    clReleaseCommandQueue(queue);
  }
  clReleaseContext(context);
}
END_TEST

START_TEST(a_closed_context_still_tells)
{
  weft_array *y = NULL;
  char *text = NULL;
  harness_context_open();
  weft_context *other = weft_context_retain(ctx);
  ok(weft_profile_start(ctx));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_add(&y, y, 1));
  weft_array_release(&y);
  ok(weft_context_close(&other));
  collect();
  ck_assert_uint_eq(row_at(WEFT_PROFILE_KERNEL, "add", 0)->calls, 1);
  ck_assert_uint_eq(totals.unread, 0);
  ok(weft_profile_report(&text, ctx));
  weft_free(text);
  expect_error(weft_profile_start(ctx), WEFT_ERROR_CLOSED, "weft_profile_start");
  weft_context_release(&ctx);
}
END_TEST

/* ---- threads and streams ---- */

enum { THREADS = 4, ROUNDS = 60 };

static void *work(void *user) {
  weft_stream *stream = NULL;
  weft_array *y = NULL;
  float *got = user;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(100)));
  for (int i = 0; i < ROUNDS; i++) {
    ok(weft_profile_push("round"));
    ok(weft_add(&y, y, 1));
    if (i % 8 == 0) ok(weft_stream_wait(stream));
    ok(weft_profile_pop());
  }
  ok(weft_to_host(got, 100 * sizeof *got, y));
  ok(weft_stream_use(NULL));
  weft_array_release(&y);
  weft_stream_release(&stream);
  return NULL;
}

START_TEST(threads_and_streams_add_up)
{
  pthread_t thread[THREADS];
  static float got[THREADS][100];
  ok(weft_profile_start(ctx));
  for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, work, got[t]), 0);
  for (int t = 0; t < 3; t++) collect(); /* while the threads work */
  for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
  collect();
  for (int t = 0; t < THREADS; t++) ck_assert_float_eq(got[t][99], ROUNDS);
  ck_assert_uint_eq(row_at(WEFT_PROFILE_KERNEL, "add", 0)->calls, THREADS * ROUNDS);
  ck_assert_uint_eq(row_at(WEFT_PROFILE_CALL, "weft_add", 0)->calls, THREADS * ROUNDS);
  const weft_profile_row *range = row_at(WEFT_PROFILE_RANGE, "round", 0);
  ck_assert_uint_eq(range->calls, THREADS * ROUNDS);
  ck_assert_uint_eq(range->device_ns, row_at(WEFT_PROFILE_KERNEL, "add", 0)->device_ns);
  ck_assert_uint_eq(totals.unread, 0);
  uint64_t streams = 0, threads = 0;
  for (uint64_t e = 0; e < event_count; e++) {
    weft_profile_kind kind = rows[events[e].row].kind;
    if (kind == WEFT_PROFILE_KERNEL) streams |= (uint64_t)1 << events[e].track;
    if (kind == WEFT_PROFILE_RANGE) threads |= (uint64_t)1 << events[e].track;
  }
  ck_assert(streams && !(streams & 1)); /* none on the context's own stream */
  ck_assert_int_eq(__builtin_popcountll(threads), THREADS);
  ok(weft_profile_stop(ctx));
}
END_TEST

/* Two independent commands on two streams: their device times overlap if the device can run both at once. A CPU's cores
   may run one kernel after the other; then the result is only printed. */
static void expect_overlap(const weft_profile_event *a, const weft_profile_event *b, const char *what) {
  bool overlap = a->start_ns < b->end_ns && b->start_ns < a->end_ns;
  printf("%s: %.3f ms and %.3f ms, %s\n", what, (double)(a->end_ns - a->start_ns) * 1e-6,
         (double)(b->end_ns - b->start_ns) * 1e-6, overlap ? "at the same time" : "one after the other");
  if (device.type == WEFT_DEVICE_TYPE_GPU) ck_assert_msg(overlap, "%s do not overlap", what);
}

START_TEST(streams_overlap_by_device_times)
{
  enum { STEPS = 10000000, MUCH = 4 << 20 };
  weft_stream *stream[2] = {NULL};
  weft_array *y[3] = {NULL};
  weft_kernel *kernel = NULL;
  float *much = calloc(MUCH, sizeof *much);
  const weft_profile_event *kernels[2] = {NULL}, *copy = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = profiles_slow, .name = "slow"));
  for (int i = 0; i < 2; i++) ok(weft_stream_create(&stream[i], ctx));
  for (int i = 0; i < 3; i++) ok(weft_zeros(&y[i], ctx, WEFT_F32, WEFT_SHAPE(i < 2 ? 64 : MUCH)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y[0], 1));
  ok(weft_profile_start(ctx));
  for (int i = 0; i < 2; i++) ok(weft_launch_on(kernel, stream[i], WEFT_DIM3(1), WEFT_DIM3(1), y[i], STEPS));
  ok(weft_context_wait(ctx));
  collect();
  for (uint64_t e = 0; e < event_count; e++)
    if (rows[events[e].row].kind == WEFT_PROFILE_KERNEL) kernels[kernels[0] != NULL] = &events[e];
  ck_assert_ptr_nonnull(kernels[1]);
  ck_assert_uint_ne(kernels[0]->track, kernels[1]->track);
  expect_overlap(kernels[0], kernels[1], "two kernels on two streams");

  ok(weft_profile_clear(ctx));
  ok(weft_launch_on(kernel, stream[0], WEFT_DIM3(1), WEFT_DIM3(1), y[0], 4 * STEPS));
  ok(weft_stream_use(stream[1]));
  ok(weft_to_host(much, MUCH * sizeof *much, y[2]));
  ok(weft_stream_use(NULL));
  collect();
  kernels[0] = NULL;
  for (uint64_t e = 0; e < event_count; e++) {
    if (rows[events[e].row].kind == WEFT_PROFILE_KERNEL) kernels[0] = &events[e];
    if (rows[events[e].row].kind == WEFT_PROFILE_COPY_BACK) copy = &events[e];
  }
  ck_assert(kernels[0] && copy);
  expect_overlap(kernels[0], copy, "a kernel and a copy back");
  ok(weft_profile_stop(ctx));
  for (int i = 0; i < 3; i++) weft_array_release(&y[i]);
  for (int i = 0; i < 2; i++) weft_stream_release(&stream[i]);
  weft_kernel_release(&kernel);
  free(much);
}
END_TEST

/* ---- WEFT_PROFILE ---- */

static void some_work(void) {
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_add(&y, y, 1));
  ok(weft_to_host(host, sizeof host, y));
  weft_array_release(&y);
}

START_TEST(the_environment_prints_at_close)
{
  weft_context *second = NULL;
  setenv("WEFT_PROFILE", "test_profile_streams.json", 1);
  harness_catch_stderr();
  harness_context_open();
  ok(weft_context_create(&second, .device = device.selector));
  ok(weft_profile_start(ctx)); /* inside the environment's profile */
  some_work();
  ok(weft_profile_stop(ctx));
  expect_error(weft_profile_stop(ctx), WEFT_ERROR_ARGUMENT, "not started");
  some_work();
  weft_context_release(&second);
  ok(weft_context_close(&ctx));
  const char *text = harness_caught_text();
  const char *parts[] = {"weft: profile of ", "nothing ran on the device",   "add (",
                         "weft_to_host",      "test_profile_streams.json\n", "-2.json\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect_text(text, parts[i]);
  for (int i = 0; i < 2; i++) {
    const char *path = i ? "test_profile_streams-2.json" : "test_profile_streams.json";
    char *trace = read_file(path);
    ck_assert_msg(is_json(trace), "no JSON: %s", trace);
    free(trace);
    unlink(path);
  }
}
END_TEST

/* A program that never closes the default context. */
_Noreturn static void forgetful(void) {
  weft_array *y = NULL;
  if (freopen("/dev/null", "w", stdout) == NULL) _exit(2);
  setenv("WEFT_PROFILE", "1", 1);
  setenv("WEFT_DEVICE", device.selector ? device.selector : "", 1);
  if (weft_zeros(&y, NULL, WEFT_F32, WEFT_SHAPE(N)) || weft_add(&y, y, 1) || weft_to_host(host, sizeof host, y))
    _exit(3);
  if (weft_add(&y, y, 1) || weft_add(&y, y, 1)) _exit(4); /* without a wait for these */
  exit(0);
}

START_TEST(the_environment_prints_at_exit)
{
  int status = -1;
  harness_catch_stderr();
  pid_t child = fork(); /* before the first call of OpenCL */
  if (child == 0) forgetful();
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  const char *text = harness_caught_text();
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, text);
  const char *parts[] = {"weft: profile of ", "add (", "copy back"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect_text(text, parts[i]);
  ck_assert_msg(strstr(text, "could not be read") == NULL, "not waited for: %s", text);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "streams");
  tcase_add_test(tc, queues_record_times_while_it_is_on);
  tcase_add_test(tc, threads_and_streams_add_up);
  tcase_add_test(tc, streams_overlap_by_device_times);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, a_context_made_for_times_keeps_its_queue);
  tcase_add_test(tc, an_adopted_queue_must_record_times);
  tcase_add_test(tc, a_closed_context_still_tells);
  tcase_add_test(tc, the_environment_prints_at_close);
  tcase_add_test(tc, the_environment_prints_at_exit);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "profile_streams", .add = add});
}
