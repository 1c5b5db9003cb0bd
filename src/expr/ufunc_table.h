// SPDX-License-Identifier: MIT
/// The table of the built-in ufuncs. The functions (weft/ufuncs.h), kernels, documentation (docs/ufuncs.md) and tests
/// are made from it. src/expr/ufuncs.py writes include/weft/ufuncs.h and docs/ufuncs.md; a test fails if they are out
/// of date.
#ifndef WEFT_EXPR_UFUNC_TABLE_H
#define WEFT_EXPR_UFUNC_TABLE_H

/* X(ID, name, numpy, signature, types, flags, b, n, f, s, c, s_include, c_include, doc)

   name       the function is weft_NAME, and NAME in expressions. numpy: NumPy's name if it differs (also accepted in
              expressions), "" if it is equal, "-" if NumPy has no such function.
   signature  results:operands. T is the function's type, R the real type of a complex T, ? bool, i i32, B u8, K i32 or
              i64.
   types      the types T can be, tried in the order of promotion, in the letters of src/dtype/dtype.h: ? b B h H i I q
              Q (integers), e (narrow floats: f16 and bf16), f d (floats), F D (complex).
   flags      NO_BOOL: refuses bool, as NumPy does. DIVIDES: integers become f64. SPECIAL: they do, as in SciPy, and
              without fp64 what would be f64 is f32. EXACT: i64 and u64 are compared exactly. BITS: narrow floats have
              their own function, of the stored bits (cl/math/narrow.clh). FAST: on CPUs s or f has a form
              NAME_fast(a, rare), with two results NAME_fast(a, r, rare), without branches, which vectorizes; if it
              sets *rare, s itself must be called. FAST_GPU: on GPUs too, where branches cost; FAST_GPU_F64: there of
              f64 too. LONG: on GPUs real numbers take about as long to compute as to move, no
              loops. TRUTH: only the truth value of a C scalar or number counts. An integer scalar or number that T does
              not hold is refused, with two exceptions, as in NumPy: with WRAPS it wraps around; with BOUNDS b may be
              below the range of T and c above it, and such a bound has no effect.
   b n f s c  the OpenCL C text for bool, integers, floats (f; s for functions that are not the built-ins on CPUs) and
              complex numbers; "" if the function has no such type. Operands are a b c d; a second result is stored to
              *r. $T is the type, $U the unsigned type integers are computed in (they wrap), $ the type's suffix
              ("f32").
   s_include, c_include  the headers s and c need, s for f64 NAME_f64.clh instead of NAME.clh; without s, the header of
                         cl/math/ that f needs for its type. Otherwise n and f get cl/math/integer.clh and float.clh if
                         they call functions of Weft.
   doc        the line for the reference. */

#define WEFT__OP_NO_BOOL 1
#define WEFT__OP_DIVIDES 2
#define WEFT__OP_EXACT 4
#define WEFT__OP_BITS 8
#define WEFT__OP_FAST 16
#define WEFT__OP_FAST_GPU 32
#define WEFT__OP_TRUTH 64
#define WEFT__OP_WRAPS 128
#define WEFT__OP_BOUNDS 256
#define WEFT__OP_FAST_GPU_F64 512
#define WEFT__OP_LONG 1024
#define WEFT__OP_SPECIAL 2048

#define WEFT__UFUNCS(X)                                                                                    \
  WEFT__UFUNCS_ARITHMETIC(X) WEFT__UFUNCS_COMPARISON(X) WEFT__UFUNCS_BITS(X) WEFT__UFUNCS_CHOICE(X)        \
  WEFT__UFUNCS_FLOATS(X) WEFT__UFUNCS_ROUNDING(X) WEFT__UFUNCS_EXPONENTIAL(X) WEFT__UFUNCS_TRIGONOMETRY(X) \
  WEFT__UFUNCS_SPECIAL(X) WEFT__UFUNCS_COMPLEX(X)

