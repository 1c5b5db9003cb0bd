// SPDX-License-Identifier: MIT
/// Weft around foreign OpenCL objects, and foreign code around Weft's: shared buffers, shared queues, no copies,
/// balanced references.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: OpenCL 1.2 is the floor */
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "views.h"

/* Another library's cl_context and queue on the device under test, and optionally a Weft context around them. */
typedef struct foreign {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
} foreign;

static foreign other;

static void foreign_open(void) {
  cl_int code = 0;
  harness_context_open();
  other.device = weft_context_cl_device(ctx);
  ck_assert_ptr_nonnull(other.device);
  harness_context_close();
  other.context = clCreateContext(NULL, 1, &other.device, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  other.queue = clCreateCommandQueue(other.context, other.device, 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
}

static void foreign_close(void) {
  ck_assert_int_eq(clReleaseCommandQueue(other.queue), CL_SUCCESS);
  ck_assert_int_eq(clReleaseContext(other.context), CL_SUCCESS);
}

static void adopted_open(void) {
  foreign_open();
  ok(weft_context_adopt(&ctx, other.context, other.queue));
}

static void adopted_close(void) {
  harness_context_close();
  foreign_close();
}

static cl_mem new_buffer(cl_context context, size_t size_bytes) {
  cl_int code = 0;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size_bytes, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  return buffer;
}

static cl_uint references_of_buffer(cl_mem buffer) {
  cl_uint count = 0;
  ck_assert_int_eq(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
  return count;
}

/* ---- lending ---- */

START_TEST(what_is_lent_is_opencls)
{
  cl_uint devices = 0;
  cl_device_id its_device = NULL;
  cl_context its_context = NULL;
  weft_array *x = NULL;
  weft_stream *stream = NULL;
  size_t offset = 99, size = 0;
  cl_context context = weft_context_cl_context(ctx);
  cl_command_queue queue = weft_context_cl_queue(ctx);
  ck_assert_int_eq(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL), CL_SUCCESS);
  ck_assert_uint_eq(devices, 1);
  ck_assert_int_eq(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL), CL_SUCCESS);
  ck_assert_ptr_eq(its_context, context);
  ck_assert_int_eq(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof its_device, &its_device, NULL), CL_SUCCESS);
  ck_assert_ptr_eq(its_device, weft_context_cl_device(ctx));
  ok(weft_stream_create(&stream, ctx));
  ck_assert_ptr_nonnull(weft_stream_cl_queue(stream));
  ck_assert_ptr_ne(weft_stream_cl_queue(stream), queue);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(100)));
  cl_mem buffer = weft_array_cl_mem(x, &offset);
  ck_assert_int_eq(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL), CL_SUCCESS);
  ck_assert_uint_ge(size, offset + 400);
  ck_assert_int_eq(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof its_context, &its_context, NULL), CL_SUCCESS);
  ck_assert_ptr_eq(its_context, context);
  weft_array_release(&x);
  weft_stream_release(&stream);
}
END_TEST

START_TEST(others_work_on_our_queue_is_ordered_with_ours)
{
  enum { N = 1000 };
  int32_t data[N], got[N];
  weft_array *x = NULL, *view = NULL;
  size_t offset = 0, whole = 0;
  cl_command_queue queue = weft_context_cl_queue(ctx);
  for (int round = 0; round < 10; round++) {
    ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
    ok(weft_slice(&view, x, 0, 100, 200));
    cl_mem buffer = weft_array_cl_mem(view, &offset);
    ck_assert_ptr_eq(weft_array_cl_mem(x, &whole), buffer);
    ck_assert_uint_eq(offset, whole + 400);
    for (int i = 0; i < 100; i++) data[i] = -i;
    ck_assert_int_eq(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, 400, data, 0, NULL, NULL), CL_SUCCESS);
    ok(weft_to_host(got, sizeof got, x));
    for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], i >= 100 && i < 200 ? -(i - 100) : i);
    ok(weft_fill(view, 77));
    ck_assert_int_eq(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, 400, data, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(data[i], 77);
    weft_array_release(&view);
    weft_array_release(&x);
    harness_count(1);
  }
}
END_TEST

