// SPDX-License-Identifier: MIT
/// weft_fftshift, weft_ifftshift; frequencies and windows, which are computed in f64: by the device if it can.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <weft/eval.h>
#include <weft/rearrange.h>

#include "op/fft/transform.h"
#include "op/fft/tuning.h"

static const char *const x_name[] = {"x"};

static weft_status shift(const char *function, const weft_operand *out, const weft_operand *x, weft_axes axes,
                         bool back, const char *site) {
  weft__call c;
  weft_status rc;
  int axis[WEFT_MAX_NDIM], count;
  weft_shape shifts = {0};
  weft__enter(function, site);
  weft__call_open(&c, NULL, 1, out, 1, x, x_name, site);
  WEFT__TRY(weft__call_check(&c));
  const weft_shape shape = weft__call_shape(&c, 0);
  WEFT__TRY(weft__view_axes(axis, &count, axes, shape.ndim, "axes"));
  shifts.ndim = count;
  for (int k = 0; k < count; k++) {
    const int64_t n = shape.dim[axis[k]];
    shifts.dim[k] = back ? -(n / 2) : n / 2;
  }
  rc = count ? weft__roll_at(*out, *x, shifts, weft__axes(count, axis), site)
             : weft__roll_at(*out, *x, WEFT_SHAPE(0), WEFT_ALL_AXES, site);
done:
  return weft__leave(rc);
}

weft_status weft__fftshift_at(weft_operand out, weft_operand x, weft_axes axes, const char *site) {
  return shift("weft_fftshift", &out, &x, axes, false, site);
}

weft_status weft__ifftshift_at(weft_operand out, weft_operand x, weft_axes axes, const char *site) {
  return shift("weft_ifftshift", &out, &x, axes, true, site);
}

/* ---- numbers of a formula ---- */

/// Numbers from a formula of k, n and a parameter: as statements that set `w`, in which k is `i` and n `m`, and as a
/// function for the host, where the device has no f64.
typedef struct formula {
  const char *text;
  double (*element)(int64_t k, int64_t n, double parameter);
  int first, variables; /* of the text, among the parameter, m, and scale: the parameter's modified Bessel function */
  bool in_halves;       /* it takes longer than a second store, is the same for k and n - 1 - k, and 1 in the middle */
} formula;

/// The modified Bessel function of order 0, by its power series, whose terms are all positive.
static double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-17; k++) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

static weft_status write_on_host(weft_array *to, const formula *f, int64_t n, double parameter, const char *site) {
  float *data = weft__new((size_t)to->size * sizeof *data);
  if (!data) return WEFT_ERROR_HOST_MEMORY;
  for (int64_t k = 0; k < to->size; k++) data[k] = (float)f->element(k, n, parameter);
  const weft_status rc = weft__array_write(to, data, true, site);
  free(data);
  return rc;
}

/// Writes the weights of the first half, each also to its place from the end, which halves the arithmetic.
static weft_status write_halves(weft_array *to, const formula *f, const weft_operand *variables, const char *site) {
  const int64_t half = to->size / 2;
  weft_array first = weft__array_part(to, 0, 0, half), last = weft__array_part(to, 0, to->size - half, half),
             middle = weft__array_part(to, 0, half, to->size % 2), *front = &first, *back = &last;
  weft_operand operand[5] = {WEFT_NAMED("front", &front), WEFT_NAMED("back", &back)};
  char text[200];
  last.offset_bytes += (half - 1) * last.stride_bytes[0];
  last.stride_bytes[0] = -last.stride_bytes[0];
  for (int k = 0; k < f->variables; k++) operand[2 + k] = variables[k];
  snprintf(text, sizeof text, "%s; front = w; back = w", f->text);
  WEFT__TRY_RETURN(weft__fill(&middle, WEFT_SCALAR(1), site));
  return weft__eval_all_at(to->context, text, 2 + f->variables, operand, site);
}

static weft_status write_all(weft_array *to, const formula *f, const weft_operand *variables, const char *site) {
  char text[200];
  snprintf(text, sizeof text, "%s; w", f->text);
  return weft__eval_at(WEFT_OPERAND(&to), to->context, text, f->variables, variables, site);
}

