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

/// Finds the dtype to draw in: `dtype` if given, else the result's if its kind is one of
/// `kinds`, else the distribution's default `own`. Errors: DTYPE.
static weft_status choose_dtype(weft_dtype *dtype, const weft_operand *out, const char *kinds, weft_dtype own,
                                const char *expected) {
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

weft_status weft__choose_float(weft__distribution *d, const weft__drawing *w) {
  d->dtype = w->dtype;
  char names[WEFT__DTYPE_NAMES];
  WEFT__TRY_RETURN(choose_dtype(&d->dtype, w->out, "f", WEFT_F32, weft__dtype_names(names, 'f')));
  d->is_long = d->dtype == WEFT_F64;
  return WEFT_OK;
}

weft_status weft__draw_float(weft__distribution *d, const weft__drawing *w) {
  WEFT__TRY_RETURN(weft__rng_check(w->rng));
  return weft__choose_float(d, w);
}

weft_status weft__draw_integer(weft_dtype *dtype, const weft__drawing *w) {
  WEFT__TRY_RETURN(weft__rng_check(w->rng));
  *dtype = w->dtype;
  return choose_dtype(dtype, w->out, "iu", WEFT_I64, "an integer dtype");
}

/// The largest finite number of the type in which `d` is computed: f64 for f64, else f32.
static double greatest_of(const weft__distribution *d) {
  return d->is_long ? DBL_MAX : FLT_MAX;
}

weft_status weft__draw_check(const weft__distribution *d, const weft__draw_parameter *parameter, int count) {
  static const char *const expected[] = {"a finite number", "a finite number of 0 or more", "a finite number above 0"};
  for (int k = 0; k < count; k++) {
    const weft__draw_parameter *p = &parameter[k];
    const bool in_bounds = p->bound == WEFT__ANY || p->value > 0 || (p->bound == WEFT__FROM_0 && p->value == 0);
    if (!isfinite(p->value) || !in_bounds)
      return weft__fail(WEFT_ERROR_ARGUMENT, p->name, "`%s` is %g; expected %s", p->name, p->value, expected[p->bound]);
    if (fabs(p->value) > greatest_of(d))
      return weft__fail(WEFT_ERROR_OVERFLOW, p->name,
                        "`%s` is %g, beyond the range of f32, in which %s is computed; draw in f64", p->name, p->value,
                        weft_dtype_name(d->dtype));
  }
  return WEFT_OK;
}

weft_status weft__draw_probability(double p, bool allows_0) {
  if (p <= 1 && (allows_0 ? p >= 0 : p > 0)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "p", "`p` is %g; expected a number %s 1", p,
                    allows_0 ? "from 0 to" : "above 0 and up to");
}

weft_status weft__draw_result(const weft__drawing *w, const weft__distribution *d) {
  weft__call c;
  weft_rng_state after;
  weft_status rc;
  weft__call_open(&c, NULL, 1, w->out, 0, NULL, NULL, w->site);
  WEFT__TRY(weft__rng_begin(&after, &c, w->rng));
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(d->dtype, c.context));
  if (d->is_long && d->parameters > 0) WEFT__TRY(weft__dtype_check(WEFT_F64, c.context));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, d->dtype, w->shape));
  rc = weft__draw_into(c.array[0], &after, d, w->site);
done:
  return weft__rng_close(w->rng, &after, &c, rc);
}

weft_status weft__draw_floats(const weft__drawing *w, weft__distribution *d, int count,
                              const weft__draw_parameter *parameter) {
  weft_status rc;
  weft__enter(w->function, w->site);
  WEFT__TRY(weft__draw_float(d, w));
  WEFT__TRY(weft__draw_check(d, parameter, count));
  rc = weft__draw_result(w, d);
done:
  return weft__leave(rc);
}

/* ---- random bits, and floats ---- */

