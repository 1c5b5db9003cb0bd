// SPDX-License-Identifier: MIT
/// The layout of the DLPack structs that Weft uses: the ABI published at
/// https://dmlc.github.io/dlpack/latest/c_api.html. The tags of the two managed tensors are DLPack's, the other names
/// are ours. No file that includes this header includes dlpack/dlpack.h.
#ifndef WEFT_INTEROP_DLPACK_ABI_H
#define WEFT_INTEROP_DLPACK_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WEFT__DLPACK_MAJOR 1u
#define WEFT__DLPACK_MINOR 2u /* since this version strides are always given */
#define WEFT__DLPACK_CUDA 2   /* kDLCUDA */
#define WEFT__DLPACK_OPENCL 4 /* kDLOpenCL */
#define WEFT__DLPACK_READ_ONLY UINT64_C(1)

typedef struct weft__dlpack_tensor { /* DLTensor */
  void *data;
  int32_t device_type, device_id; /* DLDevice */
  int32_t ndim;
  uint8_t code, bits; /* DLDataType */
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: C order */
  uint64_t byte_offset;
} weft__dlpack_tensor;

struct DLManagedTensor {
  weft__dlpack_tensor tensor;
  void *manager;
  void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
};

struct DLManagedTensorVersioned {
  uint32_t major, minor; /* DLPackVersion */
  void *manager;
  void (*deleter)(struct DLManagedTensorVersioned *self); /* may be NULL; all versions share the layout up to here */
  uint64_t flags;
  weft__dlpack_tensor tensor;
};

/* checked with 64-bit pointers only, for which DLPack's offsets are known */
#define WEFT__DLPACK_IS(condition, of) _Static_assert(sizeof(void *) != 8 || (condition), of)
WEFT__DLPACK_IS(sizeof(weft__dlpack_tensor) == 48, "DLTensor");
WEFT__DLPACK_IS(offsetof(weft__dlpack_tensor, code) == 20 && offsetof(weft__dlpack_tensor, lanes) == 22, "DLDataType");
WEFT__DLPACK_IS(offsetof(weft__dlpack_tensor, shape) == 24 && offsetof(weft__dlpack_tensor, byte_offset) == 40,
                "DLTensor");
WEFT__DLPACK_IS(sizeof(struct DLManagedTensor) == 64 && offsetof(struct DLManagedTensor, deleter) == 56,
                "DLManagedTensor");
WEFT__DLPACK_IS(sizeof(struct DLManagedTensorVersioned) == 80, "DLManagedTensorVersioned");
WEFT__DLPACK_IS(offsetof(struct DLManagedTensorVersioned, deleter) == 16, "DLManagedTensorVersioned");
WEFT__DLPACK_IS(offsetof(struct DLManagedTensorVersioned, flags) == 24, "DLManagedTensorVersioned");
WEFT__DLPACK_IS(offsetof(struct DLManagedTensorVersioned, tensor) == 32, "DLManagedTensorVersioned");

#endif
