// SPDX-License-Identifier: MIT
/// weft_dct, weft_idct: a Fourier transform of rearranged rows (types 2 and 3 by Makhoul's permutation).
#include <inttypes.h>
#include <math.h>

#include "cl/fft/args.h"
#include "op/fft/transform.h"

static const char *const x_name[] = {"x"};

/// The factors before and after the Fourier transform.
typedef struct factors {
  double in_edge, in_rest, out_edge, out_rest;
} factors;

static factors factors_of(int type, int64_t n, weft_fft_norm norm, bool inverse) {
  const double whole = 2 * (double)(type == 1 ? n - 1 : n);
  const double scale = (norm == WEFT_FFT_FORWARD) != inverse && norm != WEFT_FFT_ORTHO ? 1 / whole : 1;
  factors f = {1, 1, scale, scale};
  if (type == 2 || type == 4) f.out_edge = f.out_rest = 2 * scale;
  if (norm != WEFT_FFT_ORTHO) return f;
  if (type == 1) return (factors){sqrt(2), 1, sqrt(0.5 / whole), sqrt(1 / whole)};
  if (type == 2) return (factors){1, 1, 1 / sqrt((double)n), sqrt(2 / (double)n)};
  if (type == 3) return (factors){1 / sqrt((double)n), 1 / sqrt(2 * (double)n), 1, 1};
  return (factors){1, 1, sqrt(2 / (double)n), sqrt(2 / (double)n)};
}

/* ---- kernels ---- */

typedef struct dct_key {
  uint8_t is_f64, type;
} dct_key;

static void write_key(weft__text *text, const void *data) {
  const dct_key *key = data;
  weft__text_add(text, "#define WIDE %d\n#define TYPE %d\n#define INVERSE %d\n", key->is_f64, key->type,
                 key->type == 3);
}

/// A call of weft_dct on contiguous rows.
typedef struct rows {
  const weft__transform *transform;
  int variant; /* TYPE of the kernels */
  weft__dct_args args;
} rows;

static weft_status run(const rows *r, weft__kernel *kernel, uint64_t threads, const weft_array *from, weft_array *to) {
  weft__dct_args a = r->args;
  a.from_offset = (uint64_t)from->offset_bytes;
  a.to_offset = (uint64_t)to->offset_bytes;
  if (to->context->store.is_cpu && a.rows > 0) threads = a.rows * weft_ceil_div(threads / a.rows, WEFT__DCT_SHARE);
  return weft__fft_launch(&(weft__fft_kernel){kernel, &a, sizeof a, threads}, from, to, r->transform->what,
                          r->transform->call->site);
}

static weft_status get_kernels(weft__kernel *kernel[2], weft_context *context, bool is_f64, int variant) {
  static const char *const names[] = {"weft_dct_before", "weft_dct_after"};
  const dct_key key = {is_f64, (uint8_t)variant};
  const weft__kernel_source source = {
      .name = "dct",
      .key = {.file = "fft/cosine.cl", .kernel = names, .kernels = 2, WEFT__KEY_BYTES(dct_key, &key)},
      .write = write_key};
  return weft__kernels_get(kernel, &context->store, &source);
}

/// Values per row before and after the Fourier transform, and whether they are complex.
typedef struct form {
  weft__fft_kind kind;
  int64_t length, before, after;
} form;

static form form_of(int variant, int64_t n) {
  if (variant == 1) return (form){WEFT__FFT_TO_COMPLEX, 2 * n - 2, 2 * n - 2, n};
  if (variant == 2) return (form){WEFT__FFT_TO_COMPLEX, n, n, n / 2 + 1};
  if (variant == 3) return (form){WEFT__FFT_TO_REAL, n, n / 2 + 1, n};
  if (variant == 4) return (form){WEFT__FFT_COMPLEX, n / 2, n / 2, n / 2};
  return (form){WEFT__FFT_COMPLEX, 2 * n, 2 * n, 2 * n};
}

/// Transforms contiguous rows of n real numbers; `to` may be `from`.
static weft_status transform_rows(const rows *r, const weft_array *from, weft_array *to) {
  weft_array *before = NULL, *after = NULL;
  weft__kernel *kernel[2];
  weft_status rc;
  const int64_t n = (int64_t)r->args.n, count = (int64_t)r->args.rows;
  const form f = form_of(r->variant, n);
  const char *site = r->transform->call->site;
  const weft_dtype real = to->dtype, complex = weft__fft_complex_dtype(real);
  WEFT__TRY(get_kernels(kernel, to->context, real == WEFT_F64, r->variant));
  WEFT__TRY(weft__array_create(&before, to->context, f.kind == WEFT__FFT_TO_COMPLEX ? real : complex,
                               WEFT_SHAPE(count, f.before), site));
  if (f.kind != WEFT__FFT_COMPLEX)
    WEFT__TRY(weft__array_create(&after, to->context, f.kind == WEFT__FFT_TO_REAL ? real : complex,
                                 WEFT_SHAPE(count, f.after), site));
  weft_array *result = after ? after : before;
  WEFT__TRY(run(r, kernel[0], (uint64_t)before->size, from, before));
  const weft__fft_step step = {.kind = f.kind,
                               .inverse = f.kind == WEFT__FFT_TO_REAL,
                               .batch = (uint64_t)count,
                               .length = (uint64_t)f.length,
                               .inner = 1,
                               .from = before,
                               .to = result,
                               .scale = 1,
                               .from_is_temporary = true,
                               .what = r->transform->what,
                               .site = site};
  WEFT__TRY(weft__fft_run(&step));
  rc = run(r, kernel[1], (uint64_t)(count * n), result, to);
done:
  weft_array_release(&before);
  weft_array_release(&after);
  return rc;
}

