// SPDX-License-Identifier: MIT
/// The order between CUDA's streams and Weft's work, lifetimes, and what happens if CUDA fails or is not there. On an
/// NVIDIA GPU with CUDA itself, elsewhere with the stand-in of tests/cuda.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_peer.h"
#include "dlpack_peer.h"
#include "harness.h"

enum { N = CUDA_N, MOST_GROWN = 16 << 20 };

/* ---- order ---- */

/* CUDA's work takes a while: Weft's result is right with the order, and the stand-in shows that it is wrong without. */
START_TEST(weft_waits_for_cuda)
{
  weft_array *x = NULL, *y = NULL;
  cuda_stream stream;
  cuda_open(true);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_context_wait(ctx));
  if (cuda.hold) {
    cuda.hold(true);
    ck_assert_int_eq(cuda.cuMemsetD32Async(cuda_address(x), 5, N, stream), 0);
    ok(weft_add(&y, x, 1));
    cuda_expect_array(y, 1, 0);
    cuda.hold(false);
    ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
    weft_array_release(&y);
  }
  for (int round = 0; round < 3; round++) {
    ck_assert_int_eq(cuda.cuMemsetD32Async(cuda_address(x), (uint32_t)(6 + round), N, stream), 0);
    ok(weft_context_after_cuda(ctx, stream));
    ok(weft_add(&y, x, 1));
    cuda_expect_array(y, 7 + round, 0);
    weft_array_release(&y);
    if (cuda.slow) cuda.slow(1000);
  }
  if (cuda.slow) cuda.slow(0);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  weft_array_release(&x);
  cuda_close();
}
END_TEST

START_TEST(cuda_waits_for_weft)
{
  enum { ROUNDS = 20, LARGE = 1 << 20 };
  weft_array *x = NULL, *y = NULL;
  cuda_stream stream;
  uint64_t plain;
  cuda_open(true);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ck_assert_int_eq(cuda.cuMemAlloc_v2(&plain, 4 * LARGE), 0);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(LARGE)));
  for (int k = 0; k < ROUNDS; k++) {
    int32_t last[2] = {0};
    for (int i = 0; i < 10; i++) ok(weft_add(&x, x, 1));
    ok(weft_cuda_stream_after(stream, ctx));
    ck_assert_int_eq(cuda.cuMemcpyDtoDAsync_v2(plain, cuda_address(x), 4 * LARGE, stream), 0);
    ok(weft_context_after_cuda(ctx, stream)); /* or the next round would write while CUDA reads */
    ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
    ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&last[0], plain, 4), 0);
    ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&last[1], plain + 4 * (LARGE - 1), 4), 0);
    ck_assert_int_eq(last[0], 10 * (k + 1));
    ck_assert_int_eq(last[1], 10 * (k + 1));
  }
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  ck_assert_int_eq(cuda.cuMemFree_v2(plain), 0);
  weft_array_release(&x);
  weft_array_release(&y);
  cuda_close();
}
END_TEST

/* While another thread records a CUDA graph, CUDA refuses to say whether work is done. */
START_TEST(a_refused_question_is_asked_again)
{
  weft_array *x = NULL, *y = NULL;
  cuda_open(true);
  if (!cuda.hold) {
    cuda_close();
    return;
  }
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_context_wait(ctx));
  cuda.hold(true);
  ck_assert_int_eq(cuda.cuMemsetD32Async(cuda_address(x), 4, N, NULL), 0);
  ok(weft_context_after_cuda(ctx, NULL));
  ok(weft_add(&y, x, 1));
  cuda.strike(1, 900);
  for (int k = 0; k < 200 && !*cuda.failed(); k++) nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  ck_assert_str_eq(cuda.failed(), "cuEventQuery");
  cuda.hold(false);
  cuda_expect_array(y, 5, 0);
  weft_array_release(&x);
  weft_array_release(&y);
  cuda_close();
}
END_TEST

