// SPDX-License-Identifier: MIT
#include "dtype/dtype.h"

#include <math.h>
#include <string.h>

#define ROW(enumerator, name, size_bytes, kind, cl_type, typestr) [enumerator] = {enumerator, #name, size_bytes, kind, cl_type, typestr},
static const weft__dtype_row rows[WEFT_DTYPE_COUNT] = {WEFT__DTYPES(ROW)};
#undef ROW

const weft__dtype_row *weft__dtype(weft_dtype dtype) {
  /* The enumeration may be signed or not; as unsigned one comparison catches both ends. */
  unsigned index = (unsigned)dtype;
  return index != WEFT_DTYPE_NONE && index < WEFT_DTYPE_COUNT ? &rows[index] : NULL;
}

const char *weft_dtype_name(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row ? row->name : "none";
}

size_t weft_dtype_size_bytes(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row ? row->size_bytes : 0;
}

char weft_dtype_kind(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row ? row->kind : 0;
}

/* Works on the bits: a program's rounding or flush-to-zero mode must not change what is stored, and going through float would round twice. */
weft_f16 weft_f16_from_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  unsigned sign = (unsigned)(bits >> 63) << 15;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  unsigned half;
  if (exponent == 1024)
    half = fraction ? 0x7e00 : 0x7c00;
  else if (exponent > 15)
    half = 0x7c00;
  else if (exponent < -25) /* under half of the smallest subnormal */
    half = 0;
  else {
    /* Below 2^-14 the last place stays at 2^-24 and the leading one is a bit like others. A carry out of the fraction moves on into the
       exponent, which is right there too, up to infinity. */
    bool normal = exponent >= -14;
    int dropped = normal ? 42 : 28 - exponent;
    uint64_t significand = fraction | UINT64_C(1) << 52;
    uint64_t rest = significand & ((UINT64_C(1) << dropped) - 1);
    uint64_t tie = UINT64_C(1) << (dropped - 1);
    half = (unsigned)(significand >> dropped);
    if (normal) half += (unsigned)(exponent + 14) << 10;
    if (rest > tie || (rest == tie && half & 1)) half++;
  }
  return (weft_f16){(uint16_t)(sign | half)};
}

double weft_f16_to_double(weft_f16 value) {
  int exponent = value.bits >> 10 & 0x1f;
  int fraction = value.bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = ldexp(fraction, -24);
  else
    magnitude = ldexp(fraction + 0x400, exponent - 25);
  return copysign(magnitude, value.bits & 0x8000 ? -1.0 : 1.0);
}
