// SPDX-License-Identifier: MIT
/// Weft's own transforms, for machines without VkFFT and FFTW: a pass over global memory for each factor of the length
/// (Stockham), and for lengths with a prime factor over 13 a convolution (Bluestein).
#include <math.h>

#include "cl/fft/args.h"
#include "dtype/scalar.h"
#include "map/cast.h"
#include "op/fft/fft.h"

typedef struct pass_key {
  uint8_t is_f64, inverse, radix;
} pass_key;

/* ---- kernels ---- */

static void write_list(weft__text *text, const char *name, const pass_key *key, bool sines) {
  weft__text_add(text, "#define %s ", name);
  for (int k = 0; k < key->radix; k++) {
    /* by eighths of a turn, so that values which are equal or 0 are so exactly */
    const double angle = 2 * acos(-1.0) * k / key->radix, sign = key->inverse ? 1 : -1;
    const double value = sines                ? (2 * k % key->radix ? sign * sin(angle) : 0)
                         : 4 * k % key->radix ? cos(angle)
                         : 2 * k % key->radix ? 0
                         : k                  ? -1
                                              : 1;
    weft__text_add(text, key->is_f64 ? "%s%.17e" : "%s%.9ef", k ? ", " : "", value);
  }
  weft__text_add(text, "\n");
}

static void write_key(weft__text *text, const void *data) {
  const pass_key *key = data;
  weft__text_add(text, "#define WIDE %d\n#define INVERSE %d\n", key->is_f64, key->inverse);
  if (!key->radix) return;
  weft__text_add(text, "#define RADIX %d\n", key->radix);
  write_list(text, "COSINES", key, false);
  write_list(text, "SINES", key, true);
}

static weft_status kernel_of(weft__kernel **kernel, const weft__fft_step *step, const char *file,
                             const char *const *name, int radix) {
  const pass_key key = {weft__needs_fp64(step->to->dtype), step->inverse, (uint8_t)radix};
  const weft__kernel_source source = {
      .name = "fft",
      .key = {.file = file, .kernel = name, .kernels = 1, WEFT__KEY_BYTES(pass_key, &key)},
      .write = write_key};
  return weft__kernels_get(kernel, &step->to->context->store, &source);
}

static uint64_t scale_bits(const weft__fft_step *step, double scale) {
  return weft__float_bits(weft__real_dtype(step->to->dtype), scale);
}

static weft_status run_step(const weft__fft_step *step, const char *const *name, const weft_array *from,
                            const weft_array *to, const weft__fft_step_args *wanted) {
  weft__kernel *kernel;
  weft__fft_step_args a = *wanted;
  a.from_offset = from ? (uint64_t)from->offset_bytes : 0;
  a.to_offset = (uint64_t)to->offset_bytes;
  WEFT__TRY_RETURN(kernel_of(&kernel, step, "fft/bluestein.cl", name, 0));
  return weft__fft_launch(&(weft__fft_kernel){kernel, &a, sizeof a, a.threads}, from, to, step->what, step->site);
}

/* ---- lengths of small factors ---- */

static const uint8_t radices[] = {8, 4, 2, 3, 5, 7, 11, 13};

/// The factors of n, at most 64. 0: it has a prime factor over 13.
static int factors(uint8_t factor[64], uint64_t n) {
  int count = 0;
  for (size_t k = 0; k < sizeof radices; k++)
    for (; n % radices[k] == 0 && n > 1; n /= radices[k]) factor[count++] = radices[k];
  return n == 1 ? count : 0;
}

/// A complex transform of a length of small factors; `from` and `to` may be the same elements.
static weft_status passes(const weft__fft_step *step, const weft_array *from, weft_array *to, uint64_t batch,
                          uint64_t length, double scale) {
  static const char *const name[] = {"weft_fft_pass"};
  uint8_t factor[64];
  const int count = factors(factor, length);
  weft_array *scratch[2] = {0};
  weft_status rc = WEFT_OK;
  const uint64_t size = batch * length * step->inner;
  const bool in_place = weft__arrays_same(from, to);
  weft__fft_pass_args a = {.length = length, .inner = step->inner, .done = 1};
  /* the result of the last pass is `to`, and each pass before it alternates */
  const int needed = count < 2 && !in_place ? 0 : in_place && count % 2 && count > 1 ? 2 : 1;
  for (int k = 0; k < needed; k++) WEFT__TRY(weft__fft_scratch(&scratch[k], to, to->dtype, size, step->site));
  if (in_place && count % 2) {
    weft_array *copy = scratch[needed - 1];
    const weft_array source = weft__array_flat(from);
    WEFT__TRY(weft__assign(copy, &source, step->site));
    from = copy;
  }
  for (int k = 0; k < count; k++) {
    weft__kernel *kernel;
    weft_array *target = (count - k) % 2 ? to : scratch[0];
    a.from_offset = (uint64_t)from->offset_bytes;
    a.to_offset = (uint64_t)target->offset_bytes;
    a.threads = size / factor[k];
    a.scale = scale_bits(step, k == count - 1 ? scale : 1);
    WEFT__TRY(kernel_of(&kernel, step, "fft/pass.cl", name, factor[k]));
    WEFT__TRY(
        weft__fft_launch(&(weft__fft_kernel){kernel, &a, sizeof a, a.threads}, from, target, step->what, step->site));
    a.done *= factor[k];
    from = target;
  }
done:
  weft_array_release(&scratch[0]);
  weft_array_release(&scratch[1]);
  return rc;
}

/* ---- any length ---- */

