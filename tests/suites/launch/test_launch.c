// SPDX-License-Identifier: MIT
/// Successful launches: every argument kind, grids and blocks of 1 to 3 dimensions, local memory, sub-views, streams,
/// threads. test_launch_errors.c tests refused launches.
#include <pthread.h>
#include <stdio.h>

#include "views.h"

static weft_kernel *build(const char *source, const char *name) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = name));
  return kernel;
}

static const char SAXPY[] =
    "#include \"weft/prelude.clh\"\n"
    "kernel void saxpy(global float *y, global const float *x, float a, long n) {\n"
    "  ulong i = weft_global_id();\n"
    "  if (i < (ulong)n) y[i] = a * x[i] + y[i];\n"
    "}\n";

START_TEST(saxpy_of_the_design)
{
  const int64_t sizes[] = {1, 255, 256, 257, 10000};
  weft_kernel *saxpy = build(SAXPY, NULL);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int64_t n = sizes[s];
    weft_array *x = NULL, *y = NULL;
    static float data[10000];
    ok(weft_arange(&x, ctx, WEFT_F32, 0, n, 1));
    ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(n), 0.5));
    ok(weft_launch(saxpy, WEFT_DIM3(weft_ceil_div((uint64_t)n, 256)), WEFT_DIM3(256), y, x, 2.0f, n));
    ok(weft_to_host(data, (size_t)n * 4, y));
    for (int64_t i = 0; i < n; i++) ck_assert_float_eq(data[i], 2.0f * (float)i + 0.5f);
    weft_array_release(&x);
    weft_array_release(&y);
    harness_count(1);
  }
  weft_kernel_release(&saxpy);
}
END_TEST

/* ---- arguments ---- */

/* A kernel `put` that stores its scalar argument, for any type. */
#define PUT(cl_type, c_type, dtype, ...)                                                                               \
  do {                                                                                                                 \
    const c_type values[] = {__VA_ARGS__};                                                                             \
    weft_kernel *put = build("kernel void put(global " cl_type " *y, " cl_type " v, int at) { y[at] = v; }\n", "put"); \
    weft_array *y = NULL;                                                                                              \
    ok(weft_zeros(&y, ctx, dtype, WEFT_SHAPE(16)));                                                                    \
    for (int v = 0; v < (int)(sizeof values / sizeof *values); v++) {                                                  \
      c_type got[16];                                                                                                  \
      ok(weft_launch(put, WEFT_DIM3(1), WEFT_DIM3(1), y, values[v], v));                                               \
      ok(weft_to_host(got, sizeof got, y));                                                                            \
      ck_assert_msg(memcmp(&got[v], &values[v], sizeof got[v]) == 0, "%s: value %d arrives changed", cl_type, v);      \
      harness_count(1);                                                                                                \
    }                                                                                                                  \
    weft_array_release(&y);                                                                                            \
    weft_kernel_release(&put);                                                                                         \
  } while (0)

START_TEST(scalars_of_every_type)
{
  PUT("char", int8_t, WEFT_I8, INT8_MIN, -1, 0, INT8_MAX);
  PUT("uchar", uint8_t, WEFT_U8, 0, 200, UINT8_MAX);
  PUT("short", int16_t, WEFT_I16, INT16_MIN, -1, INT16_MAX);
  PUT("ushort", uint16_t, WEFT_U16, 0, UINT16_MAX);
  PUT("int", int32_t, WEFT_I32, INT32_MIN, -1, INT32_MAX);
  PUT("uint", uint32_t, WEFT_U32, 0, UINT32_MAX);
  PUT("long", int64_t, WEFT_I64, INT64_MIN, -1, INT64_MAX);
  PUT("ulong", uint64_t, WEFT_U64, 0, UINT64_MAX);
  PUT("float", float, WEFT_F32, 0.1f, -0.0f, INFINITY, 3e38f);
  if (device.has_fp64) PUT("double", double, WEFT_F64, 0.1, -0.0, -INFINITY, 1e308);
  PUT("unsigned int", uint32_t, WEFT_U32, 7, UINT32_MAX);
}
END_TEST

