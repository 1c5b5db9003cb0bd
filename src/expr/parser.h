// SPDX-License-Identifier: MIT
/// From the text of an expression to the nodes of a formula.
#ifndef WEFT_EXPR_PARSER_H
#define WEFT_EXPR_PARSER_H

#include "expr/formula.h"

typedef struct weft__expression {
  const char *text;
  const char *const *variable;      /* names of the formula's inputs */
  const weft_dtype *variable_dtype; /* what they are cast to; NULL: as they are */
  bool may_ignore;                  /* variables that the text does not use are no mistake */
  bool keeps_numbers;               /* numbers stay constants: its kernel takes no scalars */
  bool has_value;                   /* the first result is the last statement's value */
  int results;
  const char *const *result;      /* names, has_value's not looked at */
  const weft_dtype *result_dtype; /* what the results are cast to; NULL: as they are */
} weft__expression;

/// Adds nodes and results to *f, whose inputs are set. Errors: WEFT_ERROR_EXPRESSION "expr:LINE:COLUMN: ...". Where the
/// host has no memory f->failed is set. Makes no OpenCL call.
weft_status weft__parse(weft__formula *f, const weft__expression *expression);

#endif
