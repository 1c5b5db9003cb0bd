// SPDX-License-Identifier: MIT
/// Arguments of the kernels of cl/index/. The indexed array is `outer` x `length` x `run` elements, and indices count
/// along `length`. The other array, the result of a take or the values of a scatter, is dense: outer x count x run
/// elements. Elements are counted in units: 1, 2, 4, 8 or 16 bytes that are moved at once, or one number if values are
/// combined.
#ifndef WEFT_CL_INDEX_ARGS_H
#define WEFT_CL_INDEX_ARGS_H

#include "shared.h"

/// Arrays that one launch moves by the same indices.
#define WEFT_INDEX_MANY 4

typedef struct weft__index_args {
  WEFT__U64 total; /* units of the dense array */
  WEFT__U64 full;  /* blocks that need no guard; of a scatter by ranges the units of one */
  WEFT__U64 outer, count, run;
  WEFT__I64 length;
  WEFT__I64 outer_stride, axis_stride;                                 /* of the indexed array, in units */
  WEFT__I64 indexed_offset, dense_offset, index_offset, winner_offset; /* bytes */
  WEFT__U64 values; /* units that the dense array has: further ones repeat them */
  WEFT__U32 record, epoch;
  WEFT__U32 run_multiplier, run_shift;     /* division by run, for numbers under 2^31 */
  WEFT__U32 count_multiplier, count_shift; /* division by count */
  WEFT__U32 rows_multiplier, rows_shift;   /* division by the rows, outer * count */
} weft__index_args;
WEFT__SHARED_SIZE(weft__index_args, 8 * 13 + 4 * 8);

typedef struct weft__index_many_args {
  WEFT__U64 total;
  WEFT__I64 length;
  WEFT__I64 index_offset;
  WEFT__I64 stride[WEFT_INDEX_MANY]; /* of the indexed arrays, in elements */
  WEFT__I64 indexed_offset[WEFT_INDEX_MANY], dense_offset[WEFT_INDEX_MANY];
  WEFT__U32 record, epoch;
} weft__index_many_args;
WEFT__SHARED_SIZE(weft__index_many_args, 8 * (3 + 3 * WEFT_INDEX_MANY) + 4 * 2);

typedef struct weft__index_flat_args {
  WEFT__U64 total;
  WEFT__I64 length;
  WEFT__I64 index_offset;
  WEFT__I64 flat_offset; /* in elements */
  WEFT__U32 record, epoch;
  WEFT__U32 is_first, unused;
} weft__index_flat_args;
WEFT__SHARED_SIZE(weft__index_flat_args, 8 * 4 + 4 * 4);

/// Elements of a matrix, each named by an index along either axis.
typedef struct weft__index_pair_args {
  WEFT__U64 total;
  WEFT__I64 length[2], stride[2]; /* of the matrix; strides in elements */
  WEFT__I64 indexed_offset, dense_offset, index_offset[2]; /* bytes */
  WEFT__U32 record[2], epoch[2];
} weft__index_pair_args;
WEFT__SHARED_SIZE(weft__index_pair_args, 8 * 9 + 4 * 4);

#endif
