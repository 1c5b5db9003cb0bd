// SPDX-License-Identifier: MIT
/// What the kernels of cl/search/ are passed.
#ifndef WEFT_CL_SEARCH_ARGS_H
#define WEFT_CL_SEARCH_ARGS_H

#include "shared.h"

typedef struct weft__search_args {
  WEFT__U64 n;         /* values that are looked for; elements of a; of x */
  WEFT__U64 m;         /* elements of the ordered array; of b */
  WEFT__U64 chunk;     /* elements for each work-item of a CPU */
  WEFT__U64 stride;    /* from one pivot to the next; 0: no pivots */
  WEFT__U64 offset[6]; /* where the arrays begin, in bytes, in the kernel's order */
  WEFT__U32 pivots;
  WEFT__U32 is_inverted;           /* the answer of isin the other way round */
  WEFT__U32 is_divided;            /* where the tiles of a merge begin was found before */
  WEFT__U32 is_falling, is_strict; /* which order is asked for */
  WEFT__U32 wants;                 /* of unique: which results */
} weft__search_args;
WEFT__SHARED_SIZE(weft__search_args, 8 * 10 + 4 * 6);

#endif
