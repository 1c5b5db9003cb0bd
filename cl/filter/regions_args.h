// SPDX-License-Identifier: MIT
/// Arguments of label.cl and distance.cl.
#ifndef WEFT_CL_FILTER_REGIONS_ARGS_H
#define WEFT_CL_FILTER_REGIONS_ARGS_H

#include "shared.h"

#define WEFT__REGION_AXES 8

typedef struct weft__label_args {
  WEFT__U64 n, neighbours;
  WEFT__I64 shape[WEFT__REGION_AXES];
  WEFT__U64 to, from, links, numbers, table; /* where the arrays begin, in bytes */
} weft__label_args;
WEFT__SHARED_SIZE(weft__label_args, 8 * (7 + WEFT__REGION_AXES));

typedef struct weft__distance_args {
  WEFT__U64 outer, length, inner;
  /* where the arrays begin, in bytes: squared distances and nearest zeros before and after the pass, scratch */
  WEFT__U64 to, from, nearest_to, nearest_from, stack;
  WEFT__U64 step; /* the bits of the squared distance of neighbours along the axis, f64, or f32 without fp64 */
  WEFT__U32 is_first, is_last;
  WEFT__U32 is_kept; /* the nearest zeros are wanted */
  WEFT__U32 part;    /* elements of a part of a line */
} weft__distance_args;
WEFT__SHARED_SIZE(weft__distance_args, 8 * 9 + 4 * 4);

typedef struct weft__nearest_args {
  WEFT__U64 n, length, inner; /* elements; of the axis, and behind it */
  WEFT__U64 to, from;         /* where the arrays begin, in bytes */
} weft__nearest_args;
WEFT__SHARED_SIZE(weft__nearest_args, 8 * 5);

#endif
