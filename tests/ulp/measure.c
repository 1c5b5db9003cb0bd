// SPDX-License-Identifier: MIT
// An error is |got - exact| / ulp(exact), where ulp is the distance of neighbours in the format at the exact result;
// the exact result is not rounded first. The host's functions are a filter: MPFR computes a point if they find it worse
// than the worst so far, and also every 1024th point, which shows how good the filter is.
#include "measure.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define PRECISION 192
#define MAX_THREADS 64
/* Every rounding makes errors up to this; an exhaustive run would otherwise send all small arguments to MPFR. */
#define UNREMARKABLE 0.4

typedef struct job {
  const ulp_function *function;
  const ulp_format *format;
  const void *const *in;
  const void *got;
  size_t begin, end;
  ulp_worst worst;
} job;

static double overflow_at(const ulp_format *format) {
  return ldexp(1 - ldexp(1, -format->digits - 1), format->max_exponent) * 2;
}

/// The power of two whose units the errors of results closer to 0 count in, too.
static double least(const ulp_function *f, const ulp_format *format, const double *v) {
  const double normal = ldexp(1, format->min_exponent), larger = f->has_larger ? fabs(fmax(v[0], v[1])) : 0;
  if (f->absolute_below_0 && v[0] < 0) return 1;
  return larger > normal && isfinite(larger) ? ldexp(1, ilogb(larger)) : normal;
}

static double exact_error(double *expected, bool *zero_sign, const ulp_function *function, const ulp_format *format,
                          const double *v, double got, mpfr_t *t) {
  for (int k = 0; k < function->arity; k++) mpfr_set_d(t[k], v[k], MPFR_RNDN);
  function->exact(t[3], (const mpfr_t *)t);
  mpfr_ptr r = t[3], d = t[4];
  *expected = mpfr_get_d(r, MPFR_RNDN);
  if (mpfr_nan_p(r)) return isnan(got) ? 0 : INFINITY;
  if (isnan(got)) return INFINITY;
  if (mpfr_zero_p(r)) {
    if (got != 0) return fabs(got) / ldexp(1, format->min_exponent - format->digits + 1);
    *zero_sign = !signbit(got) != !mpfr_signbit(r);
    return 0;
  }
  bool negative = mpfr_signbit(r);
  // overflow: from halfway between the largest number and the next that there would be
  mpfr_set_d(d, 1, MPFR_RNDN);
  mpfr_mul_2si(d, d, -format->digits - 1, MPFR_RNDN);
  mpfr_ui_sub(d, 1, d, MPFR_RNDN);
  mpfr_mul_2si(d, d, format->max_exponent + 1, MPFR_RNDN);
  bool over = mpfr_cmpabs(r, d) >= 0;
  if (isinf(got) && over) return (got < 0) == negative ? 0 : INFINITY;
  if (mpfr_inf_p(r)) return INFINITY;
  int exponent = (int)mpfr_get_exp(r) - 1;
  if (exponent < ilogb(least(function, format, v))) exponent = ilogb(least(function, format, v));
  if (exponent > format->max_exponent) exponent = format->max_exponent;
  if (isinf(got)) { /* counts as the number that would come after the largest */
    mpfr_set_si_2exp(d, got < 0 ? -1 : 1, format->max_exponent + 1, MPFR_RNDN);
  } else {
    mpfr_set_d(d, got, MPFR_RNDN);
  }
  mpfr_sub(d, d, r, MPFR_RNDN);
  mpfr_mul_2si(d, d, format->digits - 1 - exponent, MPFR_RNDN);
  return fabs(mpfr_get_d(d, MPFR_RNDU));
}

// The error against a reference that is itself only approximate. Differences that involve infinities, NaN or zero are
// left to MPFR.
static double near_error(const ulp_format *format, double smallest, double reference, double got) {
  if (!isfinite(reference) || !isfinite(got) || reference == 0) {
    if (isnan(reference) && isnan(got)) return 0;
    if (isnan(reference) || isnan(got)) return INFINITY;
    if (reference == got && signbit(reference) == signbit(got)) return 0;
    return isinf(got) && fabs(reference) > overflow_at(format) && signbit(got) == signbit(reference) ? 0 : INFINITY;
  }
  uint64_t bits;
  double power;
  memcpy(&bits, &reference, sizeof bits);
  bits &= (uint64_t)0x7ff << 52;
  memcpy(&power, &bits, sizeof power);
  if (power < smallest) power = smallest;
  return fabs(reference - got) / power * ldexp(1, format->digits - 1);
}