/* Work of several Weft streams on one side, and the context's own CUDA stream on the other. */
START_TEST(all_streams_are_ordered)
{
  enum { STREAMS = 3 };
  weft_stream *used[STREAMS] = {NULL};
  weft_array *x[STREAMS] = {NULL};
  struct CUstream_st *own = NULL, *again = NULL;
  cuda_open(true);
  ok(weft_context_cuda_stream(&own, ctx));
  ok(weft_context_cuda_stream(&again, ctx));
  ck_assert_ptr_eq(own, again);
  if (cuda.slow) cuda.slow(2000);
  for (int s = 0; s < STREAMS; s++) {
    ok(weft_stream_create(&used[s], ctx));
    ok(weft_stream_use(used[s]));
    ok(weft_arange(&x[s], ctx, WEFT_I32, s, s + N, 1));
  }
  ok(weft_cuda_stream_after(own, ctx));
  for (int s = 1; s < STREAMS; s++)
    ck_assert_int_eq(cuda.cuMemcpyDtoDAsync_v2(cuda_address(x[s]), cuda_address(x[0]), 4 * N, own), 0);
  ok(weft_context_after_cuda(ctx, own));
  for (int s = 0; s < STREAMS; s++) {
    ok(weft_stream_use(used[s]));
    ok(weft_add(&x[s], x[s], s));
    cuda_expect_array(x[s], s, 1);
  }
  ok(weft_stream_use(NULL));
  if (cuda.slow) cuda.slow(0);
  for (int s = 0; s < STREAMS; s++) {
    weft_array_release(&x[s]);
    weft_stream_release(&used[s]);
  }
  cuda_close();
}
END_TEST

static void *let_cuda_go(void *unused) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  if (cuda.hold) cuda.hold(false);
  return unused;
}

/* Also those that Weft opens itself, for a call in chunks. */
START_TEST(queues_opened_later_are_ordered)
{
  enum { LARGE = 1 << 14 };
  static int32_t got[LARGE];
  const bool in_chunks = _i == 1;
  weft_array *x = NULL;
  weft_stream *later = NULL;
  cuda_stream stream;
  pthread_t thread;
  cuda_open(true);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(LARGE)));
  ok(weft_context_wait(ctx)); /* no later queue must wait for this */
  if (cuda.hold) cuda.hold(true);
  ck_assert_int_eq(cuda.cuMemsetD32Async(cuda_address(x), 5, LARGE, stream), 0);
  ok(weft_context_after_cuda(ctx, stream));
  ck_assert_int_eq(pthread_create(&thread, NULL, let_cuda_go, NULL), 0);
  if (in_chunks)
    setenv("WEFT_CHUNK", "16384", 1);
  else
    ok(weft_stream_create(&later, ctx));
  ok(weft_stream_use(later));
  ok(weft_add(WEFT_HOST_OUT(got, WEFT_I32, WEFT_SHAPE(LARGE)), x, 1));
  ok(weft_stream_use(NULL));
  unsetenv("WEFT_CHUNK");
  int right = 0; /* no assertion per element: each writes to a file */
  for (int i = 0; i < LARGE; i++) right += got[i] == 6;
  ck_assert_int_eq(right, LARGE);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  weft_stream_release(&later);
  weft_array_release(&x);
  cuda_close();
}
END_TEST

