// SPDX-License-Identifier: MIT
/// Source: "Trace Event Format", the document of chrome://tracing; its JSON object form.
#include "base/traceevents.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define CHUNK_EVENTS 1024
#define PIECE_BYTES 65536 /* per write */

struct weft__events_chunk {
  weft__events_chunk *next;
  size_t count;
  weft__event event[CHUNK_EVENTS];
};

void weft__events_init(weft__events *events, uint64_t limit) {
  *events = (weft__events){.limit = limit};
}

bool weft__events_add(weft__events *events, const weft__event *event) {
  bool has_room = events->count < events->limit;
  if (has_room && (!events->last || events->last->count == CHUNK_EVENTS)) {
    weft__events_chunk *chunk = malloc(sizeof *chunk);
    if (chunk) {
      chunk->next = NULL;
      chunk->count = 0;
      if (events->last)
        events->last->next = chunk;
      else
        events->first = chunk;
      events->last = chunk;
    }
    has_room = chunk != NULL;
    if (!chunk) events->no_memory = true;
  }
  if (!has_room) {
    events->dropped++;
    return false;
  }
  events->last->event[events->last->count++] = *event;
  events->count++;
  return true;
}

void weft__events_free(weft__events *events) {
  for (weft__events_chunk *chunk = events->first; chunk;) {
    weft__events_chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  weft__events_init(events, events->limit);
}

/* ---- the file ---- */

/// Microseconds with three decimals, from integers: a double would round the uptime of a machine.
static void add_time(weft__text *text, const char *name, uint64_t time_ns) {
  weft__text_add(text, ", \"%s\": %" PRIu64 ".%03u", name, time_ns / 1000, (unsigned)(time_ns % 1000));
}

/// False, with nothing written, for values that JSON lacks: infinities, NaN and missing texts.
static bool add_argument(weft__text *text, const weft__event *event, int i, const char *before, const char *name) {
  weft__event_type type = event->form->argument[i].type;
  if (type == WEFT__EVENT_TEXT ? !event->argument[i].text
                               : type == WEFT__EVENT_REAL && !isfinite(event->argument[i].real))
    return false;
  weft__text_add(text, "%s", before);
  weft__text_add_json(text, name);
  weft__text_add(text, ": ");
  if (type == WEFT__EVENT_NUMBER)
    weft__text_add(text, "%" PRIu64, event->argument[i].number);
  else if (type == WEFT__EVENT_REAL)
    weft__text_add(text, "%.6g", event->argument[i].real);
  else
    weft__text_add_json(text, event->argument[i].text);
  return true;
}

static void begin_object(weft__text *text, const weft__event *event, const char *name) {
  weft__text_add(text, "{\"ph\": \"%c\", \"pid\": 1, \"tid\": %" PRIu32 ", \"name\": ", (char)event->form->phase,
                 event->track);
  weft__text_add_json(text, name);
  if (event->form->category) {
    weft__text_add(text, ", \"cat\": ");
    weft__text_add_json(text, event->form->category);
  }
  add_time(text, "ts", event->time_ns);
}

/// Writes one event for each graph: chrome://tracing stacks several values of one event.
static void add_counters(weft__text *text, const weft__event *event) {
  bool is_first = true;
  for (int i = 0; i < WEFT__EVENT_ARGUMENTS && event->form->argument[i].type; i++) {
    if (!is_first) weft__text_add(text, ",\n");
    is_first = false;
    begin_object(text, event, event->form->argument[i].name);
    weft__text_add(text, ", \"args\": {");
    add_argument(text, event, i, "", event->name);
    weft__text_add(text, "}}");
  }
}

static void add_event(weft__text *text, const weft__event *event) {
  weft__event_phase phase = event->form->phase;
  if (phase == WEFT__EVENT_COUNTER) {
    add_counters(text, event);
    return;
  }
  begin_object(text, event, event->name);
  if (phase == WEFT__EVENT_SLICE) add_time(text, "dur", event->of.duration_ns);
  if (phase == WEFT__EVENT_INSTANT) weft__text_add(text, ", \"s\": \"t\"");
  if (phase == WEFT__EVENT_BEGIN || phase == WEFT__EVENT_END) weft__text_add(text, ", \"id\": %" PRIu64, event->of.id);
  weft__text_add(text, ", \"args\": {");
  const char *before = "";
  for (int i = 0; i < WEFT__EVENT_ARGUMENTS && event->form->argument[i].type; i++)
    if (add_argument(text, event, i, before, event->form->argument[i].name)) before = ", ";
  weft__text_add(text, "}}");
}

/// Writes an event that names the process or a track.
static void add_label(weft__text *text, const char *what, uint32_t track, const char *name) {
  weft__text_add(
      text, "{\"ph\": \"M\", \"pid\": 1, \"tid\": %" PRIu32 ", \"name\": \"%s\", \"args\": {\"name\": ", track, what);
  weft__text_add_json(text, name);
  weft__text_add(text, "}}");
}

typedef struct writer {
  weft__new_file file;
  weft__text text; /* not written yet */
  bool is_first;
  int error; /* errno of the first failure */
} writer;

static void put(writer *w, size_t least) {
  if (w->text.length < least && !w->text.failed) return;
  if (w->text.failed && !w->error) w->error = ENOMEM;
  if (!w->error) w->error = weft__new_file_write(&w->file, weft__text_chars(&w->text), w->text.length);
  weft__text_clear(&w->text);
}

static void begin_event(writer *w) {
  weft__text_add(&w->text, "%s", w->is_first ? "\n" : ",\n");
  w->is_first = false;
}

static void write_all(writer *w, const char *process, const weft__events_track *tracks, size_t track_count,
                      const weft__events *const *lists, size_t list_count) {
  uint64_t dropped = 0;
  for (size_t l = 0; l < list_count; l++) dropped += lists[l]->dropped;
  weft__text_add(
      &w->text, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"dropped\": %" PRIu64 "}, \"traceEvents\": [", dropped);
  begin_event(w);
  add_label(&w->text, "process_name", 0, process);
  for (size_t t = 0; t < track_count; t++) {
    begin_event(w);
    add_label(&w->text, "thread_name", tracks[t].track, tracks[t].name);
    begin_event(w);
    weft__text_add(&w->text,
                   "{\"ph\": \"M\", \"pid\": 1, \"tid\": %" PRIu32
                   ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %zu}}",
                   tracks[t].track, t);
  }
  for (size_t l = 0; l < list_count; l++)
    for (const weft__events_chunk *chunk = lists[l]->first; chunk; chunk = chunk->next)
      for (size_t i = 0; i < chunk->count && !w->error; i++) {
        begin_event(w);
        add_event(&w->text, &chunk->event[i]);
        put(w, PIECE_BYTES);
      }
  weft__text_add(&w->text, "\n]}\n");
  put(w, 1);
}

weft_status weft__events_write(const char *file, const char *process, const weft__events_track *tracks,
                               size_t track_count, const weft__events *const *lists, size_t list_count) {
  writer w = {.is_first = true};
  w.error = weft__new_file_begin(&w.file, AT_FDCWD, file, WEFT__ANY_FILE);
  if (!w.error) {
    write_all(&w, process, tracks, track_count, lists, list_count);
    if (!w.error) w.error = weft__new_file_end(&w.file, true);
    weft__new_file_drop(&w.file);
  }
  weft__text_free(&w.text);
  if (w.error == ENOMEM) return weft__fail_host_memory(PIECE_BYTES);
  return w.error
             ? weft__fail(WEFT_ERROR_FILE, "file", "cannot %s `%s`: %s", w.file.step, file, weft__file_error(w.error))
             : WEFT_OK;
}
