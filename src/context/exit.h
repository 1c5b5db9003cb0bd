// SPDX-License-Identifier: MIT
/// What is still done when the process ends and contexts are open: default ones, which nobody need close, and forgotten ones.
#ifndef WEFT_CONTEXT_EXIT_H
#define WEFT_CONTEXT_EXIT_H

#include "context/context.h"

/// A context is complete: at the process's end its work is waited for where the driver needs that (quirk finish_at_exit) and
/// where the environment wished for a profile, which is printed then, and its leaks are said (WEFT_LEAKS=error).
void weft__exit_watch(weft_context *context);
/// It is being closed.
void weft__exit_forget(weft_context *context);

#endif
