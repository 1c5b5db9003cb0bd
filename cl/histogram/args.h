// SPDX-License-Identifier: MIT
/// Arguments of the kernels of cl/histogram/.
#ifndef WEFT_CL_HISTOGRAM_ARGS_H
#define WEFT_CL_HISTOGRAM_ARGS_H

#include "shared.h"

typedef struct weft__histogram_args {
  WEFT__U64 n;        /* elements of x */
  WEFT__U64 head;     /* elements before the first multiple of 16 bytes */
  WEFT__U64 tiles;    /* whole tiles after the head */
  WEFT__U64 chunk;    /* weights.cl: where the tables begin; parts.cl: the elements */
  WEFT__U64 x_offset; /* in bytes, like the following offsets */
  WEFT__U64 counts_offset;
  WEFT__U64 edges_offset;
  WEFT__U64 weights_offset;
  WEFT__U64 least, span; /* what is counted: integers x with x - least <= span; floats from least to span (bits) */
  WEFT__U64 low, step;   /* edge j is low + j * step; f64, bits */
  WEFT__U64 wide_scale;  /* bins per unit of x; f64, bits */
  WEFT__U32 bins;
  WEFT__U32 used;              /* edges from this one on are above every x */
  WEFT__U32 stride, copies;    /* counters per table; tables per block, for weights of all blocks */
  WEFT__U32 chunks;            /* ranges of bins */
  WEFT__U32 adds;              /* 1: added to the counts; 0: stored, by the only block */
  WEFT__U32 share;             /* parts.cl: elements that a block counts */
  WEFT__U32 clears;            /* GPUs, if adds: blocks that clear the counts, which start first; 0: they are zero */
  WEFT__U32 measures;          /* GPUs: 1: behind the counts, 1 + the last bin with elements, and the sum; needs adds */
  weft__lookback_use lookback; /* if it clears */
  float scale, shift;          /* the guess of the bin is (x - least) * scale + shift */
  float near;                  /* distance from an edge, in bins, within which the guess may be wrong */
} weft__histogram_args;
WEFT__SHARED_SIZE(weft__histogram_args, 8 * 13 + 4 * 14);

#endif
