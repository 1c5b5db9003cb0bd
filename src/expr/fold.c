// SPDX-License-Identifier: MIT
#include "expr/fold.h"

#include <math.h>

#define DONE(overflows) ((overflows) ? WEFT__FOLD_OVERFLOW : WEFT__FOLDED)

static weft__fold_result integer_power(int64_t *result, int64_t base, int64_t exponent) {
  *result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1 && __builtin_mul_overflow(*result, base, result)) return WEFT__FOLD_OVERFLOW;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return WEFT__FOLD_OVERFLOW;
  }
  return WEFT__FOLDED;
}

static int64_t floor_quotient(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Has the sign of b.
static int64_t floor_remainder(int64_t a, int64_t b) {
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static weft__fold_result fold_integers(int64_t *result, int op, int64_t a, int64_t b) {
  switch (op) {
    case WEFT_UFUNC_NEGATIVE:
      return DONE(__builtin_sub_overflow((int64_t)0, a, result));
    case WEFT_UFUNC_POSITIVE:
      *result = a;
      return WEFT__FOLDED;
    case WEFT_UFUNC_INVERT:
      *result = ~a;
      return WEFT__FOLDED;
    case WEFT_UFUNC_ADD:
      return DONE(__builtin_add_overflow(a, b, result));
    case WEFT_UFUNC_SUBTRACT:
      return DONE(__builtin_sub_overflow(a, b, result));
    case WEFT_UFUNC_MULTIPLY:
      return DONE(__builtin_mul_overflow(a, b, result));
    case WEFT_UFUNC_POW:
      return b < 0 ? WEFT__NOT_FOLDED : integer_power(result, a, b);
    case WEFT_UFUNC_FLOOR_DIVIDE:
    case WEFT_UFUNC_REMAINDER:
      if (b == 0 || b == -1) return WEFT__NOT_FOLDED;
      *result = op == WEFT_UFUNC_REMAINDER ? floor_remainder(a, b) : floor_quotient(a, b);
      return WEFT__FOLDED;
    case WEFT_UFUNC_BITWISE_AND:
      *result = a & b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_BITWISE_OR:
      *result = a | b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_BITWISE_XOR:
      *result = a ^ b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_LEFT_SHIFT:
      if (b < 0) return WEFT__NOT_FOLDED;
      if (b > 62) return a ? WEFT__FOLD_OVERFLOW : WEFT__NOT_FOLDED;
      return DONE(__builtin_mul_overflow(a, INT64_C(1) << b, result));
    case WEFT_UFUNC_RIGHT_SHIFT:
      if (b < 0 || b > 63) return WEFT__NOT_FOLDED;
      *result = a < 0 ? ~(~a >> b) : a >> b;
      return WEFT__FOLDED;
    default:
      return WEFT__NOT_FOLDED;
  }
}

static weft__fold_result fold_floats(double *result, int op, double a, double b) {
  switch (op) {
    case WEFT_UFUNC_NEGATIVE:
      *result = -a;
      return WEFT__FOLDED;
    case WEFT_UFUNC_POSITIVE:
      *result = a;
      return WEFT__FOLDED;
    case WEFT_UFUNC_ADD:
      *result = a + b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_SUBTRACT:
      *result = a - b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_MULTIPLY:
      *result = a * b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_DIVIDE:
      *result = a / b;
      return WEFT__FOLDED;
    case WEFT_UFUNC_POW:
      *result = pow(a, b);
      return WEFT__FOLDED;
    default:
      return WEFT__NOT_FOLDED;
  }
}

static weft__fold_result fold_complex(weft_c128 *result, int op, weft_c128 a, weft_c128 b) {
  switch (op) {
    case WEFT_UFUNC_NEGATIVE:
      *result = (weft_c128){-a.re, -a.im};
      return WEFT__FOLDED;
    case WEFT_UFUNC_POSITIVE:
      *result = a;
      return WEFT__FOLDED;
    case WEFT_UFUNC_ADD:
      *result = (weft_c128){a.re + b.re, a.im + b.im};
      return WEFT__FOLDED;
    case WEFT_UFUNC_SUBTRACT:
      *result = (weft_c128){a.re - b.re, a.im - b.im};
      return WEFT__FOLDED;
    case WEFT_UFUNC_MULTIPLY:
      *result = (weft_c128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
      return WEFT__FOLDED;
    default:
      return WEFT__NOT_FOLDED;
  }
}

static double real_of(const weft_scalar *a) {
  return a->dtype == WEFT_I64 ? (double)a->value.i : a->dtype == WEFT_F64 ? a->value.f : a->value.c[0];
}

static bool is_foldable(const weft_scalar *a) {
  return a->dtype == WEFT_I64 || a->dtype == WEFT_F64 || a->dtype == WEFT_C128;
}

weft__fold_result weft__fold(weft_scalar *result, int op, const weft_scalar *a, const weft_scalar *b) {
  static const weft_scalar none = {.dtype = WEFT_I64};
  weft__fold_result folded;
  if (!b) b = &none;
  if (op == WEFT_UFUNC_NEGATIVE && a->dtype == WEFT_U64 && a->value.u == UINT64_C(1) << 63) {
    *result = WEFT_SCALAR((long long)INT64_MIN); /* the text's digits alone, 2^63, do not fit i64 */
    return WEFT__FOLDED;
  }
  if (!is_foldable(a) || !is_foldable(b)) return WEFT__NOT_FOLDED;
  if (a->dtype == WEFT_C128 || b->dtype == WEFT_C128) {
    weft_c128 value, x = {real_of(a), a->dtype == WEFT_C128 ? a->value.c[1] : 0},
                     y = {real_of(b), b->dtype == WEFT_C128 ? b->value.c[1] : 0};
    folded = fold_complex(&value, op, x, y);
    if (folded == WEFT__FOLDED) *result = WEFT_SCALAR(value);
    return folded;
  }
  bool to_float = op == WEFT_UFUNC_DIVIDE || (op == WEFT_UFUNC_POW && b->dtype == WEFT_I64 && b->value.i < 0);
  if (a->dtype == WEFT_I64 && b->dtype == WEFT_I64 && !to_float) {
    int64_t value;
    folded = fold_integers(&value, op, a->value.i, b->value.i);
    if (folded == WEFT__FOLDED) *result = WEFT_SCALAR((long long)value);
    return folded;
  }
  double value;
  folded = fold_floats(&value, op, real_of(a), real_of(b));
  if (folded == WEFT__FOLDED) *result = WEFT_SCALAR(value);
  return folded;
}
