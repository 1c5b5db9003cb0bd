// SPDX-License-Identifier: MIT
/// The reductions by name, and how a text writes one: max(a, axis=-1).
#ifndef WEFT_EXPR_REDUCTION_H
#define WEFT_EXPR_REDUCTION_H

#include "expr/lexer.h"
#include "expr/reduction_table.h"

/// How the public function is called: "weft_sum". Behind the prefix is the name in texts and of launches.
const char *weft__reduction_function(weft_reduction_id id);
#define WEFT__REDUCTION_PREFIX 5
/// WEFT_REDUCE_DEFAULT: no reduction has this name.
weft_reduction_id weft__reduction_find(const char *name, size_t length);

/// A reduction of a text, with the axes kept at length 1.
typedef struct weft__text_reduction {
  weft_reduction_id id;
  weft_axes axes;
  double ddof;
} weft__text_reduction;

/// Whether the operands of a call end here: with `)` or with a keyword, `, axis=`.
bool weft__operands_end(const weft__lexer *lexer);
/// Reads the keywords behind the value that is reduced, and the `)`. how->id must be set. False: an error is recorded.
bool weft__read_reduction(weft__lexer *lexer, weft__text_reduction *how);

#endif
