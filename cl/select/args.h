// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/select/.
#ifndef WEFT_CL_SELECT_ARGS_H
#define WEFT_CL_SELECT_ARGS_H

#include "shared.h"

#ifndef SELECT_SCALARS
#define SELECT_SCALARS 1
#endif

typedef struct weft__select_args {
  weft__lookback_use lookback;
  WEFT__U64 out, x, mask, count; /* bytes */
  WEFT__U64 n, tiles;
  WEFT__U64 counts; /* not 0: write the number of kept elements to `count` */
  WEFT__U64 ndim;   /* of results that are positions: 0: flat positions; else `ndim` coordinates for each, by `shape` */
  WEFT__U64 shape[8];
  WEFT__U64 scalar[SELECT_SCALARS]; /* of the predicate: as many as the kernel has; on the host the most possible */
} weft__select_args;
WEFT__SHARED_SIZE(weft__select_args, 4 * 2 + 8 * (16 + SELECT_SCALARS));

#endif
