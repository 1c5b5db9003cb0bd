// SPDX-License-Identifier: MIT
/// Inside libweft-mpi: the kernels of cl/dist/leaves.cl, which read each element once.
#ifndef WEFT_DIST_LEAVES_H
#define WEFT_DIST_LEAVES_H

#include "dist/dist_array.h"

/// How elements are combined: the numbers of the kernels.
typedef enum weft__dist_combine {
  WEFT__DIST_SUM = 0,
  WEFT__DIST_PROD,
  WEFT__DIST_MAX,
  WEFT__DIST_MIN,
} weft__dist_combine;

/// How leaves are combined, and in which dtypes: of totals on the way, of the result.
typedef struct weft__dist_leaf_kind {
  weft__dist_combine combine;
  weft_dtype work, result;
} weft__dist_leaf_kind;

/// The dtype in which the kernels combine elements of a dtype: of the narrow floats f32, else the same.
weft_dtype weft__dist_leaf_dtype(weft_dtype work);
/// The total of each leaf of `leaf` elements among `count` elements of x from `first` on; x is contiguous, and all its
/// axes are one run. The last leaf may be shorter. The result has one axis.
weft_status weft__dist_leaf_totals(weft_array **out, weft_dist *grid, const weft_array *x, int64_t first, int64_t count,
                                   int64_t leaf, weft__dist_leaf_kind kind, const char *site);

/// Which leaves have something before them; the numbers of the kernels.
typedef enum weft__dist_before {
  WEFT__DIST_BEFORE_NONE = 0,
  WEFT__DIST_BEFORE_LATER, /* all but the first */
  WEFT__DIST_BEFORE_ALL,
} weft__dist_before;

/// The running totals in leaves of `leaf` rows of x, rows by others. `before`: leaves by others, of dtype `work`, what
/// stands before each leaf that `is` names; NULL with NONE.
weft_status weft__dist_leaf_scan(weft_array **out, weft_dist *grid, const weft_array *x, const weft_array *before,
                                 weft__dist_before is, int64_t leaf, weft__dist_leaf_kind kind, const char *site);

#endif
