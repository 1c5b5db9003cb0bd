// SPDX-License-Identifier: MIT
/// The pool: how much it keeps, which buffers serve which requests, reserved memory, the environment's budget, and a
/// context that keeps working after running out of memory.
#include <stdio.h>
#include <weft/opencl.h>

#include "harness.h"

enum { KILO = 1024, MEGA = 1024 * 1024 };

static weft_memory_stats stats(void) {
  weft_memory_stats s;
  memset(&s, 0xa5, sizeof s);
  ok(weft_memory_get(&s, ctx));
  ck_assert_uint_eq(s.managed_bytes, s.active_bytes + s.held_bytes);
  ck_assert_uint_ge(s.peak_requested_bytes, s.requested_bytes);
  ck_assert_uint_ge(s.active_bytes, s.requested_bytes);
  ck_assert_uint_ge(s.driver_allocations, s.driver_releases);
  ck_assert_uint_eq(s.allocations - s.pool_hits <= s.driver_allocations, true);
  harness_count(1);
  return s;
}

static weft_array *bytes(int64_t count) {
  weft_array *x = NULL;
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(count)));
  return x;
}

/// Makes an array and releases it; returns whether the driver was called for it.
static bool asks_the_driver(int64_t count) {
  weft_memory_stats before = stats();
  weft_array *x = bytes(count);
  weft_array_release(&x);
  return stats().driver_allocations > before.driver_allocations;
}

/// Asserts that arrays can be made and used.
static void check_works(void) {
  weft_array *x = NULL, *y = NULL;
  static int32_t got[1000];
  memset(got, 0, sizeof got);
  harness_range(&x, 1000);
  ok(weft_copy(&y, x));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 1000; i++) ck_assert_int_eq(got[i], i);
  weft_array_release(&x);
  weft_array_release(&y);
}

/* ---- sizes ---- */

START_TEST(rounding_is_an_eighth_at_most)
{
  harness_random random = harness_random_start(1);
  ok(weft_memory_set_limit(ctx, UINT64_MAX));
  for (int k = 0; k < 400; k++) {
    int64_t size = harness_between(&random, 1, (int64_t)1 << harness_between(&random, 1, 26));
    weft_array *x = bytes(size);
    weft_memory_stats s = stats();
    int64_t least = size < 512 ? 512 : size;
    ck_assert_uint_eq(s.requested_bytes, size);
    ck_assert_uint_ge(s.active_bytes, size);
    ck_assert_msg((int64_t)s.active_bytes <= least + least / 4, "%" PRId64 " bytes in %" PRIu64, size, s.active_bytes);
    weft_array_release(&x);
    ok(weft_memory_trim(ctx)); /* otherwise a larger buffer may serve */
    x = bytes(size);
    s = stats();
    ck_assert_msg((int64_t)s.active_bytes <= least + least / 8, "%" PRId64 " bytes in a new %" PRIu64, size,
                  s.active_bytes);
    weft_array_release(&x);
  }
  ck_assert_uint_eq(stats().requested_bytes, 0);
}
END_TEST

START_TEST(a_little_larger_serves_much_larger_does_not)
{
  weft_array *x = bytes(10 * MEGA); /* raises the bound out of the way */
  weft_array_release(&x);
  ok(weft_memory_trim(ctx));
  ck_assert(asks_the_driver(MEGA + MEGA / 8));
  ck_assert(!asks_the_driver(MEGA + MEGA / 8));
  ck_assert(!asks_the_driver(MEGA + 1));
  ck_assert(!asks_the_driver(MEGA)); /* 1.125 times as large */
  ck_assert(asks_the_driver(MEGA / 2));
  ck_assert(asks_the_driver(MEGA + MEGA / 8 + 1));
}
END_TEST

/* ---- how much is kept ---- */

/// The bytes that the pool may always hold.
static uint64_t floor_bytes(void) {
  uint64_t part = stats().device_bytes / 1024;
  return part > MEGA ? part : MEGA;
}

