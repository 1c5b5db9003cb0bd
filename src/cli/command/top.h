// SPDX-License-Identifier: MIT
/// The data that `weft top` shows at one moment, and functions that write them as a table or as JSON.
#ifndef WEFT_CLI_TOP_H
#define WEFT_CLI_TOP_H

#include <time.h>

#include "base/text.h"
#include "cli/base/cli.h"

/// A process that holds memory and seems to have finished its work.
typedef struct top_advice {
  int64_t pid;
  const char *name;     /* owned by the view */
  int64_t memory_bytes; /* negative: unknown */
  int64_t idle_ns;      /* negative: unknown, because it is not a Weft program */
  bool is_orphan;
  bool device_is_busy; /* perhaps with this process's work, enqueued long ago */
} top_advice;

typedef struct top_view {
  time_t time;
  weft_monitor_reading *readings; /* this and all arrays below are owned */
  int reading_count;
  weft_monitor_program *programs;
  int program_count;
  top_advice *advice;
  int advice_count;
} top_view;

/// Reads devices `first` to `last`, and the programs. On failure the library's last error has the reason, and there is
/// nothing to free.
weft_status top_read(top_view *view, int first, int last);
void top_free(top_view *view);

/// The number of the program's device in this process's list; -1 if it is not listed.
int top_device_of(const top_view *view, const weft_monitor_program *program);
/// Adds "process 1234 (python3) holds 29.0 MiB and has done nothing for 10 min: `kill 1234` ends it", without a
/// newline.
void top_add_advice(weft__text *text, const top_advice *advice);

/// Writes the table, `width` columns wide (at least TOP_WIDTH).
enum { TOP_WIDTH = 79 };
void top_write_table(weft__text *text, const top_view *view, int width);
/// Writes one line of JSON. Unknown values are null.
void top_write_json(weft__text *text, const top_view *view);

#endif
