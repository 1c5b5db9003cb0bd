// SPDX-License-Identifier: MIT
/// A launch in guard mode: waits for it and checks the guard zones around its arrays.
#include <stdio.h>

#include "kernel/kernel.h"
#include "mem/guard.h"

/// Finds the user's file and line if the compiler counted the lines of the expanded text.
static void find_line(weft__overrun_index *refused, const weft__kernel *kernel) {
  weft__text name = {0};
  if (!refused->element_bytes || refused->follows_line || !kernel->text) return;
  weft__source_origin(kernel->text, refused->line, &name, &refused->line);
  snprintf(refused->file, sizeof refused->file, "%s", weft__text_chars(&name));
  weft__text_free(&name);
}

static bool was_seen(const weft__submission *l, int use) {
  for (int k = 0; k < use; k++)
    if (l->use[k].storage == l->use[use].storage) return true;
  return false;
}

/// The kernel's name for the storage; NULL if it has several names or none.
static const char *name_of(const weft__kernel *kernel, const int *parameter, const weft__submission *l, int use) {
  const char *name = parameter ? kernel->parameter[parameter[use]].name : NULL;
  for (int k = use + 1; k < l->uses; k++)
    if (l->use[k].storage == l->use[use].storage) return NULL;
  return name && name[0] ? name : NULL;
}

/// Reports one array's overrun: the first of a launch is the error, the others are details.
static void tell(const weft__submission *l, const weft__overrun *overrun, const char *name, bool is_first) {
  weft__text text = {0};
  if (is_first) {
    if (l->what)
      weft__text_add(&text, "`%s` of %s", l->kernel, l->what);
    else
      weft__text_add(&text, "kernel `%s`", l->kernel);
    weft__text_add(&text, ", launched at %s, ", l->site ? l->site : "?");
    weft__overrun_report(&text, overrun, name);
    weft__fail(WEFT_ERROR_BOUNDS, name, "%s", weft__text_chars(&text));
    weft__text_clear(&text);
  } else {
    weft__text_add(&text, "  also ");
    weft__overrun_report(&text, overrun, name);
    weft__text_add(&text, "\n");
  }
  weft__overrun_report_rest(&text, overrun, name);
  weft__text_add(weft__detail(), "%s", weft__text_chars(&text));
  weft__text_free(&text);
}

weft_status weft__launch_check_zones(const weft__kernel *kernel, const int *parameter, const weft__submission *l) {
  bool found = false;
  weft_status rc = weft__slot_wait(l->core, l->slot);
  for (int k = 0; k < l->uses && rc == WEFT_OK; k++) {
    weft__overrun overrun;
    if (was_seen(l, k)) continue;
    rc = weft__guard_check_storage(&overrun, l->use[k].storage);
    if (rc || !weft__overrun_is_any(&overrun)) continue;
    find_line(&overrun.refused, kernel);
    tell(l, &overrun, name_of(kernel, parameter, l, k), !found);
    found = true;
  }
  return found ? WEFT_ERROR_BOUNDS : rc;
}
