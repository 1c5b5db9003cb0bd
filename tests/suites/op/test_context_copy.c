// SPDX-License-Identifier: MIT
// weft_copy between contexts: of one device, and of all devices of the machine.
#include <pthread.h>

#include "harness.h"
#include "views.h"

enum { MOST_CONTEXTS = 4, ROUNDS = 6 };

/// Contexts on the machine's devices in turn, and two on the device under test.
static weft_context *context[MOST_CONTEXTS];
static int contexts;

static void open_contexts(void) {
  char number[16];
  ok(weft_context_create(&context[0], .device = device.selector));
  ok(weft_context_create(&context[1], .device = device.selector));
  contexts = 2;
  for (int i = 0; i < device.count && contexts < MOST_CONTEXTS; i++) {
    if (i == device.index) continue;
    snprintf(number, sizeof number, "%d", i);
    ok(weft_context_create(&context[contexts++], .device = number));
  }
}

static void close_contexts(void) {
  for (int i = 0; i < contexts; i++) ok(weft_context_close(&context[i]));
}

/// An i32 array of `first`, first + 1, ...
static weft_array *counted(weft_context *c, int64_t size, int32_t first) {
  weft_array *x = NULL;
  int32_t *data = malloc((size_t)size * sizeof *data + 1);
  ck_assert_ptr_nonnull(data);
  for (int64_t i = 0; i < size; i++) data[i] = first + (int32_t)i;
  ok(weft_from_host(&x, c, WEFT_I32, WEFT_SHAPE(size), data));
  free(data);
  return x;
}

static void check_counted(const weft_array *x, int64_t size, int32_t first) {
  int32_t *data = malloc((size_t)size * sizeof *data + 1);
  ck_assert_ptr_nonnull(data);
  ok(weft_to_host(data, (size_t)size * sizeof *data, x));
  for (int64_t i = 0; i < size; i++)
    if (data[i] != first + (int32_t)i) ck_abort_msg("element %" PRId64 " is %d", i, data[i]);
  free(data);
  harness_count(1);
}

static const char *way_of(int to, int from) {
  const char *way = NULL;
  ok(weft_copy_way(&way, context[to], context[from]));
  return way;
}

START_TEST(every_size_by_every_way)
{
  /* around the sizes at which the way through the ring changes its pieces, and the ring's own size; the last one goes
     through a window in three pieces, of which two use one place */
  static const int64_t sizes[] = {0, 1, 5, 1000, 65536, 65537, 300001, 1 << 20, (13 << 20) + 3};
  open_contexts();
  for (int to = 0; to < contexts; to++)
    for (int from = 0; from < contexts; from++)
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        weft_array *y = NULL, *x = counted(context[from], sizes[k], 7);
        ok(weft_copy(&y, x, .context = context[to]));
        ck_assert_int_eq(weft_array_dtype(y), WEFT_I32);
        weft_array_release(&x);
        check_counted(y, sizes[k], 7);
        weft_array_release(&y);
      }
  close_contexts();
}
END_TEST

