// SPDX-License-Identifier: MIT
/// Refused launches: wrong arguments and limits, by code and text, before the driver sees them.
#include <stdio.h>
#include <time.h>

#include "views.h"

static weft_kernel *build(const char *source, const char *name) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = name));
  return kernel;
}

static const char SAXPY[] =
    "kernel void saxpy(global float *y, global const float *x, float a, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

/* A kernel, two arrays, and a check that a refused launch changed nothing and that a valid one still works. */
static weft_kernel *saxpy;
static weft_array *x, *y;

static void saxpy_setup(void) {
  saxpy = build(SAXPY, NULL);
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(256)));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(256)));
}

static void saxpy_teardown(void) {
  float got[256];
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 256; i++) ck_assert_float_eq(got[i], 0.0f);
  ok(weft_launch(saxpy, WEFT_DIM3(1), WEFT_DIM3(256), y, x, 3.0f, 256));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 256; i++) ck_assert_float_eq(got[i], 3.0f);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_kernel_release(&saxpy);
}

#define G WEFT_DIM3(1)
#define B WEFT_DIM3(256)

/* ---- arguments ---- */

START_TEST(wrong_number)
{
  expect_error(weft_launch(saxpy, G, B), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "saxpy", "4", "0");
  expect_error(weft_launch(saxpy, G, B, y, x, 2.0f), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "saxpy", "4", "3");
  expect_error(weft_launch(saxpy, G, B, y, x, 2.0f, 256, 1), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "saxpy", "4",
               "5");
}
END_TEST

