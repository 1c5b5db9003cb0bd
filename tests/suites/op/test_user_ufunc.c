// SPDX-License-Identifier: MIT
/// User-defined ufuncs: signatures and their choice, expressions and bodies in OpenCL C, and their cached kernels.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

#include "harness.h"

enum { N = 25 };

static weft_ufunc *make(const char *name, const char *signatures, const char *expression, const char *source) {
  weft_ufunc *u = NULL;
  ok(weft_ufunc_create(&u, .name = name, .signatures = signatures, .expression = expression, .source = source));
  ck_assert_ptr_nonnull(u);
  return u;
}

static weft_array *ramp(weft_dtype dtype) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, dtype, 0, N, 1));
  return x;
}

static void take(void *data, weft_dtype dtype, weft_array **x) {
  ck_assert_str_eq(weft_dtype_name(weft_array_dtype(*x)), weft_dtype_name(dtype));
  ck_assert_int_eq(weft_array_size(*x), N);
  ok(weft_to_host(data, (size_t)weft_array_size_bytes(*x), *x));
  weft_array_release(x);
}

/* ---- both ways to write a ufunc ---- */

START_TEST(add_two_ways)
{
  static const char signatures[] = "f32(f32 x, f32 y)";
  weft_ufunc *u[] = {make("add_ufunc", signatures, "x + y", NULL),
                     make("add_source", signatures, NULL, "return x + y;")};
  float got[N];
  weft_array *x = ramp(WEFT_F32), *out = NULL;
  for (int k = 0; k < 2; k++) {
    ok(weft_ufunc_call(u[k], &out, x, x));
    take(got, WEFT_F32, &out);
    for (int i = 0; i < N; i++) ck_assert(got[i] == 2 * (float)i);
    ok(weft_ufunc_call(u[k], &out, x, 0.5)); /* a C scalar is an operand */
    take(got, WEFT_F32, &out);
    for (int i = 0; i < N; i++) ck_assert(got[i] == (float)i + 0.5f);
    weft_ufunc_release(&u[k]);
    ck_assert_ptr_null(u[k]);
  }
  harness_count(4 * N);
  weft_array_release(&x);
}
END_TEST

START_TEST(several_results)
{
  static const char signatures[] = "(f32 s, f32 c, bool p)(f32 x)";
  weft_ufunc *u[] = {make(NULL, signatures, "s, c = sincos(x); p = s > c", NULL),
                     make(NULL, signatures, NULL, "*s = sin(x);\n*c = cos(x);\n*p = *s > *c ? 77 : 0;")};
  weft_array *x = ramp(WEFT_F32), *s = NULL, *c = NULL, *p = NULL;
  for (int k = 0; k < 2; k++) {
    float sine[N], cosine[N];
    uint8_t greater[N];
    ok(weft_ufunc_call(u[k], &s, &c, &p, x));
    take(sine, WEFT_F32, &s);
    take(cosine, WEFT_F32, &c);
    take(greater, WEFT_BOOL, &p);
    for (int i = 0; i < N; i++) {
      ck_assert(harness_near((double)sine[i], sin(i), 4, false) && harness_near((double)cosine[i], cos(i), 4, false));
      ck_assert_uint_eq(greater[i], sine[i] > cosine[i]); /* 0 or 1, whatever value the body computes */
    }
    weft_ufunc_release(&u[k]);
  }
  harness_count(6 * N);
  weft_array_release(&x);
}
END_TEST

