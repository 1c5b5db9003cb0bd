// SPDX-License-Identifier: MIT
/// What the kernels of cl/histogram/ are passed.
#ifndef WEFT_CL_HISTOGRAM_ARGS_H
#define WEFT_CL_HISTOGRAM_ARGS_H

#include "shared.h"

typedef struct weft__histogram_args {
  WEFT__U64 n;        /* elements of x */
  WEFT__U64 head;     /* of these, before the first at a multiple of 16 bytes */
  WEFT__U64 tiles;    /* whole ones behind the head */
  WEFT__U64 chunk;    /* elements for each work-item of a CPU */
  WEFT__U64 x_offset; /* in bytes, as those that follow */
  WEFT__U64 counts_offset;
  WEFT__U64 edges_offset;
  WEFT__U64 weights_offset;
  WEFT__U64 least, span; /* what is counted: integers x with x - least <= span; floats from (bits) least to span */
  WEFT__U64 low, step;   /* edge j is low + j * step; f64, bits */
  WEFT__U64 wide_scale;  /* bins for each unit of x; f64, bits */
  WEFT__U32 bins;
  WEFT__U32 used;           /* edges from this one on are beyond every x */
  WEFT__U32 stride, copies; /* of the tables of a block, or of a chunk */
  WEFT__U32 chunks;         /* of a CPU: how many tables are to be added up */
  WEFT__U32 adds;           /* counts are added to; 0: stored, by the only block */
  WEFT__U32 is_wide;        /* a count may reach 2^32 */
  float scale, shift;       /* a first guess of the bin: x - least in bins, and what `least` itself is */
  float near;               /* how far from an edge, in bins, the guess may be wrong */
} weft__histogram_args;
WEFT__SHARED_SIZE(weft__histogram_args, 8 * 13 + 4 * 10);

#endif
