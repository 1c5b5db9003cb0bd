// SPDX-License-Identifier: MIT
/// Element types, halves on the host, scalars. No device is used.
#include "harness.h"

static const struct {
  weft_dtype dtype;
  const char *name;
  size_t size_bytes;
  char kind;
} DTYPES[] = {
    {WEFT_BOOL, "bool", 1, 'b'}, {WEFT_I8, "i8", 1, 'i'},      {WEFT_I16, "i16", 2, 'i'},   {WEFT_I32, "i32", 4, 'i'},
    {WEFT_I64, "i64", 8, 'i'},   {WEFT_U8, "u8", 1, 'u'},      {WEFT_U16, "u16", 2, 'u'},   {WEFT_U32, "u32", 4, 'u'},
    {WEFT_U64, "u64", 8, 'u'},   {WEFT_F16, "f16", 2, 'f'},    {WEFT_F32, "f32", 4, 'f'},   {WEFT_F64, "f64", 8, 'f'},
    {WEFT_C64, "c64", 8, 'c'},   {WEFT_C128, "c128", 16, 'c'}, {WEFT_BF16, "bf16", 2, 'f'},
};

START_TEST(table)
{
  ck_assert_int_eq(sizeof DTYPES / sizeof *DTYPES, WEFT_DTYPE_COUNT - 1);
  for (int i = 1; i < WEFT_DTYPE_COUNT; i++) {
    ck_assert_int_eq(DTYPES[i - 1].dtype, i);
    ck_assert_str_eq(weft_dtype_name((weft_dtype)i), DTYPES[i - 1].name);
    ck_assert_uint_eq(weft_dtype_size_bytes((weft_dtype)i), DTYPES[i - 1].size_bytes);
    ck_assert_int_eq(weft_dtype_kind((weft_dtype)i), DTYPES[i - 1].kind);
    harness_count(1);
  }
}
END_TEST

START_TEST(no_dtypes)
{
  const int values[] = {0, WEFT_DTYPE_COUNT, -1, 1000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    ck_assert_str_eq(weft_dtype_name((weft_dtype)values[i]), "none");
    ck_assert_uint_eq(weft_dtype_size_bytes((weft_dtype)values[i]), 0);
    ck_assert_int_eq(weft_dtype_kind((weft_dtype)values[i]), 0);
    harness_count(1);
  }
}
END_TEST

START_TEST(host_types_have_the_sizes)
{
  ck_assert_uint_eq(sizeof(weft_f16), weft_dtype_size_bytes(WEFT_F16));
  ck_assert_uint_eq(sizeof(weft_c64), weft_dtype_size_bytes(WEFT_C64));
  ck_assert_uint_eq(sizeof(weft_c128), weft_dtype_size_bytes(WEFT_C128));
  ck_assert_uint_eq(sizeof(bool), weft_dtype_size_bytes(WEFT_BOOL));
}
END_TEST

/* ---- halves ---- */

/* The definition: sign, exponent of 5 bits with bias 15, 10 bits of fraction. */
static double half_value(unsigned bits) {
  double sign = bits & 0x8000 ? -1.0 : 1.0;
  int exponent = (int)(bits >> 10 & 31);
  double fraction = bits & 1023;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * ldexp(fraction, -24);
  return sign * ldexp(1024 + fraction, exponent - 25);
}

static weft_f16 half(unsigned bits) {
  weft_f16 h = {(uint16_t)bits};
  return h;
}

START_TEST(every_half_to_double_and_back)
{
  for (unsigned bits = 0; bits < 65536; bits++) {
    double value = weft_f16_to_double(half(bits));
    ck_assert_msg(harness_same_double(value, half_value(bits)), "0x%04x is %g, not %g", bits, value, half_value(bits));
    weft_f16 back = weft_f16_from_double(value);
    if (isnan(value)) {
      ck_assert(isnan(half_value(back.bits)));
    } else {
      ck_assert_uint_eq(back.bits, bits);
    }
  }
  harness_count(65536);
}
END_TEST

START_TEST(rounding_between_neighbours)
{
  /* for each pair of neighbours: the midpoint rounds to the even one, values slightly to either side to the nearer one,
     with both signs */
  for (unsigned bits = 0; bits < 0x7c00; bits++) {
    double low = half_value(bits), high = bits == 0x7bff ? 65536.0 : half_value(bits + 1);
    double middle = (low + high) / 2; /* exact */
    unsigned even = bits & 1 ? bits + 1 : bits;
    ck_assert_uint_eq(weft_f16_from_double(middle).bits, even);
    ck_assert_uint_eq(weft_f16_from_double(-middle).bits, even | 0x8000);
    ck_assert_uint_eq(weft_f16_from_double(nextafter(middle, 0)).bits, bits);
    ck_assert_uint_eq(weft_f16_from_double(nextafter(middle, INFINITY)).bits, bits + 1);
    ck_assert_uint_eq(weft_f16_from_double(-nextafter(middle, INFINITY)).bits, (bits + 1) | 0x8000);
  }
  harness_count(0x7c00);
}
END_TEST

