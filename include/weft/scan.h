// SPDX-License-Identifier: MIT
/// Scans: running sums, products, maxima and minima.
///
///     rc = weft_cumsum(&y, x, WEFT_ALL_AXES);               all elements as one run
///     rc = weft_cummax(&y, x, -1);                          in each row
///     rc = weft_cumsum(&y, x, 0, .exclusive = true);        y[0] = 0, y[1] = x[0], y[2] = x[0] + x[1], ...
///     rc = weft_scan(&y, x, 0, .combine = "a * b", .neutral = WEFT_SCALAR(1));
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SCAN_H
#define WEFT_SCAN_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- all scans ----
   Element i of the result combines the elements up to i along `axis`; every index of the other axes is a scan of its
   own. The result has x's shape. With WEFT_ALL_AXES, x is one run in row-major order and the result has one axis.

   Dtypes, as for numpy.cumsum: sums and products are i64 for bool and signed integers, u64 for unsigned ones, else x's
   dtype; all other scans have x's dtype. Integers wrap around. Narrow floats are computed in f32 and rounded at the
   end. The maximum or minimum of a NaN and a number is NaN; complex numbers are compared by their real, then by their
   imaginary part.

   Integers, maxima and minima are exact. The grouping of float sums and products, and of user operations on floats,
   depends on the device, the dtype and the shape, not on the run: the bits are the same in every run. (In a context
   with `.reproducible` they are the same on every device.) A result may be x itself. Views that are not contiguous are
   copied first. */

/// The operation that combines elements.
typedef enum weft_scan_op {
  WEFT_SCAN_SUM = 0,
  WEFT_SCAN_PROD,
  WEFT_SCAN_MAX,
  WEFT_SCAN_MIN,
} weft_scan_op;

/// Options of all scans.
typedef struct weft_scan_params {
  weft_scan_op op;         /* for weft_scan */
  bool exclusive;          /* element i combines those before i; the first is neutral: 0, 1, the least, the greatest */
  bool reverse;            /* from the end: element i combines those from i on */
  bool deterministic;      /* has no effect: all scans have the same bits in every run */
  weft_dtype dtype;        /* the result's; x is cast to it first (same-kind); default: see above */
  const weft_array *flags; /* bool or u8, x's shape: nonzero where a segment begins, which is a scan of its own */
  const char *combine;     /* for weft_scan, in place of `op`: an associative expression of `a` and `b`: "a * b" */
  weft_scalar neutral;     /* required with combine: the value that changes nothing, WEFT_SCALAR(1) */
  const char *site;        /* set by the macros */
} weft_scan_params;

/// numpy.cumsum, numpy.cumprod, numpy.maximum.accumulate and numpy.minimum.accumulate. WEFT_ERROR_ARGUMENT: `.op` or
/// `.combine` is given; only weft_scan takes them.
WEFT_API WEFT_NODISCARD weft_status weft_cumsum(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_cumprod(weft_array **out, const weft_array *x, weft_axes axis,
                                                 const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_cummax(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_cummin(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_scan_params *params);
/// numpy.nancumsum and numpy.nancumprod: a NaN counts as 0, and as 1.
WEFT_API WEFT_NODISCARD weft_status weft_nancumsum(weft_array **out, const weft_array *x, weft_axes axis,
                                                   const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_nancumprod(weft_array **out, const weft_array *x, weft_axes axis,
                                                    const weft_scan_params *params);
/// A scan of any operation; the default is the inclusive sum. `.combine` is an expression as for weft_eval of `a`, the
/// elements before, and `b`; it need not be commutative. WEFT_ERROR_ARGUMENT: an unknown `.op`, or `.combine` without
/// `.neutral`. WEFT_ERROR_EXPRESSION: a mistake in `.combine`; the message names the place.
WEFT_API WEFT_NODISCARD weft_status weft_scan(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_scan_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__scan_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__cumulate_at(weft_scan_op op, weft_operand out, weft_operand x, weft_axes axis,
                                                      const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__nancumulate_at(weft_scan_op op, weft_operand out, weft_operand x,
                                                         weft_axes axis, const weft_scan_params *params);

#define weft_cumsum(out, x, ...)                                                                              \
  weft__cumulate_at(WEFT_SCAN_SUM, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))
#define weft_cumprod(out, x, ...)                                                                              \
  weft__cumulate_at(WEFT_SCAN_PROD, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))
#define weft_cummax(out, x, ...)                                                                              \
  weft__cumulate_at(WEFT_SCAN_MAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))
#define weft_cummin(out, x, ...)                                                                              \
  weft__cumulate_at(WEFT_SCAN_MIN, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))
#define weft_nancumsum(out, x, ...)                                                                              \
  weft__nancumulate_at(WEFT_SCAN_SUM, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))
#define weft_nancumprod(out, x, ...)                                                                              \
  weft__nancumulate_at(WEFT_SCAN_PROD, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))
#define weft_scan(out, x, ...)                                                             \
  weft__scan_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
