// SPDX-License-Identifier: MIT
/// Selection: the elements for which a mask or an expression is true.
///
///     rc = weft_compress(&y, mask, x, WEFT_ALL_AXES);                           NumPy's x[mask]
///     rc = weft_compress(&rows, wanted, table, 0);                              rows for which `wanted` is true
///     rc = weft_select(&y, ctx, "x > k", WEFT_VAR(x), WEFT_NAMED("k", 0.5f));   in one pass, without a mask
///     rc = weft_select(&y, ctx, "x > 0", WEFT_VAR(x), WEFT_SELECTION(.count = &count));   does not wait
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- all selections ----
   Selected elements keep their order, row after row. Their number is known on the device only: weft_compress,
   weft_select, weft_nonzero and weft_flatnonzero wait for it, then make the result; they read their operands twice.
   With .count, and in weft_partition, results have room for all elements, and GPUs read operands once (the mask of
   weft_partition twice) and nothing waits; on CPU devices the host selects, and the call waits for the operands. All
   dtypes can be selected. Views that are not contiguous are copied first. */

/// Options of weft_compress and weft_partition.
typedef struct weft_compress_params {
  weft_array **count; /* a result: the number of selected elements, i64 without axes */
  const char *site;   /* set by the macros */
} weft_compress_params;

/// Options of weft_select, an item of its list: WEFT_SELECTION(.count = &n).
typedef struct weft_selection {
  weft_array **count; /* as for weft_compress */
} weft_selection;

/// The elements of x where `mask` (bool, or u8: nonzero) is true. WEFT_ALL_AXES: [count]; the mask is broadcast to x's
/// shape. An axis: numpy.compress(mask, x, axis), slices of x; the mask has one axis of that length. Waits, except with
/// .count (WEFT_ALL_AXES only, else WEFT_ERROR_ARGUMENT): then *out has the shape [size of x] and begins with the
/// selected elements; its remaining elements keep their values (undefined in a new array). A given *out must then be
/// contiguous, have x's dtype, and not overlap x (WEFT_ERROR_LAYOUT).
WEFT_API WEFT_NODISCARD weft_status weft_compress(weft_array **out, const weft_array *mask, const weft_array *x,
                                                  weft_axes axis, const weft_compress_params *params);

/// weft_select(&y, ctx, "x > k", WEFT_VAR(x), WEFT_VAR(k)): the elements of the first variable for which a bool
/// expression (as for weft_eval) is true: [count]. The other variables are C scalars, or arrays that broadcast to the
/// first one; with arrays, or `i` or `n` in the text, a mask is made first. A single unnamed variable is `x`. `context`
/// may be NULL. Waits, except with WEFT_SELECTION(.count = &n) among the variables: then *out and *n are as for
/// weft_compress. WEFT_ERROR_EXPRESSION: as for weft_eval.
WEFT_API WEFT_NODISCARD weft_status weft_select(weft_array **out, weft_context *context, const char *text,
                                                int variable_count, const weft_operand *variables);
/// In C++17 WEFT_SELECTION(s) with a weft_selection s.
#define WEFT_SELECTION(...) weft__operand_selection(WEFT__STRUCT(weft_selection, __VA_ARGS__))

/// The indices of nonzero elements (NaN is nonzero, -0 is zero), as numpy.argwhere: i64[count, ndim]. Waits.
WEFT_API WEFT_NODISCARD weft_status weft_nonzero(weft_array **out, const weft_array *x);
/// The row-major positions of nonzero elements, as numpy.flatnonzero: i64[count]. Waits.
WEFT_API WEFT_NODISCARD weft_status weft_flatnonzero(weft_array **out, const weft_array *x);

/// All elements of x, [size of x]: first those where `mask` is true, then the others, each in their order. Waits only
/// for a result in host memory.
WEFT_API WEFT_NODISCARD weft_status weft_partition(weft_array **out, const weft_array *mask, const weft_array *x,
                                                   const weft_compress_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__compress_at(weft_operand out, weft_operand mask, weft_operand x,
                                                      weft_axes axis, const weft_compress_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__select_at(weft_operand out, weft_context *context, const char *text,
                                                    int variable_count, const weft_operand *variables,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__nonzero_at(weft_operand out, weft_operand x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__flatnonzero_at(weft_operand out, weft_operand x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__partition_at(weft_operand out, weft_operand mask, weft_operand x,
                                                       const weft_compress_params *params);

#define weft_compress(out, mask, x, ...)                                                                            \
  weft__compress_at(WEFT__RESULT(out), WEFT__OPERAND(mask), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_compress_params, __VA_ARGS__))
#define weft_select(out, context, text, ...)                                                                        \
  weft__select_at(WEFT__RESULT(out), (context), (text), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), \
                  WEFT_SITE)
#define weft_nonzero(out, x) weft__nonzero_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT_SITE)
#define weft_flatnonzero(out, x) weft__flatnonzero_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT_SITE)
#define weft_partition(out, mask, ...)                                                                \
  weft__partition_at(WEFT__RESULT(out), WEFT__OPERAND(mask), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_compress_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
