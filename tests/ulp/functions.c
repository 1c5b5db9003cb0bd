// SPDX-License-Identifier: MIT
#include "functions.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L

// ---- the host library's functions, in double and long double ----

#define TWINS_1(name, call_double, call_long)              \
  static double near_##name(const double *v) {             \
    double x = v[0];                                       \
    return call_double;                                    \
  }                                                        \
  static long double nearer_##name(const long double *v) { \
    long double x = v[0];                                  \
    return call_long;                                      \
  }
#define TWINS_2(name, call_double, call_long)              \
  static double near_##name(const double *v) {             \
    double x = v[0], y = v[1];                             \
    return call_double;                                    \
  }                                                        \
  static long double nearer_##name(const long double *v) { \
    long double x = v[0], y = v[1];                        \
    return call_long;                                      \
  }
#define HOST_1(name) TWINS_1(name, name(x), name##l(x))
#define HOST_2(name) TWINS_2(name, name(x, y), name##l(x, y))

// Reduces the argument of sin(pi x) by whole turns, which is exact. Signs of zero are left to MPFR.
static long double turn(long double x) {
  return remainderl(x, 2);
}
static long double sine_of_turn(long double t) {
  if (fabsl(t) > 0.5L) t = copysignl(1, t) - t;
  return fabsl(t) > 0.25L ? copysignl(cosl(PI * (0.5L - fabsl(t))), t) : sinl(PI * t);
}
static long double sin_pi(long double x) {
  return sine_of_turn(turn(x));
}
static long double cos_pi(long double x) {
  return sine_of_turn(0.5L - fabsl(turn(x)));
}

HOST_1(acos)
HOST_1(acosh)
HOST_1(asin)
HOST_1(asinh)
HOST_1(atan)
HOST_1(atanh)
HOST_1(cbrt)
HOST_1(cos)
HOST_1(cosh)
HOST_1(erf)
HOST_1(erfc)
HOST_1(exp)
HOST_1(exp2)
HOST_1(expm1)
HOST_1(lgamma)
HOST_1(log)
HOST_1(log10)
HOST_1(log1p)
HOST_1(log2)
HOST_1(sin)
HOST_1(sinh)
HOST_1(sqrt)
HOST_1(tan)
HOST_1(tanh)
HOST_1(tgamma)
HOST_2(atan2)
HOST_2(fmod)
HOST_2(hypot)
HOST_2(pow)
HOST_2(remainder)
TWINS_1(acospi, acos(x) / (double)PI, acosl(x) / PI)
TWINS_1(asinpi, asin(x) / (double)PI, asinl(x) / PI)
TWINS_1(atanpi, atan(x) / (double)PI, atanl(x) / PI)
TWINS_2(atan2pi, atan2(x, y) / (double)PI, atan2l(x, y) / PI)
TWINS_1(sinpi, (double)sin_pi(x), sin_pi(x))
TWINS_1(cospi, (double)cos_pi(x), cos_pi(x))
TWINS_1(tanpi, (double)(sin_pi(x) / cos_pi(x)), sin_pi(x) / cos_pi(x))
TWINS_1(exp10, pow(10, x), powl(10, x))
TWINS_1(rsqrt, 1 / sqrt(x), 1 / sqrtl(x))
TWINS_2(divide, x / y, x / y)

// Weft's own, of built-in functions: in long double, which is enough in front of MPFR for f32
static double near_expit(const double *v) {
  return (double)(1 / (1 + expl(-(long double)v[0])));
}
static double near_logit(const double *v) {
  long double x = v[0];
  return (double)(fabsl(x - 0.5L) < 0.25L ? 2 * atanhl(2 * x - 1) : logl(x / (1 - x)));
}
static double near_softplus(const double *v) {
  return (double)(fmaxl(v[0], 0) + log1pl(expl(-fabsl(v[0])) + v[0] * 0)); /* NaN stays */
}
static double near_logaddexp(const double *v) {
  const long double d = v[0] == v[1] ? 0 : fabsl((long double)v[0] - v[1]);
  return (double)(fmaxl(v[0], v[1]) + log1pl(expl(-d)));
}
static double near_logaddexp2(const double *v) {
  const long double d = v[0] == v[1] ? 0 : fabsl((long double)v[0] - v[1]);
  return (double)(fmaxl(v[0], v[1]) + log1pl(exp2l(-d)) / logl(2));
}
static double near_silu(const double *v) {
  return v[0] == -INFINITY ? -0.0 : (double)(v[0] / (1 + expl(-(long double)v[0])));
}
static double near_ndtr(const double *v) {
  return (double)(erfcl(-v[0] * sqrtl(0.5L)) / 2);
}
static double near_gelu(const double *v) {
  return v[0] == -INFINITY ? -0.0 : (double)(v[0] * erfcl(-v[0] * sqrtl(0.5L)) / 2);
}
static double near_xlogy(const double *v) {
  return v[0] == 0 && !isnan(v[1]) ? 0 : (double)(v[0] * logl(v[1]));
}

