// SPDX-License-Identifier: MIT
/// The last launches of a context, for the messages of failures that a wait reports. Adding one is a few stores,
/// without a lock.
#ifndef WEFT_BASE_LAUNCH_LOG_H
#define WEFT_BASE_LAUNCH_LOG_H

#include <stdatomic.h>

#include "base/text.h"

#define WEFT__LAUNCH_LOG_LENGTH 8

typedef struct weft__launch_log {
  _Atomic(uint64_t) next;
  struct {
    _Atomic(const char *) name;
    _Atomic(const char *) site;
  } ring[WEFT__LAUNCH_LOG_LENGTH];
} weft__launch_log;

/// One copy of the caller's "file:line" for the whole process: the text itself may belong to a plugin that is unloaded
/// later. A known line takes some nanoseconds. NULL for NULL; "unknown" if the host has no memory (not recorded).
const char *weft__lasting_site(const char *site);

/// `name` must live as long as the process: use weft__intern.
static inline void weft__launch_log_add(weft__launch_log *log, const char *name, const char *site) {
  uint64_t i = atomic_fetch_add_explicit(&log->next, 1, memory_order_relaxed) % WEFT__LAUNCH_LOG_LENGTH;
  atomic_store_explicit(&log->ring[i].name, name, memory_order_relaxed);
  atomic_store_explicit(&log->ring[i].site, weft__lasting_site(site), memory_order_relaxed);
}

/// "the last launches were add (main.c:12), fill (main.c:9)", newest first; "nothing was launched before".
void weft__launch_log_describe(const weft__launch_log *log, weft__text *text);
/// Like weft__launch_log_describe, for the launches from number `first` on: "launched since the last look: add
/// (main.c:12)".
void weft__launch_log_describe_since(const weft__launch_log *log, uint64_t first, weft__text *text);

/// One copy of the string for the whole process, never freed: kernels have few names, and messages need them after the
/// kernels are released. NULL if the host has no memory (recorded).
const char *weft__intern(const char *string);

#endif
