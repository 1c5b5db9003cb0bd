// SPDX-License-Identifier: MIT
/// Scans: running sums and their like.
///
///     weft_array *y = NULL;
///     rc = weft_cumsum(&y, x, WEFT_ALL_AXES);                               of all elements, as one run
///     rc = weft_cummax(&y, x, -1);                                          in each row
///     rc = weft_cumsum(&y, x, 0, .exclusive = true);                        y[0] = 0, y[1] = x[0], y[2] = x[0] + x[1],
///                                                                           ...
///     rc = weft_scan(&y, x, 0, .combine = "a * b", .neutral = WEFT_SCALAR(1));
///
/// What follows holds for all of them. Element i of the result combines the elements up to i along `axis` (one axis,
/// negative ones count from the end), for each index of the other axes by itself. WEFT_ALL_AXES: x is one run, row
/// after row, and the result has one axis. Shapes: the result has x's shape (WEFT_ALL_AXES: [size]). No elements and
/// one are fine. Dtypes: of sums and products as NumPy's cumsum: bool and signed integers i64, unsigned ones u64,
/// others their own; of all others x's own. Integers wrap around. Narrow floats are computed in f32 and rounded at the
/// end. Of floats the maximum and the minimum with a NaN is NaN; complex numbers are compared by their real, then by
/// their imaginary parts. Order: exact for integers and for maxima and minima. Float sums and products, and a user's
/// operation on floats, are grouped differently from run to run; `deterministic` fixes the order for a device, a dtype
/// and a shape, and costs about half more time. Results: *out NULL makes a contiguous array; else it has the result's
/// shape, and the result is cast to its dtype where that is same-kind. It may be x itself. Host memory as operand or
/// result (WEFT_HOST, WEFT_HOST_OUT) is copied. Views that are not contiguous are copied first; along the last axis, or
/// all, no other memory than the result is needed. Blocking: does not wait, but for a result in host memory, and while
/// kernels are built at the first use.
/// Errors: WEFT_ERROR_AXIS, WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE,
/// WEFT_ERROR_CONTEXT, WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY, WEFT_ERROR_UNSUPPORTED (f64 without fp64),
/// WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. On failure results are as they were, and
/// *out that was NULL is NULL. Method: one pass with decoupled look-back (Merrill and Garland, 2016, NVR-2016-002),
/// segments by a pair of flag and value (Schwartz, 1980; Sengupta et al., 2007); deterministic, and on devices whose
/// blocks cannot talk: sums of tiles, their scan, then the scan of each.
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

/// Options of all scans.
typedef struct weft_scan_params {
  weft_scan_op op;    /* of weft_scan */
  bool exclusive;     /* element i is made of those before i; the first is the neutral element (0, 1, the least, the
                     greatest) */
  bool reverse;       /* from the end: element i is made of those from i on */
  bool deterministic; /* floats: the same bits in every run */
  weft_dtype dtype;   /* of the result, to which x is cast first (same-kind); NONE: as above */
  const weft_array *flags; /* bool or u8 of x's shape: not 0 where a segment begins; each segment is scanned for itself.
                              NULL: none */
  const char *combine; /* of weft_scan, in place of `op`: an expression as for weft_eval of `a`, of elements before, and
                          `b`: "a * b", "maximum(a, b)". It must be associative; it need not be commutative */
  weft_scalar neutral; /* for combine: the value that changes nothing, WEFT_SCALAR(1); must be given */
  const char *site;    /* set by the macros */
} weft_scan_params;

/// numpy.cumsum, numpy.cumprod, numpy.maximum.accumulate and numpy.minimum.accumulate.
WEFT_API WEFT_NODISCARD weft_status weft_cumsum(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_cumprod(weft_array **out, const weft_array *x, weft_axes axis,
                                                 const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_cummax(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_cummin(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_scan_params *params);
/// Any scan; the default is the inclusive sum. Errors besides: WEFT_ERROR_EXPRESSION (`combine`; the message points
/// into it).
WEFT_API WEFT_NODISCARD weft_status weft_scan(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_scan_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__scan_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__cumulate_at(weft_scan_op op, weft_operand out, weft_operand x, weft_axes axis,
                                                      const weft_scan_params *params);

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
#define weft_scan(out, x, ...)                                                             \
  weft__scan_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_scan_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
