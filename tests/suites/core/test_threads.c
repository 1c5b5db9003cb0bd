// SPDX-License-Identifier: MIT
/// Several threads share one context, each with its own arrays, for ThreadSanitizer to check. Checks run in the main
/// thread.
#define _GNU_SOURCE /* RTLD_NEXT */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "harness.h"

enum { THREADS = 4, N = 700 };

typedef struct worker {
  int id;
  weft_kernel *kernel; /* shared */
  weft_status (*body)(struct worker *w);
  weft_status status;
  char failure[400];
  long cases;
} worker;

#define TRY(call)                                                                           \
  do {                                                                                      \
    rc = (call);                                                                            \
    if (rc != WEFT_OK) {                                                                    \
      snprintf(w->failure, sizeof w->failure, "%s: %s", #call, weft_error_last()->message); \
      goto done;                                                                            \
    }                                                                                       \
  } while (0)
#define MUST(condition)                                                             \
  do {                                                                              \
    if (!(condition)) {                                                             \
      snprintf(w->failure, sizeof w->failure, "line %d: %s", __LINE__, #condition); \
      rc = WEFT_ERROR_INTERNAL;                                                     \
      goto done;                                                                    \
    }                                                                               \
  } while (0)

static void *run(void *data) {
  worker *w = data;
  w->status = w->body(w);
  return NULL;
}

static void in_threads(weft_status (*body)(worker *w), weft_kernel *kernel) {
  pthread_t threads[THREADS];
  worker workers[THREADS];
  memset(workers, 0, sizeof workers);
  for (int i = 0; i < THREADS; i++) {
    workers[i].id = i;
    workers[i].kernel = kernel;
    workers[i].body = body;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    ck_assert_msg(workers[i].status == WEFT_OK, "thread %d: %s: %s", i, weft_status_name(workers[i].status),
                  workers[i].failure);
    ck_assert_int_gt(workers[i].cases, 0);
    harness_count(workers[i].cases);
  }
}

static const char AXPY[] =
    "kernel void axpy(global int *y, global const int *x, int a, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n";

/* ---- every operation on arrays ---- */

static weft_status use_arrays(worker *w) {
  weft_array *x = NULL, *y = NULL, *half = NULL, *wide = NULL, *flipped = NULL;
  static _Thread_local int32_t got[N];
  static _Thread_local float floats[N];
  weft_status rc = WEFT_OK;
  for (int round = 0; round < 25; round++) {
    int a = w->id * 1000 + round;
    TRY(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
    TRY(weft_full(&y, ctx, WEFT_I32, WEFT_SHAPE(N), a));
    TRY(weft_launch(w->kernel, WEFT_DIM3(weft_ceil_div(N, 64)), WEFT_DIM3(64), y, x, a, N));
    TRY(weft_slice(&half, y, 0, 0, N / 2));
    TRY(weft_fill(half, -a));
    TRY(weft_flip(&flipped, y, 0));
    TRY(weft_cast(&wide, flipped, WEFT_F32));
    TRY(weft_to_host(got, sizeof got, y));
    TRY(weft_to_host(floats, sizeof floats, wide));
    for (int i = 0; i < N; i++) {
      int expected = i < N / 2 ? -a : a + a * i;
      MUST(got[i] == expected);
      MUST(floats[N - 1 - i] == (float)expected);
    }
    TRY(weft_from_host(&y, ctx, WEFT_I32, WEFT_SHAPE(N), got));
    TRY(weft_copy(&x, y));
    TRY(weft_to_host(got, sizeof got, x));
    MUST(got[N - 1] == a + a * (N - 1));
    weft_array_release(&half);
    weft_array_release(&flipped);
    weft_array_release(&wide);
    weft_array_release(&x);
    weft_array_release(&y);
    w->cases++;
  }
done:
  weft_array_release(&half);
  weft_array_release(&flipped);
  weft_array_release(&wide);
  weft_array_release(&x);
  weft_array_release(&y);
  return rc;
}

START_TEST(arrays_and_launches)
{
  weft_kernel *kernel = NULL;
  weft_memory_stats stats;
  ok(weft_kernel_create(&kernel, ctx, .source = AXPY));
  in_threads(use_arrays, kernel);
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_eq(stats.arrays, 0);
  ck_assert_uint_eq(stats.active_bytes, 0);
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- errors are each thread's own ---- */

static weft_status make_errors(worker *w) {
  weft_array *x = NULL, *out = NULL;
  weft_status rc = WEFT_OK;
  char number[32];
  TRY(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  for (int round = 0; round < 300; round++) {
    int axis = 100 + w->id * 1000 + round;
    snprintf(number, sizeof number, "%d", axis);
    MUST(weft_flip(&out, x, axis) == WEFT_ERROR_AXIS);
    MUST(weft_error_last()->status == WEFT_ERROR_AXIS);
    MUST(strstr(weft_error_last()->message, number) != NULL);
    TRY(weft_fill(x, round)); /* success leaves the error record unchanged */
    MUST(strstr(weft_error_last()->message, number) != NULL);
    if (round % 10 == w->id) weft_error_clear();
    MUST((weft_error_last()->status == WEFT_OK) == (round % 10 == w->id));
    w->cases++;
  }
done:
  weft_array_release(&x);
  return rc;
}

START_TEST(errors)
{
  weft_error_clear();
  in_threads(make_errors, NULL);
  ck_assert_int_eq(weft_error_last()->status, WEFT_OK);
}
END_TEST

/* ---- builds, streams and statistics, all at once ---- */

static weft_status build_and_look(worker *w) {
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_memory_stats stats;
  weft_kernel_info info;
  char *text = NULL;
  static _Thread_local int32_t got[N];
  weft_status rc = WEFT_OK;
  for (int round = 0; round < 12; round++) {
    TRY(weft_kernel_create(&kernel, ctx, .source = AXPY, .name = "axpy")); /* one source, from every thread */
    TRY(weft_kernel_get(&info, kernel));
    MUST(info.argument_count == 4);
    TRY(weft_stream_create(&stream, ctx));
    TRY(weft_ones(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
    TRY(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(N)));
    TRY(weft_launch_on(kernel, stream, WEFT_DIM3(11), WEFT_DIM3(64), y, x, w->id, N));
    TRY(weft_launch(kernel, WEFT_DIM3(11), WEFT_DIM3(64), y, x, 10, N));
    TRY(weft_memory_get(&stats, ctx));
    MUST(stats.arrays >= 2);
    TRY(weft_memory_report(&text, ctx, .format = round % 2 ? WEFT_REPORT_JSON : WEFT_REPORT_TABLE));
    MUST(strstr(text, "test_threads.c:") != NULL);
    weft_free(text);
    text = NULL;
    if (round % 4 == 3) TRY(weft_memory_trim(ctx));
    if (round % 4 == 2) TRY(weft_context_wait(ctx));
    TRY(weft_stream_wait(stream));
    TRY(weft_to_host(got, sizeof got, y));
    MUST(got[0] == w->id + 10 && got[N - 1] == w->id + 10);
    weft_array_release(&x);
    weft_array_release(&y);
    weft_stream_release(&stream);
    weft_kernel_release(&kernel);
    w->cases++;
  }
done:
  weft_free(text);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_stream_release(&stream);
  weft_kernel_release(&kernel);
  return rc;
}

START_TEST(building_streams_and_figures)
{
  in_threads(build_and_look, NULL);
  ck_assert_int_eq(weft_error_last()->status, WEFT_OK);
}
END_TEST

/* ---- streams that come and go while their memory is reused ---- */

static weft_status release_streams(worker *w) {
  weft_stream *stream = NULL;
  weft_array *x = NULL, *y = NULL;
  static _Thread_local int32_t got[N];
  weft_status rc = WEFT_OK;
  TRY(weft_ones(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  for (int round = 0; round < 300; round++) {
    if (w->id % 2) { /* launches on its own stream, then releases memory and stream at once */
      TRY(weft_stream_create(&stream, ctx));
      TRY(weft_empty(&y, ctx, WEFT_I32, WEFT_SHAPE(N)));
      TRY(weft_launch_on(w->kernel, stream, WEFT_DIM3(11), WEFT_DIM3(64), y, x, w->id, N));
      weft_array_release(&y);
      weft_stream_release(&stream);
    } else { /* gets that memory, and must wait for the stream that used it */
      TRY(weft_full(&y, ctx, WEFT_I32, WEFT_SHAPE(N), round));
      TRY(weft_to_host(got, sizeof got, y));
      for (int i = 0; i < N; i++) MUST(got[i] == round);
      weft_array_release(&y);
      if (round % 20 == 0) TRY(weft_context_wait(ctx));
    }
    w->cases++;
  }
done:
  weft_array_release(&x);
  weft_array_release(&y);
  weft_stream_release(&stream);
  return rc;
}

START_TEST(streams_come_and_go)
{
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = AXPY));
  in_threads(release_streams, kernel);
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- memory reused across streams ---- */

enum { KEPT = 6, LARGEST = 20000 };

/// Fills arrays on its own stream, copies them and releases them while the work is pending, so that other threads get
/// their memory.
static weft_status pass_memory_on(worker *w) {
  static _Thread_local uint8_t got[LARGEST];
  weft_stream *stream = NULL;
  weft_array *x = NULL, *kept[KEPT] = {0};
  int value[KEPT] = {0};
  harness_random random = harness_random_start(100 + (uint64_t)w->id);
  weft_status rc = WEFT_OK;
  TRY(weft_stream_create(&stream, ctx));
  TRY(weft_stream_use(w->id ? stream : NULL));
  for (int round = 0; round < 400; round++) {
    int k = (int)harness_between(&random, 0, KEPT - 1);
    if (kept[k]) {
      int64_t size = weft_array_size(kept[k]);
      TRY(weft_to_host(got, (size_t)size, kept[k]));
      for (int64_t i = 0; i < size; i++) MUST(got[i] == value[k]);
      weft_array_release(&kept[k]);
    }
    value[k] = (w->id * 61 + round) % 256;
    TRY(weft_full(&x, ctx, WEFT_U8, WEFT_SHAPE(harness_between(&random, 1, LARGEST)), value[k]));
    TRY(weft_copy(&kept[k], x));
    weft_array_release(&x);
    if (round % 100 == 25 * w->id) TRY(weft_memory_trim(ctx));
    if (round % 50 == 7 * w->id) TRY(weft_memory_reserve(ctx, LARGEST));
    w->cases++;
  }
done:
  weft_array_release(&x);
  for (int k = 0; k < KEPT; k++) weft_array_release(&kept[k]);
  weft_stream_release(&stream);
  if (weft_stream_use(NULL) && rc == WEFT_OK) rc = WEFT_ERROR_INTERNAL;
  return rc;
}

static void check_memory_goes_around(void) {
  weft_memory_stats s;
  in_threads(pass_memory_on, NULL);
  ok(weft_memory_get(&s, ctx));
  ck_assert_uint_eq(s.arrays, 0);
  ck_assert_uint_eq(s.requested_bytes, 0);
  ck_assert_uint_eq(s.managed_bytes, s.held_bytes);
  ok(weft_memory_trim(ctx));
  ok(weft_memory_get(&s, ctx));
  ck_assert_uint_eq(s.managed_bytes, 0);
  ck_assert_uint_eq(s.driver_allocations, s.driver_releases);
}

START_TEST(memory_goes_from_stream_to_stream)
{ check_memory_goes_around(); }
END_TEST

/* No array is shared, so only the pool's reuse could mix streams up: it must not, with tracking or without. */
START_TEST(memory_goes_around_untracked)
{
  ok(weft_context_create(&ctx, .device = device.selector, .tracking_off = true));
  check_memory_goes_around();
  harness_context_close();
}
END_TEST

/* ---- elementwise functions, first used by all threads at once ---- */

static pthread_barrier_t together;

static weft_status first_uses(worker *w) {
  static _Thread_local int32_t got[N];
  static _Thread_local float reals[N];
  weft_array *x = NULL, *y = NULL, *rest = NULL, *table = NULL, *turned = NULL, *half = NULL;
  weft_status rc = WEFT_OK;
  TRY(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  TRY(weft_reshape(&table, x, WEFT_SHAPE(N / 20, 20)));
  TRY(weft_transpose(&turned, table, WEFT_ALL_AXES));
  pthread_barrier_wait(&together);
  TRY(weft_add(&y, x, 10 * w->id)); /* all threads need one plan and kernel, which do not exist yet */
  TRY(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < N; i++) MUST(got[i] == i + 10 * w->id);
  for (int round = 0; round < 4; round++) { /* each thread in its own order */
    switch ((round + w->id) % 4) {
      case 0:
        TRY(weft_divmod(&y, &rest, x, 7 + w->id));
        TRY(weft_to_host(got, sizeof got, rest));
        for (int i = 0; i < N; i++) MUST(got[i] == i % (7 + w->id));
        break;
      case 1: {
        weft_array *sum = NULL;
        TRY(weft_add(&sum, turned, w->id));
        rc = weft_to_host(got, sizeof got, sum);
        weft_array_release(&sum);
        TRY(rc);
        for (int i = 0; i < N; i++) MUST(got[i] == i % (N / 20) * 20 + i / (N / 20) + w->id);
        break;
      }
      case 2:
        for (int i = 0; i < N; i++) reals[i] = (float)(i + w->id);
        TRY(weft_full(&half, ctx, WEFT_F32, WEFT_SHAPE_0D, 1 + w->id));
        TRY(weft_multiply(WEFT_HOST_OUT(reals, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(reals, WEFT_F32, WEFT_SHAPE(N)),
                          half));
        weft_array_release(&half);
        for (int i = 0; i < N; i++) MUST(reals[i] == (float)((i + w->id) * (1 + w->id)));
        break;
      default:
        TRY(weft_slice(&half, x, 0, 1, WEFT_END, .step = 2));
        TRY(weft_negative(&half, half));
        TRY(weft_negative(&half, half));
        weft_array_release(&half);
    }
    w->cases++;
  }
  for (int round = 0; round < 100; round++) {
    TRY(weft_add(&x, x, 1));
    w->cases++;
  }
  TRY(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) MUST(got[i] == i + 100);
done:
  weft_array_release(&half);
  weft_array_release(&turned);
  weft_array_release(&table);
  weft_array_release(&rest);
  weft_array_release(&y);
  weft_array_release(&x);
  return rc;
}

START_TEST(functions_first_used_at_once)
{
  ck_assert_int_eq(pthread_barrier_init(&together, NULL, THREADS), 0);
  in_threads(first_uses, NULL);
  pthread_barrier_destroy(&together);
}
END_TEST

/* Concurrent threads, each with its own context and with calls that fail. */
static weft_status functions_in_own_context(worker *w) {
  weft_context_params params = {.device = device.selector};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  int32_t got[N];
  weft_status rc = WEFT_OK;
  for (int round = 0; round < 2; round++) {
    TRY((weft_context_create)(&context, &params));
    TRY(weft_full(&x, context, WEFT_I32, WEFT_SHAPE(N), w->id));
    TRY(weft_add(&y, x, round));
    MUST(weft_add(&y, x, INT64_MAX) == WEFT_ERROR_OVERFLOW);
    MUST(strstr(weft_error_last()->message, "9223372036854775807") != NULL);
    TRY(weft_to_host(got, sizeof got, y));
    MUST(got[N - 1] == w->id + round);
    weft_array_release(&x);
    weft_array_release(&y);
    TRY(weft_context_close(&context));
    w->cases++;
  }
done:
  weft_array_release(&x);
  weft_array_release(&y);
  weft_context_release(&context);
  return rc;
}

START_TEST(functions_in_a_context_each)
{ in_threads(functions_in_own_context, NULL); }
END_TEST

/* ---- passing an array between threads; references to the context ---- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static weft_array *passed;

static weft_status add_one(worker *w) {
  weft_status rc = WEFT_OK;
  weft_array *one = NULL;
  TRY(weft_ones(&one, ctx, WEFT_I32, WEFT_SHAPE(N)));
  for (int round = 0; round < 50; round++) {
    weft_context *mine = weft_context_retain(ctx);
    pthread_mutex_lock(&turn); /* "an array belongs to one thread at a time" */
    rc = weft_launch(w->kernel, WEFT_DIM3(11), WEFT_DIM3(64), passed, one, 1, N);
    pthread_mutex_unlock(&turn);
    weft_context_release(&mine);
    MUST(rc == WEFT_OK);
    w->cases++;
  }
done:
  weft_array_release(&one);
  return rc;
}

START_TEST(one_array_by_turns)
{
  weft_kernel *kernel = NULL;
  int32_t got[N];
  ok(weft_kernel_create(&kernel, ctx, .source = AXPY));
  ok(weft_zeros(&passed, ctx, WEFT_I32, WEFT_SHAPE(N)));
  in_threads(add_one, kernel);
  ok(weft_to_host(got, sizeof got, passed));
  for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], THREADS * 50);
  weft_array_release(&passed);
  weft_kernel_release(&kernel);
}
END_TEST

static weft_status own_context(worker *w) {
  weft_context_params params = {.device = device.selector};
  weft_context *context = NULL;
  weft_array *x = NULL;
  int32_t got[N];
  weft_status rc = WEFT_OK;
  for (int round = 0; round < 3; round++) {
    TRY((weft_context_create)(&context, &params));
    TRY(weft_full(&x, context, WEFT_I32, WEFT_SHAPE(N), w->id));
    TRY(weft_to_host(got, sizeof got, x));
    MUST(got[N / 2] == w->id);
    weft_array_release(&x);
    TRY(weft_context_close(&context));
    w->cases++;
  }
done:
  weft_array_release(&x);
  weft_context_release(&context);
  return rc;
}

START_TEST(a_context_each)
{
  in_threads(own_context, NULL);
  ck_assert_ptr_null(ctx);
}
END_TEST

/* ---- two threads on one stream ---- */

static void (*behind_read)(void);

/// In the place of OpenCL's: calls behind_read, once, behind the read.
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset_bytes, size_t size_bytes,
                           void *data, cl_uint waits, const cl_event *wait, cl_event *event) {
  static _Thread_local __typeof__(clEnqueueReadBuffer) *real;
  void (*call)(void) = behind_read;
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
  cl_int code = real(queue, mem, blocking, offset_bytes, size_bytes, data, waits, wait, event);
  if (!call || code) return code;
  behind_read = NULL;
  code = clFlush(queue); /* without a call of the loader, the linker would hide this function from the library */
  call();
  return code;
}

/* One thread's long loop, then a write. */
static const char LATE[] =
    "kernel void late(global int *y, uint steps) {\n"
    "  uint v = 1;\n"
    "  for (uint k = 0; k < steps; k++) v = v * 1664525u + k;\n"
    "  y[0] = v == 7 ? 6 : 5;\n"
    "}\n";

static weft_kernel *late;
static weft_array *late_y;
static pthread_t launching;

static void *launch_late(void *unused) {
  ok(weft_launch(late, WEFT_DIM3(1), WEFT_DIM3(1), late_y, 50000000));
  pthread_barrier_wait(&together);
  return unused; /* a thread's end waits for the work */
}

static void launch_on_a_thread(void) {
  ck_assert_int_eq(pthread_create(&launching, NULL, launch_late, NULL), 0);
  pthread_barrier_wait(&together);
}

/* Another thread's launch is enqueued and counted between a copy's enqueuing and its counting. The event must cover
   both: what Weft then takes to be done is read on another stream without a wait. */
START_TEST(a_launch_overtakes_the_count_of_a_copy)
{
  int32_t got = 0, *pinned = NULL;
  weft_stream *side = NULL;
  weft_array *x = NULL;
  weft_event *event = NULL;
  setenv("WEFT_WAY", "elements:commands", 1); /* few elements are copied by commands too */
  harness_context_open();
  ok(weft_kernel_create(&late, ctx, .source = LATE));
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_zeros(&late_y, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_pinned_alloc(&pinned, ctx, sizeof *pinned));
  ok(weft_stream_create(&side, ctx));
  ok(weft_launch(late, WEFT_DIM3(1), WEFT_DIM3(1), late_y, 1));
  ok(weft_add(&x, late_y, 1)); /* the kernels are built now */
  ok(weft_fill(late_y, 0));
  ok(weft_context_wait(ctx));
  ck_assert_int_eq(pthread_barrier_init(&together, NULL, 2), 0);
  behind_read = launch_on_a_thread;
  ok(weft_read_async(pinned, sizeof *pinned, x, NULL));
  ck_assert(!behind_read);
  ok(weft_event_record(&event, ctx, NULL));
  ok(weft_event_wait(event));
  ok(weft_stream_use(side));
  ok(weft_add(&x, late_y, 1));
  ok(weft_to_host(&got, sizeof got, x));
  ok(weft_stream_use(NULL));
  ck_assert_int_eq(got, 6);
  ck_assert_int_eq(pthread_join(launching, NULL), 0);
  pthread_barrier_destroy(&together);
  weft_pinned_free(&pinned);
  weft_release(&event, &side, &x, &late_y, &late);
  harness_context_close();
  unsetenv("WEFT_WAY");
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "shared context");
  tcase_add_test(tc, arrays_and_launches);
  tcase_add_test(tc, errors);
  tcase_add_test(tc, building_streams_and_figures);
  tcase_add_test(tc, streams_come_and_go);
  tcase_add_test(tc, memory_goes_from_stream_to_stream);
  tcase_add_test(tc, one_array_by_turns);
  tcase_add_loop_test(tc, functions_first_used_at_once, 0, 3);
  tc = harness_case(suite, "own contexts");
  tcase_add_test(tc, memory_goes_around_untracked);
  tcase_add_test(tc, a_context_each);
  tcase_add_test(tc, functions_in_a_context_each);
  tcase_add_test(tc, a_launch_overtakes_the_count_of_a_copy);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "threads", .add = add});
}
