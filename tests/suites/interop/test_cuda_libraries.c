// SPDX-License-Identifier: MIT
/// cuBLAS, cuSOLVER, cuFFT and cuSPARSE on Weft's arrays, in contexts made with .cuda: when they are used, their order
/// with Weft's work, and what happens if one of their calls fails. On an NVIDIA GPU with the libraries themselves,
/// elsewhere with the stand-ins of tests/cuda. The suites of linear algebra run with them too (tests/meson.build).
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "cuda_peer.h"
#include "harness.h"

enum { N = 40, LARGE = 2050 };

/* Whether there are libraries here; WEFT_ENGINE asks for them alone, which takes them for every size. */
static bool begin(const char *engines) {
  weft_engine_info info;
  int count, found = 0;
  if (engines)
    setenv("WEFT_ENGINE", engines, 1);
  else
    unsetenv("WEFT_ENGINE");
  ok(weft_engine_count(&count));
  for (int k = 0; k < count; k++) {
    ok(weft_engine_get(&info, k));
    found += info.is_found && (strcmp(info.name, "cublas") == 0 || strcmp(info.name, "cusolver") == 0 ||
                               strcmp(info.name, "cusparse") == 0);
  }
  if (found < 3) printf("NVIDIA's libraries are not here\n");
  return found == 3;
}

/* An n by n matrix with 2 n on the diagonal, whose other elements are below 1, and which is symmetric. */
static weft_status make_matrix(weft_array **out, weft_context *context, int64_t n) {
  weft_array *flat = NULL, *matrix = NULL, *upper = NULL;
  weft_status rc;
#define TRY(call) \
  if ((rc = (call)) != WEFT_OK) goto done
  TRY(weft_arange(&flat, context, WEFT_F64, 0, n * n, 1));
  TRY(weft_reshape(&matrix, flat, WEFT_SHAPE(n, n)));
  TRY(weft_transpose(&upper, matrix, WEFT_ALL_AXES));
  TRY(weft_eval(out, context, "sin(a) * 0.4 + sin(b) * 0.4 + where(a == b, 2 * n, 0)", WEFT_NAMED("a", matrix),
                WEFT_NAMED("b", upper), WEFT_NAMED("n", (double)n)));
done:
  weft_release(&flat, &matrix, &upper);
  return rc;
}

/* ---- when they are used ---- */

/* How many calls of this name ran on a file whose name or path contains `library`. */
static int profiled(const char *name, const char *library) {
  weft_profile_row *rows = NULL;
  uint64_t count, calls = 0;
  ok(weft_profile_stop(ctx));
  ok(weft_profile_get(&rows, &count, NULL, ctx));
  for (uint64_t k = 0; k < count; k++)
    if (strcmp(rows[k].name, name) == 0 && strstr(rows[k].kernel, library))
      calls += rows[k].calls;
  weft_free(rows);
  return (int)calls;
}

static const struct {
  const char *engines;
  bool shared;
  int64_t side;
  int count; /* of cuSOLVER's calls */
} choices[] = {
    {NULL, true, LARGE, 1},         {NULL, true, N, 0},       {NULL, false, LARGE, 0}, {"own", true, LARGE, 0},
    {"own,cublas", true, LARGE, 0}, {"cusolver", true, N, 1},
};

