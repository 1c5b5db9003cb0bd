// SPDX-License-Identifier: MIT
/// Arrays around other libraries' DLPack tensors: accepted tensors, when they are given back, and read-only memory.
#include "dlpack_peer.h"
#include "views.h"

enum { N = PRODUCED };

/* Imports a tensor, compares it with the expected elements of 0 ... N - 1, and gives it back. */
static void check_import(producer *p, const int32_t *expected, int64_t size, const char *what) {
  weft_array *x = NULL;
  ok(weft_from_dlpack(&x, ctx, &p->tensor));
  check_elements(x, expected, (size_t)size, what);
  ck_assert_int_eq(p->deleted, 0);
  weft_array_release(&x);
  ck_assert_int_eq(p->deleted, 1);
  p->deleted = 0;
  harness_count(1);
}

START_TEST(strides_of_every_kind)
{
  producer p;
  produce(&p);
  DLTensor *t = &p.tensor.dl_tensor;
  int32_t all[N], turned[N], back[N], same[8];
  for (int i = 0; i < N; i++) {
    all[i] = i;
    turned[i] = i % 4 * 6 + i / 4;
    back[i] = N - 1 - i;
  }
  check_import(&p, all, N, "C order");
  t->strides = NULL;
  check_import(&p, all, N, "no strides");
  t->strides = p.strides;
  memcpy(p.shape, (int64_t[]){6, 4}, 16);
  memcpy(p.strides, (int64_t[]){1, 6}, 16);
  check_import(&p, turned, N, "Fortran order");
  memcpy(p.shape, (int64_t[]){4, 6}, 16);
  memcpy(p.strides, (int64_t[]){-6, -1}, 16);
  t->byte_offset = (N - 1) * 4;
  check_import(&p, back, N, "negative");
  memcpy(p.shape, (int64_t[]){8, 1}, 16);
  memcpy(p.strides, (int64_t[]){0, INT64_MAX}, 16); /* any stride is valid for an axis of length 1 */
  t->byte_offset = 20;
  for (int i = 0; i < 8; i++) same[i] = 5;
  check_import(&p, same, 8, "stride 0");
  t->ndim = 0;
  check_import(&p, same, 1, "no axes");
  t->shape = t->strides = NULL;
  check_import(&p, same, 1, "no axes, no shape");
  t->ndim = 2;
  t->shape = p.shape;
  p.shape[1] = 0;
  t->data = NULL;
  check_import(&p, same, 0, "no elements, no buffer");
  p.tensor.version.minor = 9; /* minor versions only add members */
  check_import(&p, same, 0, "a later minor version");
  end_producer(&p);
}
END_TEST

START_TEST(the_deleter_is_called_once_by_the_last_view)
{
  producer p;
  weft_array *x = NULL, *row = NULL, *more = NULL;
  int32_t got[N];
  for (int versioned = 0; versioned < 2; versioned++) {
    produce(&p);
    if (versioned)
      ok(weft_from_dlpack(&x, ctx, &p.tensor));
    else
      ok(weft_from_dlpack_unversioned(&x, ctx, &p.unversioned));
    ck_assert_ptr_eq(weft_array_cl_mem(x, NULL), p.buffer);
    ok(weft_pick(&row, x, 0, 3));
    more = weft_array_retain(row);
    weft_array_release(&x);
    ok(weft_fill(row, 9));
    weft_array_release(&row);
    ck_assert_int_eq(p.deleted, 0);
    weft_array_release(&more);
    ck_assert_int_eq(p.deleted, 1);
    /* in place: the producer sees the write without waiting itself */
    ck_assert_int_eq(
        clEnqueueReadBuffer(weft_context_cl_queue(ctx), p.buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
        CL_SUCCESS);
    for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], i < 18 ? i : 9);
    end_producer(&p);
  }
  produce(&p);
  p.tensor.deleter = NULL; /* allowed: there is nothing to notify */
  ok(weft_from_dlpack(&x, ctx, &p.tensor));
  weft_array_release(&x);
  ck_assert_uint_eq(storages(), 0);
  end_producer(&p);
}
END_TEST

