// SPDX-License-Identifier: MIT
/// Selection: the elements for which something holds.
///
///     rc = weft_compress(&y, mask, x, WEFT_ALL_AXES);                           numpy's x[mask]
///     rc = weft_compress(&rows, wanted, table, 0);                              rows for which `wanted` is true
///     rc = weft_select(&y, ctx, "x > k", WEFT_VAR(x), WEFT_NAMED("k", 0.5f));   in one pass, without a mask
///     rc = weft_select(&y, ctx, "x > 0", WEFT_VAR(x), WEFT_SELECTION(.count = &count));   does not wait: how many
///                                                                                         stays on the device
///     rc = weft_flatnonzero(&where, x);
///
/// The elements kept stay in their order, row after row; every dtype, and any strides (views that are not contiguous
/// are copied first). How many there are is known on the device only. So weft_compress, weft_select, weft_nonzero and
/// weft_flatnonzero wait for it: they count first, make the result, then fill it, reading their operands twice. With
/// .count, and in weft_partition, nothing waits: the results have room for all. Nor are operands read twice
/// (weft_partition reads its mask twice). Results: *out NULL makes a contiguous array; else it must have exactly the
/// result's shape, and the result is cast to its dtype where that is same-kind. Host memory as operand or result
/// (WEFT_HOST, WEFT_HOST_OUT) is copied. An operand may be a result: it is read first. Blocking besides: while kernels
/// are built at the first use.
/// Errors: WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_AXIS, WEFT_ERROR_EXPRESSION, WEFT_ERROR_ARGUMENT,
/// WEFT_ERROR_HANDLE, WEFT_ERROR_CONTEXT, WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY, WEFT_ERROR_UNSUPPORTED (f64 without
/// fp64), WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. On failure results are as they
/// were, and *out that was NULL is NULL. Method: counts of tiles by one pass with decoupled look-back (Merrill and
/// Garland, 2016, NVR-2016-002), tiles brought together in local memory; two passes where the size is asked for, and on
/// devices whose blocks cannot talk.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// Options of weft_compress and weft_partition.
typedef struct weft_compress_params {
  weft_array **count; /* a result: how many elements the mask is true for, i64 without axes. weft_compress does not wait
                         then */
  const char *site;   /* set by the macros */
} weft_compress_params;

/// Options of weft_select, an item of its list: WEFT_SELECTION(.count = &n).
typedef struct weft_selection {
  weft_array **count; /* as of weft_compress */
} weft_selection;

/// The elements of x where `mask` (bool, or u8: not 0) is true. WEFT_ALL_AXES: [count], of a mask that has x's shape or
/// is broadcast to it. An axis: numpy.compress(mask, x, axis), the slices of x along it; the mask has one axis as long
/// as that. Waits. With .count (of WEFT_ALL_AXES) it does not: *out, [size of x], begins with the elements kept, and
/// what is behind them is as it was (undefined in a new array). *out that is given must be contiguous, of x's dtype,
/// and share no memory with x (WEFT_ERROR_LAYOUT).
WEFT_API WEFT_NODISCARD weft_status weft_compress(weft_array **out, const weft_array *mask, const weft_array *x,
                                                  weft_axes axis, const weft_compress_params *params);

/// weft_select(&y, ctx, "x > k", WEFT_VAR(x), WEFT_VAR(k)): the elements of the first variable for which the expression
/// (as for weft_eval; its value must be bool) holds: [count]. Other variables are C scalars, or arrays that broadcast
/// to the first one, for which a mask is made first. A single variable without a name is `x`. `context` may be NULL:
/// that of the variables. Waits; with WEFT_SELECTION(.count = &n) among the variables it does not, and *out and *n are
/// as of weft_compress.
WEFT_API WEFT_NODISCARD weft_status weft_select(weft_array **out, weft_context *context, const char *text,
                                                int variable_count, const weft_operand *variables);
/// In C++17 WEFT_SELECTION(s) with a weft_selection s.
#define WEFT_SELECTION(...) weft__operand_selection(WEFT__STRUCT(weft_selection, __VA_ARGS__))

/// Where x is not zero (NaN is not; -0 is), as numpy.argwhere: i64[count, ndim], an index along each axis. Waits.
WEFT_API WEFT_NODISCARD weft_status weft_nonzero(weft_array **out, const weft_array *x);
/// The same as numbers of elements, row after row: i64[count]. Waits.
WEFT_API WEFT_NODISCARD weft_status weft_flatnonzero(weft_array **out, const weft_array *x);

/// All elements of x, [size]: first those where `mask` is true, then the others, each in their order. Does not wait,
/// but for a result in host memory.
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
