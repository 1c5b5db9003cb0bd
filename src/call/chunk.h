// SPDX-License-Identifier: MIT
/// Calls over host memory in chunks: where it is more than the device has room for, or so much that moving it and
/// computing had better overlap. Which calls are cut, how large a chunk is, and moving the parts. How arrays are cut is
/// in call/tile.h, what is done with a chunk in op/ufunc/pipeline.c and op/reduce/streaming.c.
#ifndef WEFT_CALL_CHUNK_H
#define WEFT_CALL_CHUNK_H

#include "call/call.h"
#include "map/plan.h"

/// How many bytes of host memory a chunk of the call shall have; 0: it is done whole. `result_bytes`: of the results
/// that the call makes on the device; `own_bytes`: what the whole call takes there besides, of which a chunk takes a
/// part. WEFT_CHUNK in the environment says how many bytes a chunk has, and calls over more than that are cut; `off`:
/// none. Without it that is up to the device (chunk.c). Errors: ARGUMENT (WEFT_CHUNK is no size).
weft_status weft__chunk_bytes(uint64_t *chunk_bytes, const weft__call *c, uint64_t result_bytes, uint64_t own_bytes);
/// The same chunk, or one that is small enough for what the context has room for now, where several are under way.
uint64_t weft__chunk_that_fits(uint64_t chunk_bytes, weft_context *context);

/// The queues of a call under way.
typedef struct weft__chunking {
  weft__queues *queues;
  weft__core *core;
  int slot[WEFT__MAX_QUEUES];
  weft__thread_stream before; /* what the thread used, while it is in a queue */
} weft__chunking;

weft_status weft__chunking_begin(weft__chunking *chunking, weft_context *context);
/// What this thread enqueues from now on is of chunk `number`; chunks that are WEFT__MAX_QUEUES apart share a queue and
/// what it has room for. Returns the queue's number.
int weft__chunking_enter(weft__chunking *chunking, uint64_t number);
/// Back to the thread's own stream.
void weft__chunking_leave(weft__chunking *chunking);
/// Gives the queues back. `waits`: not before their work is done, as it is with memory of the caller's. Returns the
/// first failure, `rc` or that.
weft_status weft__chunking_end(weft__chunking *chunking, weft_status rc, bool waits);

/// Host memory that goes to the device, or comes from there, part by part: for each queue an array that a part fits in.
typedef struct weft__staging {
  char *data;
  const char *name;
  bool is_pinned; /* copies go on while the host does: their queues must be waited for in the end */
  weft_array *array[WEFT__MAX_QUEUES];
  uint64_t offset_bytes[WEFT__MAX_QUEUES], size_bytes[WEFT__MAX_QUEUES]; /* of the part that is there */
} weft__staging;

/// `data` and `name` are set; it is an array like `like`. `elements`: of the largest part. Close it also after a
/// failure.
weft_status weft__staging_open(weft__staging *staging, const weft__call *c, const weft_array *like, int64_t elements);
void weft__staging_close(weft__staging *staging);
/// The part to the device, in this thread's queue `queue`; nothing where it is there already. `data` may be changed on
/// return, if it is not pinned.
weft_status weft__staging_to_device(weft__staging *staging, int queue, uint64_t offset_bytes, uint64_t size_bytes);
/// The way back, in the queue where it was computed. Blocks until it is there, if it is not pinned.
weft_status weft__staging_to_host(weft__staging *staging, int queue, uint64_t offset_bytes, uint64_t size_bytes);

#endif
