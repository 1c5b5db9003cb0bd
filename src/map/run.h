// SPDX-License-Identifier: MIT
/// Running a plan: its kernel for the arrays' layouts, and the launch.
#ifndef WEFT_MAP_RUN_H
#define WEFT_MAP_RUN_H

#include "map/plan.h"

/// Computes the plan over arrays: results first, then the inputs that are arrays, in their order. `scalars` are the
/// bytes of the formula's scalars, two words each. Sizes over 0; the arrays do not overlap where that matters. `range`:
/// which of a call's elements these are, where they are a part of them; NULL: all.
weft_status weft__plan_run(const weft__plan *plan, weft_shape shape, weft_array *const *array, const uint64_t *scalars,
                           const weft__span *range, const char *site);
/// Builds the kernel for contiguous arrays of the inputs' dtypes.
weft_status weft__plan_prepare(const weft__plan *plan, weft_context *context);

#endif
