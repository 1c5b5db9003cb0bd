// SPDX-License-Identifier: MIT
/// Fourier and cosine transforms, and convolution, with the names, shapes, dtypes and norms of numpy.fft, scipy.fft and
/// scipy.signal.
///
///     rc = weft_fft(&y, x, -1);                                   along the last axis
///     rc = weft_rfft(&y, x, 0, .n = 1024);                        of real numbers, padded with zeros or cropped
///     rc = weft_ifftn(&y, x, WEFT_AXES(0, 1), .norm = WEFT_FFT_ORTHO);
///     rc = weft_dct(&y, x, -1, .type = 2);
///     rc = weft_convolve(&y, signal, window, .mode = WEFT_CONVOLVE_SAME);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_FFT_H
#define WEFT_FFT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- all transforms ----
   Value k of a transform of n values is the sum of x[j] * exp(-2 pi i j k / n); inverse transforms have the other sign.
   Any length from 1 on: products of small primes are fastest, others cost two to six times as much. An axis of length
   0, or a negative length, is WEFT_ERROR_ARGUMENT.

   f32, f16, bf16 and c64 are computed in f32, all other dtypes in f64 (on a device without f64:
   WEFT_ERROR_UNSUPPORTED). The result is c64 or c128, and f32 or f64 where it is real.

   Operands that are not contiguous, have another dtype than the computation, or are cropped or padded are copied. A
   complex result may be its own operand, which saves memory. The plan of a transform is made at its first use with
   these lengths, which takes up to a second where kernels must be built, and kept as long as the context.

   The work is done by FFTW on CPU devices (if libfftw3 is installed), by VkFFT elsewhere (if the build has it), else by
   Weft's own kernels; WEFT_ENGINE chooses among them. docs/accuracy.md has the errors by length. */

/// The factor of the results: NumPy's norm.
typedef enum weft_fft_norm {
  WEFT_FFT_BACKWARD = 0, /* 1 forward, 1/n inverse */
  WEFT_FFT_ORTHO,        /* 1/sqrt(n) both ways */
  WEFT_FFT_FORWARD,      /* 1/n forward, 1 inverse */
} weft_fft_norm;

/// Options of the transforms along one axis.
typedef struct weft_fft_params {
  int64_t n; /* the length transformed: x is cropped, or padded with zeros, to it. 0: x's. Of irfft and hfft: the
                length of the result. 0: 2 * (x's - 1) */
  weft_fft_norm norm;
  const char *site; /* set by the macros */
} weft_fft_params;

/// Options of the transforms along several axes.
typedef struct weft_fftn_params {
  weft_shape lengths; /* one for each axis, as .n; -1: x's length. No axes: x's lengths */
  weft_fft_norm norm;
  const char *site; /* set by the macros */
} weft_fftn_params;

/* ---- along one axis ---- */

