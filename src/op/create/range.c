// SPDX-License-Identifier: MIT
/// weft_arange and weft_linspace: evenly spaced numbers; weft_logspace and weft_geomspace: powers of these.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/eval.h>

#include "call/call.h"
#include "cl/create/args.h"
#include "dtype/opencl.h"
#include "dtype/scalar.h"
#include "op/create/range.h"

static double to_double(weft_scalar s) {
  char kind = weft_dtype_kind(s.dtype);
  return kind == 'f' ? s.value.f : kind == 'i' ? (double)s.value.i : (double)s.value.u;
}

static bool is_integer(weft_scalar s) {
  return weft_dtype_kind(s.dtype) != 'f';
}

static weft_status too_long(void) {
  return weft__fail(WEFT_ERROR_OVERFLOW, "stop", "the range from `start` to `stop` has more than 2^63-1 elements");
}

/// Sums and differences of two 64-bit integers of either sign need 65 bits.
__extension__ typedef __int128 wide;

static wide wide_of(weft_scalar s) {
  return weft_dtype_kind(s.dtype) == 'i' ? (wide)s.value.i : (wide)s.value.u;
}

static weft_status integer_length(int64_t *size, weft_scalar start, weft_scalar stop, weft_scalar step) {
  wide by = wide_of(step), distance = wide_of(stop) - wide_of(start);
  if (by == 0) return weft__fail(WEFT_ERROR_ARGUMENT, "step", "`step` is 0");
  wide length = distance / by + (distance % by != 0 && (distance > 0) == (by > 0));
  if ((distance > 0) != (by > 0) || distance == 0) length = 0;
  if (length > INT64_MAX) return too_long();
  *size = (int64_t)length;
  return WEFT_OK;
}

static const char *const range_names[] = {"start", "stop", "step"};

static weft_status float_length(int64_t *size, double start, double stop, double step) {
  if (step == 0) return weft__fail(WEFT_ERROR_ARGUMENT, "step", "`step` is 0");
  const double all[] = {start, stop, step};
  for (int i = 0; i < 3; i++)
    if (isnan(all[i]))
      return weft__fail(WEFT_ERROR_ARGUMENT, range_names[i], "`%s` is NaN; expected a number", range_names[i]);
  double length = ceil((stop - start) / step);
  if (isnan(length))
    return weft__fail(WEFT_ERROR_ARGUMENT, "start", "start %g, stop %g, step %g make no range", start, stop, step);
  if (length >= 9223372036854775808.0) return too_long();
  *size = length > 0 ? (int64_t)length : 0;
  return WEFT_OK;
}

/// Converts one of the first two elements. As in NumPy, an element that does not fit the dtype is an error.
static weft_status range_element(int64_t *element, weft_dtype dtype, weft_scalar value, bool is_second) {
  uint64_t bytes[2];
  if (weft__scalar_bytes(bytes, dtype, value)) {
    weft__scalar_bytes(bytes, weft_dtype_kind(dtype) == 'i' ? WEFT_I64 : WEFT_U64, value);
    memcpy(element, bytes, sizeof *element);
    return WEFT_OK;
  }
  weft__text text = {0};
  weft__scalar_describe(&text, value);
  weft__fail(WEFT_ERROR_OVERFLOW, range_names[is_second ? 2 : 0], "%s is %s, which %s cannot hold",
             is_second ? "the second element, `start` + `step`," : "`start`", weft__text_chars(&text),
             weft_dtype_name(dtype));
  weft__text_free(&text);
  return WEFT_ERROR_OVERFLOW;
}

static weft_status integer_second(int64_t *element, weft_dtype dtype, weft_scalar start, weft_scalar step) {
  const wide second = wide_of(start) + wide_of(step);
  if (second < INT64_MIN || second > UINT64_MAX)
    return weft__fail(WEFT_ERROR_OVERFLOW, "step", "the second element, `start` + `step`, is beyond 64 bits");
  return range_element(element, dtype, second < 0 ? WEFT_SCALAR((int64_t)second) : WEFT_SCALAR((uint64_t)second), true);
}

