// SPDX-License-Identifier: MIT
/// Histograms and counts: how many elements of an array fall into each bin, or the sums of weights that belong to them.
///
///     rc = weft_histogram(&counts, x, 256, .range = WEFT_RANGE(0, 1));      256 bins of one width from 0 to 1
///     rc = weft_histogram(&counts, x, 50, .edges = &edges);                 from the least to the greatest element
///     rc = weft_histogram(&counts, x, WEFT_HOST(edges, WEFT_F64, WEFT_SHAPE(5)));
///     rc = weft_histogram(&sums, x, 10, .weights = w);                      sums of weights
///     rc = weft_bincount(&counts, labels);                                  how often each integer occurs
///
/// Operands are arrays (any shape and strides) and host memory; x may be bool, integer or float. Results are arrays of
/// one axis, made where *out is NULL, or WEFT_HOST_OUT. Counts are i64, sums of weights f64; a given result of another
/// dtype is cast to where NumPy calls that same-kind. Elements that are in no bin, NaN among them, are not counted.
/// Counts are exact, and no more than one launch over the data (a second one clears the counts where x is large). Sums
/// of weights are the same bits on every run of the same device and shape. Blocking: does not wait, but for a result in
/// host memory, and where a function says so. Method: tables in local memory, one for each warp or for few of them,
/// added up by integer atomics; on CPUs a table for each chunk.
/// Errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT (bins, range), WEFT_ERROR_UNSUPPORTED (weights, or
/// edges in f64, without fp64), and those of functions over whole arrays (ufunc.h). On failure results are as they
/// were.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_HISTOGRAM_H
#define WEFT_HISTOGRAM_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// From where to where bins of one width reach. Made by WEFT_RANGE.
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
  weft_range range;          /* of a number of bins; default: from the least to the greatest element */
  const weft_array *weights; /* real, of x's shape: sums of them are made, not counts */
  weft_array **edges;        /* a result: the edges, one more than bins */
  const char *site;          /* set by the macro */
} weft_histogram_params;

/// Options of weft_bincount.
typedef struct weft_bincount_params {
  int64_t minlength;         /* at least so many counts */
  const weft_array *weights; /* as of weft_histogram */
  const char *site;          /* set by the macro */
} weft_bincount_params;

/* A number of bins: the edges (x's dtype for floats, else f64) are numpy.linspace(low, high, bins + 1), and elements
   are compared with them as they are there; 64-bit integers as f64, as in NumPy. low == high is widened by a half on
   both sides. Where neighbouring edges would be equal: WEFT_ERROR_ARGUMENT. Without .range the call waits for the least
   and the greatest element (0 and 1 of an empty array; WEFT_ERROR_ARGUMENT where they are not finite), and edges of
   floats are computed in their dtype, as NumPy 2 does. On a device without fp64, and with more bins than f32 can tell
   apart, the host computes the edges, and copying them waits. Edges: one axis, two or more, ascending. x and edges are
   compared in the dtype that numpy.promote_types gives. Edges in host memory are checked (WEFT_ERROR_ARGUMENT); of an
   array that do not ascend, the counts are unspecified. Weights: on GPUs they are added in fixed point, 2 * (62 -
   log2(n)) bits from the greatest down, so in any order alike; on CPUs in f64, in a fixed order. They need fp64, and on
   GPUs 64-bit atomics. */

/// counts[j] is how many elements of x are from edge j (included) to edge j + 1 (only the last bin includes it), or
/// with .weights the sum of their weights, an f64: numpy.histogram, bin for bin. `bins` is a C integer, the number of
/// bins, or the edges, an array or WEFT_HOST.
WEFT_API WEFT_NODISCARD weft_status weft_histogram(weft_array **counts, const weft_array *x, weft_operand bins,
                                                   const weft_histogram_params *params);

/// counts[j] is how often the integer j occurs in x: bool or any integer dtype; with .weights the sum of their weights.
/// numpy.bincount. With *counts NULL it waits for the greatest element, and makes as many counts as that + 1, at least
/// .minlength; a negative element is WEFT_ERROR_INDEX, which names the first one and its position. With counts given
/// (an array of one axis, at least .minlength long, or host memory) it does not look first: elements that are negative
/// or beyond the end are not counted.
WEFT_API WEFT_NODISCARD weft_status weft_bincount(weft_array **counts, const weft_array *x,
                                                  const weft_bincount_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__histogram_at(weft_operand counts, weft_operand x, weft_operand bins,
                                                       const weft_histogram_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__bincount_at(weft_operand counts, weft_operand x,
                                                      const weft_bincount_params *params);

#define weft_histogram(counts, x, ...)                                                                \
  weft__histogram_at(WEFT__RESULT(counts), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_histogram_params, __VA_ARGS__))
#define weft_bincount(counts, ...)                                                 \
  weft__bincount_at(WEFT__RESULT(counts), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_bincount_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
