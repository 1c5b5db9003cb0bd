// SPDX-License-Identifier: MIT
/// A context's memory: statistics, the pool, the budget and the holders it names, reports.
#include <stdio.h>

#include "harness.h"
#include "json.h"

enum { KILO = 1024, MEGA = 1024 * 1024 };

static weft_memory_stats stats(void) {
  weft_memory_stats s;
  memset(&s, 0xa5, sizeof s);
  ok(weft_memory_get(&s, ctx));
  ck_assert_uint_eq(s.managed_bytes, s.active_bytes + s.held_bytes);
  ck_assert_uint_ge(s.peak_active_bytes, s.active_bytes);
  ck_assert_uint_ge(s.peak_managed_bytes, s.managed_bytes);
  ck_assert_uint_le(s.pool_hits, s.allocations);
  harness_count(1);
  return s;
}

static weft_array *bytes(int64_t count) {
  weft_array *x = NULL;
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(count)));
  return x;
}

/* ---- statistics ---- */

START_TEST(a_new_context_has_nothing)
{
  weft_device_info info;
  weft_memory_stats s = stats();
  ok(weft_context_get_device(&info, ctx));
  ck_assert_uint_eq(s.active_bytes, 0);
  ck_assert_uint_eq(s.arrays, 0);
  ck_assert_uint_eq(s.device_bytes, info.memory_size_bytes);
  ck_assert_uint_eq(s.limit_bytes, info.memory_size_bytes);
}
END_TEST

START_TEST(figures_follow_the_arrays)
{
  weft_array *x = bytes(100000), *y = bytes(200000), *view = NULL;
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.arrays, 2);
  ck_assert_uint_ge(s.active_bytes, 300000);
  ck_assert_uint_le(s.active_bytes, 300000 + 300000 / 8); /* eight size classes to a power of two: at most an eighth is
                                                             lost */
  uint64_t active = s.active_bytes;
  ok(weft_slice(&view, x, 0, 5, 50));
  weft_array *second = weft_array_retain(y);
  s = stats();
  ck_assert_uint_eq(s.arrays, 2); /* views and references are no storages */
  ck_assert_uint_eq(s.active_bytes, active);
  weft_array_release(&x);
  weft_array_release(&y);
  ck_assert_uint_eq(stats().arrays, 2);
  weft_array_release(&view);
  s = stats();
  ck_assert_uint_eq(s.arrays, 1);
  ck_assert_uint_lt(s.active_bytes, active);
  weft_array_release(&second);
  s = stats();
  ck_assert_uint_eq(s.arrays, 0);
  ck_assert_uint_eq(s.active_bytes, 0);
  ck_assert_uint_eq(s.peak_active_bytes, active);
}
END_TEST

START_TEST(transfers_and_launches_are_counted)
{
  weft_array *x = NULL;
  static int32_t data[5000];
  weft_memory_stats before = stats();
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(5000), data));
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.to_device_bytes - before.to_device_bytes, sizeof data);
  ck_assert_uint_eq(s.to_host_bytes, before.to_host_bytes);
  ok(weft_to_host(data, sizeof data, x));
  ck_assert_uint_eq(stats().to_host_bytes - before.to_host_bytes, sizeof data);
  if (harness_has_kernels()) {
    weft_kernel *kernel = NULL;
    ok(weft_kernel_create(&kernel, ctx, .source = "kernel void k(global int *y) { y[0] = 1; }\n"));
    before = stats();
    for (int i = 0; i < 3; i++) ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), x));
    ck_assert_uint_eq(stats().launches - before.launches, 3);
    ok(weft_fill(x, 1));
    ck_assert_uint_ge(stats().launches, before.launches + 3);
    weft_kernel_release(&kernel);
  }
  weft_array_release(&x);
}
END_TEST

/* ---- the pool ---- */

START_TEST(released_memory_is_used_again)
{
  weft_memory_stats before = stats();
  for (int i = 0; i < 10; i++) {
    weft_array *x = bytes(50000 + i);
    weft_array_release(&x);
  }
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.allocations - before.allocations, 10);
  ck_assert_uint_eq(s.pool_hits - before.pool_hits, 9);
  ck_assert_uint_eq(s.active_bytes, 0);
  ck_assert_uint_ge(s.held_bytes, 50000);
  ck_assert_uint_lt(s.held_bytes, 100000);
}
END_TEST

