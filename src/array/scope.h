// SPDX-License-Identifier: MIT
/// Scopes as array handles use them: a handle enters the innermost scope of its thread, and leaves it.
#ifndef WEFT_ARRAY_SCOPE_H
#define WEFT_ARRAY_SCOPE_H

#include <stdatomic.h>

#include <weft/scope.h>

typedef struct weft__scope weft__scope;

/// An array's place in the ring of its scope.
typedef struct weft__scope_entry {
  struct weft__scope_entry *previous, *next;
  _Atomic(weft__scope *) scope; /* NULL: in no scope */
} weft__scope_entry;

/// The innermost open scope of this thread; NULL: none.
extern _Thread_local weft__scope *weft__scope_now;

/// Adds x to the innermost scope, which must exist.
void weft__scope_enter(weft_array *x);
/// Removes x from its scope, if it is in one: x is being freed, or its reference is not the user's.
void weft__scope_leave(weft_array *x);

#endif