static double nearer_error(const ulp_format *format, double smallest, long double reference, double got) {
  if (!isfinite(reference) || !isfinite(got) || reference == 0 || fabsl(reference) > 0x1.fffffffffffff8p1023L) {
    if (isnan(reference) && isnan(got)) return 0;
    if (isnan(reference) || isnan(got)) return INFINITY;
    if ((reference == got || fabsl(reference) > 0x1.fffffffffffff8p1023L) && signbit(reference) == signbit(got) &&
        (isinf(got) || reference == 0))
      return 0;
    return INFINITY;
  }
  int exponent;
  frexpl(reference, &exponent);
  if (--exponent < ilogb(smallest)) exponent = ilogb(smallest);
  return (double)scalbnl(fabsl(reference - got), format->digits - 1 - exponent);
}

static void *compare(void *user) {
  job *j = user;
  const ulp_function *f = j->function;
  ulp_worst *worst = &j->worst;
  mpfr_t t[5];
  for (int k = 0; k < 5; k++) mpfr_init2(t[k], PRECISION);
  for (size_t i = j->begin; i < j->end; i++) {
    double v[ULP_MAX_ARITY] = {0}, got = ulp_read(j->format, j->got, i), error = INFINITY;
    for (int k = 0; k < f->arity; k++) v[k] = ulp_read(j->format, j->in[k], i);
    double smallest = least(f, j->format, v);
    if (j->format->dtype == WEFT_F64) {
      long double lv[ULP_MAX_ARITY] = {v[0], v[1], v[2]};
      if (f->nearer) error = nearer_error(j->format, smallest, f->nearer(lv), got);
    } else {
      error = near_error(j->format, smallest, f->near(v), got);
    }
    if ((error <= worst->error || error < UNREMARKABLE) && i % 1024 != 0) continue;
    bool zero_sign = false;
    double expected, exact = exact_error(&expected, &zero_sign, f, j->format, v, got, t);
    worst->exact_points++;
    worst->zero_signs += zero_sign;
    if (isfinite(error) && isfinite(exact) && fabs(error - exact) > worst->filter_off)
      worst->filter_off = fabs(error - exact);
    if (exact > worst->error) {
      worst->error = exact;
      memcpy(worst->argument, v, sizeof v);
      worst->got = got;
      worst->expected = expected;
    }
  }
  for (int k = 0; k < 5; k++) mpfr_clear(t[k]);
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  return NULL;
}

void ulp_compare(ulp_worst *worst, const ulp_function *function, const ulp_format *format, const void *const *in,
                 const void *got, size_t count, int threads) {
  job jobs[MAX_THREADS];
  pthread_t running[MAX_THREADS];
  bool started[MAX_THREADS];
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  for (int k = 0; k < threads; k++) {
    size_t begin = count * (size_t)k / (size_t)threads, end = count * (size_t)(k + 1) / (size_t)threads;
    jobs[k] = (job){function, format, in, got, begin, end, *worst};
    jobs[k].worst.exact_points = jobs[k].worst.zero_signs = 0;
    started[k] = k + 1 < threads && pthread_create(&running[k], NULL, compare, &jobs[k]) == 0;
    if (!started[k]) compare(&jobs[k]);
  }
  worst->points += count;
  for (int k = 0; k < threads; k++) {
    if (started[k]) pthread_join(running[k], NULL);
    ulp_worst *other = &jobs[k].worst, before = *worst;
    if (other->error > worst->error) *worst = *other;
    worst->points = before.points;
    worst->exact_points = before.exact_points + other->exact_points;
    worst->zero_signs = before.zero_signs + other->zero_signs;
    worst->filter_off = fmax(before.filter_off, other->filter_off);
  }
}
