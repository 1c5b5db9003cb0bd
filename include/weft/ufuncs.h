// SPDX-License-Identifier: MIT
/// The built-in functions over whole arrays, one macro each; weft/ufunc.h says what holds for all of them, docs/ufuncs.md has their
/// dtypes and accuracy. Written by src/expr/ufuncs.py from src/expr/ufunc_table.h: change the table, not this file.
#ifndef WEFT_UFUNCS_H
#define WEFT_UFUNCS_H

#include <weft/ufunc.h>

enum {
  WEFT_UFUNC_NONE = 0,
  WEFT_UFUNC_ADD,
  WEFT_UFUNC_SUBTRACT,
  WEFT_UFUNC_MULTIPLY,
  WEFT_UFUNC_DIVIDE,
  WEFT_UFUNC_FLOOR_DIVIDE,
  WEFT_UFUNC_REMAINDER,
  WEFT_UFUNC_FMOD,
  WEFT_UFUNC_DIVMOD,
  WEFT_UFUNC_POW,
  WEFT_UFUNC_NEGATIVE,
  WEFT_UFUNC_POSITIVE,
  WEFT_UFUNC_ABS,
  WEFT_UFUNC_FABS,
  WEFT_UFUNC_SIGN,
  WEFT_UFUNC_SQUARE,
  WEFT_UFUNC_RECIPROCAL,
  WEFT_UFUNC_FMA,
  WEFT_UFUNC_MAD,
  WEFT_UFUNC_MUL_ADD,
  WEFT_UFUNC_GCD,
  WEFT_UFUNC_LCM,
  WEFT_UFUNC_EQUAL,
  WEFT_UFUNC_NOT_EQUAL,
  WEFT_UFUNC_LESS,
  WEFT_UFUNC_LESS_EQUAL,
  WEFT_UFUNC_GREATER,
  WEFT_UFUNC_GREATER_EQUAL,
  WEFT_UFUNC_LOGICAL_AND,
  WEFT_UFUNC_LOGICAL_OR,
  WEFT_UFUNC_LOGICAL_XOR,
  WEFT_UFUNC_LOGICAL_NOT,
  WEFT_UFUNC_BITWISE_AND,
  WEFT_UFUNC_BITWISE_OR,
  WEFT_UFUNC_BITWISE_XOR,
  WEFT_UFUNC_INVERT,
  WEFT_UFUNC_LEFT_SHIFT,
  WEFT_UFUNC_RIGHT_SHIFT,
  WEFT_UFUNC_BITWISE_COUNT,
  WEFT_UFUNC_WHERE,
  WEFT_UFUNC_CLIP,
  WEFT_UFUNC_MAXIMUM,
  WEFT_UFUNC_MINIMUM,
  WEFT_UFUNC_FMAX,
  WEFT_UFUNC_FMIN,
  WEFT_UFUNC_MAXMAG,
  WEFT_UFUNC_MINMAG,
  WEFT_UFUNC_FDIM,
  WEFT_UFUNC_HEAVISIDE,
  WEFT_UFUNC_ISNAN,
  WEFT_UFUNC_ISINF,
  WEFT_UFUNC_ISPOSINF,
  WEFT_UFUNC_ISNEGINF,
  WEFT_UFUNC_ISFINITE,
  WEFT_UFUNC_ISNORMAL,
  WEFT_UFUNC_SIGNBIT,
  WEFT_UFUNC_COPYSIGN,
  WEFT_UFUNC_NEXTAFTER,
  WEFT_UFUNC_SPACING,
  WEFT_UFUNC_LDEXP,
  WEFT_UFUNC_FREXP,
  WEFT_UFUNC_MODF,
  WEFT_UFUNC_FRACT,
  WEFT_UFUNC_ILOGB,
  WEFT_UFUNC_LOGB,
  WEFT_UFUNC_FLOOR,
  WEFT_UFUNC_CEIL,
  WEFT_UFUNC_TRUNC,
  WEFT_UFUNC_RINT,
  WEFT_UFUNC_ROUND,
  WEFT_UFUNC_SQRT,
  WEFT_UFUNC_RSQRT,
  WEFT_UFUNC_CBRT,
  WEFT_UFUNC_HYPOT,
  WEFT_UFUNC_EXP,
  WEFT_UFUNC_EXP2,
  WEFT_UFUNC_EXP10,
  WEFT_UFUNC_EXPM1,
  WEFT_UFUNC_LOG,
  WEFT_UFUNC_LOG2,
  WEFT_UFUNC_LOG10,
  WEFT_UFUNC_LOG1P,
  WEFT_UFUNC_LOGADDEXP,
  WEFT_UFUNC_LOGADDEXP2,
  WEFT_UFUNC_POWR,
  WEFT_UFUNC_POWN,
  WEFT_UFUNC_ROOTN,
  WEFT_UFUNC_SIN,
  WEFT_UFUNC_COS,
  WEFT_UFUNC_TAN,
  WEFT_UFUNC_SINCOS,
  WEFT_UFUNC_ASIN,
  WEFT_UFUNC_ACOS,
  WEFT_UFUNC_ATAN,
  WEFT_UFUNC_ATAN2,
  WEFT_UFUNC_SINPI,
  WEFT_UFUNC_COSPI,
  WEFT_UFUNC_TANPI,
  WEFT_UFUNC_ASINPI,
  WEFT_UFUNC_ACOSPI,
  WEFT_UFUNC_ATANPI,
  WEFT_UFUNC_ATAN2PI,
  WEFT_UFUNC_SINH,
  WEFT_UFUNC_COSH,
  WEFT_UFUNC_TANH,
  WEFT_UFUNC_ASINH,
  WEFT_UFUNC_ACOSH,
  WEFT_UFUNC_ATANH,
  WEFT_UFUNC_DEGREES,
  WEFT_UFUNC_RADIANS,
  WEFT_UFUNC_SINC,
  WEFT_UFUNC_ERF,
  WEFT_UFUNC_ERFC,
  WEFT_UFUNC_TGAMMA,
  WEFT_UFUNC_LGAMMA,
  WEFT_UFUNC_LGAMMA_R,
  WEFT_UFUNC_IEEE_REMAINDER,
  WEFT_UFUNC_REMQUO,
  WEFT_UFUNC_CONJ,
  WEFT_UFUNC_REAL,
  WEFT_UFUNC_IMAG,
  WEFT_UFUNC_ANGLE,
  WEFT_UFUNC_COUNT, /* valid values are under this */
};