START_TEST(views_and_given_results)
{
  weft_array *x, *y = NULL, *wide = NULL, *view = NULL, *part = NULL, *turned = NULL, *back = NULL;
  static const int32_t expected[] = {1, 4, 7, 10, 2, 5, 8, 11};
  open_contexts();
  for (int to = 0; to < contexts; to++)
    for (int from = 0; from < contexts; from++) {
      x = counted(context[from], 12, 0);
      ok(weft_reshape(&view, x, WEFT_SHAPE(4, 3)));
      ok(weft_slice(&part, view, 1, 1, 3));
      ok(weft_transpose(&turned, part, WEFT_AXES(1, 0)));
      ok(weft_copy(&y, turned, .context = context[to]));
      ck_assert(weft_array_is_contiguous(y));
      check_elements(y, expected, 8, "a view, copied");
      /* into a view of the other context, and into another dtype */
      ok(weft_zeros(&wide, context[to], WEFT_I32, WEFT_SHAPE(4, 2)));
      ok(weft_transpose(&back, wide, WEFT_AXES(1, 0)));
      ok(weft_copy(&back, turned));
      ok(weft_copy(&back, turned, .context = context[to]));
      check_elements(wide, (const int32_t[]){1, 2, 4, 5, 7, 8, 10, 11}, 8, "into a view");
      weft_release(&x, &view, &part, &turned, &y, &wide, &back);
    }
  if (harness_has_kernels()) {
    x = counted(context[0], 4, -2);
    ok(weft_zeros(&y, context[contexts - 1], WEFT_F32, WEFT_SHAPE(4)));
    ok(weft_copy(&y, x));
    check_elements(y, (const float[]){-2, -1, 0, 1}, 4, "into another dtype");
    weft_release(&x, &y);
  }
  close_contexts();
}
END_TEST

START_TEST(work_on_streams_comes_before_and_after)
{
  enum { N = 1 << 18 };
  weft_stream *here = NULL, *there = NULL;
  weft_array *x = NULL, *y = NULL;
  if (!harness_has_kernels()) return;
  open_contexts();
  for (int to = 1; to < contexts; to++) {
    ok(weft_stream_create(&here, context[0]));
    ok(weft_stream_create(&there, context[to]));
    x = counted(context[0], N, 0);
    ok(weft_empty(&y, context[to], WEFT_I32, WEFT_SHAPE(N)));
    for (int round = 0; round < 20; round++) {
      ok(weft_stream_use(here));
      ok(weft_add(&x, x, 1));
      ok(weft_stream_use(round % 2 ? there : NULL));
      ok(weft_copy(&y, x));
      ok(weft_fill(x, round)); /* on the source's default stream: must not reach the copy */
      ok(weft_add(&y, y, 1));
      ok(weft_stream_use(NULL));
      check_counted(y, N, 2);
      ok(weft_stream_use(here));
      ok(weft_subtract(&y, y, 2));
      ok(weft_copy(&x, y));
      ok(weft_stream_use(NULL));
    }
    weft_release(&x, &y, &here, &there);
  }
  close_contexts();
}
END_TEST

START_TEST(the_same_memory_from_two_contexts)
{
  enum { N = 1 << 16 };
  weft_array *x = NULL, *y = NULL, *all = NULL;
  int32_t *data;
  if (device.type != WEFT_DEVICE_TYPE_CPU) return;
  open_contexts();
  ck_assert_int_eq(posix_memalign((void **)&data, 4096, N * sizeof *data), 0);
  for (int i = 0; i < N; i++) data[i] = i;
  ok(weft_wrap_host(&all, context[0], WEFT_I32, WEFT_SHAPE(N), data));
  ok(weft_slice(&x, all, 0, 0, N - 1024));
  ok(weft_wrap_host(&y, context[1], WEFT_I32, WEFT_SHAPE(N - 1024), data + 1024));
  ok(weft_copy(&y, x)); /* as if x had been read first */
  check_counted(y, N - 1024, 0);
  weft_release(&x, &all, &y);
  free(data);
  close_contexts();
}
END_TEST

START_TEST(the_way_is_told)
{
  const char *staged = getenv("WEFT_CUDA_LIBRARY") ? "peer window" : "pinned ring";
  const bool stages = getenv("WEFT_QUIRKS") && strstr(getenv("WEFT_QUIRKS"), "stages_slowly");
  const char *way = NULL;
  open_contexts();
  ck_assert_str_eq(way_of(0, 0), "on the device");
  if (device.type == WEFT_DEVICE_TYPE_CPU) ck_assert_str_eq(way_of(1, 0), stages ? staged : "in place");
  for (int i = 0; i < contexts; i++) ck_assert_str_eq(way_of(i, 0), way_of(0, i));
  expect_error(weft_copy_way(NULL, context[0], context[1]), WEFT_ERROR_ARGUMENT, "@way");
  expect_error(weft_copy_way(&way, NULL, context[1]), WEFT_ERROR_HANDLE, "weft_copy_way");
  ck_assert_ptr_null(way);
  close_contexts();
}
END_TEST

