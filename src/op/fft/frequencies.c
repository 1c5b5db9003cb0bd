// SPDX-License-Identifier: MIT
/// weft_fftshift, weft_ifftshift, weft_fftfreq, weft_rfftfreq.
#include <inttypes.h>
#include <stdlib.h>
#include <weft/rearrange.h>

#include "op/fft/transform.h"

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

/* ---- frequencies ---- */

static void write_frequencies(void *data, weft_dtype dtype, int64_t n, bool half, double d) {
  const int64_t count = half ? n / 2 + 1 : n;
  const double step = 1 / ((double)n * d);
  for (int64_t k = 0; k < count; k++) {
    const double value = (double)(!half && k > (n - 1) / 2 ? k - n : k) * step;
    if (dtype == WEFT_F32)
      ((float *)data)[k] = (float)value;
    else
      ((double *)data)[k] = value;
  }
}

static weft_status frequencies(const char *function, const weft_operand *out, weft_context *context, weft_dtype dtype,
                               int64_t n, bool half, const weft_fftfreq_params *params) {
  const weft_fftfreq_params p = WEFT__PARAMS(params);
  weft__call c;
  weft_status rc;
  void *data = NULL;
  weft__enter(function, p.site);
  weft__call_open(&c, context, 1, out, 0, NULL, NULL, p.site);
  WEFT__TRY(n >= 1 ? WEFT_OK : weft__fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %" PRId64 "; expected at least 1", n));
  WEFT__TRY(dtype == WEFT_F32 || dtype == WEFT_F64
                ? WEFT_OK
                : weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s; expected f32 or f64", weft_dtype_name(dtype)));
  WEFT__TRY(weft__call_operands(&c));
  WEFT__TRY(weft__dtype_check(dtype, c.context));
  const int64_t count = half ? n / 2 + 1 : n;
  int64_t size;
  WEFT__TRY(weft__shape_check(&size, WEFT_SHAPE(count), dtype, "n"));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, dtype, WEFT_SHAPE(count)));
  const size_t bytes = (size_t)size * weft_dtype_size_bytes(dtype);
  WEFT__TRY((data = weft__new(bytes)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  write_frequencies(data, dtype, n, half, p.d == 0 ? 1 : p.d);
  rc = weft__array_write(c.array[0], data, true, p.site);
done:
  free(data);
  return weft__leave(weft__call_close(&c, rc));
}

weft_status weft__fftfreq_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t n,
                             const weft_fftfreq_params *params) {
  return frequencies("weft_fftfreq", &out, context, dtype, n, false, params);
}

weft_status weft__rfftfreq_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t n,
                              const weft_fftfreq_params *params) {
  return frequencies("weft_rfftfreq", &out, context, dtype, n, true, params);
}
