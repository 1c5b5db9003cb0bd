// SPDX-License-Identifier: MIT
/// Sorting integers over ranks, of which the pass over the link is a pass of the sort.
#ifndef WEFT_DIST_SPREAD_H
#define WEFT_DIST_SPREAD_H

#include "dist/dist_parts.h"

/// As weft__dist_divide. `samples`: samples of the elements, in order. Only for evenly distributed integers of 4 bytes,
/// enough of them that this is faster; else *sorted stays NULL. Collective.
weft_status weft__dist_spread(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total, const weft_array *samples);

#endif
