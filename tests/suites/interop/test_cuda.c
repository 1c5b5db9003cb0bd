// SPDX-License-Identifier: MIT
/// Memory that CUDA and OpenCL share, and CUDA's memory as arrays. On an NVIDIA GPU with CUDA itself, elsewhere with
/// the stand-in of tests/cuda.
#include <stdio.h>
#include <unistd.h>

#include "cuda_peer.h"
#include "dlpack_peer.h"
#include "harness.h"

enum { N = CUDA_N };

/* ---- one memory ---- */

START_TEST(cuda_reads_what_weft_writes_and_the_reverse)
{
  weft_array *x = NULL, *view = NULL;
  cuda_stream stream;
  cuda_open(true);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_context_wait(ctx));
  cuda_expect(cuda_address(x), 0, 1);
  ok(weft_view(&view, x, "10:"));
  ck_assert_uint_eq(cuda_address(view), cuda_address(x) + 40);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  ck_assert_int_eq(cuda.cuMemsetD32Async(cuda_address(x), 7, N, stream), 0);
  ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
  cuda_expect_array(x, 7, 0);
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  weft_array_release(&view);
  weft_array_release(&x);
  cuda_close();
}
END_TEST

/* Arrays of all sizes, taken and given back at random: none may share bytes with another. */
START_TEST(arrays_do_not_overlap)
{
  enum { ARRAYS = 40, STEPS = 600 };
  weft_array *x[ARRAYS] = {NULL};
  int32_t value[ARRAYS] = {0};
  harness_random random = harness_random_start(1);
  cuda_open(true);
  for (int step = 0; step < STEPS; step++) {
    const int k = (int)harness_between(&random, 0, ARRAYS - 1);
    if (x[k]) {
      const int64_t n = weft_array_size(x[k]), at[] = {0, n / 2, n - 1};
      for (int i = 0; i < 3; i++) {
        int32_t got = -1;
        ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(&got, cuda_address(x[k]) + 4 * (uint64_t)at[i], 4), 0);
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
  cuda_close();
}
END_TEST

START_TEST(arrays_of_other_contexts_are_refused_or_copied)
{
  weft_array *x = NULL, *shared = NULL, *again = NULL;
  void *address = &address;
  cuda_open(false);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  expect_error(weft_cuda_pointer(&address, x), WEFT_ERROR_UNSUPPORTED, "@x", ".cuda = true", "weft_cuda_share");
  ck_assert_ptr_null(address);
  ok(weft_cuda_share(&shared, x));
  ok(weft_context_wait(ctx));
  cuda_expect(cuda_address(shared), 0, 1);
  ok(weft_cuda_share(&again, shared)); /* a view */
  ck_assert_uint_eq(cuda_address(again), cuda_address(shared));
  ok(weft_multiply(&shared, shared, 3));
  ok(weft_context_wait(ctx));
  cuda_expect(cuda_address(again), 0, 3);
  cuda_expect_array(x, 0, 1);
  expect_error(weft_cuda_share(&again, x), WEFT_ERROR_ARGUMENT, "NULL");
  weft_array_release(&again);
  weft_array_release(&shared);
  weft_array_release(&x);
  cuda_close();
}
END_TEST

START_TEST(empty_arrays_have_no_address)
{
  weft_array *x = NULL, *y = NULL;
  cuda_open(true);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  ck_assert_uint_eq(cuda_address(x), 0);
  ok(weft_from_cuda(&y, ctx, WEFT_F32, WEFT_SHAPE(0), NULL));
  ok(weft_to_cuda(NULL, x));
  weft_array_release(&x);
  weft_array_release(&y);
  cuda_close();
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
  cuda_open(_i);
  cuda_memory memory = cuda_peer_make(&cuda, 4 * N + 400, true);
  int32_t values[N];
  for (int i = 0; i < N; i++) values[i] = 5 * i;
  ck_assert_int_eq(cuda.cuMemcpyHtoD_v2(memory.address + 400, values, sizeof values), 0);
  const char *data = (const char *)(uintptr_t)memory.address + 400;
  given_back = 0;
  ok(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(N), data, .give_back = give_back, .user = &given_back));
  ck_assert_uint_eq(cuda_address(x), memory.address + 400);
  cuda_expect_array(x, 0, 5);
  ok(weft_add(&x, x, 1));
  ok(weft_context_wait(ctx));
  cuda_expect(memory.address + 400, 1, 5);
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
  ck_assert_uint_ne(cuda_address(y), memory.address + 400);
  cuda_expect_array(y, 1, 5);
  weft_array_release(&y);
  cuda_peer_free(&cuda, &memory);
  cuda_close();
}
END_TEST

START_TEST(other_memory_is_copied)
{
  weft_array *x = NULL, *y = NULL;
  uint64_t plain;
  cuda_stream stream;
  cuda_open(_i);
  cuda_memory memory = cuda_peer_make(&cuda, 4 * N, false); /* without a file */
  ck_assert_int_eq(cuda.cuMemAlloc_v2(&plain, 4 * N), 0);
  ck_assert_int_eq(cuda.cuStreamCreate(&stream, 1), 0);
  if (cuda.slow) cuda.slow(20000);
  ck_assert_int_eq(cuda.cuMemsetD32Async(plain, 9, N, stream), 0);
  given_back = 0;
  ok(weft_from_cuda(&x, ctx, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)plain, .cuda_stream = stream));
  ck_assert_uint_ne(cuda_address(x), plain);
  cuda_expect_array(x, 9, 0);
  ok(weft_arange(&y, ctx, WEFT_I32, 0, N, 1));
  ok(weft_to_cuda((void *)(uintptr_t)plain, y, .cuda_stream = stream));
  ck_assert_int_eq(cuda.cuStreamSynchronize(stream), 0);
  cuda_expect(plain, 0, 1);
  weft_array_release(&y);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)plain, .give_back = give_back,
                    .user = &given_back));
  ck_assert_int_eq(given_back, 1);
  cuda_expect_array(y, 0, 1);
  weft_array_release(&y);
  ok(weft_from_cuda(&y, ctx, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)memory.address));
  ck_assert_uint_ne(cuda_address(y), memory.address);
  weft_array_release(&y);
  weft_array_release(&x);
  if (cuda.slow) cuda.slow(0);
  ok(weft_context_wait(ctx)); /* for the copies */
  ck_assert_int_eq(cuda.cuStreamDestroy_v2(stream), 0);
  ck_assert_int_eq(cuda.cuMemFree_v2(plain), 0);
  cuda_peer_free(&cuda, &memory);
  cuda_close();
}
END_TEST

