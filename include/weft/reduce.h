// SPDX-License-Identifier: MIT
/// Reductions: an array, or some of its axes, to one value.
///
///     rc = weft_sum(&total, x, WEFT_ALL_AXES);                    no axes: one element
///     rc = weft_max(&rows, x, -1);
///     rc = weft_var(&columns, x, 0, .ddof = 1);
///     rc = weft_mean(&plane, x, weft_keepdims(WEFT_AXES(0, 2)));
///     rc = weft_argmax(WEFT_HOST_OUT(&at, WEFT_I64, WEFT_SHAPE_0D), x, WEFT_ALL_AXES);          blocks
///     rc = weft_reduce(&inside, ctx, "x*x + y*y <= 1", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y));    the sum of a
///                                                                                                   formula, no
///                                                                                                   temporary
///
/// What follows holds for all of them. Operands: an array with any strides, a C scalar, or host memory (WEFT_HOST).
/// Shapes: that of `x` without the axes given, or with length 1 there (weft_keepdims); axes of length 0 are reduced to
/// what changes nothing: 0 for sums, 1 for products, false for any, true for all, NaN for mean, var and std; for min,
/// max, ptp, argmin, argmax and their nan forms they are an error (WEFT_ERROR_SHAPE), as in NumPy, even if the result
/// has no elements. Dtypes: NumPy 2's. sum, prod, dot: bool and integers to i64, unsigned ones to u64 (dot: as
/// multiply), wrapping around; floats and complex numbers as they are. min, max, ptp: as they are. argmin, argmax,
/// count_nonzero: i64. any, all: bool. mean: f64 of bool and integers, else as it is. var, std, norm: the same, and
/// real for complex numbers. Results: as in weft/ufunc.h: *out NULL makes an array; else it must have the shape, is
/// cast to its dtype where that is same-kind, and may overlap `x`. WEFT_HOST_OUT waits and copies. NaN: min, max,
/// argmin and argmax give the first NaN, ptp that NaN less itself; forms with nan in front leave NaNs out: where all
/// are NaN nanmin, nanmax, nanmean, nanvar and nanstd give NaN, nanargmin and nanargmax -1. Complex numbers are ordered
/// by real, then imaginary part. Of equal ones argmin and argmax give the first. Accuracy: narrow floats, f32 and c64
/// are summed in f64 and rounded once; f64 and c128, and f32 on devices without fp64, in pairs of numbers of which the
/// second has what the first lost (two-sum). So sums of 2^28 positive numbers are within 1 ULP. Variances are of
/// squared distances from the mean, combined from parts with means of their own: what the numbers have in common does
/// not cancel (f64, and f32 without fp64: it costs about |mean| / std units of the last place). Order: fixed by the
/// shape and the device, so the same bits come out every time. Blocking: does not wait, but for a result in host
/// memory, and while a kernel is built at its first use in a context.
/// Errors: WEFT_ERROR_AXIS, WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY,
/// WEFT_ERROR_CONTEXT, WEFT_ERROR_UNSUPPORTED (a result in f64 without fp64), WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET,
/// WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. On failure results are as they were, and
/// *out that was NULL is NULL.
/// Thread: any; an array belongs to one thread at a time. Method: on GPUs a grid that stays, 16-byte loads, warp
/// shuffles, and the last block to be done finishes in the same launch; short rows several to a warp, columns 16 bytes
/// a thread; variances combined as by Chan, Golub and LeVeque (1979). On CPUs a chunk a work-item.
#ifndef WEFT_REDUCE_H
#define WEFT_REDUCE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// The reductions by number. Zero is the default: the sum.
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
  double ddof;      /* the divisor is the number of elements less this */
  const char *site; /* set by the macros */
} weft_var_params;

/// Options of weft_norm.
typedef struct weft_norm_params {
  double order;     /* 2, 1, INFINITY or -INFINITY; 0 is 2 */
  const char *site; /* set by the macro */
} weft_norm_params;

