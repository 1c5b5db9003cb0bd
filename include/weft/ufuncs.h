// SPDX-License-Identifier: MIT
/// The built-in functions over whole arrays. weft/ufunc.h has the rules for all of them, docs/ufuncs.md their dtypes,
/// docs/accuracy.md their accuracy. src/expr/ufuncs.py writes this file from src/expr/ufunc_table.h: change the table.
///
///     rc = weft_multiply(&y, x, 2.0f);
///     rc = weft_sincos(&s, &c, x);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
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
  WEFT_UFUNC_NDTR,
  WEFT_UFUNC_EXPIT,
  WEFT_UFUNC_LOGIT,
  WEFT_UFUNC_SOFTPLUS,
  WEFT_UFUNC_SILU,
  WEFT_UFUNC_GELU,
  WEFT_UFUNC_XLOGY,
  WEFT_UFUNC_ERFINV,
  WEFT_UFUNC_ERFCINV,
  WEFT_UFUNC_NDTRI,
  WEFT_UFUNC_DIGAMMA,
  WEFT_UFUNC_I0,
  WEFT_UFUNC_I0E,
  WEFT_UFUNC_I1,
  WEFT_UFUNC_I1E,
  WEFT_UFUNC_K0,
  WEFT_UFUNC_K1,
  WEFT_UFUNC_J0,
  WEFT_UFUNC_J1,
  WEFT_UFUNC_JN,
  WEFT_UFUNC_Y0,
  WEFT_UFUNC_Y1,
  WEFT_UFUNC_GAMMAINC,
  WEFT_UFUNC_GAMMAINCC,
  WEFT_UFUNC_BETA_FUNCTION,
  WEFT_UFUNC_BETALN,
  WEFT_UFUNC_ZETA,
  WEFT_UFUNC_IEEE_REMAINDER,
  WEFT_UFUNC_REMQUO,
  WEFT_UFUNC_CONJ,
  WEFT_UFUNC_REAL,
  WEFT_UFUNC_IMAG,
  WEFT_UFUNC_ANGLE,
  WEFT_UFUNC_COUNT, /* valid values are 1 to WEFT_UFUNC_COUNT - 1 */
};

WEFT_BEGIN_DECLS

// clang-format off

/* ---- arithmetic ---- */

