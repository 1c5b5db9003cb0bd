// SPDX-License-Identifier: MIT
/// Memory that CUDA and OpenCL share, CUDA's memory as arrays, and the order between CUDA's streams and Weft's work. On
/// an NVIDIA GPU with CUDA itself, elsewhere with the stand-in of tests/cuda.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_peer.h"
#include "dlpack_peer.h"
#include "harness.h"

enum { N = 1000 };

static cuda_peer cuda;

/* A context whose memory is CUDA's, in place of the harness's. */
static void open_shared(void) {
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true));
  ck_assert_msg(cuda_peer_open(&cuda, ctx), "CUDA's driver library is not usable");
}

static void open_plain(void) {
  ok(weft_context_create(&ctx, .device = device.selector));
  ck_assert_msg(cuda_peer_open(&cuda, ctx), "CUDA's driver library is not usable");
}

static void close_both(void) {
  cuda_peer_close(&cuda);
  ok(weft_context_close(&ctx));
  if (cuda.alive) ck_assert_int_eq(cuda.alive(), 0);
}

static uint64_t address_of(const weft_array *x) {
  void *address = NULL;
  ok(weft_cuda_pointer(&address, x));
  return (uint64_t)(uintptr_t)address;
}

/* What CUDA reads at an address. */
static void expect_ints(uint64_t address, int32_t first, int32_t step) {
  int32_t got[N];
  ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(got, address, sizeof got), 0);
  for (int i = 0; i < N; i++) ck_assert_msg(got[i] == first + i * step, "element %d is %d", i, got[i]);
}

static void expect_array(const weft_array *x, int32_t first, int32_t step) {
  int32_t got[N];
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) ck_assert_msg(got[i] == first + i * step, "element %d is %d", i, got[i]);
}

/* ---- one memory ---- */

START_TEST(cuda_reads_what_weft_writes_and_the_reverse)
{
  weft_array *x = NULL, *view = NULL;
  cuda_stream stream;
  open_shared();
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_context_wait(ctx));
  expect_ints(address_of(x), 0, 1);
  ok(weft_view(&view, x, "10:"));
  ck_assert_uint_eq(address_of(view), address_of(x) + 40);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ck_assert_int_eq(cuda.cuMemsetD32Async(address_of(x), 7, N, stream), 0);
  ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
  expect_array(x, 7, 0);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  weft_array_release(&view);
  weft_array_release(&x);
  close_both();
}
END_TEST

/* Arrays of all sizes, taken and given back at random: none may share bytes with another. */
START_TEST(arrays_do_not_overlap)
{
  enum { ARRAYS = 40, STEPS = 600 };
  weft_array *x[ARRAYS] = {NULL};
  int32_t value[ARRAYS] = {0};
  harness_random random = harness_random_start(1);
  open_shared();
  for (int step = 0; step < STEPS; step++) {
    const int k = (int)harness_between(&random, 0, ARRAYS - 1);
    if (x[k]) {
      const int64_t n = weft_array_size(x[k]), at[] = {0, n / 2, n - 1};
      for (int i = 0; i < 3; i++) {
        int32_t got = -1;
        ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&got, address_of(x[k]) + 4 * (uint64_t)at[i], 4), 0);
        ck_assert_int_eq(got, value[k]);
      }
      weft_array_release(&x[k]);
      continue;
    }
    const int64_t n = harness_between(&random, 1, (int64_t)1 << harness_between(&random, 0, 20));
    value[k] = step;
    ok(weft_full(&x[k], ctx, WEFT_I32, WEFT_SHAPE(n), step));
    ok(weft_context_wait(ctx));
  }
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_ge(stats.slab_bytes, stats.managed_bytes);
  for (int k = 0; k < ARRAYS; k++) weft_array_release(&x[k]);
  ok(weft_memory_trim(ctx));
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_eq(stats.slab_bytes, 0);
  close_both();
}
END_TEST

