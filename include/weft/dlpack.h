// SPDX-License-Identifier: MIT
/// Arrays passed to and taken from other libraries without a copy: DLPack 1.x, and the description that Numba and CuPy
/// print.
///
///     struct DLManagedTensorVersioned *tensor = NULL;
///     rc = weft_to_dlpack(&tensor, x);
///     rc = weft_from_dlpack(&y, context, tensor);
///
/// A tensor has dtype, shape, strides, a deleter with which its holder gives it back, and in `data` a cl_mem
/// (kDLOpenCL; both sides must use one cl_context: weft_context_adopt) or an address of CUDA's (kDLCUDA: weft/cuda.h).
/// This header works with any version of dlpack/dlpack.h and without it. docs/interop.md has programs.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_DLPACK_H
#define WEFT_DLPACK_H

#include <weft/array.h>

struct CUstream_st;
struct _cl_command_queue;
struct DLManagedTensor;
struct DLManagedTensorVersioned;

WEFT_BEGIN_DECLS

/// Options of weft_to_dlpack and weft_to_dlpack_unversioned.
typedef struct weft_dlpack_params {
  struct _cl_command_queue *cl_queue; /* the consumer's queue; NULL: unknown, so the call waits */
  struct CUstream_st *cuda_stream;    /* of a CUDA tensor: the consumer's stream; NULL: CUDA's default stream */
  bool read_only;                     /* forbids the consumer to write */
  const char *site;                   /* set by the macros */
} weft_dlpack_params;

/// Makes a tensor (version 1.2, strides always given) that holds the memory of `x` until its deleter is called, once,
/// on any thread. *out must be NULL. Broadcast and read-only arrays get the read-only flag. An array that CUDA sees
/// becomes a CUDA tensor, unless `.cl_queue` is given: `.cuda_stream`'s later work waits for the work on `x`. Others
/// have Weft's device number; with `.cl_queue` that queue's later commands wait, without it the call does. Before Weft
/// uses the memory again and before the deleter is called, the consumer's work must be finished, on
/// weft_context_cl_queue, or ordered by weft_context_after_cuda. Errors: WEFT_ERROR_CONTEXT (another's queue).
WEFT_API WEFT_NODISCARD weft_status weft_to_dlpack(struct DLManagedTensorVersioned **out, const weft_array *x,
                                                   const weft_dlpack_params *params);

/// Makes an array around the tensor's memory, with any strides (a CUDA tensor as by weft_from_cuda: shared or copied).
/// On success Weft calls the deleter once: at the last view's release, which waits for the context's work, or at its
/// close. The producer's work must be finished, on weft_context_cl_queue, or on CUDA's default stream. The array is
/// read-only if the tensor is flagged, the cl_mem is read-only, or strides may overlap. Errors: WEFT_ERROR_VERSION
/// (not 1.x), WEFT_ERROR_UNSUPPORTED (device type, lanes, f64 without fp64), WEFT_ERROR_CONTEXT, WEFT_ERROR_DTYPE,
/// WEFT_ERROR_SHAPE (beyond the buffer), WEFT_ERROR_LAYOUT, WEFT_ERROR_OVERFLOW.
WEFT_API WEFT_NODISCARD weft_status weft_from_dlpack(weft_array **out, weft_context *context,
                                                     struct DLManagedTensorVersioned *tensor);

/// weft_to_dlpack and weft_from_dlpack for the struct of DLPack before 1.0, which has no version and no read-only flag.
/// Read-only arrays are not exported (WEFT_ERROR_READ_ONLY); imported arrays may be written.
WEFT_API WEFT_NODISCARD weft_status weft_to_dlpack_unversioned(struct DLManagedTensor **out, const weft_array *x,
                                                               const weft_dlpack_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_from_dlpack_unversioned(weft_array **out, weft_context *context,
                                                                 struct DLManagedTensor *tensor);

/// Writes the array's `__cuda_array_interface__` to *text, as a Python dictionary with an item per line: shape,
/// typestr, descr, data with whether it is read-only, strides, version. An array that CUDA sees (weft/cuda.h) has
/// version 3: its address, and in 'stream' a CUDA stream that waits for the work on it. For others the number in
/// 'data' is the cl_mem handle (cl.MemoryObject.from_int_ptr of PyOpenCL takes it), with 'offset' (bytes) for a view,
/// 'strides' only where not contiguous, and version 0. Does not block.
WEFT_API WEFT_NODISCARD weft_status weft_array_interface(char **text, const weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__to_dlpack_at(struct DLManagedTensorVersioned **out, const weft_array *x,
                                                       const weft_dlpack_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__to_dlpack_unversioned_at(struct DLManagedTensor **out, const weft_array *x,
                                                                   const weft_dlpack_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__from_dlpack_at(weft_array **out, weft_context *context,
                                                         struct DLManagedTensorVersioned *tensor, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__from_dlpack_unversioned_at(weft_array **out, weft_context *context,
                                                                     struct DLManagedTensor *tensor, const char *site);

#define weft_to_dlpack(out, ...) \
  weft__to_dlpack_at((out), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_dlpack_params, __VA_ARGS__))
#define weft_to_dlpack_unversioned(out, ...) \
  weft__to_dlpack_unversioned_at((out), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_dlpack_params, __VA_ARGS__))
#define weft_from_dlpack(out, context, tensor) \
  weft__from_dlpack_at(WEFT__PLACE(weft_array, out), (context), (tensor), WEFT_SITE)
#define weft_from_dlpack_unversioned(out, context, tensor) \
  weft__from_dlpack_unversioned_at(WEFT__PLACE(weft_array, out), (context), (tensor), WEFT_SITE)

WEFT_END_DECLS

#endif
