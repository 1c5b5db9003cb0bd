// SPDX-License-Identifier: MIT
/// Reductions of an array along some or all of its axes: sums, extremes, means, variances, norms, inner products.
///
///     rc = weft_sum(&total, x, WEFT_ALL_AXES);                      no axes: one element
///     rc = weft_var(&columns, x, 0, .ddof = 1);
///     rc = weft_mean(&plane, x, weft_keepdims(WEFT_AXES(0, 2)));
///     rc = weft_reduce(&inside, ctx, "x*x + y*y <= 1", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y));   no temporary
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_REDUCE_H
#define WEFT_REDUCE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- shapes, dtypes, NaN and accuracy of all reductions ----
   Shapes: the result has x's shape without the reduced axes (weft_keepdims: with length 1 there). A reduction of no
   elements gives 0 for sums, counts, norms and dot, 1 for products, false for any, true for all, NaN for mean, var and
   std. It is WEFT_ERROR_SHAPE for min, max, ptp, argmin, argmax, their nan forms and norms of order INFINITY and
   -INFINITY, even if the result has no elements, as in NumPy.

   Dtypes: sum, prod: i64 for bool and signed integers, u64 for unsigned ones, with wraparound; else x's dtype. min,
   max, ptp: x's dtype. argmin, argmax, count_nonzero: i64. any, all: bool. mean, var, std, norm: f64 for bool and
   integers; else x's dtype, but var, std and norm of complex numbers are real.

   NaN: min and max return the first NaN, argmin and argmax its position, ptp the first NaN minus itself. The nan forms
   ignore NaNs; where all elements are NaN, nanmin, nanmax, nanmean, nanvar and nanstd give NaN, nanargmin and nanargmax
   give -1. Complex numbers are ordered by their real, then by their imaginary part.

   Accuracy: sums of narrow floats, f32 and c64 are accumulated in f64 and rounded once. Sums of f64 and c128, and all
   float sums on devices without fp64, use compensated (two-sum) summation. Sums of 2^28 positive numbers are within 1
   ULP. A large common offset costs no accuracy in variances, except in f64, and in f32 without fp64: there it costs
   about |mean| / std ULP. The order of additions depends on the shape and the device only, so that results are
   bit-identical in every run. */

/// Reductions by number. Zero is the default: the sum.
typedef enum weft_reduction_id {
  WEFT_REDUCE_DEFAULT = 0,
  WEFT_REDUCE_SUM,
  WEFT_REDUCE_PROD,
  WEFT_REDUCE_MIN,
  WEFT_REDUCE_MAX,
  WEFT_REDUCE_ARGMIN,
  WEFT_REDUCE_ARGMAX,
  WEFT_REDUCE_ANY,
  WEFT_REDUCE_ALL,
  WEFT_REDUCE_COUNT_NONZERO,
  WEFT_REDUCE_MEAN,
  WEFT_REDUCE_VAR,
  WEFT_REDUCE_STD,
  WEFT_REDUCE_NORM,
  WEFT_REDUCE_PTP,
  WEFT_REDUCE_NANSUM,
  WEFT_REDUCE_NANPROD,
  WEFT_REDUCE_NANMIN,
  WEFT_REDUCE_NANMAX,
  WEFT_REDUCE_NANARGMIN,
  WEFT_REDUCE_NANARGMAX,
  WEFT_REDUCE_NANMEAN,
  WEFT_REDUCE_NANVAR,
  WEFT_REDUCE_NANSTD,
} weft_reduction_id;

#define WEFT_REDUCE_COUNT 24 /* valid values are 0 to WEFT_REDUCE_COUNT - 1 */

/// Options of weft_var, weft_std, weft_nanvar and weft_nanstd.
typedef struct weft_var_params {
  double ddof;      /* the divisor is the number of elements minus this; a fraction is cut off */
  const char *site; /* set by the macros */
} weft_var_params;

