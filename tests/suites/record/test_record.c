// SPDX-License-Identifier: MIT
// Recordings: replays against the calls that they replace, bit by bit; binds; what is refused; memory; threads and
// streams; what kernels report.
#include <pthread.h>
#include <stdio.h>

#include "harness.h"

enum { ROWS = 24, COLUMNS = 40, ELEMENTS = ROWS * COLUMNS, MOST = 64, INPUTS = 3 };

static weft_array *make(weft_dtype dtype, uint64_t salt) {
  static int32_t i[ELEMENTS];
  static float f[ELEMENTS];
  harness_random random = harness_random_start(salt);
  for (int k = 0; k < ELEMENTS; k++) {
    i[k] = (int32_t)harness_between(&random, -50, 50);
    f[k] = (float)i[k] / 8;
  }
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(ROWS, COLUMNS), dtype == WEFT_F32 ? (void *)f : (void *)i));
  return x;
}

/// Asserts that two arrays have the same bytes.
static void same(weft_array *got, weft_array *expected, const char *what) {
  const size_t size = (size_t)weft_array_size_bytes(expected);
  ck_assert_int_eq(weft_array_size_bytes(got), (int64_t)size);
  char *a = malloc(size + 1), *b = malloc(size + 1);
  ok(weft_to_host(a, size, got));
  ok(weft_to_host(b, size, expected));
  ck_assert_msg(memcmp(a, b, size) == 0, "%s: the replay has other bytes than the call", what);
  free(a);
  free(b);
}

/* ---- chains ---- */

/// A chain of random calls: a call reads arrays of earlier calls, and some arrays are released after it.
typedef struct step {
  int call, a, b, gone; /* gone: the array that is released after the call; -1: none */
} step;

typedef struct chain {
  int steps;
  step step[MOST];
  bool is_dead[INPUTS + MOST];
} chain;

static int alive(const chain *c, harness_random *random, int count) {
  int k;
  do k = (int)harness_between(random, 0, count - 1);
  while (c->is_dead[k]);
  return k;
}

static void draw_chain(chain *c, harness_random *random) {
  *c = (chain){.steps = (int)harness_between(random, 3, 14)};
  for (int n = 0; n < c->steps; n++) {
    step *s = &c->step[n];
    s->call = (int)harness_between(random, 0, 11);
    s->a = alive(c, random, INPUTS + n);
    s->b = alive(c, random, INPUTS + n);
    s->gone = n > 1 && harness_between(random, 0, 2) == 0 ? alive(c, random, INPUTS + n) : -1;
    if (s->gone >= 0 && s->gone < INPUTS) s->gone = -1;
    if (s->gone >= 0) c->is_dead[s->gone] = true;
  }
}

/// All arrays are f32 of ROWS x COLUMNS, in any layout.
static void run_step(weft_array **out, weft_array *const *x, const step *s) {
  weft_array *a = x[s->a], *b = x[s->b], *t = NULL, *u = NULL;
  switch (s->call) {
    case 0:
      ok(weft_add(out, a, b));
      break;
    case 1:
      ok(weft_multiply(out, a, 0.5f));
      break;
    case 2:
      ok(weft_eval(out, ctx, "sin(a) - b * 0.25", WEFT_VAR(a), WEFT_VAR(b)));
      break;
    case 3:
      ok(weft_sum(&t, a, weft_keepdims(1)));
      ok(weft_subtract(out, b, t));
      break;
    case 4:
      ok(weft_cumsum(out, a, 1));
      break;
    case 5:
      ok(weft_sort(out, a, 1));
      break;
    case 6:
      ok(weft_roll(out, a, 3, 1));
      break;
    case 7:
      ok(weft_view(&t, a, "::-1, :"));
      ok(weft_maximum(out, t, b));
      break;
    case 8:
      ok(weft_argsort(&t, a, 0));
      ok(weft_take_along_axis(out, b, t, 0));
      break;
    case 9:
      ok(weft_copy(out, a));
      ok(weft_add(out, *out, b)); /* in place */
      break;
    case 10:
      ok(weft_view(&t, a, ":, :20"));
      ok(weft_view(&u, b, ":, 20:"));
      ok(weft_concatenate(out, ((weft_array *[]){t, u}), 2, 1));
      break;
    default:
      ok(weft_zeros(out, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS)));
      ok(weft_view(&t, *out, "1:, ::2"));
      ok(weft_view(&u, a, ":-1, 1::2"));
      ok(weft_copy(&t, u));
  }
  weft_release(&t, &u);
}

