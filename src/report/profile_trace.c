// SPDX-License-Identifier: MIT
/// The profile as a trace file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/launch_log.h"
#include "base/traceevents.h"
#include "report/profile_read.h"

/* Tracks: host threads by their number, then each stream's kernels and copies. */
#define KERNELS 1000000u
#define COPIES 2000000u

static const weft__event_form call_form = {WEFT__EVENT_SLICE, "call", {{"site", WEFT__EVENT_TEXT}}};
static const weft__event_form range_form = {WEFT__EVENT_SLICE, "range", {{NULL, WEFT__EVENT_NOTHING}}};
static const weft__event_form command_form = {
    WEFT__EVENT_SLICE,
    "device",
    {{"site", WEFT__EVENT_TEXT},
     {"kernel", WEFT__EVENT_TEXT},
     {"way", WEFT__EVENT_TEXT},
     {"bytes", WEFT__EVENT_NUMBER},
     {"GB/s", WEFT__EVENT_REAL}},
};

static uint32_t track_of(const weft_profile_row *row, const weft_profile_event *e) {
  if (!weft__profile_is_command(row->kind)) return e->track;
  return e->track + (row->kind == WEFT_PROFILE_KERNEL || row->kind == WEFT_PROFILE_HOST ? KERNELS : COPIES);
}

static weft__event event_of(const weft_profile_row *row, const weft_profile_event *e) {
  weft__event out = {
      .form = row->kind == WEFT_PROFILE_CALL    ? &call_form
              : row->kind == WEFT_PROFILE_RANGE ? &range_form
                                                : &command_form,
      .name = row->name,
      .time_ns = e->start_ns,
      .of.duration_ns = e->end_ns - e->start_ns,
      .track = track_of(row, e),
  };
  out.argument[0].text = row->site[0] ? row->site : NULL;
  if (!weft__profile_is_command(row->kind)) return out;
  out.argument[1].text = row->kernel[0] ? row->kernel : NULL;
  out.argument[2].text = row->way[0] ? row->way : NULL;
  out.argument[3].number = e->bytes;
  out.argument[4].real = e->end_ns > e->start_ns ? (double)e->bytes / (double)(e->end_ns - e->start_ns) : 0;
  return out;
}

/// The name of a track, interned.
static const char *track_name(uint32_t track) {
  char name[64];
  uint32_t stream = track >= COPIES ? track - COPIES : track - KERNELS;
  if (track < KERNELS)
    snprintf(name, sizeof name, "host thread %u", (unsigned)track);
  else if (stream == 0)
    snprintf(name, sizeof name, "%s, the context's own stream", track < COPIES ? "kernels" : "copies");
  else
    snprintf(name, sizeof name, "%s, stream %u", track < COPIES ? "kernels" : "copies", (unsigned)stream);
  return weft__intern(name);
}

typedef struct tracks {
  weft__events_track *track;
  size_t count, capacity;
} tracks;

static weft_status add_track(tracks *t, uint32_t track) {
  size_t at = 0;
  while (at < t->count && t->track[at].track < track) at++;
  if (at < t->count && t->track[at].track == track) return WEFT_OK;
  if (t->count == t->capacity) {
    size_t wanted = t->capacity ? 2 * t->capacity : 16;
    void *larger = realloc(t->track, wanted * sizeof *t->track);
    if (!larger) return weft__fail_host_memory(wanted * sizeof *t->track);
    t->track = larger;
    t->capacity = wanted;
  }
  const weft__events_track added = {track, track_name(track)};
  if (!added.name) return WEFT_ERROR_HOST_MEMORY;
  memmove(&t->track[at + 1], &t->track[at], (t->count - at) * sizeof *t->track);
  t->track[at] = added;
  t->count++;
  return WEFT_OK;
}

weft_status weft_profile_write(weft_context *context, const char *file) {
  weft__profile_copy copy = {0};
  weft__events list;
  tracks t = {0};
  weft_status rc;
  weft__enter("weft_profile_write", NULL);
  WEFT__NEED(file);
  weft__events_init(&list, UINT64_MAX);
  WEFT__TRY(weft__profile_gather(&copy, context, false));
  uint32_t last = 0;
  for (uint64_t i = 0; i < copy.events; i++) {
    const weft__event e = event_of(&copy.row[copy.event[i].row], &copy.event[i]);
    if (e.track != last) WEFT__TRY(add_track(&t, last = e.track));
    if (!weft__events_add(&list, &e)) WEFT__TRY(weft__fail_host_memory(sizeof e));
  }
  const weft__events *lists[] = {&list};
  list.dropped = copy.totals.events_dropped;
  rc = weft__events_write(file, context->core.device->info.name, t.track, t.count, lists, 1);
done:
  weft__events_free(&list);
  free(t.track);
  weft__profile_free_copy(&copy);
  return weft__leave(rc);
}
