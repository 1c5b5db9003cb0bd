// SPDX-License-Identifier: MIT
/// Who wants to know of calls: the outermost public calls of every thread with the time they take, and the ranges that
/// the user names (weft_profile_push). Where nobody listens, a call knows it from the load that it makes for the trace.
#ifndef WEFT_BASE_LISTENERS_H
#define WEFT_BASE_LISTENERS_H

#include <weft/status.h>

#define WEFT__RANGES_DEPTH 32

/// A range within others. One for each path, for the whole process and for good, so that pointers can be compared.
typedef struct weft__range {
  const struct weft__range *parent; /* NULL: outermost */
  const char *name;                 /* interned */
  int depth;                        /* 0: outermost */
  struct weft__range *next;
} weft__range;

/// A call (range NULL) or a range that ended.
typedef struct weft__call_event {
  const char *function, *site; /* of a call; site "" for none */
  const weft__range *range;
  uint64_t start_ns, end_ns;
  uint32_t thread;
} weft__call_event;

typedef struct weft__call_listener {
  struct weft__call_listener *next;
  /* one at a time; calls nothing of Weft's */
  void (*tell)(struct weft__call_listener *listener, const weft__call_event *event);
} weft__call_listener;

void weft__calls_listen(weft__call_listener *listener);
/// When it returns nothing is being told to it.
void weft__calls_ignore(weft__call_listener *listener);

/// The range that this thread is in; NULL: none.
const weft__range *weft__range_now(void);
weft_status weft__range_push(const char *name);
weft_status weft__range_pop(void);

/// Of error.c: an outermost call begins, and ends.
void weft__calls_enter(void);
void weft__calls_leave(const char *function, const char *site);
/// The call under way is the listeners' own, and not to be told.
void weft__calls_hide(void);

#endif