/// a + b; bools: or.
WEFT_API WEFT_NODISCARD weft_status
weft_add(weft_array **out, const weft_array *a, const weft_array *b);
/// a - b.
WEFT_API WEFT_NODISCARD weft_status
weft_subtract(weft_array **out, const weft_array *a, const weft_array *b);
/// a * b; bools: and.
WEFT_API WEFT_NODISCARD weft_status
weft_multiply(weft_array **out, const weft_array *a, const weft_array *b);
/// a / b; integers are computed in f64.
WEFT_API WEFT_NODISCARD weft_status
weft_divide(weft_array **out, const weft_array *a, const weft_array *b);
/// the largest integer not over a / b; integers: 0 for b = 0; the smallest integer by -1 gives itself.
WEFT_API WEFT_NODISCARD weft_status
weft_floor_divide(weft_array **out, const weft_array *a, const weft_array *b);
/// a - floor_divide(a, b) * b, with the sign of b; integers: 0 for b = 0.
WEFT_API WEFT_NODISCARD weft_status
weft_remainder(weft_array **out, const weft_array *a, const weft_array *b);
/// C's remainder, with the sign of a; integers: 0 for b = 0.
WEFT_API WEFT_NODISCARD weft_status
weft_fmod(weft_array **out, const weft_array *a, const weft_array *b);
/// floor_divide and remainder.
WEFT_API WEFT_NODISCARD weft_status
weft_divmod(weft_array **out, weft_array **out2, const weft_array *a, const weft_array *b);
/// a to the power of b; integers wrap around, and a negative power gives 0 except for a = 1 and -1.
WEFT_API WEFT_NODISCARD weft_status
weft_pow(weft_array **out, const weft_array *a, const weft_array *b);
/// -a.
WEFT_API WEFT_NODISCARD weft_status
weft_negative(weft_array **out, const weft_array *a);
/// a copy of a.
WEFT_API WEFT_NODISCARD weft_status
weft_positive(weft_array **out, const weft_array *a);
/// absolute value; complex: the modulus; the smallest integer gives itself.
WEFT_API WEFT_NODISCARD weft_status
weft_abs(weft_array **out, const weft_array *a);
/// absolute value as a float.
WEFT_API WEFT_NODISCARD weft_status
weft_fabs(weft_array **out, const weft_array *a);
/// -1, 0 or 1; NaN for NaN; complex: a / abs(a).
WEFT_API WEFT_NODISCARD weft_status
weft_sign(weft_array **out, const weft_array *a);
/// a * a.
WEFT_API WEFT_NODISCARD weft_status
weft_square(weft_array **out, const weft_array *a);
/// 1 / a; integers: truncated, and 0 gives the smallest i32 or i64, else 0, as in NumPy.
WEFT_API WEFT_NODISCARD weft_status
weft_reciprocal(weft_array **out, const weft_array *a);
/// a * b + c, rounded once.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_fma(weft_array **out, const weft_array *a, const weft_array *b, const weft_array *c);
/// a * b + c, rounded once or twice, whichever the device does faster (OpenCL's mad).
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_mad(weft_array **out, const weft_array *a, const weft_array *b, const weft_array *c);
/// a * b + c * d (PyCUDA's mul_add).
WEFT_API WEFT_NODISCARD weft_status
weft_mul_add(weft_array **out, const weft_array *a, const weft_array *b, const weft_array *c, const weft_array *d);
/// greatest common divisor of abs(a) and abs(b).
WEFT_API WEFT_NODISCARD weft_status
weft_gcd(weft_array **out, const weft_array *a, const weft_array *b);
/// least common multiple of abs(a) and abs(b).
WEFT_API WEFT_NODISCARD weft_status
weft_lcm(weft_array **out, const weft_array *a, const weft_array *b);

/* ---- comparison ---- */

/// a == b.
WEFT_API WEFT_NODISCARD weft_status
weft_equal(weft_array **out, const weft_array *a, const weft_array *b);
/// a != b.
WEFT_API WEFT_NODISCARD weft_status
weft_not_equal(weft_array **out, const weft_array *a, const weft_array *b);
/// a < b; complex numbers by real, then imaginary part.
WEFT_API WEFT_NODISCARD weft_status
weft_less(weft_array **out, const weft_array *a, const weft_array *b);
/// a <= b.
WEFT_API WEFT_NODISCARD weft_status
weft_less_equal(weft_array **out, const weft_array *a, const weft_array *b);
/// a > b.
WEFT_API WEFT_NODISCARD weft_status
weft_greater(weft_array **out, const weft_array *a, const weft_array *b);
/// a >= b.
WEFT_API WEFT_NODISCARD weft_status
weft_greater_equal(weft_array **out, const weft_array *a, const weft_array *b);
/// true if both are not zero.
WEFT_API WEFT_NODISCARD weft_status
weft_logical_and(weft_array **out, const weft_array *a, const weft_array *b);
/// true if at least one is not zero.
WEFT_API WEFT_NODISCARD weft_status
weft_logical_or(weft_array **out, const weft_array *a, const weft_array *b);
/// true if exactly one is not zero.
WEFT_API WEFT_NODISCARD weft_status
weft_logical_xor(weft_array **out, const weft_array *a, const weft_array *b);
/// true if a is zero.
WEFT_API WEFT_NODISCARD weft_status
weft_logical_not(weft_array **out, const weft_array *a);

/* ---- bits ---- */

