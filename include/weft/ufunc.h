// SPDX-License-Identifier: MIT
/// Functions over whole arrays, element by element: the built-in ones (listed in weft/ufuncs.h) and the user's own.
///
///     rc = weft_multiply(&y, x, 2.0f);       a new array, if y is NULL; a C scalar is an operand
///     rc = weft_add(&y, y, x);               in place, no allocation
///     rc = weft_divmod(&q, &r, a, b);        two results, which must not overlap (WEFT_ERROR_LAYOUT)
///
/// Integers wrap around; integer division by 0 gives 0. Narrow floats (f16, bf16) are computed in f32 and rounded once.
/// Complex division, powers and functions give NumPy's results.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_UFUNC_H
#define WEFT_UFUNC_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- shapes and dtypes of the functions over whole arrays, weft_eval included ----
   Shapes broadcast as in NumPy, up to 8 axes: aligned at the last axis, axes of length 1 repeated. If all operands are
   scalars, a given result determines the shape; without one the result has one element and no axes. WEFT_ERROR_SHAPE:
   the operands do not broadcast.

   Dtypes promote as in NumPy 2. C scalars are weak (NEP 50): they take the arrays' dtype if their kind fits (i8 array
   + 1 is i8, i32 array * 2.5 is f64). An integer that this dtype cannot hold is WEFT_ERROR_OVERFLOW, except in
   comparisons (beyond all elements), as a bound of weft_clip that limits no element, in weft_where (wraps around) and
   in logical functions (not zero). The function uses its first signature to which all operands can be cast safely
   (weft_ufunc_builtin_signatures lists them). WEFT_ERROR_DTYPE: none fits. */

#define WEFT_MAX_OPERANDS 72 /* of one call, including results: a text may have 64 variables */

/// A function over whole arrays, made by the user.
typedef struct weft_ufunc weft_ufunc;

/// The number of a built-in function: WEFT_UFUNC_ADD and so on (weft/ufuncs.h). Zero is not a function.
typedef int weft_ufunc_id;

/// Calls the built-in function `id`. `operands` has its results, then its operands; `operand_count` counts both.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_apply(weft_ufunc_id id, int operand_count, const weft_operand *operands);

/// Options of weft_ufunc_create. `signatures` and either `expression` or `source` are required.
typedef struct weft_ufunc_params {
  const char *name; /* in messages; default "ufunc" */
  /* "f32(f32 x, f32 y); f64(f64 x, f64 y)"; several results: "(f32 s, f32 c)(f32 x)". NumPy's dtype names work too.
     Unnamed parameters are a, b, c, d, p5, p6, ..., unnamed results out, out2, ..., or the next free name of these. */
  const char *signatures;
  const char *expression; /* "x + y"; for several results "s = sin(x); c = cos(x)" */
  /* the body of a function in OpenCL C: "return x + y;"; for several results "*s = sin(x); *c = cos(x);". f16 and bf16
     are float, bool is uchar, complex numbers are weft_c64 and weft_c128 (fields re, im). A parameter `raw f32 t` is a
     whole array that the body indexes: `t` is a pointer to its elements in row-major order, `t_size` their number; the
     array does not broadcast. With it `i` is the number of the element, `n` the number of elements. */
  const char *source;
  const char *preamble; /* with a source: OpenCL C in front of its function, such as functions that the body calls */
  const char *site;     /* set by the macro */
} weft_ufunc_params;

/// Makes a function from its signatures and an expression or a body in OpenCL C. *out must be NULL; no context is
/// needed. Names of parameters and results must be the same in all signatures. An expression is checked here for every
/// signature: WEFT_ERROR_EXPRESSION has the place ("signatures:1:13: ...", "expr:1:5: ..."). Its value is cast to the
/// signature's result where that is same-kind. A body is compiled when first used in a context, or by
/// weft_ufunc_prepare; then WEFT_ERROR_BUILD is possible, with lines counted in the body ("source:2:5: ...").
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_create(weft_ufunc **out, const weft_ufunc_params *params);
/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_ufunc *weft_ufunc_retain(weft_ufunc *ufunc);
/// Drops a reference and sets *ufunc to NULL. NULL is allowed. Kernels built for the function stay in the contexts'
/// caches.
WEFT_API void weft_ufunc_release(weft_ufunc **ufunc);

/// weft_ufunc_call(ufunc, &out, x, y) calls a function: results first, then operands. It uses the first signature to
/// which all operands can be cast safely, not in the order written but in NumPy's order of types (bool, i8, u8, ...
/// f64, c64, c128 of the first parameter, then of the second ...). Next to arrays a C scalar fits every parameter of
/// its kind or a higher one (integer, float, complex). Signatures with f64 or c128 are skipped on devices without fp64.
/// Errors: WEFT_ERROR_DTYPE and WEFT_ERROR_UNSUPPORTED (no signature fits, none without fp64), WEFT_ERROR_BUILD.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_call(const weft_ufunc *ufunc, int operand_count,
                                                    const weft_operand *operands);

/// Builds the kernels of all signatures for contiguous arrays, so that the first call builds none. Blocks. Signatures
/// with f64 or c128 are skipped on devices without fp64. Errors: WEFT_ERROR_BUILD.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_prepare(const weft_ufunc *ufunc, weft_context *context);

/// Lists the signatures of a function, one per line, in the order they are tried: "f32(f32 x, f32 y)\n". Behind a
/// signature used in `context` stands " # " and the number of kernels built for it. NULL is the default context if
/// there is one; this call makes none.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_signatures(char **text, const weft_ufunc *ufunc, weft_context *context);
/// Lists the signatures of a built-in function, as weft_ufunc_signatures does.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_builtin_signatures(char **text, weft_ufunc_id id, weft_context *context);
/// Returns the name of a built-in function, such as "add"; NULL for any other number.
WEFT_API const char *weft_ufunc_name(weft_ufunc_id id);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__ufunc_apply_at(weft_ufunc_id id, int operand_count,
                                                         const weft_operand *operands, const char *site);
#define weft_ufunc_apply(id, operand_count, operands) weft__ufunc_apply_at((id), (operand_count), (operands), WEFT_SITE)

WEFT_API WEFT_NODISCARD weft_status weft__ufunc_create_at(weft_ufunc **out, const weft_ufunc_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ufunc_call_at(const weft_ufunc *ufunc, int operand_count,
                                                        const weft_operand *operands, const char *site);
#define weft_ufunc_create(...)                                             \
  weft__ufunc_create_at(WEFT__PLACE(weft_ufunc, WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_ufunc_params, __VA_ARGS__))
#define weft_ufunc_call(ufunc, ...) \
  weft__ufunc_call_at((ufunc), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#include <weft/ufuncs.h>

#endif
