// SPDX-License-Identifier: MIT
/// `weft bench primitives`: device time of reductions, scans, sorts, selection, histograms and random numbers. Each
/// stands beside the time that the device's own copy needs for the bytes that must move. Small sizes are timed too, as
/// one call with its launches.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { RUNS = 11 };

#define LARGE (INT64_C(1) << 28)
#define SMALL INT64_C(10000000)

typedef struct bench {
  const cli_args *args;
  weft_context *context;
  bench_watch watch;
  weft_rng *rng;
  int64_t size, large;            /* of words and floats now; of the large ones */
  double copy_rate;               /* bytes read and written per second */
  weft_array *words, *floats;     /* u32 and f32 [size], random; floats in [0, 1) */
  weft_array *a, *b, *out, *out2; /* the arrays of a case */
  table table;
} bench;

typedef weft_status case_function(bench *b);

/// One row of the table. `bytes`: bytes that must move for each element of `a`.
typedef struct bench_case {
  const char *what;
  case_function *make, *run;
  double bytes;
} bench_case;

/* ---- the cases' arrays: a and b, views of the large arrays or separate ones ---- */

static weft_status make_floats(bench *b) {
  b->a = weft_array_retain(b->floats);
  return weft_empty(&b->out, b->context, WEFT_F32, WEFT_SHAPE(b->size));
}

static weft_status make_words(bench *b) {
  b->a = weft_array_retain(b->words);
  return weft_empty(&b->out, b->context, WEFT_U32, WEFT_SHAPE(b->size));
}

static weft_status make_no_result(bench *b) {
  b->a = weft_array_retain(b->floats);
  return WEFT_OK;
}

static weft_status make_two(bench *b) {
  b->a = weft_array_retain(b->floats);
  return weft_copy(&b->b, b->floats);
}

static weft_status make_equal(bench *b) {
  return weft_full(&b->a, b->context, WEFT_F32, WEFT_SHAPE(b->size), 0.5f);
}

static weft_status make_pairs(bench *b) {
  WEFT__TRY_RETURN(make_words(b));
  WEFT__TRY_RETURN(weft_arange(&b->b, b->context, WEFT_U32, 0, (double)b->size, 1));
  return weft_empty(&b->out2, b->context, WEFT_U32, WEFT_SHAPE(b->size));
}

/// Keys of twice the width, half as many.
static weft_status make_wide(bench *b) {
  weft_status rc =
      weft_eval(&b->a, b->context, "u64(h) * 4294967296 + u64(l)", WEFT_NAMED("h", b->b), WEFT_NAMED("l", b->out2));
  return rc;
}

static weft_status make_u64(bench *b) {
  WEFT__TRY_RETURN(weft_slice(&b->b, b->words, 0, 0, b->size / 2));
  WEFT__TRY_RETURN(weft_slice(&b->out2, b->words, 0, b->size - b->size / 2, b->size));
  WEFT__TRY_RETURN(make_wide(b));
  weft_array_release(&b->b);
  weft_array_release(&b->out2);
  return weft_empty(&b->out, b->context, WEFT_U64, WEFT_SHAPE(b->size / 2));
}

static weft_status make_mask(bench *b) {
  WEFT__TRY_RETURN(make_no_result(b));
  return weft_greater(&b->b, b->floats, 0.5f);
}

/// The large array as a matrix with `rows` rows.
static weft_status make_matrix(bench *b, int64_t rows) {
  weft_array *part = NULL;
  int64_t columns = b->size / rows;
  WEFT__TRY_RETURN(weft_slice(&part, b->floats, 0, 0, rows * columns));
  weft_status rc = weft_reshape(&b->a, part, WEFT_SHAPE(rows, columns));
  weft_array_release(&part);
  return rc;
}

