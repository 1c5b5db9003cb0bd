// SPDX-License-Identifier: MIT
/// Arrays on the device: what they are, views, copies to the host. How they are made is in create.h.
///
/// An array is a dtype, a shape, strides and a place in a reference-counted storage; views share the storage. Handles are reference
/// counted like contexts and hold their context. An array, with all views of its storage, belongs to one thread at a time.
///
/// Calls with a result take it first. Those that fill an array: if *out is NULL a new array is made, else *out must have the result's
/// shape and a dtype that the result is cast to by itself (the same kind or a later one of bool, integer, float, complex), and is written
/// in place. Those that make views refuse a *out that is not NULL. On failure *out is as it was.
/// Work is enqueued on the context's stream and the call returns; only copies between host and device wait.
#ifndef WEFT_ARRAY_H
#define WEFT_ARRAY_H

#include <weft/axes.h>
#include <weft/context.h>
#include <weft/dtype.h>
#include <weft/shape.h>

WEFT_BEGIN_DECLS

typedef struct weft_array weft_array;

/* ---- handles ---- */

/// Adds a reference and returns its argument. NULL is fine. Thread: the array's.
WEFT_API weft_array *weft_array_retain(weft_array *array);
/// Drops a reference and sets *array to NULL; the last one returns its memory to the pool without waiting (around a tensor of others it
/// waits, see dlpack.h). NULL is fine.
WEFT_API void weft_array_release(weft_array **array);
/// Tags `x`, and the memory it brought along, in reports and leaks (weft/memory.h; weft_memory_tag tags all that a thread makes). NULL or
/// "": no tag.
/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_CLOSED, WEFT_ERROR_HOST_MEMORY. Thread: the array's.
WEFT_API WEFT_NODISCARD weft_status weft_array_set_tag(weft_array *x, const char *tag);

/* ---- what an array is ----
   These cannot fail: for NULL or something that is no array they answer NONE, 0, NULL or false. Thread: the array's. */

WEFT_API weft_dtype weft_array_dtype(const weft_array *x);
WEFT_API weft_shape weft_array_shape(const weft_array *x);
WEFT_API int weft_array_ndim(const weft_array *x);
/// Length of `axis`; negative axes count from the end; 0 for an axis it has not.
WEFT_API int64_t weft_array_length(const weft_array *x, int axis);
/// Bytes from one element to the next along `axis`; negative in a flipped view, 0 in a broadcast one.
WEFT_API int64_t weft_array_stride_bytes(const weft_array *x, int axis);
/// Number of elements.
WEFT_API int64_t weft_array_size(const weft_array *x);
/// Elements times bytes per element: what the values need, not what the storage holds.
WEFT_API int64_t weft_array_size_bytes(const weft_array *x);
WEFT_API bool weft_array_is_contiguous(const weft_array *x);
/// Calls that would write it refuse: a broadcast view (WEFT_ERROR_LAYOUT), memory lent to Weft for reading only (WEFT_ERROR_READ_ONLY).
WEFT_API bool weft_array_is_read_only(const weft_array *x);
/// Borrowed, not retained.
WEFT_API weft_context *weft_array_context(const weft_array *x);

/// One line such as "f32[100000] on NVIDIA H200, contiguous, 400000 bytes". Free *text with weft_free. Does not wait.
WEFT_API WEFT_NODISCARD weft_status weft_array_describe(char **text, const weft_array *x);

/* ---- views: no copy, same storage ----
   *out must be NULL. Axes may be negative, counting from the end. Errors: WEFT_ERROR_AXIS, WEFT_ERROR_SHAPE, WEFT_ERROR_INDEX,
   WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE. */

/// "To the end" of a slice in the direction of its step: NumPy's missing start or stop.
#define WEFT_END INT64_MAX