static void run_chain(weft_array **x, const chain *c) {
  for (int n = 0; n < c->steps; n++) {
    run_step(&x[INPUTS + n], x, &c->step[n]);
    if (c->step[n].gone >= 0) weft_array_release(&x[c->step[n].gone]);
  }
}

static void release_all(weft_array **x) {
  for (int k = 0; k < INPUTS + MOST; k++) weft_array_release(&x[k]);
}

/// Records a chain, gives its inputs other elements, and compares a replay with the calls on those; then binds others.
static void compare_chain(const chain *c, uint64_t salt) {
  weft_array *x[INPUTS + MOST] = {NULL}, *y[INPUTS + MOST] = {NULL};
  weft_recording *recording = NULL;
  for (int k = 0; k < INPUTS; k++) x[k] = make(WEFT_F32, salt + (uint64_t)k);
  ok(weft_record_begin(ctx));
  run_chain(x, c);
  ok(weft_record_end(&recording));
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < INPUTS; k++) y[k] = make(WEFT_F32, salt + 100 + 10 * (uint64_t)round + (uint64_t)k);
    if (round == 0) {
      for (int k = 0; k < INPUTS; k++) ok(weft_copy(&x[k], y[k]));
      ok(weft_replay(recording));
    } else {
      weft_bind bind[INPUTS];
      int binds = 0;
      for (int k = 0; k < INPUTS; k++) { /* an input that no call reads cannot be bound */
        bool is_read = false;
        for (int n = 0; n < c->steps; n++) {
          const step *s = &c->step[n];
          const bool reads_a = s->call != 8 || true,
                     reads_b = s->call != 1 && s->call != 4 && s->call != 5 && s->call != 6 && s->call != 11;
          is_read |= (reads_a && s->a == k) || (reads_b && s->b == k);
        }
        if (is_read) bind[binds++] = WEFT_BIND(x[k], y[k]);
      }
      ok((weft_replay)(recording, binds, bind));
    }
    run_chain(y, c);
    for (int n = 0; n < c->steps; n++)
      if (!c->is_dead[INPUTS + n]) same(x[INPUTS + n], y[INPUTS + n], round ? "bound" : "replayed");
    release_all(y);
    harness_count(1);
  }
  weft_release(&recording);
  release_all(x);
}

START_TEST(replays_are_the_calls)
{
  const char *wanted = getenv("WEFT_TEST_CHAINS");
  const int chains = wanted ? atoi(wanted) : 40;
  harness_random random = harness_random_start(77);
  for (int k = 0; k < chains; k++) {
    chain c;
    draw_chain(&c, &random);
    compare_chain(&c, (uint64_t)k * 1000);
  }
}
END_TEST

/* ---- binds ---- */

static void record_scaling(weft_recording **recording, weft_array *x, weft_array **y) {
  ok(weft_record_begin(ctx));
  ok(weft_multiply(y, x, 3.0f));
  ok(weft_record_end(recording));
}

