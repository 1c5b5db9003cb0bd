// SPDX-License-Identifier: MIT
/// Expressions: results against C, and bit-identity with the elementwise functions.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

#include "harness.h"

enum { N = 37 };

static weft_array *from(weft_dtype dtype, int64_t count, const void *data) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(count), data));
  return x;
}

/// Copies the elements to `data`, checks their dtype and number, and releases the array.
static void take(void *data, weft_dtype dtype, int64_t count, weft_array **x) {
  ck_assert_ptr_nonnull(*x);
  ck_assert_str_eq(weft_dtype_name(weft_array_dtype(*x)), weft_dtype_name(dtype));
  ck_assert_int_eq(weft_array_size(*x), count);
  ok(weft_to_host(data, (size_t)weft_array_size_bytes(*x), *x));
  weft_array_release(x);
}

/* ---- precedence and operators, in i64: one kernel for all ---- */

static int64_t floor_div(int64_t a, int64_t b) {
  return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_mod(int64_t a, int64_t b) {
  return b == 0 ? 0 : a - floor_div(a, b) * b;
}

/* X(NumPy's text, the C expression) */
#define OPERATORS(X)                                                                       \
  X("a + b * c - a", a + b * c - a)                                                        \
  X("(a + b) * -c", (a + b) * -c)                                                          \
  X("-a ** 2 + 2 ** 3 ** 2", -(a * a) + 512)                                               \
  X("a // b % 5 * 3", floor_mod(floor_div(a, b), 5) * 3)                                   \
  X("a - b - c - 1", a - b - c - 1)                                                        \
  X("~a & b | c ^ 3 & 6", (~a & b) | (c ^ (3 & 6)))                                        \
  X("1 << 2 + 1 | a >> 1 + 1", (1 << 3) | (a >> 2))                                        \
  X("a & 1 == 0", (a & 1) == 0)                                                            \
  X("0 <= a < 5 != b", (0 <= a && a < 5 && 5 != b))                                        \
  X("not a > b and c or a == 3", (!(a > b) && c) || a == 3)                                \
  X("not not a", a != 0)                                                                   \
  X("a if a > b else b if b > c else c", a > b ? a : b > c ? b : c)                        \
  X("- - +a - ~-b", a - ~-b)                                                               \
  X("a * 0x1F + 0b101 - 0o17", a * 31 + 5 - 15)                                            \
  X("max(a, b, c) - min(a, b)", (a > b ? a > c ? a : c : b > c ? b : c) - (a < b ? a : b)) \
  X("where(a, b, c) + abs(a) + absolute(b)", (a ? b : c) + llabs(a) + llabs(b))            \
  X("i8(a) * 2 + i64(bool(c))", (int8_t)((int8_t)a * 2) + (c != 0))                        \
  X("clip(a, -3, 4) # the rest is (not read", (a < -3 ? -3 : a > 4 ? 4 : a))               \
  X("(a +\n b * # in parentheses a line may end\n c)", a + b * c)                          \
  X("a // 0 + b % 0 + (-7 // 2) * 10 + -7 % 3", -38)

START_TEST(operators)
{
  static const char *const text[] = {
#define TEXT(text, value) text,
      OPERATORS(TEXT)
#undef TEXT
  };
  enum { COUNT = sizeof text / sizeof *text };
  int64_t host[3][N], got[N];
  weft_array *result[COUNT] = {NULL};
  weft_operand operand[COUNT + 4];
  char whole[4096] = "", name[COUNT][8];
  harness_random random = harness_random_start(1);
  for (int k = 0; k < N; k++) {
    host[0][k] = harness_between(&random, -9, 9);
    host[1][k] = harness_between(&random, -9, 9);
    host[2][k] = harness_between(&random, -2, 2);
  }
  weft_array *variable[3] = {from(WEFT_I64, N, host[0]), from(WEFT_I64, N, host[1]), from(WEFT_I64, N, host[2])};
  operand[0] = WEFT_NAMED("a", variable[0]);
  operand[1] = WEFT_NAMED("b", variable[1]);
  operand[2] = WEFT_NAMED("c", variable[2]);
  for (int k = 0; k < COUNT; k++) {
    snprintf(name[k], sizeof name[k], "r%d", k);
    snprintf(whole + strlen(whole), sizeof whole - strlen(whole), "%s = %s\n", name[k], text[k]);
    ok(weft_empty(&result[k], ctx, WEFT_I64, WEFT_SHAPE(N)));
    operand[3 + k] = WEFT_NAMED(name[k], &result[k]);
  }
  ok((weft_eval_all)(ctx, whole, COUNT + 3, operand));
#define CHECK(text_, value)                                                                                          \
  take(got, WEFT_I64, N, &result[at++]);                                                                             \
  for (int k = 0; k < N; k++) {                                                                                      \
    int64_t a = host[0][k], b = host[1][k], c = host[2][k];                                                          \
    (void)a, (void)b, (void)c;                                                                                       \
    ck_assert_msg(got[k] == (int64_t)(value), "%s with a = %d, b = %d, c = %d is %d", text_, (int)a, (int)b, (int)c, \
                  (int)got[k]);                                                                                      \
  }
  int at = 0;
  OPERATORS(CHECK)
#undef CHECK
  for (int k = 0; k < 3; k++) weft_array_release(&variable[k]);
  harness_count(COUNT * N);
}
END_TEST

/* ---- dtypes of results: weak numbers and scalars ---- */

START_TEST(dtypes)
{
  static const struct {
    weft_dtype a;
    const char *text;
    weft_dtype result;
  } cases[] = {
      {WEFT_I8, "a + 1", WEFT_I8},
      {WEFT_U8, "a * 2.5", WEFT_F64},
      {WEFT_F32, "a * 2.5 + 1", WEFT_F32},
      {WEFT_F16, "a * 2", WEFT_F16},
      {WEFT_I32, "a / 2", WEFT_F64},
      {WEFT_F32, "a + 2j", WEFT_C64},
      {WEFT_F32, "a < 2", WEFT_BOOL},
      {WEFT_BOOL, "a + 1", WEFT_I64},
      {WEFT_F32, "a * (1 + 2) ** -1", WEFT_F32},
      {WEFT_I16, "f32(a) * 2", WEFT_F32},
      {WEFT_F32, "abs(a + 1j)", WEFT_F32},
      {WEFT_U8, "a ** 2", WEFT_U8},
      {WEFT_I32, "a + i", WEFT_I64},
      {WEFT_BOOL, "a ** 2", WEFT_I8},
      {WEFT_F32, "a if true else 1", WEFT_F32},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    weft_array *a = NULL, *y = NULL;
    if (!harness_has_dtype(cases[k].result)) continue;
    ok(weft_ones(&a, ctx, cases[k].a, WEFT_SHAPE(5)));
    ok(weft_eval(&y, ctx, cases[k].text, WEFT_VAR(a)));
    ck_assert_msg(weft_array_dtype(y) == cases[k].result, "%s of %s is %s", cases[k].text, weft_dtype_name(cases[k].a),
                  weft_dtype_name(weft_array_dtype(y)));
    weft_array_release(&a);
    weft_array_release(&y);
    harness_count(1);
  }
}
END_TEST

START_TEST(scalars)
{
  float host[N], got[N], k = 2.5f;
  int count = 3;
  for (int i = 0; i < N; i++) host[i] = (float)i;
  weft_array *a = from(WEFT_F32, N, host), *y = NULL, *b = NULL;
  for (int round = 0; round < 3; round++, k += 1, count++) {
    ok(weft_eval(&y, ctx, "a * k + count", WEFT_VAR(a), WEFT_VAR(k), WEFT_VAR(count)));
    take(got, WEFT_F32, N, &y);
    for (int i = 0; i < N; i++) ck_assert(got[i] == host[i] * k + (float)count);
  }
  /* a scalar is checked at the call, where its value is known */
  ok(weft_zeros(&b, ctx, WEFT_U8, WEFT_SHAPE(3)));
  count = 300;
  expect_error(weft_eval(&y, ctx, "b + count", WEFT_VAR(b), WEFT_VAR(count)), WEFT_ERROR_OVERFLOW,
               "`count` is 300, which u8 cannot hold", "@count");
  ck_assert_ptr_null(y);
  weft_array_release(&a);
  weft_array_release(&b);
}
END_TEST

/* ---- bit-identity with functions ---- */

START_TEST(fused_is_unfused)
{
  float a_host[N], b_host[N], got[N], wanted[N];
  harness_random random = harness_random_start(2);
  weft_array *y = NULL, *t = NULL, *u = NULL, *v = NULL;
  for (int i = 0; i < N; i++) {
    a_host[i] = (float)harness_between(&random, -8000, 8000) / 999;
    b_host[i] = (float)harness_between(&random, 1, 8000) / 777;
  }
  weft_array *a = from(WEFT_F32, N, a_host), *b = from(WEFT_F32, N, b_host);
  ok(weft_eval(&y, ctx, "exp(a) * b + a / b - sqrt(b) * sin(a) ** 3", WEFT_VAR(a), WEFT_VAR(b)));
  ok(weft_exp(&t, a));
  ok(weft_multiply(&t, t, b));
  ok(weft_divide(&u, a, b));
  ok(weft_add(&t, t, u));
  ok(weft_sqrt(&u, b));
  ok(weft_sin(&v, a));
  ok(weft_pow(&v, v, 3));
  ok(weft_multiply(&u, u, v));
  ok(weft_subtract(&t, t, u));
  take(got, WEFT_F32, N, &y);
  take(wanted, WEFT_F32, N, &t);
  ck_assert_mem_eq(got, wanted, sizeof got);
  harness_count(N);
  weft_array_release(&a);
  weft_array_release(&b);
  weft_array_release(&u);
  weft_array_release(&v);
}
END_TEST

START_TEST(halves_are_rounded_once)
{
  uint16_t host[N], got[N];
  weft_array *y = NULL;
  for (int i = 0; i < N; i++) host[i] = weft_f16_from_double(1 + i * 0.0371).bits;
  weft_array *h = from(WEFT_F16, N, host);
  ok(weft_eval(&y, ctx, "h * h * h - h", WEFT_VAR(h)));
  take(got, WEFT_F16, N, &y);
  int differ = 0;
  for (int i = 0; i < N; i++) {
    float x = (float)weft_f16_to_double((weft_f16){host[i]}), once = x * x * x - x;
    double twice = weft_f16_to_double(weft_f16_from_double((double)(x * x)));
    ck_assert_uint_eq(got[i], weft_f16_from_double((double)once).bits);
    differ += weft_f16_from_double((double)((float)twice * x - x)).bits != got[i];
  }
  ck_assert_int_gt(differ, 0); /* otherwise the test would show nothing */
  harness_count(N);
  weft_array_release(&h);
}
END_TEST

START_TEST(complex_numbers)
{
  weft_c64 host[] = {{1, 2}, {-3, 0.5f}, {0, -1}}, got[3];
  weft_array *z = from(WEFT_C64, 3, host), *y = NULL;
  ok(weft_eval(&y, ctx, "z * (2 - 1j) + conj(z) if real(z) < 1 else -2j", WEFT_VAR(z)));
  take(got, WEFT_C64, 3, &y);
  for (int i = 0; i < 3; i++) {
    weft_c64 w = {host[i].re * 2 + host[i].im + host[i].re, host[i].im * 2 - host[i].re - host[i].im};
    if (host[i].re >= 1) w = (weft_c64){-0.0f, -2};
    ck_assert_msg(got[i].re == w.re && got[i].im == w.im, "%d: %g%+gi, not %g%+gi", i, got[i].re, got[i].im, w.re,
                  w.im);
  }
  harness_count(3);
  weft_array_release(&z);
}
END_TEST

/* ---- statements, results, indices ---- */

START_TEST(several_results)
{
  float host[N], s_host[N], c_host[N], q_host[N], r_host[N];
  weft_array *s = NULL, *c = NULL, *q = NULL, *r = NULL;
  for (int i = 0; i < N; i++) host[i] = (float)i * 0.37f - 5;
  weft_array *a = from(WEFT_F32, N, host);
  ok(weft_eval_all(ctx, "s, c = sincos(a); q, r = divmod(a, 3)\n t = r * 2\n r = t", WEFT_VAR(&r), WEFT_VAR(&s),
                   WEFT_VAR(a), WEFT_VAR(&c), WEFT_VAR(&q)));
  take(s_host, WEFT_F32, N, &s);
  take(c_host, WEFT_F32, N, &c);
  take(q_host, WEFT_F32, N, &q);
  take(r_host, WEFT_F32, N, &r);
  for (int i = 0; i < N; i++) {
    float floored = floorf(host[i] / 3);
    ck_assert(harness_near((double)s_host[i], sin((double)host[i]), 4, false));
    ck_assert(harness_near((double)c_host[i], cos((double)host[i]), 4, false));
    ck_assert(q_host[i] == floored);
    ck_assert(fabsf(r_host[i] - 2 * (host[i] - 3 * floored)) < 1e-5f);
  }
  /* the value of the last statement, and named results in addition */
  weft_array *y = NULL;
  ok(weft_eval(&y, ctx, "t = a + 1; s = t * 2; u = s + t", WEFT_VAR(a), WEFT_VAR(&s)));
  take(s_host, WEFT_F32, N, &s);
  take(c_host, WEFT_F32, N, &y);
  for (int i = 0; i < N; i++) ck_assert(s_host[i] == (host[i] + 1) * 2 && c_host[i] == s_host[i] + (host[i] + 1));
  harness_count(3 * N);
  weft_array_release(&a);
}
END_TEST

START_TEST(in_place)
{
  float x_host[N], v_host[N], got[N];
  for (int i = 0; i < N; i++) {
    x_host[i] = (float)i;
    v_host[i] = (float)(N - i);
  }
  weft_array *x = from(WEFT_F32, N, x_host), *v = from(WEFT_F32, N, v_host), *head = NULL, *tail = NULL;
  ok(weft_eval(&x, ctx, "x + 1", WEFT_VAR(x)));
  /* a name may be both variable and result: the text reads the old value until it assigns the new one */
  ok(weft_eval_all(ctx, "v = v * 0.5; x = x + v", WEFT_VAR(&x), WEFT_VAR(&v), WEFT_VAR(x), WEFT_VAR(v)));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) ck_assert(got[i] == (float)i + 1 + (float)(N - i) * 0.5f);
  ok(weft_to_host(got, sizeof got, v));
  for (int i = 0; i < N; i++) ck_assert(got[i] == (float)(N - i) * 0.5f);
  /* overlap: as if everything had been read first */
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), x_host));
  ok(weft_slice(&head, x, 0, 0, N - 1));
  ok(weft_slice(&tail, x, 0, 1, N));
  ok(weft_eval(&tail, ctx, "head * 10", WEFT_VAR(head)));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 1; i < N; i++) ck_assert(got[i] == (float)(i - 1) * 10);
  harness_count(3 * N);
  weft_array_release(&head);
  weft_array_release(&tail);
  weft_array_release(&x);
  weft_array_release(&v);
}
END_TEST

