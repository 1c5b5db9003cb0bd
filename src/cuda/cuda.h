// SPDX-License-Identifier: MIT
/// CUDA's side of a context: the device's primary CUDA context, memory that both CUDA and OpenCL see, and the order
/// between CUDA's streams and the context's queues.
#ifndef WEFT_CUDA_CUDA_H
#define WEFT_CUDA_CUDA_H

#include "core/core.h"
#include "cuda/library.h"

struct weft__cuda_order;

#define WEFT__CUDA_LIBRARIES 4

/// A handle of one of NVIDIA's libraries, which lives as long as the context (engine/cuda_step.h).
typedef struct weft__cuda_handle {
  bool was_tried;
  void *object; /* NULL: not made, or the library refused */
  void (*destroy)(void *object);
} weft__cuda_handle;

typedef struct weft__cuda {
  int device;                     /* CUDA's number of it */
  weft__cuda_context context;     /* the device's primary context, retained */
  uint64_t most_bytes;            /* the largest memory that OpenCL can import */
  size_t granule_bytes;           /* sizes of shared memory are multiples of it */
  pthread_mutex_t lock;           /* guards `order` and `stream` */
  struct weft__cuda_order *order; /* NULL before the first use */
  weft__cuda_stream stream;       /* the context's own; NULL before the first use */
  pthread_mutex_t stepping;       /* guards `handle`; held while a library enqueues its work */
  weft__cuda_handle handle[WEFT__CUDA_LIBRARIES];
} weft__cuda;

/// Opens CUDA's side of a context, at the first call; core->cuda is set then. Any thread.
/// Errors: UNSUPPORTED (no CUDA; the device is none of CUDA's; OpenCL cannot import memory), DRIVER, HOST_MEMORY.
weft_status weft__cuda_open(weft__core *core);
/// Gives CUDA's objects back. The work on the queues must be done, and all shared memory freed.
void weft__cuda_close(weft__core *core);

/// Makes the primary context this thread's current one, until weft__cuda_leave.
weft_status weft__cuda_enter(weft__cuda *cuda);
/// Makes the context of `stream` the current one: a stream of another library may have a context of its own.
weft_status weft__cuda_enter_stream(weft__cuda *cuda, weft__cuda_stream stream);
/// The context of `stream`.
weft_status weft__cuda_context_of(weft__cuda_context *context, const weft__cuda *cuda, weft__cuda_stream stream);
void weft__cuda_leave(void);
/// Whether `stream` is one of CUDA's default streams (0, 1, 2), which belong to the current context.
static inline bool weft__cuda_stream_is_default(weft__cuda_stream stream) {
  return (uintptr_t)stream <= 2;
}

/* ---- memory ---- */

/// Memory on the device that CUDA made and OpenCL imported.
typedef struct weft__cuda_memory {
  uint64_t handle;     /* CUDA's; 0: the memory was made by others */
  uint64_t address;    /* where CUDA sees it */
  uint64_t size_bytes; /* a multiple of the granule */
  weft__cl_mem mem;
} weft__cuda_memory;

/// A failed step of making shared memory: the code of OpenCL or of CUDA, and the call that returned it.
typedef struct weft__cuda_failure {
  bool is_cuda;
  int code;         /* 0: no failure */
  const char *call; /* NULL: the host's memory ran out */
} weft__cuda_failure;

/// Makes at least `size_bytes` of memory.
weft__cuda_failure weft__cuda_memory_make(weft__cuda_memory *memory, weft__core *core, uint64_t size_bytes);
/// Releases it, at the latest once the work of CUDA streams that Weft's work waits for is done. Commands that were
/// enqueued on `mem` before keep its bytes until they are done.
void weft__cuda_memory_free(weft__cuda_memory *memory, weft__core *core);
/// Releases CUDA's side of it now.
void weft__cuda_memory_unmap(const weft__cuda_memory *memory, weft__cuda *cuda);
/// Imports the allocation at `address`, made by others, if it can be exported: memory->mem is NULL if it cannot.
/// *offset_bytes: of `address` in it. The memory must outlive the import.
weft__cuda_failure weft__cuda_memory_around(weft__cuda_memory *memory, uint64_t *offset_bytes, weft__core *core,
                                            uint64_t address, uint64_t size_bytes);
/// Imports memory of `owner`'s context into another one, of the same device or of another GPU that reaches it.
weft__cuda_failure weft__cuda_memory_for(weft__cl_mem *mem, const weft__core *to, const weft__cuda_memory *memory,
                                         const weft__core *owner);
/// Opens a file descriptor of the memory, which `owner`'s context made.
weft__cuda_failure weft__cuda_memory_export(int *file, const weft__cuda_memory *memory, const weft__core *owner);
/// Imports memory of `size_bytes`; it is OpenCL that closes the file then.
weft__cuda_failure weft__cuda_memory_import(weft__cl_mem *mem, const weft__core *to, int file, uint64_t size_bytes);
/// Whether the device can import memory, and CUDA is there.
bool weft__cuda_imports(const weft__core *to);
/// Whether two contexts can have memory in common: both devices take CUDA's, and CUDA is there. Opens `owner`'s side.
bool weft__cuda_reaches(const weft__core *to, weft__core *owner);
/// Whether the failure means that memory ran out.
bool weft__cuda_is_out_of_memory(const weft__cuda_failure *failure);
/// Records the failure as an error and returns its status.
weft_status weft__cuda_failed(weft__core *core, const weft__cuda_failure *failure);

/* ---- order: cuda/order.c ---- */

/// Work that `stream` gets from now on waits for the slot's work so far, or the work of WEFT__EVERY_SLOT. Does not
/// block the host.
weft_status weft__cuda_after(weft__core *core, weft__cuda_stream stream, int slot);
/// Later work on the slot, or on WEFT__EVERY_SLOT, waits for the work that `stream` has so far. Does not block the
/// host.
weft_status weft__after_cuda(weft__core *core, int slot, weft__cuda_stream stream);
/// The context's own stream, made at the first call.
weft_status weft__cuda_own_stream(weft__cuda_stream *stream, weft__core *core);
/// Lets the memory be unmapped once all awaited work of CUDA streams is done. False: no work is awaited.
bool weft__cuda_unmap_later(weft__core *core, const weft__cuda_memory *memory);
/// Ends what the above have started. For weft__cuda_close.
void weft__cuda_order_end(weft__core *core);

#endif