START_TEST(wrong_binds_are_refused)
{
  weft_array *x = make(WEFT_F32, 1), *y = NULL, *z = make(WEFT_F32, 2), *other = make(WEFT_I32, 3), *view = NULL;
  weft_array *foreign = NULL;
  weft_context *second = NULL;
  weft_recording *recording = NULL;
  record_scaling(&recording, x, &y);
  expect_error(weft_replay(recording, WEFT_BIND(x, other)), WEFT_ERROR_DTYPE, "bind 0", "i32", "@now");
  expect_error(weft_replay(recording, WEFT_BIND(x, z), WEFT_BIND(x, z)), WEFT_ERROR_ARGUMENT, "bind 1", "another bind");
  expect_error(weft_replay(recording, WEFT_BIND(z, x)), WEFT_ERROR_ARGUMENT, "no recorded call uses", "@old");
  ok(weft_view(&view, z, ":, ::-1"));
  expect_error(weft_replay(recording, WEFT_BIND(x, view)), WEFT_ERROR_LAYOUT, "same strides");
  weft_array_release(&view);
  ok(weft_view(&view, z, "1:"));
  expect_error(weft_replay(recording, WEFT_BIND(x, view)), WEFT_ERROR_SHAPE, "f32[23,40]", "f32[24,40]");
  expect_error(weft_replay(recording, WEFT_BIND(x, y)), WEFT_ERROR_ARGUMENT, "another array too", "@now");
  expect_error(weft_replay(recording, WEFT_BIND(y, x)), WEFT_ERROR_ARGUMENT, "another array too");
  expect_error(weft_replay(recording, WEFT_BIND(x, NULL)), WEFT_ERROR_HANDLE, "@now");
  expect_error((weft_replay)(recording, -1, NULL), WEFT_ERROR_ARGUMENT, "@binds");
  expect_error(weft_replay(NULL), WEFT_ERROR_HANDLE, "@recording");
  ok(weft_context_create(&second, .device = device.selector));
  ok(weft_ones(&foreign, second, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS)));
  expect_error(weft_replay(recording, WEFT_BIND(x, foreign)), WEFT_ERROR_CONTEXT, "another context", "@now");
  weft_release(&foreign);
  ok(weft_context_close(&second));
  /* a bind holds for one replay, and none of the failed ones */
  weft_array *expected = NULL;
  ok(weft_multiply(&expected, x, 3.0f));
  ok(weft_replay(recording, WEFT_BIND(x, z)));
  ok(weft_replay(recording));
  same(y, expected, "after binds");
  weft_release(&recording, &x, &y, &z, &other, &view, &expected);
}
END_TEST

START_TEST(results_are_bound)
{
  weft_array *x = make(WEFT_F32, 1), *y = NULL, *z = make(WEFT_F32, 2), *to = make(WEFT_F32, 3), *expected = NULL;
  weft_array *kept = NULL;
  weft_recording *recording = NULL;
  record_scaling(&recording, x, &y);
  ok(weft_copy(&kept, y));
  ok(weft_replay(recording, WEFT_BIND(y, to), WEFT_BIND(x, z)));
  ok(weft_multiply(&expected, z, 3.0f));
  same(to, expected, "a bound result");
  same(y, kept, "the result that another stands for");
  weft_release(&recording, &x, &y, &z, &to, &expected, &kept);
}
END_TEST

/* ---- constants and refusals ---- */

START_TEST(host_memory_is_a_constant)
{
  float data[ELEMENTS], strided[4][6] = {{1, 2, 3, 4, 5, 6}};
  weft_array *x = make(WEFT_F32, 1), *y = NULL, *expected = NULL, *part = NULL, *copy = NULL;
  weft_recording *recording = NULL;
  weft_recording_info info;
  for (int k = 0; k < ELEMENTS; k++) data[k] = (float)k;
  ok(weft_add(&expected, x, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS))));
  ok(weft_record_begin(ctx));
  ok(weft_add(&y, x, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS))));
  ok(weft_copy(&copy, x));
  ok(weft_view(&part, copy, "2:6, 3:9"));
  ok(weft_write_strided(part, strided, ((int64_t[]){sizeof strided[0], sizeof strided[0][0]})));
  ok(weft_record_end(&recording));
  memset(data, 0, sizeof data);
  memset(strided, 0, sizeof strided);
  weft_array *written = NULL;
  ok(weft_copy(&written, copy));
  ok(weft_fill(y, 0));
  ok(weft_fill(copy, 0));
  ok(weft_replay(recording));
  same(y, expected, "a constant");
  same(copy, written, "a strided constant");
  ok(weft_recording_get(&info, recording));
  ck_assert_uint_ge(info.constant_bytes, sizeof data + sizeof strided);
  ck_assert_uint_eq(info.replays, 1);
  weft_release(&recording, &x, &y, &expected, &part, &copy, &written);
}
END_TEST