START_TEST(views_are_copied_to_cuda_in_order)
{
  weft_array *x = NULL, *turned = NULL;
  uint64_t plain;
  cuda_open(_i);
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
  cuda_close();
}
END_TEST

START_TEST(wrong_memory_is_refused)
{
  weft_array *x = NULL, *y = NULL;
  static int32_t host[N];
  cuda_open(true);
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
  cuda_close();
}
END_TEST

/* Memory that is imported twice overlaps, although its buffers differ. */
START_TEST(memory_imported_twice_overlaps)
{
  weft_array *x = NULL, *whole = NULL, *behind = NULL;
  cuda_open(true);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_context_wait(ctx));
  const uint64_t first = cuda_address(x);
  ok(weft_from_cuda(&whole, ctx, WEFT_I32, WEFT_SHAPE(N - 1), (void *)(uintptr_t)first));
  ok(weft_from_cuda(&behind, ctx, WEFT_I32, WEFT_SHAPE(N - 1), (void *)(uintptr_t)(first + sizeof(int32_t))));
  ok(weft_add(&behind, whole, 5)); /* each element from the old one before it */
  int32_t got[N];
  ok(weft_to_host(got, sizeof got, x));
  ck_assert_int_eq(got[0], 0);
  for (int i = 1; i < N; i++) ck_assert_msg(got[i] == i + 4, "element %d is %d", i, got[i]);
  weft_array_release(&x);
  weft_array_release(&whole);
  weft_array_release(&behind);
  cuda_close();
}
END_TEST

/* ---- several contexts ---- */

/// The number of another device of the tested driver, or the tested one where it has no other.
static int neighbour(void) {
  weft_device_info info;
  for (int d = 0; d < device.count; d++) {
    ok(weft_device_get(&info, d));
    if (d != device.index && strcmp(info.platform, device.platform) == 0) return d;
  }
  return device.index;
}

START_TEST(an_array_of_another_context_is_an_operand)
{
  weft_context *other = NULL;
  weft_array *x = NULL, *view = NULL, *peer = NULL, *y = NULL, *outside = NULL;
  char number[16];
  cuda_open(true);
  snprintf(number, sizeof number, "%d", neighbour());
  ok(weft_context_create(&other, .device = number));
  ok(weft_arange(&x, ctx, WEFT_I32, -N, 2 * N, 1));
  ok(weft_view(&view, x, "1000:2000"));
  ok(weft_peer_array(&peer, other, view));
  weft_array_release(&view);
  cuda_expect_array(peer, 0, 1);
  ok(weft_multiply(&y, peer, 2)); /* read there */
  cuda_expect_array(y, 0, 2);
  ok(weft_add(&peer, peer, 5)); /* written there */
  ok(weft_context_wait(other));
  ok(weft_view(&view, x, "1000:2000"));
  cuda_expect_array(view, 5, 1);
  expect_error(weft_peer_array(&outside, ctx, x), WEFT_ERROR_CONTEXT, "@x", "already");
  expect_error(weft_peer_array(&outside, ctx, y), WEFT_ERROR_UNSUPPORTED, "@x", "weft_cuda_share", "weft_copy");
  weft_array_release(&x);
  weft_array_release(&view);
  cuda_expect_array(peer, 5, 1); /* holds the memory */
  weft_array_release(&peer);
  weft_array_release(&y);
  ok(weft_context_close(&other));
  cuda_close();
}
END_TEST

