// SPDX-License-Identifier: MIT
/// Functions that are applied to each element (weft__map), and their plans for operands of given dtypes.
#ifndef WEFT_MAP_FUNCTION_H
#define WEFT_MAP_FUNCTION_H

#include "map/plan.h"

/// A function to be applied. `build` makes its formula for operands of given dtypes: it finds f->inputs and f->input[] set, adds nodes and
/// results, and records an error where the function takes no such dtypes.
typedef struct weft__map {
  const char *name; /* of kernels and launches: "add" */
  weft__key_kind kind;
  const void *owner; /* `owner` (compared by address) and the bytes of `key` distinguish it from all others of its kind: weft__key */
  const void *key;
  size_t key_size;
  int results, inputs;
  weft_status (*build)(weft__formula *f, const struct weft__map *function);
  const void *data; /* for build */
} weft__map;

/// A function's plan, and the numbers that launches pass for its formula (weft__formula_numbers).
typedef struct weft__plan_use {
  weft__plan *plan;
  const uint64_t *numbers;
  uint64_t own_numbers[2 * WEFT__MAX_SCALARS]; /* `numbers` points here when the plan was just made */
} weft__plan_use;

/// Finds the plan for these inputs, or makes it.
weft_status weft__map_plan(weft__plan_use *use, const weft__map *function, weft_context *context, const weft__input *input);

#endif
