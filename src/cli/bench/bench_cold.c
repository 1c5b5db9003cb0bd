// SPDX-License-Identifier: MIT
/// `weft bench cold`: the first call of a function in a process, while no cache has a kernel. Each function has a child
/// process with empty folders for the caches, since a process builds a kernel once.
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/base/child.h"
#include "cli/base/progress.h"

enum { ELEMENTS = 1000000, SIDE = 1000, COLD_SECONDS = 300 };

/// A function of x, a vector or a square matrix.
typedef struct cold_row {
  const char *name;
  bool is_square;
  weft_status (*run)(weft_array **out, const weft_array *x);
} cold_row;

#define COLD(name, call)                                                 \
  static weft_status run_##name(weft_array **out, const weft_array *x) { \
    return call;                                                         \
  }
COLD(sum, weft_sum(out, x, WEFT_ALL_AXES))
COLD(std, weft_std(out, x, WEFT_ALL_AXES))
COLD(median, weft_median(out, x, WEFT_ALL_AXES))
COLD(sort, weft_sort(out, x, -1))
COLD(argsort, weft_argsort(out, x, -1))
COLD(unique, weft_unique(out, x))
COLD(histogram, weft_histogram(out, x, 100, .range = WEFT_RANGE(0, 1)))
COLD(nonzero, weft_nonzero(out, x))
COLD(cumsum, weft_cumsum(out, x, -1))
COLD(matmul, weft_matmul(out, x, x))

static const cold_row rows[] = {
    {"sum", false, run_sum},
    {"std", false, run_std},
    {"median", false, run_median},
    {"sort", false, run_sort},
    {"argsort", false, run_argsort},
    {"unique", false, run_unique},
    {"histogram", false, run_histogram},
    {"nonzero", false, run_nonzero},
    {"cumsum", false, run_cumsum},
    {"matmul", true, run_matmul},
};
enum { ROWS = sizeof rows / sizeof *rows };

/// The task of a child, and its result.
typedef struct cold_task {
  const cli_args *args;
  const cold_row *row;
  char folder[64];
} cold_task;

typedef struct cold_times {
  double first, second; /* seconds; of the first call and of the next one */
} cold_times;

/* ---- the child ---- */

static weft_status time_call(double *seconds, const cold_row *row, weft_context *context, const weft_array *x) {
  weft_array *out = NULL;
  weft_status rc;
  const double start = bench_seconds();
  WEFT__TRY(row->run(&out, x));
  WEFT__TRY(weft_context_wait(context));
  *seconds = bench_seconds() - start;
done:
  weft_array_release(&out);
  return rc;
}

static weft_status time_calls(cold_times *times, const cold_row *row, weft_context *context, const float *data) {
  weft_array *x = NULL;
  weft_status rc;
  const weft_shape shape = row->is_square ? WEFT_SHAPE(SIDE, SIDE) : WEFT_SHAPE(ELEMENTS);
  WEFT__TRY(weft_from_host(&x, context, WEFT_F32, shape, data));
  WEFT__TRY(weft_context_wait(context));
  WEFT__TRY(time_call(&times->first, row, context, x));
  rc = time_call(&times->second, row, context, x);
done:
  weft_array_release(&x);
  return rc;
}

static int measure(int descriptor, const void *of) {
  const cold_task *task = of;
  cold_times times = {0};
  weft_context *context = NULL;
  float *data = malloc(ELEMENTS * sizeof *data);
  int status = CLI_FAILED;
  uint32_t random = 1;
  setenv("POCL_CACHE_DIR", task->folder, true);
  setenv("WEFT_CACHE_DIR", task->folder, true);
  setenv("CUDA_CACHE_PATH", task->folder, true);
  for (int k = 0; data && k < ELEMENTS; k++) {
    random = random * 1664525u + 1013904223u;
    data[k] = (float)(random >> 8) * 0x1p-24f;
  }
  if (!data)
    cli_fail(task->args, "not enough memory");
  else if (cli_open(&context, task->args) == WEFT_OK)
    status = time_calls(&times, task->row, context, data) == WEFT_OK ? CLI_OK : cli_report(task->args);
  weft_context_release(&context);
  free(data);
  if (status == CLI_OK && write(descriptor, &times, sizeof times) != sizeof times) status = CLI_FAILED;
  return status;
}

/* ---- the parent, which makes no OpenCL call until all children have ended ---- */

/// Removes the folder with all that is in it.
static void remove_folder(const char *folder) {
  DIR *entries = opendir(folder);
  char path[PATH_MAX];
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (unlink(path) != 0) remove_folder(path);
  }
  if (entries) closedir(entries);
  rmdir(folder);
}

static int add_row(table *t, const cli_args *args, const cold_row *row) {
  cold_task task = {.args = args, .row = row, .folder = "/tmp/weft-cold-XXXXXX"};
  cold_times times;
  child_end end;
  weft__text bytes = {0}, why = {0};
  int status = CLI_OK;
  if (!mkdtemp(task.folder)) return cli_fail(args, "no folder can be made in /tmp for empty caches");
  if (!child_run(&bytes, &end, &(child){measure, &task, .seconds = COLD_SECONDS, .messages = STDERR_FILENO})) {
    status = cli_fail(args, "no child process can be made");
  } else if (!end.answered || bytes.length != sizeof times) {
    child_describe_end(&why, &end);
    status = cli_fail(args, "%s: %s", row->name, weft__text_chars(&why));
  } else {
    memcpy(&times, weft__text_chars(&bytes), sizeof times);
    table_add_text(t, row->name);
    table_add_decimal(t, times.first * 1e3, 1);
    table_add_decimal(t, times.second * 1e3, 2);
  }
  remove_folder(task.folder);
  weft__text_free(&bytes);
  weft__text_free(&why);
  return status;
}

int bench_cold(const cli_args *args) {
  static const table_column columns[] = {
      {"name", "FIRST CALL OF"}, {"first_ms", "FIRST MS"}, {"second_ms", "SECOND MS"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft_context *context = NULL;
  const char *only = cli_value(args, "--only");
  int status = CLI_OK;
  for (int k = 0; k < ROWS && status == CLI_OK && !cli_output_failed(); k++) {
    if (only && !strstr(rows[k].name, only)) continue;
    bench_next(args, &t, k == 0 ? ROWS : 0, rows[k].name);
    status = add_row(&t, args, &rows[k]);
  }
  cli_progress_end();
  if (status == CLI_OK && cli_open(&context, args) != WEFT_OK) status = CLI_FAILED;
  if (status == CLI_OK)
    status = bench_finish(
        args, context, &t,
        &(bench_report){.name = "cold",
                        .note = "10^6 f32 (matmul: 1000 x 1000), each in a process of its own with "
                                "empty caches",
                        .plot = {.own = "first_ms", .beside = "second_ms", .beside_is = "the second", .unit = "ms"}});
  weft_context_release(&context);
  table_free(&t);
  return status;
}