/* As another process does it, which gets the file descriptor by a socket. */
START_TEST(exported_memory_is_imported_elsewhere)
{
  weft_context *other = NULL;
  weft_array *x = NULL, *view = NULL, *there = NULL, *outside = NULL, *none = NULL;
  weft_cuda_handle handle, wrong;
  char number[16];
  cuda_open(true);
  snprintf(number, sizeof number, "%d", neighbour());
  ok(weft_context_create(&other, .device = number));
  ok(weft_arange(&x, ctx, WEFT_I32, -N, 2 * N, 1));
  ok(weft_view(&view, x, "1000:2000"));
  ok(weft_cuda_export(&handle, view));
  ok(weft_context_wait(ctx));
  const weft_shape shape = weft_array_shape(view);
  ok(weft_cuda_import(&there, other, WEFT_I32, shape, &handle));
  cuda_expect_array(there, 0, 1);
  ok(weft_add(&there, there, 5));
  ok(weft_context_wait(other));
  cuda_expect_array(view, 5, 1);
  ok(weft_cuda_import(&none, other, WEFT_I32, WEFT_SHAPE(0, 3), &handle));
  ck_assert_int_eq(weft_array_size(none), 0);
  expect_error(weft_cuda_import(&outside, other, WEFT_F64, WEFT_SHAPE(1 << 30), &handle), WEFT_ERROR_ARGUMENT, "@shape",
               "1073741824 elements of f64");
  wrong = handle;
  wrong.offset_bytes++;
  expect_error(weft_cuda_import(&outside, other, WEFT_I32, shape, &wrong), WEFT_ERROR_ARGUMENT, "@handle",
               "expected what weft_cuda_export wrote");
  ck_assert_int_eq(close(handle.file), 0); /* the import has its own */
  cuda_expect_array(there, 5, 1);
  expect_error(weft_cuda_import(&outside, other, WEFT_I32, shape, &handle), WEFT_ERROR_ARGUMENT, "@handle", "not open");
  weft_array_release(&view);
  ok(weft_view(&view, x, "::2"));
  expect_error(weft_cuda_export(&handle, view), WEFT_ERROR_LAYOUT, "@x", "weft_copy");
  expect_error(weft_cuda_export(&handle, none), WEFT_ERROR_SHAPE, "@x", "no elements");
  weft_array_release(&none);
  ok(weft_zeros(&none, other, WEFT_I32, WEFT_SHAPE(10)));
  expect_error(weft_cuda_export(&handle, none), WEFT_ERROR_UNSUPPORTED, "@x", "weft_cuda_share");
  ck_assert_ptr_null(outside);
  weft_release(&x, &view, &there, &none);
  ok(weft_context_close(&other));
  cuda_close();
}
END_TEST

/* ---- DLPack, and the dictionary ---- */

START_TEST(dlpack_tensors_are_cudas)
{
  DLManagedTensorVersioned *tensor = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL;
  char *text = NULL, expected[200];
  cuda_open(true);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_to_dlpack((struct DLManagedTensorVersioned **)&tensor, x));
  ck_assert_int_eq(tensor->dl_tensor.device.device_type, kDLCUDA);
  ck_assert_int_eq(tensor->dl_tensor.device.device_id, cuda.device);
  ck_assert_uint_eq((uint64_t)(uintptr_t)tensor->dl_tensor.data + tensor->dl_tensor.byte_offset, cuda_address(x));
  ck_assert_int_eq(cuda.cuStreamSynchronize(NULL), 0);
  cuda_expect(cuda_address(x), 0, 1);
  ok(weft_from_dlpack(&y, ctx, (struct DLManagedTensorVersioned *)tensor));
  ck_assert_uint_eq(cuda_address(y), cuda_address(x));
  weft_array_release(&x);
  cuda_expect_array(y, 0, 1);
  tensor = NULL;
  ok(weft_to_dlpack((struct DLManagedTensorVersioned **)&tensor, y, .cl_queue = weft_context_cl_queue(ctx)));
  ck_assert_int_eq(tensor->dl_tensor.device.device_type, kDLOpenCL);
  tensor->deleter(tensor);
  ok(weft_view(&z, y, "::2"));
  ok(weft_array_interface(&text, z));
  snprintf(expected, sizeof expected, "'data': (%" PRIu64 ", False),\n 'strides': (8,),\n 'stream': ", cuda_address(z));
  ck_assert_msg(strstr(text, expected) && strstr(text, "'version': 3}"), "%s", text);
  weft_free(text);
  weft_array_release(&z);
  weft_array_release(&y);
  cuda_close();
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
  tcase_add_test(c, memory_imported_twice_overlaps);
  tcase_add_test(c, an_array_of_another_context_is_an_operand);
  tcase_add_test(c, exported_memory_is_imported_elsewhere);
  tcase_add_test(c, dlpack_tensors_are_cudas);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda", .add = add});
}