static double near_fma(const double *v) {
  return fma(v[0], v[1], v[2]);
}
/// OpenCL's powr: pow of x from 0 on, without its rules for limits: exp(y log x) where y log x is a number.
static bool has_powr(double x, double y) {
  return x >= 0 && !isnan(y) && !(y == 0 && (x == 0 || isinf(x))) && !(x == 1 && isinf(y));
}
static double near_powr(const double *v) {
  return has_powr(v[0], v[1]) ? pow(fabs(v[0]), v[1]) : NAN;
}
static double near_rootn(const double *v) {
  double x = v[0], n = v[1];
  bool odd = fmod(n, 2) != 0;
  if (n == 0 || (x < 0 && !odd)) return NAN;
  double y = pow(fabs(x), 1 / n);
  return odd ? copysign(y, x) : y;
}

// ---- MPFR ----

#define EXACT_1(name, call)                                  \
  static void exact_##name(mpfr_t result, const mpfr_t *v) { \
    call(result, v[0], MPFR_RNDN);                           \
  }
#define EXACT_2(name, call)                                  \
  static void exact_##name(mpfr_t result, const mpfr_t *v) { \
    call(result, v[0], v[1], MPFR_RNDN);                     \
  }
EXACT_1(acos, mpfr_acos)
EXACT_1(acosh, mpfr_acosh)
EXACT_1(acospi, mpfr_acospi)
EXACT_1(asin, mpfr_asin)
EXACT_1(asinh, mpfr_asinh)
EXACT_1(asinpi, mpfr_asinpi)
EXACT_1(atan, mpfr_atan)
EXACT_2(atan2, mpfr_atan2)
EXACT_2(atan2pi, mpfr_atan2pi)
EXACT_1(atanh, mpfr_atanh)
EXACT_1(atanpi, mpfr_atanpi)
EXACT_1(cbrt, mpfr_cbrt)
EXACT_1(cos, mpfr_cos)
EXACT_1(cosh, mpfr_cosh)
EXACT_1(cospi, mpfr_cospi)
EXACT_2(divide, mpfr_div)
EXACT_1(erf, mpfr_erf)
EXACT_1(erfc, mpfr_erfc)
EXACT_1(exp, mpfr_exp)
EXACT_1(exp10, mpfr_exp10)
EXACT_1(exp2, mpfr_exp2)
EXACT_1(expm1, mpfr_expm1)
EXACT_2(fmod, mpfr_fmod)
EXACT_2(hypot, mpfr_hypot)
EXACT_1(log, mpfr_log)
EXACT_1(log10, mpfr_log10)
EXACT_1(log1p, mpfr_log1p)
EXACT_1(log2, mpfr_log2)
EXACT_2(pow, mpfr_pow)
EXACT_2(remainder, mpfr_remainder)
EXACT_1(sin, mpfr_sin)
EXACT_1(sinh, mpfr_sinh)
EXACT_1(sinpi, mpfr_sinpi)
EXACT_1(sqrt, mpfr_sqrt)
EXACT_1(tan, mpfr_tan)
EXACT_1(tanh, mpfr_tanh)
EXACT_1(tanpi, mpfr_tanpi)
EXACT_1(tgamma, mpfr_gamma)

static void exact_fma(mpfr_t result, const mpfr_t *v) {
  mpfr_fma(result, v[0], v[1], v[2], MPFR_RNDN);
}
static void exact_lgamma(mpfr_t result, const mpfr_t *v) {
  int sign;
  mpfr_lgamma(result, &sign, v[0], MPFR_RNDN);
}
// in OpenCL, rsqrt(-0) is -infinity
static void exact_rsqrt(mpfr_t result, const mpfr_t *v) {
  mpfr_rec_sqrt(result, v[0], MPFR_RNDN);
  if (mpfr_zero_p(v[0]) && mpfr_signbit(v[0])) mpfr_set_inf(result, -1);
}
static void exact_powr(mpfr_t result, const mpfr_t *v) {
  if (!has_powr(mpfr_get_d(v[0], MPFR_RNDN), mpfr_get_d(v[1], MPFR_RNDN))) {
    mpfr_set_nan(result);
    return;
  }
  mpfr_abs(result, v[0], MPFR_RNDN);
  mpfr_pow(result, result, v[1], MPFR_RNDN);
}
static void exact_rootn(mpfr_t result, const mpfr_t *v) {
  mpfr_rootn_si(result, v[0], mpfr_get_si(v[1], MPFR_RNDN), MPFR_RNDN);
}

