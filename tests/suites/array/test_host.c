// SPDX-License-Identifier: MIT
/// Memory shared by host and device: wrapped arrays, maps, and operands that a call uses in place.
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "harness.h"
#include "views.h"

/* ck_assert writes to a pipe each time: too slow for millions of elements */
#define each(condition)                                              \
  do {                                                               \
    if (!(condition)) ck_abort_msg("does not hold: %s", #condition); \
  } while (0)

enum { N = 1 << 20, BYTES = N * 4 };

static weft_memory_stats stats(void) {
  weft_memory_stats s;
  ok(weft_memory_get(&s, ctx));
  return s;
}

static weft_usage usage(void) {
  weft_usage u;
  ok(weft_usage_get(&u, ctx));
  return u;
}

static size_t alignment(void) {
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  return (size_t)info.address_align_bytes;
}

static void *aligned(size_t size_bytes) {
  void *memory = NULL;
  ck_assert_int_eq(posix_memalign(&memory, alignment() < sizeof(void *) ? sizeof(void *) : alignment(), size_bytes), 0);
  return memory;
}

static bool is_cpu(void) {
  return device.type == WEFT_DEVICE_TYPE_CPU;
}

/// Whether this driver allows operands in place.
static bool is_pocl(void) {
  return is_cpu() && strstr(device.platform, "Portable Computing Language") != NULL;
}

/* ---- wrapped ---- */

static int given_back;
static void give_back(void *user) {
  given_back++;
  free(user);
}

START_TEST(a_wrapped_array_is_the_memory)
{
  if (!harness_has_kernels()) return;
  weft_array *x = NULL, *part = NULL;
  float *data = aligned(BYTES), one;
  if (!is_cpu()) {
    expect_error(weft_wrap_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), data), WEFT_ERROR_UNSUPPORTED, "weft_wrap_host",
                 "weft_from_host");
    ck_assert_ptr_null(x);
    free(data);
    return;
  }
  for (int i = 0; i < N; i++) data[i] = (float)i;
  weft_memory_stats before = stats();
  ok(weft_wrap_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), data));
  ck_assert_uint_eq(stats().active_bytes, before.active_bytes); /* no device memory */
  ok(weft_multiply(&x, x, 2.0f));
  ok(weft_to_host(data, BYTES, x));
  for (int i = 0; i < N; i++) each(data[i] == 2.0f * (float)i);
  ok(weft_slice(&part, x, 0, 5, 105));
  ok(weft_add(&part, part, 1));
  ok(weft_to_host(data + 5, 400, part)); /* the view's own memory */
  for (int i = 0; i < 200; i++) each(data[i] == 2.0f * (float)i + (i >= 5 && i < 105 ? 1 : 0));
  ck_assert_uint_eq(stats().to_device_bytes + stats().to_host_bytes, before.to_device_bytes + before.to_host_bytes);
  ok(weft_from_host(&part, NULL, WEFT_F32, WEFT_SHAPE(100), data + 5)); /* onto itself: no copy */
  ck_assert_uint_eq(stats().to_device_bytes, before.to_device_bytes);
  weft_array_release(&part);
  ok(weft_pick(&part, x, 0, 7));
  ok(weft_to_host(&one, sizeof one, part)); /* other memory: a copy */
  ck_assert(one == 15);
  ck_assert_uint_eq(stats().to_host_bytes - before.to_host_bytes, 4);
  weft_array_release(&part);
  ok(weft_multiply(&x, x, 2.0f));
  weft_array_release(&x); /* waits */
  for (int i = 200; i < N; i++) each(data[i] == 4.0f * (float)i);
  free(data);
}
END_TEST

START_TEST(a_lender_hears_of_it_once)
{
  weft_array *x = NULL, *view = NULL;
  int32_t *data;
  if (!is_cpu()) return;
  for (int closes = 0; closes < 2; closes++) {
    data = aligned(4000);
    given_back = 0;
    ok(weft_wrap_host(&x, ctx, WEFT_I32, WEFT_SHAPE(1000), data, .give_back = give_back, .user = data));
    ok(weft_slice(&view, x, 0, 1, 9));
    ok(weft_fill(view, 3));
    weft_array_release(&x);
    ck_assert_int_eq(given_back, 0);
    if (closes) {
      expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "test_host.c:");
      ck_assert_int_eq(given_back, 1);
    }
    weft_array_release(&view);
    ck_assert_int_eq(given_back, 1);
  }
  harness_context_open();
  given_back = 0;
  /* no bytes, but still lent */
  ok(weft_wrap_host(&x, ctx, WEFT_I32, WEFT_SHAPE(0), NULL, .give_back = give_back));
  weft_array_release(&x);
  ck_assert_int_eq(given_back, 1);
}
END_TEST