START_TEST(large_matrices_are_theirs)
{
  weft_array *x = NULL, *l = NULL, *product = NULL, *turned = NULL, *largest = NULL;
  double difference;
  if (!begin(choices[_i].engines)) return;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = choices[_i].shared));
  ok(make_matrix(&x, ctx, choices[_i].side));
  ok(weft_profile_start(ctx));
  ok(weft_cholesky(&l, x));
  ck_assert_int_eq(profiled("cholesky", "libcusolver"), choices[_i].count);
  ok(weft_transpose(&turned, l, WEFT_ALL_AXES));
  ok(weft_matmul(&product, l, turned));
  ok(weft_reduce(&largest, ctx, "fabs(p - x)", WEFT_ALL_AXES, WEFT_NAMED("p", product), WEFT_VAR(x),
                 WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  ok(weft_to_host(&difference, sizeof difference, largest));
  ck_assert_msg(difference < 1e-10, "%g", difference);
  weft_release(&x, &l, &product, &turned, &largest);
  ok(weft_context_close(&ctx));
}
END_TEST

/* A matrix of ones whose rows have the first `length` columns. */
static weft_status make_rows(weft_csr **out, weft_context *context, weft_dtype dtype, int64_t rows, int64_t length) {
  weft_array *indptr = NULL, *count = NULL, *indices = NULL, *data = NULL;
  weft_status rc;
  TRY(weft_arange(&indptr, context, WEFT_I32, 0, (rows + 1) * length, length));
  TRY(weft_arange(&count, context, WEFT_I32, 0, rows * length, 1));
  TRY(weft_remainder(&indices, count, length));
  TRY(weft_ones(&data, context, dtype, WEFT_SHAPE(rows * length)));
  TRY(weft_csr_create(out, context, indptr, indices, data, WEFT_SHAPE(rows, length)));
done:
  weft_release(&indptr, &count, &indices, &data);
  return rc;
}

static const struct {
  const char *engines;
  weft_dtype dtype;
  int64_t rows, length;
  bool shared, is_theirs;
} sparse_choices[] = {
    {NULL, WEFT_F32, 1 << 14, 1024, true, true},     {"own", WEFT_F32, 1 << 14, 1024, true, false},
    {NULL, WEFT_F32, 1 << 14, 1024, false, false},   {NULL, WEFT_F64, 1 << 14, 1024, true, false},
    {NULL, WEFT_F64, 1 << 14, 2048, true, true},     {NULL, WEFT_F32, 1 << 16, 256, true, false},
    {NULL, WEFT_F32, 30, 700, true, false},          {"own,cublas", WEFT_F32, 30, 700, true, false},
    {"cublas", WEFT_C128, 30, 20, true, false},      {"cusparse", WEFT_C128, 30, 20, true, true},
    {"cusparse", WEFT_F64, 30, 20, true, true},      {"cusparse", WEFT_F64, 30, 20, false, false},
    {"cusparse,own", WEFT_F64, 30, 20, true, false}, {"cusparse", WEFT_I32, 30, 20, true, false},
};

START_TEST(products_of_long_rows_are_theirs)
{
  weft_csr *a = NULL;
  weft_array *x = NULL, *y = NULL, *wrong = NULL, *sum = NULL;
  int64_t count;
  if (!begin(sparse_choices[_i].engines)) return;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = sparse_choices[_i].shared));
  ok(make_rows(&a, ctx, sparse_choices[_i].dtype, sparse_choices[_i].rows, sparse_choices[_i].length));
  ok(weft_ones(&x, ctx, sparse_choices[_i].dtype, WEFT_SHAPE(sparse_choices[_i].length)));
  ok(weft_profile_start(ctx));
  ok(weft_csr_matmul(&y, a, x));
  ck_assert_int_eq(profiled("csr matmul", "libcusparse"), sparse_choices[_i].is_theirs);
  ok(weft_not_equal(&wrong, y, (double)sparse_choices[_i].length));
  ok(weft_count_nonzero(&sum, wrong, WEFT_ALL_AXES));
  ok(weft_to_host(&count, sizeof count, sum));
  ck_assert_int_eq(count, 0);
  weft_release(&a, &x, &y, &wrong, &sum);
  ok(weft_context_close(&ctx));
}
END_TEST

/* How many of cuSPARSE's steps this product takes. */
static int steps(weft_array **y, const weft_csr *a, const weft_array *x, double scale, double accumulate) {
  const weft_csr_matmul_params params = {.scale = WEFT_SCALAR(scale), .accumulate = WEFT_SCALAR(accumulate)};
  ok(weft_profile_clear(ctx));
  ok(weft_profile_start(ctx));
  ok((weft_csr_matmul)(y, a, x, &params));
  return profiled("csr matmul", "libcusparse");
}

/* steps() of a new result, of a vector or matrix of ones. */
static int steps_of(const weft_csr *a, weft_dtype dtype, weft_shape shape) {
  weft_array *x = NULL, *y = NULL;
  ok(weft_ones(&x, ctx, dtype, shape));
  const int count = steps(&y, a, x, 1, 0);
  weft_release(&x, &y);
  return count;
}

/* What cuSPARSE does not take: columns, another dtype, a vector that is not at a multiple of 16 bytes, steps in the
   result; and 0 times NaN, which it would not compute. */