/* Also others' work behind a copy of ours that does not wait, whose own event is done earlier. */
START_TEST(an_event_covers_others_work_on_our_queue)
{
  cl_int code = 0;
  bool is_done = true;
  int32_t *pinned = NULL;
  weft_array *x = NULL;
  weft_event *event = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(16)));
  ok(weft_pinned_alloc(&pinned, ctx, 64));
  cl_command_queue queue = weft_context_cl_queue(ctx);
  cl_event gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_read_async(pinned, 64, x, NULL));
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
  ok(weft_event_record(&event, ctx, NULL));
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* the copy is done by then */
  ok(weft_event_is_done(&is_done, event));
  ck_assert_msg(!is_done, "the event is done, the barrier behind the copy is not");
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ok(weft_event_wait(event));
  ck_assert_int_eq(clReleaseEvent(gate), CL_SUCCESS);
  weft_event_release(&event);
  weft_array_release(&x);
  weft_pinned_free(&pinned);
  harness_count(1);
}
END_TEST

enum { CUT_N = 1 << 14 };
static int32_t cut[CUT_N];

static void check_cut(int32_t expected) {
  int right = 0; /* no assertion per element: each writes to a file */
  for (int i = 0; i < CUT_N; i++) right += cut[i] == expected;
  ck_assert_int_eq(right, CUT_N);
}

static void *open_later(void *gate) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  clSetUserEventStatus(gate, CL_COMPLETE);
  return NULL;
}

/* Calls in chunks run on queues of their own. */
START_TEST(a_call_in_chunks_comes_after_others_work)
{
  const int32_t five = 5;
  cl_int code = 0;
  size_t offset = 0;
  pthread_t thread;
  weft_array *x = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(CUT_N)));
  ok(weft_context_wait(ctx));
  cl_event gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_mem buffer = weft_array_cl_mem(x, &offset);
  code =
      clEnqueueFillBuffer(weft_context_cl_queue(ctx), buffer, &five, sizeof five, offset, sizeof cut, 1, &gate, NULL);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(pthread_create(&thread, NULL, open_later, gate), 0);
  setenv("WEFT_CHUNK", "16384", 1);
  ok(weft_add(WEFT_HOST_OUT(cut, WEFT_I32, WEFT_SHAPE(CUT_N)), x, 1));
  unsetenv("WEFT_CHUNK");
  check_cut(6);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(clReleaseEvent(gate), CL_SUCCESS);
  weft_array_release(&x);
}
END_TEST

/* The call returns while its two chunks still wait for another stream. */
START_TEST(others_work_and_events_come_after_a_call_in_chunks)
{
  cl_int code = 0;
  size_t offset = 0;
  bool is_done = true;
  cl_event read = NULL;
  weft_stream *side = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_event *event = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(CUT_N)));
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(CUT_N)));
  ok(weft_stream_create(&side, ctx));
  ok(weft_context_wait(ctx));
  cl_event gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(weft_stream_cl_queue(side), 1, &gate, NULL), CL_SUCCESS);
  ok(weft_stream_use(side));
  ok(weft_fill(x, 5));
  ok(weft_stream_use(NULL));
  for (int i = 0; i < CUT_N; i++) cut[i] = 1;
  setenv("WEFT_CHUNK", "32768", 1);
  ok(weft_add(&y, x, WEFT_HOST(cut, WEFT_I32, WEFT_SHAPE(CUT_N))));
  unsetenv("WEFT_CHUNK");
  cl_mem buffer = weft_array_cl_mem(y, &offset);
  code = clEnqueueReadBuffer(weft_context_cl_queue(ctx), buffer, CL_FALSE, offset, sizeof cut, cut, 0, NULL, &read);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_event_record(&event, ctx, NULL));
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  ok(weft_event_is_done(&is_done, event));
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ck_assert_int_eq(clWaitForEvents(1, &read), CL_SUCCESS);
  check_cut(6);
  ck_assert(!is_done);
  ok(weft_event_wait(event));
  ck_assert_int_eq(clReleaseEvent(gate), CL_SUCCESS);
  ck_assert_int_eq(clReleaseEvent(read), CL_SUCCESS);
  weft_release(&event, &side, &x, &y);
}
END_TEST

