// SPDX-License-Identifier: MIT
/// The arguments of a call with an expression, sorted: shared by weft_eval and weft_stencil.
#ifndef WEFT_OP_UFUNC_EVAL_H
#define WEFT_OP_UFUNC_EVAL_H

#include <weft/stencil.h>

#include "call/call.h"
#include "map/function.h"

typedef struct weft__evaluation {
  const char *text;
  bool has_value;
  bool is_elementwise; /* the text may not reduce */
  int results, variables;
  weft_operand result[WEFT_MAX_OPERANDS], variable[WEFT_MAX_OPERANDS];
  const char *result_name[WEFT_MAX_OPERANDS], *variable_name[WEFT_MAX_OPERANDS];
  const weft_stencil_params *how; /* of a stencil; NULL: it may not have this item */
} weft__evaluation;

/// Sorts the caller's arguments. e->how and e->is_elementwise must be set. `out`: receives the value of the text's last
/// statement; NULL: the text assigns all results.
weft_status weft__evaluation_set(weft__evaluation *e, const weft_operand *out, const char *text, int count,
                                 const weft_operand *operands);
/// Describes the expression as a function, and calls `apply_to` with it.
typedef weft_status weft__evaluation_apply(const weft__elementwise *function, const weft__evaluation *e,
                                           weft_context *context, const char *site);
weft_status weft__evaluation_run(const weft__evaluation *e, weft__evaluation_apply *apply_to, weft_context *context,
                                 const char *site);

#endif