START_TEST(wrong_wraps)
{
  weft_array *x = NULL;
  char *data = aligned(4096), expected[32];
  if (!is_cpu()) return;
  given_back = 0;
  snprintf(expected, sizeof expected, "multiple of %zu", alignment());
  for (size_t past = 1; past < alignment(); past *= 2)
    expect_error(weft_wrap_host(&x, ctx, WEFT_U8, WEFT_SHAPE(100), data + past, .give_back = give_back, .user = data),
                 WEFT_ERROR_LAYOUT, "weft_wrap_host", "@data", expected, "aligned_alloc", "weft_from_host");
  expect_error(weft_wrap_host(&x, ctx, WEFT_U8, WEFT_SHAPE(100), NULL), WEFT_ERROR_ARGUMENT, "@data", "100 bytes");
  expect_error(weft_wrap_host(&x, ctx, WEFT_U8, WEFT_SHAPE(-1), data), WEFT_ERROR_SHAPE, "@shape");
  expect_error(weft_wrap_host(&x, ctx, (weft_dtype)99, WEFT_SHAPE(1), data), WEFT_ERROR_DTYPE, "@dtype");
  expect_error(weft_wrap_host((weft_array **)NULL, ctx, WEFT_U8, WEFT_SHAPE(1), data), WEFT_ERROR_ARGUMENT, "@out");
  expect_error(weft_wrap_host(&x, harness_garbage(), WEFT_U8, WEFT_SHAPE(1), data), WEFT_ERROR_HANDLE, "@context");
  ck_assert(x == NULL && given_back == 0);
  free(data);
}
END_TEST

START_TEST(two_arrays_around_the_same_memory)
{
  if (!harness_has_kernels()) return;
  /* overlap is detected by address: results are as if the source had been read first */
  weft_array *x = NULL, *y = NULL, *to = NULL, *from = NULL;
  int32_t *data;
  if (!is_cpu()) return;
  data = aligned(4000);
  for (int i = 0; i < 1000; i++) data[i] = i;
  ok(weft_wrap_host(&x, ctx, WEFT_I32, WEFT_SHAPE(1000), data));
  ok(weft_wrap_host(&y, ctx, WEFT_I32, WEFT_SHAPE(1000), data));
  ok(weft_slice(&to, x, 0, 1, 1000));
  ok(weft_slice(&from, y, 0, 0, 999));
  ok(weft_copy(&to, from));
  ok(weft_to_host(data, 4000, x));
  for (int i = 0; i < 1000; i++) each(data[i] == (i ? i - 1 : 0));
  ok(weft_add(&to, from, 10));
  ok(weft_to_host(data, 4000, x));
  for (int i = 2; i < 1000; i++) each(data[i] == i + 8);
  /* in place, of an odd length and more than once: no element may be computed twice */
  weft_array_release(&to);
  ok(weft_slice(&to, x, 0, 0, 999));
  ok(weft_fill(x, 1));
  for (int time = 1; time <= 4; time++) {
    ok(weft_add(&to, from, 10));
    ok(weft_to_host(data, 4000, x));
    for (int i = 0; i < 999; i++) each(data[i] == 1 + 10 * time);
  }
  weft_array_release(&to);
  weft_array_release(&from);
  weft_array_release(&x);
  weft_array_release(&y);
  free(data);
}
END_TEST

