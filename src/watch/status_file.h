// SPDX-License-Identifier: MIT
/// What a context's memory is doing, for others to see: with WEFT_TOP=1 a small JSON file for each context, read by weft_monitor_programs.
///
/// A thread of the process looks at its contexts twice a second and writes what has changed, so that calls are not slowed down and a
/// process that has become idle shows too. Files are replaced as a whole. Without WEFT_TOP there is no thread, and nothing is done.
#ifndef WEFT_WATCH_STATUS_FILE_H
#define WEFT_WATCH_STATUS_FILE_H

#include <weft/context.h>

/// The number in "format": a reader passes over files with another.
#define WEFT__STATUS_FILE_FORMAT 1

/// Where files may be: XDG_RUNTIME_DIR/weft, and /tmp/weft-UID for processes without such a folder.
#define WEFT__STATUS_FILE_FOLDERS 2

/// Opens folder number `which`, made first if `make`: a descriptor, or -1 where it is not there, is a link, or is not this user's alone.
int weft__status_file_folder(int which, bool make);

/// Part of a context. All zero: not published.
typedef struct weft__status_file {
  struct weft__status_file *next;
  weft_context *context;
  int number;
  uint64_t counted;   /* a sum of counters: it differs after a change */
  int64_t started_ns; /* Unix times */
  int64_t active_ns;  /* when the process last did something */
  int64_t written_ns; /* the active_ns in the file; 0: nothing was written */
} weft__status_file;

/// For a context that is complete. A failure is logged and the context goes unpublished.
void weft__status_file_begin(weft_context *context);
/// Before a context's parts are closed: removes the file.
void weft__status_file_end(weft_context *context);

#endif
