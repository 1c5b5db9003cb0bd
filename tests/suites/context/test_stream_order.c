// SPDX-License-Identifier: MIT
/// Work across streams is ordered automatically. With tracking off the same programs give wrong results, which proves
/// that the tracking orders them. Includes whole functions under weft_stream_use, several threads, and memory that
/// moves from stream to stream.
#include <pthread.h>
#include <stdio.h>

#include "harness.h"

enum { N = 1000 };

/* One thread's long loop, then a write, so that a reader that does not wait comes too early. */
static const char LATE[] =
    "kernel void late(global int *y, global const int *x, int a, uint steps) {\n"
    "  uint v = 1;\n"
    "  for (uint k = 0; k < steps; k++) v = v * 1664525u + k;\n"
    "  for (int i = 0; i < 1000; i++) y[i] = x[i] + a + (v == 7 ? 1 : 0);\n"
    "}\n";

static weft_stream *side[2];
static weft_kernel *late;
static uint32_t steps;

static void open_streams(void) {
  for (int i = 0; i < 2; i++) ok(weft_stream_create(&side[i], ctx));
  ok(weft_kernel_create(&late, ctx, .source = LATE, .name = "late"));
}

static void close_streams(void) {
  ok(weft_stream_use(NULL));
  for (int i = 0; i < 2; i++) weft_stream_release(&side[i]);
  weft_kernel_release(&late);
}

static void launch_late(weft_array *y, const weft_array *x, int a, uint32_t loops) {
  ok(weft_launch_on(late, side[0], WEFT_DIM3(1), WEFT_DIM3(1), y, (weft_array *)x, a, loops));
}

static weft_array *full(int value) {
  weft_array *x = NULL;
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(N), value));
  return x;
}

/* Whether all elements, read on the current stream, are `value`. */
static bool is_all(const weft_array *x, int value) {
  static int32_t got[N];
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++)
    if (got[i] != value) return false;
  return true;
}

/* ---- programs that are correct if the second stream waits for the first ---- */

/* A program gets the number of loops to spend. With few loops it only prepares, so that no build separates the two
   streams later. */

static bool reads_what_was_written(uint32_t loops) {
  weft_array *one = full(1), *x = full(0), *y = NULL;
  ok(weft_context_wait(ctx));
  launch_late(x, one, 6, loops);
  ok(weft_stream_use(side[1]));
  ok(weft_add(&y, x, 1));
  ok(weft_multiply(&y, y, 2));
  bool right = is_all(y, 16);
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  weft_array_release(&one);
  weft_array_release(&x);
  weft_array_release(&y);
  return right;
}

static bool writes_what_is_read(uint32_t loops) {
  weft_array *x = full(1), *y = full(0);
  ok(weft_context_wait(ctx));
  launch_late(y, x, 0, loops);
  ok(weft_stream_use(side[1]));
  ok(weft_fill(x, 9));
  ok(weft_stream_wait(side[1]));
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  bool right = is_all(y, 1) && is_all(x, 9);
  weft_array_release(&x);
  weft_array_release(&y);
  return right;
}

static bool writes_what_was_written(uint32_t loops) {
  weft_array *one = full(1), *x = full(0);
  ok(weft_context_wait(ctx));
  launch_late(x, one, 6, loops);
  ok(weft_stream_use(side[1]));
  ok(weft_fill(x, 9));
  ok(weft_stream_wait(side[1]));
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  bool right = is_all(x, 9);
  weft_array_release(&one);
  weft_array_release(&x);
  return right;
}

/* Through copies: written on one stream, read by a copy on another. */
static bool copies_what_was_written(uint32_t loops) {
  weft_array *one = full(1), *x = full(0), *y = NULL;
  ok(weft_context_wait(ctx));
  launch_late(x, one, 6, loops);
  ok(weft_stream_use(side[1]));
  ok(weft_copy(&y, x));
  bool right = is_all(x, 7) && is_all(y, 7);
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  weft_array_release(&one);
  weft_array_release(&x);
  weft_array_release(&y);
  return right;
}

typedef bool program(uint32_t loops);
static const struct {
  const char *name;
  program *run;
} programs[] = {
    {"read after write", reads_what_was_written},
    {"write after read", writes_what_is_read},
    {"write after write", writes_what_was_written},
    {"copy after write", copies_what_was_written},
};

