// SPDX-License-Identifier: MIT
/// The profile of a context: on and off, by calls and by the environment. What it collected is read in src/report.
#include <weft/profile.h>

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "context/context.h"
#include "core/bandwidth.h"

#define DEFAULT_EVENTS 1000000u

/// As weft__context_check, for a call that the profile does not tell of.
static weft_status check(const weft_context *context) {
  weft__calls_hide();
  return weft__context_check(context);
}

weft_status weft_profile_start(weft_context *context, const weft_profile_params *params) {
  weft__enter("weft_profile_start", NULL);
  weft_status rc = check(context);
  if (rc == WEFT_OK) rc = weft__core_record_times(&context->core, true);
  uint64_t limit = params && params->max_events ? params->max_events : DEFAULT_EVENTS;
  if (rc == WEFT_OK) rc = weft__profile_on(&context->core.profile, limit);
  return weft__leave(rc);
}

weft_status weft_profile_stop(weft_context *context) {
  weft__enter("weft_profile_stop", NULL);
  weft__calls_hide();
  weft_status rc = weft__context_check_readable(context);
  if (rc) return weft__leave(rc);
  weft__core *core = &context->core;
  int starts = weft__profile_starts(&core->profile) - (context->profile_wish ? 1 : 0);
  rc = weft__core_check(core);
  if (rc == WEFT_OK && starts <= 0) rc = weft__fail(WEFT_ERROR_ARGUMENT, "context", "`context` was not started, or stopped already");
  if (rc == WEFT_OK && starts == 1) rc = weft__core_wait(core);
  /* on a lost context too: it ends, with what could be read */
  if (starts > 0 && weft__profile_off(&core->profile) && !core->profiling && rc == WEFT_OK) rc = weft__core_record_times(core, false);
  return weft__leave(rc);
}

weft_status weft_profile_clear(weft_context *context) {
  weft__enter("weft_profile_clear", NULL);
  weft_status rc = check(context);
  if (rc == WEFT_OK) rc = weft__core_wait(&context->core);
  if (rc == WEFT_OK) weft__profile_forget(&context->core.profile);
  return weft__leave(rc);
}

weft_status weft_profile_push(const char *name) {
  weft__enter("weft_profile_push", NULL);
  weft__calls_hide();
  WEFT__NEED(name);
  return weft__leave(weft__range_push(name));
}

weft_status weft_profile_pop(void) {
  weft__enter("weft_profile_pop", NULL);
  weft__calls_hide();
  return weft__leave(weft__range_pop());
}

/* ---- WEFT_PROFILE ---- */

static atomic_int wishes; /* so far, for the names of files */

/// "trace.json" for the first context, "trace-2.json" for the second. NULL: no file is wanted.
static const char *file_name(weft__text *name, int number) {
  const char *wish = getenv("WEFT_PROFILE");
  if (!wish || strcmp(wish, "1") == 0) return NULL;
  const char *dot = strrchr(wish, '.'), *slash = strrchr(wish, '/');
  if (!dot || (slash && dot < slash)) dot = wish + strlen(wish);
  weft__text_add_bytes(name, wish, (size_t)(dot - wish));
  if (number > 1) weft__text_add(name, "-%d", number);
  weft__text_add(name, "%s", dot);
  return name->failed ? NULL : weft__text_chars(name);
}

static void print(weft_context *context) {
  char *table = NULL;
  weft__text name = {0};
  weft_status rc = weft_profile_report(&table, context, WEFT_REPORT_TABLE);
  const char *file = file_name(&name, context->profile_wish);
  if (rc == WEFT_OK) fprintf(stderr, "weft: %s", table);
  if (rc == WEFT_OK && file) rc = weft_profile_write(context, file);
  if (rc)
    fprintf(stderr, "weft: no profile: %s\n", weft_error_last()->message);
  else if (file)
    fprintf(stderr, "weft: the profile's events are in %s\n", file);
  weft__text_free(&name);
  weft_free(table);
}

void weft__profile_at_exit(weft_context *context) {
  if (!context->profile_wish) return;
  weft__profile_freeze(&context->core.profile);
  weft__profile_end(context);
}

weft_status weft__profile_request(weft_context *context) {
  const char *wish = getenv("WEFT_PROFILE");
  if (!wish || !wish[0] || strcmp(wish, "0") == 0) return WEFT_OK;
  if (!context->core.records_times) {
    weft__log(WEFT_LOG_WARNING, "WEFT_PROFILE: the context's queue was adopted and records no times; it is not profiled");
    return WEFT_OK;
  }
  weft__copy_rate(&context->core); /* at the end it may be too late */
  weft_status rc = weft__profile_on(&context->core.profile, DEFAULT_EVENTS);
  if (rc) return weft__while(rc, "profiling, as WEFT_PROFILE wishes");
  context->profile_wish = atomic_fetch_add(&wishes, 1) + 1;
  return WEFT_OK;
}

void weft__profile_end(weft_context *context) {
  if (context->profile_wish && !context->profile_told) print(context);
  context->profile_told = true;
}
