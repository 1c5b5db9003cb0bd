// SPDX-License-Identifier: MIT
/// The functions whose text means the same in C as in OpenCL C: map/host_loops.c makes loops of them.
/// src/expr/ufuncs.py writes this file from src/expr/ufunc_table.h: change the table.
///
/// X(function, dtype, operands, A, T, type of the result, text): A is the type of a, T of b and c;
/// integers are computed in U, which does not overflow. OWN(name, D) and MATH(name, D) are functions of cl/math/
/// for D. ..._FUSED need fused multiplications. ..._FAST, which may too, have two texts, of which the second
/// is for arguments that the first one, which vectorizes, finds rare. ..._COMPARISONS are for all but bools,
/// and mean the same of vectors. ..._TESTS and ..._COMPUTED compute more than they move, and are for floats.
#ifndef WEFT_MAP_HOST_UFUNCS_H
#define WEFT_MAP_HOST_UFUNCS_H

// clang-format off
#define WEFT__HOST_UFUNCS_BOOLS(X, D, T) \
  X(ADD, D, 2, T, T, T, a | b) \
  X(MULTIPLY, D, 2, T, T, T, a & b) \
  X(EQUAL, D, 2, T, T, uint8_t, a == b) \
  X(NOT_EQUAL, D, 2, T, T, uint8_t, a != b) \
  X(LESS, D, 2, T, T, uint8_t, a < b) \
  X(LESS_EQUAL, D, 2, T, T, uint8_t, a <= b) \
  X(GREATER, D, 2, T, T, uint8_t, a > b) \
  X(GREATER_EQUAL, D, 2, T, T, uint8_t, a >= b) \
  X(LOGICAL_AND, D, 2, T, T, uint8_t, a && b) \
  X(LOGICAL_OR, D, 2, T, T, uint8_t, a || b) \
  X(LOGICAL_XOR, D, 2, T, T, uint8_t, a != b) \
  X(LOGICAL_NOT, D, 1, T, T, uint8_t, !a) \
  X(BITWISE_AND, D, 2, T, T, T, a & b) \
  X(BITWISE_OR, D, 2, T, T, T, a | b) \
  X(BITWISE_XOR, D, 2, T, T, T, a ^ b) \
  X(INVERT, D, 1, T, T, T, !a) \
  X(WHERE, D, 3, uint8_t, T, T, a ? b : c) \
  X(CLIP, D, 3, T, T, T, min(max(a, b), c)) \
  X(MAXIMUM, D, 2, T, T, T, a | b) \
  X(MINIMUM, D, 2, T, T, T, a & b) \
  X(FMAX, D, 2, T, T, T, a | b) \
  X(FMIN, D, 2, T, T, T, a & b)

#define WEFT__HOST_UFUNCS_INTEGERS(X, D, T, U) \
  X(ADD, D, 2, T, T, T, (U)a + (U)b) \
  X(SUBTRACT, D, 2, T, T, T, (U)a - (U)b) \
  X(MULTIPLY, D, 2, T, T, T, (U)a * (U)b) \
  X(NEGATIVE, D, 1, T, T, T, (U)0 - (U)a) \
  X(ABS, D, 1, T, T, T, OWN(weft_abs, D)(a)) \
  X(SIGN, D, 1, T, T, T, OWN(weft_sign, D)(a)) \
  X(SQUARE, D, 1, T, T, T, (U)a * (U)a) \
  X(RECIPROCAL, D, 1, T, T, T, OWN(weft_reciprocal, D)(a)) \
  X(LOGICAL_AND, D, 2, T, T, uint8_t, a && b) \
  X(LOGICAL_OR, D, 2, T, T, uint8_t, a || b) \
  X(BITWISE_AND, D, 2, T, T, T, a & b) \
  X(BITWISE_OR, D, 2, T, T, T, a | b) \
  X(BITWISE_XOR, D, 2, T, T, T, a ^ b) \
  X(INVERT, D, 1, T, T, T, ~a) \
  X(LEFT_SHIFT, D, 2, T, T, T, OWN(weft_left_shift, D)(a, b)) \
  X(RIGHT_SHIFT, D, 2, T, T, T, OWN(weft_right_shift, D)(a, b)) \
  X(WHERE, D, 3, uint8_t, T, T, a ? b : c) \
  X(CLIP, D, 3, T, T, T, OWN(weft_clip, D)(a, b, c)) \
  X(MAXIMUM, D, 2, T, T, T, max(a, b)) \
  X(MINIMUM, D, 2, T, T, T, min(a, b)) \
  X(FMAX, D, 2, T, T, T, max(a, b)) \
  X(FMIN, D, 2, T, T, T, min(a, b))

