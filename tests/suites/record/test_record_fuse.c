// SPDX-License-Identifier: MIT
// Chains of elementwise calls in recordings: which calls become one kernel, what it writes, and what it computes.
// test_record_chains.c has random chains.
#include <stdio.h>

#include "harness.h"

enum { ROWS = 12, COLUMNS = 50, ELEMENTS = ROWS * COLUMNS };

static void same(weft_array *got, weft_array *expected, const char *what) {
  static char a[ELEMENTS * 16], b[ELEMENTS * 16];
  const size_t size = (size_t)weft_array_size_bytes(expected);
  ok(weft_to_host(a, size, got));
  ok(weft_to_host(b, size, expected));
  ck_assert_msg(memcmp(a, b, size) == 0, "%s: the replay has other bytes than the calls", what);
}

/* ---- which calls become one ---- */

typedef struct sample {
  weft_array *x, *y, *z, *t;
  weft_recording *recording;
} sample;

static void begin(sample *s) {
  *s = (sample){NULL};
  ok(weft_arange(&s->x, ctx, WEFT_F32, 0, ELEMENTS, 1));
  ok(weft_record_begin(ctx));
}

static void end(sample *s, int before, int after) {
  weft_recording_info info;
  ok(weft_record_end(&s->recording));
  ok(weft_recording_get(&info, s->recording));
  ck_assert_int_eq((int)info.recorded_launches, before);
  ck_assert_int_eq((int)info.launches, after);
}

static void check(weft_array *y, float (*expected)(float)) {
  float data[ELEMENTS];
  ok(weft_to_host(data, sizeof data, y));
  for (int k = 0; k < ELEMENTS; k++)
    ck_assert_msg(data[k] == expected((float)k), "element %d: %g, expected %g", k, data[k], expected((float)k));
}

static void release(sample *s) {
  weft_release(&s->recording, &s->x, &s->y, &s->z, &s->t);
}

static float twice_more(float x) {
  return 2 * (x + 1);
}

static float one_more(float x) {
  return x + 1;
}

START_TEST(only_what_can_be_seen_is_written)
{
  sample s;
  weft_recording_info info;
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.t, 2.0f));
  weft_array_release(&s.t);
  end(&s, 2, 1);
  ok(weft_recording_get(&info, s.recording));
  if (!getenv("WEFT_CHECKS")) ck_assert_uint_eq(info.made_bytes, ELEMENTS * sizeof(float));
  ck_assert_uint_eq(info.buffers, 2);
  ok(weft_fill(s.y, 0));
  ok(weft_replay(s.recording));
  check(s.y, twice_more);
  release(&s);
  /* the user has the intermediate */
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.t, 2.0f));
  end(&s, 2, 1);
  ok(weft_fill(s.y, 0));
  ok(weft_fill(s.t, 0));
  ok(weft_replay(s.recording));
  check(s.y, twice_more);
  check(s.t, one_more);
  ok(weft_zeros(&s.z, ctx, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_fill(s.t, 0));
  ok(weft_replay(s.recording, WEFT_BIND(s.t, s.z)));
  check(s.z, one_more);
  release(&s);
  /* a view of it is enough */
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.t, 2.0f));
  ok(weft_view(&s.z, s.t, ":"));
  weft_array_release(&s.t);
  end(&s, 2, 1);
  ok(weft_fill(s.z, 0));
  ok(weft_replay(s.recording));
  check(s.z, one_more);
  release(&s);
  /* nobody has the result */
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  weft_array_release(&s.t);
  end(&s, 1, 0);
  ok(weft_replay(s.recording, WEFT_BIND(s.x, s.x)));
  release(&s);
}
END_TEST

/// 0 where the host rolls arrays.
static int launches_of_roll(void) {
  weft_memory_stats before, after;
  weft_array *x = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, ELEMENTS, 1));
  ok(weft_memory_get(&before, ctx));
  ok(weft_roll(&y, x, 1, 0));
  ok(weft_memory_get(&after, ctx));
  weft_release(&x, &y);
  return (int)(after.launches - before.launches);
}