#define refused(call, ...) expect_error(call, WEFT_ERROR_UNSUPPORTED, "it cannot be recorded", __VA_ARGS__)

/// Ends a recording that a call has spoiled, whose function the error names.
static void end_spoiled(const char *function) {
  weft_recording *recording = NULL;
  expect_error(weft_record_end(&recording), WEFT_ERROR_UNSUPPORTED, "cannot be recorded", function, "test_record.c:");
  ck_assert(!recording);
}

START_TEST(calls_that_need_the_host_are_refused)
{
  float data[ELEMENTS];
  weft_array *x = make(WEFT_F32, 1), *y = NULL, *z = NULL;
  weft_rng *rng = NULL;
  weft_context *second = NULL;
  weft_recording *recording = NULL, *inner = NULL;
  ok(weft_rng_create(&rng, .context = ctx));
  ok(weft_context_create(&second, .device = device.selector));
  ok(weft_record_begin(ctx));
  refused(weft_to_host(data, sizeof data, x), "weft_to_host", "the host reads");
  end_spoiled("weft_to_host");
  ok(weft_record_begin(ctx));
  refused(weft_sum(WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE_0D), x, WEFT_ALL_AXES), "weft_sum");
  end_spoiled("weft_sum");
  ok(weft_record_begin(ctx));
  refused(weft_unique(&y, x), "weft_unique");
  ck_assert(!y);
  end_spoiled("weft_unique");
  ok(weft_record_begin(ctx));
  refused(weft_uniform(&y, rng, WEFT_F32, WEFT_SHAPE(100), 0, 1), "same numbers");
  ck_assert(!y);
  end_spoiled("weft_uniform");
  ok(weft_record_begin(ctx));
  refused(weft_copy(&y, x, .context = second), "between contexts");
  ck_assert(!y);
  end_spoiled("weft_copy");
  ok(weft_record_begin(ctx));
  ok(weft_add(&y, x, x)); /* other calls go on */
  ok(weft_record_end(&recording));
  ok(weft_record_begin(ctx));
  refused(weft_replay(recording), "replays another");
  end_spoiled("weft_replay");
  /* of other contexts and other threads nothing is recorded */
  ok(weft_record_begin(ctx));
  ok(weft_ones(&z, second, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  ok(weft_to_host(data, sizeof data, z));
  ok(weft_record_end(&inner));
  weft_recording_info info;
  ok(weft_recording_get(&info, inner));
  ck_assert_uint_eq(info.commands, 0);
  ok(weft_replay(inner));
  weft_release(&x, &y, &z, &rng, &recording, &inner);
  ok(weft_context_close(&second));
}
END_TEST

START_TEST(begin_and_end_belong_together)
{
  weft_recording *recording = NULL;
  expect_error(weft_record_end(&recording), WEFT_ERROR_ARGUMENT, "does not record");
  ok(weft_record_begin(ctx));
  expect_error(weft_record_begin(ctx), WEFT_ERROR_ARGUMENT, "records already", "test_record.c:");
  expect_error((weft_record_end)(NULL), WEFT_ERROR_ARGUMENT, "@recording");
  ok(weft_record_end(&recording));
  expect_error(weft_record_end(&recording), WEFT_ERROR_ARGUMENT, "is not NULL");
  expect_error(weft_recording_name(recording, NULL, "x"), WEFT_ERROR_HANDLE, "@x");
  weft_recording *again = weft_recording_retain(recording);
  weft_recording_release(&again);
  ok(weft_replay(recording));
  weft_recording_release(&recording);
  weft_recording_release(&recording);
  ck_assert(!weft_recording_retain(NULL));
  weft_record_cancel(); /* nothing to cancel */
  ok(weft_record_begin(ctx));
  weft_record_cancel();
  expect_error(weft_record_end(&recording), WEFT_ERROR_ARGUMENT, "does not record");
}
END_TEST

/* ---- memory ---- */

START_TEST(released_arrays_give_their_memory_on)
{
  weft_array *x = make(WEFT_F32, 1), *y = NULL, *z = NULL, *expected = NULL, *others[8] = {NULL};
  weft_recording *recording = NULL;
  weft_recording_info info;
  weft_memory_stats before, after;
  ok(weft_memory_get(&before, ctx));
  ok(weft_record_begin(ctx));
  ok(weft_add(&y, x, 1.0f));
  for (int k = 0; k < 50; k++) {
    ok(weft_multiply(&z, y, 1.01f));
    weft_array_release(&y);
    ok(weft_roll(&y, z, 1, 0)); /* is not elementwise: each call stays a launch, or a step of the host */
    weft_array_release(&z);
  }
  ok(weft_record_end(&recording));
  ok(weft_recording_get(&info, recording));
  ck_assert(info.recorded_launches == 101 || info.recorded_launches == 51);
  if (!getenv("WEFT_CHECKS")) ck_assert_uint_le(info.made_bytes, 4 * ELEMENTS * sizeof(float));
  ok(weft_copy(&expected, y));
  /* arrays made since have other memory */
  for (int k = 0; k < 8; k++) ok(weft_full(&others[k], ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), 9));
  ok(weft_replay(recording));
  same(y, expected, "a loop");
  for (int k = 0; k < 8; k++) {
    float data[ELEMENTS];
    ok(weft_to_host(data, sizeof data, others[k]));
    for (int e = 0; e < ELEMENTS; e++) ck_assert(data[e] == 9);
    weft_array_release(&others[k]);
  }
  weft_release(&x, &y, &expected, &recording);
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_le(after.active_bytes, before.active_bytes);
}
END_TEST