START_TEST(names_of_others)
{
  /* unnamed parameters, and NumPy's and Numba's dtype names */
  static const char *const signatures[] = {"f32(f32,f32)", "float32(float32, float32)", "f32(float32, f32 b)",
                                           "float32(float32,float32);float64(float64,float64);int8(int8,int8)"};
  float got[N];
  char *text = NULL;
  weft_array *x = ramp(WEFT_F32), *out = NULL, *more = NULL;
  for (int k = 0; k < 8; k++) {
    weft_ufunc *u = make(NULL, signatures[k / 2], k % 2 ? NULL : "2 * a + b", k % 2 ? "return 2 * a + b;" : NULL);
    ok(weft_ufunc_call(u, &out, x, x));
    take(got, WEFT_F32, &out);
    for (int i = 0; i < N; i++) ck_assert(got[i] == 3 * (float)i);
    weft_ufunc_release(&u);
    harness_count(1);
  }
  weft_ufunc *u = make(NULL, "(float32, int32)(float32)", NULL, "*out = a + 1; *out2 = (int)a;");
  ok(weft_ufunc_call(u, &out, &more, x));
  take(got, WEFT_F32, &out);
  ck_assert(got[3] == 4 && weft_array_dtype(more) == WEFT_I32);
  weft_array_release(&more);
  weft_ufunc_release(&u);
  u = make(NULL,
           "bool_(boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, complex64)", "a",
           NULL);
  ok(weft_ufunc_signatures(&text, u, NULL));
  ck_assert_str_eq(
      text, "bool(bool a, i8 b, u8 c, i16 d, u16 p5, i32 p6, u32 p7, i64 p8, u64 p9, f16 p10, f32 p11, c64 p12)\n");
  weft_free(text);
  weft_ufunc_release(&u);
  static const struct {
    const char *signatures, *source, *named;
  } taken[] = {{"f32(f32 b, f32)", "*out = b - c;", "f32(f32 b, f32 c)\n"},
               {"f32(f32, f32 a, f32)", "*out = a - b - c;", "f32(f32 b, f32 a, f32 c)\n"},
               {"(f32, f32)(f32 out, f32, f32 b)", "*out2 = out; *out3 = b - c;",
                "(f32 out2, f32 out3)(f32 out, f32 c, f32 b)\n"}};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    u = make(NULL, taken[i].signatures, NULL, taken[i].source);
    ok(weft_ufunc_signatures(&text, u, NULL));
    ck_assert_str_eq(text, taken[i].named);
    weft_free(text);
    weft_ufunc_release(&u);
  }
  weft_array_release(&x);
  harness_count(5);
}
END_TEST

START_TEST(types_in_a_body)
{
  /* names that Weft's own text also uses; f16 is float in a body; complex numbers have functions */
  weft_ufunc *names =
      make("T", "i32(i32 x0, i32 index, i32 n, i32 v0, i32 a)", NULL, "int y0 = x0 + index; return y0 * n - v0 + a;");
  weft_ufunc *half = make("half_way", "f16(f16 h)", NULL, "float t = h * h; return t * h - h;");
  weft_ufunc *turn = make("turn", "c64(c64 z, f32 w)", NULL, "return weft_cmul_c64(z, weft_cmake_c64(0, w));");
  int32_t numbers[N];
  uint16_t bits[N];
  weft_c64 pairs[N];
  weft_array *m = ramp(WEFT_I32), *h = ramp(WEFT_F16), *z = NULL, *out = NULL;
  ok(weft_eval(&z, ctx, "c64(m)", WEFT_VAR(m)));
  ok(weft_ufunc_call(names, &out, m, m, 3, 4, m));
  take(numbers, WEFT_I32, &out);
  for (int i = 0; i < N; i++) ck_assert_int_eq(numbers[i], 2 * i * 3 - 4 + i);
  ok(weft_multiply(&h, h, 0.3));
  uint16_t given[N];
  ok(weft_to_host(given, sizeof given, h));
  ok(weft_ufunc_call(half, &out, h));
  take(bits, WEFT_F16, &out);
  for (int i = 0; i < N; i++) {
    float x = (float)weft_f16_to_double((weft_f16){given[i]}), t = x * x;
    ck_assert_uint_eq(bits[i], weft_f16_from_double((double)(t * x - x)).bits);
  }
  ok(weft_ufunc_call(turn, &out, z, 2));
  take(pairs, WEFT_C64, &out);
  for (int i = 0; i < N; i++) ck_assert(pairs[i].re == 0 && pairs[i].im == 2 * (float)i);
  harness_count(3 * N);
  weft_ufunc_release(&names);
  weft_ufunc_release(&half);
  weft_ufunc_release(&turn);
  weft_array_release(&m);
  weft_array_release(&h);
  weft_array_release(&z);
}
END_TEST

/* ---- the choice of a signature ---- */

