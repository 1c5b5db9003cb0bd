// SPDX-License-Identifier: MIT
/// `weft bench launch`: Weft's cost on the host. Each figure stands beside the bare driver's figure for the same work,
/// measured in turns in the same run.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_opencl.h"

/// Timed calls of each kind; the result is their median.
#define REPEATS 4001
/// Launches enqueued before the queue is emptied, so that the queue's length does not affect the measurement.
#define BURST 64

static const char source[] =
    "__kernel void add(__global float *c, __global const float *a, __global const float *b, uint n) {\n"
    "  uint i = get_global_id(0);\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n"
    "__kernel void spin(__global uint *out, uint n) {\n"
    "  uint x = get_global_id(0);\n"
    "  for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u + (x >> 7);\n"
    "  out[get_global_id(0) & 1023] = x;\n"
    "}\n";

enum { ELEMENTS = 100000, BLOCK = 256, SPIN_BLOCKS = 32, SPIN_BLOCK = 32 };

/// Kernels, arguments and queue that are used both through Weft and through the driver.
typedef struct bench {
  const cli_args *args;
  weft_context *context;
  weft_kernel *add, *spin;
  weft_array *array[3], *out;
  cl_program program;
  cl_kernel raw_add, raw_spin;
  cl_command_queue queue;
  cl_int code; /* the first failure of a bare call */
  double *raw, *own;
  double first_seconds; /* that the process's first context took */
  table table;
} bench;

/// One measurement, which adds a row or more.
typedef struct measurement {
  const char *what;
  weft_status (*run)(bench *b, const struct measurement *m);
  double number; /* time_launch: launches between two waits; bench_wait: seconds of the kernel */
} measurement;

static double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void keep(bench *b, cl_int code) {
  if (b->code == CL_SUCCESS) b->code = code;
}

static void add_row(bench *b, const char *what, double driver, double own, const char *unit) {
  table_add_text(&b->table, what);
  bench_add_number(&b->table, driver, 3);
  bench_add_number(&b->table, own, 3);
  if (driver < 0)
    table_add_none(&b->table);
  else
    table_add_decimal(&b->table, own - driver, 3); /* may be negative */
  table_add_text(&b->table, unit);
}

static void raw_launch_add(bench *b) {
  cl_uint n = ELEMENTS;
  size_t local = BLOCK, global = weft_ceil_div(ELEMENTS, BLOCK) * BLOCK;
  for (cl_uint i = 0; i < 3; i++) {
    cl_mem mem = weft_array_cl_mem(b->array[i], NULL);
    keep(b, clSetKernelArg(b->raw_add, i, sizeof mem, &mem));
  }
  keep(b, clSetKernelArg(b->raw_add, 3, sizeof n, &n));
  keep(b, clEnqueueNDRangeKernel(b->queue, b->raw_add, 1, NULL, &global, &local, 0, NULL, NULL));
}

static weft_status own_launch_add(bench *b) {
  return weft_launch(b->add, WEFT_DIM3(weft_ceil_div(ELEMENTS, BLOCK)), WEFT_DIM3(BLOCK), b->array[0], b->array[1],
                     b->array[2], ELEMENTS);
}

/// Host time of a launch with four arguments, Weft and driver in turns.
static weft_status time_launch(bench *b, const measurement *m) {
  int burst = (int)m->number;
  for (int i = 0; i < REPEATS; i++) {
    for (int half = 0; half < 2; half++) {
      double start = bench_seconds();
      if ((half + i) % 2) {
        raw_launch_add(b);
        b->raw[i] = bench_seconds() - start;
      } else {
        WEFT__TRY_RETURN(own_launch_add(b));
        b->own[i] = bench_seconds() - start;
      }
      if (burst == 1) keep(b, clFinish(b->queue));
    }
    if (i % burst == 0) keep(b, clFinish(b->queue));
  }
  add_row(b, m->what, 1e6 * bench_median(b->raw, REPEATS), 1e6 * bench_median(b->own, REPEATS), "us");
  return WEFT_OK;
}

