// SPDX-License-Identifier: MIT
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"

typedef struct traced {
  uint64_t start_ns; /* when the outermost call began; 0: before tracing was switched on */
  bool has_steps;
  char about[96];
  weft__way_name way;
} traced;

static _Thread_local traced thread_traced;

/// `decided`: weft_trace decides, which overrides the environment, also if another thread called it.
static bool set(bool on, bool decided) {
  int state = atomic_load(&weft__watch);
  while (decided || state & WEFT__WATCH_ENVIRONMENT) {
    int wanted = (state & ~(WEFT__WATCH_ENVIRONMENT | WEFT__WATCH_TRACE)) | (on ? WEFT__WATCH_TRACE : 0);
    if (!atomic_compare_exchange_strong(&weft__watch, &state, wanted)) continue;
    return on;
  }
  return state & WEFT__WATCH_TRACE;
}

bool weft__trace_is_on(void) {
  int state = atomic_load_explicit(&weft__watch, memory_order_relaxed);
  if (!(state & WEFT__WATCH_ENVIRONMENT)) return state & WEFT__WATCH_TRACE;
  return set(weft__environment_flag(WEFT__ENV_TRACE), false);
}

void weft__trace_set(bool on) {
  set(on, true);
}

void weft__trace_about(const char *what) {
  traced *t = &thread_traced;
  size_t length = what ? strlen(what) : 0;
  if (length >= sizeof t->about) length = sizeof t->about - 1;
  if (length) memcpy(t->about, what, length);
  t->about[length] = 0;
}

const char *weft__trace_subject(void) {
  return thread_traced.about;
}

weft__way_name weft__trace_way(weft__way_name now) {
  const weft__way_name before = thread_traced.way;
  thread_traced.way = now;
  return before;
}

const char *weft__trace_way_text(char text[WEFT__WAY_CHARS]) {
  const weft__way_name now = thread_traced.way;
  if (now.way)
    snprintf(text, WEFT__WAY_CHARS, "%s:%s", now.operation, now.way);
  else
    text[0] = 0;
  return text;
}

/* Prints piece by piece under the stream's lock: this allocates nothing, and lines of several threads do not mix. */

static void print_time(uint64_t time_ns) {
  double ns = (double)time_ns;
  if (time_ns < 1000)
    fprintf(stderr, "%.0f ns", ns);
  else if (time_ns < 1000000)
    fprintf(stderr, "%.1f us", ns * 1e-3);
  else if (time_ns < 1000000000)
    fprintf(stderr, "%.1f ms", ns * 1e-6);
  else
    fprintf(stderr, "%.2f s", ns * 1e-9);
}

static void begin_line(weft__step step) {
  static const char *const names[] = {"", "compile", "allocate", "copy in", "launch", "copy back", "return"};
  const char *site = weft__site();
  flockfile(stderr);
  fprintf(stderr, "weft: %s%s%s%s: %d %-9s  ", weft__function(), site[0] ? " (" : "", site, site[0] ? ")" : "",
          (int)step, names[step]);
}

static void end_line(void) {
  fputc('\n', stderr);
  funlockfile(stderr);
}

void weft__trace_step(weft__step step, uint64_t time_ns, uint64_t bytes, const char *format, ...) {
  va_list arguments;
  begin_line(step);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (step == WEFT__STEP_LAUNCH && thread_traced.way.way)
    fprintf(stderr, ", by the way %s:%s", thread_traced.way.operation, thread_traced.way.way);
  fputs(": ", stderr);
  print_time(time_ns);
  if (bytes && time_ns) fprintf(stderr, ", %.1f GB/s", (double)bytes / (double)time_ns);
  end_line();
  thread_traced.has_steps = true;
}

void weft__trace_enter(void) {
  thread_traced = (traced){.start_ns = weft__now_ns()};
}

void weft__trace_leave(const char *failure) {
  traced *t = &thread_traced;
  if (t->has_steps && t->start_ns) {
    begin_line(WEFT__STEP_RETURN);
    fprintf(stderr, "%s%safter ", failure ? failure : "", failure ? " " : "");
    print_time(weft__now_ns() - t->start_ns);
    end_line();
  }
  *t = (traced){0};
}
