// SPDX-License-Identifier: MIT
/// The profile: counts and times by line; its table, JSON and trace file; starting and stopping; ranges.
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "profiles.h"

enum { N = 1 << 16 };

static float host[N];

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- rows ---- */

START_TEST(rows_have_kind_line_calls_bytes_and_times)
{
  weft_array *x = NULL, *y = NULL, *z = NULL;
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = profiles_slow, .name = "slow"));
  ok(weft_profile_start(ctx));
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), host));
  for (int i = 0; i < 7; i++) ok(weft_add(&y, x, 1));
  ok(weft_add(&y, y, x));
  ok(weft_launch(kernel, WEFT_DIM3(N / 64), WEFT_DIM3(64), y, 1));
  ok(weft_copy(&z, y));
  ok(weft_to_host(host, sizeof host, z));
  int line = __LINE__ - 6;
  collect();
  const struct {
    weft_profile_kind kind;
    const char *name;
    int line;
    uint64_t calls, bytes;
  } wanted[] = {
      {WEFT_PROFILE_COPY_IN, "copy in", line, 1, 4 * N},  {WEFT_PROFILE_KERNEL, "add", line + 1, 7, 7 * 8 * N},
      {WEFT_PROFILE_KERNEL, "add", line + 2, 1, 12 * N},  {WEFT_PROFILE_KERNEL, "slow", line + 3, 1, 4 * N},
      {WEFT_PROFILE_COPY, "copy", line + 4, 1, 8 * N},    {WEFT_PROFILE_COPY_BACK, "copy back", line + 5, 1, 4 * N},
      {WEFT_PROFILE_CALL, "weft_from_host", line, 1, 0},  {WEFT_PROFILE_CALL, "weft_add", line + 1, 7, 0},
      {WEFT_PROFILE_CALL, "weft_launch", line + 3, 1, 0}, {WEFT_PROFILE_CALL, "weft_to_host", line + 5, 1, 0},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const weft_profile_row *row = row_at(wanted[i].kind, wanted[i].name, wanted[i].line);
    ck_assert_uint_eq(row->calls, wanted[i].calls);
    ck_assert_uint_eq(row->bytes, wanted[i].bytes);
    ck_assert_uint_eq(row->unread, 0);
    ck_assert_uint_gt(row->host_ns, 0);
    ck_assert_int_eq(row->parent, -1);
    const bool crosses = row->kind == WEFT_PROFILE_COPY_IN || row->kind == WEFT_PROFILE_COPY_BACK;
    ck_assert_uint_eq(row->transfer_ns, crosses ? row->device_ns : 0);
    harness_count(1);
    if (row->kind == WEFT_PROFILE_CALL) continue;
    ck_assert_uint_le(row->min_device_ns, row->max_device_ns);
    ck_assert_uint_le(row->calls * row->min_device_ns, row->device_ns);
    ck_assert_uint_ge(row->calls * row->max_device_ns, row->device_ns);
    ck_assert_uint_gt(row->device_ns, 0);
    ck_assert(!row->bytes_are_most);
  }
  ck_assert_str_eq(row_at(WEFT_PROFILE_KERNEL, "slow", 0)->kernel, "slow");
  ck_assert_uint_eq(totals.to_device_bytes, 4 * N);
  ck_assert_uint_eq(totals.to_host_bytes, 4 * N);
  ck_assert_uint_eq(totals.to_device_ns, row_at(WEFT_PROFILE_COPY_IN, "copy in", 0)->device_ns);
  ck_assert_uint_eq(totals.to_host_ns, row_at(WEFT_PROFILE_COPY_BACK, "copy back", 0)->device_ns);
  ck_assert_uint_ge(totals.kernel_ns, row_at(WEFT_PROFILE_KERNEL, "slow", 0)->device_ns);
  ck_assert_uint_eq(totals.unread, 0);
  ck_assert_uint_eq(totals.events_dropped, 0);
  ck_assert_uint_eq(totals.events_kept, event_count);
  ck_assert_uint_gt(totals.copy_bytes_per_second, 0);
  ck_assert_uint_gt(totals.device_busy_ns, 0);
  ck_assert_uint_le(totals.device_busy_ns, totals.collected_ns);
  ck_assert_uint_le(totals.call_ns, totals.collected_ns);
  ok(weft_profile_stop(ctx));
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&z);
  weft_kernel_release(&kernel);
}
END_TEST