/// a & b.
WEFT_API WEFT_NODISCARD weft_status
weft_bitwise_and(weft_array **out, const weft_array *a, const weft_array *b);
/// a | b.
WEFT_API WEFT_NODISCARD weft_status
weft_bitwise_or(weft_array **out, const weft_array *a, const weft_array *b);
/// a ^ b.
WEFT_API WEFT_NODISCARD weft_status
weft_bitwise_xor(weft_array **out, const weft_array *a, const weft_array *b);
/// ~a; bools: not.
WEFT_API WEFT_NODISCARD weft_status
weft_invert(weft_array **out, const weft_array *a);
/// a << b; 0 if b is negative or at least the number of bits.
WEFT_API WEFT_NODISCARD weft_status
weft_left_shift(weft_array **out, const weft_array *a, const weft_array *b);
/// a >> b, which keeps the sign; 0 or -1 if b is negative or at least the number of bits.
WEFT_API WEFT_NODISCARD weft_status
weft_right_shift(weft_array **out, const weft_array *a, const weft_array *b);
/// number of one bits in abs(a).
WEFT_API WEFT_NODISCARD weft_status
weft_bitwise_count(weft_array **out, const weft_array *a);

/* ---- choice ---- */

/// b where a is not zero, else c; C integers outside the dtype's range wrap around, as in NumPy.
WEFT_API WEFT_NODISCARD weft_status
weft_where(weft_array **out, const weft_array *a, const weft_array *b, const weft_array *c);
/// minimum(maximum(a, b), c).
WEFT_API WEFT_NODISCARD weft_status
weft_clip(weft_array **out, const weft_array *a, const weft_array *b, const weft_array *c);
/// the greater of a and b; NaN if one is NaN.
WEFT_API WEFT_NODISCARD weft_status
weft_maximum(weft_array **out, const weft_array *a, const weft_array *b);
/// the smaller of a and b; NaN if one is NaN.
WEFT_API WEFT_NODISCARD weft_status
weft_minimum(weft_array **out, const weft_array *a, const weft_array *b);
/// the greater of a and b; if one is NaN, the other one.
WEFT_API WEFT_NODISCARD weft_status
weft_fmax(weft_array **out, const weft_array *a, const weft_array *b);
/// the smaller of a and b; if one is NaN, the other one.
WEFT_API WEFT_NODISCARD weft_status
weft_fmin(weft_array **out, const weft_array *a, const weft_array *b);
/// a or b, the one with the greater absolute value.
WEFT_API WEFT_NODISCARD weft_status
weft_maxmag(weft_array **out, const weft_array *a, const weft_array *b);
/// a or b, the one with the smaller absolute value.
WEFT_API WEFT_NODISCARD weft_status
weft_minmag(weft_array **out, const weft_array *a, const weft_array *b);
/// a - b if a > b, else 0.
WEFT_API WEFT_NODISCARD weft_status
weft_fdim(weft_array **out, const weft_array *a, const weft_array *b);
/// 0 for negative a, b for a = 0, 1 for positive a.
WEFT_API WEFT_NODISCARD weft_status
weft_heaviside(weft_array **out, const weft_array *a, const weft_array *b);

/* ---- floats ---- */