START_TEST(no_bytes_are_moved)
{
  enum { BIG = 64 << 20 };
  weft_array *x = NULL;
  char *data;
  struct timespec begin, end;
  double best_us = 1e9;
  if (!is_cpu()) return;
  data = aligned(BIG);
  memset(data, 1, BIG);
  for (int i = 0; i < 20; i++) {
    clock_gettime(CLOCK_MONOTONIC, &begin);
    ok(weft_wrap_host(&x, ctx, WEFT_U8, WEFT_SHAPE(BIG), data));
    ok(weft_to_host(data, BIG, x));
    clock_gettime(CLOCK_MONOTONIC, &end);
    double us = (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-3;
    if (us < best_us) best_us = us;
    weft_array_release(&x);
  }
  ck_assert_uint_eq(stats().to_device_bytes + stats().to_host_bytes, 0);
  printf("64 MB wrapped and read back in %.1f us\n", best_us);
  free(data);
}
END_TEST

/* ---- maps ---- */

START_TEST(maps_read_and_write)
{
  if (!harness_has_kernels()) return;
  weft_array *x = NULL, *part = NULL;
  int32_t *data = NULL, got[1000];
  void *mapped = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 1000, 1));
  ok(weft_map(&mapped, x, WEFT_MAP_READ));
  data = mapped;
  for (int i = 0; i < 1000; i++) each(data[i] == i);
  ok(weft_to_host(got, sizeof got, x)); /* the array may still be read */
  ok(weft_unmap(x));
  ok(weft_slice(&part, x, 0, 100, 200));
  ok(weft_map(&mapped, part, WEFT_MAP_WRITE));
  data = mapped;
  for (int i = 0; i < 100; i++) data[i] = -i;
  ok(weft_unmap(part));
  ok(weft_add(&x, x, 1));
  ok(weft_map(&mapped, x, WEFT_MAP_READ | WEFT_MAP_WRITE));
  data = mapped;
  for (int i = 0; i < 1000; i++) each(data[i] == ((i >= 100 && i < 200 ? 100 - i : i) + 1));
  data[999] = 7;
  ok(weft_unmap(x));
  ok(weft_to_host(got, sizeof got, x));
  ck_assert(got[999] == 7 && got[0] == 1 && got[101] == 0);
  weft_array_release(&part);
  weft_array_release(&x);
}
END_TEST

START_TEST(a_map_waits_for_streams)
{
  if (!harness_has_kernels()) return;
  weft_array *x = NULL;
  weft_stream *side = NULL;
  void *mapped = NULL;
  ok(weft_stream_create(&side, ctx));
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  for (int round = 0; round < 10; round++) {
    ok(weft_stream_use(side));
    ok(weft_add(&x, x, 1));
    ok(weft_stream_use(NULL));
    ok(weft_map(&mapped, x, WEFT_MAP_READ | WEFT_MAP_WRITE));
    float *data = mapped;
    for (int i = 0; i < N; i += 997) each(data[i] == 3.0f * (float)round + 1);
    for (int i = 0; i < N; i++) data[i] += 1;
    ok(weft_unmap(x));
    ok(weft_stream_use(side));
    ok(weft_add(&x, x, 1)); /* waits for the unmap */
    ok(weft_stream_use(NULL));
  }
  weft_array_release(&x);
  weft_stream_release(&side);
}
END_TEST