/* Device and host times share one clock: a command lies between its call and the end of the wait. */
START_TEST(events_are_on_the_hosts_clock)
{
  enum { SLACK_NS = 100000 };
  weft_array *y = NULL;
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = profiles_slow, .name = "slow"));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(64)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 1));
  ok(weft_profile_start(ctx));
  for (int i = 0; i < 4; i++) {
    uint64_t before = now_ns();
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 1000000 * (i + 1)));
    ok(weft_context_wait(ctx));
    uint64_t after = now_ns();
    collect();
    const weft_profile_row *row = row_at(WEFT_PROFILE_KERNEL, "slow", 0);
    const weft_profile_event *last = NULL;
    for (uint64_t e = 0; e < event_count; e++)
      if (&rows[events[e].row] == row && (!last || events[e].start_ns > last->start_ns)) last = &events[e];
    ck_assert_ptr_nonnull(last);
    ck_assert_uint_eq(row->calls, (uint64_t)i + 1);
    ck_assert_uint_gt(last->end_ns, last->start_ns);
    ck_assert_msg(last->start_ns + SLACK_NS >= before && last->end_ns <= after + SLACK_NS,
                  "from %" PRIu64 " to %" PRIu64 ", but the host saw %" PRIu64 " to %" PRIu64, last->start_ns,
                  last->end_ns, before, after);
    harness_count(1);
  }
  ok(weft_profile_stop(ctx));
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(only_what_lies_between_start_and_stop)
{
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_add(&y, y, 1));
  collect();
  ck_assert_uint_eq(row_count, 0);
  ck_assert_uint_eq(event_count, 0);
  ck_assert_uint_eq(totals.collected_ns, 0);
  for (int part = 0; part < 2; part++) {
    ok(weft_profile_start(ctx));
    ok(weft_profile_start(ctx)); /* starts nest */
    ok(weft_add(&y, y, 1));
    ok(weft_profile_stop(ctx));
    ok(weft_add(&y, y, 1));
    ok(weft_profile_stop(ctx));
    ok(weft_add(&y, y, 1));
    uint64_t calls = 0;
    collect();
    for (uint64_t i = 0; i < row_count; i++)
      if (rows[i].kind == WEFT_PROFILE_KERNEL) calls += rows[i].calls;
    ck_assert_uint_eq(calls, 2 * ((uint64_t)part + 1)); /* a new start continues the counts */
    expect_error(weft_profile_stop(ctx), WEFT_ERROR_ARGUMENT, "weft_profile_stop", "@context", "not started");
  }
  ok(weft_profile_start(ctx));
  ok(weft_profile_clear(ctx));
  collect();
  ck_assert(!has_row(WEFT_PROFILE_KERNEL));
  ok(weft_add(&y, y, 1));
  collect();
  ck_assert_uint_eq(row_at(WEFT_PROFILE_KERNEL, "add", 0)->calls, 1);
  ok(weft_profile_stop(ctx));
  weft_array_release(&y);
}
END_TEST

START_TEST(a_limit_of_events_leaves_the_rows_whole)
{
  enum { TIMES = 6000 }; /* more than are pending before some are read */
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(1)));
  ok(weft_add(&y, y, 1));
  ok(weft_profile_start(ctx, .max_events = 100));
  for (int i = 0; i < TIMES; i++) ok(weft_add(&y, y, 1));
  collect();
  ck_assert_uint_eq(event_count, 100);
  ck_assert_uint_eq(totals.events_kept, 100);
  ck_assert_uint_eq(totals.events_dropped, 2 * TIMES - 100); /* each call, and each kernel */
  ck_assert_uint_eq(row_at(WEFT_PROFILE_KERNEL, "add", 0)->calls, TIMES);
  ck_assert_uint_eq(totals.unread, 0);
  ok(weft_profile_stop(ctx));
  weft_array_release(&y);
}
END_TEST

/* ---- ranges ---- */

