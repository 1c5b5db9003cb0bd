// SPDX-License-Identifier: MIT
/// `weft bench wide`: every public function that computes on arrays, as a program calls it: each call makes a new
/// result. `weft bench shapes` does so with calls over awkward arrays. tests/bench/against_peers.py measures the peers'
/// calls of the same names in the same way.
#include "cli/bench/bench_wide.h"

#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { RUNS = 5, LONGEST_RUN = 1000, MOST_SIZES = 16, LEAST_SIZE = 1 << 12 };

#define RUN_SECONDS 0.01 /* a run has as many calls as take this long, and one wait at its end */
#define LONG_SECONDS 0.1 /* a call that takes longer is measured once */
#define GREATEST_SIZE (INT64_C(1) << 33)

static const wide_row *const of_functions[] = {wide_functions, wide_reductions, wide_arrays, wide_matrices,
                                               wide_filters,   wide_random,     NULL};
static const wide_row *const of_shapes[] = {wide_shapes, NULL};

static bool is_of_shapes(const cli_args *args) {
  return strcmp(args->word[0], "shapes") == 0;
}

/// The row number i of the measurement; NULL after the last one.
static const wide_row *row_at(const cli_args *args, size_t i) {
  for (const wide_row *const *rows = is_of_shapes(args) ? of_shapes : of_functions; *rows; rows++)
    for (const wide_row *row = *rows; row->name; row++)
      if (i-- == 0) return row;
  return NULL;
}

/// A size's figures, and what all sizes share.
typedef struct bench {
  const cli_args *args;
  wide w;
  double copy_rate; /* bytes read and written per second; 0: a copy had no room */
  int failures;
  table table;
} bench;

/* ---- a row ---- */

static void release_results(wide *w) {
  weft_array **const y[] = {&w->y, &w->y2, &w->y3};
  for (size_t i = 0; i < sizeof y / sizeof *y; i++)
    if (*y[i]) weft_array_release(y[i]);
  for (size_t i = 0; i < sizeof w->parts / sizeof *w->parts; i++)
    if (w->parts[i]) weft_array_release(&w->parts[i]);
  if (w->matrix) weft_csr_release(&w->matrix);
}

static uint64_t result_bytes(const wide *w) {
  uint64_t bytes = wide_csr_bytes(w->matrix);
  const weft_array *const y[] = {w->y, w->y2, w->y3};
  for (size_t i = 0; i < sizeof y / sizeof *y; i++) bytes += y[i] ? weft_array_size_bytes(y[i]) : 0;
  for (size_t i = 0; i < sizeof w->parts / sizeof *w->parts; i++)
    bytes += w->parts[i] ? weft_array_size_bytes(w->parts[i]) : 0;
  return bytes;
}

/// The seconds of a call in a run of `count` calls with a wait at its end.
static weft_status time_run(double *seconds, wide *w, const wide_row *row, int count) {
  const double start = bench_seconds();
  for (int i = 0; i < count; i++) {
    release_results(w);
    WEFT__TRY_RETURN(row->run(w));
  }
  WEFT__TRY_RETURN(weft_context_wait(w->context));
  *seconds = (bench_seconds() - start) / count;
  return WEFT_OK;
}

typedef struct figures {
  double seconds, first_seconds;
  uint64_t bytes; /* of operands and results */
} figures;

static weft_status measure(figures *f, wide *w, const wide_row *row) {
  double run[RUNS];
  weft_status rc;
  WEFT__TRY(wide_need(w, row->call));
  WEFT__TRY(weft_context_wait(w->context));
  WEFT__TRY(time_run(&f->first_seconds, w, row, 1)); /* builds the kernels */
  f->bytes = wide_operand_bytes(w, row->call) + result_bytes(w);
  WEFT__TRY(time_run(&f->seconds, w, row, 1));
  if (f->seconds > LONG_SECONDS) {
    /* it built kernels if the calling thread did the first call's work without them */
    WEFT__TRY(time_run(&run[0], w, row, 1));
    if (run[0] < f->seconds) f->seconds = run[0];
  }
  if (f->seconds > LONG_SECONDS) goto done;
  const double calls = RUN_SECONDS / f->seconds;
  for (int i = 0; i < RUNS; i++)
    WEFT__TRY(time_run(&run[i], w, row, calls < 1 ? 1 : calls > LONGEST_RUN ? LONGEST_RUN : (int)calls));
  f->seconds = bench_median(run, RUNS);
done:
  release_results(w);
  return rc;
}