/// numpy.sum and numpy.prod.
WEFT_API WEFT_NODISCARD weft_status weft_sum(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_prod(weft_array **out, const weft_array *x, weft_axes axes);
/// numpy.min and numpy.max.
WEFT_API WEFT_NODISCARD weft_status weft_min(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_max(weft_array **out, const weft_array *x, weft_axes axes);
/// Where the least or greatest element is, i64: along one axis its index there; of all axes its number in row-major
/// order. Several axes, but not all, are WEFT_ERROR_AXIS.
WEFT_API WEFT_NODISCARD weft_status weft_argmin(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_argmax(weft_array **out, const weft_array *x, weft_axes axes);
/// Whether any element is not zero, and whether all are.
WEFT_API WEFT_NODISCARD weft_status weft_any(weft_array **out, const weft_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_all(weft_array **out, const weft_array *x, weft_axes axes);
/// How many elements are not zero.
WEFT_API WEFT_NODISCARD weft_status weft_count_nonzero(weft_array **out, const weft_array *x, weft_axes axes);
/// The sum divided by the number of elements.
WEFT_API WEFT_NODISCARD weft_status weft_mean(weft_array **out, const weft_array *x, weft_axes axes);
/// The sum of squared distances from the mean, divided by the number of elements less `.ddof` (of std: its square
/// root).
WEFT_API WEFT_NODISCARD weft_status weft_var(weft_array **out, const weft_array *x, weft_axes axes,
                                             const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_std(weft_array **out, const weft_array *x, weft_axes axes,
                                             const weft_var_params *params);
/// The norm of the elements along the axes taken as a vector. Order 2 (the default): the square root of the sum of
/// squares; 1: the sum of magnitudes; INFINITY and -INFINITY: the greatest and the least magnitude. Others are
/// WEFT_ERROR_ARGUMENT. weft_count_nonzero counts what is not 0.
WEFT_API WEFT_NODISCARD weft_status weft_norm(weft_array **out, const weft_array *x, weft_axes axes,
                                              const weft_norm_params *params);
/// The greatest less the least element, in their dtype: integers wrap around where the difference does not fit. bool is
/// WEFT_ERROR_DTYPE.
WEFT_API WEFT_NODISCARD weft_status weft_ptp(weft_array **out, const weft_array *x, weft_axes axes);
/// The same without NaNs.
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

/// The sum of a[i] * b[i], no axes: of two arrays (or host memory) with one axis and one length; others are
/// WEFT_ERROR_SHAPE. The dtype is that of weft_multiply (bools: whether there is an i at which both are true). Products
/// of narrow floats, f32 and c64 are not rounded before they are summed. weft_vdot takes the complex conjugate of `a`.
WEFT_API WEFT_NODISCARD weft_status weft_dot(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_vdot(weft_array **out, const weft_array *a, const weft_array *b);

/// How the values of a formula are reduced, an item of weft_reduce's list: WEFT_REDUCTION(.op = WEFT_REDUCE_MAX). Zero
/// is the default.
typedef struct weft_reduction {
  weft_reduction_id op; /* by name; or */
  const char *combine; /* an expression of `a` and `b`, two values or results of it, as for weft_eval: "a + b", "fmax(a,
                          b)". Must not depend on the order nor on the grouping of values, but for rounding */
  weft_scalar neutral; /* for combine, and needed there: the value that changes nothing, and the result of no elements:
                          WEFT_SCALAR(0) */
  weft_dtype dtype;    /* what the formula's values are cast to before (same-kind); default: none */
  double ddof;         /* of var and std, as of weft_var */
  double order;        /* of norm, as of weft_norm */
} weft_reduction;

/// weft_reduce(&out, context, text, axes, variables...): the values of an expression (weft/eval.h has the language; `i`
/// and `n` are index and number of elements) over all variables broadcast together, summed, or reduced as
/// WEFT_REDUCTION(...) among the variables says. A combination is computed in the dtype of the values, and so is its
/// result (narrow floats: in f32, rounded at the end). Contiguous arrays of one shape and scalars are read once and
/// need no further memory; else the values are computed into a temporary array first (of large host memory chunk by
/// chunk, weft/operand.h). One variable must have a shape. `context` may be NULL. Errors besides:
/// WEFT_ERROR_EXPRESSION, as for weft_eval.
WEFT_API WEFT_NODISCARD weft_status weft_reduce(weft_array **out, weft_context *context, const char *text,
                                                weft_axes axes, int variable_count, const weft_operand *variables);
/// WEFT_REDUCTION(.combine = "a * b % 7", .neutral = WEFT_SCALAR(1)); in C++17 WEFT_REDUCTION(r) with a weft_reduction
/// r.
#define WEFT_REDUCTION(...) weft__operand_reduction(WEFT__STRUCT(weft_reduction, __VA_ARGS__))

/* ---- behind the functions ---- */

/// `parameter`: of var and std ddof, of norm the order; else 0.
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
