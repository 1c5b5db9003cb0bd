// SPDX-License-Identifier: MIT
/// DLPack tensors of arrays, their lifetimes, and the array's description as a dictionary.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: OpenCL 1.2 is the floor */
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>

#include "dlpack_peer.h"
#include "views.h"

enum { N = PRODUCED };

/* ---- export ---- */

/* Checks that the tensor describes the array as Weft does. */
static void check_tensor(const DLTensor *tensor, const weft_array *x) {
  static const char kinds[] = {
      [kDLInt] = 'i', [kDLUInt] = 'u', [kDLFloat] = 'f', [kDLBfloat] = 'f', [kDLComplex] = 'c', [kDLBool] = 'b'};
  size_t offset = 0, element = weft_dtype_size_bytes(weft_array_dtype(x));
  cl_mem buffer = weft_array_cl_mem(x, &offset);
  ck_assert_int_eq(tensor->device.device_type, kDLOpenCL);
  ck_assert_int_eq(tensor->device.device_id, device.index);
  ck_assert_int_eq(kinds[tensor->dtype.code], weft_dtype_kind(weft_array_dtype(x)));
  ck_assert_uint_eq(tensor->dtype.bits, element * 8);
  ck_assert_uint_eq(tensor->dtype.lanes, 1);
  ck_assert_int_eq(tensor->ndim, weft_array_ndim(x));
  ck_assert_int_eq(tensor->shape == NULL, tensor->ndim == 0);
  ck_assert_int_eq(tensor->strides == NULL, tensor->ndim == 0);
  for (int d = 0; d < tensor->ndim; d++) {
    ck_assert_int_eq(tensor->shape[d], weft_array_length(x, d));
    ck_assert_int_eq(tensor->strides[d] * (int64_t)element, weft_array_stride_bytes(x, d));
  }
  ck_assert_ptr_eq(tensor->data, weft_array_size(x) ? buffer : NULL);
  ck_assert_uint_eq(tensor->byte_offset, weft_array_size(x) ? offset : 0);
}

START_TEST(every_dtype_goes_out_and_comes_back)
{
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    weft_array *x = NULL, *y = NULL, *was = NULL, *twice = NULL;
    DLManagedTensor *old = NULL;
    uint8_t a[N * 16], b[N * 16];
    size_t bytes = N * weft_dtype_size_bytes((weft_dtype)d);
    ok(weft_arange(&was, ctx, WEFT_I32, 0, N, 1));
    ok(weft_cast(&x, was, (weft_dtype)d));
    DLManagedTensorVersioned *tensor = export_of(x);
    ck_assert_uint_eq(tensor->version.major, 1);
    ck_assert_uint_eq(tensor->flags, 0);
    check_tensor(&tensor->dl_tensor, x);
    ok(weft_from_dlpack(&y, ctx, tensor));
    ck_assert_int_eq(weft_array_dtype(y), d);
    ck_assert(weft_array_is_contiguous(y) && !weft_array_is_read_only(y));
    ck_assert_ptr_eq(weft_array_cl_mem(y, NULL), weft_array_cl_mem(x, NULL));
    ok(weft_to_host(a, bytes, x));
    ok(weft_to_host(b, bytes, y));
    ck_assert_msg(memcmp(a, b, bytes) == 0, "%s", weft_dtype_name((weft_dtype)d));
    ok(weft_fill(y, 1)); /* writes through one are visible through the other */
    ok(weft_to_host(a, bytes, x));
    ok(weft_to_host(b, bytes, y));
    ck_assert(memcmp(a, b, bytes) == 0);
    ok(weft_to_dlpack_unversioned(&old, y)); /* a third handle on the buffer, by the old struct */
    check_tensor(&old->dl_tensor, y);
    ok(weft_from_dlpack_unversioned(&twice, ctx, old));
    weft_array_release(&x);
    weft_array_release(&y);
    ok(weft_to_host(b, bytes, twice));
    ck_assert(memcmp(a, b, bytes) == 0);
    weft_array_release(&twice);
    weft_array_release(&was);
    harness_count(1);
  }
  ck_assert_uint_eq(storages(), 0);
}
END_TEST

