// SPDX-License-Identifier: MIT
/// Distributions of counts: Poisson, binomial, geometric, negative binomial.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "op/random/random.h"

/* The greatest mean, and number of trials: counts are exact in f64. */
#define GREATEST 0x1p50
/* Below this mean numbers are found in a table, as in cl/random/counts.clh. */
#define FEW 10

/// table[k] is the distribution function at k, scaled to 2^64; the probability P(0) is `first`, and P(k + 1) is (a + b
/// k) / (k + 1) P(k). From the first value that f64 rounds to 2^64 on, entries are UINT64_MAX.
static void fill_table(uint64_t table[WEFT__DRAW_TABLE], double first, double a, double b) {
  double p = first, sum = p;
  for (int k = 0; k < WEFT__DRAW_TABLE; k++) {
    double scaled = sum * 0x1p64;
    table[k] = scaled >= 0x1p64 ? UINT64_MAX : (uint64_t)scaled;
    p *= fmax(a + b * k, 0) / (k + 1);
    sum += p;
    if (k > a && p < 0x1p-66) {
      for (k++; k < WEFT__DRAW_TABLE; k++) table[k] = UINT64_MAX;
    }
  }
}

/// Fails with OVERFLOW if the dtype cannot hold a number that is drawn.
static weft_status check_holds(weft_dtype dtype, double greatest, const char *what) {
  weft__wide least, most;
  weft__integer_limits(&least, &most, dtype);
  if (greatest <= (double)most) return WEFT_OK;
  return weft__fail(WEFT_ERROR_OVERFLOW, "dtype", "%s cannot hold all %s", weft_dtype_name(dtype), what);
}

weft_status weft__poisson_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double lambda,
                             const char *site) {
  const weft__drawing w = {"weft_poisson", &out, rng, dtype, shape, site};
  uint64_t table[WEFT__DRAW_TABLE];
  char what[60];
  weft__distribution d = {
      .name = "poisson", .kind = WEFT__DRAW_TABLED, .is_long = true, .size = 1, .threshold = WEFT__DRAW_TABLE};
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__draw_integer(&d.dtype, &w));
  if (!(lambda >= 0 && lambda <= GREATEST))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "lambda", "`lambda` is %g; expected a number from 0 to 2^50", lambda));
  if (lambda < FEW) {
    d.table = table;
    fill_table(table, exp(-lambda), lambda, 0);
  } else {
    snprintf(what, sizeof what, "Poisson numbers of mean %g", lambda);
    d.kind = WEFT__DRAW_POISSON;
    d.parameters = 1;
    d.parameter[0] = lambda;
    WEFT__TRY(check_holds(d.dtype, lambda + 12 * sqrt(lambda), what));
  }
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}

weft_status weft__draw_trials(weft_dtype dtype, int64_t n) {
  weft__wide least, most;
  weft__integer_limits(&least, &most, dtype);
  if (n < 0 || (double)n > GREATEST)
    return weft__fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %" PRId64 "; expected a number from 0 to 2^50", n);
  if (n <= most) return WEFT_OK;
  return weft__fail(WEFT_ERROR_OVERFLOW, "dtype", "%s cannot hold `n`, %" PRId64, weft_dtype_name(dtype), n);
}

weft_status weft__binomial_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, int64_t n, double p,
                              const char *site) {
  const weft__drawing w = {"weft_binomial", &out, rng, dtype, shape, site};
  const double trials = (double)n, less = fmin(p, 1 - p), odds = less / (1 - less);
  uint64_t table[WEFT__DRAW_TABLE];
  weft__distribution d = {.name = "binomial", .kind = WEFT__DRAW_TABLED, .is_long = true, .size = 1};
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__draw_integer(&d.dtype, &w));
  WEFT__TRY(weft__draw_trials(d.dtype, n));
  WEFT__TRY(weft__draw_probability(p, true));
  if (p > 0.5) { /* failures are counted, from n down */
    d.low = (uint64_t)n;
    d.size = UINT64_MAX;
  }
  if (trials * less < FEW) {
    d.table = table;
    d.threshold = (uint64_t)(n < WEFT__DRAW_TABLE ? n : WEFT__DRAW_TABLE);
    fill_table(table, exp(trials * log1p(-less)), trials * odds, -odds);
  } else {
    d.kind = WEFT__DRAW_BINOMIAL;
    d.parameters = 2;
    d.parameter[0] = trials;
    d.parameter[1] = less;
  }
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}

weft_status weft__geometric_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double p,
                               const char *site) {
  const weft__drawing w = {"weft_geometric", &out, rng, dtype, shape, site};
  const double rate = -log1p(-p);
  char what[60];
  weft__distribution d = {.name = "geometric",
                          .kind = WEFT__DRAW_GEOMETRIC,
                          .is_long = true,
                          .parameters = 2,
                          .parameter = {rate, 1 / rate}};
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__draw_integer(&d.dtype, &w));
  WEFT__TRY(weft__draw_probability(p, false));
  /* the greatest exponential number is 54 log(2) */
  snprintf(what, sizeof what, "geometric numbers of p = %g", p);
  WEFT__TRY(check_holds(d.dtype, 38 / rate + 1, what));
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}

weft_status weft__negative_binomial_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double n,
                                       double p, const char *site) {
  const weft__drawing w = {"weft_negative_binomial", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"n", n, WEFT__ABOVE_0}};
  const double scale = (1 - p) / p, greatest = scale * (n + 12 * sqrt(n) + 60);
  char what[80];
  weft__distribution d = {.name = "negative_binomial",
                          .kind = WEFT__DRAW_NEGATIVE_BINOMIAL,
                          .is_long = true,
                          .parameters = 5,
                          .parameter = {[3] = scale, [4] = greatest}};
  weft_status rc;
  weft__enter(w.function, site);
  weft__gamma_parameters(d.parameter, n);
  WEFT__TRY(weft__draw_integer(&d.dtype, &w));
  WEFT__TRY(weft__draw_check(&d, given, 1));
  WEFT__TRY(weft__draw_probability(p, false));
  snprintf(what, sizeof what, "negative binomial numbers of n = %g, p = %g", n, p);
  if (greatest > GREATEST) WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "p", "%s exceed 2^50", what));
  WEFT__TRY(check_holds(d.dtype, greatest + 12 * sqrt(greatest), what));
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}
