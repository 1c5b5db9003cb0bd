// SPDX-License-Identifier: MIT
/// What `weft top` shows at one moment, and its two ways to be written.
#ifndef WEFT_CLI_TOP_H
#define WEFT_CLI_TOP_H

#include <time.h>

#include "base/text.h"
#include "cli/cli.h"

/// A process that holds memory and seems to be done.
typedef struct top_advice {
  int64_t pid;
  const char *name;     /* in the view */
  int64_t memory_bytes; /* negative: unknown */
  int64_t idle_ns;      /* negative: it is no Weft program that says so */
  bool is_orphan;
  bool device_is_busy; /* perhaps with its work, enqueued long ago */
} top_advice;

typedef struct top_view {
  time_t time;
  weft_monitor_reading *readings; /* all that follow are owned */
  int reading_count;
  weft_monitor_program *programs;
  int program_count;
  top_advice *advice;
  int advice_count;
} top_view;

/// Reads devices `first` to `last`, and the programs. On failure the library's last error says why, and there is
/// nothing to free.
weft_status top_read(top_view *view, int first, int last);
void top_free(top_view *view);

/// The number of the device that a program uses in this process's list; -1 where none is the same.
int top_device_of(const top_view *view, const weft_monitor_program *program);
/// "process 1234 (python3) holds 29.0 MiB and has done nothing for 10 min: `kill 1234` ends it", without a newline.
void top_add_advice(weft__text *text, const top_advice *advice);

/// The table, `width` columns wide (at least TOP_WIDTH).
enum { TOP_WIDTH = 79 };
void top_write_table(weft__text *text, const top_view *view, int width);
/// One line of JSON. What is unknown is null.
void top_write_json(weft__text *text, const top_view *view);

#endif
