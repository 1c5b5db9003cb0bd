// SPDX-License-Identifier: MIT
/// Casts between all pairs of dtypes, against C's own conversions, bit by bit.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "views.h"

/* ---- the reference ---- */

typedef struct number {
  char kind; /* as weft_dtype_kind; 'u' for bool */
  int64_t i;
  uint64_t u;
  double re, im;
} number;

static number read_number(weft_dtype dtype, const void *element) {
  number n = {.kind = weft_dtype_kind(dtype)};
#define GET(type, field)                 \
  do {                                   \
    type get_;                           \
    memcpy(&get_, element, sizeof get_); \
    n.field = get_;                      \
  } while (0)
  switch (dtype) {
    case WEFT_BOOL:
    case WEFT_U8:
      GET(uint8_t, u);
      break;
    case WEFT_U16:
      GET(uint16_t, u);
      break;
    case WEFT_U32:
      GET(uint32_t, u);
      break;
    case WEFT_U64:
      GET(uint64_t, u);
      break;
    case WEFT_I8:
      GET(int8_t, i);
      break;
    case WEFT_I16:
      GET(int16_t, i);
      break;
    case WEFT_I32:
      GET(int32_t, i);
      break;
    case WEFT_I64:
      GET(int64_t, i);
      break;
    case WEFT_F32:
      GET(float, re);
      break;
    case WEFT_F64:
      GET(double, re);
      break;
    case WEFT_F16:
    case WEFT_BF16:
      n.re = (double)element_get(dtype, element);
      break;
    case WEFT_C64: {
      weft_c64 z;
      memcpy(&z, element, sizeof z);
      n.re = z.re, n.im = z.im;
      break;
    }
    default: {
      weft_c128 z;
      ck_assert_int_eq(dtype, WEFT_C128);
      memcpy(&z, element, sizeof z);
      n.re = z.re, n.im = z.im;
    }
  }
#undef GET
  if (n.kind == 'b') n.kind = 'u';
  return n;
}

static void write_number(weft_dtype dtype, void *element, number n) {
  if (dtype == WEFT_BOOL) {
    bool value = n.kind == 'i' ? n.i != 0 : n.kind == 'u' ? n.u != 0 : n.re != 0 || n.im != 0;
    memcpy(element, &value, 1);
  } else if (weft_dtype_kind(dtype) == 'i' || weft_dtype_kind(dtype) == 'u') {
    uint64_t bits = n.u;
    if (n.kind == 'i') bits = (uint64_t)n.i;
    if (n.kind == 'f' || n.kind == 'c') bits = n.re < 0 ? (uint64_t)(int64_t)n.re : (uint64_t)n.re;
    memcpy(element, &bits, weft_dtype_size_bytes(dtype)); /* the low bytes: little endian, modulo 2^n */
  } else if (dtype == WEFT_BF16) {                        /* rounded once, also from 64-bit integers */
    const uint16_t bits = element_bf16(n.kind == 'i'   ? (long double)n.i
                                       : n.kind == 'u' ? (long double)n.u
                                                       : (long double)n.re);
    memcpy(element, &bits, sizeof bits);
  } else {
    float narrow = n.kind == 'i' ? (float)n.i : n.kind == 'u' ? (float)n.u : (float)n.re; /* rounded once */
    double wide = n.kind == 'i' ? (double)n.i : n.kind == 'u' ? (double)n.u : n.re;
    bool is_single = dtype == WEFT_F32 || dtype == WEFT_C64;
    element_set(dtype, element, is_single ? (double)narrow : wide, n.im);
  }
}

/* Whether the cast is specified: a float's integer part must fit in the integer dtype. */
static bool fits(number n, weft_dtype to) {
  char kind = weft_dtype_kind(to);
  int bits = (int)weft_dtype_size_bytes(to) * 8;
  if ((n.kind != 'f' && n.kind != 'c') || (kind != 'i' && kind != 'u')) return true;
  if (kind == 'u') return trunc(n.re) >= 0 && trunc(n.re) < ldexp(1, bits);
  return trunc(n.re) >= -ldexp(1, bits - 1) && trunc(n.re) < ldexp(1, bits - 1);
}