START_TEST(index_and_size)
{
  float host[35], got[35];
  int64_t numbers[35];
  weft_array *x = NULL, *turned = NULL, *y = NULL;
  for (int k = 0; k < 35; k++) host[k] = (float)k;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(5, 7), host));
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_eval(&y, ctx, "turned + f32(i) * 100 + f32(n) * 10000", WEFT_VAR(turned)));
  ck_assert_int_eq(weft_array_length(y, 0), 7);
  take(got, WEFT_F32, 35, &y);
  for (int r = 0, k = 0; r < 7; r++)
    for (int c = 0; c < 5; c++, k++) ck_assert(got[k] == host[c * 7 + r] + (float)k * 100 + 350000);
  /* an index alone: the result gives the shape */
  ok(weft_empty(&y, ctx, WEFT_I64, WEFT_SHAPE(5, 7)));
  ok(weft_eval(&y, ctx, "i * i + n"));
  take(numbers, WEFT_I64, 35, &y);
  for (int k = 0; k < 35; k++) ck_assert_int_eq(numbers[k], k * k + 35);
  /* a variable named i or n takes precedence */
  int i = 4, n = 5;
  ok(weft_eval(&y, ctx, "x * i + n", WEFT_VAR(x), WEFT_VAR(i), WEFT_VAR(n)));
  take(got, WEFT_F32, 35, &y);
  for (int k = 0; k < 35; k++) ck_assert(got[k] == host[k] * 4 + 5);
  harness_count(105);
  weft_array_release(&x);
  weft_array_release(&turned);
}
END_TEST

