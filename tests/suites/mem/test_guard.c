// SPDX-License-Identifier: MIT
/// Guard mode: planted stray writes of each kind are found and named; WEFT_AT; released memory. Other suites run again
/// in this mode, to prove that sound programs have no findings.
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <weft/opencl.h>

#include "harness.h"

enum { N = 1000, ZONE = 4096 };

static const char source[] =
    "#include \"weft/prelude.clh\"\n"
    "__kernel void poke(__global uchar *y, long at, int many, uchar value) {\n"
    "  for (int i = 0; i < many; i++) y[at + i] = value;\n"
    "}\n"
    "__kernel void poke_two(__global float *y, __global float *x, int to_y, int to_x) {\n"
    "  y[to_y] = 2.0f;\n"
    "  x[to_x] = 3.0f;\n"
    "}\n"
    "__kernel void shift(__global float *y, __global const float *x, int from, int to) {\n"
    "  WEFT_AT(y, to) = WEFT_AT(x, from) + 1.0f;\n"
    "}\n"
    "__kernel void each(__global float *y, __global const float *x, ulong n) {\n"
    "  ulong i = weft_global_id();\n"
    "  if (i < n)\n"
    "    WEFT_AT(y, i) += 2.0f * WEFT_AT(x, i);\n"
    "}\n"
    "__kernel void wide(__global float4 *y, uint i) { WEFT_AT(y, i).y = 5.0f; }\n"
    "__kernel void inner(__global float *y, int i) { WEFT_AT(y + 1, i) = 7.0f; WEFT_AT(y + 32, i) = 8.0f; }\n"
    "__kernel void count(__global volatile uint *y, long i) { atomic_inc(&WEFT_AT(y, i)); }\n"
    "__kernel void mode(__global int *y) {\n"
    "#ifdef WEFT_CHECKS\n"
    "  WEFT_AT(y, 0) = 1;\n"
    "#else\n"
    "  WEFT_AT(y, 0) = 2;\n"
    "#endif\n"
    "}\n";

static weft_kernel *kernel;

static void open_guarded(const char *name) {
  ok(weft_context_create(&ctx, .device = device.selector, .checks = true));
  if (name) ok(weft_kernel_create(&kernel, ctx, .source = source, .source_name = "planted.cl", .name = name));
}

static void close_guarded(void) {
  weft_kernel_release(&kernel);
  ok(weft_context_close(&ctx));
}

/* Launches one thread. */
#define run(k, ...) weft_launch((k), WEFT_DIM3(1), WEFT_DIM3(1), __VA_ARGS__)

/* "test_guard.c:LINE". */
static const char *site_of(int line) {
  static char site[4][64];
  static int next;
  char *text = site[next++ % 4];
  snprintf(text, sizeof site[0], "test_guard.c:%d", line);
  return text;
}

static void check_floats(const weft_array *x, float value) {
  float host[N];
  ok(weft_to_host(host, sizeof host, x));
  for (int i = 0; i < N; i++) ck_assert_float_eq(host[i], value);
}

/* ---- stray writes ---- */

