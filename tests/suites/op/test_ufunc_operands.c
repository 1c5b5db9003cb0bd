// SPDX-License-Identifier: MIT
/// Guarantees of weft/ufunc.h on operands: C scalars are weak, host memory is copied, work on other streams is waited
/// for.
#include <stdio.h>

#include <math.h>

#include "views.h"

static void expect_floats(const weft_array *x, const float *expected, int64_t n) {
  ck_assert_int_eq(weft_array_dtype(x), WEFT_F32);
  check_elements(x, expected, n, "f32");
}

/* ---- C scalars ---- */

/* Checks weft_add(&y, x, SCALAR) for an array of each dtype: the result's dtype follows NEP 50. */
static void expect_weak(weft_scalar scalar, const char *results) {
  static const weft_dtype arrays[] = {WEFT_BOOL, WEFT_I8, WEFT_U8, WEFT_I32, WEFT_U64, WEFT_F16, WEFT_F32, WEFT_C64};
  char names[200], *at = names;
  snprintf(names, sizeof names, "%s", results);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    weft_array *x = NULL, *y = NULL;
    char *name = at;
    at += strcspn(at, " ");
    if (*at) *at++ = '\0';
    ok(weft_full(&x, ctx, arrays[i], WEFT_SHAPE(3), 1));
    weft_status rc = weft_add(&y, x, scalar);
    bool needs_fp64 = strcmp(name, "f64") == 0 || strcmp(name, "c128") == 0;
    if (needs_fp64 && !device.has_fp64) {
      ck_assert_msg(rc == WEFT_ERROR_UNSUPPORTED, "%s + scalar of %s: %s", weft_dtype_name(arrays[i]),
                    weft_dtype_name(scalar.dtype), harness_error_text());
    } else {
      ck_assert_msg(rc == WEFT_OK, "%s + scalar of %s: %s", weft_dtype_name(arrays[i]), weft_dtype_name(scalar.dtype),
                    harness_error_text());
      ck_assert_msg(strcmp(weft_dtype_name(weft_array_dtype(y)), name) == 0, "%s + scalar of %s is %s, not %s",
                    weft_dtype_name(arrays[i]), weft_dtype_name(scalar.dtype), weft_dtype_name(weft_array_dtype(y)),
                    name);
    }
    weft_array_release(&x);
    weft_array_release(&y);
    harness_count(1);
  }
}

START_TEST(scalars_of_every_type_are_weak)
{
  static const char integer[] = "i64 i8 u8 i32 u64 f16 f32 c64", real[] = "f64 f64 f64 f64 f64 f16 f32 c64";
  expect_weak(WEFT_SCALAR((bool)1), /* in C11 `true` is an int */
              "bool i8 u8 i32 u64 f16 f32 c64");
  expect_weak(WEFT_SCALAR('a'), integer);
  expect_weak(WEFT_SCALAR((signed char)3), integer);
  expect_weak(WEFT_SCALAR((unsigned char)3), integer);
  expect_weak(WEFT_SCALAR((short)3), integer);
  expect_weak(WEFT_SCALAR((unsigned short)3), integer);
  expect_weak(WEFT_SCALAR(3), integer);
  expect_weak(WEFT_SCALAR(3u), integer);
  expect_weak(WEFT_SCALAR(3l), integer);
  expect_weak(WEFT_SCALAR(3ul), integer);
  expect_weak(WEFT_SCALAR(3ll), integer);
  expect_weak(WEFT_SCALAR(3ull), integer);
  expect_weak(WEFT_SCALAR(3.0f), real);
  expect_weak(WEFT_SCALAR(3.0), real);
  expect_weak(WEFT_SCALAR(weft_f16_from_double(3)), real);
  expect_weak(WEFT_SCALAR(((weft_c64){1, 2})), "c128 c128 c128 c128 c128 c64 c64 c64");
  expect_weak(WEFT_SCALAR(((weft_c128){1, 2})), "c128 c128 c128 c128 c128 c64 c64 c64");
}
END_TEST

