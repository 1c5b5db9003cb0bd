// SPDX-License-Identifier: MIT
/// A CUDA step: functions of one of NVIDIA's libraries (cuBLAS, cuSOLVER, ...) that work on arrays' memory, on the
/// context's own CUDA stream, in order with the device's work on them. The host does not wait, unless it is asked to.
/// It is for contexts made with .cuda, whose arrays CUDA sees.
///
///     static const weft__cuda_engine solver = {&binding, create, destroy};
///
///     const weft__cuda_use uses[] = {weft__cuda_use_of(a, true), weft__cuda_use_of(info, true)};
///     rc = weft__cuda_step(&is_done, &(weft__cuda_work){.context = context, .engine = &solver, .uses = 2, .use = uses,
///                                                       .measure = potrf_size, .run = potrf, .user = &task,
///                                                       .what = "cholesky", .site = site});
///     if (rc == WEFT_OK && !is_done) ... the next engine ...
#ifndef WEFT_ENGINE_CUDA_STEP_H
#define WEFT_ENGINE_CUDA_STEP_H

#include "array/array.h"
#include "cuda/cuda.h"
#include "engine/engine.h"

#define WEFT__CUDA_USES 8

/// A library and its handle, one for each context. `create` binds it to the stream and returns 0, or the library's
/// code; both are called in the device's CUDA context.
typedef struct weft__cuda_engine {
  weft__engine_binding *binding;
  int (*create)(void **handle, weft__cuda_stream stream);
  void (*destroy)(void *handle);
} weft__cuda_engine;

/// Memory that the step uses, from its first element on.
typedef struct weft__cuda_use {
  weft__storage *storage;
  int64_t offset_bytes;
  bool writes;
} weft__cuda_use;

static inline weft__cuda_use weft__cuda_use_of(const weft_array *x, bool writes) {
  return (weft__cuda_use){x->storage, x->offset_bytes, writes};
}

/// What a step's functions get.
typedef struct weft__cuda_call {
  void *handle;
  weft__cuda_stream stream;
  void *data[WEFT__CUDA_USES]; /* by use: CUDA's address of the first element */
  void *device_work, *host_work;
  size_t device_bytes, host_bytes; /* of the workspaces; `measure` sets them */
} weft__cuda_call;

typedef struct weft__cuda_work {
  weft_context *context;
  const weft__cuda_engine *engine;
  int uses; /* 1 to WEFT__CUDA_USES */
  const weft__cuda_use *use;
  /// Sets the sizes of the workspaces; they are 0 before. NULL: there are no workspaces. Changes no array. Returns 0,
  /// or the library's code: the step is not done.
  int (*measure)(weft__cuda_call *call, void *user);
  /// Enqueues the work. Returns 0, or the library's code.
  int (*run)(const weft__cuda_call *call, void *user);
  void *user;
  bool waits;       /* the caller reads a result at once: a wait for the library's stream takes less than an event */
  const char *what; /* the operation: "cholesky". A literal */
  const char *site;
} weft__cuda_work;

/// Whether a context can have steps of this library. The first call loads it. Does not record an error.
bool weft__cuda_engine_is_there(const weft__cuda_engine *engine, const weft_context *context);

/// Does the step, or leaves *is_done false, and the arrays as they were, if the library refuses it or CUDA does not see
/// an array (quirk small_imports). Errors: DRIVER (the library failed; the written arrays are indeterminate), ARGUMENT
/// (an array is mapped), MEMORY, HOST_MEMORY, LOST.
weft_status weft__cuda_step(bool *is_done, const weft__cuda_work *work);

#endif
