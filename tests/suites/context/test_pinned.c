// SPDX-License-Identifier: MIT
/// Pinned memory, and large copies, which use a pinned staging ring on devices with their own memory (here by
/// WEFT_QUIRKS=stages_slowly).
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <sys/mman.h>

#include "harness.h"

enum { MEGA = 1 << 20 };

static weft_memory_stats stats(void) {
  weft_memory_stats s;
  ok(weft_memory_get(&s, ctx));
  return s;
}

static unsigned char byte_at(size_t i, unsigned seed) {
  return (unsigned char)((i * 2654435761u + seed) >> 13);
}

static void fill(unsigned char *data, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; i++) data[i] = byte_at(i, seed);
}

/// Copies to the device and back; bytes around the target must not change.
static void round_trip(unsigned char *from, unsigned char *to, size_t size, unsigned seed) {
  weft_array *x = NULL;
  fill(from, size, seed);
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE((int64_t)size), from));
  memset(from, 0x5a, size); /* the source may change at once */
  to[-1] = 0x77;
  to[size] = 0x77;
  ok(weft_to_host(to, size, x));
  fill(from, size, seed);
  ck_assert(memcmp(from, to, size) == 0);
  ck_assert_uint_eq(to[-1], 0x77);
  ck_assert_uint_eq(to[size], 0x77);
  weft_array_release(&x);
  harness_count(1);
}

START_TEST(pinned_memory_is_memory)
{
  if (!harness_has_kernels()) return;
  float *data = NULL;
  weft_array *x = NULL;
  ok(weft_pinned_alloc(&data, ctx, 1000 * sizeof *data));
  ck_assert_ptr_nonnull(data);
  ck_assert_uint_eq((uintptr_t)data % 64, 0);
  for (int i = 0; i < 1000; i++) data[i] = (float)i;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(1000), data));
  ok(weft_add(&x, x, 1));
  ok(weft_to_host(data, 1000 * sizeof *data, x));
  for (int i = 0; i < 1000; i++) ck_assert(data[i] == (float)i + 1);
  weft_array_release(&x);
  weft_pinned_free(&data);
  ck_assert_ptr_null(data);
  weft_pinned_free(&data);
  weft_pinned_free((float **)NULL);
}
END_TEST

START_TEST(it_is_known_by_its_address)
{
  char *data = NULL, *other = NULL;
  char here[8];
  ok(weft_pinned_alloc(&data, ctx, 4096));
  ok(weft_pinned_alloc(&other, ctx, 1));
  ck_assert(weft_is_pinned(ctx, data, 4096));
  ck_assert(weft_is_pinned(ctx, data + 4095, 1));
  ck_assert(!weft_is_pinned(ctx, data, 4097));
  ck_assert(!weft_is_pinned(ctx, data + 1, 4096));
  ck_assert(!weft_is_pinned(ctx, here, sizeof here));
  ck_assert(!weft_is_pinned(NULL, data, 1));
  weft_pinned_free(&data);
  ck_assert(weft_is_pinned(ctx, other, 1));
  weft_pinned_free(&other);
  /* an unknown address is left alone */
  char *mine = here;
  weft_pinned_free(&mine);
  ck_assert_ptr_null(mine);
}
END_TEST

/// Memory that processes can share, pinned where it is.
START_TEST(memory_of_the_program)
{
  const size_t size = 3 * MEGA;
  unsigned char *own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned char *data = own, *from = malloc(MEGA);
  ck_assert_ptr_ne(own, MAP_FAILED);
  memset(own, 3, size);
  ok(weft_pinned_register(data, ctx, size));
  ck_assert(weft_is_pinned(ctx, own, size) && !weft_is_pinned(ctx, own, size + 1));
  ck_assert_uint_eq(own[size - 1], 3);
  expect_error(weft_pinned_register(own + 4096, ctx, 10), WEFT_ERROR_ARGUMENT, "pinned already");
  round_trip(own, own + MEGA + 1, MEGA, 1);
  round_trip(from, own + 1, MEGA, 2);
  weft_pinned_free(&data);
  ck_assert_ptr_null(data);
  ck_assert(!weft_is_pinned(ctx, own, 1));
  fill(from, MEGA, 2);
  ck_assert(memcmp(from, own + 1, MEGA) == 0); /* it is still there */
  ok(weft_pinned_register(own, ctx, size));    /* and can be pinned again */
  data = own;
  weft_pinned_free(&data);
  munmap(own, size);
  free(from);
}
END_TEST

