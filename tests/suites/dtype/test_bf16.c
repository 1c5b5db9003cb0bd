// SPDX-License-Identifier: MIT
/// bfloat16: conversions and functions over all 65536 values against C, rounded once by an independent reference
/// (element_bf16).
#include "bfloats.h"

enum { PAIRS = 40000 };

/* ---- on the host ---- */

START_TEST(host_conversions)
{
  harness_random random = harness_random_start(1);
  for (unsigned i = 0; i < ALL; i++) {
    const weft_bf16 given = {(uint16_t)i};
    const double value = weft_bf16_to_double(given);
    if (is_nan(given.bits)) {
      ck_assert(isnan(value) && signbit(value) == (i >> 15 != 0));
      ck_assert_uint_eq(weft_bf16_from_double(value).bits, i | 0x40); /* quiet, with the payload */
      continue;
    }
    ck_assert(harness_same_double(value, (double)element_of_bf16(given.bits)));
    ck_assert_uint_eq(weft_bf16_from_double(value).bits, i);
    if ((i & 0x7fff) >= 0x7f80) continue;
    /* the midpoint to the next value, and its neighbours */
    const double next = (i & 0x7fff) == 0x7f7f ? copysign(0x1p128, value) : (double)element_of_bf16((uint16_t)(i + 1));
    const double middle = (value + next) / 2;
    ck_assert_uint_eq(weft_bf16_from_double(middle).bits, i + (i & 1));
    ck_assert_uint_eq(weft_bf16_from_double(nextafter(middle, 0)).bits, i);
    ck_assert_uint_eq(weft_bf16_from_double(nextafter(middle, copysign(INFINITY, value))).bits, i + 1);
  }
  for (int k = 0; k < 100000; k++) {
    const double x = ldexp((double)(int64_t)harness_bits(&random), (int)harness_between(&random, -200, 70));
    ck_assert_uint_eq(weft_bf16_from_double(x).bits, element_bf16((long double)x));
  }
  ck_assert_uint_eq(weft_bf16_from_double(1e300).bits, 0x7f80);
  ck_assert_uint_eq(weft_bf16_from_double(-0.0).bits, 0x8000);
  ck_assert_int_eq(WEFT_SCALAR(nearest(0.25)).dtype, WEFT_BF16);
  ck_assert_double_eq(WEFT_SCALAR(nearest(0.25)).value.f, 0.25);
  harness_count(ALL + 100000);
}
END_TEST

/* ---- casts ---- */

START_TEST(casts_of_all)
{
  static uint16_t halves[ALL];
  static float floats[ALL];
  weft_array *x = all_of_them(), *y = NULL, *back = NULL;
  ok(weft_cast(&y, x, WEFT_F32));
  ok(weft_cast(&back, y, WEFT_BF16));
  take(floats, WEFT_F32, ALL, &y);
  take(halves, WEFT_BF16, ALL, &back);
  for (int i = 0; i < ALL; i++) {
    uint32_t bits;
    memcpy(&bits, &floats[i], sizeof bits);
    if (is_nan((uint16_t)i))
      ck_assert(bits >> 16 == (unsigned)i || bits >> 16 == ((unsigned)i | 0x40));
    else
      ck_assert_uint_eq(bits, (uint32_t)i << 16);
    ck_assert_uint_eq(halves[i], is_nan((uint16_t)i) ? i | 0x40 : i);
  }
  ok(weft_cast(&y, x, WEFT_F16));
  take(halves, WEFT_F16, ALL, &y);
  for (int i = 0; i < ALL; i++) {
    const double got = weft_f16_to_double((weft_f16){halves[i]}), value = (double)element_of_bf16((uint16_t)i);
    ck_assert(harness_same_double(got, weft_f16_to_double(weft_f16_from_double(value))));
  }
  ok(weft_copy(&y, x));
  take(halves, WEFT_BF16, ALL, &y);
  ck_assert_int_eq(memcmp(halves, every, sizeof halves), 0); /* including NaNs */
  ok(weft_cast(&y, x, WEFT_BOOL));
  take(halves, WEFT_BOOL, ALL, &y);
  for (int i = 0; i < ALL; i++) ck_assert_int_eq(((uint8_t *)halves)[i], (i & 0x7fff) != 0);
  weft_array_release(&x);
}
END_TEST

