// SPDX-License-Identifier: MIT
/// Scans: running sums and their like.
///
///     weft_array *y = NULL;
///     rc = weft_cumsum(&y, x, WEFT_EVERY_AXIS);                             of all elements, as one run
///     rc = weft_cummax(&y, x, -1);                                          in each row
///     rc = weft_scan(&y, x, 0, &(weft_scan_params){.exclusive = true});     y[0] = 0, y[1] = x[0], y[2] = x[0] + x[1], ...
///     rc = weft_scan(&y, x, 0, &(weft_scan_params){.combine = "a * b", .neutral = WEFT_SCALAR(1)});
///
/// What follows holds for all of them. Element i of the result is made of the elements up to i along `axis` (0 to ndim - 1, negative ones
/// from the end); the other axes are gone along side by side. WEFT_EVERY_AXIS: x is one run, row after row, and the result has one axis.
/// Shapes: the result has x's shape (WEFT_EVERY_AXIS: [size]). No elements and one are fine.
/// Dtypes: of sums and products as NumPy's cumsum: bool and signed integers i64, unsigned ones u64, others their own; of all others x's
/// own.
/// Integers wrap around. Narrow floats are computed in f32 and rounded at the end. Of floats the maximum and the minimum with a NaN is NaN;
/// complex numbers are compared by their real, then by their imaginary parts.
/// Order: exact for integers and for maxima and minima. Float sums and products, and a user's operation on floats, are grouped differently
/// from run to run; `deterministic` fixes the order for a device, a dtype and a shape, and costs about half more time.
/// Results: *out NULL makes a contiguous array; else it has the result's shape, and the result is cast to its dtype where that is
/// same-kind.
/// It may be x itself. Host memory as operand or result (WEFT_HOST, WEFT_HOST_OUT) is copied.
/// Views that are not contiguous are copied first; along the last axis, or all, no other memory than the result is needed.
/// Blocking: does not wait, but for a result in host memory, and while kernels are built at the first use.
/// Errors: WEFT_ERROR_AXIS, WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE, WEFT_ERROR_CONTEXT,
/// WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY, WEFT_ERROR_UNSUPPORTED (f64 without fp64), WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET,
/// WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. On failure results are as they were, and *out that was NULL is NULL.
/// Method: one pass with decoupled look-back (Merrill and Garland, 2016, NVR-2016-002), segments by a pair of flag and value (Schwartz,
/// 1980; Sengupta et al., 2007); deterministic, and on devices whose blocks cannot talk: sums of tiles, their scan, then the scan of each.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_SCAN_H
#define WEFT_SCAN_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// What neighbours are combined by.
typedef enum weft_scan_op {
  WEFT_SCAN_SUM = 0,
  WEFT_SCAN_PROD,
  WEFT_SCAN_MAX,
  WEFT_SCAN_MIN,
} weft_scan_op;

/// How to scan; zero is the default of every field.
typedef struct weft_scan_params {
  weft_scan_op op;
  bool exclusive;          /* element i is made of those before i; the first is the neutral element (0, 1, the least, the greatest) */
  bool reverse;            /* from the end: element i is made of those from i on */
  bool deterministic;      /* floats: the same bits in every run */
  weft_dtype dtype;        /* of the result, to which x is cast first (same-kind); NONE: as above */
  const weft_array *flags; /* bool or u8 of x's shape: not 0 where a segment begins; each segment is scanned for itself. NULL: none */
  const char *combine; /* in place of `op`: an expression as for weft_eval of `a`, of elements before, and `b`: "a * b", "maximum(a, b)".
                              It must be associative; it need not be commutative */
  weft_scalar neutral; /* for combine: the value that changes nothing, WEFT_SCALAR(1); must be given */
} weft_scan_params;

/// numpy.cumsum, numpy.cumprod, numpy.maximum.accumulate and numpy.minimum.accumulate.
#define weft_cumsum(out, x, axis) weft__cumulate_at(WEFT_SCAN_SUM, WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), WEFT_SITE)
#define weft_cumprod(out, x, axis) weft__cumulate_at(WEFT_SCAN_PROD, WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), WEFT_SITE)
#define weft_cummax(out, x, axis) weft__cumulate_at(WEFT_SCAN_MAX, WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), WEFT_SITE)
#define weft_cummin(out, x, axis) weft__cumulate_at(WEFT_SCAN_MIN, WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), WEFT_SITE)
/// The function behind them.
WEFT_API WEFT_NODISCARD weft_status weft__cumulate_at(weft_scan_op op, weft_operand out, weft_operand x, int axis, const char *site);

/// Any scan. `params` NULL: an inclusive sum. Errors besides: WEFT_ERROR_EXPRESSION (`combine`; the message points into it).
#define weft_scan(out, x, axis, ...) weft__scan_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), (__VA_ARGS__), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__scan_at(weft_operand out, weft_operand x, int axis, const weft_scan_params *params,
                                                 const char *site);

WEFT_END_DECLS

#endif