/// true if a is NaN.
WEFT_API WEFT_NODISCARD weft_status
weft_isnan(weft_array **out, const weft_array *a);
/// true if a is infinity or -infinity.
WEFT_API WEFT_NODISCARD weft_status
weft_isinf(weft_array **out, const weft_array *a);
/// true if a is infinity.
WEFT_API WEFT_NODISCARD weft_status
weft_isposinf(weft_array **out, const weft_array *a);
/// true if a is -infinity.
WEFT_API WEFT_NODISCARD weft_status
weft_isneginf(weft_array **out, const weft_array *a);
/// true if a is neither infinite nor NaN.
WEFT_API WEFT_NODISCARD weft_status
weft_isfinite(weft_array **out, const weft_array *a);
/// true if a is neither zero, denormal, infinite nor NaN.
WEFT_API WEFT_NODISCARD weft_status
weft_isnormal(weft_array **out, const weft_array *a);
/// true if the sign bit of a is set, as for negative numbers and -0.
WEFT_API WEFT_NODISCARD weft_status
weft_signbit(weft_array **out, const weft_array *a);
/// a with the sign of b.
WEFT_API WEFT_NODISCARD weft_status
weft_copysign(weft_array **out, const weft_array *a, const weft_array *b);
/// the next number after a towards b.
WEFT_API WEFT_NODISCARD weft_status
weft_nextafter(weft_array **out, const weft_array *a, const weft_array *b);
/// the distance from a to the next number away from 0.
WEFT_API WEFT_NODISCARD weft_status
weft_spacing(weft_array **out, const weft_array *a);
/// a * 2^b, rounded once.
WEFT_API WEFT_NODISCARD weft_status
weft_ldexp(weft_array **out, const weft_array *a, const weft_array *b);
/// fraction of absolute value from 1/2 to under 1, and power of 2.
WEFT_API WEFT_NODISCARD weft_status
weft_frexp(weft_array **out, weft_array **out2, const weft_array *a);
/// fractional and integral part, both with the sign of a.
WEFT_API WEFT_NODISCARD weft_status
weft_modf(weft_array **out, weft_array **out2, const weft_array *a);
/// a - floor(a), which is under 1, and floor(a).
WEFT_API WEFT_NODISCARD weft_status
weft_fract(weft_array **out, weft_array **out2, const weft_array *a);
/// the binary exponent as an integer.
WEFT_API WEFT_NODISCARD weft_status
weft_ilogb(weft_array **out, const weft_array *a);
/// the binary exponent as a float.
WEFT_API WEFT_NODISCARD weft_status
weft_logb(weft_array **out, const weft_array *a);

/* ---- rounding ---- */

/// the largest integer not over a.
WEFT_API WEFT_NODISCARD weft_status
weft_floor(weft_array **out, const weft_array *a);
/// the smallest integer not under a.
WEFT_API WEFT_NODISCARD weft_status
weft_ceil(weft_array **out, const weft_array *a);
/// rounded towards 0.
WEFT_API WEFT_NODISCARD weft_status
weft_trunc(weft_array **out, const weft_array *a);
/// the nearest integer; of two equally near ones the even one.
WEFT_API WEFT_NODISCARD weft_status
weft_rint(weft_array **out, const weft_array *a);
/// the nearest integer; of two equally near ones the one farther from 0 (C's round; NumPy's is rint).
WEFT_API WEFT_NODISCARD weft_status
weft_round(weft_array **out, const weft_array *a);

/* ---- exponential ---- */

/// square root; correctly rounded if the device supports it.
WEFT_API WEFT_NODISCARD weft_status
weft_sqrt(weft_array **out, const weft_array *a);
/// 1 / sqrt(a).
WEFT_API WEFT_NODISCARD weft_status
weft_rsqrt(weft_array **out, const weft_array *a);
/// cube root.
WEFT_API WEFT_NODISCARD weft_status
weft_cbrt(weft_array **out, const weft_array *a);
/// sqrt(a^2 + b^2) without overflow.
WEFT_API WEFT_NODISCARD weft_status
weft_hypot(weft_array **out, const weft_array *a, const weft_array *b);
/// e^a.
WEFT_API WEFT_NODISCARD weft_status
weft_exp(weft_array **out, const weft_array *a);
/// 2^a.
WEFT_API WEFT_NODISCARD weft_status
weft_exp2(weft_array **out, const weft_array *a);
/// 10^a.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_exp10(weft_array **out, const weft_array *a);
/// e^a - 1.
WEFT_API WEFT_NODISCARD weft_status
weft_expm1(weft_array **out, const weft_array *a);
/// natural logarithm.
WEFT_API WEFT_NODISCARD weft_status
weft_log(weft_array **out, const weft_array *a);
/// logarithm to the base 2.
WEFT_API WEFT_NODISCARD weft_status
weft_log2(weft_array **out, const weft_array *a);
/// logarithm to the base 10.
WEFT_API WEFT_NODISCARD weft_status
weft_log10(weft_array **out, const weft_array *a);
/// log(1 + a).
WEFT_API WEFT_NODISCARD weft_status
weft_log1p(weft_array **out, const weft_array *a);
/// log(exp(a) + exp(b)).
WEFT_API WEFT_NODISCARD weft_status
weft_logaddexp(weft_array **out, const weft_array *a, const weft_array *b);
/// log2(2^a + 2^b).
WEFT_API WEFT_NODISCARD weft_status
weft_logaddexp2(weft_array **out, const weft_array *a, const weft_array *b);
/// a^b for a >= 0 (OpenCL's powr).
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_powr(weft_array **out, const weft_array *a, const weft_array *b);
/// a^b for an integer b.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_pown(weft_array **out, const weft_array *a, const weft_array *b);
/// the b-th root of a, for an integer b.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_rootn(weft_array **out, const weft_array *a, const weft_array *b);

