// SPDX-License-Identifier: MIT
/// Views: other shapes and strides on the same memory, which lives as long as its last view. weft/array.h includes this
/// file.
///
///     rc = weft_view(&v, x, "1:3, ::2, -1, ..., newaxis");          NumPy's x[1:3, ::2, -1, ..., None]
///     rc = weft_slice(&v, x, 0, 1, WEFT_END, .step = 2);            x[1::2]
///     rc = weft_flip(&v, x, WEFT_AXES(0, 1));
///
/// *out must be NULL and becomes a new handle. No function here waits; only weft_ravel may copy.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_VIEW_H
#define WEFT_VIEW_H

#include <weft/array.h>

WEFT_BEGIN_DECLS

/* ---- parts ---- */

/// NumPy's basic indexing, x[...], as text. Items, separated by commas, take one axis each: `start:stop:step` with
/// optional parts, or an index, whose axis disappears. `...` stands for all axes that are not named, `newaxis` or
/// `None` for a new axis of length 1. Further axes stay whole. Numbers are decimal; negative ones count from the end.
/// Errors: WEFT_ERROR_EXPRESSION (syntax, a step of 0; the message begins with "index:1:5: ...", line and column),
/// WEFT_ERROR_INDEX (out of range, too many items), WEFT_ERROR_SHAPE (over 8 axes).
WEFT_API WEFT_NODISCARD weft_status weft_view(weft_array **out, const weft_array *x, const char *indices);

/// An omitted start or stop of a slice, as in NumPy: the slice begins or ends where the axis does, in the step's
/// direction.
#define WEFT_END INT64_MAX

/// Options of weft_slice.
typedef struct weft_slice_params {
  int64_t step;     /* default 1; negative: backwards */
  const char *site; /* set by the macro */
} weft_slice_params;

/// x[start:stop:step] along one axis, with NumPy's rules: negative positions count from the end, positions out of range
/// are clipped, WEFT_END omits start or stop.
WEFT_API WEFT_NODISCARD weft_status weft_slice(weft_array **out, const weft_array *x, weft_axes axis, int64_t start,
                                               int64_t stop, const weft_slice_params *params);
/// x[index] along one axis, which disappears. Errors: WEFT_ERROR_INDEX (out of range). For many indices: weft_take
/// (weft/index.h).
WEFT_API WEFT_NODISCARD weft_status weft_pick(weft_array **out, const weft_array *x, weft_axes axis, int64_t index);

/// Options of weft_diagonal.
typedef struct weft_diagonal_params {
  int64_t k;        /* positive: above the main diagonal, negative: below */
  const char *site; /* set by the macro */
} weft_diagonal_params;

/// numpy.diagonal: removes the two `axes` and appends their diagonal k as the last axis. Unlike NumPy's, it can be
/// written.
WEFT_API WEFT_NODISCARD weft_status weft_diagonal(weft_array **out, const weft_array *x, weft_axes axes,
                                                  const weft_diagonal_params *params);

/// numpy.split into `sections` equal parts along one axis. `outs` has room for `sections` handles, each NULL; on
/// failure all stay NULL. Errors: WEFT_ERROR_SHAPE (the axis' length is not a multiple of `sections`).
WEFT_API WEFT_NODISCARD weft_status weft_split(weft_array **outs, const weft_array *x, int64_t sections,
                                               weft_axes axis);
/// numpy.array_split: as weft_split, but parts may differ; the first (length % sections) parts have one element more.
WEFT_API WEFT_NODISCARD weft_status weft_array_split(weft_array **outs, const weft_array *x, int64_t sections,
                                                     weft_axes axis);
/// numpy.split at positions: count + 1 parts, x[:p[0]], x[p[0]:p[1]], ..., x[p[count-1]:], sliced as by weft_slice.
/// `outs` has room for count + 1 handles, each NULL; on failure all stay NULL.
WEFT_API WEFT_NODISCARD weft_status weft_split_at(weft_array **outs, const weft_array *x, const int64_t *positions,
                                                  int64_t count, weft_axes axis);