/* ---- the values ---- */

enum { COUNT = 600 };

static const double SPECIAL[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.99,
    -0.99,
    1.5,
    2.5,
    127.0,
    127.9,
    -128.9,
    128.0,
    255.9,
    256.0,
    32767.5,
    -32768.5,
    65535.9,
    65504.0,
    65519.0,
    65520.0,
    1e6,
    16777217,
    0x1p31,
    -0x1p31,
    0x1p32,
    0x1p62,
    -0x1p63,
    0x1p63,
    0x1p-24,
    0x1.8p-25,
    0x1p-25,
    0x3p-24,
    0x1p-14,
    0x1p-15,
    1e30,
    -1e30,
    3e38,
    1e300,
    -1e300,
    INFINITY,
    -INFINITY,
    NAN,
    0x1p-126,
    1 + 0x1p-11,
    1 + 0x1p-11 + 0x1p-30, /* would round twice through f32 */
    1 + 0x1p-24,
    1 + 0x1p-24 + 0x1p-50,
    1 + 0x1p-8,
    1 + 0x1p-8 + 0x1p-40, /* would round twice to bf16 */
    0x1.fffp127,
    0x1p-133,
    0x1p-134,
    0x1.8p-134,
    0.1,
    1.0 / 3.0,
};
enum { SPECIAL_COUNT = sizeof SPECIAL / sizeof *SPECIAL };

/* Fills in source elements with a specified result in `to`. */
static void make_source(weft_dtype from, weft_dtype to, unsigned char *source, harness_random *random) {
  size_t size = weft_dtype_size_bytes(from);
  char kind = weft_dtype_kind(from);
  bool is_float = kind == 'f' || kind == 'c';
  for (int k = 0; k < COUNT; k++) {
    unsigned char *element = source + (size_t)k * size;
    if (is_float && k < SPECIAL_COUNT) {
      element_set(from, element, SPECIAL[k], SPECIAL[(k + 5) % SPECIAL_COUNT]);
    } else if (is_float && k % 2) { /* any magnitude of an integer */
      element_set(from, element, ldexp((double)(int64_t)harness_bits(random), (int)harness_between(random, -70, 0)), 1);
    } else {
      element_random(random, from, element);
      if (kind == 'i' || kind == 'u') { /* small and large ones, and the limits */
        uint64_t bits = k % 3 == 0 ? 0 : k % 3 == 1 ? UINT64_MAX : UINT64_C(0x8000000000000000) >> (64 - 8 * size);
        if (k < 30) bits += (uint64_t)(k / 3);
        if (k < 30) memcpy(element, &bits, size);
      }
    }
    if (!fits(read_number(from, element), to)) element_set(from, element, k % 100, 0);
  }
}

static bool same_component(weft_dtype dtype, const unsigned char *a, const unsigned char *b) {
  if (dtype == WEFT_C64) return same_component(WEFT_F32, a, b) && same_component(WEFT_F32, a + 4, b + 4);
  if (dtype == WEFT_C128) return same_component(WEFT_F64, a, b) && same_component(WEFT_F64, a + 8, b + 8);
  if (weft_dtype_kind(dtype) != 'f') return memcmp(a, b, weft_dtype_size_bytes(dtype)) == 0;
  return harness_same_double(read_number(dtype, a).re, read_number(dtype, b).re);
}