/// As in NumPy, the first two elements are computed directly. Their difference, in the dtype, is the step of the
/// others.
static weft_status plan_arange(weft__range_of *r, weft_dtype dtype, weft_scalar start, weft_scalar stop,
                               weft_scalar step) {
  char kind = weft_dtype_kind(dtype);
  const weft_scalar all[] = {start, stop, step};
  for (int i = 0; i < 3; i++)
    if (!weft__dtype(all[i].dtype) || weft_dtype_kind(all[i].dtype) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, range_names[i], "`%s` is %s; expected an integer or a float", range_names[i],
                        weft_dtype_name(all[i].dtype));
  if (kind == 'b' || kind == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s; expected an integer or float dtype",
                      weft_dtype_name(dtype));
  bool integers = is_integer(start) && is_integer(stop) && is_integer(step);
  double first = to_double(start), second = first + to_double(step);
  WEFT__TRY_RETURN(integers ? integer_length(&r->size, start, stop, step)
                            : float_length(&r->size, first, to_double(stop), to_double(step)));
  r->given = 1;
  if (kind == 'f') {
    r->real = weft__computed_dtype(dtype);
    r->start = weft__float_rounded(dtype, first);
    r->given_value = weft__float_rounded(dtype, second);
    r->step = r->real == WEFT_F32 ? (double)((float)r->given_value - (float)r->start) : r->given_value - r->start;
    return WEFT_OK;
  }
  r->real = WEFT_I64;
  r->given = UINT64_MAX;
  /* two's complement: also correct for u64 from 2^63 on */
  if (r->size > 0) WEFT__TRY_RETURN(range_element(&r->start_i, dtype, integers ? start : WEFT_SCALAR(first), false));
  if (r->size < 2) return WEFT_OK;
  WEFT__TRY_RETURN(integers ? integer_second(&r->step_i, dtype, start, step)
                            : range_element(&r->step_i, dtype, WEFT_SCALAR(second), true));
  r->step_i = (int64_t)((uint64_t)r->step_i - (uint64_t)r->start_i);
  return WEFT_OK;
}

/* ---- the launch ---- */

typedef struct range_key {
  uint8_t real, dtype, in_parts;
} range_key;

static void write_range(weft__text *text, const void *data) {
  const range_key *key = data;
  const weft_dtype real = (weft_dtype)key->real;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define WHOLE %d\n#define WIDE %d\n#define IN_PARTS %d\n", real == WEFT_I64,
                 weft__needs_fp64(real), key->in_parts);
}

uint64_t weft__range_bits(weft_dtype real, double number, int64_t integer) {
  return real == WEFT_I64 ? (uint64_t)integer : weft__float_bits(real, number);
}

weft_status weft__range_kernels_run(bool *is_done, const void *task) {
  const weft__range_task *t = task;
  const weft__range_of *r = t->range;
  static const char *const names[] = {"weft_range"};
  weft__kernel *kernel;
  const range_key key = {(uint8_t)r->real, (uint8_t)t->x->dtype, r->parts != 0};
  const weft__kernel_source source = {
      .name = "range",
      .key = {.file = "create/range.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(range_key, &key)},
      .write = write_range};
  *is_done = true;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &t->x->context->store, &source));
  const weft__range_args a = {.offset = (uint64_t)t->x->offset_bytes,
                              .size = (uint64_t)r->size,
                              .given = r->given,
                              .start = weft__range_bits(r->real, r->start, r->start_i),
                              .step = weft__range_bits(r->real, r->step, r->step_i),
                              .given_value = weft__range_bits(r->real, r->given_value, 0),
                              .parts = weft__range_bits(r->real, r->parts, 0)};
  return weft__run_own(kernel, a.size, t->x, NULL, &a, sizeof a, t->site);
}

static weft_status run_range(weft_array *x, const weft__range_of *r, const char *site) {
  const weft__range_task t = {x, r, site};
  return r->size == 0 ? WEFT_OK : weft__ways_run(&weft__range_ways, x->context, &t);
}