/// numpy.lib.stride_tricks.sliding_window_view: the windows of window.dim[k] neighbours along axes[k], without memory.
/// Each of the axes gets window.dim[k] - 1 elements shorter, and the windows' axes are added at the end. The view
/// cannot be written. For sums, means and extremes of windows: weft_rolling. Errors: WEFT_ERROR_SHAPE (not as many
/// lengths as axes, a window that is longer than its axis or has no elements, over 8 axes).
WEFT_API WEFT_NODISCARD weft_status weft_sliding_window(weft_array **out, const weft_array *x, weft_shape window,
                                                        weft_axes axes);

/* ---- axes ---- */

/// numpy.transpose: axis i of the result is the i-th of `axes`, which name every axis of `x`. WEFT_ALL_AXES reverses
/// the order.
WEFT_API WEFT_NODISCARD weft_status weft_transpose(weft_array **out, const weft_array *x, weft_axes axes);
/// numpy.moveaxis: the axes `source` become the axes `destination` of the result; the others keep their order. Errors:
/// WEFT_ERROR_AXIS (different numbers of axes).
WEFT_API WEFT_NODISCARD weft_status weft_moveaxis(weft_array **out, const weft_array *x, weft_axes source,
                                                  weft_axes destination);
/// numpy.swapaxes: exchanges two axes.
WEFT_API WEFT_NODISCARD weft_status weft_swapaxes(weft_array **out, const weft_array *x, weft_axes axis1,
                                                  weft_axes axis2);
/// Reverses each of the axes.
WEFT_API WEFT_NODISCARD weft_status weft_flip(weft_array **out, const weft_array *x, weft_axes axes);
/// numpy.rot90: rotates by k times 90 degrees in the plane of two axes, from the first towards the second (for a
/// matrix: WEFT_AXES(0, 1)).
WEFT_API WEFT_NODISCARD weft_status weft_rot90(weft_array **out, const weft_array *x, int64_t k, weft_axes axes);
/// Removes axes of length 1; any other length is WEFT_ERROR_SHAPE. WEFT_ALL_AXES removes all axes of length 1. As in
/// NumPy, 0 and -1 are allowed for an array without axes and change nothing.
WEFT_API WEFT_NODISCARD weft_status weft_squeeze(weft_array **out, const weft_array *x, weft_axes axes);
/// numpy.expand_dims: adds axes of length 1, which become the axes `axes` of the result. Errors: WEFT_ERROR_SHAPE (over
/// 8 axes).
WEFT_API WEFT_NODISCARD weft_status weft_expand(weft_array **out, const weft_array *x, weft_axes axes);