// clang-format off

/* ---- arithmetic ---- */

/// a + b; of bools: or.
#define weft_add(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_ADD, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a - b.
#define weft_subtract(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_SUBTRACT, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a * b; of bools: and.
#define weft_multiply(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_MULTIPLY, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a / b; of integers in f64.
#define weft_divide(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_DIVIDE, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// largest integer not over a / b; integers by 0 give 0, the smallest one by -1 itself.
#define weft_floor_divide(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_FLOOR_DIVIDE, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a - floor_divide(a, b) * b, with the sign of b; integers by 0 give 0.
#define weft_remainder(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_REMAINDER, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// C's remainder, with the sign of a; integers by 0 give 0.
#define weft_fmod(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_FMOD, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// floor_divide and remainder.
#define weft_divmod(out, out2, a, b) weft_ufunc_apply_at(WEFT_UFUNC_DIVMOD, 4, WEFT__OPERANDS(out, out2, a, b), WEFT_SITE)
/// a to the power of b; integers wrap, and to a negative power give 0 (1 and -1 excepted).
#define weft_pow(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_POW, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// -a.
#define weft_negative(out, a) weft_ufunc_apply_at(WEFT_UFUNC_NEGATIVE, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// a copy of a.
#define weft_positive(out, a) weft_ufunc_apply_at(WEFT_UFUNC_POSITIVE, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// absolute value; of complex numbers the modulus; of the smallest integer itself.
#define weft_abs(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ABS, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// absolute value as a float.
#define weft_fabs(out, a) weft_ufunc_apply_at(WEFT_UFUNC_FABS, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// -1, 0 or 1; NaN for NaN; of complex numbers a / abs(a).
#define weft_sign(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SIGN, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// a * a.
#define weft_square(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SQUARE, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// 1 / a; of integers truncated, of 0 as NumPy's.
#define weft_reciprocal(out, a) weft_ufunc_apply_at(WEFT_UFUNC_RECIPROCAL, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// a * b + c, rounded once.
#define weft_fma(out, a, b, c) weft_ufunc_apply_at(WEFT_UFUNC_FMA, 4, WEFT__OPERANDS(out, a, b, c), WEFT_SITE)
/// a * b + c, rounded as the device likes best.
#define weft_mad(out, a, b, c) weft_ufunc_apply_at(WEFT_UFUNC_MAD, 4, WEFT__OPERANDS(out, a, b, c), WEFT_SITE)
/// a * b + c * d (PyCUDA's mul_add).
#define weft_mul_add(out, a, b, c, d) weft_ufunc_apply_at(WEFT_UFUNC_MUL_ADD, 5, WEFT__OPERANDS(out, a, b, c, d), WEFT_SITE)
/// greatest common divisor of abs(a) and abs(b).
#define weft_gcd(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_GCD, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// least common multiple of abs(a) and abs(b).
#define weft_lcm(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LCM, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)