static void check_pair(weft_dtype from, weft_dtype to, harness_random *random) {
  static unsigned char source[COUNT * 16], expected[COUNT * 16], got[COUNT * 16];
  size_t from_size = weft_dtype_size_bytes(from), to_size = weft_dtype_size_bytes(to);
  weft_array *x = NULL, *y = NULL;
  make_source(from, to, source, random);
  for (int k = 0; k < COUNT; k++)
    write_number(to, expected + (size_t)k * to_size, read_number(from, source + (size_t)k * from_size));
  ok(weft_from_host(&x, ctx, from, WEFT_SHAPE(COUNT), source));
  ok(weft_cast(&y, x, to));
  ck_assert_int_eq(weft_array_dtype(y), to);
  ck_assert_int_eq(weft_array_size(y), COUNT);
  ok(weft_to_host(got, COUNT * to_size, y));
  for (int k = 0; k < COUNT; k++) {
    if (same_component(to, got + (size_t)k * to_size, expected + (size_t)k * to_size)) continue;
    number in = read_number(from, source + (size_t)k * from_size), is = read_number(to, got + (size_t)k * to_size);
    number want = read_number(to, expected + (size_t)k * to_size);
    ck_abort_msg("%s to %s, element %d: (i %" PRId64 " u %" PRIu64 " re %.17g im %.17g) gives (i %" PRId64 " u %" PRIu64
                 " re %.17g im %.17g), not (i %" PRId64 " u %" PRIu64 " re %.17g im %.17g)",
                 weft_dtype_name(from), weft_dtype_name(to), k, in.i, in.u, in.re, in.im, is.i, is.u, is.re, is.im,
                 want.i, want.u, want.re, want.im);
  }
  weft_array_release(&x);
  weft_array_release(&y);
  harness_count(1);
}

START_TEST(cast_to_every_dtype)
{
  weft_dtype from = (weft_dtype)_i;
  harness_random random = harness_random_start((uint64_t)_i);
  weft_array *x = NULL, *y = NULL;
  if (!harness_has_dtype(from)) { /* no array to cast from; casting to the dtype is an error */
    ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
    expect_error(weft_cast(&y, x, from), WEFT_ERROR_UNSUPPORTED, "weft_cast", weft_dtype_name(from),
                 "double precision");
    ck_assert_ptr_null(y);
    weft_array_release(&x);
    return;
  }
  for (int to = harness_next_dtype(0); to; to = harness_next_dtype(to + 1)) check_pair(from, (weft_dtype)to, &random);
}
END_TEST

/// Numbers as the integers of a dtype that are nearest, towards zero.
static const double beyond[] = {0.9,    -0.9,   127.5, 128,      -129,      255.9,   256,    -1,
                                32768,  -32769, 65536, 0x1p31,   0x1p40,    -0x1p40, 0x1p63, -0x1p63,
                                0x1p64, 1e30,   -1e30, INFINITY, -INFINITY, NAN};
enum { BEYOND = sizeof beyond / sizeof *beyond };

static long double nearest(weft_dtype dtype, double x) {
  const int bits = 8 * (int)weft_dtype_size_bytes(dtype);
  const bool is_signed = weft_dtype_kind(dtype) == 'i';
  const long double least = is_signed ? -ldexpl(1, bits - 1) : 0, most = ldexpl(1, bits - is_signed) - 1;
  if (isnan(x)) return 0;
  return (long double)x < least ? least : (long double)x > most ? most : truncl((long double)x);
}

/// An integer of the dtype, as a number.
static long double whole_of(weft_dtype dtype, const void *from) {
  const int shift = 64 - 8 * (int)weft_dtype_size_bytes(dtype);
  uint64_t bits = 0;
  memcpy(&bits, from, weft_dtype_size_bytes(dtype));
  if (weft_dtype_kind(dtype) != 'i') return (long double)bits;
  int64_t whole = (int64_t)(bits << shift);
  return (long double)(whole / (INT64_C(1) << shift));
}