START_TEST(arrays_of_other_contexts_are_refused_or_copied)
{
  weft_array *x = NULL, *shared = NULL, *again = NULL;
  void *address = &address;
  open_plain();
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  expect_error(weft_cuda_pointer(&address, x), WEFT_ERROR_UNSUPPORTED, "@x", ".cuda = true", "weft_cuda_share");
  ck_assert_ptr_null(address);
  ok(weft_cuda_share(&shared, x));
  ok(weft_context_wait(ctx));
  expect_ints(address_of(shared), 0, 1);
  ok(weft_cuda_share(&again, shared)); /* a view */
  ck_assert_uint_eq(address_of(again), address_of(shared));
  ok(weft_multiply(&shared, shared, 3));
  ok(weft_context_wait(ctx));
  expect_ints(address_of(again), 0, 3);
  expect_array(x, 0, 1);
  expect_error(weft_cuda_share(&again, x), WEFT_ERROR_ARGUMENT, "NULL");
  weft_array_release(&again);
  weft_array_release(&shared);
  weft_array_release(&x);
  close_both();
}
END_TEST

START_TEST(empty_arrays_have_no_address)
{
  weft_array *x = NULL, *y = NULL;
  open_shared();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  ck_assert_uint_eq(address_of(x), 0);
  ok(weft_from_cuda(&y, ctx, WEFT_F32, WEFT_SHAPE(0), NULL));
  ok(weft_to_cuda(NULL, x));
  weft_array_release(&x);
  weft_array_release(&y);
  close_both();
}
END_TEST

/* ---- CUDA's memory ---- */

static int given_back;
static void give_back(void *user) {
  ck_assert_ptr_eq(user, &given_back);
  given_back++;
}

START_TEST(memory_that_can_be_exported_is_shared)
{
  weft_array *x = NULL, *y = NULL;
  const bool in_shared = _i;
  if (in_shared)
    open_shared();
  else
    open_plain();
  cuda_memory memory = cuda_peer_make(&cuda, 4 * N + 400, true);
  int32_t values[N];
  for (int i = 0; i < N; i++) values[i] = 5 * i;
  ck_assert_int_eq(cuda.cuMemcpyHtoD_v2(memory.address + 400, values, sizeof values), 0);
  const char *data = (const char *)(uintptr_t)memory.address + 400;
  given_back = 0;
  ok(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(N), data, .give_back = give_back, .user = &given_back));
  ck_assert_uint_eq(address_of(x), memory.address + 400);
  expect_array(x, 0, 5);
  ok(weft_add(&x, x, 1));
  ok(weft_context_wait(ctx));
  expect_ints(memory.address + 400, 1, 5);
  weft_array_release(&x);
  ck_assert_int_eq(given_back, 1);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N), data, .read_only = true));
  expect_error(weft_fill(y, 1), WEFT_ERROR_READ_ONLY, "weft_from_cuda");
  weft_array_release(&y);
  /* backwards, every second element */
  const int64_t stride[] = {-8};
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N / 2), data + 4 * (N - 2), .stride_bytes = stride));
  int32_t got[N / 2];
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < N / 2; i++) ck_assert_int_eq(got[i], 1 + 5 * (N - 2 - 2 * i));
  weft_array_release(&y);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N), data, .copy = true));
  ck_assert_uint_ne(address_of(y), memory.address + 400);
  expect_array(y, 1, 5);
  weft_array_release(&y);
  cuda_peer_free(&cuda, &memory);
  close_both();
}
END_TEST