START_TEST(special_halves)
{
  const struct {
    double value;
    unsigned bits;
  } cases[] = {
      {0.0, 0x0000},
      {-0.0, 0x8000},
      {1.0, 0x3c00},
      {-2.0, 0xc000},
      {65504.0, 0x7bff},
      {65519.999, 0x7bff},
      {65520.0, 0x7c00},
      {1e300, 0x7c00},
      {-1e300, 0xfc00},
      {INFINITY, 0x7c00},
      {-INFINITY, 0xfc00},
      {0x1p-24, 0x0001},
      {0x1p-25, 0x0000},
      {0x1.8p-25, 0x0001},
      {-0x1p-26, 0x8000},
      {0x1p-1022, 0x0000},
      {0x1p-14, 0x0400},
      {1.0 / 3.0, 0x3555},
      {1.0 + 0x1p-11 + 0x1p-40, 0x3c01},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned bits = weft_f16_from_double(cases[i].value).bits;
    ck_assert_msg(bits == cases[i].bits, "%a gives 0x%04x, not 0x%04x", cases[i].value, bits, cases[i].bits);
    harness_count(1);
  }
  ck_assert(isnan(weft_f16_to_double(weft_f16_from_double(NAN))));
  ck_assert(isnan(weft_f16_to_double(weft_f16_from_double(-NAN))));
}
END_TEST

/* ---- scalars ---- */

START_TEST(scalars_of_every_c_type)
{
  const struct {
    weft_scalar scalar;
    weft_dtype dtype;
    int64_t i;
  } cases[] = {
      {WEFT_SCALAR((bool)true), WEFT_BOOL, 1},
      {WEFT_SCALAR((char)7), WEFT_I8, 7},
      {WEFT_SCALAR((signed char)-7), WEFT_I8, -7},
      {WEFT_SCALAR((short)-300), WEFT_I16, -300},
      {WEFT_SCALAR(-70000), WEFT_I32, -70000},
      {WEFT_SCALAR(INT64_MIN), WEFT_I64, INT64_MIN},
      {WEFT_SCALAR(-5L), WEFT_I64, -5},
      {WEFT_SCALAR(-5LL), WEFT_I64, -5},
      {WEFT_SCALAR((unsigned char)255), WEFT_U8, 255},
      {WEFT_SCALAR((unsigned short)65535), WEFT_U16, 65535},
      {WEFT_SCALAR(4000000000u), WEFT_U32, 4000000000},
      {WEFT_SCALAR(5ul), WEFT_U64, 5},
      {WEFT_SCALAR(UINT64_MAX), WEFT_U64, -1},
      {WEFT_SCALAR(5ull), WEFT_U64, 5},
      {WEFT_SCALAR(WEFT_SCALAR(9)), WEFT_I32, 9},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_int_eq(cases[i].scalar.dtype, cases[i].dtype);
    ck_assert_int_eq(cases[i].scalar.value.i, cases[i].i);
    harness_count(1);
  }
}
END_TEST

START_TEST(scalars_of_float_and_complex)
{
  weft_c64 z64 = {1.5f, -2.5f};
  weft_c128 z128 = {1e300, -0.0};
  ck_assert_int_eq(WEFT_SCALAR(1.5f).dtype, WEFT_F32);
  ck_assert_double_eq(WEFT_SCALAR(1.5f).value.f, 1.5);
  ck_assert_int_eq(WEFT_SCALAR(0.1).dtype, WEFT_F64);
  ck_assert_double_eq(WEFT_SCALAR(0.1).value.f, 0.1);
  ck_assert_int_eq(WEFT_SCALAR(weft_f16_from_double(0.25)).dtype, WEFT_F16);
  ck_assert_double_eq(WEFT_SCALAR(weft_f16_from_double(0.25)).value.f, 0.25);
  ck_assert_int_eq(WEFT_SCALAR(z64).dtype, WEFT_C64);
  ck_assert_double_eq(WEFT_SCALAR(z64).value.c[0], 1.5);
  ck_assert_double_eq(WEFT_SCALAR(z64).value.c[1], -2.5);
  ck_assert_int_eq(WEFT_SCALAR(z128).dtype, WEFT_C128);
  ck_assert_double_eq(WEFT_SCALAR(z128).value.c[0], 1e300);
  ck_assert(signbit(WEFT_SCALAR(z128).value.c[1]));
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "dtype");
  tcase_add_test(tc, table);
  tcase_add_test(tc, no_dtypes);
  tcase_add_test(tc, host_types_have_the_sizes);
  tc = harness_case(suite, "half");
  tcase_add_test(tc, every_half_to_double_and_back);
  tcase_add_test(tc, rounding_between_neighbours);
  tcase_add_test(tc, special_halves);
  tc = harness_case(suite, "scalar");
  tcase_add_test(tc, scalars_of_every_c_type);
  tcase_add_test(tc, scalars_of_float_and_complex);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "dtype", .add = add, .host_only = true});
}
