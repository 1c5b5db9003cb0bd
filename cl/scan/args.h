// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/scan/.
#ifndef WEFT_CL_SCAN_ARGS_H
#define WEFT_CL_SCAN_ARGS_H

#include "shared.h"

typedef struct weft__scan_args {
  weft__lookback_use lookback;
  WEFT__U64 x, y, flags; /* bytes */
  WEFT__U64 n, tiles, row;
  WEFT__U64 phase;  /* GPUs: added to a logical number, so that each row's first is a multiple of `row` */
  WEFT__U64 length; /* CPUs: elements in a tile */
  WEFT__U64 group;  /* CPUs: rows in a tile; 0: a row has `per_row` tiles */
  WEFT__U64 per_row;
} weft__scan_args;
WEFT__SHARED_SIZE(weft__scan_args, 4 * 2 + 8 * 10);

/// Scans along an axis that is not the last.
typedef struct weft__scan_columns_args {
  WEFT__U64 x, y;                   /* bytes */
  WEFT__U64 length, inner, columns; /* columns: outer x inner */
  WEFT__U64 rows, chunks;
  WEFT__U64 blocks; /* GPUs: blocks of columns; CPUs: strips of columns in inner */
} weft__scan_columns_args;
WEFT__SHARED_SIZE(weft__scan_columns_args, 8 * 8);

#endif