/// Values around the midpoint of each two neighbours.
START_TEST(casts_of_ties)
{
  enum { EACH = 5, COUNT = EACH * ALL };
  static float floats[COUNT];
  static double doubles[COUNT];
  static uint16_t got[COUNT];
  static const uint32_t below[EACH] = {0x8000, 0x7fff, 0x8001, 0x0001, 0xffff};
  weft_array *x, *y = NULL;
  for (int i = 0; i < COUNT; i++) {
    const uint32_t bits = (uint32_t)(i / EACH) << 16 | below[i % EACH];
    memcpy(&floats[i], &bits, sizeof bits);
    doubles[i] = (double)floats[i];
    if (isfinite(doubles[i]) && i % EACH == 0)
      doubles[i] = nextafter(doubles[i], (i / EACH) & 1 ? 0 : copysign(INFINITY, doubles[i]));
  }
  x = from(WEFT_F32, COUNT, floats);
  ok(weft_cast(&y, x, WEFT_BF16));
  take(got, WEFT_BF16, COUNT, &y);
  weft_array_release(&x);
  for (int i = 0; i < COUNT; i++) {
    const uint16_t expected = element_bf16((long double)floats[i]);
    ck_assert_msg(got[i] == expected || (isnan(floats[i]) && got[i] == (i / EACH | 0x40)), "%a gives %04x, not %04x",
                  (double)floats[i], got[i], expected);
  }
  if (!device.has_fp64) return;
  x = from(WEFT_F64, COUNT, doubles);
  ok(weft_cast(&y, x, WEFT_BF16));
  take(got, WEFT_BF16, COUNT, &y);
  weft_array_release(&x);
  for (int i = 0; i < COUNT; i++) {
    const uint16_t expected = element_bf16((long double)doubles[i]);
    ck_assert_msg(
        got[i] == expected || (isnan(doubles[i]) && is_nan(got[i]) && got[i] >> 15 == (signbit(doubles[i]) != 0)),
        "%a gives %04x, not %04x", doubles[i], got[i], expected);
  }
}
END_TEST

/// Integers beyond f32's 24 bits are rounded once.
START_TEST(casts_of_integers)
{
  static int64_t whole[PAIRS];
  static uint16_t got[PAIRS];
  static const weft_dtype dtypes[] = {WEFT_I64, WEFT_U64, WEFT_I32, WEFT_U32};
  harness_random random = harness_random_start(2);
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    const weft_dtype dtype = dtypes[d];
    const size_t size = weft_dtype_size_bytes(dtype);
    static unsigned char data[PAIRS * 8];
    for (int i = 0; i < PAIRS; i++) {
      /* a tie of bf16, often with a much smaller summand */
      const int shift = (int)harness_between(&random, 0, 54);
      uint64_t bits = (uint64_t)harness_between(&random, 256, 511) << shift;
      if (i % 3 && shift) bits |= UINT64_C(1) << (shift - 1);
      if (i % 3 == 2) bits += (uint64_t)harness_between(&random, -1, 1);
      if (i % 2) bits = 0 - bits;
      memcpy(data + (size_t)i * size, &bits, size);
      whole[i] = (int64_t)bits;
    }
    weft_array *x = from(dtype, PAIRS, data), *y = NULL;
    ok(weft_cast(&y, x, WEFT_BF16));
    take(got, WEFT_BF16, PAIRS, &y);
    weft_array_release(&x);
    for (int i = 0; i < PAIRS; i++) {
      const long double value = element_get(dtype, data + (size_t)i * size);
      ck_assert_msg(got[i] == element_bf16(value), "%s %.0Lf gives %04x, not %04x", weft_dtype_name(dtype), value,
                    got[i], element_bf16(value));
      if (i % 100 == 0 && dtype == WEFT_I64) { /* the host's conversion */
        ok(weft_full(&y, ctx, WEFT_BF16, WEFT_SHAPE(1), whole[i]));
        uint16_t one;
        take(&one, WEFT_BF16, 1, &y);
        ck_assert_uint_eq(one, element_bf16(value));
      }
    }
  }
}
END_TEST

