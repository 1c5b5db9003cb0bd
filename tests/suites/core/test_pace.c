// SPDX-License-Identifier: MIT
/// The limit on how far the host runs ahead of the device: on each stream, by time and by number. A shared queue has no
/// default limit, so that a program whose queue waits for the program itself does not hang.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: OpenCL 1.2 is the floor */
#include <CL/cl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "context/context.h"
#include "harness.h"

/* One thread's long loop. */
static const char SPIN[] =
    "kernel void spin(global uint *y, uint steps) {\n"
    "  uint v = y[0];\n"
    "  for (uint k = 0; k < steps; k++) v = v * 1664525u + k;\n"
    "  y[0] = v;\n"
    "}\n";

/* The mark intervals of core/pace.c. */
enum { MOST_AT_FIRST = 16, MOST = 1024 };

static weft_kernel *spin;
static weft_array *y;

static void open_spin(void) {
  ok(weft_kernel_create(&spin, ctx, .source = SPIN, .name = "spin"));
  ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(1)));
  ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ok(weft_context_wait(ctx));
}

static void close_spin(void) {
  weft_array_release(&y);
  weft_kernel_release(&spin);
}

static void open_limited(uint64_t limit_ns) {
  ok(weft_context_create(&ctx, .device = device.selector, .ahead_limit_ns = limit_ns));
  open_spin();
}

static void nap_ms(int time_ms) {
  nanosleep(&(struct timespec){.tv_sec = time_ms / 1000, .tv_nsec = time_ms % 1000 * 1000000L}, NULL);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The steps of a launch of some milliseconds, by its shortest time: other programs may use the device too. */
static uint32_t find_steps(void) {
  for (uint32_t steps = 1 << 16;; steps *= 2) {
    double shortest = INFINITY;
    for (int i = 0; i < 5 && shortest > 4e-3; i++) {
      double start = seconds();
      ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, steps));
      ok(weft_context_wait(ctx));
      shortest = fmin(shortest, seconds() - start);
    }
    if (shortest > 4e-3) return steps;
  }
}

/* How many of `count` long launches are unfinished once all are enqueued. */
static int left_of(int count, weft_stream *stream) {
  weft_event *event[400] = {NULL};
  int left = 0;
  uint32_t steps = find_steps();
  for (int i = 0; i < count; i++) {
    ok(weft_launch_on(spin, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, steps));
    ok(weft_event_record(&event[i], ctx, stream));
  }
  for (int i = 0; i < count; i++) {
    bool done;
    ok(weft_event_is_done(&done, event[i]));
    left += !done;
    weft_event_release(&event[i]);
  }
  return left;
}

START_TEST(a_loop_is_not_far_ahead)
{
  weft_stream *stream = NULL;
  open_limited(20000000); /* at most the work of 5 launches */
  for (int on_stream = 0; on_stream < 2; on_stream++) {
    if (on_stream) ok(weft_stream_create(&stream, ctx));
    int left = left_of(150, stream);
    ck_assert_msg(left < 50, "%d of 150 launches were still before the device", left);
  }
  weft_stream_release(&stream);
  close_spin();
  harness_context_close();
}
END_TEST

START_TEST(the_default_is_half_a_second)
{
  harness_context_open();
  open_spin();
  uint32_t steps = find_steps();
  const double start = seconds();
  for (int i = 0; i < 400; i++) ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, steps));
  const double enqueued = seconds();
  ok(weft_context_wait(ctx));
  const double all = seconds() - start, waited = seconds() - enqueued;
  /* without a limit nearly all of at least 1.5 s; with it a third, and more if the machine becomes busy meanwhile */
  ck_assert_msg(waited < 0.75 * all, "what was enqueued took %.1f s of %.1f s", waited, all);
  close_spin();
  harness_context_close();
}
END_TEST

START_TEST(one_command_longer_than_the_limit)
{
  open_limited(1);
  int left = left_of(40, NULL);
  ck_assert_msg(left <= 3, "%d of 40 launches were still before the device", left);
  close_spin();
  harness_context_close();
}
END_TEST

START_TEST(who_waits_needs_no_marks)
{
  open_limited(0);
  for (int i = 0; i < 100; i++) {
    for (int k = 0; k < 5; k++) ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
    ok(weft_context_wait(ctx));
  }
  ck_assert_ptr_null(ctx->core.slot[0].pace.mark.event);
  for (int i = 0; i < 100; i++) ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ck_assert_ptr_nonnull(ctx->core.slot[0].pace.mark.event);
  close_spin();
  harness_context_close();
}
END_TEST