/// Measures a row; where memory runs out once more, without the operands of the rows before it.
static weft_status measure_alone(figures *f, wide *w, const wide_row *row) {
  const weft_status rc = measure(f, w, row);
  if (rc != WEFT_ERROR_MEMORY && rc != WEFT_ERROR_BUDGET) return rc;
  wide_release_operands(w);
  if (weft_memory_trim(w->context) != WEFT_OK) return rc;
  return measure(f, w, row);
}

/// True for what a row may lack on this device: it is left out, and the table says why.
static bool is_left_out(weft_status rc) {
  return rc == WEFT_ERROR_MEMORY || rc == WEFT_ERROR_BUDGET || rc == WEFT_ERROR_HOST_MEMORY ||
         rc == WEFT_ERROR_UNSUPPORTED;
}

static weft_status run_row(bench *b, const wide_row *row) {
  figures f = {0};
  bench_next(b->args, &b->table, 0, row->name);
  const weft_status rc = measure_alone(&f, &b->w, row);
  if (rc == WEFT_ERROR_LOST) return rc;
  if (rc != WEFT_OK && !is_left_out(rc)) b->failures++;
  table_add_text(&b->table, row->name);
  table_add_number(&b->table, (uint64_t)b->w.n);
  bench_add_number(&b->table, rc == WEFT_OK ? 1e6 * f.seconds : -1, f.seconds < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, rc == WEFT_OK && b->copy_rate > 0 ? 1e6 * (double)f.bytes / b->copy_rate : -1, 2);
  bench_add_number(&b->table, rc == WEFT_OK ? 1e6 * f.first_seconds : -1, 0);
  if (rc == WEFT_OK)
    table_add_text_as(&b->table, "", "");
  else
    table_add_text(&b->table, weft_error_last()->message);
  weft_error_clear();
  return WEFT_OK;
}

/* ---- which rows ---- */

/// Whether a part of --only names this row: "=NAME" is that row alone, any other text is in the name.
static bool part_names(const char *part, size_t length, const char *name) {
  if (*part == '=') return strlen(name) == length - 1 && strncmp(name, part + 1, length - 1) == 0;
  for (const char *at = name; length && *at; at++)
    if (strncmp(at, part, length) == 0) return true;
  return false;
}

static bool is_wanted(const bench *b, const wide_row *row) {
  const char *part = cli_value(b->args, "--only");
  if (!part) return true;
  for (size_t length; *part; part += length + (part[length] == ',')) {
    length = strcspn(part, ",");
    if (part_names(part, length, row->name)) return true;
  }
  return false;
}

/// Every part of --only must name some row.
static int check_only(const cli_args *args) {
  const char *only = cli_value(args, "--only"), *names[1024] = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names - 1 && row_at(args, i); i++) names[i] = row_at(args, i)->name;
  for (size_t length; only && *only; only += length + (only[length] == ',')) {
    length = strcspn(only, ",");
    bool is_known = length == 0;
    for (size_t i = 0; names[i] && !is_known; i++) is_known = part_names(only, length, names[i]);
    if (is_known) continue;
    char part[64] = "";
    memcpy(part, only, length < sizeof part ? length : sizeof part - 1);
    const char *nearest = cli_nearest(part + (*part == '='), names);
    return cli_usage_error(
        args, "--only has '%s', which %s%s%s%s", part, *part == '=' ? "is no row's name" : "no row's name contains",
        nearest ? ": did you mean " : "; --list prints them", nearest ? nearest : "", nearest ? "?" : "");
  }
  return CLI_OK;
}

/// The call as a program writes it: without "w->".
static void add_call(table *t, const char *call) {
  weft__text text = {0};
  for (; *call; call++)
    if (strncmp(call, "w->", 3) == 0)
      call += 2;
    else
      weft__text_add_bytes(&text, call, 1);
  table_add_text(t, weft__text_chars(&text));
  t->failed = t->failed || text.failed;
  weft__text_free(&text);
}

