// SPDX-License-Identifier: MIT
/// Arguments of stencil.cl. For A arrays, S words of scalars and D axes, these macros index `tail`.
#ifndef WEFT_CL_MAP_STENCIL_ARGS_H
#define WEFT_CL_MAP_STENCIL_ARGS_H

#include "shared.h"

#define WEFT__STENCIL_OFFSET(k) (k) /* of array k, in bytes */
#define WEFT__STENCIL_LENGTH(A, d) ((A) + (d))
#define WEFT__STENCIL_STRIDE(A, D, k, d) ((A) + (D) + (k) * (D) + (d)) /* in bytes */
/* two words: the element outside of array k */
#define WEFT__STENCIL_FILL(A, D, k) ((A) + (D) + (A) * (D) + 2 * (k))
#define WEFT__STENCIL_SCALAR(A, D, j) ((A) + (D) + (A) * (D) + 2 * (A) + (j))
#define WEFT__STENCIL_WORDS(A, S, D) WEFT__STENCIL_SCALAR(A, D, S)

typedef struct weft__stencil_args {
  WEFT__U64 n, rows;                  /* elements; rows along the last axis */
  WEFT__U64 segments, columns, each;  /* parts of a row, their length, and the rows of a work-item */
  WEFT__U64 tail[WEFT__STENCIL_TAIL]; /* the kernel's own length; on the host the largest one */
} weft__stencil_args;
WEFT__SHARED_SIZE(weft__stencil_args, 8 * (5 + WEFT__STENCIL_TAIL));

#endif