START_TEST(trim_gives_all_back)
{
  weft_array *x = bytes(MEGA), *y = bytes(3 * MEGA);
  weft_array_release(&x);
  ck_assert_uint_ge(stats().held_bytes, MEGA);
  ok(weft_memory_trim(ctx));
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.held_bytes, 0);
  ck_assert_uint_ge(s.active_bytes, 3 * MEGA); /* live arrays stay */
  ok(weft_fill(y, 3));
  weft_array_release(&y);
  ok(weft_memory_trim(ctx));
  ok(weft_memory_trim(ctx));
  ck_assert_uint_eq(stats().managed_bytes, 0);
}
END_TEST

static void check_pool_is_off(void) {
  weft_array *x = bytes(50001);
  ck_assert_uint_eq(stats().active_bytes, 50001); /* the exact size */
  weft_array_release(&x);
  x = bytes(50001);
  ck_assert_uint_eq(stats().pool_hits, 0);
  weft_array_release(&x);
  ok(weft_context_wait(ctx));
  ck_assert_uint_eq(stats().held_bytes, 0);
}

START_TEST(pool_off)
{
  weft_context_params params = {.device = device.selector, .pool_off = true};
  ok((weft_context_create)(&ctx, &params));
  check_pool_is_off();
  harness_context_close();
  setenv("WEFT_POOL", "off", 1);
  harness_context_open();
  check_pool_is_off();
  harness_context_close();
}
END_TEST

START_TEST(touched_at_any_size)
{
  weft_context_params params = {.device = device.selector, .pool_off = true};
  weft_array *x = NULL;
  bool got = false;
  setenv("WEFT_QUIRKS", "lazy_allocation", 1);
  ok((weft_context_create)(&ctx, &params));
  ok(weft_full(&x, ctx, WEFT_BOOL, WEFT_SHAPE(1), true));
  ok(weft_to_host(&got, sizeof got, x));
  ck_assert(got);
  weft_array_release(&x);
  ok(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(0)));
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

START_TEST(reused_memory_is_not_written_too_early)
{
  /* a released source's memory goes to the next array, while the copy may still read it */
  weft_array *x = NULL, *copies[30] = {0};
  static uint8_t got[MEGA];
  for (int i = 0; i < 30; i++) {
    ok(weft_full(&x, ctx, WEFT_U8, WEFT_SHAPE(MEGA), i));
    ok(weft_copy(&copies[i], x));
    weft_array_release(&x);
  }
  for (int i = 0; i < 30; i++) {
    ok(weft_to_host(got, sizeof got, copies[i]));
    for (int k = 0; k < MEGA; k += 1001) ck_assert_int_eq(got[k], i);
    weft_array_release(&copies[i]);
  }
}
END_TEST

/* ---- the budget ---- */

static bool said(const char *part) {
  return strstr(weft_error_last()->message, part) || strstr(weft_error_last()->detail, part);
}

START_TEST(the_budget_names_the_biggest_holders)
{
  weft_array *small = NULL, *big = NULL, *middle = NULL, *more = NULL;
  char big_site[64], small_site[64], middle_site[64];
  ok(weft_memory_set_limit(ctx, 16 * MEGA));
  ck_assert_uint_eq(stats().limit_bytes, 16 * MEGA);
  ok(weft_zeros(&small, ctx, WEFT_U8, WEFT_SHAPE(MEGA)));
  ok(weft_zeros(&big, ctx, WEFT_U8, WEFT_SHAPE(8 * MEGA)));
  ok(weft_zeros(&middle, ctx, WEFT_U8, WEFT_SHAPE(3 * MEGA)));
  int line = __LINE__ - 3;
  snprintf(small_site, sizeof small_site, "test_memory.c:%d", line);
  snprintf(big_site, sizeof big_site, "test_memory.c:%d", line + 1);
  snprintf(middle_site, sizeof middle_site, "test_memory.c:%d", line + 2);
  expect_error(weft_zeros(&more, ctx, WEFT_U8, WEFT_SHAPE(8 * MEGA)), WEFT_ERROR_BUDGET, "weft_zeros", "8.0 MiB",
               "12.0", "16.0 MiB", big_site);
  ck_assert_ptr_null(more);
  ck_assert_msg(said(middle_site) && said(small_site), "%s", harness_error_text());
  const char *detail = weft_error_last()->detail;
  const char *first = strstr(detail, big_site), *second = strstr(detail, middle_site),
             *third = strstr(detail, small_site);
  ck_assert_msg(first && second && third && first < second && second < third, "biggest first: %s", detail);
  ok(weft_zeros(&more, ctx, WEFT_U8, WEFT_SHAPE(MEGA))); /* a request that fits succeeds */
  weft_array_release(&more);
  weft_array_release(&big);
  ok(weft_zeros(&more, ctx, WEFT_U8, WEFT_SHAPE(8 * MEGA)));
  weft_array_release(&more);
  weft_array_release(&small);
  weft_array_release(&middle);
}
END_TEST