/// A size, a power of two, that does not count as small.
static int64_t unit(void) {
  int64_t size = MEGA;
  while (size < (int64_t)floor_bytes()) size *= 2;
  return size;
}

START_TEST(what_was_unused_longest_goes_first)
{
  const int64_t u = unit();
  weft_array *x = bytes(4 * u), *y = bytes(2 * u), *z = bytes(u); /* the peak is 7, so 9.1 may be held */
  weft_array_release(&y);
  weft_array_release(&z);
  weft_array_release(&x);
  ck_assert_uint_eq(stats().held_bytes, 7 * u);
  weft_array *w = bytes(3 * u); /* 10 together: only the buffer of 2 must be evicted */
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.driver_releases, 1);
  ck_assert_uint_eq(s.managed_bytes, 8 * u);
  ck_assert(!asks_the_driver(u));
  ck_assert(!asks_the_driver(4 * u));
  ck_assert(asks_the_driver(2 * u));
  weft_array_release(&w);
}
END_TEST

START_TEST(small_programs_keep_what_they_had)
{
  for (int round = 0; round < 3; round++)
    for (int64_t size = 1000; size <= 100 * KILO; size = size * 3 / 2) ck_assert(asks_the_driver(size) == (round == 0));
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.driver_releases, 0);
  ck_assert_uint_gt(s.held_bytes, 2 * s.peak_requested_bytes);
  ck_assert_uint_le(s.held_bytes, floor_bytes());
}
END_TEST

START_TEST(changing_sizes_are_bounded)
{
  /* growing arrays: each size is used once, and is useless afterwards */
  const int64_t u = unit();
  uint64_t most = 0;
  for (int64_t size = 2 * u; size < 12 * u; size += size / 5) {
    weft_array *x = bytes(size);
    weft_memory_stats s = stats();
    ck_assert_uint_le(s.managed_bytes, (uint64_t)(size + size / 10 * 3));
    if (s.managed_bytes > most) most = s.managed_bytes;
    weft_array_release(&x);
  }
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.peak_managed_bytes, most);
  ck_assert_uint_gt(s.driver_releases, 5);
}
END_TEST

static char advice[1000];
static int advice_count;

static void listen(void *user, weft_log_level level, const char *message) {
  (void)user;
  if (level != WEFT_LOG_WARNING) return;
  advice_count++;
  snprintf(advice, sizeof advice, "%s", message);
}

START_TEST(advice_where_the_bound_costs)
{
  /* two sizes in turn, of which the pool may keep only one */
  const int64_t u = unit();
  weft_log_set(WEFT_LOG_WARNING, listen, NULL);
  for (int k = 0; k < 60; k++) ck_assert(asks_the_driver(4 * u) && asks_the_driver(2 * u));
  ck_assert_int_eq(advice_count, 1);
  ck_assert_msg(
      strstr(advice, "weft_empty (") && strstr(advice, "test_pool.c:") && strstr(advice, "weft_memory_reserve"), "%s",
      advice);
  ok(weft_memory_reserve(ctx, 2 * u));
  ck_assert(asks_the_driver(4 * u));
  for (int k = 0; k < 60; k++) ck_assert(!asks_the_driver(4 * u) && !asks_the_driver(2 * u));
  ck_assert_int_eq(advice_count, 1);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
}
END_TEST

/* ---- reserved memory ---- */

