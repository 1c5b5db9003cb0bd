// SPDX-License-Identifier: MIT
/// What the calling thread moves, tests and adds up itself (src/mem/at_once.h), beside what kernels do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "by_thread.h"

/* ---- order of elements ---- */

static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_U8, WEFT_I16, WEFT_I32, WEFT_I64, WEFT_F32, WEFT_F64};

static uint8_t is_sorted_in(weft_context *context, weft_dtype dtype, int n, const void *elements, bool falls) {
  weft_array *x = NULL, *answer = NULL;
  uint8_t got = 7;
  uint64_t before = 0;
  ok(weft_from_host(&x, context, dtype, WEFT_SHAPE(n), elements));
  for (int turn = 0; turn < 3; turn++) {
    before = launches();
    ok(weft_is_sorted(&answer, x, .descending = falls));
    before = launches() - before;
    ok(weft_context_wait(context));
  }
  if (context == ctx && has_twins()) ck_assert_uint_eq(before, 0);
  ok(weft_to_host(&got, sizeof got, answer));
  weft_release(&x, &answer);
  return got;
}

/// Arrays in order, and with another element at one place; NaN is last.
START_TEST(same_order)
{
  static const int sizes[] = {2, 3, 1023, 1026, 3000, 30001};
  static operands from;
  harness_random random = harness_random_start(5);
  weft_context *plain = NULL;
  int in_order = 0, tried = 0;
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  while (tried < 24) {
    const weft_dtype dtype = dtypes[harness_between(&random, 0, sizeof dtypes / sizeof *dtypes - 1)];
    const int n = sizes[harness_between(&random, 0, 5)];
    const bool falls = tried % 2;
    const size_t size = weft_dtype_size_bytes(dtype);
    weft_array *x = NULL, *sorted = NULL;
    if (!harness_has_dtype(dtype)) continue;
    fill(from.a, dtype, n, &random);
    ok(weft_from_host(&x, plain, dtype, WEFT_SHAPE(n), from.a));
    ok(weft_sort(&sorted, x, 0, .descending = falls));
    ok(weft_to_host(from.b, (size_t)n * size, sorted));
    if (tried % 3) memcpy(from.b + (size_t)harness_between(&random, 0, n - 1) * size, from.a, size);
    const uint8_t got = is_sorted_in(ctx, dtype, n, from.b, falls);
    const uint8_t wanted = is_sorted_in(plain, dtype, n, from.b, falls);
    ck_assert_msg(got == wanted, "%d of %s, %s: %d, not %d", n, weft_dtype_name(dtype), falls ? "falling" : "rising",
                  got, wanted);
    in_order += wanted;
    weft_release(&x, &sorted);
    tried++;
  }
  ck_assert(in_order > 0 && in_order < tried);
  harness_count(tried);
  ok(weft_context_close(&plain));
}
END_TEST

/* ---- memory ---- */

/// Filled, uploaded, copied, joined and read back without a launch, at odd places.
START_TEST(memory)
{
  float there[90], back[90], joined[180];
  for (int i = 0; i < 90; i++) there[i] = (float)i;
  for (int turn = 0; turn < 4; turn++) {
    weft_array *x = NULL, *y = NULL, *part = NULL, *to = NULL, *both = NULL, *three = NULL;
    uint64_t before = launches();
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(9, 10), there));
    ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(9, 10), 7.0f));
    ok(weft_view(&part, x, "2:4"));
    ok(weft_view(&to, y, "1:3"));
    ok(weft_copy(&to, part));
    ok(weft_concatenate(&both, ((weft_array *[]){x, y}), 2, 1));
    ok(weft_full(&three, ctx, WEFT_U8, WEFT_SHAPE(3), 5));
    ok(weft_to_host(back, sizeof back, y));
    for (int i = 0; i < 90; i++) ck_assert_float_eq(back[i], i >= 10 && i < 30 ? (float)(i + 10) : 7);
    ok(weft_to_host(joined, sizeof joined, both));
    for (int i = 0; i < 180; i++)
      ck_assert_float_eq(joined[i], i % 20 < 10 ? there[i / 20 * 10 + i % 20] : back[i / 20 * 10 + i % 20 - 10]);
    if (turn == 3 && has_twins()) ck_assert_uint_eq(launches() - before, 0);
    ok(weft_context_wait(ctx));
    weft_release(&x, &y, &part, &to, &both, &three);
  }
  harness_count(1);
}
END_TEST