/* The work that was enqueued behind weft_context_after_cuda is not theirs. */
START_TEST(queues_opened_later_do_not_wait_for_other_work)
{
  weft_array *x = NULL, *y = NULL;
  weft_stream *later = NULL;
  weft_event *made = NULL;
  cuda_stream stream;
  bool done = false;
  cl_int code;
  cuda_open(true);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_context_after_cuda(ctx, stream));
  cl_event gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(weft_context_cl_queue(ctx), 1, &gate, NULL), CL_SUCCESS);
  ok(weft_stream_create(&later, ctx));
  ok(weft_stream_use(later));
  ok(weft_ones(&y, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_event_record(&made, ctx, later));
  for (int k = 0; k < 5000 && !done; k++) {
    ok(weft_event_is_done(&done, made));
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  clReleaseEvent(gate);
  ck_assert(done);
  ok(weft_stream_use(NULL));
  ok(weft_context_wait(ctx));
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  weft_release(&made, &later, &x, &y);
  cuda_close();
}
END_TEST

/* ---- lifetimes ---- */

START_TEST(memory_outlives_its_context)
{
  weft_array *x = NULL;
  cuda_open(true);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  weft_context *kept = ctx;
  weft_context_release(&ctx); /* the array holds it */
  ctx = kept;
  cuda_expect_array(x, 0, 1);
  ok(weft_context_wait(ctx));
  cuda_expect(cuda_address(x), 0, 1);
  cuda_peer_close(&cuda);
  weft_array_release(&x);
  if (cuda.alive) ck_assert_int_eq(cuda_left(0), 0);
  ctx = NULL;
}
END_TEST

/* The device's memory that this process holds, by NVML; of a device of the CPU the process's own. */
static int64_t held_bytes(void) {
  weft_monitor_reading reading;
  int64_t held = -1;
  ok(weft_monitor_get(&reading, device.index));
  for (int p = 0; p < reading.process_count; p++)
    if (reading.processes[p].pid == (int64_t)getpid()) held = reading.processes[p].memory_bytes;
  weft_monitor_free(&reading);
  return held;
}

/* WEFT_TEST_CONTEXTS says how many. From the tenth on the memory that they hold does not grow. */
START_TEST(contexts_come_and_go)
{
  const char *asked = getenv("WEFT_TEST_CONTEXTS");
  const int rounds = asked ? atoi(asked) : cuda.alive ? 100 : 20;
  int64_t held = -1;
  for (int k = 0; k < rounds; k++) {
    weft_array *x = NULL;
    cuda_open(true);
    ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
    ok(weft_context_after_cuda(ctx, NULL));
    cuda_expect_array(x, 0, 1);
    weft_array_release(&x);
    cuda_close();
    if (k == 9) held = held_bytes();
  }
  const int64_t grown = held < 0 ? 0 : held_bytes() - held;
  ck_assert_msg(grown <= MOST_GROWN, "%d contexts took %lld bytes that stayed", rounds - 10, (long long)grown);
}
END_TEST

/* Another part of the program resets CUDA's device: Weft's own work goes on, calls of CUDA get a status. */
START_TEST(a_reset_device_gives_a_status)
{
  weft_array *x = NULL, *y = NULL;
  cuda_open(true);
  if (!cuda.alive) { /* CUDA 13 defers the reset while others hold the context */
    cuda_close();
    return;
  }
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_context_wait(ctx));
  ck_assert_int_eq(cuda.cuDevicePrimaryCtxReset_v2(cuda.device), 0);
  cuda.context = NULL;
  cuda_expect_array(x, 0, 1);
  expect_error(weft_context_after_cuda(ctx, NULL), WEFT_ERROR_DRIVER, "CONTEXT_IS_DESTROYED");
  expect_error(weft_full(&y, ctx, WEFT_I32, WEFT_SHAPE(1 << 20), 1), WEFT_ERROR_DRIVER, "CONTEXT_IS_DESTROYED");
  weft_array_release(&x);
  ok(weft_context_close(&ctx));
}
END_TEST

/* A host thread's current CUDA context is its own affair. */
START_TEST(the_current_context_is_left_alone)
{
  weft_array *x = NULL;
  cuda_context mine = NULL, now = NULL;
  cuda_open(true);
  ck_assert_int_eq(cuda.cuCtxCreate_v2(&mine, 0, cuda.device), 0);
  cuda_stream stream;
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0); /* a stream of another context than Weft's */
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_cuda_stream_after(stream, ctx));
  ck_assert_int_eq(cuda.cuMemsetD32Async(cuda_address(x), 3, N, stream), 0);
  ok(weft_context_after_cuda(ctx, stream));
  cuda_expect_array(x, 3, 0);
  ck_assert_int_eq(cuda.cuCtxGetCurrent(&now), 0);
  ck_assert_ptr_eq(now, mine);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  ck_assert_int_eq(cuda.cuCtxDestroy_v2(mine), 0);
  weft_array_release(&x);
  cuda_close();
}
END_TEST