START_TEST(a_write_is_named_with_its_place)
{
  static const struct {
    long at;
    int many;
    const char *told, *element;
  } rows[] = {
      {4 * N, 4, "wrote 4 bytes starting right behind the end of `y`, u8[4000] made at ", "element 4000 would be"},
      {4 * N, 1, "wrote 1 byte starting right behind the end of `y`", "element 4000 would be"},
      {4 * N + 1, 1, "wrote 1 byte starting 1 byte behind the end of `y`", "element 4001 would be"},
      {4 * N + 4, 12, "wrote 12 bytes starting 4 bytes behind the end of `y`", "element 4004 would be"},
      {4 * N + ZONE - 1, 1, "wrote 1 byte starting 4095 bytes behind the end of `y`", "element 8095 would be"},
      {4 * N - 2, 6, "wrote 4 bytes starting right behind the end of `y`", "element 4000 would be"},
      {-1, 1, "wrote 1 byte starting 1 byte before the beginning of `y`", "element -1 would be"},
      {-4, 4, "wrote 4 bytes starting 4 bytes before the beginning of `y`", "element -4 would be"},
      {-100, 8, "wrote 8 bytes starting 100 bytes before the beginning of `y`", "element -100 would be"},
      /* the header's magic */
      {-256, 8, "wrote 8 bytes starting 256 bytes before the beginning of `y`", "element -256 would be"},
      /* the spare bytes */
      {-300, 3, "wrote 3 bytes starting 300 bytes before the beginning of `y`", "element -300 would be"},
      {-ZONE, 2, "wrote 2 bytes starting 4096 bytes before the beginning of `y`", "element -4096 would be"},
  };
  weft_array *y = NULL;
  open_guarded("poke");
  ok(weft_zeros(&y, ctx, WEFT_U8, WEFT_SHAPE(4 * N)));
  const char *made = site_of(__LINE__ - 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int value = 0x55; value <= 0x57; value += 2) { /* two values, because the known bytes differ from both */
      const char *launched = site_of(__LINE__ + 1);
      expect_error(run(kernel, y, rows[i].at, rows[i].many, value), WEFT_ERROR_BOUNDS,
                   "weft_launch: kernel `poke`, launched at ", rows[i].told, rows[i].element, made, launched, "@y");
      ck_assert_str_eq(weft_error_last()->detail, "");
      ok(weft_memory_check(ctx)); /* reported once */
      harness_count(1);
    }
  }
  ok(run(kernel, y, 0L, 4 * N, 9)); /* and the context still works */
  ok(weft_context_wait(ctx));
  weft_array_release(&y);
  close_guarded();
}
END_TEST

START_TEST(of_two_arrays_the_right_one_is_named)
{
  weft_array *x = NULL, *y = NULL;
  open_guarded("poke_two");
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(10, 7)));
  expect_error(run(kernel, y, x, 0, N), WEFT_ERROR_BOUNDS, "the end of `x`, f32[1000] made at", "element 1000", "@x");
  expect_error(run(kernel, y, x, -1, 0), WEFT_ERROR_BOUNDS, "the beginning of `y`, f32[10,7] made at", "element -1",
               "@y");
  expect_error(run(kernel, y, x, 70, -2), WEFT_ERROR_BOUNDS, "the end of `y`");
  ck_assert_ptr_nonnull(
      strstr(weft_error_last()->detail, "also wrote 4 bytes starting 8 bytes before the beginning of `x`"));
  ok(run(kernel, y, x, 69, 999));
  /* an array passed twice has no single argument name */
  expect_error(run(kernel, x, x, N, 0), WEFT_ERROR_BOUNDS, "right behind the end of f32[1000] made at");
  weft_array_release(&x);
  weft_array_release(&y);
  close_guarded();
}
END_TEST

START_TEST(many_places_are_counted)
{
  weft_array *y = NULL;
  open_guarded("poke");
  weft_kernel *two = NULL;
  ok(weft_kernel_create(
      &two, ctx,
      .source = "__kernel void comb(__global uchar *y, int n) { for (int i = 0; i < 10; i++) y[n + 8 * i] = i; }"));
  ok(weft_zeros(&y, ctx, WEFT_U8, WEFT_SHAPE(3)));
  expect_error(run(two, y, 3), WEFT_ERROR_BOUNDS, "`comb`", "wrote 1 byte starting right behind the end of `y`");
  const char *detail = weft_error_last()->detail;
  ck_assert_ptr_nonnull(strstr(detail, "also wrote 1 byte starting 8 bytes behind"));
  ck_assert_ptr_nonnull(strstr(detail, "also wrote 1 byte starting 24 bytes behind"));
  ck_assert_ptr_nonnull(strstr(detail, "and in 6 more places"));
  weft_array_release(&y);
  weft_kernel_release(&two);
  close_guarded();
}
END_TEST

