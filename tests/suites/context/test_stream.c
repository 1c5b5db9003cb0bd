// SPDX-License-Identifier: MIT
/// Streams and timers: work of several queues stays ordered by its arrays; device time is measured.
#include <stdio.h>

#include "harness.h"

static const char MIX[] =
    "kernel void stir(global uint *y, global const uint *x, uint a, uint n) {\n"
    "  uint i = get_global_id(0);\n"
    "  if (i < n) { uint v = y[i]; for (int k = 0; k < 50; k++) v = v * 1664525u + x[i] + a; y[i] = v; }\n"
    "}\n";

static uint32_t mix(uint32_t y, uint32_t x, uint32_t a) {
  for (int k = 0; k < 50; k++) y = y * 1664525u + x + a;
  return y;
}

START_TEST(create_and_release)
{
  weft_stream *stream = NULL, *second, *none = NULL;
  ok(weft_stream_create(&stream, ctx));
  ck_assert_ptr_nonnull(stream);
  ok(weft_stream_wait(stream));
  second = weft_stream_retain(stream);
  ck_assert_ptr_eq(second, stream);
  weft_stream_release(&stream);
  ck_assert_ptr_null(stream);
  ok(weft_stream_wait(second));
  weft_stream_release(&second);
  weft_stream_release(&none);
  weft_stream_release(NULL);
  ck_assert_ptr_null(weft_stream_retain(NULL));
}
END_TEST