START_TEST(other_memory_is_copied)
{
  weft_array *x = NULL, *y = NULL;
  uint64_t plain;
  cuda_stream stream;
  if (_i)
    open_shared();
  else
    open_plain();
  cuda_memory memory = cuda_peer_make(&cuda, 4 * N, false); /* without a file */
  ck_assert_int_eq(cuda.cuMemAlloc_v2(&plain, 4 * N), 0);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  if (cuda.slow) cuda.slow(20000);
  ck_assert_int_eq(cuda.cuMemsetD32Async(plain, 9, N, stream), 0);
  given_back = 0;
  ok(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)plain, .cuda_stream = stream));
  ck_assert_uint_ne(address_of(x), plain);
  expect_array(x, 9, 0);
  ok(weft_arange(&y, ctx, WEFT_I32, 0, N, 1));
  ok(weft_to_cuda((void *)(uintptr_t)plain, y, .cuda_stream = stream));
  ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
  expect_ints(plain, 0, 1);
  weft_array_release(&y);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)plain, .give_back = give_back,
                    .user = &given_back));
  ck_assert_int_eq(given_back, 1);
  expect_array(y, 0, 1);
  weft_array_release(&y);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)memory.address));
  ck_assert_uint_ne(address_of(y), memory.address);
  weft_array_release(&y);
  weft_array_release(&x);
  if (cuda.slow) cuda.slow(0);
  ok(weft_context_wait(ctx)); /* for the copies */
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  ck_assert_int_eq(cuda.cuMemFree_v2(plain), 0);
  cuda_peer_free(&cuda, &memory);
  close_both();
}
END_TEST

START_TEST(views_are_copied_to_cuda_in_order)
{
  weft_array *x = NULL, *turned = NULL;
  uint64_t plain;
  if (_i)
    open_shared();
  else
    open_plain();
  int32_t got[6];
  static const int32_t expected[] = {0, 3, 1, 4, 2, 5};
  ck_assert_int_eq(cuda.cuMemAlloc_v2(&plain, sizeof got), 0);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 6, 1));
  ok(weft_reshape(&turned, x, WEFT_SHAPE(2, 3)));
  weft_array_release(&x);
  ok(weft_transpose(&x, turned, WEFT_ALL_AXES));
  ok(weft_to_cuda((void *)(uintptr_t)plain, x));
  ck_assert_int_eq(cuda.cuStreamSynchronize(NULL), 0);
  ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(got, plain, sizeof got), 0);
  ck_assert_mem_eq(got, expected, sizeof got);
  weft_array_release(&x);
  weft_array_release(&turned);
  ck_assert_int_eq(cuda.cuMemFree_v2(plain), 0);
  close_both();
}
END_TEST

START_TEST(wrong_memory_is_refused)
{
  weft_array *x = NULL, *y = NULL;
  static int32_t host[N];
  open_shared();
  cuda_memory memory = cuda_peer_make(&cuda, 4 * N, true);
  char *data = (char *)(uintptr_t)memory.address;
  const int64_t odd[] = {6}, far_apart[] = {INT64_MAX / 4 * 4}, zero[] = {0}, close[] = {4, 4};
  expect_error(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(N), host), WEFT_ERROR_ARGUMENT, "@data",
               "no device memory");
  expect_error(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(N), NULL), WEFT_ERROR_ARGUMENT, "data");
  expect_error(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(8), data + 2), WEFT_ERROR_LAYOUT, "@data",
               "multiple of the 4");
  expect_error(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(8), data, .stride_bytes = odd), WEFT_ERROR_LAYOUT,
               "stride_bytes[0]", "6");
  expect_error(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(8), data, .stride_bytes = far_apart), WEFT_ERROR_OVERFLOW,
               "stride_bytes[0]");
  expect_error(weft_from_cuda(&x, ctx, WEFT_DTYPE_NONE, WEFT_SHAPE(8), data), WEFT_ERROR_DTYPE, "dtype");
  expect_error(weft_to_cuda(host, x), WEFT_ERROR_HANDLE, "x");
  ok(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(8), data, .stride_bytes = zero));
  expect_error(weft_fill(x, 1), WEFT_ERROR_LAYOUT, "x");
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(8, 8), data, .stride_bytes = close));
  expect_error(weft_fill(y, 1), WEFT_ERROR_READ_ONLY, "over each other");
  expect_error(weft_to_cuda(host, x), WEFT_ERROR_ARGUMENT, "@data", "no device memory");
  expect_error(weft_cuda_stream_after(NULL, NULL), WEFT_ERROR_HANDLE, "context");
  weft_array_release(&x);
  weft_array_release(&y);
  cuda_peer_free(&cuda, &memory);
  close_both();
}
END_TEST

