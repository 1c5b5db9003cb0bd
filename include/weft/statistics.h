// SPDX-License-Identifier: MIT
/// Statistics: medians and quantiles.
///
///     rc = weft_median(&m, x, WEFT_ALL_AXES);
///     rc = weft_quantile(&rows, x, 0.25, -1, .method = WEFT_QUANTILE_LOWER);
///     rc = weft_percentile(&y, x, WEFT_HOST(q, WEFT_F64, WEFT_SHAPE(3)), 0);      y[0], y[1], y[2] of each column
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_STATISTICS_H
#define WEFT_STATISTICS_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- medians and quantiles ----
   x has a real dtype; complex numbers are WEFT_ERROR_DTYPE. Its elements along the axes are one row, in order with NaN
   last. `q` is a number, or up to as many axes as make 8 with the result's others; its axes come first in the result.
   The call waits for `q` unless it is a C number.

   Dtypes: x's for floats, f64 for bool and integers; x's also for integers with the methods LOWER, HIGHER, NEAREST,
   INVERTED_CDF and CLOSEST_OBSERVATION, which return an element. A weight between two elements is computed in f64 and
   the result rounded once (without fp64 in f32). Between two equal infinities is that infinity.

   NaN: a row with a NaN gives NaN. The nan forms ignore NaNs; a row without other elements gives NaN. Of no elements
   the medians and the nan forms of floats give NaN, other quantiles are WEFT_ERROR_SHAPE, as in NumPy.

   Long rows (65536 elements or more, up to 16 rows, up to 8 different elements wanted) are not sorted: their elements
   are found by counting digits, which reads a row 3 times for f32 and 6 times for f64, and needs little memory; the nan
   forms then wait for the number of NaNs. A zero that is found so is +0. Other rows are sorted. */

/// The methods of numpy.quantile, by Hyndman and Fan (1996).
typedef enum weft_quantile_method {
  WEFT_QUANTILE_LINEAR = 0,
  WEFT_QUANTILE_LOWER,
  WEFT_QUANTILE_HIGHER,
  WEFT_QUANTILE_MIDPOINT,
  WEFT_QUANTILE_NEAREST, /* half-way: the element with an even number */
  WEFT_QUANTILE_INVERTED_CDF,
  WEFT_QUANTILE_AVERAGED_INVERTED_CDF,
  WEFT_QUANTILE_CLOSEST_OBSERVATION,
  WEFT_QUANTILE_INTERPOLATED_INVERTED_CDF,
  WEFT_QUANTILE_HAZEN,
  WEFT_QUANTILE_WEIBULL,
  WEFT_QUANTILE_MEDIAN_UNBIASED,
  WEFT_QUANTILE_NORMAL_UNBIASED,
} weft_quantile_method;

/// Options of weft_quantile, weft_percentile, weft_nanquantile and weft_nanpercentile.
typedef struct weft_quantile_params {
  weft_quantile_method method; /* default WEFT_QUANTILE_LINEAR */
  const char *site;            /* set by the macros */
} weft_quantile_params;

/// numpy.median: the middle element, or half-way between the two middle elements.
WEFT_API WEFT_NODISCARD weft_status weft_median(weft_array **out, const weft_array *x, weft_axes axes);
/// numpy.quantile: the values below which the parts `q` of the elements lie. WEFT_ERROR_ARGUMENT: an element of `q` is
/// not from 0 to 1, or the method is unknown.
WEFT_API WEFT_NODISCARD weft_status weft_quantile(weft_array **out, const weft_array *x, const weft_array *q,
                                                  weft_axes axes, const weft_quantile_params *params);
/// numpy.percentile: as weft_quantile, with `q` from 0 to 100.
WEFT_API WEFT_NODISCARD weft_status weft_percentile(weft_array **out, const weft_array *x, const weft_array *q,
                                                    weft_axes axes, const weft_quantile_params *params);
/// The functions above, without NaN elements.
WEFT_API WEFT_NODISCARD weft_status weft_nanmedian(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanquantile(weft_array **out, const weft_array *x, const weft_array *q,
                                                     weft_axes axes, const weft_quantile_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_nanpercentile(weft_array **out, const weft_array *x, const weft_array *q,
                                                       weft_axes axes, const weft_quantile_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__median_at(weft_operand out, weft_operand x, weft_axes axes, bool is_nan_form,
                                                    const char *site);
/// `scale`: the greatest q, 1 or 100.
WEFT_API WEFT_NODISCARD weft_status weft__quantile_at(weft_operand out, weft_operand x, weft_operand q, weft_axes axes,
                                                      int scale, bool is_nan_form, const weft_quantile_params *params);

#define weft_median(out, x, axes) \
  weft__median_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), false, WEFT_SITE)
#define weft_nanmedian(out, x, axes) \
  weft__median_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), true, WEFT_SITE)
#define weft_quantile(out, x, q, ...)                                                                               \
  weft__quantile_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(q), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 1, \
                    false, WEFT__OPTIONS(weft_quantile_params, __VA_ARGS__))
#define weft_percentile(out, x, q, ...)                                                                               \
  weft__quantile_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(q), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 100, \
                    false, WEFT__OPTIONS(weft_quantile_params, __VA_ARGS__))
#define weft_nanquantile(out, x, q, ...)                                                                            \
  weft__quantile_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(q), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 1, \
                    true, WEFT__OPTIONS(weft_quantile_params, __VA_ARGS__))
#define weft_nanpercentile(out, x, q, ...)                                                                            \
  weft__quantile_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(q), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), 100, \
                    true, WEFT__OPTIONS(weft_quantile_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