START_TEST(scalars_in_any_place_and_their_values)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I8, WEFT_SHAPE(3), ((const int8_t[]){-128, 0, 127})));
  ok(weft_subtract(&y, 1, x));
  check_elements(y, (const int8_t[]){-127, 1, -126}, 3, "1 - i8");
  ok(weft_add(&y, x, (unsigned long long)127));
  check_elements(y, (const int8_t[]){-1, 127, -2}, 3, "i8 + 127");
  ok(weft_add(&y, x, -128ll));
  check_elements(y, (const int8_t[]){0, -128, -1}, 3, "i8 - 128");
  weft_array_release(&x);
  weft_array_release(&y);
  ok(weft_from_host(&x, ctx, WEFT_U64, WEFT_SHAPE(2), ((const uint64_t[]){0, 1})));
  ok(weft_add(&y, x, UINT64_MAX));
  check_elements(y, (const uint64_t[]){UINT64_MAX, 0}, 2, "u64 + 2^64-1");
  weft_array_release(&x);
  weft_array_release(&y);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(2), ((const float[]){1, -1})));
  ok(weft_multiply(&y, x, 0.1)); /* 0.1 is rounded to f32 first */
  expect_floats(y, (const float[]){0.1f, -0.1f}, 2);
  ok(weft_multiply(&y, 1e300, x));
  expect_floats(y, (const float[]){INFINITY, -INFINITY}, 2);
  weft_array_release(&y);
  ok(weft_multiply(&y, x, ((weft_c64){0, 1})));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_C64);
  weft_c64 products[2];
  ok(weft_to_host(products, sizeof products, y));
  ck_assert(products[0].re == 0 && products[0].im == 1 && products[1].re == 0 && products[1].im == -1);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/* A weak integer does not affect the promotion of the arrays if these are bool and f16; an i64 array does. */
START_TEST(a_bound_between_bool_and_f16)
{
  weft_array *x = NULL, *h = NULL, *n = NULL, *y = NULL;
  const weft_f16 half = weft_f16_from_double(0.5), one = weft_f16_from_double(1);
  ok(weft_from_host(&x, ctx, WEFT_BOOL, WEFT_SHAPE(2), ((const bool[]){true, false})));
  ok(weft_from_host(&h, ctx, WEFT_F16, WEFT_SHAPE(2), ((const weft_f16[]){half, half})));
  ok(weft_clip(&y, x, 0, h));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_F16);
  check_elements(y, (const weft_f16[]){half, weft_f16_from_double(0)}, 2, "clip(bool, 0, f16)");
  weft_array_release(&y);
  ok(weft_clip(&y, x, h, 1));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_F16);
  check_elements(y, (const weft_f16[]){one, half}, 2, "clip(bool, f16, 1)");
  weft_array_release(&y);
  if (device.has_fp64) {
    ok(weft_zeros(&n, ctx, WEFT_I64, WEFT_SHAPE(2)));
    ok(weft_clip(&y, x, n, h));
    ck_assert_int_eq(weft_array_dtype(y), WEFT_F64);
    weft_array_release(&y);
    weft_array_release(&n);
  }
  weft_array_release(&h);
  weft_array_release(&x);
}
END_TEST

/* A kernel is reused with other scalars: their values are not compiled in. */
START_TEST(a_scalar_is_an_argument_not_a_constant)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(4)));
  for (int k = -3; k < 30; k++) {
    ok(weft_add(&y, x, k));
    check_elements(y, (const int32_t[]){k, k, k, k}, 4, "0 + k");
  }
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/* ---- host memory ---- */