/* ---- trigonometry ---- */

/// sine of an angle in radians.
WEFT_API WEFT_NODISCARD weft_status
weft_sin(weft_array **out, const weft_array *a);
/// cosine of an angle in radians.
WEFT_API WEFT_NODISCARD weft_status
weft_cos(weft_array **out, const weft_array *a);
/// tangent of an angle in radians.
WEFT_API WEFT_NODISCARD weft_status
weft_tan(weft_array **out, const weft_array *a);
/// sine and cosine.
WEFT_API WEFT_NODISCARD weft_status
weft_sincos(weft_array **out, weft_array **out2, const weft_array *a);
/// inverse sine, -pi/2 to pi/2.
WEFT_API WEFT_NODISCARD weft_status
weft_asin(weft_array **out, const weft_array *a);
/// inverse cosine, 0 to pi.
WEFT_API WEFT_NODISCARD weft_status
weft_acos(weft_array **out, const weft_array *a);
/// inverse tangent, -pi/2 to pi/2.
WEFT_API WEFT_NODISCARD weft_status
weft_atan(weft_array **out, const weft_array *a);
/// angle of the point (b, a), -pi to pi.
WEFT_API WEFT_NODISCARD weft_status
weft_atan2(weft_array **out, const weft_array *a, const weft_array *b);
/// sin(pi * a).
WEFT_API WEFT_NODISCARD weft_status
weft_sinpi(weft_array **out, const weft_array *a);
/// cos(pi * a).
WEFT_API WEFT_NODISCARD weft_status
weft_cospi(weft_array **out, const weft_array *a);
/// tan(pi * a).
WEFT_API WEFT_NODISCARD weft_status
weft_tanpi(weft_array **out, const weft_array *a);
/// asin(a) / pi.
WEFT_API WEFT_NODISCARD weft_status
weft_asinpi(weft_array **out, const weft_array *a);
/// acos(a) / pi.
WEFT_API WEFT_NODISCARD weft_status
weft_acospi(weft_array **out, const weft_array *a);
/// atan(a) / pi.
WEFT_API WEFT_NODISCARD weft_status
weft_atanpi(weft_array **out, const weft_array *a);
/// atan2(a, b) / pi.
WEFT_API WEFT_NODISCARD weft_status
weft_atan2pi(weft_array **out, const weft_array *a, const weft_array *b);
/// hyperbolic sine.
WEFT_API WEFT_NODISCARD weft_status
weft_sinh(weft_array **out, const weft_array *a);
/// hyperbolic cosine.
WEFT_API WEFT_NODISCARD weft_status
weft_cosh(weft_array **out, const weft_array *a);
/// hyperbolic tangent.
WEFT_API WEFT_NODISCARD weft_status
weft_tanh(weft_array **out, const weft_array *a);
/// inverse hyperbolic sine.
WEFT_API WEFT_NODISCARD weft_status
weft_asinh(weft_array **out, const weft_array *a);
/// inverse hyperbolic cosine.
WEFT_API WEFT_NODISCARD weft_status
weft_acosh(weft_array **out, const weft_array *a);
/// inverse hyperbolic tangent.
WEFT_API WEFT_NODISCARD weft_status
weft_atanh(weft_array **out, const weft_array *a);
/// radians to degrees.
WEFT_API WEFT_NODISCARD weft_status
weft_degrees(weft_array **out, const weft_array *a);
/// degrees to radians.
WEFT_API WEFT_NODISCARD weft_status
weft_radians(weft_array **out, const weft_array *a);
/// sin(pi * a) / (pi * a), 1 at 0; integers are computed in f64.
WEFT_API WEFT_NODISCARD weft_status
weft_sinc(weft_array **out, const weft_array *a);

