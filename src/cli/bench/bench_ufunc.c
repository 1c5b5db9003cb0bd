// SPDX-License-Identifier: MIT
/// `weft bench ufunc`: functions over whole arrays, each beside the time that the device's own copy needs for as many
/// bytes; and the host time of a call, beside the bare driver calls for the same work.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_opencl.h"

enum { RUNS = 7, BURST = 64, HOST_RUNS = 501, HOST_ELEMENTS = 100000, BLOCK = 256 };

/// Work enqueued between two waits: long enough that the wait's own time is negligible.
#define RUN_SECONDS 0.03
#define LARGE (INT64_C(1) << 28)
#define SMALL INT64_C(10000000)

typedef struct bench {
  const cli_args *args;
  weft_context *context;
  cl_command_queue queue;
  cl_int code; /* the first failure of a bare call */
  int64_t size;
  double copy_rate;        /* bytes read and written per second */
  weft_array *x, *y, *out; /* f32[size]; out is written */
  weft_array *a, *b, *c;   /* further arrays of a case */
  table table;
} bench;

typedef weft_status case_function(bench *b);

static weft_status run_add(bench *b) {
  return weft_add(&b->out, b->x, b->y);
}
static weft_status run_multiply(bench *b) {
  return weft_multiply(&b->out, b->x, b->y);
}
static weft_status run_exp(bench *b) {
  return weft_exp(&b->out, b->x);
}
static weft_status run_sin(bench *b) {
  return weft_sin(&b->out, b->x);
}
static weft_status run_log(bench *b) {
  return weft_log(&b->out, b->x);
}
static weft_status run_sqrt(bench *b) {
  return weft_sqrt(&b->out, b->x);
}
static weft_status run_pow_scalar(bench *b) {
  return weft_pow(&b->out, b->x, 2.5f);
}
static weft_status run_pow(bench *b) {
  return weft_pow(&b->out, b->x, b->y);
}
static weft_status run_lgamma(bench *b) {
  return weft_lgamma(&b->out, b->y);
}
static weft_status run_where(bench *b) {
  return weft_where(&b->out, b->a, b->x, b->y);
}
static weft_status run_fused(bench *b) {
  return weft_eval(&b->out, b->context, "exp(a) * b + a", WEFT_NAMED("a", b->x), WEFT_NAMED("b", b->y));
}
static weft_status run_cast(bench *b) {
  return weft_cast(&b->a, b->x, WEFT_F64);
}
static weft_status run_broadcast(bench *b) {
  return weft_add(&b->c, b->a, b->b);
}
static weft_status run_transpose(bench *b) {
  return weft_copy(&b->c, b->a);
}
static weft_status run_views(bench *b) {
  return weft_add(&b->c, b->a, b->b);
}

/* ---- the cases' arrays ---- */

static weft_status make_nothing(bench *b) {
  (void)b;
  return WEFT_OK;
}

static weft_status make_condition(bench *b) {
  return weft_greater(&b->a, b->x, 0.5f);
}

/// The side of the largest square of f32 that fits, a power of two: 16384 for 2^28.
static int64_t side(const bench *b) {
  int64_t n = 1;
  while (4 * n * n <= b->size) n *= 2;
  return n;
}

static weft_status make_square(bench *b, weft_array **square, weft_array *of) {
  weft_array *part = NULL;
  int64_t n = side(b);
  WEFT__TRY_RETURN(weft_slice(&part, of, 0, 0, n * n));
  weft_status rc = weft_reshape(square, part, WEFT_SHAPE(n, n));
  weft_array_release(&part);
  return rc;
}

static weft_status make_row(bench *b) {
  WEFT__TRY_RETURN(make_square(b, &b->a, b->x));
  WEFT__TRY_RETURN(make_square(b, &b->c, b->out));
  return weft_pick(&b->b, b->a, 0, 0);
}

static weft_status make_column(bench *b) {
  WEFT__TRY_RETURN(make_square(b, &b->a, b->x));
  WEFT__TRY_RETURN(make_square(b, &b->c, b->out));
  return weft_slice(&b->b, b->a, 1, 0, 1);
}

