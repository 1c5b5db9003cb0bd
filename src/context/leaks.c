// SPDX-License-Identifier: MIT
#include "context/leaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/log.h"
#include "core/at_exit.h"

typedef enum leaks_mode { NOTHING = 0, SAY, SAY_AT_EXIT } leaks_mode;

static leaks_mode wanted_mode(void) {
  if (!weft__environment_flag(WEFT__ENV_LEAKS)) return NOTHING;
  return strcmp(weft__environment_text(WEFT__ENV_LEAKS), "error") == 0 ? SAY_AT_EXIT : SAY;
}

static const char *word_for(weft__ledger_kind kind) {
  if (kind == WEFT__LEDGER_PINNED) return "pinned block";
  if (kind == WEFT__LEDGER_RNG) return "generator";
  if (kind == WEFT__LEDGER_CSR) return "CSR object";
  if (kind == WEFT__LEDGER_NPZ) return "npz archive";
  return kind == WEFT__LEDGER_NPY ? "npy mapping" : weft__ledger_kind_name(kind);
}

/// Adds "3 arrays (1.5 KiB) made at main.c:12 tagged "weights", 1 stream made at main.c:20"; returns the number of
/// objects.
static uint64_t describe(weft__text *text, weft__ledger *ledger) {
  weft__ledger_row *rows;
  size_t n;
  uint64_t objects = 0;
  for (int kind = 0; kind < WEFT__LEDGER_HANDLE_KINDS; kind++)
    objects += weft__ledger_count(ledger, (weft__ledger_kind)kind);
  if (!weft__ledger_sum(ledger, (weft__ledger_kind)0, (weft__ledger_kind)(WEFT__LEDGER_HANDLE_KINDS - 1), &rows, &n))
    weft__text_add(text, "no list, because the host has no memory left");
  for (size_t i = 0; i < n; i++) {
    weft__text_add(text, "%s%" PRIu64 " %s%s", i ? ", " : "", rows[i].count, word_for(rows[i].kind),
                   rows[i].count == 1 ? "" : "s");
    if (rows[i].size_bytes) {
      weft__text_add(text, " (");
      weft__text_add_size(text, rows[i].size_bytes);
      weft__text_add(text, ")");
    }
    weft__text_add(text, " made at %s", rows[i].site);
    if (rows[i].tag) weft__text_add(text, " tagged \"%s\"", rows[i].tag);
  }
  free(rows);
  return objects;
}

static weft__ledger of_process;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* fork() happens with the lock held, so that the child's copy of it is in a known state */
static void before_fork(void) {
  pthread_mutex_lock(&of_process.lock);
}

static void in_parent(void) {
  pthread_mutex_unlock(&of_process.lock);
}

static void in_child(void) {
  pthread_mutex_unlock(&of_process.lock);
  for (int kind = 0; kind < WEFT__LEDGER_HANDLE_KINDS; kind++)
    while (weft__ledger_take(&of_process, (weft__ledger_kind)kind)) {
      /* the parent reports it */
    }
}

static void begin(void) {
  weft__ledger_init(&of_process);
  pthread_atfork(before_fork, in_parent, in_child);
}

static void tell_at_exit(void) {
  weft__text text = {0};
  if (wanted_mode() == SAY_AT_EXIT && describe(&text, &of_process)) {
    fprintf(stderr, "weft: leaked: without a context: %s\n", weft__text_chars(&text));
    weft__at_exit_fail();
  }
  weft__text_free(&text);
}

weft__ledger *weft__leaks_ledger(void) {
  pthread_once(&once, begin);
  weft__at_exit_call(tell_at_exit);
  return &of_process;
}

weft_status weft__leaks_report(weft_context *context) {
  weft__text text = {0};
  weft_status rc = WEFT_OK;
  uint64_t objects = describe(&text, &context->core.ledger);
  if (objects) {
    rc = weft__fail(WEFT_ERROR_LEAK, NULL, "%" PRIu64 " object%s still alive and now freed: %s", objects,
                    objects == 1 ? " was" : "s were", weft__text_chars(&text));
    weft__log(WEFT_LOG_WARNING, "leaked: %s", weft__text_chars(&text));
    if (wanted_mode() != NOTHING) fprintf(stderr, "weft: leaked: %s\n", weft__text_chars(&text));
    if (wanted_mode() == SAY_AT_EXIT) weft__at_exit_fail();
  }
  weft__text_free(&text);
  return rc;
}

void weft__leaks_at_exit(weft_context *context) {
  weft__text text = {0};
  if (wanted_mode() == SAY_AT_EXIT && describe(&text, &context->core.ledger)) {
    fprintf(stderr, "weft: leaked: a context on %s was never closed, and in it: %s\n", context->core.device->info.name,
            weft__text_chars(&text));
    weft__at_exit_fail();
  }
  weft__text_free(&text);
}