#define WEFT__HOST_UFUNCS_FLOATS(X, D, T) \
  X(ADD, D, 2, T, T, T, a + b) \
  X(SUBTRACT, D, 2, T, T, T, a - b) \
  X(MULTIPLY, D, 2, T, T, T, a * b) \
  X(DIVIDE, D, 2, T, T, T, a / b) \
  X(NEGATIVE, D, 1, T, T, T, -a) \
  X(ABS, D, 1, T, T, T, fabs(a)) \
  X(FABS, D, 1, T, T, T, fabs(a)) \
  X(SQUARE, D, 1, T, T, T, a * a) \
  X(RECIPROCAL, D, 1, T, T, T, 1 / a) \
  X(MAD, D, 3, T, T, T, OWN(weft_mad, D)(a, b, c)) \
  X(LOGICAL_AND, D, 2, T, T, uint8_t, a != 0 && b != 0) \
  X(LOGICAL_OR, D, 2, T, T, uint8_t, a != 0 || b != 0) \
  X(WHERE, D, 3, uint8_t, T, T, a ? b : c) \
  X(CLIP, D, 3, T, T, T, OWN(weft_clip, D)(a, b, c)) \
  X(MAXIMUM, D, 2, T, T, T, OWN(weft_maximum, D)(a, b)) \
  X(MINIMUM, D, 2, T, T, T, OWN(weft_minimum, D)(a, b)) \
  X(FMAX, D, 2, T, T, T, OWN(weft_fmax, D)(a, b)) \
  X(FMIN, D, 2, T, T, T, OWN(weft_fmin, D)(a, b)) \
  X(HEAVISIDE, D, 2, T, T, T, OWN(weft_heaviside, D)(a, b)) \
  X(COPYSIGN, D, 2, T, T, T, copysign(a, b)) \
  X(FLOOR, D, 1, T, T, T, floor(a)) \
  X(CEIL, D, 1, T, T, T, ceil(a)) \
  X(TRUNC, D, 1, T, T, T, trunc(a)) \
  X(RINT, D, 1, T, T, T, OWN(weft_rint, D)(a)) \
  X(SQRT, D, 1, T, T, T, sqrt(a)) \
  X(RSQRT, D, 1, T, T, T, rsqrt(a)) \
  X(DEGREES, D, 1, T, T, T, OWN(weft_rad2deg, D)(a)) \
  X(RADIANS, D, 1, T, T, T, OWN(weft_deg2rad, D)(a))

#define WEFT__HOST_UFUNCS_COMPARISONS(X, D, T) \
  X(EQUAL, D, 2, T, T, uint8_t, a == b) \
  X(NOT_EQUAL, D, 2, T, T, uint8_t, a != b) \
  X(LESS, D, 2, T, T, uint8_t, a < b) \
  X(LESS_EQUAL, D, 2, T, T, uint8_t, a <= b) \
  X(GREATER, D, 2, T, T, uint8_t, a > b) \
  X(GREATER_EQUAL, D, 2, T, T, uint8_t, a >= b) \
  X(LOGICAL_XOR, D, 2, T, T, uint8_t, (a != 0) != (b != 0)) \
  X(LOGICAL_NOT, D, 1, T, T, uint8_t, a == 0)

#define WEFT__HOST_UFUNCS_TESTS(X, D, T) \
  X(ISNAN, D, 1, T, T, uint8_t, isnan(a) != 0) \
  X(ISINF, D, 1, T, T, uint8_t, isinf(a) != 0) \
  X(ISPOSINF, D, 1, T, T, uint8_t, a == INFINITY) \
  X(ISNEGINF, D, 1, T, T, uint8_t, a == -INFINITY) \
  X(ISFINITE, D, 1, T, T, uint8_t, isfinite(a) != 0) \
  X(SIGNBIT, D, 1, T, T, uint8_t, signbit(a) != 0)

#define WEFT__HOST_UFUNCS_COMPUTED(X, D, T) \
  X(SIGN, D, 1, T, T, T, OWN(weft_sign, D)(a)) \
  X(SPACING, D, 1, T, T, T, OWN(weft_spacing, D)(a))