/// A square matrix with the largest power of two as its side: 16384 for 2^28.
static weft_status make_square(bench *b) {
  int64_t n = 1;
  while (4 * n * n <= b->size) n *= 2;
  return make_matrix(b, n);
}
static weft_status make_tall(bench *b) {
  return make_matrix(b, b->size / 256);
}
static weft_status make_wide_matrix(bench *b) {
  return make_matrix(b, 256);
}
static weft_status make_needles(bench *b) {
  return make_matrix(b, b->size / 4);
}
static weft_status make_rails(bench *b) {
  return make_matrix(b, 4);
}
static weft_status make_rows_of_128(bench *b) {
  return make_matrix(b, b->size / 128);
}
static weft_status make_rows_of_8192(bench *b) {
  return make_matrix(b, b->size / 8192);
}
static weft_status make_rows_of_65536(bench *b) {
  return make_matrix(b, b->size / 65536);
}

/* ---- the cases ---- */

static weft_status run_copy(bench *b) {
  return weft_copy(&b->out, b->a);
}
static weft_status run_sum(bench *b) {
  return weft_sum(&b->out, b->a, WEFT_ALL_AXES);
}
static weft_status run_max(bench *b) {
  return weft_max(&b->out, b->a, WEFT_ALL_AXES);
}
static weft_status run_argmax(bench *b) {
  return weft_argmax(&b->out, b->a, WEFT_ALL_AXES);
}
static weft_status run_norm(bench *b) {
  return weft_norm(&b->out, b->a, WEFT_ALL_AXES);
}
static weft_status run_var(bench *b) {
  return weft_var(&b->out, b->a, WEFT_ALL_AXES);
}
static weft_status run_dot(bench *b) {
  return weft_dot(&b->out, b->a, b->b);
}
static weft_status run_columns(bench *b) {
  return weft_sum(&b->out, b->a, 0);
}
static weft_status run_rows(bench *b) {
  return weft_sum(&b->out, b->a, 1);
}
static weft_status run_cumsum(bench *b) {
  return weft_cumsum(&b->out, b->a, 0);
}
static weft_status run_sort(bench *b) {
  return weft_sort(&b->out, b->a, 0);
}
static weft_status run_sort_rows(bench *b) {
  weft_array_release(&b->out);
  return weft_sort(&b->out, b->a, 1);
}
static weft_status run_median_rows(bench *b) {
  return weft_median(&b->out, b->a, 1);
}
static weft_status run_pairs(bench *b) {
  return weft_sort_by_key(&b->out, &b->out2, b->a, b->b);
}
static weft_status run_argsort(bench *b) {
  weft_array_release(&b->out);
  return weft_argsort(&b->out, b->a, 0);
}
static weft_status run_select(bench *b) {
  return weft_select(&b->out, b->context, "x > 0.5", WEFT_NAMED("x", b->a), WEFT_SELECTION(.count = &b->out2));
}
static weft_status run_compress(bench *b) {
  return weft_compress(&b->out, b->b, b->a, WEFT_ALL_AXES, .count = &b->out2);
}
static weft_status run_histogram(bench *b) {
  return weft_histogram(&b->out, b->a, 256, .range = WEFT_RANGE(0, 1));
}
static weft_status run_uniform(bench *b) {
  return weft_uniform(&b->out, b->rng, WEFT_F32, WEFT_SHAPE(b->size), 0, 1);
}
static weft_status run_normal(bench *b) {
  return weft_normal(&b->out, b->rng, WEFT_F32, WEFT_SHAPE(b->size), 0, 1);
}

