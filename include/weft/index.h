// SPDX-License-Identifier: MIT
/// Elements by their indices: take, put, gather, scatter.
///
///     rc = weft_take(&rows, table, numbers, 0);                rows = table[numbers]
///     rc = weft_take(&some, x, numbers, WEFT_ALL_AXES, .mode = WEFT_INDEX_CLIP);
///     rc = weft_at(&y, x, i, j);                               x[i, j]
///     rc = weft_put(x, where, 0.0f);                           x.flat[where] = 0
///     rc = weft_scatter_add(bins, keys, weights, 0);           numpy.add.at(bins, keys, weights)
///     rc = weft_assign(x, mask, 0);                            x[mask] = 0
///
/// What follows holds for all of them. Indices: of any integer dtype and shape, arrays or host memory, or a C integer.
/// Those that are not i32, u32, i64 or u64 and contiguous are copied first. bool is WEFT_ERROR_DTYPE: a mask is another
/// thing. Axis: one, -1 is the last one; WEFT_ALL_AXES: the elements in row-major order, as if the array had one axis.
/// Operands: arrays, host memory (WEFT_HOST, copied to the device) and C scalars. Results as in weft/ufunc.h: made,
/// given, or host memory. All dtypes; any strides: a view whose axes before and behind the axis merge into one each
/// (slices of up to three axes, the axis anywhere) is used as it lies, another is copied. Out of range: by default
/// (WEFT_INDEX_ERROR) such an element is skipped: nothing is read or written for it, and in a result it is 0. The call
/// itself does not wait, so the error comes with the next call that waits for the device or reads from it
/// (weft_context_wait, weft_stream_wait, weft_to_host, a result in host memory, also this call's own):
/// WEFT_ERROR_INDEX, with the name, the argument and the site of the call that had the index:
///     weft_take: index 12 at position 3 of `indices` is out of range for axis 0 of 10 elements; at file.c:41
/// The position counts the indices in row-major order, and is the first one. Of several such calls the first one is
/// told, once. The context goes on working. Where the length is 0 and there are indices, the call itself answers.
/// Blocking: as in weft/ufunc.h. A call waits where 128 checking calls were made since the last wait.
/// Errors: WEFT_ERROR_INDEX, WEFT_ERROR_AXIS, WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_OVERFLOW,
/// WEFT_ERROR_LAYOUT, WEFT_ERROR_READ_ONLY, WEFT_ERROR_CONTEXT, WEFT_ERROR_UNSUPPORTED (f64 without fp64),
/// WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_INDEX_H
#define WEFT_INDEX_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// What an index out of range is.
typedef enum weft_index_mode {
  WEFT_INDEX_ERROR = 0, /* an error; -1 to -length count from the end */
  WEFT_INDEX_CLIP,      /* the nearest one that is in range; negative ones are 0 */
  WEFT_INDEX_WRAP,      /* modulo the length */
} weft_index_mode;

/// Options of the functions here.
typedef struct weft_index_params {
  weft_index_mode mode;
  bool deterministic; /* writing: the same result on every run, whatever it costs */
  const char *site;   /* set by the macros */
} weft_index_params;

/* ---- reading ---- */

/// numpy.take: x[.., indices, ..], the axis replaced by the axes of `indices`; with WEFT_ALL_AXES x.flat[indices], of
/// the shape of `indices`. Runs behind the axis are moved in units of up to 16 bytes. Method: a gather, one thread for
/// some units; one work-item for a run of them on CPUs.
WEFT_API WEFT_NODISCARD weft_status weft_take(weft_array **out, const weft_array *x, const weft_array *indices,
                                              weft_axes axis, const weft_index_params *params);

/// numpy.take_along_axis: out[i][j] = x[indices[i][j]][j] for axis 0, and so on. `indices` has as many axes as x; their
/// lengths but for the axis are equal or one of them is 1, which is repeated.
WEFT_API WEFT_NODISCARD weft_status weft_take_along_axis(weft_array **out, const weft_array *x,
                                                         const weft_array *indices, weft_axes axis,
                                                         const weft_index_params *params);

/// NumPy's x[i, j, ...]: weft_at(&y, x, i, j) with one list of indices for each of x's first axes. The indices are
/// broadcast together; the result has their shape, then x's other axes. WEFT_INDEXING(.mode = WEFT_INDEX_CLIP) among
/// the indices sets the mode. One launch for each list, and a take; x is copied first where its indexed axes do not
/// merge into one. Errors: WEFT_ERROR_ARGUMENT (no indices), WEFT_ERROR_SHAPE (more of them than axes, or they do not
/// broadcast).
WEFT_API WEFT_NODISCARD weft_status weft_at(weft_array **out, const weft_array *x, int count,
                                            const weft_operand *indices);
