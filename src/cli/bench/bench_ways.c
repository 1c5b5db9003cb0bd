// SPDX-License-Identifier: MIT
/// `weft bench ways`: a call by each way that fits it (WEFT_WAY), and what the way gains over the next one that fits.
/// docs/ways.md has the figures of two devices.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/progress.h"
#include "cli/base/ways_calls.h"
#include "cli/bench/bench.h"

#define LEAST_SECONDS 0.01 /* of calls in a run */
#define MOST_SECONDS 1.0   /* a run that takes longer is the only one */
enum { RUNS = 5, MOST_WAYS = 16, MOST_CALLS = 2000 };

/// A case; sides that are 0 are no axes.
typedef struct ways_size {
  const char *call;
  weft_dtype dtype;
  int64_t x[3], y[3];
} ways_size;

static const ways_size sizes[] = {
    {"sort", WEFT_F32, {1000}, {0}},
    {"sort", WEFT_F32, {1 << 14}, {0}},
    {"sort", WEFT_F32, {1 << 17}, {0}},
    {"sort", WEFT_F32, {1 << 20}, {0}},
    {"sort", WEFT_F32, {1 << 24}, {0}},
    {"sort", WEFT_F32, {1 << 15, 32}, {0}},
    {"sort", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"sort", WEFT_F64, {1 << 20}, {0}},
    {"sort", WEFT_U16, {1 << 20}, {0}},
    {"sort", WEFT_C64, {1 << 18}, {0}},
    {"argsort", WEFT_F32, {1 << 14}, {0}},
    {"argsort", WEFT_F32, {1 << 20}, {0}},
    {"argsort", WEFT_I64, {1 << 20}, {0}},
    {"argsort", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"partition", WEFT_F32, {1 << 20}, {0}},
    {"partition", WEFT_F32, {1 << 7, 1 << 13}, {0}},
    {"topk", WEFT_F32, {1 << 20}, {0}},
    {"topk", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"topk", WEFT_F32, {1 << 9, 1 << 12}, {0}},
    {"median", WEFT_F32, {1 << 12}, {0}},
    {"median", WEFT_F32, {1 << 20}, {0}},
    {"median", WEFT_F64, {1 << 20}, {0}},
    {"median", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"median", WEFT_F32, {1 << 14, 64}, {0}},
    {"cumsum", WEFT_F32, {1 << 20}, {0}},
    {"cumsum", WEFT_I32, {1 << 10, 1 << 10}, {0}},
    {"unique", WEFT_I32, {1 << 8}, {0}},
    {"unique", WEFT_I32, {1 << 12}, {0}},
    {"unique", WEFT_I32, {1 << 20}, {0}},
    {"sum", WEFT_F32, {1 << 10}, {0}},
    {"sum", WEFT_F32, {1 << 20}, {0}},
    {"sum", WEFT_F32, {1 << 14, 64}, {0}},
    {"sum", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"sum", WEFT_I32, {1 << 20}, {0}},
    {"std", WEFT_F32, {1 << 20}, {0}},
    {"matmul", WEFT_F32, {64, 64}, {64, 64}},
    {"matmul", WEFT_F32, {512, 512}, {512, 512}},
    {"matmul", WEFT_F32, {2048, 2048}, {2048, 2048}},
    {"matmul", WEFT_F64, {512, 512}, {512, 512}},
    {"matmul", WEFT_C64, {512, 512}, {512, 512}},
    {"matmul", WEFT_F16, {1024, 1024}, {1024, 1024}},
    {"matmul", WEFT_F32, {2048, 2048}, {2048, 1}},
    {"matmul", WEFT_F32, {1, 2048}, {2048, 2048}},
    {"matmul", WEFT_F32, {1000, 16, 16}, {1000, 16, 16}},
    {"matmul", WEFT_F32, {64, 256, 256}, {64, 256, 256}},
    {"matmul", WEFT_I32, {512, 512}, {512, 512}},
    {"matmul", WEFT_F32, {4, 1000000}, {1000000, 4}},
    {"solve", WEFT_F32, {256, 256}, {256, 4}},
    {"solve", WEFT_F64, {1000, 16, 16}, {1000, 16, 2}},
    {"qr", WEFT_F32, {256, 256}, {0}},
    {"qr", WEFT_F32, {1000, 16, 16}, {0}},
    {"eigh", WEFT_F32, {128, 128}, {0}},
    {"eigh", WEFT_F32, {1000, 16, 16}, {0}},
    {"svd", WEFT_F32, {128, 128}, {0}},
    {"svd", WEFT_F32, {1000, 16, 16}, {0}},
    {"isin", WEFT_F32, {1 << 20}, {1 << 14}},
    {"histogram", WEFT_F32, {1000000}, {0}},
    {"nonzero", WEFT_I32, {1000000}, {0}},
    {"take", WEFT_I32, {1 << 20}, {1 << 20}},
    {"softmax", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"softmax", WEFT_F32, {1 << 14, 64}, {0}},
    {"label", WEFT_BOOL, {1 << 9, 1 << 9}, {0}},
    {"packbits", WEFT_U8, {1 << 22}, {0}},
    {"roll", WEFT_F32, {1 << 20}, {0}},
    {"roll", WEFT_F32, {1 << 18, 3}, {0}},
    {"stack", WEFT_F32, {1 << 20}, {0}},
    {"stack", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"searchsorted", WEFT_F32, {1 << 14}, {1 << 20}},
    {"searchsorted", WEFT_F32, {1 << 20}, {1 << 20}},
    {"searchsorted", WEFT_I64, {1 << 20}, {1 << 10}},
    {"merge", WEFT_F32, {1 << 10}, {1 << 10}},
    {"merge", WEFT_F32, {1 << 20}, {1 << 20}},
    {"uniform_filter", WEFT_F32, {1 << 8, 1 << 8}, {0}},
    {"uniform_filter", WEFT_F32, {1 << 11, 1 << 11}, {0}},
    {"median_filter", WEFT_F32, {1 << 8, 1 << 8}, {0}},
    {"median_filter", WEFT_F32, {1 << 11, 1 << 11}, {0}},
    {"median_filter", WEFT_U8, {1 << 11, 1 << 11}, {0}},
    {"zoom", WEFT_F32, {1 << 9, 1 << 9}, {0}},
    {"shift", WEFT_F32, {1 << 9, 1 << 9}, {0}},
    {"shift", WEFT_F32, {1 << 12, 1 << 12}, {0}},
    {"rolling", WEFT_F32, {1 << 20}, {0}},
    {"rolling", WEFT_F32, {1 << 10, 1 << 10}, {0}},
    {"fft", WEFT_C64, {1 << 10}, {0}},
    {"fft", WEFT_C64, {1 << 16}, {0}},
    {"fft", WEFT_C64, {1 << 20}, {0}},
    {"fft", WEFT_C128, {1 << 20}, {0}},
    {"fft", WEFT_C64, {1 << 10, 1 << 10}, {0}},
    {"fft", WEFT_C64, {1 << 16, 16}, {0}},
    {"fft", WEFT_C64, {1000, 1000}, {0}},
    {"fft", WEFT_C64, {100, 4099}, {0}},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static weft_shape shape_of(const int64_t sides[3]) {
  weft_shape shape = WEFT_SHAPE_0D;
  while (shape.ndim < 3 && sides[shape.ndim]) {
    shape.dim[shape.ndim] = sides[shape.ndim];
    shape.ndim++;
  }
  return shape;
}

static ways_case case_of(const ways_size *size) {
  ways_case of = {.dtype = size->dtype, .x = shape_of(size->x), .y = shape_of(size->y), .axis = -1};
  for (int k = 0; k < WAYS_CALLS; k++)
    if (strcmp(ways_calls[k].name, size->call) == 0) of.call = &ways_calls[k];
  return of;
}

/* ---- one case ---- */

/// A way that did the call.
typedef struct timed {
  weft__way_row way;
  double seconds;
} timed;

/// The fastest of some runs. Other processes only add time.
static weft_status time_calls(double *seconds, const ways_arrays *a) {
  *seconds = 0;
  for (int run = 0; run < RUNS; run++) {
    int calls = 0;
    double time = 0;
    const double start = bench_seconds();
    while (time < LEAST_SECONDS && calls < MOST_CALLS) {
      WEFT__TRY_RETURN(ways_run(a));
      calls++;
      time = bench_seconds() - start;
    }
    if (run == 0 || time / calls < *seconds) *seconds = time / calls;
    if (time > MOST_SECONDS) break;
  }
  return WEFT_OK;
}

/// Times the call by the way, unless it does not fit: then *has_run is false.
static weft_status time_way(double *seconds, bool *has_run, const weft__way_row *way, const ways_arrays *a) {
  char forced[80];
  weft_profile_row *rows = NULL;
  uint64_t count = 0;
  snprintf(forced, sizeof forced, "%s:%s", way->operation, way->name);
  setenv("WEFT_WAY", forced, true);
  weft__ways_read_at();
  WEFT__TRY_RETURN(ways_run(a)); /* builds */
  WEFT__TRY_RETURN(ways_profile(&rows, &count, a));
  *has_run = ways_has_run(way, rows, count);
  weft_free(rows);
  return *has_run ? time_calls(seconds, a) : WEFT_OK;
}

/// Times the call by each way of each operation that it uses; the other operations' ways are chosen as ever.
static weft_status time_ways(timed *way, int *count, const ways_case *of, weft_context *context) {
  ways_arrays a;
  weft_status rc;
  bool has_run = false;
  *count = 0;
  WEFT__TRY(ways_open(&a, context, of));
  for (int k = 0; *count < MOST_WAYS && weft__way_at(&way[*count].way, k); k++) {
    if (!ways_name(of->call->operations, &way[*count].way)) continue;
    WEFT__TRY(time_way(&way[*count].seconds, &has_run, &way[*count].way, &a));
    *count += has_run;
  }
done:
  ways_close(&a);
  return rc;
}

static void add_case(table *t, const ways_case *of, const timed *way, int count) {
  weft__text text = {0};
  ways_add_array(&text, of->dtype, of->x);
  if (of->y.ndim) weft__text_add(&text, " @ ");
  if (of->y.ndim) ways_add_array(&text, of->dtype, of->y);
  for (int k = 0; k < count; k++) {
    table_add_text(t, of->call->name);
    table_add_text(t, weft__text_chars(&text));
    table_add_text(t, way[k].way.operation);
    table_add_text(t, way[k].way.name);
    table_add_decimal(t, way[k].seconds * 1e6, 1);
    const bool has_next = k + 1 < count && strcmp(way[k].way.operation, way[k + 1].way.operation) == 0;
    bench_add_number(t, has_next ? way[k + 1].seconds / way[k].seconds : -1, 2);
  }
  t->failed = t->failed || text.failed;
  weft__text_free(&text);
}

int bench_ways(const cli_args *args) {
  static const table_column columns[] = {{"call", "CALL"}, {"of", "OF"}, {"operation", "OPERATION"},
                                         {"way", "WAY"},   {"us", "US"}, {"gain", "GAIN"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft_context *context = NULL;
  const char *only = cli_value(args, "--only");
  int status = cli_open(&context, args) == WEFT_OK ? CLI_OK : CLI_FAILED, of_cases = status;
  cli_progress_begin("bench ways", SIZES, "calls");
  for (size_t k = 0; k < SIZES && status == CLI_OK && !cli_output_failed(); k++) {
    const ways_case of = case_of(&sizes[k]);
    timed way[MOST_WAYS + 1];
    int count;
    if (only && !strstr(of.call->name, only)) continue;
    cli_progress_at(k, of.call->name);
    if (time_ways(way, &count, &of, context) != WEFT_OK) of_cases = cli_report(args);
    add_case(&t, &of, way, count); /* also the ways before a failure */
  }
  cli_progress_end();
  if (status == CLI_OK)
    status =
        bench_finish(args, context, &t,
                     &(bench_report){.name = "ways",
                                     .note = "the fastest of 5 runs of calls with a wait for each; GAIN: the time by "
                                             "the next way that fits over the way's",
                                     .plot = {.own = "us", .beside = "us", .beside_is = "the same", .unit = "us"}});
  weft_context_release(&context);
  table_free(&t);
  return status == CLI_OK ? of_cases : status;
}