START_TEST(through_a_view)
{
  weft_array *x = NULL, *view = NULL;
  weft_device_info info;
  open_guarded("poke");
  ok(weft_context_get_device(&info, ctx));
  int64_t begin = (int64_t)info.address_align_bytes;
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(2 * begin)));
  ok(weft_slice(&view, x, 0, begin, WEFT_END));
  ok(run(kernel, view, 0L, (int)begin, 3));
  expect_error(run(kernel, view, (long)begin, 2, 3), WEFT_ERROR_BOUNDS,
               "wrote 2 bytes starting right behind the end of `y`", "made at");
  uint8_t *host = malloc((size_t)(2 * begin));
  ok(weft_to_host(host, (size_t)(2 * begin), x));
  for (int64_t i = 0; i < 2 * begin; i++) ck_assert_int_eq(host[i], i < begin ? 0 : 3);
  free(host);
  weft_array_release(&view);
  weft_array_release(&x);
  close_guarded();
}
END_TEST

START_TEST(on_a_stream)
{
  weft_array *y = NULL, *copy = NULL;
  weft_stream *stream = NULL;
  open_guarded("poke");
  ok(weft_stream_create(&stream, ctx));
  ok(weft_zeros(&y, ctx, WEFT_U8, WEFT_SHAPE(N)));
  expect_error(weft_launch_on(kernel, stream, WEFT_DIM3(1), WEFT_DIM3(1), y, (long)N, 1, 3), WEFT_ERROR_BOUNDS,
               "behind the end of `y`");
  ok(weft_stream_use(stream));
  ok(weft_copy(&copy, y));
  weft_array_release(&copy);
  ok(weft_memory_check(ctx));
  ok(weft_stream_use(NULL));
  weft_array_release(&y);
  weft_stream_release(&stream);
  close_guarded();
}
END_TEST

/* ---- WEFT_AT ---- */

START_TEST(an_index_is_named_with_line_and_thread)
{
  weft_array *x = NULL, *y = NULL;
  open_guarded("each");
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(N + 100)));
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), y, x, N));
  check_floats(y, 3.0f);
  const char *launched = site_of(__LINE__ + 1);
  expect_error(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), y, x, N + 1), WEFT_ERROR_BOUNDS,
               "kernel `each`, launched at", launched, "accessed element 1000 of `y`, f32[1000] made at",
               ", in planted.cl:15, thread (8,0,0) of block (31,0,0)", "@y");
  check_floats(y, 5.0f);
  ok(weft_memory_check(ctx));
  ok(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), y, x, N));
  check_floats(y, 7.0f);
  weft_array_release(&x);
  weft_array_release(&y);
  close_guarded();
}
END_TEST

START_TEST(reads_and_writes_at_any_distance)
{
  static const int wrong[] = {-1, -2, N, N + 1, N + 4000, INT32_MAX, INT32_MIN, -4000};
  weft_array *x = NULL, *y = NULL;
  char told[80];
  open_guarded("shift");
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(N), 2.0f));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    snprintf(told, sizeof told, "accessed element %d of `x`, f32[1000]", wrong[i]);
    expect_error(run(kernel, y, x, wrong[i], 0), WEFT_ERROR_BOUNDS, told,
                 "planted.cl:10, thread (0,0,0) of block (0,0,0)", "@x");
    snprintf(told, sizeof told, "accessed element %d of `y`, f32[1000]", wrong[i]);
    expect_error(run(kernel, y, x, 0, wrong[i]), WEFT_ERROR_BOUNDS, told, "planted.cl:10", "@y");
    ok(run(kernel, y, x, N - 1, 0));
    harness_count(2);
  }
  check_floats(x, 1.0f);
  check_floats(y, 2.0f);
  weft_array_release(&x);
  weft_array_release(&y);
  close_guarded();
}
END_TEST