START_TEST(broadcasting_and_host_memory)
{
  float row_host[4] = {1, 2, 3, 4}, column_host[3] = {10, 20, 30}, got[12];
  weft_array *column = NULL;
  ok(weft_from_host(&column, ctx, WEFT_F32, WEFT_SHAPE(3, 1), column_host));
  ok(weft_eval(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(3, 4)), NULL, "row + column", WEFT_VAR(column),
               WEFT_NAMED("row", WEFT_HOST(row_host, WEFT_F32, WEFT_SHAPE(4)))));
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 4; c++) ck_assert(got[4 * r + c] == row_host[c] + column_host[r]);
  weft_array *y = NULL, *wide = NULL;
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(2, 4)));
  expect_error(weft_eval(&y, ctx, "column + wide", WEFT_VAR(column), WEFT_VAR(wide)), WEFT_ERROR_SHAPE,
               "weft_eval: `column` is f32[3,1], `wide` is f32[2,4]: they differ in axis 0");
  harness_count(12);
  weft_array_release(&column);
  weft_array_release(&wide);
}
END_TEST

START_TEST(constants)
{
  float got[6], one[] = {1};
  weft_array *a = from(WEFT_F32, 1, one);
  static const char text[] =
      "p = a * pi; q = a * e; r = a * inf; s = a * nan; t = a if True and not False else 0; u = a * 1.5e-1";
  weft_array *p = NULL, *q = NULL, *r = NULL, *s = NULL, *t = NULL, *u = NULL;
  ok(weft_eval_all(NULL, text, WEFT_VAR(a), WEFT_VAR(&p), WEFT_VAR(&q), WEFT_VAR(&r), WEFT_VAR(&s), WEFT_VAR(&t),
                   WEFT_VAR(&u)));
  weft_array **all[] = {&p, &q, &r, &s, &t, &u};
  for (int k = 0; k < 6; k++) take(&got[k], WEFT_F32, 1, all[k]);
  ck_assert(got[0] == 3.14159265f && got[1] == 2.71828183f && isinf(got[2]) && isnan(got[3]) && got[4] == 1 &&
            got[5] == 0.15f);
  harness_count(6);
  weft_array_release(&a);
}
END_TEST

