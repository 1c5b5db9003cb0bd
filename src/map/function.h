// SPDX-License-Identifier: MIT
/// Functions applied to each element, and their plans for operands of given dtypes.
#ifndef WEFT_MAP_FUNCTION_H
#define WEFT_MAP_FUNCTION_H

#include "map/plan.h"

/// A function to be applied. `build` makes the formula for operands of given dtypes: f->inputs and f->input[] are set; it adds nodes and
/// results, and records an error where there is none for these.
typedef struct weft__map {
  const char *name; /* of kernels and launches: "add" */
  weft__kind kind;
  const void *of; /* what distinguishes it from all others of its kind: this, and the bytes of the key */
  const void *key;
  size_t key_size;
  int results, inputs;
  weft_status (*build)(weft__formula *f, const struct weft__map *function);
  const void *data; /* for build */
} weft__map;

/// The plan of a function, and its formula's numbers.
typedef struct weft__plan_use {
  weft__plan *plan;
  const uint64_t *numbers;
  uint64_t own_numbers[2 * WEFT__MAX_SCALARS]; /* of a plan that was just made */
} weft__plan_use;

/// Finds the plan for these inputs, or makes it.
weft_status weft__map_plan(weft__plan_use *use, const weft__map *function, weft_context *context, const weft__input *input);

#endif
