// SPDX-License-Identifier: MIT
/// Arguments of the kernels that factor and solve blocks of large matrices.
#ifndef WEFT_CL_LINALG_BLOCK_ARGS_H
#define WEFT_CL_LINALG_BLOCK_ARGS_H

#include "shared.h"

/// A part of each matrix of a batch, anywhere in its buffer.
typedef struct weft__block_matrix {
  WEFT__I64 offset;             /* in bytes */
  WEFT__I64 batch, row, column; /* strides in elements */
} weft__block_matrix;
WEFT__SHARED_SIZE(weft__block_matrix, 8 * 4);

typedef struct weft__block_args {
  WEFT__U64 m, n;             /* rows and columns; each kernel says of what */
  WEFT__U64 batches;
  WEFT__U64 chunks;           /* blocks for each matrix: block number = matrix * chunks + chunk */
  WEFT__U64 first;            /* the first row or column of the part in its matrix */
  weft__block_matrix x, y, z; /* each kernel says which */
  WEFT__U32 flags;            /* WEFT__BLOCK_... */
  WEFT__U32 round;            /* of Jacobi rotations */
  WEFT__U32 ticket, width;    /* of Jacobi rotations: the first ticket, rows of a block */
} weft__block_args;
WEFT__SHARED_SIZE(weft__block_args, 8 * 5 + 32 * 3 + 4 * 4);

#define WEFT__BLOCK_REVERSE 1u   /* the triangle is upper */
#define WEFT__BLOCK_UNIT 2u      /* its diagonal is 1 */
#define WEFT__BLOCK_CONJUGATE 4u /* it is conjugated */
#define WEFT__BLOCK_HERMITIAN 8u /* the matrix is Hermitian; its values ascend */
#define WEFT__BLOCK_BROKEN 16u   /* looks for NaN and infinities */

#define WEFT__BLOCK_SWEEPS 40 /* of Jacobi rotations, at most */

#endif