/* ---- comparison ---- */

/// a == b.
#define weft_equal(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_EQUAL, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a != b.
#define weft_not_equal(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_NOT_EQUAL, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a < b; complex numbers by real, then imaginary part.
#define weft_less(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LESS, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a <= b.
#define weft_less_equal(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LESS_EQUAL, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a > b.
#define weft_greater(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_GREATER, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a >= b.
#define weft_greater_equal(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_GREATER_EQUAL, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// both are not zero.
#define weft_logical_and(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LOGICAL_AND, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// at least one is not zero.
#define weft_logical_or(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LOGICAL_OR, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// just one is not zero.
#define weft_logical_xor(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LOGICAL_XOR, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// is zero.
#define weft_logical_not(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LOGICAL_NOT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)

/* ---- bits ---- */

/// a & b.
#define weft_bitwise_and(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_BITWISE_AND, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a | b.
#define weft_bitwise_or(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_BITWISE_OR, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a ^ b.
#define weft_bitwise_xor(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_BITWISE_XOR, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// ~a; of bools: not.
#define weft_invert(out, a) weft_ufunc_apply_at(WEFT_UFUNC_INVERT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// a << b; 0 where b is negative or not under the number of bits.
#define weft_left_shift(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LEFT_SHIFT, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a >> b, with the sign; 0 or -1 where b is negative or not under the number of bits.
#define weft_right_shift(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_RIGHT_SHIFT, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// number of ones in abs(a).
#define weft_bitwise_count(out, a) weft_ufunc_apply_at(WEFT_UFUNC_BITWISE_COUNT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)

/* ---- choice ---- */

/// b where a is not zero, else c; C integers outside the dtype's range wrap around, as in NumPy.
#define weft_where(out, a, b, c) weft_ufunc_apply_at(WEFT_UFUNC_WHERE, 4, WEFT__OPERANDS(out, a, b, c), WEFT_SITE)
/// minimum(maximum(a, b), c).
#define weft_clip(out, a, b, c) weft_ufunc_apply_at(WEFT_UFUNC_CLIP, 4, WEFT__OPERANDS(out, a, b, c), WEFT_SITE)
/// the greater one; NaN if one is NaN.
#define weft_maximum(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_MAXIMUM, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the smaller one; NaN if one is NaN.
#define weft_minimum(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_MINIMUM, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the greater one; the other one where one is NaN.
#define weft_fmax(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_FMAX, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the smaller one; the other one where one is NaN.
#define weft_fmin(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_FMIN, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the one of greater absolute value.
#define weft_maxmag(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_MAXMAG, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the one of smaller absolute value.
#define weft_minmag(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_MINMAG, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a - b where that is positive, else 0.
#define weft_fdim(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_FDIM, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// 0 for negative a, b for 0, 1 for positive.
#define weft_heaviside(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_HEAVISIDE, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)

/* ---- floats ---- */

