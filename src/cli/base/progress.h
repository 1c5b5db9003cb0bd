// SPDX-License-Identifier: MIT
/// The progress line on standard error of work that takes over a second: what is done, the share, the rate and the time
/// left. It is drawn only if standard error is a terminal with a TERM other than dumb and the process is in the
/// foreground. It is erased at the end, before messages, and by signals that end or stop the process. A process has one
/// line, for one thread; a thread of its own redraws it, so that it also moves during a long call. Meanwhile a process
/// may fork only to call exec.
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/// Begins the line of `what` ("bench memory"): `total` parts of work, counted in `unit` ("rows"; "bytes" is written as
/// sizes). With a total of 0 the line shows only how long the work has taken. The line appears after the first second.
/// It replaces a line that has not been ended. The texts are copied.
void cli_progress_begin(const char *what, uint64_t total, const char *unit);

/// Sets how much is done, and the name of the part in work ("copy to the device"); NULL keeps the name. Cheap enough
/// for every piece of some KiB. Does nothing without a line.
void cli_progress_at(uint64_t done, const char *part);

/// Erases the line and ends it. Does nothing without a line.
void cli_progress_end(void);

/// True between cli_progress_begin and cli_progress_end, also where nothing is drawn.
bool cli_progress_is_on(void);

/// For cli_print, of whole lines while work goes on: if standard output is a terminal too, erases the line. It returns
/// below the output at the next cli_progress_at.
void cli_progress_before_output(void);

/// For a signal handler that ends the process: erases the line. Calls only async-signal-safe functions.
void cli_progress_erase_in_handler(void);

#endif
