// SPDX-License-Identifier: MIT
/// Statistics: medians and quantiles, averages with weights, covariances, integrals of samples.
///
///     rc = weft_median(&m, x, WEFT_ALL_AXES);
///     rc = weft_quantile(&rows, x, 0.25, -1, .method = WEFT_QUANTILE_LOWER);
///     rc = weft_percentile(&y, x, WEFT_HOST(q, WEFT_F64, WEFT_SHAPE(3)), 0);      y[0], y[1], y[2] of each column
///     rc = weft_average(&mean, x, 0, .weights = w);
///     rc = weft_corrcoef(&matrix, variables);                                       a variable in each row
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

   Rows are sorted only where that is faster. On GPUs few long rows (65536 elements or more, up to 16 rows, up to 8
   different elements wanted) are read 3 times for f32 and 6 times for f64, to count digits; the nan forms then wait for
   the number of NaNs, and a zero that is found is +0. Other rows of more than 32 elements are read once, by a block or
   a part of one, for up to 8 quantiles; longer ones than 32 KiB once for each, and a sample of them. On CPUs rows of
   more than 512 elements (of 8 bytes: 128) are read once for each of up to 6 quantiles.

   With weights the quantile is the first element, in order, up to which the weights make up the part q of all weights;
   an element of weight 0 is never it. Weights are added up in f64 (without fp64 in f32). Negative ones count as 0,
   as in weft_choice (NumPy refuses them). A row whose weights add up to 0 or NaN gives NaN, of integers any
   element. */

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
  const weft_array *weights;   /* with WEFT_QUANTILE_INVERTED_CDF: of x's shape, or of its lengths along the axes */
  const char *site;            /* set by the macros */
} weft_quantile_params;

/// numpy.median: the middle element, or half-way between the two middle elements.
WEFT_API WEFT_NODISCARD weft_status weft_median(weft_array **out, const weft_array *x, weft_axes axes);
/// numpy.quantile: the values below which the parts `q` of the elements lie. WEFT_ERROR_ARGUMENT: an element of `q` is
/// not from 0 to 1, the method is unknown, or it does not go with weights. WEFT_ERROR_SHAPE: the weights do not fit x.
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

/* ---- averages and covariances ---- */

/// Options of weft_average.
typedef struct weft_average_params {
  const weft_array *weights;   /* of x's shape, or of the lengths of x along the axes, in their order; default: all 1 */
  weft_array **sum_of_weights; /* a result, of the average's shape and dtype */
  const char *site;            /* set by the macro */
} weft_average_params;
/// numpy.average: the sum of x times the weights, divided by the sum of the weights. The dtype is x's (f64 for bool and
/// integers) promoted with the weights'. Weights whose sum is 0 give NaN or infinity, where NumPy raises an error.
WEFT_API WEFT_NODISCARD weft_status weft_average(weft_array **out, const weft_array *x, weft_axes axes,
                                                 const weft_average_params *params);

/// Options of weft_cov.
typedef struct weft_cov_params {
  const weft_array *y;        /* more variables, with as many observations */
  bool columns;               /* of two axes, the variables are the columns: NumPy's rowvar=False */
  bool bias;                  /* the divisor is the number of observations, not one less */
  double ddof;                /* the divisor is the number of observations minus this; 0: as `bias` says */
  const weft_array *fweights; /* integers: how often each observation occurred */
  const weft_array *aweights; /* real: the observations' importance */
  weft_dtype dtype;           /* f32, f64, c64 or c128: computed in it; default as in NumPy: f64, c128 */
  const char *site;           /* set by the macro */
} weft_cov_params;
/// Options of weft_corrcoef.
typedef struct weft_corrcoef_params {
  const weft_array *y; /* these three as for weft_cov */
  bool columns;
  weft_dtype dtype;
  const char *site; /* set by the macro */
} weft_corrcoef_params;
/// numpy.cov: the covariances of the variables, the rows of x (one axis: one variable): a matrix, of one variable a
/// number without axes. The variables are centred in a copy and multiplied by weft_matmul. WEFT_ERROR_SHAPE: x or y has
/// no axis or more than two, or numbers of observations differ. WEFT_ERROR_DTYPE: of weights, or `.dtype`.
WEFT_API WEFT_NODISCARD weft_status weft_cov(weft_array **out, const weft_array *x, const weft_cov_params *params);
/// numpy.corrcoef: the covariances divided by both variables' standard deviations, from -1 to 1.
WEFT_API WEFT_NODISCARD weft_status weft_corrcoef(weft_array **out, const weft_array *x,
                                                  const weft_corrcoef_params *params);

/* ---- integrals of samples ---- */

/// Options of weft_trapezoid and weft_cumulative_trapezoid.
typedef struct weft_trapezoid_params {
  const weft_array *x; /* where the samples are: of one axis, as long as y's, or of y's shape */
  double dx;           /* their distance, without x, beside which it is an error; 0: 1 */
  bool initial;        /* weft_cumulative_trapezoid: begins with 0 and is as long as y, as with SciPy's initial=0 */
  const char *site;    /* set by the macros */
} weft_trapezoid_params;
/// numpy.trapezoid: the integral of y along the axis by the trapezoidal rule. The dtype is y's promoted with x's; bool
/// and integers count as f64. WEFT_ERROR_SHAPE: x does not fit y.
WEFT_API WEFT_NODISCARD weft_status weft_trapezoid(weft_array **out, const weft_array *y, weft_axes axis,
                                                   const weft_trapezoid_params *params);
/// scipy.integrate.cumulative_trapezoid: the integrals up to each sample, without the first one.
WEFT_API WEFT_NODISCARD weft_status weft_cumulative_trapezoid(weft_array **out, const weft_array *y, weft_axes axis,
                                                              const weft_trapezoid_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__median_at(weft_operand out, weft_operand x, weft_axes axes, bool is_nan_form,
                                                    const char *site);
/// `scale`: the greatest q, 1 or 100.
WEFT_API WEFT_NODISCARD weft_status weft__quantile_at(weft_operand out, weft_operand x, weft_operand q, weft_axes axes,
                                                      int scale, bool is_nan_form, const weft_quantile_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__average_at(weft_operand out, weft_operand x, weft_axes axes,
                                                     const weft_average_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__cov_at(weft_operand out, weft_operand x, const weft_cov_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__corrcoef_at(weft_operand out, weft_operand x,
                                                      const weft_corrcoef_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__trapezoid_at(weft_operand out, weft_operand y, weft_axes axis,
                                                       const weft_trapezoid_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__cumulative_trapezoid_at(weft_operand out, weft_operand y, weft_axes axis,
                                                                  const weft_trapezoid_params *params);

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
#define weft_average(out, x, ...)                                                             \
  weft__average_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_average_params, __VA_ARGS__))
#define weft_cov(out, ...) \
  weft__cov_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_cov_params, __VA_ARGS__))
#define weft_corrcoef(out, ...)                                                 \
  weft__corrcoef_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_corrcoef_params, __VA_ARGS__))
#define weft_trapezoid(out, y, ...)                                                             \
  weft__trapezoid_at(WEFT__RESULT(out), WEFT__OPERAND(y), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_trapezoid_params, __VA_ARGS__))
#define weft_cumulative_trapezoid(out, y, ...)                                                             \
  weft__cumulative_trapezoid_at(WEFT__RESULT(out), WEFT__OPERAND(y), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                                WEFT__OPTIONS(weft_trapezoid_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
