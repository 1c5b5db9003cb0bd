// SPDX-License-Identifier: MIT
/// What the kernels of cl/map/ are passed. The length of `tail` is the kernel's: it has A arrays, S words of scalars,
/// and D axes, 0 where all arrays are flat. The macros number its words, for the host and for the kernels.
#ifndef WEFT_CL_MAP_ARGS_H
#define WEFT_CL_MAP_ARGS_H

#include "shared.h"

#define WEFT__MAP_OFFSET(k) (k) /* of array k, in bytes; gpu_flat: behind the head */
/* Where there are axes, outermost first: */
#define WEFT__MAP_TILES(A, j) ((A) + (j))      /* gpu_tile: that cover the last axis but one (j 0), and the last one */
#define WEFT__MAP_LENGTH(A, d) ((A) + 2 + (d)) /* gpu_strided: of the last axis in chunks */
#define WEFT__MAP_MULTIPLIER(A, D, d) \
  ((A) + 2 + (D) + (d)) /* n / length is (n * multiplier >> 32) >> shift, for n
                                                               under 2^31 */
#define WEFT__MAP_SHIFT(A, D, d) ((A) + 2 + 2 * (D) + (d))
/* bytes; gpu_strided: of the last axis for a chunk */
#define WEFT__MAP_STRIDE(A, D, k, d) ((A) + 2 + (3 + (k)) * (D) + (d))
/* gpu_strided: bytes along the last axis for an element */
#define WEFT__MAP_STEP(A, D, k) ((A) + 2 + (3 + (A)) * (D) + (k))
/* Then the formula's scalars, two words each. */
#define WEFT__MAP_SCALAR(A, D, j) ((A) + ((D) > 0 ? 2 + (3 + (A)) * (D) + (A) : 0) + (j))
#define WEFT__MAP_WORDS(A, S, D) WEFT__MAP_SCALAR(A, D, S)

typedef struct weft__map_args {
  WEFT__U64 n;                    /* elements */
  WEFT__U64 chunks, head, blocks; /* GPUs: whole chunks; flat kernels: elements in front of them, and blocks that do
                                     nothing else */
  WEFT__U64 first, all;           /* the elements are a part of this many, from this one on */
  WEFT__U64 tail[WEFT__MAP_TAIL]; /* a kernel's own, or on the host the most there are */
} weft__map_args;
WEFT__SHARED_SIZE(weft__map_args, 8 * (6 + WEFT__MAP_TAIL));

#endif
