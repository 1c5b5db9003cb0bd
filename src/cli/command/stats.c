// SPDX-License-Identifier: MIT
/// `weft stats`: statistics of an array of a file, or along one of its axes, computed on the device.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/base/array_file.h"
#include "cli/base/progress.h"
#include "cli/base/text_table.h"

/// A column of the output: a reduction of an expression of `x`.
typedef struct statistic {
  table_column column;
  const char *text;     /* the expression */
  weft_reduction_id op; /* for dtypes that have NaN */
  weft_reduction_id exact_op;
  bool floats_only; /* 0 for any other dtype */
} statistic;

static const statistic statistics[] = {
    {{"min", "MIN"}, "x", WEFT_REDUCE_NANMIN, WEFT_REDUCE_MIN, false},
    {{"max", "MAX"}, "x", WEFT_REDUCE_NANMAX, WEFT_REDUCE_MAX, false},
    {{"mean", "MEAN"}, "x", WEFT_REDUCE_NANMEAN, WEFT_REDUCE_MEAN, false},
    {{"std", "STD"}, "x", WEFT_REDUCE_NANSTD, WEFT_REDUCE_STD, false},
    {{"sum", "SUM"}, "x", WEFT_REDUCE_NANSUM, WEFT_REDUCE_SUM, false},
    {{"nan", "NAN"}, "isnan(x)", WEFT_REDUCE_SUM, WEFT_REDUCE_SUM, true},
    {{"infinite", "INFINITE"}, "isinf(x)", WEFT_REDUCE_SUM, WEFT_REDUCE_SUM, true},
    {{"zero", "ZERO"}, "x == 0", WEFT_REDUCE_SUM, WEFT_REDUCE_SUM, false},
};
enum {
  STATISTICS = sizeof statistics / sizeof *statistics,
  FRONT = 2, /* columns before them: the index and the count */
  MOST_ROWS = 1000,
  EDGE_ROWS = 3, /* at each end of a longer table, unless it is JSON */
};

typedef struct run_state {
  const cli_args *args;
  array_choice choice;
  weft_context *context;
  weft_npy *npy; /* the elements are this mapped file; or */
  weft_array *x; /* this array */
  weft_axes axes;
  int axis;        /* -1: all */
  weft_shape kept; /* the shape of each result */
  int64_t reduced; /* number of elements behind each result */
  weft_array *result[STATISTICS];
} run_state;

static int64_t product(weft_shape shape) {
  int64_t size = 1;
  for (int d = 0; d < shape.ndim; d++) size *= shape.dim[d];
  return size;
}

static bool has_nan(const run_state *r) {
  const char kind = weft_dtype_kind(r->choice.dtype);
  return kind == 'f' || kind == 'c';
}

/* ---- what to reduce ---- */

/// A missing --axis means all axes.
static int choose_axis(run_state *r) {
  const weft_shape shape = r->choice.shape;
  int64_t axis = 0;
  r->axis = -1;
  r->axes = WEFT_ALL_AXES;
  r->reduced = product(shape);
  if (!cli_flag(r->args, "--axis")) return CLI_OK;
  if (shape.ndim == 0) return cli_usage_error(r->args, "the array has no axes: leave --axis out");
  const int status = cli_parse_number(&axis, r->args, "--axis", -shape.ndim, shape.ndim - 1);
  if (status != CLI_OK) return status;
  r->axis = (int)(axis < 0 ? axis + shape.ndim : axis);
  r->axes = WEFT_AXES(r->axis);
  r->reduced = shape.dim[r->axis];
  for (int d = 0; d < shape.ndim; d++)
    if (d != r->axis) r->kept.dim[r->kept.ndim++] = shape.dim[d];
  return CLI_OK;
}

/// Whether the elements can stay in the file, mapped.
static bool can_map(const array_file *file) {
  return !file->is_archive && !file->npy.is_fortran && !file->npy.is_swapped;
}

/// Maps the file for a CPU, which computes in place, and where it would take much of the memory: it then passes through
/// in chunks. Elsewhere one copy serves all columns.
static weft_status open_elements(run_state *r) {
  const array_file *file = &r->choice.file;
  weft_device_info device;
  weft_status rc = weft_context_get_device(&device, r->context);
  if (rc) return rc;
  if (can_map(file) && (device.type == WEFT_DEVICE_TYPE_CPU || file->npy.size_bytes > device.memory_size_bytes / 4))
    return weft_npy_open(&r->npy, file->path);
  rc = array_load(&r->x, r->context, &r->choice);
  if ((rc == WEFT_ERROR_MEMORY || rc == WEFT_ERROR_BUDGET) && can_map(file)) return weft_npy_open(&r->npy, file->path);
  return rc;
}

/* ---- the results ---- */

static weft_status reduce(run_state *r, int which) {
  const statistic *s = &statistics[which];
  const weft_reduction_id op = has_nan(r) ? s->op : s->exact_op;
  if (r->npy)
    return weft_reduce(&r->result[which], r->context, s->text, r->axes, WEFT_NAMED("x", weft_npy_operand(r->npy)),
                       WEFT_REDUCTION(.op = op));
  return weft_reduce(&r->result[which], r->context, s->text, r->axes, WEFT_NAMED("x", r->x), WEFT_REDUCTION(.op = op));
}

/// The extrema of no elements do not exist.
static bool is_missing(const run_state *r, int which) {
  return r->reduced == 0 && (statistics[which].op == WEFT_REDUCE_NANMIN || statistics[which].op == WEFT_REDUCE_NANMAX);
}

