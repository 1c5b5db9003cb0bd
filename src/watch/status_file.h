// SPDX-License-Identifier: MIT
/// What a context's memory is doing, for others to see: with WEFT_TOP=1 a small JSON file for each context, which
/// weft_monitor_get_programs reads.
///
/// A thread of the process looks at its contexts twice a second and writes what has changed, so that calls are not
/// slowed down and a process that has become idle shows too. Files are replaced as a whole. Without WEFT_TOP there is
/// no thread, and nothing is done.
#ifndef WEFT_WATCH_STATUS_FILE_H
#define WEFT_WATCH_STATUS_FILE_H

#include <weft/context.h>

/// The number in "format": a reader passes over files with another.
#define WEFT__STATUS_FILE_FORMAT 1

/// Where files may be: XDG_RUNTIME_DIR/weft, and /tmp/weft-UID for processes without such a folder.
#define WEFT__STATUS_FILE_FOLDERS 2

/// Opens folder number `which`, made first if `make`: a descriptor, or -1 where it is not there, is a link, or is not
/// this user's alone.
int weft__status_file_folder(int which, bool make);

/// Publishes a context. A failure is logged, and the context goes unpublished: always WEFT_OK.
weft_status weft__status_file_begin(weft_context *context);
/// Removes the file, where there is one.
void weft__status_file_end(weft_context *context);

#endif