START_TEST(what_is_mapped_is_not_used)
{
  if (!harness_has_kernels()) return;
  weft_array *x = NULL, *y = NULL, *view = NULL;
  void *mapped = NULL, *second = &mapped;
  float host[64];
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(64)));
  ok(weft_slice(&view, x, 0, 0, 10));
  ok(weft_map(&mapped, x, WEFT_MAP_READ));
  int line = __LINE__ - 3;
  char site[32];
  snprintf(site, sizeof site, "test_host.c:%d", line);
  ok(weft_add(&y, x, 1));
  expect_error(weft_fill(x, 1), WEFT_ERROR_ARGUMENT, "weft_fill", site, "weft_unmap");
  expect_error(weft_add(&view, view, 1), WEFT_ERROR_ARGUMENT, "weft_add", "mapped", "weft_unmap");
  expect_error(weft_map(&second, view, WEFT_MAP_READ), WEFT_ERROR_ARGUMENT, "weft_map", "@x", "mapped already");
  ck_assert_ptr_null(second);
  ok(weft_unmap(view)); /* the two share memory, so this ends the map */
  ok(weft_map(&mapped, x, WEFT_MAP_WRITE));
  expect_error(weft_to_host(host, sizeof host, x), WEFT_ERROR_ARGUMENT, "weft_to_host", "mapped for the host to write");
  expect_error(weft_add(&y, view, 1), WEFT_ERROR_SHAPE, "weft_add");
  expect_error(weft_add(&y, x, 1), WEFT_ERROR_ARGUMENT, "weft_add", "weft_unmap");
  ok(weft_unmap(x));
  ok(weft_add(&y, x, 1));
  expect_error(weft_unmap(x), WEFT_ERROR_ARGUMENT, "weft_unmap", "@x", "not mapped");
  weft_array_release(&y);
  /* the last release ends the map, and the memory can be reused */
  ok(weft_map(&mapped, x, WEFT_MAP_WRITE));
  weft_array_release(&x);
  weft_array_release(&view);
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(64), 5));
  ok(weft_to_host(host, sizeof host, x));
  for (int i = 0; i < 64; i++) each(host[i] == 5);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_maps)
{
  weft_array *x = NULL, *gaps = NULL, *wide = NULL, *none = NULL,
             *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  void *mapped = NULL;
  for (size_t i = 0; i < 3; i++) {
    expect_error(weft_map(&mapped, wrong[i], WEFT_MAP_READ), WEFT_ERROR_HANDLE, "weft_map", "@x");
    expect_error(weft_unmap(wrong[i]), WEFT_ERROR_HANDLE, "weft_unmap", "@x");
  }
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(8)));
  ok(weft_slice(&gaps, x, 0, 0, 8, .step = 2));
  ok(weft_broadcast(&wide, x, WEFT_SHAPE(2, 8)));
  ok(weft_zeros(&none, ctx, WEFT_F32, WEFT_SHAPE(0)));
  expect_error(weft_map(NULL, x, WEFT_MAP_READ), WEFT_ERROR_ARGUMENT, "@data");
  expect_error(weft_map(&mapped, x, 0), WEFT_ERROR_ARGUMENT, "@access", "0");
  expect_error(weft_map(&mapped, x, 4), WEFT_ERROR_ARGUMENT, "@access", "4");
  expect_error(weft_map(&mapped, x, -1), WEFT_ERROR_ARGUMENT, "@access", "-1");
  expect_error(weft_map(&mapped, gaps, WEFT_MAP_READ), WEFT_ERROR_LAYOUT, "@x", "weft_copy");
  expect_error(weft_map(&mapped, wide, WEFT_MAP_READ), WEFT_ERROR_LAYOUT, "@x", "weft_copy");
  expect_error(weft_map(&mapped, wide, WEFT_MAP_WRITE), WEFT_ERROR_LAYOUT, "@x", "broadcast");
  expect_error(weft_map(&mapped, none, WEFT_MAP_READ), WEFT_ERROR_SHAPE, "@x", "no elements");
  expect_error(weft_unmap(x), WEFT_ERROR_ARGUMENT, "@x", "not mapped");
  weft_array_release(&none);
  weft_array_release(&wide);
  weft_array_release(&gaps);
  weft_array_release(&x);
}
END_TEST

START_TEST(closed_while_mapped)
{
  weft_array *x = NULL;
  void *mapped = NULL;
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(8)));
  ok(weft_map(&mapped, x, WEFT_MAP_READ | WEFT_MAP_WRITE));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "1 array");
  expect_error(weft_unmap(x), WEFT_ERROR_CLOSED, "weft_unmap");
  expect_error(weft_map(&mapped, x, WEFT_MAP_READ), WEFT_ERROR_CLOSED, "weft_map");
  weft_array_release(&x);
}
END_TEST

/* ---- operands ---- */

START_TEST(large_host_operands_at_any_address)
{
  if (!harness_has_kernels()) return;
  /* the kernels' vector loads must work at any address */
  static const size_t past[] = {0, 4, 8, 16, 20, 64, 100};
  char *memory = aligned(BYTES + 256), *to = aligned(BYTES + 256);
  weft_array *x = NULL, *y = NULL;
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(N), 0.5f));
  for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
    float *a = (float *)(void *)(memory + past[i]), *sum = (float *)(void *)(to + past[i]);
    memset(to, 0x5a, BYTES + 256);
    for (int k = 0; k < N; k++) a[k] = (float)(k + (int)i);
    weft_usage before = usage();
    ok(weft_add(&y, x, WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N))));
    memset(memory, 0, BYTES + 256); /* the operand may change now */
    ok(weft_add(WEFT_HOST_OUT(sum, WEFT_F32, WEFT_SHAPE(N)), y, 1));
    for (int k = 0; k < N; k++) each(sum[k] == (float)(k + (int)i) + 1.5f);
    for (size_t k = 0; k < 256; k++) {
      size_t at = k < past[i] ? k : k + BYTES;
      each(to[at] == 0x5a); /* bytes outside the result */
    }
    weft_usage after = usage();
    ck_assert_uint_eq(after.copies_in - before.copies_in, is_pocl() ? 0 : 1);
    ck_assert_uint_eq(after.copies_back - before.copies_back, is_pocl() ? 0 : 1);
    harness_count(1);
  }
  weft_array_release(&y);
  weft_array_release(&x);
  free(memory);
  free(to);
}
END_TEST