/* ---- cached kernels ---- */

static int builds;

static void count_builds(void *user, weft_log_level level, const char *message) {
  (void)user, (void)level;
  builds += strncmp(message, "built ", 6) == 0;
}

/// Numbers are computed by the host; the ends of their range do not overflow on the way.
START_TEST(folded_divisions)
{
  static const struct {
    const char *text;
    int64_t value;
  } division[] = {{"x + 9223372036854775807 % -3", -2},
                  {"x + 9223372036854775807 % 3", 1},
                  {"x + (-9223372036854775807 - 1) % 3", 1},
                  {"x + (-9223372036854775807 - 1) % -3", -2},
                  {"x + (-9223372036854775807 - 1) % 9223372036854775807", INT64_MAX - 1},
                  {"x + 9223372036854775807 // -3", -3074457345618258603},
                  {"x + (-9223372036854775807 - 1) // 3", -3074457345618258603},
                  {"x + (-9223372036854775807 - 1) % 2", 0}};
  weft_array *x = NULL, *y = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I64, WEFT_SHAPE(1)));
  for (size_t k = 0; k < sizeof division / sizeof *division; k++) {
    int64_t value;
    ok(weft_eval(&y, ctx, division[k].text, WEFT_VAR(x)));
    ok(weft_to_host(&value, sizeof value, y));
    ck_assert_int_eq(value, division[k].value);
  }
  weft_release(&x, &y);
}
END_TEST

