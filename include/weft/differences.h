// SPDX-License-Identifier: MIT
/// Differences of neighbours along an axis: diff, ediff1d, gradients, phases without jumps.
///
///     rc = weft_diff(&y, x, -1, .prepend = zero);
///     rc = weft_gradient(&slope, x, 0, .spacing = 0.1);
///     rc = weft_unwrap(&phase, angle, -1);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_DIFFERENCES_H
#define WEFT_DIFFERENCES_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// Options of weft_diff.
typedef struct weft_diff_params {
  int n;                              /* the number of differences; 0: one */
  const weft_array *prepend, *append; /* joined to x's ends along the axis first: of x's other lengths, or no axes */
  const char *site;                   /* set by the macro */
} weft_diff_params;
/// numpy.diff: x[i + 1] - x[i] along `axis`, .n times; each time the axis gets one element shorter, down to none. x's
/// dtype: integers wrap around; for bool, whether neighbours differ. .n launches. WEFT_ERROR_ARGUMENT: n is negative.
/// WEFT_ERROR_AXIS: also for an x without axes. WEFT_ERROR_SHAPE: of .prepend and .append.
WEFT_API WEFT_NODISCARD weft_status weft_diff(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_diff_params *params);

/// Options of weft_ediff1d.
typedef struct weft_ediff1d_params {
  const weft_array *to_begin, *to_end; /* elements in front of the differences, and behind them; of any shapes */
  const char *site;                    /* set by the macro */
} weft_ediff1d_params;
/// numpy.ediff1d: the differences of x's elements in row-major order, in one axis. x's dtype, to which the options are
/// cast. WEFT_ERROR_DTYPE: x is bool, or an option's dtype is not cast to x's implicitly.
WEFT_API WEFT_NODISCARD weft_status weft_ediff1d(weft_array **out, const weft_array *x,
                                                 const weft_ediff1d_params *params);

/// Options of weft_gradient.
typedef struct weft_gradient_params {
  double spacing;                /* the distance of neighbours; 0: 1 */
  const weft_array *coordinates; /* in place of .spacing: the elements' places, integers or floats: one axis */
  int edge_order;                /* of the formula at both ends: 1 (the default) or 2 */
  const char *site;              /* set by the macro */
} weft_gradient_params;
/// numpy.gradient along one axis: second order differences inside, one-sided ones at the ends; x's shape. Floats and
/// complex numbers keep their dtype, integers become f64. WEFT_ERROR_SHAPE: the axis has fewer elements than
/// .edge_order + 1, or other than .coordinates. WEFT_ERROR_DTYPE: bool; complex .coordinates. WEFT_ERROR_ARGUMENT: both
/// .spacing and .coordinates, another order. Method: B. Fornberg, Math. Comp. 51 (1988), 699-706.
WEFT_API WEFT_NODISCARD weft_status weft_gradient(weft_array **out, const weft_array *x, weft_axes axis,
                                                  const weft_gradient_params *params);

/// Options of weft_unwrap.
typedef struct weft_unwrap_params {
  double period;    /* 0: 2 pi */
  double discont;   /* the least jump that is removed; at least half a period */
  const char *site; /* set by the macro */
} weft_unwrap_params;
/// numpy.unwrap: adds multiples of the period along `axis` where neighbours are more than half of it apart. Floats keep
/// their dtype, integers become f64. WEFT_ERROR_DTYPE: complex numbers. WEFT_ERROR_ARGUMENT: a negative period.
WEFT_API WEFT_NODISCARD weft_status weft_unwrap(weft_array **out, const weft_array *x, weft_axes axis,
                                                const weft_unwrap_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__diff_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_diff_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ediff1d_at(weft_operand out, weft_operand x,
                                                     const weft_ediff1d_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__gradient_at(weft_operand out, weft_operand x, weft_axes axis,
                                                      const weft_gradient_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__unwrap_at(weft_operand out, weft_operand x, weft_axes axis,
                                                    const weft_unwrap_params *params);

#define weft_diff(out, x, ...)                                                             \
  weft__diff_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_diff_params, __VA_ARGS__))
#define weft_ediff1d(out, ...)                                                 \
  weft__ediff1d_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_ediff1d_params, __VA_ARGS__))
#define weft_gradient(out, x, ...)                                                             \
  weft__gradient_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_gradient_params, __VA_ARGS__))
#define weft_unwrap(out, x, ...)                                                             \
  weft__unwrap_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_unwrap_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
