// SPDX-License-Identifier: MIT
/// One call of a function over whole arrays, from the caller's operands to a launch: context, host memory, dtypes,
/// shapes, results, overlap.
#ifndef WEFT_OP_UFUNC_APPLY_H
#define WEFT_OP_UFUNC_APPLY_H

#include "map/function.h"
#include "map/run.h"

/// Applies `function` to the caller's `results` and `operands`. Names are for messages (NULL: a b c d, out). `context`
/// may be NULL.
weft_status weft__apply(const weft__elementwise *function, weft_context *context, const weft_operand *results,
                        const weft_operand *operands, const char *const *result_names, const char *const *operand_names,
                        const char *site);

/// A plan and the operands of its inputs.
typedef struct weft__plan_call {
  weft__plan *plan;
  const uint64_t *numbers; /* weft__formula_numbers */
  weft_context *context;
  int inputs;
  const weft_operand *operand;
  const char *const *name; /* of the operands, for messages */
  const char *site;
} weft__plan_call;

/// Computes a plan that has no raw inputs.
weft_status weft__apply_plan(const weft__plan_call *p, int results, const weft_operand *result,
                             const char *const *result_names);

/// Builds the kernel of `function` for contiguous arrays of these dtypes. `context` must be checked.
weft_status weft__apply_prepare(const weft__elementwise *function, weft_context *context, const weft_dtype *inputs);

#endif
