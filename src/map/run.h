// SPDX-License-Identifier: MIT
/// Runs a plan: gets its kernel for the arrays' layouts and launches it.
#ifndef WEFT_MAP_RUN_H
#define WEFT_MAP_RUN_H

#include "map/plan.h"

/// Computes the plan over arrays: results first, then the array inputs in order. `scalars` holds the bytes of the
/// formula's scalars, two words each. Sizes must be over 0, and arrays must not overlap in a way that changes results.
/// `range`: the part of a call's elements to compute; NULL: all.
weft_status weft__plan_run(const weft__plan *plan, weft_shape shape, weft_array *const *array, const uint64_t *scalars,
                           const weft__span *range, const char *site);
/// Builds the kernel for contiguous arrays of the inputs' dtypes.
weft_status weft__plan_prepare(const weft__plan *plan, weft_context *context);

#endif
