// SPDX-License-Identifier: MIT
/// cuBLAS and cuSOLVER on Weft's arrays, in contexts made with .cuda: when they are used, their order with Weft's work,
/// and what happens if one of their calls fails. On an NVIDIA GPU with the libraries themselves, elsewhere with the
/// stand-ins of tests/cuda. The suites of linear algebra run with them too (tests/meson.build).
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
    found += info.is_found && (strcmp(info.name, "cublas") == 0 || strcmp(info.name, "cusolver") == 0);
  }
  if (found < 2) printf("NVIDIA's libraries are not here\n");
  return found == 2;
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

START_TEST(work_before_and_after_is_in_order)
{
  if (!begin("cusolver,cublas,cufft")) return;
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = true));
  for (int round = 0; round < 3; round++) solve_in_turns(ctx);
  ok(weft_context_close(&ctx));
}
END_TEST

static void *solve_on_a_stream(void *of) {
  weft_stream *stream = NULL;
  (void)of;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_stream_use(stream));
  for (int round = 0; round < 3; round++) solve_in_turns(ctx);
  ok(weft_stream_use(NULL));
  weft_stream_release(&stream);
  return NULL;
}

START_TEST(threads_share_the_handles)
{
  pthread_t thread[4];
  if (!begin("cusolver,cublas,cufft")) return;
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
             *z = NULL, *product = NULL, *back = NULL;
  weft_context *context = NULL;
  weft_status rc;
  double values[N], singular[N], identity[N * N * 2];
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
  TRY(weft_to_host(identity, sizeof identity, back));
  TRY(weft_to_host(values, sizeof values, w));
  TRY(weft_to_host(singular, sizeof singular, s));
  ck_assert_msg(values[0] > N && values[N - 1] < 4 * N, "eigenvalues from %g to %g", values[0], values[N - 1]);
  ck_assert_msg(fabs(singular[0] - N) < 1e-10 && singular[1] < 1e-10, "singular values %g, %g", singular[0],
                singular[1]);
  for (int i = 0; i < N * N; i++)
    ck_assert_msg(fabs(identity[2 * i] - (i % (N + 1) == 0)) < 1e-10, "element %d: %g", i, identity[2 * i]);
done:;
  weft_release(&x, &low, &y, &q, &r, &w, &u, &s, &vh, &z, &product, &back);
  const weft_status closed = weft_context_close(&context);
  return rc ? rc : closed;
}

static void check_message(const char *call, weft_status rc) {
  if (strncmp(call, "cu", 2) == 0 && rc) ck_assert_msg(weft_error_last()->message[0], "no message");
}

/* Each is one of four parts. */
START_TEST(every_call_may_fail)
{
  if (!cuda_peer_load(&cuda) || !cuda.strike || !begin("cusolver,cublas,cufft")) return;
  const long calls = cuda_fail_in_turn(program, _i, 4, 7, check_message);
  ck_assert_int_ge(calls, 100);
}
END_TEST

static void add(Suite *s) {
  TCase *c = harness_case(s, "cuda_libraries");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, large_matrices_are_theirs, 0, sizeof choices / sizeof *choices);
  tcase_add_test(c, work_before_and_after_is_in_order);
  tcase_add_test(c, threads_share_the_handles);
  tcase_add_loop_test(c, every_call_may_fail, 0, 4);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_libraries", .add = add});
}