// clang-format off
#define WEFT__UFUNCS_ARITHMETIC(X) \
  X(ADD, add, "", "T:TT", "?bBhHiIqQefdFD", 0, "a | b", "($U)a + ($U)b", "a + b", "", "weft_cadd_$(a, b)", "", "math/complex.clh", "a + b; bools: or") \
  X(SUBTRACT, subtract, "", "T:TT", "bBhHiIqQefdFD", WEFT__OP_NO_BOOL, "", "($U)a - ($U)b", "a - b", "", "weft_csub_$(a, b)", "", "math/complex.clh", "a - b") \
  X(MULTIPLY, multiply, "", "T:TT", "?bBhHiIqQefdFD", 0, "a & b", "($U)a * ($U)b", "a * b", "", "weft_cmul_$(a, b)", "", "math/complex.clh", "a * b; bools: and") \
  X(DIVIDE, divide, "true_divide", "T:TT", "efdFD", WEFT__OP_DIVIDES, "", "", "a / b", "", "weft_cdiv_$(a, b)", "", "math/complex.clh", "a / b; integers are computed in f64") \
  X(FLOOR_DIVIDE, floor_divide, "", "T:TT", "bBhHiIqQefd", WEFT__OP_FAST, "", "weft_floor_divide_$(a, b)", "weft_floor_divide_$(a, b)", "", "", "", "", "the largest integer not over a / b; integers: 0 for b = 0; the smallest integer by -1 gives itself") \
  X(REMAINDER, remainder, "", "T:TT", "bBhHiIqQefd", WEFT__OP_FAST, "", "weft_remainder_$(a, b)", "weft_remainder_$(a, b)", "", "", "", "", "a - floor_divide(a, b) * b, with the sign of b; integers: 0 for b = 0") \
  X(FMOD, fmod, "", "T:TT", "bBhHiIqQefd", 0, "", "weft_fmod_$(a, b)", "weft_fmod_$(a, b)", "", "", "", "", "C's remainder, with the sign of a; integers: 0 for b = 0") \
  X(DIVMOD, divmod, "", "TT:TT", "bBhHiIqQefd", WEFT__OP_FAST, "", "(*r = weft_remainder_$(a, b), weft_floor_divide_$(a, b))", "(*r = weft_remainder_$(a, b), weft_floor_divide_$(a, b))", "", "", "", "", "floor_divide and remainder") \
  X(POW, pow, "power", "T:TT", "bBhHiIqQefdFD", WEFT__OP_FAST | WEFT__OP_FAST_GPU | WEFT__OP_FAST_GPU_F64, "", "weft_power_$(a, b)", "", "weft_pow_$(a, b)", "weft_cpow_$(a, b)", "math/pow.clh", "math/complex_exp.clh", "a to the power of b; integers wrap around, and a negative power gives 0 except for a = 1 and -1") \
  X(NEGATIVE, negative, "", "T:T", "bBhHiIqQefdFD", WEFT__OP_NO_BOOL, "", "($U)0 - ($U)a", "-a", "", "weft_cneg_$(a)", "", "math/complex.clh", "-a") \
  X(POSITIVE, positive, "", "T:T", "bBhHiIqQefdFD", WEFT__OP_NO_BOOL, "", "a", "a", "", "a", "", "", "a copy of a") \
  X(ABS, abs, "absolute", "R:T", "?bBhHiIqQefdFD", 0, "a", "weft_abs_$(a)", "fabs(a)", "", "weft_cabs_$(a)", "", "math/complex.clh", "absolute value; complex: the modulus; the smallest integer gives itself") \
  X(FABS, fabs, "", "T:T", "efd", 0, "", "", "fabs(a)", "", "", "", "", "absolute value as a float") \
  X(SIGN, sign, "", "T:T", "bBhHiIqQefdFD", WEFT__OP_NO_BOOL, "", "weft_sign_$(a)", "weft_sign_$(a)", "", "weft_csign_$(a)", "", "math/complex.clh", "-1, 0 or 1; NaN for NaN; complex: a / abs(a)") \
  X(SQUARE, square, "", "T:T", "bBhHiIqQefdFD", 0, "", "($U)a * ($U)a", "a * a", "", "weft_csquare_$(a)", "", "math/complex.clh", "a * a") \
  X(RECIPROCAL, reciprocal, "", "T:T", "bBhHiIqQefdFD", 0, "", "weft_reciprocal_$(a)", "1 / a", "", "weft_creciprocal_$(a)", "", "math/complex.clh", "1 / a; integers: truncated, and 0 gives the smallest i32 or i64, else 0, as in NumPy") \
  X(FMA, fma, "-", "T:TTT", "efd", WEFT__OP_SPECIAL, "", "", "fma(a, b, c)", "", "", "", "", "a * b + c, rounded once") \
  X(MAD, mad, "-", "T:TTT", "efd", WEFT__OP_SPECIAL, "", "", "weft_mad_$(a, b, c)", "", "", "", "", "a * b + c, rounded once or twice, whichever the device does faster (OpenCL's mad)") \
  X(MUL_ADD, mul_add, "-", "T:TTTT", "bBhHiIqQefdFD", 0, "", "($U)a * ($U)b + ($U)c * ($U)d", "a * b + c * d", "", "weft_cadd_$(weft_cmul_$(a, b), weft_cmul_$(c, d))", "", "math/complex.clh", "a * b + c * d (PyCUDA's mul_add)") \
  X(GCD, gcd, "", "T:TT", "bBhHiIqQ", WEFT__OP_NO_BOOL, "", "weft_gcd_$(a, b)", "", "", "", "", "", "greatest common divisor of abs(a) and abs(b)") \
  X(LCM, lcm, "", "T:TT", "bBhHiIqQ", WEFT__OP_NO_BOOL, "", "weft_lcm_$(a, b)", "", "", "", "", "", "least common multiple of abs(a) and abs(b)")

