// SPDX-License-Identifier: MIT
/// Elements by their indices: take, put, gather, scatter.
///
///     rc = weft_take(&rows, table, numbers, 0);                rows = table[numbers]
///     rc = weft_at(&y, x, i, j);                               x[i, j]
///     rc = weft_put(x, where, 0.0f);                           x.flat[where] = 0
///     rc = weft_scatter_add(bins, keys, weights, 0);           numpy.add.at(bins, keys, weights)
///     rc = weft_assign(x, mask, 0);                            x[mask] = 0
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_INDEX_H
#define WEFT_INDEX_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- indices ----
   Any integer dtype and shape, in arrays or host memory, or a C integer. bool indices are an error (WEFT_ERROR_DTYPE);
   for masks use weft_compress. With WEFT_ALL_AXES indices are row-major numbers of elements. Indices other than
   contiguous i32, u32, i64 and u64 are copied first, and so are views of x whose axes in front of the axis, or behind
   it, cannot be merged into one axis.

   An index out of range, with WEFT_INDEX_ERROR, skips its element: nothing is read or written for it, and in a result
   it is 0. The call does not wait; the next call that waits for the device or reads from it (also this one, for a
   result in host memory) returns WEFT_ERROR_INDEX with the function, the argument and the caller's line:
       weft_take: index 12 at position 3 of `indices` is out of range for axis 0 of 10 elements; at file.c:41
   It names the first bad index in row-major order. If several calls fail, the earliest is reported, once. The context
   stays usable. An index into an axis of length 0 is reported by the call itself. After 128 calls that check indices
   without a wait between them, the next one waits. */

/// The treatment of an index out of range.
typedef enum weft_index_mode {
  WEFT_INDEX_ERROR = 0, /* an error; -1 to -length count from the end and are in range */
  WEFT_INDEX_CLIP,      /* clipped to the range; negative ones become 0 */
  WEFT_INDEX_WRAP,      /* modulo the length */
} weft_index_mode;

/// Options of the functions here.
typedef struct weft_index_params {
  weft_index_mode mode;
  bool deterministic; /* writing: bit-identical in every run, but slower */
  const char *site;   /* set by the macros */
} weft_index_params;

/* ---- reading ---- */

/// numpy.take: x[.., indices, ..], in which the axes of `indices` replace the axis; with WEFT_ALL_AXES x.flat[indices],
/// of indices' shape. WEFT_ERROR_SHAPE: the result would have more than 8 axes.
WEFT_API WEFT_NODISCARD weft_status weft_take(weft_array **out, const weft_array *x, const weft_array *indices,
                                              weft_axes axis, const weft_index_params *params);

/// numpy.take_along_axis: out[i][j] = x[indices[i][j]][j] for axis 0, and so on. `indices` and x have the same number
/// of axes (WEFT_ERROR_SHAPE). Their lengths are equal except along the axis; a length of 1 is repeated.
WEFT_API WEFT_NODISCARD weft_status weft_take_along_axis(weft_array **out, const weft_array *x,
                                                         const weft_array *indices, weft_axes axis,
                                                         const weft_index_params *params);

/// NumPy's x[i, j, ...]: weft_at(&y, x, i, j) with one list of indices for each of x's first axes. The lists broadcast
/// together; the result has their shape, then x's other axes. WEFT_INDEXING(.mode = WEFT_INDEX_CLIP) among the lists
/// sets the mode. Each list is a launch, and a take follows; x is copied first if its indexed axes do not merge into
/// one. WEFT_ERROR_ARGUMENT: no lists. WEFT_ERROR_SHAPE: more lists than axes, or lists that do not broadcast.
WEFT_API WEFT_NODISCARD weft_status weft_at(weft_array **out, const weft_array *x, int count,
                                            const weft_operand *indices);
/// Options among the indices of weft_at. In C++17 WEFT_INDEXING(p) with a weft_index_params p.
#define WEFT_INDEXING(...) weft__operand_indexing(WEFT__STRUCT(weft_index_params, __VA_ARGS__))

