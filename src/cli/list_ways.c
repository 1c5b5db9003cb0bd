// SPDX-License-Identifier: MIT
/// `weft ways`: the ways to compute each operation, and those by which a call computes on a device.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/options.h"
#include "cli/text_table.h"

/// A call to look at: one result of x, along an axis or with a second array y.
typedef struct ways_call {
  const char *name;
  const char *operations; /* that it uses: "getrf getrs" */
  bool has_axis, has_other;
  weft_status (*run)(weft_array **out, const weft_array *x, const weft_array *y, int axis);
} ways_call;

#define CALL(name, call)                                                                                \
  static weft_status run_##name(weft_array **out, const weft_array *x, const weft_array *y, int axis) { \
    (void)y, (void)axis;                                                                                \
    return call;                                                                                        \
  }
CALL(sort, weft_sort(out, x, axis))
CALL(argsort, weft_argsort(out, x, axis))
CALL(median, weft_median(out, x, axis))
CALL(topk, weft_topk(out, NULL, x, 8, axis))
CALL(partition, weft_partition_kth(out, x, WEFT_SHAPE(0), axis))
CALL(unique, weft_unique(out, x))
CALL(sum, weft_sum(out, x, axis))
CALL(std, weft_std(out, x, axis))
CALL(matmul, weft_matmul(out, x, y))
CALL(solve, weft_solve(out, x, y))
CALL(inv, weft_inv(out, x))
CALL(qr, weft_qr(out, NULL, x))
CALL(eigh, weft_eigh(out, NULL, x))
CALL(fft, weft_fft(out, x, axis))
CALL(svd, weft_svd(NULL, out, NULL, x))

static const ways_call calls[] = {
    {"sort", "sort", true, false, run_sort},
    {"argsort", "sort", true, false, run_argsort},
    {"median", "quantile sort", true, false, run_median},
    {"topk", "topk sort", true, false, run_topk},
    {"partition", "partition sort", true, false, run_partition},
    {"unique", "unique sort", false, false, run_unique},
    {"sum", "reduce", true, false, run_sum},
    {"std", "reduce", true, false, run_std},
    {"matmul", "matmul", false, true, run_matmul},
    {"solve", "getrf getrs trsm", false, true, run_solve},
    {"inv", "getrf getrs trsm", false, false, run_inv},
    {"qr", "geqrf", false, false, run_qr},
    {"eigh", "syevd", false, false, run_eigh},
    {"fft", "fft", true, false, run_fft},
    {"svd", "gesdd", false, false, run_svd},
};
enum { CALLS = sizeof calls / sizeof *calls };

/// What the command line asks for.
typedef struct question {
  const char *name; /* NULL: all operations */
  const ways_call *call;
  weft_dtype dtype;
  weft_shape x, y;
  int axis;
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

static int read_dtype(weft_dtype *dtype, const cli_args *args) {
  const char *text = cli_value(args, "--dtype");
  *dtype = WEFT_F32;
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
  for (int k = 0; k < CALLS; k++)
    if (strcmp(calls[k].name, q->name) == 0) q->call = &calls[k];
  if (q->call || is_operation(q->name)) return CLI_OK;
  const char *names[CALLS + 1] = {NULL};
  for (int k = 0; k < CALLS; k++) names[k] = calls[k].name;
  const char *nearest = cli_nearest(q->name, names);
  return cli_usage_error(args, "'%s' has no ways%s%s%s `weft ways` lists the operations that have", q->name,
                         nearest ? ": did you mean '" : ".", nearest ? nearest : "", nearest ? "'?" : "");
}

static int read_question(question *q, const cli_args *args) {
  int64_t axis = -1;
  *q = (question){0};
  int status = read_name(q, args);
  if (status == CLI_OK) status = read_dtype(&q->dtype, args);
  if (status == CLI_OK) status = read_shape(&q->x, args, "--shape");
  if (status == CLI_OK) status = read_shape(&q->y, args, "--other");
  if (status == CLI_OK) status = cli_parse_number(&axis, args, "--axis", -q->x.ndim, q->x.ndim - 1);
  q->axis = (int)axis;
  if (status != CLI_OK || !(q->x.ndim || cli_value(args, "--other") || cli_value(args, "--axis"))) return status;
  if (!q->call) return cli_usage_error(args, "--shape needs the name of a call: weft ways argsort --shape 1000,1000");
  if (!q->x.ndim) return cli_usage_error(args, "--shape is missing: the sides of the array, as 1000,1000");
  if (!q->call->has_other && q->y.ndim) return cli_usage_error(args, "%s has one array: no --other", q->name);
  if (!q->call->has_axis && cli_value(args, "--axis")) return cli_usage_error(args, "%s has no --axis", q->name);
  if (q->call->has_other && !q->y.ndim) { /* a product with an array of the transposed shape */
    const int last = q->x.ndim - 1;
    q->y = q->x;
    if (last > 0) q->y.dim[last] = q->x.dim[last - 1], q->y.dim[last - 1] = q->x.dim[last];
  }
  return CLI_OK;
}

/* ---- the run ---- */

static weft_status make(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, uint64_t seed) {
  weft_rng *rng = NULL;
  weft_array *wide = NULL;
  weft_status rc;
  const char kind = weft_dtype_kind(dtype);
  WEFT__TRY(weft_rng_create(&rng, .context = context, .seed = seed));
  WEFT__TRY(weft_uniform(&wide, rng, WEFT_F32, shape, 0, kind == 'b' ? 2 : kind == 'f' || kind == 'c' ? 1 : 100));
  rc = weft_cast(out, wide, dtype);
done:
  weft_array_release(&wide);
  weft_rng_release(&rng);
  return rc;
}

/// Runs the call twice: the first one builds. The profile has the second.
static weft_status profile_call(weft_profile_row **rows, uint64_t *count, weft_context *context, const question *q) {
  weft_array *x = NULL, *y = NULL, *out = NULL;
  weft_status rc;
  WEFT__TRY(make(&x, context, q->dtype, q->x, 1));
  if (q->y.ndim) WEFT__TRY(make(&y, context, q->dtype, q->y, 2));
  WEFT__TRY(q->call->run(&out, x, y, q->axis));
  WEFT__TRY(weft_context_wait(context));
  weft_array_release(&out);
  WEFT__TRY(weft_profile_start(context));
  WEFT__TRY(q->call->run(&out, x, y, q->axis));
  WEFT__TRY(weft_profile_stop(context));
  rc = weft_profile_get(rows, count, NULL, context);
done:
  weft_release(&x, &y, &out);
  return rc;
}

/* ---- tables ---- */

/// The first column is left out where nothing ran.
static const table_column way_columns[] = {
    {"ran", "RAN"}, {"operation", "OPERATION"}, {"way", "WAY"}, {"by", "BY"}, {"when", "WHEN"}};
static const table_column step_columns[] = {
    {"step", "STEP"}, {"kernel", "KERNEL OR LIBRARY"}, {"way", "WAY"}, {"calls", "CALLS"}, {"us", "US"}};
enum {
  WAY_COLUMNS = sizeof way_columns / sizeof *way_columns,
  STEP_COLUMNS = sizeof step_columns / sizeof *step_columns
};

static bool is_step(const weft_profile_row *row) {
  return row->kind != WEFT_PROFILE_CALL && row->kind != WEFT_PROFILE_RANGE;
}

static bool has_run(const weft__way_row *way, const weft_profile_row *rows, uint64_t count) {
  const size_t length = strlen(way->operation);
  for (uint64_t k = 0; k < count; k++)
    if (strncmp(rows[k].way, way->operation, length) == 0 && rows[k].way[length] == ':' &&
        strcmp(rows[k].way + length + 1, way->name) == 0)
      return true;
  return false;
}

static bool has_word(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " "))
    if (strcspn(at, " ") == length && strncmp(at, word, length) == 0) return true;
  return false;
}

