// SPDX-License-Identifier: MIT
/// Products of matrices.
///
///     rc = weft_matmul(&y, a, b);                                              y = a @ b, as in NumPy
///     rc = weft_matmul(&y, a, b, .scale = WEFT_SCALAR(2.0), .accumulate = WEFT_SCALAR(1.0));     y = 2 a @ b + y
///     rc = weft_matmul(&y, a16, b16, .dtype = WEFT_F32);                       f16 operands, f32 result
///     rc = weft_matmul(&y, a, b, .epilogue = WEFT_EPILOGUE("maximum(value + bias, 0)", WEFT_VAR(bias)));
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_MATMUL_H
#define WEFT_MATMUL_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- weft_matmul ----
   The dtype is the one to which both operands promote, or .dtype, to which the operands are cast, same-kind
   (WEFT_ERROR_DTYPE). Integers wrap; of bools the sum is or and the product and. f16 and bf16 are multiplied and added
   in f32 and rounded once, at the end. The order of additions depends on shapes, strides, dtypes and device only: every
   run gives the same bits.

   Operands may be views with any strides, and are not copied if their elements begin at multiples of their size. (On
   NVIDIA GPUs, large products of 8-bit integers, and of f32 with a lower .precision, copy both to scratch memory.)
   `out` may share memory with an operand, which costs a temporary array.

   .scale and .accumulate have the dtype of the product (of f16 and bf16: f32). WEFT_ERROR_OVERFLOW, WEFT_ERROR_DTYPE:
   the dtype cannot hold them. .accumulate needs a given `out` (WEFT_ERROR_ARGUMENT), which may be in host memory, and
   whose elements are cast to the product's dtype, same-kind (WEFT_ERROR_DTYPE).

   .epilogue is an expression of `value` and of variables that broadcast to the result's shape (docs/guide.md,
   "Expressions"). The kernel of the product computes it in its store. `value` has the product's dtype (of f16 and bf16:
   f32), and the expression's value is cast to it, same-kind. At most 6 variables are arrays. WEFT_ERROR_EXPRESSION: as
   for weft_eval; there is no `i` and no `n`. */

/// How exactly weft_matmul multiplies f32 numbers. Other dtypes ignore it. A lower precision is a permission: a device
/// without faster instructions for it computes f32 exactly.
typedef enum weft_precision {
  WEFT_PRECISION_EXACT = 0, /* products of f32 numbers, added with fused multiply-adds in f32 */
  WEFT_PRECISION_F32,       /* three products of tf32 numbers for each: errors are no larger than EXACT's */
  WEFT_PRECISION_TF32,      /* operands rounded to tf32, which has 10 stored bits of the significand */
} weft_precision;

#define WEFT_PRECISION_COUNT 3 /* valid values are 0 to WEFT_PRECISION_COUNT - 1 */

/// A formula for each element of a product, computed before the element is stored: WEFT_EPILOGUE makes it.
typedef struct weft_epilogue {
  const char *text; /* NULL: no epilogue */
  int variable_count;
  const weft_operand *variables;
} weft_epilogue;

/// Options of weft_matmul.
typedef struct weft_matmul_params {
  weft_scalar scale;      /* the product is multiplied with it; without a dtype: 1 */
  weft_scalar accumulate; /* the old result, multiplied with it, is added; without a dtype: 0, the result is not read */
  weft_dtype dtype;       /* as numpy.matmul's: the operands are cast to it, same-kind; default: they promote */
  weft_precision precision;
  weft_epilogue epilogue;
  const char *site; /* set by the macro */
} weft_matmul_params;

/// The matrix product epilogue(scale * a @ b + accumulate * out), with numpy.matmul's rules for shapes: operands of two
/// axes are matrices; of more axes, stacks of matrices in the last two, which broadcast along the others; an `a` of one
/// axis is a row and a `b` of one axis a column, without an axis in the result. Empty sums are 0. Errors:
/// WEFT_ERROR_SHAPE (an operand without axes, inner lengths that differ), WEFT_ERROR_DTYPE, WEFT_ERROR_OVERFLOW,
/// WEFT_ERROR_EXPRESSION.
WEFT_API WEFT_NODISCARD weft_status weft_matmul(weft_array **out, const weft_array *a, const weft_array *b,
                                                const weft_matmul_params *params);

/// WEFT_EPILOGUE("text", variables...): an epilogue. Variables are WEFT_VAR(x) or WEFT_NAMED("x", ...). In C++ its list
/// ends with the statement: a weft_matmul_params that lives longer needs an array of variables in `variables`.
#define WEFT_EPILOGUE(...) WEFT__EPILOGUE(WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__))

/* ---- behind the functions ---- */

#ifdef __cplusplus
inline weft_epilogue weft__epilogue(const char *text, int variable_count, const weft_operand *variables) {
  weft_epilogue epilogue;
  epilogue.text = text;
  epilogue.variable_count = variable_count;
  epilogue.variables = variables;
  return epilogue;
}
#define WEFT__EPILOGUE(...) weft__epilogue(__VA_ARGS__)
#else
#define WEFT__EPILOGUE(...) ((weft_epilogue){__VA_ARGS__})
#endif

WEFT_API WEFT_NODISCARD weft_status weft__matmul_at(weft_operand out, weft_operand a, weft_operand b,
                                                    const weft_matmul_params *params);

#define weft_matmul(out, a, ...)                                                                \
  weft__matmul_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_matmul_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
