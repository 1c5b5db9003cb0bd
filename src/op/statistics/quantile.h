// SPDX-License-Identifier: MIT
/// Between the files of medians and quantiles.
#ifndef WEFT_OP_STATISTICS_QUANTILE_H
#define WEFT_OP_STATISTICS_QUANTILE_H

#include <weft/statistics.h>

#include "call/call.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// A call; its weft__call has the result in array[0], and x in array[1].
typedef struct weft__quantile_call {
  weft__call call;
  const char *what, *name; /* of the launch, and of the function */
  weft_quantile_method method;
  int scale; /* the greatest q */
  bool is_median, ignores_nans;
  weft_axes axes;
  int64_t count; /* quantiles */
  double *q;     /* from 0 to 1 */
  uint64_t rows, length;
  weft_array *elements; /* [rows, length], contiguous */
  weft_array *from;     /* x's elements along the axes, if they are copied */
} weft__quantile_call;

/// Whether results are elements, in x's dtype.
bool weft__quantile_is_element(weft_quantile_method method);
/// Sorts each row of the elements into `sorted`. `order` gets the indices; it may be NULL.
weft_status weft__quantile_sort(const weft__quantile_call *call, weft_array *sorted, weft_array *order);

/* The rows of the table of ways (op/statistics/ways.c), of a weft__quantile_call. */
WEFT__WAY_FUNCTIONS(quantile, host);
WEFT__WAY_FUNCTION(quantile, sorted);
WEFT__WAY_FUNCTIONS(quantile, each);
WEFT__WAY_FUNCTIONS(quantile, rows);
WEFT__WAY_FUNCTION(quantile, sort);

extern const weft__ways weft__quantile_ways;
extern const weft__host_function weft__host_quantile;

#endif