/* ---- calls ---- */

static weft_status check(const weft__transform *t, int type, int64_t n, const char *length_of) {
  const weft_array *x = t->call->array[1];
  if (type < 1 || type > 4) return weft__fail(WEFT_ERROR_ARGUMENT, "type", "`type` is %d; expected 1, 2, 3 or 4", type);
  if ((unsigned)t->norm > WEFT_FFT_FORWARD)
    return weft__fail(WEFT_ERROR_ARGUMENT, "norm", "`norm` is %d; expected a weft_fft_norm", (int)t->norm);
  if (weft_dtype_kind(x->dtype) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected real numbers", weft_dtype_name(x->dtype));
  const int64_t least = type == 1 ? 2 : 1;
  if (n < least)
    return weft__fail(WEFT_ERROR_ARGUMENT, length_of,
                      "the length is %" PRId64 " along axis %d; type %d needs at least %" PRId64, n, t->axis[0], type,
                      least);
  return WEFT_OK;
}

static weft_status cosine(weft__transform *t, int type, int64_t n, weft_axes axis) {
  weft__call *c = t->call;
  weft_array *from = NULL, *turned = NULL;
  weft_status rc;
  WEFT__TRY(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  weft_shape shape = weft__array_shape(c->array[1]);
  WEFT__TRY(weft__only_axis(&t->axis[0], axis, shape.ndim, "axis"));
  const char *length_of = n ? "n" : "x";
  if (!n) n = shape.dim[t->axis[0]];
  WEFT__TRY(check(t, type, n, length_of));
  const weft_dtype dtype = weft__fft_real_dtype(c->array[1]->dtype);
  WEFT__TRY(weft__dtype_check(dtype, c->context));
  shape.dim[t->axis[0]] = n;
  WEFT__TRY(weft__call_contiguous_result(c, 0, dtype, shape));
  weft_array *y = c->array[0];
  if (y->size == 0) goto done;
  /* the axis last in memory */
  const weft_array x_view = weft__array_turned(c->array[1], t->axis[0], false);
  const weft_array y_view = weft__array_turned(y, t->axis[0], false);
  const bool is_moved = weft__split_at_axis(shape, t->axis[0]).inner > 1;
  WEFT__TRY(weft__fft_fit(&from, &x_view, dtype, weft__array_shape(&y_view), c->site));
  if (is_moved) WEFT__TRY(weft__array_create(&turned, c->context, dtype, weft__array_shape(&y_view), c->site));
  const factors f = factors_of(type, n, t->norm, t->inverse);
  const rows r = {.transform = t,
                  .variant = type == 4 && n % 2 ? 5 : type,
                  .args = {.rows = (uint64_t)(y->size / n),
                           .n = (uint64_t)n,
                           .length = (uint64_t)form_of(type == 4 && n % 2 ? 5 : type, n).length,
                           .in_edge = weft__float_bits(dtype, f.in_edge),
                           .in_rest = weft__float_bits(dtype, f.in_rest),
                           .out_edge = weft__float_bits(dtype, f.out_edge),
                           .out_rest = weft__float_bits(dtype, f.out_rest)}};
  WEFT__TRY(transform_rows(&r, from, is_moved ? turned : y));
  if (!is_moved) goto done;
  const weft_array result = weft__array_turned(turned, t->axis[0], true);
  rc = weft__cast_into(y, &result, dtype, c->site);
done:
  weft_array_release(&from);
  weft_array_release(&turned);
  return rc;
}

static weft_status call(const char *function, const weft_operand *out, const weft_operand *x, weft_axes axis,
                        const weft_dct_params *params, bool inverse) {
  const weft_dct_params p = WEFT__PARAMS(params);
  const int given = p.type ? p.type : 2;
  const int type = inverse && (given == 2 || given == 3) ? 5 - given : given;
  weft__call c;
  weft__transform t = {.call = &c, .what = inverse ? "idct" : "dct", .inverse = inverse, .norm = p.norm};
  weft__enter(function, p.site);
  weft__call_open(&c, NULL, 1, out, 1, x, x_name, p.site);
  return weft__leave(weft__call_close(&c, cosine(&t, type, p.n, axis)));
}

weft_status weft__dct_at(weft_operand out, weft_operand x, weft_axes axis, const weft_dct_params *params) {
  return call("weft_dct", &out, &x, axis, params, false);
}

weft_status weft__idct_at(weft_operand out, weft_operand x, weft_axes axis, const weft_dct_params *params) {
  return call("weft_idct", &out, &x, axis, params, true);
}
