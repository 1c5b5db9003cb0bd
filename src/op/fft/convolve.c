// SPDX-License-Identifier: MIT
/// weft_convolve, weft_correlate, weft_fftconvolve.
#include <weft/eval.h>
#include <weft/filter.h>
#include <weft/rearrange.h>

#include "cl/fft/args.h"
#include "dtype/opencl.h"
#include "engine/engine.h"
#include "expr/overload.h"
#include "op/fft/transform.h"
#include "op/fft/tuning.h"

static const char *const names[] = {"a", "v"};

/* ---- by Fourier transforms ---- */

/// What is convolved along `axes`, of equally many axes; the result has the lengths `whole`.
typedef struct spectral {
  weft_shape whole;
  int axes, axis[WEFT_MAX_NDIM];
  const char *site;
} spectral;

/// A length to which an axis of n elements is padded. FFTW takes 6.4 ms for 1029 real rows of 1029, and 1.8 of 1080.
static int64_t padded_length(int64_t n, const weft_context *context) {
  return context->store.is_cpu ? 4 * weft__fft_good_length((n + 3) / 4) : weft__fft_good_length(n);
}

/// The full convolution, of dtype c64, c128, f32 or f64; its lengths are at least `whole`.
static weft_status convolve_by_fft(weft_array **out, const weft_array *a, const weft_array *v, const spectral *s) {
  weft_array *fa = NULL, *fv = NULL;
  weft_status rc;
  const bool is_complex = weft_dtype_kind(a->dtype) == 'c' || weft_dtype_kind(v->dtype) == 'c';
  const weft_axes axes = weft__axes(s->axes, s->axis);
  weft_fftn_params p = {.site = s->site};
  p.lengths.ndim = s->axes;
  for (int k = 0; k < s->axes; k++) p.lengths.dim[k] = padded_length(s->whole.dim[s->axis[k]], a->context);
  WEFT__TRY((is_complex ? weft_fftn : weft_rfftn)(&fa, a, axes, &p));
  WEFT__TRY((is_complex ? weft_fftn : weft_rfftn)(&fv, v, axes, &p));
  bool grows = false; /* by broadcasting */
  for (int d = 0; d < fa->ndim; d++) grows |= fa->shape[d] < fv->shape[d];
  weft_array *product = grows ? NULL : fa;
  rc = weft_multiply(&product, fa, fv);
  if (!rc) rc = (is_complex ? weft_ifftn : weft_irfftn)(out, product, axes, &p);
  if (grows) weft_array_release(&product);
done:
  weft_array_release(&fa);
  weft_array_release(&fv);
  return rc;
}

/// Stores the part of `from` that begins at `begin` and has the result's lengths.
static weft_status store_part(weft_array *to, const weft_array *from, const int64_t *begin, const char *site) {
  weft_array part = weft__array_borrow(from);
  for (int d = 0; d < to->ndim; d++) part = weft__array_part(&part, d, begin[d], to->shape[d]);
  return weft__cast_into(to, &part, to->dtype, site);
}

/* ---- directly ---- */

typedef struct direct_key {
  uint8_t number, is_complex; /* the dtype of numbers: integers are unsigned, as they wrap around */
  uint8_t repairs;
} direct_key;

static void write_key(weft__text *text, const void *data) {
  const direct_key *key = data;
  weft__text_add(text, "#define T %s\n#define PAIRS %d\n#define REPAIRS %d\n", weft__cl_stored((weft_dtype)key->number),
                 key->is_complex, key->repairs);
}