START_TEST(host_results_over_their_operands)
{
  if (!harness_has_kernels()) return;
  /* in place, and shifted by one: as if the operand had been read first */
  weft_array *one = NULL;
  float *data = malloc(BYTES + 64);
  ck_assert_ptr_nonnull(data);
  ok(weft_ones(&one, ctx, WEFT_F32, WEFT_SHAPE_0D));
  for (int shift = 0; shift <= 1; shift++) {
    for (int i = 0; i <= N; i++) data[i] = (float)i;
    ok(weft_add(WEFT_HOST_OUT(data + shift, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N)), one));
    for (int i = 0; i < N; i++) each(data[i + shift] == (float)i + 1);
  }
  /* f32 onto its own bytes as bool: another dtype at the same address */
  for (int i = 0; i < N; i++) data[i] = (float)i;
  ok(weft_greater(WEFT_HOST_OUT(data, WEFT_BOOL, WEFT_SHAPE(N)), WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N)), 10.0f));
  for (int i = 0; i < N; i++) each(((const char *)data)[i] == (i > 10));
  for (int i = 0; i < N; i++) data[i] = 1;
  ok(weft_cumsum(WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N)), 0));
  for (int i = 0; i < N; i++) each(data[i] == (float)(i + 1));
  for (int i = 0; i < N; i++) data[i] = (float)(N - i);
  ok(weft_sort(WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(N)), 0));
  for (int i = 0; i < N; i++) each(data[i] == (float)(i + 1));
  weft_array_release(&one);
  free(data);
}
END_TEST

START_TEST(no_budget_blames_wrapped_memory)
{
  weft_array *x = NULL, *own = NULL, *more = NULL;
  char site[48], wrapped[48];
  if (!is_cpu()) return;
  float *data = aligned(BYTES);
  ok(weft_memory_set_limit(ctx, 1024));
  ok(weft_wrap_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), data));
  snprintf(wrapped, sizeof wrapped, "test_host.c:%d holds", __LINE__ - 1);
  ok(weft_zeros(&own, ctx, WEFT_U8, WEFT_SHAPE(600)));
  snprintf(site, sizeof site, "test_host.c:%d (600 bytes)", __LINE__ - 1);
  expect_error(weft_zeros(&more, ctx, WEFT_U8, WEFT_SHAPE(600)), WEFT_ERROR_BUDGET, site);
  const char *row = strstr(weft_error_last()->detail, wrapped);
  ck_assert_msg(row && strstr(row, "wrapped or adopted: not counted"), "%s", harness_error_text());
  weft_array_release(&own);
  weft_array_release(&x);
  free(data);
}
END_TEST

START_TEST(a_wrapped_array_and_host_memory_together)
{
  if (!harness_has_kernels()) return;
  weft_array *x = NULL;
  float *data;
  if (!is_cpu()) return;
  data = aligned(BYTES);
  for (int i = 0; i < N; i++) data[i] = (float)i;
  ok(weft_wrap_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), data));
  ok(weft_add(WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(N)), x, 1));
  for (int i = 0; i < N; i++) each(data[i] == (float)i + 1);
  weft_array *whole = NULL, *part = NULL;
  ok(weft_modf(WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(N)), &whole, x));
  ok(weft_slice(&part, x, 0, 0, N));
  if (is_pocl())
    expect_error(weft_modf(WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(N)), &part, whole), WEFT_ERROR_LAYOUT, "weft_modf",
                 "share memory");
  weft_array_release(&part);
  weft_array_release(&whole);
  weft_array_release(&x);
  free(data);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "wrapped");
  tcase_add_test(tc, a_wrapped_array_is_the_memory);
  tcase_add_test(tc, a_lender_hears_of_it_once);
  tcase_add_test(tc, wrong_wraps);
  tcase_add_test(tc, two_arrays_around_the_same_memory);
  tcase_add_test(tc, no_bytes_are_moved);
  tc = harness_context_case(suite, "maps");
  tcase_add_test(tc, maps_read_and_write);
  tcase_add_test(tc, a_map_waits_for_streams);
  tcase_add_test(tc, what_is_mapped_is_not_used);
  tcase_add_test(tc, wrong_maps);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, closed_while_mapped);
  tc = harness_context_case(suite, "operands");
  tcase_add_test(tc, large_host_operands_at_any_address);
  tcase_add_test(tc, host_results_over_their_operands);
  tcase_add_test(tc, no_budget_blames_wrapped_memory);
  tcase_add_test(tc, a_wrapped_array_and_host_memory_together);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "host", .add = add});
}