/// is not a number.
#define weft_isnan(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ISNAN, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// is infinite.
#define weft_isinf(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ISINF, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// is infinity.
#define weft_isposinf(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ISPOSINF, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// is -infinity.
#define weft_isneginf(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ISNEGINF, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// is neither infinite nor NaN.
#define weft_isfinite(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ISFINITE, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// is neither zero, denormal, infinite nor NaN.
#define weft_isnormal(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ISNORMAL, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// has its sign bit set: negative, or -0.
#define weft_signbit(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SIGNBIT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// a with the sign of b.
#define weft_copysign(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_COPYSIGN, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the number next to a in the direction of b.
#define weft_nextafter(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_NEXTAFTER, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the distance to the next number away from 0.
#define weft_spacing(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SPACING, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// a * 2^b, rounded once.
#define weft_ldexp(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LDEXP, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// fraction from 1/2 to 1, and power of 2.
#define weft_frexp(out, out2, a) weft_ufunc_apply_at(WEFT_UFUNC_FREXP, 3, WEFT__OPERANDS(out, out2, a), WEFT_SITE)
/// fractional and integral part, both with the sign of a.
#define weft_modf(out, out2, a) weft_ufunc_apply_at(WEFT_UFUNC_MODF, 3, WEFT__OPERANDS(out, out2, a), WEFT_SITE)
/// a - floor(a) (under 1), and floor(a).
#define weft_fract(out, out2, a) weft_ufunc_apply_at(WEFT_UFUNC_FRACT, 3, WEFT__OPERANDS(out, out2, a), WEFT_SITE)
/// the binary exponent as an integer.
#define weft_ilogb(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ILOGB, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// the binary exponent as a float.
#define weft_logb(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LOGB, 2, WEFT__OPERANDS(out, a), WEFT_SITE)

/* ---- rounding ---- */

/// the largest integer not over a.
#define weft_floor(out, a) weft_ufunc_apply_at(WEFT_UFUNC_FLOOR, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// the smallest integer not under a.
#define weft_ceil(out, a) weft_ufunc_apply_at(WEFT_UFUNC_CEIL, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// rounded towards 0.
#define weft_trunc(out, a) weft_ufunc_apply_at(WEFT_UFUNC_TRUNC, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// the nearest integer, of two the even one.
#define weft_rint(out, a) weft_ufunc_apply_at(WEFT_UFUNC_RINT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// the nearest integer, of two the one away from 0 (C's round; NumPy's is rint).
#define weft_round(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ROUND, 2, WEFT__OPERANDS(out, a), WEFT_SITE)

/* ---- exponential ---- */

/// square root; correctly rounded where the device offers it.
#define weft_sqrt(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SQRT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// 1 / sqrt(a).
#define weft_rsqrt(out, a) weft_ufunc_apply_at(WEFT_UFUNC_RSQRT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// cube root.
#define weft_cbrt(out, a) weft_ufunc_apply_at(WEFT_UFUNC_CBRT, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// sqrt(a^2 + b^2) without overflow.
#define weft_hypot(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_HYPOT, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// e^a.
#define weft_exp(out, a) weft_ufunc_apply_at(WEFT_UFUNC_EXP, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// 2^a.
#define weft_exp2(out, a) weft_ufunc_apply_at(WEFT_UFUNC_EXP2, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// 10^a.
#define weft_exp10(out, a) weft_ufunc_apply_at(WEFT_UFUNC_EXP10, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// e^a - 1.
#define weft_expm1(out, a) weft_ufunc_apply_at(WEFT_UFUNC_EXPM1, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// natural logarithm.
#define weft_log(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LOG, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// logarithm to the base 2.
#define weft_log2(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LOG2, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// logarithm to the base 10.
#define weft_log10(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LOG10, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// log(1 + a).
#define weft_log1p(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LOG1P, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// log(exp(a) + exp(b)).
#define weft_logaddexp(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LOGADDEXP, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// log2(2^a + 2^b).
#define weft_logaddexp2(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_LOGADDEXP2, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a^b for a >= 0 (OpenCL's powr).
#define weft_powr(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_POWR, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// a^b for an integer b.
#define weft_pown(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_POWN, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// the b-th root of a, for an integer b.
#define weft_rootn(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_ROOTN, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)

/* ---- trigonometry ---- */