START_TEST(a_recording_keeps_its_arrays)
{
  weft_array *x = make(WEFT_F32, 5), *y = NULL, *expected = NULL;
  weft_recording *recording = NULL;
  ok(weft_multiply(&expected, x, 3.0f));
  record_scaling(&recording, x, &y);
  weft_array_release(&x);
  x = make(WEFT_F32, 6);
  ok(weft_fill(y, 0));
  ok(weft_replay(recording));
  same(y, expected, "an operand that was released");
  weft_release(&recording, &x, &expected);
  ok(weft_fill(y, 1)); /* and its results outlive it */
  weft_release(&y);
}
END_TEST

START_TEST(leaks_are_reported)
{
  weft_array *x = NULL;
  weft_recording *recording = NULL, *open = NULL;
  harness_context_open();
  ok(weft_record_begin(ctx));
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(100), 1));
  ok(weft_record_end(&recording));
  weft_array_release(&x);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "1 recording made at", "test_record.c:");
  expect_error(weft_replay(recording), WEFT_ERROR_CLOSED, "closed");
  weft_recording_release(&recording);
  /* closed while its thread records */
  harness_context_open();
  ok(weft_record_begin(ctx));
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(100), 1));
  weft_array_release(&x);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "1 recording made at");
  expect_error(weft_record_end(&open), WEFT_ERROR_CLOSED, "closed");
  ck_assert(!open);
  /* and another recording of this thread */
  harness_context_open();
  ok(weft_record_begin(ctx));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "1 recording made at");
  harness_context_open();
  ok(weft_record_begin(ctx));
  ok(weft_record_end(&open));
  weft_recording_release(&open);
  harness_context_close();
}
END_TEST

/* ---- threads and streams ---- */

typedef struct work {
  weft_recording *recording;
  weft_array *x, *y;
  weft_status status;
} work;

static void *replay_often(void *user) {
  work *w = user;
  for (int k = 0; k < 30 && !w->status; k++) w->status = weft_replay(w->recording);
  return NULL;
}

static void *record_often(void *user) {
  work *w = user;
  for (int k = 0; k < 20 && !w->status; k++) {
    weft_recording_release(&w->recording);
    weft_array_release(&w->y);
    w->status = weft_record_begin(ctx);
    if (!w->status) w->status = weft_multiply(&w->y, w->x, 3.0f);
    if (!w->status) w->status = weft_add(&w->y, w->y, w->x);
    if (!w->status) w->status = weft_record_end(&w->recording);
    if (!w->status) w->status = weft_fill(w->y, 0);
    if (!w->status) w->status = weft_replay(w->recording);
  }
  return NULL;
}

