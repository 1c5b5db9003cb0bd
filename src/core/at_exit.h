// SPDX-License-Identifier: MIT
/// Work at the process's end for contexts that are still open: default contexts, which need not be closed, and
/// forgotten ones.
#ifndef WEFT_CORE_AT_EXIT_H
#define WEFT_CORE_AT_EXIT_H

#include "core/core.h"

/// Registers a complete context. At the process's end its work is waited for if the driver needs that (quirk
/// finish_at_exit) or `finishes` is set; then, and when a thread that used such a context ends, `keep` is called, which
/// may call the driver. Last comes `last_words`, which must not.
void weft__at_exit_watch(weft__core *core, bool finishes, void (*keep)(weft__core *core),
                         void (*last_words)(weft__core *core));
/// Unregisters a context that is being closed.
void weft__at_exit_forget(weft__core *core);

/// Registers `last`, to be called once, after the `last_words` of all contexts. Repeated calls have no effect.
void weft__at_exit_call(void (*last)(void));
/// Makes the process end with status WEFT__AT_EXIT_STATUS (as LeakSanitizer does) after all reports. Only with
/// WEFT_LEAKS=error.
#define WEFT__AT_EXIT_STATUS 23
void weft__at_exit_fail(void);

/// Whether the process's end has come so far that drivers may be gone: no context can be made.
bool weft__at_exit_is_over(void);

#endif
