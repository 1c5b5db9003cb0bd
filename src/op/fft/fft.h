// SPDX-License-Identifier: MIT
/// One discrete Fourier transform along one axis, and the ways to compute it.
#ifndef WEFT_OP_FFT_FFT_H
#define WEFT_OP_FFT_FFT_H

#include "array/strides.h"
#include "engine/ways.h"
#include "store/kernel_set.h"

typedef enum weft__fft_kind {
  WEFT__FFT_COMPLEX,    /* complex to complex, `length` of both */
  WEFT__FFT_TO_COMPLEX, /* `length` real numbers to the length / 2 + 1 first values of their transform */
  WEFT__FFT_TO_REAL,    /* length / 2 + 1 values of a Hermitian transform to `length` real numbers */
} weft__fft_kind;

/// Contiguous arrays [batch, length, inner] that share no memory, except that a complex transform may be in place
/// (`from` and `to` are the same elements). inner is 1 for the two kinds with real numbers. Not empty.
typedef struct weft__fft_step {
  weft__fft_kind kind;
  bool inverse; /* the exponent's sign is plus; always for TO_REAL, never for TO_COMPLEX */
  uint64_t batch, length, inner;
  const weft_array *from; /* f32, f64, c64 or c128 */
  weft_array *to;
  double scale;           /* factor of the result */
  bool from_is_temporary; /* `from` may be overwritten */
  const char *what, *site;
} weft__fft_step;

/// Computes the step by the first way that fits (op/fft/ways.c). Blocks only to build kernels and plans, and on CPU
/// devices. Errors: BUILD, MEMORY, HOST_MEMORY, DRIVER, UNSUPPORTED.
weft_status weft__fft_run(const weft__fft_step *step);
extern const weft__ways weft__fft_ways;

/// The steps of the engines on the host.
extern const struct weft__host_function weft__host_columns, weft__host_fftw_f32, weft__host_fftw_f64;

/// The ways (op/fft/ways.c).
WEFT__WAY_FUNCTIONS(fft, columns);
WEFT__WAY_FUNCTIONS(fft, fftw);
WEFT__WAY_FUNCTIONS(fft, cufft);
WEFT__WAY_FUNCTIONS(fft, vkfft);
WEFT__WAY_FUNCTIONS(fft, local);
WEFT__WAY_FUNCTION(fft, own);

/// Whether the device computes on the host's cores, where the loops and FFTW are.
static inline bool weft__fft_is_for_host(const weft__fft_step *step) {
  return step->to->context->core.device->info.type == WEFT_DEVICE_TYPE_CPU;
}

/// Whether the product of the rows with the matrix of roots of unity is faster than FFTW; computes it (prime_rows.c).
bool weft__fft_is_product(const weft__fft_step *step);
weft_status weft__fft_by_product(const weft__fft_step *step);

/// A kernel of cl/fft/ with its arguments.
typedef struct weft__fft_kernel {
  weft__kernel *kernel;
  const void *arguments;
  size_t argument_bytes;
  uint64_t threads;
} weft__fft_kernel;
/// Launches the kernel on its arguments, `from`, and `to`, which it writes. `from` may be NULL: no argument then.
weft_status weft__fft_launch(const weft__fft_kernel *kernel, const weft_array *from, const weft_array *to,
                             const char *what, const char *site);

/// Multiplies x by a real number, in place.
weft_status weft__fft_scale(weft_array *x, double factor, const char *site);
/// The least length from n on that has no prime factor over 7.
int64_t weft__fft_good_length(int64_t n);
/// A new contiguous array with one axis, in the context of `like`.
weft_status weft__fft_scratch(weft_array **out, const weft_array *like, weft_dtype dtype, uint64_t elements,
                              const char *site);

#endif