/* Chooses the steps that take the device about 30 ms. */
static void choose_steps(void) {
  weft_array *x = full(0), *y = full(0);
  launch_late(y, x, 0, 1);
  ok(weft_context_wait(ctx));
  for (steps = 1 << 16;; steps *= 2) {
    struct timespec t[2];
    clock_gettime(CLOCK_MONOTONIC, &t[0]);
    launch_late(y, x, 0, steps);
    ok(weft_context_wait(ctx));
    clock_gettime(CLOCK_MONOTONIC, &t[1]);
    if ((double)(t[1].tv_sec - t[0].tv_sec) + (double)(t[1].tv_nsec - t[0].tv_nsec) * 1e-9 > 0.02) break;
  }
  weft_array_release(&x);
  weft_array_release(&y);
}

START_TEST(streams_are_ordered)
{
  open_streams();
  choose_steps();
  ck_assert(programs[_i].run(1)); /* builds the kernels */
  for (int attempt = 0; attempt < 3; attempt++) {
    ck_assert_msg(programs[_i].run(steps), "%s: a wrong answer, with the tracking on", programs[_i].name);
    harness_count(1);
  }
  close_streams();
}
END_TEST

START_TEST(without_tracking_they_are_not)
{
  enum { ATTEMPTS = 20 };
  ok(weft_context_create(&ctx, .device = device.selector, .tracking_off = true));
  open_streams();
  choose_steps();
  (void)programs[_i].run(1);
  bool right = true;
  int attempt = 0;
  for (; attempt < ATTEMPTS && right; attempt++) {
    right = programs[_i].run(steps);
    if (attempt % 4 == 3) steps *= 2; /* other work may have made these ones seem long */
  }
  ck_assert_msg(!right, "%s: %d right answers without the tracking: does it order anything?", programs[_i].name,
                ATTEMPTS);
  harness_count(attempt);
  close_streams();
  harness_context_close();
}
END_TEST

/* Some drivers allocate memory at its first use; Weft's own first use of it must not come after the program's. */
static bool fresh_memory_is_whole(uint32_t loops) {
  weft_array *x = full(0), *y = full(0), *fresh = NULL;
  ok(weft_context_wait(ctx));
  launch_late(y, x, 0, loops);
  ok(weft_stream_use(side[0]));
  ok(weft_empty(&fresh, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_stream_use(side[1]));
  ok(weft_fill(fresh, -1));
  ok(weft_stream_wait(side[1]));
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  bool right = is_all(fresh, -1);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&fresh);
  return right;
}

START_TEST(memory_made_without_tracking)
{
  setenv("WEFT_QUIRKS", "lazy_allocation", 1);
  ok(weft_context_create(&ctx, .device = device.selector, .tracking_off = true, .pool_off = true));
  open_streams();
  choose_steps();
  ck_assert(fresh_memory_is_whole(1));
  ck_assert(fresh_memory_is_whole(steps));
  close_streams();
  harness_context_close();
}
END_TEST

/* ---- memory reused across streams ---- */

START_TEST(memory_is_used_again_on_another_stream)
{
  open_streams();
  choose_steps();
  int same = 0;
  for (int round = 0; round < 6; round++) {
    weft_array *one = full(1), *x = full(0), *z = NULL;
    size_t offset;
    ok(weft_context_wait(ctx));
    launch_late(x, one, 6, round ? steps : 1);
    struct _cl_mem *memory = weft_array_cl_mem(x, &offset);
    weft_array_release(&x); /* the stream still uses it */
    ok(weft_stream_use(side[1]));
    ok(weft_full(&z, ctx, WEFT_I32, WEFT_SHAPE(N), 3));
    same += weft_array_cl_mem(z, &offset) == memory;
    ok(weft_stream_wait(side[1]));
    ok(weft_stream_use(NULL));
    ok(weft_context_wait(ctx));
    ck_assert_msg(is_all(z, 3), "round %d: the old owner's work came after the new one's", round);
    weft_array_release(&one);
    weft_array_release(&z);
    harness_count(1);
  }
  printf("the same memory in %d rounds of 6\n", same);
  close_streams();
}
END_TEST

/* ---- whole functions, from two threads ---- */

typedef struct part {
  uint64_t seed;
  const char *wrong;
} part;