static weft_status make_transposed(bench *b) {
  weft_array *square = NULL;
  WEFT__TRY_RETURN(make_square(b, &b->c, b->out));
  WEFT__TRY_RETURN(make_square(b, &square, b->x));
  weft_status rc = weft_transpose(&b->a, square, WEFT_ALL_AXES);
  weft_array_release(&square);
  return rc;
}

/// Views of x, y and out of `n` elements, at offsets of one, three and two elements: nothing is aligned.
static weft_status make_unaligned_part(bench *b, int64_t n) {
  WEFT__TRY_RETURN(weft_slice(&b->a, b->x, 0, 1, 1 + n));
  WEFT__TRY_RETURN(weft_slice(&b->b, b->y, 0, 3, 3 + n));
  return weft_slice(&b->c, b->out, 0, 2, 2 + n);
}

static weft_status make_part(bench *b, int64_t n) {
  WEFT__TRY_RETURN(weft_slice(&b->a, b->x, 0, 0, n));
  WEFT__TRY_RETURN(weft_slice(&b->b, b->y, 0, 0, n));
  return weft_slice(&b->c, b->out, 0, 0, n);
}

/// Arrays of another dtype with `bytes` bytes each.
static weft_status make_typed(bench *b, weft_dtype dtype, int64_t bytes) {
  int64_t n = bytes / (int64_t)weft_dtype_size_bytes(dtype);
  WEFT__TRY_RETURN(weft_ones(&b->a, b->context, dtype, WEFT_SHAPE(n)));
  WEFT__TRY_RETURN(weft_ones(&b->b, b->context, dtype, WEFT_SHAPE(n)));
  return weft_empty(&b->c, b->context, dtype, WEFT_SHAPE(n));
}

/// The buffers of x, y and out, adopted as if they belonged to another library.
static weft_status make_foreign(bench *b) {
  weft_array *const of[] = {b->x, b->y, b->out};
  weft_array **const out[] = {&b->a, &b->b, &b->c};
  for (int k = 0; k < 3; k++)
    WEFT__TRY_RETURN(
        weft_array_adopt(out[k], b->context, weft_array_cl_mem(of[k], NULL), 0, WEFT_F32, WEFT_SHAPE(b->size)));
  return WEFT_OK;
}

#define LESS (1 << 20)
static weft_status make_unaligned(bench *b) {
  return make_unaligned_part(b, b->size - 5);
}
static weft_status make_10_7(bench *b) {
  return make_part(b, SMALL);
}
static weft_status make_10_7_unaligned(bench *b) {
  return make_unaligned_part(b, SMALL - 5);
}
static weft_status make_10_7_u8(bench *b) {
  return make_typed(b, WEFT_U8, 4 * SMALL);
}
static weft_status make_10_7_i16(bench *b) {
  return make_typed(b, WEFT_I16, 4 * SMALL);
}
static weft_status make_10_7_f64(bench *b) {
  return make_typed(b, WEFT_F64, 4 * SMALL);
}
static weft_status make_2_20(bench *b) {
  return make_part(b, LESS);
}
static weft_status make_2_20_unaligned(bench *b) {
  return make_unaligned_part(b, LESS - 5);
}
static weft_status make_2_20_u8(bench *b) {
  return make_typed(b, WEFT_U8, 4 * LESS);
}
static weft_status make_2_20_i16(bench *b) {
  return make_typed(b, WEFT_I16, 4 * LESS);
}
static weft_status make_2_20_f64(bench *b) {
  return make_typed(b, WEFT_F64, 4 * LESS);
}
static weft_status make_u8(bench *b) {
  return make_typed(b, WEFT_U8, 4 * b->size);
}
static weft_status make_i16(bench *b) {
  return make_typed(b, WEFT_I16, 4 * b->size);
}
static weft_status make_f16(bench *b) {
  return make_typed(b, WEFT_F16, 4 * b->size);
}
static weft_status make_f64(bench *b) {
  return make_typed(b, WEFT_F64, 4 * b->size);
}

/// `bytes`: bytes that must move, for each element of x; with of_c for each element of the case's own c.
typedef struct bench_case {
  const char *what;
  case_function *make, *run;
  double bytes;
  bool of_c;
} bench_case;

