// SPDX-License-Identifier: MIT
/// `weft bench`: chooses the measurement, and defines what all measurements share.
#include "cli/bench/bench.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/progress.h"
#include "ocl/opencl_calls.h"

double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

weft_status bench_watch_open(bench_watch *watch, weft_context **context, weft_device_info *info, const cli_args *args) {
  WEFT__TRY_RETURN(cli_open_on(context, args, cli_value(args, "--device"), true));
  WEFT__TRY_RETURN(weft_context_get_device(info, *context));
  const bool has_clock = info->type == WEFT_DEVICE_TYPE_CPU;
  *watch = (bench_watch){*context, NULL, has_clock ? "by the clock" : "by events around a call"};
  return has_clock ? WEFT_OK : weft_timer_create(&watch->timer, *context);
}

static weft_status time_once(double *seconds, const bench_watch *watch, bench_call *call, void *data) {
  uint64_t time_ns = 0;
  WEFT__TRY_RETURN(weft_context_wait(watch->context));
  const double start = bench_seconds();
  if (watch->timer) WEFT__TRY_RETURN(weft_timer_start(watch->timer, NULL));
  WEFT__TRY_RETURN(call(data));
  if (watch->timer) {
    WEFT__TRY_RETURN(weft_timer_stop(watch->timer));
    WEFT__TRY_RETURN(weft_timer_get(&time_ns, watch->timer));
    *seconds = 1e-9 * (double)time_ns;
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(weft_context_wait(watch->context));
  *seconds = bench_seconds() - start;
  return WEFT_OK;
}

weft_status bench_time(double *seconds, const bench_watch *watch, int runs, bench_call *call, void *data) {
  double value[64];
  WEFT__TRY_RETURN(call(data));
  WEFT__TRY_RETURN(call(data));
  for (int i = 0; i < runs; i++) WEFT__TRY_RETURN(time_once(&value[i], watch, call, data));
  *seconds = bench_median(value, runs);
  return WEFT_OK;
}

void bench_add_number(table *t, double value, int digits) {
  if (value < 0)
    table_add_none(t);
  else
    table_add_decimal(t, value, digits);
}

void bench_next(const cli_args *args, const table *t, size_t rows, const char *what) {
  weft__text name = {0};
  if (rows) {
    weft__text_add(&name, "bench %s", args->word[0]);
    cli_progress_begin(weft__text_chars(&name), rows, "rows");
    weft__text_free(&name);
  }
  cli_progress_at(t->cell_count / (size_t)t->column_count, what);
}

static void write_json(weft__text *text, const table *t, const bench_report *report, const weft_device_info *info) {
  weft__text_add(text, "{\"device\": ");
  weft__text_add_json(text, info->name);
  weft__text_add(text, ", \"driver\": ");
  weft__text_add_json(text, info->driver_version);
  weft__text_add(text, ", \"%s\": ", report->name);
  table_write_json(text, t);
  weft__text_add(text, "}\n");
}

static int write_plot(const cli_args *args, const char *path, const table *t, const bench_report *report,
                      const weft_device_info *info) {
  weft__text title = {0}, device = {0}, svg = {0};
  char date[32];
  time_t now = time(NULL);
  struct tm parts;
  if (!gmtime_r(&now, &parts) || strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts) == 0) *date = 0;
  weft__text_add(&title, "weft bench %s", report->name);
  weft__text_add(&device, "%s, driver %s; Weft %s, %s", info->name, info->driver_version, weft_version(), date);
  const char *const head[] = {weft__text_chars(&title), weft__text_chars(&device), report->note, NULL};
  bench_write_svg(&svg, t, report, head);
  int status = title.failed || device.failed || svg.failed ? cli_fail(args, "not enough memory")
                                                           : cli_write_file(args, path, &svg);
  weft__text_free(&title);
  weft__text_free(&device);
  weft__text_free(&svg);
  return status;
}

