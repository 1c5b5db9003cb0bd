// SPDX-License-Identifier: MIT
/// CUDA's driver API, loaded from libcuda.so.1 at run time: nothing of CUDA is needed to build. Source of names, types
/// and constants: CUDA Driver API Reference Manual 12.
#ifndef WEFT_CUDA_LIBRARY_H
#define WEFT_CUDA_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// CUresult's values that Weft compares with.
enum {
  WEFT__CUDA_SUCCESS = 0,
  WEFT__CUDA_OUT_OF_MEMORY = 2,
  WEFT__CUDA_INVALID_CONTEXT = 201,
  WEFT__CUDA_OPERATING_SYSTEM = 304,
  WEFT__CUDA_NOT_READY = 600,
  WEFT__CUDA_CONTEXT_IS_DESTROYED = 709,
};

/// CUmemAllocationProp: memory of a device that can be exported as a file descriptor.
typedef struct weft__cuda_properties {
  int type;          /* 1: pinned, the only type */
  int handle_types;  /* a set: 1 is a file descriptor */
  int location_type; /* 1: a device */
  int device;
  void *windows_attributes;
  unsigned char flags[8];
} weft__cuda_properties;
_Static_assert(sizeof(weft__cuda_properties) == 32 || sizeof(void *) != 8, "CUmemAllocationProp");

enum { WEFT__CUDA_PINNED = 1, WEFT__CUDA_FILE_DESCRIPTOR = 1, WEFT__CUDA_ON_DEVICE = 1, WEFT__CUDA_READ_WRITE = 3 };

/// CUmemAccessDesc.
typedef struct weft__cuda_access {
  int location_type, device;
  int flags;
} weft__cuda_access;

/// A CUcontext, a CUstream, a CUevent.
typedef struct CUctx_st *weft__cuda_context;
typedef struct CUstream_st *weft__cuda_stream;
typedef struct CUevent_st *weft__cuda_event;

// clang-format off
/* member, symbol, parameters. Memory handles and device addresses are 64-bit numbers. */
#define WEFT__CUDA_CALLS(X) \
  X(init, "cuInit", (unsigned flags)) \
  X(device_count, "cuDeviceGetCount", (int *count)) \
  X(device_get, "cuDeviceGet", (int *device, int number)) \
  X(device_uuid, "cuDeviceGetUuid", (unsigned char uuid[16], int device)) \
  X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device)) \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (weft__cuda_context *context, int device)) \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", (int device)) \
  X(push, "cuCtxPushCurrent_v2", (weft__cuda_context context)) \
  X(pop, "cuCtxPopCurrent_v2", (weft__cuda_context *context)) \
  X(synchronize, "cuCtxSynchronize", (void)) \
  X(granularity, "cuMemGetAllocationGranularity", (size_t *size_bytes, const weft__cuda_properties *of, int kind)) \
  X(memory_create, "cuMemCreate", (uint64_t *handle, size_t size_bytes, const weft__cuda_properties *of, unsigned long long flags)) \
  X(memory_release, "cuMemRelease", (uint64_t handle)) \
  X(memory_export, "cuMemExportToShareableHandle", (void *file, uint64_t handle, int kind, unsigned long long flags)) \
  X(memory_import, "cuMemImportFromShareableHandle", (uint64_t *handle, void *file, int kind)) \
  X(address_reserve, "cuMemAddressReserve", (uint64_t *address, size_t size_bytes, size_t align, uint64_t at, unsigned long long flags)) \
  X(address_free, "cuMemAddressFree", (uint64_t address, size_t size_bytes)) \
  X(map, "cuMemMap", (uint64_t address, size_t size_bytes, size_t offset, uint64_t handle, unsigned long long flags)) \
  X(unmap, "cuMemUnmap", (uint64_t address, size_t size_bytes)) \
  X(set_access, "cuMemSetAccess", (uint64_t address, size_t size_bytes, const weft__cuda_access *access, size_t count)) \
  X(handle_of, "cuMemRetainAllocationHandle", (uint64_t *handle, void *address)) \
  X(properties_of, "cuMemGetAllocationPropertiesFromHandle", (weft__cuda_properties *of, uint64_t handle)) \
  X(address_range, "cuMemGetAddressRange_v2", (uint64_t *base, size_t *size_bytes, uint64_t address)) \
  X(pointer_attribute, "cuPointerGetAttribute", (void *value, int attribute, uint64_t address)) \
  X(copy_async, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t size_bytes, weft__cuda_stream stream)) \
  X(stream_create, "cuStreamCreate", (weft__cuda_stream *stream, unsigned flags)) \
  X(stream_destroy, "cuStreamDestroy_v2", (weft__cuda_stream stream)) \
  X(stream_context, "cuStreamGetCtx", (weft__cuda_stream stream, weft__cuda_context *context)) \
  X(stream_wait, "cuStreamSynchronize", (weft__cuda_stream stream)) \
  X(stream_wait_value, "cuStreamWaitValue32_v2", (weft__cuda_stream stream, uint64_t address, uint32_t value, unsigned flags)) \
  X(stream_write_value, "cuStreamWriteValue32_v2", (weft__cuda_stream stream, uint64_t address, uint32_t value, unsigned flags)) \
  X(host_allocate, "cuMemHostAlloc", (void **host, size_t size_bytes, unsigned flags)) \
  X(host_free, "cuMemFreeHost", (void *host)) \
  X(event_create, "cuEventCreate", (weft__cuda_event *event, unsigned flags)) \
  X(event_destroy, "cuEventDestroy_v2", (weft__cuda_event event)) \
  X(event_record, "cuEventRecord", (weft__cuda_event event, weft__cuda_stream stream)) \
  X(event_query, "cuEventQuery", (weft__cuda_event event)) \
  X(error_name, "cuGetErrorName", (int code, const char **name)) \
  X(error_text, "cuGetErrorString", (int code, const char **text))
// clang-format on

typedef struct weft__cuda_calls {
#define WEFT__CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
  WEFT__CUDA_CALLS(WEFT__CUDA_MEMBER)
#undef WEFT__CUDA_MEMBER
} weft__cuda_calls;

/// The functions, once weft__cuda_load has succeeded. The library stays loaded until the process ends.
extern weft__cuda_calls weft__cuda_api;

/// Loads the library (WEFT_CUDA_LIBRARY, else libcuda.so.1) and initialises it, at the first call. Errors: UNSUPPORTED
/// (no library, one without a function that Weft needs, no device).
weft_status weft__cuda_load(void);

/// Whether weft__cuda_load succeeds, without an error.
bool weft__cuda_is_there(void);

/// Records that `call` ("cuMemCreate") returned `code`, and returns the matching status: MEMORY, DRIVER.
weft_status weft__cuda_fail(int code, const char *call);

/// A step of CUDA in a function with the label `done`: the call's code becomes a status.
#define WEFT__CUDA_TRY(call, ...)                                                               \
  do {                                                                                          \
    const int code_ = weft__cuda_api.call(__VA_ARGS__);                                         \
    if (code_) WEFT__TRY(weft__cuda_fail(code_, weft__cuda_symbols[WEFT__CUDA_NUMBER_##call])); \
  } while (0)

enum {
#define WEFT__CUDA_ENUM(member, symbol, parameters) WEFT__CUDA_NUMBER_##member,
  WEFT__CUDA_CALLS(WEFT__CUDA_ENUM)
#undef WEFT__CUDA_ENUM
};
/// The functions' names in the library, for messages.
extern const char *const weft__cuda_symbols[];

#endif
