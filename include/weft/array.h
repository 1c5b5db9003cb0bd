// SPDX-License-Identifier: MIT
/// Arrays on the device: handles, properties, copies to the host. weft/create.h makes arrays, weft/view.h views.
///
///     weft_array *x = NULL;
///     rc = weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(3, 4));
///     weft_array_release(&x);
///
/// An array is a dtype, a shape, strides and an offset into reference-counted device memory (its storage), which views
/// share. Work is enqueued on the thread's stream and the call returns; docs/conventions.md lists the calls
/// that wait.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_ARRAY_H
#define WEFT_ARRAY_H

#include <weft/axes.h>
#include <weft/context.h>
#include <weft/dtype.h>
#include <weft/shape.h>

WEFT_BEGIN_DECLS

/// An array on the device, or a view of one.
typedef struct weft_array weft_array;

/* ---- handles ---- */

/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_array *weft_array_retain(weft_array *array);
/// Drops a reference and sets *array to NULL; NULL is allowed. The last release returns the memory to the pool without
/// waiting. The release of host memory (weft_wrap_host) and of a DLPack tensor's memory waits for the context's work.
WEFT_API void weft_array_release(weft_array **array);
/// Sets the tag of `x`, and of its memory unless `x` is a view, for reports (weft/memory.h). NULL or "": no tag.
/// weft_memory_tag tags all objects that a thread makes.
WEFT_API WEFT_NODISCARD weft_status weft_array_set_tag(weft_array *x, const char *tag);

/* ---- properties ----
   These cannot fail: for NULL or any other object they return WEFT_DTYPE_NONE, no axes, 0, NULL or false. */

/// The dtype, the shape, and the number of axes.
WEFT_API weft_dtype weft_array_dtype(const weft_array *x);
WEFT_API weft_shape weft_array_shape(const weft_array *x);
WEFT_API int weft_array_ndim(const weft_array *x);
/// Length of `axis`, which counts from the end if negative; 0 if the array has no such axis.
WEFT_API int64_t weft_array_length(const weft_array *x, int axis);
/// Bytes from one element to the next along `axis`: negative in a flipped view, 0 in a broadcast one.
WEFT_API int64_t weft_array_stride_bytes(const weft_array *x, int axis);
/// Number of elements.
WEFT_API int64_t weft_array_size(const weft_array *x);
/// Elements times bytes per element. The storage may be larger.
WEFT_API int64_t weft_array_size_bytes(const weft_array *x);
/// Whether the elements lie without gaps, outermost axis first.
WEFT_API bool weft_array_is_contiguous(const weft_array *x);
/// Whether calls refuse to write it: a broadcast view (WEFT_ERROR_LAYOUT), or memory lent to Weft for reading only
/// (WEFT_ERROR_READ_ONLY).
WEFT_API bool weft_array_is_read_only(const weft_array *x);
/// The array's context: borrowed, not retained.
WEFT_API weft_context *weft_array_context(const weft_array *x);

/// Describes the array in one line, such as "f32[100000] on NVIDIA H200, contiguous, 400000 bytes". Does not wait.
WEFT_API WEFT_NODISCARD weft_status weft_array_describe(char **text, const weft_array *x);

/* ---- to the host ---- */

/// Waits for `x` and copies its elements to `data`, contiguous, outermost axis first. `size_bytes` is the size of
/// `data` and must be weft_array_size_bytes(x) (WEFT_ERROR_SHAPE). A failure of earlier work is reported here. A view
/// that is not contiguous needs device memory for a copy (WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET).
WEFT_API WEFT_NODISCARD weft_status weft_to_host(void *data, size_t size_bytes, const weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__to_host_at(void *data, size_t size_bytes, const weft_array *x,
                                                     const char *site);

#define weft_to_host(data, size_bytes, x) weft__to_host_at((data), (size_bytes), (x), WEFT_SITE)

WEFT_END_DECLS

#include <weft/create.h>
#include <weft/view.h>

#endif
