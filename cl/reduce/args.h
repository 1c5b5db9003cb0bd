// SPDX-License-Identifier: MIT
/// Arguments of the kernels of cl/reduce/.
///
/// An array is seen as outer x length x inner elements, and is reduced along `length`: element (o, r, c) is o *
/// outer_stride + r * length_stride + c * inner_stride elements after the offset; inner_stride is 1 unless the kernel
/// has R_STEPS. Result (o, c) has the number o * inner + c.
#ifndef WEFT_CL_REDUCE_ARGS_H
#define WEFT_CL_REDUCE_ARGS_H

#include "shared.h"

#define WEFT__REDUCE_INPUTS 10 /* arrays per launch, at most */

/// The operations.
#define WEFT__GATHER_SUM 1
#define WEFT__GATHER_PROD 2
#define WEFT__GATHER_BEST 3 /* min and max */
#define WEFT__GATHER_WHERE 4
#define WEFT__GATHER_ANY 5
#define WEFT__GATHER_ALL 6
#define WEFT__GATHER_VARIANCE 7
#define WEFT__GATHER_USER 8
#define WEFT__GATHER_RANGE 9 /* least and greatest: ptp */

/// If several blocks (`splits`) share a result, they leave partial results in a buffer. `mode`: who combines these.
#define WEFT__REDUCE_DIRECT 0  /* one block has all elements of its results */
#define WEFT__REDUCE_LAST 1    /* the block that ends last combines */
#define WEFT__REDUCE_SCRATCH 2 /* a kernel launched afterwards combines */
/// Results that a GPU's block combines side by side, at least.
#define WEFT__REDUCE_SIDE 8

#ifndef R_SCALARS
#define R_SCALARS 1
#endif

typedef struct weft__reduce_args {
  weft__lookback_use lookback;
  WEFT__U64 outer, length, inner;
  WEFT__I64 outer_stride, length_stride, inner_stride; /* elements */
  WEFT__U64 splits, blocks, outputs, mode;
  WEFT__U64 lanes, tiles, per, merge, rows; /* how the work is divided: see the kernels */
  WEFT__U64 aligned;                        /* columns: results can be stored as whole chunks */
  WEFT__U64 count, all;                     /* elements per result, and of the whole call */
  WEFT__U64 first, row, there; /* for a launch over a part of the values: the number of its first element, the position
                                  of this element along the reduced axes, and how many splits have partial results
                                  already */
  WEFT__I64 ddof;
  WEFT__I64 out, offset[WEFT__REDUCE_INPUTS]; /* bytes */
  WEFT__U64 neutral[2];                       /* of the user's operation */
  WEFT__U64 scalar[R_SCALARS]; /* of the formula: as many as the kernel needs; on the host the most possible */
} weft__reduce_args;
WEFT__SHARED_SIZE(weft__reduce_args, 4 * 2 + 8 * (25 + WEFT__REDUCE_INPUTS + R_SCALARS));

#endif
