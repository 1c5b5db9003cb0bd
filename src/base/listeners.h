// SPDX-License-Identifier: MIT
/// Listeners to calls: the outermost public calls of every thread with their times, and the ranges that the user names
/// (weft_profile_push). Without a listener, a call needs no more than the load that it makes for the trace.
#ifndef WEFT_BASE_LISTENERS_H
#define WEFT_BASE_LISTENERS_H

#include <weft/status.h>

#define WEFT__RANGES_DEPTH 32

/// A range within others. Each path has one, for the whole process and permanently, so pointers can be compared.
typedef struct weft__range {
  const struct weft__range *parent; /* NULL: outermost */
  const char *name;                 /* interned */
  int depth;                        /* 0: outermost */
  struct weft__range *next;
} weft__range;

/// The end of a call (range NULL) or of a range.
typedef struct weft__call_event {
  const char *function, *site; /* of a call; site "": unknown */
  const weft__range *range;
  uint64_t start_ns, end_ns;
  uint32_t thread;
} weft__call_event;

typedef struct weft__call_listener {
  struct weft__call_listener *next;
  /* called by one thread at a time; must not call Weft */
  void (*tell)(struct weft__call_listener *listener, const weft__call_event *event);
} weft__call_listener;

void weft__calls_listen(weft__call_listener *listener);
/// When it returns, no call of the listener is in progress.
void weft__calls_ignore(weft__call_listener *listener);

/// This thread's innermost range; NULL: none.
const weft__range *weft__range_now(void);
weft_status weft__range_push(const char *name);
weft_status weft__range_pop(void);

/// The current call is made for the listeners and is not reported.
void weft__calls_hide(void);

#endif
