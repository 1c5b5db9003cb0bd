// SPDX-License-Identifier: MIT
/// Events: points of a stream that the host and other streams wait for.
#include <stdio.h>

#include "harness.h"

static const char SPIN[] =
    "kernel void spin(global uint *y, uint rounds) {\n"
    "  uint v = y[0];\n"
    "  for (uint k = 0; k < rounds; k++) v = v * 1664525u + 1013904223u;\n"
    "  y[0] = v;\n"
    "}\n";

static uint32_t spin(uint32_t v, uint32_t rounds) {
  for (uint32_t k = 0; k < rounds; k++) v = v * 1664525u + 1013904223u;
  return v;
}

START_TEST(record_wait_and_release)
{
  weft_event *event = NULL, *same, *none = NULL;
  weft_stream *stream = NULL;
  bool done = false;
  ok(weft_stream_create(&stream, ctx));
  for (int i = 0; i < 2; i++) {
    ok(weft_event_record(&event, ctx, i ? stream : NULL));
    weft_event *first = event;
    ok(weft_event_wait(event));
    ok(weft_event_wait(event)); /* again: it is still reached */
    ok(weft_event_is_done(&done, event));
    ck_assert(done);
    ok(weft_event_record(&event, ctx, i ? NULL : stream)); /* moved to a new point */
    ck_assert_ptr_eq(event, first);
    ok(weft_event_wait(event));
    same = weft_event_retain(event);
    ck_assert_ptr_eq(same, event);
    weft_event_release(&event);
    ck_assert_ptr_null(event);
    ok(weft_event_wait(same));
    weft_event_release(&same);
  }
  weft_event_release(&none);
  weft_event_release(NULL);
  ck_assert_ptr_null(weft_event_retain(NULL));
  weft_stream_release(&stream);
}
END_TEST

START_TEST(is_done_after_the_work)
{
  if (!harness_has_kernels()) return;
  enum { ROUNDS = 40000000 };
  weft_kernel *kernel = NULL;
  weft_array *y = NULL;
  weft_event *event = NULL;
  weft_stream *stream = NULL;
  uint32_t got = 0;
  bool done = true;
  ok(weft_kernel_create(&kernel, ctx, .source = SPIN, .name = "spin"));
  ok(weft_ones(&y, ctx, WEFT_U32, WEFT_SHAPE(1)));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_launch_on(kernel, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ok(weft_stream_wait(stream)); /* the kernel is built now */
  ok(weft_launch_on(kernel, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, ROUNDS));
  ok(weft_event_record(&event, ctx, stream));
  weft_stream_release(&stream); /* the event holds a reference */
  ok(weft_event_is_done(&done, event));
  ck_assert_msg(!done, "some 40 ms of work done at once");
  while (!done) ok(weft_event_is_done(&done, event));
  ok(weft_event_wait(event));
  ok(weft_to_host(&got, sizeof got, y));
  ck_assert_uint_eq(got, spin(spin(1, 1), ROUNDS));
  weft_event_release(&event);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

/* Without tracking, only events order two streams. */
static void check_order(bool ordered) {
  enum { ROUNDS = 20000000 };
  weft_context_params params = {.device = device.selector, .tracking_off = true};
  weft_kernel *kernel = NULL;
  weft_array *y = NULL, *copy = NULL;
  weft_event *event = NULL;
  weft_stream *side = NULL;
  uint32_t got = 0;
  ok((weft_context_create)(&ctx, &params));
  ok(weft_kernel_create(&kernel, ctx, .source = SPIN, .name = "spin"));
  ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(1)));
  ok(weft_zeros(&copy, ctx, WEFT_U32, WEFT_SHAPE(1)));
  ok(weft_stream_create(&side, ctx));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ok(weft_context_wait(ctx));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, ROUNDS));
  ok(weft_event_record(&event, ctx, NULL));
  if (ordered) ok(weft_stream_after(side, event));
  ok(weft_stream_use(side));
  ok(weft_copy(&copy, y));
  ok(weft_to_host(&got, sizeof got, copy));
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  bool right = got == spin(spin(0, 1), ROUNDS);
  if (ordered) ck_assert_msg(right, "the other stream did not wait for the event");
  if (!ordered)
    printf("without the event the other stream reads %s\n",
           right ? "the right value all the same" : "too early, as it must");
  weft_event_release(&event);
  weft_stream_release(&side);
  weft_array_release(&copy);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
  harness_context_close();
}

START_TEST(a_stream_waits_for_an_event)
{
  if (!harness_has_kernels()) return;
  check_order(true);
  check_order(false);
}
END_TEST

