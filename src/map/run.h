// SPDX-License-Identifier: MIT
/// Runs a plan: gets its kernel for the arrays' layouts and launches it.
#ifndef WEFT_MAP_RUN_H
#define WEFT_MAP_RUN_H

#include "map/plan.h"
#include "store/kernel_set.h"

/// What a launch computes: noted by recordings (record/fuse.c).
typedef struct weft__map_run {
  const weft__plan *plan;
  weft_shape shape;
  weft_array *const *array; /* as of weft__plan_run */
  const uint64_t *scalars;
} weft__map_run;

/// A launch with its arguments. It is large: callers take it from base/scratch.h.
typedef struct weft__map_launch {
  weft__kernel_run run;
  weft__layout layout;
  weft__kernel_choice choice;
  weft__map_args args;
  weft__use use[WEFT__MAX_ARRAYS];
  int array[WEFT__MAX_ARRAYS]; /* by use: its number among the arrays */
} weft__map_launch;

/// Computes the plan over arrays: results first, then the array inputs in order. `scalars` holds the bytes of the
/// formula's scalars, two words each. Sizes must be over 0, and arrays must not overlap in a way that changes results.
/// `range`: the part of a call's elements to compute; NULL: all.
weft_status weft__plan_run(const weft__plan *plan, weft_shape shape, weft_array *const *array, const uint64_t *scalars,
                           const weft__span *range, const char *site);
/// Prepares weft__plan_run: `launch`, which must stay where it is, holds all but the arrays' storages.
weft_status weft__plan_launch(weft__map_launch *launch, const weft__map_run *map, const weft__span *range,
                              const char *site);
/// Builds the kernel for contiguous arrays of the inputs' dtypes.
weft_status weft__plan_prepare(const weft__plan *plan, weft_context *context);

#endif