START_TEST(host_operands_are_copied_by_the_call)
{
  float data[] = {1, 2, 3, 4, 5, 6};
  weft_array *x = NULL, *y = NULL;
  weft_memory_stats before, after;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3), ((const float[]){10, 20, 30})));
  ok(weft_memory_get(&before, ctx));
  ok(weft_add(&y, x, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(2, 3))));
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_eq(after.to_device_bytes - before.to_device_bytes, sizeof data);
  ck_assert_uint_eq(after.arrays - before.arrays, 1); /* the result; the copy is released */
  for (int i = 0; i < 6; i++) data[i] = -1;           /* the caller's again */
  expect_floats(y, (const float[]){11, 22, 33, 14, 25, 36}, 6);
  ok(weft_divide(&y, WEFT_HOST(((const float[]){8, 9}), WEFT_F32, WEFT_SHAPE(2, 1)), x));
  expect_floats(y, (const float[]){8 / 10.f, 8 / 20.f, 8 / 30.f, 9 / 10.f, 9 / 20.f, 9 / 30.f}, 6);
  ok(weft_add(&y, y, WEFT_HOST(((const uint8_t[]){1}), WEFT_U8, WEFT_SHAPE_0D)));
  weft_array_release(&y);
  ok(weft_add(&y, x, WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(0, 3)))); /* reads nothing */
  ck_assert_int_eq(weft_array_size(y), 0);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

START_TEST(host_results_are_there_when_the_call_returns)
{
  enum { N = 3001 };
  static float got[N + 1];
  weft_array *x = NULL;
  int16_t narrow[4] = {9, 9, 9, 9};
  weft_memory_stats before, after;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, N, 1));
  got[N] = -7;
  ok(weft_memory_get(&before, ctx));
  ok(weft_multiply(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(N)), x, 2));
  for (int i = 0; i < N; i++) ck_assert_msg(got[i] == 2.0f * (float)i, "element %d", i);
  ck_assert(got[N] == -7);
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_eq(after.arrays, before.arrays);
  ck_assert_uint_eq(after.to_host_bytes - before.to_host_bytes, N * sizeof(float));
  /* in place in host memory, in another dtype, and of one element */
  ok(weft_add(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(N)), WEFT_HOST(got, WEFT_F32, WEFT_SHAPE(N)), x));
  for (int i = 0; i < N; i++) ck_assert(got[i] == 3.0f * (float)i);
  weft_array_release(&x);
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(3), ((const int32_t[]){1, 70000, -1})));
  ok(weft_add(WEFT_HOST_OUT(narrow, WEFT_I16, WEFT_SHAPE(3)), x, 1));
  ck_assert(narrow[0] == 2 && narrow[1] == (int16_t)70001 && narrow[2] == 0 && narrow[3] == 9);
  weft_array_release(&x);
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE_0D, 9));
  ok(weft_sqrt(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE_0D), x));
  ck_assert(got[0] == 3);
  weft_array_release(&x);
  ok(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(0)));
  ok(weft_sqrt(WEFT_HOST_OUT(NULL, WEFT_F32, WEFT_SHAPE(0)), x));
  weft_array_release(&x);
}
END_TEST

/* Calls on host memory alone use the thread's default context. */
START_TEST(host_memory_alone_uses_the_default_context)
{
  weft_context *context = NULL;
  weft_array *y = NULL;
  float sum[2];
  setenv("WEFT_DEVICE", device.selector, 1);
  ok(weft_add(&y, WEFT_HOST(((const float[]){1, 2}), WEFT_F32, WEFT_SHAPE(2)), 1));
  ok(weft_context_default(&context));
  ck_assert_ptr_eq(weft_array_context(y), context);
  ok(weft_add(WEFT_HOST_OUT(sum, WEFT_F32, WEFT_SHAPE(2)), y,
              WEFT_HOST(((const float[]){1, 2}), WEFT_F32, WEFT_SHAPE(2))));
  ck_assert(sum[0] == 3 && sum[1] == 5);
  weft_array_release(&y);
  ok(weft_context_close(&context));
}
END_TEST

/* ---- order ---- */

static const char SLOW[] =
    "kernel void slow(global uint *y, uint a, uint n) {\n"
    "  uint i = get_global_id(0), v = i;\n"
    "  for (uint k = 0; k < 20000; k++) v = v * 1664525u + 1013904223u;\n"
    "  if (i < n) y[i] = v == 123456789u ? 0 : i + a;\n"
    "}\n";

