// SPDX-License-Identifier: MIT
/// Objects that users forgot to release. They are reported when their context is closed, or at the process's end if it
/// never is (WEFT_LEAKS).
#ifndef WEFT_CONTEXT_LEAKS_H
#define WEFT_CONTEXT_LEAKS_H

#include "context/context.h"

/// The ledger of objects without a context: ufunc objects, mappings, snapshots, and some generators. With
/// WEFT_LEAKS=error its content is reported when the process ends. fork() empties the child's copy: the parent releases
/// its own objects.
weft__ledger *weft__leaks_ledger(void);

/// WEFT_ERROR_LEAK if handles are alive, with the lines that made them. Also written to the log, and to stderr if
/// WEFT_LEAKS asks for it.
weft_status weft__leaks_report(weft_context *context);
/// Called at the process's end for an open context: with WEFT_LEAKS=error it writes the live objects to stderr.
void weft__leaks_at_exit(weft_context *context);

#endif