static const bench_case cases[] = {
    {"add", make_nothing, run_add, 12, false},
    {"multiply", make_nothing, run_multiply, 12, false},
    {"exp", make_nothing, run_exp, 8, false},
    {"sin", make_nothing, run_sin, 8, false},
    {"log", make_nothing, run_log, 8, false},
    {"sqrt", make_nothing, run_sqrt, 8, false},
    {"pow, scalar exponent", make_nothing, run_pow_scalar, 8, false},
    {"pow, array exponent", make_nothing, run_pow, 12, false},
    {"lgamma", make_nothing, run_lgamma, 8, false},
    {"where", make_condition, run_where, 13, false},
    {"cast f32 to f64", make_nothing, run_cast, 12, false},
    {"exp(a) * b + a in one kernel", make_nothing, run_fused, 12, false},
    {"matrix + row", make_row, run_broadcast, 8, true},
    {"matrix + column", make_column, run_broadcast, 8, true},
    {"transposed copy", make_transposed, run_transpose, 8, true},
    {"add, foreign buffers", make_foreign, run_views, 12, true},
    {"add, unaligned views", make_unaligned, run_views, 12, true},
    {"add u8, as many bytes", make_u8, run_views, 3, true},
    {"add i16, as many bytes", make_i16, run_views, 6, true},
    {"add f16, as many bytes", make_f16, run_views, 6, true},
    {"add f64, as many bytes", make_f64, run_views, 24, true},
    {"add, n = 10^7", make_10_7, run_views, 12, true},
    {"add, n = 10^7 - 5, unaligned views", make_10_7_unaligned, run_views, 12, true},
    {"add u8, bytes of 10^7 f32", make_10_7_u8, run_views, 3, true},
    {"add i16, bytes of 10^7 f32", make_10_7_i16, run_views, 6, true},
    {"add f64, bytes of 10^7 f32", make_10_7_f64, run_views, 24, true},
    {"add, n = 2^20", make_2_20, run_views, 12, true},
    {"add, n = 2^20 - 5, unaligned views", make_2_20_unaligned, run_views, 12, true},
    {"add u8, bytes of 2^20 f32", make_2_20_u8, run_views, 3, true},
    {"add i16, bytes of 2^20 f32", make_2_20_i16, run_views, 6, true},
    {"add f64, bytes of 2^20 f32", make_2_20_f64, run_views, 24, true},
};

static const char copy_name[] = "the device's own copy";

enum { HOST_CALLS = 3, ROWS = 1 + 1 + sizeof cases / sizeof *cases + HOST_CALLS }; /* the first call, the copy */

/* ---- device time ---- */

static void keep(bench *b, cl_int code) {
  if (b->code == CL_SUCCESS) b->code = code;
}

static weft_status run_copy(bench *b) {
  size_t bytes = (size_t)b->size * sizeof(float);
  keep(b, clEnqueueCopyBuffer(b->queue, weft_array_cl_mem(b->x, NULL), weft_array_cl_mem(b->out, NULL), 0, 0, bytes, 0,
                              NULL, NULL));
  return WEFT_OK;
}

/// Seconds of one run: the median of several bursts, each as long as RUN_SECONDS.
static weft_status time_case(bench *b, case_function *run, double *taken) {
  double value[RUNS];
  WEFT__TRY_RETURN(run(b)); /* builds the kernel */
  keep(b, clFinish(b->queue));
  double start = bench_seconds();
  WEFT__TRY_RETURN(run(b));
  keep(b, clFinish(b->queue));
  double once = bench_seconds() - start;
  int burst = once > 0 && RUN_SECONDS / once < 1000 ? 1 + (int)(RUN_SECONDS / once) : 1000;
  for (int i = 0; i < RUNS; i++) {
    start = bench_seconds();
    for (int k = 0; k < burst; k++) WEFT__TRY_RETURN(run(b));
    keep(b, clFinish(b->queue));
    value[i] = (bench_seconds() - start) / burst;
  }
  *taken = bench_median(value, RUNS);
  return WEFT_OK;
}

static void add_row(bench *b, const char *what, double seconds, double bytes) {
  double rate = bytes / seconds;
  table_add_text(&b->table, what);
  bench_add_number(&b->table, 1e6 * seconds, seconds < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, bytes > 0 ? 1e6 * bytes / b->copy_rate : -1, seconds < 1e-4 ? 2 : 1);
  bench_add_number(&b->table, bytes > 0 ? 1e-9 * rate : -1, 1);
  bench_add_number(&b->table, bytes > 0 ? rate / b->copy_rate : -1, 3);
}