START_TEST(copies_that_are_refused)
{
  weft_array *x, *y = NULL, *given = NULL, *sum = NULL, *wide = NULL, *repeated = NULL;
  weft_context *closed = NULL;
  void *mapped;
  open_contexts();
  x = counted(context[0], 1 << 18, 1);
  ok(weft_zeros(&given, context[1], WEFT_I32, WEFT_SHAPE(1 << 18)));
  ok(weft_zeros(&wide, context[1], WEFT_BOOL, WEFT_SHAPE(1 << 18)));
  expect_error(weft_add(&sum, x, given), WEFT_ERROR_CONTEXT, "`b` belongs to another context than `a`",
               "weft_copy(..., .context = ...)", "@b");
  expect_error(weft_copy(&given, x, .context = context[0]), WEFT_ERROR_CONTEXT, "weft_copy",
               "`out` belongs to another context than `context`", "@out");
  expect_error(weft_copy((weft_array **)NULL, x, .context = context[1]), WEFT_ERROR_ARGUMENT, "`out` is NULL", "@out");
  expect_error(weft_copy(&y, NULL, .context = context[1]), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_copy(&y, x, .context = harness_garbage()), WEFT_ERROR_HANDLE, "@context");
  expect_error(weft_copy(&wide, x), WEFT_ERROR_DTYPE, "weft_cast", "to the context of device", "@out");
  ok(weft_broadcast(&repeated, wide, WEFT_SHAPE(2, 1 << 18)));
  expect_error(weft_copy(&repeated, x), WEFT_ERROR_LAYOUT, "@out");
  weft_release(&wide, &repeated);
  /* mapped memory of either side */
  ok(weft_map(&mapped, x, WEFT_MAP_READ | WEFT_MAP_WRITE));
  expect_error(weft_copy(&y, x, .context = context[1]), WEFT_ERROR_ARGUMENT, "mapped", "test_context_copy.c",
               "reading it from the context of device");
  ck_assert_ptr_null(y);
  ok(weft_unmap(x));
  ok(weft_map(&mapped, given, WEFT_MAP_READ));
  expect_error(weft_copy(&given, x), WEFT_ERROR_ARGUMENT, "mapped", "writing it to the context of device");
  ok(weft_unmap(given));
  ok(weft_copy(&given, x));
  check_counted(given, 1 << 18, 1);
  /* no room in the target's budget */
  ok(weft_memory_trim(context[1]));
  ok(weft_memory_set_limit(context[1], 1 << 20));
  expect_error(weft_copy(&y, x, .context = context[1]), WEFT_ERROR_BUDGET, "to the context of device");
  ck_assert_ptr_null(y);
  weft_release(&x, &given);
  /* a context that was closed, on either side */
  ok(weft_context_create(&closed, .device = device.selector));
  given = counted(closed, 4, 1);
  x = counted(context[0], 4, 1);
  weft_context *handle = weft_context_retain(closed);
  expect_error(weft_context_close(&closed), WEFT_ERROR_LEAK, "1 array");
  expect_error(weft_copy(&y, x, .context = handle), WEFT_ERROR_CLOSED, "weft_copy");
  expect_error(weft_copy(&given, x), WEFT_ERROR_CLOSED, "weft_copy");
  expect_error(weft_copy(&y, given, .context = context[0]), WEFT_ERROR_CLOSED, "weft_copy");
  weft_release(&given, &x, &handle);
  close_contexts();
}
END_TEST