/* ---- raw arrays and a preamble ---- */

/// A body that reads any element: on contiguous, strided and host operands, of another dtype, and in place.
START_TEST(raw_arrays)
{
  static const float table[] = {10, 20, 30, 40, 50, 60};
  float got[N];
  weft_ufunc *u = NULL;
  weft_array *t = NULL, *every_second = NULL, *x = NULL, *out = NULL, *whole = NULL, *rows = NULL, *wide = NULL;
  ok(weft_ufunc_create(
      &u, .name = "look_up", .signatures = "f32(i64 k, raw f32 t)", .source = "return pick(t, k, t_size);",
      .preamble = "static float pick(global const float *t, long k, long n) {\n  return t[k % n];\n}"));
  ok(weft_from_host(&t, ctx, WEFT_F32, WEFT_SHAPE(6), table));
  ok(weft_view(&every_second, t, "::2"));
  x = ramp(WEFT_I64);
  ok(weft_ufunc_call(u, &out, x, t));
  take(got, WEFT_F32, &out);
  for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], table[i % 6]);
  ok(weft_ufunc_call(u, &out, x, every_second));
  take(got, WEFT_F32, &out);
  for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], table[i % 3 * 2]);
  ok(weft_ufunc_call(u, &out, x, WEFT_HOST(table + 1, WEFT_F32, WEFT_SHAPE(5))));
  take(got, WEFT_F32, &out);
  for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], table[1 + i % 5]);
  /* strided operands beside it, of two axes */
  ok(weft_reshape(&rows, x, WEFT_SHAPE(5, 5)));
  ok(weft_transpose(&wide, rows, WEFT_ALL_AXES));
  ok(weft_ufunc_call(u, &out, wide, t));
  take(got, WEFT_F32, &out);
  for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], table[(i % 5 * 5 + i / 5) % 6]);
  expect_error(weft_ufunc_call(u, &out, x, 3), WEFT_ERROR_ARGUMENT, "`t` is a C scalar; the parameter is raw", "@t");
  weft_ufunc_release(&u);
  /* the number of the element, and a result over the raw array itself */
  ok(weft_ufunc_create(&u, .name = "turn", .signatures = "f32(raw f32 t)",
                       .source = "for (int k = 0; k < 1; k++) { long n = 1; i += n - 1; }\nreturn t[n - 1 - i];"));
  ok(weft_arange(&whole, ctx, WEFT_F32, 0, N, 1));
  ok(weft_ufunc_call(u, &whole, whole));
  take(got, WEFT_F32, &whole);
  for (int i = 0; i < N; i++) ck_assert_float_eq(got[i], (float)(N - 1 - i));
  harness_count(5 * N);
  weft_release(&u, &wide, &rows, &x, &every_second, &t);
}
END_TEST

START_TEST(wrong_raw_arrays)
{
  char *text = NULL;
  weft_ufunc *u = NULL;
  weft_array *x = ramp(WEFT_F32), *out = NULL;
  expect_error(weft_ufunc_create(&u, .signatures = "f32(raw f32 t)", .expression = "t"), WEFT_ERROR_EXPRESSION,
               "signatures:1:5: a raw parameter is for a body in OpenCL C (.source)");
  expect_error(weft_ufunc_create(&u, .signatures = "f32(raw f16 t)", .source = "return 0;"), WEFT_ERROR_EXPRESSION,
               "signatures:1:9: a raw parameter cannot be f16");
  expect_error(weft_ufunc_create(&u, .signatures = "f32(f32 t); f64(raw f64 t)", .source = "return 0;"),
               WEFT_ERROR_EXPRESSION, "signatures:1:17: parameter 1 is not raw in the first signature");
  expect_error(weft_ufunc_create(&u, .signatures = "f32(f32 x)", .expression = "x", .preamble = "#define X"),
               WEFT_ERROR_ARGUMENT, "`preamble` is given without `source`", "@preamble");
  ok(weft_ufunc_create(&u, .name = "bad", .signatures = "f32(f32 x, raw f32)", .source = "return x;",
                       .preamble = "int\nbroken("));
  ok(weft_ufunc_signatures(&text, u, ctx));
  ck_assert_str_eq(text, "f32(f32 x, raw f32 b)\n");
  weft_free(text);
  expect_error(weft_ufunc_call(u, &out, x, x), WEFT_ERROR_BUILD, "calling bad");
  ck_assert_ptr_nonnull(strstr(weft_error_last()->detail, "the preamble (\"preamble\" in the log):\n    1 | int\n"));
  weft_release(&u, &x);
}
END_TEST