/* ---- functions ---- */

static double square_of(double x) {
  return x * x;
}
static double reciprocal_of(double x) {
  return 1 / x;
}
static double negative_of(double x) {
  return -x;
}
static double sign_of(double x) {
  return isnan(x) ? x : (x > 0) - (x < 0);
}
static double round_of(double x) {
  return nearbyint(x);
}

static const struct unary {
  weft_ufunc_id id;
  double (*reference)(double);
  bool exact; /* computed in f32 and correctly rounded to f32 */
} UNARY[] = {{WEFT_UFUNC_NEGATIVE, negative_of, true},
             {WEFT_UFUNC_ABS, fabs, true},
             {WEFT_UFUNC_SQUARE, square_of, true},
             {WEFT_UFUNC_SQRT, sqrt, false},
             {WEFT_UFUNC_RECIPROCAL, reciprocal_of, false},
             {WEFT_UFUNC_FLOOR, floor, true},
             {WEFT_UFUNC_CEIL, ceil, true},
             {WEFT_UFUNC_TRUNC, trunc, true},
             {WEFT_UFUNC_RINT, round_of, true},
             {WEFT_UFUNC_SIGN, sign_of, true},
             {WEFT_UFUNC_EXP, exp, false},
             {WEFT_UFUNC_LOG, log, false},
             {WEFT_UFUNC_SIN, sin, false},
             {WEFT_UFUNC_TANH, tanh, false},
             {WEFT_UFUNC_CBRT, cbrt, false},
             {WEFT_UFUNC_ERF, erf, false},
             {WEFT_UFUNC_LOG1P, log1p, false}};

/// Whether `got` is the reference's f32 value (or one a few units away), rounded.
static bool is_right(uint16_t got, double reference, bool exact) {
  if (isnan(reference)) return is_nan(got);
  const float narrow = (float)reference;
  if (got == element_bf16((long double)narrow) && (got & 0x7fff)) return true;
  if (got == element_bf16((long double)narrow)) return true;
  if (exact) return false;
  for (int side = 0; side < 2; side++) {
    float x = narrow;
    for (int k = 0; k < 4; k++) x = nextafterf(x, side ? INFINITY : -INFINITY);
    if (got == element_bf16((long double)x)) return true;
  }
  return narrow == 0 && (got & 0x7fff) == 0; /* the sign of a zero from an inexact function */
}

