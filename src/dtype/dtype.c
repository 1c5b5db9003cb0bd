// SPDX-License-Identifier: MIT
#include "dtype/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RANK(id, ...) RANK_##id,
enum { WEFT__DTYPES(RANK) RANKS };
#undef RANK

#define ROW(id, ...) [WEFT_##id] = {.dtype = WEFT_##id, .rank = RANK_##id, __VA_ARGS__},
const weft__dtype_row weft__dtype_rows[WEFT_DTYPE_COUNT] = {WEFT__DTYPES(ROW)};
#undef ROW

#define DTYPE(id, ...) WEFT_##id,
static const weft_dtype order[RANKS] = {WEFT__DTYPES(DTYPE)};
#undef DTYPE

_Static_assert(RANKS == WEFT_DTYPE_COUNT - 1, "a row for each dtype");

const char *weft_dtype_name(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row ? row->name : "none";
}

size_t weft_dtype_size_bytes(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row ? row->size_bytes : 0;
}

char weft_dtype_kind(weft_dtype dtype) {
  return weft__dtype_kind(dtype);
}

weft_dtype weft__dtype_of_rank(int rank) {
  return rank < RANKS ? order[rank] : WEFT_DTYPE_NONE;
}

weft_dtype weft__real_dtype(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row && row->real ? row->real : dtype;
}

weft_dtype weft__number_dtype(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row && row->number ? row->number : weft__real_dtype(dtype);
}

weft_dtype weft__computed_dtype(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row && row->computed ? row->computed : dtype;
}

bool weft__is_narrow(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row && row->computed;
}

bool weft__is_whole(weft_dtype dtype) {
  const char kind = weft_dtype_kind(dtype);
  return kind == 'b' || kind == 'i' || kind == 'u';
}

bool weft__needs_fp64(weft_dtype dtype) {
  return weft__real_dtype(dtype) == WEFT_F64;
}

const char *weft__dtype_names(char names[WEFT__DTYPE_NAMES], char kind) {
  int left = 0;
  size_t length = 0;
  for (int rank = 0; rank < RANKS; rank++) left += weft__dtype_rows[order[rank]].kind == kind;
  names[0] = 0;
  for (int rank = 0; rank < RANKS; rank++) {
    const weft__dtype_row *row = &weft__dtype_rows[order[rank]];
    if (row->kind != kind || length >= WEFT__DTYPE_NAMES) continue;
    left--;
    length += (size_t)snprintf(names + length, WEFT__DTYPE_NAMES - length, "%s%s", row->name,
                               left > 1 ? ", "
                               : left   ? " or "
                                        : "");
  }
  return names;
}

/* ---- floats as bits ----
   A program's rounding or flush-to-zero mode must not change what is stored, and going through another float would
   round twice. */

int weft__exponent_bits(weft_dtype dtype) {
  const weft__dtype_row *row = &weft__dtype_rows[dtype];
  return 8 * (int)row->size_bytes - 1 - row->fraction_bits;
}

uint64_t weft__infinity_bits(weft_dtype dtype) {
  return ((UINT64_C(1) << weft__exponent_bits(dtype)) - 1) << weft__dtype_rows[dtype].fraction_bits;
}

/// |value| in a format narrower than f64, from its exponent and its 52-bit fraction.
static uint64_t round_magnitude(weft_dtype dtype, int exponent, uint64_t fraction) {
  const int kept = weft__dtype_rows[dtype].fraction_bits, greatest = (1 << (weft__exponent_bits(dtype) - 1)) - 1,
            least = 1 - greatest;
  if (exponent > greatest) return weft__infinity_bits(dtype);
  if (exponent < least - kept - 1) return 0; /* under half of the smallest subnormal */
  /* For subnormals the last place stays at 2^(least - kept), and the leading one is an ordinary bit. A carry out of the
     fraction increments the exponent, which is correct there too, up to infinity. */
  const bool is_normal = exponent >= least;
  const int dropped = 52 - kept + (is_normal ? 0 : least - exponent);
  const uint64_t significand = fraction | UINT64_C(1) << 52, tie = UINT64_C(1) << (dropped - 1);
  const uint64_t rest = significand & ((UINT64_C(1) << dropped) - 1);
  uint64_t bits = significand >> dropped;
  if (is_normal) bits += (uint64_t)(exponent - least) << kept;
  return bits + (rest > tie || (rest == tie && bits & 1));
}