/* ---- order ---- */

/* CUDA's work takes a while: Weft's result is right with the order, and the stand-in shows that it is wrong without. */
START_TEST(weft_waits_for_cuda)
{
  weft_array *x = NULL, *y = NULL;
  cuda_stream stream;
  open_shared();
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_context_wait(ctx));
  if (cuda.slow) {
    cuda.slow(300000);
    ck_assert_int_eq(cuda.cuMemsetD32Async(address_of(x), 5, N, stream), 0);
    ok(weft_add(&y, x, 1));
    expect_array(y, 1, 0);
    ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
    weft_array_release(&y);
  }
  for (int round = 0; round < 3; round++) {
    ck_assert_int_eq(cuda.cuMemsetD32Async(address_of(x), (uint32_t)(6 + round), N, stream), 0);
    ok(weft_context_after_cuda(ctx, stream));
    ok(weft_add(&y, x, 1));
    expect_array(y, 7 + round, 0);
    weft_array_release(&y);
    if (cuda.slow) cuda.slow(1000);
  }
  if (cuda.slow) cuda.slow(0);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  weft_array_release(&x);
  close_both();
}
END_TEST

START_TEST(cuda_waits_for_weft)
{
  enum { ROUNDS = 20, LARGE = 1 << 20 };
  weft_array *x = NULL, *y = NULL;
  cuda_stream stream;
  uint64_t plain;
  open_shared();
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ck_assert_int_eq(cuda.cuMemAlloc_v2(&plain, 4 * LARGE), 0);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(LARGE)));
  for (int k = 0; k < ROUNDS; k++) {
    int32_t last[2] = {0};
    for (int i = 0; i < 10; i++) ok(weft_add(&x, x, 1));
    ok(weft_cuda_stream_after(stream, ctx));
    ck_assert_int_eq(cuda.cuMemcpyDtoDAsync_v2(plain, address_of(x), 4 * LARGE, stream), 0);
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
  close_both();
}
END_TEST

/* Work of several Weft streams on one side, and the context's own CUDA stream on the other. */
START_TEST(all_streams_are_ordered)
{
  enum { STREAMS = 3 };
  weft_stream *used[STREAMS] = {NULL};
  weft_array *x[STREAMS] = {NULL};
  struct CUstream_st *own = NULL, *again = NULL;
  open_shared();
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
    ck_assert_int_eq(cuda.cuMemcpyDtoDAsync_v2(address_of(x[s]), address_of(x[0]), 4 * N, own), 0);
  ok(weft_context_after_cuda(ctx, own));
  for (int s = 0; s < STREAMS; s++) {
    ok(weft_stream_use(used[s]));
    ok(weft_add(&x[s], x[s], s));
    expect_array(x[s], s, 1);
  }
  ok(weft_stream_use(NULL));
  if (cuda.slow) cuda.slow(0);
  for (int s = 0; s < STREAMS; s++) {
    weft_array_release(&x[s]);
    weft_stream_release(&used[s]);
  }
  close_both();
}
END_TEST

/* ---- DLPack, and the dictionary ---- */

START_TEST(dlpack_tensors_are_cudas)
{
  DLManagedTensorVersioned *tensor = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL;
  char *text = NULL, expected[200];
  open_shared();
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_to_dlpack((struct DLManagedTensorVersioned **)&tensor, x));
  ck_assert_int_eq(tensor->dl_tensor.device.device_type, kDLCUDA);
  ck_assert_int_eq(tensor->dl_tensor.device.device_id, cuda.device);
  ck_assert_uint_eq((uint64_t)(uintptr_t)tensor->dl_tensor.data + tensor->dl_tensor.byte_offset, address_of(x));
  ck_assert_int_eq(cuda.cuStreamSynchronize(NULL), 0);
  expect_ints(address_of(x), 0, 1);
  ok(weft_from_dlpack(&y, ctx, (struct DLManagedTensorVersioned *)tensor));
  ck_assert_uint_eq(address_of(y), address_of(x));
  weft_array_release(&x);
  expect_array(y, 0, 1);
  tensor = NULL;
  ok(weft_to_dlpack((struct DLManagedTensorVersioned **)&tensor, y, .cl_queue = weft_context_cl_queue(ctx)));
  ck_assert_int_eq(tensor->dl_tensor.device.device_type, kDLOpenCL);
  tensor->deleter(tensor);
  ok(weft_view(&z, y, "::2"));
  ok(weft_array_interface(&text, z));
  snprintf(expected, sizeof expected, "'data': (%" PRIu64 ", False),\n 'strides': (8,),\n 'stream': ", address_of(z));
  ck_assert_msg(strstr(text, expected) && strstr(text, "'version': 3}"), "%s", text);
  weft_free(text);
  weft_array_release(&z);
  weft_array_release(&y);
  close_both();
}
END_TEST

