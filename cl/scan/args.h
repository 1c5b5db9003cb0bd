// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/scan/.
#ifndef WEFT_CL_SCAN_ARGS_H
#define WEFT_CL_SCAN_ARGS_H

#include "shared.h"

typedef struct weft__scan_args {
  weft__lookback_use lookback;
  WEFT__U64 x, y, flags; /* bytes */
  WEFT__U64 n, tiles, row;
  WEFT__U64 phase; /* added to a logical number, so that each row's first is a multiple of `row` */
} weft__scan_args;
WEFT__SHARED_SIZE(weft__scan_args, 4 * 2 + 8 * 7);

/// Scans by a thread for each column.
typedef struct weft__scan_columns_args {
  WEFT__U64 x, y, flags;            /* bytes */
  WEFT__U64 length, inner, columns; /* columns: outer x inner */
  WEFT__U64 rows, chunks;
  WEFT__U64 blocks; /* of columns */
} weft__scan_columns_args;
WEFT__SHARED_SIZE(weft__scan_columns_args, 8 * 9);

#endif
