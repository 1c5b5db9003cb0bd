// SPDX-License-Identifier: MIT
/// Arrays in memory that CUDA sees too, CUDA memory as arrays, and the order between CUDA's streams and Weft's work.
///
///     rc = weft_context_create(&context, .device = "gpu", .cuda = true);
///     rc = weft_cuda_pointer(&data, x);                 where CUDA finds x's first element
///     rc = weft_cuda_stream_after(stream, context);     CUDA work on `stream` waits for Weft's work
///     rc = weft_context_after_cuda(context, stream);    Weft's work waits for CUDA's
///
/// For NVIDIA GPUs with CUDA's driver (libcuda.so.1), which is loaded when the first of these functions is called;
/// without it they are WEFT_ERROR_UNSUPPORTED, with the reason. A cudaStream_t or CUstream is a `struct CUstream_st *`;
/// NULL is CUDA's default stream. docs/interop.md has PyTorch, CuPy, Numba and cuBLAS on Weft's arrays.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_CUDA_H
#define WEFT_CUDA_H

#include <weft/array.h>

struct CUstream_st;

WEFT_BEGIN_DECLS

/* ---- arrays for CUDA ---- */

/// Writes the address of the first element of `x` in CUDA's memory, valid as long as `x`; strides are Weft's
/// (weft_array_strides). NULL for an empty array. It works for arrays of a context made with .cuda = true and for
/// results of weft_cuda_share and weft_from_cuda; others are WEFT_ERROR_UNSUPPORTED. Work is not ordered by this: call
/// weft_cuda_stream_after before CUDA uses the memory and weft_context_after_cuda behind it. Does not block.
WEFT_API WEFT_NODISCARD weft_status weft_cuda_pointer(void **out, const weft_array *x);

/// Makes an array with the elements of `x` in memory that CUDA sees, in the context of `x`. *out must be NULL. It is a
/// view of `x` if CUDA sees that already, else a contiguous copy, made on the device. Does not block. Errors:
/// WEFT_ERROR_UNSUPPORTED (no CUDA; larger than OpenCL can import on this machine: weft_to_cuda copies it).
WEFT_API WEFT_NODISCARD weft_status weft_cuda_share(weft_array **out, const weft_array *x);

/* ---- CUDA's memory ---- */

/// Options of weft_from_cuda and weft_to_cuda.
typedef struct weft_cuda_params {
  struct CUstream_st *cuda_stream; /* the stream whose work the memory depends on; NULL: CUDA's default stream */
  const int64_t *stride_bytes;     /* weft_from_cuda: one for each axis; NULL: contiguous */
  bool read_only;                  /* weft_from_cuda: the array may not be written */
  bool copy;                       /* weft_from_cuda: copies also where the memory can be shared */
  /* weft_from_cuda: called once when the memory is no longer needed (for a copy: when it is made), on the thread of the
     last release or of the context's close. It must not call Weft. NULL: no call. */
  void (*give_back)(void *user);
  void *user;       /* passed to give_back */
  const char *site; /* set by the macros */
} weft_cuda_params;

/// Makes an array of memory that CUDA code allocated on the context's device. *out must be NULL. Memory that can be
/// exported (cuMemCreate with a file descriptor) becomes the array itself, nothing is copied, and it must live until
/// the array's last release. Other memory (cudaMalloc) is copied once, on the device; weft_cuda_pointer and
/// WEFT_TRACE=1 tell which. Weft's later work waits for the work that .cuda_stream has now. Does not block, except that
/// with give_back a copy is waited for. Errors: WEFT_ERROR_ARGUMENT (no memory of CUDA), WEFT_ERROR_LAYOUT (an address
/// or stride that is not a multiple of the element size), WEFT_ERROR_UNSUPPORTED.
WEFT_API WEFT_NODISCARD weft_status weft_from_cuda(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, const void *data, const weft_cuda_params *params);

/// Copies the elements of `x`, in row-major order, to CUDA's memory at `data`, on the device. CUDA's later work on
/// .cuda_stream waits for the copy. It works for every array, also for one that CUDA does not see. Does not block.
/// Errors: WEFT_ERROR_ARGUMENT (no memory of CUDA), WEFT_ERROR_UNSUPPORTED.
WEFT_API WEFT_NODISCARD weft_status weft_to_cuda(void *data, const weft_array *x, const weft_cuda_params *params);

/* ---- order ---- */

