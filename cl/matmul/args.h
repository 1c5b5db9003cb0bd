// SPDX-License-Identifier: MIT
/// Arguments of the kernels of cl/matmul/: many products out[i] = epilogue(scale * a[i] @ b[i] + accumulate * out[i]),
/// where a[i] is m x k, b[i] is k x n and out[i] is m x n.
#ifndef WEFT_CL_MATMUL_ARGS_H
#define WEFT_CL_MATMUL_ARGS_H

#include "shared.h"

#define WEFT__MATMUL_AXES 7 /* batch axes at most: of an array of 8 axes 6, and one of a product split along k */
#define WEFT__MATMUL_SCALES 1
#define WEFT__MATMUL_ACCUMULATES 2
#define WEFT__MATMUL_SIDES 6 /* arrays of an epilogue at most */

/// Words of `tail`: of array s of the epilogue its offset in bytes, its row and column stride and its stride along each
/// batch axis, in elements; behind the arrays the epilogue's scalars, two words each.
#define WEFT__MATMUL_SIDE(s) ((s) * (3 + WEFT__MATMUL_AXES))
#define WEFT__MATMUL_WORDS(sides, scalars) (WEFT__MATMUL_SIDE(sides) + 2 * (scalars))

typedef struct weft__matmul_args {
  WEFT__U64 m, n, k;
  WEFT__U64 k_all;           /* of a product split along k: its whole k. The first batch axis numbers the splits, */
  WEFT__U64 split;           /* and each has `split` products; 0: k is whole */
  WEFT__U64 axes, batches;   /* batch axes, and products: the product of `length` */
  WEFT__U64 factors;         /* WEFT__MATMUL_SCALES, WEFT__MATMUL_ACCUMULATES */
  WEFT__I64 a, b, out;       /* offsets in bytes */
  WEFT__I64 a_row, a_column; /* strides in elements */
  WEFT__I64 b_row, b_column;
  WEFT__I64 out_row, out_column;
  WEFT__U64 length[WEFT__MATMUL_AXES]; /* of the batch axes, the outermost first */
  WEFT__I64 a_batch[WEFT__MATMUL_AXES], b_batch[WEFT__MATMUL_AXES], out_batch[WEFT__MATMUL_AXES]; /* in elements */
  WEFT__U64 scale[2], accumulate[2]; /* the bytes of an accumulator */
  WEFT__U64 own[4];                  /* for the kernel's own use */
  WEFT__U64 tail[M_TAIL];
} weft__matmul_args;
WEFT__SHARED_SIZE(weft__matmul_args, 8 * (25 + 4 * WEFT__MATMUL_AXES + M_TAIL));

#endif
