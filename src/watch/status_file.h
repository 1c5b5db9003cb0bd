// SPDX-License-Identifier: MIT
/// Publishes a context's memory use: with WEFT_TOP=1 each context has a small JSON file, which
/// weft_monitor_get_programs reads.
///
/// A thread of the process checks its contexts twice a second and writes the changes. Calls are therefore not slowed
/// down, and a process that has become idle is visible too. Files are replaced as a whole. Without WEFT_TOP no thread
/// runs.
/// no thread, and nothing is done.
#ifndef WEFT_WATCH_STATUS_FILE_H
#define WEFT_WATCH_STATUS_FILE_H

#include <weft/context.h>

/// The value of "format". A reader ignores files with another value.
#define WEFT__STATUS_FILE_FORMAT 1

/// The possible folders: XDG_RUNTIME_DIR/weft, and /tmp/weft-UID for processes without XDG_RUNTIME_DIR.
#define WEFT__STATUS_FILE_FOLDERS 2

/// Opens folder number `which`, creating it first if `make`. Returns a descriptor, or -1 if the folder does not exist,
/// is a link, or is accessible to other users.
int weft__status_file_folder(int which, bool make);

/// Publishes a context. A failure is logged and leaves the context unpublished; returns WEFT_OK in any case.
weft_status weft__status_file_begin(weft_context *context);
/// Removes the context's file, if it has one.
void weft__status_file_end(weft_context *context);

#endif