START_TEST(functions_of_all)
{
  static uint16_t got[ALL];
  const struct unary *u = &UNARY[_i];
  weft_array *x = all_of_them(), *y = NULL;
  ok(weft__ufunc_apply_at(u->id, 2, (weft_operand[]){WEFT_OPERAND(&y), WEFT_OPERAND(x)}, WEFT_SITE));
  take(got, WEFT_BF16, ALL, &y);
  for (int i = 0; i < ALL; i++) {
    const double value = (double)element_of_bf16((uint16_t)i);
    /* a device may flush subnormal numbers to 0 in a function */
    const bool is_tiny = fabs(value) < 0x1p-126 && !u->exact;
    if (is_tiny) continue;
    const double expected = u->reference(value);
    if (!u->exact && fabs(expected) < 0x1p-126) continue;
    ck_assert_msg(is_right(got[i], expected, u->exact), "%s of %a (%04x) gives %04x, not %04x", weft_ufunc_name(u->id),
                  value, (unsigned)i, got[i], element_bf16((long double)(float)expected));
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(neighbours)
{
  static uint16_t got[ALL];
  weft_array *x = all_of_them(), *y = NULL;
  ok(weft_nextafter(&y, x, INFINITY));
  take(got, WEFT_BF16, ALL, &y);
  for (int i = 0; i < ALL; i++) {
    const uint16_t expected = is_nan((uint16_t)i) ? 0x7fc0
                              : i == 0x7f80       ? 0x7f80
                              : (i & 0x7fff) == 0 ? 1
                              : i & 0x8000        ? i - 1
                                                  : i + 1;
    ck_assert_msg(got[i] == expected, "after %04x: %04x", (unsigned)i, got[i]);
  }
  ok(weft_spacing(&y, x));
  take(got, WEFT_BF16, ALL, &y);
  for (int i = 0; i < ALL; i++) {
    if ((i & 0x7fff) >= 0x7f80) {
      ck_assert(is_nan(got[i]));
      continue;
    }
    const double value = (double)element_of_bf16((uint16_t)i), next = (double)element_of_bf16((uint16_t)(i + 1));
    ck_assert_msg(got[i] == ((i & 0x7fff) ? element_bf16((long double)(next - value)) : 1), "spacing of %04x: %04x",
                  (unsigned)i, got[i]);
  }
  weft_array_release(&x);
}
END_TEST

static const struct binary {
  weft_ufunc_id id;
  char sign;
} BINARY[] = {{WEFT_UFUNC_ADD, '+'},      {WEFT_UFUNC_SUBTRACT, '-'}, {WEFT_UFUNC_MULTIPLY, '*'},
              {WEFT_UFUNC_DIVIDE, '/'},   {WEFT_UFUNC_MAXIMUM, 'M'},  {WEFT_UFUNC_MINIMUM, 'm'},
              {WEFT_UFUNC_REMAINDER, '%'}};

static float combine(char sign, float a, float b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%': {
      const float r = fmodf(a, b);
      if (r == 0) return copysignf(0, b);
      return (r < 0) != (b < 0) ? r + b : r;
    }
    case 'M':
      return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    default:
      return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
  }
}

START_TEST(functions_of_pairs)
{
  static uint16_t a[PAIRS], b[PAIRS], got[PAIRS];
  const struct binary *f = &BINARY[_i];
  harness_random random = harness_random_start((uint64_t)_i);
  for (int i = 0; i < PAIRS; i++) {
    a[i] = (uint16_t)harness_bits(&random);
    b[i] = i % 2 ? (uint16_t)harness_bits(&random) : (uint16_t)(a[i] + harness_between(&random, -700, 700));
  }
  weft_array *x = from(WEFT_BF16, PAIRS, a), *y = from(WEFT_BF16, PAIRS, b), *z = NULL;
  ok(weft__ufunc_apply_at(f->id, 3, (weft_operand[]){WEFT_OPERAND(&z), WEFT_OPERAND(x), WEFT_OPERAND(y)}, WEFT_SITE));
  take(got, WEFT_BF16, PAIRS, &z);
  for (int i = 0; i < PAIRS; i++) {
    const float p = element_of_bf16(a[i]), q = element_of_bf16(b[i]), expected = combine(f->sign, p, q);
    if (f->sign == '%' && (!isfinite(q) || q == 0)) continue;
    const bool is_signed_zero =
        expected == 0 && (f->sign == 'M' || f->sign == 'm' || f->sign == '%') && (got[i] & 0x7fff) == 0;
    ck_assert_msg(is_signed_zero || is_right(got[i], (double)expected, f->sign != '/'), "%a %c %a gives %04x, not %04x",
                  (double)p, f->sign, (double)q, got[i], element_bf16((long double)expected));
  }
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/* ---- dtypes of results ---- */

static weft_dtype sum_with(weft_array *x, weft_operand other) {
  weft_array *y = NULL;
  ok(weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, (weft_operand[]){WEFT_OPERAND(&y), WEFT_OPERAND(x), other}, WEFT_SITE));
  const weft_dtype dtype = weft_array_dtype(y);
  weft_array_release(&y);
  return dtype;
}