START_TEST(kernels_are_kept)
{
  char long_text[2000] = "a", copy[32];
  float got[3], host[] = {1, 2, 3};
  weft_array *a = from(WEFT_F32, 3, host), *b = from(WEFT_F32, 3, host), *y = NULL;
  for (int k = 0; k < 150; k++) strcat(long_text, " + 1");
  weft_log_set(WEFT_LOG_DEBUG, count_builds, NULL);
  ok(weft_eval(&y, ctx, "a * 2 - 1", WEFT_VAR(a)));
  ok(weft_eval(&y, ctx, long_text, WEFT_VAR(a)));
  ck_assert_int_eq(builds, 2);
  for (int k = 0; k < 50; k++) {
    strcpy(copy, "a * 2 - 1"); /* an equal text elsewhere in memory */
    ok(weft_eval(&y, ctx, copy, WEFT_VAR(a)));
    memset(copy, 'x', sizeof copy);
    ok(weft_eval(&y, ctx, "a * 2 - 1", WEFT_NAMED("a", b)));
    ok(weft_eval(&y, ctx, long_text, WEFT_VAR(a)));
  }
  ck_assert_int_eq(builds, 2);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  /* other variables for the same arrays: another formula */
  ok(weft_eval(&y, ctx, "a - b", WEFT_NAMED("a", a), WEFT_NAMED("b", 1)));
  ok(weft_eval(&y, ctx, "a - b", WEFT_NAMED("b", a), WEFT_NAMED("a", 1)));
  take(got, WEFT_F32, 3, &y);
  ck_assert(got[0] == 0 && got[2] == -2);
  harness_count(150);
  weft_array_release(&a);
  weft_array_release(&b);
}
END_TEST