/// Options among the indices of weft_at. In C++17 WEFT_INDEXING(p) with a weft_index_params p.
#define WEFT_INDEXING(...) weft__operand_indexing(WEFT__STRUCT(weft_index_params, __VA_ARGS__))

/// x[k].flat[indices] for `count` arrays with one array of indices (PyCUDA's multi_take): four arrays of elements of
/// one size are served by one launch. Each out[k] is NULL or fits; they must not overlap. The arrays have equally many
/// elements.
WEFT_API WEFT_NODISCARD weft_status weft_take_many(weft_array **out, const weft_array *const *x, int count,
                                                   const weft_array *indices, const weft_index_params *params);

/* ---- writing, in place ----
   Values are cast to x's dtype where that is same-kind; C scalars take it. Indices and values may overlap x: they are
   read first. Where indices are equal, one of their values is stored, whole, and which is not said (of a row behind the
   axis each element is one of them); with .deterministic it is the last one, as in NumPy. On CPUs it always is. */

/// numpy.put: x.flat[indices] = values. Fewer values than indices are repeated, more are not used.
WEFT_API WEFT_NODISCARD weft_status weft_put(weft_array *x, const weft_array *indices, const weft_array *values,
                                             const weft_index_params *params);

/// numpy.put_along_axis: x[indices[i][j]][j] = values[i][j] for axis 0, and so on. `indices` has as many axes as x, of
/// x's lengths or 1 but for the axis; `values` are broadcast to the shape of both.
WEFT_API WEFT_NODISCARD weft_status weft_put_along_axis(weft_array *x, const weft_array *indices,
                                                        const weft_array *values, weft_axes axis,
                                                        const weft_index_params *params);

/// x[.., indices, ..] = values: the way back of weft_take. `values` are broadcast to the shape that weft_take would
/// give.
WEFT_API WEFT_NODISCARD weft_status weft_scatter(weft_array *x, const weft_array *indices, const weft_array *values,
                                                 weft_axes axis, const weft_index_params *params);

/// numpy.add.at: x[.., indices, ..] += values, each of equal indices counted. Integers wrap around; the sum of bools is
/// their `or`. Float sums depend on the order of the additions, which on GPUs is another one on each run; f32 additions
/// there may take subnormal numbers for 0, as NVIDIA's atomics do. With .deterministic, and on CPUs, the additions are
/// those of a loop over the indices, rounded each time (narrow floats too): the same bits on every run and every
/// device. Method: atomics on GPUs (compare and exchange where there is none for the type); else ranges of places, each
/// of which goes through all indices.
WEFT_API WEFT_NODISCARD weft_status weft_scatter_add(weft_array *x, const weft_array *indices, const weft_array *values,
                                                     weft_axes axis, const weft_index_params *params);
/// numpy.minimum.at, maximum.at: as weft_scatter_add. A NaN stays or is taken over. Complex numbers are
/// WEFT_ERROR_DTYPE.
WEFT_API WEFT_NODISCARD weft_status weft_scatter_min(weft_array *x, const weft_array *indices, const weft_array *values,
                                                     weft_axes axis, const weft_index_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_scatter_max(weft_array *x, const weft_array *indices, const weft_array *values,
                                                     weft_axes axis, const weft_index_params *params);

/// x[k].flat[indices] = values[k] for `count` arrays with one array of indices (PyCUDA's multi_put). Each values[k] has
/// x[k]'s dtype and as many elements as `indices`; the x[k] have equally many elements, and no array overlaps another.
WEFT_API WEFT_NODISCARD weft_status weft_put_many(weft_array *const *x, const weft_array *const *values, int count,
                                                  const weft_array *indices, const weft_index_params *params);

/// x[mask] = value for a value that broadcasts to x: numpy.copyto(x, value, where=mask). `mask` is bool and broadcasts
/// to x's shape. Does not wait. Errors: WEFT_ERROR_DTYPE (the mask is not bool), WEFT_ERROR_SHAPE.
WEFT_API WEFT_NODISCARD weft_status weft_assign(weft_array *x, const weft_array *mask, const weft_array *value);

/* ---- reductions over a part ---- */

/// PyCUDA's subset_sum and its like: weft_sum, weft_min, weft_max of x.flat[indices], weft_dot of a.flat[indices] and
/// b.flat[indices]; an index that comes twice counts twice. One element, of the dtype that the reduction gives. Method:
/// weft_take into memory of the call's own, then the reduction. Where no operand is an array, the thread's default
/// context is used.
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
