// SPDX-License-Identifier: MIT
// The profile: a failure while it collects may cost times, but neither a result nor an event.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_programs.h"

enum { N = 64 };

int program_profiles(int argc, char **argv) {
  int status = 0, pushed = 0;
  float host[N];
  char path[] = "fault_profile_XXXXXX", *text = NULL;
  uint64_t count = 0, calls = 0, unread = 0;
  weft_context *context = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_profile_row *rows = NULL;
  weft_profile_event *events = NULL;
  weft_profile_totals totals;
  (void)argc, (void)argv;

  {
    int fd = mkstemp(path);
    KEPT(fd >= 0);
    close(fd);
  }
  MAKE(&context, weft_context_create(&context));
  // Measures the speed of copies, once per process.
  MAKE(&text, weft_profile_report(&text, context));
  fault_mark();
  MAKE(&stream, weft_stream_create(&stream, context));
  TRY(weft_profile_start(context));
  TRY(weft_profile_push("all"));
  pushed++;
  MAKE(&x, weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&y, weft_zeros(&y, context, WEFT_F32, WEFT_SHAPE(N)));
  TRY(weft_profile_clear(context));
  TRY(weft_profile_push("half"));
  pushed++;
  TRY(weft_add(&y, y, x));
  TRY(weft_profile_pop());
  pushed--;
  TRY(weft_stream_use(stream));
  TRY(weft_add(&y, y, 2));
  TRY(weft_stream_use(NULL));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 3 && host[N - 1] == 3);
  TRY(weft_profile_pop());
  pushed--;
  FAILS(WEFT_ERROR_ARGUMENT, weft_profile_pop());

  TRY(weft_profile_get(&rows, &count, &totals, context));
  for (uint64_t i = 0; i < count; i++) {
    if (rows[i].kind != WEFT_PROFILE_CALL && rows[i].kind != WEFT_PROFILE_RANGE) calls += rows[i].calls;
    unread += rows[i].unread;
  }
  // Two additions and a copy back. A command without memory for its row is only counted.
  KEPT(calls <= 3 && calls + totals.unread >= 3 && unread <= totals.unread);
  TRY(weft_profile_get_events(&events, &count, context));
  weft_free(text);
  text = NULL;
  MAKE(&text, weft_profile_report(&text, context, .format = WEFT_REPORT_JSON));
  TRY(weft_profile_write(context, path));
  TRY(weft_profile_stop(context));
  TRY(weft_add(&y, y, 1));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 4 && host[N - 1] == 4);

done:
  fault_leave();
  unlink(path);
  while (pushed-- > 0)
    if (weft_profile_pop() != WEFT_OK) status = FAULT_BROKEN;
  if (weft_stream_use(NULL) != WEFT_OK) status = FAULT_BROKEN;
  weft_free(text);
  weft_free(events);
  weft_free(rows);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_stream_release(&stream);
  weft_context_release(&context);
  return status;
}
