// SPDX-License-Identifier: MIT
/// Parses the text of an expression into the nodes of a formula.
#ifndef WEFT_EXPR_PARSER_H
#define WEFT_EXPR_PARSER_H

#include "expr/formula.h"

typedef struct weft__expression {
  const char *text;
  const char *const *variable;      /* names of the formula's inputs */
  const weft_dtype *variable_dtype; /* cast to these dtypes; NULL: not cast */
  bool may_ignore;                  /* unused variables are no error */
  bool may_reduce;                  /* max(a, axis=0) is allowed: the caller computes a formula in parts */
  bool keeps_numbers;               /* numbers stay constants, for kernels without scalar arguments */
  bool has_value;                   /* the first result is the last statement's value */
  int results;
  const char *const *result;      /* their names; the first is ignored if has_value */
  const weft_dtype *result_dtype; /* cast to these dtypes; NULL: not cast */
} weft__expression;

/// Adds nodes and results to *f, whose inputs must be set. Errors: WEFT_ERROR_EXPRESSION "expr:LINE:COLUMN: ...",
/// WEFT_ERROR_UNSUPPORTED: the same, where the device lacks fp64. Sets f->failed if host memory runs out. Makes no
/// OpenCL call.
weft_status weft__parse(weft__formula *f, const weft__expression *expression);

#endif