weft_status weft__count_up(weft_array *x, int64_t begin, const char *site) {
  const weft__range_of r = {.size = x->size, .real = WEFT_I64, .start_i = begin, .step_i = 1, .given = UINT64_MAX};
  return run_range(x, &r, site);
}

weft_status weft__arange_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_scalar start,
                            weft_scalar stop, weft_scalar step, const char *site) {
  weft__call c;
  weft_status rc;
  weft__range_of r = {0};
  const weft_operand result = WEFT_OPERAND(out);
  weft__enter("weft_arange", site);
  weft__call_open(&c, context, 1, &result, 0, NULL, NULL, site);
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(dtype, c.context));
  WEFT__TRY(plan_arange(&r, dtype, start, stop, step));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, dtype, WEFT_SHAPE(r.size)));
  WEFT__TRY(run_range(c.array[0], &r, site));
done:
  return weft__leave(weft__call_close(&c, rc));
}

/// Whether the step underflows to 0. Element i is then start + i / parts * step, as in NumPy.
static bool is_lost(const weft__range_of *r) {
  return (r->real == WEFT_F32 ? (double)(float)r->step : r->step) == 0;
}

/// Refuses the option that only logarithms have.
static weft_status check_no_base(const weft_linspace_params *p) {
  if (p->base == 0) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "base", "`base` is %g; only weft_logspace takes it", p->base);
}

static weft__range_of plan_linspace(bool has_fp64, double start, double stop, int64_t count, bool exclude_stop) {
  const int64_t steps = count - !exclude_stop;
  weft__range_of r = {.size = count,
                      .real = has_fp64 ? WEFT_F64 : WEFT_F32,
                      .start = start,
                      .step = steps > 0 ? (stop - start) / (double)steps : 0,
                      .given = steps > 0 && !exclude_stop ? (uint64_t)steps : UINT64_MAX,
                      .given_value = stop};
  if (steps > 0 && stop != start && is_lost(&r)) {
    r.parts = (double)steps;
    r.step = stop - start;
  }
  return r;
}

/// Whether `stop` - `start` overflows though both are finite.
static bool is_too_wide(const weft__range_of *r) {
  const double most = r->real == WEFT_F32 ? (double)FLT_MAX : DBL_MAX;
  return isfinite(r->start) && isfinite(r->given_value) && fabs(r->given_value / 2 - r->start / 2) > most / 2;
}

/// Such a range: the halves of all elements, doubled.
static weft_status run_wide(weft_array *x, const weft__range_of *r, int64_t steps, const char *site) {
  char text[80];
  const weft_operand variable[] = {
      WEFT_NAMED("start", r->start / 2), WEFT_NAMED("stop", r->given_value), WEFT_NAMED("end", (int64_t)r->given),
      WEFT_NAMED("step", (r->given_value / 2 - r->start / 2) / (double)(steps > 0 ? steps : 1))};
  snprintf(text, sizeof text, "stop if i == end else 2 * (start + %s(i) * step)", weft_dtype_name(r->real));
  return weft__eval_at(WEFT_OPERAND(&x), x->context, text, 4, variable, site);
}

static weft_status check_linspace(weft_dtype dtype, int64_t count) {
  char names[WEFT__DTYPE_NAMES];
  if (weft_dtype_kind(dtype) != 'f')
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s; expected %s", weft_dtype_name(dtype),
                      weft__dtype_names(names, 'f'));
  return count < 0 ? weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 0 or more", count)
                   : WEFT_OK;
}