/* ---- special ---- */

/// error function.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_erf(weft_array **out, const weft_array *a);
/// 1 - erf(a).
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_erfc(weft_array **out, const weft_array *a);
/// gamma function.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_tgamma(weft_array **out, const weft_array *a);
/// logarithm of the gamma function's absolute value.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_lgamma(weft_array **out, const weft_array *a);
/// lgamma, and the sign of the gamma function.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_lgamma_r(weft_array **out, weft_array **out2, const weft_array *a);
/// the standard normal distribution: the probability of a number below a.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_ndtr(weft_array **out, const weft_array *a);
/// the logistic function (sigmoid), 1 / (1 + exp(-a)).
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_expit(weft_array **out, const weft_array *a);
/// log(a / (1 - a)), the inverse of expit; NaN outside 0 to 1.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_logit(weft_array **out, const weft_array *a);
/// log(1 + exp(a)) without overflow.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_softplus(weft_array **out, const weft_array *a);
/// a * expit(a) (swish); -0 for -infinity, the limit.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_silu(weft_array **out, const weft_array *a);
/// a * ndtr(a), not its approximation by tanh; -0 for -infinity, the limit.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_gelu(weft_array **out, const weft_array *a);
/// a * log(b); 0 for a = 0, unless b is NaN.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_xlogy(weft_array **out, const weft_array *a, const weft_array *b);
/// the inverse of erf; NaN outside -1 to 1.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_erfinv(weft_array **out, const weft_array *a);
/// the inverse of erfc; NaN outside 0 to 2.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_erfcinv(weft_array **out, const weft_array *a);
/// the inverse of ndtr: the normal distribution's quantile; NaN outside 0 to 1.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_ndtri(weft_array **out, const weft_array *a);
/// the derivative of log gamma (psi); NaN at negative integers.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_digamma(weft_array **out, const weft_array *a);
/// modified Bessel function of the first kind, order 0.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_i0(weft_array **out, const weft_array *a);
/// i0(a) * exp(-abs(a)), which does not overflow.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_i0e(weft_array **out, const weft_array *a);
/// modified Bessel function of the first kind, order 1.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_i1(weft_array **out, const weft_array *a);
/// i1(a) * exp(-abs(a)), which does not overflow.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_i1e(weft_array **out, const weft_array *a);
/// modified Bessel function of the second kind, order 0; NaN below 0.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_k0(weft_array **out, const weft_array *a);
/// modified Bessel function of the second kind, order 1; NaN below 0.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_k1(weft_array **out, const weft_array *a);
/// Bessel function of the first kind, order 0.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_j0(weft_array **out, const weft_array *a);
/// Bessel function of the first kind, order 1.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_j1(weft_array **out, const weft_array *a);
/// Bessel function of the first kind of b, integer order a; NaN for orders over 16384, unless it is 0 or b > a^2 / 2.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_jn(weft_array **out, const weft_array *a, const weft_array *b);
/// Bessel function of the second kind, order 0; NaN below 0.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_y0(weft_array **out, const weft_array *a);
/// Bessel function of the second kind, order 1; NaN below 0.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_y1(weft_array **out, const weft_array *a);
/// regularized lower incomplete gamma function P(a, b); NaN for negative arguments.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_gammainc(weft_array **out, const weft_array *a, const weft_array *b);
/// 1 - gammainc(a, b), the upper one, with the digits of small results.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_gammaincc(weft_array **out, const weft_array *a, const weft_array *b);
/// beta function, gamma(a) gamma(b) / gamma(a + b); infinity at its poles.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_beta_function(weft_array **out, const weft_array *a, const weft_array *b);
/// logarithm of the beta function's absolute value.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_betaln(weft_array **out, const weft_array *a, const weft_array *b);
/// Hurwitz's zeta function, the sum of (b + k)^-a over k >= 0; NaN for a < 1, and for b < 0 unless a is whole.
/// Integers in f64, without fp64 in f32.
WEFT_API WEFT_NODISCARD weft_status
weft_zeta(weft_array **out, const weft_array *a, const weft_array *b);
/// a - b * (the integer nearest to a / b): IEEE 754's and OpenCL's remainder.
WEFT_API WEFT_NODISCARD weft_status
weft_ieee_remainder(weft_array **out, const weft_array *a, const weft_array *b);
/// ieee_remainder, and the low seven bits of the quotient with its sign on every device; 0 if the remainder is NaN.
WEFT_API WEFT_NODISCARD weft_status
weft_remquo(weft_array **out, weft_array **out2, const weft_array *a, const weft_array *b);