int bench_finish(const cli_args *args, const weft_context *context, const table *t, const bench_report *report) {
  const char *path = cli_value(args, "--svg");
  weft__text text = {0};
  weft_device_info info;
  int status = CLI_OK;
  cli_progress_end();
  if (weft_context_get_device(&info, context) != WEFT_OK) return cli_report(args);
  if (cli_flag(args, "--json")) {
    write_json(&text, t, report, &info);
  } else {
    weft__text_add(&text, "%s, driver %s; %s%s%s\n\n", info.name, info.driver_version, report->note,
                   report->more ? "; " : "", report->more ? report->more : "");
    table_write(&text, t, table_has_colour(STDOUT_FILENO));
  }
  if (text.failed || t->failed)
    status = cli_fail(args, "not enough memory");
  else
    cli_print(weft__text_chars(&text));
  weft__text_free(&text);
  return status == CLI_OK && path ? write_plot(args, path, t, report, &info) : status;
}

static const cli_name names[] = {
    {"launch", "host time of a launch, of a wait, of an allocation and of a context"},
    {"memory", "copies between host and device, fills, copies on the device, allocation"},
    {"ufunc", "device time of functions over whole arrays beside the device's own copy, and host time of a call"},
    {"primitives",
     "device time of reductions, scans, sorts, selection, histograms and random numbers, large and small"},
    {"matmul", "device time of matrix products, large, batched and with vectors"},
    {"wide", "time of every function over arrays as a program calls it, a new result in each call"},
    {"shapes", "the same of functions over awkward arrays: narrow, stepped, sorted, equal, stretched; long windows"},
    {"cold", "time of a first call in a process while no cache has a kernel, and of the second call"},
    {"ways", "time of a call by each way that fits it, beside the next one: what each special path gains"},
    {"mpi", "time of each operation over MPI's ranks, under mpirun, as weft mpi bench"},
    {0},
};

static int run(const cli_args *args) {
  static int (*const of_name[])(const cli_args *args) = {bench_launch, bench_memory, bench_ufunc, bench_primitives,
                                                         bench_matmul, bench_wide,   bench_wide,  bench_cold,
                                                         bench_ways,   bench_mpi};
  _Static_assert(sizeof of_name / sizeof *of_name + 1 == sizeof names / sizeof *names, "a function for each name");
  int index, status = cli_choose(&index, args);
  const char *plot = cli_value(args, "--svg");
  if (status == CLI_OK && plot) status = cli_check_file(args, plot);
  if (status == CLI_OK && !weft__opencl_load()) return cli_fail(args, "%s", weft__opencl_problem());
  return status == CLI_OK ? of_name[index](args) : status;
}

static const cli_option options[] = {
    {"--json", NULL, "prints JSON"},
    {"--size", "N",
     "elements of the large arrays (memory: bytes; matmul: rows; mpi: on each rank; wide, shapes: several, "
     "2^14,2^20)"},
    {"--svg", "FILE", "writes a plot of the figures to FILE too"},
    {"--only", "TEXT",
     "names that have TEXT in them (wide, shapes: several, with commas; =NAME: one); mpi: some names"},
    {"--list", NULL, "wide, shapes: prints the names of the rows, and their calls"},
    {0}};

const cli_command cli_bench = {
    .name = "bench",
    .synopsis = "launch|memory|ufunc|primitives|matmul|wide|shapes|cold|ways|mpi",
    .summary = "Measures what Weft costs, beside the driver's own cost in the same run",
    .description =
        "The default of --size is 2^28 on a GPU and 10^7 on other devices; of matmul 4096 and 512; of wide\n"
        "2^14,2^20,2^26 and 2^14,2^20; of shapes 2^16,2^18; of mpi 2^20.\n"
        "The driver's column is the same work by bare OpenCL calls on the same queue.\n"
        "For cold builds run it with the driver's kernel cache off: CUDA_CACHE_DISABLE=1 on NVIDIA.\n",
    .options = options,
    .names = names,
    .names_are = "measurement",
    .max_words = 1,
    .run = run,
};