START_TEST(ranges_have_what_was_done_inside)
{
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_profile_start(ctx));
  for (int epoch = 0; epoch < 3; epoch++) {
    char name[16];
    snprintf(name, sizeof name, "epoch %d", epoch / 2);
    ok(weft_profile_push(name));
    memset(name, 'x', sizeof name); /* the name was copied */
    ok(weft_add(&y, y, 1));
    ok(weft_profile_push("inner"));
    ok(weft_multiply(&y, y, 2));
    ok(weft_profile_pop());
    ok(weft_profile_pop());
  }
  ok(weft_add(&y, y, 1));
  collect();
  const weft_profile_row *zero = row_at(WEFT_PROFILE_RANGE, "epoch 0", 0),
                         *one = row_at(WEFT_PROFILE_RANGE, "epoch 1", 0);
  ck_assert_uint_eq(zero->calls, 2);
  ck_assert_uint_eq(one->calls, 1);
  ck_assert_uint_eq(zero->bytes, 2 * 16 * N);
  ck_assert_uint_eq(one->bytes, 16 * N);
  ck_assert_uint_gt(zero->host_ns, 0);
  uint64_t inside = 0, all = row_at(WEFT_PROFILE_KERNEL, "multiply", 0)->device_ns;
  for (uint64_t i = 0; i < row_count; i++) {
    if (rows[i].kind != WEFT_PROFILE_RANGE || rows[i].parent < 0) continue;
    ck_assert_str_eq(rows[i].name, "inner"); /* one in each of the two ranges, as in paths */
    ck_assert_uint_lt(rows[i].device_ns, rows[rows[i].parent].device_ns);
    ck_assert_uint_lt(rows[i].host_ns, rows[rows[i].parent].host_ns);
    inside += rows[i].device_ns;
  }
  ck_assert_uint_eq(inside, all);
  ck_assert_uint_eq(one->transfer_ns, 0);
  ok(weft_profile_push("crossing"));
  ok(weft_add(&y, y, 1));
  ok(weft_to_host(host, sizeof host, y));
  ok(weft_profile_pop());
  collect();
  const weft_profile_row *crossing = row_at(WEFT_PROFILE_RANGE, "crossing", 0);
  ck_assert_uint_eq(crossing->transfer_ns, row_at(WEFT_PROFILE_COPY_BACK, "copy back", 0)->device_ns);
  ck_assert_uint_gt(crossing->device_ns, crossing->transfer_ns);
  one = row_at(WEFT_PROFILE_RANGE, "epoch 1", 0);
  const weft_profile_event *range = event_of(one), *call = NULL;
  for (uint64_t e = 0; e < event_count; e++) {
    if (strcmp(rows[events[e].row].name, "weft_multiply") == 0) call = &events[e]; /* the last one */
  }
  ck_assert_uint_ge(call->start_ns, range->start_ns);
  ck_assert_uint_le(call->end_ns, range->end_ns);
  ck_assert_uint_eq(call->track, range->track);
  ok(weft_profile_stop(ctx));
  weft_array_release(&y);
}
END_TEST

START_TEST(ranges_outside_of_the_profile)
{
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  expect_error(weft_profile_pop(), WEFT_ERROR_ARGUMENT, "weft_profile_pop", "no range");
  expect_error(weft_profile_push(NULL), WEFT_ERROR_ARGUMENT, "weft_profile_push", "@name");
  ok(weft_profile_push("before")); /* no profile is running */
  ok(weft_profile_start(ctx));
  ok(weft_profile_push("inside"));
  ok(weft_add(&y, y, 1));
  ok(weft_profile_stop(ctx));
  ok(weft_profile_pop());
  ok(weft_profile_pop());
  for (int i = 0; i < 32; i++) ok(weft_profile_push("deep"));
  expect_error(weft_profile_push("deepest"), WEFT_ERROR_ARGUMENT, "weft_profile_push", "@name", "`deepest`", "32");
  for (int i = 0; i < 32; i++) ok(weft_profile_pop());
  expect_error(weft_profile_pop(), WEFT_ERROR_ARGUMENT, "weft_profile_pop");
  collect();
  const weft_profile_row *inside = row_at(WEFT_PROFILE_RANGE, "inside", 0);
  ck_assert_uint_eq(inside->device_ns, row_at(WEFT_PROFILE_KERNEL, "add", 0)->device_ns);
  ck_assert_int_eq(inside->parent, -1);
  weft_array_release(&y);
}
END_TEST

/* ---- the table, JSON, the file ---- */

