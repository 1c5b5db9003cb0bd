// SPDX-License-Identifier: MIT
/// One call of a function over whole arrays, from what the caller wrote to a launch: context, host memory, dtypes, shapes, results, overlap.
#ifndef WEFT_OP_UFUNC_APPLY_H
#define WEFT_OP_UFUNC_APPLY_H

#include "map/run.h"

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

/// Applies it: `results` and `operands` as the caller gave them; names are for messages (NULL: a b c d, out). `context` may be NULL.
weft_status weft__apply(const weft__map *function, weft_context *context, const weft_operand *results, const weft_operand *operands,
                        const char *const *result_names, const char *const *operand_names, const char *site);

/// Builds the kernel that it takes for contiguous arrays of these dtypes. `context` is checked.
weft_status weft__apply_prepare(const weft__map *function, weft_context *context, const weft_dtype *inputs);

#endif