/// numpy.atleast_1d, atleast_2d, atleast_3d: a view with at least 1, 2, 3 axes. In two and three axes, a single axis
/// becomes the second one; in three, two axes are the first ones.
WEFT_API WEFT_NODISCARD weft_status weft_atleast_1d(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_atleast_2d(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_atleast_3d(weft_array **out, const weft_array *x);

/* ---- shapes ---- */

/// Gives the elements another shape; one length may be -1 and is computed. Errors: WEFT_ERROR_SHAPE (another number of
/// elements), WEFT_ERROR_LAYOUT (strides do not allow a view: weft_copy first).
WEFT_API WEFT_NODISCARD weft_status weft_reshape(weft_array **out, const weft_array *x, weft_shape shape);
/// numpy.ravel: all elements in row-major order along one axis. A view where strides allow it, else a contiguous copy.
/// Errors of a copy: WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET.
WEFT_API WEFT_NODISCARD weft_status weft_ravel(weft_array **out, const weft_array *x);
/// Repeats axes of length 1 and adds axes in front, without memory (stride 0). The view cannot be written. Errors:
/// WEFT_ERROR_SHAPE.
WEFT_API WEFT_NODISCARD weft_status weft_broadcast(weft_array **out, const weft_array *x, weft_shape shape);
/// NumPy's x.view(dtype): the same bytes read as another dtype. A dtype of equal size works with any layout. Any other
/// size changes the length of the last axis, which must exist and hold a whole number of new elements
/// (WEFT_ERROR_SHAPE), be contiguous, and begin at a multiple of the new size (WEFT_ERROR_LAYOUT). Bytes read as bool
/// should be 0 or 1. Other errors: WEFT_ERROR_DTYPE, WEFT_ERROR_UNSUPPORTED, WEFT_ERROR_OVERFLOW.
WEFT_API WEFT_NODISCARD weft_status weft_view_as(weft_array **out, const weft_array *x, weft_dtype dtype);

/// The real or the imaginary parts of complex numbers as a view that can be written, NumPy's x.real and x.imag. An `x`
/// of real numbers is its own real part. weft_real and weft_imag copy. WEFT_ERROR_DTYPE: the imaginary part of real
/// numbers. WEFT_ERROR_LAYOUT: the parts begin at no multiple of their size (in adopted memory).
WEFT_API WEFT_NODISCARD weft_status weft_view_real(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_view_imag(weft_array **out, const weft_array *x);

/// numpy.broadcast_arrays: `count` arrays broadcast to their common shape, as weft_broadcast does. `outs` has room for
/// `count` handles, each NULL; on failure all stay NULL. Errors: WEFT_ERROR_ARGUMENT (count under 1), WEFT_ERROR_SHAPE.
WEFT_API WEFT_NODISCARD weft_status weft_broadcast_arrays(weft_array **outs, weft_array *const *arrays, int count);

/// NumPy's indexing="xy" (the first array varies along the second axis) or "ij".
typedef enum weft_indexing { WEFT_INDEXING_XY = 0, WEFT_INDEXING_IJ } weft_indexing;
/// Options of weft_meshgrid.
typedef struct weft_meshgrid_params {
  weft_indexing indexing; /* default WEFT_INDEXING_XY */
  bool sparse;            /* length 1 in the other axes: the views broadcast to the grid, and can be written */
  const char *site;       /* set by the macro */
} weft_meshgrid_params;

/// numpy.meshgrid(copy=False): broadcasts `count` arrays of at most one axis to the shape of their grid. The views
/// cannot be written. Functions over arrays broadcast implicitly and need `.sparse` only: numpy.ix_ is WEFT_INDEXING_IJ
/// with it. `outs` has room for `count` handles, each NULL; on failure all stay NULL. Errors: WEFT_ERROR_ARGUMENT
/// (count not 1 to 8), WEFT_ERROR_SHAPE (more than one axis).
WEFT_API WEFT_NODISCARD weft_status weft_meshgrid(weft_array **outs, weft_array *const *arrays, int count,
                                                  const weft_meshgrid_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__view_at(weft_array **out, const weft_array *x, const char *indices,
                                                  const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__slice_at(weft_array **out, const weft_array *x, weft_axes axis, int64_t start,
                                                   int64_t stop, const weft_slice_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__pick_at(weft_array **out, const weft_array *x, weft_axes axis, int64_t index,
                                                  const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__diagonal_at(weft_array **out, const weft_array *x, weft_axes axes,
                                                      const weft_diagonal_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__split_at(weft_array **outs, const weft_array *x, int64_t sections,
                                                   weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__array_split_at(weft_array **outs, const weft_array *x, int64_t sections,
                                                         weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__split_at_at(weft_array **outs, const weft_array *x, const int64_t *positions,
                                                      int64_t count, weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__transpose_at(weft_array **out, const weft_array *x, weft_axes axes,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__moveaxis_at(weft_array **out, const weft_array *x, weft_axes source,
                                                      weft_axes destination, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__swapaxes_at(weft_array **out, const weft_array *x, weft_axes axis1,
                                                      weft_axes axis2, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__flip_at(weft_array **out, const weft_array *x, weft_axes axes,
                                                  const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__rot90_at(weft_array **out, const weft_array *x, int64_t k, weft_axes axes,
                                                   const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__squeeze_at(weft_array **out, const weft_array *x, weft_axes axes,
                                                     const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__expand_at(weft_array **out, const weft_array *x, weft_axes axes,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__atleast_at(weft_array **out, const weft_array *x, int ndim, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__reshape_at(weft_array **out, const weft_array *x, weft_shape shape,
                                                     const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__ravel_at(weft_array **out, const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__broadcast_at(weft_array **out, const weft_array *x, weft_shape shape,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__view_as_at(weft_array **out, const weft_array *x, weft_dtype dtype,
                                                     const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__view_part_at(weft_array **out, const weft_array *x, bool imaginary,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__broadcast_arrays_at(weft_array **outs, weft_array *const *arrays, int count,
                                                              const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__meshgrid_at(weft_array **outs, weft_array *const *arrays, int count,
                                                      const weft_meshgrid_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__sliding_window_at(weft_array **out, const weft_array *x, weft_shape window,
                                                            weft_axes axes, const char *site);

#define weft_view(out, x, indices) weft__view_at(WEFT__PLACE(weft_array, out), (x), (indices), WEFT_SITE)
#define weft_slice(out, x, axis, start, ...)                                                               \
  weft__slice_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axis), (start), (WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_slice_params, __VA_ARGS__))
#define weft_pick(out, x, axis, index) \
  weft__pick_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axis), (index), WEFT_SITE)
#define weft_diagonal(out, x, ...)                                                           \
  weft__diagonal_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_diagonal_params, __VA_ARGS__))
#define weft_split(outs, x, sections, axis) \
  weft__split_at(WEFT__PLACE(weft_array, outs), (x), (sections), WEFT__AXES(axis), WEFT_SITE)
#define weft_array_split(outs, x, sections, axis) \
  weft__array_split_at(WEFT__PLACE(weft_array, outs), (x), (sections), WEFT__AXES(axis), WEFT_SITE)
#define weft_split_at(outs, x, positions, count, axis) \
  weft__split_at_at(WEFT__PLACE(weft_array, outs), (x), (positions), (count), WEFT__AXES(axis), WEFT_SITE)
#define weft_transpose(out, x, axes) weft__transpose_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_moveaxis(out, x, source, destination) \
  weft__moveaxis_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(source), WEFT__AXES(destination), WEFT_SITE)
#define weft_swapaxes(out, x, axis1, axis2) \
  weft__swapaxes_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axis1), WEFT__AXES(axis2), WEFT_SITE)
#define weft_flip(out, x, axes) weft__flip_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_rot90(out, x, k, axes) weft__rot90_at(WEFT__PLACE(weft_array, out), (x), (k), WEFT__AXES(axes), WEFT_SITE)
#define weft_squeeze(out, x, axes) weft__squeeze_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_expand(out, x, axes) weft__expand_at(WEFT__PLACE(weft_array, out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_atleast_1d(out, x) weft__atleast_at(WEFT__PLACE(weft_array, out), (x), 1, WEFT_SITE)
#define weft_atleast_2d(out, x) weft__atleast_at(WEFT__PLACE(weft_array, out), (x), 2, WEFT_SITE)
#define weft_atleast_3d(out, x) weft__atleast_at(WEFT__PLACE(weft_array, out), (x), 3, WEFT_SITE)
#define weft_reshape(out, x, shape) weft__reshape_at(WEFT__PLACE(weft_array, out), (x), (shape), WEFT_SITE)
#define weft_ravel(out, x) weft__ravel_at(WEFT__PLACE(weft_array, out), (x), WEFT_SITE)
#define weft_broadcast(out, x, shape) weft__broadcast_at(WEFT__PLACE(weft_array, out), (x), (shape), WEFT_SITE)
#define weft_view_as(out, x, dtype) weft__view_as_at(WEFT__PLACE(weft_array, out), (x), (dtype), WEFT_SITE)
#define weft_view_real(out, x) weft__view_part_at(WEFT__PLACE(weft_array, out), (x), false, WEFT_SITE)
#define weft_view_imag(out, x) weft__view_part_at(WEFT__PLACE(weft_array, out), (x), true, WEFT_SITE)
#define weft_broadcast_arrays(outs, arrays, count) \
  weft__broadcast_arrays_at(WEFT__PLACE(weft_array, outs), (arrays), (count), WEFT_SITE)
#define weft_sliding_window(out, x, window, axes) \
  weft__sliding_window_at(WEFT__PLACE(weft_array, out), (x), (window), WEFT__AXES(axes), WEFT_SITE)
#define weft_meshgrid(outs, arrays, ...)                                                 \
  weft__meshgrid_at(WEFT__PLACE(weft_array, outs), (arrays), (WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_meshgrid_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
