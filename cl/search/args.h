// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/search/.
#ifndef WEFT_CL_SEARCH_ARGS_H
#define WEFT_CL_SEARCH_ARGS_H

#include "shared.h"

typedef struct weft__search_args {
  WEFT__U64 n;         /* values searched for; elements of a; of x */
  WEFT__U64 m;         /* elements of the ordered array; of b */
  WEFT__U64 stride;    /* distance between pivots, in elements; 0: no pivots */
  WEFT__U64 offset[6]; /* of the arrays, in bytes, in the kernel's order */
  WEFT__U32 pivots;
  WEFT__U32 is_inverted;           /* isin: invert the result */
  WEFT__U32 is_divided;            /* merge: the tiles' beginnings are already known */
  WEFT__U32 is_falling, is_strict; /* the order to test for */
  WEFT__U32 wants;                 /* unique: the results wanted */
} weft__search_args;
WEFT__SHARED_SIZE(weft__search_args, 8 * 9 + 4 * 6);

/// Of cl/search/gpu_tree.cl. Level k of the tree has the last element of each 8^k elements of the ordered array.
#define WEFT__TREE_LEVELS 10
#define WEFT__TREE_TOP 2048 /* elements of the top level, at most */
typedef struct weft__tree_args {
  WEFT__U64 n, m;                          /* values; elements of the ordered array */
  WEFT__U64 to, ordered, values, tree;     /* where the arrays begin, in bytes */
  WEFT__U64 level_at[WEFT__TREE_LEVELS];   /* where a level begins in the tree, in elements: from level 1 on */
  WEFT__U32 top, is_inverted;              /* top: the top level */
} weft__tree_args;
WEFT__SHARED_SIZE(weft__tree_args, 8 * (6 + WEFT__TREE_LEVELS) + 4 * 2);

#endif
