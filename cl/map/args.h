// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/map/. `tail` differs by kernel: for A arrays, S words of scalars and D axes (0 if all
/// arrays are flat), these macros index its words for the host and the kernels.
#ifndef WEFT_CL_MAP_ARGS_H
#define WEFT_CL_MAP_ARGS_H

#include "shared.h"

#define WEFT__MAP_OFFSET(k) (k) /* of array k, in bytes; gpu_flat: behind the head */
/* Kernels with axes, outermost first: */
#define WEFT__MAP_TILES(A, j) ((A) + (j))      /* gpu_tile: tiles along the last axis but one (j 0), the last (j 1) */
#define WEFT__MAP_LENGTH(A, d) ((A) + 2 + (d)) /* gpu_strided: the last axis's length is in chunks */
/* n / length is (n * multiplier >> 32) >> shift, for n under 2^31 */
#define WEFT__MAP_MULTIPLIER(A, D, d) ((A) + 2 + (D) + (d))
#define WEFT__MAP_SHIFT(A, D, d) ((A) + 2 + 2 * (D) + (d))
/* in bytes; gpu_strided: along the last axis, per chunk */
#define WEFT__MAP_STRIDE(A, D, k, d) ((A) + 2 + (3 + (k)) * (D) + (d))
/* gpu_strided: bytes per element along the last axis */
#define WEFT__MAP_STEP(A, D, k) ((A) + 2 + (3 + (A)) * (D) + (k))
/* Then the formula's scalars, two words each. */
#define WEFT__MAP_SCALAR(A, D, j) ((A) + ((D) > 0 ? 2 + (3 + (A)) * (D) + (A) : 0) + (j))
#define WEFT__MAP_WORDS(A, S, D) WEFT__MAP_SCALAR(A, D, S)

typedef struct weft__map_args {
  WEFT__U64 n;                    /* elements */
  WEFT__U64 chunks, head, blocks; /* GPUs: whole chunks; flat kernels: elements in front of the chunks, and blocks that
                                     process nothing but chunks. CPUs: chunks is a work-item's elements */
  WEFT__U64 first, all;           /* the launch has the elements from `first` on, of `all` */
  WEFT__U64 tail[WEFT__MAP_TAIL]; /* the kernel's own length; on the host the largest one */
} weft__map_args;
WEFT__SHARED_SIZE(weft__map_args, 8 * (6 + WEFT__MAP_TAIL));

#endif