START_TEST(wrong_type)
{
  int two = 2;
  /* "weft_launch: saxpy: argument 2 `a` is double here, the kernel takes float" */
  expect_error(weft_launch(saxpy, G, B, y, x, 2.0, 256), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "saxpy",
               "argument 2", "`a`", "double", "float");
  expect_error(weft_launch(saxpy, G, B, y, x, two, 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 2", "`a`",
               "int", "float");
  /* the remedy in the message uses the caller's value */
  expect_error(weft_launch(saxpy, G, B, y, x, two, 256), WEFT_ERROR_KERNEL_ARGUMENT,
               "takes float: write 2.0f, or cast to float");
  expect_error(weft_launch(saxpy, G, B, y, x, -3u, 256), WEFT_ERROR_KERNEL_ARGUMENT,
               "takes float: write 4.2949673e+09f, or cast");
  expect_error(weft_launch(saxpy, G, B, y, x, 0.1, 256), WEFT_ERROR_KERNEL_ARGUMENT, "is double here",
               "write 0.1f, or cast to float");
  expect_error(weft_launch(saxpy, G, B, y, x, -1e30, 256), WEFT_ERROR_KERNEL_ARGUMENT,
               "write -1e+30f, or cast to float");
  expect_error(weft_launch(saxpy, G, B, y, x, 1e300, 256), WEFT_ERROR_KERNEL_ARGUMENT, "takes float: cast to float");
  expect_error(weft_launch(saxpy, G, B, y, x, (double)NAN, 256), WEFT_ERROR_KERNEL_ARGUMENT,
               "takes float: cast to float");
  expect_error(weft_launch(saxpy, G, B, y, x, y, 256), WEFT_ERROR_KERNEL_ARGUMENT, "is an array here",
               "takes float: cast to float");
  expect_error(weft_launch(saxpy, G, B, 0, x, 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "`y` is int here",
               "pass an array, or NULL");
  expect_error(weft_launch(saxpy, G, B, y, x, NULL, 256), WEFT_ERROR_KERNEL_ARGUMENT, "argument 2 `a` is NULL here",
               "float");
  void *host = &two;
  expect_error(weft_launch(saxpy, G, B, y, host, 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 1 `x` is a pointer to host memory", "weft_from_host");
  expect_error(weft_launch(saxpy, G, B, y, x, 2.0f, 256.0f), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 3", "`n`",
               "float", "int");
  expect_error(weft_launch(saxpy, G, B, y, x, 2.0f, 256.0), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 3", "`n`",
               "double", "int");
  expect_error(weft_launch(saxpy, G, B, y, x, y, 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 2", "`a`",
               "array", "float");
  expect_error(weft_launch(saxpy, G, B, 1, x, 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 0", "`y`",
               "int", "float");
  expect_error(weft_launch(saxpy, G, B, y, 1.0f, 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 1", "`x`",
               "float");
  expect_error(weft_launch(saxpy, G, B, y, WEFT_LOCAL(64), 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy",
               "argument 1", "`x`", "WEFT_LOCAL");
  expect_error(weft_launch(saxpy, G, B, y, x, WEFT_LOCAL(4), 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 2",
               "`a`", "WEFT_LOCAL");
  expect_error(weft_launch(saxpy, G, B, y, WEFT_STRUCT(two), 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy",
               "argument 1", "`x`");
  expect_error(weft_launch(saxpy, G, B, y, x, 2.0f, WEFT_DIM3(256)), WEFT_ERROR_KERNEL_ARGUMENT, "saxpy", "argument 3",
               "`n`");
}
END_TEST

START_TEST(the_block_is_an_argument_too)
{
  expect_error(weft_launch(saxpy, G, 256, y, x, 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "saxpy",
               "@block");
  expect_error(weft_launch(saxpy, G, y, x, 2.0f, 256), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "saxpy", "@block");
}
END_TEST

START_TEST(values_that_do_not_fit)
{
  weft_kernel *k =
      build("kernel void k(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h) {}\n", NULL);
  const struct {
    int64_t v[7];
    const char *argument, *name, *value, *type;
  } cases[] = {
      {{128, 0, 0, 0, 0, 0, 0}, "argument 0", "`a`", "128", "char"},
      {{-129, 0, 0, 0, 0, 0, 0}, "argument 0", "`a`", "-129", "char"},
      {{0, 256, 0, 0, 0, 0, 0}, "argument 1", "`b`", "256", "uchar"},
      {{0, -1, 0, 0, 0, 0, 0}, "argument 1", "`b`", "-1", "uchar"},
      {{0, 0, 32768, 0, 0, 0, 0}, "argument 2", "`c`", "32768", "short"},
      {{0, 0, 0, 65536, 0, 0, 0}, "argument 3", "`d`", "65536", "ushort"},
      {{0, 0, 0, 0, INT64_C(1) << 31, 0, 0}, "argument 4", "`e`", "2147483648", "int"},
      {{0, 0, 0, 0, 0, INT64_C(1) << 32, 0}, "argument 5", "`f`", "4294967296", "uint"},
      {{0, 0, 0, 0, 0, -1, 0}, "argument 5", "`f`", "-1", "uint"},
      {{0, 0, 0, 0, 0, 0, -1}, "argument 7", "`h`", "-1", "ulong"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t *v = cases[i].v;
    expect_error(weft_launch(k, G, G, v[0], v[1], v[2], v[3], v[4], v[5], 0, v[6]), WEFT_ERROR_KERNEL_ARGUMENT,
                 "weft_launch", cases[i].argument, cases[i].name, cases[i].value, cases[i].type);
    harness_count(1);
  }
  expect_error(weft_launch(k, G, G, 0, 0, 0, 0, 0, 0, UINT64_MAX, 0), WEFT_ERROR_KERNEL_ARGUMENT, "argument 6",
               "18446744073709551615", "long");
  weft_kernel_release(&k);
}
END_TEST

START_TEST(wrong_dtype)
{
  weft_array *ints = NULL;
  ok(weft_zeros(&ints, ctx, WEFT_I32, WEFT_SHAPE(256)));
  expect_error(weft_launch(saxpy, G, B, y, ints, 2.0f, 256), WEFT_ERROR_DTYPE, "weft_launch", "saxpy", "argument 1",
               "`x`", "i32", "float");
  expect_error(weft_launch(saxpy, G, B, ints, x, 2.0f, 256), WEFT_ERROR_DTYPE, "weft_launch", "saxpy", "argument 0",
               "`y`", "i32", "float");
  weft_array_release(&ints);
}
END_TEST

START_TEST(wrong_arrays)
{
  weft_array *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_array *)saxpy};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    weft_error_clear();
    weft_status rc = weft_launch(saxpy, G, B, y, wrong[i], 2.0f, 256);
    ck_assert_msg(rc == WEFT_ERROR_HANDLE || rc == WEFT_ERROR_KERNEL_ARGUMENT, "%zu: %s", i, harness_error_text());
    const char *message = weft_error_last()->message;
    ck_assert_msg(strstr(message, "weft_launch") && strstr(message, "argument 1") && strstr(message, "`x`"), "%zu: %s",
                  i, harness_error_text());
    if (!wrong[i]) ck_assert_msg(strstr(message, "NULL") != NULL, "%s", message);
    harness_count(1);
  }
}
END_TEST

START_TEST(views_no_kernel_can_take)
{
  weft_array *odd = NULL, *step = NULL, *flip = NULL, *wide = NULL, *small = NULL, *square = NULL, *turned = NULL;
  ok(weft_slice(&odd, x, 0, 1, WEFT_END));
  ok(weft_slice(&step, x, 0, 0, WEFT_END, .step = 2));
  ok(weft_flip(&flip, x, 0));
  ok(weft_reshape(&square, x, WEFT_SHAPE(16, 16)));
  ok(weft_transpose(&turned, square, WEFT_ALL_AXES));
  ok(weft_ones(&small, ctx, WEFT_F32, WEFT_SHAPE(1)));
  ok(weft_broadcast(&wide, small, WEFT_SHAPE(256)));
  const weft_array *const views[] = {odd, step, flip, wide, turned};
  const char *const names[] = {"odd start", "step", "flip", "broadcast", "transpose"};
  for (int i = 0; i < 5; i++) {
    mark_point();
    weft_error_clear();
    weft_status rc = weft_launch(saxpy, G, B, y, views[i], 2.0f, 100);
    ck_assert_msg(rc == WEFT_ERROR_LAYOUT, "%s: %s", names[i], harness_error_text());
    const char *message = weft_error_last()->message;
    ck_assert_msg(strstr(message, "weft_copy") && strstr(message, "argument 1") && strstr(message, "`x`"), "%s: %s",
                  names[i], message);
    harness_count(1);
  }
  weft_array_release(&odd);
  weft_array_release(&step);
  weft_array_release(&flip);
  weft_array_release(&wide);
  weft_array_release(&turned);
  weft_array_release(&square);
  weft_array_release(&small);
}
END_TEST

START_TEST(struct_of_the_wrong_size)
{
  weft_kernel *k = build(
      "typedef struct { int a, b; } two;\nkernel void k(global int *y, two t, float4 v) { y[0] = t.a + (int)v.x; }\n",
      NULL);
  weft_array *z = NULL;
  const int32_t three[3] = {1, 2, 3}, two[2] = {4, 5};
  const float vector[4] = {6, 0, 0, 0}, half_vector[2] = {0, 0};
  ok(weft_zeros(&z, ctx, WEFT_I32, WEFT_SHAPE(1)));
  /* PoCL does not know the size of the caller's own types */
  if (!strstr(device.platform, "Portable Computing Language")) {
    expect_error(weft_launch(k, G, G, z, WEFT_STRUCT(three), WEFT_STRUCT(vector)), WEFT_ERROR_KERNEL_ARGUMENT,
                 "weft_launch", "argument 1", "`t`", "12");
  }
  expect_error(weft_launch(k, G, G, z, WEFT_STRUCT(two), WEFT_STRUCT(half_vector)), WEFT_ERROR_KERNEL_ARGUMENT,
               "weft_launch", "argument 2", "`v`", "8");
  expect_error(weft_launch(k, G, G, z, 5, WEFT_STRUCT(vector)), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "argument 1",
               "`t`", "WEFT_STRUCT");
  weft_bytes none = {NULL, 8};
  expect_error(weft_launch(k, G, G, z, none, WEFT_STRUCT(vector)), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch",
               "argument 1", "`t`");
  ok(weft_launch(k, G, G, z, WEFT_STRUCT(two), WEFT_STRUCT(vector)));
  const int32_t ten = 10;
  check_elements(z, &ten, 1, "after refusals");
  weft_array_release(&z);
  weft_kernel_release(&k);
}
END_TEST

START_TEST(objects_of_another_context)
{
  weft_context *other = NULL;
  weft_context_params params = {.device = device.selector};
  weft_array *foreign = NULL;
  weft_stream *stream = NULL;
  ok((weft_context_create)(&other, &params));
  ok(weft_ones(&foreign, other, WEFT_F32, WEFT_SHAPE(256)));
  ok(weft_stream_create(&stream, other));
  expect_error(weft_launch(saxpy, G, B, y, foreign, 2.0f, 256), WEFT_ERROR_CONTEXT, "weft_launch", "saxpy",
               "argument 1", "`x`", "context");
  expect_error(weft_launch_on(saxpy, stream, G, B, y, x, 2.0f, 256), WEFT_ERROR_CONTEXT, "weft_launch", "stream",
               "context");
  weft_array_release(&foreign);
  weft_stream_release(&stream);
  ok(weft_context_close(&other));
  weft_stream *wrong[] = {harness_garbage(), harness_zeroed()};
  for (int i = 0; i < 2; i++) {
    expect_error(weft_launch_on(saxpy, wrong[i], G, B, y, x, 2.0f, 256), WEFT_ERROR_HANDLE, "weft_launch", "@stream");
  }
}
END_TEST

START_TEST(the_function_behind_the_macro)
{
  const weft_arg good[] = {WEFT_ARG(B), WEFT_ARG(y), WEFT_ARG(x), WEFT_ARG(2.0f), WEFT_ARG(256)};
  weft_arg bad[5];
  memcpy(bad, good, sizeof bad);
  weft_error_clear();
  weft_status rc = weft__launch_at(saxpy, G, 5, NULL, WEFT_SITE);
  ck_assert_msg(rc == WEFT_ERROR_ARGUMENT || rc == WEFT_ERROR_KERNEL_ARGUMENT, "%s", harness_error_text());
  const int counts[] = {0, -1, INT32_MIN, 6, 34, 130, INT32_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    weft_error_clear();
    rc = weft__launch_at(saxpy, G, counts[i], good, WEFT_SITE);
    ck_assert_msg(rc == WEFT_ERROR_ARGUMENT || rc == WEFT_ERROR_KERNEL_ARGUMENT, "%d: %s", counts[i],
                  harness_error_text());
    harness_count(1);
  }
  const int kinds[] = {WEFT_ARG_NONE, WEFT_ARG_DIM3 + 1, -1, 1000};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    bad[3].kind = (weft_arg_kind)kinds[i];
    expect_error(weft__launch_at(saxpy, G, 5, bad, WEFT_SITE), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "argument 2",
                 "`a`");
    harness_count(1);
  }
  memcpy(bad, good, sizeof bad);
  bad[4].as.scalar.dtype = (weft_dtype)77;
  expect_error(weft__launch_at(saxpy, G, 5, bad, WEFT_SITE), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch", "argument 3",
               "`n`");
}
END_TEST

START_TEST(error_names_the_callers_line)
{
  char site[64];
  weft_status rc = weft_launch(saxpy, G, B, y, x, 2.0, 256);
  ck_assert_int_ne(rc, WEFT_OK);
  snprintf(site, sizeof site, "test_launch_errors.c:%d", __LINE__ - 2);
  ck_assert_msg(strstr(weft_error_last()->site, site) != NULL, "%s, expected %s", weft_error_last()->site, site);
  ck_assert_str_eq(weft_error_last()->function, "weft_launch");
}
END_TEST

/* ---- limits ---- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The launch must be refused with these texts within 1 ms (the best of five: the machine may be busy). */
static void refuse(weft_kernel *kernel, weft_dim3 grid, weft_dim3 block, const char *asked, const char *limit) {
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    weft_error_clear();
    double start = seconds();
    weft_status rc = weft_launch(kernel, grid, block);
    double took = seconds() - start;
    if (took < best) best = took;
    ck_assert_msg(rc == WEFT_ERROR_LAUNCH_LIMIT, "%s: %s", asked, harness_error_text());
    const char *message = weft_error_last()->message;
    ck_assert_msg(strstr(message, "weft_launch") && strstr(message, "nothing") && strstr(message, asked) &&
                      strstr(message, limit),
                  "no \"%s\" or \"%s\" in %s", asked, limit, harness_error_text());
  }
  ck_assert_msg(best < 1e-3, "%s: refused after %g ms", asked, best * 1e3);
  harness_count(1);
}

START_TEST(grids_over_the_limits)
{
  weft_kernel *k = build("kernel void nothing() {}\n", NULL);
  weft_device_info info;
  const uint64_t two = 2;
  ok(weft_context_get_device(&info, ctx));
  char max_threads[32], over[32], max_blocks[32];
  snprintf(max_threads, sizeof max_threads, "%" PRIu64, info.max_block_threads);
  snprintf(over, sizeof over, "%" PRIu64, info.max_block_threads + 1);
  snprintf(max_blocks, sizeof max_blocks, "%" PRIu64, info.max_grid_blocks);
  refuse(k, WEFT_DIM3(two << 49), G, "1125899906842624", "2147483647");               /* 2^50 */
  refuse(k, WEFT_DIM3(two << 61), WEFT_DIM3(4), "4611686018427387904", "2147483647"); /* 2^62 x 4: 2^64 wraps to 0 */
  refuse(k, WEFT_DIM3(two << 30), G, "2147483648", "2147483647");
  refuse(k, WEFT_DIM3(UINT64_MAX), G, "18446744073709551615", "2147483647");
  refuse(k, WEFT_DIM3(1, 65536), G, "65536", "65535");
  refuse(k, WEFT_DIM3(1, 1, 65536), G, "65536", "65535");
  refuse(k, WEFT_DIM3(1, UINT64_MAX, UINT64_MAX), G, "18446744073709551615", "65535");
  refuse(k, G, WEFT_DIM3(info.max_block_threads + 1), over, max_threads);
  refuse(k, G, WEFT_DIM3(1, info.max_block_threads + 1), over, max_threads);
  refuse(k, G, WEFT_DIM3(UINT64_MAX), "18446744073709551615", max_threads);
  refuse(k, G, WEFT_DIM3(two << 31, two << 31), "4294967296", max_threads); /* 2^64 wraps to 0 */
  refuse(k, G, WEFT_DIM3(two << 31, two << 31, 2), "4294967296", max_threads);
  if (info.max_block[0] * 2 <= UINT32_MAX && info.max_block[1] > 1) {
    snprintf(over, sizeof over, "%" PRIu64, info.max_block[0] * 2);
    refuse(k, G, WEFT_DIM3(info.max_block[0], 2), info.max_block[0] == info.max_block_threads ? over : "2",
           max_threads);
  }
  if (info.max_grid_blocks < UINT64_C(65535) * 65535 * 2) refuse(k, WEFT_DIM3(65535, 65535, 2), G, "65535", max_blocks);
  if (info.max_grid_blocks < UINT64_C(1) << 32) refuse(k, WEFT_DIM3(65536, 65535, 2), G, "65536", max_blocks);
  /* grid * block overflows 64 bits only beyond the other limits; a grid within them must also not run for ever */
  ok(weft_context_wait(ctx));
  weft_kernel_release(&k);
}
END_TEST

START_TEST(nothing_to_launch)
{
  weft_kernel *k = build("kernel void nothing() {}\n", NULL);
  refuse(k, WEFT_DIM3(0), G, "0", "grid");
  refuse(k, WEFT_DIM3(1, 0), G, "0", "grid");
  refuse(k, WEFT_DIM3(1, 1, 0), G, "0", "grid");
  refuse(k, G, WEFT_DIM3(0), "0", "block");
  refuse(k, G, WEFT_DIM3(1, 0), "0", "block");
  refuse(k, G, WEFT_DIM3(1, 1, 0), "0", "block");
  weft_kernel_release(&k);
}
END_TEST

START_TEST(required_block)
{
  weft_kernel *k = build("kernel __attribute__((reqd_work_group_size(8, 4, 1))) void nothing() {}\n", NULL);
  refuse(k, G, WEFT_DIM3(8), "8", "4");
  refuse(k, G, WEFT_DIM3(4, 8), "8", "4");
  refuse(k, G, WEFT_DIM3(8, 4, 2), "2", "8");
  ok(weft_launch(k, G, WEFT_DIM3(8, 4)));
  ok(weft_context_wait(ctx));
  weft_kernel_release(&k);
}
END_TEST

/* More than some devices report, which have it nevertheless: what builds can be launched there. */
START_TEST(much_local_memory_of_a_kernel)
{
  enum { COUNT = 16384 };
  static int32_t got[COUNT];
  weft_kernel *k = NULL;
  weft_array *result = NULL;
  ok(weft_empty(&result, ctx, WEFT_I32, WEFT_SHAPE(COUNT)));
  weft_status rc =
      weft_kernel_create(&k, ctx,
                         .source =
                             "kernel void k(global int *y) {\n  local int c[16384];\n"
                             "  for (int i = get_local_id(0); i < 16384; i += 64) c[i] = 3 * i;\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  for (int i = get_local_id(0); i < 16384; i += 64) y[i] = c[16383 - i];\n}\n");
  if (!rc) rc = weft_launch(k, WEFT_DIM3(1), WEFT_DIM3(64), result);
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  if (info.local_memory_bytes >= sizeof got) ok(rc);
  if (!rc) {
    ok(weft_to_host(got, sizeof got, result));
    for (int i = 0; i < COUNT; i++) ck_assert_int_eq(got[i], 3 * (COUNT - 1 - i));
  }
  weft_release(&k, &result);
}
END_TEST

START_TEST(local_memory_over_the_limit)
{
  weft_kernel *k = build(
      "kernel void k(local int *a, local int *b) {\n  local int c[256];\n  c[get_local_id(0)] = 1;\n  a[0] = b[0] = "
      "c[0];\n}\n",
      NULL);
  weft_device_info info;
  char limit[32];
  ok(weft_context_get_device(&info, ctx));
  size_t all = (size_t)info.local_memory_bytes;
  snprintf(limit, sizeof limit, "%zu", all);
  const size_t sizes[][2] = {{all + 1, 4},    {4, all + 1},  {all / 2 + 4, all / 2},
                             {all - 1023, 4}, {SIZE_MAX, 4}, {SIZE_MAX - 3, 8}};
  weft_kernel_info kernel_info;
  ok(weft_kernel_get(&kernel_info, k));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    /* over the limit only with the kernel's own local memory, which PoCL 5 does not report */
    if (sizes[i][0] == all - 1023 && kernel_info.local_memory_bytes < 1024) continue;
    expect_error(weft_launch(k, G, WEFT_DIM3(16), WEFT_LOCAL(sizes[i][0]), WEFT_LOCAL(sizes[i][1])),
                 WEFT_ERROR_LAUNCH_LIMIT, "weft_launch", "local", limit);
    harness_count(1);
  }
  expect_error(weft_launch(k, G, WEFT_DIM3(16), WEFT_LOCAL(SIZE_MAX), WEFT_LOCAL(SIZE_MAX)), WEFT_ERROR_LAUNCH_LIMIT,
               "local memory of 18446744073709551615 bytes", "18446744073709551615 by arguments");
  expect_error(weft_launch(k, G, WEFT_DIM3(16), WEFT_LOCAL(0), WEFT_LOCAL(4)), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `a`", "WEFT_LOCAL(0)", "pass WEFT_LOCAL(1)");
  ok(weft_launch(k, G, WEFT_DIM3(16), WEFT_LOCAL(all / 4), WEFT_LOCAL(all / 4)));
  ok(weft_context_wait(ctx));
  weft_kernel_release(&k);
}
END_TEST

/// Arrays that hold no whole number of a parameter's vectors, and rows of three, which a vector of three is not.
START_TEST(vectors)
{
  static const struct {
    const char *type, *says[2];
    weft_dtype dtype;
    weft_shape shape;
  } cases[] = {
      {"float4", {"f32[7]", "vload4"}, WEFT_F32, {1, {7}}},
      {"float4", {NULL}, WEFT_F32, {1, {8}}},
      {"float4", {NULL}, WEFT_F32, {2, {8, 3}}},
      {"float4", {"f32[]", "4 elements"}, WEFT_F32, {0, {0}}},
      {"float4", {NULL}, WEFT_F32, {1, {0}}},
      {"float3", {"f32[5,3]", "vload3"}, WEFT_F32, {2, {5, 3}}},
      {"float3", {"f32[4,3]", "three and a gap"}, WEFT_F32, {2, {4, 3}}},
      {"float3", {"f32[3]", "vload3"}, WEFT_F32, {1, {3}}},
      {"float3", {NULL}, WEFT_F32, {2, {5, 4}}},
      {"float3", {NULL}, WEFT_F32, {1, {12}}},
      {"uchar3", {"u8[2,4,3]", "vload3"}, WEFT_U8, {3, {2, 4, 3}}},
      {"uchar4", {NULL}, WEFT_U8, {3, {2, 2, 4}}},
      {"int2", {"i32[3,3]", "2 elements"}, WEFT_I32, {2, {3, 3}}},
      {"ushort8", {"u16[12]", "8 elements"}, WEFT_U16, {1, {12}}},
      {"float16", {NULL}, WEFT_F32, {2, {4, 4}}},
      {"float2", {NULL}, WEFT_C64, {1, {3}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    weft_array *v = NULL;
    snprintf(text, sizeof text, "kernel void k(global %s *x, global const %s *y) { if (x != y) x[0] = y[0]; }\n",
             cases[i].type, cases[i].type);
    weft_kernel *k = build(text, NULL);
    ok(weft_zeros(&v, ctx, cases[i].dtype, cases[i].shape));
    if (cases[i].says[0])
      expect_error(weft_launch(k, G, G, v, v), WEFT_ERROR_SHAPE, "argument 0 `x`", cases[i].says[0], cases[i].says[1],
                   cases[i].type, "@x");
    else
      ok(weft_launch(k, G, G, v, v));
    ok(weft_context_wait(ctx));
    weft_release(&k, &v);
    harness_count(1);
  }
}
END_TEST

static int warnings;

static void count_warnings(void *user, weft_log_level level, const char *message) {
  (void)user;
  if (level == WEFT_LOG_WARNING && strstr(message, "vload3")) warnings++;
}

/// Each process is warned once.
START_TEST(vectors_of_three_take_four)
{
  weft_array *v = NULL;
  weft_kernel *k = build("kernel void k(global float3 *x) { x[1] = (float3)(1, 2, 3); }\n", NULL);
  float got[8];
  weft_log_set(WEFT_LOG_WARNING, count_warnings, NULL);
  ok(weft_zeros(&v, ctx, WEFT_F32, WEFT_SHAPE(2, 4)));
  for (int i = 0; i < 2; i++) ok(weft_launch(k, G, G, v));
  ok(weft_to_host(got, sizeof got, v));
  ck_assert(got[3] == 0 && got[4] == 1 && got[6] == 3);
  ck_assert_int_eq(warnings, 1);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  weft_release(&k, &v);
  harness_count(1);
}
END_TEST

/// What the message says of a kernel that alone has too much.
START_TEST(local_memory_of_both)
{
  weft_device_info info;
  weft_kernel_info kernel_info;
  weft_kernel *k = NULL;
  char text[200], own[60];
  ok(weft_context_get_device(&info, ctx));
  snprintf(text, sizeof text,
           "kernel void k(local int *a, global char *y) { local char c[%llu]; c[0] = 1; a[0] = 2; "
           "y[0] = c[0] + a[0]; }\n",
           (unsigned long long)info.local_memory_bytes + 64);
  /* a driver may refuse to build it, and some do not tell what a kernel has */
  if (weft_kernel_create(&k, ctx, .source = text) == WEFT_OK && weft_kernel_get(&kernel_info, k) == WEFT_OK &&
      kernel_info.local_memory_bytes > info.local_memory_bytes) {
    snprintf(own, sizeof own, "(%llu of the kernel, 48 by arguments)",
             (unsigned long long)kernel_info.local_memory_bytes);
    weft_array *sums = NULL;
    ok(weft_zeros(&sums, ctx, WEFT_I8, WEFT_SHAPE(1)));
    expect_error(weft_launch(k, G, G, WEFT_LOCAL(48), sums), WEFT_ERROR_LAUNCH_LIMIT, "local memory of", own);
    weft_release(&sums);
    harness_count(1);
  }
  weft_release(&k);
}
END_TEST

START_TEST(closed)
{
  harness_context_open();
  weft_kernel *k = build("kernel void nothing() {}\n", NULL);
  weft_context *second = weft_context_retain(ctx);
  weft_kernel *kept = k;
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", "test_launch_errors.c:");
  expect_error(weft_launch(kept, G, G), WEFT_ERROR_CLOSED, "weft_launch", "closed");
  weft_kernel_release(&k);
  weft_context_release(&second);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "arguments");
  tcase_add_checked_fixture(tc, saxpy_setup, saxpy_teardown);
  tcase_add_test(tc, wrong_number);
  tcase_add_test(tc, wrong_type);
  tcase_add_test(tc, the_block_is_an_argument_too);
  tcase_add_test(tc, values_that_do_not_fit);
  tcase_add_test(tc, wrong_dtype);
  tcase_add_test(tc, wrong_arrays);
  tcase_add_test(tc, views_no_kernel_can_take);
  tcase_add_test(tc, struct_of_the_wrong_size);
  tcase_add_test(tc, objects_of_another_context);
  tcase_add_test(tc, the_function_behind_the_macro);
  tcase_add_test(tc, error_names_the_callers_line);
  tc = harness_context_case(suite, "limits");
  tcase_add_test(tc, grids_over_the_limits);
  tcase_add_test(tc, nothing_to_launch);
  tcase_add_test(tc, required_block);
  tcase_add_test(tc, local_memory_over_the_limit);
  tcase_add_test(tc, local_memory_of_both);
  tcase_add_test(tc, vectors_of_three_take_four); /* before others that cause the warning */
  tcase_add_test(tc, vectors);
  tcase_add_test(tc, much_local_memory_of_a_kernel);
  tc = harness_case(suite, "close");
  tcase_add_test(tc, closed);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "launch_errors", .add = add});
}
