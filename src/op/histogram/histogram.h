// SPDX-License-Identifier: MIT
/// Counting elements by bin: how an element's bin is found, and the launches.
#ifndef WEFT_OP_HISTOGRAM_HISTOGRAM_H
#define WEFT_OP_HISTOGRAM_HISTOGRAM_H

#include "array/array.h"
#include "cl/histogram/args.h"
#include "engine/host_step.h"
#include "engine/ways.h"

typedef enum weft__bin_mode {
  WEFT__BIN_DIRECT = 1, /* the element is its bin's number */
  WEFT__BIN_EVEN,
  WEFT__BIN_SEARCH, /* binary search in an array of edges */
} weft__bin_mode;

typedef struct weft__binning {
  weft__bin_mode mode;
  weft_dtype value;          /* dtype in which elements are compared: f32, f64, or an integer dtype of 32 or 64 bits */
  const weft_array *edges;   /* contiguous, of dtype `value`, args.bins + 1 elements; NULL: computed from a formula */
  weft__histogram_args args; /* `bins`, `used`, and for EVEN the other members that weft_bin reads */
} weft__binning;

/// The dtype in which elements of x are compared with edges of x's dtype.
weft_dtype weft__bin_value(weft_dtype x);

/// counts (i64, contiguous, args.bins elements) becomes the number of elements of x (contiguous) in each bin. With
/// `weights` (f32 or f64; contiguous, as many as x) counts is f64 and becomes the sum of each bin's weights.
weft_status weft__histogram_run(weft_array *counts, const weft_array *x, const weft_array *weights,
                                const weft__binning *binning, const char *site);

/// Makes *counts: how often each integer from 0 to the greatest is in x (contiguous), at least `minlength` of them, in
/// one launch; waits for it. *counts stays NULL where that cannot be done: x or `minlength` is too large, an element
/// is too great or negative, or blocks of the device cannot wait for each other.
weft_status weft__histogram_small(weft_array **counts, const weft_array *x, int64_t minlength, const char *site);

/// The range of an array with at least one element.
typedef struct weft__extent {
  double least, most; /* for floats; for integers, the nearest doubles */
  int64_t least_integer;
  uint64_t most_integer; /* if not negative */
  int64_t bad;           /* position of the first negative integer or NaN; -1: none */
} weft__extent;
/// x must be contiguous. Waits for the device.
weft_status weft__histogram_extent(weft__extent *extent, const weft_array *x, const char *site);

/// The task of weft__histogram_ways: at least one element and one bin.
typedef struct weft__count {
  weft_array *counts;
  const weft_array *x, *weights;
  const weft__binning *binning;
  weft__histogram_args args; /* with n and the offsets of x and counts */
  const char *site;
} weft__count;
/// The task of weft__extent_ways: makes *partials, three u64 for each part of x: the bits of its least and greatest
/// value, in the dtype weft__bin_value, and the position of its first negative integer or NaN, or UINT64_MAX.
typedef struct weft__extent_parts {
  const weft_array *x;
  weft_array **partials;
  const char *site;
} weft__extent_parts;
extern const weft__ways weft__histogram_ways, weft__extent_ways;
extern const weft__host_function weft__host_count;
WEFT__WAY_FUNCTIONS(histogram, weights);
WEFT__WAY_FUNCTIONS(histogram, parts);
WEFT__WAY_FUNCTIONS(histogram, blocks);
WEFT__WAY_FUNCTION(histogram, host);
WEFT__WAY_FUNCTION(extent, blocks);
WEFT__WAY_FUNCTION(extent, host);

/// Bins of equal width, with the edges of numpy.histogram.
typedef struct weft__even {
  int64_t bins;
  double low, high;
  weft_dtype x;          /* dtype of the counted elements */
  weft_dtype edge;       /* dtype of the edges */
  weft_dtype arithmetic; /* dtype in which the edges are computed */
} weft__even;
/// Also widens a range of width 0 by 0.5 on both sides. Errors: ARGUMENT (low, high, bins).
weft_status weft__even_check(weft__even *even);
/// Fills in the kernel's arguments. *table becomes an array of edges if the kernels cannot compute the edges. *none:
/// the range holds no value of x's dtype.
weft_status weft__even_binning(weft__binning *binning, weft_array **table, bool *none, const weft__even *even,
                               weft_context *context, const char *site);
/// Finds the least integer of the dtype that, rounded to f64, is at least `edge`: NumPy compares in f64. Returns false
/// if no integer is.
bool weft__integer_at(uint64_t *bits, weft_dtype dtype, double edge);
/// Writes the edges to a contiguous array of their dtype.
weft_status weft__even_edges(weft_array *edges, const weft__even *even, const char *site);

#endif
