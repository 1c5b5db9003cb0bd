// SPDX-License-Identifier: MIT
/// `weft ways`: the ways to compute each operation, and those by which a call computes on a device.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/base/options.h"
#include "cli/base/text_table.h"
#include "cli/base/ways_calls.h"

/// What the command line asks for.
typedef struct question {
  const char *name; /* NULL: all operations */
  ways_case of;     /* its call is NULL: an operation, or all */
} question;

/* ---- the command line ---- */

static int read_shape(weft_shape *shape, const cli_args *args, const char *option) {
  int64_t sizes[WEFT_MAX_NDIM];
  int count = 0;
  const int status = cli_parse_sizes(sizes, &count, WEFT_MAX_NDIM, args, option, 1, INT64_C(1) << 40);
  shape->ndim = count;
  for (int k = 0; k < count; k++) shape->dim[k] = sizes[k];
  return status;
}

static int read_dtype(weft_dtype *dtype, const ways_call *call, const cli_args *args) {
  const char *text = cli_value(args, "--dtype");
  *dtype = call ? call->dtype : WEFT_F32;
  if (!text) return CLI_OK;
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
    if (strcmp(text, weft_dtype_name((weft_dtype)d)) != 0) continue;
    *dtype = (weft_dtype)d;
    return CLI_OK;
  }
  return cli_usage_error(args, "--dtype is '%s'; expected a dtype such as f32, f64, i64, c64", text);
}

static bool is_operation(const char *name) {
  weft__way_row row;
  for (int k = 0; weft__way_at(&row, k); k++)
    if (strcmp(row.operation, name) == 0) return true;
  return false;
}

static int read_name(question *q, const cli_args *args) {
  q->name = args->word_count ? args->word[0] : NULL;
  if (!q->name) return CLI_OK;
  for (int k = 0; k < WAYS_CALLS; k++)
    if (strcmp(ways_calls[k].name, q->name) == 0) q->of.call = &ways_calls[k];
  if (q->of.call || is_operation(q->name)) return CLI_OK;
  const char *names[WAYS_CALLS + 1] = {NULL};
  for (int k = 0; k < WAYS_CALLS; k++) names[k] = ways_calls[k].name;
  const char *nearest = cli_nearest(q->name, names);
  return cli_usage_error(args, "'%s' has no ways%s%s%s `weft ways` lists the operations that have", q->name,
                         nearest ? ": did you mean '" : ".", nearest ? nearest : "", nearest ? "'?" : "");
}

static int read_question(question *q, const cli_args *args) {
  int64_t axis = -1;
  *q = (question){0};
  int status = read_name(q, args);
  if (status == CLI_OK) status = read_dtype(&q->of.dtype, q->of.call, args);
  if (status == CLI_OK) status = read_shape(&q->of.x, args, "--shape");
  if (status == CLI_OK) status = read_shape(&q->of.y, args, "--other");
  if (status == CLI_OK) status = cli_parse_number(&axis, args, "--axis", -q->of.x.ndim, q->of.x.ndim - 1);
  q->of.axis = (int)axis;
  if (status != CLI_OK || !(q->of.x.ndim || cli_value(args, "--other") || cli_value(args, "--axis"))) return status;
  if (!q->of.call)
    return cli_usage_error(args, "--shape needs the name of a call: weft ways argsort --shape 1000,1000");
  if (!q->of.x.ndim) return cli_usage_error(args, "--shape is missing: the sides of the array, as 1000,1000");
  if (!q->of.call->has_other && q->of.y.ndim) return cli_usage_error(args, "%s has one array: no --other", q->name);
  if (!q->of.call->has_axis && cli_value(args, "--axis")) return cli_usage_error(args, "%s has no --axis", q->name);
  if (q->of.call->has_other && !q->of.y.ndim) { /* a product with an array of the transposed shape */
    const int last = q->of.x.ndim - 1;
    q->of.y = q->of.x;
    if (last > 0) q->of.y.dim[last] = q->of.x.dim[last - 1], q->of.y.dim[last - 1] = q->of.x.dim[last];
  }
  return CLI_OK;
}

/* ---- tables ---- */

/// Two tables: where nothing ran, the first two columns are left out.
static const table_column way_columns[] = {{"ran", "RAN"},  {"why_not", "WHY NOT"}, {"operation", "OPERATION"},
                                           {"way", "WAY"},  {"on", "ON"},           {"by", "BY"},
                                           {"when", "WHEN"}};
static const table_column step_columns[] = {
    {"step", "STEP"}, {"kernel", "KERNEL OR LIBRARY"}, {"way", "WAY"}, {"calls", "CALLS"}, {"us", "US"}};
enum {
  OF_RUNS = 2,
  WAY_COLUMNS = sizeof way_columns / sizeof *way_columns,
  STEP_COLUMNS = sizeof step_columns / sizeof *step_columns
};

static bool is_step(const weft_profile_row *row) {
  return row->kind != WEFT_PROFILE_CALL && row->kind != WEFT_PROFILE_RANGE;
}

static void add_ways(table *t, const question *q, const weft_profile_row *rows, uint64_t count) {
  const char *operations = q->of.call ? q->of.call->operations : q->name;
  weft__way_row way;
  for (int k = 0; weft__way_at(&way, k); k++) {
    if (operations && !ways_name(operations, &way)) continue;
    if (q->of.x.ndim) {
      const bool has_run = ways_has_run(&way, rows, count);
      table_add_mark(t, has_run);
      table_add_text(t, has_run || !way.why_not ? "" : way.why_not);
    }
    table_add_text(t, way.operation);
    table_add_text(t, way.name);
    table_add_text(t, way.on);
    table_add_text(t, way.by);
    table_add_text(t, way.when);
  }
}

