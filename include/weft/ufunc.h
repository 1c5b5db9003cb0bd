// SPDX-License-Identifier: MIT
/// Functions over whole arrays, element by element: the built-in ones (their list is weft/ufuncs.h, one macro each) and
/// the user's own.
///
///     weft_array *y = NULL;
///     rc = weft_multiply(&y, x, 2.0f);                       a new array; a C scalar is an operand
///     rc = weft_add(&y, y, x);                               in place, no allocation
///     rc = weft_divmod(&q, &r, a, b);                        two results
///     rc = weft_sqrt(WEFT_HOST_OUT(host, WEFT_F32, shape), x);   the result to host memory; blocks
///
/// Operands are arrays, C scalars and host memory (WEFT_HOST); results come first. Where all are scalars, a result that
/// is given says the shape; a new one has no axes, one element. What follows holds for every function over whole
/// arrays, weft_eval included.
///
/// Shapes: NumPy's broadcasting, up to 8 axes: aligned at the last axis, an axis of length 1 is repeated. Dtypes: NumPy
/// 2's promotion. Arrays and host memory have their dtype, C scalars are weak (NEP 50): a C integer, float or complex
/// takes the arrays' dtype where its kind fits in (i8 array + 1 is i8, i32 array * 2.5 is f64), and an integer that
/// this dtype cannot hold is WEFT_ERROR_OVERFLOW, but for comparisons, where it is beyond all elements. Then the first
/// signature of the function is taken that all operands can be cast to safely (weft_ufunc_signatures lists them, in
/// that order). Integers wrap around; division by zero of integers gives 0. Narrow floats are computed in f32 and
/// rounded once. Complex division, powers and functions are NumPy's. Results: *out NULL makes a contiguous array with
/// the result's dtype; else it must have exactly the broadcast shape, may have any strides, and the result is cast to
/// its dtype where NumPy calls that same-kind (f64 to f32, not f32 to i32). It may be one of the operands, or overlap
/// them: the result is as if they had been read first. Two results must not overlap. Host memory as an operand is
/// copied to the device (the six steps of a call with host arrays are allocate, copy in, build, launch, copy back,
/// return: WEFT_TRACE=1 shows each); weft_usage_get counts such copies. PoCL is given 1 MiB and more where it is, as
/// operand and as result: no copy, and the call waits for the device. Context: that of the array operands and results,
/// which must be one; with none, the thread's default context. Blocking: does not wait, but for a result in host
/// memory, and while the kernel for this combination of dtypes and layouts is built, the first time it is used in a
/// context.
/// Errors: WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_OVERFLOW, WEFT_ERROR_LAYOUT (a result that is a broadcast
/// view, two results that overlap), WEFT_ERROR_READ_ONLY, WEFT_ERROR_CONTEXT, WEFT_ERROR_UNSUPPORTED (f64 without
/// fp64), WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_LOST,
/// WEFT_ERROR_CLOSED. On failure results are as they were (a result of 1 MiB and more in host memory may be written in
/// part), and *out that was NULL is NULL.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_UFUNC_H
#define WEFT_UFUNC_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

#define WEFT_MAX_OPERANDS 24 /* of one call, results included */

typedef struct weft_ufunc weft_ufunc;

/// The built-in functions, in weft/ufuncs.h: WEFT_UFUNC_ADD and so on. Zero is none.
typedef int weft_ufunc_id;

/// A built-in function by its number, with a list of its results and then its operands.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_apply(weft_ufunc_id id, int operand_count, const weft_operand *operands);

/// Options of weft_ufunc_create; `signatures` and one of the texts must be given.
typedef struct weft_ufunc_params {
  const char *name; /* in messages; default "ufunc" */
  const char
      *signatures; /* "f32(f32 x, f32 y); f64(f64 x, f64 y)": result types, then typed parameters. Several results:
                      "(f32 s, f32 c)(f32 x)". NumPy's dtype names work too: "float32(float32, float32)". Unnamed
                      parameters are called a, b, c, d, p5, p6 ..., unnamed results out, out2 ..., or the next such name
                      that is free */
  const char *expression; /* as for weft_eval, of the parameters' names: "x + y"; with several results "s = sin(x); c =
                             cos(x)"; or */
  const char *source;     /* the body of a function in OpenCL C, with the parameters as variables: "return x + y;" (one
                         result), or with several results assignments to them: "*s = sin(x); *c = cos(x);" */
  const char *site;       /* set by the macro */
} weft_ufunc_params;