START_TEST(integers_are_converted_when_they_fit)
{
  weft_kernel *kernel = build(
      "kernel void k(global long *y, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h) {\n"
      "  y[0] = a; y[1] = b; y[2] = c; y[3] = d; y[4] = e; y[5] = f; y[6] = g; y[7] = (long)h;\n"
      "}\n",
      NULL);
  weft_array *y = NULL;
  int64_t got[8];
  ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(8)));
  const int64_t small[8] = {-128, 255, -32768, 65535, INT32_MIN, 4294967295, 5, INT64_MAX};
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, small[0], small[1], small[2], small[3], small[4], small[5],
                 small[6], small[7]));
  check_elements(y, small, 8, "from int64_t");
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 100u, (char)5, (unsigned char)6, 7ul, (short)8, true,
                 (signed char)-9, 10));
  const int64_t mixed[8] = {100, 5, 6, 7, 8, 1, -9, 10};
  check_elements(y, mixed, 8, "from mixed types");
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, WEFT_SCALAR(1), 'A', WEFT_SCALAR(3ull), 4, 5, 6, 7, 8));
  ok(weft_to_host(got, sizeof got, y));
  ck_assert_int_eq(got[1], 'A');
  ck_assert_int_eq(got[2], 3);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

typedef struct particle {
  float x, y, z;
  int32_t id;
} particle;
typedef struct float4 {
  float v[4];
} float4;

START_TEST(structs_vectors_and_typedefs)
{
  weft_kernel *kernel = build(
      "typedef struct { float x, y, z; int id; } particle;\n"
      "typedef float weight;\n"
      "kernel void k(global float *y, particle p, float4 v, weight w, int2 pair) {\n"
      "  y[0] = p.x; y[1] = p.y; y[2] = p.z; y[3] = p.id; y[4] = v.x; y[5] = v.w; y[6] = w; y[7] = pair.y;\n"
      "}\n",
      NULL);
  particle p = {1, 2, 3, 4};
  float4 v = {{5, 50, 500, 6}};
  float w = 7;
  struct {
    int32_t v[2];
  } pair = {{80, 8}};
  weft_array *y = NULL;
  float expected[8];
  for (int i = 0; i < 8; i++) expected[i] = (float)(i + 1);
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(8)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, WEFT_STRUCT(p), WEFT_STRUCT(v), WEFT_STRUCT(w),
                 WEFT_STRUCT(pair)));
  p.x = v.v[0] = w = -1; /* "its bytes are copied by the launch" */
  check_elements(y, expected, 8, "by value");
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(local_memory)
{
  weft_kernel *kernel = build(
      "kernel void reverse(global int *y, local int *first, local uchar *second) {\n"
      "  int t = get_local_id(0), n = get_local_size(0), at = get_global_id(0);\n"
      "  first[t] = y[at];\n"
      "  second[t] = (uchar)t;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  y[at] = first[n - 1 - t] * 1000 + second[n - 1 - t];\n"
      "}\n",
      NULL);
  for (int n = 1; n <= 64; n *= 4) {
    weft_array *y = NULL;
    int32_t got[3 * 64];
    ok(weft_arange(&y, ctx, WEFT_I32, 0, 3 * n, 1));
    ok(weft_launch(kernel, WEFT_DIM3(3), WEFT_DIM3(n), y, WEFT_LOCAL((size_t)n * sizeof(int32_t)),
                   WEFT_LOCAL((size_t)n)));
    ok(weft_to_host(got, (size_t)n * 12, y));
    for (int i = 0; i < 3 * n; i++) ck_assert_int_eq(got[i], (i / n * n + n - 1 - i % n) * 1000 + (n - 1 - i % n));
    weft_array_release(&y);
    harness_count(1);
  }
  weft_kernel_release(&kernel);
}
END_TEST