START_TEST(failures_of_earlier_work_are_told)
{
  enum { N = 1 << 18 };
  weft_array *x, *indices = NULL, *y = NULL, *copy = NULL;
  if (!harness_has_kernels()) return;
  open_contexts();
  x = counted(context[0], N, 0);
  indices = counted(context[0], N, 1); /* the last one is out of range */
  ok(weft_take(&y, x, indices, 0));
  if (strcmp(way_of(1, 0), "on the device") != 0) {
    expect_error(weft_copy(&copy, y, .context = context[1]), WEFT_ERROR_INDEX, "reading it from the context of device");
    ck_assert_ptr_null(copy);
  }
  ok(weft_copy(&copy, x, .context = context[1]));
  weft_release(&x, &indices, &y, &copy);
  close_contexts();
}
END_TEST

/* ---- a thread for each context ---- */

static pthread_barrier_t barrier;
static weft_array *ring_of_arrays[MOST_CONTEXTS];

/// Takes over what the neighbour has, and adds one, again and again.
static void *hand_on(void *user) {
  const int me = (int)(intptr_t)user, neighbour = (me + contexts - 1) % contexts;
  for (int round = 0; round < ROUNDS; round++) {
    weft_array *y = NULL;
    pthread_barrier_wait(&barrier);
    ok(weft_copy(&y, ring_of_arrays[neighbour], .context = context[me]));
    pthread_barrier_wait(&barrier);
    weft_array_release(&ring_of_arrays[me]);
    ok(weft_add(&y, y, 1));
    ring_of_arrays[me] = y;
  }
  return NULL;
}

START_TEST(threads_hand_arrays_round)
{
  enum { N = (3 << 20) / 4 + 5 };
  pthread_t thread[MOST_CONTEXTS];
  if (!harness_has_kernels()) return;
  open_contexts();
  ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, (unsigned)contexts), 0);
  for (int i = 0; i < contexts; i++) ring_of_arrays[i] = counted(context[i], N, 1000 * i);
  for (int i = 0; i < contexts; i++)
    ck_assert_int_eq(pthread_create(&thread[i], NULL, hand_on, (void *)(intptr_t)i), 0);
  for (int i = 0; i < contexts; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < contexts; i++) {
    const int origin = ((i - ROUNDS) % contexts + contexts) % contexts;
    check_counted(ring_of_arrays[i], N, 1000 * origin + ROUNDS);
    weft_array_release(&ring_of_arrays[i]);
  }
  pthread_barrier_destroy(&barrier);
  close_contexts();
}
END_TEST

START_TEST(both_sides_count_the_bytes)
{
  enum { N = 1 << 19 };
  weft_array *x, *y = NULL;
  weft_memory_stats before[2], after[2];
  open_contexts();
  if (strcmp(way_of(1, 0), "pinned ring") == 0) {
    x = counted(context[0], N, 0);
    for (int i = 0; i < 2; i++) ok(weft_memory_get(&before[i], context[i]));
    ok(weft_copy(&y, x, .context = context[1]));
    for (int i = 0; i < 2; i++) ok(weft_memory_get(&after[i], context[i]));
    ck_assert_uint_eq(after[0].to_host_bytes - before[0].to_host_bytes, N * sizeof(int32_t));
    ck_assert_uint_eq(after[1].to_device_bytes - before[1].to_device_bytes, N * sizeof(int32_t));
    weft_release(&x, &y);
  }
  close_contexts();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "between contexts");
  tcase_add_test(tc, every_size_by_every_way);
  tcase_add_test(tc, views_and_given_results);
  tcase_add_test(tc, work_on_streams_comes_before_and_after);
  tcase_add_test(tc, the_same_memory_from_two_contexts);
  tcase_add_test(tc, the_way_is_told);
  tcase_add_test(tc, copies_that_are_refused);
  tcase_add_test(tc, failures_of_earlier_work_are_told);
  tcase_add_test(tc, threads_hand_arrays_round);
  tcase_add_test(tc, both_sides_count_the_bytes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "across", .add = add});
}