/* ---- lifetimes ---- */

START_TEST(memory_outlives_its_context)
{
  weft_array *x = NULL;
  open_shared();
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  weft_context *kept = ctx;
  weft_context_release(&ctx); /* the array holds it */
  ctx = kept;
  expect_array(x, 0, 1);
  ok(weft_context_wait(ctx));
  expect_ints(address_of(x), 0, 1);
  cuda_peer_close(&cuda);
  weft_array_release(&x);
  if (cuda.alive) ck_assert_int_eq(cuda.alive(), 0);
  ctx = NULL;
}
END_TEST

START_TEST(contexts_come_and_go)
{
  const int rounds = cuda.alive ? 100 : 20;
  for (int k = 0; k < rounds; k++) {
    weft_array *x = NULL;
    open_shared();
    ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
    ok(weft_context_after_cuda(ctx, NULL));
    expect_array(x, 0, 1);
    weft_array_release(&x);
    close_both();
  }
}
END_TEST

/* Another part of the program resets CUDA's device: Weft's own work goes on, calls of CUDA get a status. */
START_TEST(a_reset_device_gives_a_status)
{
  weft_array *x = NULL, *y = NULL;
  open_shared();
  if (!cuda.alive) { /* CUDA 13 defers the reset while others hold the context */
    close_both();
    return;
  }
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_context_wait(ctx));
  ck_assert_int_eq(cuda.cuDevicePrimaryCtxReset_v2(cuda.device), 0);
  cuda.context = NULL;
  expect_array(x, 0, 1);
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
  open_shared();
  ck_assert_int_eq(cuda.cuCtxCreate_v2(&mine, 0, cuda.device), 0);
  cuda_stream stream;
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0); /* a stream of another context than Weft's */
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ok(weft_cuda_stream_after(stream, ctx));
  ck_assert_int_eq(cuda.cuMemsetD32Async(address_of(x), 3, N, stream), 0);
  ok(weft_context_after_cuda(ctx, stream));
  expect_array(x, 3, 0);
  ck_assert_int_eq(cuda.cuCtxGetCurrent(&now), 0);
  ck_assert_ptr_eq(now, mine);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  ck_assert_int_eq(cuda.cuCtxDestroy_v2(mine), 0);
  weft_array_release(&x);
  close_both();
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
    ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&last, address_of(x) + 4 * (uint64_t)(n - 1), 4), 0);
    ck_assert_int_eq(last, n);
    ok(weft_memory_check(ctx));
    weft_array_release(&x);
  }
  close_both();
}
END_TEST

