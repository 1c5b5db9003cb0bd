// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

static double worst[MAX_FUNCTIONS][WEFT_DTYPE_COUNT];

void worst_note(int function, weft_dtype dtype, double ulps) {
  if (ulps > worst[function][dtype]) worst[function][dtype] = ulps;
}

void worst_print(void) {
  for (int k = 0; function_name(k); k++)
    for (int d = 1; d < WEFT_DTYPE_COUNT; d++)
      if (worst[k][d] > 0) printf("worst %s %s %.4g\n", function_name(k), weft_dtype_name((weft_dtype)d), worst[k][d]);
}

/// The position of a number in the float type's order; 0 is position 0, infinity follows the largest number.
static int64_t ordinal(weft_dtype real, const void *value) {
  if (real == WEFT_F16) {
    uint16_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits & 0x8000 ? -(int64_t)(bits & 0x7fff) : bits;
  }
  if (real == WEFT_F32) {
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits >> 31 ? -(int64_t)(bits & INT32_MAX) : bits;
  }
  uint64_t bits;
  memcpy(&bits, value, sizeof bits);
  return bits >> 63 ? -(int64_t)(bits & INT64_MAX) : (int64_t)bits;
}

static double number(weft_dtype real, const void *value) {
  weft_f16 half;
  float single;
  double full;
  switch (real) {
    case WEFT_F16:
      memcpy(&half, value, sizeof half);
      return weft_f16_to_double(half);
    case WEFT_F32:
      memcpy(&single, value, sizeof single);
      return single;
    default:
      memcpy(&full, value, sizeof full);
      return full;
  }
}

static double spacing(weft_dtype real, double x) {
  x = fabs(x);
  int e = ilogb(x),
      digits = real == WEFT_F16   ? 10
               : real == WEFT_F32 ? 23
                                  : 52,
      least = real == WEFT_F16   ? -14
              : real == WEFT_F32 ? -126
                                 : -1022;
  if (x == 0 || e < least) e = least;
  return ldexp(1, e - digits);
}

/// Compares NaN, infinities and zeros.
static bool same_real(weft_dtype real, const void *expected, const void *got, const tolerance *allowed, double *ulps) {
  double e = number(real, expected), g = number(real, got);
  if (isnan(e) || isnan(g)) return isnan(e) && isnan(g);
  if (e == 0 && g == 0) return allowed->any_zero || signbit(e) == signbit(g);
  int64_t apart;
  if (__builtin_sub_overflow(ordinal(real, expected), ordinal(real, got), &apart)) apart = INT64_MAX;
  if (fabs(e - g) <= allowed->absolute) return true; /* never true for infinities */
  *ulps = fabs((double)apart);
  return *ulps <= (double)allowed->ulps;
}

static bool same_complex(weft_dtype real, const char *expected, const char *got, const tolerance *allowed,
                         double *ulps) {
  size_t size = weft_dtype_size_bytes(real);
  double e[2], g[2], larger = 0;
  bool good = true;
  for (int k = 0; k < 2; k++) {
    e[k] = number(real, expected + (size_t)k * size);
    g[k] = number(real, got + (size_t)k * size);
    if (isfinite(e[k])) larger = fmax(larger, fabs(e[k]));
  }
  for (int k = 0; k < 2 && good; k++) {
    double own = 0;
    if (isfinite(e[k]) && isfinite(g[k]) && (e[k] != 0 || g[k] != 0)) {
      own = fabs(e[k] - g[k]) <= allowed->absolute ? 0 : fabs(e[k] - g[k]) / spacing(real, larger);
      good = own <= (double)allowed->ulps;
    } else {
      good = same_real(real, expected + (size_t)k * size, got + (size_t)k * size, allowed, &own);
    }
    *ulps = fmax(*ulps, own);
  }
  return good;
}

bool same_value(weft_dtype dtype, const void *expected, const void *got, const tolerance *allowed, double *ulps) {
  switch (weft_dtype_kind(dtype)) {
    case 'f':
      return same_real(dtype, expected, got, allowed, ulps);
    case 'c':
      return same_complex(dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64, expected, got, allowed, ulps);
    default:
      return memcmp(expected, got, weft_dtype_size_bytes(dtype)) == 0;
  }
}

void value_text(char *text, size_t room, weft_dtype dtype, const void *value) {
  size_t size = weft_dtype_size_bytes(dtype);
  uint64_t bits = 0;
  weft_dtype real = dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64;
  switch (weft_dtype_kind(dtype)) {
    case 'f':
      snprintf(text, room, "%.17g (%a)", number(dtype, value), number(dtype, value));
      break;
    case 'c':
      snprintf(text, room, "%.17g%+.17gi", number(real, value), number(real, (const char *)value + size / 2));
      break;
    case 'i':
      memcpy(&bits, value, size);
      if (size < 8 && bits >> (8 * size - 1)) bits |= ~UINT64_C(0) << (8 * size);
      snprintf(text, room, "%" PRId64, (int64_t)bits);
      break;
    default:
      memcpy(&bits, value, size);
      snprintf(text, room, "%" PRIu64, bits);
  }
}
