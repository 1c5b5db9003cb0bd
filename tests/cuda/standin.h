// SPDX-License-Identifier: MIT
/// A stand-in for CUDA's driver library, for tests on machines without a GPU: contexts, exported memory (files in
/// memory), and streams that run on threads of their own. It is preloaded, because it also stands before OpenCL's
/// loader and imports its memory into devices of the CPU (opencl.c). Source of behaviour: CUDA Driver API Reference
/// Manual 12; what the manual leaves open is as an H200 does it.
#ifndef WEFT_TESTS_STANDIN_H
#define WEFT_TESTS_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CUresult's values.
enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  OPERATING_SYSTEM = 304,
  INVALID_HANDLE = 400,
  NOT_READY = 600,
  CONTEXT_IS_DESTROYED = 709,
  NOT_SUPPORTED = 801,
};

#define GRANULE_BYTES ((size_t)2 << 20)
#define MOST_DEVICES 8

typedef struct CUctx_st {
  struct CUctx_st *next; /* all contexts ever made */
  int device;
  long references; /* of a primary context; 1 for another one */
  bool is_alive;
  struct CUstream_st *default_stream; /* NULL before its first use */
} * context;

/// Counts a call. Returns its code: 0, or the failure that the test asked for.
int standin_begin(const char *function);
#define BEGIN                                \
  const int begun = standin_begin(__func__); \
  if (begun) return begun

/// The beginning of a release: one that is made to fail still releases, so that nothing is left.
#define BEGIN_RELEASE                        \
  const int begun = standin_begin(__func__); \
  if (begun == NOT_INITIALIZED) return begun
#define END_RELEASE(code) return begun ? begun : (code)

/// The thread's current context. Returns a code.
int standin_current(context *of);
int standin_devices(void);
/// The UUID of a device, which its OpenCL device has too.
void standin_uuid(unsigned char uuid[16], int device);
/// Ends the streams and events of a context that is destroyed.
void standin_end_streams(context of);
/// Forgets the mappings of a context that is destroyed.
void standin_end_memory(context of);
/// What was made and not released: memory, mappings, streams, events, retained contexts, imported buffers.
void standin_count(int change);

/* ---- for the tests, which find them by dlsym ---- */

/// The `number`-th call from now on fails with `code`; 0: none does. Returns the calls since the last fail.
long weft_test_cuda_fail(long number, int code);
long weft_test_cuda_calls(void);
/// The name of the function that was made to fail last; "": none.
const char *weft_test_cuda_failed(void);
long weft_test_cuda_alive(void);
/// Streams wait this long before each operation.
void weft_test_cuda_slow(unsigned microseconds);
/// Whether streams stop before their next operation.
void weft_test_cuda_hold(bool holds);

#endif