/// Texts that differ only in numbers share a kernel, in expressions, reductions and selections.
START_TEST(numbers_are_arguments)
{
  enum { TIMES = 4 };
  char text[64];
  float got[3], host[] = {1, 2, 3};
  int32_t whole[3], integers[] = {7, -7, 40};
  harness_context_close();
  setenv("WEFT_WAY", "elements:commands", 1); /* few elements need kernels too */
  harness_context_open();
  unsetenv("WEFT_WAY");
  weft_array *a = from(WEFT_F32, 3, host), *b = from(WEFT_I32, 3, integers), *y = NULL;
  weft_log_set(WEFT_LOG_DEBUG, count_builds, NULL);
  builds = 0;
  for (int k = 1; k <= TIMES; k++) {
    snprintf(text, sizeof text, "a * %d.5 - %d", k, 3 * k);
    ok(weft_eval(&y, ctx, text, WEFT_VAR(a)));
    take(got, WEFT_F32, 3, &y);
    for (int i = 0; i < 3; i++) ck_assert_float_eq(got[i], host[i] * ((float)k + 0.5f) - 3 * (float)k);
  }
  ck_assert_int_eq(builds, 1);
  for (int k = 1; k <= TIMES; k++) {
    snprintf(text, sizeof text, "where(b > %d, b, -%d)", 5 * k, k);
    ok(weft_eval(&y, ctx, text, WEFT_VAR(b)));
    take(whole, WEFT_I32, 3, &y);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(whole[i], integers[i] > 5 * k ? integers[i] : -k);
  }
  ck_assert_int_eq(builds, 2);
  int before = builds, first = 0;
  for (int k = 1; k <= TIMES; k++) {
    snprintf(text, sizeof text, "a * %d", k);
    ok(weft_reduce(&y, ctx, text, WEFT_ALL_AXES, WEFT_VAR(a)));
    take(got, WEFT_F32, 1, &y);
    ck_assert_float_eq(got[0], 6 * (float)k);
    snprintf(text, sizeof text, "a > %d", k);
    ok(weft_select(&y, ctx, text, WEFT_VAR(a)));
    ck_assert_int_eq(weft_array_size(y), k < 3 ? 3 - k : 0);
    weft_array_release(&y);
    if (k == 1) first = builds;
  }
  ck_assert_int_gt(first, before);
  ck_assert_int_eq(builds, first);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  harness_count(4 * TIMES);
  weft_array_release(&a);
  weft_array_release(&b);
}
END_TEST

