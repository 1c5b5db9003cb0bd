// SPDX-License-Identifier: MIT
/// What the kernels of cl/reduce/ are passed.
///
/// An array is seen as outer x length x inner elements, of which `length` are reduced: element (o, r, c) is o *
/// outer_stride + r * length_stride + c elements behind the offset. Result (o, c) is number o * inner + c.
#ifndef WEFT_CL_REDUCE_ARGS_H
#define WEFT_CL_REDUCE_ARGS_H

#include "shared.h"

#define WEFT__REDUCE_INPUTS 10 /* arrays of a launch, at most */

/// What is gathered.
#define WEFT__GATHER_SUM 1
#define WEFT__GATHER_PROD 2
#define WEFT__GATHER_BEST 3 /* min and max */
#define WEFT__GATHER_WHERE 4
#define WEFT__GATHER_ANY 5
#define WEFT__GATHER_ALL 6
#define WEFT__GATHER_VARIANCE 7
#define WEFT__GATHER_USER 8
#define WEFT__GATHER_RANGE 9 /* least and greatest: ptp */

/// Where a result is the work of several blocks (`splits` of them), they leave their parts in a buffer, as `mode` says.
#define WEFT__REDUCE_DIRECT 0  /* a block has all of its results */
#define WEFT__REDUCE_LAST 1    /* the block that is done last makes the results */
#define WEFT__REDUCE_SCRATCH 2 /* a kernel launched behind this one does */
/// Results that a block of a GPU makes side by side of such parts.
#define WEFT__REDUCE_SIDE 8

#ifndef R_SCALARS
#define R_SCALARS 1
#endif

typedef struct weft__reduce_args {
  weft__lookback_use lookback;
  WEFT__U64 outer, length, inner;
  WEFT__I64 outer_stride, length_stride; /* elements */
  WEFT__U64 splits, blocks, outputs, mode;
  WEFT__U64 lanes, tiles, per, merge, rows; /* how the work is divided: the kernels say what each is */
  WEFT__U64 aligned;                        /* columns: results can be stored as whole chunks */
  WEFT__U64 count, all;                     /* elements of a result, and of the whole call */
  WEFT__U64 first, row, there; /* the launch may be of a part of the values: the number of its first element, that of
                                  its first one along the reduced axes, and how many splits have parts already */
  WEFT__I64 ddof;
  WEFT__I64 out, offset[WEFT__REDUCE_INPUTS]; /* bytes */
  WEFT__U64 neutral[2];                       /* of the user's operation */
  WEFT__U64 scalar[R_SCALARS]; /* of the formula: as many as the kernel has; on the host the most there are */
} weft__reduce_args;
WEFT__SHARED_SIZE(weft__reduce_args, 4 * 2 + 8 * (24 + WEFT__REDUCE_INPUTS + R_SCALARS));

#endif
