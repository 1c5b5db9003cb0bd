// SPDX-License-Identifier: MIT
/// Expressions: one kernel for a whole formula.
///
///     rc = weft_eval(&y, ctx, "exp(a) * b + k", WEFT_VAR(a), WEFT_VAR(b), WEFT_VAR(k));
///     rc = weft_eval(&y, ctx, "t = a - b; t * t", WEFT_VAR(a), WEFT_VAR(b));
///     rc = weft_eval(&y, ctx, "e = exp(a - max(a, axis=-1)); e / sum(e, axis=-1)", WEFT_VAR(a));
///     rc = weft_eval_all(ctx, "s = sin(a); c = cos(a)", WEFT_VAR(&s), WEFT_VAR(&c), WEFT_VAR(a));
///
/// The language is NumPy's, with Python's precedence (docs/guide.md, "Expressions"): round is NumPy's, weft_round C's.
/// Only the parsed expression reaches the kernel; text is never pasted. A context builds one kernel for each
/// combination of text, dtypes and layouts.
/// WEFT_ERROR_EXPRESSION begins with line and column from 1 ("expr:1:13: ..."); the error's detail marks the place.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_EVAL_H
#define WEFT_EVAL_H

#include <weft/ufunc.h>

WEFT_BEGIN_DECLS

/// weft_eval(&y, context, text, variables...) computes the value of the text's last statement over all variables
/// broadcast together, in one kernel. Reduced values, max(a, axis=-1), are computed before, with length 1 along their
/// axes. Dtypes follow weft/ufunc.h and weft/reduce.h. If no variable has a shape, `out` must have one. A variable that
/// the text does not use is an error. Results among the variables (WEFT_VAR(&s)) are written as by weft_eval_all. A
/// text has at most 65536 bytes and 64 variables. Errors: WEFT_ERROR_EXPRESSION, WEFT_ERROR_OVERFLOW, WEFT_ERROR_AXIS,
/// WEFT_ERROR_UNSUPPORTED: computed in f64, which the device lacks.
WEFT_API WEFT_NODISCARD weft_status weft_eval(weft_array **out, weft_context *context, const char *text,
                                              int variable_count, const weft_operand *variables);
/// weft_eval_all(context, text, variables...) computes several results: each result among the variables (WEFT_VAR(&s))
/// gets the value that the text assigns to its name. All results have the broadcast shape. A name may be both variable
/// and result: the text reads the variable until it assigns the result, as in weft_eval_all(ctx, "v = v + a * dt; x = x
/// + v * dt", WEFT_VAR(&x), WEFT_VAR(&v), WEFT_VAR(x), ...). Errors: WEFT_ERROR_EXPRESSION, WEFT_ERROR_OVERFLOW.
WEFT_API WEFT_NODISCARD weft_status weft_eval_all(weft_context *context, const char *text, int variable_count,
                                                  const weft_operand *variables);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__eval_at(weft_operand out, weft_context *context, const char *text,
                                                  int variable_count, const weft_operand *variables, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__eval_all_at(weft_context *context, const char *text, int variable_count,
                                                      const weft_operand *variables, const char *site);
/// weft_eval of a text that may not reduce.
WEFT_API WEFT_NODISCARD weft_status weft__eval_elements_at(weft_operand out, weft_context *context, const char *text,
                                                           int variable_count, const weft_operand *variables,
                                                           const char *site);

#define weft_eval(out, context, ...) \
  weft__eval_at(WEFT__RESULT(out), (context), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_eval_all(context, ...) \
  weft__eval_all_at((context), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#endif