/* The largest number of arguments. */
START_TEST(the_most_arguments)
{
  char source[8192];
  weft_kernel *kernel = NULL, *over = NULL;
  weft_array *y = NULL;
  for (int count = WEFT_MAX_KERNEL_ARGUMENTS; count <= WEFT_MAX_KERNEL_ARGUMENTS + 1; count++) {
    size_t at = (size_t)snprintf(source, sizeof source, "kernel void many(global long *y");
    for (int i = 1; i < count; i++) at += (size_t)snprintf(source + at, sizeof source - at, ", int a%d", i);
    at += (size_t)snprintf(source + at, sizeof source - at, ") {\n  y[0] = 0");
    for (int i = 1; i < count; i++) at += (size_t)snprintf(source + at, sizeof source - at, " + %d * a%d", i, i);
    at += (size_t)snprintf(source + at, sizeof source - at, ";\n}\n");
    if (count == WEFT_MAX_KERNEL_ARGUMENTS)
      ok(weft_kernel_create(&kernel, ctx, .source = source));
    else
      expect_error(weft_kernel_create(&over, ctx, .source = source), WEFT_ERROR_KERNEL_ARGUMENT, "129 parameters",
                   "128");
  }
  ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(1)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
                 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70,
                 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96,
                 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117,
                 118, 119, 120, 121, 122, 123, 124, 125, 126, 127));
  int64_t expected = 0;
  for (int i = 1; i < 128; i++) expected += i * i;
  check_elements(y, &expected, 1, "128 arguments");
  expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 1, 2, 3), WEFT_ERROR_KERNEL_ARGUMENT, "128", "4");
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(null_is_a_pointer_too)
{
  weft_kernel *kernel = build(
      "kernel void k(global int *y, global const float *x, constant int *c) {\n"
      "  y[0] = (x ? (int)x[0] : 10) + (c ? c[0] : 100);\n"
      "}\n",
      NULL);
  weft_array *y = NULL, *x = NULL, *c = NULL;
  void *none = NULL;
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(1), 1));
  ok(weft_full(&c, ctx, WEFT_I32, WEFT_SHAPE(1), 2));
  const int32_t expected[4] = {3, 12, 101, 110};
  for (int round = 0; round < 2; round++) { /* no value of an earlier launch is reused */
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, x, c));
    check_elements(y, &expected[0], 1, "both");
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, NULL, c));
    check_elements(y, &expected[1], 1, "no x");
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, x, none));
    check_elements(y, &expected[2], 1, "no c");
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, NULL, NULL));
    check_elements(y, &expected[3], 1, "neither");
  }
  weft_array_release(&y);
  weft_array_release(&x);
  weft_array_release(&c);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(no_arguments)
{
  weft_kernel *kernel = build("kernel void nothing() {}\n", NULL);
  weft_memory_stats before, after;
  ok(weft_memory_get(&before, ctx));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1)));
  ok(weft_launch(kernel, WEFT_DIM3(1 << 20), WEFT_DIM3(256)));
  ok(weft_context_wait(ctx));
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_eq(after.launches - before.launches, 2);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(arrays_of_every_dtype_are_pointers)
{
  const struct {
    weft_dtype dtype;
    const char *cl_type;
  } cases[] = {
      {WEFT_BOOL, "uchar"}, {WEFT_I8, "char"},    {WEFT_I16, "short"}, {WEFT_I32, "int"},    {WEFT_I64, "long"},
      {WEFT_U8, "uchar"},   {WEFT_U16, "ushort"}, {WEFT_U32, "uint"},  {WEFT_U64, "ulong"},  {WEFT_F16, "half"},
      {WEFT_F32, "float"},  {WEFT_F64, "double"}, {WEFT_C64, "uchar"}, {WEFT_C128, "uchar"}, {WEFT_BF16, "ushort"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char source[300];
    weft_array *x = NULL, *y = NULL;
    size_t size = weft_dtype_size_bytes(cases[i].dtype);
    unsigned char data[16 * 16];
    if (!harness_has_dtype(cases[i].dtype)) continue;
    harness_random random = harness_random_start(i);
    elements_random(&random, cases[i].dtype, data, 16);
    snprintf(source, sizeof source,
             "kernel void k(global %s *y, const global %s *x, uint bytes) {\n  for (uint i = 0; i < bytes; i++) "
             "((global uchar *)y)[i] = "
             "((const global uchar *)x)[i];\n}\n",
             cases[i].cl_type, cases[i].cl_type);
    weft_kernel *kernel = build(source, NULL);
    ok(weft_from_host(&x, ctx, cases[i].dtype, WEFT_SHAPE(4, 4), data));
    ok(weft_zeros_like(&y, x));
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, (const weft_array *)x, 16 * size));
    check_elements(y, data, 16, weft_dtype_name(cases[i].dtype));
    weft_array_release(&x);
    weft_array_release(&y);
    weft_kernel_release(&kernel);
    harness_count(1);
  }
}
END_TEST