// Weft's own. Cancellation costs at most some 1100 bits (the exponents of a double) of the steps before the last.
#define MORE_BITS 1280
#define STEPS(name, ...)                                     \
  static void exact_##name(mpfr_t result, const mpfr_t *v) { \
    mpfr_t t, u;                                             \
    mpfr_init2(t, MORE_BITS);                                \
    mpfr_init2(u, MORE_BITS);                                \
    __VA_ARGS__                                              \
    mpfr_clears(t, u, (mpfr_ptr)0);                          \
  }
STEPS(expit, mpfr_neg(t, v[0], MPFR_RNDN); mpfr_exp(t, t, MPFR_RNDN); mpfr_add_ui(t, t, 1, MPFR_RNDN);
      mpfr_ui_div(result, 1, t, MPFR_RNDN);)
STEPS(logit, mpfr_ui_sub(t, 1, v[0], MPFR_RNDN); mpfr_div(t, v[0], t, MPFR_RNDN); mpfr_log(result, t, MPFR_RNDN);)
// beyond 1000 the result is x to all bits, and the exponential would leave MPFR's own range
STEPS(softplus, mpfr_exp(t, v[0], MPFR_RNDN); mpfr_log1p(result, t, MPFR_RNDN);
      if (mpfr_cmp_ui(v[0], 1000) > 0) mpfr_set(result, v[0], MPFR_RNDN);)
// without the difference, which infinities of one sign do not have; NaN passes
STEPS(logaddexp, mpfr_sub(t, v[0], v[1], MPFR_RNDN); mpfr_abs(t, t, MPFR_RNDN);
      if (mpfr_equal_p(v[0], v[1])) mpfr_set_zero(t, 1); mpfr_neg(t, t, MPFR_RNDN); mpfr_exp(t, t, MPFR_RNDN);
      mpfr_log1p(t, t, MPFR_RNDN); mpfr_max(u, v[0], v[1], MPFR_RNDN); mpfr_add(result, u, t, MPFR_RNDN);)
STEPS(logaddexp2, mpfr_sub(t, v[0], v[1], MPFR_RNDN); mpfr_abs(t, t, MPFR_RNDN);
      if (mpfr_equal_p(v[0], v[1])) mpfr_set_zero(t, 1); mpfr_neg(t, t, MPFR_RNDN); mpfr_exp2(t, t, MPFR_RNDN);
      mpfr_log1p(t, t, MPFR_RNDN); mpfr_const_log2(u, MPFR_RNDN); mpfr_div(t, t, u, MPFR_RNDN);
      mpfr_max(u, v[0], v[1], MPFR_RNDN); mpfr_add(result, u, t, MPFR_RNDN);)
STEPS(silu, mpfr_neg(t, v[0], MPFR_RNDN); mpfr_exp(t, t, MPFR_RNDN); mpfr_add_ui(t, t, 1, MPFR_RNDN);
      mpfr_div(result, v[0], t, MPFR_RNDN); if (mpfr_inf_p(v[0]) && mpfr_signbit(v[0])) mpfr_set_zero(result, -1);)
STEPS(ndtr, mpfr_sqrt_ui(t, 2, MPFR_RNDN); mpfr_div(u, v[0], t, MPFR_RNDN); mpfr_neg(u, u, MPFR_RNDN);
      mpfr_erfc(result, u, MPFR_RNDN); mpfr_div_2ui(result, result, 1, MPFR_RNDN);)
STEPS(gelu, exact_ndtr(result, v); mpfr_mul(result, result, v[0], MPFR_RNDN);
      if (mpfr_inf_p(v[0]) && mpfr_signbit(v[0])) mpfr_set_zero(result, -1);)
STEPS(xlogy, mpfr_log(t, v[1], MPFR_RNDN); mpfr_mul(result, v[0], t, MPFR_RNDN);
      if (mpfr_zero_p(v[0]) && !mpfr_nan_p(v[1])) mpfr_set_zero(result, 1);)

// ---- Weft's own special functions ----

