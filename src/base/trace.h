// SPDX-License-Identifier: MIT
/// The trace: one line on stderr for each step of a call, if the user asked for it (weft_trace, WEFT_TRACE=1).
#ifndef WEFT_BASE_TRACE_H
#define WEFT_BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/// The six steps of a call with host memory, in the order of the documentation's list.
typedef enum weft__step {
  WEFT__STEP_COMPILE = 1,
  WEFT__STEP_ALLOCATE,
  WEFT__STEP_COPY_IN,
  WEFT__STEP_LAUNCH,
  WEFT__STEP_COPY_BACK,
  WEFT__STEP_RETURN,
} weft__step;

/// Reads the environment at the first call.
bool weft__trace_is_on(void);
/// Implements weft_trace.
void weft__trace_set(bool on);

/// Whether steps are printed. Costs a relaxed load if not.
static inline bool weft__tracing(void) {
  return (atomic_load_explicit(&weft__watch, memory_order_relaxed) & (WEFT__WATCH_ENVIRONMENT | WEFT__WATCH_TRACE)) &&
         weft__trace_is_on();
}

/// Sets the subject of this thread's steps until its call ends: "`a`", "add for f32, f32"; NULL: no subject. Call it
/// only when tracing.
void weft__trace_about(const char *what);
/// The subject; "" if not set.
const char *weft__trace_subject(void);

/// A way to compute an operation (engine/ways.h). The names are literals; NULL: none.
typedef struct weft__way_name {
  const char *operation, *way;
} weft__way_name;
/// Sets the way by which this thread computes, for its launches and host steps in the trace and the profile. Returns
/// the one before.
weft__way_name weft__trace_way(weft__way_name now);
/// Writes it as WEFT_WAY names it, "sort:tiles"; "" without a way. Returns the text.
#define WEFT__WAY_CHARS 64
const char *weft__trace_way_text(char text[WEFT__WAY_CHARS]);

/// Prints a step that took `time_ns`, a launch with its way. `bytes` were transferred in it, and give its rate; 0: no
/// transfer.
void weft__trace_step(weft__step step, uint64_t time_ns, uint64_t bytes, const char *format, ...) WEFT_PRINTF(4, 5);

/// Called by error.c when an outermost call begins, and when it ends, with the failure's name (NULL: success).
void weft__trace_enter(void);
void weft__trace_leave(const char *failure);

#endif
