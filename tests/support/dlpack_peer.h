// SPDX-License-Identifier: MIT
/// DLPack as another library sees it: the published structs under their published names, independent of Weft's own
/// declaration. Also such a library, for the tests.
#ifndef WEFT_TESTS_DLPACK_PEER_H
#define WEFT_TESTS_DLPACK_PEER_H

#include <CL/cl.h>
#include <weft/weft.h>

enum { kDLCPU = 1, kDLCUDA = 2, kDLOpenCL = 4 };
enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLOpaqueHandle = 3, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 };
enum { DLPACK_FLAG_BITMASK_READ_ONLY = 1, DLPACK_FLAG_BITMASK_IS_COPIED = 2 };

typedef struct DLPackVersion {
  uint32_t major, minor;
} DLPackVersion;

typedef struct DLDevice {
  int32_t device_type, device_id;
} DLDevice;

typedef struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

enum { PRODUCED = 24 };

/// A producer other than Weft: tensors over a buffer of PRODUCED i32, 0 to PRODUCED - 1; i32[4,6] in C order unless the
/// test changes them. After the tensor's end `deleted` is the number of times it was given back.
typedef struct producer {
  DLManagedTensorVersioned tensor;
  DLManagedTensor unversioned;
  int64_t shape[9], strides[9];
  cl_mem buffer;
  int deleted;
  cl_event done; /* if set: must be complete when the deleter is called */
} producer;

void produce(producer *p);
void produce_with(producer *p, cl_mem_flags flags);
/// Also asserts that nothing else holds the buffer.
void end_producer(producer *p);
cl_mem make_buffer(cl_context context, cl_mem_flags flags);

/// Exports from `ctx` and waits.
DLManagedTensorVersioned *export_of(const weft_array *x);
/// The number of storages alive in `ctx`.
uint64_t storages(void);
/// Makes a slow kernel spin(y, rounds): y[0], initially 0, becomes 1 at its end.
weft_kernel *make_spin(void);

#endif
