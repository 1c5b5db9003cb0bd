// SPDX-License-Identifier: MIT
/// CUDA as another program's code would use it: the driver's functions by dlopen, from the library that Weft loads.
/// On machines without a GPU that is the stand-in of tests/cuda.
#ifndef WEFT_TESTS_CUDA_PEER_H
#define WEFT_TESTS_CUDA_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/cuda.h>

typedef struct CUctx_st *cuda_context;
typedef struct CUstream_st *cuda_stream;

// clang-format off
#define CUDA_PEER_CALLS(X) \
  X(cuInit, (unsigned)) X(cuDeviceGetCount, (int *)) X(cuDeviceGetUuid, (unsigned char *, int)) \
  X(cuDevicePrimaryCtxRetain, (cuda_context *, int)) X(cuDevicePrimaryCtxRelease_v2, (int)) \
  X(cuDevicePrimaryCtxReset_v2, (int)) X(cuCtxPushCurrent_v2, (cuda_context)) X(cuCtxPopCurrent_v2, (cuda_context *)) \
  X(cuCtxCreate_v2, (cuda_context *, unsigned, int)) X(cuCtxDestroy_v2, (cuda_context)) \
  X(cuCtxGetCurrent, (cuda_context *)) X(cuMemAlloc_v2, (uint64_t *, size_t)) X(cuMemFree_v2, (uint64_t)) \
  X(cuMemCreate, (uint64_t *, size_t, const void *, unsigned long long)) X(cuMemRelease, (uint64_t)) \
  X(cuMemAddressReserve, (uint64_t *, size_t, size_t, uint64_t, unsigned long long)) X(cuMemAddressFree, (uint64_t, size_t)) \
  X(cuMemMap, (uint64_t, size_t, size_t, uint64_t, unsigned long long)) X(cuMemUnmap, (uint64_t, size_t)) \
  X(cuMemSetAccess, (uint64_t, size_t, const void *, size_t)) \
  X(cuMemcpyDtoH_v2, (void *, uint64_t, size_t)) X(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t)) \
  X(cuMemcpyDtoDAsync_v2, (uint64_t, uint64_t, size_t, cuda_stream)) X(cuMemsetD32Async, (uint64_t, uint32_t, size_t, cuda_stream)) \
  X(cuStreamCreate, (cuda_stream *, unsigned)) X(cuStreamDestroy_v2, (cuda_stream)) X(cuStreamSynchronize, (cuda_stream))
// clang-format on

typedef struct cuda_peer {
#define CUDA_PEER_MEMBER(name, parameters) int(*name) parameters;
  CUDA_PEER_CALLS(CUDA_PEER_MEMBER)
#undef CUDA_PEER_MEMBER
  int device;           /* CUDA's number of the device under test */
  cuda_context context; /* its primary context, retained and current */
  /* the stand-in's hooks (tests/cuda/standin.h); NULL on CUDA itself */
  long (*strike)(long number, int code);
  long (*calls)(void);
  const char *(*failed)(void);
  long (*alive)(void);
  void (*slow)(unsigned microseconds);
  void (*hold)(bool holds);
} cuda_peer;

/// Loads CUDA and makes the primary context current. False: no CUDA, or CUDA does not list the context's device.
bool cuda_peer_open(cuda_peer *peer, const weft_context *context);
/// Loads CUDA alone.
bool cuda_peer_load(cuda_peer *peer);
void cuda_peer_close(cuda_peer *peer);

/// Memory that CUDA made and can export, mapped: at least size_bytes.
typedef struct cuda_memory {
  uint64_t handle, address;
  size_t size_bytes;
} cuda_memory;
cuda_memory cuda_peer_make(const cuda_peer *peer, size_t size_bytes, bool exportable);
void cuda_peer_free(const cuda_peer *peer, cuda_memory *memory);

/* ---- of the suites ---- */

enum { CUDA_N = 1000 };
extern cuda_peer cuda;

/// Makes `ctx`, with memory that CUDA sees or without, and opens `cuda`.
void cuda_open(bool shared);
/// The number of the stand-in's things beyond `before`. It waits for them to go, up to 5 s: a CPU's driver drops a
/// buffer on a thread of its own, after the command that used it last.
long cuda_left(long before);
/// Closes both; the stand-in must have nothing left.
void cuda_close(void);
/// weft_cuda_pointer, asserted.
uint64_t cuda_address(const weft_array *x);
/// Asserts that CUDA reads CUDA_N numbers at the address: first, first + step, ...
void cuda_expect(uint64_t address, int32_t first, int32_t step);
/// cuda_expect of an array, by weft_to_host.
void cuda_expect_array(const weft_array *x, int32_t first, int32_t step);
/// Runs the program once for each call of CUDA that it makes, from call `first` on, every `step`-th: that call fails
/// with `code`, `check` looks at the status, nothing may be left, and the program must run again afterwards. Returns
/// the calls of one run.
long cuda_fail_in_turn(weft_status program(void), long first, long step, int code,
                       void check(const char *call, weft_status rc));

#endif