static const bench_case cases[] = {
    {"sum", make_no_result, run_sum, 4},
    {"max", make_no_result, run_max, 4},
    {"argmax", make_no_result, run_argmax, 4},
    {"norm", make_no_result, run_norm, 4},
    {"var", make_no_result, run_var, 4},
    {"dot", make_two, run_dot, 8},
    {"sum over axis 0, square", make_square, run_columns, 4},
    {"sum over axis 1, square", make_square, run_rows, 4},
    {"sum over axis 0, n/256 x 256", make_tall, run_columns, 4},
    {"sum over axis 1, n/256 x 256", make_tall, run_rows, 4},
    {"sum over axis 0, 256 x n/256", make_wide_matrix, run_columns, 4},
    {"sum over axis 1, 256 x n/256", make_wide_matrix, run_rows, 4},
    {"sum over axis 0, n/4 x 4", make_needles, run_columns, 4},
    {"sum over axis 1, n/4 x 4", make_needles, run_rows, 5},
    {"sum over axis 0, 4 x n/4", make_rails, run_columns, 5},
    {"sum over axis 1, 4 x n/4", make_rails, run_rows, 4},
    {"cumsum", make_floats, run_cumsum, 8},
    {"sort u32", make_words, run_sort, 36},
    {"sort f32", make_floats, run_sort, 36},
    {"sort u32 by u32 keys", make_pairs, run_pairs, 68},
    {"sort u64, n/2", make_u64, run_sort, 136},
    {"argsort f32", make_no_result, run_argsort, 68},
    {"median of rows of 128", make_rows_of_128, run_median_rows, 4},
    {"sort of rows of 128", make_rows_of_128, run_sort_rows, 8},
    {"median of rows of 8192", make_rows_of_8192, run_median_rows, 4},
    {"sort of rows of 8192", make_rows_of_8192, run_sort_rows, 36},
    {"median of rows of 65536", make_rows_of_65536, run_median_rows, 4},
    {"sort of rows of 65536", make_rows_of_65536, run_sort_rows, 36},
    {"select x > 0.5", make_no_result, run_select, 6},
    {"compress by a mask", make_mask, run_compress, 7},
    {"histogram, 256 bins, uniform", make_no_result, run_histogram, 4},
    {"histogram, 256 bins, all equal", make_equal, run_histogram, 4},
    {"uniform f32", make_floats, run_uniform, 4},
    {"normal f32", make_floats, run_normal, 4},
};

static const bench_case small_cases[] = {
    {"sum", make_no_result, run_sum, 4},
    {"cumsum", make_floats, run_cumsum, 8},
    {"sort u32", make_words, run_sort, 36},
    {"select x > 0.5", make_no_result, run_select, 6},
    {"histogram, 256 bins, uniform", make_no_result, run_histogram, 4},
    {"uniform f32", make_floats, run_uniform, 4},
};

static const int64_t small_sizes[] = {1 << 10, 1 << 14, 1 << 17, 1 << 20};

/* ---- measuring ---- */

typedef struct one_call {
  bench *b;
  case_function *run;
} one_call;

static weft_status call_once(void *data) {
  const one_call *c = data;
  return c->run(c->b);
}

static weft_status time_case(bench *b, case_function *run, double *seconds) {
  return bench_time(seconds, &b->watch, RUNS, call_once, &(one_call){b, run});
}

static void add_row(bench *b, const char *what, int64_t n, double seconds, double bytes) {
  table_add_text(&b->table, what);
  bench_add_number(&b->table, (double)n, 0);
  bench_add_number(&b->table, 1e6 * seconds, seconds < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, 1e6 * bytes / b->copy_rate, seconds < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, 1e-9 * (double)n / seconds, 2);
  bench_add_number(&b->table, bytes / b->copy_rate / seconds, 3);
}

static void release_case(bench *b) {
  weft_array_release(&b->a);
  weft_array_release(&b->b);
  weft_array_release(&b->out);
  weft_array_release(&b->out2);
}

static weft_status run_case(bench *b, const bench_case *of) {
  double taken = 0;
  weft_status rc;
  bench_next(b->args, &b->table, 0, of->what);
  WEFT__TRY(of->make(b));
  int64_t n = weft_array_size(b->a);
  WEFT__TRY(time_case(b, of->run, &taken));
  add_row(b, of->what, n, taken, of->bytes * (double)n);
done:
  release_case(b);
  return rc;
}

static bool is_wanted(const bench *b, const char *what) {
  const char *only = cli_value(b->args, "--only");
  return !only || strstr(what, only) != NULL;
}

static weft_status measure_copy(bench *b) {
  double taken, bytes = 8 * (double)b->size;
  weft_status rc;
  WEFT__TRY(make_floats(b));
  WEFT__TRY(time_case(b, run_copy, &taken));
  b->copy_rate = bytes / taken;
  add_row(b, "the device's own copy", b->size, taken, bytes);
done:
  release_case(b);
  return rc;
}