START_TEST(choice)
{
  static const char signatures[] = "f64(f64 x, f64 y); f32(f32 x, f32 y); i64(i64 x, i64 y); c64(c64 x, c64 y)";
  static const struct {
    weft_dtype x, y; /* y NONE: the C scalar 2; f64 (as a code): 2.5 */
    double scalar;
    weft_dtype result;
  } cases[] = {
      {WEFT_F32, WEFT_F32, 0, WEFT_F32},          {WEFT_F32, WEFT_F64, 0, WEFT_F64},
      {WEFT_I32, WEFT_I8, 0, WEFT_I64},           {WEFT_I16, WEFT_F32, 0, WEFT_F32},
      {WEFT_I32, WEFT_F32, 0, WEFT_F64},          {WEFT_BOOL, WEFT_BOOL, 0, WEFT_I64},
      {WEFT_F16, WEFT_U8, 0, WEFT_F32},           {WEFT_C64, WEFT_F32, 0, WEFT_C64},
      {WEFT_F32, WEFT_DTYPE_NONE, 2.5, WEFT_F32}, {WEFT_I32, WEFT_DTYPE_NONE, 2, WEFT_I64},
  };
  weft_ufunc *u = make("plus", signatures, "x + y", NULL);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    weft_array *x = NULL, *y = NULL, *out = NULL;
    if (!harness_has_dtype(cases[k].x) || !harness_has_dtype(cases[k].y) || !harness_has_dtype(cases[k].result))
      continue;
    ok(weft_ones(&x, ctx, cases[k].x, WEFT_SHAPE(3)));
    if (cases[k].y) ok(weft_ones(&y, ctx, cases[k].y, WEFT_SHAPE(3)));
    if (y)
      ok(weft_ufunc_call(u, &out, x, y));
    else if (cases[k].scalar == 2)
      ok(weft_ufunc_call(u, &out, x, 2));
    else
      ok(weft_ufunc_call(u, &out, x, cases[k].scalar));
    ck_assert_msg(weft_array_dtype(out) == cases[k].result, "case %d: %s", (int)k,
                  weft_dtype_name(weft_array_dtype(out)));
    weft_array_release(&x);
    weft_array_release(&y);
    weft_array_release(&out);
    harness_count(1);
  }
  weft_ufunc_release(&u);
}
END_TEST

START_TEST(no_signature)
{
  weft_ufunc *u = make("twice", "i32(i32 x); f32(f32 x)", "x * 2", NULL);
  weft_array *x = NULL, *y = NULL;
  ok(weft_ones(&x, ctx, WEFT_I64, WEFT_SHAPE(3)));
  expect_error(
      weft_ufunc_call(u, &y, x), WEFT_ERROR_DTYPE,
      "weft_ufunc_call: twice has no signature for (i64); it has i32(i32 x); f32(f32 x)\n  while calling twice");
  weft_array_release(&x);
  weft_ufunc_release(&u);
  if (!device.has_fp64) {
    u = make("wide", "f64(f64 x)", "x * 2", NULL); /* created on any device; computed on devices with fp64 */
    ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
    expect_error(weft_ufunc_call(u, &y, x), WEFT_ERROR_UNSUPPORTED,
                 "wide has no signature for (f32) that this device can compute: it lacks fp64; it has f64(f64 x)");
    ok(weft_ufunc_prepare(u, ctx)); /* no effect */
    weft_array_release(&x);
    weft_ufunc_release(&u);
  }
  ck_assert_ptr_null(y);
}
END_TEST

/* ---- the description of a ufunc ---- */

static int builds;

static void count_builds(void *user, weft_log_level level, const char *message) {
  (void)user, (void)level;
  builds += strncmp(message, "built ", 6) == 0;
}

