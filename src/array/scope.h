// SPDX-License-Identifier: MIT
/// What array handles need of scopes: to enter the innermost one of their thread, and to leave it.
#ifndef WEFT_ARRAY_SCOPE_H
#define WEFT_ARRAY_SCOPE_H

#include <stdatomic.h>

#include <weft/scope.h>

typedef struct weft__scope weft__scope;

/// An array's place in the ring of its scope.
typedef struct weft__scope_entry {
  struct weft__scope_entry *previous, *next;
  _Atomic(weft__scope *) scope; /* NULL: it is in none */
} weft__scope_entry;

/// The innermost open scope of this thread; NULL: none is open.
extern _Thread_local weft__scope *weft__scope_now;

/// Into the innermost scope, which must be there.
void weft__scope_enter(weft_array *x);
/// Out of its scope, if it is in one: of a handle that is being freed, or whose reference is not the user's.
void weft__scope_leave(weft_array *x);

#endif
