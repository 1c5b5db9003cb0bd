// SPDX-License-Identifier: MIT
/// Elementwise functions, and their plans for operands of given dtypes.
#ifndef WEFT_MAP_FUNCTION_H
#define WEFT_MAP_FUNCTION_H

#include "map/plan.h"

/// A function that is applied to each element. `build` makes its formula for operands of given dtypes: it finds
/// f->inputs and f->input[] set, adds nodes and results, and records an error where the function takes no such dtypes.
typedef struct weft__elementwise {
  const char *name; /* of kernels and launches: "add" */
  weft__key_kind kind;
  const void *owner; /* compared by address; it and the bytes of `key` distinguish the function from all others of its
                        kind: weft__key */
  const void *key;
  size_t key_size;
  int results, inputs;
  weft_status (*build)(weft__formula *f, const struct weft__elementwise *function);
  const void *data; /* for build */
} weft__elementwise;

/// A function's plan, and the numbers that launches pass for its formula (weft__formula_numbers).
typedef struct weft__plan_use {
  weft__plan *plan;
  const uint64_t *numbers;
  uint64_t own_numbers[2 * WEFT__MAX_SCALARS]; /* `numbers` points here when the plan was just made */
} weft__plan_use;

/// Finds the plan for these inputs, or makes it.
weft_status weft__plan_get(weft__plan_use *use, const weft__elementwise *function, weft_context *context,
                           const weft__input *input);

#endif