weft_status weft__linspace_at(weft_array **out, weft_context *context, weft_dtype dtype, double start, double stop,
                              int64_t count, const weft_linspace_params *params) {
  const weft_linspace_params p = WEFT__PARAMS(params);
  weft__call c;
  weft_status rc;
  const weft_operand result = WEFT_OPERAND(out);
  weft__enter("weft_linspace", p.site);
  weft__call_open(&c, context, 1, &result, 0, NULL, NULL, p.site);
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(dtype, c.context));
  WEFT__TRY(check_linspace(dtype, count));
  WEFT__TRY(check_no_base(&p));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, dtype, WEFT_SHAPE(count)));
  const weft__range_of r = plan_linspace(c.context->core.device->info.has_fp64, start, stop, count, p.exclude_stop);
  rc = is_too_wide(&r) ? run_wide(c.array[0], &r, count - !p.exclude_stop, p.site) : run_range(c.array[0], &r, p.site);
done:
  return weft__leave(weft__call_close(&c, rc));
}

/* ---- powers ---- */

/// Powers `x` of `base`, times `sign`; with `exact`, the first and the last element are given.
typedef struct powers {
  double base, sign, first, last;
  bool exact;
} powers;

/// The powers are computed as the exponents are, in f64 where the device has it, and cast to the dtype. For a narrower
/// one they are powers of 2, whose error in f64, 2^-53 times their exponent, is lost in the cast.
static weft_status run_powers(weft_array **out, weft_context *context, weft_dtype dtype, double start, double stop,
                              int64_t count, const powers *how, const weft_linspace_params *p) {
  weft__call c;
  weft_status rc;
  const weft_operand result = WEFT_OPERAND(out);
  weft__call_open(&c, context, 1, &result, 0, NULL, NULL, p->site);
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(dtype, c.context));
  WEFT__TRY(check_linspace(dtype, count));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, dtype, WEFT_SHAPE(count)));
  const weft__range_of r = plan_linspace(c.context->core.device->info.has_fp64, start, stop, count, p->exclude_stop);
  const bool of_two = r.real == WEFT_F64 && dtype != WEFT_F64 && how->base > 0 && isfinite(how->base);
  const char *power = of_two ? "exp2(x * base)" : "base ** x";
  const weft_operand variable[] = {WEFT_NAMED("start", r.start),
                                   WEFT_NAMED("step", r.step),
                                   WEFT_NAMED("stop", stop),
                                   WEFT_NAMED("end", (int64_t)r.given),
                                   WEFT_NAMED("base", of_two ? log2(how->base) : how->base),
                                   WEFT_NAMED("sign", how->sign),
                                   WEFT_NAMED("first", how->first),
                                   WEFT_NAMED("last", how->last)};
  char text[160];
  snprintf(text, sizeof text, "x = stop if i == end else start + %s(i) * step; %s%s", weft_dtype_name(r.real),
           how->exact ? "first if i == 0 else last if i == end else sign * " : "", power);
  rc = weft__eval_at(WEFT_OPERAND(&c.array[0]), c.context, text, how->exact ? 8 : 5, variable, p->site);
done:
  return weft__call_close(&c, rc);
}

weft_status weft__logspace_at(weft_array **out, weft_context *context, weft_dtype dtype, double start, double stop,
                              int64_t count, const weft_linspace_params *params) {
  const weft_linspace_params p = WEFT__PARAMS(params);
  const powers how = {.base = p.base == 0 ? 10 : p.base};
  weft__enter("weft_logspace", p.site);
  return weft__leave(run_powers(out, context, dtype, start, stop, count, &how, &p));
}

weft_status weft__geomspace_at(weft_array **out, weft_context *context, weft_dtype dtype, double start, double stop,
                               int64_t count, const weft_linspace_params *params) {
  const weft_linspace_params p = WEFT__PARAMS(params);
  const powers how = {.base = 10, .sign = start < 0 ? -1 : 1, .first = start, .last = stop, .exact = true};
  weft__enter("weft_geomspace", p.site);
  if (p.base != 0) return weft__leave(check_no_base(&p));
  if (!isfinite(start) || !isfinite(stop) || start == 0 || stop == 0 || (start < 0) != (stop < 0))
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "start",
                                  "`start` is %g and `stop` is %g; expected finite numbers of one sign, not 0", start,
                                  stop));
  return weft__leave(run_powers(out, context, dtype, log10(fabs(start)), log10(fabs(stop)), count, &how, &p));
}