/// As many bytes as the thread moves without a launch.
START_TEST(much_memory)
{
  enum { N = 30001, COMPLEX = 3001 };
  static float there[N], back[2 * N];
  static weft_c128 pairs[COMPLEX];
  static unsigned char bytes[10 * N];
  const weft_c128 pair = {1, -2};
  for (int i = 0; i < N; i++) there[i] = (float)i;
  for (int turn = 0; turn < 4; turn++) {
    weft_array *x = NULL, *y = NULL, *both = NULL, *z = NULL, *u = NULL, *part = NULL;
    const uint64_t before = launches();
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), there));
    ok(weft_copy(&y, x));
    ok(weft_concatenate(&both, ((weft_array *[]){x, y}), 2, 0));
    if (harness_has_dtype(WEFT_C128)) ok(weft_full(&z, ctx, WEFT_C128, WEFT_SHAPE(COMPLEX), pair));
    ok(weft_full(&u, ctx, WEFT_U8, WEFT_SHAPE(10 * N), 5));
    ok(weft_view(&part, u, "3:-2"));
    ok(weft_fill(part, 7));
    ok(weft_to_host(back, sizeof back, both));
    for (int i = 0; i < 2 * N; i++) ck_assert_float_eq(back[i], (float)(i % N));
    if (z) ok(weft_to_host(pairs, sizeof pairs, z));
    for (int i = 0; i < COMPLEX && z; i++) ck_assert(pairs[i].re == 1 && pairs[i].im == -2);
    ok(weft_to_host(bytes, sizeof bytes, u));
    for (int i = 0; i < 10 * N; i++) ck_assert_int_eq(bytes[i], i < 3 || i >= 10 * N - 2 ? 5 : 7);
    if (turn == 3 && has_twins() && most_bytes() >= 4 * sizeof bytes) ck_assert_uint_eq(launches() - before, 0);
    ok(weft_context_wait(ctx));
    weft_release(&x, &y, &both, &z, &u, &part);
  }
  harness_count(1);
}
END_TEST

enum { ROWS_OF_PARTS = 12 };

/// Ones along the diagonal of a copy of x; the launches are returned.
static uint64_t mark(weft_array **y, const weft_array *x) {
  const uint64_t before = launches();
  ok(weft_copy(y, x));
  ok(weft_fill_diagonal(*y, 1));
  return launches() - before;
}

START_TEST(same_bits_of_diagonals)
{
  static const weft_dtype of[] = {WEFT_U8, WEFT_I16, WEFT_F32, WEFT_F64, WEFT_C128};
  static operands from;
  static char got[BY_THREAD_MOST * 8], wanted[BY_THREAD_MOST * 8];
  harness_random random = harness_random_start(4);
  for (int which = 0; which < 5; which++) {
    const weft_dtype dtype = of[which];
    const int columns = (int)harness_between(&random, 6, 50);
    weft_array *x = NULL, *first = NULL, *y = NULL;
    uint64_t made = 0;
    if (!harness_has_dtype(dtype)) continue;
    fill(from.a, WEFT_U64, ROWS_OF_PARTS * columns * 2, &random);
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(ROWS_OF_PARTS, columns), from.a));
    ok(weft_profile_start(ctx)); /* launched */
    made = mark(&first, x);
    ok(weft_profile_stop(ctx));
    ck_assert_uint_gt(made, 0);
    for (int turn = 0; turn < 12 && (turn < 4 || made > 0); turn++) { /* each may have other memory of the pool */
      weft_array_release(&y);
      made = mark(&y, x);
      ok(weft_context_wait(ctx));
    }
    if (has_twins()) ck_assert_uint_eq(made, 0);
    const size_t bytes = (size_t)weft_array_size_bytes(first);
    ok(weft_to_host(got, bytes, y));
    ok(weft_to_host(wanted, bytes, first));
    check_same(got, wanted, WEFT_U8, (int64_t)bytes, weft_dtype_name(dtype));
    weft_release(&x, &first, &y);
  }
}
END_TEST

/// Running sums of integers, beside the kernels' sums.
START_TEST(running_sums)
{
  static const weft_dtype of[] = {WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64, WEFT_I16};
  static const int sizes[] = {1, 3, 4, 1023, 30001};
  static operands from;
  static char got[8 * 30001], wanted[8 * 30001];
  harness_random random = harness_random_start(7);
  weft_context *plain = NULL;
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  for (int k = 0; k < 10; k++) {
    const weft_dtype dtype = of[k % 5];
    const int n = sizes[harness_between(&random, 0, 4)];
    weft_array *x = NULL, *x_plain = NULL, *y = NULL, *y_plain = NULL;
    uint64_t before = 0;
    fill(from.a, dtype, n, &random);
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(n), from.a));
    ok(weft_from_host(&x_plain, plain, dtype, WEFT_SHAPE(n), from.a));
    for (int turn = 0; turn < 4; turn++) {
      before = launches();
      ok(weft_cumsum(&y, x, 0));
      before = launches() - before;
      ok(weft_context_wait(ctx));
    }
    if (has_twins() && dtype != WEFT_I16) ck_assert_uint_eq(before, 0);
    ok(weft_cumsum(&y_plain, x_plain, 0));
    ok(weft_to_host(got, (size_t)n * 8, y));
    ok(weft_to_host(wanted, (size_t)n * 8, y_plain));
    check_same(got, wanted, WEFT_I64, n, weft_dtype_name(dtype));
    weft_release(&x, &x_plain, &y, &y_plain);
    harness_count(1);
  }
  ok(weft_context_close(&plain));
}
END_TEST

