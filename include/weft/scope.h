// SPDX-License-Identifier: MIT
/// Scopes: arrays that are freed together.
///
/// Every array handle that a thread's calls make while a scope is open in that thread, results and views alike, belongs
/// to the innermost one and is freed at its end, unless it was kept:
///
///     weft_status distance(weft_array **out, const weft_array *x, const weft_array *y) {
///       weft_scope scope;
///       weft_array *xx = NULL, *yy = NULL, *sum = NULL;
///       weft_status rc = weft_scope_begin(&scope);
///       if (rc) return rc;
///       if (rc == WEFT_OK) rc = weft_multiply(&xx, x, x);
///       if (rc == WEFT_OK) rc = weft_multiply(&yy, y, y);
///       if (rc == WEFT_OK) rc = weft_add(&sum, xx, yy);
///       if (rc == WEFT_OK) rc = weft_sqrt(out, sum);
///       if (rc == WEFT_OK) rc = weft_scope_keep(*out);
///       weft_status ended = weft_scope_end(&scope);
///       return rc ? rc : ended;
///     }
///
/// What the scope owns is the reference that the call gave. Releasing an array inside its scope is fine: with its last
/// reference it is freed and leaves the scope. A reference of one's own (weft_array_retain) outlives the scope.
/// Kernels, streams, timers and the like belong to no scope. After the end the handles that were not kept are gone, as
/// after weft_array_release, and the variables that hold them still point there: declare them inside, or set them to
/// NULL.
///
/// Scopes nest, and belong to their thread. One that was forgotten, by a `return` in the middle, ends with the one
/// around it, which says so in the log (weft_log_set, WEFT_LOG_WARNING). A thread that ends with an open scope leaves
/// its arrays to nobody: they are reported as leaks when their context is closed. Close a context after the scopes that
/// have its arrays; else these too are reported, and the scope's end only drops the handles.
#ifndef WEFT_SCOPE_H
#define WEFT_SCOPE_H

#include <weft/array.h>

WEFT_BEGIN_DECLS

/// An open scope; the inside is the library's. It need not be initialised.
typedef struct weft_scope {
  uint64_t id;
} weft_scope;

/// Opens a scope in this thread, inside those that are open. Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HOST_MEMORY. Does
/// not block. Thread: any, for itself.
#define weft_scope_begin(scope) weft__scope_begin_at((scope), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__scope_begin_at(weft_scope *scope, const char *site);

/// Frees the arrays that belong to `scope` and ends it, and before it those inside that were forgotten. Work that uses
/// the arrays may still be running: their memory is used again only after it. Does not block.
/// Errors: WEFT_ERROR_ARGUMENT when `scope` is not open in this thread. Thread: the one that began it.
WEFT_API WEFT_NODISCARD weft_status weft_scope_end(weft_scope *scope);

/// Keeps `x` beyond the end of the innermost open scope: from here on it belongs to the one around, where there is one,
/// else to nobody but the caller, who releases it. An array that is not the innermost scope's (made before, or kept
/// already) stays where it is.
/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT when no scope is open in this thread. Thread: any, for itself.
WEFT_API WEFT_NODISCARD weft_status weft_scope_keep(weft_array *x);

WEFT_END_DECLS

#endif