START_TEST(reserved_memory_is_there)
{
  ok(weft_memory_reserve(ctx, 5 * MEGA));
  ok(weft_memory_reserve(ctx, 5 * MEGA));
  ok(weft_memory_reserve(ctx, 0));
  weft_memory_stats s = stats();
  ck_assert_uint_ge(s.held_bytes, 10 * MEGA);
  ck_assert_uint_eq(s.reserved_bytes, s.held_bytes);
  ck_assert_uint_eq(s.requested_bytes, 0);
  ck_assert_uint_eq(s.allocations, 0);
  ck_assert_uint_eq(s.arrays, 0);
  weft_array *x = bytes(5 * MEGA), *y = bytes(5 * MEGA);
  ck_assert_uint_eq(stats().driver_allocations, 3);
  ck_assert_uint_eq(stats().pool_hits, 2);
  weft_array *z = bytes(5 * MEGA);
  ck_assert_uint_eq(stats().driver_allocations, 4);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&z);
  /* other arrays come and go; the reserved memory stays */
  for (int64_t size = MEGA; size < 40 * MEGA; size += MEGA) asks_the_driver(size);
  s = stats();
  ck_assert_uint_eq(s.reserved_bytes, 10 * MEGA + 512);
  uint64_t most = s.peak_requested_bytes / 10 * 13;
  ck_assert_uint_le(s.managed_bytes, (most > floor_bytes() ? most : floor_bytes()) + s.reserved_bytes);
  x = bytes(5 * MEGA);
  y = bytes(5 * MEGA);
  ck_assert_uint_eq(stats().driver_allocations, s.driver_allocations);
  ok(weft_memory_trim(ctx)); /* it is in use: it stays, but no longer counts as reserved */
  ck_assert_uint_eq(stats().reserved_bytes, 0);
  ck_assert_uint_eq(stats().managed_bytes, 10 * MEGA);
  weft_array_release(&x);
  weft_array_release(&y);
  ok(weft_memory_trim(ctx));
  ck_assert_uint_eq(stats().managed_bytes, 0);
  check_works();
}
END_TEST

START_TEST(reserving_has_limits)
{
  const int limit = 8 * MEGA + MEGA / 2;
  ok(weft_memory_set_limit(ctx, limit));
  expect_error(weft_memory_reserve(ctx, 9 * MEGA), WEFT_ERROR_BUDGET, "weft_memory_reserve", "9.0 MiB asked",
               "8.5 MiB");
  ok(weft_memory_reserve(ctx, limit - 5)); /* rounding up would not fit */
  ck_assert_uint_eq(stats().held_bytes, limit - 5);
  ck_assert(!asks_the_driver(limit - 5));
  weft_array *x = bytes(MEGA); /* reserved memory is evicted last */
  ck_assert_uint_eq(stats().reserved_bytes, 0);
  ck_assert_uint_eq(stats().managed_bytes, MEGA);
  expect_error(weft_memory_reserve(ctx, limit - MEGA + 1), WEFT_ERROR_BUDGET, "test_pool.c:");
  weft_array_release(&x);
  expect_error(weft_memory_reserve(ctx, UINT64_MAX), WEFT_ERROR_OVERFLOW, "weft_memory_reserve", "@size_bytes",
               "18446744073709551615");
  expect_error(weft_memory_reserve(NULL, 1), WEFT_ERROR_HANDLE, "weft_memory_reserve", "@context");
  expect_error(weft_memory_reserve(harness_garbage(), 1), WEFT_ERROR_HANDLE, "weft_memory_reserve", "@context");
  check_works();
}
END_TEST

START_TEST(reserving_without_a_pool)
{
  ok(weft_context_create(&ctx, .device = device.selector, .pool_off = true));
  ok(weft_memory_reserve(ctx, 5 * MEGA));
  weft_memory_stats s = stats();
  ck_assert_uint_eq(s.managed_bytes, 0);
  ck_assert_uint_eq(s.reserved_bytes, 0);
  weft_context *second = weft_context_retain(ctx);
  ok(weft_context_close(&ctx));
  expect_error(weft_memory_reserve(second, 1), WEFT_ERROR_CLOSED, "weft_memory_reserve");
  weft_context_release(&second);
}
END_TEST

/* ---- the budget of the environment ---- */

