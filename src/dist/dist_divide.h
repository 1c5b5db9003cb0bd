// SPDX-License-Identifier: MIT
/// Sorting over ranks that write into each other's memory.
#ifndef WEFT_DIST_DIVIDE_H
#define WEFT_DIST_DIVIDE_H

#include "dist/dist_array.h"

/// Sorts the `total` elements of all ranks, this rank's in `x`, of one axis: *sorted is this rank's share. It stays
/// NULL, on all ranks, where another way is better or the elements are unevenly distributed. Collective.
weft_status weft__dist_divide(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total);

#endif
