// SPDX-License-Identifier: MIT
/// The context, put together: core (OpenCL objects, ledger), pool, and the store of programs and kernels.
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
  int profile_request; /* WEFT_PROFILE started it: its number among those, from 1 on; else 0 */
  bool profile_is_printed;
};

/// A room above that follows the life of contexts.
typedef struct weft__follower {
  /// A context is complete; a failure undoes it.
  weft_status (*begin)(weft_context *context);
  /// What is on its queues is done, and its parts are closed next.
  void (*end)(weft_context *context);
  /// The process ends and it is open: the driver is asked nothing any more. NULL: nothing to do.
  void (*at_exit)(weft_context *context);
} weft__follower;

/// All of them, in the order in which they begin: in watch/followers.c.
extern const weft__follower weft__followers[];
extern const int weft__follower_count;

/// A context around a foreign cl_context and an in-order queue of it.
weft_status weft__context_adopt(weft_context **out, weft__cl_context cl, weft__cl_queue queue,
                                const weft_context_params *params, int header_version);

/// The default context where `given` is NULL, else `given`, checked: HANDLE, CLOSED, FORKED, LOST. Borrowed. "context"
/// is the argument's name in messages.
weft_status weft__context_resolve(weft_context **context, weft_context *given);
/// The same, but where no default context was made so far *context is NULL.
weft_status weft__context_peek(weft_context **context, weft_context *given);
/// The context is being closed, and its pinned memory with it.
void weft__pinned_forget(weft_context *context);
/// Checks one that must be given.
weft_status weft__context_check(const weft_context *context);
/// The same for calls that only say what is and was: of closed and lost contexts too. In a forked child the locks may
/// be held for good.
weft_status weft__context_check_readable(const weft_context *context);

#endif
