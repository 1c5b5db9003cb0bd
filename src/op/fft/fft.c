// SPDX-License-Identifier: MIT
/// weft_fft and its relatives: operands cropped, padded and converted, then one step for each axis.
#include <inttypes.h>
#include <math.h>

#include "op/fft/transform.h"

static const char *const x_name[] = {"x"};

/* ---- lengths ---- */

static weft_status check_length(int64_t n, int axis, const char *argument, const char *name) {
  if (n >= 1) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, argument, "%s is %" PRId64 " along axis %d; expected at least 1", name, n,
                    axis);
}

/// The lengths along the transform's axes: of the complex side, or of the real side of real transforms.
static weft_status find_lengths(weft__transform *t, weft_shape shape, weft_shape lengths) {
  if (lengths.ndim && lengths.ndim != t->axes)
    return weft__fail(WEFT_ERROR_ARGUMENT, "lengths",
                      "`lengths` has %d number%s for %d ax%s; expected one for each axis", lengths.ndim,
                      lengths.ndim == 1 ? "" : "s", t->axes, t->axes == 1 ? "is" : "es");
  for (int k = 0; k < t->axes; k++) {
    const int64_t had = shape.dim[t->axis[k]];
    const bool is_given = lengths.ndim && lengths.dim[k] != -1;
    const bool halves = t->kind == WEFT__FFT_TO_REAL && k == t->axes - 1;
    t->length[k] = is_given ? lengths.dim[k] : halves ? 2 * (had - 1) : had;
    const char *name = is_given ? "`lengths`"
                       : halves ? "2 * (x's length - 1), the result's length,"
                                : "the length of `x`";
    WEFT__TRY_RETURN(check_length(t->length[k], t->axis[k], is_given ? "lengths" : "x", name));
    if (had == 0 && halves) return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is empty along axis %d", t->axis[k]);
  }
  return WEFT_OK;
}

/// The factor of the transform along all axes. The first step applies it: the others then need no pass for theirs.
static double factor_of(const weft__transform *t) {
  double factor = 1;
  for (int k = 0; k < t->axes; k++) {
    const double n = (double)t->length[k];
    if (t->norm == WEFT_FFT_ORTHO)
      factor /= sqrt(n);
    else if ((t->norm == WEFT_FFT_FORWARD) != t->inverse)
      factor /= n;
  }
  return factor;
}

/* ---- operands ---- */

weft_dtype weft__fft_complex_dtype(weft_dtype dtype) {
  const bool is_narrow = dtype == WEFT_F16 || dtype == WEFT_BF16 || dtype == WEFT_F32 || dtype == WEFT_C64;
  return is_narrow ? WEFT_C64 : WEFT_C128;
}

weft_dtype weft__fft_real_dtype(weft_dtype dtype) {
  return weft__fft_complex_dtype(dtype) == WEFT_C64 ? WEFT_F32 : WEFT_F64;
}

weft_status weft__fft_fit(weft_array **out, const weft_array *x, weft_dtype dtype, weft_shape shape, const char *site) {
  weft_array cropped = weft__array_borrow(x);
  weft_array *padded = NULL;
  weft_status rc = WEFT_OK;
  bool pads = false;
  for (int d = 0; d < x->ndim; d++) {
    pads |= shape.dim[d] > x->shape[d];
    if (shape.dim[d] < x->shape[d]) cropped = weft__array_part(&cropped, d, 0, shape.dim[d]);
  }
  if (!pads) return weft__cast(out, &cropped, dtype, site);
  WEFT__TRY(weft__array_create(&padded, x->context, dtype, shape, site));
  WEFT__TRY(weft__fill(padded, WEFT_SCALAR(0), site));
  weft_array filled = weft__array_borrow(padded);
  for (int d = 0; d < x->ndim; d++) filled = weft__array_part(&filled, d, 0, cropped.shape[d]);
  if (cropped.size) WEFT__TRY(weft__cast_into(&filled, &cropped, dtype, site));
  *out = padded;
  padded = NULL;
done:
  weft_array_release(&padded);
  return rc;
}

/// Replaces operand 0 by a contiguous array of this dtype and shape, unless it is one.
static weft_status fit_operand(weft__transform *t, weft_dtype dtype, weft_shape shape) {
  weft__call *c = t->call;
  const weft_array *x = c->array[1];
  weft_array *fitted = NULL;
  t->is_temporary = c->temporary[1] == x && !c->wraps; /* host memory that was copied to the device */
  if (x->dtype == dtype && weft__has_shape(x, &shape) && weft__is_contiguous(x)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__fft_fit(&fitted, x, dtype, shape, c->site));
  weft__call_replace(c, 1, fitted);
  t->is_temporary = true;
  return WEFT_OK;
}

