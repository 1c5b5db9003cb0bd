// SPDX-License-Identifier: MIT
// Steps of the host in recordings: products by CBLAS, factorizations by LAPACK, transforms by FFTW, where these are;
// replays against the calls that they replace, bit by bit; in files; failures.
#include <stdio.h>
#include <unistd.h>

#include "harness.h"

enum { SIDE = 150, RESULTS = 42 };

static char path[64];
static weft_csr *band; /* made outside of recordings: it waits for the number of its elements */

static void begin(void) {
  harness_context_open();
  snprintf(path, sizeof path, "/tmp/weft-record-host-%ld", (long)getpid());
  weft_array *x = NULL;
  ok(weft_tri(&x, ctx, WEFT_F32, SIDE));
  ok(weft_csr_from_dense(&band, ctx, x));
  weft_array_release(&x);
}

static void end(void) {
  unlink(path);
  weft_csr_release(&band);
  harness_context_close();
}

static weft_array *matrix(uint64_t salt) {
  static float data[SIDE * SIDE];
  weft_array *x = NULL;
  harness_random random = harness_random_start(salt);
  for (int i = 0; i < SIDE * SIDE; i++)
    data[i] = (float)harness_between(&random, -1000, 1000) / 1000 + (i % (SIDE + 1) == 0 ? 20 : 0);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(SIDE, SIDE), data));
  return x;
}

/// Calls that libraries on the host may compute, on CPU devices and others.
static int call_all(weft_array **y, weft_array *a, weft_array *b) {
  weft_array *turned = NULL, *part = NULL, *stack = NULL, *square = NULL, *large = NULL, *mask = NULL, *order = NULL;
  weft_array *flat = NULL, *sorted = NULL;
  int n = 0;
  ok(weft_matmul(&y[n++], a, b));
  ok(weft_transpose(&turned, a, WEFT_AXES(1, 0)));
  ok(weft_matmul(&y[n++], turned, b, .scale = WEFT_SCALAR(0.5f)));
  ok(weft_matmul(&square, turned, a));
  ok(weft_slice(&part, b, 1, 3, 4));
  ok(weft_matmul(&y[n++], a, part));
  ok(weft_reshape(&stack, b, WEFT_SHAPE(15, 10, SIDE)));
  ok(weft_matmul(&y[n++], stack, a));
  ok(weft_matmul(&y[n++], a, b, .epilogue = WEFT_EPILOGUE("maximum(value, 0.1 * value)")));
  ok(weft_solve(&y[n++], a, b));
  ok(weft_inv(&y[n++], a));
  ok(weft_cholesky(&y[n++], square));
  ok(weft_qr(&y[n], &y[n + 1], b));
  n += 2;
  ok(weft_fft(&y[n++], a, -1));
  ok(weft_fft(&y[n++], a, 0));
  ok(weft_rfft(&y[n++], b, -1));
  if (harness_has_dtype(WEFT_F64)) ok(weft_cov(&y[n++], part));
  ok(weft_sort(&y[n++], a, 0));
  ok(weft_argsort(&y[n++], a, -1, .descending = true));
  ok(weft_tile(&large, a, WEFT_SHAPE(15, 1))); /* more than the calling thread reduces at once */
  ok(weft_sum(&y[n++], large, WEFT_ALL_AXES));
  ok(weft_std(&y[n++], large, 1));
  ok(weft_argmax(&y[n++], large, WEFT_ALL_AXES));
  ok(weft_histogram(&y[n++], large, 50, .range = WEFT_RANGE(-1, 1)));
  ok(weft_greater(&mask, a, b));
  ok(weft_partition(&y[n], mask, b, .count = &y[n + 1]));
  n += 2;
  ok(weft_roll(&y[n++], turned, 5, 1));
  ok(weft_pad(&y[n++], b, WEFT_SHAPE(3), WEFT_SHAPE(200, 0), .mode = WEFT_PAD_REFLECT));
  ok(weft_triu(&y[n++], a, .k = 2));
  ok(weft_concatenate(&y[n++], ((weft_array *[]){a, b, large, a}), 4, 0));
  ok(weft_stack(&y[n++], ((weft_array *[]){a, b}), 2, 2));
  ok(weft_packbits(&y[n++], mask, 1));
  ok(weft_softmax(&y[n++], a, 1));
  ok(weft_logsumexp(&y[n++], b, 1));
  ok(weft_label(&y[n++], mask));
  ok(weft_distance_transform(&y[n++], mask));
  ok(weft_uniform_filter(&y[n++], a, WEFT_SHAPE(3, 4), WEFT_ALL_AXES));
  ok(weft_median_filter(&y[n++], b, WEFT_SHAPE(3), WEFT_ALL_AXES));
  ok(weft_argsort(&order, b, 0));
  ok(weft_take_along_axis(&y[n++], a, order, 0));
  ok(weft_copy(&y[n], a));
  ok(weft_scatter_add(y[n++], order, b, 0, .deterministic = true));
  ok(weft_csr_matmul(&y[n++], band, b));
  ok(weft_repeat(&y[n++], part, 3, 0));
  ok(weft_ravel(&flat, b));
  ok(weft_sort(&sorted, flat, 0));
  ok(weft_searchsorted(&y[n++], sorted, a));
  ok(weft_isin(&y[n++], a, b));
  ok(weft_merge(&y[n++], sorted, sorted));
  ok(weft_is_sorted(&y[n++], sorted));
  weft_array_release(&order);
  weft_release(&turned, &part, &stack, &square, &large, &mask, &flat, &sorted);
  return n;
}