/// Elements for a sum: of magnitudes so different that rounding errors count; small integers, which are often as large
/// as the sum; zeros of both signs; or with an infinity or a NaN.
static void fill_terms(void *elements, weft_dtype dtype, int n, int kind, harness_random *random) {
  for (int i = 0; i < n; i++) {
    double wide = ldexp((double)harness_between(random, -1000000, 1000000), (int)harness_between(random, -40, 40));
    if (kind == 1) wide = (double)harness_between(random, -2, 2);
    if (kind == 2) wide = harness_between(random, 0, 7) ? -0.0 : 0.0;
    if (kind == 3 && i == n / 2) wide = harness_between(random, 0, 1) ? (double)NAN : (double)-INFINITY;
    const float narrow = (float)wide;
    if (dtype == WEFT_F32) memcpy((char *)elements + 4 * (size_t)i, &narrow, sizeof narrow);
    if (dtype == WEFT_F64) memcpy((char *)elements + 8 * (size_t)i, &wide, sizeof wide);
  }
}

/// Sums of floats from the second element on, whose accumulators are all or partly in use.
START_TEST(same_bits_of_sums)
{
  static const int lengths[] = {31, 32, 33, 39, 40, 63, 64, 65, 71, 95, 97, 127, 128, 200, 4099};
  static operands from;
  harness_random random = harness_random_start(8);
  weft_context *plain = NULL;
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  for (int k = 0; k < 180; k++) {
    const weft_dtype dtype = k % 2 ? WEFT_F64 : WEFT_F32;
    const int n = lengths[k / 2 % 15], what = k / 30 % 3, kind = (int)harness_between(&random, 0, 3);
    weft_array *sum[2] = {NULL};
    char got[8], wanted[8], text[100];
    if (!harness_has_dtype(dtype)) continue;
    fill_terms(from.a, dtype, n + 1, kind, &random);
    fill_terms(from.b, dtype, n + 1, kind == 2 ? 1 : kind, &random);
    uint64_t before = 0;
    for (int c = 1; c >= 0; c--) {
      weft_array *all_x = NULL, *all_y = NULL, *x = NULL, *y = NULL;
      ok(weft_from_host(&all_x, c ? plain : ctx, dtype, WEFT_SHAPE(n + 1), from.a));
      ok(weft_from_host(&all_y, c ? plain : ctx, dtype, WEFT_SHAPE(n + 1), from.b));
      ok(weft_slice(&x, all_x, 0, 1, WEFT_END));
      ok(weft_slice(&y, all_y, 0, 1, WEFT_END));
      for (int turn = 0; turn < (c ? 1 : 3); turn++) {
        before = launches();
        if (what == 0) ok(weft_sum(&sum[c], x, WEFT_ALL_AXES));
        if (what == 1) ok(weft_norm(&sum[c], x, WEFT_ALL_AXES));
        if (what == 2) ok(weft_dot(&sum[c], x, y));
        ok(weft_context_wait(c ? plain : ctx));
      }
      weft_release(&all_x, &all_y, &x, &y);
    }
    ok(weft_to_host(got, weft_dtype_size_bytes(dtype), sum[0]));
    ok(weft_to_host(wanted, weft_dtype_size_bytes(dtype), sum[1]));
    snprintf(text, sizeof text, "sum %d of %d %s, kind %d", what, n, weft_dtype_name(dtype), kind);
    check_same(got, wanted, dtype, 1, text);
    if (has_twins()) ck_assert_uint_eq(launches(), before);
    weft_release(&sum[0], &sum[1]);
  }
  ok(weft_context_close(&plain));
}
END_TEST

/// Arrays without elements have no memory to find.
START_TEST(empty)
{
  weft_array *x = NULL, *y = NULL, *both = NULL, *sum = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(0)));
  ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(3), 2.0f));
  for (int turn = 0; turn < 5; turn++) {
    float got[3] = {1, 1, 1};
    ok(weft_add(&x, x, x));
    ok(weft_dot(&sum, x, x));
    ok(weft_to_host(got, sizeof got[0], sum));
    ck_assert_float_eq(got[0], 0);
    ok(weft_sum(&sum, x, 0));
    ok(weft_to_host(got, sizeof got[0], sum));
    ck_assert_float_eq(got[0], 0);
    ok(weft_concatenate(&both, ((weft_array *[]){x, y, x}), 3, 0));
    ok(weft_to_host(got, sizeof got, both));
    ck_assert_float_eq(got[2], 2);
  }
  weft_release(&x, &y, &both, &sum);
  harness_count(1);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "moves");
  tcase_add_test(c, same_order);
  tcase_add_test(c, memory);
  tcase_add_test(c, much_memory);
  tcase_add_test(c, same_bits_of_diagonals);
  tcase_add_test(c, running_sums);
  tcase_add_test(c, same_bits_of_sums);
  tcase_add_test(c, empty);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "twin_moves", .add = add});
}