/// Makes the result contiguous; it may be the operand itself.
static weft_status make_result(weft__transform *t, weft_dtype dtype, weft_shape shape) {
  weft__call *c = t->call;
  const weft_operand *result = &c->result[0];
  const weft_array *x = c->array[1];
  const weft_array *given = result->kind == WEFT_OPERAND_RESULT && result->as.result ? *result->as.result : NULL;
  if (given && given->dtype == dtype && !t->is_temporary && weft__is_contiguous(given) && weft__arrays_same(given, x))
    return weft__call_result(c, 0, dtype, shape);
  return weft__call_contiguous_result(c, 0, dtype, shape);
}

/* ---- steps ---- */

/// A complex transform along an axis of contiguous arrays of one shape, which may be the same.
static weft_status transform_along(const weft__transform *t, weft_array *to, const weft_array *from, int axis,
                                   double scale, bool from_is_temporary) {
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(to), axis);
  const weft__fft_step step = {.kind = WEFT__FFT_COMPLEX,
                               .inverse = t->inverse,
                               .batch = (uint64_t)split.outer,
                               .length = (uint64_t)split.length,
                               .inner = (uint64_t)split.inner,
                               .from = from,
                               .to = to,
                               .scale = scale,
                               .from_is_temporary = from_is_temporary,
                               .what = t->what,
                               .site = t->call->site};
  return to->size ? weft__fft_run(&step) : WEFT_OK;
}

/// A transform of t->kind, to or from `length` real numbers, along an axis of contiguous arrays that are not empty.
static weft_status transform_real_along(const weft__transform *t, weft_array *to, const weft_array *from, int axis,
                                        int64_t length, double scale, bool from_is_temporary) {
  weft_array *from_turned = NULL, *to_turned = NULL;
  weft_status rc = WEFT_OK;
  const char *site = t->call->site;
  const bool is_moved = axis != to->ndim - 1 && weft__split_at_axis(weft__array_shape(to), axis).inner > 1;
  weft__fft_step step = {.kind = t->kind,
                         .inverse = t->kind == WEFT__FFT_TO_REAL,
                         .batch = (uint64_t)(to->size / to->shape[axis]),
                         .length = (uint64_t)length,
                         .inner = 1,
                         .from = from,
                         .to = to,
                         .scale = scale,
                         .from_is_temporary = from_is_temporary,
                         .what = t->what,
                         .site = site};
  if (is_moved) {
    const weft_array from_view = weft__array_turned(from, axis, false), to_view = weft__array_turned(to, axis, false);
    WEFT__TRY(weft__cast(&from_turned, &from_view, from->dtype, site));
    WEFT__TRY(weft__array_create(&to_turned, to->context, to->dtype, weft__array_shape(&to_view), site));
    step.from = from_turned;
    step.to = to_turned;
    step.from_is_temporary = true;
  }
  WEFT__TRY(weft__fft_run(&step));
  if (is_moved) {
    const weft_array view = weft__array_turned(to_turned, axis, true);
    rc = weft__cast_into(to, &view, view.dtype, site);
  }
done:
  weft_array_release(&from_turned);
  weft_array_release(&to_turned);
  return rc;
}

static weft_status complex_axes(weft__transform *t, weft_shape shape) {
  weft__call *c = t->call;
  const weft_dtype dtype = weft__fft_complex_dtype(c->array[1]->dtype);
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  for (int k = 0; k < t->axes; k++) shape.dim[t->axis[k]] = t->length[k];
  WEFT__TRY_RETURN(fit_operand(t, dtype, shape));
  WEFT__TRY_RETURN(make_result(t, dtype, shape));
  const weft_array *from = c->array[1];
  bool is_temporary = t->is_temporary;
  double factor = factor_of(t);
  for (int k = t->axes - 1; k >= 0; k--) {
    WEFT__TRY_RETURN(transform_along(t, c->array[0], from, t->axis[k], factor, is_temporary));
    from = c->array[0];
    is_temporary = true;
    factor = 1;
  }
  return WEFT_OK;
}

/// The first step of real_input. Its operand has `rows` rows, and y behind them rows of zeros.
static weft_status real_rows(const weft__transform *t, weft_array *y, int64_t rows) {
  const weft__call *c = t->call;
  weft_array head = weft__array_borrow(y);
  if (rows < y->shape[0]) {
    weft_array rest = weft__array_part(y, 0, rows, y->shape[0] - rows);
    WEFT__TRY_RETURN(weft__fill(&rest, WEFT_SCALAR(0), c->site));
    head = weft__array_part(y, 0, 0, rows);
  }
  if (head.size == 0) return WEFT_OK;
  return transform_real_along(t, &head, c->array[1], t->axis[t->axes - 1], t->length[t->axes - 1], factor_of(t),
                              t->is_temporary);
}