/* With every policy, a wait returns when the work is done, both for long work, during which it sleeps, and for short
   work. */
START_TEST(waits_end_when_the_work_does)
{
  for (int wait = WEFT_WAIT_AUTO; wait <= WEFT_WAIT_SLEEP; wait++) {
    weft_context_params params = {.device = device.selector, .wait = (weft_wait_policy)wait};
    weft_kernel *kernel = NULL;
    weft_array *y = NULL;
    ok((weft_context_create)(&ctx, &params));
    ok(weft_kernel_create(&kernel, ctx,
                          .source = "kernel void spin(global uint *y, uint n) {\n"
                                    "  uint v = y[get_global_id(0)];\n"
                                    "  for (uint i = 0; i < n; i++) v = v * 1664525u + 1013904223u;\n"
                                    "  y[get_global_id(0)] = v;\n"
                                    "}\n"));
    ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(64)));
    const uint32_t rounds[] = {10, 1000, 3000000};
    for (int i = 0; i < 3; i++) {
      cl_event done = NULL;
      cl_int state = CL_QUEUED;
      ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(64), y, rounds[i]));
      ck_assert_int_eq(clEnqueueMarkerWithWaitList(weft_context_cl_queue(ctx), 0, NULL, &done), CL_SUCCESS);
      ok(weft_context_wait(ctx));
      ck_assert_int_eq(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
      ck_assert_msg(state == CL_COMPLETE, "policy %d, %u rounds: state %d", wait, rounds[i], state);
      ck_assert_int_eq(clReleaseEvent(done), CL_SUCCESS);
      harness_count(1);
    }
    weft_array_release(&y);
    weft_kernel_release(&kernel);
    harness_context_close();
  }
}
END_TEST

START_TEST(nothing_is_lent_for_wrong_handles)
{
  void *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  for (int i = 0; i < 3; i++) {
    size_t offset = 0;
    ck_assert_ptr_null(weft_context_cl_context(wrong[i]));
    ck_assert_ptr_null(weft_context_cl_device(wrong[i]));
    ck_assert_ptr_null(weft_context_cl_queue(wrong[i]));
    ck_assert_ptr_null(weft_stream_cl_queue(wrong[i]));
    ck_assert_ptr_null(weft_array_cl_mem(wrong[i], &offset));
    ck_assert_ptr_null(weft_array_cl_mem(wrong[i], NULL));
    harness_count(1);
  }
}
END_TEST

START_TEST(nothing_is_lent_after_close)
{
  weft_array *x = NULL;
  size_t offset = 0;
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(100)));
  weft_context *second = weft_context_retain(ctx);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close");
  ck_assert_ptr_null(weft_array_cl_mem(x, &offset));
  ck_assert_ptr_null(weft_context_cl_context(second));
  ck_assert_ptr_null(weft_context_cl_queue(second));
  weft_array_release(&x);
  weft_context_release(&second);
}
END_TEST

/* ---- adopting contexts ---- */

static void count_references(cl_uint *context, cl_uint *queue) {
  *context = *queue = 0;
  ck_assert_int_eq(clGetContextInfo(other.context, CL_CONTEXT_REFERENCE_COUNT, sizeof *context, context, NULL),
                   CL_SUCCESS);
  ck_assert_int_eq(clGetCommandQueueInfo(other.queue, CL_QUEUE_REFERENCE_COUNT, sizeof *queue, queue, NULL),
                   CL_SUCCESS);
}