START_TEST(promotion)
{
  /* as in ml_dtypes, in the enumeration's order */
  static const weft_dtype with[] = {WEFT_BF16, WEFT_BF16, WEFT_F32, WEFT_F64, WEFT_F64, WEFT_BF16, WEFT_F32, WEFT_F64,
                                    WEFT_F64,  WEFT_F32,  WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128, WEFT_BF16};
  weft_array *x = from(WEFT_BF16, 2, ((const uint16_t[]){0x3f80, 0x4000})), *y = NULL;
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    weft_array *other = NULL;
    ok(weft_zeros(&other, ctx, (weft_dtype)d, WEFT_SHAPE(2)));
    if (device.has_fp64 || with[d - 1] != WEFT_F64)
      ck_assert_str_eq(weft_dtype_name(sum_with(x, WEFT_OPERAND(other))), weft_dtype_name(with[d - 1]));
    weft_array_release(&other);
  }
  /* C scalars are weak */
  ck_assert_int_eq(sum_with(x, WEFT_OPERAND(2)), WEFT_BF16);
  ck_assert_int_eq(sum_with(x, WEFT_OPERAND(2.5)), WEFT_BF16);
  ck_assert_int_eq(sum_with(x, WEFT_OPERAND(nearest(2.5))), WEFT_BF16);
  ck_assert_int_eq(sum_with(x, WEFT_OPERAND(((weft_c64){0, 1}))), WEFT_C64);
  /* roots of bytes are still f16 */
  weft_array *bytes = from(WEFT_U8, 2, ((const uint8_t[]){4, 9}));
  ok(weft_sqrt(&y, bytes));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_F16);
  weft_array_release(&y);
  /* results are cast to the dtype of a given array */
  weft_array *singles = from(WEFT_F32, 2, ((const float[]){4, 9}));
  ok(weft_empty(&y, ctx, WEFT_BF16, WEFT_SHAPE(2)));
  ok(weft_add(&y, singles, 0.25f));
  weft_array_release(&singles);
  uint16_t got[2];
  take(got, WEFT_BF16, 2, &y);
  ck_assert_uint_eq(got[0], element_bf16(4.25L));
  weft_array_release(&bytes);
  weft_array_release(&x);
}
END_TEST

START_TEST(expressions_and_bodies)
{
  uint16_t host[100], got[100];
  weft_array *y = NULL;
  for (int i = 0; i < 100; i++) host[i] = element_bf16(1 + i * 0.0371L);
  weft_array *h = from(WEFT_BF16, 100, host);
  ok(weft_eval(&y, ctx, "h * h * h - h", WEFT_VAR(h)));
  take(got, WEFT_BF16, 100, &y);
  for (int i = 0; i < 100; i++) {
    const float x = element_of_bf16(host[i]);
    ck_assert_uint_eq(got[i], element_bf16((long double)(x * x * x - x))); /* rounded once */
  }
  ok(weft_eval(&y, ctx, "bf16(f32(h) / 3) + 1", WEFT_VAR(h)));
  take(got, WEFT_BF16, 100, &y);
  for (int i = 0; i < 100; i++) {
    const float third = element_of_bf16(element_bf16((long double)(element_of_bf16(host[i]) / 3)));
    ck_assert_uint_eq(got[i], element_bf16((long double)(third + 1)));
  }
  weft_ufunc *u = NULL;
  ok(weft_ufunc_create(&u, .name = "twice", .signatures = "bf16(bf16 a, bfloat16 b)",
                       .source = "return a * b + 0.5f;"));
  ok(weft_ufunc_call(u, &y, h, h));
  take(got, WEFT_BF16, 100, &y);
  for (int i = 0; i < 100; i++) {
    const float x = element_of_bf16(host[i]);
    ck_assert_uint_eq(got[i], element_bf16((long double)x * (long double)x + 0.5L));
  }
  weft_ufunc_release(&u);
  weft_array_release(&h);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "host");
  tcase_add_test(tc, host_conversions);
  tc = harness_context_case(suite, "bf16");
  tcase_add_test(tc, casts_of_all);
  tcase_add_test(tc, casts_of_ties);
  tcase_add_test(tc, casts_of_integers);
  tcase_add_loop_test(tc, functions_of_all, 0, sizeof UNARY / sizeof *UNARY);
  tcase_add_test(tc, neighbours);
  tcase_add_loop_test(tc, functions_of_pairs, 0, sizeof BINARY / sizeof *BINARY);
  tcase_add_test(tc, promotion);
  tcase_add_test(tc, expressions_and_bodies);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "bf16", .add = add});
}
