// SPDX-License-Identifier: MIT
/// Arrays handed to other libraries and taken from them without a copy: DLPack 1.x, and the description that Numba and
/// CuPy print.
///
/// A DLPack tensor of device type kDLOpenCL names a cl_mem (`data`), a place in it (`byte_offset`), dtype, shape and
/// strides, and a deleter by which whoever holds the tensor gives it back. This header needs no dlpack/dlpack.h and
/// goes with any; include that one to look into a tensor. Both sides must use one cl_context: weft_context_adopt and
/// weft_context_cl_context (opencl.h) see to that.
#ifndef WEFT_DLPACK_H
#define WEFT_DLPACK_H

#include <weft/array.h>

struct _cl_command_queue;
struct DLManagedTensor;
struct DLManagedTensorVersioned;

WEFT_BEGIN_DECLS

/// Options of weft_to_dlpack and weft_to_dlpack_unversioned.
typedef struct weft_dlpack_params {
  struct _cl_command_queue *cl_queue; /* where the consumer will use it; NULL: not known, so the call waits */
  bool read_only;                     /* the consumer shall not write it */
  const char *site;                   /* set by the macros */
} weft_dlpack_params;

/// A tensor around the memory of `x`: same dtype, shape and strides (always given, in elements), version 1.2. `data` is
/// NULL for an array without elements. A broadcast or read-only array carries the read-only flag. device_id is the
/// device's number as in weft_device_find: its place among the devices of all platforms. A consumer that counts
/// otherwise should ask the cl_mem for its context instead.
///
/// The tensor is a view: it holds the memory until its deleter is called, whatever is released before, and counts as an
/// array in reports and at weft_context_close. The cl_mem stays valid as long, even after that close. The deleter may
/// be called on any thread, once.
///
/// What the consumer sees is finished work: the call waits for everything that was enqueued on the context's streams.
/// With `cl_queue`, an OpenCL queue of the same cl_context, it does not block: what is enqueued on that queue from now
/// on runs after the work on the array (at no cost where it is weft_context_cl_queue). The way back is the consumer's:
/// before Weft uses the memory again, and before the deleter is called, its work must be finished or be on
/// weft_context_cl_queue.
///
/// *out must be NULL. Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE, WEFT_ERROR_CONTEXT (a queue of another
/// cl_context), WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. Thread: the array's.
WEFT_API WEFT_NODISCARD weft_status weft_to_dlpack(struct DLManagedTensorVersioned **out, const weft_array *x,
                                                   const weft_dlpack_params *params);

/// An array around the tensor's cl_mem, which must be of the context's cl_context. `context` may be NULL: the default
/// one. All strides are honoured, also negative and 0; missing ones mean C order. It is read-only where the tensor says
/// so, where the cl_mem was made with CL_MEM_READ_ONLY, and where the strides may put two elements in one place.
///
/// On success the tensor is Weft's: its deleter is called once, when the last view of the memory is released or the
/// context is closed. That release waits for the context's work, since the producer may use the memory again at once.
/// On failure the tensor stays the caller's, as it was. The producer's work on the memory must be finished, or be on
/// weft_context_cl_queue.
///
/// Not checked, because nobody could: that `data` is a live cl_mem, and that the bytes of a bool tensor are 0 or 1.
/// Errors, with the tensor's field in the message: WEFT_ERROR_VERSION (not 1.x), WEFT_ERROR_UNSUPPORTED (another device
/// type, lanes, f64 without fp64), WEFT_ERROR_DTYPE (no such dtype in Weft), WEFT_ERROR_SHAPE (over 8 axes, a negative
/// length, beyond the buffer), WEFT_ERROR_LAYOUT (offset not a multiple of the element size), WEFT_ERROR_CONTEXT,
/// WEFT_ERROR_OVERFLOW, WEFT_ERROR_ARGUMENT (`data` or `shape` NULL, no buffer). Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_from_dlpack(weft_array **out, weft_context *context,
                                                     struct DLManagedTensorVersioned *tensor);

/// The same with the struct of DLPack before 1.0, which many libraries still speak. It has no version and no read-only
/// flag: what is read-only is not exported (WEFT_ERROR_READ_ONLY), what is imported may be written.
WEFT_API WEFT_NODISCARD weft_status weft_to_dlpack_unversioned(struct DLManagedTensor **out, const weft_array *x,
                                                               const weft_dlpack_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_from_dlpack_unversioned(weft_array **out, weft_context *context,
                                                                 struct DLManagedTensor *tensor);

/// The array as `__cuda_array_interface__` is printed, a Python dictionary, an item a line:
///   {'shape': (100000,),
///    'typestr': '<f4',
///    'descr': [('', '<f4')],
///    'data': (140345635904512, False),
///    'version': 0}
/// The number in 'data' is the cl_mem handle, which cl.MemoryObject.from_int_ptr of PyOpenCL takes, and no address of
/// bytes; beside it stands whether the array is read-only. A view that does not start its buffer has 'offset', in bytes
/// (the key of NumPy's __array_interface__), one that is not contiguous 'strides', in bytes. Version 0 is the
/// protocol's form without strides of None and without streams. Free *text with weft_free. Does not wait. Errors:
/// WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE, WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. Thread: the
/// array's.
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
#define weft_from_dlpack(out, context, tensor) weft__from_dlpack_at((out), (context), (tensor), WEFT_SITE)
#define weft_from_dlpack_unversioned(out, context, tensor) \
  weft__from_dlpack_unversioned_at((out), (context), (tensor), WEFT_SITE)

WEFT_END_DECLS

#endif