START_TEST(adopted_and_given_back)
{
  cl_uint context[2], queue[2];
  weft_device_info info;
  foreign_open();
  count_references(&context[0], &queue[0]);
  for (int round = 0; round < 2; round++) {
    weft_array *x = NULL;
    float got[3];
    ok(weft_context_adopt(&ctx, other.context, other.queue));
    ck_assert_ptr_eq(weft_context_cl_context(ctx), other.context);
    ck_assert_ptr_eq(weft_context_cl_queue(ctx), other.queue);
    ck_assert_ptr_eq(weft_context_cl_device(ctx), other.device);
    ok(weft_context_get_device(&info, ctx));
    ck_assert_int_eq(info.index, device.index);
    ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
    ok(weft_to_host(got, sizeof got, x));
    ck_assert_float_eq(got[2], 1.0f);
    weft_array_release(&x);
    harness_context_close();
    for (int wait = 0; wait < 100; wait++) { /* PoCL's commands hold their queue, and release it on another thread */
      count_references(&context[1], &queue[1]);
      if (queue[1] == queue[0] && context[1] == context[0]) break;
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    ck_assert_uint_eq(queue[1], queue[0]);
    ck_assert_uint_eq(context[1], context[0]);
  }
  foreign_close();
}
END_TEST

START_TEST(an_adopted_context_keeps_what_the_others_let_go)
{
  weft_array *x = NULL;
  float got[3];
  adopted_open();
  foreign_close(); /* the owner releases its references first */
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_to_host(got, sizeof got, x));
  ck_assert_float_eq(got[0], 1.0f);
  weft_array_release(&x);
  harness_context_close();
}
END_TEST

START_TEST(launches_and_streams_on_an_adopted_context)
{
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  weft_array *y = NULL;
  const int32_t expected[4] = {0, 2, 4, 6};
  adopted_open();
  ok(weft_kernel_create(&kernel, ctx, .source = "kernel void twice(global int *y) { y[get_global_id(0)] *= 2; }\n"));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_arange(&y, ctx, WEFT_I32, 0, 4, 1));
  ok(weft_launch_on(kernel, stream, WEFT_DIM3(1), WEFT_DIM3(4), y));
  check_elements(y, expected, 4, "adopted");
  weft_array_release(&y);
  weft_stream_release(&stream);
  weft_kernel_release(&kernel);
  adopted_close();
}
END_TEST

/// Few bytes, into a context of Weft's own, again and again: the target's memory is known then, the source's is not.
START_TEST(an_adopted_context_copies_to_the_one_it_is_of)
{
  enum { N = 100 };
  cl_int code;
  weft_context *second = NULL;
  weft_array *x = NULL, *y = NULL;
  int32_t data[N];
  harness_context_open();
  cl_command_queue queue = clCreateCommandQueue(weft_context_cl_context(ctx), weft_context_cl_device(ctx), 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_context_adopt(&second, weft_context_cl_context(ctx), queue));
  ok(weft_full(&y, ctx, WEFT_I32, WEFT_SHAPE(N), -1));
  for (int round = 0; round < 6; round++) {
    ok(weft_full(&x, second, WEFT_I32, WEFT_SHAPE(N), round));
    ok(weft_copy(&y, x));
    ok(weft_to_host(data, sizeof data, y));
    for (int i = 0; i < N; i++) ck_assert_int_eq(data[i], round);
    weft_array_release(&x);
  }
  weft_array_release(&y);
  ok(weft_context_close(&second));
  ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
  harness_context_close();
}
END_TEST

