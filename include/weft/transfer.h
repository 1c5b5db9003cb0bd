// SPDX-License-Identifier: MIT
/// Copies between host and device that do not wait or that have strides, and memory that both sides access.
///
///   weft_from_host, weft_to_host             contiguous copies that wait (weft/create.h, weft/array.h)
///   weft_write_async, weft_read_async        on a stream, while kernels run on another one
///   weft_write_strided, weft_read_strided    a part of a table, on either side
///   weft_wrap_host, weft_map                 no copy at all, on a CPU device
///
/// `x` is an array or a view, read or written in place, in row-major order of its shape. A view that is not contiguous
/// may need device memory for a copy (WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET).
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_TRANSFER_H
#define WEFT_TRANSFER_H

#include <weft/array.h>
#include <weft/stream.h>

WEFT_BEGIN_DECLS

/* ---- on a stream ---- */

/// Copies contiguous host memory to `x` on `stream` (NULL: the thread's stream). From pinned memory the call does not
/// block, and `data` must stay unchanged until the stream, or an event recorded behind the copy, was waited for. From
/// other memory it returns when `data` may be changed. These are the rules of cudaMemcpyAsync. `size_bytes` must be
/// weft_array_size_bytes(x) (WEFT_ERROR_SHAPE).
WEFT_API WEFT_NODISCARD weft_status weft_write_async(weft_array *x, const void *data, size_t size_bytes,
                                                     weft_stream *stream);
/// Copies `x` to contiguous host memory on `stream` (NULL: the thread's stream). Into pinned memory the call does not
/// block: the bytes are there once the stream, or an event recorded behind the copy, was waited for, and that wait
/// reports failures of earlier work. Into other memory it waits, as weft_to_host does. `size_bytes` must be
/// weft_array_size_bytes(x) (WEFT_ERROR_SHAPE).
WEFT_API WEFT_NODISCARD weft_status weft_read_async(void *data, size_t size_bytes, const weft_array *x,
                                                    weft_stream *stream);

/* ---- with strides ---- */

/// Copies host elements to `x`; no other element of `x`'s memory is written. Element (i, j) is at data + i *
/// host_stride_bytes[0] + j * host_stride_bytes[1]: one stride in bytes for each axis of `x`, of any sign and
/// alignment; 0 repeats an element. NULL: contiguous, outermost axis first. Blocks until `data` may be changed. A block
/// of rows is one command (clEnqueueWriteBufferRect); any other layout is gathered on the host or rearranged on the
/// device. Errors: WEFT_ERROR_OVERFLOW (strides that exceed the address range).
WEFT_API WEFT_NODISCARD weft_status weft_write_strided(weft_array *x, const void *data,
                                                       const int64_t *host_stride_bytes);
/// Waits for `x` and copies its elements to the host, with strides as in weft_write_strided; nothing between them is
/// written. A failure of earlier work is reported here. On failure some elements may have been written. Errors:
/// WEFT_ERROR_LAYOUT (a stride of 0: elements would share memory), WEFT_ERROR_OVERFLOW.
WEFT_API WEFT_NODISCARD weft_status weft_read_strided(void *data, const int64_t *host_stride_bytes,
                                                      const weft_array *x);

/* ---- no copy ---- */

/// Options of weft_wrap_host.
typedef struct weft_wrap_params {
  /* Called once when the memory is no longer needed, on the thread of the last release or of weft_context_close; not if
     weft_wrap_host fails. It must not call Weft. NULL: no call. */
  void (*give_back)(void *user);
  void *user;       /* passed to give_back */
  const char *site; /* set by the macro */
} weft_wrap_params;

/// Makes an array of the caller's memory, on a CPU device: no bytes are ever copied. *out must be NULL. `data` must be
/// aligned to the device's address_align_bytes (WEFT_ERROR_LAYOUT) and live until the array's last handle is released;
/// that release waits for the work on it. The host may access it between weft_map and weft_unmap, and read it after
/// weft_to_host to itself. Two arrays around the same memory are not ordered across streams. Other devices:
/// WEFT_ERROR_UNSUPPORTED; use weft_from_host.
WEFT_API WEFT_NODISCARD weft_status weft_wrap_host(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, void *data, const weft_wrap_params *params);

/// How the host will use mapped memory.
typedef enum weft_map_access {
  WEFT_MAP_READ = 1,
  WEFT_MAP_WRITE = 2, /* alone: old contents are lost; a device with its own memory then copies nothing to the host */
} weft_map_access;

/// Waits for the work on `x` and sets *data to its bytes: on a CPU device the bytes themselves, elsewhere a copy that
/// weft_unmap writes back if mapped to write. `access` is WEFT_MAP_READ, WEFT_MAP_WRITE or both. `x` must be contiguous
/// (WEFT_ERROR_LAYOUT: weft_copy it) and not empty (WEFT_ERROR_SHAPE). Its memory has one map at a time; until
/// weft_unmap other uses that write it, or read it while mapped to write, are WEFT_ERROR_ARGUMENT. The last release
/// ends the map. A failure of earlier work is reported here; *data is then NULL.
WEFT_API WEFT_NODISCARD weft_status weft_map(void **data, weft_array *x, int access);
/// Ends the map of `x` or of another view of its memory; the mapped pointer becomes invalid. Does not block. Errors:
/// WEFT_ERROR_ARGUMENT (not mapped).
WEFT_API WEFT_NODISCARD weft_status weft_unmap(weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__write_async_at(weft_array *x, const void *data, size_t size_bytes,
                                                         weft_stream *stream, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__read_async_at(void *data, size_t size_bytes, const weft_array *x,
                                                        weft_stream *stream, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__write_strided_at(weft_array *x, const void *data,
                                                           const int64_t *host_stride_bytes, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__read_strided_at(void *data, const int64_t *host_stride_bytes,
                                                          const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__wrap_host_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                       weft_shape shape, void *data, const weft_wrap_params *params);

#define weft_write_async(x, data, size_bytes, stream) \
  weft__write_async_at((x), (data), (size_bytes), (stream), WEFT_SITE)
#define weft_read_async(data, size_bytes, x, stream) weft__read_async_at((data), (size_bytes), (x), (stream), WEFT_SITE)
#define weft_write_strided(x, data, host_stride_bytes) \
  weft__write_strided_at((x), (data), (host_stride_bytes), WEFT_SITE)
#define weft_read_strided(data, host_stride_bytes, x) weft__read_strided_at((data), (host_stride_bytes), (x), WEFT_SITE)
#define weft_wrap_host(out, context, dtype, shape, ...)                                                   \
  weft__wrap_host_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_wrap_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