START_TEST(memory_goes_back_when_the_work_on_it_is_done)
{
  producer p;
  weft_array *x = NULL;
  weft_stream *stream = NULL;
  weft_kernel *spin = make_spin();
  ok(weft_stream_create(&stream, ctx));
  for (int i = 0; i < 2; i++) {
    produce(&p);
    ok(weft_from_dlpack(&x, ctx, &p.tensor));
    ok(weft_launch_on(spin, i ? stream : NULL, WEFT_DIM3(1), WEFT_DIM3(1), x, 20000000u));
    cl_command_queue queue = i ? weft_stream_cl_queue(stream) : weft_context_cl_queue(ctx);
    ck_assert_int_eq(clEnqueueMarkerWithWaitList(queue, 0, NULL, &p.done), CL_SUCCESS);
    weft_array_release(&x); /* the deleter checks the event */
    ck_assert_int_eq(p.deleted, 1);
    clReleaseEvent(p.done);
    end_producer(&p);
    harness_count(1);
  }
  weft_stream_release(&stream);
  weft_kernel_release(&spin);
}
END_TEST

START_TEST(a_closed_context_gives_back_what_it_borrowed)
{
  producer p, empty;
  weft_array *x = NULL, *y = NULL, *own = NULL, *again = NULL;
  harness_context_open();
  cl_context context = weft_context_cl_context(ctx);
  ck_assert_int_eq(clRetainContext(context), CL_SUCCESS);
  produce(&p);
  produce(&empty);
  empty.shape[0] = 0;
  ok(weft_from_dlpack(&x, ctx, &p.tensor));
  ok(weft_from_dlpack(&y, ctx, &empty.tensor));
  ok(weft_ones(&own, ctx, WEFT_F32, WEFT_SHAPE(N))); /* one of Weft's own arrays as producer and consumer */
  ok(weft_from_dlpack(&again, ctx, export_of(own)));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", "test_dlpack_import.c:");
  ck_assert_int_eq(p.deleted, 1);
  ck_assert_int_eq(empty.deleted, 1);
  expect_error(weft_fill(x, 1), WEFT_ERROR_CLOSED, "weft_fill");
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&own);
  weft_array_release(&again);
  ck_assert_int_eq(p.deleted, 1);
  ck_assert_int_eq(empty.deleted, 1);
  end_producer(&p);
  end_producer(&empty);
  clReleaseContext(context);
}
END_TEST

START_TEST(between_two_contexts_of_one_cl_context)
{
  weft_context *other = NULL;
  weft_array *x = NULL, *y = NULL;
  int32_t got[N];
  ok(weft_context_adopt(&other, weft_context_cl_context(ctx), weft_context_cl_queue(ctx)));
  ok(weft_arange(&x, ctx, WEFT_I32, 0, N, 1));
  ok(weft_from_dlpack(&y, other, export_of(x)));
  ck_assert_ptr_eq(weft_array_context(y), other);
  weft_array_release(&x);
  ok(weft_to_host(got, sizeof got, y));
  ck_assert_int_eq(got[N - 1], N - 1);
  weft_array_release(&y);
  ok(weft_context_close(&other));
  ck_assert_uint_eq(storages(), 0);
}
END_TEST

