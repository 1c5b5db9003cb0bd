// SPDX-License-Identifier: MIT
/// Rows of `weft bench wide`: functions over elements.
#include "cli/bench/bench_wide.h"

// clang-format off
#define ROWS(X) \
  X(add, weft_add(&w->y, w->g, w->b)) \
  X(subtract, weft_subtract(&w->y, w->g, w->b)) \
  X(multiply, weft_multiply(&w->y, w->g, w->b)) \
  X(divide, weft_divide(&w->y, w->g, w->b)) \
  X(floor_divide, weft_floor_divide(&w->y, w->g, w->b)) \
  X(remainder, weft_remainder(&w->y, w->g, w->b)) \
  X(fmod, weft_fmod(&w->y, w->g, w->b)) \
  X(pow, weft_pow(&w->y, w->g, w->b)) \
  X(divmod, weft_divmod(&w->y, &w->y2, w->g, w->b)) \
  X(negative, weft_negative(&w->y, w->x)) \
  X(positive, weft_positive(&w->y, w->x)) \
  X(abs, weft_abs(&w->y, w->x)) \
  X(fabs, weft_fabs(&w->y, w->x)) \
  X(sign, weft_sign(&w->y, w->x)) \
  X(square, weft_square(&w->y, w->x)) \
  X(reciprocal, weft_reciprocal(&w->y, w->g)) \
  X(fma, weft_fma(&w->y, w->a, w->b, w->x)) \
  X(mad, weft_mad(&w->y, w->a, w->b, w->x)) \
  X(mul_add, weft_mul_add(&w->y, w->a, w->b, w->x, w->g)) \
  X(gcd, weft_gcd(&w->y, w->i32, w->k32)) \
  X(lcm, weft_lcm(&w->y, w->i32, w->k32)) \
  X(add_scalar, weft_add(&w->y, w->a, 2.0f)) \
  X(add_1000, weft_add(&w->y, w->small, w->small)) \
  X(add_row, weft_add(&w->y, w->m2, w->row)) \
  X(add_column, weft_add(&w->y, w->m2, w->column)) \
  X(add_turned, weft_add(&w->y, w->beside_turned, w->turned)) \
  X(add_u8, weft_add(&w->y, w->u8, w->u8)) \
  X(add_i64, weft_add(&w->y, w->i64, w->k64)) \
  X(add_f16, weft_add(&w->y, w->h, w->h)) \
  X(add_f64, weft_add(&w->y, w->d, w->e)) \
  X(multiply_scalar, weft_multiply(&w->y, w->a, 2.0f)) \
  X(multiply_c64, weft_multiply(&w->y, w->c, w->c)) \
  X(divide_c64, weft_divide(&w->y, w->c, w->c)) \
  X(floor_divide_i32, weft_floor_divide(&w->y, w->i32, 7)) \
  X(remainder_i64, weft_remainder(&w->y, w->i64, w->k64)) \
  X(pow_scalar, weft_pow(&w->y, w->g, 2.5f)) \
  X(pow_f64, weft_pow(&w->y, w->d, w->e)) \
  X(abs_c64, weft_abs(&w->y, w->c)) \
  X(equal, weft_equal(&w->y, w->a, w->b)) \
  X(not_equal, weft_not_equal(&w->y, w->a, w->b)) \
  X(less, weft_less(&w->y, w->a, w->b)) \
  X(less_equal, weft_less_equal(&w->y, w->a, w->b)) \
  X(greater, weft_greater(&w->y, w->a, w->b)) \
  X(greater_equal, weft_greater_equal(&w->y, w->a, w->b)) \
  X(logical_and, weft_logical_and(&w->y, w->mask, w->rare)) \
  X(logical_or, weft_logical_or(&w->y, w->mask, w->rare)) \
  X(logical_xor, weft_logical_xor(&w->y, w->mask, w->rare)) \
  X(logical_not, weft_logical_not(&w->y, w->mask)) \
  X(bitwise_and, weft_bitwise_and(&w->y, w->i32, w->k32)) \
  X(bitwise_or, weft_bitwise_or(&w->y, w->i32, w->k32)) \
  X(bitwise_xor, weft_bitwise_xor(&w->y, w->i32, w->k32)) \
  X(invert, weft_invert(&w->y, w->i32)) \
  X(bitwise_count, weft_bitwise_count(&w->y, w->i32)) \
  X(left_shift, weft_left_shift(&w->y, w->i32, w->bits)) \
  X(right_shift, weft_right_shift(&w->y, w->i32, w->bits)) \
  X(where, weft_where(&w->y, w->mask, w->a, w->b)) \
  X(clip, weft_clip(&w->y, w->a, 0.25f, 0.75f)) \
  X(maximum, weft_maximum(&w->y, w->x, w->b)) \
  X(minimum, weft_minimum(&w->y, w->x, w->b)) \
  X(fmax, weft_fmax(&w->y, w->x, w->b)) \
  X(fmin, weft_fmin(&w->y, w->x, w->b)) \
  X(maxmag, weft_maxmag(&w->y, w->x, w->b)) \
  X(minmag, weft_minmag(&w->y, w->x, w->b)) \
  X(fdim, weft_fdim(&w->y, w->x, w->b)) \
  X(heaviside, weft_heaviside(&w->y, w->x, w->b)) \
  X(isnan, weft_isnan(&w->y, w->x)) \
  X(isinf, weft_isinf(&w->y, w->x)) \
  X(isposinf, weft_isposinf(&w->y, w->x)) \
  X(isneginf, weft_isneginf(&w->y, w->x)) \
  X(isfinite, weft_isfinite(&w->y, w->x)) \
  X(isnormal, weft_isnormal(&w->y, w->x)) \
  X(signbit, weft_signbit(&w->y, w->x)) \
  X(spacing, weft_spacing(&w->y, w->x)) \
  X(copysign, weft_copysign(&w->y, w->a, w->x)) \
  X(nextafter, weft_nextafter(&w->y, w->a, w->x)) \
  X(ldexp, weft_ldexp(&w->y, w->x, w->bits)) \
  X(frexp, weft_frexp(&w->y, &w->y2, w->x)) \
  X(modf, weft_modf(&w->y, &w->y2, w->x)) \
  X(fract, weft_fract(&w->y, &w->y2, w->x)) \
  X(ilogb, weft_ilogb(&w->y, w->x)) \
  X(logb, weft_logb(&w->y, w->x)) \
  X(floor, weft_floor(&w->y, w->x)) \
  X(ceil, weft_ceil(&w->y, w->x)) \
  X(trunc, weft_trunc(&w->y, w->x)) \
  X(rint, weft_rint(&w->y, w->x)) \
  X(round, weft_round(&w->y, w->x)) \
  X(sqrt, weft_sqrt(&w->y, w->g)) \
  X(rsqrt, weft_rsqrt(&w->y, w->g)) \
  X(cbrt, weft_cbrt(&w->y, w->g)) \
  X(hypot, weft_hypot(&w->y, w->a, w->b)) \
  X(exp, weft_exp(&w->y, w->x)) \
  X(exp2, weft_exp2(&w->y, w->x)) \
  X(exp10, weft_exp10(&w->y, w->x)) \
  X(expm1, weft_expm1(&w->y, w->x)) \
  X(log, weft_log(&w->y, w->g)) \
  X(log2, weft_log2(&w->y, w->g)) \
  X(log10, weft_log10(&w->y, w->g)) \
  X(log1p, weft_log1p(&w->y, w->g)) \
  X(exp_f64, weft_exp(&w->y, w->d)) \
  X(log_f64, weft_log(&w->y, w->d)) \
  X(exp_c64, weft_exp(&w->y, w->c)) \
  X(logaddexp, weft_logaddexp(&w->y, w->x, w->b)) \
  X(logaddexp2, weft_logaddexp2(&w->y, w->x, w->b)) \
  X(powr, weft_powr(&w->y, w->g, w->x)) \
  X(pown, weft_pown(&w->y, w->g, w->k32)) \
  X(rootn, weft_rootn(&w->y, w->g, w->k32)) \
  X(sin, weft_sin(&w->y, w->x)) \
  X(cos, weft_cos(&w->y, w->x)) \
  X(tan, weft_tan(&w->y, w->x)) \
  X(sincos, weft_sincos(&w->y, &w->y2, w->x)) \
  X(asin, weft_asin(&w->y, w->a)) \
  X(acos, weft_acos(&w->y, w->a)) \
  X(atan, weft_atan(&w->y, w->a)) \
  X(atan2, weft_atan2(&w->y, w->x, w->b)) \
  X(sinpi, weft_sinpi(&w->y, w->x)) \
  X(cospi, weft_cospi(&w->y, w->x)) \
  X(tanpi, weft_tanpi(&w->y, w->x)) \
  X(asinpi, weft_asinpi(&w->y, w->a)) \
  X(acospi, weft_acospi(&w->y, w->a)) \
  X(atanpi, weft_atanpi(&w->y, w->a)) \
  X(atan2pi, weft_atan2pi(&w->y, w->x, w->b)) \
  X(sin_f64, weft_sin(&w->y, w->d)) \
  X(tanh_f64, weft_tanh(&w->y, w->d)) \
  X(sinh, weft_sinh(&w->y, w->x)) \
  X(cosh, weft_cosh(&w->y, w->x)) \
  X(tanh, weft_tanh(&w->y, w->x)) \
  X(asinh, weft_asinh(&w->y, w->x)) \
  X(acosh, weft_acosh(&w->y, w->g)) \
  X(atanh, weft_atanh(&w->y, w->a)) \
  X(degrees, weft_degrees(&w->y, w->x)) \
  X(radians, weft_radians(&w->y, w->x)) \
  X(sinc, weft_sinc(&w->y, w->x)) \
  X(erf, weft_erf(&w->y, w->x)) \
  X(erfc, weft_erfc(&w->y, w->x)) \
  X(tgamma, weft_tgamma(&w->y, w->g)) \
  X(lgamma, weft_lgamma(&w->y, w->g)) \
  X(lgamma_r, weft_lgamma_r(&w->y, &w->y2, w->g)) \
  X(ndtr, weft_ndtr(&w->y, w->x)) \
  X(expit, weft_expit(&w->y, w->x)) \
  X(logit, weft_logit(&w->y, w->a)) \
  X(softplus, weft_softplus(&w->y, w->x)) \
  X(silu, weft_silu(&w->y, w->x)) \
  X(gelu, weft_gelu(&w->y, w->x)) \
  X(xlogy, weft_xlogy(&w->y, w->a, w->g)) \
  X(erfinv, weft_erfinv(&w->y, w->a)) \
  X(erfcinv, weft_erfcinv(&w->y, w->a)) \
  X(ndtri, weft_ndtri(&w->y, w->a)) \
  X(digamma, weft_digamma(&w->y, w->g)) \
  X(i0, weft_i0(&w->y, w->g)) \
  X(i0e, weft_i0e(&w->y, w->g)) \
  X(i1, weft_i1(&w->y, w->g)) \
  X(i1e, weft_i1e(&w->y, w->g)) \
  X(k0, weft_k0(&w->y, w->g)) \
  X(k1, weft_k1(&w->y, w->g)) \
  X(j0, weft_j0(&w->y, w->g)) \
  X(j1, weft_j1(&w->y, w->g)) \
  X(jn, weft_jn(&w->y, w->bits, w->g)) \
  X(y0, weft_y0(&w->y, w->g)) \
  X(y1, weft_y1(&w->y, w->g)) \
  X(gammainc, weft_gammainc(&w->y, w->g, w->a)) \
  X(gammaincc, weft_gammaincc(&w->y, w->g, w->a)) \
  X(beta_function, weft_beta_function(&w->y, w->g, w->a)) \
  X(betaln, weft_betaln(&w->y, w->g, w->a)) \
  X(zeta, weft_zeta(&w->y, w->g, w->g)) \
  X(ieee_remainder, weft_ieee_remainder(&w->y, w->x, w->g)) \
  X(remquo, weft_remquo(&w->y, &w->y2, w->x, w->g)) \
  X(conj, weft_conj(&w->y, w->c)) \
  X(real, weft_real(&w->y, w->c)) \
  X(imag, weft_imag(&w->y, w->c)) \
  X(angle, weft_angle(&w->y, w->c)) \
  X(eval, weft_eval(&w->y, w->context, "exp(a) * b + a", WEFT_NAMED("a", w->a), WEFT_NAMED("b", w->b))) \
  X(eval_rows, weft_eval(&w->y, w->context, "e = exp(m - max(m, axis=-1)); e / sum(e, axis=-1)", \
    WEFT_NAMED("m", w->m))) \
  X(eval_all, weft_eval_all(w->context, "y = a * a - b * b; z = 2 * a * b", WEFT_NAMED("y", &w->y), \
    WEFT_NAMED("z", &w->y2), WEFT_NAMED("a", w->a), WEFT_NAMED("b", w->b))) \
  X(ufunc_call, weft_ufunc_call(w->user, &w->y, w->a, w->b)) \
  X(ufunc_apply, weft_ufunc_apply(WEFT_UFUNC_ADD, 3, \
    ((weft_operand[]){WEFT_OPERAND(&w->y), WEFT_OPERAND(w->a), WEFT_OPERAND(w->b)}))) \
  X(stencil, weft_stencil(&w->y, w->context, \
    "x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1] - 4 * x", WEFT_NAMED("x", w->m))) \
  X(isclose, weft_isclose(&w->y, w->a, w->b)) \
  X(allclose, weft_allclose(&w->answer, w->a, w->same)) \
  X(array_equal, weft_array_equal(&w->answer, w->a, w->same)) \
  X(array_equiv, weft_array_equiv(&w->answer, w->a, w->same)) \
  X(around, weft_around(&w->y, w->x, .decimals = 2)) \
  X(nan_to_num, weft_nan_to_num(&w->y, w->nans)) \
  X(where_first, weft_where_first(&w->y, w->mask, w->a, w->rare, w->b, 0.0f)) \
  X(choose, weft_choose(&w->y, w->choice, w->a, w->b)) \
  X(cast_f16, weft_cast(&w->y, w->a, WEFT_F16)) \
  X(cast_bf16, weft_cast(&w->y, w->a, WEFT_BF16)) \
  X(cast_f64, weft_cast(&w->y, w->a, WEFT_F64)) \
  X(cast_i32, weft_cast(&w->y, w->g, WEFT_I32)) \
  X(cast_u8_f32, weft_cast(&w->y, w->u8, WEFT_F32)) \
  X(cast_i64_f32, weft_cast(&w->y, w->i64, WEFT_F32))
// clang-format on

WIDE_TABLE(wide_functions)