static void add_steps(table *t, const weft_profile_row *rows, uint64_t count) {
  for (uint64_t k = 0; k < count; k++) {
    if (!is_step(&rows[k])) continue;
    table_add_text(t, rows[k].name);
    table_add_text(t, rows[k].kernel);
    table_add_text(t, rows[k].way);
    table_add_number(t, rows[k].calls);
    table_add_decimal(t, (double)rows[k].device_ns * 1e-3, 1);
  }
}

static void add_title(weft__text *text, const question *q, const weft_device_info *device) {
  weft__text_add(text, "%s of ", q->name);
  ways_add_array(text, q->of.dtype, q->of.x);
  if (q->of.call->has_axis) weft__text_add(text, " along axis %d", q->of.axis);
  if (q->of.y.ndim) weft__text_add(text, " and ");
  if (q->of.y.ndim) ways_add_array(text, q->of.dtype, q->of.y);
  weft__text_add(text, ", on device %d: %s\n\n", device->index, device->name);
}

static int print(const cli_args *args, const question *q, const weft_profile_row *rows, uint64_t count) {
  const bool ran = q->of.x.ndim, colour = table_has_colour(STDOUT_FILENO);
  const int left_out = ran ? 0 : OF_RUNS;
  table ways = {.columns = way_columns + left_out, .column_count = WAY_COLUMNS - left_out};
  table steps = {.columns = step_columns, .column_count = STEP_COLUMNS};
  weft_device_info device;
  weft__text text = {0};
  if (ran && cli_find_device(&device, args) != WEFT_OK) return CLI_FAILED;
  add_ways(&ways, q, rows, count);
  add_steps(&steps, rows, count);
  if (cli_flag(args, "--json")) {
    weft__text_add(&text, "{\n  \"ways\": ");
    table_write_json(&text, &ways);
    weft__text_add(&text, ",\n  \"steps\": ");
    table_write_json(&text, &steps);
    weft__text_add(&text, "\n}\n");
  } else {
    if (ran) add_title(&text, q, &device);
    table_write(&text, &ways, colour);
    if (ran) weft__text_add(&text, "\n");
    if (steps.cell_count)
      table_write(&text, &steps, colour);
    else if (ran)
      weft__text_add(&text, "no step: the calling thread computes it at once\n");
  }
  const int status = text.failed ? cli_fail(args, "not enough memory") : CLI_OK;
  if (status == CLI_OK) cli_print(weft__text_chars(&text));
  table_free(&ways);
  table_free(&steps);
  weft__text_free(&text);
  return status;
}

/// Runs the call twice: the first one builds. The profile has the second.
static weft_status profile(weft_profile_row **rows, uint64_t *count, weft_context *context, const ways_case *of) {
  ways_arrays a;
  weft_status rc;
  WEFT__TRY(ways_open(&a, context, of));
  WEFT__TRY(ways_run(&a));
  weft__ways_watch_at(true);
  rc = ways_profile(rows, count, &a);
  weft__ways_watch_at(false);
done:
  ways_close(&a);
  return rc;
}

static int run(const cli_args *args) {
  question q;
  weft_context *context = NULL;
  weft_profile_row *rows = NULL;
  uint64_t count = 0;
  int status = read_question(&q, args);
  if (status != CLI_OK) return status;
  if (q.of.x.ndim) {
    if (cli_open(&context, args) != WEFT_OK) return CLI_FAILED;
    if (profile(&rows, &count, context, &q.of) != WEFT_OK) status = cli_report(args);
  }
  if (status == CLI_OK) status = print(args, &q, rows, count);
  weft_free(rows);
  if (context && weft_context_close(&context) != WEFT_OK && status == CLI_OK) status = cli_report(args);
  return status;
}

static const cli_option options[] = {
    {"--dtype", "DTYPE", "of the arrays (default: f32; of take i64, of packbits u8)"},
    {"--shape", "N,N,...", "runs the call on random arrays of this shape, and says by which ways"},
    {"--other", "N,N,...", "the second array of matmul and solve (default: the transposed shape)"},
    {"--axis", "N", "along this axis (default: the last)"},
    {"--json", NULL, "prints JSON"},
    {0},
};

const cli_command cli_ways = {
    .name = "ways",
    .synopsis = "[NAME]",
    .summary = "Lists the ways to compute each operation, and those by which a call computes here",
    .description =
        "NAME is an operation that has several ways, or a call that uses it: sort, argsort, median, topk, partition,\n"
        "unique, isin, searchsorted, merge, sum, std, cumsum, matmul, solve, inv, qr, eigh, svd, fft, histogram,\n"
        "nonzero, take, softmax, label, packbits, roll, stack, uniform_filter, median_filter, zoom,\n"
        "shift, rolling. Windows have 5 elements along each axis, and of rolling 100; zoom doubles the axes.\n"
        "An operation's ways are tried in the order of the list until one has done the work.\n"
        "WEFT_WAY=sort:tiles tries a way first, where it fits. With --shape the call runs: RAN marks the way that did\n"
        "it, and WHY NOT says why a way that was tried before did not. In any program WEFT_TRACE=1 prints the way of\n"
        "each step:\n\n"
        "  weft ways argsort --dtype f64 --shape 1000,1000 --axis 0 --device cpu\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
