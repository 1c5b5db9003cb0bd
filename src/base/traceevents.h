// SPDX-License-Identifier: MIT
/// Records for a trace file in the Trace Event Format, which Perfetto and chrome://tracing open: a list that grows by
/// chunks up to a limit, and its writer. The caller locks a list that several threads use.
#ifndef WEFT_BASE_TRACEEVENTS_H
#define WEFT_BASE_TRACEEVENTS_H

#include <weft/status.h>

#define WEFT__EVENT_ARGUMENTS 5

/// The format's letters.
typedef enum weft__event_phase {
  WEFT__EVENT_SLICE = 'X', /* from `time_ns` for `duration_ns`, on a track; slices of a track are nested or disjoint */
  WEFT__EVENT_INSTANT = 'i', /* a point on a track */
  WEFT__EVENT_COUNTER = 'C', /* each argument is a graph of its own, called by its name; the event's name is the unit */
  WEFT__EVENT_BEGIN = 'b',   /* of an operation with an `id`, which may overlap with others of its name */
  WEFT__EVENT_END = 'e',
} weft__event_phase;

typedef enum weft__event_type {
  WEFT__EVENT_NOTHING = 0, /* no more arguments */
  WEFT__EVENT_NUMBER,
  WEFT__EVENT_REAL,
  WEFT__EVENT_TEXT,
} weft__event_type;

/// The common properties of events of one kind; static in the file that makes the events.
typedef struct weft__event_form {
  weft__event_phase phase;
  const char *category;
  struct {
    const char *name;
    weft__event_type type;
  } argument[WEFT__EVENT_ARGUMENTS];
} weft__event_form;

/// Texts are not copied: use literals or weft__intern (base/launch_log.h). A NULL text omits its argument.
typedef struct weft__event {
  const weft__event_form *form;
  const char *name;
  uint64_t time_ns; /* weft__now_ns */
  union {
    uint64_t duration_ns; /* of a slice */
    uint64_t id;          /* of BEGIN and END */
  } of;
  union {
    uint64_t number;
    double real;
    const char *text;
  } argument[WEFT__EVENT_ARGUMENTS];
  uint32_t track;
} weft__event;

typedef struct weft__events_chunk weft__events_chunk;

/// A list with only `limit` set is empty.
typedef struct weft__events {
  weft__events_chunk *first, *last;
  uint64_t count;
  uint64_t limit;
  uint64_t dropped; /* events that did not fit, because of the limit or the host's memory */
  bool no_memory;   /* at least one was dropped for lack of the host's memory */
} weft__events;

void weft__events_init(weft__events *events, uint64_t limit);
/// Appends a copy. False: it was dropped, which is not recorded as an error.
bool weft__events_add(weft__events *events, const weft__event *event);
void weft__events_free(weft__events *events);

/// A track and its name. Viewers show the tracks in the order of the list.
typedef struct weft__events_track {
  uint32_t track;
  const char *name;
} weft__events_track;

/// Writes the lists, in their order, to `file`, which is replaced completely or not at all. `process` names the group
/// of tracks. The file contains the number of dropped events: "otherData": {"dropped": n}. Errors: FILE, HOST_MEMORY.
weft_status weft__events_write(const char *file, const char *process, const weft__events_track *tracks,
                               size_t track_count, const weft__events *const *lists, size_t list_count);

#endif