uint64_t weft__float_bits(weft_dtype dtype, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (dtype == WEFT_F64) return bits;
  const float single = (float)value;
  if (dtype == WEFT_F32 && (double)single == value) { /* the usual scalar of a call, which needs no rounding */
    uint32_t same;
    memcpy(&same, &single, sizeof same);
    return same;
  }
  const int kept = weft__dtype_rows[dtype].fraction_bits, exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1),
                 sign = bits >> 63 << (8 * weft__dtype_rows[dtype].size_bytes - 1);
  if (exponent == 1024 && fraction)
    return sign | weft__infinity_bits(dtype) | UINT64_C(1) << (kept - 1) | fraction >> (52 - kept);
  return sign | round_magnitude(dtype, exponent, fraction);
}

/// The number with these bits.
static double float_of_bits(weft_dtype dtype, uint64_t bits) {
  const int kept = weft__dtype_rows[dtype].fraction_bits, most = (1 << weft__exponent_bits(dtype)) - 1,
            biased = (int)(bits >> kept) & most;
  const uint64_t implicit = UINT64_C(1) << kept, fraction = bits & (implicit - 1);
  const bool is_negative = bits >> (8 * weft__dtype_rows[dtype].size_bytes - 1) & 1;
  double magnitude;
  if (biased == most) {
    const uint64_t wide = UINT64_C(0x7ff) << 52 | fraction << (52 - kept);
    memcpy(&magnitude, &wide, sizeof magnitude);
  } else {
    magnitude = ldexp((double)(biased ? fraction | implicit : fraction), (biased ? biased : 1) - most / 2 - kept);
  }
  return copysign(magnitude, is_negative ? -1.0 : 1.0);
}

double weft__float_rounded(weft_dtype dtype, double value) {
  if (dtype == WEFT_F64) return value;
  if (dtype == WEFT_F32 && !isnan(value)) return (double)(float)value;
  return weft_dtype_kind(dtype) == 'f' ? float_of_bits(dtype, weft__float_bits(dtype, value)) : value;
}

weft_f16 weft_f16_from_double(double value) {
  return (weft_f16){(uint16_t)weft__float_bits(WEFT_F16, value)};
}

double weft_f16_to_double(weft_f16 value) {
  return float_of_bits(WEFT_F16, value.bits);
}

weft_bf16 weft_bf16_from_double(double value) {
  return (weft_bf16){(uint16_t)weft__float_bits(WEFT_BF16, value)};
}

double weft_bf16_to_double(weft_bf16 value) {
  return float_of_bits(WEFT_BF16, value.bits);
}

/* ---- elements ---- */

uint64_t weft__element_bits(const void *element, size_t size_bytes) {
  uint8_t u8 = 0;
  uint16_t u16 = 0;
  uint32_t u32 = 0;
  uint64_t u64 = 0;
  void *const number = size_bytes == 1   ? (void *)&u8
                       : size_bytes == 2 ? (void *)&u16
                       : size_bytes == 4 ? (void *)&u32
                                         : &u64;
  memcpy(number, element, size_bytes);
  return u8 | u16 | u32 | u64;
}

weft_scalar weft__scalar_read(weft_dtype dtype, const void *element) {
  const size_t size = weft_dtype_size_bytes(dtype);
  const weft_dtype real = weft__real_dtype(dtype);
  weft_scalar value = {.dtype = dtype};
  switch (weft_dtype_kind(dtype)) {
    case 'c':
      for (int k = 0; k < 2; k++)
        value.value.c[k] =
            float_of_bits(real, weft__element_bits((const char *)element + (size_t)k * size / 2, size / 2));
      break;
    case 'f':
      value.value.f = float_of_bits(dtype, weft__element_bits(element, size));
      break;
    case 'i':
      value.value.i = (int64_t)(weft__element_bits(element, size) << (64 - 8 * size)) >> (64 - 8 * size);
      break;
    default:
      value.value.u = weft__element_bits(element, size);
  }
  return value;
}

double weft__scalar_real(weft_scalar value) {
  switch (weft_dtype_kind(value.dtype)) {
    case 'f':
      return value.value.f;
    case 'c':
      return value.value.c[0];
    case 'i':
      return (double)value.value.i;
    default:
      return (double)value.value.u;
  }
}