/// x[k].flat[indices] for `count` arrays of equally many elements with one array of indices (PyCUDA's multi_take). Four
/// arrays of one element size share a launch. Each out[k] is NULL or fits. WEFT_ERROR_SHAPE: the sizes differ.
/// WEFT_ERROR_LAYOUT: a result overlaps another result, an x[k] or the indices.
WEFT_API WEFT_NODISCARD weft_status weft_take_many(weft_array **out, const weft_array *const *x, int count,
                                                   const weft_array *indices, const weft_index_params *params);

/* ---- writing, in place ----
   Values are cast to x's dtype (same-kind); C scalars take it. Indices and values may overlap x: they are read first.
   For equal indices one of their values is stored, unspecified which one (for slices behind the axis: each element is
   one of them). With .deterministic, and on CPUs, it is the last one, as in NumPy. */

/// numpy.put: x.flat[indices] = values. Too few values are repeated, surplus ones are ignored.
WEFT_API WEFT_NODISCARD weft_status weft_put(weft_array *x, const weft_array *indices, const weft_array *values,
                                             const weft_index_params *params);

/// numpy.put_along_axis: x[indices[i][j]][j] = values[i][j] for axis 0, and so on. `indices` has as many axes as x,
/// with x's lengths or 1 except along the axis (WEFT_ERROR_SHAPE); `values` broadcast to the shape of x and indices
/// together.
WEFT_API WEFT_NODISCARD weft_status weft_put_along_axis(weft_array *x, const weft_array *indices,
                                                        const weft_array *values, weft_axes axis,
                                                        const weft_index_params *params);

/// x[.., indices, ..] = values, the inverse of weft_take. `values` broadcast to the shape that weft_take would give
/// (WEFT_ERROR_SHAPE).
WEFT_API WEFT_NODISCARD weft_status weft_scatter(weft_array *x, const weft_array *indices, const weft_array *values,
                                                 weft_axes axis, const weft_index_params *params);

/// numpy.add.at: x[.., indices, ..] += values, in which repeated indices count each time. Integers wrap around; bools
/// are combined by `or`. On GPUs float sums depend on the order of additions, which changes from run to run, and f32
/// additions may flush subnormal numbers to 0, as NVIDIA's atomics do. With .deterministic, and on CPUs, additions run
/// in the order of the indices and are rounded each time (narrow floats too): bit-identical in every run and on every
/// device.
WEFT_API WEFT_NODISCARD weft_status weft_scatter_add(weft_array *x, const weft_array *indices, const weft_array *values,
                                                     weft_axes axis, const weft_index_params *params);
