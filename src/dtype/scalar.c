// SPDX-License-Identifier: MIT
#include "dtype/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dtype/dtype.h"

/// The value as an integer of `width` bits, two's complement in *bits. False where it does not fit.
static bool to_integer(uint64_t *bits, weft_scalar value, bool is_signed, unsigned width) {
  char kind = weft_dtype_kind(value.dtype);
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
  switch (weft_dtype_kind(value.dtype)) {
    case 'f':
      return value.value.f == 0;
    case 'c':
      return value.value.c[0] == 0 && value.value.c[1] == 0;
    default:
      return value.value.u == 0;
  }
}

static void to_floats(double part[2], weft_scalar value) {
  part[1] = 0;
  switch (weft_dtype_kind(value.dtype)) {
    case 'f':
      part[0] = value.value.f;
      break;
    case 'c':
      part[0] = value.value.c[0];
      part[1] = value.value.c[1];
      break;
    case 'i':
      part[0] = (double)value.value.i;
      break;
    default:
      part[0] = (double)value.value.u;
      break;
  }
}

/// An integer straight to f32: through double it would be rounded twice.
static float to_float(weft_scalar value) {
  switch (weft_dtype_kind(value.dtype)) {
    case 'i':
      return (float)value.value.i;
    case 'f':
      return (float)value.value.f;
    case 'c':
      return (float)value.value.c[0];
    default:
      return (float)value.value.u;
  }
}

/// An integer modulo 2 to the power of the dtype's bits.
static weft_scalar wrapped(weft_scalar value, weft_dtype dtype) {
  const unsigned spare = 64 - 8 * (unsigned)weft_dtype_size_bytes(dtype);
  const uint64_t bits = (weft_dtype_kind(value.dtype) == 'i' ? (uint64_t)value.value.i : value.value.u) << spare;
  value.dtype = dtype;
  if (weft_dtype_kind(dtype) == 'i')
    value.value.i = (int64_t)bits >> spare;
  else
    value.value.u = bits >> spare;
  return value;
}

/// The smallest or the largest integer of a dtype.
static weft_scalar end_of(weft_dtype dtype, bool least) {
  const bool is_signed = weft_dtype_kind(dtype) == 'i';
  weft_scalar bit = {.dtype = WEFT_U64, .value.u = UINT64_C(1) << (8 * weft_dtype_size_bytes(dtype) - 1)};
  if (!is_signed) bit.value.u = least ? 0 : UINT64_MAX;
  if (is_signed && !least) bit.value.u--;
  return wrapped(bit, dtype);
}

weft_scalar weft__scalar_fitted(weft_scalar value, weft_dtype dtype, weft__fit fit) {
  const char from = weft_dtype_kind(value.dtype), to = weft_dtype_kind(dtype);
  uint64_t bytes[2];
  if (fit == WEFT__FIT_EXACT || (from != 'i' && from != 'u') || (to != 'i' && to != 'u')) return value;
  if (fit == WEFT__FIT_WRAP) return wrapped(value, dtype);
  const bool is_below = from == 'i' && value.value.i < 0;
  return is_below == (fit == WEFT__FIT_FLOOR) && !weft__scalar_bytes(bytes, dtype, value) ? end_of(dtype, is_below) : value;
}

bool weft__scalar_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value) {
  union {
    uint64_t word[2];
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    float f32[2];
    double f64[2];
  } element = {{0, 0}};
  double part[2];
  to_floats(part, value);
  size_t size = weft_dtype_size_bytes(dtype);
  switch (weft_dtype_kind(dtype)) {
    case 'b':
      element.u8 = !is_zero(value);
      break;
    case 'i':
    case 'u': {
      uint64_t bits;
      if (!to_integer(&bits, value, weft_dtype_kind(dtype) == 'i', (unsigned)size * 8)) return false;
      if (size == 1) element.u8 = (uint8_t)bits;
      if (size == 2) element.u16 = (uint16_t)bits;
      if (size == 4) element.u32 = (uint32_t)bits;
      if (size == 8) element.word[0] = bits;
      break;
    }
    case 'f':
      if (size == 2) element.u16 = weft_f16_from_double(part[0]).bits;
      if (size == 4) element.f32[0] = to_float(value);
      if (size == 8) element.f64[0] = part[0];
      break;
    default:
      if (size == 8) {
        element.f32[0] = to_float(value);
        element.f32[1] = (float)part[1];
      } else {
        element.f64[0] = part[0];
        element.f64[1] = part[1];
      }
  }
  bytes[0] = element.word[0];
  bytes[1] = element.word[1];
  return true;
}

void weft__scalar_describe(weft__text *text, weft_scalar value) {
  switch (weft_dtype_kind(value.dtype)) {
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
    return weft__fail(WEFT_ERROR_ARGUMENT, argument, "`%s` has dtype %d, which is no weft_dtype", argument, (int)value.dtype);
  if (weft__scalar_bytes(bytes, dtype, value)) return WEFT_OK;
  weft__text text = {0};
  weft__scalar_describe(&text, value);
  weft__fail(WEFT_ERROR_OVERFLOW, argument, "`%s` is %s, which %s cannot hold", argument, weft__text_chars(&text), weft_dtype_name(dtype));
  weft__text_free(&text);
  return WEFT_ERROR_OVERFLOW;
}