static weft_status real_input(weft__transform *t, weft_shape shape) {
  weft__call *c = t->call;
  const int last = t->axis[t->axes - 1];
  const int64_t given_rows = shape.dim[0];
  const weft_dtype given = c->array[1]->dtype, dtype = weft__fft_complex_dtype(given);
  if (weft_dtype_kind(given) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected real numbers", weft_dtype_name(given));
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  for (int k = 0; k < t->axes; k++) shape.dim[t->axis[k]] = t->length[k];
  /* rows of zeros are not transformed */
  const int64_t padded = shape.dim[0], rows = last > 0 && given_rows < padded ? given_rows : padded;
  shape.dim[0] = rows;
  WEFT__TRY_RETURN(fit_operand(t, weft__fft_real_dtype(given), shape));
  shape.dim[0] = padded;
  shape.dim[last] = shape.dim[last] / 2 + 1;
  WEFT__TRY_RETURN(make_result(t, dtype, shape));
  weft_array *y = c->array[0];
  if (y->size == 0) return WEFT_OK;
  WEFT__TRY_RETURN(real_rows(t, y, rows));
  for (int k = t->axes - 2; k >= 0; k--) WEFT__TRY_RETURN(transform_along(t, y, y, t->axis[k], 1, true));
  return WEFT_OK;
}

static weft_status real_result(weft__transform *t, weft_shape shape) {
  weft__call *c = t->call;
  const int last = t->axis[t->axes - 1];
  const weft_dtype given = c->array[1]->dtype, dtype = weft__fft_complex_dtype(given);
  weft_array *work = NULL;
  weft_status rc = WEFT_OK;
  WEFT__TRY(weft__dtype_check(dtype, c->context));
  for (int k = 0; k < t->axes; k++) shape.dim[t->axis[k]] = t->length[k];
  const int64_t length = shape.dim[last];
  shape.dim[last] = length / 2 + 1;
  WEFT__TRY(fit_operand(t, dtype, shape));
  if (t->axes > 1 && !t->is_temporary) {
    WEFT__TRY(weft__array_create(&work, c->context, dtype, shape, c->site));
  }
  const weft_array *from = c->array[1];
  bool is_temporary = t->is_temporary;
  double factor = factor_of(t);
  if (from->size)
    for (int k = t->axes - 2; k >= 0; k--) {
      weft_array *to = work ? work : c->array[1];
      WEFT__TRY(transform_along(t, to, from, t->axis[k], factor, is_temporary));
      from = to;
      is_temporary = true;
      factor = 1;
    }
  shape.dim[last] = length;
  WEFT__TRY(weft__call_contiguous_result(c, 0, weft__fft_real_dtype(given), shape));
  if (c->array[0]->size == 0) goto done;
  rc = transform_real_along(t, c->array[0], from, last, length, factor, is_temporary);
done:
  weft_array_release(&work);
  return rc;
}

/* ---- calls ---- */

/// Conjugates what a transform to `length` real numbers reads of the operand; the call owns the copy.
static weft_status conjugate_operand(weft__call *c, int axis, int64_t length) {
  weft_array *copy = NULL, part = weft__array_borrow(c->array[1]);
  if (length / 2 + 1 < part.shape[axis]) part = weft__array_part(&part, axis, 0, length / 2 + 1);
  WEFT__TRY_RETURN(weft_conj(&copy, &part));
  weft__call_replace(c, 1, copy);
  return WEFT_OK;
}

static weft_status transform(weft__transform *t, weft_axes axes, weft_shape lengths) {
  weft__call *c = t->call;
  if ((unsigned)t->norm > WEFT_FFT_FORWARD)
    return weft__fail(WEFT_ERROR_ARGUMENT, "norm", "`norm` is %d; expected a weft_fft_norm", (int)t->norm);
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  weft_shape shape = weft__array_shape(c->array[1]);
  if (t->is_plane && shape.ndim < 2)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has %s; expected at least two, to transform along the last two",
                      shape.ndim ? "1 axis" : "no axes");
  if (t->is_single) {
    t->axes = 1;
    WEFT__TRY_RETURN(weft__only_axis(&t->axis[0], axes, shape.ndim, "axis"));
  } else {
    WEFT__TRY_RETURN(weft__view_axes(t->axis, &t->axes, axes, shape.ndim, "axes"));
  }
  if (t->axes == 0 && shape.ndim > 0)
    return weft__fail(WEFT_ERROR_AXIS, "axes", "no axes were given; expected at least one to transform along");
  if (t->axes == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no axes; expected at least one to transform along");
  WEFT__TRY_RETURN(find_lengths(t, shape, lengths));
  if (t->conjugates && weft_dtype_kind(c->array[1]->dtype) == 'c') {
    WEFT__TRY_RETURN(conjugate_operand(c, t->axis[0], t->length[0]));
    shape = weft__array_shape(c->array[1]);
  }
  if (t->kind == WEFT__FFT_TO_COMPLEX) return real_input(t, shape);
  if (t->kind == WEFT__FFT_TO_REAL) return real_result(t, shape);
  return complex_axes(t, shape);
}

typedef struct description {
  const char *function, *what;
  weft__fft_kind kind;
  bool inverse;
  bool reversed; /* the norm is the other direction's, and the complex side is conjugated: hfft, ihfft */
  bool is_plane; /* along the last two axes */
} description;

static weft_status along_one(const description *d, const weft_operand *out, const weft_operand *x, weft_axes axis,
                             const weft_fft_params *params) {
  const weft_fft_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__transform t = {.call = &c, .what = d->what, .kind = d->kind, .inverse = d->inverse, .norm = p.norm};
  weft_status rc;
  t.is_single = true;
  t.conjugates = d->reversed && d->kind == WEFT__FFT_TO_REAL;
  if (d->reversed && p.norm == WEFT_FFT_BACKWARD) t.norm = WEFT_FFT_FORWARD;
  if (d->reversed && p.norm == WEFT_FFT_FORWARD) t.norm = WEFT_FFT_BACKWARD;
  weft__enter(d->function, p.site);
  weft__call_open(&c, NULL, 1, out, 1, x, x_name, p.site);
  if (p.n < 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "n",
                         "`n` is %" PRId64 "; expected at least 1, or 0 for the length of `x`", p.n));
  WEFT__TRY(transform(&t, axis, p.n ? WEFT_SHAPE(p.n) : (weft_shape){0}));
  if (d->reversed && d->kind == WEFT__FFT_TO_COMPLEX) {
    weft_array *y = c.array[0];
    rc = weft_conj(&y, y);
  }
done:
  return weft__leave(weft__call_close(&c, rc));
}