START_TEST(what_may_not_be_written_is_not)
{
  enum { FLAG, MEMORY, ADOPTED, OVERLAP, SAME, WAYS };
  static const char *const why[] = {"flag", "CL_MEM_READ_ONLY", "CL_MEM_READ_ONLY", "over each other",
                                    "over each other"};
  weft_kernel *writes = NULL, *reads = NULL;
  weft_array *other = NULL, *back = NULL;
  int32_t host[N] = {0};
  ok(weft_zeros(&other, ctx, WEFT_I32, WEFT_SHAPE(4, 6)));
  ok(weft_kernel_create(&writes, ctx, .source = "kernel void writes(global int *y) { y[0] = 1; }\n"));
  ok(weft_kernel_create(&reads, ctx,
                        .source = "kernel void reads(global int *y, global const int *x) { y[0] = x[1]; }\n"));
  for (int way = 0; way < WAYS; way++) {
    producer p;
    weft_array *x = NULL, *view = NULL, *copy = NULL;
    DLManagedTensorVersioned *tensor = NULL;
    char *text = NULL;
    produce_with(&p, way == MEMORY || way == ADOPTED ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE);
    if (way == FLAG) p.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    if (way == OVERLAP) p.strides[0] = 5; /* rows overlap */
    if (way == SAME) p.strides[0] = 1;
    if (way == ADOPTED)
      ok(weft_array_adopt(&x, ctx, p.buffer, 0, WEFT_I32, WEFT_SHAPE(4, 6)));
    else
      ok(weft_from_dlpack(&x, ctx, &p.tensor));
    ck_assert(weft_array_is_read_only(x));
    ok(weft_slice(&view, x, 0, 1, 3));
    ck_assert(weft_array_is_read_only(view));
    expect_error(weft_fill(x, 1), WEFT_ERROR_READ_ONLY, "weft_fill", "@x", "read-only", why[way], "weft_copy");
    expect_error(weft_fill(view, 1), WEFT_ERROR_READ_ONLY, "weft_fill", "read-only", why[way]);
    expect_error(weft_copy(&x, other), WEFT_ERROR_READ_ONLY, "weft_copy", "@out", why[way]);
    expect_error(weft_add(&x, other, 1), WEFT_ERROR_READ_ONLY, "weft_add", "read-only", why[way]);
    expect_error(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(4, 6), host), WEFT_ERROR_READ_ONLY, "weft_from_host",
                 "@out", why[way]);
    if (weft_array_is_contiguous(x)) {
      expect_error(weft_launch(writes, WEFT_DIM3(1), WEFT_DIM3(1), x), WEFT_ERROR_READ_ONLY, "weft_launch", "`y`",
                   "read-only", why[way]);
      ok(weft_launch(reads, WEFT_DIM3(1), WEFT_DIM3(1), other, x));
      ok(weft_to_host(host, sizeof host, other));
      ck_assert_int_eq(host[0], 1);
    }
    ok(weft_copy(&copy, x)); /* the remedy that the message names */
    ok(weft_fill(copy, 1));
    ok(weft_array_interface(&text, x));
    ck_assert_msg(strstr(text, ", True),") != NULL, "%s", text);
    weft_free(text);
    tensor = export_of(x);
    ck_assert_uint_eq(tensor->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    tensor->deleter(tensor);
    weft_array_release(&copy);
    weft_array_release(&view);
    weft_array_release(&x);
    ck_assert_int_eq(p.deleted, way != ADOPTED);
    ok(weft_context_wait(ctx));
    end_producer(&p);
    harness_count(1);
  }
  ck_assert(!weft_array_is_read_only(other));
  ok(weft_from_dlpack(&back, ctx, export_of(other)));
  ok(weft_fill(back, 2));
  weft_array_release(&back);
  weft_array_release(&other);
  weft_kernel_release(&writes);
  weft_kernel_release(&reads);
}
END_TEST

/* A part of read-only memory is passed to a kernel as a sub-buffer, which must not request more access than its parent
   has. */
START_TEST(a_view_of_read_only_memory_as_an_argument)
{
  cl_int code = 0;
  weft_device_info info;
  weft_kernel *reads = NULL;
  weft_array *x = NULL, *view = NULL, *y = NULL;
  int32_t got = 0, seven = 7;
  ok(weft_context_get_device(&info, ctx));
  size_t align = (size_t)info.address_align_bytes;
  cl_mem buffer = clCreateBuffer(weft_context_cl_context(ctx), CL_MEM_READ_ONLY, align * 2, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueWriteBuffer(weft_context_cl_queue(ctx), buffer, CL_TRUE, align, 4, &seven, 0, NULL, NULL),
                   CL_SUCCESS);
  ok(weft_array_adopt(&x, ctx, buffer, 0, WEFT_I32, WEFT_SHAPE(align * 2 / 4)));
  ok(weft_slice(&view, x, 0, (int64_t)align / 4, WEFT_END));
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_kernel_create(&reads, ctx,
                        .source = "kernel void reads(global int *y, global const int *x) { y[0] = x[0]; }\n"));
  ok(weft_launch(reads, WEFT_DIM3(1), WEFT_DIM3(1), y, view));
  ok(weft_to_host(&got, sizeof got, y));
  ck_assert_int_eq(got, 7);
  weft_array_release(&y);
  weft_array_release(&view);
  weft_array_release(&x);
  weft_kernel_release(&reads);
  clReleaseMemObject(buffer);
}
END_TEST