static long double digamma_above(long double x) {
  long double rest = 0;
  for (; x < 25; x++) rest -= 1 / x;
  const long double z = 1 / (x * x);
  static const long double b[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                  1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  long double series = 0;
  for (int k = 7; k >= 0; k--) series = (series + b[k]) * z;
  return rest + logl(x) - 0.5L / x - series;
}
static long double nearer_digamma(const long double *v) {
  const long double x = v[0], part = x - rintl(x);
  if (x == 0) return copysignl(INFINITY, -x);
  if (x > 0 || isnan(x)) return isinf(x) ? x : digamma_above(x);
  if (isinf(x) || part == 0) return NAN;
  return digamma_above(1 - x) - PI / tanl(PI * part);
}
static void exact_digamma(mpfr_t result, const mpfr_t *v) {
  if (mpfr_zero_p(v[0]))
    mpfr_set_inf(result, mpfr_signbit(v[0]) ? 1 : -1);
  else
    mpfr_digamma(result, v[0], MPFR_RNDN);
}

/// The y with erfc(y) = c, c from 0 to 1: Newton's method on the logarithm.
static long double inverse_tail(long double c) {
  if (!(c > 0)) return c == 0 ? INFINITY : NAN;
  const long double first = logl(c * (2 - c)), t = 2 / (PI * 0.147L) + first / 2;
  long double y = sqrtl(sqrtl(t * t - first / 0.147L) - t); /* S. Winitzki, to 2e-3 */
  for (int k = 0; k < 8; k++) {
    const long double at = erfcl(y);
    y += logl(at / c) * at * sqrtl(PI) / 2 * expl(y * y);
  }
  return y;
}
/// The y with erf(y) = x, where c = 1 - |x|.
static long double inverse(long double x, long double c) {
  if (!(fabsl(x) < 0.5L)) return copysignl(inverse_tail(c), x);
  long double y = x * sqrtl(PI) / 2;
  for (int k = 0; k < 8; k++) y -= (erfl(y) - x) * sqrtl(PI) / 2 * expl(y * y);
  return y;
}
static long double nearer_erfinv(const long double *v) {
  return inverse(v[0], 1 - fabsl(v[0]));
}
static long double nearer_erfcinv(const long double *v) {
  return inverse(1 - v[0], v[0] < 1 ? v[0] : 2 - v[0]);
}
static long double nearer_ndtri(const long double *v) {
  return sqrtl(2) * inverse(2 * v[0] - 1, 2 * (v[0] < 0.5L ? v[0] : 1 - v[0]));
}
/// Three steps from `start`, each of which doubles the digits; t is c = 1 - |x|, u the result.
static void exact_inverse(mpfr_t result, long double start, const mpfr_t c) {
  mpfr_t y, t, u;
  if (!isfinite(start) || start == 0) {
    mpfr_set_ld(result, start, MPFR_RNDN);
    return;
  }
  mpfr_inits2(1280, y, t, u, (mpfr_ptr)0);
  mpfr_set_ld(y, fabsl(start), MPFR_RNDN);
  for (int k = 0; k < 3; k++) {
    mpfr_erfc(t, y, MPFR_RNDN);
    mpfr_sub(t, t, c, MPFR_RNDN);
    mpfr_sqr(u, y, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_mul(t, t, u, MPFR_RNDN);
    mpfr_const_pi(u, MPFR_RNDN);
    mpfr_sqrt(u, u, MPFR_RNDN);
    mpfr_mul(t, t, u, MPFR_RNDN);
    mpfr_div_2ui(t, t, 1, MPFR_RNDN);
    mpfr_add(y, y, t, MPFR_RNDN);
  }
  mpfr_setsign(result, y, start < 0, MPFR_RNDN);
  mpfr_clears(y, t, u, (mpfr_ptr)0);
}
static void exact_erfinv(mpfr_t result, const mpfr_t *v) {
  const long double x = mpfr_get_ld(v[0], MPFR_RNDN);
  mpfr_t c;
  mpfr_init2(c, 1280);
  mpfr_abs(c, v[0], MPFR_RNDN);
  mpfr_ui_sub(c, 1, c, MPFR_RNDN);
  exact_inverse(result, nearer_erfinv(&x), c);
  mpfr_clear(c);
}
static void exact_erfcinv(mpfr_t result, const mpfr_t *v) {
  const long double x = mpfr_get_ld(v[0], MPFR_RNDN);
  mpfr_t c;
  mpfr_init2(c, 1280);
  if (x < 1)
    mpfr_set(c, v[0], MPFR_RNDN);
  else
    mpfr_ui_sub(c, 2, v[0], MPFR_RNDN);
  exact_inverse(result, nearer_erfcinv(&x), c);
  mpfr_clear(c);
}
static void exact_ndtri(mpfr_t result, const mpfr_t *v) {
  const long double p = mpfr_get_ld(v[0], MPFR_RNDN);
  mpfr_t c;
  mpfr_init2(c, 1280);
  if (p < 0.5L)
    mpfr_set(c, v[0], MPFR_RNDN);
  else
    mpfr_ui_sub(c, 1, v[0], MPFR_RNDN);
  mpfr_mul_2ui(c, c, 1, MPFR_RNDN);
  exact_inverse(c, nearer_ndtri(&p) / sqrtl(2), c);
  mpfr_t root;
  mpfr_init2(root, 1280);
  mpfr_sqrt_ui(root, 2, MPFR_RNDN);
  mpfr_mul(result, c, root, MPFR_RNDN);
  mpfr_clears(c, root, (mpfr_ptr)0);
}

/// I_n(a) exp(-a) for a >= 0, n 0 or 1: the power series, beyond 600 the asymptotic one.
static long double scaled_i(int n, long double a) {
  long double term = n ? a / 2 : 1, sum = term;
  if (a > 600) {
    term = sum = 1;
    for (int k = 1; k < 20; k++) sum += term *= -(4.0L * n - (2 * k - 1) * (2 * k - 1)) / (8 * k * a);
    return sum / sqrtl(2 * PI * a);
  }
  for (int k = 1; term > sum * 1e-22L; k++) sum += term *= a * a / 4 / (k * (long double)(k + n));
  return sum * expl(-a);
}
#define BESSEL_I(name, n, is_scaled)                                                                                 \
  static long double nearer_##name(const long double *v) {                                                           \
    const long double a = fabsl(v[0]),                                                                               \
                      e = isinf(a) ? (is_scaled ? 0 : a) : scaled_i(n, a) * (is_scaled ? 1 : expl(fminl(a, 11000))); \
    return isnan(a) ? a : n ? copysignl(e, v[0]) : e;                                                                \
  }                                                                                                                  \
  static void exact_##name(mpfr_t result, const mpfr_t *v) {                                                         \
    exact_i(result, v[0], n, is_scaled);                                                                             \
  }