/* Device copies and asynchronous copies count as commands. */
START_TEST(copies_are_counted)
{
  enum { BYTES = 1000 * sizeof(float) };
  float *host = NULL;
  weft_array *x = NULL, *copy = NULL;
  setenv("WEFT_WAY", "elements:commands", 1); /* few elements are copied by commands too */
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(1000)));
  for (int i = 0; i < 40; i++) ok(weft_copy(&copy, x));
  ck_assert_ptr_nonnull(ctx->core.slot[0].pace.mark.event);
  weft_stream *stream = NULL;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_pinned_alloc(&host, ctx, BYTES));
  memset(host, 0, BYTES);
  ok(weft_context_wait(ctx));
  for (int i = 0; i < 40; i++) ok(weft_write_async(x, host, BYTES, stream));
  ok(weft_stream_wait(stream));
  ck_assert_ptr_nonnull(ctx->core.slot[1].pace.mark.event);
  weft_pinned_free(&host);
  weft_stream_release(&stream);
  weft_array_release(&copy);
  weft_array_release(&x);
  harness_context_close();
  unsetenv("WEFT_WAY");
}
END_TEST

/* ---- queues shared with other code ---- */

static cl_event gate;

static void shut_gate(cl_command_queue queue) {
  cl_int code;
  gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
}

static void open_gate(void) {
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ck_assert_int_eq(clReleaseEvent(gate), CL_SUCCESS);
}

/* More than the limit, fewer than NVIDIA's queue accepts before it blocks. */
enum { BEHIND_GATE = 600 };