/// Random words from a hash of the index, so that the data do not depend on the functions being measured.
static weft_status make_data(bench *b, int64_t size) {
  weft_array_release(&b->words);
  weft_array_release(&b->floats);
  b->size = size;
  WEFT__TRY_RETURN(weft_empty(&b->words, b->context, WEFT_U32, WEFT_SHAPE(size)));
  WEFT__TRY_RETURN(weft_eval(&b->words, b->context,
                             "h = (i * 2654435761) & 4294967295\n"
                             "h = ((h ^ (h >> 15)) * 2246822519) & 4294967295\n"
                             "h = ((h ^ (h >> 13)) * 3266489917) & 4294967295\n"
                             "u32(h ^ (h >> 16)) + w * 0",
                             WEFT_NAMED("w", b->words)));
  return weft_eval(&b->floats, b->context, "f32(w >> 8) * (1.0 / 16777216)", WEFT_NAMED("w", b->words));
}

/// The number of the table's rows: the copy, and all wanted cases.
static size_t count_rows(const bench *b) {
  size_t rows = 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) rows += is_wanted(b, cases[i].what);
  for (size_t i = 0; i < sizeof small_cases / sizeof *small_cases; i++)
    rows += is_wanted(b, small_cases[i].what) ? sizeof small_sizes / sizeof *small_sizes : 0;
  return rows;
}

static weft_status run_all(bench *b) {
  b->large = b->size;
  bench_next(b->args, &b->table, count_rows(b), "the device's own copy");
  WEFT__TRY_RETURN(make_data(b, b->size));
  WEFT__TRY_RETURN(measure_copy(b));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (is_wanted(b, cases[i].what)) WEFT__TRY_RETURN(run_case(b, &cases[i]));
  for (size_t s = 0; s < sizeof small_sizes / sizeof *small_sizes; s++) {
    WEFT__TRY_RETURN(make_data(b, small_sizes[s]));
    for (size_t i = 0; i < sizeof small_cases / sizeof *small_cases; i++)
      if (is_wanted(b, small_cases[i].what)) WEFT__TRY_RETURN(run_case(b, &small_cases[i]));
  }
  return WEFT_OK;
}

static weft_status open_bench(bench *b) {
  weft_device_info info;
  WEFT__TRY_RETURN(bench_watch_open(&b->watch, &b->context, &info, b->args));
  WEFT__TRY_RETURN(weft_rng_create(&b->rng, .seed = 1));
  if (!b->size)
    b->size = info.type == WEFT_DEVICE_TYPE_GPU && info.memory_size_bytes > (UINT64_C(24) << 30) ? LARGE : SMALL;
  return WEFT_OK;
}

static void close_bench(bench *b) {
  release_case(b);
  weft_array_release(&b->words);
  weft_array_release(&b->floats);
  weft_rng_release(&b->rng);
  weft_timer_release(&b->watch.timer);
  weft_context_release(&b->context);
  table_free(&b->table);
}

int bench_primitives(const cli_args *args) {
  static const table_column columns[] = {{"what", "WHAT"},      {"n", "N"},
                                         {"us", "US"},          {"floor_us", "FLOOR US"},
                                         {"g_per_s", "10^9/S"}, {"of_floor", "OF FLOOR"}};
  bench b = {
      .args = args, .table = {.columns = columns, .column_count = sizeof columns / sizeof *columns}, .copy_rate = 1};
  int status = cli_parse_number(&b.size, args, "--size", 1 << 16, INT64_C(1) << 33);
  if (status != CLI_OK) return status;
  status = CLI_FAILED;
  if (open_bench(&b) || run_all(&b)) {
    if (b.context) cli_report(args); /* cli_open has printed its own error */
  } else {
    char note[160];
    snprintf(note, sizeof note,
             "n = %lld f32 unless noted; medians of %d, %s; the floor is the bytes at the rate of the device's copy",
             (long long)b.large, RUNS, b.watch.how);
    status = bench_finish(
        args, b.context, &b.table,
        &(bench_report){.name = "primitives", .note = note, .plot = {"us", "floor_us", "the floor", "us"}});
  }
  close_bench(&b);
  return status;
}