START_TEST(limit_of_the_environment)
{
  weft_context_params params = {.device = device.selector},
                      own = {.device = device.selector, .memory_limit_bytes = 3 * MEGA};
  setenv("WEFT_MEMORY_LIMIT", "100%", 1);
  ok((weft_context_create)(&ctx, &params));
  uint64_t device_bytes = stats().device_bytes;
  harness_context_close();
  const struct {
    const char *text;
    uint64_t limit_bytes;
  } good[] = {{"4194304", 4 * MEGA},     {"512K", 512 * KILO},      {"7M", 7 * MEGA},
              {"2G", (uint64_t)2 << 30}, {"1T", (uint64_t)1 << 40}, {"80%", device_bytes / 100 * 80},
              {"0", device_bytes},       {"", device_bytes}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    setenv("WEFT_MEMORY_LIMIT", good[i].text, 1);
    ok((weft_context_create)(&ctx, &params));
    ck_assert_msg(stats().limit_bytes == good[i].limit_bytes, "%s is %" PRIu64, good[i].text, stats().limit_bytes);
    harness_context_close();
  }
  setenv("WEFT_MEMORY_LIMIT", "7M", 1);
  ok((weft_context_create)(&ctx, &own)); /* the program's own limit takes precedence */
  ck_assert_uint_eq(stats().limit_bytes, 3 * MEGA);
  harness_context_close();
  ok((weft_context_create)(&ctx, &params));
  weft_array *x = NULL;
  expect_error(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(8 * MEGA)), WEFT_ERROR_BUDGET, "weft_zeros", "7.0 MiB");
  check_works();
  harness_context_close();
}
END_TEST

START_TEST(a_wrong_limit_is_named)
{
  const char *bad[] = {"4X",        "much", "G", "-1", "1.5G", "101%", "0%", "%", "4 G", "99999999999999999999",
                       "16777216T", "4GB"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "`%s`", bad[i]);
    setenv("WEFT_MEMORY_LIMIT", bad[i], 1);
    expect_error(weft_context_create(&ctx, .device = device.selector), WEFT_ERROR_ARGUMENT, "weft_context_create",
                 "@WEFT_MEMORY_LIMIT", "WEFT_MEMORY_LIMIT is", quoted, "80%");
    ck_assert_ptr_null(ctx);
    harness_count(1);
  }
}
END_TEST

/* ---- running out ---- */

START_TEST(a_context_works_on_after_its_budget)
{
  weft_array *x[20] = {0}, *more = NULL;
  ok(weft_memory_set_limit(ctx, 20 * MEGA));
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 20; i++) ok(weft_full(&x[i], ctx, WEFT_U8, WEFT_SHAPE(MEGA), i));
    expect_error(weft_zeros(&more, ctx, WEFT_U8, WEFT_SHAPE(1)), WEFT_ERROR_BUDGET,
                 "1 byte asked; 20.0 MiB of 20.0 MiB held", "most by ", "test_pool.c:", "(20.0 MiB)", "limit");
    const char *detail = weft_error_last()->detail;
    ck_assert_msg(strstr(detail, "in arrays: 20.0 MiB") && strstr(detail, "kept by the pool: 0 bytes") &&
                      strstr(detail, "left: 0 bytes") && strstr(detail, "in 20 storages"),
                  "%s", detail);
    ck_assert_ptr_null(more);
    for (int i = 0; i < 20; i++) {
      uint8_t got[4];
      weft_array *part = NULL;
      ok(weft_slice(&part, x[i], 0, MEGA - 4, MEGA));
      ok(weft_to_host(got, sizeof got, part));
      ck_assert_int_eq(got[3], i);
      weft_array_release(&part);
    }
    for (int i = 0; i < 20; i++) weft_array_release(&x[i]);
    check_works();
  }
}
END_TEST

START_TEST(what_can_never_fit_costs_the_pool_nothing)
{
  weft_array *x = bytes(4 * MEGA), *more = NULL;
  weft_array_release(&x);
  ok(weft_memory_set_limit(ctx, 20 * MEGA));
  expect_error(weft_empty(&more, ctx, WEFT_U8, WEFT_SHAPE(21 * MEGA)), WEFT_ERROR_BUDGET,
               "21.0 MiB asked; 0 bytes of 20.0 MiB held");
  ck_assert_msg(strstr(weft_error_last()->detail, "kept by the pool: 4.0 MiB"), "%s", weft_error_last()->detail);
  ck_assert(!asks_the_driver(4 * MEGA));
}
END_TEST