/* ---- complex ---- */

/// complex conjugate.
WEFT_API WEFT_NODISCARD weft_status
weft_conj(weft_array **out, const weft_array *a);
/// real part.
WEFT_API WEFT_NODISCARD weft_status
weft_real(weft_array **out, const weft_array *a);
/// imaginary part; 0 for real numbers.
WEFT_API WEFT_NODISCARD weft_status
weft_imag(weft_array **out, const weft_array *a);
/// angle in the complex plane, -pi to pi.
WEFT_API WEFT_NODISCARD weft_status
weft_angle(weft_array **out, const weft_array *a);

WEFT_END_DECLS

/* ---- behind the functions ---- */

#define weft_add(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_subtract(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_SUBTRACT, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_multiply(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_MULTIPLY, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_divide(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_DIVIDE, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_floor_divide(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_FLOOR_DIVIDE, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_remainder(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_REMAINDER, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_fmod(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_FMOD, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_divmod(out, out2, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_DIVMOD, 4, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_pow(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_POW, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_negative(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_NEGATIVE, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_positive(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_POSITIVE, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_abs(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ABS, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_fabs(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_FABS, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_sign(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SIGN, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_square(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SQUARE, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_reciprocal(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_RECIPROCAL, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_fma(out, a, b, c) \
  weft__ufunc_apply_at(WEFT_UFUNC_FMA, 4, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__OPERAND(c)), WEFT_SITE)
#define weft_mad(out, a, b, c) \
  weft__ufunc_apply_at(WEFT_UFUNC_MAD, 4, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__OPERAND(c)), WEFT_SITE)
#define weft_mul_add(out, a, b, c, d) \
  weft__ufunc_apply_at(WEFT_UFUNC_MUL_ADD, 5, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__OPERAND(c), WEFT__OPERAND(d)), WEFT_SITE)
#define weft_gcd(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_GCD, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_lcm(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LCM, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_equal(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_EQUAL, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_not_equal(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_NOT_EQUAL, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_less(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LESS, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_less_equal(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LESS_EQUAL, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_greater(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_GREATER, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_greater_equal(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_GREATER_EQUAL, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_logical_and(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGICAL_AND, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_logical_or(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGICAL_OR, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_logical_xor(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGICAL_XOR, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_logical_not(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGICAL_NOT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_bitwise_and(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_BITWISE_AND, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_bitwise_or(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_BITWISE_OR, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_bitwise_xor(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_BITWISE_XOR, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_invert(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_INVERT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_left_shift(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LEFT_SHIFT, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_right_shift(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_RIGHT_SHIFT, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_bitwise_count(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_BITWISE_COUNT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_where(out, a, b, c) \
  weft__ufunc_apply_at(WEFT_UFUNC_WHERE, 4, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__OPERAND(c)), WEFT_SITE)
#define weft_clip(out, a, b, c) \
  weft__ufunc_apply_at(WEFT_UFUNC_CLIP, 4, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__OPERAND(c)), WEFT_SITE)