weft_status weft__random_bits_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                 const char *site) {
  const weft__drawing w = {"weft_random_bits", &out, rng, dtype, shape, site};
  weft__distribution d = {.name = "random_bits", .kind = WEFT__DRAW_BITS, .dtype = dtype};
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__rng_check(rng));
  if (dtype == WEFT_DTYPE_NONE) d.dtype = weft__given_dtype(&out);
  if (d.dtype == WEFT_DTYPE_NONE) d.dtype = WEFT_U32;
  if (d.dtype != WEFT_U32 && d.dtype != WEFT_U64)
    WEFT__TRY(weft__fail(WEFT_ERROR_DTYPE, "dtype",
                         "`dtype` is %s; expected u32 or u64 (weft_integers makes other integers)",
                         weft_dtype_name(d.dtype)));
  d.is_long = d.dtype == WEFT_U64;
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}

weft_status weft__uniform_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double low,
                             double high, const char *site) {
  const weft__drawing w = {"weft_uniform", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"low", low, WEFT__ANY}, {"high", high, WEFT__ANY}};
  weft__distribution d = {
      .name = "uniform", .kind = WEFT__DRAW_UNIFORM, .parameters = 2, .parameter = {low, high - low}};
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__draw_float(&d, &w));
  WEFT__TRY(weft__draw_check(&d, given, 2));
  if (!(fabs(high - low) <= greatest_of(&d)))
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "high", "`high` - `low`, %g - %g, is over the greatest %s", high, low,
                         weft_dtype_name(d.dtype)));
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}

weft_status weft__normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double mean,
                            double deviation, const char *site) {
  const weft__drawing w = {"weft_normal", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"mean", mean, WEFT__ANY}, {"deviation", deviation, WEFT__FROM_0}};
  weft__distribution d = {.name = "normal", .kind = WEFT__DRAW_NORMAL, .parameters = 2, .parameter = {mean, deviation}};
  return weft__draw_floats(&w, &d, 2, given);
}

weft_status weft__exponential_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double scale,
                                 const char *site) {
  const weft__drawing w = {"weft_exponential", &out, rng, dtype, shape, site};
  const weft__draw_parameter given[] = {{"scale", scale, WEFT__FROM_0}};
  weft__distribution d = {.name = "exponential", .kind = WEFT__DRAW_EXPONENTIAL, .parameters = 1, .parameter = {scale}};
  return weft__draw_floats(&w, &d, 1, given);
}

/* ---- integers ---- */

weft_status weft__bernoulli_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, double p,
                               const char *site) {
  const weft__drawing w = {"weft_bernoulli", &out, rng, dtype, shape, site};
  weft__distribution d = {.name = "bernoulli", .kind = WEFT__DRAW_BERNOULLI, .dtype = dtype};
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__rng_check(rng));
  WEFT__TRY(choose_dtype(&d.dtype, &out, "b", WEFT_BOOL, "bool"));
  WEFT__TRY(weft__draw_probability(p, true));
  d.threshold = (uint64_t)nearbyint(p * 0x1p32);
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}

static weft_status integer_of(weft__wide *value, weft_scalar scalar, const char *name) {
  char kind = weft_dtype_kind(scalar.dtype);
  *value = kind == 'i' ? (weft__wide)scalar.value.i : (weft__wide)scalar.value.u;
  if (kind == 'i' || kind == 'u') return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected an integer", name, weft_dtype_name(scalar.dtype));
}

void weft__integer_limits(weft__wide *least, weft__wide *most, weft_dtype dtype) {
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
  const weft__drawing w = {"weft_integers", &out, rng, dtype, shape, site};
  weft__distribution d = {0};
  weft__wide from = 0, to = 0, least, most;
  weft_status rc;
  weft__enter(w.function, site);
  WEFT__TRY(weft__draw_integer(&d.dtype, &w));
  WEFT__TRY(integer_of(&from, low, "low"));
  WEFT__TRY(integer_of(&to, high, "high"));
  weft__integer_limits(&least, &most, d.dtype);
  if (from >= to)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "high",
                         "`high` is not above `low`: no integer is at least `low` and below `high`"));
  if (from < least || to - 1 > most)
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, from < least || from > most ? "low" : "high",
                         "%s cannot hold all integers from `low` to `high` - 1", weft_dtype_name(d.dtype)));
  d = weft__integers_of(d.dtype, from, to - from);
  rc = weft__draw_result(&w, &d);
done:
  return weft__leave(rc);
}