#define WEFT__UFUNCS_COMPARISON(X) \
  X(EQUAL, equal, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_EXACT, "a == b", "a == b", "a == b", "", "weft_cequal_$(a, b)", "", "math/complex.clh", "a == b") \
  X(NOT_EQUAL, not_equal, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_EXACT, "a != b", "a != b", "a != b", "", "!weft_cequal_$(a, b)", "", "math/complex.clh", "a != b") \
  X(LESS, less, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_EXACT, "a < b", "a < b", "a < b", "", "weft_cless_$(a, b)", "", "math/complex.clh", "a < b; complex numbers by real, then imaginary part") \
  X(LESS_EQUAL, less_equal, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_EXACT, "a <= b", "a <= b", "a <= b", "", "weft_cless_equal_$(a, b)", "", "math/complex.clh", "a <= b") \
  X(GREATER, greater, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_EXACT, "a > b", "a > b", "a > b", "", "weft_cless_$(b, a)", "", "math/complex.clh", "a > b") \
  X(GREATER_EQUAL, greater_equal, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_EXACT, "a >= b", "a >= b", "a >= b", "", "weft_cless_equal_$(b, a)", "", "math/complex.clh", "a >= b") \
  X(LOGICAL_AND, logical_and, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_TRUTH, "a && b", "a && b", "a != 0 && b != 0", "", "weft_clogical_$(a) && weft_clogical_$(b)", "", "math/complex.clh", "true if both are not zero") \
  X(LOGICAL_OR, logical_or, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_TRUTH, "a || b", "a || b", "a != 0 || b != 0", "", "weft_clogical_$(a) || weft_clogical_$(b)", "", "math/complex.clh", "true if at least one is not zero") \
  X(LOGICAL_XOR, logical_xor, "", "?:TT", "?bBhHiIqQefdFD", WEFT__OP_TRUTH, "a != b", "(a != 0) != (b != 0)", "(a != 0) != (b != 0)", "", "weft_clogical_$(a) != weft_clogical_$(b)", "", "math/complex.clh", "true if exactly one is not zero") \
  X(LOGICAL_NOT, logical_not, "", "?:T", "?bBhHiIqQefdFD", 0, "!a", "a == 0", "a == 0", "", "!weft_clogical_$(a)", "", "math/complex.clh", "true if a is zero")

#define WEFT__UFUNCS_BITS(X) \
  X(BITWISE_AND, bitwise_and, "", "T:TT", "?bBhHiIqQ", 0, "a & b", "a & b", "", "", "", "", "", "a & b") \
  X(BITWISE_OR, bitwise_or, "", "T:TT", "?bBhHiIqQ", 0, "a | b", "a | b", "", "", "", "", "", "a | b") \
  X(BITWISE_XOR, bitwise_xor, "", "T:TT", "?bBhHiIqQ", 0, "a ^ b", "a ^ b", "", "", "", "", "", "a ^ b") \
  X(INVERT, invert, "bitwise_not", "T:T", "?bBhHiIqQ", 0, "!a", "~a", "", "", "", "", "", "~a; bools: not") \
  X(LEFT_SHIFT, left_shift, "bitwise_left_shift", "T:TT", "bBhHiIqQ", 0, "", "weft_left_shift_$(a, b)", "", "", "", "", "", "a << b; 0 if b is negative or at least the number of bits") \
  X(RIGHT_SHIFT, right_shift, "bitwise_right_shift", "T:TT", "bBhHiIqQ", 0, "", "weft_right_shift_$(a, b)", "", "", "", "", "", "a >> b, which keeps the sign; 0 or -1 if b is negative or at least the number of bits") \
  X(BITWISE_COUNT, bitwise_count, "", "B:T", "bBhHiIqQ", 0, "", "weft_bitwise_count_$(a)", "", "", "", "", "", "number of one bits in abs(a)")

