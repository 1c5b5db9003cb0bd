// SPDX-License-Identifier: MIT
/// What users forgot: said when their context is closed, and, for contexts that never are, at the process's end
/// (WEFT_LEAKS).
#ifndef WEFT_CONTEXT_LEAKS_H
#define WEFT_CONTEXT_LEAKS_H

#include "context/context.h"

/// The ledger of objects without a context: ufunc objects, mappings, snapshots, and some generators. With
/// WEFT_LEAKS=error its content is reported when the process ends. fork() empties the child's copy: the parent releases
/// its own objects.
weft__ledger *weft__leaks_ledger(void);

/// WEFT_ERROR_LEAK where handles are alive, with the lines that made them; also to the log, and to stderr where
/// WEFT_LEAKS asks for it.
weft_status weft__leaks_report(weft_context *context);
/// The process ends and the context is open: with WEFT_LEAKS=error what is alive in it is said on stderr.
void weft__leaks_at_exit(weft_context *context);

#endif