static weft_status run_case(bench *b, const bench_case *of) {
  double taken = 0;
  weft_status rc;
  bench_next(b->args, &b->table, 0, of->what);
  WEFT__TRY(of->make(b));
  WEFT__TRY(time_case(b, of->run, &taken));
  add_row(b, of->what, taken, of->bytes * (double)(of->of_c ? weft_array_size(b->c) : b->size));
done:
  weft_array_release(&b->a);
  weft_array_release(&b->b);
  weft_array_release(&b->c);
  return rc;
}

static weft_status run_cases(bench *b) {
  double taken = 0;
  bench_next(b->args, &b->table, 0, copy_name);
  WEFT__TRY_RETURN(time_case(b, run_copy, &taken));
  if (b->code != CL_SUCCESS) return WEFT_OK;
  double bytes = 8 * (double)b->size;
  b->copy_rate = bytes / taken;
  add_row(b, copy_name, taken, bytes);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) WEFT__TRY_RETURN(run_case(b, &cases[i]));
  return WEFT_OK;
}

/* ---- host time of a call ---- */

static const char add_source[] =
    "__kernel void add(__global float *c, __global const float *a, __global const float *b, uint n) {\n"
    "  uint i = get_global_id(0);\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";

typedef struct host_bench {
  weft_array *x, *y, *out, *fresh;
  cl_program program;
  cl_kernel kernel;
} host_bench;