/// `a` and `v` are contiguous, of to's dtype; v is not longer. repairs: only where an element of `to` is not finite.
static weft_status convolve_directly(weft_array *to, const weft_array *a, const weft_array *v, int64_t start,
                                     bool repairs, const char *what, const char *site) {
  static const char *const name[] = {"weft_convolve"};
  weft__kernel *kernel;
  static const weft_dtype integers[] = {[1] = WEFT_U8, [2] = WEFT_U16, [4] = WEFT_U32, [8] = WEFT_U64};
  const weft_dtype number =
      weft__is_whole(to->dtype) ? integers[weft_dtype_size_bytes(to->dtype)] : weft__real_dtype(to->dtype);
  const direct_key key = {(uint8_t)number, weft_dtype_kind(to->dtype) == 'c', repairs};
  const weft__kernel_source source = {
      .name = "convolve",
      .key = {.file = "fft/direct.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(direct_key, &key)},
      .write = write_key};
  const weft__grain grain = weft__grain_of(&to->context->store, WEFT__CONVOLVE_SHARE);
  const weft__convolve_args c = {.a_offset = (uint64_t)a->offset_bytes,
                                 .v_offset = (uint64_t)v->offset_bytes,
                                 .to_offset = (uint64_t)to->offset_bytes,
                                 .a_length = (uint64_t)a->size,
                                 .v_length = (uint64_t)v->size,
                                 .to_length = (uint64_t)to->size,
                                 .start = (uint64_t)start,
                                 .share = grain.items};
  const weft__use uses[] = {{a->storage, false}, {v->storage, false}, {to->storage, true}};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                              .grid = weft__grain_grid(grain, c.to_length),
                                              .block = WEFT_DIM3(grain.block),
                                              .arguments = &c,
                                              .argument_bytes = sizeof c,
                                              .uses = 3,
                                              .use = uses,
                                              .what = what,
                                              .site = site});
}

/* ---- convolve, correlate ---- */

/// From which lengths on Fourier transforms are faster than direct sums.
typedef struct limits {
  int64_t least;   /* elements of the shorter operand */
  double products; /* and products of two elements */
  int64_t always;  /* or elements of the shorter operand, which a work-item of the direct kernel adds one by one */
} limits;

/// On 2 cores of an EPYC of 2024 (PoCL 3.1; f32, f64 and c64 of 2^10 to 2^20 elements by 16 to 2048): FFTW, and Weft's
/// own transforms. On an H200 (driver 580.159; f32, f64 and c64 of 2^10 to 2^24 elements by 32 to 16384): VkFFT.
static limits limits_of(const weft_array *to) {
  const bool is_f64 = weft__needs_fp64(to->dtype), is_complex = weft_dtype_kind(to->dtype) == 'c';
  const weft__library fftw = is_f64 ? WEFT__LIBRARY_FFTW_F64 : WEFT__LIBRARY_FFTW_F32;
  if (to->context->core.device->info.type == WEFT_DEVICE_TYPE_CPU) {
    if (weft__engine_allowed(WEFT__ENGINE_FFTW) && weft__engine_is_found(fftw)) return (limits){128, 0x1p20, INT64_MAX};
    return (limits){2048, 0x1p25, INT64_MAX};
  }
  if (is_complex) return (limits){128, 0x1.4p27, 1536};
  return is_f64 ? (limits){192, 0x1.8p27, 2048} : (limits){256, 0x1.8p28, 4096};
}

static bool transforms_are_faster(const weft_array *to, int64_t longer, int64_t shorter) {
  const limits from = limits_of(to);
  return shorter >= from.always || (shorter >= from.least && (double)shorter * (double)longer >= from.products);
}

/// The dtype in which elements are multiplied and added.
static weft_dtype computed_dtype(weft_dtype dtype) {
  if (dtype == WEFT_F16 || dtype == WEFT_BF16) return WEFT_F32;
  return dtype == WEFT_BOOL ? WEFT_U32 : dtype;
}

/// The part of the full convolution that is returned.
typedef struct window {
  int64_t start, length;
} window;

static weft_status window_of(window *w, weft_convolve_mode mode, int64_t a, int64_t v, bool reversed) {
  const int64_t longer = a > v ? a : v, shorter = a > v ? v : a;
  if (mode == WEFT_CONVOLVE_FULL) *w = (window){0, longer + shorter - 1};
  /* NumPy correlates the longer with the shorter and reverses the result */
  else if (mode == WEFT_CONVOLVE_SAME)
    *w = (window){reversed && a < v ? shorter / 2 : (shorter - 1) / 2, longer};
  else if (mode == WEFT_CONVOLVE_VALID)
    *w = (window){shorter - 1, longer - shorter + 1};
  else
    return weft__fail(WEFT_ERROR_ARGUMENT, "mode", "`mode` is %d; expected a weft_convolve_mode", (int)mode);
  return WEFT_OK;
}