START_TEST(pointers_to_bytes_and_structs_accept_any_dtype)
{
  weft_kernel *kernel = build(
      "typedef struct { float x, y, z; int id; } particle;\n"
      "kernel void k(global particle *p, global uchar *bytes, int n) {\n"
      "  int i = get_global_id(0);\n"
      "  if (i < n) { p[i].id += i; bytes[4 * i] = 7; }\n"
      "}\n",
      NULL);
  particle data[5] = {{0}};
  weft_array *x = NULL, *bytes = NULL;
  for (int i = 0; i < 5; i++) data[i].id = 10 * i;
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(5, sizeof(particle)), data));
  ok(weft_zeros(&bytes, ctx, WEFT_U32, WEFT_SHAPE(5)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(8), x, bytes, 5));
  ok(weft_to_host(data, sizeof data, x));
  for (int i = 0; i < 5; i++) ck_assert_int_eq(data[i].id, 11 * i);
  const uint32_t sevens[5] = {7, 7, 7, 7, 7};
  check_elements(bytes, sevens, 5, "uchar pointer");
  weft_array_release(&x);
  weft_array_release(&bytes);
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- grids and blocks ---- */

START_TEST(every_thread_runs_once)
{
  weft_kernel *kernel = build(
      "#include \"weft/prelude.clh\"\n"
      "kernel void k(global int *y, int3 total) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
      "  y[((long)z * total.y + j) * total.x + x] += 1 + x + 1000 * j + 1000000 * z;\n"
      "}\n",
      NULL);
  harness_random random = harness_random_start(1);
  for (int round = 0; round < 40; round++) {
    int dims = 1 + round % 3;
    const weft_dim3 blocks[3][3] = {
        {{1, 1, 1}, {7, 1, 1}, {64, 1, 1}}, {{3, 5, 1}, {16, 2, 1}, {1, 4, 1}}, {{2, 3, 4}, {5, 1, 2}, {1, 1, 3}}};
    weft_dim3 grid = WEFT_DIM3(harness_between(&random, 1, 12)),
              block = blocks[dims - 1][harness_between(&random, 0, 2)];
    if (dims > 1) grid.y = (uint64_t)harness_between(&random, 1, 6);
    if (dims > 2) grid.z = (uint64_t)harness_between(&random, 1, 4);
    int64_t nx = (int64_t)(grid.x * block.x), ny = (int64_t)(grid.y * block.y), nz = (int64_t)(grid.z * block.z);
    int32_t total[4] = {(int32_t)nx, (int32_t)ny, (int32_t)nz, 0}; /* int3 has the size of int4 */
    weft_array *y = NULL;
    int32_t *got = malloc((size_t)(nx * ny * nz) * 4);
    ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(nz, ny, nx)));
    ok(weft_launch(kernel, grid, block, y, WEFT_STRUCT(total)));
    ok(weft_to_host(got, (size_t)(nx * ny * nz) * 4, y));
    for (int64_t z = 0; z < nz; z++) {
      for (int64_t j = 0; j < ny; j++) {
        for (int64_t x = 0; x < nx; x++) ck_assert_int_eq(got[(z * ny + j) * nx + x], 1 + x + 1000 * j + 1000000 * z);
      }
    }
    free(got);
    weft_array_release(&y);
    harness_count(1);
  }
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(the_largest_block_there_is)
{
  weft_kernel *kernel = build("kernel void k(global int *y) { y[get_global_id(0)] = get_local_id(0); }\n", NULL);
  weft_kernel_info info;
  weft_array *y = NULL;
  ok(weft_kernel_get(&info, kernel));
  int64_t n = (int64_t)info.max_block_threads;
  int32_t *got = malloc((size_t)n * 4);
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(n)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(n), y));
  ok(weft_to_host(got, (size_t)n * 4, y));
  for (int64_t i = 0; i < n; i++) ck_assert_int_eq(got[i], i);
  free(got);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(two_to_the_30_threads)
{
  weft_kernel *kernel = build("kernel void nothing() {}\n", NULL);
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  ck_assert_uint_ge(info.max_block_threads, 1024);
  ok(weft_launch(kernel, WEFT_DIM3(1 << 20), WEFT_DIM3(1024)));
  ok(weft_context_wait(ctx));
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- views as arguments ---- */

START_TEST(views_that_start_at_an_aligned_place)
{
  weft_kernel *kernel = build(
      "kernel void k(global int *y, global const int *x) { y[get_global_id(0)] = x[get_global_id(0)] + 1; }\n", NULL);
  weft_device_info info;
  weft_array *x = NULL, *from = NULL, *to = NULL;
  ok(weft_context_get_device(&info, ctx));
  int64_t align = info.address_align_bytes < 4 ? 1 : (int64_t)info.address_align_bytes / 4, n = 4 * align;
  int32_t *expected = malloc((size_t)n * 4);
  for (int64_t i = 0; i < n; i++) expected[i] = (int32_t)i;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, n, 1));
  ok(weft_slice(&from, x, 0, align, 2 * align));
  ok(weft_slice(&to, x, 0, 3 * align, 4 * align));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(align), to, from)); /* two parts of one storage */
  for (int64_t i = 0; i < align; i++) expected[3 * align + i] = expected[align + i] + 1;
  check_elements(x, expected, n, "sub-views");
  /* the second launch reads the first one's writes */
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(align), from, to));
  for (int64_t i = 0; i < align; i++) expected[align + i] = expected[3 * align + i] + 1;
  check_elements(x, expected, n, "sub-views, back");
  weft_array_release(&from);
  ok(weft_reshape(&from, x, WEFT_SHAPE(2, 2, align))); /* a reshape of the whole array covers it */
  ok(weft_launch(kernel, WEFT_DIM3(4), WEFT_DIM3(align), from, x));
  for (int64_t i = 0; i < n; i++) expected[i]++;
  check_elements(x, expected, n, "reshaped");
  free(expected);
  weft_array_release(&from);
  weft_array_release(&to);
  weft_array_release(&x);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(arrays_without_elements_or_axes)
{
  weft_kernel *kernel =
      build("kernel void k(global int *y, global const int *x, int n) { if (n > 0) y[0] = x[0]; }\n", NULL);
  weft_array *none = NULL, *one = NULL, *other = NULL;
  ok(weft_zeros(&none, ctx, WEFT_I32, WEFT_SHAPE(0)));
  ok(weft_full(&one, ctx, WEFT_I32, WEFT_SHAPE_0D, 3));
  ok(weft_full(&other, ctx, WEFT_I32, WEFT_SHAPE_0D, 4));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), none, none, 0));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), one, other, 1));
  const int32_t four = 4;
  check_elements(one, &four, 1, "0-d");
  weft_array_release(&none);
  weft_array_release(&one);
  weft_array_release(&other);
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- streams, threads, WEFT_SYNC ---- */

