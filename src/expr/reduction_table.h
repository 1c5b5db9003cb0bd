// SPDX-License-Identifier: MIT
/// The table of reductions: all that tells them apart. Also compiled into libweft-mpi.
#ifndef WEFT_EXPR_REDUCTION_TABLE_H
#define WEFT_EXPR_REDUCTION_TABLE_H

#include <weft/reduce.h>
#include <weft/scan.h>

/// The dtype of a result: the values' own, or by these rules.
typedef enum weft__reduction_rule {
  WEFT__RESULT_SAME = 0,
  WEFT__RESULT_TOTAL, /* sums: integers become i64 or u64 */
  WEFT__RESULT_MEAN,  /* bool and integers become f64 */
  WEFT__RESULT_REAL,  /* as MEAN; complex numbers become real */
  WEFT__RESULT_COUNT, /* i64 */
  WEFT__RESULT_TRUTH, /* bool */
} weft__reduction_rule;

#define WEFT__OR_NONE "y if k > 0 else none"
#define WEFT__VARIANCE "y / max(k - ddof, 0)"

/// X(ID, name, rule of the result's dtype, GATHER, TERM and FINISH of the kernels (op/reduce/reduce.h), and for
/// segments, windows and ranks: what combines values, the values of elements x (NULL: the elements), and the result of
/// y, the values combined, k, the number of elements, and `none`, the reduction of no elements (NULL: segments have no
/// such reduction)).
#define WEFT__REDUCTIONS(X)                                                                          \
  X(SUM, sum, TOTAL, SUM, VALUE, PLAIN, SUM, NULL, "y if k > 0 else 0")                              \
  X(PROD, prod, TOTAL, PROD, VALUE, PLAIN, PROD, NULL, "y if k > 0 else 1")                          \
  X(MIN, min, SAME, BEST, VALUE, PLAIN, MIN, NULL, WEFT__OR_NONE)                                    \
  X(MAX, max, SAME, BEST, VALUE, PLAIN, MAX, NULL, WEFT__OR_NONE)                                    \
  X(ARGMIN, argmin, COUNT, WHERE, VALUE, PLAIN, MIN, NULL, NULL)                                     \
  X(ARGMAX, argmax, COUNT, WHERE, VALUE, PLAIN, MAX, NULL, NULL)                                     \
  X(ANY, any, TRUTH, ANY, VALUE, PLAIN, MAX, "x != 0", "y and k > 0")                                \
  X(ALL, all, TRUTH, ALL, VALUE, PLAIN, MIN, "x != 0", "y or k == 0")                                \
  X(COUNT_NONZERO, count_nonzero, COUNT, SUM, NOT_ZERO, PLAIN, SUM, "x != 0", "y if k > 0 else 0")   \
  X(MEAN, mean, MEAN, SUM, VALUE, MEAN, SUM, NULL, "y / k if k > 0 else none")                       \
  X(VAR, var, REAL, VARIANCE, VALUE, PLAIN, SUM, NULL, WEFT__VARIANCE " if k > 0 else none")         \
  X(STD, std, REAL, VARIANCE, VALUE, ROOT, SUM, NULL, "sqrt(" WEFT__VARIANCE ") if k > 0 else none") \
  X(NORM, norm, REAL, SUM, SQUARE, ROOT, SUM, NULL, NULL)                                            \
  X(PTP, ptp, SAME, RANGE, VALUE, PLAIN, MAX, NULL, WEFT__OR_NONE)

/// X(ID, name, the reduction of which it is a form): the default, and the forms that leave NaNs out.
#define WEFT__REDUCTION_FORMS(X)  \
  X(DEFAULT, sum, SUM)            \
  X(NANSUM, nansum, SUM)          \
  X(NANPROD, nanprod, PROD)       \
  X(NANMIN, nanmin, MIN)          \
  X(NANMAX, nanmax, MAX)          \
  X(NANARGMIN, nanargmin, ARGMIN) \
  X(NANARGMAX, nanargmax, ARGMAX) \
  X(NANMEAN, nanmean, MEAN)       \
  X(NANVAR, nanvar, VAR)          \
  X(NANSTD, nanstd, STD)

/// A reduction; a form has what its reduction has, except the names.
typedef struct weft__reduction {
  weft_reduction_id plain; /* of a form: the reduction of the numbers; else itself */
  weft__reduction_rule rule;
  weft_scan_op op;
  const char *values, *result;
} weft__reduction;

/// The row of an id, which must be valid.
const weft__reduction *weft__reduction_row(weft_reduction_id id);
/// The dtype of the result for values of `dtype`.
weft_dtype weft__reduction_dtype(weft_reduction_id id, weft_dtype dtype);
/// Whether NaNs are left out.
bool weft__skips_nan(weft_reduction_id id);
/// Whether it is a variance or a deviation, also one of a nan form.
bool weft__is_variance(weft_reduction_id id);
/// The number that changes nothing where values are combined.
double weft__reduction_neutral(weft_reduction_id id);

#endif