#define WEFT__HOST_UFUNCS_COMPLEX(X, D, T) \
  X(ADD, D, 2, T, T, T, MATH(weft_cadd, D)(a, b)) \
  X(SUBTRACT, D, 2, T, T, T, MATH(weft_csub, D)(a, b)) \
  X(NEGATIVE, D, 1, T, T, T, MATH(weft_cneg, D)(a)) \
  X(SQUARE, D, 1, T, T, T, MATH(weft_csquare, D)(a))

#define WEFT__HOST_UFUNCS_PRODUCT(X, D, T) \
  X(MULTIPLY, D, 2, T, T, T, MATH(weft_cmul, D)(a, b))

#define WEFT__HOST_UFUNCS_CONJ(X, D, T) \
  X(CONJ, D, 1, T, T, T, CONJ(a, D))

#define WEFT__HOST_UFUNCS_FUSED(X, D, T) \
  X(FMA, D, 3, T, T, T, fma(a, b, c)) \
  X(CBRT, D, 1, T, T, T, MATH(weft_cbrt, D)(a)) \
  X(HYPOT, D, 2, T, T, T, MATH(weft_hypot, D)(a, b)) \
  X(EXPM1, D, 1, T, T, T, MATH(weft_expm1, D)(a)) \
  X(LOG1P, D, 1, T, T, T, MATH(weft_log1p, D)(a)) \
  X(ASIN, D, 1, T, T, T, MATH(weft_asin, D)(a)) \
  X(ACOS, D, 1, T, T, T, MATH(weft_acos, D)(a)) \
  X(ATAN, D, 1, T, T, T, MATH(weft_atan, D)(a)) \
  X(SINH, D, 1, T, T, T, MATH(weft_sinh, D)(a)) \
  X(COSH, D, 1, T, T, T, MATH(weft_cosh, D)(a)) \
  X(TANH, D, 1, T, T, T, MATH(weft_tanh, D)(a)) \
  X(ASINH, D, 1, T, T, T, MATH(weft_asinh, D)(a)) \
  X(ACOSH, D, 1, T, T, T, MATH(weft_acosh, D)(a)) \
  X(ATANH, D, 1, T, T, T, MATH(weft_atanh, D)(a))

#define WEFT__HOST_UFUNCS_FAST(X, D, T) \
  X(LDEXP, D, 2, T, int32_t, T, OWN_FAST(weft_ldexp_int, D)(a, b, &rare), OWN(weft_ldexp, D)(a, b)) \
  X(EXP, D, 1, T, T, T, MATH_FAST(weft_exp, D)(a, &rare), MATH(weft_exp, D)(a)) \
  X(EXP2, D, 1, T, T, T, MATH_FAST(weft_exp2, D)(a, &rare), MATH(weft_exp2, D)(a)) \
  X(EXP10, D, 1, T, T, T, MATH_FAST(weft_exp10, D)(a, &rare), MATH(weft_exp10, D)(a)) \
  X(LOG, D, 1, T, T, T, MATH_FAST(weft_log, D)(a, &rare), MATH(weft_log, D)(a)) \
  X(LOG2, D, 1, T, T, T, MATH_FAST(weft_log2, D)(a, &rare), MATH(weft_log2, D)(a)) \
  X(LOG10, D, 1, T, T, T, MATH_FAST(weft_log10, D)(a, &rare), MATH(weft_log10, D)(a)) \
  X(POWR, D, 2, T, T, T, MATH_FAST(weft_powr, D)(a, b, &rare), MATH(weft_powr, D)(a, b)) \
  X(SIN, D, 1, T, T, T, MATH_FAST(weft_sin, D)(a, &rare), MATH(weft_sin, D)(a)) \
  X(COS, D, 1, T, T, T, MATH_FAST(weft_cos, D)(a, &rare), MATH(weft_cos, D)(a)) \
  X(TAN, D, 1, T, T, T, MATH_FAST(weft_tan, D)(a, &rare), MATH(weft_tan, D)(a)) \
  X(ATAN2, D, 2, T, T, T, MATH_FAST(weft_atan2, D)(a, b, &rare), MATH(weft_atan2, D)(a, b))

#define WEFT__HOST_UFUNCS_POWER(X, D, T) \
  X(POW, D, 2, T, T, T, MATH_FAST(weft_powr, D)(a, b, &rare), MATH_FAST(weft_pow, D)(a, b, &rare), MATH(weft_pow, D)(a, b))

#define WEFT__HOST_UFUNCS_MODULUS(X, D, T, R) \
  X(ABS, D, 1, T, T, R, MATH(weft_cabs, D)(a))

// clang-format on

#endif