START_TEST(a_later_command_reads_the_intermediate)
{
  const int rolls = launches_of_roll();
  sample s;
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.t, 2.0f));
  ok(weft_roll(&s.z, s.t, 1, 0));
  weft_array_release(&s.t);
  end(&s, 2 + rolls, 1 + rolls);
  ok(weft_fill(s.z, 0));
  ok(weft_replay(s.recording));
  float data[ELEMENTS];
  ok(weft_to_host(data, sizeof data, s.z));
  for (int k = 0; k < ELEMENTS; k++) ck_assert(data[k] == (float)((k + ELEMENTS - 1) % ELEMENTS + 1));
  check(s.y, twice_more);
  release(&s);
}
END_TEST

static float three_times_three_more(float x) {
  return 3 * (x + 3);
}

START_TEST(calls_in_place)
{
  sample s;
  begin(&s);
  for (int k = 0; k < 3; k++) ok(weft_add(&s.x, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.x, 3.0f));
  ok(weft_negative(&s.x, s.x));
  end(&s, 5, 1);
  ok(weft_arange(&s.x, ctx, WEFT_F32, 0, ELEMENTS, 1));
  ok(weft_replay(s.recording));
  check(s.y, three_times_three_more);
  ok(weft_negative(&s.x, s.x));
  ok(weft_subtract(&s.x, s.x, 2.0f));
  check(s.x, one_more);
  release(&s);
}
END_TEST

/// y of calls that read what earlier ones wrote at other elements.
static void fill_by_steps(weft_array **y, weft_array *x) {
  weft_array *low = NULL, *high = NULL, *square = NULL;
  ok(weft_view(&low, *y, ":-1"));
  ok(weft_view(&high, *y, "1:"));
  ok(weft_add(y, x, 1.0f));
  ok(weft_multiply(&high, low, 2.0f)); /* through a temporary */
  ok(weft_add(y, *y, x));
  weft_release(&low, &high);
  ok(weft_reshape(&square, *y, WEFT_SHAPE(ROWS, COLUMNS)));
  ok(weft_view(&high, square, "5:6")); /* of another shape */
  ok(weft_multiply(&square, square, high));
  weft_release(&high, &square);
  ok(weft_view(&low, *y, "3:4")); /* one element for all */
  ok(weft_multiply(y, *y, low));
  weft_release(&low);
}