#define weft_maximum(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_MAXIMUM, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_minimum(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_MINIMUM, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_fmax(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_FMAX, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_fmin(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_FMIN, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_maxmag(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_MAXMAG, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_minmag(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_MINMAG, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_fdim(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_FDIM, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_heaviside(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_HEAVISIDE, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_isnan(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ISNAN, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_isinf(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ISINF, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_isposinf(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ISPOSINF, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_isneginf(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ISNEGINF, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_isfinite(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ISFINITE, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_isnormal(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ISNORMAL, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_signbit(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SIGNBIT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_copysign(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_COPYSIGN, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_nextafter(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_NEXTAFTER, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_spacing(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SPACING, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_ldexp(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LDEXP, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_frexp(out, out2, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_FREXP, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_modf(out, out2, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_MODF, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_fract(out, out2, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_FRACT, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_ilogb(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ILOGB, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_logb(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGB, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_floor(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_FLOOR, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_ceil(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_CEIL, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_trunc(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_TRUNC, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_rint(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_RINT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_round(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ROUND, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_sqrt(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SQRT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_rsqrt(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_RSQRT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_cbrt(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_CBRT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_hypot(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_HYPOT, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_exp(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_EXP, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_exp2(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_EXP2, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_exp10(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_EXP10, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_expm1(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_EXPM1, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_log(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOG, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_log2(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOG2, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_log10(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOG10, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_log1p(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOG1P, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_logaddexp(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGADDEXP, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_logaddexp2(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGADDEXP2, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_powr(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_POWR, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_pown(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_POWN, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_rootn(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_ROOTN, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_sin(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SIN, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_cos(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_COS, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_tan(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_TAN, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_sincos(out, out2, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SINCOS, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_asin(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ASIN, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_acos(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ACOS, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_atan(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ATAN, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_atan2(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_ATAN2, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_sinpi(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SINPI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_cospi(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_COSPI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_tanpi(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_TANPI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_asinpi(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ASINPI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_acospi(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ACOSPI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_atanpi(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ATANPI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_atan2pi(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_ATAN2PI, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_sinh(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SINH, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_cosh(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_COSH, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_tanh(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_TANH, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_asinh(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ASINH, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_acosh(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ACOSH, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_atanh(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ATANH, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_degrees(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_DEGREES, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_radians(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_RADIANS, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_sinc(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SINC, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_erf(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ERF, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_erfc(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ERFC, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_tgamma(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_TGAMMA, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_lgamma(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LGAMMA, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_lgamma_r(out, out2, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LGAMMA_R, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_ndtr(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_NDTR, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_expit(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_EXPIT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_logit(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_LOGIT, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_softplus(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SOFTPLUS, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_silu(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_SILU, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_gelu(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_GELU, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_xlogy(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_XLOGY, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_erfinv(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ERFINV, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_erfcinv(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ERFCINV, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_ndtri(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_NDTRI, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_digamma(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_DIGAMMA, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_i0(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_I0, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_i0e(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_I0E, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_i1(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_I1, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_i1e(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_I1E, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_k0(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_K0, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_k1(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_K1, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_j0(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_J0, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_j1(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_J1, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_jn(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_JN, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_y0(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_Y0, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_y1(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_Y1, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_gammainc(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_GAMMAINC, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_gammaincc(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_GAMMAINCC, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_beta_function(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_BETA_FUNCTION, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_betaln(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_BETALN, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_zeta(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_ZETA, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_ieee_remainder(out, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_IEEE_REMAINDER, 3, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_remquo(out, out2, a, b) \
  weft__ufunc_apply_at(WEFT_UFUNC_REMQUO, 4, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__RESULT(out2), WEFT__OPERAND(a), WEFT__OPERAND(b)), WEFT_SITE)
#define weft_conj(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_CONJ, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_real(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_REAL, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_imag(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_IMAG, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)
#define weft_angle(out, a) \
  weft__ufunc_apply_at(WEFT_UFUNC_ANGLE, 2, \
    WEFT__LIST(WEFT__RESULT(out), WEFT__OPERAND(a)), WEFT_SITE)

// clang-format on

#endif
