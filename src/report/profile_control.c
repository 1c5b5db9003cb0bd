// SPDX-License-Identifier: MIT
/// Starts and stops a context's profile, by calls and by the environment. report/profile_read.h reads the collected
/// profile.
#include "report/profile_control.h"

#include <weft/profile.h>

#include <string.h>

#include "base/environment.h"
#include "base/log.h"
#include "core/bandwidth.h"

#define DEFAULT_EVENTS 1000000u

/// weft__context_check, for a call that the profile leaves out.
static weft_status check(const weft_context *context) {
  weft__calls_hide();
  return weft__context_check(context);
}

weft_status weft__profile_start_at(weft_context *context, const weft_profile_params *params) {
  weft_status rc;
  const weft_profile_params p = WEFT__PARAMS(params);
  weft__enter("weft_profile_start", p.site);
  WEFT__TRY(check(context));
  WEFT__TRY(weft__core_record_times(&context->core, true));
  uint64_t limit = p.max_events ? p.max_events : DEFAULT_EVENTS;
  rc = weft__profile_on(&context->core.profile, limit);
done:
  return weft__leave(rc);
}

/// Waits as needed before a stop: the last stop waits for all work.
static weft_status finish(weft__core *core, int starts) {
  WEFT__TRY_RETURN(weft__core_check(core));
  if (starts <= 0) return weft__fail(WEFT_ERROR_ARGUMENT, "context", "`context` was not started, or stopped already");
  return starts == 1 ? weft__core_wait(core) : WEFT_OK;
}

weft_status weft_profile_stop(weft_context *context) {
  weft_status rc;
  weft__enter("weft_profile_stop", NULL);
  weft__calls_hide();
  WEFT__TRY(weft__context_check_readable(context));
  weft__core *core = &context->core;
  int starts = weft__profile_starts(&core->profile) - (context->profile_request ? 1 : 0);
  rc = finish(core, starts);
  /* a lost context's profile ends too, with the times that could be read; the call returns the first failure */
  if (starts > 0 && weft__profile_off(&core->profile) && !core->profiling && rc == WEFT_OK)
    rc = weft__core_record_times(core, false);
done:
  return weft__leave(rc);
}

weft_status weft_profile_clear(weft_context *context) {
  weft_status rc;
  weft__enter("weft_profile_clear", NULL);
  WEFT__TRY(check(context));
  WEFT__TRY(weft__core_wait(&context->core));
  weft__profile_forget(&context->core.profile);
done:
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

static atomic_int requests; /* number of requests, for file names */

/// "trace.json" for the first context, "trace-2.json" for the second. Returns NULL if no file is requested.
static const char *file_name(weft__text *name, int number) {
  const char *setting = weft__environment_text(WEFT__ENV_PROFILE);
  if (!setting || strcmp(setting, "1") == 0) return NULL;
  const char *dot = strrchr(setting, '.'), *slash = strrchr(setting, '/');
  if (!dot || (slash && dot < slash)) dot = setting + strlen(setting);
  weft__text_add_bytes(name, setting, (size_t)(dot - setting));
  if (number > 1) weft__text_add(name, "-%d", number);
  weft__text_add(name, "%s", dot);
  return name->failed ? NULL : weft__text_chars(name);
}

static weft_status print(weft_context *context, const char *file) {
  char *table = NULL;
  WEFT__TRY_RETURN(weft_profile_report(&table, context));
  fprintf(stderr, "weft: %s", table);
  weft_free(table);
  return file ? weft_profile_write(context, file) : WEFT_OK;
}

void weft__profile_at_exit(weft_context *context) {
  if (!context->profile_request) return;
  weft__profile_freeze(&context->core.profile);
  weft__profile_end(context);
}

weft_status weft__profile_request(weft_context *context) {
  if (!weft__environment_flag(WEFT__ENV_PROFILE)) return WEFT_OK;
  if (!context->core.records_times) {
    weft__log(WEFT_LOG_WARNING,
              "WEFT_PROFILE: the context's queue was adopted and records no times; it is not profiled");
    return WEFT_OK;
  }
  weft__copy_rate(&context->core); /* measured now: at the end the device may not be usable */
  WEFT__TRY_RETURN(
      weft__while(weft__profile_on(&context->core.profile, DEFAULT_EVENTS), "profiling, as WEFT_PROFILE requests"));
  context->profile_request = atomic_fetch_add(&requests, 1) + 1;
  return WEFT_OK;
}

void weft__profile_end(weft_context *context) {
  weft__text name = {0};
  if (!context->profile_request || context->profile_is_printed) return;
  const char *file = file_name(&name, context->profile_request);
  if (print(context, file))
    fprintf(stderr, "weft: no profile: %s\n", weft_error_last()->message);
  else if (file)
    fprintf(stderr, "weft: the profile's events are in %s\n", file);
  weft__text_free(&name);
  context->profile_is_printed = true;
}
