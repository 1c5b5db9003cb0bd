// SPDX-License-Identifier: MIT
/// Arguments of the kernels of small matrices, cl/linalg/small_*.cl, and of cl/linalg/determinant.cl.
#ifndef WEFT_CL_LINALG_SMALL_ARGS_H
#define WEFT_CL_LINALG_SMALL_ARGS_H

#include "shared.h"

/// A stack of matrices. Each kernel has its own buffers; at[k] is where the array of buffer k begins, in bytes.
typedef struct weft__small_args {
  WEFT__U64 batch;
  WEFT__U64 share;  /* matrices (times TEAMS) that a block takes one after the other */
  WEFT__U64 chunks; /* parts of a right-hand side's columns, each solved on its own */
  WEFT__U64 at[7];
  WEFT__I32 rows, columns; /* of a matrix */
  WEFT__I32 others;        /* right-hand sides, or columns of Q, or vectors to be made */
  WEFT__U32 flags;
} weft__small_args;
WEFT__SHARED_SIZE(weft__small_args, 8 * 10 + 4 * 4);

#define WEFT__SMALL_UPPER 1u     /* the triangle is upper */
#define WEFT__SMALL_UNIT 2u      /* its diagonal is 1 */
#define WEFT__SMALL_TRANSPOSE 4u /* it is transposed */
#define WEFT__SMALL_CONJUGATE 8u /* it is conjugated */
#define WEFT__SMALL_INFO 16u     /* info is wanted */
#define WEFT__SMALL_IDENTITY 1u  /* right-hand sides: the identity, not read */
#define WEFT__SMALL_LOGARITHM 1u /* sign and logarithm instead of the determinant */

#endif