static void add_ways(table *t, const question *q, const weft_profile_row *rows, uint64_t count) {
  const char *operations = q->call ? q->call->operations : q->name;
  weft__way_row way;
  for (int k = 0; weft__way_at(&way, k); k++) {
    if (operations && !has_word(operations, way.operation)) continue;
    if (q->x.ndim) table_add_mark(t, has_run(&way, rows, count));
    table_add_text(t, way.operation);
    table_add_text(t, way.name);
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

/// Adds "f64[1000, 1000]".
static void add_array(weft__text *text, weft_dtype dtype, weft_shape shape) {
  weft__text_add(text, "%s[", weft_dtype_name(dtype));
  for (int k = 0; k < shape.ndim; k++) weft__text_add(text, "%s%lld", k ? ", " : "", (long long)shape.dim[k]);
  weft__text_add(text, "]");
}

static void add_title(weft__text *text, const question *q, const weft_device_info *device) {
  weft__text_add(text, "%s of ", q->name);
  add_array(text, q->dtype, q->x);
  if (q->call->has_axis) weft__text_add(text, " along axis %d", q->axis);
  if (q->y.ndim) weft__text_add(text, " and ");
  if (q->y.ndim) add_array(text, q->dtype, q->y);
  weft__text_add(text, ", on device %d: %s\n\n", device->index, device->name);
}

static int print(const cli_args *args, const question *q, const weft_profile_row *rows, uint64_t count) {
  const bool ran = q->x.ndim, colour = table_has_colour(STDOUT_FILENO);
  table ways = {.columns = way_columns + !ran, .column_count = WAY_COLUMNS - !ran};
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

static int run(const cli_args *args) {
  question q;
  weft_context *context = NULL;
  weft_profile_row *rows = NULL;
  uint64_t count = 0;
  int status = read_question(&q, args);
  if (status != CLI_OK) return status;
  if (q.x.ndim) {
    if (cli_open(&context, args) != WEFT_OK) return CLI_FAILED;
    if (profile_call(&rows, &count, context, &q) != WEFT_OK) status = cli_report(args);
  }
  if (status == CLI_OK) status = print(args, &q, rows, count);
  weft_free(rows);
  if (context && weft_context_close(&context) != WEFT_OK && status == CLI_OK) status = cli_report(args);
  return status;
}

static const cli_option options[] = {
    {"--dtype", "DTYPE", "of the arrays (default: f32)"},
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
        "NAME is an operation that has several ways, or a call that uses it: sort, argsort, sum, std, matmul,\n"
        "solve, inv, qr, eigh, svd, fft.\n"
        "An operation's ways are tried in the order of the list until one has done the work.\n"
        "WEFT_WAY=sort:tiles tries a way first, where it fits. With --shape the call runs, and RAN marks the way that\n"
        "did it:\n\n"
        "  weft ways argsort --dtype f64 --shape 1000,1000 --axis 0 --device cpu\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
