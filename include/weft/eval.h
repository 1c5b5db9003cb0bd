// SPDX-License-Identifier: MIT
/// Expressions: one kernel for a whole formula.
///
///     rc = weft_eval(&y, ctx, "exp(a) * b + k", WEFT_VAR(a), WEFT_VAR(b), WEFT_VAR(k));
///     rc = weft_eval(&y, ctx, "t = a - b; t * t", WEFT_VAR(a), WEFT_VAR(b));
///     rc = weft_eval_all(ctx, "s = sin(a); c = cos(a)", WEFT_VAR(&s), WEFT_VAR(&c), WEFT_VAR(a));
///
/// The language is NumPy's: numbers (1, 0x1f, 0b101, 2.5, 1e-3, 2j), names, + - * / // % **, unary + - ~, << >> & ^ |,
/// comparisons (chained ones too: 0 <= a < 1), `and` `or` `not` (as logical_and, ...), `x if c else y` (as where(c, x,
/// y)), parentheses, with Python's precedence; calls of the built-in ufuncs by name (weft/ufuncs.h, also NumPy's other
/// names such as arcsin, power, true_divide), min and max of two values and more (as minimum, maximum), casts by dtype
/// name (f32(a), i64(a)), and the constants pi, e, inf, nan, true, false. `i` is the index of the element in the
/// result, in row-major order, and `n` the number of elements (both i64), unless a variable has that name; as in CuPy's
/// ElementwiseKernel. Statements are separated by `;` or a new line; `name = expression` names an intermediate value,
/// `q, r = divmod(a, b)` the results of a function that has two. In parentheses a line may end. Comments run from `#`
/// to the end of the line. Numbers are weak as C scalars are; arithmetic among numbers alone is Python's, in i64, f64
/// and c128, and an error where i64 does not hold the result. Each operation follows the promotion of weft/ufunc.h and
/// gives the bits that the function of that name gives, but that x ** 2 is square(x), and that narrow floats are
/// rounded once, at the end.
///
/// One kernel is built for each combination of text, dtypes and layouts, and kept in the context. Texts that differ
/// only in numbers share a kernel: numbers are kernel arguments, except divisors of // and %, exponents of
/// integers, and all after the first 32 numbers and C scalars. A context remembers 1024 texts with numbers, and parses
/// further ones in each call. Only the parsed expression reaches the kernel; text is never pasted.
/// Errors (WEFT_ERROR_EXPRESSION) begin with line and column, "expr:1:13: ..." (in characters, from 1); the error's
/// detail has the line with a mark under the place. A text has up to 65536 bytes.
#ifndef WEFT_EVAL_H
#define WEFT_EVAL_H

#include <weft/ufunc.h>

WEFT_BEGIN_DECLS

/// weft_eval(&y, context, text, variables...): the value of the text's last statement, over all variables broadcast
/// together, in one kernel. Everything said in weft/ufunc.h of shapes, dtypes, results and blocking holds. With no
/// variable that has a shape, *out must be an array. `context` may be NULL. A variable that the text does not use is an
/// error. Results among the variables (WEFT_VAR(&s)) are filled as by weft_eval_all. Errors: WEFT_ERROR_EXPRESSION,
/// WEFT_ERROR_ARGUMENT, and those of weft/ufunc.h.
WEFT_API WEFT_NODISCARD weft_status weft_eval(weft_array **out, weft_context *context, const char *text,
                                              int variable_count, const weft_operand *variables);
/// weft_eval_all(context, text, variables...): several results; each variable that is a result (WEFT_VAR(&s)) takes the
/// value that the text assigns to its name. All results have the broadcast shape. A name may be a variable and a
/// result: the text reads the variable until it assigns the result, as in weft_eval_all(ctx, "v = v + a * dt; x = x + v
/// * dt", WEFT_VAR(&x), WEFT_VAR(&v), WEFT_VAR(x), ...).
WEFT_API WEFT_NODISCARD weft_status weft_eval_all(weft_context *context, const char *text, int variable_count,
                                                  const weft_operand *variables);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__eval_at(weft_operand out, weft_context *context, const char *text,
                                                  int variable_count, const weft_operand *variables, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__eval_all_at(weft_context *context, const char *text, int variable_count,
                                                      const weft_operand *variables, const char *site);

#define weft_eval(out, context, ...) \
  weft__eval_at(WEFT__RESULT(out), (context), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_eval_all(context, ...) \
  weft__eval_all_at((context), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#endif
