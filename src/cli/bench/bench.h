// SPDX-License-Identifier: MIT
/// Shared by the measurements of `weft bench`. Each is a file bench_NAME.c; these may call OpenCL, for their baselines.
#ifndef WEFT_CLI_BENCH_H
#define WEFT_CLI_BENCH_H

#include "base/error.h"
#include "cli/base/options.h"
#include "cli/base/text_table.h"

int bench_cold(const cli_args *args);
int bench_launch(const cli_args *args);
int bench_memory(const cli_args *args);
int bench_ufunc(const cli_args *args);
int bench_primitives(const cli_args *args);
int bench_matmul(const cli_args *args);
int bench_wide(const cli_args *args); /* also `weft bench shapes` */
int bench_ways(const cli_args *args);
int bench_mpi(const cli_args *args); /* mpi.c: the program of `weft mpi bench` */

double bench_seconds(void);
/// The median; sorts the values.
double bench_median(double *values, int count);
typedef weft_status bench_call(void *data);
/// How a call is timed: by events around it. A CPU device is timed by the clock, since the calling thread computes
/// there too, between the events or before them.
typedef struct bench_watch {
  weft_context *context;
  weft_timer *timer; /* NULL: by the clock */
  const char *how;   /* "by events around a call" */
} bench_watch;
/// Creates a context with profiling, as cli_open does, and its watch. `info` describes the device.
weft_status bench_watch_open(bench_watch *watch, weft_context **context, weft_device_info *info, const cli_args *args);
/// The median of `runs` calls (at most 64), each on an idle queue, after two that build the kernels.
weft_status bench_time(double *seconds, const bench_watch *watch, int runs, bench_call *call, void *data);
/// Adds a number with `digits` decimals to the table's next cell; a negative one is shown as missing.
void bench_add_number(table *t, double value, int digits);
/// The plot of a table's figures, for --svg: for each row a bar of Weft's figure and one of what stands beside it. The
/// rows of a unit share a panel.
typedef struct bench_plot {
  const char *own, *beside; /* the keys of the table's columns */
  const char *beside_is;    /* in the legend: "the floor" */
  const char *unit;         /* of all rows; NULL: the column "unit" has it */
} bench_plot;

/// What bench_finish prints and plots.
typedef struct bench_report {
  const char *name; /* "ufunc": the word on the command line, and the key in JSON */
  const char *note; /* how the figures were measured */
  const char *more; /* further text above the table, which the plot does not need; NULL: none */
  bench_plot plot;
} bench_report;

/// Shows on a terminal that the row `what` is measured now, of `rows`; 0 rows: as many as before.
void bench_next(const cli_args *args, const table *t, size_t rows, const char *what);

/// Prints the table under a line that names the device, or as JSON, and writes the plot if --svg is given. Returns an
/// exit status.
int bench_finish(const cli_args *args, const weft_context *context, const table *t, const bench_report *report);

/// Appends the plot as SVG. `head` are the lines above it; NULL at the end.
void bench_write_svg(weft__text *svg, const table *t, const bench_report *report, const char *const *head);

#endif
