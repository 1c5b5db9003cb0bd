// SPDX-License-Identifier: MIT
/// CLBlast, independent of Weft, on Weft's buffers and queue, and Weft on CLBlast's results and buffers: one context,
/// no copies.
#ifndef HAVE_CLBLAST

#include <stdio.h>

int main(void) {
  puts("clblast: SKIP: CLBlast was not there when this was built (Debian: libclblast-dev)");
  return 77;
}

#else

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: OpenCL 1.2 is the floor */
#include <clblast_c.h>

#include "views.h"

enum { M = 40, N = 24, K = 56 };

#define blast(call)                                                 \
  do {                                                              \
    CLBlastStatusCode blast_rc_ = (call);                           \
    ck_assert_msg(blast_rc_ == 0, "%s: %d", #call, (int)blast_rc_); \
  } while (0)

/* CLBlast counts offsets in elements. */
static cl_mem lend(const weft_array *x, size_t *offset) {
  cl_mem buffer = weft_array_cl_mem(x, offset);
  ck_assert_ptr_nonnull(buffer);
  *offset /= weft_dtype_size_bytes(weft_array_dtype(x));
  return buffer;
}

/* Integers small enough that their sums are exact in f32. */
static float element(int row, int column) {
  return (float)((row * 7 + column * 3) % 11 - 5);
}

static void fill_matrix(float *to, int rows, int columns) {
  for (int i = 0; i < rows * columns; i++) to[i] = element(i / columns, i % columns);
}

static void multiply(float *c, const float *a, const float *b) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int k = 0; k < K; k++) sum += a[i * K + k] * b[k * N + j];
      c[i * N + j] = sum;
    }
}

static void check_floats(const weft_array *x, const float *expected, int count, const char *what) {
  check_elements(x, expected, count, what);
  harness_count(1);
}

START_TEST(saxpy_on_our_arrays)
{
  enum { SIZE = 1000, FROM = 100, COUNT = 300 };
  static float expected[SIZE];
  size_t x_at = 0, y_at = 0;
  weft_array *x = NULL, *y = NULL, *part = NULL, *odd = NULL;
  cl_command_queue queue = weft_context_cl_queue(ctx);
  ok(weft_arange(&x, ctx, WEFT_F32, 0, SIZE, 1));
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(SIZE)));
  ok(weft_slice(&part, y, 0, FROM, FROM + COUNT));
  cl_mem x_buffer = lend(x, &x_at), y_buffer = lend(part, &y_at);
  ck_assert_uint_eq(y_at, FROM);
  blast(CLBlastSaxpy(COUNT, 2.0f, x_buffer, x_at, 1, y_buffer, y_at, 1, &queue, NULL));
  for (int i = 0; i < SIZE; i++) expected[i] = i >= FROM && i < FROM + COUNT ? 1 + 2 * (float)(i - FROM) : 1;
  check_floats(y, expected, SIZE, "y += 2 x, in a part of y");
  ck_assert_ptr_eq(weft_array_cl_mem(y, NULL), y_buffer); /* in place */

  ok(weft_fill(part, 0)); /* Weft, CLBlast, Weft: ordered by the queue, without waits in between */
  ok(weft_slice(&odd, y, 0, 1, WEFT_END, .step = 2));
  y_buffer = lend(odd, &y_at);
  blast(CLBlastSaxpy(SIZE / 2, 3.0f, x_buffer, x_at, 1, y_buffer, y_at, 2, &queue, NULL)); /* a step is an increment */
  for (int i = 0; i < SIZE; i++)
    expected[i] = (i >= FROM && i < FROM + COUNT ? 0 : 1) + (i % 2 ? 3 * (float)(i / 2) : 0);
  check_floats(y, expected, SIZE, "y[1::2] += 3 x");
  weft_array_release(&odd);
  weft_array_release(&part);
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

