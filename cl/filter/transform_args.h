// SPDX-License-Identifier: MIT
/// Arguments of spline.cl, spline_tiles.cl, transform.cl and interp.cl.
#ifndef WEFT_CL_FILTER_TRANSFORM_ARGS_H
#define WEFT_CL_FILTER_TRANSFORM_ARGS_H

#include "shared.h"

#define WEFT__TRANSFORM_AXES 8

/// Lines of outer x length x inner elements, which become coefficients of a cubic spline (spline.cl: in place).
typedef struct weft__spline_args {
  WEFT__U64 outer, length, inner;
  WEFT__U64 to, from; /* in bytes */
  WEFT__I32 border;   /* WEFT__BORDER_* */
  WEFT__U32 tiles;    /* spline_tiles.cl: parts of a line */
} weft__spline_args;
WEFT__SHARED_SIZE(weft__spline_args, 8 * 5 + 4 * 2);

/// Elements at places of an array.
typedef struct weft__transform_args {
  WEFT__U64 n;                              /* elements of the result */
  WEFT__I64 to_shape[WEFT__TRANSFORM_AXES]; /* with a table of numbers */
  WEFT__I64 from_shape[WEFT__TRANSFORM_AXES];
  WEFT__I64 margin;              /* of the array beyond the elements that places count from */
  WEFT__U64 to, from, table;     /* where the arrays begin, in bytes */
  WEFT__U64 fill;                /* the bytes of an element outside, or of other borders where a place is NaN */
  WEFT__I32 border;              /* WEFT__BORDER_* */
  WEFT__U32 plain;               /* bit d: along axis d a place is the index */
  WEFT__U32 ends, unused;        /* bit d: along axis d the last place is the last element, however products round */
} weft__transform_args;
WEFT__SHARED_SIZE(weft__transform_args, 8 * (6 + 2 * WEFT__TRANSFORM_AXES) + 4 * 4);

typedef struct weft__interp_args {
  WEFT__U64 n, points;
  WEFT__U64 to, x, xp, fp;       /* in bytes */
  WEFT__U64 left, right, period; /* bits of T_NUMBER; in a period there is no left and right */
  WEFT__U32 has_left, has_right, has_period, unused;
} weft__interp_args;
WEFT__SHARED_SIZE(weft__interp_args, 8 * 9 + 4 * 4);

#endif
