// SPDX-License-Identifier: MIT
/// One call of a function over whole arrays, from what the caller wrote to a launch: context, host memory, dtypes,
/// shapes, results, overlap.
#ifndef WEFT_OP_UFUNC_APPLY_H
#define WEFT_OP_UFUNC_APPLY_H

#include "map/function.h"
#include "map/run.h"

/// Applies it: `results` and `operands` as the caller gave them; names are for messages (NULL: a b c d, out). `context`
/// may be NULL.
weft_status weft__apply(const weft__elementwise *function, weft_context *context, const weft_operand *results,
                        const weft_operand *operands, const char *const *result_names, const char *const *operand_names,
                        const char *site);

/// Builds the kernel that it takes for contiguous arrays of these dtypes. `context` is checked.
weft_status weft__apply_prepare(const weft__elementwise *function, weft_context *context, const weft_dtype *inputs);

#endif