static int compute(run_state *r) {
  cli_progress_begin("computing", STATISTICS, "columns");
  for (int i = 0; i < STATISTICS; i++) {
    cli_progress_at((uint64_t)i, statistics[i].column.key);
    if (is_missing(r, i) || (statistics[i].floats_only && !has_nan(r))) continue;
    if (reduce(r, i) != WEFT_OK) return cli_report(r->args);
  }
  cli_progress_end();
  return CLI_OK;
}

/// Adds the text of a number, in JSON too if it is one there: not NaN, an infinity or complex.
static void add_value(table *t, const char *text) {
  const bool is_bool = strcmp(text, "True") == 0 || strcmp(text, "False") == 0;
  if (is_bool)
    table_add_number_as(t, text, *text == 'T' ? "true" : "false");
  else if (strpbrk(text, "nj"))
    table_add_text_as(t, text, text);
  else
    table_add_number_as(t, text, text);
}

static int add_result(table *t, run_state *r, int which, const char *index) {
  weft_array *element = NULL;
  char *text = NULL;
  if (is_missing(r, which)) {
    table_add_none(t);
    return CLI_OK;
  }
  if (!r->result[which]) {
    table_add_number(t, 0);
    return CLI_OK;
  }
  weft_status rc;
  WEFT__TRY(weft_view(&element, r->result[which], index));
  WEFT__TRY(weft_array_to_text(&text, element));
  add_value(t, text);
done:
  free(text);
  weft_array_release(&element);
  return rc == WEFT_OK ? CLI_OK : cli_report(r->args);
}

/// The index of result number `row`, as in "0, 3".
static void add_index(weft__text *text, const run_state *r, int64_t row) {
  for (int d = 0; d < r->kept.ndim; d++) {
    int64_t inner = 1;
    for (int k = d + 1; k < r->kept.ndim; k++) inner *= r->kept.dim[k];
    weft__text_add(text, "%s%lld", d ? ", " : "", (long long)(row / inner % r->kept.dim[d]));
  }
}

static int add_row(table *t, run_state *r, int64_t row) {
  weft__text index = {0};
  int status = CLI_OK;
  add_index(&index, r, row);
  if (r->axis >= 0) table_add_text(t, weft__text_chars(&index));
  table_add_number(t, (uint64_t)r->reduced);
  for (int i = 0; i < STATISTICS && status == CLI_OK; i++)
    status = add_result(t, r, i, r->kept.ndim ? weft__text_chars(&index) : "...");
  weft__text_free(&index);
  return status;
}

static int fill(table *t, run_state *r) {
  const int64_t rows = product(r->kept);
  const bool is_short = rows > MOST_ROWS && !cli_flag(r->args, "--json");
  int status = CLI_OK;
  for (int64_t row = 0; row < rows && status == CLI_OK; row++) {
    if (is_short && row == EDGE_ROWS) {
      for (int c = 0; c < t->column_count; c++) table_add_text(t, "...");
      row = rows - EDGE_ROWS;
    }
    status = add_row(t, r, row);
  }
  return status;
}

/* ---- the subcommand ---- */

static int show(run_state *r) {
  table_column columns[FRONT + STATISTICS] = {{"index", "INDEX"}, {"count", "COUNT"}};
  for (int i = 0; i < STATISTICS; i++) columns[FRONT + i] = statistics[i].column;
  const int skipped = r->axis < 0; /* without an axis there is one row and no index */
  table t = {.columns = columns + skipped, .column_count = FRONT + STATISTICS - skipped};
  weft__text text = {0};
  int status = fill(&t, r);
  if (status == CLI_OK) {
    if (cli_flag(r->args, "--json")) {
      table_write_json(&text, &t);
      weft__text_add(&text, "\n");
    } else {
      table_write(&text, &t, table_has_colour(STDOUT_FILENO));
    }
    if (text.failed)
      status = cli_fail(r->args, "not enough memory");
    else
      cli_print(weft__text_chars(&text));
  }
  table_free(&t);
  weft__text_free(&text);
  return status;
}

static int run(const cli_args *args) {
  run_state r = {.args = args};
  int status = array_choose(&r.choice, args);
  if (status != CLI_OK) return status;
  status = choose_axis(&r);
  if (status == CLI_OK && cli_open(&r.context, args) != WEFT_OK) status = CLI_FAILED;
  if (status == CLI_OK && open_elements(&r) != WEFT_OK) status = cli_report(args);
  if (status == CLI_OK) status = compute(&r);
  if (status == CLI_OK) status = show(&r);
  for (int i = 0; i < STATISTICS; i++) weft_array_release(&r.result[i]);
  weft_array_release(&r.x);
  weft_npy_release(&r.npy);
  weft_context_release(&r.context);
  array_file_close(&r.choice.file);
  return status;
}

static const cli_option options[] = {
    ARRAY_MEMBER_OPTION,
    {"--axis", "N", "a row for each index of the other axes; negative: from the last axis"},
    {"--json", NULL, "prints JSON; NaN, infinities and complex numbers are strings"},
    {0},
};

const cli_command cli_stats = {
    .name = "stats",
    .synopsis = "FILE",
    .summary = "Shows count, extrema, mean, deviation and sum of an array of a file",
    .description =
        "NaN elements are counted under NAN and left out of MIN, MAX, MEAN, STD and SUM, as by numpy.nanmin.\n"
        "STD is the square root of the variance. Complex numbers are ordered by their real, then by their\n"
        "imaginary part. Of more than 1000 rows the table shows the first and the last three; JSON has all.\n"
        "\n"
        "An .npy file may be larger than the device's memory: it is then read in chunks, unless it is in\n"
        "Fortran's order or has the most significant byte of each number first. A member of an .npz file must\n"
        "fit.\n"
        "\n"
        "Examples:\n"
        "  weft stats weights.npy --axis 0\n"
        "  weft stats model.npz --member bias --json\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
