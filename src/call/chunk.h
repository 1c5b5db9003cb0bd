// SPDX-License-Identifier: MIT
/// Calls over host memory in chunks, used if it exceeds the room on the device, or is so large that transfers and
/// computing should overlap. This file decides which calls are chunked and the chunk's size, and transfers the parts.
/// Arrays are cut in call/tile.h; chunks are computed in op/ufunc/pipeline.c and op/reduce/streaming.c.
#ifndef WEFT_CALL_CHUNK_H
#define WEFT_CALL_CHUNK_H

#include "call/call.h"
#include "map/plan.h"

/// Whether the call uses host memory. No other call is chunked.
bool weft__uses_host_memory(const weft__call *c);
/// The size of the call's chunks in bytes of host memory; 0: the call is not chunked. `result_bytes`: results that the
/// call makes on the device. `own_bytes`: further device memory of the whole call, of which a chunk needs a part. With
/// WEFT_CHUNK set, calls over more bytes than it says are cut into chunks of that size; `off`: no call is. Otherwise
/// the size depends on the device (chunk.c). Errors: ARGUMENT (WEFT_CHUNK is not a size).
weft_status weft__chunk_bytes(uint64_t *chunk_bytes, const weft__call *c, uint64_t result_bytes, uint64_t own_bytes);
/// `chunk_bytes`, reduced if needed so that the chunks in progress fit the context's free memory.
uint64_t weft__chunk_that_fits(uint64_t chunk_bytes, weft_context *context);

/// The queues of a call in progress.
typedef struct weft__chunking {
  weft__queues *queues;
  weft__core *core;
  int slot[WEFT__MAX_QUEUES];
  weft__thread_stream before; /* the thread's own stream while it uses one of the queues */
} weft__chunking;

/// Takes queues. Their work waits for the thread's own queue where an array needs it, or if other code may use that
/// queue.
weft_status weft__chunking_begin(weft__chunking *chunking, weft_context *context);
/// This thread's commands now belong to chunk `number`. Chunks whose numbers differ by a multiple of WEFT__MAX_QUEUES
/// share a queue and its staging arrays. Returns the queue's number.
int weft__chunking_enter(weft__chunking *chunking, uint64_t number);
/// Returns to the thread's own stream.
void weft__chunking_leave(weft__chunking *chunking);
/// Gives the queues back. Later work on the thread's own queue waits for theirs. `waits`: first waits for their work,
/// as needed if it uses the caller's memory. Returns the first failure: `rc`, or the failure of the wait.
weft_status weft__chunking_end(weft__chunking *chunking, weft_status rc, bool waits);

/// Host memory that is transferred to or from the device in parts. Each queue has an array that holds one part.
typedef struct weft__staging {
  char *data;
  const char *name;
  bool is_pinned; /* copies are asynchronous: wait for their queues in the end */
  weft_array *array[WEFT__MAX_QUEUES];
  uint64_t offset_bytes[WEFT__MAX_QUEUES], size_bytes[WEFT__MAX_QUEUES]; /* of the part in the array */
} weft__staging;

/// Opens a staging whose `data` and `name` are set, for memory like the array `like`. `elements`: size of the largest
/// part. Close it also after a failure.
weft_status weft__staging_open(weft__staging *staging, const weft__call *c, const weft_array *like, int64_t elements);
void weft__staging_close(weft__staging *staging);
/// Copies the part to the device, in this thread's queue `queue`, unless it is there already. On return `data` may be
/// changed if it is not pinned.
weft_status weft__staging_to_device(weft__staging *staging, int queue, uint64_t offset_bytes, uint64_t size_bytes);
/// Copies the part back, in the queue where it was computed. Waits for the copy if `data` is not pinned.
weft_status weft__staging_to_host(weft__staging *staging, int queue, uint64_t offset_bytes, uint64_t size_bytes);

#endif
