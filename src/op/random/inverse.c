// SPDX-License-Identifier: MIT
/// Distributions of floats by inversion of their distribution functions, and lognormal numbers.
#include <math.h>

#include "op/random/random.h"

weft_status weft__lognormal_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double mean,
                               double sigma, const char *site) {
  const weft__drawing w = {"weft_lognormal", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"mean", mean, WEFT__ANY}, {"sigma", sigma, WEFT__FROM_0}};
  weft__distribution d = {
      .name = "lognormal", .kind = WEFT__DRAW_LOGNORMAL, .parameters = 2, .parameter = {mean, sigma}};
  return weft__draw_floats(&w, &d, 2, given);
}

/// A distribution of a place and a scale.
static weft_status draw_placed(const weft__drawing *w, const char *name, int kind, double loc, double scale) {
  const weft__draw_parameter given[] = {{"loc", loc, WEFT__ANY}, {"scale", scale, WEFT__FROM_0}};
  weft__distribution d = {.name = name, .kind = kind, .parameters = 2, .parameter = {loc, scale}};
  return weft__draw_floats(w, &d, 2, given);
}

weft_status weft__laplace_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double loc,
                             double scale, const char *site) {
  const weft__drawing w = {"weft_laplace", &out, rng, dtype, shape, site};
  return draw_placed(&w, "laplace", WEFT__DRAW_LAPLACE, loc, scale);
}

weft_status weft__logistic_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double loc,
                              double scale, const char *site) {
  const weft__drawing w = {"weft_logistic", &out, rng, dtype, shape, site};
  return draw_placed(&w, "logistic", WEFT__DRAW_LOGISTIC, loc, scale);
}

weft_status weft__gumbel_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double loc,
                            double scale, const char *site) {
  const weft__drawing w = {"weft_gumbel", &out, rng, dtype, shape, site};
  return draw_placed(&w, "gumbel", WEFT__DRAW_GUMBEL, loc, scale);
}

/// A distribution whose kernel gets 1 / a.
static weft_status draw_inverse(const weft__drawing *w, const char *name, int kind, double a) {
  const weft__draw_parameter given[] = {{"a", a, WEFT__ABOVE_0}};
  /* 1 / a is limited to fit f32: with a larger one all draws are 0 or infinite anyway */
  weft__distribution d = {.name = name, .kind = kind, .parameters = 1, .parameter = {fmin(1 / a, 1e30)}};
  return weft__draw_floats(w, &d, 1, given);
}

weft_status weft__weibull_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double a,
                             const char *site) {
  const weft__drawing w = {"weft_weibull", &out, rng, dtype, shape, site};
  return draw_inverse(&w, "weibull", WEFT__DRAW_WEIBULL, a);
}

weft_status weft__pareto_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double a,
                            const char *site) {
  const weft__drawing w = {"weft_pareto", &out, rng, dtype, shape, site};
  return draw_inverse(&w, "pareto", WEFT__DRAW_PARETO, a);
}

weft_status weft__rayleigh_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double scale,
                              const char *site) {
  const weft__drawing w = {"weft_rayleigh", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"scale", scale, WEFT__FROM_0}};
  weft__distribution d = {.name = "rayleigh", .kind = WEFT__DRAW_RAYLEIGH, .parameters = 1, .parameter = {scale}};
  return weft__draw_floats(&w, &d, 1, given);
}

weft_status weft__triangular_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double left,
                                double mode, double right, const char *site) {
  const weft__drawing w = {"weft_triangular", &out, rng, dtype, shape, site};
  const double whole = right - left;
  const weft__draw_parameter given[] = {
      {"left", left, WEFT__ANY}, {"mode", mode, WEFT__ANY}, {"right", right, WEFT__ANY}, {"right", whole, WEFT__ANY}};
  weft__distribution d = {.name = "triangular",
                          .kind = WEFT__DRAW_TRIANGULAR,
                          .parameters = 5,
                          .parameter = {left, right, (mode - left) / whole, sqrt(mode - left) * sqrt(whole),
                                        sqrt(right - mode) * sqrt(whole)}};
  weft_status rc;
  weft__enter(w.function, w.site);
  WEFT__TRY(weft__draw_float(&d, &w));
  WEFT__TRY(weft__draw_check(&d, given, 4));
  if (!(left <= mode && mode <= right && left < right))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "mode",
                         "`left`, `mode` and `right` are %g, %g and %g; expected `left` <= "
                         "`mode` <= `right` and `left` < `right`",
                         left, mode, right));
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}