START_TEST(wrong_arguments)
{
  char here = 0, *data = &here;
  expect_error(weft_pinned_alloc(&data, ctx, 10), WEFT_ERROR_ARGUMENT, "`*data` is not NULL");
  data = NULL;
  expect_error(weft_pinned_alloc(&data, (weft_context *)&(uint32_t){7}, 10), WEFT_ERROR_HANDLE,
               "`context` is not a live weft_context");
  expect_error(weft_pinned_alloc((char **)NULL, ctx, 10), WEFT_ERROR_ARGUMENT, "`data` is NULL");
  ck_assert_ptr_null(data);
  expect_error(weft_pinned_register(NULL, ctx, 10), WEFT_ERROR_ARGUMENT, "`data` is NULL");
  expect_error(weft_pinned_register(&here, ctx, 0), WEFT_ERROR_ARGUMENT, "`size_bytes` is 0");
}
END_TEST

START_TEST(forgotten_blocks_are_leaks)
{
  weft_context *own = NULL;
  char *data = NULL, text[64];
  ok(weft_context_create(&own, .device = device.selector));
  snprintf(text, sizeof text, "test_pinned.c:%d", __LINE__ + 1);
  ok(weft_pinned_alloc(&data, own, 12345));
  expect_error(weft_context_close(&own), WEFT_ERROR_LEAK, text);
  ck_assert_ptr_nonnull(strstr(weft_error_last()->message, "pinned"));
  /* the context's end freed it */
  weft_pinned_free(&data);
  ck_assert_ptr_null(data);
}
END_TEST

START_TEST(copies_of_all_sizes)
{
  /* the last size goes once around the ring */
  static const size_t sizes[] = {1, 100, 4096, MEGA - 1, MEGA, MEGA + 1, 4 * MEGA - 3, 35 * MEGA + 1};
  unsigned char *from = malloc(36 * MEGA), *to = malloc(36 * MEGA);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) round_trip(from + i % 3, to + 1 + i % 5, sizes[i], i);
  free(from);
  free(to);
}
END_TEST

START_TEST(pinned_copies)
{
  unsigned char *from = NULL, *to = NULL;
  ok(weft_pinned_alloc(&from, ctx, 5 * MEGA));
  ok(weft_pinned_alloc(&to, ctx, 5 * MEGA));
  round_trip(from, to + 1, 4096, 1);
  round_trip(from + 3, to + 7, 4 * MEGA, 2);
  weft_pinned_free(&from);
  weft_pinned_free(&to);
}
END_TEST

/// Writes parts of an array one after the other without a wait, with kernels in between.
START_TEST(order_is_kept)
{
  if (!harness_has_kernels()) return;
  enum { PARTS = 6, SIZE = 3 * MEGA };
  unsigned char *data = malloc(SIZE), *all = malloc((size_t)PARTS * SIZE);
  weft_array *x = NULL;
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(PARTS, SIZE)));
  uint64_t before = stats().to_device_bytes;
  for (int p = 0; p < PARTS; p++) {
    weft_array *part = NULL;
    fill(data, SIZE, (unsigned)p);
    ok(weft_slice(&part, x, 0, p, p + 1));
    ok(weft_fill(part, 255));
    ok(weft_from_host(&part, ctx, WEFT_U8, WEFT_SHAPE(1, SIZE), data));
    ok(weft_add(&part, part, p));
    weft_array_release(&part);
  }
  ck_assert_uint_eq(stats().to_device_bytes - before, (uint64_t)PARTS * SIZE);
  ok(weft_to_host(all, (size_t)PARTS * SIZE, x));
  for (int p = 0; p < PARTS; p++)
    for (size_t i = 0; i < SIZE; i += 97)
      ck_assert_uint_eq(all[(size_t)p * SIZE + i], (unsigned char)(byte_at(i, (unsigned)p) + p));
  weft_array_release(&x);
  free(data);
  free(all);
}
END_TEST

static void *copy_much(void *argument) {
  unsigned seed = *(unsigned *)argument;
  size_t size = 2 * MEGA + 333 * seed;
  unsigned char *from = malloc(size), *to = malloc(size + 2);
  weft_stream *stream = NULL;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  for (unsigned k = 0; k < 3; k++) round_trip(from, to + 1, size, seed * 100 + k);
  ok(weft_stream_use(NULL));
  weft_stream_release(&stream);
  free(from);
  free(to);
  return NULL;
}

START_TEST(threads_copy_at_the_same_time)
{
  pthread_t thread[3];
  unsigned seed[3] = {1, 2, 3};
  for (int t = 0; t < 3; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, copy_much, &seed[t]), 0);
  for (int t = 0; t < 3; t++) pthread_join(thread[t], NULL);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "pinned");
  tcase_add_test(c, pinned_memory_is_memory);
  tcase_add_test(c, it_is_known_by_its_address);
  tcase_add_test(c, memory_of_the_program);
  tcase_add_test(c, wrong_arguments);
  tcase_add_test(c, forgotten_blocks_are_leaks);
  c = harness_context_case(suite, "copies");
  tcase_add_test(c, copies_of_all_sizes);
  tcase_add_test(c, pinned_copies);
  tcase_add_test(c, order_is_kept);
  tcase_add_test(c, threads_copy_at_the_same_time);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "pinned", .add = add});
}