/// numpy.minimum.at, numpy.maximum.at: as weft_scatter_add. A NaN in x or in values wins. WEFT_ERROR_DTYPE: complex
/// numbers.
WEFT_API WEFT_NODISCARD weft_status weft_scatter_min(weft_array *x, const weft_array *indices, const weft_array *values,
                                                     weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_scatter_max(weft_array *x, const weft_array *indices, const weft_array *values,
                                                     weft_axes axis, const weft_index_params *params);

/// x[k].flat[indices] = values[k] for `count` arrays of equally many elements with one array of indices (PyCUDA's
/// multi_put). values[k] has x[k]'s dtype (WEFT_ERROR_DTYPE) and as many elements as `indices` (WEFT_ERROR_SHAPE).
/// WEFT_ERROR_LAYOUT: an x[k] overlaps another array of the call.
WEFT_API WEFT_NODISCARD weft_status weft_put_many(weft_array *const *x, const weft_array *const *values, int count,
                                                  const weft_array *indices, const weft_index_params *params);

/// numpy.copyto(x, value, where=mask): x[mask] = value for a value that broadcasts to x. `mask` is bool
/// (WEFT_ERROR_DTYPE) and broadcasts to x's shape (WEFT_ERROR_SHAPE).
WEFT_API WEFT_NODISCARD weft_status weft_assign(weft_array *x, const weft_array *mask, const weft_array *value);

/// numpy.place: the elements of x where `mask` is true, in row-major order, become `values` one after the other, over
/// and over. `mask` is bool and has x's number of elements (WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE). Waits for the number
/// of these elements.
WEFT_API WEFT_NODISCARD weft_status weft_place(weft_array *x, const weft_array *mask, const weft_array *values);
/// numpy.putmask: as weft_place, but element i becomes values.flat[i modulo their number]. Waits only if x is not
/// contiguous.
WEFT_API WEFT_NODISCARD weft_status weft_putmask(weft_array *x, const weft_array *mask, const weft_array *values);

/// Options of weft_fill_diagonal.
typedef struct weft_fill_diagonal_params {
  bool wrap;        /* below a square, another diagonal begins after one row: of matrices with more rows than columns */
  const char *site; /* set by the macro */
} weft_fill_diagonal_params;
/// numpy.fill_diagonal: x[i, i, ...] = value, of two axes or more, in more than two of one length (WEFT_ERROR_SHAPE).
/// `value` broadcasts to the diagonal's elements; with .wrap it is one number.
WEFT_API WEFT_NODISCARD weft_status weft_fill_diagonal(weft_array *x, const weft_array *value,
                                                       const weft_fill_diagonal_params *params);

/* ---- numbers of elements ---- */

/// numpy.ravel_multi_index: the row-major numbers, i64, of the elements of an array of this shape at lists of indices,
/// one for each axis, which broadcast together: weft_ravel_multi_index(&n, WEFT_SHAPE(3, 4), i, j). Indices and
/// WEFT_INDEXING(.mode = WEFT_INDEX_CLIP) among them are as for weft_at. An element with an index out of range gets -1.
/// WEFT_ERROR_ARGUMENT: not as many lists as axes, or none.
WEFT_API WEFT_NODISCARD weft_status weft_ravel_multi_index(weft_array **out, weft_shape shape, int count,
                                                           const weft_operand *indices);
/// numpy.unravel_index: the indices along each axis, i64, of the elements with the row-major numbers `indices`. `outs`
/// has room for a handle for each axis of `shape`, each NULL; on failure all stay NULL. Numbers out of range are
/// reported as for weft_take; their indices are unspecified. WEFT_ERROR_SHAPE: no axes.
WEFT_API WEFT_NODISCARD weft_status weft_unravel_index(weft_array **outs, const weft_array *indices, weft_shape shape);

/* ---- reductions over a part ---- */

/// PyCUDA's subset_sum and its relatives: weft_sum, weft_min, weft_max of x.flat[indices], weft_dot of a.flat[indices]
/// and b.flat[indices]. Repeated indices count each time. One element, of the reduction's dtype. The selected elements
/// need temporary memory.
WEFT_API WEFT_NODISCARD weft_status weft_subset_sum(weft_array **out, const weft_array *x, const weft_array *indices);
WEFT_API WEFT_NODISCARD weft_status weft_subset_min(weft_array **out, const weft_array *x, const weft_array *indices);
WEFT_API WEFT_NODISCARD weft_status weft_subset_max(weft_array **out, const weft_array *x, const weft_array *indices);
WEFT_API WEFT_NODISCARD weft_status weft_subset_dot(weft_array **out, const weft_array *a, const weft_array *b,
                                                    const weft_array *indices);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__take_at(weft_operand out, weft_operand x, weft_operand indices,
                                                  weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__take_along_axis_at(weft_operand out, weft_operand x, weft_operand indices,
                                                             weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__at_at(weft_operand out, weft_operand x, int count,
                                                const weft_operand *indices, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__take_many_at(weft_array **out, const weft_array *const *x, int count,
                                                       weft_operand indices, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__put_at(weft_array *x, weft_operand indices, weft_operand values,
                                                 const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__put_along_axis_at(weft_array *x, weft_operand indices, weft_operand values,
                                                            weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__scatter_at(weft_array *x, weft_operand indices, weft_operand values,
                                                     weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__scatter_add_at(weft_array *x, weft_operand indices, weft_operand values,
                                                         weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__scatter_min_at(weft_array *x, weft_operand indices, weft_operand values,
                                                         weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__scatter_max_at(weft_array *x, weft_operand indices, weft_operand values,
                                                         weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__put_many_at(weft_array *const *x, const weft_array *const *values, int count,
                                                      weft_operand indices, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__assign_at(weft_array *x, weft_operand mask, weft_operand value,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__place_at(weft_array *x, weft_operand mask, weft_operand values,
                                                   const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__putmask_at(weft_array *x, weft_operand mask, weft_operand values,
                                                     const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__fill_diagonal_at(weft_array *x, weft_operand value,
                                                           const weft_fill_diagonal_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__ravel_multi_index_at(weft_operand out, weft_shape shape, int count,
                                                               const weft_operand *indices, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__unravel_index_at(weft_array **outs, weft_operand indices, weft_shape shape,
                                                           const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__subset_sum_at(weft_operand out, weft_operand x, weft_operand indices,
                                                        const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__subset_min_at(weft_operand out, weft_operand x, weft_operand indices,
                                                        const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__subset_max_at(weft_operand out, weft_operand x, weft_operand indices,
                                                        const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__subset_dot_at(weft_operand out, weft_operand a, weft_operand b,
                                                        weft_operand indices, const char *site);

#define weft_take(out, x, indices, ...)                                                                            \
  weft__take_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_take_along_axis(out, x, indices, ...)                                      \
  weft__take_along_axis_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), \
                           WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_at(out, x, ...)                                                                                   \
  weft__at_at(WEFT__RESULT(out), WEFT__OPERAND(x), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), \
              WEFT_SITE)
#define weft_take_many(out, x, count, ...)                                         \
  weft__take_many_at((out), (x), (count), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_put(x, indices, ...)                                                    \
  weft__put_at((x), WEFT__OPERAND(indices), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_put_along_axis(x, indices, values, ...)                                                                \
  weft__put_along_axis_at((x), WEFT__OPERAND(indices), WEFT__OPERAND(values), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                          WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_scatter(x, indices, values, ...)                                                                \
  weft__scatter_at((x), WEFT__OPERAND(indices), WEFT__OPERAND(values), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_scatter_add(x, indices, values, ...)                                                                \
  weft__scatter_add_at((x), WEFT__OPERAND(indices), WEFT__OPERAND(values), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_scatter_min(x, indices, values, ...)                                                                \
  weft__scatter_min_at((x), WEFT__OPERAND(indices), WEFT__OPERAND(values), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_scatter_max(x, indices, values, ...)                                                                \
  weft__scatter_max_at((x), WEFT__OPERAND(indices), WEFT__OPERAND(values), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_put_many(x, values, count, ...)                                         \
  weft__put_many_at((x), (values), (count), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_index_params, __VA_ARGS__))
#define weft_assign(x, mask, value) weft__assign_at((x), WEFT__OPERAND(mask), WEFT__OPERAND(value), WEFT_SITE)
#define weft_place(x, mask, values) weft__place_at((x), WEFT__OPERAND(mask), WEFT__OPERAND(values), WEFT_SITE)
#define weft_putmask(x, mask, values) weft__putmask_at((x), WEFT__OPERAND(mask), WEFT__OPERAND(values), WEFT_SITE)
#define weft_fill_diagonal(x, ...)                                     \
  weft__fill_diagonal_at((x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                         WEFT__OPTIONS(weft_fill_diagonal_params, __VA_ARGS__))
#define weft_ravel_multi_index(out, shape, ...)                                                                      \
  weft__ravel_multi_index_at(WEFT__RESULT(out), (shape), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), \
                             WEFT_SITE)
#define weft_unravel_index(outs, indices, shape) \
  weft__unravel_index_at(WEFT__PLACE(weft_array, outs), WEFT__OPERAND(indices), (shape), WEFT_SITE)
#define weft_subset_sum(out, x, indices) \
  weft__subset_sum_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), WEFT_SITE)
#define weft_subset_min(out, x, indices) \
  weft__subset_min_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), WEFT_SITE)
#define weft_subset_max(out, x, indices) \
  weft__subset_max_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), WEFT_SITE)
#define weft_subset_dot(out, a, b, indices) \
  weft__subset_dot_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__OPERAND(indices), WEFT_SITE)

WEFT_END_DECLS

#endif