START_TEST(what_the_pool_holds_makes_room)
{
  weft_array *x;
  ok(weft_memory_set_limit(ctx, 10 * MEGA));
  for (int64_t size = MEGA; size <= 9 * MEGA; size += MEGA) { /* together far more than the limit */
    x = bytes(size);
    weft_array_release(&x);
    ck_assert_uint_le(stats().managed_bytes, 10 * MEGA);
  }
}
END_TEST

START_TEST(limits_can_change)
{
  weft_array *x = bytes(4 * MEGA), *more = NULL;
  weft_memory_stats s = stats();
  ok(weft_memory_set_limit(ctx, MEGA)); /* below the live arrays: only new arrays are refused */
  expect_error(weft_empty(&more, ctx, WEFT_U8, WEFT_SHAPE(KILO)), WEFT_ERROR_BUDGET, "weft_empty", "1.0 MiB",
               "test_memory.c:");
  ok(weft_fill(x, 1));
  ok(weft_memory_set_limit(ctx, 0)); /* 0: the device's memory */
  ck_assert_uint_eq(stats().limit_bytes, s.device_bytes);
  ok(weft_empty(&more, ctx, WEFT_U8, WEFT_SHAPE(KILO)));
  weft_array_release(&more);
  ok(weft_memory_set_limit(ctx, UINT64_MAX));
  weft_array_release(&x);
}
END_TEST

START_TEST(limit_of_the_params)
{
  weft_array *x = NULL;
  weft_context_params params = {.device = device.selector, .memory_limit_bytes = 2 * MEGA};
  ok((weft_context_create)(&ctx, &params));
  ck_assert_uint_eq(stats().limit_bytes, 2 * MEGA);
  expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(3 * MEGA)), WEFT_ERROR_BUDGET, "weft_empty", "3.0 MiB",
               "2.0 MiB");
  x = bytes(MEGA);
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

/* ---- reports ---- */