START_TEST(launches_on_streams_are_ordered_by_their_arrays)
{
  weft_kernel *kernel = build(SAXPY, NULL);
  enum { N = 100000, STREAMS = 3, ROUNDS = 16 };
  weft_stream *streams[STREAMS] = {NULL}; /* the last stays NULL: the context's own stream */
  harness_random random = harness_random_start(7);
  static float got[N];
  for (int i = 0; i < STREAMS - 1; i++) ok(weft_stream_create(&streams[i], ctx));
  for (int trial = 0; trial < 10; trial++) {
    weft_array *a = NULL, *b = NULL;
    float x = 1, y = 0;
    ok(weft_full(&a, ctx, WEFT_F32, WEFT_SHAPE(N), x));
    ok(weft_full(&b, ctx, WEFT_F32, WEFT_SHAPE(N), y));
    for (int round = 0; round < ROUNDS; round++) { /* b += a, a += b: Fibonacci's numbers, wrong in any other order */
      weft_stream *stream = streams[harness_between(&random, 0, STREAMS - 1)];
      ok(weft_launch_on(kernel, stream, WEFT_DIM3(weft_ceil_div(N, 256)), WEFT_DIM3(256), b, a, 1.0f, N));
      stream = streams[harness_between(&random, 0, STREAMS - 1)];
      ok(weft_launch_on(kernel, stream, WEFT_DIM3(weft_ceil_div(N, 256)), WEFT_DIM3(256), a, b, 1.0f, N));
      y += x;
      x += y;
    }
    ok(weft_to_host(got, sizeof got, a));
    for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], x);
    ok(weft_to_host(got, sizeof got, b));
    for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], y);
    weft_array_release(&a);
    weft_array_release(&b);
    harness_count(1);
  }
  for (int i = 0; i < STREAMS; i++) weft_stream_release(&streams[i]);
  weft_kernel_release(&kernel);
}
END_TEST