static weft_status bluestein(const weft__fft_step *step, const weft_array *from, weft_array *to) {
  static const char *const in_name[] = {"weft_fft_chirp_in"}, *const chirp_name[] = {"weft_fft_chirp"},
                           *const multiply_name[] = {"weft_fft_multiply"}, *const out_name[] = {"weft_fft_chirp_out"};
  const uint64_t n = step->length, rows = step->batch * step->inner;
  const uint64_t good = (uint64_t)weft__fft_good_length((int64_t)(2 * n - 1));
  weft_array *work = NULL, *chirp = NULL;
  weft_status rc = WEFT_OK;
  weft__fft_step forward = *step, chirped = *step, back = *step;
  forward.inverse = chirped.inverse = false;
  chirped.inner = 1;
  back.inverse = true;
  WEFT__TRY(n < (uint64_t)1 << 31
                ? WEFT_OK
                : weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "a length of 2^31 or more with a prime factor over 13"));
  WEFT__TRY(weft__fft_scratch(&work, to, to->dtype, rows * good, step->site));
  WEFT__TRY(weft__fft_scratch(&chirp, to, to->dtype, good, step->site));
  weft__fft_step_args a = {
      .threads = rows * good, .from_length = n, .to_length = good, .inner = step->inner, .length = n};
  WEFT__TRY(run_step(step, in_name, from, work, &a));
  a.threads = good;
  WEFT__TRY(run_step(step, chirp_name, NULL, chirp, &a));
  WEFT__TRY(passes(&forward, work, work, step->batch, good, 1));
  WEFT__TRY(passes(&chirped, chirp, chirp, 1, good, 1));
  a.threads = rows * good;
  WEFT__TRY(run_step(step, multiply_name, chirp, work, &a));
  WEFT__TRY(passes(&back, work, work, step->batch, good, 1 / (double)good));
  a = (weft__fft_step_args){.threads = rows * n,
                            .from_length = good,
                            .to_length = n,
                            .inner = step->inner,
                            .length = n,
                            .scale = scale_bits(step, step->scale)};
  WEFT__TRY(run_step(step, out_name, work, to, &a));
done:
  weft_array_release(&work);
  weft_array_release(&chirp);
  return rc;
}

static weft_status complex_step(const weft__fft_step *step, const weft_array *from, weft_array *to) {
  uint8_t factor[64];
  if (step->length > 1 && factors(factor, step->length))
    return passes(step, from, to, step->batch, step->length, step->scale);
  if (step->length > 1) return bluestein(step, from, to);
  const weft_array source = weft__array_flat(from);
  weft_array target = weft__array_flat(to);
  if (!weft__arrays_same(&source, &target)) WEFT__TRY_RETURN(weft__assign(&target, &source, step->site));
  return step->scale == 1 ? WEFT_OK : weft__fft_scale(to, step->scale, step->site);
}

/* ---- real numbers ---- */

/// The first `count` of every `length` elements of the contiguous x, or with `real` their real parts.
static weft_array part_of(const weft_array *x, uint64_t batch, uint64_t length, uint64_t count, bool real) {
  weft_array view = weft__array_flat(x);
  const int64_t element = (int64_t)weft_dtype_size_bytes(x->dtype);
  view.ndim = 2;
  view.shape[0] = (int64_t)batch;
  view.shape[1] = (int64_t)count;
  view.stride_bytes[0] = element * (int64_t)length;
  view.stride_bytes[1] = element;
  view.size = (int64_t)(batch * count);
  if (real) view.dtype = weft__real_dtype(x->dtype);
  return view;
}

/// The complex transform behind a real one, by any engine. The numbers of a transform to real ones are conjugated, and
/// the result is real, so that it is a forward one, too.
static weft_status whole_row(const weft__fft_step *step, weft_array *whole) {
  weft__fft_step forward = *step;
  forward.kind = WEFT__FFT_COMPLEX;
  forward.inverse = false;
  forward.from = forward.to = whole;
  forward.from_is_temporary = true;
  return weft__fft_run(&forward);
}

static weft_status to_complex(const weft__fft_step *step) {
  weft_array *whole = NULL;
  weft_status rc = WEFT_OK;
  const weft_array source = weft__array_flat(step->from);
  const uint64_t half = step->length / 2 + 1;
  WEFT__TRY(weft__cast(&whole, &source, step->to->dtype, step->site));
  WEFT__TRY(whole_row(step, whole));
  const weft_array first = part_of(whole, step->batch, step->length, half, false);
  weft_array target = part_of(step->to, step->batch, half, half, false);
  rc = weft__assign(&target, &first, step->site);
done:
  weft_array_release(&whole);
  return rc;
}

static weft_status to_real(const weft__fft_step *step) {
  static const char *const name[] = {"weft_fft_hermitian"};
  weft_array *whole = NULL;
  weft_status rc = WEFT_OK;
  const uint64_t size = step->batch * step->length;
  WEFT__TRY(weft__fft_scratch(&whole, step->to, step->from->dtype, size, step->site));
  const weft__fft_step_args a = {.threads = size,
                                 .from_length = step->length / 2 + 1,
                                 .to_length = step->length,
                                 .inner = 1,
                                 .length = step->length};
  WEFT__TRY(run_step(step, name, step->from, whole, &a));
  WEFT__TRY(whole_row(step, whole));
  const weft_array parts = part_of(whole, step->batch, step->length, step->length, true);
  weft_array target = part_of(step->to, step->batch, step->length, step->length, false);
  rc = weft__assign(&target, &parts, step->site);
done:
  weft_array_release(&whole);
  return rc;
}

weft_status weft__fft_own_run(bool *is_done, const void *of) {
  const weft__fft_step *step = of;
  *is_done = true;
  if (step->kind == WEFT__FFT_TO_COMPLEX) return to_complex(step);
  if (step->kind == WEFT__FFT_TO_REAL) return to_real(step);
  return complex_step(step, step->from, step->to);
}
