// SPDX-License-Identifier: MIT
/// The distributions: checks of their parameters, and the numbers passed to the kernels.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "op/random/random.h"

/* ---- common ---- */

weft_dtype weft__given_dtype(const weft_operand *out) {
  if (out->kind == WEFT_OPERAND_HOST_RESULT) return out->as.host_result.dtype;
  const bool is_array =
      out->kind == WEFT_OPERAND_RESULT && out->as.result && weft__handle_is(*out->as.result, WEFT__MAGIC_ARRAY);
  return is_array ? (*out->as.result)->dtype : WEFT_DTYPE_NONE;
}

/// Checks the generator and finds the dtype to draw in: `dtype` if given, else the result's if its kind is one of
/// `kinds`, else the distribution's default `own`. Errors: HANDLE, DTYPE.
static weft_status choose_dtype(weft_dtype *dtype, const weft_rng *rng, const weft_operand *out, const char *kinds,
                                weft_dtype own, const char *expected) {
  WEFT__TRY_RETURN(weft__rng_check(rng));
  if (*dtype == WEFT_DTYPE_NONE) {
    weft_dtype given = weft__given_dtype(out);
    char kind = weft_dtype_kind(given);
    *dtype = kind && strchr(kinds, kind) ? given : own;
    return WEFT_OK;
  }
  char kind = weft_dtype_kind(*dtype);
  if (kind && strchr(kinds, kind)) return WEFT_OK;
  if (!kind)
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %d, which is no weft_dtype; expected %s", (int)*dtype,
                      expected);
  return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s; expected %s", weft_dtype_name(*dtype), expected);
}

static weft_status choose_float(weft__distribution *d, const weft_rng *rng, weft_dtype dtype, const weft_operand *out) {
  d->dtype = dtype;
  char names[WEFT__DTYPE_NAMES];
  WEFT__TRY_RETURN(choose_dtype(&d->dtype, rng, out, "f", WEFT_F32, weft__dtype_names(names, 'f')));
  d->is_long = d->dtype == WEFT_F64;
  return WEFT_OK;
}

/// The largest finite number of the type in which `d` is computed: f64 for f64, else f32.
static double greatest_of(const weft__distribution *d) {
  return d->is_long ? DBL_MAX : FLT_MAX;
}

/// Checks that a parameter is finite and at least `least`, and fits the kernel's type. Errors: ARGUMENT, OVERFLOW.
static weft_status check_finite(const weft__distribution *d, const char *name, double value, double least,
                                const char *expected) {
  if (!(isfinite(value) && value >= least))
    return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is %g; expected %s", name, value, expected);
  if (fabs(value) <= greatest_of(d)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_OVERFLOW, name,
                    "`%s` is %g, beyond the range of f32, in which %s is computed; draw in f64", name, value,
                    weft_dtype_name(d->dtype));
}

static weft_status draw(weft_operand *out, weft_rng *rng, const weft__distribution *d, weft_shape shape,
                        const char *site) {
  weft__call c;
  weft_rng_state after;
  weft_status rc;
  weft__call_open(&c, NULL, 1, out, 0, NULL, NULL, site);
  WEFT__TRY(weft__rng_begin(&after, &c, rng));
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(d->dtype, c.context));
  if (d->kind == WEFT__DRAW_POISSON) WEFT__TRY(weft__dtype_check(WEFT_F64, c.context));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, d->dtype, shape));
  rc = weft__draw_into(c.array[0], &after, d, site);
done:
  return weft__rng_close(rng, &after, &c, rc);
}

/* ---- random bits, and floats ---- */

weft_status weft__random_bits_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                 const char *site) {
  weft__distribution d = {.name = "random_bits", .kind = WEFT__DRAW_BITS, .dtype = dtype};
  weft_status rc;
  weft__enter("weft_random_bits", site);
  WEFT__TRY(weft__rng_check(rng));
  if (dtype == WEFT_DTYPE_NONE) d.dtype = weft__given_dtype(&out);
  if (d.dtype == WEFT_DTYPE_NONE) d.dtype = WEFT_U32;
  if (d.dtype != WEFT_U32 && d.dtype != WEFT_U64)
    WEFT__TRY(weft__fail(WEFT_ERROR_DTYPE, "dtype",
                         "`dtype` is %s; expected u32 or u64 (weft_integers makes other integers)",
                         weft_dtype_name(d.dtype)));
  d.is_long = d.dtype == WEFT_U64;
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}

