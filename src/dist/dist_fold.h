// SPDX-License-Identifier: MIT
/// Inside libweft-mpi: sums and their like whose grouping depends on the elements' positions alone.
///
/// Float sums depend on the grouping. Here a run of m elements is folded by eights: element i of the next run is the
/// combination, in a fixed order, of the elements i, i + h, i + 2 h, ... with h = m / 8 rounded up. Each level is one
/// kernel that reads its run once and writes an eighth of it; a run of elements that lie side by side has kernels of
/// its own (dist/dist_leaves.h). Along the split axis the runs are leaves: blocks of rows that begin at multiples of a
/// length, which the whole array's shape gives. A leaf belongs to one rank; all ranks collect the leaves' results and
/// fold these.
#ifndef WEFT_DIST_FOLD_H
#define WEFT_DIST_FOLD_H

#include "dist/dist_array.h"
#include "dist/dist_leaves.h"

/// How two elements become one, as parts of an expression, and the dtype to which the elements are cast first.
typedef struct weft__dist_fold_op {
  weft_dtype dtype;
  const char *call;      /* "maximum"; NULL: an operator */
  const char *operator_; /* "+" */
  weft__dist_combine combine;
  weft_dtype result; /* of weft__dist_fold_split; NONE: `dtype` */
} weft__dist_fold_op;

/// Folds along an axis with at least one element, which gets the length 1. The result has the operation's dtype.
weft_status weft__dist_fold(weft_array **out, const weft_array *x, int axis, weft__dist_fold_op op, const char *site);
/// Rows of a leaf of an array of this shape that is split along `axis`: a power of 4. `most` leaves: longer ones, if
/// there were more.
int64_t weft__dist_leaf(weft_shape shape, int axis, int64_t most);
/// Folds leaves, which begin with the first row: a row for each.
weft_status weft__dist_fold_leaves(weft_array **out, weft_dist *grid, const weft_array *rows, int64_t leaf,
                                   weft__dist_fold_op op, const char *site);
/// The first row of each rank if leaves are not divided: `ranks + 1` places.
int64_t *weft__dist_leaf_shares(const weft_dist *grid, int64_t n, int64_t leaf);
/// Whether each rank's share of n rows begins with a leaf, so that no row has to move.
bool weft__dist_is_aligned(const weft_dist *grid, int64_t n, int64_t leaf);
/// Folds a split array along its axis, which it does not have any more in front: a plain array with 1 row, the same on
/// all ranks. `rows`: this rank's rows, the split axis first.
weft_status weft__dist_fold_split(weft_array **out, weft_dist *grid, const weft__dist_call *call,
                                  const weft_array *rows, weft_shape shape, int axis, weft__dist_fold_op op,
                                  weft_status rc);

#endif