START_TEST(work_on_other_streams_is_waited_for)
{
  enum { N = 2000 };
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL, *y = NULL;
  uint32_t got[N];
  ok(weft_kernel_create(&kernel, ctx, .source = SLOW));
  ok(weft_stream_create(&stream, ctx));
  ok(weft_zeros(&x, ctx, WEFT_U32, WEFT_SHAPE(N)));
  for (unsigned round = 0; round < 5; round++) {
    /* writes x on another stream */
    ok(weft_launch_on(kernel, stream, WEFT_DIM3(weft_ceil_div(N, 64)), WEFT_DIM3(64), x, round, (unsigned)N));
    ok(weft_add(&y, x, x)); /* reads x on this stream */
    /* must run after that read */
    ok(weft_launch_on(kernel, stream, WEFT_DIM3(weft_ceil_div(N, 64)), WEFT_DIM3(64), x, 1000u, (unsigned)N));
    ok(weft_to_host(got, sizeof got, y));
    for (unsigned i = 0; i < N; i++)
      ck_assert_msg(got[i] == 2 * (i + round), "round %u, element %u: %u", round, i, got[i]);
    /* writes y on another stream */
    ok(weft_launch_on(kernel, stream, WEFT_DIM3(weft_ceil_div(N, 64)), WEFT_DIM3(64), y, round, (unsigned)N));
    ok(weft_add(&y, x, 1)); /* writes y on this stream, later */
    ok(weft_to_host(got, sizeof got, y));
    for (unsigned i = 0; i < N; i++) ck_assert_msg(got[i] == i + 1001, "round %u, element %u: %u", round, i, got[i]);
    harness_count(1);
  }
  weft_array_release(&x);
  weft_array_release(&y);
  weft_stream_release(&stream);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(two_contexts_side_by_side)
{
  weft_context_params params = {.device = device.selector};
  weft_context *other = NULL;
  weft_array *here = NULL, *there = NULL;
  ok((weft_context_create)(&other, &params));
  for (int round = 0; round < 3; round++) {
    weft_array *x = NULL, *z = NULL;
    ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(10), round));
    ok(weft_full(&z, other, WEFT_I32, WEFT_SHAPE(10), 10 * round));
    ok(weft_add(&here, x, 1));
    ok(weft_add(&there, z, 1));
    ck_assert_ptr_eq(weft_array_context(here), ctx);
    ck_assert_ptr_eq(weft_array_context(there), other);
    int32_t got[10];
    ok(weft_to_host(got, sizeof got, here));
    ck_assert_int_eq(got[9], round + 1);
    ok(weft_to_host(got, sizeof got, there));
    ck_assert_int_eq(got[9], 10 * round + 1);
    weft_array_release(&x);
    weft_array_release(&z);
  }
  weft_array_release(&there);
  ok(weft_context_close(&other));
  ok(weft_add(&here, here, 1)); /* the remaining context still works */
  weft_array_release(&here);
}
END_TEST

/* As in NumPy 2, an integer that the array's dtype cannot hold compares as beyond all elements, without an error. */
START_TEST(compared_with_what_does_not_fit)
{
  const uint8_t data[] = {0, 7, 255};
  const struct {
    int id;
    bool first, expected;
    int64_t number;
  } cases[] = {
      {WEFT_UFUNC_LESS, false, true, 300},           {WEFT_UFUNC_LESS, true, false, 300},
      {WEFT_UFUNC_GREATER_EQUAL, false, false, 256}, {WEFT_UFUNC_GREATER, false, true, -1},
      {WEFT_UFUNC_EQUAL, false, false, INT64_MAX},   {WEFT_UFUNC_NOT_EQUAL, false, true, INT64_MIN},
      {WEFT_UFUNC_LESS_EQUAL, true, true, -1000000},
  };
  weft_array *x = NULL, *y = NULL;
  bool got[3];
  if (!harness_has_dtype(WEFT_F64)) return; /* the number is replaced by an infinity */
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(3), data));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const weft_operand number = WEFT_OPERAND(cases[i].number), array = WEFT_OPERAND(x);
    const weft_operand operands[] = {WEFT_OPERAND(&y), cases[i].first ? number : array,
                                     cases[i].first ? array : number};
    ok(weft__ufunc_apply_at(cases[i].id, 3, operands, WEFT_SITE));
    ok(weft_to_host(got, sizeof got, y));
    for (int k = 0; k < 3; k++) ck_assert_msg(got[k] == cases[i].expected, "case %zu, element %d", i, k);
  }
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

