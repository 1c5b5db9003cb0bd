// SPDX-License-Identifier: MIT
/// Filters over neighbouring elements, with the names and results of scipy.ndimage.
///
///     rc = weft_gaussian_filter(&y, x, 2.0, WEFT_ALL_AXES);
///     rc = weft_correlate1d(&y, x, WEFT_HOST(w, WEFT_F32, WEFT_SHAPE(5)), -1, .mode = WEFT_BORDER_EDGE);
///     rc = weft_uniform_filter(&y, x, WEFT_SHAPE(3, 5), WEFT_AXES(0, 1));
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_FILTER_H
#define WEFT_FILTER_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* x has a real dtype, and the result has x's shape and dtype; complex numbers are WEFT_ERROR_DTYPE. Sums of f16, bf16
   and f32 are computed in f32, others in f64 (without fp64 in f32). Of integers each pass along an axis is rounded
   towards zero, as in SciPy; out of range it becomes the dtype's limit.

   Filters that are separable work along one axis after the other, each in one launch. A `size` or `origin` is one
   number for all axes or one for each: WEFT_SHAPE(3) or WEFT_SHAPE(3, 5); an origin moves the window towards the
   front. WEFT_ERROR_ARGUMENT: a size below 1, an origin that moves the window's middle out of it, a value without
   WEFT_BORDER_CONSTANT. */

/// The elements outside of an array, in the words of weft_pad_mode.
typedef enum weft_border_mode {
  WEFT_BORDER_DEFAULT = 0, /* filters: SYMMETRIC */
  WEFT_BORDER_EDGE,        /* SciPy's "nearest":      a a | a b c | c c */
  WEFT_BORDER_REFLECT,     /* SciPy's "mirror":       c b | a b c | b a */
  WEFT_BORDER_SYMMETRIC,   /* SciPy's "reflect":      b a | a b c | c b */
  WEFT_BORDER_WRAP,        /* SciPy's "wrap":         b c | a b c | a b */
  WEFT_BORDER_CONSTANT,    /* SciPy's "constant":     .value, or zero */
} weft_border_mode;

/// Options of the filters.
typedef struct weft_filter_params {
  weft_border_mode mode;
  weft_scalar value; /* for WEFT_BORDER_CONSTANT, converted as by weft_full: WEFT_SCALAR(7) */
  weft_shape origin; /* default 0 */
  const char *site;  /* set by the macros */
} weft_filter_params;

/// Options of weft_gaussian_filter and weft_gaussian_laplace.
typedef struct weft_gaussian_params {
  weft_border_mode mode;
  weft_scalar value; /* for WEFT_BORDER_CONSTANT */
  weft_shape order;  /* of the derivative, one for all axes or one for each; default 0, none */
  double truncate;   /* the window's radius in standard deviations; default 4 */
  const char *site;  /* set by the macros */
} weft_gaussian_params;

/* ---- sums ---- */