weft_status weft__uniform_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double low,
                             double high, const char *site) {
  weft__distribution d = {
      .name = "uniform", .kind = WEFT__DRAW_UNIFORM, .parameters = 2, .parameter = {low, high - low}};
  weft_status rc;
  weft__enter("weft_uniform", site);
  WEFT__TRY(choose_float(&d, rng, dtype, &out));
  WEFT__TRY(check_finite(&d, "low", low, -INFINITY, "a finite number"));
  WEFT__TRY(check_finite(&d, "high", high, -INFINITY, "a finite number"));
  if (!(fabs(high - low) <= greatest_of(&d)))
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "high", "`high` - `low`, %g - %g, is over the greatest %s", high, low,
                         weft_dtype_name(d.dtype)));
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}

weft_status weft__normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double mean,
                            double deviation, const char *site) {
  weft__distribution d = {.name = "normal", .kind = WEFT__DRAW_NORMAL, .parameters = 2, .parameter = {mean, deviation}};
  weft_status rc;
  weft__enter("weft_normal", site);
  WEFT__TRY(choose_float(&d, rng, dtype, &out));
  WEFT__TRY(check_finite(&d, "mean", mean, -INFINITY, "a finite number"));
  WEFT__TRY(check_finite(&d, "deviation", deviation, 0, "a finite number of 0 or more"));
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}

weft_status weft__exponential_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double scale,
                                 const char *site) {
  weft__distribution d = {.name = "exponential", .kind = WEFT__DRAW_EXPONENTIAL, .parameters = 1, .parameter = {scale}};
  weft_status rc;
  weft__enter("weft_exponential", site);
  WEFT__TRY(choose_float(&d, rng, dtype, &out));
  WEFT__TRY(check_finite(&d, "scale", scale, 0, "a finite number of 0 or more"));
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}

weft_status weft__gamma_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double k, double theta,
                           const char *site) {
  const double d = (k < 1 ? k + 1 : k) - 1.0 / 3;
  /* 1 / k is limited to fit f32; with a larger one all draws are 0 anyway */
  weft__distribution gamma = {.name = "gamma",
                              .kind = WEFT__DRAW_GAMMA,
                              .parameters = 4,
                              .parameter = {d, 1 / (3 * sqrt(d)), theta, k < 1 ? fmin(1 / k, 1e30) : 0}};
  weft_status rc;
  weft__enter("weft_gamma", site);
  WEFT__TRY(choose_float(&gamma, rng, dtype, &out));
  WEFT__TRY(check_finite(&gamma, "k", k, DBL_TRUE_MIN, "a finite number above 0"));
  WEFT__TRY(check_finite(&gamma, "theta", theta, 0, "a finite number of 0 or more"));
  rc = draw(&out, rng, &gamma, shape, site);
done:
  return weft__leave(rc);
}

/* ---- integers ---- */

weft_status weft__bernoulli_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double p,
                               const char *site) {
  weft__distribution d = {.name = "bernoulli", .kind = WEFT__DRAW_BERNOULLI, .dtype = dtype};
  weft_status rc;
  weft__enter("weft_bernoulli", site);
  WEFT__TRY(choose_dtype(&d.dtype, rng, &out, "b", WEFT_BOOL, "bool"));
  if (!(p >= 0 && p <= 1))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "p", "`p` is %g; expected a number from 0 to 1", p));
  d.threshold = (uint64_t)nearbyint(p * 0x1p32);
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}

static weft_status integer_of(weft__wide *value, weft_scalar scalar, const char *name) {
  char kind = weft_dtype_kind(scalar.dtype);
  *value = kind == 'i' ? (weft__wide)scalar.value.i : (weft__wide)scalar.value.u;
  if (kind == 'i' || kind == 'u') return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected an integer", name, weft_dtype_name(scalar.dtype));
}