/// A context's cache does not grow with each new number.
START_TEST(numbers_are_not_kept)
{
  char text[64];
  float host[] = {1, 2, 3}, got[3];
  weft_array *a = from(WEFT_F32, 3, host), *y = NULL;
  size_t before = 0;
  for (int k = 0; k < 2400; k++) {
    snprintf(text, sizeof text, k & 1 ? "a * %d.25 - 0.5" : "where(a > 1.5, %d.25, a)", k);
    ok(weft_eval(&y, ctx, text, WEFT_VAR(a)));
    if (k % 64 == 0) ok(weft_context_wait(ctx));
    if (k == 1400) before = mallinfo2().uordblks;
  }
  size_t after = mallinfo2().uordblks;
  ck_assert_msg(after < before + (64 << 10), "1000 more texts: %zu bytes more", after - before);
  ok(weft_eval(&y, ctx, "a * 3.5 - 0.5", WEFT_VAR(a)));
  take(got, WEFT_F32, 3, &y);
  for (int i = 0; i < 3; i++) ck_assert_float_eq(got[i], host[i] * 3.5f - 0.5f);
  harness_count(2400);
  weft_array_release(&a);
}
END_TEST

/// Divisors, and numbers beyond the available argument places, are constants in the kernel.
START_TEST(numbers_in_the_kernel)
{
  char text[2000] = "a";
  float got[3], host[] = {1, 2, 3}, sum = 0;
  int32_t whole[3], integers[] = {7, -7, 40};
  weft_array *a = from(WEFT_F32, 3, host), *b = from(WEFT_I32, 3, integers), *y = NULL;
  for (int k = 1; k <= 60; k++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), " + %d * k", k);
    sum += (float)k;
  }
  ok(weft_eval(&y, ctx, text, WEFT_VAR(a), WEFT_NAMED("k", 2.0f)));
  take(got, WEFT_F32, 3, &y);
  for (int i = 0; i < 3; i++) ck_assert_float_eq(got[i], host[i] + 2 * sum);
  for (int k = 5; k <= 7; k += 2) {
    snprintf(text, sizeof text, "b // %d * 100 + b %% %d", k, k);
    ok(weft_eval(&y, ctx, text, WEFT_VAR(b)));
    take(whole, WEFT_I32, 3, &y);
    for (int i = 0; i < 3; i++) {
      int rest = ((integers[i] % k) + k) % k;
      ck_assert_int_eq(whole[i], (integers[i] - rest) / k * 100 + rest);
    }
  }
  harness_count(3);
  weft_array_release(&a);
  weft_array_release(&b);
}
END_TEST