START_TEST(other_products_are_own)
{
  weft_csr *a = NULL;
  weft_array *base = NULL, *x = NULL, *y = NULL, *behind = NULL, *stepped = NULL, *apart = NULL, *nan = NULL;
  float got[30];
  if (!begin("cusparse")) return;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true));
  ok(make_rows(&a, ctx, WEFT_F32, 30, 20));
  ck_assert_int_eq(steps_of(a, WEFT_F32, WEFT_SHAPE(20)), 1);
  ck_assert_int_eq(steps_of(a, WEFT_F32, WEFT_SHAPE(20, 1)), 1);
  ck_assert_int_eq(steps_of(a, WEFT_F32, WEFT_SHAPE(20, 2)), 0);
  ck_assert_int_eq(steps_of(a, WEFT_F64, WEFT_SHAPE(20)), 0);
  ok(weft_full(&base, ctx, WEFT_F32, WEFT_SHAPE(60), 1));
  ok(weft_slice(&x, base, 0, 0, 20));
  ok(weft_slice(&behind, base, 0, 1, 21));
  ok(weft_slice(&stepped, base, 0, 0, WEFT_END, .step = 2));
  ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(30), 20));
  ck_assert_int_eq(steps(&y, a, x, 2, 3), 1);
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 30; i++) ck_assert_float_eq(got[i], 100);
  ck_assert_int_eq(steps(&y, a, behind, 1, 0), 0);
  ok(weft_full(&apart, ctx, WEFT_F32, WEFT_SHAPE(20), 1));
  ck_assert_int_eq(steps(&stepped, a, apart, 1, 0), 0);
  ck_assert_int_eq(steps(&stepped, a, x, 1, 0), 1); /* by a temporary: the result overlaps x */
  ok(weft_to_host(got, sizeof got, stepped));
  for (int i = 0; i < 30; i++) ck_assert_float_eq(got[i], 20 * 10 + 10);
  weft_array_release(&y);
  ok(weft_full(&nan, ctx, WEFT_F32, WEFT_SHAPE(20), NAN));
  ck_assert_int_eq(steps(&y, a, nan, 0, 0), 0);
  ok(weft_to_host(got, sizeof got, y));
  ck_assert(isnan(got[0]) && isnan(got[29]));
  weft_release(&a, &base, &x, &y, &behind, &stepped, &apart, &nan);
  ok(weft_context_close(&ctx));
}
END_TEST

/* ---- order ---- */

/* Solves with a matrix that changes before and after, without a wait. */
static void solve_in_turns(weft_context *context) {
  weft_array *x = NULL, *b = NULL, *y[8] = {NULL};
  ok(make_matrix(&x, context, N));
  ok(weft_ones(&b, context, WEFT_F64, WEFT_SHAPE(N, 3)));
  for (int k = 0; k < 8; k++) {
    ok(weft_solve(&y[k], x, b)); /* 1 / 2^k of the first solution */
    ok(weft_multiply(&x, x, 2));
  }
  for (int k = 1; k < 8; k++) {
    double first[N * 3], got[N * 3];
    ok(weft_to_host(first, sizeof first, y[0]));
    ok(weft_to_host(got, sizeof got, y[k]));
    for (int i = 0; i < N * 3; i++)
      ck_assert_msg(fabs(got[i] * (1 << k) - first[i]) < 1e-12, "solution %d, element %d: %g and %g", k, i, got[i],
                    first[i]);
  }
  for (int k = 0; k < 8; k++) weft_array_release(&y[k]);
  weft_release(&x, &b);
}

/* Products of a matrix and a vector that both change before and after, without a wait. */
static void multiply_in_turns(weft_context *context) {
  weft_csr *a = NULL;
  weft_array *data = NULL, *x = NULL, *y[8] = {NULL};
  double got[N];
  ok(make_rows(&a, context, WEFT_F64, N, N));
  ok(weft_csr_parts(NULL, NULL, &data, a));
  ok(weft_ones(&x, context, WEFT_F64, WEFT_SHAPE(N)));
  for (int k = 0; k < 8; k++) {
    ok(weft_csr_matmul(&y[k], a, x));
    ok(weft_multiply(&data, data, 2));
    ok(weft_multiply(&x, x, 2));
    ok(weft_add(&y[k], y[k], 1));
  }
  for (int k = 0; k < 8; k++) {
    ok(weft_to_host(got, sizeof got, y[k]));
    for (int i = 0; i < N; i++)
      ck_assert_msg(got[i] == N * (1 << 2 * k) + 1, "product %d, element %d: %g", k, i, got[i]);
    weft_array_release(&y[k]);
  }
  weft_release(&a, &data, &x);
}

START_TEST(work_before_and_after_is_in_order)
{
  if (!begin("cusolver,cublas,cufft,cusparse")) return;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true));
  for (int round = 0; round < 3; round++) solve_in_turns(ctx), multiply_in_turns(ctx);
  ok(weft_context_close(&ctx));
}
END_TEST

