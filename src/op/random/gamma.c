// SPDX-License-Identifier: MIT
/// Distributions made of gamma numbers, and other floats by rejection.
#include <float.h>
#include <math.h>
#include <string.h>

#include "op/random/random.h"

/* ---- of gamma numbers ---- */

void weft__gamma_parameters(double to[3], double k) {
  const double d = (k < 1 ? k + 1 : k) - 1.0 / 3;
  /* 1 / k is limited to fit f32; with a larger one all draws are 0 anyway */
  const double parameter[3] = {d, 1 / (3 * sqrt(d)), k < 1 ? fmin(1 / k, 1e30) : 0};
  memcpy(to, parameter, sizeof parameter);
}

weft_status weft__gamma_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double k, double theta,
                           const char *site) {
  const weft__drawing w = {"weft_gamma", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"k", k, WEFT__ABOVE_0}, {"theta", theta, WEFT__FROM_0}};
  weft__distribution d = {.name = "gamma", .kind = WEFT__DRAW_GAMMA, .parameters = 4, .parameter = {[3] = theta}};
  weft__gamma_parameters(d.parameter, k);
  return weft__draw_floats(&w, &d, 2, given);
}

weft_status weft__chisquare_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double df,
                               const char *site) {
  const weft__drawing w = {"weft_chisquare", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"df", df, WEFT__ABOVE_0}};
  weft__distribution d = {.name = "chisquare", .kind = WEFT__DRAW_GAMMA, .parameters = 4, .parameter = {[3] = 2}};
  weft__gamma_parameters(d.parameter, df / 2);
  return weft__draw_floats(&w, &d, 1, given);
}

weft_status weft__beta_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double a, double b,
                          const char *site) {
  const weft__drawing w = {"weft_beta", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"a", a, WEFT__ABOVE_0}, {"b", b, WEFT__ABOVE_0}};
  weft__distribution d = {.name = "beta", .kind = WEFT__DRAW_BETA, .parameters = 6};
  weft__gamma_parameters(d.parameter, a);
  weft__gamma_parameters(d.parameter + 3, b);
  return weft__draw_floats(&w, &d, 2, given);
}

weft_status weft__f_ratio_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double dfnum,
                             double dfden, const char *site) {
  const weft__drawing w = {"weft_f_ratio", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"dfnum", dfnum, WEFT__ABOVE_0}, {"dfden", dfden, WEFT__ABOVE_0}};
  weft__distribution d = {.name = "f_ratio", .kind = WEFT__DRAW_F, .parameters = 7, .parameter = {[6] = dfden / dfnum}};
  weft__gamma_parameters(d.parameter, dfnum / 2);
  weft__gamma_parameters(d.parameter + 3, dfden / 2);
  return weft__draw_floats(&w, &d, 2, given);
}

weft_status weft__standard_t_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double df,
                                const char *site) {
  const weft__drawing w = {"weft_standard_t", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"df", df, WEFT__ABOVE_0}};
  weft__distribution d = {
      .name = "standard_t", .kind = WEFT__DRAW_STUDENT, .parameters = 4, .parameter = {[3] = df / 2}};
  weft__gamma_parameters(d.parameter, df / 2);
  return weft__draw_floats(&w, &d, 1, given);
}

/* ---- von Mises ---- */

weft_status weft__vonmises_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double mu,
                              double kappa, const char *site) {
  const weft__drawing w = {"weft_vonmises", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"mu", mu, WEFT__ANY}, {"kappa", kappa, WEFT__FROM_0}};
  const double pi = acos(-1);
  /* less = 1 - rho and s of Best and Fisher. With r = 1 + root, root = sqrt(1 + 4 kappa^2), rho is (r - sqrt(2 r)) / (2
     kappa); 2 kappa - root is computed without cancellation. For a small kappa rho is kappa / 2. */
  const double root = hypot(1, 2 * kappa);
  double less = kappa < 1e-5 ? 1 - kappa / 2 : (sqrt(2 * (1 + root)) - 1 - 1 / (root + 2 * kappa)) / (2 * kappa);
  const double q = less / (2 - less), times = kappa < 1e-5 ? 1 - kappa : kappa * less * less / (2 * (1 - less));
  weft__distribution d = {.name = "vonmises",
                          .kind = WEFT__DRAW_VONMISES,
                          .parameters = 4,
                          .parameter = {isfinite(mu) ? remainder(mu, 2 * pi) : 0, q, times, 2 * kappa}};
  return weft__draw_floats(&w, &d, 2, given);
}

/* ---- truncated normal ---- */

/// Chooses the method for a standard normal number from a to b, a < b, where a > 0 or |a| <= b.
static uint64_t choose_method(double *constant, double a, double b) {
  const double rate = (a + hypot(a, 2)) / 2;
  if (a <= 0) {
    *constant = 0;
    return b - a > 2.5 ? WEFT__TRUNCATED_PLAIN : WEFT__TRUNCATED_UNIFORM;
  }
  if (rate * (b - a) < 1) {
    *constant = a;
    return WEFT__TRUNCATED_UNIFORM;
  }
  *constant = rate;
  return WEFT__TRUNCATED_EXPONENTIAL;
}

weft_status weft__truncated_normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double low,
                                      double high, const weft_truncated_normal_params *params) {
  const weft_truncated_normal_params p = WEFT__PARAMS(params);
  const double deviation = p.deviation == 0 ? 1 : p.deviation;
  const weft__drawing w = {"weft_truncated_normal", &out, rng, dtype, shape, p.site};
  const weft__draw_parameter given[] = {{"mean", p.mean, WEFT__ANY}, {"deviation", deviation, WEFT__ABOVE_0}};
  double a = (low - p.mean) / deviation, b = (high - p.mean) / deviation;
  const bool mirrored = a + b < 0 || (isinf(a) && isfinite(b));
  weft__distribution d = {.name = "truncated_normal", .kind = WEFT__DRAW_TRUNCATED, .parameters = 7};
  weft_status rc;
  weft__enter(w.function, p.site);
  WEFT__TRY(weft__draw_float(&d, &w));
  WEFT__TRY(weft__draw_check(&d, given, 2));
  if (!(low < high))
    WEFT__TRY(
        weft__fail(WEFT_ERROR_ARGUMENT, "high", "`low` is %g, `high` is %g; expected a greater `high`", low, high));
  if (mirrored) {
    const double swapped = -a;
    a = -b;
    b = swapped;
  }
  const weft__draw_parameter nearer[] = {{mirrored ? "high" : "low", a == -INFINITY ? 0 : a, WEFT__ANY}};
  WEFT__TRY(weft__draw_check(&d, nearer, 1));
  d.low = choose_method(&d.parameter[4], a, b);
  d.parameter[0] = p.mean;
  d.parameter[1] = mirrored ? -deviation : deviation;
  d.parameter[2] = a;
  d.parameter[3] = b;
  d.parameter[5] = low;
  d.parameter[6] = high;
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}
