// SPDX-License-Identifier: MIT
/// The context and its parts: core (OpenCL objects, ledger), pool, and the store of programs and kernels.
#ifndef WEFT_CONTEXT_CONTEXT_H
#define WEFT_CONTEXT_CONTEXT_H

#include "base/object.h"
#include "context/queues.h"
#include "kernel/kernel.h"
#include "mem/pinned_memory.h"
#include "mem/pool.h"
#include "mem/ring.h"
#include "store/kernel_set.h"

struct weft_context {
  weft__object object;
  weft__core core;
  weft__pool pool;
  weft__ring ring;
  weft__pinned_blocks pinned;
  weft__store store;
  weft__queues queues;
  int profile_request; /* WEFT_PROFILE started a profile: the context's number among such contexts, from 1 on; else 0 */
  bool profile_is_printed;
};

/// Callbacks of a room of src/ above this one that follows the life of contexts.
typedef struct weft__follower {
  /// The context is complete. A failure undoes its creation.
  weft_status (*begin)(weft_context *context);
  /// The work on its queues is done, and its parts are closed next.
  void (*end)(weft_context *context);
  /// The process ends while the context is open. Must not call the driver. NULL: nothing to do.
  void (*at_exit)(weft_context *context);
} weft__follower;

/// All followers, in the order in which they begin: in watch/followers.c.
extern const weft__follower weft__followers[];
extern const int weft__follower_count;

/// Makes a context from a foreign cl_context and one of its in-order queues.
weft_status weft__context_adopt(weft_context **out, weft__cl_context cl, weft__cl_queue queue,
                                const weft_context_params *params, int header_version);

/// Checks `given`, or the default context if it is NULL: HANDLE, CLOSED, FORKED, LOST. The result is borrowed. Messages
/// name the argument "context".
weft_status weft__context_resolve(weft_context **context, weft_context *given);
/// Like weft__context_resolve, but makes no default context: *context is NULL if there is no default one yet.
weft_status weft__context_peek(weft_context **context, weft_context *given);
/// Call it when the context and its pinned memory are closed.
void weft__pinned_forget(weft_context *context);
/// Checks a context that must not be NULL.
weft_status weft__context_check(const weft_context *context);
/// Checks a context for calls that only read its state: closed and lost contexts are allowed. In a forked child the
/// locks may be held forever.
weft_status weft__context_check_readable(const weft_context *context);

#endif