START_TEST(over_the_largest_single_buffer)
{
  /* only a device that has more memory than it reports is asked for more */
  weft_device_info info;
  weft_array *x = NULL;
  ok(weft_context_get_device(&info, ctx));
  int64_t size = (int64_t)info.max_allocation_bytes + 1;
  if (info.allocation_is_hint || info.max_allocation_bytes >= info.memory_size_bytes) return;
  ck_assert(asks_the_driver(4 * MEGA));
  expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(size)), WEFT_ERROR_MEMORY, "weft_empty",
               "a single buffer this large", "max_allocation_bytes");
  ck_assert_int_eq(weft_error_last()->cl_code, 0);
  ck_assert(!asks_the_driver(4 * MEGA));
  check_works();
}
END_TEST

START_TEST(over_the_largest_single_buffer_as_a_hint)
{
  weft_device_info info;
  weft_array *x = NULL;
  setenv("WEFT_QUIRKS", "allocation_is_hint", 1);
  setenv("WEFT_TEST_CUDA_MEMORY", "1099511627776", 1); /* CUDA's stand-in has more memory than a buffer may have */
  harness_context_open();
  ok(weft_context_get_device(&info, ctx));
  ck_assert(info.allocation_is_hint);
  if (info.max_allocation_bytes < info.memory_size_bytes / 2 && strstr(info.platform, "Portable")) {
    ck_assert(asks_the_driver(4 * MEGA));
    expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE((int64_t)info.max_allocation_bytes + 1)), WEFT_ERROR_MEMORY,
                 "weft_empty", "a single buffer this large");
    ck_assert_int_eq(weft_error_last()->cl_code, -61); /* the driver's own code */
    ck_assert(!asks_the_driver(4 * MEGA));
  }
  check_works();
  harness_context_close();
}
END_TEST

/* ---- streams ---- */

START_TEST(a_stream_prefers_what_nobody_else_works_on)
{
  /* two idle buffers of one class, the newer one last written by the context's stream: another stream takes the older
     one */
  weft_stream *stream = NULL;
  weft_array *theirs = NULL, *ours = NULL, *x = NULL;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  ok(weft_full(&ours, ctx, WEFT_U8, WEFT_SHAPE(MEGA), 1));
  size_t offset;
  struct _cl_mem *our_mem = weft_array_cl_mem(ours, &offset);
  ok(weft_stream_use(NULL));
  ok(weft_full(&theirs, ctx, WEFT_U8, WEFT_SHAPE(MEGA), 2));
  weft_array_release(&ours);
  weft_array_release(&theirs);
  ok(weft_stream_use(stream));
  x = bytes(MEGA);
  ck_assert_ptr_eq(weft_array_cl_mem(x, &offset), our_mem);
  ok(weft_stream_use(NULL));
  weft_array_release(&x);
  weft_stream_release(&stream);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "pool");
  tcase_add_test(tc, rounding_is_an_eighth_at_most);
  tcase_add_test(tc, a_little_larger_serves_much_larger_does_not);
  tcase_add_test(tc, what_was_unused_longest_goes_first);
  tcase_add_test(tc, small_programs_keep_what_they_had);
  tcase_add_test(tc, changing_sizes_are_bounded);
  tcase_add_test(tc, advice_where_the_bound_costs);
  tcase_add_test(tc, reserved_memory_is_there);
  tcase_add_test(tc, reserving_has_limits);
  tcase_add_test(tc, a_context_works_on_after_its_budget);
  tcase_add_test(tc, what_can_never_fit_costs_the_pool_nothing);
  tcase_add_test(tc, over_the_largest_single_buffer);
  tcase_add_test(tc, a_stream_prefers_what_nobody_else_works_on);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, reserving_without_a_pool);
  tcase_add_test(tc, limit_of_the_environment);
  tcase_add_test(tc, a_wrong_limit_is_named);
  tcase_add_test(tc, over_the_largest_single_buffer_as_a_hint);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "pool", .add = add});
}