typedef struct worker {
  weft_kernel *kernel;
  int id;
  const char *failure;
} worker;

static void *launch_many(void *data) {
  enum { N = 500, ROUNDS = 100 };
  worker *w = data;
  weft_array *x = NULL, *y = NULL;
  float got[N];
  if (weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(N), w->id + 1) != WEFT_OK ||
      weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(N)) != WEFT_OK) {
    w->failure = "making arrays";
  }
  for (int round = 0; round < ROUNDS && !w->failure; round++) {
    /* each thread has its own size and factor, so that exchanged arguments are detected */
    int64_t n = N - w->id * 100;
    if (weft_launch(w->kernel, WEFT_DIM3(4), WEFT_DIM3(128), y, x, (float)(w->id + 2), n) != WEFT_OK)
      w->failure = "launching";
  }
  if (!w->failure && weft_to_host(got, sizeof got, y) != WEFT_OK) w->failure = "reading";
  for (int i = 0; i < N && !w->failure; i++) {
    float expected = i < N - w->id * 100 ? (float)(ROUNDS * (w->id + 1) * (w->id + 2)) : 0.0f;
    if (got[i] != expected) w->failure = "a wrong result";
  }
  weft_array_release(&x);
  weft_array_release(&y);
  return NULL;
}

START_TEST(four_threads_launch_one_kernel)
{
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  worker workers[THREADS];
  weft_kernel *kernel = build(SAXPY, NULL);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.kernel = kernel, .id = i};
    ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_many, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) ck_assert_msg(workers[i].failure == NULL, "thread %d: %s", i, workers[i].failure);
  weft_kernel_release(&kernel);
  harness_count(THREADS);
}
END_TEST