START_TEST(views_keep_their_strides_and_offset)
{
  enum { VIEWS = 8 };
  weft_array *x = NULL, *m = NULL, *one = NULL, *view[VIEWS] = {NULL};
  int32_t a[4 * N], b[4 * N];
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_reshape(&m, x, WEFT_SHAPE(4, 6)));
  ok(weft_slice(&view[0], m, 1, 1, WEFT_END, .step = 2));
  ok(weft_transpose(&view[1], m, WEFT_ALL_AXES));
  ok(weft_flip(&view[2], m, WEFT_ALL_AXES));
  ok(weft_pick(&view[3], x, 0, 5));     /* no axes */
  ok(weft_slice(&view[4], x, 0, 3, 3)); /* no elements */
  ok(weft_expand(&view[5], m, 1));
  ok(weft_pick(&one, m, 0, 2));
  ok(weft_broadcast(&view[6], one, WEFT_SHAPE(3, 6)));
  ok(weft_slice(&view[7], m, 0, WEFT_END, WEFT_END, .step = -2));
  for (int i = 0; i < VIEWS; i++) {
    weft_array *back = NULL;
    DLManagedTensorVersioned *tensor = export_of(view[i]);
    check_tensor(&tensor->dl_tensor, view[i]);
    /* a broadcast view cannot be written */
    ck_assert_uint_eq(tensor->flags, i == 6 ? DLPACK_FLAG_BITMASK_READ_ONLY : 0);
    ok(weft_from_dlpack(&back, ctx, tensor));
    ck_assert_int_eq(weft_array_is_read_only(back), i == 6);
    ck_assert_int_eq(weft_array_ndim(back), weft_array_ndim(view[i]));
    for (int d = 0; d < weft_array_ndim(back); d++)
      ck_assert_int_eq(weft_array_length(back, d), weft_array_length(view[i], d));
    size_t bytes = (size_t)weft_array_size_bytes(view[i]);
    ck_assert_int_eq(weft_array_size_bytes(back), (int64_t)bytes);
    ok(weft_to_host(a, bytes, view[i]));
    ok(weft_to_host(b, bytes, back));
    ck_assert_msg(memcmp(a, b, bytes) == 0, "view %d", i);
    weft_array_release(&back);
    weft_array_release(&view[i]);
    harness_count(1);
  }
  weft_array_release(&one);
  weft_array_release(&m);
  weft_array_release(&x);
  ck_assert_uint_eq(storages(), 0);
}
END_TEST

START_TEST(an_exported_tensor_outlives_the_array)
{
  weft_array *x = NULL;
  int32_t got[N];
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  DLManagedTensorVersioned *tensor = export_of(x);
  weft_array_release(&x);
  ck_assert_uint_eq(storages(), 1);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(N))); /* the pool does not have its memory yet */
  ck_assert_ptr_ne(weft_array_cl_mem(x, NULL), tensor->dl_tensor.data);
  ck_assert_int_eq(clEnqueueReadBuffer(weft_context_cl_queue(ctx), tensor->dl_tensor.data, CL_TRUE,
                                       tensor->dl_tensor.byte_offset, sizeof got, got, 0, NULL, NULL),
                   CL_SUCCESS);
  for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], i);
  tensor->deleter(tensor);
  ck_assert_uint_eq(storages(), 1);
  weft_array_release(&x);
}
END_TEST

static void *delete_all(void *user) {
  DLManagedTensorVersioned **tensors = user;
  for (int i = 0; i < 50; i++) tensors[i]->deleter(tensors[i]);
  return NULL;
}

START_TEST(deleters_run_on_any_thread)
{
  enum { THREADS = 4, EACH = 50 };
  static DLManagedTensorVersioned *tensor[THREADS][EACH];
  pthread_t thread[THREADS];
  weft_array *x = NULL, *mine = NULL;
  int32_t got[N];
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < EACH; i++) {
      weft_array *y = NULL;
      ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(N)));
      tensor[t][i] = export_of(i % 2 ? x : y); /* all threads also hold x */
      weft_array_release(&y);
    }
  for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, delete_all, tensor[t]), 0);
  for (int i = 0; i < EACH; i++) { /* while this thread works */
    ok(weft_copy(&mine, x));
    ok(weft_fill(x, i));
    weft_array_release(&mine);
  }
  for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
  ok(weft_to_host(got, sizeof got, x));
  ck_assert_int_eq(got[N - 1], EACH - 1);
  ck_assert_uint_eq(storages(), 1);
  weft_array_release(&x);
  harness_count(THREADS * EACH);
}
END_TEST