START_TEST(the_calling_thread_gives_the_bits_of_kernels)
{
  enum { N = 1000 };
  static const weft_ufunc_id functions[] = {WEFT_UFUNC_POW, WEFT_UFUNC_POWR, WEFT_UFUNC_ATAN2};
  static float a[N], b[N], got[2][N];
  weft_context *launching = NULL, *contexts[2] = {ctx};
  ok(weft_context_create(&launching, .device = device.selector, .tracking_off = true));
  contexts[1] = launching;
  for (int i = 0; i < N; i++) {
    a[i] = 0.01f + 0.0371f * (float)i;
    b[i] = (float)(i * 389 % N - N / 2) * 0.0137f;
  }
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    for (int k = 0; k < 2; k++) {
      weft_array *x = NULL, *y = NULL, *z = NULL;
      ok(weft_from_host(&x, contexts[k], WEFT_F32, WEFT_SHAPE(N), a));
      ok(weft_from_host(&y, contexts[k], WEFT_F32, WEFT_SHAPE(N), b));
      const weft_operand operands[] = {WEFT_OPERAND(&z), WEFT_OPERAND(x), WEFT_OPERAND(y)};
      ok(weft__ufunc_apply_at(functions[f], 3, operands, WEFT_SITE));
      ok(weft_to_host(got[k], sizeof got[k], z));
      weft_release(&x, &y, &z);
    }
    for (int i = 0; i < N; i++)
      ck_assert_msg(memcmp(&got[0][i], &got[1][i], 4) == 0, "function %zu of %a and %a: %a, launched %a", f, a[i], b[i],
                    got[0][i], got[1][i]);
  }
  ok(weft_context_close(&launching));
}
END_TEST

/* ---- integers ---- */

/// Special functions of bool and integers, all of which are computed in f64 (as in SciPy), or in f32 without it.
START_TEST(special_functions_of_integers)
{
  static const weft_dtype dtypes[] = {WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  static const struct {
    int function, operands;
    double a, b, expected;
  } cases[] = {
      {WEFT_UFUNC_TGAMMA, 1, 11, 0, 3628800},
      {WEFT_UFUNC_LGAMMA, 1, 100, 0, 359.1342053695754},
      {WEFT_UFUNC_EXP10, 1, 7, 0, 1e7},
      {WEFT_UFUNC_POWR, 2, 20, 5, 3200000},
      {WEFT_UFUNC_XLOGY, 2, 100, 100, 460.51701859881},
      {WEFT_UFUNC_I0, 1, 14, 0, 129418.56270064845},
      {WEFT_UFUNC_ERF, 1, 1, 0, 0.8427007929497149},
      {WEFT_UFUNC_GAMMAINC, 2, 3, 4, 0.7618966944464557},
      {WEFT_UFUNC_ZETA, 2, 2, 1, 1.6449340668482264},
  };
  const weft_dtype wide = device.has_fp64 ? WEFT_F64 : WEFT_F32;
  const double bound = device.has_fp64 ? 1e-13 : 1e-6;
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      weft_array *a = NULL, *b = NULL, *y = NULL;
      double got;
      float narrow;
      ok(weft_full(&a, ctx, dtypes[d], WEFT_SHAPE(1), cases[k].a));
      ok(weft_full(&b, ctx, dtypes[d], WEFT_SHAPE(1), cases[k].b));
      const weft_operand operands[] = {WEFT_OPERAND(&y), WEFT_OPERAND(a), WEFT_OPERAND(b)};
      ok(weft__ufunc_apply_at(cases[k].function, 1 + cases[k].operands, operands, WEFT_SITE));
      ck_assert_int_eq(weft_array_dtype(y), wide);
      ok(weft_to_host(wide == WEFT_F64 ? (void *)&got : &narrow, weft_dtype_size_bytes(wide), y));
      if (wide == WEFT_F32) got = (double)narrow;
      ck_assert_msg(fabs(got - cases[k].expected) <= bound * cases[k].expected,
                    "function %d of %s: %.17g, expected %.17g", cases[k].function, weft_dtype_name(dtypes[d]), got,
                    cases[k].expected);
      weft_release(&a, &b, &y);
    }
}
END_TEST

