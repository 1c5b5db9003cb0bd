// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/filter/.
#ifndef WEFT_CL_FILTER_ARGS_H
#define WEFT_CL_FILTER_ARGS_H

#include "shared.h"

/// What becomes of the elements in a window.
#define WEFT__FILTER_SUM 0 /* of products with weights */
#define WEFT__FILTER_MEAN 1
#define WEFT__FILTER_LEAST 2
#define WEFT__FILTER_GREATEST 3
#define WEFT__FILTER_RANK 4

#define WEFT__FILTER_EACH 4 /* tiles in local memory: elements of a work-item */
#define WEFT__FILTER_STEP 8 /* without tiles: elements of a work-item, along the axis */

/// A window along one axis of an array of outer x length x inner elements.
typedef struct weft__line_args {
  WEFT__U64 outer, length, inner;
  WEFT__U64 taps, before;      /* elements of the window, and those in front of the middle one */
  WEFT__U64 parts;             /* of a line */
  WEFT__U64 to, from, weights; /* where the arrays begin, in bytes */
  WEFT__U64 fill;              /* the bytes of an element outside, for a constant border */
  WEFT__I32 border;            /* WEFT__BORDER_* */
  WEFT__U32 is_reversed;       /* the last weight comes first */
} weft__line_args;
WEFT__SHARED_SIZE(weft__line_args, 8 * 10 + 4 * 2);

/// Windows along the last two axes of an array of planes of rows x columns elements, one after the other.
typedef struct weft__plane_args {
  WEFT__U64 rows, columns;
  WEFT__U64 before[2];            /* elements in front of the middle ones: along the last axis but one, the last axis */
  WEFT__U64 to, from, weights[2]; /* where the arrays begin, in bytes; weights of the first filter and the second */
  WEFT__U64 fill;                 /* the bytes of an element outside, for a constant border */
  WEFT__I32 border;               /* WEFT__BORDER_* */
  WEFT__U32 is_reversed[2];       /* first and second filter: the last weight comes first */
  WEFT__U32 down, across;         /* work-groups of a plane */
  WEFT__U32 unused;
} weft__plane_args;
WEFT__SHARED_SIZE(weft__plane_args, 8 * 9 + 4 * 6);

#define WEFT__WINDOW_AXES 8
#define WEFT__WINDOW_COUNT 49 /* the most elements of a window whose number kernels know */
#define WEFT__WINDOW_PLACES 152
#define WEFT__WINDOW_EACH 4 /* boxes: elements of a work-item, in rows below each other */

/// A window of any shape. The table has a row for each of its elements: how far it is from the middle one in elements,
/// and then along each axis.
typedef struct weft__window_args {
  WEFT__U64 n, rows; /* elements; rows along the last axis */
  WEFT__I64 shape[WEFT__WINDOW_AXES];
  WEFT__I64 near[WEFT__WINDOW_AXES];    /* how far the window reaches in front of the middle along an axis */
  WEFT__I64 past[WEFT__WINDOW_AXES];    /* and behind it */
  WEFT__U64 taps, rank;                 /* elements of the window; RANK: the number of the wanted one in order */
  WEFT__U64 parts;                      /* boxes: bands of WEFT__WINDOW_EACH rows of a plane */
  WEFT__U64 to, from, table, weights;   /* where the arrays begin, in bytes */
  WEFT__U64 fill;                       /* the bytes of an element outside, for a constant border */
  WEFT__I64 linear[WEFT__WINDOW_COUNT]; /* windows of as many elements at most: the table's first column */
  WEFT__I32 border;                     /* WEFT__BORDER_* */
  WEFT__U32 flip_top;                   /* cl/sort/key.clh */
  WEFT__I8 place[WEFT__WINDOW_PLACES];  /* of such windows, if they fit: the other columns; then there is no table */
} weft__window_args;
WEFT__SHARED_SIZE(weft__window_args, /* OpenCL 1.2 promises room for arguments of 1024 bytes */
                  8 * (10 + 3 * WEFT__WINDOW_AXES + WEFT__WINDOW_COUNT) + 4 * 2 + WEFT__WINDOW_PLACES);

/// A window of any shape that slides along one axis, the last one here. All elements that the windows of a part of a
/// row reach are a list: `lines`, one after the other, each along this axis. The table has for each line how far it is
/// from the middle one along the axes, where it begins in the list, and its elements; then places in the list: of the
/// first window's elements, of those that leave it in a step, and of those that come.
typedef struct weft__slide_args {
  WEFT__I64 shape[WEFT__WINDOW_AXES], stride[WEFT__WINDOW_AXES]; /* of the array, in elements */
  WEFT__U64 rows;                                                /* of the array along the axis */
  WEFT__U64 parts, length;                                       /* parts of a row, and their elements */
  WEFT__U64 share;                                               /* parts of a work-item */
  WEFT__U64 lines, taps, steps; /* in the table: lines, elements of the window, those that leave in a step */
  WEFT__U64 reach;              /* elements of the list */
  WEFT__U64 rank;               /* the number of the wanted element in order */
  WEFT__U64 to, from, table;    /* where the arrays begin, in bytes */
  WEFT__U64 scratch, pitch;     /* bytes: where the work-items' memory begins, and each one's */
  WEFT__U64 fill;               /* the bytes of an element outside, for a constant border */
  WEFT__I32 border;             /* WEFT__BORDER_* */
  WEFT__U32 flip_top;           /* cl/sort/key.clh */
} weft__slide_args;
WEFT__SHARED_SIZE(weft__slide_args, 8 * (15 + 2 * WEFT__WINDOW_AXES) + 4 * 2);

#endif
