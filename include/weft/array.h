// SPDX-License-Identifier: MIT
/// Arrays on the device: what they are, copies to the host. How they are made is in create.h, views are in view.h.
///
/// An array is a dtype, a shape, strides and a place in a reference-counted storage; views share the storage. Handles
/// are reference counted like contexts and hold their context. An array, with all views of its storage, belongs to one
/// thread at a time.
///
/// Calls with a result take it first. Those that fill an array: if *out is NULL a new array is made, else *out must
/// have the result's shape and a dtype that the result is cast to by itself (the same kind or a later one of bool,
/// integer, float, complex), and is written in place. Those that make views refuse a *out that is not NULL. On failure
/// *out is as it was. Work is enqueued on the context's stream and the call returns; only copies between host and
/// device wait.
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
/// Drops a reference and sets *array to NULL; the last one returns its memory to the pool without waiting (around a
/// tensor of others it waits, see dlpack.h). NULL is fine.
WEFT_API void weft_array_release(weft_array **array);
/// Tags `x`, and the memory it brought along, in reports and leaks (weft/memory.h; weft_memory_tag tags all that a
/// thread makes). NULL or "": no tag.
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
/// Calls that would write it refuse: a broadcast view (WEFT_ERROR_LAYOUT), memory lent to Weft for reading only
/// (WEFT_ERROR_READ_ONLY).
WEFT_API bool weft_array_is_read_only(const weft_array *x);
/// Borrowed, not retained.
WEFT_API weft_context *weft_array_context(const weft_array *x);

/// One line such as "f32[100000] on NVIDIA H200, contiguous, 400000 bytes". Free *text with weft_free. Does not wait.
WEFT_API WEFT_NODISCARD weft_status weft_array_describe(char **text, const weft_array *x);

/* ---- to the host ---- */

/// Waits for `x` and copies its elements to `data`, contiguous, outermost axis first. `size_bytes` is the room at
/// `data` and must be exactly weft_array_size_bytes(x) (WEFT_ERROR_SHAPE). A failure of earlier work is reported here.
WEFT_API WEFT_NODISCARD weft_status weft_to_host(void *data, size_t size_bytes, const weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__to_host_at(void *data, size_t size_bytes, const weft_array *x,
                                                     const char *site);

#define weft_to_host(data, size_bytes, x) weft__to_host_at((data), (size_bytes), (x), WEFT_SITE)

WEFT_END_DECLS

#include <weft/create.h>
#include <weft/view.h>

#endif
