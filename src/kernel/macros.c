// SPDX-License-Identifier: MIT
#include "kernel/macros.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernel/lines.h"

/// The text of a definition. It lives as long as the table, as a branch may bring an older one back.
typedef struct weft__macro_text {
  struct weft__macro_text *next;
  char chars[];
} weft__macro_text;

void weft__macros_free(weft__macros *macros) {
  for (size_t k = 0; macros->bucket && k < WEFT__MACRO_BUCKETS; k++)
    for (weft__macro *macro = macros->bucket[k], *next; macro; macro = next) {
      next = macro->next;
      free(macro->brings);
      free(macro);
    }
  for (weft__macro_text *text = macros->texts, *next; text; text = next) {
    next = text->next;
    free(text);
  }
  free(macros->bucket);
  free(macros->change.note);
  free(macros->outcome.note);
  free(macros->group);
  *macros = (weft__macros){0};
}

weft__macro *weft__macro_find(weft__macros *macros, const char *name, size_t length) {
  if (!macros->bucket) macros->bucket = calloc(WEFT__MACRO_BUCKETS, sizeof *macros->bucket);
  weft__macro **at = macros->bucket ? &macros->bucket[weft__hash(name, length, 0) % WEFT__MACRO_BUCKETS] : NULL;
  while (at && *at && !((*at)->length == length && memcmp((*at)->name, name, length) == 0)) at = &(*at)->next;
  if (at && !*at && (*at = calloc(1, sizeof **at + length + 1))) {
    (*at)->length = length;
    memcpy((*at)->name, name, length);
  }
  if (!at || !*at) macros->failed = true;
  return at ? *at : NULL;
}

static void note(weft__macros *macros, weft__macro_notes *notes, weft__macro *macro) {
  if (notes->count == notes->room) {
    const size_t room = notes->room * 2 + 64;
    weft__macro_note *more = realloc(notes->note, room * sizeof *more);
    if (!more) {
      macros->failed = true;
      return;
    }
    notes->note = more;
    notes->room = room;
  }
  notes->note[notes->count++] = (weft__macro_note){macro, macro->now};
}

void weft__macro_set(weft__macros *macros, weft__macro *macro, weft__macro_value value) {
  if (!macro) return;
  if (macros->open_groups) note(macros, &macros->change, macro);
  macro->now = value;
  macro->was_set = true;
}

void weft__macro_define(weft__macros *macros, const char *text) {
  text = weft__skip_blanks(text);
  const char *behind = weft__word_end(text);
  if (behind == text) return;
  weft__macro_text *kept = malloc(sizeof *kept + strlen(behind) + 1);
  if (kept) {
    strcpy(kept->chars, behind);
    kept->next = macros->texts;
    macros->texts = kept;
  } else {
    macros->failed = true;
  }
  weft__macro_set(macros, weft__macro_find(macros, text, (size_t)(behind - text)),
                  (weft__macro_value){WEFT__MACRO_DEFINED, kept ? kept->chars : NULL});
}

void weft__macro_brings(weft__macros *macros, weft__macro *macro, weft__macro *guard) {
  for (size_t k = 0; k < macro->brought; k++)
    if (macro->brings[k] == guard) return;
  if (macro->brought == macro->brings_room) {
    const size_t room = macro->brings_room * 2 + 8;
    weft__macro **more = realloc(macro->brings, room * sizeof(*more));
    if (!more) {
      macros->failed = true;
      return;
    }
    macro->brings = more;
    macro->brings_room = room;
  }
  macro->brings[macro->brought++] = guard;
}

/* ---- conditionals ---- */

static weft__group *innermost(const weft__macros *macros) {
  return macros->groups ? &macros->group[macros->groups - 1] : NULL;
}

weft__truth weft__group_now(const weft__macros *macros) {
  const weft__group *group = innermost(macros);
  return group ? group->branch : WEFT__YES;
}

/// Where a guard is defined, so are those that its file brings. Without this a chain of headers would be read again for
/// each way in which it can be reached.
static void assume_brought(weft__macros *macros, weft__macro *guard, unsigned stamp) {
  guard->stamp = stamp;
  for (size_t k = 0; k < guard->brought; k++) {
    weft__macro *brought = guard->brings[k];
    if (brought->stamp == stamp || !brought->is_guard) continue;
    if (brought->now.state == WEFT__MACRO_UNKNOWN)
      weft__macro_set(macros, brought, (weft__macro_value){WEFT__MACRO_DEFINED, NULL});
    assume_brought(macros, brought, stamp);
  }
}

