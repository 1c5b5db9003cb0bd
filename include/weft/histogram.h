// SPDX-License-Identifier: MIT
/// Histograms and counts: the number of elements in each bin, or the sum of their weights.
///
///     rc = weft_histogram(&counts, x, 256, .range = WEFT_RANGE(0, 1));      256 bins of one width from 0 to 1
///     rc = weft_histogram(&counts, x, 50, .edges = &edges);                 from the least to the greatest element
///     rc = weft_histogram(&counts, x, WEFT_HOST(edges, WEFT_F64, WEFT_SHAPE(5)));
///     rc = weft_histogram(&sums, x, 10, .weights = w);                      sums of weights
///     rc = weft_bincount(&counts, labels);                                  the occurrences of each integer
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_HISTOGRAM_H
#define WEFT_HISTOGRAM_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// The range of bins of equal width. Made by WEFT_RANGE.
typedef struct weft_range {
  double low, high;
  bool is_given;
} weft_range;

static inline weft_range weft__from_to(double low, double high) {
  weft_range range;
  range.low = low;
  range.high = high;
  range.is_given = true;
  return range;
}
/// WEFT_RANGE(0, 1): from 0 to 1.
#define WEFT_RANGE(low, high) weft__from_to((low), (high))

/// Options of weft_histogram.
typedef struct weft_histogram_params {
  weft_range range;          /* for a number of bins; default: from the least to the greatest element */
  const weft_array *weights; /* real, x's shape: their sums, in place of counts */
  weft_array **edges;        /* a result: the edges, one more than bins */
  const char *site;          /* set by the macro */
} weft_histogram_params;

/// Options of weft_bincount.
typedef struct weft_bincount_params {
  int64_t minlength;         /* the least number of counts */
  const weft_array *weights; /* as for weft_histogram */
  const char *site;          /* set by the macro */
} weft_bincount_params;

/* ---- bins, counts and weights ----
   x has any shape. Results have one axis: counts are i64, sums of weights f64. Elements in no bin, NaN among them, are
   not counted. Counts are exact; sums of weights are bit-identical in every run on one device and shape.

   A number of bins: the edges are numpy.linspace(low, high, bins + 1) in x's dtype for floats, else in f64; 64-bit
   integers are compared with them as f64, as in NumPy. If low == high, the range is widened by 0.5 on both sides.
   WEFT_ERROR_ARGUMENT: neighbouring edges would be equal, or the range is not finite. Without .range the call waits for
   the least and the greatest element (0 and 1 for an empty array), and computes edges of floats in their dtype, as
   NumPy 2 does. The host computes the edges, and the call waits for their copy, on devices without fp64, for more bins
   than f32 can distinguish, and without .range for floats other than f64.

   Given edges: one axis, two or more (WEFT_ERROR_SHAPE), ascending. x and edges are compared in the dtype of
   numpy.promote_types. Edges in host memory are checked (WEFT_ERROR_ARGUMENT); for an array that does not ascend the
   counts are unspecified.

   Weights are summed in f64 in a fixed order on CPUs. On GPUs they are summed in fixed point, with 2 * (62 - log2(n))
   bits below the greatest weight, so that the order of additions has no effect. WEFT_ERROR_UNSUPPORTED: the device has
   no fp64 (also for edges in f64), or is a GPU without 64-bit atomics. */

/// numpy.histogram: counts[j] is the number of elements of x from edge j up to, but without, edge j + 1 (the last bin
/// includes it), or with .weights the sum of their weights. `bins` is the number of bins, a C integer up to 2^31 - 1,
/// or the edges, an array or WEFT_HOST. WEFT_ERROR_ARGUMENT: number of bins, range, edges, or .range together with
/// edges. WEFT_ERROR_DTYPE: x is complex. WEFT_ERROR_SHAPE: weights of another shape than x's.
WEFT_API WEFT_NODISCARD weft_status weft_histogram(weft_array **counts, const weft_array *x, weft_operand bins,
                                                   const weft_histogram_params *params);

/// numpy.bincount: counts[j] is the number of elements of x (bool or any integer dtype) that are j, or with .weights
/// the sum of their weights. If *counts is NULL, the call waits for the greatest element and makes that many counts
/// plus 1, at least .minlength; a negative element is WEFT_ERROR_INDEX (with the first one's position), one of 2^31 - 1
/// or more WEFT_ERROR_OVERFLOW. Given counts (one axis, at least .minlength long) are filled without a look at x first:
/// elements that are negative or beyond the end are not counted.
WEFT_API WEFT_NODISCARD weft_status weft_bincount(weft_array **counts, const weft_array *x,
                                                  const weft_bincount_params *params);

/* ---- several dimensions ---- */

/// Options of weft_histogram2d and weft_histogramdd; each list has an entry for each dimension.
typedef struct weft_histogramdd_params {
  const weft_range *ranges;       /* default: from the least to the greatest coordinate */
  const weft_array *const *given; /* edges, one axis and ascending, in place of that dimension's number; or NULL */
  const weft_array *weights;      /* real, one for each row: their sums, in place of counts */
  bool density;                   /* divided by the sum of all counts and by the size of each bin: f64 */
  weft_array ***edges;            /* results: the edges of each dimension, or NULL */
  const char *site;               /* set by the macros */
} weft_histogramdd_params;

/// numpy.histogramdd: counts[i, j, ...] is the number of rows of `sample`, [rows, dimensions], whose coordinates are in
/// bins i, j, ...: of equal width, bins.dim[k] of them in dimension k. Counts are i64, sums of weights f64. Edges are
/// in f64; without .ranges in a float sample's dtype. The last bin includes its end; NaN is in no bin. Waits without
/// .ranges. WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE: of sample, weights or edges. WEFT_ERROR_ARGUMENT: bins, ranges.
WEFT_API WEFT_NODISCARD weft_status weft_histogramdd(weft_array **counts, const weft_array *sample, weft_shape bins,
                                                     const weft_histogramdd_params *params);
/// numpy.histogram2d: the same of the points x[i], y[i].
WEFT_API WEFT_NODISCARD weft_status weft_histogram2d(weft_array **counts, const weft_array *x, const weft_array *y,
                                                     weft_shape bins, const weft_histogramdd_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__histogram_at(weft_operand counts, weft_operand x, weft_operand bins,
                                                       const weft_histogram_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__bincount_at(weft_operand counts, weft_operand x,
                                                      const weft_bincount_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__histogramdd_at(weft_operand counts, weft_operand sample, weft_shape bins,
                                                         const weft_histogramdd_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__histogram2d_at(weft_operand counts, weft_operand x, weft_operand y,
                                                         weft_shape bins, const weft_histogramdd_params *params);

#define weft_histogram(counts, x, ...)                                                                \
  weft__histogram_at(WEFT__RESULT(counts), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_histogram_params, __VA_ARGS__))
#define weft_bincount(counts, ...)                                                 \
  weft__bincount_at(WEFT__RESULT(counts), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_bincount_params, __VA_ARGS__))
#define weft_histogramdd(counts, sample, ...)                                                 \
  weft__histogramdd_at(WEFT__RESULT(counts), WEFT__OPERAND(sample), WEFT__FIRST(__VA_ARGS__), \
                       WEFT__OPTIONS(weft_histogramdd_params, __VA_ARGS__))
#define weft_histogram2d(counts, x, y, ...)                                                                \
  weft__histogram2d_at(WEFT__RESULT(counts), WEFT__OPERAND(x), WEFT__OPERAND(y), WEFT__FIRST(__VA_ARGS__), \
                       WEFT__OPTIONS(weft_histogramdd_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