START_TEST(the_json_reader_can_say_no)
{
  const char *good[] = {"{}", "[]", "{\"a\": [1, 2.5e3, -4], \"b\": {\"c\": null}}", "\"x\\u00e9\\n\"", " true "};
  const char *bad[] = {"", "{", "{\"a\" 1}", "[1,]", "{\"a\": 1,}", "\"\n\"", "{} x", "nan", "[1 2]", "\"\\q\"", "'a'"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) ck_assert_msg(is_json(good[i]), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) ck_assert_msg(!is_json(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(report_says_what_is_alive_by_line)
{
  weft_array *x[3] = {0}, *big = NULL;
  char *table = NULL, *json = NULL, x_site[64], big_site[64];
  for (int i = 0; i < 3; i++) ok(weft_zeros(&x[i], ctx, WEFT_F32, WEFT_SHAPE(1000)));
  ok(weft_zeros(&big, ctx, WEFT_F32, WEFT_SHAPE(100, 1000)));
  int line = __LINE__ - 2;
  snprintf(x_site, sizeof x_site, "test_memory.c:%d", line);
  snprintf(big_site, sizeof big_site, "test_memory.c:%d", line + 1);
  ok(weft_memory_report(&table, ctx));
  ck_assert_msg(strstr(table, x_site) && strstr(table, big_site), "%s", table);
  ck_assert_msg(strstr(table, big_site) < strstr(table, x_site), "biggest first: %s", table);
  ok(weft_memory_report(&json, ctx, .format = WEFT_REPORT_JSON));
  ck_assert_msg(is_json(json), "%s", json);
  ck_assert_msg(strstr(json, x_site) && strstr(json, big_site), "%s", json);
  ck_assert_msg(strstr(json, "active_bytes") && strstr(json, "held_bytes") && strstr(json, "peak"), "%s", json);
  ck_assert_msg(!is_json(table), "a table is no JSON");
  weft_free(table);
  weft_free(json);
  for (int i = 0; i < 3; i++) weft_array_release(&x[i]);
  weft_array_release(&big);
  ok(weft_memory_report(&table, ctx));
  ck_assert_msg(!strstr(table, x_site) && !strstr(table, big_site), "nothing is alive: %s", table);
  weft_free(table);
  ok(weft_memory_report(&json, ctx, .format = WEFT_REPORT_JSON));
  ck_assert_msg(is_json(json) && !strstr(json, x_site), "%s", json);
  weft_free(json);
}
END_TEST

START_TEST(kernels_and_streams_are_in_the_report)
{
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  char *json = NULL, kernel_site[64], stream_site[64];
  if (!harness_has_kernels()) return;
  ok(weft_kernel_create(&kernel, ctx, .source = "kernel void k(global int *y) { y[0] = 1; }\n"));
  ok(weft_stream_create(&stream, ctx));
  int line = __LINE__ - 2;
  snprintf(kernel_site, sizeof kernel_site, "test_memory.c:%d", line);
  snprintf(stream_site, sizeof stream_site, "test_memory.c:%d", line + 1);
  ok(weft_memory_report(&json, ctx, .format = WEFT_REPORT_JSON));
  ck_assert_msg(is_json(json) && strstr(json, kernel_site) && strstr(json, stream_site), "%s", json);
  weft_free(json);
  weft_kernel_release(&kernel);
  weft_stream_release(&stream);
}
END_TEST

START_TEST(wrong_calls)
{
  weft_context *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  weft_memory_stats s;
  char *text = NULL;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_memory_get(&s, wrong[i]), WEFT_ERROR_HANDLE, "weft_memory_get", "@context");
    expect_error(weft_memory_trim(wrong[i]), WEFT_ERROR_HANDLE, "weft_memory_trim", "@context");
    expect_error(weft_memory_set_limit(wrong[i], 1), WEFT_ERROR_HANDLE, "weft_memory_set_limit", "@context");
    expect_error(weft_memory_report(&text, wrong[i]), WEFT_ERROR_HANDLE, "weft_memory_report", "@context");
    harness_count(4);
  }
  expect_error(weft_memory_get(NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_memory_get", "@stats", "NULL");
  expect_error(weft_memory_report(NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_memory_report", "@text", "NULL");
  expect_error(weft_memory_report(&text, ctx, .format = (weft_report_format)9), WEFT_ERROR_ARGUMENT,
               "weft_memory_report", "@format", "9");
  ck_assert_ptr_null(text);
}
END_TEST

START_TEST(closed)
{
  harness_context_open();
  weft_context *second = weft_context_retain(ctx);
  ok(weft_context_close(&ctx));
  expect_error(weft_memory_trim(second), WEFT_ERROR_CLOSED, "weft_memory_trim");
  expect_error(weft_memory_set_limit(second, 1), WEFT_ERROR_CLOSED, "weft_memory_set_limit");
  weft_context_release(&second);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "figures");
  tcase_add_test(tc, a_new_context_has_nothing);
  tcase_add_test(tc, figures_follow_the_arrays);
  tcase_add_test(tc, transfers_and_launches_are_counted);
  tcase_add_test(tc, released_memory_is_used_again);
  tcase_add_test(tc, trim_gives_all_back);
  tcase_add_test(tc, reused_memory_is_not_written_too_early);
  tcase_add_test(tc, the_budget_names_the_biggest_holders);
  tcase_add_test(tc, what_the_pool_holds_makes_room);
  tcase_add_test(tc, limits_can_change);
  tcase_add_test(tc, report_says_what_is_alive_by_line);
  tcase_add_test(tc, kernels_and_streams_are_in_the_report);
  tcase_add_test(tc, wrong_calls);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, pool_off);
  tcase_add_test(tc, touched_at_any_size);
  tcase_add_test(tc, limit_of_the_params);
  tcase_add_test(tc, the_json_reader_can_say_no);
  tcase_add_test(tc, closed);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "memory", .add = add});
}