/* Random launches, fills, copies and reads on several streams, against the same work done in order on the host. */
START_TEST(random_work_on_several_streams)
{
  enum { N = 3000, ARRAYS = 5, STREAMS = 4, STEPS = 300 };
  static uint32_t host[ARRAYS][N], got[N];
  weft_stream *streams[STREAMS] = {NULL}; /* the first is the context's own stream */
  weft_array *arrays[ARRAYS] = {NULL};
  weft_kernel *kernel = NULL;
  harness_random random = harness_random_start((uint64_t)_i);
  if (harness_has_kernels()) ok(weft_kernel_create(&kernel, ctx, .source = MIX, .name = "stir"));
  for (int s = 1; s < STREAMS; s++) ok(weft_stream_create(&streams[s], ctx));
  for (int a = 0; a < ARRAYS; a++) {
    for (int i = 0; i < N; i++) host[a][i] = (uint32_t)harness_bits(&random);
    ok(weft_from_host(&arrays[a], ctx, WEFT_U32, WEFT_SHAPE(N), host[a]));
  }
  for (int step = 0; step < STEPS; step++) {
    int y = (int)harness_between(&random, 0, ARRAYS - 1), x = (int)harness_between(&random, 0, ARRAYS - 1);
    int stream = (int)harness_between(&random, 0, STREAMS - 1);
    uint32_t a = (uint32_t)harness_bits(&random);
    int64_t what = harness_between(&random, 0, 19);
    if (what == 0) {
      ok(weft_fill(arrays[y], a));
      for (int i = 0; i < N; i++) host[y][i] = a;
    } else if (what == 1) {
      ok(weft_copy(&arrays[y], arrays[x]));
      memmove(host[y], host[x], sizeof host[y]);
    } else if (what == 2) {
      ok(weft_to_host(got, sizeof got, arrays[x]));
      ck_assert_msg(memcmp(got, host[x], sizeof got) == 0, "step %d: array %d differs", step, x);
    } else if (what == 3) { /* memory is released and reused */
      weft_array_release(&arrays[y]);
      ok(weft_full(&arrays[y], ctx, WEFT_U32, WEFT_SHAPE(N), a));
      for (int i = 0; i < N; i++) host[y][i] = a;
    } else if (what == 4 && stream > 0) {
      weft_stream_release(&streams[stream]);
      ok(weft_stream_create(&streams[stream], ctx));
    } else if (what == 5 && stream > 0) {
      ok(weft_stream_wait(streams[stream]));
    } else if (!kernel) {
      ok(weft_stream_use(streams[stream]));
      ok(weft_copy(&arrays[y], arrays[x]));
      ok(weft_stream_use(NULL));
      memmove(host[y], host[x], sizeof host[y]);
    } else if (y != x) {
      ok(weft_launch_on(kernel, streams[stream], WEFT_DIM3(weft_ceil_div(N, 64)), WEFT_DIM3(64), arrays[y], arrays[x],
                        a, N));
      for (int i = 0; i < N; i++) host[y][i] = mix(host[y][i], host[x][i], a);
    }
    harness_count(1);
  }
  ok(weft_context_wait(ctx));
  for (int a = 0; a < ARRAYS; a++) {
    ok(weft_to_host(got, sizeof got, arrays[a]));
    ck_assert_msg(memcmp(got, host[a], sizeof got) == 0, "array %d differs", a);
    weft_array_release(&arrays[a]);
  }
  for (int s = 0; s < STREAMS; s++) weft_stream_release(&streams[s]);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(views_carry_the_order_of_their_storage)
{
  enum { N = 4096 };
  static uint32_t host[N], got[N];
  weft_stream *stream = NULL;
  weft_kernel *kernel = NULL;
  weft_array *y = NULL, *x = NULL, *flat = NULL, *flipped = NULL, *copy = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_kernel_create(&kernel, ctx, .source = MIX, .name = "stir"));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_ones(&x, ctx, WEFT_U32, WEFT_SHAPE(N)));
  ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(64, 64)));
  ok(weft_reshape(&flat, y, WEFT_SHAPE(N)));
  ok(weft_flip(&flipped, flat, 0));
  for (uint32_t round = 0; round < 20; round++) {
    ok(weft_launch_on(kernel, stream, WEFT_DIM3(64), WEFT_DIM3(64), flat, x, round, N)); /* writes through one view */
    ok(weft_copy(&copy, flipped)); /* reads through another, on another stream */
    ok(weft_copy(&flat, copy));
    for (int i = 0; i < N; i++) host[i] = mix(host[i], 1, round);
    for (int i = 0; i < N / 2; i++) {
      uint32_t swap = host[i];
      host[i] = host[N - 1 - i];
      host[N - 1 - i] = swap;
    }
    weft_array_release(&copy);
  }
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < N; i++) ck_assert_uint_eq(got[i], host[i]);
  weft_array_release(&flat);
  weft_array_release(&flipped);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_stream_release(&stream);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(a_released_stream_finishes_its_work)
{
  enum { N = 1000 };
  static uint32_t got[N];
  weft_stream *stream = NULL;
  weft_kernel *kernel = NULL;
  weft_array *y = NULL, *x = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_kernel_create(&kernel, ctx, .source = MIX, .name = "stir"));
  ok(weft_ones(&x, ctx, WEFT_U32, WEFT_SHAPE(N)));
  ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(N)));
  ok(weft_context_wait(ctx));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_launch_on(kernel, stream, WEFT_DIM3(16), WEFT_DIM3(64), y, x, 3, N));
  weft_stream_release(&stream);
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < N; i++) ck_assert_uint_eq(got[i], mix(0, 1, 3));
  weft_array_release(&x);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(a_thread_uses_a_stream_for_all_its_calls)
{
  enum { N = 1000 };
  static int32_t got[N];
  weft_stream *stream = NULL, *borrowed;
  weft_array *x = NULL, *y = NULL;
  if (!harness_has_kernels()) return;
  ck_assert_ptr_null(weft_stream_used());
  ok(weft_stream_create(&stream, ctx));
  ok(weft_ones(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_stream_use(stream));
  ck_assert_ptr_eq(weft_stream_used(), stream);
  ok(weft_add(&y, x, x));
  ok(weft_add(&y, y, 5));
  borrowed = stream;
  weft_stream_release(&stream); /* the thread has its own reference */
  ck_assert_ptr_eq(weft_stream_used(), borrowed);
  ok(weft_multiply(&y, y, 3));
  ok(weft_stream_wait(borrowed));
  ok(weft_stream_use(borrowed));
  ok(weft_stream_use(NULL));
  ck_assert_ptr_null(weft_stream_used());
  ok(weft_add(&y, y, 1));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], 22);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

