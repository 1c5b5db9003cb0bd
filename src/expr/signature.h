// SPDX-License-Identifier: MIT
/// The signatures of a user's function: "f32(f32 x, f32 y); (f64 s, f64 c)(f64 x)"; in a body's also "f32(raw f32 t)".
#ifndef WEFT_EXPR_SIGNATURE_H
#define WEFT_EXPR_SIGNATURE_H

#include "expr/overload.h"

#define WEFT__LONGEST_NAME 64
#define WEFT__MOST_SIGNATURES 256

typedef struct weft__signature_row {
  uint8_t result[WEFT_MAX_OPERANDS], parameter[WEFT_MAX_OPERANDS]; /* weft_dtype */
} weft__signature_row;

typedef struct weft__signatures {
  int results, parameters, count;
  char result_name[WEFT_MAX_OPERANDS][WEFT__LONGEST_NAME]; /* "" if the only result has no name */
  char parameter_name[WEFT_MAX_OPERANDS][WEFT__LONGEST_NAME];
  bool is_raw[WEFT_MAX_OPERANDS]; /* the parameter is an array that the body indexes itself; in all rows */
  weft__signature_row *row;       /* in the order they are tried */
} weft__signatures;

/// Parses the text. With `for_source`, names must be valid variable names in OpenCL C. Errors: WEFT_ERROR_EXPRESSION
/// "signatures:LINE:COLUMN: ...", WEFT_ERROR_HOST_MEMORY. The caller frees *signatures in any case.
weft_status weft__signatures_parse(weft__signatures *signatures, const char *text, bool for_source);
void weft__signatures_free(weft__signatures *signatures);
/// Appends one signature in the syntax of the text.
void weft__signature_describe(weft__text *text, const weft__signatures *signatures, int row);

#endif