/* ---- fork ---- */

START_TEST(a_forked_child_gets_a_status)
{
  weft_array *x = NULL, *y = NULL;
  int status = -1;
  cuda_open(true);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_context_after_cuda(ctx, NULL)); /* there is a thread now, which the child has not */
  ok(weft_context_wait(ctx));
  const pid_t child = fork();
  if (child == 0) {
    struct CUstream_st *stream = NULL;
    alarm(20);
    const bool is_refused = weft_add(&y, x, 1) == WEFT_ERROR_FORKED &&
                            weft_context_after_cuda(ctx, NULL) == WEFT_ERROR_FORKED &&
                            weft_cuda_stream_after(NULL, ctx) == WEFT_ERROR_FORKED &&
                            weft_context_cuda_stream(&stream, ctx) == WEFT_ERROR_FORKED;
    weft_array_release(&x);
    weft_context_release(&ctx);
    _exit(is_refused ? 0 : 1);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child's status is 0x%x", (unsigned)status);
  ok(weft_add(&y, x, 1));
  cuda_expect_array(y, 1, 1);
  weft_array_release(&x);
  weft_array_release(&y);
  cuda_close();
}
END_TEST

/* ---- other modes ---- */

START_TEST(guard_mode_and_pool_off)
{
  weft_array *x = NULL;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true, .checks = _i == 0, .pool_off = _i == 1));
  ck_assert(cuda_peer_open(&cuda, ctx));
  for (int n = 1; n < 100000; n = n * 3 + 1) {
    ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(n), n));
    ok(weft_context_wait(ctx));
    int32_t last = 0;
    ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&last, cuda_address(x) + 4 * (uint64_t)(n - 1), 4), 0);
    ck_assert_int_eq(last, n);
    ok(weft_memory_check(ctx));
    weft_array_release(&x);
  }
  cuda_close();
}
END_TEST

START_TEST(the_environment_asks_for_it)
{
  weft_array *x = NULL;
  setenv("WEFT_CUDA", "1", 1);
  cuda_open(false);
  unsetenv("WEFT_CUDA");
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ck_assert_uint_ne(cuda_address(x), 0);
  weft_array_release(&x);
  cuda_close();
}
END_TEST

START_TEST(a_budget_holds)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true, .memory_limit_bytes = 8 << 20));
  ck_assert(cuda_peer_open(&cuda, ctx));
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(6 << 20)));
  expect_error(weft_zeros(&y, ctx, WEFT_U8, WEFT_SHAPE(3 << 20)), WEFT_ERROR_BUDGET, "limit");
  weft_array_release(&x);
  cuda_close();
}
END_TEST

/* ---- what is missing ---- */

START_TEST(without_cuda_there_is_a_reason)
{
  weft_array *x = NULL;
  struct CUstream_st *stream;
  setenv("WEFT_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  expect_error(weft_context_create(&ctx, .device = device.selector, .cuda = true), WEFT_ERROR_UNSUPPORTED,
               "cannot be loaded", "/nowhere/libcuda.so.1");
  ck_assert_ptr_null(ctx);
  ok(weft_context_create(&ctx, .device = device.selector));
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  expect_error(weft_context_cuda_stream(&stream, ctx), WEFT_ERROR_UNSUPPORTED, "cannot be loaded");
  expect_error(weft_to_cuda(&x, x), WEFT_ERROR_UNSUPPORTED, "cannot be loaded");
  weft_array_release(&x);
  ok(weft_context_close(&ctx));
}
END_TEST