/// scipy.ndimage.correlate1d, convolve1d: the sum of the neighbours along `axis` times the `weights`, of one axis and
/// of real numbers; a convolution's weights are reversed. WEFT_ERROR_SHAPE: not one axis, or no weights.
WEFT_API WEFT_NODISCARD weft_status weft_correlate1d(weft_array **out, const weft_array *x, const weft_array *weights,
                                                     weft_axes axis, const weft_filter_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_convolve1d(weft_array **out, const weft_array *x, const weft_array *weights,
                                                    weft_axes axis, const weft_filter_params *params);
/// scipy.ndimage.correlate, convolve: the sum of the neighbours times the `weights`, which have an axis for each of
/// `axes`. One launch. WEFT_ERROR_SHAPE: another number of axes, or no weights.
WEFT_API WEFT_NODISCARD weft_status weft_correlate_nd(weft_array **out, const weft_array *x, const weft_array *weights,
                                                      weft_axes axes, const weft_filter_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_convolve_nd(weft_array **out, const weft_array *x, const weft_array *weights,
                                                     weft_axes axes, const weft_filter_params *params);
/// scipy.ndimage.gaussian_filter: the mean with the weights of a Gaussian, or its derivative. `sigma`, the standard
/// deviation, is a number or one for each of `axes`, in host memory or in an array, for which the call waits.
/// WEFT_ERROR_ARGUMENT: a sigma that is negative or no number, a window of 2^31 elements or more, a negative order.
WEFT_API WEFT_NODISCARD weft_status weft_gaussian_filter(weft_array **out, const weft_array *x, const weft_array *sigma,
                                                         weft_axes axes, const weft_gaussian_params *params);
/// scipy.ndimage.uniform_filter: the mean of `size` neighbours along each of `axes`. The time of long windows does not
/// grow with them.
WEFT_API WEFT_NODISCARD weft_status weft_uniform_filter(weft_array **out, const weft_array *x, weft_shape size,
                                                        weft_axes axes, const weft_filter_params *params);
/// scipy.ndimage.sobel, prewitt: the difference of the neighbours along `axis`, smoothed along all other axes with the
/// weights 1 2 1 or 1 1 1. An origin is WEFT_ERROR_ARGUMENT.
WEFT_API WEFT_NODISCARD weft_status weft_sobel(weft_array **out, const weft_array *x, weft_axes axis,
                                               const weft_filter_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_prewitt(weft_array **out, const weft_array *x, weft_axes axis,
                                                 const weft_filter_params *params);
/// scipy.ndimage.laplace: the sum of the second differences along `axes`. An origin is WEFT_ERROR_ARGUMENT.
WEFT_API WEFT_NODISCARD weft_status weft_laplace_filter(weft_array **out, const weft_array *x, weft_axes axes,
                                                        const weft_filter_params *params);
/// scipy.ndimage.gaussian_laplace: the sum of a Gaussian's second derivatives along `axes`; `sigma` as for
/// weft_gaussian_filter. An order is WEFT_ERROR_ARGUMENT.
WEFT_API WEFT_NODISCARD weft_status weft_gaussian_laplace(weft_array **out, const weft_array *x,
                                                          const weft_array *sigma, weft_axes axes,
                                                          const weft_gaussian_params *params);

/* ---- elements in order ----
   The window is a box of `size`, or, with .footprint, the elements where that array, with an axis for each of `axes`,
   is nonzero (`size` is then WEFT_SHAPE_0D); the call waits for it. Minima and maxima over a box are computed along one
   axis after the other; the time of long windows does not grow with them. A NaN in the window wins a minimum or
   maximum, and is last in order. */

/// Options of the filters by order and of grey morphology.
typedef struct weft_window_params {
  weft_border_mode mode;
  weft_scalar value;           /* for WEFT_BORDER_CONSTANT */
  weft_shape origin;           /* default 0 */
  const weft_array *footprint; /* default NULL: a box */
  const char *site;            /* set by the macros */
} weft_window_params;

/// Options of binary morphology.
typedef struct weft_binary_params {
  int iterations;              /* default 1 */
  bool border_value;           /* the elements outside of each erosion and dilation, default false */
  weft_shape origin;           /* default 0 */
  const weft_array *structure; /* default NULL: an element and its neighbours along the axes */
  const char *site;            /* set by the macros */
} weft_binary_params;

/// scipy.ndimage.minimum_filter, maximum_filter: the least and the greatest element of the window.
WEFT_API WEFT_NODISCARD weft_status weft_minimum_filter(weft_array **out, const weft_array *x, weft_shape size,
                                                        weft_axes axes, const weft_window_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_maximum_filter(weft_array **out, const weft_array *x, weft_shape size,
                                                        weft_axes axes, const weft_window_params *params);
/// scipy.ndimage.median_filter: element n / 2 of the window's n in order. Up to 49 elements are ordered by a network of
/// comparisons in registers; on GPUs, of up to 1024 the wanted one is found bit by bit, which reads the window as often
/// as a dtype has bits. Larger windows slide along their longest axis over sorted elements: a step takes as long as the
/// elements that come and leave.
WEFT_API WEFT_NODISCARD weft_status weft_median_filter(weft_array **out, const weft_array *x, weft_shape size,
                                                       weft_axes axes, const weft_window_params *params);
/// scipy.ndimage.rank_filter: element `rank` of the window in order; a negative one counts from the end.
/// WEFT_ERROR_ARGUMENT: no element has this rank.
WEFT_API WEFT_NODISCARD weft_status weft_rank_filter(weft_array **out, const weft_array *x, int64_t rank,
                                                     weft_shape size, weft_axes axes, const weft_window_params *params);
/// scipy.ndimage.percentile_filter: element floor(n * percentile / 100) of n, and for 100 the last; a negative
/// percentile counts from 100. WEFT_ERROR_ARGUMENT: not from -100 to 100.
WEFT_API WEFT_NODISCARD weft_status weft_percentile_filter(weft_array **out, const weft_array *x, double percentile,
                                                           weft_shape size, weft_axes axes,
                                                           const weft_window_params *params);

/// scipy.ndimage.grey_erosion, grey_dilation: the least element of the window, and the greatest one of the reflected
/// window; grey_opening, an erosion and then a dilation; grey_closing, the reverse.
WEFT_API WEFT_NODISCARD weft_status weft_grey_erosion(weft_array **out, const weft_array *x, weft_shape size,
                                                      weft_axes axes, const weft_window_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_grey_dilation(weft_array **out, const weft_array *x, weft_shape size,
                                                       weft_axes axes, const weft_window_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_grey_opening(weft_array **out, const weft_array *x, weft_shape size,
                                                      weft_axes axes, const weft_window_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_grey_closing(weft_array **out, const weft_array *x, weft_shape size,
                                                      weft_axes axes, const weft_window_params *params);
/// scipy.ndimage.binary_erosion, binary_dilation, binary_opening, binary_closing, as bool: whether all elements under
/// the structure, which has x's axes, are nonzero; whether any under the reflected one is. The call waits for the
/// structure. WEFT_ERROR_SHAPE: it has other axes, or no nonzero element. WEFT_ERROR_ARGUMENT: fewer than 0 iterations.
WEFT_API WEFT_NODISCARD weft_status weft_binary_erosion(weft_array **out, const weft_array *x,
                                                        const weft_binary_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_binary_dilation(weft_array **out, const weft_array *x,
                                                         const weft_binary_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_binary_opening(weft_array **out, const weft_array *x,
                                                        const weft_binary_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_binary_closing(weft_array **out, const weft_array *x,
                                                        const weft_binary_params *params);

/* ---- behind the functions ---- */

/// The elements in order and grey morphology.
typedef enum weft__order_form {
  WEFT__ORDER_MINIMUM = 0,
  WEFT__ORDER_MAXIMUM,
  WEFT__ORDER_MEDIAN,
  WEFT__ORDER_RANK,
  WEFT__ORDER_PERCENTILE,
  WEFT__ORDER_EROSION,
  WEFT__ORDER_DILATION,
  WEFT__ORDER_OPENING,
  WEFT__ORDER_CLOSING,
} weft__order_form;
/// `number`: the rank or the percentile.
WEFT_API WEFT_NODISCARD weft_status weft__order_filter_at(weft_operand out, weft_operand x, double number,
                                                          weft_shape size, weft_axes axes, weft__order_form form,
                                                          const weft_window_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__binary_at(weft_operand out, weft_operand x, weft__order_form form,
                                                    const weft_binary_params *params);

/// `form`: bit 0: a convolution; bit 1: over several axes.
WEFT_API WEFT_NODISCARD weft_status weft__filter_correlate_at(weft_operand out, weft_operand x, weft_operand weights,
                                                              weft_axes axes, int form,
                                                              const weft_filter_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__gaussian_at(weft_operand out, weft_operand x, weft_operand sigma,
                                                      weft_axes axes, bool is_laplace,
                                                      const weft_gaussian_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__uniform_filter_at(weft_operand out, weft_operand x, weft_shape size,
                                                            weft_axes axes, const weft_filter_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__sobel_at(weft_operand out, weft_operand x, weft_axes axis, bool is_prewitt,
                                                   const weft_filter_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__laplace_filter_at(weft_operand out, weft_operand x, weft_axes axes,
                                                            const weft_filter_params *params);

#define weft_correlate1d(out, x, weights, ...)                                           \
  weft__filter_correlate_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(weights), \
                            WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 0, WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_convolve1d(out, x, weights, ...)                                            \
  weft__filter_correlate_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(weights), \
                            WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 1, WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_correlate_nd(out, x, weights, ...)                                          \
  weft__filter_correlate_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(weights), \
                            WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 2, WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_convolve_nd(out, x, weights, ...)                                           \
  weft__filter_correlate_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(weights), \
                            WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 3, WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_gaussian_filter(out, x, sigma, ...)                                                                     \
  weft__gaussian_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(sigma), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    false, WEFT__OPTIONS(weft_gaussian_params, __VA_ARGS__))
#define weft_gaussian_laplace(out, x, sigma, ...)                                                                    \
  weft__gaussian_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(sigma), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    true, WEFT__OPTIONS(weft_gaussian_params, __VA_ARGS__))
#define weft_uniform_filter(out, x, size, ...)                                                               \
  weft__uniform_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                          WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_sobel(out, x, ...)                                                                    \
  weft__sobel_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), false, \
                 WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_prewitt(out, x, ...)                                                                 \
  weft__sobel_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), true, \
                 WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_laplace_filter(out, x, ...)                                                             \
  weft__laplace_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                          WEFT__OPTIONS(weft_filter_params, __VA_ARGS__))
#define weft_minimum_filter(out, x, size, ...)                                                                \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_MINIMUM, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_maximum_filter(out, x, size, ...)                                                                \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_MAXIMUM, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_median_filter(out, x, size, ...)                                                                 \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_MEDIAN, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_rank_filter(out, x, rank, size, ...)                                    \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), (double)(rank), (size), \
                        WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), WEFT__ORDER_RANK,      \
                        WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_percentile_filter(out, x, percentile, size, ...)                              \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), (double)(percentile), (size), \
                        WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), WEFT__ORDER_PERCENTILE,      \
                        WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_grey_erosion(out, x, size, ...)                                                                  \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_EROSION, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_grey_dilation(out, x, size, ...)                                                                 \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_DILATION, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_grey_opening(out, x, size, ...)                                                                  \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_OPENING, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_grey_closing(out, x, size, ...)                                                                  \
  weft__order_filter_at(WEFT__RESULT(out), WEFT__OPERAND(x), 0, (size), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__ORDER_CLOSING, WEFT__OPTIONS(weft_window_params, __VA_ARGS__))
#define weft_binary_erosion(out, ...)                                                              \
  weft__binary_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__ORDER_EROSION, \
                  WEFT__OPTIONS(weft_binary_params, __VA_ARGS__))
#define weft_binary_dilation(out, ...)                                                              \
  weft__binary_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__ORDER_DILATION, \
                  WEFT__OPTIONS(weft_binary_params, __VA_ARGS__))
#define weft_binary_opening(out, ...)                                                              \
  weft__binary_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__ORDER_OPENING, \
                  WEFT__OPTIONS(weft_binary_params, __VA_ARGS__))
#define weft_binary_closing(out, ...)                                                              \
  weft__binary_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__ORDER_CLOSING, \
                  WEFT__OPTIONS(weft_binary_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