START_TEST(signatures_and_kernels)
{
  static const char signatures[] = "u8(u8 x)\nf32(f32 x); bool(bool x); i8(i8 x)";
  char *text = NULL;
  weft_array *x = ramp(WEFT_F32), *y = NULL, *part = NULL;
  weft_ufunc *u = make("same", signatures, "x", NULL), *again;
  weft_log_set(WEFT_LOG_DEBUG, count_builds, NULL);
  ok(weft_ufunc_signatures(&text, u, ctx));
  ck_assert_str_eq(text, "bool(bool x)\ni8(i8 x)\nu8(u8 x)\nf32(f32 x)\n");
  weft_free(text);
  ok(weft_ufunc_call(u, &y, x));
  ok(weft_ufunc_signatures(&text, u, ctx));
  ck_assert_str_eq(text, "bool(bool x)\ni8(i8 x)\nu8(u8 x)\nf32(f32 x) # 1\n");
  weft_free(text);
  ok(weft_ufunc_prepare(u, ctx));
  int prepared = builds;
  ok(weft_ufunc_signatures(&text, u, ctx));
  ck_assert_str_eq(text, "bool(bool x) # 1\ni8(i8 x) # 1\nu8(u8 x) # 1\nf32(f32 x) # 1\n");
  weft_free(text);
  /* equal ufuncs share kernels, which outlive them: here the released ufunc's text is built for another layout */
  again = make("same", signatures, "x", NULL);
  weft_ufunc_release(&u);
  ok(weft_ufunc_call(again, &y, x));
  ck_assert_int_eq(builds, prepared);
  weft_ufunc_release(&again);
  again = make("same", "f32(f32 x);i8(i8 x);u8(u8 x);bool(bool x)", "x", NULL);
  ok(weft_slice(&part, x, 0, 0, N, .step = 3));
  weft_array_release(&y);
  ok(weft_ufunc_call(again, &y, part));
  ck_assert_int_eq(builds, prepared + 1);
  ok(weft_ufunc_signatures(&text, again, NULL)); /* unused in the default context */
  ck_assert_ptr_null(strchr(text, '#'));
  weft_free(text);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  weft_ufunc_release(&again);
  weft_array_release(&part);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

START_TEST(builtin_signatures)
{
  char *text = NULL;
  weft_array *x = ramp(WEFT_F32), *m = NULL, *e = NULL;
  ok(weft_frexp(&m, &e, x));
  ok(weft_ufunc_builtin_signatures(&text, WEFT_UFUNC_FREXP, ctx));
  ck_assert_str_eq(text,
                   "(f16 out, i32 out2)(f16 a)\n(bf16 out, i32 out2)(bf16 a)\n(f32 out, i32 out2)(f32 a) # 1\n(f64 "
                   "out, i32 out2)(f64 a)\n");
  weft_free(text);
  ok(weft_ufunc_builtin_signatures(&text, WEFT_UFUNC_GCD, NULL));
  ck_assert_ptr_nonnull(strstr(text, "i8(i8 a, i8 b)\nu8(u8 a, u8 b)\n"));
  weft_free(text);
  expect_error(weft_ufunc_builtin_signatures(&text, 0, ctx), WEFT_ERROR_ARGUMENT,
               "`id` is 0, which is no built-in ufunc", "@id");
  expect_error(weft_ufunc_builtin_signatures(NULL, WEFT_UFUNC_GCD, ctx), WEFT_ERROR_ARGUMENT, "@text");
  ck_assert_str_eq(weft_ufunc_name(WEFT_UFUNC_GCD), "gcd");
  ck_assert_ptr_null(weft_ufunc_name(WEFT_UFUNC_COUNT));
  weft_array_release(&x);
  weft_array_release(&m);
  weft_array_release(&e);
}
END_TEST

/* ---- mistakes ---- */

START_TEST(wrong_signatures)
{
  static const struct {
    const char *signatures, *message;
  } cases[] = {
      {"", "signatures:1:1: there is no signature; expected one such as f32(f32 x, f32 y)"},
      {"f33(f32 x)", "signatures:1:1: `f33` is no dtype; did you mean `f32`?"},
      {"float(f32 x)", "signatures:1:1: `float` is no dtype"},
      {"f32 f32 x", "signatures:1:5: expected `(`, found `f32`"},
      {"f32()", "signatures:1:5: expected a parameter's dtype, found `)`"},
      {"f32(f32 x, y)", "signatures:1:12: `y` is no dtype"},
      {"f32(f32 x f32 y)", "signatures:1:11: expected `,` or `)`, found `f32`"},
      {"f32(f32 x, f32 y", "signatures:1:17: expected `,` or `)`, found the end"},
      {"f32(f32 x) f64(f64 x)", "signatures:1:12: expected `;` or the end, found `f64`"},
      {"f32(f32 x);\nf64(f64 y)", "signatures:2:9: `y` is `x` in the first signature; names are the same in all"},
      {"f32(f32 x); f64(f64 x, f64 y)", "signatures:1:16: the first signature has 1 parameter; all have as many"},
      {"f32(f32 x, f32 y); f64(f64 x)", "signatures:1:23: the first signature has 2 parameters; all have as many"},
      {"(f32 s, f32 c)(f32 x); f32(f32 x)", "signatures:1:24: the first signature has 2 results; all have as many"},
      {"f32(f32 x, f32 x)", "signatures:1:16: the name `x` is used twice"},
      {"(f32 x)(f32 x)", "signatures:1:13: the name `x` is used twice"},
      {"f32(f32 x); f64(f32 x)", "signatures:1:13: there is a signature of these parameters' dtypes already"},
      {"f32(f32 x, f32 if)", "signatures:1:16: expected the parameter's name, `,` or `)`, found `if`"},
      {"f32(f32 2x)",
       "signatures:1:9: `2x` is no number; numbers look like 10, 0x1f, 2.5, 1e-3 or 2j (a factor needs a *)"},
      {"f32(f32 int)", "signatures:1:9: `int` cannot be a variable's name in OpenCL C, or is reserved for Weft"},
      {"f32(f32 weft_x)", "signatures:1:9: `weft_x` cannot be a variable's name in OpenCL C, or is reserved for Weft"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char wanted[200];
    weft_ufunc *u = NULL;
    snprintf(wanted, sizeof wanted, "weft_ufunc_create: %s", cases[k].message);
    weft_status rc = weft_ufunc_create(&u, .signatures = cases[k].signatures, .source = "return x;");
    ck_assert_int_eq(rc, WEFT_ERROR_EXPRESSION);
    ck_assert_str_eq(weft_error_last()->message, wanted);
    ck_assert_ptr_null(u);
    harness_count(1);
  }
}
END_TEST

START_TEST(wrong_texts)
{
  weft_ufunc *u = NULL;
  static const char signatures[] = "f32(f32 x, f32 y); i32(i32 x, i32 y)";
  /* each signature is checked, in order */
  expect_error(weft_ufunc_create(&u, .signatures = signatures, .expression = "x & y"), WEFT_ERROR_EXPRESSION,
               "weft_ufunc_create: expr:1:3: `&`: bitwise_and has no signature for (f32, f32)\n  while making f32(f32 "
               "x, f32 y)");
  expect_error(weft_ufunc_create(&u, .signatures = signatures, .expression = "x / y"), WEFT_ERROR_EXPRESSION,
               "expr:1:1: this is f64, the result is to be i32; i32(...) casts\n  while making i32(i32 x, i32 y)");
  expect_error(weft_ufunc_create(&u, .signatures = signatures, .expression = "x + z"), WEFT_ERROR_EXPRESSION,
               "expr:1:5: `z` is not known");
  expect_error(weft_ufunc_create(&u, .signatures = "(f32 s, f32 c)(f32 x)", .expression = "s = sin(x)"),
               WEFT_ERROR_EXPRESSION, "expr:1:11: `c` is a result, and the text assigns nothing to it");
  expect_error(weft_ufunc_create(&u, .expression = "x"), WEFT_ERROR_ARGUMENT, "`signatures` is NULL", "@signatures");
  expect_error(weft_ufunc_create(&u, .signatures = signatures), WEFT_ERROR_ARGUMENT,
               "both are NULL; expected one of `expression` and `source`");
  expect_error(weft_ufunc_create(&u, .signatures = signatures, .expression = "x", .source = "return x;"),
               WEFT_ERROR_ARGUMENT, "both are given; expected one of `expression` and `source`");
  const char *const names[] = {"",   "2x",           "a b",
                               "x;", "a\n#define b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    expect_error(weft_ufunc_create(&u, .name = names[k], .signatures = signatures, .expression = "x + y"),
                 WEFT_ERROR_ARGUMENT, "expected an identifier of up to 48 letters, digits and _", "@name");
  expect_error(weft_ufunc_create(&u), WEFT_ERROR_ARGUMENT, "@signatures", "NULL");
  expect_error(weft_ufunc_create((weft_ufunc **)NULL, .signatures = signatures), WEFT_ERROR_ARGUMENT, "@out");
  ck_assert_ptr_null(u);
  harness_count(15);
}
END_TEST

START_TEST(a_body_that_does_not_compile)
{
  weft_ufunc *u = make("broken", "f32(f32 x)", NULL, "float t = x;\nreturn t + missing;");
  weft_array *x = ramp(WEFT_F32), *y = NULL;
  expect_error(weft_ufunc_call(u, &y, x), WEFT_ERROR_BUILD, "weft_ufunc_call: `broken` does not compile",
               "while calling broken");
  const char *detail = weft_error_last()->detail;
  ck_assert_msg(strstr(detail, "source:2:") != NULL, "%s", detail);
  ck_assert_msg(
      strstr(detail, "the body (\"source\" in the log):\n    1 | float t = x;\n    2 | return t + missing;\n") != NULL,
      "%s", detail);
  expect_error(weft_ufunc_prepare(u, ctx), WEFT_ERROR_BUILD, "while preparing broken");
  ck_assert_ptr_null(y);
  weft_ufunc_release(&u);
  weft_array_release(&x);
}
END_TEST

START_TEST(handles)
{
  weft_array *x = ramp(WEFT_F32), *y = NULL;
  char *text = NULL;
  weft_ufunc *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_ufunc *)(void *)x},
             *u = make(NULL, "f32(f32 x)", "x", NULL);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    expect_error(weft_ufunc_call(wrong[k], &y, x), WEFT_ERROR_HANDLE, "weft_ufunc", "@ufunc");
    expect_error(weft_ufunc_prepare(wrong[k], ctx), WEFT_ERROR_HANDLE, "weft_ufunc", "@ufunc");
    expect_error(weft_ufunc_signatures(&text, wrong[k], ctx), WEFT_ERROR_HANDLE, "weft_ufunc", "@ufunc");
    ck_assert_ptr_eq(weft_ufunc_retain(wrong[k]), wrong[k]);
    weft_ufunc *drop = wrong[k];
    weft_ufunc_release(&drop);
    ck_assert_ptr_null(drop);
  }
  weft_ufunc_release(NULL);
  expect_error(weft_ufunc_create(&u, .signatures = "f32(f32 x)", .expression = "x"), WEFT_ERROR_ARGUMENT,
               "`*out` is not NULL");
  expect_error(weft_ufunc_call(u, &y), WEFT_ERROR_ARGUMENT, "1 operands given; ufunc has 1 result and 1 operand");
  expect_error(weft__ufunc_call_at(u, 2, NULL, WEFT_SITE), WEFT_ERROR_ARGUMENT, "@operands");
  expect_error(weft_ufunc_call(u, x, x), WEFT_ERROR_ARGUMENT, "`out` is no place for a result");
  expect_error(weft_ufunc_call(u, &y, &x), WEFT_ERROR_ARGUMENT, "`x` is a place for a result");
  expect_error(weft_ufunc_prepare(u, harness_garbage()), WEFT_ERROR_HANDLE, "@context");
  expect_error(weft_ufunc_signatures(NULL, u, ctx), WEFT_ERROR_ARGUMENT, "@text");
  weft_ufunc *second = weft_ufunc_retain(u);
  weft_ufunc_release(&u);
  ok(weft_ufunc_call(second, &y, x));
  weft_ufunc_release(&second);
  harness_count(20);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/* ---- threads ---- */