/// x[start:stop:step] along `axis`, with NumPy's rules: negative positions count from the end, positions beyond are clipped, step may be
/// negative but not 0; WEFT_END for start or stop leaves it out.
#define weft_slice(out, x, axis, start, stop, step) weft__slice_at((out), (x), (axis), (start), (stop), (step), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__slice_at(weft_array **out, const weft_array *x, int axis, int64_t start, int64_t stop,
                                                  int64_t step, const char *site);
/// x[index] along `axis`, which disappears. WEFT_ERROR_INDEX out of range.
#define weft_index(out, x, axis, index) weft__index_at((out), (x), (axis), (index), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__index_at(weft_array **out, const weft_array *x, int axis, int64_t index, const char *site);
/// Axis i of the result is axis axes.dim[i] of `x`. WEFT_SHAPE_0D (no axes) reverses their order.
#define weft_transpose(out, x, axes) weft__transpose_at((out), (x), (axes), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__transpose_at(weft_array **out, const weft_array *x, weft_shape axes, const char *site);
/// The same elements in another shape; one length may be -1. WEFT_ERROR_LAYOUT where strides do not allow a view: weft_copy first.
#define weft_reshape(out, x, shape) weft__reshape_at((out), (x), (shape), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__reshape_at(weft_array **out, const weft_array *x, weft_shape shape, const char *site);
/// numpy.ravel: all elements in row-major order along one axis. A view where strides allow it, else a contiguous copy
/// (weft_reshape never copies, weft_copy always does). A copy can also fail with WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET
/// or WEFT_ERROR_LOST.
#define weft_ravel(out, x) weft__ravel_at((out), (x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__ravel_at(weft_array **out, const weft_array *x, const char *site);
/// NumPy's x.view(dtype): the same bytes read as another dtype. A dtype of the same size works with any layout. A dtype
/// of another size changes the length of the last axis, which must exist and have a whole number of the new elements
/// (WEFT_ERROR_SHAPE), be contiguous, and begin at a multiple of the new element size (WEFT_ERROR_LAYOUT). Bytes read
/// as bool should be 0 or 1. Other errors: WEFT_ERROR_DTYPE, WEFT_ERROR_UNSUPPORTED.
#define weft_view_as(out, x, dtype) weft__view_as_at((out), (x), (dtype), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__view_as_at(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site);
/// Repeats axes of length 1, and adds axes in front, without memory (stride 0). Such a view cannot be written to.
#define weft_broadcast(out, x, shape) weft__broadcast_at((out), (x), (shape), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__broadcast_at(weft_array **out, const weft_array *x, weft_shape shape, const char *site);
/// Removes `axis`, which must have length 1; WEFT_EVERY_AXIS removes all such axes. An array without axes accepts 0 and
/// -1 and does not change, as in NumPy.
#define weft_squeeze(out, x, axis) weft__squeeze_at((out), (x), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__squeeze_at(weft_array **out, const weft_array *x, int axis, const char *site);
/// Adds an axis of length 1 so that it becomes axis `axis` of the result (NumPy's expand_dims).
#define weft_expand(out, x, axis) weft__expand_at((out), (x), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__expand_at(weft_array **out, const weft_array *x, int axis, const char *site);
/// Reverses `axis`, or every axis with WEFT_EVERY_AXIS.
#define weft_flip(out, x, axis) weft__flip_at((out), (x), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__flip_at(weft_array **out, const weft_array *x, int axis, const char *site);

/* ---- to the host ---- */

/// Waits for `x` and copies its elements to `data`, contiguous, outermost axis first. `size_bytes` is the room at `data` and must be
/// exactly weft_array_size_bytes(x) (WEFT_ERROR_SHAPE). A failure of earlier work is reported here.
#define weft_to_host(data, size_bytes, x) weft__to_host_at((data), (size_bytes), (x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__to_host_at(void *data, size_t size_bytes, const weft_array *x, const char *site);

WEFT_END_DECLS

#include <weft/create.h>

#endif