static int list(bench *b) {
  static const table_column columns[] = {{"what", "WHAT"}, {"call", "CALL"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft__text text = {0};
  for (size_t i = 0; row_at(b->args, i); i++) {
    if (!is_wanted(b, row_at(b->args, i))) continue;
    table_add_text(&t, row_at(b->args, i)->name);
    add_call(&t, row_at(b->args, i)->call);
  }
  if (cli_flag(b->args, "--json"))
    table_write_json(&text, &t);
  else
    table_write(&text, &t, false);
  const bool failed = t.failed || text.failed;
  if (!failed) cli_print(weft__text_chars(&text));
  if (!failed && cli_flag(b->args, "--json")) cli_print("\n");
  weft__text_free(&text);
  table_free(&t);
  return failed ? cli_fail(b->args, "not enough memory") : CLI_OK;
}

/* ---- the sizes ---- */

/// A power of two, at most the root of n to the power of 2 / root.
static int64_t power_below(int64_t n, int root) {
  int bits = 0;
  while (n >> (bits + 1)) bits++;
  return INT64_C(1) << (bits / root);
}

static int64_t lesser(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static weft_status run_size(bench *b, int64_t n) {
  wide *w = &b->w;
  figures copy = {0};
  w->n = n;
  w->s = power_below(n, 2);
  w->rows = n / w->s;
  const int64_t q = power_below(n, 3);
  w->cube_shape = WEFT_SHAPE(q, q, n / q / q);
  w->side = lesser(w->s, 1024);
  w->less = lesser(w->s, 256);
  const wide_row *row = wide_arrays;
  while (strcmp(row->name, "copy") != 0) row++;
  const weft_status rc = measure(&copy, w, row);
  if (rc != WEFT_OK && !is_left_out(rc)) return rc;
  b->copy_rate = rc == WEFT_OK ? (double)copy.bytes / copy.seconds : 0;
  for (size_t i = 0; row_at(b->args, i); i++)
    if (is_wanted(b, row_at(b->args, i))) WEFT__TRY_RETURN(run_row(b, row_at(b->args, i)));
  wide_release_operands(w);
  return WEFT_OK;
}

/// Opens the context. Rows may take nine tenths of a GPU's memory, half of a CPU's, which is for other programs too,
/// and at most the user's limit.
static weft_status open_bench(bench *b, weft_device_info *info) {
  weft_memory_stats stats;
  WEFT__TRY_RETURN(cli_open(&b->w.context, b->args));
  WEFT__TRY_RETURN(weft_context_get_device(info, b->w.context));
  WEFT__TRY_RETURN(weft_memory_get(&stats, b->w.context));
  const bool is_cpu = info->type == WEFT_DEVICE_TYPE_CPU;
  const uint64_t most = is_cpu ? info->memory_size_bytes / 2 : info->memory_size_bytes / 10 * 9;
  WEFT__TRY_RETURN(weft_memory_set_limit(b->w.context, most < stats.limit_bytes ? most : stats.limit_bytes));
  return weft_rng_create(&b->w.rng, .seed = 1, .context = b->w.context);
}

static int finish(bench *b, size_t rows) {
  const bench_report report = {
      .name = b->args->word[0],
      .note =
          "medians of 5 runs of calls with a wait at the end, a new result in each call; the floor is the bytes "
          "of operands and results at the rate of a copy of n f32",
      .plot = {"us", "floor_us", "the floor", "us"}};
  const int status = bench_finish(b->args, b->w.context, &b->table, &report);
  if (status != CLI_OK || b->failures == 0) return status;
  return cli_fail(b->args, "%d of %zu rows failed; the table has their errors", b->failures, rows);
}

int bench_wide(const cli_args *args) {
  static const table_column columns[] = {
      {"what", "WHAT"},         {"n", "N"},          {"us", "US"}, {"floor_us", "FLOOR US"},
      {"first_us", "FIRST US"}, {"note", "LEFT OUT"}};
  bench b = {.args = args, .table = {.columns = columns, .column_count = sizeof columns / sizeof *columns}};
  const bool is_shapes = is_of_shapes(args);
  int64_t sizes[MOST_SIZES] = {is_shapes ? 1 << 16 : 1 << 14, is_shapes ? 1 << 18 : 1 << 20, 1 << 26};
  weft_device_info info;
  int count = 0, status = check_only(args);
  size_t rows = 0;
  if (status == CLI_OK) status = cli_parse_sizes(sizes, &count, MOST_SIZES, args, "--size", LEAST_SIZE, GREATEST_SIZE);
  if (status != CLI_OK) return status;
  if (cli_flag(args, "--list")) return list(&b);
  for (size_t i = 0; row_at(args, i); i++) rows += is_wanted(&b, row_at(args, i));
  weft_status rc = open_bench(&b, &info);
  if (count == 0) count = rc == WEFT_OK && !is_shapes && info.type == WEFT_DEVICE_TYPE_GPU ? 3 : 2;
  rows *= (size_t)count;
  if (rc == WEFT_OK) bench_next(args, &b.table, rows, "the device's own copy");
  for (int i = 0; i < count && rc == WEFT_OK; i++) rc = run_size(&b, sizes[i]);
  if (rc == WEFT_OK)
    status = finish(&b, rows);
  else
    status = b.w.context ? cli_report(args) : CLI_FAILED; /* cli_open has printed its own error */
  wide_release_operands(&b.w);
  weft_rng_release(&b.w.rng);
  weft_context_release(&b.w.context);
  table_free(&b.table);
  return status;
}