START_TEST(the_environment_asks_for_it)
{
  weft_array *x = NULL;
  setenv("WEFT_CUDA", "1", 1);
  open_plain();
  unsetenv("WEFT_CUDA");
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  ck_assert_uint_ne(address_of(x), 0);
  weft_array_release(&x);
  close_both();
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
  close_both();
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
  open_shared();
  int made = 0;
  while (made < 64 && (rc = weft_zeros(&x[made], ctx, WEFT_U8, WEFT_SHAPE(1 << 20))) == WEFT_OK) made++;
  ck_assert_int_eq(rc, WEFT_ERROR_MEMORY);
  ck_assert_int_ge(made, 20);
  ck_assert_msg(strstr(weft_error_last()->message, "the driver has no more"), "%s", weft_error_last()->message);
  for (int k = 0; k < made; k++) weft_array_release(&x[k]);
  ok(weft_zeros(&x[0], ctx, WEFT_U8, WEFT_SHAPE(20 << 20))); /* the idle buffers are given back for it */
  weft_array_release(&x[0]);
  close_both();
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

START_TEST(every_call_of_cuda_may_fail)
{
  if (!cuda_peer_load(&cuda) || !cuda.strike) return;
  ok(program());
  cuda.strike(0, 0);
  ok(program());
  const long calls = cuda.strike(0, 0);
  ck_assert_int_ge(calls, 40);
  for (long k = 1; k <= calls; k++) {
    const long before = cuda.alive();
    cuda.strike(k, 999);
    const weft_status rc = program();
    char name[64];
    snprintf(name, sizeof name, "%s", cuda.failed());
    cuda.strike(0, 0);
    /* releases cannot fail, and a stream that cannot wait is waited for */
    static const char *const harmless[] = {"cuDevicePrimaryCtxRelease_v2",
                                           "cuMemRelease",
                                           "cuMemUnmap",
                                           "cuMemAddressFree",
                                           "cuStreamDestroy_v2",
                                           "cuEventDestroy_v2",
                                           "clCreateBufferWithProperties",
                                           /* tried again */ "cuStreamWaitValue32_v2",
                                           "cuMemRetainAllocationHandle",
                                           "cuLaunchHostFunc",
                                           "cuCtxSynchronize",
                                           "cuEventCreate",
                                           "cuEventRecord",
                                           "cuCtxPushCurrent_v2"};
    bool is_harmless = false;
    for (size_t h = 0; h < sizeof harmless / sizeof *harmless; h++) is_harmless |= strcmp(name, harmless[h]) == 0;
    ck_assert_msg(rc != WEFT_OK || is_harmless || !*name, "call %ld, %s, failed and nobody said so", k, name);
    if (rc) ck_assert_msg(weft_error_last()->message[0], "no message");
    /* what a failed release leaves behind is CUDA's */
    const bool leaves = is_harmless && strncmp(name, "cuStreamWait", 12) != 0;
    ck_assert_msg(cuda.alive() == before || leaves, "call %ld, %s: %ld things are left", k, name,
                  cuda.alive() - before);
    ok(program());
  }
  harness_count(calls);
}
END_TEST

static void add(Suite *s) {
  TCase *c = harness_case(s, "cuda");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, cuda_reads_what_weft_writes_and_the_reverse);
  tcase_add_test(c, arrays_do_not_overlap);
  tcase_add_test(c, arrays_of_other_contexts_are_refused_or_copied);
  tcase_add_test(c, empty_arrays_have_no_address);
  tcase_add_loop_test(c, memory_that_can_be_exported_is_shared, 0, 2);
  tcase_add_loop_test(c, other_memory_is_copied, 0, 2);
  tcase_add_loop_test(c, views_are_copied_to_cuda_in_order, 0, 2);
  tcase_add_test(c, wrong_memory_is_refused);
  tcase_add_test(c, weft_waits_for_cuda);
  tcase_add_test(c, cuda_waits_for_weft);
  tcase_add_test(c, all_streams_are_ordered);
  tcase_add_test(c, dlpack_tensors_are_cudas);
  tcase_add_test(c, memory_outlives_its_context);
  tcase_add_test(c, contexts_come_and_go);
  tcase_add_test(c, a_reset_device_gives_a_status);
  tcase_add_test(c, the_current_context_is_left_alone);
  tcase_add_loop_test(c, guard_mode_and_pool_off, 0, 2);
  tcase_add_test(c, the_environment_asks_for_it);
  tcase_add_test(c, a_budget_holds);
  tcase_add_test(c, without_cuda_there_is_a_reason);
  tcase_add_test(c, memory_runs_out);
  tcase_add_test(c, every_call_of_cuda_may_fail);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda", .add = add});
}