static void *solve_on_a_stream(void *of) {
  weft_stream *stream = NULL;
  (void)of;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  for (int round = 0; round < 3; round++) solve_in_turns(ctx), multiply_in_turns(ctx);
  ok(weft_stream_use(NULL));
  weft_stream_release(&stream);
  return NULL;
}

START_TEST(threads_share_the_handles)
{
  pthread_t thread[4];
  if (!begin("cusolver,cublas,cufft,cusparse")) return;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true));
  for (int t = 0; t < 4; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, solve_on_a_stream, NULL), 0);
  for (int t = 0; t < 4; t++) pthread_join(thread[t], NULL);
  ok(weft_context_close(&ctx));
}
END_TEST

/* ---- each call fails in turn ---- */

/* Most of what the libraries do. A result that is not an error is right. */
static weft_status program(void) {
  weft_array *x = NULL, *low = NULL, *y = NULL, *q = NULL, *r = NULL, *w = NULL, *u = NULL, *s = NULL, *vh = NULL,
             *z = NULL, *product = NULL, *back = NULL, *sums = NULL;
  weft_csr *sparse = NULL;
  weft_context *context = NULL;
  weft_status rc;
  double values[N], singular[N], identity[N * N * 2], sum[N];
  TRY(weft_context_create(&context, .device = device.selector, .cuda = true));
  TRY(make_matrix(&x, context, N));
  TRY(weft_cholesky(&y, x));
  weft_array_release(&y);
  TRY(weft_solve(&y, x, x)); /* the identity */
  TRY(weft_qr(&q, &r, x));
  TRY(weft_eigh(&w, NULL, x));
  TRY(weft_ones(&low, context, WEFT_F64, WEFT_SHAPE(N, N))); /* of rank 1, which takes both algorithms */
  TRY(weft_svd(&u, &s, &vh, low));
  TRY(weft_cast(&z, y, WEFT_C128));
  TRY(weft_matmul(&product, z, z));
  TRY(weft_fft(&back, product, -1));
  TRY(weft_ifft(&back, back, -1));
  TRY(weft_csr_from_dense(&sparse, context, x));
  TRY(weft_csr_matmul(&sums, sparse, w));
  TRY(weft_matmul(&sums, x, w, .scale = WEFT_SCALAR(-1), .accumulate = WEFT_SCALAR(1)));
  TRY(weft_to_host(sum, sizeof sum, sums));
  TRY(weft_to_host(identity, sizeof identity, back));
  TRY(weft_to_host(values, sizeof values, w));
  TRY(weft_to_host(singular, sizeof singular, s));
  ck_assert_msg(values[0] > N && values[N - 1] < 4 * N, "eigenvalues from %g to %g", values[0], values[N - 1]);
  ck_assert_msg(fabs(singular[0] - N) < 1e-10 && singular[1] < 1e-10, "singular values %g, %g", singular[0],
                singular[1]);
  for (int i = 0; i < N; i++) ck_assert_msg(fabs(sum[i]) < 1e-9, "both products differ: element %d by %g", i, sum[i]);
  for (int i = 0; i < N * N; i++)
    ck_assert_msg(fabs(identity[2 * i] - (i % (N + 1) == 0)) < 1e-10, "element %d: %g", i, identity[2 * i]);
done:;
  weft_release(&x, &low, &y, &q, &r, &w, &u, &s, &vh, &z, &product, &back, &sums, &sparse);
  const weft_status closed = weft_context_close(&context);
  return rc ? rc : closed;
}

static void check_message(const char *call, weft_status rc) {
  if (strncmp(call, "cu", 2) == 0 && rc) ck_assert_msg(weft_error_last()->message[0], "no message");
}

enum { PARTS = 16 }; /* of the calls: a run takes a sample of them */
START_TEST(every_call_may_fail)
{
  if (!cuda_peer_load(&cuda) || !cuda.strike || !begin("cusolver,cublas,cufft,cusparse")) return;
  const long calls = cuda_fail_in_turn(program, _i, PARTS, 7, check_message);
  ck_assert_int_ge(calls, 100);
}
END_TEST

static void add(Suite *s) {
  TCase *c = harness_case(s, "cuda_libraries");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, large_matrices_are_theirs, 0, sizeof choices / sizeof *choices);
  tcase_add_loop_test(c, products_of_long_rows_are_theirs, 0, sizeof sparse_choices / sizeof *sparse_choices);
  tcase_add_test(c, other_products_are_own);
  tcase_add_test(c, work_before_and_after_is_in_order);
  tcase_add_test(c, threads_share_the_handles);
  tcase_add_loop_test(c, every_call_may_fail, 0, PARTS);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_libraries", .add = add});
}