START_TEST(a_consumer_sees_finished_work)
{
  cl_int code = 0, state = CL_QUEUED;
  weft_array *y = NULL;
  weft_stream *stream = NULL;
  weft_kernel *spin = make_spin();
  ok(weft_stream_create(&stream, ctx));
  cl_command_queue own = clCreateCommandQueue(weft_context_cl_context(ctx), weft_context_cl_device(ctx), 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_command_queue where[] = {NULL, own, weft_context_cl_queue(ctx)};
  for (int i = 0; i < 6; i++) {
    cl_event done = NULL;
    DLManagedTensorVersioned *tensor = NULL;
    int32_t got = -1;
    weft_stream *on = i < 3 ? NULL : stream;
    ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
    ok(weft_launch_on(spin, on, WEFT_DIM3(1), WEFT_DIM3(1), y, 20000000u));
    cl_command_queue working = on ? weft_stream_cl_queue(on) : weft_context_cl_queue(ctx);
    ck_assert_int_eq(clEnqueueMarkerWithWaitList(working, 0, NULL, &done), CL_SUCCESS);
    ok(weft_to_dlpack(&tensor, y, .cl_queue = where[i % 3]));
    ck_assert_int_eq(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
    if (!where[i % 3]) ck_assert_int_eq(state, CL_COMPLETE); /* for an unknown queue, the export has waited */
    ck_assert_int_eq(clEnqueueReadBuffer(where[i % 3] ? where[i % 3] : own, tensor->dl_tensor.data, CL_TRUE,
                                         tensor->dl_tensor.byte_offset, sizeof got, &got, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_msg(got == 1, "way %d: read %d before the work was done", i, got);
    clReleaseEvent(done);
    tensor->deleter(tensor);
    weft_array_release(&y);
    harness_count(1);
  }
  clReleaseCommandQueue(own);
  weft_stream_release(&stream);
  weft_kernel_release(&spin);
}
END_TEST

START_TEST(what_cannot_be_exported)
{
  cl_int code = 0;
  weft_array *x = NULL, *view = NULL;
  DLManagedTensorVersioned *tensor = NULL, *taken;
  DLManagedTensor *old = NULL;
  cl_device_id its_device = weft_context_cl_device(ctx);
  cl_context second = clCreateContext(NULL, 1, &its_device, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_command_queue stranger = clCreateCommandQueue(second, its_device, 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(1)));
  ok(weft_broadcast(&view, x, WEFT_SHAPE(5)));
  const weft_dlpack_params foreign = {.cl_queue = stranger}, read_only = {.read_only = true};
  expect_error(weft_to_dlpack(NULL, x), WEFT_ERROR_ARGUMENT, "weft_to_dlpack", "@out", "NULL");
  taken = export_of(x);
  expect_error(weft_to_dlpack(&taken, x), WEFT_ERROR_ARGUMENT, "weft_to_dlpack", "@out", "not NULL");
  taken->deleter(taken);
  expect_error(weft_to_dlpack(&tensor, NULL), WEFT_ERROR_HANDLE, "weft_to_dlpack", "@x", "NULL");
  expect_error(weft_to_dlpack(&tensor, (weft_array *)harness_garbage()), WEFT_ERROR_HANDLE, "weft_to_dlpack", "@x");
  expect_error((weft_to_dlpack)(&tensor, x, &foreign), WEFT_ERROR_CONTEXT, "weft_to_dlpack", "@cl_queue",
               "another cl_context");
  expect_error(weft_to_dlpack_unversioned(&old, view), WEFT_ERROR_READ_ONLY, "weft_to_dlpack_unversioned", "@x",
               "read-only");
  expect_error((weft_to_dlpack_unversioned)(&old, x, &read_only), WEFT_ERROR_READ_ONLY, "weft_to_dlpack_unversioned",
               "read-only");
  expect_error(weft_to_dlpack_unversioned(NULL, x), WEFT_ERROR_ARGUMENT, "weft_to_dlpack_unversioned", "@out");
  ck_assert(!tensor && !old);
  ok((weft_to_dlpack)(&tensor, x, &read_only));
  ck_assert_uint_eq(tensor->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  tensor->deleter(tensor);
  weft_array_release(&view);
  weft_array_release(&x);
  clReleaseCommandQueue(stranger);
  clReleaseContext(second);
}
END_TEST

START_TEST(a_closed_context_leaves_the_tensor_its_buffer)
{
  weft_array *x = NULL;
  DLManagedTensorVersioned *tensor = NULL;
  size_t size_bytes = 0;
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_to_dlpack(&tensor, x));
  weft_array_release(&x);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", "1 array", "test_dlpack.c:");
  ck_assert_int_eq(clGetMemObjectInfo(tensor->dl_tensor.data, CL_MEM_SIZE, sizeof size_bytes, &size_bytes, NULL),
                   CL_SUCCESS);
  ck_assert_uint_ge(size_bytes, N * sizeof(float));
  tensor->deleter(tensor);
  ck_assert_ptr_null(ctx);
}
END_TEST

/* ---- the dictionary ---- */

static void check_dictionary(const weft_array *x, const char *form) {
  char expected[400], *text = NULL;
  snprintf(expected, sizeof expected, form, (uintptr_t)weft_array_cl_mem(x, NULL));
  ok(weft_array_interface(&text, x));
  ck_assert_str_eq(text, expected);
  weft_free(text);
  harness_count(1);
}

START_TEST(the_dictionary_is_that_of_the_document)
{
  weft_array *x = NULL, *m = NULL, *view = NULL, *point = NULL, *wide = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 100000, 1));
  check_dictionary(x, "{'shape': (100000,),\n 'typestr': '<f4',\n 'descr': [('', '<f4')],\n 'data': (%" PRIuPTR
                      ", False),\n 'version': 0}");
  ok(weft_reshape(&m, x, WEFT_SHAPE(100, 1000)));
  ok(weft_slice(&view, m, 1, 2, 900, .step = 3));
  check_dictionary(view, "{'shape': (100, 300),\n 'typestr': '<f4',\n 'descr': [('', '<f4')],\n 'data': (%" PRIuPTR
                         ", False),\n 'offset': 8,\n 'strides': (4000, 12),\n 'version': 0}");
  ok(weft_pick(&point, x, 0, 5));
  check_dictionary(point, "{'shape': (),\n 'typestr': '<f4',\n 'descr': [('', '<f4')],\n 'data': (%" PRIuPTR
                          ", False),\n 'offset': 20,\n 'version': 0}");
  ok(weft_broadcast(&wide, point, WEFT_SHAPE(7)));
  check_dictionary(wide, "{'shape': (7,),\n 'typestr': '<f4',\n 'descr': [('', '<f4')],\n 'data': (%" PRIuPTR
                         ", True),\n 'offset': 20,\n 'strides': (0,),\n 'version': 0}");
  weft_array_release(&wide);
  weft_array_release(&point);
  weft_array_release(&view);
  weft_array_release(&m);
  weft_array_release(&x);
}
END_TEST

START_TEST(typestrs_of_all_dtypes)
{
  static const char *const typestr[WEFT_DTYPE_COUNT] = {"",    "|b1", "|i1", "<i2", "<i4", "<i8", "|u1",  "<u2",
                                                        "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16", "<V2"};
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    weft_array *x = NULL;
    char form[200];
    ok(weft_zeros(&x, ctx, (weft_dtype)d, WEFT_SHAPE(2, 0)));
    snprintf(form, sizeof form,
             "{'shape': (2, 0),\n 'typestr': '%s',\n 'descr': [('', '%s')],\n 'data': (%%" PRIuPTR
             ", False),\n 'version': 0}",
             typestr[d], typestr[d]);
    check_dictionary(x, form);
    weft_array_release(&x);
  }
}
END_TEST

START_TEST(dictionaries_that_cannot_be_made)
{
  weft_array *x = NULL;
  char *text = NULL;
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  expect_error(weft_array_interface(NULL, x), WEFT_ERROR_ARGUMENT, "weft_array_interface", "@text");
  expect_error(weft_array_interface(&text, NULL), WEFT_ERROR_HANDLE, "weft_array_interface", "@x");
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close");
  expect_error(weft_array_interface(&text, x), WEFT_ERROR_CLOSED, "weft_array_interface");
  ck_assert_ptr_null(text);
  weft_array_release(&x);
  void *wrong[] = {NULL, harness_garbage(), harness_zeroed()};
  for (int i = 0; i < 3; i++) ck_assert(!weft_array_is_read_only(wrong[i]));
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "export");
  tcase_add_test(tc, every_dtype_goes_out_and_comes_back);
  tcase_add_test(tc, views_keep_their_strides_and_offset);
  tcase_add_test(tc, an_exported_tensor_outlives_the_array);
  tcase_add_test(tc, deleters_run_on_any_thread);
  tcase_add_test(tc, a_consumer_sees_finished_work);
  tcase_add_test(tc, what_cannot_be_exported);
  tc = harness_context_case(suite, "dictionary");
  tcase_add_test(tc, the_dictionary_is_that_of_the_document);
  tcase_add_test(tc, typestrs_of_all_dtypes);
  tc = harness_case(suite, "close");
  tcase_add_test(tc, a_closed_context_leaves_the_tensor_its_buffer);
  tcase_add_test(tc, dictionaries_that_cannot_be_made);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "dlpack", .add = add});
}