START_TEST(memory_runs_out)
{
  weft_array *x[64] = {NULL};
  weft_status rc = WEFT_OK;
  if (!getenv("WEFT_CUDA_LIBRARY")) return; /* CUDA itself: mem/pool's tests have it */
  setenv("WEFT_TEST_CUDA_MEMORY", "33554432", 1);
  cuda_open(true);
  int made = 0;
  while (made < 64 && (rc = weft_zeros(&x[made], ctx, WEFT_U8, WEFT_SHAPE(1 << 20))) == WEFT_OK) made++;
  ck_assert_int_eq(rc, WEFT_ERROR_MEMORY);
  ck_assert_int_ge(made, 20);
  ck_assert_msg(strstr(weft_error_last()->message, "the driver has no more"), "%s", weft_error_last()->message);
  for (int k = 0; k < made; k++) weft_array_release(&x[k]);
  ok(weft_zeros(&x[0], ctx, WEFT_U8, WEFT_SHAPE(20 << 20))); /* the idle buffers are given back for it */
  weft_array_release(&x[0]);
  cuda_close();
}
END_TEST

/* Without imports there are no arrays in CUDA's memory, and no windows. */
START_TEST(a_device_without_imports_says_so)
{
  const char *way = NULL;
  weft_context *a = NULL, *b = NULL;
  setenv("WEFT_QUIRKS", "no_imports", 1);
  expect_error(weft_context_create(&a, .cuda = true), WEFT_ERROR_UNSUPPORTED, "cannot share memory with CUDA");
  ok(weft_context_create(&a));
  ok(weft_context_create(&b));
  ok(weft_copy_way(&way, a, b));
  ck_assert_str_ne(way, "peer window");
  ok(weft_context_close(&a));
  ok(weft_context_close(&b));
  unsetenv("WEFT_QUIRKS");
}
END_TEST

/* The driver crashes if it imports large memory on a machine with several GPUs. */
START_TEST(large_arrays_stay_ordinary_where_imports_are_small)
{
  enum { LARGE = 130 << 20 };
  weft_array *x = NULL, *y = NULL, *part = NULL;
  int32_t got[3];
  void *address;
  if (!getenv("WEFT_CUDA_LIBRARY")) return;
  setenv("WEFT_QUIRKS", "small_imports", 1);
  setenv("WEFT_TEST_CUDA_CRASH_MIB", "512", 1);
  cuda_open(true);
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(LARGE), 7));
  expect_error(weft_cuda_pointer(&address, x), WEFT_ERROR_UNSUPPORTED, "small_imports", "weft_to_cuda");
  expect_error(weft_cuda_share(&y, x), WEFT_ERROR_UNSUPPORTED, "small_imports", "weft_to_cuda");
  cuda_memory memory = cuda_peer_make(&cuda, (size_t)LARGE * 4, true);
  ok(weft_to_cuda((void *)(uintptr_t)memory.address, x)); /* by a window */
  ck_assert_int_eq(cuda.cuStreamSynchronize(NULL), 0);
  for (int k = 0; k < 3; k++)
    ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&got[k], memory.address + (uint64_t)k * (LARGE / 2 - 1) * 4, 4), 0);
  ck_assert(got[0] == 7 && got[1] == 7 && got[2] == 7);
  weft_array_release(&x);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(LARGE), (void *)(uintptr_t)memory.address));
  ok(weft_view(&part, y, "-3:"));
  ok(weft_to_host(got, sizeof got, part));
  ck_assert(got[0] == 7 && got[1] == 7 && got[2] == 7);
  weft_array_release(&part);
  weft_array_release(&y);
  cuda_peer_free(&cuda, &memory);
  cuda_close();
}
END_TEST

/* ---- each call of CUDA fails in turn ---- */