#define WEFT__UFUNCS_CHOICE(X) \
  X(WHERE, where, "", "T:?TT", "?bBhHiIqQefdFD", WEFT__OP_WRAPS, "a ? b : c", "a ? b : c", "a ? b : c", "", "a ? b : c", "", "", "b where a is not zero, else c; C integers outside the dtype's range wrap around, as in NumPy") \
  X(CLIP, clip, "", "T:TTT", "?bBhHiIqQefdFD", WEFT__OP_BOUNDS, "min(max(a, b), c)", "weft_clip_$(a, b, c)", "weft_clip_$(a, b, c)", "", "weft_cclip_$(a, b, c)", "", "math/complex.clh", "minimum(maximum(a, b), c)") \
  X(MAXIMUM, maximum, "", "T:TT", "?bBhHiIqQefdFD", 0, "a | b", "max(a, b)", "weft_maximum_$(a, b)", "", "weft_cmaximum_$(a, b)", "", "math/complex.clh", "the greater of a and b; NaN if one is NaN") \
  X(MINIMUM, minimum, "", "T:TT", "?bBhHiIqQefdFD", 0, "a & b", "min(a, b)", "weft_minimum_$(a, b)", "", "weft_cminimum_$(a, b)", "", "math/complex.clh", "the smaller of a and b; NaN if one is NaN") \
  X(FMAX, fmax, "", "T:TT", "?bBhHiIqQefdFD", 0, "a | b", "max(a, b)", "weft_fmax_$(a, b)", "", "weft_cfmax_$(a, b)", "", "math/complex.clh", "the greater of a and b; if one is NaN, the other one") \
  X(FMIN, fmin, "", "T:TT", "?bBhHiIqQefdFD", 0, "a & b", "min(a, b)", "weft_fmin_$(a, b)", "", "weft_cfmin_$(a, b)", "", "math/complex.clh", "the smaller of a and b; if one is NaN, the other one") \
  X(MAXMAG, maxmag, "-", "T:TT", "efd", 0, "", "", "maxmag(a, b)", "", "", "", "", "a or b, the one with the greater absolute value") \
  X(MINMAG, minmag, "-", "T:TT", "efd", 0, "", "", "minmag(a, b)", "", "", "", "", "a or b, the one with the smaller absolute value") \
  X(FDIM, fdim, "-", "T:TT", "efd", 0, "", "", "fdim(a, b)", "", "", "", "", "a - b if a > b, else 0") \
  X(HEAVISIDE, heaviside, "", "T:TT", "efd", 0, "", "", "weft_heaviside_$(a, b)", "", "", "", "", "0 for negative a, b for a = 0, 1 for positive a")

#define WEFT__UFUNCS_FLOATS(X) \
  X(ISNAN, isnan, "", "?:T", "?bBhHiIqQefdFD", 0, "0", "0", "isnan(a)", "", "weft_cisnan_$(a)", "", "math/complex.clh", "true if a is NaN") \
  X(ISINF, isinf, "", "?:T", "?bBhHiIqQefdFD", 0, "0", "0", "isinf(a)", "", "weft_cisinf_$(a)", "", "math/complex.clh", "true if a is infinity or -infinity") \
  X(ISPOSINF, isposinf, "", "?:T", "?bBhHiIqQefd", 0, "0", "0", "a == INFINITY", "", "", "", "", "true if a is infinity") \
  X(ISNEGINF, isneginf, "", "?:T", "?bBhHiIqQefd", 0, "0", "0", "a == -INFINITY", "", "", "", "", "true if a is -infinity") \
  X(ISFINITE, isfinite, "", "?:T", "?bBhHiIqQefdFD", 0, "1", "1", "isfinite(a)", "", "weft_cisfinite_$(a)", "", "math/complex.clh", "true if a is neither infinite nor NaN") \
  X(ISNORMAL, isnormal, "-", "?:T", "fd", 0, "", "", "isnormal(a)", "", "", "", "", "true if a is neither zero, denormal, infinite nor NaN") \
  X(SIGNBIT, signbit, "", "?:T", "efd", 0, "", "", "signbit(a) != 0", "", "", "", "", "true if the sign bit of a is set, as for negative numbers and -0") \
  X(COPYSIGN, copysign, "", "T:TT", "efd", 0, "", "", "copysign(a, b)", "", "", "", "", "a with the sign of b") \
  X(NEXTAFTER, nextafter, "", "T:TT", "efd", WEFT__OP_BITS, "", "", "nextafter(a, b)", "", "", "", "", "the next number after a towards b") \
  X(SPACING, spacing, "", "T:T", "efd", WEFT__OP_BITS, "", "", "weft_spacing_$(a)", "", "", "", "", "the distance from a to the next number away from 0") \
  X(LDEXP, ldexp, "", "T:TK", "efd", WEFT__OP_FAST, "", "", "weft_ldexp_long_$(a, b)", "", "", "", "", "a * 2^b, rounded once") \
  X(FREXP, frexp, "", "Ti:T", "efd", 0, "", "", "weft_frexp_$(a, r)", "", "", "", "", "fraction of absolute value from 1/2 to under 1, and power of 2") \
  X(MODF, modf, "", "TT:T", "efd", 0, "", "", "weft_modf_$(a, r)", "", "", "", "", "fractional and integral part, both with the sign of a") \
  X(FRACT, fract, "-", "TT:T", "fd", 0, "", "", "fract(a, r)", "", "", "", "", "a - floor(a), which is under 1, and floor(a)") \
  X(ILOGB, ilogb, "-", "i:T", "fd", 0, "", "", "ilogb(a)", "", "", "", "", "the binary exponent as an integer") \
  X(LOGB, logb, "-", "T:T", "fd", 0, "", "", "logb(a)", "", "", "", "", "the binary exponent as a float")