/// Options of weft_norm.
typedef struct weft_norm_params {
  double order;     /* 2, 1, INFINITY or -INFINITY; 0 is 2 */
  const char *site; /* set by the macro */
} weft_norm_params;

/// The sum and the product, as numpy.sum and numpy.prod.
WEFT_API WEFT_NODISCARD weft_status weft_sum(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_prod(weft_array **out, const weft_array *x, weft_axes axes);
/// The least and the greatest element.
WEFT_API WEFT_NODISCARD weft_status weft_min(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_max(weft_array **out, const weft_array *x, weft_axes axes);
/// The position of the least or greatest element, i64: along one axis the index there, with all axes the number in
/// row-major order. The first of equal elements counts. WEFT_ERROR_AXIS: several axes, but not all.
WEFT_API WEFT_NODISCARD weft_status weft_argmin(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_argmax(weft_array **out, const weft_array *x, weft_axes axes);
/// Whether any element is nonzero, and whether all are.
WEFT_API WEFT_NODISCARD weft_status weft_any(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_all(weft_array **out, const weft_array *x, weft_axes axes);
/// The number of nonzero elements.
WEFT_API WEFT_NODISCARD weft_status weft_count_nonzero(weft_array **out, const weft_array *x, weft_axes axes);
/// The sum divided by the number of elements.
WEFT_API WEFT_NODISCARD weft_status weft_mean(weft_array **out, const weft_array *x, weft_axes axes);
/// The variance: the sum of squared distances from the mean, divided by the number of elements minus `.ddof`. weft_std
/// is its square root.
WEFT_API WEFT_NODISCARD weft_status weft_var(weft_array **out, const weft_array *x, weft_axes axes,
                                             const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_std(weft_array **out, const weft_array *x, weft_axes axes,
                                             const weft_var_params *params);
/// The norm of the elements along the axes, taken as a vector. Order 2 (the default): the square root of the sum of
/// squares, also where these are above the greatest number or below the least; 1: the sum of magnitudes; INFINITY and
/// -INFINITY: the greatest and the least magnitude.
/// WEFT_ERROR_ARGUMENT: any other order. weft_count_nonzero counts nonzero elements.
WEFT_API WEFT_NODISCARD weft_status weft_norm(weft_array **out, const weft_array *x, weft_axes axes,
                                              const weft_norm_params *params);
/// The greatest element minus the least, in x's dtype: integers wrap around if the difference does not fit.
/// WEFT_ERROR_DTYPE: bool.
WEFT_API WEFT_NODISCARD weft_status weft_ptp(weft_array **out, const weft_array *x, weft_axes axes);
/// The reductions above, without NaN elements.
WEFT_API WEFT_NODISCARD weft_status weft_nansum(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanprod(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanmin(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanmax(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanargmin(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanargmax(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanmean(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_nanvar(weft_array **out, const weft_array *x, weft_axes axes,
                                                const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_nanstd(weft_array **out, const weft_array *x, weft_axes axes,
                                                const weft_var_params *params);

/// The inner product, the sum of a[i] * b[i], without axes; weft_vdot uses the complex conjugate of `a`. Both operands
/// have one axis and the same length (WEFT_ERROR_SHAPE). The dtype is weft_multiply's; for bool the result is whether
/// both are true at some i. With fp64, products of narrow floats, f32 and c64 are not rounded before they are summed.
WEFT_API WEFT_NODISCARD weft_status weft_dot(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_vdot(weft_array **out, const weft_array *a, const weft_array *b);

/// How weft_reduce reduces the values of an expression, an item of its list: WEFT_REDUCTION(.op = WEFT_REDUCE_MAX).
/// Zero is the default of each member. A combination is an expression as for weft_eval, and is computed in the values'
/// dtype, which is the result's (narrow floats: in f32, rounded at the end).
typedef struct weft_reduction {
  weft_reduction_id op; /* a reduction by its number; or */
  const char *combine;  /* an associative, commutative expression of `a` and `b`, values or results: "fmax(a, b)" */
  weft_scalar neutral;  /* required with combine: the value that changes nothing, and the result of no elements */
  weft_dtype dtype;     /* the values are cast to it first (same-kind); default: no cast */
  double ddof;          /* for var and std, as in weft_var_params; else an error */
  double order;         /* for norm, as in weft_norm_params; else an error */
} weft_reduction;

/// weft_reduce(&out, context, text, axes, variables...): the sum of an expression's values, or the reduction that
/// WEFT_REDUCTION(...) among the variables selects. All variables broadcast together; one must have a shape.
/// weft/eval.h has the language; `i` and `n` are an element's number and the number of elements. Contiguous arrays of
/// one shape, arrays with one element for each result and scalars are read once; others need a temporary array of the
/// values (large host memory: chunk by chunk). `context` may be NULL. WEFT_ERROR_EXPRESSION: as for weft_eval.
WEFT_API WEFT_NODISCARD weft_status weft_reduce(weft_array **out, weft_context *context, const char *text,
                                                weft_axes axes, int variable_count, const weft_operand *variables);
/// WEFT_REDUCTION(.combine = "a * b % 7", .neutral = WEFT_SCALAR(1)); in C++17 WEFT_REDUCTION(r) with a weft_reduction
/// r.
#define WEFT_REDUCTION(...) weft__operand_reduction(WEFT__STRUCT(weft_reduction, __VA_ARGS__))

/* ---- behind the functions ---- */

/// `parameter`: ddof for var and std, the order for norm, else 0.
WEFT_API WEFT_NODISCARD weft_status weft__reduce_apply_at(weft_reduction_id id, weft_operand out, weft_operand x,
                                                          weft_axes axes, double parameter, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__var_at(weft_reduction_id id, weft_operand out, weft_operand x, weft_axes axes,
                                                 const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__norm_at(weft_operand out, weft_operand x, weft_axes axes,
                                                  const weft_norm_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dot_at(weft_operand out, weft_operand a, weft_operand b, bool conjugate,
                                                 const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__reduce_at(weft_operand out, weft_context *context, const char *text,
                                                    weft_axes axes, int variable_count, const weft_operand *variables,
                                                    const char *site);

#define weft_sum(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_SUM, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_prod(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_PROD, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_min(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_MIN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_max(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_MAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_argmin(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_ARGMIN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_argmax(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_ARGMAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_any(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_ANY, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_all(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_ALL, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_count_nonzero(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_COUNT_NONZERO, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_mean(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_MEAN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_ptp(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_PTP, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nansum(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANSUM, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nanprod(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANPROD, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nanmin(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANMIN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nanmax(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANMAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nanargmin(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANARGMIN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nanargmax(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANARGMAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_nanmean(out, x, axes) \
  weft__reduce_apply_at(WEFT_REDUCE_NANMEAN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), 0, WEFT_SITE)
#define weft_var(out, x, ...)                                                                              \
  weft__var_at(WEFT_REDUCE_VAR, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_std(out, x, ...)                                                                              \
  weft__var_at(WEFT_REDUCE_STD, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_nanvar(out, x, ...)                                                                              \
  weft__var_at(WEFT_REDUCE_NANVAR, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_nanstd(out, x, ...)                                                                              \
  weft__var_at(WEFT_REDUCE_NANSTD, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_norm(out, x, ...)                                                             \
  weft__norm_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_norm_params, __VA_ARGS__))
#define weft_dot(out, a, b) weft__dot_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), false, WEFT_SITE)
#define weft_vdot(out, a, b) weft__dot_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), true, WEFT_SITE)
#define weft_reduce(out, context, text, axes, ...)                                                       \
  weft__reduce_at(WEFT__RESULT(out), (context), (text), WEFT__AXES(axes), (int)WEFT__COUNT(__VA_ARGS__), \
                  WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#endif