/// Writes `count` elements of a formula into the caller's result.
static weft_status write_formula(const weft_operand *out, weft_context *context, weft_dtype dtype, int64_t count,
                                 const formula *f, int64_t n, double parameter, const char *site) {
  const weft_operand variables[] = {WEFT_NAMED("parameter", parameter), WEFT_NAMED("m", n),
                                    WEFT_NAMED("scale", f->variables == 3 ? bessel_i0(parameter) : 1)};
  weft__call c;
  weft_status rc;
  int64_t size;
  weft__call_open(&c, context, 1, out, 0, NULL, NULL, site);
  WEFT__TRY(dtype == WEFT_F32 || dtype == WEFT_F64
                ? WEFT_OK
                : weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s; expected f32 or f64", weft_dtype_name(dtype)));
  WEFT__TRY(weft__call_operands(&c));
  WEFT__TRY(weft__dtype_check(dtype, c.context));
  WEFT__TRY(weft__shape_check(&size, WEFT_SHAPE(count), dtype, "n"));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, dtype, WEFT_SHAPE(count)));
  if (size == 0) goto done;
  if (!c.context->core.device->info.has_fp64)
    rc = write_on_host(c.array[0], f, n, parameter, site);
  else if (f->in_halves && size >= WEFT__WINDOW_HALVES_SIZE)
    rc = write_halves(c.array[0], f, variables + f->first, site);
  else
    rc = write_all(c.array[0], f, variables + f->first, site);
done:
  return weft__call_close(&c, rc);
}

/* ---- frequencies ---- */

/// `step`: the distance of two frequencies.
static double frequency(int64_t k, int64_t n, double step) {
  return (double)(k > (n - 1) / 2 ? k - n : k) * step;
}

static double half_frequency(int64_t k, int64_t n, double step) {
  (void)n;
  return (double)k * step;
}

static const formula all_frequencies = {"w = f64(i if i <= (m - 1) // 2 else i - m) * parameter", frequency, 0, 2,
                                        false};
static const formula half_of_frequencies = {"w = f64(i) * parameter", half_frequency, 0, 1, false};

static weft_status frequencies(const char *function, const weft_operand *out, weft_context *context, weft_dtype dtype,
                               int64_t n, bool half, const weft_fftfreq_params *params) {
  const weft_fftfreq_params p = WEFT__PARAMS(params);
  weft__enter(function, p.site);
  if (n < 1) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %" PRId64 "; expected at least 1", n));
  return weft__leave(write_formula(out, context, dtype, half ? n / 2 + 1 : n,
                                   half ? &half_of_frequencies : &all_frequencies, n,
                                   1 / ((double)n * (p.d == 0 ? 1 : p.d)), p.site));
}

weft_status weft__fftfreq_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t n,
                             const weft_fftfreq_params *params) {
  return frequencies("weft_fftfreq", &out, context, dtype, n, false, params);
}

weft_status weft__rfftfreq_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t n,
                              const weft_fftfreq_params *params) {
  return frequencies("weft_rfftfreq", &out, context, dtype, n, true, params);
}

/* ---- windows ---- */

#define PI 3.141592653589793

/// The place of weight k, from -1 to 1.
static double place(int64_t k, int64_t n) {
  return n > 1 ? (double)(2 * k - n + 1) / (double)(n - 1) : 0;
}

static double hanning(int64_t k, int64_t n, double beta) {
  (void)beta;
  return 0.5 + 0.5 * cos(PI * place(k, n));
}

static double hamming(int64_t k, int64_t n, double beta) {
  (void)beta;
  return 0.54 + 0.46 * cos(PI * place(k, n));
}

/// 0.42 + 0.5 cos x + 0.08 cos 2x, by one cosine.
static double blackman(int64_t k, int64_t n, double beta) {
  const double c = cos(PI * place(k, n));
  (void)beta;
  return 0.34 + c * (0.5 + 0.16 * c);
}

static double bartlett(int64_t k, int64_t n, double beta) {
  (void)beta;
  return 1 - fabs(place(k, n));
}

static double kaiser(int64_t k, int64_t n, double beta) {
  return bessel_i0(beta * sqrt(1 - place(k, n) * place(k, n))) / bessel_i0(beta);
}

weft_status weft__window_at(weft__window_kind window, weft_operand out, weft_context *context, weft_dtype dtype,
                            int64_t n, double beta, const char *site) {
  static const char *const names[] = {"weft_hanning", "weft_hamming", "weft_blackman", "weft_bartlett", "weft_kaiser"};
#define PLACE "p = f64(2 * i - m + 1) / f64(m - 1 if m > 1 else 1); "
  static const formula formulas[] = {
      {PLACE "w = 0.5 + 0.5 * cos(pi * p)", hanning, 1, 1, false},
      {PLACE "w = 0.54 + 0.46 * cos(pi * p)", hamming, 1, 1, false},
      {PLACE "c = cos(pi * p); w = 0.34 + c * (0.5 + 0.16 * c)", blackman, 1, 1, false},
      {PLACE "w = 1 - abs(p)", bartlett, 1, 1, false},
      {PLACE "w = i0(parameter * sqrt(1 - p * p)) / scale", kaiser, 0, 3, true},
  };
#undef PLACE
  weft__enter(names[window], site);
  if (n < 0) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %" PRId64 "; expected 0 or more", n));
  if (!(beta >= 0 && beta <= 700)) /* also NaN */
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "beta", "`beta` is %g; expected 0 to 700", beta));
  return weft__leave(write_formula(&out, context, dtype, n, &formulas[window], n, beta, site));
}
