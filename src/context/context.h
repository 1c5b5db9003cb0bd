// SPDX-License-Identifier: MIT
/// The context, put together: core (OpenCL objects, ledger), pool, and the store of programs and kernels.
#ifndef WEFT_CONTEXT_CONTEXT_H
#define WEFT_CONTEXT_CONTEXT_H

#include "base/handle.h"
#include "context/queues.h"
#include "kernel/kernel.h"
#include "mem/pinned_memory.h"
#include "mem/pool.h"
#include "mem/ring.h"
#include "store/kernel_set.h"
#include "watch/status_file.h"

struct weft_context {
  uint32_t magic;
  _Atomic(uint64_t) references;
  weft__core core;
  weft__pool pool;
  weft__ring ring;
  weft__pinned_blocks pinned;
  weft__store store;
  weft__queues queues;
  weft__status_file published;
  int profile_wish; /* WEFT_PROFILE started it: its number among those, from 1 on; else 0 */
  bool profile_told;
};

/// A new context, as the environment's WEFT_PROFILE wishes. Errors: HOST_MEMORY.
weft_status weft__profile_request(weft_context *context);
/// Before a context goes, when what is on its queues is done: prints the profile that the environment wished for, once.
void weft__profile_end(weft_context *context);
/// The same at the process's end, of which the driver is asked nothing any more.
void weft__profile_at_exit(weft_context *context);

/// A context around a foreign cl_context and an in-order queue of it. `params` may be NULL.
weft_status weft__context_adopt(weft_context **out, weft__cl_context cl, weft__cl_queue queue, const weft_context_params *params,
                                int header_version);

/// The default context where `given` is NULL, else `given`, checked: HANDLE, CLOSED, FORKED, LOST. Borrowed. "context" is the argument's
/// name in messages.
weft_status weft__context_resolve(weft_context **context, weft_context *given);
/// The same, but where no default context was made so far *context is NULL.
weft_status weft__context_peek(weft_context **context, weft_context *given);
/// The context is being closed, and its pinned memory with it.
void weft__pinned_forget(weft_context *context);
/// Checks one that must be given.
weft_status weft__context_check(const weft_context *context);
/// The same for calls that only say what is and was: of closed and lost contexts too. In a forked child the locks may be held for good.
weft_status weft__context_check_readable(const weft_context *context);

#endif