/// numpy.fft.fft, numpy.fft.ifft: complex transforms along `axis`.
WEFT_API WEFT_NODISCARD weft_status weft_fft(weft_array **out, const weft_array *x, weft_axes axis,
                                             const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_ifft(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_fft_params *params);
/// numpy.fft.rfft: the transform of real numbers; its first n / 2 + 1 values, which determine the others.
/// WEFT_ERROR_DTYPE: x is complex.
WEFT_API WEFT_NODISCARD weft_status weft_rfft(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_fft_params *params);
/// numpy.fft.irfft: the inverse of weft_rfft; n real numbers, by default an even number. The imaginary parts of the
/// first value, and of the last one of an even n, are not used.
WEFT_API WEFT_NODISCARD weft_status weft_irfft(weft_array **out, const weft_array *x, weft_axes axis,
                                               const weft_fft_params *params);
/// numpy.fft.hfft: the real transform of a signal with Hermitian symmetry, of which x has the first n / 2 + 1 values.
WEFT_API WEFT_NODISCARD weft_status weft_hfft(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_fft_params *params);
/// numpy.fft.ihfft: the inverse of weft_hfft. WEFT_ERROR_DTYPE: x is complex.
WEFT_API WEFT_NODISCARD weft_status weft_ihfft(weft_array **out, const weft_array *x, weft_axes axis,
                                               const weft_fft_params *params);

/* ---- along several axes ---- */

/// numpy.fft.fft2 and so on: along the last two axes. WEFT_ERROR_SHAPE: x has fewer.
WEFT_API WEFT_NODISCARD weft_status weft_fft2(weft_array **out, const weft_array *x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_ifft2(weft_array **out, const weft_array *x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_rfft2(weft_array **out, const weft_array *x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_irfft2(weft_array **out, const weft_array *x, const weft_fftn_params *params);
/// numpy.fft.fftn and so on: along `axes`, each given once. The real forms have the half axis last in the list.
WEFT_API WEFT_NODISCARD weft_status weft_fftn(weft_array **out, const weft_array *x, weft_axes axes,
                                              const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_ifftn(weft_array **out, const weft_array *x, weft_axes axes,
                                               const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_rfftn(weft_array **out, const weft_array *x, weft_axes axes,
                                               const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_irfftn(weft_array **out, const weft_array *x, weft_axes axes,
                                                const weft_fftn_params *params);

/* ---- the order of frequencies ---- */

/// numpy.fft.fftshift: the zero frequency moves to the middle of each axis. numpy.fft.ifftshift moves it back. Any
/// dtype.
WEFT_API WEFT_NODISCARD weft_status weft_fftshift(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_ifftshift(weft_array **out, const weft_array *x, weft_axes axes);

/// Options of weft_fftfreq and weft_rfftfreq.
typedef struct weft_fftfreq_params {
  double d;         /* the time between two samples; 0: 1 */
  const char *site; /* set by the macros */
} weft_fftfreq_params;
/// numpy.fft.fftfreq, numpy.fft.rfftfreq: the frequencies of the values of a transform of length n, in cycles per unit
/// of .d; n of them, or n / 2 + 1. `dtype` is f32 or f64. `context` may be NULL: a given result's, else the default
/// one. WEFT_ERROR_ARGUMENT: n is not positive.
WEFT_API WEFT_NODISCARD weft_status weft_fftfreq(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n,
                                                 const weft_fftfreq_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_rfftfreq(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n,
                                                  const weft_fftfreq_params *params);

/* ---- cosine transforms ---- */

/// Options of weft_dct and weft_idct.
typedef struct weft_dct_params {
  int type;  /* 1 to 4; 0: 2 */
  int64_t n; /* as for weft_fft */
  weft_fft_norm norm;
  const char *site; /* set by the macros */
} weft_dct_params;
/// scipy.fft.dct, scipy.fft.idct along `axis`, of real numbers; with WEFT_FFT_ORTHO the orthogonal forms. The inverse
/// of type 2 is type 3, and the reverse. WEFT_ERROR_ARGUMENT: a type that is not 1 to 4; type 1 of length 1.
/// WEFT_ERROR_DTYPE: x is complex.
WEFT_API WEFT_NODISCARD weft_status weft_dct(weft_array **out, const weft_array *x, weft_axes axis,
                                             const weft_dct_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_idct(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_dct_params *params);

/* ---- convolution ---- */

/// The part of a convolution of n and m elements that is returned.
typedef enum weft_convolve_mode {
  WEFT_CONVOLVE_DEFAULT = 0, /* full; of weft_correlate valid, as in NumPy */
  WEFT_CONVOLVE_FULL,        /* all n + m - 1 */
  WEFT_CONVOLVE_SAME,        /* the middle max(n, m); of weft_fftconvolve as many as the first operand */
  WEFT_CONVOLVE_VALID,       /* the max(n, m) - min(n, m) + 1 that need no elements outside */
} weft_convolve_mode;
/// How weft_convolve and weft_correlate compute floats, as scipy.signal.convolve's `method`.
typedef enum weft_convolve_method {
  WEFT_CONVOLVE_AUTO = 0, /* the faster one; elements that a transform makes NaN or infinite directly */
  WEFT_CONVOLVE_DIRECT,   /* sums of products */
  WEFT_CONVOLVE_FFT,      /* Fourier transforms: a NaN or an infinity makes every element NaN */
} weft_convolve_method;
/// Options of weft_convolve, weft_correlate and weft_fftconvolve.
typedef struct weft_convolve_params {
  weft_convolve_mode mode;
  weft_convolve_method method; /* weft_fftconvolve: only AUTO, which transforms as its name says */
  const char *site;            /* set by the macros */
} weft_convolve_params;
/// numpy.convolve, numpy.correlate (which conjugates v) of two operands of one axis. dtypes promote; integers wrap
/// around, and bool is an or of ands. Floats are convolved by Fourier transforms where this is faster: the error of
/// each element is then relative to the largest one. A NaN or an infinity reaches the elements whose sums have it, at
/// any length, and costs the time of the direct sums; .method chooses. WEFT_ERROR_SHAPE: not one axis, or empty.
/// WEFT_ERROR_ARGUMENT: transforms of integers.
WEFT_API WEFT_NODISCARD weft_status weft_convolve(weft_array **out, const weft_array *a, const weft_array *v,
                                                  const weft_convolve_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_correlate(weft_array **out, const weft_array *a, const weft_array *v,
                                                   const weft_convolve_params *params);
/// scipy.signal.fftconvolve: the convolution along `axes` of operands with as many axes, by Fourier transforms (on GPUs
/// directly, if the second one has few elements); along all other axes they broadcast. Integers become f64. As in
/// SciPy, a transform makes every element NaN if one is NaN or infinite.
/// WEFT_ERROR_SHAPE: the shapes do not fit, or with WEFT_CONVOLVE_VALID neither operand is at least as long along every
/// axis.
WEFT_API WEFT_NODISCARD weft_status weft_fftconvolve(weft_array **out, const weft_array *a, const weft_array *v,
                                                     weft_axes axes, const weft_convolve_params *params);

/* ---- windows ---- */

/// numpy.hanning, hamming, blackman, bartlett: `n` weights that fall to both ends, symmetric, in one axis; f32 or f64
/// (WEFT_ERROR_DTYPE), computed on the host in f64. `context` may be NULL: a given result's, else the default one.
/// WEFT_ERROR_ARGUMENT: n is negative.
WEFT_API WEFT_NODISCARD weft_status weft_hanning(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n);
WEFT_API WEFT_NODISCARD weft_status weft_hamming(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n);
WEFT_API WEFT_NODISCARD weft_status weft_blackman(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n);
WEFT_API WEFT_NODISCARD weft_status weft_bartlett(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n);
/// numpy.kaiser: the same with the shape `beta`, 0 (all ones) to 700 (WEFT_ERROR_ARGUMENT).
WEFT_API WEFT_NODISCARD weft_status weft_kaiser(weft_array **out, weft_context *context, weft_dtype dtype, int64_t n,
                                                double beta);

/* ---- behind the functions ---- */

/// The windows by number.
typedef enum weft__window_kind {
  WEFT__WINDOW_HANNING,
  WEFT__WINDOW_HAMMING,
  WEFT__WINDOW_BLACKMAN,
  WEFT__WINDOW_BARTLETT,
  WEFT__WINDOW_KAISER,
} weft__window_kind;
WEFT_API WEFT_NODISCARD weft_status weft__window_at(weft__window_kind window, weft_operand out, weft_context *context,
                                                    weft_dtype dtype, int64_t n, double beta, const char *site);

WEFT_API WEFT_NODISCARD weft_status weft__fft_at(weft_operand out, weft_operand x, weft_axes axis,
                                                 const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ifft_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__rfft_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__irfft_at(weft_operand out, weft_operand x, weft_axes axis,
                                                   const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__hfft_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ihfft_at(weft_operand out, weft_operand x, weft_axes axis,
                                                   const weft_fft_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__fft2_at(weft_operand out, weft_operand x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ifft2_at(weft_operand out, weft_operand x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__rfft2_at(weft_operand out, weft_operand x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__irfft2_at(weft_operand out, weft_operand x, const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__fftn_at(weft_operand out, weft_operand x, weft_axes axes,
                                                  const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ifftn_at(weft_operand out, weft_operand x, weft_axes axes,
                                                   const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__rfftn_at(weft_operand out, weft_operand x, weft_axes axes,
                                                   const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__irfftn_at(weft_operand out, weft_operand x, weft_axes axes,
                                                    const weft_fftn_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__fftshift_at(weft_operand out, weft_operand x, weft_axes axes,
                                                      const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__ifftshift_at(weft_operand out, weft_operand x, weft_axes axes,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__fftfreq_at(weft_operand out, weft_context *context, weft_dtype dtype,
                                                     int64_t n, const weft_fftfreq_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__rfftfreq_at(weft_operand out, weft_context *context, weft_dtype dtype,
                                                      int64_t n, const weft_fftfreq_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dct_at(weft_operand out, weft_operand x, weft_axes axis,
                                                 const weft_dct_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__idct_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_dct_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__convolve_at(weft_operand out, weft_operand a, weft_operand v,
                                                      const weft_convolve_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__correlate_at(weft_operand out, weft_operand a, weft_operand v,
                                                       const weft_convolve_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__fftconvolve_at(weft_operand out, weft_operand a, weft_operand v,
                                                         weft_axes axes, const weft_convolve_params *params);

#define weft_fft(out, x, ...)                                                             \
  weft__fft_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_fft_params, __VA_ARGS__))
#define weft_ifft(out, x, ...)                                                             \
  weft__ifft_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_fft_params, __VA_ARGS__))
#define weft_rfft(out, x, ...)                                                             \
  weft__rfft_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_fft_params, __VA_ARGS__))
#define weft_irfft(out, x, ...)                                                             \
  weft__irfft_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_fft_params, __VA_ARGS__))
#define weft_hfft(out, x, ...)                                                             \
  weft__hfft_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_fft_params, __VA_ARGS__))
#define weft_ihfft(out, x, ...)                                                             \
  weft__ihfft_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_fft_params, __VA_ARGS__))
#define weft_fft2(out, ...)                                                 \
  weft__fft2_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_ifft2(out, ...)                                                 \
  weft__ifft2_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_rfft2(out, ...)                                                 \
  weft__rfft2_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_irfft2(out, ...)                                                 \
  weft__irfft2_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_fftn(out, x, ...)                                                             \
  weft__fftn_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_ifftn(out, x, ...)                                                             \
  weft__ifftn_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_rfftn(out, x, ...)                                                             \
  weft__rfftn_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_irfftn(out, x, ...)                                                             \
  weft__irfftn_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_fftn_params, __VA_ARGS__))
#define weft_fftshift(out, x, axes) weft__fftshift_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), WEFT_SITE)
#define weft_ifftshift(out, x, axes) \
  weft__ifftshift_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), WEFT_SITE)
#define weft_fftfreq(out, context, dtype, ...)                                      \
  weft__fftfreq_at(WEFT__RESULT(out), (context), (dtype), WEFT__FIRST(__VA_ARGS__), \
                   WEFT__OPTIONS(weft_fftfreq_params, __VA_ARGS__))
#define weft_rfftfreq(out, context, dtype, ...)                                      \
  weft__rfftfreq_at(WEFT__RESULT(out), (context), (dtype), WEFT__FIRST(__VA_ARGS__), \
                    WEFT__OPTIONS(weft_fftfreq_params, __VA_ARGS__))
#define weft_hanning(out, context, dtype, n) \
  weft__window_at(WEFT__WINDOW_HANNING, WEFT__RESULT(out), (context), (dtype), (n), 0, WEFT_SITE)
#define weft_hamming(out, context, dtype, n) \
  weft__window_at(WEFT__WINDOW_HAMMING, WEFT__RESULT(out), (context), (dtype), (n), 0, WEFT_SITE)
#define weft_blackman(out, context, dtype, n) \
  weft__window_at(WEFT__WINDOW_BLACKMAN, WEFT__RESULT(out), (context), (dtype), (n), 0, WEFT_SITE)
#define weft_bartlett(out, context, dtype, n) \
  weft__window_at(WEFT__WINDOW_BARTLETT, WEFT__RESULT(out), (context), (dtype), (n), 0, WEFT_SITE)
#define weft_kaiser(out, context, dtype, n, beta) \
  weft__window_at(WEFT__WINDOW_KAISER, WEFT__RESULT(out), (context), (dtype), (n), (beta), WEFT_SITE)
#define weft_dct(out, x, ...)                                                             \
  weft__dct_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_dct_params, __VA_ARGS__))
#define weft_idct(out, x, ...)                                                             \
  weft__idct_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_dct_params, __VA_ARGS__))
#define weft_convolve(out, a, ...)                                                                \
  weft__convolve_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_convolve_params, __VA_ARGS__))
#define weft_correlate(out, a, ...)                                                                \
  weft__correlate_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_convolve_params, __VA_ARGS__))
#define weft_fftconvolve(out, a, v, ...)                                                                            \
  weft__fftconvolve_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(v), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_convolve_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