START_TEST(threads_record_and_replay)
{
  enum { THREADS = 3 };
  work w[THREADS] = {{0}};
  pthread_t thread[THREADS];
  weft_array *expected = NULL;
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < THREADS; k++) {
      if (round == 0) w[k].x = make(WEFT_F32, (uint64_t)k);
      ck_assert_int_eq(pthread_create(&thread[k], NULL, round ? replay_often : record_often, &w[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
      pthread_join(thread[k], NULL);
      ck_assert_int_eq(w[k].status, WEFT_OK);
      ok(weft_eval(&expected, ctx, "x * f + x", WEFT_NAMED("x", w[k].x), WEFT_NAMED("f", 3.0f)));
      same(w[k].y, expected, "another thread's recording");
      weft_array_release(&expected);
    }
  }
  for (int k = 0; k < THREADS; k++) weft_release(&w[k].recording, &w[k].x, &w[k].y);
}
END_TEST

START_TEST(streams_are_in_order)
{
  weft_array *x = make(WEFT_F32, 1), *y = NULL, *z = NULL, *expected = NULL;
  weft_stream *stream = NULL;
  weft_recording *recording = NULL;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_record_begin(ctx));
  ok(weft_add(&x, x, 1.0f)); /* each replay adds one */
  ok(weft_multiply(&y, x, 2.0f));
  ok(weft_record_end(&recording));
  ok(weft_copy(&expected, x));
  for (int k = 0; k < 20; k++) {
    ok(weft_stream_use(k % 2 ? stream : NULL));
    ok(weft_replay(recording));
    if (k % 3 == 0) ok(weft_add(&x, x, 1.0f));
    ok(weft_add(&expected, expected, k % 3 == 0 ? 2.0f : 1.0f));
  }
  ok(weft_stream_use(NULL));
  same(x, expected, "turns of two streams");
  /* a replay waits for another stream's work on an array that was released meanwhile */
  ok(weft_multiply(&z, x, 2.0f));
  weft_array_release(&z);
  for (int k = 0; k < 20; k++) {
    weft_array *sum = NULL, *y_now = NULL;
    ok(weft_copy(&y_now, y));
    ok(weft_stream_use(stream));
    ok(weft_multiply(&z, y, 1.0f));
    ok(weft_stream_use(NULL));
    ok(weft_replay(recording));
    ok(weft_subtract(&sum, z, y_now));
    weft_array *zeros = NULL;
    ok(weft_zeros(&zeros, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS)));
    same(sum, zeros, "read before the replay");
    weft_release(&sum, &z, &y_now, &zeros);
  }
  weft_release(&recording, &x, &y, &z, &expected, &stream);
}
END_TEST

/* ---- kernels ---- */

static const char source[] =
    "#include \"weft/prelude.clh\"\n"
    "kernel void scale(global float *y, global const float *x, float f, local float *room, WEFT_ASSERTS) {\n"
    "  size_t i = get_global_id(0);\n"
    "  room[get_local_id(0)] = x[i];\n"
    "  WEFT_ASSERT(x[i] < 1000);\n"
    "  y[i] = room[get_local_id(0)] * f;\n"
    "}\n";

