// SPDX-License-Identifier: MIT
/// Counting elements by bin: how the bin of an element is found, and the launches.
#ifndef WEFT_OP_HISTOGRAM_HISTOGRAM_H
#define WEFT_OP_HISTOGRAM_HISTOGRAM_H

#include "array/array.h"
#include "cl/histogram/args.h"

typedef enum weft__bin_mode {
  WEFT__BIN_DIRECT = 1, /* the element is the bin */
  WEFT__BIN_EVEN,
  WEFT__BIN_SEARCH, /* edges in an array */
} weft__bin_mode;

typedef struct weft__binning {
  weft__bin_mode mode;
  weft_dtype value;          /* elements are compared as this: f32, f64, or the integer types of 32 and 64 bits */
  const weft_array *edges;   /* contiguous, of this dtype, args.bins + 1 of them; NULL: by formula */
  weft__histogram_args args; /* bins, used, and for EVEN the rest of what weft_bin reads */
} weft__binning;

/// What elements of x are compared as beside edges of their own dtype.
weft_dtype weft__bin_value(weft_dtype x);

/// counts (i64, contiguous, args.bins elements) becomes how many elements of x (contiguous) are in each bin; with
/// `weights` (f64, contiguous, as many as x), f64 and their sums.
weft_status weft__histogram_run(weft_array *counts, const weft_array *x, const weft_array *weights,
                                const weft__binning *binning, const char *site);

/// The range of an array that is not empty.
typedef struct weft__extent {
  double least, most; /* of floats, and of integers nearest to */
  int64_t least_integer;
  uint64_t most_integer; /* where it is not negative */
  int64_t bad;           /* where the first negative integer or NaN is; -1: nowhere */
} weft__extent;
/// x contiguous. Waits.
weft_status weft__histogram_extent(weft__extent *extent, const weft_array *x, const char *site);

/// Bins of one width, as numpy.histogram and numpy.linspace have them.
typedef struct weft__even {
  int64_t bins;
  double low, high;
  weft_dtype x;          /* what is counted */
  weft_dtype edge;       /* dtype of the edges */
  weft_dtype arithmetic; /* in which they are computed */
} weft__even;
/// Errors: ARGUMENT (low, high, bins).
weft_status weft__even_check(weft__even *even);
/// What the kernels need; *table becomes an array where they cannot compute the edges themselves. *none: no value of
/// x's dtype is in the range.
weft_status weft__even_binning(weft__binning *binning, weft_array **table, bool *none, const weft__even *even,
                               weft_context *context, const char *site);
/// Writes the edges to a contiguous array of their dtype.
weft_status weft__even_edges(weft_array *edges, const weft__even *even, const char *site);

#endif
