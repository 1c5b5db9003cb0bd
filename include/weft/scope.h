// SPDX-License-Identifier: MIT
/// Scopes: every array that a thread's calls make while a scope is open is released at the scope's end, except kept
/// ones.
///
///     weft_scope scope;
///     weft_array *square = NULL;
///     rc = weft_scope_begin(&scope);
///     rc = weft_multiply(&square, x, x);
///     rc = weft_sqrt(&y, square);
///     rc = weft_scope_keep(y);
///     rc = weft_scope_end(&scope);
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SCOPE_H
#define WEFT_SCOPE_H

#include <weft/array.h>

WEFT_BEGIN_DECLS

/* Scopes nest; an array belongs to the innermost scope of its thread. The scope owns the reference that the call
   returned: other references (weft_array_retain) live on, and an array released inside its scope leaves it. Kernels,
   streams and all other objects belong to no scope. A scope left open by a `return` ends with the scope around it, with
   a warning in the log. If a thread ends with an open scope, its arrays are reported as leaks when their context is
   closed. Close a context after the scopes that hold its arrays. */

/// An open scope. It needs no initialisation, and its content is private.
typedef struct weft_scope {
  uint64_t id;
} weft_scope;

/// Opens a scope in the calling thread, inside its open ones.
WEFT_API WEFT_NODISCARD weft_status weft_scope_begin(weft_scope *scope);

/// Releases the arrays of `scope` and of open scopes inside it, and ends them. Variables that hold these handles are
/// not set to NULL. Does not wait: memory in use by running work is reused only after that work. WEFT_ERROR_ARGUMENT:
/// the scope is not open in the calling thread.
WEFT_API WEFT_NODISCARD weft_status weft_scope_end(weft_scope *scope);

/// Moves `x` from the innermost open scope to the one around it, or to the caller, who then releases it. An array that
/// is not in the innermost scope (made earlier, or kept already) stays where it is. WEFT_ERROR_ARGUMENT: no scope is
/// open in the calling thread.
WEFT_API WEFT_NODISCARD weft_status weft_scope_keep(weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__scope_begin_at(weft_scope *scope, const char *site);

#define weft_scope_begin(scope) weft__scope_begin_at((scope), WEFT_SITE)

WEFT_END_DECLS

#endif