/// Makes a function from an expression or a body in OpenCL C, and the signatures it has. *out must be NULL. Parameter
/// names must be the same in every signature, and so those of several results. Among the signatures the first is taken
/// that all operands can be cast to safely, tried in NumPy's order of types (bool, i8, u8, ... f64, c64, c128 of the
/// first parameter, then of the second ...), not in the order written; beside arrays a C scalar fits every parameter of
/// its kind or a greater one (integer, float, complex). Signatures with f64 or c128 are passed over on devices without
/// fp64. An expression is checked here, for every signature: WEFT_ERROR_EXPRESSION points into it ("signatures:1:13:
/// ...", "expr:1:5: ..."); its value is cast to the signature's result where that is same-kind. A body in OpenCL C is
/// compiled when it is first used in a context, or by weft_ufunc_prepare; WEFT_ERROR_BUILD then, with lines counted in
/// the body ("source:2:5: ..."). It is the caller's own code: it runs as written. In it narrow floats are float and
/// bool uchar; complex numbers are weft_c64 and weft_c128 of cl/math/complex.clh. Functions made of the same name and
/// texts share their kernels. Does not need a context. Strings are copied. Errors: WEFT_ERROR_ARGUMENT,
/// WEFT_ERROR_EXPRESSION, WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_create(weft_ufunc **out, const weft_ufunc_params *params);
/// Adds a reference and returns its argument. NULL is fine. Thread: any.
WEFT_API weft_ufunc *weft_ufunc_retain(weft_ufunc *ufunc);
/// Drops a reference and sets *ufunc to NULL. NULL is fine. What was built of it stays in the contexts' caches. Thread:
/// any.
WEFT_API void weft_ufunc_release(weft_ufunc **ufunc);

/// weft_ufunc_call(ufunc, &out, x, y): results first, as many as the signatures have, then operands.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_call(const weft_ufunc *ufunc, int operand_count,
                                                    const weft_operand *operands);

/// Builds the kernels of all signatures for contiguous arrays, so that the first call need not. Blocks. `context` NULL:
/// the default one.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_prepare(const weft_ufunc *ufunc, weft_context *context);

/// The signatures of a function, one per line, in the order they are tried: "f32(f32 x, f32 y)\n". Those that were used
/// in `context` (NULL: the default one, if there is one) are followed by " # " and how many kernels were built of them.
/// Free *text with weft_free.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_signatures(char **text, const weft_ufunc *ufunc, weft_context *context);
/// The same for a built-in one.
WEFT_API WEFT_NODISCARD weft_status weft_ufunc_builtin_signatures(char **text, weft_ufunc_id id, weft_context *context);
/// "add"; NULL for a number that is no function. Thread: any.
WEFT_API const char *weft_ufunc_name(weft_ufunc_id id);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__ufunc_apply_at(weft_ufunc_id id, int operand_count,
                                                         const weft_operand *operands, const char *site);
#define weft_ufunc_apply(id, operand_count, operands) weft__ufunc_apply_at((id), (operand_count), (operands), WEFT_SITE)

WEFT_API WEFT_NODISCARD weft_status weft__ufunc_create_at(weft_ufunc **out, const weft_ufunc_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ufunc_call_at(const weft_ufunc *ufunc, int operand_count,
                                                        const weft_operand *operands, const char *site);
#define weft_ufunc_create(...) \
  weft__ufunc_create_at(WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_ufunc_params, __VA_ARGS__))
#define weft_ufunc_call(ufunc, ...) \
  weft__ufunc_call_at((ufunc), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#include <weft/ufuncs.h>

#endif