START_TEST(own_kernels_and_views)
{
  weft_kernel *scale = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL, *half = NULL, *zhalf = NULL, *low = NULL;
  weft_recording *recording = NULL;
  float data[2048];
  ok(weft_kernel_create(&scale, ctx, .source = source, .name = "scale"));
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 2048, 1));
  ok(weft_floor_divide(&x, x, 4.0f));
  ok(weft_full(&z, ctx, WEFT_F32, WEFT_SHAPE(2048), 7));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(2048)));
  ok(weft_view(&half, x, "1024:"));
  ok(weft_view(&zhalf, z, "1024:"));
  ok(weft_view(&low, y, ":1024"));
  ok(weft_record_begin(ctx));
  ok(weft_launch(scale, WEFT_DIM3(16), WEFT_DIM3(64), low, half, 2.0f, WEFT_LOCAL(64 * sizeof(float))));
  ok(weft_record_end(&recording));
  weft_kernel_release(&scale); /* the recording keeps it */
  ok(weft_fill(y, 0));
  ok(weft_replay(recording));
  ok(weft_to_host(data, sizeof data, y));
  for (int k = 0; k < 2048; k++) ck_assert(data[k] == (k < 1024 ? 2 * (float)((k + 1024) / 4) : 0));
  ok(weft_replay(recording, WEFT_BIND(half, zhalf)));
  ok(weft_to_host(data, sizeof data, y));
  for (int k = 0; k < 2048; k++) ck_assert(data[k] == (k < 1024 ? 14 : 0));
  ok(weft_fill(z, 5000));
  ok(weft_replay(recording, WEFT_BIND(half, zhalf)));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_ASSERT, "x[i] < 1000", "test_record.c:");
  ok(weft_replay(recording));
  ok(weft_context_wait(ctx));
  weft_release(&recording, &scale, &x, &y, &z, &half, &zhalf, &low);
}
END_TEST

START_TEST(indices_are_checked_in_each_replay)
{
  int64_t wrong[3] = {0, 77, 2};
  weft_array *x = NULL, *y = NULL, *index = NULL, *bad = NULL;
  weft_recording *recording = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 10, 1));
  ok(weft_arange(&index, ctx, WEFT_I64, 0, 3, 1));
  ok(weft_from_host(&bad, ctx, WEFT_I64, WEFT_SHAPE(3), wrong));
  ok(weft_record_begin(ctx));
  ok(weft_take(&y, x, index, 0));
  ok(weft_record_end(&recording));
  ok(weft_replay(recording));
  ok(weft_context_wait(ctx));
  for (int k = 0; k < 200; k++) ok(weft_replay(recording)); /* more than there are records of checks */
  ok(weft_replay(recording, WEFT_BIND(index, bad)));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "index 77 at position 1", "@indices");
  ok(weft_replay(recording));
  ok(weft_context_wait(ctx));
  weft_release(&recording, &x, &y, &index, &bad);
}
END_TEST

START_TEST(the_profile_has_the_kernels)
{
  weft_array *x = make(WEFT_F32, 1), *y = NULL;
  weft_recording *recording = NULL;
  weft_profile_row *rows = NULL;
  uint64_t count = 0;
  bool found = false;
  record_scaling(&recording, x, &y);
  ok(weft_profile_start(ctx));
  for (int k = 0; k < 2; k++) ok(weft_replay(recording));
  ok(weft_profile_stop(ctx));
  ok(weft_profile_get(&rows, &count, NULL, ctx));
  for (size_t k = 0; k < count; k++) found |= strcmp(rows[k].name, "multiply") == 0 && rows[k].calls == 2;
  ck_assert_msg(found, "no row of two multiplications");
  weft_free(rows);
  weft_release(&recording, &x, &y);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "record");
  tcase_set_timeout(tc, 200);
  tcase_add_test(tc, replays_are_the_calls);
  tcase_add_test(tc, wrong_binds_are_refused);
  tcase_add_test(tc, results_are_bound);
  tcase_add_test(tc, host_memory_is_a_constant);
  tcase_add_test(tc, calls_that_need_the_host_are_refused);
  tcase_add_test(tc, begin_and_end_belong_together);
  tcase_add_test(tc, released_arrays_give_their_memory_on);
  tcase_add_test(tc, a_recording_keeps_its_arrays);
  tcase_add_test(tc, threads_record_and_replay);
  tcase_add_test(tc, streams_are_in_order);
  tcase_add_test(tc, own_kernels_and_views);
  tcase_add_test(tc, indices_are_checked_in_each_replay);
  tcase_add_test(tc, the_profile_has_the_kernels);
  tcase_add_test(harness_case(suite, "own context"), leaks_are_reported);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record", .add = add});
}
