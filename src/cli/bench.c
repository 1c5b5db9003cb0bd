// SPDX-License-Identifier: MIT
/// `weft bench`: chooses the measurement, and defines what all measurements share.
#include "cli/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

void bench_add_number(table *t, double value, int digits) {
  weft__text text = {0};
  weft__text_add(&text, "%.*f", digits, value);
  if (value < 0)
    table_add_none(t);
  else
    table_add_text_as(t, weft__text_chars(&text), weft__text_chars(&text));
  weft__text_free(&text);
}

void bench_print(const cli_args *args, const weft_context *context, const char *name, const table *t,
                 const char *note) {
  weft__text text = {0};
  weft_device_info info;
  if (weft_context_get_device(&info, context) != WEFT_OK) return;
  if (cli_flag(args, "--json")) {
    weft__text_add(&text, "{\"device\": ");
    weft__text_add_json(&text, info.name);
    weft__text_add(&text, ", \"driver\": ");
    weft__text_add_json(&text, info.driver_version);
    weft__text_add(&text, ", \"%s\": ", name);
    table_write_json(&text, t);
    weft__text_add(&text, "}\n");
  } else {
    weft__text_add(&text, "%s, driver %s; %s\n\n", info.name, info.driver_version, note);
    table_write(&text, t, table_has_colour(STDOUT_FILENO));
  }
  cli_print(weft__text_chars(&text));
  weft__text_free(&text);
}

static int run(const cli_args *args) {
  if (args->word_count == 0) return cli_usage_error(args, "which measurement? launch, memory, ufunc or primitives");
  if (args->word_count > 1)
    return cli_usage_error(args, "'%s' is one word too many: expected `weft bench %s`", args->word[1], args->word[0]);
  if (!weft__opencl_load()) return cli_fail(args, "%s", weft__opencl_problem());
  if (strcmp(args->word[0], "launch") == 0) return bench_launch(args);
  if (strcmp(args->word[0], "memory") == 0) return bench_memory(args);
  if (strcmp(args->word[0], "ufunc") == 0) return bench_ufunc(args);
  if (strcmp(args->word[0], "primitives") == 0) return bench_primitives(args);
  return cli_usage_error(args, "no measurement '%s': there are launch, memory, ufunc and primitives", args->word[0]);
}

static const cli_option options[] = {
    {"--json", NULL, "prints JSON"},
    {"--size", "N",
     "elements of the large arrays (memory: bytes); default 2^28 on a GPU that has the room, else 10000000"},
    {"--only", "TEXT", "primitives: only those whose name has TEXT in it"},
    {0}};

const cli_command cli_bench = {
    .name = "bench",
    .synopsis = "launch|memory|ufunc|primitives",
    .summary = "Measures what Weft costs, beside the driver's own cost in the same run",
    .description =
        "launch      host time of a launch, of a wait, of an allocation and of a context\n"
        "memory      copies between host and device, fills, copies on the device, allocation\n"
        "ufunc       device time of functions over whole arrays beside the device's own copy, and host time of a call\n"
        "primitives  device time of reductions, scans, sorts, selection, histograms and random numbers, large and "
        "small\n\n"
        "The driver's column is the same work by bare OpenCL calls on the same queue.\n"
        "For cold builds run it with the driver's kernel cache off: CUDA_CACHE_DISABLE=1 on NVIDIA.\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
