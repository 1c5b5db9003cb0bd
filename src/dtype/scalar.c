// SPDX-License-Identifier: MIT
#include "dtype/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dtype/dtype.h"

/// The value as an integer of `width` bits, in two's complement in *bits. False if it does not fit.
static bool to_integer(uint64_t *bits, weft_scalar value, bool is_signed, unsigned width) {
  char kind = weft__dtype_kind(value.dtype);
  if (kind == 'f' || kind == 'c') {
    double real = trunc(kind == 'f' ? value.value.f : value.value.c[0]);
    double limit = ldexp(1, (int)width - is_signed);
    if (!(real < limit && real >= (is_signed ? -limit : 0))) return false; /* NaN too */
    *bits = real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
    return true;
  }
  bool negative = kind == 'i' && value.value.i < 0;
  *bits = kind == 'i' ? (uint64_t)value.value.i : value.value.u;
  if (is_signed) {
    uint64_t largest = UINT64_MAX >> (65 - width);
    return negative ? value.value.i >= -(int64_t)largest - 1 : *bits <= largest;
  }
  return !negative && (width == 64 || *bits >> width == 0);
}

static bool is_zero(weft_scalar value) {
  switch (weft__dtype_kind(value.dtype)) {
    case 'f':
      return value.value.f == 0;
    case 'c':
      return value.value.c[0] == 0 && value.value.c[1] == 0;
    default:
      return value.value.u == 0;
  }
}

static bool is_negative(weft_scalar value) {
  return weft__dtype_kind(value.dtype) == 'i' && value.value.i < 0;
}

/// An integer rounded to odd in a double: the last of its 53 bits is set if bits are lost. Rounding the result again to
/// fewer bits then gives the integer rounded once.
static double to_odd_double(weft_scalar value) {
  const uint64_t all = is_negative(value) ? 0 - (uint64_t)value.value.i : value.value.u;
  int lost = 0;
  while (all >> lost >> 53) lost++;
  const uint64_t kept = all >> lost, rest = all & ((UINT64_C(1) << lost) - 1);
  const double magnitude = ldexp((double)(kept | (rest != 0)), lost);
  return is_negative(value) ? -magnitude : magnitude;
}

/// The real part as a float of `dtype`, rounded once.
static uint64_t real_bits(weft_scalar value, weft_dtype dtype) {
  const char kind = weft__dtype_kind(value.dtype);
  const bool is_whole = kind != 'f' && kind != 'c';
  return weft__float_bits(dtype, is_whole && dtype != WEFT_F64 ? to_odd_double(value) : weft__scalar_real(value));
}

static uint64_t imaginary_bits(weft_scalar value, weft_dtype dtype) {
  return weft__float_bits(dtype, weft__dtype_kind(value.dtype) == 'c' ? value.value.c[1] : 0);
}

/// An integer modulo 2 to the power of the dtype's bits.
static weft_scalar wrapped(weft_scalar value, weft_dtype dtype) {
  const unsigned spare = 64 - 8 * (unsigned)weft_dtype_size_bytes(dtype);
  const uint64_t bits = (weft__dtype_kind(value.dtype) == 'i' ? (uint64_t)value.value.i : value.value.u) << spare;
  value.dtype = dtype;
  if (weft__dtype_kind(dtype) == 'i')
    value.value.i = (int64_t)bits >> spare;
  else
    value.value.u = bits >> spare;
  return value;
}

/// The smallest or the largest integer of a dtype.
static weft_scalar end_of(weft_dtype dtype, bool least) {
  const bool is_signed = weft__dtype_kind(dtype) == 'i';
  weft_scalar bit = {.dtype = WEFT_U64, .value.u = UINT64_C(1) << (8 * weft_dtype_size_bytes(dtype) - 1)};
  if (!is_signed) bit.value.u = least ? 0 : UINT64_MAX;
  if (is_signed && !least) bit.value.u--;
  return wrapped(bit, dtype);
}

weft_scalar weft__scalar_fitted(weft_scalar value, weft_dtype dtype, weft__fit fit) {
  const char from = weft__dtype_kind(value.dtype), to = weft__dtype_kind(dtype);
  uint64_t bytes[2];
  if (fit == WEFT__FIT_EXACT || (from != 'i' && from != 'u') || (to != 'i' && to != 'u')) return value;
  if (fit == WEFT__FIT_WRAP) return wrapped(value, dtype);
  const bool is_below = from == 'i' && value.value.i < 0;
  return is_below == (fit == WEFT__FIT_FLOOR) && !weft__scalar_bytes(bytes, dtype, value) ? end_of(dtype, is_below)
                                                                                          : value;
}

bool weft__scalar_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value) {
  const weft__dtype_row *row = weft__dtype(dtype);
  uint64_t bits = 0;
  bytes[0] = bytes[1] = 0;
  if (!row) return false;
  const unsigned width = 8 * (unsigned)row->size_bytes;
  if (row->kind == 'c') { /* assumes little-endian hosts, as files and tensors do */
    const uint64_t imaginary = imaginary_bits(value, row->real);
    bytes[0] = real_bits(value, row->real) | (width == 64 ? imaginary << 32 : 0);
    if (width == 128) bytes[1] = imaginary;
    return true;
  }
  if (row->kind == 'f')
    bits = real_bits(value, dtype);
  else if (row->kind == 'b')
    bits = !is_zero(value);
  else if (!to_integer(&bits, value, row->kind == 'i', width))
    return false;
  bytes[0] = bits & UINT64_MAX >> (64 - width);
  return true;
}

void weft__scalar_describe(weft__text *text, weft_scalar value) {
  switch (weft__dtype_kind(value.dtype)) {
    case 'i':
      weft__text_add(text, "%" PRId64, value.value.i);
      break;
    case 'f':
      weft__text_add(text, "%g", value.value.f);
      break;
    case 'c':
      weft__text_add(text, "%g%+gi", value.value.c[0], value.value.c[1]);
      break;
    default:
      weft__text_add(text, "%" PRIu64, value.value.u);
      break;
  }
}

weft_status weft__element_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value, const char *argument) {
  if (!weft__dtype(value.dtype))
    return weft__fail(WEFT_ERROR_ARGUMENT, argument, "`%s` has dtype %d, which is no weft_dtype", argument,
                      (int)value.dtype);
  if (weft__scalar_bytes(bytes, dtype, value)) return WEFT_OK;
  weft__text text = {0};
  weft__scalar_describe(&text, value);
  weft__fail(WEFT_ERROR_OVERFLOW, argument, "`%s` is %s, which %s cannot hold", argument, weft__text_chars(&text),
             weft_dtype_name(dtype));
  weft__text_free(&text);
  return WEFT_ERROR_OVERFLOW;
}
