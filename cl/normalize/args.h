// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/normalize/.
#ifndef WEFT_CL_NORMALIZE_ARGS_H
#define WEFT_CL_NORMALIZE_ARGS_H

#include "shared.h"

/// The functions.
#define WEFT__NORMALIZE_SOFTMAX 0
#define WEFT__NORMALIZE_LOG_SOFTMAX 1
#define WEFT__NORMALIZE_LOGSUMEXP 2
#define WEFT__NORMALIZE_STANDARDIZE 3

#define WEFT__NORMALIZE_BLOCK 256 /* work-items of a block, unless a row has more */

typedef struct weft__normalize_args {
  WEFT__U64 rows, length;     /* contiguous rows */
  WEFT__U64 to, from;         /* where the arrays begin, in bytes */
  WEFT__U64 divisor, epsilon; /* STANDARDIZE: of the sum of squares; added to the variance. Bits of a T_NUMBER */
} weft__normalize_args;
WEFT__SHARED_SIZE(weft__normalize_args, 8 * 6);

#endif