START_TEST(contexts_of_one_cl_context_copy_on_the_device)
{
  enum { N = 300000 };
  const char *way = NULL;
  cl_int code;
  weft_context *second = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL, *y = NULL, *view = NULL;
  int32_t *data = malloc(N * sizeof *data);
  adopted_open();
  cl_command_queue queue = clCreateCommandQueue(other.context, other.device, 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_context_adopt(&second, other.context, queue));
  ok(weft_copy_way(&way, second, ctx));
  ck_assert_str_eq(way, "on the device");
  ok(weft_stream_create(&stream, ctx));
  for (int round = 0; round < 10; round++) {
    ok(weft_stream_use(round % 2 ? stream : NULL));
    ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(N), round));
    ok(weft_copy(&y, x, .context = second));
    ok(weft_fill(x, -1)); /* must not reach the copy */
    ok(weft_stream_use(NULL));
    ok(weft_add(&y, y, 1));
    ok(weft_to_host(data, N * sizeof *data, y));
    for (int i = 0; i < N; i++) ck_assert_int_eq(data[i], round + 1);
  }
  /* one buffer in both contexts: as if x had been read first */
  weft_release(&x, &y);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_array_adopt(&y, second, weft_array_cl_mem(x, NULL), 4 * 1024, WEFT_I32, WEFT_SHAPE(N - 1024)));
  ok(weft_slice(&view, x, 0, 0, N - 1024));
  ok(weft_copy(&y, view));
  ok(weft_to_host(data, (N - 1024) * sizeof *data, y));
  for (int i = 0; i < N - 1024; i++) ck_assert_int_eq(data[i], i);
  weft_release(&x, &y, &view, &stream);
  ok(weft_context_close(&second));
  ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
  adopted_close();
  free(data);
}
END_TEST

START_TEST(contexts_that_cannot_be_adopted)
{
  cl_int code = 0;
  foreign_open();
  weft_context_params bad = {.wait = (weft_wait_policy)99};
  cl_context second = clCreateContext(NULL, 1, &other.device, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  expect_error(weft_context_adopt((weft_context **)NULL, other.context, other.queue), WEFT_ERROR_ARGUMENT,
               "weft_context_adopt", "@out", "NULL");
  expect_error(weft_context_adopt(&ctx, NULL, other.queue), WEFT_ERROR_ARGUMENT, "weft_context_adopt", "@cl_context",
               "NULL");
  expect_error(weft_context_adopt(&ctx, other.context, NULL), WEFT_ERROR_ARGUMENT, "weft_context_adopt", "@cl_queue",
               "NULL");
  expect_error((weft_context_adopt)(&ctx, other.context, other.queue, &bad), WEFT_ERROR_ARGUMENT, "weft_context_adopt",
               "wait", "99");
  expect_error(weft__context_adopt_at(&ctx, other.context, other.queue, NULL, WEFT_VERSION_NUMBER + 1000),
               WEFT_ERROR_VERSION, "weft_context_adopt", WEFT_VERSION_STRING);
  weft_error_clear();
  weft_status rc = weft_context_adopt(&ctx, second, other.queue); /* a queue of another context */
  ck_assert_msg(rc == WEFT_ERROR_CONTEXT || rc == WEFT_ERROR_ARGUMENT, "%s", harness_error_text());
  ck_assert_msg(strstr(weft_error_last()->message, "weft_context_adopt") != NULL, "%s", harness_error_text());
  cl_command_queue loose =
      clCreateCommandQueue(other.context, other.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code == CL_SUCCESS) {
    expect_error(weft_context_adopt(&ctx, other.context, loose), WEFT_ERROR_UNSUPPORTED, "weft_context_adopt",
                 "out-of-order");
    clReleaseCommandQueue(loose);
  }
  ck_assert_ptr_null(ctx);
  clReleaseContext(second);
  foreign_close();
}
END_TEST

/* ---- adopting buffers ---- */

START_TEST(arrays_around_a_foreign_buffer)
{
  enum { N = 256 };
  int32_t data[N];
  weft_array *x = NULL, *square = NULL;
  size_t offset = 0;
  cl_mem buffer = new_buffer(other.context, sizeof data);
  cl_uint before = references_of_buffer(buffer);
  for (int i = 0; i < N; i++) data[i] = i;
  ck_assert_int_eq(clEnqueueWriteBuffer(other.queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), CL_SUCCESS);
  ok(weft_array_adopt(&x, ctx, buffer, 0, WEFT_I32, WEFT_SHAPE(N)));
  ck_assert_ptr_eq(weft_array_cl_mem(x, &offset), buffer);
  ck_assert_uint_eq(offset, 0);
  ck_assert_uint_gt(references_of_buffer(buffer), before);
  check_elements(x, data, N, "adopted");
  ok(weft_array_adopt(&square, ctx, buffer, 64 * 4, WEFT_I32, WEFT_SHAPE(8, 8)));
  check_elements(square, data + 64, 64, "adopted with an offset");
  ok(weft_fill(square, -5)); /* Weft's writes are visible to the owner */
  for (int i = 64; i < 128; i++) data[i] = -5;
  ok(weft_context_wait(ctx));
  int32_t got[N];
  ck_assert_int_eq(clEnqueueReadBuffer(other.queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
  for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], data[i]);
  weft_array_release(&square);
  weft_array_release(&x);
  ok(weft_context_wait(ctx));
  ck_assert_uint_eq(references_of_buffer(buffer), before);
  ck_assert_int_eq(clReleaseMemObject(buffer), CL_SUCCESS);
}
END_TEST

START_TEST(an_adopted_buffer_outlives_its_first_owner_and_never_enters_the_pool)
{
  weft_array *x = NULL;
  float got[16];
  weft_memory_stats stats;
  cl_mem buffer = new_buffer(other.context, 64);
  ok(weft_array_adopt(&x, ctx, buffer, 0, WEFT_F32, WEFT_SHAPE(16)));
  ck_assert_int_eq(clReleaseMemObject(buffer), CL_SUCCESS);
  ok(weft_fill(x, 2.5));
  ok(weft_to_host(got, sizeof got, x));
  ck_assert_float_eq(got[15], 2.5f);
  weft_array_release(&x);
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_eq(stats.held_bytes, 0);
}
END_TEST

START_TEST(a_foreign_sub_buffer)
{
  cl_int code = 0;
  weft_device_info info;
  weft_array *x = NULL;
  ok(weft_context_get_device(&info, ctx));
  size_t align = (size_t)info.address_align_bytes;
  cl_mem whole = new_buffer(other.context, align * 4);
  cl_buffer_region region = {align, 64};
  cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_array_adopt(&x, ctx, part, 0, WEFT_U8, WEFT_SHAPE(64)));
  ok(weft_fill(x, 9));
  ok(weft_context_wait(ctx));
  uint8_t got[64];
  ck_assert_int_eq(clEnqueueReadBuffer(other.queue, whole, CL_TRUE, align, 64, got, 0, NULL, NULL), CL_SUCCESS);
  for (int i = 0; i < 64; i++) ck_assert_int_eq(got[i], 9);
  weft_array_release(&x);
  clReleaseMemObject(part);
  clReleaseMemObject(whole);
}
END_TEST

