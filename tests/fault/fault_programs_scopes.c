// SPDX-License-Identifier: MIT
// The programs about scopes and the ledger: tags, snapshots, the timeline.
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_programs.h"

/// Exactly one new array survives the scope, or none; the scope ends either way.
static weft_status doubled(weft_array **out, const weft_array *x) {
  weft_scope scope, forgotten;
  weft_array *twice = NULL, *view = NULL;
  weft_status rc = weft_scope_begin(&scope);
  if (rc) return rc;
  rc = weft_add(&twice, x, x);
  if (rc == WEFT_OK) rc = weft_scope_begin(&forgotten);
  if (rc == WEFT_OK) rc = weft_slice(&view, twice, 0, 1, 3);
  if (rc == WEFT_OK) rc = weft_copy(out, view);
  if (rc == WEFT_OK) rc = weft_scope_keep(*out); /* keeps it beyond the forgotten scope */
  if (rc == WEFT_OK) rc = weft_scope_end(&forgotten);
  if (rc == WEFT_OK) rc = weft_scope_keep(*out);
  weft_status ended = weft_scope_end(&scope);
  if (rc) *out = NULL; /* the scope released it */
  return rc ? rc : ended;
}

int program_scopes(int argc, char **argv) {
  int status = 0;
  int32_t host[2];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_memory_stats stats;
  weft_scope none = {0};
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_I32, 0, 5, 1));
  weft_status rc = doubled(&y, x);
  TRY(weft_memory_get(&stats, context));
  KEPT(stats.arrays == (rc == WEFT_OK ? 2 : 1));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 2 && host[1] == 4);
  FAILS(WEFT_ERROR_ARGUMENT, weft_scope_keep(y));
  FAILS(WEFT_ERROR_ARGUMENT, weft_scope_end(&none));

done:
  fault_leave();
  weft_array_release(&x);
  weft_array_release(&y);
  weft_context_release(&context);
  return status;
}

int program_ledger(int argc, char **argv) {
  int status = 0;
  size_t n = 0;
  char file[64] = "";
  char *text = NULL;
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_snapshot *before = NULL, *after = NULL;
  weft_snapshot_change *changes = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  snprintf(file, sizeof file, "fault-timeline-%ld.json", (long)getpid());
  MAKE(&before, weft_snapshot_create(&before, context));
  TRY(weft_memory_timeline_start(context, 0));
  TRY(weft_memory_tag("weights"));
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(100), 1));
  KEPT(strcmp(weft_memory_tag_used(), "weights") == 0);
  TRY(weft_memory_tag(NULL));
  MAKE(&y, weft_copy(&y, x));
  TRY(weft_array_set_tag(y, "gradient"));
  MAKE(&after, weft_snapshot_create(&after, context));
  KEPT(weft_snapshot_rows(&n, after) != NULL && n >= 4);
  MAKE(&changes, weft_snapshot_get_changes(&changes, &n, before, after));
  KEPT(n >= 4);
  MAKE(&text, weft_snapshot_compare(&text, before, after));
  KEPT(strstr(text, "weights") && strstr(text, "gradient"));
  weft_array_release(&x);
  TRY(weft_memory_timeline_stop(context));
  TRY(weft_memory_timeline_write(context, file));
  KEPT(access(file, R_OK) == 0);

done:
  fault_leave();
  (void)!weft_memory_tag(NULL); /* needs no memory */
  if (file[0]) remove(file);
  weft_free(text);
  weft_free(changes);
  weft_snapshot_release(&before);
  weft__release_at(1, (void *const[]){&after}, NULL); /* as (weft_release)(1, ...) does */
  weft_array_release(&x);
  weft_array_release(&y);
  weft_context_release(&context);
  return status;
}