static weft_status check_one_axis(const weft__call *c) {
  for (int k = 0; k < 2; k++) {
    const weft_shape shape = weft__call_shape(c, k);
    if (shape.ndim == 1 && shape.dim[0] > 0) continue;
    weft__text text = {0};
    weft__text_add(&text, "`%s` is ", names[k]);
    weft__add_shape(&text, weft__call_dtype(c, k), shape);
    weft__fail(WEFT_ERROR_SHAPE, names[k], "%s; expected one axis, of length 1 or more", weft__text_chars(&text));
    weft__text_free(&text);
    return WEFT_ERROR_SHAPE;
  }
  return WEFT_OK;
}

/// Makes the second operand of a correlation the second operand of a convolution: reversed and conjugated.
static weft_status reverse_operand(weft__call *c) {
  weft_array *copy = NULL;
  weft_array view = weft__array_borrow(c->array[2]);
  view.offset_bytes += view.stride_bytes[0] * (view.shape[0] - 1);
  view.stride_bytes[0] = -view.stride_bytes[0];
  WEFT__TRY_RETURN(weft__cast(&copy, &view, view.dtype, c->site));
  weft__call_replace(c, 2, copy);
  return weft_dtype_kind(copy->dtype) == 'c' ? weft_conj(&copy, copy) : WEFT_OK;
}

static weft_status check_method(weft_convolve_method method, bool is_exact) {
  if ((unsigned)method > WEFT_CONVOLVE_FFT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "method", "`method` is %d; expected a weft_convolve_method", (int)method);
  if (method == WEFT_CONVOLVE_FFT && is_exact)
    return weft__fail(WEFT_ERROR_ARGUMENT, "method",
                      "`method` is WEFT_CONVOLVE_FFT, but integers are added exactly; expected floats");
  return WEFT_OK;
}

static weft_status convolve_into(weft_array *to, const weft_array *a, const weft_array *v, window w,
                                 weft_convolve_method method, const char *what, const char *site) {
  weft_array *whole = NULL;
  weft_status rc;
  const bool is_exact = weft__is_whole(to->dtype);
  WEFT__TRY(check_method(method, is_exact));
  const bool repairs = method == WEFT_CONVOLVE_AUTO && !is_exact && transforms_are_faster(to, a->size, v->size);
  if (method != WEFT_CONVOLVE_FFT && !repairs) return convolve_directly(to, a, v, w.start, false, what, site);
  const spectral s = {.whole = WEFT_SHAPE(a->size + v->size - 1), .axes = 1, .site = site};
  WEFT__TRY(convolve_by_fft(&whole, a, v, &s));
  WEFT__TRY(store_part(to, whole, &w.start, site));
  /* one element that is not finite makes all elements of a transform so, and so does a sum that overflows in it */
  if (repairs) rc = convolve_directly(to, a, v, w.start, true, what, site);
done:
  weft_array_release(&whole);
  return rc;
}

