// SPDX-License-Identifier: MIT
/// What is known of the macros and conditionals of a source before the driver's compiler reads it. The compiler defines
/// macros of its own, so some conditions cannot be decided: then both branches are read, and behind #endif only what
/// all of them agree on is known.
#ifndef WEFT_KERNEL_MACROS_H
#define WEFT_KERNEL_MACROS_H

#include <stdint.h>

#include "base/error.h"

typedef enum weft__macro_state {
  WEFT__MACRO_UNKNOWN = 0,
  WEFT__MACRO_UNDEFINED,
  WEFT__MACRO_DEFINED
} weft__macro_state;

typedef struct weft__macro_value {
  weft__macro_state state;
  const char *text; /* of a definition, what follows the name: "(x) x + 1", " 3"; NULL: not known */
} weft__macro_value;

typedef struct weft__macro {
  struct weft__macro *next; /* of its bucket */
  weft__macro_value now;
  bool was_set;      /* a line or a condition named it */
  bool is_expanding; /* its text is being replaced: the name in it stays */
  bool is_guard;     /* of a file, and nothing else has defined it: once it is defined, the file has been compiled */
  struct weft__macro **brings; /* of a guard, the guards of the files that its file includes in any case */
  size_t brought, brings_room;
  unsigned stamp; /* the rest is for joining branches */
  unsigned joined_count;
  weft__macro_value joined;
  size_t length;
  char name[];
} weft__macro;

/// A macro's value before a change, or at the end of a branch.
typedef struct weft__macro_note {
  weft__macro *macro;
  weft__macro_value value;
} weft__macro_note;

typedef struct weft__macro_notes {
  weft__macro_note *note;
  size_t count, room;
} weft__macro_notes;

/// Whether a branch is compiled, or a condition holds.
typedef enum weft__truth { WEFT__NO = 0, WEFT__YES, WEFT__MAYBE } weft__truth;

/// A condition, and if it is about one macro alone, which, and whether it asks that the macro is defined.
typedef struct weft__condition {
  weft__truth truth;
  weft__macro *macro;
  bool is_defined;
} weft__condition;

/// A conditional: from #if to #endif.
typedef struct weft__group {
  weft__truth outer, branch; /* around it, and its current branch */
  bool is_open;              /* a condition could not be decided */
  bool is_decided;           /* a branch surely holds if those before it do not */
  weft__condition first;     /* if is_open, the first that could not be decided */
  unsigned branches;         /* that were read, if is_open */
  size_t changes, outcomes;  /* where its notes begin */
} weft__group;

enum { WEFT__MACRO_BUCKETS = 4096 };

/// All zero is empty.
typedef struct weft__macros {
  weft__macro **bucket;
  struct weft__macro_text *texts;
  weft__macro_notes change, outcome; /* in the open groups */
  weft__group *group;
  size_t groups, group_room;
  unsigned open_groups, stamp;
  size_t work; /* done for one directive (kernel/condition.h) */
  bool failed; /* memory ran out */
} weft__macros;

void weft__macros_free(weft__macros *macros);
/// The macro of this name, made if it is new. NULL: memory ran out.
weft__macro *weft__macro_find(weft__macros *macros, const char *name, size_t length);
void weft__macro_set(weft__macros *macros, weft__macro *macro, weft__macro_value value);
/// Defines a macro: "NAME", "NAME 3", "NAME(x) x". Other texts do nothing.
void weft__macro_define(weft__macros *macros, const char *text);

/// Notes that the file whose guard is `macro` includes the one of `guard` in any case.
void weft__macro_brings(weft__macros *macros, weft__macro *macro, weft__macro *guard);

/// Whether the current line is compiled.
weft__truth weft__group_now(const weft__macros *macros);
void weft__group_begin(weft__macros *macros, const weft__condition *condition);
/// The next branch: #elif, or #else, whose condition holds.
void weft__group_else(weft__macros *macros, const weft__condition *condition);
void weft__group_end(weft__macros *macros);

#endif
