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
STEPS(silu, mpfr_neg(t, v[0], MPFR_RNDN); mpfr_exp(t, t, MPFR_RNDN); mpfr_add_ui(t, t, 1, MPFR_RNDN);
      mpfr_div(result, v[0], t, MPFR_RNDN); if (mpfr_inf_p(v[0]) && mpfr_signbit(v[0])) mpfr_set_zero(result, -1);)
STEPS(ndtr, mpfr_sqrt_ui(t, 2, MPFR_RNDN); mpfr_div(u, v[0], t, MPFR_RNDN); mpfr_neg(u, u, MPFR_RNDN);
      mpfr_erfc(result, u, MPFR_RNDN); mpfr_div_2ui(result, result, 1, MPFR_RNDN);)
STEPS(gelu, exact_ndtr(result, v); mpfr_mul(result, result, v[0], MPFR_RNDN);
      if (mpfr_inf_p(v[0]) && mpfr_signbit(v[0])) mpfr_set_zero(result, -1);)
STEPS(xlogy, mpfr_log(t, v[1], MPFR_RNDN); mpfr_mul(result, v[0], t, MPFR_RNDN);
      if (mpfr_zero_p(v[0]) && !mpfr_nan_p(v[1])) mpfr_set_zero(result, 1);)

// ---- the table ----

#define FUNCTION(name) .near = near_##name, .nearer = nearer_##name, .exact = exact_##name
#define UNARY(name_) .name = #name_, .arity = 1, .expression = #name_ "(x)", FUNCTION(name_)
#define OWN(name_, arity_) \
  .name = #name_, .arity = arity_, .is_ufunc = true, .near = near_##name_, .exact = exact_##name_
#define BINARY(name_) .name = #name_, .arity = 2, .expression = #name_ "(x, y)", FUNCTION(name_)

// Bounds: the OpenCL 1.2 specification's for the full profile (section 7.4); for Weft's own functions, those that their
// headers state. Halves are computed as floats and rounded once.
const ulp_function ulp_functions[] = {
    {UNARY(acos), .bound = {1, 4, 4}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(acosh), .bound = {1, 4, 4}, .hard = ULP_ONE, .ranges = {{1, 2}, {1, 100}}},
    {UNARY(acospi), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(asin), .bound = {1, 4, 4}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(asinh), .bound = {1, 4, 4}, .ranges = {{-1, 1}, {-100, 100}}},
    {UNARY(asinpi), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(atan), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-20, 20}}},
    {BINARY(atan2), .bound = {1, 6, 6}, .hard = ULP_RATIO, .ranges = {{-1, 1}}},
    {BINARY(atan2pi), .bound = {1, 6, 6}, .hard = ULP_RATIO, .ranges = {{-1, 1}}},
    {UNARY(atanh), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}}},
    {UNARY(atanpi), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-20, 20}}},
    {UNARY(cbrt), .bound = {1, 2, 2}, .ranges = {{-8, 8}}},
    {UNARY(cos), .header = "trig", .bound = {1, 2, 4}, .hard = ULP_PI, .ranges = {{-4, 4}, {-100, 100}, {-2e5, 2e5}}},
    {UNARY(cosh), .header = "hyperbolic", .bound = {1, 2, 4}, .ranges = {{-2, 2}, {-90, 90}},
     .limits = {89.41599, 710.47586}},
    {UNARY(cospi), .bound = {1, 4, 4}, .hard = ULP_INTEGERS, .ranges = {{-2, 2}, {-100, 100}}},
    {.name = "divide",
     .arity = 2,
     .expression = "x / y",
     FUNCTION(divide),
     .bound = {1, 2.5, 0.5},
     .hard = ULP_RATIO,
     .ranges = {{1, 2}}},
    {UNARY(erf), .header = "erf", .bound = {1, 2, 16}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-6, 6}},
     .limits = {3.92, 5.92}},
    {UNARY(erfc), .bound = {1, 16, 16}, .hard = ULP_ONE, .ranges = {{-1, 1}, {-6, 11}, {-6, 28}},
     .limits = {10.0546875, 27.226}},
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
    {BINARY(hypot), .bound = {1, 4, 4}, .hard = ULP_RATIO, .ranges = {{1, 2}}},
    {UNARY(lgamma), .header = "gamma", .absolute_below_0 = true, .bound = {1, 4, 4}, .hard = ULP_INTEGERS | ULP_ONE,
     .ranges = {{0, 4}, {-10, 10}, {0, 1000}}, .limits = {1, 2, -2.4570247, -2.7476826, -3.1435809, 4.08500328e36}},
    {UNARY(log), .header = "log", .bound = {1, 2, 3}, .hard = ULP_ONE, .ranges = {{0.5, 2}, {0, 100}}},
    {UNARY(log10), .header = "log", .bound = {1, 2, 3}, .hard = ULP_ONE, .ranges = {{0.5, 2}, {0, 100}}},
    {UNARY(log1p), .header = "log", .bound = {1, 2, 2}, .hard = ULP_ONE, .ranges = {{-0.5, 1}, {-1, 100}},
     .limits = {-0.29289, 0.41421}},
    {UNARY(log2), .header = "log", .bound = {1, 2, 3}, .hard = ULP_ONE, .ranges = {{0.5, 2}, {0, 100}}},
    {OWN(logit, 1), .bound = {1, 6, 6}, .hard = ULP_INTEGERS | ULP_ONE, .ranges = {{0, 1}, {0.4, 0.6}},
     .limits = {0.25, 0.75}},
    {OWN(ndtr, 1), .bound = {1, 24, 24}, .ranges = {{-1, 1}, {-15, 6}, {-39, 9}}},
    {BINARY(pow), .header = "pow", .bound = {1, 2, 16}, .hard = ULP_POWER | ULP_ONE,
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
    {UNARY(tgamma), .bound = {1, 16, 16}, .hard = ULP_INTEGERS, .ranges = {{0, 4}, {-40, 36}, {-180, 172}},
     .limits = {35.0401, 171.6243}},
    {OWN(xlogy, 2), .bound = {1, 5, 5}, .hard = ULP_ONE, .ranges = {{-2, 2}, {0, 100}}},
};
const int ulp_function_count = (int)(sizeof ulp_functions / sizeof *ulp_functions);

const ulp_function *ulp_function_find(const char *name) {
  for (int i = 0; i < ulp_function_count; i++)
    if (strcmp(ulp_functions[i].name, name) == 0) return &ulp_functions[i];
  return NULL;
}
