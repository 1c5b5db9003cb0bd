// SPDX-License-Identifier: MIT
/// Values between elements: piecewise linear functions, and arrays at other places, by splines.
///
///     rc = weft_interp(&y, x, xp, fp);                                     numpy.interp
///     rc = weft_zoom(&y, x, 2.0, .order = WEFT_SPLINE_LINEAR);              twice as long along each axis
///     rc = weft_rotate(&y, x, 30.0, WEFT_AXES(0, 1), .keeps_shape = true);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_INTERPOLATE_H
#define WEFT_INTERPOLATE_H

#include <weft/filter.h>

WEFT_BEGIN_DECLS

/// Options of weft_interp.
typedef struct weft_interp_params {
  weft_scalar left, right; /* below the first point, beyond the last one; default the first and the last fp */
  double period;           /* of x and xp, which is then in any order, and .left and .right do not count; 0: none */
  const char *site;        /* set by the macros */
} weft_interp_params;

/// numpy.interp: at each element of `x` the piecewise linear function through the points (xp, fp), and beyond them the
/// first or last fp, or .left and .right. xp has one axis and ascends, which is not checked; fp has its length. All are
/// real; the result has x's shape and the common dtype of x, xp and fp, f64 if that is bool or integers. An x of NaN
/// gives NaN. WEFT_ERROR_SHAPE: xp or fp has not one axis, other lengths, or no elements. WEFT_ERROR_ARGUMENT: a
/// .period that is not finite. WEFT_ERROR_DTYPE: complex.
WEFT_API WEFT_NODISCARD weft_status weft_interp(weft_array **out, const weft_array *x, const weft_array *xp,
                                                const weft_array *fp, const weft_interp_params *params);

/* ---- arrays at other places, as scipy.ndimage ----
   x has a real dtype and at least one axis; the result has x's dtype. Values between elements are computed in f32 for
   f16, bf16 and f32, otherwise in f64, places in f64 (without fp64 all in f32). Integers are rounded, halves away from
   zero, and end at the dtype's limits. A cubic spline first takes a pass along each axis, over a copy of x. SciPy's
   mode="constant" is WEFT_BORDER_CONSTANT, the default: at a place outside of x the result is .value, or zero.
   WEFT_BORDER_WRAP is SciPy's "grid-wrap". A `matrix`, `zoom` or `shift` is in host memory or in an array, for which
   the call waits, or a number. WEFT_ERROR_ARGUMENT: an unknown order or mode, a number that is not finite. */

/// The spline between elements.
typedef enum weft_spline {
  WEFT_SPLINE_DEFAULT = 0, /* CUBIC, as in SciPy */
  WEFT_SPLINE_NEAREST,     /* order=0 */
  WEFT_SPLINE_LINEAR,      /* order=1 */
  WEFT_SPLINE_CUBIC,       /* order=3 */
} weft_spline;

/// Options of the functions below.
typedef struct weft_transform_params {
  weft_spline order;
  weft_border_mode mode;
  weft_scalar value; /* for WEFT_BORDER_CONSTANT, converted as by weft_full */
  weft_shape shape;  /* of the result of weft_affine_transform; default x's */
  bool keeps_shape;  /* weft_rotate: the result has x's shape, and the corners may be cut off */
  const char *site;  /* set by the macros */
} weft_transform_params;

/// scipy.ndimage.map_coordinates: x at the places of `coordinates`, whose first axis has an entry for each of x's axes;
/// the result has its other axes. WEFT_ERROR_SHAPE: another length of that axis. WEFT_ERROR_DTYPE: complex.
WEFT_API WEFT_NODISCARD weft_status weft_map_coordinates(weft_array **out, const weft_array *x,
                                                         const weft_array *coordinates,
                                                         const weft_transform_params *params);
/// scipy.ndimage.affine_transform: element o of the result is x at matrix @ o + offset. `matrix` has as many rows as x
/// has axes: as many columns too, or one more, the offset; or it has one axis, the diagonal. WEFT_ERROR_SHAPE: neither,
/// or a .shape of other axes.
WEFT_API WEFT_NODISCARD weft_status weft_affine_transform(weft_array **out, const weft_array *x,
                                                          const weft_array *matrix,
                                                          const weft_transform_params *params);
/// scipy.ndimage.zoom: as many elements as the length times `zoom`, rounded, from x's first to its last; one number for
/// all axes or one for each; of no elements none. WEFT_ERROR_ARGUMENT: a zoom that is not positive.
WEFT_API WEFT_NODISCARD weft_status weft_zoom(weft_array **out, const weft_array *x, const weft_array *zoom,
                                              const weft_transform_params *params);
/// scipy.ndimage.shift: element o is x at o - shift; one number for all axes or one for each.
WEFT_API WEFT_NODISCARD weft_status weft_shift(weft_array **out, const weft_array *x, const weft_array *shift,
                                               const weft_transform_params *params);
/// scipy.ndimage.rotate: by `degrees` in the plane of two axes, from the second towards the first, about the middle.
/// The result is as large as the turned x needs. WEFT_ERROR_AXIS: not two axes.
WEFT_API WEFT_NODISCARD weft_status weft_rotate(weft_array **out, const weft_array *x, double degrees, weft_axes axes,
                                                const weft_transform_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__interp_at(weft_operand out, weft_operand x, weft_operand xp, weft_operand fp,
                                                    const weft_interp_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__map_coordinates_at(weft_operand out, weft_operand x, weft_operand coordinates,
                                                             const weft_transform_params *params);
/// The functions whose positions are an affine function of the index.
typedef enum weft__transform_form {
  WEFT__TRANSFORM_AFFINE = 0,
  WEFT__TRANSFORM_ZOOM,
  WEFT__TRANSFORM_SHIFT,
} weft__transform_form;
WEFT_API WEFT_NODISCARD weft_status weft__transform_at(weft_operand out, weft_operand x, weft_operand numbers,
                                                       weft__transform_form form, const weft_transform_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__rotate_at(weft_operand out, weft_operand x, double degrees, weft_axes axes,
                                                    const weft_transform_params *params);

#define weft_interp(out, x, xp, ...)                                                                               \
  weft__interp_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(xp), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_interp_params, __VA_ARGS__))
#define weft_map_coordinates(out, x, ...)                                                                \
  weft__map_coordinates_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                           WEFT__OPTIONS(weft_transform_params, __VA_ARGS__))
#define weft_affine_transform(out, x, ...)                                                         \
  weft__transform_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__TRANSFORM_AFFINE, WEFT__OPTIONS(weft_transform_params, __VA_ARGS__))
#define weft_zoom(out, x, ...)                                                                     \
  weft__transform_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__TRANSFORM_ZOOM, WEFT__OPTIONS(weft_transform_params, __VA_ARGS__))
#define weft_shift(out, x, ...)                                                                    \
  weft__transform_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__TRANSFORM_SHIFT, WEFT__OPTIONS(weft_transform_params, __VA_ARGS__))
#define weft_rotate(out, x, degrees, ...)                                                               \
  weft__rotate_at(WEFT__RESULT(out), WEFT__OPERAND(x), (degrees), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_transform_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