/* An error names the tensor's bad field; the tensor stays the caller's. */
#define REFUSED(status, ...)                                                                         \
  do {                                                                                               \
    expect_error(weft_from_dlpack(&x, ctx, &p.tensor), (status), "weft_from_dlpack: ", __VA_ARGS__); \
    ck_assert_ptr_null(x);                                                                           \
    ck_assert_int_eq(p.deleted, 0);                                                                  \
    p.tensor = good;                                                                                 \
    memcpy(p.shape, (int64_t[]){4, 6}, 16);                                                          \
    memcpy(p.strides, (int64_t[]){6, 1}, 16);                                                        \
    harness_count(1);                                                                                \
  } while (0)

START_TEST(tensors_that_cannot_be_imported)
{
  producer p;
  cl_int code = 0;
  weft_array *x = NULL;
  cl_device_id its_device = weft_context_cl_device(ctx);
  cl_context second = clCreateContext(NULL, 1, &its_device, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_mem stranger = make_buffer(second, CL_MEM_READ_WRITE);
  produce(&p);
  DLTensor *t = &p.tensor.dl_tensor;
  DLManagedTensorVersioned good = p.tensor;

  p.tensor.version = (DLPackVersion){2, 1};
  REFUSED(WEFT_ERROR_VERSION, "@tensor", "version", "2.1", "1.x");
  p.tensor.version = (DLPackVersion){0, 8};
  REFUSED(WEFT_ERROR_VERSION, "version", "0.8");
  t->device.device_type = kDLCPU;
  REFUSED(WEFT_ERROR_UNSUPPORTED, "@tensor", "device.device_type", "is 1, the host's memory", "4");
  t->device.device_type = kDLCUDA;
  struct CUstream_st *stream;
  t->device.device_id = 77;
  if (weft_context_cuda_stream(&stream, ctx) == WEFT_OK)
    REFUSED(WEFT_ERROR_CONTEXT, "device.device_id", "CUDA's number");
  else
    REFUSED(WEFT_ERROR_UNSUPPORTED, "device.device_type", "is 2, CUDA");
  t->device.device_type = -1;
  REFUSED(WEFT_ERROR_UNSUPPORTED, "device.device_type", "-1");
  t->dtype.lanes = 4;
  REFUSED(WEFT_ERROR_UNSUPPORTED, "@tensor", "dtype.lanes", "4");
  t->dtype.lanes = 0;
  REFUSED(WEFT_ERROR_UNSUPPORTED, "dtype.lanes", "0");
  t->dtype.code = kDLBfloat, t->dtype.bits = 32;
  REFUSED(WEFT_ERROR_DTYPE, "@tensor", "dtype", "bfloat", "32");
  t->dtype.code = kDLOpaqueHandle, t->dtype.bits = 64;
  REFUSED(WEFT_ERROR_DTYPE, "dtype", "opaque handle");
  t->dtype.code = 200;
  REFUSED(WEFT_ERROR_DTYPE, "dtype", "200");
  t->dtype.bits = 4;
  REFUSED(WEFT_ERROR_DTYPE, "dtype", "int", "4 bits");
  t->dtype.code = kDLFloat, t->dtype.bits = 8;
  REFUSED(WEFT_ERROR_DTYPE, "dtype", "float", "8 bits");
  t->dtype.code = kDLComplex;
  REFUSED(WEFT_ERROR_DTYPE, "dtype", "complex", "32 bits");
  t->ndim = 9;
  REFUSED(WEFT_ERROR_SHAPE, "@tensor", "dl_tensor.ndim", "9", "0 to 8");
  t->ndim = -1;
  REFUSED(WEFT_ERROR_SHAPE, "dl_tensor.ndim", "-1");
  t->shape = NULL;
  REFUSED(WEFT_ERROR_ARGUMENT, "@tensor", "dl_tensor.shape", "NULL");
  p.shape[1] = -6;
  REFUSED(WEFT_ERROR_SHAPE, "dl_tensor.shape", "-6", "axis 1");
  p.shape[0] = INT64_MAX;
  REFUSED(WEFT_ERROR_OVERFLOW, "2^63-1");
  t->data = NULL;
  REFUSED(WEFT_ERROR_ARGUMENT, "@tensor", "dl_tensor.data", "NULL");
  t->data = stranger;
  REFUSED(WEFT_ERROR_CONTEXT, "dl_tensor.data", "another cl_context", "weft_context_adopt");
  p.shape[0] = 5;
  REFUSED(WEFT_ERROR_SHAPE, "@tensor", "shape", "from byte 0 to 120", "96");
  t->byte_offset = 4;
  REFUSED(WEFT_ERROR_SHAPE, "byte_offset (4)", "from byte 4 to 100", "96");
  t->byte_offset = UINT64_MAX - 3;
  REFUSED(WEFT_ERROR_SHAPE, "byte_offset (18446744073709551612)");
  t->byte_offset = 2;
  REFUSED(WEFT_ERROR_LAYOUT, "@tensor", "dl_tensor.byte_offset", "is 2", "4");
  p.strides[0] = -6;
  REFUSED(WEFT_ERROR_SHAPE, "strides", "from byte -72 to 24");
  p.strides[1] = 2;
  REFUSED(WEFT_ERROR_SHAPE, "strides", "from byte 0 to 116");
  p.strides[0] = INT64_MAX;
  REFUSED(WEFT_ERROR_OVERFLOW, "dl_tensor.strides[0]", "9223372036854775807");
  p.strides[0] = INT64_MIN;
  REFUSED(WEFT_ERROR_OVERFLOW, "dl_tensor.strides[0]", "-9223372036854775808");
  /* the sum exceeds 63 bits, and must not wrap around */
  p.strides[0] = INT64_MAX / 4, p.strides[1] = INT64_MAX / 4;
  REFUSED(WEFT_ERROR_SHAPE, "strides", "96");
  p.strides[0] = INT64_MAX / 4, p.strides[1] = INT64_MIN / 4;
  REFUSED(WEFT_ERROR_SHAPE, "strides", "96");
  if (!device.has_fp64) {
    t->dtype = (DLDataType){kDLFloat, 64, 1};
    p.shape[0] = 1;
    REFUSED(WEFT_ERROR_UNSUPPORTED, "fp64", "dl_tensor.dtype");
  }

  expect_error(weft_from_dlpack(&x, ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_from_dlpack", "@tensor", "NULL");
  expect_error(weft_from_dlpack((weft_array **)NULL, ctx, &p.tensor), WEFT_ERROR_ARGUMENT, "weft_from_dlpack", "@out",
               "NULL");
  expect_error(weft_from_dlpack(&x, harness_garbage(), &p.tensor), WEFT_ERROR_HANDLE, "weft_from_dlpack", "@context");
  expect_error(weft_from_dlpack_unversioned(&x, ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_from_dlpack_unversioned",
               "@tensor", "NULL");
  p.unversioned.dl_tensor.ndim = 9;
  expect_error(weft_from_dlpack_unversioned(&x, ctx, &p.unversioned), WEFT_ERROR_SHAPE, "weft_from_dlpack_unversioned",
               "ndim");
  ck_assert_ptr_null(x);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(4, 6)));
  expect_error(weft_from_dlpack(&x, ctx, &p.tensor), WEFT_ERROR_ARGUMENT, "weft_from_dlpack", "@out", "not NULL");
  weft_array_release(&x);
  ck_assert_int_eq(p.deleted, 0);
  ck_assert_uint_eq(storages(), 0);
  end_producer(&p);
  clReleaseMemObject(stranger);
  clReleaseContext(second);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "import");
  tcase_add_test(tc, strides_of_every_kind);
  tcase_add_test(tc, the_deleter_is_called_once_by_the_last_view);
  tcase_add_test(tc, memory_goes_back_when_the_work_on_it_is_done);
  tcase_add_test(tc, between_two_contexts_of_one_cl_context);
  tcase_add_test(tc, tensors_that_cannot_be_imported);
  tc = harness_context_case(suite, "read only");
  tcase_add_test(tc, what_may_not_be_written_is_not);
  tcase_add_test(tc, a_view_of_read_only_memory_as_an_argument);
  tc = harness_case(suite, "close");
  tcase_add_test(tc, a_closed_context_gives_back_what_it_borrowed);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "dlpack_import", .add = add});
}
