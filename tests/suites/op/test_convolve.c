// SPDX-License-Identifier: MIT
/// weft_convolve and weft_correlate of elements that are not finite: the result does not depend on the way that its
/// length chooses, and long ones neither wait nor are refused in a recording. NumPy judges finite values
/// (tests/judge/primitives/fft.py).
#include <math.h>
#include <stdlib.h>

#include <weft/record.h>

#include "samples.h"

enum { N = 1 << 14, M = 2500, FULL = N + M - 1 }; /* by transforms on every CPU */

static float a[N], v[M], got[2 * FULL];

static void fill(void) {
  for (int i = 0; i < N; i++) a[i] = (float)(i * 7919 % 31) / 16 - 0.9f;
  for (int i = 0; i < M; i++) v[i] = (float)(i * 104729 % 29) / 16 - 0.8f;
}

/// The element at `place` of the full convolution, and the sum of the terms' absolute values.
static double sum_at(double *magnitude, int64_t place) {
  double sum = 0;
  *magnitude = 0;
  for (int64_t j = place < N ? 0 : place - N + 1; j < M && j <= place; j++) {
    sum += (double)a[place - j] * (double)v[j];
    *magnitude += fabs((double)a[place - j] * (double)v[j]);
  }
  return sum;
}

/// got[0] is the element `first` of the full convolution, got[step] the next.
static void check(int64_t first, int64_t results, int step, const char *what) {
  int wrong = 0;
  for (int64_t i = 0; i < results; i++) {
    double magnitude;
    const double expected = sum_at(&magnitude, first + i), is = (double)got[i * step];
    const bool right = isnan(expected)   ? isnan(is)
                       : isinf(expected) ? is == expected
                                         : fabs(is - expected) <= 1e-2 + 1e-5 * magnitude;
    if (!right && ++wrong == 1) ck_abort_msg("%s, %lld: %g, expected %g", what, (long long)i, is, expected);
  }
}

START_TEST(elements_that_are_not_finite)
{
  static const float special[][2] = {{NAN, 1}, {INFINITY, 1}, {-INFINITY, INFINITY}, {1, -INFINITY}, {3e38f, 1}};
  for (int k = 0; k < 5; k++) {
    fill();
    a[5000] = special[k][0];
    a[12000] = special[k][0];
    v[k == 3 ? 7 : M - 1] = special[k][1];
    ok(weft_convolve(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(FULL)), WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N)),
                     WEFT_HOST(v, WEFT_F32, WEFT_SHAPE(M))));
    if (k < 4) check(0, FULL, 1, "full"); /* of huge numbers a transform's sums overflow */
    for (int i = 0; k == 4 && i < 2500; i++) ck_assert(isfinite(got[i]));
    ok(weft_convolve(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(v, WEFT_F32, WEFT_SHAPE(M)),
                     WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N)), .mode = WEFT_CONVOLVE_SAME));
    if (k < 4) check((M - 1) / 2, N, 1, "same");
    ok(weft_convolve(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(N - M + 1)), WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(N)),
                     WEFT_HOST(v, WEFT_F32, WEFT_SHAPE(M)), .mode = WEFT_CONVOLVE_VALID,
                     .method = WEFT_CONVOLVE_DIRECT));
    if (k < 4) check(M - 1, N - M + 1, 1, "valid");
  }
}
END_TEST

/// A correlation of complex numbers, of which one is NaN.
START_TEST(complex_elements)
{
  static float pairs[2 * N], others[2 * M];
  fill();
  a[9000] = NAN;
  for (int i = 0; i < N; i++) pairs[2 * i] = a[i];
  for (int i = 0; i < M; i++) others[2 * (M - 1 - i)] = v[i];
  ok(weft_correlate(WEFT_HOST_OUT(got, WEFT_C64, WEFT_SHAPE(FULL)), WEFT_HOST(pairs, WEFT_C64, WEFT_SHAPE(N)),
                    WEFT_HOST(others, WEFT_C64, WEFT_SHAPE(M)), .mode = WEFT_CONVOLVE_FULL));
  check(0, FULL, 2, "complex");
}
END_TEST

/// With Weft's own transforms; what a library computes on the host is not recorded (WEFT_ENGINE).
START_TEST(recorded)
{
  ck_assert_int_eq(setenv("WEFT_ENGINE", "own", 1), 0);
  harness_context_open();
  weft_array *x = NULL, *changed = NULL, *w = NULL, *y = NULL;
  weft_recording *recording = NULL;
  fill();
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), a));
  ok(weft_from_host(&w, ctx, WEFT_F32, WEFT_SHAPE(M), v));
  ok(weft_record_begin(ctx));
  ok(weft_convolve(&y, x, w));
  ok(weft_record_end(&recording));
  a[1234] = INFINITY;
  a[9999] = NAN;
  ok(weft_from_host(&changed, ctx, WEFT_F32, WEFT_SHAPE(N), a));
  ok(weft_copy(&x, changed));
  ok(weft_replay(recording)); /* other elements are not finite than when it was recorded */
  ok(weft_to_host(got, FULL * sizeof *got, y));
  check(0, FULL, 1, "replayed");
  weft_release(&recording, &x, &changed, &w, &y);
  harness_context_close();
}
END_TEST

START_TEST(methods)
{
  weft_array *y = NULL;
  const int32_t whole[] = {1, 2, 3};
  const float some[] = {1, NAN, 3, 4}, ones[] = {1, 1};
  expect_error(weft_convolve(&y, WEFT_HOST(whole, WEFT_I32, WEFT_SHAPE(3)), WEFT_HOST(whole, WEFT_I32, WEFT_SHAPE(3)),
                             .method = WEFT_CONVOLVE_FFT),
               WEFT_ERROR_ARGUMENT, "integers are added exactly", "@method");
  expect_error(weft_correlate(&y, 1.0f, WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2))), WEFT_ERROR_SHAPE, "one axis");
  expect_error(weft_convolve(&y, WEFT_HOST(some, WEFT_F32, WEFT_SHAPE(4)), WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2)),
                             .method = (weft_convolve_method)3),
               WEFT_ERROR_ARGUMENT, "`method` is 3", "@method");
  expect_error(weft_fftconvolve(&y, WEFT_HOST(some, WEFT_F32, WEFT_SHAPE(4)), WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2)),
                                0, .method = WEFT_CONVOLVE_DIRECT),
               WEFT_ERROR_ARGUMENT, "`method` is 1; expected 0", "@method");
  ok(weft_convolve(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(5)), WEFT_HOST(some, WEFT_F32, WEFT_SHAPE(4)),
                   WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2)), .method = WEFT_CONVOLVE_FFT));
  for (int i = 0; i < 5; i++) ck_assert(isnan(got[i]));
  ok(weft_convolve(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(5)), WEFT_HOST(some, WEFT_F32, WEFT_SHAPE(4)),
                   WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2))));
  ck_assert(got[0] == 1 && isnan(got[1]) && isnan(got[2]) && got[3] == 7 && got[4] == 4);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "convolve");
  tcase_add_test(all, elements_that_are_not_finite);
  tcase_add_test(all, complex_elements);
  tcase_add_test(all, methods);
  tcase_add_test(harness_case(suite, "own engine"), recorded);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "convolve", .add = add});
}