static void *evaluate_often(void *data) {
  int id = *(int *)data, bad = 0;
  float host[N], got[N];
  weft_array *a = NULL, *y = NULL;
  for (int i = 0; i < N; i++) host[i] = (float)(i + id);
  if (weft_from_host(&a, ctx, WEFT_F32, WEFT_SHAPE(N), host)) bad++;
  for (int round = 0; round < 20 && !bad; round++) {
    if (weft_eval(&y, ctx, "a * k + 1", WEFT_VAR(a), WEFT_NAMED("k", id + round))) bad++;
    if (!bad && weft_to_host(got, sizeof got, y)) bad++;
    for (int i = 0; i < N && !bad; i++) bad += got[i] != host[i] * (float)(id + round) + 1;
    if (!weft_eval(&y, ctx, "a * + ", WEFT_VAR(a))) bad++;
  }
  weft_array_release(&a);
  weft_array_release(&y);
  *(int *)data = bad;
  return NULL;
}

START_TEST(threads)
{
  pthread_t thread[4];
  int id[4];
  for (int k = 0; k < 4; k++) {
    id[k] = k;
    ck_assert_int_eq(pthread_create(&thread[k], NULL, evaluate_often, &id[k]), 0);
  }
  for (int k = 0; k < 4; k++) ck_assert_int_eq(pthread_join(thread[k], NULL), 0);
  for (int k = 0; k < 4; k++) ck_assert_int_eq(id[k], 0);
  harness_count(80);
}
END_TEST

/// Names that C has too mean what they mean in NumPy: round is to even and leaves integers as they are.
START_TEST(names_are_numpys)
{
  const float halves[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.4f}, expected[] = {0, 2, 2, -0.0f, -2, 2};
  static const weft_dtype whole[] = {WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  static const char *const texts[] = {"round(x)", "around(x)", "rint(x)"};
  for (int k = 0; k < 3; k++) {
    weft_array *x = from(WEFT_F32, 6, halves), *y = NULL;
    float got[6];
    ok(weft_eval(&y, ctx, texts[k], WEFT_VAR(x)));
    take(got, WEFT_F32, 6, &y);
    ck_assert_mem_eq(got, expected, sizeof got);
    weft_array_release(&x);
    for (int d = 0; k < 2 && d < 8; d++) {
      ok(weft_full(&x, ctx, whole[d], WEFT_SHAPE(2), 77));
      ok(weft_eval(&y, ctx, texts[k], WEFT_VAR(x)));
      ck_assert_int_eq(weft_array_dtype(y), whole[d]);
      weft_release(&x, &y);
    }
  }
  const int32_t some[] = {-7, 7};
  int32_t got[2];
  weft_array *x = from(WEFT_I32, 2, some), *y = NULL;
  ok(weft_eval(&y, ctx, "mod(x, 3) + bitwise_invert(round(x) * 0)", WEFT_VAR(x)));
  take(got, WEFT_I32, 2, &y);
  ck_assert(got[0] == 1 && got[1] == 0);
  expect_error(weft_eval(&y, ctx, "round(x, 2)", WEFT_VAR(x)), WEFT_ERROR_EXPRESSION, "round takes 1 operand; 2 given");
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "language");
  tcase_add_test(tc, operators);
  tcase_add_test(tc, dtypes);
  tcase_add_test(tc, scalars);
  tcase_add_test(tc, complex_numbers);
  tcase_add_test(tc, constants);
  tc = harness_context_case(suite, "values");
  tcase_add_test(tc, fused_is_unfused);
  tcase_add_test(tc, halves_are_rounded_once);
  tcase_add_test(tc, names_are_numpys);
  tcase_add_test(tc, several_results);
  tcase_add_test(tc, in_place);
  tcase_add_test(tc, index_and_size);
  tcase_add_test(tc, broadcasting_and_host_memory);
  tc = harness_context_case(suite, "kept");
  tcase_add_test(tc, folded_divisions);
  tcase_add_test(tc, kernels_are_kept);
  tcase_add_test(tc, numbers_are_arguments);
  tcase_add_test(tc, numbers_are_not_kept);
  tcase_add_test(tc, numbers_in_the_kernel);
  tcase_add_test(tc, threads);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "eval", .add = add});
}