static weft_status launch_many(bench *b, weft_stream *stream, int count) {
  weft_status rc, ended;
  WEFT__TRY_RETURN(weft_stream_use(stream));
  for (int i = 0; i < count; i++) WEFT__TRY(own_launch_add(b));
  WEFT__TRY(weft_stream_wait(stream));
done:
  ended = weft_stream_use(NULL);
  return rc ? rc : ended;
}

/// Launches without a wait until the last is done, on queues that no other code uses, so that the limit on running
/// ahead applies.
static weft_status bench_many(bench *b, const measurement *m) {
  enum { MANY = 20000, TURNS = 5 };
  weft_stream *stream = NULL;
  cl_command_queue lent = b->queue;
  cl_command_queue queue =
      clCreateCommandQueue(weft_context_cl_context(b->context), weft_context_cl_device(b->context), 0, &b->code);
  weft_status rc;
  WEFT__TRY(weft_context_wait(b->context)); /* otherwise launches would depend on the work that made the arrays */
  if (b->code != CL_SUCCESS) goto done;
  WEFT__TRY(weft_stream_create(&stream, b->context));
  for (int turn = 0; turn < 2 * TURNS; turn++) {
    double start = bench_seconds(), *time = turn % 2 ? b->raw : b->own;
    b->queue = queue;
    for (int i = 0; i < MANY && turn % 2; i++) raw_launch_add(b);
    if (turn % 2) keep(b, clFinish(queue));
    b->queue = lent;
    if (turn % 2 == 0) WEFT__TRY(launch_many(b, stream, MANY));
    time[turn / 2] = (bench_seconds() - start) / MANY;
  }
  add_row(b, m->what, 1e6 * bench_median(b->raw, TURNS), 1e6 * bench_median(b->own, TURNS), "us");
done:
  weft_stream_release(&stream);
  if (queue) clReleaseCommandQueue(queue);
  return rc;
}

enum { RECORDED = 1000, REPLAYS = 21 };

/// Records additions. `is_chain`: each adds to the last one's sum, so that the recording makes few kernels of them.
/// Otherwise each result overlaps the last one at other elements, which keeps them apart.
static weft_status record_adds(weft_recording **recording, const bench *b, bool is_chain) {
  static const char *const all_but_some[] = {":-64", "64:"};
  weft_array *sum[2] = {NULL}, *x = NULL, *y = NULL;
  weft_status rc;
  for (int k = 0; k < 2; k++) WEFT__TRY(weft_view(&sum[k], b->array[0], is_chain ? ":" : all_but_some[k]));
  WEFT__TRY(weft_view(&x, b->array[1], is_chain ? ":" : all_but_some[0]));
  WEFT__TRY(weft_view(&y, b->array[2], is_chain ? ":" : all_but_some[0]));
  WEFT__TRY(weft_add(&sum[0], x, y)); /* builds the kernel */
  WEFT__TRY(weft_record_begin(b->context));
  for (int i = 0; i < RECORDED; i++) WEFT__TRY(weft_add(&sum[i % 2], is_chain ? sum[(i + 1) % 2] : x, y));
  rc = weft_record_end(recording);
done:
  weft_record_cancel();
  weft_release(&sum[0], &sum[1], &x, &y);
  return rc;
}

