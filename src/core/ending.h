// SPDX-License-Identifier: MIT
/// What is still done when the process ends and contexts are open: default ones, which nobody need close, and forgotten ones.
#ifndef WEFT_CORE_ENDING_H
#define WEFT_CORE_ENDING_H

#include "core/core.h"

/// A context is complete: at the process's end its work is waited for where the driver needs that (quirk finish_at_exit) or `finishes` says so,
/// and then `last_words` is called, which must ask nothing of the driver.
void weft__ending_watch(weft__core *core, bool finishes, void (*last_words)(weft__core *core));
/// It is being closed.
void weft__ending_forget(weft__core *core);

/// `last` is called after the last words of contexts, once, however often this was called with it.
void weft__ending_call(void (*last)(void));
/// The process shall not end as if all were well: when all has been said, its status becomes WEFT__ENDING_STATUS (which is LeakSanitizer's).
/// Only for somebody who asked for that (WEFT_LEAKS=error).
#define WEFT__ENDING_STATUS 23
void weft__ending_fail(void);

/// Whether the process is so far at its end that drivers may be gone: no context is made any more.
bool weft__ending_is_over(void);

#endif