START_TEST(elements_as_the_kernel_sees_them)
{
  weft_array *y = NULL, *none = NULL, *u = NULL;
  open_guarded("wide");
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(1000)));
  ok(run(kernel, y, 249u));
  expect_error(run(kernel, y, 250u), WEFT_ERROR_BOUNDS, "accessed element 250 (of 16 bytes) of `y`, f32[1000]");
  expect_error(run(kernel, y, UINT32_MAX), WEFT_ERROR_BOUNDS, "accessed element 4294967295 (of 16 bytes) of `y`");
  ok(weft_zeros(&none, ctx, WEFT_F32, WEFT_SHAPE(0)));
  expect_error(run(kernel, none, 0u), WEFT_ERROR_BOUNDS, "accessed element 0 (of 16 bytes) of `y`, f32[0]");
  weft_kernel_release(&kernel);
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "count")); /* an lvalue, whose address can be taken */
  ok(weft_zeros(&u, ctx, WEFT_U32, WEFT_SHAPE(3)));
  ok(weft_launch(kernel, WEFT_DIM3(4), WEFT_DIM3(8), u, 2));
  expect_error(weft_launch(kernel, WEFT_DIM3(4), WEFT_DIM3(8), u, 3), WEFT_ERROR_BOUNDS,
               "accessed element 3 of `y`, u32[3]");
  uint32_t host[3];
  ok(weft_to_host(host, sizeof host, u));
  ck_assert_uint_eq(host[2], 32);
  weft_array_release(&u);
  weft_array_release(&y);
  weft_array_release(&none);
  close_guarded();
}
END_TEST

START_TEST(pointers_into_an_array_are_not_checked_and_do_no_harm)
{
  weft_array *y = NULL;
  float host[200];
  open_guarded("inner");
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(200)));
  ok(run(kernel, y, 150));
  ok(weft_to_host(host, sizeof host, y));
  ck_assert(host[151] == 7.0f && host[182] == 8.0f);
  /* the zone detects it */
  expect_error(run(kernel, y, 168), WEFT_ERROR_BOUNDS, "wrote 4 bytes starting right behind the end of `y`");
  weft_array_release(&y);
  close_guarded();
}
END_TEST

START_TEST(the_mode_is_asked_for)
{
  static const char *const values[] = {NULL, "", "0", "1", "yes"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    weft_array *y = NULL;
    int32_t got = 0;
    unsetenv("WEFT_CHECKS");
    if (values[i]) setenv("WEFT_CHECKS", values[i], 1);
    ok(weft_context_create(&ctx, .device = device.selector));
    ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "mode"));
    ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
    ok(run(kernel, y));
    ok(weft_to_host(&got, sizeof got, y));
    ck_assert_int_eq(got, i >= 3 ? 1 : 2);
    ok(weft_memory_check(ctx)); /* only a wait without guard mode */
    weft_array_release(&y);
    close_guarded();
    harness_count(1);
  }
  unsetenv("WEFT_CHECKS");
  expect_error(weft_memory_check(NULL), WEFT_ERROR_HANDLE, "weft_memory_check", "@context");
}
END_TEST

/* ---- writes by code other than Weft's launches ---- */

/* Writes to the buffer around the array, like another library's kernel. */
static void write_raw(cl_mem mem, long at, int many) {
  const unsigned char bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8};
  cl_mem whole = NULL;
  size_t begin = 0;
  ck_assert_int_eq(clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &whole, NULL), CL_SUCCESS);
  ck_assert_int_eq(clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof begin, &begin, NULL), CL_SUCCESS);
  ck_assert_ptr_nonnull(whole);
  ck_assert_int_eq(clEnqueueWriteBuffer(weft_context_cl_queue(ctx), whole, CL_TRUE, (size_t)((long)begin + at),
                                        (size_t)many, bytes, 0, NULL, NULL),
                   CL_SUCCESS);
}

START_TEST(others_writes_are_found_by_whoever_looks)
{
  for (int who = 0; who < 4; who++) {
    weft_array *x = NULL, *y = NULL;
    open_guarded("poke");
    ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
    ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(5)));
    ok(weft_memory_check(ctx));
    if (who > 0) ok(run(kernel, x, 0L, 1, 1));
    const char *launched = site_of(__LINE__ - 1);
    write_raw(weft_array_cl_mem(y, NULL), 5 * 8 + 8, 8);
    write_raw(weft_array_cl_mem(x, NULL), -8, 4);
    static const char told[] = "somebody wrote 4 bytes starting 8 bytes before the beginning of f32[1000] made at ";
    if (who == 0) {
      expect_error(weft_memory_check(ctx), WEFT_ERROR_BOUNDS, "weft_memory_check: ", told,
                   "nothing was launched since the last look");
    } else if (who == 1) {
      expect_error(weft_memory_check(ctx), WEFT_ERROR_BOUNDS, "weft_memory_check: ", told,
                   "launched since the last look: poke (", launched);
    } else if (who == 2) {
      expect_error(weft_context_wait(ctx), WEFT_ERROR_BOUNDS, "weft_context_wait: ", told, launched);
    } else {
      weft_context *open = ctx;
      weft_kernel_release(&kernel);
      expect_error(weft_context_close(&open), WEFT_ERROR_BOUNDS, "weft_context_close: ", told);
    }
    ck_assert_ptr_nonnull(
        strstr(weft_error_last()->detail, "also wrote 8 bytes starting 8 bytes behind the end of i64[5] made at"));
    if (who < 3) ok(weft_memory_check(ctx));
    weft_array_release(&x);
    weft_array_release(&y);
    if (who < 3) close_guarded();
    harness_count(1);
  }
}
END_TEST