START_TEST(reports_and_the_trace_file)
{
  weft_array *x = NULL, *y = NULL;
  weft_stream *stream = NULL;
  weft_kernel *kernel = NULL;
  char *text = NULL, site[64], path[] = "test_profile_XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  close(fd);
  ok(weft_stream_create(&stream, ctx));
  ok(weft_kernel_create(&kernel, ctx, .source = profiles_slow, .name = "slow"));
  ok(weft_profile_report(&text, ctx));
  expect_text(text, "nothing ran on the device");
  weft_free(text);
  ok(weft_profile_start(ctx));
  ok(weft_profile_push("a \"range\""));
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), host));
  ok(weft_add(&y, x, 1));
  ok(weft_launch_on(kernel, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, 3000000));
  snprintf(site, sizeof site, "test_profile.c:%d", __LINE__ - 1);
  ok(weft_profile_pop());
  ok(weft_profile_stop(ctx));

  ok(weft_profile_report(&text, ctx));
  const char *parts[] = {"profile of ", device.name,  "a plain copy on the device reaches",
                         "of copy",     "slow",       "add",
                         "copy in",     site,         "calls of Weft",
                         "weft_add",    "a \"range\""};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect_text(text, parts[i]);
  ck_assert(strstr(text, "slow") < strstr(text, "add (")); /* sorted by time */
  ck_assert_ptr_null(strstr(text, "could not be read"));
  weft_free(text);

  ok(weft_profile_report(&text, ctx, .format = WEFT_REPORT_JSON));
  ck_assert_msg(is_json(text), "no JSON: %s", text);
  const char *fields[] = {"\"kind\": \"kernel\", \"name\": \"slow\"", "\"copy_bytes_per_second\": ", site,
                          "\"a \\\"range\\\"\""};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) expect_text(text, fields[i]);
  weft_free(text);

  ok(weft_profile_write(ctx, path));
  text = read_file(path);
  ck_assert_msg(is_json(text), "no JSON: %s", text);
  const char *tracks[] = {"\"traceEvents\"",
                          "\"kernels, stream 1\"",
                          "\"kernels, the context's own stream\"",
                          "\"copies, the context's own stream\"",
                          "\"host thread ",
                          "\"name\": \"weft_add\"",
                          "\"name\": \"slow\"",
                          "\"a \\\"range\\\"\"",
                          site};
  for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) expect_text(text, tracks[i]);
  free(text);
  unlink(path);
  weft_kernel_release(&kernel);
  weft_stream_release(&stream);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

START_TEST(wrong_calls)
{
  weft_context *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  weft_profile_row *none = NULL;
  weft_profile_event *no_events = NULL;
  char *text = NULL;
  uint64_t count = 0;
  for (size_t i = 0; i < 3; i++) {
    expect_error(weft_profile_start(wrong[i]), WEFT_ERROR_HANDLE, "weft_profile_start", "@context");
    expect_error(weft_profile_stop(wrong[i]), WEFT_ERROR_HANDLE, "weft_profile_stop", "@context");
    expect_error(weft_profile_clear(wrong[i]), WEFT_ERROR_HANDLE, "weft_profile_clear", "@context");
    expect_error(weft_profile_get(&none, &count, NULL, wrong[i]), WEFT_ERROR_HANDLE, "weft_profile_get", "@context");
    expect_error(weft_profile_get_events(&no_events, &count, wrong[i]), WEFT_ERROR_HANDLE, "weft_profile_get_events",
                 "@context");
    expect_error(weft_profile_report(&text, wrong[i]), WEFT_ERROR_HANDLE, "weft_profile_report", "@context");
    expect_error(weft_profile_write(wrong[i], "trace.json"), WEFT_ERROR_HANDLE, "weft_profile_write", "@context");
    harness_count(7);
  }
  expect_error(weft_profile_get(NULL, &count, NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_profile_get", "@rows");
  expect_error(weft_profile_get(&none, NULL, NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_profile_get", "@count");
  expect_error(weft_profile_get_events(NULL, &count, ctx), WEFT_ERROR_ARGUMENT, "weft_profile_get_events", "@events");
  expect_error(weft_profile_get_events(&no_events, NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_profile_get_events",
               "@count");
  expect_error(weft_profile_report(NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_profile_report", "@text");
  expect_error(weft_profile_report(&text, ctx, .format = (weft_report_format)7), WEFT_ERROR_ARGUMENT,
               "weft_profile_report", "@format", "7");
  expect_error(weft_profile_write(ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_profile_write", "@file");
  expect_error(weft_profile_write(ctx, "no/such/folder/trace.json"), WEFT_ERROR_FILE, "weft_profile_write",
               "no/such/folder");
  ck_assert_ptr_null(text);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "profile");
  tcase_add_test(tc, rows_have_kind_line_calls_bytes_and_times);
  tcase_add_test(tc, events_are_on_the_hosts_clock);
  tcase_add_test(tc, only_what_lies_between_start_and_stop);
  tcase_add_test(tc, a_limit_of_events_leaves_the_rows_whole);
  tcase_add_test(tc, ranges_have_what_was_done_inside);
  tcase_add_test(tc, ranges_outside_of_the_profile);
  tcase_add_test(tc, reports_and_the_trace_file);
  tcase_add_test(tc, wrong_calls);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "profile", .add = add});
}