/// Every way of a cast gives the same: of few and of many elements, of each second one, in an expression.
static void check_beyond(weft_dtype from, weft_dtype to, int64_t n) {
  weft_array *x = NULL, *y[3] = {NULL, NULL, NULL}, *half = NULL;
  const size_t size = weft_dtype_size_bytes(to);
  double *host = malloc((size_t)n * sizeof *host);
  char *found = malloc((size_t)n * size), text[16];
  for (int64_t i = 0; i < n; i++) host[i] = beyond[i % BEYOND];
  ok(weft_from_host(&half, ctx, WEFT_F64, WEFT_SHAPE(n), host));
  ok(weft_cast(&x, half, from));
  weft_array_release(&half);
  snprintf(text, sizeof text, "%s(x)", weft_dtype_name(to));
  ok(weft_cast(&y[0], x, to));
  ok(weft_eval(&y[1], ctx, text, WEFT_VAR(x)));
  ok(weft_view(&half, x, "::2"));
  ok(weft_cast(&y[2], half, to));
  for (int k = 0; k < 3; k++) {
    ok(weft_to_host(found, (size_t)weft_array_size(y[k]) * size, y[k]));
    for (int64_t i = 0; i < weft_array_size(y[k]); i++) {
      const double given = host[k == 2 ? 2 * i : i], stored = from == WEFT_F32 ? (double)(float)given : given;
      const long double whole = whole_of(to, found + (size_t)i * size);
      ck_assert_msg(whole == nearest(to, stored), "%s to %s, %d elements, way %d: %g is %Lg", weft_dtype_name(from),
                    weft_dtype_name(to), (int)n, k, stored, whole);
    }
  }
  free(host);
  free(found);
  weft_release(&x, &y[0], &y[1], &y[2], &half);
  harness_count(1);
}

START_TEST(floats_beyond_integers)
{
  static const weft_dtype to[] = {WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  const weft_dtype from[] = {WEFT_F32, WEFT_F64, WEFT_C128};
  if (!harness_has_kernels() || !harness_has_dtype(WEFT_F64)) return;
  for (int k = 0; k < 3; k++) {
    check_beyond(from[k], to[_i], 4);
    check_beyond(from[k], to[_i], 8000);
    check_beyond(from[k], to[_i], 300001);
  }
}
END_TEST

START_TEST(cast_in_place_between_views)
{
  /* one half of an array is cast into the other, backwards */
  int32_t data[200], expected[200];
  weft_array *x = NULL, *low = NULL, *high = NULL, *flipped = NULL;
  for (int i = 0; i < 200; i++) data[i] = expected[i] = i * 3 - 100;
  for (int i = 0; i < 100; i++) expected[100 + i] = data[99 - i];
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(200), data));
  ok(weft_slice(&low, x, 0, 0, 100));
  ok(weft_slice(&high, x, 0, 100, 200));
  ok(weft_flip(&flipped, low, 0));
  ok(weft_cast(&high, flipped, WEFT_I32));
  check_elements(x, expected, 200, "cast into the other half");
  weft_array_release(&flipped);
  weft_array_release(&low);
  weft_array_release(&high);
  weft_array_release(&x);
}
END_TEST

/// Copies of whole arrays that a CPU's driver would make by one thread, from an odd element on, of any bits.
START_TEST(large_copies)
{
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_F16, WEFT_F32, WEFT_I64, WEFT_C64};
  enum { BYTES = (2 << 20) + 24 };
  unsigned char *data = malloc(BYTES), *got = calloc(BYTES, 1);
  harness_random random = harness_random_start(3);
  for (size_t i = 0; i < BYTES; i++) data[i] = (unsigned char)harness_between(&random, 0, 255);
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    const int64_t size = (int64_t)weft_dtype_size_bytes(dtypes[k]), n = BYTES / size;
    weft_array *x = NULL, *part = NULL, *y = NULL;
    ok(weft_from_host(&x, ctx, dtypes[k], WEFT_SHAPE(n), data));
    ok(weft_slice(&part, x, 0, 1, n));
    ok(weft_copy(&y, part));
    ok(weft_to_host(got, (size_t)((n - 1) * size), y));
    ck_assert_mem_eq(got, data + size, (size_t)((n - 1) * size));
    weft_release(&x, &part, &y);
  }
  free(data);
  free(got);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "cast");
  tcase_add_test(tc, large_copies);
  tcase_add_loop_test(tc, cast_to_every_dtype, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, cast_in_place_between_views);
  tcase_add_loop_test(tc, floats_beyond_integers, 0, 8);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cast", .add = add});
}
