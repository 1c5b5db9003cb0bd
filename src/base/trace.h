// SPDX-License-Identifier: MIT
/// The trace: one line on stderr for each step of a call, when the user asked for it (weft_trace, WEFT_TRACE=1).
#ifndef WEFT_BASE_TRACE_H
#define WEFT_BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <weft/api.h>

/// The six steps of a call with host memory, in the order of the list that everybody knows.
typedef enum weft__step {
  WEFT__STEP_COMPILE = 1,
  WEFT__STEP_ALLOCATE,
  WEFT__STEP_COPY_IN,
  WEFT__STEP_LAUNCH,
  WEFT__STEP_COPY_BACK,
  WEFT__STEP_RETURN,
} weft__step;

/// Reasons to look at calls as they begin and end: one word for all, so that a call makes one load where there is none.
enum {
  WEFT__WATCH_ENVIRONMENT = 1, /* whether to trace was not looked up yet */
  WEFT__WATCH_TRACE = 2,
  WEFT__WATCH_CALLS = 4, /* somebody listens: base/listeners.h */
};
extern atomic_int weft__watch;
/// Reads the environment the first time.
bool weft__trace_is_on(void);
/// weft_trace.
void weft__trace_set(bool on);

/// Whether steps are to be told. A relaxed load when they are not.
static inline bool weft__tracing(void) {
  return (atomic_load_explicit(&weft__watch, memory_order_relaxed) & (WEFT__WATCH_ENVIRONMENT | WEFT__WATCH_TRACE)) &&
         weft__trace_is_on();
}

/// What the steps from here on are about, of this thread and until its call ends: "`a`", "add for f32, f32"; NULL:
/// nothing. Only when tracing.
void weft__trace_about(const char *what);
/// "" for nothing.
const char *weft__trace_subject(void);

/// Tells of a step that took `time_ns`. `bytes` that crossed in it, for their rate; 0: none did.
void weft__trace_step(weft__step step, uint64_t time_ns, uint64_t bytes, const char *format, ...) WEFT_PRINTF(4, 5);

/// Of error.c: an outermost call begins, and ends with this failure's name (NULL: it did not fail).
void weft__trace_enter(void);
void weft__trace_leave(const char *failure);

#endif