static weft_status convolve(weft__call *c, weft_convolve_mode mode, weft_convolve_method method, bool reversed) {
  window w;
  weft_array *computed = NULL;
  weft_status rc;
  WEFT__TRY(weft__call_operands(c));
  for (int k = 0; k < 2; k++)
    if (weft__call_is_scalar(c, k)) WEFT__TRY(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  WEFT__TRY(check_one_axis(c));
  const int64_t a_length = c->array[1]->size, v_length = c->array[2]->size;
  const weft_dtype dtype = weft__promote(c->array[1]->dtype, c->array[2]->dtype), inner = computed_dtype(dtype);
  WEFT__TRY(window_of(&w, mode, a_length, v_length, reversed));
  WEFT__TRY(weft__dtype_check(dtype, c->context));
  if (reversed) WEFT__TRY(reverse_operand(c));
  for (int k = 0; k < 2; k++) WEFT__TRY(weft__call_contiguous_operand(c, k, inner));
  WEFT__TRY(weft__call_contiguous_result(c, 0, dtype, WEFT_SHAPE(w.length)));
  weft_array *y = c->array[0];
  const weft_array *longer = c->array[a_length >= v_length ? 1 : 2], *shorter = c->array[a_length >= v_length ? 2 : 1];
  if (inner != dtype) WEFT__TRY(weft__array_create(&computed, c->context, inner, WEFT_SHAPE(w.length), c->site));
  WEFT__TRY(
      convolve_into(computed ? computed : y, longer, shorter, w, method, reversed ? "correlate" : "convolve", c->site));
  if (computed) rc = weft__cast_into(y, computed, dtype, c->site);
done:
  weft_array_release(&computed);
  return rc;
}

static weft_status call(const char *function, const weft_operand *out, const weft_operand operand[2], bool reversed,
                        const weft_convolve_params *params) {
  const weft_convolve_params p = WEFT__PARAMS(params);
  const weft_convolve_mode usual = reversed ? WEFT_CONVOLVE_VALID : WEFT_CONVOLVE_FULL;
  weft__call c;
  weft__enter(function, p.site);
  weft__call_open(&c, NULL, 1, out, 2, operand, names, p.site);
  return weft__leave(weft__call_close(&c, convolve(&c, p.mode ? p.mode : usual, p.method, reversed)));
}

weft_status weft__convolve_at(weft_operand out, weft_operand a, weft_operand v, const weft_convolve_params *params) {
  return call("weft_convolve", &out, (const weft_operand[]){a, v}, false, params);
}

weft_status weft__correlate_at(weft_operand out, weft_operand a, weft_operand v, const weft_convolve_params *params) {
  return call("weft_correlate", &out, (const weft_operand[]){a, v}, true, params);
}

/* ---- fftconvolve ---- */

/// Whether a sum over the second operand's few elements is faster than transforms, as it is on GPUs: an H100 adds 25
/// products for each of 2^26 elements in 0.94 ms, and one real transform there and back takes 1.85 ms.
static bool is_small_window(const spectral *s, const weft_array *a, const weft_array *v) {
  bool fits = !a->context->store.is_cpu && s->axes == a->ndim && v->size <= WEFT__CONVOLVE_WINDOW_MOST &&
              weft_dtype_kind(a->dtype) == 'f' && weft_dtype_kind(v->dtype) == 'f';
  for (int d = 0; d < a->ndim; d++) fits &= a->shape[d] >= v->shape[d];
  return fits;
}

/// The full convolution along all axes as a filter: an element of the result is over the window's last element.
static weft_status convolve_by_window(weft_array **out, const weft_array *a, const weft_array *v, const char *site) {
  weft_array *padded = NULL;
  weft_status rc;
  weft_shape before = {.ndim = a->ndim}, after = {.ndim = a->ndim};
  weft_filter_params p = {.mode = WEFT_BORDER_CONSTANT, .origin = {.ndim = a->ndim}, .site = site};
  for (int d = 0; d < a->ndim; d++) {
    after.dim[d] = v->shape[d] - 1;
    p.origin.dim[d] = -(v->shape[d] / 2);
  }
  WEFT__TRY((weft_pad)(&padded, a, before, after, &(weft_pad_params){.site = site}));
  rc = (weft_convolve_nd)(out, padded, v, WEFT_ALL_AXES, &p);
done:
  weft_array_release(&padded);
  return rc;
}

/// Finds the lengths of the full convolution, and the axes to transform: those along which neither has length 1.
static weft_status plan_spectral(spectral *s, const weft__call *c, weft_axes axes) {
  const weft_shape a = weft__call_shape(c, 0), v = weft__call_shape(c, 1);
  bool along[WEFT_MAX_NDIM];
  if (a.ndim != v.ndim) return weft__call_fail_shapes(c, 0, 1, "expected operands with as many axes");
  WEFT__TRY_RETURN(weft__axes_resolve(along, axes, a.ndim));
  s->whole = a;
  for (int d = 0; d < a.ndim; d++) {
    const int64_t longer = a.dim[d] > v.dim[d] ? a.dim[d] : v.dim[d];
    if (along[d] && a.dim[d] != 1 && v.dim[d] != 1) {
      s->axis[s->axes++] = d;
      s->whole.dim[d] = a.dim[d] + v.dim[d] - 1;
    } else if (along[d] || a.dim[d] == v.dim[d] || a.dim[d] == 1 || v.dim[d] == 1) {
      s->whole.dim[d] = longer;
    } else {
      return weft__call_fail_shapes(c, 0, 1, "expected equal lengths, or 1, along the axes that are not convolved");
    }
  }
  return WEFT_OK;
}

/// The lengths of the result, centred in the full convolution as in SciPy.
static weft_status plan_part(weft_shape *part, const weft__call *c, const spectral *s, weft_convolve_mode mode) {
  const weft_shape a = weft__call_shape(c, 0), v = weft__call_shape(c, 1);
  bool a_covers = true, v_covers = true;
  if (mode > WEFT_CONVOLVE_VALID || (int)mode < 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "mode", "`mode` is %d; expected a weft_convolve_mode", (int)mode);
  *part = mode == WEFT_CONVOLVE_SAME ? a : s->whole;
  if (mode != WEFT_CONVOLVE_VALID) return WEFT_OK;
  for (int k = 0; k < s->axes; k++) {
    a_covers &= a.dim[s->axis[k]] >= v.dim[s->axis[k]];
    v_covers &= v.dim[s->axis[k]] >= a.dim[s->axis[k]];
  }
  if (!a_covers && !v_covers)
    return weft__call_fail_shapes(c, 0, 1, "expected one of them at least as long as the other along every axis");
  for (int k = 0; k < s->axes; k++) {
    const int d = s->axis[k];
    part->dim[d] = a_covers ? a.dim[d] - v.dim[d] + 1 : v.dim[d] - a.dim[d] + 1;
  }
  return WEFT_OK;
}

static weft_status fftconvolve(weft__call *c, weft_axes axes, weft_convolve_mode mode) {
  spectral s = {.site = c->site};
  weft_shape part;
  weft_array *whole = NULL;
  weft_status rc;
  int64_t begin[WEFT_MAX_NDIM];
  WEFT__TRY(weft__call_operands(c));
  for (int k = 0; k < 2; k++)
    if (weft__call_is_scalar(c, k)) WEFT__TRY(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  WEFT__TRY(plan_spectral(&s, c, axes));
  WEFT__TRY(plan_part(&part, c, &s, mode));
  const weft_array *a = c->array[1], *v = c->array[2];
  const weft_dtype promoted = weft__promote(a->dtype, v->dtype);
  const weft_dtype dtype =
      weft_dtype_kind(promoted) == 'c' ? weft__fft_complex_dtype(promoted) : weft__fft_real_dtype(promoted);
  WEFT__TRY(weft__dtype_check(dtype, c->context));
  WEFT__TRY(weft__call_contiguous_result(c, 0, dtype, part));
  weft_array *y = c->array[0];
  if (y->size == 0) goto done;
  if (a->size == 0 || v->size == 0) {
    rc = weft__fill(y, WEFT_SCALAR(0), c->site);
    goto done;
  }
  for (int k = 0; k < 2; k++) WEFT__TRY(weft__call_contiguous_operand(c, k, dtype));
  for (int d = 0; d < part.ndim; d++) begin[d] = (s.whole.dim[d] - part.dim[d]) / 2;
  if (s.axes == 0)
    WEFT__TRY(weft_multiply(&whole, c->array[1], c->array[2]));
  else if (is_small_window(&s, c->array[1], c->array[2]))
    WEFT__TRY(convolve_by_window(&whole, c->array[1], c->array[2], c->site));
  else
    WEFT__TRY(convolve_by_fft(&whole, c->array[1], c->array[2], &s));
  rc = store_part(y, whole, begin, c->site);
done:
  weft_array_release(&whole);
  return rc;
}

weft_status weft__fftconvolve_at(weft_operand out, weft_operand a, weft_operand v, weft_axes axes,
                                 const weft_convolve_params *params) {
  const weft_convolve_params p = WEFT__PARAMS(params);
  const weft_operand operands[] = {a, v};
  weft__call c;
  weft__enter("weft_fftconvolve", p.site);
  weft__call_open(&c, NULL, 1, &out, 2, operands, names, p.site);
  weft_status rc = WEFT_OK;
  if (p.method != WEFT_CONVOLVE_AUTO)
    rc = weft__fail(WEFT_ERROR_ARGUMENT, "method", "`method` is %d; expected 0, as weft_fftconvolve always transforms",
                    (int)p.method);
  return weft__leave(weft__call_close(&c, rc ? rc : fftconvolve(&c, axes, p.mode)));
}