static weft_ufunc *shared;

static void *call_often(void *data) {
  intptr_t bad = 0;
  weft_array *x = NULL, *y = NULL;
  (void)data;
  if (weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(N))) bad++;
  for (int round = 0; round < 20 && !bad; round++) {
    float got[N];
    weft_ufunc *mine = weft_ufunc_retain(shared), *other = NULL;
    if (weft_ufunc_create(&other, .signatures = "f32(f32 x)", .expression = "x + 2")) bad++;
    if (!bad && (weft_ufunc_call(mine, &y, x) || weft_ufunc_call(other, &y, y) || weft_to_host(got, sizeof got, y)))
      bad++;
    for (int i = 0; i < N && !bad; i++) bad += got[i] != 5;
    weft_ufunc_release(&mine);
    weft_ufunc_release(&other);
  }
  weft_array_release(&x);
  weft_array_release(&y);
  return (void *)bad;
}

START_TEST(threads)
{
  pthread_t thread[4];
  void *bad;
  shared = make("shared", "f32(f32 x)", NULL, "return x * 3;");
  for (int k = 0; k < 4; k++) ck_assert_int_eq(pthread_create(&thread[k], NULL, call_often, NULL), 0);
  for (int k = 0; k < 4; k++) {
    ck_assert_int_eq(pthread_join(thread[k], &bad), 0);
    ck_assert_ptr_null(bad);
  }
  weft_ufunc_release(&shared);
  harness_count(80);
}
END_TEST

