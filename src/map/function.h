// SPDX-License-Identifier: MIT
/// Elementwise functions, and their plans for given operand dtypes.
#ifndef WEFT_MAP_FUNCTION_H
#define WEFT_MAP_FUNCTION_H

#include "map/plan.h"

/// A function applied to each element. `build` makes its formula for given operand dtypes: f->inputs and f->input[] are
/// set, and it adds nodes and results. It records an error if the function does not accept the dtypes.
typedef struct weft__elementwise {
  const char *name; /* of kernels and launches: "add" */
  weft__key_kind kind;
  const void *owner; /* compared by address; with `key` it identifies the function in its kind (weft__key) */
  const void *key;
  size_t key_size;
  int results, inputs;
  int axes;           /* of a stencil's arrays; 0: no stencil */
  const bool *is_raw; /* inputs that the function indexes itself; NULL: no input is */
  weft_status (*build)(weft__formula *f, const struct weft__elementwise *function);
  const void *data; /* for build */
} weft__elementwise;

/// A function's plan, and the numbers that launches pass for its formula (weft__formula_numbers).
typedef struct weft__plan_use {
  weft__plan *plan;
  const uint64_t *numbers;
  uint64_t own_numbers[2 * WEFT__MAX_SCALARS]; /* used if the plan was just made */
} weft__plan_use;

/// Finds or makes the plan for these inputs.
weft_status weft__plan_get(weft__plan_use *use, const weft__elementwise *function, weft_context *context,
                           const weft__input *input);

#endif