/// Records additions that share nothing: of 100 sets of three arrays, more than wait to be fused.
static weft_status record_independent_adds(weft_recording **recording, const bench *b) {
  enum { SETS = 100 };
  weft_array *set[SETS][3] = {{NULL}};
  weft_status rc;
  for (int k = 0; k < 3 * SETS; k++)
    WEFT__TRY(weft_zeros(&set[k / 3][k % 3], b->context, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  WEFT__TRY(weft_add(&set[0][0], set[0][1], set[0][2])); /* builds the kernel */
  WEFT__TRY(weft_record_begin(b->context));
  for (int i = 0; i < RECORDED; i++) WEFT__TRY(weft_add(&set[i % SETS][0], set[i % SETS][1], set[i % SETS][2]));
  rc = weft_record_end(recording);
done:
  weft_record_cancel();
  for (int k = 0; k < 3 * SETS; k++) weft_array_release(&set[k / 3][k % 3]);
  return rc;
}

/// An addition among 1000 in a replay, beside the bare enqueue of one whose arguments are set. m->number: 0 the
/// host's part alone, 1 with the wait for the last, 2 so of a chain, 3 so of independent ones.
static weft_status bench_replay(bench *b, const measurement *m) {
  weft_recording *recording = NULL;
  size_t local = BLOCK, global = weft_ceil_div(ELEMENTS, BLOCK) * BLOCK;
  weft_status rc;
  WEFT__TRY(m->number > 2 ? record_independent_adds(&recording, b) : record_adds(&recording, b, m->number > 1));
  raw_launch_add(b); /* sets the arguments */
  for (int turn = 0; turn < 2 * REPLAYS; turn++) {
    keep(b, clFinish(b->queue));
    double start = bench_seconds(), *time = turn % 2 ? b->raw : b->own;
    for (int i = 0; i < RECORDED && turn % 2; i++)
      keep(b, clEnqueueNDRangeKernel(b->queue, b->raw_add, 1, NULL, &global, &local, 0, NULL, NULL));
    if (turn % 2 == 0) WEFT__TRY(weft_replay(recording));
    if (m->number > 0) keep(b, clFinish(b->queue));
    time[turn / 2] = (bench_seconds() - start) / RECORDED;
  }
  keep(b, clFinish(b->queue));
  add_row(b, m->what, 1e6 * bench_median(b->raw, REPLAYS), 1e6 * bench_median(b->own, REPLAYS), "us");
done:
  weft_recording_release(&recording);
  return rc;
}

static void raw_launch_spin(bench *b, cl_uint n) {
  size_t local = SPIN_BLOCK, global = SPIN_BLOCKS * SPIN_BLOCK;
  cl_mem mem = weft_array_cl_mem(b->out, NULL);
  keep(b, clSetKernelArg(b->raw_spin, 0, sizeof mem, &mem));
  keep(b, clSetKernelArg(b->raw_spin, 1, sizeof n, &n));
  keep(b, clEnqueueNDRangeKernel(b->queue, b->raw_spin, 1, NULL, &global, &local, 0, NULL, NULL));
}

/// Seconds that the spin kernel takes with `n` rounds, launch and wait included.
static double time_spin(bench *b, cl_uint n) {
  double start = bench_seconds();
  raw_launch_spin(b, n);
  keep(b, clFinish(b->queue));
  return bench_seconds() - start;
}

/// The number of rounds for which the spin kernel takes about `target` seconds.
static cl_uint find_rounds(bench *b, double target) {
  cl_uint n = 64;
  while (n < 1u << 30 && b->code == CL_SUCCESS && time_spin(b, n) < target / 2) n *= 2;
  double taken = time_spin(b, n);
  double rounds = (double)n * target / (taken > 0 ? taken : target);
  return rounds < 1 ? 1 : rounds > 4e9 ? 4000000000u : (cl_uint)rounds;
}

/// Launch and wait, by clFinish and by Weft in turns, for kernels that take about as long as asked.
static weft_status bench_wait(bench *b, const measurement *m) {
  cl_uint n = m->number > 0 ? find_rounds(b, m->number) : 1;
  for (int i = 0; i < REPEATS; i++)
    for (int half = 0; half < 2; half++) {
      double start = bench_seconds();
      raw_launch_spin(b, n);
      if ((half + i) % 2) {
        keep(b, clFinish(b->queue));
        b->raw[i] = bench_seconds() - start;
      } else {
        WEFT__TRY_RETURN(weft_context_wait(b->context));
        b->own[i] = bench_seconds() - start;
      }
    }
  add_row(b, m->what, 1e6 * bench_median(b->raw, REPEATS), 1e6 * bench_median(b->own, REPEATS), "us");
  return WEFT_OK;
}

/// Processor time divided by wall time while a kernel of about a second runs.
static weft_status bench_long_wait(bench *b, const measurement *m) {
  double share[2];
  cl_uint n = find_rounds(b, 1);
  for (int own = 0; own < 2; own++) {
    double start = bench_seconds(), processor = processor_seconds();
    raw_launch_spin(b, n);
    if (own)
      WEFT__TRY_RETURN(weft_context_wait(b->context));
    else
      keep(b, clFinish(b->queue));
    share[own] = 100 * (processor_seconds() - processor) / (bench_seconds() - start);
  }
  add_row(b, m->what, share[0], share[1], "% of a core");
  return WEFT_OK;
}

/// The cost of a context beside the driver's own context and queue. The first context of the process has its own row,
/// because it includes the driver's start.
static weft_status bench_context(bench *b, const measurement *m) {
  weft_device_info info;
  WEFT__TRY_RETURN(weft_context_get_device(&info, b->context));
  weft_context *second = NULL;
  cl_device_id device = weft_context_cl_device(b->context);
  double start = bench_seconds();
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &b->code);
  cl_command_queue queue = b->code == CL_SUCCESS ? clCreateCommandQueue(context, device, 0, &b->code) : NULL;
  double raw = bench_seconds() - start;
  if (queue) clReleaseCommandQueue(queue);
  if (context) clReleaseContext(context);
  start = bench_seconds();
  WEFT__TRY_RETURN(weft_context_create(&second, .device = cli_value(b->args, "--device")));
  double own = bench_seconds() - start;
  weft_status rc = weft_context_close(&second);
  add_row(b, "first context of the process", -1, 1e3 * b->first_seconds, "ms");
  add_row(b, m->what, 1e3 * raw, 1e3 * own, "ms");
  return rc;
}

/// A cached allocation and its release. The driver's side makes a buffer, touches it with a fill of four bytes as Weft
/// does, and releases it.
static weft_status bench_allocation(bench *b, const measurement *m) {
  enum { ALLOCATIONS = 200 };
  cl_context context = weft_context_cl_context(b->context);
  cl_uint zero = 0;
  double start = bench_seconds();
  for (int i = 0; i < ALLOCATIONS && b->code == CL_SUCCESS; i++) {
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * ELEMENTS, NULL, &b->code);
    if (b->code != CL_SUCCESS) break;
    keep(b, clEnqueueFillBuffer(b->queue, mem, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
    keep(b, clReleaseMemObject(mem));
  }
  keep(b, clFinish(b->queue));
  double raw = (bench_seconds() - start) / ALLOCATIONS;
  start = bench_seconds();
  for (int i = 0; i < ALLOCATIONS * BURST; i++) {
    weft_array *x = NULL;
    WEFT__TRY_RETURN(weft_empty(&x, b->context, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
    weft_array_release(&x);
  }
  add_row(b, m->what, 1e6 * raw, 1e6 * (bench_seconds() - start) / (ALLOCATIONS * BURST), "us");
  return WEFT_OK;
}

static weft_status open_bench(bench *b) {
  double start = bench_seconds();
  WEFT__TRY_RETURN(cli_open(&b->context, b->args));
  b->first_seconds = bench_seconds() - start;
  WEFT__TRY_RETURN(weft_kernel_create(&b->add, b->context, .source = source, .name = "add"));
  WEFT__TRY_RETURN(weft_kernel_create(&b->spin, b->context, .source = source, .name = "spin"));
  for (int i = 0; i < 3; i++) WEFT__TRY_RETURN(weft_zeros(&b->array[i], b->context, WEFT_F32, WEFT_SHAPE(ELEMENTS)));
  WEFT__TRY_RETURN(weft_zeros(&b->out, b->context, WEFT_U32, WEFT_SHAPE(1024)));
  b->queue = weft_context_cl_queue(b->context);
  const char *text = source;
  cl_device_id device = weft_context_cl_device(b->context);
  b->program = clCreateProgramWithSource(weft_context_cl_context(b->context), 1, &text, NULL, &b->code);
  if (b->code == CL_SUCCESS) keep(b, clBuildProgram(b->program, 1, &device, "", NULL, NULL));
  if (b->code == CL_SUCCESS) b->raw_add = clCreateKernel(b->program, "add", &b->code);
  if (b->code == CL_SUCCESS) b->raw_spin = clCreateKernel(b->program, "spin", &b->code);
  return WEFT_OK;
}

static void close_bench(bench *b) {
  if (b->raw_add) clReleaseKernel(b->raw_add);
  if (b->raw_spin) clReleaseKernel(b->raw_spin);
  if (b->program) clReleaseProgram(b->program);
  for (int i = 0; i < 3; i++) weft_array_release(&b->array[i]);
  weft_array_release(&b->out);
  weft_kernel_release(&b->add);
  weft_kernel_release(&b->spin);
  weft_context_release(&b->context);
  table_free(&b->table);
  free(b->raw);
  free(b->own);
}

static const measurement measurements[] = {
    {"launch, 4 arguments, queue empty", time_launch, 1},
    {"launch, 4 arguments, back to back", time_launch, BURST},
    {"launch, 20000 without a wait", bench_many, 0},
    {"replay of 1000 additions, each", bench_replay, 0},
    {"replay of 1000 additions and wait, each", bench_replay, 1},
    {"replay of a chain of 1000 and wait, each", bench_replay, 2},
    {"replay of 1000 independent and wait, each", bench_replay, 3},
    {"launch and wait, empty kernel", bench_wait, 0},
    {"launch and wait, kernel of 20 us", bench_wait, 20e-6},
    {"launch and wait, kernel of 45 us", bench_wait, 45e-6},
    {"processor time while waiting 1 s", bench_long_wait, 0},
    {"array of 400 kB made and released", bench_allocation, 0},
    {"another context, core kernels built", bench_context, 0},
};
enum { ROWS = sizeof measurements / sizeof *measurements + 1 }; /* bench_context adds the first context's row too */

static weft_status run_all(bench *b) {
  WEFT__TRY_RETURN(open_bench(b));
  for (const measurement *m = measurements; m < measurements + (ROWS - 1); m++) {
    bench_next(b->args, &b->table, m == measurements ? ROWS : 0, m->what);
    WEFT__TRY_RETURN(m->run(b, m));
  }
  return WEFT_OK;
}

int bench_launch(const cli_args *args) {
  static const table_column columns[] = {
      {"what", "WHAT"}, {"driver", "DRIVER"}, {"weft", "WEFT"}, {"more", "MORE"}, {"unit", "UNIT"}};
  bench b = {.args = args, .table = {.columns = columns, .column_count = sizeof columns / sizeof *columns}};
  b.raw = malloc(REPEATS * sizeof *b.raw);
  b.own = malloc(REPEATS * sizeof *b.own);
  int status = CLI_FAILED;
  if (!b.raw || !b.own) {
    cli_fail(args, "not enough memory");
    goto done;
  }
  if (run_all(&b)) {
    if (b.context) cli_report(args); /* cli_open has printed its own error */
  } else if (b.code != CL_SUCCESS) {
    cli_fail(args, "a bare OpenCL call returned %s", weft_cl_code_name(b.code));
  } else {
    char note[64];
    snprintf(note, sizeof note, "medians of %d, driver and Weft in turns", REPEATS);
    status = bench_finish(
        args, b.context, &b.table,
        &(bench_report){.name = "launch", .note = note, .plot = {"weft", "driver", "the bare driver", NULL}});
  }
done:
  close_bench(&b);
  return status;
}