/* ---- memory ---- */

#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
#define HEAP_BYTES() (mallinfo2().uordblks + mallinfo2().hblkhd)
#else
#define HEAP_BYTES() ((size_t)0)
#endif

enum { TEXT_BYTES = 4096, FUNCTIONS = 2000 };

/// A body that no other function has.
static void write_body(char *body, int number) {
  const int length = sprintf(body, "return x + %d.0f; /*", number);
  memset(body + length, '-', TEXT_BYTES - (size_t)length - 3);
  strcpy(body + TEXT_BYTES - 3, "*/");
}

START_TEST(texts_are_given_back)
{
  static char body[TEXT_BYTES];
  size_t before = 0;
  float got[N];
  weft_array *x = ramp(WEFT_F32), *out = NULL;
  for (int k = 0; k < FUNCTIONS; k++) {
    write_body(body, k);
    weft_ufunc *u = make("unused", "f32(f32 x)", NULL, body), *same = make("unused", "f32(f32 x)", NULL, body);
    weft_ufunc_release(&u);
    weft_ufunc_release(&same);
    if (k == 10) before = HEAP_BYTES();
  }
  ck_assert_uint_lt(HEAP_BYTES(), before + 50 * TEXT_BYTES);
  /* a plan keeps what it needs of a function that is gone, and an equal one finds the plan */
  for (int k = 0; k < 4; k++) {
    write_body(body, k % 2);
    weft_ufunc *u = make("used", "f32(f32 x)", NULL, body);
    ok(weft_ufunc_call(u, &out, x));
    weft_ufunc_release(&u);
    take(got, WEFT_F32, &out);
    for (int i = 0; i < N; i++) ck_assert(got[i] == (float)(i + k % 2));
  }
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "values");
  tcase_add_test(tc, add_two_ways);
  tcase_add_test(tc, several_results);
  tcase_add_test(tc, types_in_a_body);
  tcase_add_test(tc, threads);
  tc = harness_context_case(suite, "signatures");
  tcase_add_test(tc, raw_arrays);
  tcase_add_test(tc, wrong_raw_arrays);
  tcase_add_test(tc, choice);
  tcase_add_test(tc, no_signature);
  tcase_add_test(tc, signatures_and_kernels);
  tcase_add_test(tc, builtin_signatures);
  tc = harness_context_case(suite, "mistakes");
  tcase_add_test(tc, wrong_signatures);
  tcase_add_test(tc, wrong_texts);
  tcase_add_test(tc, a_body_that_does_not_compile);
  tcase_add_test(tc, handles);
  tcase_add_test(tc, names_of_others);
  tcase_add_test(tc, texts_are_given_back);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "user_ufunc", .add = add});
}
