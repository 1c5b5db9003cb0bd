// SPDX-License-Identifier: MIT
/// The begin and the end of collective calls, and WEFT_PROGRESS: a line of rank 0 for each.
#include <stdio.h>
#include <string.h>

#include "dist/grid.h"

/// This thread's outermost call.
static _Thread_local struct {
  int depth;
  uint64_t number; /* counts them */
  const char *function, *site;
  double start_s;
  double grid_s;                     /* since the grid was made */
  char what[WEFT__DIST_PLACE_BYTES]; /* "": no line is wanted, or the ranks have not met */
} now;

void weft__dist_enter(const char *function, const char *site) {
  weft_error_enter(function, site);
  if (now.depth++ > 0) return;
  now.number++;
  now.function = function;
  now.site = site;
  now.start_s = weft__dist_now_s();
  now.what[0] = 0;
}

uint64_t weft__dist_call_number(void) {
  return now.number;
}

void weft__dist_note(const weft_dist *grid, const weft__dist_call *call) {
  if (!grid->shows_progress || grid->rank != 0 || now.depth == 0 || now.what[0]) return;
  weft__dist_call outer = *call; /* a call may call others */
  outer.function = now.function;
  outer.site = now.site;
  if (strcmp(now.function, call->function) != 0) outer.text = NULL;
  weft__dist_describe(now.what, &outer);
  now.grid_s = now.start_s - grid->start_s;
}

weft_status weft__dist_leave(weft_status rc) {
  if (--now.depth == 0 && now.what[0])
    fprintf(stderr, "weft: %9.3f s  %s: %.3g s%s%s\n", now.grid_s > 0 ? now.grid_s : 0, now.what,
            weft__dist_now_s() - now.start_s, rc ? ", " : "", rc ? weft_status_name(rc) : "");
  return weft_error_leave(rc);
}