/// CUDA work that `cuda_stream` gets from now on waits, on the device, for all work of the context so far. Does not
/// block. Errors: WEFT_ERROR_UNSUPPORTED, WEFT_ERROR_DRIVER (a stream that CUDA does not know).
WEFT_API WEFT_NODISCARD weft_status weft_cuda_stream_after(struct CUstream_st *cuda_stream, weft_context *context);
/// Work of the context, on all its streams, from now on waits for the work that `cuda_stream` has so far. Does not
/// block. If the stream's CUDA context is destroyed first, the context is lost (WEFT_ERROR_LOST). Errors: as for
/// weft_cuda_stream_after.
WEFT_API WEFT_NODISCARD weft_status weft_context_after_cuda(weft_context *context, struct CUstream_st *cuda_stream);
/// Writes the context's own CUDA stream, made at the first call; it lives as long as the context. For libraries that
/// take a stream, such as cuBLAS.
WEFT_API WEFT_NODISCARD weft_status weft_context_cuda_stream(struct CUstream_st **out, weft_context *context);

/* ---- several GPUs ---- */

/// Makes an array of `context` on the memory of `x`, which belongs to another context: of the same GPU, or of one that
/// is reached over NVLink or the bus. *out must be NULL. Kernels of `context` read and write it where it is, at the
/// link's rate. It holds `x`. Waits for the work on `x`; later work of the two contexts is not ordered: call
/// weft_context_wait in between. Errors: WEFT_ERROR_UNSUPPORTED (`x` is in memory that CUDA does not see:
/// weft_cuda_share; a device that cannot import it: weft_copy with .context copies).
WEFT_API WEFT_NODISCARD weft_status weft_peer_array(weft_array **out, weft_context *context, const weft_array *x);

/* ---- several processes ---- */

/// Memory of an array, for another process of this machine.
typedef struct weft_cuda_handle {
  int file;             /* a file descriptor of the memory */
  int64_t offset_bytes; /* of the array's first element in the memory */
  int64_t size_bytes;   /* of the memory */
} weft_cuda_handle;

/// Opens the memory of `x` for another process: send the struct and its file descriptor over a Unix socket
/// (SCM_RIGHTS), then close the descriptor. Hold `x` as long as the other process uses the memory. Work of processes is
/// not ordered: wait for it (weft_context_wait), then send a message. Errors: WEFT_ERROR_UNSUPPORTED (CUDA does not see
/// `x`: weft_cuda_share), WEFT_ERROR_LAYOUT (not contiguous), WEFT_ERROR_SHAPE (no elements).
WEFT_API WEFT_NODISCARD weft_status weft_cuda_export(weft_cuda_handle *out, const weft_array *x);
/// Makes an array of `context` on memory that another process exported; *out must be NULL. Kernels read and write it
/// where it is, also on another GPU that NVLink or the bus reaches. The file descriptor stays the caller's and may be
/// closed at once. `handle` must be what weft_cuda_export wrote. Errors: WEFT_ERROR_ARGUMENT (the shape exceeds the
/// memory), WEFT_ERROR_UNSUPPORTED (the device cannot import it), WEFT_ERROR_DRIVER.
WEFT_API WEFT_NODISCARD weft_status weft_cuda_import(weft_array **out, weft_context *context, weft_dtype dtype,
                                                     weft_shape shape, const weft_cuda_handle *handle);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__cuda_import_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                         weft_shape shape, const weft_cuda_handle *handle,
                                                         const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__cuda_share_at(weft_array **out, const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__from_cuda_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                       weft_shape shape, const void *data,
                                                       const weft_cuda_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__to_cuda_at(void *data, const weft_array *x, const weft_cuda_params *params);

WEFT_API WEFT_NODISCARD weft_status weft__peer_array_at(weft_array **out, weft_context *context, const weft_array *x,
                                                        const char *site);

#define weft_peer_array(out, context, x) weft__peer_array_at(WEFT__PLACE(weft_array, out), (context), (x), WEFT_SITE)
#define weft_cuda_import(out, context, dtype, shape, handle) \
  weft__cuda_import_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), (handle), WEFT_SITE)
#define weft_cuda_share(out, x) weft__cuda_share_at(WEFT__PLACE(weft_array, out), (x), WEFT_SITE)
#define weft_from_cuda(out, context, dtype, shape, ...)                                                   \
  weft__from_cuda_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_cuda_params, __VA_ARGS__))
#define weft_to_cuda(data, ...) \
  weft__to_cuda_at((data), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_cuda_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