static char logged[400];

static void keep_log(void *user, weft_log_level level, const char *message) {
  (void)user;
  if (level == WEFT_LOG_ERROR) snprintf(logged, sizeof logged, "%s", message);
}

START_TEST(what_a_release_finds_the_next_wait_tells)
{
  weft_array *y = NULL;
  open_guarded(NULL);
  weft_log_set(WEFT_LOG_ERROR, keep_log, NULL);
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  write_raw(weft_array_cl_mem(y, NULL), 4 * N, 3);
  weft_array_release(&y);
  ck_assert_ptr_nonnull(
      strstr(logged, "guard mode: somebody wrote 3 bytes starting right behind the end of f32[1000]"));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_BOUNDS, "somebody wrote 3 bytes", "made at");
  ok(weft_context_wait(ctx));
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  close_guarded();
}
END_TEST

/* ---- released memory ---- */

static weft_memory_stats stats(void) {
  weft_memory_stats s;
  ok(weft_memory_get(&s, ctx));
  return s;
}

START_TEST(new_memory_is_poisoned)
{
  weft_array *x = NULL;
  uint8_t host[N];
  open_guarded(NULL);
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(N)));
  ok(weft_to_host(host, sizeof host, x));
  for (int i = 0; i < N; i++) ck_assert_uint_eq(host[i], 0xdb);
  weft_array_release(&x);
  close_guarded();
}
END_TEST

/* Releases an array whose buffer another owner still holds. */
static cl_mem release_but_hold(void) {
  weft_array *x = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  cl_mem mem = weft_array_cl_mem(x, NULL);
  ck_assert_int_eq(clRetainMemObject(mem), CL_SUCCESS);
  weft_array_release(&x);
  return mem;
}

START_TEST(a_write_after_the_release_is_named)
{
  static const char told[] = "somebody wrote 4 bytes, from byte 20 on, into the memory of f32[1000] made at ";
  for (int how = 0; how < 4; how++) {
    open_guarded(NULL);
    cl_mem mem = release_but_hold();
    ck_assert_uint_eq(stats().active_bytes + stats().requested_bytes, 0);
    ck_assert_uint_eq(stats().held_bytes, 4 * N);
    write_raw(mem, 20, 4);
    if (how == 0) {
      expect_error(weft_memory_check(ctx), WEFT_ERROR_BOUNDS, "weft_memory_check: ", told,
                   " and released, where element 5 was");
      ok(weft_memory_check(ctx));
      write_raw(mem, -4, 4);
      expect_error(weft_memory_check(ctx), WEFT_ERROR_BOUNDS, "4 bytes before the beginning of f32[1000]");
    } else if (how == 1) { /* released to the driver */
      ok(weft_memory_trim(ctx));
      ck_assert_uint_eq(stats().managed_bytes, 0);
      expect_error(weft_context_wait(ctx), WEFT_ERROR_BOUNDS, "weft_context_wait: ", told);
    } else if (how == 2) { /* evicted by others */
      for (int i = 0; i < 70; i++) {
        weft_array *x = NULL;
        ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(1)));
        weft_array_release(&x);
      }
      ck_assert_uint_lt(stats().held_bytes, 100);
      expect_error(weft_context_wait(ctx), WEFT_ERROR_BOUNDS, told);
    } else {
      expect_error(weft_context_close(&ctx), WEFT_ERROR_BOUNDS, "weft_context_close: ", told);
    }
    clReleaseMemObject(mem);
    if (ctx) close_guarded();
    harness_count(1);
  }
}
END_TEST

