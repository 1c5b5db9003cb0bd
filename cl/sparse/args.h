// SPDX-License-Identifier: MIT
/// Arguments of sparse/tiles.cl, runs.cl, rows.cl and check.cl. Products have the arguments of cl/matmul/args.h.
#ifndef WEFT_CL_SPARSE_ARGS_H
#define WEFT_CL_SPARSE_ARGS_H

#include "shared.h"

typedef struct weft__csr_args {
  WEFT__U64 first, indptr, sums, values; /* offsets in bytes */
  WEFT__U64 rows, tiles, tile;
  WEFT__U64 runs, elements;
} weft__csr_args;
WEFT__SHARED_SIZE(weft__csr_args, 8 * 9);

/// Of sparse/rows.cl.
typedef struct weft__csr_rows_args {
  WEFT__U64 indptr, indices, values, counts, to, to_indices; /* offsets in bytes */
  WEFT__U64 rows, columns, elements;
  WEFT__U64 chunk; /* elements of a work-item */
} weft__csr_rows_args;
WEFT__SHARED_SIZE(weft__csr_rows_args, 8 * 10);

/// Of sparse/check.cl.
typedef struct weft__csr_check_args {
  WEFT__U64 found, to_indptr, to_indices, to_values, first; /* offsets in bytes */
  WEFT__U64 indptr, indices, values;                        /* as well, of the given arrays */
  WEFT__U64 rows, columns, elements, tiles, tile;
  WEFT__U64 chunk; /* elements of a work-item */
} weft__csr_check_args;
WEFT__SHARED_SIZE(weft__csr_check_args, 8 * 14);

#endif