START_TEST(wrong_streams)
{
  weft_stream *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_stream *)ctx}, *stream = NULL;
  weft_context *contexts[] = {NULL, harness_garbage(), harness_zeroed()};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_stream_wait(wrong[i]), WEFT_ERROR_HANDLE, "weft_stream_wait", "@stream");
    if (wrong[i]) expect_error(weft_stream_use(wrong[i]), WEFT_ERROR_HANDLE, "weft_stream_use", "@stream");
    ck_assert_ptr_null(weft_stream_used());
    harness_count(1);
  }
  for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
    expect_error(weft_stream_create(&stream, contexts[i]), WEFT_ERROR_HANDLE, "weft_stream_create", "@context");
    ck_assert_ptr_null(stream);
    harness_count(1);
  }
  expect_error(weft_stream_create((weft_stream **)NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_stream_create", "@out",
               "NULL");
}
END_TEST

START_TEST(a_stream_in_use_is_not_forgotten)
{
  weft_stream *stream = NULL;
  weft_array *x = NULL;
  harness_context_open();
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(100)));
  weft_array_release(&x);
  weft_stream_release(&stream);
  harness_context_close();
  ck_assert_ptr_null(weft_stream_used());
}
END_TEST

START_TEST(a_forgotten_stream_is_named_at_close)
{
  weft_stream *stream = NULL;
  char site[64];
  harness_context_open();
  ok(weft_stream_create(&stream, ctx));
  snprintf(site, sizeof site, "test_stream.c:%d", __LINE__ - 1);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", site);
  expect_error(weft_stream_wait(stream), WEFT_ERROR_CLOSED, "weft_stream_wait");
  expect_error(weft_stream_use(stream), WEFT_ERROR_CLOSED, "weft_stream_use");
  weft_stream_release(&stream);
}
END_TEST

/* ---- timers ---- */

START_TEST(timers_need_profiling)
{
  weft_timer *timer = NULL;
  harness_context_open();
  expect_error(weft_timer_create(&timer, ctx), WEFT_ERROR_UNSUPPORTED, "weft_timer_create", "profiling");
  ck_assert_ptr_null(timer);
  harness_context_close();
}
END_TEST

static void open_profiled(void) {
  weft_context_params params = {.device = device.selector, .profiling = true};
  ok((weft_context_create)(&ctx, &params));
}

START_TEST(timer_measures_more_for_more_work)
{
  enum { N = 1 << 18 };
  weft_timer *timer = NULL;
  weft_stream *stream = NULL;
  weft_kernel *kernel = NULL;
  weft_array *x = NULL, *y = NULL;
  uint64_t little = 0, much = 0;
  if (!harness_has_kernels()) return;
  open_profiled();
  ok(weft_kernel_create(&kernel, ctx, .source = MIX, .name = "stir"));
  ok(weft_zeros(&x, ctx, WEFT_U32, WEFT_SHAPE(N)));
  ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(N)));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_timer_create(&timer, ctx));
  for (int i = 0; i < 2; i++) { /* on the context's stream, then on another; the first launch builds */
    weft_stream *on = i ? stream : NULL;
    ok(weft_launch_on(kernel, on, WEFT_DIM3(N / 64), WEFT_DIM3(64), y, x, 1, N));
    ok(weft_timer_start(timer, on));
    ok(weft_launch_on(kernel, on, WEFT_DIM3(1), WEFT_DIM3(64), y, x, 1, 1));
    ok(weft_timer_stop(timer));
    ok(weft_timer_get(&little, timer));
    ok(weft_timer_start(timer, on));
    for (int k = 0; k < 40; k++) ok(weft_launch_on(kernel, on, WEFT_DIM3(N / 64), WEFT_DIM3(64), y, x, 1, N));
    ok(weft_timer_stop(timer));
    ok(weft_timer_get(&much, timer));
    ck_assert_uint_gt(much, 0);
    ck_assert_msg(much > little, "%" PRIu64 " ns for 40 launches, %" PRIu64 " ns for one small one", much, little);
    uint64_t again = 0;
    ok(weft_timer_get(&again, timer));
    ck_assert_uint_eq(again, much);
    harness_count(1);
  }
  weft_timer_release(&timer);
  ck_assert_ptr_null(timer);
  weft_timer_release(&timer);
  weft_timer_release(NULL);
  weft_stream_release(&stream);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
  harness_context_close();
}
END_TEST