START_TEST(what_is_aside_makes_room)
{
  enum { MEGA = 1 << 20 };
  weft_array *x = NULL;
  ok(weft_context_create(&ctx, .device = device.selector, .checks = true, .memory_limit_bytes = 4 * MEGA));
  for (int i = 0; i < 20; i++) {
    ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(MEGA)));
    weft_array_release(&x);
    ck_assert_uint_le(stats().managed_bytes, 4 * MEGA);
  }
  ck_assert_uint_gt(stats().held_bytes, 0);
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(4 * MEGA))); /* the exact budget: zones are not counted */
  ck_assert_uint_eq(stats().held_bytes, 0);
  weft_array *y = NULL;
  expect_error(weft_empty(&y, ctx, WEFT_U8, WEFT_SHAPE(1)), WEFT_ERROR_BUDGET, "memory limit");
  weft_array_release(&x);
  ok(weft_memory_set_limit(ctx, 0));
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(9 * MEGA)));
  weft_array_release(&x);
  ck_assert_uint_le(stats().held_bytes, 8 * MEGA); /* large buffers are released at once */
  close_guarded();
}
END_TEST

/* ---- foreign memory ---- */

START_TEST(adopted_memory_is_guarded_by_a_copy)
{
  float host[N];
  cl_int code;
  weft_array *a = NULL, *view = NULL;
  open_guarded("each");
  cl_mem mem = clCreateBuffer(weft_context_cl_context(ctx), CL_MEM_READ_WRITE, sizeof host, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_array_adopt(&a, ctx, mem, 0, WEFT_F32, WEFT_SHAPE(N)));
  clReleaseMemObject(mem);
  ok(weft_fill(a, 1.0f));
  ok(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), a, a, N)); /* one shadow copy serves both arguments */
  check_floats(a, 3.0f);
  expect_error(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), a, a, N + 1), WEFT_ERROR_BOUNDS,
               "accessed element 1000 of f32[1000] made at", "planted.cl:15");
  check_floats(a, 9.0f); /* its writes inside the array are kept */
  weft_kernel_release(&kernel);
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "poke"));
  weft_array *bytes = NULL;
  ok(weft_array_adopt(&bytes, ctx, mem, 0, WEFT_U8, WEFT_SHAPE(4 * N)));
  expect_error(run(kernel, bytes, 4L * N, 3, 1), WEFT_ERROR_BOUNDS,
               "wrote 3 bytes starting right behind the end of `y`, u8[4000]");
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  int64_t begin = (int64_t)info.address_align_bytes;
  ok(weft_slice(&view, bytes, 0, begin, WEFT_END));
  ok(run(kernel, view, 0L, 4, 0));
  ok(weft_to_host(host, sizeof host, a));
  for (int i = 0; i < N; i++) ck_assert_float_eq(host[i], i == begin / 4 ? 0.0f : 9.0f);
  weft_array_release(&view);
  weft_array_release(&bytes);
  weft_array_release(&a);
  close_guarded();
}
END_TEST

START_TEST(read_only_memory_stays)
{
  static float data[N];
  cl_int code;
  weft_array *a = NULL, *y = NULL;
  for (int i = 0; i < N; i++) data[i] = 4.0f;
  open_guarded("each");
  cl_mem mem =
      clCreateBuffer(weft_context_cl_context(ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof data, data, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_array_adopt(&a, ctx, mem, 0, WEFT_F32, WEFT_SHAPE(N)));
  clReleaseMemObject(mem);
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), y, a, N));
  check_floats(y, 8.0f);
  expect_error(weft_launch(kernel, WEFT_DIM3(32), WEFT_DIM3(32), a, y, N), WEFT_ERROR_READ_ONLY, "`y` is read-only");
  weft_array_release(&y);
  weft_array_release(&a);
  close_guarded();
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 3, ROUNDS = 30 };