#define WEFT__UFUNCS_ROUNDING(X) \
  X(FLOOR, floor, "", "T:T", "?bBhHiIqQefd", 0, "a", "a", "floor(a)", "", "", "", "", "the largest integer not over a") \
  X(CEIL, ceil, "", "T:T", "?bBhHiIqQefd", 0, "a", "a", "ceil(a)", "", "", "", "", "the smallest integer not under a") \
  X(TRUNC, trunc, "", "T:T", "?bBhHiIqQefd", 0, "a", "a", "trunc(a)", "", "", "", "", "rounded towards 0") \
  X(RINT, rint, "", "T:T", "efdFD", 0, "", "", "weft_rint_$(a)", "", "weft_crint_$(a)", "", "math/complex.clh", "the nearest integer; of two equally near ones the even one") \
  X(ROUND, round, "-", "T:T", "efd", 0, "", "", "round(a)", "", "", "", "", "the nearest integer; of two equally near ones the one farther from 0 (C's round; NumPy's is rint)")

#define WEFT__UFUNCS_EXPONENTIAL(X) \
  X(SQRT, sqrt, "", "T:T", "efdFD", 0, "", "", "sqrt(a)", "", "weft_csqrt_$(a)", "", "math/complex_exp.clh", "square root; correctly rounded if the device supports it") \
  X(RSQRT, rsqrt, "-", "T:T", "efd", 0, "", "", "rsqrt(a)", "", "", "", "", "1 / sqrt(a)") \
  X(CBRT, cbrt, "", "T:T", "efd", 0, "", "", "", "weft_cbrt_$(a)", "", "math/root.clh", "", "cube root") \
  X(HYPOT, hypot, "", "T:TT", "efd", 0, "", "", "", "weft_hypot_$(a, b)", "", "math/root.clh", "", "sqrt(a^2 + b^2) without overflow") \
  X(EXP, exp, "", "T:T", "efdFD", WEFT__OP_FAST, "", "", "", "weft_exp_$(a)", "weft_cexp_$(a)", "math/exp.clh", "math/complex_exp.clh", "e^a") \
  X(EXP2, exp2, "", "T:T", "efdFD", WEFT__OP_FAST, "", "", "", "weft_exp2_$(a)", "weft_cexp2_$(a)", "math/exp.clh", "math/complex_exp.clh", "2^a") \
  X(EXP10, exp10, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_FAST, "", "", "", "weft_exp10_$(a)", "", "math/exp.clh", "", "10^a") \
  X(EXPM1, expm1, "", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_expm1_$(a)", "weft_cexpm1_$(a)", "math/exp.clh", "math/complex_exp.clh", "e^a - 1") \
  X(LOG, log, "", "T:T", "efdFD", WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_log_$(a)", "weft_clog_$(a)", "math/log.clh", "math/complex_exp.clh", "natural logarithm") \
  X(LOG2, log2, "", "T:T", "efdFD", WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_log2_$(a)", "weft_clog2_$(a)", "math/log.clh", "math/complex_exp.clh", "logarithm to the base 2") \
  X(LOG10, log10, "", "T:T", "efdFD", WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_log10_$(a)", "weft_clog10_$(a)", "math/log.clh", "math/complex_exp.clh", "logarithm to the base 10") \
  X(LOG1P, log1p, "", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_log1p_$(a)", "weft_clog1p_$(a)", "math/log.clh", "math/complex_exp.clh", "log(1 + a)") \
  X(LOGADDEXP, logaddexp, "", "T:TT", "efd", 0, "", "", "weft_logaddexp_$(a, b)", "", "", "math/logistic.clh", "", "log(exp(a) + exp(b))") \
  X(LOGADDEXP2, logaddexp2, "", "T:TT", "efd", 0, "", "", "weft_logaddexp2_$(a, b)", "", "", "math/logistic.clh", "", "log2(2^a + 2^b)") \
  X(POWR, powr, "-", "T:TT", "efd", WEFT__OP_SPECIAL | WEFT__OP_FAST, "", "", "", "weft_powr_$(a, b)", "", "math/pow.clh", "", "a^b for a >= 0 (OpenCL's powr)") \
  X(POWN, pown, "-", "T:Ti", "efd", WEFT__OP_SPECIAL | WEFT__OP_FAST | WEFT__OP_FAST_GPU | WEFT__OP_FAST_GPU_F64, "", "", "", "weft_pown_$(a, b)", "", "math/pow.clh", "", "a^b for an integer b") \
  X(ROOTN, rootn, "-", "T:Ti", "efd", WEFT__OP_SPECIAL, "", "", "rootn(a, b)", "", "", "", "", "the b-th root of a, for an integer b")

#define WEFT__UFUNCS_TRIGONOMETRY(X) \
  X(SIN, sin, "", "T:T", "efdFD", WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_sin_$(a)", "weft_csin_$(a)", "math/trig.clh", "math/complex_trig.clh", "sine of an angle in radians") \
  X(COS, cos, "", "T:T", "efdFD", WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_cos_$(a)", "weft_ccos_$(a)", "math/trig.clh", "math/complex_trig.clh", "cosine of an angle in radians") \
  X(TAN, tan, "", "T:T", "efdFD", WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_tan_$(a)", "weft_ctan_$(a)", "math/trig.clh", "math/complex_trig.clh", "tangent of an angle in radians") \
  X(SINCOS, sincos, "-", "TT:T", "efd", WEFT__OP_FAST, "", "", "", "weft_sincos_$(a, r)", "", "math/trig.clh", "", "sine and cosine") \
  X(ASIN, asin, "arcsin", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_asin_$(a)", "weft_casin_$(a)", "math/atan.clh", "math/complex_trig.clh", "inverse sine, -pi/2 to pi/2") \
  X(ACOS, acos, "arccos", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_acos_$(a)", "weft_cacos_$(a)", "math/atan.clh", "math/complex_trig.clh", "inverse cosine, 0 to pi") \
  X(ATAN, atan, "arctan", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_atan_$(a)", "weft_catan_$(a)", "math/atan.clh", "math/complex_trig.clh", "inverse tangent, -pi/2 to pi/2") \
  X(ATAN2, atan2, "arctan2", "T:TT", "efd", WEFT__OP_FAST, "", "", "", "weft_atan2_$(a, b)", "", "math/atan.clh", "", "angle of the point (b, a), -pi to pi") \
  X(SINPI, sinpi, "-", "T:T", "efd", WEFT__OP_LONG, "", "", "sinpi(a)", "", "", "", "", "sin(pi * a)") \
  X(COSPI, cospi, "-", "T:T", "efd", WEFT__OP_LONG, "", "", "cospi(a)", "", "", "", "", "cos(pi * a)") \
  X(TANPI, tanpi, "-", "T:T", "efd", WEFT__OP_LONG, "", "", "tanpi(a)", "", "", "", "", "tan(pi * a)") \
  X(ASINPI, asinpi, "-", "T:T", "efd", WEFT__OP_LONG, "", "", "asinpi(a)", "", "", "", "", "asin(a) / pi") \
  X(ACOSPI, acospi, "-", "T:T", "efd", WEFT__OP_LONG, "", "", "acospi(a)", "", "", "", "", "acos(a) / pi") \
  X(ATANPI, atanpi, "-", "T:T", "efd", WEFT__OP_LONG, "", "", "copysign(atanpi(a), a)", "", "", "", "", "atan(a) / pi") \
  X(ATAN2PI, atan2pi, "-", "T:TT", "efd", 0, "", "", "atan2pi(a, b)", "", "", "", "", "atan2(a, b) / pi") \
  X(SINH, sinh, "", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_sinh_$(a)", "weft_csinh_$(a)", "math/hyperbolic.clh", "math/complex_trig.clh", "hyperbolic sine") \
  X(COSH, cosh, "", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_cosh_$(a)", "weft_ccosh_$(a)", "math/hyperbolic.clh", "math/complex_trig.clh", "hyperbolic cosine") \
  X(TANH, tanh, "", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_tanh_$(a)", "weft_ctanh_$(a)", "math/hyperbolic.clh", "math/complex_trig.clh", "hyperbolic tangent") \
  X(ASINH, asinh, "arcsinh", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_asinh_$(a)", "weft_casinh_$(a)", "math/hyperbolic.clh", "math/complex_trig.clh", "inverse hyperbolic sine") \
  X(ACOSH, acosh, "arccosh", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_acosh_$(a)", "weft_cacosh_$(a)", "math/hyperbolic.clh", "math/complex_trig.clh", "inverse hyperbolic cosine") \
  X(ATANH, atanh, "arctanh", "T:T", "efdFD", WEFT__OP_LONG, "", "", "", "weft_atanh_$(a)", "weft_catanh_$(a)", "math/hyperbolic.clh", "math/complex_trig.clh", "inverse hyperbolic tangent") \
  X(DEGREES, degrees, "rad2deg", "T:T", "efd", 0, "", "", "weft_rad2deg_$(a)", "", "", "", "", "radians to degrees") \
  X(RADIANS, radians, "deg2rad", "T:T", "efd", 0, "", "", "weft_deg2rad_$(a)", "", "", "", "", "degrees to radians") \
  X(SINC, sinc, "", "T:T", "efdFD", WEFT__OP_DIVIDES | WEFT__OP_FAST | WEFT__OP_FAST_GPU, "", "", "", "weft_sinc_$(a)", "weft_csinc_$(a)", "math/trig.clh", "math/complex_trig.clh", "sin(pi * a) / (pi * a), 1 at 0; integers are computed in f64")

#define WEFT__UFUNCS_SPECIAL(X) \
  X(ERF, erf, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "", "weft_erf_$(a)", "", "math/erf.clh", "", "error function") \
  X(ERFC, erfc, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "", "weft_erfc_$(a)", "", "math/erfc.clh", "", "1 - erf(a)") \
  X(TGAMMA, tgamma, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_tgamma_$(a)", "", "math/tgamma.clh", "", "gamma function") \
  X(LGAMMA, lgamma, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_FAST | WEFT__OP_FAST_GPU | WEFT__OP_LONG, "", "", "", "weft_lgamma_$(a)", "", "math/gamma.clh", "", "logarithm of the gamma function's absolute value") \
  X(LGAMMA_R, lgamma_r, "-", "Ti:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_FAST | WEFT__OP_LONG, "", "", "", "weft_lgamma_r_$(a, r)", "", "math/gamma.clh", "", "lgamma, and the sign of the gamma function") \
  X(NDTR, ndtr, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_ndtr_$(a)", "", "", "math/logistic.clh", "", "the standard normal distribution: the probability of a number below a") \
  X(EXPIT, expit, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_expit_$(a)", "", "", "math/logistic.clh", "", "the logistic function (sigmoid), 1 / (1 + exp(-a))") \
  X(LOGIT, logit, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_logit_$(a)", "", "", "math/logistic.clh", "", "log(a / (1 - a)), the inverse of expit; NaN outside 0 to 1") \
  X(SOFTPLUS, softplus, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_softplus_$(a)", "", "", "math/logistic.clh", "", "log(1 + exp(a)) without overflow") \
  X(SILU, silu, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_silu_$(a)", "", "", "math/logistic.clh", "", "a * expit(a) (swish); -0 for -infinity, the limit") \
  X(GELU, gelu, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_gelu_$(a)", "", "", "math/logistic.clh", "", "a * ndtr(a), not its approximation by tanh; -0 for -infinity, the limit") \
  X(XLOGY, xlogy, "-", "T:TT", "efd", WEFT__OP_SPECIAL, "", "", "weft_xlogy_$(a, b)", "", "", "math/logistic.clh", "", "a * log(b); 0 for a = 0, unless b is NaN") \
  X(ERFINV, erfinv, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_erfinv_$(a)", "", "", "math/special.clh", "", "the inverse of erf; NaN outside -1 to 1") \
  X(ERFCINV, erfcinv, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_erfcinv_$(a)", "", "", "math/special.clh", "", "the inverse of erfc; NaN outside 0 to 2") \
  X(NDTRI, ndtri, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_ndtri_$(a)", "", "", "math/special.clh", "", "the inverse of ndtr: the normal distribution's quantile; NaN outside 0 to 1") \
  X(DIGAMMA, digamma, "-", "T:T", "efd", WEFT__OP_SPECIAL, "", "", "weft_digamma_$(a)", "", "", "math/special.clh", "", "the derivative of log gamma (psi); NaN at negative integers") \
  X(I0, i0, "", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_i0_$(a)", "", "", "math/special.clh", "", "modified Bessel function of the first kind, order 0") \
  X(I0E, i0e, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_i0e_$(a)", "", "", "math/special.clh", "", "i0(a) * exp(-abs(a)), which does not overflow") \
  X(I1, i1, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_i1_$(a)", "", "", "math/special.clh", "", "modified Bessel function of the first kind, order 1") \
  X(I1E, i1e, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_i1e_$(a)", "", "", "math/special.clh", "", "i1(a) * exp(-abs(a)), which does not overflow") \
  X(K0, k0, "-", "T:T", "efd", WEFT__OP_SPECIAL, "", "", "weft_k0_$(a)", "", "", "math/special.clh", "", "modified Bessel function of the second kind, order 0; NaN below 0") \
  X(K1, k1, "-", "T:T", "efd", WEFT__OP_SPECIAL, "", "", "weft_k1_$(a)", "", "", "math/special.clh", "", "modified Bessel function of the second kind, order 1; NaN below 0") \
  X(J0, j0, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_j0_$(a)", "", "", "math/bessel.clh", "", "Bessel function of the first kind, order 0") \
  X(J1, j1, "-", "T:T", "efd", WEFT__OP_SPECIAL | WEFT__OP_LONG, "", "", "weft_j1_$(a)", "", "", "math/bessel.clh", "", "Bessel function of the first kind, order 1") \
  X(JN, jn, "-", "T:iT", "efd", WEFT__OP_SPECIAL, "", "", "weft_jn_$(a, b)", "", "", "math/bessel.clh", "", "Bessel function of the first kind of b, integer order a; NaN for orders over 16384, unless it is 0 or b > a^2 / 2") \
  X(Y0, y0, "-", "T:T", "efd", WEFT__OP_SPECIAL, "", "", "weft_y0_$(a)", "", "", "math/bessel.clh", "", "Bessel function of the second kind, order 0; NaN below 0") \
  X(Y1, y1, "-", "T:T", "efd", WEFT__OP_SPECIAL, "", "", "weft_y1_$(a)", "", "", "math/bessel.clh", "", "Bessel function of the second kind, order 1; NaN below 0") \
  X(GAMMAINC, gammainc, "-", "T:TT", "efd", WEFT__OP_SPECIAL, "", "", "weft_gammainc_$(a, b)", "", "", "math/incomplete.clh", "", "regularized lower incomplete gamma function P(a, b); NaN for negative arguments") \
  X(GAMMAINCC, gammaincc, "-", "T:TT", "efd", WEFT__OP_SPECIAL, "", "", "weft_gammaincc_$(a, b)", "", "", "math/incomplete.clh", "", "1 - gammainc(a, b), the upper one, with the digits of small results") \
  X(BETA_FUNCTION, beta_function, "-", "T:TT", "efd", WEFT__OP_SPECIAL, "", "", "weft_beta_$(a, b)", "", "", "math/incomplete.clh", "", "beta function, gamma(a) gamma(b) / gamma(a + b); infinity at its poles") \
  X(BETALN, betaln, "-", "T:TT", "efd", WEFT__OP_SPECIAL, "", "", "weft_betaln_$(a, b)", "", "", "math/incomplete.clh", "", "logarithm of the beta function's absolute value") \
  X(ZETA, zeta, "-", "T:TT", "efd", WEFT__OP_SPECIAL, "", "", "weft_zeta_$(a, b)", "", "", "math/incomplete.clh", "", "Hurwitz's zeta function, the sum of (b + k)^-a over k >= 0; NaN for a < 1, and for b < 0 unless a is whole") \
  X(IEEE_REMAINDER, ieee_remainder, "-", "T:TT", "efd", 0, "", "", "remainder(a, b)", "", "", "", "", "a - b * (the integer nearest to a / b): IEEE 754's and OpenCL's remainder") \
  X(REMQUO, remquo, "-", "Ti:TT", "efd", 0, "", "", "weft_remquo_$(a, b, r)", "", "", "", "", "ieee_remainder, and the low seven bits of the quotient with its sign on every device; 0 if the remainder is NaN")

#define WEFT__UFUNCS_COMPLEX(X) \
  X(CONJ, conj, "conjugate", "T:T", "bBhHiIqQefdFD", 0, "", "a", "a", "", "weft_cconj_$(a)", "", "math/complex.clh", "complex conjugate") \
  X(REAL, real, "-", "R:T", "?bBhHiIqQefdFD", 0, "a", "a", "a", "", "a.re", "", "", "real part") \
  X(IMAG, imag, "-", "R:T", "?bBhHiIqQefdFD", 0, "0", "0", "0", "", "a.im", "", "", "imaginary part; 0 for real numbers") \
  X(ANGLE, angle, "-", "R:T", "efdFD", 0, "", "", "", "weft_atan2_$(($T)0, a)", "weft_cangle_$(a)", "math/atan.clh", "math/complex_angle.clh", "angle in the complex plane, -pi to pi")
// clang-format on

#endif
