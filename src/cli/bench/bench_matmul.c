// SPDX-License-Identifier: MIT
/// `weft bench matmul`: device time of matrix products of several dtypes, of batches and of vectors, beside the time in
/// which the device's own copy moves as many bytes.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { RUNS = 5 };

#define GPU_SIZE 4096
#define CPU_SIZE 512

typedef struct bench {
  const cli_args *args;
  weft_context *context;
  bench_watch watch;
  int64_t size;     /* rows and columns of the large matrices */
  double copy_rate; /* bytes read and written per second */
  weft_array *a, *b, *out, *bias;
  table table;
} bench;

/// One row of the table. A length of 0 is the size.
typedef struct bench_case {
  const char *what;
  weft_dtype dtype;
  int64_t batches, m, n, k; /* batches -1: as many as have size x size elements of the result */
  bool is_turned;           /* a is a transposed view */
  weft_precision precision;
  bool has_epilogue;
} bench_case;

static const bench_case cases[] = {
    {"f32", WEFT_F32, 1, 0, 0, 0, .is_turned = false},
    {"f32, a transposed", WEFT_F32, 1, 0, 0, 0, .is_turned = true},
    {"f32 with bias and gelu", WEFT_F32, 1, 0, 0, 0, .has_epilogue = true},
    {"f32, precision F32", WEFT_F32, 1, 0, 0, 0, .precision = WEFT_PRECISION_F32},
    {"f32, precision TF32", WEFT_F32, 1, 0, 0, 0, .precision = WEFT_PRECISION_TF32},
    {"f16", WEFT_F16, 1, 0, 0, 0, .is_turned = false},
    {"bf16", WEFT_BF16, 1, 0, 0, 0, .is_turned = false},
    {"f64", WEFT_F64, 1, 0, 0, 0, .is_turned = false},
    {"c64", WEFT_C64, 1, 0, 0, 0, .is_turned = false},
    {"i32", WEFT_I32, 1, 0, 0, 0, .is_turned = false},
    {"f32, many of 16 x 16", WEFT_F32, -1, 16, 16, 16, .is_turned = false},
    {"f32, many of 64 x 64", WEFT_F32, -1, 64, 64, 64, .is_turned = false},
    {"f32, many of 256 x 256", WEFT_F32, -1, 256, 256, 256, .is_turned = false},
    {"f32 by a vector", WEFT_F32, 1, 0, 1, 0, .is_turned = false},
    {"f32, a transposed, by a vector", WEFT_F32, 1, 0, 1, 0, .is_turned = true},
    {"f32, 64 columns, a long k", WEFT_F32, 1, 64, 64, 1 << 18, .is_turned = false},
};

/// Matrices of small multiples of 1/64.
static weft_status make_matrices(weft_array **x, const bench *b, weft_dtype dtype, weft_shape shape) {
  weft_array *values = NULL, *cast = NULL;
  weft_status rc;
  WEFT__TRY(weft_empty(&values, b->context, WEFT_F32, shape));
  WEFT__TRY(weft_eval(&values, b->context, "f32(i * 7919 % 127 - 63) / 64 + v * 0", WEFT_NAMED("v", values)));
  if (dtype != WEFT_F32) WEFT__TRY(weft_cast(&cast, values, dtype));
  *x = weft_array_retain(cast ? cast : values);
done:
  weft_array_release(&values);
  weft_array_release(&cast);
  return rc;
}

static weft_status make_case(bench *b, const bench_case *of, int64_t batches, int64_t m, int64_t n, int64_t k) {
  weft_array *turned = NULL;
  const bool is_batch = of->batches < 0;
  const weft_shape a = of->is_turned ? WEFT_SHAPE(k, m) : is_batch ? WEFT_SHAPE(batches, m, k) : WEFT_SHAPE(m, k);
  weft_status rc;
  WEFT__TRY(make_matrices(&b->a, b, of->dtype, a));
  if (of->is_turned) {
    WEFT__TRY(weft_transpose(&turned, b->a, WEFT_ALL_AXES));
    weft_array_release(&b->a);
    b->a = weft_array_retain(turned);
  }
  WEFT__TRY(make_matrices(&b->b, b, of->dtype,
                          n == 1     ? WEFT_SHAPE(k)
                          : is_batch ? WEFT_SHAPE(batches, k, n)
                                     : WEFT_SHAPE(k, n)));
  if (of->has_epilogue) rc = make_matrices(&b->bias, b, of->dtype, WEFT_SHAPE(n));
done:
  weft_array_release(&turned);
  return rc;
}

static weft_status multiply(bench *b, const bench_case *of) {
  if (!of->has_epilogue) return weft_matmul(&b->out, b->a, b->b, .precision = of->precision);
  return weft_matmul(&b->out, b->a, b->b,
                     .epilogue = WEFT_EPILOGUE("t = value + bias; 0.5 * t * (1 + erf(t * 0.7071067811865476))",
                                               WEFT_NAMED("bias", b->bias)));
}