/// Makes use of the condition in the branch where it holds or, if not `holds`, in the others.
static void assume(weft__macros *macros, const weft__condition *condition, bool holds) {
  if (!condition->macro) return;
  const bool is_defined = condition->is_defined == holds;
  weft__macro_set(macros, condition->macro,
                  (weft__macro_value){is_defined ? WEFT__MACRO_DEFINED : WEFT__MACRO_UNDEFINED, NULL});
  if (is_defined && condition->macro->is_guard) assume_brought(macros, condition->macro, ++macros->stamp);
}

/// Begins a branch. `group` is the innermost.
static void begin_branch(weft__macros *macros, weft__group *group, const weft__condition *condition) {
  group->branch = WEFT__NO;
  if (group->outer == WEFT__NO || group->is_decided || condition->truth == WEFT__NO) return;
  if (condition->truth == WEFT__YES) group->is_decided = true;
  if (condition->truth == WEFT__MAYBE && !group->is_open) {
    group->is_open = true;
    group->first = *condition;
    group->changes = macros->change.count;
    group->outcomes = macros->outcome.count;
    macros->open_groups++;
  } else if (group->is_open) {
    assume(macros, &group->first, false);
  }
  if (condition->truth == WEFT__MAYBE) assume(macros, condition, true);
  group->branch = group->is_open ? WEFT__MAYBE : group->outer;
}

/// Notes what a branch of an open group has changed, and brings the values before it back.
static void end_branch(weft__macros *macros, weft__group *group) {
  if (!group->is_open || group->branch == WEFT__NO) return;
  const unsigned stamp = ++macros->stamp;
  group->branches++;
  while (macros->change.count > group->changes) {
    const weft__macro_note *old = &macros->change.note[--macros->change.count];
    if (old->macro->stamp != stamp) note(macros, &macros->outcome, old->macro);
    old->macro->stamp = stamp;
    old->macro->now = old->value;
  }
}

static weft__macro_value join(weft__macro_value a, weft__macro_value b) {
  if (a.state != b.state) return (weft__macro_value){WEFT__MACRO_UNKNOWN, NULL};
  if (a.text != b.text && !(a.text && b.text && strcmp(a.text, b.text) == 0)) a.text = NULL;
  return a;
}

/// Sets what all branches agree on. Those that have no note of a macro left it as it is.
static void join_branches(weft__macros *macros, const weft__group *group) {
  const unsigned stamp = ++macros->stamp;
  for (size_t k = group->outcomes; k < macros->outcome.count; k++) {
    const weft__macro_note *at = &macros->outcome.note[k];
    weft__macro *macro = at->macro;
    macro->joined = macro->stamp == stamp ? join(macro->joined, at->value) : at->value;
    macro->joined_count = macro->stamp == stamp ? macro->joined_count + 1 : 1;
    macro->stamp = stamp;
  }
  for (size_t k = group->outcomes; k < macros->outcome.count; k++) {
    weft__macro *macro = macros->outcome.note[k].macro;
    if (macro->stamp != stamp) continue;
    macro->stamp = 0;
    const bool is_of_all = macro->joined_count == group->branches;
    weft__macro_set(macros, macro, is_of_all ? macro->joined : join(macro->joined, macro->now));
  }
  macros->outcome.count = group->outcomes;
}

void weft__group_begin(weft__macros *macros, const weft__condition *condition) {
  const weft__truth outer = weft__group_now(macros);
  if (macros->groups == macros->group_room) {
    const size_t room = macros->group_room * 2 + 64;
    weft__group *more = realloc(macros->group, room * sizeof *more);
    if (!more) {
      macros->failed = true;
      return;
    }
    macros->group = more;
    macros->group_room = room;
  }
  weft__group *group = &macros->group[macros->groups++];
  *group = (weft__group){.outer = outer};
  begin_branch(macros, group, condition);
}

void weft__group_else(weft__macros *macros, const weft__condition *condition) {
  weft__group *group = innermost(macros);
  if (!group) return;
  end_branch(macros, group);
  begin_branch(macros, group, condition);
}

void weft__group_end(weft__macros *macros) {
  weft__group *group = innermost(macros);
  if (!group) return;
  end_branch(macros, group);
  if (group->is_open) {
    /* that no branch is compiled is a branch too */
    begin_branch(macros, group, &(weft__condition){.truth = WEFT__YES});
    end_branch(macros, group);
    macros->open_groups--;
    join_branches(macros, group);
  }
  macros->groups--;
}
