// SPDX-License-Identifier: MIT
/// Histograms and counts: how many elements of an array fall into each bin, or the sums of weights that belong to them.
///
///     rc = weft_histogram(&counts, NULL, x, 256, 0, 1);             256 bins of one width from 0 to 1
///     rc = weft_histogram_auto(&counts, &edges, x, 50);             from the least to the greatest element
///     rc = weft_histogram_edges(&counts, x, WEFT_HOST(edges, WEFT_F64, WEFT_SHAPE(5)));
///     rc = weft_bincount(&counts, labels, 0);                       how often each integer occurs
///
/// Operands are arrays (any shape and strides) and host memory; x may be bool, integer or float. Results are arrays of one axis, made where
/// *out is NULL, or WEFT_HOST_OUT; where NULL is allowed, the result is not wanted. Counts are i64, sums of weights f64; a given result of
/// another dtype is cast to where NumPy calls that same-kind. Elements that are in no bin, NaN among them, are not counted.
/// Counts are exact, and no more than one launch over the data (a second one clears the counts where x is large).
/// Sums of weights are the same bits on every run of the same device and shape.
/// Blocking: does not wait, but for a result in host memory, and where a function says so.
/// Method: tables in local memory, one for each warp or for few of them, added up by integer atomics; on CPUs a table for each chunk.
/// Errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT (bins, range), WEFT_ERROR_UNSUPPORTED (weights, or edges in f64, without
/// fp64), and those of functions over whole arrays (ufunc.h). On failure results are as they were.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_HISTOGRAM_H
#define WEFT_HISTOGRAM_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// counts[j] is how many elements of x are from edge j (included) to edge j + 1 (only the last bin includes it): numpy.histogram with
/// range=(low, high), bin for bin. The edges (bins + 1; x's dtype for floats, else f64) are numpy.linspace(low, high, bins + 1):
/// elements are compared with them as they are there. low == high is widened by a half on both sides. Integers of 64 bits are compared
/// as f64, as NumPy does. `edges` may be NULL. Errors: WEFT_ERROR_ARGUMENT where neighbouring edges would be equal.
/// On a device without fp64, and with more bins than f32 can tell apart, the edges are computed on the host, and copying them waits.
#define weft_histogram(counts, edges, x, bins, low, high) \
  weft__histogram_at(WEFT__RESULT_OR_NULL(counts), WEFT__RESULT_OR_NULL(edges), WEFT_OPERAND(x), (bins), (low), (high), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__histogram_at(weft_operand counts, weft_operand edges, weft_operand x, int64_t bins, double low,
                                                       double high, const char *site);

/// The same from the least to the greatest element; of an empty array from 0 to 1. Waits for them.
/// Edges of floats are computed in their dtype, as NumPy 2 does. Errors: WEFT_ERROR_ARGUMENT where they are not finite.
#define weft_histogram_auto(counts, edges, x, bins) \
  weft__histogram_auto_at(WEFT__RESULT_OR_NULL(counts), WEFT__RESULT_OR_NULL(edges), WEFT_OPERAND(x), (bins), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__histogram_auto_at(weft_operand counts, weft_operand edges, weft_operand x, int64_t bins,
                                                            const char *site);

/// sums[j] is the sum of the weights (real, of x's shape) of the elements in bin j. NumPy's numpy.histogram(x, bins, (low, high),
/// weights=w), but always f64. On GPUs weights are added in fixed point, 2 * (62 - log2(n)) bits from the greatest down, so in any order
/// alike; on CPUs in f64, in a fixed order. Needs fp64, and on GPUs 64-bit atomics.
#define weft_histogram_weighted(sums, edges, x, weights, bins, low, high)                                                              \
  weft__histogram_weighted_at(WEFT__RESULT_OR_NULL(sums), WEFT__RESULT_OR_NULL(edges), WEFT_OPERAND(x), WEFT_OPERAND(weights), (bins), \
                              (low), (high), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__histogram_weighted_at(weft_operand sums, weft_operand edges, weft_operand x, weft_operand weights,
                                                                int64_t bins, double low, double high, const char *site);

/// The same with the edges given: one axis, two or more, ascending, of which bin j lies between edges j and j + 1. numpy.histogram(x,
/// edges).
/// x and edges are compared in the dtype that numpy.promote_types gives. Edges in host memory are checked (WEFT_ERROR_ARGUMENT); of an
/// array that do not ascend, the counts are unspecified.
#define weft_histogram_edges(counts, x, edges) \
  weft__histogram_edges_at(WEFT__RESULT_OR_NULL(counts), WEFT_OPERAND(x), WEFT_OPERAND(edges), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__histogram_edges_at(weft_operand counts, weft_operand x, weft_operand edges, const char *site);

/// counts[j] is how often the integer j occurs in x: bool or any integer dtype. numpy.bincount.
/// With *counts NULL it waits for the greatest element, and makes as many counts as that + 1, at least `minlength`; a negative element is
/// WEFT_ERROR_INDEX, which names the first one and its position. With counts given (an array of one axis, at least `minlength` long, or
/// host memory) it does not look first: elements that are negative or beyond the end are not counted.
#define weft_bincount(counts, x, minlength) weft__bincount_at(WEFT__RESULT_OR_NULL(counts), WEFT_OPERAND(x), (minlength), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__bincount_at(weft_operand counts, weft_operand x, int64_t minlength, const char *site);

/// sums[j] is the sum of the weights of the elements that are j, as weft_histogram_weighted adds them. numpy.bincount with weights.
#define weft_bincount_weighted(sums, x, weights, minlength) \
  weft__bincount_weighted_at(WEFT__RESULT_OR_NULL(sums), WEFT_OPERAND(x), WEFT_OPERAND(weights), (minlength), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__bincount_weighted_at(weft_operand sums, weft_operand x, weft_operand weights, int64_t minlength,
                                                               const char *site);

WEFT_END_DECLS

#endif