/* A program with most of this header. Its calls may fail; what it made is released. */
static weft_status program(void) {
  weft_array *x = NULL, *y = NULL, *z = NULL;
  DLManagedTensorVersioned *tensor = NULL;
  char *text = NULL;
  struct CUstream_st *stream = NULL;
  weft_context *context = NULL;
  uint64_t plain = 0;
  void *address;
  weft_status rc;
#define TRY(call) \
  if ((rc = (call)) != WEFT_OK) goto done
  TRY(weft_context_create(&context, .device = device.selector, .cuda = true));
  TRY(weft_arange(&x, context, WEFT_I32, 0, N, 1));
  TRY(weft_cuda_pointer(&address, x));
  TRY(weft_context_cuda_stream(&stream, context));
  TRY(weft_cuda_stream_after(stream, context));
  TRY(weft_context_after_cuda(context, stream));
  TRY(weft_to_dlpack((struct DLManagedTensorVersioned **)&tensor, x));
  TRY(weft_from_dlpack(&y, context, (struct DLManagedTensorVersioned *)tensor));
  tensor = NULL;
  TRY(weft_array_interface(&text, y));
  TRY(weft_from_cuda(&z, context, WEFT_I32, WEFT_SHAPE(N), address, .copy = true));
  TRY(weft_to_cuda(address, z));
  TRY(weft_context_wait(context));
done:
  (void)plain;
  if (tensor) tensor->deleter(tensor);
  weft_free(text);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&z);
  const weft_status closed = weft_context_close(&context);
  return rc ? rc : closed;
}

static void check_status(const char *call, weft_status rc) {
  static const char *const harmless[] = {
      /* releases cannot fail */
      "cuDevicePrimaryCtxRelease_v2", "cuMemRelease", "cuMemUnmap", "cuMemAddressFree", "cuStreamDestroy_v2",
      "cuEventDestroy_v2", "cuCtxPushCurrent_v2", "cuCtxSynchronize", "cuMemFreeHost",
      /* the host waits instead */
      "cuStreamWaitValue32_v2", "cuStreamWriteValue32_v2", "cuEventCreate", "cuEventRecord",
      /* it is tried again; the memory is copied */
      "clCreateBufferWithProperties", "cuMemRetainAllocationHandle"};
  bool is_harmless = false;
  for (size_t h = 0; h < sizeof harmless / sizeof *harmless; h++) is_harmless |= strcmp(call, harmless[h]) == 0;
  ck_assert_msg(rc != WEFT_OK || is_harmless || !*call, "%s failed and nobody said so", call);
  if (rc) ck_assert_msg(weft_error_last()->message[0], "no message");
}

START_TEST(every_call_of_cuda_may_fail)
{
  if (!cuda_peer_load(&cuda) || !cuda.strike) return;
  const long calls = cuda_fail_in_turn(program, 0, 1, 999, check_status);
  ck_assert_int_ge(calls, 40);
}
END_TEST

static void add(Suite *s) {
  TCase *c = harness_case(s, "cuda_order");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, weft_waits_for_cuda);
  tcase_add_test(c, cuda_waits_for_weft);
  tcase_add_test(c, a_refused_question_is_asked_again);
  tcase_add_test(c, all_streams_are_ordered);
  tcase_add_loop_test(c, queues_opened_later_are_ordered, 0, 2);
  tcase_add_test(c, queues_opened_later_do_not_wait_for_other_work);
  tcase_add_test(c, memory_outlives_its_context);
  tcase_add_test(c, a_reset_device_gives_a_status);
  tcase_add_test(c, the_current_context_is_left_alone);
  tcase_add_test(c, a_forked_child_gets_a_status);
  tcase_add_loop_test(c, guard_mode_and_pool_off, 0, 2);
  tcase_add_test(c, the_environment_asks_for_it);
  tcase_add_test(c, a_budget_holds);
  tcase_add_test(c, without_cuda_there_is_a_reason);
  tcase_add_test(c, memory_runs_out);
  tcase_add_test(c, a_device_without_imports_says_so);
  tcase_add_test(c, large_arrays_stay_ordinary_where_imports_are_small);
  tcase_add_test(c, every_call_of_cuda_may_fail);
  TCase *many = harness_case(s, "cuda_contexts");
  tcase_set_timeout(many, 1200);
  tcase_add_test(many, contexts_come_and_go);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_order", .add = add});
}