START_TEST(sgemm_on_our_arrays_and_we_on_its_result)
{
  static float a[M * K], b[K * N], c[M * N], turned[M * N];
  size_t a_at = 0, b_at = 0, c_at = 0;
  weft_array *a_array = NULL, *b_array = NULL, *c_array = NULL, *transposed = NULL, *copy = NULL;
  cl_command_queue queue = weft_context_cl_queue(ctx);
  fill_matrix(a, M, K);
  fill_matrix(b, K, N);
  multiply(c, a, b);
  ok(weft_from_host(&a_array, ctx, WEFT_F32, WEFT_SHAPE(M, K), a));
  ok(weft_from_host(&b_array, ctx, WEFT_F32, WEFT_SHAPE(K, N), b));
  ok(weft_empty(&c_array, ctx, WEFT_F32, WEFT_SHAPE(M, N)));
  cl_mem a_buffer = lend(a_array, &a_at), b_buffer = lend(b_array, &b_at), c_buffer = lend(c_array, &c_at);
  blast(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, M, N, K, 1.0f, a_buffer, a_at, K,
                     b_buffer, b_at, N, 0.0f, c_buffer, c_at, N, &queue, NULL));
  ok(weft_transpose(&transposed, c_array, WEFT_ALL_AXES)); /* Weft reads it on the device */
  ok(weft_copy(&copy, transposed));
  for (int i = 0; i < M * N; i++) turned[i] = c[i % M * N + i / M];
  check_floats(c_array, c, M * N, "a b");
  check_floats(copy, turned, M * N, "(a b)^T");
  ok(weft_add(&c_array, c_array, c_array)); /* also in place */
  ck_assert_ptr_eq(weft_array_cl_mem(c_array, NULL), c_buffer);
  for (int i = 0; i < M * N; i++) c[i] *= 2;
  check_floats(c_array, c, M * N, "a b + a b");
  weft_array_release(&copy);
  weft_array_release(&transposed);
  weft_array_release(&c_array);
  weft_array_release(&b_array);
  weft_array_release(&a_array);
}
END_TEST

START_TEST(we_on_the_buffers_of_a_program_with_clblast)
{
  static float a[M * K], b[K * N], c[M * N], got[M * N];
  cl_int code = 0;
  weft_array *result = NULL, *row = NULL;
  harness_context_open();
  cl_device_id device_id = weft_context_cl_device(ctx);
  harness_context_close();
  cl_context context = clCreateContext(NULL, 1, &device_id, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_command_queue queue = clCreateCommandQueue(context, device_id, 0, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  fill_matrix(a, M, K);
  fill_matrix(b, K, N);
  multiply(c, a, b);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof c, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);

  ok(weft_context_adopt(&ctx, context, queue));
  ok(weft_array_adopt(&result, ctx, c_buffer, 0, WEFT_F32, WEFT_SHAPE(M, N)));
  ck_assert_ptr_eq(weft_array_cl_mem(result, NULL), c_buffer);
  blast(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, M, N, K, 1.0f, a_buffer, 0, K,
                     b_buffer, 0, N, 0.0f, c_buffer, 0, N, &queue, NULL));
  check_floats(result, c, M * N, "their a b");
  ok(weft_pick(&row, result, 0, 3));
  ok(weft_fill(row, -1));
  blast(CLBlastSscal(M * N, 2.0f, c_buffer, 0, 1, &queue, NULL)); /* CLBlast continues with Weft's result */
  ck_assert_int_eq(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
  for (int i = 0; i < M * N; i++) ck_assert_float_eq(got[i], i / N == 3 ? -2 : 2 * c[i]);
  harness_count(1);
  weft_array_release(&row);
  weft_array_release(&result);
  harness_context_close();
  CLBlastClearCache();
  clReleaseMemObject(c_buffer);
  clReleaseMemObject(b_buffer);
  clReleaseMemObject(a_buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}
END_TEST

/* Its cache of programs would hold the context. */
static void clear_cache(void) {
  CLBlastClearCache();
}

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "on ours");
  tcase_add_checked_fixture(tc, NULL, clear_cache);
  tcase_add_test(tc, saxpy_on_our_arrays);
  tcase_add_test(tc, sgemm_on_our_arrays_and_we_on_its_result);
  tc = harness_case(suite, "on theirs");
  tcase_add_test(tc, we_on_the_buffers_of_a_program_with_clblast);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "clblast", .add = add});
}

#endif