static weft_status along_several(const description *d, const weft_operand *out, const weft_operand *x, weft_axes axes,
                                 const weft_fftn_params *params) {
  const weft_fftn_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__transform t = {.call = &c, .what = d->what, .kind = d->kind, .inverse = d->inverse, .norm = p.norm};
  t.is_plane = d->is_plane;
  weft__enter(d->function, p.site);
  weft__call_open(&c, NULL, 1, out, 1, x, x_name, p.site);
  return weft__leave(weft__call_close(&c, transform(&t, axes, p.lengths)));
}

#define ALONG_ONE(name, kind, inverse, reversed)                                                                   \
  weft_status weft__##name##_at(weft_operand out, weft_operand x, weft_axes axis, const weft_fft_params *params) { \
    static const description d = {"weft_" #name, #name, (kind), (inverse), (reversed), false};                     \
    return along_one(&d, &out, &x, axis, params);                                                                  \
  }
#define ALONG_SEVERAL(name, kind, inverse)                                                                          \
  weft_status weft__##name##_at(weft_operand out, weft_operand x, weft_axes axes, const weft_fftn_params *params) { \
    static const description d = {"weft_" #name, #name, (kind), (inverse), false, false};                           \
    return along_several(&d, &out, &x, axes, params);                                                               \
  }
#define ALONG_TWO(name, kind, inverse)                                                              \
  weft_status weft__##name##_at(weft_operand out, weft_operand x, const weft_fftn_params *params) { \
    static const description d = {"weft_" #name, #name, (kind), (inverse), false, true};            \
    return along_several(&d, &out, &x, WEFT_AXES(-2, -1), params);                                  \
  }

ALONG_ONE(fft, WEFT__FFT_COMPLEX, false, false)
ALONG_ONE(ifft, WEFT__FFT_COMPLEX, true, false)
ALONG_ONE(rfft, WEFT__FFT_TO_COMPLEX, false, false)
ALONG_ONE(irfft, WEFT__FFT_TO_REAL, true, false)
ALONG_ONE(hfft, WEFT__FFT_TO_REAL, true, true)
ALONG_ONE(ihfft, WEFT__FFT_TO_COMPLEX, false, true)
ALONG_SEVERAL(fftn, WEFT__FFT_COMPLEX, false)
ALONG_SEVERAL(ifftn, WEFT__FFT_COMPLEX, true)
ALONG_SEVERAL(rfftn, WEFT__FFT_TO_COMPLEX, false)
ALONG_SEVERAL(irfftn, WEFT__FFT_TO_REAL, true)
ALONG_TWO(fft2, WEFT__FFT_COMPLEX, false)
ALONG_TWO(ifft2, WEFT__FFT_COMPLEX, true)
ALONG_TWO(rfft2, WEFT__FFT_TO_COMPLEX, false)
ALONG_TWO(irfft2, WEFT__FFT_TO_REAL, true)
