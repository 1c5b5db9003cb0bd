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
  weft_operand *result, *variable; /* with room for all that the caller may give */
  const char **result_name, **variable_name;
  const weft_stencil_params *how; /* of a stencil; NULL: it may not have this item */
} weft__evaluation;

/// Room for the most results and variables. It is large: callers take it from base/scratch.h.
typedef struct weft__evaluation_room {
  weft_operand result[WEFT_MAX_OPERANDS], variable[WEFT_MAX_OPERANDS];
  const char *result_name[WEFT_MAX_OPERANDS], *variable_name[WEFT_MAX_OPERANDS];
} weft__evaluation_room;

/// An evaluation of as many as there is room for.
static inline weft__evaluation weft__evaluation_in(weft__evaluation_room *room) {
  return (weft__evaluation){.result = room->result,
                            .variable = room->variable,
                            .result_name = room->result_name,
                            .variable_name = room->variable_name};
}

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