static void limits_of(weft__wide *least, weft__wide *most, weft_dtype dtype) {
  int bits = 8 * (int)weft_dtype_size_bytes(dtype);
  bool is_signed = weft_dtype_kind(dtype) == 'i';
  *least = is_signed ? -((weft__wide)1 << (bits - 1)) : 0;
  *most = ((weft__wide)1 << (is_signed ? bits - 1 : bits)) - 1;
}

weft__distribution weft__integers_of(weft_dtype dtype, weft__wide low, weft__wide size) {
  weft__distribution d = {
      .name = "integers", .kind = WEFT__DRAW_INTEGERS, .dtype = dtype, .low = (uint64_t)low, .size = (uint64_t)size};
  d.is_long = size > (weft__wide)1 << 32;
  d.threshold = (uint64_t)((((weft__wide)1 << (d.is_long ? 64 : 32)) - size) % size);
  return d;
}

weft_status weft__integers_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, weft_scalar low,
                              weft_scalar high, const char *site) {
  weft__distribution d = {.dtype = dtype};
  weft__wide from = 0, to = 0, least, most;
  weft_status rc;
  weft__enter("weft_integers", site);
  WEFT__TRY(choose_dtype(&d.dtype, rng, &out, "iu", WEFT_I64, "an integer dtype"));
  WEFT__TRY(integer_of(&from, low, "low"));
  WEFT__TRY(integer_of(&to, high, "high"));
  limits_of(&least, &most, d.dtype);
  if (from >= to)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "high",
                         "`high` is not above `low`: no integer is at least `low` and below `high`"));
  if (from < least || to - 1 > most)
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, from < least || from > most ? "low" : "high",
                         "%s cannot hold all integers from `low` to `high` - 1", weft_dtype_name(d.dtype)));
  d = weft__integers_of(d.dtype, from, to - from);
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}

/// table[k] is the distribution function at k, scaled to 2^64. From the first value that f64 rounds to 2^64 on, entries
/// are UINT64_MAX.
static void fill_poisson(uint64_t table[WEFT__DRAW_TABLE], double lambda) {
  double p = exp(-lambda), sum = p;
  for (int k = 0; k < WEFT__DRAW_TABLE; k++) {
    double scaled = sum * 0x1p64;
    table[k] = scaled >= 0x1p64 ? UINT64_MAX : (uint64_t)scaled;
    p *= lambda / (k + 1);
    sum += p;
    if (k > lambda && p < 0x1p-66) {
      for (k++; k < WEFT__DRAW_TABLE; k++) table[k] = UINT64_MAX;
    }
  }
}

weft_status weft__poisson_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double lambda,
                             const char *site) {
  uint64_t table[WEFT__DRAW_TABLE];
  weft__distribution d = {.name = "poisson", .kind = WEFT__DRAW_POISSON, .dtype = dtype, .is_long = true};
  weft__wide least, most;
  weft_status rc;
  weft__enter("weft_poisson", site);
  WEFT__TRY(choose_dtype(&d.dtype, rng, &out, "iu", WEFT_I64, "an integer dtype"));
  if (!(lambda >= 0 && lambda <= 0x1p50))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "lambda", "`lambda` is %g; expected a number from 0 to 2^50", lambda));
  limits_of(&least, &most, d.dtype);
  if (lambda < 10) {
    d.kind = WEFT__DRAW_TABLED;
    d.table = table;
    fill_poisson(table, lambda);
  } else {
    /* constants of the PTRS algorithm */
    const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    const double parameter[] = {lambda, log(lambda), a, b, log(1.1239 + 1.1328 / (b - 3.4)), 0.9277 - 3.6224 / (b - 2)};
    d.parameters = 6;
    memcpy(d.parameter, parameter, sizeof parameter);
    if (lambda + 12 * sqrt(lambda) > (double)most)
      WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "dtype", "%s cannot hold all Poisson numbers of mean %g",
                           weft_dtype_name(d.dtype), lambda));
  }
  rc = draw(&out, rng, &d, shape, site);
done:
  return weft__leave(rc);
}