START_TEST(shared_memory_keeps_calls_apart)
{
  sample s;
  weft_recording_info info;
  begin(&s);
  weft_record_cancel();
  ok(weft_zeros(&s.y, ctx, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_zeros(&s.z, ctx, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_record_begin(ctx));
  fill_by_steps(&s.y, s.x);
  ok(weft_record_end(&s.recording));
  ok(weft_recording_get(&info, s.recording));
  ck_assert_uint_gt(info.launches, 4);
  fill_by_steps(&s.z, s.x);
  ok(weft_fill(s.y, 0));
  ok(weft_replay(s.recording));
  same(s.y, s.z, "overlapping views");
  release(&s);
}
END_TEST

START_TEST(one_buffer_under_two_names)
{
  sample s;
  float data[ELEMENTS];
  begin(&s);
  weft_record_cancel();
  size_t offset;
  struct _cl_mem *mem = weft_array_cl_mem(s.x, &offset);
  ck_assert_uint_eq(offset, 0);
  ok(weft_array_adopt(&s.t, ctx, mem, 0, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_array_adopt(&s.z, ctx, mem, 0, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_record_begin(ctx));
  ok(weft_add(&s.t, s.t, 1.0f));
  ok(weft_multiply(&s.y, s.z, 2.0f));
  end(&s, 2, 2);
  ok(weft_replay(s.recording));
  ok(weft_to_host(data, sizeof data, s.y));
  for (int k = 0; k < ELEMENTS; k++) ck_assert(data[k] == 2 * (float)(k + 2));
  weft_recording_release(&s.recording);
  /* and of Weft's own array of the buffer */
  ok(weft_record_begin(ctx));
  ok(weft_add(&s.x, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.z, 2.0f));
  end(&s, 2, 2);
  ok(weft_replay(s.recording));
  ok(weft_to_host(data, sizeof data, s.y));
  for (int k = 0; k < ELEMENTS; k++) ck_assert(data[k] == 2 * (float)(k + 4));
  weft_recording_release(&s.recording);
  /* of two calls that share nothing until they are bound */
  weft_array *u = NULL;
  ok(weft_zeros(&u, ctx, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_record_begin(ctx));
  ok(weft_add(&s.y, s.y, 1.0f));
  ok(weft_multiply(&u, u, 2.0f));
  end(&s, 2, 1);
  expect_error(weft_replay(s.recording, WEFT_BIND(s.y, s.t), WEFT_BIND(u, s.z)), WEFT_ERROR_ARGUMENT,
               "another array too");
  expect_error(weft_replay(s.recording, WEFT_BIND(s.y, s.x), WEFT_BIND(u, s.z)), WEFT_ERROR_ARGUMENT,
               "another array too");
  weft_array_release(&u);
  release(&s);
}
END_TEST

static float with_constants(float x) {
  return (x + 1) * 3 + 1;
}

START_TEST(other_commands_stand_between)
{
  sample s;
  float three[ELEMENTS];
  weft_array *sum = NULL, *sum_of_t = NULL;
  for (int k = 0; k < ELEMENTS; k++) three[k] = 3;
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_sum(&sum, s.x, WEFT_ALL_AXES));                                         /* reads what the chain reads */
  ok(weft_multiply(&s.y, s.t, WEFT_HOST(three, WEFT_F32, WEFT_SHAPE(ELEMENTS)))); /* a constant is written */
  weft_array_release(&s.t);
  ok(weft_add(&s.y, s.y, 1.0f));
  end(&s, 4, 2);
  memset(three, 0, sizeof three);
  ok(weft_fill(s.y, 0));
  ok(weft_replay(s.recording));
  check(s.y, with_constants);
  weft_release(&sum);
  release(&s);
  /* a sum of the chain's own values, and a fill of what it reads */
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_sum(&sum_of_t, s.t, WEFT_ALL_AXES));
  ok(weft_fill(s.x, 7));
  ok(weft_multiply(&s.y, s.t, 2.0f));
  weft_array_release(&s.t);
  end(&s, 4, 4);
  ok(weft_arange(&s.x, ctx, WEFT_F32, 0, ELEMENTS, 1));
  ok(weft_replay(s.recording));
  check(s.y, twice_more);
  float total = 0;
  ok(weft_to_host(&total, sizeof total, sum_of_t));
  ck_assert(total == ELEMENTS * (ELEMENTS + 1) / 2);
  weft_release(&sum_of_t);
  release(&s);
}
END_TEST

static float branches(float x) {
  return (x + 1) * (2 * x);
}

START_TEST(branches_that_meet_are_one)
{
  sample s;
  weft_array *u = NULL;
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_multiply(&u, s.x, 2.0f));
  ok(weft_multiply(&s.y, s.t, u));
  ok(weft_add(&s.z, s.x, 1.0f)); /* shares nothing that is written */
  weft_release(&s.t, &u);
  end(&s, 4, 1); /* which fits into the first chain's kernel */
  ok(weft_fill(s.y, 0));
  ok(weft_fill(s.z, 0));
  ok(weft_replay(s.recording));
  check(s.y, branches);
  check(s.z, one_more);
  release(&s);
}
END_TEST

enum { MANY = 48, SHARE = 16 }; /* calls, and how many share a kernel */

static void make_many(weft_array **x, weft_shape shape) {
  for (int k = 0; k < MANY; k++) {
    ok(weft_arange(&x[k], ctx, WEFT_F32, 0, shape.dim[0], 1));
    if (shape.ndim > 1) weft_array_release(&x[k]);
    if (shape.ndim > 1) ok(weft_ones(&x[k], ctx, WEFT_F32, shape));
  }
}

static void release_many(weft_array **x) {
  for (int k = 0; k < MANY; k++) weft_array_release(&x[k]);
}

/// Ends a recording of calls that made y[], replays it on other numbers, and checks y[].
static void check_many(sample *s, weft_array **y, weft_array **x, int before, int after, float (*expected)(float)) {
  end(s, before, after);
  for (int k = 0; k < MANY; k++) ok(weft_fill(y[k], 0));
  for (int k = 0; k < MANY; k++) ok(weft_arange(&x[k], ctx, WEFT_F32, 0, ELEMENTS, 1));
  ok(weft_replay(s->recording));
  for (int k = 0; k < MANY; k++) check(y[k], expected);
}

START_TEST(small_unrelated_calls_share_kernels)
{
  sample s;
  weft_array *x[MANY] = {NULL}, *y[MANY] = {NULL}, *t[MANY] = {NULL};
  make_many(x, WEFT_SHAPE(ELEMENTS));
  begin(&s);
  for (int k = 0; k < MANY; k++) ok(weft_add(&y[k], x[k], 1.0f));
  check_many(&s, y, x, MANY, MANY / SHARE, one_more);
  release(&s);
  begin(&s); /* two kinds: each with its like, and the rest together */
  for (int k = 0; k < 24; k++) ok(weft_add(&t[k], x[k], 1.0f));
  for (int k = 0; k < 24; k++) ok(weft_multiply(&y[k], x[k], 2.0f));
  end(&s, 48, 3);
  for (int k = 0; k < 24; k++) ok(weft_fill(t[k], 0));
  ok(weft_replay(s.recording));
  for (int k = 0; k < 24; k++) check(t[k], one_more);
  release(&s);
  release_many(t);
  release_many(y);
  begin(&s); /* chains of two calls, of which each gives its t's memory to the next: such a chain has 16 arrays */
  for (int k = 0; k < MANY; k++) {
    ok(weft_add(&s.t, x[k], 1.0f));
    ok(weft_add(&y[k], s.t, s.t));
    weft_array_release(&s.t);
  }
  check_many(&s, y, x, 2 * MANY, getenv("WEFT_CHECKS") ? MANY / SHARE : MANY / 8, twice_more); /* no pool with checks */
  release(&s);
  release_many(y);
  begin(&s); /* side by side: 96 launches, which do not wait at once */
  for (int k = 0; k < MANY; k++) ok(weft_add(&t[k], x[k], 1.0f));
  for (int k = 0; k < MANY; k++) ok(weft_add(&y[k], t[k], t[k]));
  release_many(t);
  check_many(&s, y, x, 2 * MANY, MANY / SHARE, twice_more);
  release(&s);
  release_many(x);
  release_many(y);
}
END_TEST

START_TEST(shared_kernels_take_other_arrays)
{
  sample s;
  weft_array *x[MANY] = {NULL}, *y[MANY] = {NULL}, *in = NULL, *out = NULL;
  make_many(x, WEFT_SHAPE(ELEMENTS));
  begin(&s);
  for (int k = 0; k < MANY; k++) ok(weft_add(&y[k], x[k], 1.0f));
  end(&s, MANY, MANY / SHARE);
  ok(weft_multiply(&in, x[3], 1.0f));
  ok(weft_zeros(&out, ctx, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  for (int k = 0; k < MANY; k++) ok(weft_fill(y[k], 0));
  ok(weft_fill(x[3], -1));
  ok(weft_replay(s.recording, WEFT_BIND(x[3], in), WEFT_BIND(y[4], out)));
  for (int k = 0; k < MANY; k++) check(k == 4 ? out : y[k], one_more);
  float data[ELEMENTS];
  ok(weft_to_host(data, sizeof data, y[4]));
  ck_assert(data[5] == 0);
  /* what other calls write, or read */
  expect_error(weft_replay(s.recording, WEFT_BIND(x[3], y[7])), WEFT_ERROR_ARGUMENT, "another array too");
  expect_error(weft_replay(s.recording, WEFT_BIND(x[3], out), WEFT_BIND(y[5], out)), WEFT_ERROR_ARGUMENT,
               "another array too");
  weft_release(&in, &out);
  release(&s);
  begin(&s); /* memory that no launch uses, but a copy */
  ok(weft_add(&s.y, s.x, 1.0f));
  ok(weft_copy(&s.z, x[0]));
  ok(weft_record_end(&s.recording));
  expect_error(weft_replay(s.recording, WEFT_BIND(s.x, s.z)), WEFT_ERROR_ARGUMENT, "another array too");
  release(&s);
  release_many(x);
  release_many(y);
}
END_TEST

START_TEST(large_and_unlike_calls_stay)
{
  sample s;
  weft_array *x[MANY] = {NULL}, *y[MANY] = {NULL}, *large = NULL, *column = NULL;
  make_many(x, WEFT_SHAPE(ROWS, COLUMNS));
  ok(weft_zeros(&large, ctx, WEFT_F32, WEFT_SHAPE(1 << 20)));
  ok(weft_ones(&column, ctx, WEFT_F32, WEFT_SHAPE(ROWS, 1)));
  begin(&s);
  for (int k = 0; k < 2; k++) ok(weft_add(&y[k], large, (float)k));
  end(&s, 2, 2);
  release(&s);
  release_many(y);
  begin(&s); /* of other shapes */
  ok(weft_add(&s.y, s.x, 1.0f));
  ok(weft_add(&s.z, x[0], 1.0f));
  end(&s, 2, 2);
  release(&s);
  begin(&s); /* rows of one value with each other, not with plain arrays */
  for (int k = 0; k < 3; k++) ok(weft_add(&y[k], x[k], column));
  for (int k = 3; k < 6; k++) ok(weft_add(&y[k], x[k], x[0]));
  end(&s, 6, 2);
  for (int k = 0; k < 6; k++) ok(weft_fill(y[k], 0));
  ok(weft_replay(s.recording));
  for (int k = 0; k < 6; k++) {
    float data[ELEMENTS];
    ok(weft_to_host(data, sizeof data, y[k]));
    for (int e = 0; e < ELEMENTS; e++) ck_assert(data[e] == 2);
  }
  weft_release(&large, &column);
  release(&s);
  release_many(x);
  release_many(y);
}
END_TEST

static float hundred_more(float x) {
  return x + 100;
}

START_TEST(long_chains_are_split)
{
  sample s;
  weft_recording_info info;
  begin(&s);
  ok(weft_copy(&s.y, s.x));
  for (int k = 0; k < 100; k++) {
    ok(weft_add(&s.t, s.y, 1.0f));
    weft_array_release(&s.y);
    s.y = s.t;
    s.t = NULL;
  }
  ok(weft_record_end(&s.recording));
  ok(weft_recording_get(&info, s.recording));
  ck_assert_uint_ge(info.launches, 2);
  ck_assert_uint_le(info.launches, 8);
  ok(weft_fill(s.y, 0));
  ok(weft_replay(s.recording));
  check(s.y, hundred_more);
  release(&s);
}
END_TEST

START_TEST(functions_of_the_user_stay)
{
  sample s;
  weft_ufunc *twice = NULL;
  ok(weft_ufunc_create(&twice, .name = "twice", .signatures = "f32(f32 x)", .source = "return x * 2;"));
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_ufunc_call(twice, &s.y, s.t));
  end(&s, 2, 2);
  weft_ufunc_release(&twice);
  ok(weft_fill(s.y, 0));
  ok(weft_replay(s.recording));
  check(s.y, twice_more);
  release(&s);
}
END_TEST

/// Values that a chain must round, wrap or not contract as the calls do.
static void call_narrow(weft_array **out, weft_array *h, weft_array *b, weft_array *f) {
  weft_array *t = NULL;
  ok(weft_multiply(&t, h, h)); /* f16 */
  ok(weft_subtract(&out[0], t, h));
  weft_array_release(&t);
  ok(weft_add(&t, b, b));              /* i8 */
  ok(weft_cast(&out[1], t, WEFT_I32)); /* of wrapped sums */
  weft_array_release(&t);
  ok(weft_multiply(&t, f, f)); /* f32: no fused multiply-add */
  ok(weft_subtract(&out[2], t, f));
  weft_array_release(&t);
  ok(weft_empty(&t, ctx, WEFT_BF16, WEFT_SHAPE(ELEMENTS)));
  ok(weft_multiply(&t, f, 1.01f)); /* stored as bf16 */
  ok(weft_add(&out[3], t, f));
  weft_array_release(&t);
}

START_TEST(intermediates_are_rounded)
{
  sample s;
  weft_array *h = NULL, *b = NULL, *got[4] = {NULL}, *expected[4] = {NULL};
  begin(&s);
  weft_record_cancel();
  ok(weft_multiply(&s.x, s.x, 0.1f));
  ok(weft_cast(&h, s.x, WEFT_F16));
  ok(weft_arange(&s.y, ctx, WEFT_I32, 0, ELEMENTS, 1));
  ok(weft_cast(&b, s.y, WEFT_I8));
  call_narrow(expected, h, b, s.x);
  ok(weft_record_begin(ctx));
  call_narrow(got, h, b, s.x);
  weft_recording_info info;
  ok(weft_record_end(&s.recording));
  ok(weft_recording_get(&info, s.recording));
  ck_assert_uint_eq(info.recorded_launches, 8);
  ck_assert_uint_le(info.launches, 4); /* memory that one chain gives to the next makes them one */
  for (int k = 0; k < 4; k++) ok(weft_fill(got[k], 0));
  ok(weft_replay(s.recording));
  for (int k = 0; k < 4; k++) same(got[k], expected[k], "rounded");
  for (int k = 0; k < 4; k++) weft_release(&got[k], &expected[k]);
  weft_release(&h, &b);
  release(&s);
}
END_TEST

static char logged[300];

static void keep_log(void *user, weft_log_level level, const char *message) {
  (void)user, (void)level;
  if (strstr(message, "weft_record_end")) snprintf(logged, sizeof logged, "%s", message);
}

START_TEST(the_log_has_the_numbers)
{
  sample s;
  weft_log_set(WEFT_LOG_INFO, keep_log, NULL);
  begin(&s);
  ok(weft_add(&s.t, s.x, 1.0f));
  ok(weft_multiply(&s.y, s.t, 2.0f));
  end(&s, 2, 1);
  ck_assert_msg(strstr(logged, "2 launches of the calls became 1") != NULL, "%s", logged);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  release(&s);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "record_fuse");
  tcase_set_timeout(tc, 200);
  tcase_add_test(tc, only_what_can_be_seen_is_written);
  tcase_add_test(tc, a_later_command_reads_the_intermediate);
  tcase_add_test(tc, calls_in_place);
  tcase_add_test(tc, shared_memory_keeps_calls_apart);
  tcase_add_test(tc, one_buffer_under_two_names);
  tcase_add_test(tc, other_commands_stand_between);
  tcase_add_test(tc, branches_that_meet_are_one);
  tcase_add_test(tc, small_unrelated_calls_share_kernels);
  tcase_add_test(tc, shared_kernels_take_other_arrays);
  tcase_add_test(tc, large_and_unlike_calls_stay);
  tcase_add_test(tc, long_chains_are_split);
  tcase_add_test(tc, functions_of_the_user_stay);
  tcase_add_test(tc, intermediates_are_rounded);
  tcase_add_test(tc, the_log_has_the_numbers);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record_fuse", .add = add});
}