/// sine of an angle in radians.
#define weft_sin(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SIN, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// cosine of an angle in radians.
#define weft_cos(out, a) weft_ufunc_apply_at(WEFT_UFUNC_COS, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// tangent of an angle in radians.
#define weft_tan(out, a) weft_ufunc_apply_at(WEFT_UFUNC_TAN, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// sine and cosine.
#define weft_sincos(out, out2, a) weft_ufunc_apply_at(WEFT_UFUNC_SINCOS, 3, WEFT__OPERANDS(out, out2, a), WEFT_SITE)
/// inverse sine, -pi/2 to pi/2.
#define weft_asin(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ASIN, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// inverse cosine, 0 to pi.
#define weft_acos(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ACOS, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// inverse tangent, -pi/2 to pi/2.
#define weft_atan(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ATAN, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// angle of the point (b, a), -pi to pi.
#define weft_atan2(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_ATAN2, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// sin(pi * a).
#define weft_sinpi(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SINPI, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// cos(pi * a).
#define weft_cospi(out, a) weft_ufunc_apply_at(WEFT_UFUNC_COSPI, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// tan(pi * a).
#define weft_tanpi(out, a) weft_ufunc_apply_at(WEFT_UFUNC_TANPI, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// asin(a) / pi.
#define weft_asinpi(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ASINPI, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// acos(a) / pi.
#define weft_acospi(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ACOSPI, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// atan(a) / pi.
#define weft_atanpi(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ATANPI, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// atan2(a, b) / pi.
#define weft_atan2pi(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_ATAN2PI, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// hyperbolic sine.
#define weft_sinh(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SINH, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// hyperbolic cosine.
#define weft_cosh(out, a) weft_ufunc_apply_at(WEFT_UFUNC_COSH, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// hyperbolic tangent.
#define weft_tanh(out, a) weft_ufunc_apply_at(WEFT_UFUNC_TANH, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// inverse hyperbolic sine.
#define weft_asinh(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ASINH, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// inverse hyperbolic cosine.
#define weft_acosh(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ACOSH, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// inverse hyperbolic tangent.
#define weft_atanh(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ATANH, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// radians to degrees.
#define weft_degrees(out, a) weft_ufunc_apply_at(WEFT_UFUNC_DEGREES, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// degrees to radians.
#define weft_radians(out, a) weft_ufunc_apply_at(WEFT_UFUNC_RADIANS, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// sin(pi * a) / (pi * a), 1 at 0; of integers in f64.
#define weft_sinc(out, a) weft_ufunc_apply_at(WEFT_UFUNC_SINC, 2, WEFT__OPERANDS(out, a), WEFT_SITE)

/* ---- special ---- */

/// error function.
#define weft_erf(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ERF, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// 1 - erf(a).
#define weft_erfc(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ERFC, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// gamma function.
#define weft_tgamma(out, a) weft_ufunc_apply_at(WEFT_UFUNC_TGAMMA, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// logarithm of the gamma function's absolute value.
#define weft_lgamma(out, a) weft_ufunc_apply_at(WEFT_UFUNC_LGAMMA, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// lgamma, and the sign of the gamma function.
#define weft_lgamma_r(out, out2, a) weft_ufunc_apply_at(WEFT_UFUNC_LGAMMA_R, 3, WEFT__OPERANDS(out, out2, a), WEFT_SITE)
/// a - b * (the integer nearest to a / b): IEEE 754's and OpenCL's remainder.
#define weft_ieee_remainder(out, a, b) weft_ufunc_apply_at(WEFT_UFUNC_IEEE_REMAINDER, 3, WEFT__OPERANDS(out, a, b), WEFT_SITE)
/// ieee_remainder, and the low seven bits of the quotient with its sign, on every device; 0 where the remainder is NaN.
#define weft_remquo(out, out2, a, b) weft_ufunc_apply_at(WEFT_UFUNC_REMQUO, 4, WEFT__OPERANDS(out, out2, a, b), WEFT_SITE)

/* ---- complex ---- */

/// complex conjugate.
#define weft_conj(out, a) weft_ufunc_apply_at(WEFT_UFUNC_CONJ, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// real part.
#define weft_real(out, a) weft_ufunc_apply_at(WEFT_UFUNC_REAL, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// imaginary part; 0 for real numbers.
#define weft_imag(out, a) weft_ufunc_apply_at(WEFT_UFUNC_IMAG, 2, WEFT__OPERANDS(out, a), WEFT_SITE)
/// angle in the complex plane, -pi to pi.
#define weft_angle(out, a) weft_ufunc_apply_at(WEFT_UFUNC_ANGLE, 2, WEFT__OPERANDS(out, a), WEFT_SITE)

// clang-format on

#endif