static void exact_i(mpfr_t result, const mpfr_t x, int n, bool is_scaled) {
  mpfr_t a, term, sum, t;
  if (!mpfr_number_p(x)) {
    if (mpfr_nan_p(x) || !is_scaled)
      n ? mpfr_set(result, x, MPFR_RNDN) : mpfr_abs(result, x, MPFR_RNDN);
    else
      mpfr_set_zero(result, n && mpfr_signbit(x) ? -1 : 1);
    return;
  }
  mpfr_inits2(1280, a, term, sum, t, (mpfr_ptr)0);
  mpfr_abs(a, x, MPFR_RNDN);
  const bool is_large = mpfr_cmp_ui(a, 600) > 0;
  mpfr_set_ui(term, 1, MPFR_RNDN);
  if (!is_large && n) mpfr_div_2ui(term, a, 1, MPFR_RNDN);
  mpfr_set(sum, term, MPFR_RNDN);
  mpfr_sqr(t, a, MPFR_RNDN);
  mpfr_div_2ui(t, t, 2, MPFR_RNDN);
  for (unsigned long k = 1; k < (is_large ? 300 : 2500) && mpfr_sgn(term) != 0; k++) {
    if (is_large) {
      mpfr_mul_si(term, term, (long)((2 * k - 1) * (2 * k - 1)) - 4 * n, MPFR_RNDN);
      mpfr_div(term, term, a, MPFR_RNDN);
      mpfr_div_ui(term, term, 8 * k, MPFR_RNDN);
    } else {
      mpfr_mul(term, term, t, MPFR_RNDN);
      mpfr_div_ui(term, term, k * (k + (unsigned long)n), MPFR_RNDN);
    }
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  if (is_large) { /* the sum is I_n(a) exp(-a) sqrt(2 pi a) */
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_mul(t, t, a, MPFR_RNDN);
    mpfr_mul_2ui(t, t, 1, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_div(sum, sum, t, MPFR_RNDN);
  }
  if (is_large != is_scaled) {
    if (is_scaled) mpfr_neg(a, a, MPFR_RNDN);
    mpfr_exp(t, a, MPFR_RNDN);
    mpfr_mul(sum, sum, t, MPFR_RNDN);
  }
  mpfr_setsign(result, sum, n && mpfr_signbit(x), MPFR_RNDN);
  mpfr_clears(a, term, sum, t, (mpfr_ptr)0);
}
BESSEL_I(i0, 0, false)
BESSEL_I(i0e, 0, true)
BESSEL_I(i1, 1, false)
BESSEL_I(i1e, 1, true)

/// K_n(x), the integral of exp(-x cosh t) cosh(n t), by the trapezoidal rule, which converges faster than any power of
/// the step (DLMF 10.32.9). The step is 2^-k, a third of the integrand's width.
static int bessel_step(long double x) {
  int k = 4;
  while (ldexpl(1, k) < 3 * sqrtl(x)) k++;
  return k;
}
static long double bessel_k(int n, long double x) {
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  if (x > 12000) return 0;
  const long double step = ldexpl(1, -bessel_step(x));
  long double sum = 0.5L, t = step;
  for (long double term = 1; term > sum * 1e-24L; t += step)
    sum += term = expl(-2 * x * sinhl(t / 2) * sinhl(t / 2)) * (n ? coshl(t) : 1);
  return sum * step * expl(-x);
}
static void exact_k(mpfr_t result, const mpfr_t x, int n) {
  mpfr_t sum, t, u, term;
  if (!mpfr_number_p(x) || mpfr_sgn(x) <= 0 || mpfr_cmp_ui(x, 12000) > 0) {
    mpfr_set_ld(result, bessel_k(n, mpfr_get_ld(x, MPFR_RNDN)), MPFR_RNDN);
    return;
  }
  mpfr_inits2(320, sum, t, u, term, (mpfr_ptr)0);
  mpfr_set_d(sum, 0.5, MPFR_RNDN);
  mpfr_set_ui(term, 1, MPFR_RNDN);
  const int step = bessel_step(mpfr_get_ld(x, MPFR_RNDN));
  for (unsigned long k = 1; mpfr_get_exp(term) > mpfr_get_exp(sum) - 240; k++) {
    mpfr_set_ui_2exp(t, k, -step, MPFR_RNDN);
    mpfr_cosh(t, t, MPFR_RNDN);
    mpfr_sub_ui(u, t, 1, MPFR_RNDN);
    mpfr_mul(u, u, x, MPFR_RNDN);
    mpfr_neg(u, u, MPFR_RNDN);
    mpfr_exp(term, u, MPFR_RNDN);
    if (n) mpfr_mul(term, term, t, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_neg(u, x, MPFR_RNDN);
  mpfr_exp(u, u, MPFR_RNDN);
  mpfr_mul(sum, sum, u, MPFR_RNDN);
  mpfr_div_2ui(result, sum, (unsigned long)step, MPFR_RNDN);
  mpfr_clears(sum, t, u, term, (mpfr_ptr)0);
}
#define BESSEL_K(n)                                        \
  static long double nearer_k##n(const long double *v) {   \
    return bessel_k(n, v[0]);                              \
  }                                                        \
  static void exact_k##n(mpfr_t result, const mpfr_t *v) { \
    exact_k(result, v[0], n);                              \
  }
BESSEL_K(0)
BESSEL_K(1)

#define NEAR(name)                             \
  static double near_##name(const double *v) { \
    const long double x = v[0];                \
    return (double)nearer_##name(&x);          \
  }
NEAR(digamma)
NEAR(erfinv)
NEAR(erfcinv)
NEAR(ndtri)
NEAR(i0)
NEAR(i0e)
NEAR(i1)
NEAR(i1e)
NEAR(k0)
NEAR(k1)

// ---- the table ----

#define FUNCTION(name) .near = near_##name, .nearer = nearer_##name, .exact = exact_##name
#define UNARY(name_) .name = #name_, .arity = 1, .expression = #name_ "(x)", FUNCTION(name_)
#define OWN(name_, arity_) \
  .name = #name_, .arity = arity_, .is_ufunc = true, .near = near_##name_, .exact = exact_##name_
#define SPECIAL(name_) .name = #name_, .arity = 1, .is_ufunc = true, FUNCTION(name_)
#define BINARY(name_) .name = #name_, .arity = 2, .expression = #name_ "(x, y)", FUNCTION(name_)

// Bounds: the OpenCL 1.2 specification's for the full profile (section 7.4); for Weft's own functions, those that their
// headers state. Halves are computed as floats and rounded once.
const ulp_function ulp_functions[] = {
    {UNARY(acos), .header = "atan", .bound = {1, 4, 4}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(acosh), .header = "hyperbolic", .bound = {1, 4, 4}, .hard = ULP_ONE, .ranges = {{1, 2}, {1, 100}}},
    {UNARY(acospi), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(asin), .header = "atan", .bound = {1, 4, 4}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(asinh), .header = "hyperbolic", .bound = {1, 4, 4}, .ranges = {{-1, 1}, {-100, 100}}},
    {UNARY(asinpi), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(atan), .header = "atan", .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-20, 20}}},
    {BINARY(atan2), .header = "atan", .bound = {1, 1, 6}, .hard = ULP_RATIO, .ranges = {{-1, 1}}},
    {BINARY(atan2pi), .bound = {1, 6, 6}, .hard = ULP_RATIO, .ranges = {{-1, 1}}},
    {UNARY(atanh), .header = "hyperbolic", .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(atanpi), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-20, 20}}},
    {UNARY(cbrt), .header = "root", .bound = {1, 2, 2}, .ranges = {{-8, 8}}},
    {UNARY(cos), .header = "trig", .bound = {1, 2, 4}, .hard = ULP_PI, .ranges = {{-4, 4}, {-100, 100}, {-2e5, 2e5}}},
    {UNARY(cosh), .header = "hyperbolic", .bound = {1, 2, 4}, .ranges = {{-2, 2}, {-90, 90}},
     .limits = {89.41599, 710.47586}},
    {UNARY(cospi), .bound = {1, 4, 4}, .hard = ULP_INTEGERS, .ranges = {{-2, 2}, {-100, 100}}},
    {SPECIAL(digamma), .absolute_below_0 = true, .bound = {1, 24, 48}, .hard = ULP_INTEGERS | ULP_ONE,
     .ranges = {{0, 4}, {-10, 10}, {0, 1000}}, .limits = {1.4616321, 10, 2}},
    {.name = "divide",
     .arity = 2,
     .expression = "x / y",
     FUNCTION(divide),
     .bound = {1, 2.5, 0.5},
     .hard = ULP_RATIO,
     .ranges = {{1, 2}}},
    {UNARY(erf), .header = "erf", .bound = {1, 2, 16}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-6, 6}},
     .limits = {3.92, 5.92}},
    {UNARY(erfc), .header = "erfc", .bound = {1, 16, 16}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-6, 11}, {-6, 28}},
     .limits = {10.0546875, 27.226}},
    {SPECIAL(erfcinv), .bound = {1, 8, 8}, .hard = ULP_ONE, .ranges = {{0, 2}, {0, 0.3}}, .limits = {0.15, 1.85}},
    {SPECIAL(erfinv), .bound = {1, 8, 8}, .hard = ULP_ONE, .ranges = {{-1, 1}, {0.8, 1}}, .limits = {0.85}},
    {UNARY(exp), .header = "exp", .bound = {1, 2, 3}, .ranges = {{-1, 1}, {-104, 89}, {-746, 710}},
     .limits = {88.72284, -87.33655, -103.97208, 709.7827, -708.3964, -745.1332}},
    {UNARY(exp10), .header = "exp", .bound = {1, 2, 3}, .ranges = {{-1, 1}, {-46, 39}, {-324, 309}},
     .limits = {38.53184, -37.92978, -45.154, 308.2547, -307.6527, -323.6}},
    {UNARY(exp2), .header = "exp", .bound = {1, 2, 3}, .hard = ULP_INTEGERS,
     .ranges = {{-1, 1}, {-150, 128}, {-1075, 1024}}, .limits = {128, -126, -149, 1024, -1022, -1074}},
    {OWN(expit, 1), .bound = {1, 6, 6}, .ranges = {{-1, 1}, {-104, 20}, {-746, 40}},
     .limits = {-87.33655, -103.97208, -708.3964, -745.1332}},
    {UNARY(expm1), .header = "exp", .bound = {1, 2, 3}, .ranges = {{-1, 1}, {-20, 89}, {-40, 710}},
     .limits = {88.72284, -17.32868, 709.7827, -37.42995, 0.34657}},
    {.name = "fma",
     .arity = 3,
     .expression = "fma(x, y, z)",
     .near = near_fma,
     .exact = exact_fma,
     .bound = {1, 0.5, 0.5},
     .hard = ULP_CANCEL,
     .ranges = {{1, 2}}},
    {BINARY(fmod), .bound = {1, 0, 0}, .hard = ULP_RATIO, .ranges = {{1, 100}}},
    {OWN(gelu, 1), .bound = {1, 32, 64}, .ranges = {{-1, 1}, {-15, 6}, {-39, 9}}},
    {BINARY(hypot), .header = "root", .bound = {1, 4, 4}, .hard = ULP_RATIO, .ranges = {{1, 2}}},
    {SPECIAL(i0), .bound = {1, 12, 12}, .ranges = {{-8, 8}, {-92, 92}, {-720, 720}},
     .limits = {8, 16, 91.906, 713.987}},
    {SPECIAL(i0e), .bound = {1, 12, 12}, .ranges = {{-8, 8}, {-92, 92}, {-720, 720}}, .limits = {8, 16}},
    {SPECIAL(i1), .bound = {1, 12, 12}, .ranges = {{-8, 8}, {-92, 92}, {-720, 720}},
     .limits = {8, 16, 91.906, 713.987}},
    {SPECIAL(i1e), .bound = {1, 12, 12}, .ranges = {{-8, 8}, {-92, 92}, {-720, 720}}, .limits = {8, 16}},
    {SPECIAL(k0), .bound = {1, 12, 12}, .ranges = {{0, 3}, {0, 88}, {0, 710}},
     .limits = {1, 85.3, 105.1, 705.3, 741.7}},
    {SPECIAL(k1), .bound = {1, 12, 12}, .ranges = {{0, 3}, {0, 88}, {0, 710}},
     .limits = {1, 85.3, 105.1, 705.3, 741.7}},
    {UNARY(lgamma), .header = "gamma", .absolute_below_0 = true, .bound = {1, 4, 16}, .hard = ULP_INTEGERS | ULP_ONE,
     .ranges = {{0, 4}, {-10, 10}, {0, 1000}}, .limits = {1, 2, -2.4570247, -2.7476826, -3.1435809, 4.08500328e36}},
    {UNARY(log), .header = "log", .bound = {1, 2, 3}, .hard = ULP_ONE, .ranges = {{0.5, 2}, {0, 100}}},
    {UNARY(log10), .header = "log", .bound = {1, 2, 3}, .hard = ULP_ONE, .ranges = {{0.5, 2}, {0, 100}}},
    {UNARY(log1p), .header = "log", .bound = {1, 2, 2}, .hard = ULP_ONE, .ranges = {{-0.5, 1}, {-1, 100}},
     .limits = {-0.29289, 0.41421}},
    {UNARY(log2), .header = "log", .bound = {1, 2, 3}, .hard = ULP_ONE, .ranges = {{0.5, 2}, {0, 100}}},
    {OWN(logaddexp, 2), .has_larger = true, .bound = {1, 32, 64}, .hard = ULP_ONE,
     .ranges = {{-1, 1}, {-20, 20}, {-100, 100}}},
    {OWN(logaddexp2, 2), .has_larger = true, .bound = {1, 32, 64}, .hard = ULP_ONE | ULP_INTEGERS,
     .ranges = {{-1, 1}, {-20, 20}, {-150, 150}}},
    {OWN(logit, 1), .bound = {1, 6, 6}, .hard = ULP_INTEGERS | ULP_ONE, .ranges = {{0, 1}, {0.4, 0.6}},
     .limits = {0.25, 0.75}},
    {OWN(ndtr, 1), .bound = {1, 24, 24}, .ranges = {{-1, 1}, {-15, 6}, {-39, 9}}},
    {SPECIAL(ndtri), .bound = {1, 8, 8}, .hard = ULP_ONE, .ranges = {{0, 1}, {0, 0.2}}, .limits = {0.075, 0.925}},
    {BINARY(pow), .header = "pow", .bound = {1, 2, 16}, .hard = ULP_POWER | ULP_ONE,
     .ranges = {{0, 2}, {0, 100}, {-10, 10}}},
    {.name = "pown",
     .arity = 2,
     .expression = "pown(x, (int)y)",
     .header = "pow",
     FUNCTION(pow),
     .bound = {1, 2, 16},
     .hard = ULP_POWER | ULP_ROOT | ULP_ONE,
     .ranges = {{0, 2}, {-10, 10}}},
    {.name = "powr",
     .arity = 2,
     .expression = "powr(x, y)",
     .header = "pow",
     .near = near_powr,
     .exact = exact_powr,
     .bound = {1, 2, 16},
     .hard = ULP_POWER | ULP_ONE,
     .ranges = {{0, 2}, {0, 100}, {-10, 10}}},
    {BINARY(remainder), .ufunc = "ieee_remainder", .bound = {1, 0, 0}, .hard = ULP_RATIO, .ranges = {{1, 100}}},
    {.name = "rootn",
     .arity = 2,
     .expression = "rootn(x, (int)y)",
     .near = near_rootn,
     .exact = exact_rootn,
     .bound = {1, 16, 16},
     .hard = ULP_ROOT,
     .ranges = {{-8, 8}}},
    {UNARY(rsqrt), .bound = {1, 2, 2}, .ranges = {{0.5, 4}}},
    {OWN(silu, 1), .bound = {1, 8, 8}, .ranges = {{-1, 1}, {-109, 20}, {-753, 40}},
     .limits = {-87.33655, -103.97208, -708.3964, -745.1332}},
    {UNARY(sin), .header = "trig", .bound = {1, 2, 4}, .hard = ULP_PI, .ranges = {{-4, 4}, {-100, 100}, {-2e5, 2e5}}},
    {UNARY(sinh), .header = "hyperbolic", .bound = {1, 2, 4}, .ranges = {{-2, 2}, {-90, 90}},
     .limits = {89.41599, 710.47586}},
    {UNARY(sinpi), .bound = {1, 4, 4}, .hard = ULP_INTEGERS, .ranges = {{-2, 2}, {-100, 100}}},
    {OWN(softplus, 1), .bound = {1, 5, 5}, .ranges = {{-1, 1}, {-104, 20}, {-746, 40}},
     .limits = {-87.33655, -103.97208, -708.3964, -745.1332}},
    {UNARY(sqrt), .bound = {1, 3, 0.5}, .ranges = {{0.5, 4}}},
    {UNARY(tan), .header = "trig", .bound = {1, 2, 5}, .hard = ULP_PI, .ranges = {{-4, 4}, {-100, 100}, {-2e5, 2e5}}},
    {UNARY(tanh), .header = "hyperbolic", .bound = {1, 2, 5}, .ranges = {{-1, 1}, {-10, 10}, {-20, 20}},
     .limits = {9.01, 19.06}},
    {UNARY(tanpi), .bound = {1, 6, 6}, .hard = ULP_INTEGERS, .ranges = {{-2, 2}, {-100, 100}}},
    {UNARY(tgamma), .header = "tgamma", .bound = {1, 16, 16}, .hard = ULP_INTEGERS,
     .ranges = {{0, 4}, {-40, 36}, {-180, 172}},
     .limits = {35.0401, 171.6243}},
    {OWN(xlogy, 2), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-2, 2}, {0, 100}}},
};
const int ulp_function_count = (int)(sizeof ulp_functions / sizeof *ulp_functions);

const ulp_function *ulp_function_find(const char *name) {
  for (int i = 0; i < ulp_function_count; i++)
    if (strcmp(ulp_functions[i].name, name) == 0) return &ulp_functions[i];
  return NULL;
}