static void raw_add(bench *b, host_bench *h) {
  cl_mem mem[] = {weft_array_cl_mem(h->out, NULL), weft_array_cl_mem(h->x, NULL), weft_array_cl_mem(h->y, NULL)};
  cl_uint n = HOST_ELEMENTS;
  size_t local = BLOCK, global = weft_ceil_div(HOST_ELEMENTS, BLOCK) * BLOCK;
  for (cl_uint i = 0; i < 3; i++) keep(b, clSetKernelArg(h->kernel, i, sizeof mem[i], &mem[i]));
  keep(b, clSetKernelArg(h->kernel, 3, sizeof n, &n));
  keep(b, clEnqueueNDRangeKernel(b->queue, h->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
}

static weft_status call(bench *b, host_bench *h, int kind) {
  switch (kind) {
    case 0:
      raw_add(b, h);
      return WEFT_OK;
    case 1:
      return weft_add(&h->out, h->x, h->y);
    default:
      weft_array_release(&h->fresh);
      return weft_add(&h->fresh, h->x, h->y);
  }
}

/// Bursts of each kind of call in turns. The one wait at the end of a burst is timed too: if the queue is slower than
/// the host, it sets the limit.
static weft_status time_calls(bench *b, host_bench *h) {
  static const char *const what[HOST_CALLS] = {"add, n = 100 000, host: bare driver calls",
                                               "add, n = 100 000, host: weft_add, out given",
                                               "add, n = 100 000, host: weft_add, a new array each"};
  double *value[HOST_CALLS] = {NULL, NULL, NULL};
  weft_status rc = WEFT_OK;
  bench_next(b->args, &b->table, 0, what[0]);
  for (int kind = 0; kind < HOST_CALLS; kind++) WEFT__TRY(call(b, h, kind));
  for (int kind = 0; kind < HOST_CALLS; kind++) value[kind] = malloc(HOST_RUNS * sizeof(double));
  for (int i = 0; i < HOST_RUNS && value[0] && value[1] && value[2]; i++)
    for (int turn = 0; turn < HOST_CALLS; turn++) {
      int kind = (i + turn) % HOST_CALLS;
      double start = bench_seconds();
      for (int k = 0; k < BURST; k++) WEFT__TRY(call(b, h, kind));
      keep(b, clFinish(b->queue));
      value[kind][i] = (bench_seconds() - start) / BURST;
    }
  for (int kind = 0; kind < HOST_CALLS; kind++)
    if (value[kind]) add_row(b, what[kind], bench_median(value[kind], HOST_RUNS), 0);
done:
  for (int kind = 0; kind < HOST_CALLS; kind++) free(value[kind]);
  return rc;
}

static weft_status run_host(bench *b) {
  host_bench h = {0};
  const char *text = add_source;
  cl_device_id device = weft_context_cl_device(b->context);
  weft_status rc;
  WEFT__TRY(weft_ones(&h.x, b->context, WEFT_F32, WEFT_SHAPE(HOST_ELEMENTS)));
  WEFT__TRY(weft_ones(&h.y, b->context, WEFT_F32, WEFT_SHAPE(HOST_ELEMENTS)));
  WEFT__TRY(weft_ones(&h.out, b->context, WEFT_F32, WEFT_SHAPE(HOST_ELEMENTS)));
  h.program = clCreateProgramWithSource(weft_context_cl_context(b->context), 1, &text, NULL, &b->code);
  if (h.program) keep(b, clBuildProgram(h.program, 1, &device, "", NULL, NULL));
  if (h.program && b->code == CL_SUCCESS) h.kernel = clCreateKernel(h.program, "add", &b->code);
  if (h.kernel) rc = time_calls(b, &h);
done:
  if (h.kernel) clReleaseKernel(h.kernel);
  if (h.program) clReleaseProgram(h.program);
  weft_array_release(&h.x);
  weft_array_release(&h.y);
  weft_array_release(&h.out);
  weft_array_release(&h.fresh);
  return rc;
}

/* ---- the whole measurement ---- */

static weft_status open_bench(bench *b) {
  weft_device_info info;
  weft_array *small = NULL;
  WEFT__TRY_RETURN(cli_open(&b->context, b->args));
  bench_next(b->args, &b->table, ROWS, "first weft_add");
  b->queue = weft_context_cl_queue(b->context);
  WEFT__TRY_RETURN(weft_ones(&small, b->context, WEFT_F32, WEFT_SHAPE(1000)));
  double start = bench_seconds();
  weft_status rc = weft_add(&small, small, small);
  add_row(b, "first weft_add after the context was made", bench_seconds() - start, 0);
  weft_array_release(&small);
  WEFT__TRY_RETURN(rc);
  WEFT__TRY_RETURN(weft_context_get_device(&info, b->context));
  if (!b->size)
    b->size = info.type == WEFT_DEVICE_TYPE_GPU && info.memory_size_bytes > (UINT64_C(12) << 30) ? LARGE : SMALL;
  WEFT__TRY_RETURN(weft_linspace(&b->x, b->context, WEFT_F32, 0.01, 1, b->size));
  WEFT__TRY_RETURN(weft_linspace(&b->y, b->context, WEFT_F32, 1, 8, b->size));
  return weft_ones(&b->out, b->context, WEFT_F32, WEFT_SHAPE(b->size));
}

static void close_bench(bench *b) {
  weft_array *const arrays[] = {b->x, b->y, b->out, b->a, b->b, b->c};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    weft_array *x = arrays[i];
    weft_array_release(&x);
  }
  weft_context_release(&b->context);
  table_free(&b->table);
}

int bench_ufunc(const cli_args *args) {
  static const table_column columns[] = {
      {"what", "WHAT"}, {"us", "US"}, {"floor_us", "FLOOR US"}, {"gb_per_s", "GB/S"}, {"of_copy", "OF COPY"}};
  bench b = {
      .args = args, .table = {.columns = columns, .column_count = sizeof columns / sizeof *columns}, .copy_rate = 1};
  int status = cli_parse_number(&b.size, args, "--size", SMALL, INT64_C(1) << 32);
  if (status != CLI_OK) return status;
  status = CLI_FAILED;
  if (open_bench(&b) || run_cases(&b) || (b.code == CL_SUCCESS && run_host(&b))) {
    if (b.context) cli_report(args); /* cli_open has printed its own error */
  } else if (b.code != CL_SUCCESS) {
    cli_fail(args, "a bare OpenCL call returned %s", weft_cl_code_name(b.code));
  } else {
    char note[160];
    snprintf(note, sizeof note,
             "n = %lld f32 unless noted; medians; the floor is the bytes at the rate of the device's copy",
             (long long)b.size);
    status =
        bench_finish(args, b.context, &b.table,
                     &(bench_report){.name = "ufunc", .note = note, .plot = {"us", "floor_us", "the floor", "us"}});
  }
  close_bench(&b);
  return status;
}