START_TEST(a_kernel_may_be_released_at_once)
{
  weft_array *x = NULL, *y = NULL;
  weft_kernel *kernel = build(SAXPY, NULL);
  float got[100];
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(100)));
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(100)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(128), y, x, 4.0f, 100));
  weft_kernel_release(&kernel);
  weft_array_release(&x);        /* the sources may be released too */
  for (int i = 0; i < 20; i++) { /* and their memory may be reused */
    ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(100), 99));
    weft_array_release(&x);
  }
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 100; i++) ck_assert_float_eq(got[i], 5.0f);
  weft_array_release(&y);
}
END_TEST

START_TEST(weft_sync_finishes_after_each_launch)
{
  setenv("WEFT_SYNC", "1", 1);
  harness_context_open();
  weft_kernel *kernel = build(SAXPY, NULL);
  weft_array *x = NULL, *y = NULL;
  const float expected[2] = {3, 3};
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(2), y, x, 2.0f, 2));
  check_elements(y, expected, 2, "WEFT_SYNC");
  weft_array_release(&x);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
  harness_context_close();
}
END_TEST

/* Only NVIDIA's driver survives a write out of bounds and reports it; a CPU device ends the process. */
START_TEST(a_lost_context_names_the_launch)
{
  weft_array *y = NULL;
  float got[4];
  harness_context_open();
  if (!strstr(device.platform, "NVIDIA")) {
    ck_assert_int_ne(device.type, WEFT_DEVICE_TYPE_OTHER);
    harness_context_close();
    return;
  }
  weft_kernel *kernel = build("kernel void culprit(global float *y, long at) { y[at] = 1; }\n", NULL);
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(4)));
  if (getenv("WEFT_CHECKS")) { /* guard mode waits for each launch */
    expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, INT64_C(1) << 44), WEFT_ERROR_LOST, "weft_launch",
                 "culprit");
  } else {
    ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, INT64_C(1) << 44));
  }
  expect_error(weft_context_wait(ctx), WEFT_ERROR_LOST, "weft_context_wait", "culprit");
  expect_error(weft_to_host(got, sizeof got, y), WEFT_ERROR_LOST, "weft_to_host", "culprit");
  expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y, 0), WEFT_ERROR_LOST, "weft_launch", "culprit");
  weft_array_release(&y);
  weft_kernel_release(&kernel);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LOST, "weft_context_close", "culprit");
  ck_assert_ptr_null(ctx);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "arguments");
  tcase_add_test(tc, saxpy_of_the_design);
  tcase_add_test(tc, scalars_of_every_type);
  tcase_add_test(tc, integers_are_converted_when_they_fit);
  tcase_add_test(tc, structs_vectors_and_typedefs);
  tcase_add_test(tc, local_memory);
  tcase_add_test(tc, the_most_arguments);
  tcase_add_test(tc, null_is_a_pointer_too);
  tcase_add_test(tc, no_arguments);
  tcase_add_test(tc, arrays_of_every_dtype_are_pointers);
  tcase_add_test(tc, pointers_to_bytes_and_structs_accept_any_dtype);
  tc = harness_context_case(suite, "grids");
  tcase_add_test(tc, every_thread_runs_once);
  tcase_add_test(tc, the_largest_block_there_is);
  tcase_add_test(tc, two_to_the_30_threads);
  tc = harness_context_case(suite, "views");
  tcase_add_test(tc, views_that_start_at_an_aligned_place);
  tcase_add_test(tc, arrays_without_elements_or_axes);
  tc = harness_context_case(suite, "order");
  tcase_add_test(tc, launches_on_streams_are_ordered_by_their_arrays);
  tcase_add_test(tc, four_threads_launch_one_kernel);
  tcase_add_test(tc, a_kernel_may_be_released_at_once);
  tc = harness_case(suite, "process");
  tcase_add_test(tc, weft_sync_finishes_after_each_launch);
  tcase_add_test(tc, a_lost_context_names_the_launch);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "launch", .add = add});
}
