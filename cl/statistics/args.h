// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/statistics/, and the place of a quantile among sorted elements: the host finds it if
/// all rows have as many elements, a kernel if NaNs make the rows differ.
#ifndef WEFT_CL_STATISTICS_ARGS_H
#define WEFT_CL_STATISTICS_ARGS_H

#include "shared.h"

#define WEFT__QUANTILE_WORDS 12 /* of a table that is among the arguments */

typedef struct weft__quantile_args {
  WEFT__U64 rows, length;
  WEFT__U64 quantiles, apart;           /* apart: results between two quantiles of a row */
  WEFT__U64 to, from, table;            /* where the arrays begin, in bytes */
  WEFT__U32 method, ignores_nans;       /* with ignores_nans the table has a word per quantile, else a place */
  WEFT__U32 flip_top, has_table;        /* flip_top: of rows in any order, as in weft__sort_args */
  WEFT__U64 word[WEFT__QUANTILE_WORDS]; /* without has_table: the table */
} weft__quantile_args;
WEFT__SHARED_SIZE(weft__quantile_args, 8 * (7 + WEFT__QUANTILE_WORDS) + 4 * 4);

#define WEFT__ROLLING_SUM 0
#define WEFT__ROLLING_PROD 1
#define WEFT__ROLLING_LEAST 2
#define WEFT__ROLLING_GREATEST 3

#define WEFT__ROLLING_WORDS 1280 /* elements of a work-group, and the gaps between its blocks */

typedef struct weft__rolling_args {
  WEFT__U64 rows, length; /* of the elements */
  WEFT__U64 parts;        /* work-groups of a row */
  WEFT__U64 to, from;     /* where the arrays begin, in bytes */
  WEFT__U32 window;
  WEFT__U32 blocks; /* of a work-group's results */
  WEFT__U32 apart;  /* elements from block to block: odd, so that work-items side by side use different banks */
  WEFT__U32 unused;
} weft__rolling_args;
WEFT__SHARED_SIZE(weft__rolling_args, 8 * 5 + 4 * 4);

#define WEFT__ROLLING_TILE 1536 /* elements of a CPU's work-item */

/// Slabs of `length` rows with `inner` elements each; windows move along the rows. A work-item has whole slabs, or the
/// rows of some windows of one slab, and of these a strip.
typedef struct weft__rolling_tiles {
  WEFT__U64 slabs, length, inner;
  WEFT__U64 group;          /* slabs of a work-item */
  WEFT__U64 parts, strips;  /* work-items of a slab: along the rows, beside each other */
  WEFT__U64 rows, columns;  /* of a work-item's results */
  WEFT__U64 to, from;       /* where the arrays begin, in bytes */
  WEFT__U32 window, unused; /* window: at least 2 */
} weft__rolling_tiles;
WEFT__SHARED_SIZE(weft__rolling_tiles, 8 * 10 + 4 * 2);

/// As weft_quantile_method.
#define WEFT__QUANTILE_LINEAR 0
#define WEFT__QUANTILE_LOWER 1
#define WEFT__QUANTILE_HIGHER 2
#define WEFT__QUANTILE_MIDPOINT 3
#define WEFT__QUANTILE_NEAREST 4
#define WEFT__QUANTILE_INVERTED_CDF 5
#define WEFT__QUANTILE_AVERAGED_INVERTED_CDF 6
#define WEFT__QUANTILE_CLOSEST_OBSERVATION 7
#define WEFT__QUANTILE_INTERPOLATED_INVERTED_CDF 8
#define WEFT__QUANTILE_HAZEN 9
#define WEFT__QUANTILE_WEIBULL 10
#define WEFT__QUANTILE_MEDIAN_UNBIASED 11
#define WEFT__QUANTILE_NORMAL_UNBIASED 12

#if defined(__OPENCL_VERSION__) && !defined(WEFT_FP64)
typedef float weft__real;
#else
typedef double weft__real;
#endif

/// Finds the place of quantile q, from 0 to 1, among n elements, 1 or more, as numpy.quantile: element *low of
/// the sorted ones plus the returned weight times the difference of element *high.
static inline weft__real weft__quantile_place(WEFT__U64 *low, WEFT__U64 *high, WEFT__U32 method, weft__real n,
                                              weft__real q) {
  weft__real at, alpha = 0, beta = 0, whole, weight;
  *low = *high = 0;
  switch (method) {
    case WEFT__QUANTILE_LOWER:
      at = floor((n - 1) * q);
      break;
    case WEFT__QUANTILE_HIGHER:
      at = ceil((n - 1) * q);
      break;
    case WEFT__QUANTILE_MIDPOINT:
      at = (floor((n - 1) * q) + ceil((n - 1) * q)) / 2;
      break;
    case WEFT__QUANTILE_NEAREST:
      at = rint((n - 1) * q);
      break;
    case WEFT__QUANTILE_INVERTED_CDF:
      at = ceil(n * q - 1);
      break;
    case WEFT__QUANTILE_AVERAGED_INVERTED_CDF:
      at = n * q - 1;
      break;
    case WEFT__QUANTILE_CLOSEST_OBSERVATION:
      at = n * q - 1 - (weft__real)0.5;
      whole = floor(at);
      at = at == whole && whole - 2 * floor(whole / 2) == 1 ? whole : whole + 1;
      break;
    case WEFT__QUANTILE_LINEAR:
      at = (n - 1) * q;
      break;
    default:
      if (method == WEFT__QUANTILE_INTERPOLATED_INVERTED_CDF) beta = 1;
      if (method == WEFT__QUANTILE_HAZEN) alpha = beta = (weft__real)0.5;
      if (method == WEFT__QUANTILE_MEDIAN_UNBIASED) alpha = beta = 1 / (weft__real)3;
      if (method == WEFT__QUANTILE_NORMAL_UNBIASED) alpha = beta = (weft__real)0.375;
      at = n * q + (alpha + q * (1 - alpha - beta)) - 1;
  }
  if (at < 0) return 0;
  if (at > n - 1) at = n - 1;
  whole = floor(at);
  weight = at - whole;
  if (method == WEFT__QUANTILE_AVERAGED_INVERTED_CDF && at < n - 1)
    weight = weight == 0 ? (weft__real)0.5 : (weft__real)1;
  *low = (WEFT__U64)whole;
  *high = *low + (weight > 0);
  return weight;
}

#endif
