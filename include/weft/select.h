// SPDX-License-Identifier: MIT
/// Selection: the elements for which something holds.
///
///     weft_array *y = NULL, *where = NULL, *count = NULL;
///     rc = weft_compress(&y, mask, x);                                 numpy's x[mask]
///     rc = weft_select(&y, ctx, "x > k", WEFT_VAR(x), WEFT_NAMED("k", 0.5f));   the same in one pass, without a mask
///     rc = weft_select_into(&y, &count, ctx, "x > 0", WEFT_VAR(x));    does not wait: how many stays on the device
///     rc = weft_flatnonzero(&where, x);
///
/// The elements kept stay in their order, row after row; every dtype, and any strides (views that are not contiguous are copied first).
/// How many there are is known on the device only. So weft_compress, weft_compress_axis, weft_select, weft_nonzero and weft_flatnonzero
/// wait for it: they count first, make the result, then fill it, reading their operands twice. The forms ending in _into and weft_partition
/// do not wait: their results have room for all. Nor do they read twice (weft_partition reads its mask twice).
/// Results: *out NULL makes a contiguous array; else it must have exactly the result's shape, and the result is cast to its dtype where
/// that is same-kind. Host memory as operand or result (WEFT_HOST, WEFT_HOST_OUT) is copied. An operand may be a result: it is read first.
/// Blocking besides: while kernels are built at the first use.
/// Errors: WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_AXIS, WEFT_ERROR_EXPRESSION, WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE,
/// WEFT_ERROR_CONTEXT, WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY, WEFT_ERROR_UNSUPPORTED (f64 without fp64), WEFT_ERROR_MEMORY,
/// WEFT_ERROR_BUDGET, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. On failure results are as they were, and *out that was NULL is NULL.
/// Method: counts of tiles by one pass with decoupled look-back (Merrill and Garland, 2016, NVR-2016-002), tiles brought together in local
/// memory; two passes where the size is asked for, and on devices whose blocks cannot talk.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// The elements of x where `mask` (bool, or u8: not 0) is true: [count]. The mask has x's shape or is broadcast to it. Waits.
#define weft_compress(out, mask, x) weft__compress_at(WEFT_OPERAND(out), WEFT_OPERAND(mask), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__compress_at(weft_operand out, weft_operand mask, weft_operand x, const char *site);

/// numpy.compress(mask, x, axis): the slices of x along `axis` where `mask`, which has one axis as long as that, is true. Waits.
#define weft_compress_axis(out, mask, x, axis) \
  weft__compress_axis_at(WEFT_OPERAND(out), WEFT_OPERAND(mask), WEFT_OPERAND(x), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__compress_axis_at(weft_operand out, weft_operand mask, weft_operand x, int axis, const char *site);

/// weft_compress without waiting: *out, [size of x], begins with the elements kept, and what is behind them is as it was (undefined in a
/// new array); *count is i64, no axes. *out that is given must be contiguous, of x's dtype, and share no memory with x (WEFT_ERROR_LAYOUT).
#define weft_compress_into(out, count, mask, x) weft__compress_into_at((out), (count), WEFT_OPERAND(mask), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__compress_into_at(weft_array **out, weft_array **count, weft_operand mask, weft_operand x,
                                                          const char *site);

/// The elements of the first variable for which the expression (as for weft_eval; its value must be bool) holds: [count]. Waits.
/// weft_select(&y, ctx, "x > k", WEFT_VAR(x), WEFT_VAR(k)): variables behind the first one are C scalars, or arrays that broadcast to it,
/// for which a mask is made first. A single variable without a name is `x`. `context` may be NULL: that of the variables.
#define weft_select(out, context, text, ...) \
  weft__select_at(WEFT_OPERAND(out), (context), (text), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__select_at(weft_operand out, weft_context *context, const char *text, int variable_count,
                                                   const weft_operand *variables, const char *site);
/// The same without waiting: *out and *count as of weft_compress_into.
#define weft_select_into(out, count, context, text, ...) \
  weft__select_into_at((out), (count), (context), (text), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__select_into_at(weft_array **out, weft_array **count, weft_context *context, const char *text,
                                                        int variable_count, const weft_operand *variables, const char *site);

/// Where x is not zero (NaN is not; -0 is), as numpy.argwhere: i64[count, ndim], an index along each axis. Waits.
#define weft_nonzero(out, x) weft__nonzero_at(WEFT_OPERAND(out), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__nonzero_at(weft_operand out, weft_operand x, const char *site);
/// The same as numbers of elements, row after row: i64[count]. Waits.
#define weft_flatnonzero(out, x) weft__flatnonzero_at(WEFT_OPERAND(out), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__flatnonzero_at(weft_operand out, weft_operand x, const char *site);

/// All elements of x, [size]: first those where `mask` is true, then the others, each in their order. *count, unless `count` is NULL, is
/// how many the first are: i64, no axes. Does not wait, but for a result in host memory.
#define weft_partition(out, count, mask, x) weft__partition_at(WEFT_OPERAND(out), (count), WEFT_OPERAND(mask), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__partition_at(weft_operand out, weft_array **count, weft_operand mask, weft_operand x,
                                                      const char *site);

WEFT_END_DECLS

#endif