typedef struct worker {
  int number;
  int told; /* BOUNDS errors that name this thread's own array */
  const char *wrong;
} worker;

static void *work(void *user) {
  worker *w = user;
  weft_array *y = NULL, *sum = NULL;
  char name[32];
  snprintf(name, sizeof name, "`y`, u8[%d]", 100 + w->number);
  if (weft_zeros(&y, ctx, WEFT_U8, WEFT_SHAPE(100 + w->number))) w->wrong = "no array";
  for (int i = 0; i < ROUNDS && !w->wrong; i++) {
    bool is_planted = w->number == 1 && i % 3 == 0;
    weft_status rc = run(kernel, y, is_planted ? 100L + w->number : 0L, 2, 7);
    if (rc != (is_planted ? WEFT_ERROR_BOUNDS : WEFT_OK)) w->wrong = "status";
    if (rc && strstr(weft_error_last()->message, name)) w->told++;
    if (weft_sum(&sum, y, WEFT_ALL_AXES)) w->wrong = "sum";
    weft_array_release(&sum);
    if (weft_memory_check(ctx)) w->wrong = "check";
  }
  weft_array_release(&y);
  return NULL;
}

/// A launch that fails for a finding has run: those after it find the scratch memory of communicating blocks in order.
START_TEST(scans_after_a_finding_are_right)
{
  enum { LONG = 100000 };
  static int32_t sums[LONG];
  weft_array *x = NULL, *y = NULL;
  open_guarded(NULL);
  ok(weft_ones(&x, ctx, WEFT_I32, WEFT_SHAPE(LONG)));
  write_raw(weft_array_cl_mem(x, NULL), 4 * LONG, 3);
  expect_error(weft_scan(&y, x, 0, .dtype = WEFT_I32, .combine = "a + b", .neutral = WEFT_SCALAR(0)),
               WEFT_ERROR_BOUNDS, "wrote 3 bytes");
  ok(weft_scan(&y, x, 0, .dtype = WEFT_I32, .combine = "a + b", .neutral = WEFT_SCALAR(0)));
  ok(weft_to_host(sums, sizeof sums, y));
  int right = 0; /* no assertion per element: each writes to a file */
  for (int k = 0; k < LONG; k++) right += sums[k] == k + 1;
  ck_assert_int_eq(right, LONG);
  weft_release(&x, &y);
  close_guarded();
}
END_TEST

START_TEST(each_thread_is_told_of_its_own)
{
  worker workers[THREADS] = {{0}};
  pthread_t threads[THREADS];
  open_guarded("poke");
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_msg(!workers[i].wrong, "thread %d: %s", i, workers[i].wrong);
    ck_assert_int_eq(workers[i].told, i == 1 ? ROUNDS / 3 : 0);
  }
  close_guarded();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "guard");
  tcase_add_test(tc, a_write_is_named_with_its_place);
  tcase_add_test(tc, of_two_arrays_the_right_one_is_named);
  tcase_add_test(tc, many_places_are_counted);
  tcase_add_test(tc, through_a_view);
  tcase_add_test(tc, on_a_stream);
  tcase_add_test(tc, an_index_is_named_with_line_and_thread);
  tcase_add_test(tc, reads_and_writes_at_any_distance);
  tcase_add_test(tc, elements_as_the_kernel_sees_them);
  tcase_add_test(tc, pointers_into_an_array_are_not_checked_and_do_no_harm);
  tcase_add_test(tc, the_mode_is_asked_for);
  tcase_add_test(tc, others_writes_are_found_by_whoever_looks);
  tcase_add_test(tc, what_a_release_finds_the_next_wait_tells);
  tcase_add_test(tc, new_memory_is_poisoned);
  tcase_add_test(tc, a_write_after_the_release_is_named);
  tcase_add_test(tc, what_is_aside_makes_room);
  tcase_add_test(tc, adopted_memory_is_guarded_by_a_copy);
  tcase_add_test(tc, read_only_memory_stays);
  tcase_add_test(tc, scans_after_a_finding_are_right);
  tcase_add_test(tc, each_thread_is_told_of_its_own);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "guard", .add = add});
}