static void expect_same(weft_array *const *got, weft_array *const *expected, int count, const char *when) {
  for (int k = 0; k < count; k++) {
    const size_t bytes = (size_t)weft_array_size_bytes(expected[k]);
    char *x = malloc(bytes), *y = malloc(bytes);
    ck_assert_int_eq(weft_array_size_bytes(got[k]), (int64_t)bytes);
    ok(weft_to_host(x, bytes, got[k]));
    ok(weft_to_host(y, bytes, expected[k]));
    ck_assert_msg(memcmp(x, y, bytes) == 0, "%s: result %d has other bytes than the call's", when, k);
    free(x);
    free(y);
    harness_count(1);
  }
}

static void release_all(weft_array **x, int count) {
  for (int k = 0; k < count; k++) weft_array_release(&x[k]);
}

START_TEST(replays_have_the_calls_bits)
{
  weft_array *a = matrix(1), *b = matrix(2), *c = matrix(3), *y[RESULTS] = {NULL}, *direct[RESULTS] = {NULL};
  weft_recording *recording = NULL;
  ok(weft_record_begin(ctx));
  const int count = call_all(y, a, b);
  ok(weft_record_end(&recording));
  call_all(direct, a, b);
  expect_same(y, direct, count, "recorded");
  for (int k = 0; k < count; k++) ok(weft_fill(y[k], 7));
  ok(weft_replay(recording));
  expect_same(y, direct, count, "replayed");
  release_all(direct, count);
  call_all(direct, c, b);
  ok(weft_replay(recording, WEFT_BIND(a, c)));
  expect_same(y, direct, count, "of another operand");
  ok(weft_profile_start(ctx)); /* each command apart */
  ok(weft_replay(recording, WEFT_BIND(a, c)));
  ok(weft_profile_stop(ctx));
  expect_same(y, direct, count, "profiled");
  release_all(direct, count);
  release_all(y, count);
  weft_release(&recording, &a, &b, &c);
}
END_TEST

START_TEST(a_file_has_them)
{
  weft_array *a = matrix(4), *b = matrix(5), *y[RESULTS] = {NULL}, *direct[RESULTS] = {NULL}, *loaded[RESULTS] = {NULL};
  weft_recording *recording = NULL;
  ok(weft_record_begin(ctx));
  const int count = call_all(y, a, b);
  ok(weft_record_end(&recording));
  for (int k = 0; k < count; k++) {
    char name[16];
    snprintf(name, sizeof name, "y%d", k);
    ok(weft_recording_name(recording, y[k], name));
  }
  ok(weft_recording_name(recording, a, "a"));
  ok(weft_recording_save(recording, path));
  weft_array *c = matrix(6), *of = NULL;
  call_all(direct, c, b);
  weft_release(&recording, &a);
  release_all(y, count);
  ok(weft_recording_load(&recording, ctx, path));
  for (int k = 0; k < count; k++) {
    char name[16];
    snprintf(name, sizeof name, "y%d", k);
    ok(weft_recording_array(&loaded[k], recording, name));
  }
  ok(weft_recording_array(&of, recording, "a"));
  ok(weft_replay(recording, WEFT_BIND(of, c)));
  expect_same(loaded, direct, count, "loaded");
  release_all(loaded, count);
  release_all(direct, count);
  weft_release(&recording, &of, &b, &c);
}
END_TEST

/// A matrix that is singular in a replay alone: the replay says so, as the call did not need to.
START_TEST(a_replay_reports_what_failed)
{
  weft_array *a = matrix(7), *b = matrix(8), *singular = NULL, *x = NULL, *l = NULL, *info = NULL;
  weft_recording *recording = NULL;
  int32_t place = 0;
  ok(weft_zeros(&singular, ctx, WEFT_F32, WEFT_SHAPE(SIDE, SIDE)));
  ok(weft_record_begin(ctx));
  ok(weft_solve(&x, a, b));
  ok(weft_record_end(&recording));
  ok(weft_replay(recording));
  expect_error(weft_replay(recording, WEFT_BIND(a, singular)), WEFT_ERROR_SINGULAR, "weft_replay", "weft_solve",
               "singular");
  ok(weft_replay(recording));
  weft_release(&recording);
  /* whoever takes .info looks at it */
  ok(weft_record_begin(ctx));
  ok(weft_cholesky(&l, singular, .info = &info));
  ok(weft_record_end(&recording));
  ok(weft_fill(info, 0));
  ok(weft_replay(recording));
  ok(weft_to_host(&place, sizeof place, info));
  ck_assert_int_eq(place, 1);
  weft_release(&recording, &a, &b, &singular, &x, &l, &info);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "record host");
  tcase_add_checked_fixture(tc, begin, end);
  tcase_set_timeout(tc, 200);
  tcase_add_test(tc, replays_have_the_calls_bits);
  tcase_add_test(tc, a_file_has_them);
  tcase_add_test(tc, a_replay_reports_what_failed);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record_host", .add = add});
}