START_TEST(wrong_timers)
{
  weft_timer *timer = NULL, *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  weft_context *contexts[] = {NULL, harness_garbage(), harness_zeroed()}, *other = NULL;
  weft_context_params params = {.device = device.selector};
  weft_stream *foreign = NULL;
  uint64_t time = 0;
  open_profiled();
  for (size_t i = 0; i < 3; i++) {
    expect_error(weft_timer_create(&timer, contexts[i]), WEFT_ERROR_HANDLE, "weft_timer_create", "@context");
    expect_error(weft_timer_start(wrong[i], NULL), WEFT_ERROR_HANDLE, "weft_timer_start", "@timer");
    expect_error(weft_timer_stop(wrong[i]), WEFT_ERROR_HANDLE, "weft_timer_stop", "@timer");
    expect_error(weft_timer_get(&time, wrong[i]), WEFT_ERROR_HANDLE, "weft_timer_get", "@timer");
    harness_count(4);
  }
  expect_error(weft_timer_create((weft_timer **)NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_timer_create", "@out", "NULL");
  ok(weft_timer_create(&timer, ctx));
  expect_error(weft_timer_stop(timer), WEFT_ERROR_ARGUMENT, "weft_timer_stop", "start");
  expect_error(weft_timer_get(&time, timer), WEFT_ERROR_ARGUMENT, "weft_timer_get");
  ok(weft_timer_start(timer, NULL));
  expect_error(weft_timer_get(&time, timer), WEFT_ERROR_ARGUMENT, "weft_timer_get", "stop");
  ok(weft_timer_stop(timer));
  expect_error(weft_timer_get(NULL, timer), WEFT_ERROR_ARGUMENT, "weft_timer_get", "@time_ns", "NULL");
  ok(weft_timer_get(&time, timer));
  weft_status rc = weft_timer_stop(timer); /* moves the mark, or requires a new start: the header leaves it open */
  ck_assert(rc == WEFT_OK || rc == WEFT_ERROR_ARGUMENT);
  expect_error(weft_timer_start(timer, harness_garbage()), WEFT_ERROR_HANDLE, "weft_timer_start", "@stream");
  ok((weft_context_create)(&other, &params));
  ok(weft_stream_create(&foreign, other));
  expect_error(weft_timer_start(timer, foreign), WEFT_ERROR_CONTEXT, "weft_timer_start", "context");
  weft_stream_release(&foreign);
  ok(weft_context_close(&other));
  weft_timer_release(&timer);
  harness_context_close();
}
END_TEST

START_TEST(a_forgotten_timer_is_named_at_close)
{
  weft_timer *timer = NULL;
  char site[64];
  open_profiled();
  ok(weft_timer_create(&timer, ctx));
  snprintf(site, sizeof site, "test_stream.c:%d", __LINE__ - 1);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", site);
  expect_error(weft_timer_start(timer, NULL), WEFT_ERROR_CLOSED, "weft_timer_start");
  weft_timer_release(&timer);
}
END_TEST

START_TEST(handles_of_any_kind_are_released)
{
  weft_array *x = NULL;
  weft_stream *stream = NULL;
  weft_event *event = NULL, *none = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_event_record(&event, ctx, stream));
  weft_array *kept = weft_array_retain(x);
  (weft_release)(5, (void *const[]){&x, &stream, &event, &none, NULL});
  ck_assert(!x && !stream && !event);
  ck_assert_int_eq(weft_array_ndim(kept), 1);
  weft_release(&kept, &none);
  ck_assert_ptr_null(kept);
  (weft_release)(1, NULL);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "streams");
  tcase_add_test(tc, create_and_release);
  tcase_add_loop_test(tc, random_work_on_several_streams, 0, 3);
  tcase_add_test(tc, views_carry_the_order_of_their_storage);
  tcase_add_test(tc, a_released_stream_finishes_its_work);
  tcase_add_test(tc, a_thread_uses_a_stream_for_all_its_calls);
  tcase_add_test(tc, wrong_streams);
  tcase_add_test(tc, handles_of_any_kind_are_released);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, a_stream_in_use_is_not_forgotten);
  tcase_add_test(tc, a_forgotten_stream_is_named_at_close);
  tcase_add_test(tc, timers_need_profiling);
  tcase_add_test(tc, timer_measures_more_for_more_work);
  tcase_add_test(tc, wrong_timers);
  tcase_add_test(tc, a_forgotten_timer_is_named_at_close);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "stream", .add = add});
}
