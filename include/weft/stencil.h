// SPDX-License-Identifier: MIT
/// Expressions of elements and their neighbours.
///
///     rc = weft_stencil(&y, ctx, "x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1] - 4 * x", WEFT_VAR(x));
///     rc = weft_stencil(&y, ctx, "u + rate * (u[-1] - 2 * u + u[1])", WEFT_VAR(u), WEFT_VAR(rate),
///                       WEFT_STENCIL(.mode = WEFT_PAD_EDGE));
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_STENCIL_H
#define WEFT_STENCIL_H

#include <weft/eval.h>
#include <weft/rearrange.h>

WEFT_BEGIN_DECLS

/// Options of weft_stencil, an item of its list: WEFT_STENCIL(.mode = WEFT_PAD_WRAP).
typedef struct weft_stencil_params {
  /* neighbours outside an array, as in weft_pad; scipy.ndimage calls EDGE nearest, REFLECT mirror, SYMMETRIC reflect */
  weft_pad_mode mode;
  weft_scalar value; /* for WEFT_PAD_CONSTANT, in each array's dtype; default zero */
} weft_stencil_params;

/// weft_stencil(&y, context, text, variables...): weft_eval's value, where x[-1, 0] is the element of the variable x at
/// this offset, and i0, i1, ... are the element's indices along the axes. An offset is a whole number in the text, one
/// for each axis, and may exceed the axis. Variables with offsets have the result's shape, others broadcast to it. One
/// kernel; a result that overlaps a variable is written by way of a copy. WEFT_ERROR_EXPRESSION: as for weft_eval.
/// WEFT_ERROR_SHAPE: no variable has axes. WEFT_ERROR_ARGUMENT: a value together with another mode than CONSTANT.
WEFT_API WEFT_NODISCARD weft_status weft_stencil(weft_array **out, weft_context *context, const char *text,
                                                 int variable_count, const weft_operand *variables);
/// In C++17 WEFT_STENCIL(s) with a weft_stencil_params s.
#define WEFT_STENCIL(...) weft__operand_stencil(WEFT__STRUCT(weft_stencil_params, __VA_ARGS__))

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__stencil_at(weft_operand out, weft_context *context, const char *text,
                                                     int variable_count, const weft_operand *variables,
                                                     const char *site);

#define weft_stencil(out, context, ...) \
  weft__stencil_at(WEFT__RESULT(out), (context), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#endif