/// Of all functions that compute integers so, none is refused without fp64, alone or in an expression.
START_TEST(no_special_function_is_refused)
{
  static const char *const texts[] = {"erf(x)",
                                      "ndtr(x)",
                                      "logit(x)",
                                      "gelu(x)",
                                      "ndtri(x)",
                                      "digamma(x)",
                                      "k1(x)",
                                      "j0(x)",
                                      "jn(2, x)",
                                      "y1(x)",
                                      "beta_function(x, x)",
                                      "betaln(x, 2.5)",
                                      "fma(x, x, x)",
                                      "pown(x, 3)",
                                      "xlogy(x, x)"};
  const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_U8, WEFT_I32, WEFT_U64};
  for (int d = 0; d < 4; d++)
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
      weft_array *x = NULL, *y = NULL;
      ok(weft_ones(&x, ctx, dtypes[d], WEFT_SHAPE(3)));
      ok(weft_eval(&y, ctx, texts[k], WEFT_VAR(x)));
      ck_assert_msg(weft_array_dtype(y) == (device.has_fp64 ? WEFT_F64 : WEFT_F32), "%s of %s is %s", texts[k],
                    weft_dtype_name(dtypes[d]), weft_dtype_name(weft_array_dtype(y)));
      weft_release(&x, &y);
    }
}
END_TEST

/// The next number from a zero towards the other one is the other one, as of f32 in C and NumPy.
START_TEST(nextafter_between_the_zeros)
{
  static const weft_dtype dtypes[] = {WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64};
  static const double pairs[][2] = {{0.0, -0.0}, {-0.0, 0.0}, {0.0, 0.0}, {-0.0, -0.0}};
  for (int d = 0; d < (device.has_fp64 ? 4 : 3); d++)
    for (int k = 0; k < 4; k++) {
      weft_array *a = NULL, *b = NULL, *y = NULL, *sign = NULL, *zero = NULL;
      bool negative, is_zero;
      ok(weft_full(&a, ctx, dtypes[d], WEFT_SHAPE(1), pairs[k][0]));
      ok(weft_full(&b, ctx, dtypes[d], WEFT_SHAPE(1), pairs[k][1]));
      ok(weft_nextafter(&y, a, b));
      ok(weft_signbit(&sign, y));
      ok(weft_equal(&zero, y, 0));
      ok(weft_to_host(&negative, 1, sign));
      ok(weft_to_host(&is_zero, 1, zero));
      ck_assert_msg(is_zero && negative == (signbit(pairs[k][1]) != 0), "%s, case %d", weft_dtype_name(dtypes[d]), k);
      weft_release(&a, &b, &y, &sign, &zero);
    }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "operands");
  tcase_add_test(tc, compared_with_what_does_not_fit);
  tcase_add_test(tc, scalars_of_every_type_are_weak);
  tcase_add_test(tc, scalars_in_any_place_and_their_values);
  tcase_add_test(tc, a_bound_between_bool_and_f16);
  tcase_add_test(tc, a_scalar_is_an_argument_not_a_constant);
  tcase_add_test(tc, host_operands_are_copied_by_the_call);
  tcase_add_test(tc, host_results_are_there_when_the_call_returns);
  tcase_add_test(tc, work_on_other_streams_is_waited_for);
  tcase_add_test(tc, two_contexts_side_by_side);
  tcase_add_test(tc, special_functions_of_integers);
  tcase_add_test(tc, no_special_function_is_refused);
  tcase_add_test(tc, nextafter_between_the_zeros);
  tcase_add_test(tc, the_calling_thread_gives_the_bits_of_kernels);
  tc = harness_case(suite, "the default context");
  tcase_add_test(tc, host_memory_alone_uses_the_default_context);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ufunc_operands", .add = add});
}
