// SPDX-License-Identifier: MIT
/// What is still done when the process ends and contexts are open: default ones, which nobody need close, and forgotten
/// ones.
#ifndef WEFT_CORE_AT_EXIT_H
#define WEFT_CORE_AT_EXIT_H

#include "core/core.h"

/// A context is complete: at the process's end its work is waited for where the driver needs that (quirk
/// finish_at_exit) or `finishes` says so, and then `last_words` is called, which must ask nothing of the driver.
void weft__at_exit_watch(weft__core *core, bool finishes, void (*last_words)(weft__core *core));
/// It is being closed.
void weft__at_exit_forget(weft__core *core);

/// Registers `last`, to be called once, after the `last_words` of all contexts. Repeated calls have no effect.
void weft__at_exit_call(void (*last)(void));
/// Makes the process end with status WEFT__AT_EXIT_STATUS (as LeakSanitizer does) after all reports. Only with
/// WEFT_LEAKS=error.
#define WEFT__AT_EXIT_STATUS 23
void weft__at_exit_fail(void);

/// Whether the process is so far at its end that drivers may be gone: no context is made any more.
bool weft__at_exit_is_over(void);

#endif