START_TEST(events_of_the_thread_s_stream)
{
  weft_stream *side = NULL;
  weft_event *event = NULL;
  weft_array *x = NULL;
  ok(weft_stream_create(&side, ctx));
  ok(weft_stream_use(side));
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(100000), 3));
  ok(weft_event_record(&event, ctx, NULL));
  ok(weft_stream_after(NULL, event)); /* the event's own stream: no effect */
  ok(weft_stream_use(NULL));
  ok(weft_stream_after(NULL, event));
  weft_stream_release(&side);
  ok(weft_event_wait(event));
  bool done = false;
  ok(weft_event_is_done(&done, event));
  ck_assert(done);
  float got[4];
  weft_array *head = NULL;
  ok(weft_slice(&head, x, 0, 99996, 100000));
  ok(weft_to_host(got, sizeof got, head));
  for (int k = 0; k < 4; k++) ck_assert(got[k] == 3);
  weft_array_release(&head);
  weft_event_release(&event);
  weft_array_release(&x);
}
END_TEST

START_TEST(a_bad_index_is_told_at_the_wait)
{
  if (!harness_has_kernels()) return;
  weft_array *x = NULL, *y = NULL;
  weft_event *before = NULL, *behind = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(10)));
  ok(weft_event_record(&before, ctx, NULL));
  ok(weft_take(&y, x, WEFT_HOST(((const int32_t[]){1, 99}), WEFT_I32, WEFT_SHAPE(2)), 0));
  ok(weft_event_record(&behind, ctx, NULL));
  ok(weft_event_wait(before)); /* the earlier event */
  expect_error(weft_event_wait(behind), WEFT_ERROR_INDEX, "index 99", "position 1", "test_event.c:");
  ok(weft_event_wait(behind)); /* reported once */
  ok(weft_context_wait(ctx));
  weft_event_release(&before);
  weft_event_release(&behind);
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_events)
{
  weft_event *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_event *)ctx}, *event = NULL, *foreign = NULL;
  weft_context *contexts[] = {NULL, harness_garbage(), harness_zeroed()}, *other = NULL;
  weft_stream *stream = NULL;
  bool done = false;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_event_wait(wrong[i]), WEFT_ERROR_HANDLE, "weft_event_wait", "@event");
    expect_error(weft_event_is_done(&done, wrong[i]), WEFT_ERROR_HANDLE, "weft_event_is_done", "@event");
    expect_error(weft_stream_after(NULL, wrong[i]), WEFT_ERROR_HANDLE, "weft_stream_after", "@event");
    if (i) expect_error(weft_event_record(&wrong[i], ctx, NULL), WEFT_ERROR_HANDLE, "weft_event_record", "@*event");
    harness_count(4);
  }
  for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
    expect_error(weft_event_record(&event, contexts[i], NULL), WEFT_ERROR_HANDLE, "weft_event_record", "@context");
    ck_assert_ptr_null(event);
  }
  expect_error(weft_event_record((weft_event **)NULL, ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_event_record", "@event",
               "NULL");
  ok(weft_event_record(&event, ctx, NULL));
  expect_error(weft_event_is_done(NULL, event), WEFT_ERROR_ARGUMENT, "weft_event_is_done", "@done", "NULL");
  ok(weft_context_create(&other, .device = device.selector));
  ok(weft_stream_create(&stream, other));
  ok(weft_event_record(&foreign, other, stream));
  expect_error(weft_event_record(&event, ctx, stream), WEFT_ERROR_CONTEXT, "@stream", "another context");
  expect_error(weft_event_record(&foreign, ctx, NULL), WEFT_ERROR_CONTEXT, "@event", "another context");
  expect_error(weft_stream_after(stream, event), WEFT_ERROR_CONTEXT, "@stream", "another context");
  ok(weft_event_wait(event));
  ok(weft_event_wait(foreign));
  weft_event_release(&foreign);
  weft_stream_release(&stream);
  ok(weft_context_close(&other));
  weft_event_release(&event);
}
END_TEST

START_TEST(a_forgotten_event_is_named_at_close)
{
  weft_event *event = NULL;
  bool done = false;
  char site[64];
  harness_context_open();
  ok(weft_event_record(&event, ctx, NULL));
  snprintf(site, sizeof site, "1 event made at %s:%d", "../tests/suites/context/test_event.c", __LINE__ - 1);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", "1 event made at ",
               strstr(site, "test_event.c"));
  expect_error(weft_event_wait(event), WEFT_ERROR_CLOSED, "weft_event_wait");
  expect_error(weft_event_is_done(&done, event), WEFT_ERROR_CLOSED, "weft_event_is_done");
  expect_error(weft_stream_after(NULL, event), WEFT_ERROR_CLOSED, "weft_stream_after");
  weft_event_release(&event);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "events");
  tcase_add_test(tc, record_wait_and_release);
  tcase_add_test(tc, is_done_after_the_work);
  tcase_add_test(tc, events_of_the_thread_s_stream);
  tcase_add_test(tc, a_bad_index_is_told_at_the_wait);
  tcase_add_test(tc, wrong_events);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, a_stream_waits_for_an_event);
  tcase_add_test(tc, a_forgotten_event_is_named_at_close);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "event", .add = add});
}