START_TEST(buffers_that_cannot_be_adopted)
{
  cl_int code = 0;
  weft_array *x = NULL, *taken = NULL;
  cl_mem buffer = new_buffer(other.context, 100);
  cl_context second = clCreateContext(NULL, 1, &other.device, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_mem stranger = new_buffer(second, 100);
  expect_error(weft_array_adopt((weft_array **)NULL, ctx, buffer, 0, WEFT_U8, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT,
               "weft_array_adopt", "@out", "NULL");
  expect_error(weft_array_adopt(&x, harness_garbage(), buffer, 0, WEFT_U8, WEFT_SHAPE(3)), WEFT_ERROR_HANDLE,
               "weft_array_adopt", "@context");
  expect_error(weft_array_adopt(&x, ctx, NULL, 0, WEFT_U8, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT, "weft_array_adopt",
               "@cl_mem", "NULL");
  expect_error(weft_array_adopt(&x, ctx, stranger, 0, WEFT_U8, WEFT_SHAPE(3)), WEFT_ERROR_CONTEXT, "weft_array_adopt",
               "context");
  expect_error(weft_array_adopt(&x, ctx, buffer, 0, WEFT_DTYPE_NONE, WEFT_SHAPE(3)), WEFT_ERROR_DTYPE,
               "weft_array_adopt", "@dtype");
  expect_error(weft_array_adopt(&x, ctx, buffer, 0, WEFT_U8, WEFT_SHAPE(101)), WEFT_ERROR_SHAPE, "weft_array_adopt",
               "101", "100");
  expect_error(weft_array_adopt(&x, ctx, buffer, 1, WEFT_U8, WEFT_SHAPE(100)), WEFT_ERROR_SHAPE, "weft_array_adopt",
               "100");
  expect_error(weft_array_adopt(&x, ctx, buffer, 104, WEFT_U8, WEFT_SHAPE(1)), WEFT_ERROR_SHAPE, "weft_array_adopt",
               "104", "100");
  expect_error(weft_array_adopt(&x, ctx, buffer, SIZE_MAX, WEFT_U8, WEFT_SHAPE(2)), WEFT_ERROR_SHAPE,
               "weft_array_adopt", "100");
  expect_error(weft_array_adopt(&x, ctx, buffer, 2, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_LAYOUT, "weft_array_adopt",
               "2", "4");
  expect_error(weft_array_adopt(&x, ctx, buffer, 0, WEFT_U8, WEFT_SHAPE(-1)), WEFT_ERROR_SHAPE, "weft_array_adopt",
               "-1");
  weft_error_clear();
  weft_status rc = weft_array_adopt(&x, ctx, buffer, 0, WEFT_F32, WEFT_SHAPE(INT64_MAX, 4));
  ck_assert_msg(rc == WEFT_ERROR_OVERFLOW || rc == WEFT_ERROR_SHAPE, "%s", harness_error_text());
  ck_assert_ptr_null(x);
  ok(weft_zeros(&taken, ctx, WEFT_U8, WEFT_SHAPE(3)));
  expect_error(weft_array_adopt(&taken, ctx, buffer, 0, WEFT_U8, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT,
               "weft_array_adopt", "@out", "NULL");
  weft_array_release(&taken);
  ck_assert_uint_eq(references_of_buffer(buffer), 1);
  clReleaseMemObject(stranger);
  clReleaseContext(second);
  clReleaseMemObject(buffer);
}
END_TEST

START_TEST(an_image_is_no_buffer)
{
  cl_int code = 0;
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
  weft_array *x = NULL;
  cl_mem image = clCreateImage(other.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
  ck_assert(image == NULL || code == CL_SUCCESS);
  if (!image) return; /* the device has no images */
  expect_error(weft_array_adopt(&x, ctx, image, 0, WEFT_U8, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT, "weft_array_adopt",
               "@cl_mem", "buffer");
  ck_assert_ptr_null(x);
  clReleaseMemObject(image);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "lend");
  tcase_add_test(tc, what_is_lent_is_opencls);
  tcase_add_test(tc, others_work_on_our_queue_is_ordered_with_ours);
  tcase_add_test(tc, an_event_covers_others_work_on_our_queue);
  tcase_add_test(tc, a_call_in_chunks_comes_after_others_work);
  tcase_add_test(tc, others_work_and_events_come_after_a_call_in_chunks);
  tcase_add_test(tc, nothing_is_lent_for_wrong_handles);
  tc = harness_case(suite, "adopt a context");
  tcase_add_test(tc, nothing_is_lent_after_close);
  tcase_add_test(tc, waits_end_when_the_work_does);
  tcase_add_test(tc, adopted_and_given_back);
  tcase_add_test(tc, an_adopted_context_keeps_what_the_others_let_go);
  tcase_add_test(tc, launches_and_streams_on_an_adopted_context);
  tcase_add_test(tc, contexts_of_one_cl_context_copy_on_the_device);
  tcase_add_test(tc, an_adopted_context_copies_to_the_one_it_is_of);
  tcase_add_test(tc, contexts_that_cannot_be_adopted);
  tc = harness_case(suite, "adopt a buffer");
  tcase_add_checked_fixture(tc, adopted_open, adopted_close);
  tcase_add_test(tc, arrays_around_a_foreign_buffer);
  tcase_add_test(tc, an_adopted_buffer_outlives_its_first_owner_and_never_enters_the_pool);
  tcase_add_test(tc, a_foreign_sub_buffer);
  tcase_add_test(tc, buffers_that_cannot_be_adopted);
  tcase_add_test(tc, an_image_is_no_buffer);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "opencl", .add = add});
}
