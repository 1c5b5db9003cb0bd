// SPDX-License-Identifier: MIT
/// Copies between host and device that do not wait or that have strides, and memory that both reach.
///
/// weft_from_host and weft_to_host (weft/array.h) are the plain ones. Here:
///
///   weft_write_async, weft_read_async        on a stream, beside kernels on another
///   weft_write_strided, weft_read_strided    a part of a table on either side, without copying it out first
///   weft_wrap_host, weft_map                 no copy at all, on a CPU device
///
/// `x` is an array or a view, whose elements are written in place or read, in row-major order of its shape. An array,
/// with all views of its storage, belongs to one thread at a time.
/// Errors common to all: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_CLOSED, WEFT_ERROR_LOST, WEFT_ERROR_DRIVER,
/// WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_MEMORY and WEFT_ERROR_BUDGET where memory is needed on the way, and for what is
/// written WEFT_ERROR_READ_ONLY, WEFT_ERROR_LAYOUT (a broadcast view).
#ifndef WEFT_TRANSFER_H
#define WEFT_TRANSFER_H

#include <weft/array.h>
#include <weft/stream.h>

WEFT_BEGIN_DECLS

/* ---- on a stream ---- */

/// Copies contiguous host memory to `x`, on `stream` (NULL: the one this thread uses, else the context's own).
/// `size_bytes` must be weft_array_size_bytes(x) (WEFT_ERROR_SHAPE). Where `data` is pinned memory the call does not
/// block, and `data` must stay as it is until the stream, or an event behind the copy, was waited for. From other
/// memory it returns when `data` may be changed. The rules are CUDA's for cudaMemcpyAsync. Errors besides:
/// WEFT_ERROR_CONTEXT (stream).
WEFT_API WEFT_NODISCARD weft_status weft_write_async(weft_array *x, const void *data, size_t size_bytes,
                                                     weft_stream *stream);
/// Copies `x` to contiguous host memory, on `stream`. Into pinned memory the call does not block: the bytes are there,
/// and failures of earlier work are reported, when the stream or an event behind the copy was waited for. Into other
/// memory it waits, as weft_to_host does.
WEFT_API WEFT_NODISCARD weft_status weft_read_async(void *data, size_t size_bytes, const weft_array *x,
                                                    weft_stream *stream);

/* ---- with strides ---- */

/// Copies elements at the host to `x`. `host_stride_bytes` has a stride for each axis of x, in bytes, of any sign and
/// alignment: element (i, j) is at data + i * host_stride_bytes[0] + j * host_stride_bytes[1], and `data` points to
/// element (0, 0). A stride of 0 repeats. NULL: contiguous, outermost axis first. Blocks until `data` may be changed.
/// Only x's elements are written, and only theirs are read. A box of rows goes in one command
/// (clEnqueueWriteBufferRect); what is none is gathered on the host or arranged on the device.
/// Errors besides: WEFT_ERROR_OVERFLOW (strides that reach further than an address).
WEFT_API WEFT_NODISCARD weft_status weft_write_strided(weft_array *x, const void *data,
                                                       const int64_t *host_stride_bytes);
/// The other way: waits for `x` and writes its elements to the host, and nothing between them. No two of them may share
/// memory there: a stride of 0 is WEFT_ERROR_LAYOUT. On failure a part may have been written. A failure of earlier work
/// is reported here.
WEFT_API WEFT_NODISCARD weft_status weft_read_strided(void *data, const int64_t *host_stride_bytes,
                                                      const weft_array *x);

/* ---- no copy ---- */

/// Options of weft_wrap_host.
typedef struct weft_wrap_params {
  void (*give_back)(void *user); /* called once, when the memory is not needed any more; NULL: nothing is */
  void *user;
  const char *site; /* set by the macro */
} weft_wrap_params;

/// An array that is the caller's memory, on a CPU device: no bytes are moved, then or later, and weft_to_host to the
/// same memory only waits. *out must be NULL; `context` may be NULL, the default one. `data` must be aligned to the
/// device's address_align_bytes (WEFT_ERROR_LAYOUT says how), and must live until the last handle to it is released,
/// which waits for the work on it. The host may read and write the memory between weft_map and weft_unmap; read it also
/// after weft_to_host to itself. Two arrays around the same memory are not ordered across streams. A device with memory
/// of its own: WEFT_ERROR_UNSUPPORTED, and weft_from_host copies. Thread: any. Memory that somebody else owns:
/// .give_back(.user) is called once, when the memory is not needed any more, on the thread of the last release, or when
/// the context is closed. It must not call Weft. It is not called when this call fails.
WEFT_API WEFT_NODISCARD weft_status weft_wrap_host(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, void *data, const weft_wrap_params *params);

typedef enum weft_map_access {
  WEFT_MAP_READ = 1,
  WEFT_MAP_WRITE = 2, /* alone: what was there is lost, so that a device with its own memory need not copy it to the
                         host */
} weft_map_access;

/// Waits for the work on `x` and writes to *data where the host finds its bytes: on a CPU device those themselves,
/// elsewhere a copy that weft_unmap brings back if it was mapped to write. `access`: WEFT_MAP_READ, WEFT_MAP_WRITE or
/// their sum. x must be contiguous (WEFT_ERROR_LAYOUT: weft_copy makes such an array) and have elements
/// (WEFT_ERROR_SHAPE). An array and its views have one map at a time; until weft_unmap every other use of their memory
/// that writes it, or reads it where it is mapped to write, is WEFT_ERROR_ARGUMENT. The last release ends a map by
/// itself. A failure of earlier work is reported here. *data is NULL on failure.
WEFT_API WEFT_NODISCARD weft_status weft_map(void **data, weft_array *x, int access);
/// Ends the map of x or of a view of its memory; *data is not valid any more. Does not block. Errors besides:
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
#define weft_wrap_host(out, context, dtype, shape, ...)                            \
  weft__wrap_host_at((out), (context), (dtype), (shape), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_wrap_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