static void launch_behind_gate(weft_stream *stream) {
  for (int i = 0; i < BEHIND_GATE; i++) ok(weft_launch_on(spin, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
}

/* Another user's command does not end, and all launches are enqueued behind it. */
START_TEST(without_a_limit_all_is_enqueued)
{
  open_limited(UINT64_MAX);
  shut_gate(weft_context_cl_queue(ctx));
  launch_behind_gate(NULL);
  open_gate();
  ok(weft_context_wait(ctx));
  close_spin();
  harness_context_close();
}
END_TEST

START_TEST(a_lent_queue_that_waits_for_this_thread)
{
  weft_stream *stream = NULL;
  harness_context_open();
  open_spin();
  /* limited until the queue is lent */
  for (int i = 0; i < 50; i++) ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  shut_gate(weft_context_cl_queue(ctx));
  launch_behind_gate(NULL);
  open_gate();
  ok(weft_context_wait(ctx));
  ok(weft_stream_create(&stream, ctx));
  shut_gate(weft_stream_cl_queue(stream));
  launch_behind_gate(stream);
  open_gate();
  ok(weft_stream_wait(stream));
  weft_stream_release(&stream);
  close_spin();
  harness_context_close();
}
END_TEST

/* One stream waits for a command, and another stream needs the first one's result. */
START_TEST(a_stream_behind_a_lent_queue)
{
  weft_stream *before = NULL, *after = NULL;
  harness_context_open();
  open_spin();
  ok(weft_stream_create(&before, ctx));
  for (int i = 0; i < 50; i++) ok(weft_launch_on(spin, before, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ck_assert_ptr_nonnull(ctx->core.slot[1].pace.mark.event); /* limited so far */
  shut_gate(weft_context_cl_queue(ctx));
  ok(weft_add(&y, y, y));
  launch_behind_gate(before);
  ok(weft_stream_create(&after, ctx));
  launch_behind_gate(after);
  open_gate();
  ok(weft_context_wait(ctx));
  weft_stream_release(&before);
  weft_stream_release(&after);
  close_spin();
  harness_context_close();
}
END_TEST

static atomic_int launched;

static void *launch_from_a_thread(void *user) {
  weft_stream *stream = user;
  for (int i = 0; i < BEHIND_GATE; i++) {
    if (weft_launch_on(spin, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, 1)) return "a launch failed";
    atomic_fetch_add(&launched, 1);
  }
  return NULL;
}

/* Waits until no launch has happened for a while. */
static int settled(void) {
  int now = -1, before;
  do {
    before = now;
    nap_ms(200);
    now = atomic_load(&launched);
  } while (now != before || now == 0);
  return now;
}

/* Makes a context around the test's own queue, which keeps its cl_context alive. */
static cl_command_queue open_adopted(const weft_context_params *params) {
  cl_int code;
  harness_context_open();
  cl_device_id id = weft_context_cl_device(ctx);
  harness_context_close();
  cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_command_queue queue = clCreateCommandQueue(context, id, 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok((weft_context_adopt)(&ctx, context, queue, params));
  ck_assert_int_eq(clReleaseContext(context), CL_SUCCESS);
  return queue;
}

/* Two threads on a queue whose first command does not end. */
START_TEST(a_limit_that_is_given_holds_for_all_threads)
{
  pthread_t thread[2];
  cl_command_queue queue = open_adopted(&(weft_context_params){.ahead_limit_ns = 1000000000});
  open_spin();
  shut_gate(queue);
  for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, launch_from_a_thread, NULL), 0);
  int ahead = settled();
  /* one more at each of the two marks: each thread checks before it enqueues */
  ck_assert_msg(ahead <= MOST_AT_FIRST + 2, "%d launches behind a command that does not end", ahead);
  open_gate();
  for (int i = 0; i < 2; i++) {
    void *why = NULL;
    pthread_join(thread[i], &why);
    ck_assert_msg(why == NULL, "%s", (const char *)why);
  }
  ck_assert_int_eq(atomic_load(&launched), 2 * BEHIND_GATE);
  close_spin();
  harness_context_close();
  ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
}
END_TEST

START_TEST(an_adopted_queue_has_none_by_default)
{
  cl_command_queue queue = open_adopted(NULL);
  open_spin();
  shut_gate(queue);
  launch_behind_gate(NULL);
  open_gate();
  ok(weft_context_wait(ctx));
  close_spin();
  harness_context_close();
  ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
}
END_TEST

START_TEST(short_commands_are_bounded_by_number)
{
  open_limited(UINT64_MAX - 1);
  for (int i = 0; i < 5000; i++) ok(weft_launch(spin, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ck_assert_uint_le(ctx->core.slot[0].pace.stride, MOST / 2);
  ck_assert_uint_ge(ctx->core.slot[0].pace.stride, MOST / 8); /* short launches get few marks */
  close_spin();
  harness_context_close();
}
END_TEST

START_TEST(the_environment_takes_it_away)
{
  static const struct {
    const char *wish;
    uint64_t asked, limit;
  } row[] = {{"off", 0, UINT64_MAX}, {"off", 7, 7}, {"", 0, 500000000}, {"1", 7, 7}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    setenv("WEFT_AHEAD", row[i].wish, 1);
    ok(weft_context_create(&ctx, .device = device.selector, .ahead_limit_ns = row[i].asked));
    ck_assert_uint_eq(ctx->core.ahead_limit_ns, row[i].limit);
    harness_context_close();
  }
  const char *bad[] = {"1", "Off", "0", " off", "none"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "`%s`", bad[i]);
    setenv("WEFT_AHEAD", bad[i], 1);
    expect_error(weft_context_create(&ctx, .device = device.selector), WEFT_ERROR_ARGUMENT, "weft_context_create",
                 "@WEFT_AHEAD", "WEFT_AHEAD is", quoted, "off");
    ck_assert_ptr_null(ctx);
  }
  unsetenv("WEFT_AHEAD");
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "limit");
  tcase_add_test(tc, a_loop_is_not_far_ahead);
  tcase_add_test(tc, the_default_is_half_a_second);
  tcase_add_test(tc, one_command_longer_than_the_limit);
  tcase_add_test(tc, who_waits_needs_no_marks);
  tcase_add_test(tc, copies_are_counted);
  tcase_add_test(tc, short_commands_are_bounded_by_number);
  tcase_add_test(tc, the_environment_takes_it_away);
  tc = harness_case(suite, "shared");
  tcase_add_test(tc, without_a_limit_all_is_enqueued);
  tcase_add_test(tc, a_lent_queue_that_waits_for_this_thread);
  tcase_add_test(tc, a_stream_behind_a_lent_queue);
  tcase_add_test(tc, an_adopted_queue_has_none_by_default);
  tcase_add_test(tc, a_limit_that_is_given_holds_for_all_threads);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "pace", .add = add});
}