typedef struct one_call {
  bench *b;
  const bench_case *of; /* NULL: the copy of `a` */
} one_call;

static weft_status run_once(void *data) {
  const one_call *c = data;
  return c->of ? multiply(c->b, c->of) : weft_copy(&c->b->out, c->b->a);
}

static weft_status time_case(double *seconds, bench *b, const bench_case *of) {
  return bench_time(seconds, &b->watch, RUNS, run_once, &(one_call){b, of});
}

static void release_case(bench *b) {
  weft_release(&b->a, &b->b, &b->out, &b->bias);
}

static weft_status measure_copy(bench *b) {
  double taken;
  weft_status rc;
  WEFT__TRY(make_matrices(&b->a, b, WEFT_F32, WEFT_SHAPE(b->size, b->size)));
  WEFT__TRY(time_case(&taken, b, NULL));
  b->copy_rate = 8 * (double)b->size * (double)b->size / taken;
done:
  release_case(b);
  return rc;
}

static bool is_wanted(const bench *b, const bench_case *of) {
  const char *only = cli_value(b->args, "--only");
  weft_device_info info;
  if (only && !strstr(of->what, only)) return false;
  return of->dtype != WEFT_F64 || (weft_context_get_device(&info, b->context) == WEFT_OK && info.has_fp64);
}

static weft_status run_case(bench *b, const bench_case *of) {
  const int64_t m = of->m ? of->m : b->size, n = of->n ? of->n : b->size, k = of->k ? of->k : b->size;
  const int64_t fit = b->size * b->size / (m * n), batches = of->batches > 0 ? of->batches : fit > 0 ? fit : 1;
  const double terms = (double)batches * (double)m * (double)n * (double)k;
  const double elements = (double)batches * ((double)m * (double)k + (double)k * (double)n + (double)m * (double)n);
  const double bytes = elements * (double)weft_dtype_size_bytes(of->dtype);
  double taken = 0;
  weft_status rc;
  bench_next(b->args, &b->table, 0, of->what);
  WEFT__TRY(make_case(b, of, batches, m, n, k));
  WEFT__TRY(time_case(&taken, b, of));
  table_add_text(&b->table, of->what);
  bench_add_number(&b->table, (double)batches, 0);
  bench_add_number(&b->table, (double)m, 0);
  bench_add_number(&b->table, (double)n, 0);
  bench_add_number(&b->table, (double)k, 0);
  bench_add_number(&b->table, 1e6 * taken, taken < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, 1e6 * bytes / b->copy_rate, taken < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, 2e-12 * terms / taken * (of->dtype == WEFT_C64 ? 4 : 1), 3);
  bench_add_number(&b->table, 1e-9 * bytes / taken, 1);
done:
  release_case(b);
  return rc;
}

static weft_status run_all(bench *b) {
  size_t rows = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) rows += is_wanted(b, &cases[i]);
  bench_next(b->args, &b->table, rows, "the device's own copy");
  WEFT__TRY_RETURN(measure_copy(b));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (is_wanted(b, &cases[i])) WEFT__TRY_RETURN(run_case(b, &cases[i]));
  return WEFT_OK;
}

static weft_status open_bench(bench *b) {
  weft_device_info info;
  WEFT__TRY_RETURN(bench_watch_open(&b->watch, &b->context, &info, b->args));
  if (!b->size) b->size = info.type == WEFT_DEVICE_TYPE_GPU ? GPU_SIZE : CPU_SIZE;
  return WEFT_OK;
}

int bench_matmul(const cli_args *args) {
  static const table_column columns[] = {
      {"what", "WHAT"},       {"products", "PRODUCTS"}, {"m", "M"},          {"n", "N"}, {"k", "K"}, {"us", "US"},
      {"copy_us", "COPY US"}, {"tflops", "TFLOP/S"},    {"gb_per_s", "GB/S"}};
  bench b = {
      .args = args, .table = {.columns = columns, .column_count = sizeof columns / sizeof *columns}, .copy_rate = 1};
  int status = cli_parse_number(&b.size, args, "--size", 16, 1 << 15);
  if (status != CLI_OK) return status;
  status = CLI_FAILED;
  if (open_bench(&b) || run_all(&b)) {
    if (b.context) cli_report(args); /* cli_open has printed its own error */
  } else {
    char note[160];
    snprintf(note, sizeof note,
             "matrices of %lld x %lld unless noted; medians of %d, %s; the copy is the time in which as many bytes "
             "are copied",
             (long long)b.size, (long long)b.size, RUNS, b.watch.how);
    status = bench_finish(args, b.context, &b.table,
                          &(bench_report){.name = "matmul", .note = note, .plot = {"us", "copy_us", "the copy", "us"}});
  }
  release_case(&b);
  weft_timer_release(&b.watch.timer);
  weft_context_release(&b.context);
  table_free(&b.table);
  return status;
}