static int by_value(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void *primitives(void *user) {
  enum { M = 5000, ROUNDS = 6 };
  part *p = user;
  int32_t *values = malloc(M * sizeof *values), *got = malloc(M * sizeof *got);
  weft_stream *stream = NULL;
  harness_random random = harness_random_start(p->seed);
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  for (int round = 0; round < ROUNDS && !p->wrong; round++) {
    weft_array *x = NULL, *sorted = NULL, *scanned = NULL, *sum = NULL, *mask = NULL, *chosen = NULL;
    int64_t total = 0, scan[3] = {0}, count = 0, sum_got = 0, scan_got[M];
    for (int i = 0; i < M; i++) {
      values[i] = (int32_t)harness_between(&random, -1000, 1000);
      total += values[i];
      count += values[i] > 0;
    }
    scan[0] = values[0];
    scan[1] = total - values[M - 1];
    scan[2] = total;
    ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(M), values));
    ok(weft_sort(&sorted, x, 0));
    ok(weft_sum(&sum, x, WEFT_ALL_AXES));
    ok(weft_cumsum(&scanned, x, 0));
    ok(weft_greater(&mask, x, 0));
    ok(weft_compress(&chosen, mask, x, WEFT_ALL_AXES));
    ok(weft_to_host(&sum_got, sizeof sum_got, sum));
    ok(weft_to_host(scan_got, sizeof scan_got, scanned));
    ok(weft_to_host(got, M * sizeof *got, sorted));
    if (sum_got != total) p->wrong = "sum";
    if (scan_got[0] != scan[0] || scan_got[M - 2] != scan[1] || scan_got[M - 1] != scan[2]) p->wrong = "cumsum";
    if (weft_array_size(chosen) != count) p->wrong = "compress";
    qsort(values, M, sizeof *values, by_value);
    if (memcmp(values, got, M * sizeof *got) != 0) p->wrong = "sort";
    weft_array *all[] = {x, sorted, scanned, sum, mask, chosen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) weft_array_release(&all[i]);
    harness_count(1);
  }
  ok(weft_stream_use(NULL));
  weft_stream_release(&stream);
  free(values);
  free(got);
  return NULL;
}

START_TEST(primitives_on_two_streams_from_two_threads)
{
  part parts[2] = {{.seed = 1}, {.seed = 2}};
  pthread_t thread[2];
  for (int t = 0; t < 2; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, primitives, &parts[t]), 0);
  for (int t = 0; t < 2; t++) pthread_join(thread[t], NULL);
  for (int t = 0; t < 2; t++) ck_assert_msg(!parts[t].wrong, "thread %d: %s", t, parts[t].wrong);
}
END_TEST

/* ---- errors found later, and threads that end ---- */

START_TEST(an_index_error_is_told_by_its_streams_wait)
{
  weft_array *x = full(1), *indices = NULL, *taken = NULL;
  const int64_t wrong[] = {0, 5000, 2};
  open_streams();
  ok(weft_from_host(&indices, ctx, WEFT_I64, WEFT_SHAPE(3), wrong));
  ok(weft_stream_use(side[1]));
  ok(weft_take(&taken, x, indices, 0));
  ok(weft_stream_wait(side[0])); /* the other stream's error is not reported here */
  expect_error(weft_stream_wait(side[1]), WEFT_ERROR_INDEX, "weft_take", "5000", "position 1");
  ok(weft_stream_wait(side[1])); /* reported once */
  close_streams();
  weft_array_release(&x);
  weft_array_release(&indices);
  weft_array_release(&taken);
}
END_TEST

static void *use_and_end(void *user) {
  weft_array *x = NULL;
  (void)user;
  ok(weft_stream_use(side[0]));
  ok(weft_ones(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  weft_array_release(&x);
  return NULL;
}

START_TEST(a_thread_that_ends_lets_its_stream_go)
{
  pthread_t thread;
  open_streams();
  ck_assert_int_eq(pthread_create(&thread, NULL, use_and_end, NULL), 0);
  pthread_join(thread, NULL);
  close_streams(); /* the context's close finds a stream that is still in use */
}
END_TEST

static void add(Suite *suite) {
  const int count = sizeof programs / sizeof *programs;
  TCase *tc = harness_context_case(suite, "ordered");
  tcase_add_loop_test(tc, streams_are_ordered, 0, count);
  tcase_add_test(tc, memory_is_used_again_on_another_stream);
  tcase_add_test(tc, primitives_on_two_streams_from_two_threads);
  tcase_add_test(tc, an_index_error_is_told_by_its_streams_wait);
  tcase_add_test(tc, a_thread_that_ends_lets_its_stream_go);
  tc = harness_case(suite, "untracked");
  tcase_add_loop_test(tc, without_tracking_they_are_not, 0, count);
  tcase_add_test(tc, memory_made_without_tracking);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "stream_order", .add = add});
}
